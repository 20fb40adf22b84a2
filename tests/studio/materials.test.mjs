// SPDX-License-Identifier: Apache-2.0
//
// Materials in the viewport: colours of the shipped person, an image on a surface with a seam, and
// alpha; and that they can be turned off.
import {studioTest} from './harness.mjs';
import {change, drawn} from './viewing.mjs';
import assert from 'node:assert/strict';
import {mkdir, writeFile} from 'node:fs/promises';
import {deflateSync} from 'node:zlib';

/** The mean colour of some pixels around a point of the world: [red, green, blue], 0 to 255. */
async function colorAt(studio, point) {
    const at = await studio.page.evaluate((place) => {
        const {viewport} = window.sinewStudio;
        const {x, y} = viewport.project(viewport.camera.position.clone().fromArray(place));
        const canvas = viewport.canvas.getBoundingClientRect();
        return {x: canvas.left + x, y: canvas.top + y};
    }, point);
    const clip = {x: Math.round(at.x) - 2, y: Math.round(at.y) - 2, width: 5, height: 5};
    return studio.page.evaluate(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const {data} = context.getImageData(0, 0, bitmap.width, bitmap.height);
        return [0, 1, 2].map((k) => {
            let sum = 0;
            for (let i = k; i < data.length; i += 4) {
                sum += data[i];
            }
            return Math.round(4 * sum / data.length);
        });
    }, await studio.picture(clip));
}

function crc32(bytes) {
    let crc = ~0;
    for (const byte of bytes) {
        crc ^= byte;
        for (let k = 0; k < 8; ++k) {
            crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc >>> 0;
}

/** A PNG of some colours side by side, [red, green, blue, alpha] each. */
function png(colors, width = 16, height = 4) {
    const chunk = (type, data) => {
        const body = Buffer.concat([Buffer.from(type), data]);
        const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
        length.writeUInt32BE(data.length);
        check.writeUInt32BE(crc32(body));
        return Buffer.concat([length, body, check]);
    };
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([8, 6, 0, 0, 0], 8);
    const row = [0, ...Array.from({length: width}, (_, x) =>
        colors[Math.floor(x * colors.length / width)]).flat()];
    const rows = Buffer.from(Array.from({length: height}, () => row).flat());
    return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', header),
        chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

async function importModel(studio, path) {
    const {page} = studio;
    await studio.call('import', {slot: 0, path});
    await page.waitForFunction(() => window.sinewStudio.slots[0].model !== null &&
        window.sinewStudio.slots[0].model.surfaces.every(({points}) => points !== null));
    await change(page, () => window.sinewStudio.viewport.setView('front', false));
    await change(page, () => window.sinewStudio.viewport.frameAll(false));
}

/** Waits until the images of all materials are decoded. */
const pictured = async (page) => {
    await page.waitForFunction(() => [...window.sinewStudio.viewport.views[0].body.drawables.values()]
        .every(({runs, materials}) => runs.every(({material}, i) => material?.image === undefined ||
            materials[i].uniforms.uImage.value !== null)));
    await drawn(page);
};

const SHIRT = [0, 1.25, 0.15], SHORTS = [0.09, 0.75, 0.09], SHIN = [0.13, 0.35, 0.04];

studioTest('a person is seen in the colours of its materials, or in the look of skin',
    {open: 'person'}, async (studio) => {
        const {page} = studio;
        await drawn(page);
        await change(page, () => window.sinewStudio.viewport.setView('front', false));
        const [shirt, shorts, skin] = [await colorAt(studio, SHIRT), await colorAt(studio, SHORTS),
            await colorAt(studio, SHIN)];
        await studio.screenshot('materials');
        assert.ok(shirt[2] > shirt[0] + 40, `the shirt is blue: ${shirt}`);
        assert.ok(Math.max(...shorts) < 130, `the shorts are dark: ${shorts}`);
        assert.ok(skin[0] > skin[2] + 30, `the skin is not: ${skin}`);

        const button = page.getByRole('button', {name: 'Materials'});
        assert.equal(await button.getAttribute('aria-pressed'), 'true');
        await page.getByTestId('viewport').focus();
        await page.keyboard.press('Shift+Z');
        await drawn(page);
        assert.equal(await button.getAttribute('aria-pressed'), 'false');
        const plain = await colorAt(studio, SHIRT);
        await studio.screenshot('no-materials');
        assert.ok(plain[0] > plain[2] + 30, `without materials it has the look of skin: ${plain}`);

        await button.click();
        await drawn(page);
        assert.deepEqual(await colorAt(studio, SHIRT), shirt);
        // A quantity is shown in place of the materials.
        await change(page, () => window.sinewStudio.viewport.setQuantity({name: 'stretch'}));
        assert.notDeepEqual(await colorAt(studio, SHIRT), shirt);
    });

const uri = (type, bytes) => `data:${type};base64,${bytes.toString('base64')}`;

// Two squares share an edge and an image, red and blue, that lies elsewhere on each of them: the
// vertices of the edge have two texture coordinates.
function seamModel() {
    const points = [-1, 0, 0, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1, 0, 0, 1, 1, 0];
    const floats = Buffer.from(Float32Array.from([...points, ...Array(12).fill(0.25)]).buffer);
    const indices = Buffer.from(Uint16Array.from([0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2]).buffer);
    const data = Buffer.concat([floats, indices]);
    const moved = {KHR_texture_transform: {offset: [0.5, 0]}};
    const material = (extensions) => ({pbrMetallicRoughness: {
        baseColorTexture: {index: 0, ...extensions}}});
    const part = (number) => ({attributes: {POSITION: 0, TEXCOORD_0: 1}, indices: 2 + number,
        material: number});
    const list = (byteOffset) => ({bufferView: 1, byteOffset, componentType: 5123, count: 6,
        type: 'SCALAR'});
    return {
        asset: {version: '2.0'}, scene: 0, scenes: [{nodes: [0]}], nodes: [{mesh: 0}],
        extensionsUsed: ['KHR_texture_transform'],
        buffers: [{byteLength: data.length, uri: uri('application/octet-stream', data)}],
        bufferViews: [{buffer: 0, byteLength: floats.length},
            {buffer: 0, byteOffset: floats.length, byteLength: indices.length}],
        accessors: [
            {bufferView: 0, componentType: 5126, count: 6, type: 'VEC3', min: [-1, 0, 0],
                max: [1, 1, 0]},
            {bufferView: 0, byteOffset: 72, componentType: 5126, count: 6, type: 'VEC2'},
            list(0), list(12)],
        images: [{uri: uri('image/png', png([[220, 20, 20, 255], [20, 20, 220, 255]]))}],
        textures: [{source: 0}], materials: [material({}), material({extensions: moved})],
        meshes: [{primitives: [part(0), part(1)]}],
    };
}

studioTest('an image lies on a surface with a seam', {}, async (studio) => {
    const {page, server} = studio;
    await mkdir(server.path('seam'));
    await writeFile(server.path('seam', 'seam.gltf'), JSON.stringify(seamModel()));
    await importModel(studio, server.path('seam', 'seam.gltf'));
    await pictured(page);
    await studio.screenshot('seam');
    const {vertices, copies, images} = await page.evaluate(() => {
        const [surface] = window.sinewStudio.slots[0].model.surfaces;
        return {vertices: surface.vertexCount, copies: surface.copies.length,
            images: surface.images.length};
    });
    assert.deepEqual([vertices, copies, images], [6, 2, 1], 'two vertices are drawn twice');
    for (const [x, strong, weak] of [[-0.7, 0, 2], [-0.05, 0, 2], [0.05, 2, 0], [0.7, 2, 0]]) {
        const color = await colorAt(studio, [x, 0.5, 0]);
        assert.ok(color[strong] > color[weak] + 80, `at ${x}: ${color}`);
    }
});

// A red square behind; before it a square with an image that is green on the left and clear on the
// right.
function clearModel(mode) {
    const square = (size, z) => [-size, 0, z, size, 0, z, size, 1, z, -size, 1, z];
    const numbers = [...square(1, 0), ...square(1, 0.2), 0, 1, 1, 1, 1, 0, 0, 0];
    const floats = Buffer.from(Float32Array.from(numbers).buffer);
    const indices = Buffer.from(Uint16Array.from([0, 1, 2, 0, 2, 3]).buffer);
    const data = Buffer.concat([floats, indices]);
    const image = png([[20, 200, 20, 255], [20, 200, 20, 0]]);
    const corner = (z) => ({min: [-1, 0, z], max: [1, 1, z]});
    return {
        asset: {version: '2.0'}, scene: 0, scenes: [{nodes: [0, 1]}],
        nodes: [{mesh: 0, name: 'back'}, {mesh: 1, name: 'front'}],
        buffers: [{byteLength: data.length, uri: uri('application/octet-stream', data)}],
        bufferViews: [{buffer: 0, byteLength: floats.length},
            {buffer: 0, byteOffset: floats.length, byteLength: indices.length}],
        accessors: [
            {bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', ...corner(0)},
            {bufferView: 0, byteOffset: 48, componentType: 5126, count: 4, type: 'VEC3',
                ...corner(Math.fround(0.2))},
            {bufferView: 0, byteOffset: 96, componentType: 5126, count: 4, type: 'VEC2'},
            {bufferView: 1, componentType: 5123, count: 6, type: 'SCALAR'}],
        images: [{uri: uri('image/png', image)}], textures: [{source: 0}],
        materials: [
            {name: 'red', pbrMetallicRoughness: {baseColorFactor: [0.7, 0.01, 0.01, 1]}},
            {name: 'half', alphaMode: mode, pbrMetallicRoughness: {baseColorTexture: {index: 0}}}],
        meshes: [{primitives: [{attributes: {POSITION: 0}, indices: 3, material: 0}]},
            {primitives: [{attributes: {POSITION: 1, TEXCOORD_0: 2}, indices: 3, material: 1}]}],
    };
}

for (const mode of ['MASK', 'BLEND']) {
    studioTest(`what an image leaves clear is seen through (${mode})`, {}, async (studio) => {
        const {page, server} = studio;
        await mkdir(server.path('clear'));
        await writeFile(server.path('clear', 'clear.gltf'), JSON.stringify(clearModel(mode)));
        await importModel(studio, server.path('clear', 'clear.gltf'));
        await pictured(page);
        await studio.screenshot(`alpha-${mode.toLowerCase()}`);
        const [left, right] = [await colorAt(studio, [-0.5, 0.5, 0.2]),
            await colorAt(studio, [0.5, 0.5, 0])];
        assert.ok(left[1] > left[0] + 60, `the image is green: ${left}`);
        assert.ok(right[0] > right[1] + 60, `behind it is red: ${right}`);
    });
}

studioTest('of a damaged image the base colour is left, and a message names its material', {},
    async (studio) => {
        const {page, server} = studio;
        const model = clearModel('OPAQUE');
        model.images[0].uri = uri('image/png', png([[20, 200, 20, 255]]).subarray(0, 30));
        model.materials[1].pbrMetallicRoughness.baseColorFactor = [0.02, 0.02, 0.7, 1];
        await mkdir(server.path('damaged'));
        await writeFile(server.path('damaged', 'damaged.gltf'), JSON.stringify(model));
        await importModel(studio, server.path('damaged', 'damaged.gltf'));
        await page.getByText('The image of the material "half" cannot be shown').first().waitFor();
        const color = await colorAt(studio, [0.5, 0.5, 0.2]);
        assert.ok(color[2] > color[0] + 60, `the base colour is blue: ${color}`);
    });
