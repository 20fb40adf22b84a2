// SPDX-License-Identifier: Apache-2.0
//
// The brush under the pointer: where it is on a surface, its circle there, the vertices that it
// covers. Paint, sets and key poses share it.
import {h} from '../core/dom.js';
import {isCovered} from '../core/popups.js';
import {metresPerPixel} from './paint-brush.js';
import {BrushCircle} from './paint-overlay.js';
import {falloff, stepsAlong} from './paint-stroke.js';
import {surfaceMapOf} from './paint-surface.js';

const BESIDE = 16; // pixels from the pointer to what is told about the place

export class BrushPointer {
    /**
     * @param {{layers: () => string[], accepts: (hit) => boolean, text: (hit) => string}}
     * options
     */
    constructor(studio, brush, options) {
        this.studio = studio;
        this.brush = brush;
        this.options = options;
        this.circle = new BrushCircle(studio.viewport);
        this.label = h('div', {class: 'brush-label', 'aria-hidden': 'true', hidden: true});
        studio.viewport.element.append(this.label);
        this.hit = null;
        this.x = 0;
        this.event = null;
    }

    dispose() {
        this.circle.dispose();
        this.label.remove();
    }

    /** What the brush would touch at an event, or null. */
    pick(event) {
        const hit = this.studio.viewport.pick(event, {
            layers: this.options.layers(),
            slot: this.studio.activeIndex,
        });
        return hit !== null && this.options.accepts(hit) ? hit : null;
    }

    /** Shows the circle where the pointer is. */
    follow(event) {
        this.event = event;
        this.x = event.clientX;
        this.hit = this.pick(event);
        this.#takeKeys();
        this.show();
    }

    // A list or button that was used last would keep the brush's keys from it.
    #takeKeys() {
        const used = ['SELECT', 'BUTTON'].includes(document.activeElement?.tagName);
        if (used && !isCovered()) {
            this.studio.viewport.canvas.focus({preventScroll: true});
        }
    }

    show() {
        const {hit} = this;
        this.circle.show(hit, hit === null ? 0 : this.metres(hit));
        const text = hit === null ? null : this.options.text(hit);
        this.label.hidden = text === null;
        if (text !== null) {
            const {x, y} = this.studio.viewport.localPoint(this.event);
            this.label.textContent = text;
            const [left, top] = [Math.round(x) + BESIDE, Math.round(y) + BESIDE];
            this.label.style.transform = `translate(${left}px, ${top}px)`;
        }
    }

    hide() {
        this.hit = null;
        this.circle.show(null, 0);
        this.label.hidden = true;
    }

    /** The radius of the brush in metres, where it touches. */
    metres(hit) {
        const {viewport} = this.studio;
        const camera = viewport.cameraOf(hit.slot);
        return this.brush.radius * metresPerPixel(camera, hit.point, viewport.viewHeight);
    }

    /** Vertices that are not farther from a hit than a radius, along the surface. */
    around(hit, radius) {
        const {surface, triangle, point} = hit;
        return surfaceMapOf(surface).disc(surface.points, triangle, point, radius);
    }

    /** Vertices under the brush, each with its share of the strength. */
    cover(hit, radius = this.metres(hit)) {
        const {vertices, distances} = this.around(hit, radius);
        return {vertices, shares: distances.map((distance) => falloff(distance, radius))};
    }

    /**
     * Hits along the path of the pointer from one event to the next, close enough for a smooth
     * line.
     */
    between(from, event) {
        const steps = stepsAlong(
            {x: from.clientX, y: from.clientY},
            {x: event.clientX, y: event.clientY},
            this.brush.radius / 3
        );
        return steps
            .map(({x, y}) => this.pick({clientX: x, clientY: y}))
            .filter((hit) => hit !== null);
    }
}
