// SPDX-License-Identifier: Apache-2.0
//
// The controls over the picture: layers, colours, views, the legend, the state of the model, and
// the name of what the pointer is over.
import {h, setChildren} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {formatNumber} from '../core/numbers.js';
import {titleOf} from '../core/texts.js';
import {iconButton, menu} from '../core/widgets.js';
import {last} from '../document/pointer.js';
import {QUANTITIES, mapBytes} from './colormap.js';
import {heldMark} from './held-mark.js';
import {hasField} from './slice.js';
import {VIEW_ITEMS, cameraShortcuts} from './view-keys.js';

const LAYER_ROWS = [['skin', 'Skin'], ['muscle', 'Muscles'], ['bone', 'Bones'],
    ['tissue', 'Tissue'], ['driver', 'Driver meshes']];
const MODES = [['shown', 'eye', 'shown'], ['clear', 'eye-half', 'see-through'],
    ['hidden', 'eye-off', 'hidden']];
// Pixels of a half, and of the whole viewport, in which the layers would cover the character.
const NARROW = 480;
const NARROW_WHOLE = 540;

function buildingText({step, fraction}) {
    const percent = fraction > 0 && fraction < 1 ? ` ${Math.round(100 * fraction)} %` : '';
    return (step ?? 'Preparing the character') + percent;
}

function computingText({frame, of}) {
    return `Computing frame ${frame} of ${of}`;
}

export class Hud {
    #studio;
    #viewport;
    #halves = false;
    #foldedForHalves = false;
    #foldedAtFirst = false;
    #onClose;
    #copied = null; // revision of a copy beside, as it was made

    constructor(studio, viewport, {onClose}) {
        this.#studio = studio;
        this.#onClose = onClose;
        this.#viewport = viewport;
        this.legend = h('div', {class: 'legend glass', hidden: true, dataset: {testid: 'legend'}});
        this.name = h('div', {class: 'hover-name glass', hidden: true,
            dataset: {testid: 'hover-name'}});
        this.state = h('div', {class: 'model-state', role: 'status',
            dataset: {testid: 'model-state'}});
        this.labels = h('div', {class: 'slot-labels', hidden: true});
        this.only = h('button', {type: 'button', class: 'only-pill glass', hidden: true,
            title: 'Show everything again (/)', onclick: () => viewport.toggleIsolation()});
        viewport.element.append(this.#layerPanel(), this.#viewButtons(), this.legend, this.state,
            this.labels, this.only, heldMark(studio), this.name);
        studio.on('layers', () => this.#showLayers());
        studio.on('geometry', () => this.#showLayers());
        studio.on('model', () => {
            this.#showLayers();
            this.#showState();
            this.#foldAtFirst();
        });
        studio.on('quantity', () => this.#showLayers());
        studio.on('slice', () => this.#showLayers());
        studio.on('document', () => {
            this.#showState();
            this.#showLabels();
        });
        studio.on('slot', () => {
            this.#showLayers();
            this.#showState();
        });
        studio.on('building', () => this.#showState());
        this.#addShortcuts();
        this.#showLayers();
    }

    /** The name of what is under the pointer; null: nothing. */
    showName(text, {x, y} = {}) {
        this.name.hidden = text === null;
        if (text !== null) {
            this.name.textContent = text;
            const right = Math.min(x + 14, this.#viewport.width - this.name.offsetWidth - 6);
            this.name.style.left = `${right}px`;
            this.name.style.top = `${Math.min(y + 16, this.#viewport.height - 30)}px`;
        }
    }

    /** @param {{title, unit, map, range}|null} mapping */
    showLegend(mapping) {
        this.legend.hidden = mapping === null;
        if (mapping === null) {
            return;
        }
        const title = h('div', {class: 'legend-title'}, mapping.title,
            h('span', {class: 'unit'}, mapping.unit));
        if (mapping.missing) {
            setChildren(this.legend, title, h('div', {class: 'help'}, mapping.of === 'muscle'
                ? 'Show the muscles to see these colours.'
                : 'Nothing that is shown has this value.'));
            return;
        }
        if (mapping.categories) {
            setChildren(this.legend, title, componentList(mapping.components));
            return;
        }
        const [low, high] = mapping.range.map((each) => each * (mapping.scale ?? 1));
        const steps = Array.from({length: 17}, (_, i) => mapBytes(mapping.map, i / 16));
        const colors = steps.map(([r, g, b]) => `rgb(${r} ${g} ${b})`).join(', ');
        const ticks = [0, 0.25, 0.5, 0.75, 1].map((t) => low + t * (high - low));
        setChildren(this.legend, title,
            h('div', {class: 'legend-bar',
                style: {background: `linear-gradient(to right, ${colors})`}}),
            h('div', {class: 'legend-ticks'},
                ticks.map((each) => h('span', {}, formatNumber(each, high - low < 10 ? 2 : 1)))));
    }

    #layerPanel() {
        this.rows = new Map(LAYER_ROWS.map(([name, title]) => [name, layerRow(name, title,
            (mode) => this.#viewport.setLayer(name, mode))]));
        this.color = h('select', {'aria-label': 'Colour by', onchange: () => this.#chooseColor()},
            h('option', {value: ''}, 'Material'),
            QUANTITIES.map((each) => h('option', {value: each.name}, each.title)));
        this.wire = iconButton({icon: 'wireframe', label: 'Wireframe', keys: 'Z', pressed: false,
            onClick: () => this.#viewport.setWireframe(!this.#viewport.wireframe)});
        this.materials = iconButton({icon: 'material', label: 'Materials', keys: 'Shift+Z',
            pressed: true, onClick: () => this.#viewport.setMaterials(!this.#viewport.materials)});
        const body = h('div', {class: 'layer-body'},
            [...this.rows.values()].map(({element}) => element),
            h('div', {class: 'layer-more'}, this.color, this.materials, this.wire));
        const fold = iconButton({icon: 'layers', label: 'Layers and colours',
            onClick: () => this.fold(!this.folded)});
        this.fold = (folded) => {
            this.folded = folded;
            body.hidden = folded;
            fold.setAttribute('aria-expanded', String(!folded));
        };
        this.fold(false);
        return h('section', {class: 'layer-panel glass', 'aria-label': 'Layers'}, fold, body);
    }

    #viewButtons() {
        const views = iconButton({icon: 'views', label: 'Views',
            onClick: () => menu(this.#viewItems(), views)});
        views.setAttribute('aria-haspopup', 'menu');
        this.compare = iconButton({icon: 'compare', label: 'Side by side', pressed: false,
            onClick: () => this.#toggleCompare()});
        this.slice = iconButton({icon: 'slice', label: 'Field slice', pressed: false,
            onClick: () => this.#toggleSlice()});
        return h('div', {class: 'view-buttons glass', role: 'toolbar', 'aria-label': 'View'},
            this.slice, this.compare, views,
            iconButton({icon: 'frame', label: 'Frame all', keys: 'Home',
                onClick: () => this.#viewport.frameAll()}),
            iconButton({icon: 'search', label: 'Frame selection', keys: '.',
                onClick: () => this.#viewport.frameSelection()}));
    }

    #viewItems() {
        const viewport = this.#viewport;
        const {orthographic} = viewport.orbit;
        const choice = (label, wanted) => ({label, keys: 'Numpad5',
            checked: orthographic === wanted, run: () => viewport.setOrthographic(wanted)});
        return [...VIEW_ITEMS.map(([name, label, [keys]]) => ({label, keys,
            run: () => viewport.setView(name)})), 'separator',
        choice('Perspective', false), choice('Orthographic', true)];
    }

    #chooseColor() {
        const name = this.color.value;
        this.#viewport.setQuantity(name === '' ? null : {name});
    }

    // Off where it is shown, from whatever tool; else its tool shows it.
    #toggleSlice() {
        if (this.#viewport.slice.plane !== null) {
            this.#viewport.slice.set(null);
            if (this.#studio.tool?.id === 'slice') {
                this.#studio.setTool('select');
            }
        } else {
            this.#studio.setTool('slice');
        }
    }

    async #toggleCompare() {
        const on = !this.#viewport.compare;
        if (on && this.#wantsCopy()) {
            await this.#studio.call('compare');
            this.#copied = this.#studio.slots[1].revision;
        }
        this.#viewport.setCompare(on);
    }

    // Where halves are narrow the layers would cover the left character.
    #makeRoom(halves) {
        if (halves === this.#halves) {
            return;
        }
        this.#halves = halves;
        if (halves && this.#viewport.width / 2 < NARROW && !this.folded) {
            this.fold(true);
            this.#foldedForHalves = true;
        } else if (!halves && this.#foldedForHalves) {
            this.fold(false);
            this.#foldedForHalves = false;
        }
    }

    // Once, when the first character comes: later the user has decided.
    #foldAtFirst() {
        if (!this.#foldedAtFirst && this.#viewport.width < NARROW_WHOLE) {
            this.fold(true);
        }
        this.#foldedAtFirst = true;
    }

    // A copy that nobody has changed is made anew, as the character is now; work stays.
    #wantsCopy() {
        const {slots} = this.#studio;
        const {path, revision} = slots[1];
        return slots.some(({document}) => document === null) ||
            (path === null && revision === this.#copied);
    }

    #showLayers() {
        const {layers, wireframe, materials, compare, quantity} = this.#viewport;
        const surfaces = this.#studio.slots.flatMap((slot) => slot.model?.surfaces ?? []);
        for (const [name, row] of this.rows) {
            row.set(layers[name].mode, surfaces.some((each) => each.viewLayer === name));
        }
        this.wire.setAttribute('aria-pressed', String(wireframe));
        this.materials.setAttribute('aria-pressed', String(materials));
        this.materials.hidden = !surfaces.some((each) =>
            each.materials !== null || each.colors !== null);
        this.compare.setAttribute('aria-pressed', String(compare));
        this.slice.setAttribute('aria-pressed', String(this.#viewport.slice.plane !== null));
        this.slice.hidden = !this.#studio.slots.some(({model}) => hasField(model));
        this.color.value = quantity?.name ?? '';
        this.#showOnly(this.#viewport.isolation.path);
        this.#viewport.element.classList.toggle('empty', this.#studio.empty);
        this.#showLabels();
    }

    #showOnly(path) {
        this.only.hidden = path === null;
        setChildren(this.only, path !== null && [`Only ${last(path)}`, icon('close')]);
    }

    // Which character is on which side.
    #showLabels() {
        const shown = this.#viewport.shownSlots;
        const two = shown.length > 1;
        if (two === this.labels.hidden) {
            this.labels.hidden = !two;
            this.#makeRoom(two);
        }
        this.#viewport.element.classList.toggle('halves', two);
        const {slots} = this.#studio;
        setChildren(this.labels, shown.map((index) => {
            const slot = slots[index];
            const copied = index > 0 && slot.name === slots[0].name &&
                (slot.path === null || slot.path === slots[0].path);
            const title = titleOf(copied ? slots[0] : slot).replace(/\.sinew\.json$/, '');
            const name = `${title}${copied ? ' (copy)' : ''}`;
            return h('div', {class: 'slot-label', role: 'group', 'aria-label': name},
                h('button', {type: 'button', class: 'glass',
                    'aria-pressed': index === this.#studio.activeIndex,
                    title: 'Edit this character',
                    onclick: () => this.#studio.setActive(index)},
                name),
                iconButton({icon: 'close', label: `Close ${name}`,
                    onClick: () => this.#onClose(slot)}));
        }));
    }

    #showState() {
        const {building, computing, error} = this.#studio.active;
        const busy = building !== null || computing !== null;
        setChildren(this.state,
            busy && h('span', {class: 'state-pill glass'}, h('span', {class: 'spinner'}),
                building === null ? computingText(computing) : buildingText(building)),
            error !== null && !busy && h('button', {type: 'button', class: 'state-pill glass error',
                title: 'Select the cause', onclick: () => this.#selectPlace(error.place)},
            icon('warning'), h('span', {}, error.text)));
    }

    #selectPlace(place) {
        const [, section, name] = (place ?? '').split('/');
        if (name !== undefined) {
            this.#studio.select(`/${section}/${name}`);
        }
    }

    #addShortcuts() {
        const viewport = this.#viewport;
        const {shortcuts} = this.#studio;
        const add = (keys, title, run) => shortcuts.add({keys, title, group: 'View', run});
        cameraShortcuts(viewport).forEach((each) => shortcuts.add({...each, group: 'View'}));
        add('Home', 'Frame all', () => viewport.frameAll());
        add(['.', 'NumpadDecimal'], 'Frame selection', () => viewport.frameSelection());
        add('Z', 'Wireframe', () => viewport.setWireframe(!viewport.wireframe));
        add('Shift+Z', 'Materials', () => viewport.setMaterials(!viewport.materials));
        add('Alt+Z', 'See-through skin', () => viewport.setLayer('skin',
            viewport.layers.skin.mode === 'clear' ? 'shown' : 'clear'));
        add(['NumpadDivide', '/'], 'Isolate the selection, or show everything again',
            () => viewport.toggleIsolation());
        add('H', 'Hide the layer of the selection', () => viewport.hideSelected());
        add('Alt+H', 'Show skin, muscles and bones', () => viewport.showAll());
        ['skin', 'muscle', 'bone', 'tissue', 'driver'].forEach((name, i) => add(`Alt+${i + 1}`,
            `${LAYER_ROWS[i][1]}: shown, see-through, hidden`, () => viewport.cycleLayer(name)));
    }
}

function componentList(components) {
    return h('ul', {class: 'legend-list', tabindex: 0, 'aria-label': 'Components'},
        components.map(({name, color}) => h('li', {},
            h('span', {class: 'legend-swatch', style: {background: color}}),
            h('span', {class: 'legend-name', title: name}, name))));
}

function layerRow(name, title, onChoose) {
    const buttons = MODES.map(([mode, image, label]) => h('button', {type: 'button',
        class: 'icon-button', role: 'radio', 'aria-label': `${title}: ${label}`,
        title: `${title}: ${label}`, 'aria-checked': 'false', dataset: {mode},
        onclick: () => onChoose(mode)}, icon(image)));
    const element = h('div', {class: 'layer-row', role: 'radiogroup', 'aria-label': title,
        dataset: {layer: name}}, h('span', {class: 'layer-name'}, title), buttons);
    element.addEventListener('keydown', (event) => stepRadio(event, buttons));
    return {element, set(mode, present) {
        element.hidden = !present;
        buttons.forEach((each) => {
            each.setAttribute('aria-checked', String(each.dataset.mode === mode));
            each.tabIndex = each.dataset.mode === mode ? 0 : -1;
        });
    }};
}

/** Arrow keys choose among radio buttons, of which one is in the order of Tab. */
function stepRadio(event, buttons) {
    const step = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step !== undefined) {
        const at = buttons.indexOf(document.activeElement);
        const next = buttons[(at + step + buttons.length) % buttons.length];
        next.click();
        next.focus();
        event.preventDefault();
    }
}
