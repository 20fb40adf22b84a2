// SPDX-License-Identifier: Apache-2.0
//
// Sends a file of the user to the server, which lays it beside the document.
import {StudioError} from '../core/errors.js';

const CHUNK = 512 * 1024; // bytes; the server takes 1 MiB at a time
const MAGIC = 0x55574e53; // "SNWU"

function chunkOf(upload, bytes) {
    const packet = new Uint8Array(8 + bytes.byteLength);
    const head = new DataView(packet.buffer);
    head.setUint32(0, MAGIC, true);
    head.setUint32(4, upload, true);
    packet.set(new Uint8Array(bytes), 8);
    return packet;
}

// Resolves with the path, or rejects with what went wrong on the way.
function completed(studio, upload) {
    return new Promise((resolve, reject) => {
        const off = studio.wire.on('uploaded', (event) => {
            if (event.upload === upload) {
                off();
                event.error ? reject(new StudioError(event.error)) : resolve(event.path);
            }
        });
    });
}

/** A path as a document writes it: the bare name where the file lies in the document's folder. */
export function pathInDocument(documentPath, path) {
    const folder = documentPath?.slice(0, documentPath.lastIndexOf('/') + 1);
    return folder && path.startsWith(folder) ? path.slice(folder.length) : path;
}

/** @returns {Promise<string>} the path of the file as the slot's document names it */
export async function uploadFile(studio, file, slot = studio.active) {
    const {upload} = await studio.wire.call('upload', {
        slot: slot.index,
        name: file.name,
        size: file.size
    });
    const done = completed(studio, upload);
    done.catch(() => {}); // it may fail while chunks are still being sent
    for (let start = 0; start < file.size; start += CHUNK) {
        const bytes = await file.slice(start, start + CHUNK).arrayBuffer();
        await studio.wire.sendBytes(chunkOf(upload, bytes));
    }
    return pathInDocument(slot.path, await done);
}
