// SPDX-License-Identifier: Apache-2.0
//
// The deformer `lids` on a mask of a ball with an opening like that of an eye.
#include "test.h"

#include "deformer.h"
#include "skin/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 48, ROWS = 14 };
static const double radius = 0.012, off = 0.0003, half_width = 0.9, half_height = 0.4;

typedef struct scene {
    sn_context *context;
    sni_arena arena;
    sn_mesh *skin, *ball;
    sn_segment segments[2];
    uint32_t order[2];
    sn_skeleton skeleton;
    sn_mat4 rest[2], worlds[2];
    sni_lid_eye eye;
    sni_eyes_input eyes;
    sni_stand_input stand;
    double parameters[16], closed;
    float *out;
    void *bound;
} scene;

static sn_vec3 on_ball(double r, double a, double t) {
    sn_vec3 d = {sin(a), cos(a) * sin(t), cos(a) * cos(t)};
    return sn_vec3_add_scaled(sn_vec3_make(0.03, 0, 0), r, d);
}

static double edge_at(double a) {
    double x = a / half_width;
    return fabs(x) < 1 ? half_height * (1 - x * x) : 0;
}

// A sheet before a ball, of rows from the edge of the opening up and down; beyond the corners both
// halves share a row.
static sn_mesh *mask(sn_context *context, bool opened) {
    uint32_t per_half = (ACROSS + 1) * (ROWS + 1);
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "mask", 2 * per_half, 2 * ACROSS * ROWS, 8 * ACROSS * ROWS,
                          &mesh, error));
    uint32_t corner = 0, face = 0;
    for (int half = 0; half < 2; ++half) {
        double side = half == 0 ? 1 : -1;
        for (uint32_t i = 0; i <= ACROSS; ++i) {
            double a = -1.3 + 2.6 * i / ACROSS, edge = opened ? edge_at(a) : 0;
            for (uint32_t k = 0; k <= ROWS; ++k) {
                double t = side * (edge + (1.4 - edge) * k / ROWS);
                uint32_t v = (uint32_t)half * per_half + i * (ROWS + 1) + k;
                sn_vec3_store(on_ball(radius + off, a, t), mesh->positions + 3 * (size_t)v);
            }
        }
    }
    for (uint32_t half = 0; half < 2; ++half) {
        for (uint32_t i = 0; i < ACROSS; ++i) {
            for (uint32_t k = 0; k < ROWS; ++k) {
                uint32_t quad[4];
                for (uint32_t c = 0; c < 4; ++c) {
                    uint32_t column = i + (half == 0 ? (c == 1 || c == 2) : (c == 2 || c == 3));
                    uint32_t row = k + (half == 0 ? c >= 2 : c == 1 || c == 2);
                    double a = -1.3 + 2.6 * column / ACROSS;
                    bool shared = row == 0 && (!opened || edge_at(a) == 0);
                    quad[c] = (shared ? 0 : half * per_half) + column * (ROWS + 1) + row;
                }
                mesh->face_offsets[face++] = corner;
                memcpy(mesh->corners + corner, quad, sizeof quad);
                corner += 4;
            }
        }
    }
    mesh->face_offsets[face] = corner;
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static sn_mesh *ball_mesh(sn_context *context) {
    enum { SIDES = 72, RINGS = 36 };
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "ball", (RINGS + 1) * SIDES, RINGS * SIDES, 4 * RINGS * SIDES,
                          &mesh, error));
    for (uint32_t r = 0; r <= RINGS; ++r) {
        for (uint32_t s = 0; s < SIDES; ++s) {
            double polar = 0.001 + (SN_PI - 0.002) * r / RINGS, turn = 2 * SN_PI * s / SIDES;
            sn_vec3 d = {sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar)};
            sn_vec3_store(sn_vec3_add_scaled(sn_vec3_make(0.03, 0, 0), radius, d),
                          mesh->positions + 3 * (size_t)(r * SIDES + s));
        }
    }
    for (uint32_t f = 0; f < RINGS * SIDES; ++f) {
        uint32_t r = f / SIDES, s = f % SIDES, next = (s + 1) % SIDES;
        const uint32_t quad[4] = {r * SIDES + s, (r + 1) * SIDES + s, (r + 1) * SIDES + next,
                                  r * SIDES + next};
        mesh->face_offsets[f] = 4 * f;
        memcpy(mesh->corners + 4 * (size_t)f, quad, sizeof quad);
    }
    mesh->face_offsets[RINGS * SIDES] = 4 * RINGS * SIDES;
    return mesh;
}

static scene *make(sn_context *context, bool opened) {
    scene *s = sni_alloc_zero(context, 1, sizeof *s);
    s->context = context;
    s->skin = mask(context, opened);
    s->ball = ball_mesh(context);
    s->segments[0] = (sn_segment){.name = "head", .parent = SN_NONE};
    s->segments[1] = (sn_segment){.name = "eye", .parent = 0};
    s->order[1] = 1;
    s->skeleton =
        (sn_skeleton){.segment_count = 2, .segments = s->segments, .parents_first = s->order};
    for (int i = 0; i < 2; ++i) {
        s->rest[i] = sn_mat4_identity();
    }
    s->rest[1].m[12] = 0.03;
    memcpy(s->worlds, s->rest, sizeof s->rest);
    s->eye = (sni_lid_eye){.name = "ball", .mesh = s->ball, .segment = 1, .control = 0};
    s->eyes = (sni_eyes_input){1, &s->eye};
    s->out = sni_alloc_zero(context, 3 * (size_t)s->skin->vertex_count, sizeof *s->out);
    sni_arena_init(&s->arena, context);
    sni_parameters_defaults(&sni_deformer_lids.parameters, s->parameters);
    return s;
}

static void end(scene *s) {
    sn_context *context = s->context;
    sni_deformer_lids.unbind(context, s->bound);
    sn_mesh_destroy(s->skin);
    sn_mesh_destroy(s->ball);
    sni_arena_deinit(&s->arena);
    sni_free(context, s->out);
    sni_free(context, s);
}

static sn_status bind(scene *s, sn_error *error) {
    sni_bind_job job = {.context = s->context,
                        .mesh = s->skin,
                        .parameters = s->parameters,
                        .skeleton = &s->skeleton,
                        .rest_worlds = s->rest,
                        .inputs = {&s->eyes, &s->stand}};
    return sni_deformer_lids.bind(&job, &s->bound, error);
}

static void deform(scene *s, double closed, const float *points) {
    s->closed = closed;
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->skin->vertex_count,
                          .points_in = points != NULL ? points : s->skin->positions,
                          .points_out = s->out,
                          .segment_count = 2,
                          .worlds = s->worlds,
                          .controls = &s->closed};
    snt_ok(sni_deformer_lids.deform(s->bound, &job, error));
}

static sn_vec3 out_at(const scene *s, uint32_t half, uint32_t column) {
    uint32_t v = half * (ACROSS + 1) * (ROWS + 1) + column * (ROWS + 1);
    return sn_vec3_load(s->out + 3 * (size_t)v);
}

static double farthest_from_rest(const scene *s) {
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)s->skin->vertex_count; i += 3) {
        most = fmax(
            most, sn_vec3_distance(sn_vec3_load(s->out + i), sn_vec3_load(s->skin->positions + i)));
    }
    return most;
}

// ---------------------------------------------------------------------------------------------

static void open_lids_stay(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, true);
    snt_ok(bind(s, error));
    deform(s, 0, NULL);
    assert_true(farthest_from_rest(s) < 1e-7);
    end(s);
    snt_context_end(context);
}

// Edges come together all along, and nothing comes nearer to the ball than it was or the gap says.
static void lids_close(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, true);
    s->parameters[sni_parameters_find(&sni_deformer_lids.parameters, "slide")] = 0;
    snt_ok(bind(s, error));
    for (int stage = 1; stage <= 4; ++stage) {
        deform(s, 0.25 * stage, NULL);
        for (uint32_t i = 0; i <= ACROSS; ++i) {
            sn_vec3 upper = out_at(s, 0, i), lower = out_at(s, 1, i);
            double a = -1.3 + 2.6 * i / ACROSS, rest = 2 * edge_at(a) * radius * cos(a);
            if (rest > 0) {
                assert_true(upper.y >= lower.y);
                assert_true(upper.y - lower.y < (1 - 0.25 * stage) * rest + 0.0006);
            }
        }
        for (size_t v = 0; v < s->skin->vertex_count; ++v) {
            sn_vec3 p = sn_vec3_load(s->out + 3 * v);
            assert_true(sn_vec3_distance(p, sn_vec3_make(0.03, 0, 0)) > radius - 6e-5);
        }
    }
    end(s);
    snt_context_end(context);
}

// With the head turned and moved, lids close as they did.
static void the_head_takes_the_lids_along(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, true);
    size_t count = 3 * (size_t)s->skin->vertex_count;
    float *first = malloc(count * sizeof *first), *moved = malloc(count * sizeof *moved);
    assert_true(first != NULL && moved != NULL);
    snt_ok(bind(s, error));
    deform(s, 0.8, NULL);
    memcpy(first, s->out, count * sizeof *first);
    sn_transform transform = sn_transform_identity();
    transform.translation = sn_vec3_make(0.3, -0.2, 0.1);
    transform.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0.6, 0.8), 0.7);
    sn_mat4 motion = sn_mat4_from_transform(&transform);
    for (int i = 0; i < 2; ++i) {
        s->worlds[i] = sn_mat4_multiply(&motion, &s->rest[i]);
    }
    for (size_t i = 0; i < count; i += 3) {
        sn_vec3_store(sn_mat4_point(&motion, sn_vec3_load(s->skin->positions + i)), moved + i);
    }
    deform(s, 0.8, moved);
    for (size_t i = 0; i < count; i += 3) {
        sn_vec3 expected = sn_mat4_point(&motion, sn_vec3_load(first + i));
        assert_true(sn_vec3_distance(expected, sn_vec3_load(s->out + i)) < 2e-6);
    }
    free(first);
    free(moved);
    end(s);
    snt_context_end(context);
}

// An eye that looks down takes the upper lid along, and the lower one less.
static void lids_go_with_the_eye(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, true);
    snt_ok(bind(s, error));
    sn_transform turn = sn_transform_identity();
    turn.rotation = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), 0.3);
    sn_mat4 turned = sn_mat4_from_transform(&turn);
    s->worlds[1] = sn_mat4_multiply(&s->rest[1], &turned);
    deform(s, 0, NULL);
    sn_vec3 upper = out_at(s, 0, ACROSS / 2), lower = out_at(s, 1, ACROSS / 2);
    snt_near(atan2(upper.y, upper.z), half_height - 0.75 * 0.3, 0.01);
    snt_near(atan2(lower.y, lower.z), -half_height - 0.4 * 0.3, 0.01);
    end(s);
    snt_context_end(context);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    float *first = NULL;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        sn_context *context = snt_context(threads);
        scene *s = make(context, true);
        size_t bytes = 3 * (size_t)s->skin->vertex_count * sizeof *first;
        snt_ok(bind(s, error));
        deform(s, 0.6, NULL);
        if (first == NULL) {
            first = malloc(bytes);
            assert_true(first != NULL);
            memcpy(first, s->out, bytes);
        }
        assert_memory_equal(first, s->out, bytes);
        end(s);
        snt_context_end(context);
    }
    free(first);
}

// Without an opening there is nothing to close.
static void masks_without_an_opening_stay(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context, false);
    snt_ok(bind(s, error));
    deform(s, 1, NULL);
    assert_memory_equal(s->out, s->skin->positions,
                        3 * (size_t)s->skin->vertex_count * sizeof *s->out);
    end(s);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_lids_stay),
        cmocka_unit_test(lids_close),
        cmocka_unit_test(the_head_takes_the_lids_along),
        cmocka_unit_test(lids_go_with_the_eye),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(masks_without_an_opening_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
