// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "files/recent.h"

#include "common/common.h"
#include "common/file.h"

#include <string.h>
#include <unistd.h>

static void name_list(const char *state_folder, char path[APP_PATH_BYTES]) {
    snprintf(path, APP_PATH_BYTES, "%s/recent.json", state_folder);
}

// The list as it is on disk, NULL where there is none that can be read.
static sn_json *read_list(sn_context *context, const char *state_folder) {
    char path[APP_PATH_BYTES];
    sn_error ignored = {0};
    sn_json *json = NULL;
    name_list(state_folder, path);
    return app_read_json(context, path, &json, &ignored) == SN_OK ? json : NULL;
}

static const char *path_of(const sn_value *entry) {
    return sn_value_string(sn_value_get(entry, "path"), NULL);
}

static bool add_entry(sn_json *json, sn_value *list, const char *path, const char *name,
                      double when) {
    sn_value *entry = sn_json_add_object(json, list, NULL);
    return sn_json_add_string(json, entry, "path", path) != NULL &&
           sn_json_add_string(json, entry, "name", name) != NULL &&
           sn_json_add_number(json, entry, "when", when) != NULL;
}

static sn_status write_list(sn_context *context, const char *state_folder, const sn_json *json,
                            sn_error *error) {
    char path[APP_PATH_BYTES];
    char *text = NULL;
    size_t size = 0;
    name_list(state_folder, path);
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(json, &text, &size, error));
    SN_TRY(sn_file_write(path, text, size, error));
cleanup:
    sn_json_free_text(context, text);
    return status;
}

sn_status recent_note(sn_context *context, const char *state_folder, const char *path,
                      const char *name, double when, sn_error *error) {
    sn_json *json = NULL, *old = read_list(context, state_folder);
    const sn_value *entries = sn_value_get(old != NULL ? sn_json_root(old) : NULL, "recent");
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(context, &json, error));
    sn_value *list = sn_json_add_array(json, sn_json_root(json), "recent");
    bool done = list != NULL && add_entry(json, list, path, name, when);
    for (uint32_t i = 0; i < sn_value_count(entries) && done; ++i) {
        const sn_value *entry = sn_value_at(entries, i);
        const char *other = path_of(entry);
        if (other != NULL && strcmp(other, path) != 0 && sn_value_count(list) < RECENT_LIMIT) {
            done = sn_json_add_copy(json, list, NULL, entry) != NULL;
        }
    }
    SN_TRY(done ? write_list(context, state_folder, json, error) : app_fail_memory(error));
cleanup:
    sn_json_destroy(json);
    sn_json_destroy(old);
    return status;
}

sn_status recent_add(sn_context *context, const char *state_folder, sn_json *json, sn_value *object,
                     const char *key, sn_error *error) {
    sn_json *old = read_list(context, state_folder);
    const sn_value *entries = sn_value_get(old != NULL ? sn_json_root(old) : NULL, "recent");
    sn_value *list = sn_json_add_array(json, object, key);
    bool done = list != NULL;
    for (uint32_t i = 0; i < sn_value_count(entries) && done; ++i) {
        const sn_value *entry = sn_value_at(entries, i);
        const char *path = path_of(entry);
        if (path == NULL) {
            continue;
        }
        done = add_entry(json, list, path, sn_value_string(sn_value_get(entry, "name"), ""),
                         sn_value_number(sn_value_get(entry, "when"), 0)) &&
               sn_json_add_bool(json, (sn_value *)sn_value_at(list, sn_value_count(list) - 1),
                                "missing", access(path, R_OK) != 0) != NULL;
    }
    sn_json_destroy(old);
    return done ? SN_OK : app_fail_memory(error);
}
