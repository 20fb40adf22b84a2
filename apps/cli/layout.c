// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <string.h>

static void print_fibre(const sn_layout_fibre *fibre) {
    printf(" from %s to %s, %.3g m wide", fibre->origins[0].segment, fibre->insertions[0].segment,
           fibre->width);
    if (fibre->fibres > 1) {
        printf(", %u fibres", fibre->fibres);
    }
    if (fibre->room < 1) {
        printf("; %.0f %% of its size, since the skin is near", 100 * fibre->room);
    }
    if (fibre->sunk < 1) {
        printf("; at %.0f %% of its distance from the bone", 100 * fibre->sunk);
    }
}

void cli_layout_print(const char *path, const sn_muscle_layout *layout) {
    printf("%s: %u muscles", path, layout->muscle_count);
    if (layout->expression_count > 0) {
        printf(", %u expressions", layout->expression_count);
    }
    printf("\n");
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        const sn_layout_muscle *muscle = &layout->muscles[i];
        printf("  %-28s", muscle->name);
        if (muscle->fibre != NULL) {
            print_fibre(muscle->fibre);
            printf("\n");
            continue;
        }
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

sn_status cli_layout_add(sn_character *character, const char *skin, const sn_muscle_layout *layout,
                         const sn_progress *progress, sn_error *error) {
    sn_model *model = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_character_add_layout(character, skin, layout, progress, error));
    SN_TRY(sn_model_create(character, progress, &model, error));
cleanup:
    sn_model_destroy(model);
    return status;
}

static sn_status edit(const cli_call *call, cli_session *session, cli_lay_out *lay_out,
                      const char *path, sn_error *error) {
    const char *skin = NULL;
    sn_muscle_layout *layout = NULL;
    sn_status status = SN_OK;
    SN_TRY(lay_out(call, session, &skin, &layout, error));
    // Nothing is written before the muscles have been made.
    SN_TRY(cli_layout_add(session->character, skin, layout, &session->progress.progress, error));
    cli_progress_end(&session->progress);
    SN_TRY(cli_save_character(session->character, path, error));
    cli_layout_print(path, layout);
cleanup:
    sn_muscle_layout_destroy(layout);
    return status;
}

int cli_layout_run(const cli_call *call, cli_lay_out *lay_out) {
    const char *from = call->arguments[0];
    const char *path = cli_value(call, "-o", app_has_extension(from, ".json") ? from : NULL);
    if (path == NULL) {
        return cli_wrong_usage(call, "needs -o NEW.sinew.json, as %s is a model", from);
    }
    sn_error error = {0};
    cli_session session = {0};
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, from, &session, &error));
    SN_TRY(edit(call, &session, lay_out, path, &error));
cleanup:
    cli_session_close(&session);
    return cli_end(status, &error);
}
