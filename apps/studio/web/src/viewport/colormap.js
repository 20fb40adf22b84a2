// SPDX-License-Identifier: Apache-2.0
//
// Colours of numbers, the same as those of pictures (src/render/colormap.c): laid out in Oklab
// (B. Ottosson 2020), readable for the colour-blind.

// [place, lightness, chroma, hue in degrees]
const MAPS = {
    viridis: [[0, 0.275, 0.115, 312], [0.25, 0.43, 0.105, 268], [0.5, 0.585, 0.082, 206],
        [0.75, 0.745, 0.138, 151], [1, 0.905, 0.18, 104]],
    'cool-warm': [[0, 0.48, 0.165, 264], [0.3, 0.73, 0.085, 259], [0.5, 0.9, 0, 259],
        [0.5, 0.9, 0, 45], [0.7, 0.73, 0.095, 40], [1, 0.48, 0.175, 26]],
    flesh: [[0, 0.84, 0.058, 20], [0.5, 0.61, 0.155, 24], [1, 0.35, 0.135, 26]],
};

const clamp01 = (x) => Math.min(1, Math.max(0, x));

function fromOklab(lightness, a, b) {
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s].map(clamp01);
}

/** The colour of t in [0, 1], linear red, green, blue. */
function mapColor(name, t) {
    const controls = MAPS[name];
    const at = clamp01(t);
    let i = 0;
    while (i + 2 < controls.length && at > controls[i + 1][0]) {
        ++i;
    }
    const [a, b] = [controls[i], controls[i + 1]];
    const s = b[0] > a[0] ? (at - a[0]) / (b[0] - a[0]) : 1;
    const [lightness, chroma, degrees] = [1, 2, 3].map((k) => a[k] + s * (b[k] - a[k]));
    const hue = degrees * Math.PI / 180;
    return fromOklab(lightness, chroma * Math.cos(hue), chroma * Math.sin(hue));
}

function encode(linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

const toBytes = (color) => color.map((each) => Math.round(255 * encode(each)));

/** The same as bytes of sRGB. */
export function mapBytes(name, t) {
    return toBytes(mapColor(name, t));
}

/** So many colours of components stay apart, then they come again. */
export const COMPONENT_COLORS = 16;

/**
 * The colour of a component, by its surface, as bytes of sRGB; as sn_component_color. Lightness
 * and hue go their own ways, so that any two differ for the colour-blind, too.
 */
export function componentBytes(surface) {
    const i = surface % COMPONENT_COLORS;
    const lightness = 0.36 + 0.56 * ((0.767 + 0.6113 * i) % 1);
    const hue = 2 * Math.PI * ((0.1172 + 0.6733 * i) % 1);
    return toBytes(fromOklab(lightness, 0.13 * Math.cos(hue), 0.13 * Math.sin(hue)));
}

/**
 * What can be shown by colour, as sn_quantity_range says it: name on the wire, title, unit, map,
 * range; legends show values times `scale`. A range of null is taken from the values, the same to
 * both sides of 0, or from `least` on. `of` is the layer that has it; `categories` are numbers of
 * components, each in a colour of its own.
 */
export const QUANTITIES = [
    {name: 'stretch', title: 'Stretch', unit: 'length / rest length', map: 'cool-warm', of: 'skin',
        range: [0.67, 1.33]},
    {name: 'largest-stretch', title: 'Largest stretch', unit: 'of triangles; 1 at rest',
        map: 'viridis', of: 'skin', range: [1, 3]},
    {name: 'weights', title: 'Weights', unit: '0 to 1', map: 'viridis', of: 'skin', range: [0, 1]},
    {name: 'depth', title: 'Depth', unit: 'mm above bone or muscle', map: 'cool-warm', of: 'skin',
        range: null, scale: 1000},
    {name: 'contact', title: 'Contact', unit: 'mm moved where parts touch', map: 'flesh',
        of: 'skin', range: null, least: 0, scale: 1000},
    {name: 'component', title: 'Components', unit: 'what points hang on', map: null, of: 'skin',
        range: [0, 1], categories: true},
    {name: 'shortening', title: 'Shortening', unit: '1 = 75 % of rest length', map: 'flesh',
        of: 'muscle', range: [0, 1]},
    {name: 'activation', title: 'Activation', unit: '0 to 1', map: 'flesh', of: 'muscle',
        range: [0, 1]},
    {name: 'volume', title: 'Volume change', unit: '% of rest volume', map: 'cool-warm',
        of: 'muscle', range: [-0.2, 0.2], scale: 100},
];

export function findQuantity(name) {
    return QUANTITIES.find((each) => each.name === name) ?? null;
}
