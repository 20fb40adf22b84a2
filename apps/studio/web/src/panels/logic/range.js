// SPDX-License-Identifier: Apache-2.0
// Ranges and steps of sliders. Many limits of the document are generous (0 to 1000 m for a depth of
// 2 mm): a slider over all of that would be of no use, so it covers what is near.

/** A range that is at most this many times as wide as the value is taken as it stands. */
const WIDEST = 200;

function niceAbove(size) {
    const power = 10 ** Math.floor(Math.log10(size));
    return [1, 2, 5, 10].map((factor) => factor * power).find((nice) => nice >= size * (1 - 1e-12));
}

/**
 * The range a slider shows for a number: {low, high}, within the hard limits, around what is
 * there.
 */
export function sliderRange({low = -Infinity, high = Infinity, value = 0, standard}) {
    const size = Math.max(Math.abs(value), Math.abs(standard ?? 0));
    if (Number.isFinite(low) && Number.isFinite(high) && high - low <= Math.max(WIDEST * size, 2)) {
        return {low, high};
    }
    const reach = niceAbove(size > 0 ? 4 * size : 1);
    const softLow = value < 0 || low < 0 ? -reach : 0;
    return {low: Math.max(low, softLow), high: Math.min(high, reach)};
}

/** A step of a slider: about a thousandth of the range, a whole number where `whole`. */
export function sliderStep({low, high}, whole) {
    if (whole) {
        return 1;
    }
    const span = high - low;
    return span > 0 ? niceAbove(span / 1000) : 0.001;
}

/** A number as text: short, but no digit that was typed is lost below 9 of them. */
export function numberText(value, digits = 6) {
    if (!Number.isFinite(value)) {
        return '–';
    }
    return String(Number(value.toPrecision(digits)));
}
