// SPDX-License-Identifier: Apache-2.0
//
// Accessors (glTF 2.0, section 3.6.2): typed, strided, normalised, sparse.
//
// Every number that leads to an address is checked in 64 bits: JSON integers stay below 2^53 and
// strides below 256, so that offset + stride * count cannot wrap.
#include "io/gltf/gltf.h"

#include <math.h>
#include <string.h>

static uint32_t component_size(uint64_t component) {
    switch (component) {
    case SNI_GLTF_INT8:
    case SNI_GLTF_UINT8: return 1;
    case SNI_GLTF_INT16:
    case SNI_GLTF_UINT16: return 2;
    case SNI_GLTF_UINT32:
    case SNI_GLTF_FLOAT: return 4;
    default: return 0;
    }
}

static uint32_t type_width(const char *type) {
    static const struct {
        const char *name;
        uint32_t width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        if (strcmp(type, types[i].name) == 0) {
            return types[i].width;
        }
    }
    return 0;
}

uint32_t sni_gltf_element_size(const sni_gltf_accessor *a) {
    return component_size(a->component) * a->width;
}

static sn_status place(const sni_gltf *gltf, uint32_t index, sn_status status, sn_error *error) {
    if (status != SN_OK) {
        const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_ACCESSORS, index);
        sni_error_place(error, gltf->is_binary ? 0 : value->line, "accessor %u", index);
    }
    return status;
}

static sn_status get_component(sni_gltf *gltf, const sn_value *value, sni_gltf_component *component,
                               sn_error *error) {
    uint64_t code = 0;
    sn_status status = sni_gltf_get_integer(gltf, value, "componentType", true, &code, error);
    if (status == SN_OK && component_size(code) == 0) {
        sni_fail(error, SN_INVALID, "unknown componentType %llu", (unsigned long long)code);
        return sni_gltf_at(gltf, value, SN_INVALID, error);
    }
    *component = (sni_gltf_component)code;
    return status;
}

// `count` elements of `size` bytes, `stride` apart, must lie within a view.
typedef struct span {
    uint32_t view;
    uint64_t offset;
    uint64_t count;
    uint32_t size;
    uint32_t alignment;
    uint32_t stride; // 0: that of the view, or tightly packed
} span;

static sn_status find_span(sni_gltf *gltf, span *wanted, const uint8_t **bytes, sn_error *error) {
    sni_gltf_view view;
    sn_status status = sni_gltf_find_view(gltf, wanted->view, &view, error);
    if (status != SN_OK) {
        return status;
    }
    if (wanted->stride == 0) {
        wanted->stride = view.stride != 0 ? view.stride : wanted->size;
    }
    if (wanted->stride < wanted->size) {
        return sni_fail(error, SN_INVALID, "elements of %u bytes overlap with a byteStride of %u",
                        wanted->size, wanted->stride);
    }
    SN_ASSERT(wanted->alignment > 0);
    if ((view.offset + wanted->offset) % wanted->alignment != 0) {
        return sni_fail(error, SN_INVALID,
                        "it starts at byte %llu of its buffer, not a multiple of %u",
                        (unsigned long long)(view.offset + wanted->offset), wanted->alignment);
    }
    uint64_t end = wanted->offset + wanted->size + (wanted->count - 1) * wanted->stride;
    if (end > view.size) {
        return sni_fail(error, SN_INVALID,
                        "%llu elements of %u bytes from byte %llu end behind buffer view %u of "
                        "%zu bytes",
                        (unsigned long long)wanted->count, wanted->size,
                        (unsigned long long)wanted->offset, wanted->view, view.size);
    }
    *bytes = view.bytes + wanted->offset;
    return SN_OK;
}

// The indices and values of a sparse accessor.
static sn_status open_sparse(sni_gltf *gltf, const sn_value *sparse, sni_gltf_accessor *a,
                             sn_error *error) {
    sn_status status = SN_OK;
    uint64_t count = 0;
    const sn_value *indices, *values;
    span index_span = {0}, value_span = {0};
    SN_TRY(sni_gltf_get_integer(gltf, sparse, "count", true, &count, error));
    SN_TRY(sni_gltf_get_object(gltf, sparse, "indices", &indices, error));
    SN_TRY(sni_gltf_get_object(gltf, sparse, "values", &values, error));
    if (indices == NULL || values == NULL || count == 0 || count > a->count) {
        return sni_fail(error, SN_INVALID,
                        "a sparse part of %llu elements (of %u) needs indices and values",
                        (unsigned long long)count, a->count);
    }
    SN_TRY(get_component(gltf, indices, &a->sparse_component, error));
    if (a->sparse_component != SNI_GLTF_UINT8 && a->sparse_component != SNI_GLTF_UINT16 &&
        a->sparse_component != SNI_GLTF_UINT32) {
        return sni_fail(error, SN_INVALID, "sparse indices of componentType %d",
                        (int)a->sparse_component);
    }
    SN_TRY(sni_gltf_get_index(gltf, indices, "bufferView", SNI_GLTF_VIEWS, true, &index_span.view,
                              error));
    SN_TRY(sni_gltf_get_integer(gltf, indices, "byteOffset", false, &index_span.offset, error));
    SN_TRY(sni_gltf_get_index(gltf, values, "bufferView", SNI_GLTF_VIEWS, true, &value_span.view,
                              error));
    SN_TRY(sni_gltf_get_integer(gltf, values, "byteOffset", false, &value_span.offset, error));
    index_span.count = value_span.count = count;
    index_span.size = index_span.alignment = index_span.stride =
        component_size(a->sparse_component);
    value_span.size = value_span.stride = sni_gltf_element_size(a);
    value_span.alignment = component_size(a->component);
    SN_TRY(find_span(gltf, &index_span, &a->sparse_indices, error));
    SN_TRY(find_span(gltf, &value_span, &a->sparse_values, error));
    a->sparse_count = (uint32_t)count;
cleanup:
    return status;
}

static sn_status open_dense(sni_gltf *gltf, const sn_value *value, sni_gltf_accessor *a,
                            sn_error *error) {
    const sni_gltf_unpacked *unpacked = &gltf->unpacked_accessors[a->index];
    if (unpacked->bytes != NULL) { // its own figures count, as other readers have it
        a->bytes = unpacked->bytes;
        a->count = unpacked->count;
        a->stride = sni_gltf_element_size(a);
        return SN_OK;
    }
    span wanted = {.count = a->count,
                   .size = sni_gltf_element_size(a),
                   .alignment = component_size(a->component)};
    sn_status status = SN_OK;
    SN_TRY(
        sni_gltf_get_index(gltf, value, "bufferView", SNI_GLTF_VIEWS, false, &wanted.view, error));
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteOffset", false, &wanted.offset, error));
    if (wanted.view != SN_NONE) {
        SN_TRY(find_span(gltf, &wanted, &a->bytes, error));
        a->stride = wanted.stride;
    }
cleanup:
    return status;
}

static sn_status get_shape(sni_gltf *gltf, const sn_value *value, uint32_t widths,
                           sni_gltf_accessor *a, sn_error *error) {
    uint64_t count = 0;
    const char *type = "";
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_integer(gltf, value, "count", true, &count, error));
    SN_TRY(sni_gltf_get_string(gltf, value, "type", true, &type, error));
    SN_TRY(sni_gltf_get_bool(gltf, value, "normalized", &a->normalized, error));
    SN_TRY(get_component(gltf, value, &a->component, error));
    a->width = type_width(type);
    if (a->width == 0 || (widths & 1u << a->width) == 0) {
        return sni_fail(error, SN_INVALID, "its type %s does not fit its use", type);
    }
    if (count == 0 || count >= SN_NONE) {
        return sni_fail(error, SN_INVALID, "it has %llu elements, which is not possible",
                        (unsigned long long)count);
    }
    a->count = (uint32_t)count;
cleanup:
    return status;
}

sn_status sni_gltf_get_shape(sni_gltf *gltf, uint32_t index, sni_gltf_accessor *accessor,
                             sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_ACCESSORS, index);
    *accessor = (sni_gltf_accessor){.index = index};
    return place(gltf, index, get_shape(gltf, value, UINT32_MAX, accessor, error), error);
}

bool sni_gltf_charge(sni_gltf *gltf, uint64_t bytes) {
    bool within = bytes <= gltf->budget;
    gltf->budget -= within ? bytes : 0;
    return within;
}

// Counts the memory that the values will take. Views can be shared and zeros take no bytes in the
// file, so that without a bound a few hundred bytes could ask for any amount.
static sn_status charge(sni_gltf *gltf, const sni_gltf_accessor *a, uint64_t elements,
                        sn_error *error) {
    if (!sni_gltf_charge(gltf, elements * a->width * sizeof(float))) {
        return sni_fail(error, SN_LIMIT,
                        "%llu elements of %u numbers are out of proportion to a file of %zu bytes",
                        (unsigned long long)elements, a->width, gltf->source->size);
    }
    return SN_OK;
}

sn_status sni_gltf_open(sni_gltf *gltf, uint32_t index, uint32_t widths, bool sparse_only,
                        sni_gltf_accessor *accessor, sn_error *error) {
    SN_ASSERT(accessor != NULL);
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_ACCESSORS, index);
    const sn_value *sparse;
    sni_gltf_accessor a = {.index = index};
    sn_status status = SN_OK;
    SN_TRY(get_shape(gltf, value, widths, &a, error));
    SN_TRY(open_dense(gltf, value, &a, error));
    SN_TRY(sni_gltf_get_object(gltf, value, "sparse", &sparse, error));
    if (sparse != NULL) {
        SN_TRY(open_sparse(gltf, sparse, &a, error));
    }
    bool is_sparse = sparse_only && a.bytes == NULL;
    SN_TRY(charge(gltf, &a, is_sparse ? a.sparse_count : a.count, error));
    *accessor = a;
cleanup:
    return place(gltf, index, status, error);
}

// ---------------------------------------------------------------------------------------------
// Reading

static uint32_t load_uint(const uint8_t *bytes, sni_gltf_component component) {
    uint16_t two;
    uint32_t four;
    switch (component) {
    case SNI_GLTF_UINT8: return bytes[0];
    case SNI_GLTF_UINT16: memcpy(&two, bytes, 2); return two;
    default: memcpy(&four, bytes, 4); return four;
    }
}

// Section 3.6.2.2: f = max(c / 127, -1) and so on; signed ones are symmetric about zero.
static float load_float(const uint8_t *bytes, sni_gltf_component component, bool normalized) {
    int16_t two;
    float real;
    switch (component) {
    case SNI_GLTF_FLOAT: memcpy(&real, bytes, 4); return real;
    case SNI_GLTF_INT8:
        return normalized ? fmaxf((float)(int8_t)bytes[0] / 127.0f, -1) : (float)(int8_t)bytes[0];
    case SNI_GLTF_INT16:
        memcpy(&two, bytes, 2);
        return normalized ? fmaxf((float)two / 32767.0f, -1) : (float)two;
    case SNI_GLTF_UINT8: return (float)bytes[0] / (normalized ? 255.0f : 1);
    case SNI_GLTF_UINT16: return (float)load_uint(bytes, component) / (normalized ? 65535.0f : 1);
    default:
        return normalized ? (float)(load_uint(bytes, component) / 4294967295.0)
                          : (float)load_uint(bytes, component);
    }
}

static void load_floats(const sni_gltf_accessor *a, const uint8_t *bytes, uint32_t stride,
                        uint32_t count, float *values) {
    uint32_t size = component_size(a->component);
    if (a->component == SNI_GLTF_FLOAT && stride == sni_gltf_element_size(a)) {
        memcpy(values, bytes, (size_t)count * stride);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < a->width; ++k) {
            values[i * a->width + k] =
                load_float(bytes + i * stride + k * size, a->component, a->normalized);
        }
    }
}

static sn_status fail_reading(const sni_gltf_accessor *a, sn_status status, sn_error *error) {
    sni_error_place(error, 0, "accessor %u", a->index);
    return status;
}

static sn_status check_finite(const sni_gltf_accessor *a, const float *values, uint32_t count,
                              const char *what, sn_error *error) {
    for (size_t i = 0; i < (size_t)count * a->width; ++i) {
        if (!isfinite(values[i])) {
            sni_fail(error, SN_INVALID, "%s %zu is not a finite number", what, i / a->width);
            return fail_reading(a, SN_INVALID, error);
        }
    }
    return SN_OK;
}

// Reads sparse index `i`, which must follow `previous` (SN_NONE before the first).
static sn_status load_sparse_index(const sni_gltf_accessor *a, uint32_t i, uint32_t previous,
                                   uint32_t *index, sn_error *error) {
    *index = load_uint(a->sparse_indices + (size_t)i * component_size(a->sparse_component),
                       a->sparse_component);
    if (*index >= a->count || (i > 0 && *index <= previous)) {
        sni_fail(error, SN_INVALID, "sparse index %u is %u: expected rising numbers below %u", i,
                 *index, a->count);
        return fail_reading(a, SN_INVALID, error);
    }
    return SN_OK;
}

sn_status sni_gltf_read_floats(const sni_gltf_accessor *a, float *values, sn_error *error) {
    SN_ASSERT(values != NULL || a->count == 0);
    if (a->bytes != NULL) {
        load_floats(a, a->bytes, a->stride, a->count, values);
    } else {
        memset(values, 0, (size_t)a->count * a->width * sizeof *values);
    }
    uint32_t index = SN_NONE;
    for (uint32_t i = 0; i < a->sparse_count; ++i) {
        sn_status status = load_sparse_index(a, i, index, &index, error);
        if (status != SN_OK) {
            return status;
        }
        load_floats(a, a->sparse_values + (size_t)i * sni_gltf_element_size(a),
                    sni_gltf_element_size(a), 1, values + (size_t)index * a->width);
    }
    return check_finite(a, values, a->count, "element", error);
}

sn_status sni_gltf_read_uints(const sni_gltf_accessor *a, uint32_t *values, sn_error *error) {
    SN_ASSERT(values != NULL || a->count == 0);
    if ((a->component != SNI_GLTF_UINT8 && a->component != SNI_GLTF_UINT16 &&
         a->component != SNI_GLTF_UINT32) ||
        a->normalized) {
        sni_fail(error, SN_INVALID, "%scomponentType %d where unsigned integers are expected",
                 a->normalized ? "normalized " : "", (int)a->component);
        return fail_reading(a, SN_INVALID, error);
    }
    uint32_t size = component_size(a->component);
    if (a->bytes == NULL) {
        memset(values, 0, (size_t)a->count * a->width * sizeof *values);
    }
    for (size_t i = 0; i < a->count && a->bytes != NULL; ++i) {
        for (uint32_t k = 0; k < a->width; ++k) {
            values[i * a->width + k] = load_uint(a->bytes + i * a->stride + k * size, a->component);
        }
    }
    uint32_t index = SN_NONE;
    for (uint32_t i = 0; i < a->sparse_count; ++i) {
        sn_status status = load_sparse_index(a, i, index, &index, error);
        if (status != SN_OK) {
            return status;
        }
        for (uint32_t k = 0; k < a->width; ++k) {
            values[(size_t)index * a->width + k] =
                load_uint(a->sparse_values + ((size_t)i * a->width + k) * size, a->component);
        }
    }
    return SN_OK;
}

sn_status sni_gltf_read_sparse(const sni_gltf_accessor *a, uint32_t *indices, float *values,
                               sn_error *error) {
    SN_ASSERT(a->bytes == NULL);
    for (uint32_t i = 0; i < a->sparse_count; ++i) {
        sn_status status =
            load_sparse_index(a, i, i > 0 ? indices[i - 1] : SN_NONE, &indices[i], error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (a->sparse_count > 0) {
        load_floats(a, a->sparse_values, sni_gltf_element_size(a), a->sparse_count, values);
    }
    return check_finite(a, values, a->sparse_count, "sparse value", error);
}
