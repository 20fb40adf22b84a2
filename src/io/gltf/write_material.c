// SPDX-License-Identifier: Apache-2.0
//
// Materials and images of a .glb. Each mesh brings copies of the materials it uses; those that are
// equal become one again.
#include "io/gltf/writer.h"

#include <math.h>
#include <string.h>

typedef struct sni_gltf_written { // a material of the file
    const sn_material *source;
    bool textured;
} sni_gltf_written;

static bool images_are_equal(const sn_material *a, const sn_material *b) {
    if (a->image_bytes == NULL || b->image_bytes == NULL) {
        return a->image_bytes == b->image_bytes;
    }
    return a->image_size == b->image_size &&
           memcmp(a->image_bytes, b->image_bytes, a->image_size) == 0;
}

static bool materials_are_equal(const sn_material *a, const sn_material *b) {
    return memcmp(a->base_color, b->base_color, sizeof a->base_color) == 0 &&
           a->metallic == b->metallic && a->roughness == b->roughness &&
           a->double_sided == b->double_sided && images_are_equal(a, b);
}

// Factors outside of 0 to 1 mean nothing in glTF, and make a file invalid.
static double factor(float value) {
    return fmin(fmax(value, 0), 1);
}

static sn_status put_texture(sni_gltf_writer *writer, const sn_material *material,
                             uint32_t *texture, sn_error *error) {
    uint32_t view, image;
    sn_status status = sni_gltf_put_view(writer, material->image_bytes, material->image_size,
                                         SNI_GLTF_TARGET_NONE, &view, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *image_value = sni_gltf_put_item(writer, SNI_GLTF_IMAGES, &image);
    sni_gltf_put_string(writer, image_value, "mimeType", material->image_type);
    sni_gltf_put_number(writer, image_value, "bufferView", view);
    sn_value *texture_value = sni_gltf_put_item(writer, SNI_GLTF_TEXTURES, texture);
    sni_gltf_put_number(writer, texture_value, "source", image);
    return SN_OK;
}

static sn_status put_new(sni_gltf_writer *writer, const sn_material *material, bool textured,
                         uint32_t *index, sn_error *error) {
    uint32_t texture = SN_NONE;
    if (textured) {
        sn_status status = put_texture(writer, material, &texture, error);
        if (status != SN_OK) {
            return status;
        }
    }
    sn_value *value = sni_gltf_put_item(writer, SNI_GLTF_MATERIALS, index);
    sni_gltf_put_string(writer, value, "name", material->name);
    sn_value *looks = sni_gltf_put_object(writer, value, "pbrMetallicRoughness");
    sn_value *color = sni_gltf_put_array(writer, looks, "baseColorFactor");
    for (int i = 0; i < 4; ++i) {
        sni_gltf_put_number(writer, color, NULL, factor(material->base_color[i]));
    }
    if (texture != SN_NONE) {
        sn_value *info = sni_gltf_put_object(writer, looks, "baseColorTexture");
        sni_gltf_put_number(writer, info, "index", texture);
    }
    sni_gltf_put_number(writer, looks, "metallicFactor", factor(material->metallic));
    sni_gltf_put_number(writer, looks, "roughnessFactor", factor(material->roughness));
    if (material->double_sided) {
        sni_gltf_put_bool(writer, value, "doubleSided", true);
    }
    return SN_OK;
}

sn_status sni_gltf_put_material(sni_gltf_writer *writer, const sn_material *material, bool textured,
                                uint32_t *index, sn_error *error) {
    sn_status status = SN_OK;
    textured = textured && material->image_bytes != NULL && material->image_size > 0 &&
               material->image_type != NULL;
    // The set holds the first material of each name; others of that name are written again.
    uint32_t known = sni_names_find(&writer->material_names, material->name);
    if (known != SN_NONE && writer->materials[known].textured == textured &&
        materials_are_equal(writer->materials[known].source, material)) {
        *index = known;
        return SN_OK;
    }
    SN_TRY(put_new(writer, material, textured, index, error));
    if (!sni_grow_by_one(writer->context, &writer->materials, writer->material_count,
                         sizeof *writer->materials)) {
        return sni_fail_memory(error);
    }
    writer->materials[writer->material_count++] = (sni_gltf_written){material, textured};
    if (known == SN_NONE) {
        SN_TRY(sni_names_add(&writer->material_names, material->name, *index, error));
    }
cleanup:
    return status;
}
