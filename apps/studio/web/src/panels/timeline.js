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
import {valueNow} from './track-keys.js';
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
            run: () => keyNow(this.studio, {[name]: valueNow(this.studio, name) ?? 0})
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

    /** The selected keys as numbers: the value of one, or what is added to several. */
    showKey() {
        const {keys} = this.lanes;
        const shown = keys.chosen.map(({name, index}) => `${name} ${index}`).join();
        if (shown !== this.shownKeys) {
            this.shownKeys = shown;
            this.keyField = keys.size === 0 ? null
                : keys.size === 1 ? this.valueField() : this.addField();
            setChildren(this.keyEditor, this.keyField?.element,
                keys.size > 0 && this.deleteKeyButton());
        } else if (keys.size === 1) {
            this.keyField.set(this.selectedValue());
        }
    }

    /** Of the one selected key, as it is shown. */
    selectedValue() {
        const {keys} = this.lanes;
        const {name, index} = keys.last;
        return (keys.points(name)[index]?.[1] ?? 0) * keys.source.shownAs(name).factor;
    }

    deleteKeyButton() {
        const {keys} = this.lanes;
        return iconButton({
            icon: 'trash',
            label: keys.size === 1 ? `Delete the selected key of ${keys.last.name}`
                : `Delete the ${keys.size} selected keys`,
            onClick: () => keys.remove()
        });
    }

    valueField() {
        const {keys} = this.lanes;
        const {name} = keys.last;
        const {unit, factor} = keys.source.shownAs(name);
        let merge = keys.newMerge();
        const field = numberField({
            label: 'Value',
            slider: false,
            value: this.selectedValue(),
            unit,
            digits: unit === '°' ? 3 : 6,
            help: `Value of the key of ${name}`,
            onInput: (value) => keys.setValues(() => value / factor, merge),
            onDone: () => {
                merge = keys.newMerge();
            }
        });
        field.box.setAttribute('aria-label', `Value of the key of ${name}`);
        return field;
    }

    addField() {
        const {keys} = this.lanes;
        const units = new Set(keys.chosen.map(({name}) => keys.source.shownAs(name).unit));
        const field = numberField({
            label: 'Add',
            slider: false,
            value: 0,
            unit: units.size === 1 ? [...units][0] : '',
            digits: 6,
            help: `Adds to the values of the ${keys.size} selected keys`,
            onDone: (value) => {
                keys.setValues((name, before) => before + value / keys.source.shownAs(name).factor);
                field.set(0);
            }
        });
        field.box.setAttribute('aria-label', 'Add to the selected keys');
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
