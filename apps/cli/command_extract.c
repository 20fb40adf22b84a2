// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "SKIN", "the skin to write: .obj, .glb, ...", false},
    {"--dimension", "N", "largest number of grid nodes along an axis (default: 225)", false},
    {"--filter", "X", "standard deviation of the smoothing, in nodes (default: 3.2)", false},
    {"--threshold", "X", "density of the skin; 200 within the parts (default: 35)", false},
    {"--relax", "N", "rounds that even out the triangles (default: 3)", false},
    {"--enlarge", "SEGMENT=X", "makes a segment larger meanwhile, for its details", true},
    {"--part", "NAME", "a bone, tissue or muscle to take (default: all that are closed)", true},
    {"--name", "NAME", "of the skin and its mesh in the document (default: extracted)", false},
    {"--document", "NEW", "writes a document in which the skin moves by `membrane`", false},
    {0},
};

static sn_status fail(sn_error *error, const char *source, const char *format, const char *name) {
    error->status = SN_INVALID;
    snprintf(error->source, sizeof error->source, "%s", source);
    snprintf(error->message, sizeof error->message, format, name);
    return SN_INVALID;
}

// The bone, tissue or muscle of a name, SN_NONE where there is none.
static uint32_t find_part(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (surface->layer != SN_LAYER_SKIN && !surface->feature &&
            strcmp(surface->name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

// Whether the part behind `count` others is one of them.
static bool is_listed(const uint32_t *parts, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (parts[i] == parts[count]) {
            return true;
        }
    }
    return false;
}

// The parts that the command line names, each once.
static sn_status list_parts(const cli_call *call, const sn_model *model, uint32_t *parts,
                            uint32_t *count, sn_error *error) {
    *count = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--part") == 0) {
            parts[*count] = find_part(model, call->option_values[i]);
            if (parts[*count] == SN_NONE) {
                return fail(error, call->arguments[0], "there is no bone, tissue or muscle \"%s\"",
                            call->option_values[i]);
            }
            *count += !is_listed(parts, *count);
        }
    }
    return SN_OK;
}

// The segments to be enlarged; the names are freed by the caller.
static sn_status list_enlarged(const cli_call *call, sn_model_extract_desc *desc,
                               sn_segment_factor *enlarge, sn_error *error) {
    desc->enlarge = enlarge;
    desc->enlarge_count = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        char name[CLI_NAME_BYTES];
        double factor;
        if (strcmp(call->option_names[i], "--enlarge") != 0 ||
            !cli_parse_set(call->option_values[i], name, sizeof name, &factor)) {
            continue;
        }
        char *copy = malloc(strlen(name) + 1);
        if (copy == NULL) {
            return cli_fail_memory(error);
        }
        memcpy(copy, name, strlen(name) + 1);
        enlarge[desc->enlarge_count++] = (sn_segment_factor){copy, factor};
    }
    return SN_OK;
}

static void print_line(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)level;
    (void)topic;
    cli_progress_end(user);
    printf("%s\n", message);
}

// The names that the command line gives, as a list; nothing where it gives none.
static bool add_parts(sn_json *json, sn_value *object, const char *key, const cli_call *call) {
    sn_value *names = cli_has(call, "--part") ? sn_json_add_array(json, object, key) : NULL;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--part") == 0 &&
            sn_json_add_string(json, names, NULL, call->option_values[i]) == NULL) {
            return false;
        }
    }
    return true;
}

// The segments that the command line enlarges.
static bool add_enlarged(sn_json *json, sn_value *extract, const cli_call *call) {
    sn_value *map =
        cli_has(call, "--enlarge") ? sn_json_add_object(json, extract, "enlarge") : NULL;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        char name[CLI_NAME_BYTES];
        double factor;
        if (strcmp(call->option_names[i], "--enlarge") == 0 &&
            cli_parse_set(call->option_values[i], name, sizeof name, &factor) &&
            sn_json_add_number(json, map, name, factor) == NULL) {
            return false;
        }
    }
    return true;
}

// The mesh: of a file, or made anew from what the command line says.
static bool add_mesh(sn_json *json, sn_value *mesh, const char *file, const cli_call *call) {
    static const char *const keys[] = {"dimension", "filter", "threshold", "relax"};
    if (file != NULL) {
        return sn_json_add_string(json, mesh, "file", file) != NULL;
    }
    sn_value *extract = sn_json_add_object(json, mesh, "extract");
    bool done = extract != NULL;
    for (int i = 0; i < 4; ++i) {
        char option[16];
        double value;
        snprintf(option, sizeof option, "--%s", keys[i]);
        const char *text = cli_value(call, option, NULL);
        done = done && (text == NULL || !cli_text_to_double(text, &value) ||
                        sn_json_add_number(json, extract, keys[i], value) != NULL);
    }
    return done && add_enlarged(json, extract, call) && add_parts(json, extract, "parts", call);
}

// Adds the skin, and hides those that were shown.
static bool add_skin(sn_json *json, const char *name, const char *file, const cli_call *call) {
    sn_value *root = sn_json_root(json);
    const char *const sections[] = {"meshes", "skins"};
    sn_value *made[2];
    for (int i = 0; i < 2; ++i) {
        sn_value *section = (sn_value *)sn_value_get(root, sections[i]);
        for (uint32_t k = 0; i == 1 && k < sn_value_count(section); ++k) {
            if (sn_json_add_bool(json, (sn_value *)sn_value_at(section, k), "show", false) ==
                NULL) {
                return false;
            }
        }
        section = section != NULL ? section : sn_json_add_object(json, root, sections[i]);
        made[i] = sn_json_add_object(json, section, name);
    }
    sn_value *deformers = sn_json_add_array(json, made[1], "deformers");
    bool done = add_mesh(json, made[0], file, call) &&
                sn_json_add_string(json, made[1], "mesh", name) != NULL;
    sn_value *membrane = done ? sn_json_add_object(json, deformers, NULL) : NULL;
    return done && sn_json_add_string(json, membrane, "kind", "membrane") != NULL &&
           add_parts(json, membrane, "components", call);
}

// Writes the document; making its model first tells whether it works. Without a file the skin is
// extracted whenever a model is made.
static sn_status write_document(const cli_call *call, cli_session *session, const char *skin,
                                sn_error *error) {
    const char *path = cli_value(call, "--document", NULL);
    const char *name = cli_value(call, "--name", "extracted");
    sn_json *json = sn_character_document(session->character);
    const sn_value *root = sn_json_root(json);
    sn_model *model = NULL;
    char file[CLI_PATH_BYTES];
    if (sn_value_get(sn_value_get(root, "skins"), name) != NULL ||
        sn_value_get(sn_value_get(root, "meshes"), name) != NULL) {
        return fail(error, call->arguments[0], "there is a skin or mesh \"%s\" already", name);
    }
    if (skin != NULL && !cli_name_file(call, path, skin, file)) {
        return fail(error, path, "%s", strerror(errno));
    }
    sn_status status = add_skin(json, name, skin != NULL ? file : NULL, call)
                           ? sn_character_check(session->character, error)
                           : cli_fail_memory(error);
    if (status == SN_OK) {
        status = sn_model_create(session->character, NULL, &model, error);
    }
    if (status == SN_OK) {
        status = sn_character_save(session->character, path, error);
    }
    if (status == SN_OK) {
        printf("%s: the skin \"%s\" moves by `membrane`; other skins are hidden\n", path, name);
    }
    sn_model_destroy(model);
    return status;
}

static void tell(const cli_call *call, const sn_mesh *skin, const sn_extract_report *report) {
    const char *path = cli_value(call, "-o", cli_value(call, "--document", ""));
    printf("%s: %u vertices, %u triangles around %u parts; %u x %u x %u nodes, %.3g apart\n", path,
           skin->vertex_count, skin->face_count, report->part_count, report->nodes[0],
           report->nodes[1], report->nodes[2], report->spacing);
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
    if (status != SN_OK && error->source[0] == 0) {
        snprintf(error->source, sizeof error->source, "%s", call->arguments[0]);
    }
    cli_progress_end(&session->progress);
    if (status == SN_OK && path != NULL) {
        status = sn_export_mesh(skin, path, error);
    }
    if (status == SN_OK) {
        tell(call, skin, &report);
    }
    sn_mesh_destroy(skin);
    return status;
}

static sn_status extract(const cli_call *call, cli_session *session, sn_model_extract_desc *desc,
                         sn_error *error) {
    const char *path = cli_value(call, "-o", NULL);
    uint32_t *parts = calloc((size_t)call->option_count + 1, sizeof *parts);
    sn_segment_factor *enlarge = calloc((size_t)call->option_count + 1, sizeof *enlarge);
    sn_status status = parts != NULL && enlarge != NULL
                           ? list_parts(call, session->model, parts, &desc->surface_count, error)
                           : cli_fail_memory(error);
    if (status == SN_OK) {
        status = list_enlarged(call, desc, enlarge, error);
    }
    desc->surfaces = cli_has(call, "--part") ? parts : NULL;
    desc->grid.name = cli_value(call, "--name", "extracted");
    desc->tell = print_line;
    desc->tell_user = &session->progress;
    if (status == SN_OK) {
        status = make_skin(call, session, desc, error);
    }
    if (status == SN_OK && cli_has(call, "--document")) {
        status = write_document(call, session, path, error);
        if (status != SN_OK && path != NULL) {
            remove(path);
        }
    }
    for (uint32_t i = 0; enlarge != NULL && i < desc->enlarge_count; ++i) {
        free((char *)enlarge[i].segment);
    }
    free(enlarge);
    free(parts);
    return status;
}

static int run(const cli_call *call) {
    sn_model_extract_desc desc = sn_model_extract_desc_default();
    sn_extract_desc *grid = &desc.grid;
    if (!cli_has(call, "-o") && !cli_has(call, "--document")) {
        return cli_wrong_usage(call, "needs -o SKIN or --document NEW");
    }
    if (!cli_check_sets(call) ||
        !cli_parse_uint(call, "--dimension", grid->dimension, 8, 4096, &grid->dimension) ||
        !cli_parse_double(call, "--filter", grid->filter, 0, 100, &grid->filter) ||
        !cli_parse_double(call, "--threshold", grid->threshold, 0, 200, &grid->threshold) ||
        !cli_parse_uint(call, "--relax", grid->relax, 0, 100, &grid->relax)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session = {0};
    sn_status status = cli_session_open(call, call->arguments[0], &session, &error);
    if (status == SN_OK) {
        status = extract(call, &session, &desc, &error);
    }
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_extract = {
    .name = "extract",
    .arguments = "DOC",
    .summary = "makes a skin around bones, tissues and muscles",
    .details =
        "The parts fill a grid, the grid is smoothed, and the skin is where the density "
        "has the threshold.\n\n"
        "example: sinew extract arm.sinew.json -o skin.glb --document skinned.sinew.json\n"
        "         sinew render skinned.sinew.json --frame 30 -o bent.png\n\n"
        "Without -o the document has the skin's numbers in place of a file, and the skin is\n"
        "made whenever it is opened.\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
