// SPDX-License-Identifier: Apache-2.0
//
// The viewport: one canvas with one or two characters, a common camera, and what tools draw.
import {Group, Raycaster, Scene, Vector2, Vector3, WebGLRenderer} from 'three';
import {h} from '../core/dom.js';
import {Body} from './bodies.js';
import {OrbitCamera} from './camera.js';
import {findQuantity} from './colormap.js';
import {Handles} from './handles.js';
import {Light} from './looks.js';
import {Navigation} from './navigation.js';
import {castRay} from './picking.js';
import {Request} from './request.js';
import {Stage} from './stage.js';

const CLEAR = 0.35; // opacity of see-through layers

export class Viewport {
    #studio;
    #raycaster = new Raycaster();
    #handles = new Set();
    #needsDrawing = true;

    constructor(studio, element) {
        this.#studio = studio;
        this.element = element;
        this.canvas = h('canvas', {tabindex: 0, 'aria-label': 'Character', role: 'img',
            dataset: {testid: 'viewport'}});
        element.append(this.canvas);
        this.layers = {
            skin: {mode: 'shown', opacity: CLEAR}, muscle: {mode: 'shown', opacity: CLEAR},
            bone: {mode: 'shown', opacity: CLEAR}, tissue: {mode: 'shown', opacity: CLEAR},
            driver: {mode: 'hidden', opacity: CLEAR},
        };
        this.wireframe = false;
        this.quantity = null;
        this.compare = false;
        /** For tests: frames come and are acknowledged, nothing is drawn. */
        this.paused = false;
        this.orbit = new OrbitCamera(() => this.redraw());
        this.light = new Light();
        this.#build();
        this.request = new Request(studio, this);
        this.navigation = new Navigation(this, this.canvas);
        this.#listen();
        requestAnimationFrame((now) => this.#loop(now));
    }

    get camera() {
        return this.orbit.camera;
    }

    // ---- what is seen

    /** @param {'shown'|'hidden'|'clear'} mode */
    setLayer(name, mode, opacity = this.layers[name].opacity) {
        this.layers[name] = {mode, opacity};
        this.#changed('layers');
    }

    setWireframe(shown) {
        this.wireframe = shown;
        this.#changed('layers');
    }

    /** @param {{name: string}|null} quantity one of QUANTITIES, with its further keys */
    setQuantity(quantity) {
        this.quantity = quantity;
        this.#changed('quantity');
    }

    /** Shows both slots side by side. */
    setCompare(compare) {
        this.compare = compare;
        this.#changed('layers');
    }

    frameAll(animate = true) {
        this.orbit.frameBox(this.#box(), animate);
    }

    frameSelection(animate = true) {
        const path = this.#studio.selection?.path;
        const box = this.#box((surface) => surface.path === path);
        this.orbit.frameBox(box.isEmpty() ? this.#box() : box, animate);
    }

    /** @param {'front'|'back'|'left'|'right'|'top'|'bottom'} name */
    setView(name, animate = true) {
        this.orbit.setView(name, animate);
    }

    redraw() {
        this.#needsDrawing = true;
    }

    // ---- for tools

    /** A group that tools draw in, always on top. */
    overlay(slotIndex = this.#studio.activeIndex) {
        return this.views[slotIndex].overlay;
    }

    /**
     * Points that can be dragged over surfaces.
     * @param {{points, closed, line, color, label, slot, pick: {layers}, onMove(i, hit),
     *     onDone(i), onSelect(i)}} options
     */
    handles(options) {
        const handles = new Handles(this, {slot: this.#studio.activeIndex, ...options},
            (gone) => this.#handles.delete(gone));
        this.#handles.add(handles);
        return handles;
    }

    /** What lies under the pointer. @param {{layers: string[], slot: number, hidden: boolean}} options
     *     hidden: also surfaces that are not shown */
    pick(event, {layers, slot, hidden = false} = {}) {
        const index = slot ?? this.slotAt(event);
        const surfaces = [...this.views[index].body.drawables.values()]
            .filter(({group, surface}) => (hidden || group.visible) &&
                (layers === undefined || layers.includes(surface.viewLayer)))
            .map(({surface}) => surface);
        const hit = castRay(this.ray(event), surfaces);
        return hit === null ? null : {...hit, slot: index};
    }

    /** The ray through the pointer. @returns {{origin: Vector3, direction: Vector3}} */
    ray(event) {
        const {x, y} = this.devicePoint(event);
        this.#raycaster.setFromCamera(new Vector2(x, y), this.camera);
        return this.#raycaster.ray;
    }

    /** Where a point of the world is, in pixels of the viewport. */
    project(point, slot = this.#studio.activeIndex) {
        const at = new Vector3().copy(point).project(this.camera);
        const area = this.#area(slot);
        return {x: area.x + (at.x + 1) / 2 * area.width, y: area.y + (1 - at.y) / 2 * area.height,
            visible: area.width > 0 && at.z > -1 && at.z < 1};
    }

    /** The pointer in pixels of the viewport. */
    localPoint(event) {
        const box = this.canvas.getBoundingClientRect();
        return {x: event.clientX - box.left, y: event.clientY - box.top};
    }

    /** The pointer in the view that it is in, -1 to 1 both ways, y up. */
    devicePoint(event) {
        const area = this.#area(this.slotAt(event));
        const {x, y} = this.localPoint(event);
        return {x: 2 * (x - area.x) / area.width - 1, y: 1 - 2 * (y - area.y) / area.height};
    }

    /** The slot whose view the pointer is in. */
    slotAt(event) {
        const shown = this.shownSlots;
        const {x} = this.localPoint(event);
        return shown.length > 1 && x >= this.width / 2 ? shown[1] : shown[0];
    }

    get shownSlots() {
        const other = this.#studio.slots[1].document !== null;
        return this.compare && other ? [0, 1] : [0];
    }

    get viewHeight() {
        return this.height;
    }

    // ---- events, given on by Navigation

    giveDown(event) {
        const handles = [...this.#handles].find((each) => each.pointerDown(event));
        if (handles !== undefined) {
            return handles;
        }
        return this.#studio.toolbox.give('pointerDown', event) ? this.#studio.toolbox : null;
    }

    giveMove(event, owner) {
        if (owner instanceof Handles) {
            owner.pointerMove(event);
        } else {
            this.#studio.toolbox.give('pointerMove', event);
        }
    }

    giveUp(event, owner) {
        if (owner instanceof Handles) {
            owner.pointerUp(event);
        } else {
            this.#studio.toolbox.give('pointerUp', event);
        }
    }

    keyDown(event) {
        return event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
            ? false : this.#studio.toolbox.give('keyDown', event);
    }

    /** Shows the name of what the pointer is over; null: it is over nothing. */
    hover() {}

    // ---- drawing

    #build() {
        this.renderer = new WebGLRenderer({canvas: this.canvas, antialias: true, alpha: false,
            stencil: true, powerPreference: 'high-performance'});
        this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
        this.renderer.autoClear = false;
        this.stage = new Stage();
        this.views = [0, 1].map((index) => {
            const scene = new Scene();
            const overlayScene = new Scene();
            const overlay = new Group();
            const body = new Body(index, this.light);
            scene.add(body.group);
            overlayScene.add(overlay);
            return {scene, overlayScene, overlay, body};
        });
        new ResizeObserver(() => this.#resize()).observe(this.element);
        this.#resize();
    }

    #listen() {
        const studio = this.#studio;
        studio.on('geometry', (slot) => this.#sync(slot));
        studio.on('frame', () => this.redraw());
        studio.on('document', (slot) => slot.document === null && this.#sync(slot));
        studio.on('slot', () => this.#changed('layers'));
        studio.on('selection', () => this.redraw());
        studio.on('theme', () => this.redraw());
    }

    #sync(slot) {
        const {body} = this.views[slot.index];
        const first = body.serial === null;
        body.sync(slot.model);
        body.update();
        this.#show();
        if (first && slot.index === 0 && body.serial !== null) {
            this.frameAll(false);
        }
        this.redraw();
    }

    #changed(signal) {
        this.#show();
        this.redraw();
        this.#studio.emit(signal, signal === 'quantity' ? this.quantity : this.layers);
    }

    #show() {
        const known = this.quantity === null ? null : findQuantity(this.quantity.name);
        const mapping = known === null ? null : {...known, range: known.range ?? [0, 1]};
        for (const {body} of this.views) {
            body.show((surface) => this.stateOf(surface), () => mapping, this.wireframe);
        }
    }

    /** How a surface is shown. Muscles and bones that the document hides stay hidden. */
    stateOf(surface) {
        const state = this.layers[surface.viewLayer] ?? this.layers.skin;
        const kept = surface.shown || surface.viewLayer === 'driver';
        return kept ? state : {...state, mode: 'hidden'};
    }

    #box(choose) {
        const box = this.views[0].body.box(choose);
        return this.compare ? box.union(this.views[1].body.box(choose)) : box;
    }

    #resize() {
        this.width = Math.max(1, this.element.clientWidth);
        this.height = Math.max(1, this.element.clientHeight);
        this.renderer.setSize(this.width, this.height, false);
        this.redraw();
    }

    #area(slot) {
        const shown = this.shownSlots;
        const at = shown.indexOf(slot);
        const width = at < 0 ? 0 : this.width / shown.length;
        return {x: Math.max(0, at) * width, y: 0, width, height: this.height};
    }

    // One turn of the browser: draws only when something changed.
    #loop(now) {
        requestAnimationFrame((next) => this.#loop(next));
        if (this.paused || document.hidden) {
            return;
        }
        this.orbit.advance(now);
        if (this.#needsDrawing) {
            this.#needsDrawing = false;
            this.#draw();
        }
    }

    #draw() {
        const {renderer} = this;
        const shown = this.shownSlots;
        this.orbit.setAspect(this.width / shown.length / this.height);
        this.light.follow(this.camera);
        renderer.setScissorTest(true);
        for (const index of shown) {
            const area = this.#area(index);
            const view = this.views[index];
            view.body.update();
            renderer.setViewport(area.x, 0, area.width, area.height);
            renderer.setScissor(area.x, 0, area.width, area.height);
            renderer.setClearColor(this.#studio.theme.color('--viewport') || '#808080');
            renderer.clear();
            view.scene.add(this.stage.floor);
            renderer.render(view.scene, this.camera);
            renderer.clearDepth();
            this.#handles.forEach((each) => each.scale(this.camera, this.height));
            renderer.render(view.overlayScene, this.camera);
        }
    }
}
