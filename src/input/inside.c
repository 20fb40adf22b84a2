// SPDX-License-Identifier: Apache-2.0
//
// The skin that a muscle stays inside of: fields of the skin at rest, one for each part of the body
// that the muscle spans, which bones carry. The deformed skin of a frame comes after its muscles,
// and is not known to them.
#include "base/context.h"
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"
#include "input/span_internal.h"
#include "skin/implicit/body.h"
#include "skin/rest_place.h"

#include <string.h>

// Samples of a part's skin, and steps of its grid as parts of its radius, as the deformer
// `implicit` has them.
enum { SAMPLES = 100 };
static const double grid_steps = 1.0 / 7;

// A part of less vertices is known at so few points that a field through them is no skin: on a
// body of 370 vertices such fields drew muscles out to twice their length.
enum { COARSE_VERTICES = 60 };

static const sni_schema_field fields[] = {
    FIELD("inside", text, .name_of = "skins",
          .help = "The skin that it stays inside of, as the bones carry it. When not given, no "
                  "skin holds it.")};

typedef struct inside_plan {
    const sn_value *object; // the muscle's
    const sn_value *value;  // the name
    uint32_t skin;          // a surface
} inside_plan;

// The fields of all parts of a skin, which all muscles inside of it share.
typedef struct shared_parts {
    sni_made made;
    sni_skin_parts parts;
    sni_implicit_body body;
} shared_parts;

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *value = sn_value_get(decoding->object, "inside");
    inside_plan *plan;
    if (value == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *plan = (inside_plan){.object = decoding->object, .value = value};
    *made = plan;
    return sni_find_skin(decoding->blueprint, value, &plan->skin, error);
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const inside_plan *plan = made;
    need(&(sni_need){.surface = plan->skin}, user);
}

// --- The skin's weights

static uint32_t segment_of_bone(const sni_rest *rest, uint32_t skin, uint32_t bone) {
    const uint32_t *known = rest->details[skin].bone_segments;
    const sni_name_index *names = &rest->blueprint->names[SNI_SECTION_SKELETON];
    return known != NULL
               ? known[bone]
               : sni_name_index_find(names, rest->surfaces[skin].mesh->weights->bone_names[bone]);
}

// What the fields are made from.
static void digest_fields(const sni_rest *rest, uint32_t skin, sni_digest *digest) {
    const sn_mesh *mesh = rest->surfaces[skin].mesh;
    const sn_weights *weights = mesh != NULL ? mesh->weights : NULL;
    sni_digest_add_text(digest, "inside of a skin");
    sni_digest_add_surface(digest, rest, skin);
    sni_digest_add_digest(digest, &rest->digest);
    for (uint32_t i = 0; weights != NULL && i < weights->bone_count; ++i) {
        sni_digest_add_index(digest, segment_of_bone(rest, skin, i));
    }
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const inside_plan *plan = made;
    const sni_rest *rest = collecting->rest;
    uint32_t segments = sni_rig_skeleton(rest->rig)->segment_count;
    bool *spanned = sni_alloc(rest->context, segments, sizeof *spanned);
    if (spanned == NULL) {
        return sni_fail_memory(error);
    }
    memset(spanned, 0, segments * sizeof *spanned);
    sni_mark_spanned(rest, plan->object, spanned);
    sni_digest_add(digest, spanned, segments * sizeof *spanned);
    digest_fields(rest, plan->skin, digest);
    sni_free(rest->context, spanned);
    return SN_OK;
}

// --- Fields

static void destroy_parts(sn_context *context, sni_made *made) {
    shared_parts *shared = (shared_parts *)made;
    sni_implicit_body_free(context, &shared->body);
    sni_skin_parts_free(context, &shared->parts);
    sni_free(context, shared);
}

static sn_status find_parts(const sni_rest *rest, const sn_mesh *mesh, const uint32_t *bones,
                            const float *positions, sni_skin_parts *parts, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *mains = NULL;
    SNI_NEW(rest->context, mains, mesh->vertex_count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mains[v] = sni_skin_main_segment(mesh->weights, bones, v);
    }
    sni_skin_parts_desc desc = {.vertex_count = mesh->vertex_count,
                                .positions = positions,
                                .vertex_segments = mains,
                                .skeleton = sni_rig_skeleton(rest->rig),
                                .rest_worlds = rest->worlds,
                                .least_vertices = SNI_SKIN_PART_VERTICES};
    SN_TRY(sni_skin_parts_find(rest->context, &desc, parts, error));
cleanup:
    sni_free(rest->context, mains);
    return status;
}

static sn_status make_fields(const sni_rest *rest, const sn_mesh *mesh, const uint32_t *bones,
                             shared_parts *made, sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    float *positions = NULL, *normals = NULL;
    SNI_NEW(rest->context, positions, 3 * (size_t)mesh->vertex_count);
    SNI_NEW(rest->context, normals, 3 * (size_t)mesh->vertex_count);
    sni_place_at_rest(mesh, bones, rest->worlds, positions);
    SN_TRY(sn_triangles_create(mesh, positions, &triangles, error));
    SN_TRY(sn_mesh_normals(mesh, positions, normals, error));
    SN_TRY(find_parts(rest, mesh, bones, positions, &made->parts, error));
    sni_implicit_body_desc desc = {.vertex_count = mesh->vertex_count,
                                   .positions = positions,
                                   .normals = normals,
                                   .triangle_count = triangles->count,
                                   .triangles = triangles->vertices,
                                   .parts = &made->parts,
                                   .sample_count = SAMPLES,
                                   .grid = grid_steps};
    SN_TRY(sni_implicit_body_create(rest->context, &desc, &made->body, error));
cleanup:
    sn_triangles_destroy(triangles);
    sni_free(rest->context, positions);
    sni_free(rest->context, normals);
    return status;
}

// The segments of the skin's weights.
static sn_status list_bones(const sni_rest *rest, const inside_plan *plan, uint32_t **bones,
                            sn_error *error) {
    const sn_mesh *mesh = rest->surfaces[plan->skin].mesh;
    sn_status status = SN_OK;
    if (mesh->weights == NULL) {
        return sni_fail_value(error, plan->value, SN_INVALID,
                              "the skin \"%s\" has no weights, so that no bones carry its inside",
                              plan->value->as.string);
    }
    SNI_NEW(rest->context, *bones, mesh->weights->bone_count);
    for (uint32_t i = 0; i < mesh->weights->bone_count; ++i) {
        (*bones)[i] = segment_of_bone(rest, plan->skin, i);
        if ((*bones)[i] == SN_NONE) {
            SN_TRY(sni_fail_value(error, plan->value, SN_INVALID,
                                  "the skin has weights for \"%s\", which is no segment",
                                  mesh->weights->bone_names[i]));
        }
    }
cleanup:
    return status;
}

static bool is_coarse(const shared_parts *shared, uint32_t part) {
    return shared->parts.parts[part].vertex_count < COARSE_VERTICES;
}

// Once for a skin, since it holds for all muscles.
static void tell_coarse_parts(sn_context *context, const inside_plan *plan,
                              const shared_parts *shared) {
    uint32_t coarse = 0;
    for (uint32_t i = 0; i < shared->parts.count; ++i) {
        coarse += is_coarse(shared, i);
    }
    if (coarse > 0) {
        sni_log(context, SN_LOG_INFO, "muscle",
                "%s: %u of %u parts of the body have less than %u vertices, too few to keep "
                "muscles inside of them",
                plan->value->as.string, coarse, shared->parts.count, COARSE_VERTICES);
    }
}

// Found in the store, or made and put there, which holds it.
static sn_status share_parts(sni_rest *rest, const inside_plan *plan, shared_parts **shared,
                             sn_error *error) {
    sni_digest key = sni_digest_new();
    sni_made *found = NULL;
    shared_parts *made = NULL;
    uint32_t *bones = NULL;
    sn_status status = SN_OK;
    digest_fields(rest, plan->skin, &key);
    SN_TRY(sni_store_find(rest->store, &key, &found, error));
    if (found == NULL) {
        SN_TRY(list_bones(rest, plan, &bones, error));
        SNI_NEW_ZERO(rest->context, made, 1);
        sni_made_init(&made->made, &key, destroy_parts);
        SN_TRY(make_fields(rest, rest->surfaces[plan->skin].mesh, bones, made, error));
        tell_coarse_parts(rest->context, plan, made);
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    *shared = (shared_parts *)found;
cleanup:
    sni_free(rest->context, bones);
    if (made != NULL) {
        sni_made_release(rest->context, &made->made); // the store holds it
    }
    return status;
}

// --- At rest

// The parts of what is spanned, each once. SN_NONE, or a segment whose part has no field, or one
// through too few points.
static uint32_t list_parts(const shared_parts *shared, const bool *spanned, uint32_t segments,
                           sni_inside_part *to, uint32_t *count) {
    *count = 0;
    for (uint32_t i = 0; i < segments; ++i) {
        uint32_t part = spanned[i] ? shared->parts.segment_parts[i] : SN_NONE;
        if (part == SN_NONE) {
            continue;
        }
        const sni_field_part *field = &shared->body.parts[part];
        if (field->hrbf.center_count == 0 || is_coarse(shared, part)) {
            return i;
        }
        bool known = false;
        for (uint32_t k = 0; k < *count; ++k) {
            known = known || to[k].field == field;
        }
        if (!known) {
            to[(*count)++] = (sni_inside_part){shared->parts.parts[part].segment, field};
        }
    }
    return SN_NONE;
}

// A muscle whose parts have not all a field could only be pulled out of those without.
static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const inside_plan *plan = made;
    sni_rest *rest = collecting->rest;
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    uint32_t count = skeleton->segment_count;
    shared_parts *shared = NULL;
    sn_status status = SN_OK;
    (void)kept;
    bool *spanned = sni_arena_alloc(collecting->arena, count, sizeof *spanned);
    sni_inside_part *parts = sni_arena_alloc(collecting->arena, count, sizeof *parts);
    SN_TRY(spanned != NULL && parts != NULL ? SN_OK : sni_fail_memory(error));
    memset(spanned, 0, count * sizeof *spanned);
    sni_mark_spanned(rest, plan->object, spanned);
    SN_TRY(share_parts(rest, plan, &shared, error));
    sni_inside_input input = {.made = &shared->made, .parts = parts};
    uint32_t without = list_parts(shared, spanned, count, parts, &input.part_count);
    if (without != SN_NONE) {
        input.part_count = 0;
    }
    if (without != SN_NONE && !is_coarse(shared, shared->parts.segment_parts[without])) {
        sni_log(rest->context, SN_LOG_WARNING, "muscle",
                "%s: no field passes through the skin of \"%s\", so that it is not kept inside",
                collecting->name, skeleton->segments[without].name);
    }
    SN_TRY(sni_block_collect(collecting, &input, sizeof input, block, error));
cleanup:
    return status;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_inside_input *input = block;
    for (uint32_t i = 0; i < input->part_count; ++i) {
        if (input->parts[i].segment >= checking->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: skin %u has segment %u, but there are %u",
                            checking->kind, i, input->parts[i].segment, checking->segment_count);
        }
    }
    return SN_OK;
}

const sni_input sni_input_inside = {.name = "a skin to stay inside of",
                                    .fields = fields,
                                    .field_count = COUNT(fields),
                                    .decode = decode,
                                    .needs = needs,
                                    .digest = digest,
                                    .collect = collect,
                                    .validate = validate};
