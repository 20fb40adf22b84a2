// SPDX-License-Identifier: Apache-2.0
//
// Whole sets of muscles: proposed for the limbs of a body, or laid out on a face from feature
// points. A job lays them out on a copy and tries whether they can be made; then they go into the
// document as one step.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "jobs/work.h"

#include "common/character.h"
#include "common/face.h"
#include "common/propose.h"

#include <stdlib.h>
#include <string.h>

// Parts of the progress: the model, the layout, the model with the layout.
static const double model_part = 0.3, layout_part = 0.6;

typedef struct layout_work {
    work work;
    uint32_t page;
    bool face;
    sn_json *request; // a copy
    const sn_value *args;
    char *skin; // of a face; NULL: every muscle names its own
    sn_muscle_layout *layout;
} layout_work;

static sn_status propose(layout_work *w, const sn_progress *progress, sn_error *error) {
    sn_propose_desc desc = sn_propose_desc_default();
    desc.smallest = sn_value_number(sn_value_get(w->args, "smallest"), desc.smallest);
    desc.thickness = sn_value_number(sn_value_get(w->args, "thickness"), desc.thickness);
    const char *name = sn_value_string(sn_value_get(w->args, "skin"), NULL);
    return app_propose_muscles(w->work.model, name, "", desc, progress, &w->layout, error);
}

static sn_status lay_face_out(layout_work *w, const sn_progress *progress, sn_error *error) {
    sn_face_layout_desc desc = sn_face_layout_desc_default();
    sn_face_feature *features = NULL;
    const sn_surface *skin = NULL;
    const char *name = sn_value_string(sn_value_get(w->args, "skin"), NULL);
    sn_status status = SN_OK;
    SN_TRY(app_find_layout_skin(w->work.model, name, "", "`skin`", &skin, error));
    w->skin = strdup(skin->name);
    SN_TRY(w->skin != NULL ? SN_OK : app_fail_memory(error));
    desc.mesh = skin->mesh;
    desc.depth = sn_value_number(sn_value_get(w->args, "depth"), desc.depth);
    SN_TRY(app_read_face("", w->args, skin->mesh, &desc, &features, error));
    SN_TRY(sn_face_layout_create(desk_context(w->work.desk), &desc, progress, &w->layout, error));
cleanup:
    free(features);
    return status;
}

// Making the muscles tells whether they can be made, before the document has them.
static sn_status try_layout(layout_work *w, const sn_progress *progress, sn_error *error) {
    sn_model *model = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_character_add_layout(w->work.character, w->skin, w->layout, NULL, error));
    SN_TRY(sn_model_create(w->work.character, progress, &model, error));
cleanup:
    sn_model_destroy(model);
    return status;
}

static bool add_names(sn_json *result, sn_value *object, const sn_muscle_layout *layout) {
    sn_value *muscles = sn_json_add_array(result, object, "muscles");
    sn_value *expressions = sn_json_add_array(result, object, "expressions");
    sn_value *skipped = sn_json_add_array(result, object, "skipped");
    bool done = muscles != NULL && expressions != NULL && skipped != NULL;
    for (uint32_t i = 0; i < layout->muscle_count && done; ++i) {
        done = sn_json_add_string(result, muscles, NULL, layout->muscles[i].name) != NULL;
    }
    for (uint32_t i = 0; i < layout->expression_count && done; ++i) {
        done = sn_json_add_string(result, expressions, NULL, layout->expressions[i].name) != NULL;
    }
    for (uint32_t i = 0; i < layout->skip_count && done; ++i) {
        sn_value *skip = sn_json_add_object(result, skipped, NULL);
        done = sn_json_add_string(result, skip, "name", layout->skips[i].name) != NULL &&
               sn_json_add_string(result, skip, "reason", layout->skips[i].reason) != NULL;
    }
    return done;
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    layout_work *w = user;
    app_part making, laying, trying;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin(&laying, desk_job_progress(job), model_part, layout_part);
    app_part_begin_steps(&trying, desk_job_progress(job), layout_part, 1);
    sn_status status = SN_OK;
    SN_TRY(work_open(&w->work, false, &making.progress, error));
    SN_TRY(w->face ? lay_face_out(w, &laying.progress, error)
                   : propose(w, &laying.progress, error));
    SN_TRY(try_layout(w, &trying.progress, error));
    SN_TRY(add_names(result, object, w->layout) ? SN_OK : app_fail_memory(error));
cleanup:
    return status;
}

static sn_status add_layout(sn_character *copy, void *user, sn_error *error) {
    const layout_work *w = user;
    return sn_character_add_layout(copy, w->skin, w->layout, NULL, error);
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    layout_work *w = user;
    (void)desk;
    (void)result;
    (void)object;
    const char *label = w->face ? "Lay out facial muscles" : "Propose muscles";
    return work_change(&w->work, w->page, label, add_layout, w, error);
}

static void drop(void *user) {
    layout_work *w = user;
    sn_muscle_layout_destroy(w->layout);
    work_free(&w->work);
    sn_json_destroy(w->request);
    free(w->skin);
    free(w);
}

// ---------------------------------------------------------------------------------------------

static sn_status check_number(const desk_request *request, const char *key, double low, double high,
                              sn_error *error) {
    double number;
    return sn_value_get(request->args, key) == NULL
               ? SN_OK
               : desk_argument_number(request, key, low, high, &number, error);
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    layout_work *w = user;
    w->page = request->page;
    sn_status status = SN_OK;
    SN_TRY(work_take(&w->work, desk, request, error));
    SN_TRY(check_number(request, "smallest", 0, 1, error));
    SN_TRY(check_number(request, "thickness", 0.01, 2, error));
    SN_TRY(check_number(request, "depth", 0.01, 2, error));
    SN_TRY(sn_json_create(desk_context(desk), &w->request, error));
    w->args = sn_json_add_copy(w->request, sn_json_root(w->request), "args", request->args);
    SN_TRY(w->args != NULL ? SN_OK : app_fail_memory(error));
cleanup:
    return status;
}

static sn_status take_face(void *user, desk *desk, const desk_request *request, sn_error *error) {
    ((layout_work *)user)->face = true;
    return take(user, desk, request, error);
}

// {"slot", "skin", "smallest", "thickness"}
sn_status command_propose(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    static const work_kind kind = {.title = "Proposed muscles",
                                   .bytes = sizeof(layout_work),
                                   .take = take,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}

// {"slot", "skin", "features": {NAME: [x, y, z] or vertex}, "ibug68": [68 points], "depth"}
sn_status command_face(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                       sn_error *error) {
    static const work_kind kind = {.title = "Facial muscles",
                                   .bytes = sizeof(layout_work),
                                   .take = take_face,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
