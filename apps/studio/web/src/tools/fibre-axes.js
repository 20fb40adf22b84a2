// SPDX-License-Identifier: Apache-2.0
//
// The axes of the muscle that is selected, where it has some: the particles of its fibres as they
// swing, each in the colour of its distance from where the pose alone would put it.
import {COLOURS, Marks} from './marks.js';

const FAR = 0.004; // metres of swing at which a particle has the last colour
const SWUNG = ['#c8c8c8', '#f0e442', '#e69f00', '#d55e00']; // from still to far

export class FibreAxes {
    constructor(studio) {
        this.studio = studio;
        this.marks = null;
        this.slot = null;
        ['selection', 'slot', 'model', 'frame'].forEach((signal) => {
            studio.on(signal, () => this.show());
        });
    }

    /** The axes of all surfaces that are selected: [Float32Array of x, y, z, swing]. */
    axes() {
        const {active, selection} = this.studio;
        const surfaces = active.model?.surfacesOf(selection?.path ?? '') ?? [];
        const {frame} = active;
        return frame?.model !== active.model?.serial ? []
            : surfaces.flatMap(({index}) => frame?.axes.get(index) ?? []);
    }

    show() {
        const axes = this.axes();
        const slot = this.studio.activeIndex;
        if (this.marks !== null && (axes.length === 0 || this.slot !== slot)) {
            this.marks.dispose();
            this.marks = null;
        }
        if (axes.length === 0) {
            return;
        }
        this.slot = slot;
        this.marks ??= new Marks(this.studio.viewport, slot);
        this.marks.begin();
        axes.forEach((axis) => this.showAxis(axis));
        this.marks.end();
    }

    showAxis(axis) {
        const points = Array.from({length: axis.length / 4}, (_, i) =>
            [...axis.subarray(4 * i, 4 * i + 3)]);
        this.marks.line(points, COLOURS.center, {width: 1.5});
        const radius = points.length > 16 ? 2 : 3;
        // Not at its ends: they do not swing, and tools have handles there.
        points.slice(1, -1).forEach((point, k) => {
            const i = k + 1;
            const part = Math.min(axis[4 * i + 3] / FAR, 1);
            this.marks.dot(point, SWUNG[Math.round(part * (SWUNG.length - 1))], {radius});
        });
    }
}
