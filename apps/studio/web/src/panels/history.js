// SPDX-License-Identifier: Apache-2.0
//
// All steps that were made, with the present one marked; a click goes there.
import {h} from '../core/dom.js';
import {button} from '../core/widgets.js';
import {followedSteps} from './logic/steps.js';
import {newest} from './newest.js';
import {VirtualList} from './virtual-list.js';

const ROW_HEIGHT = 26; // pixels, as in panels.css

class History {
    constructor(element, studio) {
        this.studio = studio;
        this.element = element;
        this.steps = [];
        this.position = 0;
        this.jumping = false;
        this.known = false; // whether `steps` and `position` are those of the document
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
        this.list = h('div', {class: 'history-list', role: 'list', 'aria-label': 'Steps'});
        this.rows = new VirtualList(this.list, {
            rowHeight: ROW_HEIGHT,
            draw: (row) => this.row(row),
            look: ({label, index}) => `${index} ${this.stateOf(index)} ${label}`
        });
        element.classList.add('history');
        element.append(h('div', {class: 'history-buttons'}, this.undo, this.redo), this.list);
        studio.on('document', (slot, {patch}) => slot === studio.active && this.changed(patch));
        studio.on('slot', () => this.changed(null));
        new ResizeObserver(() => this.changed(null)).observe(element);
        this.changed(null);
    }

    /**
     * Steps are asked for only while they are in sight.
     * @param {object[]|null} patch null, or of another document: nothing is known of its steps
     */
    changed(patch) {
        const {undo, redo, document} = this.studio.active;
        this.showButton(this.undo, 'Undo', undo);
        this.showButton(this.redo, 'Redo', redo);
        const another = patch === null || patch.some(({path}) => path === '');
        const followed = another || !this.known ? null : followedSteps(this, this.studio.active);
        this.known = followed !== null;
        if (document === null) {
            this.steps = [];
            this.show();
        } else if (followed !== null) {
            Object.assign(this, followed);
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
        Object.assign(this, {steps, position, known: true});
        this.show();
    }

    show() {
        const labels = ['As opened', ...this.steps];
        this.rows.setRows(labels.map((label, index) => ({label, index})));
        if (this.shownPosition !== this.position) {
            this.shownPosition = this.position;
            this.rows.reveal(this.position);
        }
    }

    stateOf(index) {
        return index === this.position ? 'current' : index > this.position ? 'undone' : '';
    }

    row({label, index}) {
        return h(
            'div',
            {class: 'history-row', role: 'listitem'},
            h(
                'button',
                {
                    type: 'button',
                    class: `quiet history-step ${this.stateOf(index)}`,
                    'aria-current': index === this.position ? 'step' : null,
                    title: label,
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
