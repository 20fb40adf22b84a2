// SPDX-License-Identifier: Apache-2.0
//
// Weights for meshes that have none (docs/bind.md):
//
//     meshes ──► one surface ──► volume ──► ways from limbs ──► heat ──► rows ──► weights
//                (joined.c)      (volume.c) (routes.c,       (heat.c)  (rows.c,
//                                            girths.c)                  slopes.c, ease.c,
//                                                                       parts.c)
#include "fit/bind/girths.h"
#include "fit/bind/heat.h"
#include "fit/bind/parts.h"
#include "sinew/fit.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x736e6264;

// Vertices closer than this part of the diagonal are one: those of seams in textures.
static const double weld = 1e-6;

// Influences that are kept while weights are being made.
enum { MOST_INFLUENCES = 32, KEPT = 8 };

sn_bind_desc sn_bind_desc_default(void) {
    return (sn_bind_desc){.check = desc_check, .influences = 4, .resolution = 160};
}

static sn_status check(const sn_bind_desc *desc, uint32_t mesh_count, sn_mesh *const *meshes,
                       sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_bind_desc_default");
    }
    if (desc->skeleton == NULL || desc->skeleton->segment_count == 0) {
        return sni_fail(error, SN_INVALID, "there is no skeleton to bind to");
    }
    if (desc->influences < 1 || desc->influences > MOST_INFLUENCES) {
        return sni_fail(error, SN_INVALID, "%u influences were asked for, but there are 1 to %u",
                        desc->influences, (uint32_t)MOST_INFLUENCES);
    }
    if (desc->resolution < 16 || desc->resolution > 1024) {
        return sni_fail(error, SN_INVALID, "the resolution is %u, but must be 16 to 1024",
                        desc->resolution);
    }
    for (uint32_t m = 0; m < mesh_count; ++m) {
        sn_status status = sn_mesh_validate(meshes[m], error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

typedef struct binding {
    sn_context *context;
    const sn_bind_desc *desc;
    sni_joined skin;
    sni_limbs limbs;
    sni_volume volume;
    sni_inside inside;
    sni_routes routes;
    sni_girths girths;
    uint32_t width;
    sni_influence *rows; // vertices of the volume x width
} binding;

static void binding_deinit(binding *b) {
    sni_free(b->context, b->rows);
    sni_girths_deinit(&b->girths);
    sni_routes_deinit(&b->routes);
    sni_inside_deinit(&b->inside);
    sni_volume_deinit(&b->volume);
    sni_limbs_deinit(&b->limbs);
    sni_joined_deinit(b->context, &b->skin);
}

static double longest_side(sn_vec3 low, sn_vec3 high) {
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

static double size_of_skeleton(const sni_limbs *limbs) {
    sn_vec3 low = sn_vec3_make(INFINITY, INFINITY, INFINITY), high = sn_vec3_scale(low, -1);
    for (uint32_t i = 0; i < limbs->line_count; ++i) {
        const sni_limb_line *line = &limbs->lines[i];
        low = sn_vec3_min(low, sn_vec3_min(line->from, line->to));
        high = sn_vec3_max(high, sn_vec3_max(line->from, line->to));
    }
    return limbs->line_count > 0 ? longest_side(low, high) : 0;
}

// Sizes that differ by more than this were measured in two units.
static const double other_unit = 5;

static sn_status check_inside(const binding *b, sn_error *error) {
    if (b->inside.outside_count < b->inside.limb_count) {
        return SN_OK;
    }
    const uint32_t *counts = b->volume.counts;
    uint32_t most = counts[0] > counts[1] ? counts[0] : counts[1];
    double mesh = b->volume.spacing * (most > counts[2] ? most : counts[2]);
    double skeleton = size_of_skeleton(&b->limbs);
    if (mesh > other_unit * skeleton || skeleton > other_unit * mesh) {
        return sni_fail(error, SN_INVALID,
                        "no bone of the skeleton lies inside the mesh: it is %.3g m long, the mesh "
                        "%.3g m",
                        skeleton, mesh);
    }
    return sni_fail(error, SN_INVALID, "no bone of the skeleton lies inside the mesh");
}

// Ways from limbs, all alike; these tell how thick each is, and then ways are found again.
static sn_status find_routes(binding *b, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_routes_init(&b->volume, &b->limbs, b->inside.used, NULL, &b->routes, error));
    SN_TRY(sni_girths_init(&b->volume, &b->limbs, &b->routes, &b->girths, error));
    sni_routes_deinit(&b->routes);
    SN_TRY(sni_routes_init(&b->volume, &b->limbs, b->inside.used, &b->girths, &b->routes, error));
cleanup:
    return status;
}

static sn_status fill_rows(binding *b, const sn_progress *progress, sn_bind_report *report,
                           sn_error *error) {
    sn_status status = SN_OK;
    size_t vertex_count = b->volume.node_count - b->volume.inner_count;
    b->width = b->desc->influences > KEPT ? b->desc->influences : KEPT;
    SNI_NEW(b->context, b->rows, vertex_count * b->width);
    SN_TRY(sni_heat_solve(&b->volume, &b->limbs, &b->routes, b->width, b->rows, progress, error));
    sni_parts parts = {
        .volume = &b->volume,
        .limbs = &b->limbs,
        .inside = &b->inside,
        .routes = &b->routes,
        .girths = &b->girths,
        .width = b->width,
        .influences = b->desc->influences,
        .rows = b->rows,
    };
    SN_TRY(sni_parts_settle(&parts, progress, error));
    report->loose_count = parts.loose_count;
cleanup:
    return status;
}

// The row of a vertex of the meshes, numbered over all of them. One without a triangle takes that
// of the nearest vertex that has one.
static const sni_influence *row_of(const binding *b, uint32_t vertex) {
    const sni_volume *v = &b->volume;
    uint32_t node = v->vertex_nodes[b->skin.map[vertex]];
    if (node == SN_NONE) {
        sn_closest closest;
        sn_vec3 point = sn_vec3_load(b->skin.positions + 3 * (size_t)vertex);
        sn_accel_find_closest(v->accel, point, INFINITY, &closest);
        const double *w = closest.barycentric;
        int corner = w[0] >= w[1] && w[0] >= w[2] ? 0 : w[1] >= w[2] ? 1 : 2;
        node = v->vertex_nodes[v->vertices[3 * (size_t)closest.triangle + (uint32_t)corner]];
    }
    return b->rows + (size_t)(node - v->inner_count) * b->width;
}

static sn_status write(const binding *b, uint32_t first, sn_mesh *mesh, uint32_t *bone_count,
                       sn_error *error) {
    sn_status status = SN_OK;
    uint32_t width = b->desc->influences;
    sni_influence *rows = NULL;
    SNI_NEW(b->context, rows, (size_t)mesh->vertex_count * width);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        memcpy(rows + (size_t)v * width, row_of(b, first + v), width * sizeof *rows);
    }
    SN_TRY(
        sni_influences_write(rows, width, &b->limbs, b->desc->skeleton, mesh, bone_count, error));
cleanup:
    sni_free(b->context, rows);
    return status;
}

// Writes into copies first, so that meshes change all or not at all.
static sn_status write_all(const binding *b, uint32_t mesh_count, sn_mesh *const *meshes,
                           sn_bind_report *report, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t first = 0;
    sn_mesh **written = NULL;
    SNI_NEW_ZERO(b->context, written, mesh_count);
    for (uint32_t m = 0; m < mesh_count; ++m) {
        uint32_t bone_count = 0;
        SN_TRY(sn_mesh_create(b->context, "", meshes[m]->vertex_count, 0, 0, &written[m], error));
        SN_TRY(write(b, first, written[m], &bone_count, error));
        report->bone_count = bone_count > report->bone_count ? bone_count : report->bone_count;
        first += meshes[m]->vertex_count;
    }
    for (uint32_t m = 0; m < mesh_count; ++m) {
        sn_weights *weights = written[m]->weights;
        written[m]->weights = meshes[m]->weights;
        meshes[m]->weights = weights;
    }
cleanup:
    for (uint32_t m = 0; written != NULL && m < mesh_count; ++m) {
        sn_mesh_destroy(written[m]);
    }
    sni_free(b->context, written);
    return status;
}

static void describe(const binding *b, sn_bind_report *report) {
    report->limb_count = b->inside.limb_count;
    report->outside_count = b->inside.outside_count;
    report->first_outside = b->inside.first_outside;
    report->inside = b->inside.share;
    report->part_count = b->volume.part_count;
    memcpy(report->nodes, b->volume.counts, sizeof report->nodes);
    report->spacing = b->volume.spacing;
}

sn_status sn_bind_meshes(sn_context *context, const sn_bind_desc *desc, uint32_t mesh_count,
                         sn_mesh *const *meshes, const sn_progress *progress,
                         sn_bind_report *report, sn_error *error) {
    sn_status status = SN_OK;
    binding b = {.context = context, .desc = desc};
    sn_bind_report made = {0};
    SN_TRY(check(desc, mesh_count, meshes, error));
    sni_limbs_desc limbs = {desc->skeleton, NULL, 0, desc->segments, desc->segment_count};
    SN_TRY(sni_limbs_init(context, &limbs, &b.limbs, error));
    SN_TRY(
        sni_joined_init(context, (const sn_mesh *const *)meshes, mesh_count, weld, &b.skin, error));
    SN_TRY(sni_volume_init(context, &b.skin, desc->resolution, progress, &b.volume, error));
    SN_TRY(sni_inside_init(&b.volume, &b.limbs, desc->skeleton, &b.inside, error));
    SN_TRY(check_inside(&b, error));
    SN_TRY(sni_volume_link(&b.volume, progress, error));
    SN_TRY(find_routes(&b, error));
    SN_TRY(fill_rows(&b, progress, &made, error));
    SN_TRY(write_all(&b, mesh_count, meshes, &made, error));
    describe(&b, &made);
    if (report != NULL) {
        *report = made;
    }
cleanup:
    binding_deinit(&b);
    return status;
}
