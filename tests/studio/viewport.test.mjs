// SPDX-License-Identifier: Apache-2.0
//
// The viewport on shipped characters: camera, layers, colours, wireframe, side by side, picking,
// another character in the place of one, and what it does when nothing is to be drawn.
import {settled} from './character.mjs';
import {studioTest} from './harness.mjs';
import {change, clearPart, clearPicture, drag, drawn, middleOf, viewState} from './viewing.mjs';
import assert from 'node:assert/strict';

const drawing = (open) => ({open, draws: true});

studioTest('the mouse turns, moves and zooms the camera', drawing('arm'), async (studio) => {
    const {page} = studio;
    await drawn(page);
    const part = await clearPart(page);
    const from = {x: part.x + part.width / 2, y: part.y + part.height / 2};
    const before = await viewState(page);
    const first = await clearPicture(studio);

    await drag(page, from, {x: from.x + 80, y: from.y + 20}, 'middle');
    const turned = await viewState(page);
    assert.ok(turned.azimuth < before.azimuth, 'the body turns with the pointer');
    assert.ok(turned.elevation > before.elevation);
    assert.deepEqual(turned.target, before.target);
    await drawn(page);
    assert.ok(await studio.countDifferent(first, await clearPicture(studio)) > 1000);

    await drag(page, from, {x: from.x + 60, y: from.y}, 'middle', ['Shift']);
    const moved = await viewState(page);
    assert.notDeepEqual(moved.target, turned.target);
    assert.equal(moved.azimuth, turned.azimuth);

    // The point under the pointer stays under it.
    const at = await middleOf(page, '/skins/skin');
    const point = await page.evaluate(({x, y}) => window.sinewStudio.viewport.pick(
        {clientX: x, clientY: y}).point.toArray(), at);
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction((old) => window.sinewStudio.viewport.orbit.distance < old,
        moved.distance);
    const shift = await page.evaluate(([[px, py, pz], {x, y}]) => {
        const {viewport} = window.sinewStudio;
        const place = viewport.project(viewport.camera.position.clone().set(px, py, pz));
        const canvas = viewport.canvas.getBoundingClientRect();
        return Math.hypot(place.x + canvas.left - x, place.y + canvas.top - y);
    }, [point, at]);
    assert.ok(shift < 30, `the point moved by ${shift} pixels`);

    // The select tool leaves drags of the left button to the camera.
    const unturned = await viewState(page);
    await drag(page, from, {x: from.x - 50, y: from.y}, 'left');
    assert.ok((await viewState(page)).azimuth > unturned.azimuth);
});

studioTest('frame all, frame the selection', drawing('arm'), async ({page}) => {
    await drawn(page);
    await change(page, () => {
        const {orbit} = window.sinewStudio.viewport;
        orbit.zoom(8);
        orbit.pan(300, 100, 500);
    });
    await page.getByTestId('viewport').focus();
    await page.keyboard.press('Home');
    await drawn(page);
    const share = (path) => page.evaluate((wanted) => {
        const {viewport} = window.sinewStudio;
        const {box} = viewport.views[0].body.find(wanted);
        const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => viewport.project({
            x: i & 1 ? box.max.x : box.min.x, y: i & 2 ? box.max.y : box.min.y,
            z: i & 4 ? box.max.z : box.min.z}));
        const span = (key, size) => [Math.min(...corners.map((each) => each[key])) / size,
            Math.max(...corners.map((each) => each[key])) / size];
        return {x: span('x', viewport.width), y: span('y', viewport.height)};
    }, path);
    const all = await share('/skins/skin');
    assert.ok([...all.x, ...all.y].every((each) => each > 0 && each < 1), 'the arm is seen whole');
    assert.ok(Math.max(all.x[1] - all.x[0], all.y[1] - all.y[0]) > 0.6, 'and large');

    await change(page, () => {
        window.sinewStudio.viewport.setLayer('skin', 'clear');
        window.sinewStudio.select('/muscles/biceps');
    });
    const far = await share('/muscles/biceps');
    await page.keyboard.press('.');
    await drawn(page);
    const near = await share('/muscles/biceps');
    assert.ok(near.y[1] - near.y[0] > 1.5 * (far.y[1] - far.y[0]));
    assert.ok([...near.x, ...near.y].every((each) => each > 0 && each < 1));
});

studioTest('standard views by keys and from the menu', drawing('arm'), async ({page}) => {
    await drawn(page);
    await page.getByTestId('viewport').focus();
    const direction = () => page.evaluate(() => {
        const {viewport} = window.sinewStudio;
        return viewport.camera.position.clone().sub(viewport.orbit.target).normalize().toArray()
            .map((x) => Math.round(1000 * x) / 1000 + 0);
    });
    for (const [keys, expected] of [['Numpad1', [0, 0, 1]], ['Control+Numpad1', [0, 0, -1]],
        ['Numpad3', [-1, 0, 0]], ['Control+Numpad3', [1, 0, 0]], ['Numpad7', [0, 1, 0]],
        ['Control+Numpad7', [0, -1, 0]]]) {
        await page.keyboard.press(keys);
        await drawn(page);
        assert.deepEqual(await direction(), expected, keys);
    }
    await page.getByRole('button', {name: 'Views'}).click();
    await page.getByRole('menuitem', {name: 'Front'}).click();
    await drawn(page);
    assert.deepEqual(await direction(), [0, 0, 1]);
    await turnsByKeys(page);
    await looksAlongParallels(page);
});

/** Turns, moves and zooms without a mouse, with a number pad and without one. */
async function turnsByKeys(page) {
    const press = async (keys) => {
        await page.keyboard.press(keys);
        await page.waitForFunction(() => window.sinewStudio.viewport.orbit.flight === null);
        return viewState(page);
    };
    const first = await viewState(page);
    const right = await press('Numpad6');
    assert.ok(Math.abs(right.azimuth - first.azimuth - Math.PI / 12) < 1e-9);
    assert.ok(Math.abs((await press('8')).elevation - first.elevation - Math.PI / 12) < 1e-9);
    await press('4');
    assert.ok(Math.abs((await press('Numpad2')).elevation - first.elevation) < 1e-9);
    assert.ok((await press('NumpadAdd')).distance < first.distance);
    assert.ok(Math.abs((await press('-')).distance - first.distance) < 1e-9);
    assert.ok((await press('Control+Numpad6')).target[0] > first.target[0]);
    assert.ok(Math.abs((await press('Control+ArrowLeft')).target[0] - first.target[0]) < 1e-9);
    assert.ok((await press('Control+ArrowUp')).target[1] > first.target[1]);
    await press('Control+ArrowDown');
}

/** What is clicked in the orthographic view is what is seen there. */
async function looksAlongParallels(page) {
    await page.keyboard.press('Numpad5');
    const at = await middleOf(page, '/skins/skin');
    const found = await page.evaluate(([{x, y}]) => {
        const {viewport} = window.sinewStudio;
        const hits = [0, 25].map((down) => viewport.pick({clientX: x, clientY: y + down}));
        const canvas = viewport.canvas.getBoundingClientRect();
        const place = viewport.project(hits[0].point);
        const [one, other] = [0, 200].map((dx) => viewport.ray({clientX: x + dx, clientY: y})
            .direction.toArray());
        return {orthographic: viewport.camera.isOrthographicCamera, one, other,
            away: Math.hypot(place.x + canvas.left - x, place.y + canvas.top - y),
            path: hits[0].surface.path};
    }, [at]);
    assert.ok(found.orthographic);
    assert.equal(found.path, '/skins/skin');
    assert.ok(found.away < 0.01);
    assert.deepEqual(found.one, found.other, 'rays are parallel');
    await page.getByRole('button', {name: 'Views'}).click();
    await page.getByRole('menuitemradio', {name: 'Perspective'}).click();
    assert.ok(!await page.evaluate(() => window.sinewStudio.viewport.orbit.orthographic));
}

/** Goes through the modes of a layer by its buttons; gives a picture of each. */
async function layerPictures(studio, layer, title) {
    const pictures = {};
    const labels = {shown: 'shown', clear: 'see-through', hidden: 'hidden'};
    for (const [mode, label] of Object.entries(labels)) {
        await studio.page.getByRole('radio', {name: `${title}: ${label}`}).click();
        await drawn(studio.page);
        assert.equal(await studio.page.evaluate((name) =>
            window.sinewStudio.viewport.layers[name].mode, layer), mode);
        pictures[mode] = await clearPicture(studio);
    }
    return pictures;
}

async function assertThreeModes(studio, layer, title, least) {
    const pictures = await layerPictures(studio, layer, title);
    for (const [a, b] of [['shown', 'hidden'], ['shown', 'clear'], ['clear', 'hidden']]) {
        const count = await studio.countDifferent(pictures[a], pictures[b]);
        assert.ok(count > least, `${layer}: ${a} and ${b} differ in ${count} pixels`);
    }
}

studioTest('each layer is shown, hidden or see-through', {open: 'arm'}, async (studio) => {
    await drawn(studio.page);
    await assertThreeModes(studio, 'skin', 'Skin', 2000);
    await change(studio.page, () => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
    await assertThreeModes(studio, 'muscle', 'Muscles', 100);
    await assertThreeModes(studio, 'bone', 'Bones', 500);
    await change(studio.page, () => {
        const {viewport} = window.sinewStudio;
        viewport.setLayer('skin', 'clear');
        viewport.showAll();
        viewport.setLayer('skin', 'clear');
    });
    await studio.screenshot('layers');
});

studioTest('tissue is a layer, eyes go with the skin', {open: 'monkey'}, async (studio) => {
    const {page} = studio;
    await drawn(page);
    await change(page, () => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
    await change(page, () => ['muscle', 'bone'].forEach((name) =>
        window.sinewStudio.viewport.setLayer(name, 'hidden')));
    const empty = await clearPicture(studio);
    await assertThreeModes(studio, 'tissue', 'Tissue', 500);
    await change(page, () => window.sinewStudio.viewport.setLayer('skin', 'shown'));
    assert.ok(await studio.countDifferent(empty, await clearPicture(studio)) > 2000);
    const eyes = await page.evaluate(() => window.sinewStudio.slots[0].model.surfaces
        .filter((each) => each.feature).map((each) => each.viewLayer));
    assert.ok(eyes.length > 0 && eyes.every((layer) => layer === 'skin'));
    await studio.screenshot('monkey');
});

studioTest('driver meshes are a layer', {open: 'thighs'}, async (studio) => {
    const {page} = studio;
    await drawn(page);
    const drivers = await page.evaluate(() => window.sinewStudio.slots[0].model.surfaces
        .filter((each) => each.viewLayer === 'driver').length);
    assert.ok(drivers > 0, 'thighs have skins that only drive');
    await change(page, () => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
    await change(page, () => ['muscle', 'bone'].forEach((name) =>
        window.sinewStudio.viewport.setLayer(name, 'hidden')));
    await assertThreeModes(studio, 'driver', 'Driver meshes', 500);
});

studioTest('colour maps have a legend in real units', {open: 'arm'}, async (studio) => {
    const {page, call} = studio;
    await drawn(page);
    const legend = page.getByTestId('legend');
    assert.ok(await legend.isHidden());
    await call('seek', {frame: await page.evaluate(() => window.sinewStudio.time.last)});
    await drawn(page);
    const plain = await clearPicture(studio);
    const choose = async (name) => {
        await page.getByLabel('Colour by').selectOption({label: name});
        await page.waitForFunction((title) => {
            const {slots, viewport} = window.sinewStudio;
            const {of, title: known} = viewport.coloring.mapping;
            return known.startsWith(title) && slots[0].model.surfaces.some(
                ({viewLayer, values}) => viewLayer === of && values !== null);
        }, name);
        await drawn(page);
    };
    await choose('Stretch');
    const stretch = await clearPicture(studio);
    assert.ok(await studio.countDifferent(plain, stretch) > 2000);
    const text = await legend.innerText();
    assert.match(text, /Stretch/);
    assert.match(text, /length \/ rest length/);
    assert.match(text, /0\.67[^]*1\b[^]*1\.33/);
    await studio.screenshot('stretch');

    await choose('Weights');
    assert.match(await legend.innerText(), /Weights of /);
    assert.ok(await studio.countDifferent(stretch, await clearPicture(studio)) > 2000);
    const first = await clearPicture(studio);
    await page.evaluate(() => {
        const {model} = window.sinewStudio.slots[0];
        window.oldValues = model.byPath('/skins/skin').values.slice();
        const {name} = model.segments.find((each) => each.name.startsWith('forearm'));
        window.sinewStudio.select(`/skeleton/${name}`);
    });
    await page.waitForFunction(() => window.sinewStudio.slots[0].model.byPath('/skins/skin').values
        ?.some((value, i) => value !== window.oldValues[i]));
    await drawn(page);
    assert.ok(await studio.countDifferent(first, await clearPicture(studio)) > 500, 'other weights');

    await change(page, () => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
    await choose('Shortening');
    assert.match(await legend.innerText(), /Shortening/);
    await page.getByLabel('Colour by').selectOption({label: 'Material'});
    await drawn(page);
    assert.ok(await legend.isHidden());
});

studioTest('a skin has the colours of its mesh', {open: 'rex'}, async ({page, call}) => {
    await settled(page);
    const {count, bytes, eye} = await page.evaluate(() => {
        const {model} = window.sinewStudio.slots[0];
        const [skin, left] = ['/skins/skin', '/skins/eye_left'].map((path) => model.byPath(path));
        return {count: skin.vertexCount, bytes: skin.colors.length,
            eye: new Set(Array.from({length: left.vertexCount}, (_, i) =>
                left.colors.slice(4 * i, 4 * i + 3).join())).size};
    });
    assert.equal(bytes, 4 * count);
    assert.ok(eye > 1, 'iris and pupil differ');
    await opensAnother({page, call});
    await sendsWhatChanged(page);
    await forgetsWhatIsNotSeen({page, call});
});

/** New values are given to the graphics card without the points, and the other way round. */
async function sendsWhatChanged(page) {
    const versions = await page.evaluate(() => {
        const drawable = window.sinewStudio.viewport.views[0].body.find('/skins/skin');
        const {surface, geometry} = drawable;
        const version = () => ['position', 'value'].map((name) => {
            drawable.update();
            return geometry.getAttribute(name)?.version ?? -1;
        });
        surface.values = new Float32Array(surface.vertexCount);
        const first = version();
        surface.values = surface.values.slice();
        const valued = version();
        surface.moved += 1;
        return [first, valued, version()];
    });
    const [[points, values], ...later] = versions;
    assert.deepEqual(later, [[points, values + 1], [points + 1, values + 1]]);
}

/** A model of which nothing is to be seen takes the place of the one before. */
async function forgetsWhatIsNotSeen({page, call}) {
    await page.evaluate(() => ['skin', 'muscle', 'bone'].forEach((name) =>
        window.sinewStudio.viewport.setLayer(name, 'hidden')));
    await call('edit', {slot: 0, ops: [{path: '/muscles/biceps/bulge', value: 0.5}], label: 'x'});
    await settled(page);
    assert.equal(await page.evaluate(() =>
        window.sinewStudio.viewport.views[0].body.drawables.size), 0);
}

/** Another character in its place, in which the same path exists: everything begins anew. */
async function opensAnother({page, call}) {
    await page.evaluate(() => window.sinewStudio.select('/skins/skin'));
    await page.keyboard.press('d');
    const seen = () => page.evaluate(() => {
        const {viewport, tool, selection} = window.sinewStudio;
        const [{body}] = viewport.views;
        return {size: body.box().getSize(viewport.orbit.target.clone()).length(),
            distance: viewport.orbit.distance, selection,
            skin: tool.work.surface?.vertexCount ?? null};
    });
    const rex = await seen();
    await call('open_example', {slot: 0, name: 'arm'});
    await settled(page);
    const arm = await seen();
    assert.ok(arm.size < rex.size / 2);
    assert.ok(arm.distance < 8 * arm.size, `seen from ${arm.distance} m`);
    assert.equal(arm.selection, null);
    assert.notEqual(arm.skin, rex.skin, 'the tool draws on the new skin');
}

studioTest('the wireframe shows edges of polygons', {open: 'rex'}, async (studio) => {
    const {page} = studio;
    await drawn(page);
    const before = await clearPicture(studio);
    await page.getByTestId('viewport').focus();
    await page.keyboard.press('z');
    await drawn(page);
    assert.ok(await studio.countDifferent(before, await clearPicture(studio)) > 2000);
    assert.equal(await page.getByRole('button', {name: 'Wireframe'}).getAttribute('aria-pressed'),
        'true');
    await studio.screenshot('wireframe');
    const counts = await page.evaluate(() => {
        const skin = window.sinewStudio.slots[0].model.byPath('/skins/skin');
        const edges = new Set();
        for (let t = 0; t < skin.triangles.length; t += 3) {
            for (let k = 0; k < 3; ++k) {
                const [a, b] = [skin.triangles[t + k], skin.triangles[t + (k + 1) % 3]];
                edges.add(`${Math.min(a, b)} ${Math.max(a, b)}`);
            }
        }
        return {polygons: skin.edges.length / 2, triangles: edges.size};
    });
    assert.ok(counts.polygons < counts.triangles, 'quads have no diagonals');
    await page.keyboard.press('z');
    await drawn(page);
    assert.equal(await studio.countDifferent(before, await clearPicture(studio)), 0, 'it goes away');
});

studioTest('two settings side by side, with a common camera', {open: 'arm'}, async (studio) => {
    const {page, call} = studio;
    await drawn(page);
    await page.getByRole('button', {name: 'Side by side'}).click();
    await drawn(page, 1);
    const box = await page.getByTestId('viewport').boundingBox();
    const half = {y: Math.ceil(box.y) + 190, width: Math.floor(box.width / 2) - 40,
        height: Math.floor(box.height) - 250};
    const left = () => studio.picture({...half, x: box.x + 20});
    const right = () => studio.picture({...half, x: box.x + Math.floor(box.width / 2) + 20});
    const [a, b] = [await left(), await right()];
    // The pattern of shadows is that of the whole canvas: soft edges differ a little.
    assert.ok(await studio.countDifferent(a, b, 24) < 0.005 * half.width * half.height,
        'the same character twice');

    await call('hold', {slot: 1, values: {fist: 1}});
    await page.waitForFunction(() => {
        const [first, second] = window.sinewStudio.slots.map((slot) => slot.frame.controls);
        return first.some((x, i) => x !== second[i]);
    });
    await drawn(page, 1);
    assert.equal(await studio.countDifferent(a, await left()), 0, 'the left one stays');
    assert.ok(await studio.countDifferent(b, await right()) > 200, 'the right one makes a fist');
    await studio.screenshot('side-by-side');

    const from = {x: box.x + 0.75 * box.width, y: box.y + box.height / 2};
    await drag(page, from, {x: from.x + 70, y: from.y}, 'middle');
    await drawn(page, 1);
    assert.ok(await studio.countDifferent(a, await left()) > 500, 'both turn');
    const at = await middleOf(page, '/skins/skin', 1);
    await page.mouse.click(at.x, at.y);
    assert.equal(await activeIndex(page), 1);
    await worksInOneHalf(studio);
    await comesAnew(studio);
});

const activeIndex = (page) => page.evaluate(() => window.sinewStudio.activeIndex);

/** A tool works in the half that is marked, wherever the pointer goes. */
async function worksInOneHalf({page}) {
    const [left, right] = [await middleOf(page, '/skins/skin', 0),
        await middleOf(page, '/skins/skin', 1)];
    await page.keyboard.press('d');
    const points = () => page.evaluate(() =>
        window.sinewStudio.tool.drawing.curves.map((curve) => curve.length));
    await page.mouse.click(right.x, right.y);
    assert.deepEqual(await points(), [1, 0]);
    const ray = (slot) => page.evaluate(([{x, y}, index]) => window.sinewStudio.viewport
        .devicePoint({clientX: x, clientY: y}, index).x, [left, slot]);
    assert.ok(await ray(0) > -1 && await ray(0) < 1);
    assert.ok(await ray(1) < -1, 'the left half lies beside the right one');
    const picks = await page.evaluate(([{x, y}]) => {
        window.sinewStudio.viewport.orbit.zoom(0.2);
        const event = {clientX: x, clientY: y};
        return [0, 1].map((slot) => window.sinewStudio.viewport.pick(event, {slot}) !== null);
    }, [left]);
    await page.evaluate(() => window.sinewStudio.viewport.frameAll(false));
    assert.deepEqual(picks, [true, false], 'beyond the half nothing is hit');
    await page.mouse.click(left.x, left.y);
    assert.equal(await activeIndex(page), 0);
    assert.deepEqual(await points(), [0, 0], 'the click went over to the other half');
    await page.keyboard.press('q');
}

/** Switched off, the first is worked on; switched on again, it is beside itself as it is now. */
async function comesAnew({page, call}) {
    const button = page.getByRole('button', {name: 'Side by side'});
    await page.evaluate(() => window.sinewStudio.setActive(1));
    await button.click();
    assert.equal(await activeIndex(page), 0);
    await call('edit', {slot: 0, ops: [{path: '/about', value: 'as it is now'}], label: 'About'});
    await button.click();
    await drawn(page, 1);
    assert.equal(await page.evaluate(() => window.sinewStudio.slots[1].document.about),
        'as it is now');
    await call('close', {slot: 1});
    await page.waitForFunction(() => window.sinewStudio.slots[1].document === null);
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
}

studioTest('clicks select, the pointer shows names', drawing('arm'), async (studio) => {
    const {page} = studio;
    await drawn(page);
    const at = await middleOf(page, '/skins/skin');
    await page.mouse.move(at.x - 3, at.y);
    await page.mouse.move(at.x, at.y);
    const name = page.getByTestId('hover-name');
    await name.waitFor({state: 'visible'});
    assert.equal(await name.innerText(), 'skin');
    const before = await clearPicture(studio);
    await page.mouse.click(at.x, at.y);
    const selection = () => page.evaluate(() => window.sinewStudio.selection?.path ?? null);
    assert.equal(await selection(), '/skins/skin');
    await drawn(page);
    assert.ok(await studio.countDifferent(before, await clearPicture(studio)) > 100, 'it has a line');
    const part = await clearPart(page);
    await page.mouse.click(part.x + part.width - 4, part.y + 4);
    assert.equal(await selection(), null);

    await change(page, () => window.sinewStudio.viewport.setLayer('skin', 'clear'));
    const inside = await middleOf(page, '/muscles/biceps');
    await page.mouse.click(inside.x, inside.y);
    assert.equal(await selection(), '/muscles/biceps', 'a see-through skin lets clicks through');

    const visible = () => page.evaluate(() => [...window.sinewStudio.viewport.views[0].body
        .drawables.values()].filter(({group}) => group.visible).map(({surface}) => surface.path));
    const [all, view] = [await visible(), await viewState(page)];
    await page.keyboard.press('/');
    await drawn(page);
    assert.deepEqual(await visible(), ['/muscles/biceps']);
    assert.ok((await viewState(page)).distance < view.distance, 'the camera comes near');
    await page.getByRole('button', {name: 'Only biceps'}).click();
    await drawn(page);
    assert.deepEqual(await visible(), all);
    assert.ok(Math.abs((await viewState(page)).distance - view.distance) < 1e-9);
});

studioTest('picking tells triangle, place and rest point', {open: 'arm'}, async ({page, call}) => {
    await drawn(page);
    await call('seek', {frame: await page.evaluate(() => window.sinewStudio.time.last)});
    await page.waitForFunction(() =>
        window.sinewStudio.slots[0].frame.number === window.sinewStudio.time.last);
    await drawn(page);
    const at = await middleOf(page, '/skins/skin');
    const found = await page.evaluate(({x, y}) => {
        const event = {clientX: x, clientY: y};
        const {viewport, slots} = window.sinewStudio;
        const hit = viewport.pick(event, {layers: ['skin']});
        const {surface, triangle, bary} = hit;
        const corners = [0, 1, 2].map((k) => surface.triangles[3 * triangle + k]);
        const sum = (array) => [0, 1, 2].map((axis) => corners.reduce((total, corner, k) =>
            total + bary[k] * array[3 * corner + axis], 0));
        const {origin, direction} = viewport.ray(event);
        const away = hit.point.clone().sub(origin).cross(direction).length();
        return {path: surface.path, slot: hit.slot, bary, corners, vertex: hit.vertex, away,
            point: hit.point.toArray(), byPoints: sum(surface.points), rest: hit.rest.toArray(),
            byRest: sum(surface.rest), face: hit.face, faces: surface.triangleFaces.length,
            triangles: surface.triangles.length / 3,
            bones: viewport.pick(event, {layers: ['bone']}),
            front: hit.normal.dot(direction) < 0, known: slots[0].model.byPath(surface.path).name};
    }, at);
    assert.equal(found.path, '/skins/skin');
    assert.equal(found.known, 'skin');
    assert.ok(found.away < 1e-5, 'the place lies on the ray');
    found.point.forEach((x, k) => assert.ok(Math.abs(x - found.byPoints[k]) < 1e-6));
    found.rest.forEach((x, k) => assert.ok(Math.abs(x - found.byRest[k]) < 1e-6));
    assert.ok(Math.abs(found.bary[0] + found.bary[1] + found.bary[2] - 1) < 1e-9);
    assert.ok(found.corners.includes(found.vertex));
    assert.equal(found.faces, found.triangles);
    assert.ok(found.front, 'the near side is hit');
    assert.equal(found.bones, null, 'layers that are not shown are not hit');
});

studioTest('it draws when something changed, unless paused', drawing('arm'), async (studio) => {
    const {page, call} = studio;
    await drawn(page);
    const count = () => page.evaluate(() => window.sinewStudio.viewport.drawn);
    const before = await count();
    await page.evaluate(async () => {
        for (let turn = 0; turn < 60; ++turn) {
            await new Promise((resolve) => requestAnimationFrame(resolve));
        }
    });
    assert.equal(await count(), before, 'a picture that rests is not drawn again');
    await page.evaluate(() => {
        const {viewport, wire} = window.sinewStudio;
        viewport.paused = true;
        window.frames = 0;
        wire.onBytes(() => {
            ++window.frames;
        });
    });
    await call('play');
    await page.waitForFunction(() => window.frames > 20);
    assert.equal(await count(), before, 'frames come, nothing is drawn');
    await call('stop');
    await page.evaluate(() => {
        window.sinewStudio.viewport.paused = false;
    });
    await drawn(page);
    assert.ok(await count() > before);
});

studioTest('what was lost comes back', drawing('arm'), async (studio) => {
    const {page, expectError} = studio;
    expectError(/context lost|CONTEXT_LOST/i);
    await drawn(page);
    const before = await clearPicture(studio);
    const alive = (state) => page.waitForFunction(
        (wanted) => window.sinewStudio.viewport.screen.alive === wanted, state);
    await page.evaluate(() => window.sinewStudio.viewport.screen.renderer.forceContextLoss());
    await alive(false);
    await page.evaluate(() => window.sinewStudio.viewport.screen.renderer.forceContextRestore());
    await alive(true);
    await drawn(page);
    assert.equal(await studio.countDifferent(before, await clearPicture(studio)), 0);

    await page.evaluate(() => {
        window.states = [];
        window.sinewStudio.on('connection', (state) => window.states.push(state));
        window.sinewStudio.on('ready', () => window.states.push('ready'));
        window.sinewStudio.wire.reconnect();
    });
    await page.waitForFunction(() => window.states.join() === 'lost,open,ready');
    await drawn(page);
    assert.equal(await studio.countDifferent(before, await clearPicture(studio)), 0);
});

const SIZES = [['arm', 1920, 1080], ['rex', 1280, 720]];
for (const [name, width, height] of SIZES) {
    studioTest(`${name} at ${width}x${height}`, {open: name, width, height}, async (studio) => {
        await drawn(studio.page);
        const shown = await clearPicture(studio);
        await change(studio.page, () => window.sinewStudio.viewport.setLayer('skin', 'hidden'));
        assert.ok(await studio.countDifferent(shown, await clearPicture(studio)) > 2000);
        await change(studio.page, () => window.sinewStudio.viewport.setLayer('skin', 'shown'));
        await studio.screenshot(`${name}-${width}`);
        await change(studio.page, () => window.sinewStudio.theme.toggle());
        await studio.screenshot(`${name}-${width}-other`);
    });
}
