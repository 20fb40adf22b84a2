// SPDX-License-Identifier: Apache-2.0
//
// The set in hand, drawn over the character: its points on the skin, its faces on the driver.
import {ChosenFaces, ChosenPoints} from './paint-overlay.js';
import {listOf} from './paint-ranges.js';
import {cornersOf} from './sets-state.js';

const COLORS = {points: 0xffd54a, faces: 0xe8590c};

export class SetsView {
    #marks;
    #drawn = {};

    constructor(viewport, slot) {
        this.#marks = {
            points: new ChosenPoints(viewport, slot, {color: COLORS.points}),
            faces: new ChosenFaces(viewport, slot, {color: COLORS.faces}),
        };
    }

    /** @param {SetState} state */
    show(state, skin, driver) {
        this.#show('points', state, skin, () => listOf(state.points));
        this.#show('faces', state, driver, () => cornersOf(driver, state.faces));
    }

    // What is chosen is gathered when it changes, and shown when it or the surface has moved.
    #show(what, state, surface, gather) {
        const {version} = state;
        const {moved, triangles} = surface;
        const same = this.#drawn[what];
        const chosen =
            same?.state === state && same.version === version && same.triangles === triangles;
        if (!chosen || same.surface !== surface || same.moved !== moved) {
            const vertices = chosen ? same.vertices : gather();
            this.#drawn[what] = {state, version, triangles, surface, moved, vertices};
            this.#marks[what].show(vertices, surface);
        }
    }

    dispose() {
        this.#marks.points.dispose();
        this.#marks.faces.dispose();
    }
}
