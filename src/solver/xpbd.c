// SPDX-License-Identifier: Apache-2.0
//
// A step of length h (algorithm 1 of Macklin et al. 2019, one iteration):
//
//     v <- exp(-damping h) v + h g                            damping first: it does not slow
//     gravity x <- x0 + h v for each constraint    dl = -C / (sum w |grad C|^2 + compliance / h^2)
//     (equation 18 of
//                            x += w grad C dl                                    Macklin 2016, l =
//                            0)
//     for each pair too near apart, and back by friction
//     for each contact       out of the obstacle, and back by friction
//     v <- (x - x0) / h
//
// Contacts come last, so that a step never ends inside. Constraints of one colour are independent
// and run in parallel; contacts are found in parallel and solved in order.
#include "solver/xpbd.h"

#include "solver/color.h"
#include "solver/points.h"

#include <math.h>
#include <string.h>

// Constraints of a block: some 10 us of work, more than it costs to wake a thread.
#define CONSTRAINT_GRAIN 512
// Samples of a block; those near an obstacle cost about a microsecond each.
#define SAMPLE_GRAIN 64

struct sni_xpbd {
    sn_context *context;
    uint32_t particle_count, constraint_count, sample_count;
    double *inverse_masses;
    sni_constraint *constraints; // by colour
    sni_colors colors;
    sni_contact_sample *samples;
    sni_apart apart;        // of distance 0 where there is nothing to do
    double *rest_positions; // its
    double step, thickness, friction;
    double keep; // what damping leaves of a velocity in a step
    sn_vec3 gravity;
};

static sn_status check_particles(const char *what, uint32_t index, uint32_t least,
                                 uint32_t particle_count, const uint32_t *particles, uint32_t count,
                                 sn_error *error) {
    if (count < least || count > SNI_CONSTRAINT_MOST) {
        return sni_fail(error, SN_INVALID, "%s %u has %u particles", what, index, count);
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (particles[k] >= particle_count) {
            return sni_fail(error, SN_INVALID, "%s %u has particle %u, but there are %u", what,
                            index, particles[k], particle_count);
        }
        for (uint32_t j = 0; j < k; ++j) {
            if (particles[j] == particles[k]) {
                return sni_fail(error, SN_INVALID, "%s %u has particle %u twice", what, index,
                                particles[k]);
            }
        }
    }
    return SN_OK;
}

static bool is_size(double value) {
    return value >= 0 && isfinite(value);
}

static sn_status check_constraint(const sni_xpbd_desc *desc, uint32_t index, sn_error *error) {
    const sni_constraint *c = &desc->constraints[index];
    sn_status status = check_particles("constraint", index, 2, desc->particle_count, c->particles,
                                       c->count, error);
    if (status == SN_OK && !(is_size(c->rest) && is_size(c->compliance))) {
        status = sni_fail(error, SN_INVALID, "constraint %u has the length %g and compliance %g",
                          index, c->rest, c->compliance);
    }
    for (uint32_t k = 0; k < c->count && status == SN_OK; ++k) {
        if (!isfinite(c->factors[k])) {
            status = sni_fail(error, SN_INVALID, "constraint %u has the factor %g", index,
                              c->factors[k]);
        }
    }
    return status;
}

static sn_status check_numbers(const sni_xpbd_desc *desc, sn_error *error) {
    if (!(desc->step > 0 && isfinite(desc->step) && sn_vec3_is_finite(desc->gravity))) {
        return sni_fail(error, SN_INVALID, "a step of %g s, gravity %g %g %g", desc->step,
                        desc->gravity.x, desc->gravity.y, desc->gravity.z);
    }
    if (!(is_size(desc->damping) && is_size(desc->thickness) && is_size(desc->friction) &&
          is_size(desc->apart))) {
        return sni_fail(error, SN_INVALID, "damping %g, thickness %g, friction %g, apart %g",
                        desc->damping, desc->thickness, desc->friction, desc->apart);
    }
    for (uint32_t i = 0; i < desc->particle_count; ++i) {
        if (!is_size(desc->inverse_masses[i])) {
            return sni_fail(error, SN_INVALID, "particle %u has the inverse mass %g", i,
                            desc->inverse_masses[i]);
        }
    }
    return SN_OK;
}

static sn_status check(const sni_xpbd_desc *desc, sn_error *error) {
    sn_status status = check_numbers(desc, error);
    for (uint32_t i = 0; i < desc->constraint_count && status == SN_OK; ++i) {
        status = check_constraint(desc, i, error);
    }
    for (uint32_t i = 0; i < desc->sample_count && status == SN_OK; ++i) {
        const sni_contact_sample *sample = &desc->samples[i];
        status = check_particles("sample", i, 1, desc->particle_count, sample->particles,
                                 sample->count, error);
    }
    return status;
}

sn_status sni_xpbd_create(sn_context *context, const sni_xpbd_desc *desc, sni_xpbd **solver,
                          sn_error *error) {
    sn_status status = SN_OK;
    sni_xpbd *made = NULL;
    *solver = NULL;
    SN_TRY(check(desc, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->particle_count = desc->particle_count;
    made->constraint_count = desc->constraint_count;
    made->sample_count = desc->sample_count;
    made->step = desc->step;
    made->thickness = desc->thickness;
    made->friction = desc->friction;
    made->keep = exp(-desc->damping * desc->step);
    made->gravity = desc->gravity;
    SNI_NEW(context, made->inverse_masses, desc->particle_count);
    SNI_NEW(context, made->constraints, desc->constraint_count);
    SNI_NEW(context, made->samples, desc->sample_count);
    for (uint32_t i = 0; i < desc->particle_count; ++i) {
        made->inverse_masses[i] = desc->inverse_masses[i];
    }
    for (uint32_t i = 0; i < desc->sample_count; ++i) {
        made->samples[i] = desc->samples[i];
    }
    if (desc->apart > 0) {
        SNI_NEW(context, made->rest_positions, 3 * (size_t)desc->particle_count);
        for (size_t i = 0; i < 3 * (size_t)desc->particle_count; ++i) {
            made->rest_positions[i] = desc->rest_positions[i];
        }
    }
    made->apart = (sni_apart){.particle_count = desc->particle_count,
                              .inverse_masses = made->inverse_masses,
                              .rest = made->rest_positions,
                              .distance = desc->apart,
                              .friction = desc->friction};
    SN_TRY(sni_color_constraints(context, desc->particle_count, desc->constraints,
                                 desc->constraint_count, made->constraints, &made->colors, error));
    for (uint32_t i = 0; i < made->constraint_count; ++i) {
        made->constraints[i].compliance /= desc->step * desc->step;
    }
    *solver = made;
    return SN_OK;
cleanup:
    sni_xpbd_destroy(made);
    return status;
}

void sni_xpbd_destroy(sni_xpbd *solver) {
    if (solver == NULL) {
        return;
    }
    sni_free(solver->context, solver->inverse_masses);
    sni_free(solver->context, solver->constraints);
    sni_free(solver->context, solver->samples);
    sni_free(solver->context, solver->rest_positions);
    sni_free(solver->context, solver);
}

size_t sni_xpbd_bytes(const sni_xpbd *solver) {
    size_t rest = solver->apart.distance > 0 ? 3 * sizeof *solver->rest_positions : 0;
    return sizeof *solver + solver->particle_count * (sizeof *solver->inverse_masses + rest) +
           solver->constraint_count * sizeof *solver->constraints +
           solver->sample_count * sizeof *solver->samples;
}

bool sni_xpbd_scratch_init(const sni_xpbd *solver, sni_arena *arena, sni_xpbd_scratch *scratch) {
    SN_ASSERT(solver != NULL && scratch != NULL);
    scratch->before =
        sni_arena_alloc(arena, 3 * (size_t)solver->particle_count, sizeof *scratch->before);
    scratch->contacts = sni_arena_alloc(arena, solver->sample_count, sizeof *scratch->contacts);
    bool has_grid = solver->apart.distance == 0 ||
                    sni_apart_grid_init(solver->particle_count, arena, &scratch->grid);
    return scratch->before != NULL && scratch->contacts != NULL && has_grid;
}

// What the parts of a step work on.
typedef struct step {
    const sni_xpbd *solver;
    double *positions, *before;
    sni_contact *contacts;
    const sni_obstacle *obstacle;
    uint32_t first; // constraint of the colour
} step;

static void predict(const sni_xpbd *solver, double *positions, double *velocities, double *before) {
    memcpy(before, positions, 3 * (size_t)solver->particle_count * sizeof *before);
    const double h = solver->step;
    const double gravity[3] = {solver->gravity.x, solver->gravity.y, solver->gravity.z};
    for (uint32_t i = 0; i < solver->particle_count; ++i) {
        if (solver->inverse_masses[i] == 0) {
            continue;
        }
        for (size_t k = 0; k < 3; ++k) {
            double *v = &velocities[3 * (size_t)i + k];
            *v = solver->keep * *v + h * gravity[k];
            positions[3 * (size_t)i + k] += h * *v;
        }
    }
}

static void solve_constraint(const double *inverse_masses, const sni_constraint *c,
                             double *positions) {
    sn_vec3 sum = {0, 0, 0};
    double weight = c->compliance;
    for (uint32_t k = 0; k < c->count; ++k) {
        sum = sn_vec3_add_scaled(sum, c->factors[k], sni_point(positions, c->particles[k]));
        weight += inverse_masses[c->particles[k]] * c->factors[k] * c->factors[k];
    }
    double length = sn_vec3_length(sum);
    // A sum of no length has no direction to grow in; particles that cannot move stay.
    if (!(length > 0 && weight > 0)) {
        return;
    }
    double multiplier = (c->rest - length) / (weight * length);
    for (uint32_t k = 0; k < c->count; ++k) {
        uint32_t particle = c->particles[k];
        sni_point_move(positions, particle, inverse_masses[particle] * c->factors[k] * multiplier,
                       sum);
    }
}

static void solve_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const step *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        solve_constraint(s->solver->inverse_masses, &s->solver->constraints[s->first + i],
                         s->positions);
    }
}

static void solve_constraints(step *s) {
    const sni_xpbd *solver = s->solver;
    for (uint32_t color = 0; color <= SNI_COLOR_MOST; ++color) {
        s->first = solver->colors.starts[color];
        uint32_t count = solver->colors.starts[color + 1] - s->first;
        if (color < SNI_COLOR_MOST) {
            sn_parallel_for(solver->context, count, CONSTRAINT_GRAIN, solve_block, s);
        } else {
            solve_block(0, count, 0, s);
        }
    }
}

static sn_vec3 sample_place(const sni_contact_sample *sample, const double *points) {
    sn_vec3 place = {0, 0, 0};
    for (uint32_t k = 0; k < sample->count; ++k) {
        place =
            sn_vec3_add_scaled(place, sample->weights[k], sni_point(points, sample->particles[k]));
    }
    return place;
}

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const step *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_contact_sample *sample = &s->solver->samples[i];
        sni_obstacle_touch(s->obstacle, sample_place(sample, s->before),
                           sample_place(sample, s->positions), s->solver->thickness,
                           &s->contacts[i]);
    }
}

// Moves a sample by moving its particles, each by its share of the sum of w b^2.
static void move_sample(const sni_xpbd *solver, const sni_contact_sample *sample, double weight,
                        sn_vec3 by, double *points) {
    for (uint32_t k = 0; k < sample->count; ++k) {
        uint32_t particle = sample->particles[k];
        sni_point_move(points, particle,
                       solver->inverse_masses[particle] * sample->weights[k] / weight, by);
    }
}

// Coulomb: the way along the surface is taken back by at most `friction` times the way out of it.
static void solve_contact(const step *s, const sni_contact_sample *sample,
                          const sni_contact *contact) {
    const sni_xpbd *solver = s->solver;
    double weight = 0;
    for (uint32_t k = 0; k < sample->count; ++k) {
        weight +=
            solver->inverse_masses[sample->particles[k]] * sample->weights[k] * sample->weights[k];
    }
    sn_vec3 place = sample_place(sample, s->positions);
    double height = sn_vec3_dot(sn_vec3_sub(place, contact->point), contact->normal);
    double depth = solver->thickness - height;
    if (!(depth > 0 && weight > 0)) {
        return;
    }
    sn_vec3 out = sn_vec3_scale(contact->normal, depth);
    move_sample(solver, sample, weight, out, s->positions);
    if (contact->inside) {
        move_sample(solver, sample, weight, out, s->before); // no speed from being put out
        return;
    }
    sn_vec3 way = sn_vec3_sub(sn_vec3_add(place, out), sample_place(sample, s->before));
    way = sn_vec3_sub(way, contact->motion);
    sn_vec3 along = sn_vec3_add_scaled(way, -sn_vec3_dot(way, contact->normal), contact->normal);
    double length = sn_vec3_length(along), most = solver->friction * depth;
    if (length > 0 && most > 0) {
        double share = length <= most ? 1 : most / length;
        move_sample(solver, sample, weight, sn_vec3_scale(along, -share), s->positions);
    }
}

void sni_xpbd_step(const sni_xpbd *solver, const sni_xpbd_scratch *scratch, double *positions,
                   double *velocities, const sni_obstacle *obstacle) {
    SN_ASSERT(scratch->before != NULL);
    SN_ASSERT(positions != NULL && velocities != NULL);
    step s = {.solver = solver,
              .positions = positions,
              .before = scratch->before,
              .contacts = scratch->contacts,
              .obstacle = obstacle};
    predict(solver, positions, velocities, s.before);
    solve_constraints(&s);
    if (solver->apart.distance > 0) {
        sni_apart_solve(&solver->apart, &scratch->grid, positions, s.before);
    }
    if (obstacle != NULL) {
        sn_parallel_for(solver->context, solver->sample_count, SAMPLE_GRAIN, find_block, &s);
        for (uint32_t i = 0; i < solver->sample_count; ++i) {
            if (s.contacts[i].touches) {
                solve_contact(&s, &solver->samples[i], &s.contacts[i]);
            }
        }
    }
    for (size_t i = 0; i < 3 * (size_t)solver->particle_count; ++i) {
        velocities[i] = (positions[i] - s.before[i]) / solver->step;
    }
}
