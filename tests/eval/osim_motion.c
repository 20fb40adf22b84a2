// SPDX-License-Identifier: Apache-2.0
//
// A motion of OpenSim in degrees, and the same in radians, move a model alike.
#include "test.h"

#include "sinew/sinew.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMN_MAX = 64 };

static bool is_length(const char *name) {
    return strcmp(name, "pelvis_tx") == 0 || strcmp(name, "pelvis_ty") == 0 ||
           strcmp(name, "pelvis_tz") == 0;
}

// Writes a row with all but times and lengths in radians.
static void write_row(FILE *file, char *line, const bool *angles, uint32_t *count) {
    *count = 0;
    for (char *word = strtok(line, " \t\r\n"); word != NULL; word = strtok(NULL, " \t\r\n")) {
        double value = strtod(word, NULL);
        fprintf(file, "%.17g\t", angles[*count] ? value * SN_PI / 180 : value);
        ++*count;
    }
    fprintf(file, "\n");
}

static void write_in_radians(const char *from, const char *to) {
    static char line[8192];
    bool angles[COLUMN_MAX] = {false}, header = true, named = false;
    uint32_t columns = 0, count;
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof line, in) != NULL) {
        if (header) {
            fputs(strstr(line, "inDegrees") != NULL ? "inDegrees=no\n" : line, out);
            header = strstr(line, "endheader") == NULL;
        } else if (!named) {
            fputs(line, out);
            named = true;
            for (char *w = strtok(line, " \t\r\n"); w != NULL; w = strtok(NULL, " \t\r\n")) {
                assert_true(columns < COLUMN_MAX);
                angles[columns] = columns > 0 && !is_length(w);
                ++columns;
            }
        } else {
            write_row(out, line, angles, &count);
            assert_int_equal(count, columns);
        }
    }
    fclose(in);
    fclose(out);
}

static void degrees_and_radians_move_alike(void **state) {
    (void)state;
    char model_path[1024], degrees_path[1024], radians_path[1024];
    snprintf(model_path, sizeof model_path, "%s", snt_data("osim/gait2392.osim"));
    snprintf(degrees_path, sizeof degrees_path, "%s", snt_data("osim/gait2392_walk_ik.mot"));
    snprintf(radians_path, sizeof radians_path, "%s", snt_scratch("radians.mot"));
    write_in_radians(degrees_path, radians_path);
    sn_context *context = snt_context(1);
    sn_osim_desc desc = sn_osim_desc_default();
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *degrees = NULL, *radians = NULL;
    sn_frame *a = NULL, *b = NULL;
    desc.skin = false;
    snt_ok(sn_character_from_osim(context, model_path, &desc, "g.sinew.json", &character, NULL,
                                  error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_motion_open(model, degrees_path, &degrees, error));
    snt_ok(sn_motion_open(model, radians_path, &radians, error));
    snt_ok(sn_frame_create(model, &a, error));
    snt_ok(sn_frame_create(model, &b, error));
    for (uint32_t n = 0; n < sn_motion_frame_count(degrees); n += 42) {
        snt_ok(sn_frame_evaluate(a, degrees, n, error));
        snt_ok(sn_frame_evaluate(b, radians, n, error));
        for (uint32_t s = 0; s < sn_model_skeleton(model)->segment_count; ++s) {
            for (int i = 0; i < 16; ++i) {
                snt_near(sn_frame_worlds(a)[s].m[i], sn_frame_worlds(b)[s].m[i], 1e-10);
            }
        }
    }
    sn_frame_destroy(a);
    sn_frame_destroy(b);
    sn_motion_destroy(degrees);
    sn_motion_destroy(radians);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(degrees_and_radians_move_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
