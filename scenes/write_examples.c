// SPDX-License-Identifier: Apache-2.0
//
// write_examples DIR [NAME]: builds every scene, or one, into DIR/NAME.
#define _GNU_SOURCE
#include "scenes/scenes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static sn_status write_scene(sn_context *context, const scn_scene *scene, const char *folder,
                             sn_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, scene->name);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        perror(path);
        return SN_IO;
    }
    return scene->build(context, path, error);
}

int main(int argument_count, char **arguments) {
    if (argument_count != 2 && argument_count != 3) {
        fprintf(stderr, "usage: write_examples DIR [NAME]\n");
        return 2;
    }
    sn_error error = {0};
    sn_context *context = NULL;
    sn_context_desc desc = sn_context_desc_default();
    sn_status status = sn_context_create(&desc, &context, &error);
    for (const scn_scene *s = scn_scenes(); s->name != NULL && status == SN_OK; ++s) {
        if (argument_count == 2 || strcmp(s->name, arguments[2]) == 0) {
            status = write_scene(context, s, arguments[1], &error);
        }
    }
    if (status != SN_OK) {
        char text[2048];
        sn_error_format(&error, text, sizeof text);
        fprintf(stderr, "write_examples: %s\n", text);
    }
    sn_context_destroy(context);
    return status == SN_OK ? 0 : 1;
}
