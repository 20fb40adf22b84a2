// SPDX-License-Identifier: Apache-2.0
//
// The face of a character as its document tells it: controls by region, left and right together.
// Regions are known by the words of groups, else by what a control moves in the end.

import {otherSide, sideOf, withoutSide} from '../../document/names.js';
import {reachOf, spreadsOf} from '../../document/synergies.js';

/**
 * From top to bottom; `part`: not of the face alone, so that it makes no face by itself; `middle`: one
 * thing between left and right, which is not moved on one side alone.
 */
const REGIONS = [
    {id: 'brow', title: 'Brow', words: /^(eye)?brows?$|^forehead$/},
    {id: 'eye', title: 'Eyes', words: /^eyes?$|^(eye)?lids?$|^gaze$/},
    {id: 'nose', title: 'Nose', words: /^noses?$|^nostrils?$/},
    {id: 'cheek', title: 'Cheeks', words: /^cheeks?$/},
    {id: 'mouth', title: 'Mouth', words: /^mouth$|^lips?$/},
    {id: 'tongue', title: 'Tongue', words: /^tongue$/, middle: true},
    {id: 'jaw', title: 'Jaw', words: /^jaw$|^chin$|^mandible$/, middle: true},
    {id: 'ear', title: 'Ears', words: /^ears?$/, part: true},
    {id: 'neck', title: 'Neck', words: /^neck$|^throat$/, part: true, middle: true}
];

/** What moves the face as a whole, or more than one region. */
const WHOLE = {id: 'whole', title: 'Whole face'};

const OF_FACES = /^(face|faces|facial|facs|arkit|visemes?|phonemes?|emotions?|expressions?)$/;
const EXPRESSIVE = /^(visemes?|phonemes?|emotions?|expressions?|poses)$/;

/** The level of controls that are no names for several others. */
export const SINGLE = '';

/** How much of what a control moves lies on its own side, at least, if it is one of a pair. */
const OWN_SIDE = 0.75;

const wordsOf = (text) => (text ?? '').match(/[A-Z]{2,}[a-z]*|[A-Z]?[a-z]+/g)
    ?.map((word) => word.toLowerCase()) ?? [];

/** The region that a text names: 'lips' is the mouth. Null: none. */
export function regionNamed(text) {
    const words = wordsOf(text);
    return REGIONS.find((region) => words.some((word) => region.words.test(word)))?.id ?? null;
}

const namesFace = (text) => wordsOf(text).some((word) => OF_FACES.test(word)) ||
    /\baction units?\b/i.test(text ?? '');

/** Whether a group holds expressions, which are wanted more often than what they are made of. */
export const isExpressive = (group) => wordsOf(group).some((word) => EXPRESSIVE.test(word));

// The segment of 'eye.L.rx_deg'.
const segmentOfParameter = (name) => /^(.*)\.[rts][xyz](_deg)?$/.exec(name)?.[1] ?? null;

class Reader {
    constructor(document, controls) {
        this.spreads = spreadsOf(document);
        this.byName = new Map(controls.map((control) => [control.name, control]));
        this.reaches = new Map();
    }

    reach(name) {
        if (!this.reaches.has(name)) {
            this.reaches.set(name, reachOf(this.spreads, name));
        }
        return this.reaches.get(name);
    }

    // Of something that moves nothing else.
    #regionOfEnd(name) {
        const control = this.byName.get(name);
        return regionNamed(control ? control.group : segmentOfParameter(name));
    }

    // That of most of what it moves.
    #regionByReach(name) {
        const weights = new Map();
        for (const [end, amount] of Object.entries(this.reach(name))) {
            const region = end === name ? null : this.#regionOfEnd(end);
            if (region !== null) {
                weights.set(region, (weights.get(region) ?? 0) + Math.abs(amount));
            }
        }
        return [...weights].sort((one, other) => other[1] - one[1])[0]?.[0] ?? null;
    }

    /** The region of a control; null: it is none of the face. */
    regionOf(control) {
        const named = regionNamed(control.group);
        const found = named ?? this.#regionByReach(control.name);
        if (found === null) {
            return namesFace(control.group) ? regionNamed(control.name) ?? WHOLE.id : null;
        }
        return named === null && isExpressive(control.group) ? WHOLE.id : found;
    }

    // `jaw left` and `jaw right` are no left and right of one thing: each moves both sides.
    #staysOnItsSide(name) {
        const sides = {left: 0, right: 0};
        for (const [end, amount] of Object.entries(this.reach(name))) {
            const side = sideOf(end);
            if (side !== null) {
                sides[side] += Math.abs(amount);
            }
        }
        const all = sides.left + sides.right;
        return all === 0 || sides[sideOf(name)] >= OWN_SIDE * all;
    }

    /** The control of the other side that belongs to one; null: none. */
    partnerOf(control) {
        const other = this.byName.get(otherSide(control.name));
        const pair = other !== undefined && other !== control && !other.driven &&
            other.low === control.low && other.high === control.high;
        return pair && this.#staysOnItsSide(control.name) ? other : null;
    }

    levelOf(control, region) {
        const alone = !control.group || regionNamed(control.group) !== null ||
            !this.spreads.has(control.name);
        return alone || region === null ? SINGLE : control.group;
    }
}

// Of a pair the left one stands for both.
function rowOf(reader, control) {
    const partner = reader.partnerOf(control);
    if (partner !== null && sideOf(control.name) === 'right') {
        return null;
    }
    const region = reader.regionOf(control);
    const {name, group = '', low, high, rest, unit} = control;
    return {
        title: partner === null ? name : withoutSide(name),
        names: partner === null ? [name] : [name, partner.name],
        group, region, level: reader.levelOf(control, region), low, high, rest, unit,
        composed: reader.spreads.has(name)
    };
}

/**
 * The face of a character: {rows, regions, levels, spreads}, or null where it has none. A row is
 * {title, names: one, or left and right, group, region, level, low, high, rest, unit, composed: it
 * moves others}. Levels are SINGLE and groups whose controls stand for several others.
 */
export function faceOf(document, model) {
    const controls = model?.controls ?? [];
    const isOfFace = ({group}) => {
        const region = REGIONS.find(({id}) => id === regionNamed(group));
        return region ? !region.part : namesFace(group);
    };
    if (!document || !controls.some((control) => !control.driven && isOfFace(control))) {
        return null;
    }
    const reader = new Reader(document, controls);
    const rows = controls.filter(({driven}) => !driven).map((control) => rowOf(reader, control))
        .filter((row) => row !== null && row.region !== null);
    const inOrder = [...REGIONS, WHOLE];
    return {
        rows,
        regions: inOrder.filter(({id}) => rows.some(({region}) => region === id)),
        levels: [...new Set(rows.map(({level}) => level))],
        spreads: reader.spreads
    };
}

/** The rows whose names or groups have all words of a query, else those of a level. */
export function rowsFor(face, {query = '', level = SINGLE, region = null}) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? face.rows.filter((row) => row.level === level)
        : face.rows.filter(({names, group}) => {
            const text = [...names, group].join(' ').toLowerCase();
            return words.every((word) => text.includes(word));
        });
    return region === null ? found : found.filter((row) => row.region === region);
}

/** What a control without a side is made of, where its left and right may be told apart. */
export function partsOf(face, name) {
    const row = face.rows.find(({names}) => names.includes(name));
    const middle = REGIONS.some(({id, middle: one}) => one && id === row?.region);
    return row === undefined || middle ? undefined : face.spreads.get(name);
}

/** Whether the clip that plays moves a control itself. */
export function isInClip(clip, name) {
    if (!clip) {
        return false;
    }
    const tracks = clip.tracks ?? {};
    return Boolean(clip.file) || Object.hasOwn(tracks, name) ||
        tracks[otherSide(name)]?.mirror === true;
}

/**
 * What brings controls to rest: those that the clip moves are held there, others released.
 * @param {{names, rest}[]} rows @returns {{hold: Object<string, number>, release: string[]}}
 */
export function toRest(rows, clip, held) {
    const all = rows.flatMap(({names, rest}) => names.map((name) => [name, rest]));
    return {
        hold: Object.fromEntries(all.filter(([name, rest]) =>
            isInClip(clip, name) && held[name] !== rest)),
        release: all.map(([name]) => name)
            .filter((name) => !isInClip(clip, name) && Object.hasOwn(held, name))
    };
}
