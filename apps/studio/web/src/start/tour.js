// SPDX-License-Identifier: Apache-2.0
//
// The tour as it is seen: a card beside the control that is meant, a ring around it.
import {h, setChildren} from '../core/dom.js';
import {button} from '../core/widgets.js';
import {TourState} from './tour-state.js';
import {steps} from './tour-steps.js';

const SIGNALS = ['slot', 'document', 'model', 'tool', 'time', 'selection', 'welcome'];
const SEEN = 'sinew-studio-tour';
const LOOK_EVERY = 300; // milliseconds: controls move, and tools tell nothing while they are used
const GAP = 12;
const VIEW = ['[data-testid="viewport"]']; // where the last card stands

const tours = new WeakMap();

/** The one tour of a studio. */
export function tourOf(studio) {
    if (!tours.has(studio)) {
        tours.set(studio, new Tour(studio));
    }
    return tours.get(studio);
}

/** Begins by itself the first time that somebody is here. */
export function startFirstTime(studio) {
    if (localStorage.getItem(SEEN) === null) {
        tourOf(studio).start();
    }
}

class Tour {
    constructor(studio) {
        this.studio = studio;
        this.state = new TourState(steps, studio);
        this.ring = h('div', {class: 'tour-ring', 'aria-hidden': 'true'});
        this.card = h('div', {
            class: 'tour-card',
            role: 'dialog',
            'aria-label': 'Tour',
            'aria-live': 'polite',
            dataset: {testid: 'tour'},
        });
        this.offs = [];
    }

    get running() {
        return this.timer !== undefined;
    }

    start() {
        this.#stop();
        localStorage.setItem(SEEN, 'seen');
        this.state.start();
        document.body.append(this.ring, this.card);
        this.offs = SIGNALS.map((signal) => this.studio.on(signal, () => this.#look()));
        this.timer = setInterval(() => this.#look(), LOOK_EVERY);
        this.state.check();
        this.#show();
    }

    leave() {
        this.state.leave();
        this.#stop();
    }

    #stop() {
        clearInterval(this.timer);
        this.timer = undefined;
        this.offs.forEach((off) => off());
        this.offs = [];
        this.ring.remove();
        this.card.remove();
    }

    #look() {
        if (this.running && this.state.check()) {
            this.#show();
        } else if (this.running) {
            this.#place();
        }
    }

    #show() {
        if (this.state.finished) {
            this.#showEnd();
            return;
        }
        const {step, index} = this.state;
        this.card.dataset.step = step.id;
        setChildren(
            this.card,
            h('p', {class: 'tour-count'}, `Step ${index + 1} of ${steps.length}`),
            h('h3', {}, step.title),
            h('p', {}, step.text),
            h(
                'div',
                {class: 'tour-actions'},
                button({label: 'Leave the tour', quiet: true, onClick: () => this.leave()}),
                button({label: 'Skip this step', quiet: true, onClick: () => this.#skip()})
            )
        );
        this.#place();
    }

    #skip() {
        this.state.skip();
        this.state.check();
        this.#show();
    }

    #showEnd() {
        this.card.dataset.step = 'end';
        setChildren(
            this.card,
            h('h3', {}, 'You have made a muscle'),
            h(
                'p',
                {},
                'The other tools work in the same way: you see each change at once. F1 lists all ' +
                    'keys and can start this tour again. docs/studio.md has more.'
            ),
            h(
                'div',
                {class: 'tour-actions'},
                button({label: 'Done', primary: true, onClick: () => this.leave()})
            )
        );
        this.#place();
    }

    #place() {
        const {finished, step} = this.state;
        const targets = finished ? VIEW : (step?.target ?? []);
        const target = targets.map((each) => document.querySelector(each)).find(isSeen) ?? null;
        const box = target?.getBoundingClientRect() ?? null;
        this.ring.hidden = box === null || finished;
        if (box !== null) {
            Object.assign(this.ring.style, {
                left: `${box.left - 4}px`,
                top: `${box.top - 4}px`,
                width: `${box.width + 8}px`,
                height: `${box.height + 8}px`,
            });
        }
        placeCard(this.card, box);
    }
}

function isSeen(element) {
    return element !== null && element.getClientRects().length > 0;
}

// Beside a small target; in the corner of a large one, such as the viewport; at the bottom
// without one.
function placeCard(card, box) {
    const {offsetWidth: width, offsetHeight: height} = card;
    let left = (innerWidth - width) / 2;
    let top = innerHeight - height - 5 * GAP;
    if (box !== null && box.width > innerWidth / 3 && box.height > innerHeight / 3) {
        left = box.left + GAP;
        top = box.bottom - height - GAP;
    } else if (box !== null) {
        left = box.left;
        top = box.bottom + GAP + height < innerHeight ? box.bottom + GAP : box.top - height - GAP;
    }
    card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    card.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
}
