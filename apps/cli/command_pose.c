// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--at", "NAME=VALUE", "the joint parameter or control of the key, and its value", false},
    {"--shape", "SCULPT", "the sculpted skin (.obj, .glb or .ply) with the same vertices", false},
    {"--skin", "NAME", "the skin that gets the key (default: the only one that is shown)", false},
    {"--set", "NAME=VALUE", "holds another parameter at a value in the pose", true},
    {"--interpolation", "KIND", "how a new set goes from key to key: linear, smooth or stepped",
     false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

typedef struct pose_work {
    const cli_call *call;
    cli_session session;
    sn_import *shape;
    char name[CLI_NAME_BYTES];
    double at;
    uint32_t surface;
    sn_key_pose_report report;
} pose_work;

static sn_status read_shape(pose_work *w, sn_error *error) {
    const char *path = cli_value(w->call, "--shape", NULL);
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(w->session.context, path, &w->shape, error));
    if (w->shape->mesh_count != 1) {
        SN_TRY(app_fail(error, SN_INVALID, path, "must have exactly one mesh"));
    }
cleanup:
    return status;
}

// Adds the key to the document.
static sn_status add_key(pose_work *w, sn_error *error) {
    sn_key_pose_desc desc = sn_key_pose_desc_default();
    desc.skin = sn_model_surface(w->session.model, w->surface)->name;
    desc.follows = w->name;
    desc.points = w->shape->meshes[0]->positions;
    desc.vertex_count = w->shape->meshes[0]->vertex_count;
    desc.interpolation = cli_value(w->call, "--interpolation", NULL);
    sn_status status = SN_OK;
    SN_TRY(sn_frame_set(w->session.frame, w->name, w->at, error));
    SN_TRY(sn_frame_evaluate(w->session.frame, NULL, 0, error));
    SN_TRY(sn_key_pose_add(w->session.character, w->session.frame, &desc, &w->report, error));
cleanup:
    if (status != SN_OK && error->source[0] == 0) {
        snprintf(error->source, sizeof error->source, "%s", w->call->arguments[0]);
    }
    return status;
}

static sn_status apply_sets(const pose_work *w, sn_frame *frame, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < w->call->option_count; ++i) {
        char name[CLI_NAME_BYTES];
        double value;
        if ((strcmp(w->call->option_names[i], "--set") == 0 ||
             strcmp(w->call->option_names[i], "--at") == 0) &&
            cli_parse_set(w->call->option_values[i], name, sizeof name, &value)) {
            SN_TRY(cli_set_parameter(NULL, frame, name, value, error));
        }
    }
cleanup:
    return status;
}

// Evaluates the new document in the pose: how far its points are from the sculpt. More than a
// hundred thousandth of its size is an error.
static sn_status verify(const pose_work *w, double *distance, sn_error *error) {
    const sn_mesh *shape = w->shape->meshes[0];
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_vec3 low, high;
    sn_mesh_bounds(shape, &low, &high);
    *distance = 0;
    sn_status status = SN_OK;
    SN_TRY(sn_character_check(w->session.character, error));
    SN_TRY(sn_model_create(w->session.character, NULL, &model, error));
    SN_TRY(sn_frame_create(model, &frame, error));
    SN_TRY(apply_sets(w, frame, error));
    SN_TRY(sn_frame_evaluate(frame, NULL, 0, error));
    for (uint32_t v = 0; v < shape->vertex_count; ++v) {
        size_t at = 3 * (size_t)v;
        double d = sn_vec3_distance(sn_vec3_load(shape->positions + at),
                                    sn_vec3_load(sn_frame_points(frame, w->surface) + at));
        *distance = d > *distance ? d : *distance;
    }
    if (*distance > 1e-5 * sn_vec3_distance(low, high)) {
        SN_TRY(app_fail(error, SN_INVALID, w->call->arguments[0],
                        "the character does not take the sculpted shape in this pose"));
    }
cleanup:
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    return status;
}

static sn_status work(pose_work *w, sn_error *error) {
    const char *path = cli_value(w->call, "-o", w->call->arguments[0]);
    double distance = 0;
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(w->call, w->call->arguments[0], &w->session, error));
    SN_TRY(cli_find_skin(w->call, w->session.model, &w->surface, error));
    SN_TRY(read_shape(w, error));
    SN_TRY(add_key(w, error));
    SN_TRY(verify(w, &distance, error));
    SN_TRY(cli_save_character(w->session.character, path, error));
    cli_progress_end(&w->session.progress);
    printf("%s: a key at %s = %.9g moves %u points, by up to %.4g mm; the shape is met "
           "within %.1g mm\n",
           path, w->name, w->report.at, w->report.moved, 1000 * w->report.largest, 1000 * distance);
cleanup:
    return status;
}

static int run(const cli_call *call) {
    static const char *const needed[] = {"--at", "--shape"};
    static const char *const kinds[] = {"linear", "smooth", "stepped"};
    pose_work w = {.call = call};
    for (int i = 0; i < 2; ++i) {
        if (!cli_has(call, needed[i])) {
            return cli_wrong_usage(call, "needs %s", needed[i]);
        }
    }
    if (!cli_parse_set(cli_value(call, "--at", ""), w.name, sizeof w.name, &w.at)) {
        return cli_wrong_usage(call, "--at takes NAME=VALUE, not \"%s\"",
                               cli_value(call, "--at", ""));
    }
    const char *kind = cli_value(call, "--interpolation", kinds[0]);
    if (strcmp(kind, kinds[0]) != 0 && strcmp(kind, kinds[1]) != 0 && strcmp(kind, kinds[2]) != 0) {
        return cli_wrong_usage(call, "--interpolation is linear, smooth or stepped, not \"%s\"",
                               kind);
    }
    if (!cli_check_sets(call)) {
        return CLI_USAGE;
    }
    if (!app_has_extension(cli_value(call, "-o", call->arguments[0]), ".json")) {
        return cli_wrong_usage(call, "needs -o NEW.sinew.json, as DOC is not a document");
    }
    sn_error error = {0};
    sn_status status = work(&w, &error);
    sn_import_destroy(w.shape);
    cli_session_close(&w.session);
    return cli_end(status, &error);
}

const cli_command cli_pose = {
    .name = "pose",
    .arguments = "DOC --at NAME=VALUE --shape SCULPT",
    .summary = "stores a skin that was sculpted in a pose as a key pose",
    .details =
        "SCULPT is the skin with NAME at VALUE and everything else at rest, or as --set says. It "
        "is\n"
        "carried back to the rest pose, so that the character takes this shape in this pose.\n"
        "`sinew express` writes the skin in a pose, to be sculpted.\n"
        "\n"
        "example: sinew express arm.sinew.json --set forearm.rx_deg=90 -o bent.obj\n"
        "         (sculpt bent.obj)\n"
        "         sinew pose arm.sinew.json --at forearm.rx_deg=90 --shape bent.obj -o "
        "arm2.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
