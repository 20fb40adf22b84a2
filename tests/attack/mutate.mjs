// SPDX-License-Identifier: Apache-2.0
//
// Damaged copies of files and of JSON trees.

const words = ['0', '-1', '1e308', '-1e308', '1e-320', 'nan', 'inf', '4294967295', '4294967296', '-2147483648',
    '9223372036854775807', '65536', '', ' ', '\n', '"', '{', '[', ']', '}', '<', '>', '&', '\0', '../', '%s%n',
    'A'.repeat(300), '['.repeat(3000), '\u{10ffff}'];
const integers = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

function splice(bytes, at, remove, insert) {
    return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(Math.min(bytes.length, at + remove))]);
}

/** Other digits at places where there are some: numbers stay numbers, and readers get further. */
function changeDigits(bytes, chance) {
    const copy = Buffer.from(bytes);
    for (let i = 1 + chance.below(20); i > 0; --i) {
        const at = chance.below(copy.length);
        const digit = copy.subarray(at, at + 1000).findIndex((byte) => byte >= 48 && byte <= 57);
        if (digit >= 0) {
            copy[at + digit] = 48 + chance.below(10);
        }
    }
    return copy;
}

const ways = [
    changeDigits, changeDigits, changeDigits,
    (bytes, chance) => { // single bytes
        const copy = Buffer.from(bytes);
        for (let i = 1 + chance.below(8); i > 0; --i) {
            copy[chance.below(copy.length)] = chance.below(256);
        }
        return copy;
    },
    (bytes, chance) => bytes.subarray(0, chance.below(bytes.length)),
    (bytes, chance) => splice(bytes, chance.below(bytes.length), 1 + chance.below(200), Buffer.alloc(0)),
    (bytes, chance) => { // something twice
        const from = chance.below(bytes.length), size = 1 + chance.below(400);
        return splice(bytes, chance.below(bytes.length), 0, bytes.subarray(from, from + size));
    },
    (bytes, chance) => { // numbers of four bytes
        const copy = Buffer.from(bytes);
        for (let i = 1 + chance.below(3); i > 0 && copy.length > 4; --i) {
            copy.writeUInt32LE(chance.pick(integers), chance.below(Math.floor(copy.length / 4)) * 4);
        }
        return copy;
    },
    (bytes, chance) => splice(bytes, chance.below(bytes.length), chance.below(6), Buffer.from(chance.pick(words))),
    (bytes, chance) => { // a number of a text
        const text = bytes.subarray(0, 1 << 20).toString('latin1');
        const numbers = [...text.matchAll(/-?\d+(\.\d+)?/g)];
        const found = numbers.length > 0 ? chance.pick(numbers) : {index: 0, 0: ''};
        return splice(bytes, found.index, found[0].length, Buffer.from(chance.pick(words)));
    },
];

/** A .glb and its second chunk say how long they are: that is often right again, so that the rest is read. */
function repairLength(bytes, chance) {
    if (bytes.length < 20 || bytes.toString('latin1', 0, 4) !== 'glTF' || chance.below(4) === 0) {
        return bytes;
    }
    const copy = Buffer.from(bytes.subarray(0, bytes.length - bytes.length % 4));
    const second = 20 + copy.readUInt32LE(12);
    copy.writeUInt32LE(copy.length, 8);
    if (second + 8 <= copy.length) {
        copy.writeUInt32LE(copy.length - second - 8, second);
    }
    return copy;
}

/** A damaged copy. The beginnings of files, which say what is in them, are hit more often than by chance. */
export function mutateBytes(bytes, chance) {
    let result = bytes;
    for (let i = chance.pick([1, 1, 1, 2, 4]); i > 0 && result.length > 0; --i) {
        const head = Math.min(result.length, 2048);
        result = chance.below(3) === 0
            ? Buffer.concat([chance.pick(ways)(result.subarray(0, head), chance), result.subarray(head)])
            : chance.pick(ways)(result, chance);
    }
    return repairLength(result, chance);
}

const values = [null, true, 0, -1, 1, 0.5, 1e-300, 1e9, 1e15, 1e300, -1e300, 4294967295, 2147483648, 65536, '', 'x',
    '../../x', '0-4294967295', 'A'.repeat(5000), [], {}, [[]], [0, 0, 0], [1e300, -1e300, 0], [[0, 0], [1, 1e300]], {x: {}},
    {file: '/dev/zero'}, {repeat: 1000000}];

const factors = [0, -1, 0.5, 2, 10, 1e-3, 1e3, 1e6, 1e12];

function places(tree, list = []) {
    if (tree !== null && typeof tree === 'object') {
        for (const key of Object.keys(tree)) {
            list.push([tree, key]);
            places(tree[key], list);
        }
    }
    return list;
}

/** A damaged copy of a tree. */
export function mutateTree(tree, chance) {
    const copy = structuredClone(tree);
    for (let i = chance.pick([1, 1, 1, 2, 4]); i > 0; --i) {
        const all = places(copy);
        if (all.length === 0) {
            break;
        }
        const [holder, key] = chance.pick(all), [other, from] = chance.pick(all);
        if (typeof holder[key] === 'number' && chance.below(4) > 0) {
            holder[key] *= chance.pick(factors);
            continue;
        }
        switch (chance.below(5)) {
        case 0: delete holder[key]; break;
        case 1: holder[key] = structuredClone(other[from]); break;
        case 2:
            if (Array.isArray(holder)) {
                holder.push(structuredClone(holder[key]));
            } else {
                holder[`${key}${chance.below(10)}`] = structuredClone(holder[key]);
            }
            break;
        default: holder[key] = structuredClone(chance.pick(values));
        }
    }
    return copy;
}
