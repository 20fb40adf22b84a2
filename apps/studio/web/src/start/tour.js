// SPDX-License-Identifier: Apache-2.0
//
// The tour as it is seen: a card beside the control that is meant, a ring around it.
import {h, setChildren} from '../core/dom.js';
import {button} from '../core/widgets.js';
import {besideTarget, isLarge, kept, overlap} from './tour-place.js';
import {TourState} from './tour-state.js';
import {steps} from './tour-steps.js';

const SIGNALS = ['slot', 'document', 'model', 'tool', 'time', 'held', 'selection', 'welcome'];
const SEEN = 'sinew-studio-tour';
const LOOK_EVERY = 300; // milliseconds: controls move, and tools tell nothing while they are used
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
        this.moved = null; // where the user has put the card: {left, top}
    }

    get running() {
        return this.timer !== undefined;
    }

    start() {
        this.#stop();
        localStorage.setItem(SEEN, 'seen');
        this.state.start();
        this.moved = null;
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
            this.#head(`Step ${index + 1} of ${steps.length}`, step.title),
            h('p', {}, step.text),
            h(
                'div',
                {class: 'tour-actions'},
                button({label: 'Leave the tour', quiet: true, onClick: () => this.leave()}),
                button({label: 'Skip this step', quiet: true, onClick: () => this.#skip()})
            )
        );
        this.#target()?.scrollIntoView({block: 'nearest'});
        this.#place();
    }

    /** What the card is moved by. */
    #head(count, title) {
        return h(
            'div',
            {
                class: 'tour-head',
                title: 'Drag to move this card',
                onpointerdown: (event) => this.#move(event),
            },
            count !== null && h('p', {class: 'tour-count'}, count),
            h('h3', {}, title)
        );
    }

    #move(event) {
        const head = event.currentTarget;
        const {left, top} = this.card.getBoundingClientRect();
        const start = {x: event.clientX - left, y: event.clientY - top};
        const listening = new AbortController();
        const {signal} = listening;
        head.setPointerCapture(event.pointerId);
        head.addEventListener('pointermove', ({clientX, clientY}) => {
            this.moved = {left: clientX - start.x, top: clientY - start.y};
            this.#place();
        }, {signal});
        head.addEventListener('lostpointercapture', () => listening.abort(), {signal});
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
            this.#head(null, 'You have made a muscle'),
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

    #target() {
        const {finished, step} = this.state;
        return firstSeen(finished ? VIEW : (step?.target ?? []));
    }

    #place() {
        const box = boxOf(this.#target());
        const beside = boxOf(firstSeen(this.state.step?.beside ?? [])) ?? box;
        this.ring.hidden = box === null || this.state.finished;
        if (box !== null) {
            Object.assign(this.ring.style, {
                left: `${box.left - 4}px`,
                top: `${box.top - 4}px`,
                width: `${box.width + 8}px`,
                height: `${box.height + 8}px`,
            });
        }
        const {offsetWidth: width, offsetHeight: height} = this.card;
        const room = {width: innerWidth, height: innerHeight};
        const {left, top} = this.#ownPlace({width, height}, room, box) ??
            besideTarget({width, height}, room, beside);
        this.card.style.left = `${left}px`;
        this.card.style.top = `${top}px`;
    }

    // Where the user has put it, unless it covers what a later step speaks of.
    #ownPlace(size, room, box) {
        if (this.moved === null) {
            return null;
        }
        const place = kept(this.moved, size, room);
        const covers = box !== null && !isLarge(box, room) && overlap({...place, ...size}, box) > 0;
        return covers ? null : place;
    }
}

function firstSeen(selectors) {
    const isSeen = (element) => element !== null && element.getClientRects().length > 0;
    return selectors.map((each) => document.querySelector(each)).find(isSeen) ?? null;
}

function boxOf(element) {
    return element?.getBoundingClientRect() ?? null;
}
