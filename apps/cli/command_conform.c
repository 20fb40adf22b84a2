// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "MESH", "the mesh to write: .obj, .ply, .stl or .glb", false},
    {"--landmarks", "FILE", "landmarks and lines on the scan; landmarks that it lacks are found",
     false},
    {"--clean-landmarks", "FILE",
     "landmarks and lines of CLEAN (default: those of its document); needed for a model", false},
    {"--clean-unit", "UNIT", "the unit of CLEAN where it is a model (default: m)", false},
    {"--skin", "SKIN", "the skin of CLEAN (default: with landmarks)", false},
    {"--mesh", "NAME", "the mesh of the scan's file (default: the one with the most faces)", false},
    {"--proposed", "FILE", "writes the scan's landmarks, to edit and give to --landmarks", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// What the command reads.
typedef struct inputs {
    sn_character *character; // that the clean mesh belongs to; NULL: `clean` does
    sn_import *clean, *scan;
    sn_landmarks *clean_landmarks, *landmarks;
    sn_conform_desc desc;
} inputs;

static const sn_mesh *largest_mesh(const sn_import *import, const char *name) {
    const sn_mesh *found = NULL;
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        const sn_mesh *mesh = import->meshes[i];
        bool fits = name != NULL ? strcmp(mesh->name, name) == 0
                                 : found == NULL || mesh->face_count > found->face_count;
        found = fits ? mesh : found;
    }
    return found;
}

static sn_status read_clean(const cli_call *call, sn_context *context, inputs *in,
                            sn_error *error) {
    sn_status status = SN_OK;
    const char *path = call->arguments[0], *file = cli_value(call, "--clean-landmarks", NULL);
    sn_import_desc how = sn_import_desc_default();
    const char *unit = cli_value(call, "--clean-unit", NULL);
    if (cli_loaded_document(call) != NULL) {
        SN_TRY(sn_character_load(context, path, &in->character, error));
        SN_TRY(sn_character_landmarks(in->character, cli_value(call, "--skin", NULL),
                                      &in->desc.known.mesh, &in->clean_landmarks, error));
    } else {
        how.unit = unit != NULL ? cli_parse_unit(unit) : 0;
        if (unit != NULL && how.unit == 0) {
            SN_TRY(app_fail(error, SN_INVALID, path, "\"%s\" is no unit", unit));
        }
        SN_TRY(sn_import_file_with(context, path, &how, &in->clean, error));
        in->desc.known.mesh = largest_mesh(in->clean, NULL);
    }
    if (in->desc.known.mesh == NULL) {
        SN_TRY(app_fail(error, SN_INVALID, path, "it has no skin with landmarks"));
    }
    if (file != NULL) {
        sn_landmarks_destroy(in->clean_landmarks);
        in->clean_landmarks = NULL;
        SN_TRY(sn_landmarks_read(context, file, &in->clean_landmarks, error));
    }
    in->desc.known.landmarks = in->clean_landmarks;
cleanup:
    return status;
}

static sn_status read_scan(const cli_call *call, sn_context *context, const sn_import_desc *how,
                           inputs *in, sn_error *error) {
    sn_status status = SN_OK;
    const char *path = call->arguments[1], *mesh = cli_value(call, "--mesh", NULL);
    const char *file = cli_value(call, "--landmarks", NULL);
    SN_TRY(sn_import_file_with(context, path, how, &in->scan, error));
    in->desc.scan = largest_mesh(in->scan, mesh);
    in->desc.unit = how->unit > 0 ? 1 : 0;
    if (in->desc.scan == NULL) {
        SN_TRY(app_fail(error, SN_INVALID, path, "there is no mesh%s%s in it",
                        mesh != NULL ? " " : "", mesh != NULL ? mesh : ""));
    }
    if (file != NULL) {
        SN_TRY(sn_landmarks_read(context, file, &in->landmarks, error));
        in->desc.given = in->landmarks;
    }
cleanup:
    return status;
}

static sn_status write_mesh(const inputs *in, const sn_conformed *conformed, const char *path,
                            sn_error *error) {
    sn_mesh *mesh = NULL;
    sn_status status = sn_mesh_copy(in->desc.known.mesh, &mesh, error);
    if (status == SN_OK) {
        memcpy(mesh->positions, conformed->positions,
               3 * (size_t)conformed->vertex_count * sizeof *mesh->positions);
        for (uint32_t i = 0; i < mesh->attribute_count && status == SN_OK; ++i) {
            if (strcmp(mesh->attributes[i].name, "normal") == 0 &&
                mesh->attributes[i].corner == NULL) {
                status = sn_mesh_normals(mesh, mesh->positions, mesh->attributes[i].values, error);
            }
        }
    }
    if (status == SN_OK) {
        status = sn_export_mesh(mesh, path, error);
    }
    sn_mesh_destroy(mesh);
    return status;
}

static void print_report(const cli_call *call, const sn_conformed *conformed, const char *path) {
    const sn_conform_report *r = &conformed->report;
    const sn_landmarks *found = conformed->proposal->landmarks;
    for (uint32_t i = 0; i < found->count; ++i) {
        if (found->items[i].doubted != NULL) {
            fprintf(stderr, "warning: the landmark \"%s\" may be wrong by %.0f mm: %s\n",
                    found->items[i].name, found->items[i].doubt * 1000, found->items[i].doubted);
        }
    }
    if (r->flipped > 0) {
        fprintf(stderr, "warning: %u triangle%s turned over\n", r->flipped, cli_s(r->flipped));
    }
    if (call->quiet) {
        return;
    }
    if (conformed->unit != 1) {
        printf("the scan is in units of %g m\n", conformed->unit);
    }
    printf(
        "%u of %u vertices of the skin lie on the scan, mean distance %.3f mm, largest %.2f mm\n",
        r->covered, r->covered + r->free, r->mean_distance * 1000, r->largest_distance * 1000);
    printf("the scan's vertices are %.3f mm away from it on average\n", r->mean_back * 1000);
    if (r->landmark != NULL) {
        printf("given landmarks are within %.2f mm (%s)\n", r->landmark_error * 1000, r->landmark);
    }
    if (r->line_count > 0) {
        printf("%u line%s: mean distance %.3f mm, largest %.2f mm\n", r->line_count,
               cli_s(r->line_count), r->line_mean * 1000, r->line_largest * 1000);
    }
    printf("%u triangle%s turned over\n%s\n", r->flipped, cli_s(r->flipped), path);
}

static int run(const cli_call *call) {
    const char *path = cli_value(call, "-o", NULL), *proposed = cli_value(call, "--proposed", NULL);
    sn_import_desc how;
    inputs in = {.desc = sn_conform_desc_default()};
    sn_conformed *conformed = NULL;
    sn_error error = {0};
    sn_status status = SN_OK;
    cli_progress progress;
    if (path == NULL) {
        return cli_wrong_usage(call, "needs -o MESH");
    }
    if (cli_loaded_document(call) == NULL && !cli_has(call, "--clean-landmarks")) {
        return cli_wrong_usage(call, "%s is a model: it needs --clean-landmarks FILE",
                               call->arguments[0]);
    }
    if (!cli_parse_axes(call, &how)) {
        return CLI_USAGE;
    }
    cli_progress_begin(call, &progress);
    sn_context *context = cli_context(call, &error);
    SN_TRY(error.status);
    SN_TRY(read_clean(call, context, &in, &error));
    SN_TRY(read_scan(call, context, &how, &in, &error));
    SN_TRY(sn_conform_head(context, &in.desc, &progress.progress, &conformed, &error));
    if (proposed != NULL) {
        SN_TRY(sn_landmarks_write(conformed->proposal->landmarks, proposed, &error));
    }
    SN_TRY(write_mesh(&in, conformed, path, &error));
    cli_progress_end(&progress);
    print_report(call, conformed, path);
cleanup:
    cli_progress_end(&progress);
    sn_conformed_destroy(conformed);
    sn_landmarks_destroy(in.clean_landmarks);
    sn_landmarks_destroy(in.landmarks);
    sn_import_destroy(in.clean);
    sn_import_destroy(in.scan);
    sn_character_destroy(in.character);
    sn_context_destroy(context);
    return cli_end(status, &error);
}

const cli_command cli_conform = {
    .name = "conform",
    .arguments = "CLEAN SCAN -o MESH",
    .summary = "lays a clean head mesh onto a scanned head",
    .details =
        "CLEAN is a document whose skin has landmarks, or a model with --clean-landmarks; it "
        "stands\n"
        "upright on Y and faces +Z. SCAN is a model of any topology, size and pose. Lines are\n"
        "{\"lines\": {\"lips\": [[x, y, z] or a vertex, ...]}} in both landmark files; vertices of "
        "CLEAN.\n"
        "MESH is CLEAN with its vertices in their order, where the scan is.\n"
        "\n"
        "example: sinew conform head.sinew.json scan.obj -o conformed.obj\n",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
