// SPDX-License-Identifier: Apache-2.0
//
// The surfaces of one character as three.js objects. Arrays of messages become buffers as they are.
import {
    Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments,
    Mesh, MeshBasicMaterial, StaticDrawUsage,
} from 'three';
import {LAYERS} from '../core/model.js';
import {clearCoat, Images, runsOf, setCoat} from './coats.js';
import {isTwoSided, makeMaterial, setLook, setOpacity} from './looks.js';
import {mapTexture} from './map-textures.js';
import {CASTERS} from './shadow.js';

/**
 * Draws nothing but depth: of a see-through surface only the nearest sheet is seen then. It comes
 * after everything solid, as what is transparent does, which else would be hidden by it.
 */
const DEPTH_ONLY = new MeshBasicMaterial({colorWrite: false, transparent: true,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1});
const LINE = {color: 0x0b0d12, transparent: true, opacity: 0.5};
/** Lines closer to each other than this fade, so that a dense mesh keeps its colour (pixels). */
const DENSE = 7;

// The mean length of some edges at rest, spread over the list.
function meanEdge({edges, rest, points}) {
    const at = rest ?? points;
    const step = 2 * Math.max(1, Math.floor(edges.length / 1000));
    let sum = 0, count = 0;
    for (let e = 0; e + 1 < edges.length; e += step, ++count) {
        const [a, b] = [3 * edges[e], 3 * edges[e + 1]];
        sum += Math.hypot(at[a] - at[b], at[a + 1] - at[b + 1], at[a + 2] - at[b + 2]);
    }
    return count > 0 ? sum / count : 0;
}

/** With the copies of vertices that have several texture coordinates behind them. */
function withCopies(array, width, copies, before) {
    const whole = before ?? new array.constructor(array.length + width * copies.length);
    whole.set(array);
    for (let i = 0, at = array.length; i < copies.length; ++i) {
        for (let k = 0; k < width; ++k, ++at) {
            whole[at] = array[width * copies[i] + k];
        }
    }
    return whole;
}

class Drawable {
    /** @param {{light, redraw: () => void, onLost: (name: string) => void}} scene */
    constructor(surface, scene) {
        this.box = new Box3();
        this.geometry = new BufferGeometry();
        this.copies = surface.copies?.length > 0 ? surface.copies : null;
        this.images = new Images();
        this.#makeMaterials(surface, scene);
        this.mesh = new Mesh(this.geometry,
            this.materials.length > 1 ? this.materials : this.materials[0]);
        this.depth = new Mesh(this.geometry, DEPTH_ONLY);
        this.wire = null;
        this.group = new Group();
        this.group.add(this.depth, this.mesh);
        this.group.children.forEach((each) => {
            each.frustumCulled = false;
        });
        this.depth.visible = false;
        this.take(surface);
    }

    // One material of the viewport for each of the surface's own, or one for all.
    #makeMaterials(surface, {light, redraw, onLost}) {
        const coated = surface.materials !== null;
        this.runs = coated ? runsOf(surface) : [{material: null}];
        this.materials = this.runs.map(() => makeMaterial(surface, light));
        this.geometry.setIndex(new BufferAttribute(coated ? surface.drawn : surface.triangles, 1));
        if (this.runs.length > 1) {
            this.runs.forEach(({first, count}, i) => this.geometry.addGroup(3 * first, 3 * count, i));
        }
        if (surface.uvs !== null) {
            this.geometry.setAttribute('uv', new BufferAttribute(surface.uvs, 2));
        }
        if (surface.colors !== null) {
            this.geometry.setAttribute('color',
                new BufferAttribute(this.#whole(surface.colors, 4), 4, true));
        }
        this.runs.forEach(({material}, i) => {
            if (material?.image !== undefined) {
                this.images.give(surface, material, this.materials[i].uniforms, redraw, onLost);
            } else if (material?.left_out !== undefined) {
                onLost(material.name);
            }
        });
    }

    #whole(array, width, before) {
        return this.copies === null ? array : withCopies(array, width, this.copies, before);
    }

    /** Draws another surface of the same shape: that of the next model. */
    take(surface) {
        this.surface = surface;
        this.moved = -1;
        const order = 10 * LAYERS.indexOf(surface.viewLayer);
        this.depth.renderOrder = order;
        this.mesh.renderOrder = order + 1;
        if (this.wire !== null) {
            this.wire.renderOrder = order + 2;
        }
    }

    // The box around the triangles' points, without an object for each of them.
    #measure() {
        const {points} = this.surface;
        const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
        for (let i = 0; i < points.length; i += 3) {
            for (let k = 0; k < 3; ++k) {
                const x = points[i + k];
                if (x < low[k]) {
                    low[k] = x;
                }
                if (x > high[k]) {
                    high[k] = x;
                }
            }
        }
        this.box.min.fromArray(low);
        this.box.max.fromArray(high);
    }

    /** Takes the newest arrays, each when it is another one. */
    update() {
        const {moved, points, normals, values} = this.surface;
        if (this.moved !== moved) {
            this.moved = moved;
            this.#set('position', points, 3, false);
            this.#measure();
        }
        if (normals !== null && this.normals !== normals) {
            this.normals = normals;
            this.#set('normal', normals, 4, true);
        }
        if (values !== null && this.values !== values) {
            this.values = values;
            this.#set('value', values, 1, false);
        }
    }

    // The same buffer of the graphics card is filled again as long as the size stays.
    #set(name, array, width, normalized) {
        const attribute = this.geometry.getAttribute(name);
        const length = array.length + width * (this.copies?.length ?? 0);
        if (attribute !== undefined && attribute.array.length === length) {
            attribute.array = this.#whole(array, width, attribute.array);
            attribute.needsUpdate = true;
        } else {
            const fresh = new BufferAttribute(this.#whole(array, width), width, normalized);
            fresh.setUsage(DynamicDrawUsage);
            this.geometry.setAttribute(name, fresh);
        }
    }

    /** @param {boolean} own whether it shows its own materials, or the look of its layer */
    show(state, mapping, own) {
        const {surface} = this;
        const mapped = mapping === null || surface.values === null ? 0 : mapping.categories ? 2 : 1;
        const opacity = state.mode === 'clear' ? state.opacity : 1;
        this.materials.forEach((material, i) => {
            const coat = own && mapped === 0 ? this.runs[i].material : null;
            this.#dress(material, coat, mapped, mapping);
            material.uniforms.uPainted.value = own && surface.colors !== null ? 1 : 0;
            const blends = coat?.alpha === 'blend';
            if (material.uniforms.uOpacity.value !== opacity ||
                material.transparent !== (opacity < 1 || blends)) {
                setOpacity(material, opacity, blends);
            }
        });
        this.depth.visible = opacity < 1;
        this.group.visible = state.mode !== 'hidden';
        if (opacity === 1) {
            this.mesh.layers.enable(CASTERS);
        } else {
            this.mesh.layers.disable(CASTERS);
        }
    }

    #dress(material, coat, mapped, mapping) {
        const {uniforms} = material;
        setLook(material, coat === null ? this.surface.look : 'plain', mapped);
        uniforms.uTwoSided.value = isTwoSided(this.surface) ? 1 : 0;
        if (mapped > 0) {
            uniforms.uMap.value = mapTexture(mapping.map);
            uniforms.uRange.value = mapping.range;
        }
        if (coat === null) {
            clearCoat(material);
        } else {
            setCoat(material, coat);
        }
    }

    setWireframe(shown) {
        if (shown && this.wire === null && this.surface.edges !== null) {
            const lines = new BufferGeometry();
            const index = new BufferAttribute(this.surface.edges, 1);
            index.setUsage(StaticDrawUsage);
            lines.setIndex(index);
            lines.setAttribute('position', this.geometry.getAttribute('position'));
            this.wire = new LineSegments(lines, new LineBasicMaterial(LINE));
            this.edge = meanEdge(this.surface);
            this.wire.frustumCulled = false;
            this.wire.renderOrder = this.mesh.renderOrder + 1;
            this.group.add(this.wire);
        }
        if (this.wire !== null) {
            this.wire.visible = shown;
        }
    }

    fadeWire(metresPerPixel) {
        if (this.wire !== null) {
            const spacing = this.edge / metresPerPixel;
            this.wire.material.opacity = LINE.opacity * Math.min(1, spacing / DENSE);
        }
    }

    dispose() {
        this.geometry.dispose();
        this.materials.forEach((material) => material.dispose());
        this.images.dispose();
        this.wire?.geometry.dispose();
        this.wire?.material.dispose();
    }
}

export class Body {
    /** @param {{light, redraw: () => void, onLost: (name: string) => void}} scene */
    constructor(slotIndex, scene) {
        this.slotIndex = slotIndex;
        this.scene = scene;
        this.group = new Group();
        this.drawables = new Map();
        this.model = null;
        /** Of the model that is shown. */
        this.serial = null;
    }

    /** Whether something of the model has come that is not drawn yet. */
    lacks(model) {
        return this.model !== model || model.surfaces.some((surface) =>
            surface.hasGeometry && !this.drawables.has(surface.index));
    }

    /**
     * Makes what the model has and forgets what it no longer has.
     * @param {boolean} nothing of the model is to be seen
     */
    sync(model, nothing = false) {
        if (model === null) {
            this.#clear();
            return;
        }
        // Until the first frame of a new model has come, the old one stays to be seen.
        const kept = this.model !== model && this.drawables.size > 0;
        const arrived = model.surfaces.filter((surface) => surface.hasGeometry &&
            (!kept || surface.normals !== null));
        if (this.model !== model && (arrived.length > 0 || nothing)) {
            this.#change(model, arrived);
        }
        if (this.model !== model) {
            return;
        }
        for (const surface of arrived) {
            if (!this.drawables.has(surface.index)) {
                this.#add(new Drawable(surface, this.scene));
            }
        }
    }

    // What is drawn of a shape that the next model has, too, draws that one.
    #change(model, arrived) {
        const before = [...this.drawables.values()];
        this.drawables.clear();
        this.model = model;
        this.serial = model.serial;
        for (const drawable of before) {
            this.group.remove(drawable.group);
            const {triangles} = drawable.surface;
            const next = arrived.find((surface) => surface.triangles === triangles &&
                !this.drawables.has(surface.index));
            if (next === undefined) {
                drawable.dispose();
            } else {
                drawable.take(next);
                this.#add(drawable);
            }
        }
    }

    #add(drawable) {
        this.drawables.set(drawable.surface.index, drawable);
        this.group.add(drawable.group);
    }

    /** Takes the newest points. */
    update() {
        this.drawables.forEach((drawable) => drawable.update());
    }

    /**
     * @param {(surface) => {mode, opacity}} stateOf @param {(surface) => object|null} mappingOf
     * @param {{wireframe: boolean, materials: boolean}} choice
     */
    show(stateOf, mappingOf, {wireframe, materials}) {
        for (const drawable of this.drawables.values()) {
            const own = materials && drawable.surface.viewLayer !== 'driver';
            drawable.show(stateOf(drawable.surface), mappingOf(drawable.surface), own);
            drawable.setWireframe(wireframe);
        }
    }

    /** Lets dense lines fade. @param {number} metresPerPixel where the body stands */
    fadeWires(metresPerPixel) {
        this.drawables.forEach((drawable) => drawable.fadeWire(metresPerPixel));
    }

    find(path) {
        return this.findAll(path)[0] ?? null;
    }

    /** All that is drawn of an entry: with its mirror images and repetitions. */
    findAll(path) {
        return [...this.drawables.values()].filter(({surface}) => surface.path === path);
    }

    /** The box around what is shown, or around the surfaces that `choose` names. */
    box(choose = () => true) {
        const box = new Box3();
        for (const drawable of this.drawables.values()) {
            if (drawable.group.visible && choose(drawable.surface)) {
                box.union(drawable.box);
            }
        }
        return box;
    }

    #clear() {
        for (const drawable of this.drawables.values()) {
            this.group.remove(drawable.group);
            drawable.dispose();
        }
        this.drawables.clear();
        this.model = null;
        this.serial = null;
    }
}
