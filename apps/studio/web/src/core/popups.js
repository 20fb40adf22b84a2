// SPDX-License-Identifier: Apache-2.0
//
// Windows and menus.
import {h, uniqueId} from './dom.js';
import {icon} from './icons.js';

/** Whether a window or a menu lies over the page: keys are not for what is below it. */
export function isCovered() {
    return document.querySelector('dialog[open], .menu') !== null;
}

/**
 * A window over the page. Actions {label, primary, danger, run} close it unless run returns false
 * (or a promise of false).
 * @returns {{element, close(), closed: Promise}}
 */
export function dialog({title, body, actions = [], wide = false, onClose}) {
    const id = uniqueId('dialog');
    let settle;
    const closed = new Promise((resolve) => {
        settle = resolve;
    });
    const element = h('dialog', {class: wide ? 'wide' : '', 'aria-labelledby': id},
        h('header', {}, h('h2', {id}, title), h('button', {type: 'button', class: 'icon-button',
            'aria-label': 'Close', onclick: () => element.close()}, icon('close'))),
        h('div', {class: 'dialog-body'}, body),
        actions.length > 0 && h('footer', {},
            actions.map((each) => actionButton(each, () => element))));
    element.addEventListener('close', () => {
        element.remove();
        onClose?.();
        settle();
    });
    document.body.append(element);
    element.showModal();
    firstControl(element)?.focus();
    return {element, closed, close: () => element.close()};
}

/**
 * Where the focus begins: the first field, else the last action that Enter may do unread, not the
 * cross that closes.
 */
function firstControl(element) {
    const inBody = element.querySelector('.dialog-body :is(input, select, textarea):enabled');
    return inBody ?? [...element.querySelectorAll('footer button:not(.danger)')].at(-1);
}

function actionButton({label, primary, danger, run}, dialogElement) {
    return h('button', {type: 'button', class: primary ? 'primary' : danger ? 'danger' : '',
        onclick: async () => {
            if (await run?.() !== false) {
                dialogElement().close();
            }
        }}, label);
}

/** Asks before something is done. @returns {Promise<boolean>} */
export function confirmDialog({title, text, action, danger = false}) {
    return new Promise((resolve) => {
        let answer = false;
        dialog({title, body: h('p', {}, text), onClose: () => resolve(answer), actions: [
            {label: 'Cancel'},
            {label: action, primary: !danger, danger, run: () => {
                answer = true;
            }},
        ]});
    });
}

/**
 * A menu at an element, or at {x, y}. Items {label, icon, keys, tip, disabled, reason, checked, run} or
 * 'separator' or {title}. `reason`: why it is disabled.
 */
export function menu(items, anchor) {
    document.querySelectorAll('.menu').forEach((each) => each.remove());
    const before = document.activeElement;
    const element = h('div', {class: 'menu', role: 'menu', tabindex: -1});
    const close = (refocus = true) => {
        element.remove();
        document.removeEventListener('pointerdown', outside, true);
        anchor instanceof Element && anchor.setAttribute('aria-expanded', 'false');
        if (refocus) {
            before?.focus?.();
        }
    };
    const outside = (event) => !element.contains(event.target) && close(false);
    element.append(...items.map((item) => menuItem(item, close)));
    element.addEventListener('keydown', (event) => menuKey(event, element, close));
    document.addEventListener('pointerdown', outside, true);
    document.body.append(element);
    anchor instanceof Element && anchor.setAttribute('aria-expanded', 'true');
    placeAt(element, anchor);
    (element.querySelector('[role^=menuitem]:not([disabled])') ?? element).focus();
    return {element, close};
}

function menuItem(item, close) {
    if (item === 'separator') {
        return h('hr');
    }
    if (item.title !== undefined) {
        return h('div', {class: 'menu-title', role: 'presentation'}, item.title);
    }
    const checkable = item.checked !== undefined;
    return h('button', {type: 'button', role: checkable ? 'menuitemradio' : 'menuitem',
        'aria-checked': item.checked, disabled: Boolean(item.disabled), tabindex: -1,
        title: item.reason ?? item.tip ?? undefined,
        onclick: () => {
            close();
            item.run?.();
        }}, checkable ? icon(item.checked ? 'check' : 'none') : item.icon && icon(item.icon),
    h('span', {class: 'menu-label'}, item.label,
        item.reason && h('span', {class: 'menu-reason'}, item.reason)),
    item.keys && h('kbd', {}, item.keys));
}

function menuKey(event, element, close) {
    const items = [...element.querySelectorAll('[role^=menuitem]:not([disabled])')];
    const at = items.indexOf(document.activeElement);
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step !== undefined) {
        items[(at + step + items.length) % items.length]?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
        close();
    } else {
        return;
    }
    event.preventDefault();
    event.stopPropagation();
}

function placeAt(element, anchor) {
    const box = anchor instanceof Element ? anchor.getBoundingClientRect()
        : {left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y};
    const {offsetWidth: width, offsetHeight: height} = element;
    const left = Math.max(4, Math.min(box.left, innerWidth - width - 4));
    const below = box.bottom + 2 + height <= innerHeight;
    const top = below ? box.bottom + 2 : Math.max(4, box.top - height - 2);
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
}
