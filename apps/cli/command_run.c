// SPDX-License-Identifier: Apache-2.0
#include "run_game.h"

#include <string.h>

static const cli_option options[] = {
    {"-o", "OUT", "the file to write: .glb .usda .pc2 .mdd, or .obj for one file per frame", false},
    {"--motion", "CLIP",
     "a clip of the document, or a motion file (default: first clip); with --glb game several times "
     "(default: all clips)",
     true},
    CLI_IGNORE_UNKNOWN,
    CLI_REST_FRAME,
    CLI_PLANT_FEET,
    CLI_NO_PLANT_FEET,
    {"--frames", "A:B", "plays frames A to B, counted from 0, both included (default: all)", false},
    CLI_SET,
    CLI_PROPORTION,
    CLI_CHANGE,
    {"--glb", "skinned|morph|game",
     "how a .glb stores the motion (default: skinned if that is exact); game: skinned, with morph "
     "targets for what bones do not say",
     false},
    {"--targets", "N", "most morph targets of a skin in a game (default: as few as --error needs)",
     false},
    {"--error", "MM", "mean error of a skin in a game (default: 0.05 % of its size)", false},
    {"--skin", "NAME", "writes one skin alone for a game (default: all that are shown)", false},
    {"--bones", NULL, "also writes bones and tissues", false},
    {"--muscles", NULL, "also writes muscles", false},
    {"--report", "R.json", "writes what was measured in each frame", false},
    {0},
};

static bool parse_glb(const cli_call *call, sn_bake_desc *desc) {
    const char *text = cli_value(call, "--glb", NULL);
    if (text != NULL && (!app_glb_mode(text, &desc->glb) || desc->glb == SN_GLB_AUTO)) {
        cli_wrong_usage(call, "--glb takes skinned, morph or game, not \"%s\"", text);
        return false;
    }
    return true;
}

// "3 bones" of a list.
static void tell_count(uint32_t count, const char *what, const char **before) {
    if (count > 0) {
        printf("%s%u %s%s", *before, count, what, cli_s(count));
        *before = ", ";
    }
}

static void tell(const cli_call *call, const cli_session *session, const sn_bake_desc *desc) {
    const char *path = cli_value(call, "-o", NULL),
               *before = "; no skin is shown; written instead: ";
    const sn_model *model = session->model;
    printf("%s: frames %u to %u of %s", path != NULL ? path : desc->report_path, desc->first,
           desc->last, session->motion != NULL ? sn_motion_name(session->motion) : "the rest pose");
    if (path == NULL) {
        printf(", measured only");
    } else if (app_count_shown(model, SN_LAYER_SKIN) == 0) {
        tell_count(desc->bones ? app_count_shown(model, SN_LAYER_BONE) : 0, "bone", &before);
        tell_count(desc->bones ? app_count_shown(model, SN_LAYER_TISSUE) : 0, "tissue", &before);
        tell_count(desc->muscles ? app_count_shown(model, SN_LAYER_MUSCLE) : 0, "muscle", &before);
    }
    printf("\n");
}

static int run_game(const cli_call *call) {
    sn_game_desc desc;
    if (!cli_check_sets(call) || !cli_check_motion(call) || !cli_parse_game(call, &desc)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session;
    sn_status status = cli_session_open(call, call->arguments[0], &session, &error);
    if (status == SN_OK) {
        sn_frame_show_only(session.frame, !cli_has(call, "--skin"));
        status = cli_run_game(call, &session, &desc, &error);
    }
    cli_session_close(&session);
    return cli_end(status, &error);
}

static int run(const cli_call *call) {
    if (strcmp(cli_value(call, "--glb", ""), "game") == 0) {
        return run_game(call);
    }
    const char *path = cli_value(call, "-o", NULL);
    sn_bake_desc desc = sn_bake_desc_default();
    if (path == NULL && !cli_has(call, "--report")) {
        return cli_wrong_usage(call, "needs -o OUT, or --report R.json");
    }
    if (!cli_check_sets(call) || !cli_check_motion(call) || !parse_glb(call, &desc) ||
        !cli_parse_frames(call, 0, &desc.first, &desc.last)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session;
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    sn_frame_show_only(session.frame, true);
    desc.motion = session.motion;
    app_choose_layers(session.model, cli_has(call, "--bones"), cli_has(call, "--muscles"), &desc);
    desc.report_path = cli_value(call, "--report", NULL);
    cli_parse_frames(call, cli_last_frame(&session), &desc.first, &desc.last);
    SN_TRY(sn_bake(session.frame, &desc, path, &session.progress.progress, &error));
    cli_progress_end(&session.progress);
    tell(call, &session, &desc);
cleanup:
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_run = {
    .name = "run",
    .arguments = "DOC|MODEL -o OUT",
    .summary = "plays a clip on a character and writes the moving skin",
    .details =
        "A range of frames gives the same result as these frames of the whole clip. A model file "
        "can\n"
        "be played as it is: `sinew run human.glb --motion walk.bvh -o walk.glb`. If the document\n"
        "shows no skin, bones, tissues and muscles are written. Without -o only the report is\n"
        "written.\n"
        "\n"
        "example: sinew run examples/arm/arm.sinew.json --motion curl -o curl.glb\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
