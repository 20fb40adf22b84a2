// SPDX-License-Identifier: Apache-2.0
//
// Puts the page together.
import {h} from './core/dom.js';
import {Layout, fillBar} from './core/layout.js';
import {isCovered} from './core/popups.js';
import {guardSelection} from './core/selecting.js';
import {Studio} from './core/studio.js';
import {Theme} from './core/theme.js';
import toolPanel from './core/tool-panel.js';
import {Toolbox} from './core/toolbox.js';
import {Wire, socketAddress} from './core/wire.js';
import {close} from './files/actions.js';
import {panels} from './panels/index.js';
import {listenForLoss} from './start/comeback.js';
import fileMenu from './start/file-menu.js';
import startPage from './start/start.js';
import {FibreAxes} from './tools/fibre-axes.js';
import {tools} from './tools/index.js';
import {Viewport} from './viewport/viewport.js';

function start() {
    const studio = new Studio(new Wire(socketAddress(location)));
    studio.theme = new Theme(studio);
    studio.layout = new Layout(studio);
    studio.toolbox = new Toolbox(studio, tools);
    studio.toolbox.addShortcuts('select');
    studio.viewport = new Viewport(studio, studio.layout.viewport,
        {onClose: (slot) => close(studio, slot)});
    studio.fibreAxes = new FibreAxes(studio);
    fillBar(studio.layout, studio);
    studio.layout.mount([fileMenu, startPage, ...panels, toolPanel]);
    listenForLoss(studio);
    studio.setTool('select');
    document.addEventListener('keydown', (event) => {
        if (!event.defaultPrevented && !isCovered() && !studio.viewport.keyDown(event)) {
            studio.shortcuts.handle(event);
        }
    });
    document.addEventListener('click', leaveButton);
    guardSelection(document);
    window.sinewStudio = studio;
    studio.wire.connect();
}

/** A click of the mouse leaves no focus on a button, so that Space plays; keys still reach it. */
function leaveButton(event) {
    const clicked = event.detail > 0 && document.activeElement?.closest('button');
    if (clicked && clicked.contains(event.target) && clicked.closest('dialog, .menu') === null) {
        clicked.blur();
    }
}

function canDraw() {
    return document.createElement('canvas').getContext('webgl2') !== null;
}

/** In place of an empty page. */
function explain() {
    new Theme({emit: () => {}}); // light or dark, as everywhere
    document.body.append(h('main', {class: 'no-webgl', role: 'alert'},
        h('h1', {}, 'The studio needs WebGL 2'),
        h('p', {}, 'This browser cannot draw in 3D. Switch on hardware acceleration in its ' +
            'settings, or use another browser. The pages chrome://gpu and about:support say why it ' +
            'is off; docs/studio.md has more.')));
}

if (canDraw()) {
    start();
} else {
    explain();
}
