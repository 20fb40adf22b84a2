// SPDX-License-Identifier: Apache-2.0
//
// The panel of the drawing tool: what to do next, what is wrong, and everything about the muscle.
import {h, setChildren, setText} from '../core/dom.js';
import {button, iconButton, nameField, numberField, section, textField, toggleField}
    from '../core/widgets.js';
import {put, remove} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {
    driverNames, driverOf, driverOps, falloffOf, falloffOps, firstCurve, slideOf, slideOps,
} from './draw-muscle.js';
import {Fields} from './fields.js';

const CURVE_HELP = ['A value of what drives the muscle.',
    'How much the muscle contracts there, from 0 to 1.'];

export class DrawPanel {
    constructor(tool, element) {
        this.tool = tool;
        this.studio = tool.studio;
        this.element = element;
        this.fields = null;
        this.showHeld = () => {};
    }

    /** Makes the panel anew: for a new drawing, or for a muscle that is there now. */
    build() {
        const {tool} = this;
        this.fields = new Fields(this.studio, {merge: () => tool.work.merge,
            label: (text) => tool.work.labelOf(text), sent: (edit) => tool.work.wait(edit)});
        this.advice = h('p', {class: 'advice', role: 'status', dataset: {testid: 'advice'}});
        this.problem = h('p', {class: 'problem', role: 'alert', dataset: {testid: 'problem'}});
        setChildren(this.element, this.advice, this.problem, this.buttons(), this.switches(),
            tool.muscle === undefined ? this.newParts() : this.muscleParts());
        this.shown = this.shape();
        this.say();
    }

    /** What decides which fields there are. */
    shape() {
        const {muscle, name, slot} = this.tool;
        const driver = driverOf(slot.document, muscle?.contraction)?.driver.parameter;
        return JSON.stringify([name, muscle?.kind, muscle?.depth_from, muscle?.ends, driver,
            muscle?.center !== undefined, falloffOf(slot.document, name) !== null]);
    }

    refresh() {
        if (this.shape() === this.shown) {
            this.fields.refresh();
            this.say();
        } else {
            this.build();
        }
    }

    /** The line on top, what is wrong, and which buttons can be pressed. */
    say() {
        const {tool} = this;
        const {drawing, running} = tool;
        setText(this.advice, running ? drawing.advice()
            : 'Drag a point to move it. Click a curve to add one, press Delete to remove one. ' +
                'The values are below.');
        setText(this.problem, tool.work.problem());
        this.problem.hidden = tool.work.problem() === '';
        setText(this.on, drawing.current === 0 ? 'Second curve' : 'Done');
        this.on.parentElement.hidden = !running;
        this.on.parentElement.disabled = drawing.current === 0
            ? drawing.curves[0].length < drawing.least : !drawing.complete;
        this.back.hidden = !running;
        this.back.disabled = drawing.empty;
        this.cancel.hidden = !running || drawing.empty;
        this.fresh.hidden = running;
        this.ring.set(drawing.closed);
        this.mirror.set(tool.mirror);
        this.mirror.element.hidden = !running;
    }

    buttons() {
        const {tool} = this;
        const on = button({label: 'Second curve', title: 'Enter', primary: true,
            onClick: () => tool.goOn()});
        this.on = on.querySelector('span');
        this.back = button({label: 'Undo point', title: 'Removes the last point (Backspace)',
            onClick: () => tool.removeLast()});
        this.cancel = button({label: 'Cancel', title: 'Cancels the drawing (Esc)',
            onClick: () => tool.cancel()});
        this.fresh = button({label: 'New muscle', icon: 'add', onClick: () => {
            this.studio.select(null);
            tool.begin();
        }});
        return h('div', {class: 'button-row'}, on, this.back, this.cancel, this.fresh);
    }

    switches() {
        const {tool} = this;
        this.ring = toggleField({label: 'Ring', value: tool.drawing.closed,
            help: 'Closes both curves, as around a mouth or an eye. You can also click the first ' +
                'point of a curve to close it.', onDone: (on) => tool.setRing(on)});
        this.mirror = toggleField({label: 'Mirror image (X)', value: tool.mirror,
            help: 'Adds the mirror image on the other side, across x = 0, when the drawing ends.',
            onDone: (on) => tool.setMirror(on)});
        return h('div', {}, this.ring, this.mirror);
    }

    /** Before there is a muscle: its name and its skin. */
    newParts() {
        const {tool} = this;
        const name = textField({label: 'Name', value: tool.work.wish ?? '', placeholder: 'muscle',
            onInput: (text) => {
                tool.work.wish = text.trim() === '' ? null : text.trim();
            }});
        const skins = tool.skins.length < 2 ? null : nameField({label: 'Skin',
            value: tool.work.skin, names: () => tool.skins, onDone: (skin) => {
                tool.work.skin = skin;
                tool.skinChanged();
            }});
        return [h('div', {}, name, skins)];
    }

    muscleParts() {
        const {tool} = this;
        const path = join('muscles', tool.name);
        return [this.contract(), this.naming(), this.shapeSection(path), this.falloffSection(),
            this.controlSection(path), this.surfaceSection(path)].filter((each) => each !== null)
            .map((each) => each.element ?? each);
    }

    /** Holds the muscle's control to see it bulge. */
    contract() {
        const {tool} = this;
        this.showHeld = () => {};
        const control = tool.muscle.contraction ?? tool.muscle.tension;
        if (control === undefined) {
            return h('p', {class: 'help'},
                'No control contracts this muscle yet. Choose one under Control.');
        }
        const {low = 0, high = 1} = this.studio.get(join('controls', control)) ?? {};
        // While a muscle is drawn, what is tried with it belongs to the step of the drawing.
        const begin = () => tool.holder.begin({merge: tool.work.merge,
            label: tool.work.labelOf(`Hold ${control}`)});
        begin();
        const field = numberField({label: 'Contract', low, high, standard: low,
            value: tool.slot.held[control] ?? low, help: `Holds the control “${control}” ` +
                'so that you see the muscle contract.', onInput: (value) => {
                tool.holder.hold({[control]: value});
            }, onDone: begin});
        const release = iconButton({icon: 'close', label: `Release ${control}`,
            onClick: () => this.studio.release([control])});
        const element = h('div', {class: 'contract', dataset: {testid: 'contract'}}, field,
            release);
        this.showHeld = () => {
            const held = tool.slot.held[control];
            field.set(held ?? low);
            release.hidden = held === undefined;
            element.classList.toggle('held', held !== undefined);
        };
        this.showHeld();
        return element;
    }

    naming() {
        const {tool} = this;
        return textField({label: 'Name', value: tool.name, onDone: (text) => this.rename(text)});
    }

    async rename(text) {
        const {tool} = this;
        const name = text.trim();
        if (name === '' || name === tool.name) {
            return;
        }
        const {work} = tool;
        tool.holder.release(); // its control may get the name, too
        await work.rename(name);
        if (tool.work !== work) {
            return;
        }
        if (!work.running) {
            this.studio.select(work.path);
        }
        this.build();
    }

    /** The muscle's parameters of these types of the schema, in its order. Numbers without a default are computed. */
    parameters(path, types) {
        const {properties = {}} = this.studio.schemaAt(path) ?? {};
        return Object.keys(properties).filter((key) => {
            const {default: standard, enum: choices, type} = properties[key];
            const known = standard !== undefined || type === 'number';
            return known && types.includes(choices ? 'choice' : type);
        });
    }

    /** What is measured shapes the muscle. */
    shapeSection(path) {
        const {tool, fields} = this;
        const {muscle} = tool;
        const closed = muscle.ends === 'closed';
        const measures = this.parameters(path, ['number'])
            .filter((key) => key !== 'bone_share' || muscle.depth_from === 'skeleton')
            .map((key) => this.measure(`${path}/${key}`));
        return section('Shape', {}, measures, closed ? null : this.slide(path),
            fields.name('Lies on', `${path}/depth_from`, () => this.beds(), {
                help: 'What the muscle lies on. Without it, it lies at a depth below the skin.',
                ops: (name) => this.depthOps(path, name)}),
            closed ? this.ringFields(path) : null);
    }

    /** Sliders of lengths end at a part of the body's size. */
    measure(path) {
        const {default: standard, unit} = this.studio.schemaAt(path);
        const reach = Math.max(0.1 * this.tool.work.size, 2 * (this.studio.get(path) ?? standard ?? 0));
        return this.fields.parameter(path, unit === 'm' ? {usual: [0, reach]} : {});
    }

    /** Bones, tissues and skins that a muscle can lie on. */
    beds() {
        const {tool} = this;
        const surfaces = tool.slot.model?.surfaces ?? [];
        return ['skeleton', ...surfaces.filter((s) => s.name !== tool.work.skin &&
            ['bone', 'tissue', 'skin'].includes(s.layer)).map((s) => s.name)];
    }

    /** Deep muscles want normals from the curves (docs/curves.md). */
    depthOps(path, name) {
        const {muscle} = this.tool;
        if (name === null) {
            return [remove(`${path}/depth_from`)];
        }
        return [put(`${path}/depth_from`, name),
            ...(muscle.normals === undefined ? [put(`${path}/normals`, 'curves')] : [])];
    }

    slide(path) {
        const {tool, fields} = this;
        const {minimum: low, maximum: high, default: standard, unit, description} =
            this.studio.welcome.drawn.slide;
        return fields.number('Slide', `${path}/vary`, {low, high, standard, unit,
            help: `${description}.`,
            read: () => (tool.muscle === undefined ? standard : slideOf(tool.muscle)),
            ops: (value) => slideOps(tool.slot.document, tool.name, value)});
    }

    ringFields(path) {
        const {tool, fields} = this;
        const own = fields.toggle('Custom centre', `${path}/center`, {
            help: 'The ring contracts towards a centre of your own: drag the mark C on the skin. ' +
                'Without it, that is the middle of the inner curve.',
            read: () => tool.muscle?.center !== undefined,
            ops: (on) => [on ? put(`${path}/center`, tool.drawing.middle())
                : remove(`${path}/center`)]});
        return h('div', {}, own, fields.parameter(`${path}/way`));
    }

    falloffSection() {
        const {tool, fields} = this;
        const found = falloffOf(tool.slot.document, tool.name);
        if (found === null) {
            return h('p', {class: 'help'},
                'No falloff deformer lists this muscle, so it moves no skin.');
        }
        const high = Math.max(0.2 * tool.work.size, 1.5 * this.falloffValue('d_none'));
        const field = (key, options) => fields.parameter(`${found.path}/${key}`,
            {...options, read: () => this.falloffValue(key)});
        const distance = (key) => field(key,
            {usual: [0, high], ops: (value) => this.distanceOps(key, value)});
        return section('Falloff', {}, distance('d_full'), distance('d_none'), field('falloff',
            {ops: (value) => falloffOps(tool.slot.document, tool.name, {falloff: value})}));
    }

    /** What the falloff of the muscle says, or the standard. */
    falloffValue(key) {
        const {slot, name} = this.tool;
        const found = falloffOf(slot.document, name);
        return found?.deformer[key] ?? this.studio.schemaAt(`${found?.path}/${key}`)?.default;
    }

    /** One distance pushes the other along: fully is never beyond not at all. */
    distanceOps(key, value) {
        const {document} = this.tool.slot;
        const both = key === 'd_full'
            ? {d_full: value, d_none: Math.max(this.falloffValue('d_none'), value)}
            : {d_full: Math.min(this.falloffValue('d_full'), value), d_none: value};
        return falloffOps(document, this.tool.name, both);
    }

    controlSection(path) {
        const {tool, fields} = this;
        const names = () => Object.keys(this.studio.get('/controls') ?? {});
        const control = tool.muscle.contraction;
        return section('Control', {},
            fields.name('Contracted by', `${path}/contraction`, names, {
                help: 'The control that makes it bulge and shorten.'}),
            fields.name('Tensed by', `${path}/tension`, names, {
                help: 'The control that makes it bulge without shortening.'}),
            control === undefined ? null : this.driverFields(control));
    }

    driverFields(control) {
        const {tool, fields} = this;
        const {model} = tool.slot;
        const driver = () => driverOf(tool.slot.document, control)?.driver ?? null;
        const chosen = fields.name('Driven by', '/drivers', () => driverNames(model, control), {
            help: 'The joint or control whose value contracts the muscle.',
            read: () => driver()?.parameter ?? null,
            ops: (name) => driverOps(tool.slot.document, control, name,
                name === null ? null : firstCurve(name, model)),
            release: (name) => this.heldAgainst(control, name)});
        const simple = driver()?.curve?.length === 2;
        const end = (label, i, j) => fields.number(label, '/drivers', {slider: false,
            help: CURVE_HELP[j], unit: j === 0 && driver()?.parameter?.endsWith('_deg') ? '°' : '',
            read: () => driver()?.curve?.[i]?.[j] ?? 0, low: undefined, high: undefined,
            ops: (value) => this.curveOps(control, i, j, value)});
        return h('div', {}, h('div', {dataset: {testid: 'driven-by'}}, chosen), !simple ? null : [end('Start value', 0, 0),
            end('Start amount', 0, 1), end('End value', 1, 0),
            end('End amount', 1, 1)]);
    }

    /** A driver has no effect on a control that is held: what was tried is over then. */
    heldAgainst(control, parameter) {
        if (parameter === null || !Object.hasOwn(this.tool.slot.held, control)) {
            return [];
        }
        this.studio.notice(`“${control}” is released: ${parameter} drives it now.`);
        return [control];
    }

    curveOps(control, i, j, value) {
        const {document} = this.tool.slot;
        const {path, driver} = driverOf(document, control);
        const curve = driver.curve.map((pair) => pair.slice());
        curve[i][j] = value;
        return [put(`${path}/curve`, curve)];
    }

    /** What is counted or chosen says how its surface is made. */
    surfaceSection(path) {
        const keys = this.parameters(path, ['integer', 'choice'])
            .filter((key) => key !== 'ends' && key !== 'way'); // above
        return section('Surface', {open: false},
            keys.map((key) => this.fields.parameter(`${path}/${key}`)));
    }
}
