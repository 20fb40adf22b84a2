// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <stdlib.h>
#include <string.h>

void cli_space_shots(const sn_motion *motion, uint32_t first, uint32_t last, uint32_t count,
                     cli_shot *shots) {
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t way = count > 1 ? (uint64_t)(last - first) * i / (count - 1) : 0;
        shots[i] = (cli_shot){.motion = motion, .frame = first + (uint32_t)way};
    }
}

bool cli_parse_quality(const cli_call *call, sn_portrait_desc *desc) {
    static const struct {
        const char *name;
        uint32_t samples, occlusion_rays;
    } qualities[] = {{"draft", 1, 4}, {"normal", 0, 0}, {"high", 4, 32}};
    const char *text = cli_value(call, "--quality", "normal");
    for (size_t i = 0; i < 3; ++i) {
        if (strcmp(qualities[i].name, text) == 0) {
            bool given = qualities[i].samples != 0;
            desc->samples = given ? qualities[i].samples : desc->samples;
            desc->occlusion_rays = given ? qualities[i].occlusion_rays : desc->occlusion_rays;
            return true;
        }
    }
    cli_wrong_usage(call, "--quality takes draft, normal or high, not \"%s\"", text);
    return false;
}

static sn_status include_shots(sn_portrait *portrait, sn_frame *frame, const cli_shot *shots,
                               uint32_t count, sn_error *error) {
    for (uint32_t i = 0; i < count; ++i) {
        sn_status status = sn_frame_evaluate(frame, shots[i].motion, shots[i].frame, error);
        if (status != SN_OK) {
            return status;
        }
        sn_portrait_include(portrait, frame);
    }
    return SN_OK;
}

static void make_label(const cli_shot *shot, char *label, size_t size) {
    if (shot->motion == NULL) {
        snprintf(label, size, "rest");
    } else {
        snprintf(label, size, "%s %u", sn_motion_name(shot->motion), shot->frame);
    }
}

// A part of the progress of the whole.
typedef struct part_progress {
    const sn_progress *whole;
    uint32_t index, count;
} part_progress;

static bool report_part(const char *step, double fraction, void *user) {
    const part_progress *part = user;
    return part->whole->report(step, (part->index + fraction) / part->count, part->whole->user);
}

static sn_status draw_shots(sn_portrait *portrait, sn_frame *frame, const cli_shot *shots,
                            uint32_t count, const sn_progress *progress, sn_image **images,
                            sn_error *error) {
    for (uint32_t i = 0; i < count; ++i) {
        char label[256];
        part_progress part = {.whole = progress, .index = i, .count = count};
        sn_progress one = {.report = report_part, .user = &part};
        make_label(&shots[i], label, sizeof label);
        sn_status status = sn_frame_evaluate(frame, shots[i].motion, shots[i].frame, error);
        if (status == SN_OK) {
            status = sn_portrait_draw(portrait, frame, label, &one, &images[i], error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

sn_status cli_draw_sheet(sn_frame *frame, const sn_portrait_desc *desc, const cli_shot *shots,
                         uint32_t shot_count, uint32_t columns, const char *title,
                         const sn_progress *progress, sn_image **image, sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    sn_portrait *portrait = NULL;
    sn_image **images = calloc(shot_count, sizeof *images);
    if (images == NULL) {
        return app_fail_memory(error);
    }
    sn_status status = sn_portrait_create(model, desc, &portrait, error);
    if (status == SN_OK) {
        status = include_shots(portrait, frame, shots, shot_count, error);
    }
    if (status == SN_OK) {
        status = draw_shots(portrait, frame, shots, shot_count, progress, images, error);
    }
    if (status == SN_OK && shot_count == 1 && title == NULL) {
        *image = images[0];
        images[0] = NULL;
    } else if (status == SN_OK) {
        status = sn_image_sheet(sn_model_context(model), (const sn_image *const *)images,
                                shot_count, columns, title, image, error);
    }
    for (uint32_t i = 0; i < shot_count; ++i) {
        sn_image_destroy(images[i]);
    }
    free(images);
    sn_portrait_destroy(portrait);
    return status;
}
