// SPDX-License-Identifier: Apache-2.0
//
// The tracks of a clip as lanes with their keys: select, drag, delete, give another value.
import {h} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {clipName, currentClip, keyNow} from '../core/keying.js';
import {iconButton, menu} from '../core/widgets.js';
import {PARAMETERS, heldName} from '../document/joints.js';
import {setKeysOps} from '../document/key-ops.js';
import {
    frameOfTime,
    hasTracks,
    keyAt,
    nextLaneKey,
    withKey,
    withMovedKey,
    withValue,
    withoutKey
} from '../document/keys.js';
import {put, remove} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {baseName} from '../files/paths.js';
import {VirtualList} from './virtual-list.js';

const LANE_HEIGHT = 24; // pixels, as in panels.css
const INTERPOLATIONS = ['stepped', 'linear', 'smooth'];

let drags = 0;

function stepsOf(slot) {
    return slot.undo?.count ?? 0;
}

export class Lanes {
    /** @param {(frame) => number} at pixel of a frame, from the left of a lane */
    constructor(studio, {at, frameOf, seek}) {
        Object.assign(this, {studio, at, frameOf, seek});
        this.selected = null; // {parameter, index}
        this.drag = null;
        this.element = h('div', {
            class: 'lanes',
            role: 'group',
            'aria-label': 'Keyframes',
            onkeydown: (event) => this.keyDown(event)
        });
        this.empty = h('p', {class: 'hint lanes-hint'});
        this.list = new VirtualList(this.element, {
            rowHeight: LANE_HEIGHT,
            draw: (row) => this.lane(row),
            look: (row) => this.look(row)
        });
        this.element.append(this.empty);
    }

    get clip() {
        return currentClip(this.studio);
    }

    get rate() {
        return this.clip?.rate ?? 30;
    }

    keysOf(parameter) {
        return this.clip?.tracks?.[parameter]?.keys ?? [];
    }

    update() {
        const clip = this.clip;
        const tracks = hasTracks(clip) ? Object.keys(clip.tracks ?? {}) : [];
        this.checkSelection();
        this.list.setRows(tracks.map((parameter) => ({parameter, track: clip.tracks[parameter]})));
        this.empty.textContent = this.hint(clip, tracks);
        this.empty.hidden = tracks.length > 0;
        this.onChange?.();
    }

    hint(clip, tracks) {
        if (this.studio.active.document === null) {
            return '';
        }
        if (clip === null) {
            return (
                'There is no clip yet. Drop a motion file here, or press the diamond beside ' +
                'a control.'
            );
        }
        if (!hasTracks(clip)) {
            return `This clip comes from ${baseName(clip.file)}. Add a clip for your own keyframes.`;
        }
        return tracks.length === 0
            ? 'There are no keyframes yet. Press the diamond beside a slider in Controls.'
            : '';
    }

    checkSelection() {
        if (
            this.selected &&
            this.keysOf(this.selected.parameter)[this.selected.index] === undefined
        ) {
            this.selected = null;
        }
    }

    shownKeys({parameter, track}) {
        return this.drag?.parameter === parameter ? this.drag.keys : (track.keys ?? []);
    }

    look(row) {
        const {parameter, track} = row;
        const chosen = this.selected?.parameter === parameter ? this.selected.index : null;
        const marks = [track.mirror, track.repeat, track.interpolation, this.rate];
        const keys = this.shownKeys(row);
        const held = this.isHeld(parameter);
        return JSON.stringify([parameter, keys, chosen, marks, held, this.at(0), this.at(1)]);
    }

    lane(row) {
        const {parameter, track} = row;
        const keys = this.shownKeys(row);
        return h(
            'div',
            {class: `lane ${this.isHeld(parameter) ? 'held' : ''}`, dataset: {parameter}},
            this.laneHead(parameter, track),
            h(
                'div',
                {
                    class: 'lane-keys',
                    ondblclick: (event) => this.addAt(event, parameter)
                },
                keys.map((key, index) => this.keyElement(parameter, key, index))
            )
        );
    }

    laneHead(parameter, track) {
        const toggle = iconButton({
            icon: 'key',
            label: '',
            pressed: 'false',
            onClick: () => this.toggleKey(parameter)
        });
        toggle.classList.add('lane-toggle');
        this.markToggle(toggle, parameter);
        const options = iconButton({
            icon: 'more',
            label: `Track ${parameter}`,
            onClick: () => menu(this.trackItems(parameter, track), options)
        });
        const repeat = track.repeat ? ` ×${track.repeat}` : '';
        const marks = `${track.mirror === true ? ' ⇄' : ''}${repeat}`;
        return h(
            'div',
            {class: 'lane-head'},
            h('span', {class: 'lane-name', title: parameter}, parameter + marks),
            this.isHeld(parameter) && this.releaseButton(parameter),
            toggle,
            options
        );
    }

    /** Whether a value set by hand hides what the keys say. */
    isHeld(parameter) {
        return Object.hasOwn(this.studio.active.held, heldName(parameter));
    }

    releaseButton(parameter) {
        const button = iconButton({
            icon: 'hand',
            label: `Release ${parameter}`,
            onClick: () => this.studio.release([parameter])
        });
        button.title = `${parameter} is held: its keys have no effect. Click to release it.`;
        button.classList.add('lane-held');
        return button;
    }

    hasKeyHere(parameter) {
        return keyAt(this.keysOf(parameter), this.studio.time.frame, this.rate) >= 0;
    }

    markToggle(toggle, parameter) {
        const here = this.hasKeyHere(parameter);
        const label = here ? `Delete the key of ${parameter} here` : `Key ${parameter} here`;
        toggle.setAttribute('aria-pressed', String(here));
        toggle.setAttribute('aria-label', label);
        toggle.title = label;
    }

    /** Shows which lanes have a key where the playhead is. */
    markFrame() {
        this.element.querySelectorAll('.lane').forEach((lane) => {
            this.markToggle(lane.querySelector('.lane-toggle'), lane.dataset.parameter);
        });
    }

    toggleKey(parameter) {
        return this.hasKeyHere(parameter) ? this.removeHere(parameter) : this.keyHere(parameter);
    }

    // Each lane is one stop of the Tab key: the selected key, else the first.
    isTabStop(parameter, index) {
        return index === (this.selected?.parameter === parameter ? this.selected.index : 0);
    }

    keyElement(parameter, [time, value], index) {
        const frame = frameOfTime(time, this.rate);
        const chosen = this.selected?.parameter === parameter && this.selected.index === index;
        const label = `${parameter}, key at frame ${Number(frame.toFixed(2))}, value ${value}`;
        return h(
            'button',
            {
                type: 'button',
                class: `lane-key ${chosen ? 'selected' : ''}`,
                'aria-label': label,
                'aria-pressed': String(chosen),
                title: label,
                tabindex: this.isTabStop(parameter, index) ? 0 : -1,
                dataset: {index, parameter},
                style: {left: `${this.at(frame)}px`},
                onpointerdown: (event) => this.grab(event, parameter, index),
                onclick: (event) => event.detail === 0 && this.select(parameter, index)
            },
            icon('key')
        );
    }

    select(parameter, index) {
        this.selected = {parameter, index};
        this.list.refresh();
        this.onChange?.();
        this.focusSelected();
    }

    focusSelected() {
        this.element.querySelector('.lane-key.selected')?.focus({preventScroll: true});
    }

    // The list is drawn anew while a key moves, so the pointer is followed on the window.
    grab(event, parameter, index) {
        if (event.button !== 0) {
            return;
        }
        event.preventDefault();
        this.select(parameter, index);
        const steps = stepsOf(this.studio.active);
        const start = {x: event.clientX, keys: this.keysOf(parameter), steps};
        const merge = `key:${++drags}`;
        const listening = new AbortController();
        const {signal} = listening;
        const end = () => {
            listening.abort();
            this.drag = null;
            this.update();
        };
        const escape = (each) => {
            if (each.key === 'Escape') {
                each.preventDefault();
                each.stopPropagation();
                this.revertDrag(parameter, index, start);
                end();
            }
        };
        addEventListener(
            'pointermove',
            (each) => this.dragTo(each, parameter, index, start, merge),
            {signal}
        );
        addEventListener('pointerup', end, {signal});
        addEventListener('pointercancel', end, {signal});
        addEventListener('keydown', escape, {signal, capture: true});
    }

    // Where the drag made a step that is undone: no step without an effect stays behind.
    async revertDrag(parameter, index, {steps}) {
        const {active} = this.studio;
        this.selected = {parameter, index};
        await this.drag?.sent.catch(() => {});
        if (stepsOf(active) > steps) {
            await this.studio.undo(active);
        }
    }

    dragTo(event, parameter, index, start, merge) {
        if (this.drag === null && Math.abs(event.clientX - start.x) < 3) {
            return;
        }
        const frame = this.frameOf(event);
        if (this.drag?.frame === frame) {
            return;
        }
        const keys = withMovedKey(start.keys, index, frame, this.rate);
        this.drag = {parameter, keys, frame, sent: null};
        this.selected = {parameter, index: keyAt(keys, frame, this.rate)};
        this.list.refresh();
        this.onChange?.();
        this.drag.sent = this.setKeys('Move key of', parameter, keys, merge);
    }

    setKeys(verb, parameter, keys, merge = null) {
        const name = clipName(this.studio);
        return this.studio.edit(`${verb} ${parameter}`, setKeysOps(name, parameter, keys), {merge});
    }

    keyHere(parameter) {
        const value = this.valueNow(parameter);
        if (value !== null) {
            keyNow(this.studio, {[parameter]: value});
        }
    }

    removeHere(parameter) {
        const keys = this.keysOf(parameter);
        const index = keyAt(keys, this.studio.time.frame, this.rate);
        this.setKeys('Delete key of', parameter, withoutKey(keys, index));
    }

    /** The value that a parameter has in the frame that is shown; null where it is not known. */
    valueNow(parameter) {
        const {model, frame, held} = this.studio.active;
        if (Object.hasOwn(held, parameter)) {
            return held[parameter];
        }
        const control = model?.controlIndex(parameter) ?? -1;
        if (control >= 0) {
            return frame?.controls?.[control] ?? null;
        }
        const [, segment, key, degrees] = /^(.*)\.([rts][xyz])(_deg)?$/.exec(parameter) ?? [];
        const index = model?.segmentIndex(segment) ?? -1;
        const joint = PARAMETERS.indexOf(key);
        const value = index >= 0 ? frame?.joints?.[9 * index + joint] : undefined;
        return value === undefined ? null : degrees ? (value * 180) / Math.PI : value;
    }

    addAt(event, parameter) {
        if (event.target.closest('.lane-key')) {
            return;
        }
        const frame = this.frameOf(event);
        const keys = this.keysOf(parameter);
        const value = this.valueAt(keys, frame);
        this.setKeys('Key', parameter, withKey(keys, frame, this.rate, value));
        this.seek(frame);
    }

    // On the line between the keys at both sides: a new key there moves little.
    valueAt(keys, frame) {
        const time = frame / this.rate;
        const next = keys.findIndex(([each]) => each > time);
        if (next <= 0) {
            return (next === 0 ? keys[0] : keys.at(-1))?.[1] ?? 0;
        }
        const [[t0, v0], [t1, v1]] = [keys[next - 1], keys[next]];
        return Number((v0 + ((v1 - v0) * (time - t0)) / (t1 - t0)).toPrecision(6));
    }

    trackItems(parameter, track) {
        const path = join('clips', clipName(this.studio), 'tracks', parameter);
        const now = track.interpolation ?? 'linear';
        return [
            {title: 'Interpolation'},
            ...INTERPOLATIONS.map((name) => ({
                label: name,
                checked: name === now,
                run: () =>
                    this.studio.edit(`Change the interpolation of ${parameter}`, [
                        put(`${path}/interpolation`, name)
                    ])
            })),
            'separator',
            {label: 'Properties', icon: 'edit', run: () => this.showProperties(path)},
            {
                label: 'Delete track',
                icon: 'trash',
                run: () => this.studio.edit(`Delete track ${parameter}`, [remove(path)])
            }
        ];
    }

    showProperties(path) {
        this.studio.select(path);
        this.studio.layout.show('properties');
    }

    keyDown(event) {
        const key = event.target.closest('.lane-key');
        if (key === null) {
            return;
        }
        if (this.selected === null) {
            this.selected = {parameter: key.dataset.parameter, index: Number(key.dataset.index)};
        }
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        const lane = {ArrowUp: -1, ArrowDown: 1}[event.key];
        if (lane !== undefined) {
            this.stepLane(lane);
        } else if (step !== undefined && event.altKey) {
            this.nudge(step);
        } else if (step !== undefined) {
            this.stepSelection(step);
        } else if (event.key === 'Delete' || event.key === 'Backspace' || event.key === 'x') {
            this.deleteSelected();
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    nudge(step) {
        const {parameter, index} = this.selected;
        const keys = this.keysOf(parameter);
        const frame = Math.round(frameOfTime(keys[index][0], this.rate)) + step;
        const moved = withMovedKey(keys, index, frame, this.rate);
        this.selected = {
            parameter,
            index: Math.max(0, keyAt(moved, Math.max(0, frame), this.rate))
        };
        this.setKeys('Move key of', parameter, moved, `nudge:${parameter}`).then(() =>
            this.focusSelected()
        );
    }

    stepSelection(step) {
        const {parameter, index} = this.selected;
        const next = Math.min(Math.max(index + step, 0), this.keysOf(parameter).length - 1);
        this.select(parameter, next);
    }

    /** To the key of the lane above or below that is nearest in time. */
    stepLane(step) {
        const {parameter, index} = this.selected;
        const {rows} = this.list;
        const at = rows.findIndex((row) => row.parameter === parameter);
        const found = nextLaneKey(rows, at, step, this.keysOf(parameter)[index][0]);
        if (found !== null) {
            this.list.reveal(found.row);
            this.select(rows[found.row].parameter, found.index);
        }
    }

    deleteSelected() {
        if (this.selected) {
            const {parameter, index} = this.selected;
            this.setKeys('Delete key of', parameter, withoutKey(this.keysOf(parameter), index));
        }
    }

    /** {parameter, frame, value} of the selected key, or null. */
    get selectedKey() {
        const key = this.selected && this.keysOf(this.selected.parameter)[this.selected.index];
        return key
            ? {
                  parameter: this.selected.parameter,
                  frame: frameOfTime(key[0], this.rate),
                  value: key[1]
              }
            : null;
    }

    setSelectedValue(value, merge) {
        const {parameter, index} = this.selected;
        return this.setKeys(
            'Set key of',
            parameter,
            withValue(this.keysOf(parameter), index, value),
            merge
        );
    }
}
