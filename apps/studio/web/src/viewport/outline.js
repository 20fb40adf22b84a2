// SPDX-License-Identifier: Apache-2.0
//
// A line around what is selected, seen through everything: the surfaces mark their pixels in the
// stencil, then they are drawn again, moved by some pixels to all sides, everywhere else. Of an
// entry with mirror images all have a line; that of the one that was clicked is the widest.
import {
    AlwaysStencilFunc, Color, DoubleSide, Group, KeepStencilOp, Mesh, MeshBasicMaterial,
    NotEqualStencilFunc, ReplaceStencilOp, ShaderMaterial, Vector2,
} from 'three';

const WIDTH = 2; // pixels
const OTHERS_WIDTH = 1; // of images beside the one that was clicked
const SIDES = 8;
/** With more triangles they are not drawn so often: they grow along their normals instead. */
const MANY_TRIANGLES = 30000;

const vertexShader = /* glsl */ `
uniform vec2 uSize, uSide;
uniform float uWidth;
void main() {
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * seen;
    vec2 outward = uSide;
    if (uSide == vec2(0.0)) {
        vec2 along = (projectionMatrix * vec4(normalMatrix * normal, 0.0)).xy * uSize;
        outward = length(along) > 0.0 ? normalize(along) : vec2(0.0);
    }
    gl_Position.xy += outward * 2.0 * uWidth / uSize * gl_Position.w;
}
`;
const fragmentShader = /* glsl */ `
uniform vec3 uColor;
void main() {
    gl_FragColor = vec4(uColor, 1.0);
    #include <colorspace_fragment>
}
`;

export class Outline {
    #shown = '';

    constructor() {
        this.color = {value: new Color()};
        this.size = {value: new Vector2(1, 1)};
        this.mark = new MeshBasicMaterial({colorWrite: false, depthWrite: false, depthTest: false,
            side: DoubleSide, stencilWrite: true, stencilRef: 1, stencilFunc: AlwaysStencilFunc,
            stencilZPass: ReplaceStencilOp, stencilZFail: ReplaceStencilOp});
        this.lines = new Map([WIDTH, OTHERS_WIDTH].map((width) => [width, this.#linesOf(width)]));
        this.group = new Group();
    }

    /** Marks drawables of one entry. @param {number|null} clicked which surface, null: all alike */
    set(drawables, clicked) {
        const shown = [clicked, ...drawables.map(({geometry}) => geometry.id)].join();
        if (shown === this.#shown) {
            return;
        }
        this.#shown = shown;
        this.group.clear();
        const count = drawables.reduce((sum, {surface}) => sum + surface.triangleCount, 0);
        const apart = drawables.some(({surface}) => surface.index === clicked);
        for (const {geometry, surface} of drawables) {
            const width = apart && surface.index !== clicked ? OTHERS_WIDTH : WIDTH;
            const {grown, moved} = this.lines.get(width);
            const many = count > MANY_TRIANGLES && geometry.getAttribute('normal');
            [this.mark, ...(many ? [grown] : moved)].forEach((material, order) => {
                const mesh = new Mesh(geometry, material);
                mesh.frustumCulled = false;
                mesh.renderOrder = order - 100;
                this.group.add(mesh);
            });
        }
    }

    prepare(color, width, height) {
        this.color.value.set(color);
        this.size.value.set(width, height);
    }

    #linesOf(width) {
        const sides = Array.from({length: SIDES}, (_, i) => 2 * Math.PI * i / SIDES);
        return {grown: this.#line(width, new Vector2(0, 0)), moved: sides.map((angle) =>
            this.#line(width, new Vector2(Math.cos(angle), Math.sin(angle))))};
    }

    #line(width, side) {
        return new ShaderMaterial({vertexShader, fragmentShader, depthWrite: false,
            depthTest: false, side: DoubleSide, stencilWrite: true, stencilRef: 1,
            stencilFunc: NotEqualStencilFunc, stencilZPass: KeepStencilOp,
            uniforms: {uColor: this.color, uSize: this.size, uWidth: {value: width},
                uSide: {value: side}}});
    }
}
