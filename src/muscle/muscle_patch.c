// SPDX-License-Identifier: Apache-2.0
//
// The `patch` muscle: a B-spline surface between two curves on the skin (docs/curves.md), after
// Watkins, Automatic Creation of Real-Time Muscle Systems (2004), chapter 3.
//
// Its grid is carried by the weights of the skin at the curves' points, interpolated along the
// curves and across, or by one segment. Both are matrices M - I for the 2 x count_v points under
// the curves; what lies between takes their mean, which is the same as the mean of the weights.
//
// The points of the grid, posed, contracted and with their thickness, are places of the surface:
// its control points are those whose surface passes through them. So depth and thickness are those
// that were asked for on the surface itself: f is quadratic, and splines reproduce it.
#include "muscle/patch/patch.h"

#include <math.h>
#include <string.h>

static const char *const curve_choices[] = {"open", "closed", NULL};
static const char *const normal_choices[] = {"skin", "curves", NULL};
static const char *const way_choices[] = {"auto", "skin", "straight", NULL};

static const sn_parameter parameters[SNI_PATCH_PARAMETER_COUNT] = {
    [SNI_PATCH_SKIN_THICKNESS] = {.name = "skin_thickness",
                                  .title = "Depth below skin",
                                  .help = "How deep the top of the muscle lies below the skin; "
                                          "0.06 of the muscle's width when not given",
                                  .unit = "m",
                                  .low = 0,
                                  .standard = NAN,
                                  .high = 1000,
                                  .usual = 0.02},
    [SNI_PATCH_MUSCLE_THICKNESS] = {.name = "muscle_thickness",
                                    .title = "Half thickness",
                                    .help = "Half of the muscle's thickness where it is thickest; "
                                            "0.3 of the muscle's width when not given",
                                    .unit = "m",
                                    .low = 0,
                                    .standard = NAN,
                                    .high = 1000,
                                    .usual = 0.05},
    [SNI_PATCH_DEGREE] = {.name = "degree",
                          .help = "Degree of the muscle's B-spline surface",
                          .unit = "",
                          .low = 1,
                          .standard = 3,
                          .high = SNI_NURBS_DEGREE,
                          .whole = true},
    [SNI_PATCH_PATCHES_U] =
        {.name = "patches_u",
         .help = "Number of patches across the muscle, from the first curve to the second",
         .unit = "",
         .low = 1,
         .standard = 3,
         .high = 256,
         .title = "Patches across",
         .whole = true,
         .usual = 12},
    [SNI_PATCH_PATCHES_V] = {.name = "patches_v",
                             .help = "Number of patches along the muscle, from origin to insertion",
                             .unit = "",
                             .low = 1,
                             .standard = 5,
                             .high = 256,
                             .title = "Patches along",
                             .whole = true,
                             .usual = 20},
    [SNI_PATCH_BULGE] = {.name = "bulge",
                         .help = "How much thicker the muscle gets at full contraction, as a "
                                 "multiple of its thickness at rest",
                         .unit = "",
                         .low = 0,
                         .standard = 2,
                         .high = 100,
                         .usual = 5,
                         .live = true},
    [SNI_PATCH_CURVES] =
        {.name = "ends",
         .help = "Whether the two curves are open, or closed rings that make a sphincter",
         .low = 0,
         .standard = SNI_PATCH_OPEN,
         .high = 1,
         .choices = curve_choices},
    [SNI_PATCH_NORMALS] =
        {.name = "normals",
         .help = "Which normals lead from the skin down to the muscle: those of the skin, or, for "
                 "a jagged skin or a deep muscle, those of the quads between the curves",
         .low = 0,
         .standard = SNI_PATCH_SKIN_NORMALS,
         .high = 1,
         .choices = normal_choices},
    [SNI_PATCH_BONE_SHARE] = {.name = "bone_share",
                              .title = "Bone radius",
                              .help = "How much of the distance from the axis of a limb to its "
                                      "skin is bone, where the muscle lies on the skeleton",
                              .unit = "",
                              .low = 0,
                              .standard = 0.4,
                              .high = 1},
    [SNI_PATCH_WAY] = {.name = "way",
                       .title = "Path to centre",
                       .help = "How the points of a sphincter move to its centre: along the skin, "
                               "straight, or as its shape demands (auto)",
                       .low = 0,
                       .standard = SNI_PATCH_WAY_AUTO,
                       .high = 2,
                       .choices = way_choices},
};

// A drawing tells how large a muscle is, on a toy as on a giant. In proportion to its width it is
// as deep as the biceps of the shipped arm.
double sni_patch_part_of_width(uint32_t parameter) {
    static const double parts[SNI_PATCH_PARAMETER_COUNT] = {
        [SNI_PATCH_SKIN_THICKNESS] = 0.06,
        [SNI_PATCH_MUSCLE_THICKNESS] = 0.3,
    };
    return parameter < SNI_PATCH_PARAMETER_COUNT ? parts[parameter] : 0;
}

// A segment that carries, and the way back from its rest state.
typedef struct carrier {
    uint32_t segment;
    sn_mat4 inverse_rest;
} carrier;

typedef struct patch {
    sni_patch_grid grid;
    char *name;
    uint32_t degree;
    double *knots[2];
    sni_patch_spline splines[2];
    double *points;   // control points of the relaxed surface at rest
    double thickness; // the greatest
    uint32_t segment_count;
    uint32_t carrier_count; // 0: it stays where it is
    carrier *carriers;
    // Weights of the 2 x count_v points under the curves on the carriers.
    uint32_t *offsets;
    uint32_t *elements;
    double *weights;
} patch;

static void patch_unbind(sn_context *context, void *bound) {
    patch *p = bound;
    if (p == NULL) {
        return;
    }
    sni_patch_grid_deinit(context, &p->grid);
    sni_free(context, p->name);
    sni_free(context, p->knots[0]);
    sni_free(context, p->knots[1]);
    sni_patch_spline_deinit(context, &p->splines[0]);
    sni_patch_spline_deinit(context, &p->splines[1]);
    sni_free(context, p->points);
    sni_free(context, p->carriers);
    sni_free(context, p->offsets);
    sni_free(context, p->elements);
    sni_free(context, p->weights);
    sni_free(context, p);
}

// ---------------------------------------------------------------------------------------------
// What carries it

static sn_status invert_rest(const sni_muscle_job *job, uint32_t segment, sn_mat4 *inverse,
                             sn_error *error) {
    if (!sn_mat4_invert(&job->rest_worlds[segment], inverse)) {
        return sni_fail(error, SN_INVALID,
                        "%s: the rest matrix of segment %u is flat and has no inverse",
                        job->name != NULL ? job->name : "muscle", segment);
    }
    return SN_OK;
}

static sn_status bind_segment(const sni_muscle_job *job, patch *p, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t rows = 2 * p->grid.count_v;
    SNI_NEW(job->context, p->carriers, 1);
    SNI_NEW(job->context, p->offsets, (size_t)rows + 1);
    SNI_NEW(job->context, p->elements, rows);
    SNI_NEW(job->context, p->weights, rows);
    p->carrier_count = 1;
    p->carriers[0].segment = sni_patch_skin(job)->segment;
    for (uint32_t row = 0; row < rows; ++row) {
        p->offsets[row] = row;
        p->elements[row] = 0;
        p->weights[row] = 1;
    }
    p->offsets[rows] = rows;
    SN_TRY(invert_rest(job, sni_patch_skin(job)->segment, &p->carriers[0].inverse_rest, error));
    // Where the skin was bound to the segment elsewhere than at rest, that counts.
    const sn_weights *skin = sni_patch_skin(job)->mesh->weights;
    for (uint32_t bone = 0; skin != NULL && skin->inverse_bind != NULL &&
                            sni_patch_skin(job)->bone_segments != NULL && bone < skin->bone_count;
         ++bone) {
        if (sni_patch_skin(job)->bone_segments[bone] == sni_patch_skin(job)->segment) {
            p->carriers[0].inverse_rest = skin->inverse_bind[bone];
            break;
        }
    }
cleanup:
    return status;
}

// Adds a place's weights, times `factor`, to one sum for each bone. A vertex' weights count with
// the sum 1, as skinning takes them.
static void add_place(const sni_muscle_job *job, const sni_skin_place *place, double factor,
                      double *sums) {
    const sn_weights *weights = sni_patch_skin(job)->mesh->weights;
    for (int corner = 0; corner < 3; ++corner) {
        uint32_t v =
            sni_patch_skin(job)->triangles->vertices[3 * (size_t)place->triangle + (size_t)corner];
        double total = 0;
        for (uint32_t e = weights->offsets[v]; e < weights->offsets[v + 1]; ++e) {
            total += weights->values[e];
        }
        double share = total > 0 ? factor * fmax(place->barycentric[corner], 0) / total : 0;
        for (uint32_t e = weights->offsets[v]; e < weights->offsets[v + 1]; ++e) {
            sums[weights->bones[e]] += share * weights->values[e];
        }
    }
}

// One row of weights into `sums`.
static void sum_row(const sni_muscle_job *job, const patch *p, uint32_t row, double *sums) {
    const sni_patch_sample *s = &p->grid.samples[row];
    const sni_muscle_curve *curve = &sni_patch_skin(job)->curves[row / p->grid.count_v];
    memset(sums, 0, sni_patch_skin(job)->mesh->weights->bone_count * sizeof *sums);
    add_place(job, &curve->places[s->from % curve->count], 1 - s->fraction, sums);
    add_place(job, &curve->places[s->to % curve->count], s->fraction, sums);
}

static sn_status bind_weights(const sni_muscle_job *job, patch *p, sn_error *error) {
    sn_status status = SN_OK;
    const sn_weights *weights = sni_patch_skin(job)->mesh->weights;
    uint32_t rows = 2 * p->grid.count_v;
    double *sums = NULL;
    SNI_NEW(job->context, sums, weights->bone_count);
    SNI_NEW(job->context, p->carriers, weights->bone_count);
    SNI_NEW(job->context, p->offsets, (size_t)rows + 1);
    size_t entries = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        sum_row(job, p, row, sums);
        for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
            entries += sums[bone] > 0;
        }
    }
    SNI_NEW(job->context, p->elements, entries);
    SNI_NEW(job->context, p->weights, entries);
    uint32_t entry = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        sum_row(job, p, row, sums);
        p->offsets[row] = entry;
        for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
            if (sums[bone] > 0) {
                p->elements[entry] = bone;
                p->weights[entry++] = sums[bone];
            }
        }
    }
    p->offsets[rows] = entry;
    p->carrier_count = weights->bone_count;
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        carrier *c = &p->carriers[bone];
        c->segment = sni_patch_skin(job)->bone_segments[bone];
        if (weights->inverse_bind != NULL) {
            c->inverse_rest = weights->inverse_bind[bone];
        } else {
            SN_TRY(invert_rest(job, c->segment, &c->inverse_rest, error));
        }
    }
cleanup:
    sni_free(job->context, sums);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Binding

static sni_nurbs nurbs_of(const patch *p, const double *points) {
    return (sni_nurbs){.degrees = {p->degree, p->degree},
                       .counts = {p->grid.count_u, p->grid.count_v},
                       .closed = {false, p->grid.closed},
                       .knots = {p->knots[0], p->knots[1]},
                       .points = points};
}

typedef struct raster {
    uint32_t rows, columns; // of vertices
    uint32_t quads_u, quads_v;
} raster;

static raster raster_of(const patch *p, uint32_t steps) {
    steps = steps > 0 ? steps : 1;
    raster r = {.quads_u = (p->grid.count_u - p->degree) * steps,
                .quads_v = (p->grid.count_v - (p->grid.closed ? 0 : p->degree)) * steps};
    r.rows = r.quads_u + 1;
    r.columns = r.quads_v + !p->grid.closed;
    return r;
}

static sn_vec3 raster_point(const sni_nurbs *nurbs, const raster *r, uint32_t i, uint32_t j) {
    return sni_nurbs_point(nurbs, (double)i / r->quads_u, (double)j / r->quads_v);
}

static sn_status make_splines(const sni_muscle_job *job, patch *p, sn_error *error) {
    sn_status status = SN_OK;
    const double *places[2] = {p->grid.places_u, p->grid.places_v};
    const uint32_t counts[2] = {p->grid.count_u, p->grid.count_v};
    for (int d = 0; d < 2; ++d) {
        bool closed = d == 1 && p->grid.closed;
        SNI_NEW(job->context, p->knots[d], sni_nurbs_knot_count(p->degree, counts[d], closed));
        sni_nurbs_uniform_knots(p->degree, counts[d], closed, p->knots[d]);
    }
    sni_nurbs nurbs = nurbs_of(p, NULL);
    for (int d = 0; d < 2; ++d) {
        SN_TRY(sni_patch_spline_init(job->context, &nurbs, d, places[d], &p->splines[d], error));
    }
cleanup:
    return status;
}

// The greatest thickness of the surface, which need not be at a point of the grid. `values` has
// room for control points.
static double greatest_thickness(const patch *p, double *values) {
    for (size_t k = 0; k < sni_patch_count(&p->grid); ++k) {
        memcpy(values + 3 * k, (double[3]){p->grid.thickness[k], 0, 0}, 3 * sizeof *values);
    }
    sni_patch_fit(p->splines, values);
    sni_nurbs heights = nurbs_of(p, values);
    raster r = raster_of(p, 4);
    double greatest = 0;
    for (uint32_t i = 0; i < r.rows; ++i) {
        for (uint32_t j = 0; j < r.columns; ++j) {
            greatest = fmax(greatest, raster_point(&heights, &r, i, j).x);
        }
    }
    return greatest;
}

static sn_status make_surface(const sni_muscle_job *job, patch *p, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = sni_patch_count(&p->grid);
    SN_TRY(make_splines(job, p, error));
    SNI_NEW(job->context, p->points, 3 * count);
    p->thickness = greatest_thickness(p, p->points);
    for (size_t k = 0; k < count; ++k) { // (3.5)
        sn_vec3 q = sn_vec3_add_scaled(p->grid.points[k], p->grid.thickness[k], p->grid.normals[k]);
        memcpy(p->points + 3 * k, (double[3]){q.x, q.y, q.z}, 3 * sizeof *p->points);
    }
    sni_patch_fit(p->splines, p->points);
cleanup:
    return status;
}

static sn_status patch_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    patch *p = NULL;
    *bound = NULL;
    SN_TRY(sni_muscle_job_validate(&sni_muscle_patch, job, error));
    SNI_NEW_ZERO(job->context, p, 1);
    p->degree = (uint32_t)job->parameters[SNI_PATCH_DEGREE];
    p->segment_count = job->segment_count;
    p->name = sni_string_copy(job->context, job->name != NULL ? job->name : "muscle");
    if (p->name == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sni_patch_generate(job, &p->grid, error));
    SN_TRY(make_surface(job, p, error));
    if (sni_patch_skin(job)->segment != SN_NONE) {
        SN_TRY(bind_segment(job, p, error));
    } else if (sni_patch_skin(job)->mesh->weights != NULL &&
               sni_patch_skin(job)->bone_segments != NULL) {
        SN_TRY(bind_weights(job, p, error));
    }
    *bound = p;
    return SN_OK;
cleanup:
    patch_unbind(job->context, p);
    return status;
}

static void patch_surface(const void *bound, sni_muscle_surface *surface) {
    const patch *p = bound;
    *surface = (sni_muscle_surface){.name = p->name,
                                    .nurbs = nurbs_of(p, p->points),
                                    .trace_count = p->grid.trace_count,
                                    .traces = p->grid.traces,
                                    .trace_spacing = p->grid.trace_spacing,
                                    .point_count = (uint32_t)sni_patch_count(&p->grid)};
}

// ---------------------------------------------------------------------------------------------
// Frames

static sn_status check_pose(const patch *p, const sni_muscle_pose_job *job, sn_error *error) {
    if (!(job->contraction >= 0 && job->contraction <= 1)) {
        return sni_fail(error, SN_INVALID, "%s: contraction is %g, but must be from 0 to 1",
                        p->name, job->contraction);
    }
    if (!(job->tension >= 0 && job->tension <= 1)) {
        return sni_fail(error, SN_INVALID, "%s: tension is %g, but must be from 0 to 1", p->name,
                        job->tension);
    }
    if (job->segment_count != p->segment_count || (p->carrier_count > 0 && job->worlds == NULL)) {
        return sni_fail(error, SN_INVALID, "%s: %u segments, but it was bound to %u", p->name,
                        job->worlds != NULL ? job->segment_count : 0, p->segment_count);
    }
    return SN_OK;
}

// M - I of every carrier, and their weighted sums for the points under the curves.
static void carry(const patch *p, const sn_mat4 *worlds, sn_mat4 *differences, sn_mat4 *matrices) {
    for (uint32_t k = 0; k < p->carrier_count; ++k) {
        const carrier *c = &p->carriers[k];
        differences[k] = sn_mat4_multiply(&worlds[c->segment], &c->inverse_rest);
        for (int i = 0; i < 4; ++i) {
            differences[k].m[5 * i] -= 1;
        }
    }
    for (uint32_t row = 0; row < 2 * p->grid.count_v; ++row) {
        matrices[row] = (sn_mat4){{0}};
        if (p->carrier_count == 0) {
            continue;
        }
        for (uint32_t e = p->offsets[row]; e < p->offsets[row + 1]; ++e) {
            for (int i = 0; i < 16; ++i) {
                matrices[row].m[i] += p->weights[e] * differences[p->elements[e]].m[i];
            }
        }
    }
}

// The grid with the bulge of this frame. False when memory runs out.
static bool find_grid(const patch *p, const sni_muscle_pose_job *job, sni_patch_grid *grid) {
    *grid = p->grid;
    if (job->parameters == NULL) {
        return true;
    }
    grid->bulge = sni_arena_alloc(job->arena, sni_patch_count(grid), sizeof *grid->bulge);
    for (size_t k = 0; grid->bulge != NULL && k < sni_patch_count(grid); ++k) {
        grid->bulge[k] = job->parameters[SNI_PATCH_BULGE] * grid->bulge_factors[k];
    }
    return grid->bulge != NULL;
}

static sn_status patch_pose(const void *bound, const sni_muscle_pose_job *job, sn_error *error) {
    const patch *p = bound;
    sn_status status = check_pose(p, job, error);
    if (status != SN_OK) {
        return status;
    }
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_mat4 *differences = sni_arena_alloc(job->arena, p->carrier_count, sizeof *differences);
    sn_mat4 *matrices = sni_arena_alloc(job->arena, 2 * (size_t)p->grid.count_v, sizeof *matrices);
    sni_patch_line line;
    sni_patch_grid grid;
    if (!find_grid(p, job, &grid) || !sni_patch_line_init(&line, &p->grid, job->arena) ||
        differences == NULL || matrices == NULL) {
        status = sni_fail_memory(error);
    } else {
        carry(p, job->worlds, differences, matrices);
        sni_patch_contract(&grid, matrices, 0, 0, &line, job->relaxed);
        sni_patch_contract(&grid, matrices, job->contraction, job->tension, &line, job->contracted);
        sni_patch_fit(p->splines, job->relaxed);
        sni_patch_fit(p->splines, job->contracted);
    }
    sni_arena_release(job->arena, mark);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Polygons and measures

static void patch_emit_points(const void *bound, uint32_t steps, const double *points,
                              float *positions) {
    enum { ROWS = 32 }; // whose bases are held at a time
    const patch *p = bound;
    raster r = raster_of(p, steps);
    sni_nurbs nurbs = nurbs_of(p, points);
    sni_nurbs_basis rows[ROWS], column;
    for (uint32_t first = 0; first < r.rows; first += ROWS) {
        uint32_t count = r.rows - first < ROWS ? r.rows - first : ROWS;
        for (uint32_t i = 0; i < count; ++i) {
            sni_nurbs_basis_at(&nurbs, 0, (double)(first + i) / r.quads_u, 0, &rows[i]);
        }
        for (uint32_t j = 0; j < r.columns; ++j) {
            sni_nurbs_basis_at(&nurbs, 1, (double)j / r.quads_v, 0, &column);
            for (uint32_t i = 0; i < count; ++i) {
                sn_vec3_store(sni_nurbs_point_of(&nurbs, &rows[i], &column),
                              positions + 3 * ((size_t)(first + i) * r.columns + j));
            }
        }
    }
}

// Whether u x v points out of the body, as the normals of the grid do.
static bool points_outwards(const patch *p) {
    sni_nurbs nurbs = nurbs_of(p, p->points);
    sni_nurbs_jet jet;
    sni_nurbs_derivatives(&nurbs, 0.5, 0.5, &jet);
    sn_vec3 n = p->grid.normals[(p->grid.count_u / 2) * p->grid.count_v + p->grid.count_v / 2];
    return sn_vec3_dot(sn_vec3_cross(jet.su, jet.sv), n) >= 0;
}

static sn_status patch_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                    sn_mesh **mesh, sn_error *error) {
    const patch *p = bound;
    raster r = raster_of(p, steps);
    uint64_t vertices = (uint64_t)r.rows * r.columns, faces = (uint64_t)r.quads_u * r.quads_v;
    *mesh = NULL;
    if (steps > 4096 || faces > UINT32_MAX / 4 || vertices > UINT32_MAX) {
        return sni_fail(error, SN_LIMIT, "%s: %u steps would give too many polygons", p->name,
                        steps);
    }
    sn_status status = sn_mesh_create(context, p->name, (uint32_t)vertices, (uint32_t)faces,
                                      (uint32_t)(4 * faces), mesh, error);
    if (status != SN_OK) {
        return status;
    }
    patch_emit_points(bound, steps, p->points, (*mesh)->positions);
    bool outwards = points_outwards(p);
    uint32_t *corners = (*mesh)->corners;
    uint32_t *ends = (*mesh)->face_offsets + 1;
    for (uint32_t i = 0; i < r.quads_u; ++i) {
        for (uint32_t j = 0; j < r.quads_v; ++j) {
            uint32_t first = i * r.columns, next = j + 1 < r.columns ? j + 1 : 0;
            uint32_t quad[4] = {first + j, first + r.columns + j, first + r.columns + next,
                                first + next};
            for (uint32_t c = 0; c < 4; ++c) {
                *corners++ = quad[outwards ? c : 3 - c];
            }
            *ends++ = (uint32_t)(corners - (*mesh)->corners);
        }
    }
    return SN_OK;
}

static double surface_area(const patch *p, const double *points) {
    raster r = raster_of(p, 4);
    sni_nurbs nurbs = nurbs_of(p, points);
    double area = 0;
    for (uint32_t i = 0; i < r.quads_u; ++i) {
        for (uint32_t j = 0; j < r.quads_v; ++j) {
            sn_vec3 a = raster_point(&nurbs, &r, i, j), b = raster_point(&nurbs, &r, i + 1, j);
            sn_vec3 c = raster_point(&nurbs, &r, i + 1, j + 1);
            sn_vec3 d = raster_point(&nurbs, &r, i, j + 1);
            area += sn_vec3_length(sn_vec3_cross(sn_vec3_sub(c, a), sn_vec3_sub(d, b))) / 2;
        }
    }
    return area;
}

// The mean length of the surface's lines along v.
static double mean_length(const patch *p, const double *points) {
    raster r = raster_of(p, 4);
    sni_nurbs nurbs = nurbs_of(p, points);
    double sum = 0;
    for (uint32_t i = 0; i < r.rows; ++i) {
        for (uint32_t j = 0; j < r.quads_v; ++j) {
            sum += sn_vec3_distance(raster_point(&nurbs, &r, i, j),
                                    raster_point(&nurbs, &r, i, j + 1));
        }
    }
    return sum / r.rows;
}

static void patch_measure(const void *bound, const double *points, sni_muscle_measure *measure) {
    const patch *p = bound;
    const double *now = points != NULL ? points : p->points;
    *measure = (sni_muscle_measure){.length = mean_length(p, now),
                                    .area = surface_area(p, now),
                                    .thickness = p->thickness,
                                    .rest_length = mean_length(p, p->points),
                                    .grid_points = (uint32_t)sni_patch_count(&p->grid),
                                    .without_hit = p->grid.without_hit,
                                    .too_deep = p->grid.too_deep,
                                    .without_inner = p->grid.without_inner,
                                    .folded = p->grid.folded};
}

static size_t patch_bytes(const void *bound) {
    const patch *p = bound;
    size_t count = sni_patch_count(&p->grid), rows = 2 * (size_t)p->grid.count_v;
    size_t entries = p->carrier_count > 0 ? p->offsets[rows] : 0;
    size_t squares = (size_t)p->grid.count_u * p->grid.count_u +
                     (size_t)p->grid.count_v * p->grid.count_v; // of the splines
    return sizeof *p + count * (2 * sizeof(sn_vec3) + 7 * sizeof(double)) +
           squares * sizeof(double) + count * sizeof(sni_muscle_trace) +
           rows * sizeof(sni_patch_sample) + entries * (sizeof *p->elements + sizeof *p->weights) +
           p->carrier_count * sizeof *p->carriers;
}

const sni_muscle_ops sni_muscle_patch = {
    .name = "patch",
    .contracts = true,
    .is_followed = true,
    .inputs = {[SNI_PATCH_DRAWN] = {&sni_input_drawn, true},
               [SNI_PATCH_VARY] = {&sni_input_vary, false},
               [SNI_PATCH_INNER] = {&sni_input_inner, false}},
    .help = "A surface between two curves on the skin that shortens and bulges",
    .parameters = SNI_PARAMETERS(parameters),
    .bind = patch_bind,
    .unbind = patch_unbind,
    .surface = patch_surface,
    .pose = patch_pose,
    .emit_surface = patch_emit_surface,
    .emit_points = patch_emit_points,
    .measure = patch_measure,
    .bytes = patch_bytes,
};
