// SPDX-License-Identifier: Apache-2.0
//
// Names of files, as the file dialogs need them. No part of the page reads files itself: folders
// come from the server's `files`.
import {counted} from '../core/texts.js';

/** folder/name, whatever the folder ends with. */
export function joinPath(folder, name) {
    return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/**
 * The path that a text is, as people paste it: also quoted, or as file://; one that begins nowhere
 * begins in `folder`. @returns {string|null} null: it is a bare name
 */
export function pastedPath(text, folder) {
    const bare = text.trim().replace(/^(["'])(.*)\1$/, '$2');
    if (/^file:\/\//i.test(bare)) {
        return decoded(bare.replace(/^file:\/\/[^/]*/i, ''));
    }
    const absolute = bare.startsWith('/') || /^~(\/|$)/.test(bare);
    return absolute ? bare : bare.includes('/') ? joinPath(folder, bare) : null;
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text; // a % that means itself
    }
}

/** The last part of a path. */
export function baseName(path) {
    return path.replace(/\/+$/, '').split('/').pop();
}

/** What stands before the last part of a path; '/' at the root. */
export function folderOf(path) {
    const cut = path.replace(/\/+$/, '').lastIndexOf('/');
    return cut > 0 ? path.slice(0, cut) : '/';
}

/** A name without what it ends with, of several endings the longest: 'arm' of 'arm.sinew.json'. */
export function stem(name, endings) {
    const found = endings
        .filter((each) => name.toLowerCase().endsWith(each))
        .sort((a, b) => b.length - a.length)[0];
    return found === undefined ? name : name.slice(0, -found.length);
}

/** A name that ends with one of the endings: with the first where it has none of them. */
export function withEnding(name, endings) {
    const has = endings.some((each) => name.toLowerCase().endsWith(each));
    return has || endings.length === 0 ? name : name + endings[0];
}

/** What is wrong with the name of a new file, or null. */
export function nameProblem(name) {
    if (name.trim() === '') {
        return 'Type a name.';
    }
    if (name.includes('/') || name.includes('\0')) {
        return 'A name cannot contain "/". Choose the folder above.';
    }
    return name === '.' || name === '..' ? `"${name}" is a folder.` : null;
}

/** Folders first, then files of the kinds that are wanted, both by name; `text` narrows them. */
export function visibleEntries(entries, {kinds = null, endings = null, text = ''} = {}) {
    const wanted = text.trim().toLowerCase();
    return entries
        .filter((each) => each.kind === 'folder' || isWanted(each, kinds, endings))
        .filter((each) => each.name.toLowerCase().includes(wanted))
        .filter((each) => !each.name.startsWith('.') || wanted.startsWith('.'))
        .sort((a, b) => rank(a) - rank(b) || compareNames(a.name, b.name));
}

function isWanted(entry, kinds, endings) {
    const name = entry.name.toLowerCase();
    return (
        (kinds === null || kinds.includes(entry.kind)) &&
        (endings === null || endings.some((each) => name.endsWith(each)))
    );
}

function rank(entry) {
    return entry.kind === 'folder' ? 0 : 1;
}

// As people count: take 2 before take 10.
function compareNames(a, b) {
    return a.localeCompare(b, 'en', {numeric: true, sensitivity: 'base'}) || (a < b ? -1 : 1);
}

function isBelow(path, folder) {
    return path === folder || path.startsWith(joinPath(folder, ''));
}

/**
 * The parts of a path as [{name, path}], the top first, to click on: from the highest of the
 * `roots` that it lies below, for nothing above that can be opened.
 */
export function crumbs(path, roots = ['/']) {
    const top = roots.filter((root) => isBelow(path, root)).sort((a, b) => a.length - b.length)[0];
    const parts = path.split('/').filter((part) => part !== '');
    const all = [{name: '/', path: '/'}].concat(
        parts.map((name, i) => ({name, path: `/${parts.slice(0, i + 1).join('/')}`}))
    );
    return top === undefined ? all.slice(-1) : all.filter((each) => isBelow(each.path, top));
}

/** 1234567 -> '1.2 MB'. */
export function sizeText(bytes) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let value = bytes;
    let unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
        value /= 1000;
        unit += 1;
    }
    return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/**
 * When, as people say it: 'today 14:05', 'yesterday', '3 May', '3 May 2024'. @param seconds
 * since 1970
 */
export function whenText(seconds, now = new Date()) {
    const when = new Date(seconds * 1000);
    const days = Math.round((startOfDay(now) - startOfDay(when)) / 86400000);
    if (days === 0) {
        const two = (number) => String(number).padStart(2, '0');
        return `today ${two(when.getHours())}:${two(when.getMinutes())}`;
    }
    if (days === 1) {
        return 'yesterday';
    }
    const year = when.getFullYear() === now.getFullYear() ? '' : ` ${when.getFullYear()}`;
    return `${when.getDate()} ${when.toLocaleString('en', {month: 'short'})}${year}`;
}

function startOfDay(date) {
    return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** "1 edit", "12 edits". */
export function editsText(count) {
    return counted(count, 'edit');
}

const SHOWN_FIRST = ['person', 'athlete', 'human', 'head', 'arm', 'monkey', 'rex'];

/**
 * Shipped characters: whole bodies and the arm, with which the tour begins, first; the others in the order
 * that they have.
 */
export function shownFirst(gallery) {
    const place = ({name}) => (SHOWN_FIRST.indexOf(name) + 1 || SHOWN_FIRST.length + 1);
    return gallery.toSorted((a, b) => place(a) - place(b));
}
