// SPDX-License-Identifier: Apache-2.0
//
// Where a cylinder muscle pulls at bones. Along its axis the tension is the same everywhere; each
// straight piece pulls at both of its ends. Around a body the axis slides without friction, so that
// the body is pulled where the axis enters and where it leaves.
//
// A pivot that is in effect in part, by e, stands between the straight way a-b past it and its own
// place p:
//
//     node = (1 - e) ((1 - s) a + s b) + e p
//
// What pulls at the node pulls at a, b and p in these shares. (That e changes with the pose is left
// out.)
#include "muscle/cylinder/cylinder.h"

// The pulls of a line: two at each end, then of the inner nodes, then two of each body.
enum { ORIGIN_PULLS = 0, INSERTION_PULLS = 2, NODE_PULLS = 4 };

uint32_t sni_cylinder_pull_count(const sni_cylinder *cylinder) {
    return NODE_PULLS + cylinder->node_count - 2 + 2 * cylinder->wrap_count;
}

typedef struct pulling {
    const sni_cylinder *cylinder;
    const sni_cylinder_path *path;
    sni_muscle_pull *nodes; // node_count: all that pulls at a node, in the frame of `home`
    sni_muscle_pull *arcs;  // wrap_count x 2
    sni_muscle_line *line;
} pulling;

// The straight pieces and arcs from a node to the next.
static void add_leg(const pulling *p, uint32_t from, uint32_t to) {
    const sni_cylinder_path *path = p->path;
    sni_muscle_pull *last = &p->nodes[from];
    for (uint32_t i = path->first_arcs[from]; i < path->first_arcs[to]; ++i) {
        uint32_t wrap = path->order[i];
        if (path->arcs[wrap].touches) {
            sni_muscle_line_add(p->line, last, &p->arcs[2 * (size_t)wrap]);
            p->line->length += path->arcs[wrap].length;
            last = &p->arcs[2 * (size_t)wrap + 1];
        }
    }
    sni_muscle_line_add(p->line, last, &p->nodes[to]);
}

static void add_share(sni_muscle_pull *to, double share, const sni_muscle_pull *from) {
    to->force = sn_vec3_add_scaled(to->force, share, from->force);
    to->bend += share * from->bend;
}

// Hands on what pulls at pivots that are not wholly in effect.
static void hand_on(const pulling *p) {
    for (uint32_t i = p->cylinder->node_count - 1; i-- > 1;) {
        sni_muscle_pull *node = &p->nodes[i];
        double effect = p->path->effects[i];
        if (p->path->fixed[i] || effect == 1) {
            continue;
        }
        uint32_t next;
        double share = sni_cylinder_way_to_next(p->cylinder, p->path, i, &next);
        sn_vec3 way =
            sn_vec3_lerp(p->path->nodes[i - 1].origin, p->path->nodes[next].origin, share);
        sn_vec3 from_way = sn_vec3_sub(node->at, way);
        node->at = effect > 0 ? sn_vec3_add_scaled(way, 1 / effect, from_way) : node->at;
        add_share(&p->nodes[i - 1], (1 - effect) * (1 - share), node);
        add_share(&p->nodes[next], (1 - effect) * share, node);
        node->force = sn_vec3_scale(node->force, effect);
        node->bend *= effect;
    }
}

// An end stands in the middle of two places.
static void write_end(const pulling *p, int end, const sn_mat4 *worlds) {
    const sni_cylinder *c = p->cylinder;
    const sni_muscle_pull *node = &p->nodes[end == 0 ? 0 : c->node_count - 1];
    for (int k = 0; k < 2; ++k) {
        const sni_carried_place *place = &c->places[end][k];
        sni_muscle_pull *pull = &p->line->pulls[(end == 0 ? ORIGIN_PULLS : INSERTION_PULLS) + k];
        *pull = (sni_muscle_pull){
            .segment = place->segment,
            .at = sn_mat4_point(&worlds[place->segment], place->point),
            .force = sn_vec3_scale(sn_quat_rotate(p->path->home.rotation, node->force), 0.5),
            .bend = node->bend / 2};
    }
}

static void write_pull(const pulling *p, uint32_t number, uint32_t segment, sn_vec3 at,
                       const sni_muscle_pull *from) {
    p->line->pulls[number] =
        (sni_muscle_pull){.segment = segment,
                          .at = sni_rigid_frame_point(&p->path->home, at),
                          .force = sn_quat_rotate(p->path->home.rotation, from->force),
                          .bend = from->bend};
}

static void write_all(const pulling *p, const sn_mat4 *worlds) {
    const sni_cylinder *c = p->cylinder;
    uint32_t next = NODE_PULLS;
    write_end(p, 0, worlds);
    write_end(p, 1, worlds);
    for (uint32_t i = 1; i + 1 < c->node_count; ++i) {
        write_pull(p, next++, c->nodes[i].segment, p->nodes[i].at, &p->nodes[i]);
    }
    for (size_t i = 0; i < c->wrap_count; ++i) {
        const sni_wrap_arc *arc = &p->path->arcs[i];
        bool touches = arc->touches;
        uint32_t segment = c->wraps[i].segment;
        sn_vec3 center = p->path->bodies[i].center;
        write_pull(p, next++, segment, touches ? arc->enter : center, &p->arcs[2 * i]);
        write_pull(p, next++, segment, touches ? arc->leave : center, &p->arcs[2 * i + 1]);
    }
}

static bool init(pulling *p, sni_arena *arena) {
    uint32_t nodes = p->cylinder->node_count, arcs = 2 * p->cylinder->wrap_count;
    p->nodes = sni_arena_alloc(arena, nodes, sizeof *p->nodes);
    p->arcs = sni_arena_alloc(arena, arcs, sizeof *p->arcs);
    for (uint32_t i = 0; p->nodes != NULL && i < nodes; ++i) {
        p->nodes[i] = (sni_muscle_pull){.at = p->path->nodes[i].origin};
    }
    for (uint32_t i = 0; p->arcs != NULL && i < arcs; ++i) {
        const sni_wrap_arc *arc = &p->path->arcs[i / 2];
        p->arcs[i] = (sni_muscle_pull){.at = i % 2 == 0 ? arc->enter : arc->leave};
    }
    return p->nodes != NULL && p->arcs != NULL;
}

sn_status sni_cylinder_pull(const sni_cylinder *cylinder, const sni_muscle_pose_job *job,
                            const sni_muscle_pivot_place *pivots, sni_muscle_line *line,
                            sn_error *error) {
    SN_ASSERT(line->pull_count == sni_cylinder_pull_count(cylinder));
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_cylinder_path path;
    pulling p = {.cylinder = cylinder, .path = &path, .line = line};
    sn_status status = sni_carried_check_pose(cylinder->name, cylinder->segment_count, job, error);
    if (status == SN_OK && !sni_cylinder_path_init(cylinder, job->arena, &path)) {
        status = sni_fail_memory(error);
    }
    if (status == SN_OK) {
        sni_cylinder_find_stops(cylinder, job->worlds, pivots, &path);
        status = init(&p, job->arena) ? SN_OK : sni_fail_memory(error);
    }
    if (status == SN_OK) {
        line->length = 0;
        for (uint32_t i = 0, next; i + 1 < cylinder->node_count; i = next) {
            next = sni_cylinder_next_node(cylinder, &path, i);
            add_leg(&p, i, next);
        }
        hand_on(&p);
        write_all(&p, job->worlds);
    }
    sni_arena_release(job->arena, mark);
    return status;
}
