// SPDX-License-Identifier: Apache-2.0
//
// Muscles that points follow.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/frame.h"

static const sni_schema_field fields[] = {NEEDED("muscles", sni_names_schema, .name_of = "muscles",
                                                 .help = "The muscles that points follow.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    static const sni_section among[] = {SNI_SECTION_MUSCLES};
    return sni_decode_names(decoding, "muscles", among, 1, made, error);
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_names_plan *plan = made;
    for (uint32_t i = 0; i < plan->count; ++i) {
        need(&(sni_need){.surface = SN_NONE, .muscle = plan->numbers[i]}, user);
    }
}

// Traces of a muscle are vertices of the skin that it is drawn on.
static bool has_traces(const sni_collecting *collecting, uint32_t muscle) {
    return sni_muscle_skin(&collecting->rest->blueprint->muscles[muscle]) == collecting->surface;
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_names_plan *plan = made;
    (void)error;
    sni_digest_add_index(digest, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_digest_add_digest(digest, &collecting->rest->muscle_digests[plan->numbers[i]]);
        sni_digest_add_index(digest, has_traces(collecting, plan->numbers[i]));
    }
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_names_plan *plan = made;
    (void)kept;
    sni_muscle_surface *muscles = sni_arena_alloc(collecting->arena, plan->count, sizeof *muscles);
    if (muscles == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        muscles[i] = collecting->rest->muscles[plan->numbers[i]]->surface;
        if (!has_traces(collecting, plan->numbers[i])) {
            muscles[i].trace_count = 0;
        }
    }
    sni_muscles_input input = {.count = plan->count, .muscles = muscles};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

static sn_status validate_muscle(const sni_checking *checking, const sni_muscle_surface *muscle,
                                 uint32_t index, sn_error *error) {
    const char *name = muscle->name != NULL ? muscle->name : "";
    bool has_patch = muscle->nurbs.points != NULL;
    if (!has_patch && muscle->solid.count == 0) {
        return sni_fail(error, SN_INVALID,
                        "%s: muscle %u (\"%s\") has no surface that could be followed",
                        checking->kind, index, name);
    }
    sn_status status = has_patch ? sni_nurbs_validate(&muscle->nurbs, error) : SN_OK;
    if (status != SN_OK) {
        sni_error_place(error, 0, "%s: muscle %u (\"%s\")", checking->kind, index, name);
        return status;
    }
    for (uint32_t i = 0; i < 3 * muscle->trace_count; ++i) {
        uint32_t vertex = muscle->traces[i / 3].vertices[i % 3];
        if (vertex >= checking->mesh->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: muscle %u (\"%s\") has a trace at vertex %u, but there are %u",
                            checking->kind, index, name, vertex, checking->mesh->vertex_count);
        }
    }
    return SN_OK;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_muscles_input *input = block;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < input->count && status == SN_OK; ++i) {
        status = validate_muscle(checking, &input->muscles[i], i, error);
    }
    return status;
}

static const void *pose(const sni_posing *posing, const void *made, const void *kept) {
    const sni_names_plan *plan = made;
    (void)kept;
    sni_muscle_points *points = sni_arena_alloc(posing->arena, plan->count, sizeof *points);
    if (points == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        const sni_posed_muscle *muscle = &posing->frame->muscles.posed[plan->numbers[i]];
        points[i] = (sni_muscle_points){
            .relaxed = muscle->relaxed,
            .contracted = muscle->contracted,
            .solid = posing->frame->model->muscles[plan->numbers[i]]->surface.solid};
    }
    sni_muscles_pose posed = {.muscles = points};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_muscles = {.name = "muscles",
                                     .fields = fields,
                                     .field_count = COUNT(fields),
                                     .decode = decode,
                                     .needs = needs,
                                     .digest = digest,
                                     .collect = collect,
                                     .validate = validate,
                                     .pose = pose};
