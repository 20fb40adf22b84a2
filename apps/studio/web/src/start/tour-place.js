// SPDX-License-Identifier: Apache-2.0
//
// Where the card of a tour stands: beside what it speaks of, never over it.

const GAP = 12; // pixels

/** The area that two boxes {left, top, width, height} have in common. */
export function overlap(a, b) {
    const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
    const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
    return Math.max(0, width) * Math.max(0, height);
}

/** The place nearest to this one at which a card is wholly in the window. */
export function kept({left, top}, {width, height}, room) {
    return {
        left: Math.max(GAP, Math.min(left, room.width - width - GAP)),
        top: Math.max(GAP, Math.min(top, room.height - height - GAP)),
    };
}

/** Whether a target, such as the viewport, is too large for a card to stand beside it. */
export function isLarge(box, room) {
    return box.width > room.width / 3 && box.height > room.height / 3;
}

/**
 * @param {{width, height}} size of the card @param {{width, height}} room of the window
 * @param {{left, top, width, height}|null} box of the target, null: there is none
 * @returns {{left, top}}
 */
export function besideTarget(size, room, box) {
    if (box === null) {
        const left = (room.width - size.width) / 2;
        return kept({left, top: room.height - size.height - 5 * GAP}, size, room);
    }
    if (isLarge(box, room)) {
        // At the edge of the window: more of it lies over the panel there than over the target.
        return kept({left: GAP, top: box.top + box.height - size.height - GAP}, size, room);
    }
    const places = [
        {left: box.left, top: box.top + box.height + GAP},
        {left: box.left, top: box.top - size.height - GAP},
        {left: box.left - size.width - GAP, top: box.top},
        {left: box.left + box.width + GAP, top: box.top},
    ].map((place) => kept(place, size, room));
    const covered = (place) => overlap({...place, ...size}, box);
    return places.reduce((best, place) => (covered(place) < covered(best) ? place : best));
}
