// SPDX-License-Identifier: Apache-2.0

// What a stroke of the brush does to values between 0 and 1. A stroke is strongest where any of its
// dabs was strongest, so that going slowly or back and forth over a place changes nothing; only
// `smooth` goes on.

export const MODES = ['add', 'subtract', 'replace', 'smooth'];

/** Share of the strength at a distance from the middle of the brush: 1 there, 0 at the radius. */
export function falloff(distance, radius, hardness = 0) {
    const t = radius > 0 ? distance / radius : 1;
    const y = Math.min(Math.max((1 - t) / (1 - Math.min(hardness, 0.999)), 0), 1);
    return y * y * (3 - 2 * y);
}

export class Stroke {
    /**
     * @param {Float32Array} values one for each vertex; changed in place
     * @param {{mode: string, strength: number, target: number}} brush
     * @param {(vertex: number) => number[]} neighbours
     */
    constructor(values, brush, neighbours) {
        this.values = values;
        this.brush = brush;
        this.neighbours = neighbours;
        this.before = new Map();
        this.influence = new Map();
    }

    /** Vertices that the stroke has touched so far. */
    get touched() {
        return [...this.before.keys()];
    }

    /** One dab: vertices with their share of the strength. Returns those that changed. */
    dab(vertices, shares) {
        return this.brush.mode === 'smooth'
            ? this.#smooth(vertices, shares)
            : this.#apply(vertices, shares);
    }

    #apply(vertices, shares) {
        const changed = [];
        vertices.forEach((vertex, i) => {
            const influence = shares[i] * this.brush.strength;
            if (influence > (this.influence.get(vertex) ?? 0)) {
                this.influence.set(vertex, influence);
                this.#write(
                    vertex,
                    changedValue(this.#start(vertex), influence, this.brush),
                    changed
                );
            }
        });
        return changed;
    }

    #smooth(vertices, shares) {
        const means = vertices.map((vertex) => this.#mean(vertex));
        const changed = [];
        vertices.forEach((vertex, i) => {
            const influence = shares[i] * this.brush.strength;
            this.#start(vertex);
            const value = this.values[vertex];
            this.#write(vertex, value + (means[i] - value) * influence, changed);
        });
        return changed;
    }

    #mean(vertex) {
        const around = this.neighbours(vertex);
        const sum = around.reduce((total, other) => total + this.values[other], 0);
        return around.length > 0 ? sum / around.length : this.values[vertex];
    }

    #start(vertex) {
        if (!this.before.has(vertex)) {
            this.before.set(vertex, this.values[vertex]);
        }
        return this.before.get(vertex);
    }

    #write(vertex, value, changed) {
        const kept = Math.fround(Math.min(Math.max(value, 0), 1));
        if (kept !== this.values[vertex]) {
            this.values[vertex] = kept;
            changed.push(vertex);
        }
    }

    /** Puts back what was there before the stroke. */
    revert() {
        for (const [vertex, value] of this.before) {
            this.values[vertex] = value;
        }
    }
}

function changedValue(value, influence, brush) {
    switch (brush.mode) {
        case 'add':
            return value + influence;
        case 'subtract':
            return value - influence;
        case 'replace':
            return value + (brush.target - value) * influence;
        default:
            throw new Error(`there is no brush "${brush.mode}"`);
    }
}

/** Places on the screen where a stroke that goes on from `from` to `to` has its dabs. */
export function stepsAlong(from, to, spacing) {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const count = Math.max(1, Math.ceil(length / Math.max(spacing, 1)));
    return Array.from({length: count}, (_, i) => ({
        x: from.x + ((to.x - from.x) * (i + 1)) / count,
        y: from.y + ((to.y - from.y) * (i + 1)) / count,
    }));
}
