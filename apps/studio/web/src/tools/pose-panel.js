// SPDX-License-Identifier: Apache-2.0
//
// The panel of the pose tool: the joint's values, what is held, keys and clips.
import {h, setChildren, setText} from '../core/dom.js';
import {keyNow, playClip} from '../core/keying.js';
import {
    button, nameField, numberField, section, shiftField, textField, toggleField,
} from '../core/widgets.js';
import {DEGREES, PARAMETERS, heldName} from '../document/joints.js';
import {poseClip, restValues} from './pose-keys.js';
import {freeRotations, freeTranslations} from './pose-maths.js';

export class PosePanel {
    constructor(tool, element) {
        this.tool = tool;
        this.studio = tool.studio;
        this.element = element;
        this.numbers = [];
        this.wish = 'pose';
    }

    build() {
        this.advice = h('p', {class: 'advice', role: 'status', dataset: {testid: 'advice'}});
        this.heldList = h('p', {class: 'help', dataset: {testid: 'held'}});
        this.numbers = [];
        setChildren(this.element, this.advice, this.chooser(), this.values(),
            this.jointButtons(), this.allSection(), this.clipSection());
        this.shown = this.shape();
        this.refresh();
    }

    shape() {
        const {index, slot, arrows, reaching} = this.tool;
        return `${index} ${slot.model?.serial} ${arrows} ${reaching} ${this.tool.joint !== null}`;
    }

    refresh() {
        if (this.shape() !== this.shown) {
            this.build();
            return;
        }
        const {joint, slot} = this.tool;
        this.numbers.forEach(({field, k, factor}) => field.set(joint.values[k] * factor));
        const names = Object.keys(slot.held);
        const more = names.length > 6 ? ` and ${names.length - 6} more` : '';
        setText(this.heldList, names.length === 0
            ? 'Nothing is held: the clip moves everything.'
            : `Held: ${names.slice(0, 6).join(', ')}${more}.`);
        this.say();
    }

    say() {
        const {modal, joint} = this.tool;
        const turn = 'Drag a ring or type an angle. Ctrl: steps of 5°. Shift: finer. I sets a key.';
        const reach = 'Drag the square: the two joints above follow. P turns them about the line ' +
            'to it. Rings turn this joint alone. I sets a key.';
        setText(this.advice, modal?.text ?? (joint === null
            ? 'Click a joint to pose it, or drag the square of a hand or foot.'
            : this.tool.reaches(joint.index) ? reach : turn));
    }

    chooser() {
        const {tool} = this;
        const {model} = tool.slot;
        return nameField({label: 'Joint', none: true,
            value: model?.segments[tool.index]?.name ?? null,
            names: () => model?.segments.map((segment) => segment.name) ?? [],
            onDone: (name) => tool.choose(name === null ? -1 : model.segmentIndex(name))});
    }

    values() {
        const {tool} = this;
        const {joint} = tool;
        if (joint === null) {
            return h('div', {});
        }
        const fields = [...freeRotations(joint), ...freeTranslations(joint, tool.arrows)]
            .map((parameter) => this.value(joint, parameter));
        const locked = freeRotations(joint).length === 0
            ? h('p', {class: 'help'}, 'The limits of this joint do not let it rotate.') : null;
        return h('div', {}, locked, fields, this.arrowSwitch(joint), this.reachSwitch(joint));
    }

    reachSwitch({index}) {
        const {tool} = this;
        const limb = tool.slot.model.segments[index].limb ?? null;
        return limb === null || limb.named ? null : toggleField({label: 'Reach',
            value: tool.reaching,
            help: 'Shows a square that moves this joint by turning the two joints above it. Hands ' +
                'and feet always have it.',
            onDone: (on) => {
                tool.reaching = on;
                this.build();
                tool.show();
            }});
    }

    arrowSwitch(joint) {
        const {tool} = this;
        const more = freeTranslations(joint, true).length > freeTranslations(joint).length;
        return !more ? null : toggleField({label: 'Move arrows', value: tool.arrows,
            help: 'Shows arrows that move this joint. Joints without translation limits hide them.',
            onDone: (on) => {
                tool.arrows = on;
                this.build();
                tool.show();
            }});
    }

    value(joint, parameter) {
        const {tool} = this;
        const k = PARAMETERS.indexOf(parameter);
        const turns = parameter[0] === 'r';
        const factor = turns ? DEGREES : 1;
        const [low, high] = (joint.limits[k] ?? [-Infinity, Infinity]).map((x) => x * factor);
        const reach = turns ? 180 : 1;
        const usual = [Math.max(low, -reach), Math.min(high, reach)];
        const label = `${turns ? 'Rotate' : 'Move'} ${parameter[1].toUpperCase()}`;
        const field = (turns ? numberField : shiftField)({label, value: joint.values[k] * factor,
            standard: joint.rest[k] * factor, unit: '°', low, high, usual, digits: 1,
            help: tool.name(parameter),
            onInput: (value) => tool.set(parameter, value / factor),
            onDone: () => tool.holder.begin()});
        this.numbers.push({field, k, factor});
        return field;
    }

    /** The names under which values of the chosen joint are held, and of the limb that it ends. */
    heldNames() {
        const {tool} = this;
        const {segments} = tool.slot.model;
        const {upper, lower} = tool.reaches(tool.index) ? segments[tool.index].limb : {};
        return [tool.index, upper, lower].filter((index) => index !== undefined)
            .flatMap((index) => PARAMETERS.map((p) => heldName(`${segments[index].name}.${p}`)));
    }

    jointButtons() {
        const {tool} = this;
        if (tool.joint === null) {
            return h('div', {});
        }
        return h('div', {class: 'button-row'},
            button({label: 'Key', icon: 'key',
                title: 'Sets keys for the held values of this joint (I)', onClick: () => this.key()}),
            button({label: 'Release', title: 'The clip moves this joint again',
                onClick: () => this.release()}));
    }

    /** What is held of the chosen joint or its limb. */
    heldHere() {
        const {tool} = this;
        const names = tool.joint === null ? [] : this.heldNames();
        return Object.entries(tool.slot.held).filter(([name]) => names.includes(name));
    }

    /** Keys what is held of the joint; where nothing is, its turns as they are. */
    key() {
        const {tool} = this;
        const held = this.heldHere();
        const values = held.length > 0 ? Object.fromEntries(held)
            : Object.fromEntries(freeRotations(tool.joint)
                .map((p) => [tool.name(p), tool.value(p) * tool.unit(p)]));
        return keyNow(this.studio, values);
    }

    release() {
        const names = this.heldHere().map(([name]) => name);
        return names.length === 0 ? null : this.studio.release(names);
    }

    allSection() {
        const {tool} = this;
        return section('Whole pose', {}, this.heldList, h('div', {class: 'button-row'},
            button({label: 'Rest pose', title: 'Holds everything at its rest value', onClick: () => {
                const {model, frame} = tool.slot;
                tool.holder.begin({label: 'Rest pose'});
                tool.holder.hold(restValues(model, frame));
                tool.holder.begin();
            }}),
            button({label: 'Release all', title: 'The clip moves everything again',
                onClick: () => this.studio.release(null)}),
            button({label: 'Key all held', icon: 'key',
                title: 'Sets keys for all held values', onClick: () => this.keyAll()})));
    }

    keyAll() {
        const {held} = this.tool.slot;
        if (Object.keys(held).length === 0) {
            this.studio.notice('Nothing is held. Pose a joint first.');
            return null;
        }
        return keyNow(this.studio, {...held});
    }

    clipSection() {
        const name = textField({label: 'Name', value: this.wish, onInput: (text) => {
            this.wish = text;
        }});
        return section('Save as clip', {open: false}, h('p', {class: 'help'},
            'Saves the pose as a new clip of one frame.'), name,
        button({label: 'Save the pose', onClick: () => this.savePose()}));
    }

    async savePose() {
        const {model, frame, document, held} = this.tool.slot;
        const {name, ops} = poseClip(model, frame, document, this.wish.trim() || 'pose');
        await this.studio.edit(`Save the pose ${name}`, ops, {release: Object.keys(held)});
        await playClip(this.studio, name);
    }
}
