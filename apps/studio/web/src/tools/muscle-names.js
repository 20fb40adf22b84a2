// SPDX-License-Identifier: Apache-2.0
//
// Names of muscles: which are taken, and what goes along when one gets another name.
import {apply} from '../document/ops.js';
import {join} from '../document/pointer.js';
import {renameOps} from '../document/references.js';

/** Names that a new muscle cannot have: a control of its name would be one with its own. */
export function namesTaken(document) {
    return [document?.muscles, document?.controls].flatMap((map) => Object.keys(map ?? {}));
}

/** Whether a control of the muscle's name contracts this muscle alone. */
function hasOwnControl({muscles, controls = {}}, name) {
    const uses = (muscle) => [muscle.contraction, muscle.tension].includes(name);
    return Object.hasOwn(controls, name) && uses(muscles[name]) &&
        Object.entries(muscles).every(([other, muscle]) => other === name || !uses(muscle));
}

/** Gives a muscle another name, everywhere; its own control is called after it. */
export function renameMuscleOps(schema, document, muscle, name) {
    const ops = renameOps(schema, document, join('muscles', muscle), name);
    const along = hasOwnControl(document, muscle) && !Object.hasOwn(document.controls, name);
    return !along ? ops
        : [...ops, ...renameOps(schema, apply(document, ops), join('controls', muscle), name)];
}
