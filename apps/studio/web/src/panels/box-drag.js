// SPDX-License-Identifier: Apache-2.0
//
// Drags that are followed on the window, and the box that one of them draws.
import {h} from '../core/dom.js';

const STILL = 3; // pixels within which a press is a click

/**
 * Follows the pointer until it is released. `move` hears it once it has left its place, `end` the
 * release, `cancel` Esc or a second finger.
 */
export function followPointer(start, {move, end, cancel}) {
    const listening = new AbortController();
    const {signal} = listening;
    let moving = false;
    const stop = (then, event) => {
        listening.abort();
        then(event, moving);
    };
    const listen = (name, run) => addEventListener(name, run, {signal, capture: true});
    listen('pointermove', (event) => {
        const away = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY);
        moving ||= away >= STILL;
        if (moving) {
            move(event);
        }
    });
    listen('pointerup', (event) => stop(end, event));
    listen('pointercancel', (event) => stop(cancel, event));
    listen('keydown', (event) => {
        if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            stop(cancel, event);
        }
    });
}

/** A box that selects. Its element lies in the place that it is drawn over. */
export class BoxDrag {
    constructor() {
        this.element = h('div', {class: 'selection-box', 'aria-hidden': 'true', hidden: true});
    }

    /**
     * @param found (box) => hears the box, client pixels, whenever it changes; null: a click
     * @param cancel () => the drag is taken back
     */
    begin(start, place, found, cancel) {
        const hide = () => {
            this.element.hidden = true;
        };
        followPointer(start, {
            move: (event) => {
                const box = {left: Math.min(start.clientX, event.clientX),
                    right: Math.max(start.clientX, event.clientX),
                    top: Math.min(start.clientY, event.clientY),
                    bottom: Math.max(start.clientY, event.clientY)};
                this.#show(box, place);
                found(box);
            },
            end: (event, moved) => {
                hide();
                if (!moved) {
                    found(null);
                }
            },
            cancel: () => {
                hide();
                cancel();
            }
        });
    }

    #show({left, right, top, bottom}, place) {
        const area = place.getBoundingClientRect();
        this.element.hidden = false;
        Object.assign(this.element.style, {
            left: `${left - area.left + place.scrollLeft}px`,
            top: `${top - area.top + place.scrollTop}px`,
            width: `${right - left}px`,
            height: `${bottom - top}px`
        });
    }
}
