// SPDX-License-Identifier: Apache-2.0
//
// Brings to sight what was made below the skin; the camera stays.

function makeVisible(viewport, layer) {
    if (viewport.layers.skin.mode === 'shown') {
        viewport.setLayer('skin', 'clear');
    }
    if (viewport.layers[layer].mode === 'hidden') {
        viewport.setLayer(layer, 'shown');
    }
}

export function showMuscles({viewport}) {
    makeVisible(viewport, 'muscle');
}

export function showDriver({viewport}) {
    makeVisible(viewport, 'driver');
}
