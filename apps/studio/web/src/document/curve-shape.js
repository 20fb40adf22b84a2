// SPDX-License-Identifier: Apache-2.0
//
// Curves between points as the library has them (src/motion/track.c, src/motion/curve.c), for
// drawing.

/** p(t) from a with slope to b with slope, h apart: base/hermite.h. */
function hermite(a, slopeA, b, slopeB, h, t) {
    const [t2, t3] = [t * t, t * t * t];
    return (2 * t3 - 3 * t2 + 1) * a + h * (t3 - 2 * t2 + t) * slopeA +
        (3 * t2 - 2 * t3) * b + h * (t3 - t2) * slopeB;
}

const secant = ([x0, y0], [x1, y1]) => (y1 - y0) / (x1 - x0);

/** Slopes that do not overshoot (Fritsch and Carlson 1980). */
function smoothSlope(points, i) {
    const before = secant(points[i - 1], points[i]);
    const after = secant(points[i], points[i + 1]);
    if (!(before * after > 0)) {
        return 0;
    }
    const [hb, ha] = [points[i][0] - points[i - 1][0], points[i + 1][0] - points[i][0]];
    const parabola = (ha * before + hb * after) / (hb + ha);
    const most = 3 * Math.min(Math.abs(before), Math.abs(after));
    return Math.sign(before) * Math.min(Math.abs(parabola), most);
}

function smoothPiece(points, i, t) {
    const [a, b] = [points[i], points[i + 1]];
    const line = secant(a, b);
    const slopeA = i > 0 ? smoothSlope(points, i) : line;
    const slopeB = i + 2 < points.length ? smoothSlope(points, i + 1) : line;
    return hermite(a[1], slopeA, b[1], slopeB, b[0] - a[0], t);
}

/** Slopes of the spline of Forsythe, Malcolm and Moler, for two points or more. */
function splineSlopes(points) {
    const n = points.length;
    if (n === 2) {
        const line = secant(...points);
        return [line, line];
    }
    const h = (i) => points[i + 1][0] - points[i][0];
    const d = (i) => secant(points[i], points[i + 1]);
    const second = (i) => (d(i + 1) - d(i)) / (points[i + 2][0] - points[i][0]);
    const third = (i) => (second(i + 1) - second(i)) / (points[i + 3][0] - points[i][0]);
    const diagonal = points.map((p, i) => {
        return i === 0 ? -h(0) : i === n - 1 ? -h(n - 2) : 2 * (points[i + 1][0] - points[i - 1][0]);
    });
    const bends = points.map((p, i) => {
        const end = n > 3 && (i === 0 ? h(0) ** 2 * third(0) : -(h(n - 2) ** 2) * third(n - 4));
        return i === 0 || i === n - 1 ? Number(end) : d(i) - d(i - 1);
    });
    for (let i = 1; i < n; ++i) {
        const share = h(i - 1) / diagonal[i - 1];
        diagonal[i] -= share * h(i - 1);
        bends[i] -= share * bends[i - 1];
    }
    bends[n - 1] /= diagonal[n - 1];
    for (let i = n - 2; i >= 0; --i) {
        bends[i] = (bends[i] - h(i) * bends[i + 1]) / diagonal[i];
    }
    const slopes = points.slice(1).map((p, i) => d(i) - h(i) * (2 * bends[i] + bends[i + 1]));
    return [...slopes, d(n - 2) + h(n - 2) * (bends[n - 2] + 2 * bends[n - 1])];
}

/**
 * The value of a curve at any x. @param {[number, number][]} points by rising x, one or more
 * @param {'stepped'|'linear'|'smooth'|'spline'} interpolation @returns {(x: number) => number}
 */
export function curveThrough(points, interpolation = 'linear') {
    const slopes = interpolation === 'spline' && points.length > 1 ? splineSlopes(points) : null;
    const [first, last] = [points[0], points.at(-1)];
    return (x) => {
        if (x <= first[0]) {
            return first[1] + (slopes?.[0] ?? 0) * (x - first[0]);
        }
        if (x >= last[0]) {
            return last[1] + (slopes?.at(-1) ?? 0) * (x - last[0]);
        }
        const i = points.findIndex((point) => point[0] > x) - 1;
        const [a, b] = [points[i], points[i + 1]];
        const t = (x - a[0]) / (b[0] - a[0]);
        if (slopes !== null) {
            return hermite(a[1], slopes[i], b[1], slopes[i + 1], b[0] - a[0], t);
        }
        return interpolation === 'stepped' ? a[1]
            : interpolation === 'smooth' ? smoothPiece(points, i, t) : a[1] + (b[1] - a[1]) * t;
    };
}
