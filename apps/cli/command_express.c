// SPDX-License-Identifier: Apache-2.0
#include "asked_controls.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "OUT", "the mesh to write: .obj or .glb; morph targets need .glb", false},
    CLI_SET,
    {"--all", NULL,
     "writes the skin at rest with a morph target for each control that moves no joint", false},
    {"--control", "NAME", "makes a morph target of this control, even if it moves joints", true},
    {"--group", "GROUP", "makes morph targets of all controls of a group", true},
    {"--skin", "NAME", "the skin to write (default: the only one that is shown)", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// One expression: the skin where the parameters stand.
static sn_status write_one(const cli_call *call, cli_session *session, uint32_t surface,
                           sn_error *error) {
    const char *path = cli_value(call, "-o", "");
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_frame_evaluate(session->frame, NULL, 0, error));
    SN_TRY(sn_express_mesh(session->frame, surface, &mesh, error));
    SN_TRY(sn_export_mesh(mesh, path, error));
    printf("%s: %u vertices, %u faces\n", path, mesh->vertex_count, mesh->face_count);
cleanup:
    sn_mesh_destroy(mesh);
    return status;
}

static sn_status write_targets(const cli_session *session, const sn_mesh *mesh, const char *path,
                               sn_error *error) {
    if (mesh->weights == NULL) {
        return sn_export_mesh(mesh, path, error);
    }
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = &mesh;
    desc.skeleton = sn_model_skeleton(session->model);
    return sn_export_skinned(session->context, path, &desc, error);
}

static void print_targets(const cli_session *session, const char *path,
                          const sn_express_report *report, bool skinned) {
    for (uint32_t i = 0; i < report->count; ++i) {
        const sn_expression *e = &report->expressions[i];
        printf("%-20s moves %u points by up to %.4g mm; at half its value it is off by %.2g %%\n",
               sn_model_control_name(session->model, e->control), e->moved, 1000 * e->largest,
               100 * e->half_error / e->largest);
    }
    printf(
        "%s: %u morph target%s%s; %u controls move nothing, %u move joints and are left out; with "
        "all targets at once the skin is off by %.2g mm\n",
        path, report->count, cli_s(report->count), skinned ? " on a skinned mesh" : "",
        report->still, report->joints, 1000 * report->together_error);
}

static sn_status make_targets(const cli_call *call, cli_session *session, sn_express_desc *desc,
                              sn_error *error) {
    const char *path = cli_value(call, "-o", "");
    size_t count = sn_model_control_count(session->model);
    sn_express_report report = {.expressions = calloc(count + 1, sizeof *report.expressions)};
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    SN_TRY(report.expressions != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(sn_express_targets(session->model, desc, &session->progress.progress, &mesh, &report,
                              error));
    cli_progress_end(&session->progress);
    if (report.count == 0) {
        SN_TRY(app_fail(error, SN_INVALID, call->arguments[0], "no control moves the skin \"%s\"",
                        sn_model_surface(session->model, desc->surface)->name));
    }
    SN_TRY(write_targets(session, mesh, path, error));
    print_targets(session, path, &report, mesh->weights != NULL);
cleanup:
    sn_mesh_destroy(mesh);
    free(report.expressions);
    return status;
}

static sn_status write_all(const cli_call *call, cli_session *session, uint32_t surface,
                           sn_error *error) {
    sn_express_desc desc = sn_express_desc_default();
    uint32_t *controls = calloc(sn_model_control_count(session->model) + 1u, sizeof *controls);
    if (controls == NULL) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(cli_check_asked(call, session->model, error));
    desc.surface = surface;
    if (!cli_has(call, "--all")) {
        desc.control_count = cli_asked_controls(call, session->model, controls);
        desc.controls = controls;
    }
    SN_TRY(make_targets(call, session, &desc, error));
cleanup:
    free(controls);
    return status;
}

static int run(const cli_call *call) {
    const char *path = cli_value(call, "-o", NULL);
    bool targets = cli_has(call, "--all") || cli_has(call, "--control") || cli_has(call, "--group");
    if (path == NULL) {
        return cli_wrong_usage(call, "needs -o OUT");
    }
    if (targets && !app_has_extension(path, ".glb")) {
        return cli_wrong_usage(call, "morph targets are written to a .glb, not \"%s\"", path);
    }
    if (targets && cli_has(call, "--set")) {
        return cli_wrong_usage(
            call, "--set writes one expression and cannot be combined with morph targets");
    }
    if (!cli_check_sets(call)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session = {0};
    uint32_t surface = 0;
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    SN_TRY(cli_find_skin(call, session.model, &surface, &error));
    SN_TRY(targets ? write_all(call, &session, surface, &error)
                   : write_one(call, &session, surface, &error));
cleanup:
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_express = {
    .name = "express",
    .arguments = "DOC|MODEL -o OUT",
    .summary = "writes an expression as a mesh, or all controls as morph targets",
    .details = "A single expression has its vertices in the order of the skin's mesh. A morph "
               "target has the\n"
               "name of its control. Its weight is 1 when the control is at its highest value.\n"
               "\n"
               "example: sinew express face.sinew.json --set smile=0.8 -o smile.obj\n"
               "         sinew express face.sinew.json --all -o face.glb\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
