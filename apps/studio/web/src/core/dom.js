// SPDX-License-Identifier: Apache-2.0
//
// Elements without markup in texts: what a document names can never become code.

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

/** Puts other children in place of those that are there. */
export function setChildren(element, ...children) {
    clear(element);
    append(element, children);
    return element;
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
