// SPDX-License-Identifier: Apache-2.0
//
// The panel of muscles between bones: what to click next, sizes, the slice and the pivot in hand.
import {h, setChildren, setText} from '../core/dom.js';
import {button, choiceField, iconButton, section, textField, toggleField}
    from '../core/widgets.js';
import {put, remove} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {segmentAt} from './cylinder-places.js';
import {isEnd, moveUnit, shapeOf} from './cylinder-slices.js';
import {driverNames} from './draw-muscle.js';
import {BROAD_HELP, FibreParts} from './fibre-panel.js';
import {Fields} from './fields.js';
import {renameMuscleOps} from './muscle-names.js';
import {length, rounded} from './vectors.js';

const ORDINALS = ['first', 'second'];

export class CylinderPanel {
    constructor(tool, element) {
        this.tool = tool;
        this.studio = tool.studio;
        this.element = element;
    }

    build() {
        const {tool} = this;
        this.fields = new Fields(this.studio);
        this.advice = h('p', {class: 'advice', role: 'status', dataset: {testid: 'advice'}});
        this.problem = h('p', {class: 'problem', role: 'alert', dataset: {testid: 'problem'}});
        setChildren(this.element, this.advice, this.problem,
            tool.muscle === undefined ? this.newParts() : this.muscleParts());
        this.shown = this.shape();
        this.measurable = tool.surface?.rest != null;
        this.say();
    }

    shape() {
        const {muscle, name, chosen} = this.tool;
        return JSON.stringify([name, muscle?.kind, muscle?.slices, muscle?.sizes, chosen?.slice,
            muscle?.sections !== undefined, muscle?.pivots?.map((p) => [p.use, p.segment]),
            muscle?.through?.map((p) => p.segment), muscle?.origins?.length]);
    }

    refresh() {
        if (this.shape() === this.shown) {
            this.fields.refresh();
            this.fibre?.refresh();
            this.say();
        } else {
            this.build();
        }
    }

    /** Sizes that the document does not say are measured as soon as there is something to measure. */
    modelChanged() {
        const ready = this.tool.surface?.rest != null;
        if (ready !== this.measurable) {
            this.build();
        } else {
            this.say();
        }
    }

    say() {
        const {tool} = this;
        setText(this.advice, tool.muscle === undefined ? this.nextClick() : this.whatToDrag());
        setText(this.problem, tool.problem());
        this.problem.hidden = tool.problem() === '';
        this.mirror?.set(tool.mirror);
        this.kind?.set(tool.kind);
        this.broad?.set(tool.broad);
        if (this.broad) {
            this.broad.hidden = tool.kind !== 'fibre';
        }
    }

    nextClick() {
        const {clicks, each} = this.tool;
        const bones = this.tool.bones.length > 0;
        if (!bones && this.tool.kind !== 'fibre') {
            return 'This character has no bones that a muscle could be attached to. A fibre can be ' +
                'attached to segments.';
        }
        const end = clicks.length < each ? 'origin' : 'insertion';
        const number = each === 1 ? '' : `${ORDINALS[clicks.length % each]} `;
        return `Click the ${number}${end} ${bones ? 'on a bone' : 'through the skin'}.`;
    }

    whatToDrag() {
        const {muscle, chosen} = this.tool;
        if (muscle.kind === 'ellipsoid') {
            return 'Drag O (origin) and I (insertion) over the bones. Its sizes are below.';
        }
        if (muscle.kind === 'fibre') {
            return 'Drag O (origin) and I (insertion), W to widen the belly and T to thicken it, P ' +
                'to move a point that it passes.';
        }
        if (muscle.sections !== undefined) {
            return 'The sections of this muscle are given. Drag O, I and the pivots to change it.';
        }
        return chosen?.slice === undefined
            ? 'Drag O (origin) and I (insertion) over the bones. Drag a section by its yellow ' +
                'centre, or click it to resize it.'
            : `Section ${chosen.slice}: drag its centre to move it, W to widen it, T to ` +
                'thicken it, ↻ to rotate it.';
    }

    newParts() {
        const {tool} = this;
        this.kind = choiceField({label: 'Kind', value: tool.kind,
            choices: ['cylinder', 'ellipsoid', 'fibre'], help: 'A cylinder has two origins and ' +
                'two insertions, an ellipsoid one each. A fibre swings, and one or two each.',
            onDone: (kind) => tool.setKind(kind)});
        this.broad = toggleField({label: 'Broad', value: tool.broad, help: BROAD_HELP,
            onDone: (on) => tool.setBroad(on)});
        this.mirror = toggleField({label: 'Mirror image (X)', value: tool.mirror,
            help: 'Makes the muscle of the other side as well: one entry of the document for both.',
            onDone: (on) => tool.setMirror(on)});
        const name = textField({label: 'Name', value: tool.wish ?? '', placeholder: 'muscle',
            onInput: (text) => {
                tool.wish = text.trim() === '' ? null : text.trim();
            }});
        return [this.kind, this.broad, name, this.mirror, h('div', {class: 'button-row'},
            button({label: 'Undo click', title: 'Removes the last point (Backspace)',
                onClick: () => tool.removeLast()}))];
    }

    muscleParts() {
        const {tool} = this;
        this.mirror = null;
        this.kind = null;
        this.broad = null;
        this.fibre = tool.muscle.kind === 'fibre' ? new FibreParts(tool, this.fields) : null;
        const name = textField({label: 'Name', value: tool.name,
            onDone: (text) => this.rename(text)});
        const fresh = h('div', {class: 'button-row'}, button({label: 'New muscle', icon: 'add',
            onClick: () => tool.cancel()}));
        if (this.fibre !== null) {
            return [fresh, name, this.fibre.build(this.bellySizes())];
        }
        return [fresh, name, this.sizes(), tool.chosen?.slice === undefined ? null
            : this.sliceSection(tool.chosen.slice), this.pivotSection()];
    }

    async rename(text) {
        const {tool} = this;
        const name = text.trim();
        if (name === '' || name === tool.name) {
            return;
        }
        const ops = renameMuscleOps(this.studio.schema, tool.slot.document, tool.name, name);
        await this.studio.edit('Rename the muscle', ops)
            .then(() => this.studio.select(join('muscles', name)), () => {});
        this.build();
    }

    // ---- sizes

    /** The width or thickness that the model has by itself, in the unit of the document. */
    measured(axis) {
        const {tool} = this;
        const slices = tool.restSlices();
        const middle = slices[Math.floor(slices.length / 2)];
        if (middle === undefined) {
            return 0;
        }
        const size = 2 * length(axis === 0 ? middle.wide : middle.outer);
        const scaled = shapeOf(tool.muscle, middle.index).scale[axis];
        return rounded(size / scaled / moveUnit(tool.muscle, slices), 3);
    }

    /** A size or a move of the muscle: in millimetres, or as a fraction of its length. */
    measure(label, path, options) {
        const {tool, fields} = this;
        return tool.muscle.sizes === 'length' ? fields.number(label, path, {...options,
            help: 'As a fraction of the muscle\'s rest length.'})
            : fields.length(label, path, options);
    }

    sizes() {
        const {tool, fields} = this;
        const {path, muscle} = tool;
        const size = (label, key, axis) => {
            const now = muscle[key] ?? this.measured(axis);
            return this.measure(label, `${path}/${key}`, {low: 0.0001,
                high: Math.max(4 * now, 1e-3), standard: undefined,
                read: () => this.tool.muscle?.[key] ?? this.measured(axis)});
        };
        const parts = [size('Width', 'width', 0), size('Thickness', 'thickness', 1),
            fields.parameter(`${path}/slices`), fields.parameter(`${path}/points`)];
        return section('Sizes', {}, muscle.sections === undefined ? parts : parts.slice(3),
            muscle.kind === 'ellipsoid' ? null : this.cylinderSizes(path));
    }

    bellySizes() {
        const {tool} = this;
        const now = tool.bellySizes();
        const size = (label, key) => this.measure(label, `${tool.path}/${key}`, {low: 0,
            high: Math.max(4 * now.width, 1e-3), standard: undefined,
            read: () => tool.bellySizes()?.[key] ?? 0});
        return [size('Width', 'width'), size('Thickness', 'thickness')];
    }

    cylinderSizes(path) {
        const {fields} = this;
        return [fields.parameter(`${path}/volume`), fields.parameter(`${path}/lift`)];
    }

    // ---- the selected section

    sliceSection(slice) {
        const {tool, fields} = this;
        const read = (key, i) => () => shapeOf(tool.muscle ?? {}, slice)[key][i];
        const place = (key, i) => `${tool.path}/shape/${slice}/${key}/${i}`;
        const change = (key, i) => ({read: read(key, i),
            ops: (value) => this.shapeOps(slice, key, i, value)});
        const number = (label, key, i, options) => fields.number(label, place(key, i),
            {...options, ...change(key, i)});
        const scales = ['Width ×', 'Thickness ×'].map((label, i) => number(label, 'scale', i,
            {low: 0.05, high: 4, standard: 1}));
        const turns = ['x', 'y', 'z'].map((axis, i) => number(`Rotate ${axis}`, 'turn_deg', i,
            {low: -90, high: 90, standard: 0, unit: '°'}));
        const reach = 2 * this.measured(0) || 1;
        const moves = ['x', 'y', 'z'].map((axis, i) => this.measure(`Move ${axis}`,
            place('move', i), {low: -reach, high: reach, standard: 0, ...change('move', i)}));
        const end = isEnd(tool.muscle, slice);
        return section(`Section ${slice}`, {}, scales, end ? turns.slice(0, 1) : [moves, turns],
            button({label: 'Reset', onClick: () => tool.writeShape(
                {slice, scale: [1, 1], move: [0, 0, 0], turn_deg: [0, 0, 0]}, 'Reset a section')}));
    }

    shapeOps(slice, key, i, value) {
        const {tool} = this;
        const entry = shapeOf(tool.muscle, slice);
        const changed = entry[key].slice();
        changed[i] = value;
        const others = (tool.muscle.shape ?? []).filter((each) => each.slice !== slice);
        const list = [...others, {...entry, [key]: changed}].sort((a, b) => a.slice - b.slice);
        return [put(`${tool.path}/shape`, list)];
    }

    // ---- pivots

    pivotSection() {
        const {tool} = this;
        if (tool.muscle.kind !== 'cylinder') {
            return null;
        }
        const list = (tool.muscle.pivots ?? []).map((pivot, index) => this.pivot(pivot, index));
        return section('Pivots', {}, h('p', {class: 'help'},
            'The muscle bends around its pivots. Drag P to move one.'), list,
        button({label: 'Add a pivot', icon: 'add', onClick: () => tool.addPivot()}));
    }

    pivot(pivot, index) {
        const {tool, fields} = this;
        const path = `${tool.path}/pivots/${index}`;
        const segments = () => tool.slot.model.segments.map((segment) => segment.name);
        const last = (tool.muscle.slices ?? 8) - 2;
        return h('div', {class: 'pivot', dataset: {testid: `pivot-${index}`}},
            h('div', {class: 'button-row'}, h('strong', {}, `Pivot ${index + 1}`),
                iconButton({icon: 'trash', label: `Remove pivot ${index + 1}`,
                    onClick: () => tool.removePivot(index)})),
            fields.number('Section', `${path}/slice`, {low: 1, high: last, whole: true,
                standard: undefined}),
            fields.name('Segment', `${path}/segment`, segments, {none: false,
                ops: (name) => this.segmentOps(path, index, name)}),
            fields.choice('Active', `${path}/use`, ['always', 'never', 'bent', 'range'], {
                standard: 'always', help: 'bent: only where a straight muscle would ' +
                    'cut through the joint. range: only in a range of a parameter.',
                ops: (use) => this.useOps(path, pivot, use)}),
            pivot.use === 'range' ? this.range(path) : null,
            fields.name('Halfway to', `${path}/half`, segments, {
                help: 'A segment beyond a joint. The pivot turns by half of the angle between the ' +
                    'two segments.'}));
    }

    /** Another segment carries it: the pivot stays where it is. */
    segmentOps(path, index, name) {
        const {tool} = this;
        const {model, frame} = tool.slot;
        const point = tool.pivots().find((each) => each.index === index)?.point;
        const place = {...tool.muscle.pivots[index], segment: name};
        const there = point === undefined ? []
            : [put(`${path}/at`, segmentAt(place, point, model, frame))];
        return [put(`${path}/segment`, name), ...there];
    }

    useOps(path, pivot, use) {
        const {tool} = this;
        const drop = ['parameter', 'range'].filter((key) => pivot[key] !== undefined)
            .map((key) => remove(`${path}/${key}`));
        if (use !== 'range') {
            return [put(`${path}/use`, use), ...(pivot.use === 'range' ? drop : [])];
        }
        const parameter = driverNames(tool.slot.model, null)[0];
        return [put(path, {...pivot, use, parameter, range: [0, 90]})];
    }

    range(path) {
        const {tool, fields} = this;
        const end = (label, i) => fields.number(label, `${path}/range/${i}`, {slider: false,
            low: undefined, high: undefined});
        return h('div', {}, fields.name('Parameter', `${path}/parameter`,
            () => driverNames(tool.slot.model, null), {none: false}), end('From', 0), end('To', 1));
    }
}
