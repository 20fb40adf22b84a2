// SPDX-License-Identifier: Apache-2.0
//
// The curve editor: the tracks of the clip that plays, or the curve of the driver that is selected.
import {calmly} from '../core/calm.js';
import {h, setChildren, setText} from '../core/dom.js';
import {currentClip} from '../core/keying.js';
import {button, choiceField, numberField} from '../core/widgets.js';
import {hasTracks} from '../document/keys.js';
import {CurveGraph} from './curve-graph.js';
import {DriverCurve, selectedDriver} from './driver-curve.js';
import {lineStyle} from './logic/series.js';
import {styleSample} from './plot-canvas.js';
import {PointSelection} from './point-selection.js';
import {trackKeys, valueNow} from './track-keys.js';

const INTERPOLATIONS = ['stepped', 'linear', 'smooth'];

class Curves {
    constructor(element, studio) {
        this.studio = studio;
        this.keys = trackKeys(studio);
        this.driver = null; // {index, selection}
        this.shown = new Set(); // names of tracks
        this.graph = new CurveGraph(studio);
        this.list = h('div', {class: 'curve-list', role: 'listbox', 'aria-label': 'Curves',
            'aria-multiselectable': 'true'});
        this.status = h('span', {class: 'plot-status', role: 'status'});
        this.numbers = h('div', {class: 'curve-numbers'});
        this.hint = h('p', {class: 'hint lanes-hint'});
        element.classList.add('plots');
        element.append(
            h('div', {class: 'plot-toolbar'},
                button({label: 'Frame all', icon: 'frame', title: 'Shows all of the curves  (Home)',
                    onClick: () => this.graph.frameAll()}),
                this.numbers, this.status),
            h('div', {class: 'plot-row'}, this.graph.element, this.list), this.hint);
        this.listen();
        this.update();
    }

    listen() {
        const {studio} = this;
        const update = (slot) => slot === studio.active && this.update();
        this.keys.onChange(() => this.pointsChanged());
        ['document', 'model'].forEach((signal) => studio.on(signal, update));
        studio.on('slot', () => this.update());
        studio.on('selection', () => this.update());
        const follow = calmly(studio, () => this.showCursor());
        studio.on('time', follow);
        studio.on('frame', (slot) => slot === studio.active && follow());
    }

    /** What is edited: the points of a driver, or the keys of the clip. */
    get selection() {
        return this.driver?.selection ?? this.keys;
    }

    names() {
        return Object.keys(this.selection.source.curves());
    }

    update() {
        this.takeDriver();
        this.selection.check();
        const names = this.names();
        if (![...this.shown].some((name) => names.includes(name))) {
            const first = this.keys.last?.name ?? names[0];
            this.shown = new Set(first === undefined ? [] : [first]);
        }
        this.showHint(names);
        this.showList(names);
        this.showGraph(names);
        this.showNumbers();
        this.showCursor();
    }

    takeDriver() {
        const index = selectedDriver(this.studio);
        if (index !== (this.driver?.index ?? -1)) {
            const source = new DriverCurve(this.studio, index);
            const selection = new PointSelection(this.studio, source);
            selection.onChange(() => this.pointsChanged());
            this.driver = index < 0 ? null : {index, selection};
            this.shown = new Set();
        }
    }

    showHint(names) {
        const clip = currentClip(this.studio);
        setText(this.hint, names.length > 0 ? '' : clip !== null && !hasTracks(clip)
            ? `The clip comes from ${clip.file}. Bake it to keys in the timeline to edit its curves.`
            : 'There are no curves. Set keyframes, or select a driver.');
        this.hint.hidden = names.length > 0;
    }

    showList(names) {
        const row = (name, look) => h('div', {
            class: 'curve-row', role: 'option', tabindex: 0,
            'aria-selected': String(this.shown.has(name)), dataset: {name}, title: name,
            onclick: (event) => this.choose(name, event),
            onkeydown: (event) => {
                if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    event.stopPropagation();
                    this.choose(name, event);
                }
            }
        }, styleSample(this.shown.has(name) ? lineStyle(look) : null), h('span', {},
            this.driver === null ? name : `driver of ${name}`));
        setChildren(this.list, names.map(row));
    }

    /** One curve, or with Ctrl or Shift one more. */
    choose(name, event) {
        const more = event.ctrlKey || event.metaKey || event.shiftKey;
        const shown = more ? new Set(this.shown) : new Set();
        if (more && this.shown.has(name)) {
            shown.delete(name);
        } else {
            shown.add(name);
        }
        this.shown = shown;
        this.graph.view = null;
        this.update();
    }

    showGraph(names) {
        this.graph.show(this.selection, names.map((name, look) => ({name, look}))
            .filter(({name}) => this.shown.has(name)));
    }

    // Keys that are selected elsewhere come into sight.
    pointsChanged() {
        const names = this.selection.chosen.map(({name}) => name);
        if (names.length > 0 && !names.some((name) => this.shown.has(name))) {
            this.shown = new Set(names);
            this.showList(this.names());
        }
        this.showGraph(this.names());
        this.showNumbers();
    }

    showCursor() {
        const {source} = this.selection;
        const parameter = source.driver?.parameter;
        const now = this.driver === null ? this.studio.time.frame
            : parameter === undefined ? null : valueNow(this.studio, parameter);
        this.graph.cursor = now === null ? null
            : this.driver === null ? now : now * source.inputs.factor;
        this.graph.draw();
    }

    // ---- the selected point as numbers

    showNumbers() {
        const {selection} = this;
        const {last} = selection;
        const shown = [this.driver?.index, ...selection.chosen.map(({name, index}) => `${name} ${index}`),
            [...this.shown].map((name) => selection.source.interpolation(name)).join()].join('|');
        if (shown !== this.shownNumbers) {
            this.shownNumbers = shown;
            this.fields = selection.size === 1 ? this.pointFields(last) : [];
            setChildren(this.numbers, this.interpolationField(), this.fields);
        } else if (this.fields.length > 0) {
            const [x, y] = selection.points(last.name)[last.index];
            this.fields[0].set(x * selection.source.inputs.factor);
            this.fields[1].set(y * selection.source.shownAs(last.name).factor);
        }
        const {what} = selection.source;
        setText(this.status, selection.size > 1 ? `${selection.size} ${what}s selected` : '');
    }

    interpolationField() {
        const {source} = this.selection;
        const [name, ...more] = this.shown;
        if (name === undefined || more.length > 0) {
            return null;
        }
        return choiceField({label: 'Interpolation', value: source.interpolation(name),
            choices: [...INTERPOLATIONS, ...(this.driver === null ? [] : ['spline'])],
            onDone: (value) => source.setInterpolation(name, value)});
    }

    pointFields({name, index}) {
        const {selection} = this;
        const {source} = selection;
        const point = selection.points(name)[index];
        const {unit, factor} = source.shownAs(name);
        const field = (label, value, of, onDone) => numberField({label, slider: false,
            value, unit: of, digits: 4, onDone});
        const label = source.what === 'key' ? 'Frame' : 'Input';
        return [
            field(label, point[0] * source.inputs.factor, source.inputs.unit, (value) => {
                const [x] = selection.points(name)[index];
                selection.moveBy(value / source.inputs.factor - x, null);
            }),
            field('Value', point[1] * factor, unit, (value) => {
                selection.setValues(() => value / factor, null);
            })
        ];
    }
}

export default {
    id: 'curves',
    title: 'Curves',
    icon: 'graph',
    place: 'bottom',
    least: 260,
    mount(element, studio) {
        return new Curves(element, studio);
    }
};
