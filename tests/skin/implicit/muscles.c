// SPDX-License-Identifier: Apache-2.0
//
// Muscles in the field of a limb: a capsule of radius 1 around two bones of length 4 along x, bent
// at the origin towards y, with a biceps on that side.
#include "test.h"

#include "muscle/fibre/lanes.h"
#include "skin/implicit/flesh.h"
#include "skin/implicit/rings.h"
#include "skin/implicit/tracker.h"

enum { AROUND = 28, SPACING = 61, MUSCLES_MOST = 60 };

// --- Fibres with a straight axis. Control points: origin, insertion, (width, activation, 0).

typedef struct fibre {
    sni_fibre_profile profile;
    double rest[9];
    sn_vec3 ends[2]; // at rest
    double volume;
} fibre;

// A fibre and its points as fields take them.
typedef struct straight {
    sn_vec3 ends[2], normals[2];
    double starts[2];
    sni_fibre_axis axis;
    sni_fibre_section section;
} straight;

static void straight_read(const fibre *f, const double *points, straight *s) {
    const double *p = points != NULL ? points : f->rest;
    *s = (straight){.ends = {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}},
                    .normals = {{0, 0, 1}, {0, 0, 1}},
                    .starts = {0, 1},
                    .section = {&f->profile, p[7], p[6], 0.3}};
    s->axis = (sni_fibre_axis){2, s->ends, s->normals, s->starts,
                               sn_vec3_distance(s->ends[0], s->ends[1])};
}

static double straight_at(const void *bound, const double *points, uint32_t body, sn_vec3 at,
                          sn_vec3 *gradient) {
    straight s;
    assert_int_equal(body, 0);
    straight_read(bound, points, &s);
    sni_distance_value value = sni_fibre_field(&s.axis, &s.section, at);
    *gradient = value.gradient;
    return value.distance;
}

static void straight_box(const void *bound, const double *points, uint32_t body, sn_vec3 *low,
                         sn_vec3 *high) {
    const fibre *f = bound;
    const double *p = points != NULL ? points : f->rest;
    (void)body;
    double most = p[6] * sni_fibre_profile_most(&f->profile, p[7]) / sni_fibre_half_axis(0.3);
    sn_vec3 a = {p[0], p[1], p[2]}, b = {p[3], p[4], p[5]}, border = {most, most, most};
    *low = sn_vec3_sub(sn_vec3_min(a, b), border);
    *high = sn_vec3_add(sn_vec3_max(a, b), border);
}

static void straight_see(const void *bound, const double *points, uint32_t body,
                         const sni_solid_view *view, void *seen) {
    const fibre *f = bound;
    straight s;
    assert_int_equal(body, 0);
    straight_read(f, points, &s);
    double most = sni_fibre_profile_most(&f->profile, s.section.activation);
    sni_fibre_lanes_make(&s.axis, &s.section, s.section.width * most, view, seen);
}

static float straight_at_least(sn_context *context, const void *seen, const float box[6]) {
    return sni_fibre_lanes_at_least(context, seen, box);
}

static void straight_distances(sn_context *context, const void *seen,
                               const sni_solid_places *places, sni_solid_distances *distances) {
    sni_fibre_lanes_field(context, seen, places, distances);
}

static void fibre_write(const fibre *f, sn_vec3 origin, sn_vec3 insertion, double activation,
                        double *points) {
    double rest = sn_vec3_distance(f->ends[0], f->ends[1]);
    double length = sn_vec3_distance(origin, insertion);
    const double all[9] = {origin.x,
                           origin.y,
                           origin.z,
                           insertion.x,
                           insertion.y,
                           insertion.z,
                           sni_fibre_width(f->volume, length, rest),
                           activation,
                           0};
    memcpy(points, all, sizeof all);
}

// A fibre with a belly of this radius at rest.
static void fibre_make(fibre *f, sn_vec3 origin, sn_vec3 insertion, double belly) {
    *f = (fibre){.profile = sni_fibre_profile_make((sni_beta){3, 3}, (sni_beta){4, 7}),
                 .ends = {origin, insertion}};
    double width = belly / sni_fibre_profile_most(&f->profile, 0);
    f->volume = SN_PI * width * width * sn_vec3_distance(origin, insertion);
    fibre_write(f, origin, insertion, 0, f->rest);
}

static sni_muscle_surface surface_of(const fibre *f, const char *name) {
    sni_muscle_solid solid = {.count = 1,
                              .distance = straight_at,
                              .box = straight_box,
                              .seen_bytes = sni_fibre_lanes_bytes(2),
                              .see = straight_see,
                              .seen_at_least = straight_at_least,
                              .seen_distances = straight_distances,
                              .bound = f,
                              .thickness = f->rest[6] * sni_fibre_profile_most(&f->profile, 0)};
    return (sni_muscle_surface){.name = name, .point_count = 3, .solid = solid};
}

// --- The limb

typedef struct limb {
    sn_context *context;
    uint32_t vertex_count, triangle_count;
    float *positions, *normals;
    uint32_t *triangles;
    sni_tracker_mesh rings;
    sni_skin_part part_items[2];
    sni_skin_parts parts;
    uint32_t segment_parts[2];
    sni_implicit_body body;
    uint32_t muscle_count;
    fibre fibres[MUSCLES_MOST];
    sni_implicit_muscles muscles;
    double now_points[9 * MUSCLES_MOST], before_points[9 * MUSCLES_MOST];
    bool has_before;
    sni_part_pose pose[2];
    const sni_tree_pose *tree_pose;
    double *values, *weights; // of the second bone
    uint8_t *statuses;
    sn_vec3 *now;
    sn_quat *rotations;
} limb;

static sni_tracked_value limb_at(const void *user, uint32_t vertex, sn_vec3 at) {
    const limb *l = user;
    sni_tree_value value = sni_field_tree_posed_at(&l->body.tree, l->tree_pose, 0, at);
    return (sni_tracked_value){value.field, value.part == l->parts.vertex_parts[vertex]};
}

// A capsule from -4 - 1 to 4 + 1: rings along its profile, and two poles.
static void lay_mesh(limb *l) {
    enum { CAP = 8 };
    uint32_t ring_count = SPACING + 2 * CAP;
    l->vertex_count = ring_count * AROUND + 2;
    l->triangle_count = 2 * AROUND * ring_count;
    l->positions = sni_alloc(l->context, 3 * (size_t)l->vertex_count, sizeof(float));
    l->normals = sni_alloc(l->context, 3 * (size_t)l->vertex_count, sizeof(float));
    l->triangles = sni_alloc(l->context, 3 * (size_t)l->triangle_count, sizeof(uint32_t));
    uint32_t *out = l->triangles, pole = l->vertex_count - 2;
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        uint32_t ring = i / AROUND;
        // From the middle of one cap to that of the other: how far around, and how far along.
        double angle = i >= pole              ? (i == pole ? -SN_PI / 2 : SN_PI / 2)
                       : ring < CAP           ? -SN_PI / 2 * (CAP - ring) / (CAP + 1)
                       : ring < CAP + SPACING ? 0
                                              : SN_PI / 2 * (ring - CAP - SPACING + 1) / (CAP + 1);
        double along = angle < 0   ? -4
                       : angle > 0 ? 4
                                   : -4 + 8.0 * ((double)ring - CAP) / (SPACING - 1);
        double turn = 2 * SN_PI * (i % AROUND + 0.5 * (ring % 2)) / AROUND;
        sn_vec3 n = {sin(angle), cos(angle) * cos(turn), cos(angle) * sin(turn)};
        sn_vec3_store(sn_vec3_add(sn_vec3_make(along, 0, 0), n), l->positions + 3 * (size_t)i);
        sn_vec3_store(n, l->normals + 3 * (size_t)i);
    }
    for (uint32_t ring = 0; ring + 1 < ring_count; ++ring) {
        for (uint32_t k = 0; k < AROUND; ++k) {
            uint32_t a = ring * AROUND + k, b = ring * AROUND + (k + 1) % AROUND;
            uint32_t c = a + AROUND, d = b + AROUND;
            uint32_t quads[2][6] = {{a, b, c, b, d, c}, {a, b, d, a, d, c}};
            memcpy(out, quads[ring % 2], 6 * sizeof *out);
            out += 6;
        }
    }
    for (uint32_t k = 0; k < AROUND; ++k) {
        uint32_t last = (ring_count - 1) * AROUND, next = (k + 1) % AROUND;
        memcpy(out, (uint32_t[6]){pole, next, k, pole + 1, last + k, last + next}, 6 * sizeof *out);
        out += 6;
    }
}

static double smoothstep(double u) {
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return u * u * (3 - 2 * u);
}

static sni_implicit_muscles_frame pose_muscles(limb *l, sni_arena *arena,
                                               const sni_part_pose *from) {
    sni_muscle_points posed[MUSCLES_MOST];
    for (uint32_t i = 0; i < l->muscle_count; ++i) {
        posed[i] = (sni_muscle_points){.contracted = l->now_points + 9 * (size_t)i,
                                       .solid = surface_of(&l->fibres[i], "").solid};
    }
    sni_implicit_muscles_frame frame;
    assert_true(sni_implicit_muscles_begin(&l->muscles, 2, arena, &frame));
    sni_implicit_muscles_step step = {.posed = posed,
                                      .before = l->has_before ? l->before_points : NULL,
                                      .from = from,
                                      .to = l->pose,
                                      .now = l->pose,
                                      .share = 1};
    sni_implicit_muscles_pose(&l->muscles, 2, &step, &frame);
    return frame;
}

static void make_fields(limb *l) {
    static char names[MUSCLES_MOST][16];
    sni_muscle_surface surfaces[MUSCLES_MOST];
    for (uint32_t i = 0; i < l->muscle_count; ++i) {
        snprintf(names[i], sizeof names[i], "muscle %u", i);
        surfaces[i] = surface_of(&l->fibres[i], names[i]);
        memcpy(l->now_points + 9 * (size_t)i, l->fibres[i].rest, sizeof l->fibres[i].rest);
    }
    sni_implicit_muscles_desc muscles = {l->muscle_count, surfaces, &l->parts, l->positions};
    snt_ok(sni_implicit_muscles_create(l->context, &muscles, &l->muscles, error));
    sni_implicit_body_desc body = {.vertex_count = l->vertex_count,
                                   .positions = l->positions,
                                   .normals = l->normals,
                                   .triangle_count = l->triangle_count,
                                   .triangles = l->triangles,
                                   .parts = &l->parts,
                                   .sample_count = 100,
                                   .muscles = &l->muscles};
    snt_ok(sni_implicit_body_create(l->context, &body, &l->body, error));
}

static void limb_make(limb *l, sn_context *context, uint32_t muscle_count, const fibre *fibres) {
    *l = (limb){.context = context, .muscle_count = muscle_count, .segment_parts = {0, 1}};
    memcpy(l->fibres, fibres, muscle_count * sizeof *fibres);
    lay_mesh(l);
    snt_ok(sni_tracker_mesh_create(context, l->vertex_count, l->positions, l->triangle_count,
                                   l->triangles, &l->rings, error));
    l->weights = sni_alloc(context, l->vertex_count, sizeof *l->weights);
    l->values = sni_alloc(context, l->vertex_count, sizeof *l->values);
    l->statuses = sni_alloc_zero(context, l->vertex_count, sizeof *l->statuses);
    l->now = sni_alloc(context, l->vertex_count, sizeof *l->now);
    l->rotations = sni_alloc(context, l->vertex_count, sizeof *l->rotations);
    l->part_items[0] =
        (sni_skin_part){.segment = 0, .parent = SN_NONE, .from = {-4, 0, 0}, .has_child = true};
    l->part_items[1] =
        (sni_skin_part){.segment = 1, .parent = 0, .joint = SNI_PART_HINGE, .to = {4, 0, 0}};
    l->parts =
        (sni_skin_parts){.count = 2,
                         .parts = l->part_items,
                         .vertex_count = l->vertex_count,
                         .vertex_parts = sni_alloc(context, l->vertex_count, sizeof(uint32_t)),
                         .segment_count = 2,
                         .segment_parts = l->segment_parts,
                         .group_count = 1};
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        l->weights[i] = smoothstep((l->positions[3 * i] + 1) / 2);
        l->parts.vertex_parts[i] = l->weights[i] > 0.5 ? 1 : 0;
    }
    make_fields(l);
    sni_arena arena;
    sni_arena_init(&arena, context);
    for (int k = 0; k < 2; ++k) {
        l->pose[k] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
    }
    sni_implicit_muscles_frame frame = pose_muscles(l, &arena, l->pose);
    sni_tree_pose rest = {l->pose, &frame.all};
    l->tree_pose = &rest;
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        l->now[i] = l->rings.rest[i];
        l->rotations[i] = sn_quat_identity();
        l->values[i] = limb_at(l, i, l->now[i]).field.value;
    }
    l->tree_pose = NULL;
    sni_arena_deinit(&arena);
}

static void limb_free(limb *l) {
    sn_context *context = l->context;
    sni_tracker_mesh_free(context, &l->rings);
    sni_implicit_body_free(context, &l->body);
    sni_implicit_muscles_free(context, &l->muscles);
    sni_free(context, l->parts.vertex_parts);
    sni_free(context, l->positions);
    sni_free(context, l->normals);
    sni_free(context, l->triangles);
    sni_free(context, l->weights);
    sni_free(context, l->values);
    sni_free(context, l->statuses);
    sni_free(context, l->now);
    sni_free(context, l->rotations);
}

typedef struct step_report {
    double residual; // largest |f - value| outside of contact
    double slope;    // least |grad f| of the skin
    double step;     // largest of a vertex
    uint32_t contacts, inverted;
} step_report;

// Triangles whose normal faces against the gradient's outside.
static uint32_t count_inverted(const limb *l) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->triangle_count; ++i) {
        const uint32_t *v = l->triangles + 3 * (size_t)i;
        sn_vec3 a = l->now[v[0]], b = l->now[v[1]], c = l->now[v[2]];
        sn_vec3 normal = sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
        sn_vec3 middle = sn_vec3_scale(sn_vec3_add(sn_vec3_add(a, b), c), 1.0 / 3);
        sn_vec3 inwards = limb_at(l, v[0], middle).field.gradient;
        count += sn_vec3_dot(normal, inwards) > 0;
    }
    return count;
}

// Bends to an angle, activates to `activation`, and tracks.
static step_report limb_step(limb *l, double degrees, double activation) {
    step_report report = {.slope = INFINITY};
    sni_part_pose before[2] = {l->pose[0], l->pose[1]};
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), degrees * SN_PI / 180);
    l->pose[1].turn = turn;
    for (uint32_t i = 0; i < l->muscle_count; ++i) {
        const fibre *f = &l->fibres[i];
        bool crosses = f->ends[1].x > 0;
        fibre_write(f, f->ends[0], crosses ? sn_quat_rotate(turn, f->ends[1]) : f->ends[1],
                    activation, l->now_points + 9 * (size_t)i);
    }
    sn_vec3 *start = sni_alloc(l->context, l->vertex_count, sizeof *start);
    memcpy(start, l->now, l->vertex_count * sizeof *start);
    sn_quat change = sn_quat_multiply(turn, sn_quat_conjugate(before[1].turn));
    for (uint32_t i = 0; i < l->vertex_count; ++i) { // about the joint: dual parts are 0
        sn_quat q = sn_quat_slerp(sn_quat_identity(), change, l->weights[i]);
        l->now[i] = sn_quat_rotate(q, l->now[i]);
        l->rotations[i] = sn_quat_multiply(q, l->rotations[i]);
    }
    sni_arena arena;
    sni_arena_init(&arena, l->context);
    sni_implicit_muscles_frame frame = pose_muscles(l, &arena, before);
    sni_tree_pose pose = {l->pose, &frame.all};
    l->tree_pose = &pose;
    sni_tracker_settings settings = sni_tracker_settings_of(l->body.smallest_radius);
    sni_tracking tracking = {l->context, &l->rings,   &settings, limb_at,     l,
                             l->values,  l->statuses, l->now,    l->rotations};
    assert_true(sni_track(&tracking, &arena));
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        sni_field_value here = limb_at(l, i, l->now[i]).field;
        if (l->weights[i] == 0) {
            report.step = fmax(report.step, sn_vec3_distance(start[i], l->now[i]));
        }
        if (l->statuses[i] == SNI_TRACK_CONTACT) {
            ++report.contacts;
        } else {
            report.residual = fmax(report.residual, fabs(here.value - l->values[i]));
            report.slope = fmin(report.slope, sn_vec3_length(here.gradient));
        }
    }
    report.inverted = count_inverted(l);
    memcpy(l->before_points, l->now_points, sizeof l->before_points);
    l->has_before = true;
    l->tree_pose = NULL;
    sni_arena_deinit(&arena);
    sni_free(l->context, start);
    return report;
}

// How far the skin of the upper arm is raised most, and how far it sinks most.
static void raised(const limb *l, double *most, double *least) {
    *most = *least = 0;
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        if (l->rings.rest[i].x < -1.2) {
            sn_vec3 p = l->now[i];
            sn_vec3 rest = l->rings.rest[i];
            double by = sqrt(p.y * p.y + p.z * p.z) - sqrt(rest.y * rest.y + rest.z * rest.z);
            *most = rest.x > -4 ? fmax(*most, by) : *most;
            *least = rest.x > -4 ? fmin(*least, by) : *least;
        }
    }
}

static fibre biceps(double belly, double depth) {
    fibre f;
    fibre_make(&f, sn_vec3_make(-3.8, depth, 0), sn_vec3_make(0.7, depth, 0), belly);
    return f;
}

// The figures are those of section 8 of the design: a belly of half the limb's radius is to raise
// the skin by 0.13 of it when activated and by 0.29 when flexed, one of 0.7 by 0.17 and 0.37.
static void a_biceps_raises_the_skin(void **state) {
    (void)state;
    static const double shapes[2][4] = {{0.5, 0.45, 0.13, 0.29}, {0.7, 0.25, 0.17, 0.37}};
    for (int k = 0; k < 2; ++k) {
        sn_context *context = snt_context(0);
        limb l;
        fibre f = biceps(shapes[k][0], shapes[k][1]);
        limb_make(&l, context, 1, &f);
        double most, least;
        for (double a = 0.25; a <= 1; a += 0.25) {
            step_report r = limb_step(&l, 0, a);
            assert_true(r.residual < 2e-3 && r.slope > 0.8 && r.inverted == 0 && r.contacts == 0);
            assert_true(r.step < 0.06);
        }
        raised(&l, &most, &least);
        snt_near(most, shapes[k][2], 0.02);
        assert_true(least > -0.2); // flesh goes towards the origin
        // Relaxed, the skin is where it was.
        limb_step(&l, 0, 0);
        raised(&l, &most, &least);
        assert_true(most < 0.01 && least > -0.01);
        limb_free(&l);
        limb_make(&l, context, 1, &f);
        for (double degrees = 5; degrees <= 80; degrees += 5) {
            step_report r = limb_step(&l, degrees, degrees / 80);
            assert_true(r.residual < 2e-3 && r.slope > 0.7 && r.inverted == 0 && r.contacts <= 2);
            assert_true(r.step < 0.09);
        }
        raised(&l, &most, &least);
        snt_near(most, shapes[k][3], 0.035);
        limb_free(&l);
        snt_context_end(context);
    }
}

// At rest nothing moves, whatever muscles there are; and a muscle deep inside leaves the field of
// its part, samples and all, as it is without it.
static void rest_stays(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    limb with, without;
    fibre f = biceps(0.5, 0.45);
    limb_make(&with, context, 1, &f);
    step_report r = limb_step(&with, 0, 0);
    assert_true(r.step < 1e-6);
    limb_free(&with);
    fibre_make(&f, sn_vec3_make(-3, 0, 0), sn_vec3_make(-1, 0, 0), 0.2);
    limb_make(&with, context, 1, &f);
    limb_make(&without, context, 0, &f);
    assert_memory_equal(with.values, without.values, with.vertex_count * sizeof *with.values);
    limb_step(&with, 0, 1);
    for (uint32_t i = 0; i < with.vertex_count; ++i) {
        snt_near(sn_vec3_distance(with.now[i], with.rings.rest[i]), 0, 1e-6);
    }
    limb_free(&with);
    limb_free(&without);
    snt_context_end(context);
}

// The forearm has no muscle: its field has the same bits as without any; and so has skin on it.
static void a_part_without_muscles_is_as_it_was(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    limb with, without;
    fibre f;
    fibre_make(&f, sn_vec3_make(-3.8, 0.45, 0), sn_vec3_make(-1.2, 0.45, 0), 0.5);
    limb_make(&with, context, 1, &f);
    limb_make(&without, context, 0, &f);
    const sni_hrbf *a = &with.body.parts[1].hrbf, *b = &without.body.parts[1].hrbf;
    assert_int_equal(a->center_count, b->center_count);
    assert_memory_equal(a->centers, b->centers, a->center_count * sizeof *a->centers);
    assert_true(with.body.parts[1].radius == without.body.parts[1].radius);
    for (uint32_t i = 0; i < with.vertex_count; ++i) {
        if (with.rings.rest[i].x > 2.5) {
            assert_true(with.values[i] == without.values[i]);
        }
    }
    assert_int_equal(with.muscles.starts[1], 1);
    assert_int_equal(with.muscles.starts[2], 1);
    limb_free(&with);
    limb_free(&without);
    snt_context_end(context);
}

// A muscle with its belly across the hinge belongs to both parts, and bends without a fold: both
// parts do not touch each other within it.
static void a_muscle_over_the_hinge_belongs_to_both(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    limb l;
    fibre f;
    fibre_make(&f, sn_vec3_make(-3, 0.4, 0), sn_vec3_make(2, 0.4, 0), 0.5);
    limb_make(&l, context, 1, &f);
    assert_int_equal(l.muscles.starts[1], 1);
    assert_int_equal(l.muscles.starts[2], 2);
    assert_int_equal(l.muscles.carriers[0], 0); // that of its origin
    for (double degrees = 5; degrees <= 60; degrees += 5) {
        step_report r = limb_step(&l, degrees, degrees / 60);
        assert_true(r.residual < 0.05 && r.slope > 0.5 && r.inverted == 0 && r.contacts <= 2);
        assert_true(r.step < 0.09);
    }
    limb_free(&l);
    snt_context_end(context);
}

// Thirty muscles around one bone, side by side.
static void many_muscles_on_one_part(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    limb l;
    fibre fibres[30];
    for (int i = 0; i < 30; ++i) {
        double turn = 2 * SN_PI * i / 30, y = 0.78 * cos(turn), z = 0.78 * sin(turn);
        fibre_make(&fibres[i], sn_vec3_make(-3.7, y, z), sn_vec3_make(-0.3, y, z), 0.2);
    }
    limb_make(&l, context, 30, fibres);
    for (double a = 0.5; a <= 1; a += 0.5) {
        step_report r = limb_step(&l, 0, a);
        assert_true(r.residual < 2e-3 && r.slope > 0.5 && r.inverted == 0);
    }
    double most, least;
    raised(&l, &most, &least);
    assert_true(most > 0.02 && most < 0.2 && least > -0.2);
    limb_free(&l);
    snt_context_end(context);
}

// On the way between two frames a muscle goes from the one to the other, carried by its part; its
// gradients are those of its values, and its box holds it.
static void muscles_go_from_frame_to_frame(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    limb l;
    fibre f = biceps(0.5, 0.45);
    limb_make(&l, context, 1, &f);
    fibre_write(&f, f.ends[0], f.ends[1], 0.2, l.before_points);
    // The whole limb turns while it is activated.
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 1);
    sni_part_pose from[2] = {l.pose[0], l.pose[1]}, to[2], now[2];
    sn_quat half = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 0.5);
    for (int k = 0; k < 2; ++k) {
        to[k] = (sni_part_pose){turn, {0, 0, 3}};
        now[k] = (sni_part_pose){half, {0, 0, 1.5}};
    }
    sn_vec3 ends[2];
    for (int k = 0; k < 2; ++k) {
        ends[k] = sn_vec3_add(sn_quat_rotate(turn, f.ends[k]), sn_vec3_make(0, 0, 3));
    }
    fibre_write(&f, ends[0], ends[1], 0.9, l.now_points);
    sni_muscle_points posed = {.contracted = l.now_points, .solid = surface_of(&f, "").solid};
    sni_arena arena;
    sni_arena_init(&arena, context);
    sni_implicit_muscles_frame frame;
    assert_true(sni_implicit_muscles_begin(&l.muscles, 2, &arena, &frame));
    sni_implicit_muscles_step step = {&posed, l.before_points, from, to, now, 0.5};
    sni_implicit_muscles_pose(&l.muscles, 2, &step, &frame);
    const sni_field_muscle *muscle = &frame.fields[0];
    snt_random random = {8};
    uint32_t inside = 0;
    for (int i = 0; i < 2000; ++i) {
        sn_vec3 rest = {snt_random_range(&random, -4.5, 1.5), snt_random_range(&random, -1, 2),
                        snt_random_range(&random, -1, 1)};
        sn_vec3 at = sn_vec3_add(sn_quat_rotate(half, rest), now[0].shift), nothing;
        // The section stays that of e_z as the wide direction, which the turn leaves alone.
        double wanted =
            (straight_at(&f, l.before_points, 0, rest, &nothing) +
             straight_at(&f, l.now_points, 0, sn_vec3_add(sn_quat_rotate(turn, rest), to[0].shift),
                         &nothing)) /
            2;
        sni_distance_value here = muscle->distance(muscle->user, at);
        snt_near(here.distance, wanted, 1e-9);
        double size = 1e-6;
        snt_near(
            (muscle->distance(muscle->user, sn_vec3_add_scaled(at, size, here.gradient)).distance -
             here.distance) /
                size,
            sn_vec3_dot(here.gradient, here.gradient), 2e-2);
        bool is_in = at.x > muscle->low.x && at.y > muscle->low.y && at.z > muscle->low.z &&
                     at.x < muscle->high.x && at.y < muscle->high.y && at.z < muscle->high.z;
        assert_true(is_in || here.distance > 0);
        inside += here.distance < 0;
    }
    assert_true(inside > 20);
    sni_arena_deinit(&arena);
    limb_free(&l);
    snt_context_end(context);
}

static void what_is_no_solid_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    limb l;
    fibre f = biceps(0.5, 0.45);
    limb_make(&l, context, 0, &f);
    sni_muscle_surface flat = {.name = "frontalis"};
    sni_implicit_muscles_desc desc = {1, &flat, &l.parts, l.positions};
    sni_implicit_muscles muscles;
    snt_fails(SN_INVALID, "implicit: muscle 0 (\"frontalis\") is no solid",
              sni_implicit_muscles_create(context, &desc, &muscles, error));
    sni_implicit_muscles_free(context, &muscles);
    limb_free(&l);
    snt_context_end(context);
}

// --- The same without tracking: what muscles move the skin by, from where bones have it

typedef struct skin {
    limb l;
    uint32_t *offsets, *segments, *map;
    float *weights, *points;
    sn_mat4 rest_worlds[2], worlds[2];
    sni_flesh flesh;
} skin;

static void skin_make(skin *s, sn_context *context, uint32_t muscle_count, const fibre *fibres) {
    limb_make(&s->l, context, muscle_count, fibres);
    uint32_t count = s->l.vertex_count;
    s->offsets = sni_alloc(context, (size_t)count + 1, sizeof *s->offsets);
    s->segments = sni_alloc(context, 2 * (size_t)count, sizeof *s->segments);
    s->weights = sni_alloc(context, 2 * (size_t)count, sizeof *s->weights);
    s->points = sni_alloc(context, 3 * (size_t)count, sizeof *s->points);
    s->map = sni_alloc(context, (size_t)count + 1, sizeof *s->map);
    for (uint32_t v = 0; v <= count; ++v) {
        s->offsets[v] = 2 * v;
        s->map[v] = v;
        for (uint32_t k = 0; k < 2 && v < count; ++k) {
            s->segments[2 * v + k] = k;
            s->weights[2 * v + k] = (float)(k == 1 ? s->l.weights[v] : 1 - s->l.weights[v]);
        }
    }
    s->rest_worlds[0] = s->rest_worlds[1] = sn_mat4_identity();
    s->rest_worlds[0].m[12] = -4;
    sni_muscle_surface surfaces[MUSCLES_MOST];
    for (uint32_t i = 0; i < muscle_count; ++i) {
        surfaces[i] = surface_of(&s->l.fibres[i], "muscle");
    }
    sni_flesh_desc desc = {.body = {.vertex_count = count,
                                    .positions = s->l.positions,
                                    .normals = s->l.normals,
                                    .triangle_count = s->l.triangle_count,
                                    .triangles = s->l.triangles,
                                    .parts = &s->l.parts,
                                    .sample_count = 100,
                                    .grid = 0.1},
                           .muscle_count = muscle_count,
                           .muscles = surfaces,
                           .rest_worlds = s->rest_worlds,
                           .offsets = s->offsets,
                           .segments = s->segments,
                           .weights = s->weights,
                           .map = s->map};
    snt_ok(sni_flesh_create(context, &desc, &s->flesh, error));
}

static void skin_free(skin *s) {
    sn_context *context = s->l.context;
    sni_flesh_free(context, &s->flesh);
    sni_free(context, s->map);
    sni_free(context, s->offsets);
    sni_free(context, s->segments);
    sni_free(context, s->weights);
    sni_free(context, s->points);
    limb_free(&s->l);
}

// Moves the whole limb, bends it, activates its muscles; `points` are the skin's, where bones have
// it before.
static void skin_pose(skin *s, const sn_transform *whole, double degrees, double activation,
                      float *before) {
    limb *l = &s->l;
    sn_mat4 body = sn_mat4_from_transform(whole);
    sn_transform bend = sn_transform_identity();
    bend.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), degrees * SN_PI / 180);
    sn_mat4 fold = sn_mat4_from_transform(&bend);
    s->worlds[0] = sn_mat4_multiply(&body, &s->rest_worlds[0]);
    s->worlds[1] = sn_mat4_multiply(&body, &fold);
    sni_muscle_points posed[MUSCLES_MOST];
    for (uint32_t i = 0; i < l->muscle_count; ++i) {
        const fibre *f = &l->fibres[i];
        sn_vec3 end = f->ends[1].x > 0 ? sn_mat4_point(&fold, f->ends[1]) : f->ends[1];
        double *points = l->now_points + 9 * (size_t)i;
        fibre_write(f, sn_mat4_point(&body, f->ends[0]), sn_mat4_point(&body, end), activation,
                    points);
        // Widths are those of the limb's size.
        posed[i] =
            (sni_muscle_points){.contracted = points, .solid = surface_of(&l->fibres[i], "").solid};
    }
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        sn_quat q = sn_quat_slerp(sn_quat_identity(), bend.rotation, l->weights[v]);
        sn_vec3 p = sn_mat4_point(&body, sn_quat_rotate(q, l->rings.rest[v]));
        sn_vec3_store(p, s->points + 3 * (size_t)v);
    }
    if (before != NULL) {
        memcpy(before, s->points, 3 * (size_t)l->vertex_count * sizeof *before);
    }
    sni_arena arena;
    sni_arena_init(&arena, l->context);
    sni_flesh_job job = {l->context, &arena, &l->rings, s->map, s->worlds, posed, s->points};
    assert_true(sni_flesh_run(&s->flesh, &job));
    sni_arena_deinit(&arena);
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        l->now[v] = sn_vec3_load(s->points + 3 * (size_t)v);
    }
}

static void the_skin_rises_above_muscles_from_where_bones_have_it(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    static const double shapes[2][4] = {{0.5, 0.45, 0.13, 0.29}, {0.7, 0.25, 0.17, 0.37}};
    sn_transform still = sn_transform_identity();
    for (int k = 0; k < 2; ++k) {
        skin s;
        fibre f = biceps(shapes[k][0], shapes[k][1]);
        skin_make(&s, context, 1, &f);
        // The skin at rest lies within a few hundredths of the surface of limb and muscle.
        assert_true(s.flesh.fit.vertex_count > 200 && s.flesh.fit.mean < 0.05);
        assert_true(s.flesh.fit.width >= 0.6 && s.flesh.fit.width <= 1.5);
        assert_true(s.flesh.fit.best <= 1.1 * s.flesh.fit.mean);
        double most, least;
        skin_pose(&s, &still, 0, 0, NULL);
        assert_memory_equal(s.points, s.l.positions,
                            3 * (size_t)s.l.vertex_count * sizeof *s.points);
        skin_pose(&s, &still, 0, 1, NULL);
        raised(&s.l, &most, &least);
        snt_near(most, shapes[k][2], 0.03);
        assert_true(least > -0.2);
        skin_pose(&s, &still, 80, 1, NULL);
        raised(&s.l, &most, &least);
        snt_near(most, shapes[k][3], 0.06);
        skin_free(&s);
    }
    snt_context_end(context);
}

// A body that is turned, moved and made larger as a whole: so is what its muscles do. (Widths of
// the fibres here do not grow with the body, so it keeps its size.)
static void the_body_as_a_whole_does_not_matter(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    skin s;
    fibre f = biceps(0.5, 0.45);
    skin_make(&s, context, 1, &f);
    sn_transform whole = sn_transform_identity();
    skin_pose(&s, &whole, 40, 0.7, NULL);
    sn_vec3 *here = sni_alloc(context, s.l.vertex_count, sizeof *here);
    memcpy(here, s.l.now, s.l.vertex_count * sizeof *here);
    // About the wide direction of the fibre here, which stays along z.
    whole.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 2);
    whole.translation = sn_vec3_make(3, 1, -2);
    skin_pose(&s, &whole, 40, 0.7, NULL);
    for (uint32_t v = 0; v < s.l.vertex_count; ++v) {
        sn_vec3 wanted = sn_vec3_add(sn_quat_rotate(whole.rotation, here[v]), whole.translation);
        snt_near(sn_vec3_distance(s.l.now[v], wanted), 0, 1e-4);
    }
    sni_free(context, here);
    skin_free(&s);
    snt_context_end(context);
}

static void threads_do_not_show(void **state) {
    (void)state;
    float *first = NULL;
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        sn_context *context = snt_context(threads);
        skin s;
        fibre f = biceps(0.7, 0.25);
        skin_make(&s, context, 1, &f);
        sn_transform still = sn_transform_identity();
        skin_pose(&s, &still, 50, 0.5, NULL);
        size_t bytes = 3 * (size_t)s.l.vertex_count * sizeof *first;
        if (first == NULL) {
            first = test_malloc(bytes);
            memcpy(first, s.points, bytes);
        }
        assert_memory_equal(first, s.points, bytes);
        skin_free(&s);
        snt_context_end(context);
    }
    test_free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_biceps_raises_the_skin),
        cmocka_unit_test(rest_stays),
        cmocka_unit_test(a_part_without_muscles_is_as_it_was),
        cmocka_unit_test(a_muscle_over_the_hinge_belongs_to_both),
        cmocka_unit_test(many_muscles_on_one_part),
        cmocka_unit_test(muscles_go_from_frame_to_frame),
        cmocka_unit_test(what_is_no_solid_is_refused),
        cmocka_unit_test(the_skin_rises_above_muscles_from_where_bones_have_it),
        cmocka_unit_test(the_body_as_a_whole_does_not_matter),
        cmocka_unit_test(threads_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
