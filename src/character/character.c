// SPDX-License-Identifier: Apache-2.0
#include "character/character.h"

#include "base/file.h"
#include "base/json_internal.h"
#include "base/text.h"
#include "character/blueprint.h"
#include "character/expand.h"
#include "character/mirror_mesh.h"
#include "character/schema.h"

#include <string.h>

// A file that has been read.
typedef struct asset {
    char *path;
    sn_import *import;
} asset;

// A mesh that came from memory.
typedef struct given_mesh {
    char *name;
    sn_mesh *mesh;
} given_mesh;

// A copy of a mesh that has the weights of another one.
typedef struct weighted_mesh {
    const sn_mesh *mesh, *lender;
    sn_mesh *made;
} weighted_mesh;

// The mirror image of a mesh that was read.
typedef struct mirrored_mesh {
    const sn_mesh *mesh;
    sn_mesh *made;
} mirrored_mesh;

struct sn_character {
    sn_context *context;
    sn_json *document;
    char *path; // NULL for a new one
    char *base; // the file beside which relative paths begin; NULL: the present folder
    uint32_t asset_count;
    asset *assets;
    uint32_t given_count;
    given_mesh *given;
    uint32_t weighted_count;
    weighted_mesh *weighted;
    uint32_t mirrored_count;
    mirrored_mesh *mirrored;
};

sn_context *sni_character_context(const sn_character *character) {
    return character->context;
}

const char *sni_character_base(const sn_character *character) {
    return character->base != NULL ? character->base : "";
}

sn_status sni_character_set_base(sn_character *character, const char *base, sn_error *error) {
    char *copy = sni_string_copy(character->context, base);
    if (copy == NULL) {
        return sni_fail_memory(error);
    }
    sni_free(character->context, character->base);
    character->base = copy;
    return SN_OK;
}

static sn_status make_empty(sn_context *context, const char *path, sn_character **character,
                            sn_error *error) {
    sn_status status = SN_OK;
    sn_character *made = NULL;
    *character = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    if (path != NULL) {
        SN_TRY(sni_character_set_base(made, path, error));
        made->path = sni_string_copy(context, path);
        status = made->path != NULL ? SN_OK : sni_fail_memory(error);
        SN_TRY(status);
    }
    *character = made;
    return SN_OK;
cleanup:
    sn_character_destroy(made);
    return status;
}

sn_status sn_character_create(sn_context *context, const char *name, sn_character **character,
                              sn_error *error) {
    sn_status status = make_empty(context, NULL, character, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_json_create(context, &(*character)->document, error);
    if (status == SN_OK) {
        sn_json *json = (*character)->document;
        sn_value *root = sn_json_root(json);
        if (sn_json_add_number(json, root, "sinew", SN_DOCUMENT_VERSION) == NULL ||
            sn_json_add_string(json, root, "name", name) == NULL) {
            status = sni_fail_memory(error);
        }
    }
    if (status != SN_OK) {
        sn_character_destroy(*character);
        *character = NULL;
    }
    return status;
}

sn_status sn_character_parse(sn_context *context, const char *path, const char *text, size_t size,
                             sn_character **character, sn_error *error) {
    sn_status status = make_empty(context, path, character, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_json_parse(context, text, size, &(*character)->document, error);
    if (status == SN_OK) {
        status = sn_character_check(*character, error);
    }
    if (status != SN_OK) {
        sni_error_source(error, path);
        sn_character_destroy(*character);
        *character = NULL;
    }
    return status;
}

sn_status sn_character_load(sn_context *context, const char *path, sn_character **character,
                            sn_error *error) {
    char *text;
    size_t size;
    *character = NULL;
    sn_status status = sni_file_read(context, path, &text, &size, error);
    if (status == SN_OK) {
        status = sn_character_parse(context, path, text, size, character, error);
        sni_free(context, text);
    }
    return status;
}

void sn_character_destroy(sn_character *character) {
    if (character == NULL) {
        return;
    }
    sn_context *context = character->context;
    for (uint32_t i = 0; i < character->asset_count; ++i) {
        sni_free(context, character->assets[i].path);
        sn_import_destroy(character->assets[i].import);
    }
    for (uint32_t i = 0; i < character->given_count; ++i) {
        sni_free(context, character->given[i].name);
        sn_mesh_destroy(character->given[i].mesh);
    }
    for (uint32_t i = 0; i < character->weighted_count; ++i) {
        sn_mesh_destroy(character->weighted[i].made);
    }
    for (uint32_t i = 0; i < character->mirrored_count; ++i) {
        sn_mesh_destroy(character->mirrored[i].made);
    }
    sni_free(context, character->mirrored);
    sni_free(context, character->assets);
    sni_free(context, character->given);
    sni_free(context, character->weighted);
    sni_free(context, character->path);
    sni_free(context, character->base);
    sn_json_destroy(character->document);
    sni_free(context, character);
}

// A version from the future deserves a better word than "expected 1".
static sn_status check_version(const sn_value *root, sn_error *error) {
    const sn_value *version = sn_value_get(root, "sinew");
    if (version != NULL && version->type == SN_JSON_NUMBER &&
        version->as.number > SN_DOCUMENT_VERSION) {
        return sni_fail_value(
            error, version, SN_UNSUPPORTED,
            "the document is of version %.9g, this program reads up to %d: update "
            "sinew",
            version->as.number, SN_DOCUMENT_VERSION);
    }
    return SN_OK;
}

sn_status sn_character_check(const sn_character *character, sn_error *error) {
    sni_meaning meaning = {0};
    sni_blueprint *blueprint = NULL;
    sn_status status = SN_OK;
    SN_TRY(check_version(sn_json_root(character->document), error));
    SN_TRY(sni_meaning_open(character->document, &meaning, error));
    SN_TRY(sni_schema_check(&sni_document_schema, sn_json_root(meaning.json), error));
    SN_TRY(sni_blueprint_create(character->context, meaning.json, &blueprint, error));
cleanup:
    sni_blueprint_destroy(blueprint);
    sni_meaning_close(&meaning);
    if (status != SN_OK && character->path != NULL) {
        sni_error_source(error, character->path);
    }
    return status;
}

// A "file" of the document that was rewritten, and what it said before.
typedef struct moved_file {
    sn_value *value;
    const char *old;
} moved_file;

typedef struct moved_files {
    uint32_t count;
    moved_file *items;
} moved_files;

// Rewrites one "file" so that it means the same from the folder of `path`.
static sn_status move_file(sn_character *character, sn_value *file, const char *path,
                           moved_files *moved, sn_error *error) {
    sn_context *context = character->context;
    char *from = sni_path_beside(context, character->base, file->as.string);
    char *to = from != NULL ? sni_path_relative(context, path, from) : NULL;
    const char *kept = to != NULL ? sni_json_new_string(character->document, to, strlen(to)) : NULL;
    sni_free(context, from);
    sni_free(context, to);
    if (kept == NULL ||
        !sni_grow_by_one(context, &moved->items, moved->count, sizeof *moved->items)) {
        return sni_fail_memory(error);
    }
    moved->items[moved->count++] = (moved_file){.value = file, .old = file->as.string};
    file->as.string = kept;
    return SN_OK;
}

// Whether two files lie in one folder, however it is written.
static sn_status compare_folders(sn_context *context, const char *a, const char *b, bool *same,
                                 sn_error *error) {
    char *relative = sni_path_relative(context, a, b);
    if (relative == NULL) {
        return sni_fail_memory(error);
    }
    *same = strchr(relative, '/') == NULL;
    sni_free(context, relative);
    return SN_OK;
}

static sn_status move_files(sn_character *character, const char *path, moved_files *moved,
                            sn_error *error) {
    static const char *const maps[] = {"meshes", "clips"};
    bool stays = character->base == NULL;
    sn_status status =
        stays ? SN_OK : compare_folders(character->context, path, character->base, &stays, error);
    if (status != SN_OK || stays) {
        return status;
    }
    for (uint32_t m = 0; m < 2; ++m) {
        const sn_value *map = sn_value_get(sn_json_root(character->document), maps[m]);
        for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
            sn_value *file = (sn_value *)sn_value_get(sn_value_at(map, i), "file");
            bool relative =
                file != NULL && file->type == SN_JSON_STRING && file->as.string[0] != '/';
            status = relative ? move_file(character, file, path, moved, error) : SN_OK;
        }
    }
    return status;
}

static sn_status write_document(sn_character *character, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sni_output output = {0};
    char *text = NULL;
    size_t size = 0;
    SN_TRY(sn_json_write(character->document, &text, &size, error));
    SN_TRY(sni_output_open(character->context, path, &output, error));
    SN_TRY(sni_output_write(&output, text, size, error));
    SN_TRY(sni_output_commit(&output, error));
cleanup:
    sni_output_close(&output);
    sni_free(character->context, text);
    return status;
}

sn_status sn_character_save(sn_character *character, const char *path, sn_error *error) {
    sn_context *context = character->context;
    sn_status status = SN_OK;
    moved_files moved = {0};
    char *new_path = sni_string_copy(context, path);
    char *new_base = sni_string_copy(context, path);
    if (new_path == NULL || new_base == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(move_files(character, path, &moved, error));
    SN_TRY(write_document(character, path, error));
    sni_free(context, character->path);
    sni_free(context, character->base);
    character->path = new_path;
    character->base = new_base;
    sni_free(context, moved.items);
    return SN_OK;
cleanup:
    for (uint32_t i = 0; i < moved.count; ++i) {
        moved.items[i].value->as.string = moved.items[i].old;
    }
    sni_free(context, moved.items);
    sni_free(context, new_path);
    sni_free(context, new_base);
    return status;
}

sn_json *sn_character_document(sn_character *character) {
    return character->document;
}

sn_status sn_character_expand(const sn_character *character, sn_json **expanded, sn_error *error) {
    sni_meaning meaning = {0};
    sn_status status = sni_meaning_open(character->document, &meaning, error);
    *expanded = meaning.owned;
    if (status == SN_OK && meaning.owned == NULL) {
        status = sni_json_copy(character->document, expanded, error);
    }
    if (status != SN_OK && character->path != NULL) {
        sni_error_source(error, character->path);
    }
    return status;
}

const char *sn_character_name(const sn_character *character) {
    return sn_value_string(sn_value_get(sn_json_root(character->document), "name"), "");
}

const char *sn_character_path(const sn_character *character) {
    return character->path;
}

sn_status sn_character_give_mesh(sn_character *character, const char *name, sn_mesh *mesh,
                                 sn_error *error) {
    sn_status status = sn_mesh_validate(mesh, error);
    if (status != SN_OK) {
        sn_mesh_destroy(mesh);
        return status;
    }
    char *copy = sni_string_copy(character->context, name);
    if (copy == NULL || !sni_grow_by_one(character->context, &character->given,
                                         character->given_count, sizeof *character->given)) {
        sni_free(character->context, copy);
        sn_mesh_destroy(mesh);
        return sni_fail_memory(error);
    }
    character->given[character->given_count++] = (given_mesh){.name = copy, .mesh = mesh};
    return SN_OK;
}

static const sn_import *find_asset(const sn_character *character, const char *path) {
    for (uint32_t i = 0; i < character->asset_count; ++i) {
        if (strcmp(character->assets[i].path, path) == 0) {
            return character->assets[i].import;
        }
    }
    return NULL;
}

// The error stands at the document's "file" and quotes what the reader said.
static sn_status read_asset(sn_character *character, const sn_value *file, char *path,
                            const sn_import **import, sn_error *error) {
    sn_import *read = NULL;
    sn_error inner = {0};
    sn_status status = sn_import_file(character->context, path, &read, &inner);
    if (status != SN_OK) {
        char text[sizeof inner.message];
        sn_error_format(&inner, text, sizeof text);
        sni_fail_value(error, file, status, "%s", text);
        sni_error_source(error, character->path);
        return status;
    }
    if (!sni_grow_by_one(character->context, &character->assets, character->asset_count,
                         sizeof *character->assets)) {
        sn_import_destroy(read);
        return sni_fail_memory(error);
    }
    character->assets[character->asset_count++] = (asset){.path = path, .import = read};
    *import = read;
    return SN_OK;
}

sn_status sni_character_import(sn_character *character, const char *base, const sn_value *file,
                               const sn_import **import, sn_error *error) {
    char *path = sni_path_beside(character->context, base, file->as.string);
    if (path == NULL) {
        return sni_fail_memory(error);
    }
    *import = find_asset(character, path);
    if (*import != NULL) {
        sni_free(character->context, path);
        return SN_OK;
    }
    sn_status status = read_asset(character, file, path, import, error);
    if (status != SN_OK) {
        sni_free(character->context, path);
    }
    return status;
}

static const sn_mesh *find_given(const sn_character *character, const char *name) {
    // The newest of a name counts.
    for (uint32_t i = character->given_count; i-- > 0;) {
        if (strcmp(character->given[i].name, name) == 0) {
            return character->given[i].mesh;
        }
    }
    return NULL;
}

static sn_status fail_mesh_choice(const sn_import *import, const sn_value *value, sn_error *error) {
    const sn_value *file = sn_value_get(value, "file");
    const sn_value *name = sn_value_get(value, "mesh");
    if (import->mesh_count == 0) {
        return sni_fail_value(error, file, SN_INVALID, "the file \"%s\" has no mesh",
                              file->as.string);
    }
    if (name == NULL) {
        return sni_fail_value(error, file, SN_INVALID,
                              "the file \"%s\" has %u meshes; name one with \"mesh\", such as "
                              "\"%s\"",
                              file->as.string, import->mesh_count, import->meshes[0]->name);
    }
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name->as.string);
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        sni_closest_try(&closest, import->meshes[i]->name);
    }
    return sni_fail_value(error, name, SN_INVALID, "the file \"%s\" has no mesh \"%s\"%s",
                          file->as.string, name->as.string, sni_closest_hint(&closest, hint));
}

static sn_status choose_mesh(const sn_import *import, const sn_value *value, const sn_mesh **mesh,
                             sn_error *error) {
    const char *name = sn_value_string(sn_value_get(value, "mesh"), NULL);
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        bool chosen =
            name != NULL ? strcmp(import->meshes[i]->name, name) == 0 : import->mesh_count == 1;
        if (chosen) {
            *mesh = import->meshes[i];
            return SN_OK;
        }
    }
    return fail_mesh_choice(import, value, error);
}

static const sn_value *mesh_value(const sn_value *root, const char *name) {
    return sn_value_get(sn_value_get(root, "meshes"), name);
}

static sn_status make_mirrored(sn_character *character, const sn_mesh *mesh, const sn_mesh **made,
                               sn_error *error) {
    for (uint32_t i = 0; i < character->mirrored_count; ++i) {
        if (character->mirrored[i].mesh == mesh) {
            *made = character->mirrored[i].made;
            return SN_OK;
        }
    }
    sn_mesh *image = NULL;
    sn_status status = sni_mirror_mesh(mesh, &image, error);
    if (status != SN_OK) {
        return status;
    }
    if (!sni_grow_by_one(character->context, &character->mirrored, character->mirrored_count,
                         sizeof *character->mirrored)) {
        sn_mesh_destroy(image);
        return sni_fail_memory(error);
    }
    character->mirrored[character->mirrored_count++] = (mirrored_mesh){mesh, image};
    *made = image;
    return SN_OK;
}

// The mesh as it was given or read, whatever "weights" says.
static sn_status find_mesh(sn_character *character, const sn_value *root, const char *name,
                           const sn_mesh **mesh, sn_error *error) {
    *mesh = find_given(character, name);
    if (*mesh != NULL) {
        return SN_OK;
    }
    const sn_value *value = mesh_value(root, name);
    if (value == NULL) {
        return sni_fail(error, SN_INVALID, "there is no mesh \"%s\"", name);
    }
    const sn_value *file = sn_value_get(value, "file");
    if (sn_value_get(value, "extract") != NULL) {
        sni_fail_value(error, value, SN_INVALID,
                       "the mesh is extracted when a model is made and cannot be had before; write "
                       "it to a file with `sinew extract` and name that");
        sni_error_source(error, character->path);
        return SN_INVALID;
    }
    if (file == NULL) {
        sni_fail_value(error, value, SN_INVALID,
                       "the mesh has no \"file\", and none was given from memory");
        sni_error_source(error, character->path);
        return SN_INVALID;
    }
    const sn_import *import;
    sn_status status =
        sni_character_import(character, sni_character_base(character), file, &import, error);
    if (status == SN_OK) {
        status = choose_mesh(import, value, mesh, error);
        if (status != SN_OK) {
            sni_error_source(error, character->path);
        }
    }
    if (status == SN_OK && sn_value_bool(sn_value_get(value, "mirrored"), false)) {
        status = make_mirrored(character, *mesh, mesh, error);
    }
    return status;
}

// Vertices must stand where those of the lender do, up to this part of the mesh's size: the same
// count in another order is a mistake that would show in the pose only.
static const double same_place = 0.01;

static sn_status check_places(const sn_mesh *mesh, const sn_mesh *lender, sn_error *error) {
    sn_vec3 low, high;
    SN_ASSERT(mesh != NULL && lender != NULL);
    sn_mesh_bounds(mesh, &low, &high);
    double allowed = same_place * sn_vec3_distance(low, high);
    for (uint32_t i = 0; i < mesh->vertex_count && mesh->vertex_count == lender->vertex_count;
         ++i) {
        double distance = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)i),
                                           sn_vec3_load(lender->positions + 3 * (size_t)i));
        if (distance > allowed) {
            return sni_fail(error, SN_INVALID,
                            "vertex %u stands %.4g m away from that of \"%s\", whose weights it "
                            "should take",
                            i, distance, lender->name);
        }
    }
    return SN_OK;
}

static sn_status make_weighted(sn_character *character, const sn_mesh *mesh, const sn_mesh *lender,
                               const sn_mesh **made, sn_error *error) {
    for (uint32_t i = 0; i < character->weighted_count; ++i) {
        if (character->weighted[i].mesh == mesh && character->weighted[i].lender == lender) {
            *made = character->weighted[i].made;
            return SN_OK;
        }
    }
    sn_mesh *copy = NULL;
    sn_status status = SN_OK;
    SN_TRY(check_places(mesh, lender, error));
    SN_TRY(sn_mesh_copy(mesh, &copy, error));
    SN_TRY(sn_mesh_copy_weights(copy, lender, error));
    if (!sni_grow_by_one(character->context, &character->weighted, character->weighted_count,
                         sizeof *character->weighted)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    character->weighted[character->weighted_count++] = (weighted_mesh){mesh, lender, copy};
    *made = copy;
    return SN_OK;
cleanup:
    sn_mesh_destroy(copy);
    return status;
}

sn_status sni_character_mesh(sn_character *character, const sn_value *value, const char *name,
                             const sn_mesh **mesh, sn_error *error) {
    while (value->parent != NULL) {
        value = value->parent;
    }
    sn_status status = find_mesh(character, value, name, mesh, error);
    const sn_value *weights = sn_value_get(mesh_value(value, name), "weights");
    const sn_mesh *lender = NULL;
    if (status != SN_OK || weights == NULL) {
        return status;
    }
    status = find_mesh(character, value, weights->as.string, &lender, error);
    if (status == SN_OK) {
        status = sni_at_value(make_weighted(character, *mesh, lender, mesh, error), weights, error);
        if (status != SN_OK) {
            sni_error_source(error, character->path);
        }
    }
    return status;
}

sn_status sn_character_mesh(sn_character *character, const char *name, const sn_mesh **mesh,
                            sn_error *error) {
    sni_meaning meaning = {0};
    sn_status status = sni_meaning_open(character->document, &meaning, error);
    if (status == SN_OK) {
        status = sni_character_mesh(character, sn_json_root(meaning.json), name, mesh, error);
    }
    sni_meaning_close(&meaning);
    return status;
}
