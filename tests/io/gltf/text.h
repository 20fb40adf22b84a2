// SPDX-License-Identifier: Apache-2.0
//
// Small glTF files made in tests: arrays are appended to one buffer, which ends up as a data URI;
// the rest is JSON with ' in place of ".
#ifndef SNT_GLTF_TEXT_H
#define SNT_GLTF_TEXT_H

#include "test.h"

#include "base/file.h"
#include "sinew/io.h"
#include "sinew/json.h"

#include <stdlib.h>

typedef struct snt_gltf {
    char views[16384], accessors[16384];
    uint8_t bytes[16384];
    size_t size;
    unsigned view_count, accessor_count;
} snt_gltf;

enum { SNT_I8 = 5120, SNT_U8, SNT_I16, SNT_U16, SNT_U32 = 5125, SNT_F32 };

// Appends bytes, aligned to four, as a buffer view. `stride` 0: none.
static inline unsigned snt_gltf_view(snt_gltf *g, const void *bytes, size_t size, unsigned stride) {
    g->size = (g->size + 3) / 4 * 4;
    assert_true(g->size + size <= sizeof g->bytes);
    memcpy(g->bytes + g->size, bytes, size);
    char extra[32] = "";
    if (stride > 0) {
        snprintf(extra, sizeof extra, ",'byteStride':%u", stride);
    }
    size_t used = strlen(g->views);
    snprintf(g->views + used, sizeof g->views - used,
             "%s{'buffer':0,'byteOffset':%zu,'byteLength':%zu%s}", used > 0 ? "," : "", g->size,
             size, extra);
    g->size += size;
    return g->view_count++;
}

// Appends an accessor given as JSON.
static inline unsigned snt_gltf_accessor(snt_gltf *g, const char *format, ...) {
    size_t used = strlen(g->accessors);
    if (used > 0) {
        g->accessors[used++] = ',';
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(g->accessors + used, sizeof g->accessors - used, format, arguments);
    va_end(arguments);
    return g->accessor_count++;
}

// A tightly packed array as view and accessor. `type` may carry more JSON members behind it.
static inline unsigned snt_gltf_array(snt_gltf *g, int component, const char *type, unsigned count,
                                      const void *bytes, size_t size) {
    unsigned view = snt_gltf_view(g, bytes, size, 0);
    return snt_gltf_accessor(g, "{'bufferView':%u,'componentType':%d,'count':%u,'type':%s}", view,
                             component, count, type);
}

#define snt_gltf_floats(g, type, count, ...)                                                       \
    snt_gltf_array((g), SNT_F32, "'" type "'", (count), (const float[]){__VA_ARGS__},              \
                   sizeof((const float[]){__VA_ARGS__}))
#define snt_gltf_u8(g, type, count, ...)                                                           \
    snt_gltf_array((g), SNT_U8, "'" type "'", (count), (const uint8_t[]){__VA_ARGS__},             \
                   sizeof((const uint8_t[]){__VA_ARGS__}))
#define snt_gltf_u16(g, type, count, ...)                                                          \
    snt_gltf_array((g), SNT_U16, "'" type "'", (count), (const uint16_t[]){__VA_ARGS__},           \
                   sizeof((const uint16_t[]){__VA_ARGS__}))

static inline void snt_base64(const uint8_t *bytes, size_t size, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16 | (i + 1 < size ? bytes[i + 1] << 8 : 0) |
                        (i + 2 < size ? bytes[i + 2] : 0);
        *text++ = digits[bits >> 18 & 63];
        *text++ = digits[bits >> 12 & 63];
        *text++ = i + 1 < size ? digits[bits >> 6 & 63] : '=';
        *text++ = i + 2 < size ? digits[bits & 63] : '=';
    }
    *text = 0;
}

// The whole text; `rest` are the other members of the root. Free with free.
static inline char *snt_gltf_text(const snt_gltf *g, const char *rest) {
    char *data = malloc(sizeof g->bytes * 2);
    snt_base64(g->bytes, g->size, data);
    size_t capacity = strlen(data) + strlen(rest) + sizeof g->views + sizeof g->accessors + 512;
    char *text = malloc(capacity);
    snprintf(text, capacity,
             "{'asset':{'version':'2.0'},\n'buffers':[{'byteLength':%zu,'uri':'data:application/"
             "octet-stream;base64,%s'}],\n'bufferViews':[%s],\n'accessors':[%s],\n%s}",
             g->size, data, g->views, g->accessors, rest);
    free(data);
    for (char *c = text; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    return text;
}

// The same as a .glb; free with free.
static inline uint8_t *snt_gltf_binary(const snt_gltf *g, const char *rest, size_t *size) {
    size_t capacity = strlen(rest) + sizeof g->views + sizeof g->accessors + 512;
    char *json = malloc(capacity);
    int length = snprintf(json, capacity,
                          "{'asset':{'version':'2.0'},'buffers':[{'byteLength':%zu}],"
                          "'bufferViews':[%s],'accessors':[%s],%s}",
                          g->size, g->views, g->accessors, rest);
    for (char *c = json; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    uint32_t json_size = ((uint32_t)length + 3) / 4 * 4, bin_size = ((uint32_t)g->size + 3) / 4 * 4;
    *size = 12 + 8 + json_size + 8 + bin_size;
    uint8_t *bytes = calloc(1, *size);
    uint32_t header[5] = {0x46546c67, 2, (uint32_t)*size, json_size, 0x4e4f534a};
    uint32_t chunk[2] = {bin_size, 0x004e4942};
    memcpy(bytes, header, 20);
    memset(bytes + 20, ' ', json_size);
    memcpy(bytes + 20, json, (size_t)length);
    memcpy(bytes + 20 + json_size, chunk, 8);
    memcpy(bytes + 28 + json_size, g->bytes, g->size);
    free(json);
    return bytes;
}

#endif
