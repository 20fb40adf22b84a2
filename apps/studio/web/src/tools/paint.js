// SPDX-License-Identifier: Apache-2.0
//
// Paint: weights of bones, weights of any deformer, and pins, with a brush on the skin.
import {h, setChildren} from '../core/dom.js';
import {button, choiceField, nameField} from '../core/widgets.js';
import {split} from '../document/pointer.js';
import {Brush} from './paint-brush.js';
import {brushFields} from './paint-panel.js';
import {BrushPointer} from './paint-pointer.js';
import {PaintSession} from './paint-session.js';
import {paintables, targetOf} from './paint-targets.js';

const brush = new Brush();

class PaintTool {
    id = 'paint';
    title = 'Paint';
    icon = 'paint';
    key = 'B';
    help =
        'Drag over the skin. Ctrl subtracts instead of adding, Shift smooths, F changes the ' +
        'radius, ' +
        'Shift+F the strength, Esc cancels the stroke.';

    enter(studio) {
        this.studio = studio;
        this.chosen = this.chosen ?? {skin: null, what: null, segment: null};
        this.before = studio.viewport.quantity;
        this.loan = studio.viewport.lendLayers({});
        this.pointer = new BrushPointer(studio, brush, {
            layers: () => ['skin', 'driver'],
            accepts: (hit) => hit.surface.path === this.session?.target.surface,
            text: (hit) => this.#valueText(hit),
        });
        this.offs = [
            studio.on('frame', () => this.session?.takeFrame()),
            studio.on('document', (slot) => slot === studio.active && this.#documentChanged()),
            studio.on('model', () => this.#documentChanged()),
            studio.on('slot', () => this.#chooseAgain()),
            studio.on('quantity', (quantity) => this.#keepQuantity(quantity)),
            studio.on('selection', () => this.#selectionChanged()),
        ];
        this.#selectionChanged();
        this.#chooseAgain();
    }

    leave() {
        brush.endAdjust(false);
        this.session?.cancel();
        this.session = null;
        this.offs.forEach((off) => off());
        this.pointer.dispose();
        this.pointer = null;
        this.studio.viewport.setQuantity(this.before);
        this.loan.giveBack();
    }

    // ---- what is painted

    get skins() {
        return Object.keys(this.studio.active.document?.skins ?? {}).filter(
            (name) => this.#choices(name).length > 0
        );
    }

    #choices(skin) {
        const {document, model} = this.studio.active;
        return document === null
            ? []
            : paintables(
                  document,
                  skin,
                  (model?.segments ?? []).map((each) => each.name)
              );
    }

    #selectionChanged() {
        const [section, name, list, index] = split(this.studio.selection?.path ?? '');
        if (section === 'skins' && name !== undefined) {
            const what =
                list === 'deformers' && index !== undefined
                    ? this.#firstOf(name, Number(index))
                    : null;
            this.chosen = {...this.chosen, skin: name, what: what ?? this.chosen.what};
            this.#chooseAgain();
        } else if (section === 'skeleton' && name !== undefined) {
            this.chosen = {...this.chosen, segment: name};
            this.#chooseAgain();
        }
    }

    #firstOf(skin, deformer) {
        return this.#choices(skin).find((each) => each.deformer === deformer)?.id ?? null;
    }

    // Keeps what was chosen as far as it is still there.
    #chooseAgain() {
        const {skins} = this;
        const skin = skins.includes(this.chosen.skin)
            ? this.chosen.skin
            : (skins.find((name) => this.studio.active.document.skins[name].show !== false) ??
              skins[0] ??
              null);
        const choices = skin === null ? [] : this.#choices(skin);
        const choice = choices.find((each) => each.id === this.chosen.what) ?? choices[0] ?? null;
        const segments = choice?.segments ?? [];
        const segment = segments.includes(this.chosen.segment)
            ? this.chosen.segment
            : (segments[0] ?? null);
        this.chosen = {skin, what: choice?.id ?? null, segment};
        this.known = this.#offer();
        this.#begin(skin, choice, segment);
        this.#fillPanel();
    }

    #begin(skin, choice, segment) {
        this.session?.cancel();
        const ready =
            choice !== null &&
            this.studio.active.model !== null &&
            (choice.kind !== 'blend' || segment !== null);
        this.session = ready
            ? new PaintSession(this.studio, brush, targetOf(this.studio, skin, choice, segment))
            : null;
        const {viewport} = this.studio;
        if (this.session !== null) {
            viewport.setQuantity(this.session.target.quantity);
            this.#showDriver();
        }
    }

    // A skin that is not shown is a driver: its layer is needed to paint on it.
    #showDriver() {
        const {viewport} = this.studio;
        if (this.session.surface?.viewLayer !== 'driver') {
            this.loan.change({});
        } else if (viewport.layers.driver.mode === 'hidden') {
            this.loan.change({driver: {mode: 'shown'}});
        }
    }

    #documentChanged() {
        if (this.session === null || this.#offer() !== this.known) {
            this.#chooseAgain();
        }
        this.session?.takeDocument();
    }

    // What is painted must be seen: colours of something else wait until the brush is laid down.
    #keepQuantity(quantity) {
        if (this.session !== null && !this.session.target.isShownBy(quantity)) {
            this.before = quantity;
            this.studio.viewport.setQuantity(this.session.target.quantity);
            this.studio.notice('While you paint, the skin shows the painted values. Other ' +
                'colours are shown again when you choose another tool.');
        }
    }

    // All that there is to choose from, to see whether it has changed.
    #offer() {
        return JSON.stringify(this.skins.map((name) => [name, this.#choices(name)]));
    }

    #valueText(hit) {
        const value = this.session?.values?.[hit.vertex];
        return value === undefined || Number.isNaN(value)
            ? `point ${hit.vertex}`
            : `${this.session.target.say(value)}, point ${hit.vertex}`;
    }

    // ---- the panel

    panel(element) {
        this.element = element;
        this.#fillPanel();
    }

    #fillPanel() {
        if (!this.element?.isConnected) {
            return;
        }
        const {chosen, skins} = this;
        const choices = chosen.skin === null ? [] : this.#choices(chosen.skin);
        const choice = choices.find((each) => each.id === chosen.what);
        const choose = (key) => (value) => {
            this.chosen = {...this.chosen, [key]: value};
            this.#chooseAgain();
        };
        if (skins.length === 0) {
            setChildren(
                this.element,
                h(
                    'p',
                    {class: 'tool-note'},
                    'No skin of this character has a deformer with weights to paint.'
                )
            );
            return;
        }
        setChildren(
            this.element,
            nameField({label: 'Skin', value: chosen.skin, names: skins, onDone: choose('skin')}),
            choiceField({
                label: 'Paint',
                value: chosen.what,
                onDone: choose('what'),
                choices: choices.map(({id, title}) => ({value: id, label: title})),
            }),
            choice?.kind === 'blend' &&
                nameField({
                    label: 'Segment',
                    value: chosen.segment,
                    names: choice.segments,
                    onDone: choose('segment'),
                }),
            brushFields(brush, {onChange: () => this.pointer?.show()}),
            button({
                label: 'Flood',
                title: 'Applies the brush once to the whole skin',
                disabled: this.session === null,
                onClick: () => this.session?.flood(),
            })
        );
    }

    // ---- the pointer

    pointerDown(event) {
        if (event.button === 2 && brush.adjusting !== null) {
            brush.endAdjust(false);
            return true;
        }
        if (event.button !== 0) {
            return false;
        }
        if (brush.adjusting !== null) {
            brush.endAdjust(true);
            this.#fillPanel();
            return true;
        }
        const hit = this.session === null ? null : this.pointer.pick(event);
        if (hit === null || !this.session.begin(event)) {
            return false;
        }
        this.last = event;
        this.session.dab(this.pointer.cover(hit));
        return true;
    }

    pointerMove(event) {
        if (brush.adjust(event.clientX)) {
            this.pointer.show();
            return true;
        }
        this.pointer.follow(event);
        if (this.session?.stroke) {
            for (const hit of this.pointer.between(this.last, event)) {
                this.session.dab(this.pointer.cover(hit));
            }
            this.last = event;
            return true;
        }
        return false;
    }

    pointerUp() {
        if (!this.session?.stroke) {
            return false;
        }
        this.session.end();
        return true;
    }

    /** A second finger has come: what the first one began was not meant. */
    pointerCancel() {
        this.session?.cancel();
        return true;
    }

    keyDown(event) {
        if (event.key === 'Escape' && this.session?.stroke) {
            this.session.cancel();
            return true;
        }
        const taken = this.pointer !== null && brush.key(event, this.pointer.x);
        if (taken) {
            event.preventDefault();
            this.pointer.show();
            this.#fillPanel();
        }
        return taken;
    }
}

export default new PaintTool();
