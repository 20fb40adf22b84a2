// SPDX-License-Identifier: Apache-2.0
//
// Keys that turn, move and zoom the camera, as in Blender; for keyboards without a number pad the
// digits above the letters do the same.
import {isTyping} from '../core/shortcuts.js';

const STEP = Math.PI / 12; // radians
const PAN = 0.1; // of the height of the view
const ZOOM = 1.25;

/** Standard views: name, what menus call it, keys. */
export const VIEW_ITEMS = [['front', 'Front', ['Numpad1', '1']],
    ['back', 'Back', ['Ctrl+Numpad1']], ['right', 'Right', ['Numpad3', '3']],
    ['left', 'Left', ['Ctrl+Numpad3']], ['top', 'Top', ['Numpad7', '7']],
    ['bottom', 'Bottom', ['Ctrl+Numpad7']]];

const TURNS = [['left', ['Numpad4', '4'], -1, 0], ['right', ['Numpad6', '6'], 1, 0],
    ['up', ['Numpad8', '8'], 0, 1], ['down', ['Numpad2', '2'], 0, -1]];

const MOVES = [['left', ['Ctrl+Numpad4', 'Ctrl+Left'], 1, 0],
    ['right', ['Ctrl+Numpad6', 'Ctrl+Right'], -1, 0],
    ['up', ['Ctrl+Numpad8', 'Ctrl+Up'], 0, 1], ['down', ['Ctrl+Numpad2', 'Ctrl+Down'], 0, -1]];

/** The camera's shortcuts: [{keys, title, run}]. */
export function cameraShortcuts(viewport) {
    const {orbit} = viewport;
    const move = (x, y) => orbit.pan(x * PAN * viewport.viewHeight, y * PAN * viewport.viewHeight,
        viewport.viewHeight);
    // In a text box Ctrl and an arrow go from word to word.
    const when = () => !isTyping(document.activeElement);
    return [
        ...VIEW_ITEMS.map(([name, label, keys]) => ({keys, run: () => viewport.setView(name),
            title: `View from the ${label.toLowerCase()}`})),
        {keys: ['Numpad9', '9'], title: 'View from the other side', run: () => orbit.turnAround()},
        {keys: ['Numpad5', '5'], title: 'Switch between orthographic and perspective',
            run: () => viewport.setOrthographic(!orbit.orthographic)},
        ...TURNS.map(([direction, keys, x, y]) => ({keys, title: `Turn the view ${direction}`,
            run: () => orbit.step(x * STEP, y * STEP)})),
        ...MOVES.map(([direction, keys, x, y]) => ({keys, title: `Move the view ${direction}`,
            run: () => move(x, y), when})),
        {keys: ['NumpadAdd', '+', '='], title: 'Zoom in', run: () => orbit.zoom(1 / ZOOM)},
        {keys: ['NumpadSubtract', '-'], title: 'Zoom out', run: () => orbit.zoom(ZOOM)},
    ];
}
