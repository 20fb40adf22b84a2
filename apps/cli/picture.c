// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include "common/portrait.h"

#include <stdlib.h>
#include <string.h>

void cli_space_shots(const sn_motion *motion, uint32_t first, uint32_t last, uint32_t count,
                     cli_shot *shots) {
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t offset = count > 1 ? (uint64_t)(last - first) * i / (count - 1) : 0;
        shots[i] = (cli_shot){.motion = motion, .frame = first + (uint32_t)offset};
    }
}

bool cli_parse_quality(const cli_call *call, sn_portrait_desc *desc) {
    const char *text = cli_value(call, "--quality", "normal");
    bool known = app_portrait_quality(text, desc);
    if (!known) {
        cli_wrong_usage(call, "--quality takes draft, normal or high, not \"%s\"", text);
    }
    return known;
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

// "curl, frame 12 (0.40 s)", or "rest". Below a title that names the clip, "frame 12 (0.40 s)": in
// narrow pictures there is room for no more.
static void name_shot(const cli_shot *shot, const char *title, char *text, size_t size) {
    if (shot->motion != NULL && shot->frame != SN_NONE && title != NULL &&
        strstr(title, sn_motion_name(shot->motion)) != NULL) {
        snprintf(text, size, "frame %u (%.2f s)", shot->frame,
                 shot->frame / sn_motion_rate(shot->motion));
    } else if (shot->motion == NULL) {
        snprintf(text, size, "rest");
    } else if (shot->frame == SN_NONE) {
        snprintf(text, size, "%s", sn_motion_name(shot->motion));
    } else {
        snprintf(text, size, "%s, frame %u (%.2f s)", sn_motion_name(shot->motion), shot->frame,
                 shot->frame / sn_motion_rate(shot->motion));
    }
}

void cli_caption(const cli_call *call, const char *name, const sn_motion *motion, uint32_t frame,
                 char caption[CLI_CAPTION_BYTES]) {
    char what[CLI_CAPTION_BYTES], pose[CLI_CAPTION_BYTES] = "";
    name_shot(&(cli_shot){motion, frame}, NULL, what, sizeof what);
    for (uint32_t i = 0; i < call->option_count; ++i) {
        size_t used = strlen(pose);
        if (strcmp(call->option_names[i], "--set") == 0) {
            snprintf(pose + used, sizeof pose - used, ", %s", call->option_values[i]);
        }
    }
    // The rest pose with changes is not the rest pose.
    bool is_posed = motion == NULL && pose[0] != 0;
    snprintf(caption, CLI_CAPTION_BYTES, "%s: %s%s", name, is_posed ? "" : what,
             is_posed ? pose + 2 : pose);
}

static sn_status draw_shots(sn_portrait *portrait, sn_frame *frame, const cli_shot *shots,
                            uint32_t count, const char *title, const sn_progress *progress,
                            sn_image **images, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count; ++i) {
        char label[CLI_CAPTION_BYTES];
        app_part part;
        app_part_begin(&part, progress, (double)i / count, (i + 1.0) / count);
        name_shot(&shots[i], title, label, sizeof label);
        SN_TRY(sn_frame_evaluate(frame, shots[i].motion, shots[i].frame, error));
        SN_TRY(sn_portrait_draw(portrait, frame, count == 1 ? title : label, &part.progress,
                                &images[i], error));
    }
cleanup:
    return status;
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
    sn_status status = SN_OK;
    SN_TRY(sn_portrait_create(model, desc, &portrait, error));
    SN_TRY(include_shots(portrait, frame, shots, shot_count, error));
    SN_TRY(draw_shots(portrait, frame, shots, shot_count, title, progress, images, error));
    if (shot_count == 1) {
        *image = images[0];
        images[0] = NULL;
    } else {
        SN_TRY(sn_image_sheet(sn_model_context(model), (const sn_image *const *)images, shot_count,
                              columns, title, image, error));
    }
cleanup:
    for (uint32_t i = 0; i < shot_count; ++i) {
        sn_image_destroy(images[i]);
    }
    free(images);
    sn_portrait_destroy(portrait);
    return status;
}
