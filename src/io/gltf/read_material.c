// SPDX-License-Identifier: Apache-2.0
//
// Materials, as far as sinew passes them on: metallic-roughness factors and the base colour image.
#include "io/gltf/gltf.h"

#include "base/context.h"

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
            sni_log(gltf->context, SN_LOG_WARNING, "io", "image %u is left out: %s", index, text);
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
        sni_log(gltf->context, SN_LOG_WARNING, "io",
                "image %u is left out: it is neither PNG nor JPEG", index);
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

sn_status sni_gltf_read_material(sni_gltf *gltf, uint32_t index, sn_mesh *mesh, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_MATERIALS, index);
    const sn_value *looks, *texture_info;
    double color[4] = {1, 1, 1, 1}, metallic = 1, roughness = 1;
    uint32_t texture = SN_NONE, image = SN_NONE;
    sn_material *material;
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_add_material(mesh, gltf->material_name[index], &material, error));
    SN_TRY(sni_gltf_get_bool(gltf, value, "doubleSided", &material->double_sided, error));
    SN_TRY(sni_gltf_get_object(gltf, value, "pbrMetallicRoughness", &looks, error));
    if (looks != NULL) {
        SN_TRY(sni_gltf_get_numbers(gltf, looks, "baseColorFactor", 4, color, error));
        SN_TRY(sni_gltf_get_number(gltf, looks, "metallicFactor", &metallic, error));
        SN_TRY(sni_gltf_get_number(gltf, looks, "roughnessFactor", &roughness, error));
        SN_TRY(sni_gltf_get_object(gltf, looks, "baseColorTexture", &texture_info, error));
        if (texture_info != NULL) {
            SN_TRY(sni_gltf_get_index(gltf, texture_info, "index", SNI_GLTF_TEXTURES, true,
                                      &texture, error));
        }
    }
    for (int i = 0; i < 4; ++i) {
        material->base_color[i] = (float)color[i];
    }
    material->metallic = (float)metallic;
    material->roughness = (float)roughness;
    if (texture != SN_NONE) {
        // A texture of an extension may have no plain source.
        SN_TRY(sni_gltf_get_index(gltf, sni_gltf_item(gltf, SNI_GLTF_TEXTURES, texture), "source",
                                  SNI_GLTF_IMAGES, false, &image, error));
    }
    if (image != SN_NONE) {
        SN_TRY(read_image(gltf, image, material, error));
    }
cleanup:
    return status;
}
