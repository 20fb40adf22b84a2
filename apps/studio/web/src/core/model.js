// SPDX-License-Identifier: Apache-2.0
//
// What the page knows of a compiled character: its surfaces with their arrays, segments, controls.

/** Layers of the viewport, from the inside out. */
export const LAYERS = ['bone', 'tissue', 'muscle', 'driver', 'skin'];

// In which layer of the viewport a surface is: a skin that only drives others is a driver; eyes,
// nails and horns go with the skin.
function viewLayerOf({layer, shown, feature}) {
    return layer === 'skin' && !shown ? 'driver' : feature ? 'skin' : layer;
}

/** What surfaces with the same `shape` have in common; it stays as it is in every pose. */
const SHAPE = ['rest', 'triangles', 'triangleFaces', 'edges', 'colors', 'drawn', 'copies', 'uvs',
    'materials', 'images'];

/** A surface of a model. Arrays are null until they have arrived. */
class Surface {
    constructor(entry) {
        const {vertices, triangles, ...rest} = entry;
        Object.assign(this, rest);
        this.vertexCount = vertices;
        this.triangleCount = triangles;
        this.viewLayer = viewLayerOf(entry);
        this.rest = null;
        this.points = null;
        this.normals = null;
        this.values = null;
        this.triangles = null;
        this.triangleFaces = null;
        this.edges = null;
        this.colors = null;
        /** Where it has materials: its triangles by material, and what they need. */
        this.drawn = null;
        this.copies = null;
        this.uvs = null;
        this.materials = null;
        this.images = [];
        /** Counts up with every change of the points: what depends on them looks here. */
        this.moved = 0;
    }

    take(what, array) {
        if (what === 'image') {
            this.images.push(array);
            return;
        }
        this[what] = what === 'materials'
            ? JSON.parse(new TextDecoder().decode(array)).materials : array;
        if (what === 'points') {
            this.moved += 1;
        } else if (what === 'rest' && this.points === null) {
            this.take('points', array); // before the first frame it stands at rest
        }
    }

    /** Whether it can be drawn. */
    get hasGeometry() {
        return this.points !== null && this.triangles !== null;
    }
}

export class Model {
    constructor(event) {
        this.serial = event.model;
        this.revision = event.revision;
        this.surfaces = event.surfaces.map((entry) => new Surface(entry));
        this.segments = event.segments ?? [];
        this.controls = event.controls ?? [];
        this.clips = event.clips ?? [];
        this.clip = event.clip ?? null;
        this.milliseconds = event.ms;
        this.surfaceByIndex = new Map(this.surfaces.map((each) => [each.index, each]));
        this.surfacesByPath = new Map();
        for (const surface of this.surfaces) {
            const same = this.surfacesByPath.get(surface.path) ?? [];
            this.surfacesByPath.set(surface.path, [...same, surface]);
        }
    }

    /** Takes over from the model before what an edit has not changed: it need not come again. */
    keepShapes(before) {
        const arrived = before.surfaces.filter(({triangles}) => triangles !== null);
        const known = new Map(arrived.map((surface) => [surface.shape, surface]));
        for (const surface of this.surfaces) {
            const same = known.get(surface.shape);
            if (same !== undefined) {
                SHAPE.forEach((name) => {
                    surface[name] = same[name];
                });
            }
        }
    }

    /** The first surface of what stands at a place of the document, or null. */
    byPath(path) {
        return this.surfacesOf(path)[0] ?? null;
    }

    /** All of them: an entry with mirror images or repetitions has several. */
    surfacesOf(path) {
        return this.surfacesByPath.get(path) ?? [];
    }

    segmentIndex(name) {
        return this.segments.findIndex((each) => each.name === name);
    }

    controlIndex(name) {
        return this.controls.findIndex((each) => each.name === name);
    }

    /** Takes the blocks of a message; those of the frame itself are returned. */
    take(blocks) {
        const rest = {};
        for (const {surface: index, what, array} of blocks) {
            const surface = this.surfaceByIndex.get(index);
            if (surface === undefined) {
                rest[what] = array;
            } else if (what === 'muscles') {
                (rest.muscles ??= new Map()).set(index, array);
            } else if (what === 'axes') {
                rest.axes ??= new Map();
                rest.axes.set(index, [...(rest.axes.get(index) ?? []), array]);
            } else {
                surface.take(what, array);
            }
        }
        return rest;
    }
}

/**
 * A frame: {number, model: its serial, time, worlds, joints, controls, stages: milliseconds,
 * muscles: Map(surface index -> [shortening, activation, volume change]),
 * axes: Map(surface index -> one array for each fibre: x, y, z, swing of its particles),
 * live: seconds since held values were last changed, of a live step, which others follow; else null,
 * slice: a field on a plane, {columns, rows, origin, u, v, values}; null: none}.
 */
export function makeFrame(message, blocks, before) {
    return {
        number: message.frame,
        model: message.model,
        time: message.time,
        worlds: blocks.worlds ?? before?.worlds ?? null,
        joints: blocks.joints ?? before?.joints ?? null,
        controls: blocks.controls ?? before?.controls ?? null,
        stages: blocks.stages ?? null,
        muscles: blocks.muscles ?? before?.muscles ?? new Map(),
        axes: blocks.axes ?? new Map(),
        live: blocks.live?.[0] ?? null,
        slice: readSlice(blocks.slice),
    };
}

// Two numbers, three points, then the values row by row.
function readSlice(array) {
    if (array === undefined) {
        return null;
    }
    const [origin, u, v] = [2, 5, 8].map((at) => [...array.subarray(at, at + 3)]);
    return {columns: array[0], rows: array[1], origin, u, v, values: array.subarray(11)};
}
