// SPDX-License-Identifier: Apache-2.0
//
// What tests of brushes without a browser share.

/** A square of side 2 about the origin, of n x n cells, each cut in two. */
export function plane(n, height = () => 0) {
    const points = [];
    const triangles = [];
    for (let i = 0; i <= n; i++) {
        for (let j = 0; j <= n; j++) {
            const x = -1 + (2 * i) / n,
                y = -1 + (2 * j) / n;
            points.push(x, y, height(x, y));
        }
    }
    for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
            const a = i * (n + 1) + j,
                b = a + n + 1;
            triangles.push(a, b, b + 1, a, b + 1, a + 1);
        }
    }
    return {points: Float32Array.from(points), triangles: Uint32Array.from(triangles)};
}

/** A repeatable stream of numbers in [0, 1). */
export function random(seed) {
    let state = seed >>> 0;
    return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
