// SPDX-License-Identifier: Apache-2.0
//
// play DOCUMENT [auto|baseline|avx2] [FRAMES]: evaluates frames spread over the document's first
// clip and prints a hash of the points of each surface and their mean in tenths of a millimetre, so
// that platforms can be compared.
#include <sinew/sinew.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FNV-1a.
static uint64_t hash_bytes(const void *bytes, size_t size) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    }
    return hash;
}

static sn_vec3 mean_of(const float *points, uint32_t count) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        sum = sn_vec3_add(sum, sn_vec3_load(points + 3 * (size_t)i));
    }
    return sn_vec3_scale(sum, count > 0 ? 1.0 / count : 0);
}

static void print_frame(const sn_frame *frame, uint32_t number) {
    const sn_model *model = sn_frame_model(frame);
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        const float *points = sn_frame_points(frame, i);
        uint32_t count = surface->mesh->vertex_count;
        sn_vec3 mean = mean_of(points, count);
        printf("%" PRIu32 " %s %016" PRIx64 " %ld %ld %ld\n", number, surface->name,
               hash_bytes(points, 3 * sizeof(float) * (size_t)count), lround(mean.x * 1e4),
               lround(mean.y * 1e4), lround(mean.z * 1e4));
    }
}

static sn_status play(sn_context *context, const char *path, uint32_t count, sn_error *error) {
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_character_load(context, path, &character, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    if (sn_model_clip_count(model) > 0) {
        SN_TRY(sn_motion_open(model, sn_model_clip_name(model, 0), &motion, error));
    }
    SN_TRY(sn_frame_create(model, &frame, error));
    uint32_t last = motion != NULL ? sn_motion_frame_count(motion) - 1 : 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = i * last / count;
        SN_TRY(sn_frame_evaluate(frame, motion, number, error));
        print_frame(frame, number);
    }
cleanup:
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s DOCUMENT [auto|baseline|avx2] [FRAMES]\n", argv[0]);
        return 2;
    }
    sn_error error = {0};
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context = NULL;
    const char *cpu = argc > 2 ? argv[2] : "auto";
    desc.thread_count = 1;
    desc.cpu = strcmp(cpu, "baseline") == 0 ? SN_CPU_BASELINE
               : strcmp(cpu, "avx2") == 0   ? SN_CPU_AVX2
                                            : SN_CPU_AUTO;
    sn_status status = sn_context_create(&desc, &context, &error);
    if (status == SN_OK) {
        status = play(context, argv[1], argc > 3 ? (uint32_t)atoi(argv[3]) : 3, &error);
    }
    sn_context_destroy(context);
    if (status != SN_OK) {
        char text[2048];
        sn_error_format(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    return status == SN_OK ? 0 : 1;
}
