// SPDX-License-Identifier: Apache-2.0
//
// A plane through a body: a square window around a centre, in the frame of the world or of a
// segment. `turn` is its normal's angle about y from z on, `tilt` its angle above the plane of x and
// z, in degrees; one side of the window stays in that plane.

const RADIANS = Math.PI / 180;
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const wrapped = (degrees) => (((degrees + 180) % 360) + 360) % 360 - 180;

/** The axes of the window and its normal, unit vectors: {across, up, normal}. */
export function sliceAxes({turn, tilt}) {
    const [s, c] = [Math.sin(turn * RADIANS), Math.cos(turn * RADIANS)];
    const [st, ct] = [Math.sin(tilt * RADIANS), Math.cos(tilt * RADIANS)];
    return {across: [c, 0, -s], up: [-s * st, ct, -c * st], normal: [s * ct, st, c * ct]};
}

/** What the server is asked for: a corner, both sides, and how many values along them. */
export function sliceCorners(plane) {
    const {across, up} = sliceAxes(plane);
    const {center, size, cells} = plane;
    return {origin: center.map((x, k) => x - size / 2 * (across[k] + up[k])),
        u: across.map((x) => size * x), v: up.map((x) => size * x),
        columns: cells + 1, rows: cells + 1};
}

/** The same plane with its normal along a direction; straight up and down `turn` stays. */
export function facing(plane, direction) {
    const [x, y, z] = direction;
    const level = Math.hypot(x, z);
    return {...plane, tilt: Math.atan2(y, level) / RADIANS,
        turn: level > 1e-6 * Math.abs(y) ? wrapped(Math.atan2(x, z) / RADIANS) : plane.turn};
}

/** How far along its normal it is from the origin of its frame. */
export const positionOf = (plane) => dot(plane.center, sliceAxes(plane).normal);

/** The same plane moved along its normal to a position. */
export function movedTo(plane, position) {
    const {normal} = sliceAxes(plane);
    const by = position - positionOf(plane);
    return {...plane, center: plane.center.map((x, k) => x + by * normal[k])};
}
