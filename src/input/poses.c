// SPDX-License-Identifier: Apache-2.0
//
// Key poses that follow a joint parameter, a control or the length of a muscle.
#include "character/blueprint/blueprint.h"
#include "character/character.h"
#include "character/schema/tables.h"
#include "eval/frame.h"
#include "eval/points.h"

static const sni_schema pose_points = {
    .type = SNI_SCHEMA_MAP,
    .help = "Offsets of vertices, [x, y, z] in metres at rest, by the vertex's number.",
    .item = &vector3};
static const sni_schema_field pose_key_fields[] = {
    NEEDED("at", number,
           .help = "The value of what is followed, in its unit, that the shape stands for."),
    FIELD("points", pose_points, .unit = "m", .help = NULL),
    FIELD("mesh", text, .name_of = "meshes",
          .help = "The whole shape at rest, a mesh with as many vertices, instead of points."),
    ABOUT};
static const sni_schema pose_key =
    OBJECT("The shape at one value of what is followed: offsets of some vertices, or a mesh of the "
           "whole shape at rest.",
           pose_key_fields);
static const sni_schema pose_keys = {.type = SNI_SCHEMA_ARRAY,
                                     .help = "Keys, by rising `at`; constant outside.",
                                     .item = &pose_key,
                                     .least = 1};
static const sni_schema_field pose_fields[] = {
    NEEDED("follows", text, .name_of = "parameters lengths",
           .help = "What the shapes follow: a joint parameter, a control, or MUSCLE.length in "
                   "metres."),
    FIELD("interpolation", sni_interpolation_schema, .standard = "\"linear\""),
    NEEDED("keys", pose_keys, .help = NULL), ABOUT};
static const sni_schema pose = OBJECT(
    "Key poses: offsets that follow a joint parameter, a control or MUSCLE.length.", pose_fields);
static const sni_schema poses = {
    .type = SNI_SCHEMA_ARRAY, .help = "Sets of key poses, which add up.", .item = &pose};

static const sni_schema_field fields[] = {
    FIELD("poses", poses, .title = "Key poses", .help = NULL)};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *list = sn_value_get(decoding->object, "poses");
    sni_poses_plan *plan;
    if (list == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *made = plan;
    return sni_decode_poses(decoding->blueprint, list, plan, error);
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_poses_plan *plan = made;
    for (uint32_t i = 0; i < plan->count; ++i) {
        if (plan->sets[i].muscle != SN_NONE) {
            need(&(sni_need){.surface = SN_NONE, .muscle = plan->sets[i].muscle}, user);
        }
    }
}

static void add_points(sni_digest *digest, const sni_pose_key *key) {
    sni_digest_add_index(digest, key->point_count);
    for (uint32_t i = 0; i < key->point_count; ++i) {
        sni_digest_add_index(digest, key->points[i].vertex);
        sni_digest_add(digest, key->points[i].offset, sizeof key->points[i].offset);
    }
}

static sn_status add_key(sni_digest *digest, const sni_collecting *collecting,
                         const sni_pose_key *key, sn_error *error) {
    const sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    if (key->mesh != NULL) {
        SN_TRY(sni_character_mesh(collecting->rest->character, key->mesh, key->mesh->as.string,
                                  &mesh, error));
    }
    uintptr_t place = (uintptr_t)mesh; // it stays there as long as the character lives
    sni_digest_add(digest, &place, sizeof place);
    add_points(digest, key);
cleanup:
    return status;
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_poses_plan *plan = made;
    sn_status status = SN_OK;
    sni_digest_add_index(digest, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        const sni_pose_plan *set = &plan->sets[i];
        sni_digest_add_index(digest, (uint32_t)set->interpolation);
        sni_digest_add(digest, set->inputs, set->key_count * sizeof *set->inputs);
        for (uint32_t k = 0; k < set->key_count && status == SN_OK; ++k) {
            status = add_key(digest, collecting, &set->keys[k], error);
        }
    }
    return status;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_poses_plan *plan = made;
    const sn_mesh *mesh = collecting->rest->surfaces[collecting->surface].mesh;
    sni_pose_set *sets = NULL;
    (void)kept;
    sn_status status =
        sni_poses_make(collecting->rest->character, plan, mesh, collecting->arena, &sets, error);
    sni_poses_input input = {.count = plan->count, .sets = sets};
    return status == SN_OK ? sni_block_collect(collecting, &input, sizeof input, block, error)
                           : status;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_poses_input *input = block;
    for (uint32_t i = 0; i < input->count; ++i) {
        sn_status status =
            sni_pose_set_validate(&input->sets[i], checking->mesh->vertex_count, error);
        if (status != SN_OK) {
            sni_error_place(error, 0, "%s: key poses %u", checking->kind, i);
            return status;
        }
    }
    return SN_OK;
}

static const void *pose_sets(const sni_posing *posing, const void *made, const void *kept) {
    const sni_poses_plan *plan = made;
    (void)kept;
    double *inputs = sni_arena_alloc(posing->arena, plan->count, sizeof *inputs);
    if (inputs == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        inputs[i] = sni_frame_pose_input(posing->frame, &plan->sets[i]);
    }
    sni_poses_pose posed = {.inputs = inputs};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_poses = {.name = "key poses",
                                   .fields = fields,
                                   .field_count = COUNT(fields),
                                   .decode = decode,
                                   .needs = needs,
                                   .digest = digest,
                                   .collect = collect,
                                   .validate = validate,
                                   .pose = pose_sets};
