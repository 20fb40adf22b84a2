// SPDX-License-Identifier: Apache-2.0
//
// Pieces of sentences that several rooms write.

/** What a character is called: the name of its file, or its own where it has none. */
export function titleOf({document, name, path}) {
    return path?.split('/').pop() || (name ?? document?.name) || 'unnamed';
}

/** "1 muscle", "3 muscles" */
export function counted(count, one) {
    return `${count} ${one}${count === 1 ? '' : 's'}`;
}
