// SPDX-License-Identifier: Apache-2.0
//
// What the paint tools draw over the character: the circle of the brush on the surface, chosen
// points and chosen faces.
import {
    BufferAttribute,
    BufferGeometry,
    FrontSide,
    LineBasicMaterial,
    LineLoop,
    Mesh,
    MeshBasicMaterial,
    Points,
    PointsMaterial,
    Quaternion,
    Vector3,
} from 'three';

const CIRCLE_STEPS = 64;
const LIFT = 0.0006; // metres that points stand out of their surface, so that it does not hide them
const UP = new Vector3(0, 0, 1);

/** Circles: the brush and, where it is mirrored, its image. */
export class BrushCircle {
    constructor(viewport, color = 0xffffff) {
        this.viewport = viewport;
        this.group = null;
        const line = unitCircle();
        this.circles = [0x000000, color].map(
            (each, i) =>
                new LineLoop(
                    line,
                    new LineBasicMaterial({
                        color: each,
                        depthTest: false,
                        transparent: true,
                        opacity: i === 0 ? 0.45 : 1,
                    })
                )
        );
        this.circles.forEach((each, i) => {
            each.renderOrder = 1000 + i;
            each.visible = false;
        });
    }

    /**
     * @param {{slot: number, point: Vector3, normal: Vector3}|null} hit @param {number} radius
     * metres
     */
    show(hit, radius) {
        this.#enter(hit?.slot);
        this.circles.forEach((each, i) => {
            each.visible = hit !== null;
            if (hit !== null) {
                each.quaternion.copy(new Quaternion().setFromUnitVectors(UP, unit(hit.normal)));
                each.position.copy(hit.point);
                each.scale.setScalar(radius * (i === 0 ? 1.02 : 1));
            }
        });
        this.viewport.redraw();
    }

    #enter(slot) {
        const group = slot === undefined ? this.group : this.viewport.overlay(slot);
        if (group && group !== this.group) {
            this.group = group;
            group.add(...this.circles);
        }
    }

    dispose() {
        this.circles.forEach((each) => {
            each.removeFromParent();
            each.material.dispose();
        });
        this.circles[0].geometry.dispose();
        this.viewport.redraw();
    }
}

function unit(normal) {
    const vector = new Vector3(normal.x, normal.y, normal.z);
    return vector.lengthSq() > 0 ? vector.normalize() : UP.clone();
}

function unitCircle() {
    const points = new Float32Array(3 * CIRCLE_STEPS);
    for (let i = 0; i < CIRCLE_STEPS; i++) {
        points[3 * i] = Math.cos((2 * Math.PI * i) / CIRCLE_STEPS);
        points[3 * i + 1] = Math.sin((2 * Math.PI * i) / CIRCLE_STEPS);
    }
    return new BufferGeometry().setAttribute('position', new BufferAttribute(points, 3));
}

/** Chosen points of a surface, where they are now; the surface itself hides those behind it. */
export class ChosenPoints {
    constructor(viewport, slot, {color, size = 5}) {
        this.viewport = viewport;
        this.object = new Points(
            new BufferGeometry(),
            new PointsMaterial({color, size, sizeAttenuation: false, transparent: true})
        );
        this.object.renderOrder = 900;
        this.object.frustumCulled = false;
        sceneOf(viewport, slot).add(this.object);
    }

    /** @param {ArrayLike<number>} vertices */
    show(vertices, surface) {
        const {points, normals} = surface;
        const array = positionsOf(this.object, vertices.length);
        for (let i = 0; i < vertices.length; i++) {
            for (let k = 0; k < 3; k++) {
                const v = vertices[i];
                array[3 * i + k] =
                    points[3 * v + k] + (normals === null ? 0 : (LIFT * normals[4 * v + k]) / 127);
            }
        }
        this.viewport.redraw();
    }

    dispose() {
        disposeObject(this.object);
        this.viewport.redraw();
    }
}

/**
 * Chosen faces of a surface, where they are now: over everything, as a driver lies close to its
 * skin.
 */
export class ChosenFaces {
    constructor(viewport, slot, {color}) {
        this.viewport = viewport;
        this.object = new Mesh(
            new BufferGeometry(),
            new MeshBasicMaterial({
                color,
                side: FrontSide,
                transparent: true,
                opacity: 0.6,
                depthWrite: false,
            })
        );
        this.object.frustumCulled = false;
        viewport.overlay(slot).add(this.object);
    }

    /** @param {Uint32Array} corners vertices of their triangles */
    show(corners, {points}) {
        const array = positionsOf(this.object, corners.length);
        for (let i = 0; i < corners.length; i++) {
            for (let k = 0; k < 3; k++) {
                array[3 * i + k] = points[3 * corners[i] + k];
            }
        }
        this.viewport.redraw();
    }

    dispose() {
        disposeObject(this.object);
        this.viewport.redraw();
    }
}

// The places of an object's points, to be filled: the same array as long as their number stays.
function positionsOf(object, count) {
    const there = object.geometry.getAttribute('position');
    object.visible = count > 0;
    if (there?.count === count) {
        there.needsUpdate = true;
        return there.array;
    }
    const array = new Float32Array(3 * count);
    object.geometry.dispose();
    object.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(array, 3));
    return array;
}

// Among the surfaces, which hide what is behind them; overlays are on top of everything.
function sceneOf(viewport, slot) {
    return viewport.views[slot].scene;
}

function disposeObject(object) {
    object.removeFromParent();
    object.geometry.dispose();
    object.material.dispose();
}
