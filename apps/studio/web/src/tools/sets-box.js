// SPDX-License-Identifier: Apache-2.0
//
// A rectangle drawn over the viewport, and what lies in it on the side that is seen.
import {h} from '../core/dom.js';
import {Vector3} from 'three';

export class BoxSelect {
    constructor(viewport, event) {
        this.viewport = viewport;
        this.start = viewport.localPoint(event);
        this.end = this.start;
        this.element = h('div', {class: 'box-select', 'aria-hidden': 'true'});
        viewport.element.append(this.element);
    }

    move(event) {
        this.end = this.viewport.localPoint(event);
        const {left, top, right, bottom} = this.sides;
        Object.assign(this.element.style, {
            left: `${left}px`,
            top: `${top}px`,
            width: `${right - left}px`,
            height: `${bottom - top}px`,
        });
    }

    get sides() {
        const {start, end} = this;
        return {
            left: Math.min(start.x, end.x),
            right: Math.max(start.x, end.x),
            top: Math.min(start.y, end.y),
            bottom: Math.max(start.y, end.y),
        };
    }

    dispose() {
        this.element.remove();
    }

    /** Vertices inside that look to the camera. */
    vertices(surface, slot) {
        const {left, top, right, bottom} = this.sides;
        const found = [];
        const point = new Vector3();
        const {points, normals} = surface;
        const eye = this.viewport.camera.position;
        for (let v = 0; v < surface.vertexCount; v++) {
            point.fromArray(points, 3 * v);
            const {x, y, visible} = this.viewport.project(point, slot);
            if (
                visible &&
                x >= left &&
                x <= right &&
                y >= top &&
                y <= bottom &&
                looksTo(eye, point, normals, v)
            ) {
                found.push(v);
            }
        }
        return found;
    }
}

function looksTo(eye, point, normals, v) {
    return (
        normals === null ||
        normals[4 * v] * (eye.x - point.x) +
            normals[4 * v + 1] * (eye.y - point.y) +
            normals[4 * v + 2] * (eye.z - point.z) >
            0
    );
}
