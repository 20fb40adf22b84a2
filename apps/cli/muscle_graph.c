// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "muscle_graph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Keys of all muscles of a call, where their file does not say them.
typedef struct request {
    sn_json *keys;
    const char *path; // of the points, for errors; NULL: there are none
} request;

const char *cli_find_wrong_graph(const cli_call *call) {
    const char *mirror = cli_value(call, "--mirror", "x");
    if (cli_has(call, "--curves")) {
        return "--curves is for muscles of kind patch; --kind graph takes --points or --mesh";
    }
    if (!cli_has(call, "--points") && !cli_has(call, "--mesh")) {
        return "--kind graph needs --points FILE, or --mesh MESH that its paths are fitted to";
    }
    return strcmp(mirror, "x") != 0 && strcmp(mirror, "x:0") != 0
               ? "--kind graph is mirrored at x = 0 alone: --mirror x"
               : NULL;
}

// --- Options

// X,Y,Z, or BONE:X,Y,Z, as a place of the document.
static bool add_place(sn_json *json, sn_value *object, const char *text) {
    const char *colon = strrchr(text, ':');
    double point[3];
    char rest;
    if (sscanf(colon != NULL ? colon + 1 : text, "%lf,%lf,%lf%c", &point[0], &point[1], &point[2],
               &rest) != 3) {
        return false;
    }
    char *bone = colon != NULL ? strndup(text, (size_t)(colon - text)) : NULL;
    bool done = (colon == NULL ||
                 (bone != NULL && sn_json_add_string(json, object, "bone", bone) != NULL)) &&
                sn_json_add_numbers(json, object, "point", point, 3) != NULL;
    free(bone);
    return done;
}

// All values of an option, as a list of places.
static sn_status add_places(const cli_call *call, const request *r, const char *option,
                            const char *key, sn_error *error) {
    sn_value *list = NULL;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], option) != 0) {
            continue;
        }
        list = list != NULL ? list : sn_json_add_array(r->keys, sn_json_root(r->keys), key);
        sn_value *place = sn_json_add_object(r->keys, list, NULL);
        if (place == NULL) {
            return app_fail_memory(error);
        }
        if (!add_place(r->keys, place, call->option_values[i])) {
            return app_fail(error, SN_INVALID, NULL, "%s takes X,Y,Z or BONE:X,Y,Z, not \"%s\"",
                            option, call->option_values[i]);
        }
    }
    return SN_OK;
}

static sn_status read_options(const cli_call *call, const request *r, sn_error *error) {
    static const char *const texts[][2] = {{"--control", "contraction"}, {"--group", "group"}};
    sn_value *root = sn_json_root(r->keys);
    const char *center = cli_value(call, "--center", NULL);
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        const char *text = cli_value(call, texts[i][0], NULL);
        if (text != NULL && sn_json_add_string(r->keys, root, texts[i][1], text) == NULL) {
            SN_TRY(app_fail_memory(error));
        }
    }
    SN_TRY(add_places(call, r, "--origin", "origins", error));
    SN_TRY(add_places(call, r, "--insertion", "insertions", error));
    if (center != NULL &&
        !add_place(r->keys, sn_json_add_object(r->keys, root, "center"), center)) {
        SN_TRY(app_fail(error, SN_INVALID, NULL, "--center takes X,Y,Z or BONE:X,Y,Z, not \"%s\"",
                        center));
    }
    if ((cli_has(call, "--sphincter") &&
         sn_json_add_bool(r->keys, root, "sphincter", true) == NULL) ||
        (cli_has(call, "--mirror") && sn_json_add_bool(r->keys, root, "mirror", true) == NULL)) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    return status;
}

// --- Meshes

// The mesh of the document that the option names: its own, or a file that is added under the
// muscle's name.
static sn_status add_mesh(const cli_call *call, sn_character *character, const char *name,
                          const request *r, sn_error *error) {
    const char *mesh = cli_value(call, "--mesh", NULL);
    sn_json *json = sn_character_document(character);
    sn_value *root = sn_json_root(json), *meshes = (sn_value *)sn_value_get(root, "meshes");
    char relative[APP_PATH_BYTES];
    if (mesh == NULL) {
        return SN_OK;
    }
    if (sn_value_get(meshes, mesh) == NULL) {
        if (access(mesh, R_OK) != 0 || !app_relative_path(call->arguments[0], mesh, relative)) {
            return app_fail(error, SN_INVALID, NULL,
                            "\"%s\" is neither a mesh of the document nor a file", mesh);
        }
        if (sn_value_get(meshes, name) != NULL) {
            return app_fail(error, SN_INVALID, NULL, "there is a mesh \"%s\" already", name);
        }
        meshes = meshes != NULL ? meshes : sn_json_add_object(json, root, "meshes");
        sn_value *entry = sn_json_add_object(json, meshes, name);
        if (sn_json_add_string(json, entry, "file", relative) == NULL) {
            return app_fail_memory(error);
        }
        mesh = name;
    }
    return sn_json_add_string(r->keys, sn_json_root(r->keys), "mesh", mesh) != NULL
               ? SN_OK
               : app_fail_memory(error);
}

// --- Points

// What the file says of a muscle goes before what the options say of all.
static sn_status add_one(sn_character *character, const char *name, const sn_value *given,
                         const request *r, sn_error *error) {
    sn_value *root = sn_json_root(r->keys), *made = sn_json_add_object(r->keys, root, "muscle");
    sn_status status = made != NULL ? SN_OK : app_fail_memory(error);
    const sn_value *from[2] = {given, root};
    for (int k = 0; k < 2 && status == SN_OK; ++k) {
        for (uint32_t i = 0; i < sn_value_count(from[k]) && status == SN_OK; ++i) {
            const sn_value *value = sn_value_at(from[k], i);
            bool wanted = value != made && sn_value_get(made, value->key) == NULL;
            if (wanted && sn_json_add_copy(r->keys, made, value->key, value) == NULL) {
                status = app_fail_memory(error);
            }
        }
    }
    if (status == SN_OK) {
        status = sn_character_add_graph(character, name, made, error);
    }
    sn_json_remove(made);
    return status;
}

// A file holds one muscle, or several by name, which may stand under "muscles".
static sn_status add_file(const cli_call *call, sn_character *character, const sn_value *root,
                          const request *r, sn_error *error) {
    const sn_value *map = sn_value_get(root, "muscles");
    const char *named = cli_value(call, "--name", NULL);
    sn_status status = SN_OK;
    map = map != NULL ? map : root;
    if (sn_value_get(root, "points") != NULL) {
        return add_one(character, named != NULL ? named : "muscle", root, r, error);
    }
    if (map->type != SN_JSON_OBJECT || sn_value_count(map) == 0) {
        return app_fail(error, SN_INVALID, r->path, "there are no points");
    }
    if (named != NULL && sn_value_count(map) > 1) {
        return app_fail(error, SN_INVALID, r->path,
                        "there are %u muscles with names of their own; --name is for one",
                        sn_value_count(map));
    }
    for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(map, i);
        status = add_one(character, named != NULL ? named : value->key, value, r, error);
    }
    return status;
}

sn_status cli_add_graphs(const cli_call *call, sn_context *context, sn_character *character,
                         sn_error *error) {
    request r = {.path = cli_value(call, "--points", NULL)};
    const char *name = cli_value(call, "--name", "muscle");
    sn_json *points = NULL;
    char *text = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(context, &r.keys, error));
    SN_TRY(read_options(call, &r, error));
    SN_TRY(add_mesh(call, character, name, &r, error));
    if (r.path == NULL) {
        SN_TRY(add_one(character, name, NULL, &r, error));
        goto cleanup;
    }
    SN_TRY(app_read_text(r.path, &text, &size, error));
    status = sn_json_parse(context, text, size, &points, error);
    if (status != SN_OK) {
        snprintf(error->source, sizeof error->source, "%s", r.path);
        goto cleanup;
    }
    SN_TRY(add_file(call, character, sn_json_root(points), &r, error));
cleanup:
    free(text);
    sn_json_destroy(points);
    sn_json_destroy(r.keys);
    return status;
}
