// SPDX-License-Identifier: Apache-2.0
//
// The picture: a row for each body, a column for each clip that is shown.
#include "bench/rigs/rigs.h"

#include "sinew/render.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t cell_width = 74, cell_height = 95;

// Clips that differ much from each other, where the folder has them.
static const char *const shown[] = {
    "human/benchmark.bvh",
    "rigs/RobotExpressive.glb#Dance",
    "rigs/SambaDancing.fbx",
    "rigs/Xbot.glb#run",
    "rigs/rokoko_dance.bvh",
    "mocap/cmu_02_01_walk.bvh",
    "mocap/cmu_02_06_bend_scoop_lift_arm.bvh",
    "mocap/cmu_17_10_boxing.bvh",
    "mocap/cmu_13_29_jacks_twists_bend_squats.bvh",
};
enum { SHOWN = sizeof shown / sizeof *shown };

static uint32_t find_clip(const snb_rigs *rigs, const char *name) {
    for (uint32_t i = 0; i < rigs->clip_count; ++i) {
        if (strcmp(rigs->clips[i].name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

// The middle of a clip.
static snb_rig_shot shot_of(const snb_rigs *rigs, uint32_t clip) {
    const snb_rig_clip *c = &rigs->clips[clip];
    return (snb_rig_shot){clip, c->first + (c->count - 1 - c->first) / 2};
}

uint32_t snb_rigs_choose(const snb_rigs *rigs, snb_rig_shot *shots) {
    uint32_t count = 0;
    for (int i = 0; i < SHOWN; ++i) {
        uint32_t clip = find_clip(rigs, shown[i]);
        if (clip != SN_NONE) {
            shots[count++] = shot_of(rigs, clip);
        }
    }
    // Another folder: clips evenly spaced.
    uint32_t most = rigs->clip_count < SHOWN ? rigs->clip_count : SHOWN;
    for (uint32_t i = 0; count == i && count < most; ++i) {
        shots[count++] = shot_of(rigs, (uint32_t)((uint64_t)i * rigs->clip_count / most));
    }
    return count;
}

static sn_status make_portrait(const snb_rig_body *body, sn_portrait **portrait, sn_error *error) {
    sn_portrait_desc desc = sn_portrait_desc_default();
    desc.width = cell_width;
    desc.height = cell_height;
    desc.samples = 3;
    desc.occlusion_rays = 4;
    desc.azimuth = 0.5;
    desc.elevation = 0.1;
    desc.follow = true;
    desc.grounded = true;
    desc.ground = body->ground;
    desc.materials = true;
    return sn_portrait_create(body->model, &desc, portrait, error);
}

// A body that cannot play the clip is shown at rest.
static sn_status draw_cell(const snb_rig_body *body, const snb_rig_clip *clip, uint32_t pose,
                           sn_image **image, sn_error *error) {
    sn_status status = SN_OK;
    sn_portrait *portrait = NULL;
    sn_motion *motion = NULL;
    sn_error reason;
    if (snb_rig_play(body->model, clip, &motion, NULL, &reason) != SN_OK) {
        motion = NULL;
    }
    SN_TRY(make_portrait(body, &portrait, error));
    SN_TRY(sn_frame_evaluate(body->frame, motion, motion != NULL ? pose * clip->step : 0, error));
    sn_portrait_include(portrait, body->frame);
    SN_TRY(sn_portrait_draw(portrait, body->frame, NULL, NULL, image, error));
cleanup:
    sn_portrait_destroy(portrait);
    sn_motion_destroy(motion);
    return status;
}

// Whether a body comes from a file of the same name as one before: the same model in another
// format.
static bool is_copy(const snb_rigs *rigs, uint32_t body) {
    const char *name = snb_short_name(rigs->bodies[body].name);
    size_t length = strcspn(name, ".");
    for (uint32_t i = 0; i < body; ++i) {
        const char *other = snb_short_name(rigs->bodies[i].name);
        if (strcspn(other, ".") == length && strncmp(name, other, length) == 0) {
            return true;
        }
    }
    return false;
}

static sn_status draw_cells(const snb_rigs *rigs, const snb_rig_shot *shots, uint32_t columns,
                            sn_image **images, uint32_t *count, sn_error *error) {
    *count = 0;
    for (uint32_t b = 0; b < rigs->body_count; ++b) {
        for (uint32_t c = 0; c < columns && !is_copy(rigs, b); ++c) {
            sn_status status = draw_cell(&rigs->bodies[b], &rigs->clips[shots[c].clip],
                                         shots[c].pose, &images[*count], error);
            if (status != SN_OK) {
                return status;
            }
            ++*count;
        }
    }
    return SN_OK;
}

sn_status snb_rigs_draw(const snb_rigs *rigs, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sn_image *sheet = NULL;
    snb_rig_shot *shots = calloc((size_t)rigs->clip_count + SHOWN, sizeof *shots);
    uint32_t columns = shots != NULL ? snb_rigs_choose(rigs, shots) : 0;
    uint32_t count = 0;
    sn_image **images = calloc((size_t)rigs->body_count * columns + 1, sizeof *images);
    if (shots == NULL || images == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(draw_cells(rigs, shots, columns, images, &count, error));
    SN_TRY(sn_image_sheet(rigs->context, (const sn_image *const *)images, count, columns, NULL,
                          &sheet, error));
    SN_TRY(sn_image_write_png(sheet, path, error));
cleanup:
    for (uint32_t i = 0; images != NULL && i < count; ++i) {
        sn_image_destroy(images[i]);
    }
    sn_image_destroy(sheet);
    free(images);
    free(shots);
    return status;
}
