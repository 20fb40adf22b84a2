// SPDX-License-Identifier: Apache-2.0
//
// Values of one target while they are painted. What the server last told is what a stroke begins
// with; from then until a model with the stroke in it has come, the page shows its own values.
import {modeOf} from './paint-brush.js';
import {rounded} from './paint-entries.js';
import {MirrorMap} from './paint-grid.js';
import {Sheet} from './paint-sheet.js';
import {Stroke} from './paint-stroke.js';
import {surfaceMapOf} from './paint-surface.js';

let strokes = 0;
const SHARE = 4; // of the time that making an edit takes, the page has as much to itself

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
        this.sheet = null;
        this.queue = [];
        this.hurry = () => null;
    }

    get surface() {
        return this.target.slot.model?.byPath(this.target.surface) ?? null;
    }

    /** The values as they are shown, or null where they have not come yet. */
    get values() {
        return this.own?.values ?? this.#told();
    }

    // What the server has told of the target; colours of something else are no weights.
    #told() {
        const {quantity} = this.studio.viewport;
        return this.target.isShownBy(quantity) ? this.target.read(this.surface) : null;
    }

    /** Begins a stroke. @returns whether it could */
    begin(event) {
        const values = this.values;
        const {surface} = this;
        if (values === null || surface === null) {
            this.studio.notice('The values of this skin are still loading.');
            return false;
        }
        // What was painted before stands rounded in the document.
        const weights = Float32Array.from(values, this.own === null ? undefined : rounded);
        this.own = {values: Float32Array.from(values), until: Infinity};
        const map = surfaceMapOf(surface);
        const brush = {
            ...this.brush,
            mode: modeOf(this.brush, event),
            ...(this.target.hard ? {strength: 1} : {}),
        };
        this.stroke = new Stroke(this.own.values, brush, (vertex) => map.neighbours(vertex));
        Object.assign(this.stroke, {
            weights,
            mirrors: this.brush.mirror,
            unsent: new Set(),
            known: false,
            merge: `paint ${this.target.id} ${(strokes += 1)}`,
            label: `Paint ${this.target.title}`,
        });
        return true;
    }

    /** One dab of the stroke; the document follows. */
    dab({vertices, shares}) {
        const whole = this.target.hard ? shares.map(() => 1) : shares;
        const changed = this.stroke.dab(vertices, whole);
        if (changed.length > 0) {
            changed.forEach((vertex) => this.stroke.unsent.add(vertex));
            this.show();
            this.#send(this.stroke);
        }
    }

    /** What the brush does, once and with its whole strength, to all points of the skin. */
    async flood() {
        if (this.stroke === null && this.begin({})) {
            this.stroke.label = `Flood ${this.target.title}`;
            const vertices = [...this.own.values.keys()];
            this.dab({vertices, shares: vertices.map(() => 1)});
            await this.end();
        }
    }

    /** Ends the stroke; resolves when the document has it. */
    async end() {
        if (this.stroke === null) {
            return;
        }
        const {own} = this;
        this.stroke = null;
        this.hurry();
        await this.sending;
        if (this.own === own && this.stroke === null) {
            own.until = this.target.slot.revision;
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
        stroke.unsent.clear();
        await this.end();
        if (stroke.known) {
            await this.studio.undo(this.target.slot);
        }
    }

    /** The document has changed, by whomever. */
    takeDocument() {
        // A look is enough: what it was told itself it knows by then.
        this.sheet?.isStale();
        this.show();
    }

    /** A frame came with the server's values: are they newer than what is painted? */
    takeFrame() {
        if (
            this.own !== null &&
            this.stroke === null &&
            (this.target.slot.model?.revision ?? 0) >= this.own.until &&
            this.#told() !== null
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
    #send(stroke) {
        if (!this.queue.includes(stroke)) {
            this.queue.push(stroke);
        }
        this.sending ??= this.#sendAll().finally(() => {
            this.sending = null;
        });
    }

    async #sendAll() {
        while (this.queue.length > 0) {
            const stroke = this.queue[0];
            if (stroke.unsent.size === 0) {
                this.queue.shift();
            } else {
                await this.#sendNext(stroke);
            }
        }
    }

    async #sendNext(stroke) {
        const began = performance.now();
        const ops = this.#ops(stroke);
        const took = performance.now() - began;
        try {
            if (ops.length > 0) {
                const {slot} = this.target;
                await this.studio.edit(stroke.label, ops, {merge: stroke.merge, slot});
                stroke.known = true;
            }
        } catch {
            this.#refused();
        }
        await this.#pause(SHARE * took);
    }

    // A skin of very many points leaves the page time to follow the brush; the last edit does not
    // wait.
    async #pause(milliseconds) {
        if (milliseconds > 10 && this.stroke !== null) {
            await new Promise((resolve) => {
                this.hurry = resolve;
                setTimeout(resolve, milliseconds);
            });
        }
    }

    #ops(stroke) {
        const whole = this.#openSheet(stroke) || stroke.mirrors;
        const vertices = whole ? stroke.touched : [...stroke.unsent];
        stroke.unsent.clear();
        const changes = new Map(vertices.map((vertex) => [vertex, stroke.values[vertex]]));
        const mirrored = stroke.mirrors ? this.#mirrored(changes, stroke.values) : null;
        const ops = this.sheet.write(changes, mirrored, (vertex) => stroke.weights?.[vertex]);
        // With images, all is laid over the beginning each time.
        if (!stroke.mirrors && stroke.weights !== null) {
            changes.forEach((value, vertex) => {
                stroke.weights[vertex] = rounded(value);
            });
        }
        return ops;
    }

    // The sheet is kept from stroke to stroke, as long as nobody else changes the document.
    // @returns whether the stroke must be laid over it anew
    #openSheet(stroke) {
        const {sheet} = this;
        const stale = sheet?.isStale() ?? false;
        if (sheet === null) {
            this.sheet = new Sheet(this.target);
        } else if (stale) {
            sheet.load();
        } else if (this.sheetOf !== stroke) {
            sheet.begin();
        } else if (stroke.mirrors) {
            // A point that the stroke has come to itself is no image any more.
            sheet.clear();
        }
        this.sheetOf = stroke;
        if (stale && stroke.known) {
            stroke.weights = null; // of another document
        }
        return stale;
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
        this.queue = [];
        this.stroke = null;
        this.own = null;
        this.sheet = null;
        this.show();
    }
}
