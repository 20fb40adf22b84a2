// SPDX-License-Identifier: Apache-2.0
//
// The brush that the paint tools share: its settings, and their change with the pointer as in
// Blender: F and a move to the side for the radius, Shift+F for the strength, a click or Enter
// keeps, Esc or the right button puts back.

const LIMITS = {radius: [4, 400], strength: [0.01, 1]};
const PIXELS_PER_STRENGTH = 200;

export class Brush {
    constructor(settings = {}) {
        this.radius = 40; // pixels
        this.strength = 0.5;
        this.mode = 'add';
        this.target = 1;
        this.mirror = false;
        Object.assign(this, settings);
        this.adjusting = null;
    }

    set(name, value) {
        const limits = LIMITS[name];
        this[name] = limits ? Math.min(Math.max(value, limits[0]), limits[1]) : value;
    }

    /** Begins to change 'radius' or 'strength' with the pointer. */
    startAdjust(name, x) {
        this.adjusting = {name, x, before: this[name]};
    }

    /** The pointer has come to x. @returns whether the brush is being changed */
    adjust(x) {
        if (this.adjusting === null) {
            return false;
        }
        const {name, before} = this.adjusting;
        const moved = x - this.adjusting.x;
        this.set(name, before + (name === 'strength' ? moved / PIXELS_PER_STRENGTH : moved));
        return true;
    }

    endAdjust(keep) {
        if (this.adjusting !== null && !keep) {
            this[this.adjusting.name] = this.adjusting.before;
        }
        this.adjusting = null;
    }

    /** What a key does to the brush. @returns whether it was one of its keys */
    key(event, x) {
        if (this.adjusting !== null && (event.key === 'Escape' || event.key === 'Enter')) {
            this.endAdjust(event.key === 'Enter');
            return true;
        }
        if (event.key.toLowerCase() === 'f' && !event.ctrlKey && !event.altKey && !event.metaKey) {
            this.startAdjust(event.shiftKey ? 'strength' : 'radius', x);
            return true;
        }
        if (event.key === '[' || event.key === ']') {
            this.set('radius', this.radius * (event.key === ']' ? 1.2 : 1 / 1.2));
            return true;
        }
        return false;
    }
}

/** With Ctrl held, add and subtract change places, as in Blender. */
export function modeOf(brush, event) {
    const other = {add: 'subtract', subtract: 'add'};
    if (event.shiftKey) {
        return 'smooth';
    }
    return event.ctrlKey || event.metaKey ? (other[brush.mode] ?? brush.mode) : brush.mode;
}

/** Metres that a pixel covers at a point, seen by a perspective or orthographic camera. */
export function metresPerPixel(camera, point, height) {
    if (camera.isOrthographicCamera) {
        return (camera.top - camera.bottom) / camera.zoom / height;
    }
    const distance = depthOf(camera, point);
    return (2 * distance * Math.tan((camera.fov * Math.PI) / 360)) / camera.zoom / height;
}

// Along the view axis: all of a plane across it has one scale.
function depthOf(camera, point) {
    const m = camera.matrixWorldInverse.elements;
    return -(m[2] * point.x + m[6] * point.y + m[10] * point.z + m[14]);
}
