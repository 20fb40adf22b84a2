// SPDX-License-Identifier: Apache-2.0
//
// Groups of rigid bodies that act on each other, and the systems that are solved for them.
#include "eval/rigid.h"

#include "base/json_internal.h"

#include <math.h>
#include <string.h>

// --- Bases

sni_base sni_base_of(const sn_mat4 *worlds, uint32_t segment) {
    if (segment == SN_NONE) {
        return (sni_base){.rotation = sn_quat_identity(), .scale = 1};
    }
    sn_transform parts;
    sn_mat4_decompose(&worlds[segment], &parts);
    double scale = cbrt(fabs(sn_mat4_determinant(&worlds[segment])));
    return (sni_base){.rotation = parts.rotation,
                      .translation = parts.translation,
                      .scale = scale > 0 ? scale : 1};
}

sn_mat4 sni_base_leave(const sni_base *base, double rest_scale) {
    double factor = base->scale / rest_scale;
    sn_transform place = {base->translation, base->rotation, {factor, factor, factor}};
    return sn_mat4_from_transform(&place);
}

sn_mat4 sni_base_enter(const sni_base *base, double rest_scale) {
    double factor = rest_scale / base->scale;
    sn_quat back = sn_quat_conjugate(base->rotation);
    sn_vec3 way = sn_quat_rotate(back, sn_vec3_scale(base->translation, -factor));
    sn_transform place = {way, back, {factor, factor, factor}};
    return sn_mat4_from_transform(&place);
}

// --- Which bodies act on each other

typedef struct grouping {
    sni_rest *rest;
    uint32_t *lowest; // of bodies: the lowest one that it is known to be grouped with
    sni_arena arena;
} grouping;

static uint32_t find_lowest(const grouping *g, uint32_t body) {
    while (g->lowest[body] != body) {
        body = g->lowest[body];
    }
    return body;
}

static void unite(const grouping *g, uint32_t body, uint32_t segment) {
    uint32_t other = segment != SN_NONE ? sni_find_mover(g->rest->blueprint, segment) : SN_NONE;
    if (other != SN_NONE) {
        uint32_t a = find_lowest(g, body), b = find_lowest(g, other);
        g->lowest[a > b ? a : b] = a > b ? b : a;
    }
}

// Calls `visit` for every segment that carries something of a body, more than once for some.
typedef void (*segment_fn)(void *user, uint32_t body, uint32_t segment);

static sn_status visit_muscles(sni_rest *rest, uint32_t body, sni_arena *arena, segment_fn visit,
                               void *user, sn_error *error) {
    const sni_rigid_plan *plan = &rest->blueprint->bodies[body];
    for (uint32_t i = 0; i < plan->pull_count; ++i) {
        sni_muscle_lines lines;
        sn_status status = sni_muscle_rest_lines(rest, plan->pulls[i].muscle, arena, &lines, error);
        if (status != SN_OK) {
            return sni_at_value(status, plan->pulls[i].value, error);
        }
        for (uint32_t k = 0; k < lines.count; ++k) {
            for (uint32_t j = 0; j < lines.lines[k].pull_count; ++j) {
                visit(user, body, lines.lines[k].pulls[j].segment);
            }
        }
    }
    return SN_OK;
}

static sn_status visit_segments(sni_rest *rest, uint32_t body, sni_arena *arena, segment_fn visit,
                                void *user, sn_error *error) {
    const sni_rigid_plan *plan = &rest->blueprint->bodies[body];
    for (uint32_t i = 0; i < plan->joint_count; ++i) {
        visit(user, body, plan->joints[i].on);
    }
    for (uint32_t i = 0; i < plan->ligament_count; ++i) {
        visit(user, body, plan->ligaments[i].ends[0].segment);
        visit(user, body, plan->ligaments[i].ends[1].segment);
    }
    for (uint32_t i = 0; i < plan->contact_count; ++i) {
        for (uint32_t k = 0; k < plan->contacts[i].against_count; ++k) {
            visit(user, body, rest->surfaces[plan->contacts[i].against[k]].segment);
        }
    }
    return visit_muscles(rest, body, arena, visit, user, error);
}

static void unite_segment(void *user, uint32_t body, uint32_t segment) {
    unite(user, body, segment);
}

// A muscle of a body must pull at it.
static sn_status check_muscles(const grouping *g, uint32_t body, sni_arena *arena,
                               sn_error *error) {
    const sni_blueprint *blueprint = g->rest->blueprint;
    const sni_rigid_plan *plan = &blueprint->bodies[body];
    for (uint32_t i = 0; i < plan->pull_count; ++i) {
        sni_muscle_lines lines;
        bool pulls = false;
        sn_status status =
            sni_muscle_rest_lines(g->rest, plan->pulls[i].muscle, arena, &lines, error);
        if (status != SN_OK) {
            return status;
        }
        for (uint32_t k = 0; k < lines.count; ++k) {
            for (uint32_t j = 0; j < lines.lines[k].pull_count; ++j) {
                uint32_t segment = lines.lines[k].pulls[j].segment;
                pulls = pulls || sni_find_mover(blueprint, segment) == body;
                if (sni_rig_segment_follows(g->rest->rig, segment)) {
                    return sni_fail_value(
                        error, plan->pulls[i].value, SN_INVALID,
                        "the muscle is on \"%s\", which a synergy moves by a control that is "
                        "computed from where a body is: a circle",
                        sni_rig_skeleton(g->rest->rig)->segments[segment].name);
                }
            }
        }
        if (!pulls) {
            return sni_fail_value(error, plan->pulls[i].value, SN_INVALID,
                                  "\"%s\" is not attached to the body: neither end is on \"%s\"",
                                  blueprint->muscles[plan->pulls[i].muscle].name,
                                  sni_rig_skeleton(g->rest->rig)->segments[plan->segment].name);
        }
    }
    return SN_OK;
}

static sn_status find_groups(grouping *g, sn_error *error) {
    const sni_blueprint *blueprint = g->rest->blueprint;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->body_count; ++i) {
        g->lowest[i] = i;
    }
    for (uint32_t i = 0; i < blueprint->body_count; ++i) {
        SN_TRY(visit_segments(g->rest, i, &g->arena, unite_segment, g, error));
        SN_TRY(check_muscles(g, i, &g->arena, error));
    }
    for (uint32_t i = 0; i < blueprint->body_count; ++i) {
        g->lowest[i] = find_lowest(g, i);
    }
cleanup:
    return status;
}

// --- A group

// The body that moves a segment itself.
static uint32_t body_of(const sni_blueprint *blueprint, uint32_t segment) {
    uint32_t body = sni_find_mover(blueprint, segment);
    return body != SN_NONE && blueprint->bodies[body].segment == segment ? body : SN_NONE;
}

// The bodies of a group, those that others hang on first.
static sn_status list_bodies(const grouping *g, uint32_t lowest, sni_body_group *group,
                             sn_error *error) {
    const sni_blueprint *blueprint = g->rest->blueprint;
    const sn_skeleton *skeleton = sni_rig_skeleton(g->rest->rig);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->body_count; ++i) {
        group->body_count += g->lowest[i] == lowest;
    }
    SNI_NEW_ZERO(g->rest->context, group->bodies, group->body_count);
    for (uint32_t i = 0, next = 0; i < skeleton->segment_count; ++i) {
        uint32_t body = body_of(blueprint, skeleton->parents_first[i]);
        if (body != SN_NONE && g->lowest[body] == lowest) {
            group->bodies[next++].body = body;
        }
    }
cleanup:
    return status;
}

// The segment that the first body hangs on and no body carries.
static uint32_t find_base(const sni_rest *rest, const sni_body_group *group) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    uint32_t segment = rest->blueprint->bodies[group->bodies[0].body].segment;
    while (segment != SN_NONE && sni_find_mover(rest->blueprint, segment) != SN_NONE) {
        segment = skeleton->segments[segment].parent;
    }
    return segment;
}

typedef struct carrying {
    const sni_rest *rest;
    sni_body_group *group;
} carrying;

// Things that are neither the base nor bodies become carriers, by the order in which they are met.
static void add_carrier(void *user, uint32_t body, uint32_t segment) {
    const carrying *c = user;
    sni_body_group *group = c->group;
    (void)body;
    if (segment == SN_NONE || segment == group->base || group->things[segment] != SN_NONE) {
        return;
    }
    group->things[segment] = group->body_count + group->carrier_count;
    group->carriers[group->carrier_count++] = segment;
}

// What every segment is to a group: bodies carry theirs, and those that hang on them.
static sn_status find_things(const grouping *g, sni_body_group *group, sn_error *error) {
    sni_rest *rest = g->rest;
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    sn_mat4 enter = sni_base_enter(&group->rest, group->rest.scale);
    sni_arena *arena = (sni_arena *)&g->arena;
    carrying c = {rest, group};
    sn_status status = SN_OK;
    SNI_NEW(rest->context, group->things, skeleton->segment_count);
    SNI_NEW(rest->context, group->carriers, skeleton->segment_count);
    SNI_NEW(rest->context, group->rest_places, skeleton->segment_count);
    SNI_NEW(rest->context, group->moved, skeleton->segment_count);
    for (uint32_t n = 0; n < skeleton->segment_count; ++n) {
        uint32_t i = skeleton->parents_first[n], mover = sni_find_mover(rest->blueprint, i);
        group->things[i] = SN_NONE;
        group->rest_places[i] = sn_mat4_multiply(&enter, &rest->worlds[i]);
        for (uint32_t k = 0; k < group->body_count; ++k) {
            group->things[i] = mover == group->bodies[k].body ? k : group->things[i];
        }
        if (group->things[i] != SN_NONE) {
            group->moved[group->moved_count++] = i;
        }
    }
    for (uint32_t i = 0; i < group->body_count; ++i) {
        SN_TRY(visit_segments(rest, group->bodies[i].body, arena, add_carrier, &c, error));
    }
cleanup:
    return status;
}

static bool has_changing_pivots(const sni_muscle_plan *plan) {
    const sni_bodies_plan *bodies = sni_muscle_bodies(plan);
    bool changes = false;
    for (uint32_t i = 0; bodies != NULL && i < bodies->count; ++i) {
        for (uint32_t k = 0; k < bodies->bodies[i].body.pivot_count; ++k) {
            const sni_pivot_plan *pivot = &bodies->bodies[i].body.pivots[k];
            changes = changes || pivot->use == SNI_PIVOT_RANGE;
            for (int axis = 0; axis < 3; ++axis) {
                changes = changes || pivot->moves[axis].curve.track.key_count > 0;
            }
        }
    }
    return changes;
}

static sn_status list_muscles(const grouping *g, sni_body_group *group, sn_error *error) {
    sni_rest *rest = g->rest;
    sni_arena *arena = (sni_arena *)&g->arena;
    sn_status status = SN_OK;
    uint32_t next = 0;
    for (uint32_t i = 0; i < group->body_count; ++i) {
        group->muscle_count += rest->blueprint->bodies[group->bodies[i].body].pull_count;
    }
    SNI_NEW_ZERO(rest->context, group->muscles, group->muscle_count);
    for (uint32_t i = 0; i < group->body_count; ++i) {
        const sni_rigid_plan *plan = &rest->blueprint->bodies[group->bodies[i].body];
        for (uint32_t k = 0; k < plan->pull_count; ++k) {
            sni_muscle_lines lines;
            uint32_t muscle = plan->pulls[k].muscle;
            SN_TRY(sni_muscle_rest_lines(rest, muscle, arena, &lines, error));
            group->muscles[next++] = (sni_group_muscle){.muscle = muscle,
                                                        .plan = &plan->pulls[k],
                                                        .body = i,
                                                        .first_line = group->line_count,
                                                        .line_count = lines.count};
            group->line_count += lines.count;
            for (uint32_t j = 0; j < lines.count; ++j) {
                group->pull_count += lines.lines[j].pull_count;
            }
            group->pivots_change =
                group->pivots_change || has_changing_pivots(&rest->blueprint->muscles[muscle]);
        }
    }
cleanup:
    return status;
}

// --- The system

static void destroy_system(sn_context *context, sni_made *made) {
    sni_made_rigid *system = (sni_made_rigid *)made;
    sni_rigid_destroy(system->rigid);
    sni_free(context, system);
}

static sn_status find_or_make_system(sni_group_making *m, sn_error *error) {
    sni_rest *rest = m->rest;
    sni_made *found = NULL;
    sni_made_rigid *made = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_store_find(rest->store, &m->digest, &found, error));
    if (found == NULL) {
        SNI_NEW_ZERO(rest->context, made, 1);
        sni_made_init(&made->made, &m->digest, destroy_system);
        SN_TRY(sni_rigid_create(rest->context, &m->desc, &made->rigid, error));
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    m->group->system = (const sni_made_rigid *)found;
cleanup:
    if (made != NULL) {
        sni_made_release(rest->context, &made->made); // the store holds it
    }
    return status;
}

// The lines of muscles at rest, for the load that bodies have there.
static bool find_rest_lines(void *user, const sni_rigid_place *bodies,
                            sni_rigid_posed_line *lines) {
    (void)bodies;
    return sni_group_pull(user, lines, NULL) == SN_OK;
}

// What acts on each body at rest, with relaxed muscles.
static sn_status find_loads(sni_group_making *m, sn_error *error) {
    sni_body_group *group = m->group;
    sni_arena *arena = &m->arena;
    double *relaxed = sni_arena_alloc(arena, group->muscle_count, sizeof *relaxed);
    sni_rigid_place *carriers = sni_arena_alloc(arena, group->carrier_count, sizeof *carriers);
    sni_group_pulling pulling = {
        .group = group, .rest = m->rest, .worlds = group->rest_places, .arena = arena};
    sni_rigid_watch *watch = NULL;
    sn_status status = relaxed != NULL && carriers != NULL ? SN_OK : sni_fail_memory(error);
    if (status == SN_OK) {
        status = sni_rigid_watch_create(group->system->rigid, &watch, error);
    }
    for (uint32_t i = 0; i < group->muscle_count && status == SN_OK; ++i) {
        relaxed[i] = 0;
    }
    for (uint32_t i = 0; i < group->carrier_count && status == SN_OK; ++i) {
        carriers[i] = (sni_rigid_place){.turn = sn_quat_identity()};
    }
    for (uint32_t i = 0; i < group->body_count && status == SN_OK; ++i) {
        sni_group_body *body = &group->bodies[i];
        const sni_rigid_plan *plan = &m->rest->blueprint->bodies[body->body];
        sn_vec3 down = sn_vec3_make(0, -plan->parameters[SNI_BODY_GRAVITY], 0);
        sni_rigid_job job = {.watch = watch,
                             .arena = arena,
                             .gravity =
                                 sn_quat_rotate(sn_quat_conjugate(group->rest.rotation), down),
                             .activations = relaxed,
                             .carriers = carriers,
                             .lines = find_rest_lines,
                             .user = &pulling};
        if (sni_rigid_load_at_rest(group->system->rigid, &job, i, &body->force, &body->torque) !=
            SNI_RIGID_DONE) {
            status = sni_fail_memory(error);
        }
    }
    sni_rigid_watch_destroy(watch);
    return status;
}

static sn_status make_system(sni_rest *rest, sni_body_group *group, sn_error *error) {
    sni_group_making m = {.rest = rest,
                          .group = group,
                          .enter = sni_base_enter(&group->rest, group->rest.scale),
                          .digest = sni_digest_new()};
    sn_status status = SN_OK;
    sni_arena_init(&m.arena, rest->context);
    sni_digest_add_text(&m.digest, "rigid bodies");
    m.desc.carrier_count = group->carrier_count;
    sni_digest_add_index(&m.digest, group->carrier_count);
    SN_TRY(sni_group_add_masses(&m, error));
    SN_TRY(sni_group_add_joints(&m, error));
    SN_TRY(sni_group_add_ligaments(&m, error));
    SN_TRY(sni_group_add_contacts(&m, error));
    SN_TRY(sni_group_add_muscles(&m, error));
    SN_TRY(find_or_make_system(&m, error));
    SN_TRY(find_loads(&m, error));
cleanup:
    for (uint32_t i = 0; i < m.mesh_count; ++i) {
        sn_mesh_destroy(m.meshes[i]);
        sni_free(rest->context, m.tested[i]);
    }
    sni_free(rest->context, m.meshes);
    sni_free(rest->context, m.tested);
    sni_arena_deinit(&m.arena);
    return status;
}

static sn_status make_group(grouping *g, uint32_t lowest, sni_body_group *group, sn_error *error) {
    sni_rest *rest = g->rest;
    sn_status status = SN_OK;
    SN_TRY(list_bodies(g, lowest, group, error));
    group->base = find_base(rest, group);
    group->rest = sni_base_of(rest->worlds, group->base);
    SN_TRY(find_things(g, group, error));
    SN_TRY(list_muscles(g, group, error));
    for (uint32_t i = 0; i < group->body_count; ++i) {
        const sni_rigid_plan *plan = &rest->blueprint->bodies[group->bodies[i].body];
        group->simulated =
            group->simulated || plan->parameters[SNI_BODY_MOTION] == SNI_BODY_SIMULATED;
    }
    SN_TRY(sni_at_value(make_system(rest, group, error),
                        rest->blueprint->bodies[group->bodies[0].body].value, error));
cleanup:
    return status;
}

sn_status sni_bodies_make(sni_rest *rest, sni_bodies *bodies, sn_error *error) {
    uint32_t count = rest->blueprint->body_count;
    grouping g = {.rest = rest};
    sn_status status = SN_OK;
    *bodies = (sni_bodies){0};
    if (count == 0) {
        return SN_OK;
    }
    sni_arena_init(&g.arena, rest->context);
    SNI_NEW(rest->context, g.lowest, count);
    SNI_NEW(rest->context, bodies->group_of, count);
    SNI_NEW(rest->context, bodies->number, count);
    SNI_NEW_ZERO(rest->context, bodies->groups, count);
    SN_TRY(find_groups(&g, error));
    for (uint32_t i = 0; i < count; ++i) {
        bodies->group_of[i] = SN_NONE;
    }
    // Those that others hang on first.
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t body = body_of(rest->blueprint, skeleton->parents_first[i]);
        if (body == SN_NONE || bodies->group_of[body] != SN_NONE) {
            continue;
        }
        uint32_t number = bodies->group_count++;
        SN_TRY(make_group(&g, g.lowest[body], &bodies->groups[number], error));
        for (uint32_t k = 0; k < bodies->groups[number].body_count; ++k) {
            bodies->group_of[bodies->groups[number].bodies[k].body] = number;
            bodies->number[bodies->groups[number].bodies[k].body] = k;
        }
    }
cleanup:
    sni_free(rest->context, g.lowest);
    sni_arena_deinit(&g.arena);
    return status;
}

void sni_bodies_deinit(sn_context *context, sni_bodies *bodies) {
    for (uint32_t i = 0; i < bodies->group_count; ++i) {
        sni_body_group *group = &bodies->groups[i];
        sni_free(context, group->bodies);
        sni_free(context, group->carriers);
        sni_free(context, group->muscles);
        sni_free(context, group->things);
        sni_free(context, group->moved);
        sni_free(context, group->rest_places);
    }
    sni_free(context, bodies->groups);
    sni_free(context, bodies->group_of);
    sni_free(context, bodies->number);
}
