// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "field/samples.h"
#include "field/tree.h"
#include "skin/implicit/rings.h"

// --- Fields without a mesh

// Two unit balls, the first around the origin.
typedef struct balls {
    sn_vec3 second;
    bool both;
} balls;

static sni_field_value ball_at(sn_vec3 center, sn_vec3 at) {
    sn_vec3 d = sn_vec3_sub(at, center);
    double length = sn_vec3_length(d);
    sni_distance_value value = {length - 1, sn_vec3_normalize_or(d, sn_vec3_make(1, 0, 0))};
    return sni_support_field(value, 1);
}

static sni_tracked_value balls_at(const void *user, uint32_t vertex, sn_vec3 at) {
    (void)vertex;
    const balls *b = user;
    sni_field_value first = ball_at(sn_vec3_make(0, 0, 0), at);
    if (!b->both) {
        return (sni_tracked_value){first, true};
    }
    sni_field_value second = ball_at(b->second, at);
    sni_composed g = sni_contact(first.value, second.value);
    return (sni_tracked_value){sni_compose(g, first, second), first.value >= second.value};
}

// Loose points, which are not relaxed.
static void track_points(sn_context *context, const balls *field, uint32_t count,
                         sn_vec3 *positions, uint8_t *statuses,
                         const sni_tracker_settings *settings) {
    uint32_t starts[64] = {0};
    uint8_t fixed[64];
    double values[64];
    sn_quat rotations[64];
    for (uint32_t i = 0; i < count; ++i) {
        fixed[i] = 1;
        values[i] = 0.5;
        rotations[i] = sn_quat_identity();
    }
    sni_tracker_mesh mesh = {count, positions, starts, NULL, NULL, fixed, 0.1};
    sni_tracking tracking = {context, &mesh,    settings,  balls_at, field,
                             values,  statuses, positions, rotations};
    sni_arena arena;
    sni_arena_init(&arena, context);
    assert_true(sni_track(&tracking, &arena));
    sni_arena_deinit(&arena);
}

static void a_point_reaches_a_ball_in_the_steps_of_the_specification(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double rows[3][4] = {
        {1.3, 1.05, 1.0, 1.0}, {1.6, 1.35, 1.1, 1.0}, {0.6, 0.85, 1.0, 1.0}};
    balls field = {{0, 0, 0}, false};
    for (int row = 0; row < 3; ++row) {
        for (uint32_t k = 1; k < 4; ++k) {
            sni_tracker_settings settings = sni_tracker_settings_of(1);
            settings.stride = 1;
            settings.iterations = k;
            settings.projections = 0;
            sn_vec3 at = {rows[row][0], 0, 0};
            uint8_t status = 0;
            track_points(context, &field, 1, &at, &status, &settings);
            snt_near(at.x, rows[row][k], 1e-9);
        }
    }
    snt_context_end(context);
}

// Points of one ball that begin inside of another stop at the plane between both.
static void points_stop_where_two_balls_meet(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    balls field = {{1.8, 0, 0}, true};
    sn_vec3 positions[40];
    uint8_t statuses[40] = {0};
    for (int degree = 0; degree < 40; ++degree) {
        double angle = degree * SN_PI / 180;
        positions[degree] = sn_vec3_make(cos(angle), sin(angle), 0);
    }
    sni_tracker_settings settings = sni_tracker_settings_of(1);
    settings.projections = 0;
    track_points(context, &field, 40, positions, statuses, &settings);
    for (int degree = 0; degree < 40; ++degree) {
        if (degree <= 25) {
            assert_true(statuses[degree] == SNI_TRACK_CONTACT ||
                        statuses[degree] == SNI_TRACK_DONE);
            snt_near(positions[degree].x, 0.9, 0.002);
        } else if (degree >= 27) {
            snt_near(positions[degree].x, cos(degree * SN_PI / 180), 1e-9);
        }
    }
    snt_context_end(context);
}

static void rotations_are_found(void **state) {
    (void)state;
    snt_random random = {4};
    for (int i = 0; i < 200; ++i) {
        sn_vec3 axis = {snt_random_range(&random, -1, 1), snt_random_range(&random, -1, 1),
                        snt_random_range(&random, -1, 1)};
        axis = sn_vec3_normalize_or(axis, sn_vec3_make(1, 0, 0));
        sn_quat q = sn_quat_from_axis_angle(axis, snt_random_range(&random, -1, 1));
        // A symmetric positive matrix turned by q has q for its rotation.
        sn_vec3 sums[3] = {sn_quat_rotate(q, sn_vec3_make(1, 0.2, 0.1)),
                           sn_quat_rotate(q, sn_vec3_make(0.2, 0.7, -0.1)),
                           sn_quat_rotate(q, sn_vec3_make(0.1, -0.1, 0.4))};
        sn_quat found = sni_fit_rotation(sums, sn_quat_identity());
        snt_near(fabs(sn_quat_dot(found, q)), 1, 1e-12);
    }
}

// --- A limb: a capsule of radius 1 around two bones of length 4 along x

enum { AROUND = 28, SPACING = 61 };

typedef struct limb {
    sn_context *context;
    uint32_t vertex_count, triangle_count;
    float *positions, *normals;
    uint32_t *triangles;
    sni_tracker_mesh rings;
    sni_field_part parts[2];
    sni_field_joint joint;
    uint8_t contacts[4];
    sni_field_tree tree;
    sni_part_pose pose[2];
    double *values, *weights; // of the second bone
    uint8_t *statuses;
    sn_vec3 *now;
    sn_quat *rotations;
} limb;

static sni_tracked_value limb_at(const void *user, uint32_t vertex, sn_vec3 at) {
    const limb *l = user;
    sni_tree_value value = sni_field_tree_at(&l->tree, l->pose, 0, at);
    uint32_t own = l->weights[vertex] > 0.5 ? 1 : 0;
    return (sni_tracked_value){value.field, value.part == own};
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
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        double x, r, across;
        uint32_t ring = i / AROUND, pole = l->vertex_count - 2;
        if (i >= pole) {
            x = i == pole ? -5 : 5;
            r = 0;
            across = i == pole ? -1 : 1;
        } else if (ring < CAP || ring >= CAP + SPACING) {
            bool left = ring < CAP;
            uint32_t step = left ? CAP - ring : ring - CAP - SPACING + 1;
            double angle = SN_PI / 2 * step / (CAP + 1);
            across = left ? -sin(angle) : sin(angle);
            x = (left ? -4 : 4) + across;
            r = cos(angle);
        } else {
            x = -4 + 8.0 * (ring - CAP) / (SPACING - 1);
            r = 1;
            across = 0;
        }
        double turn = 2 * SN_PI * (i % AROUND + 0.5 * (ring % 2)) / AROUND;
        sn_vec3 p = {x, r * cos(turn), r * sin(turn)}, n = {across, p.y, p.z};
        sn_vec3_store(p, l->positions + 3 * (size_t)i);
        sn_vec3_store(sn_vec3_normalize_or(n, n), l->normals + 3 * (size_t)i);
    }
    uint32_t *out = l->triangles, pole = l->vertex_count - 2;
    for (uint32_t ring = 0; ring + 1 < ring_count; ++ring) {
        for (uint32_t k = 0; k < AROUND; ++k) {
            uint32_t a = ring * AROUND + k, b = ring * AROUND + (k + 1) % AROUND;
            uint32_t c = a + AROUND, d = b + AROUND;
            // The diagonal goes along the shift of every second ring.
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
    assert_int_equal(out - l->triangles, 3 * (size_t)l->triangle_count);
}

static double smoothstep(double u) {
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return u * u * (3 - 2 * u);
}

// The field of one bone: samples of the triangles that it owns, and caps of radius 1 where it meets
// the other.
static void fit_part(limb *l, uint32_t part, uint32_t sample_count, uint32_t seed) {
    uint32_t *own = sni_alloc(l->context, 3 * (size_t)l->triangle_count, sizeof *own), count = 0;
    for (uint32_t i = 0; i < l->triangle_count; ++i) {
        const uint32_t *v = l->triangles + 3 * (size_t)i;
        bool all = true;
        for (int k = 0; k < 3; ++k) {
            all = all && (l->weights[v[k]] > 0.5) == (part == 1);
        }
        if (all) {
            memcpy(own + 3 * (size_t)count++, v, 3 * sizeof *own);
        }
    }
    sni_sampled_surface surface = {count, own, l->positions, l->normals};
    sni_hrbf_sample *samples = sni_alloc(l->context, 2 * (size_t)sample_count + 2, sizeof *samples);
    double *areas = sni_alloc(l->context, count, sizeof *areas);
    uint32_t found = sni_sample_surface(&surface, sample_count, seed, areas, samples);
    assert_true(found >= 0.8 * sample_count && found <= 1.2 * sample_count);
    double along = part == 0 ? 1 : -1;
    samples[found++] = (sni_hrbf_sample){{along, 0, 0}, {along, 0, 0}};
    sni_field_part *p = &l->parts[part];
    snt_ok(sni_hrbf_fit(l->context, samples, found, SNI_HRBF_AFFINE, &p->hrbf, error));
    p->radius = 1;
    p->low = sn_vec3_make(part == 0 ? -7 : -2.5, -2.5, -2.5);
    p->high = sn_vec3_make(part == 0 ? 2.5 : 7, 2.5, 2.5);
    sni_free(l->context, own);
    sni_free(l->context, samples);
    sni_free(l->context, areas);
}

static void limb_make(limb *l, sn_context *context, uint32_t seed) {
    *l = (limb){.context = context};
    lay_mesh(l);
    snt_ok(sni_tracker_mesh_create(context, l->vertex_count, l->positions, l->triangle_count,
                                   l->triangles, &l->rings, error));
    l->weights = sni_alloc(context, l->vertex_count, sizeof *l->weights);
    l->values = sni_alloc(context, l->vertex_count, sizeof *l->values);
    l->statuses = sni_alloc_zero(context, l->vertex_count, sizeof *l->statuses);
    l->now = sni_alloc(context, l->vertex_count, sizeof *l->now);
    l->rotations = sni_alloc(context, l->vertex_count, sizeof *l->rotations);
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        l->weights[i] = smoothstep((l->positions[3 * i] + 1) / 2);
    }
    for (uint32_t part = 0; part < 2; ++part) {
        fit_part(l, part, 100, seed + part);
        l->pose[part] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
    }
    l->joint = (sni_field_joint){{0, 1}, &sni_controller_elbow, SNI_OPENING_STANDARD};
    l->contacts[1] = l->contacts[2] = SNI_CONTACT_HINGE;
    static const uint32_t starts[2] = {0, 2}, both[2] = {0, 1};
    l->tree = (sni_field_tree){2, l->parts, 1, &l->joint, l->contacts, 1, starts, both};
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        l->now[i] = l->rings.rest[i];
        l->rotations[i] = sn_quat_identity();
        l->values[i] = limb_at(l, i, l->now[i]).field.value;
    }
}

static void limb_free(limb *l) {
    sn_context *context = l->context;
    sni_tracker_mesh_free(context, &l->rings);
    sni_hrbf_free(context, &l->parts[0].hrbf);
    sni_hrbf_free(context, &l->parts[1].hrbf);
    sni_free(context, l->positions);
    sni_free(context, l->normals);
    sni_free(context, l->triangles);
    sni_free(context, l->weights);
    sni_free(context, l->values);
    sni_free(context, l->statuses);
    sni_free(context, l->now);
    sni_free(context, l->rotations);
}

// Carries vertices by the change of both poses, blended by dual quaternions, and tracks them.
static void limb_step(limb *l, const sni_part_pose next[2]) {
    sn_dual_quat changes[2];
    for (int k = 0; k < 2; ++k) {
        sn_quat turn = sn_quat_multiply(next[k].turn, sn_quat_conjugate(l->pose[k].turn));
        sn_vec3 shift = sn_vec3_sub(next[k].shift, sn_quat_rotate(turn, l->pose[k].shift));
        changes[k].real = turn;
        sn_quat t = {shift.x, shift.y, shift.z, 0};
        changes[k].dual = sn_quat_scale(sn_quat_multiply(t, turn), 0.5);
        l->pose[k] = next[k];
    }
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        double w = l->weights[i];
        sn_quat real =
            sn_quat_add(sn_quat_scale(changes[0].real, 1 - w), sn_quat_scale(changes[1].real, w));
        sn_quat dual =
            sn_quat_add(sn_quat_scale(changes[0].dual, 1 - w), sn_quat_scale(changes[1].dual, w));
        double length = sqrt(sn_quat_dot(real, real));
        real = sn_quat_scale(real, 1 / length);
        dual = sn_quat_scale(dual, 1 / length);
        sn_quat t = sn_quat_scale(sn_quat_multiply(dual, sn_quat_conjugate(real)), 2);
        l->now[i] = sn_vec3_add(sn_quat_rotate(real, l->now[i]), sn_vec3_make(t.x, t.y, t.z));
        l->rotations[i] = sn_quat_multiply(real, l->rotations[i]);
    }
    sni_tracker_settings settings = sni_tracker_settings_of(1);
    sni_tracking tracking = {l->context, &l->rings,   &settings, limb_at,     l,
                             l->values,  l->statuses, l->now,    l->rotations};
    sni_arena arena;
    sni_arena_init(&arena, l->context);
    assert_true(sni_track(&tracking, &arena));
    sni_arena_deinit(&arena);
}

static void rest_stays_and_rigid_motion_is_rigid(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    limb l;
    limb_make(&l, context, 1);
    sni_part_pose same[2] = {l.pose[0], l.pose[1]};
    limb_step(&l, same);
    for (uint32_t i = 0; i < l.vertex_count; ++i) {
        snt_near(sn_vec3_distance(l.now[i], l.rings.rest[i]), 0, 1e-6);
    }
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0.6, 0, 0.8), 1);
    sni_part_pose moved[2] = {{turn, {3, -2, 5}}, {turn, {3, -2, 5}}};
    limb_step(&l, moved);
    for (uint32_t i = 0; i < l.vertex_count; ++i) {
        sn_vec3 expected =
            sn_vec3_add(sn_quat_rotate(turn, l.rings.rest[i]), sn_vec3_make(3, -2, 5));
        snt_near(sn_vec3_distance(l.now[i], expected), 0, 1e-4);
    }
    limb_free(&l);
    snt_context_end(context);
}

typedef struct bend_report {
    double residual;  // largest |f - value| outside of contact
    double crossing;  // deepest way of a vertex into the other part's side
    double edge_most; // largest stretch of an edge
    double jump;      // largest step of a vertex over that of the outer bone there
    uint32_t contacts;
} bend_report;

static bend_report bend(limb *l, double from, double to, double by) {
    bend_report report = {0};
    sn_vec3 *before = sni_alloc(l->context, l->vertex_count, sizeof *before);
    for (double angle = from + by; angle <= to + 1e-9; angle += by) {
        memcpy(before, l->now, l->vertex_count * sizeof *before);
        sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), angle * SN_PI / 180);
        sni_part_pose next[2] = {l->pose[0], {turn, {0, 0, 0}}};
        limb_step(l, next);
        for (uint32_t i = 0; i < l->vertex_count; ++i) {
            double reach = fmax(1, sn_vec3_length(l->now[i])) * by * SN_PI / 180;
            report.jump = fmax(report.jump, sn_vec3_distance(before[i], l->now[i]) / reach);
        }
    }
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        sni_field_value fields[2] = {sni_field_part_at(&l->parts[0], &l->pose[0], l->now[i]),
                                     sni_field_part_at(&l->parts[1], &l->pose[1], l->now[i])};
        uint32_t own = l->weights[i] > 0.5 ? 1 : 0;
        double value = limb_at(l, i, l->now[i]).field.value;
        if (l->statuses[i] == SNI_TRACK_CONTACT) {
            ++report.contacts;
        } else {
            report.residual = fmax(report.residual, fabs(value - l->values[i]));
        }
        // Beyond the sheet by how much deeper it lies in the other part, over both slopes.
        sn_vec3 slope = sn_vec3_sub(fields[1 - own].gradient, fields[own].gradient);
        double beyond = fields[1 - own].value - fields[own].value;
        bool is_inside = fmin(fields[0].value, fields[1].value) > 0.5;
        // Far from the border of both parts alone: there each vertex is its own part's.
        if (is_inside && beyond > 0 && fabs(l->weights[i] - 0.5) > 0.499) {
            report.crossing = fmax(report.crossing, beyond / sn_vec3_length(slope));
        }
        for (uint32_t k = l->rings.starts[i]; k < l->rings.starts[i + 1]; ++k) {
            uint32_t j = l->rings.neighbors[k];
            double length = sn_vec3_distance(l->now[i], l->now[j]);
            double rest = sn_vec3_distance(l->rings.rest[i], l->rings.rest[j]);
            report.edge_most = fmax(report.edge_most, length / rest);
        }
    }
    sni_free(l->context, before);
    return report;
}

// Bounds with some room above those of a prototype of the specification.
static void a_bent_limb_folds_in_contact(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    limb l;
    limb_make(&l, context, 1);
    bend_report half = bend(&l, 0, 60, 5);
    assert_true(half.residual < 2e-3 && half.crossing < 0.01 && half.edge_most < 1.5);
    bend_report right = bend(&l, 60, 90, 5);
    assert_true(right.contacts > 0 && right.crossing < 0.02 && right.edge_most < 1.8);
    bend_report far = bend(&l, 90, 120, 5);
    assert_true(far.crossing < 0.06 && far.edge_most < 2.7 && far.jump < 1.6);
    limb_free(&l);
    snt_context_end(context);
}

static void threads_do_not_show(void **state) {
    (void)state;
    sn_vec3 *first = NULL;
    uint32_t count = 0;
    static const uint32_t threads[3] = {1, 2, 3};
    for (int k = 0; k < 3; ++k) {
        sn_context *context = snt_context(threads[k]);
        limb l;
        limb_make(&l, context, 7);
        bend(&l, 0, 30, 10);
        if (first == NULL) {
            count = l.vertex_count;
            first = test_malloc(count * sizeof *first);
            memcpy(first, l.now, count * sizeof *first);
        } else {
            assert_memory_equal(first, l.now, count * sizeof *first);
        }
        limb_free(&l);
        snt_context_end(context);
    }
    test_free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_reaches_a_ball_in_the_steps_of_the_specification),
        cmocka_unit_test(points_stop_where_two_balls_meet),
        cmocka_unit_test(rotations_are_found),
        cmocka_unit_test(rest_stays_and_rigid_motion_is_rigid),
        cmocka_unit_test(a_bent_limb_folds_in_contact),
        cmocka_unit_test(threads_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
