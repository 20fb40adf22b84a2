// SPDX-License-Identifier: Apache-2.0
//
// What hangs on what. Named segments hang as anatomy has it; where a part is missing, on the next
// one towards the trunk. Bones without telling names are joined by Prim's algorithm to the least
// gaps: the minimum spanning tree of all bones, grown from what is named, or from the large bone
// nearest to the middle of the body.
#include "fit/body/draft.h"

// A bone smaller than this part of the whole body has no joint of its own, nor has one that
// touches its neighbour with more than this part of its surface.
static const double tiny_part = 0.006, touching_part = 0.25;

// Surfaces touch within this part of the root of the smaller one's area.
static const double touching_share = 0.01;

// The root has at least this much surface, as a part of the largest bone's.
static const double root_part = 0.35;

// ---------------------------------------------------------------------------------------------
// Bones that no name tells

typedef struct candidate {
    double gap;
    uint32_t neighbour; // that it comes nearest to of those on segments
} candidate;

static uint32_t central_bone(const sni_draft *d) {
    double largest = 0, area = 0, nearest = INFINITY;
    sn_vec3 middle = {0, 0, 0};
    uint32_t best = 0;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        largest = fmax(largest, d->shapes[i].area);
        area += d->shapes[i].area;
        middle = sn_vec3_add_scaled(middle, d->shapes[i].area, d->shapes[i].centroid);
    }
    middle = sn_vec3_scale(middle, 1 / area);
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        double distance = sn_vec3_distance(d->shapes[i].centroid, middle);
        if (d->shapes[i].area >= root_part * largest && distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

static bool is_part_of_neighbour(const sni_draft *d, uint32_t bone, const candidate *c) {
    const sni_shape *shape = &d->shapes[bone], *other = &d->shapes[c->neighbour];
    if (shape->size < tiny_part * d->size) {
        return true;
    }
    double reach = touching_share * sqrt(fmin(shape->area, other->area)), area = 0;
    for (uint32_t i = 0; i < shape->sample_count; ++i) {
        sn_closest closest;
        sn_accel_find_closest(other->accel, shape->samples[i].point, reach, &closest);
        area += closest.triangle != SN_NONE ? shape->samples[i].area : 0;
    }
    return area > touching_part * shape->area;
}

static sn_status put_on_own(sni_draft *d, uint32_t bone, uint32_t parent, sn_error *error) {
    uint32_t segment;
    sn_status status = sni_draft_add(d, SNI_SLOT_OTHER, SNI_BONE_NO_SIDE, 0, 0, &segment, error);
    if (status == SN_OK) {
        d->segments[segment].bone = bone;
        d->segments[segment].parent = parent;
        d->bone_segments[bone] = segment;
    }
    return status;
}

static void look_at(const sni_draft *d, candidate *candidates, uint32_t added) {
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->bone_segments[i] == SN_NONE) {
            double gap = sni_shape_gap(&d->shapes[i], &d->shapes[added], candidates[i].gap);
            if (gap < candidates[i].gap) {
                candidates[i] = (candidate){gap, added};
            }
        }
    }
}

static uint32_t nearest_candidate(const sni_draft *d, const candidate *candidates) {
    uint32_t best = SN_NONE;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->bone_segments[i] == SN_NONE &&
            (best == SN_NONE || candidates[i].gap < candidates[best].gap)) {
            best = i;
        }
    }
    return best;
}

// Teeth of which nobody says whether they are upper or lower ones go where they stand.
static bool is_carried(const sni_draft *d, uint32_t bone) {
    return d->names[bone].kind == SNI_BONE_TOOTH;
}

sn_status sni_draft_others(sni_draft *d, sn_error *error) {
    sn_status status = SN_OK;
    candidate *candidates = NULL;
    SNI_NEW(d->context, candidates, d->bone_count);
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        candidates[i] = (candidate){INFINITY, SN_NONE};
        d->guessed[i] = d->bone_segments[i] == SN_NONE;
    }
    if (d->segment_count == 0) {
        SN_TRY(put_on_own(d, central_bone(d), SN_NONE, error));
    }
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->bone_segments[i] != SN_NONE) {
            look_at(d, candidates, i);
        }
    }
    for (uint32_t next; (next = nearest_candidate(d, candidates)) != SN_NONE;) {
        uint32_t neighbour = d->bone_segments[candidates[next].neighbour];
        if (is_carried(d, next) || is_part_of_neighbour(d, next, &candidates[next])) {
            d->bone_segments[next] = neighbour;
        } else {
            SN_TRY(put_on_own(d, next, neighbour, error));
        }
        look_at(d, candidates, next);
    }
cleanup:
    sni_free(d->context, candidates);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Parents

// From each part the next one towards the hips. SNI_SLOT_COUNT: the trunk ends here.
static const sni_slot inwards[SNI_SLOT_COUNT] = {
    [SNI_SLOT_HIPS] = SNI_SLOT_COUNT,        [SNI_SLOT_SPINE] = SNI_SLOT_HIPS,
    [SNI_SLOT_CHEST] = SNI_SLOT_SPINE,       [SNI_SLOT_NECK] = SNI_SLOT_CHEST,
    [SNI_SLOT_HEAD] = SNI_SLOT_NECK,         [SNI_SLOT_JAW] = SNI_SLOT_HEAD,
    [SNI_SLOT_HYOID] = SNI_SLOT_NECK,        [SNI_SLOT_CLAVICLE] = SNI_SLOT_CHEST,
    [SNI_SLOT_SCAPULA] = SNI_SLOT_CLAVICLE,  [SNI_SLOT_SOCKET] = SNI_SLOT_SCAPULA,
    [SNI_SLOT_UPPER_ARM] = SNI_SLOT_SCAPULA, [SNI_SLOT_FOREARM] = SNI_SLOT_UPPER_ARM,
    [SNI_SLOT_RADIUS] = SNI_SLOT_FOREARM,    [SNI_SLOT_WRIST] = SNI_SLOT_RADIUS,
    [SNI_SLOT_HAND] = SNI_SLOT_RADIUS,       [SNI_SLOT_FINGER] = SNI_SLOT_HAND,
    [SNI_SLOT_THIGH] = SNI_SLOT_HIPS,        [SNI_SLOT_PATELLA] = SNI_SLOT_THIGH,
    [SNI_SLOT_SHIN] = SNI_SLOT_THIGH,        [SNI_SLOT_FOOT] = SNI_SLOT_SHIN,
    [SNI_SLOT_TOE] = SNI_SLOT_FOOT,          [SNI_SLOT_TAIL] = SNI_SLOT_HIPS,
    [SNI_SLOT_OTHER] = SNI_SLOT_COUNT,
};

static bool has_side(sni_slot slot) {
    return slot >= SNI_SLOT_CLAVICLE && slot <= SNI_SLOT_TOE;
}

// The last of a row of vertebrae, the one segment of another slot.
static uint32_t last_of(const sni_draft *d, sni_slot slot, sni_bone_side side) {
    uint32_t last = SN_NONE;
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        const sni_draft_segment *s = &d->segments[i];
        if (s->slot == slot && s->side == side &&
            (last == SN_NONE || s->number > d->segments[last].number)) {
            last = i;
        }
    }
    return last;
}

// The one before in the same row, chain or digit.
static uint32_t one_before(const sni_draft *d, const sni_draft_segment *s) {
    if (s->slot == SNI_SLOT_SPINE || s->slot == SNI_SLOT_NECK || s->slot == SNI_SLOT_TAIL) {
        return s->number > 1 ? sni_draft_find(d, s->slot, s->side, s->number - 1, 0) : SN_NONE;
    }
    for (int level = s->level - 1; level > 0; --level) {
        uint32_t before = sni_draft_find(d, s->slot, s->side, s->number, level);
        if (before != SN_NONE) {
            return before;
        }
    }
    return SN_NONE;
}

static uint32_t anatomical_parent(const sni_draft *d, uint32_t segment) {
    const sni_draft_segment *s = &d->segments[segment];
    uint32_t parent = one_before(d, s);
    for (sni_slot slot = inwards[s->slot]; slot < SNI_SLOT_COUNT && parent == SN_NONE;
         slot = inwards[slot]) {
        parent = last_of(d, slot, has_side(slot) ? s->side : SNI_BONE_NO_SIDE);
    }
    return parent;
}

// The throat hangs on the vertebra that it lies in front of.
static uint32_t throat_parent(const sni_draft *d, uint32_t segment) {
    uint32_t best = SN_NONE;
    double nearest = INFINITY;
    sn_vec3 middle = d->shapes[d->segments[segment].bone].centroid;
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        if (d->segments[i].slot == SNI_SLOT_NECK) {
            double distance = sn_vec3_distance(middle, d->shapes[d->segments[i].bone].centroid);
            if (distance < nearest) {
                nearest = distance;
                best = i;
            }
        }
    }
    return best != SN_NONE ? best : sni_draft_find(d, SNI_SLOT_JAW, SNI_BONE_NO_SIDE, 0, 0);
}

static uint32_t root_of(const sni_draft *d, uint32_t segment) {
    while (d->segments[segment].parent != SN_NONE) {
        segment = d->segments[segment].parent;
    }
    return segment;
}

// The hips, else the root with the largest bone.
static uint32_t main_root(const sni_draft *d) {
    uint32_t best = sni_draft_find(d, SNI_SLOT_HIPS, SNI_BONE_NO_SIDE, 0, 0);
    for (uint32_t i = 0; best == SN_NONE && i < d->segment_count; ++i) {
        uint32_t root = root_of(d, i);
        best = root;
        for (uint32_t k = i + 1; k < d->segment_count; ++k) {
            uint32_t other = root_of(d, k);
            if (d->shapes[d->segments[other].bone].size > d->shapes[d->segments[best].bone].size) {
                best = other;
            }
        }
    }
    return best;
}

// A part without way to the root hangs on the bone of the root's tree that comes nearest to it.
static uint32_t nearest_in_tree(const sni_draft *d, uint32_t tree, uint32_t loose, double *gap) {
    uint32_t best = SN_NONE;
    *gap = INFINITY;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->bone_segments[i] != loose) {
            continue;
        }
        for (uint32_t k = 0; k < d->bone_count; ++k) {
            uint32_t segment = d->bone_segments[k];
            if (root_of(d, segment) == tree) {
                double found = sni_shape_gap(&d->shapes[i], &d->shapes[k], *gap);
                best = found < *gap ? segment : best;
                *gap = fmin(*gap, found);
            }
        }
    }
    return best;
}

static void join_loose_parts(sni_draft *d, uint32_t root) {
    for (;;) {
        uint32_t best = SN_NONE, parent = SN_NONE;
        double least = INFINITY;
        for (uint32_t i = 0; i < d->segment_count; ++i) {
            if (i != root && d->segments[i].parent == SN_NONE) {
                double gap;
                uint32_t found = nearest_in_tree(d, root, i, &gap);
                if (found != SN_NONE && gap < least) {
                    least = gap;
                    best = i;
                    parent = found;
                }
            }
        }
        if (best == SN_NONE) {
            return;
        }
        d->segments[best].parent = parent;
    }
}

sn_status sni_draft_parents(sni_draft *d, sn_error *error) {
    (void)error;
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        if (d->segments[i].slot == SNI_SLOT_HYOID) {
            d->segments[i].parent = throat_parent(d, i);
        }
        if (d->segments[i].slot != SNI_SLOT_OTHER && d->segments[i].parent == SN_NONE) {
            d->segments[i].parent = anatomical_parent(d, i);
        }
    }
    join_loose_parts(d, main_root(d));
    return SN_OK;
}
