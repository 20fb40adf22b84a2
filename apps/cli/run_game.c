// SPDX-License-Identifier: Apache-2.0
//
// `sinew run --glb game`: a character for game engines, with all its clips.
#include "run_game.h"

#include "pairing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct clips {
    uint32_t count;
    sn_motion **motions;
    sn_game_distance *distances;
} clips;

// Every --motion, else every clip of the document.
static const char *clip_name(const cli_call *call, const sn_model *model, uint32_t index) {
    bool named = cli_has(call, "--motion");
    for (uint32_t i = 0; named && i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--motion") == 0 && index-- == 0) {
            return call->option_values[i];
        }
    }
    return !named && index < sn_model_clip_count(model) ? sn_model_clip_name(model, index) : NULL;
}

static sn_status open_clips(const cli_call *call, const sn_model *model, const sn_pair_edits *edits,
                            clips *c, sn_error *error) {
    sn_motion_desc desc = cli_motion_desc(call, edits);
    uint32_t count = 0;
    sn_status status = SN_OK;
    while (clip_name(call, model, count) != NULL) {
        ++count;
    }
    c->motions = calloc(count + 1, sizeof *c->motions);
    c->distances = calloc(count + 1, sizeof *c->distances);
    if (c->motions == NULL || c->distances == NULL) {
        return app_fail_memory(error);
    }
    for (; c->count < count; ++c->count) {
        const char *name = clip_name(call, model, c->count);
        SN_TRY(sn_motion_open_with(model, name, &desc, &c->motions[c->count], error));
        if (name != cli_value(call, "--motion", name)) { // the session has told of the last one
            SN_TRY(cli_tell_pairing(call, model, c->motions[c->count], edits, name, SN_OK, error));
        }
    }
cleanup:
    return status;
}

static void close_clips(clips *c) {
    for (uint32_t i = 0; c->motions != NULL && i < c->count; ++i) {
        sn_motion_destroy(c->motions[i]);
    }
    free(c->motions);
    free(c->distances);
}

static void tell(const char *path, const clips *c, const sn_game_report *report) {
    struct stat info;
    double megabytes = stat(path, &info) == 0 ? (double)info.st_size / 1e6 : 0;
    printf("%s: %u clip%s, %u frame%s, %u morph target%s, %.1f MB", path, c->count, cli_s(c->count),
           report->frame_count, cli_s(report->frame_count), report->target_count,
           cli_s(report->target_count), megabytes);
    if (report->fitted_count > 0) {
        printf("; weights of %u skin%s fitted to the motion", report->fitted_count,
               cli_s(report->fitted_count));
    }
    printf("\n");
    for (uint32_t i = 0; i < c->count; ++i) {
        const sn_game_distance *d = &c->distances[i];
        printf("clip %s: off by %.3g mm on average, 99 %% of the points by at most %.3g mm, all by "
               "at most %.3g mm\n",
               sn_motion_name(c->motions[i]), 1e3 * d->mean, 1e3 * d->most, 1e3 * d->largest);
    }
    if (report->error > report->bound) {
        printf("the error of %.3g mm is above the %.3g mm asked for: allow more --targets\n",
               1e3 * report->error, 1e3 * report->bound);
    }
}

static uint32_t count_motions(const cli_call *call) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        count += strcmp(call->option_names[i], "--motion") == 0;
    }
    return count;
}

bool cli_parse_game(const cli_call *call, sn_game_desc *desc) {
    static const char *const unfit[] = {"--frames", "--bones", "--muscles", "--report"};
    double millimetres;
    for (uint32_t i = 0; i < sizeof unfit / sizeof *unfit; ++i) {
        if (cli_has(call, unfit[i])) {
            cli_wrong_usage(call, "%s does not go with --glb game", unfit[i]);
            return false;
        }
    }
    if ((cli_has(call, "--map") || cli_has(call, "--pairing")) && count_motions(call) != 1) {
        cli_wrong_usage(call, "--map and --pairing are about one clip: give one --motion");
        return false;
    }
    if (!cli_has(call, "-o")) {
        cli_wrong_usage(call, "--glb game needs -o OUT.glb");
        return false;
    }
    *desc = sn_game_desc_default();
    if (!cli_parse_double(call, "--error", 0, 0, 1e6, &millimetres) ||
        !cli_parse_uint(call, "--targets", SN_NONE, 0, 256, &desc->targets)) {
        return false;
    }
    desc->error = millimetres / 1e3;
    return true;
}

sn_status cli_run_game(const cli_call *call, cli_session *session, sn_game_desc *desc,
                       sn_error *error) {
    const char *path = cli_value(call, "-o", NULL);
    clips c = {0};
    sn_game_report report = {0};
    sn_status status = SN_OK;
    if (cli_has(call, "--skin")) {
        SN_TRY(cli_find_skin(call, session->model, &desc->surface, error));
    }
    SN_TRY(open_clips(call, session->model, session->edits, &c, error));
    desc->motion_count = c.count;
    desc->motions = (const sn_motion *const *)c.motions;
    report.clips = c.distances;
    SN_TRY(sn_bake_game(session->frame, desc, path, &session->progress.progress, &report, error));
    cli_progress_end(&session->progress);
    tell(path, &c, &report);
cleanup:
    close_clips(&c);
    return status;
}
