// SPDX-License-Identifier: Apache-2.0

// Points in a grid of cubes, for the closest point and for mirror images without a look at every
// other point. Cells are kept in a table of chains: `head[hash]` is the first point of a cell and
// `next[point]` the one behind it.

const EMPTY = -1;

export class PointGrid {
    /** @param {Float32Array} points three numbers a point  @param {number} [size] side of a cube */
    constructor(points, size = spacingOf(points)) {
        this.points = points;
        this.count = points.length / 3;
        this.size = size > 0 ? size : 1;
        this.mask = powerOfTwoAbove(this.count) - 1;
        this.head = new Int32Array(this.mask + 1).fill(EMPTY);
        this.next = new Int32Array(this.count);
        for (let i = this.count - 1; i >= 0; i--) {
            const slot = this.#slot(
                ...this.#cell(points[3 * i], points[3 * i + 1], points[3 * i + 2])
            );
            this.next[i] = this.head[slot];
            this.head[slot] = i;
        }
    }

    #cell(x, y, z) {
        return [Math.floor(x / this.size), Math.floor(y / this.size), Math.floor(z / this.size)];
    }

    #slot(i, j, k) {
        const mixed = Math.imul(i, 73856093) ^ Math.imul(j, 19349663) ^ Math.imul(k, 83492791);
        return (mixed ^ (mixed >>> 15)) & this.mask;
    }

    /** Calls `visit(point, squaredDistance)` for every point within `radius` of x, y, z. */
    within(x, y, z, radius, visit) {
        const low = this.#cell(x - radius, y - radius, z - radius);
        const high = this.#cell(x + radius, y + radius, z + radius);
        const seen = new Set();
        for (let i = low[0]; i <= high[0]; i++) {
            for (let j = low[1]; j <= high[1]; j++) {
                for (let k = low[2]; k <= high[2]; k++) {
                    const slot = this.#slot(i, j, k);
                    if (!seen.has(slot)) {
                        seen.add(slot);
                        this.#visitSlot(slot, x, y, z, radius * radius, visit);
                    }
                }
            }
        }
    }

    #visitSlot(slot, x, y, z, limit, visit) {
        const p = this.points;
        for (let i = this.head[slot]; i !== EMPTY; i = this.next[i]) {
            const dx = p[3 * i] - x,
                dy = p[3 * i + 1] - y,
                dz = p[3 * i + 2] - z;
            const squared = dx * dx + dy * dy + dz * dz;
            if (squared <= limit) {
                visit(i, squared);
            }
        }
    }

    /**
     * The point closest to x, y, z that is not farther than `radius`, the lowest of equals; or
     * -1.
     */
    closest(x, y, z, radius) {
        let best = EMPTY;
        let bestSquared = Infinity;
        this.within(x, y, z, radius, (i, squared) => {
            if (squared < bestSquared || (squared === bestSquared && i < best)) {
                best = i;
                bestSquared = squared;
            }
        });
        return best;
    }
}

/** Finds the point on the other side of x = 0; looks only at points that are asked for. */
export class MirrorMap {
    constructor(rest) {
        this.rest = rest;
        this.grid = new PointGrid(rest);
        this.found = new Map();
    }

    /** The point that lies where `point` mirrored would, within one cell of the grid; or -1. */
    of(point) {
        if (!this.found.has(point)) {
            const r = this.rest;
            const other = this.grid.closest(
                -r[3 * point],
                r[3 * point + 1],
                r[3 * point + 2],
                this.grid.size
            );
            this.found.set(point, other);
        }
        return this.found.get(point);
    }
}

/** About the distance of neighbours, if the points are spread over the faces of their box. */
function spacingOf(points) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; i++) {
        low[i % 3] = Math.min(low[i % 3], points[i]);
        high[i % 3] = Math.max(high[i % 3], points[i]);
    }
    const [a, b, c] = high.map((h, i) => h - low[i]);
    return Math.sqrt((2 * (a * b + b * c + c * a)) / Math.max(points.length / 3, 1));
}

function powerOfTwoAbove(count) {
    let size = 16;
    while (size < count) {
        size *= 2;
    }
    return size;
}
