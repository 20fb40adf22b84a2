// SPDX-License-Identifier: Apache-2.0
//
// What was measured over the clip, as lines: volume, length, shortening, activation of muscles, and
// the time of each stage. A click goes to the frame.
import {calmly} from '../core/calm.js';
import {h, setChildren, setText} from '../core/dom.js';
import {button} from '../core/widgets.js';
import {split} from '../document/pointer.js';
import {
    QUANTITIES,
    coordinatesOf,
    csvOf,
    framesText,
    grown,
    lineStyle,
    linesOf,
    mostMoved,
    whole
} from './logic/series.js';
import {newest} from './newest.js';
import {PlotCanvas, styleSample} from './plot-canvas.js';

const MOST_LINES = 32; // as many as have a look of their own
const AT_FIRST = 6; // muscles that are chosen before anybody chooses

class Plots {
    constructor(element, studio) {
        this.studio = studio;
        this.quantity = QUANTITIES[0];
        this.result = null;
        this.revision = null;
        this.job = null;
        this.measuring = false;
        this.chosen = null; // names; null: those that move most
        const seek = newest((frame) => studio.seek(frame));
        this.canvas = new PlotCanvas(studio, seek);
        this.legend = h('div', {
            class: 'plot-legend',
            role: 'group',
            'aria-label': 'Muscles in the plot'
        });
        this.status = h('span', {class: 'plot-status', role: 'status'});
        element.classList.add('plots');
        element.append(
            this.toolbar(),
            h('div', {class: 'plot-row'}, this.canvas.element, this.legend)
        );
        this.listen();
        this.show();
    }

    toolbar() {
        const choice = h(
            'select',
            {
                'aria-label': 'Quantity',
                onchange: () => {
                    this.quantity = QUANTITIES.find(({id}) => id === choice.value);
                    this.show();
                }
            },
            QUANTITIES.map(({id, title}) => h('option', {value: id}, title))
        );
        this.choice = choice;
        this.coordinate = h('select', {
            'aria-label': 'Coordinate',
            title: 'The coordinate that moment arms are about',
            onchange: () => this.show()
        });
        this.measureButton = button({
            label: 'Measure',
            primary: true,
            title: 'Plays the clip once and measures every frame',
            onClick: () => this.measure()
        });
        this.cancelButton = button({label: 'Cancel', onClick: () => this.cancel()});
        this.exportButton = button({
            label: 'CSV',
            icon: 'export',
            title: 'Saves all measured values',
            onClick: () => this.save()
        });
        return h(
            'div',
            {class: 'plot-toolbar'},
            choice,
            this.coordinate,
            this.measureButton,
            this.cancelButton,
            this.exportButton,
            this.status
        );
    }

    listen() {
        const {studio} = this;
        studio.on('jobs', (job) => job.job === this.job && this.jobChanged(job));
        studio.wire.on('measured', (piece) => piece.job === this.job && this.pieceArrived(piece));
        studio.on('time', calmly(studio, () => this.canvas.showFrame()));
        studio.on('theme', () => this.show());
        studio.on('selection', () => this.followSelection());
        studio.on('slot', () => this.forget());
        studio.on('welcome', () => this.connectionBack());
        studio.on('model', (slot) => slot === studio.active && this.show());
    }

    // What was being measured may be gone with its server: half of it would look like all.
    connectionBack() {
        if (this.measuring) {
            this.result = null;
        }
        this.job = null;
        this.measuring = false;
        this.show();
    }

    forget() {
        this.result = null;
        this.chosen = null;
        this.show();
    }

    async measure() {
        const slot = this.studio.active;
        if (slot.model === null) {
            return;
        }
        this.measured = {
            revision: slot.model.revision,
            clip: slot.model.clip?.name,
            slot: slot.index
        };
        this.result = null;
        const {job} = await this.studio.call('measure', {slot: slot.index});
        this.job = job;
        this.measuring = true;
        const known = this.studio.jobs.get(job);
        if (known) {
            this.jobChanged(known);
        }
        this.show();
    }

    cancel() {
        return this.studio.call('cancel', {job: this.job});
    }

    jobChanged(job) {
        this.measuring = job.state === 'running';
        if (job.state === 'done') {
            this.result = whole(this.result, job.result);
        }
        this.show();
    }

    pieceArrived(piece) {
        this.result = grown(this.result, piece);
        this.show();
    }

    /** A selected muscle joins the lines. */
    followSelection() {
        const [section, name] = split(this.studio.selection?.path ?? '');
        if (section === 'muscles' && this.result?.muscles?.[name]) {
            this.canvas.highlight = name;
            if (!this.names().includes(name)) {
                this.chosen = [...this.names(), name];
            }
        } else {
            this.canvas.highlight = null;
        }
        this.show();
    }

    names() {
        return this.chosen ?? mostMoved(this.result, this.quantity, AT_FIRST);
    }

    /** Moment arms are about a coordinate: of a new result the first one, until one is chosen. */
    showCoordinates() {
        const names = coordinatesOf(this.result);
        const known = [...this.coordinate.options].map(({value}) => value);
        this.coordinate.hidden = this.quantity.id !== 'moment_arms' || names.length === 0;
        if (names.join('\n') !== known.join('\n')) {
            const before = this.coordinate.value;
            setChildren(
                this.coordinate,
                names.map((name) => h('option', {value: name}, name))
            );
            this.coordinate.value = names.includes(before) ? before : (names[0] ?? '');
        }
        if (this.quantity.id === 'moment_arms') {
            this.quantity = {...this.quantity, coordinate: this.coordinate.value};
        }
    }

    show() {
        this.showCoordinates();
        const lines = linesOf(this.result, this.quantity, this.names()).slice(0, MOST_LINES);
        this.measureButton.hidden = this.measuring;
        this.measureButton.disabled = !this.studio.active.model;
        this.cancelButton.hidden = !this.measuring;
        this.exportButton.disabled = this.result === null;
        setText(this.status, this.statusText());
        this.choice.title = this.quantity.about;
        this.canvas.hint = this.hint();
        this.canvas.show(lines, this.quantity, this.result);
        this.showLegend(lines);
    }

    hint() {
        if (this.measuring) {
            return 'Measuring…';
        }
        if (this.result === null) {
            return 'Press Measure to see what the muscles do during the clip.';
        }
        return linesOf(this.result, this.quantity).length > 0
            ? null
            : `No muscle here has a value for ${this.quantity.title.toLowerCase()}. ` +
                  'Choose another quantity.';
    }

    statusText() {
        if (this.measuring || this.result === null) {
            return '';
        }
        const {model} = this.studio.active;
        const stale =
            model &&
            (model.revision !== this.measured.revision || model.clip?.name !== this.measured.clip);
        return stale ? 'Measured before the last change' : framesText(this.result);
    }

    showLegend(lines) {
        const all =
            this.quantity.id === 'stages'
                ? lines.map(({name}) => name)
                : Object.keys(this.result?.muscles ?? {});
        const shown = new Map(lines.map((line, index) => [line.name, index]));
        const first = all.filter((name) => shown.has(name));
        const rest = all.filter((name) => !shown.has(name));
        setChildren(
            this.legend,
            [...first, ...rest].map((name) => this.legendRow(name, shown.get(name)))
        );
    }

    legendRow(name, index) {
        const fixed = this.quantity.id === 'stages';
        const box = h('input', {
            type: 'checkbox',
            checked: index !== undefined,
            disabled: fixed,
            onchange: () => this.choose(name, box.checked)
        });
        const sample = styleSample(index === undefined ? null : lineStyle(index));
        return h('label', {class: 'legend-row', title: name}, box, sample, h('span', {}, name));
    }

    choose(name, wanted) {
        const others = this.names().filter((each) => each !== name);
        this.chosen = wanted ? [...others, name] : others;
        this.show();
    }

    save() {
        const blob = new Blob([csvOf(this.result)], {type: 'text/csv'});
        const name = this.studio.active.name ?? 'character';
        const link = h('a', {
            href: URL.createObjectURL(blob),
            download: `${name}-${this.measured.clip ?? 'rest'}.csv`
        });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
}

export default {
    id: 'plots',
    title: 'Plots',
    icon: 'chart',
    place: 'bottom',
    least: 272, // pixels: 160 of lines, and all of the legend that there is at first
    mount(element, studio) {
        return new Plots(element, studio);
    }
};
