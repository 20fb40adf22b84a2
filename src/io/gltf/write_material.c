// SPDX-License-Identifier: Apache-2.0
//
// Materials and images of a .glb. Each mesh brings copies of the materials it uses; those that are
// equal become one again, and so do equal images of different materials.
#include "io/gltf/writer.h"

#include <math.h>
#include <string.h>

typedef struct sni_gltf_written { // a material of the file
    const sn_material *source;
    bool textured;
    uint32_t image, texture; // of the file; SN_NONE without
} sni_gltf_written;

static bool images_are_equal(const sn_material *a, const sn_material *b) {
    if (a->image_bytes == NULL || b->image_bytes == NULL) {
        return a->image_bytes == b->image_bytes;
    }
    return a->image_size == b->image_size &&
           memcmp(a->image_bytes, b->image_bytes, a->image_size) == 0;
}

static bool placements_are_equal(const sn_material *a, const sn_material *b) {
    const sn_image_placement *p = &a->image_placement, *q = &b->image_placement;
    return p->uv == q->uv && p->rotation == q->rotation && p->offset[0] == q->offset[0] &&
           p->offset[1] == q->offset[1] && p->scale[0] == q->scale[0] &&
           p->scale[1] == q->scale[1] && p->wrap[0] == q->wrap[0] && p->wrap[1] == q->wrap[1];
}

static bool materials_are_equal(const sn_material *a, const sn_material *b) {
    return memcmp(a->base_color, b->base_color, sizeof a->base_color) == 0 &&
           a->metallic == b->metallic && a->roughness == b->roughness &&
           a->double_sided == b->double_sided && a->alpha_mode == b->alpha_mode &&
           a->alpha_cutoff == b->alpha_cutoff && placements_are_equal(a, b) &&
           images_are_equal(a, b);
}

// Factors outside of 0 to 1 mean nothing in glTF, and make a file invalid.
static double factor(float value) {
    return fmin(fmax(value, 0), 1);
}

static void put_sampler(sni_gltf_writer *writer, const sn_material *material, sn_value *texture) {
    static const int codes[] = {
        [SN_IMAGE_REPEAT] = 10497, [SN_IMAGE_MIRROR] = 33648, [SN_IMAGE_CLAMP] = 33071};
    const sn_image_wrap *wrap = material->image_placement.wrap;
    if (wrap[0] == SN_IMAGE_REPEAT && wrap[1] == SN_IMAGE_REPEAT) {
        return;
    }
    uint32_t index;
    sn_value *sampler = sni_gltf_put_item(writer, SNI_GLTF_SAMPLERS, &index);
    sni_gltf_put_number(writer, sampler, "wrapS", codes[wrap[0]]);
    sni_gltf_put_number(writer, sampler, "wrapT", codes[wrap[1]]);
    sni_gltf_put_number(writer, texture, "sampler", index);
}

// Says once that the file uses the extension.
static void use_transforms(sni_gltf_writer *writer) {
    if (!writer->transforms_textures) {
        writer->transforms_textures = true;
        sn_value *used = sni_gltf_put_array(writer, sn_json_root(writer->json), "extensionsUsed");
        sni_gltf_put_string(writer, used, NULL, "KHR_texture_transform");
    }
}

static void put_placement(sni_gltf_writer *writer, const sn_image_placement *placement,
                          sn_value *info) {
    if (placement->uv > 0) {
        sni_gltf_put_number(writer, info, "texCoord", placement->uv);
    }
    const float *offset = placement->offset, *scale = placement->scale;
    if (offset[0] == 0 && offset[1] == 0 && placement->rotation == 0 && scale[0] == 1 &&
        scale[1] == 1) {
        return;
    }
    sn_value *extensions = sni_gltf_put_object(writer, info, "extensions");
    sn_value *transform = sni_gltf_put_object(writer, extensions, "KHR_texture_transform");
    sni_gltf_put_numbers(writer, transform, "offset", (double[]){offset[0], offset[1]}, 2);
    sni_gltf_put_number(writer, transform, "rotation", placement->rotation);
    sni_gltf_put_numbers(writer, transform, "scale", (double[]){scale[0], scale[1]}, 2);
    use_transforms(writer);
}

static sn_status put_image(sni_gltf_writer *writer, const sn_material *material, uint32_t *image,
                           sn_error *error) {
    uint32_t view;
    sn_status status = sni_gltf_put_view(writer, material->image_bytes, material->image_size,
                                         SNI_GLTF_TARGET_NONE, &view, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *value = sni_gltf_put_item(writer, SNI_GLTF_IMAGES, image);
    sni_gltf_put_string(writer, value, "mimeType", material->image_type);
    sni_gltf_put_number(writer, value, "bufferView", view);
    return SN_OK;
}

static bool wraps_alike(const sn_material *a, const sn_material *b) {
    const sn_image_wrap *p = a->image_placement.wrap, *q = b->image_placement.wrap;
    return p[0] == q[0] && p[1] == q[1];
}

// The image and texture of a material, shared with those before it where they are the same.
static sn_status put_texture(sni_gltf_writer *writer, const sn_material *material,
                             sni_gltf_written *made, sn_error *error) {
    for (uint32_t i = 0; i < writer->material_count && made->texture == SN_NONE; ++i) {
        const sni_gltf_written *other = &writer->materials[i];
        if (other->textured && images_are_equal(other->source, material)) {
            made->image = other->image;
            made->texture = wraps_alike(other->source, material) ? other->texture : SN_NONE;
        }
    }
    if (made->image == SN_NONE) {
        sn_status status = put_image(writer, material, &made->image, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (made->texture == SN_NONE) {
        sn_value *value = sni_gltf_put_item(writer, SNI_GLTF_TEXTURES, &made->texture);
        sni_gltf_put_number(writer, value, "source", made->image);
        put_sampler(writer, material, value);
    }
    return SN_OK;
}

static void put_alpha(sni_gltf_writer *writer, const sn_material *material, sn_value *value) {
    if (material->alpha_mode == SN_ALPHA_OPAQUE) {
        return;
    }
    bool mask = material->alpha_mode == SN_ALPHA_MASK;
    sni_gltf_put_string(writer, value, "alphaMode", mask ? "MASK" : "BLEND");
    if (mask) {
        sni_gltf_put_number(writer, value, "alphaCutoff", fmax(material->alpha_cutoff, 0));
    }
}

static sn_status put_new(sni_gltf_writer *writer, const sn_material *material,
                         sni_gltf_written *made, uint32_t *index, sn_error *error) {
    if (made->textured) {
        sn_status status = put_texture(writer, material, made, error);
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
    if (made->texture != SN_NONE) {
        sn_value *info = sni_gltf_put_object(writer, looks, "baseColorTexture");
        sni_gltf_put_number(writer, info, "index", made->texture);
        put_placement(writer, &material->image_placement, info);
    }
    put_alpha(writer, material, value);
    sni_gltf_put_number(writer, looks, "metallicFactor", factor(material->metallic));
    sni_gltf_put_number(writer, looks, "roughnessFactor", factor(material->roughness));
    if (material->double_sided) {
        sni_gltf_put_bool(writer, value, "doubleSided", true);
    }
    return SN_OK;
}

sn_status sni_gltf_put_material(sni_gltf_writer *writer, const sn_material *material,
                                uint32_t uv_count, uint32_t *index, sn_error *error) {
    sn_status status = SN_OK;
    bool textured = material->image_placement.uv < uv_count && material->image_bytes != NULL &&
                    material->image_size > 0 && material->image_type != NULL;
    // The set holds the first material of each name; others of that name are written again.
    uint32_t known = sni_names_find(&writer->material_names, material->name);
    if (known != SN_NONE && writer->materials[known].textured == textured &&
        materials_are_equal(writer->materials[known].source, material)) {
        *index = known;
        return SN_OK;
    }
    sni_gltf_written made = {material, textured, SN_NONE, SN_NONE};
    SN_TRY(put_new(writer, material, &made, index, error));
    if (!sni_grow_by_one(writer->context, &writer->materials, writer->material_count,
                         sizeof *writer->materials)) {
        return sni_fail_memory(error);
    }
    writer->materials[writer->material_count++] = made;
    if (known == SN_NONE) {
        SN_TRY(sni_names_add(&writer->material_names, material->name, *index, error));
    }
cleanup:
    return status;
}
