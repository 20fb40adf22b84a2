// SPDX-License-Identifier: Apache-2.0
//
// The slice through the fields of skins: where its plane is, what the server is asked for, and what
// it looks like. It stays to be seen whatever tool is in the hand.
import {Plane, Vector3} from 'three';
import {sliceCorners} from '../document/slice-plane.js';
import {SlicePicture} from './slice-picture.js';

/** Whether a model has a skin with a field. */
export const hasField = (model) =>
    model?.surfaces.some(({field, shown}) => field && shown) ?? false;

export class FieldSlice {
    #pictures;
    #onChange;

    /** @param views those of the screen @param {() => void} onChange */
    constructor(views, onChange) {
        this.#onChange = onChange;
        this.#pictures = views.map(({overlayScene}) => {
            const picture = new SlicePicture();
            overlayScene.add(picture.group);
            return picture;
        });
        /** The plane (document/slice-plane.js); null: nothing is shown. */
        this.plane = null;
        /** Whether what lies before the plane is left out. */
        this.cuts = true;
    }

    set(plane) {
        this.plane = plane;
        this.#onChange();
    }

    setCuts(cuts) {
        this.cuts = cuts;
        this.#onChange();
    }

    /** What to ask the server for. */
    wanted({model}) {
        const {plane} = this;
        const known = plane !== null && hasField(model) &&
            (plane.segment === null || model.segmentIndex(plane.segment) >= 0);
        return known ? {segment: plane.segment, ...sliceCorners(plane)} : null;
    }

    /** Shows what has come with a frame. */
    take({index, frame}) {
        this.#pictures[index].show(this.plane === null ? null : frame?.slice ?? null);
    }

    forget(index) {
        this.#pictures[index].show(null);
    }

    picture(index) {
        return this.#pictures[index];
    }

    /** The planes that what lies before the slice is left out by, for a camera. */
    clipping({frame}, camera) {
        const slice = this.cuts && this.plane !== null ? frame?.slice ?? null : null;
        if (slice === null) {
            return [];
        }
        const [origin, u, v] = [slice.origin, slice.u, slice.v].map((each) => new Vector3(...each));
        const normal = u.cross(v).normalize();
        const toEye = camera.isOrthographicCamera
            ? camera.getWorldDirection(new Vector3()).negate()
            : camera.getWorldPosition(new Vector3()).sub(origin);
        const away = normal.dot(toEye) > 0 ? normal.negate() : normal;
        return [new Plane().setFromNormalAndCoplanarPoint(away, origin)];
    }
}
