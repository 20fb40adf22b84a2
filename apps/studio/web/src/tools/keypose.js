// SPDX-License-Identifier: Apache-2.0
//
// Key poses: in a pose, pull points of a skin or of a hidden driver to where they should be; they
// come back there whenever the pose does.
import {Vector3} from 'three';
import {h, setChildren} from '../core/dom.js';
import {choiceField, iconButton, nameField} from '../core/widgets.js';
import {put, remove} from '../document/ops.js';
import {isInside, join} from '../document/pointer.js';
import {
    Grab,
    REACH,
    Relax,
    atText,
    keySets,
    mirroredName,
    mirroredPoses,
    parametersInPose,
    placeOfKey,
    pullOffset,
} from './keypose-state.js';
import {Brush, metresPerPixel} from './paint-brush.js';
import {MirrorMap} from './paint-grid.js';
import {brushFields} from './paint-panel.js';
import {BrushPointer} from './paint-pointer.js';
import {surfaceMapOf} from './paint-surface.js';

const brush = new Brush({radius: 90});
let pulls = 0;

class KeyPoseTool {
    id = 'keypose';
    title = 'Key pose';
    icon = 'key';
    key = 'K';
    help =
        'Bend a joint or set a control, then drag the skin to where it should be in this pose. ' +
        'F changes the brush radius, Shift+drag smooths, Esc cancels.';

    enter(studio) {
        this.studio = studio;
        this.follows = this.follows ?? null;
        this.along = this.along ?? 'view';
        this.pull = null;
        this.loan = null;
        this.pointer = new BrushPointer(studio, brush, {
            layers: () => ['skin', 'driver'],
            accepts: (hit) => hit.surface.path === join('skins', this.skin ?? ''),
            text: (hit) => `point ${hit.vertex}`,
        });
        this.offs = [
            studio.on('document', (slot) => slot === studio.active && this.#refresh()),
            studio.on('model', () => this.#refresh()),
            studio.on('slot', () => this.#refresh()),
            studio.on('frame', () => this.#frameCame()),
            studio.on('held', () => this.#fillPanel()),
            studio.on('selection', () => this.#selectionChanged()),
        ];
        this.#selectionChanged();
        this.#refresh();
    }

    leave() {
        brush.endAdjust(false);
        this.#letGo();
        this.offs.forEach((off) => off());
        this.pointer.dispose();
        this.#showDriver(false);
    }

    // ---- what is edited

    get skins() {
        return Object.keys(this.studio.active.document?.skins ?? {});
    }

    get surface() {
        return this.studio.active.model?.byPath(join('skins', this.skin ?? '')) ?? null;
    }

    /** Parameters that a key could follow now. */
    get parameters() {
        const {model, frame, held} = this.studio.active;
        return model === null || frame === null ? [] : parametersInPose(model, frame, held);
    }

    #selectionChanged() {
        const match = this.skins.find((name) =>
            isInside(this.studio.selection?.path ?? '', join('skins', name))
        );
        if (match !== undefined) {
            this.#chooseSkin(match);
        }
    }

    #refresh() {
        if (!this.skins.includes(this.skin)) {
            const {skins = {}} = this.studio.active.document ?? {};
            this.#chooseSkin(
                this.skins.find((name) => skins[name].show !== false) ?? this.skins[0] ?? null
            );
        }
        this.#fillPanel();
    }

    #chooseSkin(name) {
        this.skin = name;
        this.#showDriver(this.surface?.viewLayer === 'driver');
        this.#fillPanel();
    }

    // A driver is seen through the skin over it while its points are pulled.
    #showDriver(shown) {
        const {viewport} = this.studio;
        if (!shown) {
            this.loan?.giveBack();
            this.loan = null;
        } else if (this.loan === null && viewport.layers.driver.mode === 'hidden') {
            this.loan = viewport.lendLayers({driver: {mode: 'shown'}, skin: {mode: 'clear'}});
        }
    }

    // What is followed stays chosen while it is away from rest; else what is held, or moved most.
    #chooseFollows() {
        const {parameters} = this;
        if (!parameters.some(({name}) => name === this.follows)) {
            this.follows = parameters[0]?.name ?? null;
        }
        return this.follows;
    }

    // ---- the panel

    panel(element) {
        this.element = element;
        this.#fillPanel();
    }

    #fillPanel() {
        if (!this.element?.isConnected || this.pull !== null) {
            return;
        }
        const {parameters} = this;
        const follows = this.#chooseFollows();
        const value = parameters.find(({name}) => name === follows)?.value;
        setChildren(
            this.element,
            nameField({
                label: 'Skin',
                value: this.skin,
                names: this.skins,
                onDone: (name) => this.#chooseSkin(name),
            }),
            follows === null
                ? h(
                      'p',
                      {class: 'tool-note', role: 'status'},
                      'The character is in its rest pose. A key pose belongs to a bent joint ' +
                          'or a control: pose it first.'
                  )
                : choiceField({
                      label: 'Follows',
                      value: follows,
                      choices: parameters.map(({name}) => name),
                      onDone: (name) => {
                          this.follows = name;
                          this.#fillPanel();
                      },
                  }),
            follows !== null &&
                h(
                    'p',
                    {class: 'tool-note'},
                    `What you drag now becomes the key at ${atText(value, follows)}.`
                ),
            h(
                'div',
                {class: 'brush-modes three', role: 'group', 'aria-label': 'Brush'},
                this.#alongButton('view', 'Pull', 'Moves the skin with the pointer'),
                this.#alongButton('normal', 'Pull out', 'Moves the skin outwards or inwards'),
                this.#alongButton('smooth', 'Smooth', 'Smooths the skin (Shift+drag)')
            ),
            brushFields(brush, {
                modes: false,
                strength: false,
                mirror: false,
                onChange: () => this.pointer.show(),
            }),
            this.#keyList()
        );
        this.shownFollows = follows;
    }

    #alongButton(along, label, title) {
        return h(
            'button',
            {
                type: 'button',
                title,
                'aria-pressed': String(this.along === along),
                onclick: () => {
                    this.along = along;
                    this.#fillPanel();
                },
            },
            label
        );
    }

    #keyList() {
        const sets = keySets(this.studio.active.document, this.skin);
        return h(
            'div',
            {},
            h('h3', {}, 'Keys'),
            sets.length === 0
                ? h('p', {class: 'tool-note'}, 'There are no keys yet.')
                : sets.map((set) =>
                      h(
                          'div',
                          {},
                          h(
                              'div',
                              {class: 'item-head'},
                              h('p', {class: 'tool-note'}, set.follows),
                              this.#mirrorButton(set)
                          ),
                          h(
                              'div',
                              {
                                  class: 'item-list',
                                  role: 'list',
                                  'aria-label': `Keys of ${set.follows}`,
                              },
                              set.keys.map((key, i) => this.#keyRow(set, key, i))
                          )
                      )
                  )
        );
    }

    // Only what has another side that moves can be mirrored, and only points, not whole meshes.
    #mirrors(set) {
        const other = mirroredName(set.follows);
        const {model} = this.studio.active;
        const there =
            other !== null &&
            ((model?.segmentIndex(other.replace(/\.[^.]*$/, '')) ?? -1) >= 0 ||
                (model?.controlIndex(other) ?? -1) >= 0);
        return there && set.keys.every(({mesh}) => mesh === null);
    }

    #mirrorButton(set) {
        return this.#mirrors(set)
            ? iconButton({
                  icon: 'mirror',
                  label: `Mirror to ${mirroredName(set.follows)}`,
                  keys: set.follows === this.follows ? 'M' : undefined,
                  onClick: () => this.#mirror(set),
              })
            : null;
    }

    #mirror(set) {
        const path = join('skins', this.skin, 'deformers', set.deformer, 'poses');
        const map = new MirrorMap(this.surface.rest);
        const poses = mirroredPoses(this.studio.get(path), set.set, (v) => map.of(v));
        const other = mirroredName(set.follows);
        const image = poses.find(({follows}) => follows === other);
        if (image.keys.some(({points}) => Object.keys(points).length > 0)) {
            this.studio.edit(`Mirror the key poses of ${set.follows}`, [put(path, poses)]);
        } else {
            this.studio.notice('The skin has no points on the other side of x = 0.', 'warning');
        }
    }

    #keyRow(set, key, i) {
        const at = atText(key.at, set.follows);
        const what =
            key.mesh !== null
                ? `mesh ${key.mesh}`
                : key.count === 1
                  ? '1 point'
                  : `${key.count} points`;
        return h(
            'div',
            {class: 'item-row', role: 'listitem'},
            h(
                'button',
                {
                    type: 'button',
                    class: 'quiet',
                    title: `Go to ${at}`,
                    onclick: () => this.#goTo(set, key),
                },
                h('span', {}, `${at}   ${what}`)
            ),
            h(
                'div',
                {},
                iconButton({
                    icon: 'trash',
                    label: `Delete the key at ${at}`,
                    onClick: () => this.#deleteKey(set, i),
                })
            )
        );
    }

    #goTo(set, key) {
        this.follows = set.follows;
        this.studio.stop();
        this.studio.hold({[set.follows]: key.at}, {label: `Go to the key at ${key.at}`});
    }

    #deleteKey(set, i) {
        const path = join('skins', this.skin, 'deformers', set.deformer);
        const place = placeOfKey(this.studio.get(path), set, i, this.surface?.targets > 0);
        this.studio.edit('Delete a key pose', [remove(path + place)]);
    }

    // ---- the pointer

    pointerDown(event) {
        if (event.button === 0 && brush.adjusting !== null) {
            brush.endAdjust(true);
            this.#fillPanel();
            return true;
        }
        const hit = event.button === 0 ? this.pointer.pick(event) : null;
        if (hit === null) {
            return false;
        }
        if (this.#chooseFollows() === null) {
            this.studio.notice('Pose a joint or set a control first: a key pose belongs to it.');
            return true;
        }
        this.studio.stop();
        const smooths = this.along === 'smooth' || event.shiftKey;
        this.pull = {
            points: Float32Array.from(hit.surface.points),
            path: hit.surface.path,
            moved: false,
            until: Infinity,
            ...(smooths ? this.#relax(hit, event) : this.#grab(hit, event)),
        };
        if (smooths) {
            this.#smooth([hit]);
        }
        return true;
    }

    #relax(hit, event) {
        const map = surfaceMapOf(hit.surface);
        return {last: event, shape: new Relax((vertex) => map.neighbours(vertex))};
    }

    #smooth(hits) {
        const {pull} = this;
        for (const hit of hits) {
            const {vertices, shares} = this.pointer.cover(hit);
            pull.shape.dab(pull.points, vertices, shares);
            pull.moved ||= vertices.length > 0;
        }
        this.#show();
    }

    #grab(hit, event) {
        const radius = this.pointer.metres(hit);
        const {vertices, distances} = this.pointer.around(hit, REACH * radius);
        // A brush that is smaller than a face pulls the nearest point.
        const near = distances.some((distance) => distance < radius);
        const {viewport} = this.studio;
        const axis = (k) =>
            new Vector3().setFromMatrixColumn(viewport.camera.matrixWorld, k).toArray();
        return {
            x: event.clientX,
            y: event.clientY,
            shape: near
                ? new Grab(hit.surface.points, vertices, distances, radius)
                : new Grab(hit.surface.points, [hit.vertex], [0], radius),
            view: {
                right: axis(0),
                up: axis(1),
                normal: hit.normal.toArray(),
                metres: metresPerPixel(
                    viewport.cameraOf(hit.slot),
                    hit.point,
                    viewport.viewHeight
                ),
            },
        };
    }

    pointerMove(event) {
        if (brush.adjust(event.clientX)) {
            this.pointer.show();
            return true;
        }
        const {pull} = this;
        if (pull === null || pull.until !== Infinity) {
            this.pointer.follow(event);
            return false;
        }
        if (pull.shape instanceof Relax) {
            this.pointer.follow(event);
            this.#smooth(this.pointer.between(pull.last, event));
            pull.last = event;
            return true;
        }
        const [dx, dy] = [event.clientX - pull.x, event.clientY - pull.y];
        const offset = pullOffset(pull.view, dx, dy, this.along);
        pull.shape.pull(pull.points, offset);
        pull.moved = true;
        this.#show();
        return true;
    }

    pointerUp() {
        const {pull} = this;
        if (pull === null || pull.until !== Infinity) {
            return false;
        }
        if (pull.moved) {
            this.#store(pull);
        } else {
            this.pull = null;
        }
        return true;
    }

    /** A second finger has come: what the first one began was not meant. */
    pointerCancel() {
        this.#letGo();
        return true;
    }

    // Until a model with the key has come, the page shows the points as they were pulled.
    async #store(pull) {
        const {studio} = this;
        pull.until = studio.active.revision + 1;
        try {
            const answer = await studio.call('key_pose', {
                slot: studio.activeIndex,
                skin: this.skin,
                follows: this.follows,
                points: pull.shape.places(pull.points),
                label: `Change a key pose of ${this.skin}`,
                merge: `key pose ${(pulls += 1)}`,
            });
            pull.until = answer.revision ?? studio.active.revision;
            this.#frameCame();
        } catch {
            this.#letGo();
        }
    }

    #frameCame() {
        const {pull} = this;
        if (
            pull !== null &&
            pull.until !== Infinity &&
            (this.studio.active.model?.revision ?? 0) >= pull.until
        ) {
            this.pull = null;
            this.#fillPanel();
        } else if (pull !== null) {
            this.#show();
        } else if (this.#posed()) {
            this.#fillPanel();
        }
    }

    // Whether the panel tells of another pose than the one that is seen.
    #posed() {
        const key = JSON.stringify(this.parameters.slice(0, 8));
        const changed = key !== this.known && !this.studio.time.playing;
        this.known = key;
        return changed;
    }

    #show() {
        const {surface, pull} = this;
        if (surface?.path === pull.path && surface.points !== null) {
            surface.points = pull.points;
            surface.moved += 1;
            this.studio.viewport.redraw();
        }
    }

    // What the server last said is asked for again.
    #letGo() {
        if (this.pull !== null) {
            this.pull = null;
            this.studio.seek(this.studio.time.frame);
        }
    }

    keyDown(event) {
        if (event.key === 'Escape' && this.pull !== null) {
            this.#letGo();
            return true;
        }
        const set = keySets(this.studio.active.document, this.skin).find(
            ({follows}) => follows === this.follows
        );
        const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
        if (event.key.toLowerCase() === 'm' && plain && set && this.#mirrors(set)) {
            this.#mirror(set);
            return true;
        }
        if (!event.shiftKey && brush.key(event, this.pointer.x)) {
            this.pointer.show();
            return true;
        }
        return false;
    }
}

export default new KeyPoseTool();
