// SPDX-License-Identifier: Apache-2.0
//
// The clip `jaw`: the rex opens its mouth, snaps it shut, and snarls. It begins and ends with the
// mouth shut and loops.
#include "scenes/rex_shape.h"

#define SHUT (-SCN_REX_GAPE_DEG + 1)

static const scn_key jaw[] = {{0, SHUT},    {0.35, SHUT}, {1.0, 24},   {1.3, 25},   {1.55, SHUT},
                              {2.05, SHUT}, {2.4, -9},    {2.75, -10}, {3.1, SHUT}, {3.2, SHUT}};
static const scn_key bite[] = {{0, 0}, {1.45, 0}, {1.62, 1}, {2.0, 0.9}, {2.3, 0}, {3.2, 0}};
static const scn_key snarl[] = {{0, 0},      {0.5, 0.1}, {1.0, 0.55},  {1.35, 0.5}, {1.6, 0},
                                {2.05, 0.1}, {2.4, 1},   {2.75, 0.95}, {3.1, 0.05}, {3.2, 0}};
static const scn_key flare[] = {{0, 0},     {0.3, 0.8}, {0.9, 1},   {1.5, 0.1},
                                {2.2, 0.2}, {2.5, 1},   {2.9, 0.6}, {3.2, 0}};
static const scn_key swallow[] = {{0, 0}, {1.7, 0}, {2.0, 1}, {2.3, 0}, {3.2, 0}};
static const scn_key nod[] = {{0, 0},   {0.35, 3}, {1.0, -13}, {1.3, -13},
                              {1.6, 8}, {2.1, 3},  {3.2, 0}};
static const scn_key neck[] = {{0, 0}, {0.4, -3}, {1.05, 5}, {1.6, 8}, {2.2, 1}, {3.2, 0}};
static const scn_key turn[] = {{0, 0}, {1.6, 0}, {2.35, 12}, {2.8, 12}, {3.2, 0}};

#define TRACK(name, keys)                                                                          \
    { name, sizeof keys / sizeof *keys, keys }

static const scn_track tracks[] = {
    TRACK("jaw.rx", jaw),   TRACK("head.rx", nod),     TRACK("neck_3.rx", neck),
    TRACK("head.rz", turn), TRACK("bite", bite),       TRACK("snarl", snarl),
    TRACK("flare", flare),  TRACK("swallow", swallow),
};

const scn_clip *scn_rex_clips(void) {
    static const scn_clip clips[] = {
        {"jaw", 30, 97, sizeof tracks / sizeof *tracks, tracks, NULL},
        {NULL, 0, 0, 0, NULL, NULL},
    };
    return clips;
}
