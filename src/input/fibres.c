// SPDX-License-Identifier: Apache-2.0
//
// What a muscle of fibres is made from: one attachment at each end, or two, between which its
// fibres run; and points that bones carry, which its axis passes. The latter are pivots that are
// always there.
#include "input/bodies_internal.h"

#include <string.h>

static const sni_schema attachments = {.type = SNI_SCHEMA_ARRAY,
                                       .help = "One or two attachments on bones.",
                                       .item = &sni_attachment_schema,
                                       .least = 1,
                                       .most = 2};
static const sni_schema_field point_fields[] = {
    NEEDED("segment", text, .name_of = "segments", .help = "The segment that carries the point."),
    NEEDED("at", vector3, .mirror = sni_mirror_point,
           .help = "Its position in the segment's frame: metres, or sizes of the segment where "
                   "`frame` says so."),
    FIELD("frame", sni_place_frame_schema, .title = "Measured in", .standard = "\"segment\""),
    ABOUT};
static const sni_schema point =
    OBJECT("A point in a segment's frame that the axis passes.", point_fields);
static const sni_schema through = {.type = SNI_SCHEMA_ARRAY,
                                   .help = "Points that the axis passes, from the origin on.",
                                   .item = &point};

static const sni_schema_field fields[] = {
    NEEDED("origins", attachments,
           .help = "Where it begins: an attachment on a bone; two where it has several fibres."),
    NEEDED("insertions", attachments,
           .help = "Where it ends: as many attachments as it has origins."),
    FIELD("through", through, .help = "Points that the axis passes, from the origin on.")};

static sn_status decode_point(const sni_blueprint *blueprint, const sn_value *value,
                              sni_pivot_plan *pivot, sn_error *error) {
    const char *frame = sn_value_string(sn_value_get(value, "frame"), "");
    *pivot =
        (sni_pivot_plan){.value = value,
                         .use = SNI_PIVOT_ALWAYS,
                         .in_sizes = strcmp(frame, "size") == 0,
                         .at = sni_decode_vector(sn_value_get(value, "at"), sn_vec3_make(0, 0, 0)),
                         .half_of = SN_NONE};
    return sni_find_name(blueprint, SNI_SECTION_SKELETON, sn_value_get(value, "segment"),
                         &pivot->segment, error);
}

static sn_status decode_through(sni_blueprint *blueprint, const sn_value *list,
                                sni_muscle_body_plan *plan, sn_error *error) {
    uint32_t count = sn_value_count(list);
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, plan->pivots, count);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = decode_point(blueprint, sn_value_at(list, i), &plan->pivots[i], error);
        plan->pivots[i].slice = i + 1;
        plan->pivot_count = i + 1;
    }
    return status;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *insertions = sn_value_get(decoding->object, "insertions");
    uint32_t count = sn_value_count(sn_value_get(decoding->object, "origins"));
    sn_status status = SN_OK;
    if (sn_value_count(insertions) != count) {
        return sni_fail_value(error, insertions, SN_INVALID,
                              "it has %u insertions, but %u origins: it needs as many",
                              sn_value_count(insertions), count);
    }
    SN_TRY(sni_bodies_decode_one(decoding, count, made, error));
    sni_bodies_plan *plan = *made;
    SN_TRY(decode_through(decoding->blueprint, sn_value_get(decoding->object, "through"),
                          &plan->bodies[0].body, error));
cleanup:
    return status;
}

static sn_status validate_points(const sni_checking *checking, const sni_muscle_body *body,
                                 sn_error *error) {
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        const sni_muscle_pivot *pivot = &body->pivots[i];
        if (pivot->segment >= checking->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: point %u has segment %u, but there are %u",
                            checking->kind, i + 1, pivot->segment, checking->segment_count);
        }
        if (!sn_vec3_is_finite(pivot->at)) {
            return sni_fail(error, SN_INVALID, "%s: point %u is at (%g, %g, %g)", checking->kind,
                            i + 1, pivot->at.x, pivot->at.y, pivot->at.z);
        }
    }
    return SN_OK;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_muscle_body *body = block;
    uint32_t count = body->origin_count > 1 ? 2 : 1;
    sn_status status = sni_body_validate(checking, body, count, error);
    return status == SN_OK ? validate_points(checking, body, error) : status;
}

const sni_input sni_input_fibres = {.name = "attachments",
                                    .fields = fields,
                                    .field_count = COUNT(fields),
                                    .decode = decode,
                                    .release = sni_bodies_release,
                                    .digest = sni_bodies_digest,
                                    .collect = sni_bodies_collect_one,
                                    .validate = validate,
                                    .pose = sni_bodies_pose};
