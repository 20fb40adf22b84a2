// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "OUT", "the driver to write: .glb with skeleton and weights, or .obj", false},
    {"--skin", "NAME", "a skin to make it from; several are stitched (default: all)", true},
    {"--faces", "N", "triangles to aim for (default: 1000)", false},
    {"--detail", "X", "how many times denser vertices stand at joints (default: 3)", false},
    {"--weld", "X", "joins vertices closer than this part of the size (default: 1e-5)", false},
    {"--rigid", NULL, "binds each vertex to the closest limb alone", false},
    {"--skin-weights", NULL, "binds it with the weights of the skin", false},
    {"--document", "NEW", "writes a document in which the driver moves the skins by `wrap`", false},
    {"--subdivide", "FACES", "splits these triangles of a mesh, such as 12,40-60 or all", false},
    {"--smooth", NULL, "with --subdivide: new vertices stand where the surface is smoothest",
     false},
    {"--limb", "NAME", "a segment that counts as limb (default: all that skins hang on)", true},
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

static bool wants(const cli_call *call, const char *name) {
    bool any = false;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--skin") == 0) {
            any = true;
            if (strcmp(call->option_values[i], name) == 0) {
                return true;
            }
        }
    }
    return !any;
}

// Skins in the coordinates of the rest pose; one in a segment's frame moves as a whole anyway.
static bool is_usable(const sn_surface *surface) {
    return surface->layer == SN_LAYER_SKIN && !surface->in_segment_frame;
}

static bool has_skin(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface) && (name == NULL || strcmp(surface->name, name) == 0)) {
            return true;
        }
    }
    return false;
}

// Whether all skins that are named exist, and at least one where none is named.
static sn_status check_skins(const cli_call *call, const sn_model *model, sn_error *error) {
    const char *missing = has_skin(model, NULL) ? NULL : "of any name";
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--skin") == 0 &&
            !has_skin(model, call->option_values[i])) {
            missing = call->option_values[i];
        }
    }
    if (missing == NULL) {
        return SN_OK;
    }
    error->status = SN_INVALID;
    snprintf(error->source, sizeof error->source, "%s", call->arguments[0]);
    snprintf(error->message, sizeof error->message, "there is no skin %s", missing);
    return SN_INVALID;
}

static uint32_t collect_skins(const cli_call *call, const sn_model *model, const sn_mesh **meshes) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (is_usable(surface) && wants(call, surface->name)) {
            meshes[count++] = surface->mesh;
        }
    }
    return count;
}

static sn_status write_driver(const cli_session *session, const sn_mesh *driver, const char *path,
                              sn_error *error) {
    const char *dot = strrchr(path, '.');
    if (dot == NULL || strcmp(dot, ".glb") != 0) {
        return sn_export_mesh(driver, path, error);
    }
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = &driver;
    desc.skeleton = sn_model_skeleton(session->model);
    return sn_export_skinned(session->context, path, &desc, error);
}

// ---------------------------------------------------------------------------------------------
// The document in which the driver works

static sn_status fail(sn_error *error, const char *source, const char *message) {
    error->status = SN_INVALID;
    snprintf(error->source, sizeof error->source, "%s", source);
    snprintf(error->message, sizeof error->message, "%s", message);
    return SN_INVALID;
}

// A wrap in place of the blend of a skin; false where it has none, or memory runs out.
static bool wrap_skin(sn_json *json, sn_value *skin) {
    const sn_value *old = sn_value_get(skin, "deformers");
    bool found = false;
    for (uint32_t i = 0; i < sn_value_count(old); ++i) {
        const sn_value *kind = sn_value_get(sn_value_at(old, i), "kind");
        found = found || strcmp(sn_value_string(kind, ""), "blend") == 0;
    }
    sn_value *list = found ? sn_json_add_array(json, skin, "deformers") : NULL;
    bool done = list != NULL, replaced = false;
    for (uint32_t i = 0; i < sn_value_count(old) && done; ++i) {
        const sn_value *deformer = sn_value_at(old, i);
        const char *kind = sn_value_string(sn_value_get(deformer, "kind"), "");
        if (replaced || strcmp(kind, "blend") != 0) {
            done = sn_json_add_copy(json, list, NULL, deformer) != NULL;
            continue;
        }
        sn_value *wrap = sn_json_add_object(json, list, NULL);
        done = sn_json_add_string(json, wrap, "kind", "wrap") != NULL &&
               sn_json_add_string(json, wrap, "driver_mesh", "driver") != NULL;
        replaced = true;
    }
    return done;
}

static bool add_driver(sn_json *json, const char *file) {
    sn_value *root = sn_json_root(json);
    sn_value *skins = (sn_value *)sn_value_get(root, "skins");
    sn_value *mesh = sn_json_add_object(json, (sn_value *)sn_value_get(root, "meshes"), "driver");
    sn_value *skin = sn_json_add_object(json, skins, "driver");
    sn_value *blend = sn_json_add_object(json, sn_json_add_array(json, skin, "deformers"), NULL);
    return sn_json_add_string(json, mesh, "file", file) != NULL &&
           sn_json_add_string(json, skin, "mesh", "driver") != NULL &&
           sn_json_add_string(json, blend, "kind", "blend") != NULL &&
           sn_json_add_bool(json, skin, "show", false) != NULL;
}

// Writes the document; making its model first tells whether it works.
static sn_status write_document(const cli_call *call, cli_session *session, const char *driver,
                                sn_error *error) {
    const char *path = cli_value(call, "--document", NULL);
    sn_json *json = sn_character_document(session->character);
    const sn_value *root = sn_json_root(json), *skins = sn_value_get(root, "skins");
    sn_model *model = NULL;
    char file[CLI_PATH_BYTES];
    uint32_t wrapped = 0;
    if (sn_value_get(skins, "driver") != NULL ||
        sn_value_get(sn_value_get(root, "meshes"), "driver") != NULL) {
        return fail(error, call->arguments[0], "there is a skin or mesh \"driver\" already");
    }
    if (!cli_name_file(call, path, driver, file)) {
        return fail(error, path, strerror(errno));
    }
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        sn_value *skin = (sn_value *)sn_value_at(skins, i);
        wrapped += wants(call, skin->key) && wrap_skin(json, skin);
    }
    if (wrapped == 0) {
        return fail(error, call->arguments[0], "no skin has a `blend` that a `wrap` could replace");
    }
    sn_status status = add_driver(json, file) ? sn_character_check(session->character, error)
                                              : cli_fail_memory(error);
    if (status == SN_OK) {
        status = sn_model_create(session->character, NULL, &model, error);
    }
    if (status == SN_OK) {
        status = cli_save_character(session->character, path, error);
    }
    if (status == SN_OK) {
        printf("%s: the driver moves %u skin%s\n", path, wrapped, cli_s(wrapped));
    }
    sn_model_destroy(model);
    return status;
}

static sn_status make_driver(const cli_call *call, cli_session *session, sn_driver_mesh_desc *desc,
                             sn_error *error) {
    sn_mesh *driver = NULL;
    sn_driver_mesh_report report;
    desc->skeleton = sn_model_skeleton(session->model);
    sn_status status = sn_driver_mesh_create(session->context, desc, &session->progress.progress,
                                             &driver, &report, error);
    cli_progress_end(&session->progress);
    const char *path = cli_value(call, "-o", "");
    if (status == SN_OK) {
        status = write_driver(session, driver, path, error);
    }
    if (status == SN_OK) {
        printf("%s: %u vertices, %u faces, %s, bound to %u limbs\n", path, driver->vertex_count,
               report.face_count, report.border_edges == 0 ? "closed" : "with borders",
               report.limb_count);
    }
    if (status == SN_OK && cli_has(call, "--document")) {
        status = write_document(call, session, path, error);
        if (status != SN_OK) {
            remove(path);
        }
    }
    sn_mesh_destroy(driver);
    return status;
}

// Splits triangles of a mesh file in four.
static sn_status subdivide(const cli_call *call, const sn_mesh *mesh, const char *faces,
                           sn_error *error) {
    const char *path = cli_value(call, "-o", "");
    sn_mesh *finer = NULL;
    uint8_t *selected = calloc((size_t)mesh->face_count + 1, 1);
    if (selected == NULL) {
        return cli_fail_memory(error);
    }
    sn_status status = sn_ranges_mark(faces, mesh->face_count, selected, error);
    if (status != SN_OK) {
        snprintf(error->source, sizeof error->source, "--subdivide");
    } else {
        status = sn_driver_mesh_subdivide(mesh, selected, cli_has(call, "--smooth"), &finer, error);
    }
    if (status == SN_OK) {
        status = sn_export_mesh(finer, path, error);
    }
    if (status == SN_OK) {
        printf("%s: %u vertices, %u faces\n", path, finer->vertex_count, finer->face_count);
    }
    sn_mesh_destroy(finer);
    free(selected);
    return status;
}

static int run_subdivide(const cli_call *call) {
    sn_error error = {0};
    sn_import *import = NULL;
    sn_context *context = cli_context(call, &error);
    sn_status status = context != NULL ? SN_OK : error.status;
    if (status == SN_OK) {
        status = sn_import_file(context, call->arguments[0], &import, &error);
    }
    if (status == SN_OK && import->mesh_count != 1) {
        status = error.status = SN_INVALID;
        snprintf(error.source, sizeof error.source, "%s", call->arguments[0]);
        snprintf(error.message, sizeof error.message, "has %u meshes, but one can be subdivided",
                 import->mesh_count);
    }
    if (status == SN_OK) {
        status = subdivide(call, import->meshes[0], cli_value(call, "--subdivide", ""), &error);
    }
    sn_import_destroy(import);
    sn_context_destroy(context);
    return cli_end(status, &error);
}

static bool parse(const cli_call *call, sn_driver_mesh_desc *desc) {
    if (cli_value(call, "-o", NULL) == NULL) {
        cli_wrong_usage(call, "needs -o OUT");
        return false;
    }
    if (cli_has(call, "--document") && !cli_has_extension(cli_value(call, "-o", ""), ".glb")) {
        cli_wrong_usage(call, "--document needs a driver with weights: -o OUT.glb");
        return false;
    }
    if (cli_has(call, "--rigid") && cli_has(call, "--skin-weights")) {
        cli_wrong_usage(call, "takes one of --rigid and --skin-weights");
        return false;
    }
    if (cli_has(call, "--skin-weights")) {
        desc->binding = SN_DRIVER_SKIN;
        desc->influences = 8; // as many as painted weights use
    } else {
        desc->binding = cli_has(call, "--rigid") ? SN_DRIVER_RIGID : SN_DRIVER_SMOOTH;
    }
    return cli_parse_uint(call, "--faces", desc->face_count, 4, UINT32_MAX, &desc->face_count) &&
           cli_parse_double(call, "--detail", desc->joint_detail, 1, 1000, &desc->joint_detail) &&
           cli_parse_double(call, "--weld", desc->weld, 0, 0.999, &desc->weld);
}

static int run(const cli_call *call) {
    sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
    if (!parse(call, &desc)) {
        return CLI_USAGE;
    }
    if (cli_has(call, "--subdivide")) {
        return run_subdivide(call);
    }
    sn_error error = {0};
    cli_session session = {0};
    const char **limbs = NULL;
    const sn_mesh **meshes = NULL;
    sn_status status = cli_session_open(call, call->arguments[0], &session, &error);
    if (status == SN_OK) {
        status = check_skins(call, session.model, &error);
    }
    if (status == SN_OK) {
        limbs = calloc(call->option_count + 1, sizeof *limbs);
        meshes = calloc(sn_model_surface_count(session.model) + 1, sizeof *meshes);
        if (limbs == NULL || meshes == NULL) {
            status = error.status = SN_OUT_OF_MEMORY;
        }
    }
    if (status == SN_OK) {
        desc.segment_count = collect(call, "--limb", limbs);
        desc.segments = desc.segment_count > 0 ? limbs : NULL;
        desc.meshes = meshes;
        desc.mesh_count = collect_skins(call, session.model, meshes);
        status = make_driver(call, &session, &desc, &error);
    }
    free(limbs);
    free(meshes);
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_driver = {
    .name = "driver",
    .arguments = "DOC|MODEL -o OUT",
    .summary = "makes a low-resolution stand-in of a skin, bound to the skeleton",
    .details = "example: sinew driver human.glb --faces 1000 -o human-driver.glb \\\n"
               "             --document human.sinew.json\n"
               "         sinew driver cage.obj --subdivide 12,40-60 -o cage-fine.obj\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
