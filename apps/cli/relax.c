// SPDX-License-Identifier: Apache-2.0
#include "relax.h"

#include <string.h>
#include <sys/stat.h>

void cli_split_motion(const char *motion, char file[APP_PATH_BYTES], const char **clip) {
    const char *hash = strrchr(motion, '#'), *slash = strrchr(motion, '/');
    const char *dot = strchr(slash != NULL ? slash : motion, '.');
    bool named = hash != NULL && dot != NULL && dot < hash;
    snprintf(file, APP_PATH_BYTES, "%.*s", named ? (int)(hash - motion) : APP_PATH_BYTES, motion);
    *clip = named ? hash + 1 : NULL;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Whether a motion is that of another file than the model's: one that its weights were not made
// for.
static bool is_of_others(const char *motion, const char *model, const sn_json *json) {
    char file[APP_PATH_BYTES];
    const char *clip;
    const sn_value *own = sn_value_get(sn_value_get(sn_json_root(json), "clips"), motion);
    cli_split_motion(motion, file, &clip);
    return own == NULL && !is_same_file(file, model);
}

static bool plays_others(const cli_call *call, const char *model, sn_character *character) {
    const sn_json *json = sn_character_document(character);
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--motion") == 0 &&
            is_of_others(call->option_values[i], model, json)) {
            return true;
        }
    }
    return false;
}

// Whether what is written holds bones and weights, with which nothing can be evened out.
static bool writes_weights(const cli_call *call) {
    const char *glb = cli_value(call, "--glb", "");
    if (strcmp(call->command->name, "run") != 0 || strcmp(glb, "morph") == 0) {
        return false;
    }
    return strcmp(glb, "") != 0 || app_has_extension(cli_value(call, "-o", ""), ".glb");
}

bool cli_check_relax(const cli_call *call) {
    if (cli_has(call, "--relax") && cli_has(call, "--no-relax")) {
        cli_wrong_usage(call, "takes --relax or --no-relax, not both");
        return false;
    }
    return true;
}

static void tell(const cli_call *call, uint32_t skins, bool relaxed, bool left) {
    if (call->quiet || skins == 0) {
        return;
    }
    if (left) {
        fprintf(stderr, "edges stay as the weights have them, since bones and weights are written "
                        "(--relax evens them out, --glb morph writes that)\n");
    } else if (relaxed) {
        fprintf(stderr,
                "relax: edges of %u skin%s that bones fold or stretch are evened out "
                "(--no-relax: as the weights have them)\n",
                skins, cli_s(skins));
    } else {
        fprintf(stderr, "%u skin%s without relax\n", skins, cli_s(skins));
    }
}

sn_status cli_relax(const cli_call *call, const char *path, sn_character *character,
                    sn_error *error) {
    bool asked = cli_has(call, "--relax"), refused = cli_has(call, "--no-relax");
    bool is_model = !app_has_extension(path, ".json") && !app_has_extension(path, ".osim");
    bool usual = is_model && !refused && !asked && plays_others(call, path, character);
    bool left = usual && writes_weights(call);
    uint32_t changed = 0;
    if (!asked && !refused && !usual) {
        return SN_OK;
    }
    sn_status status = sn_character_relax(character, !refused, &changed, error);
    if (status == SN_OK && left) {
        status = sn_character_relax(character, false, NULL, error);
    }
    if (status == SN_OK) {
        tell(call, changed, !refused, left);
    }
    return status;
}
