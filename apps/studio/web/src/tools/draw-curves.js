// SPDX-License-Identifier: Apache-2.0
//
// Curves as lists of points: lengths, equal steps, smooth lines through them, and the place of a
// new point. All functions take points of two or of three numbers.
import {add, clamp, cross, distance, dot, mix, scale, sub} from './vectors.js';

// A line drawn by hand is replaced by few points; the smooth curve through them may leave it by
// this part of its length.
const FREEHAND_TOLERANCE = 0.008;
const FREEHAND_EXACT = 8; // points up to which a line drawn by hand is kept closely
const FREEHAND_MOST = 24;

/** The points, with the first one again behind the last where the curve is closed. */
function looped(points, closed) {
    return closed && points.length > 1 ? [...points, points[0]] : points;
}

function curveLength(points, closed = false) {
    const line = looped(points, closed);
    return line.slice(1).reduce((sum, p, i) => sum + distance(p, line[i]), 0);
}

/** `count` points at equal lengths along the line; a closed one does not repeat its first. */
export function resample(points, count, closed = false) {
    const line = looped(points, closed);
    const total = curveLength(points, closed);
    if (line.length < 2 || total === 0) {
        return Array.from({length: count}, () => points[0].slice());
    }
    const steps = closed ? count : count - 1;
    const result = [];
    let at = 0;
    let before = 0;
    for (let i = 0; i < count; ++i) {
        const wanted = (total * i) / steps;
        while (at < line.length - 2 && before + distance(line[at], line[at + 1]) < wanted) {
            before += distance(line[at], line[at + 1]);
            ++at;
        }
        const step = distance(line[at], line[at + 1]);
        const t = step > 0 ? (wanted - before) / step : 0;
        result.push(mix(line[at], line[at + 1], clamp(t, 0, 1)));
    }
    return result;
}

/** Tangents per unit of chord length, as Catmull and Rom's for points at uneven distances. */
function tangents(points, closed) {
    const n = points.length;
    return points.map((p, i) => {
        const before = points[closed ? (i + n - 1) % n : Math.max(i - 1, 0)];
        const after = points[closed ? (i + 1) % n : Math.min(i + 1, n - 1)];
        const span = distance(before, p) + distance(p, after);
        return span > 0 ? scale(sub(after, before), 1 / span) : sub(p, p);
    });
}

function hermite(p, q, m, n, t) {
    const t2 = t * t;
    const t3 = t2 * t;
    const ends = add(scale(p, 2 * t3 - 3 * t2 + 1), scale(q, 3 * t2 - 2 * t3));
    return add(ends, add(scale(m, t3 - 2 * t2 + t), scale(n, t3 - t2)));
}

/** A smooth line through all points: `steps` pieces between each two of them. */
export function smooth(points, closed = false, steps = 8) {
    if (points.length < 3) {
        return looped(points, closed && points.length > 2).map((p) => p.slice());
    }
    const n = points.length;
    const m = tangents(points, closed);
    const line = [];
    for (let i = 0; i < (closed ? n : n - 1); ++i) {
        const j = (i + 1) % n;
        const span = distance(points[i], points[j]);
        for (let k = 0; k < steps; ++k) {
            const [a, b] = [scale(m[i], span), scale(m[j], span)];
            line.push(hermite(points[i], points[j], a, b, k / steps));
        }
    }
    line.push((closed ? points[0] : points[n - 1]).slice());
    return line;
}

function nearestOnPiece(a, b, p) {
    const d = sub(b, a);
    const size = dot(d, d);
    const t = size > 0 ? clamp(dot(sub(p, a), d) / size, 0, 1) : 0;
    const place = mix(a, b, t);
    return {t, place, distance: distance(p, place)};
}

/** The place of the line nearest to `p`: `piece` is the number of the point before it. */
export function nearestOnLine(points, p, closed = false) {
    const line = looped(points, closed);
    let best = null;
    for (let i = 0; i + 1 < line.length; ++i) {
        const found = nearestOnPiece(line[i], line[i + 1], p);
        if (best === null || found.distance < best.distance) {
            best = {piece: i, ...found};
        }
    }
    return best;
}

/** How far the first line lies away from the second one at most. */
function deviation(line, from) {
    return line.reduce((most, p) => Math.max(most, nearestOnLine(from, p).distance), 0);
}

/**
 * The fewest points whose smooth curve is the line that was drawn by hand. The more points, the less
 * exactly: a hand that trembled or turned sharply leaves no string of pearls to edit.
 */
export function fromFreehand(line, closed = false) {
    const tolerance = FREEHAND_TOLERANCE * curveLength(line, closed);
    const drawn = looped(line, closed);
    for (let count = closed ? 6 : 3; count < FREEHAND_MOST; ++count) {
        const points = resample(line, count, closed);
        const allowed = tolerance * (1 + Math.max(0, count - FREEHAND_EXACT) / 3);
        if (deviation(drawn, smooth(points, closed)) <= allowed) {
            return points;
        }
    }
    return resample(line, FREEHAND_MOST, closed);
}

/** Twice the area that a closed curve goes around, as a vector. */
function areaVector(points) {
    return points.reduce((sum, p, i) => {
        return add(sum, cross(p, points[(i + 1) % points.length]));
    }, [0, 0, 0]);
}

/** Whether the second curve runs against the first one. */
export function runsAgainst(first, second, closed = false) {
    if (first.length < 2 || second.length < 2) {
        return false;
    }
    if (closed) {
        return dot(areaVector(first), areaVector(second)) < 0;
    }
    const [a, b] = [first[0], first[first.length - 1]];
    const [c, d] = [second[0], second[second.length - 1]];
    return distance(a, c) + distance(b, d) > distance(a, d) + distance(b, c);
}
