// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <string.h>

sn_status cli_layout_fail(sn_error *error, const char *source, const char *message,
                          const char *name) {
    error->status = SN_INVALID;
    snprintf(error->message, sizeof error->message, message, name);
    snprintf(error->source, sizeof error->source, "%s", source);
    return SN_INVALID;
}

// The skin that --skin names, or the only one.
static sn_status find_skin(const cli_call *call, const sn_model *model, const sn_surface **skin,
                           sn_error *error) {
    const char *name = cli_value(call, "--skin", NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        bool is_skin = surface->layer == SN_LAYER_SKIN && !surface->in_segment_frame;
        if (is_skin && (name == NULL || strcmp(surface->name, name) == 0)) {
            *skin = surface;
            ++count;
        }
    }
    if (count == 1) {
        return SN_OK;
    }
    return count == 0
               ? cli_layout_fail(error, call->arguments[0], "there is no skin %s",
                                 name != NULL ? name : "to lay muscles out on")
               : cli_layout_fail(error, call->arguments[0],
                                 "the document has several skins; name one with %s", "--skin");
}

static void print_layout(const char *path, const sn_muscle_layout *layout) {
    printf("%s: %u muscles", path, layout->muscle_count);
    if (layout->expression_count > 0) {
        printf(", %u expressions", layout->expression_count);
    }
    printf("\n");
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        const sn_layout_muscle *muscle = &layout->muscles[i];
        printf("  %-28s", muscle->name);
        switch (muscle->driver) {
        case SN_LAYOUT_ANGLE:
            printf(" by %s from %g to %g", muscle->driver_parameter, muscle->driver_curve[0][0],
                   muscle->driver_curve[1][0]);
            break;
        case SN_LAYOUT_DISTANCE:
            printf(" by the distance from %s to %s", muscle->driver_segments[0],
                   muscle->driver_segments[1]);
            break;
        case SN_LAYOUT_FREE: printf(" %s", muscle->group != NULL ? muscle->group : ""); break;
        }
        printf("\n");
    }
    for (uint32_t i = 0; i < layout->expression_count; ++i) {
        printf("  %-28s %s\n", layout->expressions[i].name, layout->expressions[i].about);
    }
    for (uint32_t i = 0; i < layout->skip_count; ++i) {
        printf("  skipped %s: %s\n", layout->skips[i].name, layout->skips[i].reason);
    }
}

static sn_status edit(const cli_call *call, cli_session *session, cli_lay_out *lay_out,
                      const char *path, sn_error *error) {
    const sn_surface *skin = NULL;
    sn_muscle_layout *layout = NULL;
    sn_model *model = NULL;
    const sn_progress *progress = &session->progress.progress;
    sn_status status = find_skin(call, session->model, &skin, error);
    if (status == SN_OK) {
        status = lay_out(call, session, skin->mesh, &layout, error);
    }
    if (status == SN_OK) {
        status = sn_character_add_layout(session->character, skin->name, layout, progress, error);
    }
    // Making the muscles tells whether they can be made, before anything is written.
    if (status == SN_OK) {
        status = sn_model_create(session->character, progress, &model, error);
    }
    cli_progress_end(&session->progress);
    if (status == SN_OK) {
        status = cli_save_character(session->character, path, error);
    }
    if (status == SN_OK) {
        print_layout(path, layout);
    }
    sn_model_destroy(model);
    sn_muscle_layout_destroy(layout);
    return status;
}

int cli_layout_run(const cli_call *call, cli_lay_out *lay_out) {
    const char *from = call->arguments[0];
    const char *path = cli_value(call, "-o", cli_has_extension(from, ".json") ? from : NULL);
    if (path == NULL) {
        return cli_wrong_usage(call, "needs -o NEW.sinew.json, as %s is a model", from);
    }
    sn_error error = {0};
    cli_session session = {0};
    sn_status status = cli_session_open(call, from, &session, &error);
    if (status == SN_OK) {
        status = edit(call, &session, lay_out, path, &error);
    }
    cli_session_close(&session);
    return cli_end(status, &error);
}
