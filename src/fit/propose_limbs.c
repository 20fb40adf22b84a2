// SPDX-License-Identifier: Apache-2.0
//
// Muscles of limbs of which only the bones are known: tails, wings, the arm of a machine.
//
//     hinge    a limb's joint between two bones: flexor and extensor on the first of them, from
//              near its origin to just beyond the joint
//     girdle   the joint by which the first free bone hangs on the trunk: a muscle over it
#include "fit/propose_fibre.h"
#include "fit/propose_lay.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// Where strips begin and end: parts of the bone's length; `beyond` of the next bone's.
static const double strip_begin = 0.14, strip_end = 0.94, strip_beyond = 0.05;
static const double girdle_begin = -0.22, girdle_end = 0.42;

// Half the angle of a strip.
static const double strip_angle = 46 * SN_PI / 180, girdle_angle = 50 * SN_PI / 180;

// How far a limb turns on the trunk while the muscle over that joint contracts.
static const double girdle_turn = 60 * SN_PI / 180;

// How far the tendon of a flexor goes on along the next bone, as a part of the way to its end.
static const double flexor_tendon = 0.15;

// A bone is free when this part of the rays around its middle meets its own skin.
static const double free_part = 0.5;

// Flexors shorten most while they work, extensors tense at their full length; and skin over an
// insertion beyond a joint is to stay there.
static const sni_strip_action flexor_action = {1.4, 0.015, 0.8, 0.20},
                              extensor_action = {0.7, 0, 0.8, 0.20},
                              girdle_action = {0.8, 0.015, 0.8, 0.20};

// Marks the segments of a bone: what hangs on its first one, up to its next bone.
static void mark_bone(const sni_proposal *job, uint32_t bone) {
    const sni_bone *b = &job->bones.bones[bone];
    for (uint32_t s = b->last; s != SN_NONE; s = job->bones.limbs.parents[s]) {
        job->skins.marks[s] = 1;
        if (s == b->first) {
            break;
        }
    }
}

static void unmark(const sni_proposal *job) {
    memset(job->skins.marks, 0, job->skeleton->segment_count);
}

// Away from the plane of symmetry, or from the trunk.
static sn_vec3 outer_of(const sni_proposal *job, const sni_bone *b, sn_vec3 otherwise) {
    if (job->bones.has_plane) {
        sn_vec3 middle = sn_vec3_lerp(b->from, b->to, 0.5), normal = job->bones.normal;
        double away = sn_vec3_dot(sn_vec3_sub(middle, job->bones.origin), normal);
        return sn_vec3_scale(normal, away < 0 ? -1 : 1);
    }
    if (b->trunk != SN_NONE) {
        sn_vec3 way = sn_vec3_sub(b->from, sni_propose_joint(job, b->trunk));
        return sn_vec3_normalize_or(way, otherwise);
    }
    return otherwise;
}

static sni_strip strip_along(const sni_proposal *job, const sni_bone *b, sn_vec3 side) {
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    sni_strip strip = {.from = b->from, .to = b->to, .beyond = b->to, .farthest = INFINITY};
    if (b->next != SN_NONE) {
        strip.beyond = job->bones.bones[b->next].to;
    }
    strip.sides[0] = strip.sides[1] = sni_propose_level(side, along);
    strip.outer = sni_propose_level(outer_of(job, b, side), along);
    return strip;
}

// Lays a muscle on marked skin.
static sn_status add(sni_proposal *job, uint32_t bone, sni_muscle_role role, sni_muscle_idea *idea,
                     sn_error *error) {
    static const char *const names[] = {"flexor", "extensor", "front", "back", "girdle"};
    const sni_bone *b = &job->bones.bones[bone];
    idea->other = b->mirror < bone ? job->made[b->mirror][role] : SN_NONE;
    idea->name =
        sni_layout_text(job->layout, "%s %s", job->skeleton->segments[b->first].name, names[role]);
    return sni_propose_lay(job, idea, &job->made[bone][role], error);
}

static sn_status add_hinge_muscle(sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                                  bool flexor, sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    double angle = flexor ? hinge->flexion : -hinge->extension;
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_vec3_scale(hinge->flexor, flexor ? 1 : -1);
    sni_muscle_idea idea = {.strip = strip_along(job, b, side),
                            .action = flexor ? flexor_action : extensor_action,
                            .reach = {0, 0.35}};
    idea.pull = (sni_pull){.origin = b->first,
                           .insertion = hinge->segment,
                           .joint = hinge->segment,
                           .axis = sn_vec3_cross(along, side),
                           .angle = fabs(angle),
                           .side = side,
                           .tendon = flexor ? flexor_tendon : 0,
                           .beyond = idea.strip.beyond,
                           .hinge = hinge,
                           .hinge_angle = angle};
    sni_muscle_role role = hinge->known ? (flexor ? SNI_MUSCLE_FLEXOR : SNI_MUSCLE_EXTENSOR)
                                        : (flexor ? SNI_MUSCLE_FRONT : SNI_MUSCLE_BACK);
    idea.strip.range[0] = strip_begin;
    idea.strip.range[1] = flexor ? strip_end : 1 + strip_beyond;
    idea.strip.half_angle = strip_angle;
    unmark(job);
    mark_bone(job, bone);
    mark_bone(job, b->next);
    if (b->parent != SN_NONE) {
        mark_bone(job, b->parent);
    }
    return add(job, bone, role, &idea, error);
}

// Over the joint on the trunk, on the outside.
static sn_status add_girdle_muscle(sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                                   sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    sni_muscle_idea idea = {.strip = strip_along(job, b, outer_of(job, b, hinge->flexor)),
                            .action = girdle_action,
                            .reach = {0.2, 0}};
    idea.pull = (sni_pull){
        .origin = b->trunk, .insertion = b->first, .joint = b->first, .angle = girdle_turn};
    idea.strip.range[0] = girdle_begin;
    idea.strip.range[1] = girdle_end;
    idea.strip.half_angle = girdle_angle;
    unmark(job);
    mark_bone(job, bone);
    for (uint32_t s = b->trunk; s != SN_NONE; s = job->bones.limbs.parents[s]) {
        job->skins.marks[s] = 1;
    }
    return add(job, bone, SNI_MUSCLE_GIRDLE, &idea, error);
}

// ---------------------------------------------------------------------------------------------
// Fibres

// Their ends and what they pass, along the bone and along the next one, and how deep.
static const double fibre_begin = 0.12, fibre_flexor_end = 0.16, fibre_extensor_end = 0.03;
static const double fibre_bend = 0.95, fibre_girdle_begin = -0.15, fibre_girdle_end = 0.4;

static sni_fibre_spot spot_on(const sni_bone *b, double along, sn_vec3 side, double depth,
                              uint32_t segment) {
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    return (sni_fibre_spot){.line = sn_vec3_lerp(b->from, b->to, along),
                            .out = sni_propose_level(side, way),
                            .depth = depth,
                            .segment = segment};
}

static void mark_about(const sni_proposal *job, uint32_t bone, bool with_trunk) {
    const sni_bone *b = &job->bones.bones[bone];
    unmark(job);
    mark_bone(job, bone);
    if (b->next != SN_NONE) {
        mark_bone(job, b->next);
    }
    if (b->parent != SN_NONE) {
        mark_bone(job, b->parent);
    }
    for (uint32_t s = b->trunk; with_trunk && s != SN_NONE; s = job->bones.limbs.parents[s]) {
        job->skins.marks[s] = 1;
    }
}

static void think_hinge(const sni_proposal *job, uint32_t bone, const sni_hinge *hinge, bool flexor,
                        sni_fibre_idea *idea) {
    const sni_bone *b = &job->bones.bones[bone], *next = &job->bones.bones[b->next];
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(b->to, b->from), sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_vec3_scale(hinge->flexor, flexor ? 1 : -1);
    idea->spots[idea->count++] = spot_on(b, fibre_begin, side, 0.55, b->first);
    if (!flexor) {
        idea->spots[idea->count++] = spot_on(b, fibre_bend, side, 0.65, b->first);
    }
    double end = flexor ? fibre_flexor_end : fibre_extensor_end;
    idea->spots[idea->count++] = spot_on(next, end, side, flexor ? 0.5 : 0.7, next->first);
    idea->move = (sni_fibre_move){.joint = hinge->segment,
                                  .axis = sn_vec3_cross(along, side),
                                  .angle = flexor ? hinge->flexion : hinge->extension};
}

static void think_girdle(const sni_proposal *job, uint32_t bone, const sni_hinge *hinge,
                         sni_fibre_idea *idea) {
    const sni_bone *b = &job->bones.bones[bone];
    sn_vec3 side = outer_of(job, b, hinge->flexor);
    idea->spots[idea->count++] = spot_on(b, fibre_girdle_begin, side, 0.7, b->trunk);
    idea->spots[idea->count++] = spot_on(b, fibre_girdle_end, side, 0.4, b->first);
    idea->move = (sni_fibre_move){.joint = b->first, .angle = girdle_turn};
}

static bool think_fibre(sni_proposal *job, uint32_t bone, sni_muscle_role role,
                        sni_fibre_idea *idea) {
    static const char *const names[] = {"flexor", "extensor", "front", "back", "girdle"};
    const sni_bone *b = &job->bones.bones[bone];
    bool flexor = role == SNI_MUSCLE_FLEXOR || role == SNI_MUSCLE_FRONT;
    sni_hinge hinge;
    sni_hinge_find(job, b, &job->bones.bones[b->next], NULL, &hinge);
    *idea = (sni_fibre_idea){.fibres = 1,
                             .wide = 0.38,
                             .thick = 0.3,
                             .rest = {3, 3},
                             .active = {4, flexor ? 7 : 4},
                             .stiffness = 0.4};
    if (role == SNI_MUSCLE_GIRDLE) {
        think_girdle(job, bone, &hinge, idea);
    } else {
        think_hinge(job, bone, &hinge, flexor, idea);
        role = hinge.known ? role : flexor ? SNI_MUSCLE_FRONT : SNI_MUSCLE_BACK;
    }
    idea->name =
        sni_layout_text(job->layout, "%s %s", job->skeleton->segments[b->first].name, names[role]);
    mark_about(job, bone, role == SNI_MUSCLE_GIRDLE);
    return sni_fibre_cast(job, idea);
}

// The muscle of a bone and of the one that mirrors it, which comes later.
static sn_status add_fibre(sni_proposal *job, uint32_t bone, sni_muscle_role role,
                           sn_error *error) {
    static const char no_skin[] = "too little skin of that part of the body lies where it would be";
    const sni_bone *b = &job->bones.bones[bone];
    sn_status status = SN_OK;
    sni_fibre_idea ideas[2];
    bool pair = b->mirror != SN_NONE && b->mirror > bone &&
                job->bones.bones[b->mirror].next != SN_NONE,
         given[2] = {false, false};
    for (int i = 0; i < (pair ? 2 : 1); ++i) {
        given[i] = think_fibre(job, i == 0 ? bone : b->mirror, role, &ideas[i]);
        if (!given[i]) {
            SN_TRY(sni_layout_skip(job->layout, ideas[i].name, no_skin, error));
        }
        job->made[i == 0 ? bone : b->mirror][role] = 0; // not once more
    }
    SN_TRY(
        sni_fibre_lay_pair(job, given[0] ? &ideas[0] : NULL, given[1] ? &ideas[1] : NULL, error));
cleanup:
    return status;
}

static sn_status add_fibres(sni_proposal *job, uint32_t bone, bool with_girdle, sn_error *error) {
    static const sni_muscle_role roles[] = {SNI_MUSCLE_GIRDLE, SNI_MUSCLE_FLEXOR,
                                            SNI_MUSCLE_EXTENSOR};
    sn_status status = SN_OK;
    for (int i = with_girdle ? 0 : 1; i < 3 && status == SN_OK; ++i) {
        if (job->made[bone][roles[i]] == SN_NONE) {
            status = add_fibre(job, bone, roles[i], error);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------

static bool is_small(const sni_proposal *job, double length) {
    return length < job->smallest * job->skins.size;
}

static const char short_bone[] = "too short for muscles",
                  inner_bone[] = "within the trunk: little of the skin around it is its own",
                  last_bone[] = "no long bone follows that muscles could move";

// Why a bone gets no muscles; NULL when it does.
static const char *reason_against(const sni_proposal *job, uint32_t bone, bool free) {
    const sni_bone *b = &job->bones.bones[bone];
    return is_small(job, b->length)                         ? short_bone
           : !free                                          ? inner_bone
           : b->next == SN_NONE                             ? last_bone
           : is_small(job, job->bones.bones[b->next].reach) ? last_bone
                                                            : NULL;
}

// Notes that a bone was skipped; one after the other for the same reason are one entry.
static sn_status skip(sni_proposal *job, uint32_t bone, const char *reason, sn_error *error) {
    sn_muscle_layout *layout = job->layout;
    const sni_bone *b = &job->bones.bones[bone];
    const char *name = sni_propose_segment_name(job, b->first);
    sn_layout_skip *last = layout->skip_count > 0 ? &layout->skips[layout->skip_count - 1] : NULL;
    if (b->parent == SN_NONE || b->parent != job->skipped || last == NULL ||
        last->reason != reason) {
        job->skipped_from = name;
        job->skipped = bone;
        return sni_layout_skip(layout, name, reason, error);
    }
    job->skipped = bone;
    last->name = sni_layout_text(layout, "%s to %s", job->skipped_from, name);
    return last->name != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status propose_for(sni_proposal *job, uint32_t bone, bool *free, sn_error *error) {
    const sni_bone *b = &job->bones.bones[bone];
    bool first = b->parent == SN_NONE || !*free;
    unmark(job);
    mark_bone(job, bone);
    *free = *free || sni_strip_closure(job, b) >= free_part;
    const char *against = reason_against(job, bone, *free);
    if (against != NULL) {
        return skip(job, bone, against, error);
    }
    sni_hinge hinge;
    sni_hinge_find(job, b, &job->bones.bones[b->next], NULL, &hinge);
    job->bends = hinge.flexor;
    sn_status status = SN_OK;
    if (job->kind == SN_PROPOSE_FIBRE) {
        return add_fibres(job, bone, first && b->trunk != SN_NONE, error);
    }
    if (first && b->trunk != SN_NONE) {
        SN_TRY(add_girdle_muscle(job, bone, &hinge, error));
    }
    SN_TRY(add_hinge_muscle(job, bone, &hinge, true, error));
    SN_TRY(add_hinge_muscle(job, bone, &hinge, false, error));
cleanup:
    return status;
}

// Whether a bone has its muscles already, or is one of the fine parts: head, hands, feet and what
// hangs on them.
static bool is_known(const sni_proposal *job, const sni_bone *bone) {
    sni_body_part part = job->anatomy.regions[bone->first].part;
    if (part == SNI_BODY_PART_COUNT) {
        return false;
    }
    bool is_fine = part == SNI_BODY_HEAD || part == SNI_BODY_HAND || part >= SNI_BODY_FOOT;
    return is_fine || (job->anatomy.known && part > SNI_BODY_SPINE);
}

sn_status sni_propose_limbs(sni_proposal *job, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    bool free = false;
    for (uint32_t i = 0; i < job->bones.count; ++i) {
        if (job->bones.bones[i].parent == SN_NONE) {
            free = false;
            job->bends = sn_vec3_make(0, 0, 0);
        }
        double done = 0.5 + 0.5 * i / job->bones.count;
        SN_TRY(sni_progress(progress, "proposing muscles", done, error));
        if (!is_known(job, &job->bones.bones[i])) {
            SN_TRY(propose_for(job, i, &free, error));
        }
    }
cleanup:
    return status;
}
