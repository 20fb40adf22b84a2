// SPDX-License-Identifier: Apache-2.0
#include "cli.h"
#include "common/extraction.h"
#include "common/older.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "SKIN", "the skin to write: .obj, .glb, ...", false},
    {"--dimension", "N", "largest number of grid nodes along an axis (default: 225)", false},
    {"--filter", "X", "standard deviation of the smoothing, in nodes (default: 3.2)", false},
    {"--threshold", "X", "density at which the skin lies; inside the parts it is 200 (default: 35)",
     false},
    {"--relax", "N", "number of rounds that even out the triangles (default: 3)", false},
    {"--detail", "X",
     "a second, finer smoothing in nodes, which keeps thin parts (default: 0, none)", false},
    {"--holes", "X", "closes holes through the body up to X metres wide (default: 0)", false},
    {"--enlarge", "SEGMENT=X",
     "enlarges a segment X times while the skin is made, for finer detail", true},
    {"--part", "NAME", "a bone, tissue or muscle to enclose (default: all closed ones)", true},
    {"--name", "NAME", "name of the skin and its mesh in the document (default: extracted)", false},
    {"--document", "NEW", "writes a document in which `membrane` moves the skin", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// What the command line asks for. The names in `enlarge` are freed by the caller.
typedef struct request {
    app_extraction extraction;
    const char **parts;
    sn_segment_factor *enlarge;
} request;

static bool parse_numbers(const cli_call *call, app_extraction *extraction) {
    for (int i = 0; i < APP_EXTRACTION_NUMBERS; ++i) {
        const app_extraction_number *number = &app_extraction_numbers[i];
        char option[16];
        uint32_t whole = 0;
        snprintf(option, sizeof option, "--%s", number->key);
        extraction->given[i] = cli_has(call, option);
        bool good = number->whole ? cli_parse_uint(call, option, 0, (uint32_t)number->low,
                                                   (uint32_t)number->high, &whole)
                                  : cli_parse_double(call, option, 0, number->low, number->high,
                                                     &extraction->numbers[i]);
        if (!good) {
            return false;
        }
        if (number->whole) {
            extraction->numbers[i] = whole;
        }
    }
    return true;
}

static sn_status add_enlarged(request *r, const char *text, sn_error *error) {
    char name[CLI_NAME_BYTES];
    double factor;
    if (!cli_parse_set(text, name, sizeof name, &factor)) {
        return SN_OK;
    }
    char *copy = malloc(strlen(name) + 1);
    if (copy == NULL) {
        return app_fail_memory(error);
    }
    memcpy(copy, name, strlen(name) + 1);
    r->enlarge[r->extraction.enlarge_count++] = (sn_segment_factor){copy, factor};
    return SN_OK;
}

static sn_status take_names(const cli_call *call, request *r, sn_error *error) {
    r->parts = calloc((size_t)call->option_count + 1, sizeof *r->parts);
    r->enlarge = calloc((size_t)call->option_count + 1, sizeof *r->enlarge);
    r->extraction.parts = r->parts;
    r->extraction.enlarge = r->enlarge;
    sn_status status = SN_OK;
    SN_TRY(r->parts != NULL && r->enlarge != NULL ? SN_OK : app_fail_memory(error));
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--part") == 0) {
            r->parts[r->extraction.part_count++] = call->option_values[i];
        } else if (strcmp(call->option_names[i], "--enlarge") == 0) {
            SN_TRY(add_enlarged(r, call->option_values[i], error));
        }
    }
cleanup:
    return status;
}

static void drop_names(request *r) {
    for (uint32_t i = 0; r->enlarge != NULL && i < r->extraction.enlarge_count; ++i) {
        free((char *)r->enlarge[i].segment);
    }
    free(r->enlarge);
    free(r->parts);
}

static void print_line(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)level;
    (void)topic;
    cli_progress_end(user);
    printf("%s\n", message);
}

// Writes the document; making its model first tells whether it works. Without a file the skin is
// extracted whenever a model is made.
static sn_status write_document(const cli_call *call, cli_session *session, const request *r,
                                const char *skin, sn_error *error) {
    const char *path = cli_value(call, "--document", NULL);
    sn_model *model = NULL;
    char file[APP_PATH_BYTES];
    if (skin != NULL && !app_name_file(cli_loaded_document(call), path, skin, file)) {
        return app_fail(error, SN_INVALID, path, "%s", strerror(errno));
    }
    sn_status status = SN_OK;
    SN_TRY(app_extraction_add_skin(&r->extraction, sn_character_document(session->character),
                                   skin != NULL ? file : NULL, call->arguments[0], error));
    SN_TRY(sn_character_check(session->character, error));
    SN_TRY(sn_model_create(session->character, NULL, &model, error));
    SN_TRY(sn_character_save(session->character, path, error));
    printf("%s: `membrane` moves the skin \"%s\"; other skins are hidden\n", path,
           r->extraction.name);
cleanup:
    sn_model_destroy(model);
    return status;
}

static void tell(const cli_call *call, const sn_mesh *skin, const sn_extract_report *report) {
    const char *path = cli_value(call, "-o", cli_value(call, "--document", ""));
    printf("%s: %u vertices, %u triangles around %u parts; %u x %u x %u nodes, %.3g mm apart\n",
           path, skin->vertex_count, skin->face_count, report->part_count, report->nodes[0],
           report->nodes[1], report->nodes[2], 1000 * report->spacing);
    if (!cli_has(call, "--document")) {
        printf("to use it: --document NEW, or in the document\n"
               "  \"meshes\": {\"%s\": {\"file\": \"%s\"}}\n"
               "  \"skins\": {\"%s\": {\"mesh\": \"%s\", \"deformers\": [{\"kind\": "
               "\"membrane\"}]}}\n",
               skin->name, path, skin->name, skin->name);
    }
}

// Extracts the skin, writes it where a path is given, and tells about it.
static sn_status make_skin(const cli_call *call, cli_session *session,
                           const sn_model_extract_desc *desc, sn_error *error) {
    sn_mesh *skin = NULL;
    sn_extract_report report;
    const char *path = cli_value(call, "-o", NULL);
    sn_status status = sn_model_extract_skin(session->model, desc, &session->progress.progress,
                                             &skin, &report, error);
    if (status != SN_OK) {
        if (error->source[0] == 0) {
            snprintf(error->source, sizeof error->source, "%s", call->arguments[0]);
        }
        return status;
    }
    cli_progress_end(&session->progress);
    if (path != NULL) {
        SN_TRY(sn_export_mesh(skin, path, error));
    }
    tell(call, skin, &report);
cleanup:
    sn_mesh_destroy(skin);
    return status;
}

static sn_status extract(const cli_call *call, cli_session *session, request *r, sn_error *error) {
    const char *path = cli_value(call, "-o", NULL);
    sn_model_extract_desc desc;
    app_older older = {0};
    uint32_t *surfaces = calloc((size_t)r->extraction.part_count + 1, sizeof *surfaces);
    sn_status status = SN_OK;
    SN_TRY(surfaces != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(app_extraction_describe(&r->extraction, session->model, call->arguments[0], &desc,
                                   surfaces, error));
    desc.tell = print_line;
    desc.tell_user = &session->progress;
    SN_TRY(app_older_take(&older, path, error));
    SN_TRY(make_skin(call, session, &desc, error));
    if (cli_has(call, "--document")) {
        status = write_document(call, session, r, path, error);
        if (status != SN_OK) {
            app_older_bring_back(&older);
        }
    }
cleanup:
    app_older_free(&older);
    free(surfaces);
    return status;
}

static int run(const cli_call *call) {
    request r = {.extraction.name = cli_value(call, "--name", "extracted")};
    if (!cli_has(call, "-o") && !cli_has(call, "--document")) {
        return cli_wrong_usage(call, "needs -o SKIN or --document NEW");
    }
    if (!cli_check_sets(call) || !parse_numbers(call, &r.extraction)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session = {0};
    sn_status status = SN_OK;
    SN_TRY(take_names(call, &r, &error));
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    SN_TRY(extract(call, &session, &r, &error));
cleanup:
    cli_session_close(&session);
    drop_names(&r);
    return cli_end(status, &error);
}

const cli_command cli_extract = {
    .name = "extract",
    .arguments = "DOC",
    .summary = "makes a skin around bones, tissues and muscles",
    .details = "The parts fill a grid, the grid is smoothed, and the skin is made where the "
               "density equals the\n"
               "threshold. Without -o the document stores the settings of the skin instead of a "
               "file, and the\n"
               "skin is made whenever the document is opened.\n"
               "\n"
               "example: sinew extract arm.sinew.json -o skin.glb --document skinned.sinew.json\n"
               "         sinew render skinned.sinew.json --frame 30 -o bent.png\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
