// SPDX-License-Identifier: Apache-2.0
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--curves", "C.json",
     "two curves on the skin at rest: {\"curves\": [[[x, y, z], ...], [...]]}", false},
    {"--name", "NAME", "of the muscle and of the control that contracts it (default: muscle)",
     false},
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

// The skin that --skin names, or the only one.
static sn_status choose_skin(const cli_call *call, const sn_value *root, sn_value **skin,
                             sn_error *error) {
    const sn_value *skins = sn_value_get(root, "skins");
    const char *name = cli_value(call, "--skin", NULL);
    if (name == NULL && sn_value_count(skins) != 1) {
        return fail(error, call->arguments[0], "the document has several skins; name one with %s",
                    "--skin");
    }
    *skin = (sn_value *)(name != NULL ? sn_value_get(skins, name) : sn_value_at(skins, 0));
    return *skin != NULL ? SN_OK : fail(error, call->arguments[0], "there is no skin \"%s\"", name);
}

static double point_distance(const sn_value *a, const sn_value *b) {
    sn_vec3 p = {sn_value_number(sn_value_at(a, 0), 0), sn_value_number(sn_value_at(a, 1), 0),
                 sn_value_number(sn_value_at(a, 2), 0)};
    sn_vec3 q = {sn_value_number(sn_value_at(b, 0), 0), sn_value_number(sn_value_at(b, 1), 0),
                 sn_value_number(sn_value_at(b, 2), 0)};
    return sn_vec3_distance(p, q);
}

// The largest distance between points of equal number: about the width of the muscle.
static double width_between(const sn_value *curves) {
    const sn_value *a = sn_value_at(curves, 0), *b = sn_value_at(curves, 1);
    double width = 0;
    for (uint32_t i = 0; i < sn_value_count(a) && i < sn_value_count(b); ++i) {
        double distance = point_distance(sn_value_at(a, i), sn_value_at(b, i));
        width = distance > width ? distance : width;
    }
    return width;
}

static sn_value *get_or_add(sn_json *json, sn_value *object, const char *key) {
    sn_value *found = (sn_value *)sn_value_get(object, key);
    return found != NULL ? found : sn_json_add_object(json, object, key);
}

typedef struct measures {
    double skin, muscle, bulge, width;
} measures;

static bool add_muscle(const cli_call *call, sn_json *json, const sn_value *curves,
                       const sn_value *skin, const char *name, const measures *m) {
    const char *segment = cli_value(call, "--segment", NULL);
    sn_value *root = sn_json_root(json);
    sn_value *muscle = sn_json_add_object(json, get_or_add(json, root, "muscles"), name);
    return sn_json_add_string(json, muscle, "kind", "patch") != NULL &&
           sn_json_add_string(json, muscle, "skin", skin->key) != NULL &&
           sn_json_add_copy(json, muscle, "curves", curves) != NULL &&
           (segment == NULL || sn_json_add_string(json, muscle, "segment", segment) != NULL) &&
           sn_json_add_string(json, muscle, "contraction", name) != NULL &&
           sn_json_add_number(json, muscle, "skin_thickness", m->skin) != NULL &&
           sn_json_add_number(json, muscle, "muscle_thickness", m->muscle) != NULL &&
           sn_json_add_number(json, muscle, "bulge", m->bulge) != NULL &&
           get_or_add(json, get_or_add(json, root, "controls"), name) != NULL;
}

// Every muscle has a falloff of its own, so that its reach can be changed alone.
static bool add_falloff(sn_json *json, sn_value *skin, const char *name, const measures *m) {
    sn_value *list = (sn_value *)sn_value_get(skin, "deformers");
    list = list != NULL ? list : sn_json_add_array(json, skin, "deformers");
    sn_value *deformer = sn_json_add_object(json, list, NULL);
    double depth = m->skin + m->muscle;
    return sn_json_add_string(json, deformer, "kind", "falloff") != NULL &&
           sn_json_add_string(json, sn_json_add_array(json, deformer, "muscles"), NULL, name) !=
               NULL &&
           sn_json_add_number(json, deformer, "d_full", depth) != NULL &&
           sn_json_add_number(json, deformer, "d_none", depth + m->width / 2) != NULL;
}

static sn_status edit(const cli_call *call, sn_character *character, const sn_json *curves_file,
                      const measures *given, sn_error *error) {
    sn_json *json = sn_character_document(character);
    sn_value *root = sn_json_root(json), *skin = NULL;
    const char *name = cli_value(call, "--name", "muscle");
    const sn_value *curves = sn_value_get(sn_json_root(curves_file), "curves");
    measures m = *given;
    sn_status status = choose_skin(call, root, &skin, error);
    if (status != SN_OK) {
        return status;
    }
    if (curves == NULL) {
        return fail(error, cli_value(call, "--curves", ""), "the key \"%s\" is missing", "curves");
    }
    if (sn_value_get(sn_value_get(root, "muscles"), name) != NULL) {
        return fail(error, call->arguments[0], "there is a muscle \"%s\" already", name);
    }
    m.width = width_between(curves);
    if (!add_muscle(call, json, curves, skin, name, &m) || !add_falloff(json, skin, name, &m)) {
        return error->status = SN_OUT_OF_MEMORY;
    }
    return sn_character_check(character, error);
}

static int run(const cli_call *call) {
    const char *curves_path = cli_value(call, "--curves", NULL);
    measures given;
    if (curves_path == NULL) {
        return cli_wrong_usage(call, "needs --curves C.json");
    }
    if (!cli_parse_double(call, "--skin-thickness", 0.002, 0, 1000, &given.skin) ||
        !cli_parse_double(call, "--muscle-thickness", 0.004, 0, 1000, &given.muscle) ||
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
        status = edit(call, character, curves, &given, &error);
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
    .arguments = "DOC --curves C.json",
    .summary = "adds a muscle from two curves on the skin",
    .details = "The curves begin at the muscle's origin and end at its insertion. A control of the "
               "muscle's\n"
               "name contracts it; a `falloff` deformer lets the skin follow.\n\n"
               "example: sinew muscle arm.sinew.json --curves biceps.json --name biceps \\\n"
               "             --segment upper_arm --muscle-thickness 0.012 -o arm2.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
