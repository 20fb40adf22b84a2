// SPDX-License-Identifier: Apache-2.0
//
// What carries the knots of a muscle.
#include "muscle/graph/graph.h"

// A point on a bone, seen from a point in space.
typedef struct holder {
    uint32_t point;
    double way;   // along the graph
    double share; // of all that carry the point in space
} holder;

typedef struct search {
    const sni_graph_tree *tree;
    const sni_graph_point *points;
    uint32_t count;
    holder *holders; // room for all points
} search;

static double step(const search *s, uint32_t a, uint32_t b) {
    return sn_vec3_distance(s->points[a].point, s->points[b].point);
}

// Adds a point where it is on a bone; else what lies behind it, away from `before`.
static void visit(search *s, uint32_t point, uint32_t before, double way) {
    const sni_graph_tree *tree = s->tree;
    if (s->points[point].segment != SN_NONE) {
        s->holders[s->count++] = (holder){point, way, 1};
        return;
    }
    uint32_t parent = tree->parents[point];
    for (uint32_t k = tree->child_starts[point]; k < tree->child_starts[point + 1]; ++k) {
        uint32_t child = tree->children[k];
        if (child != before && s->count < tree->count) {
            visit(s, child, point, way + step(s, point, child));
        }
    }
    if (parent != SN_NONE && parent != before && s->count < tree->count) {
        visit(s, parent, point, way + step(s, point, parent));
    }
}

// Whether any point of each graph is on a bone.
static sn_status check_held(const sni_muscle_job *job, const sni_graph_tree *tree,
                            const sni_graph_point *points, sn_error *error) {
    for (uint32_t i = 0; i < tree->count; ++i) {
        bool held = false;
        for (uint32_t k = 0; k < tree->count && !held; ++k) {
            held = tree->graphs[k] == tree->graphs[i] && points[k].segment != SN_NONE;
        }
        if (!held) {
            return sni_fail(error, SN_INVALID,
                            "%s: point %u and all that it is joined to are in space; one at least "
                            "must be on a bone or segment",
                            job->name, i);
        }
    }
    return SN_OK;
}

static sn_status carry(const sni_muscle_job *job, uint32_t segment, double share, sn_vec3 point,
                       sni_graph_carrier *carrier, sn_error *error) {
    *carrier = (sni_graph_carrier){.segment = segment, .share = share};
    return sni_carry_point(job, segment, point, &carrier->point, error);
}

// The carriers of one point P: shares s_k of points H_k on bones fall with the way, as 1 / way.
// Each carries H_k and how far P is from the mean of all; where two segments share H_k, both do:
//
//     P = sum_k s_k (H_k + o),   o = P - sum_k s_k H_k
//
// so that a point between two bones stays between them however far these turn. Carried by both as
// it is, it would leave their line where one of them swings around a joint far away.
static sn_status add_carriers(const sni_muscle_job *job, search *s, uint32_t point,
                              sni_graph_carrier *carriers, uint32_t *count, sn_error *error) {
    sn_vec3 off = s->points[point].point;
    double sum = 0;
    sn_status status = SN_OK;
    s->count = 0;
    visit(s, point, SN_NONE, 0);
    for (uint32_t i = 0; i < s->count; ++i) {
        sum += s->holders[i].way > 0 ? 1 / s->holders[i].way : 0;
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        s->holders[i].share = sum > 0 ? 1 / s->holders[i].way / sum : 1;
        off = sn_vec3_add_scaled(off, -s->holders[i].share, s->points[s->holders[i].point].point);
    }
    for (uint32_t i = 0; i < s->count && status == SN_OK; ++i) {
        const sni_graph_point *holding = &s->points[s->holders[i].point];
        sn_vec3 at = sn_vec3_add(holding->point, off);
        double share = s->holders[i].share;
        status = carry(job, holding->segment, share * (1 - holding->share), at,
                       &carriers[(*count)++], error);
        if (status == SN_OK && holding->share > 0) {
            status = carry(job, holding->second, share * holding->share, at, &carriers[(*count)++],
                           error);
        }
    }
    return status;
}

sn_status sni_graph_knots_init(sni_graph_knots *knots, const sni_muscle_job *job,
                               const sni_graph_tree *tree, const sni_graph_point *points,
                               sn_error *error) {
    search s = {.tree = tree, .points = points};
    sn_status status = SN_OK;
    uint32_t count = 0, total = 0;
    *knots = (sni_graph_knots){0};
    SN_TRY(check_held(job, tree, points, error));
    SNI_NEW(job->context, s.holders, tree->count);
    SNI_NEW(job->context, knots->starts, (size_t)tree->count + 1);
    for (uint32_t i = 0; i < tree->count; ++i) {
        s.count = 0;
        visit(&s, i, SN_NONE, 0);
        for (uint32_t k = 0; k < s.count; ++k) {
            total += points[s.holders[k].point].share > 0 ? 2 : 1;
        }
    }
    SNI_NEW_ZERO(job->context, knots->carriers, total);
    for (uint32_t i = 0; i < tree->count; ++i) {
        knots->starts[i] = count;
        SN_TRY(add_carriers(job, &s, i, knots->carriers, &count, error));
    }
    knots->starts[tree->count] = count;
cleanup:
    sni_free(job->context, s.holders);
    return status;
}

void sni_graph_knots_deinit(sni_graph_knots *knots, sn_context *context) {
    sni_free(context, knots->starts);
    sni_free(context, knots->carriers);
    *knots = (sni_graph_knots){0};
}

void sni_graph_knots_keep(sni_graph_knots *knots, const sni_graph_tree *tree,
                          const sn_mat4 *rest_worlds, const sni_rigid_frame *home,
                          const sni_graph_frame *frames) {
    for (uint32_t i = 0; i < tree->count; ++i) {
        for (uint32_t k = knots->starts[i]; k < knots->starts[i + 1]; ++k) {
            sni_graph_carrier *carrier = &knots->carriers[k];
            sni_rigid_frame rest = sni_rigid_frame_of(&rest_worlds[carrier->segment]);
            sn_quat turn = sn_quat_multiply(sn_quat_conjugate(rest.rotation), home->rotation);
            carrier->y = sn_quat_rotate(turn, frames[i].y);
            carrier->z = sn_quat_rotate(turn, frames[i].z);
        }
    }
}

void sni_graph_knots_carry(const sni_graph_knots *knots, uint32_t count, const sn_mat4 *worlds,
                           const sni_rigid_frame *home, sni_graph_frame *carried) {
    for (uint32_t i = 0; i < count; ++i) {
        sni_graph_frame sum = {0};
        for (uint32_t k = knots->starts[i]; k < knots->starts[i + 1]; ++k) {
            const sni_graph_carrier *carrier = &knots->carriers[k];
            const sn_mat4 *world = &worlds[carrier->segment];
            sni_rigid_frame rigid = sni_rigid_frame_of(world);
            sn_quat turn = sn_quat_multiply(sn_quat_conjugate(home->rotation), rigid.rotation);
            sn_vec3 point = sni_carried_point(home, world, carrier->point);
            sum.origin = sn_vec3_add_scaled(sum.origin, carrier->share, point);
            sum.y = sn_vec3_add_scaled(sum.y, carrier->share, sn_quat_rotate(turn, carrier->y));
            sum.z = sn_vec3_add_scaled(sum.z, carrier->share, sn_quat_rotate(turn, carrier->z));
        }
        sum.x = sn_vec3_normalize_or(sn_vec3_cross(sum.y, sum.z), sn_vec3_make(1, 0, 0));
        carried[i] = sum;
    }
}
