// SPDX-License-Identifier: Apache-2.0
//
// Making a system of rigid bodies, and the free motion of one: turns about its three principal
// axes, one after the other and back (A. Dullweber, B. Leimkuhler, R. McLachlan, "Symplectic
// splitting methods for rigid body molecular dynamics", 1997). Each turn is exact, so that the
// angular momentum stays to the last bits and the energy swings about that at the beginning by an
// amount that falls as the square of the step and does not grow.
#include "solver/rigid_internal.h"

#include "base/eigen.h"

#include <math.h>
#include <string.h>

// A moment of inertia below this part of the largest one is rounding: a body has no thickness.
static const double least_moment = 1e-9;

// --- Checks

static bool in_range(double value, double low, double high) {
    return isfinite(value) && value >= low && value <= high;
}

static sn_status fail(sn_error *error, const char *what, uint32_t number, const char *wrong) {
    return sni_fail(error, SN_INVALID, "%s %u: %s", what, number, wrong);
}

static sn_status check_body(const sni_rigid_body *body, uint32_t number, sn_error *error) {
    bool finite = sn_vec3_is_finite(body->center);
    for (int i = 0; i < 9; ++i) {
        finite = finite && isfinite(body->inertia[i]);
    }
    if (!finite || !(body->mass > 0) || !isfinite(body->mass)) {
        return fail(error, "body", number, "it needs a mass above 0 and finite numbers");
    }
    return SN_OK;
}

static bool is_thing(const sni_rigid_desc *desc, uint32_t thing) {
    return thing == SN_NONE || thing < desc->body_count + desc->carrier_count;
}

static sn_status check_joint(const sni_rigid_desc *desc, uint32_t number, sn_error *error) {
    const sni_rigid_joint *j = &desc->joints[number];
    if (j->body >= desc->body_count || !is_thing(desc, j->on) || j->on == j->body) {
        return fail(error, "joint", number, "it is between bodies that there are not");
    }
    bool finite = sn_vec3_is_finite(j->point) && isfinite(j->slope) && isfinite(j->end_slope);
    bool ranged = in_range(j->travel, 0, 1e6) && in_range(j->back, 0, 1e6) &&
                  in_range(j->play, 0, 1e6) && in_range(j->slack, 0, 1e6) &&
                  in_range(j->stiffness, 0, 1e15) && in_range(j->capsule_stiffness, 0, 1e15);
    bool square = fabs(sn_vec3_length(j->forward) - 1) < 1e-9 &&
                  fabs(sn_vec3_length(j->up) - 1) < 1e-9 &&
                  fabs(sn_vec3_dot(j->forward, j->up)) < 1e-9;
    return finite && ranged && square ? SN_OK
                                      : fail(error, "joint", number,
                                             "a number is out of range or its axes are not square");
}

static sn_status check_ligament(const sni_rigid_desc *desc, uint32_t number, sn_error *error) {
    const sni_rigid_ligament *l = &desc->ligaments[number];
    bool known = is_thing(desc, l->things[0]) && is_thing(desc, l->things[1]);
    bool ranged = sn_vec3_is_finite(l->points[0]) && sn_vec3_is_finite(l->points[1]) &&
                  in_range(l->length, 0, 1e6) && in_range(l->stiffness, 0, 1e15);
    return known && ranged ? SN_OK : fail(error, "ligament", number, "a number is out of range");
}

static sn_status check_contact(const sni_rigid_desc *desc, uint32_t number, sn_error *error) {
    const sni_rigid_contact *c = &desc->contacts[number];
    bool known = is_thing(desc, c->things[0]) && is_thing(desc, c->things[1]) &&
                 c->things[0] != c->things[1] && c->meshes[0] != NULL && c->meshes[1] != NULL;
    return known && in_range(c->stiffness, 0, 1e15)
               ? SN_OK
               : fail(error, "contact", number, "a number is out of range");
}

static sn_status check_muscle(const sni_rigid_muscle *m, uint32_t number, sn_error *error) {
    bool ranged = (unsigned)m->law <= SNI_TENSION_SPRING && in_range(m->strength, 0, 1e12) &&
                  in_range(m->optimum, 1e-3, 1e3) && in_range(m->tendon, 0, 1e3) &&
                  in_range(m->passive, 0, 1e6) && in_range(m->tone, 0, 1e6) &&
                  in_range(m->speed, 1e-6, 1e6) && in_range(m->viscosity, 0, 1e6) &&
                  in_range(m->shortening, 1e-3, 1);
    return ranged ? SN_OK : fail(error, "muscle", number, "a number is out of range");
}

static sn_status check(const sni_rigid_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < desc->body_count; ++i) {
        SN_TRY(check_body(&desc->bodies[i], i, error));
    }
    for (uint32_t i = 0; i < desc->joint_count; ++i) {
        SN_TRY(check_joint(desc, i, error));
    }
    for (uint32_t i = 0; i < desc->ligament_count; ++i) {
        SN_TRY(check_ligament(desc, i, error));
    }
    for (uint32_t i = 0; i < desc->contact_count; ++i) {
        SN_TRY(check_contact(desc, i, error));
    }
    for (uint32_t i = 0; i < desc->muscle_count; ++i) {
        SN_TRY(check_muscle(&desc->muscles[i], i, error));
    }
    for (uint32_t i = 0; i < desc->line_count; ++i) {
        const sni_rigid_line *line = &desc->lines[i];
        bool good = line->muscle < desc->muscle_count && in_range(line->share, 0, 1) &&
                    isfinite(line->rest_length) && line->rest_length > 0;
        SN_TRY(good ? SN_OK : fail(error, "line", i, "a number is out of range"));
    }
cleanup:
    return status;
}

// --- Making

// The principal axes of a body, as the columns of a rotation.
static sn_status find_axes(sni_rigid *rigid, uint32_t body, sn_error *error) {
    double matrix[9], values[3], rows[9];
    memcpy(matrix, rigid->bodies[body].inertia, sizeof matrix);
    sn_status status = sni_eigen(rigid->context, matrix, 3, values, rows, error);
    if (status != SN_OK) {
        return status;
    }
    if (!(values[2] > least_moment * values[0]) || !(values[0] > 0)) {
        return fail(error, "body", body, "it has no inertia about one of its axes");
    }
    sn_vec3 x = {rows[0], rows[1], rows[2]}, y = {rows[3], rows[4], rows[5]};
    sn_vec3 z = sn_vec3_cross(x, y);
    sn_mat4 axes = {{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, 0, 0, 0, 1}};
    rigid->axes[body] = sn_mat4_rotation(&axes);
    rigid->moments[body] = sn_vec3_make(values[0], values[1], values[2]);
    return SN_OK;
}

static sn_status copy_arrays(sni_rigid *rigid, const sni_rigid_desc *desc, sn_error *error) {
    sn_context *context = rigid->context;
    rigid->bodies = sni_copy(context, desc->bodies, desc->body_count, sizeof *desc->bodies);
    rigid->joints = sni_copy(context, desc->joints, desc->joint_count, sizeof *desc->joints);
    rigid->ligaments =
        sni_copy(context, desc->ligaments, desc->ligament_count, sizeof *desc->ligaments);
    rigid->muscles = sni_copy(context, desc->muscles, desc->muscle_count, sizeof *desc->muscles);
    rigid->lines = sni_copy(context, desc->lines, desc->line_count, sizeof *desc->lines);
    bool made = (rigid->bodies != NULL || desc->body_count == 0) &&
                (rigid->joints != NULL || desc->joint_count == 0) &&
                (rigid->ligaments != NULL || desc->ligament_count == 0) &&
                (rigid->muscles != NULL || desc->muscle_count == 0) &&
                (rigid->lines != NULL || desc->line_count == 0);
    return made ? SN_OK : sni_fail_memory(error);
}

// Bodies that nothing but weight acts on. Which of them lines pull at a pose alone tells.
static void find_free(const sni_rigid_desc *desc, bool *is_free) {
    for (uint32_t i = 0; i < desc->body_count; ++i) {
        is_free[i] = desc->line_count == 0;
        for (uint32_t k = 0; k < desc->joint_count; ++k) {
            is_free[i] = is_free[i] && desc->joints[k].body != i && desc->joints[k].on != i;
        }
        for (uint32_t k = 0; k < desc->ligament_count; ++k) {
            const uint32_t *things = desc->ligaments[k].things;
            is_free[i] = is_free[i] && things[0] != i && things[1] != i;
        }
        for (uint32_t k = 0; k < desc->contact_count; ++k) {
            const uint32_t *things = desc->contacts[k].things;
            is_free[i] = is_free[i] && things[0] != i && things[1] != i;
        }
    }
}

sn_status sni_rigid_create(sn_context *context, const sni_rigid_desc *desc, sni_rigid **rigid,
                           sn_error *error) {
    sni_rigid *made = NULL;
    sn_status status = SN_OK;
    *rigid = NULL;
    SN_TRY(check(desc, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->body_count = desc->body_count;
    made->carrier_count = desc->carrier_count;
    made->joint_count = desc->joint_count;
    made->ligament_count = desc->ligament_count;
    made->muscle_count = desc->muscle_count;
    made->line_count = desc->line_count;
    SN_TRY(copy_arrays(made, desc, error));
    SNI_NEW(context, made->axes, desc->body_count);
    SNI_NEW(context, made->moments, desc->body_count);
    SNI_NEW(context, made->is_free, desc->body_count);
    find_free(desc, made->is_free);
    for (uint32_t i = 0; i < desc->body_count; ++i) {
        SN_TRY(find_axes(made, i, error));
    }
    SNI_NEW_ZERO(context, made->contacts, desc->contact_count);
    for (uint32_t i = 0; i < desc->contact_count; ++i) {
        made->contact_count = i + 1;
        SN_TRY(sni_contact_pair_init(context, &desc->contacts[i], &made->contacts[i], error));
    }
    *rigid = made;
    made = NULL;
cleanup:
    sni_rigid_destroy(made);
    return status;
}

void sni_rigid_destroy(sni_rigid *rigid) {
    if (rigid == NULL) {
        return;
    }
    sn_context *context = rigid->context;
    for (uint32_t i = 0; i < rigid->contact_count; ++i) {
        sni_contact_pair_deinit(context, &rigid->contacts[i]);
    }
    sni_free(context, rigid->contacts);
    sni_free(context, rigid->bodies);
    sni_free(context, rigid->axes);
    sni_free(context, rigid->moments);
    sni_free(context, rigid->is_free);
    sni_free(context, rigid->joints);
    sni_free(context, rigid->ligaments);
    sni_free(context, rigid->muscles);
    sni_free(context, rigid->lines);
    sni_free(context, rigid);
}

size_t sni_rigid_bytes(const sni_rigid *rigid) {
    size_t bytes = sizeof *rigid + rigid->body_count * sizeof *rigid->bodies +
                   rigid->joint_count * sizeof *rigid->joints +
                   rigid->ligament_count * sizeof *rigid->ligaments +
                   rigid->muscle_count * sizeof *rigid->muscles +
                   rigid->line_count * sizeof *rigid->lines;
    for (uint32_t i = 0; i < rigid->contact_count; ++i) {
        const sni_contact_pair *pair = &rigid->contacts[i];
        for (uint32_t k = 0; k < 2; ++k) {
            bytes += pair->surfaces[k] != NULL ? sni_signed_surface_bytes(pair->surfaces[k]) : 0;
            bytes += pair->sides[k].point_count * (sizeof(sn_vec3) + sizeof(double));
        }
    }
    return bytes;
}

// --- Rotations

// Below this angle, in radians, the sine is the angle to the last bit.
static const double no_angle = 1e-9;

sn_quat sni_rotation_of(sn_vec3 vector) {
    double angle = sn_vec3_length(vector);
    if (angle < no_angle) {
        return sn_quat_normalize((sn_quat){vector.x / 2, vector.y / 2, vector.z / 2, 1});
    }
    return sn_quat_from_axis_angle(sn_vec3_scale(vector, 1 / angle), angle);
}

sn_vec3 sni_rotation_vector(sn_quat q) {
    double side = q.w < 0 ? -1 : 1;
    sn_vec3 axis = sn_vec3_make(side * q.x, side * q.y, side * q.z);
    double sine = sn_vec3_length(axis);
    double factor = sine < no_angle ? 2 : 2 * atan2(sine, side * q.w) / sine;
    return sn_vec3_scale(axis, factor);
}

// --- States

sni_rigid_state sni_rigid_at_rest(const sni_rigid *rigid, uint32_t body) {
    SN_ASSERT(body < rigid->body_count);
    return (sni_rigid_state){.center = rigid->bodies[body].center, .turn = sn_quat_identity()};
}

sni_rigid_place sni_rigid_place_of(const sni_rigid *rigid, uint32_t body,
                                   const sni_rigid_state *state) {
    SN_ASSERT(body < rigid->body_count);
    return (sni_rigid_place){
        .turn = state->turn, .from = rigid->bodies[body].center, .to = state->center};
}

// What a body turns by about its principal axes for a momentum, in these axes.
static sn_vec3 divided(sn_vec3 momentum, sn_vec3 moments) {
    return sn_vec3_make(momentum.x / moments.x, momentum.y / moments.y, momentum.z / moments.z);
}

double sni_rigid_energy(const sni_rigid *rigid, uint32_t body, const sni_rigid_state *state) {
    SN_ASSERT(body < rigid->body_count);
    sn_quat axes = sn_quat_multiply(state->turn, rigid->axes[body]);
    sn_vec3 momentum = sn_quat_rotate(sn_quat_conjugate(axes), state->momentum);
    return (rigid->bodies[body].mass * sn_vec3_dot(state->velocity, state->velocity) +
            sn_vec3_dot(momentum, divided(momentum, rigid->moments[body]))) /
           2;
}

void sni_rigid_inertia(const sni_rigid *rigid, uint32_t body, sn_quat turn, double inertia[9]) {
    sn_quat axes = sn_quat_multiply(turn, rigid->axes[body]);
    const sn_vec3 columns[3] = {sn_quat_rotate(axes, sn_vec3_make(1, 0, 0)),
                                sn_quat_rotate(axes, sn_vec3_make(0, 1, 0)),
                                sn_quat_rotate(axes, sn_vec3_make(0, 0, 1))};
    const double moments[3] = {rigid->moments[body].x, rigid->moments[body].y,
                               rigid->moments[body].z};
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int k = 0; k < 3; ++k) {
        const double c[3] = {columns[k].x, columns[k].y, columns[k].z};
        for (int i = 0; i < 9; ++i) {
            inertia[i] += moments[k] * c[i / 3] * c[i % 3];
        }
    }
}

// --- Free motion

// Turns about one principal axis for a while: the momentum along it stays.
static void turn_about(int axis, double moment, double time, sn_quat *axes, sn_vec3 *momentum) {
    const sn_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double angle = time * sn_vec3_dot(*momentum, units[axis]) / moment;
    sn_quat turn = sn_quat_from_axis_angle(units[axis], angle);
    *axes = sn_quat_multiply(*axes, turn);
    *momentum = sn_quat_rotate(sn_quat_conjugate(turn), *momentum);
}

void sni_rigid_drift(const sni_rigid *rigid, uint32_t body, double time, sni_rigid_state *state) {
    const sn_vec3 moments = rigid->moments[body];
    sn_quat axes = sn_quat_multiply(state->turn, rigid->axes[body]);
    sn_vec3 momentum = sn_quat_rotate(sn_quat_conjugate(axes), state->momentum);
    turn_about(0, moments.x, time / 2, &axes, &momentum);
    turn_about(1, moments.y, time / 2, &axes, &momentum);
    turn_about(2, moments.z, time, &axes, &momentum);
    turn_about(1, moments.y, time / 2, &axes, &momentum);
    turn_about(0, moments.x, time / 2, &axes, &momentum);
    state->turn = sn_quat_normalize(sn_quat_multiply(axes, sn_quat_conjugate(rigid->axes[body])));
    state->center = sn_vec3_add_scaled(state->center, time, state->velocity);
}
