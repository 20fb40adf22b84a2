// SPDX-License-Identifier: Apache-2.0
//
// `sinew run --glb game`: a character for game engines, with all its clips.
#include "run_game.h"

#include "run_clips.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void tell(const char *path, const cli_clips *c, const sn_game_report *report) {
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
        const sn_game_distance *d = &report->clips[i];
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
    cli_clips c = {0};
    sn_game_report report = {0};
    sn_status status = SN_OK;
    if (cli_has(call, "--skin")) {
        SN_TRY(cli_find_skin(call, session->model, &desc->surface, error));
    }
    SN_TRY(cli_clips_open(call, session, 0, &c, error));
    report.clips = calloc(c.count + (size_t)1, sizeof *report.clips);
    SN_TRY(report.clips != NULL ? SN_OK : app_fail_memory(error));
    desc->motion_count = c.count;
    desc->motions = (const sn_motion *const *)c.motions;
    SN_TRY(sn_bake_game(session->frame, desc, path, &session->progress.progress, &report, error));
    cli_progress_end(&session->progress);
    tell(path, &c, &report);
cleanup:
    free(report.clips);
    cli_clips_close(&c);
    return status;
}
