// SPDX-License-Identifier: Apache-2.0
#include "asked_controls.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"--shape", "FILE", "the skin in the shape to reach; several are a sequence", true},
    {"-o", "NEW", "the document to write, with a clip of the values found", false},
    {"--clip", "NAME", "name of that clip (default: match)", false},
    {"--fps", "N", "with several shapes: shapes per second (default: 30)", false},
    {"--control", "NAME", "a control to find (default: all that nothing computes)", true},
    {"--group", "GROUP", "finds all controls of a group", true},
    {"--parameter", "NAME", "a joint parameter to find as well, such as jaw.rx_deg", true},
    {"--points", "LIST", "vertices that count, such as 0-6705 (default: all)", false},
    {"--ridge", "X", "0 to 1: how much of the match is given up for small values (default: 0.001)",
     false},
    {"--rounds", "N", "rounds at most (default: 6)", false},
    {"--skin", "NAME", "the skin to match (default: the only one that is shown)", false},
    {"--json", NULL, "prints the values as JSON", false},
    {0},
};

typedef struct found {
    const char *file;
    double *values; // of all parameters
    sn_match_report report;
} found;

typedef struct match_work {
    const cli_call *call;
    cli_session session;
    sn_import_desc how; // shapes are read
    sn_match_desc desc;
    double rate;
    uint32_t parameter_count, shape_count;
    sn_pose_parameter *parameters;
    char (*names)[CLI_NAME_BYTES]; // of parameters
    float *weights;
    found *found; // of shapes
} match_work;

static uint32_t count_options(const cli_call *call, const char *option) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        count += strcmp(call->option_names[i], option) == 0;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// What is to be found

static sn_status add_joint(match_work *w, const char *name, sn_error *error) {
    sn_pose_parameter *p = &w->parameters[w->parameter_count];
    sn_name_match how;
    sn_status status = SN_OK;
    SN_TRY(sn_model_match_parameter(w->session.model, name, p, &how, error));
    if (p->control == SN_NONE && !(isfinite(p->low) && isfinite(p->high))) {
        SN_TRY(app_fail(error, SN_INVALID, w->call->arguments[0],
                        "\"%s\" has no limits, within which it could be found; give its segment "
                        "some",
                        name));
    }
    snprintf(w->names[w->parameter_count++], CLI_NAME_BYTES, "%s", name);
cleanup:
    return status;
}

static void add_control(match_work *w, uint32_t control) {
    w->parameters[w->parameter_count] = sn_model_control_parameter(w->session.model, control);
    snprintf(w->names[w->parameter_count++], CLI_NAME_BYTES, "%s",
             sn_model_control_name(w->session.model, control));
}

static sn_status choose_parameters(match_work *w, sn_error *error) {
    const cli_call *call = w->call;
    const sn_model *model = w->session.model;
    uint32_t control_count = sn_model_control_count(model);
    size_t most = (size_t)control_count + call->option_count + 1;
    uint32_t *controls = calloc(most, sizeof *controls);
    sn_status status = SN_OK;
    w->parameters = calloc(most, sizeof *w->parameters);
    w->names = calloc(most, sizeof *w->names);
    SN_TRY(controls != NULL && w->parameters != NULL && w->names != NULL ? SN_OK
                                                                         : app_fail_memory(error));
    SN_TRY(cli_check_asked(call, model, error));
    bool all = !cli_has(call, "--control") && !cli_has(call, "--group");
    uint32_t asked = cli_asked_controls(call, model, controls);
    for (uint32_t i = 0; i < (all ? control_count : asked); ++i) {
        uint32_t control = all ? i : controls[i];
        if (!all || !sn_model_control_parameter(model, control).driven) {
            add_control(w, control);
        }
    }
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--parameter") == 0) {
            SN_TRY(add_joint(w, call->option_values[i], error));
        }
    }
    if (w->parameter_count == 0) {
        SN_TRY(app_fail(error, SN_INVALID, call->arguments[0],
                        "there are no controls to find; name joint parameters with --parameter"));
    }
cleanup:
    free(controls);
    return status;
}

// --points as weights of 1 and 0.
static sn_status choose_points(match_work *w, sn_error *error) {
    const char *text = cli_value(w->call, "--points", NULL);
    uint32_t count = sn_model_surface(w->session.model, w->desc.surface)->mesh->vertex_count;
    if (text == NULL) {
        return SN_OK;
    }
    w->weights = calloc((size_t)count + 1, sizeof *w->weights);
    if (w->weights == NULL) {
        return app_fail_memory(error);
    }
    for (const char *at = text; *at != 0;) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        bool good = end != at;
        if (good && *end == '-') {
            at = end + 1;
            last = strtoul(at, &end, 10);
            good = end != at;
        }
        if (!good || (*end != 0 && *end != ',') || first > last || last >= count) {
            return app_fail(error, SN_INVALID, w->call->arguments[0],
                            "--points takes numbers and ranges of vertices below %u, such as "
                            "\"12,40-60\", not \"%s\"",
                            count, text);
        }
        for (unsigned long v = first; v <= last; ++v) {
            w->weights[v] = 1;
        }
        at = *end == ',' ? end + 1 : end;
    }
    w->desc.weights = w->weights;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Finding

static double size_of(const float *points, size_t count) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < count; ++v) {
        low = sn_vec3_min(low, sn_vec3_load(points + 3 * v));
        high = sn_vec3_max(high, sn_vec3_load(points + 3 * v));
    }
    return count > 0 ? sn_vec3_distance(low, high) : 0;
}

// Shapes are in the unit and axes that the document says of the skin's own mesh, with which they
// are likely to have been made.
static void choose_unit(match_work *w) {
    const sn_value *root = sn_json_root(sn_character_document(w->session.character));
    const char *skin = sn_model_surface(w->session.model, w->desc.surface)->name;
    const sn_value *used = sn_value_get(sn_value_get(root, "skins"), skin);
    const char *name = sn_value_string(sn_value_get(used, "mesh"), "");
    const sn_value *mesh = sn_value_get(sn_value_get(root, "meshes"), name);
    w->how.unit = sn_value_number(sn_value_get(mesh, "unit"), w->how.unit);
    w->how.z_up = strcmp(sn_value_string(sn_value_get(mesh, "up"), "y"), "z") == 0;
}

// A shape has the vertices of the skin, and about its size.
static sn_status check_shape(const match_work *w, const char *file, const sn_mesh *shape,
                             sn_error *error) {
    const sn_surface *skin = sn_model_surface(w->session.model, w->desc.surface);
    if (shape->vertex_count != skin->mesh->vertex_count) {
        return app_fail(error, SN_INVALID, file,
                        "has %u vertices, but the skin \"%s\" has %u: a shape has the skin's "
                        "vertices in their order",
                        shape->vertex_count, skin->name, skin->mesh->vertex_count);
    }
    double own = size_of(sn_frame_points(w->session.frame, w->desc.surface), shape->vertex_count);
    double given = size_of(shape->positions, shape->vertex_count);
    if (own > 0 && !(given > own / 4 && given < 4 * own)) {
        return app_fail(error, SN_INVALID, file,
                        "is %.3g m large, but the skin %.3g m: it must be in the unit of the "
                        "skin's mesh",
                        given, own);
    }
    return SN_OK;
}

static sn_status match_one(match_work *w, found *f, sn_error *error) {
    sn_import *import = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file_with(w->session.context, f->file, &w->how, &import, error));
    if (import->mesh_count != 1) {
        SN_TRY(app_fail(error, SN_INVALID, f->file, "must have exactly one mesh, and has %u",
                        import->mesh_count));
    }
    SN_TRY(check_shape(w, f->file, import->meshes[0], error));
    w->desc.points = import->meshes[0]->positions;
    SN_TRY(sn_match_shape(w->session.model, &w->desc, &w->session.progress.progress, f->values,
                          &f->report, error));
cleanup:
    sn_import_destroy(import);
    return status;
}

// Each shape of a sequence begins with the values of the one before.
static sn_status match_all(match_work *w, sn_error *error) {
    uint32_t shape = 0;
    sn_status status = SN_OK;
    w->found = calloc((size_t)w->shape_count + 1, sizeof *w->found);
    SN_TRY(w->found != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(sn_frame_evaluate(w->session.frame, NULL, 0, error));
    for (uint32_t i = 0; i < w->call->option_count; ++i) {
        if (strcmp(w->call->option_names[i], "--shape") != 0) {
            continue;
        }
        found *f = &w->found[shape];
        f->file = w->call->option_values[i];
        f->values = calloc((size_t)w->parameter_count + 1, sizeof *f->values);
        SN_TRY(f->values != NULL ? SN_OK : app_fail_memory(error));
        for (uint32_t k = 0; k < w->parameter_count; ++k) {
            f->values[k] = shape > 0 ? w->found[shape - 1].values[k] : w->parameters[k].standard;
        }
        SN_TRY(match_one(w, f, error));
        ++shape;
    }
    cli_progress_end(&w->session.progress);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Telling

// Values this near to those at rest, as a part of the range, are not worth a line.
static bool is_used(const match_work *w, const found *f, uint32_t k) {
    const sn_pose_parameter *p = &w->parameters[k];
    return fabs(f->values[k] - p->standard) >= 0.005 * (p->high - p->low);
}

static void print_found(const match_work *w, const found *f) {
    printf("%s: %.3g of %.3g mm left on average, %.3g mm at most; residual %.3f, cosine %.3f\n",
           f->file, 1000 * f->report.after, 1000 * f->report.before, 1000 * f->report.largest,
           f->report.residual, f->report.cosine);
    for (uint32_t k = 0; k < w->parameter_count; ++k) {
        if (is_used(w, f, k)) {
            printf("  %-28s %.3f\n", w->names[k], f->values[k]);
        }
    }
}

static bool add_found(const match_work *w, sn_json *json, sn_value *list, const found *f) {
    sn_value *o = sn_json_add_object(json, list, NULL);
    bool done = sn_json_add_string(json, o, "shape", f->file) != NULL &&
                sn_json_add_number(json, o, "before", f->report.before) != NULL &&
                sn_json_add_number(json, o, "after", f->report.after) != NULL &&
                sn_json_add_number(json, o, "largest", f->report.largest) != NULL &&
                sn_json_add_number(json, o, "residual", f->report.residual) != NULL &&
                sn_json_add_number(json, o, "cosine", f->report.cosine) != NULL;
    sn_value *values = sn_json_add_object(json, o, "values");
    for (uint32_t k = 0; k < w->parameter_count && done; ++k) {
        done = sn_json_add_number(json, values, w->names[k], f->values[k]) != NULL;
    }
    return done;
}

static sn_status print_values(const match_work *w, sn_error *error) {
    sn_json *json = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(w->session.context, &json, error));
    sn_value *list = sn_json_add_array(json, sn_json_root(json), "shapes");
    for (uint32_t i = 0; i < w->shape_count; ++i) {
        SN_TRY(add_found(w, json, list, &w->found[i]) ? SN_OK : app_fail_memory(error));
    }
    SN_TRY(cli_print_json(w->session.context, json, error));
cleanup:
    sn_json_destroy(json);
    return status;
}

// The clip with a key for each shape; parameters that stay at rest have no track.
static bool add_tracks(const match_work *w, sn_json *json, sn_value *tracks, double *keys) {
    bool done = tracks != NULL;
    for (uint32_t k = 0; k < w->parameter_count && done; ++k) {
        bool used = false;
        for (uint32_t i = 0; i < w->shape_count; ++i) {
            keys[2 * i] = i / w->rate;
            keys[2 * i + 1] = w->found[i].values[k];
            used = used || is_used(w, &w->found[i], k);
        }
        if (used) {
            sn_value *track = sn_json_add_object(json, tracks, w->names[k]);
            done = sn_json_add_rows(json, track, "keys", keys, w->shape_count, 2) != NULL;
        }
    }
    return done;
}

static sn_status write_clip(match_work *w, const char *path, sn_error *error) {
    const char *name = cli_value(w->call, "--clip", "match");
    sn_json *json = sn_character_document(w->session.character);
    double *keys = calloc(2 * (size_t)w->shape_count, sizeof *keys);
    sn_status status = SN_OK;
    SN_TRY(keys != NULL ? SN_OK : app_fail_memory(error));
    sn_value *clips = sn_json_find(json, "/clips");
    clips = clips != NULL ? clips : sn_json_add_object(json, sn_json_root(json), "clips");
    if (clips != NULL && sn_value_get(clips, name) != NULL) {
        SN_TRY(app_fail(error, SN_INVALID, w->call->arguments[0],
                        "has a clip \"%s\" already; name another with --clip", name));
    }
    sn_value *clip = sn_json_add_object(json, clips, name);
    SN_TRY(sn_json_add_number(json, clip, "rate", w->rate) != NULL &&
                   add_tracks(w, json, sn_json_add_object(json, clip, "tracks"), keys)
               ? SN_OK
               : app_fail_memory(error));
    SN_TRY(sn_character_check(w->session.character, error));
    SN_TRY(cli_save_character(w->session.character, path, error));
    if (!cli_has(w->call, "--json")) {
        printf("%s: the clip \"%s\" has %u frame%s\n", path, name, w->shape_count,
               cli_s(w->shape_count));
    }
cleanup:
    free(keys);
    return status;
}

static sn_status work(match_work *w, sn_error *error) {
    const char *path = cli_value(w->call, "-o", NULL);
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(w->call, w->call->arguments[0], &w->session, error));
    SN_TRY(cli_find_skin(w->call, w->session.model, &w->desc.surface, error));
    SN_TRY(choose_parameters(w, error));
    SN_TRY(choose_points(w, error));
    choose_unit(w);
    w->desc.parameter_count = w->parameter_count;
    w->desc.parameters = w->parameters;
    SN_TRY(match_all(w, error));
    if (path != NULL) {
        SN_TRY(write_clip(w, path, error));
    }
    if (cli_has(w->call, "--json")) {
        SN_TRY(print_values(w, error));
    } else {
        for (uint32_t i = 0; i < w->shape_count; ++i) {
            print_found(w, &w->found[i]);
        }
    }
cleanup:
    return status;
}

static int run(const cli_call *call) {
    match_work w = {.call = call,
                    .desc = sn_match_desc_default(),
                    .how = sn_import_desc_default(),
                    .shape_count = count_options(call, "--shape")};
    sn_error error = {0};
    if (w.shape_count == 0) {
        return cli_wrong_usage(call, "needs --shape FILE");
    }
    if (!cli_parse_double(call, "--fps", 30, 0.001, 100000, &w.rate) ||
        !cli_parse_double(call, "--ridge", w.desc.ridge, 0, 1, &w.desc.ridge) ||
        !cli_parse_uint(call, "--rounds", w.desc.rounds, 1, 100, &w.desc.rounds)) {
        return CLI_USAGE;
    }
    sn_status status = work(&w, &error);
    for (uint32_t i = 0; i < w.shape_count && w.found != NULL; ++i) {
        free(w.found[i].values);
    }
    free(w.found);
    free(w.weights);
    free(w.names);
    free(w.parameters);
    cli_session_close(&w.session);
    return cli_end(status, &error);
}

const cli_command cli_match = {
    .name = "match",
    .arguments = "DOC --shape FILE",
    .summary = "finds the controls with which a skin takes a given shape",
    .details =
        "FILE is the skin as it should be, scanned or sculpted, with its vertices in their order. "
        "The\n"
        "values are those within their ranges with which all vertices are nearest to it. Several "
        "shapes\n"
        "are a sequence and become a clip, one frame each.\n"
        "\n"
        "example: sinew match face.sinew.json --shape smile.obj --group mouth\n"
        "         sinew match face.sinew.json --shape a.obj --shape b.obj --fps 25 -o "
        "face2.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
