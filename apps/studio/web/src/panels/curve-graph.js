// SPDX-License-Identifier: Apache-2.0
//
// Curves with their points over two axes, to look at and to edit: the wheel zooms, the middle button
// moves, points are selected by clicks and boxes and dragged. What is shown is a PointSelection with
// some of its curves, in the units that people see.
import {h} from '../core/dom.js';
import {curveThrough} from '../document/curve-shape.js';
import {BoxDrag, followPointer} from './box-drag.js';
import {rangeOf, scale, ticks} from './logic/ruler.js';
import {lineStyle} from './logic/series.js';
import {fitCanvas} from './time-ruler.js';

const MARGIN = {left: 56, right: 14, top: 12, bottom: 22}; // pixels
const GRIP = 12; // pixels around a point
const ZOOM = 1.2; // of one step of the wheel
const STEP = 2; // pixels between samples of a curve

export class CurveGraph {
    constructor(studio) {
        this.studio = studio;
        this.selection = null;
        this.names = [];
        this.view = null; // {x: [low, high], y: [low, high]}, as shown; null: all
        this.cursor = null;
        this.canvas = h('canvas', {
            class: 'plot-canvas',
            tabindex: 0,
            role: 'application',
            'aria-label': 'Curves',
            title: 'Drag points. The wheel zooms (Ctrl: sideways, Shift: values), the middle button ' +
                'moves, Home shows all, a double click adds a point.',
            dataset: {testid: 'curve-graph'},
            onpointerdown: (event) => this.press(event),
            ondblclick: (event) => this.addAt(event),
            onwheel: (event) => this.wheel(event),
            onkeydown: (event) => this.keyDown(event)
        });
        this.box = new BoxDrag();
        this.element = h('div', {class: 'plot-place'}, this.canvas, this.box.element);
        new ResizeObserver(() => this.draw()).observe(this.element);
        studio.on('theme', () => this.draw());
    }

    /** @param {PointSelection} selection @param {{name, look}[]} names curves that are shown */
    show(selection, names) {
        if (selection !== this.selection) {
            this.view = null;
        }
        this.selection = selection;
        this.names = names;
        this.draw();
    }

    get source() {
        return this.selection.source;
    }

    frameAll() {
        this.view = null;
        this.draw();
    }

    // ---- places

    /** Points of a curve as they are shown. */
    shownPoints(name) {
        const {factor} = this.source.shownAs(name);
        const {factor: along} = this.source.inputs;
        return this.selection.points(name).map(([x, y]) => [x * along, y * factor]);
    }

    wholeView() {
        const all = this.names.flatMap(({name}) => this.shownPoints(name));
        const x = rangeOf([all.map(([each]) => each)], {air: 0.03});
        const y = rangeOf([all.map(([, each]) => each)], {air: 0.1});
        return {x: [x.low, x.high], y: [y.low, y.high]};
    }

    axes() {
        const {clientWidth: width, clientHeight: height} = this.canvas;
        const {x, y} = this.view ?? this.wholeView();
        return {
            x: scale(...x, MARGIN.left, Math.max(width - MARGIN.right, MARGIN.left + 1)),
            y: scale(...y, Math.max(height - MARGIN.bottom, MARGIN.top + 1), MARGIN.top)
        };
    }

    local(event) {
        const {left, top} = this.canvas.getBoundingClientRect();
        return [event.clientX - left, event.clientY - top];
    }

    /** The point under the pointer, {name, index}, or null. */
    pointAt(event) {
        const axes = this.axes();
        const [x, y] = this.local(event);
        let best = null;
        for (const {name} of this.names) {
            this.shownPoints(name).forEach((point, index) => {
                const away = Math.hypot(axes.x.at(point[0]) - x, axes.y.at(point[1]) - y);
                if (away < (best?.away ?? GRIP)) {
                    best = {name, index, away};
                }
            });
        }
        return best;
    }

    // ---- the view

    wheel(event) {
        event.preventDefault();
        if (this.selection === null) {
            return;
        }
        const axes = this.axes();
        const [x, y] = this.local(event);
        const factor = (event.deltaY || event.deltaX) > 0 ? ZOOM : 1 / ZOOM;
        const zoom = (axis, at) => [axis.low, axis.high].map((end) => at + (end - at) * factor);
        this.view = {
            x: event.shiftKey ? [axes.x.low, axes.x.high] : zoom(axes.x, axes.x.value(x)),
            y: event.ctrlKey ? [axes.y.low, axes.y.high] : zoom(axes.y, axes.y.value(y))
        };
        this.draw();
    }

    pan(start) {
        const axes = this.axes();
        const [x, y] = this.local(start);
        const before = this.view;
        followPointer(start, {
            move: (event) => {
                const [u, v] = this.local(event);
                const dx = axes.x.value(x) - axes.x.value(u);
                const dy = axes.y.value(y) - axes.y.value(v);
                this.view = {x: [axes.x.low + dx, axes.x.high + dx],
                    y: [axes.y.low + dy, axes.y.high + dy]};
                this.draw();
            },
            end: () => {},
            cancel: () => {
                this.view = before;
                this.draw();
            }
        });
    }

    // ---- points

    press(event) {
        if (this.selection === null) {
            return;
        }
        this.canvas.focus({preventScroll: true});
        event.preventDefault();
        if (event.button === 1 || (event.button === 0 && event.altKey)) {
            this.pan(event);
        } else if (event.button === 0) {
            const point = this.pointAt(event);
            if (point === null) {
                this.pressBeside(event);
            } else {
                this.pressPoint(event, point);
            }
        }
    }

    pressPoint(start, {name, index}) {
        const {selection} = this;
        if (start.shiftKey || start.ctrlKey || start.metaKey) {
            selection.toggle(name, index);
            return;
        }
        const alone = !selection.has(name, index);
        if (alone) {
            selection.set([{name, index}]);
        }
        // The view stays as it is while points move in it.
        const {x, y} = this.axes();
        this.view = {x: [x.low, x.high], y: [y.low, y.high]};
        let move = null;
        followPointer(start, {
            move: (event) => {
                move ??= selection.beginMove((each) => 1 / this.source.shownAs(each).factor);
                move.to(...this.moved(start, event, {x, y}));
            },
            end: () => {
                move?.end();
                if (move === null && !alone) {
                    selection.set([{name, index}]);
                }
            },
            cancel: () => move?.cancel()
        });
    }

    /** How far points have gone: in x to where points stand; with Shift along one axis alone. */
    moved(start, event, {x, y}) {
        const [[x0, y0], [x1, y1]] = [this.local(start), this.local(event)];
        const {factor} = this.source.inputs;
        const dx = (x.value(x1) - x.value(x0)) / factor;
        const dy = y.value(y1) - y.value(y0);
        const along = Math.abs(x1 - x0) > Math.abs(y1 - y0);
        const snapped = this.source.what === 'key' ? Math.round(dx * factor) / factor : dx;
        return [event.shiftKey && !along ? 0 : snapped, event.shiftKey && along ? 0 : dy];
    }

    pressBeside(start) {
        const before = this.selection.chosen;
        const add = start.shiftKey || start.ctrlKey || start.metaKey;
        this.box.begin(start, this.element, (box) => {
            this.selection.set([...(add ? before : []), ...(box === null ? [] : this.pointsIn(box))]);
        }, () => this.selection.set(before));
    }

    pointsIn({left, right, top, bottom}) {
        const area = this.canvas.getBoundingClientRect();
        const axes = this.axes();
        return this.names.flatMap(({name}) => this.shownPoints(name).flatMap(([x, y], index) => {
            const [u, v] = [area.left + axes.x.at(x), area.top + axes.y.at(y)];
            return u >= left && u <= right && v >= top && v <= bottom ? [{name, index}] : [];
        }));
    }

    /** A new point where the pointer is, on the curve that is nearest. */
    addAt(event) {
        if (this.selection === null || this.pointAt(event) !== null || this.names.length === 0) {
            return;
        }
        const axes = this.axes();
        const [x, y] = this.local(event);
        const at = this.source.snap(Math.max(axes.x.value(x) / this.source.inputs.factor,
            this.source.least));
        const shownAt = at * this.source.inputs.factor;
        const away = ({name}) => {
            const curve = this.curve(name);
            return curve === null ? 0 : Math.abs(axes.y.at(curve(shownAt)) - y);
        };
        const {name} = this.names.reduce((best, each) => (away(each) < away(best) ? each : best));
        const point = [at, axes.y.value(y) / this.source.shownAs(name).factor];
        const others = this.selection.points(name)
            .filter(([each]) => Math.abs(each - at) >= this.source.same);
        const points = [...others, point].sort((a, b) => a[0] - b[0]);
        this.source.write(`Add ${this.source.what} of ${name}`, {[name]: points}, null)
            .then(() => this.selection.set([{name, index: points.indexOf(point)}]), () => {});
    }

    // ---- keys

    keyDown(event) {
        const {selection} = this;
        const control = event.ctrlKey || event.metaKey;
        const run = selection === null ? undefined : {
            Home: () => this.frameAll(),
            Delete: () => selection.remove(),
            Backspace: () => selection.remove(),
            x: () => selection.remove(),
            'Ctrl+c': () => selection.copy(),
            'Ctrl+v': () => selection.paste(this.cursor === null ? 0
                : this.cursor / this.source.inputs.factor),
            'Ctrl+a': () => this.selectAll(),
            ArrowLeft: () => this.step(-1),
            ArrowRight: () => this.step(1)
        }[(control ? 'Ctrl+' : '') + event.key];
        if (run !== undefined) {
            run();
            event.preventDefault();
            event.stopPropagation();
        }
    }

    selectAll() {
        this.selection.set(this.names.flatMap(({name}) => {
            return this.selection.points(name).map((point, index) => ({name, index}));
        }));
    }

    step(by) {
        const {name, index} = this.selection.last ?? {name: this.names[0]?.name, index: -by};
        const count = this.selection.points(name).length;
        if (count > 0) {
            this.selection.set([{name, index: Math.min(Math.max(index + by, 0), count - 1)}]);
        }
    }

    // ---- drawing

    /** A curve as it is shown, as a function; null where it has no points. */
    curve(name) {
        const points = this.shownPoints(name);
        return points.length === 0 ? null : curveThrough(points, this.source.interpolation(name));
    }

    draw() {
        if (this.canvas.clientWidth === 0) {
            return;
        }
        const {context, width, height} = fitCanvas(this.canvas);
        const color = (name) => this.studio.theme.color(name);
        context.font = `11px ${color('--font') || 'sans-serif'}`;
        if (this.selection === null || this.names.length === 0) {
            return;
        }
        const axes = this.axes();
        this.drawAxes(context, axes, width, height, color);
        context.save();
        context.beginPath();
        context.rect(MARGIN.left, 0, width - MARGIN.left, height - MARGIN.bottom);
        context.clip();
        this.drawCursor(context, axes, height, color);
        this.names.forEach(({name, look}) => this.drawCurve(context, axes, name, look, width));
        this.names.forEach(({name, look}) => this.drawPoints(context, axes, name, look, color));
        context.restore();
    }

    drawAxes(context, axes, width, height, color) {
        const units = new Set(this.names.map(({name}) => this.source.shownAs(name).unit));
        const unit = units.size === 1 ? [...units][0] : '';
        context.strokeStyle = color('--border');
        context.fillStyle = color('--text-dim') || color('--text');
        context.lineWidth = 1;
        context.beginPath();
        context.textAlign = 'right';
        context.textBaseline = 'middle';
        for (const mark of ticks(axes.y.low, axes.y.high, height / 36)) {
            context.moveTo(MARGIN.left, axes.y.at(mark));
            context.lineTo(width, axes.y.at(mark));
            context.fillText(`${mark}${unit === '°' ? unit : ''}`, MARGIN.left - 6, axes.y.at(mark));
        }
        context.textAlign = 'center';
        const {unit: along} = this.source.inputs;
        for (const mark of ticks(axes.x.low, axes.x.high, width / 70)) {
            context.moveTo(axes.x.at(mark), 0);
            context.lineTo(axes.x.at(mark), height - MARGIN.bottom);
            context.fillText(`${mark}${along === '°' ? along : ''}`, axes.x.at(mark), height - 10);
        }
        context.stroke();
        context.textAlign = 'left';
        context.fillText(unit === '°' ? '' : unit, 4, 8);
        context.textAlign = 'right';
        context.fillText(along === '°' ? '' : along, width - 4, height - 10);
    }

    drawCursor(context, axes, height, color) {
        if (this.cursor !== null) {
            context.strokeStyle = color('--accent');
            context.lineWidth = 1.5;
            context.beginPath();
            context.moveTo(axes.x.at(this.cursor), 0);
            context.lineTo(axes.x.at(this.cursor), height - MARGIN.bottom);
            context.stroke();
        }
    }

    drawCurve(context, axes, name, look, width) {
        const curve = this.curve(name);
        if (curve === null) {
            return;
        }
        const style = lineStyle(look);
        context.strokeStyle = style.color;
        context.lineWidth = 2;
        context.setLineDash(style.dash);
        context.beginPath();
        for (let pixel = MARGIN.left; pixel <= width; pixel += STEP) {
            context.lineTo(pixel, axes.y.at(curve(axes.x.value(pixel))));
        }
        context.stroke();
        context.setLineDash([]);
    }

    drawPoints(context, axes, name, look, color) {
        const style = lineStyle(look);
        this.shownPoints(name).forEach(([x, y], index) => {
            const chosen = this.selection.has(name, index);
            context.beginPath();
            context.arc(axes.x.at(x), axes.y.at(y), chosen ? 6 : 4.5, 0, 2 * Math.PI);
            context.fillStyle = chosen ? color('--accent') : color('--panel');
            context.strokeStyle = chosen ? color('--text') : style.color;
            context.lineWidth = 2;
            context.fill();
            context.stroke();
        });
    }
}
