// SPDX-License-Identifier: Apache-2.0
//
// The buttons of the timeline: play, step, loop, speed, clip, frame, rate.
import {h, setChildren} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {addClip, bakeToKeys, clipName, currentClip, playClip} from '../core/keying.js';
import {TypedText, numberIn} from '../core/typing.js';
import {iconButton, menu} from '../core/widgets.js';
import {clipFrames, hasTracks, nextKeyFrame} from '../document/keys.js';
import {put} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {chooseMotion} from './drop.js';
import {pairingDialog} from './pairing.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** A small box for a whole or broken number, without a slider. */
function numberBox({label, title, width, onDone}) {
    const box = h('input', {
        type: 'text',
        inputmode: 'decimal',
        class: 'number-box',
        'aria-label': label,
        title: title ?? label,
        style: {width: `${width}px`},
        onkeydown: (event) => {
            if (event.key === 'Enter') {
                box.blur();
            } else if (event.key === 'Escape') {
                typed.reset();
                box.blur();
            }
        }
    });
    let text = '';
    const typed = new TypedText(box, {
        text: () => text,
        take: (written) => {
            const value = numberIn(written);
            if (value !== null && value !== Number(text)) {
                onDone(value);
            }
        }
    });
    return {
        element: box,
        set(value, enabled = true) {
            text = String(value);
            box.disabled = !enabled;
            typed.show();
        }
    };
}

export class Transport {
    constructor(studio, seek, autoKey) {
        this.studio = studio;
        this.seek = seek;
        this.autoKey = autoKey;
        this.buttons = this.makeButtons();
        this.fields = this.makeFields();
        this.readout = h('output', {class: 'time-readout', 'aria-label': 'Time'});
        this.cost = h('span', {class: 'time-cost', title: 'Time that this frame took to compute'});
        this.element = h(
            'div',
            {class: 'transport', role: 'toolbar', 'aria-label': 'Playback'},
            this.clipButton(),
            Object.values(this.buttons),
            this.fields.speed,
            h('label', {class: 'inline-label'}, 'Frame', this.fields.frame),
            this.readout,
            h('label', {class: 'inline-label'}, 'Length', this.fields.frames),
            h('label', {class: 'inline-label'}, 'Rate', this.fields.rate),
            this.cost
        );
    }

    makeButtons() {
        const {studio} = this;
        const make = (name, label, keys, onClick, pressed) =>
            iconButton({icon: name, label, keys, onClick, pressed, testid: `transport-${name}`});
        return {
            first: make('start', 'First frame', 'Shift+Left', () => this.toEnd(0)),
            back: make('step-back', 'Previous frame', 'Left', () => this.step(-1)),
            play: make('play', 'Play', 'Space', () => this.toggle()),
            on: make('step-on', 'Next frame', 'Right', () => this.step(1)),
            last: make('end', 'Last frame', 'Shift+Right', () => this.toEnd(1)),
            loop: make(
                'loop',
                'Loop',
                null,
                () => this.playback({loop: !studio.time.loop}),
                'true'
            ),
            every: make(
                'frame',
                'Play every frame',
                null,
                () => this.playback({every: !studio.time.every}),
                'false'
            ),
            auto: make(
                'record',
                'Auto-key: sets a key at this frame for what you pose',
                null,
                () => this.autoKey.toggle() && this.show(),
                'false'
            )
        };
    }

    makeFields() {
        const speed = h(
            'select',
            {
                'aria-label': 'Speed',
                title: 'Speed',
                onchange: () => this.playback({speed: Number(speed.value)})
            },
            SPEEDS.map((value) => h('option', {value: String(value)}, `${value}×`))
        );
        return {
            speed,
            frame: numberBox({
                label: 'Frame',
                width: 48,
                onDone: (frame) => this.seek(Math.round(frame))
            }),
            frames: numberBox({
                label: 'Length of the clip in frames',
                width: 48,
                onDone: (frames) => this.editClip('frames', Math.max(1, Math.round(frames)))
            }),
            rate: numberBox({
                label: 'Frames per second',
                width: 42,
                onDone: (rate) => this.editClip('rate', rate)
            })
        };
    }

    clipButton() {
        this.clipLabel = h('span', {class: 'clip-name'});
        const element = h(
            'button',
            {
                type: 'button',
                class: 'clip-button',
                'aria-haspopup': 'menu',
                dataset: {testid: 'clip-picker'},
                onclick: () => menu(this.clipItems(), element)
            },
            icon('play'),
            this.clipLabel,
            icon('down')
        );
        this.clip = element;
        return element;
    }

    clipItems() {
        const {studio} = this;
        const now = studio.active.model?.clip?.name ?? null;
        const clips = studio.active.model?.clips ?? [];
        return [
            {title: clips.length > 0 ? 'Clips' : 'The character has no clips'},
            ...clips.map((name) => ({
                label: name,
                checked: name === now,
                run: () => playClip(studio, name)
            })),
            'separator',
            {
                label: 'New clip for keyframes',
                icon: 'add',
                disabled: studio.active.document === null,
                run: () => addClip(studio)
            },
            {
                label: 'Motion from a file…',
                icon: 'upload',
                disabled: studio.active.document === null,
                run: () => chooseMotion(studio)
            },
            {
                label: 'Bake to keys',
                icon: 'key',
                disabled: now === null,
                reason: 'The rest pose has no motion.',
                run: () => bakeToKeys(studio)
            },
            {
                label: 'Pairing…',
                icon: 'bone',
                tip: 'Which joint of the file moves which segment.',
                disabled: !currentClip(studio)?.file,
                reason: 'No clip from a file plays.',
                run: () => pairingDialog(studio)
            }
        ];
    }

    toggle() {
        return this.studio.time.playing ? this.studio.stop() : this.studio.play();
    }

    /** To the first (0) or last (1) frame that plays. */
    toEnd(end) {
        const {range, first, last} = this.studio.time;
        this.seek((range ?? [first, last])[end]);
    }

    step(frames) {
        const {frame, first, last} = this.studio.time;
        this.seek(Math.min(Math.max(frame + frames, first), last));
    }

    /** To the key before or behind, over all tracks of the clip. */
    stepKey(direction) {
        const clip = currentClip(this.studio);
        const frame =
            clip && nextKeyFrame(clip.tracks, this.studio.time.frame, clip.rate ?? 30, direction);
        if (frame !== null) {
            this.seek(frame);
        }
    }

    playback(values) {
        const {loop, speed, every} = this.studio.time;
        return this.studio.call('playback', {loop, speed, every, ...values});
    }

    editClip(key, value) {
        const name = clipName(this.studio);
        if (name !== null) {
            this.studio
                .edit(`Set ${key} of ${name}`, [put(join('clips', name, key), value)])
                .catch(() => this.show());
        }
    }

    show() {
        const {studio} = this;
        const {frame, time, playing, loop, speed, every, last, rate} = studio.time;
        const clip = currentClip(studio);
        const editable = hasTracks(clip);
        this.showPlaying(playing);
        this.buttons.loop.setAttribute('aria-pressed', String(loop));
        this.buttons.every.setAttribute('aria-pressed', String(every));
        this.buttons.auto.setAttribute('aria-pressed', String(this.autoKey.on));
        this.fields.speed.value = String(speed);
        this.fields.frame.set(frame);
        this.fields.frames.set(editable ? clipFrames(clip) : last + 1, editable);
        this.fields.rate.set(Number((rate ?? 0).toFixed(3)), editable);
        this.readout.textContent = `${frame} / ${last} · ${time.toFixed(3)} s`;
        this.showClip();
        this.showCost();
        Object.values(this.buttons).forEach((button) => {
            button.disabled = studio.active.model === null;
        });
    }

    showPlaying(playing) {
        if (playing !== this.shownPlaying) {
            this.shownPlaying = playing;
            setChildren(this.buttons.play, icon(playing ? 'pause' : 'play'));
            this.buttons.play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
        }
    }

    showClip() {
        const name = this.studio.active.model?.clip?.name ?? 'rest pose';
        this.clipLabel.textContent = name;
        this.clip.setAttribute('aria-label', `Clip: ${name}`);
    }

    /** What the frame in sight took to compute. */
    showCost() {
        const {stages} = this.studio.active.frame ?? {};
        const ms = stages?.reduce((sum, each) => sum + each, 0);
        this.cost.textContent = ms === undefined ? '' : `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
    }
}
