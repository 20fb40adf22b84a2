// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--curves", "C.json",
     "two curves on the skin at rest: {\"curves\": [[[x, y, z], ...], [...]]}", false},
    {"--name", "NAME", "of the muscle and of the control that contracts it (default: muscle)",
     false},
    {"--face", "F.json",
     "lays facial muscles out from feature points instead (docs/face-layout.md)", false},
    {"--propose", NULL, "proposes muscles for all limbs instead (docs/propose.md)", false},
    {"--skin", "SKIN", "the skin it is drawn on (default: the only one)", false},
    {"--segment", "SEGMENT", "that carries it (default: the weights of the skin under it)", false},
    {"--skin-thickness", "M", "depth of its top below the skin, metres", false},
    {"--muscle-thickness", "M", "half its thickness, metres", false},
    {"--bulge", "B", "growth of the thickness at full contraction (default: 2)", false},
    {0},
};

static sn_status fail(sn_error *error, const char *source, const char *message, const char *name) {
    error->status = SN_INVALID;
    snprintf(error->message, sizeof error->message, message, name);
    snprintf(error->source, sizeof error->source, "%s", source);
    return SN_INVALID;
}

// The points of one curve, in memory that the caller frees.
static sn_status read_points(const char *path, const sn_value *list, sn_vec3 **points,
                             uint32_t *count, sn_error *error) {
    *count = sn_value_count(list);
    *points = malloc((*count + (size_t)1) * sizeof **points);
    if (*points == NULL) {
        return cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < *count; ++i) {
        const sn_value *point = sn_value_at(list, i);
        double p[3];
        for (uint32_t k = 0; k < 3; ++k) {
            p[k] = sn_value_number(sn_value_at(point, k), NAN);
        }
        if (sn_value_count(point) != 3 || isnan(p[0] + p[1] + p[2])) {
            return fail(error, path, "%s", "points are [x, y, z]");
        }
        (*points)[i] = sn_vec3_make(p[0], p[1], p[2]);
    }
    return SN_OK;
}

static sn_status add(sn_character *character, const char *path, const sn_json *file,
                     const sn_muscle_desc *given, sn_error *error) {
    sn_muscle_desc desc = *given;
    const sn_value *curves = sn_value_get(sn_json_root(file), "curves");
    if (curves == NULL) {
        return fail(error, path, "the key \"%s\" is missing", "curves");
    }
    if (sn_value_count(curves) != 2) {
        return fail(error, path, "%s", "a muscle takes two curves");
    }
    sn_vec3 *points[2] = {NULL, NULL};
    sn_status status = SN_OK;
    for (uint32_t k = 0; k < 2 && status == SN_OK; ++k) {
        status =
            read_points(path, sn_value_at(curves, k), &points[k], &desc.curve_counts[k], error);
        desc.curves[k] = points[k];
    }
    if (status == SN_OK) {
        status = sn_character_add_muscle(character, &desc, error);
    }
    free(points[0]);
    free(points[1]);
    return status;
}

static int run(const cli_call *call) {
    if (cli_has(call, "--face") || cli_has(call, "--propose")) {
        return cli_run_layout(call);
    }
    const char *curves_path = cli_value(call, "--curves", NULL);
    sn_muscle_desc given = sn_muscle_desc_default();
    given.name = cli_value(call, "--name", "muscle");
    given.skin = cli_value(call, "--skin", NULL);
    given.segment = cli_value(call, "--segment", NULL);
    if (curves_path == NULL) {
        return cli_wrong_usage(call, "needs --curves C.json, --face F.json or --propose");
    }
    if (!cli_parse_double(call, "--skin-thickness", given.skin_thickness, 0, 1000,
                          &given.skin_thickness) ||
        !cli_parse_double(call, "--muscle-thickness", given.muscle_thickness, 0, 1000,
                          &given.muscle_thickness) ||
        !cli_parse_double(call, "--bulge", 2, 0, 100, &given.bulge)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_json *curves = NULL;
    const char *path = cli_value(call, "-o", call->arguments[0]);
    sn_context *context = cli_context(call, &error);
    sn_status status = error.status;
    if (status == SN_OK) {
        status = sn_character_load(context, call->arguments[0], &character, &error);
    }
    if (status == SN_OK) {
        status = cli_read_json(context, curves_path, &curves, &error);
    }
    if (status == SN_OK) {
        status = add(character, curves_path, curves, &given, &error);
    }
    // Making the muscle tells whether it can be made, before anything is written.
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, &error);
    }
    if (status == SN_OK) {
        status = sn_character_save(character, path, &error);
    }
    if (status == SN_OK) {
        const char *name = cli_value(call, "--name", "muscle");
        printf("%s: muscle %s; --set %s=0.3 contracts it\n", path, name, name);
    }
    sn_model_destroy(model);
    sn_json_destroy(curves);
    sn_character_destroy(character);
    sn_context_destroy(context);
    return cli_end(status, &error);
}

const cli_command cli_muscle = {
    .name = "muscle",
    .arguments = "DOC --curves C.json | --face F.json | --propose",
    .summary = "adds a muscle from two curves on the skin, or a whole set",
    .details = "The curves begin at the muscle's origin and end at its insertion. A control of the "
               "muscle's\n"
               "name contracts it; a `falloff` deformer lets the skin follow.\n\n"
               "example: sinew muscle arm.sinew.json --curves biceps.json --name biceps \\\n"
               "             --segment upper_arm --muscle-thickness 0.012 -o arm2.sinew.json\n"
               "         sinew muscle head.obj --face features.json -o head.sinew.json\n"
               "         sinew muscle human.glb --propose -o human.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
