// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles in motion: rest, frame rates, violent motion, what is remembered.
#include "test.h"

#include "../bones.h"

#include "muscle/fibre/fibre.h"

#include <stdlib.h>
#include <string.h>

static const sni_muscle_ops *const ops = &sni_muscle_fibre;

static double points[3 * BONES_MOST], relaxed[3 * BONES_MOST];

// A muscle with its memory.
typedef struct moving {
    bones b;
    void *memory;
    size_t bytes;
    bool begun;
    const double *parameters; // of frames; NULL: as bound
} moving;

static void init(moving *m, sn_context *context, uint32_t attachments) {
    *m = (moving){0};
    bones_init(&m->b, context, ops);
    m->b.body.origin_count = m->b.body.insertion_count = attachments;
}

static void bind(moving *m) {
    bones_bind(&m->b, ops);
    m->bytes = ops->state_bytes(m->b.bound);
    m->memory = calloc(1, m->bytes + 1);
    assert_non_null(m->memory);
    m->begun = false;
}

static void unbind(moving *m) {
    bones_unbind(&m->b, ops);
    free(m->memory);
}

static void step(moving *m, const sn_mat4 *worlds, double tension, double time_step) {
    sni_arena arena;
    sni_arena_init(&arena, m->b.context);
    sni_muscle_pose_job job = {.context = m->b.context,
                               .arena = &arena,
                               .segment_count = 2,
                               .worlds = worlds,
                               .parameters = m->parameters,
                               .tension = tension,
                               .relaxed = relaxed,
                               .contracted = points,
                               .time_step = m->begun ? time_step : 0,
                               .state = m->memory};
    if (!m->begun) {
        ops->state_reset(m->b.bound, &job);
        m->begun = true;
    }
    snt_ok(ops->pose(m->b.bound, &job, error));
    sni_arena_deinit(&arena);
}

static const sni_fibre *fibre_of(const moving *m) {
    return m->b.bound;
}

static sni_fibre_row row_of(const moving *m, double *from, uint32_t number) {
    return sni_fibre_row_of(fibre_of(m), from, number);
}

// Largest distance between the particles of the two.
static double away_from_rest(const moving *m) {
    double largest = 0;
    for (uint32_t k = 0; k < fibre_of(m)->fibre_count; ++k) {
        sni_fibre_row now = row_of(m, points, k), rest = row_of(m, relaxed, k);
        for (uint32_t i = 0; i < fibre_of(m)->particle_count; ++i) {
            largest = fmax(largest, sn_vec3_distance(now.particles[i], rest.particles[i]));
        }
    }
    return largest;
}

// An elbow that bends in half a second while the shoulder shakes; then rest.
static void motion_at(const bones *b, double t, sn_mat4 *worlds) {
    double bend = -1.9 * (t < 0.5 ? 0.5 - 0.5 * cos(2 * SN_PI * t) : 1);
    double shake = t < 2 ? 0.03 * sin(2 * SN_PI * 1.5 * t) : 0;
    bones_bend(b, sn_vec3_make(bend, 0, 0), worlds);
    for (int k = 0; k < 2; ++k) {
        worlds[k].m[12] += shake;
    }
}

static void frame_rates_make_no_difference(void **state) {
    (void)state;
    enum { TIMES = 18 }; // every sixth of a second
    static const double rates[] = {120, 24, 30, 60, 23.976, 7};
    static sn_vec3 paths[6][TIMES + 1];
    sn_context *context = snt_context(1);
    for (int r = 0; r < 4; ++r) {
        moving m;
        init(&m, context, 1);
        bind(&m);
        for (int frame = 0; frame <= 3 * rates[r]; ++frame) {
            sn_mat4 worlds[2];
            motion_at(&m.b, frame / rates[r], worlds);
            step(&m, worlds, 0, 1 / rates[r]);
            if (frame % (int)(rates[r] / 6) == 0) {
                paths[r][frame / (int)(rates[r] / 6)] = row_of(&m, points, 0).particles[6];
            }
        }
        double worst = 0, swing = 0;
        for (int i = 0; i <= TIMES; ++i) {
            worst = fmax(worst, sn_vec3_distance(paths[r][i], paths[0][i]));
            swing = fmax(swing, fabs(paths[0][i].x));
        }
        assert_true(swing > 0.01);
        if (!(worst < 0.02 * 0.35)) {
            print_error("%g per second: %g of the length\n", rates[r], worst / 0.35);
        }
        assert_true(worst < 0.02 * 0.35);
        unbind(&m);
    }
    // Rates that no substep divides: the time that is left over is carried on.
    for (int r = 4; r < 6; ++r) {
        moving m;
        init(&m, context, 1);
        bind(&m);
        for (int frame = 0; frame <= 5 * rates[r]; ++frame) {
            sn_mat4 worlds[2];
            motion_at(&m.b, frame / rates[r], worlds);
            step(&m, worlds, 0, 1 / rates[r]);
            // Ends are always on the bones.
            sni_fibre_row now = row_of(&m, points, 0), rest = row_of(&m, relaxed, 0);
            assert_true(sn_vec3_distance(now.particles[0], rest.particles[0]) < 1e-12);
            assert_true(sn_vec3_distance(now.particles[11], rest.particles[11]) < 1e-12);
        }
        assert_true(away_from_rest(&m) < 0.005 * 0.35);
        unbind(&m);
    }
    snt_context_end(context);
}

// In a pose that does not change, what it begins with is where it stays.
static void it_begins_at_rest_in_any_pose(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {77};
    for (int round = 0; round < 20; ++round) {
        moving m;
        init(&m, context, 2);
        bones_set(&m.b, ops, "fibres", round % 2 ? 3 : 1);
        if (round % 3 == 0) {
            bones_add_pivot(&m.b, SNI_PIVOT_ALWAYS);
        }
        bind(&m);
        sn_mat4 worlds[2];
        bones_bend(&m.b, sn_vec3_make(snt_random_range(&random, -1.8, 1), 0.3, 0), worlds);
        for (int i = 0; i < 100; ++i) {
            step(&m, worlds, 0, 1.0 / 30);
            assert_true(away_from_rest(&m) < 1e-6);
        }
        // It moved far at once, all of it: it is carried along, swings and comes to rest.
        for (int k = 0; k < 2; ++k) {
            worlds[k].m[14] += 0.3;
        }
        step(&m, worlds, 0, 1.0 / 30);
        assert_true(away_from_rest(&m) > 0.01);
        for (int i = 0; i < 200; ++i) {
            step(&m, worlds, 0, 1.0 / 30);
        }
        assert_true(away_from_rest(&m) < 1e-3);
        unbind(&m);
    }
    snt_context_end(context);
}

static void violent_motion_stays_finite_and_ends(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {3};
    static const double stiffness[] = {0.1, 0.4, 0.7, 0.95};
    for (int k = 0; k < 4; ++k) {
        moving m;
        init(&m, context, 2);
        bones_set(&m.b, ops, "stiffness", stiffness[k]);
        bones_set(&m.b, ops, "fibres", k == 1 ? 3 : 1);
        bind(&m);
        sn_mat4 worlds[2] = {m.b.rest[0], m.b.rest[1]};
        int frames = k == 1 && snt_thorough() ? 10000 : 1000;
        for (int i = 0; i < frames; ++i) {
            if (i % 3 == 0) {
                sn_quat q = {bones_random(&random), bones_random(&random), bones_random(&random),
                             bones_random(&random)};
                sn_vec3 at = {bones_random(&random), bones_random(&random), bones_random(&random)};
                worlds[0] = bones_matrix(sn_quat_normalize(q), at);
                bones_bend(&m.b, sn_vec3_make(bones_random(&random), 0, 0), worlds + 0);
                sn_mat4 place = bones_matrix(sn_quat_normalize(q), at), turn = worlds[1];
                worlds[0] = sn_mat4_multiply(&place, &m.b.rest[0]);
                worlds[1] = sn_mat4_multiply(&place, &turn);
            }
            step(&m, worlds, snt_random_range(&random, 0, 1), 1.0 / 24);
        }
        for (int i = 0; i < 24 * 6; ++i) {
            step(&m, m.b.rest, 0, 1.0 / 24);
        }
        if (!(away_from_rest(&m) < 0.005 * 0.35)) {
            print_error("stiffness %g: %g\n", stiffness[k], away_from_rest(&m) / 0.35);
        }
        assert_true(away_from_rest(&m) < 0.005 * 0.35);
        unbind(&m);
    }
    snt_context_end(context);
}

// Tendons keep their length and the whole its volume, while flesh follows and swings.
static void tendons_and_volumes_are_kept(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    moving m;
    init(&m, context, 1);
    bind(&m);
    double first = 0, last = 0;
    for (int frame = 0; frame <= 90; ++frame) {
        sn_mat4 worlds[2];
        motion_at(&m.b, frame / 30.0, worlds);
        step(&m, worlds, 0, 1.0 / 30);
        sni_fibre_row row = row_of(&m, points, 0);
        double now[2] = {sn_vec3_distance(row.particles[0], row.particles[1]),
                         sn_vec3_distance(row.particles[10], row.particles[11])};
        first = frame == 0 ? now[0] : first;
        last = frame == 0 ? now[1] : last;
        snt_near(now[0] / first, 1, 0.005);
        snt_near(now[1] / last, 1, 0.005);
        sni_muscle_measure measure;
        ops->measure(m.b.bound, points, &measure);
        snt_near(measure.volume / measure.rest_volume, 1, 0.03);
    }
    snt_near(first, sqrt(0.35 * 0.35 + 0.01 * 0.01) / 11, 1e-12);
    unbind(&m);
    snt_context_end(context);
}

// Both ends on one bone: it is carried, and still swings.
static void a_muscle_on_one_bone_swings(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    moving m;
    init(&m, context, 1);
    m.b.insertions[0].segment = 0;
    bind(&m);
    double swing = 0;
    for (int frame = 0; frame < 300; ++frame) {
        sn_mat4 worlds[2] = {m.b.rest[0], m.b.rest[1]};
        worlds[0].m[14] = frame < 60 ? 0.05 * sin(frame * 0.6) : 0;
        step(&m, worlds, 0, 1.0 / 30);
        swing = fmax(swing, away_from_rest(&m));
    }
    assert_true(swing > 0.005 && swing < 0.1);
    assert_true(away_from_rest(&m) < 1e-4);
    unbind(&m);
    snt_context_end(context);
}

// The number of particles is how finely a fibre is computed, not how soft it is.
static void swings_are_alike_for_any_number_of_particles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double swings[4] = {0};
    static const double particles[] = {12, 20, 30, 60};
    for (int k = 0; k < 4; ++k) {
        moving m;
        init(&m, context, 1);
        bones_set(&m.b, ops, "particles", particles[k]);
        bind(&m);
        for (int frame = 0; frame < 120; ++frame) {
            sn_mat4 worlds[2];
            motion_at(&m.b, frame / 60.0, worlds);
            step(&m, worlds, 0, 1.0 / 60);
            swings[k] = fmax(swings[k], away_from_rest(&m));
        }
        if (!(fabs(swings[k] - swings[0]) < 0.15 * swings[0])) {
            print_error("%g particles: %g, 12 particles: %g\n", particles[k], swings[k], swings[0]);
        }
        assert_true(fabs(swings[k] - swings[0]) < 0.15 * swings[0]);
        unbind(&m);
    }
    snt_context_end(context);
}

// How often the middle of the muscle crosses its place at rest in a second and a half after a jump,
// and how far it was from there.
static int swings_after_a_jump(sn_context *context, double stiffness, double inertia,
                               double damping, double *most) {
    moving m;
    init(&m, context, 1);
    bones_set(&m.b, ops, "stiffness", stiffness);
    bones_set(&m.b, ops, "inertia", inertia);
    bones_set(&m.b, ops, "damping", damping);
    bind(&m);
    step(&m, m.b.rest, 0, 0);
    step(&m, m.b.rest, 0, 1.0 / 60); // it is still, or would go along with what comes
    sn_mat4 worlds[2] = {m.b.rest[0], m.b.rest[1]};
    for (int i = 0; i < 2; ++i) {
        worlds[i].m[14] += 0.05;
    }
    int crossings = 0;
    double before = 0;
    *most = 0;
    for (int frame = 0; frame < 90; ++frame) {
        step(&m, worlds, 0, 1.0 / 60);
        double now = row_of(&m, points, 0).particles[6].z - row_of(&m, relaxed, 0).particles[6].z;
        crossings += now * before < 0;
        before = now;
        *most = frame > 0 ? fmax(*most, fabs(now)) : 0;
    }
    unbind(&m);
    return crossings;
}

// A clip may begin at full speed: muscles of a body that moves evenly from the first frame on stay
// where they are on it.
static void an_even_motion_swings_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    moving m;
    init(&m, context, 1);
    bind(&m);
    step(&m, m.b.rest, 0, 0);
    for (int frame = 1; frame <= 60; ++frame) {
        sn_mat4 worlds[2] = {m.b.rest[0], m.b.rest[1]};
        for (int i = 0; i < 2; ++i) {
            worlds[i].m[14] += 3.0 * frame / 30; // metres, at 3 m/s
        }
        step(&m, worlds, 0, 1.0 / 30);
        assert_true(away_from_rest(&m) < 1e-9);
    }
    unbind(&m);
    snt_context_end(context);
}

static void parameters_of_the_motion_matter(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double soft, tense, heavy, light, damped;
    int slow = swings_after_a_jump(context, 0.1, 0.25, 1, &soft);
    int fast = swings_after_a_jump(context, 0.7, 0.25, 1, &tense);
    assert_true(slow >= 2 && fast > 1.5 * slow);
    swings_after_a_jump(context, 0.4, 1, 6.32, &heavy);
    swings_after_a_jump(context, 0.4, 0, 6.32, &light);
    swings_after_a_jump(context, 0.4, 1, 60, &damped);
    assert_true(heavy > 0.03 && light < 1e-12 && damped < heavy);
    snt_context_end(context);
}

// A stiffness that is driven is as good as one that is bound.
static void driven_stiffness_reaches_the_chain(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static sn_vec3 paths[3][30];
    for (int k = 0; k < 3; ++k) { // bound as 0.2, driven to 0.2, bound as 0.6
        double now[BONES_PARAMETERS];
        moving m;
        init(&m, context, 1);
        bones_set(&m.b, ops, "stiffness", k == 0 ? 0.2 : 0.6);
        bind(&m);
        memcpy(now, m.b.parameters, sizeof now);
        now[SNI_FIBRE_STIFFNESS] = 0.2;
        m.parameters = k == 1 ? now : NULL;
        for (int frame = 0; frame < 30; ++frame) {
            sn_mat4 worlds[2];
            motion_at(&m.b, frame / 30.0, worlds);
            step(&m, worlds, 0, 1.0 / 30);
            paths[k][frame] = row_of(&m, points, 0).particles[5];
        }
        unbind(&m);
    }
    assert_memory_equal(paths[0], paths[1], sizeof paths[0]);
    assert_true(sn_vec3_distance(paths[0][20], paths[2][20]) > 1e-4);
    snt_context_end(context);
}

// Ends closer than its tendons are long, then far apart, then at rest again.
static void squeezed_and_torn_muscles_recover(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int k = 0; k < 3; ++k) {
        moving m;
        init(&m, context, 1);
        if (k == 1) {
            bones_add_pivot(&m.b, SNI_PIVOT_ALWAYS);
        }
        bones_set(&m.b, ops, "tendon", k == 2 ? 0.45 : 0.1);
        bind(&m);
        static const double places[] = {0.7, 1.04, 1.0501, 1.5, -3, 0.7};
        for (int place = 0; place < 6; ++place) {
            sn_mat4 worlds[2] = {m.b.rest[0], m.b.rest[1]};
            worlds[1].m[13] = places[place];
            for (int frame = 0; frame < (place == 5 ? 200 : 60); ++frame) {
                step(&m, worlds, 0, 1.0 / 30);
            }
        }
        assert_true(away_from_rest(&m) < 0.005 * 0.35);
        unbind(&m);
    }
    snt_context_end(context);
}

static void activation_is_smoothed_alike_at_all_rates(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double reached[3];
    static const int rates[] = {24, 60, 120};
    for (int r = 0; r < 3; ++r) {
        moving m;
        init(&m, context, 1);
        bones_set(&m.b, ops, "smoothing", 0.2);
        bind(&m);
        // From 0 to 1 in half a second.
        double before = 0;
        for (int frame = 0; frame <= rates[r] / 2; ++frame) {
            step(&m, m.b.rest, 2.0 * frame / rates[r], 1.0 / rates[r]);
            double now = row_of(&m, points, 0).section[1];
            assert_true(now >= before && now - before < 2.1 / rates[r]);
            before = now;
        }
        reached[r] = before;
        unbind(&m);
    }
    snt_near(reached[1], reached[0], 1e-12);
    snt_near(reached[2], reached[0], 1e-12);
    snt_near(reached[0], 1 - 0.4 + 0.4 * exp(-2.5), 1e-12);
    snt_context_end(context);
}

// Static ones remember nothing; a long pause begins anew.
static void memory_is_only_what_is_needed(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    moving m;
    init(&m, context, 1);
    bones_set(&m.b, ops, "motion", SNI_FIBRE_STATIC);
    bind(&m);
    assert_int_equal(m.bytes, 0);
    sn_mat4 worlds[2];
    motion_at(&m.b, 0.4, worlds);
    step(&m, worlds, 0.5, 1.0 / 30);
    assert_true(away_from_rest(&m) == 0);
    unbind(&m);
    init(&m, context, 1);
    bind(&m);
    step(&m, m.b.rest, 0, 0);
    step(&m, worlds, 0, 20);
    assert_true(away_from_rest(&m) < 1e-12);
    // The memory is all that the next frame depends on.
    static double again[3 * BONES_MOST];
    void *copy = malloc(m.bytes);
    assert_non_null(copy);
    memcpy(copy, m.memory, m.bytes);
    step(&m, m.b.rest, 0.3, 1.0 / 24);
    memcpy(again, points, 3 * m.b.surface.point_count * sizeof *points);
    step(&m, worlds, 1, 1.0 / 24);
    memcpy(m.memory, copy, m.bytes);
    step(&m, m.b.rest, 0.3, 1.0 / 24);
    assert_memory_equal(again, points, 3 * m.b.surface.point_count * sizeof *points);
    free(copy);
    unbind(&m);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_rates_make_no_difference),
        cmocka_unit_test(it_begins_at_rest_in_any_pose),
        cmocka_unit_test(violent_motion_stays_finite_and_ends),
        cmocka_unit_test(tendons_and_volumes_are_kept),
        cmocka_unit_test(a_muscle_on_one_bone_swings),
        cmocka_unit_test(swings_are_alike_for_any_number_of_particles),
        cmocka_unit_test(an_even_motion_swings_nothing),
        cmocka_unit_test(parameters_of_the_motion_matter),
        cmocka_unit_test(driven_stiffness_reaches_the_chain),
        cmocka_unit_test(squeezed_and_torn_muscles_recover),
        cmocka_unit_test(activation_is_smoothed_alike_at_all_rates),
        cmocka_unit_test(memory_is_only_what_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
