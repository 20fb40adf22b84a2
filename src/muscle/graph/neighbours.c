// SPDX-License-Identifier: Apache-2.0
//
// What connected muscles do to each other's knots. A knot b near the end of a muscle has springs to
// control points a of neighbours near by, and one to its bone. The springs of the thesis have rest
// lengths; theirs is a system of masses that is stepped until it is calm. Here a spring wants its
// control point to be where it is at rest, as seen from the knot's bone: T_b a. The forces are
// linear in the displacements d of the knots then, and their balance is a system of equations with
// one solution, which follows smoothly from the pose:
//
//     (A m_b + sum_a m_a) d_b - sum_a m_a (s_a d_i + (1 - s_a) d_p) = sum_a m_a (y_a - T_b a)
//
// with the masses m = 1 + (V / V')^(1/3) (4.12; the divisor makes the mean volume V' of all that
// are posed together a mass of 2), the anchor's stiffness A, and y_a where control point a would be
// if no knot were moved. It lies between knot i and its parent p, s_a of the way from p, and goes
// along with both. Every row's own coefficient is larger than the others together by A m_b, so that
// the sweeps of Gauss and Seidel converge, and no knot moves farther than (sum_a m_a) / (A m_b)
// times the largest y_a - T_b a.
//
// Where a muscle remembers, its knots have inertia: m_b (d'' + 2 z w d') / w^2 is added to the left
// side, with the frequency w and the damping z, stepped by implicit Euler, which is bounded for
// any step.
#include "muscle/graph/neighbours.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// Sweeps end when no knot moves farther than this part of the largest way.
static const double tolerance = 1e-10;
enum { SWEEPS_MOST = 4000 };

// Ways below this part of the place's distance from the origin are rounding: at rest all are 0.
static const double rounding = 1e-13;

// Steps of a swinging muscle, at most seconds long, and at most so many in a frame.
static const double longest_step = 1.0 / 240;
enum { STEPS_MOST = 240 };

// --- At rest

sn_status sni_graph_take_springs(sni_graph *g, const sni_muscle_job *job,
                                 const sni_neighbours_input *input, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = input != NULL ? input->pull_count : 0;
    SNI_NEW(g->context, g->springs, count);
    for (uint32_t i = 0; i < count; ++i) {
        const sni_graph_pull *pull = &input->pulls[i];
        const sni_graph_carrier *carrier = &g->knots.carriers[g->knots.starts[pull->knot]];
        g->springs[i] = (sni_graph_spring){pull->knot, pull->neighbour, pull->point, {0, 0, 0}};
        SN_TRY(sni_carry_point(job, carrier->segment, pull->place, &g->springs[i].rest, error));
    }
    g->spring_count = count;
cleanup:
    return status;
}

// --- The system

// A spring in a pose: what pulls a knot, and which knots the pulling point goes along with.
typedef struct pull {
    uint32_t row;
    uint32_t others[2]; // rows; SN_NONE for a knot that nothing pulls
    double shares[2];
    double mass;
    sn_vec3 way; // y_a - T_b a, in the world
} pull;

typedef struct row {
    uint32_t part, knot;
    double mass;      // m_b
    double stiffness; // of all that holds and pulls it
    double inertia;   // added to that in a step
    sn_vec3 force, extra;
    sn_vec3 move;
} row;

typedef struct pull_system {
    uint32_t part_count;
    sni_graph_part *parts;
    uint32_t row_count, pull_count;
    row *rows;
    pull *pulls;       // by rising row
    uint32_t **row_of; // of parts and their knots: the row, SN_NONE for none
    double largest;    // way
} pull_system;

static double mean_volume(const pull_system *s) {
    double sum = 0;
    for (uint32_t i = 0; i < s->part_count; ++i) {
        sum += s->parts[i].graph->rest_volume / s->part_count;
    }
    return sum;
}

static double mass_of(const sni_graph *g, double mean) {
    return 1 + cbrt(g->rest_volume / mean);
}

static uint32_t find_part(const pull_system *s, const sni_graph_part *of, uint32_t neighbour) {
    const sni_touches_pose *named = of->job->inputs[SNI_GRAPH_INPUT_NEIGHBOURS];
    for (uint32_t i = 0; named != NULL && neighbour < named->muscle_count && i < s->part_count;
         ++i) {
        if (s->parts[i].number == named->muscles[neighbour]) {
            return i;
        }
    }
    return SN_NONE;
}

static bool begin_system(pull_system *s, sni_arena *arena) {
    double mean = mean_volume(s);
    size_t springs = 0;
    s->row_of = sni_arena_alloc(arena, s->part_count, sizeof *s->row_of);
    for (uint32_t i = 0; i < s->part_count; ++i) {
        springs += s->parts[i].graph->spring_count;
    }
    s->rows = sni_arena_alloc(arena, springs, sizeof *s->rows);
    s->pulls = sni_arena_alloc(arena, springs, sizeof *s->pulls);
    if (s->row_of == NULL || s->rows == NULL || s->pulls == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < s->part_count; ++i) {
        const sni_graph *g = s->parts[i].graph;
        s->row_of[i] = sni_arena_alloc(arena, g->tree.count, sizeof **s->row_of);
        if (s->row_of[i] == NULL) {
            return false;
        }
        memset(s->row_of[i], 0xFF, g->tree.count * sizeof **s->row_of);
        for (uint32_t k = 0; k < g->spring_count; ++k) {
            uint32_t knot = g->springs[k].knot;
            if (s->row_of[i][knot] == SN_NONE) {
                double mass = mass_of(g, mean);
                s->row_of[i][knot] = s->row_count;
                s->rows[s->row_count++] =
                    (row){.part = i,
                          .knot = knot,
                          .mass = mass,
                          .stiffness = mass * g->parameters[SNI_GRAPH_ANCHOR]};
            }
        }
    }
    return true;
}

// Which knots a control point goes along with. Those of a sphincter lose what the centre takes.
static void find_shares(const pull_system *s, uint32_t part, uint32_t point, pull *p) {
    const sni_graph_part *of = &s->parts[part];
    const sni_graph *g = of->graph;
    uint32_t lower = point;
    double share = of->part;
    if (!g->sphincter) {
        sni_graph_path_knots(&g->links, of->pose.ways, point, of->pose.places[point], &lower,
                             &share);
    }
    uint32_t parent = g->sphincter ? SN_NONE : g->tree.parents[lower];
    p->others[0] = s->row_of[part][lower];
    p->shares[0] = 1 - share;
    p->others[1] = parent != SN_NONE ? s->row_of[part][parent] : SN_NONE;
    p->shares[1] = share;
}

// How far a control point is from where the knot's bone would have it.
static sn_vec3 find_way(const sni_graph_part *of, const sni_graph_spring *spring,
                        const sni_graph_part *by) {
    const sni_graph_carrier *carrier =
        &of->graph->knots.carriers[of->graph->knots.starts[spring->knot]];
    sn_vec3 wanted = sn_mat4_point(&of->job->worlds[carrier->segment], spring->rest);
    sn_vec3 now = sni_rigid_frame_point(&by->pose.home, by->pose.frames[spring->point].origin);
    sn_vec3 way = sn_vec3_sub(now, wanted);
    bool none = sn_vec3_length(way) <= rounding * (sn_vec3_length(now) + sn_vec3_length(wanted));
    return none ? sn_vec3_make(0, 0, 0) : way;
}

static void add_pulls(pull_system *s, uint32_t part, double mean) {
    const sni_graph_part *of = &s->parts[part];
    for (uint32_t k = 0; k < of->graph->spring_count; ++k) {
        const sni_graph_spring *spring = &of->graph->springs[k];
        uint32_t by = find_part(s, of, spring->neighbour);
        // A point that the neighbour no longer has is left out until it is bound anew.
        if (by == SN_NONE || spring->point >= s->parts[by].graph->tree.count) {
            continue;
        }
        pull *p = &s->pulls[s->pull_count++];
        *p = (pull){.row = s->row_of[part][spring->knot],
                    .mass = mass_of(s->parts[by].graph, mean),
                    .way = find_way(of, spring, &s->parts[by])};
        find_shares(s, by, spring->point, p);
        s->rows[p->row].stiffness += p->mass;
        s->rows[p->row].force = sn_vec3_add_scaled(s->rows[p->row].force, p->mass, p->way);
        s->largest = fmax(s->largest, sn_vec3_length(p->way));
    }
}

// --- Balance

static sn_vec3 row_sum(const pull_system *s, uint32_t index, uint32_t *next) {
    const row *r = &s->rows[index];
    sn_vec3 sum = sn_vec3_add(r->force, r->extra);
    for (; *next < s->pull_count && s->pulls[*next].row == index; ++*next) {
        const pull *p = &s->pulls[*next];
        for (int k = 0; k < 2; ++k) {
            if (p->others[k] != SN_NONE) {
                sum = sn_vec3_add_scaled(sum, p->mass * p->shares[k], s->rows[p->others[k]].move);
            }
        }
    }
    return sum;
}

// Rows without pulls, where a neighbour is not there, stay.
static void balance(pull_system *s) {
    double most = INFINITY;
    for (int sweep = 0; sweep < SWEEPS_MOST && most > tolerance * s->largest; ++sweep) {
        uint32_t next = 0;
        most = 0;
        for (uint32_t i = 0; i < s->row_count; ++i) {
            row *r = &s->rows[i];
            sn_vec3 sum = row_sum(s, i, &next);
            sn_vec3 move = sn_vec3_scale(sum, 1 / (r->stiffness + r->inertia));
            most = fmax(most, sn_vec3_distance(move, r->move));
            r->move = move;
        }
    }
}

// --- Memory

// Of each knot; in the world.
typedef struct memory {
    sn_vec3 move, speed, force;
    double known; // 0 until there was a frame
} memory;

size_t sni_graph_state_bytes(const sni_graph *g) {
    bool swings = g->parameters[SNI_GRAPH_MOTION] > 0 && g->spring_count > 0;
    return swings ? g->tree.count * sizeof(memory) : 0;
}

void sni_graph_state_reset(const sni_graph *g, void *state) {
    memset(state, 0, sni_graph_state_bytes(g));
}

static memory *memory_of(const pull_system *s, const row *r) {
    const sni_graph_part *of = &s->parts[r->part];
    bool swings = sni_graph_state_bytes(of->graph) > 0 && of->job->state != NULL;
    return swings ? (memory *)of->job->state + r->knot : NULL;
}

// Whether there is a row that goes on from a frame before.
static bool swings(const pull_system *s) {
    bool any = false;
    for (uint32_t i = 0; i < s->row_count; ++i) {
        const memory *m = memory_of(s, &s->rows[i]);
        any = any || (m != NULL && m->known > 0 && s->parts[s->rows[i].part].job->time_step > 0);
    }
    return any;
}

// The row of a step, `share` of the way from the forces of the frame before to those of this one.
static void begin_step(const pull_system *s, row *r, sn_vec3 force, double share, double step) {
    const memory *m = memory_of(s, r);
    const double *parameters = s->parts[r->part].graph->parameters;
    r->force = force;
    r->inertia = 0;
    r->extra = sn_vec3_make(0, 0, 0);
    if (m == NULL || m->known == 0) {
        return;
    }
    double frequency = 2 * SN_PI * parameters[SNI_GRAPH_FREQUENCY];
    double mass = r->mass / (frequency * frequency * step * step);
    double drag = 2 * parameters[SNI_GRAPH_DAMPING] * frequency * step * mass;
    r->force = sn_vec3_lerp(m->force, force, share);
    r->inertia = mass + drag;
    r->extra = sn_vec3_scale(m->move, mass + drag);
    r->extra = sn_vec3_add_scaled(r->extra, mass * step, m->speed);
}

static void keep_step(const pull_system *s, const row *r, double step) {
    memory *m = memory_of(s, r);
    if (m == NULL) {
        return;
    }
    sn_vec3 speed = sn_vec3_scale(sn_vec3_sub(r->move, m->move), step > 0 ? 1 / step : 0);
    m->speed = m->known > 0 ? speed : sn_vec3_make(0, 0, 0);
    m->move = r->move;
}

// From one frame to the next in steps, or at once where nothing is remembered.
static sn_status run_frame(pull_system *s, sni_arena *arena, sn_error *error) {
    double time = s->parts[0].job->time_step;
    uint32_t count = swings(s) ? (uint32_t)fmin(ceil(time / longest_step), STEPS_MOST) : 1;
    sn_vec3 *forces = sni_arena_alloc(arena, s->row_count, sizeof *forces);
    if (forces == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < s->row_count; ++i) {
        forces[i] = s->rows[i].force;
    }
    for (uint32_t k = 1; k <= count; ++k) {
        double step = time / count;
        for (uint32_t i = 0; i < s->row_count; ++i) {
            begin_step(s, &s->rows[i], forces[i], (double)k / count, step);
        }
        balance(s);
        for (uint32_t i = 0; i < s->row_count; ++i) {
            keep_step(s, &s->rows[i], step);
        }
    }
    for (uint32_t i = 0; i < s->row_count; ++i) {
        memory *m = memory_of(s, &s->rows[i]);
        if (m != NULL) {
            m->force = forces[i];
            m->known = 1;
        }
    }
    return SN_OK;
}

// --- All of it

static bool keep_moves(const pull_system *s, sni_arena *arena) {
    for (uint32_t i = 0; i < s->row_count; ++i) {
        const row *r = &s->rows[i];
        sni_graph_part *of = &s->parts[r->part];
        uint32_t n = of->graph->tree.count;
        if (of->moves == NULL) {
            of->moves = sni_arena_alloc(arena, n, sizeof *of->moves);
            if (of->moves == NULL) {
                return false;
            }
            memset(of->moves, 0, n * sizeof *of->moves);
        }
        of->moves[r->knot] = sn_quat_rotate(sn_quat_conjugate(of->pose.home.rotation), r->move);
    }
    return true;
}

sn_status sni_graph_find_moves(uint32_t count, sni_graph_part *parts, sni_arena *arena,
                               sn_error *error) {
    pull_system s = {.part_count = count, .parts = parts};
    sn_status status = SN_OK;
    bool any = false;
    for (uint32_t i = 0; i < count; ++i) {
        any = any || parts[i].graph->spring_count > 0;
    }
    if (!any) {
        return SN_OK;
    }
    SN_TRY(begin_system(&s, arena) ? SN_OK : sni_fail_memory(error));
    double mean = mean_volume(&s);
    for (uint32_t i = 0; i < count; ++i) {
        add_pulls(&s, i, mean);
    }
    SN_TRY(run_frame(&s, arena, error));
    SN_TRY(keep_moves(&s, arena) ? SN_OK : sni_fail_memory(error));
cleanup:
    return status;
}
