// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/mesh.h"

#include "base/context.h"
#include "base/rows.h"
#include "geometry/triangle.h"
#include "geometry/weld.h"
#include "sinew/geometry.h"
#include "skin/layers/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vertices closer than this part of the skin's size are in one place.
static const double same_place = 1e-6;
// Cosine between normals of vertices in one place below which they are parts of two surfaces.
static const double facing = -0.2;
// How regular the columns' triangles are (sn_decimate_desc).
static const double regularity = 10, least_quality = 0.15;
// Of the columns, those that may be vertices of closed skin for being that.
static const double most_kept = 0.6;
// Vertices of a block: some ten microseconds.
enum { FOLLOW_GRAIN = 1024 };

// ---------------------------------------------------------------------------------------------
// Places

static double size_of(const float *points, uint32_t count) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < count; ++v) {
        low = sn_vec3_min(low, sn_vec3_load(points + 3 * (size_t)v));
        high = sn_vec3_max(high, sn_vec3_load(points + 3 * (size_t)v));
    }
    return count > 0 ? sn_vec3_distance(low, high) : 0;
}

// Of vertices in one place those whose surfaces look against the first one's make another.
static void part_surfaces(sni_layers_mesh *m, const float *normals, uint32_t *others) {
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        others[v] = SN_NONE;
    }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        uint32_t first = m->places[v];
        double along = sn_vec3_dot(sn_vec3_load(normals + 3 * (size_t)v),
                                   sn_vec3_load(normals + 3 * (size_t)first));
        if (along < facing) {
            others[first] = others[first] == SN_NONE ? v : others[first];
            m->places[v] = others[first];
        }
    }
}

static sn_status find_places(sni_layers_mesh *m, const sn_mesh *mesh, sn_error *error) {
    sn_context *context = m->context;
    float *normals = NULL;
    uint32_t *others = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, m->places, m->vertex_count);
    SNI_NEW(context, normals, 3 * (size_t)m->vertex_count);
    SNI_NEW(context, others, m->vertex_count);
    SN_TRY(sn_mesh_normals(mesh, m->rest, normals, error));
    SN_TRY(sni_weld_points(context, m->rest, m->vertex_count,
                           same_place * size_of(m->rest, m->vertex_count), m->places, NULL, error));
    part_surfaces(m, normals, others);
cleanup:
    sni_free(context, normals);
    sni_free(context, others);
    return status;
}

static sn_status weld(sni_layers_mesh *m, const sn_mesh *mesh, sn_error *error) {
    sn_triangles *triangles = NULL;
    sn_status status = SN_OK;
    SN_TRY(find_places(m, mesh, error));
    SN_TRY(sn_triangles_create(mesh, m->rest, &triangles, error));
    SNI_NEW(m->context, m->triangles, 3 * (size_t)triangles->count);
    m->triangle_count =
        sni_weld_triangles(m->places, triangles->vertices, triangles->count, m->triangles, NULL);
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Columns

static void number_columns(sni_layers_mesh *m, const uint32_t *numbers) {
    for (uint32_t i = 0; i < m->column_count; ++i) {
        memcpy(m->points + 3 * (size_t)i, m->rest + 3 * (size_t)m->columns[i],
               3 * sizeof *m->points);
    }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->owns[v] = numbers[m->places[v]];
    }
}

static sn_status take_all_places(sni_layers_mesh *m, sn_error *error) {
    sn_context *context = m->context;
    uint32_t *numbers = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, numbers, m->vertex_count);
    SNI_NEW(context, m->columns, m->vertex_count);
    SNI_NEW(context, m->points, 3 * (size_t)m->vertex_count);
    SNI_NEW(context, m->column_triangles, 3 * (size_t)m->triangle_count);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        if (m->places[v] == v) {
            numbers[v] = m->column_count;
            m->columns[m->column_count++] = v;
        }
    }
    m->column_triangle_count = m->triangle_count;
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i) {
        m->column_triangles[i] = numbers[m->triangles[i]];
    }
    m->is_whole = true;
    number_columns(m, numbers);
cleanup:
    sni_free(context, numbers);
    return status;
}

// The vertex of each new one's cell that is nearest to where simplification has put it.
static void choose_vertices(sni_layers_mesh *m, const sn_decimated *d, double *nearest) {
    for (uint32_t i = 0; i < d->vertex_count; ++i) {
        m->columns[i] = d->vertex_origins[i];
        nearest[i] = INFINITY;
    }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        uint32_t i = d->vertex_map[v];
        if (i == SN_NONE || m->places[v] != v) {
            continue;
        }
        double distance = sn_vec3_distance(sn_vec3_load(m->rest + 3 * (size_t)v),
                                           sn_vec3_load(d->positions + 3 * (size_t)i));
        if (distance < nearest[i]) {
            nearest[i] = distance;
            m->columns[i] = v;
        }
    }
}

// Places that no triangle has are columns, too: nothing else would move them.
static sn_status take_some_places(sni_layers_mesh *m, const sn_decimated *d, sn_error *error) {
    sn_context *context = m->context;
    uint32_t *numbers = NULL;
    double *nearest = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, numbers, m->vertex_count);
    SNI_NEW(context, nearest, d->vertex_count);
    SNI_NEW(context, m->columns, m->vertex_count);
    SNI_NEW(context, m->column_triangles, 3 * (size_t)d->triangle_count);
    choose_vertices(m, d, nearest);
    m->column_count = d->vertex_count;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        numbers[v] = d->vertex_map[v];
        if (numbers[v] == SN_NONE && m->places[v] == v) {
            numbers[v] = m->column_count;
            m->columns[m->column_count++] = v;
        }
    }
    SNI_NEW(context, m->points, 3 * (size_t)m->column_count);
    m->column_triangle_count = d->triangle_count;
    memcpy(m->column_triangles, d->vertices,
           3 * (size_t)d->triangle_count * sizeof *m->column_triangles);
    number_columns(m, numbers);
cleanup:
    sni_free(context, numbers);
    sni_free(context, nearest);
    return status;
}

static sn_status thin_out(sni_layers_mesh *m, const sni_layers_mesh_desc *from,
                          const sn_progress *progress, sn_error *error) {
    sn_decimated *decimated = NULL;
    float *detail = NULL;
    uint8_t *kept = NULL;
    sn_decimate_desc desc = sn_decimate_desc_default();
    sni_layers_density_desc density = {.mesh = from->mesh,
                                       .rest = m->rest,
                                       .places = m->places,
                                       .triangle_count = m->triangle_count,
                                       .triangles = m->triangles,
                                       .tied_count = from->tied_count,
                                       .tied = from->tied,
                                       .spread = from->spread,
                                       .most_kept = (uint32_t)(most_kept * from->most_columns)};
    sn_status status = SN_OK;
    SNI_NEW(m->context, detail, m->vertex_count);
    SNI_NEW(m->context, kept, m->vertex_count);
    SN_TRY(sni_layers_density_make(m->context, &density, detail, kept, error));
    for (uint32_t i = 0; i < from->pin_count; ++i) {
        kept[m->places[from->pins[i]]] = 1;
    }
    desc.positions = m->rest;
    desc.vertex_count = m->vertex_count;
    desc.vertices = m->triangles;
    desc.triangle_count = m->triangle_count;
    desc.locked = kept;
    desc.detail = detail;
    desc.regularity = regularity;
    desc.min_quality = least_quality;
    desc.target_vertices = from->most_columns;
    SN_TRY(sn_decimate(m->context, &desc, progress, &decimated, error));
    SN_TRY(take_some_places(m, decimated, error));
cleanup:
    sn_decimated_destroy(decimated);
    sni_free(m->context, detail);
    sni_free(m->context, kept);
    return status;
}

static sn_status choose_columns(sni_layers_mesh *m, const sni_layers_mesh_desc *desc,
                                const sn_progress *progress, sn_error *error) {
    uint32_t places = 0;
    sn_status status = SN_OK;
    SNI_NEW(m->context, m->owns, m->vertex_count);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        places += m->places[v] == v;
    }
    SN_TRY(places <= desc->most_columns ? take_all_places(m, error)
                                        : thin_out(m, desc, progress, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Vertices that follow

typedef struct near_column {
    double distance;
    uint32_t column;
} near_column;

static int compare_near(const void *a, const void *b) {
    const near_column *x = a, *y = b;
    if (x->distance != y->distance) {
        return x->distance < y->distance ? -1 : 1;
    }
    return (x->column > y->column) - (x->column < y->column);
}

// Columns of two rings around one, itself first; at most `room`.
static uint32_t collect_rings(const sni_surface_graph *g, uint32_t own, uint32_t *found,
                              uint32_t room) {
    uint32_t count = 0, first = 0;
    found[count++] = own;
    for (int ring = 0; ring < 2; ++ring) {
        uint32_t end = count;
        for (uint32_t i = first; i < end; ++i) {
            for (uint32_t k = g->starts[found[i]]; k < g->starts[found[i] + 1]; ++k) {
                uint32_t other = g->neighbours[k], seen = 0;
                while (seen < count && found[seen] != other) {
                    ++seen;
                }
                if (seen == count && count < room) {
                    found[count++] = other;
                }
            }
        }
        first = end;
    }
    return count;
}

enum { RINGS_MOST = 96 };

// The columns that a vertex follows, and how much; returns how many.
static uint32_t find_followed(const sni_layers_mesh *m, uint32_t v, uint32_t *columns,
                              float *weights) {
    uint32_t found[RINGS_MOST], own = m->owns[v];
    columns[0] = own;
    weights[0] = 1;
    if (m->columns[own] == m->places[v]) {
        return 1;
    }
    near_column near[RINGS_MOST];
    uint32_t count = collect_rings(&m->graph, own, found, RINGS_MOST);
    sn_vec3 at = sn_vec3_load(m->rest + 3 * (size_t)v);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 to = sn_vec3_load(m->points + 3 * (size_t)found[i]);
        near[i] = (near_column){sn_vec3_distance(at, to), found[i]};
    }
    qsort(near, count, sizeof *near, compare_near);
    uint32_t used = count <= SNI_LAYERS_FOLLOWED ? count : SNI_LAYERS_FOLLOWED;
    double reach = used < count ? near[used].distance : 1.2 * near[count - 1].distance, sum = 0;
    for (uint32_t i = 0; i < used; ++i) {
        double part = near[i].distance / fmax(reach, 1e-30), falloff = fmax(1 - part * part, 0);
        columns[i] = near[i].column;
        weights[i] = (float)(falloff * falloff);
        sum += (double)weights[i];
    }
    if (!(sum > 0)) {
        weights[0] = 1;
        return 1;
    }
    for (uint32_t i = 0; i < used; ++i) {
        weights[i] = (float)((double)weights[i] / sum);
    }
    return used;
}

static sn_status find_all_followed(sni_layers_mesh *m, sn_error *error) {
    sn_status status = SN_OK;
    size_t most = (m->is_whole ? 1 : SNI_LAYERS_FOLLOWED) * (size_t)m->vertex_count;
    SNI_NEW(m->context, m->follow_starts, (size_t)m->vertex_count + 1);
    SNI_NEW(m->context, m->follow_columns, most);
    SNI_NEW(m->context, m->follow_weights, most);
    m->follow_starts[0] = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        uint32_t at = m->follow_starts[v];
        m->follow_starts[v + 1] =
            at + find_followed(m, v, m->follow_columns + at, m->follow_weights + at);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// All of it

sn_status sni_layers_mesh_init(sn_context *context, const sni_layers_mesh_desc *desc,
                               const sn_progress *progress, sni_layers_mesh *m, sn_error *error) {
    const sn_mesh *mesh = desc->mesh;
    sn_status status = SN_OK;
    *m = (sni_layers_mesh){.context = context, .vertex_count = mesh->vertex_count};
    SNI_NEW(context, m->rest, 3 * (size_t)mesh->vertex_count);
    memcpy(m->rest, desc->rest, 3 * (size_t)mesh->vertex_count * sizeof *m->rest);
    SN_TRY(weld(m, mesh, error));
    SN_TRY(choose_columns(m, desc, progress, error));
    SN_TRY(sni_surface_graph_init(context, m->column_count, m->points, m->column_triangle_count,
                                  m->column_triangles, &m->graph, error));
    SNI_NEW(context, m->around_starts, (size_t)m->column_count + 1);
    SNI_NEW(context, m->around, 3 * (size_t)m->column_triangle_count);
    sni_rows_from_keys(m->column_triangles, m->column_triangle_count, 3, m->column_count,
                       m->around_starts, m->around);
    SN_TRY(find_all_followed(m, error));
    return SN_OK;
cleanup:
    sni_layers_mesh_deinit(m);
    return status;
}

void sni_layers_mesh_deinit(sni_layers_mesh *m) {
    if (m->context == NULL) {
        return;
    }
    void *arrays[] = {m->rest,           m->triangles,      m->places,           m->columns,
                      m->owns,           m->points,         m->column_triangles, m->follow_starts,
                      m->follow_columns, m->follow_weights, m->around_starts,    m->around};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(m->context, arrays[i]);
    }
    sni_surface_graph_deinit(&m->graph);
    *m = (sni_layers_mesh){0};
}

size_t sni_layers_mesh_bytes(const sni_layers_mesh *m) {
    size_t vertices = m->vertex_count, columns = m->column_count;
    return vertices * (3 * sizeof(float) + 3 * sizeof(uint32_t)) + columns * 4 * sizeof(float) +
           3 * ((size_t)m->triangle_count + m->column_triangle_count) * sizeof(uint32_t) +
           (columns + 1 + 2 * (size_t)m->graph.starts[columns]) * sizeof(uint32_t) +
           2 * (size_t)m->follow_starts[vertices] * sizeof(uint32_t) +
           (columns + 1 + 3 * (size_t)m->column_triangle_count) * sizeof(uint32_t);
}

// ---------------------------------------------------------------------------------------------
// Shapes

typedef struct normal_run {
    const sni_layers_mesh *mesh;
    const float *points;
    uint32_t stride;
    float *normals;
} normal_run;

static void normal_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const normal_run *run = user;
    const sni_layers_mesh *m = run->mesh;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t k = m->around_starts[i]; k < m->around_starts[i + 1]; ++k) {
            const uint32_t *v = m->column_triangles + 3 * (size_t)m->around[k];
            sn_vec3 p[3];
            for (int c = 0; c < 3; ++c) {
                p[c] = sn_vec3_load(run->points + (size_t)run->stride * v[c]);
            }
            sum = sn_vec3_add(sum, sni_triangle_vector(p[0], p[1], p[2]));
        }
        sn_vec3_store(sn_vec3_normalize_or(sum, sn_vec3_make(0, 1, 0)),
                      run->normals + 3 * (size_t)i);
    }
}

void sni_layers_normals(const sni_layers_mesh *m, const float *points, uint32_t stride,
                        float *normals) {
    normal_run run = {m, points, stride, normals};
    sn_parallel_for(m->context, m->column_count, FOLLOW_GRAIN, normal_block, &run);
}

double sni_layers_edge(const sni_layers_mesh *m, uint32_t column) {
    const sni_surface_graph *g = &m->graph;
    double sum = 0;
    for (uint32_t k = g->starts[column]; k < g->starts[column + 1]; ++k) {
        sum += (double)g->lengths[k];
    }
    uint32_t count = g->starts[column + 1] - g->starts[column];
    return count > 0 ? sum / count : 0;
}

// ---------------------------------------------------------------------------------------------
// Following

typedef struct follow_run {
    const sni_layers_mesh *mesh;
    const float *rest, *skin, *rotations;
    float *vertices;
} follow_run;

static void follow_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const follow_run *run = user;
    const sni_layers_mesh *m = run->mesh;
    for (uint32_t v = begin; v < end; ++v) {
        sn_vec3 at = sn_vec3_load(run->rest + 3 * (size_t)v), sum = {0, 0, 0};
        for (uint32_t k = m->follow_starts[v]; k < m->follow_starts[v + 1]; ++k) {
            uint32_t column = m->follow_columns[k];
            const float *q = run->rotations + 4 * (size_t)column;
            sn_vec3 off = sn_vec3_sub(at, sn_vec3_load(m->points + 3 * (size_t)column));
            sn_vec3 x = sn_vec3_load(run->skin + 4 * (size_t)column);
            if (off.x != 0 || off.y != 0 || off.z != 0) {
                x = sn_vec3_add(x, sn_quat_rotate((sn_quat){q[0], q[1], q[2], q[3]}, off));
            }
            sum = sn_vec3_add_scaled(sum, (double)m->follow_weights[k], x);
        }
        sn_vec3_store(sum, run->vertices + 3 * (size_t)v);
    }
}

void sni_layers_mesh_follow(const sni_layers_mesh *m, const float *rest, const float *skin,
                            const float *rotations, float *vertices) {
    follow_run run = {m, rest != NULL ? rest : m->rest, skin, rotations, vertices};
    sn_parallel_for(m->context, m->vertex_count, FOLLOW_GRAIN, follow_block, &run);
}
