// SPDX-License-Identifier: Apache-2.0
//
// The ruler of the timeline: frames, and the playhead that is dragged along it.
import {h} from '../core/dom.js';
import {frameAt, moved, scale, ticks, zoomed} from './logic/ruler.js';

const PADDING = 18; // pixels left and right of the clip
const LABEL_SPACE = 60; // pixels between labels
const KEPT_LINE = 2; // pixels
const ZOOM = 1.25; // of one step of the wheel

/** Whether a key is pressed with another one: then it belongs to a shortcut. */
export function isModified(event) {
    return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
}

/** A canvas that is as large as its place, for drawing in CSS pixels. */
export function fitCanvas(canvas) {
    const ratio = devicePixelRatio || 1;
    const {clientWidth: width, clientHeight: height} = canvas;
    if (
        canvas.width !== Math.round(width * ratio) ||
        canvas.height !== Math.round(height * ratio)
    ) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return {context, width, height};
}

export class TimeRuler {
    constructor(studio, seek) {
        this.studio = studio;
        this.seek = seek;
        this.view = null; // {first, last}: frames in sight; null: all
        this.canvas = h('canvas', {class: 'ruler-canvas'});
        this.element = h(
            'div',
            {
                class: 'time-ruler',
                role: 'slider',
                tabindex: 0,
                'aria-label': 'Playhead',
                title:
                'Drag to scrub. Ctrl+wheel zooms, the wheel scrolls, a double click shows the ' +
                'whole clip.',
                dataset: {testid: 'time-ruler'},
                onpointerdown: (event) => this.grab(event),
                onkeydown: (event) => this.keyDown(event),
                onwheel: (event) => this.wheel(event),
                ondblclick: () => this.look(null)
            },
            this.canvas
        );
        new ResizeObserver(() => this.draw()).observe(this.element);
        studio.on('theme', () => this.draw());
        studio.on('kept', () => this.draw());
    }

    /** From frames to pixels of the ruler. */
    axis() {
        const {first, last} = this.view ?? this.studio.time;
        const width = Math.max(this.element.clientWidth, 2 * PADDING + 1);
        return scale(first, Math.max(last, first + 1), PADDING, width - PADDING);
    }

    /** Shows some frames, or all of them. */
    look(view) {
        this.view = view;
        this.draw();
        this.onLook?.();
    }

    wheel(event) {
        const {first, last} = this.studio.time;
        const now = this.view ?? {first, last};
        const at = this.axis().value(event.clientX - this.element.getBoundingClientRect().left);
        const turned = event.deltaY || event.deltaX;
        event.preventDefault();
        this.look(
            event.ctrlKey
                ? zoomed(now, at, turned > 0 ? ZOOM : 1 / ZOOM, {first, last})
                : moved(now, Math.sign(turned) * 0.1 * (now.last - now.first), {first, last})
        );
    }

    /** Pixel of a frame, for what is drawn below the ruler. */
    at(frame) {
        return this.axis().at(frame);
    }

    frameOf(event) {
        const {first, last} = this.studio.time;
        const left = this.element.getBoundingClientRect().left;
        return frameAt(this.axis(), event.clientX - left, first, last);
    }

    grab(event) {
        if (event.button !== 0) {
            return;
        }
        this.element.setPointerCapture(event.pointerId);
        this.seek(this.frameOf(event));
        const move = (each) => this.seek(this.frameOf(each));
        this.element.addEventListener('pointermove', move);
        this.element.addEventListener(
            'lostpointercapture',
            () => this.element.removeEventListener('pointermove', move),
            {once: true}
        );
    }

    keyDown(event) {
        const {frame, first, last} = this.studio.time;
        const target = {
            ArrowRight: frame + 1,
            ArrowLeft: frame - 1,
            PageUp: frame + 10,
            PageDown: frame - 10,
            Home: first,
            End: last
        }[event.key];
        if (target !== undefined && !isModified(event)) {
            this.seek(Math.min(Math.max(target, first), last));
            event.preventDefault();
            event.stopPropagation();
        }
    }

    draw() {
        const {first, last, frame, rate} = this.studio.time;
        this.element.setAttribute('aria-valuemin', first);
        this.element.setAttribute('aria-valuemax', last);
        this.element.setAttribute('aria-valuenow', frame);
        this.element.dataset.frame = frame;
        this.element.setAttribute(
            'aria-valuetext',
            `frame ${frame}, ${(frame / (rate || 1)).toFixed(2)} seconds`
        );
        if (this.element.clientWidth > 0) {
            this.drawMarksOnce(this.view ?? {first, last});
        }
    }

    // The playhead is no part of them: while it moves they stay as they are.
    drawMarksOnce({first, last}) {
        const {clientWidth, clientHeight} = this.canvas;
        const {name} = this.studio.theme;
        const {kept} = this.studio.lead;
        this.element.dataset.kept = kept.join(' ');
        const drawn = [first, last, clientWidth, clientHeight, devicePixelRatio, name, kept].join(
            ' '
        );
        if (drawn !== this.drawn) {
            this.drawn = drawn;
            this.drawMarks(fitCanvas(this.canvas), {first, last});
        }
    }

    drawMarks({context, width, height}, {first, last}) {
        const color = (name) => this.studio.theme.color(name);
        const axis = this.axis();
        context.fillStyle = color('--text-quiet') || color('--text');
        context.strokeStyle = color('--border');
        context.font = '11px system-ui, sans-serif';
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        context.beginPath();
        for (const mark of ticks(first, last, width / 12, false)) {
            context.moveTo(axis.at(mark), height - 5);
            context.lineTo(axis.at(mark), height);
        }
        for (const mark of ticks(first, last, width / LABEL_SPACE, false)) {
            context.moveTo(axis.at(mark), height - 9);
            context.lineTo(axis.at(mark), height);
            context.fillText(String(mark), axis.at(mark), height / 2 - 3);
        }
        context.stroke();
        this.drawKept(context, axis, height);
    }

    // A thin line under the frames that the server keeps: these are shown at once.
    drawKept(context, axis, height) {
        const {kept} = this.studio.lead;
        context.fillStyle = this.studio.theme.color('--good');
        for (let i = 0; i + 1 < kept.length; i += 2) {
            const [left, right] = [axis.at(kept[i] - 0.5), axis.at(kept[i + 1] + 0.5)];
            context.fillRect(left, height - KEPT_LINE, right - left, KEPT_LINE);
        }
    }
}
