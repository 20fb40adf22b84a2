// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "drawing.h"
#include "parameter_options.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--curves", "FILE",
     "two curves for each muscle on the skin at rest: .json, or .obj with lines", false},
    {"--name", "NAME", "of the muscle and of the control that contracts it (default: muscle)",
     false},
    {"--skin", "SKIN", "the skin it is drawn on (default: the only one)", false},
    {"--segment", "SEGMENT", "that carries it (default: the weights of the skin under it)", false},
    {"--depth-from", "NAME",
     "a bone, tissue or skin that it lies on, or skeleton; its normals are then the curves' unless "
     "told otherwise",
     false},
    {"--center", "X,Y,Z", "that a sphincter contracts to (default: computed)", false},
    {"--control", "NAME", "that contracts it (default: one of the muscle's name)", false},
    {"--group", "GROUP", "of the control", false},
    {"--driven-by", "PARAM", "joint parameter or control that contracts it, such as jaw.rx_deg",
     false},
    {"--curve", "IN:OUT,...", "what the control becomes for values of --driven-by", false},
    {"--mirror", "AXIS[:AT]", "adds the mirror image too, across x, y or z (= AT metres)", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// One for each parameter of a muscle that is drawn.
static const cli_option *parameter_options(void) {
    static cli_parameter_options made;
    if (made.options[0].name == NULL) {
        cli_parameter_options_make(sn_drawn_parameter, &made);
    }
    return made.options;
}

// What the options say.
typedef struct request {
    const char *name;
    sn_json *keys; // of every muscle, where its file does not say them
    bool named, mirrored;
    uint32_t mirror_axis;
    double mirror_at;
} request;

// ---------------------------------------------------------------------------------------------
// Options

// Numbers parted by commas; false unless there are `count`.
static bool parse_numbers(const char *text, uint32_t count, double *values) {
    char copy[256];
    if (strlen(text) >= sizeof copy) {
        return false;
    }
    strcpy(copy, text);
    uint32_t found = 0;
    for (char *word = strtok(copy, ","); word != NULL; word = strtok(NULL, ",")) {
        if (found == count || !cli_text_to_double(word, &values[found])) {
            return false;
        }
        ++found;
    }
    return found == count;
}

static bool fail_memory(void) {
    fprintf(stderr, "sinew: out of memory\n");
    return false;
}

static bool parse_parameters(const cli_call *call, request *r) {
    sn_parameter parameter;
    bool good = true;
    for (uint32_t i = 0; good && sn_drawn_parameter(i, &parameter); ++i) {
        good = cli_parameter_parse(call, &parameter, r->keys, sn_json_root(r->keys));
    }
    return good;
}

// Options whose texts are values of keys.
static bool parse_texts(const cli_call *call, request *r) {
    static const char *const keys[][2] = {{"--skin", "skin"},
                                          {"--segment", "segment"},
                                          {"--depth-from", "depth_from"},
                                          {"--control", "contraction"},
                                          {"--group", "group"}};
    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const char *text = cli_value(call, keys[i][0], NULL);
        if (text != NULL &&
            sn_json_add_string(r->keys, sn_json_root(r->keys), keys[i][1], text) == NULL) {
            return fail_memory();
        }
    }
    return true;
}

static bool parse_center(const cli_call *call, request *r) {
    const char *text = cli_value(call, "--center", NULL);
    double point[3];
    if (text == NULL) {
        return true;
    }
    if (!parse_numbers(text, 3, point)) {
        cli_wrong_usage(call, "--center takes X,Y,Z, not \"%s\"", text);
        return false;
    }
    return sn_json_add_numbers(r->keys, sn_json_root(r->keys), "center", point, 3) != NULL ||
           fail_memory();
}

// IN:OUT,IN:OUT,... as pairs of a curve; false for another text.
static bool parse_pairs(const char *text, sn_json *json, sn_value *curve) {
    char *copy = strdup(text);
    bool good = copy != NULL;
    for (char *pair = good ? strtok(copy, ",") : NULL; pair != NULL && good;
         pair = strtok(NULL, ",")) {
        double values[2];
        char *colon = strchr(pair, ':');
        good = colon != NULL;
        if (good) {
            *colon = 0;
            good = cli_text_to_double(pair, &values[0]) &&
                   cli_text_to_double(colon + 1, &values[1]) &&
                   sn_json_add_numbers(json, curve, NULL, values, 2) != NULL;
        }
    }
    free(copy);
    return good && sn_value_count(curve) > 0;
}

static bool parse_driver(const cli_call *call, request *r) {
    const char *curve = cli_value(call, "--curve", NULL);
    const char *parameter = cli_value(call, "--driven-by", NULL);
    if (parameter == NULL) {
        return curve == NULL || (cli_wrong_usage(call, "--curve needs --driven-by"), false);
    }
    sn_value *driver = sn_json_add_object(r->keys, sn_json_root(r->keys), "driver");
    if (sn_json_add_string(r->keys, driver, "parameter", parameter) == NULL) {
        return fail_memory();
    }
    if (curve != NULL &&
        !parse_pairs(curve, r->keys, sn_json_add_array(r->keys, driver, "curve"))) {
        cli_wrong_usage(call, "--curve takes IN:OUT,IN:OUT,..., not \"%s\"", curve);
        return false;
    }
    return true;
}

static bool parse_mirror(const cli_call *call, request *r) {
    const char *text = cli_value(call, "--mirror", NULL);
    if (text == NULL) {
        return true;
    }
    static const char axes[] = "xyz";
    const char *axis = text[0] != 0 ? strchr(axes, text[0]) : NULL;
    r->mirrored = axis != NULL &&
                  (text[1] == 0 || (text[1] == ':' && cli_text_to_double(text + 2, &r->mirror_at)));
    if (!r->mirrored) {
        cli_wrong_usage(call, "--mirror takes x, y or z, or x:0.1 for another plane, not \"%s\"",
                        text);
        return false;
    }
    r->mirror_axis = (uint32_t)(axis - axes);
    return true;
}

static bool parse_request(const cli_call *call, sn_context *context, request *r) {
    *r = (request){.name = cli_value(call, "--name", "muscle"), .named = cli_has(call, "--name")};
    return (sn_json_create(context, &r->keys, NULL) == SN_OK || fail_memory()) &&
           parse_texts(call, r) && parse_parameters(call, r) && parse_center(call, r) &&
           parse_driver(call, r) && parse_mirror(call, r);
}

// ---------------------------------------------------------------------------------------------
// The command

// What the file says of a muscle goes before what the options say of all.
static sn_status complete_keys(const request *r, const cli_drawn_muscle *drawn, sn_error *error) {
    const sn_value *given = sn_json_root(r->keys);
    bool is_object = drawn->keys->type == SN_JSON_OBJECT; // another type is refused later
    for (uint32_t i = 0; is_object && i < sn_value_count(given); ++i) {
        const sn_value *value = sn_value_at(given, i);
        if (sn_value_get(drawn->keys, value->key) == NULL &&
            sn_json_add_copy(drawn->json, drawn->keys, value->key, value) == NULL) {
            return app_fail_memory(error);
        }
    }
    return SN_OK;
}

static sn_status add_muscle(sn_character *character, const char *path, const request *r,
                            const cli_drawn_muscle *drawn, bool alone, sn_error *error) {
    app_muscle muscle = {.name = drawn->name != NULL && !r->named ? drawn->name : r->name,
                         .keys = drawn->keys,
                         .path = path};
    // Among several, those in the middle of the body have no side and no image.
    bool mirrored = r->mirrored && (alone || sn_name_has_side(muscle.name));
    muscle.mirror_axis = mirrored ? r->mirror_axis : SN_NONE;
    muscle.mirror_at = r->mirror_at;
    sn_status status = complete_keys(r, drawn, error);
    return status == SN_OK ? app_add_muscle(character, &muscle, error) : status;
}

static sn_status add_all(sn_character *character, const char *path, request *r,
                         const cli_drawing *drawing, sn_error *error) {
    if (r->named && drawing->count > 1) {
        return cli_drawing_fail(error, path, 0,
                                "there are %u muscles with names of their own; "
                                "--name is for one",
                                drawing->count);
    }
    const sn_value *keys = sn_json_root(r->keys);
    for (uint32_t i = 0; i < drawing->count; ++i) {
        sn_status status =
            add_muscle(character, path, r, &drawing->muscles[i], drawing->count == 1, error);
        if (status != SN_OK) {
            return status;
        }
        // A control that several share has one driver.
        sn_value *driver = (sn_value *)sn_value_get(keys, "driver");
        if (driver != NULL && sn_value_get(keys, "contraction") != NULL) {
            sn_json_remove(driver);
        }
    }
    return SN_OK;
}

// One line for each muscle that was added.
static void report(sn_character *character, const char *path, uint32_t before) {
    const sn_value *map = sn_value_get(sn_json_root(sn_character_document(character)), "muscles");
    for (uint32_t i = before; i < sn_value_count(map); ++i) {
        const sn_value *muscle = sn_value_at(map, i);
        printf("%s: muscle %s; --set %s=0.3 contracts it\n", path, muscle->key,
               sn_value_string(sn_value_get(muscle, "contraction"), ""));
    }
}

static sn_status make(const cli_call *call, request *r, const char *path, sn_context *context,
                      cli_progress *progress, sn_error *error) {
    const char *curves = cli_value(call, "--curves", "");
    sn_character *character = NULL;
    sn_model *model = NULL;
    cli_drawing drawing = {0};
    sn_status status = SN_OK;
    SN_TRY(cli_open_character(call, context, call->arguments[0], &character, error));
    const sn_value *root = sn_json_root(sn_character_document(character));
    uint32_t before = sn_value_count(sn_value_get(root, "muscles"));
    SN_TRY(cli_drawing_read(context, curves, &drawing, error));
    SN_TRY(add_all(character, curves, r, &drawing, error));
    // Making the muscles tells whether they can be made, before anything is written.
    SN_TRY(sn_model_create(character, &progress->progress, &model, error));
    SN_TRY(cli_save_character(character, path, error));
    cli_progress_end(progress);
    report(character, path, before);
cleanup:
    cli_progress_end(progress);
    cli_drawing_close(&drawing);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static int run(const cli_call *call) {
    const char *path = cli_value(call, "-o", call->arguments[0]);
    request r = {0};
    if (cli_value(call, "--curves", NULL) == NULL) {
        return cli_wrong_usage(call, "needs --curves FILE");
    }
    if (!app_has_extension(path, ".json")) {
        return cli_wrong_usage(call, "needs -o NEW.sinew.json");
    }
    sn_error error = {0};
    cli_progress progress;
    sn_context *context = cli_context(call, &error);
    if (context == NULL) {
        return cli_end(error.status, &error);
    }
    int result = CLI_USAGE;
    if (parse_request(call, context, &r)) {
        cli_progress_begin(call, &progress);
        sn_status status = make(call, &r, path, context, &progress, &error);
        result = cli_end(status, &error);
    }
    sn_json_destroy(r.keys);
    sn_context_destroy(context);
    return result;
}

const cli_command cli_muscle = {
    .name = "muscle",
    .arguments = "DOC --curves FILE",
    .summary = "adds muscles from pairs of curves on the skin",
    .details = "The curves begin at the muscle's origin and end at its insertion. A control of the "
               "muscle's\n"
               "name contracts it; a `falloff` deformer lets the skin follow. --mirror exchanges "
               "left and\n"
               "right, or L and R, in its name. Nothing is written where a muscle cannot be "
               "made.\n\n"
               "example: sinew muscle arm.sinew.json --curves biceps.json --name biceps \\\n"
               "             --segment upper_arm --muscle-thickness 0.012 -o arm2.sinew.json\n"
               "         sinew muscle head.sinew.json --curves face.obj --mirror x --depth-from "
               "skull \\\n"
               "             --driven-by jaw.rx_deg --curve 0:0,25:1 -o head2.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .more_options = parameter_options,
    .run = run,
};
