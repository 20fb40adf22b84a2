// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer does first: a muscle of two curves on the arm. Each step says what to do, points
// at the control to do it with (the first element that one of the selectors finds), and is over
// when the user has done it. The card stands beside that control, or beside what `beside` finds: a
// card beside a field of a panel would cover its neighbours. `memory` keeps what a step found when
// it began.

export const steps = [
    {
        id: 'open',
        title: 'Open the arm',
        text:
            'Click the picture of the arm. It has bones, a skin and one muscle. You will add ' +
            'another.',
        target: ['[data-testid="gallery-arm"]', '[data-testid="file-menu"]'],
        done: (studio) =>
            studio.slots[0].document?.name === 'arm' && studio.slots[0].model !== null,
    },
    {
        id: 'tool',
        title: 'Choose Draw',
        text:
            'Choose the Draw tool in the bar above, or press D. It makes muscles from curves ' +
            'that you draw on the skin.',
        target: ['[data-testid="tool-draw"]'],
        done: (studio) => studio.tool?.id === 'draw',
    },
    {
        id: 'first',
        title: 'Draw the first curve',
        text:
            'Press the left button on the upper arm near the shoulder, drag to the elbow and ' +
            'release. This is one edge of the muscle. To turn the view, drag beside the arm; ' +
            'to zoom, turn the wheel.',
        target: ['[data-testid="viewport"]'],
        begin: (studio, memory) => {
            memory.muscles = Object.keys(musclesOf(studio));
        },
        done: (studio, memory) =>
            curvesDrawn(studio) >= 1 || newMuscle(studio, memory) !== null,
    },
    {
        id: 'second',
        title: 'Draw the second curve',
        text:
            'Draw another curve beside the first, in the same direction. The muscle appears ' +
            'between the two as soon as you release.',
        target: ['[data-testid="viewport"]'],
        done: (studio, memory) => newMuscle(studio, memory) !== null,
    },
    {
        id: 'contract',
        title: 'Contract it',
        text:
            'The panel on the right has everything about your muscle. Drag the slider Contract ' +
            'to the right and release: the skin swells above the muscle.',
        target: ['[data-testid="contract"]', '[data-testid="tool-draw"]'],
        beside: ['[data-testid="viewport"]'],
        // Not while the slider is in the hand: the card would move away below the pointer.
        done: (studio, memory) =>
            heldContraction(studio, memory) > 0.2 &&
            document.querySelector('[data-testid="contract"] input:active') === null,
    },
    {
        id: 'drive',
        title: 'Let the elbow drive it',
        text:
            'Contract holds the muscle until you release it. Set Driven by to forearm.rx_deg, ' +
            'the angle of the elbow: the muscle is released, and contracts as the elbow bends.',
        target: ['[data-testid="driven-by"]', '[data-testid="tool-draw"]'],
        beside: ['[data-testid="viewport"]'],
        done: (studio, memory) => {
            const control = contractionOf(studio, memory);
            const {drivers = []} = studio.slots[0].document ?? {};
            return drivers.some((driver) => driver.control === control);
        },
    },
    {
        id: 'play',
        title: 'See it work',
        text: 'Play the clip, here or with Space. Ctrl+Z takes anything back, Ctrl+S saves.',
        target: ['[aria-label="Play"]', '[aria-label="Playback"]'],
        // Whoever skips the driver must not be left with a muscle that nothing moves.
        begin: (studio, memory) => {
            if (heldContraction(studio, memory) > 0) {
                studio.release([contractionOf(studio, memory)]);
            }
        },
        done: (studio) => studio.time.playing,
    },
];

function musclesOf(studio) {
    return studio.slots[0].document?.muscles ?? {};
}

/** The muscle that was made in the tour, or null. */
function newMuscle(studio, {muscles = []}) {
    const made = Object.keys(musclesOf(studio)).filter((name) => !muscles.includes(name));
    return made.length > 0 ? musclesOf(studio)[made.at(-1)] : null;
}

/** The control that contracts it. */
function contractionOf(studio, memory) {
    return newMuscle(studio, memory)?.contraction;
}

function heldContraction(studio, memory) {
    return studio.slots[0].held[contractionOf(studio, memory)] ?? 0;
}

function curvesDrawn(studio) {
    return studio.tool?.drawing?.current ?? 0;
}
