// SPDX-License-Identifier: Apache-2.0
// Which field a value of the document gets, from the schema alone.
import {kindsOf, namesFrom, resolved} from '../../document/schema.js';

/** Lists and maps with more entries than this are edited as JSON: a form of them helps nobody. */
const MOST_ENTRIES = 64;

const LARGEST_VECTOR = 4;

function isNumeric(schema) {
    return schema?.type === 'number' || schema?.type === 'integer';
}

function isVector(schema) {
    return (
        schema.type === 'array' &&
        schema.minItems === schema.maxItems &&
        schema.maxItems <= LARGEST_VECTOR &&
        isNumeric(schema.items)
    );
}

function isTable(schema) {
    return schema.type === 'array' && schema.items?.type === 'array' && isVector(schema.items);
}

function listKind(schema, value) {
    if (isVector(schema)) {
        return 'vector';
    }
    if ((value?.length ?? 0) > MOST_ENTRIES) {
        return 'json';
    }
    if (isTable(schema)) {
        return 'table';
    }
    return schema.items && typeof schema.items.type !== 'object' ? 'list' : 'json';
}

function objectKind(schema, value) {
    if (schema.properties) {
        return 'group';
    }
    if (typeof schema.additionalProperties !== 'object') {
        return 'json';
    }
    return Object.keys(value ?? {}).length > MOST_ENTRIES ? 'json' : 'map';
}

/**
 * The field of a value: 'fixed', 'choice', 'toggle', 'number', 'name', 'text', 'vector', 'table'
 * (rows of numbers), 'list', 'map', 'group' (an object with keys of its own), or 'json', which
 * takes all that the others cannot.
 */
export function fieldKind(schema, value) {
    const node = resolved(schema, value);
    if (node.const !== undefined) {
        return 'fixed';
    }
    if (Array.isArray(node.enum)) {
        return 'choice';
    }
    if (node.type === 'boolean') {
        return 'toggle';
    }
    if (isNumeric(node)) {
        return 'number';
    }
    if (node.type === 'string') {
        return namesFrom(node).length > 0 ? 'name' : 'text';
    }
    if (node.type === 'array') {
        return listKind(node, value);
    }
    return node.type === 'object' || node.properties ? objectKind(node, value) : 'json';
}

/** A key as people read it: the schema's title, else its name without the unit: 'limits'. */
export function keyTitle(key, schema) {
    return schema?.title ?? key.replace(/_deg$/, '').replaceAll('_', ' ');
}

/**
 * The keys of an object as its form shows them: in the schema's order, so that none jumps when it
 * is set, then what is set besides. Where two have one title, such as a rotation and the same in
 * degrees, the name of the key tells them apart. [{key, title, schema, set, required}]
 */
export function formKeys(schema, value) {
    const node = resolved(schema, value);
    const allowed = node.properties ?? {};
    const required = new Set(node.required ?? []);
    const unknown = Object.keys(value ?? {}).filter((key) => !Object.hasOwn(allowed, key));
    const keys = [...Object.keys(allowed), ...unknown];
    const titles = keys.map((key) => keyTitle(key, allowed[key]));
    const isUnique = (title) => titles.indexOf(title) === titles.lastIndexOf(title);
    return keys.map((key, index) => ({
        key,
        title: isUnique(titles[index]) ? titles[index] : key,
        schema: allowed[key] ?? {},
        set: Object.hasOwn(value ?? {}, key),
        required: required.has(key)
    }));
}

/** Keys that few entries need; a form folds them away until they are set. */
const SELDOM = new Set(['repeat', 'chain', 'vary', 'mirror', 'delay']);

export function isSeldom(key) {
    return SELDOM.has(key);
}

/** The unit of a value's numbers as it is written; '' where they have none. */
export function unitOf(schema) {
    const unit = schema?.unit ?? schema?.items?.unit ?? '';
    return unit === 'deg' ? '°' : unit;
}

/**
 * Whether a number is a length that people measure in millimetres: a distance, a thickness, a
 * width. Those are parameters with a usual range; what has none is a place in the world, in metres.
 */
export function isLength(schema) {
    return schema?.unit === 'm' && schema['x-usual'] !== undefined;
}

/**
 * A default that the schema gives, or that the description ends with, as in 'Degree of the surface
 * (3).'
 */
export function defaultOf(schema) {
    if (schema?.default !== undefined) {
        return schema.default;
    }
    const said = /\(([-+\d.e]+)\)\.?$/.exec(schema?.description ?? '');
    return said && isNumeric(schema) ? Number(said[1]) : undefined;
}

const GENERIC = new Set([
    'Text.',
    'A number.',
    'True or false.',
    'Names.',
    'Three numbers: x, y, z.'
]);

/** Help on a key; '' where the schema says no more than the type. */
export function helpOf(schema) {
    const text = schema?.description ?? '';
    const live = schema?.['x-live'] ? '. A control can drive it: see Driven' : '';
    return GENERIC.has(text) ? '' : text + live;
}

function leastItems(schema) {
    const count = Math.max(schema.minItems ?? 0, 0);
    return Array.from({length: count}, () => startValue(schema.items));
}

function startNumber(schema) {
    const low = schema.minimum ?? -Infinity;
    const high = schema.maximum ?? Infinity;
    return Math.min(Math.max(0, low), high);
}

function startObject(schema) {
    const value = {};
    for (const key of schema.required ?? []) {
        value[key] = startValue(schema.properties?.[key] ?? {});
    }
    return value;
}

/**
 * A value to begin with where a key or an entry is added: its default, else the least that fits.
 */
export function startValue(schema, names = () => []) {
    const node = kindsOf(schema).length > 0 ? kindsOf(schema)[0].schema : (schema ?? {});
    const standard = node.const ?? defaultOf(node) ?? node.enum?.[0];
    if (standard !== undefined) {
        return structuredClone(standard);
    }
    if (isNumeric(node)) {
        return startNumber(node);
    }
    if (node.type === 'boolean') {
        return false;
    }
    if (node.type === 'string') {
        return names(namesFrom(node))[0] ?? '';
    }
    return node.type === 'array' ? leastItems(node) : startObject(node);
}
