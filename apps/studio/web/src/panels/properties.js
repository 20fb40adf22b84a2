// SPDX-License-Identifier: Apache-2.0
//
// The properties of what is selected: a form from the schema, and the value as JSON.
import {h, setChildren} from '../core/dom.js';
import {section} from '../core/widgets.js';
import {join, split} from '../document/pointer.js';
import {FormContext} from './form-context.js';
import {jsonField} from './form-json.js';
import {form} from './form.js';
import {entryFor, entryName, kindOf, wordFor} from './logic/outline.js';
import {ManyContext, areAlike} from './many-context.js';

const STANDARD_HELP = 'Point at a name to see what it means. Double-click it to reset it.';

class Properties {
    constructor(element, studio) {
        this.studio = studio;
        this.path = null;
        this.title = h('h2', {class: 'properties-title'});
        this.body = h('div', {class: 'properties-body'});
        this.help = h('div', {class: 'properties-help', role: 'note'}, STANDARD_HELP);
        element.classList.add('properties');
        element.append(this.title, this.body, this.help);
        element.addEventListener('pointerover', (event) => this.showHelp(event.target));
        element.addEventListener('focusin', (event) => this.showHelp(event.target));
        studio.on('selection', () => this.rebuild());
        studio.on('slot', () => this.rebuild());
        studio.on('welcome', () => this.rebuild());
        studio.on('document', (slot) => slot === studio.active && this.update());
        this.rebuild();
    }

    get selectedPath() {
        const path = this.studio.selection?.path ?? '';
        return entryFor(this.studio.active.document, path) ?? '';
    }

    rebuild() {
        const slot = this.studio.active;
        if (slot.document === null || this.studio.schema === null) {
            this.form = null;
            setChildren(this.title, 'Properties');
            setChildren(
                this.body,
                h('p', {class: 'hint'}, 'Open a character to see its properties.')
            );
            return;
        }
        this.path = this.selectedPath;
        this.slot = slot;
        const {selectedPaths} = this.studio;
        this.many = selectedPaths.length > 1 ? selectedPaths : null;
        if (this.many !== null && !areAlike(slot.document, this.many)) {
            this.showDifferent();
            return;
        }
        this.context = this.many !== null ? new ManyContext(this.studio, slot, this.many, this.path)
            : new FormContext(this.studio, slot, this.nameOf(this.path));
        this.form = this.path === '' ? this.documentForm() : form(this.context, this.path);
        const json = section('JSON', {open: false, testid: 'properties-json'});
        this.json = null;
        json.element.addEventListener('toggle', () => this.openJson(json));
        this.showTitle();
        setChildren(this.body, this.form.element, this.many === null && json.element);
        this.context.markMixed?.();
    }

    // What has nothing in common but that it is selected.
    showDifferent() {
        this.form = null;
        setChildren(this.title, h('span', {}, `${this.many.length} entries`));
        setChildren(this.body, h('p', {class: 'hint'},
            'These are of different kinds. Hide or delete them together in the outliner.'));
    }

    // Of the whole document only what is no section: sections have rows of their own.
    documentForm() {
        const {document} = this.slot;
        const keys = ['name', 'about'].filter((key) => key === 'about' || key in document);
        const forms = keys.map((key) => form(this.context, join(key)));
        return {
            element: h(
                'div',
                {class: 'form-keys'},
                forms.map(({element}) => element)
            ),
            update: () => forms.forEach((each) => each.update())
        };
    }

    openJson(json) {
        if (json.element.open && this.json === null) {
            this.json = jsonField(this.context, this.path, {label: this.nameOf(this.path)});
            this.context.register(`${this.path}#`, this.json);
            json.body.append(this.json.element);
        }
    }

    nameOf(path) {
        return path === '' ? 'the character' : entryName(this.studio.active.document, path);
    }

    showTitle() {
        const keys = split(this.path);
        const value = this.studio.get(this.path, this.slot);
        const what = wordFor(keys);
        const kind = keys.length === 2 ? kindOf(keys[0], value) : '';
        const name = keys.length === 0 ? this.slot.document.name : this.nameOf(this.path);
        if (this.many !== null) {
            setChildren(this.title, h('span', {}, `${this.many.length} entries`),
                h('small', {}, `${what}, values of ${name}`));
            return;
        }
        setChildren(
            this.title,
            h('span', {}, name),
            h('small', {}, [what, kind].filter(Boolean).join(' · '))
        );
        this.title.title = this.path || 'The whole document';
    }

    update() {
        if (
            this.form === null ||
            this.slot !== this.studio.active ||
            this.path !== this.selectedPath
        ) {
            this.rebuild();
            return;
        }
        this.showTitle();
        this.form.update();
        this.json?.update();
        this.context.markMixed?.();
    }

    showHelp(target) {
        const label =
            target.closest?.('.field, .list-heading, summary')?.querySelector('.label') ??
            target.closest?.('summary');
        this.help.textContent = label?.title || STANDARD_HELP;
    }
}

export default {
    id: 'properties',
    title: 'Properties',
    icon: 'edit',
    place: 'right',
    mount(element, studio) {
        return new Properties(element, studio);
    }
};
