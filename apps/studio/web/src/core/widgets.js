// SPDX-License-Identifier: Apache-2.0
//
// Controls that all panels use. Each returns {element, set(value), ...}; h() takes them as
// children. Fields: numbers.js; windows and menus: popups.js.
import {h, problemLine, setChildren, uniqueId} from './dom.js';
import {icon} from './icons.js';
import {TypedText} from './typing.js';

export {lengthField, numberField, shiftField} from './numbers.js';
export {confirmDialog, dialog, menu} from './popups.js';

/** @param {{label, title, icon, primary, quiet, danger, disabled, onClick}} options */
export function button({label, title, icon: name, primary, quiet, danger, disabled, onClick}) {
    const kind = primary ? 'primary' : danger ? 'danger' : quiet ? 'quiet' : '';
    return h('button', {type: 'button', class: kind, title, disabled, onclick: onClick},
        name && icon(name), h('span', {}, label));
}

/** A button with an icon only; `label` is its name, `keys` stand in the tip. */
export function iconButton({icon: name, label, keys, pressed, disabled, testid, onClick}) {
    return h('button', {type: 'button', class: 'icon-button', 'aria-label': label,
        'aria-pressed': pressed, title: keys ? `${label}  (${keys})` : label, disabled,
        dataset: testid ? {testid} : {}, onclick: onClick}, icon(name));
}

/** A label above or beside a control; all fields are built on it. */
export function field({label, help, kind}, control, ...more) {
    const id = control.id || (control.id = uniqueId('field'));
    const text = h('label', {for: id, class: 'label', title: help}, label);
    const problem = problemLine(control);
    const element = h('div', {class: `field ${kind}`}, text, control, ...more, problem.element);
    return {element, control, label: text, setError: problem.set, setDisabled(disabled) {
        element.querySelectorAll('input, select, button').forEach((each) => {
            each.disabled = disabled;
        });
    }};
}

/** @param {{label, value, choices: (string|{value, label})[], help, onDone(value)}} options */
export function choiceField({label, value, choices, help, onDone}) {
    const options = choices.map((each) => typeof each === 'string' ? {value: each, label: each}
        : each);
    const control = h('select', {onchange: () => onDone?.(control.value)},
        options.map((each) => h('option', {value: each.value}, each.label)));
    const result = {...field({label, help, kind: 'choice'}, control), set(next) {
        control.value = next;
    }, get value() {
        return control.value;
    }};
    result.set(value);
    return result;
}

/** @param {{label, value, help, onDone(value)}} options */
export function toggleField({label, value, help, onDone}) {
    const control = h('input', {type: 'checkbox', checked: Boolean(value),
        onchange: () => onDone?.(control.checked)});
    return {...field({label, help, kind: 'toggle'}, control), set(next) {
        control.checked = Boolean(next);
    }, get value() {
        return control.checked;
    }};
}

/** @param {{label, value, help, placeholder, multiline, onInput(text), onDone(text)}} options */
export function textField({label, value = '', help, placeholder, multiline, onInput, onDone}) {
    let settled = value ?? '';
    const kind = multiline ? {rows: 3} : {type: 'text'};
    const control = h(multiline ? 'textarea' : 'input', {...kind,
        value: settled, placeholder, spellcheck: 'false', autocomplete: 'off',
        oninput: () => onInput?.(control.value), onkeydown: (event) => {
            if (event.key === 'Enter' && !multiline) {
                typed.finish();
            } else if (event.key === 'Escape') {
                typed.reset();
                control.blur();
            }
        }});
    const typed = new TypedText(control, {text: () => settled, take: (text) => {
        if (text !== settled) {
            settled = text;
            onDone?.(text);
        }
    }});
    return {...field({label, help, kind: 'text'}, control), set(next) {
        settled = next ?? '';
        typed.show();
    }, get value() {
        return control.value;
    }};
}

const NONE = '\u2013'; // what stands for no name

/**
 * Picks a name, such as one of the document's segments.
 * @param {{label, value, names: string[]|(() => string[]), none: boolean, help, onDone}} options
 *     none: whether there may be no name; onDone(null) then
 */
export function nameField({label, value, names, none = false, help, onDone}) {
    const control = h('select', {onchange: () => onDone?.(chosen()), onfocus: () => refresh()});
    const chosen = () => control.value === '' ? null : control.value;
    let current = value ?? null;
    function refresh() {
        const list = typeof names === 'function' ? names() : names;
        const known = current === null || list.includes(current);
        setChildren(control, (none || current === null) && h('option', {value: ''}, NONE),
            !known && h('option', {value: current}, `${current} (missing)`),
            list.map((name) => h('option', {value: name}, name)));
        control.value = current ?? '';
    }
    refresh();
    return {...field({label, help, kind: 'name'}, control), set(next) {
        current = next ?? null;
        refresh();
    }, get value() {
        return chosen();
    }};
}

/** A part of a panel that folds. @returns {{element, body, setOpen(boolean)}} */
export function section(title, {open = true, actions = [], testid} = {}, ...children) {
    const body = h('div', {class: 'section-body'}, children);
    const element = h('details', {class: 'section', open, dataset: testid ? {testid} : {}},
        h('summary', {}, icon('right'), h('span', {class: 'section-title'}, title),
            h('span', {class: 'section-actions', onclick: (event) => event.preventDefault()},
                actions)), body);
    return {element, body, setOpen(value) {
        element.open = value;
    }};
}

/** @param {{label, placeholder, onInput(text)}} options */
export function searchField({label = 'Search', placeholder = 'Search', onInput}) {
    const control = h('input', {type: 'search', 'aria-label': label, placeholder,
        autocomplete: 'off', spellcheck: 'false', oninput: () => onInput(control.value),
        onkeydown: (event) => {
            if (event.key === 'Escape' && control.value !== '') {
                control.value = '';
                onInput('');
                event.stopPropagation();
            }
        }});
    const element = h('div', {class: 'search'}, icon('search'), control);
    return {element, control, set(text) {
        control.value = text;
    }, focus() {
        control.focus();
    }};
}

/** @param {{label: string}} options; set(fraction) with null for work of unknown length */
export function progressBar({label}) {
    const bar = h('progress', {max: 1, 'aria-label': label});
    return {element: bar, set(fraction) {
        if (fraction === null || fraction === undefined) {
            bar.removeAttribute('value');
        } else {
            bar.value = fraction;
        }
    }};
}

/**
 * Pages behind tabs. @param {{label, tabs: {id, title, icon, element}[], onShow(id)}} options
 * @returns {{element, show(id), add(tab), setHidden(id, hidden), current}}
 */
export function tabs({label, tabs: first = [], onShow}) {
    const list = h('div', {class: 'tab-list', role: 'tablist', 'aria-label': label,
        onkeydown: (event) => move(event)});
    const pages = h('div', {class: 'tab-pages'});
    const element = h('div', {class: 'tabs'}, list, pages);
    const entries = [];
    const result = {element, list, current: null, show, add, setHidden};
    function show(id) {
        const changed = result.current !== id;
        result.current = id;
        for (const each of entries) {
            const shown = each.id === id;
            each.tab.setAttribute('aria-selected', String(shown));
            each.tab.tabIndex = shown ? 0 : -1;
            each.page.hidden = !shown;
        }
        if (changed) {
            onShow?.(id);
        }
    }
    function add({id, title, icon: name, element: content}) {
        const page = h('div', {role: 'tabpanel', class: 'tab-page', id: uniqueId('page')}, content);
        const tab = h('button', {type: 'button', role: 'tab', id: uniqueId('tab'), title,
            'aria-controls': page.id, dataset: {tab: id}, onclick: () => show(id)},
        name && icon(name), h('span', {}, title));
        page.setAttribute('aria-labelledby', tab.id);
        entries.push({id, tab, page});
        list.append(tab);
        pages.append(page);
        show(result.current ?? id);
        return page;
    }
    function setHidden(id, hidden) {
        entries.find((each) => each.id === id).tab.hidden = hidden;
        if (hidden && result.current === id) {
            show(shown()[0].id);
        }
    }
    function shown() {
        return entries.filter(({tab}) => !tab.hidden);
    }
    function move(event) {
        const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
        if (step !== undefined) {
            const all = shown();
            const at = all.findIndex((each) => each.id === result.current);
            const next = all[(at + step + all.length) % all.length];
            show(next.id);
            next.tab.focus();
            event.preventDefault();
        }
    }
    first.forEach(add);
    return result;
}
