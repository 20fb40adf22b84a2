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

// Whether the command line names a surface; true where it names none at all.
static bool wants(const cli_call *call, const char *name) {
    bool any = false;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--part") == 0) {
            any = true;
            if (strcmp(call->option_values[i], name) == 0) {
                return true;
            }
        }
    }
    return !any;
}

static bool is_part(const sn_surface *surface) {
    return surface->layer != SN_LAYER_SKIN && !surface->feature;
}

static sn_status check_names(const cli_call *call, const sn_model *model, sn_error *error) {
    for (uint32_t i = 0; i < call->option_count; ++i) {
        bool found = strcmp(call->option_names[i], "--part") != 0;
        for (uint32_t k = 0; k < sn_model_surface_count(model) && !found; ++k) {
            const sn_surface *surface = sn_model_surface(model, k);
            found = is_part(surface) && strcmp(surface->name, call->option_values[i]) == 0;
        }
        if (!found) {
            return fail(error, call->arguments[0], "there is no bone, tissue or muscle \"%s\"",
                        call->option_values[i]);
        }
    }
    return SN_OK;
}

// The parts of the body; those that are open and not asked for are left out, with a line each.
static sn_status collect(const cli_call *call, const cli_session *session, sn_extract_part *parts,
                         uint32_t *count, sn_error *error) {
    const sn_model *model = session->model;
    bool named = cli_has(call, "--part");
    *count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (!is_part(surface) || !wants(call, surface->name)) {
            continue;
        }
        const sn_mat4 *place =
            surface->in_segment_frame ? &sn_model_rest_worlds(model)[surface->segment] : NULL;
        sn_extract_part part = {.name = surface->name,
                                .mesh = surface->mesh,
                                .ellipsoid = surface->ellipsoid,
                                .place = place,
                                .density =
                                    surface->layer == SN_LAYER_TISSUE ? surface->density : 1};
        sn_error reason = {0};
        sn_status status = sn_extract_check(session->context, &part, &reason);
        if (status == SN_OK) {
            parts[(*count)++] = part;
        } else if (status == SN_INVALID && !named) {
            printf("left out \"%s\": %s\n", part.name, reason.message);
        } else {
            *error = reason;
            snprintf(error->source, sizeof error->source, "%s", call->arguments[0]);
            snprintf(error->place, sizeof error->place, "%s", part.name);
            return status;
        }
    }
    return *count > 0
               ? SN_OK
               : fail(error, call->arguments[0], "there is no closed bone, tissue or muscle%s", "");
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
    bool done = sn_json_add_string(json, made[0], "file", file) != NULL &&
                sn_json_add_string(json, made[1], "mesh", name) != NULL;
    sn_value *membrane = done ? sn_json_add_object(json, deformers, NULL) : NULL;
    done = done && sn_json_add_string(json, membrane, "kind", "membrane") != NULL;
    if (!done || !cli_has(call, "--part")) {
        return done;
    }
    sn_value *names = sn_json_add_array(json, membrane, "components");
    for (uint32_t i = 0; i < call->option_count && done; ++i) {
        if (strcmp(call->option_names[i], "--part") == 0) {
            done = sn_json_add_string(json, names, NULL, call->option_values[i]) != NULL;
        }
    }
    return done;
}

// Writes the document; making its model first tells whether it works.
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
    if (!cli_name_file(call, path, skin, file)) {
        return fail(error, path, "%s", strerror(errno));
    }
    sn_status status = add_skin(json, name, file, call)
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

static void tell(const cli_call *call, const sn_mesh *skin, const sn_extract_desc *desc,
                 const sn_extract_report *report) {
    const char *path = cli_value(call, "-o", "");
    printf("%s: %u vertices, %u triangles around %u parts; %u x %u x %u nodes, %.3g apart\n", path,
           skin->vertex_count, skin->face_count, desc->part_count, report->nodes[0],
           report->nodes[1], report->nodes[2], report->spacing);
    if (report->piece_count > 1) {
        printf("of %u pieces the largest is kept: %.1f %% of the volume\n", report->piece_count,
               100 * report->kept_volume / report->volume);
    }
    if (report->thin_count > 0) {
        printf(
            "%u parts are too thin for the grid and melt away, such as \"%s\": raise --dimension "
            "or lower --threshold\n",
            report->thin_count, desc->parts[report->thin_part].name);
    }
    if (!cli_has(call, "--document")) {
        printf("to use it: --document NEW, or in the document\n"
               "  \"meshes\": {\"%s\": {\"file\": \"%s\"}}\n"
               "  \"skins\": {\"%s\": {\"mesh\": \"%s\", \"deformers\": [{\"kind\": "
               "\"membrane\"}]}}\n",
               desc->name, path, desc->name, desc->name);
    }
}

static sn_status extract(const cli_call *call, cli_session *session, sn_extract_desc *desc,
                         sn_error *error) {
    sn_mesh *skin = NULL;
    sn_extract_report report;
    const char *path = cli_value(call, "-o", "");
    sn_extract_part *parts =
        calloc((size_t)sn_model_surface_count(session->model) + 1, sizeof *parts);
    sn_status status =
        parts != NULL ? check_names(call, session->model, error) : cli_fail_memory(error);
    if (status == SN_OK) {
        status = collect(call, session, parts, &desc->part_count, error);
    }
    desc->parts = parts;
    desc->name = cli_value(call, "--name", "extracted");
    if (status == SN_OK) {
        status = sn_extract_skin(session->context, desc, &session->progress.progress, &skin,
                                 &report, error);
        if (status != SN_OK && error->source[0] == 0) {
            snprintf(error->source, sizeof error->source, "%s", call->arguments[0]);
        }
    }
    cli_progress_end(&session->progress);
    if (status == SN_OK) {
        status = sn_export_mesh(skin, path, error);
    }
    if (status == SN_OK) {
        tell(call, skin, desc, &report);
    }
    if (status == SN_OK && cli_has(call, "--document")) {
        status = write_document(call, session, path, error);
        if (status != SN_OK) {
            remove(path);
        }
    }
    sn_mesh_destroy(skin);
    free(parts);
    return status;
}

static int run(const cli_call *call) {
    sn_extract_desc desc = sn_extract_desc_default();
    if (cli_value(call, "-o", NULL) == NULL) {
        return cli_wrong_usage(call, "needs -o SKIN");
    }
    if (!cli_parse_uint(call, "--dimension", desc.dimension, 8, 4096, &desc.dimension) ||
        !cli_parse_double(call, "--filter", desc.filter, 0, 100, &desc.filter) ||
        !cli_parse_double(call, "--threshold", desc.threshold, 0, 200, &desc.threshold)) {
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
    .details = "The parts fill a grid, the grid is smoothed, and the skin is where the density "
               "has the threshold.\n\n"
               "example: sinew extract arm.sinew.json -o skin.glb --document skinned.sinew.json\n"
               "         sinew render skinned.sinew.json --frame 30 -o bent.png\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
