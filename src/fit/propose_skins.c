// SPDX-License-Identifier: Apache-2.0
#include "fit/propose_skins.h"

#include "base/context.h"
#include "motion/skeleton.h"

#include <math.h>

// Spaces are the same where matrices differ by less: inverse bind matrices are floats in files.
static const double same_space = 1e-5;

static bool is_identity(const sn_mat4 *a) {
    sn_mat4 identity = sn_mat4_identity();
    for (int i = 0; i < 16; ++i) {
        if (fabs(a->m[i] - identity.m[i]) > same_space) {
            return false;
        }
    }
    return true;
}

// The way from a skin's own space to the shared one: where its first bone stands in both.
static sn_mat4 to_shared(const sni_propose_skins_desc *desc, const sn_mesh *mesh,
                         const uint32_t *bone_segments) {
    const sn_weights *weights = mesh->weights;
    sn_mat4 inverse;
    for (uint32_t b = 0; weights->inverse_bind != NULL && b < weights->bone_count; ++b) {
        sn_mat4 way =
            sn_mat4_multiply(&desc->limbs->frames[bone_segments[b]], &weights->inverse_bind[b]);
        if (sn_mat4_invert(&way, &inverse)) {
            return way;
        }
    }
    return sn_mat4_identity();
}

static sn_status move(sni_propose_skin *skin, const sn_mesh *mesh, const sn_mat4 *way,
                      sn_error *error) {
    sn_status status = sn_mesh_copy(mesh, &skin->copy, error);
    for (uint32_t v = 0; status == SN_OK && v < mesh->vertex_count; ++v) {
        float *p = skin->copy->positions + 3 * (size_t)v;
        sn_vec3_store(sn_mat4_point(way, sn_vec3_load(p)), p);
    }
    return status;
}

static sn_status open_skin(sn_context *context, const sni_propose_skins_desc *desc, uint32_t index,
                           const sni_name_index *names, sni_propose_skin *skin, sn_error *error) {
    const sn_mesh *mesh = desc->meshes[index];
    sn_status status = SN_OK;
    skin->name = desc->names[index];
    SNI_NEW(context, skin->bone_segments, mesh->weights->bone_count);
    for (uint32_t b = 0; b < mesh->weights->bone_count; ++b) { // sni_limbs_init has found them all
        skin->bone_segments[b] = sni_name_index_find(names, mesh->weights->bone_names[b]);
    }
    sn_mat4 way = to_shared(desc, mesh, skin->bone_segments);
    skin->to_own = sn_mat4_identity();
    skin->scale = 1;
    if (!is_identity(&way) && sn_mat4_invert(&way, &skin->to_own)) {
        skin->scale = cbrt(fabs(sn_mat4_determinant(&skin->to_own)));
        SN_TRY(move(skin, mesh, &way, error));
        mesh = skin->copy;
    }
    SN_TRY(sni_skin_probe_init(context, mesh, &skin->probe, error));
    SNI_NEW(context, skin->normals, 3 * (size_t)mesh->vertex_count);
    SN_TRY(sn_mesh_normals(mesh, mesh->positions, skin->normals, error));
cleanup:
    return status;
}

static double find_size(const sni_propose_skins *skins) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < skins->count; ++i) {
        sn_vec3 a, b;
        sn_mesh_bounds(skins->items[i].probe.mesh, &a, &b);
        low = sn_vec3_make(fmin(low.x, a.x), fmin(low.y, a.y), fmin(low.z, a.z));
        high = sn_vec3_make(fmax(high.x, b.x), fmax(high.y, b.y), fmax(high.z, b.z));
    }
    return sn_vec3_distance(low, high);
}

sn_status sni_propose_skins_init(sn_context *context, const sni_propose_skins_desc *desc,
                                 sni_propose_skins *skins, sn_error *error) {
    sni_name_index names = {0};
    sn_status status = SN_OK;
    *skins = (sni_propose_skins){.context = context};
    SN_TRY(sni_skeleton_index(context, desc->skeleton, &names, error));
    SNI_NEW_ZERO(context, skins->items, desc->count);
    SNI_NEW_ZERO(context, skins->marks, desc->skeleton->segment_count);
    for (uint32_t i = 0; i < desc->count; ++i) {
        skins->count = i + 1;
        SN_TRY(open_skin(context, desc, i, &names, &skins->items[i], error));
    }
    skins->size = find_size(skins);
cleanup:
    sni_name_index_deinit(context, &names);
    if (status != SN_OK) {
        sni_propose_skins_deinit(skins);
    }
    return status;
}

void sni_propose_skins_deinit(sni_propose_skins *skins) {
    sn_context *context = skins->context;
    for (uint32_t i = 0; i < skins->count; ++i) {
        sni_propose_skin *skin = &skins->items[i];
        sni_skin_probe_deinit(&skin->probe);
        sn_mesh_destroy(skin->copy);
        sni_free(context, skin->normals);
        sni_free(context, skin->bone_segments);
    }
    if (context != NULL) {
        sni_free(context, skins->items);
        sni_free(context, skins->marks);
    }
    *skins = (sni_propose_skins){0};
}

double sni_propose_skin_share(const sni_propose_skin *skin, const uint8_t *marks, uint32_t triangle,
                              const double barycentric[3]) {
    const sn_weights *weights = skin->probe.mesh->weights;
    const uint32_t *v = skin->probe.triangles->vertices + 3 * (size_t)triangle;
    double marked = 0, all = 0;
    for (int i = 0; i < 3; ++i) {
        for (uint32_t k = weights->offsets[v[i]]; k < weights->offsets[v[i] + 1]; ++k) {
            double weight = barycentric[i] * weights->values[k];
            all += weight;
            marked += marks[skin->bone_segments[weights->bones[k]]] ? weight : 0;
        }
    }
    return all > 0 ? marked / all : 0;
}

typedef struct cast_user {
    const sni_propose_skin *skin;
    const uint8_t *marks;
} cast_user;

static bool belongs(const sni_skin_probe *probe, const sn_hit *hit, void *user) {
    const cast_user *u = user;
    (void)probe;
    return sni_propose_skin_share(u->skin, u->marks, hit->triangle, hit->barycentric) > 0.5;
}

bool sni_propose_skin_cast(const sni_propose_skins *skins, uint32_t skin, sn_vec3 from,
                           sn_vec3 direction, double farthest, sn_hit *hit) {
    SN_ASSERT(skin < skins->count);
    cast_user user = {.skin = &skins->items[skin], .marks = skins->marks};
    sni_skin_ray ray = {.origin = from,
                        .direction = direction,
                        .nearest = 0,
                        .farthest = farthest,
                        .accept = belongs,
                        .user = &user};
    return sni_skin_probe_cast(&skins->items[skin].probe, &ray, hit);
}
