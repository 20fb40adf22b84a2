// SPDX-License-Identifier: Apache-2.0
//
// The `mesh` muscle: a given surface that lies on strips, each of them a cylinder muscle whose
// sections are rings of four points. The surface follows the sections (cover.h); one factor common
// to all interior sections keeps its volume. docs/muscle-mesh.md.
//
// Control points are those of the strips, one strip after the other (rings.h), and last what the
// pose found: volume, factor, 0.
#include "muscle/cover.h"
#include "muscle/cylinder/cylinder.h"

#include "base/context.h"
#include "geometry/closed.h"
#include "kind/component.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A surface with less volume than this, of a cube with its area to the 1.5, counts as open.
static const double least_volume = 1e-6;
// Strips whose mean distance from the surface is more than this part of its size are a mistake.
static const double far_off = 0.25;

// A surface is moved along its normals to make up for at most this part of its volume.
static const double most_pushed = 0.5;

enum { RING = 4 };

typedef struct strip {
    sni_cylinder *cylinder;
    uint32_t first_point; // of the control points
    uint32_t first_slice; // of all slices
    uint32_t first_pivot; // of the pivots of all strips
} strip;

typedef struct mesh_muscle {
    char *name;
    uint32_t strip_count;
    strip *strips;
    sni_component_strip *rows; // strip_count
    uint32_t slice_count;      // of all strips
    uint32_t *slice_points;    // slice_count: the first point of each
    uint32_t pivot_count;      // of all strips
    uint32_t point_count;
    double *points;      // point_count x 3: at rest
    float *strip_points; // the same as floats
    sni_cover *cover;
    sn_mesh *mesh;
    bool closed;  // it has a volume to keep
    bool carried; // by `segment`
    uint32_t segment;
    double rest_length, rest_volume, rest_area;
    double thickness; // of the thickest slice
    double slope;     // of volume by factor at rest, relative
} mesh_muscle;

static void mesh_unbind(sn_context *context, void *bound) {
    mesh_muscle *m = bound;
    if (m == NULL) {
        return;
    }
    for (uint32_t i = 0; m->strips != NULL && i < m->strip_count; ++i) {
        sni_cylinder_destroy(context, m->strips[i].cylinder);
    }
    sni_free(context, m->name);
    sni_free(context, m->strips);
    sni_free(context, m->rows);
    sni_free(context, m->slice_points);
    sni_free(context, m->points);
    sni_free(context, m->strip_points);
    sni_cover_destroy(m->cover);
    sn_mesh_destroy(m->mesh);
    sni_free(context, m);
}

// --- Strips

static const sni_strips_input *strips_of(const sni_muscle_job *job) {
    return job->inputs[0];
}

// A strip is a cylinder of rings of four whose own volume is not looked at.
static sn_status bind_strip(const sni_muscle_job *job, uint32_t index, strip *made,
                            sn_error *error) {
    const sni_muscle_strip *from = &strips_of(job)->strips[index];
    double parameters[SNI_CYLINDER_PARAMETER_COUNT];
    char name[256];
    memcpy(parameters, from->parameters, sizeof parameters);
    parameters[SNI_CYLINDER_POINTS] = RING;
    parameters[SNI_CYLINDER_VOLUME] = 0;
    snprintf(name, sizeof name, "%s, strip %u", job->name, index + 1);
    sni_muscle_job cylinder = {.context = job->context,
                               .name = name,
                               .parameters = parameters,
                               .segment_count = job->segment_count,
                               .rest_worlds = job->rest_worlds,
                               .inputs = {&from->body}};
    return sni_cylinder_create(&cylinder, &made->cylinder, error);
}

static sn_status make_strips(const sni_muscle_job *job, mesh_muscle *m, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = strips_of(job)->strip_count;
    SNI_NEW_ZERO(job->context, m->strips, count);
    m->strip_count = count;
    SNI_NEW(job->context, m->rows, count);
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(bind_strip(job, i, &m->strips[i], error));
        const sni_cylinder *c = m->strips[i].cylinder;
        m->strips[i].first_point = m->point_count;
        m->strips[i].first_slice = m->slice_count;
        m->strips[i].first_pivot = m->pivot_count;
        m->pivot_count += strips_of(job)->strips[i].body.pivot_count;
        m->rows[i] = (sni_component_strip){m->point_count, c->rings.slice_count};
        m->point_count += sni_rings_point_count(&c->rings);
        m->slice_count += c->rings.slice_count;
        for (uint32_t k = 0; k < c->rings.slice_count; ++k) {
            m->thickness = fmax(m->thickness, c->slices[k].thickness);
        }
    }
    m->point_count++; // what a pose found
    SNI_NEW(job->context, m->slice_points, m->slice_count);
    for (uint32_t i = 0; i < m->strip_count; ++i) {
        for (uint32_t k = 0; k < m->rows[i].slice_count; ++k) {
            m->slice_points[m->strips[i].first_slice + k] = m->rows[i].first + RING * k;
        }
    }
cleanup:
    return status;
}

// Whether all strips are held by one segment. Pivots may move in it, and bodies to go around be on
// others.
static bool find_carrier(const mesh_muscle *m, uint32_t *segment) {
    *segment = m->strips[0].cylinder->home;
    for (uint32_t i = 0; i < 4 * m->strip_count; ++i) {
        const sni_cylinder *c = m->strips[i / 4].cylinder;
        if (c->places[i / 2 % 2][i % 2].segment != *segment || c->wrap_count > 0) {
            return false;
        }
    }
    return m->pivot_count == 0;
}

// --- Sections in a pose

// Where the strips are in a pose; the paths lie in the arena.
static sn_status find_paths(const mesh_muscle *m, const sni_muscle_pose_job *job,
                            sni_cylinder_path **paths, sn_error *error) {
    *paths = sni_arena_alloc(job->arena, m->strip_count, sizeof **paths);
    sn_status status = *paths != NULL ? SN_OK : sni_fail_memory(error);
    const sni_muscle_pivot_place *pivots = sni_job_pivots(job);
    for (uint32_t i = 0; i < m->strip_count && status == SN_OK; ++i) {
        const sni_muscle_pivot_place *own =
            pivots != NULL ? pivots + m->strips[i].first_pivot : NULL;
        status = sni_cylinder_place(m->strips[i].cylinder, job, own, &(*paths)[i], error);
    }
    return status;
}

// Control points with sections larger by `factor` than the strips' lengths ask for.
static void shape_strips(const mesh_muscle *m, const sni_cylinder_path *paths, double factor,
                         double *points) {
    for (uint32_t i = 0; i < m->strip_count; ++i) {
        sni_cylinder_write(m->strips[i].cylinder, &paths[i], factor,
                           points + 3 * (size_t)m->strips[i].first_point);
    }
}

// A strip on one segment holds the surface there; it says nothing of how long the muscle is.
static bool is_still(const sni_cylinder *c) {
    bool still = c->node_count == 2 && c->wrap_count == 0;
    for (uint32_t i = 0; i < 4; ++i) {
        still = still && c->places[i / 2][i % 2].segment == c->home;
    }
    return still;
}

// Of the strips that can become longer, or of all where none can.
static double mean_length(const mesh_muscle *m, const double *points) {
    double moving = 0, all = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->strip_count; ++i) {
        const sni_cylinder *c = m->strips[i].cylinder;
        double length = sni_rings_length(&c->rings, points + 3 * (size_t)m->strips[i].first_point);
        bool still = is_still(c);
        all += length;
        moving += still ? 0 : length;
        count += !still;
    }
    return count > 0 ? moving / count : all / m->strip_count;
}

static sn_vec3 point_at(const double *points, uint32_t index) {
    const double *p = points + 3 * (size_t)index;
    return sn_vec3_make(p[0], p[1], p[2]);
}

static sni_slice slice_at(const mesh_muscle *m, const double *points, uint32_t slice) {
    sn_vec3 ring[RING];
    for (uint32_t k = 0; k < RING; ++k) {
        ring[k] = point_at(points, m->slice_points[slice] + k);
    }
    return sni_slice_of_ring(ring);
}

// Where the first strip begins: floats are relative to that.
static sn_vec3 reference_of(const mesh_muscle *m, const double *points) {
    return point_at(points, RING * m->rows[0].slice_count);
}

static void fill_table(const mesh_muscle *m, const double *points, float *table) {
    sn_vec3 reference = reference_of(m, points);
    for (uint32_t i = 0; i < m->slice_count; ++i) {
        sni_slice slice = slice_at(m, points, i);
        sni_cover_set_slice(&slice, reference, table + SNI_SLICE_FLOATS * (size_t)i);
    }
}

// The surface relative to the reference, for control points.
static void find_vertices(const mesh_muscle *m, const double *points, float *table, float *found) {
    fill_table(m, points, table);
    sni_cover_find(m->cover, table, found);
}

// --- Making

static sn_status make_rest(const sni_muscle_job *job, sni_arena *arena, mesh_muscle *m,
                           sni_cylinder_path **paths, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(job->context, m->points, 3 * (size_t)m->point_count);
    SNI_NEW(job->context, m->strip_points, 3 * (size_t)m->point_count);
    sni_muscle_pose_job pose = {.context = job->context,
                                .arena = arena,
                                .segment_count = job->segment_count,
                                .worlds = job->rest_worlds};
    SN_TRY(find_paths(m, &pose, paths, error));
    shape_strips(m, *paths, 1, m->points);
    m->rest_length = mean_length(m, m->points);
    for (size_t i = 0; i < 3 * (size_t)m->point_count; ++i) {
        m->strip_points[i] = (float)m->points[i];
    }
cleanup:
    return status;
}

static sn_status make_cover(const sni_muscle_job *job, const sn_triangles *triangles,
                            sni_arena *arena, mesh_muscle *m, float *table, sn_error *error) {
    sni_slice_field *field = NULL;
    sn_status status = SN_OK;
    sni_slice_row *rows = sni_arena_alloc(arena, m->strip_count, sizeof *rows);
    sni_slice *slices = sni_arena_alloc(arena, m->slice_count, sizeof *slices);
    SN_TRY(rows != NULL && slices != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < m->strip_count; ++i) {
        rows[i] = (sni_slice_row){m->strips[i].first_slice, m->rows[i].slice_count};
    }
    for (uint32_t i = 0; i < m->slice_count; ++i) {
        slices[i] = slice_at(m, m->points, i);
    }
    SN_TRY(sni_slice_field_create(job->context, m->strip_count, rows, slices, &field, error));
    fill_table(m, m->points, table);
    SN_TRY(sni_cover_create(job->context, strips_of(job)->mesh, triangles, field, m->slice_count,
                            table, &m->cover, error));
cleanup:
    sni_slice_field_destroy(field);
    return status;
}

// What the surface has at rest, and how its volume grows with the sections.
static sn_status measure_rest(const sni_muscle_job *job, const sn_triangles *triangles,
                              sni_arena *arena, mesh_muscle *m, const sni_cylinder_path *paths,
                              float *table, sn_error *error) {
    const sn_mesh *mesh = strips_of(job)->mesh;
    static const double step = 0.02;
    sn_mass mass = {0};
    sn_status status = SN_OK;
    SN_TRY(sn_mass_compute(job->context, mesh->positions, triangles->vertices, triangles->count,
                           &mass, error));
    SN_TRY(sni_mesh_is_closed(mesh, &m->closed, error));
    m->rest_area = mass.area;
    m->closed = m->closed && fabs(mass.volume) > least_volume * pow(mass.area, 1.5);
    m->rest_volume = m->closed ? fabs(mass.volume) : 0;
    m->carried = find_carrier(m, &m->segment);
    double *wider = sni_arena_alloc(arena, 3 * (size_t)m->point_count, sizeof *wider);
    float *found = sni_arena_alloc(arena, 3 * (size_t)m->cover->vertex_count, sizeof *found);
    SN_TRY(wider != NULL && found != NULL ? SN_OK : sni_fail_memory(error));
    if (m->closed) {
        shape_strips(m, paths, 1 + step, wider);
        find_vertices(m, wider, table, found);
        m->slope = sni_cover_excess(m->cover, found) / step;
        m->closed = m->slope > step; // else its sections hold nothing of it
    }
    m->rest_volume = m->closed ? m->rest_volume : 0;
    m->points[3 * (size_t)m->point_count - 3] = m->rest_volume;
    m->points[3 * (size_t)m->point_count - 2] = 1;
cleanup:
    return status;
}

static void report_distance(const sni_muscle_job *job, const mesh_muscle *m) {
    sn_vec3 low, high;
    sn_mesh_bounds(strips_of(job)->mesh, &low, &high);
    if (m->cover->mean_distance > far_off * sn_vec3_distance(low, high)) {
        sni_log(job->context, SN_LOG_WARNING, "muscle",
                "%s: its strips lie beside its surface, by %.3g m on the mean", job->name,
                m->cover->mean_distance);
    }
}

static sn_status design(const sni_muscle_job *job, sni_arena *arena, mesh_muscle *m,
                        sn_error *error) {
    sn_status status = SN_OK;
    sni_cylinder_path *paths = NULL;
    const sn_mesh *mesh = strips_of(job)->mesh;
    sn_triangles *triangles = NULL;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    if (triangles->count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: the mesh \"%s\" has no triangles", job->name,
                        mesh->name));
    }
    SN_TRY(make_strips(job, m, error));
    float *table = sni_arena_alloc(arena, SNI_SLICE_FLOATS * (size_t)m->slice_count, sizeof *table);
    SN_TRY(table != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(make_rest(job, arena, m, &paths, error));
    SN_TRY(make_cover(job, triangles, arena, m, table, error));
    SN_TRY(measure_rest(job, triangles, arena, m, paths, table, error));
    SN_TRY(sn_mesh_copy(mesh, &m->mesh, error));
    report_distance(job, m);
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

static sn_status mesh_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    mesh_muscle *m = NULL;
    sni_muscle_job named = *job;
    sni_arena arena;
    *bound = NULL;
    sni_arena_init(&arena, job->context);
    SN_TRY(sni_muscle_job_validate(&sni_muscle_mesh, job, error));
    named.name = job->name != NULL ? job->name : "muscle";
    SNI_NEW_ZERO(job->context, m, 1);
    m->name = sni_string_copy(job->context, named.name);
    SN_TRY(m->name != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(design(&named, &arena, m, error));
    *bound = m;
    m = NULL;
cleanup:
    mesh_unbind(job->context, m);
    sni_arena_deinit(&arena);
    return status;
}

static void mesh_surface(const void *bound, sni_muscle_surface *surface) {
    const mesh_muscle *m = bound;
    *surface = (sni_muscle_surface){.name = m->name,
                                    .strip_count = m->strip_count,
                                    .strips = m->rows,
                                    .strip_points = m->strip_points,
                                    .carried = m->carried,
                                    .segment = m->segment,
                                    .point_count = m->point_count};
}

// --- Posing

static void report_volume(const mesh_muscle *m, const sni_muscle_pose_job *job, double volume) {
    if (job->news != NULL) {
        *job->news = true;
        return;
    }
    sni_log(job->context, SN_LOG_WARNING, "muscle",
            "%s: no scale of its sections keeps its volume: %.4g of %.4g m3, at %.3g of its rest "
            "length",
            m->name, volume, m->rest_volume, mean_length(m, job->relaxed) / m->rest_length);
}

static bool are_finite(const double *numbers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

// What a pose is made with; all in the arena.
typedef struct pose_run {
    const mesh_muscle *muscle;
    const sni_muscle_pose_job *job;
    sni_cylinder_path *paths;
    float *table;
    float *found; // vertices
} pose_run;

static float *new_vertices(const pose_run *run) {
    return sni_arena_alloc(run->job->arena, 3 * (size_t)run->muscle->cover->vertex_count,
                           sizeof(float));
}

// Control points and vertices are linear in the factor of the sections, so that those for two of
// them tell all.
static sn_status change_sections(pose_run *run, double *factor, double *excess, bool *kept,
                                 sn_error *error) {
    const mesh_muscle *m = run->muscle;
    double *points = run->job->relaxed;
    size_t count = 3 * (size_t)m->point_count;
    double *two = sni_arena_alloc(run->job->arena, count, sizeof *two);
    float *found_two = new_vertices(run), *found = new_vertices(run);
    if (two == NULL || found_two == NULL || found == NULL) {
        return sni_fail_memory(error);
    }
    shape_strips(m, run->paths, 2, two);
    find_vertices(m, two, run->table, found_two);
    *kept = sni_cover_keep_volume(m->cover, m->slope, run->found, found_two, found, factor, excess);
    for (size_t i = 0; i < count - 3; ++i) {
        points[i] += (*factor - 1) * (two[i] - points[i]);
    }
    run->found = found;
    return SN_OK;
}

// Where no factor keeps the volume, as in strips that are folded up, the surface itself gives way.
static sn_status push_surface(pose_run *run, double *excess, bool *kept, sn_error *error) {
    float *from = new_vertices(run), *normals = new_vertices(run);
    if (from == NULL || normals == NULL) {
        return sni_fail_memory(error);
    }
    double folded = *excess;
    *kept = sni_cover_push(run->muscle->cover, from, normals, run->found, excess);
    if (!*kept && !(fabs(*excess) < fabs(folded))) {
        memcpy(run->found, from, 3 * (size_t)run->muscle->cover->vertex_count * sizeof *from);
        *excess = folded;
    }
    return SN_OK;
}

// From control points and vertices at factor 1. `state` is what the pose found.
static sn_status keep_volume(pose_run *run, double *state, sn_error *error) {
    const mesh_muscle *m = run->muscle;
    double factor = 1, excess = sni_cover_excess(m->cover, run->found);
    bool kept = sni_cover_is_kept(excess);
    if (!kept) {
        sn_status status = change_sections(run, &factor, &excess, &kept, error);
        if (status == SN_OK && !kept && fabs(excess) < most_pushed) {
            status = push_surface(run, &excess, &kept, error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    state[0] = m->rest_volume * (1 + excess);
    state[1] = factor;
    if (!kept) {
        report_volume(m, run->job, state[0]);
    }
    return SN_OK;
}

static sn_status begin_pose(pose_run *run, sn_error *error) {
    const mesh_muscle *m = run->muscle;
    run->table = sni_arena_alloc(run->job->arena, SNI_SLICE_FLOATS * (size_t)m->slice_count,
                                 sizeof *run->table);
    run->found = new_vertices(run);
    return run->table != NULL && run->found != NULL ? find_paths(m, run->job, &run->paths, error)
                                                    : sni_fail_memory(error);
}

static sn_status pose_points(const mesh_muscle *m, const sni_muscle_pose_job *job,
                             sn_error *error) {
    pose_run run = {.muscle = m, .job = job};
    size_t count = 3 * (size_t)m->point_count;
    double *points = job->relaxed, *state = points + count - 3;
    bool searches = m->closed && !m->carried;
    sn_status status = SN_OK;
    SN_TRY(begin_pose(&run, error));
    memcpy(state, m->points + count - 3, 3 * sizeof *state);
    shape_strips(m, run.paths, 1, points);
    if (!are_finite(points, count - 3)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: its points are not finite in this pose", m->name));
    }
    if (searches || job->surface != NULL) {
        find_vertices(m, points, run.table, run.found);
    }
    if (searches) {
        SN_TRY(keep_volume(&run, state, error));
    }
    if (job->surface != NULL) {
        sn_vec3 shift = sn_vec3_sub(reference_of(m, points), reference_of(m, m->points));
        sni_cover_place(m->cover, run.found, shift, job->surface);
    }
    memcpy(job->contracted, points, count * sizeof *points);
cleanup:
    return status;
}

static sn_status mesh_pose(const void *bound, const sni_muscle_pose_job *job, sn_error *error) {
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_status status = pose_points(bound, job, error);
    sni_arena_release(job->arena, mark);
    return status;
}

static sn_status mesh_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                   sn_mesh **mesh, sn_error *error) {
    const mesh_muscle *m = bound;
    (void)context, (void)steps; // it is as fine as it was given
    return sni_mesh_copy_named(m->mesh, m->name, mesh, error);
}

// What a tie gives in double precision.
static sn_vec3 tie_point(const mesh_muscle *m, const double *points, size_t tie) {
    const float *f = m->cover->factors + 8 * tie;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < 2; ++k, f += 4) {
        sni_slice slice = slice_at(m, points, m->cover->slices[tie] + k);
        sum = sn_vec3_add_scaled(sum, (double)f[0], slice.center);
        sum = sn_vec3_add_scaled(sum, (double)f[1], slice.wide);
        sum = sn_vec3_add_scaled(sum, (double)f[2], slice.thick);
        sum = sn_vec3_add_scaled(sum, (double)f[3], sni_slice_normal(&slice));
    }
    return sum;
}

// The plain form of what `pose` does with floats and a table, without what push_surface does.
static void mesh_emit_points(const void *bound, uint32_t steps, const double *points,
                             float *positions) {
    const mesh_muscle *m = bound;
    (void)steps;
    for (size_t v = 0; v < m->cover->vertex_count; ++v) {
        sn_vec3 way = {0, 0, 0};
        for (size_t i = m->cover->tie_starts[v]; i < m->cover->tie_starts[v + 1]; ++i) {
            way =
                sn_vec3_add(way, sn_vec3_sub(tie_point(m, points, i), tie_point(m, m->points, i)));
        }
        sn_vec3_store(sn_vec3_add(sn_vec3_load(m->cover->given + 3 * v), way), positions + 3 * v);
    }
}

static sn_status mesh_length(const void *bound, const sni_muscle_pose_job *job, double *length,
                             sn_error *error) {
    const mesh_muscle *m = bound;
    const sni_muscle_pivot_place *pivots = sni_job_pivots(job);
    double moving = 0, all = 0, own;
    uint32_t count = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < m->strip_count; ++i) {
        const strip *of = &m->strips[i];
        SN_TRY(sni_cylinder_length(of->cylinder, job,
                                   pivots != NULL ? pivots + of->first_pivot : NULL, &own, error));
        bool still = is_still(of->cylinder);
        all += own;
        moving += still ? 0 : own;
        count += !still;
    }
    *length = count > 0 ? moving / count : all / m->strip_count;
cleanup:
    return status;
}

static void mesh_measure(const void *bound, const double *points, sni_muscle_measure *measure) {
    const mesh_muscle *m = bound;
    const double *now = points != NULL ? points : m->points;
    *measure = (sni_muscle_measure){.length = mean_length(m, now),
                                    .rest_length = m->rest_length,
                                    .area = points == NULL ? m->rest_area : 0,
                                    .thickness = m->thickness,
                                    .volume = now[3 * (size_t)m->point_count - 3],
                                    .rest_volume = m->rest_volume};
}

static size_t mesh_bytes(const void *bound) {
    const mesh_muscle *m = bound;
    size_t bytes = sizeof *m + sni_cover_bytes(m->cover) +
                   3 * (size_t)m->point_count * (sizeof *m->points + sizeof *m->strip_points) +
                   m->slice_count * sizeof *m->slice_points;
    for (uint32_t i = 0; i < m->strip_count; ++i) {
        bytes +=
            sizeof *m->strips + sizeof *m->rows + sni_muscle_cylinder.bytes(m->strips[i].cylinder);
    }
    return bytes;
}

const sni_muscle_ops sni_muscle_mesh = {
    .name = "mesh",
    .help = "A given surface on one or several strips, each a cylinder between bones, which keeps "
            "its volume",
    .inputs = {{&sni_input_strips, true}},
    .poses_surface = true,
    .bind = mesh_bind,
    .unbind = mesh_unbind,
    .surface = mesh_surface,
    .pose = mesh_pose,
    .emit_surface = mesh_emit_surface,
    .emit_points = mesh_emit_points,
    .measure = mesh_measure,
    .length = mesh_length,
    .bytes = mesh_bytes,
};
