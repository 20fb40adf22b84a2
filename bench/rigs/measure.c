// SPDX-License-Identifier: Apache-2.0
//
// A clip on a body, measured against the clip on its own skeleton.
#include "bench/rigs/rigs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double snb_most_tilt = 25, snb_most_height = 0.02, snb_most_bone = 1e-3;
const double snb_least_edge = 0.3, snb_most_edge = 3;
const double snb_tiny_edge = 1e-3;
const snb_stretch snb_no_stretch = {.least = INFINITY};

bool snb_row_upright(const snb_rig_row *row) {
    return !row->failed && row->tilt <= snb_most_tilt;
}

bool snb_row_as_made(const snb_rig_row *row) {
    const double rounding = 1e-5; // of the height: what a float keeps
    return !row->failed && row->own && row->apart <= rounding * row->body->height;
}

bool snb_row_grounded(const snb_rig_row *row) {
    return snb_row_on_ground(row) || snb_row_as_made(row);
}

bool snb_row_on_ground(const snb_rig_row *row) {
    double most = snb_most_height * row->body->height;
    double low = row->standing > 0 ? row->low : row->lowest;
    double high = row->standing > 0 ? row->high : row->lowest;
    return !row->failed && low >= -most && high <= most;
}

// What the clip itself does to lengths of bones is no fault of the pair.
bool snb_row_jointed(const snb_rig_row *row) {
    return !row->failed && (row->own || row->bone <= snb_most_bone + row->clip->stretch);
}

bool snb_row_whole(const snb_rig_row *row) {
    return !row->failed && row->relaxed.least >= snb_least_edge &&
           row->relaxed.most <= snb_most_edge;
}

sn_status snb_rig_play(const sn_model *model, const snb_rig_clip *clip, sn_motion **motion,
                       sn_retarget_report *report, sn_error *error) {
    sn_status status = SN_OK;
    sn_clip *fitted = NULL;
    sn_retarget_desc desc = sn_retarget_desc_default();
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    size_t most = (size_t)skeleton->segment_count * SN_SKIN_POINTS;
    sn_skin_point *skin = calloc(most + 1, sizeof *skin);
    if (skin == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_model_skin_points(model, skin, &desc.skin_count, error));
    desc.skin = skin;
    SN_TRY(sn_clip_retarget(clip->clip, skeleton, &desc, &fitted, report, error));
    SN_TRY(sn_motion_create(model, fitted, motion, error));
cleanup:
    free(skin);
    sn_clip_destroy(fitted);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Poses

// A body's own axes: to its left, along its trunk, forward.
typedef struct axes {
    sn_vec3 left, up, forward;
} axes;

static axes axes_of(const snb_pose *pose) {
    sn_vec3 zero = {0, 0, 0};
    sn_vec3 up = sn_vec3_sub(pose->at[SNB_MARK_HEAD][0], pose->at[SNB_MARK_HIPS][0]);
    sn_vec3 left = sn_vec3_sub(pose->at[SNB_MARK_THIGH][0], pose->at[SNB_MARK_THIGH][1]);
    up = sn_vec3_normalize_or(up, zero);
    left = sn_vec3_add_scaled(left, -sn_vec3_dot(left, up), up);
    left = sn_vec3_normalize_or(left, zero);
    return (axes){left, up, sn_vec3_cross(left, up)};
}

static sn_vec3 seen_from(axes a, sn_vec3 v) {
    return sn_vec3_make(sn_vec3_dot(v, a.left), sn_vec3_dot(v, a.up), sn_vec3_dot(v, a.forward));
}

static bool has_limb(const snb_marks *marks, snb_mark mark, int side) {
    return marks->segments[mark][side] != SN_NONE && marks->segments[mark + 1][side] != SN_NONE;
}

static double limb_angle(const snb_rig_row *row, const snb_pose *here, const snb_pose *there) {
    static const snb_mark limbs[] = {SNB_MARK_UPPER_ARM, SNB_MARK_FOREARM, SNB_MARK_THIGH,
                                     SNB_MARK_SHIN};
    axes a = axes_of(here), b = axes_of(there);
    double most = 0;
    for (int i = 0; i < 4; ++i) {
        for (int side = 0; side < 2; ++side) {
            snb_mark mark = limbs[i];
            if (has_limb(&row->body->marks, mark, side) &&
                has_limb(&row->clip->marks, mark, side)) {
                sn_vec3 u = sn_vec3_sub(here->at[mark + 1][side], here->at[mark][side]);
                sn_vec3 v = sn_vec3_sub(there->at[mark + 1][side], there->at[mark][side]);
                most = fmax(most, snb_degrees_between(seen_from(a, u), seen_from(b, v)));
            }
        }
    }
    return most;
}

// How far a knee is bent, less than 0 where it bends to the back. The thigh's own front would need
// the rest pose; the body's is near enough while the leg is below it.
static double knee_bend(const snb_pose *pose, int side) {
    axes a = axes_of(pose);
    sn_vec3 thigh = sn_vec3_sub(pose->at[SNB_MARK_SHIN][side], pose->at[SNB_MARK_THIGH][side]);
    sn_vec3 shin = sn_vec3_sub(pose->at[SNB_MARK_FOOT][side], pose->at[SNB_MARK_SHIN][side]);
    double bend = snb_degrees_between(thigh, shin);
    return sn_vec3_dot(sn_vec3_cross(shin, thigh), a.left) < 0 ? bend : -bend;
}

static double turned_back(const snb_pose *here, const snb_pose *there) {
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        double ours = knee_bend(here, side), theirs = knee_bend(there, side);
        most = fmax(most, fmin(0, theirs) - ours);
    }
    return most;
}

static sn_status take_poses(const snb_rig_row *row, const sn_motion *motion, snb_pose *poses,
                            sn_error *error) {
    sn_frame *frame = row->body->frame;
    sn_status status = sn_frame_select(frame, NULL, 0, error); // joints alone
    for (uint32_t i = row->clip->first; i < row->clip->count && status == SN_OK; ++i) {
        status = sn_frame_evaluate(frame, motion, i * row->clip->step, error);
        snb_pose_take(&row->body->marks, sn_frame_worlds(frame), &poses[i]);
    }
    sn_frame_show_only(frame, true);
    return status;
}

static double farthest_joint(const snb_rig_row *row, const snb_pose *here, const snb_pose *there) {
    double most = 0;
    for (int mark = 0; mark < SNB_MARK_COUNT; ++mark) {
        for (int side = 0; side < 2; ++side) {
            if (row->body->marks.segments[mark][side] != SN_NONE &&
                row->clip->marks.segments[mark][side] != SN_NONE) {
                most = fmax(most, sn_vec3_distance(here->at[mark][side], there->at[mark][side]));
            }
        }
    }
    return most;
}

static void compare_poses(snb_rig_row *row, const snb_pose *poses) {
    for (uint32_t i = row->clip->first; i < row->clip->count; ++i) {
        const snb_pose *here = &poses[i], *there = &row->clip->poses[i];
        row->tilt = fmax(row->tilt, fabs(snb_pose_tilt(here) - snb_pose_tilt(there)));
        row->apart = fmax(row->apart, farthest_joint(row, here, there));
        row->limb = fmax(row->limb, limb_angle(row, here, there));
        row->backwards = fmax(row->backwards, turned_back(here, there));
    }
}

static double way_along_ground(sn_vec3 a, sn_vec3 b) {
    return hypot(a.x - b.x, a.z - b.z);
}

// The farthest that a foot gets from where it began to stand.
static double slide(const snb_rig_clip *clip, const snb_pose *poses, snb_mark mark, int side) {
    double most = 0;
    uint32_t begin = SN_NONE;
    for (uint32_t i = clip->first; i < clip->count; ++i) {
        if (!clip->planted[2 * i + side]) {
            begin = SN_NONE;
            continue;
        }
        begin = begin == SN_NONE ? i : begin;
        most = fmax(most, way_along_ground(poses[i].at[mark][side], poses[begin].at[mark][side]));
    }
    return most;
}

static void measure_slides(snb_rig_row *row, const snb_pose *poses, double scale) {
    snb_mark mark = snb_standing_mark(&row->body->marks, &row->clip->marks);
    for (int side = 0; side < 2; ++side) {
        row->slide = fmax(row->slide, slide(row->clip, poses, mark, side));
        row->own_slide =
            fmax(row->own_slide, scale * slide(row->clip, row->clip->poses, mark, side));
    }
}

// ---------------------------------------------------------------------------------------------
// Skins

// The segment that has most of an edge's first vertex, SN_NONE where nothing has.
static uint32_t carrier_of(const snb_rig_body *body, const snb_edge *edge) {
    const sn_surface *surface = sn_model_surface(body->model, edge->surface);
    const sn_weights *weights = surface->mesh->weights;
    uint32_t best = SN_NONE;
    float most = 0;
    if (weights == NULL || surface->bone_segments == NULL) {
        return SN_NONE;
    }
    for (uint32_t k = weights->offsets[edge->a]; k < weights->offsets[edge->a + 1]; ++k) {
        if (weights->values[k] > most) {
            most = weights->values[k];
            best = surface->bone_segments[weights->bones[k]];
        }
    }
    return best;
}

static const char *carrier_name(const snb_rig_body *body, const snb_edge *edge) {
    uint32_t carrier = carrier_of(body, edge);
    return carrier != SN_NONE ? sn_model_skeleton(body->model)->segments[carrier].name
                              : sn_model_surface(body->model, edge->surface)->name;
}

// Whether an edge belongs to a hand or foot.
static bool is_of_end(const snb_rig_body *body, const snb_edge *edge) {
    static const snb_mark ends[] = {SNB_MARK_HAND, SNB_MARK_FOOT};
    uint32_t carrier = carrier_of(body, edge);
    for (int i = 0; i < 4 && carrier != SN_NONE; ++i) {
        uint32_t end = body->marks.segments[ends[i / 2]][i % 2];
        if (end != SN_NONE &&
            (carrier == end || snb_is_below(sn_model_skeleton(body->model), carrier, end))) {
            return true;
        }
    }
    return false;
}

static double measure_edge(const snb_rig_body *body, const sn_frame *frame, const snb_edge *edge,
                           snb_stretch *s) {
    const float *points = sn_frame_points(frame, edge->surface);
    double length = sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)edge->a),
                                     sn_vec3_load(points + 3 * (size_t)edge->b));
    double ratio = length / edge->rest;
    s->longer = fmax(s->longer, length - edge->rest);
    if (ratio < s->least) {
        s->least = ratio;
        snprintf(s->least_at, sizeof s->least_at, "%s", carrier_name(body, edge));
    }
    if (!(ratio <= s->most)) {
        s->most = ratio;
        snprintf(s->most_at, sizeof s->most_at, "%s", carrier_name(body, edge));
    }
    return ratio;
}

void snb_measure_edges(const snb_rig_body *body, const sn_frame *frame, snb_stretch *stretch,
                       uint8_t *beyond) {
    for (uint32_t i = 0; i < body->edge_count; ++i) {
        double ratio = measure_edge(body, frame, &body->edges[i], stretch);
        if (beyond != NULL) {
            beyond[i] |= !(ratio >= snb_least_edge && ratio <= snb_most_edge);
        }
    }
}

void snb_take_folds(const snb_rig_body *body) {
    for (uint32_t i = 0; i < body->edge_count; ++i) {
        body->folds[i] |= body->beyond[i];
    }
}

static void count_edges(snb_rig_row *row) {
    const snb_rig_body *body = row->body;
    if (row->own) {
        snb_take_folds(body);
    }
    for (uint32_t i = 0; i < body->edge_count; ++i) {
        row->beyond += body->beyond[i];
        row->models += body->beyond[i] && body->folds[i];
        row->ends += body->beyond[i] && !body->folds[i] && is_of_end(body, &body->edges[i]);
        row->tiny += body->beyond[i] && body->edges[i].rest < snb_tiny_edge * body->height;
    }
}

// Bones keep their lengths, but for what hangs above the hips or beside them.
static void measure_bones(snb_rig_row *row) {
    const sn_skeleton *skeleton = sn_model_skeleton(row->body->model);
    const sn_mat4 *rest = sn_model_rest_worlds(row->body->model);
    const sn_mat4 *worlds = sn_frame_worlds(row->body->frame);
    uint32_t hips = row->body->marks.segments[SNB_MARK_HIPS][0];
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        double change =
            fabs(snb_bone_length(skeleton, worlds, i) - snb_bone_length(skeleton, rest, i));
        if (snb_is_below(skeleton, i, hips) && change > row->bone * row->body->height) {
            row->bone = change / row->body->height;
            snprintf(row->bone_at, sizeof row->bone_at, "%s", skeleton->segments[i].name);
        }
    }
}

static double lowest_of_foot(const snb_rig_body *body, int side) {
    double least = INFINITY;
    for (uint32_t i = 0; i < body->foot_counts[side]; ++i) {
        snb_foot_point p = body->feet[side][i];
        least = fmin(least, sn_frame_points(body->frame, p.surface)[3 * (size_t)p.vertex + 1]);
    }
    return least - body->ground;
}

static void measure_feet(snb_rig_row *row, uint32_t pose) {
    for (int side = 0; side < 2; ++side) {
        double height = lowest_of_foot(row->body, side);
        row->lowest = fmin(row->lowest, height);
        if (row->clip->planted[2 * pose + side]) {
            row->standing++;
            row->low = fmin(row->low, height);
            row->high = fmax(row->high, height);
        }
    }
}

static sn_status measure_skins(snb_rig_row *row, const sn_motion *motion, const sn_motion *plain,
                               uint32_t frames, sn_error *error) {
    const snb_rig_clip *clip = row->clip;
    const snb_rig_body *body = row->body;
    uint32_t span = clip->count - 1 - clip->first;
    memset(body->beyond, 0, body->edge_count);
    uint32_t count = frames < span + 1 ? frames : span + 1;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t pose =
            clip->first + (count > 1 ? (uint32_t)((uint64_t)span * k / (count - 1)) : 0);
        sn_status status = sn_frame_evaluate(body->frame, motion, pose * clip->step, error);
        if (status == SN_OK) {
            status = sn_frame_evaluate(body->plain, plain, pose * clip->step, error);
        }
        if (status != SN_OK) {
            return status;
        }
        snb_measure_edges(body, body->frame, &row->relaxed, NULL);
        snb_measure_edges(body, body->plain, &row->weights, body->beyond);
        measure_bones(row);
        measure_feet(row, pose);
    }
    count_edges(row);
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------

static void start_row(snb_rig_row *row, snb_rig_body *body, const snb_rig_clip *clip) {
    *row = (snb_rig_row){.body = body,
                         .clip = clip,
                         .own = strcmp(body->name, clip->file) == 0,
                         .segments = sn_model_skeleton(body->model)->segment_count,
                         .recorded = clip->clip->skeleton.segment_count,
                         .lowest = INFINITY,
                         .low = INFINITY,
                         .high = -INFINITY,
                         .relaxed = snb_no_stretch,
                         .weights = snb_no_stretch};
}

static sn_status measure(snb_rig_row *row, uint32_t frames, snb_pose *poses, sn_error *error) {
    sn_status status = SN_OK;
    sn_motion *motion = NULL, *plain = NULL;
    sn_retarget_report report;
    SN_TRY(snb_rig_play(row->body->model, row->clip, &motion, &report, error));
    SN_TRY(snb_rig_play(row->body->plain_model, row->clip, &plain, NULL, error));
    row->moved = report.matched;
    row->used = row->recorded - report.unmatched_source;
    SN_TRY(take_poses(row, motion, poses, error));
    compare_poses(row, poses);
    measure_slides(row, poses, snb_pose_leg(&poses[row->clip->first]) / row->clip->leg);
    SN_TRY(measure_skins(row, motion, plain, frames, error));
cleanup:
    sn_motion_destroy(motion);
    sn_motion_destroy(plain);
    return status;
}

sn_status snb_rig_measure(snb_rig_body *body, const snb_rig_clip *clip, uint32_t frames,
                          snb_rig_row *row, sn_error *error) {
    sn_error reason = {0};
    snb_pose *poses = sni_alloc_zero(body->context, clip->count, sizeof *poses);
    if (poses == NULL) {
        return sni_fail_memory(error);
    }
    start_row(row, body, clip);
    sn_status status = measure(row, frames, poses, &reason);
    if (status != SN_OK) {
        row->failed = true;
        snprintf(row->reason, sizeof row->reason, "%.*s", SNB_RIG_REASON - 1, reason.message);
    }
    sni_free(body->context, poses);
    return status == SN_OUT_OF_MEMORY ? sni_fail_memory(error) : SN_OK;
}
