// SPDX-License-Identifier: Apache-2.0
//
// Select: a click on a surface selects what it shows, a click beside everything nothing. Drags are
// left to the camera.

const CLICK_DISTANCE = 4; // pixels that a pointer may move and still click

let studio = null;
let start = null;

export default {
    id: 'select',
    title: 'Select',
    icon: 'select',
    key: 'Q',
    /** The viewport shows the name of what the pointer is over. */
    hoverNames: true,
    /** Side by side it works in both halves: a click in one makes that the active one. */
    bothHalves: true,
    help: 'Click a surface to select it. Drag to turn the view.',

    enter(theStudio) {
        studio = theStudio;
    },

    leave() {
        start = null;
    },

    pointerDown(event) {
        start = event.button === 0 ? {x: event.clientX, y: event.clientY} : null;
        return false;
    },

    pointerMove() {
        return false;
    },

    pointerUp(event) {
        const still = start !== null &&
            Math.hypot(event.clientX - start.x, event.clientY - start.y) <= CLICK_DISTANCE;
        start = null;
        if (still) {
            const hit = studio.viewport.pick(event);
            if (hit !== null) {
                studio.setActive(hit.slot);
            }
            studio.select(hit?.surface.path ?? null, hit?.surface.index);
        }
        return false;
    },
};
