// SPDX-License-Identifier: Apache-2.0
//
// Poses that are given, and steps of time.
//
// A pose is read, checked and brought into one form when it is set: local transforms, the joint
// parameters that stand for them, and controls. A step then only copies it.
#include "sinew/live.h"

#include "eval/frame.h"
#include "motion/parameter.h"
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x736e7073;

// Quaternions this near to length 1, squared, stay as they are, so that what was normalised keeps
// its bits.
static const double unit_tolerance = 1e-12;

// Numbers this near count as those of a last row 0 0 0 1, and as a scale of 1: what is left of them
// where floats were multiplied.
static const double float_tolerance = 1e-5;

// Seconds that one step simulates at most.
static const double longest_step = 1;

static const size_t format_bytes[] = {[SN_POSE_TRANSFORM] = sizeof(sn_transform),
                                      [SN_POSE_MATRIX] = 16 * sizeof(double),
                                      [SN_POSE_FLOAT_MATRIX] = 16 * sizeof(float)};

sn_pose_desc sn_pose_desc_default(void) {
    return (sn_pose_desc){.check = desc_check};
}

// ---------------------------------------------------------------------------------------------
// Reading a pose

// The pose while it is read; the frame keeps the one before until all is well.
typedef struct reading {
    const sn_pose_desc *desc;
    const sni_rig *rig;
    const sn_skeleton *skeleton;
    sn_transform *locals;
    sn_mat4 *worlds; // of `locals`
    double *parameters;
    double *controls;
} reading;

static sn_status check_desc(const sn_frame *frame, const sn_pose_desc *desc, sn_error *error) {
    uint32_t segments = sn_model_skeleton(frame->model)->segment_count;
    uint32_t controls = sn_model_control_count(frame->model);
    bool poses = desc->transforms != NULL || desc->joint_parameters != NULL;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_pose_desc_default");
    }
    if (poses && desc->segment_count != segments) {
        return sni_fail(error, SN_INVALID, "the pose has %u segments, but \"%s\" has %u",
                        desc->segment_count, sn_model_name(frame->model), segments);
    }
    if (desc->controls != NULL && desc->control_count != controls) {
        return sni_fail(error, SN_INVALID, "the pose has %u controls, but \"%s\" has %u",
                        desc->control_count, sn_model_name(frame->model), controls);
    }
    if (desc->transforms == NULL) {
        return SN_OK;
    }
    if ((unsigned)desc->format > SN_POSE_FLOAT_MATRIX) {
        return sni_fail(error, SN_INVALID, "there is no pose format %d", (int)desc->format);
    }
    if (desc->stride != 0 && desc->stride < format_bytes[desc->format]) {
        return sni_fail(error, SN_INVALID,
                        "a stride of %zu bytes has no room for the %zu of a transform",
                        desc->stride, format_bytes[desc->format]);
    }
    return SN_OK;
}

static sn_status check_numbers(const char *segment, const double *numbers, uint32_t count,
                               sn_error *error) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) {
            return sni_fail(error, SN_INVALID, "number %u of the transform of \"%s\" is %g", i,
                            segment, numbers[i]);
        }
    }
    return SN_OK;
}

static sn_status check_scale(const char *segment, sn_vec3 scale, sn_error *error) {
    if (scale.x != 0 && scale.y != 0 && scale.z != 0) {
        return SN_OK;
    }
    return sni_fail(error, SN_INVALID, "\"%s\" has the scale %g %g %g: none may be 0", segment,
                    scale.x, scale.y, scale.z);
}

static sn_status unit_rotation(const char *segment, sn_quat *rotation, sn_error *error) {
    double square = sn_quat_dot(*rotation, *rotation);
    if (!(square > 0) || !isfinite(square)) {
        return sni_fail(error, SN_INVALID,
                        "\"%s\" has the quaternion %g %g %g %g: it is no rotation", segment,
                        rotation->x, rotation->y, rotation->z, rotation->w);
    }
    if (fabs(square - 1) > unit_tolerance) {
        *rotation = sn_quat_normalize(*rotation);
    }
    return SN_OK;
}

static sn_status read_transform(const char *segment, const void *bytes, sn_transform *transform,
                                sn_error *error) {
    double numbers[sizeof *transform / sizeof(double)];
    sn_status status = SN_OK;
    memcpy(transform, bytes, sizeof *transform);
    memcpy(numbers, bytes, sizeof numbers);
    SN_TRY(check_numbers(segment, numbers, sizeof numbers / sizeof *numbers, error));
    SN_TRY(check_scale(segment, transform->scale, error));
    SN_TRY(unit_rotation(segment, &transform->rotation, error));
cleanup:
    return status;
}

static sn_status read_matrix(const char *segment, const void *bytes, sn_pose_format format,
                             sn_mat4 *matrix, sn_error *error) {
    double *m = matrix->m;
    if (format == SN_POSE_FLOAT_MATRIX) {
        float floats[16];
        memcpy(floats, bytes, sizeof floats);
        for (int i = 0; i < 16; ++i) {
            m[i] = floats[i];
        }
    } else {
        memcpy(m, bytes, sizeof matrix->m);
    }
    sn_status status = check_numbers(segment, m, 16, error);
    double off = fmax(fmax(fabs(m[3]), fabs(m[7])), fmax(fabs(m[11]), fabs(m[15] - 1)));
    if (status == SN_OK && off > float_tolerance) {
        status = sni_fail(error, SN_INVALID,
                          "the last row of the matrix of \"%s\" is %g %g %g %g, not 0 0 0 1: "
                          "matrices stand column after column",
                          segment, m[3], m[7], m[11], m[15]);
    }
    m[3] = m[7] = m[11] = 0;
    m[15] = 1;
    return status;
}

// From the world into the frame of the parent as it came out, so that what one segment loses (a
// shear) is not lost by all that hang on it.
static sn_status enter_parent(const reading *r, uint32_t segment, sn_mat4 *matrix,
                              sn_error *error) {
    uint32_t parent = r->skeleton->segments[segment].parent;
    sn_mat4 inverse;
    if (!r->desc->world || parent == SN_NONE) {
        return SN_OK;
    }
    if (!sn_mat4_invert(&r->worlds[parent], &inverse)) {
        return sni_fail(error, SN_INVALID, "the world transform of \"%s\" cannot be inverted",
                        r->skeleton->segments[parent].name);
    }
    *matrix = sn_mat4_multiply(&inverse, matrix);
    return SN_OK;
}

// A matrix, or a transform in the world, becomes a local transform by way of a matrix.
static sn_status read_local(const reading *r, uint32_t segment, sn_error *error) {
    const sn_pose_desc *desc = r->desc;
    const char *name = r->skeleton->segments[segment].name;
    size_t stride = desc->stride != 0 ? desc->stride : format_bytes[desc->format];
    const uint8_t *bytes = (const uint8_t *)desc->transforms + segment * stride;
    sn_transform *local = &r->locals[segment];
    sn_status status = SN_OK;
    sn_mat4 matrix;
    if (desc->format == SN_POSE_TRANSFORM) {
        SN_TRY(read_transform(name, bytes, local, error));
        if (!desc->world) {
            return SN_OK;
        }
        matrix = sn_mat4_from_transform(local);
    } else {
        SN_TRY(read_matrix(name, bytes, desc->format, &matrix, error));
    }
    SN_TRY(enter_parent(r, segment, &matrix, error));
    sn_mat4_decompose(&matrix, local);
    SN_TRY(check_scale(name, local->scale, error));
cleanup:
    return status;
}

static sn_status read_transforms(const reading *r, sn_error *error) {
    for (uint32_t i = 0; i < r->skeleton->segment_count; ++i) {
        uint32_t segment = r->skeleton->parents_first[i];
        uint32_t parent = r->skeleton->segments[segment].parent;
        sn_status status = read_local(r, segment, error);
        if (status != SN_OK) {
            return status;
        }
        sn_mat4 local = sn_mat4_from_transform(&r->locals[segment]);
        r->worlds[segment] =
            parent != SN_NONE ? sn_mat4_multiply(&r->worlds[parent], &local) : local;
        sni_rig_read_parameters(r->rig, segment, &r->locals[segment],
                                r->parameters + (size_t)segment * SN_JOINT_PARAMETER_COUNT);
    }
    return SN_OK;
}

static sn_status read_joint_parameters(const reading *r, sn_error *error) {
    size_t count = (size_t)r->skeleton->segment_count * SN_JOINT_PARAMETER_COUNT;
    for (size_t i = 0; i < count; ++i) {
        r->parameters[i] = r->desc->joint_parameters[i];
        if (!isfinite(r->parameters[i])) {
            sn_joint_parameter parameter = (sn_joint_parameter)(i % SN_JOINT_PARAMETER_COUNT);
            return sni_fail(error, SN_INVALID, "\"%s.%s\" is %g",
                            r->skeleton->segments[i / SN_JOINT_PARAMETER_COUNT].name,
                            sni_parameter_suffix(parameter), r->parameters[i]);
        }
    }
    return SN_OK;
}

static sn_status read_segments(const reading *r, sn_error *error) {
    bool placed = r->desc->transforms != NULL, said = r->desc->joint_parameters != NULL;
    sn_status status = SN_OK;
    if (placed) {
        SN_TRY(read_transforms(r, error));
    }
    if (said) {
        SN_TRY(read_joint_parameters(r, error));
    }
    for (uint32_t i = 0; i < r->skeleton->segment_count && !placed; ++i) {
        double *parameters = r->parameters + (size_t)i * SN_JOINT_PARAMETER_COUNT;
        const sn_segment *segment = &r->skeleton->segments[i];
        if (!said) {
            memcpy(parameters, segment->rest_parameters, sizeof segment->rest_parameters);
        }
        r->locals[i] = sni_segment_local(segment, parameters);
    }
cleanup:
    return status;
}

static sn_status read_controls(const reading *r, sn_error *error) {
    for (uint32_t i = 0; i < sni_rig_control_count(r->rig); ++i) {
        r->controls[i] = r->desc->controls != NULL ? r->desc->controls[i] : NAN;
        if (isinf(r->controls[i])) {
            return sni_fail(error, SN_INVALID, "the control \"%s\" is %g",
                            sni_rig_control_name(r->rig, i), r->controls[i]);
        }
    }
    return SN_OK;
}

static sn_status read_root(const sn_pose_desc *desc, sn_mat4 *root, sn_error *error) {
    sn_transform transform;
    sn_status status = SN_OK;
    *root = sn_mat4_identity();
    if (desc->root == NULL) {
        return SN_OK;
    }
    SN_TRY(read_transform("the root", desc->root, &transform, error));
    sn_vec3 scale = transform.scale, one = {1, 1, 1};
    if (sn_vec3_distance(scale, one) > float_tolerance) {
        status = sni_fail(error, SN_INVALID,
                          "the root has the scale %g %g %g: it turns and moves the body only",
                          scale.x, scale.y, scale.z);
        goto cleanup;
    }
    transform.scale = one;
    *root = sn_mat4_from_transform(&transform);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Setting it

static sn_status reading_alloc(sn_frame *frame, const sn_pose_desc *desc, reading *r,
                               sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(frame->model);
    size_t count = skeleton->segment_count;
    *r = (reading){.desc = desc, .rig = frame->model->rig, .skeleton = skeleton};
    r->locals = sni_arena_alloc(&frame->arena, count, sizeof *r->locals);
    r->worlds = sni_arena_alloc(&frame->arena, count, sizeof *r->worlds);
    r->parameters =
        sni_arena_alloc(&frame->arena, count * SN_JOINT_PARAMETER_COUNT, sizeof *r->parameters);
    r->controls =
        sni_arena_alloc(&frame->arena, sn_model_control_count(frame->model), sizeof *r->controls);
    bool made =
        r->locals != NULL && r->worlds != NULL && r->parameters != NULL && r->controls != NULL;
    return made ? SN_OK : sni_fail_memory(error);
}

static void take_over(const reading *r, const sn_mat4 *root, sni_live_pose *live) {
    size_t count = r->skeleton->segment_count;
    memcpy(live->locals, r->locals, count * sizeof *live->locals);
    memcpy(live->parameters, r->parameters,
           count * SN_JOINT_PARAMETER_COUNT * sizeof *live->parameters);
    memcpy(live->controls, r->controls, sni_rig_control_count(r->rig) * sizeof *live->controls);
    live->complete = r->desc->complete;
    live->rooted = r->desc->root != NULL;
    live->root = *root;
    live->motion = NULL;
}

sn_status sn_frame_set_pose(sn_frame *frame, const sn_pose_desc *desc, sn_error *error) {
    sni_arena_mark mark = sni_arena_mark_now(&frame->arena);
    sn_status status = SN_OK;
    reading r;
    sn_mat4 root;
    SN_TRY(check_desc(frame, desc, error));
    SN_TRY(reading_alloc(frame, desc, &r, error));
    SN_TRY(read_segments(&r, error));
    SN_TRY(read_controls(&r, error));
    SN_TRY(read_root(desc, &root, error));
    take_over(&r, &root, &frame->live);
cleanup:
    sni_arena_release(&frame->arena, mark);
    return status;
}

sn_status sn_frame_set_motion_pose(sn_frame *frame, const sn_motion *motion, uint32_t number,
                                   sn_error *error) {
    if (motion == NULL) {
        sn_pose_desc rest = sn_pose_desc_default();
        return sn_frame_set_pose(frame, &rest, error);
    }
    if (number >= motion->clip->frame_count) {
        return sni_fail(error, SN_INVALID, "there is no frame %u: \"%s\" has frames 0 to %u",
                        number, motion->clip->name, motion->clip->frame_count - 1);
    }
    sni_clock clock = {.rate = motion->clip->rate, .count = number};
    frame->live.motion = motion;
    frame->live.motion_time = sni_clock_time(&clock);
    return SN_OK;
}

sn_status sni_live_pose_init(sn_frame *frame, sn_error *error) {
    size_t count = sn_model_skeleton(frame->model)->segment_count;
    sn_pose_desc rest = sn_pose_desc_default();
    sn_status status = SN_OK;
    SNI_NEW(frame->context, frame->live.locals, count);
    SNI_NEW(frame->context, frame->live.parameters, count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(frame->context, frame->live.controls, sn_model_control_count(frame->model));
    SN_TRY(sn_frame_set_pose(frame, &rest, error));
cleanup:
    return status;
}

void sni_live_pose_deinit(sn_frame *frame) {
    sni_free(frame->context, frame->live.locals);
    sni_free(frame->context, frame->live.parameters);
    sni_free(frame->context, frame->live.controls);
}

// ---------------------------------------------------------------------------------------------
// Steps

// The steps per second that `dt` stands for: of the two numbers that may have been divided by, the
// one with at most three decimals; so that n steps of 1/24 lead to n/24 to the last bit.
static double rate_of(double dt) {
    double plain = round(1000 / dt) / 1000;
    return 1 / plain == dt ? plain : 1 / dt;
}

static sni_clock advance(const sni_clock *clock, double dt) {
    sni_clock next = *clock;
    if (!isfinite(1 / dt)) { // 0, or nearly
        return next;
    }
    if (1 / clock->rate != dt) {
        next = (sni_clock){.start = sni_clock_time(clock), .rate = rate_of(dt)};
    }
    next.count++;
    return next;
}

// The first part of the pose of the motion's frame, or of the one that was given.
static sn_status take_pose(sn_frame *frame, const sni_given_pose *given, sn_error *error) {
    const sni_live_pose *live = &frame->live;
    const sni_rig *rig = frame->model->rig;
    return given == NULL
               ? sni_rig_pose_first(rig, live->motion->player, live->motion_time, frame->overrides,
                                    frame->override_count, &frame->pose, error)
               : sni_rig_pose_given_first(rig, given, frame->overrides, frame->override_count,
                                          &frame->pose, error);
}

static sn_status pose_live(sn_frame *frame, double dt, sn_error *error) {
    const sni_live_pose *live = &frame->live;
    sni_given_pose given = {.locals = live->locals,
                            .parameters = live->parameters,
                            .controls = live->controls,
                            .complete = live->complete,
                            .root = live->rooted ? &live->root : NULL};
    const sni_given_pose *from = live->motion == NULL ? &given : NULL;
    sn_status status = SN_OK;
    double begin = sni_now_ms();
    SN_TRY(take_pose(frame, from, error));
    SN_TRY(sni_frame_check_worlds(frame, error));
    frame->stage_ms[SN_STAGE_POSE] = sni_now_ms() - begin;
    frame->run = SNI_RUN_NONE; // until all simulations have taken the step
    SN_TRY(sni_frame_end_pose(frame, from, dt, error));
cleanup:
    return status;
}

sn_status sn_frame_step(sn_frame *frame, double dt, sn_error *error) {
    if (!(isfinite(dt) && dt >= 0)) {
        return sni_fail(error, SN_INVALID, "a step takes 0 seconds or more, not %g", dt);
    }
    dt = fmin(dt, longest_step);
    sn_status status = SN_OK;
    memset(frame->stage_ms, 0, sizeof frame->stage_ms);
    frame->evaluation++;
    bool goes_on = frame->run == SNI_RUN_LIVE;
    sni_clock clock = goes_on ? advance(&frame->clock, dt) : (sni_clock){.rate = 1};
    frame->time = sni_clock_time(&clock);
    if (!goes_on) {
        sni_frame_forget_states(frame);
    }
    SN_TRY(pose_live(frame, dt, error));
    frame->clock = clock;
    SN_TRY(sni_frame_run_stages(frame, dt, error));
    frame->run = SNI_RUN_LIVE;
cleanup:
    return status;
}

void sn_frame_reset(sn_frame *frame) {
    frame->run = SNI_RUN_NONE;
}
