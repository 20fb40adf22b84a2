// SPDX-License-Identifier: Apache-2.0
//
// A mesh of the document that is a muscle's surface, and the strips that carry it. A strip says
// what a muscle of kind `cylinder` says.
#include "character/character.h"
#include "input/bodies_internal.h"

static uint32_t one_kind(void) {
    return 1;
}

static sni_kind strip_kind(uint32_t index) {
    (void)index;
    return sni_muscle_kind(&sni_muscle_cylinder);
}

static bool takes(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return true;
}

static bool needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return false;
}

static const sni_kind_table strip_kinds = {.what = "strip",
                                           .count = one_kind,
                                           .at = strip_kind,
                                           .takes = takes,
                                           .needs = needs,
                                           .implied = true,
                                           .unnamed = true};
static const sni_schema_field strip_fields[] = {ABOUT};
static const sni_schema strip = {.type = SNI_SCHEMA_KINDS,
                                 .help = "A cylinder that carries a part of the muscle's surface.",
                                 .fields = strip_fields,
                                 .field_count = COUNT(strip_fields),
                                 .kinds = &strip_kinds};
static const sni_schema strips = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "The cylinders that carry the muscle's surface.",
                                  .item = &strip,
                                  .least = 1};

static const sni_schema_field fields[] = {
    NEEDED("mesh", text, .name_of = "meshes",
           .help = "The mesh that is its surface, in the world at rest."),
    NEEDED("strips", strips, .help = NULL)};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *list = sn_value_get(decoding->object, "strips");
    sni_bodies_plan *plan = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_bodies_plan_new(decoding, sn_value_count(list), &plan, error));
    *made = plan; // released also where the rest fails
    SN_TRY(sni_decode_muscle_mesh(decoding, &plan->mesh, error));
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_strip_plan *to = &plan->bodies[i];
        const sn_value *from = sn_value_at(list, i);
        SN_TRY(sni_decode_parameters(decoding->blueprint, &sni_muscle_cylinder.parameters, from,
                                     &to->parameters, error));
        SN_TRY(sni_decode_muscle_body(decoding->blueprint, from, 2, &to->body, error));
    }
cleanup:
    return status;
}

static sn_status find_mesh(const sni_collecting *collecting, const sni_bodies_plan *plan,
                           const sn_mesh **mesh, sn_error *error) {
    return sni_character_mesh(collecting->rest->character, plan->value, plan->mesh, mesh, error);
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_bodies_plan *plan = made;
    const sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    SN_TRY(find_mesh(collecting, plan, &mesh, error));
    uintptr_t place = (uintptr_t)mesh; // it stays there as long as the character lives
    sni_digest_add(digest, &place, sizeof place);
    sni_digest_add_index(digest, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        const double *parameters = plan->bodies[i].parameters;
        sni_digest_add(digest, parameters,
                       sni_muscle_cylinder.parameters.count * sizeof *parameters);
    }
    SN_TRY(sni_bodies_digest(collecting, plan, digest, error));
cleanup:
    return status;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_bodies_plan *plan = made;
    sni_strips_input input = {.strip_count = plan->count};
    sni_muscle_strip *found = sni_arena_alloc(collecting->arena, plan->count, sizeof *found);
    sn_status status = found != NULL ? SN_OK : sni_fail_memory(error);
    SN_TRY(status);
    SN_TRY(sni_bodies_keep_gaps(collecting, plan, kept, error));
    sni_attachment_gap *gaps = *kept;
    for (uint32_t i = 0; i < plan->count; ++i) {
        const sni_muscle_body_plan *body = &plan->bodies[i].body;
        found[i].parameters = plan->bodies[i].parameters;
        status = sni_muscle_body_make(collecting, body, &found[i].body, gaps, error);
        SN_TRY(sni_at_value(status, body->value, error));
        gaps += 2 * body->attachment_count;
    }
    input.strips = found;
    SN_TRY(find_mesh(collecting, plan, &input.mesh, error));
    SN_TRY(sni_block_collect(collecting, &input, sizeof input, block, error));
cleanup:
    return status;
}

// The strips are looked at when they are made.
static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_strips_input *input = block;
    return input->mesh != NULL && input->strip_count > 0 && input->strips != NULL
               ? SN_OK
               : sni_fail(error, SN_INVALID, "%s: the job lacks a surface or strips",
                          checking->kind);
}

const sni_input sni_input_strips = {.name = "a surface on strips",
                                    .fields = fields,
                                    .field_count = COUNT(fields),
                                    .decode = decode,
                                    .release = sni_bodies_release,
                                    .digest = digest,
                                    .collect = collect,
                                    .validate = validate,
                                    .pose = sni_bodies_pose};
