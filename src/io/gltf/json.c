// SPDX-License-Identifier: Apache-2.0
//
// Members of a glTF file's JSON objects, each checked for its type and range. Errors carry the JSON
// pointer of the value, and its line where the file has lines.
#include "io/gltf/gltf.h"

#include <math.h>

// Singular, for messages.
static const char *const item_words[SNI_GLTF_LIST_COUNT] = {
    [SNI_GLTF_ACCESSORS] = "accessor", [SNI_GLTF_ANIMATIONS] = "animation",
    [SNI_GLTF_BUFFERS] = "buffer",     [SNI_GLTF_VIEWS] = "buffer view",
    [SNI_GLTF_IMAGES] = "image",       [SNI_GLTF_MATERIALS] = "material",
    [SNI_GLTF_MESHES] = "mesh",        [SNI_GLTF_NODES] = "node",
    [SNI_GLTF_SCENES] = "scene",       [SNI_GLTF_SKINS] = "skin",
    [SNI_GLTF_TEXTURES] = "texture",   [SNI_GLTF_SAMPLERS] = "sampler",
};

// The largest integer below which a double, and so JSON in practice, skips none.
static const double largest_integer = 9007199254740992.0;

const char *sni_gltf_list_key(sni_gltf_list list) {
    static const char *const keys[SNI_GLTF_LIST_COUNT] = {
        [SNI_GLTF_ACCESSORS] = "accessors", [SNI_GLTF_ANIMATIONS] = "animations",
        [SNI_GLTF_BUFFERS] = "buffers",     [SNI_GLTF_VIEWS] = "bufferViews",
        [SNI_GLTF_IMAGES] = "images",       [SNI_GLTF_MATERIALS] = "materials",
        [SNI_GLTF_MESHES] = "meshes",       [SNI_GLTF_NODES] = "nodes",
        [SNI_GLTF_SCENES] = "scenes",       [SNI_GLTF_SKINS] = "skins",
        [SNI_GLTF_TEXTURES] = "textures",   [SNI_GLTF_SAMPLERS] = "samplers",
    };
    return keys[list];
}

uint32_t sni_gltf_count(const sni_gltf *gltf, sni_gltf_list list) {
    return sn_value_count(gltf->lists[list]);
}

const sn_value *sni_gltf_item(const sni_gltf *gltf, sni_gltf_list list, uint32_t index) {
    return sn_value_at(gltf->lists[list], index);
}

const char *sni_gltf_item_name(const sni_gltf *gltf, sni_gltf_list list, uint32_t index) {
    return sn_value_string(sn_value_get(sni_gltf_item(gltf, list, index), "name"), NULL);
}

sn_status sni_gltf_at(const sni_gltf *gltf, const sn_value *value, sn_status status,
                      sn_error *error) {
    char path[sizeof error->place];
    if (value == NULL) {
        return status;
    }
    sn_value_path(value, path, sizeof path);
    sni_error_place(error, gltf->is_binary ? 0 : value->line, "%s", path);
    return status;
}

// Finds a member and checks its type; `*member` is NULL when it is absent and need not be there.
static sn_status get_member(const sni_gltf *gltf, const sn_value *object, const char *key,
                            sn_json_type type, bool required, const sn_value **member,
                            sn_error *error) {
    *member = sn_value_get(object, key);
    if (*member == NULL) {
        if (required) {
            sni_fail(error, SN_INVALID, "\"%s\" is missing", key);
            return sni_gltf_at(gltf, object, SN_INVALID, error);
        }
        return SN_OK;
    }
    if ((*member)->type != type) {
        sni_fail(error, SN_INVALID, "expected %s, found %s", sn_json_type_name(type),
                 sn_json_type_name((*member)->type));
        return sni_gltf_at(gltf, *member, SN_INVALID, error);
    }
    return SN_OK;
}

static sn_status to_integer(const sni_gltf *gltf, const sn_value *value, uint64_t *out,
                            sn_error *error) {
    double number = sn_value_number(value, -1);
    if (!(number >= 0 && number <= largest_integer && floor(number) == number)) {
        if (value->type == SN_JSON_NUMBER) {
            sni_fail(error, SN_INVALID, "expected a whole number from 0 on, found %.9g", number);
        } else {
            sni_fail(error, SN_INVALID, "expected a whole number, found %s",
                     sn_json_type_name(value->type));
        }
        return sni_gltf_at(gltf, value, SN_INVALID, error);
    }
    *out = (uint64_t)number;
    return SN_OK;
}

sn_status sni_gltf_get_integer(const sni_gltf *gltf, const sn_value *object, const char *key,
                               bool required, uint64_t *out, sn_error *error) {
    const sn_value *member;
    sn_status status = get_member(gltf, object, key, SN_JSON_NUMBER, required, &member, error);
    return status != SN_OK || member == NULL ? status : to_integer(gltf, member, out, error);
}

sn_status sni_gltf_get_number(const sni_gltf *gltf, const sn_value *object, const char *key,
                              double *out, sn_error *error) {
    const sn_value *member;
    sn_status status = get_member(gltf, object, key, SN_JSON_NUMBER, false, &member, error);
    *out = sn_value_number(member, *out);
    return status;
}

sn_status sni_gltf_get_numbers(const sni_gltf *gltf, const sn_value *object, const char *key,
                               uint32_t count, double *out, sn_error *error) {
    const sn_value *member;
    sn_status status = get_member(gltf, object, key, SN_JSON_ARRAY, false, &member, error);
    if (status != SN_OK || member == NULL) {
        return status;
    }
    bool right = sn_value_count(member) == count;
    for (uint32_t i = 0; i < count && right; ++i) {
        right = sn_value_at(member, i)->type == SN_JSON_NUMBER;
        out[i] = sn_value_number(sn_value_at(member, i), 0);
    }
    if (!right) {
        sni_fail(error, SN_INVALID, "expected %u numbers, found %u values", count,
                 sn_value_count(member));
        return sni_gltf_at(gltf, member, SN_INVALID, error);
    }
    return SN_OK;
}

sn_status sni_gltf_get_bool(const sni_gltf *gltf, const sn_value *object, const char *key,
                            bool *out, sn_error *error) {
    const sn_value *member;
    sn_status status = get_member(gltf, object, key, SN_JSON_BOOL, false, &member, error);
    *out = sn_value_bool(member, *out);
    return status;
}

sn_status sni_gltf_get_string(const sni_gltf *gltf, const sn_value *object, const char *key,
                              bool required, const char **out, sn_error *error) {
    const sn_value *member;
    sn_status status = get_member(gltf, object, key, SN_JSON_STRING, required, &member, error);
    *out = sn_value_string(member, *out);
    return status;
}

sn_status sni_gltf_get_array(const sni_gltf *gltf, const sn_value *object, const char *key,
                             const sn_value **out, sn_error *error) {
    return get_member(gltf, object, key, SN_JSON_ARRAY, false, out, error);
}

sn_status sni_gltf_get_object(const sni_gltf *gltf, const sn_value *object, const char *key,
                              const sn_value **out, sn_error *error) {
    return get_member(gltf, object, key, SN_JSON_OBJECT, false, out, error);
}

sn_status sni_gltf_to_index(const sni_gltf *gltf, const sn_value *value, sni_gltf_list list,
                            uint32_t *out, sn_error *error) {
    uint64_t index = 0;
    sn_status status = to_integer(gltf, value, &index, error);
    if (status != SN_OK) {
        return status;
    }
    if (index >= sni_gltf_count(gltf, list)) {
        sni_fail(error, SN_INVALID, "there is no %s %llu: the file has %u", item_words[list],
                 (unsigned long long)index, sni_gltf_count(gltf, list));
        return sni_gltf_at(gltf, value, SN_INVALID, error);
    }
    *out = (uint32_t)index;
    return SN_OK;
}

sn_status sni_gltf_get_index(const sni_gltf *gltf, const sn_value *object, const char *key,
                             sni_gltf_list list, bool required, uint32_t *out, sn_error *error) {
    const sn_value *member;
    *out = SN_NONE;
    sn_status status = get_member(gltf, object, key, SN_JSON_NUMBER, required, &member, error);
    return status != SN_OK || member == NULL ? status
                                             : sni_gltf_to_index(gltf, member, list, out, error);
}
