// SPDX-License-Identifier: Apache-2.0
//
// Handles of a muscle between bones: attachments (O, I), pivots (P), centres of slices, and for
// the slice that is chosen its rims (W wider, T thicker) and a handle that turns it; of a fibre the
// rims of its belly.
import {isEnd} from './cylinder-slices.js';
import {COLOURS, Marks} from './marks.js';
import {add, length, scale, sub, unit} from './vectors.js';

const TURN_AWAY = 26; // pixels beyond the wide rim
const LEAST_AWAY = 22; // pixels between the centre of a slice and its handles

export class CylinderView {
    constructor(viewport, slot) {
        this.marks = new Marks(viewport, slot);
        this.state = null;
        this.marks.onCamera(() => this.state !== null && this.show(this.state));
    }

    show(state) {
        const {clicks, each, places, slices, belly, pivots, chosen, muscle} = state;
        this.state = state;
        this.marks.begin();
        this.showClicks(clicks, each);
        if (muscle !== undefined) {
            this.showSlices(slices, chosen, muscle);
            this.showBelly(belly);
            this.showPlaces(places, chosen);
            this.showPivots(pivots, chosen);
        }
        this.marks.end();
    }

    /** What was clicked so far: origins, then insertions. */
    showClicks(clicks, each) {
        clicks.forEach(({point}, index) => {
            const origin = index < each;
            this.marks.dot(point, origin ? COLOURS.first : COLOURS.second, {radius: 8,
                letter: origin ? 'O' : 'I', data: {kind: 'click', index, point}});
        });
        const [a, b] = [clicks.slice(0, each), clicks.slice(each)];
        [a, b].forEach((ends, i) => this.marks.line(ends.map(({point}) => point),
            i === 0 ? COLOURS.first : COLOURS.second, {width: 2}));
    }

    showPlaces(places, chosen) {
        places.forEach(({index, end, point}) => {
            const origin = end.startsWith('origin');
            const picked = chosen?.kind === 'attachment' && chosen.index === index;
            this.marks.dot(point, origin ? COLOURS.first : COLOURS.second, {radius: 8,
                letter: origin ? 'O' : 'I', chosen: picked,
                data: {kind: 'attachment', index, point}});
        });
    }

    showPivots(pivots, chosen) {
        pivots.forEach(({index, point}) => {
            const picked = chosen?.kind === 'pivot' && chosen.index === index;
            this.marks.dot(point, COLOURS.plane, {radius: 8, letter: 'P', chosen: picked,
                data: {kind: 'pivot', index, point}});
        });
    }

    showSlices(slices, chosen, muscle) {
        if (slices.length === 0) {
            return;
        }
        this.marks.line(slices.map((s) => s.center), COLOURS.quiet, {width: 1.5});
        slices.forEach((slice) => {
            const picked = chosen?.slice === slice.index;
            this.marks.line(rim(slice), picked ? COLOURS.center : COLOURS.quiet,
                {width: picked ? 3 : 1, rim: picked,
                    data: {kind: 'center', slice: slice.index, still: true}, grip: 5, rank: 2});
            const end = isEnd(muscle, slice.index);
            this.marks.dot(slice.center, COLOURS.center, {radius: picked ? 8 : 5, chosen: picked,
                data: {kind: end ? 'wide' : 'center', slice: slice.index}, rank: 1});
            if (picked) {
                this.showRims(slice, end);
            }
        });
    }

    /** Of a fibre, whose sections follow from the belly alone. */
    showBelly(belly) {
        if (belly !== null) {
            this.marks.line(rim(belly), COLOURS.center, {width: 2});
            this.showRims(belly, true);
        }
    }

    showRims(slice, end) {
        const {center, wide, outer, index} = slice;
        const [w, t] = [wide, outer].map((axis) => this.rimHandle(center, axis));
        this.marks.dot(w, COLOURS.y, {square: true, letter: 'W', radius: 7,
            data: {kind: 'wide', slice: index, point: w}, rank: this.rimRank(center, w)});
        this.marks.dot(t, COLOURS.z, {square: true, letter: 'T', radius: 7,
            data: {kind: 'thick', slice: index, point: t}, rank: this.rimRank(center, t)});
        if (!end) {
            const away = Math.hypot(...sub(w, center)) + TURN_AWAY * this.marks.metresPerPixel(w);
            const turn = add(center, scale(unit(wide), -away));
            this.marks.line([center, turn], COLOURS.x, {width: 1.5});
            this.marks.dot(turn, COLOURS.x, {letter: '↻', radius: 8,
                data: {kind: 'turn', slice: index, point: turn}});
        }
    }

    /** On the rim, or so far outside that it can be told from the centre. */
    rimHandle(center, axis) {
        const least = LEAST_AWAY * this.marks.metresPerPixel(center);
        return add(center, scale(unit(axis), Math.max(length(axis), least)));
    }

    /** A handle that points at the viewer lies over the centre and cannot be dragged along its axis:
     *  there the centre is gripped, whose rank is 1. */
    rimRank(center, handle) {
        const [a, b] = [center, handle].map((point) => this.marks.pixelOf(point));
        return Math.hypot(b[0] - a[0], b[1] - a[1]) < LEAST_AWAY ? 2 : 0;
    }

    find(event) {
        return this.marks.find(event);
    }

    dispose() {
        this.marks.dispose();
    }
}

function rim({center, wide, outer}) {
    return Array.from({length: 33}, (_, i) => {
        const a = (2 * Math.PI * i) / 32;
        return add(center, add(scale(wide, Math.sin(a)), scale(outer, Math.cos(a))));
    });
}
