// SPDX-License-Identifier: Apache-2.0
//
// A search tree over the triangles of one surface. Its shape comes from the rest points, in Morton
// order, and stays; when the points have moved, the boxes are fitted again from the leaves up. So
// a click on a character of 200,000 triangles answers at once, also while it moves.
import {boxDistance, farAway, isNearer} from './closest.js';

const LEAF = 8; // triangles in a leaf

/** A hit: triangle, distance along the unit direction, barycentric coordinates. */
export class TriangleTree {
    /**
     * @param {Uint32Array} triangles #T x 3
     * @param {Float32Array} rest #V x 3
     */
    constructor(triangles, rest) {
        this.triangles = triangles;
        this.count = triangles.length / 3;
        Object.assign(this, sorted(triangles, rest));
        this.leafCount = Math.max(1, Math.ceil(this.count / LEAF));
        // A complete binary tree, as in a heap: node i has children 2i + 1 and 2i + 2.
        this.first = 2 ** Math.ceil(Math.log2(this.leafCount)) - 1;
        this.boxes = new Float32Array(6 * (2 * this.first + 1));
        this.fit(rest);
    }

    /** Fits the boxes to points that have moved. */
    fit(points) {
        this.points = points;
        const {boxes, first, leafCount} = this;
        for (let leaf = 0; leaf < leafCount; ++leaf) {
            this.#fitLeaf(leaf, 6 * (first + leaf));
        }
        for (let at = 6 * (first + leafCount); at < boxes.length; at += 6) {
            emptyBox(boxes, at);
        }
        for (let node = first - 1; node >= 0; --node) {
            joinBoxes(boxes, 6 * node, 6 * (2 * node + 1), 6 * (2 * node + 2));
        }
    }

    #fitLeaf(leaf, at) {
        const {boxes, corners, points} = this;
        let lx = Infinity, ly = Infinity, lz = Infinity;
        let hx = -Infinity, hy = -Infinity, hz = -Infinity;
        for (let c = 3 * LEAF * leaf, end = Math.min(c + 3 * LEAF, corners.length); c < end; ++c) {
            const v = 3 * corners[c];
            const x = points[v], y = points[v + 1], z = points[v + 2];
            lx = x < lx ? x : lx;
            hx = x > hx ? x : hx;
            ly = y < ly ? y : ly;
            hy = y > hy ? y : hy;
            lz = z < lz ? z : lz;
            hz = z > hz ? z : hz;
        }
        boxes[at] = lx;
        boxes[at + 1] = ly;
        boxes[at + 2] = lz;
        boxes[at + 3] = hx;
        boxes[at + 4] = hy;
        boxes[at + 5] = hz;
    }

    /**
     * The nearest triangle along a ray, from either side.
     * @param {{x, y, z}} origin @param {{x, y, z}} direction unit
     * @returns {{triangle, distance, bary: [number, number, number]}|null}
     */
    cast(origin, direction, farthest = Infinity) {
        const ray = {o: [origin.x, origin.y, origin.z], d: [direction.x, direction.y, direction.z],
            i: [1 / direction.x, 1 / direction.y, 1 / direction.z]};
        const best = {triangle: -1, distance: farthest, u: 0, v: 0};
        const stack = [0];
        while (stack.length > 0) {
            const node = stack.pop();
            if (enterDistance(this.boxes, 6 * node, ray) >= best.distance) {
                continue;
            }
            if (node >= this.first) {
                this.#castLeaf(node - this.first, ray, best);
                continue;
            }
            const [left, right] = [2 * node + 1, 2 * node + 2];
            const leftFirst = enterDistance(this.boxes, 6 * left, ray) <=
                enterDistance(this.boxes, 6 * right, ray);
            stack.push(leftFirst ? right : left, leftFirst ? left : right);
        }
        return best.triangle < 0 ? null : {triangle: best.triangle, distance: best.distance,
            bary: [1 - best.u - best.v, best.u, best.v]};
    }

    /**
     * The place nearest to a point. @param {number[]} point @param {number} hint a triangle that may
     *     be near, to begin with; -1: none
     * @returns {{triangle, distance, bary: [number, number, number]}}
     */
    closest(point, hint = -1) {
        const {boxes, first} = this;
        const best = farAway();
        if (hint >= 0) {
            this.#takeNearer(this.triangles, hint, hint, point, best);
        }
        const stack = [0];
        while (stack.length > 0) {
            const node = stack.pop();
            if (boxDistance(boxes, 6 * node, point) >= best.distance) {
                continue;
            }
            if (node >= first) {
                const leaf = (node - first) * LEAF;
                for (let i = leaf, end = Math.min(leaf + LEAF, this.count); i < end; ++i) {
                    this.#takeNearer(this.corners, i, this.order[i], point, best);
                }
                continue;
            }
            const [left, right] = [2 * node + 1, 2 * node + 2];
            const leftFirst = boxDistance(boxes, 6 * left, point) <=
                boxDistance(boxes, 6 * right, point);
            stack.push(leftFirst ? right : left, leftFirst ? left : right);
        }
        return {triangle: best.triangle, distance: Math.sqrt(best.distance),
            bary: [1 - best.u - best.v, best.u, best.v]};
    }

    #takeNearer(corners, i, triangle, point, best) {
        const a = 3 * corners[3 * i], b = 3 * corners[3 * i + 1], c = 3 * corners[3 * i + 2];
        if (isNearer(this.points, a, b, c, point, best)) {
            best.triangle = triangle;
        }
    }

    #castLeaf(leaf, ray, best) {
        for (let i = leaf * LEAF, end = Math.min(i + LEAF, this.count); i < end; ++i) {
            if (castTriangle(this.corners, this.points, i, ray, best)) {
                best.triangle = this.order[i];
            }
        }
    }
}

/**
 * Those of some things with a `box` {min, max} that a ray meets, with `enter`, the distance at
 * which it does: the nearest first.
 */
export function inReach(origin, direction, things) {
    const ray = {o: [origin.x, origin.y, origin.z],
        i: [1 / direction.x, 1 / direction.y, 1 / direction.z]};
    return things.map((thing) => {
        const {min, max} = thing.box;
        const sides = [min.x, min.y, min.z, max.x, max.y, max.z];
        return {thing, enter: enterDistance(sides, 0, ray)};
    }).filter(({enter}) => enter < Infinity).sort((a, b) => a.enter - b.enter);
}

function emptyBox(boxes, at) {
    boxes.fill(Infinity, at, at + 3);
    boxes.fill(-Infinity, at + 3, at + 6);
}

function joinBoxes(boxes, at, a, b) {
    for (let k = 0; k < 3; ++k) {
        const low = boxes[a + k], other = boxes[b + k];
        boxes[at + k] = low < other ? low : other;
    }
    for (let k = 3; k < 6; ++k) {
        const high = boxes[a + k], other = boxes[b + k];
        boxes[at + k] = high > other ? high : other;
    }
}

// triangles -> {order, corners}: trees over one shape, posed and at rest, share them.
const known = new WeakMap();

function sorted(triangles, rest) {
    if (!known.has(triangles)) {
        const order = mortonOrder(triangles, rest);
        known.set(triangles, {order, corners: inOrder(triangles, order)});
    }
    return known.get(triangles);
}

function inOrder(triangles, order) {
    const corners = new Uint32Array(triangles.length);
    for (let i = 0; i < order.length; ++i) {
        const from = 3 * order[i];
        corners[3 * i] = triangles[from];
        corners[3 * i + 1] = triangles[from + 1];
        corners[3 * i + 2] = triangles[from + 2];
    }
    return corners;
}

// Where the ray enters a box, infinite where it does not. A direction of 0 gives 0 * Infinity =
// NaN on the border of a slab, which Math.min and Math.max would carry on: compared by hand.
function enterDistance(boxes, at, {o, i}) {
    let near = 0, far = Infinity;
    for (let k = 0; k < 3; ++k) {
        const a = (boxes[at + k] - o[k]) * i[k];
        const b = (boxes[at + 3 + k] - o[k]) * i[k];
        const low = a < b ? a : b;
        const high = a < b ? b : a;
        near = low > near ? low : near;
        far = high < far ? high : far;
    }
    return near <= far && boxes[at] <= boxes[at + 3] ? near : Infinity;
}

// Moeller and Trumbore, "Fast, minimum storage ray/triangle intersection" (1997).
// Returns whether triangle `i` is hit nearer than the best so far.
function castTriangle(corners, points, i, {o, d}, best) {
    const a = 3 * corners[3 * i], b = 3 * corners[3 * i + 1], c = 3 * corners[3 * i + 2];
    const ax = points[a], ay = points[a + 1], az = points[a + 2];
    const ux = points[b] - ax, uy = points[b + 1] - ay, uz = points[b + 2] - az;
    const wx = points[c] - ax, wy = points[c + 1] - ay, wz = points[c + 2] - az;
    const px = d[1] * wz - d[2] * wy, py = d[2] * wx - d[0] * wz, pz = d[0] * wy - d[1] * wx;
    const determinant = ux * px + uy * py + uz * pz;
    if (determinant === 0) {
        return false;
    }
    const sx = o[0] - ax, sy = o[1] - ay, sz = o[2] - az;
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (!(u >= 0 && u <= 1)) {
        return false;
    }
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = (d[0] * qx + d[1] * qy + d[2] * qz) / determinant;
    const distance = (wx * qx + wy * qy + wz * qz) / determinant;
    if (!(v >= 0 && u + v <= 1 && distance > 0 && distance < best.distance)) {
        return false;
    }
    best.distance = distance;
    best.u = u;
    best.v = v;
    return true;
}

// The triangles in the order of the Morton codes of their middles, 10 bits an axis, sorted by
// radix.
function mortonOrder(triangles, rest) {
    const count = triangles.length / 3;
    const {low, scale} = restGrid(rest);
    const codes = new Uint32Array(count);
    const third = scale / 3;
    for (let t = 0; t < count; ++t) {
        const a = 3 * triangles[3 * t], b = 3 * triangles[3 * t + 1], c = 3 * triangles[3 * t + 2];
        const x = (rest[a] + rest[b] + rest[c]) * third - low[0] * scale;
        const y = (rest[a + 1] + rest[b + 1] + rest[c + 1]) * third - low[1] * scale;
        const z = (rest[a + 2] + rest[b + 2] + rest[c + 2]) * third - low[2] * scale;
        codes[t] = spread(x) | (spread(y) << 1) | (spread(z) << 2);
    }
    return radixOrder(codes);
}

function restGrid(rest) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < rest.length; ++i) {
        const x = rest[i], k = i % 3;
        low[k] = x < low[k] ? x : low[k];
        high[k] = x > high[k] ? x : high[k];
    }
    const size = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    return {low, scale: size > 0 ? 1022 / size : 0};
}

function spread(value) {
    let x = value | 0;
    x = (x | (x << 16)) & 0x030000ff;
    x = (x | (x << 8)) & 0x0300f00f;
    x = (x | (x << 4)) & 0x030c30c3;
    return (x | (x << 2)) & 0x09249249;
}

function radixOrder(codes) {
    let order = Uint32Array.from(codes, (code, index) => index);
    let next = new Uint32Array(codes.length);
    for (let shift = 0; shift < 30; shift += 10) {
        const starts = new Uint32Array(1025);
        for (const code of codes) {
            ++starts[((code >>> shift) & 1023) + 1];
        }
        for (let i = 0; i < 1024; ++i) {
            starts[i + 1] += starts[i];
        }
        for (const index of order) {
            next[starts[(codes[index] >>> shift) & 1023]++] = index;
        }
        [order, next] = [next, order];
    }
    return order;
}
