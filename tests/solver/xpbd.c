// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "solver/xpbd.h"

#include <math.h>
#include <stdlib.h>

// A solver with its state.
typedef struct world {
    sn_context *context;
    sni_arena arena;
    sni_xpbd *solver;
    sni_xpbd_scratch scratch;
    uint32_t count;
    double *positions, *velocities;
} world;

static world make(sn_context *context, const sni_xpbd_desc *desc) {
    world w = {.context = context, .count = desc->particle_count};
    sni_arena_init(&w.arena, context);
    snt_ok(sni_xpbd_create(context, desc, &w.solver, error));
    assert_true(sni_xpbd_scratch_init(w.solver, &w.arena, &w.scratch));
    w.positions = sni_alloc_zero(context, 3 * (size_t)w.count, sizeof(double));
    w.velocities = sni_alloc_zero(context, 3 * (size_t)w.count, sizeof(double));
    return w;
}

static void end(world *w) {
    sni_xpbd_destroy(w->solver);
    sni_arena_deinit(&w->arena);
    sni_free(w->context, w->positions);
    sni_free(w->context, w->velocities);
}

static void steps(world *w, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        sni_xpbd_step(w->solver, &w->scratch, w->positions, w->velocities, NULL);
    }
}

static sn_vec3 point(const double *points, uint32_t i) {
    return sn_vec3_make(points[3 * (size_t)i], points[3 * (size_t)i + 1],
                        points[3 * (size_t)i + 2]);
}

static sni_constraint distance(uint32_t a, uint32_t b, double rest, double compliance) {
    return (sni_constraint){.count = 2,
                            .particles = {a, b},
                            .factors = {1, -1},
                            .rest = rest,
                            .compliance = compliance};
}

// x = v t - g t^2 / 2, up to the g h t / 2 of a method of first order, which is known exactly.
static void a_free_particle_falls_on_the_parabola(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int rate = 150; rate <= 2400; rate *= 4) {
        const double mass = 3;
        sni_xpbd_desc desc = {.particle_count = 1,
                              .inverse_masses = &(double){1 / mass},
                              .step = 1.0 / rate,
                              .gravity = {0.5, -9.81, 0}};
        world w = make(context, &desc);
        w.velocities[0] = 2;
        w.velocities[2] = -1;
        steps(&w, 2 * (uint32_t)rate);
        double t = 2, late = t * desc.step / 2;
        snt_near(w.positions[0], 2 * t + 0.5 * (t * t / 2 + late), 1e-8);
        snt_near(w.positions[1], -9.81 * (t * t / 2 + late), 1e-8);
        snt_near(w.positions[2], -t, 1e-8);
        snt_near(w.velocities[1], -9.81 * t, 1e-9);
        end(&w);
    }
    snt_context_end(context);
}

static void damping_does_not_depend_on_the_step(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int rate = 60; rate <= 960; rate *= 2) {
        sni_xpbd_desc desc = {.particle_count = 1,
                              .inverse_masses = &(double){1},
                              .step = 1.0 / rate,
                              .damping = 1.5};
        world w = make(context, &desc);
        w.velocities[0] = 4;
        steps(&w, (uint32_t)rate);
        snt_near(w.velocities[0], 4 * exp(-1.5), 1e-11);
        end(&w);
    }
    snt_context_end(context);
}

// Values of one correction, of a weight on a spring, and of a decaying oscillation: the tables of
// XPBD as backward Euler.
static void one_correction_is_that_of_the_paper(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double inverse[2] = {100, 0};
    const sni_constraint spring = distance(0, 1, 0, 1e-4);
    sni_xpbd_desc desc = {.particle_count = 2,
                          .inverse_masses = inverse,
                          .constraint_count = 1,
                          .constraints = &spring,
                          .step = 1.0 / 60};
    world w = make(context, &desc);
    w.positions[0] = 0.1;
    steps(&w, 1);
    snt_near(0.1 - w.positions[0], 0.0996412913511, 1e-12);
    end(&w);
    snt_context_end(context);
}

static void a_weight_hangs_at_its_compliance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int rate = 60; rate <= 1920; rate *= 4) {
        const double inverse[2] = {100, 0};
        const sni_constraint spring = distance(0, 1, 0, 0.01);
        sni_xpbd_desc desc = {.particle_count = 2,
                              .inverse_masses = inverse,
                              .constraint_count = 1,
                              .constraints = &spring,
                              .step = 1.0 / rate,
                              .damping = 5,
                              .gravity = {0, -9.81, 0}};
        world w = make(context, &desc);
        steps(&w, 20 * (uint32_t)rate);
        snt_near(w.positions[1], -9.81e-4, 1e-9); // compliance times weight, at any step
        end(&w);
    }
    snt_context_end(context);
}

static void an_oscillation_decays_as_known(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double expected[] = {0.0164103, 0.125414, 0.353185, 0.594092};
    const double inverse[2] = {100, 0};
    const sni_constraint spring = distance(0, 1, 0, 0.01); // 100 per second
    for (int i = 0; i < 4; ++i) {
        int rate = 600 << i;
        sni_xpbd_desc desc = {.particle_count = 2,
                              .inverse_masses = inverse,
                              .constraint_count = 1,
                              .constraints = &spring,
                              .step = 1.0 / rate};
        world w = make(context, &desc);
        w.positions[0] = 0.01;
        steps(&w, (uint32_t)rate / 2);
        double amplitude = hypot(w.positions[0], w.velocities[0] / 100);
        snt_near(amplitude / 0.01, expected[i], 0.1 * expected[i]);
        end(&w);
    }
    snt_context_end(context);
}

enum { CHAIN = 12 };

// How far a chain of springs hangs from where it should: spring k carries what is below it.
static double hanging_error(sn_context *context, double rate) {
    const double mass = 0.02, link = 0.1, compliance = 0.05, g = 9.81;
    double inverse[CHAIN + 1] = {0};
    sni_constraint links[CHAIN];
    for (uint32_t i = 0; i < CHAIN; ++i) {
        inverse[i + 1] = 1 / mass;
        links[i] = distance(i, i + 1, link, compliance);
    }
    sni_xpbd_desc desc = {.particle_count = CHAIN + 1,
                          .inverse_masses = inverse,
                          .constraint_count = CHAIN,
                          .constraints = links,
                          .step = 1 / rate,
                          .damping = 4,
                          .gravity = {0, -g, 0}};
    world w = make(context, &desc);
    for (uint32_t i = 0; i <= CHAIN; ++i) {
        w.positions[3 * i] = link * i; // lets go of it sideways
    }
    steps(&w, (uint32_t)(20 * rate));
    double y = 0, worst = 0;
    for (uint32_t i = 0; i < CHAIN; ++i) {
        y -= link + compliance * mass * g * (CHAIN - i);
        snt_near(w.positions[3 * (i + 1)], 0, 1e-4);
        worst = fmax(worst, fabs(w.positions[3 * (i + 1) + 1] - y));
    }
    end(&w);
    return worst;
}

// One pass over the constraints leaves an error, which falls with the square of the step: small
// steps are worth more than many passes.
static void a_chain_hangs_at_its_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double coarse = hanging_error(context, 600), fine = hanging_error(context, 1200);
    assert_true(coarse < 2e-3); // of 1.97 m, half of it stretch
    assert_true(fine < 0.27 * coarse);
    snt_context_end(context);
}

// A cloud of particles with random springs and hinges, thrown about.
typedef struct cloud {
    double inverse[40];
    sni_constraint constraints[120];
    sni_xpbd_desc desc;
} cloud;

static void fill_cloud(cloud *c, uint64_t seed) {
    snt_random random = {seed};
    for (uint32_t i = 0; i < 40; ++i) {
        c->inverse[i] = 1 / snt_random_range(&random, 0.01, 0.1);
    }
    for (uint32_t i = 0; i < 120; ++i) {
        uint32_t a = snt_random_u32(&random) % 40;
        double f = snt_random_range(&random, -1, 1), g = snt_random_range(&random, -1, 1);
        c->constraints[i] =
            (sni_constraint){.count = i % 3 == 0 ? 4 : 2,
                             .particles = {a, (a + 1 + i % 11) % 40, (a + 13) % 40, (a + 17) % 40},
                             .factors = {1, -1},
                             .rest = snt_random_range(&random, 0.1, 0.5),
                             .compliance = i % 2 == 0 ? 0 : snt_random_range(&random, 1e-4, 1e-2)};
        if (c->constraints[i].count == 4) {
            const double factors[4] = {f, g, -0.3 * f - g, -0.7 * f};
            memcpy(c->constraints[i].factors, factors, sizeof factors);
        }
    }
    c->desc = (sni_xpbd_desc){.particle_count = 40,
                              .inverse_masses = c->inverse,
                              .constraint_count = 120,
                              .constraints = c->constraints,
                              .step = 1.0 / 600};
}

static void scatter(world *w, uint64_t seed) {
    snt_random random = {seed};
    for (uint32_t i = 0; i < 3 * w->count; ++i) {
        w->positions[i] = snt_random_range(&random, -0.3, 0.3);
        w->velocities[i] = snt_random_range(&random, -1, 1);
    }
}

static void momentum_is_kept(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    cloud c;
    fill_cloud(&c, 11);
    world w = make(context, &c.desc);
    scatter(&w, 5);
    sn_vec3 first = {0, 0, 0};
    for (uint32_t round = 0; round < 200; ++round) {
        sn_vec3 momentum = {0, 0, 0};
        for (uint32_t i = 0; i < 40; ++i) {
            momentum = sn_vec3_add_scaled(momentum, 1 / c.inverse[i], point(w.velocities, i));
        }
        first = round == 0 ? momentum : first;
        snt_near(sn_vec3_distance(momentum, first), 0, 1e-9);
        steps(&w, 10);
    }
    end(&w);
    snt_context_end(context);
}

// A rod that turns w per second loses the share w^2 h of its spin in a second.
static void spin_is_almost_kept(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sni_constraint rod = distance(0, 1, 2, 0);
    sni_xpbd_desc desc = {.particle_count = 2,
                          .inverse_masses = (const double[2]){1, 1},
                          .constraint_count = 1,
                          .constraints = &rod,
                          .step = 1.0 / 600};
    world w = make(context, &desc);
    w.positions[0] = -1;
    w.positions[3] = 1;
    w.velocities[1] = -5;
    w.velocities[4] = 5;
    steps(&w, 600);
    snt_near(sn_vec3_length(point(w.velocities, 0)), 5 * exp(-25.0 / 600), 2e-2);
    snt_near(sn_vec3_distance(point(w.positions, 0), point(w.positions, 1)), 2, 1e-4);
    end(&w);
    snt_context_end(context);
}

// Without forces nothing gets faster: energy, springs included, only falls.
static void energy_does_not_grow(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { N = 20 };
    double inverse[N];
    sni_constraint ring[N];
    for (uint32_t i = 0; i < N; ++i) {
        inverse[i] = 10;
        ring[i] = distance(i, (i + 1) % N, 0.1, 1e-3);
    }
    sni_xpbd_desc desc = {.particle_count = N,
                          .inverse_masses = inverse,
                          .constraint_count = N,
                          .constraints = ring,
                          .step = 1.0 / 600};
    world w = make(context, &desc);
    scatter(&w, 3);
    double last = INFINITY;
    for (uint32_t round = 0; round < 600; ++round) {
        double energy = 0;
        for (uint32_t i = 0; i < N; ++i) {
            sn_vec3 v = point(w.velocities, i);
            double stretch =
                sn_vec3_distance(point(w.positions, i), point(w.positions, (i + 1) % N)) - 0.1;
            energy += sn_vec3_dot(v, v) / (2 * inverse[i]) + stretch * stretch / (2 * 1e-3);
        }
        assert_true(energy <= last * (1 + 1e-3));
        last = energy;
        steps(&w, 4);
    }
    end(&w);
    snt_context_end(context);
}

static void turning_everything_turns_the_motion(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    cloud c;
    fill_cloud(&c, 4);
    sn_transform t = {
        {3, -2, 1}, sn_quat_from_euler(sn_vec3_make(0.7, -1.1, 2.3), SN_ROTATION_XYZ), {1, 1, 1}};
    sn_mat4 matrix = sn_mat4_from_transform(&t);
    c.desc.gravity = sn_vec3_make(0, -9.81, 0);
    world a = make(context, &c.desc);
    c.desc.gravity = sn_quat_rotate(t.rotation, c.desc.gravity);
    world b = make(context, &c.desc);
    scatter(&a, 8);
    for (uint32_t i = 0; i < 40; ++i) {
        sn_vec3 p = sn_mat4_point(&matrix, point(a.positions, i));
        sn_vec3 v = sn_quat_rotate(t.rotation, point(a.velocities, i));
        memcpy(b.positions + 3 * i, (double[3]){p.x, p.y, p.z}, 24);
        memcpy(b.velocities + 3 * i, (double[3]){v.x, v.y, v.z}, 24);
    }
    steps(&a, 50); // before rounding, which such a knot doubles again and again, can show
    steps(&b, 50);
    for (uint32_t i = 0; i < 40; ++i) {
        sn_vec3 expected = sn_mat4_point(&matrix, point(a.positions, i));
        snt_near(sn_vec3_distance(expected, point(b.positions, i)), 0, 1e-8);
    }
    end(&a);
    end(&b);
    snt_context_end(context);
}

static void fixed_particles_stay(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double inverse[3] = {0, 0, 1};
    const sni_constraint links[2] = {distance(0, 1, 5, 0), distance(1, 2, 0, 0)};
    sni_xpbd_desc desc = {.particle_count = 3,
                          .inverse_masses = inverse,
                          .constraint_count = 2,
                          .constraints = links,
                          .step = 0.01,
                          .gravity = {0, -9.81, 0}};
    world w = make(context, &desc);
    w.positions[3] = 1;
    steps(&w, 100);
    assert_true(w.positions[0] == 0 && w.positions[1] == 0 && w.positions[3] == 1);
    for (int i = 0; i < 9; ++i) {
        assert_true(isfinite(w.positions[i]) && isfinite(w.velocities[i]));
    }
    end(&w);
    snt_context_end(context);
}

// Everything at one point, rigid and overstrained, for steps of seconds: no number gets lost.
static void nothing_blows_up(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double lengths[] = {1.0 / 600, 1, 100};
    for (int k = 0; k < 3; ++k) {
        cloud c;
        fill_cloud(&c, 6);
        c.desc.step = lengths[k];
        c.desc.gravity = sn_vec3_make(0, -9.81, 0);
        world w = make(context, &c.desc);
        steps(&w, 300);
        scatter(&w, 1);
        steps(&w, 300);
        for (uint32_t i = 0; i < 120; ++i) {
            assert_true(isfinite(w.positions[i]) && isfinite(w.velocities[i]));
        }
        for (uint32_t i = 0; i < 40 && k == 0; ++i) {
            assert_true(sn_vec3_length(point(w.velocities, i)) < 60);
        }
        end(&w);
    }
    snt_context_end(context);
}

static void threads_do_not_show(void **state) {
    (void)state;
    enum { SIDE = 70, N = SIDE * SIDE };
    static const uint32_t threads[] = {1, 2, 3, 8, 32};
    double *expected = NULL;
    for (int k = 0; k < 5; ++k) {
        sn_context *context = snt_context(threads[k]);
        double *inverse = malloc(N * sizeof *inverse);
        sni_constraint *links = malloc(3 * N * sizeof *links);
        uint32_t count = 0;
        for (uint32_t i = 0; i < N; ++i) {
            inverse[i] = i % 97 == 0 ? 0 : 100;
            for (uint32_t d = 0; d < 2; ++d) {
                bool is_last = d == 0 ? i % SIDE == SIDE - 1 : i / SIDE == SIDE - 1;
                if (!is_last) {
                    links[count++] = distance(i, i + (d == 0 ? 1 : SIDE), 0.05, 1e-4);
                }
            }
        }
        sni_xpbd_desc desc = {.particle_count = N,
                              .inverse_masses = inverse,
                              .constraint_count = count,
                              .constraints = links,
                              .step = 1.0 / 600,
                              .gravity = {0, -9.81, 0}};
        world w = make(context, &desc);
        for (uint32_t i = 0; i < N; ++i) {
            w.positions[3 * i] = 0.05 * (i % SIDE);
            w.positions[3 * i + 2] = 0.05 * (i / SIDE);
        }
        steps(&w, 60);
        if (k == 0) {
            expected = malloc(3 * N * sizeof *expected);
            memcpy(expected, w.positions, 3 * N * sizeof *expected);
        }
        assert_memory_equal(expected, w.positions, 3 * N * sizeof *expected);
        end(&w);
        free(inverse);
        free(links);
        snt_context_end(context);
    }
    free(expected);
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double inverse[2] = {1, 1};
    sni_constraint link = distance(0, 1, 1, 0);
    const sni_contact_sample sample = {.count = 1, .particles = {2}, .weights = {1}};
    const sni_xpbd_desc good = {.particle_count = 2,
                                .inverse_masses = inverse,
                                .constraint_count = 1,
                                .constraints = &link,
                                .step = 0.01};
    sni_xpbd_desc desc = good;
    sni_xpbd *solver = NULL;
    desc.step = 0;
    snt_fails(SN_INVALID, "a step of 0 s", sni_xpbd_create(context, &desc, &solver, error));
    desc = good;
    desc.friction = NAN;
    snt_fails(SN_INVALID, "friction nan", sni_xpbd_create(context, &desc, &solver, error));
    desc = good;
    desc.samples = &sample;
    desc.sample_count = 1;
    snt_fails(SN_INVALID, "sample 0 has particle 2, but there are 2",
              sni_xpbd_create(context, &desc, &solver, error));
    inverse[1] = -1;
    snt_fails(SN_INVALID, "particle 1 has the inverse mass -1",
              sni_xpbd_create(context, &good, &solver, error));
    inverse[1] = 1;
    link.particles[1] = 0;
    snt_fails(SN_INVALID, "constraint 0 has particle 0 twice",
              sni_xpbd_create(context, &good, &solver, error));
    link.particles[1] = 1;
    link.rest = INFINITY;
    snt_fails(SN_INVALID, "constraint 0 has the length inf",
              sni_xpbd_create(context, &good, &solver, error));
    link.rest = 1;
    link.factors[0] = NAN;
    snt_fails(SN_INVALID, "constraint 0 has the factor nan",
              sni_xpbd_create(context, &good, &solver, error));
    link.count = 7;
    snt_fails(SN_INVALID, "constraint 0 has 7 particles",
              sni_xpbd_create(context, &good, &solver, error));
    assert_null(solver);
    snt_context_end(context);
}

static sn_status create_once(sn_context *context, void *user, sn_error *error) {
    cloud c;
    sni_xpbd *solver = NULL;
    (void)user;
    fill_cloud(&c, 2);
    sn_status status = sni_xpbd_create(context, &c.desc, &solver, error);
    sni_xpbd_destroy(solver);
    return status;
}

static void running_out_of_memory_is_survived(void **state) {
    (void)state;
    snt_fail_allocations(create_once, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(a_free_particle_falls_on_the_parabola),
        cmocka_unit_test(damping_does_not_depend_on_the_step),
        cmocka_unit_test(one_correction_is_that_of_the_paper),
        cmocka_unit_test(a_weight_hangs_at_its_compliance),
        cmocka_unit_test(an_oscillation_decays_as_known),
        cmocka_unit_test(a_chain_hangs_at_its_length),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(spin_is_almost_kept),
        cmocka_unit_test(energy_does_not_grow),
        cmocka_unit_test(turning_everything_turns_the_motion),
        cmocka_unit_test(fixed_particles_stay),
        cmocka_unit_test(nothing_blows_up),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
