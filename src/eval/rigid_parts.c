// SPDX-License-Identifier: Apache-2.0
//
// What a document says about rigid bodies, as the numbers of a system: in the base of their group,
// as it stands at rest.
#include "eval/rigid.h"

#include "base/json_internal.h"

#include <math.h>
#include <string.h>

static const sni_rigid_plan *plan_of(const sni_group_making *m, uint32_t number) {
    return &m->rest->blueprint->bodies[m->group->bodies[number].body];
}

static sn_vec3 enter_point(const sni_group_making *m, sn_vec3 world) {
    return sn_mat4_point(&m->enter, world);
}

static sn_vec3 enter_direction(const sni_group_making *m, sn_vec3 world) {
    return sn_vec3_normalize_or(sn_mat4_direction(&m->enter, world), sn_vec3_make(0, 0, 0));
}

// From the coordinates of a surface's mesh to the base.
static sn_mat4 mesh_place(const sni_group_making *m, uint32_t surface) {
    const sn_surface *of = &m->rest->surfaces[surface];
    return of->in_segment_frame ? sn_mat4_multiply(&m->enter, &m->rest->worlds[of->segment])
                                : m->enter;
}

static void add_vector(sni_digest *digest, sn_vec3 v) {
    sni_digest_add_vector(digest, v);
}

// --- Mass

// The mass of a mesh where it is placed, outward or not.
static sn_status measure_bone(const sni_group_making *m, uint32_t surface, sn_mass *mass,
                              sn_error *error) {
    const sn_mesh *mesh = m->rest->surfaces[surface].mesh;
    sn_mat4 place = mesh_place(m, surface);
    sn_triangles *triangles = NULL;
    float *positions = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_rest_check_closed(m->rest, surface, error));
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SNI_NEW(m->rest->context, positions, 3 * (size_t)mesh->vertex_count);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)i);
        sn_vec3_store(sn_mat4_point(&place, p), positions + 3 * (size_t)i);
    }
    SN_TRY(sn_mass_compute(m->rest->context, positions, triangles->vertices, triangles->count, mass,
                           error));
cleanup:
    sni_free(m->rest->context, positions);
    sn_triangles_destroy(triangles);
    return status;
}

// Adds a solid to others: centres by their volumes, moments by Steiner's theorem.
static void join(const sn_mass *part, sn_mass *all) {
    double side = part->volume < 0 ? -1 : 1, volume = side * part->volume;
    double sum = all->volume + volume, share = sum > 0 ? volume / sum : 0;
    sn_vec3 way = sn_vec3_sub(part->centroid, all->centroid);
    double square = sn_vec3_dot(way, way), reduced = all->volume * share;
    const double w[3] = {way.x, way.y, way.z};
    for (int i = 0; i < 9; ++i) {
        double steiner = (i % 4 == 0 ? square : 0) - w[i / 3] * w[i % 3];
        all->inertia[i] += side * part->inertia[i] + reduced * steiner;
    }
    all->centroid = sn_vec3_add_scaled(all->centroid, share, way);
    all->volume = sum;
}

static sn_status add_mass(sni_group_making *m, uint32_t number, sni_rigid_body *body,
                          sn_error *error) {
    const sni_rigid_plan *plan = plan_of(m, number);
    sn_mass all = {0};
    for (uint32_t i = 0; i < plan->bone_count; ++i) {
        sn_mass part;
        sn_status status = measure_bone(m, plan->bones[i], &part, error);
        if (status != SN_OK) {
            return status;
        }
        join(&part, &all);
    }
    if (!(all.volume > 0)) {
        return sni_fail_value(error, plan->bones_value, SN_INVALID,
                              "the bones of \"%s\" have no volume", plan->name);
    }
    double mass = plan->parameters[SNI_BODY_MASS];
    double density = mass > 0 ? mass / all.volume : plan->parameters[SNI_BODY_DENSITY];
    *body = (sni_rigid_body){.mass = density * all.volume, .center = all.centroid};
    for (int i = 0; i < 9; ++i) {
        body->inertia[i] = density * all.inertia[i];
    }
    m->group->bodies[number].mass = body->mass;
    sni_digest_add_number(&m->digest, body->mass);
    add_vector(&m->digest, body->center);
    sni_digest_add(&m->digest, body->inertia, sizeof body->inertia);
    return SN_OK;
}

sn_status sni_group_add_masses(sni_group_making *m, sn_error *error) {
    uint32_t count = m->group->body_count;
    sni_rigid_body *bodies = sni_arena_alloc(&m->arena, count, sizeof *bodies);
    sn_status status = bodies != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = add_mass(m, i, &bodies[i], error);
    }
    m->desc.body_count = count;
    m->desc.bodies = bodies;
    return status;
}

// --- Joints

static double tangent(double degrees) {
    return tan(degrees * SN_PI / 180);
}

static void add_joint(sni_group_making *m, uint32_t number, const sni_joint_plan *plan,
                      sni_rigid_joint *joint) {
    const sni_rest *rest = m->rest;
    const double *s = plan->settings;
    uint32_t segment = plan_of(m, number)->segment;
    sn_vec3 world =
        plan->in_segment ? sn_mat4_point(&rest->worlds[segment], plan->point) : plan->point;
    sn_vec3 forward = enter_direction(m, plan->forward), up = enter_direction(m, plan->up);
    up = sn_vec3_add_scaled(up, -sn_vec3_dot(up, forward), forward);
    *joint = (sni_rigid_joint){.body = number,
                               .on = plan->on != SN_NONE ? m->group->things[plan->on] : SN_NONE,
                               .point = enter_point(m, world),
                               .forward = forward,
                               .up = sn_vec3_normalize_or(up, sn_vec3_perpendicular(forward)),
                               .slope = tangent(s[SNI_JOINT_SLOPE]),
                               .end_slope = tangent(s[SNI_JOINT_END_SLOPE]),
                               .travel = s[SNI_JOINT_TRAVEL],
                               .back = s[SNI_JOINT_BACK],
                               .play = s[SNI_JOINT_PLAY],
                               .slack = s[SNI_JOINT_SLACK],
                               .stiffness = s[SNI_JOINT_STIFFNESS],
                               .capsule_stiffness = s[SNI_JOINT_CAPSULE]};
    sni_digest_add_index(&m->digest, joint->body);
    sni_digest_add_index(&m->digest, joint->on);
    add_vector(&m->digest, joint->point);
    add_vector(&m->digest, joint->forward);
    add_vector(&m->digest, joint->up);
    sni_digest_add(&m->digest, s, SNI_JOINT_SETTING_COUNT * sizeof *s);
}

sn_status sni_group_add_joints(sni_group_making *m, sn_error *error) {
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        count += plan_of(m, i)->joint_count;
    }
    sni_rigid_joint *joints = sni_arena_alloc(&m->arena, count, sizeof *joints);
    if (joints == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        const sni_rigid_plan *plan = plan_of(m, i);
        m->group->bodies[i].first_joint = next;
        for (uint32_t k = 0; k < plan->joint_count; ++k) {
            add_joint(m, i, &plan->joints[k], &joints[next++]);
        }
    }
    m->desc.joint_count = m->group->joint_count = count;
    m->desc.joints = joints;
    return SN_OK;
}

// --- Ligaments

static void add_ligament(sni_group_making *m, const sni_ligament_plan *plan,
                         sni_rigid_ligament *ligament) {
    for (int k = 0; k < 2; ++k) {
        ligament->things[k] = m->group->things[plan->ends[k].segment];
        ligament->points[k] = enter_point(m, sni_attachment_point(m->rest, &plan->ends[k]));
        sni_digest_add_index(&m->digest, ligament->things[k]);
        add_vector(&m->digest, ligament->points[k]);
    }
    double length = sn_vec3_distance(ligament->points[0], ligament->points[1]);
    ligament->length = plan->parameters[SNI_LIGAMENT_SLACK] * length;
    ligament->stiffness = plan->parameters[SNI_LIGAMENT_STIFFNESS];
    sni_digest_add_number(&m->digest, ligament->length);
    sni_digest_add_number(&m->digest, ligament->stiffness);
}

sn_status sni_group_add_ligaments(sni_group_making *m, sn_error *error) {
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        count += plan_of(m, i)->ligament_count;
    }
    sni_rigid_ligament *ligaments = sni_arena_alloc(&m->arena, count, sizeof *ligaments);
    if (ligaments == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        const sni_rigid_plan *plan = plan_of(m, i);
        m->group->bodies[i].first_ligament = next;
        for (uint32_t k = 0; k < plan->ligament_count; ++k) {
            add_ligament(m, &plan->ligaments[k], &ligaments[next++]);
        }
    }
    m->desc.ligament_count = m->group->ligament_count = count;
    m->desc.ligaments = ligaments;
    return SN_OK;
}

// --- Contacts

static uint32_t thing_of(const sni_group_making *m, uint32_t surface) {
    uint32_t segment = m->rest->surfaces[surface].segment;
    return segment != SN_NONE ? m->group->things[segment] : SN_NONE;
}

// The meshes of some surfaces of one thing as one, in the base.
static sn_status join_meshes(sni_group_making *m, uint32_t count, const uint32_t *surfaces,
                             uint32_t thing, sn_mesh **joined, sn_error *error) {
    uint32_t vertices = 0, faces = 0, corners = 0, v = 0, f = 0, c = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_mesh *mesh = m->rest->surfaces[surfaces[i]].mesh;
        if (thing_of(m, surfaces[i]) == thing) {
            vertices += mesh->vertex_count;
            faces += mesh->face_count;
            corners += mesh->face_offsets[mesh->face_count];
        }
    }
    sn_status status =
        sn_mesh_create(m->rest->context, "contact", vertices, faces, corners, joined, error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        const sn_mesh *mesh = m->rest->surfaces[surfaces[i]].mesh;
        sn_mat4 place = mesh_place(m, surfaces[i]);
        if (thing_of(m, surfaces[i]) != thing) {
            continue;
        }
        for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
            sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)k);
            sn_vec3_store(sn_mat4_point(&place, p), (*joined)->positions + 3 * (size_t)(v + k));
        }
        for (uint32_t k = 0; k < mesh->face_offsets[mesh->face_count]; ++k) {
            (*joined)->corners[c + k] = v + mesh->corners[k];
        }
        for (uint32_t k = 0; k < mesh->face_count; ++k) {
            (*joined)->face_offsets[++f] = c + mesh->face_offsets[k + 1];
        }
        v += mesh->vertex_count;
        c += mesh->face_offsets[mesh->face_count];
        sni_digest_add_surface(&m->digest, m->rest, surfaces[i]);
    }
    return status;
}

static bool is_within(const sni_contact_plan *plan, sn_vec3 p) {
    return p.x >= plan->low.x && p.x <= plan->high.x && p.y >= plan->low.y && p.y <= plan->high.y &&
           p.z >= plan->low.z && p.z <= plan->high.z;
}

// Marks the vertices of a mesh in the base that lie in the box of the contact.
static sn_status mark_tested(sni_group_making *m, const sni_contact_plan *plan, const sn_mesh *mesh,
                             uint8_t **tested, sn_error *error) {
    sn_mat4 leave = sni_base_leave(&m->group->rest, m->group->rest.scale);
    uint32_t count = 0;
    *tested = NULL;
    if (plan->within == NULL) {
        return SN_OK;
    }
    *tested = sni_alloc(m->rest->context, mesh->vertex_count, 1);
    if (*tested == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)i);
        (*tested)[i] = is_within(plan, sn_mat4_point(&leave, p));
        count += (*tested)[i];
    }
    return count > 0 ? SN_OK
                     : sni_fail_value(error, plan->within, SN_INVALID,
                                      "nothing of one of the two sides lies in this box");
}

// A pair of things that touch.
static sn_status add_contact(sni_group_making *m, uint32_t body, const sni_contact_plan *plan,
                             uint32_t other, sni_rigid_contact *contact, sn_error *error) {
    sn_status status = SN_OK;
    *contact = (sni_rigid_contact){.things = {body, other},
                                   .stiffness = plan->parameters[SNI_CONTACT_STIFFNESS]};
    for (int k = 0; k < 2; ++k) {
        sn_mesh **mesh = &m->meshes[m->mesh_count];
        uint8_t **tested = &m->tested[m->mesh_count];
        m->mesh_count++;
        SN_TRY(k == 0 ? join_meshes(m, plan->bone_count, plan->bones, body, mesh, error)
                      : join_meshes(m, plan->against_count, plan->against, other, mesh, error));
        SN_TRY(mark_tested(m, plan, *mesh, tested, error));
        contact->meshes[k] = *mesh;
        contact->tested[k] = *tested;
        sni_digest_add_index(&m->digest, contact->things[k]);
    }
    sni_digest_add_number(&m->digest, contact->stiffness);
    sni_digest_add_index(&m->digest, plan->within != NULL);
    add_vector(&m->digest, plan->low);
    add_vector(&m->digest, plan->high);
cleanup:
    return status;
}

// Whether a surface is the first of a contact's that its thing carries.
static bool is_first_of(const sni_group_making *m, const sni_contact_plan *plan, uint32_t number) {
    for (uint32_t i = 0; i < number; ++i) {
        if (thing_of(m, plan->against[i]) == thing_of(m, plan->against[number])) {
            return false;
        }
    }
    return true;
}

static uint32_t count_contacts(const sni_group_making *m) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        for (uint32_t k = 0; k < plan_of(m, i)->contact_count; ++k) {
            count += plan_of(m, i)->contacts[k].against_count;
        }
    }
    return count;
}

sn_status sni_group_add_contacts(sni_group_making *m, sn_error *error) {
    uint32_t most = count_contacts(m);
    sni_rigid_contact *contacts = sni_arena_alloc(&m->arena, most, sizeof *contacts);
    sn_status status = contacts != NULL ? SN_OK : sni_fail_memory(error);
    SN_TRY(status);
    SNI_NEW_ZERO(m->rest->context, m->meshes, 2 * (size_t)most);
    SNI_NEW_ZERO(m->rest->context, m->tested, 2 * (size_t)most);
    m->desc.contacts = contacts;
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        const sni_rigid_plan *plan = plan_of(m, i);
        m->group->bodies[i].first_contact = m->desc.contact_count;
        for (uint32_t k = 0; k < plan->contact_count; ++k) {
            const sni_contact_plan *contact = &plan->contacts[k];
            for (uint32_t j = 0; j < contact->against_count; ++j) {
                if (is_first_of(m, contact, j)) {
                    SN_TRY(add_contact(m, i, contact, thing_of(m, contact->against[j]),
                                       &contacts[m->desc.contact_count++], error));
                }
            }
        }
        m->group->bodies[i].contact_count =
            m->desc.contact_count - m->group->bodies[i].first_contact;
    }
    m->group->contact_count = m->desc.contact_count;
cleanup:
    return status;
}

// --- Muscles

sn_status sni_muscle_rest_lines(const sni_rest *rest, uint32_t muscle, sni_arena *arena,
                                sni_muscle_lines *lines, sn_error *error) {
    const sni_bound_muscle *bound = rest->muscles[muscle];
    sni_muscle_pose_job job = {.context = rest->context,
                               .arena = arena,
                               .segment_count = sni_rig_skeleton(rest->rig)->segment_count,
                               .worlds = rest->worlds};
    return bound->ops->pull(bound->bound, &job, lines, error);
}

// The strength that a muscle has: given, or its cross-section times the specific tension.
static sn_status find_strength(const sni_group_making *m, const sni_group_muscle *of,
                               double *strength, sn_error *error) {
    const sni_bound_muscle *bound = m->rest->muscles[of->muscle];
    const double *p = of->plan->parameters;
    sni_muscle_measure measure;
    *strength = p[SNI_PULL_STRENGTH];
    if (*strength > 0) {
        return SN_OK;
    }
    bound->ops->measure(bound->bound, NULL, &measure);
    double fibre = measure.rest_length * (1 - p[SNI_PULL_TENDON]);
    if (!(measure.rest_volume > 0) || !(fibre > 0)) {
        return sni_fail_value(error, of->plan->value, SN_INVALID,
                              "\"%s\" has no volume that its strength could follow from: give its "
                              "\"strength\"",
                              m->rest->blueprint->muscles[of->muscle].name);
    }
    *strength =
        plan_of(m, of->body)->parameters[SNI_BODY_SPECIFIC_TENSION] * measure.rest_volume / fibre;
    return SN_OK;
}

static sn_status add_muscle(sni_group_making *m, const sni_group_muscle *of,
                            sni_rigid_muscle *muscle, sn_error *error) {
    const double *p = of->plan->parameters;
    double strength;
    sn_status status = find_strength(m, of, &strength, error);
    *muscle = (sni_rigid_muscle){.law = (sni_tension_law)(int)p[SNI_PULL_LAW],
                                 .strength = strength,
                                 .optimum = p[SNI_PULL_OPTIMUM],
                                 .tendon = p[SNI_PULL_TENDON],
                                 .passive = p[SNI_PULL_PASSIVE],
                                 .tone = p[SNI_PULL_TONE],
                                 .speed = p[SNI_PULL_SPEED],
                                 .viscosity = p[SNI_PULL_VISCOSITY],
                                 .shortening = p[SNI_PULL_SHORTENING]};
    sni_digest_add(&m->digest, p, SNI_PULL_PARAMETER_COUNT * sizeof *p);
    sni_digest_add_number(&m->digest, strength);
    return status;
}

// The lines of a muscle, each with an equal share.
static sn_status add_lines(sni_group_making *m, uint32_t number, sni_rigid_line *lines,
                           sn_error *error) {
    sni_group_muscle *of = &m->group->muscles[number];
    sni_muscle_lines at_rest;
    sn_status status = sni_muscle_rest_lines(m->rest, of->muscle, &m->arena, &at_rest, error);
    for (uint32_t i = 0; i < of->line_count && status == SN_OK; ++i) {
        double length = at_rest.lines[i].length;
        if (!(length > 0)) {
            return sni_fail_value(error, of->plan->value, SN_INVALID,
                                  "\"%s\" has no length at rest",
                                  m->rest->blueprint->muscles[of->muscle].name);
        }
        lines[of->first_line + i] = (sni_rigid_line){
            .muscle = number, .share = 1.0 / of->line_count, .rest_length = length};
        sni_digest_add_number(&m->digest, length);
    }
    return status;
}

sn_status sni_group_add_muscles(sni_group_making *m, sn_error *error) {
    const sni_body_group *group = m->group;
    sni_rigid_muscle *muscles = sni_arena_alloc(&m->arena, group->muscle_count, sizeof *muscles);
    sni_rigid_line *lines = sni_arena_alloc(&m->arena, group->line_count, sizeof *lines);
    sn_status status = muscles != NULL && lines != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < group->muscle_count && status == SN_OK; ++i) {
        SN_TRY(add_muscle(m, &group->muscles[i], &muscles[i], error));
        SN_TRY(add_lines(m, i, lines, error));
    }
    m->desc.muscle_count = group->muscle_count;
    m->desc.muscles = muscles;
    m->desc.line_count = group->line_count;
    m->desc.lines = lines;
cleanup:
    return status;
}
