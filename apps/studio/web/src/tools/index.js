// SPDX-License-Identifier: Apache-2.0
//
// The tools, in the order of their buttons. A tool is one file:
//     export default {id, title, icon, key, help, enter(studio), leave(), panel(element),
//                     pointerDown(event), pointerMove(event), pointerUp(event), keyDown(event)}
// Methods that return true have taken the event. `inBar: false`: it is taken in hand elsewhere.
import cylinder from './cylinder.js';
import draw from './draw.js';
import face from './face.js';
import keypose from './keypose.js';
import landmarks from './landmarks.js';
import mirror from './mirror.js';
import paint from './paint.js';
import pose from './pose.js';
import select from './select.js';
import sets from './sets.js';
import slice from './slice.js';

export const tools = [select, draw, cylinder, pose, mirror, paint, sets, keypose, face,
    landmarks, slice];
