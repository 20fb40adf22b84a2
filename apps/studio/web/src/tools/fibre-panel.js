// SPDX-License-Identifier: Apache-2.0
//
// What the panel of muscles between bones has for fibres: the belly, its profile, how it moves, and
// the points that it passes.
import {h} from '../core/dom.js';
import {button, iconButton, section} from '../core/widgets.js';
import {put} from '../document/ops.js';
import {segmentAt} from './cylinder-places.js';
import {FibreProfile} from './fibre-profile.js';

export const BROAD_HELP = 'Two origins and two insertions: several fibres run side by side from ' +
    'between the origins to between the insertions.';

const EXPONENTS = [['rest_a', 'Rest, origin'], ['rest_b', 'Rest, insertion'],
    ['active_a', 'Active, origin'], ['active_b', 'Active, insertion']];

export class FibreParts {
    constructor(tool, fields) {
        Object.assign(this, {tool, fields});
    }

    get path() {
        return this.tool.path;
    }

    parameter(name, options) {
        return this.fields.parameter(`${this.path}/${name}`, options);
    }

    /** @param {*} sizes fields of width and thickness */
    build(sizes) {
        const broad = (this.tool.muscle.origins ?? []).length > 1;
        return [section('Belly', {}, sizes, broad ? this.parameter('fibres') : null,
            ['flattening', 'bulge', 'volume'].map((name) => this.parameter(name))),
        this.profileSection(), this.throughSection(),
        section('Motion', {}, ['motion', 'stiffness', 'inertia', 'damping', 'tendon', 'particles']
            .map((name) => this.parameter(name))),
        section('Activation', {open: false}, ['activated_by', 'flexed_length', 'smoothing']
            .map((name) => this.parameter(name))),
        section('Surface', {open: false}, ['slices', 'points'].map((name) =>
            this.parameter(name)))];
    }

    profileSection() {
        const {tool} = this;
        this.profile = new FibreProfile(() => tool.muscle, (values, drag) => {
            const ops = Object.entries(values).map(([key, value]) => put(`${this.path}/${key}`,
                value));
            tool.write('Change the profile', ops, `profile ${this.path} ${drag}`);
        });
        return section('Profile', {}, h('p', {class: 'help'},
            'Thickness from origin to insertion. Drag a peak.'), this.profile.element,
        EXPONENTS.map(([name, label]) => this.fields.number(label, `${this.path}/${name}`)));
    }

    throughSection() {
        const {tool} = this;
        const list = (tool.muscle.through ?? []).map((place, index) => this.point(index));
        return section('Points that it passes', {}, h('p', {class: 'help'},
            'The axis passes them from the origin on. Drag P to move one.'), list,
        button({label: 'Add a point', icon: 'add', onClick: () => tool.addThrough()}));
    }

    point(index) {
        const {tool, fields} = this;
        const path = `${this.path}/through/${index}`;
        const segments = () => tool.slot.model.segments.map((segment) => segment.name);
        return h('div', {class: 'pivot', dataset: {testid: `through-${index}`}},
            h('div', {class: 'button-row'}, h('strong', {}, `Point ${index + 1}`),
                iconButton({icon: 'trash', label: `Remove point ${index + 1}`,
                    onClick: () => tool.removePivot(index)})),
            fields.name('Segment', `${path}/segment`, segments, {none: false,
                ops: (name) => this.segmentOps(path, index, name)}));
    }

    /** Another segment carries it: the point stays where it is. */
    segmentOps(path, index, name) {
        const {model, frame} = this.tool.slot;
        const point = this.tool.pivots().find((each) => each.index === index)?.point;
        const place = {...this.tool.muscle.through[index], segment: name};
        const there = point === undefined ? []
            : [put(`${path}/at`, segmentAt(place, point, model, frame))];
        return [put(`${path}/segment`, name), ...there];
    }

    refresh() {
        this.profile?.refresh();
    }
}
