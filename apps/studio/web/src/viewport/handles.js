// SPDX-License-Identifier: Apache-2.0
//
// Points that can be dragged over a surface, with a line through them, always on top and of one
// size on the screen.
import {
    BufferGeometry, Color, Float32BufferAttribute, Group, Line, LineBasicMaterial, LineLoop, Mesh,
    MeshBasicMaterial, SphereGeometry, Vector3,
} from 'three';

const RADIUS = 5; // pixels
const REACH = 11; // pixels around the middle that the pointer may be
const SPHERE = new SphereGeometry(1, 16, 12);

export class Handles {
    /** @param viewport @param options see Viewport.handles */
    constructor(viewport, options, release) {
        this.viewport = viewport;
        this.options = {line: true, closed: false, color: '#ffb454', slot: 0, ...options};
        this.release = release;
        this.group = new Group();
        this.selected = -1;
        this.dragged = -1;
        this.points = [];
        this.spheres = [];
        this.plain = new MeshBasicMaterial({color: this.options.color, depthTest: false});
        this.bright = new MeshBasicMaterial({color: 0xffffff, depthTest: false});
        this.lineMaterial = new LineBasicMaterial({color: new Color(this.options.color),
            depthTest: false, linewidth: 2});
        this.line = null;
        viewport.overlay(this.options.slot).add(this.group);
        this.set(options.points ?? []);
    }

    /** @param {(Vector3|number[])[]} points posed, in the world */
    set(points) {
        this.points = points.map((point) => Array.isArray(point) || ArrayBuffer.isView(point)
            ? new Vector3().fromArray(point) : point.clone());
        while (this.spheres.length > this.points.length) {
            this.group.remove(this.spheres.pop());
        }
        while (this.spheres.length < this.points.length) {
            const sphere = new Mesh(SPHERE, this.plain);
            sphere.renderOrder = 2;
            this.spheres.push(sphere);
            this.group.add(sphere);
        }
        this.#place();
    }

    /** Marks a point; -1: none. */
    select(index) {
        this.selected = index;
        this.#place();
    }

    dispose() {
        this.group.removeFromParent();
        this.line?.geometry.dispose();
        [this.plain, this.bright, this.lineMaterial].forEach((each) => each.dispose());
        this.release(this);
        this.viewport.redraw();
    }

    /** Keeps the size on the screen; called before each drawing. */
    scale(height) {
        const camera = this.viewport.cameraOf(this.options.slot);
        const perPixel = 2 * Math.tan(camera.fov * Math.PI / 360) / height;
        for (const [i, sphere] of this.spheres.entries()) {
            const away = Math.max(1e-6, camera.position.distanceTo(this.points[i]));
            sphere.scale.setScalar(away * perPixel * RADIUS * (i === this.selected ? 1.35 : 1));
        }
    }

    /** The point under the pointer, -1: none. */
    at(event) {
        let best = -1;
        let nearest = REACH;
        const place = this.viewport.localPoint(event);
        if (this.viewport.slotAt(event) !== this.options.slot) {
            return -1;
        }
        this.points.forEach((point, i) => {
            const {x, y, visible} = this.viewport.project(point, this.options.slot);
            const away = Math.hypot(x - place.x, y - place.y);
            if (visible && away < nearest) {
                nearest = away;
                best = i;
            }
        });
        return best;
    }

    pointerDown(event) {
        const index = event.button === 0 ? this.at(event) : -1;
        if (index < 0) {
            return false;
        }
        this.dragged = index;
        this.select(index);
        this.options.onSelect?.(index);
        return true;
    }

    pointerMove(event) {
        if (this.dragged < 0) {
            return false;
        }
        const hit = this.viewport.pick(event, {...this.options.pick, slot: this.options.slot});
        if (hit !== null) {
            this.points[this.dragged].copy(hit.point);
            this.#place();
            this.options.onMove?.(this.dragged, hit);
        }
        return true;
    }

    pointerUp() {
        if (this.dragged < 0) {
            return false;
        }
        const index = this.dragged;
        this.dragged = -1;
        this.options.onDone?.(index);
        return true;
    }

    #place() {
        this.spheres.forEach((sphere, i) => {
            sphere.position.copy(this.points[i]);
            sphere.material = i === this.selected ? this.bright : this.plain;
        });
        if (this.options.line) {
            this.#placeLine();
        }
        this.viewport.redraw();
    }

    #placeLine() {
        this.line?.geometry.dispose();
        this.line?.removeFromParent();
        this.line = null;
        if (this.points.length >= 2) {
            const geometry = new BufferGeometry();
            geometry.setAttribute('position', new Float32BufferAttribute(
                this.points.flatMap((point) => point.toArray()), 3));
            const Kind = this.options.closed ? LineLoop : Line;
            this.line = new Kind(geometry, this.lineMaterial);
            this.line.renderOrder = 1;
            this.group.add(this.line);
        }
    }
}
