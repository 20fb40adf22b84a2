// SPDX-License-Identifier: Apache-2.0
//
// What tools draw over a character: dots, lines and labels of a constant size on the screen, with
// dark rims so that they are readable over any colour. Dots and lines are found by their pixels.
import * as THREE from 'three';
import {Line2} from 'three/addons/lines/Line2.js';
import {LineGeometry} from 'three/addons/lines/LineGeometry.js';
import {LineMaterial} from 'three/addons/lines/LineMaterial.js';
import {nearestOnLine} from './draw-curves.js';
import {add, clamp, scale, sub} from './vectors.js';

/** Colours that stay apart for the colour-blind (Okabe and Ito 2008). */
export const COLOURS = {
    first: '#e69f00', second: '#56b4e9', center: '#f0e442', chosen: '#ffffff', quiet: '#c8c8c8',
    x: '#e8743b', y: '#2bb67d', z: '#4aa3f0', limit: '#f0e442', plane: '#cc79a7',
};

const RIM = '#101418';
const PICK_DOT = 12; // pixels around a dot that grip it
const PICK_LINE = 8;
const ABOVE = '.viewport .glass:not([hidden]), .tour-card'; // what stands before the picture

/** Metres that a pixel is at a point, for the camera that draws now. */
function metresPerPixel(camera, point, height) {
    if (camera.isOrthographicCamera) {
        return (camera.top - camera.bottom) / camera.zoom / height;
    }
    const depth = -point.clone().applyMatrix4(camera.matrixWorldInverse).z;
    return (2 * Math.tan((camera.fov * Math.PI) / 360) * Math.max(depth, camera.near)) / height;
}

const viewportNow = new THREE.Vector4();

function scaleToPixels(object, size, renderer, camera) {
    renderer.getCurrentViewport(viewportNow);
    const height = viewportNow.w / renderer.getPixelRatio();
    const center = object.getWorldPosition(new THREE.Vector3());
    object.scale.copy(size).multiplyScalar(metresPerPixel(camera, center, height));
    object.updateMatrixWorld();
}

function canvasTexture(width, height, paint) {
    const canvas = document.createElement('canvas');
    const ratio = 2 * Math.ceil(devicePixelRatio || 1); // halved once, letters stay sharp
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    paint(context);
    const texture = new THREE.CanvasTexture(canvas);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.minFilter = THREE.LinearFilter;
    texture.generateMipmaps = false;
    return texture;
}

function makeSprite(texture, width, height, order) {
    const material = new THREE.SpriteMaterial({map: texture, depthTest: false, depthWrite: false,
        transparent: true, toneMapped: false});
    const sprite = new THREE.Sprite(material);
    const size = new THREE.Vector3(width, height, 1);
    sprite.renderOrder = order;
    sprite.frustumCulled = false;
    sprite.onBeforeRender = (renderer, scene, camera) => {
        scaleToPixels(sprite, size, renderer, camera);
    };
    sprite.dispose = () => {
        texture.dispose();
        material.dispose();
    };
    return sprite;
}

/** Paints a round handle: a filled disc, a white ring, a dark rim; squares for what resizes. */
function paintDot(context, radius, colour, {chosen, square, letter}) {
    const middle = radius + 3;
    const shape = (r) => {
        context.beginPath();
        if (square) {
            context.rect(middle - r, middle - r, 2 * r, 2 * r);
        } else {
            context.arc(middle, middle, r, 0, 2 * Math.PI);
        }
    };
    shape(radius + 2);
    context.fillStyle = RIM;
    context.fill();
    shape(radius);
    context.fillStyle = chosen ? colour : '#ffffff';
    context.fill();
    shape(radius - 2);
    context.fillStyle = chosen ? '#ffffff' : colour;
    context.fill();
    if (letter) {
        context.fillStyle = RIM;
        context.font = `bold ${Math.round(radius * 1.4)}px sans-serif`;
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        context.fillText(letter, middle, middle + 1);
    }
}

function makeDot(colour, radius, options) {
    const side = 2 * (radius + 3);
    const texture = canvasTexture(side, side, (c) => paintDot(c, radius, colour, options));
    return makeSprite(texture, side, side, 14); // above labels: they are gripped
}

const LABEL_FONT = '600 12px system-ui, sans-serif';
const LABEL_HEIGHT = 20;

let measure = null;

/** Width and height of a label in pixels. */
export function labelSize(text) {
    measure ??= document.createElement('canvas').getContext('2d');
    measure.font = LABEL_FONT;
    return [Math.ceil(measure.measureText(text).width) + 14, LABEL_HEIGHT];
}

function makeLabel(text, colour) {
    const [width] = labelSize(text);
    const texture = canvasTexture(width, LABEL_HEIGHT, (context) => {
        context.fillStyle = 'rgba(16, 20, 24, 0.85)';
        context.beginPath();
        context.roundRect(0, 0, width, LABEL_HEIGHT, 5);
        context.fill();
        context.fillStyle = colour;
        context.font = LABEL_FONT;
        context.textBaseline = 'middle';
        context.fillText(text, 7, 10.5);
    });
    return makeSprite(texture, width, LABEL_HEIGHT, 13);
}

const lineMaterials = new Map();

/** Materials are few and kept: lines are made anew with every frame. */
function lineMaterial(colour, width, dash) {
    const key = `${colour} ${width} ${dash}`;
    if (!lineMaterials.has(key)) {
        lineMaterials.set(key, new LineMaterial({color: colour, linewidth: width, depthTest: false,
            depthWrite: false, transparent: true, toneMapped: false, dashed: dash > 0,
            dashSize: dash, gapSize: dash}));
    }
    return lineMaterials.get(key);
}

function makeLine(points, colour, width, dashed, order) {
    const geometry = new LineGeometry();
    geometry.setPositions(points.flat());
    geometry.computeBoundingSphere();
    const dash = dashed ? 2 ** Math.round(Math.log2(geometry.boundingSphere.radius / 10)) : 0;
    const material = lineMaterial(colour, width, dash);
    const line = new Line2(geometry, material);
    if (dashed) {
        line.computeLineDistances();
    }
    line.renderOrder = order;
    line.frustumCulled = false;
    line.dispose = () => geometry.dispose();
    return line;
}

/**
 * The marks of a tool in one slot. `begin` takes all away; then `dot`, `line` and `label` put
 * marks at points of the world, with `data` that `find` gives back.
 */
export class Marks {
    constructor(viewport, slot) {
        this.viewport = viewport;
        this.slot = slot;
        this.group = new THREE.Group();
        viewport.overlay(slot).add(this.group);
        this.found = [];
        this.kept = new Map();
        this.used = new Set();
    }

    begin() {
        this.found = [];
        this.used.clear();
        this.group.clear();
    }

    /** What looks alike is made once and moved. */
    reuse(key, make) {
        let count = 0;
        while (this.used.has(`${key}#${count}`)) {
            ++count;
        }
        const name = `${key}#${count}`;
        this.used.add(name);
        if (!this.kept.has(name)) {
            this.kept.set(name, make());
        }
        const object = this.kept.get(name);
        this.group.add(object);
        return object;
    }

    dot(point, colour, {radius = 7, chosen = false, square = false, letter = '', data = null,
        grip = PICK_DOT, rank = 0} = {}) {
        const look = {chosen, square, letter};
        const key = `dot ${colour} ${radius} ${JSON.stringify(look)}`;
        this.reuse(key, () => makeDot(colour, radius, look)).position.set(...point);
        if (data !== null) {
            this.found.push({points: [point], data, grip, rank});
        }
    }

    /** A text beside a point: above it on the right. */
    label(point, text, colour = '#ffffff') {
        const sprite = this.reuse(`label ${text} ${colour}`, () => makeLabel(text, colour));
        sprite.position.set(...point);
        sprite.center.set(-0.12, -0.5);
    }

    /** A text whose box is placed (label-places.js), with a line from the point that it names. */
    callout(point, box, text, colour = '#ffffff') {
        const from = this.pixelOf(point);
        const end = from.map((x, i) => clamp(x, box.low[i], box.high[i]));
        this.line([point, this.shifted(point, sub(end, from))], colour, {width: 1.5, rim: false});
        const middle = scale(add(box.low, box.high), 0.5);
        const sprite = this.reuse(`callout ${text} ${colour}`, () => makeLabel(text, colour));
        sprite.position.set(...this.shifted(point, sub(middle, from)));
        sprite.center.set(0.5, 0.5);
    }

    /** A point so many pixels to the right and down, as far away as it was. */
    shifted(point, [right, down]) {
        const {elements} = this.viewport.cameraOf(this.slot).matrixWorld;
        const metres = this.metresPerPixel(point);
        return point.map((x, i) => x + (elements[i] * right - elements[4 + i] * down) * metres);
    }

    /** The view, and what lies above it, for labels to be placed in. */
    surroundings() {
        const {left, top, width, height} = this.viewport.canvas.getBoundingClientRect();
        const above = document.querySelectorAll(ABOVE);
        const {shownSlots} = this.viewport;
        const part = width / shownSlots.length;
        const begin = part * Math.max(0, shownSlots.indexOf(this.slot));
        const area = {low: [begin, 0], high: [begin + part, height]};
        return {area, boxes: [...above].map((element) => {
            const box = element.getBoundingClientRect();
            return {low: [box.left - left, box.top - top],
                high: [box.right - left, box.bottom - top]};
        })};
    }

    line(points, colour, {width = 3, rim = true, dashed = false, data = null,
        grip = PICK_LINE, rank = 1} = {}) {
        if (points.length < 2) {
            return;
        }
        if (rim) {
            this.addOnce(makeLine(points, RIM, width + 2.5, false, 10));
        }
        this.addOnce(makeLine(points, colour, width, dashed, 11));
        if (data !== null) {
            this.found.push({points, data, grip, rank});
        }
    }

    /** A mesh or a line that is made anew each time. */
    addOnce(object) {
        const name = `once ${this.used.size}`;
        this.kept.get(name)?.dispose?.();
        this.kept.set(name, object);
        this.used.add(name);
        this.group.add(object);
    }

    end() {
        for (const [name, object] of this.kept) {
            if (!this.used.has(name)) {
                object.dispose?.();
                this.kept.delete(name);
            }
        }
        this.viewport.redraw();
    }

    /** The mark under the pointer: {data, piece, part, points}; by rank, then by distance. */
    find(event) {
        const {viewport, slot} = this;
        if (viewport.slotAt(event) !== slot) {
            return null;
        }
        const {x, y} = viewport.localPoint(event);
        let best = null;
        for (const mark of this.found) {
            const flat = mark.points.map((p) => this.pixelOf(p));
            const hit = nearestOnLine(flat.length === 1 ? [flat[0], flat[0]] : flat, [x, y]);
            const score = 1000 * mark.rank + hit.distance;
            if (hit.distance <= mark.grip && (best === null || score < best.score)) {
                best = {score, data: mark.data, piece: hit.piece, part: hit.t, points: mark.points};
            }
        }
        return best;
    }

    /** Where a point of the world is on the screen, pixels of the viewport. */
    pixelOf([x, y, z]) {
        const at = this.viewport.project({x, y, z}, this.slot);
        return [at.x, at.y];
    }

    /** Metres that a pixel is at a point of the world. */
    metresPerPixel(point) {
        const {camera, height} = this.viewport;
        return metresPerPixel(camera, new THREE.Vector3(...point), height);
    }

    /** Calls back when the camera has changed since the last call, before the next drawing. */
    onCamera(run) {
        const watch = new THREE.Sprite(new THREE.SpriteMaterial({opacity: 0, transparent: true,
            depthTest: false, depthWrite: false}));
        let last = null;
        watch.frustumCulled = false;
        watch.onBeforeRender = (renderer, scene, camera) => {
            const now = [camera.matrixWorld, camera.projectionMatrix].map((m) => m.elements).join();
            if (last !== now) {
                last = now;
                queueMicrotask(run);
            }
        };
        this.watch = watch;
        this.viewport.overlay(this.slot).add(watch);
    }

    dispose() {
        this.kept.forEach((object) => object.dispose?.());
        this.kept.clear();
        this.group.removeFromParent();
        this.watch?.removeFromParent();
        this.viewport.redraw();
    }
}
