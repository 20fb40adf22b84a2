// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "../toy.h"
#include "muscle/patch/patch.h"

// The running example of the thesis: five equal steps, c = 0.25 (figures 3.9 to 3.12). It has five
// points, of which the last is at length 1.
static void the_running_example(void **state) {
    (void)state;
    sn_vec3 points[5];
    for (int j = 0; j < 5; ++j) {
        points[j] = sn_vec3_make(3 * j, 0, 0);
    }
    static const double expected[5] = {0, 0.1875, 0.375, 0.5625, 0.75};
    static const uint32_t starts[5] = {0, 0, 1, 2, 2};
    static const double ones[5] = {1, 1, 1, 1, 1};
    double lengths[5], shortened[5], varied[5];
    sni_patch_lengths(points, 5, lengths);
    sni_patch_shorten(lengths, 5, 0.25, NULL, shortened);
    sni_patch_shorten(lengths, 5, 0.25, ones, varied);
    for (uint32_t j = 0; j < 5; ++j) {
        assert_true(lengths[j] == 0.25 * j);
        assert_true(shortened[j] == expected[j]);
        assert_true(varied[j] == expected[j]);
        assert_int_equal(sni_patch_start(lengths, 5, shortened[j]), starts[j]);
        double fraction = sni_patch_fraction(lengths, starts[j], shortened[j]);
        double x = 3 * (starts[j] + fraction); // where (3.13) puts it
        assert_true(x == 12 * expected[j]);
    }
    sni_patch_shorten(lengths, 5, 1, NULL, shortened);
    snt_near(shortened[4], 0.01, 0); // 1 % is kept (3.11)
}

static void uneven_and_empty_polylines(void **state) {
    (void)state;
    const sn_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 3, 0}};
    double lengths[4];
    sni_patch_lengths(points, 4, lengths);
    static const double expected[4] = {0, 0.25, 0.25, 1};
    assert_memory_equal(lengths, expected, sizeof expected);
    assert_int_equal(sni_patch_start(lengths, 4, 0.25), 0);
    assert_int_equal(sni_patch_start(lengths, 4, 0.26), 2);
    const sn_vec3 one[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    sni_patch_lengths(one, 3, lengths);
    assert_true(lengths[0] == 0 && lengths[1] == 0.5 && lengths[2] == 1);
}

// A point that contracts more than its neighbours does not overtake them.
static void uneven_contraction_keeps_the_order(void **state) {
    (void)state;
    static const double lengths[5] = {0, 0.25, 0.5, 0.75, 1}, factors[5] = {0, 0, 2, 0, 0};
    double shortened[5];
    sni_patch_shorten(lengths, 5, 0.5, factors, shortened);
    static const double expected[5] = {0, 0.25, 0.375, 0.5, 0.75};
    for (int j = 0; j < 5; ++j) {
        snt_near(shortened[j], expected[j], 1e-15);
    }
}

static void thickness_and_bulge_have_known_values(void **state) {
    (void)state;
    assert_true(sni_patch_profile(0.5, 0.5, false) == 1);
    assert_true(sni_patch_profile(0.25, 0.5, false) == 0.75);
    assert_true(sni_patch_profile(0.25, 0.75, false) == 0.5625);
    for (uint32_t k = 0; k < 5; ++k) {
        assert_true(sni_patch_profile(0, k / 4.0, false) == 0);
        assert_true(sni_patch_profile(1, k / 4.0, false) == 0);
        assert_true(sni_patch_profile(k / 4.0, 0, false) == 0);
        assert_true(sni_patch_profile(k / 4.0, 1, false) == 0);
        assert_true(sni_patch_profile(0.5, k / 4.0, true) == 1);
    }
    assert_true(sni_patch_bulge(0, 0, 2) == 1);
    assert_true(sni_patch_bulge(1, 0, 2) == 3);
    assert_true(sni_patch_bulge(0.25, 0, 2) == 1.5);
    assert_true(sni_patch_bulge(0.25, 0.5, 2) == 2);
    assert_true(sni_patch_bulge(0.5, 0.25, 0) == 1);
}

static void normals_turn_at_constant_speed(void **state) {
    (void)state;
    sn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, back = {-1, 0, 0};
    for (int k = 0; k <= 10; ++k) {
        double angle = SN_PI / 2 * k / 10;
        sn_vec3 n = sni_patch_slerp(x, y, k / 10.0);
        snt_near(n.x, cos(angle), 1e-12);
        snt_near(n.y, sin(angle), 1e-12);
        snt_near(sn_vec3_length(sni_patch_slerp(x, back, k / 10.0)), 1, 1e-12);
        snt_near(sn_vec3_dot(sni_patch_slerp(x, back, k / 10.0), x), cos(2 * angle), 1e-12);
        assert_true(sn_vec3_distance(sni_patch_slerp(x, x, k / 10.0), x) == 0);
    }
}

// On a plane everything is known.
static void a_muscle_under_a_plane(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 20, 20, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 2, 0.25, 0.75, 0.2, 0.8);
    c.parameters[SNI_PATCH_PATCHES_U] = 2; // 5 across
    c.parameters[SNI_PATCH_PATCHES_V] = 4; // 7 along
    sni_muscle_job job = toy_job(&skin, &c);
    void *bound;
    snt_ok(sni_muscle_patch.bind(&job, &bound, error));
    sni_muscle_surface surface;
    sni_muscle_patch.surface(bound, &surface);
    assert_string_equal(surface.name, "biceps");
    snt_ok(sni_nurbs_validate(&surface.nurbs, error));
    for (uint32_t k = 0; k <= 30 * 31; ++k) {
        double u = k / 31 / 30.0, v = k % 31 / 30.0;
        sn_vec3 q = sni_nurbs_point(&surface.nurbs, u, v);
        snt_near(q.x, -0.6 + 1.2 * v, 1e-6);
        snt_near(q.y, -0.05 + 0.03 * sni_patch_profile(u, v, false), 1e-6);
        snt_near(q.z, -0.5 + u, 1e-6);
    }
    sni_muscle_measure measure;
    sni_muscle_patch.measure(bound, NULL, &measure);
    snt_near(measure.length, 1.2, 0.01);
    snt_near(measure.rest_length, measure.length, 0);
    snt_near(measure.area, 1.2, 0.01);
    snt_near(measure.thickness, 0.03, 1e-9);
    assert_true(sni_muscle_patch.bytes(bound) > 35 * 24);
    sn_mesh *mesh;
    snt_ok(sni_muscle_patch.emit_surface(bound, context, 3, &mesh, error));
    snt_ok(sn_mesh_validate(mesh, error));
    assert_int_equal(mesh->face_count, 2 * 3 * 4 * 3);
    float *normals = sni_alloc(context, 3 * (size_t)mesh->vertex_count, sizeof *normals);
    snt_ok(sn_mesh_normals(mesh, mesh->positions, normals, error));
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        assert_true(normals[3 * i + 1] > 0.5f); // out of the body
    }
    sni_free(context, normals);
    sn_mesh_destroy(mesh);
    sni_muscle_patch.unbind(context, bound);
    free_toy(&skin);
    snt_context_end(context);
}

// Contracted points lie on their rest polyline, in order, no further from the origin than before.
static void contracted_points_are_never_deeper(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {7};
    for (int round = 0; round < 12; ++round) {
        toy_draw_bumps(&random, 0.05);
        toy skin = make_toy(context, toy_bumpy, 24, 24, false);
        toy_curves c;
        toy_draw_lines(&skin, toy_bumpy, &c, 5, snt_random_range(&random, 0.1, 0.4),
                       snt_random_range(&random, 0.5, 0.9), 0.1, 0.9);
        sni_muscle_value uneven[2] = {{0.2, 0.3, 0.5}, {0.8, 0.9, 1.5}};
        sni_muscle_job job = toy_job(&skin, &c);
        c.vary.contraction = (sni_muscle_values){round % 2 == 0 ? 0 : 2, uneven};
        sni_patch_grid grid;
        snt_ok(sni_patch_generate(&job, &grid, error));
        memset(grid.thickness, 0, sni_patch_count(&grid) * sizeof(double)); // the basis grid itself
        sn_mat4 matrices[16] = {{{0}}};
        double points[3 * 64];
        double contraction = snt_random_range(&random, 0, 1);
        sni_arena arena;
        sni_patch_line line;
        sni_arena_init(&arena, context);
        assert_true(sni_patch_line_init(&line, &grid, &arena));
        sni_patch_contract(&grid, matrices, contraction, 0, &line, points);
        for (uint32_t i = 0; i < grid.count_u; ++i) {
            const sn_vec3 *column = grid.points + i * grid.count_v;
            double last = -1;
            for (uint32_t j = 0; j < grid.count_v; ++j) {
                const double *q = points + 3 * (i * grid.count_v + j);
                sn_vec3 p = {q[0], q[1], q[2]};
                assert_true(polyline_distance(column, grid.count_v, p) < 1e-12);
                double travelled = p.x - column[0].x; // the columns run along x
                assert_true(travelled > last);
                assert_true(travelled <= column[j].x - column[0].x + 1e-12);
                last = travelled;
            }
        }
        sni_arena_deinit(&arena);
        sni_patch_grid_deinit(context, &grid);
        free_toy(&skin);
    }
    snt_context_end(context);
}

// A skin with two bones whose weights change along x, and a muscle bound to it.
typedef struct limb {
    toy skin;
    toy_curves c;
    sn_mat4 rest[2];
    uint32_t segments[2];
    sni_muscle_job job;
    void *bound;
    sni_arena arena;
    double relaxed[3 * 64], contracted[3 * 64];
} limb;

static void make_limb(limb *l, sn_context *context, uint32_t segment) {
    *l = (limb){.skin = make_toy(context, toy_plane, 20, 20, false), .segments = {1, 0}};
    sn_mesh *mesh = l->skin.mesh;
    snt_ok(sn_mesh_set_weights(mesh, 2, 2 * mesh->vertex_count, false, error));
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float w = (mesh->positions[3 * i] + 1) / 2;
        mesh->weights->offsets[i] = 2 * i;
        memcpy(mesh->weights->bones + 2 * i, (uint32_t[2]){0, 1}, 8);
        memcpy(mesh->weights->values + 2 * i, (float[2]){w, 1 - w}, 8);
    }
    mesh->weights->offsets[mesh->vertex_count] = 2 * mesh->vertex_count;
    toy_draw_lines(&l->skin, toy_plane, &l->c, 4, 0.25, 0.75, 0.1, 0.9);
    l->rest[0] = sn_mat4_identity();
    l->rest[1] = sn_mat4_identity();
    l->rest[1].m[12] = 0.3;
    l->job = toy_job(&l->skin, &l->c);
    l->c.drawn.segment = segment;
    l->job.segment_count = 2;
    l->job.rest_worlds = l->rest;
    l->c.drawn.bone_segments = l->segments;
    snt_ok(sni_muscle_patch.bind(&l->job, &l->bound, error));
    sni_arena_init(&l->arena, context);
}

static void free_limb(limb *l) {
    sni_arena_deinit(&l->arena);
    sni_muscle_patch.unbind(l->skin.context, l->bound);
    free_toy(&l->skin);
}

static sni_muscle_pose_job pose_limb(limb *l, const sn_mat4 *worlds, double contraction,
                                     double tension) {
    return (sni_muscle_pose_job){.context = l->skin.context,
                                 .arena = &l->arena,
                                 .segment_count = 2,
                                 .worlds = worlds,
                                 .contraction = contraction,
                                 .tension = tension,
                                 .relaxed = l->relaxed,
                                 .contracted = l->contracted};
}

static sn_mat4 random_pose(snt_random *random, double scale) {
    sn_vec3 angles = {snt_random_range(random, -3, 3), snt_random_range(random, -1, 1),
                      snt_random_range(random, -3, 3)};
    sn_transform t = {.translation = {snt_random_range(random, -1, 1),
                                      snt_random_range(random, -1, 1),
                                      snt_random_range(random, -1, 1)},
                      .rotation = sn_quat_from_euler(angles, SN_ROTATION_XYZ),
                      .scale = {scale, scale, scale}};
    return sn_mat4_from_transform(&t);
}

static void a_relaxed_muscle_has_the_same_bits_in_any_pose(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {11};
    for (int carried = 0; carried < 2; ++carried) {
        limb l;
        make_limb(&l, context, carried == 0 ? SN_NONE : 1);
        for (int k = 0; k < 20; ++k) {
            sn_mat4 worlds[2] = {random_pose(&random, 1), random_pose(&random, 1.5)};
            sni_muscle_pose_job job = pose_limb(&l, worlds, 0, 0);
            snt_ok(sni_muscle_patch.pose(l.bound, &job, error));
            assert_memory_equal(l.relaxed, l.contracted, 48 * 24);
            job.contraction = 0.3;
            snt_ok(sni_muscle_patch.pose(l.bound, &job, error));
            assert_memory_not_equal(l.relaxed, l.contracted, 48 * 24);
        }
        free_limb(&l);
    }
    snt_context_end(context);
}

static void near_moved(const double *now, const double *before, const sn_mat4 *move,
                       double tolerance) {
    for (int k = 0; k < 48; ++k) {
        sn_vec3 p = {before[3 * k], before[3 * k + 1], before[3 * k + 2]};
        sn_vec3 moved = sn_mat4_point(move, p), is = {now[3 * k], now[3 * k + 1], now[3 * k + 2]};
        snt_near(sn_vec3_distance(is, moved), 0, tolerance);
    }
}

// All segments moved alike move the muscle alike, contracted or not, scale included.
static void poses_carry_the_muscle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {12};
    for (int carried = 0; carried < 2; ++carried) {
        limb l;
        make_limb(&l, context, carried == 0 ? SN_NONE : 1);
        double relaxed[3 * 64], contracted[3 * 64];
        sni_muscle_pose_job job = pose_limb(&l, l.rest, 0.4, 0.7);
        snt_ok(sni_muscle_patch.pose(l.bound, &job, error));
        memcpy(relaxed, l.relaxed, sizeof relaxed);
        memcpy(contracted, l.contracted, sizeof contracted);
        sni_muscle_surface surface;
        sni_muscle_patch.surface(l.bound, &surface);
        sn_mat4 identity = sn_mat4_identity();
        near_moved(relaxed, surface.nurbs.points, &identity, 1e-12);
        sn_mat4 move = random_pose(&random, 1.7);
        sn_mat4 worlds[2] = {sn_mat4_multiply(&move, &l.rest[0]),
                             sn_mat4_multiply(&move, &l.rest[1])};
        job.worlds = worlds;
        snt_ok(sni_muscle_patch.pose(l.bound, &job, error));
        near_moved(l.relaxed, relaxed, &move, 1e-12);
        near_moved(l.contracted, contracted, &move, 1e-12);
        free_limb(&l);
    }
    snt_context_end(context);
}

// Weights fall from bone 0 (segment 1) to bone 1 along the muscle, as those of the skin do.
static void weights_of_the_skin_carry_the_grid(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    limb l;
    make_limb(&l, context, SN_NONE);
    sn_mat4 worlds[2] = {l.rest[0], l.rest[1]};
    worlds[1].m[13] = 2; // segment 1 rises
    sni_muscle_pose_job job = pose_limb(&l, worlds, 0, 0);
    snt_ok(sni_muscle_patch.pose(l.bound, &job, error));
    sni_muscle_surface surface;
    sni_muscle_patch.surface(l.bound, &surface);
    for (int k = 0; k < 48; ++k) {
        double rise = l.relaxed[3 * k + 1] - surface.nurbs.points[3 * k + 1];
        snt_near(rise, 2 * (surface.nurbs.points[3 * k] + 1) / 2, 1e-5);
    }
    free_limb(&l);
    snt_context_end(context);
}

static void tension_bulges_without_shortening(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    limb l;
    make_limb(&l, context, 1);
    sni_muscle_pose_job job = pose_limb(&l, l.rest, 0, 0.5);
    snt_ok(sni_muscle_patch.pose(l.bound, &job, error));
    sni_muscle_surface surface;
    sni_muscle_patch.surface(l.bound, &surface);
    sni_nurbs relaxed = surface.nurbs, contracted = surface.nurbs;
    relaxed.points = l.relaxed;
    contracted.points = l.contracted;
    for (int k = 0; k < 441; ++k) {
        double u = k / 21 / 20.0, v = k % 21 / 20.0;
        sn_vec3 from = sni_nurbs_point(&relaxed, u, v), to = sni_nurbs_point(&contracted, u, v);
        snt_near(to.x, from.x, 1e-12);
        snt_near(to.y - from.y, 0.03 * sni_patch_profile(u, v, false), 1e-9); // g = 2
        snt_near(to.z, from.z, 1e-12);
    }
    job.contraction = 1.5;
    snt_fails(SN_INVALID, "biceps: contraction is 1.5, but must be from 0 to 1",
              sni_muscle_patch.pose(l.bound, &job, error));
    job.contraction = 0;
    job.tension = NAN;
    snt_fails(SN_INVALID, "biceps: tension is nan", sni_muscle_patch.pose(l.bound, &job, error));
    job.tension = 0;
    job.segment_count = 3;
    snt_fails(SN_INVALID, "3 segments, but it was bound to 2",
              sni_muscle_patch.pose(l.bound, &job, error));
    free_limb(&l);
    snt_context_end(context);
}

// The same skin, turned and grown, gives the same muscle, turned and grown.
static void motion_and_scale_of_everything_carry_over(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {13};
    toy skin = make_toy(context, toy_tube, 48, 20, true);
    toy_curves c;
    toy_draw_lines(&skin, toy_tube, &c, 4, 0.05, 0.3, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    sni_patch_grid a, b;
    snt_ok(sni_patch_generate(&job, &a, error));
    sn_mat4 move = random_pose(&random, 2);
    toy moved = {.context = context};
    snt_ok(sn_mesh_copy(skin.mesh, &moved.mesh, error));
    for (uint32_t i = 0; i < moved.mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(skin.mesh->positions + 3 * i);
        sn_vec3_store(sn_mat4_point(&move, p), moved.mesh->positions + 3 * i);
    }
    toy_finish(&moved);
    sni_muscle_job moved_job = toy_job(&moved, &c);
    c.parameters[SNI_PATCH_SKIN_THICKNESS] *= 2;
    c.parameters[SNI_PATCH_MUSCLE_THICKNESS] *= 2;
    snt_ok(sni_patch_generate(&moved_job, &b, error));
    for (size_t k = 0; k < sni_patch_count(&a); ++k) {
        snt_near(sn_vec3_distance(sn_mat4_point(&move, a.points[k]), b.points[k]), 0, 1e-5);
        snt_near(b.thickness[k], 2 * a.thickness[k], 1e-12);
    }
    sni_patch_grid_deinit(context, &a);
    sni_patch_grid_deinit(context, &b);
    free_toy(&moved);
    free_toy(&skin);
    snt_context_end(context);
}

// Thicknesses that are not given are parts of the width: a toy and a giant get the same muscle, as
// small and as large as they are.
static void sizes_follow_the_width(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 20, 20, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 4, 0.25, 0.75, 0.2, 0.8);
    double width = sn_vec3_distance(toy_plane(0.25, 0.5), toy_plane(0.75, 0.5));
    c.parameters[SNI_PATCH_SKIN_THICKNESS] = c.parameters[SNI_PATCH_MUSCLE_THICKNESS] = NAN;
    c.parameters[SNI_PATCH_PATCHES_U] = 2; // 5 across: one in the middle
    c.parameters[SNI_PATCH_PATCHES_V] = 2;
    for (int k = 0; k < 3; ++k) {
        const double scale = k == 0 ? 1 : k == 1 ? 0.1 : 100;
        toy other = {.context = context};
        sni_patch_grid grid;
        snt_ok(sn_mesh_copy(skin.mesh, &other.mesh, error));
        for (size_t i = 0; i < 3 * (size_t)other.mesh->vertex_count; ++i) {
            other.mesh->positions[i] *= (float)scale;
        }
        toy_finish(&other);
        sni_muscle_job job = toy_job(&other, &c);
        snt_ok(sni_patch_generate(&job, &grid, error));
        snt_near(grid.thickness[12] / scale, 0.3 * width, 1e-6 * width);
        snt_near(grid.points[12].y / scale, -0.36 * width, 1e-6 * width);
        assert_int_equal(grid.without_hit + grid.too_deep + grid.folded, 0);
        sni_patch_grid_deinit(context, &grid);
        free_toy(&other);
    }
    free_toy(&skin);
    snt_context_end(context);
}

static void values_vary_over_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 20, 20, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 2, 0.25, 0.75, 0.2, 0.8);
    c.parameters[SNI_PATCH_PATCHES_U] = 2;                             // 5 across
    c.parameters[SNI_PATCH_PATCHES_V] = 2;                             // 5 along
    sni_muscle_value values[2] = {{0.5, 0.5, 2}, {1.0 / 6, 0.5, 0.5}}; // at points of the grid
    sni_muscle_job job = toy_job(&skin, &c);
    c.vary.thickness = c.vary.bulge = (sni_muscle_values){2, values};
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(&job, &grid, error));
    snt_near(grid.thickness[12], 0.06, 1e-12);         // factor 2
    snt_near(grid.points[12].y, -0.02 - 0.06, 1e-6);   // deeper, so that its top stays where it was
    snt_near(grid.thickness[7], 0.015 * 5 / 9, 1e-12); // factor 1/2
    snt_near(grid.bulge[12], 4, 1e-12);
    snt_near(grid.bulge[7], 1, 1e-12);
    assert_true(grid.bulge[24] > 1 && grid.bulge[24] < 4);
    snt_near(grid.contraction[3], 1, 0);
    sni_patch_grid_deinit(context, &grid);
    values[0].factor = -1;
    void *bound;
    snt_fails(SN_INVALID, "biceps: bulge value 1 is -1",
              sni_muscle_patch.bind(&job, &bound, error));
    free_toy(&skin);
    snt_context_end(context);
}

static void bad_numbers_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    toy skin = make_toy(context, toy_plane, 20, 20, false);
    toy_curves c;
    toy_draw_lines(&skin, toy_plane, &c, 3, 0.25, 0.75, 0.2, 0.8);
    sni_muscle_job job = toy_job(&skin, &c);
    c.parameters[SNI_PATCH_DEGREE] = 2.5;
    toy_bind_fails("biceps: degree is 2.5, but must be a whole number");
    c.parameters[SNI_PATCH_DEGREE] = 9;
    toy_bind_fails("biceps: degree is 9, but must be from 1 to 7");
    c.parameters[SNI_PATCH_DEGREE] = 3;
    c.parameters[SNI_PATCH_BULGE] = NAN;
    toy_bind_fails("bulge is nan");
    c.parameters[SNI_PATCH_BULGE] = 1;
    c.parameters[SNI_PATCH_SKIN_THICKNESS] = INFINITY;
    toy_bind_fails("skin_thickness is inf");
    c.parameters[SNI_PATCH_SKIN_THICKNESS] = c.parameters[SNI_PATCH_MUSCLE_THICKNESS] = 0;
    toy_bind_fails("skin_thickness and muscle_thickness are both 0");
    c.parameters[SNI_PATCH_SKIN_THICKNESS] = 0.1;
    c.drawn.segment = 2;
    toy_bind_fails("biceps: segment 2, but there are 0");
    free_toy(&skin);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const limb *l = user;
    sni_muscle_job job = l->job;
    job.context = context;
    void *bound;
    sn_status status = sni_muscle_patch.bind(&job, &bound, error);
    if (status == SN_OK) {
        sn_mesh *mesh = NULL;
        double relaxed[3 * 64], contracted[3 * 64];
        sni_arena arena;
        sni_arena_init(&arena, context);
        sni_muscle_pose_job pose = {.context = context,
                                    .arena = &arena,
                                    .segment_count = 2,
                                    .worlds = l->rest,
                                    .contraction = 0.2,
                                    .relaxed = relaxed,
                                    .contracted = contracted};
        status = sni_muscle_patch.pose(bound, &pose, error);
        if (status == SN_OK) {
            status = sni_muscle_patch.emit_surface(bound, context, 1, &mesh, error);
        }
        sn_mesh_destroy(mesh);
        sni_arena_deinit(&arena);
        sni_muscle_patch.unbind(context, bound);
    }
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int carried = 0; carried < 2; ++carried) {
        limb l;
        make_limb(&l, context, carried == 0 ? SN_NONE : 1);
        l.c.parameters[SNI_PATCH_NORMALS] = SNI_PATCH_CURVE_NORMALS;
        snt_fail_allocations(attempt, &l);
        free_limb(&l);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_running_example),
        cmocka_unit_test(uneven_and_empty_polylines),
        cmocka_unit_test(uneven_contraction_keeps_the_order),
        cmocka_unit_test(thickness_and_bulge_have_known_values),
        cmocka_unit_test(normals_turn_at_constant_speed),
        cmocka_unit_test(a_muscle_under_a_plane),
        cmocka_unit_test(contracted_points_are_never_deeper),
        cmocka_unit_test(a_relaxed_muscle_has_the_same_bits_in_any_pose),
        cmocka_unit_test(poses_carry_the_muscle),
        cmocka_unit_test(weights_of_the_skin_carry_the_grid),
        cmocka_unit_test(tension_bulges_without_shortening),
        cmocka_unit_test(motion_and_scale_of_everything_carry_over),
        cmocka_unit_test(sizes_follow_the_width),
        cmocka_unit_test(values_vary_over_the_surface),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
