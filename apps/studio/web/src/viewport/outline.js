// SPDX-License-Identifier: Apache-2.0
//
// A line around what is selected, seen through everything: the surface marks its pixels in the
// stencil, then it is drawn again, moved by some pixels to all sides, everywhere else.
import {
    AlwaysStencilFunc, Color, DoubleSide, Group, KeepStencilOp, Mesh, MeshBasicMaterial,
    NotEqualStencilFunc, ReplaceStencilOp, ShaderMaterial, Vector2,
} from 'three';

const WIDTH = 2; // pixels
const SIDES = 8;
/** Surfaces with more triangles are not drawn so often: they grow along their normals instead. */
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
    #drawable = null;

    constructor() {
        this.color = {value: new Color()};
        this.size = {value: new Vector2(1, 1)};
        this.mark = new MeshBasicMaterial({colorWrite: false, depthWrite: false, depthTest: false,
            side: DoubleSide, stencilWrite: true, stencilRef: 1, stencilFunc: AlwaysStencilFunc,
            stencilZPass: ReplaceStencilOp, stencilZFail: ReplaceStencilOp});
        this.grown = this.#line(new Vector2(0, 0));
        this.moved = Array.from({length: SIDES}, (_, i) => this.#line(new Vector2(
            Math.cos(2 * Math.PI * i / SIDES), Math.sin(2 * Math.PI * i / SIDES))));
        this.group = new Group();
    }

    /** Marks a drawable; null: none. */
    set(drawable) {
        if (drawable === this.#drawable) {
            return;
        }
        this.#drawable = drawable;
        this.group.clear();
        if (drawable !== null) {
            const many = drawable.surface.triangleCount > MANY_TRIANGLES;
            const lines = many && drawable.geometry.getAttribute('normal') ? [this.grown]
                : this.moved;
            [this.mark, ...lines].forEach((material, order) => {
                const mesh = new Mesh(drawable.geometry, material);
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

    #line(side) {
        return new ShaderMaterial({vertexShader, fragmentShader, depthWrite: false,
            depthTest: false, side: DoubleSide, stencilWrite: true, stencilRef: 1,
            stencilFunc: NotEqualStencilFunc, stencilZPass: KeepStencilOp,
            uniforms: {uColor: this.color, uSize: this.size, uWidth: {value: WIDTH},
                uSide: {value: side}}});
    }
}
