// SPDX-License-Identifier: Apache-2.0
//
// Point caches: plain frames of points behind a small header.
//
// PC2 (3ds Max, Blender), little endian: "POINTCACHE2\0", int32 version 1, int32 points,
// float32 first frame, float32 frames per sample, int32 samples; then float32[3] per point.
//
// MDD (LightWave, Blender), big endian: int32 frames, int32 points, float32 times in seconds; then
// float32[3] per point.
#include "io/bytes.h"
#include "io/export.h"

typedef struct point_cache {
    sn_context *context;
    sni_output file;
    size_t value_count; // numbers per frame
    bool big_endian;
} point_cache;

// Numbers are turned into bytes so many at a time.
enum { CHUNK = 4096 };

static sn_status write_u32(point_cache *cache, uint32_t number, sn_error *error) {
    char bytes[4];
    sni_bytes_store_u32(bytes, number, cache->big_endian);
    return sni_output_write(&cache->file, bytes, sizeof bytes, error);
}

static sn_status write_floats(point_cache *cache, const float *numbers, size_t count,
                              sn_error *error) {
    sn_status status = SN_OK;
    char bytes[4 * CHUNK];
    for (size_t begin = 0; begin < count && status == SN_OK; begin += CHUNK) {
        size_t part = count - begin < CHUNK ? count - begin : CHUNK;
        for (size_t i = 0; i < part; ++i) {
            sni_bytes_store_float(bytes + 4 * i, numbers[begin + i], cache->big_endian);
        }
        status = sni_output_write(&cache->file, bytes, 4 * part, error);
    }
    return status;
}

static sn_status write_pc2_header(point_cache *cache, const sn_export_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_output_write(&cache->file, "POINTCACHE2", 12, error));
    SN_TRY(write_u32(cache, 1, error));
    SN_TRY(write_u32(cache, desc->meshes[0]->vertex_count, error));
    SN_TRY(write_floats(cache, (float[]){(float)desc->first_frame, 1}, 2, error));
    SN_TRY(write_u32(cache, desc->frame_count, error));
cleanup:
    return status;
}

static sn_status write_mdd_header(point_cache *cache, const sn_export_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(write_u32(cache, desc->frame_count, error));
    SN_TRY(write_u32(cache, desc->meshes[0]->vertex_count, error));
    for (uint32_t f = 0; f < desc->frame_count; ++f) {
        float time = (float)(((double)desc->first_frame + f) / desc->rate);
        SN_TRY(write_floats(cache, &time, 1, error));
    }
cleanup:
    return status;
}

static void cache_cancel(void *state) {
    point_cache *cache = state;
    sni_output_close(&cache->file);
    sni_free(cache->context, cache);
}

typedef sn_status write_header_fn(point_cache *cache, const sn_export_desc *desc, sn_error *error);

static sn_status cache_begin(sn_context *context, const sn_file_set *files, const char *path,
                             const sn_export_desc *desc, bool big_endian,
                             write_header_fn *write_header, void **state, sn_error *error) {
    sn_status status = SN_OK;
    point_cache *cache = NULL;
    if (desc->meshes[0]->vertex_count > INT32_MAX || desc->frame_count > INT32_MAX) {
        return sni_fail(error, SN_LIMIT, "the format holds up to %d points and frames", INT32_MAX);
    }
    SNI_NEW_ZERO(context, cache, 1);
    cache->context = context;
    cache->value_count = (size_t)desc->meshes[0]->vertex_count * 3;
    cache->big_endian = big_endian;
    SN_TRY(sni_output_open(files, path, &cache->file, error));
    SN_TRY(write_header(cache, desc, error));
    *state = cache;
    return SN_OK;
cleanup:
    if (cache != NULL) {
        cache_cancel(cache);
    }
    return status;
}

static sn_status pc2_begin(sn_context *context, const sn_file_set *files, const char *path,
                           const sn_export_desc *desc, void **state, sn_error *error) {
    return cache_begin(context, files, path, desc, false, write_pc2_header, state, error);
}

static sn_status mdd_begin(sn_context *context, const sn_file_set *files, const char *path,
                           const sn_export_desc *desc, void **state, sn_error *error) {
    return cache_begin(context, files, path, desc, true, write_mdd_header, state, error);
}

static sn_status cache_add(void *state, const float *const *positions, sn_error *error) {
    point_cache *cache = state;
    return write_floats(cache, positions[0], cache->value_count, error);
}

static sn_status cache_end(void *state, sn_error *error) {
    point_cache *cache = state;
    sn_status status = sni_output_commit(&cache->file, error);
    cache_cancel(cache);
    return status;
}

const sni_points_ops sni_write_pc2 = {
    .extension = ".pc2",
    .many_meshes = false,
    .begin = pc2_begin,
    .add = cache_add,
    .end = cache_end,
    .cancel = cache_cancel,
};

const sni_points_ops sni_write_mdd = {
    .extension = ".mdd",
    .many_meshes = false,
    .begin = mdd_begin,
    .add = cache_add,
    .end = cache_end,
    .cancel = cache_cancel,
};
