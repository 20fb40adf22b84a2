// SPDX-License-Identifier: Apache-2.0
//
// The characters with fibre muscles, athlete and strongarm: what their scenes write is what is
// shipped.
#define _GNU_SOURCE
#include "test.h"

#include "base/file.h"
#include "scenes/athlete.h"
#include "scenes/strongarm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static sn_context *context;

static int begin(void **state) {
    (void)state;
    context = snt_context(2);
    return 0;
}

static int end(void **state) {
    (void)state;
    snt_context_end(context);
    return 0;
}

static const char *make_folder(const char *name) {
    static char folder[1024];
    snprintf(folder, sizeof folder, "%s", snt_scratch(name));
    mkdir(folder, 0777);
    return folder;
}

static char *read_text(const char *path) {
    char *text;
    size_t length;
    snt_ok(sni_file_read(context, path, &text, &length, error));
    char *copy = strndup(text, length);
    assert_non_null(copy);
    sni_free(context, text);
    return copy;
}

// Where a document written beside the shipped ones would refer to "../person/person.glb", one in
// another folder has the way from there. Turns each such way into the first form.
static void shorten_paths(char *text) {
    static const char before[] = "\"file\": \"", folder[] = "/examples/";
    for (char *at = strstr(text, before); at != NULL; at = strstr(at + 1, before)) {
        char *path = at + strlen(before), *close = strchr(path, '"');
        char *inside = strstr(path, folder);
        if (close != NULL && inside != NULL && inside < close) {
            char *rest = inside + strlen(folder);
            memcpy(path, "../", 3);
            memmove(path + 3, rest, strlen(rest) + 1);
        }
    }
}

static void strongarm_is_what_its_scene_writes(void **state) {
    (void)state;
    static const char *const files[] = {"strongarm.sinew.json", "strongarm.glb"};
    const char *folder = make_folder("strongarm");
    snt_ok(scn_strongarm_build(context, folder, error));
    for (int i = 0; i < 2; ++i) {
        char path[1100], source[100];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        snprintf(source, sizeof source, "examples/strongarm/%s", files[i]);
        if (!snt_same_bytes(path, snt_source(source))) {
            fail_msg("%s is not what the scene writes; `cmake --build build --target examples` "
                     "writes it anew",
                     source);
        }
    }
}

static void athlete_is_what_its_scene_writes(void **state) {
    (void)state;
    const char *folder = make_folder("athlete");
    char path[1100];
    snt_ok(scn_athlete_build(context, folder, error));
    snprintf(path, sizeof path, "%s/athlete.sinew.json", folder);
    char *written = read_text(path);
    char *shipped = read_text(snt_source("examples/athlete/athlete.sinew.json"));
    shorten_paths(written);
    if (strcmp(written, shipped) != 0) {
        size_t at = 0;
        while (written[at] == shipped[at]) {
            ++at;
        }
        fail_msg("the shipped athlete is not what its scene writes: \"%.60s\" in place of "
                 "\"%.60s\"; `cmake --build build --target examples` writes it anew",
                 shipped + at, written + at);
    }
    free(written);
    free(shipped);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strongarm_is_what_its_scene_writes),
        cmocka_unit_test(athlete_is_what_its_scene_writes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
