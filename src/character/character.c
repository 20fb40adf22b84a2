// SPDX-License-Identifier: Apache-2.0
#include "character/character.h"

#include "base/file.h"
#include "base/json_internal.h"
#include "base/text.h"
#include "character/assets.h"
#include "character/blueprint/blueprint.h"
#include "character/expand/expand.h"
#include "character/schema/schema.h"

#include <string.h>

struct sn_character {
    sn_context *context;
    sn_json *document;
    char *path; // NULL for a new one
    char *base; // the file beside which relative paths begin; NULL: the present folder
    sni_assets *assets;
};

static sn_status with_source(sn_status status, const sn_character *character, sn_error *error) {
    if (status != SN_OK) {
        sni_error_source(error, character->path);
    }
    return status;
}

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

// `shared` NULL: what is read is its own.
static sn_status make_empty(sn_context *context, sni_assets *shared, const char *path,
                            sn_character **character, sn_error *error) {
    sn_status status = SN_OK;
    sn_character *made = NULL;
    *character = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->assets = shared != NULL ? sni_assets_hold(shared) : sni_assets_create(context);
    status = made->assets != NULL ? SN_OK : sni_fail_memory(error);
    SN_TRY(status);
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
    sn_status status = make_empty(context, NULL, NULL, character, error);
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

static sn_status parse(sn_context *context, sni_assets *shared, const char *path, const char *text,
                       size_t size, sn_character **character, sn_error *error) {
    sn_status status = make_empty(context, shared, path, character, error);
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

sn_status sn_character_parse(sn_context *context, const char *path, const char *text, size_t size,
                             sn_character **character, sn_error *error) {
    return parse(context, NULL, path, text, size, character, error);
}

sn_status sn_character_parse_beside(const sn_character *other, const char *path, const char *text,
                                    size_t size, sn_character **character, sn_error *error) {
    return parse(other->context, other->assets, path, text, size, character, error);
}

sn_status sn_character_replace(sn_character *character, const char *text, size_t size,
                               sn_error *error) {
    sn_json *before = character->document;
    sn_json *document = NULL;
    sn_status status = sn_json_parse(character->context, text, size, &document, error);
    if (status == SN_OK) {
        character->document = document;
        status = sn_character_check(character, error);
        sn_json_destroy(status == SN_OK ? before : document);
        character->document = status == SN_OK ? document : before;
    }
    return with_source(status, character, error);
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
    sni_assets_release(character->assets);
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

sn_status sni_character_decode(const sn_character *character, const sn_json *document,
                               sni_blueprint **blueprint, sn_error *error) {
    sn_status status = SN_OK;
    *blueprint = NULL;
    SN_TRY(check_version(sn_json_root(document), error));
    SN_TRY(sni_schema_check(&sni_document_schema, sn_json_root(document), error));
    SN_TRY(sni_blueprint_create(character->context, document, blueprint, error));
cleanup:
    return with_source(status, character, error);
}

sn_status sn_character_check(const sn_character *character, sn_error *error) {
    sni_expanded expanded = {0};
    sni_blueprint *blueprint = NULL;
    sn_status status = SN_OK;
    SN_TRY(check_version(sn_json_root(character->document), error));
    SN_TRY(sni_expanded_open(character->document, &expanded, error));
    SN_TRY(sni_character_decode(character, expanded.json, &blueprint, error));
cleanup:
    sni_blueprint_destroy(blueprint);
    sni_expanded_close(&expanded);
    return with_source(status, character, error);
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

static void move_files_back(sn_character *character, moved_files *moved) {
    for (uint32_t i = 0; i < moved->count; ++i) {
        moved->items[i].value->as.string = moved->items[i].old;
    }
    sni_free(character->context, moved->items);
    *moved = (moved_files){0};
}

sn_status sn_character_write(sn_character *character, const char *path, char **text, size_t *size,
                             sn_error *error) {
    moved_files moved = {0};
    sn_status status = move_files(character, path, &moved, error);
    if (status == SN_OK) {
        status = sn_json_write(character->document, text, size, error);
    }
    move_files_back(character, &moved);
    return status;
}

sn_status sn_character_save(sn_character *character, const char *path, sn_error *error) {
    sn_context *context = character->context;
    sn_status status = SN_OK;
    moved_files moved = {0};
    char *text = NULL;
    size_t size = 0;
    char *new_path = sni_string_copy(context, path);
    char *new_base = sni_string_copy(context, path);
    if (new_path == NULL || new_base == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(move_files(character, path, &moved, error));
    SN_TRY(sn_json_write(character->document, &text, &size, error));
    SN_TRY(sn_file_write(path, text, size, error));
    sni_free(context, character->path);
    sni_free(context, character->base);
    character->path = new_path;
    character->base = new_base;
    new_path = new_base = NULL;
    moved.count = 0;
cleanup:
    move_files_back(character, &moved);
    sn_json_free_text(context, text);
    sni_free(context, new_path);
    sni_free(context, new_base);
    return status;
}

sn_json *sn_character_document(sn_character *character) {
    return character->document;
}

sn_status sn_character_expand(const sn_character *character, sn_json **expanded, sn_error *error) {
    sni_expanded full = {0};
    sn_status status = sni_expanded_open(character->document, &full, error);
    *expanded = full.owned;
    if (status == SN_OK && full.owned == NULL) {
        status = sni_json_copy(character->document, expanded, error);
    }
    return with_source(status, character, error);
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
    return sni_assets_give(character->assets, name, mesh, error);
}

bool sn_character_changed_files(const sn_character *character, sn_changed_files *changed) {
    return sni_assets_changed(character->assets, changed);
}

sn_status sni_character_import(sn_character *character, const char *base, const sn_value *file,
                               const sn_import **import, sn_error *error) {
    return with_source(sni_assets_import(character->assets, base, file, import, error), character,
                       error);
}

sn_status sni_character_mesh(sn_character *character, const sn_value *value, const char *name,
                             const sn_mesh **mesh, sn_error *error) {
    while (value->parent != NULL) {
        value = value->parent;
    }
    sni_mesh_request request = {sni_character_base(character), value, name};
    return with_source(sni_assets_mesh(character->assets, &request, mesh, error), character, error);
}

sn_status sn_character_mesh(sn_character *character, const char *name, const sn_mesh **mesh,
                            sn_error *error) {
    sni_expanded expanded = {0};
    sn_status status = sni_expanded_open(character->document, &expanded, error);
    if (status == SN_OK) {
        status = sni_character_mesh(character, sn_json_root(expanded.json), name, mesh, error);
    }
    sni_expanded_close(&expanded);
    return status;
}
