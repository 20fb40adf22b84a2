// SPDX-License-Identifier: Apache-2.0
//
// The skin of the head: the control mesh is fitted so that its refined surface passes through the
// points that were written down, refined twice, sculpted, and made its own mirror image.
#include "scenes/head_shape.h"

#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The whole control mesh

// Adds the mirror image of the left half and drops vertices that no quad uses.
static bool mirror_cage(scn_head_surface *cage) {
    uint32_t half = cage->vertex_count, quads = cage->quad_count, kept = 0;
    double(*values)[SCN_HEAD_VALUES] = malloc(2 * half * sizeof *values);
    scn_head_quad *list = malloc(2 * quads * sizeof *list);
    uint32_t *left = calloc(half, sizeof *left), *right = calloc(half, sizeof *right);
    bool ok = values != NULL && list != NULL && left != NULL && right != NULL;
    for (uint32_t q = 0; ok && q < quads; ++q) {
        for (int c = 0; c < 4; ++c) {
            left[cage->quads[q].corners[c]] = 1;
        }
    }
    for (uint32_t i = 0; ok && i < half; ++i) {
        if (left[i] != 0) {
            memcpy(values[kept], cage->values[i], sizeof *values);
            left[i] = right[i] = kept++;
            if (cage->values[i][SCN_HEAD_X] != 0) {
                memcpy(values[kept], cage->values[i], sizeof *values);
                values[kept][SCN_HEAD_X] = -values[kept][SCN_HEAD_X];
                right[i] = kept++;
            }
        }
    }
    for (uint32_t q = 0; ok && q < quads; ++q) {
        const uint32_t *c = cage->quads[q].corners;
        uint8_t whole = cage->quads[q].whole;
        list[q] = (scn_head_quad){{left[c[0]], left[c[1]], left[c[2]], left[c[3]]}, whole};
        // Turned round it begins with its second corner, so that its first edge is the same.
        list[quads + q] =
            (scn_head_quad){{right[c[1]], right[c[0]], right[c[3]], right[c[2]]}, whole};
    }
    free(left);
    free(right);
    if (ok) {
        scn_head_surface_deinit(cage);
        *cage = (scn_head_surface){kept, 2 * quads, values, list, false};
    } else {
        free(values);
        free(list);
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------
// Refinement

static sn_status refinement_of(sn_context *context, const scn_head_surface *surface,
                               sn_refinement **refinement, sn_error *error) {
    scn_builder builder;
    sn_mesh *mesh = NULL;
    scn_builder_init(&builder);
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        scn_builder_vertex(&builder, sn_vec3_make(0, 0, 0), 0, 0);
    }
    for (uint32_t q = 0; q < surface->quad_count; ++q) {
        const uint32_t *c = surface->quads[q].corners;
        scn_builder_quad(&builder, c[0], c[1], c[2], c[3]);
    }
    sn_status status = scn_builder_finish(&builder, context, "cage", &mesh, error);
    if (status == SN_OK) {
        status = sn_mesh_refine(mesh, refinement, error);
    }
    sn_mesh_destroy(mesh);
    scn_builder_deinit(&builder);
    return status;
}

// The edges of a part of a quad, from its corner `c`, run as those of the quad do from that corner.
static uint8_t whole_of_part(uint8_t whole, int c) {
    return whole == 0 || c % 2 == 0 ? whole : (uint8_t)(3 - whole);
}

// The quads of the finer surface. Where edges of a quad stay whole, two parts are one.
static uint32_t split_quads(const scn_head_surface *surface, const sn_refinement *refinement,
                            bool last, scn_head_quad *made) {
    uint32_t count = 0;
    for (uint32_t q = 0; q < surface->quad_count; ++q) {
        const uint32_t(*parts)[4] = (const uint32_t(*)[4])refinement->quads + 4 * (size_t)q;
        uint8_t whole = surface->quads[q].whole;
        if (last && whole != 0) {
            // Parts a and b share a whole edge, and so do the two others.
            int first = whole == 1 ? 0 : 1;
            for (int k = 0; k < 2; ++k) {
                const uint32_t *a = parts[(first + 2 * k) % 4], *b = parts[(first + 2 * k + 1) % 4];
                made[count++] = (scn_head_quad){{a[0], b[0], b[1], a[3]}, 0};
            }
            continue;
        }
        for (int c = 0; c < 4; ++c) {
            scn_head_quad part = {.whole = whole_of_part(whole, c)};
            memcpy(part.corners, parts[c], sizeof part.corners);
            made[count++] = part;
        }
    }
    return count;
}

static sn_status refine(sn_context *context, scn_head_surface *surface, bool last,
                        sn_error *error) {
    sn_refinement *refinement = NULL;
    sn_status status = refinement_of(context, surface, &refinement, error);
    if (status != SN_OK) {
        return status;
    }
    double(*values)[SCN_HEAD_VALUES] = malloc(refinement->vertex_count * sizeof *values);
    scn_head_quad *quads = malloc(refinement->quad_count * sizeof *quads);
    if (values != NULL && quads != NULL) {
        uint32_t count = split_quads(surface, refinement, last, quads);
        sn_refinement_apply(refinement, surface->values[0], SCN_HEAD_VALUES, values[0]);
        uint32_t vertices = refinement->vertex_count;
        scn_head_surface_deinit(surface);
        *surface = (scn_head_surface){vertices, count, values, quads, false};
    } else {
        free(values);
        free(quads);
        status = scn_fail_memory(error);
    }
    sn_refinement_destroy(refinement);
    return status;
}

// Moves control points until the surface passes close to where they were: each by what its point of
// the refined surface misses, a few times. More rounds would follow the written points more closely
// and ripple between them.
enum { FIT_ROUNDS = 6, COARSE_ROUNDS = 12, FINE_ROUNDS = 12 };

static sn_status fit(sn_context *context, scn_head_surface *cage, sn_error *error) {
    sn_refinement *refinement = NULL;
    sn_status status = refinement_of(context, cage, &refinement, error);
    double(*targets)[SCN_HEAD_VALUES] = malloc(cage->vertex_count * sizeof *targets);
    double(*finer)[SCN_HEAD_VALUES] =
        status == SN_OK ? malloc(refinement->vertex_count * sizeof *finer) : NULL;
    if (status == SN_OK && (targets == NULL || finer == NULL)) {
        status = scn_fail_memory(error);
    }
    if (status == SN_OK) {
        memcpy(targets, cage->values, cage->vertex_count * sizeof *targets);
    }
    for (int round = 0; status == SN_OK && round < FIT_ROUNDS; ++round) {
        sn_refinement_apply(refinement, cage->values[0], SCN_HEAD_VALUES, finer[0]);
        for (uint32_t i = 0; i < cage->vertex_count; ++i) {
            for (int k = SCN_HEAD_X; k <= SCN_HEAD_Z; ++k) {
                cage->values[i][k] += targets[i][k] - finer[i][k];
            }
        }
    }
    sn_refinement_destroy(refinement);
    free(targets);
    free(finer);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Mesh

static sn_status add_colors(scn_head_skin *skin, sn_error *error) {
    sn_mesh *mesh = skin->mesh;
    sn_attribute *colors = NULL;
    sn_status status = scn_paint(mesh, "skin", 1, 1, 1, 0.45f, error);
    if (status == SN_OK) {
        mesh->materials[0].has_color = true;
        status = sn_mesh_add_attribute(mesh, "color", 3, mesh->vertex_count, false, &colors, error);
    }
    for (uint32_t i = 0; status == SN_OK && i < mesh->vertex_count; ++i) {
        scn_head_paint(skin->values[i], colors->values + 3 * (size_t)i);
    }
    return status;
}

// The tag of a vertex is its number on the surface that both halves were made from.
static sn_status copy_values(const scn_head_surface *surface, const scn_builder *builder,
                             scn_head_skin *skin, sn_error *error) {
    skin->values = malloc(builder->vertex_count * sizeof *skin->values);
    for (uint32_t i = 0; skin->values != NULL && i < builder->vertex_count; ++i) {
        memcpy(skin->values[i], surface->values[builder->vertices[i].tag], sizeof *skin->values);
    }
    return skin->values != NULL ? SN_OK : scn_fail_memory(error);
}

static double rounded_metres(double millimetres) {
    return scn_round(millimetres * SCN_MM);
}

static sn_status finish(sn_context *context, const scn_head_surface *surface, scn_head_skin *skin,
                        sn_error *error) {
    const double margin = 1e-7;
    scn_builder builder;
    uint32_t *mirror = NULL;
    sn_status status = SN_OK;
    scn_builder_init(&builder);
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        const double *v = surface->values[i];
        sn_vec3 p = {rounded_metres(v[SCN_HEAD_X]), rounded_metres(v[SCN_HEAD_Y]),
                     rounded_metres(v[SCN_HEAD_Z])};
        scn_builder_vertex(&builder, p, i, 0);
    }
    for (uint32_t q = 0; q < surface->quad_count; ++q) {
        const uint32_t *c = surface->quads[q].corners;
        scn_builder_quad(&builder, c[0], c[1], c[2], c[3]);
    }
    SN_TRY(scn_builder_mirror(&builder, margin, &mirror) ? SN_OK : scn_fail_memory(error));
    SN_TRY(scn_builder_finish(&builder, context, "skin", &skin->mesh, error));
    SN_TRY(copy_values(surface, &builder, skin, error));
    SN_TRY(add_colors(skin, error));
cleanup:
    free(mirror);
    scn_builder_deinit(&builder);
    return status;
}

void scn_head_skin_deinit(scn_head_skin *skin) {
    sn_mesh_destroy(skin->mesh);
    free(skin->values);
    *skin = (scn_head_skin){0};
}

sn_status scn_head_make_skin(sn_context *context, scn_head_skin *skin, sn_error *error) {
    scn_head_surface surface;
    sn_status status = SN_OK;
    *skin = (scn_head_skin){0};
    scn_head_cage(&surface);
    SN_TRY(!surface.failed && mirror_cage(&surface) ? SN_OK : scn_fail_memory(error));
    SN_TRY(fit(context, &surface, error));
    SN_TRY(refine(context, &surface, false, error));
    SN_TRY(scn_head_even_out(&surface, COARSE_ROUNDS) ? SN_OK : scn_fail_memory(error));
    SN_TRY(refine(context, &surface, true, error));
    SN_TRY(scn_head_even_out(&surface, FINE_ROUNDS) ? SN_OK : scn_fail_memory(error));
    SN_TRY(scn_head_sculpt(&surface) ? SN_OK : scn_fail_memory(error));
    SN_TRY(scn_head_open_quads(&surface) ? SN_OK : scn_fail_memory(error));
    scn_head_clear_eyes(&surface);
    scn_head_part_lips(&surface);
    SN_TRY(finish(context, &surface, skin, error));
cleanup:
    scn_head_surface_deinit(&surface);
    return status;
}
