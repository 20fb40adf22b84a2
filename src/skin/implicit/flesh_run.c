// SPDX-License-Identifier: Apache-2.0
//
// Frames of flesh.h: muscles are brought back to the parts' places at rest, rows of vertices are
// solved there, eight at a time, and what they are moved by is evened out over neighbours.
#include "skin/implicit/flesh_lanes.h"

#include "base/context.h"

typedef struct flesh_run {
    const sni_flesh *flesh;
    const sni_flesh_job *job;
    sni_flesh_frame frame;
    sn_mat4 *motions;      // of parts, from rest
    sn_vec3 *moves, *next; // of vertices
    uint32_t most_fibres;  // of a part
    sni_flesh_felt *felt;  // most_fibres for each thread
} flesh_run;

static void solve_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const flesh_run *run = user;
    sni_flesh_solve(run->job->context, &run->frame, begin, end,
                    run->felt + (size_t)worker * run->most_fibres);
}

// What the muscles of all parts move vertices by.
static void move_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const flesh_run *run = user;
    const sni_flesh *flesh = run->flesh;
    for (uint32_t v = begin; v < end; ++v) {
        if (run->job->map[v] != v) {
            continue; // nobody asks for its own move
        }
        sn_vec3 by = {0, 0, 0};
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            const sni_flesh_row *row = &flesh->rows[k];
            if (row->weight > 0 && run->frame.ways[k] != 0) {
                sn_vec3 local = sn_vec3_scale(row->inwards, run->frame.ways[k]);
                by = sn_vec3_add_scaled(by, row->weight,
                                        sn_mat4_direction(&run->motions[row->part], local));
            }
        }
        run->moves[v] = by;
    }
}

// A sweep of smoothing: halfway to the mean of the neighbours.
static void smooth_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const flesh_run *run = user;
    const sni_tracker_mesh *mesh = run->job->mesh;
    for (uint32_t v = begin; v < end; ++v) {
        uint32_t i = run->job->map[v], first = mesh->starts[i], last = mesh->starts[i + 1];
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t k = first; k < last; ++k) {
            sum = sn_vec3_add(sum, run->moves[mesh->neighbors[k]]);
        }
        run->next[v] = last > first ? sn_vec3_lerp(run->moves[i],
                                                   sn_vec3_scale(sum, 1.0 / (last - first)), 0.5)
                                    : run->moves[i];
    }
}

static void move_points(flesh_run *run) {
    enum { GRAIN = 512, LANES_GRAIN = 16, SWEEPS = 2 };
    sn_context *context = run->job->context;
    uint32_t count = run->flesh->vertex_count;
    sn_parallel_for(context, run->flesh->lanes_count, LANES_GRAIN, solve_block, run);
    sn_parallel_for(context, count, GRAIN, move_block, run);
    for (int k = 0; k < SWEEPS; ++k) {
        sn_parallel_for(context, count, GRAIN, smooth_block, run);
        sn_vec3 *swap = run->moves;
        run->moves = run->next;
        run->next = swap;
    }
    for (uint32_t v = 0; v < count; ++v) {
        float *point = run->job->points + 3 * (size_t)v;
        sn_vec3_store(sn_vec3_add(sn_vec3_load(point), run->moves[v]), point);
    }
}

// ---------------------------------------------------------------------------------------------
// A frame

// How much larger a motion makes things: the cube root of its volume.
static double scale_of(const sn_mat4 *motion) {
    return cbrt(fabs(sn_mat4_determinant(motion)));
}

// Poses a part and brings its fibres to where it sees them; false when memory runs out.
static bool pose_part(const flesh_run *run, uint32_t part, sni_flesh_fibre *fibres, bool *still) {
    const sni_flesh *flesh = run->flesh;
    sn_mat4 *motion = &run->motions[part];
    sni_solid_view view;
    *motion =
        sn_mat4_multiply(&run->job->worlds[flesh->part_segments[part]], &flesh->to_rest[part]);
    view.scale = scale_of(motion);
    *still = !(view.scale > 0) || !sn_mat4_invert(motion, &view.back);
    if (*still) {
        return true;
    }
    view.back.m[12] -= flesh->origins[part].x;
    view.back.m[13] -= flesh->origins[part].y;
    view.back.m[14] -= flesh->origins[part].z;
    return sni_flesh_see(flesh, part, &view, run->job->posed, run->job->arena, fibres);
}

static uint32_t most_fibres_of(const sni_flesh *flesh) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        uint32_t count = flesh->muscles.starts[i + 1] - flesh->muscles.starts[i];
        most = count > most ? count : most;
    }
    return most;
}

bool sni_flesh_run(const sni_flesh *flesh, const sni_flesh_job *job) {
    sni_arena *arena = job->arena;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    flesh_run run = {.flesh = flesh, .job = job, .most_fibres = most_fibres_of(flesh)};
    uint32_t rows = flesh->offsets[flesh->vertex_count];
    sni_flesh_fibre *fibres =
        sni_arena_alloc(arena, flesh->muscles.starts[flesh->part_count], sizeof *fibres);
    bool *still = sni_arena_alloc(arena, flesh->part_count, sizeof *still);
    run.frame = (sni_flesh_frame){flesh, fibres, still,
                                  sni_arena_alloc(arena, rows, sizeof *run.frame.ways)};
    run.motions = sni_arena_alloc(arena, flesh->part_count, sizeof *run.motions);
    run.moves = sni_arena_alloc(arena, flesh->vertex_count, sizeof *run.moves);
    run.next = sni_arena_alloc(arena, flesh->vertex_count, sizeof *run.next);
    run.felt = sni_arena_alloc(arena, (size_t)run.most_fibres * job->context->thread_count,
                               sizeof *run.felt);
    bool done = fibres != NULL && still != NULL && run.frame.ways != NULL && run.motions != NULL &&
                run.moves != NULL && run.next != NULL && run.felt != NULL;
    for (uint32_t i = 0; i < flesh->part_count && done; ++i) {
        done = pose_part(&run, i, fibres, &still[i]);
    }
    if (done) {
        move_points(&run);
    }
    sni_arena_release(arena, mark);
    return done;
}
