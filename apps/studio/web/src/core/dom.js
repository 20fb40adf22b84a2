// SPDX-License-Identifier: Apache-2.0
//
// Elements without markup in texts: what a document names can never become code.

import {takeTypedLater} from './typing.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element: h('button', {class: 'quiet', onclick: run, 'aria-label': 'Close'}, 'x').
 * Functions under on... are listeners, `style` and `dataset` are objects, true and false are
 * attributes that stand or do not. Children are nodes, texts, lists, widgets (with an `element`);
 * null and false are left out.
 */
export function h(tag, props = {}, ...children) {
    return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), props, children);
}

export function clear(element) {
    element.replaceChildren();
    return element;
}

/**
 * Puts other children in place of those that are there. The control that had the focus among them
 * has it again, where there still is one of its name.
 */
export function setChildren(element, ...children) {
    const focusAgain = rememberFocus(element);
    clear(element);
    append(element, children);
    focusAgain?.();
    return element;
}

/** Says another text; the same one again would be read out again. */
export function setText(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
    return element;
}

/** A line below a control that tells what is wrong with it. @returns {{element, set(message)}} */
export function problemLine(control) {
    const element = h('div', {class: 'problem', role: 'alert', id: uniqueId('problem'),
        hidden: true});
    return {element, set(message) {
        setText(element, message ?? '');
        element.hidden = !message;
        control.setAttribute('aria-invalid', String(Boolean(message)));
        message ? control.setAttribute('aria-describedby', element.id)
            : control.removeAttribute('aria-describedby');
    }};
}

let nextId = 1;

/** An id that no other element has. */
export function uniqueId(prefix = 'id') {
    return `${prefix}-${nextId++}`;
}

function fill(element, props, children) {
    for (const [name, value] of Object.entries(props ?? {})) {
        setProperty(element, name, value);
    }
    append(element, children);
    return element;
}

function setProperty(element, name, value) {
    if (value === undefined || value === null) {
        return;
    }
    if (typeof value === 'function' && name.startsWith('on')) {
        element.addEventListener(name.slice(2).toLowerCase(), value);
    } else if (name === 'style') {
        // Through the object model: the content policy refuses style attributes.
        Object.entries(value).forEach(([key, text]) => element.style.setProperty(key, text));
    } else if (name === 'dataset') {
        Object.assign(element.dataset, value);
    } else if (name === 'value' || name === 'checked' || name === 'selected') {
        element[name] = value;
    } else if (typeof value === 'boolean' && !name.startsWith('aria-')) {
        element.toggleAttribute(name, value);
    } else {
        element.setAttribute(name, String(value));
    }
}

function append(element, children) {
    for (const each of children.flat(Infinity)) {
        if (each === null || each === undefined || each === false || each === true) {
            continue;
        }
        element.append(each instanceof Node ? each : each.element ?? String(each));
    }
}

// ---- the focus, when what has it is made anew

const CONTROLS = ':is(input, select, textarea, button):enabled, summary, a[href], [tabindex]';

/** What a control is called, with what it belongs to: two muscles have a thickness each. */
function controlName(control) {
    const owner = control.closest('[data-path], [data-parameter]')?.dataset ?? {};
    const name = control.getAttribute('aria-label') ?? control.labels?.[0]?.textContent ??
        `${control.textContent} ${control.title}`;
    return [control.tagName, control.type, owner.path, owner.parameter, name].join('|');
}

function rememberFocus(element) {
    const {activeElement: before} = document;
    if (before === element || !element.contains(before)) {
        return null;
    }
    const written = takeTypedLater(before);
    const {value, selectionStart, selectionEnd} = before;
    const name = controlName(before);
    const controls = () => [...element.querySelectorAll(CONTROLS)];
    const same = () => controls().filter((each) => controlName(each) === name);
    const place = {same: same().indexOf(before), all: controls().indexOf(before)};
    return () => {
        // Where a row went with its button, the button that took its place.
        const next = same()[Math.max(0, place.same)] ??
            (before.tagName === 'BUTTON' ? controls().slice(0, place.all + 1).at(-1) : undefined);
        next?.focus({preventScroll: true});
        if (next !== undefined && written !== null) {
            next.value = written;
        }
        if (typeof selectionStart === 'number' && next?.value === value) {
            next.setSelectionRange(selectionStart, selectionEnd);
        }
    };
}
