// SPDX-License-Identifier: Apache-2.0
// What a measurement of a clip holds, as lines of a plot and as a table.

/** The quantities that can be drawn: key in the result, title, unit of the axis. */
export const QUANTITIES = [
    {
        id: 'volume',
        title: 'Volume change',
        unit: '%',
        factor: 100,
        least: 0.1, // less is rounding
        about: 'change of volume against rest'
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
        about: '0 at rest length, 1 when fully shortened (75 % of rest length)'
    },
    {
        id: 'activation',
        title: 'Activation',
        unit: '',
        factor: 1,
        about: 'how tense the muscle is, 0 to 1'
    },
    {
        id: 'swing',
        title: 'Swing',
        unit: 'mm',
        factor: 1000,
        least: 0.01, // less is rounding
        about: 'largest distance of a fibre from where the pose alone would put it'
    },
    {
        id: 'moment_arms',
        title: 'Moment arm',
        unit: 'mm',
        factor: 1000,
        about: 'lever of its pull about the coordinate, positive where it makes it grow'
    },
    {
        id: 'stages',
        title: 'Stage times',
        unit: 'ms',
        factor: 1,
        about: 'time that each stage of a frame takes'
    }
];

const SERIES = ['volume', 'length', 'shortening', 'activation', 'swing'];

/**
 * Colours that the colour-blind tell apart (Okabe and Ito 2008); dashes tell the next eight apart.
 */
const COLORS = [
    '#0072b2',
    '#e69f00',
    '#009e73',
    '#cc79a7',
    '#56b4e9',
    '#d55e00',
    '#999933',
    '#882255'
];
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** The look of the line with a number: the first eight are told by colour, all 32 by both. */
export function lineStyle(index) {
    return {
        color: COLORS[index % COLORS.length],
        dash: DASHES[Math.floor(index / COLORS.length + index) % DASHES.length]
    };
}

// Lists grow where they are: copied for every piece, those of a long clip would cost more than it.
function extended(list, from, values) {
    if (!values) {
        return null;
    }
    const all = list ?? [];
    all.length = Math.min(all.length, from);
    values.forEach((value) => all.push(value));
    return all;
}

/**
 * A measurement with what came behind what is known of it, which is used up: events bring the
 * frames piece by piece.
 */
export function grown(known, piece) {
    const {from = 0} = piece;
    const more = (before, after) => extended(before, from, after);
    const before = from > 0 ? known : null;
    const muscles = Object.entries(piece.muscles).map(([name, muscle]) => {
        const old = before?.muscles[name];
        const series = SERIES.map((key) => [key, more(old?.[key], muscle[key])]);
        if (muscle.moment_arms) {
            const arms = Object.entries(muscle.moment_arms).map(([coordinate, values]) => [
                coordinate,
                more(old?.moment_arms?.[coordinate], values)
            ]);
            series.push(['moment_arms', Object.fromEntries(arms)]);
        }
        return [name, {...muscle, ...Object.fromEntries(series)}];
    });
    const stages = Object.entries(piece.stages).map(([name, values]) => [
        name,
        more(before?.stages[name], values)
    ]);
    return {
        rate: piece.rate,
        frames: more(before?.frames, piece.frames),
        times: more(before?.times, piece.times),
        muscles: Object.fromEntries(muscles),
        stages: Object.fromEntries(stages)
    };
}

/**
 * All of a measurement when it has ended: its result, or, where that has only every n-th frame of a
 * long clip, what came before if that has all of them.
 */
export function whole(known, result) {
    const {step = 1} = result;
    const most = step * (result.frames.length - 1);
    const hasAll = step > 1 && known !== null && known.frames.length > most;
    return hasAll ? known : {...grown(null, result), step};
}

function ordinal(count) {
    const last = count % 100 > 10 && count % 100 < 14 ? 0 : count % 10;
    return ['th', 'st', 'nd', 'rd'][last] ?? 'th';
}

/** "60 frames"; "500 frames, every 4th of the clip" where it is long. */
export function framesText({frames, step = 1}) {
    return `${frames.length} frames${step > 1 ? `, every ${step}${ordinal(step)} of the clip` : ''}`;
}

function volumeChange({volume, rest_volume: rest}) {
    return volume && rest > 0 ? volume.map((value) => value / rest - 1) : null;
}

function muscleValues(muscle, quantity) {
    if (quantity.id === 'moment_arms') {
        return muscle.moment_arms?.[quantity.coordinate];
    }
    return quantity.id === 'volume' ? volumeChange(muscle) : muscle[quantity.id];
}

/** The coordinates that a muscle of a result has a moment arm about, in their order. */
export function coordinatesOf(result) {
    const names = Object.values(result?.muscles ?? {}).flatMap((muscle) =>
        Object.keys(muscle.moment_arms ?? {})
    );
    return [...new Set(names)];
}

/**
 * The lines of a quantity: [{name, values}], of the muscles in `names` (null: all), or of stages.
 * What a muscle does not have, such as the volume of an open one, has no line.
 */
export function linesOf(result, quantity, names = null) {
    if (!result) {
        return [];
    }
    const stages = quantity.id === 'stages';
    const entries = stages
        ? Object.entries(result.stages)
        : Object.entries(result.muscles).map(([name, each]) => [
              name,
              muscleValues(each, quantity)
          ]);
    return entries
        .filter(([name, values]) => values && (stages || !names || names.includes(name)))
        .map(([name, values]) => ({name, values: values.map((value) => value * quantity.factor)}));
}

// A list may be longer than a call may have arguments.
function spanOf(values) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    return values.length > 0 ? high - low : 0;
}

/** The muscles of a result with the largest range of a quantity, largest first. */
export function mostMoved(result, quantity, count) {
    const ranges = linesOf(result, quantity).map(({name, values}) => ({
        name,
        range: spanOf(values)
    }));
    return ranges
        .sort((one, other) => other.range - one.range)
        .slice(0, count)
        .map(({name}) => name);
}

function csvText(text) {
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * All of a measurement as a table: a row for each frame, a column for each series of each muscle,
 * in metres and cubic metres, and for each stage in milliseconds.
 */
export function csvOf(result) {
    const columns = Object.entries(result.muscles).flatMap(([name, muscle]) =>
        SERIES.filter((key) => muscle[key]).map((key) => ({
            title: `${name} ${key}`,
            values: muscle[key]
        }))
    );
    for (const [name, muscle] of Object.entries(result.muscles)) {
        for (const [coordinate, values] of Object.entries(muscle.moment_arms ?? {})) {
            columns.push({title: `${name} moment arm ${coordinate}`, values});
        }
    }
    for (const [name, values] of Object.entries(result.stages)) {
        columns.push({title: `${name} ms`, values});
    }
    const head = ['frame', 'time', ...columns.map(({title}) => csvText(title))];
    const rows = result.frames.map((frame, index) => [
        frame,
        result.times[index],
        ...columns.map(({values}) => values[index])
    ]);
    return `${[head, ...rows].map((row) => row.join(',')).join('\n')}\n`;
}
