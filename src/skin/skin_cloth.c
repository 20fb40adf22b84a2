// SPDX-License-Identifier: Apache-2.0
//
// Cloth as a deformer of a character (docs/cloth.md): the mesh falls, hangs from its pins and lies
// on its colliders.
//
// Time goes in steps of 1 / rate seconds, counted from the reset, whatever the frames are: at time
// t the state is that after the first step that does not end before t, and points between two
// steps lie on the line between them. Frame times that are multiples of the step therefore give
// the same bits at any frame rate, as long as colliders and pins stay where they are; where these
// move, they go straight from frame to frame.
#include "skin/skin.h"

#include "base/context.h"
#include "geometry/closed.h"
#include "solver/sheet.h"

#include <string.h>

enum {
    PARAMETER_DENSITY,
    PARAMETER_STRETCH,
    PARAMETER_SHEAR,
    PARAMETER_BEND,
    PARAMETER_DAMPING,
    PARAMETER_GRAVITY,
    PARAMETER_THICKNESS,
    PARAMETER_FRICTION,
    PARAMETER_APART,
    PARAMETER_RATE,
    PARAMETER_ENVELOPE,
    PARAMETER_COUNT
};

static const sn_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_DENSITY] = {.name = "density",
                           .help = "Mass per area",
                           .unit = "kg/m^2",
                           .low = 1e-3,
                           .standard = 0.2,
                           .high = 1e3,
                           .usual = 1},
    [PARAMETER_STRETCH] = {.name = "stretch",
                           .help = "How far the cloth stretches, as a fraction of its length, "
                                   "under 1 N per metre of width; 0 lets it not stretch at all",
                           .unit = "m/N",
                           .low = 0,
                           .standard = 1e-3,
                           .high = 1e6,
                           .usual = 0.1},
    [PARAMETER_SHEAR] =
        {.name = "shear",
         .help = "By what angle faces with four or more corners shear under 1 N per metre of width",
         .unit = "m/N",
         .low = 0,
         .standard = 2e-2,
         .high = 1e6,
         .usual = 0.5},
    [PARAMETER_BEND] = {.name = "bend",
                        .help = "Stiffness against bending",
                        .unit = "N m",
                        .low = 0,
                        .standard = 3e-4,
                        .high = 1e6,
                        .usual = 0.01},
    [PARAMETER_DAMPING] = {.name = "damping",
                           .help = "How fast motion slows down, as in air",
                           .unit = "1/s",
                           .low = 0,
                           .standard = 1,
                           .high = 1e3,
                           .usual = 10},
    [PARAMETER_GRAVITY] = {.name = "gravity",
                           .help = "Acceleration downwards",
                           .unit = "m/s^2",
                           .low = -1e3,
                           .standard = 9.81,
                           .high = 1e3,
                           .usual = 20},
    [PARAMETER_THICKNESS] = {.name = "thickness",
                             .help = "Distance that the cloth keeps from its colliders",
                             .unit = "m",
                             .low = 0,
                             .standard = 0.005,
                             .high = 1,
                             .usual = 0.05},
    [PARAMETER_FRICTION] =
        {.name = "friction",
         .help = "Coulomb's coefficient of friction, on colliders and of the cloth on itself",
         .unit = "",
         .low = 0,
         .standard = 0.4,
         .high = 100,
         .usual = 2},
    [PARAMETER_APART] = {.name = "apart",
                         .help = "Distance that the vertices of the cloth keep from each other; "
                                 "with 0 it may pass through itself",
                         .unit = "m",
                         .low = 0,
                         .standard = 0,
                         .high = 1,
                         .usual = 0.05},
    [PARAMETER_RATE] = {.name = "rate",
                        .help = "Number of simulation steps per second",
                        .unit = "1/s",
                        .low = 60,
                        .standard = 600,
                        .high = 1e5,
                        .usual = 2400},
    [PARAMETER_ENVELOPE] = SNI_ENVELOPE_PARAMETER,
};

// A frame that ends within this part of a step behind a step's end needs no further one: times are
// rounded quotients.
static const double step_tolerance = 1e-6;
// Most seconds that one frame simulates; of a longer one the last of them.
static const double longest_frame = 60;
// Up to here a double counts steps one by one. Cloth that has come so far, in 2,800 years or more,
// stands still.
static const double most_steps = 0x1p53;

enum { INPUT_COLLIDERS, INPUT_PINS };

typedef struct cloth {
    sn_context *context;
    sni_xpbd *solver;
    uint32_t vertex_count;
    double rate, envelope;
    uint32_t pin_count;
    uint32_t *pins;
    uint32_t collider_count;
    uint32_t *collider_starts; // collider_count + 1: vertices of each among those of all
    sni_obstacle_shape shape;  // of all colliders
    uint32_t *shape_vertices;
    sni_obstacle_part *shape_parts;
} cloth;

// What one frame hands to the next. Behind it, in the frame's memory, positions and velocities
// (#V x 3 doubles each), pins and points of the colliders (x 3 floats) as they were.
typedef struct cloth_state {
    double start; // time of the reset
    double time;  // of the frame
    uint64_t steps;
    uint64_t unused;
} cloth_state;

typedef struct state_view {
    cloth_state *head;
    double *positions, *velocities;
    float *pins, *colliders;
} state_view;

static state_view view_state(const cloth *c, void *state) {
    state_view view = {.head = state};
    view.positions = (double *)(view.head + 1);
    view.velocities = view.positions + 3 * (size_t)c->vertex_count;
    view.pins = (float *)(view.velocities + 3 * (size_t)c->vertex_count);
    view.colliders = view.pins + 3 * (size_t)c->pin_count;
    return view;
}

static size_t cloth_state_bytes(const void *bound) {
    const cloth *c = bound;
    return sizeof(cloth_state) + 6 * (size_t)c->vertex_count * sizeof(double) +
           3 * ((size_t)c->pin_count + c->shape.vertex_count) * sizeof(float);
}

static void cloth_unbind(sn_context *context, void *bound) {
    cloth *c = bound;
    if (c != NULL) {
        sni_xpbd_destroy(c->solver);
        sni_free(context, c->pins);
        sni_free(context, c->collider_starts);
        sni_free(context, c->shape_vertices);
        sni_free(context, c->shape_parts);
        sni_free(context, c);
    }
}

static sn_status make_solver(cloth *c, const sni_bind_job *job, sn_error *error) {
    const sni_colliders_input *colliders = job->inputs[INPUT_COLLIDERS];
    bool touches = colliders != NULL && colliders->count > 0;
    const double *p = job->parameters;
    const sni_sheet_material material = {.density = p[PARAMETER_DENSITY],
                                         .stretch = p[PARAMETER_STRETCH],
                                         .shear = p[PARAMETER_SHEAR],
                                         .bend = p[PARAMETER_BEND]};
    sni_sheet *sheet = NULL;
    double *inverse_masses = NULL, *rest = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_sheet_create(job->mesh, &material, &sheet, error));
    SNI_NEW(c->context, inverse_masses, sheet->particle_count);
    for (uint32_t i = 0; i < sheet->particle_count; ++i) {
        inverse_masses[i] = 1 / sheet->masses[i];
    }
    for (uint32_t i = 0; i < c->pin_count; ++i) {
        inverse_masses[c->pins[i]] = 0;
    }
    SNI_NEW(c->context, rest, 3 * (size_t)sheet->particle_count);
    for (size_t i = 0; i < 3 * (size_t)sheet->particle_count; ++i) {
        rest[i] = job->mesh->positions[i];
    }
    sni_xpbd_desc desc = {.particle_count = sheet->particle_count,
                          .inverse_masses = inverse_masses,
                          .constraint_count = sheet->constraint_count,
                          .constraints = sheet->constraints,
                          .sample_count = touches ? sheet->sample_count : 0,
                          .samples = sheet->samples,
                          .step = 1 / p[PARAMETER_RATE],
                          .gravity = sn_vec3_make(0, -p[PARAMETER_GRAVITY], 0),
                          .damping = p[PARAMETER_DAMPING],
                          .thickness = p[PARAMETER_THICKNESS],
                          .friction = p[PARAMETER_FRICTION],
                          .apart = p[PARAMETER_APART],
                          .rest_positions = rest};
    SN_TRY(sni_xpbd_create(c->context, &desc, &c->solver, error));
cleanup:
    sni_free(c->context, inverse_masses);
    sni_free(c->context, rest);
    sni_sheet_destroy(sheet);
    return status;
}

// Appends the triangles of a collider to those of all, of which there is room for `capacity`.
static sn_status append_collider(cloth *c, const sn_mesh *mesh, uint32_t index, uint32_t *capacity,
                                 sn_error *error) {
    sn_triangles *triangles = NULL;
    sni_obstacle_part *part = &c->shape_parts[index];
    sn_status status = SN_OK;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SN_TRY(sni_mesh_is_closed(mesh, &part->closed, error));
    uint64_t needed = (uint64_t)c->shape.triangle_count + triangles->count;
    if (needed > UINT32_MAX / 3) {
        status = sni_fail(error, SN_INVALID, "cloth: the colliders have %llu triangles, too many",
                          (unsigned long long)needed);
        goto cleanup;
    }
    if (!sni_grow(c->context, &c->shape_vertices, capacity, (uint32_t)needed,
                  3 * sizeof *c->shape_vertices)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    uint32_t *added = c->shape_vertices + 3 * (size_t)c->shape.triangle_count;
    for (size_t i = 0; i < 3 * (size_t)triangles->count; ++i) {
        added[i] = triangles->vertices[i] + c->shape.vertex_count;
    }
    c->shape.vertices = c->shape_vertices;
    c->shape.triangle_count += triangles->count;
    c->shape.vertex_count += mesh->vertex_count;
    part->triangle_end = c->shape.triangle_count;
    c->collider_starts[index + 1] = c->shape.vertex_count;
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

static sn_status join_colliders(cloth *c, const sni_bind_job *job, sn_error *error) {
    const sni_colliders_input *colliders = job->inputs[INPUT_COLLIDERS];
    sn_status status = SN_OK;
    uint32_t capacity = 0;
    c->collider_count = colliders != NULL ? colliders->count : 0;
    SNI_NEW_ZERO(c->context, c->collider_starts, (size_t)c->collider_count + 1);
    SNI_NEW_ZERO(c->context, c->shape_parts, c->collider_count);
    c->shape.parts = c->shape_parts;
    c->shape.part_count = c->collider_count;
    for (uint32_t i = 0; i < c->collider_count; ++i) {
        SN_TRY(append_collider(c, colliders->meshes[i], i, &capacity, error));
    }
cleanup:
    return status;
}

static sn_status cloth_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    const sni_pins_input *pins = job->inputs[INPUT_PINS];
    sn_status status = SN_OK;
    cloth *c = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_cloth, job, error));
    SNI_NEW_ZERO(job->context, c, 1);
    c->context = job->context;
    c->vertex_count = job->mesh->vertex_count;
    c->rate = job->parameters[PARAMETER_RATE];
    c->envelope = job->parameters[PARAMETER_ENVELOPE];
    c->pin_count = pins != NULL ? pins->count : 0;
    SNI_NEW(job->context, c->pins, c->pin_count);
    for (uint32_t i = 0; i < c->pin_count; ++i) {
        c->pins[i] = pins->vertices[i];
    }
    SN_TRY(sni_progress(job->progress, "making cloth", 0, error));
    SN_TRY(make_solver(c, job, error));
    SN_TRY(join_colliders(c, job, error));
    *bound = c;
    return SN_OK;
cleanup:
    cloth_unbind(job->context, c);
    return status;
}

// Keeps where pins and colliders are, for the next frame to go on from.
static void remember(const cloth *c, const sni_deform_job *job, const state_view *view) {
    const sni_colliders_pose *touched = job->inputs[INPUT_COLLIDERS];
    for (uint32_t i = 0; i < c->pin_count; ++i) {
        memcpy(view->pins + 3 * (size_t)i, job->points_in + 3 * (size_t)c->pins[i],
               3 * sizeof(float));
    }
    for (uint32_t i = 0; i < c->collider_count; ++i) {
        size_t begin = 3 * (size_t)c->collider_starts[i],
               end = 3 * (size_t)c->collider_starts[i + 1];
        memcpy(view->colliders + begin, touched->points[i], (end - begin) * sizeof(float));
    }
    view->head->time = job->time;
}

static void cloth_state_reset(const void *bound, const sni_deform_job *job) {
    const cloth *c = bound;
    state_view view = view_state(c, job->state);
    *view.head = (cloth_state){.start = job->time};
    for (size_t i = 0; i < 3 * (size_t)c->vertex_count; ++i) {
        view.positions[i] = job->points_in[i];
        view.velocities[i] = 0;
    }
    remember(c, job, &view);
}

// The frame's end as the obstacle sees it: points of all colliders in one array.
static float *gather_colliders(const cloth *c, const sni_deform_job *job) {
    const sni_colliders_pose *touched = job->inputs[INPUT_COLLIDERS];
    float *points = sni_arena_alloc(job->arena, 3 * (size_t)c->shape.vertex_count, sizeof *points);
    for (uint32_t i = 0; i < c->collider_count && points != NULL; ++i) {
        size_t begin = 3 * (size_t)c->collider_starts[i],
               end = 3 * (size_t)c->collider_starts[i + 1];
        memcpy(points + begin, touched->points[i], (end - begin) * sizeof *points);
    }
    return points;
}

static void move_pins(const cloth *c, const sni_deform_job *job, const state_view *view,
                      double share) {
    for (uint32_t i = 0; i < c->pin_count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            double from = view->pins[3 * (size_t)i + k];
            double to = job->points_in[3 * (size_t)c->pins[i] + k];
            view->positions[3 * (size_t)c->pins[i] + k] =
                share < 1 ? from + share * (to - from) : to;
        }
    }
}

// The number of steps after which the state is that of a time, `most_steps` for all times after.
static uint64_t steps_until(const cloth *c, const state_view *view, double time) {
    double steps = ceil((time - view->head->start) * c->rate - step_tolerance);
    return steps > 0 ? (uint64_t)fmin(steps, most_steps) : 0;
}

// The obstacle of the colliders, kept from frame to frame; NULL where nothing is touched.
static sn_status begin_obstacle(const cloth *c, const sni_deform_job *job, const state_view *view,
                                const float *colliders, sni_obstacle **obstacle, sn_error *error) {
    *obstacle = NULL;
    if (c->collider_count == 0) {
        return SN_OK;
    }
    if (*job->kept == NULL) {
        *job->kept = sni_alloc_zero(c->context, 1, sizeof(sni_obstacle));
    }
    *obstacle = *job->kept;
    return *obstacle != NULL ? sni_obstacle_begin(c->context, &c->shape, view->colliders, colliders,
                                                  *obstacle, error)
                             : sni_fail_memory(error);
}

static void cloth_kept_free(sn_context *context, void *kept) {
    sni_obstacle_deinit(kept);
    sni_free(context, kept);
}

static sn_status simulate(const cloth *c, const sni_deform_job *job, const state_view *view,
                          uint64_t end, sn_error *error) {
    sni_obstacle *obstacle;
    sni_xpbd_scratch scratch;
    float *colliders = gather_colliders(c, job);
    if (colliders == NULL || !sni_xpbd_scratch_init(c->solver, job->arena, &scratch)) {
        return sni_fail_memory(error);
    }
    sn_status status = begin_obstacle(c, job, view, colliders, &obstacle, error);
    if (status != SN_OK) {
        return status;
    }
    double frame = job->time - view->head->time;
    for (uint64_t step = view->head->steps + 1; step <= end; ++step) {
        double passed = view->head->start + (double)step / c->rate - view->head->time;
        double share = passed < frame ? passed / frame : 1;
        move_pins(c, job, view, share);
        if (obstacle != NULL) {
            sni_obstacle_move(obstacle, share);
        }
        sni_xpbd_step(c->solver, &scratch, view->positions, view->velocities, obstacle);
    }
    view->head->steps = end;
    return SN_OK;
}

// Points at a time within the last step.
static void write_points(const cloth *c, const sni_deform_job *job, const state_view *view) {
    double back = (double)view->head->steps / c->rate - (job->time - view->head->start);
    double envelope = sni_parameter_now(job->parameters, PARAMETER_ENVELOPE, c->envelope);
    back = back * c->rate > step_tolerance ? back : 0;
    for (size_t i = 0; i < 3 * (size_t)c->vertex_count; ++i) {
        double point = view->positions[i] - back * view->velocities[i];
        job->points_out[i] =
            envelope == 1 ? (float)point
                          : (float)(job->points_in[i] + envelope * (point - job->points_in[i]));
    }
}

static sn_status cloth_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const cloth *c = bound;
    state_view view = view_state(c, job->state);
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    uint64_t end = steps_until(c, &view, job->time), most = (uint64_t)(longest_frame * c->rate);
    sn_status status = SN_OK;
    if (end > view.head->steps + most) {
        view.head->steps = end - most;
    }
    if (end > view.head->steps) {
        status = simulate(c, job, &view, end, error);
    }
    if (status == SN_OK) {
        remember(c, job, &view);
        write_points(c, job, &view);
    }
    sni_arena_release(job->arena, mark);
    return status;
}

static size_t cloth_bytes(const void *bound) {
    const cloth *c = bound;
    return sizeof *c + sni_xpbd_bytes(c->solver) + c->pin_count * sizeof *c->pins +
           ((size_t)c->collider_count + 1) * sizeof *c->collider_starts +
           c->collider_count * sizeof *c->shape_parts +
           3 * (size_t)c->shape.triangle_count * sizeof *c->shape_vertices;
}

const sni_deformer_ops sni_deformer_cloth = {
    .name = "cloth",
    .help = "Falls, hangs and drapes: particles with gravity and contact",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_COLLIDERS] = {.input = &sni_input_colliders},
               [INPUT_PINS] = {.input = &sni_input_pins}},
    .moves_in_world = true,
    .bind = cloth_bind,
    .unbind = cloth_unbind,
    .deform = cloth_deform,
    .bytes = cloth_bytes,
    .state_bytes = cloth_state_bytes,
    .state_reset = cloth_state_reset,
    .kept_free = cloth_kept_free,
};
