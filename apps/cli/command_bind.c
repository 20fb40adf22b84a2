// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cli.h"
#include "common/older.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"--skeleton", "RIG",
     "the skeleton to bind to: a model file, a document, or human or quadruped: one fitted to MESH",
     false},
    {"--front", "+z|-z|+x|-x", "where the body faces, for a fitted skeleton (default: guess)",
     false},
    {"-o", "OUT", "the .glb to write: the mesh with skeleton and weights", false},
    {"--document", "NEW", "writes a document that uses OUT, too", false},
    {"--influences", "N", "bones that a vertex follows at most, 1 to 32 (default: 4)", false},
    {"--resolution", "N", "nodes of the grid along the longest side, 16 to 1024 (default: 160)",
     false},
    {"--bone", "NAME",
     "a bone that may move the mesh (default: all, or those that RIG's skin uses)", true},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// What is bound: the skins of MESH as they stand in the world at rest.
typedef struct body {
    uint32_t mesh_count;
    sn_mesh **meshes;
    uint64_t vertex_count;
} body;

// The skeleton that they are bound to.
typedef struct rig {
    sn_character *character;
    sn_model *model;
    sn_fitted_skeleton *fitted; // in place of both
    const sn_skeleton *skeleton;
    const char **bones; // names, NULL: all
    uint32_t bone_count;
} rig;

// ---------------------------------------------------------------------------------------------
// The body

static void turn_values(const sn_mat4 *by, float *values, uint32_t count, uint32_t width) {
    for (uint32_t i = 0; i < count; ++i) {
        float *value = values + (size_t)i * width;
        sn_vec3_store(sn_mat4_direction(by, sn_vec3_load(value)), value);
    }
}

// Takes a mesh to the world: its points are known, and directions turn as its segment has turned.
static void place_mesh(sn_mesh *mesh, const float *points, const sn_mat4 *world) {
    memcpy(mesh->positions, points, 3 * (size_t)mesh->vertex_count * sizeof *points);
    for (uint32_t i = 0; world != NULL && i < mesh->attribute_count; ++i) {
        const sn_attribute *a = &mesh->attributes[i];
        if (strcmp(a->name, "normal") == 0 || strcmp(a->name, "tangent") == 0) {
            turn_values(world, a->values, a->count, a->width);
        }
    }
    for (uint32_t i = 0; world != NULL && i < mesh->target_count; ++i) {
        turn_values(world, mesh->targets[i].offsets, mesh->targets[i].count, 3);
    }
}

static sn_status open_body(const cli_call *call, const cli_session *session, body *b,
                           sn_error *error) {
    uint32_t count = sn_model_surface_count(session->model);
    b->meshes = calloc(count + 1, sizeof *b->meshes);
    if (b->meshes == NULL) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = sn_model_surface(session->model, i);
        if (surface->layer != SN_LAYER_SKIN || !surface->shown) {
            continue;
        }
        sn_mesh **mesh = &b->meshes[b->mesh_count];
        sn_status status = sn_mesh_copy(surface->mesh, mesh, error);
        if (status != SN_OK) {
            return status;
        }
        place_mesh(*mesh, sn_frame_points(session->frame, i),
                   surface->in_segment_frame ? &sn_frame_worlds(session->frame)[surface->segment]
                                             : NULL);
        b->vertex_count += (*mesh)->vertex_count;
        b->mesh_count++;
    }
    return b->mesh_count > 0
               ? SN_OK
               : app_fail(error, SN_INVALID, call->arguments[0], "there is no mesh to bind");
}

static void body_close(body *b) {
    for (uint32_t i = 0; i < b->mesh_count; ++i) {
        sn_mesh_destroy(b->meshes[i]);
    }
    free(b->meshes);
}

// ---------------------------------------------------------------------------------------------
// The rig

// Marks the segments that the weights of the rig's own skins use.
static bool mark_bones(const sn_model *model, uint8_t *marks) {
    bool any = false;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        const sn_weights *weights = surface->mesh->weights;
        if (surface->layer != SN_LAYER_SKIN || surface->bone_segments == NULL || weights == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < weights->offsets[surface->mesh->vertex_count]; ++k) {
            if (weights->values[k] > 0) {
                marks[surface->bone_segments[weights->bones[k]]] = 1;
                any = true;
            }
        }
    }
    return any;
}

static sn_status choose_bones(const cli_call *call, rig *r, sn_error *error) {
    const sn_skeleton *skeleton = r->skeleton;
    uint8_t *marks = calloc((size_t)skeleton->segment_count + 1, 1);
    r->bones = calloc((size_t)skeleton->segment_count + call->option_count + 1, sizeof *r->bones);
    if (marks == NULL || r->bones == NULL) {
        free(marks);
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--bone") == 0) {
            r->bones[r->bone_count++] = call->option_values[i];
        }
    }
    if (r->bone_count == 0 && r->model != NULL && mark_bones(r->model, marks)) {
        for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
            if (marks[i]) {
                r->bones[r->bone_count++] = skeleton->segments[i].name;
            }
        }
    }
    free(marks);
    return SN_OK;
}

// The names of fronts, in the order of sn_front.
static const char *const front_names[] = {"guess", "+z", "-z", "+x", "-x"};

static bool is_plan(const char *name, sn_plan *plan) {
    *plan = strcmp(name, "quadruped") == 0 ? SN_PLAN_QUADRUPED : SN_PLAN_HUMAN;
    return *plan == SN_PLAN_QUADRUPED || strcmp(name, "human") == 0;
}

static sn_status read_front(const cli_call *call, sn_front *front, sn_error *error) {
    const char *name = cli_value(call, "--front", front_names[0]);
    for (size_t i = 0; i < sizeof front_names / sizeof *front_names; ++i) {
        if (strcmp(name, front_names[i]) == 0) {
            *front = (sn_front)i;
            return SN_OK;
        }
    }
    return app_fail(error, SN_INVALID, "--front", "\"%s\" is none of +z, -z, +x, -x, guess", name);
}

static sn_status open_rig(const cli_call *call, cli_session *session, const body *b, rig *r,
                          sn_error *error) {
    const char *path = cli_value(call, "--skeleton", "");
    sn_status status = SN_OK;
    sn_fit_skeleton_desc desc = sn_fit_skeleton_desc_default();
    if (is_plan(path, &desc.plan)) {
        SN_TRY(read_front(call, &desc.front, error));
        status = sn_fit_skeleton(session->context, &desc, b->mesh_count, b->meshes,
                                 &session->progress.progress, &r->fitted, error);
        if (status != SN_OK && error->source[0] == '\0') {
            snprintf(error->source, sizeof error->source, "%s", call->arguments[0]);
        }
        SN_TRY(status);
        r->skeleton = &r->fitted->skeleton;
    } else if (strcmp(path, "biped") == 0) {
        SN_TRY(app_fail(error, SN_INVALID, "--skeleton",
                        "no skeleton of a biped can be fitted, only those of a human and of a "
                        "quadruped; give a rig"));
    } else if (cli_has(call, "--front")) {
        SN_TRY(app_fail(error, SN_INVALID, "--front",
                        "is for skeletons that are fitted, human and quadruped"));
    } else {
        SN_TRY(cli_open_character(call, session->context, path, &r->character, error));
        SN_TRY(sn_model_create(r->character, &session->progress.progress, &r->model, error));
        r->skeleton = sn_model_skeleton(r->model);
    }
    SN_TRY(choose_bones(call, r, error));
cleanup:
    return status;
}

static void rig_close(rig *r) {
    free(r->bones);
    sn_fitted_skeleton_destroy(r->fitted);
    sn_model_destroy(r->model);
    sn_character_destroy(r->character);
}

// ---------------------------------------------------------------------------------------------
// What is written

static sn_status write_document(const char *model, const char *path, sn_context *context,
                                sn_error *error) {
    sn_import *import = NULL;
    sn_character *character = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(context, model, &import, error));
    SN_TRY(sn_character_from_import(import, model, path, &character, error));
    SN_TRY(cli_save_character(character, path, error));
    printf("%s: uses %s\n", path, model);
cleanup:
    sn_character_destroy(character);
    sn_import_destroy(import);
    return status;
}

static sn_status write_model(const cli_call *call, const cli_session *session, const body *b,
                             const rig *r, sn_error *error) {
    const char *path = cli_value(call, "-o", ""), *document = cli_value(call, "--document", NULL);
    app_older older = {0};
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = b->mesh_count;
    desc.meshes = (const sn_mesh *const *)b->meshes;
    desc.skeleton = r->skeleton;
    sn_status status = SN_OK;
    SN_TRY(app_older_take(&older, path, error));
    SN_TRY(sn_export_skinned(session->context, path, &desc, error));
    if (document != NULL) {
        status = write_document(path, document, session->context, error);
        if (status != SN_OK) {
            app_older_bring_back(&older);
        }
    }
cleanup:
    app_older_free(&older);
    return status;
}

static void print_report(const cli_call *call, const body *b, const rig *r, uint32_t influences,
                         const sn_bind_report *report) {
    printf("%s: %llu vertices bound to %u bone%s, at most %u each\n", cli_value(call, "-o", ""),
           (unsigned long long)b->vertex_count, report->bone_count, cli_s(report->bone_count),
           influences);
    if (r->fitted != NULL) {
        printf("  skeleton of %u segments fitted to a body of %.2f m that faces %s%s\n",
               r->skeleton->segment_count, r->fitted->height, front_names[r->fitted->front],
               r->fitted->front_guessed ? " (guessed; --front says otherwise)" : "");
        if (r->fitted->notes[0] != 0) {
            printf("  %s\n", r->fitted->notes);
        }
    }
    printf("  grid of %u x %u x %u nodes, %.3g m apart\n", report->nodes[0], report->nodes[1],
           report->nodes[2], report->spacing);
    if (report->loose_count > 0) {
        printf("  %u of %u parts of the mesh have no bone and follow the surface nearest to them\n",
               report->loose_count, report->part_count);
    }
    if (report->outside_count > 0) {
        const sn_skeleton *skeleton = r->skeleton;
        printf("  %u of %u bones lie outside the mesh and move nothing, the first is \"%s\"\n",
               report->outside_count, report->limb_count,
               skeleton->segments[report->first_outside].name);
    }
}

// A rig that stands elsewhere is bound without an error, and what comes out is of no use.
static void warn_of_place(const sn_bind_report *report) {
    if (2 * report->outside_count > report->limb_count) {
        fprintf(stderr,
                "warning: %u of %u bones lie outside the mesh: the skeleton should stand in it at "
                "rest, of one size and facing the same way (--unit and --up tell how the mesh was "
                "made)\n",
                report->outside_count, report->limb_count);
    }
}

static sn_status bind(const cli_call *call, cli_session *session, sn_bind_desc *desc,
                      sn_error *error) {
    body b = {0};
    rig r = {0};
    sn_bind_report report;
    sn_status status = SN_OK;
    SN_TRY(open_body(call, session, &b, error));
    SN_TRY(open_rig(call, session, &b, &r, error));
    desc->skeleton = r.skeleton;
    desc->segments = r.bone_count > 0 ? r.bones : NULL;
    desc->segment_count = r.bone_count;
    SN_TRY(sn_bind_meshes(session->context, desc, b.mesh_count, b.meshes,
                          &session->progress.progress, &report, error));
    cli_progress_end(&session->progress);
    SN_TRY(write_model(call, session, &b, &r, error));
    print_report(call, &b, &r, desc->influences, &report);
    warn_of_place(&report);
cleanup:
    body_close(&b);
    rig_close(&r);
    return status;
}

static int run(const cli_call *call) {
    sn_bind_desc desc = sn_bind_desc_default();
    if (!cli_has(call, "--skeleton")) {
        return cli_wrong_usage(call, "needs --skeleton RIG");
    }
    if (!app_has_extension(cli_value(call, "-o", ""), ".glb")) {
        return cli_wrong_usage(call, "needs -o OUT.glb");
    }
    if (!cli_parse_uint(call, "--influences", desc.influences, 1, 32, &desc.influences) ||
        !cli_parse_uint(call, "--resolution", desc.resolution, 16, 1024, &desc.resolution)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session = {0};
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    SN_TRY(bind(call, &session, &desc, &error));
cleanup:
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_bind = {
    .name = "bind",
    .arguments = "MESH --skeleton RIG -o OUT.glb",
    .summary = "gives a mesh without weights a skeleton and weights",
    .details =
        "MESH is a model file or a document; its skins are bound together, as they stand at rest.\n"
        "RIG stands in them at rest. Weights come from the distance to bones inside the body, so\n"
        "that an arm beside the trunk does not pull it. The mesh may be open, in parts, or not\n"
        "manifold; its vertices keep their order.\n"
        "\n"
        "With --skeleton human, one of 22 bones is fitted to an upright human in an A- or T-pose,\n"
        "with --skeleton quadruped one to a body on four legs. What was guessed is said; where it\n"
        "does not find legs, arms or neck, it says so.\n"
        "\n"
        "example: sinew bind human.obj --skeleton rig.glb -o human.glb\n"
        "         sinew bind human.obj --skeleton human -o human.glb\n"
        "         sinew bind fox.obj --skeleton quadruped --front +z -o fox.glb\n"
        "         sinew run human.glb --motion walk.bvh -o walk.glb\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
