// SPDX-License-Identifier: Apache-2.0
//
// Feature points of a face: which there are, which still lack, and how a file tells them.

/** In the order in which they are clicked; `hint` tells where. */
export const FEATURES = [
    {name: 'nose_tip', title: 'Tip of the nose'},
    {name: 'lip_upper', title: 'Upper lip', hint: 'the middle of its upper border'},
    {name: 'lip_lower', title: 'Lower lip', hint: 'the middle of its lower border'},
    {name: 'chin', title: 'Chin', hint: 'its lowest point seen from the front'},
    {name: 'eye_inner_L', title: 'Inner corner of the eye'},
    {name: 'eye_outer_L', title: 'Outer corner of the eye'},
    {name: 'brow_inner_L', title: 'Inner end of the brow'},
    {name: 'brow_outer_L', title: 'Outer end of the brow'},
    {name: 'nose_wing_L', title: 'Wing of the nose', hint: 'where it meets the lip'},
    {name: 'mouth_corner_L', title: 'Corner of the mouth'},
    {name: 'cheekbone_L', title: 'Cheekbone', optional: true},
    {name: 'jaw_angle_L', title: 'Angle of the jaw', optional: true},
    {name: 'ear_L', title: 'Ear', optional: true},
];

/** The feature of a name, also of that of the right side. */
export function featureOf(name) {
    return FEATURES.find((each) => each.name === name || each.name === otherSide(name)) ?? null;
}

const IBUG_COUNT = 68;

function otherSide(name) {
    return name.endsWith('_L') ? `${name.slice(0, -1)}R` : name.endsWith('_R')
        ? `${name.slice(0, -1)}L` : name;
}

function isPlace(value) {
    return Number.isInteger(value) ? value >= 0
        : Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
}

export class FaceState {
    constructor() {
        this.places = {}; // name -> [x, y, z] at rest, or the number of a vertex
        this.ibug = null; // 68 points
        this.chosen = FEATURES[0].name;
        this.last = null; // the one that was put last
    }

    has(name) {
        return name in this.places || otherSide(name) in this.places;
    }

    /** Features that must be given and are not. */
    get missing() {
        return this.ibug !== null ? []
            : FEATURES.filter(({name, optional}) => !optional && !this.has(name));
    }

    /** Puts the chosen feature and chooses the next that lacks; with all, the optional ones. */
    put(place) {
        const name = this.#sided(this.chosen, place);
        delete this.places[otherSide(name)];
        this.places[name] = place;
        this.last = this.chosen;
        const at = FEATURES.findIndex(({name}) => name === this.chosen);
        const order = [...FEATURES.slice(at + 1), ...FEATURES.slice(0, at)];
        this.chosen = order.find(({name}) => !this.has(name))?.name ?? this.chosen;
    }

    // Left is the face's own, +x; who clicks on the right side means the right one of the pair.
    #sided(name, [x]) {
        const middle = this.places.nose_tip?.[0] ?? 0;
        return name.endsWith('_L') && x < middle ? otherSide(name) : name;
    }

    remove(name) {
        delete this.places[name];
        delete this.places[otherSide(name)];
        this.chosen = name;
    }

    /** Takes what a file of features says. @returns {string|null} what is wrong with it */
    read(text) {
        let file;
        try {
            file = JSON.parse(text);
        } catch {
            return 'The file is not JSON.';
        }
        const {features, ibug68} = file ?? {};
        if (features === undefined && ibug68 === undefined) {
            return 'The file has neither "features" nor "ibug68".';
        }
        const wrong = Object.entries(features ?? {}).find(([, place]) => !isPlace(place));
        if (wrong !== undefined) {
            return `${wrong[0]}: expected [x, y, z] or the number of a vertex`;
        }
        if (ibug68 !== undefined && !(Array.isArray(ibug68) && ibug68.length === IBUG_COUNT &&
            ibug68.every(isPlace))) {
            return 'ibug68: expected 68 points';
        }
        this.places = {...features};
        this.ibug = ibug68 ?? null;
        this.chosen = this.missing[0]?.name ?? this.chosen;
        return null;
    }

    /** What the command `face` wants. */
    request(skin, depth) {
        return {skin, depth, features: this.places,
            ...(this.ibug === null ? {} : {ibug68: this.ibug})};
    }
}
