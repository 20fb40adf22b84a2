// SPDX-License-Identifier: Apache-2.0
//
// The profile of a fibre muscle as a small picture: how thick it is from its origin to its insertion,
// at rest and activated. The peak of each curve is a handle.
import {h} from '../core/dom.js';
import {EXPONENT_MOST, STANDARD, exponentsAt, exponentsBeside, peakOf, profileAt}
    from './fibre-maths.js';

const SVG = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT] = [240, 116];
const BOX = {left: 10, right: WIDTH - 10, top: 10, bottom: HEIGHT - 20};
// The highest that a profile with both exponents above 1 becomes.
const HIGHEST = peakOf(EXPONENT_MOST, EXPONENT_MOST)[1];
const STEPS = 48;
const CURVES = [['rest', 'At rest'], ['active', 'Activated']];

const across = BOX.right - BOX.left;
const up = BOX.bottom - BOX.top;
const pixel = ([s, phi]) => [BOX.left + across * s,
    BOX.bottom - up * Math.min(phi / HIGHEST, 1.04)];

function make(name, attributes, ...children) {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    element.append(...children);
    return element;
}

export class FibreProfile {
    /**
     * @param {() => object} read the muscle of the document
     * @param {(values: object, drag: number) => void} write exponents; a drag is one step of undo
     */
    constructor(read, write) {
        Object.assign(this, {read, write, drag: 0});
        this.parts = new Map(CURVES.map(([id, title]) => [id, this.curve(id, title)]));
        this.picture = make('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'fibre-profile',
            role: 'group', 'aria-label': 'Profile', 'data-testid': 'profile'},
        make('line', {x1: BOX.left, x2: BOX.right, y1: BOX.bottom, y2: BOX.bottom,
            class: 'profile-axis'}), this.text('origin', BOX.left, 'start'),
        this.text('insertion', BOX.right, 'end'),
        ...[...this.parts.values()].map(({line}) => line),
        ...[...this.parts.values()].map(({handle}) => handle));
        this.element = h('div', {class: 'profile-box'}, this.legend(), this.picture);
        this.refresh();
    }

    text(words, x, anchor) {
        return make('text', {x, y: HEIGHT - 5, 'text-anchor': anchor, class: 'profile-text'}, words);
    }

    legend() {
        return h('div', {class: 'profile-legend', 'aria-hidden': 'true'}, CURVES.map(([id, title]) =>
            h('span', {class: `profile-key ${id}`}, title)));
    }

    curve(id, title) {
        const line = make('path', {class: `profile-line ${id}`});
        const handle = make('g', {class: `profile-handle ${id}`, tabindex: 0, role: 'slider',
            'aria-label': `Peak of the profile, ${title.toLowerCase()}`, 'data-curve': id},
        make('circle', {r: 16, class: 'profile-grip'}), make('circle', {r: 6}));
        handle.addEventListener('pointerdown', (event) => this.begin(id, handle, event));
        handle.addEventListener('keydown', (event) => this.key(id, event));
        return {line, handle};
    }

    exponents(id) {
        const muscle = this.read() ?? {};
        return ['a', 'b'].map((end) => muscle[`${id}_${end}`] ?? STANDARD[`${id}_${end}`]);
    }

    set(id, pair) {
        const now = this.exponents(id);
        if (pair !== null && pair.some((x, i) => x !== now[i])) {
            this.write({[`${id}_a`]: pair[0], [`${id}_b`]: pair[1]}, this.drag);
        }
    }

    begin(id, handle, event) {
        if (event.button !== 0) {
            return;
        }
        event.preventDefault();
        handle.focus();
        handle.setPointerCapture(event.pointerId);
        this.drag += 1;
        const move = (now) => this.set(id, exponentsAt(this.placeOf(now), [across, up / HIGHEST]));
        const stop = () => {
            handle.removeEventListener('pointermove', move);
            handle.removeEventListener('pointerup', stop);
            handle.removeEventListener('pointercancel', stop);
        };
        handle.addEventListener('pointermove', move);
        handle.addEventListener('pointerup', stop);
        handle.addEventListener('pointercancel', stop);
    }

    /** [s, phi] under the pointer. */
    placeOf(event) {
        const box = this.picture.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left) * WIDTH / box.width,
            (event.clientY - box.top) * HEIGHT / box.height];
        return [(x - BOX.left) / across, (BOX.bottom - y) / up * HIGHEST];
    }

    key(id, event) {
        const pair = exponentsBeside(this.exponents(id), event.key);
        if (pair !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            event.stopPropagation();
            this.drag += 1;
            this.set(id, pair);
        }
    }

    refresh() {
        for (const [id, {line, handle}] of this.parts) {
            const [a, b] = this.exponents(id);
            const points = Array.from({length: STEPS + 1}, (_, i) => {
                return pixel([i / STEPS, profileAt(a, b, i / STEPS)]);
            });
            line.setAttribute('d', `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`)
                .join('L')}`);
            const [x, y] = pixel(peakOf(a, b));
            handle.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
            handle.setAttribute('aria-valuetext', `${a} towards its origin, ${b} towards its ` +
                'insertion');
            handle.setAttribute('aria-valuenow', Math.round(100 * peakOf(a, b)[0]));
        }
    }
}
