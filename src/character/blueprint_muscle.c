// SPDX-License-Identifier: Apache-2.0
//
// Muscles of a document, and which of them move a deformer.
#include "character/blueprint.h"

#include "character/schema.h"

#include <stdio.h>
#include <string.h>

static sn_status find_control(const sni_blueprint *blueprint, const sn_value *name,
                              uint32_t *control, sn_error *error) {
    *control = SN_NONE;
    return name != NULL ? sni_find_name(blueprint, SNI_SECTION_CONTROLS, name, control, error)
                        : SN_OK;
}

uint32_t sni_find_surface(const sni_blueprint *blueprint, const char *name) {
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        if (strcmp(blueprint->surfaces[i].name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static sn_status decode_depth(const sni_blueprint *blueprint, const sn_value *name,
                              sni_muscle_plan *plan, sn_error *error) {
    if (name == NULL) {
        return SN_OK;
    }
    plan->inner = sni_find_surface(blueprint, name->as.string);
    plan->on_skeleton =
        plan->inner == SN_NONE && strcmp(name->as.string, SNI_DEPTH_FROM_SKELETON) == 0;
    if (plan->inner == plan->skin) {
        return sni_fail_value(error, name, SN_INVALID,
                              "\"%s\" is the skin that the muscle is drawn on", name->as.string);
    }
    if (plan->inner != SN_NONE || plan->on_skeleton) {
        return SN_OK;
    }
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name->as.string);
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        sni_closest_try(&closest, blueprint->surfaces[i].name);
    }
    sni_closest_try(&closest, SNI_DEPTH_FROM_SKELETON);
    return sni_fail_value(error, name, SN_INVALID, "there is no bone, tissue or skin \"%s\"%s",
                          name->as.string, sni_closest_hint(&closest, hint));
}

// --- Muscles between bones

sn_status sni_find_bone(const sni_blueprint *blueprint, const sn_value *attachment,
                        uint32_t *surface, sn_error *error) {
    // Bones are the first surfaces.
    return sni_find_name(blueprint, SNI_SECTION_BONES, sn_value_get(attachment, "bone"), surface,
                         error);
}

const sn_value *sni_attachment_at(const sn_value *muscle, const char *end, uint32_t index) {
    char several[16];
    snprintf(several, sizeof several, "%ss", end);
    const sn_value *list = sn_value_get(muscle, several);
    return list != NULL ? sn_value_at(list, index) : sn_value_get(muscle, end);
}

// Whether a segment hangs on another one.
static bool is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t other) {
    while (segment != SN_NONE && segment != other) {
        segment = skeleton->segments[segment].parent;
    }
    return segment == other;
}

// How far a place in a bone's box may lie outside of it, in parts of its sides.
static const double box_margin = 1;

static sn_status check_box_place(const sn_value *at, sn_error *error) {
    for (uint32_t i = 0; i < 3; ++i) {
        double share = sn_value_at(at, i)->as.number;
        if (!(share >= -box_margin && share <= 1 + box_margin)) {
            return sni_fail_value(error, sn_value_at(at, i), SN_INVALID,
                                  "a place in a bone's box is from %g to %g, but this is %g",
                                  -box_margin, 1 + box_margin, share);
        }
    }
    return SN_OK;
}

// An attachment says its place in one of three ways.
static sn_status check_form(const sn_value *attachment, sn_error *error) {
    const sn_value *bone = sn_value_get(attachment, "bone");
    const sn_value *segment = sn_value_get(attachment, "segment");
    const sn_value *at = sn_value_get(attachment, "at");
    const sn_value *point = sn_value_get(attachment, "point");
    const sn_value *frame = sn_value_get(attachment, "frame");
    if ((bone != NULL) == (segment != NULL) || (at != NULL) == (point != NULL) ||
        (segment != NULL && point != NULL)) {
        return sni_fail_value(error, attachment, SN_INVALID,
                              "a place is given by \"bone\" and \"at\", by \"bone\" and "
                              "\"point\", or by \"segment\" and \"at\"");
    }
    if (bone != NULL && frame != NULL) {
        return sni_fail_value(error, frame, SN_INVALID,
                              "only a place in a \"segment\" has a frame");
    }
    return bone != NULL && at != NULL ? check_box_place(at, error) : SN_OK;
}

static sn_status segment_of(const sni_blueprint *blueprint, const sn_value *attachment,
                            uint32_t *segment, sn_error *error) {
    const sn_value *name = sn_value_get(attachment, "segment");
    uint32_t surface;
    sn_status status = check_form(attachment, error);
    if (status == SN_OK && name != NULL) {
        return sni_find_name(blueprint, SNI_SECTION_SKELETON, name, segment, error);
    }
    if (status == SN_OK) {
        status = sni_find_bone(blueprint, attachment, &surface, error);
    }
    if (status == SN_OK) {
        *segment = blueprint->surfaces[surface].segment;
    }
    return status;
}

// Section 4.1 of the paper: origins are proximal of insertions, the first origin of the second.
static sn_status check_attachments(const sni_blueprint *blueprint, const sn_value *value,
                                   uint32_t count, sn_error *error) {
    const sn_skeleton *skeleton = sni_rig_skeleton(blueprint->rig);
    sn_status status = SN_OK;
    uint32_t origins[2], insertion;
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(segment_of(blueprint, sni_attachment_at(value, "origin", i), &origins[i], error));
    }
    if (count == 2 && origins[0] != origins[1] && is_below(skeleton, origins[0], origins[1])) {
        SN_TRY(sni_fail_value(error, sni_attachment_at(value, "origin", 0), SN_INVALID,
                              "the first origin is on \"%s\", which hangs on \"%s\" of the second; "
                              "let them change places",
                              skeleton->segments[origins[0]].name,
                              skeleton->segments[origins[1]].name));
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *place = sni_attachment_at(value, "insertion", i);
        SN_TRY(segment_of(blueprint, place, &insertion, error));
        for (uint32_t k = 0; k < count; ++k) {
            if (origins[k] != insertion && is_below(skeleton, origins[k], insertion)) {
                SN_TRY(sni_fail_value(error, place, SN_INVALID,
                                      "an origin is on \"%s\", which hangs on \"%s\" of this "
                                      "insertion; let origins and insertions change places",
                                      skeleton->segments[origins[k]].name,
                                      skeleton->segments[insertion].name));
            }
        }
    }
cleanup:
    return status;
}

sn_status sni_check_muscle_body(const sni_blueprint *blueprint, const sn_value *value,
                                uint32_t attachments, sn_error *error) {
    const sn_value *pivots = sn_value_get(value, "pivots"), *around = sn_value_get(value, "around");
    sn_status status = check_attachments(blueprint, value, attachments, error);
    for (uint32_t i = 0; i < sn_value_count(pivots) && status == SN_OK; ++i) {
        status = sni_check_pivot(blueprint, sn_value_at(pivots, i), error);
    }
    for (uint32_t i = 0; i < sn_value_count(around) && status == SN_OK; ++i) {
        status = sni_check_wrap(blueprint, sn_value_at(around, i), error);
    }
    return status;
}

// The mesh and the strips of a muscle that is a given surface.
static sn_status decode_strips(sni_blueprint *blueprint, const sn_value *value,
                               sni_muscle_plan *plan, sn_error *error) {
    const sni_muscle_ops *cylinder = &sni_muscle_cylinder;
    const sn_value *mesh = sn_value_get(value, "mesh"), *strips = sn_value_get(value, "strips");
    const sn_value *meshes = sn_value_get(value->parent->parent, "meshes");
    sn_status status = SN_OK;
    uint32_t number;
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_MESHES, mesh, &number, error));
    if (sn_value_get(sn_value_at(meshes, number), "extract") != NULL) {
        SN_TRY(sni_fail_value(error, mesh, SN_INVALID,
                              "the mesh \"%s\" is extracted from the body, but a muscle is a part "
                              "of it",
                              mesh->as.string));
    }
    plan->mesh = mesh->as.string;
    plan->strip_count = sn_value_count(strips);
    SNI_PLAN_NEW(blueprint, plan->strips, plan->strip_count);
    for (uint32_t i = 0; i < plan->strip_count; ++i) {
        sni_strip_plan *strip = &plan->strips[i];
        strip->value = sn_value_at(strips, i);
        SN_TRY(sni_decode_parameters(blueprint, &cylinder->parameters, strip->value,
                                     &strip->parameters, error));
        SN_TRY(sni_check_muscle_body(blueprint, strip->value, cylinder->attachments, error));
    }
cleanup:
    return status;
}

sn_status sni_decode_muscle(sni_blueprint *blueprint, const sn_value *value, sni_muscle_plan *plan,
                            sn_error *error) {
    const sni_muscle_ops *ops = sni_muscle_find(sn_value_string(sn_value_get(value, "kind"), ""));
    const sn_value *segment = sn_value_get(value, "segment");
    *plan = (sni_muscle_plan){.ops = ops,
                              .name = value->key,
                              .value = value,
                              .skin = SN_NONE,
                              .segment = SN_NONE,
                              .contraction = SN_NONE,
                              .tension = SN_NONE,
                              .activation = SN_NONE,
                              .inner = SN_NONE,
                              .show = sn_value_bool(sn_value_get(value, "show"), true)};
    sn_status status = SN_OK;
    SN_TRY(sni_decode_parameters(blueprint, &ops->parameters, value, &plan->parameters, error));
    SN_TRY(find_control(blueprint, sn_value_get(value, "activation"), &plan->activation, error));
    if (ops->has_strips) {
        return decode_strips(blueprint, value, plan, error);
    }
    if (ops->attachments > 0) {
        return sni_check_muscle_body(blueprint, value, ops->attachments, error);
    }
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKINS, sn_value_get(value, "skin"), &plan->skin,
                         error));
    plan->skin += blueprint->surface_count - blueprint->names[SNI_SECTION_SKINS].count;
    if (segment != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, segment, &plan->segment, error));
    }
    SN_TRY(find_control(blueprint, sn_value_get(value, "contraction"), &plan->contraction, error));
    SN_TRY(find_control(blueprint, sn_value_get(value, "tension"), &plan->tension, error));
    SN_TRY(decode_depth(blueprint, sn_value_get(value, "depth_from"), plan, error));
cleanup:
    return status;
}

// Deformers that follow muscles follow patches.
static sn_status check_followed(const sni_blueprint *blueprint, const sni_deformer_plan *plan,
                                sn_error *error) {
    for (uint32_t i = 0; i < plan->muscle_count; ++i) {
        const sni_muscle_plan *muscle = &blueprint->muscles[plan->muscles[i]];
        if (muscle->ops->attachments > 0) {
            return sni_fail_value(
                error, sn_value_at(sn_value_get(plan->value, "muscles"), i), SN_INVALID,
                "\"%s\" is a muscle of kind \"%s\", but \"%s\" follows those of "
                "kind \"%s\"",
                muscle->name, muscle->ops->name, plan->ops->name, sni_muscle_patch.name);
        }
    }
    return SN_OK;
}

sn_status sni_decode_muscles(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *map = sn_value_get(root, "muscles");
    blueprint->muscle_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, blueprint->muscles, blueprint->muscle_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->muscle_count && status == SN_OK; ++i) {
        status = sni_decode_muscle(blueprint, sn_value_at(map, i), &blueprint->muscles[i], error);
    }
    for (uint32_t i = 0; i < blueprint->surface_count && status == SN_OK; ++i) {
        const sni_surface_plan *surface = &blueprint->surfaces[i];
        for (uint32_t k = 0; k < surface->deformer_count && status == SN_OK; ++k) {
            status = check_followed(blueprint, &surface->deformers[k], error);
        }
    }
    return status;
}

sn_status sni_decode_deformer_muscles(sni_blueprint *blueprint, sni_deformer_plan *plan,
                                      sn_error *error) {
    const sn_value *names = sn_value_get(plan->value, "muscles");
    plan->muscle_count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, plan->muscles, plan->muscle_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->muscle_count && status == SN_OK; ++i) {
        status = sni_find_name(blueprint, SNI_SECTION_MUSCLES, sn_value_at(names, i),
                               &plan->muscles[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (plan->muscles[k] == plan->muscles[i]) {
                status = sni_fail_value(error, sn_value_at(names, i), SN_INVALID,
                                        "the muscle \"%s\" is named twice",
                                        sn_value_at(names, i)->as.string);
            }
        }
    }
    return status;
}
