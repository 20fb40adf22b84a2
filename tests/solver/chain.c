// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "solver/chain.h"

enum { MOST = 64 };

typedef struct body {
    double inverse_masses[MOST], parts[MOST], rest_lengths[MOST], compliances[MOST];
    sn_vec3 positions[MOST], velocities[MOST], before[MOST];
    double scratch[SNI_CHAIN_SCRATCH * MOST];
    sni_chain chain;
} body;

// A straight chain of `links` links along x with all particles of one mass.
static void lay(body *b, uint32_t links, double length, double mass) {
    *b = (body){0};
    for (uint32_t i = 0; i <= links; ++i) {
        b->parts[i] = (double)i / links;
        b->positions[i] = sn_vec3_make(length * i / links, 0, 0);
        b->inverse_masses[i] = i == 0 || i == links ? 0 : 1 / mass;
        b->rest_lengths[i] = length / links;
    }
    b->chain = (sni_chain){links + 1,      b->inverse_masses, b->parts, b->rest_lengths,
                           b->compliances, 1.0 / 600,         0,        1,
                           {0, 0, 0}};
}

static void step(body *b, sn_vec3 first, sn_vec3 last) {
    sni_chain_ends ends = {first, last};
    sni_chain_predict(&b->chain, &ends, b->positions, b->velocities, b->before);
    sni_chain_solve(&b->chain, b->positions, b->scratch);
    sni_chain_finish(&b->chain, b->positions, b->before, b->velocities);
}

static void stay(body *b, int steps) {
    for (int i = 0; i < steps; ++i) {
        step(b, b->positions[0], b->positions[b->chain.particle_count - 1]);
    }
}

static double link_length(const body *b, int i) {
    return sn_vec3_distance(b->positions[i], b->positions[i + 1]);
}

static void one_link_moves_by_the_published_amount(void **state) {
    (void)state;
    body b;
    lay(&b, 2, 1, 0.01);
    // The free particle 0.1 m too far from the first end; the second link weighs nothing.
    b.positions[1] = sn_vec3_make(0.6, 0, 0);
    b.positions[2] = sn_vec3_make(0.6, 1, 0);
    b.rest_lengths[1] = 1;
    b.compliances[0] = 1e-4;
    b.compliances[1] = 1e30;
    b.chain.step = 1.0 / 60;
    sni_chain_solve(&b.chain, b.positions, b.scratch);
    snt_near(0.6 - b.positions[1].x, 0.0996412913511, 1e-12);
}

static void stiffness_becomes_compliance(void **state) {
    (void)state;
    // Two particles of 0.02 kg each have together the inverse mass of one of 0.01 kg.
    snt_near(sni_chain_compliance(0.1, 0.02), 0.25, 1e-12);
    snt_near(sni_chain_compliance(0.6, 0.02), 0.01851851852, 1e-11);
    snt_near(sni_chain_compliance(0.7, 0.02), 0.0119047619, 1e-10);
    assert_true(sni_chain_compliance(1, 0.02) == 0);
    snt_near(SNI_CHAIN_DAMPING, -60 * log(0.9), 1e-12);
}

// Flesh that wants to be short between two tendons: with equal stiffness tendons are stretched by
// 78 %, with stiff ones nothing moves. For any number of steps.
static void tendons_must_be_stiff(void **state) {
    (void)state;
    static const int substeps[3] = {1, 4, 10};
    for (int stiff = 0; stiff < 2; ++stiff) {
        for (int i = 0; i < 3; ++i) {
            body b;
            lay(&b, 10, 1, 0.01);
            for (int k = 0; k < 10; ++k) {
                bool tendon = k == 0 || k == 9;
                b.rest_lengths[k] = tendon ? 0.1 : 0.002;
                b.compliances[k] = tendon && stiff ? 0 : 0.001;
            }
            b.chain.damping = SNI_CHAIN_DAMPING;
            b.chain.step = 1.0 / 60 / substeps[i];
            stay(&b, 600 * substeps[i]);
            snt_near(link_length(&b, 0), stiff ? 0.1 : 0.1784, 1e-6);
            snt_near(link_length(&b, 4), stiff ? 0.1 : 0.0804, 1e-6);
            snt_near(sni_chain_tendon_miss(&b.chain, b.positions), 0, stiff ? 1e-9 : 1);
        }
    }
}

static void chains_sag_as_computed(void **state) {
    (void)state;
    static const double rows[3][2] = {{.02, -0.0739}, {.07, -0.2339}, {.25, -0.6884}};
    for (int i = 0; i < 3; ++i) {
        for (int rate = 0; rate < 2; ++rate) {
            body b;
            lay(&b, 30, 1, 1.0 / 300);
            for (int k = 0; k < 30; ++k) {
                bool tendon = k < 3 || k >= 27;
                b.rest_lengths[k] = tendon ? 1.0 / 30 : 0.02 / 30;
                b.compliances[k] = tendon ? 0 : rows[i][0];
            }
            b.chain.damping = SNI_CHAIN_DAMPING;
            b.chain.gravity = sn_vec3_make(0, -9.81, 0);
            b.chain.step = 1.0 / 60 / (rate == 0 ? 5 : 10);
            stay(&b, 600 * (rate == 0 ? 5 : 10));
            snt_near(b.positions[15].y, rows[i][1], 1.5e-4);
            assert_true(sni_chain_tendon_miss(&b.chain, b.positions) < 1e-3);
        }
    }
}

// Depth a m g for every step.
static void a_weight_hangs_at_its_depth(void **state) {
    (void)state;
    for (int rate = 1; rate <= 4; rate *= 2) {
        body b;
        lay(&b, 2, 2, 0.01);
        b.positions[1] = b.positions[0];
        b.rest_lengths[0] = 0;
        b.rest_lengths[1] = 2;
        b.compliances[0] = 0.01;
        b.compliances[1] = 1e30;
        b.chain.gravity = sn_vec3_make(0, -9.81, 0);
        b.chain.damping = SNI_CHAIN_DAMPING;
        b.chain.step = 1.0 / 60 / rate;
        stay(&b, 2000 * rate);
        snt_near(b.positions[1].y, -9.81e-4, 1e-9);
    }
}

static void oscillations_lose_what_backward_euler_takes(void **state) {
    (void)state;
    static const double rows[4][2] = {
        {10, 0.0164103}, {20, 0.125414}, {40, 0.353185}, {80, 0.594092}};
    for (int i = 0; i < 4; ++i) {
        body b;
        lay(&b, 2, 2, 0.01); // omega = 1 / sqrt(a m) = 100 / s
        b.compliances[0] = 0.01;
        b.compliances[1] = 1e30;
        b.rest_lengths[0] = 0;
        b.positions[1] = sn_vec3_make(1, 0, 0);
        b.chain.step = 1.0 / 60 / rows[i][0];
        int steps = (int)lround(0.5 / b.chain.step);
        stay(&b, steps);
        // The amplitude from position and velocity; both lose alike.
        double x = b.positions[1].x, v = b.velocities[1].x / 100;
        double wh = 100 * b.chain.step;
        double expected = pow(1 + wh * wh, -0.5 * steps);
        snt_near(expected, rows[i][1], 2e-6);
        snt_near(hypot(x, v), expected, 0.02 * expected + 1e-9);
    }
}

// The same shake and flexion at four frame rates, the ends moving straight from frame to frame. The
// step has a fixed length.
static double largest_difference(double fps, bool shake) {
    body b, reference;
    lay(&b, 11, 0.25, 0.03);
    double stiffness = sni_chain_compliance(0.4, 0.03);
    for (int k = 0; k < 11; ++k) {
        bool tendon = k == 0 || k == 10;
        b.rest_lengths[k] *= tendon ? 1 : 0.02;
        b.compliances[k] = tendon ? 0 : stiffness;
    }
    b.chain.damping = SNI_CHAIN_DAMPING;
    b.chain.inertia = 0.25;
    reference = b;
    reference.chain = b.chain;
    reference.chain.inverse_masses = reference.inverse_masses;
    reference.chain.parts = reference.parts;
    reference.chain.rest_lengths = reference.rest_lengths;
    reference.chain.compliances = reference.compliances;
    reference.chain.step = 1.0 / 4800;
    double worst = 0;
    for (int frame = 1; frame <= (int)fps; ++frame) { // one second
        for (int side = 0; side < 2; ++side) {
            body *moved = side == 0 ? &b : &reference;
            int steps = side == 0 ? (int)ceil(600 / fps - 1e-9) : (int)lround(4800 / fps);
            moved->chain.step = 1 / fps / steps;
            for (int i = 1; i <= steps; ++i) {
                // The reference sees the motion itself, the other the lines between its frames.
                double t = (frame - 1 + (double)i / steps) / fps;
                double t0 = (frame - 1) / fps, t1 = frame / fps;
                double places[3] = {t, t0, t1}, y[3], turn[3];
                for (int k = 0; k < 3; ++k) {
                    y[k] = shake ? 0.05 * sin(2 * SN_PI * 3 * places[k]) : 0;
                    turn[k] = shake ? 0 : SN_PI / 2 * fmin(1, 2 * places[k]);
                }
                double u = (double)i / steps;
                double y_now = side == 1 ? y[0] : y[1] + u * (y[2] - y[1]);
                double turn_now = side == 1 ? turn[0] : turn[1] + u * (turn[2] - turn[1]);
                sn_vec3 first = {0, y_now, 0};
                sn_vec3 last = {0.15 + 0.1 * cos(turn_now), y_now + 0.1 * sin(turn_now), 0};
                step(moved, first, last);
            }
        }
        for (int i = 0; i < 12; ++i) {
            worst = fmax(worst, sn_vec3_distance(b.positions[i], reference.positions[i]));
        }
    }
    return worst / 0.25;
}

static void the_frame_rate_does_not_show(void **state) {
    (void)state;
    static const double rates[4] = {24, 30, 60, 120};
    for (int i = 0; i < 4; ++i) {
        assert_true(largest_difference(rates[i], false) < 0.006);
        assert_true(largest_difference(rates[i], true) < 0.04);
    }
}

// Ends thrown about within a metre: everything stays finite, and returns to rest.
static void violent_motion_stays_finite_and_settles(void **state) {
    (void)state;
    snt_random random = {99};
    static const double stiffness[3] = {.1, .4, .7};
    for (int i = 0; i < 3; ++i) {
        body b;
        lay(&b, 29, 0.25, 0.01);
        for (int k = 0; k < 29; ++k) {
            bool tendon = k < 3 || k >= 26;
            b.rest_lengths[k] *= tendon ? 1 : 0.02;
            b.compliances[k] = tendon ? 0 : sni_chain_compliance(stiffness[i], 0.01);
        }
        b.chain.damping = SNI_CHAIN_DAMPING;
        b.chain.inertia = 0.25;
        double farthest = 0, missed = 0;
        for (int move = 0; move < 200; ++move) {
            sn_vec3 first = {snt_random_range(&random, 0, 1), snt_random_range(&random, 0, 1),
                             snt_random_range(&random, 0, 1)};
            sn_vec3 last = first;
            last.x += snt_random_range(&random, 0.175, 0.325);
            sn_vec3 from = b.positions[0], last_from = b.positions[29];
            for (int k = 1; k <= 60; ++k) { // a jump in a 60th of a second, and 0.08 s to follow it
                double u = fmin(1, k / 10.0);
                step(&b, sn_vec3_lerp(from, first, u), sn_vec3_lerp(last_from, last, u));
            }
            for (int k = 0; k < 30; ++k) {
                assert_true(sn_vec3_is_finite(b.positions[k]));
                missed = fmax(missed, sni_chain_tendon_miss(&b.chain, b.positions));
                farthest = fmax(farthest, sn_vec3_distance(b.positions[k], first));
            }
        }
        assert_true(farthest < 1 && missed < 0.01);
        sn_vec3 first = {0, 0, 0}, last = {0.25, 0, 0};
        for (int k = 0; k < 6000; ++k) {
            step(&b, first, last);
        }
        for (int k = 0; k < 30; ++k) {
            snt_near(b.positions[k].x, 0.25 * k / 29, 0.005 * 0.25);
            snt_near(b.positions[k].y, 0, 0.005 * 0.25);
        }
    }
}

static void friction_slows_and_never_reverses(void **state) {
    (void)state;
    sn_vec3 normal = {0, 1, 0}, still = {0, 0, 0}, before = {0, 0, 0};
    sn_vec3 small = sni_friction(sn_vec3_make(0.001, 0.01, 0), before, still, normal, 0.01, .2, .1);
    snt_near(small.x, 0, 1e-15);
    snt_near(small.y, 0.01, 1e-15);
    sn_vec3 large = sni_friction(sn_vec3_make(0.1, 0.01, 0), before, still, normal, 0.01, .2, .1);
    snt_near(large.x, 0.099, 1e-15);
    sn_vec3 carried = {0.05, 0, 0}; // a surface that slides takes the particle along
    sn_vec3 on_it = sni_friction(sn_vec3_make(0.049, 0, 0), before, carried, normal, .01, .2, .1);
    snt_near(on_it.x, 0.05, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_link_moves_by_the_published_amount),
        cmocka_unit_test(stiffness_becomes_compliance),
        cmocka_unit_test(tendons_must_be_stiff),
        cmocka_unit_test(chains_sag_as_computed),
        cmocka_unit_test(a_weight_hangs_at_its_depth),
        cmocka_unit_test(oscillations_lose_what_backward_euler_takes),
        cmocka_unit_test(the_frame_rate_does_not_show),
        cmocka_unit_test(violent_motion_stays_finite_and_settles),
        cmocka_unit_test(friction_slows_and_never_reverses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
