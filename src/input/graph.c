// SPDX-License-Identifier: Apache-2.0
//
// The control points of a muscle of kind `graph`, and its surface: a mesh of the document, or
// circles that it is made of.
#include "character/character.h"
#include "input/bodies_internal.h"

// --- Keys

static const sni_schema point_number = {.type = SNI_SCHEMA_WHOLE,
                                        .help = "The number of a point, from 0.",
                                        .low = 0,
                                        .high = SNI_GRAPH_POINTS_MOST - 1};
static const sni_schema part = {
    .type = SNI_SCHEMA_NUMBER, .help = "A part of the whole.", .low = 0, .high = 1};
static const sni_schema_field point_fields[] = {
    ATTACHMENT_FIELDS,
    FIELD("shared_with", text, .name_of = "segments",
          .help = "A second segment that carries it, as skin between two bones is carried."),
    FIELD("share", part, .standard = "0.5", .help = "How much the second segment carries it."),
    FIELD("parent", point_number,
          .help = "The point that it contracts towards, by its number in the list, from 0; none "
                  "for the root."),
    FIELD("root", flag, .standard = "false",
          .help = "True for each of several points without a parent: the muscle then has several "
                  "graphs."),
    FIELD("tendon", flag, .standard = "false",
          .help = "Whether it is tendon, not flesh: between two such points the length stays."),
    ABOUT};
static const sni_schema point =
    OBJECT("A control point: on a bone (bone, at or point), on a segment (segment, at), or in "
           "space (point alone), carried as its neighbours are.",
           point_fields);
static const sni_schema points = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "The control points inside of the muscle.",
                                  .item = &point,
                                  .least = 2,
                                  .most = SNI_GRAPH_POINTS_MOST};
static const sni_schema radius = {
    .type = SNI_SCHEMA_NUMBER, .help = "A length above zero.", .low = 1e-9, .high = 1e9};
static const sni_schema point_radius = {.type = SNI_SCHEMA_SEVERAL,
                                        .help =
                                            "A radius, or two: along the bone and away from it.",
                                        .item = &radius,
                                        .least = 2,
                                        .most = 2};
static const sni_schema radii = {.type = SNI_SCHEMA_ARRAY,
                                 .help = "Radii at the points.",
                                 .item = &point_radius,
                                 .least = 2,
                                 .most = SNI_GRAPH_POINTS_MOST};
static const sni_schema along = {
    .type = SNI_SCHEMA_NUMBER, .help = "A part of the way.", .low = 0.001, .high = 0.999};
static const sni_schema_field section_fields[] = {
    NEEDED("point", point_number, .help = "The point on whose way to its parent it is."),
    NEEDED("along", along, .help = "How far from the point: 0 at the point, 1 at its parent."),
    NEEDED("radius", point_radius, .unit = "m",
           .help = "A radius, or two: along the bone and away from it."),
    ABOUT};
static const sni_schema section =
    OBJECT("A circle between a point and its parent.", section_fields);
static const sni_schema sections = {
    .type = SNI_SCHEMA_ARRAY, .help = "Circles between points.", .item = &section};

static const sni_schema_field fields[] = {
    FIELD("mesh", text, .name_of = "meshes",
          .help = "The closed mesh that is its surface, in the world at rest."),
    NEEDED("points", points,
           .help = "Its control points. Each but the root has a parent that it contracts "
                   "towards."),
    FIELD("radii", radii, .unit = "m",
          .help = "Without a mesh: radii of the circles around the points that its surface is made "
                  "of, one for each point: a radius, or two, along the bone and away from it."),
    FIELD("sections", sections,
          .help = "Without a mesh: more circles, between points and their parents."),
    FIELD("center", sni_attachment_schema,
          .help = "What all points contract straight towards: it is a sphincter.")};

// --- Decoding

static sn_status decode_point(const sni_blueprint *blueprint, const sn_value *value,
                              sni_graph_point_plan *plan, sn_error *error) {
    const sn_value *parent = sn_value_get(value, "parent"), *place = sn_value_get(value, "point");
    const sn_value *shared = sn_value_get(value, "shared_with");
    bool named = sn_value_get(value, "bone") != NULL || sn_value_get(value, "segment") != NULL;
    *plan = (sni_graph_point_plan){.in_space = !named && place != NULL &&
                                               sn_value_get(value, "at") == NULL &&
                                               sn_value_get(value, "frame") == NULL,
                                   .parent = parent != NULL ? (uint32_t)parent->as.number : SN_NONE,
                                   .root = sn_value_bool(sn_value_get(value, "root"), false),
                                   .tendon = sn_value_bool(sn_value_get(value, "tendon"), false)};
    if (plan->in_space && shared != NULL) {
        return sni_fail_value(error, shared, SN_INVALID,
                              "a point in space has no segment that it could share: give its "
                              "\"segment\", too");
    }
    if (plan->in_space) {
        plan->place = (sni_attachment_plan){.value = value,
                                            .frame = SNI_ATTACHED_IN_WORLD,
                                            .bone = SN_NONE,
                                            .segment = SN_NONE,
                                            .at = sni_decode_vector(place, (sn_vec3){0})};
        return SN_OK;
    }
    sn_status status = sni_decode_attachment(blueprint, value, &plan->place, error);
    if (status == SN_OK && shared != NULL) {
        plan->share = sn_value_number(sn_value_get(value, "share"), 0.5);
        status = sni_find_name(blueprint, SNI_SECTION_SKELETON, shared, &plan->second, error);
    }
    return status;
}

static void decode_radius(const sn_value *value, double found[2]) {
    for (uint32_t k = 0; k < 2; ++k) {
        found[k] = (value->type == SN_JSON_ARRAY ? sn_value_at(value, k) : value)->as.number;
    }
}

static sn_status decode_section(const sni_graph_plan *plan, const sn_value *value,
                                sni_graph_circle *circle, sn_error *error) {
    const sn_value *of = sn_value_get(value, "point");
    circle->point = (uint32_t)of->as.number;
    circle->along = sn_value_get(value, "along")->as.number;
    decode_radius(sn_value_get(value, "radius"), circle->radii);
    if (circle->point >= plan->point_count || plan->points[circle->point].parent == SN_NONE) {
        return sni_fail_value(error, of, SN_INVALID,
                              circle->point >= plan->point_count
                                  ? "there is no point %u; it has %u points"
                                  : "point %u has no parent, so that there is no way to it",
                              circle->point, plan->point_count);
    }
    return SN_OK;
}

// A surface is given, or made of a circle at every point and others between them.
static sn_status decode_circles(const sni_decoding *decoding, sni_graph_plan *plan,
                                sn_error *error) {
    const sn_value *list = sn_value_get(decoding->object, "radii");
    const sn_value *more = sn_value_get(decoding->object, "sections");
    const sn_value *wrong = list != NULL ? list : more;
    sn_status status = SN_OK;
    if ((plan->mesh != NULL) == (list != NULL) || (list == NULL && more != NULL)) {
        return sni_fail_value(error, wrong != NULL ? wrong : decoding->object, SN_INVALID,
                              "a muscle of kind \"%s\" has either a \"mesh\", or \"radii\" of "
                              "which its surface is made",
                              decoding->kind);
    }
    if (list != NULL && sn_value_count(list) != plan->point_count) {
        return sni_fail_value(error, list, SN_INVALID, "it has %u points, but %u radii",
                              plan->point_count, sn_value_count(list));
    }
    plan->circle_count = sn_value_count(list) + sn_value_count(more);
    SNI_PLAN_NEW(decoding->blueprint, plan->circles, plan->circle_count);
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        plan->circles[i] = (sni_graph_circle){.point = i};
        decode_radius(sn_value_at(list, i), plan->circles[i].radii);
    }
    for (uint32_t i = 0; i < sn_value_count(more) && status == SN_OK; ++i) {
        status = decode_section(plan, sn_value_at(more, i),
                                &plan->circles[sn_value_count(list) + i], error);
    }
    return status;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *list = sn_value_get(decoding->object, "points");
    const sn_value *center = sn_value_get(decoding->object, "center");
    sni_graph_plan *plan;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *plan = (sni_graph_plan){.value = decoding->object,
                             .point_count = sn_value_count(list),
                             .has_center = center != NULL};
    *made = plan;
    SNI_PLAN_NEW(decoding->blueprint, plan->points, plan->point_count);
    for (uint32_t i = 0; i < plan->point_count; ++i) {
        SN_TRY(decode_point(decoding->blueprint, sn_value_at(list, i), &plan->points[i], error));
    }
    if (sn_value_get(decoding->object, "mesh") != NULL) {
        SN_TRY(sni_decode_muscle_mesh(decoding, &plan->mesh, error));
    }
    SN_TRY(decode_circles(decoding, plan, error));
    if (center != NULL) {
        SN_TRY(sni_decode_attachment(decoding->blueprint, center, &plan->center, error));
    }
cleanup:
    return status;
}

// --- At rest

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_graph_plan *plan = made;
    const sni_rest *rest = collecting->rest;
    const sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    if (plan->mesh != NULL) {
        SN_TRY(sni_character_mesh(rest->character, plan->value, plan->mesh, &mesh, error));
    }
    uintptr_t place = (uintptr_t)mesh; // it stays there as long as the character lives
    sni_digest_add(digest, &place, sizeof place);
    uint32_t counts[3] = {plan->point_count, plan->circle_count, plan->has_center};
    sni_digest_add(digest, counts, sizeof counts);
    for (uint32_t i = 0; i < plan->point_count; ++i) {
        const sni_graph_point_plan *p = &plan->points[i];
        uint32_t numbers[5] = {p->in_space, p->parent, p->root, p->tendon, p->second};
        sni_digest_add(digest, numbers, sizeof numbers);
        sni_digest_add_number(digest, p->share);
        if (p->in_space) {
            sni_digest_add_vector(digest, p->place.at);
        } else {
            sni_digest_add_attachment(digest, rest, &p->place);
        }
    }
    for (uint32_t i = 0; i < plan->circle_count; ++i) {
        const sni_graph_circle *circle = &plan->circles[i];
        double numbers[4] = {circle->point, circle->along, circle->radii[0], circle->radii[1]};
        sni_digest_add(digest, numbers, sizeof numbers);
    }
    if (plan->has_center) {
        sni_digest_add_attachment(digest, rest, &plan->center);
    }
cleanup:
    return status;
}

static sn_status collect_point(const sni_collecting *collecting, const sni_graph_point_plan *plan,
                               sni_graph_point *made, sni_attachment_gap *gap, sn_error *error) {
    sni_muscle_attachment place = {.segment = SN_NONE, .point = plan->place.at};
    sn_status status =
        plan->in_space ? SN_OK : sni_attachment_make(collecting, &plan->place, &place, gap, error);
    *made = (sni_graph_point){.segment = place.segment,
                              .second = plan->second,
                              .share = plan->share,
                              .point = place.point,
                              .normal = place.normal,
                              .parent = plan->parent,
                              .root = plan->root,
                              .tendon = plan->tendon};
    return sni_at_value(status, plan->place.value, error);
}

// `kept` are the gaps of its points.
static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_graph_plan *plan = made;
    sni_rest *rest = collecting->rest;
    sni_graph_input input = {.point_count = plan->point_count,
                             .circle_count = plan->circle_count,
                             .circles = plan->circles,
                             .has_center = plan->has_center};
    sni_graph_point *found = sni_arena_alloc(collecting->arena, plan->point_count, sizeof *found);
    sni_attachment_gap *gaps = sni_alloc_zero(rest->context, plan->point_count, sizeof *gaps);
    sni_attachment_gap center_gap;
    sn_status status = SN_OK;
    *kept = gaps;
    SN_TRY(found != NULL && gaps != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < plan->point_count; ++i) {
        SN_TRY(collect_point(collecting, &plan->points[i], &found[i], &gaps[i], error));
    }
    input.points = found;
    if (plan->has_center) {
        SN_TRY(sni_attachment_make(collecting, &plan->center, &input.center, &center_gap, error));
    }
    if (plan->mesh != NULL) {
        SN_TRY(sni_character_mesh(rest->character, plan->value, plan->mesh, &input.mesh, error));
    }
    SN_TRY(sni_block_collect(collecting, &input, sizeof input, block, error));
cleanup:
    return status;
}

static sn_status validate_circles(const sni_checking *checking, const sni_graph_input *input,
                                  sn_error *error) {
    uint32_t at_points = 0;
    for (uint32_t i = 0; i < input->circle_count; ++i) {
        const sni_graph_circle *c = &input->circles[i];
        if (c->point >= input->point_count || !(c->along >= 0 && c->along < 1) ||
            !(c->radii[0] > 0 && c->radii[1] > 0)) {
            return sni_fail(error, SN_INVALID,
                            "%s: circle %u at point %u, %g of the way, has the radii %g and %g",
                            checking->kind, i, c->point, c->along, c->radii[0], c->radii[1]);
        }
        at_points += c->along == 0;
    }
    return input->mesh != NULL || at_points == input->point_count
               ? SN_OK
               : sni_fail(error, SN_INVALID, "%s: %u points have %u circles", checking->kind,
                          input->point_count, at_points);
}

// Parents are looked at when the muscle is made.
static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_graph_input *input = block;
    if (input->point_count < 2 || input->point_count > SNI_GRAPH_POINTS_MOST ||
        input->points == NULL) {
        return sni_fail(error, SN_INVALID, "%s: it has %u points, but needs 2 to %u",
                        checking->kind, input->point_count, SNI_GRAPH_POINTS_MOST);
    }
    for (uint32_t i = 0; i <= input->point_count; ++i) {
        bool last = i == input->point_count;
        uint32_t segment = last ? input->center.segment : input->points[i].segment;
        bool counts = last ? input->has_center : segment != SN_NONE;
        if (counts && !last && input->points[i].share > 0) {
            segment = input->points[i].second > segment ? input->points[i].second : segment;
        }
        if (counts && segment >= checking->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: point %u has segment %u, but there are %u",
                            checking->kind, i, segment, checking->segment_count);
        }
    }
    return validate_circles(checking, input, error);
}

const sni_input sni_input_graph = {.name = "control points",
                                   .fields = fields,
                                   .field_count = COUNT(fields),
                                   .decode = decode,
                                   .digest = digest,
                                   .collect = collect,
                                   .validate = validate};
