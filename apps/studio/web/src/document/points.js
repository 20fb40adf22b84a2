// SPDX-License-Identifier: Apache-2.0
//
// Changes of several points of several curves at once. A curve is [[x, y], ...] by rising x: keys
// of a track over seconds, or outputs of a driver over its inputs. Curves come and go as {name:
// points}, chosen points as [{name, index}].

const byX = (one, other) => one[0] - other[0];

function indexesOf(chosen, name) {
    return new Set(chosen.filter((each) => each.name === name).map(({index}) => index));
}

const namesOf = (chosen) => [...new Set(chosen.map(({name}) => name))];

/** Points among those that are there; one at the same x gives way. */
function merged(points, added, same) {
    const others = points.filter(([x]) => !added.some((each) => Math.abs(each[0] - x) < same));
    return [...others, ...added].sort(byX);
}

const asItIs = (x) => x;

/** A sum without the digits that only come from adding. */
const sum = (y, dy) => (dy === 0 ? y : Number((y + dy).toPrecision(9)));

/**
 * Moves chosen points by `dx`, not below `least`, and each by `dy(name)`. `snap` brings an x to where
 * points stand.
 * @returns {{curves, chosen}} the curves that change, and the points where they are now
 */
export function movedPoints(curves, chosen, dx, dy,
    {least = -Infinity, same = 0, snap = asItIs} = {}) {
    const first = Math.min(...chosen.map(({name, index}) => curves[name][index][0]));
    const by = Math.max(dx, least - first);
    const next = {};
    const moved = namesOf(chosen).flatMap((name) => {
        const indexes = indexesOf(chosen, name);
        const added = curves[name].filter((point, i) => indexes.has(i))
            .map(([x, y]) => [snap(x + by), sum(y, dy(name))]);
        next[name] = merged(curves[name].filter((point, i) => !indexes.has(i)), added, same);
        return added.map((point) => ({name, index: next[name].indexOf(point)}));
    });
    return {curves: next, chosen: moved};
}

/** The curves that change when points go. */
export function withoutPoints(curves, chosen) {
    return Object.fromEntries(namesOf(chosen).map((name) => {
        const indexes = indexesOf(chosen, name);
        return [name, curves[name].filter((point, i) => !indexes.has(i))];
    }));
}

/** Chosen points with other values: `value(name, y)`. */
export function withValues(curves, chosen, value) {
    return Object.fromEntries(namesOf(chosen).map((name) => {
        const indexes = indexesOf(chosen, name);
        return [name, curves[name].map(([x, y], i) => {
            return [x, indexes.has(i) ? value(name, y) : y];
        })];
    }));
}

/** What can be pasted: the points with their distance from the first of them. */
export function copiedPoints(curves, chosen) {
    const points = chosen.map(({name, index}) => ({name, point: curves[name][index]}));
    const first = Math.min(...points.map(({point}) => point[0]));
    return points.map(({name, point: [x, y]}) => ({name, x: x - first, y}));
}

/** The curves that change when copied points are put at `x`, and where they are then. */
export function pastedPoints(curves, copied, x, {same = 0, snap = asItIs} = {}) {
    const next = {};
    const chosen = namesOf(copied).flatMap((name) => {
        const added = copied.filter((each) => each.name === name)
            .map((each) => [snap(x + each.x), each.y]);
        next[name] = merged(curves[name] ?? [], added, same);
        return added.map((point) => ({name, index: next[name].indexOf(point)}));
    });
    return {curves: next, chosen};
}
