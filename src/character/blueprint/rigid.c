// SPDX-License-Identifier: Apache-2.0
//
// Rigid bodies of a document: what they are made of, and what acts on them.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

#include <math.h>
#include <string.h>

// Bones and tissues stand in this order among the surfaces.
static const sni_section parts[] = {SNI_SECTION_BONES, SNI_SECTION_TISSUES};

// Whether a segment is another one, or hangs on it.
static bool is_on(const sn_skeleton *skeleton, uint32_t segment, uint32_t other) {
    while (segment != SN_NONE && segment != other) {
        segment = skeleton->segments[segment].parent;
    }
    return segment == other;
}

uint32_t sni_find_mover(const sni_blueprint *blueprint, uint32_t segment) {
    const sn_skeleton *skeleton = &blueprint->skeleton;
    for (; segment != SN_NONE; segment = skeleton->segments[segment].parent) {
        for (uint32_t i = 0; i < blueprint->body_count; ++i) {
            if (blueprint->bodies[i].segment == segment) {
                return i;
            }
        }
    }
    return SN_NONE;
}

// --- Names

static sn_status find_parts(sni_blueprint *blueprint, const sn_value *names, uint32_t *count,
                            uint32_t **found, sn_error *error) {
    sn_status status = SN_OK;
    *count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, *found, *count);
    for (uint32_t i = 0; i < *count && status == SN_OK; ++i) {
        const sn_value *name = sn_value_at(names, i);
        status = sni_find_name_among(blueprint, parts, 2, name, &(*found)[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if ((*found)[k] == (*found)[i]) {
                status = sni_fail_value(error, name, SN_INVALID, "\"%s\" stands here twice",
                                        name->as.string);
            }
        }
    }
    return status;
}

// Parts of a body are carried by its segment, or by what hangs on that and on no other body.
static sn_status check_own(const sni_blueprint *blueprint, const sni_rigid_plan *body,
                           const sn_value *names, const uint32_t *surfaces, sn_error *error) {
    for (uint32_t i = 0; i < sn_value_count(names); ++i) {
        uint32_t segment = blueprint->surfaces[surfaces[i]].segment;
        if (segment == SN_NONE ||
            sni_find_mover(blueprint, segment) != (uint32_t)(body - blueprint->bodies)) {
            return sni_fail_value(
                error, sn_value_at(names, i), SN_INVALID,
                "\"%s\" is no part of the body: it is not carried by \"%s\", nor by a segment that "
                "hangs on that",
                blueprint->surfaces[surfaces[i]].name,
                blueprint->skeleton.segments[body->segment].name);
        }
    }
    return SN_OK;
}

// --- Muscles

static sn_status check_control(const sni_blueprint *blueprint, const char *what, uint32_t control,
                               const sn_value *at, sn_error *error) {
    if (control == SN_NONE || !sni_rig_control_follows(blueprint->rig, control)) {
        return SN_OK;
    }
    return sni_fail_value(error, at, SN_INVALID,
                          "%s depends on the control \"%s\", which is computed from where a body "
                          "is: a circle",
                          what, sni_rig_control_name(blueprint->rig, control));
}

static sn_status check_muscle(const sni_blueprint *blueprint, const sni_pull_plan *pull,
                              sn_error *error) {
    const sni_muscle_plan *muscle = &blueprint->muscles[pull->muscle];
    const sn_value *name = sn_value_get(pull->value, "muscle");
    sn_status status = SN_OK;
    if (muscle->ops->pull == NULL) {
        return sni_fail_value(error, name, SN_INVALID,
                              "\"%s\" is a muscle of kind \"%s\", which does not pull at bones",
                              muscle->name, muscle->ops->name);
    }
    SN_TRY(check_control(blueprint, "the muscle", muscle->contraction, name, error));
    SN_TRY(check_control(blueprint, "the muscle", muscle->tension, name, error));
    SN_TRY(check_control(blueprint, "the muscle", muscle->activation, name, error));
cleanup:
    return status;
}

// A muscle pulls at all bodies that it is on, whichever of them names it.
static sn_status check_once(const sni_blueprint *blueprint, const sni_rigid_plan *body,
                            uint32_t number, sn_error *error) {
    for (const sni_rigid_plan *other = blueprint->bodies; other <= body; ++other) {
        for (uint32_t i = 0; i < (other == body ? number : other->pull_count); ++i) {
            if (other->pulls[i].muscle == body->pulls[number].muscle) {
                const sn_value *name = sn_value_get(body->pulls[number].value, "muscle");
                return sni_fail_value(error, name, SN_INVALID,
                                      "\"%s\" pulls already: line %u names it", name->as.string,
                                      other->pulls[i].value->line);
            }
        }
    }
    return SN_OK;
}

static sn_status decode_pulls(sni_blueprint *blueprint, sni_rigid_plan *body, sn_error *error) {
    const sn_value *list = sn_value_get(body->value, "muscles");
    sn_status status = SN_OK;
    body->pull_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, body->pulls, body->pull_count);
    for (uint32_t i = 0; i < body->pull_count; ++i) {
        sni_pull_plan *pull = &body->pulls[i];
        *pull = (sni_pull_plan){.value = sn_value_at(list, i)};
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_MUSCLES, sn_value_get(pull->value, "muscle"),
                             &pull->muscle, error));
        SN_TRY(sni_decode_parameters(blueprint, &sni_pull_parameters, pull->value,
                                     &pull->parameters, error));
        SN_TRY(check_muscle(blueprint, pull, error));
        SN_TRY(check_once(blueprint, body, i, error));
    }
cleanup:
    return status;
}

// --- Joints

static sn_status check_axes(const sni_joint_plan *joint, sn_error *error) {
    sn_vec3 across = sn_vec3_cross(joint->forward, joint->up);
    double size = sn_vec3_length(joint->forward) * sn_vec3_length(joint->up);
    // An angle below a thousandth of a radian says nothing.
    return sn_vec3_length(across) > 1e-3 * size && isfinite(size)
               ? SN_OK
               : sni_fail_value(error, joint->value, SN_INVALID,
                                "\"forward\" and \"up\" must have a length and point in different "
                                "directions");
}

static sn_status decode_joint(sni_blueprint *blueprint, const sni_rigid_plan *body,
                              const sn_value *value, sni_joint_plan *joint, sn_error *error) {
    const sn_value *point = sn_value_get(value, "point"), *at = sn_value_get(value, "at");
    const sn_value *on = sn_value_get(value, "on");
    const sn_skeleton *skeleton = &blueprint->skeleton;
    sn_status status = SN_OK;
    *joint = (sni_joint_plan){
        .value = value,
        .on = skeleton->segments[body->segment].parent,
        .in_segment = at != NULL,
        .point = sni_decode_vector(at != NULL ? at : point, sn_vec3_make(0, 0, 0)),
        .forward = sni_decode_vector(sn_value_get(value, "forward"), sn_vec3_make(0, 0, 1)),
        .up = sni_decode_vector(sn_value_get(value, "up"), sn_vec3_make(0, 1, 0))};
    if ((point != NULL) == (at != NULL)) {
        return sni_fail_value(error, value, SN_INVALID,
                              "a joint has either \"point\", in the world at rest, or \"at\", in "
                              "the frame of \"%s\"",
                              skeleton->segments[body->segment].name);
    }
    if (on != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, on, &joint->on, error));
    }
    if (joint->on != SN_NONE && is_on(skeleton, joint->on, body->segment)) {
        return sni_fail_value(error, on, SN_INVALID,
                              "\"%s\" moves with the body: it cannot hold it", on->as.string);
    }
    SN_TRY(check_axes(joint, error));
    SN_TRY(sni_decode_parameters(blueprint, &sni_joint_settings, value, &joint->settings, error));
cleanup:
    return status;
}

static sn_status decode_joints(sni_blueprint *blueprint, sni_rigid_plan *body, sn_error *error) {
    const sn_value *list = sn_value_get(body->value, "joints");
    sn_status status = SN_OK;
    body->joint_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, body->joints, body->joint_count);
    for (uint32_t i = 0; i < body->joint_count && status == SN_OK; ++i) {
        status = decode_joint(blueprint, body, sn_value_at(list, i), &body->joints[i], error);
    }
    return status;
}

// --- Ligaments

static sn_status decode_ligaments(sni_blueprint *blueprint, sni_rigid_plan *body, sn_error *error) {
    static const char *const ends[2] = {"from", "to"};
    const sn_value *list = sn_value_get(body->value, "ligaments");
    uint32_t number = (uint32_t)(body - blueprint->bodies);
    sn_status status = SN_OK;
    body->ligament_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, body->ligaments, body->ligament_count);
    for (uint32_t i = 0; i < body->ligament_count; ++i) {
        sni_ligament_plan *ligament = &body->ligaments[i];
        bool held = false;
        *ligament = (sni_ligament_plan){.value = sn_value_at(list, i)};
        for (int k = 0; k < 2; ++k) {
            SN_TRY(sni_decode_attachment(blueprint, sn_value_get(ligament->value, ends[k]),
                                         &ligament->ends[k], error));
            held = held || sni_find_mover(blueprint, ligament->ends[k].segment) == number;
        }
        if (!held) {
            return sni_fail_value(error, ligament->value, SN_INVALID,
                                  "neither end of the ligament is on the body");
        }
        SN_TRY(sni_decode_parameters(blueprint, &sni_ligament_parameters, ligament->value,
                                     &ligament->parameters, error));
    }
cleanup:
    return status;
}

// --- Contacts

static sn_status check_against(const sni_blueprint *blueprint, const sni_rigid_plan *body,
                               const sni_contact_plan *contact, sn_error *error) {
    for (uint32_t i = 0; i < contact->against_count; ++i) {
        const sni_surface_plan *surface = &blueprint->surfaces[contact->against[i]];
        uint32_t number = (uint32_t)(body - blueprint->bodies);
        if (surface->segment != SN_NONE && sni_find_mover(blueprint, surface->segment) == number) {
            return sni_fail_value(error, sn_value_at(sn_value_get(contact->value, "against"), i),
                                  SN_INVALID, "\"%s\" is a part of the body itself", surface->name);
        }
    }
    return SN_OK;
}

static sn_status decode_contact(sni_blueprint *blueprint, const sni_rigid_plan *body,
                                const sn_value *value, sni_contact_plan *contact, sn_error *error) {
    const sn_value *bones = sn_value_get(value, "bones"), *box = sn_value_get(value, "within");
    sn_vec3 a = sni_decode_vector(sn_value_at(box, 0), sn_vec3_make(0, 0, 0));
    sn_vec3 b = sni_decode_vector(sn_value_at(box, 1), sn_vec3_make(0, 0, 0));
    sn_status status = SN_OK;
    *contact = (sni_contact_plan){
        .value = value, .within = box, .low = sn_vec3_min(a, b), .high = sn_vec3_max(a, b)};
    SN_TRY(find_parts(blueprint, bones, &contact->bone_count, &contact->bones, error));
    SN_TRY(check_own(blueprint, body, bones, contact->bones, error));
    SN_TRY(find_parts(blueprint, sn_value_get(value, "against"), &contact->against_count,
                      &contact->against, error));
    SN_TRY(check_against(blueprint, body, contact, error));
    SN_TRY(sni_decode_parameters(blueprint, &sni_contact_parameters, value, &contact->parameters,
                                 error));
cleanup:
    return status;
}

static sn_status decode_contacts(sni_blueprint *blueprint, sni_rigid_plan *body, sn_error *error) {
    const sn_value *list = sn_value_get(body->value, "contacts");
    sn_status status = SN_OK;
    body->contact_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, body->contacts, body->contact_count);
    for (uint32_t i = 0; i < body->contact_count && status == SN_OK; ++i) {
        status = decode_contact(blueprint, body, sn_value_at(list, i), &body->contacts[i], error);
    }
    return status;
}

// --- Bodies

sn_status sni_decode_moved(sni_blueprint *blueprint, const sn_value *root, sni_rig_desc *desc,
                           sn_error *error) {
    const sn_value *map = sn_value_get(root, "bodies");
    uint32_t *moved = NULL;
    SNI_PLAN_NEW(blueprint, moved, sn_value_count(map));
    desc->moved_count = sn_value_count(map);
    desc->moved = moved;
    for (uint32_t i = 0; i < desc->moved_count; ++i) {
        const sn_value *name = sn_value_get(sn_value_at(map, i), "segment");
        sn_status status = sni_find_name(blueprint, SNI_SECTION_SKELETON, name, &moved[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (moved[k] == moved[i]) {
                status = sni_fail_value(error, name, SN_INVALID,
                                        "the body \"%s\" moves the segment \"%s\" already",
                                        sn_value_at(map, k)->key, name->as.string);
            }
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// Nothing that follows from bodies may carry one.
static sn_status check_segment(const sni_blueprint *blueprint, const sni_rigid_plan *body,
                               sn_error *error) {
    const sn_skeleton *skeleton = &blueprint->skeleton;
    for (uint32_t s = body->segment; s != SN_NONE; s = skeleton->segments[s].parent) {
        if (sni_rig_segment_follows(blueprint->rig, s)) {
            return sni_fail_value(error, sn_value_get(body->value, "segment"), SN_INVALID,
                                  "a synergy moves \"%s\" by a control that is computed from where "
                                  "a body is: a circle",
                                  skeleton->segments[s].name);
        }
    }
    return SN_OK;
}

static sn_status decode_body(sni_blueprint *blueprint, sni_rigid_plan *body, sn_error *error) {
    const sn_value *value = body->value, *bones = sn_value_get(value, "bones");
    sn_status status = SN_OK;
    SN_TRY(check_segment(blueprint, body, error));
    SN_TRY(sni_decode_parameters(blueprint, &sni_body_parameters, value, &body->parameters, error));
    SN_TRY(sni_decode_driven(blueprint, &sni_body_parameters, value, body->parameters,
                             &body->driven, error));
    for (uint32_t i = 0; body->driven != NULL && i < SNI_BODY_PARAMETER_COUNT; ++i) {
        SN_TRY(check_control(blueprint, sni_body_parameters.items[i].name, body->driven[i],
                             sn_value_get(value, "driven"), error));
    }
    body->bones_value = bones;
    SN_TRY(find_parts(blueprint, bones, &body->bone_count, &body->bones, error));
    SN_TRY(check_own(blueprint, body, bones, body->bones, error));
    SN_TRY(decode_pulls(blueprint, body, error));
    SN_TRY(decode_joints(blueprint, body, error));
    SN_TRY(decode_ligaments(blueprint, body, error));
    SN_TRY(decode_contacts(blueprint, body, error));
cleanup:
    return status;
}

sn_status sni_decode_bodies(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *map = sn_value_get(root, "bodies");
    sn_status status = SN_OK;
    blueprint->body_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, blueprint->bodies, blueprint->body_count);
    for (uint32_t i = 0; i < blueprint->body_count; ++i) {
        const sn_value *value = sn_value_at(map, i);
        blueprint->bodies[i] = (sni_rigid_plan){
            .name = value->key, .value = value, .segment = blueprint->rig_desc.moved[i]};
    }
    for (uint32_t i = 0; i < blueprint->body_count && status == SN_OK; ++i) {
        status = decode_body(blueprint, &blueprint->bodies[i], error);
    }
    return status;
}
