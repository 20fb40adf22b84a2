// SPDX-License-Identifier: Apache-2.0
//
// Materials of meshes: base colours, images, alpha, and colours of vertices, multiplied as glTF 2.0
// does it (section 3.9.2). Metalness is not drawn: a metal shows its base colour.
#include "render/appearance.h"

#include "base/context.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Rougher or smoother surfaces have no highlight that this light could show.
static const double least_roughness = 0.25, most_roughness = 0.95;

// A material that has a colour.
typedef struct coating {
    const sn_material *material; // NULL: one without a colour
    const sni_texture *texture;  // NULL: none
    const sn_attribute *uv;      // where there is a texture
    double across[3], down[3];   // the image's x and y: across[0] + across[1] u + across[2] v
} coating;

struct sn_appearance {
    const sn_mesh *mesh;
    const sn_attribute *colors; // of vertices or corners; NULL: none
    coating *coatings;          // the mesh's material_count
    uint32_t *face_materials;   // #F, SN_NONE: no material; NULL where no material has a colour
    bool masks, blends;
};

typedef struct shared_texture {
    const sn_material *source; // the first material with this image
    bool decoded;              // else it could not be
    sni_texture texture;
} shared_texture;

struct sn_appearances {
    sn_context *context;
    uint32_t count;
    sn_appearance *items;
    uint32_t texture_count;
    shared_texture **textures; // images differ
};

// ---------------------------------------------------------------------------------------------
// Making

static bool is_same_image(const sn_material *a, const sn_material *b) {
    return a->image_size == b->image_size &&
           memcmp(a->image_bytes, b->image_bytes, a->image_size) == 0;
}

// Decodes an image unless that was done before. One that cannot be decoded is left out with a
// warning: the shape can be seen without it.
static sn_status find_texture(sn_appearances *all, const sn_mesh *mesh, const sn_material *material,
                              const sni_texture **texture, sn_error *error) {
    *texture = NULL;
    for (uint32_t i = 0; i < all->texture_count; ++i) {
        if (is_same_image(all->textures[i]->source, material)) {
            *texture = all->textures[i]->decoded ? &all->textures[i]->texture : NULL;
            return SN_OK;
        }
    }
    shared_texture *made = sni_alloc_zero(all->context, 1, sizeof *made);
    if (made == NULL ||
        !sni_grow_by_one(all->context, &all->textures, all->texture_count, sizeof made)) {
        sni_free(all->context, made);
        return sni_fail_memory(error);
    }
    all->textures[all->texture_count++] = made;
    made->source = material;
    sn_error why = {0};
    sn_status status = sni_texture_init(all->context, material->image_type, material->image_bytes,
                                        material->image_size, &made->texture, &why);
    made->decoded = status == SN_OK;
    if (status == SN_OUT_OF_MEMORY) {
        return sni_fail(error, status, "%s", why.message);
    }
    if (status != SN_OK) {
        sni_log(all->context, SN_LOG_WARNING, "render",
                "mesh \"%s\", material \"%s\": the image is left out: %s", mesh->name,
                material->name, why.message);
    }
    *texture = made->decoded ? &made->texture : NULL;
    return SN_OK;
}

static const sn_attribute *find_uv(const sn_mesh *mesh, uint32_t set) {
    char name[16];
    snprintf(name, sizeof name, set == 0 ? "uv" : "uv%u", set);
    const sn_attribute *uv = sn_mesh_find_attribute(mesh, name);
    return uv != NULL && uv->width >= 2 ? uv : NULL;
}

static void place_image(const sn_image_placement *placement, coating *coat) {
    double c = cos(placement->rotation), s = sin(placement->rotation);
    double u = placement->scale[0], v = placement->scale[1];
    coat->across[0] = placement->offset[0];
    coat->across[1] = c * u;
    coat->across[2] = s * v;
    coat->down[0] = placement->offset[1];
    coat->down[1] = -s * u;
    coat->down[2] = c * v;
}

static sn_status make_coating(sn_appearances *all, sn_appearance *item, uint32_t index,
                              sn_error *error) {
    const sn_material *material = &item->mesh->materials[index];
    coating *coat = &item->coatings[index];
    if (!material->has_color) {
        return SN_OK;
    }
    coat->material = material;
    item->masks = item->masks || material->alpha_mode == SN_ALPHA_MASK;
    item->blends = item->blends || material->alpha_mode == SN_ALPHA_BLEND;
    if (material->image_bytes == NULL) {
        return SN_OK;
    }
    coat->uv = find_uv(item->mesh, material->image_placement.uv);
    if (coat->uv == NULL) {
        sni_log(all->context, SN_LOG_WARNING, "render",
                "mesh \"%s\", material \"%s\": the image is left out: the mesh has no texture "
                "coordinates for it",
                item->mesh->name, material->name);
        return SN_OK;
    }
    place_image(&material->image_placement, coat);
    return find_texture(all, item->mesh, material, &coat->texture, error);
}

static sn_status make_item(sn_appearances *all, const sn_mesh *mesh, sn_appearance *item,
                           sn_error *error) {
    sn_status status = SN_OK;
    item->mesh = mesh;
    const sn_attribute *colors = sn_mesh_find_attribute(mesh, "color");
    item->colors = colors != NULL && colors->width >= 3 ? colors : NULL;
    SNI_NEW_ZERO(all->context, item->coatings, mesh->material_count);
    bool any = false;
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        SN_TRY(make_coating(all, item, i, error));
        any = any || item->coatings[i].material != NULL;
    }
    if (any) {
        SNI_NEW(all->context, item->face_materials, mesh->face_count);
        SN_TRY(sn_mesh_face_materials(mesh, item->face_materials, error));
    }
cleanup:
    return status;
}

sn_status sn_appearances_create(sn_context *context, const sn_mesh *const *meshes,
                                uint32_t mesh_count, sn_appearances **appearances,
                                sn_error *error) {
    sn_status status = SN_OK;
    sn_appearances *made = NULL;
    *appearances = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    SNI_NEW_ZERO(context, made->items, mesh_count);
    made->count = mesh_count;
    for (uint32_t i = 0; i < mesh_count; ++i) {
        SN_TRY(make_item(made, meshes[i], &made->items[i], error));
    }
    *appearances = made;
    return SN_OK;
cleanup:
    sn_appearances_destroy(made);
    return status;
}

void sn_appearances_destroy(sn_appearances *appearances) {
    if (appearances == NULL) {
        return;
    }
    sn_context *context = appearances->context;
    for (uint32_t i = 0; i < appearances->count; ++i) {
        sni_free(context, appearances->items[i].coatings);
        sni_free(context, appearances->items[i].face_materials);
    }
    for (uint32_t i = 0; i < appearances->texture_count; ++i) {
        sni_texture_deinit(context, &appearances->textures[i]->texture);
        sni_free(context, appearances->textures[i]);
    }
    sni_free(context, appearances->textures);
    sni_free(context, appearances->items);
    sni_free(context, appearances);
}

const sn_appearance *sn_appearances_of(const sn_appearances *appearances, uint32_t mesh) {
    SN_ASSERT(mesh < appearances->count);
    return &appearances->items[mesh];
}

// ---------------------------------------------------------------------------------------------
// Asking

// The value of a corner; NULL where it has none.
static const float *corner_value(const sn_attribute *attribute, const sni_spot *spot, unsigned i) {
    size_t at = 3 * (size_t)spot->triangle + i;
    uint32_t value = attribute->corner != NULL ? attribute->corner[spot->triangles->corners[at]]
                                               : spot->triangles->vertices[at];
    return value != SN_NONE ? attribute->values + (size_t)value * attribute->width : NULL;
}

// Multiplies by the colours of the vertices; corners that have none are white.
static void add_vertex_colors(const sn_attribute *colors, const sni_spot *spot, sn_vec3 *color,
                              double *alpha) {
    sn_vec3 mean = {0, 0, 0};
    double opacity = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const float *value = corner_value(colors, spot, i);
        sn_vec3 own = value != NULL ? sn_vec3_load(value) : sn_vec3_make(1, 1, 1);
        mean = sn_vec3_add_scaled(mean, spot->barycentric[i], own);
        opacity += spot->barycentric[i] * (value != NULL && colors->width >= 4 ? value[3] : 1);
    }
    *color = sn_vec3_multiply(*color, mean);
    *alpha *= opacity;
}

// How far apart, in pixels of the image, two samples are: the root of how many pixels of the image
// lie on the area between them.
static double image_spacing(const coating *coat, const sni_spot *spot, double xy[3][2]) {
    const uint32_t *vertices = &spot->triangles->vertices[3 * (size_t)spot->triangle];
    sn_vec3 a = sn_vec3_load(&spot->positions[3 * (size_t)vertices[0]]);
    sn_vec3 b = sn_vec3_load(&spot->positions[3 * (size_t)vertices[1]]);
    sn_vec3 c = sn_vec3_load(&spot->positions[3 * (size_t)vertices[2]]);
    double area = sn_vec3_length(sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a)));
    double image_area = fabs((xy[1][0] - xy[0][0]) * (xy[2][1] - xy[0][1]) -
                             (xy[2][0] - xy[0][0]) * (xy[1][1] - xy[0][1]));
    const sni_pixels *full = &coat->texture->levels[0];
    double pixels = image_area * full->width * full->height;
    return area > 0 ? spot->spacing * sqrt(pixels / area) : 0;
}

static sni_texel sample_image(const coating *coat, const sni_spot *spot) {
    double xy[3][2], x = 0, y = 0;
    for (unsigned i = 0; i < 3; ++i) {
        const float *uv = corner_value(coat->uv, spot, i);
        double u = uv != NULL ? uv[0] : 0, v = uv != NULL ? uv[1] : 0;
        xy[i][0] = coat->across[0] + coat->across[1] * u + coat->across[2] * v;
        xy[i][1] = coat->down[0] + coat->down[1] * u + coat->down[2] * v;
        x += spot->barycentric[i] * xy[i][0];
        y += spot->barycentric[i] * xy[i][1];
    }
    double spacing = spot->spacing > 0 ? image_spacing(coat, spot, xy) : 0;
    return sni_texture_at(coat->texture, coat->material->image_placement.wrap, x, y, spacing);
}

static const coating *coating_at(const sn_appearance *appearance, const sni_spot *spot) {
    if (appearance->face_materials == NULL) {
        return NULL;
    }
    uint32_t index = appearance->face_materials[spot->triangles->faces[spot->triangle]];
    bool there = index != SN_NONE && appearance->coatings[index].material != NULL;
    return there ? &appearance->coatings[index] : NULL;
}

// Files may hold what no surface reflects.
static sn_vec3 clamped(sn_vec3 color) {
    return sn_vec3_min(sn_vec3_max(color, sn_vec3_make(0, 0, 0)), sn_vec3_make(1, 1, 1));
}

static void set_alpha(const sn_material *material, double alpha, sni_coat *result) {
    result->cut = material->alpha_mode == SN_ALPHA_MASK && alpha < material->alpha_cutoff;
    if (material->alpha_mode == SN_ALPHA_BLEND) {
        result->alpha = fmin(fmax(alpha, 0), 1);
        result->cut = result->alpha == 0;
    }
}

sni_coat sni_appearance_at(const sn_appearance *appearance, const sni_spot *spot) {
    const coating *coat = coating_at(appearance, spot);
    sni_coat result = {.colored = coat != NULL || appearance->colors != NULL, .alpha = 1};
    if (!result.colored) {
        return result;
    }
    sn_vec3 color = {1, 1, 1};
    double alpha = 1;
    if (coat != NULL) {
        const sn_material *material = coat->material;
        color = sn_vec3_load(material->base_color);
        alpha = material->base_color[3];
        result.material = true;
        result.roughness = fmin(fmax(material->roughness, least_roughness), most_roughness);
        result.two_sided = material->double_sided;
    }
    if (coat != NULL && coat->texture != NULL) {
        sni_texel texel = sample_image(coat, spot);
        color = sn_vec3_multiply(color, texel.color);
        alpha *= texel.alpha;
    }
    if (appearance->colors != NULL) {
        add_vertex_colors(appearance->colors, spot, &color, &alpha);
    }
    if (coat != NULL) {
        set_alpha(coat->material, alpha, &result);
    }
    result.color = clamped(color);
    return result;
}

const sn_mesh *sni_appearance_mesh(const sn_appearance *appearance) {
    return appearance->mesh;
}

bool sni_appearance_has_holes(const sn_appearance *appearance) {
    return appearance->masks || appearance->blends;
}

bool sni_appearance_blends(const sn_appearance *appearance) {
    return appearance->blends;
}
