// SPDX-License-Identifier: Apache-2.0
//
// How a drawing looks on the character: smooth curves that lie on the skin in any pose, points to
// drag, the centre of a ring.
import {Carrier, evaluate} from './draw-carry.js';
import {smooth} from './draw-curves.js';
import {curveAnchors, musclePoints, placeLabels} from './label-places.js';
import {COLOURS, Marks, labelSize} from './marks.js';
import {add, distance, sub} from './vectors.js';

const CURVE_COLOURS = [COLOURS.first, COLOURS.second];
const CURVE_NAMES = ['first', 'second'];

export class DrawView {
    constructor(viewport, slot) {
        this.marks = new Marks(viewport, slot);
        this.carrier = null;
        this.lines = new Map();
        this.state = null;
        this.marks.onCamera(() => this.state !== null && this.show(this.state));
    }

    /** Takes the skin of a new model or frame. */
    setSkin(surface) {
        if (surface?.rest == null || surface.points == null || surface.triangles == null) {
            return;
        }
        if (this.carrier?.takes(surface)) {
            return;
        }
        this.carrier = new Carrier(surface);
        this.lines.clear();
    }

    /** The place of a point of the skin at rest that was hit. */
    know(rest, place) {
        this.carrier?.know(rest, place);
    }

    /** Points of the smooth curve at rest, which are computed when the curve has changed. */
    lineOf(points, closed) {
        const key = `${closed} ${points.join(' ')}`;
        if (!this.lines.has(key)) {
            if (this.lines.size > 64) {
                this.lines.clear();
                this.carrier.places.clear();
            }
            this.lines.set(key, smooth(points, closed, 6));
        }
        return this.lines.get(key);
    }

    /** @param state {drawing, chosen: {curve, index}|null, stroke: points at rest, center, running:
     *     a click beside a point is the next point, so that points are gripped closely} */
    show(state) {
        const {drawing, chosen, stroke, center, running} = state;
        this.state = state;
        this.grip = running ? 7 : 12;
        this.marks.begin();
        if (this.carrier !== null) {
            const shown = drawing.curves.filter((points) => points.length > 0)
                .map((points, curve) => this.showCurve(drawing, points, curve, chosen));
            this.nameCurves(shown);
            if (stroke.length > 1) {
                const line = stroke.map((p) => this.carrier.posed(p));
                this.marks.line(line, CURVE_COLOURS[drawing.current]);
            }
            if (center !== null) {
                this.marks.dot(this.centerNow(center), COLOURS.center, {letter: 'C', radius: 9,
                    data: {kind: 'center'}});
            }
        }
        this.marks.end();
    }

    /** A centre need not lie on the skin: it goes along with the nearest place of it. */
    centerNow(center) {
        const {rest, triangles} = this.carrier.surface;
        const below = evaluate(rest, triangles, this.carrier.placeOf(center));
        return add(this.carrier.posed(center), sub(center, below));
    }

    showCurve(drawing, points, curve, chosen) {
        const colour = CURVE_COLOURS[curve];
        const posed = points.map((p) => this.carrier.posed(p));
        const closed = drawing.closed && points.length > 2;
        const line = this.lineOf(points, closed).map((p) => this.carrier.posed(p));
        this.marks.line(line, colour, {data: {kind: 'curve', curve}});
        posed.forEach((point, index) => {
            const isChosen = chosen?.curve === curve && chosen.index === index;
            this.marks.dot(point, colour, {chosen: isChosen, radius: isChosen ? 8 : 6,
                data: {kind: 'point', curve, index}, grip: this.grip});
        });
        return {line, posed, closed};
    }

    /** Names the curves, beside the muscle. */
    nameCurves(curves) {
        const flat = curves.map(({line}) => line.map((p) => this.marks.pixelOf(p)));
        const closed = curves.some((curve) => curve.closed);
        const places = placeLabels(flat.map((line, i) => ({size: labelSize(CURVE_NAMES[i]),
            anchors: curveAnchors(line, flat[1 - i] ?? [], closed)})),
        {...this.marks.surroundings(), points: musclePoints(flat, closed),
            dots: curves.flatMap(({posed}) => posed.map((p) => this.marks.pixelOf(p)))});
        places.forEach((place, i) => {
            if (place !== null) {
                const nearest = nearestTo(flat[i], place.anchor.point);
                this.marks.callout(curves[i].line[nearest], place.box, CURVE_NAMES[i],
                    CURVE_COLOURS[i]);
            }
        });
    }

    find(event) {
        return this.marks.find(event);
    }

    dispose() {
        this.marks.dispose();
    }
}

/** The number of the point of a line that is nearest to another. */
function nearestTo(line, point) {
    return line.reduce((best, p, i) => {
        return distance(p, point) < distance(line[best], point) ? i : best;
    }, 0);
}
