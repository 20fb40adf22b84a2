// SPDX-License-Identifier: Apache-2.0
//
// Muscles of kind `mesh`: the given surface at rest, and how it follows its strips.
#include "test.h"

#include "strips.h"

#include "geometry/edge.h"
#include "muscle/cover.h"

static const sni_muscle_ops *const ops = &sni_muscle_mesh;

// --- At rest

static void rest_is_the_given_surface_bit_for_bit(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (int shape = 0; shape < STRIPS_SHAPES; ++shape) {
        strips s;
        sn_mesh *mesh = NULL;
        strips_init(&s, context, (strips_shape)shape, 1);
        // Numbers that cancel out or vanish beside those they are added to.
        s.mesh->positions[0] = 1e-30F;
        s.mesh->positions[3] = -0.0F;
        s.mesh->positions[6] = 3e-9F;
        size_t bytes = 3 * (size_t)s.mesh->vertex_count * sizeof(float);
        strips_bind(&s);
        strips_pose(&s, s.rest);
        for (size_t i = 0; i < 3 * (size_t)s.mesh->vertex_count; ++i) {
            assert_true(s.surface[i] == s.mesh->positions[i]);
        }
        snt_ok(ops->emit_surface(s.bound, context, 4, &mesh, error));
        assert_string_equal(mesh->name, "biceps");
        assert_memory_equal(mesh->positions, s.mesh->positions, bytes);
        assert_memory_equal(mesh->corners, s.mesh->corners,
                            s.mesh->corner_count * sizeof *mesh->corners);
        ops->emit_points(s.bound, 4, s.points, s.surface);
        for (size_t i = 0; i < 3 * (size_t)s.mesh->vertex_count; ++i) {
            assert_true(s.surface[i] == s.mesh->positions[i]);
        }
        sn_mesh_destroy(mesh);
        strips_free(&s);
    }
    snt_context_end(context);
}

static void measures_what_was_given(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    strips s;
    strips_init(&s, context, STRIPS_SHEET, 1);
    strips_bind(&s);
    sni_muscle_measure rest, now;
    ops->measure(s.bound, NULL, &rest);
    snt_near(rest.volume, strips_volume(&s, s.mesh->positions), 1e-12);
    assert_true(rest.volume == rest.rest_volume && rest.length == rest.rest_length);
    // The strips are straight lines from end to end; those at the sides lean inwards nowhere.
    double length = 0;
    for (int i = 0; i < 3; ++i) {
        const sni_muscle_section *ends = s.bodies[i].sections;
        length += sn_vec3_distance(ends[0].center, ends[STRIPS_SLICES - 1].center) / 3;
    }
    snt_near(rest.length, length, 1e-12);
    snt_near(rest.thickness, 0.01, 1e-12);
    strips_pose(&s, s.rest);
    ops->measure(s.bound, s.points, &now);
    assert_true(now.volume == rest.volume && now.length == rest.length);
    strips_free(&s);
    snt_context_end(context);
}

// --- Motion

static sn_mat4 random_rigid(snt_random *random) {
    sn_quat q = {snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                 snt_random_range(random, -1, 1), snt_random_range(random, -1, 1)};
    return strips_matrix(sn_quat_normalize(q), sn_vec3_make(snt_random_range(random, -2, 2),
                                                            snt_random_range(random, -2, 2),
                                                            snt_random_range(random, -2, 2)));
}

static void moves_rigidly_with_the_body(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {20};
    for (int round = 0; round < 30; ++round) {
        strips s;
        sn_mat4 place = random_rigid(&random), worlds[2];
        strips_init(&s, context, (strips_shape)(round % STRIPS_SHAPES), 1);
        strips_bind(&s);
        for (int k = 0; k < 2; ++k) {
            worlds[k] = sn_mat4_multiply(&place, &s.rest[k]);
        }
        strips_pose(&s, worlds);
        for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
            sn_vec3 expected = sn_mat4_point(&place, sn_vec3_load(s.mesh->positions + 3 * v));
            snt_near(sn_vec3_distance(expected, sn_vec3_load(s.surface + 3 * v)), 0, 1e-6);
        }
        strips_free(&s);
    }
    snt_context_end(context);
}

// All ends on the lower segment: it goes with that, however it turns.
static void goes_with_the_only_segment(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    strips s;
    sn_mat4 worlds[2], inverse;
    strips_init(&s, context, STRIPS_SHEET, 1);
    for (int i = 0; i < 3; ++i) {
        s.bodies[i].origins[0].segment = s.bodies[i].origins[1].segment = 1;
    }
    strips_bind(&s);
    assert_true(s.made.carried);
    assert_int_equal(s.made.segment, 1);
    strips_bend(&s, sn_vec3_make(1.2, 0.4, -0.3), worlds);
    strips_pose(&s, worlds);
    sn_mat4_invert(&s.rest[1], &inverse);
    sn_mat4 place = sn_mat4_multiply(&worlds[1], &inverse);
    for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
        sn_vec3 expected = sn_mat4_point(&place, sn_vec3_load(s.mesh->positions + 3 * v));
        snt_near(sn_vec3_distance(expected, sn_vec3_load(s.surface + 3 * v)), 0, 1e-6);
    }
    sni_muscle_measure now;
    ops->measure(s.bound, s.points, &now);
    assert_true(now.volume == now.rest_volume);
    strips_free(&s);
    snt_context_end(context);
}

static void keeps_its_volume(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {4};
    for (int shape = 0; shape < STRIPS_SHAPES; ++shape) {
        strips s;
        double shortest = 1, longest = 1;
        strips_init(&s, context, (strips_shape)shape, 1);
        strips_bind(&s);
        double rest = strips_volume(&s, s.mesh->positions);
        for (int round = 0; round < 100; ++round) {
            sn_mat4 worlds[2];
            sni_muscle_measure now;
            bool news = false;
            strips_random_bend(&s, &random, worlds);
            snt_ok(strips_try_pose(&s, worlds, &news, error));
            double volume = strips_volume(&s, s.surface);
            ops->measure(s.bound, s.points, &now);
            assert_false(news);
            snt_near(volume / rest, 1, 1e-3);
            snt_near(now.volume / volume, 1, 1e-5);
            shortest = fmin(shortest, now.length / now.rest_length);
            longest = fmax(longest, now.length / now.rest_length);
        }
        assert_true(shortest < 0.8 && longest > 1.02);
        strips_free(&s);
    }
    snt_context_end(context);
}

// The floats of a pose against sums in double precision.
static void kernel_agrees_with_the_plain_form(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {6};
    for (int round = 0; round < 30; ++round) {
        strips s;
        sn_mat4 worlds[2];
        strips_init(&s, context, (strips_shape)(round % STRIPS_SHAPES), 1);
        strips_bind(&s);
        strips_random_bend(&s, &random, worlds);
        strips_pose(&s, worlds);
        size_t count = 3 * (size_t)s.mesh->vertex_count;
        float *plain = calloc(count, sizeof *plain);
        ops->emit_points(s.bound, 1, s.points, plain);
        for (size_t i = 0; i < count; ++i) {
            snt_near((double)plain[i], (double)s.surface[i], 3e-7);
        }
        free(plain);
        strips_free(&s);
    }
    snt_context_end(context);
}

static sn_mat4 mirrored_matrix(const sn_mat4 *world) {
    sn_mat4 m = *world;
    for (int i = 0; i < 16; ++i) {
        m.m[i] *= (i % 4 == 0) != (i / 4 == 0) ? -1 : 1; // S M S with S = diag(-1, 1, 1)
    }
    return m;
}

static void mirrored_strips_give_the_mirrored_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {7};
    for (int round = 0; round < 12; ++round) {
        strips s, m;
        sn_mat4 worlds[2], mirrored[2];
        strips_init(&s, context, (strips_shape)(round % STRIPS_SHAPES), 1);
        strips_init(&m, context, (strips_shape)(round % STRIPS_SHAPES), -1);
        strips_bind(&s);
        strips_bind(&m);
        strips_random_bend(&s, &random, worlds);
        for (int k = 0; k < 2; ++k) {
            mirrored[k] = mirrored_matrix(&worlds[k]);
        }
        strips_pose(&s, worlds);
        strips_pose(&m, mirrored);
        for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
            sn_vec3 expected = sn_vec3_load(s.surface + 3 * v);
            expected.x = -expected.x;
            snt_near(sn_vec3_distance(expected, sn_vec3_load(m.surface + 3 * v)), 0, 1e-6);
        }
        strips_free(&s);
        strips_free(&m);
    }
    snt_context_end(context);
}

// --- Several strips

// The largest factor by which an edge, longer than a hundredth of a millimetre, is stretched.
static double largest_stretch(const strips *s) {
    sn_topology *topology = NULL;
    double largest = 0;
    snt_ok(sn_topology_create(s->mesh, &topology, error));
    for (uint32_t i = 0; i < topology->edge_count; ++i) {
        const uint32_t *edge = topology->edges + 2 * (size_t)i;
        double rest = sni_edge_length(s->mesh->positions, edge);
        if (rest > 1e-5) {
            largest = fmax(largest, sni_edge_length(s->surface, edge) / rest);
        }
    }
    sn_topology_destroy(topology);
    return largest;
}

static void strips_do_not_tear_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {12};
    double largest = 0;
    for (int round = 0; round < 60; ++round) {
        strips s;
        sn_mat4 worlds[2];
        strips_init(&s, context, (strips_shape)(round % STRIPS_SHAPES), 1);
        strips_bind(&s);
        strips_random_bend(&s, &random, worlds);
        strips_pose(&s, worlds);
        largest = fmax(largest, largest_stretch(&s));
        strips_free(&s);
    }
    print_message("largest stretch %.2f\n", largest);
    assert_true(largest < 2.2);
    snt_context_end(context);
}

// One strip goes away from the others: the surface between is pulled out evenly, over many edges.
static void a_strip_that_leaves_pulls_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    strips s;
    sn_mat4 worlds[2];
    strips_init(&s, context, STRIPS_SHEET, 1);
    for (int k = 0; k < 2; ++k) {
        s.bodies[2].insertions[k].segment = 1;
        s.bodies[0].insertions[k].segment = s.bodies[1].insertions[k].segment = 0;
    }
    strips_bind(&s);
    assert_false(s.made.carried);
    worlds[0] = s.rest[0];
    worlds[1] = s.rest[1];
    worlds[1].m[12] += 0.03; // a sixth of the sheet's width
    strips_pose(&s, worlds);
    // The axes are 0.03 m apart there: evenly it would be 2, and 1 + 2.7 x 0.03 / 0.03 at most.
    assert_true(largest_stretch(&s) < 3);
    // The strip's own side goes along at its end, the far side stays.
    double near = 0, far = 0;
    for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
        sn_vec3 rest = sn_vec3_load(s.mesh->positions + 3 * v);
        double moved = sn_vec3_distance(rest, sn_vec3_load(s.surface + 3 * v));
        near = rest.x > 0.02 && rest.y < 0.605 ? fmax(near, moved) : near;
        far = rest.x < -0.04 ? fmax(far, moved) : far;
    }
    snt_near(near, 0.03, 0.003);
    assert_true(far < 0.0035); // all sections change a little, to keep the volume
    strips_free(&s);
    snt_context_end(context);
}

// --- Any mesh

// Gives every vertex another number.
static void permute(sn_mesh *mesh, snt_random *random, uint32_t *to) {
    float *copy = calloc(3 * (size_t)mesh->vertex_count, sizeof *copy);
    memcpy(copy, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *copy);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        uint32_t k = snt_random_u32(random) % (i + 1);
        to[i] = to[k];
        to[k] = i;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        memcpy(mesh->positions + 3 * (size_t)to[i], copy + 3 * (size_t)i, 3 * sizeof *copy);
    }
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        mesh->corners[c] = to[mesh->corners[c]];
    }
    free(copy);
}

static void permuted_vertices_give_the_permuted_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    snt_random random = {9};
    static uint32_t to[STRIPS_VERTICES];
    strips s, p;
    sn_mat4 worlds[2];
    strips_init(&s, context, STRIPS_SHEET, 1);
    strips_init(&p, context, STRIPS_SHEET, 1);
    permute(p.mesh, &random, to);
    strips_bind(&s);
    strips_bind(&p);
    strips_random_bend(&s, &random, worlds);
    strips_pose(&s, worlds);
    strips_pose(&p, worlds);
    for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
        assert_memory_equal(s.surface + 3 * v, p.surface + 3 * (size_t)to[v], 3 * sizeof(float));
    }
    strips_free(&s);
    strips_free(&p);
    snt_context_end(context);
}

// Without its last faces it has no volume; the strips keep theirs, so that it swells as the closed
// one does, but for the last thousandths.
static void an_open_surface_follows_its_strips(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    strips s, open;
    sn_mat4 worlds[2];
    sni_muscle_measure measure;
    strips_init(&s, context, STRIPS_SPINDLE, 1);
    strips_init(&open, context, STRIPS_SPINDLE, 1);
    open.mesh->face_count -= STRIPS_SIDES; // the cap
    open.mesh->corner_count -= 3 * STRIPS_SIDES;
    strips_bind(&s);
    strips_bind(&open);
    ops->measure(open.bound, NULL, &measure);
    assert_true(measure.volume == 0 && measure.rest_volume == 0 && measure.rest_length > 0.3);
    strips_pose(&open, open.rest);
    assert_memory_equal(open.surface, open.mesh->positions,
                        3 * (size_t)STRIPS_VERTICES * sizeof(float));
    strips_bend(&s, sn_vec3_make(-1, 0, 0), worlds);
    strips_pose(&s, worlds);
    strips_pose(&open, worlds);
    for (size_t v = 0; v < s.mesh->vertex_count; ++v) {
        snt_near(
            sn_vec3_distance(sn_vec3_load(s.surface + 3 * v), sn_vec3_load(open.surface + 3 * v)),
            0, 1e-3);
    }
    ops->measure(open.bound, open.points, &measure);
    assert_true(measure.volume == 0 && measure.length < measure.rest_length);
    strips_free(&s);
    strips_free(&open);
    snt_context_end(context);
}

// The same surface twice, the second at three quarters of its size around the first one's axis: one
// mesh in two pieces, which overlap.
static void pieces_follow_together(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {2};
    strips s;
    sn_mesh *two = NULL;
    strips_init(&s, context, STRIPS_BENT, 1);
    uint32_t n = STRIPS_VERTICES;
    snt_ok(sn_mesh_create(context, "two", 2 * n, 2 * s.mesh->face_count, 2 * s.mesh->corner_count,
                          &two, error));
    for (uint32_t v = 0; v < 2 * n; ++v) {
        sn_vec3 p = sn_vec3_load(s.mesh->positions + 3 * (size_t)(v % n));
        double size = v < n ? 1 : 0.75;
        sn_vec3_store(sn_vec3_make(size * p.x, 0.8 + size * (p.y - 0.8), p.z),
                      two->positions + 3 * (size_t)v);
    }
    for (uint32_t c = 0; c < two->corner_count; ++c) {
        uint32_t first = c < s.mesh->corner_count ? 0 : n;
        two->corners[c] = first + s.mesh->corners[c % s.mesh->corner_count];
    }
    for (uint32_t f = 0; f < two->face_count; ++f) {
        uint32_t piece = f / s.mesh->face_count;
        two->face_offsets[f + 1] =
            piece * s.mesh->corner_count + s.mesh->face_offsets[f % s.mesh->face_count + 1];
    }
    sn_mesh_destroy(s.mesh);
    s.mesh = two;
    strips_bind(&s);
    double rest = strips_volume(&s, s.mesh->positions);
    for (int round = 0; round < 20; ++round) {
        sn_mat4 worlds[2];
        strips_random_bend(&s, &random, worlds);
        strips_pose(&s, worlds);
        snt_near(strips_volume(&s, s.surface) / rest, 1, 1e-3);
    }
    strips_free(&s);
    snt_context_end(context);
}

// A cube of 2 cm that has lost a tenth of its height: all corners go the same way outwards.
static void a_pushed_surface_has_its_volume(void **state) {
    (void)state;
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    float p[24], from[24], normals[24];
    uint32_t triangles[36];
    memcpy(triangles, faces, sizeof faces);
    sn_context *context = snt_context(1);
    sni_cover cover = {
        .context = context, .vertex_count = 8, .triangle_count = 12, .triangles = triangles};
    for (int i = 0; i < 24; ++i) {
        p[i] = (i / 3 >> i % 3 & 1) ? 0.01F : -0.01F;
    }
    cover.volume = sni_cover_volume(&cover, p);
    snt_near(fabs(cover.volume), 8e-6, 1e-11);
    for (int i = 1; i < 24; i += 3) {
        p[i] *= 0.9F;
    }
    double excess = sni_cover_excess(&cover, p);
    snt_near(excess, -0.1, 1e-6);
    assert_true(sni_cover_push(&cover, from, normals, p, &excess));
    assert_true(fabs(excess) <= 1e-4);
    snt_near(sni_cover_volume(&cover, p) / cover.volume, 1 + excess, 1e-6);
    for (int i = 0; i < 8; ++i) {
        const float *a = p + 3 * (size_t)i, *b = from + 3 * (size_t)i;
        double way = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
        assert_true(fabs(a[0]) > fabs(b[0]) && fabs(a[1]) > fabs(b[1]) && fabs(a[2]) > fabs(b[2]));
        assert_in_range((int)(1e6 * way), 200, 1200);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pushed_surface_has_its_volume),
        cmocka_unit_test(rest_is_the_given_surface_bit_for_bit),
        cmocka_unit_test(measures_what_was_given),
        cmocka_unit_test(moves_rigidly_with_the_body),
        cmocka_unit_test(goes_with_the_only_segment),
        cmocka_unit_test(keeps_its_volume),
        cmocka_unit_test(kernel_agrees_with_the_plain_form),
        cmocka_unit_test(mirrored_strips_give_the_mirrored_surface),
        cmocka_unit_test(strips_do_not_tear_the_surface),
        cmocka_unit_test(a_strip_that_leaves_pulls_the_surface),
        cmocka_unit_test(permuted_vertices_give_the_permuted_surface),
        cmocka_unit_test(an_open_surface_follows_its_strips),
        cmocka_unit_test(pieces_follow_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
