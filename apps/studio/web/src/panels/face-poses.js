// SPDX-License-Identifier: Apache-2.0
//
// The library of poses: a picture for each, to switch it on, and its slider, to mix it with others.
// Poses are controls with a synergy; what is saved becomes one.
import {h, setChildren, setText} from '../core/dom.js';
import {newGesture} from '../core/gesture.js';
import {button, iconButton, menu, section} from '../core/widgets.js';
import {POSES} from '../document/poses.js';
import {FaceRow} from './face-row.js';
import {SINGLE, isExpressive} from './logic/face.js';
import {SIZE, PosePictures} from './pose-pictures.js';
import {canSave, poseActions, savePose} from './pose-actions.js';

class PoseTile {
    constructor(poses, row) {
        this.poses = poses;
        this.row = row;
        const {panel} = poses;
        const {document} = panel.studio.active;
        const about = document?.controls?.[row.names[0]]?.about;
        this.canvas = h('canvas', {width: SIZE, height: SIZE, 'aria-hidden': 'true'});
        this.button = h('button', {type: 'button', class: 'pose-picture', 'aria-pressed': false,
            title: [row.names.join(', '), about].filter(Boolean).join('\n'),
            onclick: () => this.toggle()}, this.canvas, h('span', {class: 'pose-name'}, row.title));
        this.more = iconButton({icon: 'more', label: `More: ${row.title}`,
            onClick: () => menu(poseActions(panel, row), this.more)});
        this.slider = new FaceRow(panel.studio, row, {linked: true});
        this.element = h('div', {class: 'pose-tile', role: 'listitem', dataset: {pose: row.names[0]},
            oncontextmenu: (event) => {
                event.preventDefault();
                menu(poseActions(panel, row), {x: event.clientX, y: event.clientY});
            }}, this.button, this.more, this.slider.element);
    }

    /** All of the pose, or none of it. */
    toggle() {
        const {studio} = this.poses.panel;
        const {names, high, title} = this.row;
        if (this.isOn) {
            this.poses.panel.toRest([this.row], title);
        } else {
            studio.hold(Object.fromEntries(names.map((name) => [name, high])),
                {merge: newGesture(), label: `Pose ${title}`}).catch(() => {});
        }
    }

    show(values) {
        const {names, rest} = this.row;
        this.isOn = names.some((name) => Math.abs((values(name).own ?? rest) - rest) > 1e-6);
        this.button.setAttribute('aria-pressed', String(this.isOn));
        this.slider.show(values);
    }

    /** @param {ImageData|null} picture */
    draw(picture) {
        if (picture !== null && picture !== this.picture) {
            this.canvas.getContext('2d').putImageData(picture, 0, 0);
            this.canvas.classList.add('drawn');
            this.picture = picture;
        }
    }
}

export class FacePoses {
    constructor(panel) {
        this.panel = panel;
        this.tiles = [];
        this.opened = new Map(); // groups that were opened or closed by hand
        this.pictures = new PosePictures(panel.studio, () => this.drawPictures());
        this.save = button({label: 'Save pose…', icon: 'save', primary: true,
            onClick: () => savePose(panel)});
        this.refresh = iconButton({icon: 'reset', label: 'Take the pictures anew',
            onClick: () => {
                this.pictures.forget();
                this.wantPictures();
            }});
        this.state = h('span', {class: 'pose-state', role: 'status'});
        this.list = h('div', {class: 'pose-groups'});
        this.element = h('div', {class: 'face-body'},
            h('div', {class: 'pose-bar'}, this.save, this.state, this.refresh), this.list);
    }

    /** Rows that are poses, each side by itself where the sides are taken apart. */
    get rows() {
        const {face, linked} = this.panel;
        const rows = (face?.rows ?? []).filter(({composed, level}) => composed && level !== SINGLE);
        return linked ? rows : rows.flatMap((row) =>
            row.names.map((name) => ({...row, names: [name], title: row.names.length > 1
                ? name : row.title})));
    }

    rebuild() {
        this.tiles = [];
        const {rows} = this;
        const names = [...new Set(rows.map(({group}) => group))]
            .sort((a, b) => Number(b === POSES) - Number(a === POSES));
        setChildren(this.list, names.map((name) =>
            this.#group(name, rows.filter(({group}) => group === name))),
            names.length === 0 && h('p', {class: 'hint'},
                'Set sliders, then save them as a pose.'));
        this.panel.show?.();
    }

    #group(name, rows) {
        const tiles = rows.map((row) => new PoseTile(this, row));
        this.tiles.push(...tiles);
        const open = this.opened.get(name) ?? isExpressive(name);
        const {element} = section(name, {open, testid: `poses-${name}`},
            h('div', {class: 'pose-tiles', role: 'list', 'aria-label': name},
                tiles.map((tile) => tile.element)));
        element.addEventListener('toggle', () => {
            this.opened.set(name, element.open);
            this.panel.show();
        });
        return element;
    }

    get isSeen() {
        return this.element.clientWidth > 0;
    }

    show(values) {
        if (!this.isSeen) {
            return;
        }
        this.save.disabled = !canSave(this.panel);
        this.#seen().forEach((tile) => tile.show(values));
        this.wantPictures();
    }

    #seen() {
        return this.tiles.filter(({element}) => element.closest('details').open);
    }

    wantPictures() {
        const {spreads} = this.panel.face;
        this.pictures.want(this.#seen().map(({row}) => row), spreads);
        setText(this.state, this.pictures.busy ? 'Taking pictures…' : '');
        this.drawPictures();
    }

    drawPictures() {
        setText(this.state, this.pictures.busy ? 'Taking pictures…' : '');
        this.tiles.forEach((tile) => tile.draw(this.pictures.get(tile.row)));
    }
}
