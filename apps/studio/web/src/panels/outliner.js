// SPDX-License-Identifier: Apache-2.0
//
// Everything of the document as a tree: searched, folded, selected, renamed, added to.
import {h} from '../core/dom.js';
import {iconButton, menu, searchField} from '../core/widgets.js';
import {makeItems} from '../make/index.js';
import {entryFor, outline, search, unfolded} from './logic/outline.js';
import {addItems, itemActions, itemMenu, toggleShown} from './outliner-actions.js';
import {manyActions, manyMenu} from './outliner-many.js';
import {rowElement} from './outliner-row.js';
import {VirtualList} from './virtual-list.js';

const ROW_HEIGHT = 24; // pixels, as in panels.css
const FOLDED_AT_FIRST = ['/skeleton', '/meshes', '/bones', '/tissues', '/landmarks'];

class Outliner {
    constructor(element, studio) {
        this.studio = studio;
        this.query = '';
        this.folded = new Set(FOLDED_AT_FIRST);
        this.cursor = '';
        this.rows = [];
        this.document = undefined;
        this.tree = h('div', {
            class: 'outliner-tree',
            role: 'tree',
            'aria-multiselectable': 'true',
            tabindex: 0,
            'aria-label': 'Document',
            onkeydown: (event) => this.keyDown(event),
            onclick: (event) => this.clicked(event),
            ondblclick: (event) => this.doubleClicked(event),
            oncontextmenu: (event) => this.contextMenu(event)
        });
        element.classList.add('outliner');
        element.append(this.header(), this.tree);
        this.list = new VirtualList(this.tree, {
            rowHeight: ROW_HEIGHT,
            draw: (row) => rowElement(row, this.stateOf(row)),
            look: (row) => JSON.stringify([row, this.stateOf(row)]),
            whole: true
        });
        this.listen();
        this.update();
    }

    header() {
        const field = searchField({
            label: 'Search the document',
            placeholder: 'Name, kind or about',
            onInput: (text) => {
                this.query = text;
                this.update(true);
            }
        });
        field.control.addEventListener('keydown', (event) => {
            if (event.key === 'ArrowDown' || event.key === 'Enter') {
                this.tree.focus();
                this.moveTo(this.firstFind());
                event.preventDefault();
            }
        });
        const add = iconButton({
            icon: 'add',
            label: 'Add to the document',
            testid: 'outliner-add',
            onClick: () =>
                menu([...makeItems(this.studio), 'separator', ...addItems(this.studio)], add)
        });
        return h('div', {class: 'outliner-header'}, field, add);
    }

    listen() {
        const {studio} = this;
        studio.on('document', (slot) => slot === studio.active && this.update());
        studio.on('slot', () => this.update());
        studio.on('selection', () => this.selectionChanged());
    }

    /**
     * The selected entry as the outliner knows it: what is repeated is the entry that stands for
     * it.
     */
    get selected() {
        const path = this.studio.selection?.path;
        return path === undefined ? null : entryFor(this.studio.active.document, path);
    }

    update(force = false) {
        const {document} = this.studio.active;
        if (document === this.document && !force) {
            return;
        }
        if (document !== this.document) {
            this.document = document;
            this.all = outline(document);
        }
        this.selectedRows = new Set(this.studio.selectedPaths
            .map((path) => entryFor(document, path)));
        const found = search(this.all, this.query);
        this.rows = this.query.trim() ? found : unfolded(found, this.folded);
        this.list.setRows(this.rows);
        this.markCursor();
    }

    stateOf(row) {
        return {
            folded: this.folded.has(row.path) && !this.query.trim(),
            selected: this.selectedRows.has(row.path),
            current: row.path === this.cursor,
            query: this.query
        };
    }

    selectionChanged() {
        const path = this.selected;
        if (path !== null) {
            this.unfoldTo(path);
            this.cursor = path;
        }
        this.update(true);
        this.revealCursor();
    }

    unfoldTo(path) {
        const above = this.all.filter((row) => row.count > 0 && path.startsWith(`${row.path}/`));
        above.forEach((row) => this.folded.delete(row.path));
    }

    revealCursor() {
        const index = this.rows.findIndex((row) => row.path === this.cursor);
        if (index >= 0) {
            this.list.reveal(index);
        }
        this.markCursor();
    }

    markCursor() {
        const current = this.tree.querySelector('.outliner-row.current');
        if (current) {
            this.tree.setAttribute('aria-activedescendant', current.id);
        } else {
            this.tree.removeAttribute('aria-activedescendant');
        }
    }

    rowOf(event) {
        const path = event.target.closest?.('.outliner-row')?.dataset.path;
        return path === undefined ? undefined : this.rows.find((row) => row.path === path);
    }

    clicked(event) {
        const row = this.rowOf(event);
        if (row === undefined) {
            return;
        }
        this.tree.focus();
        if (event.target.closest('[data-part=fold]')) {
            this.fold(row, !this.folded.has(row.path));
        } else if (event.target.closest('[data-part=eye]')) {
            toggleShown(this.studio, row);
        } else if (event.shiftKey) {
            this.extendTo(row);
        } else if (event.ctrlKey || event.metaKey) {
            this.toggle(row);
        } else {
            this.moveTo(row);
        }
    }

    /** Rows of entries that are selected, in their order; sections and the character are none. */
    get chosen() {
        return this.rows.filter((row) => row.level >= 3 && this.selectedRows.has(row.path));
    }

    /** Adds a row to what is selected, or takes it away. */
    toggle(row) {
        const others = this.chosen.map(({path}) => path).filter((path) => path !== row.path);
        const paths = this.selectedRows.has(row.path) || row.level < 3 ? others
            : [...others, row.path];
        this.anchor = row.path;
        this.cursor = row.path;
        this.studio.select(paths.at(-1) ?? null, null, paths.slice(0, -1));
    }

    /** Selects all from the row that was clicked last up to another one. */
    extendTo(row) {
        const at = (path) => this.rows.findIndex((each) => each.path === path);
        const from = Math.max(0, at(this.anchor ?? this.selected ?? row.path));
        const [low, high] = [from, at(row.path)].sort((a, b) => a - b);
        const paths = this.rows.slice(low, high + 1).filter(({level}) => level >= 3)
            .map(({path}) => path).filter((path) => path !== row.path);
        this.cursor = row.path;
        this.studio.select(row.path, null, row.level >= 3 ? paths : []);
    }

    doubleClicked(event) {
        const row = this.rowOf(event);
        if (row?.level >= 3) {
            itemActions(this.studio, row)
                .find((action) => action.id === 'frame')
                ?.run();
        } else if (row && row.level === 2) {
            this.fold(row, !this.folded.has(row.path));
        }
    }

    contextMenu(event) {
        const row = this.rowOf(event);
        if (row) {
            event.preventDefault();
            if (!this.selectedRows.has(row.path)) {
                this.moveTo(row);
            }
            menu(this.menuOf(row), {x: event.clientX, y: event.clientY});
        }
    }

    menuOf(row) {
        const {chosen} = this;
        return chosen.length > 1 ? manyMenu(this.studio, chosen) : itemMenu(this.studio, row);
    }

    fold(row, folded) {
        this.folded[folded ? 'add' : 'delete'](row.path);
        this.update(true);
    }

    /** Makes a row the current and selected one. */
    moveTo(row) {
        if (row === undefined) {
            return;
        }
        this.cursor = row.path;
        this.anchor = row.path;
        if (this.selected === row.path && this.studio.alsoSelected.length === 0) {
            this.revealCursor();
        } else {
            this.studio.select(row.path);
        }
    }

    firstFind() {
        return this.rows.find((row) => row.level >= 3) ?? this.rows[0];
    }

    keyDown(event) {
        const index = this.rows.findIndex((row) => row.path === this.cursor);
        const row = this.rows[index] ?? this.rows[0];
        if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (this.navigate(event, row, index) || this.act(event, row)) {
            event.preventDefault();
            event.stopPropagation();
        }
    }

    navigate(event, row, index) {
        const page = Math.max(1, Math.floor(this.tree.clientHeight / ROW_HEIGHT) - 1);
        const last = this.rows.length - 1;
        const target = {
            ArrowDown: index + 1,
            ArrowUp: index - 1,
            PageDown: index + page,
            PageUp: index - page,
            Home: 0,
            End: last
        }[event.key];
        if (target !== undefined) {
            const to = this.rows[Math.min(Math.max(target, 0), last)];
            event.shiftKey ? this.extendTo(to) : this.moveTo(to);
            return true;
        }
        return this.foldByKey(event, row, index);
    }

    foldByKey(event, row, index) {
        const open = row.count > 0 && !this.folded.has(row.path);
        if (event.key === 'ArrowRight') {
            if (row.count > 0 && !open) {
                this.fold(row, false);
            } else if (open) {
                this.moveTo(this.rows[index + 1]);
            }
            return true;
        }
        if (event.key === 'ArrowLeft') {
            if (open) {
                this.fold(row, true);
            } else {
                this.moveTo(this.rows.slice(0, index).findLast((each) => each.level < row.level));
            }
            return true;
        }
        return false;
    }

    act(event, row) {
        if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
            const anchor = this.tree.querySelector('.outliner-row.current') ?? this.tree;
            menu(this.menuOf(row), anchor);
            return true;
        }
        const {chosen} = this;
        if (chosen.length > 1) {
            const action = manyActions(this.studio, chosen).find((each) => each.matches?.(event));
            action?.run();
            return action !== undefined;
        }
        if (event.key === ' ' && row.shown !== null) {
            toggleShown(this.studio, row);
            return true;
        }
        const action = itemActions(this.studio, row).find((each) => each.matches?.(event));
        action?.run();
        return action !== undefined;
    }
}

export default {
    id: 'outliner',
    title: 'Outliner',
    icon: 'layers',
    place: 'left',
    mount(element, studio) {
        return new Outliner(element, studio);
    }
};
