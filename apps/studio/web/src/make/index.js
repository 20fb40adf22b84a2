// SPDX-License-Identifier: Apache-2.0
//
// What the outliner's + makes for the character as a whole.
import {driverDialog} from './driver.js';
import {proposeDialog} from './propose.js';
import {reasonAgainst} from './reasons.js';

const ITEMS = [
    {what: 'muscles', label: 'Muscles for the whole body…', icon: 'muscle', run: proposeDialog},
    {what: 'face', label: 'Face muscles…', icon: 'skin', run: (studio) => studio.setTool('face')},
    {what: 'landmarks', label: 'Landmarks of a head…', icon: 'points',
        run: (studio) => studio.setTool('landmarks')},
    {what: 'driver', label: 'Driver mesh…', icon: 'driver', run: driverDialog},
];

/** Items of a menu; those that cannot work say why. */
export function makeItems(studio) {
    return ITEMS.map(({what, label, icon, run}) => {
        const reason = reasonAgainst(what, studio.active);
        return {label, icon, disabled: reason !== null, reason, run: () => run(studio)};
    });
}
