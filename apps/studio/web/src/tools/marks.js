// SPDX-License-Identifier: Apache-2.0
//
// What tools draw over a character: dots, lines and labels of a constant size on the screen, with
// dark rims so that they are readable over any colour. Dots and lines are found by their pixels.
import * as THREE from 'three';
import {Line2} from 'three/addons/lines/Line2.js';
import {LineGeometry} from 'three/addons/lines/LineGeometry.js';
import {LineMaterial} from 'three/addons/lines/LineMaterial.js';
import {nearestOnLine} from './draw-curves.js';
import {leaderEnd} from './label-places.js';
import {add, scale, sub} from './vectors.js';

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

function spriteMaterial(texture) {
    return new THREE.SpriteMaterial({map: texture, depthTest: false, depthWrite: false,
        transparent: true, toneMapped: false});
}

function makeSprite(material, width, height, order) {
    const sprite = new THREE.Sprite(material);
    const size = new THREE.Vector3(width, height, 1);
    sprite.renderOrder = order;
    sprite.frustumCulled = false;
    sprite.onBeforeRender = (renderer, scene, camera) => {
        scaleToPixels(sprite, size, renderer, camera);
    };
    return sprite;
}

/** Paints a round handle: a filled disc, a white ring, a dark rim; squares for what resizes. */
function paintDot(context, radius, colour, {chosen, square, letter}) {
    const middle = radius + 3;
    const small = radius < 4; // too small for a white ring
    const shape = (r) => {
        context.beginPath();
        if (square) {
            context.rect(middle - r, middle - r, 2 * r, 2 * r);
        } else {
            context.arc(middle, middle, r, 0, 2 * Math.PI);
        }
    };
    shape(radius + (small ? 1 : 2));
    context.fillStyle = RIM;
    context.fill();
    shape(radius);
    context.fillStyle = chosen ? colour : '#ffffff';
    context.fill();
    shape(small ? radius : radius - 2);
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

const dotMaterials = new Map();

/** Dots that look alike share their picture; there are few looks, and they are kept. */
function makeDot(colour, radius, look) {
    const side = 2 * (radius + 3);
    const key = dotKey(colour, radius, look);
    if (!dotMaterials.has(key)) {
        dotMaterials.set(key, spriteMaterial(
            canvasTexture(side, side, (c) => paintDot(c, radius, colour, look))));
    }
    return makeSprite(dotMaterials.get(key), side, side, 14); // above labels: they are gripped
}

function dotKey(colour, radius, {chosen, square, letter}) {
    return `dot ${colour} ${radius} ${chosen} ${square} ${letter}`;
}

const LABEL = {font: '600 12px system-ui, sans-serif', height: 20, beside: 7, step: 32};

let measure = null;

/** Pixels that a text takes, in steps: a number that changes keeps its picture's size. */
function labelWidths(text) {
    measure ??= document.createElement('canvas').getContext('2d');
    measure.font = LABEL.font;
    const width = Math.ceil(measure.measureText(text).width) + 14;
    return {width, room: LABEL.step * Math.ceil(width / LABEL.step)};
}

/** Width and height of a label in pixels. */
export const labelSize = (text) => [labelWidths(text).width, LABEL.height];

function paintLabel(context, text, colour, width) {
    context.clearRect(0, 0, 4096, LABEL.height);
    context.fillStyle = 'rgba(16, 20, 24, 0.85)';
    context.beginPath();
    context.roundRect(0, 0, width, LABEL.height, 5);
    context.fill();
    context.fillStyle = colour;
    context.font = LABEL.font;
    context.textBaseline = 'middle';
    context.fillText(text, 7, 10.5);
}

function makeLabel(room) {
    const texture = canvasTexture(room, LABEL.height, () => null);
    const sprite = makeSprite(spriteMaterial(texture), room, LABEL.height, 13);
    sprite.dispose = () => {
        texture.dispose();
        sprite.material.dispose();
    };
    return sprite;
}

function setLabel(sprite, text, colour, width) {
    const key = `${text} ${colour}`;
    if (sprite.userData.key !== key) {
        sprite.userData.key = key;
        const texture = sprite.material.map;
        paintLabel(texture.image.getContext('2d'), text, colour, width);
        texture.needsUpdate = true;
    }
}

const lineMaterials = new Map();

/** Materials are few and kept. */
function lineMaterial(colour, width, dash) {
    const key = `${colour} ${width} ${dash}`;
    if (!lineMaterials.has(key)) {
        lineMaterials.set(key, new LineMaterial({color: colour, linewidth: width, depthTest: false,
            depthWrite: false, transparent: true, toneMapped: false, dashed: dash > 0,
            dashSize: dash, gapSize: dash}));
    }
    return lineMaterials.get(key);
}

function makeDashedLine(points, colour, width, order) {
    const geometry = new LineGeometry();
    geometry.setPositions(points.flat());
    geometry.computeBoundingSphere();
    const dash = 2 ** Math.round(Math.log2(geometry.boundingSphere.radius / 10));
    const line = new Line2(geometry, lineMaterial(colour, width, dash));
    line.computeLineDistances();
    line.renderOrder = order;
    line.frustumCulled = false;
    line.dispose = () => geometry.dispose();
    return line;
}

/** A line of as many points as the one that it is shown for: its buffers are filled again. */
function makeKeptLine(count) {
    const geometry = new LineGeometry();
    geometry.setPositions(new Float32Array(3 * count));
    const line = new Line2(geometry, null);
    line.frustumCulled = false;
    line.dispose = () => geometry.dispose();
    return line;
}

function setKeptLine(line, points, colour, width, order) {
    const buffer = line.geometry.attributes.instanceStart.data;
    for (let i = 0; i + 1 < points.length; ++i) {
        for (let k = 0; k < 3; ++k) {
            buffer.array[6 * i + k] = points[i][k];
            buffer.array[6 * i + 3 + k] = points[i + 1][k];
        }
    }
    buffer.needsUpdate = true;
    line.material = lineMaterial(colour, width, 0);
    line.renderOrder = order;
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
        this.counts = new Map();
    }

    begin() {
        this.found = [];
        this.used.clear();
        this.counts.clear();
        this.group.clear();
    }

    /** What looks alike is made once and moved. */
    reuse(key, make) {
        const count = this.counts.get(key) ?? 0;
        this.counts.set(key, count + 1);
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
        this.reuse(dotKey(colour, radius, look), () => makeDot(colour, radius, look))
            .position.set(...point);
        if (data !== null) {
            this.found.push({points: [point], data, grip, rank});
        }
    }

    /** A text beside a point: above it on the right. */
    label(point, text, colour = '#ffffff') {
        this.addLabel(point, text, colour, ({room}) => [-LABEL.beside / room, -0.5]);
    }

    /** A text whose box is placed (label-places.js), with a line from the point that it names. */
    callout(point, box, text, colour = '#ffffff') {
        const from = this.pixelOf(point);
        const end = this.shifted(point, sub(leaderEnd(from, box), from));
        this.line([point, end], colour, {width: 1.5, rim: false});
        const middle = scale(add(box.low, box.high), 0.5);
        this.addLabel(this.shifted(point, sub(middle, from)), text, colour,
            ({width, room}) => [width / 2 / room, 0.5]);
    }

    /** @param place (widths) => the part of the picture that is at the point */
    addLabel(point, text, colour, place) {
        const widths = labelWidths(text);
        const sprite = this.reuse(`label ${widths.room}`, () => makeLabel(widths.room));
        setLabel(sprite, text, colour, widths.width);
        sprite.position.set(...point);
        sprite.center.set(...place(widths));
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
            this.keepLine(points, RIM, width + 2.5, 10);
        }
        if (dashed) {
            this.addOnce(makeDashedLine(points, colour, width, 11));
        } else {
            this.keepLine(points, colour, width, 11);
        }
        if (data !== null) {
            this.found.push({points, data, grip, rank});
        }
    }

    keepLine(points, colour, width, order) {
        const count = points.length;
        setKeptLine(this.reuse(`line ${count}`, () => makeKeptLine(count)), points, colour, width,
            order);
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
        const {viewport, slot} = this;
        return metresPerPixel(viewport.cameraOf(slot), new THREE.Vector3(...point),
            viewport.height);
    }

    /** Calls back before a picture is drawn that another camera sees than the last one. */
    onCamera(run) {
        let last = null;
        this.unwatch = this.viewport.beforeDrawing(() => {
            const {matrixWorld, projectionMatrix} = this.viewport.camera;
            const now = [...matrixWorld.elements, ...projectionMatrix.elements,
                this.viewport.height].join();
            if (last !== now) {
                last = now;
                run();
            }
        });
    }

    dispose() {
        this.kept.forEach((object) => object.dispose?.());
        this.kept.clear();
        this.group.removeFromParent();
        this.unwatch?.();
        this.viewport.redraw();
    }
}
