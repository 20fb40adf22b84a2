// SPDX-License-Identifier: Apache-2.0
//
// All steps that were made, with the present one marked; a click goes there.
import {h, setChildren} from '../core/dom.js';
import {button} from '../core/widgets.js';
import {newest} from './newest.js';

class History {
    constructor(element, studio) {
        this.studio = studio;
        this.element = element;
        this.steps = [];
        this.position = 0;
        this.jumping = false;
        this.load = newest(() => this.fetch());
        this.undo = button({
            label: 'Undo',
            icon: 'undo',
            title: 'Undo',
            onClick: () => studio.undo()
        });
        this.redo = button({
            label: 'Redo',
            icon: 'redo',
            title: 'Redo',
            onClick: () => studio.redo()
        });
        this.list = h('ol', {class: 'history-list', 'aria-label': 'Steps'});
        element.classList.add('history');
        element.append(h('div', {class: 'history-buttons'}, this.undo, this.redo), this.list);
        studio.on('document', (slot) => slot === studio.active && this.changed());
        studio.on('slot', () => this.changed());
        new ResizeObserver(() => this.changed()).observe(element);
        this.changed();
    }

    // Steps are asked for only while they are in sight.
    changed() {
        const {undo, redo, document} = this.studio.active;
        this.showButton(this.undo, 'Undo', undo);
        this.showButton(this.redo, 'Redo', redo);
        if (document === null) {
            this.steps = [];
            this.show();
        } else if (this.element.clientWidth > 0) {
            this.load();
        }
    }

    showButton(element, verb, step) {
        const title = step ? `${verb} ${step.label}` : `Nothing to ${verb.toLowerCase()}`;
        element.disabled = !step;
        element.title = title;
        element.setAttribute('aria-label', title);
    }

    async fetch() {
        const {steps, position} = await this.studio.wire.call('history', {
            slot: this.studio.active.index
        });
        this.steps = steps;
        this.position = position;
        this.show();
    }

    show() {
        const labels = ['As it was opened', ...this.steps];
        setChildren(
            this.list,
            labels.map((label, index) => this.row(label, index))
        );
        this.list.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});
    }

    row(label, index) {
        const state = index === this.position ? 'current' : index > this.position ? 'undone' : '';
        return h(
            'li',
            {},
            h(
                'button',
                {
                    type: 'button',
                    class: `quiet history-step ${state}`,
                    'aria-current': index === this.position ? 'step' : null,
                    onclick: () => this.jump(index)
                },
                label
            )
        );
    }

    async jump(target) {
        if (this.jumping) {
            return;
        }
        this.jumping = true;
        const move = target < this.position ? 'undo' : 'redo';
        try {
            for (let count = Math.abs(target - this.position); count > 0; count--) {
                await this.studio[move]();
            }
        } catch {
            // The studio has shown it; the list is what the server says.
        }
        this.jumping = false;
        this.load();
    }
}

export default {
    id: 'history',
    title: 'History',
    icon: 'undo',
    place: 'right',
    mount(element, studio) {
        return new History(element, studio);
    }
};
