// SPDX-License-Identifier: Apache-2.0
//
// The outside of a glTF file: the binary container (section 4 of the specification), version and
// extensions, and the bytes of buffers, wherever they are.
#include "io/gltf/gltf.h"

#include "base/context.h"
#include "base/file.h"
#include "io/base64.h"

#include <stdio.h>
#include <string.h>

static const uint32_t chunk_json = 0x4e4f534a; // "JSON"
static const uint32_t chunk_bin = 0x004e4942;  // "BIN\0"
static const size_t header_bytes = 12;

// Accessors can share bytes or have none (zeros), so that a small file can name a lot of data. What
// it may ask for: so many bytes, and so many for each byte of its own.
static const uint64_t budget_bytes = (uint64_t)64 << 20;
static const uint64_t budget_per_byte = 256;

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

// ---------------------------------------------------------------------------------------------
// Container

static sn_status check_header(const sni_source *source, const uint8_t *bytes, sn_error *error) {
    if (source->size < header_bytes) {
        return sni_fail(error, SN_SYNTAX, "the file ends within its header");
    }
    uint32_t version = read_u32(bytes + 4), length = read_u32(bytes + 8);
    if (version != 2) {
        return sni_fail(error, SN_UNSUPPORTED, "glTF version %u is not read, only 2", version);
    }
    if (length > source->size || length < header_bytes) {
        return sni_fail(error, SN_SYNTAX, "the header says %u bytes, but the file has %zu", length,
                        source->size);
    }
    if (length < source->size) {
        sni_log(source->context, SN_LOG_WARNING, "io", "%zu bytes behind the end of the file",
                source->size - length);
    }
    return SN_OK;
}

// Finds the JSON text and the binary chunk. Other chunks are skipped, as the specification asks.
static sn_status split_chunks(sni_gltf *gltf, const char **text, size_t *text_size,
                              sn_error *error) {
    const uint8_t *bytes = (const uint8_t *)gltf->source->bytes;
    sn_status status = check_header(gltf->source, bytes, error);
    if (status != SN_OK) {
        return status;
    }
    size_t end = read_u32(bytes + 8);
    uint32_t number = 0;
    for (size_t at = header_bytes; at < end; ++number) {
        if (end - at < 8) {
            return sni_fail(error, SN_SYNTAX, "the file ends within the header of chunk %u",
                            number);
        }
        uint32_t size = read_u32(bytes + at), type = read_u32(bytes + at + 4);
        at += 8;
        if (size > end - at) {
            return sni_fail(error, SN_SYNTAX, "chunk %u has %u bytes, but only %zu are left",
                            number, size, end - at);
        }
        if (number == 0 && type == chunk_json) {
            *text = (const char *)bytes + at;
            *text_size = size;
        } else if (number == 1 && type == chunk_bin) {
            gltf->chunk = bytes + at;
            gltf->chunk_size = size;
        }
        at += size;
        if (at % 4 != 0) {
            return sni_fail(error, SN_SYNTAX, "chunk %u has %u bytes, not a multiple of 4", number,
                            size);
        }
    }
    return *text != NULL ? SN_OK
                         : sni_fail(error, SN_SYNTAX, "the first chunk is not the JSON text");
}

// ---------------------------------------------------------------------------------------------
// Version and extensions

static sn_status check_version(const sni_gltf *gltf, const sn_value *root, sn_error *error) {
    const sn_value *asset;
    const char *version = NULL, *least = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_object(gltf, root, "asset", &asset, error));
    if (asset == NULL) {
        return sni_fail(error, SN_INVALID, "\"asset\" is missing: this is not a glTF file");
    }
    SN_TRY(sni_gltf_get_string(gltf, asset, "version", true, &version, error));
    SN_TRY(sni_gltf_get_string(gltf, asset, "minVersion", false, &least, error));
    if (strncmp(version, "2.", 2) != 0 || (least != NULL && strcmp(least, "2.0") != 0)) {
        sni_fail(error, SN_UNSUPPORTED, "glTF version %s is not read, only 2.0",
                 least != NULL ? least : version);
        return sni_gltf_at(gltf, asset, SN_UNSUPPORTED, error);
    }
cleanup:
    return status;
}

static bool has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Extensions of looks alone: without them shapes and motion are still right.
static bool extension_is_looks(const char *name) {
    static const char *const prefixes[] = {
        "KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_",
        "KHR_lights_",    "EXT_lights_",  "KHR_xmp",      NULL};
    for (int i = 0; prefixes[i] != NULL; ++i) {
        if (has_prefix(name, prefixes[i])) {
            return true;
        }
    }
    return false;
}

typedef struct known_extension {
    const char *name;
    bool is_read;      // in this build
    const char *lacks; // what a build without it is without, and the option that brings it
} known_extension;

#if defined(SNI_WITH_DRACO)
#define READS_DRACO true
#else
#define READS_DRACO false
#endif
#if defined(SNI_WITH_MESHOPT)
#define READS_MESHOPT true
#else
#define READS_MESHOPT false
#endif

// KHR_mesh_quantization allows more component types, all of which are read anyway.
static const known_extension known_extensions[SNI_GLTF_EXTENSION_COUNT] = {
    [SNI_GLTF_DRACO] = {"KHR_draco_mesh_compression", READS_DRACO, "Draco (SINEW_DRACO=ON)"},
    [SNI_GLTF_MESHOPT] = {"EXT_meshopt_compression", READS_MESHOPT,
                          "meshoptimizer (SINEW_MESHOPT=ON)"},
    [SNI_GLTF_QUANTIZATION] = {"KHR_mesh_quantization", true, NULL},
    [SNI_GLTF_VRM_0] = {"VRM", true, NULL},
    [SNI_GLTF_VRM_1] = {"VRMC_vrm", true, NULL},
};

bool sni_gltf_reads(sni_gltf_extension_kind kind) {
    return known_extensions[kind].is_read;
}

const sn_value *sni_gltf_extension(const sn_value *object, sni_gltf_extension_kind kind) {
    const sn_value *found =
        sn_value_get(sn_value_get(object, "extensions"), known_extensions[kind].name);
    return found != NULL && found->type == SN_JSON_OBJECT ? found : NULL;
}

sn_status sni_gltf_fail_lacking(sni_gltf_extension_kind kind, sn_error *error) {
    return sni_fail(
        error, SN_UNSUPPORTED,
        "the file needs the extension \"%s\", which is not read by this build of sinew, "
        "which is without %s",
        known_extensions[kind].name, known_extensions[kind].lacks);
}

static const known_extension *find_extension(const char *name) {
    for (int i = 0; i < SNI_GLTF_EXTENSION_COUNT; ++i) {
        if (strcmp(known_extensions[i].name, name) == 0) {
            return &known_extensions[i];
        }
    }
    return NULL;
}

static sn_status check_required(const sni_gltf *gltf, const sn_value *root, sn_error *error) {
    const sn_value *required;
    sn_status status = sni_gltf_get_array(gltf, root, "extensionsRequired", &required, error);
    for (uint32_t i = 0; i < sn_value_count(required) && status == SN_OK; ++i) {
        const sn_value *item = sn_value_at(required, i);
        const char *name = sn_value_string(item, "");
        const known_extension *known = find_extension(name);
        if ((known != NULL && known->is_read) || extension_is_looks(name)) {
            continue;
        }
        status =
            known != NULL
                ? sni_gltf_fail_lacking((sni_gltf_extension_kind)(known - known_extensions), error)
                : sni_fail(error, SN_UNSUPPORTED,
                           "the file needs the extension \"%s\", which sinew does not read", name);
        sni_gltf_at(gltf, item, status, error);
    }
    return status;
}

// Names all extensions in use of which nothing is kept, in one line.
static void log_left_out(const sni_gltf *gltf, const sn_value *root) {
    const sn_value *used = sn_value_get(root, "extensionsUsed");
    char list[400] = "";
    size_t length = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_value_count(used); ++i) {
        const char *name = sn_value_string(sn_value_at(used, i), "");
        const known_extension *known = find_extension(name);
        if ((known == NULL || !known->is_read) && length < sizeof list) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       count > 0 ? ", " : "", name);
            ++count;
        }
    }
    if (count > 0) {
        sni_log(gltf->context, SN_LOG_WARNING, "io", "%s: the extension%s %s %s left out",
                sni_path_name(gltf->source->name), count > 1 ? "s" : "", list,
                count > 1 ? "are" : "is");
    }
}

// ---------------------------------------------------------------------------------------------
// Load

static sn_status find_lists(sni_gltf *gltf, const sn_value *root, sn_error *error) {
    for (int list = 0; list < SNI_GLTF_LIST_COUNT; ++list) {
        sn_status status = sni_gltf_get_array(gltf, root, sni_gltf_list_key((sni_gltf_list)list),
                                              &gltf->lists[list], error);
        if (status != SN_OK) {
            return status;
        }
        for (uint32_t i = 0; i < sn_value_count(gltf->lists[list]); ++i) {
            const sn_value *item = sn_value_at(gltf->lists[list], i);
            if (item->type != SN_JSON_OBJECT) {
                sni_fail(error, SN_INVALID, "expected an object, found %s",
                         sn_json_type_name(item->type));
                return sni_gltf_at(gltf, item, SN_INVALID, error);
            }
        }
    }
    return SN_OK;
}

// Whether the first character that is not blank, nor the mark of UTF-8, begins an object or a list.
static bool begins_as_json(const sni_source *source) {
    const char *bytes = source->bytes;
    size_t i = source->size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < source->size && strchr(" \t\r\n", bytes[i]) != NULL && bytes[i] != 0) {
        ++i;
    }
    return i == source->size || bytes[i] == '{' || bytes[i] == '[';
}

sn_status sni_gltf_load(const sni_source *source, sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = source->context;
    *gltf = (sni_gltf){.context = context, .source = source};
    sni_names_init(&gltf->node_names, context);
    sni_names_init(&gltf->mesh_names, context);
    sni_names_init(&gltf->material_names, context);
    sni_names_init(&gltf->clip_names, context);
    sni_names_init(&gltf->morph_names, context);
    gltf->budget = budget_bytes + budget_per_byte * source->size;
    gltf->is_binary = source->size >= 4 && memcmp(source->bytes, "glTF", 4) == 0;
    const char *text = gltf->is_binary ? NULL : source->bytes;
    size_t text_size = source->size;
    if (!gltf->is_binary && !begins_as_json(source)) {
        return sni_fail(error, SN_INVALID,
                        "this is not a glTF file: it begins with neither \"glTF\", as .glb does, "
                        "nor \"{\", as .gltf does");
    }
    if (gltf->is_binary) {
        SN_TRY(split_chunks(gltf, &text, &text_size, error));
    }
    SN_TRY(sn_json_parse(context, text, text_size, &gltf->json, error));
    const sn_value *root = sn_json_root(gltf->json);
    if (root->type != SN_JSON_OBJECT) {
        status = sni_fail(error, SN_INVALID, "expected an object, found %s",
                          sn_json_type_name(root->type));
        goto cleanup;
    }
    SN_TRY(check_version(gltf, root, error));
    SN_TRY(check_required(gltf, root, error));
    log_left_out(gltf, root);
    SN_TRY(find_lists(gltf, root, error));
    SNI_NEW_ZERO(context, gltf->buffers, sni_gltf_count(gltf, SNI_GLTF_BUFFERS));
    SNI_NEW_ZERO(context, gltf->unpacked_views, sni_gltf_count(gltf, SNI_GLTF_VIEWS));
    SNI_NEW_ZERO(context, gltf->unpacked_accessors, sni_gltf_count(gltf, SNI_GLTF_ACCESSORS));
cleanup:
    return status;
}

void sni_gltf_unload(sni_gltf *gltf) {
    sn_context *context = gltf->context;
    for (uint32_t i = 0; gltf->buffers != NULL && i < sni_gltf_count(gltf, SNI_GLTF_BUFFERS); ++i) {
        sni_free(context, gltf->buffers[i].owned);
    }
    sni_free(context, gltf->buffers);
    for (uint32_t i = 0; gltf->unpacked_views != NULL && i < sni_gltf_count(gltf, SNI_GLTF_VIEWS);
         ++i) {
        sni_free(context, gltf->unpacked_views[i]);
    }
    sni_free(context, gltf->unpacked_views);
    for (uint32_t i = 0;
         gltf->unpacked_accessors != NULL && i < sni_gltf_count(gltf, SNI_GLTF_ACCESSORS); ++i) {
        sni_free(context, gltf->unpacked_accessors[i].bytes);
    }
    sni_free(context, gltf->unpacked_accessors);
    sni_free(context, gltf->nodes);
    sni_free(context, gltf->node_instance);
    sni_free(context, gltf->instances);
    sni_free(context, gltf->material_name);
    sni_gltf_marks_deinit(context, &gltf->accessor_marks);
    sni_gltf_marks_deinit(context, &gltf->material_marks);
    sni_gltf_marks_deinit(context, &gltf->segment_marks);
    sni_names_deinit(&gltf->node_names);
    sni_names_deinit(&gltf->mesh_names);
    sni_names_deinit(&gltf->material_names);
    sni_names_deinit(&gltf->clip_names);
    sni_names_deinit(&gltf->morph_names);
    sn_json_destroy(gltf->json);
}

// ---------------------------------------------------------------------------------------------
// URIs

// RFC 4648, section 4: groups of four, padded with '=', no other characters, unused bits zero. The
// padding may be left out, as URIs often do.
static sn_status decode_base64(sn_context *context, const char *text, char **bytes, size_t *size,
                               sn_error *error) {
    size_t length = strlen(text);
    size_t padding = 0;
    if (length % 4 == 0) {
        while (padding < 2 && padding < length && text[length - 1 - padding] == '=') {
            ++padding;
        }
    }
    size_t digits = length - padding;
    if (digits % 4 == 1) {
        return sni_fail(error, SN_SYNTAX, "base64 data of %zu characters is cut off", length);
    }
    char *out = sni_alloc(context, digits / 4 * 3 + 3, 1);
    if (out == NULL) {
        return sni_fail_memory(error);
    }
    uint32_t bits = 0;
    size_t used = 0;
    for (size_t i = 0; i < digits; ++i) {
        int digit = sni_base64_digit(text[i]);
        if (digit < 0) {
            sni_free(context, out);
            return sni_fail(error, SN_SYNTAX, "character %zu of the base64 data is '%c'", i,
                            text[i]);
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) {
            static const int shifts[4] = {0, 4, 2, 0};
            out[used++] = (char)(uint8_t)(bits >> shifts[i % 4]);
        }
    }
    uint32_t unused = digits % 4 == 2 ? bits & 15 : digits % 4 == 3 ? bits & 3 : 0;
    if (unused != 0) {
        sni_free(context, out);
        return sni_fail(error, SN_SYNTAX, "the base64 data ends within a byte");
    }
    out[used] = 0;
    *bytes = out;
    *size = used;
    return SN_OK;
}

static sn_status read_data_uri(sni_gltf *gltf, const char *uri, char **bytes, size_t *size,
                               sn_error *error) {
    const char *comma = strchr(uri, ',');
    static const char marker[] = ";base64";
    size_t marker_length = sizeof marker - 1;
    if (comma == NULL || (size_t)(comma - uri) < marker_length ||
        strncmp(comma - marker_length, marker, marker_length) != 0) {
        return sni_fail(error, SN_SYNTAX, "the data URI \"%.40s\" is not base64", uri);
    }
    return decode_base64(gltf->context, comma + 1, bytes, size, error);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Replaces %XX in place.
static sn_status decode_percent(char *text, sn_error *error) {
    char *out = text;
    for (const char *c = text; *c != 0; ++c) {
        if (*c != '%') {
            *out++ = *c;
            continue;
        }
        int high = hex_digit(c[1]), low = high >= 0 ? hex_digit(c[2]) : -1;
        if (low < 0 || high * 16 + low == 0) {
            return sni_fail(error, SN_SYNTAX, "the URI \"%s\" has a broken %% code", text);
        }
        *out++ = (char)(high * 16 + low);
        c += 2;
    }
    *out = 0;
    return SN_OK;
}

// A scheme is letters, digits, '+', '-', '.' before a colon (RFC 3986), more than one of them so
// that "C:" is not one; it is refused all the same as an absolute path.
static bool is_relative_path(const char *uri) {
    return uri[0] != 0 && uri[0] != '/' && uri[0] != '\\' && uri[strcspn(uri, ":/")] != ':';
}

static sn_status read_file_uri(sni_gltf *gltf, const char *uri, char **bytes, size_t *size,
                               sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = gltf->context;
    char *path = NULL;
    char *name = NULL;
    if (!is_relative_path(uri)) {
        return sni_fail(error, SN_UNSUPPORTED,
                        "the URI \"%.200s\" is neither data nor a path beside the file", uri);
    }
    name = sni_string_copy(context, uri);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(decode_percent(name, error));
    SN_TRY(sni_path_inside(context, gltf->source->name, name, &path, error));
    SN_TRY(sni_file_read(context, path, bytes, size, error));
cleanup:
    sni_free(context, name);
    sni_free(context, path);
    return status;
}

sn_status sni_gltf_read_uri(sni_gltf *gltf, const char *uri, char **bytes, size_t *size,
                            sn_error *error) {
    sn_status status = has_prefix(uri, "data:") ? read_data_uri(gltf, uri, bytes, size, error)
                                                : read_file_uri(gltf, uri, bytes, size, error);
    if (status == SN_OK) {
        gltf->budget += budget_per_byte * *size;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Buffers

static sn_status load_buffer(sni_gltf *gltf, uint32_t index, sn_error *error) {
    sni_gltf_buffer *buffer = &gltf->buffers[index];
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_BUFFERS, index);
    uint64_t length = 0;
    const char *uri = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteLength", true, &length, error));
    SN_TRY(sni_gltf_get_string(gltf, value, "uri", false, &uri, error));
    size_t size = gltf->chunk_size;
    const uint8_t *bytes = gltf->chunk;
    if (uri != NULL) {
        SN_TRY(sni_gltf_read_uri(gltf, uri, &buffer->owned, &size, error));
        bytes = (const uint8_t *)buffer->owned;
    } else if (index != 0 || bytes == NULL) {
        status = sni_fail(error, SN_INVALID, "it has no URI, and the file no chunk for it");
        goto cleanup;
    }
    if (length > size) {
        status = sni_fail(error, SN_INVALID, "byteLength is %llu, but its data has %zu bytes",
                          (unsigned long long)length, size);
        goto cleanup;
    }
    buffer->bytes = bytes;
    buffer->size = (size_t)length;
    return SN_OK;
cleanup:
    sni_error_place(error, gltf->is_binary ? 0 : value->line, "buffer %u", index);
    return status;
}

static sn_status at_view(const sni_gltf *gltf, uint32_t index, sn_status status, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_VIEWS, index);
    sni_error_place(error, gltf->is_binary ? 0 : value->line, "buffer view %u", index);
    return status;
}

sn_status sni_gltf_find_bytes(sni_gltf *gltf, uint32_t view, const sn_value *value,
                              sni_gltf_view *found, sn_error *error) {
    uint32_t buffer;
    uint64_t offset = 0, length = 0;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_index(gltf, value, "buffer", SNI_GLTF_BUFFERS, true, &buffer, error));
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteOffset", false, &offset, error));
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteLength", true, &length, error));
    if (gltf->buffers[buffer].bytes == NULL) {
        SN_TRY(load_buffer(gltf, buffer, error));
    }
    size_t size = gltf->buffers[buffer].size;
    if (length == 0) {
        sni_fail(error, SN_INVALID, "it has no bytes");
        return at_view(gltf, view, SN_INVALID, error);
    }
    if (offset > size || length > size - offset) {
        sni_fail(error, SN_INVALID, "%llu bytes from byte %llu end behind buffer %u of %zu bytes",
                 (unsigned long long)length, (unsigned long long)offset, buffer, size);
        return at_view(gltf, view, SN_INVALID, error);
    }
    *found = (sni_gltf_view){
        .bytes = gltf->buffers[buffer].bytes + offset, .size = (size_t)length, .offset = offset};
cleanup:
    return status;
}

sn_status sni_gltf_find_view(sni_gltf *gltf, uint32_t index, sni_gltf_view *view, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_VIEWS, index);
    const sn_value *packed = sni_gltf_extension(value, SNI_GLTF_MESHOPT);
    uint64_t stride = 0;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_integer(gltf, value, "byteStride", false, &stride, error));
    if (stride != 0 && (stride < 4 || stride > 252 || stride % 4 != 0)) {
        sni_fail(error, SN_INVALID, "byteStride %llu is not a multiple of 4 up to 252",
                 (unsigned long long)stride);
        return at_view(gltf, index, SN_INVALID, error);
    }
    if (packed != NULL && sni_gltf_reads(SNI_GLTF_MESHOPT)) {
        status = sni_gltf_unpack_view(gltf, index, packed, view, error);
        SN_TRY(status == SN_OK ? status : at_view(gltf, index, status, error));
    } else {
        SN_TRY(sni_gltf_find_bytes(gltf, index, value, view, error));
    }
    view->stride = (uint32_t)stride;
cleanup:
    return status;
}
