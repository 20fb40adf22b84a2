// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "drawing.h"
#include "muscle_graph.h"
#include "parameter_options.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--kind", "KIND", "patch, drawn on a skin (default), or graph, of control points", false},
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
    {"--points", "FILE", "graph: control points and radii, as in a document: .json", false},
    {"--mesh", "MESH",
     "graph: its surface, a mesh of the document or a file; without --points its paths are fitted "
     "to it",
     false},
    {"--origin", "[BONE:]X,Y,Z", "graph: a place that the fitted paths begin at", true},
    {"--insertion", "[BONE:]X,Y,Z", "graph: a place that they end at", true},
    {"--sphincter", NULL, "graph: it is a ring, contracted to its middle", false},
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

static bool is_graph(const cli_call *call) {
    return strcmp(cli_value(call, "--kind", ""), "graph") == 0;
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
    if (is_graph(call)) {
        SN_TRY(cli_add_graphs(call, context, character, error));
    } else {
        SN_TRY(cli_drawing_read(context, curves, &drawing, error));
        SN_TRY(add_all(character, curves, r, &drawing, error));
    }
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

// Options that do not go with the kind of muscle.
static const char *find_wrong_use(const cli_call *call) {
    static const char *const of_graphs[] = {"--points", "--mesh", "--origin", "--insertion",
                                            "--sphincter"};
    const char *kind = cli_value(call, "--kind", "patch");
    if (is_graph(call)) {
        return cli_find_wrong_graph(call);
    }
    for (size_t i = 0; i < sizeof of_graphs / sizeof *of_graphs; ++i) {
        if (cli_has(call, of_graphs[i])) {
            return "--points, --mesh, --origin, --insertion and --sphincter need --kind graph";
        }
    }
    return strcmp(kind, "patch") != 0   ? "--kind is patch or graph"
           : !cli_has(call, "--curves") ? "needs --curves FILE"
                                        : NULL;
}

static int run(const cli_call *call) {
    const char *path = cli_value(call, "-o", call->arguments[0]);
    request r = {0};
    const char *wrong = find_wrong_use(call);
    if (wrong != NULL) {
        return cli_wrong_usage(call, "%s", wrong);
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
    if (is_graph(call) || parse_request(call, context, &r)) {
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
    .arguments =
        "DOC --curves FILE | DOC --kind graph --points FILE | DOC --kind graph --mesh MESH",
    .summary = "adds muscles from curves on the skin, from points with radii, or from a mesh",
    .details = "The curves begin at the muscle's origin and end at its insertion. A control of the "
               "muscle's\n"
               "name contracts it; a `falloff` deformer lets the skin follow. --mirror exchanges "
               "left and\n"
               "right, or L and R, in its name. Nothing is written where a muscle cannot be "
               "made.\n\n"
               "With --kind graph a muscle is a closed surface around control points: of circles "
               "around given\n"
               "points, or a given mesh, whose middle lines are found where there are no "
               "points.\n\n"
               "example: sinew muscle arm.sinew.json --curves biceps.json --name biceps \\\n"
               "             --segment upper_arm --muscle-thickness 0.012 -o arm2.sinew.json\n"
               "         sinew muscle head.sinew.json --curves face.obj --mirror x --depth-from "
               "skull \\\n"
               "             --driven-by jaw.rx_deg --curve 0:0,25:1 -o head2.sinew.json\n"
               "         sinew muscle head.sinew.json --kind graph --mesh zygomaticus.obj --name "
               "zygomaticus.L \\\n"
               "             --origin skull:0.051,1.511,0.151 --insertion 0.029,1.470,0.165 "
               "--mirror x\n",
    .least = 1,
    .most = 1,
    .options = options,
    .more_options = parameter_options,
    .run = run,
};
