// SPDX-License-Identifier: Apache-2.0
//
// Which frames of the clip play: two grips at the ends of the ruler, and a shade over what does
// not. The server keeps the range, for all pages.
import {h} from '../core/dom.js';
import {movedRange} from './logic/ruler.js';
import {newest} from './newest.js';
import {isModified} from './time-ruler.js';

const ENDS = {first: 'First frame that plays', last: 'Last frame that plays'};
const CLEAR = 12; // pixels beside an end without a shade, for its number
const HELP = 'Drag to choose which frames play. Double-click to play all of them.';

export class PlayRange {
    constructor(studio, ruler) {
        this.studio = studio;
        this.ruler = ruler;
        this.send = newest((range) => studio.call('playback', {range}));
        this.shades = Object.keys(ENDS).map((end) => h('div', {class: `range-shade ${end}`}));
        this.grips = Object.keys(ENDS).map((end) => this.grip(end));
        this.elements = [...this.shades, ...this.grips];
    }

    grip(end) {
        return h('div', {
            class: `range-grip ${end}`,
            role: 'slider',
            tabindex: 0,
            title: `${ENDS[end]}. ${HELP}`,
            'aria-label': ENDS[end],
            onpointerdown: (event) => this.grab(event, end),
            onkeydown: (event) => this.keyDown(event, end),
            ondblclick: (event) => {
                event.stopPropagation();
                this.clear();
            }
        });
    }

    /** Frames that play: [first, last]. */
    get ends() {
        const {range, first, last} = this.studio.time;
        return range ?? [first, last];
    }

    grab(event, end) {
        if (event.button !== 0) {
            return;
        }
        event.stopPropagation();
        const grip = event.currentTarget;
        const listening = new AbortController();
        const {signal} = listening;
        const {left, right} = grip.getBoundingClientRect();
        const away = (end === 'first' ? right : left) - event.clientX; // from the frame it stands at
        grip.setPointerCapture(event.pointerId);
        grip.addEventListener('pointermove', ({clientX}) => {
            this.move(end, this.ruler.frameOf({clientX: clientX + away}));
        }, {signal});
        grip.addEventListener('lostpointercapture', () => listening.abort(), {signal});
    }

    keyDown(event, end) {
        const step = {ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10}[event.key];
        if (step !== undefined && !isModified(event)) {
            this.move(end, this.ends[end === 'first' ? 0 : 1] + step);
            event.preventDefault();
            event.stopPropagation();
        }
    }

    /** The end as near to a frame as the other one lets it come. */
    move(end, frame) {
        this.set(movedRange(this.studio.time, end, frame));
    }

    /** The end at the playhead; an other end that is in the way gives way. */
    setHere(end) {
        const {frame, range, ...time} = this.studio.time;
        const past = range && (end === 'first' ? frame >= range[1] : frame <= range[0]);
        this.set(movedRange({...time, range: past ? null : range}, end, frame));
    }

    clear() {
        this.set(null);
    }

    set(range) {
        if (String(range) !== String(this.studio.time.range)) {
            this.send(range);
        }
    }

    show() {
        const {range, first, last} = this.studio.time;
        const places = this.ends.map((frame) => this.ruler.at(frame));
        const width = this.ruler.element.clientWidth;
        this.shades[0].style.width = `${Math.max(0, places[0] - CLEAR)}px`;
        this.shades[1].style.left = `${places[1] + CLEAR}px`;
        this.shades.forEach((shade) => {
            shade.hidden = !range;
        });
        this.grips.forEach((grip, index) => {
            grip.style.left = `${places[index]}px`;
            grip.hidden = last <= first || places[index] < 0 || places[index] > width;
            grip.setAttribute('aria-valuemin', first);
            grip.setAttribute('aria-valuemax', last);
            grip.setAttribute('aria-valuenow', this.ends[index]);
        });
    }
}
