// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include "skin/edges.h"
#include "skin/skin.h"

#include <math.h>
#include <stdlib.h>

// A skin with the deformer bound to it, and a frame's memory.
typedef struct scene {
    sn_context *context;
    sni_arena arena;
    sn_mesh *mesh;
    double parameters[8];
    void *bound;
    float *in, *out;
} scene;

static size_t number_count(const scene *s) {
    return 3 * (size_t)s->mesh->vertex_count;
}

static void set(scene *s, const char *name, double value) {
    uint32_t index = sni_parameters_find(&sni_deformer_relax.parameters, name);
    assert_int_not_equal(index, SN_NONE);
    s->parameters[index] = value;
}

static scene make_of(sn_context *context, sn_mesh *mesh) {
    scene s = {.context = context, .mesh = mesh};
    s.in = sni_copy(context, mesh->positions, number_count(&s), sizeof *s.in);
    s.out = sni_alloc_zero(context, number_count(&s), sizeof *s.out);
    sni_arena_init(&s.arena, context);
    sni_parameters_defaults(&sni_deformer_relax.parameters, s.parameters);
    return s;
}

// A sheet of 1 m with edges of 5 cm and 7.1 cm.
static scene make(sn_context *context) {
    return make_of(context, snt_grid(context, "sheet", 20, 20, 1, 1, true));
}

static void bind(scene *s) {
    sni_bind_job job = {.context = s->context, .mesh = s->mesh, .parameters = s->parameters};
    snt_ok(sni_deformer_relax.bind(&job, &s->bound, error));
}

static void run(scene *s) {
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->mesh->vertex_count,
                          .points_in = s->in,
                          .points_out = s->out};
    snt_ok(sni_deformer_relax.deform(s->bound, &job, error));
}

static void end(scene *s) {
    sni_deformer_relax.unbind(s->context, s->bound);
    sni_arena_deinit(&s->arena);
    sni_free(s->context, s->in);
    sni_free(s->context, s->out);
    sn_mesh_destroy(s->mesh);
}

// Pulls a vertex up, and pushes another onto its neighbour.
static void tear(scene *s) {
    float *pulled = s->in + 3 * (size_t)(8 * 21 + 7), *pushed = s->in + 3 * (size_t)(13 * 21 + 14);
    pulled[1] += 0.4f;
    pushed[0] -= 0.0495f;
}

static double ratio_of(const scene *s, const float *points, uint32_t a, uint32_t b) {
    const float *rest = s->mesh->positions;
    double length = sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)a),
                                     sn_vec3_load(points + 3 * (size_t)b));
    return length /
           sn_vec3_distance(sn_vec3_load(rest + 3 * (size_t)a), sn_vec3_load(rest + 3 * (size_t)b));
}

// The least and largest length of an edge over that at rest, of those that have one.
static void measure(const scene *s, const float *points, double *least, double *most) {
    *least = INFINITY;
    *most = 0;
    for (uint32_t f = 0; f < s->mesh->face_count; ++f) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t a = s->mesh->corners[3 * f + k], b = s->mesh->corners[3 * f + (k + 1) % 3];
            double ratio = ratio_of(s, points, a, b);
            if (isfinite(ratio)) {
                *least = fmin(*least, ratio);
                *most = fmax(*most, ratio);
            }
        }
    }
}

static void an_edge_shares_with_both_ends(void **state) {
    (void)state;
    // An edge of 1, stretched to 4: both ends go by half of 4 - 2.7. Its other end has a second
    // edge that is within the limits. A third one, of 1, is pressed to 0.1 and goes to 0.35.
    static const float rest[] = {0, 0, 0, 1, 0, 0, 1, 0, 1};
    const uint32_t triangle[] = {0, 1, 2}, places[] = {0, 1, 2};
    const sn_vec3 long_edge[] = {{0, 0, 0}, {4, 0, 0}, {2, 0, 0.5}};
    sn_vec3 next[3];
    sn_context *context = snt_context(1);
    sni_skin_edges edges;
    snt_ok(sni_skin_edges_create(context, 3, rest, 1, triangle, &edges, error));
    sni_edge_sweep sweep = {.edges = &edges,
                            .limits = {0.35, 2.7},
                            .before = long_edge,
                            .positions = long_edge,
                            .next = next,
                            .places = places,
                            .place_count = 3};
    sni_edges_sweep(context, &sweep);
    snt_near(next[0].x, 0.65, 1e-7);
    snt_near(next[1].x, 3.35, 1e-7);
    snt_near(next[2].x, 2, 0);
    // Ends of the shortest edge part along a mean of its own direction and that of the skin around;
    // they keep their middle.
    const sn_vec3 short_edge[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0.1}};
    sweep.before = sweep.positions = short_edge;
    sni_edges_sweep(context, &sweep);
    snt_near(sn_vec3_distance(next[1], next[2]), 0.35, 1e-7);
    snt_near(next[1].z + next[2].z, 0.1, 1e-7);
    assert_true(next[0].x == 0 && next[0].z == 0);
    sni_skin_edges_free(context, &edges);
    snt_context_end(context);
}

static void edges_come_within_the_limits(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    double least, most;
    tear(&s);
    bind(&s);
    measure(&s, s.in, &least, &most);
    assert_true(least < 0.02 && most > 7);
    run(&s);
    measure(&s, s.out, &least, &most);
    assert_true(least > 0.33 && most < 2.8);
    // Far from both nothing has moved, to the bit: the corners, and all with more than 30 cm.
    uint32_t still = 0;
    for (uint32_t v = 0; v < s.mesh->vertex_count; ++v) {
        still += memcmp(s.in + 3 * (size_t)v, s.out + 3 * (size_t)v, 3 * sizeof(float)) == 0;
    }
    assert_true(still > 20);
    assert_memory_equal(s.in, s.out, 3 * sizeof(float));
    end(&s);
    snt_context_end(context);
}

static void skins_within_the_limits_keep_their_bits(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    for (size_t i = 0; i < number_count(&s); i += 3) {
        s.in[i] *= 2.5f;
        s.in[i + 2] *= 0.4f;
    }
    bind(&s);
    run(&s);
    assert_memory_equal(s.in, s.out, number_count(&s) * sizeof(float));
    end(&s);
    snt_context_end(context);
}

static void the_envelope_takes_a_part(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    tear(&s);
    bind(&s);
    run(&s);
    float *whole = sni_copy(context, s.out, number_count(&s), sizeof *whole);
    sni_deformer_relax.unbind(context, s.bound);
    set(&s, "envelope", 0.5);
    bind(&s);
    run(&s);
    for (size_t i = 0; i < number_count(&s); ++i) {
        snt_near(s.out[i], 0.5 * (s.in[i] + whole[i]), 1e-7);
    }
    sni_deformer_relax.unbind(context, s.bound);
    set(&s, "envelope", 0);
    bind(&s);
    run(&s);
    assert_memory_equal(s.in, s.out, number_count(&s) * sizeof(float));
    sni_free(context, whole);
    end(&s);
    snt_context_end(context);
}

// What is turned and moved as a whole is evened out alike; what is mirrored, to the bit.
static void results_turn_and_mirror_with_the_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    sn_quat turn =
        sn_quat_from_axis_angle(sn_vec3_normalize_or(sn_vec3_make(1, 2, -1), (sn_vec3){0}), 1.1);
    tear(&s);
    bind(&s);
    run(&s);
    float *first = sni_copy(context, s.out, number_count(&s), sizeof *first);
    float *points = sni_copy(context, s.in, number_count(&s), sizeof *points);
    for (size_t i = 0; i < number_count(&s); i += 3) {
        sn_vec3 p = sn_quat_rotate(turn, sn_vec3_load(points + i));
        sn_vec3_store(sn_vec3_add(p, sn_vec3_make(1, -2, 0.5)), s.in + i);
    }
    run(&s);
    for (size_t i = 0; i < number_count(&s); i += 3) {
        sn_vec3 p =
            sn_vec3_add(sn_quat_rotate(turn, sn_vec3_load(first + i)), sn_vec3_make(1, -2, 0.5));
        assert_true(sn_vec3_distance(p, sn_vec3_load(s.out + i)) < 2e-5);
    }
    for (size_t i = 0; i < number_count(&s); ++i) {
        s.in[i] = i % 3 == 0 ? -points[i] : points[i];
    }
    run(&s);
    for (size_t i = 0; i < number_count(&s); ++i) {
        assert_true(s.out[i] == (i % 3 == 0 ? -first[i] : first[i]));
    }
    sni_free(context, first);
    sni_free(context, points);
    end(&s);
    snt_context_end(context);
}

// Numbers of vertices do not matter, so that both sides of a body are treated alike.
static void results_do_not_depend_on_the_order_of_vertices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context), r = make(context);
    uint32_t last = s.mesh->vertex_count - 1;
    tear(&s);
    for (uint32_t v = 0; v <= last; ++v) {
        memcpy(r.mesh->positions + 3 * (size_t)v, s.mesh->positions + 3 * (size_t)(last - v), 12);
        memcpy(r.in + 3 * (size_t)v, s.in + 3 * (size_t)(last - v), 12);
    }
    for (uint32_t c = 0; c < r.mesh->corner_count; ++c) {
        r.mesh->corners[c] = last - s.mesh->corners[c];
    }
    bind(&s);
    bind(&r);
    run(&s);
    run(&r);
    for (uint32_t v = 0; v <= last; ++v) {
        assert_true(sn_vec3_distance(sn_vec3_load(s.out + 3 * (size_t)v),
                                     sn_vec3_load(r.out + 3 * (size_t)(last - v))) < 1e-6);
    }
    end(&r);
    end(&s);
    snt_context_end(context);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    float *first = NULL;
    for (size_t i = 0; i < 4; ++i) {
        sn_context *context = snt_context(threads[i]);
        scene s = make_of(context, snt_grid(context, "sheet", 120, 120, 6, 6, true));
        for (size_t k = 0; k < number_count(&s); ++k) {
            s.in[k] += (float)(0.12 * sin(37.0 * (double)k));
        }
        bind(&s);
        run(&s);
        if (first == NULL) {
            first = malloc(number_count(&s) * sizeof *first);
            memcpy(first, s.out, number_count(&s) * sizeof *first);
        }
        assert_memory_equal(first, s.out, number_count(&s) * sizeof *first);
        end(&s);
        snt_context_end(context);
    }
    free(first);
}

// The largest step of a vertex, over that of one that is pulled out in so many steps.
static double pull(scene *s, int steps) {
    const double step = 0.6 / steps;
    float *before = sni_copy(s->context, s->mesh->positions, number_count(s), sizeof *before);
    double most = 0;
    for (int k = 1; k <= steps; ++k) {
        float *pulled = s->in + 3 * (size_t)(8 * 21 + 7);
        pulled[1] = (float)(k * step);
        pulled[0] = (float)(0.35 + 0.3 * k * step);
        run(s);
        for (size_t i = 0; i < number_count(s); i += 3) {
            sn_vec3 from = sn_vec3_load(before + i), to = sn_vec3_load(s->out + i);
            most = fmax(most, sn_vec3_distance(from, to));
        }
        memcpy(before, s->out, number_count(s) * sizeof *before);
    }
    sni_free(s->context, before);
    return most / step;
}

// The skin takes its neighbours along without a jump: however small steps are, those of the skin
// are about as small.
static void nothing_jumps_while_a_vertex_is_pulled(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    bind(&s);
    assert_true(pull(&s, 100) < 3);
    assert_true(pull(&s, 400) < 3);
    end(&s);
    snt_context_end(context);
}

// Two sheets side by side whose edges stand in one place, as textures cut them.
static void vertices_in_one_place_are_moved_alike(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = NULL;
    sn_mesh *sheet = snt_grid(context, "sheet", 10, 10, 0.5, 0.5, true);
    uint32_t count = sheet->vertex_count, corners = sheet->corner_count;
    snt_ok(sn_mesh_create(context, "two", 2 * count, 2 * sheet->face_count, 2 * corners, &mesh,
                          error));
    for (uint32_t v = 0; v < 2 * count; ++v) {
        memcpy(mesh->positions + 3 * (size_t)v, sheet->positions + 3 * (size_t)(v % count), 12);
        mesh->positions[3 * (size_t)v] =
            v < count ? mesh->positions[3 * (size_t)v] : -mesh->positions[3 * (size_t)v];
    }
    for (uint32_t c = 0; c < 2 * corners; ++c) {
        mesh->corners[c] = sheet->corners[c % corners] + (c < corners ? 0 : count);
    }
    for (uint32_t f = 0; f <= 2 * sheet->face_count; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
    sn_mesh_destroy(sheet);
    scene s = make_of(context, mesh);
    for (uint32_t side = 0; side < 2; ++side) {
        s.in[3 * (size_t)(5 * 11 + side * count) + 1] += 0.3f; // on the seam
    }
    bind(&s);
    run(&s);
    uint32_t moved = 0;
    for (uint32_t row = 0; row <= 10; ++row) {
        const float *a = s.out + 3 * (size_t)(row * 11), *b = a + 3 * (size_t)count;
        assert_memory_equal(a + 1, b + 1, 2 * sizeof *a);
        assert_true(fabsf(a[0] - b[0]) == 0);
        moved += memcmp(a, s.in + 3 * (size_t)(row * 11), 12) != 0;
    }
    assert_true(moved > 3);
    end(&s);
    snt_context_end(context);
}

// Edges without length at rest, posed points that all meet, and points that no face uses.
static void degenerate_skins_stay_finite(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    memcpy(s.mesh->positions + 3 * 30, s.mesh->positions + 3 * 31, 12);
    memcpy(s.mesh->positions + 3 * 200, s.mesh->positions + 3 * 100, 12);
    for (uint32_t c = 0; c < s.mesh->corner_count; ++c) {
        s.mesh->corners[c] = s.mesh->corners[c] == 440 ? 439 : s.mesh->corners[c]; // 440 is free
    }
    bind(&s);
    for (int kind = 0; kind < 3; ++kind) {
        for (size_t i = 0; i < number_count(&s); ++i) {
            s.in[i] = kind == 0 ? 1 : kind == 1 ? 50 * s.mesh->positions[i] : (float)(i % 7);
        }
        run(&s);
        for (size_t i = 0; i < number_count(&s); ++i) {
            assert_true(isfinite(s.out[i]));
        }
        assert_memory_equal(s.in + 3 * 440, s.out + 3 * 440, 12);
    }
    end(&s);
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "points", 2, 0, 0, &mesh, error));
    memset(mesh->positions, 0, 6 * sizeof(float));
    scene points = make_of(context, mesh);
    bind(&points);
    run(&points);
    assert_memory_equal(points.in, points.out, 6 * sizeof(float));
    end(&points);
    snt_context_end(context);
}

// Lengths are those of the skin as its bones have it at rest, whatever unit the mesh is in.
static void an_armature_in_centimetres_is_at_rest(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context);
    uint32_t offsets[442], bones[441], segment = 0;
    float values[441];
    char *names[] = {"bone"};
    sn_mat4 inverse = sn_mat4_identity(), world = sn_mat4_identity();
    for (int k = 0; k < 3; ++k) {
        world.m[5 * k] = 0.01;
    }
    for (uint32_t v = 0; v < 441; ++v) {
        offsets[v] = v;
        bones[v] = 0;
        values[v] = 1;
    }
    offsets[441] = 441;
    sn_weights weights = {.bone_count = 1,
                          .bone_names = names,
                          .inverse_bind = &inverse,
                          .offsets = offsets,
                          .bones = bones,
                          .values = values};
    sn_segment segments[1] = {{.name = "bone", .parent = SN_NONE}};
    sn_skeleton skeleton = {.segment_count = 1, .segments = segments};
    sni_stand_input stand = {&segment};
    s.mesh->weights = &weights;
    sni_bind_job job = {.context = context,
                        .mesh = s.mesh,
                        .parameters = s.parameters,
                        .skeleton = &skeleton,
                        .rest_worlds = &world,
                        .inputs = {&stand}};
    snt_ok(sni_deformer_relax.bind(&job, &s.bound, error));
    for (size_t i = 0; i < number_count(&s); ++i) {
        s.in[i] *= 0.01f;
    }
    run(&s);
    assert_memory_equal(s.in, s.out, number_count(&s) * sizeof(float));
    segment = 1;
    void *other = NULL;
    snt_fails(SN_INVALID, "segment 1", sni_deformer_relax.bind(&job, &other, error));
    s.mesh->weights = NULL;
    end(&s);
    snt_context_end(context);
}

static sn_status bind_and_run(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_mesh *mesh = NULL;
    void *bound = NULL;
    double parameters[8];
    float in[12] = {0, 0, 0, 9, 0, 0, 1, 0, 1, 0, 0, 1}, out[12];
    sni_arena arena;
    sn_status status = SN_OK;
    sni_arena_init(&arena, context);
    sni_parameters_defaults(&sni_deformer_relax.parameters, parameters);
    SN_TRY(sn_mesh_create(context, "quad", 4, 1, 4, &mesh, error));
    const float rest[12] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1};
    memcpy(mesh->positions, rest, sizeof rest);
    for (uint32_t i = 0; i < 4; ++i) {
        mesh->corners[i] = i;
    }
    sni_bind_job bind_job = {.context = context, .mesh = mesh, .parameters = parameters};
    SN_TRY(sni_deformer_relax.bind(&bind_job, &bound, error));
    sni_deform_job job = {
        .context = context, .arena = &arena, .vertex_count = 4, .points_in = in, .points_out = out};
    SN_TRY(sni_deformer_relax.deform(bound, &job, error));
cleanup:
    sni_deformer_relax.unbind(context, bound);
    sni_arena_deinit(&arena);
    sn_mesh_destroy(mesh);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(bind_and_run, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_shares_with_both_ends),
        cmocka_unit_test(edges_come_within_the_limits),
        cmocka_unit_test(skins_within_the_limits_keep_their_bits),
        cmocka_unit_test(the_envelope_takes_a_part),
        cmocka_unit_test(results_turn_and_mirror_with_the_skin),
        cmocka_unit_test(results_do_not_depend_on_the_order_of_vertices),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(nothing_jumps_while_a_vertex_is_pulled),
        cmocka_unit_test(vertices_in_one_place_are_moved_alike),
        cmocka_unit_test(degenerate_skins_stay_finite),
        cmocka_unit_test(an_armature_in_centimetres_is_at_rest),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
