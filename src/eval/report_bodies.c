// SPDX-License-Identifier: Apache-2.0
//
// What a report tells about rigid bodies, and about what drivers compute from them.
#include "eval/report_bodies.h"

#include "base/memory.h"
#include "motion/parameter.h"

#include <math.h>
#include <stdio.h>

sn_status sni_report_bodies_init(const sn_model *model, sni_report_bodies *bodies,
                                 sn_error *error) {
    sn_status status = SN_OK;
    *bodies = (sni_report_bodies){.model = model};
    SNI_NEW_ZERO(model->context, bodies->most, sn_model_body_count(model));
cleanup:
    return status;
}

void sni_report_bodies_deinit(sni_report_bodies *bodies) {
    if (bodies->model != NULL) {
        sni_free(bodies->model->context, bodies->most);
    }
}

static bool add(sn_json *json, sn_value *object, const char *key, double value) {
    return sn_json_add_number(json, object, key, value) != NULL;
}

// The joint parameters of its segment but for the scale: angles in degrees, moves in metres.
static bool add_parameters(const sn_model *model, uint32_t segment, const sn_frame *frame,
                           sn_json *json, sn_value *object) {
    const double *values =
        sn_frame_joint_parameters(frame) + (size_t)segment * SN_JOINT_PARAMETER_COUNT;
    const char *name = sn_model_skeleton(model)->segments[segment].name;
    sn_value *map = sn_json_add_object(json, object, "parameters");
    bool done = map != NULL;
    for (int i = 0; i < SN_JOINT_SX && done; ++i) {
        char key[256];
        bool angle = i < SN_JOINT_TX;
        snprintf(key, sizeof key, "%.200s.%s%s", name, sni_parameter_suffix((sn_joint_parameter)i),
                 angle ? "_deg" : "");
        done = add(json, map, key, values[i] * (angle ? 180 / SN_PI : 1));
    }
    return done;
}

static bool add_joints(const sn_body_state *state, sn_json *json, sn_value *object) {
    sn_value *list = sn_json_add_array(json, object, "joints");
    bool done = list != NULL;
    for (uint32_t i = 0; i < state->joint_count && done; ++i) {
        sn_value *joint = sn_json_add_object(json, list, NULL);
        done = joint != NULL && add(json, joint, "travel", state->joints[i].travel) &&
               add(json, joint, "aside", state->joints[i].aside) &&
               add(json, joint, "force", state->joints[i].force);
    }
    return done;
}

static bool add_contacts(const sn_body_state *state, sn_json *json, sn_value *object) {
    sn_value *list = sn_json_add_array(json, object, "contacts");
    bool done = list != NULL;
    for (uint32_t i = 0; i < state->contact_count && done; ++i) {
        sn_value *contact = sn_json_add_object(json, list, NULL);
        done = contact != NULL && add(json, contact, "depth", state->contacts[i].depth) &&
               add(json, contact, "force", state->contacts[i].force) &&
               add(json, contact, "points", state->contacts[i].point_count);
    }
    return done;
}

static bool add_forces(const sn_model *model, const sn_body_state *state, sn_json *json,
                       sn_value *object) {
    sn_value *map = sn_json_add_object(json, object, "forces");
    bool done = map != NULL;
    for (uint32_t i = 0; i < state->muscle_count && done; ++i) {
        done = add(json, map, sn_model_surface(model, state->muscles[i].surface)->name,
                   state->muscles[i].force);
    }
    return done && (state->ligament_count == 0 ||
                    sn_json_add_numbers(json, object, "ligaments", state->ligaments,
                                        state->ligament_count) != NULL);
}

static void note_most(const sn_body_state *state, sni_body_most *most) {
    most->turn = fmax(most->turn, state->turn);
    for (uint32_t i = 0; i < state->joint_count; ++i) {
        most->travel = fmax(most->travel, state->joints[i].travel);
        most->joint_force = fmax(most->joint_force, state->joints[i].force);
    }
    for (uint32_t i = 0; i < state->contact_count; ++i) {
        most->contact_depth = fmax(most->contact_depth, state->contacts[i].depth);
        most->contact_force = fmax(most->contact_force, state->contacts[i].force);
    }
    for (uint32_t i = 0; i < state->muscle_count; ++i) {
        most->muscle_force = fmax(most->muscle_force, state->muscles[i].force);
    }
}

// Controls that drivers compute, of characters with bodies: what they read may be a body's doing.
static bool add_driven(const sn_model *model, const sn_frame *frame, sn_json *json,
                       sn_value *object) {
    sn_value *map = sn_json_add_object(json, object, "driven");
    bool done = map != NULL;
    for (uint32_t i = 0; i < sn_model_control_count(model) && done; ++i) {
        double value = sn_frame_controls(frame)[i];
        if (model->blueprint->driven[i]) {
            done = add(json, map, sn_model_control_name(model, i), value);
        }
    }
    return done;
}

bool sni_report_bodies_add(sni_report_bodies *bodies, sn_json *json, sn_value *object,
                           const sn_frame *frame) {
    const sn_model *model = bodies->model;
    uint32_t count = sn_model_body_count(model);
    if (count == 0) {
        return true;
    }
    sn_value *map = sn_json_add_object(json, object, "bodies");
    bool done = map != NULL;
    for (uint32_t i = 0; i < count && done; ++i) {
        sn_body body = sn_model_body(model, i);
        sn_body_state state = sn_frame_body_state(frame, i);
        sn_value *of = sn_json_add_object(json, map, body.name);
        note_most(&state, &bodies->most[i]);
        done = of != NULL && add(json, of, "turn_deg", state.turn * 180 / SN_PI) &&
               add_parameters(model, body.segment, frame, json, of) &&
               add_joints(&state, json, of) && add_contacts(&state, json, of) &&
               add_forces(model, &state, json, of);
    }
    return done && add_driven(model, frame, json, object);
}

bool sni_report_bodies_sum_up(const sni_report_bodies *bodies, sn_json *json, sn_value *summary) {
    uint32_t count = sn_model_body_count(bodies->model);
    sn_value *map = count > 0 ? sn_json_add_object(json, summary, "bodies") : NULL;
    bool done = count == 0 || map != NULL;
    for (uint32_t i = 0; i < count && done; ++i) {
        sn_body body = sn_model_body(bodies->model, i);
        const sni_body_most *most = &bodies->most[i];
        sn_value *of = sn_json_add_object(json, map, body.name);
        done = of != NULL && add(json, of, "mass", body.mass) &&
               add(json, of, "turn_deg", most->turn * 180 / SN_PI) &&
               add(json, of, "travel", most->travel) &&
               add(json, of, "joint_force", most->joint_force) &&
               add(json, of, "contact_depth", most->contact_depth) &&
               add(json, of, "contact_force", most->contact_force) &&
               add(json, of, "muscle_force", most->muscle_force);
    }
    return done;
}
