// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "deformer.h"
#include "motion/skeleton.h"
#include "skin/skin.h"

#include <math.h>
#include <stdlib.h>

enum { LINEAR, DUAL_QUATERNION };

// A mesh without faces on a skeleton of root segments, one bone each.
typedef struct rig {
    sn_context *context;
    sn_mesh *mesh;
    sn_skeleton skeleton;
    sn_mat4 *rest, *worlds;
    uint32_t *bone_segments;
    sni_weights_input weights;
    double parameters[1];
    float *out;
    sni_arena arena;
    void *bound;
} rig;

static rig make_rig(sn_context *context, uint32_t vertices, uint32_t entries, uint32_t bones,
                    bool inverse_bind) {
    rig r = {.context = context};
    snt_ok(sn_mesh_create(context, "skin", vertices, 0, 0, &r.mesh, error));
    snt_ok(sn_mesh_set_weights(r.mesh, bones, entries, inverse_bind, error));
    snt_ok(sni_skeleton_init(context, bones, &r.skeleton, error));
    r.rest = sni_alloc(context, bones, sizeof *r.rest);
    r.worlds = sni_alloc(context, bones, sizeof *r.worlds);
    r.bone_segments = sni_alloc(context, bones, sizeof *r.bone_segments);
    r.weights.bone_segments = r.bone_segments;
    r.out = sni_alloc_zero(context, 3 * (size_t)vertices, sizeof *r.out);
    for (uint32_t i = 0; i < bones; ++i) {
        r.rest[i] = r.worlds[i] = sn_mat4_identity();
        r.bone_segments[i] = i;
    }
    sni_arena_init(&r.arena, context);
    return r;
}

static sni_bind_job bind_job(const rig *r) {
    return (sni_bind_job){.context = r->context,
                          .mesh = r->mesh,
                          .parameters = r->parameters,
                          .skeleton = &r->skeleton,
                          .rest_worlds = r->rest,
                          .inputs = {&r->weights}};
}

static void bind(rig *r, int method) {
    r->parameters[0] = method;
    sni_bind_job job = bind_job(r);
    sni_deformer_blend.unbind(r->context, r->bound);
    snt_ok(sni_deformer_blend.bind(&job, &r->bound, error));
}

static void deform(rig *r) {
    sni_deform_job job = {.context = r->context,
                          .arena = &r->arena,
                          .vertex_count = r->mesh->vertex_count,
                          .points_in = r->mesh->positions,
                          .points_out = r->out,
                          .segment_count = r->skeleton.segment_count,
                          .worlds = r->worlds};
    snt_ok(sni_deformer_blend.deform(r->bound, &job, error));
}

static void free_rig(rig *r) {
    sni_deformer_blend.unbind(r->context, r->bound);
    sni_arena_deinit(&r->arena);
    sni_skeleton_deinit(r->context, &r->skeleton);
    sn_mesh_destroy(r->mesh);
    sni_free(r->context, r->rest);
    sni_free(r->context, r->worlds);
    sni_free(r->context, r->bone_segments);
    sni_free(r->context, r->out);
}

static sn_mat4 transform_of(sn_vec3 axis, double angle, sn_vec3 translation, sn_vec3 scale) {
    sn_transform t = {translation, sn_quat_from_axis_angle(axis, angle), scale};
    return sn_mat4_from_transform(&t);
}

static sn_vec3 random_vec3(snt_random *random, double low, double high) {
    double x = snt_random_range(random, low, high), y = snt_random_range(random, low, high);
    return sn_vec3_make(x, y, snt_random_range(random, low, high));
}

static sn_mat4 random_rigid(snt_random *random) {
    sn_vec3 axis = sn_vec3_normalize_or(random_vec3(random, -1, 1), sn_vec3_make(1, 0, 0));
    return transform_of(axis, snt_random_range(random, -3, 3), random_vec3(random, -2, 2),
                        sn_vec3_make(1, 1, 1));
}

// `influences` bones for every vertex, rigid rest pose and rigid pose.
static rig random_rig(sn_context *context, uint32_t vertices, uint32_t influences, uint32_t bones,
                      uint64_t seed) {
    snt_random random = {seed};
    rig r = make_rig(context, vertices, vertices * influences, bones, false);
    sn_weights *weights = r.mesh->weights;
    for (uint32_t i = 0; i < vertices; ++i) {
        sn_vec3_store(random_vec3(&random, -2, 2), r.mesh->positions + 3 * (size_t)i);
        weights->offsets[i] = i * influences;
        for (uint32_t k = 0; k < influences; ++k) {
            weights->bones[i * influences + k] = snt_random_u32(&random) % bones;
            weights->values[i * influences + k] = (float)snt_random_range(&random, 0.01, 1);
        }
    }
    for (uint32_t i = 0; i < bones; ++i) {
        r.rest[i] = random_rigid(&random);
        r.worlds[i] = random_rigid(&random);
    }
    return r;
}

static sn_vec3 out_at(const rig *r, uint32_t vertex) {
    return sn_vec3_load(r->out + 3 * (size_t)vertex);
}

static sn_vec3 in_at(const rig *r, uint32_t vertex) {
    return sn_vec3_load(r->mesh->positions + 3 * (size_t)vertex);
}

static void assert_near3(sn_vec3 found, sn_vec3 expected, double tolerance) {
    snt_near(found.x, expected.x, tolerance);
    snt_near(found.y, expected.y, tolerance);
    snt_near(found.z, expected.z, tolerance);
}

// One vertex at (1, 0, 0), half on a bone that stands and half on one that turns by 90 degrees
// about z: linear takes the chord's middle, dual quaternions the arc's.
static void half_a_quarter_turn(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    rig r = make_rig(context, 1, 2, 2, false);
    memcpy(r.mesh->positions, (float[3]){1, 0, 0}, 12);
    memcpy(r.mesh->weights->bones, (uint32_t[2]){0, 1}, 8);
    memcpy(r.mesh->weights->values, (float[2]){0.5f, 0.5f}, 8);
    r.worlds[1] = transform_of(sn_vec3_make(0, 0, 1), SN_PI / 2, sn_vec3_make(0, 0, 0),
                               sn_vec3_make(1, 1, 1));
    bind(&r, LINEAR);
    deform(&r);
    assert_near3(out_at(&r, 0), sn_vec3_make(0.5, 0.5, 0), 1e-7);
    bind(&r, DUAL_QUATERNION);
    deform(&r);
    assert_near3(out_at(&r, 0), sn_vec3_make(sqrt(0.5), sqrt(0.5), 0), 1e-7);
    free_rig(&r);
    snt_context_end(context);
}

static void rest_pose_keeps_every_point_exactly(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig r = random_rig(context, 3001, 5, 31, 4);
        snt_random random = {8};
        for (uint32_t i = 0; i < 31; ++i) {
            // Scaled rest matrices and far origins as well.
            sn_mat4 s = transform_of(sn_vec3_make(0, 1, 0), 0.3, random_vec3(&random, -900, 900),
                                     random_vec3(&random, 0.01, 3));
            r.rest[i] = i % 2 ? sn_mat4_multiply(&r.rest[i], &s) : r.rest[i];
            r.worlds[i] = r.rest[i];
        }
        bind(&r, method);
        deform(&r);
        assert_memory_equal(r.out, r.mesh->positions, 12 * 3001);
        free_rig(&r);
    }
    snt_context_end(context);
}

static void one_influence_moves_by_its_matrix(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig r = random_rig(context, 500, 1, 20, 12);
        snt_random random = {3};
        for (uint32_t i = 0; i < 20; ++i) {
            // Shear, mirror image and scale: products of scales and rotations, one axis negative.
            sn_mat4 s = transform_of(sn_vec3_make(0, 1, 0), 0.7, random_vec3(&random, -1, 1),
                                     sn_vec3_make(i % 3 == 0 ? -1.5 : 0.4, 1.2, 2));
            r.worlds[i] = sn_mat4_multiply(&s, &r.worlds[i]);
        }
        bind(&r, method);
        deform(&r);
        for (uint32_t i = 0; i < 500; ++i) {
            uint32_t bone = r.mesh->weights->bones[i];
            sn_mat4 inverse;
            assert_true(sn_mat4_invert(&r.rest[bone], &inverse));
            sn_vec3 local = sn_mat4_point(&inverse, in_at(&r, i));
            assert_near3(out_at(&r, i), sn_mat4_point(&r.worlds[bone], local), 1e-5);
        }
        free_rig(&r);
    }
    snt_context_end(context);
}

static void rigid_motion_of_all_moves_the_result_alike(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const uint32_t influences[] = {1, 2, 4, 7, 40};
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        for (int i = 0; i < 5; ++i) {
            rig r = random_rig(context, 300, influences[i], 50, 100 + i);
            snt_random random = {77};
            sn_mat4 motion = random_rigid(&random);
            rig moved = random_rig(context, 300, influences[i], 50, 100 + i);
            for (uint32_t k = 0; k < 50; ++k) {
                moved.worlds[k] = sn_mat4_multiply(&motion, &moved.worlds[k]);
            }
            bind(&r, method);
            deform(&r);
            bind(&moved, method);
            deform(&moved);
            for (uint32_t k = 0; k < 300; ++k) {
                assert_near3(out_at(&moved, k), sn_mat4_point(&motion, out_at(&r, k)), 1e-5);
            }
            free_rig(&r);
            free_rig(&moved);
        }
    }
    snt_context_end(context);
}

// Rest pose and mesh elsewhere, with stretching bones: the result does not depend on where the
// origin is.
static void origin_of_the_rest_pose_does_not_matter(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig r = random_rig(context, 200, 4, 10, 6), away = random_rig(context, 200, 4, 10, 6);
        sn_mat4 shift =
            transform_of(sn_vec3_make(1, 0, 0), 0, sn_vec3_make(3, -2, 1), sn_vec3_make(1, 1, 1));
        sn_transform stretch = sn_transform_identity();
        stretch.scale = sn_vec3_make(1.5, 1, 0.7);
        sn_mat4 scale = sn_mat4_from_transform(&stretch);
        for (uint32_t i = 0; i < 10; ++i) {
            r.worlds[i] = sn_mat4_multiply(&r.worlds[i], &scale);
            away.worlds[i] = r.worlds[i];
            away.rest[i] = sn_mat4_multiply(&shift, &r.rest[i]);
        }
        for (uint32_t i = 0; i < 200; ++i) {
            sn_vec3_store(sn_mat4_point(&shift, in_at(&r, i)), away.mesh->positions + 3 * i);
        }
        bind(&r, method);
        deform(&r);
        bind(&away, method);
        deform(&away);
        for (uint32_t i = 0; i < 200; ++i) {
            assert_near3(out_at(&away, i), out_at(&r, i), 2e-5);
        }
        free_rig(&r);
        free_rig(&away);
    }
    snt_context_end(context);
}

// The radius half-way along a cylinder whose far end is twisted by `angle`.
static double twisted_radius(sn_context *context, int method, double angle) {
    rig r = make_rig(context, 16, 32, 2, false);
    for (uint32_t i = 0; i < 16; ++i) {
        double turn = 2 * SN_PI * i / 16;
        sn_vec3_store(sn_vec3_make(0, cos(turn), sin(turn)), r.mesh->positions + 3 * i);
        r.mesh->weights->offsets[i] = 2 * i;
        memcpy(r.mesh->weights->bones + 2 * i, (uint32_t[2]){0, 1}, 8);
        memcpy(r.mesh->weights->values + 2 * i, (float[2]){0.5f, 0.5f}, 8);
    }
    r.worlds[1] =
        transform_of(sn_vec3_make(1, 0, 0), angle, sn_vec3_make(0, 0, 0), sn_vec3_make(1, 1, 1));
    bind(&r, method);
    deform(&r);
    double radius = sn_vec3_length(out_at(&r, 0));
    for (uint32_t i = 0; i < 16; ++i) {
        snt_near(sn_vec3_length(out_at(&r, i)), radius, 1e-6);
    }
    free_rig(&r);
    return radius;
}

static void twisting_keeps_the_radius_with_dual_quaternions(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int degrees = -175; degrees <= 175; degrees += 25) {
        double angle = degrees * SN_PI / 180;
        snt_near(twisted_radius(context, LINEAR, angle), cos(angle / 2), 1e-6);
        snt_near(twisted_radius(context, DUAL_QUATERNION, angle), 1, 1e-6);
    }
    // Beyond half a turn the shorter way is taken, whichever sign the quaternion came with.
    snt_near(twisted_radius(context, DUAL_QUATERNION, 3.9), 1, 1e-6);
    snt_near(twisted_radius(context, LINEAR, SN_PI), 0, 1e-6);
    snt_context_end(context);
}

// Dual quaternions with a stretch that all bones share: first the stretch, then the rotation.
static void two_phases_stretch_before_they_turn(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    rig r = make_rig(context, 1, 2, 2, false);
    memcpy(r.mesh->positions, (float[3]){1, 0, 0.5f}, 12);
    memcpy(r.mesh->weights->bones, (uint32_t[2]){0, 1}, 8);
    memcpy(r.mesh->weights->values, (float[2]){0.5f, 0.5f}, 8);
    const sn_vec3 stretch = {2, 1, 3};
    r.worlds[0] = transform_of(sn_vec3_make(0, 0, 1), 0, sn_vec3_make(0, 0, 0), stretch);
    r.worlds[1] = transform_of(sn_vec3_make(0, 0, 1), SN_PI / 2, sn_vec3_make(0, 0, 0), stretch);
    bind(&r, DUAL_QUATERNION);
    deform(&r);
    assert_near3(out_at(&r, 0), sn_vec3_make(2 * sqrt(0.5), 2 * sqrt(0.5), 1.5), 1e-6);
    free_rig(&r);
    snt_context_end(context);
}

// A mesh in centimetres on bones of an armature that is scaled by a hundredth, far from the origin:
// as the same mesh in metres.
static void a_scale_that_all_bones_share_changes_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig metres = make_rig(context, 20, 40, 2, true),
            scaled = make_rig(context, 20, 40, 2, true);
        rig *rigs[2] = {&metres, &scaled};
        for (int k = 0; k < 2; ++k) {
            rig *r = rigs[k];
            double unit = k == 0 ? 1 : 100; // of the mesh in a metre
            for (uint32_t i = 0; i < 20; ++i) {
                sn_vec3 p = {0.1 * i, 1.5, 0.3};
                sn_vec3_store(sn_vec3_scale(p, unit), r->mesh->positions + 3 * (size_t)i);
                memcpy(r->mesh->weights->bones + 2 * (size_t)i, (uint32_t[2]){0, 1}, 8);
                r->mesh->weights->offsets[i + 1] = 2 * (i + 1);
                float w = (float)i / 19;
                memcpy(r->mesh->weights->values + 2 * (size_t)i, (float[2]){1 - w, w}, 8);
            }
            for (int bone = 0; bone < 2; ++bone) {
                sn_vec3 joint = {1.0 * bone, 1.5, 0.3}, size = {1 / unit, 1 / unit, 1 / unit};
                sn_vec3 none = {1, 1, 1};
                r->rest[bone] = transform_of(sn_vec3_make(0, 0, 1), 0.2, joint, size);
                sn_mat4 bind_matrix =
                    transform_of(sn_vec3_make(0, 0, 1), 0.1, sn_vec3_scale(joint, unit), none);
                sn_mat4_invert(&bind_matrix, &r->mesh->weights->inverse_bind[bone]);
                r->worlds[bone] = transform_of(sn_vec3_make(0, 1, 0), 1.1 * bone, joint, size);
            }
            bind(r, method);
            deform(r);
        }
        // Linear matrices are stored as M - I in float, which costs 6e-8 of 190 cm.
        for (uint32_t i = 0; i < 20; ++i) {
            snt_near(sn_vec3_distance(out_at(&metres, i), out_at(&scaled, i)), 0, 3e-5);
        }
        free_rig(&metres);
        free_rig(&scaled);
    }
    snt_context_end(context);
}

// A bone of no size draws its vertices to its origin, with either method.
static void flat_bones_have_a_defined_result(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig r = random_rig(context, 50, 1, 2, 5);
        for (int bone = 0; bone < 2; ++bone) {
            // One flattened to a plane, one to a point.
            r.worlds[bone] =
                transform_of(sn_vec3_make(0, 1, 0), 0.5, sn_vec3_make(1, 2, 3),
                             bone == 0 ? sn_vec3_make(1, 0, 1) : sn_vec3_make(0, 0, 0));
        }
        bind(&r, method);
        deform(&r);
        for (uint32_t i = 0; i < 50; ++i) {
            uint32_t bone = r.mesh->weights->bones[i];
            sn_mat4 inverse;
            sn_mat4_invert(&r.rest[bone], &inverse);
            sn_vec3 local = sn_mat4_point(&inverse, in_at(&r, i));
            assert_near3(out_at(&r, i), sn_mat4_point(&r.worlds[bone], local), 1e-5);
        }
        free_rig(&r);
    }
    snt_context_end(context);
}

static void inverse_bind_matrices_come_before_the_rest_pose(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    rig r = make_rig(context, 1, 1, 1, true);
    memcpy(r.mesh->positions, (float[3]){1, 2, 3}, 12);
    r.mesh->weights->bones[0] = 0;
    r.mesh->weights->values[0] = 1;
    r.mesh->weights->inverse_bind[0] =
        transform_of(sn_vec3_make(1, 0, 0), 0, sn_vec3_make(-1, -2, -3), sn_vec3_make(1, 1, 1));
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        bind(&r, method);
        deform(&r);
        assert_near3(out_at(&r, 0), sn_vec3_make(0, 0, 0), 1e-7);
    }
    free_rig(&r);
    snt_context_end(context);
}

static char logged[1024];

static void keep_log(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)user;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%d %s %s\n", (int)level, topic, message);
}

static void vertices_without_weights_stay_and_are_reported(void **state) {
    (void)state;
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = keep_log;
    sn_context *context = NULL;
    snt_ok(sn_context_create(&desc, &context, error));
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig r = make_rig(context, 3, 3, 1, false);
        memcpy(r.mesh->positions, (float[9]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 36);
        memcpy(r.mesh->weights->offsets, (uint32_t[4]){0, 0, 1, 3}, 16);
        memcpy(r.mesh->weights->bones, (uint32_t[3]){0, 0, 0}, 12);
        memcpy(r.mesh->weights->values, (float[3]){0, 0.25f, 0.25f}, 12);
        r.worlds[0] =
            transform_of(sn_vec3_make(1, 0, 0), 0, sn_vec3_make(10, 0, 0), sn_vec3_make(1, 1, 1));
        logged[0] = 0;
        bind(&r, method);
        assert_non_null(strstr(logged, "2 skin mesh \"skin\": 2 of 3 vertices have no weights"));
        assert_non_null(strstr(logged, "the weights of 1 vertices did not sum to 1"));
        deform(&r);
        assert_memory_equal(r.out, r.mesh->positions, 24);
        assert_near3(out_at(&r, 2), sn_vec3_make(17, 8, 9), 1e-6);
        free_rig(&r);
    }
    sn_context_destroy(context);
}

static void empty_meshes_and_boneless_weights(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        rig none = make_rig(context, 0, 0, 0, false);
        bind(&none, method);
        deform(&none);
        free_rig(&none);
        rig loose = make_rig(context, 2, 0, 0, false);
        memcpy(loose.mesh->positions, (float[6]){1, 2, 3, 4, 5, 6}, 24);
        bind(&loose, method);
        deform(&loose);
        assert_memory_equal(loose.out, loose.mesh->positions, 24);
        free_rig(&loose);
    }
    snt_context_end(context);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 32};
    for (int method = LINEAR; method <= DUAL_QUATERNION; ++method) {
        float *first = NULL;
        for (int i = 0; i < 5; ++i) {
            sn_context *context = snt_context(threads[i]);
            // More bones than one block of the palette has.
            rig r = random_rig(context, 20011, 4, 1500, 55);
            bind(&r, method);
            deform(&r);
            if (i == 0) {
                first = malloc(12 * 20011);
                memcpy(first, r.out, 12 * 20011);
            }
            assert_memory_equal(r.out, first, 12 * 20011);
            free_rig(&r);
            snt_context_end(context);
        }
        free(first);
    }
}

static void flat_rest_matrices_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    rig r = make_rig(context, 1, 1, 2, false);
    r.mesh->weights->bones[0] = 0;
    r.mesh->weights->values[0] = 1;
    r.skeleton.segments[1].name = sni_string_copy(context, "hand");
    r.rest[1].m[5] = 0;
    sni_bind_job job = bind_job(&r);
    snt_fails(SN_INVALID, "bone 1 (segment \"hand\"): its rest matrix is flat",
              sni_deformer_blend.bind(&job, &r.bound, error));
    assert_null(r.bound);
    free_rig(&r);
    snt_context_end(context);
}

static void bytes_count_what_is_held(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    rig r = random_rig(context, 8000, 4, 100, 2);
    size_t before = sn_context_bytes(context);
    bind(&r, LINEAR);
    size_t held = sn_context_bytes(context) - before;
    size_t said = sni_deformer_blend.bytes(r.bound);
    assert_true(said <= held && held - said < 1024);
    free_rig(&r);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const rig *r = user;
    sni_deform_job job = {.vertex_count = r->mesh->vertex_count,
                          .points_in = r->mesh->positions,
                          .points_out = r->out,
                          .segment_count = r->skeleton.segment_count,
                          .worlds = r->worlds};
    return snt_try_deformer(context, &sni_deformer_blend, bind_job(r), job, error);
}

static void survives_failing_allocations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    rig r = random_rig(context, 20, 3, 5, 2);
    r.parameters[0] = DUAL_QUATERNION;
    snt_fail_allocations(attempt, &r);
    free_rig(&r);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_a_quarter_turn),
        cmocka_unit_test(rest_pose_keeps_every_point_exactly),
        cmocka_unit_test(one_influence_moves_by_its_matrix),
        cmocka_unit_test(rigid_motion_of_all_moves_the_result_alike),
        cmocka_unit_test(origin_of_the_rest_pose_does_not_matter),
        cmocka_unit_test(twisting_keeps_the_radius_with_dual_quaternions),
        cmocka_unit_test(a_scale_that_all_bones_share_changes_nothing),
        cmocka_unit_test(two_phases_stretch_before_they_turn),
        cmocka_unit_test(flat_bones_have_a_defined_result),
        cmocka_unit_test(inverse_bind_matrices_come_before_the_rest_pose),
        cmocka_unit_test(vertices_without_weights_stay_and_are_reported),
        cmocka_unit_test(empty_meshes_and_boneless_weights),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(flat_rest_matrices_are_refused),
        cmocka_unit_test(bytes_count_what_is_held),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("skin/blend", tests, NULL, NULL);
}
