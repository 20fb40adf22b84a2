// SPDX-License-Identifier: Apache-2.0
//
// The smallest whole program: loads a character, plays a clip, and prints how its skin moves.
//
//     cc minimal.c $(pkg-config --cflags --libs sinew) -o minimal && ./minimal arm.sinew.json
#include <sinew/sinew.h>

#include <stdio.h>

static int fail(const sn_error *error) {
    char text[2048];
    sn_error_format(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

// The mean of a surface's points.
static sn_vec3 middle_of(const float *points, uint32_t count) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        sum = sn_vec3_add(sum, sn_vec3_load(points + 3 * (size_t)i));
    }
    return sn_vec3_scale(sum, count > 0 ? 1.0 / count : 0);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s CHARACTER.sinew.json [CLIP]\n", argv[0]);
        return 2;
    }
    // Memory, threads and messages are decided here, once.
    sn_error error = {0};
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context;
    if (sn_context_create(&desc, &context, &error) != SN_OK) {
        return fail(&error);
    }

    // The character is what a person edits; the model is what the machine evaluates.
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    sn_status status = sn_character_load(context, argv[1], &character, &error);
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, &error);
    }
    if (status == SN_OK && sn_model_clip_count(model) > 0) {
        const char *clip = argc > 2 ? argv[2] : sn_model_clip_name(model, 0);
        status = sn_motion_open(model, clip, &motion, &error);
    }
    if (status == SN_OK) {
        status = sn_frame_create(model, &frame, &error);
    }

    // Any frame, in any order: the result depends on the number alone.
    uint32_t frame_count = motion != NULL ? sn_motion_frame_count(motion) : 1;
    for (uint32_t number = 0; number < frame_count && status == SN_OK; number += 10) {
        status = sn_frame_evaluate(frame, motion, number, &error);
        for (uint32_t i = 0; i < sn_model_surface_count(model) && status == SN_OK; ++i) {
            const sn_surface *surface = sn_model_surface(model, i);
            if (surface->layer == SN_LAYER_SKIN) {
                sn_vec3 at = middle_of(sn_frame_points(frame, i), surface->mesh->vertex_count);
                printf("frame %3u: %s is around %.3f %.3f %.3f\n", number, surface->name, at.x,
                       at.y, at.z);
            }
        }
    }

    int result = status == SN_OK ? 0 : fail(&error);
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    sn_context_destroy(context);
    return result;
}
