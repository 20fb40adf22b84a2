// SPDX-License-Identifier: Apache-2.0
//
// Muscles between bones: clicks on bones make one; then attachments slide on their bones, slices
// are moved, scaled and turned, pivots take it around joints. Fibres (docs/fibre.md) have a belly
// in place of slices and points that they pass in place of pivots; they hang on segments, too, and
// where a character has no bones are clicked through its skin.
import {freeName, hasSide, otherSide} from '../document/names.js';
import {put, remove} from '../document/ops.js';
import {join, last} from '../document/pointer.js';
import {fitMuscle, followOps} from './cylinder-fit.js';
import {CylinderPanel} from './cylinder-panel.js';
import {
    attachment, attachmentPoint, attachmentsOf, inOrder, movedAttachment, muscleOfClicks, segmentAt,
    segmentPoint,
} from './cylinder-places.js';
import {freeSlice, moveUnit, moved, resized, shapeOf, slicesOf, twisted, withShape}
    from './cylinder-slices.js';
import {CylinderView} from './cylinder-view.js';
import {bellyOf, placeBelow, resizedBelly, spreadAt} from './fibre-maths.js';
import {namesTaken} from './muscle-names.js';
import {rayPlane, wrapped} from './pose-maths.js';
import {restTree} from './rest-shape.js';
import {distance, dot, length, mix, sub} from './vectors.js';

const CLICK_PIXELS = 5;
// What stands before the bones is taken away while the tool is in the hand.
const LAYERS = {skin: {mode: 'hidden'}, tissue: {mode: 'hidden'}};
// Without bones the skin is seen through, since segments are reached through it.
const CLEAR = {skin: {mode: 'clear'}};
const KINDS = ['cylinder', 'ellipsoid', 'fibre'];

let drags = 0;

class CylinderTool {
    id = 'cylinder';
    title = 'Muscle between bones';
    icon = 'cylinder';
    key = 'C';
    help = 'Click the origins, then the insertions on bones: two each for a cylinder, one each ' +
        'for an ellipsoid or a fibre. Then drag attachments, sections and pivots.';

    enter(studio) {
        this.studio = studio;
        this.kind = 'cylinder';
        this.broad = false;
        this.mirror = false;
        this.panelView = null;
        this.loan = null;
        this.lent = 'nothing';
        this.name = null;
        this.followBones();
        this.open();
        this.offs = ['model', 'geometry', 'frame'].map((signal) => {
            return studio.on(signal, () => this.modelChanged());
        });
        this.offs.push(studio.on('document', () => this.documentChanged()));
        this.offs.push(studio.on('selection', () => this.selectionChanged()));
        this.offs.push(studio.on('slot', () => {
            this.view.dispose();
            this.followBones();
            this.open();
        }));
    }

    /** Skin and tissue are out of the way where there are bones to reach; else they stay in view. */
    followBones() {
        const {viewport, active} = this.studio;
        const any = active.model?.surfaces.some(({layer}) => layer === 'bone') ?? false;
        const fibre = (this.muscle?.kind ?? this.kind) === 'fibre';
        const wanted = any ? 'bones' : fibre ? 'skin' : 'nothing';
        if (wanted === this.lent) {
            return;
        }
        this.loan?.giveBack();
        this.lent = wanted;
        const hidden = viewport.layers.bone.mode === 'hidden';
        const layers = {bones: hidden ? {...LAYERS, bone: {mode: 'shown'}} : LAYERS,
            skin: CLEAR, nothing: null}[wanted];
        this.loan = layers === null ? null : viewport.lendLayers(layers);
    }

    leave() {
        this.offs.forEach((off) => off());
        this.view.dispose();
        this.panelView = null;
        this.loan?.giveBack();
    }

    panel(element) {
        this.panelView = new CylinderPanel(this, element);
        this.panelView.build();
    }

    // ---- what is worked on

    get slot() {
        return this.studio.active;
    }

    get path() {
        return join('muscles', this.name);
    }

    get muscle() {
        return this.name === null ? undefined : this.studio.get(this.path);
    }

    /** Its surface, where the muscle stands by itself and has geometry. */
    get surface() {
        const all = this.slot.model?.surfaces.filter((s) => s.layer === 'muscle') ?? [];
        const found = all.find((s) => s.name === this.name) ??
            all.find((s) => s.path === this.path);
        return found?.points != null ? found : null;
    }

    get bones() {
        return (this.slot.model?.surfaces ?? [])
            .filter((s) => s.layer === 'bone' && s.points !== null && s.rest !== null);
    }

    /** How many places each end has. */
    get each() {
        return this.kind === 'cylinder' || (this.kind === 'fibre' && this.broad) ? 2 : 1;
    }

    open() {
        this.view = new CylinderView(this.studio.viewport, this.slot.index);
        const path = this.studio.selection?.path ?? '';
        if (!this.edit(path)) {
            this.begin();
        }
    }

    begin() {
        this.name = null;
        this.wish = null;
        this.reset();
    }

    /** Takes a muscle of the document in the hand; false where it is none between bones. */
    edit(path) {
        if (!path.startsWith('/muscles/')) {
            return false;
        }
        const kind = this.studio.get(path)?.kind;
        if (!KINDS.includes(kind)) {
            return false;
        }
        this.name = last(path);
        this.followBones();
        this.reset();
        return true;
    }

    reset() {
        this.clicks = [];
        this.chosen = null;
        this.drag = null;
        this.failed = null;
        this.show();
        this.panelView?.build();
    }

    modelChanged() {
        this.followBones();
        this.show();
        this.panelView?.modelChanged();
    }

    documentChanged() {
        if (this.name !== null && this.muscle === undefined) {
            this.begin();
            return;
        }
        this.show();
        this.panelView?.refresh();
    }

    selectionChanged() {
        const path = this.studio.selection?.path ?? null;
        if (path !== null && path !== (this.name === null ? null : this.path) &&
            this.clicks.length === 0) {
            this.edit(path);
        }
    }

    // ---- what is shown

    /** The slices as the model shows them; none for given sections. */
    slices() {
        const {muscle, surface} = this;
        const own = muscle?.kind === 'cylinder' && muscle.sections === undefined &&
            surface !== null;
        return own ? slicesOf(surface, muscle) : [];
    }

    /** Of a fibre: the section of its belly. */
    belly() {
        const {muscle, surface} = this;
        return muscle?.kind !== 'fibre' || surface === null ? null
            : bellyOf(slicesOf(surface, muscle));
    }

    restSlices() {
        const {surface, muscle} = this;
        return surface?.rest == null ? [] : slicesOf({points: surface.rest}, muscle);
    }

    places() {
        const {document, model, frame} = this.slot;
        if (this.muscle === undefined || frame?.worlds == null) {
            return [];
        }
        return attachmentsOf(this.muscle).map((each, index) => ({...each, index,
            point: attachmentPoint(each.place, this.bones, document, model, frame)}))
            .filter(({point}) => point !== null);
    }

    pivots() {
        const {model, frame} = this.slot;
        if (frame?.worlds == null) {
            return [];
        }
        return (this.muscle?.[this.pivotKey] ?? []).map((pivot, index) => ({pivot, index,
            point: segmentPoint(pivot, model, frame)})).filter(({point}) => point !== null);
    }

    /** What it bends around, or passes. */
    get pivotKey() {
        return this.muscle?.kind === 'fibre' ? 'through' : 'pivots';
    }

    show() {
        this.view.show({belly: this.belly(), clicks: this.clicks, each: this.each, places: this.places(),
            slices: this.slices(), pivots: this.pivots(), chosen: this.chosen,
            muscle: this.muscle});
    }

    // ---- the pointer

    pixel(event) {
        const {x, y} = this.studio.viewport.localPoint(event);
        return [x, y];
    }

    ray(event) {
        const {origin, direction} = this.studio.viewport.ray(event, this.slot.index);
        return {origin: origin.toArray(), direction: direction.toArray()};
    }

    boneHit(event) {
        return this.studio.viewport.pick(event, {layers: ['bone'], slot: this.slot.index});
    }

    pointerDown(event) {
        if (event.button !== 0) {
            return false;
        }
        this.from = this.pixel(event);
        const mark = this.view.find(event);
        if (mark === null) {
            return false;
        }
        this.beginDrag(mark.data, event);
        return true;
    }

    beginDrag(data, event) {
        const slice = data.slice === undefined ? null : this.belly() ?? this.slices()[data.slice];
        const point = data.point ?? slice.center;
        const normal = this.studio.viewport.camera.getWorldDirection(
            this.studio.viewport.camera.position.clone()).toArray();
        this.drag = {...data, point, normal, start: rayPlane(this.ray(event), point, normal),
            sliceNow: slice, entry: slice === null ? null : shapeOf(this.muscle, slice.index),
            sizes: this.bellySizes(), merge: `cylinder ${++drags}`, moved: false};
        this.chosen = data.kind === 'click' ? null : data;
        this.show();
        this.panelView?.build();
    }

    pointerMove(event) {
        if (this.drag === null) {
            return false;
        }
        if (!this.drag.moved && distance(this.pixel(event), this.from) < 3) {
            return true;
        }
        if (this.isGone(this.drag)) {
            this.drag = null;
            return true;
        }
        this.drag.moved = true;
        ({click: () => this.dragClick(event), attachment: () => this.dragAttachment(event),
            pivot: () => this.dragPivot(event)}[this.drag.kind] ?? (() => this.dragSlice(event)))();
        return true;
    }

    /** Whether undo, or another page, took away what is dragged. */
    isGone({kind, index}) {
        const {muscle} = this;
        const list = {click: () => this.clicks, pivot: () => muscle?.[this.pivotKey],
            attachment: () => muscle && attachmentsOf(muscle)}[kind];
        return list === undefined ? muscle === undefined : list()?.[index] === undefined;
    }

    /** Where the pointer is in the plane of the handle that faces the viewer. */
    planePoint(event) {
        const at = rayPlane(this.ray(event), this.drag.point, this.drag.normal);
        return this.drag.point.map((x, i) => x + at[i] - this.drag.start[i]);
    }

    dragClick(event) {
        const click = this.clickOf(event);
        if (click !== null) {
            this.clicks[this.drag.index] = click;
            this.show();
        }
    }

    dragAttachment(event) {
        const {document, model, frame} = this.slot;
        const {keys, place} = attachmentsOf(this.muscle)[this.drag.index];
        if (place.segment !== undefined) { // it is anywhere in the segment's frame
            const at = segmentAt(place, this.planePoint(event), model, frame);
            this.write('Move an attachment', [put(this.path + join(...keys, 'at'), at)]);
            return;
        }
        const hit = this.boneHit(event);
        if (hit === null) {
            return;
        }
        const next = movedAttachment(place, hit.surface, hit.rest.toArray(), document, model,
            frame);
        this.write('Move an attachment', [put(this.path + join(...keys), next)]);
    }

    dragPivot(event) {
        const {model, frame} = this.slot;
        const key = this.pivotKey;
        const pivot = this.muscle[key][this.drag.index];
        const at = segmentAt(pivot, this.planePoint(event), model, frame);
        this.write(key === 'through' ? 'Move a point' : 'Move a pivot',
            [put(`${this.path}/${key}/${this.drag.index}/at`, at)]);
    }

    /** The axes of the muscle's fibres as they are shown. */
    get axes() {
        return this.slot.frame?.axes.get(this.surface?.index) ?? [];
    }

    /** Width and thickness of the belly at rest, in the unit of the document. */
    bellySizes() {
        const {muscle} = this;
        if (muscle?.kind !== 'fibre') {
            return null;
        }
        const slices = this.restSlices();
        const belly = bellyOf(slices);
        const one = moveUnit(muscle, slices);
        const broad = (muscle.origins?.length ?? 1) > 1;
        const measured = (axis) => (belly === null ? 0 : 2 * length(axis) / one);
        // Of several fibres the belly is that of all: one has the width that the document says.
        const width = muscle.width || (broad ? measured(belly?.outer) / 0.8 : measured(belly?.wide));
        return {width, thickness: muscle.thickness || 0.8 * width};
    }

    dragBelly(event) {
        const {kind, sliceNow, point, sizes} = this.drag;
        const spread = spreadAt(this.axes, sliceNow.center);
        const next = resizedBelly(sizes, sliceNow, kind === 'wide' ? 0 : 1,
            [point, this.planePoint(event)], spread);
        this.write(kind === 'wide' ? 'Widen the belly' : 'Thicken the belly',
            Object.entries(next).map(([key, value]) => put(`${this.path}/${key}`, value)));
    }

    dragSlice(event) {
        if (this.drag.sizes !== null) {
            this.dragBelly(event);
            return;
        }
        const {kind, entry, sliceNow, point} = this.drag;
        const to = this.planePoint(event);
        const next = {
            center: () => moved(entry, sliceNow, sub(to, point), moveUnit(this.muscle,
                this.restSlices())),
            wide: () => resized(entry, sliceNow, 0, point, to),
            thick: () => resized(entry, sliceNow, 1, point, to),
            turn: () => twisted(entry, angleAbout(sliceNow, to) - angleAbout(sliceNow, point)),
        }[kind]();
        this.writeShape(next, {center: 'Move a section', wide: 'Widen a section',
            thick: 'Thicken a section', turn: 'Rotate a section'}[kind]);
    }

    pointerUp(event) {
        if (this.drag !== null) {
            this.drag = null;
            this.panelView?.refresh();
            return true;
        }
        const still = event.button === 0 && this.from !== undefined &&
            distance(this.pixel(event), this.from) < CLICK_PIXELS;
        if (still && this.name === null) {
            this.addClick(event);
        }
        return false;
    }

    // ---- new muscles

    /** A place on a segment, which is reached through the skin where there are no bones. */
    clickBelow(event) {
        const {model, frame, index: slot} = this.slot;
        const hit = this.studio.viewport.pick(event, {layers: ['skin'], slot});
        const place = hit === null || frame?.worlds == null ? null
            : placeBelow(this.ray(event), hit.point.toArray(), model, frame);
        if (place === null) {
            return null;
        }
        const {segment, point} = place;
        const inside = sub(point, hit.point.toArray());
        return {segment, at: segmentAt({segment}, point, model, frame), point,
            rest: hit.rest.toArray().map((x, i) => x + inside[i])};
    }

    clickOf(event) {
        if (this.bones.length === 0) {
            return this.kind === 'fibre' ? this.clickBelow(event) : null;
        }
        const hit = this.boneHit(event);
        if (hit === null) {
            return null;
        }
        const {document, model, frame} = this.slot;
        const rest = hit.rest.toArray();
        return {...attachment(hit.surface, rest, document, model, frame),
            segment: segmentName(model, hit.surface), rest, point: hit.point.toArray()};
    }

    addClick(event) {
        const click = this.clickOf(event);
        if (click === null) {
            return;
        }
        this.clicks.push(click);
        this.show();
        this.panelView?.say();
        if (this.clicks.length === 2 * this.each) {
            this.make();
        }
    }

    /** The muscle of the document from the clicks, as large as its limb allows. */
    async make() {
        const ends = inOrder(this.slot.model, this.clicks, this.each);
        const muscles = this.studio.get('/muscles');
        const muscle = muscleOfClicks(this.kind, ends);
        const name = freeName(this.nameFor(ends), namesTaken(this.slot.document));
        if (this.mirror) {
            muscle.mirror = true;
        }
        try {
            const skin = await this.skinNear(ends);
            const fit = skin === null ? null : this.fitInto(skin, ends);
            muscle.width = fit?.width ?? muscle.width;
            const names = this.mirror ? [name, otherSide(name)] : [name];
            const follow = fit === null ? []
                : followOps(this.slot.document, skin.name, names, fit);
            const op = muscles === undefined ? put('/muscles', {[name]: muscle})
                : put(join('muscles', name), muscle);
            await this.studio.edit(`Add the muscle ${name}`, [op, ...follow], {quiet: true});
            this.name = name;
            this.reset();
            this.studio.select(this.path);
        } catch (error) {
            this.failed = error;
            this.clicks.pop();
            this.show();
            this.panelView?.say();
        }
    }

    /** The skin that lies over the muscle: of those that are seen the nearest; null: none. */
    async skinNear(ends) {
        const {model, document, index: slot} = this.slot;
        const skins = model.surfaces.filter(({layer, shown, name}) => {
            return layer === 'skin' && shown && document.skins?.[name] !== undefined;
        });
        const missing = skins.filter(({triangles}) => triangles === null);
        if (missing.length > 0) {
            await this.studio.wire.call('geometry', {slot, model: model.serial,
                surfaces: missing.map(({index}) => index)});
        }
        const middle = mix(ends.origins[0].rest, ends.insertions[0].rest, 0.5);
        const far = (skin) => restTree(skin).closest(middle).distance;
        return skins.reduce((best, each) => {
            return best === null || far(each) < far(best) ? each : best;
        }, null);
    }

    fitInto(skin, {origins, insertions}) {
        const tree = restTree(skin);
        const points = (clicks) => clicks.map(({rest}) => rest);
        return fitMuscle(this.kind, {origins: points(origins), insertions: points(insertions)},
            (point) => tree.closest(point).distance);
    }

    /** A name with a side where the muscle has a mirror image. */
    nameFor(ends) {
        const name = this.wish ?? 'muscle';
        if (!this.mirror || hasSide(name)) {
            return name;
        }
        const side = ends.insertions[0].rest[0] < 0 ? 'R' : 'L';
        return `${name}.${side}`;
    }

    setKind(kind) {
        this.kind = kind;
        this.clicks = this.clicks.slice(0, 2 * this.each - 1);
        this.followBones();
        this.show();
        this.panelView?.say();
    }

    setBroad(on) {
        this.broad = on;
        this.setKind(this.kind);
    }

    // ---- the document

    write(label, ops, merge = this.drag?.merge ?? null) {
        return this.studio.edit(label, ops, {merge, quiet: true}).then(() => {
            this.failed = null;
            this.panelView?.say();
        }, (error) => {
            this.failed = error;
            this.panelView?.say();
        });
    }

    writeShape(entry, label, merge) {
        const shape = withShape(this.muscle, entry);
        const op = shape.length > 0 ? [put(`${this.path}/shape`, shape)]
            : this.muscle.shape !== undefined ? [remove(`${this.path}/shape`)] : [];
        return op.length === 0 ? null : this.write(label, op, merge);
    }

    /** A pivot where the muscle is now, half way along it, carried by a segment of its origin. */
    addPivot() {
        const slices = this.slices();
        const middle = slices[Math.floor(slices.length / 2)]?.center;
        const slice = middle === undefined ? null : freeSlice(this.muscle, slices, middle);
        if (slice === null) {
            this.studio.notice('Every section between the ends has a pivot already.', 'warning');
            return;
        }
        const {document, model, frame} = this.slot;
        const origin = this.muscle.origins[0];
        const bone = this.bones.find((s) => s.name === origin.bone);
        const segment = origin.segment ?? segmentName(model, bone);
        const pivot = {slice: slice.index, segment};
        pivot.at = segmentAt(pivot, slice.center, model, frame);
        const pivots = [...(this.muscle.pivots ?? []), pivot];
        this.chosen = {kind: 'pivot', index: pivots.length - 1};
        this.write('Add a pivot', [put(`${this.path}/pivots`, pivots)]);
    }

    /** A point of a fibre where its axis is now, in the middle of its longest part between points,
     *  carried by the segment of its origin. */
    addThrough() {
        const {model, frame} = this.slot;
        const [origin] = this.muscle.origins;
        const bone = this.bones.find((s) => s.name === origin.bone);
        const segment = origin.segment ?? segmentName(model, bone);
        const found = this.freeStretch();
        if (segment === undefined || found === null) {
            return;
        }
        const place = {segment, at: segmentAt({segment}, found.point, model, frame)};
        const through = (this.muscle.through ?? []).toSpliced(found.index, 0, place);
        this.chosen = {kind: 'pivot', index: found.index};
        this.write('Add a point', [put(`${this.path}/through`, through)]);
    }

    /** {index: before which point, point} of the middle of the longest part of the axis. */
    freeStretch() {
        const [axis] = this.axes;
        if (axis === undefined) {
            return null;
        }
        const points = Array.from({length: axis.length / 4}, (_, i) =>
            [...axis.subarray(4 * i, 4 * i + 3)]);
        const nearest = (point) => points.reduce((best, p, i) =>
            (distance(p, point) < distance(points[best], point) ? i : best), 0);
        const knots = [0, ...this.pivots().map(({point}) => nearest(point)), points.length - 1];
        const widest = knots.slice(1).reduce((best, k, i) =>
            (k - knots[i] > knots[best + 1] - knots[best] ? i : best), 0);
        return {index: widest,
            point: points[Math.round((knots[widest] + knots[widest + 1]) / 2)]};
    }

    removePivot(index) {
        const key = this.pivotKey;
        const pivots = this.muscle[key].filter((p, i) => i !== index);
        this.chosen = null;
        this.write(key === 'through' ? 'Remove a point' : 'Remove a pivot',
            [pivots.length > 0 ? put(`${this.path}/${key}`, pivots)
                : remove(`${this.path}/${key}`)]);
    }

    // ---- keys

    keyDown(event) {
        // With nothing to give up Esc lays the tool down.
        const drops = this.clicks.length > 0 ? () => this.begin() : undefined;
        const run = {
            Escape: drops, Backspace: () => this.removeLast(),
            Delete: () => this.removeLast(),
            x: () => this.setMirror(!this.mirror), X: () => this.setMirror(!this.mirror),
        }[event.key];
        if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) {
            return false;
        }
        event.preventDefault();
        run();
        return true;
    }

    setMirror(on) {
        this.mirror = on;
        this.panelView?.say();
    }

    cancel() {
        this.studio.select(null);
        this.begin();
    }

    removeLast() {
        if (this.name === null) {
            this.clicks.pop();
            this.show();
            this.panelView?.say();
        } else if (this.chosen?.kind === 'pivot') {
            this.removePivot(this.chosen.index);
        }
    }

    problem() {
        const error = this.failed ?? (this.name !== null ? this.slot.error : null);
        return error === null || error === undefined ? '' : error.text ?? error.message;
    }
}

/** The angle of a point about a slice's own axis. */
function angleAbout(slice, point) {
    const spoke = sub(point, slice.center);
    return wrapped(Math.atan2(dot(spoke, slice.y), dot(spoke, slice.x)));
}

function segmentName(model, surface) {
    const segment = surface?.segment;
    return typeof segment === 'number' ? model.segments[segment]?.name : segment;
}

export default new CylinderTool();
