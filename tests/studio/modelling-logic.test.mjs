// SPDX-License-Identifier: Apache-2.0
//
// What the modelling tools compute, without a page: curves, places on bones, joints, slices.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, test} from 'node:test';
import {ROTATIONS} from '../../apps/studio/web/src/document/joints.js';
import {apply} from '../../apps/studio/web/src/document/ops.js';
import {reasonAgainst} from '../../apps/studio/web/src/make/reasons.js';
import {layoutText} from '../../apps/studio/web/src/make/texts.js';
import * as curves from '../../apps/studio/web/src/tools/draw-curves.js';
import {Drawing} from '../../apps/studio/web/src/tools/draw-state.js';
import {FaceState} from '../../apps/studio/web/src/tools/face-state.js';
import * as fit from '../../apps/studio/web/src/tools/cylinder-fit.js';
import * as places from '../../apps/studio/web/src/tools/cylinder-places.js';
import * as slices from '../../apps/studio/web/src/tools/cylinder-slices.js';
import * as muscles from '../../apps/studio/web/src/tools/draw-muscle.js';
import * as fibre from '../../apps/studio/web/src/tools/fibre-maths.js';
import * as labels from '../../apps/studio/web/src/tools/label-places.js';
import {namesTaken, renameMuscleOps} from '../../apps/studio/web/src/tools/muscle-names.js';
import * as mirror from '../../apps/studio/web/src/tools/mirror-plan.js';
import * as keys from '../../apps/studio/web/src/tools/pose-keys.js';
import * as pose from '../../apps/studio/web/src/tools/pose-maths.js';
import * as v from '../../apps/studio/web/src/tools/vectors.js';

const root = new URL('../../', import.meta.url);
const character = (name) => JSON.parse(
    readFileSync(new URL(`examples/${name}/${name}.sinew.json`, root), 'utf8'));

const schema = JSON.parse(readFileSync(new URL('docs/character.schema.json', root), 'utf8'));

const near = (a, b, tolerance = 1e-9) => {
    [a].flat().forEach((x, i) => {
        const y = [b].flat()[i];
        assert.ok(Math.abs(x - y) <= tolerance, `${x} is not ${y}`);
    });
};

/** Numbers that look random and are the same every time. */
function* sequence(seed) {
    for (let x = seed; ;) {
        x = (x * 1664525 + 1013904223) % 4294967296;
        yield x / 4294967296;
    }
}

const circle = (n, radius = 1) => Array.from({length: n}, (_, i) => {
    const a = (2 * Math.PI * i) / n;
    return [radius * Math.cos(a), radius * Math.sin(a), 0];
});

describe('curves', () => {
    test('equal lengths, ends kept', () => {
        const line = [[0, 0, 0], [1, 0, 0], [1, 3, 0]];
        const even = curves.resample(line, 5);
        assert.deepEqual(even, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0]]);
    });

    test('a closed curve does not repeat its first point', () => {
        const even = curves.resample([[0, 0], [1, 0], [1, 1], [0, 1]], 8, true);
        assert.equal(even.length, 8);
        near(even[7], [0, 0.5]);
    });

    test('a curve in one place', () => {
        assert.deepEqual(curves.resample([[1, 2, 3], [1, 2, 3]], 3), Array(3).fill([1, 2, 3]));
    });

    test('the smooth line goes through all points and is round', () => {
        const points = circle(12);
        const line = curves.smooth(points, true, 8);
        points.forEach((p, i) => near(line[8 * i], p));
        line.forEach((p) => near(v.length(p), 1, 3e-3));
        near(line[line.length - 1], points[0]);
    });

    test('a line drawn by hand becomes few points that keep its shape', () => {
        const straight = Array.from({length: 60}, (_, i) => [i / 59, 0, 0]);
        assert.equal(curves.fromFreehand(straight).length, 3);
        const wave = Array.from({length: 90}, (_, i) => [i / 89, 0.1 * Math.sin(i / 10), 0]);
        const points = curves.fromFreehand(wave);
        assert.ok(points.length > 4 && points.length < 24, `${points.length} points`);
        const line = curves.smooth(points);
        const worst = Math.max(...wave.map((p) => curves.nearestOnLine(line, p).distance));
        assert.ok(worst < 0.012, `${worst}`);
    });

    test('a new point goes between its neighbours, also across the seam of a ring', () => {
        const points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
        assert.equal(curves.nearestOnLine(points, [1.1, 0.4, 0]).piece, 1);
        assert.equal(curves.nearestOnLine(points, [-0.1, 0.5, 0], true).piece, 3);
    });

    test('a curve that runs against the other is seen, open and closed', () => {
        const a = [[0, 0, 0], [1, 0, 0]];
        assert.equal(curves.runsAgainst(a, [[0, 1, 0], [1, 1, 0]]), false);
        assert.equal(curves.runsAgainst(a, [[1, 1, 0], [0, 1, 0]]), true);
        assert.equal(curves.runsAgainst(circle(8), circle(8, 2), true), false);
        assert.equal(curves.runsAgainst(circle(8), circle(8, 2).reverse(), true), true);
    });
});

describe('what is drawn', () => {
    const drawn = (first, second, closed = false) => {
        const drawing = new Drawing();
        drawing.closed = closed;
        first.forEach((p) => drawing.add(p));
        drawing.next();
        second.forEach((p) => drawing.add(p));
        return drawing;
    };
    const [a, b] = [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0]]];

    test('it says what is missing', () => {
        const drawing = drawn(a, b.slice(0, 1));
        assert.equal(drawing.complete, false);
        assert.equal(drawing.advice(), 'The second curve needs two points. It has one.');
        drawing.add(b[1]);
        assert.equal(drawing.complete, true);
        assert.match(drawing.advice(), /^The muscle is there/);
    });

    test('a ring needs three points a curve', () => {
        const drawing = drawn(circle(3), circle(3, 2).slice(0, 2), true);
        assert.equal(drawing.advice(), 'A ring’s second curve needs three points. It has two.');
    });

    test('a ring is a muscle when it has gone around', () => {
        const drawing = drawn(circle(6), circle(6, 2).slice(0, 4), true);
        assert.equal(drawing.complete, true);
        assert.equal(drawing.ready, false);
        drawing.add(circle(6, 2)[4]);
        assert.equal(drawing.ready, true);
    });

    test('undo takes back a point, or a whole line drawn by hand', () => {
        const drawing = new Drawing();
        a.forEach((p) => drawing.add(p));
        drawing.undo();
        assert.deepEqual(drawing.curves[0], [a[0]]);
        drawing.undo();
        drawing.addFreehand(Array.from({length: 20}, (_, i) => [i, 0, 0]));
        drawing.next();
        drawing.undo();
        assert.equal(drawing.empty, true);
        assert.equal(drawing.current, 0);
        drawing.undo();
        assert.equal(drawing.empty, true);
    });

    test('the first curve is not left with one point', () => {
        const drawing = new Drawing();
        drawing.add(a[0]);
        assert.equal(drawing.next(), false);
        assert.equal(drawing.current, 0);
    });

    test('points are taken back through both curves', () => {
        const drawing = drawn(a, b);
        const back = Array.from({length: 5}, () => drawing.removeLast());
        assert.deepEqual(back, [b[1], b[0], a[1], a[0], null]);
        assert.equal(drawing.empty, true);
    });

    test('a second curve drawn the other way is turned round in the document', () => {
        const drawing = drawn(a, b.slice().reverse());
        assert.deepEqual(drawing.written(), [a, b]);
        assert.deepEqual(drawing.curves[1], b.slice().reverse());
    });

    test('a point on the curve is put between its neighbours', () => {
        const drawing = drawn(a, b);
        assert.equal(drawing.insert(0, [0.5, 0.01, 0]), 1);
        assert.deepEqual(drawing.curves[0], [[0, 0, 0], [0.5, 0.01, 0], [1, 0, 0]]);
        assert.equal(drawing.canRemove(0), true);
        assert.equal(drawing.canRemove(1), false);
    });

    test('a ring contracts to the middle of its inner curve', () => {
        near(drawn(circle(8, 2), circle(8), true).middle(), [0, 0, 0], 1e-9);
    });
});

describe('labels of curves', () => {
    const area = {low: [0, 0], high: [800, 600]};
    const size = [50, 20];
    const inside = (box, p) => [0, 1].every((i) => p[i] > box.low[i] && p[i] < box.high[i]);
    const apart = (a, b) => [0, 1].some((i) => a.high[i] <= b.low[i] || b.high[i] <= a.low[i]);
    const place = (curves, closed, boxes = []) => {
        const points = labels.musclePoints(curves, closed);
        const anchors = curves.map((c, i) => labels.curveAnchors(c, curves[1 - i] ?? [], closed));
        const found = labels.placeLabels(anchors.map((each) => ({anchors: each, size})),
            {area, points, boxes});
        found.filter((each) => each !== null).forEach(({box}) => {
            points.forEach((p) => assert.ok(!inside(box, p), `${p} is below ${box.low}`));
            boxes.forEach((other) => assert.ok(apart(box, other)));
        });
        return found;
    };
    const [a, b] = [[[300, 200], [320, 300], [300, 400]], [[360, 200], [380, 300], [360, 400]]];

    test('stand at the outer ends, beside the muscle and apart from each other', () => {
        const [first, second] = place([a, b], false);
        assert.ok(apart(first.box, second.box));
        assert.deepEqual([first.anchor.point, second.anchor.point], [a[0], b[0]]);
        place([a, b.slice().reverse()], false);
        assert.notEqual(place([a], false)[0], null);
        assert.notEqual(place([a.slice(0, 1)], false)[0], null);
    });

    test('of rings stand outside, too', () => {
        const ring = (r) => circle(16, r).map(([x, y]) => [400 + x, 300 + y]);
        const [inner, outer] = place([ring(30), ring(60)], true);
        [inner, outer].forEach(({box}) => ring(60).forEach((p) => assert.ok(!inside(box, p))));
        assert.ok(apart(inner.box, outer.box));
        const dots = circle(8, 60).map(([x, y]) => [400 + x, 300 + y]);
        const [{anchor}] = labels.placeLabels([{anchors: labels.curveAnchors(ring(30), [], true),
            size}], {area, points: labels.musclePoints([ring(30), ring(60)], true), boxes: [], dots});
        assert.notDeepEqual(anchor.point, ring(30)[0], 'the line runs between the handles');
    });

    test('keep away from panels, and are left out where there is no room', () => {
        const panel = {low: [0, 0], high: [800, 190]};
        assert.deepEqual(place([a, b], false, [panel]).map((each) => each !== null), [true, true]);
        assert.deepEqual(place([a, b], false, [area]), [null, null]);
    });
});

describe('joints', () => {
    const orders = ['xyz', 'xzy', 'yxz', 'yzx', 'zxy', 'zyx'];
    const angles = [0.4, -0.7, 1.1];
    const frame = v.fromColumns(...[0, 1, 2].map((i) => {
        return v.columnOf(pose.jointRotation([0.3, 0.9, -0.4], 'yxz'), i);
    }), [1, 2, 3]);
    const worldAt = (q, order) => v.multiply(frame, pose.jointRotation(q, order));

    test('intrinsic: the first turns all, the last only what is behind it', () => {
        near(v.columnOf(pose.jointRotation([Math.PI / 2, 0, Math.PI / 2], 'xyz'), 0), [0, 0, 1]);
        near(v.columnOf(pose.jointRotation([Math.PI / 2, 0, Math.PI / 2], 'zyx'), 0), [0, 1, 0]);
    });

    for (const order of orders) {
        test(`an angle of order ${order} turns about the axis that its ring shows`, () => {
            const axes = pose.rotationAxes(worldAt(angles, order), angles, order);
            ROTATIONS.forEach((name, i) => {
                const more = angles.slice();
                more[i] += 0.2;
                const [before, after] = [worldAt(angles, order), worldAt(more, order)];
                for (let k = 0; k < 3; ++k) {
                    const turned = v.turn(v.columnOf(before, k), axes[name], 0.2);
                    near(turned, v.columnOf(after, k), 1e-12);
                }
            });
        });
    }

    test('a scaled segment has the same axes', () => {
        const world = worldAt(angles, 'xzy');
        const larger = world.map((x, i) => (i < 12 ? 3 * x : x));
        const [a, b] = [world, larger].map((w) => pose.rotationAxes(w, angles, 'xzy'));
        ROTATIONS.forEach((name) => near(a[name], b[name], 1e-12));
    });

    test('limits are obeyed, and none means free', () => {
        assert.equal(pose.limited(3, [0, 2]), 2);
        assert.equal(pose.limited(-3, [0, 2]), 0);
        assert.equal(pose.limited(-3, null), -3);
        assert.equal(pose.isFree([0, 0]), false);
        assert.equal(pose.isFree(null), true);
    });

    test('arrows: where limits leave room, and all of a root', () => {
        const limits = Array(9).fill(null);
        limits[4] = [0, 0.1];
        limits[5] = [0, 0];
        assert.deepEqual(pose.freeTranslations({limits, root: false}), ['ty']);
        assert.deepEqual(pose.freeTranslations({limits, root: true}), ['tx', 'ty']);
    });

    const eye = [0, 0, 10];
    const rayTo = (p) => ({origin: eye, direction: v.unit(v.sub(p, eye))});
    const project = (p) => [(100 * p[0]) / (10 - p[2]), (-100 * p[1]) / (10 - p[2])];

    test('dots that crowd are smaller, and one stands for those at its place', () => {
        const pixels = [[0, 0], [100, 0], [109, 0], [118, 0], [119, 1], [300, 0]];
        assert.deepEqual(pose.dotRadii(pixels), [5, 3, 3, 3, 0, 5]);
        const chosen = pose.dotRadii(pixels, 4);
        assert.deepEqual(chosen, [5, 3, 3, 0, 7, 5], 'the chosen one is always seen');
        assert.deepEqual(pose.dotRadii([[3, 3]]), [5]);
    });

    test('a ring follows the pointer, also by more than a turn', () => {
        const drag = new pose.RingDrag({center: [0, 0, 0], axis: [0, 0, 1], grip: [1, 0, 0],
            ray: rayTo([1, 0, 0]), pixel: project([1, 0, 0]), project});
        let turned = 0;
        for (let a = 0; a <= 7.5; a += 0.1) {
            const p = [Math.cos(a), Math.sin(a), 0];
            turned = drag.moved(rayTo(p), project(p));
        }
        near(turned, 7.5, 0.1);
    });

    test('a ring seen from its edge is turned along the screen', () => {
        const grip = [0, 0, 1];
        const drag = new pose.RingDrag({center: [0, 0, 0], axis: [0, 1, 0], grip,
            ray: rayTo(grip), pixel: project(grip), project});
        const to = [Math.sin(0.1), 0, Math.cos(0.1)];
        near(drag.moved(rayTo(to), project(to)), 0.1, 0.002);
    });

    test('an arrow follows the pointer along its axis', () => {
        const [a, b] = [[0.2, 0, 0], [0.7, 0, 0]].map((p) => {
            return pose.alongAxis(rayTo(p), [0, 0, 0], [2, 0, 0]);
        });
        near(b - a, 0.25, 1e-9);
    });

    test('the arc of the limits begins where the bone stands at the lowest angle', () => {
        const [axis, bone] = [[0, 0, 1], v.turn([0, 1, 0], [0, 0, 1], 0.5)];
        const zero = pose.zeroDirection(axis, bone, 0.5);
        near(zero, [0, 1, 0]);
        const arc = pose.arc([0, 0, 0], axis, zero, 2, 0, Math.PI / 2);
        near(arc[0], [0, 2, 0]);
        near(arc[arc.length - 1], [-2, 0, 0]);
    });
});

describe('places on bones', () => {
    const rest = Float32Array.from([0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0, 4, 2, 0, 4, 2, 1, 4]);
    const motion = v.fromColumns([0, 1, 0], [-1, 0, 0], [0, 0, 1], [5, 6, 7]);
    const points = Float32Array.from(Array.from({length: 7}, (_, i) => {
        return v.transform(motion, v.pointAt(rest, i));
    }).flat());
    const surface = {name: 'humerus', segment: 'arm', rest, points};
    const model = {segments: [
        {name: 'arm', parent: null, rest: [0, 0, 0, 0, 0, 0, 1, 1, 1]},
        {name: 'hand', parent: 'arm', rest: [0, 0, 0, 0, 0, 0, 1, 1, 1]},
    ]};
    const hand = v.multiply(motion, v.fromColumns([1, 0, 0], [0, 1, 0], [0, 0, 1], [3, 4, 12]));
    const frame = {worlds: Float32Array.from([...motion, ...hand]), joints: new Float64Array(18)};

    test('one matrix leads from rest to the pose', () => {
        const found = places.boneMotion(surface);
        near(v.transform(found, [1, 0.5, 2]), v.transform(motion, [1, 0.5, 2]), 1e-6);
    });

    test('a click is a place in the bone’s box, and is shown where it was clicked', () => {
        const document = {bones: {humerus: {mesh: 'm', segment: 'arm'}}};
        const place = places.attachment(surface, [1, 0.25, 3], document, model, frame);
        assert.deepEqual(place, {bone: 'humerus', at: [0.5, 0.25, 0.75]});
        const shown = places.attachmentPoint(place, [surface], document, model, frame);
        near(shown, v.transform(motion, [1, 0.25, 3]), 1e-6);
    });

    test('the size of a segment is that of the box over its children', () => {
        near(places.segmentSize(model, frame, 0), 13, 1e-5);
        near(places.segmentSize(model, frame, 1), 13, 1e-5);
    });

    test('a pivot in units of the size goes to and fro', () => {
        const place = {segment: 'arm', at: [0.1, 0.2, -0.3], frame: 'size'};
        const point = places.segmentPoint(place, model, frame);
        near(places.segmentAt(place, point, model, frame), place.at, 2e-6);
    });

    test('repeated and mirrored bones find their entry', () => {
        const bones = {'rib #.L': {tube: {}, mirror: true}, skull: {mesh: 'm'}};
        const entry = (name, path) => places.boneEntry({bones}, {name, path});
        assert.equal(entry('rib 12.R', '/bones/rib #.L'), bones['rib #.L']);
        assert.equal(entry('skull', null), bones.skull);
        assert.equal(entry('jaw', null), null);
    });

    test('origins are those nearer to the root, whatever was clicked first', () => {
        const clicks = ['hand', 'hand', 'arm', 'arm'].map((segment, i) => ({segment, i}));
        const {origins, insertions, swapped} = places.inOrder(model, clicks, 2);
        assert.deepEqual(origins.map((c) => c.i), [2, 3]);
        assert.deepEqual(insertions.map((c) => c.i), [0, 1]);
        assert.equal(swapped, true);
    });
});

describe('slices', () => {
    const around = 8;
    const slice = (x, y, wide, thick, center) => Array.from({length: around}, (_, j) => {
        const a = (2 * Math.PI * j) / around;
        return v.add(center, v.sub(v.scale(x, (Math.sin(a) * wide) / 2),
            v.scale(y, (Math.cos(a) * thick) / 2)));
    }).flat();
    const x = v.unit([1, 2, 0]);
    const y = v.unit([-2, 1, 0]);
    const points = Float64Array.from([
        ...slice(x, y, 0.2, 0.1, [0, 0, 0]), ...slice(x, y, 0.6, 0.4, [0, 0, 1]),
        ...slice(x, y, 0.2, 0.1, [0, 0, 2])]);
    const muscle = {kind: 'cylinder', slices: 3};

    test('are read from the mesh', () => {
        const [, middle] = slices.slicesOf({points}, muscle);
        near(middle.center, [0, 0, 1]);
        near(v.length(middle.wide), 0.3);
        near(v.length(middle.outer), 0.2);
        near(middle.x, x);
        near(middle.y, y);
        near(middle.z, [0, 0, 1]);
    });

    test('a rim that is dragged outwards makes the slice wider, not thicker', () => {
        const [, middle] = slices.slicesOf({points}, muscle);
        const [from, to] = [0.3, 0.45].map((r) => v.add(middle.center, v.scale(middle.x, r)));
        const entry = slices.resized(slices.shapeOf(muscle, 1), middle, 0, from, to);
        near(entry.scale, [1.5, 1]);
    });

    test('a centre that is dragged moves along the slice’s own axes', () => {
        const [, middle] = slices.slicesOf({points}, muscle);
        const by = v.add(v.scale(x, 0.1), v.scale(y, -0.2));
        near(slices.moved(slices.shapeOf(muscle, 1), middle, by, 1).move, [0.1, -0.2, 0]);
        near(slices.moved(slices.shapeOf(muscle, 1), middle, by, 2).move, [0.05, -0.1, 0]);
    });

    test('the document says only what is different', () => {
        const entry = {...slices.shapeOf(muscle, 1), scale: [1.5, 1]};
        assert.deepEqual(slices.withShape(muscle, entry), [{slice: 1, scale: [1.5, 1]}]);
        const shaped = {...muscle, shape: [{slice: 1, scale: [1.5, 1]}]};
        assert.deepEqual(slices.withShape(shaped, slices.shapeOf(muscle, 1)), []);
    });
});

describe('a muscle in the document', () => {
    const arm = character('arm');
    const rex = character('rex');

    test('a control of another muscle is no name for a new one', () => {
        assert.deepEqual(namesTaken({muscles: {a: {}}, controls: {b: {}}}), ['a', 'b']);
        assert.deepEqual(namesTaken(undefined), []);
    });

    test('how thick it is and how it slides is left to what all drawings share', () => {
        const drawing = Drawing.ofMuscle({curves: [[[0, 0, 0], [1, 0, 0]],
            [[0, 0.1, 0], [1, 0.1, 0]]]});
        const about = {name: 'a', skin: 's', size: 1};
        assert.deepEqual(Object.keys(muscles.addArguments(drawing, about)),
            ['name', 'skin', 'curves']);
        drawing.closed = true;
        assert.equal(muscles.addArguments(drawing, about).ends, 'closed');
    });

    test('a falloff of its own is changed where it is', () => {
        const next = apply(arm, muscles.falloffOps(arm, 'biceps', {d_none: 0.07}));
        assert.deepEqual(next.skins.skin.deformers[1],
            {kind: 'falloff', muscles: ['biceps'], d_full: 0.02, d_none: 0.07});
    });

    test('a falloff that others share is left to them', () => {
        const found = muscles.falloffOf(rex, 'cheek_left');
        const next = apply(rex, muscles.falloffOps(rex, 'cheek_left', {d_none: 0.3}));
        const stack = next.skins.skin.deformers;
        assert.deepEqual(stack[found.index].muscles, ['cheek_right']);
        assert.equal(stack[found.index].d_none, 0.2);
        assert.deepEqual(stack[found.index + 1],
            {kind: 'falloff', muscles: ['cheek_left'], d_full: 0.05, d_none: 0.3});
    });

    test('a driver comes, changes and goes', () => {
        const other = apply(arm, muscles.driverOps(arm, 'fist', 'hand.rx_deg', [[0, 0], [80, 1]]));
        assert.equal(other.drivers.length, 2);
        const changed = apply(arm, muscles.driverOps(arm, 'biceps', 'hand.rx_deg',
            [[0, 0], [80, 1]]));
        assert.deepEqual(changed.drivers.map((d) => d.parameter), ['hand.rx_deg']);
        assert.deepEqual(apply(arm, muscles.driverOps(arm, 'biceps', null, null)).drivers, []);
    });

    test('the first curve of a driver spans the limits of the joint', () => {
        const model = {segments: [{name: 'a.L', limits: {rx: [0, 150 / 57.29577951308232]}},
            {name: 'b', limits: {rx: [-2, 0.1]}}]};
        assert.deepEqual(muscles.firstCurve('a.L.rx_deg', model), [[0, 0], [150, 1]]);
        assert.deepEqual(muscles.firstCurve('b.rx', model), [[-2, 1], [0, 0]]);
    });

    test('another name is another name everywhere', () => {
        const before = structuredClone(rex);
        before.skins.skin.deformers.push({kind: 'morph', poses: [
            {follows: 'cheek_left.length', keys: []}]});
        const next = apply(before, renameMuscleOps(schema, before, 'cheek_left', 'jowl_left'));
        assert.equal(Object.keys(next.muscles)[0], 'jowl_left');
        assert.equal(next.skins.skin.deformers.at(-1).poses[0].follows, 'jowl_left.length');
        assert.equal(muscles.falloffOf(next, 'cheek_left'), null);
        assert.deepEqual(muscles.falloffOf(next, 'jowl_left').deformer.muscles,
            ['jowl_left', 'cheek_right']);
    });

    test('a control of its own is called after the muscle', () => {
        const drawn = {muscles: {muscle: {kind: 'patch', contraction: 'muscle', tension: 'muscle'}},
            controls: {muscle: {}}, drivers: [{control: 'muscle', parameter: 'hand.rx_deg'}]};
        const next = apply(drawn, renameMuscleOps(schema, drawn, 'muscle', 'triceps'));
        assert.deepEqual(next, {muscles: {triceps: {kind: 'patch', contraction: 'triceps',
            tension: 'triceps'}}, controls: {triceps: {}}, drivers: [
            {control: 'triceps', parameter: 'hand.rx_deg'}]});
        const shared = {muscles: {...drawn.muscles, other: drawn.muscles.muscle},
            controls: {muscle: {}}};
        assert.deepEqual(Object.keys(apply(shared,
            renameMuscleOps(schema, shared, 'muscle', 'triceps')).controls), ['muscle']);
    });

    test('all of the slide leaves no trace in the document', () => {
        const next = apply(arm, muscles.slideOps(arm, 'biceps', 1));
        assert.equal(next.muscles.biceps.vary, undefined);
        const half = apply(arm, muscles.slideOps(arm, 'biceps', 0.5));
        assert.equal(muscles.slideOf(half.muscles.biceps), 0.5);
    });
});

describe('poses', () => {
    const rest = [0, 0, 0, 0, 0, 0, 1, 1, 1];
    const model = {
        segments: [{name: 'a.L', rest}, {name: 'a.R', rest}],
        controls: [{name: 'curl', rest: 0, driven: false}, {name: 'smile', rest: 0, driven: false},
            {name: 'biceps', rest: 0, driven: true}],
    };
    const frame = {joints: Float64Array.from([...rest, ...rest]),
        controls: Float64Array.from([1, 0.5, 1])};
    frame.joints[1] = 0.25;
    const document = {clips: {pose: {}}, synergies: [
        {control: 'curl', spread: {'a.L.ry_deg': 10, 'a.L.rx': 0.5}, mirror: true}]};

    test('a clip of one frame has what differs from rest, without what is added again', () => {
        const {name, ops} = keys.poseClip(model, frame, document, 'pose');
        assert.equal(name, 'pose 2');
        assert.deepEqual(apply(document, ops).clips['pose 2'], {rate: 30, frames: 1,
            tracks: {'a.L.ry': {keys: [[0, 0.25]]}, smile: {keys: [[0, 0.5]]}}});
    });

    test('rest is held for all that moves', () => {
        assert.deepEqual(keys.restValues(model, frame), {'a.L.ry': 0, curl: 0, smile: 0});
    });

    test('what synergies add, in degrees, in radians and on the other side', () => {
        const share = (name) => keys.synergyShare(document, model, frame, name);
        near(share('a.L.ry'), 10 / 57.29577951308232);
        near(share('a.L.rx'), 0.5);
        near(share('a.R.ry'), -10 / 57.29577951308232);
        near(share('a.R.rx'), 0.5);
        near(share('a.R.rz'), 0);
    });
});

describe('mirror images', () => {
    const rex = character('rex');
    const monkey = character('monkey');

    test('a patch is drawn on the other side, muscles between bones are said once', () => {
        assert.deepEqual(mirror.planFor(rex, '/muscles/cheek_left'),
            {how: 'draw', name: 'cheek_right'});
        assert.deepEqual(mirror.planFor(monkey, '/muscles/biceps.L'), {how: 'say', on: true});
        assert.ok(mirror.planFor(rex, '/skins/skin').reason);
        assert.ok(mirror.planFor(rex, null).reason);
    });

    test('an image in the place of the muscle that has its name', () => {
        const patch = (x) => ({kind: 'patch', curves: [[[x, 0, 0]], []]});
        const document = {muscles: {'a.L': patch(1), 'a.R': patch(2), 'a.R image': patch(-1)},
            skins: {skin: {deformers: [{kind: 'falloff', muscles: ['a.R']},
                {kind: 'falloff', muscles: ['a.L', 'a.R image'], d_full: 1},
                {kind: 'falloff', muscles: ['a.R', 'b']}]}}};
        assert.deepEqual(apply(document, mirror.replaceOps(document, 'a.R image', 'a.R')),
            {muscles: {'a.L': patch(1), 'a.R': patch(-1)}, skins: {skin: {deformers: [
                {kind: 'falloff', muscles: ['a.L', 'a.R'], d_full: 1},
                {kind: 'falloff', muscles: ['b']}]}}});
        assert.equal(mirror.problemOf(document, 'a.L', 'a.R'), null);
        assert.match(mirror.problemOf(document, 'a.L', 'a.L'), /another name/);
        assert.match(mirror.problemOf(monkey, 'x', 'biceps.L'), /is not a muscle drawn/);
    });

    test('a point in a plane off the middle', () => {
        assert.deepEqual(mirror.reflected([1, 2, 3], 0, 0.25), [-0.5, 2, 3]);
    });

    test('a pose on the other side', () => {
        assert.deepEqual(mirror.mirroredPose({'arm.L.rx': 0.1, 'arm.L.rz': 0.2, smile: 1}),
            {'arm.R.rx': 0.1, 'arm.R.rz': -0.2});
    });
});

test('features of a face: the next that lacks, the side that was clicked, files', () => {
    const face = new FaceState();
    assert.equal(face.chosen, 'nose_tip');
    assert.equal(face.missing.length, 10);
    face.put([0.01, 0, 0.1]);
    assert.equal(face.chosen, 'lip_upper');
    face.chosen = 'eye_inner_L';
    face.put([-0.02, 0.03, 0.09]);
    assert.ok('eye_inner_R' in face.places, 'it lies on the right of the nose');
    assert.ok(face.has('eye_inner_L'));
    face.chosen = 'eye_inner_L';
    face.put([0.03, 0.03, 0.09]);
    assert.deepEqual(Object.keys(face.places), ['nose_tip', 'eye_inner_L'], 'one side is kept');
    face.remove('nose_tip');
    assert.equal(face.chosen, 'nose_tip');

    assert.match(face.read('{'), /not JSON/);
    assert.match(face.read('{}'), /neither/);
    assert.match(face.read('{"features": {"chin": [1, 2]}}'), /chin: expected/);
    assert.match(face.read('{"ibug68": [1, 2]}'), /68 points/);
    assert.equal(face.read('{"features": {"chin": 966}}'), null);
    assert.deepEqual(face.request('head', 0.5), {skin: 'head', depth: 0.5, features: {chin: 966}});
    assert.equal(face.missing.length, 9);
    assert.equal(face.read(JSON.stringify({ibug68: Array(68).fill(0)})), null);
    assert.equal(face.missing.length, 0);
});

test('what cannot be made says why', () => {
    const skin = {layer: 'skin', segment: null, path: '/skins/skin', name: 'skin'};
    const slot = {document: {skins: {skin: {deformers: [{kind: 'blend'}]}}},
        model: {surfaces: [skin], segments: [{}, {}]}};
    const reasons = (each) => ['muscles', 'face', 'driver'].map((what) => reasonAgainst(what, each));
    assert.deepEqual(reasons(slot), [null, null, null]);
    assert.deepEqual(reasons({...slot, model: {surfaces: [], segments: []}}).slice(0, 2),
        ['needs a skin', 'needs a skin']);
    assert.match(reasons({...slot, model: {...slot.model, segments: [{}]}})[0], /skeleton/);
    assert.match(reasons({...slot, document: {skins: {skin: {}, driver: {}}}})[2], /already/);
    assert.match(reasons({...slot, document: {skins: {skin: {}}}})[2], /blend/);
    assert.match(reasons({...slot, model: null})[1], /still loading/);
    assert.match(reasons({document: null, model: null})[1], /no character/);
});

test('what was made is told in a line', () => {
    assert.equal(layoutText({muscles: ['a']}), '1 muscle added.');
    const skipped = ['a', 'b', 'c', 'd'].map((name) => ({name, reason: 'too short'}));
    assert.equal(layoutText({muscles: ['x', 'y'], expressions: ['smile'], skipped}), '2 muscles and ' +
        '1 expression added. Left out: a (too short), b (too short), c (too short) and 1 more.');
});

test('a new muscle between bones is as large as there is room below the skin', () => {
    const ends = {
        origins: [[-0.01, 1, 0], [0.01, 1, 0]],
        insertions: [[0, 0.7, 0], [0.01, 0.7, 0]],
    };
    // A limb whose skin is 2 cm away from the line, with the inner cap of a joint in the middle.
    const limb = ([, y]) => (Math.abs(y - 0.85) < 0.02 ? 0.001 : 0.02);
    const {width, d_full: full, d_none: none} = fit.fitMuscle('cylinder', ends, limb);
    assert.ok(width > 0.02 && width < 0.04, `${width}`);
    assert.ok(Math.hypot(width / 2, 0.3 * width) < 0.02, 'the rim stays below the skin');
    assert.ok(full >= 0.02 - 0.6 * width && none > full && none < 0.04);
    // In a trunk the muscle has the width of its kind: 0.12 of its length and that of its ends.
    const large = fit.fitMuscle('cylinder', ends, () => 0.3);
    assert.ok(Math.abs(large.width - (0.12 * 0.3 + 0.015)) < 1e-3, `${large.width}`);
    assert.ok(large.d_full > 0.3 - large.width, 'the skin is in reach');
    assert.ok(fit.fitMuscle('ellipsoid', ends, () => 0).width > 0);
});

test('the skin over a new muscle follows it', () => {
    const distances = {d_full: 0.01, d_none: 0.03};
    const falloff = {kind: 'falloff', muscles: ['m'], ...distances};
    const ops = (skin) => fit.followOps({skins: {a: skin}}, 'a', ['m'], distances);
    assert.deepEqual(ops({}), [{path: '/skins/a/deformers', value: [falloff]}]);
    assert.deepEqual(ops({deformers: [{kind: 'blend'}]}),
        [{path: '/skins/a/deformers/1', value: falloff, insert: true}]);
    assert.deepEqual(ops({deformers: [{kind: 'membrane'}]}), []);
    assert.deepEqual(ops({deformers: [{kind: 'membrane', components: ['b']}]}),
        [{path: '/skins/a/deformers/0/components', value: ['b', 'm']}]);
});

test('profiles of fibres keep their volume, and a drag of a peak finds its exponents', () => {
    for (const [a, b] of [[2, 2], [3, 3], [4, 7], [9, 2], [9, 9]]) {
        let volume = 0;
        for (let i = 0; i < 2000; ++i) {
            volume += fibre.profileAt(a, b, (i + 0.5) / 2000) ** 2 / 2000;
        }
        assert.ok(Math.abs(volume - 1) < 1e-5, `${a} ${b}: ${volume}`);
        const [s, phi] = fibre.peakOf(a, b);
        assert.ok(phi >= fibre.profileAt(a, b, s + 0.01) && phi >= fibre.profileAt(a, b, s - 0.01));
        assert.deepEqual(fibre.exponentsAt([s, phi], [220, 40]), [a, b]);
    }
    assert.deepEqual(fibre.exponentsBeside([3, 3], 'ArrowRight'), [4, 3]);
    assert.deepEqual(fibre.exponentsBeside([9, 3], 'ArrowRight'), [9, 2]);
    assert.deepEqual(fibre.exponentsBeside([3, 3], 'ArrowUp'), [4, 4]);
    assert.equal(fibre.exponentsBeside([9, 9], 'ArrowUp'), null);
    assert.equal(fibre.exponentsBeside([3, 3], 'Enter'), null);
});

test('the belly of a fibre is resized by its rims', () => {
    const slice = {center: [0, 0, 0], wide: [0.05, 0, 0], outer: [0, 0, 0.02]};
    const sizes = {width: 0.1, thickness: 0.04};
    const to = (x, z) => [[0.05, 0, 0.02].map((y, i) => (i === 0 ? y : 0)), [x, 0, z]];
    assert.deepEqual(fibre.resizedBelly(sizes, slice, 0, to(0.1, 0)),
        {width: 0.2, thickness: 0.04});
    // Never thicker than wide, never thinner than a tenth.
    assert.deepEqual(fibre.resizedBelly(sizes, slice, 0, to(0.01, 0)),
        {width: 0.02, thickness: 0.02});
    assert.deepEqual(fibre.resizedBelly(sizes, slice, 1, [[0, 0, 0.02], [0, 0, 0.2]]),
        {thickness: 0.1});
    assert.deepEqual(fibre.resizedBelly(sizes, slice, 1, [[0, 0, 0.02], [0, 0, 0]]),
        {thickness: 0.01});
    // Of several fibres the distance between them stays.
    assert.deepEqual(fibre.resizedBelly({width: 0.02, thickness: 0.02}, slice, 0, to(0.06, 0), 0.04),
        {width: 0.04, thickness: 0.02});
});

test('a place below the skin is on the segment that is nearest', () => {
    const at = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
    const model = {segments: [{name: 'thigh', parent: null}, {name: 'shin', parent: 'thigh'},
        {name: 'foot', parent: 'shin'}], segmentIndex(name) {
        return this.segments.findIndex((each) => each.name === name);
    }};
    const frame = {worlds: new Float32Array([...at(0, 1, 0), ...at(0, 0.5, 0), ...at(0, 0, 0)])};
    const ray = {origin: [0.02, 0.8, 1], direction: [0, 0, -1]};
    const place = fibre.placeBelow(ray, [0.02, 0.8, 0.1], model, frame);
    assert.equal(place.segment, 'thigh');
    place.point.forEach((x, i) => assert.ok(Math.abs(x - [0.02, 0.8, 0][i]) < 1e-6));
    const low = fibre.placeBelow({...ray, origin: [0, 0.2, 1]}, [0, 0.2, 0.1], model, frame);
    assert.equal(low.segment, 'shin');
});
