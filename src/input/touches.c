// SPDX-License-Identifier: Apache-2.0
//
// What a muscle touches: bones that it lies on, and muscles that it pushes.
//
// Where a document says nothing, these are the bones of the segments that the muscle spans: those
// of its ends, and all on the way from one to the other in the skeleton. A segment without a bone
// has a capsule instead, from its joint to the next one.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/frame.h"
#include "input/grid_internal.h"
#include "input/span_internal.h"

#include <string.h>

// The radius of a capsule as a part of its length: about that of the shaft of long bones.
static const double capsule_thickness = 0.04;

static const sni_schema names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Names of bones and muscles.", .item = &text};
static const sni_schema_field fields[] = {
    FIELD("touches", names, .name_of = "bones muscles",
          .help = "Bones that it lies on and muscles of its kind that it pushes; an empty list for "
                  "none. When not given, the bones of the segments that it spans.")};

typedef struct touches_plan {
    const sn_value *object; // the muscle's
    bool standard;          // the document says nothing
    uint32_t bone_count;
    uint32_t *bones; // surfaces
    uint32_t muscle_count;
    uint32_t *muscles;
} touches_plan;

// --- Decoding

static sn_status check_kind(const sni_decoding *decoding, uint32_t muscle, const sn_value *name,
                            sn_error *error) {
    const sn_value *other = sn_value_at(decoding->object->parent, muscle);
    if (other == decoding->object) {
        return sni_fail_value(error, name, SN_INVALID, "\"%s\" is the muscle itself",
                              name->as.string);
    }
    const char *kind = sn_value_string(sn_value_get(other, "kind"), "");
    return strcmp(kind, decoding->kind) == 0
               ? SN_OK
               : sni_fail_value(error, name, SN_INVALID,
                                "\"%s\" is a muscle of kind \"%s\": only those of kind \"%s\" can "
                                "be touched",
                                name->as.string, kind, decoding->kind);
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    static const sni_section among[] = {SNI_SECTION_BONES, SNI_SECTION_MUSCLES};
    sni_blueprint *blueprint = decoding->blueprint;
    uint32_t bones = blueprint->names[SNI_SECTION_BONES].count;
    touches_plan *plan;
    void *found = NULL;
    sn_status status = sni_decode_names(decoding, "touches", among, 2, &found, error);
    const sni_names_plan *named = found;
    if (status != SN_OK) {
        return status;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    *plan = (touches_plan){.object = decoding->object, .standard = named == NULL};
    *made = plan;
    if (named == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan->bones, named->count);
    SNI_PLAN_NEW(blueprint, plan->muscles, named->count);
    for (uint32_t i = 0; i < named->count && status == SN_OK; ++i) {
        if (named->numbers[i] < bones) {
            plan->bones[plan->bone_count++] = named->numbers[i];
        } else {
            uint32_t muscle = named->numbers[i] - bones;
            status = check_kind(decoding, muscle, sn_value_at(named->names, i), error);
            plan->muscles[plan->muscle_count++] = muscle;
        }
    }
    return status;
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const touches_plan *plan = made;
    for (uint32_t i = 0; i < plan->muscle_count; ++i) {
        need(&(sni_need){.surface = SN_NONE, .muscle = plan->muscles[i]}, user);
    }
}

// --- The segments that a muscle spans

// Marks nothing where the plan names what is touched.
static void mark_spanned(const sni_rest *rest, const touches_plan *plan, bool *spanned) {
    memset(spanned, 0, sni_rig_skeleton(rest->rig)->segment_count * sizeof *spanned);
    if (plan->standard) {
        sni_mark_spanned(rest, plan->object, spanned);
    }
}

static bool is_touched(const sni_rest *rest, const touches_plan *plan, const bool *spanned,
                       uint32_t bone) {
    uint32_t segment = rest->surfaces[bone].segment;
    bool named = plan->standard && segment != SN_NONE && spanned[segment];
    for (uint32_t i = 0; i < plan->bone_count; ++i) {
        named = named || plan->bones[i] == bone;
    }
    return named;
}

// --- Digests

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const touches_plan *plan = made;
    const sni_rest *rest = collecting->rest;
    uint32_t bones = rest->blueprint->names[SNI_SECTION_BONES].count;
    uint32_t segments = sni_rig_skeleton(rest->rig)->segment_count;
    bool *spanned = sni_alloc(rest->context, segments, sizeof *spanned);
    if (spanned == NULL) {
        return sni_fail_memory(error);
    }
    mark_spanned(rest, plan, spanned);
    // The capsules follow from what is spanned and the body.
    sni_digest_add(digest, spanned, segments * sizeof *spanned);
    for (uint32_t i = 0; i < bones; ++i) {
        if (is_touched(rest, plan, spanned, i)) {
            sni_digest_add_index(digest, i);
            sni_digest_add_surface(digest, rest, i);
        }
    }
    // Which muscles these are a frame knows; that there are some, the muscle itself.
    sni_digest_add_index(digest, plan->muscle_count);
    sni_free(rest->context, spanned);
    return SN_OK;
}

// --- At rest

static bool has_bone(const sni_rest *rest, uint32_t segment) {
    bool has = false;
    for (uint32_t i = 0; i < rest->blueprint->names[SNI_SECTION_BONES].count; ++i) {
        has = has || rest->surfaces[i].segment == segment;
    }
    return has;
}

// The only child of a segment, SN_NONE where it has none or several.
static uint32_t only_child(const sn_skeleton *skeleton, uint32_t segment) {
    uint32_t found = SN_NONE, count = 0;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (skeleton->segments[i].parent == segment) {
            found = i;
            ++count;
        }
    }
    return count == 1 ? found : SN_NONE;
}

// From the joint of a segment to that of another which it carries, in its own frame.
static bool make_capsule(const sni_rest *rest, uint32_t segment, uint32_t next,
                         sni_touched_bone *to) {
    sn_mat4 inverse;
    if (!sn_mat4_invert(&rest->worlds[segment], &inverse)) {
        return false;
    }
    const double *m = rest->worlds[next].m;
    sn_vec3 end = sn_mat4_point(&inverse, sn_vec3_make(m[12], m[13], m[14]));
    *to = (sni_touched_bone){.segment = segment,
                             .to_segment = sn_mat4_identity(),
                             .ends = {{0, 0, 0}, end},
                             .radius = capsule_thickness * sn_vec3_length(end)};
    return to->radius > 0;
}

// Capsules of a segment without bones: to the segments on the muscle's way that it carries; at the
// end of the way, to the only one that it carries.
static uint32_t add_capsules(const sni_rest *rest, uint32_t segment, const bool *spanned,
                             sni_touched_bone *to) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    uint32_t count = 0, child = only_child(skeleton, segment);
    bool ends = true;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (spanned[i] && skeleton->segments[i].parent == segment) {
            ends = false;
            count += make_capsule(rest, segment, i, to + count);
        }
    }
    if (ends && child != SN_NONE) {
        count += make_capsule(rest, segment, child, to + count);
    }
    return count;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const touches_plan *plan = made;
    const sni_rest *rest = collecting->rest;
    uint32_t bones = rest->blueprint->names[SNI_SECTION_BONES].count;
    uint32_t segments = sni_rig_skeleton(rest->rig)->segment_count;
    sn_status status = SN_OK;
    (void)kept;
    bool *spanned = sni_arena_alloc(collecting->arena, segments, sizeof *spanned);
    // Every segment has one parent, and each capsule leads to another segment.
    sni_touched_bone *touched =
        sni_arena_alloc(collecting->arena, (size_t)bones + 2 * (size_t)segments, sizeof *touched);
    SN_TRY(spanned != NULL && touched != NULL ? SN_OK : sni_fail_memory(error));
    mark_spanned(rest, plan, spanned);
    sni_touches_input input = {.bones = touched};
    for (uint32_t i = 0; i < bones; ++i) {
        if (is_touched(rest, plan, spanned, i)) {
            SN_TRY(sni_touched_bone_make(collecting, i, &touched[input.bone_count], error));
            ++input.bone_count;
        }
    }
    for (uint32_t i = 0; i < segments; ++i) {
        if (spanned[i] && !has_bone(rest, i)) {
            input.bone_count += add_capsules(rest, i, spanned, touched + input.bone_count);
        }
    }
    SN_TRY(sni_block_collect(collecting, &input, sizeof input, block, error));
cleanup:
    return status;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_touches_input *input = block;
    for (uint32_t i = 0; i < input->bone_count; ++i) {
        uint32_t segment = input->bones[i].segment;
        if (segment != SN_NONE && segment >= checking->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: bone %u has segment %u, but there are %u",
                            checking->kind, i, segment, checking->segment_count);
        }
    }
    return SN_OK;
}

// --- In a pose

static const void *pose(const sni_posing *posing, const void *made, const void *kept) {
    const touches_plan *plan = made;
    (void)kept;
    sni_touches_pose posed = {.muscle_count = plan->muscle_count, .muscles = plan->muscles};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_touches = {.name = "things that it touches",
                                     .fields = fields,
                                     .field_count = COUNT(fields),
                                     .decode = decode,
                                     .needs = needs,
                                     .digest = digest,
                                     .collect = collect,
                                     .validate = validate,
                                     .pose = pose};
