// SPDX-License-Identifier: Apache-2.0
//
// What is drawn so far: two lists of points of the skin at rest, and what is still missing. Knows
// nothing of the page or of the server.
import {fromFreehand, nearestOnLine, resample, runsAgainst} from './draw-curves.js';

const ORDINALS = ['first', 'second'];

export class Drawing {
    constructor() {
        this.curves = [[], []];
        this.current = 0;
        this.closed = false;
        this.steps = [];
    }

    /** The curves of a muscle of the document, to go on with. */
    static ofMuscle(muscle) {
        const drawing = new Drawing();
        drawing.takeOver(muscle);
        return drawing;
    }

    /** The curves that the muscle has in the document now. */
    takeOver(muscle) {
        this.curves = muscle.curves.map((curve) => curve.map((p) => p.slice()));
        this.closed = muscle.ends === 'closed';
        this.current = 1;
        this.steps = [];
    }

    /** Remembers what is drawn, for `undo`. */
    remember() {
        const {curves, current, closed} = this;
        this.steps.push({curves: curves.map((curve) => curve.slice()), current, closed});
    }

    /** Takes back what was drawn last: a point, or a whole line drawn by hand. */
    undo() {
        Object.assign(this, this.steps.pop() ?? {});
    }

    get least() {
        return this.closed ? 3 : 2;
    }

    get empty() {
        return this.curves.every((curve) => curve.length === 0);
    }

    /** Whether both curves have enough points for a muscle. */
    get complete() {
        return this.curves.every((curve) => curve.length >= this.least);
    }

    /** Whether it looks finished: half of a ring would cross the one inside it. */
    get ready() {
        const [first, second] = this.curves;
        return this.complete && (!this.closed || second.length + 1 >= first.length);
    }

    /** A point at the end of the curve that is being drawn. */
    add(point) {
        this.remember();
        this.curves[this.current].push(point);
        return this.curves[this.current].length - 1;
    }

    /** The current curve becomes a line drawn by hand. */
    addFreehand(line, closed = false) {
        this.remember();
        if (closed) {
            this.closed = true;
        }
        const curve = this.curves[this.current];
        const open = curve.length > 0 && !this.closed ? [curve[curve.length - 1], ...line] : line;
        const points = fromFreehand(open, this.closed);
        this.curves[this.current] = open === line ? points : [...curve.slice(0, -1), ...points];
    }

    /** Goes on to the second curve; false where the first one is too short. */
    next() {
        if (this.current !== 0 || this.curves[0].length < this.least) {
            return false;
        }
        this.current = 1;
        return true;
    }

    /** Takes the last point back, those of the first curve when the second has none. */
    removeLast() {
        this.remember();
        if (this.current === 1 && this.curves[1].length === 0) {
            this.current = 0;
        }
        return this.curves[this.current].pop() ?? null;
    }

    move(curve, index, point) {
        this.curves[curve][index] = point;
    }

    /** A new point between two others, where the curve is nearest to it; its number. */
    insert(curve, point) {
        this.remember();
        const {piece} = nearestOnLine(this.curves[curve], point, this.closed);
        this.curves[curve].splice(piece + 1, 0, point);
        return piece + 1;
    }

    /** Whether a point can go without the curve becoming too short for the muscle. */
    canRemove(curve) {
        return this.curves[curve].length > this.least;
    }

    remove(curve, index) {
        this.remember();
        this.curves[curve].splice(index, 1);
    }

    /** The curves as a document has them: the second runs along the first. */
    written() {
        const [first, second] = this.curves;
        const turned = runsAgainst(first, second, this.closed);
        return [first, turned ? second.slice().reverse() : second];
    }

    /** The second curve is kept in the order of the document once the drawing has ended. */
    settle() {
        this.curves = this.written().map((curve) => curve.slice());
    }

    /** The middle of the inner curve, which a ring contracts to by itself. */
    middle() {
        const even = this.curves.map((curve) => resample(curve, 32, true));
        const middles = even.map((c) => [0, 1, 2].map((i) => c.reduce((s, p) => s + p[i], 0) / 32));
        const sizes = even.map((c, k) => c.reduce((s, p) => s + Math.hypot(
            p[0] - middles[k][0], p[1] - middles[k][1], p[2] - middles[k][2]), 0));
        return sizes[0] < sizes[1] ? middles[0] : middles[1];
    }

    /** One line that says what to do next. */
    advice() {
        const [first, second] = this.curves.map((curve) => curve.length);
        if (this.current === 0) {
            return this.adviceFirst(first);
        }
        if (second === 0) {
            return 'Now draw the second curve beside the first, in the same direction.';
        }
        if (second < this.least) {
            return this.lacks(1);
        }
        if (!this.ready) {
            return 'Continue around the first curve. Press Enter when it is done.';
        }
        return 'The muscle is there. Add or move points, or press Enter to finish.';
    }

    adviceFirst(count) {
        if (count === 0) {
            return 'Click points along one edge of the muscle, from origin to insertion, or draw ' +
                'the edge with the button held.';
        }
        if (count < this.least) {
            return this.lacks(0);
        }
        return 'Press Enter when the first curve is done, then draw the second beside it.';
    }

    lacks(curve) {
        const words = ['no', 'one', 'two', 'three'];
        const count = this.curves[curve].length;
        const kind = this.closed ? 'A ring’s ' : 'The ';
        return `${kind}${ORDINALS[curve]} curve needs ${words[this.least]} points. ` +
            `It has ${words[count]}.`;
    }
}
