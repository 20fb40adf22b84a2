// SPDX-License-Identifier: Apache-2.0
//
// Numbers and marks that change with every frame are read by people: while a clip plays they are
// shown some times a second, so that the browser has its time for the character.

const WHILE_PLAYING = 66; // milliseconds from one showing to the next

/**
 * Wraps what shows such a thing: however often the result is called, `show` runs at most once for
 * a picture of the browser, and always once more after the last call. Measurements of all the rest
 * set `studio.marksPaused`.
 */
export function calmly(studio, show) {
    let waiting = false;
    let last = -Infinity;
    const turn = (now) => {
        const soon = studio.time.playing && now - last < WHILE_PLAYING;
        if (soon || studio.marksPaused) {
            requestAnimationFrame(turn);
            return;
        }
        waiting = false;
        last = now;
        show();
    };
    return () => {
        if (!waiting) {
            waiting = true;
            requestAnimationFrame(turn);
        }
    };
}
