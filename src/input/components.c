// SPDX-License-Identifier: Apache-2.0
//
// Bones, tissues and muscles that a skin hangs on, and muscles that it is tied to. They are taken
// as they stand on the body that the skin was made for, and followed on the model's own.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/frame.h"
#include "geometry/closed.h"

static const sni_schema_field fields[] = {
    FIELD("components", sni_names_schema, .name_of = "bones tissues muscles",
          .help = "Bones, tissues and muscles that the skin lies on; all when not given.")};

static const sni_schema_field tied_fields[] = {
    FIELD("muscles", sni_names_schema, .name_of = "muscles",
          .help = "Muscles that the fascia is tied to: it goes with them as they contract.")};

// Whether a surface of the blueprint has a skin on it by itself.
static bool carries_skin(const sni_surface_plan *surface) {
    return surface->kind != SNI_SURFACE_SKIN && !surface->feature && surface->density > 0;
}

static sn_status take_all(sni_blueprint *blueprint, sni_names_plan *plan, sn_error *error) {
    uint32_t muscle_count = blueprint->names[SNI_SECTION_MUSCLES].count;
    SNI_PLAN_NEW(blueprint, plan->numbers, (size_t)blueprint->surface_count + muscle_count);
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        if (carries_skin(&blueprint->surfaces[i])) {
            plan->numbers[plan->count++] = i;
        }
    }
    for (uint32_t i = 0; i < muscle_count; ++i) {
        plan->numbers[plan->count++] = blueprint->surface_count + i;
    }
    return SN_OK;
}

static sn_status take_named(sni_blueprint *blueprint, const sn_value *name, uint32_t *component,
                            sn_error *error) {
    sn_status status = sni_find_part(blueprint, name, component, error);
    if (status == SN_OK && *component < blueprint->surface_count &&
        !carries_skin(&blueprint->surfaces[*component])) {
        status = sni_fail_value(error, name, SN_INVALID,
                                "a skin cannot lie on \"%s\": it is a feature or negative",
                                name->as.string);
    }
    return status;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    sni_names_plan *plan;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, plan, 1);
    *plan = (sni_names_plan){.names = sn_value_get(decoding->object, "components")};
    *made = plan;
    if (plan->names == NULL) {
        return take_all(blueprint, plan, error);
    }
    plan->count = sn_value_count(plan->names);
    SNI_PLAN_NEW(blueprint, plan->numbers, plan->count);
    for (uint32_t i = 0; i < plan->count && status == SN_OK; ++i) {
        status = take_named(blueprint, sn_value_at(plan->names, i), &plan->numbers[i], error);
        if (status == SN_OK) {
            status = sni_check_named_once(plan, i, error);
        }
    }
    return status;
}

// Places of muscles behind those of bones and tissues.
static sn_status decode_tied(const sni_decoding *decoding, void **made, sn_error *error) {
    static const sni_section among[] = {SNI_SECTION_MUSCLES};
    sn_status status = sni_decode_names(decoding, "muscles", among, 1, made, error);
    sni_names_plan *plan = *made;
    for (uint32_t i = 0; status == SN_OK && plan != NULL && i < plan->count; ++i) {
        plan->numbers[i] += decoding->blueprint->surface_count;
    }
    return status;
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_names_plan *plan = made;
    for (uint32_t i = 0; i < plan->count; ++i) {
        need(&(sni_need){.surface = plan->numbers[i]}, user);
    }
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_names_plan *plan = made;
    const sni_rest *rest = collecting->rest;
    (void)error;
    sni_digest_add_index(digest, plan->names == NULL);
    sni_digest_add_index(digest, plan->count);
    sni_digest_add_digest(digest, &rest->plain->digest);
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_digest_add_surface(digest, rest, plan->numbers[i]);
        sni_digest_add_surface(digest, rest->plain, plan->numbers[i]);
    }
    return SN_OK;
}

// Where none is named, muscles that are open are left out.
static sn_status is_left_out(const sni_rest *rest, const sni_names_plan *plan, uint32_t surface,
                             bool *left_out, sn_error *error) {
    bool closed = true;
    sn_status status = SN_OK;
    if (plan->names == NULL && surface >= rest->blueprint->surface_count) {
        status = sni_mesh_is_closed(rest->surfaces[surface].mesh, &closed, error);
    }
    *left_out = !closed;
    return status;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_names_plan *plan = made;
    sni_rest *rest = collecting->rest;
    sni_component *components = sni_arena_alloc(collecting->arena, plan->count, sizeof *components);
    uint32_t *surfaces = sni_arena_alloc(collecting->arena, plan->count, sizeof *surfaces);
    sni_taken_components *taken = NULL;
    sn_status status = SN_OK;
    SN_TRY(components != NULL && surfaces != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(sni_rest_make(rest->plain, collecting->progress, error));
    taken = sni_alloc(rest->context, 1, sizeof *taken + plan->count * sizeof *taken->numbers);
    SN_TRY(taken != NULL ? SN_OK : sni_fail_memory(error));
    taken->count = 0;
    for (uint32_t i = 0; i < plan->count; ++i) {
        bool left_out;
        SN_TRY(is_left_out(rest, plan, plan->numbers[i], &left_out, error));
        if (!left_out) {
            SN_TRY(sni_rest_component(rest, rest->plain, plan->numbers[i], collecting->arena,
                                      &components[taken->count], error));
            surfaces[taken->count] = plan->numbers[i];
            taken->numbers[taken->count++] = i;
        }
    }
    SN_TRY(sni_rest_shape_components(rest->plain, taken->count, surfaces, components, error));
    sni_components_input input = {.count = taken->count, .components = components};
    SN_TRY(sni_block_collect(collecting, &input, sizeof input, block, error));
    *kept = taken;
    taken = NULL;
cleanup:
    sni_free(rest->context, taken);
    return status;
}

static sn_status validate_component(const sni_checking *checking, const sni_component *component,
                                    uint32_t index, sn_error *error) {
    const char *name = component->name != NULL ? component->name : "", *kind = checking->kind;
    uint32_t segments = checking->segment_count;
    if (component->mesh == NULL) {
        return sni_fail(error, SN_INVALID, "%s: component %u (\"%s\") has no mesh", kind, index,
                        name);
    }
    if (component->segment != SN_NONE && component->segment >= segments) {
        return sni_fail(error, SN_INVALID,
                        "%s: component %u (\"%s\") has segment %u, but there are %u", kind, index,
                        name, component->segment, segments);
    }
    uint64_t ringed = (uint64_t)component->slice_count * component->ring_count;
    if (component->slice_count > 0 && (component->slice_count < 2 || component->ring_count < 3 ||
                                       ringed > component->mesh->vertex_count)) {
        return sni_fail(error, SN_INVALID,
                        "%s: component %u (\"%s\") has %u slices of %u points and %u vertices",
                        kind, index, name, component->slice_count, component->ring_count,
                        component->mesh->vertex_count);
    }
    for (uint32_t i = 0; i < component->strip_count; ++i) {
        const sni_component_strip *strip = &component->strips[i];
        uint64_t end = strip->first + 4 * (uint64_t)strip->slice_count;
        if (strip->slice_count < 2 || end > component->strip_point_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: component %u (\"%s\") has a strip of %u slices from point %u on, "
                            "and %u points",
                            kind, index, name, strip->slice_count, strip->first,
                            component->strip_point_count);
        }
    }
    return SN_OK;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_components_input *input = block;
    if (input->count == 0 && checking->needed) {
        return sni_fail(error, SN_INVALID,
                        "%s: there is nothing to hang on: no bone, tissue or muscle",
                        checking->kind);
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < input->count && status == SN_OK; ++i) {
        status = validate_component(checking, &input->components[i], i, error);
    }
    return status;
}

static const void *pose(const sni_posing *posing, const void *made, const void *kept) {
    const sni_names_plan *plan = made;
    const sni_taken_components *taken = kept;
    const sn_frame *frame = posing->frame;
    uint32_t first = sn_frame_model(frame)->blueprint->surface_count;
    sn_mat4 *body = sni_arena_alloc(posing->arena, 1, sizeof *body), to_body;
    const float **points = sni_arena_alloc(posing->arena, taken->count, sizeof *points);
    const float **surfaces = sni_arena_alloc(posing->arena, taken->count, sizeof *surfaces);
    if (body == NULL || points == NULL || surfaces == NULL) {
        return NULL;
    }
    *body = sni_frame_body(frame);
    sn_mat4_invert(body, &to_body);
    for (uint32_t i = 0; i < taken->count; ++i) {
        uint32_t surface = plan->numbers[taken->numbers[i]];
        surfaces[i] = sn_frame_points(frame, surface);
        points[i] = NULL;
        if (surface >= first) {
            points[i] = sni_frame_component(frame, surface - first, &to_body, posing->arena);
            if (points[i] == NULL) {
                return NULL;
            }
        }
    }
    sni_components_pose posed = {.body = body, .points = points, .surfaces = surfaces};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_components = {.name = "components",
                                        .fields = fields,
                                        .field_count = COUNT(fields),
                                        .decode = decode,
                                        .needs = needs,
                                        .digest = digest,
                                        .collect = collect,
                                        .validate = validate,
                                        .pose = pose};

const sni_input sni_input_tied = {.name = "muscles",
                                  .fields = tied_fields,
                                  .field_count = COUNT(tied_fields),
                                  .decode = decode_tied,
                                  .needs = needs,
                                  .digest = digest,
                                  .collect = collect,
                                  .validate = validate,
                                  .pose = pose};
