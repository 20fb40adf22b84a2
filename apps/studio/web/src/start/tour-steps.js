// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer does first: a muscle of two curves on the arm. Each step says what to do, points
// at the control to do it with (the first element that one of the selectors finds), and is over
// when the user has done it. `memory` keeps what a step found when it began.

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
            memory.muscles = muscleCount(studio);
        },
        done: (studio, memory) => curvesDrawn(studio) >= 1 || muscleCount(studio) > memory.muscles,
    },
    {
        id: 'second',
        title: 'Draw the second curve',
        text:
            'Draw another curve beside the first, in the same direction. The muscle appears ' +
            'between the two as soon as you release.',
        target: ['[data-testid="viewport"]'],
        done: (studio, memory) => muscleCount(studio) > memory.muscles,
    },
    {
        id: 'play',
        title: 'See it work',
        text:
            'Name your muscle in the panel on the right and press Done. Drag the slider ' +
            'Contract: the skin swells above the muscle. Further down, Driven by lets a ' +
            'joint contract it. Then play the clip. Ctrl+Z undoes, Ctrl+S saves.',
        target: ['[aria-label="Play"]', '[aria-label="Playback"]'],
        done: (studio) => studio.time.playing,
    },
];

function muscleCount(studio) {
    return Object.keys(studio.slots[0].document?.muscles ?? {}).length;
}

function curvesDrawn(studio) {
    return studio.tool?.drawing?.current ?? 0;
}
