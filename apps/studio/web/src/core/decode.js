// SPDX-License-Identifier: Apache-2.0
//
// Binary messages of the server. Arrays are views on the message, nothing is copied: the layout
// keeps every block at a multiple of 8 bytes.

const MAGIC = 0x47574e53; // 'SNWG'
const HEADER_BYTES = 40;
const BLOCK_BYTES = 16;

export const KIND = {geometry: 1, frame: 2};

/** Blocks that belong to no surface. */
export const NO_SURFACE = 0xffffffff;

// what -> name, class of the array, numbers for each of `count`
const WHAT = {
    1: ['points', Float32Array, 3],
    2: ['normals', Int8Array, 4],
    3: ['values', Float32Array, 1],
    4: ['triangles', Uint32Array, 3],
    5: ['edges', Uint32Array, 2],
    6: ['rest', Float32Array, 3],
    7: ['worlds', Float32Array, 16],
    8: ['joints', Float64Array, 9],
    9: ['controls', Float64Array, 1],
    10: ['triangleFaces', Uint32Array, 1],
    11: ['muscles', Float32Array, 3],
    12: ['colors', Uint8Array, 4], // sRGB and alpha
    13: ['stages', Float64Array, 1], // milliseconds
    14: ['drawn', Uint32Array, 3], // triangles by material, with copies of vertices
    15: ['copies', Uint32Array, 1], // the vertex that each copy is of
    16: ['uvs', Float32Array, 2], // of vertices and copies
    17: ['materials', Uint8Array, 1], // JSON
    18: ['image', Uint8Array, 1], // a file
    19: ['axes', Float32Array, 4], // particles of a fibre, and how far each has swung
    20: ['live', Float64Array, 1], // seconds of live steps since the last change
    21: ['slice', Float32Array, 1], // columns, rows, origin, u, v, then values
};

/**
 * @param {ArrayBuffer} buffer
 * @returns {{kind: number, slot: number, model: number, serial: number, frame: number,
 *     time: number, view: number,
 *     blocks: {surface: number, what: string, count: number, array: *}[]}}
 */
export function decode(buffer) {
    if (buffer.byteLength < HEADER_BYTES) {
        throw new Error(`a binary message of ${buffer.byteLength} bytes has no header`);
    }
    const view = new DataView(buffer);
    const word = (index) => view.getUint32(4 * index, true);
    if (word(0) !== MAGIC) {
        throw new Error('a binary message of another kind');
    }
    return {
        kind: word(1), slot: word(2), model: word(3), serial: word(4), frame: word(5),
        time: view.getFloat64(24, true), view: word(9),
        blocks: decodeBlocks(buffer, view, word(8)),
    };
}

function decodeBlocks(buffer, view, count) {
    const blocks = [];
    let at = HEADER_BYTES;
    for (let i = 0; i < count; ++i) {
        if (at + BLOCK_BYTES > buffer.byteLength) {
            throw new Error(`block ${i} of ${count} is cut off`);
        }
        const bytes = view.getUint32(at + 12, true);
        const block = decodeBlock(buffer, view, at, bytes);
        if (block !== null) {
            blocks.push(block);
        }
        at += BLOCK_BYTES + Math.ceil(bytes / 8) * 8;
    }
    return blocks;
}

// Blocks of a kind that this page does not know are left out: a newer server may send more.
function decodeBlock(buffer, view, at, bytes) {
    const what = WHAT[view.getUint32(at + 4, true)];
    if (what === undefined) {
        return null;
    }
    const [name, Numbers, width] = what;
    const count = view.getUint32(at + 8, true);
    const length = count * width;
    const whole = length * Numbers.BYTES_PER_ELEMENT === bytes &&
        at + BLOCK_BYTES + bytes <= buffer.byteLength;
    if (!whole) {
        throw new Error(`a block "${name}" of ${count} has ${bytes} bytes`);
    }
    return {
        surface: view.getUint32(at, true), what: name, count,
        array: new Numbers(buffer, at + BLOCK_BYTES, length),
    };
}
