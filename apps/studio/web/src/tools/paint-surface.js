// SPDX-License-Identifier: Apache-2.0

// Distances along a surface. Vertices that stand at one place and look the same way (seams of texture
// coordinates) are one place; those that look against each other (closed lips) are two.

/** Neighbourhoods of a mesh: made once, from its rest points. */
export class SurfaceMap {
    /** @param {Float32Array} rest  @param {Uint32Array} triangles */
    constructor(rest, triangles) {
        this.count = rest.length / 3;
        this.triangles = triangles;
        this.place = weld(rest, triangles);
        this.members = gather(this.place, this.count, this.count);
        const corners = Uint32Array.from(triangles, (v) => this.place[v]);
        this.corners = corners;
        this.fans = gather(corners, this.count, corners.length);
        this.distance = new Float64Array(this.count).fill(Infinity);
        this.settled = new Uint8Array(this.count);
    }

    /**
     * Vertices within `radius` of a point in a triangle, measured along the surface as it stands
     * in `points`. Looks at nothing beyond the radius.
     * @returns {{vertices: number[], distances: number[]}}
     */
    disc(points, triangle, point, radius) {
        const queue = new Queue();
        const touched = [];
        for (let c = 0; c < 3; c++) {
            const place = this.corners[3 * triangle + c];
            this.#offer(place, distanceTo(points, place, point), radius, queue, touched);
        }
        const result = {vertices: [], distances: []};
        while (queue.length > 0) {
            const place = queue.pop();
            if (!this.settled[place]) {
                this.settled[place] = 1;
                this.#emit(place, result);
                this.#spread(points, place, radius, queue, touched);
            }
        }
        for (const place of touched) {
            this.distance[place] = Infinity;
            this.settled[place] = 0;
        }
        return result;
    }

    #offer(place, distance, radius, queue, touched) {
        if (distance <= radius && distance < this.distance[place]) {
            if (this.distance[place] === Infinity) {
                touched.push(place);
            }
            this.distance[place] = distance;
            queue.push(place, distance);
        }
    }

    #emit(place, result) {
        for (let i = this.members.start[place]; i < this.members.start[place + 1]; i++) {
            result.vertices.push(this.members.items[i]);
            result.distances.push(this.distance[place]);
        }
    }

    #spread(points, place, radius, queue, touched) {
        for (let i = this.fans.start[place]; i < this.fans.start[place + 1]; i++) {
            const base = 3 * Math.floor(this.fans.items[i] / 3);
            for (let c = 0; c < 3; c++) {
                const to = this.corners[base + c];
                const across = this.#third(base, place, to);
                if (to !== place && !this.settled[to]) {
                    const along = this.distance[place] + length(points, place, to);
                    const over =
                        across >= 0 && this.settled[across]
                            ? distanceOver(points, place, across, to, this.distance)
                            : Infinity;
                    this.#offer(to, Math.min(along, over), radius, queue, touched);
                }
            }
        }
    }

    #third(base, a, b) {
        for (let c = 0; c < 3; c++) {
            const corner = this.corners[base + c];
            if (corner !== a && corner !== b) {
                return corner;
            }
        }
        return -1;
    }

    /** Triangles that have a corner at the place of a vertex. */
    trianglesAt(vertex) {
        const place = this.place[vertex];
        return Array.from(
            this.fans.items.subarray(this.fans.start[place], this.fans.start[place + 1]),
            (corner) => Math.floor(corner / 3)
        );
    }

    /** Places around a vertex, without itself. */
    neighbours(vertex) {
        const place = this.place[vertex];
        const around = new Set();
        for (let i = this.fans.start[place]; i < this.fans.start[place + 1]; i++) {
            const base = 3 * Math.floor(this.fans.items[i] / 3);
            for (let c = 0; c < 3; c++) {
                around.add(this.corners[base + c]);
            }
        }
        around.delete(place);
        return [...around];
    }
}

const maps = new WeakMap(); // triangles of surfaces -> map, for all that have this shape

/** Neighbourhoods of a surface. */
export function surfaceMapOf({rest, triangles}) {
    if (!maps.has(triangles)) {
        maps.set(triangles, new SurfaceMap(rest, triangles));
    }
    return maps.get(triangles);
}

/** Distance to c over the inside of its triangle: straight from where paths to a and b come from,
    after M. Novotni and R. Klein, Computing Geodesic Distances on Triangular Meshes, 2002. */
function distanceOver(points, a, b, c, distance) {
    const side = length(points, a, b);
    if (side === 0) {
        return Infinity;
    }
    const source = cornerOf(side, distance[a], distance[b]);
    const target = cornerOf(side, length(points, a, c), length(points, b, c));
    if (!source || !target) {
        return Infinity;
    }
    const cross = source.x + ((target.x - source.x) * source.y) / (source.y + target.y);
    return cross >= 0 && cross <= side
        ? Math.hypot(target.x - source.x, target.y + source.y)
        : Infinity;
}

/** Where the third corner of a triangle is whose first side lies on the x axis. */
function cornerOf(side, first, second) {
    const x = (side * side + first * first - second * second) / (2 * side);
    const squared = first * first - x * x;
    return squared > 0 ? {x, y: Math.sqrt(squared)} : null;
}

function length(points, a, b) {
    return Math.hypot(
        points[3 * a] - points[3 * b],
        points[3 * a + 1] - points[3 * b + 1],
        points[3 * a + 2] - points[3 * b + 2]
    );
}

function distanceTo(points, a, point) {
    return Math.hypot(
        points[3 * a] - point.x,
        points[3 * a + 1] - point.y,
        points[3 * a + 2] - point.z
    );
}

/** For each vertex the lowest one at its place whose normal does not oppose its own. */
function weld(rest, triangles) {
    const count = rest.length / 3;
    const normals = normalsOf(rest, triangles);
    const bits = new Int32Array(Float32Array.from(rest, (x) => x + 0).buffer); // -0 becomes 0
    const place = new Uint32Array(count);
    const chains = new Map();
    for (let v = 0; v < count; v++) {
        const key = hash(bits[3 * v], bits[3 * v + 1], bits[3 * v + 2]);
        const chain = chains.get(key);
        const same = chain?.find((u) => atOnePlace(bits, u, v) && agree(normals, u, v));
        place[v] = same ?? v;
        if (same === undefined) {
            chain ? chain.push(v) : chains.set(key, [v]);
        }
    }
    return place;
}

function hash(x, y, z) {
    return (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) | 0;
}

function atOnePlace(bits, u, v) {
    return (
        bits[3 * u] === bits[3 * v] &&
        bits[3 * u + 1] === bits[3 * v + 1] &&
        bits[3 * u + 2] === bits[3 * v + 2]
    );
}

function agree(normals, u, v) {
    return (
        normals[3 * u] * normals[3 * v] +
            normals[3 * u + 1] * normals[3 * v + 1] +
            normals[3 * u + 2] * normals[3 * v + 2] >=
        0
    );
}

function normalsOf(points, triangles) {
    const normals = new Float64Array(points.length);
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
        const [ux, uy, uz] = [
            points[b] - points[a],
            points[b + 1] - points[a + 1],
            points[b + 2] - points[a + 2],
        ];
        const [vx, vy, vz] = [
            points[c] - points[a],
            points[c + 1] - points[a + 1],
            points[c + 2] - points[a + 2],
        ];
        for (const corner of [a, b, c]) {
            normals[corner] += uy * vz - uz * vy;
            normals[corner + 1] += uz * vx - ux * vz;
            normals[corner + 2] += ux * vy - uy * vx;
        }
    }
    return normals;
}

/** Lists, one behind the other: items[start[k]..start[k + 1]] are the i with keys[i] = k. */
function gather(keys, keyCount, itemCount) {
    const start = new Uint32Array(keyCount + 1);
    for (let i = 0; i < itemCount; i++) {
        start[keys[i] + 1]++;
    }
    for (let k = 0; k < keyCount; k++) {
        start[k + 1] += start[k];
    }
    const items = new Uint32Array(itemCount);
    const fill = start.slice();
    for (let i = 0; i < itemCount; i++) {
        items[fill[keys[i]]++] = i;
    }
    return {start, items};
}

/** Smallest key first; an item may stand in it several times. */
class Queue {
    constructor() {
        this.items = [];
        this.keys = [];
    }

    get length() {
        return this.items.length;
    }

    push(item, key) {
        let i = this.items.length;
        this.items.push(item);
        this.keys.push(key);
        while (i > 0 && this.keys[(i - 1) >> 1] > key) {
            this.#move((i - 1) >> 1, i);
            i = (i - 1) >> 1;
        }
        this.items[i] = item;
        this.keys[i] = key;
    }

    pop() {
        const top = this.items[0];
        const item = this.items.pop();
        const key = this.keys.pop();
        if (this.items.length > 0) {
            this.#sink(item, key);
        }
        return top;
    }

    #sink(item, key) {
        let i = 0;
        for (;;) {
            let child = 2 * i + 1;
            if (child + 1 < this.items.length && this.keys[child + 1] < this.keys[child]) {
                child++;
            }
            if (child >= this.items.length || this.keys[child] >= key) {
                break;
            }
            this.#move(child, i);
            i = child;
        }
        this.items[i] = item;
        this.keys[i] = key;
    }

    #move(from, to) {
        this.items[to] = this.items[from];
        this.keys[to] = this.keys[from];
    }
}
