// SPDX-License-Identifier: Apache-2.0
//
// What the inputs of muscles between bones share.
#include "input/bodies_internal.h"

#include "eval/frame.h"

// The box of a mirrored bone is mirrored; a place in a segment's frame is a point.
sn_status sni_mirror_place(sni_expansion *expansion, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    sn_value *u = (sn_value *)sn_value_at(value, 0);
    if (sn_value_get(value->parent, "segment") != NULL) {
        return sni_mirror_point(expansion, field, value, error);
    }
    if (u != NULL && u->type == SN_JSON_NUMBER) {
        u->as.number = sni_round_made(1 - u->as.number);
    }
    return SN_OK;
}

static const char *const place_frames[] = {"segment", "size", NULL};
const sni_schema sni_place_frame_schema = {
    .type = SNI_SCHEMA_CHOICE,
    .help =
        "What the position is measured in: the segment's frame in metres, or in units of its size.",
    .choices = place_frames};
const sni_schema sni_attachment_at_schema = {
    .type = SNI_SCHEMA_ARRAY,
    .help =
        "A position in the box around the bone's mesh, 0 to 1 within it and from -1 to 2; or in "
        "the segment's frame.",
    .item = &number,
    .least = 3,
    .most = 3};
static const sni_schema_field attachment_fields[] = {ATTACHMENT_FIELDS, ABOUT};
const sni_schema sni_attachment_schema = OBJECT(
    "An attachment on a bone: in its box (bone, at) or in the world at rest (bone, point); or in "
    "a segment's frame (segment, at).",
    attachment_fields);

// --- Meshes

sn_status sni_decode_muscle_mesh(const sni_decoding *decoding, const char **name, sn_error *error) {
    const sn_value *mesh = sn_value_get(decoding->object, "mesh");
    const sn_value *meshes = sn_value_get(decoding->object->parent->parent, "meshes");
    uint32_t index;
    sn_status status = sni_find_name(decoding->blueprint, SNI_SECTION_MESHES, mesh, &index, error);
    if (status == SN_OK && sn_value_get(sn_value_at(meshes, index), "extract") != NULL) {
        status = sni_fail_value(error, mesh, SN_INVALID,
                                "the mesh \"%s\" is extracted from the body, but a muscle is a "
                                "part of it",
                                mesh->as.string);
    }
    *name = mesh->as.string;
    return status;
}

// --- Plans

sn_status sni_bodies_plan_new(const sni_decoding *decoding, uint32_t count, sni_bodies_plan **made,
                              sn_error *error) {
    sni_bodies_plan *plan;
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *plan = (sni_bodies_plan){.value = decoding->object};
    SNI_PLAN_NEW(decoding->blueprint, plan->bodies, count);
    for (uint32_t i = 0; i < count; ++i) {
        plan->bodies[i] = (sni_strip_plan){0};
    }
    plan->count = count;
    *made = plan;
    return SN_OK;
}

sn_status sni_bodies_decode_one(const sni_decoding *decoding, uint32_t attachments, void **made,
                                sn_error *error) {
    sni_bodies_plan *plan = NULL;
    sn_status status = sni_bodies_plan_new(decoding, 1, &plan, error);
    *made = plan; // released also where the rest fails
    return status == SN_OK ? sni_decode_muscle_body(decoding->blueprint, decoding->object,
                                                    attachments, &plan->bodies[0].body, error)
                           : status;
}

void sni_bodies_release(sn_context *context, void *made) {
    sni_bodies_plan *plan = made;
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_muscle_body_plan_deinit(context, &plan->bodies[i].body);
    }
}

// --- Digests

// A place on a bone depends on the bone; one in a segment's frame has the normal of the closest of
// the segment's bones.
void sni_digest_add_attachment(sni_digest *digest, const sni_rest *rest,
                               const sni_attachment_plan *plan) {
    uint32_t bones = rest->blueprint->names[SNI_SECTION_BONES].count;
    uint32_t numbers[3] = {(uint32_t)plan->frame, plan->segment, plan->in_sizes};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_vector(digest, plan->at);
    for (uint32_t i = 0; i < bones; ++i) {
        bool counts =
            plan->bone != SN_NONE ? i == plan->bone : rest->surfaces[i].segment == plan->segment;
        if (counts) {
            sni_digest_add_surface(digest, rest, i);
        }
    }
}

static void add_pivot(sni_digest *digest, const sni_rest *rest, const sni_pivot_plan *pivot) {
    double unit = pivot->in_sizes ? rest->segment_sizes[pivot->segment] : 1;
    sni_muscle_pivot_place at_rest = sni_pivot_find(pivot, unit, &rest->pose);
    uint32_t numbers[6] = {pivot->slice,  pivot->segment, (uint32_t)pivot->use,
                           pivot->turned, pivot->half_of, at_rest.off};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_vector(digest, at_rest.at);
    double turn[4] = {pivot->turn.x, pivot->turn.y, pivot->turn.z, pivot->turn.w};
    sni_digest_add(digest, turn, sizeof turn);
}

static void add_wrap(sni_digest *digest, const sni_wrap_plan *plan) {
    const sni_muscle_wrap *wrap = &plan->wrap;
    uint32_t numbers[10] = {plan->in_sizes,         wrap->first,           wrap->last,
                            wrap->segment,          (uint32_t)wrap->shape, (uint32_t)wrap->side,
                            (uint32_t)wrap->method, wrap->ranged,          wrap->range[0],
                            wrap->range[1]};
    double turn[6] = {wrap->turn.x, wrap->turn.y, wrap->turn.z,
                      wrap->turn.w, wrap->length, wrap->ring};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add(digest, turn, sizeof turn);
    sni_digest_add_vector(digest, wrap->center);
    sni_digest_add_vector(digest, wrap->radii);
}

static void add_shape(sni_digest *digest, const sni_muscle_slice_shape *shape) {
    sni_digest_add_index(digest, shape->slice);
    sni_digest_add(digest, shape->scale, sizeof shape->scale);
    sni_digest_add_vector(digest, shape->move);
    sni_digest_add_vector(digest, shape->turn);
}

static void add_section(sni_digest *digest, const sni_muscle_section *section) {
    sni_digest_add_vector(digest, section->center);
    sni_digest_add_vector(digest, section->wide);
    sni_digest_add_vector(digest, section->thick);
}

static void add_body(sni_digest *digest, const sni_rest *rest, const sni_muscle_body_plan *body) {
    uint32_t counts[5] = {body->attachment_count, body->section_count, body->shape_count,
                          body->pivot_count, body->wrap_count};
    sni_digest_add(digest, counts, sizeof counts);
    for (uint32_t i = 0; i < body->attachment_count; ++i) {
        sni_digest_add_attachment(digest, rest, &body->origins[i]);
        sni_digest_add_attachment(digest, rest, &body->insertions[i]);
    }
    for (uint32_t i = 0; i < body->section_count; ++i) {
        add_section(digest, &body->sections[i]);
    }
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        add_shape(digest, &body->shapes[i]);
    }
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        add_pivot(digest, rest, &body->pivots[i]);
    }
    for (uint32_t i = 0; i < body->wrap_count; ++i) {
        add_wrap(digest, &body->wraps[i]);
    }
}

sn_status sni_bodies_digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                            sn_error *error) {
    const sni_bodies_plan *plan = made;
    (void)error;
    for (uint32_t i = 0; i < plan->count; ++i) {
        add_body(digest, collecting->rest, &plan->bodies[i].body);
    }
    return SN_OK;
}

// --- At rest

sn_status sni_bodies_keep_gaps(const sni_collecting *collecting, const sni_bodies_plan *plan,
                               void **kept, sn_error *error) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->count; ++i) {
        count += 2 * plan->bodies[i].body.attachment_count;
    }
    sni_attachment_gap *gaps = sni_alloc_zero(collecting->rest->context, count, sizeof *gaps);
    *kept = gaps;
    return gaps != NULL ? SN_OK : sni_fail_memory(error);
}

sn_status sni_bodies_collect_one(const sni_collecting *collecting, const void *made,
                                 const void **block, void **kept, sn_error *error) {
    const sni_bodies_plan *plan = made;
    sni_muscle_body body;
    sn_status status = SN_OK;
    SN_TRY(sni_bodies_keep_gaps(collecting, plan, kept, error));
    SN_TRY(sni_muscle_body_make(collecting, &plan->bodies[0].body, &body, *kept, error));
    SN_TRY(sni_block_collect(collecting, &body, sizeof body, block, error));
cleanup:
    return status;
}

static sn_status validate_attachment(const sni_checking *checking, const char *what, uint32_t index,
                                     const sni_muscle_attachment *attachment, sn_error *error) {
    if (attachment->segment >= checking->segment_count) {
        return sni_fail(error, SN_INVALID, "%s: %s %u has segment %u, but there are %u",
                        checking->kind, what, index + 1, attachment->segment,
                        checking->segment_count);
    }
    const sn_vec3 *p = &attachment->point, *n = &attachment->normal;
    if (!sn_vec3_is_finite(*p) || !sn_vec3_is_finite(*n)) {
        return sni_fail(error, SN_INVALID,
                        "%s: %s %u is at (%g, %g, %g), where the bone's normal is (%g, %g, %g)",
                        checking->kind, what, index + 1, p->x, p->y, p->z, n->x, n->y, n->z);
    }
    return SN_OK;
}

sn_status sni_body_validate(const sni_checking *checking, const sni_muscle_body *body,
                            uint32_t attachments, sn_error *error) {
    sn_status status = SN_OK;
    if (body->origin_count != attachments || body->insertion_count != attachments) {
        return sni_fail(error, SN_INVALID,
                        "%s: it has %u origins and %u insertions, but needs %u of each",
                        checking->kind, body->origin_count, body->insertion_count, attachments);
    }
    for (uint32_t i = 0; i < attachments; ++i) {
        SN_TRY(validate_attachment(checking, "origin", i, &body->origins[i], error));
        SN_TRY(validate_attachment(checking, "insertion", i, &body->insertions[i], error));
    }
cleanup:
    return status;
}

// --- In a pose

static bool changes(const sni_pivot_plan *pivot) {
    bool moves = false;
    for (int i = 0; i < 3; ++i) {
        moves = moves || pivot->moves[i].curve.track.key_count > 0;
    }
    return moves || pivot->use == SNI_PIVOT_RANGE;
}

// Pivots depend on parameters of the rig, of which muscles know nothing: they get places.
const void *sni_bodies_pose(const sni_posing *posing, const void *made, const void *kept) {
    const sni_bodies_plan *plan = made;
    const double *sizes = sn_frame_model(posing->frame)->rest->segment_sizes;
    uint32_t count = 0, next = 0;
    bool any = false;
    (void)kept;
    for (uint32_t b = 0; b < plan->count; ++b) {
        const sni_muscle_body_plan *body = &plan->bodies[b].body;
        for (uint32_t i = 0; i < body->pivot_count; ++i) {
            any = any || changes(&body->pivots[i]);
        }
        count += body->pivot_count;
    }
    sni_muscle_pivot_place *places = sni_arena_alloc(posing->arena, count, sizeof *places);
    if (places == NULL) {
        return NULL;
    }
    for (uint32_t b = 0; any && b < plan->count; ++b) {
        const sni_muscle_body_plan *body = &plan->bodies[b].body;
        for (uint32_t i = 0; i < body->pivot_count; ++i) {
            const sni_pivot_plan *pivot = &body->pivots[i];
            double unit = pivot->in_sizes ? sizes[pivot->segment] : 1;
            places[next++] = sni_pivot_find(pivot, unit, posing->pose);
        }
    }
    sni_body_pose posed = {.pivots = any ? places : NULL};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}
