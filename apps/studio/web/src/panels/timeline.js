// SPDX-License-Identifier: Apache-2.0
//
// The timeline: transport, ruler with playhead, lanes of keyframes.
import {calmly} from '../core/calm.js';
import {h, setChildren} from '../core/dom.js';
import {currentClip, keyNow} from '../core/keying.js';
import {iconButton, menu, numberField} from '../core/widgets.js';
import {split} from '../document/pointer.js';
import {AutoKey} from './auto-key.js';
import {listenToDrops} from './drop.js';
import {Lanes} from './lanes.js';
import {parameterNames} from './logic/names.js';
import {newest} from './newest.js';
import {PlayRange} from './play-range.js';
import {TimeRuler} from './time-ruler.js';
import {Transport} from './transport.js';

class Timeline {
    constructor(element, studio) {
        this.studio = studio;
        this.seek = newest((frame) => studio.seek(frame));
        this.autoKey = new AutoKey(studio);
        this.transport = new Transport(studio, this.seek, this.autoKey);
        this.ruler = new TimeRuler(studio, this.seek);
        this.range = new PlayRange(studio, this.ruler);
        this.lanes = new Lanes(studio, {
            at: (frame) => this.ruler.at(frame),
            frameOf: (event) => this.ruler.frameOf(event),
            seek: this.seek
        });
        this.lanes.onChange = () => this.showKey();
        this.ruler.onLook = () => this.update();
        this.keyEditor = h('div', {class: 'key-editor'});
        this.playhead = h('div', {class: 'playhead', 'aria-hidden': 'true'});
        this.head = h(
            'div',
            {class: 'lane-head ruler-head'},
            this.addTrackButton(),
            this.keyEditor
        );
        element.classList.add('timeline');
        element.append(
            this.transport.element,
            h(
                'div',
                {class: 'ruler-row'},
                this.head,
                h('div', {class: 'ruler-place'}, this.ruler.element, this.range.elements)
            ),
            h('div', {class: 'lanes-row'}, this.lanes.element, this.playhead)
        );
        this.element = element;
        this.listen();
        this.addShortcuts();
        listenToDrops(studio);
        this.update();
    }

    listen() {
        const {studio} = this;
        const active = (slot) => slot === studio.active;
        const showCost = calmly(studio, () => this.transport.showCost());
        studio.on('time', calmly(studio, () => this.showTime()));
        studio.on('frame', (slot) => active(slot) && showCost());
        studio.on('document', (slot) => active(slot) && this.clipMayHaveChanged());
        studio.on('model', (slot) => active(slot) && this.clipMayHaveChanged());
        studio.on('slot', () => this.update());
        studio.on('held', (slot) => active(slot) && this.lanes.list.refresh());
        new ResizeObserver(() => this.update()).observe(this.ruler.element);
    }

    addShortcuts() {
        const {studio, transport} = this;
        const when = () => studio.active.model !== null;
        const add = (keys, title, run) =>
            studio.shortcuts.add({keys, title, group: 'Timeline', run, when});
        add('Space', 'Play or pause', () => transport.toggle());
        add('Left', 'Previous frame', () => transport.step(-1));
        add('Right', 'Next frame', () => transport.step(1));
        add('Shift+Left', 'First frame', () => transport.toEnd(0));
        add('Shift+Right', 'Last frame', () => transport.toEnd(1));
        add('Ctrl+Home', 'Play from this frame on', () => this.range.setHere('first'));
        add('Ctrl+End', 'Play up to this frame', () => this.range.setHere('last'));
        add('Alt+P', 'Play the whole clip', () => this.range.clear());
        add('Up', 'Next key', () => transport.stepKey(1));
        add('Down', 'Previous key', () => transport.stepKey(-1));
    }

    addTrackButton() {
        const add = iconButton({
            icon: 'add',
            label: 'Key a parameter',
            testid: 'add-track',
            onClick: () => this.pickParameter(add)
        });
        return add;
    }

    // Joints of the selected segment come first; a list of all would be too long to read.
    pickParameter(anchor) {
        const {document, model} = this.studio.active;
        if (!document || !model) {
            return;
        }
        const tracks = currentClip(this.studio)?.tracks ?? {};
        const [section, name, ...more] = split(this.studio.selection?.path ?? '');
        const segment = section === 'skeleton' && more.length === 0 ? name : undefined;
        const controls = model.controls.filter(({driven}) => !driven).map(({name}) => name);
        const joints = segment ? parameterNames({}, [segment]) : [];
        const item = (name) => ({
            label: name,
            disabled: Object.hasOwn(tracks, name),
            run: () => keyNow(this.studio, {[name]: this.lanes.valueNow(name) ?? 0})
        });
        menu(
            [
                {title: segment ? `Joint ${segment}` : 'Select a segment to key its joint'},
                ...joints.map(item),
                {title: 'Controls'},
                ...controls.map(item)
            ],
            anchor
        );
    }

    // Parts of the document that did not change are the same objects.
    clipMayHaveChanged() {
        if (currentClip(this.studio) !== this.clip) {
            this.update();
        } else {
            this.transport.show();
        }
    }

    update() {
        this.clip = currentClip(this.studio);
        this.lanes.update();
        this.ruler.draw();
        this.showTime();
    }

    showTime() {
        const {studio} = this;
        this.transport.show();
        const span = `${studio.time.first} ${studio.time.last} ${studio.time.clip}`;
        if (span !== this.span) {
            this.span = span;
            this.ruler.view = null;
            this.lanes.update();
        }
        this.ruler.draw();
        this.range.show();
        this.showPlayhead(this.ruler.at(studio.time.frame));
        this.lanes.markFrame();
    }

    showPlayhead(at) {
        this.playhead.style.transform = `translateX(${this.head.offsetWidth + at}px)`;
        this.playhead.hidden = at < 0 || at > this.ruler.element.clientWidth;
        this.ruler.element.style.setProperty('--playhead', `${at}px`);
    }

    /** The selected key as numbers. */
    showKey() {
        const key = this.lanes.selectedKey;
        const shown = key ? `${key.parameter} ${this.lanes.selected.index}` : null;
        if (shown !== this.shownKey) {
            this.shownKey = shown;
            this.keyField = key ? this.valueField(key) : null;
            setChildren(this.keyEditor, this.keyField?.element, key && this.deleteKeyButton(key));
        } else if (key) {
            this.keyField.set(key.value);
        }
    }

    deleteKeyButton({parameter}) {
        return iconButton({
            icon: 'trash',
            label: `Delete the selected key of ${parameter}`,
            onClick: () => this.lanes.deleteSelected()
        });
    }

    valueField(key) {
        let merge = `value:${performance.now()}`;
        const field = numberField({
            label: 'Value',
            slider: false,
            value: key.value,
            digits: 6,
            help: `Value of the key of ${key.parameter}`,
            onInput: (value) => this.lanes.setSelectedValue(value, merge),
            onDone: () => {
                merge = `value:${performance.now()}`;
            }
        });
        field.box.setAttribute('aria-label', `Value of the key of ${key.parameter}`);
        return field;
    }
}

export default {
    id: 'timeline',
    title: 'Timeline',
    icon: 'play',
    place: 'bottom',
    mount(element, studio) {
        return new Timeline(element, studio);
    }
};
