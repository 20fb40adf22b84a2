// SPDX-License-Identifier: Apache-2.0
//
// The arm's motions as tables of keys: time in seconds, angle in degrees.
#include "scenes/arm_shape.h"

#include <stddef.h>

// clang-format off

// curl: the elbow bends to 140 degrees and stretches again while the hand closes, turns its palm up
// and bends a little at the wrist.
static const scn_key curl_elbow[] = {{0, 0}, {0.15, 4}, {0.95, 140}, {1.08, 140}, {1.85, 4},
    {2, 0}};
static const scn_key curl_pronation[] = {{0, 0}, {0.70, -34}, {1.20, -34}, {2, 0}};
static const scn_key curl_wrist[] = {{0, 0}, {0.40, -6}, {1.00, 20}, {1.60, -6}, {2, 0}};
static const scn_key curl_knuckle[] = {{0, 0}, {0.20, 3}, {0.75, 55}, {1.25, 55}, {2, 0}};
static const scn_key curl_middle[] = {{0, 0}, {0.25, 4}, {0.80, 68}, {1.25, 68}, {2, 0}};
static const scn_key curl_last[] = {{0, 0}, {0.30, 3}, {0.85, 42}, {1.25, 42}, {2, 0}};
static const scn_key curl_thumb_1[] = {{0, 0}, {0.85, 14}, {1.25, 14}, {2, 0}};
static const scn_key curl_thumb_2[] = {{0, 0}, {0.90, 24}, {1.25, 24}, {2, 0}};
static const scn_key curl_thumb_3[] = {{0, 0}, {0.95, 38}, {1.25, 38}, {2, 0}};

// shake: water is shaken off the hand, four strokes to the second; the wrist follows the elbow by
// 0.06 s and the fingers follow the wrist.
static const scn_key shake_abduction[] = {{0, 0}, {0.25, 9}, {0.375, 3}, {0.50, 9}, {0.625, 3},
    {0.75, 9}, {0.875, 3}, {1.00, 9}, {1.125, 4}, {1.5, 0}};
static const scn_key shake_flexion[] = {{0, 0}, {0.20, 14}, {0.325, 8}, {0.45, 15}, {0.575, 8},
    {0.70, 15}, {0.825, 8}, {0.95, 15}, {1.075, 9}, {1.5, 0}};
static const scn_key shake_elbow[] = {{0, 0}, {0.20, 58}, {0.325, 26}, {0.45, 60}, {0.575, 26},
    {0.70, 60}, {0.825, 26}, {0.95, 60}, {1.075, 30}, {1.20, 40}, {1.5, 0}};
static const scn_key shake_pronation[] = {{0, 0}, {0.20, 20}, {1.10, 20}, {1.5, 0}};
static const scn_key shake_wrist[] = {{0, 0}, {0.14, 22}, {0.26, -18}, {0.385, 34}, {0.51, -20},
    {0.635, 34}, {0.76, -20}, {0.885, 34}, {1.01, -20}, {1.135, 28}, {1.26, -4}, {1.5, 0}};
static const scn_key shake_fingers[] = {{0, 0}, {0.17, 8}, {0.30, 24}, {0.425, -10}, {0.55, 24},
    {0.675, -10}, {0.80, 24}, {0.925, -10}, {1.05, 24}, {1.175, -8}, {1.30, 6}, {1.5, 0}};

#define KEYS(table) sizeof(table) / sizeof *(table), table
#define FINGER(name, first, second, third) \
    {name "_1.rx", KEYS(first)}, {name "_2.rx", KEYS(second)}, {name "_3.rx", KEYS(third)}

static const scn_track curl_tracks[] = {
    {"forearm.rx", KEYS(curl_elbow)},
    {"forearm_mid.ry", KEYS(curl_pronation)},
    {"forearm_end.ry", KEYS(curl_pronation)},
    {"hand.rx", KEYS(curl_wrist)},
    FINGER("thumb", curl_thumb_1, curl_thumb_2, curl_thumb_3),
    FINGER("index", curl_knuckle, curl_middle, curl_last),
    FINGER("middle", curl_knuckle, curl_middle, curl_last),
    FINGER("ring", curl_knuckle, curl_middle, curl_last),
    FINGER("little", curl_knuckle, curl_middle, curl_last),
};

static const scn_track shake_tracks[] = {
    {"upper_arm.rx", KEYS(shake_flexion)},
    {"upper_arm.rz", KEYS(shake_abduction)},
    {"forearm.rx", KEYS(shake_elbow)},
    {"forearm_mid.ry", KEYS(shake_pronation)},
    {"forearm_end.ry", KEYS(shake_pronation)},
    {"hand.rx", KEYS(shake_wrist)},
    FINGER("index", shake_fingers, shake_fingers, shake_fingers),
    FINGER("middle", shake_fingers, shake_fingers, shake_fingers),
    FINGER("ring", shake_fingers, shake_fingers, shake_fingers),
    FINGER("little", shake_fingers, shake_fingers, shake_fingers),
};

static const scn_clip clips[] = {
    {"curl", 30, 61, sizeof curl_tracks / sizeof *curl_tracks, curl_tracks,
     "The elbow bends to 140 degrees and stretches again; the hand closes and turns up."},
    {"shake", 30, 46, sizeof shake_tracks / sizeof *shake_tracks, shake_tracks,
     "Water is shaken off the hand: fast, small rotations that make flesh swing."},
    {NULL, 0, 0, 0, NULL, NULL},
};
// clang-format on

const scn_clip *scn_arm_clips(void) {
    return clips;
}
