// SPDX-License-Identifier: Apache-2.0
//
// What the pointer does in the viewport: first the tool has it, then the camera. The middle button
// turns, with shift it moves, with ctrl it zooms, the wheel zooms to the pointer; the left button
// turns where no tool takes it. One finger turns, two move and zoom.

const TURN = 0.0085; // radians per pixel
const WHEEL = 0.0014; // part of the distance per unit of the wheel
const CLICK_DISTANCE = 4; // pixels that a pointer may move and still click

export class Navigation {
    #viewport;
    #touches = new Map();
    #drag = null;

    constructor(viewport, canvas) {
        this.#viewport = viewport;
        canvas.addEventListener('pointerdown', (event) => this.down(event));
        canvas.addEventListener('pointermove', (event) => this.move(event));
        canvas.addEventListener('pointerup', (event) => this.up(event));
        canvas.addEventListener('pointercancel', (event) => this.cancel(event));
        canvas.addEventListener('pointerleave', () => viewport.hover(null));
        canvas.addEventListener('wheel', (event) => this.#wheel(event), {passive: false});
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        canvas.addEventListener('auxclick', (event) => event.preventDefault());
    }

    down(event) {
        const canvas = event.currentTarget;
        canvas.focus({preventScroll: true});
        canvas.setPointerCapture(event.pointerId);
        if (event.pointerType === 'touch') {
            this.#touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
        }
        this.#viewport.hover(null);
        if (this.#touches.size >= 2) {
            this.#beginPinch(event);
            return;
        }
        if (event.button === 1) {
            event.preventDefault();
        }
        const forCamera = event.button === 1 || event.altKey;
        const beside = !forCamera && this.#viewport.isBeside(event);
        const offered = !forCamera && !beside;
        const taken = offered && this.#viewport.giveDown(event);
        this.#drag = {mode: taken ? 'given' : cameraMode(event), offered, beside,
            button: event.button, start: {x: event.clientX, y: event.clientY},
            x: event.clientX, y: event.clientY};
    }

    // What the first finger had begun was not meant.
    #beginPinch(event) {
        if (this.#drag?.offered) {
            this.#viewport.giveCancel(event);
        }
        this.#drag = {mode: 'pinch'};
    }

    move(event) {
        const drag = this.#drag;
        if (this.#touches.has(event.pointerId) && this.#touches.size >= 2) {
            this.#pinch(event);
        } else if (drag === null) {
            this.#viewport.giveMove(event);
            this.#viewport.hover(event);
        } else if (drag.mode === 'given') {
            this.#viewport.giveMove(event);
        } else if (drag.mode !== 'pinch') {
            this.#camera(drag, event);
        }
    }

    up(event) {
        const drag = this.#end(event);
        if (drag?.beside) {
            const {start, button} = drag;
            const moved = Math.hypot(event.clientX - start.x, event.clientY - start.y);
            if (button === 0 && moved <= CLICK_DISTANCE) {
                this.#viewport.clickBeside(event);
            }
        } else if (drag?.offered) {
            this.#viewport.giveUp(event);
        }
    }

    /** The browser has taken the pointer away. */
    cancel(event) {
        if (this.#end(event)?.offered) {
            this.#viewport.giveCancel(event);
        }
    }

    // After a pinch the finger that is left does nothing.
    #end(event) {
        this.#touches.delete(event.pointerId);
        const drag = this.#drag;
        this.#drag = drag?.mode === 'pinch' && this.#touches.size > 0 ? drag : null;
        return drag;
    }

    #camera(drag, event) {
        const {orbit, viewHeight} = this.#viewport;
        const x = event.clientX - drag.x;
        const y = event.clientY - drag.y;
        Object.assign(drag, {x: event.clientX, y: event.clientY});
        if (drag.mode === 'pan') {
            orbit.pan(x, y, viewHeight);
        } else if (drag.mode === 'zoom') {
            orbit.zoom(Math.exp(0.008 * y));
        } else {
            orbit.turn(-x * TURN, y * TURN);
        }
    }

    #pinch(event) {
        const {orbit, viewHeight} = this.#viewport;
        const two = () => [...this.#touches.values()].slice(0, 2);
        const before = two().map((each) => ({...each}));
        Object.assign(this.#touches.get(event.pointerId), {x: event.clientX, y: event.clientY});
        const after = two();
        const middle = ([a, b]) => ({x: (a.x + b.x) / 2, y: (a.y + b.y) / 2});
        const apart = ([a, b]) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
        const [from, to] = [middle(before), middle(after)];
        orbit.pan(to.x - from.x, to.y - from.y, viewHeight);
        orbit.zoom(apart(before) / apart(after));
    }

    #wheel(event) {
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1;
        const step = Math.max(-400, Math.min(400, event.deltaY * unit));
        this.#viewport.orbit.zoom(Math.exp(step * WHEEL), this.#viewport.devicePoint(event));
    }
}

function cameraMode(event) {
    if (event.button === 2) {
        return 'pan';
    }
    return event.shiftKey ? 'pan' : event.ctrlKey ? 'zoom' : 'turn';
}
