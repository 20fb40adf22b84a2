// SPDX-License-Identifier: Apache-2.0
//
// Files dropped on the page go to the server in pieces and are stored there beside the document;
// then a character is opened, a model imported. Motions belong to the timeline, which takes what
// is dropped on it itself.
import {h} from '../core/dom.js';
import {StudioError} from '../core/errors.js';
import {importPath, openPath, withDot, DOCUMENT_ENDING} from './actions.js';

const CHUNK = 512 * 1024;
const MAGIC = 0x55574e53; // 'SNWU'
const HEADER = 8;
const MOTIONS = ['.bvh', '.mot', '.sto'];

/** What becomes of a dropped file: 'open', 'import', 'clip' or null. */
export function purposeOf(name, extensions) {
    const lower = name.toLowerCase();
    const has = (list) => (list ?? []).map(withDot).some((each) => lower.endsWith(each));
    if (lower.endsWith(DOCUMENT_ENDING)) {
        return 'open';
    }
    return has(MOTIONS) ? 'clip' : has(extensions.import) ? 'import' : null;
}

/** A piece of an upload as it goes over the wire. */
export function chunkMessage(upload, bytes) {
    const message = new Uint8Array(HEADER + bytes.byteLength);
    const view = new DataView(message.buffer);
    view.setUint32(0, MAGIC, true);
    view.setUint32(4, upload, true);
    message.set(new Uint8Array(bytes), HEADER);
    return message;
}

/** Sends a file. @returns {Promise<string>} where the server put it */
export async function uploadFile(studio, file) {
    const {upload} = await studio.wire.call('upload', {name: file.name, size: file.size});
    const stored = new Promise((resolve, reject) => {
        const off = studio.wire.on('uploaded', (event) => {
            if (event.upload === upload) {
                off();
                event.error ? reject(new StudioError(event.error)) : resolve(event.path);
            }
        });
    });
    for (let at = 0; at < file.size; at += CHUNK) {
        await studio.wire.sendBytes(chunkMessage(upload, await file.slice(at, at + CHUNK).arrayBuffer()));
    }
    return stored;
}

export function acceptDrops(studio, element) {
    const veil = h('div', {class: 'drop-veil', hidden: true}, h('p', {}, 'Drop to open, import or add a motion'));
    document.body.append(veil);
    const holdsFiles = (event) => event.dataTransfer?.types.includes('Files') && !event.defaultPrevented;
    element.addEventListener('dragover', (event) => {
        if (holdsFiles(event)) {
            event.preventDefault();
            veil.hidden = false;
        }
    });
    element.addEventListener('dragleave', (event) => {
        veil.hidden = event.relatedTarget === null || veil.hidden;
    });
    element.addEventListener('drop', (event) => {
        veil.hidden = true;
        if (holdsFiles(event)) {
            event.preventDefault();
            takeFiles(studio, [...event.dataTransfer.files]);
        }
    });
}

async function takeFiles(studio, files) {
    try {
        const extensions = studio.welcome?.extensions ?? {};
        const main = files.find((file) => purposeOf(file.name, extensions) !== null);
        if (main === undefined) {
            studio.notice(`${files[0]?.name ?? 'That'} is no file that the studio reads.`, 'warning');
            return;
        }
        // Files that a model refers to (buffers, materials) come along and lie beside it.
        for (const file of files.filter((each) => each !== main)) {
            await uploadFile(studio, file);
        }
        await useUpload(studio, await uploadFile(studio, main), purposeOf(main.name, extensions));
    } catch (error) {
        studio.report(error);
    }
}

function useUpload(studio, path, purpose) {
    switch (purpose) {
    case 'open': return openPath(studio, path);
    case 'clip': return studio.call('clip', {slot: studio.active.index, path});
    default: return importPath(studio, path);
    }
}
