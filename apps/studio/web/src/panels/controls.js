// SPDX-License-Identifier: Apache-2.0
//
// Sliders of everything that can be played with: the joints of the selected segment, and all
// controls by group.
import {calmly} from '../core/calm.js';
import {h, setChildren} from '../core/dom.js';
import {keyNow} from '../core/keying.js';
import {button, searchField, section} from '../core/widgets.js';
import {drivenReason, grouped, jointParameters, segmentOf} from './logic/joints.js';
import {parameterRow} from './parameter-row.js';

const UNITS = {deg: '°', rad: 'rad', m: 'm'};

class Controls {
    constructor(element, studio) {
        this.studio = studio;
        this.query = '';
        this.closed = new Set();
        this.joints = [];
        this.controls = [];
        this.segment = undefined;
        this.jointBody = h('div', {class: 'joint-body'});
        this.body = h('div', {class: 'controls-body'});
        element.classList.add('controls');
        element.append(this.header(), this.jointBody, this.body);
        this.listen();
        this.rebuild();
    }

    header() {
        this.releaseAll = button({
            label: 'Release all',
            title: 'Hands all held values back to the clip',
            onClick: () => this.studio.release(null)
        });
        this.keyHeld = button({
            label: 'Key held',
            icon: 'key',
            title: 'Sets keyframes for all held values at this frame',
            onClick: () => keyNow(this.studio, {...this.studio.active.held})
        });
        const search = searchField({
            label: 'Search controls',
            placeholder: 'Search controls',
            onInput: (text) => {
                this.query = text;
                this.rebuildControls();
            }
        });
        return h(
            'div',
            {class: 'controls-header'},
            search,
            h('div', {class: 'row'}, this.keyHeld, this.releaseAll)
        );
    }

    listen() {
        const {studio} = this;
        const active = (slot) => slot === studio.active;
        studio.on('model', (slot) => active(slot) && this.rebuild());
        studio.on('slot', () => this.rebuild());
        studio.on('selection', () => this.rebuildJoints());
        const show = calmly(studio, () => this.show());
        studio.on('frame', (slot) => active(slot) && show());
        studio.on('held', (slot) => active(slot) && this.show());
    }

    rebuild() {
        this.rebuildJoints();
        this.rebuildControls();
    }

    // The same controls keep their sliders when a model is made anew: one may be in the hand.
    rebuildControls() {
        const {model, document} = this.studio.active;
        const wanted = JSON.stringify([this.query, model?.controls ?? [], document?.drivers]);
        if (wanted !== this.built) {
            this.built = wanted;
            this.controls = [];
            const groups = grouped(model?.controls ?? [], this.query).map((group) =>
                this.groupOf(...group)
            );
            const none = model
            ? 'No control has this name.'
            : 'Open a character to see its controls.';
            const empty = model && !this.query ? 'The character has no controls.' : none;
            setChildren(this.body, groups.length > 0 ? groups : h('p', {class: 'hint'}, empty));
        }
        this.show();
    }

    groupOf(group, controls) {
        const rows = controls.map((control) => this.rowOf(control));
        const {element} = section(
            group || (controls.length > 0 ? 'Controls' : ''),
            {open: !this.closed.has(group) || this.query !== ''},
            rows.map((row) => row.element)
        );
        element.addEventListener('toggle', () => {
            this.closed[element.open ? 'delete' : 'add'](group);
            this.show();
        });
        return element;
    }

    rowOf(control) {
        const {model, document} = this.studio.active;
        const row = parameterRow(this.studio, {
            name: control.name,
            title: control.name,
            low: control.low,
            high: control.high,
            rest: control.rest,
            unit: UNITS[control.unit] ?? '',
            reason: drivenReason(document, control)
        });
        const index = model.controls.indexOf(control);
        this.controls.push({row, index, group: control.group ?? ''});
        return row;
    }

    rebuildJoints() {
        const {model, document} = this.studio.active;
        const {selection, selectedSurface} = this.studio;
        const segment = segmentOf(document, model, selection?.path, selectedSurface);
        const wanted = segment ? JSON.stringify(segment) : null;
        this.segmentIndex = segment ? model.segments.indexOf(segment) : -1;
        // The same joint keeps its sliders when a model is made anew: one may be in the hand.
        if (wanted === this.segment) {
            return;
        }
        this.segment = wanted;
        this.joints = segment ? jointParameters(segment) : [];
        setChildren(this.jointBody, segment && this.jointSection(segment));
        this.show();
    }

    jointSection(segment) {
        const rows = this.joints.map((joint) => {
            const reason = joint.locked ? 'its limits do not let it move' : '';
            joint.row = parameterRow(this.studio, {...joint, reason});
            return joint;
        });
        const turns = rows.filter(({title}) => title[0] === 'r');
        const rest = rows.filter(({title}) => title[0] !== 'r');
        const more = h(
            'details',
            {class: 'form-group'},
            h('summary', {}, 'Translation and scale'),
            rest.map(({row}) => row.element)
        );
        return section(
            `Joint ${segment.name}`,
            {testid: 'joint'},
            turns.map(({row}) => row.element),
            more
        ).element;
    }

    /** Shows what the frame and the held values say. */
    show() {
        const {frame, held} = this.studio.active;
        const count = Object.keys(held).length;
        this.releaseAll.disabled = count === 0;
        this.keyHeld.disabled = count === 0;
        for (const {row, index, group} of this.controls) {
            if (!this.closed.has(group) || this.query !== '') {
                row.show(frame?.controls?.[index]);
            }
        }
        for (const {row, index, factor} of this.joints) {
            const value = frame?.joints?.[9 * this.segmentIndex + index];
            row.show(value === undefined ? undefined : value * factor);
        }
    }
}

export default {
    id: 'controls',
    title: 'Controls',
    icon: 'hand',
    place: 'right',
    mount(element, studio) {
        return new Controls(element, studio);
    }
};
