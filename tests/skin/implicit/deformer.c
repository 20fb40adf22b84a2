// SPDX-License-Identifier: Apache-2.0
//
// The deformer on an arm of two bones: a tube of radius 0.05 m along x, the elbow in the origin.
#include "test.h"

#include "motion/skeleton.h"
#include "skin/skin.h"

enum { AROUND = 24, RINGS = 61, SEGMENTS = 3 };

typedef struct arm {
    sn_context *context;
    sn_mesh *mesh;
    sn_skeleton skeleton;
    sn_mat4 rest[SEGMENTS], worlds[SEGMENTS];
    uint32_t bone_segments[SEGMENTS];
    sni_weights_input weights;
    double parameters[8];
    sni_bind_job bind;
    void *bound, *state;
    float *points;
    sni_arena arena;
} arm;

static double smoothstep(double u) {
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return u * u * (3 - 2 * u);
}

static void lay_mesh(arm *a) {
    uint32_t quads = AROUND * (RINGS - 1);
    snt_ok(sn_mesh_create(a->context, "skin", AROUND * RINGS, quads, 4 * quads, &a->mesh, error));
    snt_ok(sn_mesh_set_weights(a->mesh, SEGMENTS, 2 * AROUND * RINGS, false, error));
    for (uint32_t v = 0; v < a->mesh->vertex_count; ++v) {
        double x = -0.3 + 0.6 * (v / AROUND) / (RINGS - 1), turn = 2 * SN_PI * v / AROUND;
        // Both ends are closed to a tip, so that fields have an end there.
        double taper = sqrt(fmin(1, (0.301 - fabs(x)) / 0.05));
        sn_vec3_store(sn_vec3_make(x, 0.05 * taper * cos(turn), 0.05 * taper * sin(turn)),
                      a->mesh->positions + 3 * (size_t)v);
        double w = smoothstep((x + 0.05) / 0.1);
        uint32_t *bones = a->mesh->weights->bones + 2 * (size_t)v;
        float *values = a->mesh->weights->values + 2 * (size_t)v;
        a->mesh->weights->offsets[v] = 2 * v;
        bones[0] = 1;
        bones[1] = 2;
        values[0] = (float)(1 - w);
        values[1] = (float)w;
    }
    a->mesh->weights->offsets[a->mesh->vertex_count] = 2 * a->mesh->vertex_count;
    for (uint32_t f = 0; f < quads; ++f) {
        uint32_t ring = f / AROUND, k = f % AROUND, next = (k + 1) % AROUND;
        const uint32_t corners[4] = {ring * AROUND + k, (ring + 1) * AROUND + k,
                                     (ring + 1) * AROUND + next, ring * AROUND + next};
        a->mesh->face_offsets[f + 1] = 4 * (f + 1);
        // Counter-clockwise seen from outside.
        for (int i = 0; i < 4; ++i) {
            a->mesh->corners[4 * f + i] = corners[3 - i];
        }
    }
}

static void set_up(arm *a, uint32_t threads, bool named) {
    *a = (arm){.context = snt_context(threads), .bone_segments = {0, 1, 2}};
    static const char *const names[2][SEGMENTS] = {{"a", "b", "c"},
                                                   {"hips", "upper_arm.L", "forearm.L"}};
    static const double places[SEGMENTS] = {-0.3, -0.3, 0};
    lay_mesh(a);
    snt_ok(sni_skeleton_init(a->context, SEGMENTS, &a->skeleton, error));
    for (uint32_t i = 0; i < SEGMENTS; ++i) {
        a->skeleton.segments[i].name = sni_string_copy(a->context, names[named][i]);
        a->skeleton.segments[i].parent = i == 0 ? SN_NONE : i - 1;
        a->skeleton.segments[i].rest.translation.x = i == 2 ? 0.3 : 0;
        a->skeleton.parents_first[i] = i;
        a->rest[i] = sn_mat4_identity();
        a->rest[i].m[12] = places[i];
        a->worlds[i] = a->rest[i];
        snt_ok(sn_mesh_name_bone(a->mesh, i, names[named][i], error));
    }
    sni_parameters_defaults(&sni_deformer_implicit.parameters, a->parameters);
    a->weights.bone_segments = a->bone_segments;
    a->bind = (sni_bind_job){.context = a->context,
                             .mesh = a->mesh,
                             .parameters = a->parameters,
                             .skeleton = &a->skeleton,
                             .rest_worlds = a->rest,
                             .inputs = {&a->weights}};
    snt_ok(sni_deformer_implicit.bind(&a->bind, &a->bound, error));
    size_t bytes = sni_deformer_implicit.state_bytes(a->bound);
    a->state = bytes > 0 ? sni_alloc(a->context, 1, bytes) : NULL;
    a->points = sni_alloc(a->context, 3 * (size_t)a->mesh->vertex_count, sizeof(float));
    sni_arena_init(&a->arena, a->context);
}

static void tear_down(arm *a) {
    sni_arena_deinit(&a->arena);
    sni_deformer_implicit.unbind(a->context, a->bound);
    sni_free(a->context, a->state);
    sni_free(a->context, a->points);
    sni_skeleton_deinit(a->context, &a->skeleton);
    sn_mesh_destroy(a->mesh);
    snt_context_end(a->context);
}

// Poses all segments by one motion and bends the elbow; `first` begins anew.
static void pose(arm *a, sn_quat turn, sn_vec3 shift, double elbow, bool first) {
    sn_transform whole = sn_transform_identity(), bend = sn_transform_identity();
    whole.rotation = turn;
    whole.translation = shift;
    bend.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), elbow);
    sn_mat4 body = sn_mat4_from_transform(&whole), fold = sn_mat4_from_transform(&bend);
    for (int i = 0; i < SEGMENTS; ++i) {
        a->worlds[i] = sn_mat4_multiply(&body, &a->rest[i]);
    }
    a->worlds[2] = sn_mat4_multiply(&body, &fold);
    sni_deform_job job = {.context = a->context,
                          .arena = &a->arena,
                          .vertex_count = a->mesh->vertex_count,
                          .points_in = a->mesh->positions,
                          .points_out = a->points,
                          .segment_count = SEGMENTS,
                          .worlds = a->worlds,
                          .inputs = {&a->weights},
                          .state = a->state};
    if (first) {
        sni_deformer_implicit.state_reset(a->bound, &job);
    }
    snt_ok(sni_deformer_implicit.deform(a->bound, &job, error));
}

static const sn_vec3 nowhere = {0, 0, 0};

static void rest_stays_and_rigid_motion_is_rigid(void **state) {
    (void)state;
    arm a;
    set_up(&a, 0, true);
    pose(&a, sn_quat_identity(), nowhere, 0, true);
    for (uint32_t i = 0; i < 3 * a.mesh->vertex_count; ++i) {
        snt_near(a.points[i], a.mesh->positions[i], 1e-6);
    }
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0.6, 0.8), 2);
    sn_vec3 shift = {5, -1, 2};
    pose(&a, turn, shift, 0, false);
    for (uint32_t v = 0; v < a.mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(a.mesh->positions + 3 * (size_t)v);
        sn_vec3 expected = sn_vec3_add(sn_quat_rotate(turn, p), shift);
        snt_near(sn_vec3_distance(sn_vec3_load(a.points + 3 * (size_t)v), expected), 0, 1e-5);
    }
    tear_down(&a);
}

// The volume of the tube, whose ends are nearly points, over that at rest.
static double volume(const arm *a, const float *points) {
    double sum = 0;
    for (uint32_t f = 0; f < a->mesh->face_count; ++f) {
        const uint32_t *c = a->mesh->corners + 4 * (size_t)f;
        sn_vec3 p[4];
        for (int i = 0; i < 4; ++i) {
            p[i] = sn_vec3_load(points + 3 * (size_t)c[i]);
        }
        sum += sn_vec3_dot(p[0], sn_vec3_cross(p[1], p[2])) / 6;
        sum += sn_vec3_dot(p[0], sn_vec3_cross(p[2], p[3])) / 6;
    }
    return sum;
}

static void a_bent_elbow_keeps_its_volume(void **state) {
    (void)state;
    arm a;
    set_up(&a, 0, true);
    double before = volume(&a, a.mesh->positions);
    // In one go from rest, as a first frame.
    pose(&a, sn_quat_identity(), nowhere, SN_PI / 2, true);
    snt_near(volume(&a, a.points) / before, 1, 0.03);
    // No vertex of the forearm lies on the other side of the fold.
    for (uint32_t v = 0; v < a.mesh->vertex_count; ++v) {
        sn_vec3 rest = sn_vec3_load(a.mesh->positions + 3 * (size_t)v);
        sn_vec3 now = sn_vec3_load(a.points + 3 * (size_t)v);
        if (rest.x > 0.055) {
            assert_true(now.x + now.y > -0.003);
        } else if (rest.x < -0.055) {
            assert_true(now.x + now.y < 0.003);
        }
    }
    tear_down(&a);
}

static void threads_do_not_show(void **state) {
    (void)state;
    arm one, three;
    set_up(&one, 1, true);
    set_up(&three, 3, true);
    for (int i = 1; i <= 3; ++i) {
        pose(&one, sn_quat_identity(), nowhere, 0.5 * i, i == 1);
        pose(&three, sn_quat_identity(), nowhere, 0.5 * i, i == 1);
        assert_memory_equal(one.points, three.points,
                            3 * (size_t)one.mesh->vertex_count * sizeof(float));
    }
    tear_down(&one);
    tear_down(&three);
}

// Names that tell nothing: there are no hinges, and the skin follows its bones. What contact moves
// within the fold is evened out over 1.2 radii around it, and fades.
static void without_hinges_the_skin_follows_its_bones(void **state) {
    (void)state;
    arm a;
    set_up(&a, 1, false);
    pose(&a, sn_quat_identity(), nowhere, 1, true);
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 1);
    for (uint32_t v = 0; v < a.mesh->vertex_count; ++v) {
        sn_vec3 rest = sn_vec3_load(a.mesh->positions + 3 * (size_t)v);
        sn_vec3 now = sn_vec3_load(a.points + 3 * (size_t)v);
        double off = fabs(rest.x) < 0.11 ? 1e-5 : 1e-6;
        if (rest.x > 0.051) {
            snt_near(sn_vec3_distance(now, sn_quat_rotate(turn, rest)), 0, off);
        } else if (rest.x < -0.051) {
            snt_near(sn_vec3_distance(now, rest), 0, off);
        }
    }
    tear_down(&a);
}

// --- Unusual input

static void expect_finite(const arm *a) {
    for (uint32_t i = 0; i < 3 * a->mesh->vertex_count; ++i) {
        assert_true(isfinite(a->points[i]));
    }
}

static void bind_again(arm *a) {
    sni_deformer_implicit.unbind(a->context, a->bound);
    sni_free(a->context, a->state);
    snt_ok(sni_deformer_implicit.bind(&a->bind, &a->bound, error));
    size_t bytes = sni_deformer_implicit.state_bytes(a->bound);
    a->state = bytes > 0 ? sni_alloc(a->context, 1, bytes) : NULL;
}

// Vertices without weights stay where they are.
static void unskinned_vertices_stay(void **state) {
    (void)state;
    arm a;
    set_up(&a, 1, true);
    for (uint32_t v = 0; v < a.mesh->vertex_count; v += 7) {
        a.mesh->weights->values[2 * v] = 0;
        a.mesh->weights->values[2 * v + 1] = 0;
    }
    bind_again(&a);
    pose(&a, sn_quat_identity(), nowhere, 0, true);
    pose(&a, sn_quat_identity(), nowhere, 0.3, false);
    expect_finite(&a);
    tear_down(&a);
}

// Next to no skin on the forearm: it belongs to the upper arm, and the skin follows its bones.
static void a_part_of_few_vertices_joins_the_one_above(void **state) {
    (void)state;
    arm a;
    set_up(&a, 1, true);
    for (uint32_t v = 0; v < a.mesh->vertex_count; ++v) {
        bool tip = v >= a.mesh->vertex_count - 10;
        a.mesh->weights->values[2 * v] = tip ? 0 : 1;
        a.mesh->weights->values[2 * v + 1] = tip ? 1 : 0;
    }
    bind_again(&a);
    pose(&a, sn_quat_identity(), nowhere, 1, true);
    expect_finite(&a);
    tear_down(&a);
}

static void scaled_and_flat_bones_are_finite(void **state) {
    (void)state;
    arm a;
    set_up(&a, 1, true);
    static const double scales[] = {2, 0.01, 0, -1};
    for (int i = 0; i < 4; ++i) {
        pose(&a, sn_quat_identity(), nowhere, 2, true);
        for (int k = 0; k < 12; ++k) {
            a.worlds[2].m[k] *= scales[i];
        }
        sni_deform_job job = {.context = a.context,
                              .arena = &a.arena,
                              .vertex_count = a.mesh->vertex_count,
                              .points_in = a.mesh->positions,
                              .points_out = a.points,
                              .segment_count = SEGMENTS,
                              .worlds = a.worlds,
                              .inputs = {&a.weights},
                              .state = a.state};
        snt_ok(sni_deformer_implicit.deform(a.bound, &job, error));
        expect_finite(&a);
    }
    tear_down(&a);
}

// At envelope 0 the skin is where dual quaternions have it, and at every tracking it is finite.
static void envelope_and_tracking(void **state) {
    (void)state;
    for (int tracking = 0; tracking < 3; ++tracking) {
        arm a;
        set_up(&a, 2, true);
        a.parameters[0] = tracking;
        bind_again(&a);
        double before = volume(&a, a.mesh->positions);
        pose(&a, sn_quat_identity(), nowhere, SN_PI / 3, true);
        expect_finite(&a);
        snt_near(volume(&a, a.points) / before, 1, 0.03);
        tear_down(&a);
    }
}

// Skin that no segment has anything of is refused.
static void a_skin_without_weights_is_refused(void **state) {
    (void)state;
    arm a;
    set_up(&a, 1, true);
    for (uint32_t i = 0; i < 2 * a.mesh->vertex_count; ++i) {
        a.mesh->weights->values[i] = 0;
    }
    void *bound = NULL;
    snt_fails(SN_INVALID, "no vertex of the skin follows a segment",
              sni_deformer_implicit.bind(&a.bind, &bound, error));
    tear_down(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stays_and_rigid_motion_is_rigid),
        cmocka_unit_test(a_bent_elbow_keeps_its_volume),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(without_hinges_the_skin_follows_its_bones),
        cmocka_unit_test(unskinned_vertices_stay),
        cmocka_unit_test(a_part_of_few_vertices_joins_the_one_above),
        cmocka_unit_test(scaled_and_flat_bones_are_finite),
        cmocka_unit_test(envelope_and_tracking),
        cmocka_unit_test(a_skin_without_weights_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
