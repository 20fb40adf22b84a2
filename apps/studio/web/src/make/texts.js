// SPDX-License-Identifier: Apache-2.0
//
// What was made, in words.
import {counted} from '../core/texts.js';

const MOST_NAMED = 3;

/** "24 muscles added. Left out: hand (too short)" */
export function layoutText({muscles = [], expressions = [], skipped = []}) {
    const added = [counted(muscles.length, 'muscle')];
    if (expressions.length > 0) {
        added.push(counted(expressions.length, 'expression'));
    }
    return `${added.join(' and ')} added.${skippedText(skipped)}`;
}

function skippedText(skipped) {
    if (skipped.length === 0) {
        return '';
    }
    const named = skipped.slice(0, MOST_NAMED).map(({name, reason}) => `${name} (${reason})`);
    const more = skipped.length - named.length;
    return ` Left out: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

export function driverText({vertices, triangles, closed, limbs, note}, moves) {
    return `Made a driver mesh of ${counted(vertices, 'point')} and ` +
        `${counted(triangles, 'triangle')}, ${closed ? 'closed' : 'with open borders'}, on ` +
        `${counted(limbs, 'limb')}.${moves ? ' It now moves the skin.' : ''}` +
        (note === undefined ? '' : ` Note: ${note}.`);
}
