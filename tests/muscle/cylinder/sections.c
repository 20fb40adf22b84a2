// SPDX-License-Identifier: Apache-2.0
//
// Cylinder muscles from given sections, and the share of the lift: the given ellipses at rest, what
// they do in motion, and cylinders as parts of other muscles.
#include "test.h"

#include "../bones.h"

#include "muscle/cylinder/cylinder.h"

static const sni_muscle_ops *const ops = &sni_muscle_cylinder;

static double points[3 * BONES_MOST], others[3 * BONES_MOST];
static sni_muscle_section sections[16];

// Ellipses along an arc in front of the bones, turned a little from one to the next.
static void bind_arc(bones *b, sn_context *context, double lift, bool mirrored) {
    double side = mirrored ? -1 : 1;
    bones_init(b, context, ops);
    for (int i = 0; i < 8; ++i) {
        double t = i / 7.0, turn = 0.1 * i;
        sn_vec3 along = sn_vec3_normalize_or(sn_vec3_make(0, -0.35, 0.1 * SN_PI * cos(SN_PI * t)),
                                             sn_vec3_make(0, 0, 0));
        sn_vec3 x = {1, 0, 0}, out = sn_vec3_cross(x, along);
        double wide = 0.02 + 0.015 * sin(SN_PI * t), thick = 0.01 + 0.01 * sin(SN_PI * t);
        sn_vec3 w = sn_vec3_add_scaled(sn_vec3_scale(x, cos(turn)), sin(turn), out);
        sn_vec3 o = sn_vec3_add_scaled(sn_vec3_scale(out, cos(turn)), -sin(turn), x);
        sections[i] = (sni_muscle_section){
            .center = sn_vec3_make(0.01 * t, 0.95 - 0.35 * t, 0.03 + 0.1 * sin(SN_PI * t)),
            .wide = sn_vec3_scale(w, i % 2 ? wide : -wide), // either sign
            .thick = sn_vec3_scale(o, thick)};
        sections[i].center.x *= side;
        sections[i].wide.x *= side;
        sections[i].thick.x *= side;
    }
    for (int k = 0; k < 2; ++k) {
        b->origins[k].point.x *= side;
        b->insertions[k].point.x *= side;
    }
    b->body.section_count = 8;
    b->body.sections = sections;
    bones_set(b, ops, "lift", lift);
    bones_bind(b, ops);
}

// How far a point is from a given ellipse: from its plane, and from its rim.
static double off_ellipse(const sni_muscle_section *s, sn_vec3 p) {
    sn_vec3 from = sn_vec3_sub(p, s->center);
    double wide = sn_vec3_length(s->wide), thick = sn_vec3_length(s->thick);
    double u = sn_vec3_dot(from, s->wide) / (wide * wide);
    double v = sn_vec3_dot(from, s->thick) / (thick * thick);
    sn_vec3 in_plane = sn_vec3_add_scaled(sn_vec3_scale(s->wide, u), v, s->thick);
    return sn_vec3_distance(from, in_plane) + fabs(u * u + v * v - 1) * wide;
}

static void is_what_was_given_at_rest(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind_arc(&b, context, 1, false);
    bones_pose(&b, ops, b.rest, points);
    for (uint32_t i = 0; i < 8; ++i) {
        sn_vec3 outermost = sn_vec3_add(sections[i].center, sections[i].thick);
        snt_near(sn_vec3_distance(bones_point(points, 8 * i), outermost), 0, 1e-14);
        for (uint32_t j = 0; j < 8; ++j) {
            snt_near(off_ellipse(&sections[i], bones_point(points, 8 * i + j)), 0, 1e-14);
        }
    }
    // The mesh faces outwards and is that of the rest pose, bit for bit.
    sni_muscle_measure m;
    ops->measure(b.bound, NULL, &m);
    assert_true(m.volume > 0);
    sn_mesh *mesh = NULL;
    float posed[3 * 66];
    snt_ok(ops->emit_surface(b.bound, context, 1, &mesh, error));
    ops->emit_points(b.bound, 1, points, posed);
    assert_memory_equal(mesh->positions, posed, sizeof posed);
    sn_mesh_destroy(mesh);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void moves_rigidly_with_the_whole_body(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {5};
    bones b;
    bind_arc(&b, context, 1, false);
    for (int round = 0; round < 50; ++round) {
        sn_mat4 bent[2], place = bones_random_rigid(&random);
        bones_bend(&b, sn_vec3_make(bones_random(&random), 0.3 * bones_random(&random), 0), bent);
        bones_pose(&b, ops, bent, others);
        sn_mat4 worlds[2] = {sn_mat4_multiply(&place, &bent[0]),
                             sn_mat4_multiply(&place, &bent[1])};
        bones_pose(&b, ops, worlds, points);
        snt_near(bones_difference(&b, points, &place, others), 0, 1e-9);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// The ellipses of a standard muscle at rest, given as sections, are that muscle in every pose: with
// its lift, without it, over a pivot, with its volume kept.
static void sections_of_the_standard_shape_are_the_standard_muscle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int variant = 0; variant < 12; ++variant) {
        bones standard, given;
        bones_init(&standard, context, ops);
        bones_init(&given, context, ops);
        bones *two[] = {&standard, &given};
        for (int k = 0; k < 2; ++k) {
            bones_set(two[k], ops, "lift", (variant % 3) / 2.0);
            bones_set(two[k], ops, "volume", (variant / 3) % 2);
            if (variant >= 6) {
                bones_add_pivot(two[k], SNI_PIVOT_BENT);
            }
        }
        bones_bind(&standard, ops);
        bones_pose(&standard, ops, standard.rest, points);
        for (uint32_t i = 0; i < 8; ++i) {
            sn_vec3 out = bones_point(points, 8 * i), in = bones_point(points, 8 * i + 4);
            sn_vec3 a = bones_point(points, 8 * i + 2), c = bones_point(points, 8 * i + 6);
            sections[i] = (sni_muscle_section){.center = sn_vec3_lerp(out, in, 0.5),
                                               .wide = sn_vec3_scale(sn_vec3_sub(a, c), 0.5),
                                               .thick = sn_vec3_scale(sn_vec3_sub(out, in), 0.5)};
        }
        given.body.section_count = 8;
        given.body.sections = sections;
        bones_bind(&given, ops);
        for (int step = -5; step <= 8; ++step) {
            sn_mat4 worlds[2], same = sn_mat4_identity();
            bones_bend(&standard, sn_vec3_make(0.25 * step, 0.05 * step, 0.02 * step), worlds);
            worlds[1].m[13] += 0.01 * step;
            bones_pose(&standard, ops, worlds, points);
            bones_pose(&given, ops, worlds, others);
            snt_near(bones_difference(&given, others, &same, points), 0, 1e-12);
        }
        bones_unbind(&standard, ops);
        bones_unbind(&given, ops);
    }
    snt_context_end(context);
}

// Half as long, sections are as much larger as their area has to be; the ends are what they were.
static void ends_keep_their_size(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind_arc(&b, context, 0, false);
    sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
    worlds[1].m[13] += 0.175;
    bones_pose(&b, ops, worlds, points);
    sni_muscle_measure m;
    ops->measure(b.bound, points, &m);
    double scale = sqrt(m.rest_length / m.length);
    assert_true(scale > 1.3);
    for (uint32_t i = 0; i < 8; ++i) {
        double expected = i == 0 || i == 7 ? 1 : scale;
        double wide =
            sn_vec3_distance(bones_point(points, 8 * i + 2), bones_point(points, 8 * i + 6));
        double thick = sn_vec3_distance(bones_point(points, 8 * i), bones_point(points, 8 * i + 4));
        snt_near(wide / (2 * sn_vec3_length(sections[i].wide)), expected, 1e-12);
        snt_near(thick / (2 * sn_vec3_length(sections[i].thick)), expected, 1e-12);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void a_curved_muscle_does_not_jump(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind_arc(&b, context, 1, false);
    for (int fine = 1; fine <= 10; fine *= 9) {
        double step = 0.01 / fine, largest = 0;
        for (int i = 0; i <= 350 * fine; ++i) {
            sn_mat4 worlds[2], same = sn_mat4_identity();
            double angle = -1.5 + i * step;
            bones_bend(&b, sn_vec3_make(angle, 0.2 * sin(3 * angle), 0), worlds);
            bones_pose(&b, ops, worlds, points);
            if (i > 0) {
                largest = fmax(largest, bones_difference(&b, points, &same, others) / step);
            }
            memcpy(others, points, 3 * b.surface.point_count * sizeof *points);
        }
        assert_true(largest < 0.25); // metres per radian; insertions are 0.1 m away from the joint
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// The mirrored body has the mirrored muscle, at rest and in motion.
static void the_mirror_image_is_mirrored(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int step = -4; step <= 6; ++step) {
        bones b, image;
        sn_mat4 worlds[2];
        bind_arc(&b, context, 1, false);
        bones_bend(&b, sn_vec3_make(0.25 * step, 0.1 * step, -0.05 * step), worlds);
        bones_pose(&b, ops, worlds, points);
        bones_unbind(&b, ops);
        bind_arc(&image, context, 1, true);
        bones_bend(&image, sn_vec3_make(0.25 * step, -0.1 * step, 0.05 * step), worlds);
        bones_pose(&image, ops, worlds, others);
        for (uint32_t i = 0; i < 8; ++i) {
            for (uint32_t j = 0; j < 8; ++j) {
                sn_vec3 p = bones_point(points, 8 * i + j);
                sn_vec3 q = bones_point(others, 8 * i + (8 - j) % 8);
                snt_near(sn_vec3_distance(sn_vec3_make(-p.x, p.y, p.z), q), 0, 1e-13);
            }
        }
        bones_unbind(&image, ops);
    }
    snt_context_end(context);
}

// Without lift, centres of slices stand on the straight way; half of it puts them half way.
static void lift_is_a_share(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double heights[3];
    for (int k = 0; k < 3; ++k) {
        bones b;
        bones_init(&b, context, ops);
        bones_set(&b, ops, "lift", k / 2.0);
        bones_bind(&b, ops);
        bones_pose(&b, ops, b.rest, points);
        heights[k] = sn_vec3_lerp(bones_point(points, 24), bones_point(points, 28), 0.5).z;
        bones_unbind(&b, ops);
    }
    snt_near(heights[0], 0.02, 1e-15);
    assert_true(heights[2] > 0.03);
    snt_near(heights[1], (heights[0] + heights[2]) / 2, 1e-15);
    // Where no bone says what is outwards nothing is lifted.
    bones b;
    bones_init(&b, context, ops);
    for (int k = 0; k < 2; ++k) {
        b.origins[k].normal = b.insertions[k].normal = sn_vec3_make(0, 0, 0);
    }
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    snt_near(sn_vec3_lerp(bones_point(points, 24), bones_point(points, 28), 0.5).z, 0.02, 1e-15);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// A cylinder as a part of another muscle: `swell` scales interior sections about their centres.
static void can_be_a_part(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind_arc(&b, context, 0, false);
    bones_unbind(&b, ops);
    sni_cylinder *strip = NULL;
    sni_cylinder_path path;
    sni_arena arena;
    sni_arena_init(&arena, context);
    snt_ok(sni_cylinder_create(&b.job, &strip, error));
    sni_muscle_pose_job pose = {
        .context = context, .arena = &arena, .segment_count = 2, .worlds = b.rest};
    snt_ok(sni_cylinder_place(strip, &pose, NULL, &path, error));
    snt_near(path.length, strip->rest_length, 0);
    snt_near(path.scale, 1, 0);
    sni_cylinder_write(strip, &path, 1, points);
    assert_memory_equal(points, strip->points,
                        3 * sni_rings_point_count(&strip->rings) * sizeof *points);
    sni_cylinder_write(strip, &path, 1.5, others);
    for (uint32_t i = 0; i < 8; ++i) {
        double swell = i == 0 || i == 7 ? 1 : 1.5;
        for (uint32_t j = 0; j < 8; ++j) {
            sn_vec3 from = sn_vec3_sub(bones_point(points, 8 * i + j), sections[i].center);
            sn_vec3 expected = sn_vec3_add_scaled(sections[i].center, swell, from);
            snt_near(sn_vec3_distance(bones_point(others, 8 * i + j), expected), 0, 1e-14);
        }
    }
    sni_cylinder_destroy(context, strip);
    sni_arena_deinit(&arena);
    snt_context_end(context);
}

static void fails(bones *b, const char *text) {
    snt_fails(SN_INVALID, text, ops->bind(&b->job, &b->bound, error));
    assert_null(b->bound);
}

static void refuses_sections_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind_arc(&b, context, 1, false);
    bones_unbind(&b, ops);
    b.body.section_count = 7;
    fails(&b, "biceps: it has 8 slices, but 7 sections");
    b.body.section_count = 8;
    sni_muscle_section good = sections[3];
    sections[3].wide = sn_vec3_make(0, 0, 0);
    fails(&b, "biceps: section 3 has its center at (0.00428571, 0.8, 0.127493) and the half axes "
              "(0, 0, 0)");
    sections[3] = good;
    sections[3].thick = sn_vec3_add(good.thick, good.wide);
    fails(&b, "biceps: the axes of section 3, ");
    sections[3] = good;
    sections[3].center.y = NAN;
    fails(&b, "biceps: section 3 has its center at (0.00428571, nan");
    sections[3] = good;
    bones_set(&b, ops, "width", 0.1);
    fails(&b, "biceps: it has sections, which leave no use for width, thickness and shape");
    bones_set(&b, ops, "width", 0);
    b.body.shape_count = 1;
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 3, .scale = {1, 2}};
    fails(&b, "biceps: it has sections, which leave no use for width, thickness and shape");
    b.body.shape_count = 0;
    bones_set(&b, ops, "lift", 1.5);
    fails(&b, "biceps: lift is 1.5, but must be from 0 to 1");
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_was_given_at_rest),
        cmocka_unit_test(moves_rigidly_with_the_whole_body),
        cmocka_unit_test(sections_of_the_standard_shape_are_the_standard_muscle),
        cmocka_unit_test(ends_keep_their_size),
        cmocka_unit_test(a_curved_muscle_does_not_jump),
        cmocka_unit_test(the_mirror_image_is_mirrored),
        cmocka_unit_test(lift_is_a_share),
        cmocka_unit_test(can_be_a_part),
        cmocka_unit_test(refuses_sections_without_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
