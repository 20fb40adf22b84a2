// SPDX-License-Identifier: Apache-2.0
//
// The window that chooses a file or a folder of the machine that the studio runs on. It lists what
// the server's `files` tells; the arrow keys walk through the list, Enter opens, Backspace goes up.
import {h, setChildren} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {choiceField, confirmDialog, dialog, searchField, textField} from '../core/widgets.js';
import {
    baseName,
    crumbs,
    folderOf,
    joinPath,
    nameProblem,
    pastedPath,
    sizeText,
    visibleEntries,
    whenText,
    withEnding,
} from './paths.js';

const ICONS = {folder: 'folder', document: 'file', model: 'skin', motion: 'play', other: 'file'};
const LAST_FOLDER = 'sinew-studio-folder';

/**
 * @param {{title, action, filters: {label, kinds?, endings?}[], save?: boolean, name?: string,
 *     folder?: string, wantFolder?: boolean}} options filters: what the list shows, the first at
 *     first; save: a new name can be given; wantFolder: a folder is chosen, not a file
 * @returns {Promise<{path: string, replace: boolean}|null>} null: cancelled
 */
export function chooseFile(studio, options) {
    return new Promise((resolve) => new Browser(studio, options, resolve).open());
}

class Browser {
    constructor(studio, options, resolve) {
        this.studio = studio;
        this.options = options;
        this.resolve = resolve;
        this.result = null;
        this.entries = [];
        this.shown = [];
        this.at = -1;
        this.text = '';
        this.filter = options.filters[0];
    }

    open() {
        this.#build();
        this.window = dialog({
            title: this.options.title,
            wide: true,
            body: this.body,
            onClose: () => this.resolve(this.result),
            actions: [
                {label: 'Cancel'},
                {label: this.options.action, primary: true, run: () => this.#confirm()},
            ],
        });
        this.#goTo(this.options.folder ?? this.#remembered() ?? null);
        (this.options.save ? this.name.control : this.list).focus();
        this.name.control.select();
    }

    #remembered() {
        return localStorage.getItem(LAST_FOLDER);
    }

    #build() {
        this.path = h('nav', {class: 'file-path', 'aria-label': 'Folder'});
        this.list = h('div', {
            class: 'file-list',
            role: 'listbox',
            tabindex: 0,
            'aria-label': 'Files',
            onkeydown: (event) => this.#key(event),
        });
        this.problem = h('p', {class: 'problem', role: 'alert'});
        const {filters, save, name, wantFolder} = this.options;
        this.name = save ? textField({label: 'Name', value: name ?? ''})
            : textField({label: wantFolder ? 'Folder' : 'File', placeholder: 'A name, or paste a path'});
        this.name.control.addEventListener('keydown', (event) => {
            if (event.key === 'Enter') {
                event.preventDefault();
                this.#finish();
            }
        });
        this.search = searchField({
            label: 'Find in this folder',
            placeholder: 'Find in this folder',
            onInput: (text) => this.#search(text),
        });
        const kinds =
            filters.length > 1 &&
            choiceField({
                label: 'Show',
                value: filters[0].label,
                choices: filters.map((each) => each.label),
                onDone: (label) => this.#setFilter(label),
            });
        this.body = h(
            'div',
            {class: 'file-browser', onpaste: (event) => this.#paste(event)},
            h('div', {class: 'file-places'}, h('h3', {}, 'Places'), this.#places(),
                h('p', {class: 'help'}, 'For other folders, start the studio with ',
                    h('code', {}, '--root FOLDER'), '.')),
            h(
                'div',
                {class: 'file-main'},
                this.path,
                h('div', {class: 'file-find'}, this.search, kinds),
                this.list,
                this.name,
                this.problem
            )
        );
    }

    #places() {
        const roots = this.studio.welcome?.roots ?? [];
        return roots.map((root) =>
            h(
                'button',
                {type: 'button', class: 'quiet', title: root, onclick: () => this.#goTo(root)},
                icon('folder'),
                h('span', {}, baseName(root) || root)
            )
        );
    }

    // Pasted where nothing takes texts: a path, most likely.
    #paste(event) {
        const text = event.clipboardData.getData('text');
        if (!event.target.closest('input') && text !== '') {
            event.preventDefault();
            this.#setName(text.trim());
            this.name.control.focus();
        }
    }

    async #goTo(folder) {
        await this.#list(folder === null ? {} : {folder}, folder);
        if (!this.options.save) {
            this.#setName('');
        }
    }

    /** Shows a folder, or that of a file. @returns {Promise<object|null>} what the server says */
    async #list(request, folder) {
        try {
            const answer = await this.studio.wire.call('files', request);
            this.folder = answer.folder;
            this.parent = answer.parent ?? null;
            this.entries = answer.entries;
            this.more = answer.more ?? 0;
            localStorage.setItem(LAST_FOLDER, this.folder);
            this.problem.textContent = '';
            this.#showPath();
            this.search.set('');
            this.#search('');
            return answer;
        } catch (error) {
            this.#failed(error, folder);
            return null;
        }
    }

    // A remembered folder may be gone or out of reach: then the first place is shown instead.
    #failed(error, folder) {
        if (this.folder === undefined && folder !== null) {
            localStorage.removeItem(LAST_FOLDER);
            this.#goTo(null);
        } else {
            this.#tell(error.text ?? error.message);
        }
    }

    #showPath() {
        setChildren(
            this.path,
            crumbs(this.folder, this.studio.welcome?.roots).map(({name, path}) =>
                h(
                    'button',
                    {
                        type: 'button',
                        class: 'quiet',
                        dataset: path === '/' ? {root: ''} : {},
                        'aria-current': path === this.folder ? 'location' : null,
                        onclick: () => this.#goTo(path),
                    },
                    name
                )
            )
        );
        this.path.scrollLeft = this.path.scrollWidth;
    }

    #setFilter(label) {
        this.filter = this.options.filters.find((each) => each.label === label);
        this.#search(this.text);
    }

    #search(text) {
        this.text = text;
        const {kinds = null, endings = null} = this.filter;
        this.shown = visibleEntries(this.entries, {kinds, endings, text});
        if (this.options.wantFolder) {
            this.shown = this.shown.filter((each) => each.kind === 'folder');
        }
        setChildren(
            this.list,
            this.shown.map((entry, i) => this.#row(entry, i))
        );
        if (this.shown.length === 0) {
            this.list.append(
                h(
                    'p',
                    {class: 'file-none'},
                    text
                        ? 'No file or folder here has this name.'
                        : 'This folder has no files of this kind.'
                )
            );
        }
        if (this.more > 0) {
            this.list.append(h('p', {class: 'file-none'}, `${this.more} more are not shown.`));
        }
        this.#moveTo(this.shown.length > 0 ? 0 : -1, false);
    }

    #row(entry, i) {
        return h(
            'div',
            {
                class: 'file-row',
                role: 'option',
                id: `file-row-${i}`,
                dataset: {name: entry.name},
                'aria-selected': 'false',
                onclick: () => this.#moveTo(i),
                ondblclick: () => this.#openEntry(entry),
            },
            icon(ICONS[entry.kind] ?? 'file'),
            h('span', {class: 'file-name'}, entry.name, entry.anatomy && ' (bones and muscles)'),
            h('span', {class: 'file-size'}, entry.kind === 'folder' ? '' : sizeText(entry.size)),
            h('span', {class: 'file-when'}, entry.when ? whenText(entry.when) : '')
        );
    }

    #moveTo(index, byUser = true) {
        this.list.children[this.at]?.setAttribute('aria-selected', 'false');
        this.at = index;
        this.chosen = byUser;
        const row = index >= 0 ? this.list.children[index] : null;
        row?.setAttribute('aria-selected', 'true');
        row?.scrollIntoView({block: 'nearest'});
        this.list.setAttribute('aria-activedescendant', row?.id ?? '');
        const entry = this.shown[index];
        if (byUser && entry && (entry.kind !== 'folder' || !this.options.save)) {
            this.#setName(entry.kind === 'folder' ? '' : entry.name);
        }
    }

    #key(event) {
        const last = this.shown.length - 1;
        const to = {
            ArrowDown: this.at + 1,
            ArrowUp: this.at - 1,
            Home: 0,
            End: last,
            PageDown: this.at + 10,
            PageUp: this.at - 10,
        }[event.key];
        if (to !== undefined) {
            this.#moveTo(Math.min(Math.max(to, 0), last));
        } else if (event.key === 'Enter' && this.at >= 0) {
            this.#openEntry(this.shown[this.at]);
        } else if (event.key === 'Backspace' && this.parent !== null) {
            this.#goTo(this.parent);
        } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.altKey) {
            this.search.focus();
            return;
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    async #openEntry(entry) {
        if (entry.kind === 'folder') {
            await this.#goTo(joinPath(this.folder, entry.name));
            this.list.focus();
        } else {
            await this.#finish();
        }
    }

    async #finish() {
        if ((await this.#confirm()) !== false) {
            this.window.close();
        }
    }

    /** @returns {Promise<boolean|undefined>} false keeps the window open */
    async #confirm() {
        const path = pastedPath(this.name.value, this.folder);
        if (path !== null) {
            return this.options.save ? this.#savePath(path) : this.#openPath(path);
        }
        const typed = this.name.value.trim();
        const named = this.entries.find((each) => each.name === typed);
        if (typed !== '' && named === undefined && !this.options.save) {
            this.#tell(`There is no "${typed}" in this folder.`);
            return false;
        }
        const entry = named ?? this.shown[this.at];
        if (this.options.wantFolder) {
            const inside = (named || this.chosen) && entry?.kind === 'folder';
            this.result = {
                path: inside ? joinPath(this.folder, entry.name) : this.folder,
                replace: false,
            };
            return undefined;
        }
        if (this.options.save) {
            return this.#confirmName();
        }
        if (entry === undefined || entry.kind === 'folder') {
            entry ? this.#openEntry(entry) : this.#tell('Choose a file first.');
            return false;
        }
        this.result = {path: joinPath(this.folder, entry.name), replace: false};
        return undefined;
    }

    // A file ends the window, a folder is shown, or taken where one is wanted.
    async #openPath(path) {
        const answer = await this.#list({path}, path);
        const {wantFolder} = this.options;
        if (answer === null || (answer.file === null && !wantFolder)) {
            if (answer !== null) {
                this.#setName('');
                this.list.focus();
            }
            return false;
        }
        if (answer.file !== null && wantFolder) {
            this.#tell(`"${answer.file}" is a file.`);
            return false;
        }
        this.result = {
            path: answer.file === null ? answer.folder : joinPath(answer.folder, answer.file),
            replace: false,
        };
        return undefined;
    }

    // The last part of the path is the name of the new file.
    async #savePath(path) {
        if ((await this.#list({path: folderOf(path)}, path)) === null) {
            return false;
        }
        this.#setName(path.endsWith('/') ? '' : baseName(path));
        return this.#confirmName();
    }

    async #confirmName() {
        const name = withEnding(this.name.value.trim(), this.filter.endings ?? []);
        const problem = nameProblem(this.name.value);
        if (problem !== null) {
            this.#tell(problem);
            return false;
        }
        const there = this.entries.find((each) => each.name === name);
        if (there?.kind === 'folder') {
            this.#tell(`"${name}" is a folder.`);
            return false;
        }
        if (there && !(await this.#mayReplace(name))) {
            return false;
        }
        this.result = {path: joinPath(this.folder, name), replace: there !== undefined};
        return undefined;
    }

    // Also while it has the focus, when a field keeps what is being typed.
    #setName(text) {
        this.name.set(text);
        this.name.control.value = text;
    }

    #mayReplace(name) {
        return confirmDialog({
            title: 'Replace the file?',
            danger: true,
            action: 'Replace',
            text: `"${name}" exists already. Replacing it cannot be undone.`,
        });
    }

    #tell(text) {
        this.problem.textContent = text;
    }
}

/** Where a dialog about a character should begin: beside its file. */
export function folderOfSlot(slot) {
    return slot.path ? folderOf(slot.path) : undefined;
}
