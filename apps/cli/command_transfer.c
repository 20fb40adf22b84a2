// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"-o", "OUT", "the document to write", false},
    {"--landmarks", "FILE", "landmarks on the head; those that it lacks are proposed", false},
    {"--no-propose", NULL, "fails where a landmark is missing, in place of proposing it", false},
    {"--proposed", "FILE", "writes the head's landmarks, to edit and give to --landmarks", false},
    {"--source-landmarks", "FILE",
     "landmarks of the source on bones and skin (default: those of its document)", false},
    {"--mesh", "NAME", "the mesh of the head's file (default: the one with the most faces)", false},
    {"--skin", "SKIN", "the skin of the source that the head replaces (default: with landmarks)",
     false},
    {"--meshes", "FOLDER", "where fitted meshes go (default: OUT without .sinew.json)", false},
    {"--depths", "FILE", "a table of tissue depths (default: the one that comes with sinew)",
     false},
    {"--adults", "all|male|female", "whose depths are used (default: all)", false},
    {"--method", "spline|chain", "how bones first follow landmarks (default: spline)", false},
    {"--no-settle", NULL, "leaves bones between landmarks where these put them", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// The number of a value among some, from 0; prints what is wrong and returns false.
static bool parse_choice(const cli_call *call, const char *option, const char *const *choices,
                         const char *names, uint32_t *chosen) {
    const char *text = cli_value(call, option, choices[0]);
    for (*chosen = 0; choices[*chosen] != NULL; ++*chosen) {
        if (strcmp(choices[*chosen], text) == 0) {
            return true;
        }
    }
    cli_wrong_usage(call, "%s is %s, not \"%s\"", option, names, text);
    return false;
}

static bool parse(const cli_call *call, sn_character_transfer_desc *desc) {
    static const char *const adults[] = {"all", "male", "female", NULL};
    static const char *const methods[] = {"spline", "chain", NULL};
    sn_import_desc how;
    uint32_t column, method;
    if (cli_value(call, "-o", NULL) == NULL) {
        cli_wrong_usage(call, "needs -o OUT");
        return false;
    }
    if (!cli_parse_axes(call, &how) ||
        !parse_choice(call, "--adults", adults, "all, male or female", &column) ||
        !parse_choice(call, "--method", methods, "spline or chain", &method)) {
        return false;
    }
    *desc = sn_character_transfer_desc_default();
    desc->head = call->arguments[1];
    desc->head_mesh = cli_value(call, "--mesh", NULL);
    desc->unit = how.unit;
    desc->z_up = how.z_up;
    desc->skin = cli_value(call, "--skin", NULL);
    desc->propose = !cli_has(call, "--no-propose");
    desc->settle = !cli_has(call, "--no-settle");
    desc->column = (sn_depth_column)column;
    desc->method = (sn_transfer_method)method;
    return true;
}

// Where the meshes go, made where it is not there.
static sn_status make_folder(const cli_call *call, const char *path, char folder[APP_PATH_BYTES],
                             bool *is_new, sn_error *error) {
    static const char *const endings[] = {".sinew.json", ".json"};
    size_t length = strlen(path);
    for (int i = 0; i < 2; ++i) {
        size_t ending = strlen(endings[i]);
        if (length == strlen(path) && length > ending &&
            strcmp(path + length - ending, endings[i]) == 0) {
            length -= ending;
        }
    }
    bool bare = length == strlen(path);
    int size = snprintf(folder, APP_PATH_BYTES, "%.*s%s", (int)length, path, bare ? "_meshes" : "");
    const char *asked = cli_value(call, "--meshes", NULL);
    if (asked != NULL) {
        size = snprintf(folder, APP_PATH_BYTES, "%s", asked);
    }
    if (size >= APP_PATH_BYTES) {
        return app_fail(error, SN_LIMIT, path, "the path is too long");
    }
    *is_new = !app_is_folder(folder);
    return app_make_folder(folder, error);
}

static void print_doubts(const sn_landmarks *landmarks) {
    for (uint32_t i = 0; i < landmarks->count; ++i) {
        const sn_landmark *l = &landmarks->items[i];
        if (l->doubted != NULL) {
            fprintf(stderr, "warning: the landmark \"%s\" may be wrong by %.0f mm: %s\n", l->name,
                    l->doubt * 1000, l->doubted);
        }
    }
}

static void print_muscles(const sn_character_transfer_report *r) {
    uint32_t pushed = 0;
    for (uint32_t i = 0; i < r->muscle_count; ++i) {
        const sn_transferred_muscle *m = &r->muscles[i];
        pushed += m->pushed > 0;
        if (m->outside == 0 && m->in_bone == 0 && m->flipped == 0) {
            continue;
        }
        fprintf(stderr, "warning: the muscle \"%s\" has %u %s outside of the skin", m->name,
                m->outside, m->has_mesh ? "vertices" : "points");
        if (m->has_mesh) {
            fprintf(stderr, ", %u in bones, and %u triangles turned over, of %u vertices",
                    m->in_bone, m->flipped, m->vertex_count);
        }
        fprintf(stderr, "\n");
    }
    printf("%u muscle%s, %u of them moved aside to stay between bones and skin\n", r->muscle_count,
           cli_s(r->muscle_count), pushed);
}

static void print_report(const cli_call *call, const sn_character_transfer_report *r,
                         const char *path) {
    const sn_transfer_report *fit = &r->fit;
    print_doubts(r->landmarks);
    if (!call->quiet) {
        if (r->unit != 1 || r->z_up) {
            printf("the head is in units of %g m%s\n", r->unit, r->z_up ? ", with Z up" : "");
        }
        if (r->proposal != NULL) {
            uint32_t given = 0;
            for (uint32_t i = 0; i < r->landmarks->count; ++i) {
                given += r->landmarks->items[i].doubt == 0;
            }
            printf("%u landmarks: %u given, %u proposed (%u in doubt)\n", r->landmarks->count,
                   given, r->landmarks->count - given, r->proposal->doubted_count);
        }
        printf("landmarks on bones are within %.2f mm of their places\n",
               fit->landmark_error * 1000);
        printf("%u of %u vertices of bones and teeth are outside of the skin\n", fit->outside,
               fit->bone_count);
        printf("tissue depth between landmarks: %.1f %% of %u vertices beyond the tolerance, mean "
               "difference %.1f %%\n",
               fit->covered > 0 ? 100.0 * fit->wrong / fit->covered : 0, fit->covered,
               100 * fit->depth_error);
        for (uint32_t i = 0; i < r->note_count; ++i) {
            fprintf(stderr, "note: %s\n", r->notes[i]);
        }
    }
    if (fit->outside > 0) {
        fprintf(stderr, "warning: bones or teeth stand up to %.1f mm out of the skin\n",
                fit->farthest * 1000);
    }
    if (fit->flipped > 0) {
        fprintf(stderr, "warning: %u triangles of bones are turned over\n", fit->flipped);
    }
    if (!call->quiet) {
        print_muscles(r);
        printf("%s\n", path);
    }
}

// What the files of the options hold.
typedef struct files {
    sn_landmarks *landmarks, *source_landmarks;
    sn_depth_table *depths;
} files;

static sn_status read_files(const cli_call *call, sn_context *context, files *f,
                            sn_character_transfer_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    const char *landmarks = cli_value(call, "--landmarks", NULL);
    const char *source = cli_value(call, "--source-landmarks", NULL);
    const char *depths = cli_value(call, "--depths", NULL);
    if (landmarks != NULL) {
        SN_TRY(sn_landmarks_read(context, landmarks, &f->landmarks, error));
    }
    if (source != NULL) {
        SN_TRY(sn_landmarks_read(context, source, &f->source_landmarks, error));
    }
    if (depths != NULL) {
        SN_TRY(sn_depth_table_read(context, depths, &f->depths, error));
    }
    desc->head_landmarks = f->landmarks;
    desc->landmarks = f->source_landmarks;
    desc->depths = f->depths;
cleanup:
    return status;
}

static int run(const cli_call *call) {
    sn_character_transfer_desc desc;
    if (!parse(call, &desc)) {
        return CLI_USAGE;
    }
    const char *path = cli_value(call, "-o", NULL), *proposed = cli_value(call, "--proposed", NULL);
    char folder[APP_PATH_BYTES];
    bool is_new = false;
    sn_error error = {0};
    files f = {0};
    sn_character *source = NULL, *made = NULL;
    sn_character_transfer_report *report = NULL;
    cli_progress progress;
    sn_status status = SN_OK;
    cli_progress_begin(call, &progress);
    sn_context *context = cli_context(call, &error);
    SN_TRY(error.status);
    SN_TRY(read_files(call, context, &f, &desc, &error));
    SN_TRY(sn_character_load(context, call->arguments[0], &source, &error));
    SN_TRY(make_folder(call, path, folder, &is_new, &error));
    desc.folder = folder;
    SN_TRY(sn_character_transfer(source, &desc, path, &progress.progress, &made, &report, &error));
    if (proposed != NULL) {
        SN_TRY(sn_landmarks_write(report->landmarks, proposed, &error));
    }
    SN_TRY(cli_save_character(made, path, &error));
    cli_progress_end(&progress);
    print_report(call, report, path);
cleanup:
    cli_progress_end(&progress);
    if (status != SN_OK && is_new) {
        rmdir(folder); // where nothing was written yet
    }
    sn_character_transfer_report_destroy(report);
    sn_character_destroy(made);
    sn_character_destroy(source);
    sn_landmarks_destroy(f.landmarks);
    sn_landmarks_destroy(f.source_landmarks);
    sn_depth_table_destroy(f.depths);
    sn_context_destroy(context);
    return cli_end(status, &error);
}

const cli_command cli_transfer = {
    .name = "transfer",
    .arguments = "SOURCE HEAD -o OUT",
    .summary = "fits skull, muscles, jaw and eyes of a head into another head",
    .details =
        "SOURCE is a document with a skull, landmarks on its bones (\"nasion bone\", \"gonion "
        "bone.L\")\n"
        "and skin (\"nasion\", \"gonion.L\"). HEAD is a model of any topology, size and pose: a "
        "head, a bust\n"
        "or a body. Landmarks of it are {\"landmarks\": {\"nasion\": [x, y, z] or a vertex, "
        "...}}.\n"
        "The skin of OUT is HEAD's mesh with its vertices in their order.\n"
        "\n"
        "example: sinew transfer head.sinew.json scan.obj --proposed scan.landmarks.json -o "
        "scan.sinew.json\n"
        "         sinew render scan.sinew.json --show bones,skin -o scan.png\n",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
