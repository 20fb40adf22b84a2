// SPDX-License-Identifier: Apache-2.0
//
// Which segment carries which bone and which tissue.
#include "base/text.h"
#include "character/import/anatomy.h"
#include "motion/skeleton.h"

// Below this share of a tissue's vertices that are nearest to one segment it reaches over a joint,
// and is fitted as a muscle is.
static const double whole_share = 0.8;

static bool is_bone_kind(sn_part_kind kind) {
    return kind == SN_PART_BONE || kind == SN_PART_TOOTH || kind == SN_PART_CARTILAGE;
}

static bool is_tissue_kind(sn_part_kind kind) {
    return kind == SN_PART_TENDON || kind == SN_PART_LIGAMENT || kind == SN_PART_SOFT;
}

static sn_status list_bones(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = build->anatomy->part_count;
    SNI_NEW(build->context, build->bones, count);
    SNI_NEW(build->context, build->bone_numbers, count);
    for (uint32_t i = 0; i < count; ++i) {
        bool is_bone = is_bone_kind(build->anatomy->parts[i].kind) && build->meshes[i] != NULL;
        build->bone_numbers[i] = is_bone ? build->bone_count : SN_NONE;
        if (is_bone) {
            build->report->results[i].use = SN_PART_AS_BONE;
            build->bones[build->bone_count++] = i;
        }
    }
    if (build->bone_count == 0) {
        status = sni_fail(error, SN_INVALID, "no bone has a surface");
        sni_error_source(error, build->anatomy->index);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// On a rig

static sn_status find_joint(const sni_anatomy_build *build, const sni_name_index *names,
                            const sn_anatomy_part *part, uint32_t *segment, sn_error *error) {
    *segment = SN_NONE;
    if (part->rig_joint[0] == 0) {
        return SN_OK;
    }
    *segment = sni_name_index_find(names, part->rig_joint);
    if (*segment != SN_NONE) {
        return SN_OK;
    }
    sni_closest closest = sni_closest_to(part->rig_joint);
    for (uint32_t i = 0; i < build->skeleton.segment_count; ++i) {
        sni_closest_try(&closest, build->skeleton.segments[i].name);
    }
    char hint[SNI_HINT_BYTES];
    sni_fail(error, SN_INVALID, "the rig has no joint \"%s\"%s", part->rig_joint,
             sni_closest_hint(&closest, hint));
    sni_error_place(error, part->line, NULL);
    sni_error_source(error, build->anatomy->index);
    return SN_INVALID;
}

// Segments that the index names, of all parts.
static sn_status take_joints(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    sni_name_index names = {0};
    SN_TRY(sni_skeleton_index(build->context, &build->skeleton, &names, error));
    for (uint32_t i = 0; i < build->anatomy->part_count; ++i) {
        SN_TRY(find_joint(build, &names, &build->anatomy->parts[i],
                          &build->report->results[i].segment, error));
    }
cleanup:
    sni_name_index_deinit(build->context, &names);
    return status;
}

static double distance_to_line(sn_vec3 p, sn_vec3 a, sn_vec3 b) {
    sn_vec3 way = sn_vec3_sub(b, a);
    double square = sn_vec3_dot(way, way);
    double t = square > 0 ? sn_vec3_dot(sn_vec3_sub(p, a), way) / square : 0;
    return sn_vec3_distance(p, sn_vec3_add_scaled(a, fmin(fmax(t, 0), 1), way));
}

static sn_vec3 mean_vertex(const sn_mesh *mesh) {
    sn_vec3 sum = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sum = sn_vec3_add(sum, sn_vec3_load(mesh->positions + 3 * (size_t)v));
    }
    return sn_vec3_scale(sum, 1.0 / mesh->vertex_count);
}

static sn_vec3 joint_of(const sni_anatomy_build *build, uint32_t segment) {
    const double *m = build->worlds[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

// The segment whose line to a child, or whose joint where it has none, comes closest to a bone's
// middle: for rigs without a single bone that the index puts on a joint.
static void guess_by_lines(sni_anatomy_build *build, uint32_t part) {
    sn_anatomy_result *result = &build->report->results[part];
    sn_vec3 middle = mean_vertex(build->meshes[part]);
    double best = INFINITY;
    for (uint32_t i = 0; i < build->skeleton.segment_count; ++i) {
        uint32_t parent = build->parents[i];
        double own = sn_vec3_distance(middle, joint_of(build, i));
        double line = parent != SN_NONE
                          ? distance_to_line(middle, joint_of(build, parent), joint_of(build, i))
                          : INFINITY;
        if (line < best) {
            best = line;
            result->segment = parent;
        }
        if (own < best) {
            best = own;
            result->segment = i;
        }
    }
    result->guessed = true;
    result->distance = best;
}

static sn_status guess_by_votes(sni_anatomy_build *build, const sni_nearest_bones *nearest,
                                uint32_t part, sn_error *error) {
    sni_nearest_vote vote = {0};
    sn_anatomy_result *result = &build->report->results[part];
    sn_status status = sni_nearest_bones_vote(nearest, build, build->meshes[part], &vote, error);
    result->segment = vote.segment;
    result->guessed = true;
    result->nearest = vote.part;
    result->distance = vote.distance;
    return status;
}

static sn_status guess_bones(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    bool *marked = NULL;
    uint32_t known = 0;
    sni_nearest_bones nearest = {0};
    SNI_NEW_ZERO(build->context, marked, build->anatomy->part_count);
    for (uint32_t i = 0; i < build->bone_count; ++i) {
        marked[build->bones[i]] = build->report->results[build->bones[i]].segment != SN_NONE;
        known += marked[build->bones[i]];
    }
    if (known > 0 && known < build->bone_count) {
        SN_TRY(sni_nearest_bones_init(&nearest, build, marked, error));
    }
    for (uint32_t i = 0; i < build->bone_count; ++i) {
        uint32_t part = build->bones[i];
        if (!marked[part] && known > 0) {
            SN_TRY(guess_by_votes(build, &nearest, part, error));
        } else if (!marked[part]) {
            guess_by_lines(build, part);
        }
    }
cleanup:
    sni_nearest_bones_deinit(&nearest);
    sni_free(build->context, marked);
    return status;
}

// ---------------------------------------------------------------------------------------------

static void take_planned(sni_anatomy_build *build) {
    for (uint32_t i = 0; i < build->bone_count; ++i) {
        sn_anatomy_result *result = &build->report->results[build->bones[i]];
        result->segment = build->plan->bone_segments[i];
        result->guessed = build->plan->bone_guessed[i];
    }
}

sn_status sni_anatomy_place_bones(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(list_bones(build, error));
    if (build->anatomy->rig != NULL) {
        SN_TRY(sni_anatomy_read_rig(build, error));
        SN_TRY(take_joints(build, error));
        SN_TRY(guess_bones(build, error));
    } else {
        SN_TRY(sni_anatomy_take_plan(build, error));
        take_planned(build);
    }
    SNI_NEW(build->context, build->fit_bones, build->bone_count);
    for (uint32_t i = 0; i < build->bone_count; ++i) {
        uint32_t part = build->bones[i];
        build->fit_bones[i] = (sn_fit_bone){build->anatomy->parts[part].name, build->meshes[part],
                                            build->report->results[part].segment};
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tissues

// A tissue must be closed. What is not, or reaches over joints, follows as muscles do; but soft
// parts, fasciae and aponeuroses mostly, have no course of their own: they lie on muscles as a skin
// does, and are hidden, as the body's skin goes over those muscles itself.
static sn_status follow_others(sni_anatomy_build *build, uint32_t part, bool closed,
                               sn_error *error) {
    const sn_anatomy_part *given = &build->anatomy->parts[part];
    sn_anatomy_result *result = &build->report->results[part];
    bool soft = given->kind == SN_PART_SOFT;
    result->use = soft ? SN_PART_AS_SKIN : SN_PART_AS_MUSCLE;
    result->segment = SN_NONE;
    result->guessed = false;
    return sni_anatomy_note(build, part, error, "a %s%s that %s, as a %s",
                            sn_part_kind_name(given->kind), soft ? " part" : "",
                            closed ? "reaches over joints" : "is not closed",
                            soft ? "hidden skin" : "muscle");
}

static sn_status place_tissue(sni_anatomy_build *build, const sni_nearest_bones *nearest,
                              uint32_t part, sn_error *error) {
    sn_status status = SN_OK;
    const sn_anatomy_part *given = &build->anatomy->parts[part];
    sn_anatomy_result *result = &build->report->results[part];
    sn_extract_part solid = {.name = given->name, .mesh = build->meshes[part], .density = 1};
    sn_error why = {0};
    bool named = result->segment != SN_NONE;
    sni_nearest_vote vote = {.share = 1};
    result->use = SN_PART_AS_TISSUE;
    if (!named) {
        SN_TRY(sni_nearest_bones_vote(nearest, build, build->meshes[part], &vote, error));
        result->segment = vote.segment;
        result->guessed = true;
        result->nearest = vote.part;
        result->distance = vote.distance;
    }
    status = sn_extract_check(build->context, &solid, &why);
    if (status == SN_OUT_OF_MEMORY) {
        return sni_fail_memory(error);
    }
    if (status != SN_OK || vote.share < whole_share) {
        status = follow_others(build, part, status == SN_OK, error);
    }
cleanup:
    return status;
}

sn_status sni_anatomy_place_tissues(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = build->anatomy->part_count;
    bool *marked = NULL;
    sni_nearest_bones nearest = {0};
    SNI_NEW_ZERO(build->context, marked, count);
    for (uint32_t i = 0; i < build->bone_count; ++i) {
        marked[build->bones[i]] = true;
    }
    SN_TRY(sni_nearest_bones_init(&nearest, build, marked, error));
    for (uint32_t i = 0; i < count; ++i) {
        if (is_tissue_kind(build->anatomy->parts[i].kind) && build->meshes[i] != NULL) {
            SN_TRY(place_tissue(build, &nearest, i, error));
        }
    }
cleanup:
    sni_nearest_bones_deinit(&nearest);
    sni_free(build->context, marked);
    return status;
}
