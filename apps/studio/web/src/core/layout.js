// SPDX-License-Identifier: Apache-2.0
//
// The page's places: a bar at the top, panels left, right and below, the viewport between them.
// Borders can be dragged; what the user chose is kept for the next time.
import {h, setChildren} from './dom.js';
import {icon} from './icons.js';
import {titleOf} from './texts.js';
import {iconButton, tabs} from './widgets.js';

const KEY = 'sinew-studio-layout';
const LIMITS = {left: [160, 480], right: [220, 560], bottom: [64, 520]};

export class Layout {
    #studio;
    #sizes = readSizes();
    #tabs = {};
    #edges = {};
    #own = new Set(); // panels that keep a size of their own

    constructor(studio) {
        this.#studio = studio;
        this.bar = h('div', {class: 'bar-start'});
        this.history = h('div', {class: 'bar-group', role: 'group', 'aria-label': 'History'});
        this.tools = h('div', {class: 'bar-group tools', role: 'toolbar', 'aria-label': 'Tools'});
        this.barEnd = h('div', {class: 'bar-end'});
        this.title = h('div', {class: 'document-title', dataset: {testid: 'document-title'}});
        this.viewport = h('main', {class: 'viewport', 'aria-label': 'Viewport'});
        this.pages = h('div', {class: 'pages'});
        this.places = {};
        this.mounted = new Map(); // what panels have made, by their ids
        this.element = h('div', {class: 'studio'},
            h('header', {class: 'top-bar'}, this.bar, this.history, this.tools, this.title,
                this.barEnd),
            this.#place('left', 'Outliner'), this.viewport, this.#place('right', 'Properties'),
            this.#place('bottom', 'Timeline'), this.pages);
        document.body.append(this.element);
        this.#applySizes();
    }

    /** Mounts panels where they say; a panel gets an element of its own. */
    mount(panels) {
        for (const panel of panels) {
            const element = h('div', {class: `panel panel-${panel.id}`,
                dataset: {panel: panel.id}});
            if (panel.place === 'bar') {
                this.bar.append(element);
            } else if (panel.place === 'page') {
                this.pages.append(element);
            } else {
                this.addTab(panel.place, panel, element);
            }
            this.mounted.set(panel.id, panel.mount(element, this.#studio));
        }
    }

    /** @param {number} least pixels that the panel needs: it then keeps a size of its own */
    addTab(place, {id, title, icon: name, least}, element) {
        if (least !== undefined) {
            this.#own.add(id);
            this.#sizes[id] ??= Math.max(least, this.#sizes[place]);
        }
        this.#tabs[place].add({id, title, icon: name, element});
        this.places[place].hidden = false;
        this.#applySizes();
    }

    /** Brings a panel to the front. */
    show(id) {
        this.#tabsOf(id)?.show(id);
    }

    /** A panel that has nothing to show has no tab. */
    setHidden(id, hidden) {
        this.#tabsOf(id)?.setHidden(id, hidden);
    }

    #tabsOf(id) {
        return Object.values(this.#tabs).find((each) =>
            each.list.querySelector(`[data-tab="${CSS.escape(id)}"]`) !== null);
    }

    /** While a page lies over viewport and panels, keys and readers pass them by. */
    setCovered(covered) {
        [this.viewport, ...Object.values(this.places)].forEach((each) => {
            each.inert = covered;
        });
    }

    #place(name, label) {
        this.#tabs[name] = tabs({label, onShow: () => this.#applySizes()});
        const edge = h('div', {class: `edge edge-${name}`, role: 'separator', tabindex: 0,
            'aria-label': `Size of the ${name} panel`,
            'aria-orientation': name === 'bottom' ? 'horizontal' : 'vertical',
            'aria-valuemin': LIMITS[name][0], 'aria-valuemax': LIMITS[name][1],
            onpointerdown: (event) => this.#drag(event, name),
            onkeydown: (event) => this.#stepSize(event, name)});
        this.places[name] = h(name === 'bottom' ? 'section' : 'aside',
            {class: `place place-${name}`, 'aria-label': label, hidden: true}, edge,
            this.#tabs[name]);
        this.#edges[name] = edge;
        return this.places[name];
    }

    #drag(event, name) {
        const edge = event.currentTarget;
        const start = {x: event.clientX, y: event.clientY, size: this.#sizes[this.#sizeKey(name)]};
        edge.setPointerCapture(event.pointerId);
        const move = ({clientX, clientY}) => {
            const delta = {left: clientX - start.x, right: start.x - clientX,
                bottom: start.y - clientY}[name];
            this.#setSize(name, start.size + delta);
        };
        edge.addEventListener('pointermove', move);
        edge.addEventListener('lostpointercapture', () => {
            edge.removeEventListener('pointermove', move);
            this.#keepSizes();
        }, {once: true});
    }

    #stepSize(event, name) {
        const grow = {left: 'ArrowRight', right: 'ArrowLeft', bottom: 'ArrowUp'}[name];
        const shrink = {left: 'ArrowLeft', right: 'ArrowRight', bottom: 'ArrowDown'}[name];
        if (event.key === grow || event.key === shrink) {
            const size = this.#sizes[this.#sizeKey(name)];
            this.#setSize(name, size + (event.key === grow ? 16 : -16));
            this.#keepSizes();
            event.preventDefault();
        }
    }

    #keepSizes() {
        localStorage.setItem(KEY, JSON.stringify(this.#sizes));
    }

    #setSize(name, size) {
        const [low, high] = LIMITS[name];
        this.#sizes[this.#sizeKey(name)] = Math.min(high, Math.max(low, size));
        this.#applySizes();
    }

    /** Under which name the size of a place is kept: that of the panel in front, or its own. */
    #sizeKey(name) {
        const {current} = this.#tabs[name];
        return this.#own.has(current) ? current : name;
    }

    #applySizes() {
        for (const name of Object.keys(LIMITS)) {
            const size = this.#sizes[this.#sizeKey(name)];
            const shown = this.places[name].hidden ? 0 : size;
            this.element.style.setProperty(`--${name}`, `${shown}px`);
            this.#edges[name].setAttribute('aria-valuenow', Math.round(size));
        }
    }
}

function readSizes() {
    const standard = innerWidth >= 1600 ? {left: 276, right: 364, bottom: 240}
        : {left: 228, right: 312, bottom: 168};
    try {
        return {...standard, ...JSON.parse(localStorage.getItem(KEY) ?? '{}')};
    } catch {
        return standard;
    }
}

/** Undo, redo, tool buttons, theme, the document's name: what the bar always has. */
export function fillBar(layout, studio) {
    fillHistory(layout, studio);
    fillTools(layout, studio);
    fillEnd(layout, studio);
    const showTitle = () => {
        const {document, path, dirty} = studio.active;
        const shown = document === null ? '' : titleOf(studio.active);
        setChildren(layout.title, h('span', {title: path ?? 'Not saved yet'}, shown),
            dirty && h('span', {class: 'unsaved', title: 'Not saved yet', role: 'img',
                'aria-label': 'not saved'}));
        window.document.title = shown ? `${dirty ? '* ' : ''}${shown} – sinew studio`
            : 'sinew studio';
    };
    studio.on('document', showTitle);
    studio.on('slot', showTitle);
}

function fillHistory(layout, studio) {
    const undo = iconButton({icon: 'undo', label: 'Undo', keys: 'Ctrl+Z',
        onClick: () => studio.undo()});
    const redo = iconButton({icon: 'redo', label: 'Redo', keys: 'Ctrl+Shift+Z',
        onClick: () => studio.redo()});
    const show = () => {
        const {undo: before, redo: after} = studio.active;
        undo.disabled = before === null;
        redo.disabled = after === null;
        undo.title = before ? `Undo: ${before.label}  (Ctrl+Z)` : 'Nothing to undo';
        redo.title = after ? `Redo: ${after.label}  (Ctrl+Shift+Z)` : 'Nothing to redo';
    };
    layout.history.append(undo, redo);
    studio.on('document', show);
    studio.on('slot', show);
    show();
    studio.shortcuts.add({keys: 'Ctrl+Z', title: 'Undo', group: 'Edit',
        run: () => studio.undo()});
    studio.shortcuts.add({keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], title: 'Redo', group: 'Edit',
        run: () => studio.redo()});
}

function fillTools(layout, studio) {
    const inBar = studio.toolbox.tools.filter((tool) => tool.inBar !== false);
    const buttons = new Map(inBar.map((tool) => [tool.id, iconButton({
        icon: tool.icon, label: tool.title, keys: tool.key, pressed: false,
        testid: `tool-${tool.id}`, onClick: () => studio.setTool(tool.id)})]));
    layout.tools.append(...buttons.values());
    const show = () => buttons.forEach((button, id) => {
        button.setAttribute('aria-pressed', String(id === studio.tool?.id));
        button.disabled = studio.active.document === null;
    });
    studio.on('tool', show);
    studio.on('slot', show);
    show();
}

function fillEnd(layout, studio) {
    const state = h('span', {class: 'connection', role: 'status', dataset: {testid: 'connection'}});
    const theme = iconButton({icon: 'moon', label: 'Light or dark theme',
        onClick: () => studio.theme.toggle()});
    layout.barEnd.append(state, theme);
    const showTheme = () => setChildren(theme, icon(studio.theme.name === 'dark' ? 'sun' : 'moon'));
    const showState = () => {
        const {reason} = studio.wire;
        state.textContent = {open: '',
            lost: `Connection lost${reason && ` (${reason})`}. Trying again…`,
            connecting: 'Connecting…'}[studio.connection];
        state.hidden = studio.connection === 'open';
    };
    studio.on('theme', showTheme);
    studio.on('connection', showState);
    showTheme();
    showState();
}
