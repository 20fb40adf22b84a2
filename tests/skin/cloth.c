// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include "skin/skin.h"

#include <math.h>
#include <stdlib.h>

enum { COLLIDERS, PINS }; // places of its inputs

// A cloth, a floor that it may fall on, and a frame's memory.
typedef struct scene {
    sn_context *context;
    sni_arena arena;
    sn_mesh *mesh, *floor;
    double parameters[16];
    uint32_t pin_count;
    uint32_t pins[4];
    uint32_t collider_count;
    sni_colliders_input colliders_input;
    sni_pins_input pins_input;
    void *bound, *state, *kept;
    float *in, *out, *floor_points;
    double last;
} scene;

static void set(scene *s, const char *name, double value) {
    uint32_t index = sni_parameters_find(&sni_deformer_cloth.parameters, name);
    assert_int_not_equal(index, SN_NONE);
    s->parameters[index] = value;
}

static scene make(sn_context *context, uint32_t side) {
    scene s = {.context = context};
    s.mesh = snt_grid(context, "sheet", side, side, 1, 1, false);
    s.floor = snt_grid(context, "floor", 4, 4, 6, 6, false);
    snt_shift(s.mesh, -0.5, 0.3, -0.5);
    snt_shift(s.floor, -3, 0, -3);
    s.in = sni_copy(context, s.mesh->positions, 3 * (size_t)s.mesh->vertex_count, sizeof *s.in);
    s.out = sni_alloc_zero(context, 3 * (size_t)s.mesh->vertex_count, sizeof *s.out);
    s.floor_points =
        sni_copy(context, s.floor->positions, 3 * (size_t)s.floor->vertex_count, sizeof(float));
    sni_arena_init(&s.arena, context);
    sni_parameters_defaults(&sni_deformer_cloth.parameters, s.parameters);
    return s;
}

static sni_bind_job bind_job(scene *s) {
    s->colliders_input =
        (sni_colliders_input){s->collider_count, (const sn_mesh *const *)&s->floor};
    s->pins_input = (sni_pins_input){s->pin_count, s->pins};
    return (sni_bind_job){
        .context = s->context,
        .mesh = s->mesh,
        .parameters = s->parameters,
        .inputs = {[COLLIDERS] = s->collider_count > 0 ? &s->colliders_input : NULL,
                   [PINS] = s->pin_count > 0 ? &s->pins_input : NULL}};
}

static void go_to(scene *s, double time) {
    const float *floor_points = s->floor_points;
    const sni_colliders_pose touched = {&floor_points};
    sni_deform_job job = {.context = s->context,
                          .arena = &s->arena,
                          .vertex_count = s->mesh->vertex_count,
                          .points_in = s->in,
                          .points_out = s->out,
                          .inputs = {[COLLIDERS] = s->collider_count > 0 ? &touched : NULL},
                          .time = time,
                          .time_step = time > s->last ? time - s->last : 0,
                          .state = s->state,
                          .kept = &s->kept};
    if (time == 0) {
        sni_deformer_cloth.state_reset(s->bound, &job);
    }
    snt_ok(sni_deformer_cloth.deform(s->bound, &job, error));
    s->last = time;
}

static void unbind(scene *s) {
    if (s->kept != NULL) {
        sni_deformer_cloth.kept_free(s->context, s->kept);
    }
    sni_deformer_cloth.unbind(s->context, s->bound);
    sni_free(s->context, s->state);
    s->kept = NULL;
}

static void bind(scene *s) {
    sni_bind_job job = bind_job(s);
    unbind(s);
    snt_ok(sni_deformer_cloth.bind(&job, &s->bound, error));
    s->state = sni_alloc(s->context, sni_deformer_cloth.state_bytes(s->bound), 1);
    assert_true(sni_deformer_cloth.bytes(s->bound) > 0);
    s->last = 0;
    go_to(s, 0);
}

static void play(scene *s, double rate, double until) {
    for (uint32_t n = 1; n <= (uint32_t)(until * rate + 0.5); ++n) {
        go_to(s, n / rate);
    }
}

static void end(scene *s) {
    unbind(s);
    sni_arena_deinit(&s->arena);
    sni_free(s->context, s->in);
    sni_free(s->context, s->out);
    sni_free(s->context, s->floor_points);
    sn_mesh_destroy(s->mesh);
    sn_mesh_destroy(s->floor);
}

static sn_vec3 point(const scene *s, uint32_t vertex) {
    return sn_vec3_load(s->out + 3 * (size_t)vertex);
}

static double lowest(const scene *s) {
    double low = INFINITY;
    for (uint32_t i = 0; i < s->mesh->vertex_count; ++i) {
        low = fmin(low, s->out[3 * (size_t)i + 1]);
    }
    return low;
}

static void the_first_frame_is_what_comes_in(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 6);
    s.in[7] += 0.25f;
    bind(&s);
    assert_memory_equal(s.in, s.out, 12 * (size_t)s.mesh->vertex_count);
    end(&s);
    snt_context_end(context);
}

static void a_loose_cloth_falls_as_one(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 6);
    set(&s, "damping", 0);
    bind(&s);
    play(&s, 24, 1);
    for (uint32_t i = 0; i < s.mesh->vertex_count; ++i) {
        snt_near(s.out[3 * (size_t)i + 1], 0.3 - 9.81 * (0.5 + 0.5 / 600), 1e-5);
        snt_near(s.out[3 * (size_t)i], s.in[3 * (size_t)i], 1e-6);
    }
    end(&s);
    snt_context_end(context);
}

// A strip that hangs from its upper row is as long as its own weight makes it: stretch * weight
// below, summed: stretch * density * g * L^2 / 2.
static void a_hanging_strip_has_its_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 10);
    for (uint32_t i = 0; i < s.mesh->vertex_count; ++i) { // stood up
        float *p = s.mesh->positions + 3 * (size_t)i;
        p[1] = -0.5f - p[2];
        p[2] = 0;
        memcpy(s.in + 3 * (size_t)i, p, 12);
    }
    set(&s, "stretch", 0.02);
    set(&s, "shear", 1e6);
    set(&s, "damping", 8);
    set(&s, "rate", 2400);
    bind(&s);
    sni_deformer_cloth.unbind(s.context, s.bound);
    s.bound = NULL;
    uint32_t pins[11];
    for (uint32_t i = 0; i < 11; ++i) {
        pins[i] = i;
    }
    sni_bind_job job = bind_job(&s);
    job.inputs[PINS] = &(sni_pins_input){11, pins};
    snt_ok(sni_deformer_cloth.bind(&job, &s.bound, error));
    sni_free(s.context, s.state);
    s.state = sni_alloc(s.context, sni_deformer_cloth.state_bytes(s.bound), 1);
    go_to(&s, 0);
    play(&s, 10, 3);
    double longer = 0.02 * 0.2 * 9.81 * 1 * 1 / 2;
    for (uint32_t i = 0; i < 11; ++i) {
        snt_near(point(&s, i).y - point(&s, 110 + i).y, 1 + longer, 0.03 * longer);
        assert_memory_equal(s.out + 3 * (size_t)i, s.in + 3 * (size_t)i, 12);
    }
    end(&s);
    snt_context_end(context);
}

static void it_comes_to_rest_on_the_floor(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 12);
    s.collider_count = 1;
    bind(&s);
    for (uint32_t n = 1; n <= 48; ++n) {
        go_to(&s, n / 24.0);
        assert_true(lowest(&s) > 0.005 - 1e-6); // the standard thickness
    }
    for (uint32_t i = 0; i < s.mesh->vertex_count; ++i) {
        snt_near(s.out[3 * (size_t)i + 1], 0.005, 1e-4);
        snt_near(s.out[3 * (size_t)i], s.in[3 * (size_t)i], 1e-3);
    }
    end(&s);
    snt_context_end(context);
}

// On a slope: tan 20 degrees is 0.364.
static void a_sheet_on_a_slope_stays_or_slides(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int slides = 0; slides < 2; ++slides) {
        scene s = make(context, 8);
        sn_quat tilt = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 20 * SN_PI / 180);
        for (uint32_t i = 0; i < s.floor->vertex_count; ++i) {
            float *p = s.floor_points + 3 * (size_t)i;
            sn_vec3_store(sn_quat_rotate(tilt, sn_vec3_load(p)), p);
        }
        for (uint32_t i = 0; i < s.mesh->vertex_count; ++i) {
            float *p = s.in + 3 * (size_t)i;
            p[1] = 0.005f;
            sn_vec3_store(sn_quat_rotate(tilt, sn_vec3_load(p)), p);
        }
        s.collider_count = 1;
        set(&s, "friction", slides ? 0.3 : 0.43);
        set(&s, "damping", 0);
        bind(&s);
        play(&s, 30, 1);
        double angle = 20 * SN_PI / 180;
        double expected = slides ? 9.81 / 2 * (sin(angle) - 0.3 * cos(angle)) : 0;
        for (uint32_t i = 0; i < s.mesh->vertex_count; ++i) {
            sn_vec3 moved = sn_vec3_sub(point(&s, i), sn_vec3_load(s.in + 3 * (size_t)i));
            snt_near(sn_vec3_length(moved), expected, slides ? 0.02 : 2e-3);
        }
        end(&s);
    }
    snt_context_end(context);
}

// 24, 25, 30, 50, 60 and 120 frames a second are multiples of the step: the same bits. Others lie
// on the way between two steps.
static void frame_rates_do_not_show(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 10);
    static const double rates[] = {24, 25, 30, 50, 60, 120, 24000 / 1001.0, 7, 1};
    size_t bytes = 12 * (size_t)s.mesh->vertex_count;
    float *expected = malloc(bytes);
    s.collider_count = 1;
    s.pin_count = 2;
    s.pins[0] = 0;
    s.pins[1] = 10;
    for (int i = 0; i < 9; ++i) {
        bind(&s);
        play(&s, rates[i], 1);
        if (i == 0) {
            memcpy(expected, s.out, bytes);
        } else if (i != 6) {
            assert_memory_equal(expected, s.out, bytes);
        } else {
            go_to(&s, 1.001); // whole second of the odd rate
            bind(&s);
            play(&s, 1000, 1.001);
            float *odd = malloc(bytes);
            memcpy(odd, s.out, bytes);
            bind(&s);
            play(&s, rates[i], 1.001);
            for (uint32_t k = 0; k < 3 * s.mesh->vertex_count; ++k) {
                snt_near(odd[k], s.out[k], 1e-6);
            }
            free(odd);
        }
    }
    free(expected);
    end(&s);
    snt_context_end(context);
}

// A floor that rises under it and pins that travel: frame rates agree up to how straight the ways
// between frames are.
static void moving_colliders_and_pins_agree_at_all_rates(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 8);
    static const double rates[] = {24, 30, 60, 600};
    float *results[4];
    s.collider_count = 1;
    s.pin_count = 1;
    s.pins[0] = 0;
    for (int i = 0; i < 4; ++i) {
        for (uint32_t k = 0; k < s.floor->vertex_count; ++k) {
            s.floor_points[3 * (size_t)k + 1] = 0;
        }
        s.in[0] = s.mesh->positions[0];
        bind(&s);
        for (uint32_t n = 1; n <= rates[i]; ++n) {
            double t = n / rates[i];
            for (uint32_t k = 0; k < s.floor->vertex_count; ++k) {
                s.floor_points[3 * (size_t)k + 1] = (float)(0.25 * t * t);
            }
            s.in[0] = s.mesh->positions[0] + (float)(0.2 * sin(3 * t));
            go_to(&s, t);
            assert_true(lowest(&s) > 0.25 * t * t + 0.0049);
        }
        results[i] = malloc(12 * (size_t)s.mesh->vertex_count);
        memcpy(results[i], s.out, 12 * (size_t)s.mesh->vertex_count);
        snt_near(s.out[0], s.in[0], 0);
    }
    for (int i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3 * s.mesh->vertex_count; ++k) {
            snt_near(results[i][k], results[3][k], 0.03);
        }
    }
    for (int i = 0; i < 4; ++i) {
        free(results[i]);
    }
    end(&s);
    snt_context_end(context);
}

// A plate that crosses the whole room in one frame takes the cloth with it.
static void a_fast_collider_does_not_tunnel(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 8);
    s.collider_count = 1;
    bind(&s);
    for (uint32_t k = 0; k < s.floor->vertex_count; ++k) {
        s.floor_points[3 * (size_t)k + 1] = 2;
    }
    go_to(&s, 1.0 / 24);
    assert_true(lowest(&s) > 2.004);
    end(&s);
    snt_context_end(context);
}

static void long_frames_and_odd_numbers_are_survived(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 5);
    static const double times[] = {10, 10, 10.0001, 1e4, 1e9, 1e300};
    s.collider_count = 1;
    set(&s, "stretch", 0);
    set(&s, "shear", 0);
    set(&s, "bend", 1e6);
    set(&s, "gravity", -1000);
    set(&s, "rate", 60);
    bind(&s);
    for (int i = 0; i < 6; ++i) {
        go_to(&s, times[i]);
        for (uint32_t k = 0; k < 3 * s.mesh->vertex_count; ++k) {
            assert_true(isfinite(s.out[k]));
        }
    }
    // More steps than are counted: it stands still.
    float first = s.out[1];
    go_to(&s, 1e301);
    assert_true(s.out[1] == first);
    end(&s);
    snt_context_end(context);
}

static void the_envelope_goes_between(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 5);
    set(&s, "damping", 0);
    set(&s, "envelope", 0.25);
    bind(&s);
    go_to(&s, 0.5);
    snt_near(s.out[1], 0.3 - 0.25 * 9.81 * (0.125 + 0.25 / 600), 1e-5);
    set(&s, "envelope", 0);
    bind(&s);
    go_to(&s, 0.5);
    assert_memory_equal(s.in, s.out, 12 * (size_t)s.mesh->vertex_count);
    end(&s);
    snt_context_end(context);
}

static void wrong_jobs_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 5);
    sni_bind_job job = bind_job(&s);
    void *bound = NULL;
    const uint32_t pin = 36;
    job.inputs[PINS] = &(sni_pins_input){1, &pin};
    snt_fails(SN_INVALID, "cloth: pin 0 is vertex 36, but the mesh \"sheet\" has 36 vertices",
              sni_deformer_cloth.bind(&job, &bound, error));
    job = bind_job(&s);
    set(&s, "friction", NAN);
    snt_fails(SN_INVALID, "cloth: friction is nan, but must be from 0 to 100",
              sni_deformer_cloth.bind(&job, &bound, error));
    assert_null(bound);
    end(&s);
    snt_context_end(context);
}

static sn_status fall_once(sn_context *context, void *user, sn_error *error) {
    scene *s = user;
    sni_bind_job job = bind_job(s);
    sni_arena arena;
    void *bound = NULL, *memory = malloc(1 << 20), *kept = NULL;
    const float *points = s->floor_points;
    const sni_colliders_pose touched = {&points};
    sn_context *own = s->mesh->context;
    s->mesh->context = s->floor->context = job.context = context;
    sni_arena_init(&arena, context);
    sn_status status = sni_deformer_cloth.bind(&job, &bound, error);
    if (status == SN_OK) {
        sni_deform_job deform = {.context = context,
                                 .arena = &arena,
                                 .vertex_count = s->mesh->vertex_count,
                                 .points_in = s->in,
                                 .points_out = s->out,
                                 .inputs = {[COLLIDERS] = &touched},
                                 .state = memory,
                                 .kept = &kept};
        sni_deformer_cloth.state_reset(bound, &deform);
        deform.time = deform.time_step = 0.01;
        status = sni_deformer_cloth.deform(bound, &deform, error);
        if (kept != NULL) {
            sni_deformer_cloth.kept_free(context, kept);
        }
        sni_deformer_cloth.unbind(context, bound);
    }
    sni_arena_deinit(&arena);
    s->mesh->context = s->floor->context = own;
    free(memory);
    return status;
}

static void running_out_of_memory_is_survived(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    scene s = make(context, 3);
    s.collider_count = 1;
    snt_fail_allocations(fall_once, &s);
    end(&s);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_jobs_are_refused),
        cmocka_unit_test(the_first_frame_is_what_comes_in),
        cmocka_unit_test(a_loose_cloth_falls_as_one),
        cmocka_unit_test(a_hanging_strip_has_its_length),
        cmocka_unit_test(it_comes_to_rest_on_the_floor),
        cmocka_unit_test(a_sheet_on_a_slope_stays_or_slides),
        cmocka_unit_test(frame_rates_do_not_show),
        cmocka_unit_test(moving_colliders_and_pins_agree_at_all_rates),
        cmocka_unit_test(a_fast_collider_does_not_tunnel),
        cmocka_unit_test(long_frames_and_odd_numbers_are_survived),
        cmocka_unit_test(the_envelope_goes_between),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
