// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';

import {besideTarget, kept, overlap} from '../../apps/studio/web/src/start/tour-place.js';

const CARD = {width: 320, height: 180};

for (const room of [{width: 1024, height: 768}, {width: 1280, height: 720}]) {
    test(`the card stands beside its target all over ${room.width}x${room.height}`, () => {
        for (let left = 0; left <= room.width - 60; left += 60) {
            for (let top = 0; top <= room.height - 30; top += 30) {
                const target = {left, top, width: 60, height: 30};
                const place = besideTarget(CARD, room, target);
                assert.deepEqual(place, kept(place, CARD, room), 'in the window');
                assert.equal(overlap({...place, ...CARD}, target), 0, `at ${left}, ${top}`);
            }
        }
    });

    test(`the card leaves the viewport free at ${room.width}x${room.height}`, () => {
        const view = {left: 228, top: 39, width: room.width - 540, height: room.height - 208};
        const place = besideTarget(CARD, room, view);
        const share = overlap({...place, ...CARD}, view) / (view.width * view.height);
        assert.ok(share < 0.1, `${share} of it is covered`);
    });
}

test('without a target the card stands in the middle, in the window', () => {
    const room = {width: 1024, height: 768};
    assert.deepEqual(besideTarget(CARD, room, null), {left: 352, top: 528});
    assert.deepEqual(kept({left: -50, top: 5000}, CARD, room), {left: 12, top: 576});
});
