// SPDX-License-Identifier: Apache-2.0
//
// From names to segments. Vertebrae of loins, neck and tail are segments each, numbered from the
// hips outwards; ribs, sternum and the thoracic vertebrae are one.
#include "fit/body/draft.h"

#include <stdlib.h>

uint32_t sni_draft_find(const sni_draft *d, sni_slot slot, sni_bone_side side, int number,
                        int level) {
    SN_ASSERT(slot < SNI_SLOT_COUNT);
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        const sni_draft_segment *s = &d->segments[i];
        if (s->slot == slot && s->side == side && (number == 0 || s->number == number) &&
            (level == 0 || s->level == level)) {
            return i;
        }
    }
    return SN_NONE;
}

sn_status sni_draft_add(sni_draft *d, sni_slot slot, sni_bone_side side, int number, int level,
                        uint32_t *segment, sn_error *error) {
    SN_ASSERT(slot < SNI_SLOT_COUNT);
    SN_ASSERT(segment != NULL);
    if (!sni_grow_by_one(d->context, &d->segments, d->segment_count, sizeof *d->segments)) {
        return sni_fail_memory(error);
    }
    d->segments[d->segment_count] = (sni_draft_segment){.slot = slot,
                                                        .side = side,
                                                        .number = number,
                                                        .level = level,
                                                        .parent = SN_NONE,
                                                        .bone = SN_NONE,
                                                        .rotation = sn_quat_identity()};
    *segment = d->segment_count++;
    return SN_OK;
}

static bool has_kind(const sni_draft *d, sni_bone_kind kind, sni_bone_side side) {
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->names[i].kind == kind && d->sides[i] == side) {
            return true;
        }
    }
    return false;
}

static bool has_word(const sni_draft *d, const char *word) {
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        const char *at = d->parts[i].name;
        for (size_t k = 0; at[k] != 0; ++k) {
            size_t length = 0;
            while (word[length] != 0 && (at[k + length] | 0x20) == word[length]) {
                ++length;
            }
            if (word[length] == 0) {
                return true;
            }
        }
    }
    return false;
}

typedef struct key {
    sni_slot slot;
    sni_bone_side side;
    int number, level;
} key;

static key digit_key(const sni_draft *d, uint32_t bone, bool thumb_moves) {
    const sni_bone_name *name = &d->names[bone];
    bool is_hand = name->limb == SNI_LIMB_HAND;
    key k = {is_hand ? SNI_SLOT_FINGER : SNI_SLOT_TOE, d->sides[bone], name->number, name->level};
    k.number = k.number > 0 ? k.number : 1;
    k.level = k.level > 0 ? k.level : 1;
    if (is_hand && thumb_moves && k.number == 1) {
        k.level = k.level == 1 ? 2 : 3; // its metacarpal is the first
    }
    return k;
}

// In primates, which have collarbones, the radius turns about the ulna.
static bool radius_turns(const sni_draft *d, sni_bone_side side) {
    return has_kind(d, SNI_BONE_CLAVICLE, side) && has_kind(d, SNI_BONE_ULNA, side);
}

static key key_of_bone(const sni_draft *d, uint32_t bone, bool thumb_moves) {
    const sni_bone_name *name = &d->names[bone];
    sni_bone_side side = d->sides[bone];
    const int numbered = name->number > 0 ? name->number : 1000 + (int)bone;
    switch (name->kind) {
    case SNI_BONE_HIP:
    case SNI_BONE_SACRUM: return (key){SNI_SLOT_HIPS, SNI_BONE_NO_SIDE, 0, 0};
    case SNI_BONE_LUMBAR: return (key){SNI_SLOT_SPINE, SNI_BONE_NO_SIDE, numbered, 0};
    case SNI_BONE_CERVICAL: return (key){SNI_SLOT_NECK, SNI_BONE_NO_SIDE, numbered, 0};
    case SNI_BONE_CAUDAL: return (key){SNI_SLOT_TAIL, SNI_BONE_NO_SIDE, numbered, 0};
    case SNI_BONE_THORACIC:
    case SNI_BONE_RIB:
    case SNI_BONE_STERNUM: return (key){SNI_SLOT_CHEST, SNI_BONE_NO_SIDE, 0, 0};
    case SNI_BONE_CRANIUM:
    case SNI_BONE_TEMPORAL:
    case SNI_BONE_OCCIPITAL: return (key){SNI_SLOT_HEAD, SNI_BONE_NO_SIDE, 0, 0};
    case SNI_BONE_MANDIBLE: return (key){SNI_SLOT_JAW, SNI_BONE_NO_SIDE, 0, 0};
    case SNI_BONE_HYOID: return (key){SNI_SLOT_HYOID, SNI_BONE_NO_SIDE, 0, 0};
    case SNI_BONE_TOOTH:
        return name->jaw > 0   ? (key){SNI_SLOT_HEAD, SNI_BONE_NO_SIDE, 0, 0}
               : name->jaw < 0 ? (key){SNI_SLOT_JAW, SNI_BONE_NO_SIDE, 0, 0}
                               : (key){SNI_SLOT_OTHER, SNI_BONE_NO_SIDE, 0, 0};
    case SNI_BONE_CLAVICLE: return (key){SNI_SLOT_CLAVICLE, side, 0, 0};
    case SNI_BONE_SCAPULA: return (key){SNI_SLOT_SCAPULA, side, 0, 0};
    case SNI_BONE_HUMERUS: return (key){SNI_SLOT_UPPER_ARM, side, 0, 0};
    case SNI_BONE_ULNA: return (key){SNI_SLOT_FOREARM, side, 0, 0};
    case SNI_BONE_RADIUS:
        return (key){radius_turns(d, side) ? SNI_SLOT_RADIUS : SNI_SLOT_FOREARM, side, 0, 0};
    case SNI_BONE_METACARPAL:
        if (thumb_moves && name->number == 1) {
            return (key){SNI_SLOT_FINGER, side, 1, 1};
        }
        return (key){SNI_SLOT_HAND, side, 0, 0};
    case SNI_BONE_CARPAL: return (key){SNI_SLOT_HAND, side, 0, 0};
    case SNI_BONE_FEMUR: return (key){SNI_SLOT_THIGH, side, 0, 0};
    case SNI_BONE_PATELLA: return (key){SNI_SLOT_PATELLA, side, 0, 0};
    case SNI_BONE_TIBIA:
    case SNI_BONE_FIBULA: return (key){SNI_SLOT_SHIN, side, 0, 0};
    case SNI_BONE_TARSAL:
    case SNI_BONE_METATARSAL: return (key){SNI_SLOT_FOOT, side, 0, 0};
    case SNI_BONE_PHALANX: return digit_key(d, bone, thumb_moves);
    case SNI_BONE_UNKNOWN:
    case SNI_BONE_KIND_COUNT: break;
    }
    return (key){SNI_SLOT_OTHER, SNI_BONE_NO_SIDE, 0, 0};
}

// ---------------------------------------------------------------------------------------------
// Rows of vertebrae

typedef struct vertebra {
    uint32_t segment;
    int number;
    double distance; // from where the row begins
} vertebra;

static int compare_numbers(const void *a, const void *b) {
    const vertebra *x = a, *y = b;
    return x->number != y->number ? (x->number < y->number ? -1 : 1)
                                  : (x->segment < y->segment ? -1 : x->segment > y->segment);
}

static int compare_distances(const void *a, const void *b) {
    const vertebra *x = a, *y = b;
    return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1)
                                      : (x->segment < y->segment ? -1 : x->segment > y->segment);
}

// The middle of all bones of a slot; false where it has none.
static bool middle_of_slot(const sni_draft *d, sni_slot slot, sn_vec3 *middle) {
    sn_vec3 sum = {0, 0, 0};
    double area = 0;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        uint32_t segment = d->bone_segments[i];
        if (segment != SN_NONE && d->segments[segment].slot == slot) {
            sum = sn_vec3_add_scaled(sum, d->shapes[i].area, d->shapes[i].centroid);
            area += d->shapes[i].area;
        }
    }
    *middle = sn_vec3_scale(sum, area > 0 ? 1 / area : 0);
    return area > 0;
}

// Numbers of names count from the head on; in a plan they count from the hips on, in a tail too.
static sn_status number_row(sni_draft *d, sni_slot slot, sni_slot from, sn_error *error) {
    sn_status status = SN_OK;
    vertebra *row = NULL;
    uint32_t count = 0;
    bool all_numbered = true;
    sn_vec3 start;
    bool has_start = middle_of_slot(d, from, &start);
    SNI_NEW(d->context, row, d->segment_count);
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        if (d->segments[i].slot == slot) {
            sn_vec3 middle = d->shapes[d->segments[i].bone].centroid;
            row[count++] = (vertebra){i, d->segments[i].number,
                                      has_start ? sn_vec3_distance(middle, start) : middle.y};
            all_numbered &= d->segments[i].number < 1000;
        }
    }
    qsort(row, count, sizeof *row, all_numbered ? compare_numbers : compare_distances);
    for (uint32_t i = 0; i < count; ++i) {
        bool reversed = all_numbered && slot != SNI_SLOT_TAIL;
        d->segments[row[i].segment].number = (int)(reversed ? count - i : i + 1);
    }
cleanup:
    sni_free(d->context, row);
    return status;
}

// A big toe has two phalanges, of which the second is called distal.
static void close_up_digits(sni_draft *d) {
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        sni_draft_segment *s = &d->segments[i];
        while (s->level > 1 &&
               sni_draft_find(d, s->slot, s->side, s->number, s->level - 1) == SN_NONE) {
            s->level--;
        }
    }
}

sn_status sni_draft_named(sni_draft *d, sn_error *error) {
    sn_status status = SN_OK;
    bool thumb_moves = has_word(d, "thumb") || has_word(d, "pollex") || has_word(d, "pollicis");
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        key k = key_of_bone(d, i, thumb_moves);
        if (k.slot == SNI_SLOT_OTHER) {
            continue;
        }
        uint32_t segment = sni_draft_find(d, k.slot, k.side, k.number, k.level);
        if (segment == SN_NONE) {
            SN_TRY(sni_draft_add(d, k.slot, k.side, k.number, k.level, &segment, error));
        }
        d->bone_segments[i] = segment;
        uint32_t first = d->segments[segment].bone;
        if (first == SN_NONE || d->shapes[i].area > d->shapes[first].area) {
            d->segments[segment].bone = i; // the largest stands for it
        }
    }
    close_up_digits(d);
    SN_TRY(number_row(d, SNI_SLOT_SPINE, SNI_SLOT_HIPS, error));
    SN_TRY(number_row(d, SNI_SLOT_NECK, SNI_SLOT_CHEST, error));
    SN_TRY(number_row(d, SNI_SLOT_TAIL, SNI_SLOT_HIPS, error));
cleanup:
    return status;
}
