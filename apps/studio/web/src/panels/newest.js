// SPDX-License-Identifier: Apache-2.0

/**
 * A request of which one is under way at a time; of those that come meanwhile only the newest is
 * made, so that a drag never queues up. busy() tells whether one is under way.
 * @param {(value) => Promise} request
 */
export function newest(request) {
    const empty = Symbol('nothing waits');
    let waiting = empty;
    let busy = false;
    const run = async (value) => {
        waiting = value;
        if (busy) {
            return;
        }
        busy = true;
        while (waiting !== empty) {
            const next = waiting;
            waiting = empty;
            // What the server refuses is shown by the studio; the next value may be fine.
            await request(next).catch(() => {});
        }
        busy = false;
    };
    run.busy = () => busy;
    return run;
}
