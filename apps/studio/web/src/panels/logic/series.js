// SPDX-License-Identifier: Apache-2.0
// What a measurement of a clip holds, as lines of a plot and as a table.

/** The quantities that can be drawn: key in the result, title, unit of the axis. */
export const QUANTITIES = [
    {
        id: 'volume',
        title: 'Volume change',
        unit: '%',
        factor: 100,
        about: 'volume over volume at rest, less 1'
    },
    {
        id: 'length',
        title: 'Length',
        unit: 'mm',
        factor: 1000,
        about: 'length from origin to insertion'
    },
    {
        id: 'shortening',
        title: 'Shortening',
        unit: '',
        factor: 1,
        about: 'part of the way from the length at rest to a fully flexed muscle'
    },
    {id: 'activation', title: 'Activation', unit: '', factor: 1, about: 'how active the muscle is'},
    {id: 'stages', title: 'Stage times', unit: 'ms', factor: 1, about: 'time that each stage takes'}
];

/**
 * Colours that the colour-blind tell apart (Okabe and Ito 2008); dashes tell the next eight apart.
 */
export const COLORS = [
    '#0072b2',
    '#e69f00',
    '#009e73',
    '#cc79a7',
    '#56b4e9',
    '#d55e00',
    '#999933',
    '#882255'
];
export const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** The look of the line with a number: the first eight are told by colour, all 32 by both. */
export function lineStyle(index) {
    return {
        color: COLORS[index % COLORS.length],
        dash: DASHES[Math.floor(index / COLORS.length + index) % DASHES.length]
    };
}

/**
 * The lines of a quantity: [{name, values}], of the muscles in `names` (null: all), or of all
 * stages.
 */
export function linesOf(result, quantity, names = null) {
    if (!result) {
        return [];
    }
    const entries =
        quantity.id === 'stages'
            ? Object.entries(result.stages ?? {})
            : Object.entries(result.muscles ?? {}).map(([name, all]) => [name, all[quantity.id]]);
    return entries
        .filter(
            ([name, values]) =>
                values && (quantity.id === 'stages' || !names || names.includes(name))
        )
        .map(([name, values]) => ({
            name,
            values: Array.from(values, (value) => (value === null ? NaN : value * quantity.factor))
        }));
}

/** The muscles of a result with the largest range of a quantity, largest first. */
export function mostMoved(result, quantity, count) {
    const ranges = linesOf(result, quantity).map(({name, values}) => {
        const known = values.filter(Number.isFinite);
        return {name, range: known.length ? Math.max(...known) - Math.min(...known) : -1};
    });
    return ranges
        .sort((one, other) => other.range - one.range)
        .slice(0, count)
        .map(({name}) => name);
}

function csvText(text) {
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * All of a measurement as a table: a row for each frame, a column for each quantity of each
 * muscle.
 */
export function csvOf(result) {
    const first = result.first ?? 0;
    const columns = [];
    for (const [name, all] of Object.entries(result.muscles ?? {})) {
        for (const [key, values] of Object.entries(all)) {
            columns.push({title: `${name} ${key}`, values});
        }
    }
    for (const [name, values] of Object.entries(result.stages ?? {})) {
        columns.push({title: `${name} ms`, values});
    }
    const rows = [['frame', 'time', ...columns.map(({title}) => csvText(title))]];
    for (let index = 0; index < result.frames; index++) {
        rows.push([
            first + index,
            (first + index) / result.rate,
            ...columns.map(({values}) => values?.[index] ?? '')
        ]);
    }
    return `${rows.map((row) => row.join(',')).join('\n')}\n`;
}
