// SPDX-License-Identifier: Apache-2.0
//
// A mesh that a skin follows, and points beside its vertices that move with it.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

static const sni_schema_field fields[] = {
    NEEDED("driver_mesh", text, .name_of = "skins", .help = "The skin whose motion is followed."),
    FIELD("driver_control", text, .name_of = "controls",
          .help = "The control that scales the motion of the driver mesh; 1 when not given.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *name = sn_value_get(decoding->object, "driver_mesh");
    const sn_value *control = sn_value_get(decoding->object, "driver_control");
    sni_driver_plan *plan;
    sn_status status = SN_OK;
    if (control != NULL && name == NULL) {
        return sni_fail_value(error, control, SN_INVALID,
                              "\"driver_control\" is only allowed with \"driver_mesh\"");
    }
    if (name == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    *plan = (sni_driver_plan){.name = name};
    SN_TRY(sni_find_skin(blueprint, name, &plan->surface, error));
    SN_TRY(sni_find_control(blueprint, control, &plan->control, error));
    *made = plan;
cleanup:
    return status;
}

static const sni_schema_field frame_fields[] = {
    FIELD("driver_frames", text, .name_of = "skins",
          .help = "The skin whose points show what happens around the vertices of the driver mesh, "
                  "three for each of them.")};

static sn_status decode_frames(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *name = sn_value_get(decoding->object, "driver_frames");
    sni_driver_plan *plan;
    if (name == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    *plan = (sni_driver_plan){.name = name, .control = SN_NONE};
    sn_status status = sni_find_name(blueprint, SNI_SECTION_SKINS, name, &plan->surface, error);
    plan->surface += blueprint->surface_count - blueprint->names[SNI_SECTION_SKINS].count;
    *made = plan;
    return status;
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_driver_plan *plan = made;
    need(&(sni_need){.surface = plan->surface, .name = plan->name, .first = true}, user);
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_driver_plan *plan = made;
    (void)error;
    sni_digest_add_index(digest, plan->control);
    sni_digest_add_surface(digest, collecting->rest, plan->surface);
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_driver_plan *plan = made;
    (void)kept;
    sni_driver_input input = {.mesh = collecting->rest->surfaces[plan->surface].mesh,
                              .control = plan->control};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

static const void *pose(const sni_posing *posing, const void *made, const void *kept) {
    const sni_driver_plan *plan = made;
    (void)kept;
    sni_driver_pose posed = {.points = sn_frame_points(posing->frame, plan->surface)};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_driver = {.name = "a driver mesh",
                                    .fields = fields,
                                    .field_count = COUNT(fields),
                                    .decode = decode,
                                    .needs = needs,
                                    .digest = digest,
                                    .collect = collect,
                                    .pose = pose};

const sni_input sni_input_frames = {.name = "frame points",
                                    .fields = frame_fields,
                                    .field_count = COUNT(frame_fields),
                                    .decode = decode_frames,
                                    .needs = needs,
                                    .digest = digest,
                                    .collect = collect,
                                    .pose = pose};
