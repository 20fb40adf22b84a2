// SPDX-License-Identifier: Apache-2.0
//
// A field on a plane as three.js objects: colours, and lines of equal value, that of the surface
// broad and dark.
import {
    BufferAttribute, BufferGeometry, DataTexture, DoubleSide, FloatType, Group, Mesh, NearestFilter,
    RedFormat, ShaderMaterial, Vector2,
} from 'three';
import {LineMaterial} from 'three/addons/lines/LineMaterial.js';
import {LineSegments2} from 'three/addons/lines/LineSegments2.js';
import {LineSegmentsGeometry} from 'three/addons/lines/LineSegmentsGeometry.js';
import {isoLines} from './iso-lines.js';
import {mapTexture} from './map-textures.js';

/** The value of a field on its surface. */
const SURFACE = 0.5;
const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9];
const LINE = 0x101418;

const vertexShader = /* glsl */ `
varying vec2 vPlace;
void main() {
    vPlace = uv;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;

// Textures of floats are not smooth on every graphics card: four values are mixed here.
const fragmentShader = /* glsl */ `
uniform sampler2D uValues, uMap;
uniform vec2 uSize;
varying vec2 vPlace;
float valueAt(ivec2 place) {
    return texelFetch(uValues, clamp(place, ivec2(0), ivec2(uSize) - 1), 0).r;
}
void main() {
    vec2 place = vPlace * (uSize - 1.0);
    ivec2 corner = ivec2(floor(place));
    vec2 part = place - floor(place);
    float value = mix(mix(valueAt(corner), valueAt(corner + ivec2(1, 0)), part.x),
        mix(valueAt(corner + ivec2(0, 1)), valueAt(corner + ivec2(1, 1)), part.x), part.y);
    float cover = value >= ${SURFACE.toFixed(1)} ? 1.0 : 0.6 * smoothstep(0.0, 0.08, value);
    if (cover <= 0.0) {
        discard;
    }
    gl_FragColor = vec4(texture2D(uMap, vec2(value, 0.5)).rgb, cover);
    #include <colorspace_fragment>
}
`;

function makeLines(width, opacity) {
    const material = new LineMaterial({color: LINE, linewidth: width, transparent: true, opacity,
        depthTest: false, depthWrite: false, toneMapped: false});
    const lines = new LineSegments2(new LineSegmentsGeometry(), material);
    lines.frustumCulled = false;
    return lines;
}

export class SlicePicture {
    constructor() {
        this.group = new Group();
        this.group.visible = false;
        this.material = new ShaderMaterial({vertexShader, fragmentShader, transparent: true,
            depthTest: false, depthWrite: false, side: DoubleSide,
            uniforms: {uValues: {value: null}, uMap: {value: mapTexture('cool-warm')},
                uSize: {value: new Vector2()}}});
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(12), 3));
        geometry.setAttribute('uv', new BufferAttribute(new Float32Array([0, 0, 1, 0, 1, 1, 0, 1]), 2));
        geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.mesh = new Mesh(geometry, this.material);
        this.mesh.frustumCulled = false;
        this.thin = makeLines(1, 0.55);
        this.broad = makeLines(3, 1);
        [this.mesh, this.thin, this.broad].forEach((each, i) => {
            each.renderOrder = i + 1;
        });
        this.group.add(this.mesh, this.thin, this.broad);
        /** Lines of the surface, as they are drawn: x, y, z of both ends. For tests. */
        this.surface = new Float32Array();
    }

    /** @param {{columns, rows, origin, u, v, values}|null} slice null: nothing is shown */
    show(slice) {
        this.group.visible = slice !== null;
        if (slice === null) {
            return;
        }
        const {columns, rows, origin, u, v, values} = slice;
        const corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
        const position = this.mesh.geometry.getAttribute('position');
        corners.forEach(([s, t], i) => position.array.set(
            origin.map((x, k) => x + s * u[k] + t * v[k]), 3 * i));
        position.needsUpdate = true;
        this.#setValues(values, columns, rows);
        const lift = (flat) => lifted(flat, slice);
        this.surface = lift(isoLines(values, columns, rows, SURFACE));
        setLines(this.broad, this.surface);
        setLines(this.thin, lift(LEVELS.flatMap((level) => isoLines(values, columns, rows, level))));
    }

    #setValues(values, columns, rows) {
        const {uValues, uSize} = this.material.uniforms;
        if (uValues.value?.image.width !== columns || uValues.value.image.height !== rows) {
            uValues.value?.dispose();
            uValues.value = new DataTexture(new Float32Array(columns * rows), columns, rows,
                RedFormat, FloatType);
            uValues.value.minFilter = uValues.value.magFilter = NearestFilter;
            uSize.value.set(columns, rows);
        }
        uValues.value.image.data.set(values);
        uValues.value.needsUpdate = true;
    }
}

// Places on the grid become points of the world.
function lifted(flat, {columns, rows, origin, u, v}) {
    const points = new Float32Array(flat.length / 2 * 3);
    for (let i = 0, at = 0; i < flat.length; i += 2) {
        const [s, t] = [flat[i] / (columns - 1), flat[i + 1] / (rows - 1)];
        for (let k = 0; k < 3; ++k) {
            points[at++] = origin[k] + s * u[k] + t * v[k];
        }
    }
    return points;
}

// A geometry's buffers have one size, so that each picture has a geometry of its own.
function setLines(lines, points) {
    lines.visible = points.length > 0;
    if (lines.visible) {
        lines.geometry.dispose();
        lines.geometry = new LineSegmentsGeometry();
        lines.geometry.setPositions(points);
    }
}
