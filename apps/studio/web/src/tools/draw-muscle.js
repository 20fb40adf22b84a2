// SPDX-License-Identifier: Apache-2.0
//
// A muscle from two curves in the document: what adds a new one, its falloff, its control and the driver of that. Gives values and operations; changes nothing.
import {DEGREES, ROTATIONS} from '../document/joints.js';
import {insert, put, remove} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {rounded, written} from './vectors.js';

/** How much of its contraction an open muscle slides with; 1: all of it. */
export function slideOf(muscle) {
    const places = muscle.vary?.contraction;
    return places === undefined ? 1 : places[0][2];
}

/** Arguments of `muscle_add`. How thick and deep it is follows from its curves, as for every drawing. */
export function addArguments(drawing, {name, skin, size}) {
    const curves = drawing.written().map((curve) => curve.map((p) => written(p, size)));
    return {name, skin, curves, ...(drawing.closed ? {ends: 'closed'} : {})};
}

/** Changes how much a muscle slides as it contracts. */
export function slideOps(document, name, slide) {
    const path = join('muscles', name);
    const muscle = document.muscles[name];
    const {contraction, ...vary} = muscle.vary ?? {};
    const rest = slide === 1 ? vary : {...vary, contraction: [[0.5, 0.5, slide]]};
    const empty = Object.keys(rest).length === 0;
    const tension = muscle.tension === undefined && slide < 1 && muscle.contraction !== undefined
        ? [put(`${path}/tension`, muscle.contraction)] : [];
    if (empty) {
        return muscle.vary === undefined ? tension : [remove(`${path}/vary`), ...tension];
    }
    return [put(`${path}/vary`, rest), ...tension];
}

/** The falloff deformer that follows a muscle: {skin, index, path, deformer}; null: none. */
export function falloffOf(document, muscle) {
    for (const [skin, entry] of Object.entries(document?.skins ?? {})) {
        const index = (entry.deformers ?? []).findIndex((deformer) => {
            return deformer.kind === 'falloff' && deformer.muscles.includes(muscle);
        });
        if (index >= 0) {
            const path = join('skins', skin, 'deformers', index);
            return {skin, index, path, deformer: entry.deformers[index]};
        }
    }
    return null;
}

/** Changes the falloff of one muscle, which leaves those that it shared one with. */
export function falloffOps(document, muscle, values) {
    const {skin, index, path, deformer} = falloffOf(document, muscle);
    if (deformer.muscles.length === 1) {
        return Object.entries(values).map(([key, value]) => put(`${path}/${key}`, value));
    }
    return [put(`${path}/muscles`, deformer.muscles.filter((name) => name !== muscle)),
        insert(join('skins', skin, 'deformers', index + 1),
            {...deformer, muscles: [muscle], ...values})];
}

export function driverOf(document, control) {
    const index = (document?.drivers ?? []).findIndex((driver) => driver.control === control);
    return index < 0 ? null
        : {index, path: join('drivers', index), driver: document.drivers[index]};
}

/** Lets a parameter drive a control through a curve; no parameter: nothing drives it. */
export function driverOps(document, control, parameter, curve) {
    const found = driverOf(document, control);
    if (parameter === null) {
        return found === null ? [] : [remove(found.path)];
    }
    const driver = {control, parameter, ...(curve === null ? {} : {curve})};
    if (found !== null) {
        return [put(found.path, driver)];
    }
    return document.drivers === undefined ? [put('/drivers', [driver])]
        : [insert(join('drivers', document.drivers.length), driver)];
}

/** A first curve of a driver: from one limit of the parameter to the other. */
export function firstCurve(parameter, model) {
    const dot = parameter.lastIndexOf('.');
    const segment = model.segments.find((s) => s.name === parameter.slice(0, dot));
    const key = parameter.slice(dot + 1);
    const limit = segment?.limits?.[key.replace('_deg', '')] ?? null;
    const factor = key.endsWith('_deg') ? DEGREES : 1;
    const standard = key.endsWith('_deg') ? 90 : key.startsWith('r') ? Math.PI / 2 : 1;
    const [low, high] = [limit?.[0] ?? 0, limit?.[1] ?? standard / factor]
        .map((x) => rounded(x * factor, 4));
    return Math.abs(high) >= Math.abs(low) ? [[Math.max(low, 0), 0], [high, 1]]
        : [[low, 1], [Math.min(high, 0), 0]];
}

/** Parameters that can drive a muscle: turns of joints that are free, and other controls. */
export function driverNames(model, control) {
    const turns = model.segments.flatMap((segment) => ROTATIONS
        .filter((key) => {
            const limit = segment.limits?.[key] ?? null;
            return limit === null || (limit[1] ?? Infinity) > (limit[0] ?? -Infinity);
        })
        .map((key) => `${segment.name}.${key}_deg`));
    const controls = model.controls.map((each) => each.name).filter((name) => name !== control);
    return [...turns, ...controls];
}
