// SPDX-License-Identifier: Apache-2.0
//
// The tracks of a clip as lanes with their keys: select one or several, drag, copy, delete.
import {h} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {bakeToKeys, clipName, currentClip, keyNow} from '../core/keying.js';
import {button, iconButton, menu} from '../core/widgets.js';
import {heldName} from '../document/joints.js';
import {frameOfTime, hasTracks, keyAt, nextLaneKey, withKey, withoutKey} from '../document/keys.js';
import {put, remove} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {shownText} from '../document/units.js';
import {baseName} from '../files/paths.js';
import {BoxDrag, followPointer} from './box-drag.js';
import {pairingDialog} from './pairing.js';
import {trackKeys, valueNow} from './track-keys.js';
import {VirtualList} from './virtual-list.js';

const LANE_HEIGHT = 24; // pixels, as in panels.css
const INTERPOLATIONS = ['stepped', 'linear', 'smooth'];

export class Lanes {
    /** @param {(frame) => number} at pixel of a frame, from the left of a lane */
    constructor(studio, {at, frameOf, seek}) {
        Object.assign(this, {studio, at, frameOf, seek});
        this.keys = trackKeys(studio);
        this.keys.onChange(() => this.refresh());
        this.box = new BoxDrag();
        this.element = h('div', {
            class: 'lanes',
            role: 'group',
            'aria-label': 'Keyframes',
            onkeydown: (event) => this.keyDown(event),
            onpointerdown: (event) => this.grabBox(event)
        });
        this.empty = h('p', {class: 'hint lanes-hint'});
        this.bake = button({
            label: 'Bake to keys',
            icon: 'key',
            title: 'Adds a clip of keys with this motion, which you can edit. The file stays as it is.',
            onClick: () => bakeToKeys(studio)
        });
        this.pairing = button({
            label: 'Pairing…',
            icon: 'bone',
            title: 'Which joint of the file moves which segment, and what nothing moves.',
            onClick: () => pairingDialog(studio)
        });
        this.list = new VirtualList(this.element, {
            rowHeight: LANE_HEIGHT,
            draw: (row) => this.lane(row),
            look: (row) => this.look(row)
        });
        this.offers = h('div', {class: 'bake-button'}, this.bake, this.pairing);
        this.element.append(this.empty, this.offers, this.box.element);
    }

    get clip() {
        return currentClip(this.studio);
    }

    get rate() {
        return this.keys.source.rate;
    }

    refresh() {
        this.list.refresh();
        this.onChange?.();
    }

    keysOf(parameter) {
        return this.clip?.tracks?.[parameter]?.keys ?? [];
    }

    update() {
        const clip = this.clip;
        const tracks = hasTracks(clip) ? Object.keys(clip.tracks ?? {}) : [];
        this.keys.check();
        this.list.setRows(tracks.map((parameter) => ({parameter, track: clip.tracks[parameter]})));
        this.empty.textContent = this.hint(clip, tracks);
        this.empty.hidden = tracks.length > 0;
        this.offers.hidden = clip === null || hasTracks(clip);
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
            return `This clip comes from ${baseName(clip.file)}. Bake it to keys to edit it.`;
        }
        return tracks.length === 0
            ? 'There are no keyframes yet. Press the diamond beside a slider in Controls.'
            : '';
    }

    look(row) {
        const {parameter, track} = row;
        const marks = [track.mirror, track.repeat, track.interpolation, this.rate];
        const keys = this.keys.points(parameter);
        const chosen = keys.map((key, index) => (this.keys.has(parameter, index) ? 1 : 0)).join('');
        const held = this.isHeld(parameter);
        return JSON.stringify([parameter, keys, chosen, marks, held, this.at(0), this.at(1)]);
    }

    lane(row) {
        const {parameter, track} = row;
        const keys = this.keys.points(parameter);
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
        const {last} = this.keys;
        return index === (last?.name === parameter ? last.index : 0);
    }

    keyElement(parameter, [time, value], index) {
        const frame = frameOfTime(time, this.rate);
        const chosen = this.keys.has(parameter, index);
        const shown = shownText(value, this.keys.source.shownAs(parameter));
        const label = `${parameter}, key at frame ${Number(frame.toFixed(2))}, value ${shown}`;
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
        this.keys.set([{name: parameter, index}]);
        this.focusSelected();
    }

    focusSelected() {
        const {name, index} = this.keys.last ?? {};
        const all = [...this.element.querySelectorAll('.lane-key.selected')];
        const key = all.find(({dataset}) => dataset.parameter === name &&
            Number(dataset.index) === index);
        key?.focus({preventScroll: true});
    }

    // The list is drawn anew while keys move, so the pointer is followed on the window.
    grab(event, parameter, index) {
        if (event.button !== 0) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        if (event.shiftKey || event.ctrlKey || event.metaKey) {
            this.keys.toggle(parameter, index);
            this.focusSelected();
            return;
        }
        const alone = !this.keys.has(parameter, index);
        if (alone) {
            this.select(parameter, index);
        }
        const from = this.keysOf(parameter)[index][0];
        let move = null;
        let frame = null;
        followPointer(event, {
            move: (each) => {
                if (frame !== (frame = this.frameOf(each))) {
                    move ??= this.keys.beginMove();
                    move.to(frame / this.rate - from, 0);
                }
            },
            end: () => {
                move?.end();
                if (move === null && !alone) {
                    this.select(parameter, index); // a click on one of several
                }
                this.update();
            },
            cancel: () => {
                move?.cancel();
                this.update();
            }
        });
    }

    /** A drag beside the keys selects all within a box; a click there selects nothing. */
    grabBox(event) {
        const keys = event.target.closest('.lane-keys');
        if (event.button !== 0 || keys === null) {
            return;
        }
        const area = this.element.getBoundingClientRect();
        const left = keys.getBoundingClientRect().left;
        const add = event.shiftKey || event.ctrlKey || event.metaKey;
        const before = this.keys.chosen;
        this.box.begin(event, this.element, (box) => {
            const top = area.top - this.element.scrollTop;
            const found = box === null ? [] : this.keysIn({left: box.left - left,
                right: box.right - left, top: box.top - top, bottom: box.bottom - top});
            this.keys.set(add ? before : []);
            this.keys.set(found, true);
        }, () => this.keys.set(before));
    }

    /** Keys whose middle lies in a box, pixels from the first lane's corner. */
    keysIn({left, right, top, bottom}) {
        return this.list.rows.flatMap(({parameter}, row) => {
            const middle = (row + 0.5) * LANE_HEIGHT;
            const within = middle + LANE_HEIGHT / 3 >= top && middle - LANE_HEIGHT / 3 <= bottom;
            return !within ? [] : this.keysOf(parameter).flatMap(([time], index) => {
                const x = this.at(frameOfTime(time, this.rate));
                return x >= left && x <= right ? [{name: parameter, index}] : [];
            });
        });
    }

    setKeys(verb, parameter, keys) {
        return this.keys.source.write(`${verb} ${parameter}`, {[parameter]: keys}, null);
    }

    keyHere(parameter) {
        const value = valueNow(this.studio, parameter);
        if (value !== null) {
            keyNow(this.studio, {[parameter]: value});
        }
    }

    removeHere(parameter) {
        const keys = this.keysOf(parameter);
        const index = keyAt(keys, this.studio.time.frame, this.rate);
        this.setKeys('Delete key of', parameter, withoutKey(keys, index));
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
        if (this.keys.size === 0) {
            this.select(key.dataset.parameter, Number(key.dataset.index));
        }
        if (!this.arrowKey(event) && !this.editKey(event)) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    arrowKey(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        const lane = {ArrowUp: -1, ArrowDown: 1}[event.key];
        if (lane !== undefined) {
            this.stepLane(lane);
        } else if (step !== undefined && event.altKey) {
            this.nudge(step);
        } else if (step !== undefined) {
            this.stepSelection(step);
        }
        return (step ?? lane) !== undefined;
    }

    /** Delete, copy and paste. @returns whether the key was one of these */
    editKey(event) {
        const control = event.ctrlKey || event.metaKey;
        const run = {
            Delete: () => this.keys.remove(),
            Backspace: () => this.keys.remove(),
            x: () => this.keys.remove(),
            'Ctrl+c': () => this.keys.copy(),
            'Ctrl+v': () => this.paste()
        }[(control ? 'Ctrl+' : '') + event.key];
        run?.();
        return run !== undefined;
    }

    /** Puts copied keys at the playhead. */
    async paste() {
        await this.keys.paste(this.studio.time.frame / this.rate);
        this.focusSelected();
    }

    nudge(step) {
        const merge = `nudge:${this.keys.chosen.map(({name}) => name).join()}`;
        this.keys.moveBy(step / this.rate, merge).then(() => this.focusSelected());
    }

    stepSelection(step) {
        const {name, index} = this.keys.last;
        this.select(name, Math.min(Math.max(index + step, 0), this.keysOf(name).length - 1));
    }

    /** To the key of the lane above or below that is nearest in time. */
    stepLane(step) {
        const {name, index} = this.keys.last;
        const {rows} = this.list;
        const at = rows.findIndex((row) => row.parameter === name);
        const found = nextLaneKey(rows, at, step, this.keysOf(name)[index][0]);
        if (found !== null) {
            this.list.reveal(found.row);
            this.select(rows[found.row].parameter, found.index);
        }
    }
}
