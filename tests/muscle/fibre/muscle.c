// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles in poses: sections, volume, activation, driven parameters, field, what is refused.
#include "test.h"

#include "../bones.h"

#include "muscle/fibre/fibre.h"

#include <string.h>

static const sni_muscle_ops *const ops = &sni_muscle_fibre;

static double points[3 * BONES_MOST], others[3 * BONES_MOST], relaxed[3 * BONES_MOST];

static void init(bones *b, sn_context *context, uint32_t attachments) {
    bones_init(b, context, ops);
    b->body.origin_count = b->body.insertion_count = attachments;
}

// One that is posed without memory, with controls and parameters of the frame.
static sn_status try_pose(bones *b, const sn_mat4 *worlds, double tension, const double *parameters,
                          double *to, sn_error *error) {
    sni_arena arena;
    sni_arena_init(&arena, b->context);
    sni_muscle_pose_job job = {.context = b->context,
                               .arena = &arena,
                               .segment_count = 2,
                               .worlds = worlds,
                               .parameters = parameters,
                               .tension = tension,
                               .relaxed = relaxed,
                               .contracted = to};
    sn_status status = ops->pose(b->bound, &job, error);
    sni_arena_deinit(&arena);
    return status;
}

static void pose(bones *b, const sn_mat4 *worlds, double tension, double *to) {
    snt_ok(try_pose(b, worlds, tension, NULL, to, error));
}

static double volume_of(const bones *b, const double *now) {
    sni_muscle_measure m;
    ops->measure(b->bound, now, &m);
    assert_true(m.volume == sni_fibre_volume(b->bound, now)); // without the area: the same bits
    return m.volume;
}

// Largest distance between two points of a ring.
static double largest_width(const bones *b, const double *now) {
    double largest = 0;
    for (uint32_t i = 0; i < b->surface.slice_count; ++i) {
        for (uint32_t j = 0; j < b->surface.ring_count; ++j) {
            for (uint32_t k = 0; k < j; ++k) {
                uint32_t first = i * b->surface.ring_count;
                largest = fmax(largest, sn_vec3_distance(bones_point(now, first + j),
                                                         bones_point(now, first + k)));
            }
        }
    }
    return largest;
}

static void the_belly_is_as_wide_and_thick_as_given(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    init(&b, context, 1);
    bones_set(&b, ops, "width", 0.08);
    bones_set(&b, ops, "thickness", 0.05);
    bones_set(&b, ops, "slices", 31); // one of them in the middle, where (3, 3) is thickest
    bones_bind(&b, ops);
    pose(&b, b.rest, 0, points);
    snt_near(largest_width(&b, points), 0.08, 1e-6);
    // The bones' normals are +z, so that it is flat in z and begins its rings there.
    sn_vec3 outer = bones_point(points, 15 * b.surface.ring_count);
    sn_vec3 inner = bones_point(points, 15 * b.surface.ring_count + b.surface.ring_count / 2);
    snt_near(outer.z - inner.z, 0.05, 1e-4);
    // The volume of the solid is pi w^2 l; the surface is inside of it.
    double w = 0.04 * sqrt(0.05 / 0.08) / 1.56873754975139, length = 0.35;
    double solid = SN_PI * w * w * sqrt(length * length + 0.01 * 0.01);
    snt_near(volume_of(&b, points) / solid, 0.95, 0.03);
    sn_mesh *mesh = NULL;
    snt_ok(ops->emit_surface(b.bound, context, 1, &mesh, error));
    snt_ok(sn_mesh_validate(mesh, error));
    sn_mesh_destroy(mesh);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void random_worlds(const bones *b, snt_random *random, sn_mat4 *worlds) {
    bones_bend(b,
               sn_vec3_make(snt_random_range(random, -2.4, 1.0), 0.6 * bones_random(random),
                            0.6 * bones_random(random)),
               worlds);
}

static void volumes_are_kept(void **state) {
    (void)state;
    static const struct {
        uint32_t attachments;
        double fibres;
        bool exact, passes;
        double tolerance;
    } rows[] = {{1, 1, false, false, 0.03},
                {1, 1, true, false, 0.01},
                {1, 1, false, true, 0.03},
                {2, 1, false, false, 0.03},
                {2, 5, false, false, 0.01}};
    sn_context *context = snt_context(1);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; ++row) {
        for (int is_static = 0; is_static < 2; ++is_static) {
            snt_random random = {31};
            bones b;
            init(&b, context, rows[row].attachments);
            bones_set(&b, ops, "fibres", rows[row].fibres);
            bones_set(&b, ops, "volume", rows[row].exact);
            bones_set(&b, ops, "motion", is_static);
            bones_set(&b, ops, "width", rows[row].fibres > 1 ? 0.03 : 0.05);
            if (rows[row].passes) {
                bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
            }
            bones_bind(&b, ops);
            sni_muscle_measure rest;
            ops->measure(b.bound, NULL, &rest);
            double worst = 0;
            for (int round = 0; round < 200; ++round) {
                sn_mat4 worlds[2], place = bones_random_rigid(&random), moved[2];
                random_worlds(&b, &random, worlds);
                double tension = snt_random_range(&random, 0, 1);
                for (int k = 0; k < 2; ++k) {
                    moved[k] = sn_mat4_multiply(&place, &worlds[k]);
                }
                pose(&b, worlds, tension, points);
                sni_muscle_measure now;
                ops->measure(b.bound, points, &now);
                if (now.length < 0.31 * rest.rest_length) {
                    continue; // shorter than what alive muscles are, it counts as that long
                }
                worst = fmax(worst, fabs(now.volume / rest.rest_volume - 1));
                // It moves rigidly with its bones.
                pose(&b, moved, tension, others);
                for (uint32_t i = 0; i < b.surface.slice_count * b.surface.ring_count; ++i) {
                    sn_vec3 expected = sn_mat4_point(&place, bones_point(points, i));
                    assert_true(sn_vec3_distance(expected, bones_point(others, i)) < 1e-7);
                }
            }
            if (!(worst < rows[row].tolerance)) {
                print_error("row %zu static %d: %g\n", row, is_static, worst);
            }
            assert_true(worst < rows[row].tolerance);
            bones_unbind(&b, ops);
        }
    }
    snt_context_end(context);
}

static double active_in(const bones *b, const double *now) {
    sni_fibre_axis axis;
    sni_fibre_section section;
    double radius;
    sni_fibre_read(b->bound, now, 0, &axis, &section, &radius);
    return section.activation;
}

static void activation_comes_from_controls_and_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int by = 0; by < 3; ++by) {
        bones b;
        init(&b, context, 1);
        bones_set(&b, ops, "activated_by", by);
        bones_bind(&b, ops);
        sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
        double before = 0;
        sni_muscle_measure rest, now;
        ops->measure(b.bound, NULL, &rest);
        for (int i = 0; i <= 400; ++i) {
            // Pushed together; at an eighth of the way to half the length it is half activated.
            worlds[1].m[13] = b.rest[1].m[13] + 0.2 * i / 400;
            pose(&b, worlds, 0.3, points);
            ops->measure(b.bound, points, &now);
            double flexed = fmin(1, fmax(0, (1 - now.length / rest.rest_length) / 0.25));
            double expected = by == 0 ? 0.3 : by == 1 ? flexed : fmax(0.3, flexed);
            snt_near(active_in(&b, points), expected, 1e-12);
            assert_true(i == 0 || fabs(active_in(&b, points) - before) < 0.01);
            before = active_in(&b, points);
        }
        // Relaxed it has its sections at rest.
        snt_near(active_in(&b, relaxed), 0, 0);
        bones_unbind(&b, ops);
    }
    // Smoothing is exact for targets that go straight: any number of steps gives the same.
    double whole = sni_fibre_smooth(0.2, 0.2, 0.9, 0.12, 0.05), steps = 0.2;
    for (int i = 0; i < 12; ++i) {
        steps = sni_fibre_smooth(steps, 0.2 + 0.7 * i / 12, 0.2 + 0.7 * (i + 1) / 12, 0.01, 0.05);
    }
    snt_near(steps, whole, 1e-14);
    snt_near(sni_fibre_smooth(0, 1, 1, 0.05, 0.05), 1 - exp(-1), 1e-15);
    snt_near(sni_fibre_smooth(0.3, 0, 1, 0.1, 0), 1, 0);
    snt_near(sni_fibre_smooth(0.3, 0, 1, 0, 0.1), 0.3, 0);
    snt_context_end(context);
}

static void driven_parameters_reach_the_shape(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    init(&b, context, 1);
    bones_set(&b, ops, "width", 0.08);
    bones_set(&b, ops, "thickness", 0.06);
    bones_set(&b, ops, "volume", 1);
    bones_bind(&b, ops);
    double now[BONES_PARAMETERS];
    memcpy(now, b.parameters, sizeof now);
    pose(&b, b.rest, 0, points);
    double volume = volume_of(&b, points);
    // Half as wide and as thick: a quarter of the volume, kept also where it is shorter.
    now[SNI_FIBRE_WIDTH] = 0.04;
    now[SNI_FIBRE_THICKNESS] = 0.03;
    snt_ok(try_pose(&b, b.rest, 0, now, points, error));
    snt_near(volume_of(&b, points) / volume, 0.25, 1e-6);
    sn_mat4 worlds[2];
    bones_bend(&b, sn_vec3_make(-1.8, 0, 0), worlds);
    snt_ok(try_pose(&b, worlds, 1, now, points, error));
    snt_near(volume_of(&b, points) / volume, 0.25, 1e-6);
    now[SNI_FIBRE_BULGE] = 1.3;
    snt_ok(try_pose(&b, worlds, 1, now, others, error));
    snt_near(volume_of(&b, others) / volume, 0.25 * 1.69, 1e-6);
    // A flexed length that is shorter activates less.
    now[SNI_FIBRE_FLEXED_LENGTH] = 0.5;
    bones_bend(&b, sn_vec3_make(-1, 0, 0), worlds);
    snt_ok(try_pose(&b, worlds, 0, b.parameters, points, error));
    snt_ok(try_pose(&b, worlds, 0, now, others, error));
    assert_true(active_in(&b, others) < active_in(&b, points));
    // Numbers that are none, and sizes that do not go together.
    now[SNI_FIBRE_WIDTH] = NAN;
    snt_fails(SN_INVALID, "width", try_pose(&b, worlds, 0, now, others, error));
    now[SNI_FIBRE_WIDTH] = 0;
    snt_fails(SN_INVALID, "above 0", try_pose(&b, worlds, 0, now, others, error));
    now[SNI_FIBRE_WIDTH] = 0.02;
    snt_fails(SN_INVALID, "thickness", try_pose(&b, worlds, 0, now, others, error));
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static double field_at(const bones *b, const double *now, sn_vec3 at) {
    sn_vec3 gradient;
    return ops->field(b->bound, now, at, &gradient);
}

static void fields_have_their_gradients(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int broad = 0; broad < 2; ++broad) {
        snt_random random = {5};
        bones b;
        init(&b, context, 2);
        bones_set(&b, ops, "fibres", broad ? 4 : 1);
        bones_bind(&b, ops);
        sn_mat4 worlds[2];
        bones_bend(&b, sn_vec3_make(-0.9, 0, 0), worlds);
        pose(&b, worlds, 0.4, points);
        uint32_t checked = 0, ring = b.surface.ring_count, on_surface = 0;
        for (int i = 0; i < 4000; ++i) {
            uint32_t k = snt_random_u32(&random) % (b.surface.slice_count * ring);
            double size = 0.01;
            sn_vec3 at = bones_point(points, k), gradient, slope;
            // The vertices of one fibre lie on its surface.
            if (!broad) {
                snt_near(field_at(&b, points, at), 0.5, 2e-3);
                ++on_surface;
            }
            at.x += size * bones_random(&random);
            at.y += size * bones_random(&random);
            at.z += size * bones_random(&random);
            double step = 1e-7, *slopes = &slope.x, value;
            value = ops->field(b.bound, points, at, &gradient);
            assert_true(value >= 0 && value <= 1);
            for (int axis = 0; axis < 3; ++axis) {
                sn_vec3 d = {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
                slopes[axis] = (field_at(&b, points, sn_vec3_add(at, d)) -
                                field_at(&b, points, sn_vec3_sub(at, d))) /
                               (2 * step);
            }
            if (sn_vec3_distance(slope, gradient) < 2e-3 * (sn_vec3_length(gradient) + 1)) {
                ++checked;
            }
        }
        // Beside edges of the projection, and on the crease of a union, there is none.
        assert_true(checked > 3900);
        // Far away nothing is left, deep inside much.
        assert_true(field_at(&b, points, sn_vec3_make(3, 3, 3)) == 0);
        uint32_t count = ops->contact(b.bound, points, NULL);
        assert_int_equal(count, (broad ? 4 : 1) * 10);
        sni_ball balls[64];
        ops->contact(b.bound, points, balls);
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(balls[i].radius > 0 && field_at(&b, points, balls[i].center) > 0.5);
        }
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// Fibres do not cross, whatever the order of the attachments, and thin sides face outwards.
static void broad_muscles_are_in_order(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    for (int turned = 0; turned < 4; ++turned) {
        init(&b, context, 2);
        bones_set(&b, ops, "fibres", 5);
        if (turned & 1) {
            sni_muscle_attachment first = b.origins[0];
            b.origins[0] = b.origins[1];
            b.origins[1] = first;
        }
        if (turned & 2) {
            sni_muscle_attachment first = b.insertions[0];
            b.insertions[0] = b.insertions[1];
            b.insertions[1] = first;
        }
        bones_bind(&b, ops);
        pose(&b, b.rest, 0.5, turned == 0 ? points : others);
        if (turned > 0) {
            snt_near(bones_difference(
                         &b, others,
                         &(sn_mat4){.m = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, points),
                     0, 1e-12);
        }
        sn_vec3 outer = bones_point(points, 10 * b.surface.ring_count);
        assert_true(outer.z > 0.02);
        assert_true(volume_of(&b, points) > 0);
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// The length that is found without posing is that of the pose.
static void lengths_are_those_of_poses(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int is_static = 0; is_static < 2; ++is_static) {
        snt_random random = {6};
        bones b;
        init(&b, context, 2);
        bones_set(&b, ops, "motion", is_static);
        bones_set(&b, ops, "fibres", 3);
        bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
        bones_bind(&b, ops);
        for (int round = 0; round < 50; ++round) {
            sn_mat4 worlds[2];
            random_worlds(&b, &random, worlds);
            pose(&b, worlds, 0, points);
            sni_arena arena;
            sni_arena_init(&arena, context);
            sni_muscle_pose_job job = {
                .context = context, .arena = &arena, .segment_count = 2, .worlds = worlds};
            double length = 0;
            snt_ok(ops->length(b.bound, &job, &length, error));
            sni_arena_deinit(&arena);
            sni_muscle_measure now;
            ops->measure(b.bound, points, &now);
            snt_near(length, now.length, 1e-12);
            // It passes the point, or close by where it is smooth.
            sn_vec3 passed = sn_mat4_point(&worlds[0], b.pivots[0].at);
            double closest = INFINITY;
            uint32_t first = b.surface.slice_count * b.surface.ring_count;
            for (uint32_t i = first; i < first + 12; ++i) {
                closest = fmin(closest, sn_vec3_distance(bones_point(points, i), passed));
            }
            assert_true(closest < (is_static ? 0.05 : 1e-9));
        }
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

static void wrong_input_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    init(&b, context, 1);
    b.insertions[0].point = b.origins[0].point;
    snt_fails(SN_INVALID, "no length", ops->bind(&b.job, &b.bound, error));
    init(&b, context, 1);
    bones_set(&b, ops, "fibres", 3);
    snt_fails(SN_INVALID, "two origins", ops->bind(&b.job, &b.bound, error));
    init(&b, context, 1);
    bones_set(&b, ops, "stiffness", NAN);
    snt_fails(SN_INVALID, "stiffness", ops->bind(&b.job, &b.bound, error));
    init(&b, context, 1);
    bones_set(&b, ops, "width", 0.03);
    bones_set(&b, ops, "thickness", 0.05);
    snt_fails(SN_INVALID, "thickness", ops->bind(&b.job, &b.bound, error));
    init(&b, context, 1);
    bones_set(&b, ops, "flattening", 0.05);
    snt_fails(SN_INVALID, "flattening", ops->bind(&b.job, &b.bound, error));
    init(&b, context, 1);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    b.body.pivot_count = 2;
    b.pivots[1] = b.pivots[0];
    bones_set(&b, ops, "particles", 3);
    snt_fails(SN_INVALID, "too few", ops->bind(&b.job, &b.bound, error));
    b.pivots[1].segment = 7;
    bones_set(&b, ops, "particles", 12);
    snt_fails(SN_INVALID, "segment 7", ops->bind(&b.job, &b.bound, error));
    init(&b, context, 1);
    b.rest[1] = (sn_mat4){0};
    snt_fails(SN_INVALID, "no size", ops->bind(&b.job, &b.bound, error));
    snt_context_end(context);
}

// Open ends, scaled bones, and a pose in which it has no length: all defined.
static void edge_cases_are_defined(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    init(&b, context, 1);
    bones_set(&b, ops, "rest_a", 1);
    bones_set(&b, ops, "rest_b", 3);
    bones_bind(&b, ops);
    sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
    pose(&b, worlds, 0.5, points);
    assert_true(volume_of(&b, points) > 0);
    // Both ends at one place.
    worlds[1].m[12] = b.rest[0].m[12] - 0.01;
    worlds[1].m[13] = b.rest[0].m[13] + 0.05;
    pose(&b, worlds, 0.5, points);
    // A bone that is scaled carries its end along.
    sn_transform parts = {sn_vec3_make(0, 0.7, 0), sn_quat_identity(), {1.5, 2, 0.5}};
    worlds[1] = sn_mat4_from_transform(&parts);
    pose(&b, worlds, 0.5, points);
    uint32_t last = sni_rings_point_count(&((const sni_fibre *)b.bound)->rings) - 1;
    sn_vec3 expected = sn_mat4_point(&worlds[1], sn_vec3_make(-0.01, -0.1, 0.02));
    assert_true(sn_vec3_distance(bones_point(points, last), expected) < 1e-12);
    worlds[1].m[13] = NAN;
    snt_fails(SN_INVALID, "not finite", try_pose(&b, worlds, 0, NULL, points, error));
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// Masses of a muscle with w = 0.02 m and l = 0.25 m.
static void masses_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const double shares[] = {0.024302430, 0.076807681, 0.132313231, 0.172817282, 0.187518752,
                                    0.172817282, 0.132313231, 0.076807681, 0.024302430};
    sn_context *context = snt_context(1);
    bones b;
    init(&b, context, 1);
    b.origins[0].point = sn_vec3_make(0, 0.85, 0);
    b.insertions[0].point = sn_vec3_make(0, 0.6, 0);
    bones_set(&b, ops, "particles", 11);
    bones_set(&b, ops, "width", 2 * 0.02 * 1.56873754975139);
    bones_set(&b, ops, "thickness", 2 * 0.02 * 1.56873754975139);
    bones_bind(&b, ops);
    const sni_fibre *f = b.bound;
    double total = 0;
    assert_true(f->inverse_masses[0] == 0 && f->inverse_masses[10] == 0);
    for (int i = 0; i < 9; ++i) {
        snt_near(1 / f->inverse_masses[i + 1] / 0.333008821280518, shares[i], 1e-8);
        total += 1 / f->inverse_masses[i + 1];
    }
    snt_near(total, 0.333008821280518, 1e-9);
    snt_near(f->mean_mass, total / 9, 1e-12);
    // A steep profile leaves no particle lighter than a twentieth of the mean.
    bones_unbind(&b, ops);
    bones_set(&b, ops, "rest_a", 9);
    bones_bind(&b, ops);
    f = b.bound;
    snt_near(f->inverse_masses[1] * f->mean_mass, 20, 1e-9);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    bones b;
    sn_mesh *mesh = NULL;
    (void)user;
    init(&b, context, 2);
    bones_set(&b, ops, "fibres", 2);
    sn_status status = ops->bind(&b.job, &b.bound, error);
    if (status == SN_OK) {
        status = try_pose(&b, b.rest, 0.5, NULL, points, error);
    }
    if (status == SN_OK) {
        status = ops->emit_surface(b.bound, context, 1, &mesh, error);
    }
    sn_mesh_destroy(mesh);
    ops->unbind(context, b.bound);
    return status;
}

static void running_out_of_memory_leaves_nothing(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_belly_is_as_wide_and_thick_as_given),
        cmocka_unit_test(masses_have_the_values_of_the_specification),
        cmocka_unit_test(volumes_are_kept),
        cmocka_unit_test(activation_comes_from_controls_and_length),
        cmocka_unit_test(driven_parameters_reach_the_shape),
        cmocka_unit_test(fields_have_their_gradients),
        cmocka_unit_test(broad_muscles_are_in_order),
        cmocka_unit_test(lengths_are_those_of_poses),
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(edge_cases_are_defined),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
