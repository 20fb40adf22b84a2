// SPDX-License-Identifier: Apache-2.0
//
// A skeleton proposed for bones without a rig: shapes and names (here), segments of what is named
// (named.c), of what is not, and what hangs on what (tree.c), joints (place.c,
// joint.c), joints that move together (couple.c).
#include "base/context.h"
#include "fit/body/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Bones mirror each other when they are this near, as a part of the body, and lie this far from the
// plane in between.
static const double mirror_slack = 0.05, least_side = 0.004;

static void free_coupling(sn_context *context, sn_plan_coupling *coupling) {
    for (uint32_t i = 0; i < coupling->spread_count; ++i) {
        sni_free(context, coupling->spreads[i].parameter);
    }
    sni_free(context, coupling->name);
    sni_free(context, coupling->parameter);
    sni_free(context, coupling->curve);
    sni_free(context, coupling->spreads);
}

void sn_body_plan_destroy(sn_body_plan *plan) {
    if (plan == NULL) {
        return;
    }
    sn_context *context = plan->context;
    for (uint32_t i = 0; i < plan->segment_count; ++i) {
        sni_free(context, plan->segments[i].name);
        sni_free(context, plan->segments[i].reason);
    }
    for (uint32_t i = 0; i < plan->coupling_count; ++i) {
        free_coupling(context, &plan->couplings[i]);
    }
    sni_free(context, plan->segments);
    sni_free(context, plan->couplings);
    sni_free(context, plan->bone_segments);
    sni_free(context, plan->bone_guessed);
    sni_free(context, plan);
}

// ---------------------------------------------------------------------------------------------
// Bones

static int compare_numbers(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static sn_status measure_body(sni_draft *d, sn_error *error) {
    sn_status status = SN_OK;
    double *x = NULL;
    sn_vec3 low = d->shapes[0].low, high = d->shapes[0].high;
    SNI_NEW(d->context, x, d->bone_count);
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        x[i] = d->shapes[i].centroid.x;
        low = sn_vec3_min(low, d->shapes[i].low);
        high = sn_vec3_max(high, d->shapes[i].high);
    }
    qsort(x, d->bone_count, sizeof *x, compare_numbers);
    d->median = 0.5 * (x[d->bone_count / 2] + x[(d->bone_count - 1) / 2]);
    d->size = sn_vec3_distance(low, high);
cleanup:
    sni_free(d->context, x);
    return status;
}

static sni_bone_side told_side(const char *side) {
    return side == NULL                     ? SNI_BONE_NO_SIDE
           : strcasecmp(side, "left") == 0  ? SNI_BONE_LEFT
           : strcasecmp(side, "right") == 0 ? SNI_BONE_RIGHT
                                            : SNI_BONE_NO_SIDE;
}

// Left or right by place, where there is a bone of the same kind on the other side.
static sni_bone_side side_by_place(const sni_draft *d, uint32_t bone) {
    sn_vec3 place = d->shapes[bone].centroid;
    if (d->names[bone].kind == SNI_BONE_UNKNOWN ||
        fabs(place.x - d->median) < least_side * d->size) {
        return SNI_BONE_NO_SIDE;
    }
    sn_vec3 image = sn_vec3_make(2 * d->median - place.x, place.y, place.z);
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        if (d->names[i].kind == d->names[bone].kind &&
            sn_vec3_distance(d->shapes[i].centroid, image) < mirror_slack * d->size) {
            return place.x > d->median ? SNI_BONE_LEFT : SNI_BONE_RIGHT;
        }
    }
    return SNI_BONE_NO_SIDE;
}

static sn_status open_shape(sni_draft *d, uint32_t bone, sn_error *error) {
    sn_error reason = {0};
    sn_status status = sni_shape_init(d->context, d->parts[bone].mesh, &d->shapes[bone], &reason);
    return status == SN_OK ? SN_OK
                           : sni_fail(error, status, "bone \"%s\": %.300s", d->parts[bone].name,
                                      reason.message);
}

static sn_status open_draft(sni_draft *d, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(d->context, d->shapes, d->bone_count);
    SNI_NEW(d->context, d->names, d->bone_count);
    SNI_NEW(d->context, d->sides, d->bone_count);
    SNI_NEW(d->context, d->bone_segments, d->bone_count);
    SNI_NEW_ZERO(d->context, d->guessed, d->bone_count);
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        SN_TRY(sni_progress(progress, "bones", (double)i / d->bone_count, error));
        SN_TRY(open_shape(d, i, error));
        d->names[i] = sni_bone_name_read(d->parts[i].name);
        d->bone_segments[i] = SN_NONE;
    }
    SN_TRY(measure_body(d, error));
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        sni_bone_side told = told_side(d->parts[i].side), named = d->names[i].side;
        d->sides[i] = told != SNI_BONE_NO_SIDE    ? told
                      : named != SNI_BONE_NO_SIDE ? named
                                                  : side_by_place(d, i);
    }
cleanup:
    return status;
}

static void close_draft(sni_draft *d) {
    for (uint32_t i = 0; d->shapes != NULL && i < d->bone_count; ++i) {
        sni_shape_deinit(d->context, &d->shapes[i]);
    }
    void *arrays[] = {d->shapes, d->names, d->sides, d->bone_segments, d->guessed, d->segments};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(d->context, arrays[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// The plan's words

// Longer ones are cut.
#define NAME_BYTES 96
#define REASON_BYTES 256

static void write_name(const sni_draft *d, const sni_draft_segment *s, char *name) {
    static const char *const slots[SNI_SLOT_COUNT] = {
        "hips",    "spine",   "chest",     "neck",    "head",   "jaw",        "hyoid", "clavicle",
        "scapula", "socket",  "upper arm", "forearm", "radius", "wrist turn", "hand",  "finger",
        "thigh",   "patella", "shin",      "foot",    "toe",    "tail",       "other"};
    static const char *const fingers[] = {"thumb", "index", "middle", "ring", "little"};
    const char *side = s->side == SNI_BONE_LEFT ? ".L" : s->side == SNI_BONE_RIGHT ? ".R" : "";
    const char *word = slots[s->slot];
    if (s->slot == SNI_SLOT_OTHER) {
        snprintf(name, NAME_BYTES, "%s", d->parts[s->bone].name);
    } else if (s->slot == SNI_SLOT_FINGER && s->number <= 5) {
        snprintf(name, NAME_BYTES, "%s %d%s", fingers[s->number - 1], s->level, side);
    } else if (s->slot == SNI_SLOT_FINGER || s->slot == SNI_SLOT_TOE) {
        snprintf(name, NAME_BYTES, "%s %d-%d%s", word, s->number, s->level, side);
    } else if (s->number > 0) {
        snprintf(name, NAME_BYTES, "%s %d%s", word, s->number, side);
    } else {
        snprintf(name, NAME_BYTES, "%s%s", word, side);
    }
}

static bool is_taken(const sn_body_plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->segment_count; ++i) {
        if (plan->segments[i].name != NULL && strcmp(plan->segments[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void make_unique(const sn_body_plan *plan, char *name) {
    char first[NAME_BYTES];
    memcpy(first, name, NAME_BYTES);
    for (int i = 2; is_taken(plan, name); ++i) {
        snprintf(name, NAME_BYTES, "%.80s %d", first, i);
    }
}

static uint32_t count_bones(const sni_draft *d, uint32_t segment) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        count += d->bone_segments[i] == segment;
    }
    return count;
}

// "named: left tibia and 1 more; joint: axis 12.9 mm behind the contact, gap 0.6 mm"
static void write_reason(const sni_draft *d, uint32_t segment, char *reason) {
    const sni_draft_segment *s = &d->segments[segment];
    char more[32] = "", joint[120];
    if (s->slot == SNI_SLOT_SOCKET || s->slot == SNI_SLOT_WRIST) {
        snprintf(reason, REASON_BYTES, "turns back what %s",
                 s->slot == SNI_SLOT_SOCKET ? "clavicle and scapula turn" : "the radius turns");
        return;
    }
    uint32_t count = count_bones(d, segment);
    if (count > 1) {
        snprintf(more, sizeof more, " and %u more", count - 1);
    }
    if (s->measured) {
        sni_joint_describe(&s->found, joint, sizeof joint);
    } else {
        const char *how = s->slot == SNI_SLOT_HIPS      ? "the middle between the thighs"
                          : s->slot == SNI_SLOT_PATELLA ? "the knee's"
                          : s->slot == SNI_SLOT_SCAPULA ? "the upper quarter of the blade"
                                                        : "the middle of its bones";
        snprintf(joint, sizeof joint, "%s", how);
    }
    snprintf(reason, REASON_BYTES, "%s: %.80s%s; joint: %s",
             s->slot == SNI_SLOT_OTHER ? "not told by name" : "named", d->parts[s->bone].name, more,
             joint);
}

static sn_status write_segment(const sni_draft *d, uint32_t number, const uint32_t *numbers,
                               sn_body_plan *plan, sn_error *error) {
    const sni_draft_segment *s = &d->segments[number];
    char name[NAME_BYTES], reason[REASON_BYTES];
    write_name(d, s, name);
    make_unique(plan, name);
    write_reason(d, number, reason);
    sn_plan_segment *segment = &plan->segments[plan->segment_count++];
    *segment = (sn_plan_segment){.name = sni_string_copy(d->context, name),
                                 .parent = s->parent != SN_NONE ? numbers[s->parent] : SN_NONE,
                                 .joint = s->joint,
                                 .rotation = s->rotation,
                                 .order = s->order,
                                 .reason = sni_string_copy(d->context, reason)};
    return segment->name != NULL && segment->reason != NULL ? SN_OK : sni_fail_memory(error);
}

// ---------------------------------------------------------------------------------------------
// Order

static bool comes_before(const sni_draft_segment *a, const sni_draft_segment *b) {
    return a->slot != b->slot       ? a->slot < b->slot
           : a->side != b->side     ? a->side < b->side
           : a->number != b->number ? a->number < b->number
                                    : a->level < b->level;
}

// The next segment to write: of those whose parents are written, the first in a body's order.
static uint32_t next_segment(const sni_draft *d, const uint32_t *numbers) {
    uint32_t best = SN_NONE;
    for (uint32_t i = 0; i < d->segment_count; ++i) {
        const sni_draft_segment *s = &d->segments[i];
        if (numbers[i] == SN_NONE && (s->parent == SN_NONE || numbers[s->parent] != SN_NONE) &&
            (best == SN_NONE || comes_before(s, &d->segments[best]))) {
            best = i;
        }
    }
    return best;
}

static sn_status write_plan(const sni_draft *d, sn_body_plan *plan, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *numbers = NULL;
    SNI_NEW(d->context, numbers, d->segment_count);
    memset(numbers, 0xff, d->segment_count * sizeof *numbers); // SN_NONE
    SNI_NEW_ZERO(d->context, plan->segments, d->segment_count);
    SNI_NEW(d->context, plan->bone_segments, d->bone_count);
    SNI_NEW(d->context, plan->bone_guessed, d->bone_count);
    plan->part_count = d->bone_count;
    for (uint32_t next; (next = next_segment(d, numbers)) != SN_NONE;) {
        numbers[next] = plan->segment_count;
        SN_TRY(write_segment(d, next, numbers, plan, error));
    }
    for (uint32_t i = 0; i < d->bone_count; ++i) {
        plan->bone_segments[i] = numbers[d->bone_segments[i]];
        plan->bone_guessed[i] = d->guessed[i];
    }
    SN_TRY(sni_couple(d, numbers, plan, error));
cleanup:
    sni_free(d->context, numbers);
    return status;
}

sn_status sn_propose_body(sn_context *context, uint32_t count, const sn_bone_part *parts,
                          const sn_progress *progress, sn_body_plan **plan, sn_error *error) {
    sn_status status = SN_OK;
    sni_draft d = {.context = context, .bone_count = count, .parts = parts};
    sn_body_plan *made = NULL;
    *plan = NULL;
    if (count == 0) {
        return sni_fail(error, SN_INVALID, "there are no bones to make a skeleton for");
    }
    SN_TRY(open_draft(&d, progress, error));
    SN_TRY(sni_draft_digits(&d, error));
    SN_TRY(sni_draft_named(&d, error));
    SN_TRY(sni_draft_others(&d, error));
    SN_TRY(sni_draft_parents(&d, error));
    SN_TRY(sni_draft_joints(&d, progress, error));
    SN_TRY(sni_draft_helpers(&d, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    SN_TRY(write_plan(&d, made, error));
    *plan = made;
    made = NULL;
cleanup:
    sn_body_plan_destroy(made);
    close_draft(&d);
    return status;
}
