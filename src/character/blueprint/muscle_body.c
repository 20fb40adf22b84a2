// SPDX-License-Identifier: Apache-2.0
//
// Muscles between bones: attachments, sections or changed slices, pivots, and bodies to go around.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

#include <math.h>
#include <string.h>

static sn_vec3 vector_or_zero(const sn_value *value) {
    return sni_decode_vector(value, sn_vec3_make(0, 0, 0));
}

static sn_vec3 radians(const sn_value *degrees) {
    return sn_vec3_scale(vector_or_zero(degrees), SN_PI / 180);
}

static bool is_in_sizes(const sn_value *object) {
    return strcmp(sn_value_string(sn_value_get(object, "frame"), ""), "size") == 0;
}

static sn_status find_segment(const sni_blueprint *blueprint, const sn_value *object,
                              uint32_t *segment, sn_error *error) {
    return sni_find_name(blueprint, SNI_SECTION_SKELETON, sn_value_get(object, "segment"), segment,
                         error);
}

static sn_status find_parameter(const sni_blueprint *blueprint, const sn_value *name,
                                sni_parameter_ref *ref, sn_error *error) {
    return sni_at_value(sni_rig_find(blueprint->rig, name->as.string, ref, error), name, error);
}

// The place of a name in a list that ends with NULL; 0 where there is no name.
static uint32_t choice_of(const sn_value *name, const char *const *choices) {
    const char *text = sn_value_string(name, choices[0]);
    uint32_t choice = 0;
    while (strcmp(choices[choice], text) != 0) {
        ++choice;
    }
    return choice;
}

// --- Attachments

// How far a place in a bone's box may lie outside of it, in parts of its sides.
static const double box_margin = 1;

static sn_status check_box_place(const sn_value *at, sn_error *error) {
    for (uint32_t i = 0; i < 3; ++i) {
        double share = sn_value_at(at, i)->as.number;
        if (!(share >= -box_margin && share <= 1 + box_margin)) {
            return sni_fail_value(error, sn_value_at(at, i), SN_INVALID,
                                  "a position in a bone's box is from %g to %g, but this is %g",
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
                              "an attachment is given by \"bone\" and \"at\", by \"bone\" and "
                              "\"point\", or by \"segment\" and \"at\"");
    }
    if (bone != NULL && frame != NULL) {
        return sni_fail_value(error, frame, SN_INVALID,
                              "only an attachment in a \"segment\" has a frame");
    }
    return bone != NULL && at != NULL ? check_box_place(at, error) : SN_OK;
}

sn_status sni_decode_attachment(const sni_blueprint *blueprint, const sn_value *value,
                                sni_attachment_plan *plan, sn_error *error) {
    const sn_value *bone = sn_value_get(value, "bone"), *point = sn_value_get(value, "point");
    sn_status status = check_form(value, error);
    *plan = (sni_attachment_plan){
        .value = value,
        .frame = bone == NULL    ? SNI_ATTACHED_IN_SEGMENT
                 : point == NULL ? SNI_ATTACHED_IN_BOX
                                 : SNI_ATTACHED_IN_WORLD,
        .bone = SN_NONE,
        .bone_value = bone,
        .in_sizes = is_in_sizes(value),
        .at = vector_or_zero(point != NULL ? point : sn_value_get(value, "at"))};
    if (status == SN_OK && bone == NULL) {
        return find_segment(blueprint, value, &plan->segment, error);
    }
    if (status == SN_OK) {
        // Bones are the first surfaces.
        status = sni_find_name(blueprint, SNI_SECTION_BONES, bone, &plan->bone, error);
    }
    if (status == SN_OK) {
        plan->segment = blueprint->surfaces[plan->bone].segment;
    }
    return status;
}

// One end of the muscle. Where the kind has several attachments at an end, they are a list under
// the plural of its name.
static sn_status decode_end(sni_blueprint *blueprint, const sn_value *muscle, const char *end,
                            const char *ends, uint32_t count, sni_attachment_plan **plans,
                            sn_error *error) {
    const sn_value *list = sn_value_get(muscle, ends);
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, *plans, count);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        const sn_value *value = list != NULL ? sn_value_at(list, i) : sn_value_get(muscle, end);
        status = sni_decode_attachment(blueprint, value, &(*plans)[i], error);
    }
    return status;
}

// Whether a segment hangs on another one.
static bool is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t other) {
    while (segment != SN_NONE && segment != other) {
        segment = skeleton->segments[segment].parent;
    }
    return segment == other;
}

// Section 4.1 of the paper: origins are proximal of insertions, the first origin of the second.
static sn_status check_ends(const sni_blueprint *blueprint, const sni_muscle_body_plan *plan,
                            sn_error *error) {
    const sn_skeleton *skeleton = sni_rig_skeleton(blueprint->rig);
    const sni_attachment_plan *origins = plan->origins;
    if (plan->attachment_count == 2 && origins[0].segment != origins[1].segment &&
        is_below(skeleton, origins[0].segment, origins[1].segment)) {
        return sni_fail_value(error, origins[0].value, SN_INVALID,
                              "the first origin is on \"%s\", which is below \"%s\" of the second; "
                              "exchange them",
                              skeleton->segments[origins[0].segment].name,
                              skeleton->segments[origins[1].segment].name);
    }
    for (uint32_t i = 0; i < plan->attachment_count; ++i) {
        const sni_attachment_plan *insertion = &plan->insertions[i];
        for (uint32_t k = 0; k < plan->attachment_count; ++k) {
            if (origins[k].segment != insertion->segment &&
                is_below(skeleton, origins[k].segment, insertion->segment)) {
                return sni_fail_value(error, insertion->value, SN_INVALID,
                                      "an origin is on \"%s\", which is below \"%s\" of this "
                                      "insertion; exchange origins and insertions",
                                      skeleton->segments[origins[k].segment].name,
                                      skeleton->segments[insertion->segment].name);
            }
        }
    }
    return SN_OK;
}

// --- Slices

static sn_status decode_shapes(sni_blueprint *blueprint, const sn_value *list,
                               sni_muscle_body_plan *plan, sn_error *error) {
    plan->shape_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->shapes, plan->shape_count);
    for (uint32_t i = 0; i < plan->shape_count; ++i) {
        const sn_value *value = sn_value_at(list, i), *scale = sn_value_get(value, "scale");
        plan->shapes[i] =
            (sni_muscle_slice_shape){.slice = (uint32_t)sn_value_get(value, "slice")->as.number,
                                     .scale = {sn_value_number(sn_value_at(scale, 0), 1),
                                               sn_value_number(sn_value_at(scale, 1), 1)},
                                     .move = vector_or_zero(sn_value_get(value, "move")),
                                     .turn = radians(sn_value_get(value, "turn_deg"))};
    }
    return SN_OK;
}

static sn_status decode_sections(sni_blueprint *blueprint, const sn_value *list,
                                 sni_muscle_body_plan *plan, sn_error *error) {
    plan->section_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->sections, plan->section_count);
    for (uint32_t i = 0; i < plan->section_count; ++i) {
        const sn_value *value = sn_value_at(list, i);
        plan->sections[i] =
            (sni_muscle_section){.center = vector_or_zero(sn_value_get(value, "center")),
                                 .wide = vector_or_zero(sn_value_get(value, "wide")),
                                 .thick = vector_or_zero(sn_value_get(value, "thick"))};
    }
    return SN_OK;
}

// --- Pivots

// A pivot that is used in a range has a parameter and its range; others have neither.
static sn_status decode_range(const sni_blueprint *blueprint, sni_pivot_plan *pivot,
                              sn_error *error) {
    const sn_value *parameter = sn_value_get(pivot->value, "parameter");
    const sn_value *range = sn_value_get(pivot->value, "range");
    bool ranged = pivot->use == SNI_PIVOT_RANGE;
    if (ranged && (parameter == NULL || range == NULL)) {
        return sni_fail_value(error, pivot->value, SN_INVALID,
                              "a pivot that is used in a range needs \"parameter\" and \"range\"");
    }
    if (!ranged && (parameter != NULL || range != NULL)) {
        return sni_fail_value(error, parameter != NULL ? parameter : range, SN_INVALID,
                              "only a pivot with \"use\": \"range\" has a parameter and its range");
    }
    if (!ranged) {
        return SN_OK;
    }
    pivot->low = sn_value_at(range, 0)->as.number;
    pivot->high = sn_value_at(range, 1)->as.number;
    if (!(pivot->low <= pivot->high)) {
        return sni_fail_value(error, range, SN_INVALID,
                              "the lower end %.9g is above the upper end %.9g", pivot->low,
                              pivot->high);
    }
    return find_parameter(blueprint, parameter, &pivot->parameter, error);
}

// The curve of one coordinate. It is freed with the blueprint.
static sn_status decode_move(sni_blueprint *blueprint, const sn_value *value, sni_pivot_move *move,
                             sn_error *error) {
    const sn_value *pairs = sn_value_get(value, "curve");
    uint32_t count = sn_value_count(pairs);
    sn_status status = SN_OK;
    double *inputs, *outputs;
    SNI_PLAN_NEW(blueprint, inputs, count);
    SNI_PLAN_NEW(blueprint, outputs, count);
    SN_TRY(find_parameter(blueprint, sn_value_get(value, "parameter"), &move->parameter, error));
    SN_TRY(sni_decode_pairs(pairs, inputs, outputs, error));
    SN_TRY(sni_curve_init(blueprint->context, count, inputs, outputs,
                          sni_decode_interpolation(value), &move->curve, error));
cleanup:
    return status;
}

static sn_status decode_pivot(sni_blueprint *blueprint, const sn_value *value,
                              sni_pivot_plan *pivot, sn_error *error) {
    static const char *const axes[] = {"x", "y", "z"};
    const sn_value *degrees = sn_value_get(value, "turn_deg"), *half = sn_value_get(value, "half");
    const sn_value *moves = sn_value_get(value, "moves");
    sn_status status = SN_OK;
    pivot->value = value;
    pivot->slice = (uint32_t)sn_value_get(value, "slice")->as.number;
    pivot->use = (sni_pivot_use)choice_of(sn_value_get(value, "use"), sni_pivot_uses);
    pivot->in_sizes = is_in_sizes(value);
    pivot->at = vector_or_zero(sn_value_get(value, "at"));
    pivot->turned = degrees != NULL;
    pivot->turn = sn_quat_from_euler(radians(degrees), SN_ROTATION_XYZ);
    pivot->half_of = SN_NONE;
    SN_TRY(find_segment(blueprint, value, &pivot->segment, error));
    if (half != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, half, &pivot->half_of, error));
    }
    SN_TRY(decode_range(blueprint, pivot, error));
    for (int i = 0; i < 3; ++i) {
        const sn_value *move = sn_value_get(moves, axes[i]);
        if (move != NULL) {
            SN_TRY(decode_move(blueprint, move, &pivot->moves[i], error));
        }
    }
cleanup:
    return status;
}

static sn_status decode_pivots(sni_blueprint *blueprint, const sn_value *list,
                               sni_muscle_body_plan *plan, sn_error *error) {
    uint32_t count = sn_value_count(list);
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, plan->pivots, count);
    memset(plan->pivots, 0, count * sizeof *plan->pivots);
    plan->pivot_count = count;
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = decode_pivot(blueprint, sn_value_at(list, i), &plan->pivots[i], error);
    }
    return status;
}

void sni_muscle_body_plan_deinit(sn_context *context, sni_muscle_body_plan *plan) {
    for (uint32_t i = 0; i < plan->pivot_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            sni_curve_deinit(context, &plan->pivots[i].moves[k].curve);
        }
    }
}

// --- Bodies to go around

// 0 for any, 1 x, -1 its opposite, 2 y and so on, in the order of sni_wrap_sides.
static int side_of(const sn_value *value) {
    int index = (int)choice_of(value, sni_wrap_sides), axis = (index + 1) / 2;
    return index % 2 == 0 ? -axis : axis;
}

static sn_status decode_wrap(const sni_blueprint *blueprint, const sn_value *value,
                             sni_wrap_plan *plan, sn_error *error) {
    static const char *const shapes[] = {[SNI_WRAP_CYLINDER] = "cylinder",
                                         [SNI_WRAP_SPHERE] = "sphere",
                                         [SNI_WRAP_ELLIPSOID] = "ellipsoid",
                                         [SNI_WRAP_TORUS] = "torus"};
    const sn_value *slices = sn_value_get(value, "slices"), *body = NULL;
    const sn_value *between = sn_value_get(value, "between");
    uint32_t shape = 0, count = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const sn_value *found = sn_value_get(value, shapes[i]);
        count += found != NULL;
        body = found != NULL ? found : body;
        shape = found != NULL ? i : shape;
    }
    if (count != 1) {
        return sni_fail_value(error, value, SN_INVALID,
                              "a wrap object is a \"cylinder\", a \"sphere\", an \"ellipsoid\" "
                              "or a \"torus\"");
    }
    double radius = sn_value_number(sn_value_get(body, "radius"), 0);
    plan->in_sizes = is_in_sizes(value);
    plan->wrap = (sni_muscle_wrap){
        .first = (uint32_t)sn_value_at(slices, 0)->as.number,
        .last = (uint32_t)sn_value_at(slices, 1)->as.number,
        .ranged = between != NULL,
        .range = {(uint32_t)sn_value_number(sn_value_at(between, 0), 0),
                  (uint32_t)sn_value_number(sn_value_at(between, 1), 0)},
        .shape = (sni_wrap_shape)shape,
        .method = (sni_wrap_method)choice_of(sn_value_get(value, "method"), sni_wrap_methods),
        .center = vector_or_zero(sn_value_get(body, "center")),
        .turn = sn_quat_from_euler(radians(sn_value_get(body, "rotation_deg")), SN_ROTATION_XYZ),
        .radii = radius > 0 ? sn_vec3_make(radius, radius, radius)
                            : vector_or_zero(sn_value_get(body, "radii")),
        .ring = sn_value_number(sn_value_get(body, "ring"), 0),
        .length = sn_value_number(sn_value_get(body, "length"), INFINITY),
        .side = side_of(sn_value_get(value, "side"))};
    return find_segment(blueprint, value, &plan->wrap.segment, error);
}

static sn_status decode_wraps(sni_blueprint *blueprint, const sn_value *list,
                              sni_muscle_body_plan *plan, sn_error *error) {
    sn_status status = SN_OK;
    plan->wrap_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->wraps, plan->wrap_count);
    for (uint32_t i = 0; i < plan->wrap_count && status == SN_OK; ++i) {
        status = decode_wrap(blueprint, sn_value_at(list, i), &plan->wraps[i], error);
    }
    return status;
}

sn_status sni_decode_muscle_body(sni_blueprint *blueprint, const sn_value *value,
                                 uint32_t attachments, sni_muscle_body_plan *plan,
                                 sn_error *error) {
    sn_status status = SN_OK;
    *plan = (sni_muscle_body_plan){.value = value, .attachment_count = attachments};
    SN_TRY(decode_end(blueprint, value, "origin", "origins", attachments, &plan->origins, error));
    SN_TRY(decode_end(blueprint, value, "insertion", "insertions", attachments, &plan->insertions,
                      error));
    SN_TRY(check_ends(blueprint, plan, error));
    SN_TRY(decode_sections(blueprint, sn_value_get(value, "sections"), plan, error));
    SN_TRY(decode_shapes(blueprint, sn_value_get(value, "shape"), plan, error));
    SN_TRY(decode_pivots(blueprint, sn_value_get(value, "pivots"), plan, error));
    SN_TRY(decode_wraps(blueprint, sn_value_get(value, "around"), plan, error));
cleanup:
    return status;
}
