// SPDX-License-Identifier: Apache-2.0
// The document as rows of a tree, in its own order and under its own names.

import {counted} from '../../core/texts.js';
import {otherSide} from '../../document/names.js';
import {child, get, join, last, parent, split} from '../../document/pointer.js';

/** What the sections of a document are called, and what one entry of each is. */
export const SECTIONS = {
    skeleton: {one: 'segment', icon: 'segment'},
    proportions: {one: 'proportion', icon: 'proportion'},
    meshes: {one: 'mesh', icon: 'mesh'},
    bones: {one: 'bone', icon: 'bone'},
    tissues: {one: 'tissue', icon: 'tissue'},
    skins: {one: 'skin', icon: 'skin'},
    muscles: {one: 'muscle', icon: 'muscle'},
    controls: {one: 'control', icon: 'control'},
    synergies: {one: 'synergy', icon: 'synergy'},
    drivers: {one: 'driver', icon: 'driver'},
    landmarks: {one: 'landmark', icon: 'landmark'},
    clips: {one: 'clip', icon: 'clip'}
};

/** Keys of entries whose own entries get rows: a skin's deformers, the tracks of a clip. */
const NESTED = {deformers: 'deformer', tracks: 'track', strips: 'strip', poses: 'pose'};

/** Sections whose entries can be hidden by their key `show`. */
const SHOWN = new Set(['skins', 'muscles']);

function isContainer(value) {
    return value !== null && typeof value === 'object';
}

function entriesOf(value) {
    return Array.isArray(value)
        ? value.map((entry, index) => [String(index), entry])
        : Object.entries(value);
}

function countOf(value) {
    return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function fileEnding(name) {
    const dot = String(name).lastIndexOf('.');
    return dot < 0 ? String(name) : String(name).slice(dot);
}

function clipKind(entry) {
    return entry.file
        ? `clip ${fileEnding(entry.file)}`
        : counted(countOf(entry.tracks ?? {}), 'track');
}

function listCount(list, one) {
    return Array.isArray(list) ? counted(list.length, one) : '';
}

const SHAPES = ['mesh', 'ellipsoid', 'tube'];

const KIND_OF = {
    skeleton: (entry) => (entry.parent ? `on ${entry.parent}` : 'root'),
    proportions: (entry) => `× ${entry}`,
    meshes: (entry) => (entry.file ? fileEnding(entry.file) : entry.extract ? 'extracted' : 'mesh'),
    bones: (entry) => SHAPES.find((shape) => shape in entry) ?? 'bone',
    tissues: (entry) => SHAPES.find((shape) => shape in entry) ?? 'tissue',
    skins: (entry) => entry.look ?? 'skin',
    controls: (entry) => entry.group ?? 'control',
    synergies: (entry) => `moves ${counted(countOf(entry.spread ?? {}), 'other')}`,
    drivers: (entry) => `from ${entry.parameter ?? (entry.distance ?? []).join(' – ')}`,
    landmarks: (entry) => entry.segment ?? entry.mesh ?? 'landmark',
    clips: clipKind,
    deformers: (entry) => entry.driver_mesh ?? listCount(entry.muscles ?? entry.colliders, 'part'),
    tracks: (entry) => listCount(entry.keys, 'key'),
    strips: () => 'strip',
    poses: (entry) => listCount(entry.keys, 'key')
};

// How many parts of the character an entry stands for.
function partsOf(entry) {
    const repeats = Number(entry?.chain ?? entry?.repeat ?? 1);
    return repeats * (entry?.mirror === true ? 2 : 1);
}

/** How many entries a section has and, where they stand for more parts, how many: "66 (132)". */
export function countText(entries) {
    const count = countOf(entries);
    const parts = Object.values(entries).reduce((sum, entry) => sum + partsOf(entry), 0);
    return parts === count ? String(count) : `${count} (${parts})`;
}

function repeatMark(entry) {
    const count = entry?.chain ?? entry?.repeat;
    return `${count ? ` ×${count}` : ''}${entry?.mirror === true ? ' mirrored' : ''}`;
}

/** A few words on what an entry is: its kind, its parent, its group. */
export function kindOf(section, entry) {
    const own = KIND_OF[section]?.(entry) ?? entry?.kind ?? '';
    return `${own}${repeatMark(entry)}`.trim();
}

function nameOf(key, entry, inList) {
    return inList
        ? String(entry?.control ?? entry?.kind ?? entry?.follows ?? Number(key) + 1)
        : key;
}

/** What the entry at a path is called: its key, in a list what it is. */
export function entryName(document, path) {
    const above = parent(path);
    return nameOf(last(path), get(document, path), Array.isArray(get(document, above)));
}

/** What the entry at some keys of a document is: "muscle", "deformer of skin". */
export function wordFor(keys) {
    if (keys.length < 2) {
        return keys.length === 0 ? 'character' : 'section';
    }
    const nested = keys.length > 2 ? NESTED[keys.at(-2)] : undefined;
    return nested === undefined ? (SECTIONS[keys[0]]?.one ?? keys[0]) : `${nested} of ${keys[1]}`;
}

function shownOf(section, entry) {
    return SHOWN.has(section) ? entry.show !== false : null;
}

function nestedRows(rows, section, path, entry, level) {
    for (const key of Object.keys(NESTED)) {
        if (isContainer(entry?.[key])) {
            entryRows(rows, key, child(path, key), entry[key], level);
        }
    }
}

function entryRows(rows, section, path, entries, level) {
    const listed = entriesOf(entries);
    listed.forEach(([key, entry], index) => {
        const row = {
            path: child(path, key),
            name: nameOf(key, entry, Array.isArray(entries)),
            section,
            kind: kindOf(section, entry),
            about: typeof entry?.about === 'string' ? entry.about : '',
            icon: SECTIONS[section]?.icon ?? NESTED[section],
            level,
            shown: isContainer(entry) ? shownOf(section, entry) : null,
            position: index + 1,
            siblings: listed.length,
            count: 0
        };
        rows.push(row);
        const before = rows.length;
        nestedRows(rows, section, row.path, entry, level + 1);
        row.count = rows.length - before;
    });
}

function topRow(values) {
    return {section: '', about: '', shown: null, position: 1, siblings: 1, count: 0, ...values};
}

function sectionRows(rows, document, section, position, siblings) {
    const row = topRow({
        path: join(section),
        name: section,
        kind: countText(document[section]),
        icon: SECTIONS[section]?.icon ?? 'section',
        level: 2,
        position,
        siblings
    });
    rows.push(row);
    const before = rows.length;
    entryRows(rows, section, row.path, document[section], 3);
    row.count = rows.length - before;
}

/**
 * All rows of a document: the character itself, its sections, their entries and what lies in them.
 * A row: {path, name, section, kind, about, icon, level (from 1), shown (true, false; null: says
 * nothing), position, siblings, count (rows below it)}.
 */
export function outline(document) {
    if (!document) {
        return [];
    }
    const {name = 'character', about = ''} = document;
    const sections = Object.keys(document).filter((key) => isContainer(document[key]));
    const rows = [topRow({path: '', name, about, kind: 'character', icon: 'character', level: 1})];
    sections.forEach((section, index) => {
        sectionRows(rows, document, section, index + 1, sections.length);
    });
    rows[0].count = rows.length - 1;
    return rows;
}

function matches(row, words) {
    const text = `${row.name} ${row.section} ${row.kind} ${row.about}`.toLowerCase();
    return words.every((word) => text.includes(word));
}

function withAncestors(rows, found) {
    const kept = new Array(rows.length).fill(false);
    const trail = [];
    rows.forEach((row, index) => {
        trail.length = row.level - 1;
        trail.push(index);
        if (found[index]) {
            trail.forEach((above) => {
                kept[above] = true;
            });
        }
    });
    return kept;
}

/**
 * The rows that have all words of `query` in name, section, kind or about, with the rows above
 * them.
 */
export function search(rows, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
        return rows;
    }
    // A section as such is no find: else 'muscles' would show it empty.
    const kept = withAncestors(
        rows,
        rows.map((row) => row.level > 2 && matches(row, words))
    );
    return rows.filter((row, index) => kept[index]);
}

/** The rows that are not below a row whose path is in `collapsed`. */
export function unfolded(rows, collapsed) {
    const visible = [];
    let hiddenBelow = Infinity;
    for (const row of rows) {
        if (row.level > hiddenBelow) {
            continue;
        }
        hiddenBelow = collapsed.has(row.path) ? row.level : Infinity;
        visible.push(row);
    }
    return visible;
}

function isRepeatOf(template, name) {
    if (!template.includes('#')) {
        return template === name;
    }
    const parts = template.split('#').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('\\d+')}$`).test(name);
}

/**
 * The entry of the document that stands for `path`: itself where it is there, else the repeated or
 * mirrored entry that it comes from. Null where there is none.
 */
export function entryFor(document, path) {
    if (!path || get(document, path) !== undefined) {
        return path;
    }
    const [section, name, ...rest] = split(path);
    const entries = document?.[section];
    if (!isContainer(entries) || name === undefined) {
        return null;
    }
    const key =
        Object.keys(entries).find((each) => isRepeatOf(each, name)) ??
        Object.keys(entries).find((each) => isRepeatOf(otherSide(each), name));
    return key === undefined
        ? null
        : (entryFor(document, join(section, key, ...rest)) ?? join(section, key));
}
