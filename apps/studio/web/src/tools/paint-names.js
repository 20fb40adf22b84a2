// SPDX-License-Identifier: Apache-2.0
//
// Names of the other side, as mirrored entries of documents have them: .L and .R, and left, right,
// L or R as a word.

const SIDES = {
    L: 'R',
    R: 'L',
    left: 'right',
    right: 'left',
    Left: 'Right',
    Right: 'Left',
    LEFT: 'RIGHT',
    RIGHT: 'LEFT',
};

/** The name with left and right exchanged; the name itself where it has no side. */
export function otherSide(name) {
    return name.replace(
        /(^|[^A-Za-z0-9])(left|right|Left|Right|LEFT|RIGHT|[LR])(?=$|[^A-Za-z0-9])/g,
        (_, before, side) => before + SIDES[side]
    );
}
