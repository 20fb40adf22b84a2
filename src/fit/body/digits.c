// SPDX-License-Identifier: Apache-2.0
//
// Phalanges whose names do not say which they are. A digit is a chain: from each metacarpal or
// metatarsal the nearest phalanx that is still free, from that the next, at most three.
#include "fit/body/draft.h"

#include <string.h>

#define MOST_LEVELS 3

typedef struct group {
    sni_bone_limb limb;
    sni_bone_side side;
} group;

static sni_bone_limb limb_of_kind(sni_bone_kind kind) {
    return kind == SNI_BONE_METACARPAL || kind == SNI_BONE_CARPAL   ? SNI_LIMB_HAND
           : kind == SNI_BONE_METATARSAL || kind == SNI_BONE_TARSAL ? SNI_LIMB_FOOT
                                                                    : SNI_LIMB_NONE;
}

static bool is_long_kind(sni_bone_kind kind) {
    return kind == SNI_BONE_METACARPAL || kind == SNI_BONE_METATARSAL;
}

static bool is_phalanx_of(const sni_draft *d, uint32_t bone, group g) {
    return d->names[bone].kind == SNI_BONE_PHALANX && d->sides[bone] == g.side &&
           d->names[bone].limb == g.limb;
}

// A phalanx is of the limb whose other bones come nearest.
static void find_limb(sni_draft *d, uint32_t bone) {
    double best = INFINITY;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        sni_bone_limb limb = limb_of_kind(d->names[i].kind);
        if (limb == SNI_LIMB_NONE || d->sides[i] != d->sides[bone]) {
            continue;
        }
        double gap = sni_shape_gap(&d->shapes[bone], &d->shapes[i], best);
        if (gap < best) {
            best = gap;
            d->names[bone].limb = limb;
        }
    }
}

static bool needs_geometry(const sni_draft *d, group g) {
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (!is_phalanx_of(d, i, g)) {
            continue;
        }
        if (d->names[i].number == 0 || d->names[i].level == 0) {
            return true;
        }
        for (uint32_t k = 0; k < i; ++k) {
            if (is_phalanx_of(d, k, g) && d->names[k].number == d->names[i].number &&
                d->names[k].level == d->names[i].level) {
                return true;
            }
        }
    }
    return false;
}

// The pair of a chain's end and a free phalanx that come nearest to each other.
static bool nearest_pair(const sni_draft *d, group g, const uint8_t *is_end, const int *levels,
                         uint32_t *end, uint32_t *next) {
    double best = INFINITY;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (!is_end[i] || levels[i] >= MOST_LEVELS) {
            continue;
        }
        for (uint32_t k = 0; k < d->bone_count; ++k) {
            if (!is_phalanx_of(d, k, g) || levels[k] >= 0) {
                continue;
            }
            double gap = sni_shape_gap(&d->shapes[i], &d->shapes[k], best);
            if (gap < best) {
                best = gap;
                *end = i;
                *next = k;
            }
        }
    }
    return isfinite(best);
}

// Two metacarpals of one number: the digit that comes second takes the next free number.
static int free_digit(const int *taken_by, int wanted, uint32_t root) {
    int digit = wanted > 0 && wanted < 16 ? wanted : 1;
    while (digit < 15 && taken_by[digit] >= 0 && taken_by[digit] != (int)root) {
        ++digit;
    }
    return digit;
}

// What the names of a chain's phalanges say, else what its metacarpal's does.
static int named_digit(const sni_draft *d, const uint32_t *roots, uint32_t root) {
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (i != root && roots[i] == root && d->names[i].number > 0) {
            return d->names[i].number;
        }
    }
    return d->names[root].number;
}

static sn_status resolve_group(sni_draft *d, group g, sn_error *error) {
    sn_status status = SN_OK;
    uint8_t *is_end = NULL;
    int *levels = NULL;
    uint32_t *roots = NULL;
    int taken_by[16];
    memset(taken_by, -1, sizeof taken_by);
    SNI_NEW_ZERO(d->context, is_end, d->bone_count);
    SNI_NEW(d->context, levels, d->bone_count);
    SNI_NEW(d->context, roots, d->bone_count);
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        is_end[i] = is_long_kind(d->names[i].kind) && limb_of_kind(d->names[i].kind) == g.limb &&
                    d->sides[i] == g.side;
        levels[i] = is_end[i] ? 0 : -1;
        roots[i] = i;
    }
    uint32_t end = SN_NONE, next = SN_NONE;
    while (nearest_pair(d, g, is_end, levels, &end, &next)) {
        is_end[end] = 0;
        is_end[next] = 1;
        levels[next] = levels[end] + 1;
        roots[next] = roots[end];
    }
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (is_phalanx_of(d, i, g) && levels[i] > 0) {
            int digit = free_digit(taken_by, named_digit(d, roots, roots[i]), roots[i]);
            taken_by[digit] = (int)roots[i];
            d->names[i].number = digit;
            d->names[i].level = levels[i];
        }
    }
cleanup:
    sni_free(d->context, is_end);
    sni_free(d->context, levels);
    sni_free(d->context, roots);
    return status;
}

sn_status sni_draft_digits(sni_draft *d, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->names[i].kind == SNI_BONE_PHALANX && d->names[i].limb == SNI_LIMB_NONE) {
            find_limb(d, i);
        }
    }
    for (int side = SNI_BONE_NO_SIDE; side <= SNI_BONE_RIGHT; ++side) {
        for (int limb = SNI_LIMB_HAND; limb <= SNI_LIMB_FOOT; ++limb) {
            group g = {(sni_bone_limb)limb, (sni_bone_side)side};
            if (needs_geometry(d, g)) {
                SN_TRY(resolve_group(d, g, error));
            }
        }
    }
cleanup:
    return status;
}
