// SPDX-License-Identifier: Apache-2.0
//
// When the server is gone: the page says how to start it again, and goes on by itself when it is
// back, with the characters that were open.
import {h, setChildren} from '../core/dom.js';
import {button} from '../core/widgets.js';

const PATIENCE = 1500; // milliseconds: a connection that is back by then is not worth a word
const CLOSING = 'the studio is closing'; // as the server says it

/** A word as a shell takes it. */
function shellWord(word) {
    return /^[\w./,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What to type to be back where one was. @param {string[]} paths of the characters */
export function startCommand(command, paths) {
    return [command, ...paths.map(shellWord)].join(' ');
}

/** What is open, to be found again: unsaved work has no other name than its character's. */
function openedIn({index, document, path, name}) {
    return document === null ? null : {index, path, name};
}

/** The unsaved work that a slot had, among what a new server knows; undefined: none. */
export function findUnsaved({path, name}, unsaved) {
    return unsaved.find((each) => each.path === path && (path !== null || each.name === name));
}

export function listenForLoss(studio) {
    const notice = new Notice(studio);
    let opened = [];
    let session = null;
    studio.on('connection', (state) => {
        if (state === 'lost' && opened.length === 0) {
            opened = studio.slots.map(openedIn).filter((each) => each !== null);
        }
        notice.follow(state);
    });
    studio.on('ready', () => {
        const isNew = session !== null && session !== studio.welcome.session;
        session = studio.welcome.session;
        if (isNew) {
            opened.forEach((each) => reopen(studio, each));
        }
        opened = [];
    });
}

// A studio that was started without the characters gets them from the page that had them.
async function reopen(studio, {index, path, name}) {
    const unsaved = findUnsaved({path, name}, studio.welcome.unsaved ?? []);
    if (studio.slots[index].document !== null || (unsaved === undefined && path === null)) {
        return;
    }
    const [command, args] = unsaved !== undefined
        ? ['open_unsaved', {journal: unsaved.journal}] : ['open', {path}];
    await studio.call(command, {slot: index, ...args}).catch(() => {});
}

class Notice {
    #timer = 0;

    constructor(studio) {
        this.studio = studio;
        this.command = h('code', {tabindex: 0, 'aria-label': 'Command'});
        this.copy = button({label: 'Copy', title: 'Copy the command', onClick: () => this.#copy()});
        this.way = h('div', {class: 'lost-command'}, this.command, this.copy);
        this.element = h('section', {class: 'lost', role: 'alert', hidden: true,
            'aria-label': 'The studio has stopped', dataset: {testid: 'lost'}},
            h('h2', {}, 'The studio has stopped'),
            h('p', {}, 'Your work is kept. To go on, type this in a terminal:'),
            this.way,
            h('p', {class: 'help'}, 'This page goes on by itself as soon as the studio is back. If ' +
                'the command prints another address, open that one.'));
        document.body.append(this.element);
    }

    follow(state) {
        clearTimeout(this.#timer);
        if (state !== 'lost') {
            this.element.hidden = state === 'open' || this.element.hidden;
            return;
        }
        const {reason} = this.studio.wire;
        if (reason === '' || reason === CLOSING) {
            this.#timer = setTimeout(() => this.#show(), this.element.hidden ? PATIENCE : 0);
        }
    }

    #show() {
        const paths = this.studio.slots.map(({path}) => path).filter((path) => path !== null);
        const {command = 'sinew studio'} = this.studio.welcome ?? {};
        this.text = startCommand(command, paths);
        // Lines are broken before options and files, not within them.
        setChildren(this.command, this.text.split(/(?<= )(?=--|\/)/)
            .map((part) => h('span', {}, part)));
        this.element.hidden = false;
    }

    async #copy() {
        try {
            await navigator.clipboard.writeText(this.text);
            this.copy.querySelector('span').textContent = 'Copied';
        } catch {
            getSelection().selectAllChildren(this.command);
        }
    }
}
