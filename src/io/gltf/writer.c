// SPDX-License-Identifier: Apache-2.0
#include "io/gltf/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The container counts in 32 bits (glTF 2.0, section 4.4).
static const uint64_t largest_file = UINT32_MAX;

sn_status sni_gltf_writer_init(sni_gltf_writer *writer, sn_context *context, const char *path,
                               sn_error *error) {
    sn_status status = SN_OK;
    *writer = (sni_gltf_writer){.context = context};
    sni_names_init(&writer->material_names, context);
    writer->path = sni_string_copy(context, path);
    if (writer->path == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(sn_json_create(context, &writer->json, error));
    SN_TRY(sni_spool_open(writer->path, &writer->spool, error));
    sn_value *asset = sni_gltf_put_object(writer, sn_json_root(writer->json), "asset");
    sni_gltf_put_string(writer, asset, "version", "2.0");
    sni_gltf_put_string(writer, asset, "generator", "sinew " SN_VERSION);
cleanup:
    if (status != SN_OK) {
        sni_gltf_writer_deinit(writer);
    }
    return status;
}

void sni_gltf_writer_deinit(sni_gltf_writer *writer) {
    if (writer->context == NULL) {
        return;
    }
    if (writer->spool != NULL) {
        fclose(writer->spool);
    }
    sn_json_destroy(writer->json);
    sni_names_deinit(&writer->material_names);
    sni_free(writer->context, writer->materials);
    sni_free(writer->context, writer->path);
    *writer = (sni_gltf_writer){0};
}

// ---------------------------------------------------------------------------------------------
// JSON

static sn_value *remember(sni_gltf_writer *writer, sn_value *value) {
    writer->out_of_memory = writer->out_of_memory || value == NULL;
    return value;
}

sn_value *sni_gltf_put_object(sni_gltf_writer *writer, sn_value *container, const char *key) {
    return remember(writer, sn_json_add_object(writer->json, container, key));
}

sn_value *sni_gltf_put_array(sni_gltf_writer *writer, sn_value *container, const char *key) {
    return remember(writer, sn_json_add_array(writer->json, container, key));
}

void sni_gltf_put_number(sni_gltf_writer *writer, sn_value *container, const char *key,
                         double value) {
    remember(writer, sn_json_add_number(writer->json, container, key, value));
}

void sni_gltf_put_numbers(sni_gltf_writer *writer, sn_value *container, const char *key,
                          const double *values, uint32_t count) {
    remember(writer, sn_json_add_numbers(writer->json, container, key, values, count));
}

void sni_gltf_put_bool(sni_gltf_writer *writer, sn_value *container, const char *key, bool value) {
    remember(writer, sn_json_add_bool(writer->json, container, key, value));
}

void sni_gltf_put_string(sni_gltf_writer *writer, sn_value *container, const char *key,
                         const char *value) {
    remember(writer, sn_json_add_string(writer->json, container, key, value));
}

sn_value *sni_gltf_put_item(sni_gltf_writer *writer, sni_gltf_list list, uint32_t *index) {
    if (writer->lists[list] == NULL) {
        writer->lists[list] =
            sni_gltf_put_array(writer, sn_json_root(writer->json), sni_gltf_list_key(list));
    }
    *index = sn_value_count(writer->lists[list]);
    return sni_gltf_put_object(writer, writer->lists[list], NULL);
}

void sni_gltf_put_scene(sni_gltf_writer *writer, const uint32_t *roots, uint32_t root_count) {
    SN_ASSERT(root_count == 0 || roots != NULL);
    uint32_t index;
    sn_value *scene = sni_gltf_put_item(writer, SNI_GLTF_SCENES, &index);
    if (root_count > 0) { // an empty array is not allowed
        sn_value *nodes = sni_gltf_put_array(writer, scene, "nodes");
        for (uint32_t i = 0; i < root_count; ++i) {
            sni_gltf_put_number(writer, nodes, NULL, roots[i]);
        }
    }
    sni_gltf_put_number(writer, sn_json_root(writer->json), "scene", index);
}

// ---------------------------------------------------------------------------------------------
// Views and accessors

static sn_status spool_bytes(sni_gltf_writer *writer, const void *bytes, size_t size,
                             sn_error *error) {
    if (size > largest_file - writer->size) {
        return sni_fail(error, SN_LIMIT,
                        "the file would be larger than the 4 GiB that .glb allows");
    }
    if (size > 0 && fwrite(bytes, 1, size, writer->spool) != size) {
        return sni_fail_errno(error, writer->path, "write");
    }
    writer->size += size;
    return SN_OK;
}

sn_status sni_gltf_put_view(sni_gltf_writer *writer, const void *bytes, size_t size,
                            sni_gltf_target target, uint32_t *view, sn_error *error) {
    SN_ASSERT(size == 0 || bytes != NULL);
    SN_ASSERT(view != NULL);
    static const char zeros[4] = {0};
    sn_status status = SN_OK;
    SN_TRY(spool_bytes(writer, zeros, (4 - writer->size % 4) % 4, error));
    sn_value *value = sni_gltf_put_item(writer, SNI_GLTF_VIEWS, view);
    sni_gltf_put_number(writer, value, "buffer", 0);
    sni_gltf_put_number(writer, value, "byteOffset", (double)writer->size);
    sni_gltf_put_number(writer, value, "byteLength", (double)size);
    if (target != SNI_GLTF_TARGET_NONE) {
        sni_gltf_put_number(writer, value, "target", target);
    }
    SN_TRY(spool_bytes(writer, bytes, size, error));
cleanup:
    return status;
}

size_t sni_gltf_component_bytes(sni_gltf_component component) {
    return component == SNI_GLTF_UINT8 || component == SNI_GLTF_INT8     ? 1
           : component == SNI_GLTF_UINT16 || component == SNI_GLTF_INT16 ? 2
                                                                         : 4;
}

static sn_value *put_shape(sni_gltf_writer *writer, const sni_gltf_array *array,
                           uint32_t *accessor) {
    static const char *const types[] = {
        [1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4", [16] = "MAT4"};
    sn_value *value = sni_gltf_put_item(writer, SNI_GLTF_ACCESSORS, accessor);
    sni_gltf_put_number(writer, value, "componentType", array->component);
    sni_gltf_put_number(writer, value, "count", array->count);
    sni_gltf_put_string(writer, value, "type", types[array->width]);
    if (array->normalized) {
        sni_gltf_put_bool(writer, value, "normalized", true);
    }
    return value;
}

static double number_at(const void *values, sni_gltf_component component, size_t index) {
    switch (component) {
    case SNI_GLTF_INT8: return ((const int8_t *)values)[index];
    case SNI_GLTF_UINT8: return ((const uint8_t *)values)[index];
    case SNI_GLTF_INT16: return ((const int16_t *)values)[index];
    case SNI_GLTF_UINT16: return ((const uint16_t *)values)[index];
    case SNI_GLTF_UINT32: return ((const uint32_t *)values)[index];
    default: return ((const float *)values)[index];
    }
}

// The bounds of `count` values; `with_zero` where zeros stand beside them.
static void put_bounds(sni_gltf_writer *writer, sn_value *accessor, const sni_gltf_array *array,
                       const void *values, uint32_t count, bool with_zero) {
    double low[4], high[4];
    uint32_t width = array->width;
    for (uint32_t k = 0; k < width; ++k) {
        low[k] = with_zero || count == 0 ? 0 : INFINITY;
        high[k] = with_zero || count == 0 ? 0 : -INFINITY;
        for (size_t i = 0; i < count; ++i) {
            double number = number_at(values, array->component, i * width + k);
            low[k] = fmin(low[k], number);
            high[k] = fmax(high[k], number);
        }
    }
    sni_gltf_put_numbers(writer, accessor, "min", low, width);
    sni_gltf_put_numbers(writer, accessor, "max", high, width);
}

// Writes the elements of vertices with zeros behind each, so that they begin at multiples of four.
static sn_status put_padded_view(sni_gltf_writer *writer, const sni_gltf_array *array, size_t size,
                                 uint32_t *view, sn_error *error) {
    size_t stride = (size + 3) / 4 * 4;
    char *padded = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(writer->context, padded, array->count * stride);
    for (size_t i = 0; i < array->count; ++i) {
        memcpy(padded + i * stride, (const char *)array->values + i * size, size);
    }
    SN_TRY(sni_gltf_put_view(writer, padded, array->count * stride, array->target, view, error));
    sn_value *value = (sn_value *)sn_value_at(writer->lists[SNI_GLTF_VIEWS], *view);
    sni_gltf_put_number(writer, value, "byteStride", (double)stride);
cleanup:
    sni_free(writer->context, padded);
    return status;
}

static sn_status put_array_view(sni_gltf_writer *writer, const sni_gltf_array *array,
                                uint32_t *view, sn_error *error) {
    size_t size = sni_gltf_component_bytes(array->component) * array->width;
    return array->target == SNI_GLTF_TARGET_VERTICES && size % 4 != 0
               ? put_padded_view(writer, array, size, view, error)
               : sni_gltf_put_view(writer, array->values, array->count * size, array->target, view,
                                   error);
}

sn_status sni_gltf_put_accessor(sni_gltf_writer *writer, const sni_gltf_array *array,
                                uint32_t *accessor, sn_error *error) {
    SN_ASSERT(accessor != NULL);
    sn_status status = SN_OK;
    uint32_t view = SN_NONE;
    if (array->values != NULL) {
        SN_TRY(put_array_view(writer, array, &view, error));
    }
    sn_value *value = put_shape(writer, array, accessor);
    if (view != SN_NONE) {
        sni_gltf_put_number(writer, value, "bufferView", view);
    }
    if (array->bounds) {
        put_bounds(writer, value, array, array->values, array->values != NULL ? array->count : 0,
                   false);
    }
cleanup:
    return status;
}

// Indices in the smallest type that holds the largest of them.
static sn_status put_sparse_indices(sni_gltf_writer *writer, const uint32_t *indices,
                                    uint32_t count, sni_gltf_component *component, uint32_t *view,
                                    sn_error *error) {
    sn_status status = SN_OK;
    uint16_t *narrow = NULL;
    if (indices[count - 1] > UINT16_MAX) {
        *component = SNI_GLTF_UINT32;
        return sni_gltf_put_view(writer, indices, count * sizeof *indices, SNI_GLTF_TARGET_NONE,
                                 view, error);
    }
    *component = SNI_GLTF_UINT16;
    SNI_NEW(writer->context, narrow, count);
    for (uint32_t i = 0; i < count; ++i) {
        narrow[i] = (uint16_t)indices[i];
    }
    SN_TRY(sni_gltf_put_view(writer, narrow, count * sizeof *narrow, SNI_GLTF_TARGET_NONE, view,
                             error));
cleanup:
    sni_free(writer->context, narrow);
    return status;
}

sn_status sni_gltf_put_sparse(sni_gltf_writer *writer, const sni_gltf_array *array,
                              const uint32_t *indices, const void *values, uint32_t sparse_count,
                              uint32_t *accessor, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index_view, value_view;
    sni_gltf_component index_component;
    if (sparse_count == 0) { // a sparse part may not be empty
        sni_gltf_array zeros = *array;
        zeros.values = NULL;
        return sni_gltf_put_accessor(writer, &zeros, accessor, error);
    }
    SN_TRY(put_sparse_indices(writer, indices, sparse_count, &index_component, &index_view, error));
    size_t size = sni_gltf_component_bytes(array->component) * sparse_count * array->width;
    SN_TRY(sni_gltf_put_view(writer, values, size, SNI_GLTF_TARGET_NONE, &value_view, error));
    sn_value *value = put_shape(writer, array, accessor);
    sn_value *sparse = sni_gltf_put_object(writer, value, "sparse");
    sni_gltf_put_number(writer, sparse, "count", sparse_count);
    sn_value *index_part = sni_gltf_put_object(writer, sparse, "indices");
    sni_gltf_put_number(writer, index_part, "bufferView", index_view);
    sni_gltf_put_number(writer, index_part, "componentType", index_component);
    sn_value *value_part = sni_gltf_put_object(writer, sparse, "values");
    sni_gltf_put_number(writer, value_part, "bufferView", value_view);
    if (array->bounds) {
        put_bounds(writer, value, array, values, sparse_count, sparse_count < array->count);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The file

static sn_status write_u32(sni_output *output, uint64_t value, sn_error *error) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    return sni_output_write(output, bytes, sizeof bytes, error);
}

static sn_status write_padding(sni_output *output, uint64_t size, char fill, sn_error *error) {
    char padding[4] = {fill, fill, fill, fill};
    return sni_output_write(output, padding, (4 - size % 4) % 4, error);
}

static sn_status copy_spool(sni_gltf_writer *writer, sni_output *output, sn_error *error) {
    enum { BLOCK = 1 << 20 };
    sn_status status = SN_OK;
    char *block = NULL;
    SNI_NEW(writer->context, block, BLOCK);
    if (fflush(writer->spool) != 0 || fseek(writer->spool, 0, SEEK_SET) != 0) {
        status = sni_fail_errno(error, writer->path, "write");
        goto cleanup;
    }
    for (uint64_t left = writer->size; left > 0;) {
        size_t part = left < BLOCK ? (size_t)left : BLOCK;
        if (fread(block, 1, part, writer->spool) != part) {
            status = sni_fail_errno(error, writer->path, "read back");
            goto cleanup;
        }
        SN_TRY(sni_output_write(output, block, part, error));
        left -= part;
    }
cleanup:
    sni_free(writer->context, block);
    return status;
}

static sn_status write_container(sni_gltf_writer *writer, const char *text, size_t text_size,
                                 sni_output *output, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t json_size = (text_size + 3) / 4 * 4;
    uint64_t bin_size = (writer->size + 3) / 4 * 4;
    uint64_t total = 12 + 8 + json_size + (bin_size > 0 ? 8 + bin_size : 0);
    if (total > largest_file) {
        return sni_fail(error, SN_LIMIT, "the file would have %llu bytes, more than .glb allows",
                        (unsigned long long)total);
    }
    SN_TRY(sni_output_write(output, "glTF", 4, error));
    SN_TRY(write_u32(output, 2, error));
    SN_TRY(write_u32(output, total, error));
    SN_TRY(write_u32(output, json_size, error));
    SN_TRY(sni_output_write(output, "JSON", 4, error));
    SN_TRY(sni_output_write(output, text, text_size, error));
    SN_TRY(write_padding(output, text_size, ' ', error));
    if (bin_size > 0) {
        SN_TRY(write_u32(output, bin_size, error));
        SN_TRY(sni_output_write(output, "BIN\0", 4, error));
        SN_TRY(copy_spool(writer, output, error));
        SN_TRY(write_padding(output, writer->size, 0, error));
    }
cleanup:
    return status;
}

// A reader that does not know the extension must not read the file.
static void put_extensions(sni_gltf_writer *writer) {
    static const char *const keys[] = {"extensionsUsed", "extensionsRequired"};
    for (int i = 0; writer->quantized && i < 2; ++i) {
        sn_value *list = sni_gltf_put_array(writer, sn_json_root(writer->json), keys[i]);
        sni_gltf_put_string(writer, list, NULL, "KHR_mesh_quantization");
    }
}

sn_status sni_gltf_writer_finish(sni_gltf_writer *writer, sn_error *error) {
    sn_status status = SN_OK;
    char *text = NULL;
    size_t text_size = 0;
    sni_output output = {0};
    if (writer->size > 0) {
        uint32_t index;
        sn_value *buffer = sni_gltf_put_item(writer, SNI_GLTF_BUFFERS, &index);
        sni_gltf_put_number(writer, buffer, "byteLength", (double)writer->size);
    }
    put_extensions(writer);
    if (writer->out_of_memory) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(sn_json_write(writer->json, &text, &text_size, error));
    SN_TRY(sni_output_open(NULL, writer->path, &output, error));
    SN_TRY(write_container(writer, text, text_size, &output, error));
    SN_TRY(sni_output_commit(&output, error));
cleanup:
    sni_output_close(&output);
    sn_json_free_text(writer->context, text);
    return status;
}
