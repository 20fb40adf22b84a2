// SPDX-License-Identifier: Apache-2.0
//
// Long work: a card for each job with what it does, how far it is, and a button that ends it.
// Finished ones fade; errors stay until they are closed.
import {h} from '../core/dom.js';
import {StudioError} from '../core/errors.js';
import {button, iconButton, progressBar} from '../core/widgets.js';
import {leftText} from './logic/duration.js';

const SHOWN_AFTER_END = 4000; // milliseconds

function errorText(error) {
    return error ? new StudioError(error).text : 'It failed for an unknown reason.';
}

class JobCard {
    constructor(studio, job, gone) {
        this.studio = studio;
        this.id = job.job;
        this.gone = gone;
        this.bar = progressBar({label: job.title});
        this.title = h('strong', {}, job.title);
        this.step = h('span', {class: 'job-step'});
        this.left = h('span', {class: 'job-left'});
        this.cancel = button({
            label: 'Cancel',
            title: `Cancel: ${job.title}`,
            onClick: () => studio.call('cancel', {job: this.id})
        });
        this.close = iconButton({
            icon: 'close',
            label: `Close: ${job.title}`,
            onClick: () => this.remove()
        });
        this.element = h(
            'article',
            {class: 'job', 'aria-label': job.title, dataset: {testid: 'job', job: job.job}},
            h('div', {class: 'job-head'}, this.title, this.close),
            this.bar,
            h('div', {class: 'job-foot'}, this.step, this.left, this.cancel)
        );
    }

    show(job) {
        const running = job.state === 'running';
        this.element.dataset.state = job.state;
        this.bar.set(running ? job.fraction : 1);
        this.bar.element.hidden = !running;
        this.cancel.hidden = !running;
        this.close.hidden = running;
        this.left.textContent = running ? leftText(job.left) : '';
        this.step.textContent = this.stepText(job);
        if (job.state === 'failed') {
            this.element.setAttribute('role', 'alert');
        } else if (!running) {
            setTimeout(() => this.element.classList.add('fading'), SHOWN_AFTER_END - 1000);
            setTimeout(() => this.remove(), SHOWN_AFTER_END);
        }
    }

    stepText(job) {
        const ended = {done: 'Done', cancelled: 'Cancelled', failed: errorText(job.error)};
        return ended[job.state] ?? job.step ?? '';
    }

    remove() {
        this.element.remove();
        this.gone(this);
    }
}

class Jobs {
    constructor(element, studio) {
        this.studio = studio;
        this.cards = new Map();
        this.element = element;
        element.classList.add('jobs');
        element.setAttribute('role', 'region');
        element.setAttribute('aria-label', 'Work in progress');
        studio.on('jobs', (job) => this.changed(job));
        studio.on('welcome', () => this.forget());
    }

    // What still runs is told anew after a lost connection; of the rest only errors are shown, and
    // their numbers may be given again.
    forget() {
        for (const card of [...this.cards.values()]) {
            if (card.element.dataset.state !== 'failed') {
                card.element.remove();
            }
        }
        this.cards.clear();
    }

    dropped(card) {
        if (this.cards.get(card.id) === card) {
            this.cards.delete(card.id);
        }
    }

    changed(job) {
        if (!this.cards.has(job.job)) {
            // What ended before this page came is not shown, nor what is shown elsewhere.
            if ((job.state !== 'running' || job.quiet) && job.state !== 'failed') {
                return;
            }
            const card = new JobCard(this.studio, job, (gone) => this.dropped(gone));
            this.cards.set(job.job, card);
            this.element.append(card.element);
        }
        this.cards.get(job.job).show(job);
    }
}

export default {
    id: 'jobs',
    title: 'Jobs',
    icon: 'menu',
    place: 'page',
    mount(element, studio) {
        return new Jobs(element, studio);
    }
};
