// SPDX-License-Identifier: Apache-2.0
//
// Pieces of sentences that several rooms write.

/** "1 muscle", "3 muscles" */
export function counted(count, one) {
    return `${count} ${one}${count === 1 ? '' : 's'}`;
}
