// SPDX-License-Identifier: Apache-2.0
#include "run_clips.h"
#include "run_game.h"

#include <string.h>

static const cli_option options[] = {
    {"-o", "OUT", "the file to write: .glb .usda .pc2 .mdd, or .obj for one file per frame", false},
    {"--motion", "CLIP",
     "a clip of the document, or a motion file; several for a skinned .glb or one for games "
     "(default: all clips of the document there, else the first one)",
     true},
    CLI_IGNORE_UNKNOWN,
    CLI_REST_FRAME,
    CLI_PLANT_FEET,
    CLI_NO_PLANT_FEET,
    CLI_RELAX,
    CLI_NO_RELAX,
    CLI_MAP,
    CLI_PAIRING,
    CLI_FPS,
    {"--frames", "A:B", "plays frames A to B, counted from 0, both included (default: all)", false},
    CLI_SET,
    CLI_PROPORTION,
    CLI_CHANGE,
    {"--glb", "skinned|morph|game",
     "how a .glb stores the motion (default: skinned if that is exact, else morph); game adds "
     "morph "
     "targets for what bones alone cannot do; skinned also works for a .usda (default: points)",
     false},
    {"--targets", "N",
     "with --glb game: most morph targets of a skin (default: as few as --error needs)", false},
    {"--error", "MM", "with --glb game: largest mean error of a skin (default: 0.05 % of its size)",
     false},
    {"--skin", "NAME", "with --glb game: writes this skin alone (default: all that are shown)",
     false},
    {"--round", "MM",
     "most that coordinates of a .usda are rounded by (default: 0.01; 0: not at all)", false},
    {"--bones", NULL, "also writes bones and tissues", false},
    {"--muscles", NULL, "also writes muscles", false},
    {"--report", "R.json", "writes what was measured in each frame", false},
    CLI_UNIT,
    CLI_UP,
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

static bool parse_round(const cli_call *call, sn_bake_desc *desc) {
    double millimetres = 0;
    if (!cli_has(call, "--round")) {
        return true;
    }
    bool parsed = cli_parse_double(call, "--round", 0, 0, 1000, &millimetres);
    desc->tolerance = millimetres / 1e3;
    return parsed;
}

// "3 bones" of a list.
static void tell_count(uint32_t count, const char *what, const char **before) {
    if (count > 0) {
        printf("%s%u %s%s", *before, count, what, cli_s(count));
        *before = ", ";
    }
}

// Clips beside the one that was played: a file of points has no place for them.
static void tell_further(const cli_call *call, const cli_session *session,
                         const sn_bake_desc *desc) {
    uint32_t all = cli_count_clips(call, session->model);
    for (uint32_t i = 0; i < desc->further_count; ++i) {
        printf(i == 0 ? "; all frames of %s" : ", %s", sn_motion_name(desc->further[i]));
    }
    if (desc->further_count == 0 && all > 1) {
        printf("; one clip of %u", all);
    }
}

static void tell(const cli_call *call, const cli_session *session, const sn_bake_desc *desc) {
    const char *path = cli_value(call, "-o", NULL),
               *before = "; no skin is shown; written instead: ";
    const sn_model *model = session->model;
    printf("%s: frames %u to %u of %s", path != NULL ? path : desc->report_path, desc->first,
           desc->last, session->motion != NULL ? sn_motion_name(session->motion) : "the rest pose");
    tell_further(call, session, desc);
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

// Whether all clips go into the file: it holds as many as one likes, and neither a range of frames
// nor a report, which are those of one clip, is asked for.
static bool wants_all(const cli_call *call, const cli_session *session, const sn_bake_desc *desc) {
    return app_has_extension(cli_value(call, "-o", ""), ".glb") &&
           sn_bake_is_skinned(session->model, desc, cli_value(call, "-o", NULL)) &&
           !cli_has(call, "--frames") && !cli_has(call, "--report");
}

static sn_status open_further(const cli_call *call, const cli_session *session, sn_bake_desc *desc,
                              cli_clips *clips, sn_error *error) {
    sn_status status = SN_OK;
    if (wants_all(call, session, desc) && session->motion != NULL) {
        SN_TRY(cli_clips_open(call, session, 1, clips, error));
        desc->further_count = clips->count;
        desc->further = (const sn_motion *const *)clips->motions;
    } else if (cli_has(call, "--motion") && cli_count_clips(call, session->model) > 1) {
        error->status = status = SN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "several --motion go into a skinned .glb or one for games (--glb game) alone, and "
                 "not with --frames or --report");
    }
cleanup:
    return status;
}

// What only games have is not left aside without a word elsewhere.
static bool check_no_game(const cli_call *call) {
    static const char *const of_games[] = {"--targets", "--error", "--skin"};
    for (uint32_t i = 0; i < sizeof of_games / sizeof *of_games; ++i) {
        if (cli_has(call, of_games[i])) {
            cli_wrong_usage(call, "%s goes with --glb game", of_games[i]);
            return false;
        }
    }
    return true;
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
    if (!check_no_game(call) || !cli_check_sets(call) || !cli_check_motion(call) ||
        !parse_glb(call, &desc) || !parse_round(call, &desc) ||
        !cli_parse_frames(call, 0, &desc.first, &desc.last)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session;
    cli_clips further = {0};
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    sn_frame_show_only(session.frame, true);
    desc.motion = session.motion;
    app_choose_layers(session.model, cli_has(call, "--bones"), cli_has(call, "--muscles"), &desc);
    desc.report_path = cli_value(call, "--report", NULL);
    cli_parse_frames(call, cli_last_frame(&session), &desc.first, &desc.last);
    SN_TRY(open_further(call, &session, &desc, &further, &error));
    SN_TRY(sn_bake(session.frame, &desc, path, &session.progress.progress, &error));
    cli_progress_end(&session.progress);
    tell(call, &session, &desc);
cleanup:
    cli_clips_close(&further);
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
        "be played as it is: `sinew run human.glb --motion walk.bvh -o walk.glb`. A skinned .glb\n"
        "keeps all clips unless --motion, --frames or --report picks one. If the document shows "
        "no\n"
        "skin, bones, tissues and muscles are written. Without -o only the report is written.\n"
        "\n"
        "example: sinew run examples/arm/arm.sinew.json --motion curl -o curl.glb\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
