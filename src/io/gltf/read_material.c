// SPDX-License-Identifier: Apache-2.0
//
// Materials, as far as sinew passes them on: metallic-roughness factors, alpha, and the base colour
// image with its sampler and KHR_texture_transform.
#include "io/gltf/gltf.h"

#include "base/context.h"

#include <stdio.h>
#include <string.h>

sn_status sni_gltf_name_materials(sni_gltf *gltf, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = sni_gltf_count(gltf, SNI_GLTF_MATERIALS);
    const char **given = NULL;
    SNI_NEW(gltf->context, given, count);
    SNI_NEW(gltf->context, gltf->material_name, count);
    for (uint32_t i = 0; i < count; ++i) {
        given[i] = sni_gltf_item_name(gltf, SNI_GLTF_MATERIALS, i);
    }
    SN_TRY(sni_names_assign(&gltf->material_names, given, NULL, count, "material",
                            gltf->material_name, error));
cleanup:
    sni_free(gltf->context, given);
    return status;
}

// The type by content: files lie about it, and it is what viewers go by.
static const char *image_type(const char *bytes, size_t size) {
    static const char png[] = "\x89PNG\r\n\x1a\n";
    static const char jpeg[] = "\xff\xd8\xff";
    if (size >= 8 && memcmp(bytes, png, 8) == 0) {
        return "image/png";
    }
    return size >= 3 && memcmp(bytes, jpeg, 3) == 0 ? "image/jpeg" : NULL;
}

// What warnings call an image: its name or file, else its number.
static const char *image_word(const sni_gltf *gltf, uint32_t index, char text[static 16]) {
    const sn_value *image = sni_gltf_item(gltf, SNI_GLTF_IMAGES, index);
    snprintf(text, 16, "%u", index);
    const char *uri = sn_value_string(sn_value_get(image, "uri"), text);
    const char *name = sn_value_string(sn_value_get(image, "name"), NULL);
    return name != NULL ? name : strncmp(uri, "data:", 5) != 0 ? uri : text;
}

// The bytes of an image, copied. An image whose file is missing is left out with a warning: the
// shape is whole without it.
static sn_status load_image(sni_gltf *gltf, uint32_t index, char **bytes, size_t *size,
                            sn_error *error) {
    const sn_value *image = sni_gltf_item(gltf, SNI_GLTF_IMAGES, index);
    const char *uri = NULL;
    uint32_t view_index;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_string(gltf, image, "uri", false, &uri, error));
    SN_TRY(
        sni_gltf_get_index(gltf, image, "bufferView", SNI_GLTF_VIEWS, false, &view_index, error));
    if (uri != NULL) {
        sn_error why = {0};
        status = sni_gltf_read_uri(gltf, uri, bytes, size, &why);
        if (status == SN_IO) {
            char text[600];
            sn_error_format(&why, text, sizeof text);
            char number[16];
            sni_log(gltf->context, SN_LOG_WARNING, "io", "image %s is left out: %s",
                    image_word(gltf, index, number), text);
            return SN_OK;
        }
        if (status != SN_OK) {
            sni_fail(error, status, "%s", why.message);
            return sni_gltf_at(gltf, image, status, error);
        }
        return SN_OK;
    }
    if (view_index == SN_NONE) {
        sni_fail(error, SN_INVALID, "the image has neither uri nor bufferView");
        return sni_gltf_at(gltf, image, SN_INVALID, error);
    }
    sni_gltf_view view;
    SN_TRY(sni_gltf_find_view(gltf, view_index, &view, error));
    *bytes = sni_copy(gltf->context, view.bytes, view.size, 1);
    *size = view.size;
    if (*bytes == NULL) {
        status = sni_fail_memory(error);
    }
cleanup:
    return status;
}

static sn_status read_image(sni_gltf *gltf, uint32_t index, sn_material *material,
                            sn_error *error) {
    char *bytes = NULL;
    size_t size = 0;
    sn_status status = load_image(gltf, index, &bytes, &size, error);
    if (status != SN_OK || bytes == NULL) {
        return status;
    }
    const char *type = image_type(bytes, size);
    if (type == NULL) {
        char number[16];
        sni_log(gltf->context, SN_LOG_WARNING, "io",
                "image %s is left out: it is neither PNG nor JPEG",
                image_word(gltf, index, number));
        sni_free(gltf->context, bytes);
        return SN_OK;
    }
    if (!sni_gltf_charge(gltf, size)) {
        sni_free(gltf->context, bytes);
        return sni_fail(error, SN_LIMIT, "the meshes repeat image %u of %zu bytes too often", index,
                        size);
    }
    material->image_bytes = (uint8_t *)bytes;
    material->image_size = size;
    material->image_type = sni_string_copy(gltf->context, type);
    return material->image_type != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status read_wrap(const sni_gltf *gltf, const sn_value *sampler, const char *key,
                           sn_image_wrap *wrap, sn_error *error) {
    uint64_t code = 10497;
    sn_status status = sni_gltf_get_integer(gltf, sampler, key, false, &code, error);
    *wrap = code == 33071 ? SN_IMAGE_CLAMP : code == 33648 ? SN_IMAGE_MIRROR : SN_IMAGE_REPEAT;
    return status;
}

static sn_status read_sampler(const sni_gltf *gltf, const sn_value *texture,
                              sn_image_placement *placement, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index;
    SN_TRY(sni_gltf_get_index(gltf, texture, "sampler", SNI_GLTF_SAMPLERS, false, &index, error));
    if (index != SN_NONE) {
        const sn_value *sampler = sni_gltf_item(gltf, SNI_GLTF_SAMPLERS, index);
        SN_TRY(read_wrap(gltf, sampler, "wrapS", &placement->wrap[0], error));
        SN_TRY(read_wrap(gltf, sampler, "wrapT", &placement->wrap[1], error));
    }
cleanup:
    return status;
}

static sn_status read_set(const sni_gltf *gltf, const sn_value *object,
                          sn_image_placement *placement, sn_error *error) {
    uint64_t set = placement->uv;
    sn_status status = sni_gltf_get_integer(gltf, object, "texCoord", false, &set, error);
    placement->uv = set < SN_NONE ? (uint32_t)set : SN_NONE;
    return status;
}

// Where the texture lies: its set of coordinates, and the extension KHR_texture_transform.
static sn_status read_placement(const sni_gltf *gltf, const sn_value *info,
                                sn_image_placement *placement, sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *extensions, *transform = NULL;
    double offset[2] = {0, 0}, scale[2] = {1, 1}, rotation = 0;
    SN_TRY(read_set(gltf, info, placement, error));
    SN_TRY(sni_gltf_get_object(gltf, info, "extensions", &extensions, error));
    if (extensions != NULL) {
        SN_TRY(sni_gltf_get_object(gltf, extensions, "KHR_texture_transform", &transform, error));
    }
    if (transform == NULL) {
        return SN_OK;
    }
    SN_TRY(read_set(gltf, transform, placement, error));
    SN_TRY(sni_gltf_get_numbers(gltf, transform, "offset", 2, offset, error));
    SN_TRY(sni_gltf_get_numbers(gltf, transform, "scale", 2, scale, error));
    SN_TRY(sni_gltf_get_number(gltf, transform, "rotation", &rotation, error));
    for (int i = 0; i < 2; ++i) {
        placement->offset[i] = (float)offset[i];
        placement->scale[i] = (float)scale[i];
    }
    placement->rotation = (float)rotation;
cleanup:
    return status;
}

static sn_status read_texture(sni_gltf *gltf, const sn_value *info, sn_material *material,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t texture, image;
    SN_TRY(sni_gltf_get_index(gltf, info, "index", SNI_GLTF_TEXTURES, true, &texture, error));
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_TEXTURES, texture);
    SN_TRY(read_placement(gltf, info, &material->image_placement, error));
    SN_TRY(read_sampler(gltf, value, &material->image_placement, error));
    // A texture of an extension may have no plain source.
    SN_TRY(sni_gltf_get_index(gltf, value, "source", SNI_GLTF_IMAGES, false, &image, error));
    if (image != SN_NONE) {
        SN_TRY(read_image(gltf, image, material, error));
    } else {
        sni_log(gltf->context, SN_LOG_WARNING, "io",
                "material \"%s\" is left without its image: texture %u has none that is PNG or "
                "JPEG",
                material->name, texture);
    }
cleanup:
    return status;
}

static sn_status read_alpha(const sni_gltf *gltf, const sn_value *value, sn_material *material,
                            sn_error *error) {
    sn_status status = SN_OK;
    const char *mode = "OPAQUE";
    double cutoff = 0.5;
    SN_TRY(sni_gltf_get_string(gltf, value, "alphaMode", false, &mode, error));
    SN_TRY(sni_gltf_get_number(gltf, value, "alphaCutoff", &cutoff, error));
    material->alpha_mode = strcmp(mode, "MASK") == 0    ? SN_ALPHA_MASK
                           : strcmp(mode, "BLEND") == 0 ? SN_ALPHA_BLEND
                                                        : SN_ALPHA_OPAQUE;
    material->alpha_cutoff = (float)cutoff;
cleanup:
    return status;
}

static sn_status read_looks(sni_gltf *gltf, const sn_value *looks, sn_material *material,
                            sn_error *error) {
    double color[4] = {1, 1, 1, 1}, metallic = 1, roughness = 1;
    const sn_value *texture = NULL;
    sn_status status = SN_OK;
    if (looks != NULL) {
        SN_TRY(sni_gltf_get_numbers(gltf, looks, "baseColorFactor", 4, color, error));
        SN_TRY(sni_gltf_get_number(gltf, looks, "metallicFactor", &metallic, error));
        SN_TRY(sni_gltf_get_number(gltf, looks, "roughnessFactor", &roughness, error));
        SN_TRY(sni_gltf_get_object(gltf, looks, "baseColorTexture", &texture, error));
    }
    for (int i = 0; i < 4; ++i) {
        material->base_color[i] = (float)color[i];
    }
    material->metallic = (float)metallic;
    material->roughness = (float)roughness;
    material->has_color =
        texture != NULL || (looks != NULL && sn_value_get(looks, "baseColorFactor") != NULL);
    if (texture != NULL) {
        SN_TRY(read_texture(gltf, texture, material, error));
    }
cleanup:
    return status;
}

sn_status sni_gltf_read_material(sni_gltf *gltf, uint32_t index, sn_mesh *mesh, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_MATERIALS, index);
    const sn_value *looks;
    sn_material *material;
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_add_material(mesh, gltf->material_name[index], &material, error));
    SN_TRY(sni_gltf_get_bool(gltf, value, "doubleSided", &material->double_sided, error));
    SN_TRY(read_alpha(gltf, value, material, error));
    SN_TRY(sni_gltf_get_object(gltf, value, "pbrMetallicRoughness", &looks, error));
    SN_TRY(read_looks(gltf, looks, material, error));
cleanup:
    return status;
}
