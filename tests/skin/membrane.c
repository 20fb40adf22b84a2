// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include "skin/skin.h"

#include <math.h>

// A flat skin over two bones, flat plates a little below it, that meet at x = 0.5.
typedef struct scene {
    sn_context *context;
    sni_arena arena;
    sn_mesh *skin, *bones[2];
    sn_segment segments[2];
    sn_skeleton skeleton;
    sn_mat4 rest[2], worlds[2];
    sni_component components[2];
    sni_components_input under;
    double parameters[16];
    float *out;
    void *bound;
} scene;

static void set(scene *s, const char *name, double value) {
    uint32_t index = sni_parameters_find(&sni_deformer_membrane.parameters, name);
    assert_int_not_equal(index, SN_NONE);
    s->parameters[index] = value;
}

static scene *make(sn_context *context) {
    scene *s = sni_alloc_zero(context, 1, sizeof *s);
    s->context = context;
    s->skin = snt_grid(context, "skin", 40, 10, 1, 0.25, true);
    snt_shift(s->skin, 0, 0.02, 0);
    for (uint32_t i = 0; i < 2; ++i) {
        s->bones[i] = snt_grid(context, "bone", 4, 4, 0.49, 0.25, false);
        snt_shift(s->bones[i], i == 0 ? 0 : 0.51, 0, 0);
        s->rest[i] = s->worlds[i] = sn_mat4_identity();
        s->components[i] = (sni_component){.name = "bone", .mesh = s->bones[i], .segment = i};
        s->segments[i].name = i == 0 ? "first" : "second";
    }
    s->under = (sni_components_input){2, s->components};
    s->skeleton = (sn_skeleton){.segment_count = 2, .segments = s->segments};
    s->out = sni_alloc_zero(context, 3 * (size_t)s->skin->vertex_count, sizeof *s->out);
    sni_arena_init(&s->arena, context);
    sni_parameters_defaults(&sni_deformer_membrane.parameters, s->parameters);
    return s;
}

static void end(scene *s) {
    sn_context *context = s->context;
    sni_deformer_membrane.unbind(context, s->bound);
    sn_mesh_destroy(s->skin);
    sn_mesh_destroy(s->bones[0]);
    sn_mesh_destroy(s->bones[1]);
    sni_free(context, s->out);
    sni_arena_deinit(&s->arena);
    sni_free(context, s);
}

static sni_bind_job bind_job(const scene *s) {
    return (sni_bind_job){.context = s->context,
                          .mesh = s->skin,
                          .parameters = s->parameters,
                          .skeleton = &s->skeleton,
                          .rest_worlds = s->rest,
                          .inputs = {&s->under}};
}

static void bind(scene *s) {
    sni_bind_job job = bind_job(s);
    sni_deformer_membrane.unbind(s->context, s->bound);
    snt_ok(sni_deformer_membrane.bind(&job, &s->bound, error));
}

static void deform(scene *s) {
    const float *points[2] = {s->bones[0]->positions, s->bones[1]->positions};
    const sni_components_pose posed = {.points = points};
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->skin->vertex_count,
                          .points_in = s->skin->positions,
                          .points_out = s->out,
                          .segment_count = 2,
                          .worlds = s->worlds,
                          .inputs = {&posed}};
    snt_ok(sni_deformer_membrane.deform(s->bound, &job, error));
}

// The longest edge, in lengths at rest.
static double largest_stretch(const scene *s) {
    double largest = 0;
    for (uint32_t f = 0; f < s->skin->face_count; ++f) {
        for (uint32_t k = 0; k < 3; ++k) {
            size_t a = 3 * (size_t)s->skin->corners[3 * f + k];
            size_t b = 3 * (size_t)s->skin->corners[3 * f + (k + 1) % 3];
            double now = sn_vec3_distance(sn_vec3_load(s->out + a), sn_vec3_load(s->out + b));
            double rest = sn_vec3_distance(sn_vec3_load(s->skin->positions + a),
                                           sn_vec3_load(s->skin->positions + b));
            largest = fmax(largest, now / rest);
        }
    }
    return largest;
}

static void without_rounds_points_go_to_their_anchors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    set(s, "rounds", 0);
    set(s, "blend", 0);
    bind(s);
    s->worlds[1].m[12] = 0.3;
    deform(s);
    for (uint32_t i = 0; i < s->skin->vertex_count; ++i) {
        double rest = (double)s->skin->positions[3 * (size_t)i];
        if (fabs(rest - 0.5) > 1e-3) {
            snt_near((double)s->out[3 * (size_t)i], rest + (rest > 0.5 ? 0.3 : 0), 1e-6);
        }
    }
    end(s);
    snt_context_end(context);
}

// With `blend` the choice of bone fades along the skin: points between two regions hang on both.
// The plates are 0.49 x 0.25, so that the sphere of their area has a radius of 0.0987.
static void the_choice_of_component_fades(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    const double reach = 1.5 * sqrt(0.49 * 0.25 / (4 * SN_PI)), edge = 1.0 / 40;
    set(s, "rounds", 0);
    set(s, "blend", 1.5);
    bind(s);
    deform(s);
    for (uint32_t i = 0; i < 3 * s->skin->vertex_count; ++i) {
        snt_near((double)s->out[i], (double)s->skin->positions[i], 1e-6);
    }
    s->worlds[1].m[12] = 0.3;
    deform(s);
    for (uint32_t i = 0; i < s->skin->vertex_count; ++i) {
        double rest = (double)s->skin->positions[3 * (size_t)i];
        double moved = ((double)s->out[3 * (size_t)i] - rest) / 0.3;
        assert_true(moved > -1e-5 && moved < 1 + 1e-5);
        // Ways along edges are longer than straight ones, and borders lie within an edge.
        double t = fmin(fmax((1 - (0.5 - rest) / reach) / 2, 0), 1);
        snt_near(moved, t * t * (3 - 2 * t), 0.75 * 2 * edge / reach);
        if (fabs(rest - 0.5) > reach + 8 * edge) {
            snt_near(moved, rest > 0.5, 1e-5);
        }
    }
    assert_true(largest_stretch(s) < 1 + 0.3 * 0.75 / reach * 1.3);
    end(s);
    snt_context_end(context);
}

// A gap between two bones is taken up by the skin around it (figures 7 to 9 of the paper).
static void a_gap_is_shared_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    double stretch[3];
    set(s, "blend", 0);
    for (int i = 0; i < 3; ++i) {
        set(s, "rounds", (const double[]){0, 30, 12}[i]);
        set(s, "accelerate", i == 2);
        bind(s);
        s->worlds[1].m[12] = 0.1;
        deform(s);
        stretch[i] = largest_stretch(s);
    }
    assert_true(stretch[0] > 4.9);
    assert_true(stretch[1] < 0.6 * stretch[0]);
    assert_true(stretch[2] < 1.1 * stretch[1]);
    end(s);
    snt_context_end(context);
}

static void the_rest_pose_stays_without_pre_stretch(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    set(s, "rest", 1);
    bind(s);
    deform(s);
    for (uint32_t i = 0; i < 3 * s->skin->vertex_count; ++i) {
        snt_near((double)s->out[i], (double)s->skin->positions[i], 1e-6);
    }
    end(s);
    snt_context_end(context);
}

static void rigid_motion_of_the_body_moves_the_skin_rigidly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    bind(s);
    s->worlds[1].m[12] = 0.05;
    deform(s);
    float *before = sni_copy(context, s->out, 3 * (size_t)s->skin->vertex_count, sizeof *before);
    sn_transform move = {
        {0.4, -1, 2}, sn_quat_from_axis_angle(sn_vec3_make(0.48, 0.6, 0.64), 2), {1, 1, 1}};
    sn_mat4 map = sn_mat4_from_transform(&move);
    for (int i = 0; i < 2; ++i) {
        s->worlds[i] = sn_mat4_multiply(&map, &s->worlds[i]);
    }
    deform(s);
    for (uint32_t i = 0; i < s->skin->vertex_count; ++i) {
        sn_vec3 expected = sn_mat4_point(&map, sn_vec3_load(before + 3 * (size_t)i));
        assert_true(sn_vec3_distance(sn_vec3_load(s->out + 3 * (size_t)i), expected) < 1e-5);
    }
    sni_free(context, before);
    end(s);
    snt_context_end(context);
}

static void thickness_moves_the_skin_outwards(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    set(s, "thickness", 0.03);
    set(s, "rest", 1);
    bind(s);
    deform(s);
    for (uint32_t i = 0; i < s->skin->vertex_count; ++i) {
        snt_near((double)s->out[3 * (size_t)i + 1], 0.05, 1e-5);
    }
    end(s);
    snt_context_end(context);
}

static void points_of_no_weight_stay_on_their_anchors(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    float *weights = sni_alloc_zero(context, s->skin->vertex_count, sizeof *weights);
    sni_bind_job job = bind_job(s);
    job.point_weights = weights;
    snt_ok(sni_deformer_membrane.bind(&job, &s->bound, error));
    deform(s);
    for (uint32_t i = 0; i < 3 * s->skin->vertex_count; ++i) {
        snt_near((double)s->out[i], (double)s->skin->positions[i], 1e-6);
    }
    sni_free(context, weights);
    end(s);
    snt_context_end(context);
}

static void bad_jobs_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    sni_bind_job job = bind_job(s);
    job.inputs[0] = &(sni_components_input){0};
    snt_fails(SN_INVALID, "nothing to hang on", sni_deformer_membrane.bind(&job, &s->bound, error));
    job.inputs[0] = NULL;
    snt_fails(SN_INVALID, "membrane: needs components",
              sni_deformer_membrane.bind(&job, &s->bound, error));
    job = bind_job(s);
    s->components[1].segment = 2;
    snt_fails(SN_INVALID, "component 1 (\"bone\") has segment 2, but there are 2",
              sni_deformer_membrane.bind(&job, &s->bound, error));
    s->components[1] = (sni_component){.name = "muscle",
                                       .mesh = s->bones[1],
                                       .segment = SN_NONE,
                                       .slice_count = 8,
                                       .ring_count = 8};
    snt_fails(SN_INVALID, "has 8 slices of 8 points and 25 vertices",
              sni_deformer_membrane.bind(&job, &s->bound, error));
    s->components[1].slice_count = 0;
    set(s, "rounds", 2.5);
    snt_fails(SN_INVALID, "rounds is 2.5, but must be a whole number",
              sni_deformer_membrane.bind(&job, &s->bound, error));
    set(s, "rounds", 30);
    set(s, "rest", 0);
    snt_fails(SN_INVALID, "rest is 0, but must be from 0.1 to 2",
              sni_deformer_membrane.bind(&job, &s->bound, error));
    assert_null(s->bound);
    end(s);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    void *bound = NULL;
    double parameters[16];
    SN_TRY(sn_mesh_create(context, "triangle", 3, 1, 3, &mesh, error));
    for (uint32_t i = 0; i < 3; ++i) {
        sn_vec3_store(sn_vec3_make(i == 1, i == 2, 0), mesh->positions + 3 * (size_t)i);
        mesh->corners[i] = i;
    }
    mesh->face_offsets[0] = 0;
    mesh->face_offsets[1] = 3;
    const sni_component component = {.name = "one", .mesh = mesh, .segment = SN_NONE};
    sni_parameters_defaults(&sni_deformer_membrane.parameters, parameters);
    const sni_components_input under = {1, &component};
    sni_bind_job job = {
        .context = context, .mesh = mesh, .parameters = parameters, .inputs = {&under}};
    SN_TRY(sni_deformer_membrane.bind(&job, &bound, error));
cleanup:
    sni_deformer_membrane.unbind(context, bound);
    sn_mesh_destroy(mesh);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_rounds_points_go_to_their_anchors),
        cmocka_unit_test(the_choice_of_component_fades),
        cmocka_unit_test(a_gap_is_shared_out),
        cmocka_unit_test(the_rest_pose_stays_without_pre_stretch),
        cmocka_unit_test(rigid_motion_of_the_body_moves_the_skin_rigidly),
        cmocka_unit_test(thickness_moves_the_skin_outwards),
        cmocka_unit_test(points_of_no_weight_stay_on_their_anchors),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
