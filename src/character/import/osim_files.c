// SPDX-License-Identifier: Apache-2.0
//
// Where the meshes of an OpenSim model lie.
//
// Models name them without folder, or with the folder of the machine that they were made on. As
// OpenSim does, they are looked for beside the model and in Geometry/ beside it; then in the
// folders above and in their Geometry/, since models of one collection share that; last where the
// user says. A name that is nowhere as it is written is looked for without regard to case.
#include "base/file.h"
#include "base/scratch.h"
#include "character/import/osim.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// How many folders above that of the model are looked in, and what is looked in at each.
enum { LEVELS = 4, AT_EACH = 3, PLACE_COUNT = (LEVELS + 1) * AT_EACH };
static const char *const at_each[AT_EACH] = {"", "Geometry/", ""}; // the last: of any other case

static bool is_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (stream != NULL) {
        fclose(stream);
    }
    return stream != NULL;
}

typedef struct listing {
    const char *wanted;
    char name[SNI_OSIM_NAME_BYTES]; // "": not found
} listing;

static bool look_at(const char *path, void *user) {
    listing *l = user;
    const char *name = sni_path_name(path);
    bool fits = strcasecmp(name, l->wanted) == 0 && strlen(name) < sizeof l->name;
    // Of several the first by name, in whatever order the folder has them.
    if (fits && (l->name[0] == 0 || strcmp(name, l->name) < 0)) {
        snprintf(l->name, sizeof l->name, "%s", name);
    }
    return true;
}

// The file of a folder that has a name, NULL where there is none. A stranger's file may not lead
// out of the folder, by its dots or through a link.
static sn_status look_in(sn_context *context, const char *folder, const char *name, bool any_case,
                         char **found) {
    listing l = {.wanted = name};
    sn_error outside = {0};
    if (any_case) {
        sni_folder_visit(folder[0] != 0 ? folder : ".", look_at, &l);
        name = l.name;
    }
    sn_status status =
        name[0] != 0 ? sni_path_inside(context, folder, name, found, &outside) : SN_IO;
    if (status == SN_OK && !is_file(*found)) {
        sni_free(context, *found);
        *found = NULL;
    }
    return status == SN_OUT_OF_MEMORY ? status : SN_OK;
}

static bool look_for_geometry(const char *path, void *user) {
    return strcmp(sni_path_name(path), "Geometry") == 0 || look_at(path, user);
}

// Appends the folder "geometry" of a folder, as it is written there, and a slash.
static char *append_geometry(sn_context *context, const char *folder) {
    listing l = {.wanted = "geometry"};
    sni_folder_visit(folder[0] != 0 ? folder : ".", look_for_geometry, &l);
    size_t length = strlen(folder) + sizeof l.name + 2;
    char *path = sni_alloc(context, length, 1);
    if (path != NULL) {
        snprintf(path, length, "%s%s/", folder, l.name[0] != 0 ? l.name : l.wanted);
    }
    return path;
}

// A folder to look in, with a slash at its end; NULL when memory runs out.
static char *folder_at(const sni_osim_builder *b, uint32_t place) {
    char folder[3 * LEVELS + 16] = "";
    if (place == PLACE_COUNT) {
        size_t length = strlen(b->desc->geometry) + 2;
        char *path = sni_alloc(b->context, length, 1);
        if (path != NULL) {
            snprintf(path, length, "%s/", b->desc->geometry);
        }
        return path;
    }
    for (uint32_t level = 0; level < place / AT_EACH; ++level) {
        memcpy(folder + 3 * level, "../", 4);
    }
    strcat(folder, at_each[place % AT_EACH]);
    char *path = sni_path_beside(b->context, b->model_path, folder);
    if (path == NULL || place % AT_EACH < 2) {
        return path;
    }
    char *geometry = append_geometry(b->context, path);
    sni_free(b->context, path);
    return geometry;
}

// The last part of a name, whichever way the slashes lean.
static const char *last_part(const char *file) {
    const char *name = sni_path_name(file), *back = strrchr(name, '\\');
    return back != NULL ? back + 1 : name;
}

sn_status sni_osim_find_mesh(const sni_osim_builder *b, const char *file, char **found,
                             sn_error *error) {
    const char *names[2] = {file, last_part(file)};
    uint32_t count = PLACE_COUNT + (b->desc->geometry != NULL);
    *found = NULL;
    for (uint32_t round = 0; round < 3; ++round) {
        const char *name = names[round > 0];
        for (uint32_t i = 0; i < count && *found == NULL; ++i) {
            char *folder = folder_at(b, i);
            sn_status status = folder != NULL ? look_in(b->context, folder, name, round == 2, found)
                                              : SN_OUT_OF_MEMORY;
            sni_free(b->context, folder);
            if (status != SN_OK) {
                return sni_fail_memory(error);
            }
        }
    }
    return SN_OK;
}
