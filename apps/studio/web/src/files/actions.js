// SPDX-License-Identifier: Apache-2.0
//
// What can be done with files. The server reads and writes; the page asks where.
import {h} from '../core/dom.js';
import {titleOf} from '../core/texts.js';
import {dialog} from '../core/widgets.js';
import {chooseFile, folderOfSlot} from './browser.js';
import {baseName, editsText, stem} from './paths.js';
import {askUnitsAfter} from './units.js';

export const DOCUMENT_ENDING = '.sinew.json';
const DOCUMENTS = {label: 'Characters', endings: [DOCUMENT_ENDING]};

/** What can be imported, as filters of a file dialog. */
function importFilters(studio) {
    const endings = (studio.welcome?.extensions.import ?? []).map(withDot);
    return [{label: 'Models', endings}, {label: 'All files'}];
}

/** The same, with characters first. */
export function readableFilters(studio) {
    return [DOCUMENTS, ...importFilters(studio)];
}

/** ['glb'] and ['.glb'] mean the same. */
export function withDot(extension) {
    return extension.startsWith('.') ? extension : `.${extension}`;
}

/**
 * Asks what becomes of work that is not saved before something else takes its place.
 * @returns {Promise<boolean>} whether to go on
 */
async function mayReplace(studio, slot) {
    await studio.settled();
    if (slot.document === null || !slot.dirty) {
        return true;
    }
    const answer = await askChoice({
        title: `Save "${titleOf(slot)}" first?`,
        text:
            'It has changes that are not in its file yet. If you leave it unsaved, the studio ' +
            'keeps them with their undo steps: the start page lists them as "Unsaved work".',
        choices: [
            {label: 'Leave unsaved', value: 'leave'},
            {label: 'Save', value: 'save', primary: true},
        ],
    });
    if (answer === 'save') {
        return save(studio, slot);
    }
    return answer === 'leave';
}

/** Asks with one button for each choice. @returns {Promise<*>} its value; null: cancelled */
function askChoice({title, text, choices}) {
    return new Promise((resolve) => {
        let answer = null;
        const actions = choices.map(({value, ...look}) => ({
            ...look,
            run: () => {
                answer = value;
            },
        }));
        dialog({
            title,
            body: h('p', {}, text),
            onClose: () => resolve(answer),
            actions: [{label: 'Cancel'}, ...actions],
        });
    });
}

/** Runs a request and shows what went wrong. @returns {Promise<*>} undefined where it failed */
export async function attempt(studio, name, args) {
    try {
        return await studio.call(name, args);
    } catch {
        return undefined;
    }
}

export async function openPath(studio, path, slot = studio.active) {
    if (await mayReplace(studio, slot)) {
        await attempt(studio, 'open', {slot: slot.index, path});
    }
}

export async function openExample(studio, name, slot = studio.active) {
    if (await mayReplace(studio, slot)) {
        await attempt(studio, 'open_example', {slot: slot.index, name});
    }
}

/** Opens what was not saved, with its undo steps. */
export async function openUnsaved(studio, journal, slot = studio.active) {
    if (await mayReplace(studio, slot)) {
        await attempt(studio, 'open_unsaved', {slot: slot.index, journal});
    }
}

/** Asks, and removes what was not saved. */
export function discardUnsaved(studio, {journal, name, edits}) {
    dialog({
        title: `Discard the unsaved work on "${name}"?`,
        body: h(
            'p',
            {},
            edits > 0
                ? `${editsText(edits)} will be deleted. This cannot be undone.`
                : 'It was never saved to a file and will be deleted. This cannot be undone.'
        ),
        actions: [
            {label: 'Cancel'},
            {
                label: 'Discard',
                danger: true,
                run: () => attempt(studio, 'discard_unsaved', {journal}),
            },
        ],
    });
}

export async function open(studio) {
    const chosen = await chooseFile(studio, {
        title: 'Open',
        action: 'Open',
        filters: [DOCUMENTS, {label: 'All files'}],
        folder: folderOfSlot(studio.active),
    });
    if (chosen !== null) {
        await openPath(studio, chosen.path);
    }
}

/** @returns {Promise<boolean>} whether it is in a file now */
export async function save(studio, slot = studio.active) {
    await studio.settled();
    if (slot.path === null) {
        return saveAs(studio, slot);
    }
    try {
        await studio.wire.call('save', {slot: slot.index});
    } catch (error) {
        if (error.status === 'changed') {
            return saveOverChange(studio, slot);
        }
        studio.report(error);
        return false;
    }
    studio.notice(`Saved ${baseName(slot.path)}.`);
    return true;
}

/** Asks what becomes of a file that another program has written since. */
async function saveOverChange(studio, slot) {
    const answer = await askChoice({
        title: `Replace "${baseName(slot.path)}"?`,
        text:
            'Another program has changed this file since you opened it. If you replace it, what ' +
            'that program wrote is lost.',
        choices: [
            {label: 'Save as…', value: 'as'},
            {label: 'Replace', value: 'replace', danger: true},
        ],
    });
    if (answer === 'as') {
        return saveAs(studio, slot);
    }
    if (answer === null) {
        return false;
    }
    const done = await attempt(studio, 'save', {slot: slot.index, replace: true});
    if (done !== undefined) {
        studio.notice(`Saved ${baseName(slot.path)}.`);
    }
    return done !== undefined;
}

export async function saveAs(studio, slot = studio.active) {
    const name = slot.path ? baseName(slot.path) : `${titleOf(slot)}${DOCUMENT_ENDING}`;
    const chosen = await chooseFile(studio, {
        title: 'Save as',
        action: 'Save',
        save: true,
        filters: [DOCUMENTS],
        name,
        folder: folderOfSlot(slot),
    });
    if (chosen === null) {
        return false;
    }
    const done = await attempt(studio, 'save_as', {slot: slot.index, ...chosen});
    if (done !== undefined) {
        studio.notice(`Saved ${baseName(chosen.path)}.`);
    }
    return done !== undefined;
}

/** Makes a character from a model, an OpenSim model or a folder of bones and muscles: a job. */
export async function importPath(studio, path, slot = studio.active) {
    if (await mayReplace(studio, slot)) {
        const again = (options) => {
            attempt(studio, 'import', {slot: slot.index, path, options});
        };
        const started = await attempt(studio, 'import', {slot: slot.index, path});
        if (started !== undefined) {
            askUnitsAfter(studio, started.job, again, path).catch((error) => studio.report(error));
        }
    }
}

export async function importFile(studio) {
    const chosen = await chooseFile(studio, {
        title: 'Import a model',
        action: 'Import',
        filters: importFilters(studio),
        folder: folderOfSlot(studio.active),
    });
    if (chosen !== null) {
        await importPath(studio, chosen.path);
    }
}

export async function importFolder(studio) {
    const chosen = await chooseFile(studio, {
        title: 'Import a folder of bones and muscles',
        action: 'Import this folder',
        wantFolder: true,
        filters: [{label: 'Folders'}],
    });
    if (chosen !== null) {
        await importPath(studio, chosen.path);
    }
}

export async function close(studio, slot = studio.active) {
    if (await mayReplace(studio, slot)) {
        await attempt(studio, 'close', {slot: slot.index, keep: true});
    }
}

/** A name for a file about a character, in place of its own: arm.sinew.json -> arm.glb. */
export function nameFor(slot, ending) {
    return stem(titleOf(slot), [DOCUMENT_ENDING, '.json']) + ending;
}
