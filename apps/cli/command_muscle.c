// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "drawing.h"

#include <math.h>
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
    {"--skin-thickness", "M", "depth of its top below the skin, metres (default: 0.002)", false},
    {"--muscle-thickness", "M", "half its thickness, metres (default: 0.004)", false},
    {"--depth-from", "NAME", "a bone, tissue or skin that it lies on, or skeleton", false},
    {"--bone-share", "X", "share of the way to a limb that is bone, for skeleton (default: 0.4)",
     false},
    {"--bulge", "B", "growth of the thickness at full contraction (default: 2)", false},
    {"--slide", "X", "how much of its contraction shortens it, 0 to 1 (default: 1)", false},
    {"--d-full", "M", "how far from it the skin follows fully, metres (default: computed)", false},
    {"--d-none", "M", "from where on it does not, metres (default: computed)", false},
    {"--degree", "N", "of the surface, 1 to 7 (default: 3)", false},
    {"--patches", "U,V", "patches across and along (default: 3,5)", false},
    {"--closed", NULL, "the curves are closed: a sphincter", false},
    {"--center", "X,Y,Z", "that a sphincter contracts to (default: computed)", false},
    {"--way", "skin|straight", "of a sphincter to its centre (default: as its shape demands)",
     false},
    {"--normals", "skin|curves",
     "where normals come from (default: skin; with --depth-from: curves)", false},
    {"--control", "NAME", "that contracts it (default: one of the muscle's name)", false},
    {"--group", "GROUP", "of the control", false},
    {"--driven-by", "PARAM", "joint parameter or control that contracts it, such as jaw.rx_deg",
     false},
    {"--curve", "IN:OUT,...", "what the control becomes for values of --driven-by", false},
    {"--mirror", "AXIS[:AT]", "adds the mirror image too, across x, y or z (= AT metres)", false},
    {0},
};

// What the options say.
typedef struct request {
    sn_muscle_desc desc; // of every muscle
    sn_vec3 center;
    double *pairs;
    bool named, mirrored;
    bool normals_given;
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

static bool parse_measures(const cli_call *call, sn_muscle_desc *desc) {
    return cli_parse_double(call, "--skin-thickness", desc->skin_thickness, 0, 1000,
                            &desc->skin_thickness) &&
           cli_parse_double(call, "--muscle-thickness", desc->muscle_thickness, 0, 1000,
                            &desc->muscle_thickness) &&
           cli_parse_double(call, "--bone-share", desc->bone_share, 0, 1, &desc->bone_share) &&
           cli_parse_double(call, "--bulge", desc->bulge, 0, 100, &desc->bulge) &&
           cli_parse_double(call, "--slide", desc->slide, 0, 1, &desc->slide) &&
           cli_parse_double(call, "--d-full", 0, 0, 1000, &desc->d_full) &&
           cli_parse_double(call, "--d-none", 0, 0, 1000, &desc->d_none) &&
           cli_parse_uint(call, "--degree", desc->degree, 1, 7, &desc->degree);
}

static bool parse_shape(const cli_call *call, request *r) {
    const char *patches = cli_value(call, "--patches", NULL);
    const char *center = cli_value(call, "--center", NULL);
    const char *normals = cli_value(call, "--normals", "skin");
    const char *way = cli_value(call, "--way", "auto");
    double uv[2], point[3];
    if (patches != NULL) {
        if (!parse_numbers(patches, 2, uv) || uv[0] != floor(uv[0]) || uv[1] != floor(uv[1]) ||
            uv[0] < 1 || uv[1] < 1 || uv[0] > 256 || uv[1] > 256) {
            cli_wrong_usage(call, "--patches takes U,V from 1 to 256, not \"%s\"", patches);
            return false;
        }
        r->desc.patches_u = (uint32_t)uv[0];
        r->desc.patches_v = (uint32_t)uv[1];
    }
    if (center != NULL) {
        if (!parse_numbers(center, 3, point)) {
            cli_wrong_usage(call, "--center takes X,Y,Z, not \"%s\"", center);
            return false;
        }
        r->center = sn_vec3_make(point[0], point[1], point[2]);
        r->desc.center = &r->center;
    }
    if (!app_ring_way(way, &r->desc.way)) {
        cli_wrong_usage(call, "--way takes skin or straight, not \"%s\"", way);
        return false;
    }
    r->desc.closed = cli_has(call, "--closed");
    r->normals_given = cli_has(call, "--normals");
    r->desc.curve_normals = strcmp(normals, "curves") == 0;
    if (!r->desc.curve_normals && strcmp(normals, "skin") != 0) {
        cli_wrong_usage(call, "--normals takes skin or curves, not \"%s\"", normals);
        return false;
    }
    return true;
}

static bool parse_driver(const cli_call *call, request *r) {
    const char *curve = cli_value(call, "--curve", NULL);
    r->desc.driver = cli_value(call, "--driven-by", NULL);
    if (curve == NULL) {
        return true;
    }
    if (r->desc.driver == NULL) {
        cli_wrong_usage(call, "--curve needs --driven-by");
        return false;
    }
    r->pairs = malloc((strlen(curve) + 2) * sizeof *r->pairs);
    char *copy = strdup(curve);
    bool good = r->pairs != NULL && copy != NULL;
    for (char *pair = good ? strtok(copy, ",") : NULL; pair != NULL && good;
         pair = strtok(NULL, ",")) {
        char *colon = strchr(pair, ':');
        double *values = r->pairs + 2 * (size_t)r->desc.driver_pairs++;
        good = colon != NULL;
        if (good) {
            *colon = 0;
            good =
                cli_text_to_double(pair, &values[0]) && cli_text_to_double(colon + 1, &values[1]);
        }
    }
    free(copy);
    r->desc.driver_curve = r->pairs;
    if (!good || r->desc.driver_pairs == 0) {
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

static bool parse_request(const cli_call *call, request *r) {
    *r = (request){.desc = sn_muscle_desc_default(), .named = cli_has(call, "--name")};
    r->desc.name = cli_value(call, "--name", "muscle");
    r->desc.skin = cli_value(call, "--skin", NULL);
    r->desc.segment = cli_value(call, "--segment", NULL);
    r->desc.depth_from = cli_value(call, "--depth-from", NULL);
    r->desc.control = cli_value(call, "--control", NULL);
    r->desc.group = cli_value(call, "--group", NULL);
    return parse_measures(call, &r->desc) && parse_shape(call, r) && parse_driver(call, r) &&
           parse_mirror(call, r);
}

// ---------------------------------------------------------------------------------------------
// The command

static sn_status add_muscle(sn_character *character, const char *path, const request *r,
                            const cli_drawn_muscle *drawn, bool alone, sn_error *error) {
    app_muscle muscle = {.desc = r->desc, .path = path, .keys = drawn->keys};
    muscle.desc.name = drawn->name != NULL && !r->named ? drawn->name : r->desc.name;
    muscle.desc.closed = r->desc.closed || drawn->closed;
    for (int k = 0; k < 2; ++k) {
        muscle.desc.curves[k] = drawn->points[k];
        muscle.desc.curve_counts[k] = drawn->counts[k];
    }
    muscle.normals_given = r->normals_given;
    // Among several, those in the middle of the body have no side and no image.
    bool mirrored = r->mirrored && (alone || sn_name_has_side(muscle.desc.name));
    muscle.mirror_axis = mirrored ? r->mirror_axis : SN_NONE;
    muscle.mirror_at = r->mirror_at;
    return app_add_muscle(character, &muscle, error);
}

static sn_status add_all(sn_character *character, const char *path, request *r,
                         const cli_drawing *drawing, sn_error *error) {
    if (r->named && drawing->count > 1) {
        return cli_drawing_fail(error, path, 0,
                                "there are %u muscles with names of their own; "
                                "--name is for one",
                                drawing->count);
    }
    for (uint32_t i = 0; i < drawing->count; ++i) {
        sn_status status =
            add_muscle(character, path, r, &drawing->muscles[i], drawing->count == 1, error);
        if (status != SN_OK) {
            return status;
        }
        // A control that several share has one driver.
        if (r->desc.control != NULL) {
            r->desc.driver = NULL;
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
    uint32_t before = 0;
    sn_status status = cli_open_character(context, call->arguments[0], &character, error);
    if (status == SN_OK) {
        const sn_value *root = sn_json_root(sn_character_document(character));
        before = sn_value_count(sn_value_get(root, "muscles"));
        status = cli_drawing_read(context, curves, &drawing, error);
    }
    if (status == SN_OK) {
        status = add_all(character, curves, r, &drawing, error);
    }
    // Making the muscles tells whether they can be made, before anything is written.
    if (status == SN_OK) {
        status = sn_model_create(character, &progress->progress, &model, error);
    }
    if (status == SN_OK) {
        status = cli_save_character(character, path, error);
    }
    cli_progress_end(progress);
    if (status == SN_OK) {
        report(character, path, before);
    }
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
    if (!parse_request(call, &r)) {
        free(r.pairs);
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_progress progress;
    cli_progress_begin(call, &progress);
    sn_context *context = cli_context(call, &error);
    sn_status status = error.status;
    if (status == SN_OK) {
        status = make(call, &r, path, context, &progress, &error);
    }
    free(r.pairs);
    sn_context_destroy(context);
    return cli_end(status, &error);
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
    .run = run,
};
