// SPDX-License-Identifier: Apache-2.0
//
// A line around what is selected, seen through everything: the surface marks its pixels in the
// stencil, then a hull that is some pixels larger is drawn everywhere else.
import {
    AlwaysStencilFunc, BackSide, Color, DoubleSide, Group, KeepStencilOp, Mesh, MeshBasicMaterial,
    NotEqualStencilFunc, ReplaceStencilOp, ShaderMaterial, Vector2,
} from 'three';

const WIDTH = 2.5; // pixels

const vertexShader = /* glsl */ `
uniform vec2 uSize;
uniform float uWidth;
void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec2 outward = (projectionMatrix * vec4(normalMatrix * normal, 0.0)).xy * uSize;
    float size = length(outward);
    gl_Position.xy += (size > 0.0 ? outward / size : vec2(0.0)) * 2.0 * uWidth / uSize *
        gl_Position.w;
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
    constructor() {
        this.mark = new MeshBasicMaterial({colorWrite: false, depthWrite: false, depthTest: false,
            side: DoubleSide, stencilWrite: true, stencilRef: 1, stencilFunc: AlwaysStencilFunc,
            stencilZPass: ReplaceStencilOp, stencilZFail: ReplaceStencilOp});
        this.hull = new ShaderMaterial({vertexShader, fragmentShader, depthWrite: false,
            depthTest: false, side: BackSide, stencilWrite: true, stencilRef: 1,
            stencilFunc: NotEqualStencilFunc, stencilZPass: KeepStencilOp,
            uniforms: {uColor: {value: new Color()}, uWidth: {value: WIDTH},
                uSize: {value: new Vector2(1, 1)}}});
        this.group = new Group();
    }

    /** Marks a drawable; null: none. */
    set(drawable) {
        this.group.clear();
        if (drawable === null || !drawable.geometry.getAttribute('normal')) {
            return;
        }
        this.hull.side = drawable.surface.closed ? BackSide : DoubleSide;
        [this.mark, this.hull].forEach((material, order) => {
            const mesh = new Mesh(drawable.geometry, material);
            mesh.frustumCulled = false;
            mesh.renderOrder = order - 10;
            this.group.add(mesh);
        });
    }

    prepare(color, width, height) {
        this.hull.uniforms.uColor.value.set(color);
        this.hull.uniforms.uSize.value.set(width, height);
    }
}
