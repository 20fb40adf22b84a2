// SPDX-License-Identifier: Apache-2.0
//
// The drawing itself: one canvas, a view for each slot, each with its scene, its shadows, and what
// tools draw on top.
import {Group, Scene, Sphere, Vector3, WebGLRenderer} from 'three';
import {Body} from './bodies.js';
import {Light} from './looks.js';
import {Outline} from './outline.js';
import {Shadows} from './shadow.js';
import {Stage} from './stage.js';

// Without a graphics card every pixel costs: so many along each side have pictures that move.
const MOVING_SHARE = 0.5;

export class Screen {
    /** @param {(name: string) => void} onLost the image of this material cannot be shown */
    constructor(canvas, onChange, onLost) {
        this.renderer = new WebGLRenderer({canvas, antialias: true, alpha: false, stencil: true,
            powerPreference: 'high-performance'});
        this.renderer.autoClear = false;
        this.renderer.info.autoReset = false;
        /** Whether the graphics card is there: the browser may take it away for a while. */
        this.alive = true;
        /** Whether pictures are computed without a graphics card: shadows are coarser then. */
        this.software = drawsInSoftware(this.renderer.getContext());
        this.light = new Light();
        this.views = [0, 1].map((index) => makeView(index,
            {light: this.light, redraw: onChange, onLost}, this.software));
        canvas.addEventListener('webglcontextlost', (event) => {
            event.preventDefault();
            this.alive = false;
        });
        canvas.addEventListener('webglcontextrestored', () => {
            this.alive = true;
            onChange();
        });
    }

    resize(width, height) {
        this.width = width;
        this.height = height;
        this.ratio = Math.min(this.software ? 1 : 2, globalThis.devicePixelRatio || 1);
        this.renderer.setSize(width, height, false);
    }

    /** @param {boolean} full the whole picture, not one of many that move */
    begin(full) {
        const ratio = this.software && !full ? this.ratio * MOVING_SHARE : this.ratio;
        if (this.renderer.getPixelRatio() !== ratio) {
            this.renderer.setPixelRatio(ratio);
        }
        this.renderer.info.reset();
    }

    /** Draws a slot. @param {{area, orbit, camera(), colors, selected, full, clipping(camera)}}
     *     options full: with shadows; clipping: planes that cut what is drawn, but not what tools
     *     draw on top */
    draw(index, {area, orbit, camera: cameraOf, colors, selected, full, clipping}) {
        const {renderer, light} = this;
        const view = this.views[index];
        view.body.update();
        const bounds = boundsOf(view);
        fitCamera(orbit, bounds, view.offset);
        const camera = cameraOf();
        view.body.fadeWires(orbit.metresPerPixel(area.height));
        light.follow(camera);
        light.uniforms.uGround.value = bounds.ground;
        if (full) {
            view.shadows.draw(renderer, view.scene, bounds);
        }
        view.shadows.use(bounds, full);
        view.stage.fit(bounds, view.shadows.floor.texture);
        view.stage.setColors(colors.line, colors.light, full);
        view.outline.set((selected?.paths ?? []).flatMap((path) => view.body.findAll(path)),
            selected?.surface ?? null);
        view.outline.prepare(colors.accent, area.width, area.height);
        renderer.setViewport(area.x, 0, area.width, area.height);
        renderer.setScissor(area.x, 0, area.width, area.height);
        renderer.setScissorTest(true);
        renderer.setClearColor(colors.background);
        renderer.clear();
        renderer.clippingPlanes = clipping(camera);
        renderer.render(view.scene, camera);
        renderer.clippingPlanes = [];
        renderer.clear(false, true, true);
        renderer.render(view.overlayScene, camera);
        renderer.setScissorTest(false);
    }
}

function drawsInSoftware(context) {
    const info = context.getExtension('WEBGL_debug_renderer_info');
    const name = info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
    return /swiftshader|llvmpipe|software/i.test(name);
}

function makeView(index, scene, software) {
    const view = {scene: new Scene(), overlayScene: new Scene(), overlay: new Group(),
        body: new Body(index, scene), stage: new Stage(), outline: new Outline(),
        shadows: new Shadows(scene.light, software ? 1024 : 2048),
        offset: new Vector3(), ground: null, placed: false};
    view.scene.add(view.body.group, view.stage.floor);
    view.overlayScene.add(view.outline.group, view.overlay);
    return view;
}

// The sphere around what is shown, and the floor: as low as the model lies at first.
function boundsOf(view) {
    const box = view.body.box();
    if (view.body.serial === null) {
        view.ground = null;
    }
    if (box.isEmpty()) {
        return {centre: new Vector3(0, 1, 0), radius: 1, ground: 0};
    }
    view.ground ??= box.min.y;
    const {center, radius} = box.getBoundingSphere(new Sphere());
    return {centre: center, radius: Math.max(radius, 1e-4), ground: view.ground};
}

function fitCamera(orbit, {centre, radius}, offset) {
    orbit.fit(centre.clone().sub(offset), radius);
}
