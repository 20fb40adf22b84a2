// SPDX-License-Identifier: Apache-2.0
//
// Steps of time and equilibria of rigid bodies: both look for the pose where
//
//     w M (q - q~) + dV/dq = 0
//
// A step of time h has w = 1/h^2 and q~ where the bodies would be if nothing but weight acted on
// them. Coming to rest goes in steps with q~ where the one before has ended and a w that falls to
// nothing: the bodies creep downhill, and at last stand still.
//
// Newton's method with the derivatives of rigid_forces.c finds the pose. Its steps are short, so
// that bodies follow curved paths and do not pass through thin ones. At first they are taken as
// they are: where a stiff joint bends, a step leaves its path, and the next one returns to it.
// Where that does not end, as contacts come and go, steps are cut so that the gradient along them
// does not grow; this needs no values of the potential, which forces that depend on speed do not
// have.
#include "solver/rigid_internal.h"

#include <math.h>
#include <string.h>

// Motions below this, in metres and radians, are none: stiff contacts have 1e9 N/m.
static const double no_motion = 1e-11;
// A gradient is rounding below this part of the greatest stiffness: what coordinates of a metre are
// good for.
static const double no_gradient = 1e-14;
// Newton's steps in one solve; of each round of them those that are not cut; and cuts of one.
enum { NEWTON_MOST = 60, NEWTON_ROUND = 15, NEWTON_UNCUT = 8, CUT_MOST = 20 };
// The longest step, as a part of a body's radius of gyration, and in radians.
static const double longest_step = 0.125;
// How far a step may let surfaces enter each other, as a part of the longest one.
static const double deepest_step = 0.1;
// Along a step the gradient may rise to this part of what it fell from at the beginning.
static const double most_overshoot = 0.5;
// The first and the longest step of creeping, seconds; its growth; and how many there are. The
// longest one still holds what nothing else does: a body of 0.2 kg by 2 mN/m.
static const double first_creep = 0.02, longest_creep = 10, creep_growth = 2;
enum { CREEP_MOST = 60 };
// Motions below this in a step, in metres and radians, are rest.
static const double at_rest = 1e-9;
// Bodies that have gone further than this many metres while creeping find no rest.
static const double furthest_rest = 1e3;

// What a solve works in.
typedef struct solve {
    sni_rigid_trial trial;
    uint32_t size;            // 6 body_count
    double weight;            // w
    sni_rigid_state *targets; // q~
    sni_rigid_state *now;     // that is tried
    sni_rigid_state *kept;    // where Newton's step began
    double *gradient;         // of the whole, at `kept`
    double *factor;           // size x size
    double *move;             // Newton's step
    double longest_way;       // metres, of a step
} solve;

static bool init_trial(const sni_rigid *rigid, const sni_rigid_job *job, double step, solve *s) {
    sni_arena *arena = job->arena;
    size_t size = 6 * (size_t)rigid->body_count;
    sni_rigid_trial *t = &s->trial;
    *t = (sni_rigid_trial){.rigid = rigid, .job = job, .step = step};
    t->places =
        sni_arena_alloc(arena, (size_t)rigid->body_count + rigid->carrier_count, sizeof *t->places);
    t->gradient = sni_arena_alloc(arena, size, sizeof *t->gradient);
    t->hessian = sni_arena_alloc(arena, size * size, sizeof *t->hessian);
    t->row.bodies = sni_arena_alloc(arena, rigid->body_count, sizeof *t->row.bodies);
    t->row.parts = sni_arena_alloc(arena, rigid->body_count, sizeof *t->row.parts);
    t->lines = sni_arena_alloc(arena, rigid->line_count, sizeof *t->lines);
    t->lengths = sni_arena_alloc(arena, rigid->line_count, sizeof *t->lengths);
    t->watch = job->watch;
    bool made = t->places != NULL && t->gradient != NULL && t->hessian != NULL &&
                t->row.bodies != NULL && t->row.parts != NULL && t->lines != NULL &&
                t->lengths != NULL;
    for (uint32_t i = 0; made && i < rigid->carrier_count; ++i) {
        t->places[rigid->body_count + i] = job->carriers[i];
    }
    return made;
}

// The longest step keeps within what contacts see of each other.
static double find_longest_way(const sni_rigid *rigid) {
    double longest = INFINITY;
    for (uint32_t i = 0; i < rigid->body_count; ++i) {
        longest = fmin(longest, longest_step * sqrt(rigid->moments[i].x / rigid->bodies[i].mass));
    }
    for (uint32_t i = 0; i < rigid->contact_count; ++i) {
        for (uint32_t k = 0; k < rigid->contacts[i].side_count; ++k) {
            longest = fmin(longest, rigid->contacts[i].sides[k].reach / 2);
        }
    }
    return longest;
}

static bool solve_init(const sni_rigid *rigid, const sni_rigid_job *job, double step, solve *s) {
    sni_arena *arena = job->arena;
    size_t size = 6 * (size_t)rigid->body_count;
    *s = (solve){.size = (uint32_t)size, .longest_way = find_longest_way(rigid)};
    s->targets = sni_arena_alloc(arena, rigid->body_count, sizeof *s->targets);
    s->now = sni_arena_alloc(arena, rigid->body_count, sizeof *s->now);
    s->kept = sni_arena_alloc(arena, rigid->body_count, sizeof *s->kept);
    s->gradient = sni_arena_alloc(arena, size, sizeof *s->gradient);
    s->factor = sni_arena_alloc(arena, size * size, sizeof *s->factor);
    s->move = sni_arena_alloc(arena, size, sizeof *s->move);
    return s->targets != NULL && s->now != NULL && s->kept != NULL && s->gradient != NULL &&
           s->factor != NULL && s->move != NULL && init_trial(rigid, job, step, s);
}

// --- The function whose zero is looked for

// Adds what keeps a body at its target.
static void add_inertia(solve *s, uint32_t body) {
    const sni_rigid *rigid = s->trial.rigid;
    const sni_rigid_state *now = &s->now[body], *target = &s->targets[body];
    double inertia[9], mass = s->weight * rigid->bodies[body].mass;
    sn_vec3 moved = sn_vec3_sub(now->center, target->center);
    sn_vec3 turned =
        sni_rotation_vector(sn_quat_multiply(now->turn, sn_quat_conjugate(target->turn)));
    const double m[3] = {moved.x, moved.y, moved.z}, t[3] = {turned.x, turned.y, turned.z};
    double *g = s->trial.gradient + 6 * (size_t)body;
    sni_rigid_inertia(rigid, body, target->turn, inertia);
    for (uint32_t i = 0; i < 3; ++i) {
        size_t row = 6 * (size_t)body + i;
        g[i] += mass * m[i];
        s->trial.hessian[row * s->size + row] += mass;
        for (uint32_t k = 0; k < 3; ++k) {
            double moment = s->weight * inertia[3 * i + k];
            g[3 + i] += moment * t[k];
            if (k <= i) {
                s->trial.hessian[(row + 3) * s->size + 6 * (size_t)body + 3 + k] += moment;
            }
        }
    }
}

static bool evaluate(solve *s) {
    const sni_rigid *rigid = s->trial.rigid;
    for (uint32_t i = 0; i < rigid->body_count; ++i) {
        s->trial.places[i] = sni_rigid_place_of(rigid, i, &s->now[i]);
    }
    if (!sni_trial_evaluate(&s->trial)) {
        return false;
    }
    for (uint32_t i = 0; i < rigid->body_count; ++i) {
        add_inertia(s, i);
    }
    return true;
}

// --- Newton's steps

// Cholesky's factor of the derivative, `extra` times its diagonal added. False where it is not
// positive.
static bool factorize(solve *s, double extra) {
    size_t n = s->size;
    double *f = s->factor;
    memcpy(f, s->trial.hessian, n * n * sizeof *f);
    for (size_t i = 0; i < n; ++i) {
        f[i * n + i] += extra * fabs(f[i * n + i]);
        double largest = fabs(f[i * n + i]);
        for (size_t k = 0; k <= i; ++k) {
            double sum = f[i * n + k];
            for (size_t j = 0; j < k; ++j) {
                sum -= f[i * n + j] * f[k * n + j];
            }
            if (k < i) {
                f[i * n + k] = sum / f[k * n + k];
            } else if (sum > 1e-14 * largest) {
                f[i * n + i] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

static void substitute(const solve *s, double *x) {
    size_t n = s->size;
    const double *f = s->factor;
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k) {
            x[i] -= f[i * n + k] * x[k];
        }
        x[i] /= f[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k) {
            x[i] -= f[k * n + i] * x[k];
        }
        x[i] /= f[i * n + i];
    }
}

// Newton's step downhill. False where the numbers have left all bounds.
static bool find_move(solve *s) {
    double extra = 0;
    while (!factorize(s, extra)) {
        extra = extra > 0 ? 4 * extra : 1e-3;
        if (!(extra < 1e12)) {
            return false;
        }
    }
    for (size_t i = 0; i < s->size; ++i) {
        s->move[i] = -s->trial.gradient[i];
    }
    substitute(s, s->move);
    return true;
}

static void go(solve *s, double part) {
    for (uint32_t i = 0; i < s->trial.rigid->body_count; ++i) {
        const double *m = s->move + 6 * (size_t)i;
        sn_vec3 way = sn_vec3_make(m[0], m[1], m[2]), turn = sn_vec3_make(m[3], m[4], m[5]);
        s->now[i] = s->kept[i];
        s->now[i].center = sn_vec3_add_scaled(s->kept[i].center, part, way);
        s->now[i].turn = sn_quat_normalize(
            sn_quat_multiply(sni_rotation_of(sn_vec3_scale(turn, part)), s->kept[i].turn));
    }
}

static double dot(const solve *s, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < s->size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double length_of(const solve *s) {
    double longest = 0;
    for (size_t i = 0; i < s->size; ++i) {
        longest = fmax(longest, fabs(s->move[i]));
    }
    return longest;
}

// Whether the gradient is no more than rounding.
static bool is_zero(const solve *s) {
    double gradient = 0, stiffness = 0;
    for (size_t i = 0; i < s->size; ++i) {
        gradient = fmax(gradient, fabs(s->trial.gradient[i]));
        stiffness = fmax(stiffness, fabs(s->trial.hessian[i * s->size + i]));
    }
    return gradient <= no_gradient * stiffness;
}

// How much of Newton's step is short enough.
static double find_part(const solve *s) {
    double part = 1;
    for (size_t i = 0; i < s->size; i += 3) {
        sn_vec3 way = sn_vec3_make(s->move[i], s->move[i + 1], s->move[i + 2]);
        double most = i % 2 == 0 ? s->longest_way : longest_step;
        part = fmin(part, most / fmax(sn_vec3_length(way), most));
    }
    return part;
}

// Goes along the step, and back as long as that is too far.
static bool go_back(solve *s, double *part) {
    double fall = dot(s, s->gradient, s->move);
    for (int i = 0; i < CUT_MOST; ++i) {
        double slope = dot(s, s->trial.gradient, s->move);
        if (slope <= most_overshoot * fabs(fall)) {
            return true;
        }
        // Where a straight gradient would be zero.
        double share = fall / (fall - slope);
        *part *= isfinite(share) ? fmin(fmax(share, 0.1), 0.7) : 0.1;
        go(s, *part);
        if (!evaluate(s)) {
            return false;
        }
    }
    return true;
}

// Goes back from where surfaces have entered each other too far: a step that did not know of a
// contact ends where it begins.
static bool go_out(solve *s, double before, double *part) {
    double most = fmax(before, deepest_step * s->longest_way);
    for (int i = 0; i < CUT_MOST && s->trial.depth > most; ++i) {
        *part *= fmin(fmax(most / s->trial.depth, 0.1), 0.7);
        go(s, *part);
        if (!evaluate(s)) {
            return false;
        }
    }
    return true;
}

// Finds the zero, from `now` on. False where lines cannot be found.
static bool relax(solve *s) {
    if (!evaluate(s)) {
        return false;
    }
    for (int i = 0; i < NEWTON_MOST; ++i) {
        if (is_zero(s) || !find_move(s) || length_of(s) < no_motion) {
            return true;
        }
        double part = find_part(s), depth = s->trial.depth;
        bool cuts = i % NEWTON_ROUND >= NEWTON_UNCUT;
        memcpy(s->gradient, s->trial.gradient, s->size * sizeof *s->gradient);
        memcpy(s->kept, s->now, s->trial.rigid->body_count * sizeof *s->now);
        go(s, part);
        if (!evaluate(s) || !go_out(s, depth, &part) || (cuts && !go_back(s, &part))) {
            return false;
        }
        if (part * length_of(s) < no_motion) {
            return true;
        }
    }
    return true;
}

// Once more where the bodies are, for what is to be told.
static bool tell(solve *s, sni_rigid_results *results) {
    if (results == NULL) {
        return true;
    }
    s->trial.results = results;
    bool done = evaluate(s);
    s->trial.results = NULL;
    return done;
}

// --- A step of time

static sn_vec3 times(const double matrix[9], sn_vec3 v) {
    return sn_vec3_make(matrix[0] * v.x + matrix[1] * v.y + matrix[2] * v.z,
                        matrix[3] * v.x + matrix[4] * v.y + matrix[5] * v.z,
                        matrix[6] * v.x + matrix[7] * v.y + matrix[8] * v.z);
}

// Leaves a part of the motion against what counts as rest.
static void slow_down(const sni_rigid *rigid, const sni_rigid_job *job, uint32_t body, double left,
                      sni_rigid_state *state) {
    double inertia[9];
    sn_vec3 still = sn_vec3_cross(job->still_spin, state->center);
    sni_rigid_inertia(rigid, body, state->turn, inertia);
    state->velocity = sn_vec3_lerp(sn_vec3_add(job->still_velocity, still), state->velocity, left);
    state->momentum = sn_vec3_lerp(times(inertia, job->still_spin), state->momentum, left);
}

// Where a body would be if nothing but weight and constant forces acted on it. Their impulse comes
// before the free motion, as the implicit forces have it, so that a body that is held has no
// velocity; where there are no such forces, half of it comes after, which keeps the energy.
static void predict(const sni_rigid *rigid, const sni_rigid_job *job, uint32_t body, double step,
                    sni_rigid_state *state) {
    sni_rigid_load load = sni_rigid_load_of(job, body);
    double first = rigid->is_free[body] ? step / 2 : step;
    sn_vec3 speed = sn_vec3_add_scaled(job->gravity, 1 / rigid->bodies[body].mass, load.force);
    slow_down(rigid, job, body, exp(-load.damping * step), state);
    state->velocity = sn_vec3_add_scaled(state->velocity, first, speed);
    state->momentum = sn_vec3_add_scaled(state->momentum, first, load.torque);
    sni_rigid_drift(rigid, body, step, state);
    state->velocity = sn_vec3_add_scaled(state->velocity, step - first, speed);
    state->momentum = sn_vec3_add_scaled(state->momentum, step - first, load.torque);
}

// The velocity that the forces have given it on its way from the target.
static void finish(const sni_rigid *rigid, uint32_t body, double step,
                   const sni_rigid_state *target, sni_rigid_state *state) {
    double inertia[9];
    sn_vec3 turned =
        sni_rotation_vector(sn_quat_multiply(state->turn, sn_quat_conjugate(target->turn)));
    sni_rigid_inertia(rigid, body, target->turn, inertia);
    sn_vec3 moved = sn_vec3_sub(state->center, target->center);
    state->velocity = sn_vec3_add_scaled(target->velocity, 1 / step, moved);
    state->momentum = sn_vec3_add_scaled(target->momentum, 1 / step, times(inertia, turned));
}

// The lengths of lines where the step begins.
static bool note_lengths(solve *s, const sni_rigid_state *states) {
    const sni_rigid *rigid = s->trial.rigid;
    for (uint32_t i = 0; i < rigid->body_count; ++i) {
        s->trial.places[i] = sni_rigid_place_of(rigid, i, &states[i]);
    }
    if (rigid->line_count > 0 &&
        !s->trial.job->lines(s->trial.job->user, s->trial.places, s->trial.lines)) {
        return false;
    }
    for (uint32_t i = 0; i < rigid->line_count; ++i) {
        s->trial.lengths[i] = s->trial.lines[i].length;
    }
    return true;
}

sni_rigid_outcome sni_rigid_step(const sni_rigid *rigid, const sni_rigid_job *job, double step,
                                 sni_rigid_state *states, sni_rigid_results *results) {
    SN_ASSERT(step > 0);
    SN_ASSERT(rigid->line_count == 0 || job->lines != NULL);
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_rigid_outcome outcome = SNI_RIGID_DONE;
    solve s;
    if (!solve_init(rigid, job, step, &s)) {
        outcome = SNI_RIGID_OUT_OF_MEMORY;
    } else if (!note_lengths(&s, states)) {
        outcome = SNI_RIGID_NO_LINES;
    }
    for (uint32_t i = 0; outcome == SNI_RIGID_DONE && i < rigid->body_count; ++i) {
        s.targets[i] = states[i];
        predict(rigid, job, i, step, &s.targets[i]);
        s.now[i] = rigid->contact_count > 0 ? states[i] : s.targets[i];
    }
    if (outcome == SNI_RIGID_DONE) {
        s.weight = 1 / (step * step);
        outcome = relax(&s) && tell(&s, results) ? SNI_RIGID_DONE : SNI_RIGID_NO_LINES;
    }
    for (uint32_t i = 0; outcome == SNI_RIGID_DONE && i < rigid->body_count; ++i) {
        states[i] = s.now[i];
        finish(rigid, i, step, &s.targets[i], &states[i]);
    }
    sni_arena_release(job->arena, mark);
    return outcome;
}

// --- Coming to rest

// How far the bodies have gone from where they were.
static double distance_gone(const solve *s, const sni_rigid_state *from) {
    double furthest = 0;
    for (uint32_t i = 0; i < s->trial.rigid->body_count; ++i) {
        sn_quat turned = sn_quat_multiply(s->now[i].turn, sn_quat_conjugate(from[i].turn));
        furthest = fmax(furthest, sn_vec3_distance(s->now[i].center, from[i].center));
        furthest = fmax(furthest, sn_vec3_length(sni_rotation_vector(turned)));
    }
    return furthest;
}

static sni_rigid_outcome creep(solve *s) {
    double time = first_creep;
    size_t bytes = s->trial.rigid->body_count * sizeof *s->now;
    for (int i = 0; i < CREEP_MOST; ++i) {
        s->weight = 1 / (time * time);
        memcpy(s->targets, s->now, bytes);
        if (!relax(s)) {
            return SNI_RIGID_NO_LINES;
        }
        double gone = distance_gone(s, s->targets);
        if (gone < at_rest) {
            return SNI_RIGID_DONE;
        }
        if (!(gone < furthest_rest)) {
            return SNI_RIGID_NO_REST;
        }
        time = fmin(creep_growth * time, longest_creep);
    }
    return SNI_RIGID_NO_REST;
}

sni_rigid_outcome sni_rigid_settle(const sni_rigid *rigid, const sni_rigid_job *job,
                                   sni_rigid_state *states, sni_rigid_results *results) {
    SN_ASSERT(rigid->line_count == 0 || job->lines != NULL);
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_rigid_outcome outcome = SNI_RIGID_OUT_OF_MEMORY;
    solve s;
    if (solve_init(rigid, job, 0, &s)) {
        for (uint32_t i = 0; i < rigid->body_count; ++i) {
            s.now[i] = sni_rigid_at_rest(rigid, i);
        }
        outcome = creep(&s);
        if (outcome != SNI_RIGID_NO_LINES) {
            memcpy(states, s.now, rigid->body_count * sizeof *states);
            outcome = tell(&s, results) ? outcome : SNI_RIGID_NO_LINES;
        }
    }
    sni_arena_release(job->arena, mark);
    return outcome;
}

sni_rigid_outcome sni_rigid_load_at_rest(const sni_rigid *rigid, const sni_rigid_job *job,
                                         uint32_t body, sn_vec3 *force, sn_vec3 *torque) {
    SN_ASSERT(body < rigid->body_count);
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_rigid_outcome outcome = SNI_RIGID_OUT_OF_MEMORY;
    solve s;
    if (solve_init(rigid, job, 0, &s)) {
        for (uint32_t i = 0; i < rigid->body_count; ++i) {
            s.now[i] = sni_rigid_at_rest(rigid, i);
            s.targets[i] = s.now[i];
        }
        outcome = evaluate(&s) ? SNI_RIGID_DONE : SNI_RIGID_NO_LINES;
        const double *g = s.trial.gradient + 6 * (size_t)body;
        *force = sn_vec3_make(-g[0], -g[1], -g[2]);
        *torque = sn_vec3_make(-g[3], -g[4], -g[5]);
    }
    sni_arena_release(job->arena, mark);
    return outcome;
}
