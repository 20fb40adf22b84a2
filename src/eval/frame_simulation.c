// SPDX-License-Identifier: Apache-2.0
//
// Frames of a motion, and the state of what has memory.
//
// A model with memory is a sequence: state(n) = step(state(n - 1), pose(n)). A frame keeps the
// state that it reached last and a checkpoint now and then, and steps on from whichever of them is
// nearest below the number asked for; since every step depends on nothing else, the way does not
// show.
#include "eval/frame.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

// Frames between checkpoints: scrubbing costs at most this many steps, a checkpoint one copy of the
// state.
static const uint32_t checkpoint_interval = 32;

// ---------------------------------------------------------------------------------------------
// State

// All that must be alike for the state of one model to mean something in another: names and order
// of what moves, the memory of each deformer, and where the points that have memory are at rest.
static uint64_t find_fingerprint(const sn_model *model) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    uint64_t hash = sni_hash_start;
    hash = sni_hash_text(hash, sn_model_name(model));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        hash = sni_hash_text(hash, skeleton->segments[i].name);
    }
    for (uint32_t i = 0; i < sn_model_control_count(model); ++i) {
        hash = sni_hash_text(hash, sn_model_control_name(model, i));
    }
    for (uint32_t i = 0; i < model->blueprint->body_count; ++i) {
        hash = sni_hash_text(hash, model->blueprint->bodies[i].name);
    }
    hash = sni_hash_bytes(hash, &model->state_bytes, sizeof model->state_bytes);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        const sn_mesh *mesh = model->surfaces[i].mesh;
        bool remembers = false;
        hash = sni_hash_text(hash, model->surfaces[i].name);
        for (uint32_t k = 0; k < model->bound[i].deformer_count; ++k) {
            const sni_bound_deformer *deformer = &model->bound[i].deformers[k];
            uint64_t bytes = deformer->state_bytes;
            hash = sni_hash_text(hash, deformer->ops->name);
            hash = sni_hash_bytes(hash, &bytes, sizeof bytes);
            remembers = remembers || bytes > 0;
        }
        if (i >= model->blueprint->surface_count) {
            const sni_bound_muscle *muscle = model->muscles[i - model->blueprint->surface_count];
            hash = sni_hash_text(hash, muscle->ops->name);
            remembers = muscle->ops->state_bytes != NULL;
        }
        if (remembers) {
            hash = sni_hash_bytes(hash, mesh->positions,
                                  3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
        }
    }
    return hash;
}

sn_status sni_frame_state_init(sn_frame *frame, sn_error *error) {
    const sn_model *model = frame->model;
    uint32_t count = model->surface_count;
    size_t begun = (size_t)count + model->bodies.group_count;
    size_t begun_bytes =
        (begun * sizeof *frame->begun + SNI_ALIGNMENT - 1) / SNI_ALIGNMENT * SNI_ALIGNMENT;
    sn_status status = SN_OK;
    frame->state_bytes = begun_bytes + model->state_bytes;
    SNI_NEW_ZERO(frame->context, frame->state, frame->state_bytes);
    frame->begun = frame->state;
    frame->states = frame->state + begun_bytes;
    frame->clock.rate = 1;
    frame->fingerprint = find_fingerprint(model);
cleanup:
    return status;
}

static void drop_checkpoints(sn_frame *frame) {
    for (uint32_t i = 0; i < frame->checkpoint_count; ++i) {
        sni_free(frame->context, frame->checkpoints[i].state);
    }
    frame->checkpoint_count = 0;
}

void sni_frame_state_deinit(sn_frame *frame) {
    drop_checkpoints(frame);
    sni_free(frame->context, frame->checkpoints);
    sni_free(frame->context, frame->state);
}

void sni_frame_forget_states(sn_frame *frame) {
    size_t count = (size_t)frame->model->surface_count + frame->model->bodies.group_count;
    memset(frame->begun, 0, count * sizeof *frame->begun);
}

void sni_frame_forget_motion(sn_frame *frame) {
    drop_checkpoints(frame);
    if (frame->run == SNI_RUN_MOTION) {
        frame->run = SNI_RUN_NONE;
    }
}

// ---------------------------------------------------------------------------------------------
// Steps

sn_status sni_frame_check_worlds(const sn_frame *frame, sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(frame->model);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (!sni_is_float_matrix(&frame->pose.worlds[i])) {
            return sni_fail(
                error, SN_INVALID,
                "at %.9g s the pose is too large for the segment \"%s\" to have a place",
                frame->time, skeleton->segments[i].name);
        }
    }
    return SN_OK;
}

sn_status sni_frame_end_pose(sn_frame *frame, const sni_given_pose *given, double time_step,
                             sn_error *error) {
    const sn_model *model = frame->model;
    sni_frame_bodies_job job = {.frame = frame,
                                .pose = &frame->pose,
                                .root = given != NULL ? given->root : NULL,
                                .time_step = time_step,
                                .states = frame->states,
                                .begun = frame->begun + model->surface_count,
                                .arena = &frame->arena};
    sn_status status = SN_OK;
    double begin = sni_now_ms();
    if (given != NULL && given->complete) {
        memset(job.begun, 0, model->bodies.group_count); // the pose has them
    } else {
        SN_TRY(sni_frame_check_worlds(frame, error));
        SN_TRY(sni_frame_bodies_move(&frame->bodies, &job, error));
    }
    sni_rig_pose_last(model->rig, given, &frame->pose);
    SN_TRY(sni_frame_check_worlds(frame, error));
    frame->stage_ms[SN_STAGE_BODIES] += sni_now_ms() - begin;
cleanup:
    return status;
}

// One frame of the picture in docs/architecture.md. Adds to the stage times.
static sn_status evaluate_once(sn_frame *frame, const sn_motion *motion, uint32_t number,
                               sn_error *error) {
    double rate = motion != NULL ? motion->clip->rate : 1;
    frame->clock = (sni_clock){.rate = rate, .count = motion != NULL ? number : 0};
    frame->time = sni_clock_time(&frame->clock);
    frame->run = SNI_RUN_NONE; // until the whole of the state is that of this frame
    sn_status status = SN_OK;
    double begin = sni_now_ms();
    SN_TRY(sni_rig_pose_first(frame->model->rig, motion != NULL ? motion->player : NULL,
                              frame->time, frame->overrides, frame->override_count, &frame->pose,
                              error));
    frame->stage_ms[SN_STAGE_POSE] += sni_now_ms() - begin;
    if (frame->clock.count == 0) {
        sni_frame_forget_states(frame);
    }
    SN_TRY(sni_frame_end_pose(frame, NULL, 1 / rate, error));
    SN_TRY(sni_frame_run_stages(frame, 1 / rate, error));
    frame->run = motion != NULL ? SNI_RUN_MOTION : SNI_RUN_NONE;
cleanup:
    return status;
}

// Where the checkpoint of a frame stands, or would stand, among those that are kept.
static uint32_t checkpoint_place(const sn_frame *frame, uint32_t number) {
    uint32_t place = frame->checkpoint_count;
    while (place > 0 && frame->checkpoints[place - 1].number >= number) {
        --place;
    }
    return place;
}

// The frame behind the known state nearest below `number`, which is that of the checkpoint before
// `place` (0: none is nearer than the last state).
static uint32_t find_next(const sn_frame *frame, uint32_t number, uint32_t *place) {
    bool below = frame->run == SNI_RUN_MOTION && frame->clock.count < number;
    uint32_t next = below ? (uint32_t)frame->clock.count + 1 : 0;
    *place = checkpoint_place(frame, number);
    if (*place > 0 && frame->checkpoints[*place - 1].number + 1 > next) {
        return frame->checkpoints[*place - 1].number + 1;
    }
    *place = 0;
    return next;
}

// Finds the known state nearest below `number`; returns the frame to step next.
static uint32_t resume(sn_frame *frame, uint64_t motion, uint32_t number) {
    if (frame->state_motion != motion) {
        sni_frame_forget_motion(frame);
        frame->state_motion = motion;
    }
    uint32_t place, next = find_next(frame, number, &place);
    if (place > 0) {
        memcpy(frame->state, frame->checkpoints[place - 1].state, frame->state_bytes);
    }
    return next;
}

uint32_t sn_frame_next_step(const sn_frame *frame, const sn_motion *motion, uint32_t number) {
    uint32_t place;
    if (frame->model->state_bytes == 0 || motion == NULL) {
        return number;
    }
    return frame->state_motion == motion->id ? find_next(frame, number, &place) : 0;
}

static sn_status keep_checkpoint(sn_frame *frame, uint32_t number, sn_error *error) {
    uint32_t count = frame->checkpoint_count, place = checkpoint_place(frame, number);
    bool due = number % checkpoint_interval == 0;
    if (!due || (place < count && frame->checkpoints[place].number == number)) {
        return SN_OK;
    }
    uint8_t *copy = sni_copy(frame->context, frame->state, frame->state_bytes, 1);
    if (copy == NULL ||
        !sni_grow_by_one(frame->context, &frame->checkpoints, count, sizeof *frame->checkpoints)) {
        sni_free(frame->context, copy);
        return sni_fail_memory(error);
    }
    memmove(frame->checkpoints + place + 1, frame->checkpoints + place,
            (count - place) * sizeof *frame->checkpoints);
    frame->checkpoints[place] = (sni_checkpoint){.number = number, .state = copy};
    frame->checkpoint_count++;
    return SN_OK;
}

sn_status sn_frame_evaluate(sn_frame *frame, const sn_motion *motion, uint32_t number,
                            sn_error *error) {
    sn_status status = SN_OK;
    memset(frame->stage_ms, 0, sizeof frame->stage_ms);
    frame->evaluation++;
    if (motion != NULL && number >= motion->clip->frame_count) {
        return sni_fail(error, SN_INVALID, "there is no frame %u: \"%s\" has frames 0 to %u",
                        number, motion->clip->name, motion->clip->frame_count - 1);
    }
    if (frame->model->state_bytes == 0 || motion == NULL) {
        frame->state_motion = motion != NULL ? motion->id : frame->state_motion;
        return evaluate_once(frame, motion, number, error);
    }
    for (uint32_t next = resume(frame, motion->id, number); next <= number; ++next) {
        SN_TRY(evaluate_once(frame, motion, next, error));
        SN_TRY(keep_checkpoint(frame, next, error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Saved states

// What stands before the bytes of a state. No padding: all of it is written.
typedef struct saved_head {
    char magic[8];
    uint32_t version;
    uint32_t run;  // sni_run
    uint64_t size; // of the whole
    uint64_t fingerprint;
    sni_clock clock;
    uint64_t hash; // of the state behind it
} saved_head;
_Static_assert(sizeof(saved_head) == 64, "the head of a saved state has no padding");

static const char saved_magic[8] = "SNSTATE";
enum { SAVED_VERSION = 1 }; // goes up where a deformer's state means something else than before

size_t sn_frame_state_bytes(const sn_frame *frame) {
    return sizeof(saved_head) + frame->state_bytes;
}

void sn_frame_save(const sn_frame *frame, void *state) {
    saved_head head = {.version = SAVED_VERSION,
                       .run = frame->run,
                       .size = sn_frame_state_bytes(frame),
                       .fingerprint = frame->fingerprint,
                       .clock = frame->clock,
                       .hash = sni_hash_bytes(sni_hash_start, frame->state, frame->state_bytes)};
    memcpy(head.magic, saved_magic, sizeof head.magic);
    memcpy(state, &head, sizeof head);
    memcpy((uint8_t *)state + sizeof head, frame->state, frame->state_bytes);
}

static bool is_good_clock(const sni_clock *clock) {
    return isfinite(clock->start) && isfinite(clock->rate) && clock->rate > 0;
}

// Whether these bytes are a state of the frame's model.
static sn_status read_head(const sn_frame *frame, const void *state, size_t size, saved_head *head,
                           sn_error *error) {
    const char *name = sn_model_name(frame->model);
    if (size < sizeof *head) {
        return sni_fail(error, SN_INVALID, "a saved state has %zu bytes and more, not %zu",
                        sizeof *head, size);
    }
    memcpy(head, state, sizeof *head);
    if (memcmp(head->magic, saved_magic, sizeof saved_magic) != 0) {
        return sni_fail(error, SN_INVALID, "these bytes are no saved state");
    }
    if (head->version != SAVED_VERSION) {
        return sni_fail(error, SN_UNSUPPORTED, "the saved state has version %u, not %u",
                        head->version, (unsigned)SAVED_VERSION);
    }
    if (head->fingerprint != frame->fingerprint) {
        return sni_fail(error, SN_INVALID, "the saved state is of another model than \"%s\"", name);
    }
    if (head->size != size || size != sn_frame_state_bytes(frame)) {
        return sni_fail(error, SN_INVALID, "a saved state of \"%s\" has %zu bytes, not %zu", name,
                        sn_frame_state_bytes(frame), size);
    }
    const uint8_t *bytes = (const uint8_t *)state + sizeof *head;
    if (head->hash != sni_hash_bytes(sni_hash_start, bytes, size - sizeof *head) ||
        head->run > SNI_RUN_LIVE || !is_good_clock(&head->clock)) {
        return sni_fail(error, SN_INVALID, "the saved state of \"%s\" is damaged", name);
    }
    return SN_OK;
}

static sn_status check_motion(const saved_head *head, const sn_motion *motion, sn_error *error) {
    const sn_clip *clip = motion->clip;
    if (head->run == SNI_RUN_LIVE) {
        return sni_fail(error, SN_INVALID,
                        "the saved state was reached by live steps, not by frames of \"%s\"",
                        clip->name);
    }
    if (head->run == SNI_RUN_MOTION &&
        (head->clock.rate != clip->rate || head->clock.count >= clip->frame_count)) {
        return sni_fail(error, SN_INVALID,
                        "the saved state is that after frame %llu of a motion with %.9g frames per "
                        "second; \"%s\" has %u frames, %.9g per second",
                        (unsigned long long)head->clock.count, head->clock.rate, clip->name,
                        clip->frame_count, clip->rate);
    }
    return SN_OK;
}

sn_status sn_frame_restore(sn_frame *frame, const sn_motion *motion, const void *state, size_t size,
                           sn_error *error) {
    saved_head head;
    sn_status status = SN_OK;
    SN_TRY(read_head(frame, state, size, &head, error));
    if (motion != NULL) {
        SN_TRY(check_motion(&head, motion, error));
    }
    // What was reached before from other values set must not be taken up again.
    sni_frame_forget_motion(frame);
    memcpy(frame->state, (const uint8_t *)state + sizeof head, frame->state_bytes);
    frame->clock = head.clock;
    frame->run = head.run == SNI_RUN_NONE ? SNI_RUN_NONE
                 : motion != NULL         ? SNI_RUN_MOTION
                                          : SNI_RUN_LIVE;
    frame->state_motion = motion != NULL ? motion->id : frame->state_motion;
    // What was not stepped there and is needed here begins anew, and the other way round.
    sni_frame_mark_needed(frame);
cleanup:
    return status;
}
