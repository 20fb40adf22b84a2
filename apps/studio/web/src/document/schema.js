// SPDX-License-Identifier: Apache-2.0
//
// What the document's JSON Schema says about a place: kinds (oneOf, anyOf) are chosen by the value
// that stands there.
import {split} from './pointer.js';

/**
 * @param {object} schema of the whole document
 * @param {*} document
 * @param {string} path
 * @returns {object|null} the node of the schema, with `unit` read from key and description
 */
export function schemaAt(schema, document, path) {
    let node = resolve(schema, document);
    let value = document;
    let key = '';
    let owner;
    for (key of split(path)) {
        owner = value;
        const inner = value !== null && typeof value === 'object' ? value[key] : undefined;
        node = resolve(step(node, value, key), inner);
        value = inner;
        if (node === null) {
            return null;
        }
    }
    return {...node, unit: unitIn(owner, node.unit ?? unitOf(key, node))};
}

/** The kinds that may stand at a place: [{kind, schema}], empty where there is only one. */
export function kindsAt(schema, document, path) {
    const keys = split(path);
    let node = schema;
    let value = document;
    for (const key of keys) {
        node = step(resolve(node, value), value, key);
        value = value !== null && typeof value === 'object' ? value[key] : undefined;
        if (node === null) {
            return [];
        }
    }
    return kindsOf(node);
}

/**
 * The kinds that a value can have: [{kind, schema}], empty where the schema does not ask for one.
 */
export function kindsOf(schema) {
    const choices = schema?.choices ?? alternatives(schema);
    return choices.map((each) => ({kind: kindOf(each), schema: each}))
        .filter(({kind}) => kind !== undefined);
}

/** The schema with the kind of `value` chosen, where it has kinds. */
export function resolved(schema, value) {
    const choices = kindsOf(schema).map((each) => each.schema);
    const chosen = kindsOf(schema).find(({kind}) => kind === value?.kind);
    if (!chosen) {
        return schema ?? {};
    }
    return {...schema, ...chosen.schema, oneOf: undefined, anyOf: undefined, choices};
}

/** The sections that hold the names that a text may be: [] where it is any text. */
export function namesFrom(schema) {
    const from = schema?.['x-name-of'] ?? schema?.['x_name_of'];
    return from === undefined ? [] : Array.isArray(from) ? from : String(from).split(/[\s,|]+/);
}

function alternatives(node) {
    return node?.oneOf ?? node?.anyOf ?? [];
}

function kindOf(node) {
    return node.properties?.kind?.const;
}

function step(node, value, key) {
    if (node === null) {
        return null;
    }
    if (Array.isArray(value) || (node.type === 'array' && node.properties === undefined)) {
        return node.prefixItems?.[Number(key)] ?? node.items ?? null;
    }
    if (node.properties !== undefined && Object.hasOwn(node.properties, key)) {
        return node.properties[key];
    }
    return node.additionalProperties && typeof node.additionalProperties === 'object'
        ? node.additionalProperties : null;
}

// Chooses among alternatives: by kind, else by the first that the value fits.
function resolve(node, value) {
    const choices = alternatives(node);
    if (node === null || choices.length === 0) {
        return node;
    }
    const kind = value?.kind;
    const found = choices.find((each) => kind !== undefined && kindOf(each) === kind) ??
        choices.find((each) => fits(each, value)) ?? choices[0];
    const {oneOf, anyOf, ...common} = node;
    return resolve({...common, ...found, choices}, value);
}

function fits(node, value) {
    if (node.const !== undefined) {
        return value === node.const;
    }
    if (node.enum !== undefined) {
        return node.enum.includes(value);
    }
    if (alternatives(node).length > 0) {
        return alternatives(node).some((each) => fits(each, value));
    }
    if (value === null || typeof value !== 'object') {
        const type = typeOf(value);
        return node.type === type || (node.type === 'number' && type === 'integer');
    }
    if (Array.isArray(value)) {
        return node.type === 'array' && value.length >= (node.minItems ?? 0) &&
            value.length <= (node.maxItems ?? Infinity) &&
            value.every((item) => node.items === undefined || fits(node.items, item));
    }
    return node.type === 'object' &&
        (node.required ?? []).every((key) => Object.hasOwn(value, key)) &&
        (node.additionalProperties !== false ||
            Object.keys(value).every((key) => Object.hasOwn(node.properties ?? {}, key)));
}

function typeOf(value) {
    return value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value;
}

// Widths of a muscle with "sizes": "length" are parts of its length at rest, which have no unit.
function unitIn(owner, unit) {
    return unit === 'm' && owner?.sizes === 'length' ? undefined : unit;
}

const UNITS = /\b(metres|radians|degrees|seconds|frames per second|kg\/m²|1\/s|m\/s²|N m)\b/;

// Keys that end in _deg hold degrees; other units stand in the description.
function unitOf(key, node) {
    if (/_deg$/.test(key)) {
        return 'deg';
    }
    const text = node.description ?? '';
    const found = UNITS.exec(text);
    const short = {metres: 'm', radians: 'rad', degrees: 'deg', seconds: 's',
        'frames per second': 'fps'};
    return found ? short[found[1]] ?? found[1] : undefined;
}
