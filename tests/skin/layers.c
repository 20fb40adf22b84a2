// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include "deformer.h"
#include "skin/skin.h"

#include <math.h>

// A flat piece of flesh, 12 x 9 cm and 12 mm thick: skin over a plate of bone, on which a strip of
// muscle lies, 50 x 20 mm, that shortens towards its left end.
enum { ACROSS = 40, ALONG = 30 };
static const double width = 0.12, depth = 0.09, thick = 0.012, muscle_height = 0.004;
static const double muscle_left = 0.03, muscle_long = 0.05, muscle_back = 0.035;
static const double muscle_wide = 0.02;

enum { INPUT_COMPONENTS, INPUT_TIED, INPUT_WEIGHTS, INPUT_PINS };

typedef struct scene {
    sn_context *context;
    sni_arena arena;
    sn_mesh *skin, *bone, *muscle;
    sn_segment segment;
    uint32_t order;
    sn_skeleton skeleton;
    sn_mat4 rest, world;
    sni_component components[2];
    sni_components_input under, tied;
    double parameters[32];
    float *posed; // muscle
    float *out;
    void *bound, *kept;
} scene;

static void set(scene *s, const char *name, double value) {
    uint32_t index = sni_parameters_find(&sni_deformer_layers.parameters, name);
    assert_int_not_equal(index, SN_NONE);
    s->parameters[index] = value;
}

static scene *make(sn_context *context) {
    scene *s = sni_alloc_zero(context, 1, sizeof *s);
    s->context = context;
    s->skin = snt_grid(context, "skin", ACROSS, ALONG, width, depth, true);
    snt_shift(s->skin, 0, thick, 0);
    s->bone = snt_grid(context, "bone", 4, 4, 2 * width, 2 * depth, false);
    snt_shift(s->bone, -width / 2, 0, -depth / 2);
    s->muscle = snt_grid(context, "muscle", 20, 8, muscle_long, muscle_wide, false);
    snt_shift(s->muscle, muscle_left, muscle_height, muscle_back);
    s->rest = s->world = sn_mat4_identity();
    s->components[0] = (sni_component){.name = "bone", .mesh = s->bone, .segment = 0};
    s->components[1] = (sni_component){.name = "muscle", .mesh = s->muscle, .segment = SN_NONE};
    s->under = (sni_components_input){2, s->components};
    s->tied = (sni_components_input){1, s->components + 1};
    s->segment = (sn_segment){.name = "head", .parent = SN_NONE};
    s->skeleton =
        (sn_skeleton){.segment_count = 1, .segments = &s->segment, .parents_first = &s->order};
    s->posed = sni_alloc(context, 3 * (size_t)s->muscle->vertex_count, sizeof *s->posed);
    s->out = sni_alloc_zero(context, 3 * (size_t)s->skin->vertex_count, sizeof *s->out);
    sni_arena_init(&s->arena, context);
    sni_parameters_defaults(&sni_deformer_layers.parameters, s->parameters);
    return s;
}

static void end(scene *s) {
    sn_context *context = s->context;
    sni_deformer_layers.unbind(context, s->bound);
    if (s->kept != NULL) {
        sni_deformer_layers.kept_free(context, s->kept);
    }
    sn_mesh_destroy(s->skin);
    sn_mesh_destroy(s->bone);
    sn_mesh_destroy(s->muscle);
    sni_free(context, s->posed);
    sni_free(context, s->out);
    sni_arena_deinit(&s->arena);
    sni_free(context, s);
}

static sni_bind_job bind_job(const scene *s) {
    return (sni_bind_job){.context = s->context,
                          .mesh = s->skin,
                          .parameters = s->parameters,
                          .skeleton = &s->skeleton,
                          .rest_worlds = &s->rest,
                          .inputs = {&s->under, &s->tied}};
}

static void bind(scene *s) {
    sni_bind_job job = bind_job(s);
    snt_ok(sni_deformer_layers.bind(&job, &s->bound, error));
}

// The muscle shortened by a part of its length, and lifted.
static void contract(scene *s, double part, double lift) {
    for (uint32_t i = 0; i < s->muscle->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(s->muscle->positions + 3 * (size_t)i);
        p.x = muscle_left + (1 - part) * (p.x - muscle_left);
        p.y += lift;
        sn_vec3_store(sn_mat4_point(&s->world, p), s->posed + 3 * (size_t)i);
    }
}

static void deform(scene *s) {
    const float *points[2] = {NULL, s->posed};
    const sni_components_pose under = {.points = points}, tied = {.points = points + 1};
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->skin->vertex_count,
                          .points_in = s->skin->positions,
                          .points_out = s->out,
                          .segment_count = 1,
                          .worlds = &s->world,
                          .inputs = {&under, &tied},
                          .kept = &s->kept};
    snt_ok(sni_deformer_layers.deform(s->bound, &job, error));
}

static sn_vec3 moved(const scene *s, uint32_t column, uint32_t row) {
    size_t i = 3 * ((size_t)row * (ACROSS + 1) + column);
    return sn_vec3_sub(sn_vec3_load(s->out + i), sn_vec3_load(s->skin->positions + i));
}

static sni_flesh_measure flesh_of(const scene *s) {
    sni_flesh_measure measure;
    sni_deformer_layers.flesh(s->bound, s->kept, &measure);
    return measure;
}

// The longest way of a point to where a matrix takes it from rest.
static double farthest_from(const scene *s, const sn_mat4 *place) {
    double farthest = 0;
    for (size_t i = 0; i < s->skin->vertex_count; ++i) {
        sn_vec3 to = sn_mat4_point(place, sn_vec3_load(s->skin->positions + 3 * i));
        farthest = fmax(farthest, sn_vec3_distance(sn_vec3_load(s->out + 3 * i), to));
    }
    return farthest;
}

static void rest_is_an_equilibrium(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    set(s, "rounds", 200);
    bind(s);
    contract(s, 0, 0);
    deform(s);
    assert_true(farthest_from(s, &s->world) < 1e-6);
    sni_flesh_measure m = flesh_of(s);
    assert_int_equal(m.flipped, 0);
    snt_near(m.volume / m.rest_volume, 1, 1e-5);
    // The fascia lies at 0.6 of the way to the bone: the muscle that it is tied to is a part of it.
    snt_near(m.rest_volume / (0.6 * width * depth * thick), 1, 0.01);
    end(s);
    snt_context_end(context);
}

static void a_body_moves_as_a_whole(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    bind(s);
    sn_transform place = sn_transform_identity();
    place.rotation = sn_quat_from_axis_angle(
        sn_vec3_normalize_or(sn_vec3_make(1, 2, 3), sn_vec3_make(0, 1, 0)), 1.3);
    place.translation = sn_vec3_make(0.3, -0.2, 0.5);
    s->world = sn_mat4_from_transform(&place);
    contract(s, 0, 0);
    deform(s);
    assert_true(farthest_from(s, &s->world) < 2e-6);
    end(s);
    snt_context_end(context);
}

// The skin over the muscle's moving end goes with it, and less and less with the distance: along a
// line across the muscle's end the pull falls at every step, and nowhere by more than a fifth. The
// firmer the fascia is held where it is not tied, the sooner.
static void expect_fading(double slide, double least, double most_left) {
    sn_context *context = snt_context(1);
    scene *s = make(context);
    set(s, "slide", slide);
    const double part = 0.2, commanded = part * muscle_long;
    const uint32_t end_column = (uint32_t)(ACROSS * (muscle_left + muscle_long) / width);
    const uint32_t middle = (uint32_t)(ALONG * (muscle_back + muscle_wide / 2) / depth);
    bind(s);
    contract(s, part, 0);
    deform(s);
    double largest = 0;
    for (uint32_t c = 0; c <= ACROSS; ++c) {
        largest = fmax(largest, -moved(s, c, middle).x);
    }
    assert_true(largest > least * commanded && largest < 1.02 * commanded);
    double before = -moved(s, end_column, middle).x;
    for (uint32_t r = middle + 1; r <= ALONG; ++r) {
        double now = -moved(s, end_column, r).x;
        assert_true(now < before + 1e-5 && now > before - 0.2 * largest);
        before = now;
    }
    assert_true(before < most_left * largest);
    sni_flesh_measure m = flesh_of(s);
    assert_int_equal(m.flipped, 0);
    snt_near(m.volume / m.rest_volume, 1, 0.05);
    assert_true(m.shortest >= 0.6 - 1e-3 && m.longest <= 1.3 + 1e-3);
    end(s);
    snt_context_end(context);
}

static void pulls_fade_with_distance(void **state) {
    (void)state;
    expect_fading(30, 0.5, 0.55);
    expect_fading(300, 0.35, 0.2);
}

// A muscle that is not tied swells the skin, but does not drag it.
static void what_is_not_tied_only_lifts(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    s->tied.count = 0;
    bind(s);
    contract(s, 0.2, 0);
    deform(s);
    double sideways = 0;
    for (uint32_t c = 0; c <= ACROSS; ++c) {
        sideways = fmax(sideways, fabs(moved(s, c, ALONG / 2).x));
    }
    assert_true(sideways < 1e-4);
    contract(s, 0, 0.003);
    deform(s);
    double lifted = moved(s, 18, ALONG / 2).y;
    assert_true(lifted > 0.0015 && lifted < 0.0031);
    assert_true(fabs(moved(s, 0, 0).y) < 1e-4);
    end(s);
    snt_context_end(context);
}

// A frame depends on its pose alone, for any number of threads.
static void frames_have_no_memory(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3};
    float *first = NULL;
    size_t size = 3 * (size_t)(ACROSS + 1) * (ALONG + 1) * sizeof(float);
    sn_context *keeper = snt_context(1);
    for (int k = 0; k < 3; ++k) {
        sn_context *context = snt_context(threads[k]);
        scene *s = make(context);
        bind(s);
        for (int round = 0; round < 2; ++round) {
            contract(s, 0.15, 0.001);
            deform(s);
            if (first == NULL) {
                first = sni_alloc(keeper, 1, size);
                memcpy(first, s->out, size);
            }
            assert_memory_equal(first, s->out, size);
            contract(s, 0.25, 0);
            deform(s);
        }
        end(s);
        snt_context_end(context);
    }
    sni_free(keeper, first);
    snt_context_end(keeper);
}

// With fewer columns than vertices the others follow: nearly where they would be solved for.
static void few_columns_move_many_vertices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    float *all = sni_alloc(context, 3 * (size_t)s->skin->vertex_count, sizeof *all);
    bind(s);
    contract(s, 0.2, 0);
    deform(s);
    memcpy(all, s->out, 3 * (size_t)s->skin->vertex_count * sizeof *all);
    sni_deformer_layers.unbind(context, s->bound);
    sni_deformer_layers.kept_free(context, s->kept);
    s->kept = NULL;
    set(s, "columns", 400);
    bind(s);
    contract(s, 0, 0);
    deform(s);
    assert_true(farthest_from(s, &s->world) < 1e-6);
    contract(s, 0.2, 0);
    deform(s);
    double worst = 0;
    for (size_t i = 0; i < s->skin->vertex_count; ++i) {
        worst =
            fmax(worst, sn_vec3_distance(sn_vec3_load(s->out + 3 * i), sn_vec3_load(all + 3 * i)));
    }
    assert_true(worst < 0.25 * 0.2 * muscle_long);
    sni_free(context, all);
    end(s);
    snt_context_end(context);
}

// What deformers before have added goes with the skin.
static void offsets_before_go_with_the_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    bind(s);
    sn_transform place = sn_transform_identity();
    place.rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), SN_PI / 2);
    s->world = sn_mat4_from_transform(&place);
    contract(s, 0, 0);
    float *points = sni_alloc(context, 3 * (size_t)s->skin->vertex_count, sizeof *points);
    memcpy(points, s->skin->positions, 3 * (size_t)s->skin->vertex_count * sizeof *points);
    points[3 * 100 + 1] += 0.002f;
    const float *posed[2] = {NULL, s->posed};
    const sni_components_pose under = {.points = posed}, tied = {.points = posed + 1};
    sni_deform_job job = {.context = context,
                          .arena = &s->arena,
                          .vertex_count = s->skin->vertex_count,
                          .points_in = points,
                          .points_out = s->out,
                          .segment_count = 1,
                          .worlds = &s->world,
                          .inputs = {&under, &tied}};
    snt_ok(sni_deformer_layers.deform(s->bound, &job, error));
    for (size_t i = 0; i < s->skin->vertex_count; ++i) {
        sn_vec3 to = sn_mat4_point(&s->world, sn_vec3_load(points + 3 * i));
        assert_true(sn_vec3_distance(to, sn_vec3_load(s->out + 3 * i)) < 2e-6);
    }
    sni_free(context, points);
    end(s);
    snt_context_end(context);
}

// Whatever muscles do, and however few columns there are.
static void pins_stay_where_segments_put_them(void **state) {
    (void)state;
    static const double columns[] = {4000, 300};
    for (int k = 0; k < 2; ++k) {
        sn_context *context = snt_context(1);
        scene *s = make(context);
        uint32_t middle = ALONG / 2 * (ACROSS + 1) + 26;
        const sni_pins_input pins = {1, &middle};
        sni_bind_job job = bind_job(s);
        job.inputs[INPUT_PINS] = &pins;
        set(s, "columns", columns[k]);
        snt_ok(sni_deformer_layers.bind(&job, &s->bound, error));
        contract(s, 0.2, 0.002);
        deform(s);
        assert_true(sn_vec3_length(moved(s, 26, ALONG / 2)) < 1e-7);
        assert_true(sn_vec3_length(moved(s, 22, ALONG / 2)) > 1e-3);
        end(s);
        snt_context_end(context);
    }
}

// Rays through a hole of the bone meet nothing, or what lies far below: neighbours tell how deep
// the flesh is there.
static void holes_below_are_mended(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    s->under.count = 1;
    s->tied.count = 0;
    bind(s);
    contract(s, 0, 0);
    deform(s);
    double whole = flesh_of(s).rest_volume;
    sni_deformer_layers.unbind(context, s->bound);
    // The plate again, with a hole of 12 x 9 mm in its middle.
    sn_mesh_destroy(s->bone);
    s->bone = snt_grid(context, "bone", 40, 40, 2 * width, 2 * depth, false);
    snt_shift(s->bone, -width / 2, 0, -depth / 2);
    for (uint32_t f = 0; f < s->bone->face_count; ++f) {
        uint32_t column = f % 40, row = f / 40;
        if (column >= 19 && column <= 20 && row >= 19 && row <= 20) {
            for (int k = 1; k < 4; ++k) {
                s->bone->corners[4 * f + k] = s->bone->corners[4 * f];
            }
        }
    }
    s->components[0].mesh = s->bone;
    bind(s);
    deform(s);
    snt_near(flesh_of(s).rest_volume / whole, 1, 0.01);
    assert_true(farthest_from(s, &s->world) < 1e-6);
    end(s);
    snt_context_end(context);
}

static void bad_jobs_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    sni_bind_job job = bind_job(s);
    job.inputs[INPUT_COMPONENTS] = NULL;
    snt_fails(SN_INVALID,
              "the mesh \"skin\" has no weights, and none of the 1 components is a bone",
              sni_deformer_layers.bind(&job, &s->bound, error));
    job = bind_job(s);
    const uint32_t far = 5000;
    job.inputs[INPUT_PINS] = &(sni_pins_input){1, &far};
    snt_fails(SN_INVALID, "pin 0 is vertex 5000", sni_deformer_layers.bind(&job, &s->bound, error));
    job = bind_job(s);
    s->components[0].segment = 4;
    snt_fails(SN_INVALID, "has segment 4, but there are 1",
              sni_deformer_layers.bind(&job, &s->bound, error));
    s->components[0].segment = 0;
    set(s, "thickness", 0);
    snt_fails(SN_INVALID, "thickness is 0", sni_deformer_layers.bind(&job, &s->bound, error));
    assert_null(s->bound);
    end(s);
    snt_context_end(context);
}

// Loose points, flat and doubled triangles, faces turned over: points stay finite, and at rest.
static void poor_meshes_have_results(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    for (uint32_t f = 0; f < s->skin->face_count; f += 7) {
        uint32_t *corners = s->skin->corners + 3 * (size_t)f;
        if (f % 2 == 0) {
            corners[1] = corners[0];
        } else {
            uint32_t other = corners[1];
            corners[1] = corners[2];
            corners[2] = other;
        }
    }
    memcpy(s->skin->positions + 3 * 50, s->skin->positions + 3 * 51, 3 * sizeof(float));
    bind(s);
    contract(s, 0, 0);
    deform(s);
    assert_true(farthest_from(s, &s->world) < 1e-5);
    contract(s, 0.3, 0.002);
    deform(s);
    for (size_t i = 0; i < 3 * (size_t)s->skin->vertex_count; ++i) {
        assert_true(isfinite(s->out[i]) && fabs((double)s->out[i]) < 1);
    }
    end(s);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const scene *s = user;
    const float *points[2] = {NULL, s->posed};
    const sni_components_pose under = {.points = points}, tied = {.points = points + 1};
    sni_deform_job deform = {.vertex_count = s->skin->vertex_count,
                             .points_in = s->skin->positions,
                             .points_out = s->out,
                             .segment_count = 1,
                             .worlds = &s->world,
                             .inputs = {&under, &tied}};
    return snt_try_deformer(context, &sni_deformer_layers, bind_job(s), deform, error);
}

static void memory_may_run_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene *s = make(context);
    sn_mesh_destroy(s->skin);
    s->skin = snt_grid(context, "skin", 6, 5, width, depth, true);
    snt_shift(s->skin, 0, thick, 0);
    contract(s, 0.2, 0);
    set(s, "rounds", 1);
    set(s, "columns", 16);
    snt_fail_allocations(attempt, s);
    end(s);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_is_an_equilibrium),
        cmocka_unit_test(a_body_moves_as_a_whole),
        cmocka_unit_test(pulls_fade_with_distance),
        cmocka_unit_test(what_is_not_tied_only_lifts),
        cmocka_unit_test(frames_have_no_memory),
        cmocka_unit_test(few_columns_move_many_vertices),
        cmocka_unit_test(offsets_before_go_with_the_skin),
        cmocka_unit_test(pins_stay_where_segments_put_them),
        cmocka_unit_test(holes_below_are_mended),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(poor_meshes_have_results),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
