// SPDX-License-Identifier: Apache-2.0
//
// The field slice: a plane through the fields of skins that is moved and turned here and by its
// handles. It stays to be seen with other tools, such as while a pose is dragged.
import {h, setChildren} from '../core/dom.js';
import {button, choiceField, nameField, numberField, toggleField} from '../core/widgets.js';
import {facing, movedTo, positionOf, sliceAxes} from '../document/slice-plane.js';
import {mapBytes} from '../viewport/colormap.js';
import {hasField} from '../viewport/slice.js';
import {COLOURS, Marks} from './marks.js';
import {
    add, boxOf, dot, identity, invert, length, matrixAt, mix, scale, sub, transform,
    transformDirection, unit,
} from './vectors.js';

const CELLS = [['48', 'Coarse'], ['96', 'Middle'], ['192', 'Fine']];
const DIRECTIONS = [['x', [1, 0, 0]], ['y', [0, 1, 0]], ['z', [0, 0, 1]]];
const ROOM = 1.15; // of the window around what is seen at first
const ARROW = 0.25; // of the window: how far its handles are from the centre

/** The plane in which a point of the window goes when its handle is dragged, hit by a ray. */
function meet({origin, direction}, point, normal) {
    const slope = dot(direction, normal);
    const away = Math.abs(slope) > 1e-3 ? dot(sub(point, origin), normal) / slope : -1;
    return away > 0 ? add(origin, scale(direction, away)) : null;
}

class SliceTool {
    id = 'slice';
    title = 'Field slice';
    icon = 'slice';
    inBar = false;
    help = 'Shows the field of an implicit skin on a plane. Drag the middle to move it, the arrow to ' +
        'move it along its normal, and the other two handles to turn it. It stays while other tools ' +
        'are used.';

    enter(studio) {
        this.studio = studio;
        this.#resume();
        const active = (slot) => slot === studio.active;
        this.off = [
            studio.on('frame', (slot) => active(slot) && this.#draw()),
            studio.on('model', (slot) => active(slot) && this.#refresh()),
            studio.on('slot', () => this.#resume()),
        ];
        if (this.#slice.plane === null) {
            this.#begin();
        }
    }

    leave() {
        this.off.forEach((off) => off());
        this.marks.dispose();
        this.marks = null;
        this.element = null;
        this.dragged = null;
    }

    panel(element) {
        this.element = element;
        this.#refresh();
    }

    // ---- pointer and keys

    pointerDown(event) {
        const mark = event.button === 0 ? this.marks.find(event) : null;
        if (mark === null) {
            return false; // the camera may have it
        }
        const frame = this.#frame();
        const {handle} = mark.data;
        this.dragged = {handle, before: this.#slice.plane, frame, back: invert(frame),
            from: this.#placeOf(event, handle, this.#slice.plane, frame)};
        return true;
    }

    pointerMove(event) {
        const {dragged} = this;
        if (dragged === null) {
            return false;
        }
        const {handle, before, frame, back, from} = dragged;
        const to = this.#placeOf(event, handle, before, frame);
        if (from !== null && to !== null && back !== null) {
            this.#set(this.#moved(handle, before,
                ...[from, to].map((point) => transform(back, point))));
        }
        return true;
    }

    pointerUp() {
        const taken = this.dragged !== null;
        this.dragged = null;
        return taken;
    }

    pointerCancel() {
        if (this.dragged !== null) {
            this.#set(this.dragged.before);
        }
        this.dragged = null;
    }

    keyDown(event) {
        if (event.key === 'Escape' && this.dragged !== null) {
            this.pointerCancel();
            return true;
        }
        return false;
    }

    // ---- inside

    get #slice() {
        return this.studio.viewport.slice;
    }

    #resume() {
        this.dragged = null;
        this.marks?.dispose();
        this.marks = new Marks(this.studio.viewport, this.studio.activeIndex);
        this.marks.onCamera(() => this.#draw());
        this.#refresh();
    }

    // A window around all skins that have a field, across the way that the camera looks.
    #begin() {
        const {model} = this.studio.active;
        const boxes = (model?.surfaces ?? []).filter(({field, points}) => field && points)
            .map(({points}) => boxOf(points));
        if (boxes.length === 0) {
            return;
        }
        const low = [0, 1, 2].map((k) => Math.min(...boxes.map((box) => box.low[k])));
        const high = [0, 1, 2].map((k) => Math.max(...boxes.map((box) => box.high[k])));
        this.#set({segment: null, center: mix(low, high, 0.5), turn: 0, tilt: 0, cells: 96,
            size: ROOM * Math.max(...sub(high, low))});
    }

    /** The frame that the plane is given in: that of its segment now, or of the world. */
    #frame(segment = this.#slice.plane.segment) {
        const {model, frame} = this.studio.active;
        const index = segment === null ? -1 : model?.segmentIndex(segment) ?? -1;
        return index >= 0 && frame?.worlds ? matrixAt(frame.worlds, index) : identity();
    }

    /** Where the pointer is in the plane that a handle is dragged in, in the world. */
    #placeOf(event, handle, plane, frame) {
        const {viewport, activeIndex} = this.studio;
        const ray = viewport.ray(event, activeIndex);
        const [origin, direction] = [ray.origin.toArray(), ray.direction.toArray()];
        const center = transform(frame, plane.center);
        const axes = sliceAxes(plane);
        const axis = (name) => unit(transformDirection(frame, axes[name]));
        if (handle === 'turn' || handle === 'tilt') {
            const about = handle === 'turn' ? transformDirection(frame, [0, 1, 0]) : axis('across');
            return meet({origin, direction}, center, unit(about)) ??
                meet({origin, direction}, center, direction);
        }
        return meet({origin, direction}, center, direction);
    }

    /** The plane when a handle of it has gone from a place to another, both in its frame. */
    #moved(handle, plane, from, to) {
        const {normal} = sliceAxes(plane);
        const by = sub(to, from);
        if (handle === 'center') {
            return {...plane, center: add(plane.center, by)};
        }
        if (handle === 'normal') {
            return movedTo(plane, positionOf(plane) + dot(by, normal));
        }
        const turned = turnedBy(sub(from, plane.center), sub(to, plane.center), handle, plane);
        return turned ?? plane;
    }

    #set(plane) {
        this.#slice.set(plane);
        this.#draw();
        this.#showNumbers();
    }

    #draw() {
        const {marks} = this;
        const {plane} = this.#slice;
        marks.begin();
        if (plane !== null && hasField(this.studio.active.model)) {
            this.#drawHandles(plane);
        }
        marks.end();
    }

    #drawHandles(plane) {
        const {marks} = this;
        const frame = this.#frame();
        const axes = sliceAxes(plane);
        const at = (name, part) => transform(frame,
            add(plane.center, scale(axes[name], part * plane.size)));
        const center = transform(frame, plane.center);
        const ends = [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map(([s, t]) =>
            transform(frame, add(plane.center, add(scale(axes.across, s * plane.size / 2),
                scale(axes.up, t * plane.size / 2)))));
        marks.line(ends, COLOURS.quiet, {width: 1});
        marks.line([center, at('normal', ARROW)], COLOURS.z, {width: 2});
        marks.dot(center, COLOURS.center, {radius: 7, data: {handle: 'center'}, rank: 1});
        marks.dot(at('normal', ARROW), COLOURS.z, {square: true, radius: 7, data: {handle: 'normal'}});
        marks.dot(at('across', 0.5), COLOURS.y, {letter: '↻', radius: 8, data: {handle: 'turn'}});
        marks.dot(at('up', 0.5), COLOURS.x, {letter: '↻', radius: 8, data: {handle: 'tilt'}});
    }

    #refresh() {
        if (this.marks) {
            this.#draw();
        }
        if (this.element) {
            setChildren(this.element, this.#panel());
        }
    }

    #showNumbers() {
        const {plane} = this.#slice;
        if (plane !== null && this.numbers) {
            this.numbers.position.set(positionOf(plane));
            ['turn', 'tilt', 'size'].forEach((name) => this.numbers[name].set(plane[name]));
        }
    }

    #panel() {
        const {model} = this.studio.active;
        const {plane, cuts} = this.#slice;
        this.numbers = null;
        if (!hasField(model)) {
            return [h('p', {class: 'help'}, 'No skin that is shown has a field: none has the ' +
                'deformer implicit.')];
        }
        return [
            toggleField({label: 'Show the slice', value: plane !== null, onDone: (shown) => {
                if (shown) {
                    this.#begin();
                } else {
                    this.#set(null);
                }
                this.#refresh();
            }}),
            ...(plane === null ? [] : this.#fields(model, plane, cuts)),
        ];
    }

    #fields(model, plane, cuts) {
        const change = (more) => this.#set({...this.#slice.plane, ...more});
        const number = (name, options) => numberField({...options, value: plane[name],
            onInput: (value) => change({[name]: value})});
        this.numbers = {
            position: numberField({label: 'Position', unit: 'm', value: positionOf(plane),
                low: -100, high: 100, usual: [positionOf(plane) - plane.size / 2,
                    positionOf(plane) + plane.size / 2],
                help: 'Along its normal, from the origin or from the joint of the segment',
                onInput: (value) => this.#set(movedTo(this.#slice.plane, value))}),
            turn: number('turn', {label: 'Turn', unit: '°', low: -180, high: 180, digits: 1,
                help: 'Of its normal about y, from z on'}),
            tilt: number('tilt', {label: 'Tilt', unit: '°', low: -90, high: 90, digits: 1,
                help: 'Of its normal towards y'}),
            size: number('size', {label: 'Size', unit: 'm', low: 0.001, high: 100,
                usual: [0.1 * plane.size, 2 * plane.size], help: 'Of its window'}),
        };
        return [
            toggleField({label: 'Cut open', value: cuts,
                help: 'Leaves out what lies before the plane',
                onDone: (value) => this.#slice.setCuts(value)}),
            nameField({label: 'Goes with', value: plane.segment, none: true,
                names: model.segments.map(({name}) => name),
                help: 'A segment that carries it; without one it stands still',
                onDone: (segment) => this.#attach(segment)}),
            h('div', {class: 'tool-actions', role: 'group', 'aria-label': 'Across'},
                DIRECTIONS.map(([name, direction]) => button({label: `Across ${name}`,
                    onClick: () => this.#set(facing(this.#slice.plane, direction))})),
                button({label: 'To the camera', onClick: () => this.#faceCamera()})),
            ...Object.values(this.numbers),
            choiceField({label: 'Grid', value: String(plane.cells),
                choices: CELLS.map(([value, label]) => ({value, label})),
                onDone: (cells) => change({cells: Number(cells)})}),
            legend(),
        ];
    }

    // The plane stays where it is, but is given in the frame of another segment.
    #attach(segment) {
        const {plane} = this.#slice;
        const [from, to] = [this.#frame(), this.#frame(segment)];
        const back = invert(to);
        if (back !== null) {
            const normal = transformDirection(back, transformDirection(from,
                sliceAxes(plane).normal));
            this.#set(facing({...plane, segment,
                center: transform(back, transform(from, plane.center))}, unit(normal)));
        }
        this.#refresh();
    }

    #faceCamera() {
        const {viewport, activeIndex} = this.studio;
        const {elements} = viewport.cameraOf(activeIndex).matrixWorld;
        const back = invert(this.#frame());
        if (back !== null) {
            this.#set(facing(this.#slice.plane, unit(transformDirection(back,
                [elements[8], elements[9], elements[10]]))));
        }
    }
}

/** The plane turned as a handle was dragged around its centre; null where it was dragged over it. */
function turnedBy(from, to, handle, plane) {
    const {up, normal} = sliceAxes(plane);
    if (handle === 'turn') {
        const [a, b] = [from, to].map(([x, , z]) => Math.atan2(x, z));
        return length([to[0], to[2]]) > 0
            ? facing(plane, rotatedAboutY(normal, b - a)) : null;
    }
    const [a, b] = [from, to].map((point) => Math.atan2(dot(point, normal), dot(point, up)));
    const tilt = plane.tilt - (b - a) * 180 / Math.PI;
    return {...plane, tilt: Math.min(90, Math.max(-90, tilt))};
}

function rotatedAboutY([x, y, z], angle) {
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    return [c * x + s * z, y, c * z - s * x];
}

function legend() {
    const colors = Array.from({length: 17}, (_, i) => {
        const [r, g, b] = mapBytes('cool-warm', i / 16);
        return `rgb(${r} ${g} ${b})`;
    }).join(', ');
    return h('div', {class: 'slice-legend'},
        h('div', {class: 'legend-bar', style: {background: `linear-gradient(to right, ${colors})`}}),
        h('div', {class: 'legend-ticks'}, ['0', '0.5', '1'].map((each) => h('span', {}, each))),
        h('p', {class: 'help'}, 'Lines at each tenth; the broad one is the surface of the field.'));
}

export default new SliceTool();
