// SPDX-License-Identifier: Apache-2.0
//
// A rectangle drawn over the viewport, and what lies in it on the side that is seen.
import {Vector3} from 'three';
import {h} from '../core/dom.js';

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
        const camera = this.viewport.cameraOf(slot);
        for (let v = 0; v < surface.vertexCount; v++) {
            point.fromArray(points, 3 * v);
            const {x, y, visible} = this.viewport.project(point, slot);
            if (
                visible &&
                x >= left &&
                x <= right &&
                y >= top &&
                y <= bottom &&
                looksTo(camera, point, normals, v)
            ) {
                found.push(v);
            }
        }
        return found;
    }
}

const toEye = new Vector3();

function looksTo(camera, point, normals, v) {
    if (normals === null) {
        return true;
    }
    if (camera.isOrthographicCamera) {
        toEye.setFromMatrixColumn(camera.matrixWorld, 2);
    } else {
        toEye.subVectors(camera.position, point);
    }
    const [x, y, z] = normals.subarray(4 * v, 4 * v + 3);
    return x * toEye.x + y * toEye.y + z * toEye.z > 0;
}
