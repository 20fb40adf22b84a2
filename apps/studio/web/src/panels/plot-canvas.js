// SPDX-License-Identifier: Apache-2.0
//
// Lines over the frames of a clip, with axes, a cursor at the playhead, and the values there.
import {h, svg} from '../core/dom.js';
import {frameAt, rangeOf, scale, ticks} from './logic/ruler.js';
import {lineStyle} from './logic/series.js';
import {fitCanvas} from './time-ruler.js';

const MARGIN = {left: 52, right: 14, top: 14, bottom: 22}; // pixels

/** A piece of a line as it is drawn; null: none. */
export function styleSample(style) {
    const line =
        style &&
        svg('line', {
            x1: 1,
            y1: 5,
            x2: 27,
            y2: 5,
            stroke: style.color,
            'stroke-width': 2.5,
            'stroke-dasharray': style.dash.join(' ')
        });
    return svg('svg', {class: 'line-sample', width: 28, height: 10, 'aria-hidden': 'true'}, line);
}

export class PlotCanvas {
    constructor(studio, seek) {
        this.studio = studio;
        this.seek = seek;
        this.lines = [];
        this.highlight = null;
        this.canvas = h('canvas', {
            class: 'plot-canvas',
            tabindex: 0,
            role: 'img',
            dataset: {testid: 'plot'},
            onpointerdown: (event) => this.grab(event),
            onkeydown: (event) => this.keyDown(event)
        });
        this.element = h('div', {class: 'plot-place'}, this.canvas);
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    show(lines, quantity, result) {
        this.lines = lines;
        this.quantity = quantity;
        this.result = result;
        this.draw();
    }

    /** Only the cursor has moved. */
    showFrame() {
        if (this.canvas.clientWidth > 0) {
            this.draw();
        }
    }

    // While it is measured the axis has room for all frames of the clip.
    axes(width, height) {
        const {first, last} = this.studio.time;
        const frames = this.result?.frames ?? [];
        const low = Math.min(frames[0] ?? first, first);
        const high = Math.max(frames.at(-1) ?? last, last, low + 1);
        const values = rangeOf(this.lines.map((line) => line.values),
            {least: this.quantity?.least});
        return {
            x: scale(low, high, MARGIN.left, width - MARGIN.right),
            y: scale(values.low, values.high, height - MARGIN.bottom, MARGIN.top)
        };
    }

    draw() {
        if (this.canvas.clientWidth === 0) {
            return;
        }
        const {context, width, height} = fitCanvas(this.canvas);
        const color = (name) => this.studio.theme.color(name);
        const axes = this.axes(width, height);
        context.font = `11px ${color('--font') || 'sans-serif'}`;
        this.label();
        if (this.lines.length === 0) {
            this.drawHint(context, width, height, color);
            return;
        }
        this.drawAxes(context, axes, width, height, color);
        this.lines.forEach((line, index) => this.drawLine(context, axes, line, lineStyle(index)));
        this.drawCursor(context, axes, height, color);
    }

    label() {
        const {quantity, lines} = this;
        const names = lines.map(({name}) => name).join(', ');
        const text =
            lines.length > 0
                ? `${quantity.title} over frames: ${names}`
                : 'Plot: nothing is measured yet';
        this.canvas.setAttribute('aria-label', text);
    }

    drawHint(context, width, height, color) {
        context.fillStyle = color('--text-dim');
        context.textAlign = 'center';
        const text = this.hint ?? 'Choose muscles on the right.';
        context.fillText(text, width / 2, height / 2);
    }

    drawAxes(context, {x, y}, width, height, color) {
        context.strokeStyle = color('--border');
        context.fillStyle = color('--text-dim');
        context.lineWidth = 1;
        context.textAlign = 'right';
        context.textBaseline = 'middle';
        for (const mark of ticks(y.low, y.high, Math.max(2, height / 34))) {
            this.rule(context, MARGIN.left, y.at(mark), width - MARGIN.right, y.at(mark));
            context.fillText(String(mark), MARGIN.left - 6, y.at(mark));
        }
        context.textAlign = 'center';
        context.textBaseline = 'top';
        for (const mark of ticks(x.low, x.high, width / 70, false)) {
            this.rule(
                context,
                x.at(mark),
                height - MARGIN.bottom,
                x.at(mark),
                height - MARGIN.bottom + 4
            );
            context.fillText(String(mark), x.at(mark), height - MARGIN.bottom + 6);
        }
        this.drawUnits(context, height);
    }

    // What the lines are is said above, by the choice: the axes say in what.
    drawUnits(context, height) {
        context.textBaseline = 'top';
        context.textAlign = 'left';
        context.fillText(this.quantity.unit || '0 to 1', 4, 2);
        context.fillText('frame', 4, height - MARGIN.bottom + 6);
    }

    rule(context, x0, y0, x1, y1) {
        context.beginPath();
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
        context.stroke();
    }

    drawLine(context, {x, y}, {name, values}, {color, dash}) {
        const {frames} = this.result;
        context.strokeStyle = color;
        context.lineWidth = name === this.highlight ? 3.5 : 1.8;
        context.setLineDash(dash);
        context.beginPath();
        let drawing = false;
        values.forEach((value, index) => {
            if (!Number.isFinite(value)) {
                drawing = false;
                return;
            }
            context[drawing ? 'lineTo' : 'moveTo'](x.at(frames[index]), y.at(value));
            drawing = true;
        });
        context.stroke();
        context.setLineDash([]);
    }

    drawCursor(context, {x, y}, height, color) {
        const {frame} = this.studio.time;
        if (frame < x.low || frame > x.high) {
            return;
        }
        const at = x.at(frame);
        const known = this.result.frames.indexOf(frame);
        context.strokeStyle = color('--accent');
        context.lineWidth = 1.5;
        this.rule(context, at, MARGIN.top - 4, at, height - MARGIN.bottom);
        this.lines.forEach((line, index) => {
            const value = line.values[known];
            if (Number.isFinite(value)) {
                context.fillStyle = lineStyle(index).color;
                context.beginPath();
                context.arc(at, y.at(value), 3, 0, 2 * Math.PI);
                context.fill();
            }
        });
    }

    frameOf(event) {
        const box = this.canvas.getBoundingClientRect();
        const {first, last} = this.studio.time;
        return frameAt(this.axes(box.width, box.height).x, event.clientX - box.left, first, last);
    }

    grab(event) {
        if (event.button !== 0 || this.lines.length === 0) {
            return;
        }
        this.canvas.setPointerCapture(event.pointerId);
        this.seek(this.frameOf(event));
        const move = (each) => this.seek(this.frameOf(each));
        this.canvas.addEventListener('pointermove', move);
        this.canvas.addEventListener(
            'lostpointercapture',
            () => this.canvas.removeEventListener('pointermove', move),
            {once: true}
        );
    }

    keyDown(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (step !== undefined) {
            const {frame, first, last} = this.studio.time;
            this.seek(Math.min(Math.max(frame + step, first), last));
            event.preventDefault();
            event.stopPropagation();
        }
    }
}
