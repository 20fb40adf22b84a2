// SPDX-License-Identifier: Apache-2.0
//
// A number with a slider: drag, type, step with the arrow keys, double click for the standard.
import {h, problemLine, uniqueId} from './dom.js';
import {TypedText, numberIn} from './typing.js';

const STEPS = 1000; // of a slider

/** A number as people write it: at most `digits` after the point, no trailing zeros. */
export function formatNumber(value, digits = 4) {
    if (!Number.isFinite(value)) {
        return '';
    }
    const places = Math.abs(value) >= 1000 ? Math.min(digits, 1) : digits;
    const small = value !== 0 && Math.abs(value) < 10 ** -digits;
    return small ? value.toExponential(2) : String(Number(value.toFixed(places)));
}

/** Ends of sliders: the usual ones, or the limits where they are near, else around the standard. */
function sliderRange({low, high, usual, standard, value}) {
    if (usual) {
        return {low: Math.min(usual[0], value), high: Math.max(usual[1], value)};
    }
    const near = Math.max(Math.abs(standard ?? 0), Math.abs(value ?? 0)) || 0.25;
    const isFar = (end) => !Number.isFinite(end) ||
        (Math.abs(end) > 50 * near && Math.abs(end) > 10);
    return {low: isFar(low) ? -4 * near : low, high: isFar(high) ? 4 * near : high};
}

function clamp(value, {low, high, whole}) {
    const rounded = whole ? Math.round(value) : value;
    return Math.min(high ?? Infinity, Math.max(low ?? -Infinity, rounded));
}

/**
 * @param {{label, value, low, high, usual: [low, high], standard, unit, whole, help, slider,
 *     digits, onInput(value), onDone(value)}} options
 *     onInput hears every change while it is made, onDone the last one of a drag or what was
 *     typed; slider: false leaves the slider out
 * @returns {{element, set(value), value, textOf(value), setError, setDisabled}}
 */
export function numberField(options) {
    const {label, unit, help, standard, slider = true} = options;
    const state = {value: options.value ?? standard ?? 0, dragging: false};
    const range = sliderRange({...options, value: state.value});
    const id = uniqueId('number');
    const slide = slider ? makeSlider(options, range) : null;
    const box = h('input', {id, type: 'text', inputmode: 'decimal', role: 'spinbutton',
        class: 'number-box', autocomplete: 'off', 'aria-valuemin': options.low,
        'aria-valuemax': options.high});
    const name = h('label', {for: id, class: 'label', title: tip(options)}, label);
    const problem = problemLine(box);
    const element = h('div', {class: 'field number'}, name, slide,
        h('span', {class: 'number-value'}, box, h('span', {class: 'unit'}, unit ?? '')),
        problem.element);
    box.style.setProperty('--unit-width', `${1.5 * (unit ?? '').length + 0.5}ch`);
    const text = () => formatNumber(state.value, options.digits);
    const typed = new TypedText(box, {text, take: (written) => {
        const value = numberIn(written);
        if (value !== null && value !== Number(text()) && value !== state.value) {
            change(value, true);
        }
    }});
    function show(force) {
        force ? typed.reset() : typed.show();
        box.setAttribute('aria-valuenow', state.value);
        element.classList.toggle('standard', standard !== undefined && state.value === standard);
        if (slide !== null) {
            showSlider(slide, range, state.value);
        }
    }
    function change(value, done) {
        const next = clamp(value, options);
        const changed = next !== state.value;
        state.value = next;
        show(done);
        if (changed) {
            options.onInput?.(next);
        }
        if (done) {
            options.onDone?.(next);
        }
    }
    listen({name, slide, box, range, state, options, change, typed});
    show(true);
    return {element, box, setError: problem.set, set(value) {
        if (!state.dragging) {
            state.value = value ?? standard ?? 0;
            show(false);
        }
    }, get value() {
        return state.value;
    }, setDisabled(disabled) {
        box.disabled = disabled;
        if (slide !== null) {
            slide.disabled = disabled;
        }
    }, textOf: (value) => formatNumber(value, options.digits), help};
}

const MILLIMETRES = 1000; // of a metre

// What documents have are short decimal numbers: a factor must not add digits to them.
function times(value, factor) {
    return Number.isFinite(value) ? Number((value * factor).toPrecision(12)) : value;
}

/**
 * A length of a part of a body, such as a thickness or a depth: documents have metres, people read
 * and type millimetres. Takes and gives metres, as a numberField with the unit m would.
 */
export function lengthField(options) {
    const shown = (value) => times(value, MILLIMETRES);
    const metres = (value) => times(value, 1 / MILLIMETRES);
    const field = numberField({
        ...options, unit: 'mm', digits: 3,
        value: shown(options.value), low: shown(options.low), high: shown(options.high),
        standard: shown(options.standard), usual: options.usual?.map(shown),
        onInput: (value) => options.onInput?.(metres(value)),
        onDone: (value) => options.onDone?.(metres(value)),
    });
    return {...field, set: (value) => field.set(shown(value)),
        textOf: (value) => field.textOf(shown(value)), get value() {
        return metres(field.value);
    }};
}

const SMALL = 0.25; // metres: what goes no further is a length of a part of a body

/** A shift in metres: in millimetres where it goes only a little way, as that of a jaw. */
export function shiftField(options) {
    const [low, high] = options.usual ?? [options.low, options.high];
    return Math.max(Math.abs(low), Math.abs(high)) <= SMALL ? lengthField(options)
        : numberField({...options, unit: 'm', digits: 4});
}

const TELLING = 1e5; // limits from here on are those of the format, and tell nobody anything

function tip({help, low, high, standard, unit}) {
    const limits = [low, high];
    const range = limits.every((each) => Math.abs(each) < TELLING)
        ? `From ${formatNumber(low)} to ${formatNumber(high)}${unit ? ' ' + unit : ''}.` : null;
    const reset = standard !== undefined
        ? `Default: ${formatNumber(standard)}. Double-click to reset.` : null;
    return [help, range, reset].filter(Boolean).join('\n');
}

function makeSlider({label, whole}, range) {
    const step = whole ? 1 : (range.high - range.low) / STEPS;
    return h('input', {type: 'range', min: range.low, max: range.high, step: whole ? step : 'any',
        'aria-label': `${label} slider`, tabindex: -1, dataset: {step}});
}

function showSlider(slide, range, value) {
    slide.value = String(Math.min(range.high, Math.max(range.low, value)));
    const share = (slide.value - range.low) / (range.high - range.low || 1);
    slide.style.setProperty('--share', `${(100 * share).toFixed(2)}%`);
}

function listen({name, slide, box, range, state, options, change, typed}) {
    const reset = () => options.standard !== undefined && change(options.standard, true);
    name.addEventListener('dblclick', reset);
    if (slide !== null) {
        slide.addEventListener('dblclick', reset);
        slide.addEventListener('input', () => {
            state.dragging = true;
            change(rounded(Number(slide.value), range), false);
        });
        slide.addEventListener('change', () => {
            state.dragging = false;
            change(rounded(Number(slide.value), range), true);
        });
    }
    box.addEventListener('focus', () => box.select());
    box.addEventListener('keydown', (event) => boxKey(event, {box, range, state, options, change,
        typed}));
}

// Sliders give numbers with many digits: keeps those that a pixel can tell.
function rounded(value, {low, high}) {
    const digits = Math.max(0, 3 - Math.floor(Math.log10(high - low || 1)));
    return Number(value.toFixed(Math.min(digits, 12)));
}

function boxKey(event, {box, range, state, options, change, typed}) {
    const steps = {ArrowUp: 1, ArrowDown: -1}[event.key];
    if (steps !== undefined) {
        const from = typed.typed ? numberIn(box.value) ?? state.value : state.value;
        const size = options.whole ? 1 : (range.high - range.low) / 100;
        const factor = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
        change(rounded(from + steps * size * factor, range), true);
        event.preventDefault();
    } else if (event.key === 'Enter') {
        typed.finish();
        box.select();
    } else if (event.key === 'Escape') {
        typed.reset();
        box.blur();
        event.stopPropagation();
    }
}
