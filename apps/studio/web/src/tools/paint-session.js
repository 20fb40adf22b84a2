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
        // {values, until: revision that the model must have, Infinity during strokes}
        this.own = null;
        this.stroke = null;
        this.mirrors = null;
        this.sending = null;
        this.unsent = null;
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
        const brush = {
            ...this.brush,
            mode: modeOf(this.brush, event),
            ...(this.target.hard ? {strength: 1} : {}),
        };
        this.stroke = new Stroke(this.own.values, brush, (vertex) => map.neighbours(vertex));
        this.merge = `paint ${this.target.id} ${(strokes += 1)}`;
        this.label = `Paint ${this.target.title}`;
        return true;
    }

    /** One dab of the stroke; the document follows. */
    dab({vertices, shares}) {
        const whole = this.target.hard ? shares.map(() => 1) : shares;
        if (this.stroke.dab(vertices, whole).length > 0) {
            this.show();
            this.#send();
        }
    }

    /** Ends the stroke; resolves when the document has it. */
    async end() {
        if (this.stroke === null) {
            return;
        }
        const {own} = this;
        this.stroke = null;
        await this.sending;
        if (this.own === own && this.stroke === null) {
            own.until = this.studio.active.revision;
            this.takeFrame();
        }
    }

    /** Puts back what was there before the stroke that is under way. */
    async cancel() {
        const {stroke} = this;
        if (stroke === null) {
            return;
        }
        stroke.revert();
        this.unsent = null;
        await this.end();
        if (stroke.known) {
            await this.studio.undo();
        }
    }

    /** A frame came with the server's values: are they newer than what is painted? */
    takeFrame() {
        if (
            this.own !== null &&
            this.stroke === null &&
            (this.studio.active.model?.revision ?? 0) >= this.own.until &&
            this.target.read(this.surface) !== null
        ) {
            this.own = null;
        }
        if (this.own !== null || this.target.hard) {
            this.show();
        }
    }

    /** Lets the viewport draw the values that are being painted. */
    show() {
        const {surface} = this;
        const values = this.own?.values ?? (this.target.hard ? this.values : null);
        if (surface !== null && values !== null) {
            // Another view of the same numbers: that is how the viewport sees that they changed.
            surface.values = values.subarray(0);
        }
        this.studio.viewport.redraw();
    }

    // One edit is under way at a time; what was painted meanwhile goes with the next.
    #send() {
        this.unsent = this.stroke;
        this.sending ??= this.#sendAll().finally(() => {
            this.sending = null;
        });
    }

    async #sendAll() {
        while (this.unsent) {
            const stroke = this.unsent;
            this.unsent = null;
            try {
                await this.studio.edit(this.label, this.#ops(stroke), {merge: this.merge});
                stroke.known = true;
            } catch {
                this.#refused();
            }
        }
    }

    #ops(stroke) {
        const changes = new Map(stroke.touched.map((vertex) => [vertex, stroke.values[vertex]]));
        return this.target.write(
            changes,
            this.brush.mirror ? this.#mirrored(changes, stroke.values) : null
        );
    }

    // What the other side gets: the values of this side, where the stroke has not been itself.
    #mirrored(changes, values) {
        this.mirrors ??= new MirrorMap(this.surface.rest);
        const other = new Map();
        for (const [vertex, value] of changes) {
            const image = this.mirrors.of(vertex);
            if (image >= 0 && !changes.has(image)) {
                other.set(image, value);
                if (!this.target.hasSides) {
                    values[image] = value;
                }
            }
        }
        return other;
    }

    // The studio has told why.
    #refused() {
        this.unsent = null;
        this.stroke = null;
        this.own = null;
        this.show();
    }
}
