// SPDX-License-Identifier: Apache-2.0
#include "common/propose.h"
#include "layout.h"
#include "new_folder.h"
#include "new_motion.h"
#include "relax.h"

#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"-o", "DOC", "the document to write (default: NAME.sinew.json beside the model)", false},
    {"--force", NULL, "replaces a document that already exists", false},
    {"--motion", "FILE",
     "a motion file (FILE#CLIP: one of several) that becomes a clip; OpenSim models: .mot or .sto",
     true},
    CLI_MAP,
    CLI_PAIRING,
    {"--skin-with", "HOW",
     "how bones move skins: linear (default), dual_quaternion, or implicit: folds touch, and skins "
     "follow fibres (default with --muscles fibre)",
     false},
    CLI_RELAX,
    CLI_NO_RELAX,
    {"--geometry", "DIR", "OpenSim models: another folder to look for their meshes in", false},
    {"--muscles", "KIND",
     "models: patch or fibre, proposed as `sinew propose --kind` does (default: none); OpenSim "
     "models: cylinder (default) or fibre; folders: mesh (default), fibre or graph",
     false},
    {"--no-skin", NULL, "OpenSim models: makes bones and muscles, but no skin", false},
    {"--rig", "MODEL", "folders: the rigged model that gives skeleton and skin, or none", false},
    {"--report", "JSON", "folders: writes what was guessed and how well each muscle fits", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

static void print_summary(const sn_import *import, uint32_t added, const char *path) {
    uint32_t clips = import->clip_count + added;
    uint64_t vertices = 0;
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        vertices += import->meshes[i]->vertex_count;
    }
    uint32_t segments = import->skeleton.segment_count, meshes = import->mesh_count;
    printf("%s: %u segment%s, %u mesh%s with %llu vertices, %u clip%s\n", path, segments,
           cli_s(segments), meshes, meshes == 1 ? "" : "es", (unsigned long long)vertices, clips,
           cli_s(clips));
}

// Sets how bones move the skins that `blend` moves.
static sn_status skin_with(sn_character *character, const char *model, const char *how,
                           sn_error *error) {
    sn_json *json = sn_character_document(character);
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    bool done = true, found = false;
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        const sn_value *deformers = sn_value_get(sn_value_at(skins, i), "deformers");
        for (uint32_t k = 0; k < sn_value_count(deformers) && done; ++k) {
            sn_value *deformer = (sn_value *)sn_value_at(deformers, k);
            if (strcmp(sn_value_string(sn_value_get(deformer, "kind"), ""), "blend") != 0) {
                continue;
            }
            found = true;
            if (strcmp(how, "implicit") == 0) {
                done = sn_json_add_string(json, deformer, "kind", how) != NULL;
            } else if (strcmp(how, "linear") != 0) {
                done = sn_json_add_string(json, deformer, "method", how) != NULL;
            }
        }
    }
    if (done && !found) {
        return app_fail(error, SN_INVALID, model,
                        "--skin-with %s: none of its meshes has weights on bones", how);
    }
    return done ? SN_OK : app_fail_memory(error);
}

static bool is_way_of_skinning(const char *how) {
    return strcmp(how, "linear") == 0 || strcmp(how, "dual_quaternion") == 0 ||
           strcmp(how, "implicit") == 0;
}

// Implicit skins follow fibres, so that fibres bring them along.
static const char *find_skinning(const cli_call *call) {
    bool fibres = strcmp(cli_value(call, "--muscles", ""), "fibre") == 0;
    return cli_value(call, "--skin-with", fibres ? "implicit" : "linear");
}

static sn_status propose_muscles(const cli_call *call, sn_character *character,
                                 const cli_progress *progress, sn_muscle_layout **layout,
                                 sn_error *error) {
    sn_propose_desc desc = sn_propose_desc_default();
    bool fibres = strcmp(cli_value(call, "--muscles", ""), "fibre") == 0;
    desc.kind = fibres ? SN_PROPOSE_FIBRE : SN_PROPOSE_PATCH;
    sn_model *model = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_model_create(character, &progress->progress, &model, error));
    SN_TRY(app_propose_muscles(model, NULL, call->arguments[0], desc, &progress->progress, layout,
                               error));
cleanup:
    sn_model_destroy(model);
    return status;
}

// The kinds that --muscles takes besides fibre, for a folder, an OpenSim model and any other model.
static const char *find_wrong_muscles(const char *kind, bool is_folder, bool is_osim) {
    const char *other = is_folder ? "mesh" : is_osim ? "cylinder" : "patch";
    if (kind == NULL || strcmp(kind, "fibre") == 0 || strcmp(kind, other) == 0 ||
        (is_folder && strcmp(kind, "graph") == 0)) {
        return NULL;
    }
    return is_folder ? "--muscles is mesh, fibre or graph for a folder"
           : is_osim ? "--muscles is cylinder or fibre for an OpenSim model"
                     : "--muscles is patch or fibre for a model";
}

// Options that do not go with the kind of model, or with each other.
static const char *find_wrong_use(const cli_call *call, bool is_folder, bool is_osim) {
    uint32_t motions = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        motions += strcmp(call->option_names[i], "--motion") == 0;
    }
    bool pairs = cli_has(call, "--map") || cli_has(call, "--pairing");
    if (!is_osim && (cli_has(call, "--geometry") || cli_has(call, "--no-skin"))) {
        return "--geometry and --no-skin are for OpenSim models only";
    }
    if (is_folder && motions > 0) {
        return "--motion is for models, not for folders";
    }
    if (cli_has(call, "--skin-with") && (is_folder || is_osim)) {
        return "--skin-with is for models whose meshes have weights";
    }
    if (!is_way_of_skinning(cli_value(call, "--skin-with", "linear"))) {
        return "--skin-with takes linear, dual_quaternion or implicit";
    }
    if ((cli_has(call, "--relax") || cli_has(call, "--no-relax")) && (is_folder || is_osim)) {
        return "--relax and --no-relax are for models whose meshes have weights";
    }
    if (cli_has(call, "--relax") && cli_has(call, "--no-relax")) {
        return "takes --relax or --no-relax, not both";
    }
    if (pairs && (is_folder || is_osim)) {
        return "--map and --pairing are for models with joints of their own";
    }
    if (pairs && motions != 1) {
        return "--map and --pairing are about one clip: give one --motion";
    }
    if (!is_folder && (cli_has(call, "--rig") || cli_has(call, "--report"))) {
        return "--rig and --report are for folders only";
    }
    return find_wrong_muscles(cli_value(call, "--muscles", NULL), is_folder, is_osim);
}

// A model: its skeleton, meshes and clips, further clips, and muscles where these are asked for.
// Clips and places of muscles do not depend on how skins are moved. They come first, since implicit
// skins take long to make.
static sn_status make_from_model(const cli_call *call, sn_context *context, const char *path,
                                 cli_progress *progress, sn_error *error) {
    const char *model = call->arguments[0], *how_skinned = find_skinning(call);
    sn_import_desc how;
    cli_parse_model(call, &how);
    sn_import *import = NULL;
    sn_character *character = NULL;
    sn_muscle_layout *layout = NULL;
    sn_status status = SN_OK;
    uint32_t added = 0;
    SN_TRY(sn_import_file_with(context, model, &how, &import, error));
    SN_TRY(sn_character_from_import(import, model, path, &character, error));
    SN_TRY(cli_new_motions(call, context, character, path, progress, &added, error));
    if (cli_has(call, "--muscles")) {
        SN_TRY(propose_muscles(call, character, progress, &layout, error));
    }
    if (strcmp(how_skinned, "linear") != 0 || cli_has(call, "--skin-with")) {
        SN_TRY(skin_with(character, model, how_skinned, error));
    }
    SN_TRY(cli_relax(call, model, character, error));
    if (layout != NULL) {
        SN_TRY(cli_layout_add(character, NULL, layout, &progress->progress, error));
    }
    cli_progress_end(progress);
    SN_TRY(cli_save_character(character, path, error));
    print_summary(import, added, path);
    if (layout != NULL) {
        cli_layout_print(path, layout);
    }
cleanup:
    sn_muscle_layout_destroy(layout);
    sn_character_destroy(character);
    sn_import_destroy(import);
    return status;
}

static int run(const cli_call *call) {
    const char *model = call->arguments[0];
    char standard[4096];
    bool is_folder = app_is_folder(model), is_osim = app_has_extension(model, ".osim");
    app_default_document(model, standard, sizeof standard);
    const char *path = cli_value(call, "-o", standard);
    if (!app_has_extension(path, ".json")) {
        return cli_wrong_usage(call, "writes a document NAME.sinew.json, not \"%s\"", path);
    }
    if (access(path, F_OK) == 0 && !cli_has(call, "--force")) {
        fprintf(stderr, "sinew: %s: already exists; --force replaces it\n", path);
        return CLI_FAILED;
    }
    const char *wrong = find_wrong_use(call, is_folder, is_osim);
    if (wrong != NULL) {
        return cli_wrong_usage(call, "%s", wrong);
    }
    if (is_folder) {
        return cli_new_folder(call, model, path);
    }
    sn_error error = {0};
    cli_progress progress;
    cli_progress_begin(call, &progress);
    sn_context *context = cli_context(call, &error);
    sn_status status = SN_OK;
    SN_TRY(error.status);
    status = is_osim ? cli_new_osim(call, context, model, path, &error)
                     : make_from_model(call, context, path, &progress, &error);
cleanup:
    sn_context_destroy(context);
    cli_progress_end(&progress);
    return cli_end(status, &error);
}

const cli_command cli_new = {
    .name = "new",
    .arguments = "FILE|FOLDER [-o DOC]",
    .summary = "makes a document from a model, or from a folder of bones and muscles",
    .details =
        "FILE is a .glb, .gltf, .vrm, .obj, .stl, .ply, .vtp, .bvh, .fbx or .dae file. Its nodes\n"
        "become the skeleton, its meshes become skins and its animations become clips. The\n"
        "document refers to FILE, which is not changed. Motion files become further clips, with a "
        "list\n"
        "of what moves what (`pairing`).\n"
        "\n"
        "In an OpenSim model (.osim), bodies become segments, coordinates become controls and\n"
        "muscles become cylinders. A skin is made around them.\n"
        "\n"
        "FOLDER has an index.csv with the columns file and kind (docs/anatomy.md). Bones are "
        "placed\n"
        "on the joints of its rigged .glb, or on proposed segments. A muscle is fitted to each\n"
        "muscle's mesh, and the skin follows both. Everything that was guessed is listed.\n"
        "\n"
        "With --muscles fibre the muscles are of kind fibre (docs/fibre.md). A model gets those "
        "that\n"
        "`sinew propose` finds, and its skins follow them.\n"
        "\n"
        "example: sinew new fox.glb -o fox.sinew.json\n"
        "         sinew new human.glb --skin-with implicit\n"
        "         sinew new human.glb --muscles fibre --motion walk.bvh --motion run.bvh\n"
        "         sinew new dog/ -o dog.sinew.json --report dog-fit.json\n"
        "         sinew new human.glb --motion walk.bvh -o human.sinew.json\n"
        "         sinew new gait2392.osim --motion walk.mot -o gait.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
