// SPDX-License-Identifier: Apache-2.0
//
// What can be wrong with bones, tissues and proportions, and what is said about it.
#include "../documents.h"

#include "../../geometry/shapes.h"

#include "sinew/eval.h"

#include <math.h>

typedef struct wrong {
    const char *rest;    // of the document, from its third line on
    const char *message; // behind the file's name
} wrong;

#define HEAD                                                                                       \
    "{'sinew': 1, 'name': 'dog', 'skeleton': {'root': {}, 'leg': {'parent': 'root'},\n"            \
    "'odd': {'scale': [1, -1, 1]}}, 'meshes': {'box': {}, 'cut': {}, 'flat': {}, 'turned': {}},\n"
#define BALL "'ellipsoid': {'radii': [1, 1, 1]}"

// --- Without a look at the meshes

static const wrong documents[] = {
    {"'bones': {'b': {'segment': 'leg'}}}",
     ":3: /bones/b: a bone has one of 'mesh', 'ellipsoid' and 'tube'"},
    {"'bones': {'b': {'segment': 'leg', 'mesh': 'box', " BALL "}}}",
     ":3: /bones/b: a bone has one of 'mesh', 'ellipsoid' and 'tube'"},
    {"'tissues': {'b': {'segment': 'leg'}}}",
     ":3: /tissues/b: a tissue has one of 'mesh', 'ellipsoid' and 'tube'"},
    {"'tissues': {'b': {" BALL "}}}", ":3: /tissues/b: the key 'segment' is missing"},
    {"'tissues': {'b': {'segment': 'lag', " BALL "}}}",
     ":3: /tissues/b/segment: there is no segment 'lag'; did you mean 'leg'?"},
    {"'tissues': {'b': {'segment': 'leg', 'mesh': 'bax'}}}",
     ":3: /tissues/b/mesh: there is no mesh 'bax'; did you mean 'box'?"},
    {"'tissues': {'b': {'segment': 'leg', 'frame': 'local', " BALL "}}}",
     ":3: /tissues/b/frame: expected 'world', 'segment' or 'size', found 'local'"},
    {"'skins': {'b': {'segment': 'leg', 'frame': 'size', 'mesh': 'box'}}}",
     ":3: /skins/b/frame: expected 'world' or 'segment', found 'size'"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {}}}}",
     ":3: /tissues/b/ellipsoid: the key 'radii' is missing"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radii': [1, 2]}}}}",
     ":3: /tissues/b/ellipsoid/radii: expected 3 values, found 2"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radii': [1,\n0, 1]}}}}",
     ":4: /tissues/b/ellipsoid/radii/1: expected a number from 1e-09 to 1000000000, found 0"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radii': [1, 1, -2]}}}}",
     ":3: /tissues/b/ellipsoid/radii/2: expected a number from 1e-09 to 1000000000, found -2"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radii': [1, NaN, 1]}}}}",
     ":3: expected a value, found 'N'"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radius': 1, 'radii': [1, 1, 1]}}}}",
     ":3: /tissues/b/ellipsoid/radius: unknown key; did you mean 'radii'?"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radii': [1, 1, 1], 'detail': 65}}}}",
     ":3: /tissues/b/ellipsoid/detail: expected a whole number from 1 to 64, found 65"},
    {"'bones': {'b': {'segment': 'leg', " BALL
     ", 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': "
     "[1, 1]}}}}",
     ":3: /bones/b: a bone has one of 'mesh', 'ellipsoid' and 'tube'"},
    {"'bones': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0]], 'radii': [1]}}}}",
     ":3: /bones/b/tube/points: expected at least 2 values, found 1"},
    {"'bones': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]]}}}}",
     ":3: /bones/b/tube: the key 'radii' is missing"},
    {"'bones': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [1, "
     "1,\n"
     "1]}}}}",
     ":3: /bones/b/tube/radii: a tube of 2 points has 2 radii, found 3"},
    {"'bones': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [1,\n"
     "[1, 0]]}}}}",
     ":4: /bones/b/tube/radii/1/1: expected a number from 1e-09 to 1000000000, found 0"},
    {"'bones': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [1,\n"
     "[1, 2, 3]]}}}}",
     ":4: /bones/b/tube/radii/1: expected 2 values, found 3"},
    {"'bones': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [1,\n"
     "'thick']}}}}",
     ":4: /bones/b/tube/radii/1: expected a number, found 'thick'"},
    {"'tissues': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0], [0, 1, 0]],\n"
     "'radii': [1, 1, 1]}}}}",
     ":3: /tissues/b/tube: points 1 and 2 of the tube coincide"},
    {"'tissues': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0], [0, 0, 0]],\n"
     "'radii': [1, 1, 1]}}}}",
     ":3: /tissues/b/tube: the tube turns back at its point 1"},
    {"'tissues': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [1, "
     "1],\n"
     "'side': [0, 2, 0]}}}}",
     ":3: /tissues/b/tube: the tube begins along its 'side'"},
    {"'tissues': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1e300, 0]],\n"
     "'radii': [1, 1]}}}}",
     ":3: /tissues/b/tube: the tube is too large"},
    {"'tissues': {'b': {'segment': 'leg', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [1, "
     "1],\n"
     "'detail': 1}}}}",
     ":4: /tissues/b/tube/detail: expected a whole number from 2 to 64, found 1"},
    {"'tissues': {'b': {'segment': 'leg', 'density': 0, " BALL "}}}",
     ":3: /tissues/b/density: a density may not be 0"},
    {"'tissues': {'b': {'segment': 'leg', 'density': -11, " BALL "}}}",
     ":3: /tissues/b/density: expected a number from -10 to 10, found -11"},
    {"'tissues': {'b': {'segment': 'leg', 'feature': true, 'density': -1, " BALL "}}}",
     ":3: /tissues/b/density: a feature has no density: no skin is extracted from it"},
    {"'bones': {'b': {'segment': 'leg', 'density': -1, " BALL "}}}",
     ":3: /bones/b/density: unknown key"},
    {"'proportions': {'lag': 2}}",
     ":3: /proportions/lag: there is no segment 'lag'; did you mean 'leg'?"},
    {"'proportions': {'leg': 0}}",
     ":3: /proportions/leg: expected a number from 0.001 to 1000, found 0"},
    {"'proportions': {'leg': -1}}",
     ":3: /proportions/leg: expected a number from 0.001 to 1000, found -1"},
    {"'proportions': {'leg': [1, 2, 1]}}",
     ":3: /proportions/leg: expected a number, found an array"},
    {"'tissues': {'fat': {'segment': 'leg', " BALL "}}, 'skins': {'coat': {'mesh': 'box',\n"
     "'deformers': [{'kind': 'cloth', 'colliders': ['fit']}]}}}",
     ":4: /skins/coat/deformers/0/colliders/0: there is no bone, tissue or skin 'fit'; did you "
     "mean 'fat'?"},
    {"'tissues': {'fat': {'segment': 'leg', " BALL "}}, 'bones': {'fat': {'segment': 'leg',\n" BALL
     "}}, 'skins': {'coat': {'mesh': 'box',\n"
     "'deformers': [{'kind': 'cloth', 'colliders': ['fat']}]}}}",
     ":5: /skins/coat/deformers/0/colliders/0: both a bone and a tissue are called 'fat'; rename "
     "one of them"},
};

// --- What only the meshes tell

static const wrong models[] = {
    {"'tissues': {'b': {'segment': 'leg', 'mesh': 'cut'}}}",
     ":3: /tissues/b: the mesh is open or partly inside out: along the edge between vertices 0 and "
     "1, at (0.5, 0, 0), 1 more triangle runs in one direction than in the other"},
    {"'bones': {'femur': {'segment': 'leg', 'mesh': 'cut', 'frame': 'size'}}}",
     ":3: /bones/femur: the mesh is open or partly inside out: along the edge between vertices 0 "
     "and 1, at (0.5, 0, 0), 1 more triangle runs in one direction than in the other"},
    {"'tissues': {'b': {'segment': 'leg', 'mesh': 'flat'}}}",
     ":3: /tissues/b: the mesh has no volume"},
    {"'tissues': {'b': {'segment': 'leg', 'mesh': 'turned'}}}",
     ":3: /tissues/b: the mesh is inside out (its volume is -1): its first triangle should run "
     "along the edge between vertices 0 and 1 in the opposite direction"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'radii': [1e9, 1, 1e-9]}}}}",
     ":3: /tissues/b: the ellipsoid has no volume"},
    {"'tissues': {'b': {'segment': 'leg', 'ellipsoid': {'center': [1e300, 0, 0], 'radii': [1, 1, "
     "1]}}}}",
     ":3: /tissues/b: the ellipsoid is too large"},
    {"'tissues': {'b': {'segment': 'odd', 'mesh': 'box', 'frame': 'segment'}}}",
     ":3: /tissues/b: the segment 'odd' is mirrored at rest (a negative scale), which turns the "
     "surface inside out"},
    {"'bones': {'b': {'segment': 'odd', " BALL "}}}",
     ":3: /bones/b: the segment 'odd' is mirrored at rest (a negative scale), which turns the "
     "surface inside out"},
};

static bool is_as_expected(const wrong *w, sn_status status, const sn_error *error) {
    char found[2600], wanted[2600], *message = quoted(w->message);
    sn_error_format(error, found, sizeof found);
    for (char *c = found; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    snprintf(wanted, sizeof wanted, "dog.sinew.json%s", message);
    free(message);
    bool right = strcmp(found, wanted) == 0 && (status == SN_INVALID || status == SN_SYNTAX);
    if (!right) {
        print_error("%s\nexpected %s\nfound    %s\n\n", w->rest, wanted, found);
    }
    return right;
}

static sn_status parse(sn_context *context, const wrong *w, sn_character **character,
                       sn_error *error) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", HEAD, w->rest);
    return parse_quoted(context, "dog.sinew.json", text, character, error);
}

static void refuses_wrong_documents(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int wrong_count = 0;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; ++i) {
        sn_character *character = NULL;
        sn_error error = {0};
        sn_status status = parse(context, &documents[i], &character, &error);
        wrong_count += !is_as_expected(&documents[i], status, &error);
        sn_character_destroy(character);
    }
    assert_int_equal(wrong_count, 0);
    snt_context_end(context);
}

// A cube; one without its first face; one without height; one with all faces turned round.
static void give_meshes(sn_context *context, sn_character *character) {
    sn_mesh *cut = snt_cube(context), *flat = snt_cube(context), *turned = snt_cube(context);
    for (int corner = 0; corner < 4; ++corner) {
        cut->corners[corner] = cut->corners[0];
    }
    for (uint32_t v = 0; v < 8; ++v) {
        flat->positions[3 * v + 1] = 0;
    }
    for (uint32_t face = 0; face < 6; ++face) {
        uint32_t swap = turned->corners[4 * face + 1];
        turned->corners[4 * face + 1] = turned->corners[4 * face + 3];
        turned->corners[4 * face + 3] = swap;
    }
    snt_ok(sn_character_give_mesh(character, "box", snt_cube(context), error));
    snt_ok(sn_character_give_mesh(character, "cut", cut, error));
    snt_ok(sn_character_give_mesh(character, "flat", flat, error));
    snt_ok(sn_character_give_mesh(character, "turned", turned, error));
}

static void refuses_wrong_meshes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int wrong_count = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        sn_character *character = NULL;
        sn_model *model = NULL;
        snt_ok(parse(context, &models[i], &character, error));
        give_meshes(context, character);
        sn_error error = {0};
        sn_status status = sn_model_create(character, NULL, &model, &error);
        wrong_count += !is_as_expected(&models[i], status, &error);
        assert_null(model);
        sn_character_destroy(character);
    }
    assert_int_equal(wrong_count, 0);
    snt_context_end(context);
}

// A bone that is only drawn may be open, and stand on a mirrored segment.
static void lets_bones_be_open(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    wrong open = {"'bones': {'a': {'segment': 'leg', 'mesh': 'cut'}, 'b': {'segment': 'odd',\n"
                  "'mesh': 'cut', 'frame': 'segment'}}}",
                  NULL};
    snt_ok(parse(context, &open, &character, error));
    give_meshes(context, character);
    snt_ok(sn_model_create(character, NULL, &model, error));
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_documents),
        cmocka_unit_test(refuses_wrong_meshes),
        cmocka_unit_test(lets_bones_be_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
