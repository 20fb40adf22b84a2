// SPDX-License-Identifier: Apache-2.0
//
// Values of one target while they are painted. What the server last told is what a stroke begins
// with; from then until a model with the stroke in it has come, the page shows its own values.
import {MirrorMap} from './paint-grid.js';
import {modeOf} from './paint-brush.js';
import {surfaceMapOf} from './paint-pointer.js';
import {Stroke} from './paint-stroke.js';

let strokes = 0;

export class PaintSession {
    /** @param target of paint-targets.js */
    constructor(studio, brush, target) {
        this.studio = studio;
        this.brush = brush;
        this.target = target;
        this.own = null; // {values, until: revision that the model must have, Infinity during strokes}
        this.stroke = null;
        this.mirrors = null;
    }

    get surface() {
        return this.studio.active.model?.byPath(this.target.surface) ?? null;
    }

    /** The values as they are shown, or null where they have not come yet. */
    get values() {
        return this.own?.values ?? this.target.read(this.surface) ?? null;
    }

    /** Begins a stroke. @returns whether it could */
    begin(event) {
        const values = this.values;
        const {surface} = this;
        if (values === null || surface === null) {
            this.studio.notice('The values of this skin are still on their way.');
            return false;
        }
        this.own = {values: Float32Array.from(values), until: Infinity};
        const map = surfaceMapOf(surface);
        const brush = {...this.brush, mode: modeOf(this.brush, event)};
        this.stroke = new Stroke(this.own.values, brush, (vertex) => map.neighbours(vertex));
        this.merge = `paint ${this.target.id} ${(strokes += 1)}`;
        this.label = `Paint ${this.target.title}`;
        return true;
    }

    /** One dab of the stroke; the document follows. */
    dab({vertices, shares}) {
        if (this.stroke.dab(vertices, shares).length > 0) {
            this.show();
            this.#send();
        }
    }

    end() {
        if (this.stroke === null) {
            return;
        }
        this.stroke = null;
        this.own.until = this.lastRevision ?? 0;
        Promise.resolve(this.sent).catch(() => null).then(() => {
            if (this.stroke === null && this.own !== null) {
                this.own.until = this.studio.active.revision;
                this.takeFrame();
            }
        });
    }

    /** Puts back what was there before the stroke that is under way. */
    cancel() {
        if (this.stroke !== null) {
            this.stroke.revert();
            this.#send();
            this.end();
        }
    }

    /** A frame came with the server's values: are they newer than what is painted? */
    takeFrame() {
        if (this.own === null) {
            return;
        }
        if (this.stroke === null && (this.studio.active.model?.revision ?? 0) >= this.own.until
            && this.target.read(this.surface) !== null) {
            this.own = null;
        }
        this.show();
    }

    /** Lets the viewport draw the values that are being painted. */
    show() {
        const {surface} = this;
        if (surface !== null && this.own !== null) {
            // Another view of the same numbers: that is how the viewport sees that they changed.
            surface.values = this.own.values.subarray(0);
            surface.mapped?.();
        }
        this.studio.viewport.redraw();
    }

    #send() {
        const changes = new Map(this.stroke.touched.map((vertex) => [vertex, this.own.values[vertex]]));
        const mirrored = this.brush.mirror ? this.#mirrored(changes) : null;
        const ops = this.target.write(changes, mirrored);
        this.sent = this.studio.edit(this.label, ops, {merge: this.merge});
        this.sent.catch(() => this.#refused());
    }

    // What the other side gets: the values of this side, where the stroke has not been itself.
    #mirrored(changes) {
        this.mirrors ??= new MirrorMap(this.surface.rest);
        const other = new Map();
        for (const [vertex, value] of changes) {
            const image = this.mirrors.of(vertex);
            if (image >= 0 && !changes.has(image)) {
                other.set(image, value);
                if (!this.target.hasSides) {
                    this.own.values[image] = value;
                }
            }
        }
        return other;
    }

    #refused() {
        this.stroke = null;
        this.own = null;
        this.show();
    }
}
