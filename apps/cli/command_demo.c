// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "picture.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"-o", "DIR", "folder for the results (default: build/demo)", false},
    CLI_QUALITY_OPTION,
    {0},
};

enum { FRAMES_PER_CLIP = 5, PATH_BYTES = 4096, MAX_NAMES = 256 };

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Names of the folders that hold a document of their own name, sorted.
static uint32_t list_examples(char *names[MAX_NAMES]) {
    DIR *folder = opendir(cli_examples_folder());
    uint32_t count = 0;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s/%s.sinew.json", cli_examples_folder(), entry->d_name,
                 entry->d_name);
        if (entry->d_name[0] != '.' && count < MAX_NAMES && access(path, R_OK) == 0) {
            names[count] = strdup(entry->d_name);
            count += names[count] != NULL;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    qsort(names, count, sizeof *names, compare_names);
    return count;
}

// What lies inside is shown through the skin where there are muscles on bones; elsewhere a solid
// skin looks best. Long characters get wide pictures.
static void choose_look(const sn_model *model, sn_portrait_desc *desc) {
    sn_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    bool bones = false, muscles = false, first = true;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        sn_vec3 least, most;
        sn_mesh_bounds(surface->mesh, &least, &most);
        low = first ? least : sn_vec3_min(low, least);
        high = first ? most : sn_vec3_max(high, most);
        first = false;
        bones = bones || surface->layer == SN_LAYER_BONE;
        muscles = muscles || surface->layer == SN_LAYER_MUSCLE;
    }
    sn_vec3 size = sn_vec3_sub(high, low);
    bool wide = fmax(size.x, size.z) > 1.5 * size.y;
    desc->width = wide ? 440 : 380;
    desc->height = wide ? 380 : 460;
    desc->bones = true;
    desc->muscles = desc->tissues = bones && muscles;
    desc->skin_opacity = desc->muscles ? 0.5 : 1;
}

// One row per clip, FRAMES_PER_CLIP frames each.
static sn_status draw_clips(cli_session *session, const sn_portrait_desc *quality, const char *path,
                            sn_error *error) {
    const sn_model *model = session->model;
    uint32_t clip_count = sn_model_clip_count(model), shot_count = 0;
    sn_motion **motions = calloc(clip_count + 1, sizeof *motions);
    cli_shot *shots = calloc((clip_count + 1) * FRAMES_PER_CLIP, sizeof *shots);
    sn_image *image = NULL;
    sn_status status = SN_OK;
    SN_TRY(motions != NULL && shots != NULL ? SN_OK : app_fail_memory(error));
    for (uint32_t c = 0; c < clip_count; ++c) {
        SN_TRY(sn_motion_open(model, sn_model_clip_name(model, c), &motions[c], error));
        cli_space_shots(motions[c], 0, sn_motion_frame_count(motions[c]) - 1, FRAMES_PER_CLIP,
                        &shots[shot_count]);
        shot_count += FRAMES_PER_CLIP;
    }
    sn_portrait_desc desc = *quality;
    choose_look(model, &desc);
    SN_TRY(cli_draw_sheet(session->frame, &desc, shots, shot_count > 0 ? shot_count : 1,
                          FRAMES_PER_CLIP, sn_model_name(model), &session->progress.progress,
                          &image, error));
    SN_TRY(sn_image_write_png(image, path, error));
cleanup:
    sn_image_destroy(image);
    for (uint32_t c = 0; motions != NULL && c < clip_count; ++c) {
        sn_motion_destroy(motions[c]);
    }
    free(motions);
    free(shots);
    return status;
}

static sn_status run_example(const cli_call *call, const sn_portrait_desc *quality,
                             const char *name, const char *folder, sn_error *error) {
    char document[PATH_BYTES], output[PATH_BYTES], path[PATH_BYTES + 256], report[PATH_BYTES + 256];
    snprintf(document, sizeof document, "%s/%s/%s.sinew.json", cli_examples_folder(), name, name);
    snprintf(output, sizeof output, "%s/%s", folder, name);
    cli_session session;
    sn_bake_desc desc = sn_bake_desc_default();
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, document, &session, error));
    SN_TRY(app_make_folder(output, error));
    snprintf(path, sizeof path, "%s/%s.glb", output, name);
    snprintf(report, sizeof report, "%s/report.json", output);
    desc.motion = session.motion;
    desc.last = cli_last_frame(&session);
    desc.report_path = report;
    SN_TRY(sn_bake(session.frame, &desc, path, &session.progress.progress, error));
    snprintf(path, sizeof path, "%s/%s.png", output, name);
    SN_TRY(draw_clips(&session, quality, path, error));
    cli_progress_end(&session.progress);
    printf("%s/%s: %s.glb, %s.png, report.json\n", folder, name, name, name);
    fflush(stdout);
cleanup:
    cli_session_close(&session);
    return status;
}

static int run(const cli_call *call) {
    const char *folder = cli_value(call, "-o", "build/demo");
    const char *wanted = call->argument_count > 0 ? call->arguments[0] : NULL;
    sn_portrait_desc quality = sn_portrait_desc_default();
    if (!cli_parse_quality(call, &quality)) {
        return CLI_USAGE;
    }
    char *names[MAX_NAMES];
    uint32_t count = list_examples(names);
    sn_error error = {0};
    sn_status status = SN_OK;
    bool found = false;
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        if (wanted == NULL || strcmp(names[i], wanted) == 0) {
            found = true;
            status = run_example(call, &quality, names[i], folder, &error);
        }
    }
    if (!found && wanted != NULL) {
        fprintf(stderr, "sinew: there is no shipped character \"%s\"; choose one of:", wanted);
        for (uint32_t i = 0; i < count; ++i) {
            fprintf(stderr, " %s", names[i]);
        }
        fprintf(stderr, "\n");
    } else if (!found) {
        fprintf(stderr, "sinew: no characters in %s (set SINEW_EXAMPLES)\n", cli_examples_folder());
    }
    for (uint32_t i = 0; i < count; ++i) {
        free(names[i]);
    }
    return found ? cli_end(status, &error) : CLI_FAILED;
}

const cli_command cli_demo = {
    .name = "demo",
    .arguments = "[NAME] [-o DIR]",
    .summary = "animates the shipped characters and writes models, pictures and reports",
    .details =
        "Writes DIR/NAME/NAME.glb, a contact sheet NAME.png and report.json for each character.\n\n"
        "example: sinew demo arm\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
