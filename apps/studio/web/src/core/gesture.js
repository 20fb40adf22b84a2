// SPDX-License-Identifier: Apache-2.0

let gestures = 0;

/** A name for what belongs to one step of undo, such as all values of one drag: `merge`. */
export function newGesture() {
    return `gesture ${++gestures}`;
}
