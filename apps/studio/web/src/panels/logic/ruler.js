// SPDX-License-Identifier: Apache-2.0
// Places on an axis: frames and pixels of the timeline, values and pixels of plots.

const STEPS = [1, 2, 5];

/**
 * The least of 1, 2, 5, 10, 20, ... that is no less than `least`; below 1 only where `fractions`.
 */
function niceStep(least, fractions = true) {
    if (!(least > 0) || !Number.isFinite(least)) {
        return 1;
    }
    let power = 10 ** Math.floor(Math.log10(least));
    if (!fractions && power < 1) {
        return 1;
    }
    for (;;) {
        for (const step of STEPS) {
            if (step * power >= least * (1 - 1e-9)) {
                return step * power;
            }
        }
        power *= 10;
    }
}

/** Values of the marks of an axis from `low` to `high`, with at most `most` of them. */
export function ticks(low, high, most, fractions = true) {
    if (!(high > low)) {
        return [low];
    }
    const step = niceStep((high - low) / Math.max(1, most), fractions);
    const marks = [];
    for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++) {
        marks.push(Number((index * step).toPrecision(12)));
    }
    return marks;
}

/** A linear scale from values to pixels and back: {at(value), value(pixel)}. */
export function scale(low, high, from, to) {
    const span = high > low ? high - low : 1;
    return {
        low,
        high,
        at: (value) => from + ((value - low) / span) * (to - from),
        value: (pixel) => low + ((pixel - from) / (to - from)) * span
    };
}

/** The whole frame at a pixel, kept within the range. */
export function frameAt(axis, pixel, first, last) {
    return Math.min(Math.max(Math.round(axis.value(pixel)), first), last);
}

/**
 * A range with some air that holds all numbers of lists; a flat one is opened around its value.
 * `least`: what is narrower is opened to that, so that rounding does not look like motion.
 */
export function rangeOf(lists, {air = 0.05, least = 0} = {}) {
    let low = Infinity;
    let high = -Infinity;
    for (const list of lists) {
        for (const value of list) {
            if (Number.isFinite(value)) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
        }
    }
    if (low > high) {
        return {low: 0, high: 1};
    }
    const span = high - low || Math.abs(high) || 1;
    const more = Math.max(air * span, (least - (high - low)) / 2);
    return {low: low - more, high: high + more};
}

const LEAST_IN_SIGHT = 4; // frames

/** A range that is `factor` as wide, with `at` where it was, within `all`; null: all of it. */
export function zoomed(range, at, factor, all) {
    const wide = Math.max((range.last - range.first) * factor, LEAST_IN_SIGHT);
    if (wide >= all.last - all.first) {
        return null;
    }
    const share = (at - range.first) / (range.last - range.first);
    return moved({first: at - share * wide, last: at + (1 - share) * wide}, 0, all);
}

/** A range that is moved along, kept within `all`; null: all of it. */
export function moved(range, by, all) {
    const wide = range.last - range.first;
    if (wide >= all.last - all.first) {
        return null;
    }
    const first = Math.min(Math.max(range.first + by, all.first), all.last - wide);
    return {first, last: first + wide};
}

/**
 * The frames that play, [first, last], when one end is moved to a frame: at least two frames stay.
 * Null: all of the clip.
 * @param {{first, last, range: ?number[]}} time @param {'first'|'last'} end
 */
export function movedRange({first, last, range}, end, frame) {
    let [low, high] = range ?? [first, last];
    if (end === 'first') {
        low = Math.max(first, Math.min(frame, high - 1));
    } else {
        high = Math.min(last, Math.max(frame, low + 1));
    }
    return low <= first && high >= last ? null : [low, high];
}
