// SPDX-License-Identifier: Apache-2.0
#include "common/propose.h"

#include <stdlib.h>
#include <string.h>

typedef struct skin_list {
    uint32_t count;
    const sn_mesh **meshes;
    const char **names;
} skin_list;

// Adds the skins of a name, or all that are shown. Hidden skins, which drive others,
// do not count. Skins that hang on one segment as a whole are added too, so that the reason why
// they carry no muscle is listed; but one skin must bend.
static sn_status list_skins(const sn_model *model, const char *name, const char *source,
                            skin_list *list, sn_error *error) {
    uint32_t count = sn_model_surface_count(model), moving = 0;
    list->meshes = calloc(count + 1, sizeof *list->meshes);
    list->names = calloc(count + 1, sizeof *list->names);
    if (list->meshes == NULL || list->names == NULL) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        bool is_skin = surface->layer == SN_LAYER_SKIN;
        moving += is_skin && !surface->in_segment_frame;
        if (is_skin && (name != NULL ? strcmp(surface->name, name) == 0 : surface->shown)) {
            list->meshes[list->count] = surface->mesh;
            list->names[list->count++] = surface->name;
        }
    }
    if (list->count > 0 && moving > 0) {
        return SN_OK;
    }
    return name != NULL && list->count == 0
               ? app_fail(error, SN_INVALID, source, "there is no skin \"%s\"", name)
               : app_fail(error, SN_INVALID, source,
                          "there is no skin that moves with the skeleton, for muscles to "
                          "lie on");
}

sn_status app_propose_muscles(const sn_model *model, const char *skin, const char *source,
                              sn_propose_desc desc, const sn_progress *progress,
                              sn_muscle_layout **layout, sn_error *error) {
    skin_list list = {0};
    sn_status status = SN_OK;
    SN_TRY(list_skins(model, skin, source, &list, error));
    desc.skeleton = sn_model_skeleton(model);
    desc.meshes = list.meshes;
    desc.names = list.names;
    desc.mesh_count = list.count;
    SN_TRY(sn_muscles_propose(sn_model_context(model), &desc, progress, layout, error));
cleanup:
    free(list.meshes);
    free(list.names);
    return status;
}
