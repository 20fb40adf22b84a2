// SPDX-License-Identifier: Apache-2.0
//
// The skin that a muscle is drawn on: the curves on it, and what carries them.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

#include <math.h>

// How far a barycentric coordinate may miss its range by rounding.
static const double barycentric_slack = 1e-6;

static const sni_schema point_list = {.type = SNI_SCHEMA_ARRAY,
                                      .help =
                                          "Points on the skin at rest, from origin to insertion.",
                                      .item = &vector3,
                                      .least = 2};
static const sni_schema curves = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "The two curves between which the muscle lies.",
                                  .item = &point_list,
                                  .least = 2,
                                  .most = 2};
static sn_status refuse_mirror(sni_expansion *expansion, const sni_schema_field *field,
                               sn_value *value, sn_error *error) {
    const sn_value *kind = sn_value_get(value->parent, "kind");
    (void)expansion, (void)field;
    return sni_fail_value(
        error, kind, SN_INVALID,
        "a muscle of kind \"%s\" lies on a skin, which need not be symmetric: use "
        "sinew muscle --mirror",
        sn_value_string(kind, ""));
}

static const sni_schema_field fields[] = {
    NEEDED("skin", text, .name_of = "skins", .mirror = refuse_mirror,
           .help = "The skin on which the curves are drawn."),
    NEEDED("curves", curves, .unit = "m", .help = NULL),
    FIELD("segment", text, .name_of = "segments",
          .help = "The segment that carries it; when not given, the weights of the skin under the "
                  "curves do."),
    FIELD("center", vector3, .unit = "m",
          .help = "The centre that a ring contracts to; computed when not given.")};

static sn_status decode_curves(sni_blueprint *blueprint, const sn_value *list, sni_drawn_plan *plan,
                               sn_error *error) {
    plan->curve_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->curves, plan->curve_count);
    for (uint32_t i = 0; i < plan->curve_count; ++i) {
        sni_curve_plan *curve = &plan->curves[i];
        curve->value = sn_value_at(list, i);
        curve->count = sn_value_count(curve->value);
        SNI_PLAN_NEW(blueprint, curve->points, curve->count);
        for (uint32_t k = 0; k < curve->count; ++k) {
            curve->points[k] =
                sni_decode_vector(sn_value_at(curve->value, k), sn_vec3_make(0, 0, 0));
        }
    }
    return SN_OK;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *object = decoding->object, *segment = sn_value_get(object, "segment");
    const sn_value *center = sn_value_get(object, "center");
    sni_drawn_plan *plan;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, plan, 1);
    *plan = (sni_drawn_plan){.value = object,
                             .segment = SN_NONE,
                             .has_center = center != NULL,
                             .center = sni_decode_vector(center, sn_vec3_make(0, 0, 0))};
    SN_TRY(sni_find_skin(blueprint, sn_value_get(object, "skin"), &plan->skin, error));
    if (segment != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, segment, &plan->segment, error));
    }
    SN_TRY(decode_curves(blueprint, sn_value_get(object, "curves"), plan, error));
    *made = plan;
cleanup:
    return status;
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_drawn_plan *plan = made;
    need(&(sni_need){.surface = plan->skin}, user);
}

// The segments of the skin's weights: those that a deformer knows, else those of the bones' names.
static void add_bone_segments(sni_digest *digest, const sni_rest *rest, uint32_t skin) {
    const sn_mesh *mesh = rest->surfaces[skin].mesh;
    const uint32_t *segments = rest->details[skin].bone_segments;
    const sn_weights *weights = mesh != NULL ? mesh->weights : NULL;
    for (uint32_t i = 0; weights != NULL && i < weights->bone_count; ++i) {
        const sni_name_index *names = &rest->blueprint->names[SNI_SECTION_SKELETON];
        sni_digest_add_index(digest, segments != NULL
                                         ? segments[i]
                                         : sni_name_index_find(names, weights->bone_names[i]));
    }
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_drawn_plan *plan = made;
    uint32_t numbers[3] = {plan->segment, plan->curve_count, plan->has_center};
    (void)error;
    sni_digest_add_surface(digest, collecting->rest, plan->skin);
    sni_digest_add(digest, numbers, sizeof numbers);
    add_bone_segments(digest, collecting->rest, plan->skin);
    sni_digest_add_vector(digest, plan->center);
    for (uint32_t i = 0; i < plan->curve_count; ++i) {
        sni_digest_add_index(digest, plan->curves[i].count);
        for (uint32_t k = 0; k < plan->curves[i].count; ++k) {
            sni_digest_add_vector(digest, plan->curves[i].points[k]);
        }
    }
    return SN_OK;
}

// Puts the points of a curve onto the skin.
static sn_status place_curve(const sni_skin_search *search, const sni_curve_plan *curve,
                             sni_skin_place *places, sn_error *error) {
    for (uint32_t i = 0; i < curve->count; ++i) {
        const sn_value *point = sn_value_at(curve->value, i);
        sn_closest closest;
        sn_accel_find_closest(search->accel, curve->points[i], INFINITY, &closest);
        if (closest.triangle == SN_NONE) {
            return sni_fail_value(error, point, SN_INVALID, "the skin has no surface");
        }
        if (closest.distance > SNI_SKIN_SNAP * search->size) {
            return sni_fail_value(error, point, SN_INVALID,
                                  "the point is %.4g m away from the skin", closest.distance);
        }
        places[i] = (sni_skin_place){.triangle = closest.triangle,
                                     .barycentric = {closest.barycentric[0], closest.barycentric[1],
                                                     closest.barycentric[2]}};
    }
    return SN_OK;
}

static sn_status place_curves(sni_arena *arena, const sni_skin_search *search,
                              const sni_drawn_plan *plan, const sni_muscle_curve **placed,
                              sn_error *error) {
    sni_muscle_curve *made = sni_arena_alloc(arena, plan->curve_count, sizeof *made);
    sn_status status = made != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < plan->curve_count && status == SN_OK; ++i) {
        const sni_curve_plan *curve = &plan->curves[i];
        sni_skin_place *places = sni_arena_alloc(arena, curve->count, sizeof *places);
        status =
            places != NULL ? place_curve(search, curve, places, error) : sni_fail_memory(error);
        made[i] = (sni_muscle_curve){.count = curve->count, .places = places};
    }
    *placed = made;
    return status;
}

// The segments of a skin's weights: those that its `blend` knows, else those of the bones' names.
// Only a muscle that no segment carries needs them.
static sn_status find_bones(const sni_rest *rest, const sni_drawn_plan *plan,
                            sni_skin_search *search, const uint32_t **segments, sn_error *error) {
    const sn_weights *weights = rest->surfaces[plan->skin].mesh->weights;
    const uint32_t *known = rest->details[plan->skin].bone_segments;
    sn_status status = SN_OK;
    *segments = known != NULL ? known : search->bone_segments;
    if (*segments != NULL || weights == NULL || plan->segment != SN_NONE) {
        return SN_OK;
    }
    uint32_t *found = NULL;
    SNI_NEW(rest->context, found, weights->bone_count);
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        const char *name = weights->bone_names[bone];
        found[bone] = sni_name_index_find(&rest->blueprint->names[SNI_SECTION_SKELETON], name);
        if (found[bone] == SN_NONE) {
            SN_TRY(sni_fail_value(error, plan->value, SN_INVALID,
                                  "the skin has weights for \"%s\", which is no segment; say which "
                                  "\"segment\" carries the muscle",
                                  name));
        }
    }
    *segments = search->bone_segments = found;
    found = NULL;
cleanup:
    sni_free(rest->context, found);
    return status;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_drawn_plan *plan = made;
    sni_rest *rest = collecting->rest;
    sni_skin_search *search = &collecting->searches[plan->skin];
    sn_status status = SN_OK;
    (void)kept;
    SN_TRY(sni_skin_search_make(rest, plan->skin, search, error));
    sni_drawn_input input = {.mesh = rest->surfaces[plan->skin].mesh,
                             .triangles = search->triangles,
                             .accel = search->accel,
                             .normals = search->normals,
                             .curve_count = plan->curve_count,
                             .center = plan->has_center ? &plan->center : NULL,
                             .segment = plan->segment};
    SN_TRY(place_curves(collecting->arena, search, plan, &input.curves, error));
    SN_TRY(find_bones(rest, plan, search, &input.bone_segments, error));
    SN_TRY(sni_block_collect(collecting, &input, sizeof input, block, error));
cleanup:
    return status;
}

static sn_status validate_place(const sni_checking *checking, const sni_drawn_input *input,
                                uint32_t curve, uint32_t index, sn_error *error) {
    const sni_skin_place *place = &input->curves[curve].places[index];
    if (place->triangle >= input->triangles->count) {
        return sni_fail(error, SN_INVALID,
                        "%s: curve %u leaves the surface: point %u is on triangle %u, but there "
                        "are %u",
                        checking->kind, curve + 1, index + 1, place->triangle,
                        input->triangles->count);
    }
    double sum = 0;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        double b = place->barycentric[i];
        inside = inside && b >= -barycentric_slack && b <= 1 + barycentric_slack;
        sum += b;
    }
    if (!inside || fabs(sum - 1) > barycentric_slack) {
        return sni_fail(error, SN_INVALID,
                        "%s: curve %u leaves the surface: point %u has barycentric coordinates "
                        "%g %g %g",
                        checking->kind, curve + 1, index + 1, place->barycentric[0],
                        place->barycentric[1], place->barycentric[2]);
    }
    return SN_OK;
}

static sn_status validate_curves(const sni_checking *checking, const sni_drawn_input *input,
                                 sn_error *error) {
    for (uint32_t curve = 0; curve < input->curve_count; ++curve) {
        for (uint32_t i = 0; i < input->curves[curve].count; ++i) {
            sn_status status = validate_place(checking, input, curve, i, error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

static sn_status validate_carriers(const sni_checking *checking, const sni_drawn_input *input,
                                   sn_error *error) {
    if (input->segment != SN_NONE) {
        return input->segment < checking->segment_count
                   ? SN_OK
                   : sni_fail(error, SN_INVALID, "%s: segment %u, but there are %u", checking->kind,
                              input->segment, checking->segment_count);
    }
    const sn_weights *weights = input->bone_segments != NULL ? input->mesh->weights : NULL;
    for (uint32_t bone = 0; weights != NULL && bone < weights->bone_count; ++bone) {
        if (input->bone_segments[bone] >= checking->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: bone %u has segment %u, but there are %u",
                            checking->kind, bone, input->bone_segments[bone],
                            checking->segment_count);
        }
    }
    return SN_OK;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_drawn_input *input = block;
    sn_status status = SN_OK;
    if (input->mesh == NULL || input->triangles == NULL || input->accel == NULL ||
        input->normals == NULL) {
        return sni_fail(error, SN_INVALID, "%s: the skin lacks triangles, their tree or normals",
                        checking->kind);
    }
    SN_TRY(validate_curves(checking, input, error));
    SN_TRY(validate_carriers(checking, input, error));
    if (input->center != NULL && !sn_vec3_is_finite(*input->center)) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: its center is (%g, %g, %g)", checking->kind,
                        input->center->x, input->center->y, input->center->z));
    }
cleanup:
    return status;
}

const sni_input sni_input_drawn = {.name = "a skin to be drawn on",
                                   .fields = fields,
                                   .field_count = COUNT(fields),
                                   .decode = decode,
                                   .needs = needs,
                                   .digest = digest,
                                   .collect = collect,
                                   .validate = validate};
