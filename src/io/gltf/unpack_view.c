// SPDX-License-Identifier: Apache-2.0
//
// Buffer views of EXT_meshopt_compression. meshoptimizer promises to survive any bytes; numbers
// that it takes on trust are checked here, and the memory is counted before it is asked for.
#include "io/gltf/gltf.h"

#include <string.h>

#if defined(SNI_WITH_MESHOPT)
#include <meshoptimizer.h>

typedef struct packed_view {
    sni_gltf_view source;
    const char *mode, *filter;
    uint64_t count, stride;
} packed_view;

static sn_status read_packed(sni_gltf *gltf, uint32_t index, const sn_value *value, packed_view *p,
                             sn_error *error) {
    sn_status status = SN_OK;
    *p = (packed_view){.filter = "NONE"};
    SN_TRY(sni_gltf_find_bytes(gltf, index, value, &p->source, error));
    SN_TRY(sni_gltf_get_integer(gltf, value, "count", true, &p->count, error));
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteStride", true, &p->stride, error));
    SN_TRY(sni_gltf_get_string(gltf, value, "mode", true, &p->mode, error));
    SN_TRY(sni_gltf_get_string(gltf, value, "filter", false, &p->filter, error));
cleanup:
    return status;
}

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

// The strides that the extension allows for each mode and filter.
static sn_status check_stride(const packed_view *p, sn_error *error) {
    bool is_vertices = is(p->mode, "ATTRIBUTES");
    bool right = is_vertices ? p->stride > 0 && p->stride <= 256 && p->stride % 4 == 0
                             : p->stride == 2 || p->stride == 4;
    if (!is_vertices && !is(p->mode, "TRIANGLES") && !is(p->mode, "INDICES")) {
        return sni_fail(error, SN_INVALID, "unknown mode \"%s\" of compression", p->mode);
    }
    if (is(p->filter, "OCTAHEDRAL")) {
        right = right && is_vertices && (p->stride == 4 || p->stride == 8);
    } else if (is(p->filter, "QUATERNION")) {
        right = right && is_vertices && p->stride == 8;
    } else if (is(p->filter, "EXPONENTIAL")) {
        right = right && is_vertices;
    } else if (!is(p->filter, "NONE")) {
        return sni_fail(error, SN_INVALID, "unknown filter \"%s\" of compression", p->filter);
    }
    if (!right) {
        return sni_fail(error, SN_INVALID, "a byteStride of %llu does not go with %s and filter %s",
                        (unsigned long long)p->stride, p->mode, p->filter);
    }
    return SN_OK;
}

static sn_status check_count(sni_gltf *gltf, const packed_view *p, uint64_t size, sn_error *error) {
    if (p->count == 0 || p->count >= SN_NONE || (is(p->mode, "TRIANGLES") && p->count % 3 != 0)) {
        return sni_fail(error, SN_INVALID, "%llu compressed elements are not possible for %s",
                        (unsigned long long)p->count, p->mode);
    }
    if (p->count * p->stride != size) {
        return sni_fail(
            error, SN_INVALID, "%llu elements of %llu bytes are compressed, but byteLength is %llu",
            (unsigned long long)p->count, (unsigned long long)p->stride, (unsigned long long)size);
    }
    if (!sni_gltf_charge(gltf, size)) {
        return sni_fail(error, SN_LIMIT,
                        "%llu decompressed bytes are out of proportion to a file of %zu bytes",
                        (unsigned long long)size, gltf->source->size);
    }
    return SN_OK;
}

static sn_status decode(const packed_view *p, uint8_t *bytes, sn_error *error) {
    size_t count = (size_t)p->count, stride = (size_t)p->stride;
    int code =
        is(p->mode, "ATTRIBUTES")
            ? meshopt_decodeVertexBuffer(bytes, count, stride, p->source.bytes, p->source.size)
        : is(p->mode, "TRIANGLES")
            ? meshopt_decodeIndexBuffer(bytes, count, stride, p->source.bytes, p->source.size)
            : meshopt_decodeIndexSequence(bytes, count, stride, p->source.bytes, p->source.size);
    if (code != 0) {
        return sni_fail(error, SN_INVALID, "its compressed data (%s) is damaged", p->mode);
    }
    if (is(p->filter, "OCTAHEDRAL")) {
        meshopt_decodeFilterOct(bytes, count, stride);
    } else if (is(p->filter, "QUATERNION")) {
        meshopt_decodeFilterQuat(bytes, count, stride);
    } else if (is(p->filter, "EXPONENTIAL")) {
        meshopt_decodeFilterExp(bytes, count, stride);
    }
    return SN_OK;
}

sn_status sni_gltf_unpack_view(sni_gltf *gltf, uint32_t index, const sn_value *packed,
                               sni_gltf_view *view, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_VIEWS, index);
    uint8_t *bytes = NULL;
    uint64_t size = 0;
    packed_view p;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteLength", true, &size, error));
    if (gltf->unpacked_views[index] == NULL) {
        SN_TRY(read_packed(gltf, index, packed, &p, error));
        SN_TRY(check_stride(&p, error));
        SN_TRY(check_count(gltf, &p, size, error));
        SNI_NEW(gltf->context, bytes, (size_t)size);
        SN_TRY(decode(&p, bytes, error));
        gltf->unpacked_views[index] = bytes;
        bytes = NULL;
    }
    *view = (sni_gltf_view){.bytes = gltf->unpacked_views[index], .size = (size_t)size};
cleanup:
    sni_free(gltf->context, bytes);
    return status;
}

#else

sn_status sni_gltf_unpack_view(sni_gltf *gltf, uint32_t index, const sn_value *packed,
                               sni_gltf_view *view, sn_error *error) {
    (void)gltf, (void)index, (void)packed, (void)view;
    return sni_gltf_fail_lacking(SNI_GLTF_MESHOPT, error);
}

#endif
