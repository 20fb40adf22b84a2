// SPDX-License-Identifier: Apache-2.0
//
// Skeletons of several bodies: a scene of two people, a rider on a horse. A body is a left and a
// right thigh whose nearest common segment, the pelvis, is neither above nor below that of other
// thighs. One of them is kept, that of which names know the most parts; of equals the first.
#include "motion/body.h"

// More are not told apart.
#define BODIES_MOST 64

typedef struct bodies {
    const sn_skeleton *skeleton;
    const uint32_t *depths; // segment_count
    const sni_body_role *roles;
    uint32_t pelvis[BODIES_MOST];
    uint32_t parts[BODIES_MOST]; // how many segments of it are parts
    uint32_t count;
} bodies;

// The segment nearest to both that carries them, SN_NONE where none does.
static uint32_t fork_of(const bodies *b, uint32_t s, uint32_t t) {
    while (s != t && s != SN_NONE && t != SN_NONE) {
        if (b->depths[s] >= b->depths[t]) {
            s = b->skeleton->segments[s].parent;
        } else {
            t = b->skeleton->segments[t].parent;
        }
    }
    return s == t ? s : SN_NONE;
}

// How far from the root the fork of two segments is, from 1; 0 where they have none.
static uint32_t nearness(const bodies *b, uint32_t s, uint32_t t) {
    uint32_t fork = fork_of(b, s, t);
    return fork != SN_NONE ? b->depths[fork] + 1 : 0;
}

static bool is_thigh(const bodies *b, uint32_t segment, sni_body_side side) {
    return b->roles[segment].part == SNI_BODY_THIGH && b->roles[segment].side == side;
}

// The fork of a left thigh and the right thigh that is nearest to it.
static uint32_t pelvis_of(const bodies *b, uint32_t thigh) {
    uint32_t best = SN_NONE, most = 0;
    for (uint32_t i = 0; i < b->skeleton->segment_count; ++i) {
        uint32_t near = is_thigh(b, i, SNI_SIDE_RIGHT) ? nearness(b, thigh, i) : 0;
        if (near > most) {
            most = near;
            best = fork_of(b, thigh, i);
        }
    }
    return best;
}

static void find_pelvises(bodies *b) {
    for (uint32_t i = 0; i < b->skeleton->segment_count && b->count < BODIES_MOST; ++i) {
        uint32_t pelvis = is_thigh(b, i, SNI_SIDE_LEFT) ? pelvis_of(b, i) : SN_NONE;
        bool is_new = pelvis != SN_NONE;
        for (uint32_t k = 0; k < b->count && is_new; ++k) {
            uint32_t fork = fork_of(b, pelvis, b->pelvis[k]);
            is_new = fork != pelvis && fork != b->pelvis[k];
        }
        if (is_new) {
            b->pelvis[b->count++] = pelvis;
        }
    }
}

// The body that a segment is nearest to; SN_NONE where several are as near.
static uint32_t nearest_body(const bodies *b, uint32_t segment) {
    uint32_t best = SN_NONE, most = 0;
    for (uint32_t k = 0; k < b->count; ++k) {
        uint32_t near = nearness(b, segment, b->pelvis[k]);
        if (near > most) {
            most = near;
            best = k;
        } else if (near == most) {
            best = SN_NONE;
        }
    }
    return best;
}

uint32_t sni_body_keep_one(const sn_skeleton *skeleton, const uint32_t *depths,
                           sni_body_role *roles, uint32_t *pelvis) {
    bodies b = {.skeleton = skeleton, .depths = depths, .roles = roles};
    uint32_t kept = 0;
    find_pelvises(&b);
    *pelvis = b.count > 0 ? b.pelvis[0] : SN_NONE;
    if (b.count < 2) {
        return b.count;
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t body = roles[i].part != SNI_BODY_NONE ? nearest_body(&b, i) : SN_NONE;
        if (body != SN_NONE) {
            b.parts[body]++;
        }
    }
    for (uint32_t k = 1; k < b.count; ++k) {
        kept = b.parts[k] > b.parts[kept] ? k : kept;
    }
    *pelvis = b.pelvis[kept];
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t body = nearest_body(&b, i);
        if (body != SN_NONE && body != kept) {
            roles[i].part = SNI_BODY_NONE;
        }
    }
    return b.count;
}
