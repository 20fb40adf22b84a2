// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cli.h"
#include "common/driver.h"
#include "common/older.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "OUT", "the driver to write: .glb with skeleton and weights, or .obj", false},
    {"--skin", "NAME", "a skin to make the driver from; several are joined (default: all)", true},
    {"--faces", "N", "number of triangles (default: 1000)", false},
    {"--detail", "X", "how many times denser the vertices are near joints (default: 3)", false},
    {"--weld", "X", "joins vertices that are closer than this fraction of the size (default: 1e-5)",
     false},
    {"--skin-weights", NULL, "binds it with the weights of the skin (default, where it has any)",
     false},
    {"--smooth-bind", NULL, "binds it by distance to the closest limb and those it hangs on",
     false},
    {"--rigid", NULL, "binds each vertex to the closest limb only", false},
    {"--document", "NEW", "writes a document in which the driver moves the skins with `wrap`",
     false},
    {"--subdivide", "FACES", "splits these triangles of a mesh, such as 12,40-60 or all", false},
    {"--frame-points", NULL,
     "writes three points beside each vertex of a mesh, for `wrap --frames`", false},
    {"--smooth", NULL, "with --subdivide: places new vertices so that the surface is smooth",
     false},
    {"--limb", "NAME", "a segment that counts as a limb (default: all that move the skins)", true},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// The values of an option that repeats; returns their number.
static uint32_t collect(const cli_call *call, const char *option, const char **values) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], option) == 0) {
            values[count++] = call->option_values[i];
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// The document in which the driver works

// Writes the document; making its model first tells whether it works.
static sn_status write_document(const cli_call *call, cli_session *session,
                                const app_driver *driver, const char *mesh, sn_error *error) {
    const char *path = cli_value(call, "--document", NULL);
    sn_model *model = NULL;
    char file[APP_PATH_BYTES];
    uint32_t wrapped = 0;
    if (!app_name_file(cli_loaded_document(call), path, mesh, file)) {
        return app_fail(error, SN_INVALID, path, "%s", strerror(errno));
    }
    sn_status status = SN_OK;
    SN_TRY(
        app_driver_add(driver, sn_character_document(session->character), file, &wrapped, error));
    SN_TRY(sn_character_check(session->character, error));
    SN_TRY(sn_model_create(session->character, NULL, &model, error));
    SN_TRY(cli_save_character(session->character, path, error));
    printf("%s: the driver moves %u skin%s\n", path, wrapped, cli_s(wrapped));
cleanup:
    sn_model_destroy(model);
    return status;
}

static void print_report(const char *path, const sn_mesh *mesh, const sn_driver_mesh_report *report,
                         const sn_driver_mesh_desc *desc) {
    static const char *const ways[] = {[SN_DRIVER_RIGID] = "each vertex to the closest",
                                       [SN_DRIVER_SMOOTH] = "by distance",
                                       [SN_DRIVER_SKIN] = "with the weights of the skin"};
    char why[256];
    printf("%s: %u vertices, %u faces, %s", path, mesh->vertex_count, report->face_count,
           report->border_edges == 0 ? "closed" : "with borders");
    if (report->limb_count > 0) {
        printf(", bound to %u limb%s %s\n", report->limb_count, cli_s(report->limb_count),
               ways[report->binding]);
    } else {
        printf(", a cage: there is no skeleton to bind it to\n");
    }
    if (app_driver_explain_count(report, desc->face_count, why, sizeof why)) {
        printf("  %s\n", why);
    }
}

static sn_status make_driver(const cli_call *call, cli_session *session, app_driver *driver,
                             sn_driver_mesh_desc *desc, sn_error *error) {
    sn_mesh *mesh = NULL;
    sn_driver_mesh_report report;
    app_older older = {0};
    const char *path = cli_value(call, "-o", "");
    desc->skeleton = sn_model_skeleton(session->model);
    sn_status status = SN_OK;
    SN_TRY(sn_driver_mesh_create(session->context, desc, &session->progress.progress, &mesh,
                                 &report, error));
    cli_progress_end(&session->progress);
    SN_TRY(app_older_take(&older, path, error));
    SN_TRY(app_driver_write(session->model, mesh, path, error));
    print_report(path, mesh, &report, desc);
    driver->is_cage = mesh->weights == NULL;
    if (cli_has(call, "--document")) {
        status = write_document(call, session, driver, path, error);
        if (status != SN_OK) {
            app_older_bring_back(&older);
        }
    }
cleanup:
    app_older_free(&older);
    sn_mesh_destroy(mesh);
    return status;
}

// Splits triangles of a mesh file in four.
static sn_status subdivide(const cli_call *call, const sn_mesh *mesh, const char *faces,
                           sn_error *error) {
    const char *path = cli_value(call, "-o", "");
    sn_mesh *finer = NULL;
    uint8_t *selected = calloc((size_t)mesh->face_count + 1, 1);
    if (selected == NULL) {
        return app_fail_memory(error);
    }
    sn_status status = sn_ranges_mark(faces, mesh->face_count, selected, error);
    if (status != SN_OK) {
        snprintf(error->source, sizeof error->source, "--subdivide");
        goto cleanup;
    }
    SN_TRY(sn_driver_mesh_subdivide(mesh, selected, cli_has(call, "--smooth"), &finer, error));
    SN_TRY(sn_export_mesh(finer, path, error));
    printf("%s: %u vertices, %u faces\n", path, finer->vertex_count, finer->face_count);
cleanup:
    sn_mesh_destroy(finer);
    free(selected);
    return status;
}

static sn_status write_frame_points(const cli_call *call, const sn_mesh *mesh, sn_error *error) {
    const char *path = cli_value(call, "-o", "");
    sn_mesh *frames = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_driver_mesh_frame_points(mesh, &frames, error));
    SN_TRY(sn_export_mesh(frames, path, error));
    printf("%s: %u points beside %u vertices\n", path, frames->vertex_count, mesh->vertex_count);
cleanup:
    sn_mesh_destroy(frames);
    return status;
}

// What is made of a mesh alone.
static int run_mesh(const cli_call *call) {
    sn_error error = {0};
    sn_import *import = NULL;
    sn_import_desc how;
    sn_context *context = cli_context(call, &error);
    sn_status status = SN_OK;
    SN_TRY(error.status);
    cli_parse_model(call, &how);
    SN_TRY(sn_import_file_with(context, call->arguments[0], &how, &import, &error));
    if (import->mesh_count != 1) {
        SN_TRY(app_fail(&error, SN_INVALID, call->arguments[0],
                        "has %u meshes; only a file with one mesh can be %s", import->mesh_count,
                        cli_has(call, "--subdivide") ? "subdivided" : "given frame points"));
    }
    SN_TRY(cli_has(call, "--subdivide")
               ? subdivide(call, import->meshes[0], cli_value(call, "--subdivide", ""), &error)
               : write_frame_points(call, import->meshes[0], &error));
cleanup:
    sn_import_destroy(import);
    sn_context_destroy(context);
    return cli_end(status, &error);
}

static bool parse(const cli_call *call, sn_driver_mesh_desc *desc) {
    if (cli_value(call, "-o", NULL) == NULL) {
        cli_wrong_usage(call, "needs -o OUT");
        return false;
    }
    if (cli_has(call, "--rigid") + cli_has(call, "--smooth-bind") +
            cli_has(call, "--skin-weights") >
        1) {
        cli_wrong_usage(call, "takes one of --skin-weights, --smooth-bind and --rigid");
        return false;
    }
    desc->binding = cli_has(call, "--rigid")         ? SN_DRIVER_RIGID
                    : cli_has(call, "--smooth-bind") ? SN_DRIVER_SMOOTH
                                                     : SN_DRIVER_SKIN;
    return cli_parse_uint(call, "--faces", desc->face_count, 4, UINT32_MAX, &desc->face_count) &&
           cli_parse_double(call, "--detail", desc->joint_detail, 1, 1000, &desc->joint_detail) &&
           cli_parse_double(call, "--weld", desc->weld, 0, 0.999, &desc->weld);
}

// Whether a document is asked for in which the driver would need weights that its file cannot have.
static bool lacks_weights(const cli_call *call, const cli_session *session) {
    return cli_has(call, "--document") && sn_model_skeleton(session->model)->segment_count > 0 &&
           !app_has_extension(cli_value(call, "-o", ""), ".glb");
}

static int run(const cli_call *call) {
    sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
    if (!parse(call, &desc)) {
        return CLI_USAGE;
    }
    if (cli_has(call, "--subdivide") || cli_has(call, "--frame-points")) {
        return run_mesh(call);
    }
    sn_error error = {0};
    cli_session session = {0};
    app_driver driver = {.source = call->arguments[0]};
    const char **limbs = NULL, **skins = NULL;
    const sn_mesh **meshes = NULL;
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    if (lacks_weights(call, &session)) {
        cli_session_close(&session);
        return cli_wrong_usage(call,
                               "--document needs a driver with weights: write it with -o OUT.glb");
    }
    limbs = calloc(call->option_count + 1, sizeof *limbs);
    skins = calloc(call->option_count + 1, sizeof *skins);
    meshes = calloc(sn_model_surface_count(session.model) + 1, sizeof *meshes);
    if (limbs == NULL || skins == NULL || meshes == NULL) {
        status = app_fail_memory(&error);
        goto cleanup;
    }
    driver.skin_count = collect(call, "--skin", skins);
    driver.skins = skins;
    SN_TRY(app_driver_skins(&driver, session.model, meshes, &desc.mesh_count, &error));
    desc.segment_count = collect(call, "--limb", limbs);
    desc.segments = desc.segment_count > 0 ? limbs : NULL;
    desc.meshes = meshes;
    SN_TRY(make_driver(call, &session, &driver, &desc, &error));
cleanup:
    app_driver_free(&driver);
    free(limbs);
    free(skins);
    free(meshes);
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_driver = {
    .name = "driver",
    .arguments = "DOC|MODEL -o OUT",
    .summary = "makes a low-resolution stand-in of a skin, bound to the skeleton",
    .details =
        "It takes the weights of the skin where it has any. Without a skeleton it is a cage.\n"
        "\n"
        "example: sinew driver human.glb --faces 1000 -o human-driver.glb \\\n"
        "             --document human.sinew.json\n"
        "         sinew driver cage.obj --subdivide 12,40-60 -o cage-fine.obj\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
