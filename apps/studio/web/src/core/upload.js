// SPDX-License-Identifier: Apache-2.0
//
// Sends files of the user to the server, which keeps them until a document that names them is saved.
import {StudioError} from './errors.js';

const CHUNK = 512 * 1024; // bytes; the server takes 1 MiB at a time
const MAGIC = 0x55574e53; // "SNWU"

let drops = 0;

function chunkOf(upload, bytes) {
    const packet = new Uint8Array(8 + bytes.byteLength);
    const head = new DataView(packet.buffer);
    head.setUint32(0, MAGIC, true);
    head.setUint32(4, upload, true);
    packet.set(new Uint8Array(bytes), 8);
    return packet;
}

// Resolves with the event, or rejects with what went wrong on the way.
function completed(studio, upload) {
    return new Promise((resolve, reject) => {
        const ends = [];
        const end = (settle, value) => {
            ends.forEach((off) => off());
            settle(value);
        };
        ends.push(
            studio.wire.on('uploaded', (event) => {
                if (event.upload === upload) {
                    event.error ? end(reject, new StudioError(event.error)) : end(resolve, event);
                }
            }),
            studio.wire.onState((state) => {
                if (state !== 'open') {
                    const message = 'the connection was lost before the whole file was sent';
                    end(reject, new StudioError({status: 'connection', message}));
                }
            })
        );
    });
}

async function uploadFile(studio, file, slot, drop) {
    const {upload} = await studio.wire.call('upload', {
        slot: slot.index,
        name: file.name,
        size: file.size,
        drop
    });
    const done = completed(studio, upload);
    done.catch(() => {}); // it may fail while chunks are still being sent
    for (let start = 0; start < file.size; start += CHUNK) {
        const bytes = await file.slice(start, start + CHUNK).arrayBuffer();
        await studio.wire.sendBytes(chunkOf(upload, bytes));
    }
    return done;
}

/**
 * Sends a file and those that it may name. They get a folder of their own, so that they find each
 * other and nothing older.
 * @param {File[]} others what the server does not take of these is left out
 * @returns {Promise<{path: string, file: string}>} of the first: where it lies, and how the slot's
 *     document must write that
 */
export async function uploadFiles(studio, [main, ...others], slot = studio.active) {
    const drop = ++drops;
    const result = await uploadFile(studio, main, slot, drop);
    for (const file of others) {
        await uploadFile(studio, file, slot, drop).catch((error) => {
            if (error.status !== 'unsupported') {
                throw error;
            }
        });
    }
    return result;
}
