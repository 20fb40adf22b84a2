// SPDX-License-Identifier: Apache-2.0
//
// Cylinder muscles: what section 4 of Wilhelms and Van Gelder (1997) says about their shape and
// volume, and how they move with bones.
#include "test.h"

#include "../bones.h"

#include "geometry/density.h"

static const sni_muscle_ops *const ops = &sni_muscle_cylinder;

static double points[3 * BONES_MOST], others[3 * BONES_MOST];

// --- Shape

// A muscle in front of straight bones, by hand: 8 slices of 8 points over 0.35 m.
static void stands_on_its_bones(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_bind(&b, ops);
    assert_int_equal(b.surface.slice_count, 8);
    assert_int_equal(b.surface.ring_count, 8);
    bones_pose(&b, ops, b.rest, points);
    // The ends are as wide as the attachments are apart, and stand on the bone.
    for (int k = 0; k < 2; ++k) {
        double side = k == 0 ? 1 : -1; // -y is outwards, z down: x to the left
        snt_near(sn_vec3_distance(bones_point(points, k == 0 ? 2 : 6),
                                  sn_vec3_make(-0.02 * side, 0.95, 0.02)),
                 0, 1e-15);
        snt_near(sn_vec3_distance(bones_point(points, 56 + (k == 0 ? 2 : 6)),
                                  sn_vec3_make(-0.01 * side, 0.6, 0.02)),
                 0, 1e-15);
    }
    for (uint32_t j = 0; j < 8; ++j) {
        snt_near(bones_point(points, j).z, 0.02, 1e-15);
        snt_near(bones_point(points, 56 + j).z, 0.02, 1e-15);
    }
    // Interior slices are equidistant and across the way.
    for (uint32_t i = 1; i < 7; ++i) {
        for (uint32_t j = 0; j < 8; ++j) {
            snt_near(bones_point(points, 8 * i + j).y, 0.95 - 0.05 * i, 1e-14);
        }
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static double extent(uint32_t slice, uint32_t a, uint32_t c) {
    return sn_vec3_distance(bones_point(points, 8 * slice + a), bones_point(points, 8 * slice + c));
}

static void is_fusiform_and_bulges_outwards(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(extent(i, 2, 6) < extent(i + 1, 2, 6));     // wider to the middle,
        assert_true(extent(i, 0, 4) < extent(i + 1, 0, 4));     // thicker,
        assert_true(extent(7 - i, 2, 6) < extent(6 - i, 2, 6)); // on both sides,
        assert_true(extent(i + 1, 0, 4) < extent(i + 1, 2, 6)); // flatter than wide
        assert_true(extent(i, 2, 6) > extent(7 - i, 2, 6));     // as its ends are
        sn_vec3 outer = bones_point(points, 8 * (i + 1));
        sn_vec3 inner = bones_point(points, 8 * (i + 1) + 4);
        assert_true(outer.z > inner.z);
        // On the bone's side it lies on the line between the sides of the end slices.
        assert_true(inner.z > 0.02 - 0.011 && inner.z < 0.02);
    }
    bones_unbind(&b, ops);
    // Given sizes are those of the middle: of 9 slices the fifth.
    bones_set(&b, ops, "slices", 9);
    bones_set(&b, ops, "width", 0.08);
    bones_set(&b, ops, "thickness", 0.03);
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    snt_near(extent(4, 2, 6), 0.08, 1e-14);
    snt_near(extent(4, 0, 4), 0.03, 1e-14);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// The order of the two attachments of an end says nothing, unless it is asked for.
static void attachments_may_stand_in_any_order(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int swaps = 0; swaps < 4; ++swaps) {
        bones b, plain;
        bones_init(&plain, context, ops);
        bones_bind(&plain, ops);
        bones_pose(&plain, ops, plain.rest, points);
        bones_init(&b, context, ops);
        for (int k = 0; k < 2; ++k) {
            b.origins[k] = plain.origins[swaps & 1 ? 1 - k : k];
            b.insertions[k] = plain.insertions[swaps & 2 ? 1 - k : k];
        }
        bones_bind(&b, ops);
        bones_pose(&b, ops, b.rest, others);
        sn_mat4 same = sn_mat4_identity();
        snt_near(bones_difference(&b, others, &same, points), 0, 1e-15);
        bones_unbind(&b, ops);
        bones_unbind(&plain, ops);
    }
    bones b;
    bones_init(&b, context, ops);
    bones_set(&b, ops, "order", 1);
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    assert_true(bones_point(points, 24).z < 0.02); // as given, it would bulge into the bone
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// Table 1: scale, translation and rotation of a slice.
static void slices_can_be_changed(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b, plain;
    bones_init(&plain, context, ops);
    bones_bind(&plain, ops);
    bones_pose(&plain, ops, plain.rest, others);
    bones_init(&b, context, ops);
    b.body.shape_count = 3;
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 3, .scale = {2, 0.5}};
    b.shapes[1] = (sni_muscle_slice_shape){.slice = 4, .scale = {1, 1}, .move = {0.01, 0.02, 0.03}};
    b.shapes[2] = (sni_muscle_slice_shape){.slice = 5, .scale = {1, 1}, .turn = {0, 0, SN_PI / 2}};
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    snt_near(extent(3, 2, 6),
             2 * sn_vec3_distance(bones_point(others, 26), bones_point(others, 30)), 1e-14);
    snt_near(extent(3, 0, 4),
             0.5 * sn_vec3_distance(bones_point(others, 24), bones_point(others, 28)), 1e-14);
    // x is to the left, y into the bone, z down.
    for (uint32_t j = 0; j < 8; ++j) {
        sn_vec3 moved = sn_vec3_sub(bones_point(points, 32 + j), bones_point(others, 32 + j));
        snt_near(sn_vec3_distance(moved, sn_vec3_make(-0.01, -0.03, -0.02)), 0, 1e-14);
    }
    // A quarter of a turn about z puts the wide axis where the thin one was.
    assert_true(fabs(bones_point(points, 42).x - bones_point(points, 46).x) < 1e-12);
    snt_near(fabs(bones_point(points, 42).z - bones_point(points, 46).z),
             sn_vec3_distance(bones_point(others, 42), bones_point(others, 46)), 1e-14);
    bones_unbind(&b, ops);
    bones_unbind(&plain, ops);
    snt_context_end(context);
}

// --- Volume

static sn_vec3 middle_of(sn_vec3 a, sn_vec3 b) {
    return sn_vec3_scale(sn_vec3_add(a, b), 0.5);
}

// Twice the area vector of a ring of 8 points, from a function of their number.
static sn_vec3 ring_area(const double *p, uint32_t a, uint32_t b) {
    sn_vec3 sum = {0, 0, 0}, reference = middle_of(bones_point(p, a), bones_point(p, b));
    for (uint32_t j = 0; j < 8; ++j) {
        uint32_t next = (j + 1) % 8;
        sn_vec3 q = middle_of(bones_point(p, a + j), bones_point(p, b + j));
        sn_vec3 r = middle_of(bones_point(p, a + next), bones_point(p, b + next));
        sum = sn_vec3_add(sum, sn_vec3_cross(sn_vec3_sub(q, reference), sn_vec3_sub(r, reference)));
    }
    return sum;
}

// The volume between two parallel slices: Simpson's rule is exact, as areas are quadratic.
static double section_volume(const double *p, uint32_t slice, sn_vec3 normal) {
    uint32_t a = 8 * slice, b = a + 8;
    double height = sn_vec3_dot(sn_vec3_sub(bones_point(p, b), bones_point(p, a)), normal);
    double areas = sn_vec3_dot(ring_area(p, a, a), normal) +
                   sn_vec3_dot(ring_area(p, b, b), normal) +
                   4 * sn_vec3_dot(ring_area(p, a, b), normal);
    return height * areas / 12;
}

// Stretched along its way, the muscle keeps the volume between its interior slices, also moved and
// turned ones: 1e-6 in double precision, 1e-4 in the mesh.
static void keeps_volume_between_parallel_slices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {11};
    for (int round = 0; round < 40; ++round) {
        bones b;
        float stored[3 * 66];
        bones_init(&b, context, ops);
        b.body.shape_count = 2;
        b.shapes[0] = (sni_muscle_slice_shape){
            .slice = 2, .scale = {1.5, 0.8}, .move = {0.01, -0.02, 0.005}, .turn = {0, 0, 0.4}};
        b.shapes[1] =
            (sni_muscle_slice_shape){.slice = 5, .scale = {1, 1.3}, .move = {0, 0, -0.01}};
        bones_bind(&b, ops);
        sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
        worlds[1].m[13] -= 0.35 * snt_random_range(&random, -0.7, 2);
        bones_pose(&b, ops, b.rest, others);
        bones_pose(&b, ops, worlds, points);
        ops->emit_points(b.bound, 1, points, stored);
        for (uint32_t i = 0; i < 3 * 64; ++i) {
            points[3 * 64 + i] = stored[i];
        }
        sn_vec3 down = {0, -1, 0};
        for (uint32_t i = 1; i < 6; ++i) {
            double rest = section_volume(others, i, down);
            assert_true(rest > 0);
            snt_near(section_volume(points, i, down) / rest, 1, 1e-6);
            snt_near(section_volume(points + 3 * 64, i, down) / rest, 1, 1e-4);
        }
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

static void random_pose(bones *b, snt_random *random, sn_mat4 *worlds) {
    bones_bend(b,
               sn_vec3_make(snt_random_range(random, -0.2, 2.4), 0.4 * bones_random(random),
                            0.3 * bones_random(random)),
               worlds);
    worlds[1].m[13] += 0.03 * bones_random(random);
}

static void measure(const bones *b, const double *p, sni_muscle_measure *m) {
    ops->measure(b->bound, p, m);
}

// With `exact` the whole mesh keeps its volume in all poses; without, it does not.
static void exact_keeps_the_whole_volume(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {3};
    double worst[2] = {0, 0};
    for (int exact = 0; exact < 2; ++exact) {
        bones b;
        sni_muscle_measure m;
        bones_init(&b, context, ops);
        bones_add_pivot(&b, SNI_PIVOT_BENT);
        bones_set(&b, ops, "volume", exact);
        bones_bind(&b, ops);
        bones_pose(&b, ops, b.rest, points);
        measure(&b, NULL, &m);
        snt_near(m.volume / m.rest_volume, 1, 1e-14);
        for (int round = 0; round < 300; ++round) {
            sn_mat4 worlds[2];
            random_pose(&b, &random, worlds);
            bones_pose(&b, ops, worlds, points);
            measure(&b, points, &m);
            worst[exact] = fmax(worst[exact], fabs(m.volume / m.rest_volume - 1));
        }
        bones_unbind(&b, ops);
    }
    assert_true(worst[1] < 0.005);
    assert_true(worst[1] < 1e-9);
    assert_true(worst[0] > 0.01);
    snt_context_end(context);
}

static void note_warning(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)level;
    assert_string_equal(topic, "muscle");
    assert_non_null(strstr(message, "biceps: no scale of its sections keeps its volume"));
    ++*(int *)user;
}

// A muscle without length cannot keep its volume: it says so and stays finite.
static void exact_says_what_it_cannot_keep(void **state) {
    (void)state;
    int warnings = 0;
    sn_context_desc desc = sn_context_desc_default();
    desc.log = note_warning;
    desc.log_user = &warnings;
    sn_context *context = NULL;
    snt_ok(sn_context_create(&desc, &context, error));
    bones b;
    bones_init(&b, context, ops);
    bones_set(&b, ops, "volume", 1);
    bones_bind(&b, ops);
    sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
    worlds[1].m[13] += 0.35;
    bones_pose(&b, ops, worlds, points);
    assert_int_equal(warnings, 1);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// --- The mesh

// Closed, outwards, and of the volume that is measured.
static void its_mesh_is_closed(void **state) {
    (void)state;
    static const uint32_t counts[][2] = {{3, 3}, {8, 8}, {5, 7}, {33, 20}};
    sn_context *context = snt_context(1);
    for (int k = 0; k < 4; ++k) {
        bones b;
        sn_mesh *mesh = NULL;
        sn_triangles *triangles = NULL;
        sn_mass mass;
        sni_muscle_measure m;
        bones_init(&b, context, ops);
        bones_set(&b, ops, "slices", counts[k][0]);
        bones_set(&b, ops, "points", counts[k][1]);
        bones_bind(&b, ops);
        snt_ok(ops->emit_surface(b.bound, context, 4, &mesh, error));
        snt_ok(sn_mesh_validate(mesh, error));
        assert_int_equal(mesh->vertex_count, counts[k][0] * counts[k][1] + 2);
        snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
        sni_solid solid = {.name = "biceps",
                           .positions = mesh->positions,
                           .vertex_count = mesh->vertex_count,
                           .vertices = triangles->vertices,
                           .triangle_count = triangles->count,
                           .value = 1};
        snt_ok(sni_solids_check(context, &solid, 1, error));
        snt_ok(sn_mass_compute(context, mesh->positions, triangles->vertices, triangles->count,
                               &mass, error));
        measure(&b, NULL, &m);
        snt_near(m.volume / mass.volume, 1, 1e-5);
        snt_near(m.area / mass.area, 1, 1e-5);
        // The slices' vertices come first.
        bones_pose(&b, ops, b.rest, points);
        for (uint32_t i = 0; i < 3 * (mesh->vertex_count - 2); ++i) {
            assert_true(mesh->positions[i] == (float)points[i]);
        }
        sn_triangles_destroy(triangles);
        sn_mesh_destroy(mesh);
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// --- Motion

static void rest_is_bit_for_bit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {8};
    for (int exact = 0; exact < 2; ++exact) {
        bones b;
        sn_mesh *mesh = NULL;
        bones_init(&b, context, ops);
        bones_add_pivot(&b, SNI_PIVOT_BENT);
        bones_set(&b, ops, "volume", exact);
        // Anywhere, so that numbers are not round.
        sn_mat4 place = bones_random_rigid(&random);
        for (int k = 0; k < 2; ++k) {
            b.rest[k] = sn_mat4_multiply(&place, &b.rest[k]);
            b.origins[k].point = sn_mat4_point(&place, b.origins[k].point);
            b.insertions[k].point = sn_mat4_point(&place, b.insertions[k].point);
            b.origins[k].normal = sn_mat4_direction(&place, b.origins[k].normal);
            b.insertions[k].normal = sn_mat4_direction(&place, b.insertions[k].normal);
        }
        b.pivots[0].joint = sn_mat4_point(&place, b.pivots[0].joint);
        bones_bind(&b, ops);
        snt_ok(ops->emit_surface(b.bound, context, 4, &mesh, error));
        bones_pose(&b, ops, b.rest, points);
        float *stored = sni_alloc(context, 3 * (size_t)mesh->vertex_count, sizeof *stored);
        ops->emit_points(b.bound, 4, points, stored);
        assert_memory_equal(stored, mesh->positions, 3 * mesh->vertex_count * sizeof *stored);
        sni_muscle_measure rest, now;
        measure(&b, NULL, &rest);
        measure(&b, points, &now);
        bones_same_measure(&rest, &now);
        sni_free(context, stored);
        sn_mesh_destroy(mesh);
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

static void moves_rigidly_with_the_body(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {21};
    bones b;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_BENT);
    bones_set(&b, ops, "volume", 1);
    bones_bind(&b, ops);
    for (int round = 0; round < 50; ++round) {
        sn_mat4 worlds[2], moved[2], place = bones_random_rigid(&random);
        random_pose(&b, &random, worlds);
        for (int k = 0; k < 2; ++k) {
            moved[k] = sn_mat4_multiply(&place, &worlds[k]);
        }
        bones_pose(&b, ops, worlds, others);
        bones_pose(&b, ops, moved, points);
        snt_near(bones_difference(&b, points, &place, others), 0, 1e-9);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// Everything a hundred times as large; sizes in metres too, those in lengths as they are.
static void scales_with_the_body(void **state) {
    bool in_lengths = *state != NULL;
    sn_context *context = snt_context(1);
    bones b, large;
    bones_init(&b, context, ops);
    bones_init(&large, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_BENT);
    bones_add_pivot(&large, SNI_PIVOT_BENT);
    const double size = 100;
    for (int k = 0; k < 2; ++k) {
        large.origins[k].point = sn_vec3_scale(b.origins[k].point, size);
        large.insertions[k].point = sn_vec3_scale(b.insertions[k].point, size);
        for (int i = 12; i < 15; ++i) {
            large.rest[k].m[i] *= size;
        }
    }
    large.pivots[0].at = sn_vec3_scale(b.pivots[0].at, size);
    large.pivots[0].joint = sn_vec3_scale(b.pivots[0].joint, size);
    bones_set(&b, ops, "sizes", in_lengths);
    bones_set(&large, ops, "sizes", in_lengths);
    bones_set(&b, ops, "thickness", 0.08);
    bones_set(&large, ops, "thickness", 0.08 * (in_lengths ? 1 : size));
    b.body.shape_count = large.body.shape_count = 1;
    b.shapes[0] = large.shapes[0] =
        (sni_muscle_slice_shape){.slice = 2, .scale = {1, 1}, .move = {0.02, 0.01, 0.01}};
    if (!in_lengths) {
        large.shapes[0].move = sn_vec3_scale(b.shapes[0].move, size);
    }
    bones_bind(&b, ops);
    bones_bind(&large, ops);
    snt_random random = {2};
    sn_mat4 grow = sn_mat4_identity();
    grow.m[0] = grow.m[5] = grow.m[10] = size;
    for (int round = 0; round < 20; ++round) {
        sn_vec3 angles = {snt_random_range(&random, 0, 2), 0.2 * bones_random(&random), 0};
        sn_mat4 worlds[2], large_worlds[2];
        bones_bend(&b, angles, worlds);
        bones_bend(&large, angles, large_worlds);
        bones_pose(&b, ops, worlds, others);
        bones_pose(&large, ops, large_worlds, points);
        snt_near(bones_difference(&b, points, &grow, others), 0, 1e-12 * size);
    }
    bones_unbind(&b, ops);
    bones_unbind(&large, ops);
    snt_context_end(context);
}

// --- Mirrors

static sn_vec3 mirrored(sn_vec3 p) {
    return sn_vec3_make(-p.x, p.y, p.z);
}

static sn_mat4 mirrored_matrix(const sn_mat4 *a) {
    sn_mat4 m = *a;
    static const int odd[] = {1, 2, 4, 8, 12}; // one factor of x
    for (int i = 0; i < 5; ++i) {
        m.m[odd[i]] = -m.m[odd[i]];
    }
    return m;
}

static void mirror_bones(const bones *b, bones *m) {
    for (int k = 0; k < 2; ++k) {
        m->rest[k] = mirrored_matrix(&b->rest[k]);
        m->origins[k].point = mirrored(b->origins[k].point);
        m->origins[k].normal = mirrored(b->origins[k].normal);
        m->insertions[k].point = mirrored(b->insertions[k].point);
        m->insertions[k].normal = mirrored(b->insertions[k].normal);
    }
    m->pivots[0].at = mirrored(b->pivots[0].at);
    m->pivots[0].joint = mirrored(b->pivots[0].joint);
    m->shapes[0].move = mirrored(b->shapes[0].move); // x changes its side
    m->shapes[0].turn =
        sn_vec3_make(b->shapes[0].turn.x, -b->shapes[0].turn.y, -b->shapes[0].turn.z);
}

static void mirrored_bones_give_the_mirrored_muscle(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {77};
    for (int round = 0; round < 30; ++round) {
        bones b, m;
        for (int k = 0; k < 2; ++k) {
            bones *one = k == 0 ? &b : &m;
            bones_init(one, context, ops);
            bones_add_pivot(one, SNI_PIVOT_BENT);
            bones_set(one, ops, "points", 4 + round % 5);
            bones_set(one, ops, "volume", round % 2);
            one->body.shape_count = 1;
        }
        b.shapes[0] = (sni_muscle_slice_shape){
            .slice = 2, .scale = {1.2, 0.7}, .move = {0.01, 0.005, 0}, .turn = {0.2, 0.1, -0.3}};
        m.shapes[0] = b.shapes[0];
        // Not symmetric by itself.
        b.origins[0].point.x += 0.03 * bones_random(&random);
        b.origins[1].normal.x += 0.5 * bones_random(&random);
        b.insertions[0].point.z += 0.01 * bones_random(&random);
        b.pivots[0].at.x += 0.02 * bones_random(&random);
        mirror_bones(&b, &m);
        bones_bind(&b, ops);
        bones_bind(&m, ops);
        sn_mat4 worlds[2], mirror_worlds[2];
        random_pose(&b, &random, worlds);
        for (int k = 0; k < 2; ++k) {
            mirror_worlds[k] = mirrored_matrix(&worlds[k]);
        }
        bones_pose(&b, ops, worlds, points);
        bones_pose(&m, ops, mirror_worlds, others);
        uint32_t n = b.surface.ring_count;
        double tolerance = n % 2 == 1 && round % 2 == 1 ? 2e-3 : 1e-11; // odd rings, exact volume:
        for (uint32_t i = 0; i < 8 * n; ++i) { // one quad is its own mirror image, its diagonal not
            uint32_t image = i / n * n + (n - i % n) % n;
            snt_near(sn_vec3_distance(mirrored(bones_point(points, i)), bones_point(others, image)),
                     0, tolerance);
        }
        bones_unbind(&b, ops);
        bones_unbind(&m, ops);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_on_its_bones),
        cmocka_unit_test(is_fusiform_and_bulges_outwards),
        cmocka_unit_test(attachments_may_stand_in_any_order),
        cmocka_unit_test(slices_can_be_changed),
        cmocka_unit_test(keeps_volume_between_parallel_slices),
        cmocka_unit_test(exact_keeps_the_whole_volume),
        cmocka_unit_test(exact_says_what_it_cannot_keep),
        cmocka_unit_test(its_mesh_is_closed),
        cmocka_unit_test(rest_is_bit_for_bit),
        cmocka_unit_test(moves_rigidly_with_the_body),
        cmocka_unit_test(scales_with_the_body),
        cmocka_unit_test_prestate(scales_with_the_body, points), // any state: sizes in lengths
        cmocka_unit_test(mirrored_bones_give_the_mirrored_muscle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
