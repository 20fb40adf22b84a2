// SPDX-License-Identifier: Apache-2.0
//
// The viewport: one canvas with one or two characters, a common camera, and what tools draw.
import {Box3, Raycaster, Vector2, Vector3} from 'three';
import {h} from '../core/dom.js';
import {OrbitCamera} from './camera.js';
import {Coloring} from './coloring.js';
import {Hud} from './hud.js';
import {Isolation} from './isolation.js';
import {Layers} from './layers.js';
import {Navigation} from './navigation.js';
import {Pace} from './pace.js';
import {castRay} from './picking.js';
import {Request} from './request.js';
import {Screen} from './screen.js';
import {FieldSlice} from './slice.js';

/** The box of a model at rest, which no pose changes. */
function restBox(model) {
    const box = new Box3();
    const point = new Vector3();
    for (const {rest} of model?.surfaces ?? []) {
        for (let i = 0; i < (rest?.length ?? 0); i += 3) {
            box.expandByPoint(point.fromArray(rest, i));
        }
    }
    return box;
}

export class Viewport {
    #studio;
    #raycaster = new Raycaster();
    #needsDrawing = true;
    #pointer = null;
    #settled = [];
    #approaches = false;
    #viewBefore = null; // where the camera was before only one thing was seen
    #layers = new Layers(() => this.#changed('layers'));
    #before = new Set(); // what tools do before a picture is drawn

    /** @param {{onClose: (slot) => void}} does what asks the user first */
    constructor(studio, element, does) {
        this.#studio = studio;
        this.element = element;
        this.canvas = h('canvas', {tabindex: 0, 'aria-label': 'Character', role: 'img',
            dataset: {testid: 'viewport'}});
        element.append(this.canvas);
        this.wireframe = false;
        /** Whether skins show the materials of their files, or the look of their layer. */
        this.materials = true;
        this.pace = new Pace();
        this.coloring = new Coloring(studio);
        this.compare = false;
        this.isolation = new Isolation(studio.slots);
        /** For tests: frames come and are acknowledged, nothing is drawn. */
        this.paused = false;
        /** How many pictures were drawn. */
        this.drawn = 0;
        this.orbit = new OrbitCamera(() => this.redraw());
        this.screen = new Screen(this.canvas, () => this.redraw(), (name) => studio.notice(
            `The image of the material "${name}" cannot be shown: it is damaged or too large.`));
        this.views = this.screen.views;
        this.slice = new FieldSlice(this.views, () => this.#changeSlice());
        this.hud = new Hud(studio, this, does);
        this.navigation = new Navigation(this, this.canvas);
        this.#listen();
        // After #listen: layers that follow the model are set when it asks for surfaces.
        this.request = new Request(studio, this);
        requestAnimationFrame((now) => this.#loop(now));
    }

    get camera() {
        return this.orbit.camera;
    }

    // ---- what is seen

    /** How each layer is shown: {skin: {mode, opacity}, ...}. */
    get layers() {
        return this.#layers.shown;
    }

    /** What the user wants. @param {'shown'|'hidden'|'clear'} mode */
    setLayer(name, mode, opacity) {
        this.#layers.set(name, mode, opacity);
        this.#changed('layers');
    }

    /** Layers as a tool needs them, until it gives them back: see Layers.lend. */
    lendLayers(wanted) {
        return this.#layers.lend(wanted);
    }

    /** The next mode of a layer: shown, see-through, hidden. */
    cycleLayer(name) {
        const next = {shown: 'clear', clear: 'hidden', hidden: 'shown'};
        this.setLayer(name, next[this.layers[name].mode]);
    }

    /** Hides the layer of what is selected. */
    hideSelected() {
        const surface = this.#studio.selectedSurface;
        if (surface) {
            this.setLayer(surface.viewLayer, 'hidden');
        }
    }

    /** Shows skin, muscles and bones. */
    showAll() {
        ['skin', 'muscle', 'bone'].forEach((name) => this.setLayer(name, 'shown'));
    }

    /** Shows only what is selected, and comes near; the next time all again, from where it was. */
    toggleIsolation() {
        const {isolation, orbit} = this;
        const path = this.#studio.selection?.path ?? null;
        if (isolation.path !== null) {
            isolation.end();
            this.#approaches = false;
            orbit.flyTo(this.#viewBefore);
        } else if (path === null || !isolation.begin(path)) {
            this.#studio.notice('Select something visible first.');
            return;
        } else {
            this.#viewBefore = orbit.view;
            this.#approaches = true;
        }
        this.#changed('layers');
        this.#approach();
    }

    // To what alone is seen, as soon as its points are there.
    #approach() {
        const box = this.#approaches ? this.#box((surface) => this.isolation.has(surface)) : null;
        if (box?.isEmpty() === false) {
            this.#approaches = false;
            this.orbit.frameBox(box);
        }
    }

    setWireframe(shown) {
        this.wireframe = shown;
        this.#changed('layers');
    }

    setMaterials(shown) {
        this.materials = shown;
        this.#changed('layers');
    }

    /** @param {{name: string}|null} quantity one of QUANTITIES, with its further keys */
    setQuantity(quantity) {
        this.coloring.set(quantity);
        this.#changed('quantity');
    }

    get quantity() {
        return this.coloring.quantity;
    }

    /** Shows both slots side by side. What is not seen is not worked on. */
    setCompare(compare) {
        this.compare = compare;
        if (!compare) {
            this.#studio.setActive(0);
        }
        this.#setAspect();
        this.#changed('layers');
        if (compare && this.views[1].placed) {
            this.frameAll();
        }
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

    setOrthographic(orthographic) {
        this.orbit.setOrthographic(orthographic);
    }

    redraw() {
        this.#needsDrawing = true;
    }

    // ---- for tools

    /** Calls `run` before each picture that is drawn. @returns a function that ends it */
    beforeDrawing(run) {
        this.#before.add(run);
        return () => this.#before.delete(run);
    }

    /** A group that tools draw in, always on top. */
    overlay(slotIndex = this.#studio.activeIndex) {
        return this.views[slotIndex].overlay;
    }

    /**
     * What lies under the pointer; null beside the slot's view. Without `layers`, what is seen
     * through a see-through surface comes before that surface.
     * @param {{layers: string[], slot: number, hidden: boolean}} options hidden: also surfaces
     *     that are not shown
     */
    pick(event, {layers, slot, hidden = false} = {}) {
        const index = slot ?? this.slotAt(event);
        const {x, y} = this.devicePoint(event, index);
        if (Math.max(Math.abs(x), Math.abs(y)) > 1) {
            return null; // what is not seen is not hit
        }
        const {body} = this.views[index];
        body.update();
        const offered = [...body.drawables.values()].filter(({group, surface}) =>
            (hidden || group.visible) &&
            (layers === undefined || layers.includes(surface.viewLayer)));
        const solid = layers === undefined
            ? offered.filter(({surface}) => this.stateOf(surface).mode === 'shown') : offered;
        const ray = this.ray(event, index);
        const hit = castRay(ray, solid) ??
            (solid.length < offered.length ? castRay(ray, offered) : null);
        return hit === null ? null : {...hit, slot: index};
    }

    /** The ray through the pointer. @returns {Ray} */
    ray(event, slot) {
        const index = slot ?? this.slotAt(event);
        const {x, y} = this.devicePoint(event, index);
        this.#raycaster.setFromCamera(new Vector2(x, y), this.cameraOf(index));
        return this.#raycaster.ray;
    }

    /** Where a point of the world is, in pixels of the viewport. */
    project(point, slot = this.#studio.activeIndex) {
        const at = new Vector3().copy(point).project(this.cameraOf(slot));
        const area = this.#area(slot);
        return {x: area.x + (at.x + 1) / 2 * area.width, y: area.y + (1 - at.y) / 2 * area.height,
            visible: area.width > 0 && at.z > -1 && at.z < 1};
    }

    /** The pointer in pixels of the viewport. */
    localPoint(event) {
        const box = this.canvas.getBoundingClientRect();
        return {x: event.clientX - box.left, y: event.clientY - box.top};
    }

    /** The pointer in a view, -1 to 1 both ways, y up; beyond that where it is in the other one. */
    devicePoint(event, slot = this.slotAt(event)) {
        const area = this.#area(slot);
        const {x, y} = this.localPoint(event);
        return {x: 2 * (x - area.x) / area.width - 1, y: 1 - 2 * (y - area.y) / area.height};
    }

    /** The slot whose view the pointer is in. */
    slotAt(event) {
        const shown = this.shownSlots;
        const {x} = this.localPoint(event);
        return shown.length > 1 && x >= this.width / 2 ? shown[1] : shown[0];
    }

    /** The camera of a slot: the common one, moved to where its character stands. */
    cameraOf(slot) {
        return this.orbit.movedCamera(slot, this.views[slot].offset);
    }

    get shownSlots() {
        const open = this.#studio.slots.filter(({document}) => document !== null)
            .map(({index}) => index);
        const [first = 0] = open;
        return this.compare ? [first, ...open.slice(1)] : [first];
    }

    get viewHeight() {
        return this.height;
    }

    // ---- events, given on by Navigation

    /** @returns whether the tool took it */
    giveDown(event) {
        return this.#studio.toolbox.give('pointerDown', event);
    }

    giveMove(event) {
        this.#studio.toolbox.give('pointerMove', event);
    }

    giveUp(event) {
        this.#studio.toolbox.give('pointerUp', event);
    }

    /** The pointer has become something else: what the tool is at is given up, or ends. */
    giveCancel(event) {
        const cancels = this.#studio.tool?.pointerCancel !== undefined;
        this.#studio.toolbox.give(cancels ? 'pointerCancel' : 'pointerUp', event);
    }

    /** Whether the pointer is beside the half that the tool works in. */
    isBeside(event) {
        const {tool, activeIndex} = this.#studio;
        return !tool?.bothHalves && this.slotAt(event) !== activeIndex;
    }

    /** A click beside that half: from now on the tool works in the other one. */
    clickBeside(event) {
        this.#studio.setActive(this.slotAt(event));
    }

    keyDown(event) {
        const typing = event.target instanceof Element &&
            event.target.closest('input, textarea, select, dialog') !== null;
        return !typing && this.#studio.toolbox.give('keyDown', event);
    }

    /** Remembers where the pointer is; the next turn shows the name of what is under it. */
    hover(event) {
        this.#pointer = event;
        if (event === null) {
            this.hud.showName(null);
        }
    }

    // ---- inside

    #listen() {
        const studio = this.#studio;
        studio.on('model', (slot) => {
            this.#countSkins();
            this.isolation.refresh();
            this.#changed('layers');
            // Frames bring what is to be seen; where that is nothing, none may come.
            if (this.request.wanted(slot).length === 0) {
                this.#sync(slot);
            }
        });
        studio.on('geometry', (slot) => this.#sync(slot));
        studio.on('frame', (slot) => this.#takeFrame(slot));
        studio.on('slot', (slot) => {
            if (slot.model === null) {
                this.#forget(slot);
            }
            this.#setAspect();
            this.#changed('layers');
        });
        studio.on('selection', () => {
            this.hud.showLegend(this.coloring.mapping);
            this.redraw();
        });
        studio.on('theme', () => this.redraw());
        new ResizeObserver(() => this.#resize()).observe(this.element);
        this.#resize();
    }

    #countSkins() {
        this.#layers.setSkins(this.#studio.slots.flatMap((slot) => slot.model?.surfaces ?? [])
            .some((surface) => surface.layer === 'skin' && surface.shown));
    }

    // A slot that is empty, or has another document: floor and camera begin anew.
    #forget(slot) {
        const view = this.views[slot.index];
        view.body.sync(null);
        this.slice.forget(slot.index);
        view.ground = null;
        view.placed = false;
        this.isolation.refresh();
        this.compare &&= this.#studio.slots.every(({document}) => document !== null);
        // Of two characters the one that is left stays where it is seen.
        if (slot.index === this.shownSlots[0]) {
            this.orbit.reset();
        }
    }

    #sync(slot) {
        const view = this.views[slot.index];
        view.body.sync(slot.model, this.request.wanted(slot).length === 0);
        view.body.update();
        this.#show();
        if (!view.placed && view.body.drawables.size > 0) {
            view.placed = true;
            this.#align();
            this.frameAll(slot.index === 1);
        }
        this.#approach();
        this.redraw();
    }

    #takeFrame(slot) {
        const {body} = this.views[slot.index];
        if (this.coloring.take(slot)) {
            this.#show();
        }
        this.slice.take(slot);
        // A model at work keeps its old picture until the points of the new one are there.
        if (body.lacks(slot.model)) {
            this.#sync(slot);
        }
        this.redraw();
    }

    // Without a plane nothing more comes, and what is seen goes at once.
    #changeSlice() {
        if (this.slice.plane === null) {
            this.views.forEach((_, index) => this.slice.forget(index));
        }
        this.redraw();
        this.#studio.emit('slice', this.slice.plane);
    }

    #changed(signal) {
        this.#show();
        this.redraw();
        this.#studio.emit(signal, signal === 'quantity' ? this.quantity : this.layers);
    }

    #show() {
        const mapping = this.coloring.mapping;
        for (const {body} of this.views) {
            body.show((surface) => this.stateOf(surface), () => mapping, this);
        }
        this.hud.showLegend(mapping);
    }

    /** How a surface is shown. What the document hides stays hidden, unless it is selected. */
    stateOf(surface) {
        const state = this.layers[surface.viewLayer] ?? this.layers.skin;
        if (this.isolation.path !== null) {
            return {...state, mode: this.isolation.has(surface) ? 'shown' : 'hidden'};
        }
        const kept = surface.shown || surface.viewLayer === 'driver';
        return kept ? state : {...state, mode: 'hidden'};
    }

    #box(choose) {
        const box = new Box3();
        for (const index of this.shownSlots) {
            const {body, offset} = this.views[index];
            const own = body.box(choose);
            box.union(own.isEmpty() ? own : own.translate(offset.clone().negate()));
        }
        return box;
    }

    // Two settings of one character are seen at the same place; another character that stands
    // elsewhere is seen as if it stood where the first one does.
    #align() {
        const [first, second] = this.#studio.slots.map((slot) => restBox(slot.model));
        const {offset} = this.views[1];
        offset.set(0, 0, 0);
        if (!first.isEmpty() && !second.isEmpty()) {
            const apart = second.getCenter(new Vector3()).sub(first.getCenter(new Vector3()));
            const size = first.getSize(new Vector3()).length();
            if (apart.length() > size / 4) {
                offset.copy(apart);
            }
        }
        // One floor below both, whatever the pose in which the second one came.
        this.views[1].ground = offset.lengthSq() === 0 ? this.views[0].ground : null;
    }

    #resize() {
        this.width = Math.max(1, this.element.clientWidth);
        this.height = Math.max(1, this.element.clientHeight);
        this.screen.resize(this.width, this.height);
        this.#setAspect();
        this.redraw();
    }

    #setAspect() {
        this.orbit.setAspect(Math.floor(this.width / this.shownSlots.length) / this.height);
    }

    /** The part of the canvas that a slot is drawn in, in pixels from the left upper corner. */
    #area(slot) {
        const shown = this.shownSlots;
        const at = shown.indexOf(slot);
        const width = at < 0 ? 0 : Math.floor(this.width / shown.length);
        return {x: Math.max(0, at) * width, y: 0, width, height: this.height};
    }

    // One turn of the browser: draws only when something changed, and once more, with everything,
    // when a slow machine has come to rest.
    #loop(now) {
        requestAnimationFrame((next) => this.#loop(next));
        if (this.paused || document.hidden || !this.screen.alive) {
            this.pace.skip(now);
            return;
        }
        this.orbit.advance(now);
        this.#showName();
        if (this.pace.wants(now, this.#needsDrawing, this.#studio.time.playing)) {
            this.#before.forEach((run) => run());
            this.#needsDrawing = false;
            this.#draw(this.pace.full);
        }
        const complete = this.pace.full || this.#studio.time.playing;
        if (!this.#needsDrawing && complete && this.orbit.flight === null) {
            this.#settled.splice(0).forEach((resolve) => resolve());
        }
    }

    /** Resolves when the picture is up to date: at rest with everything in it. */
    settle() {
        return new Promise((resolve) => {
            this.#settled.push(resolve);
        });
    }

    #showName() {
        const event = this.#pointer;
        this.#pointer = null;
        if (event !== null && this.#studio.tool?.hoverNames) {
            const hit = this.pick(event);
            const component = hit === null ? null : this.coloring.componentAt(hit);
            const name = [hit?.surface.name, component].filter(Boolean).join(', ');
            this.hud.showName(name || null, this.localPoint(event));
        }
    }

    #draw(full) {
        const {theme, selection, selectedPaths, activeIndex} = this.#studio;
        const colors = {background: theme.color('--viewport'), line: theme.color('--grid'),
            accent: theme.color('--accent'), light: theme.name === 'light'};
        this.screen.begin(full);
        for (const index of this.shownSlots) {
            const selected = index === activeIndex && selection !== null
                ? {paths: selectedPaths, surface: selection.surface} : null;
            this.screen.draw(index, {area: this.#area(index), orbit: this.orbit,
                camera: () => this.cameraOf(index), colors, selected, full,
                clipping: (camera) => this.slice.clipping(this.#studio.slots[index], camera)});
        }
        ++this.drawn;
    }
}
