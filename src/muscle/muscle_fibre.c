// SPDX-License-Identifier: Apache-2.0
//
// The `fibre` muscle: one or several axes between bones, straight or swinging, with a solid around
// them that keeps its volume (docs/fibre.md), after V. Roussellet et al., "Dynamic implicit muscles
// for character skinning" (2018).
#include "muscle/fibre/solid.h"

#include "base/context.h"
#include "field/compose.h"
#include "muscle/carried.h"

static const char *const volume_choices[] = {"sections", "exact", NULL};
static const char *const activation_choices[] = {"controls", "length", "both", NULL};
static const char *const motion_choices[] = {"simulated", "static", NULL};

#define EXPONENT(name_text, title_text, help_text, value)                                          \
    {                                                                                              \
        .name = name_text, .title = title_text, .help = help_text, .unit = "", .low = 1,           \
        .standard = value, .high = SNI_FIBRE_EXPONENT_MOST, .whole = true                          \
    }

static const sn_parameter parameters[SNI_FIBRE_PARAMETER_COUNT] = {
    [SNI_FIBRE_SLICES] = {.name = "slices",
                          .title = "Section count",
                          .help = "Number of sections of its surface between its ends",
                          .unit = "",
                          .low = 3,
                          .standard = 20,
                          .high = 1024,
                          .whole = true,
                          .usual = 64},
    [SNI_FIBRE_POINTS] = {.name = "points",
                          .title = "Points around",
                          .help = "Number of points around each section of its surface",
                          .unit = "",
                          .low = 3,
                          .standard = 12,
                          .high = 1024,
                          .whole = true,
                          .usual = 32},
    [SNI_FIBRE_WIDTH] = {.name = "width",
                         .help = "Width of the belly of a fibre at rest; with 0 it is a quarter of "
                                 "the length, of several fibres 1.6 of the distance between them",
                         .unit = "m",
                         .low = 0,
                         .standard = 0,
                         .high = 1000,
                         .usual = 0.3,
                         .live = true},
    [SNI_FIBRE_THICKNESS] = {.name = "thickness",
                             .help = "Thickness of the belly at rest, from 0.1 of its width to all "
                                     "of it; with 0 it is 0.8 of the width",
                             .unit = "m",
                             .low = 0,
                             .standard = 0,
                             .high = 1000,
                             .usual = 0.3,
                             .live = true},
    [SNI_FIBRE_SIZES] = {.name = "sizes",
                         .help = "Whether width and thickness are given in metres, or as fractions "
                                 "of the muscle's length at rest",
                         .low = 0,
                         .standard = SNI_SIZES_METRES,
                         .high = 1,
                         .choices = sni_size_choices},
    [SNI_FIBRE_FLATTENING] = {.name = "flattening",
                              .help = "Thickness over width where it is fully activated, from 0.1 "
                                      "for a flat one to 1 for a round one; with 0 it is that at "
                                      "rest",
                              .unit = "",
                              .low = 0,
                              .standard = 0,
                              .high = 1,
                              .live = true},
    [SNI_FIBRE_BULGE] = {.name = "bulge",
                         .help = "Factor on its width that exaggerates it, or makes it smaller "
                                 "than its volume asks for",
                         .unit = "",
                         .low = 0.01,
                         .standard = 1,
                         .high = 10,
                         .usual = 2,
                         .live = true},
    [SNI_FIBRE_REST_A] = EXPONENT("rest_a", "Rest, origin",
                                  "Exponent of its profile at rest towards its origin: more makes "
                                  "it thinner there; 1 is an open end",
                                  3),
    [SNI_FIBRE_REST_B] = EXPONENT("rest_b", "Rest, insertion",
                                  "Exponent of its profile at rest towards its insertion", 3),
    [SNI_FIBRE_ACTIVE_A] = EXPONENT("active_a", "Active, origin",
                                    "Exponent of its activated profile towards its origin", 4),
    [SNI_FIBRE_ACTIVE_B] = EXPONENT("active_b", "Active, insertion",
                                    "Exponent of its activated profile towards its insertion", 7),
    [SNI_FIBRE_VOLUME] =
        {.name = "volume",
         .help = "Whether sections follow from the length of the axis alone, or are scaled so that "
                 "the whole surface keeps exactly the volume that it has at rest, which those of "
                 "several fibres and those that pass points always do",
         .low = 0,
         .standard = SNI_FIBRE_VOLUME_SECTIONS,
         .high = 1,
         .choices = volume_choices},
    [SNI_FIBRE_FIBRES] = {.name = "fibres",
                          .title = "Fibre count",
                          .help = "Number of fibres; more than one run side by side from between "
                                  "two origins to between two insertions",
                          .unit = "",
                          .low = 1,
                          .standard = 1,
                          .high = 64,
                          .whole = true,
                          .usual = 12},
    [SNI_FIBRE_PARTICLES] = {.name = "particles",
                             .title = "Particle count",
                             .help = "Number of particles along the axis of each fibre, with its "
                                     "ends",
                             .unit = "",
                             .low = 3,
                             .standard = 12,
                             .high = 256,
                             .whole = true,
                             .usual = 40},
    [SNI_FIBRE_ACTIVATED_BY] =
        {.name = "activated_by",
         .help = "What activates it: its contraction and tension, or that it shortens, or the "
                 "larger of both",
         .low = 0,
         .standard = SNI_FIBRE_BY_BOTH,
         .high = 2,
         .choices = activation_choices},
    [SNI_FIBRE_FLEXED_LENGTH] = {.name = "flexed_length",
                                 .help = "Part of its length at rest at which it is fully flexed",
                                 .unit = "",
                                 .low = 0.05,
                                 .standard = 0.75,
                                 .high = 0.99,
                                 .live = true},
    [SNI_FIBRE_SMOOTHING] = {.name = "smoothing",
                             .help = "Time constant with which its activation follows what it is "
                                     "to be, where it is simulated",
                             .unit = "s",
                             .low = 0,
                             .standard = 0.05,
                             .high = 60,
                             .usual = 0.5,
                             .live = true},
    [SNI_FIBRE_MOTION] = {.name = "motion",
                          .help = "Whether its axis swings as a chain of particles, or has the "
                                  "shape that the pose gives it",
                          .low = 0,
                          .standard = SNI_FIBRE_SIMULATED,
                          .high = 1,
                          .choices = motion_choices},
    [SNI_FIBRE_STIFFNESS] = {.name = "stiffness",
                             .help = "Stiffness of its flesh: 0.1 is soft, 0.7 tense",
                             .unit = "",
                             .low = 0.001,
                             .standard = 0.4,
                             .high = 0.95,
                             .live = true},
    [SNI_FIBRE_INERTIA] = {.name = "inertia",
                           .help = "Part of the motion of its ends that its flesh lags behind",
                           .unit = "",
                           .low = 0,
                           .standard = 0.25,
                           .high = 1,
                           .live = true},
    [SNI_FIBRE_DAMPING] = {.name = "damping",
                           .help = "How fast swings die away, relative to the motion of its ends",
                           .unit = "1/s",
                           .low = 0,
                           .standard = 6.32,
                           .high = 1000,
                           .usual = 30,
                           .live = true},
    [SNI_FIBRE_TENDON] = {.name = "tendon",
                          .help = "Part of its length at each end that is tendon, which keeps its "
                                  "length",
                          .unit = "",
                          .low = 0,
                          .standard = 0.1,
                          .high = 0.45},
};

static sn_status fibre_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    sni_fibre *f = NULL;
    sn_status status = sni_fibre_create(job, &f, error);
    *bound = f;
    return status;
}

static void fibre_unbind(sn_context *context, void *bound) {
    sni_fibre_destroy(context, bound);
}

static void fibre_surface(const void *bound, sni_muscle_surface *surface) {
    const sni_fibre *f = bound;
    *surface = (sni_muscle_surface){.name = f->name,
                                    .slice_count = f->rings.slice_count,
                                    .ring_count = f->rings.ring_count,
                                    .point_count = sni_fibre_point_count(f),
                                    .solid = sni_fibre_solid(f)};
    sni_rings_patch(&f->rings, f->points, f->knots, &surface->nurbs);
}

// A muscle that is posed alone touches bones, but no muscles.
static sn_status fibre_pose(const void *bound, const sni_muscle_pose_job *job, sn_error *error) {
    sni_muscle_member member = {.number = SN_NONE, .bound = bound, .job = *job};
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_status status = sni_fibre_pose_together(1, &member, error);
    sni_arena_release(job->arena, mark);
    if (status == SN_OK && member.trouble[0] != 0 && job->news == NULL) {
        sni_log(job->context, SN_LOG_WARNING, "muscle", "%s", member.trouble);
    } else if (status == SN_OK && member.trouble[0] != 0) {
        *job->news = true;
    }
    return status;
}

static sn_status fibre_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                    sn_mesh **mesh, sn_error *error) {
    const sni_fibre *f = bound;
    (void)steps; // it is as fine as its slices
    return sni_rings_mesh(&f->rings, context, f->name, f->points, mesh, error);
}

static void fibre_emit_points(const void *bound, uint32_t steps, const double *points,
                              float *positions) {
    const sni_fibre *f = bound;
    (void)steps;
    sni_rings_positions(&f->rings, points, positions);
}

static void fibre_measure(const void *bound, const double *points, sni_muscle_measure *measure) {
    const sni_fibre *f = bound;
    const double *now = points != NULL ? points : f->points;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, now, 0, &axis, &section, &radius);
    *measure = (sni_muscle_measure){.length = sni_rings_length(&f->rings, now),
                                    .thickness = f->thickness,
                                    .rest_length = f->rest_length,
                                    .rest_volume = f->rest_volume,
                                    .activation = section.activation};
    sni_rings_measure(&f->rings, now, &measure->volume, &measure->area);
}

static size_t fibre_bytes(const void *bound) {
    return sni_fibre_bytes(bound);
}

static size_t fibre_state_bytes(const void *bound) {
    return sni_fibre_state_bytes(bound);
}

// What fails here fails once more, and is said, when the muscle is posed.
static void fibre_state_reset(const void *bound, const sni_muscle_pose_job *job) {
    sni_fibre_state_reset(bound, job, NULL);
}

static sn_status fibre_length(const void *bound, const sni_muscle_pose_job *job, double *length,
                              sn_error *error) {
    const sni_fibre *f = bound;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sn_status status = sni_carried_check_pose(f->name, f->segment_count, job, error);
    if (status == SN_OK) {
        status = sni_fibre_length_at(f, job->arena, job->worlds, length, error);
    }
    sni_arena_release(job->arena, mark);
    return status;
}

static sn_status fibre_pull(const void *bound, const sni_muscle_pose_job *job,
                            sni_muscle_lines *lines, sn_error *error) {
    const sni_fibre *f = bound;
    sn_status status = sni_carried_check_pose(f->name, f->segment_count, job, error);
    return status == SN_OK ? sni_fibre_pull_at(f, job->arena, job->worlds, lines, error) : status;
}

// The clean union of all fibres: its surface is theirs, and the field is smooth around it.
static double fibre_field(const void *bound, const double *points, sn_vec3 at, sn_vec3 *gradient) {
    const sni_fibre *f = bound;
    sni_field_value all = {0, {0, 0, 0}};
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        sni_fibre_axis axis;
        sni_fibre_section section;
        double radius;
        sni_fibre_read(f, points, i, &axis, &section, &radius);
        sni_field_value one = sni_support_field(sni_fibre_field(&axis, &section, at), radius);
        all = i == 0
                  ? one
                  : sni_compose(sni_blend(SNI_OPENING_MUSCLES, 1, all.value, one.value), all, one);
    }
    *gradient = all.gradient;
    return all.value;
}

// A ball at each particle between the ends, as large as a round section there.
static uint32_t fibre_contact(const void *bound, const double *points, sni_ball *balls) {
    const sni_fibre *f = bound;
    uint32_t inner = f->particle_count - 2;
    for (uint32_t i = 0; balls != NULL && i < f->fibre_count; ++i) {
        sni_fibre_axis axis;
        sni_fibre_section section;
        double radius;
        sni_fibre_read(f, points, i, &axis, &section, &radius);
        for (uint32_t k = 0; k < inner; ++k) {
            double phi =
                sni_fibre_profile_at(section.profile, section.activation, axis.starts[k + 1], NULL);
            balls[(size_t)i * inner + k] =
                (sni_ball){.center = axis.points[k + 1], .radius = section.width * phi};
        }
    }
    return f->fibre_count * inner;
}

// Relaxed control points have the axes that the pose alone would give.
static const sn_vec3 *fibre_axis(const void *bound, const double *points, uint32_t fibre,
                                 sni_muscle_axes *axes) {
    const sni_fibre *f = bound;
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(f, points, fibre, &axis, &section, &radius);
    if (axes != NULL) {
        *axes = (sni_muscle_axes){.fibre_count = f->fibre_count,
                                  .particle_count = f->particle_count,
                                  .swings = !f->is_static};
    }
    return axis.points;
}

const sni_muscle_ops sni_muscle_fibre = {
    .name = "fibre",
    .help = "A solid of constant volume around one or several axes between bones, which swings, "
            "and whose belly moves as it is activated",
    .parameters = SNI_PARAMETERS(parameters),
    .contracts = true,
    .activates = true,
    .is_followed = true,
    .inputs = {{&sni_input_fibres, true}, {&sni_input_touches, false}, {&sni_input_inside, false}},
    .bind = fibre_bind,
    .unbind = fibre_unbind,
    .surface = fibre_surface,
    .pose = fibre_pose,
    .emit_surface = fibre_emit_surface,
    .emit_points = fibre_emit_points,
    .measure = fibre_measure,
    .bytes = fibre_bytes,
    .state_bytes = fibre_state_bytes,
    .state_reset = fibre_state_reset,
    .length = fibre_length,
    .pull = fibre_pull,
    .field = fibre_field,
    .contact = fibre_contact,
    .pose_together = sni_fibre_pose_together,
    .axis = fibre_axis,
};
