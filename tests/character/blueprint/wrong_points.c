// SPDX-License-Identifier: Apache-2.0
//
// What can be wrong with key poses and weights of points in a document, and what is said about it.
#include "../documents.h"

#include "sinew/eval.h"

typedef struct wrong {
    const char *deformer;
    const char *message; // behind the file's name
} wrong;

#define KEYS(keys) "'poses': [{'follows': 'elbow.rx_deg',\n'keys': [" keys "]}]"

// --- Without a look at the mesh

static const wrong documents[] = {
    {"'poses': {}", ":5: /skins/a/deformers/0/poses: expected an array, found an object"},
    {"'poses': [{'keys': []}]",
     ":5: /skins/a/deformers/0/poses/0/keys: expected at least 1 value, found 0"},
    {"'poses': [{'follows': 'elbow.rx'}]",
     ":5: /skins/a/deformers/0/poses/0: the key 'keys' is missing"},
    {"'poses': [{'follows': 'elbw.rx', 'keys': [{'at': 0, 'points': {}}]}]",
     ":5: /skins/a/deformers/0/poses/0/follows: there is no parameter 'elbw.rx'; did you mean "
     "'elbow.rx'?"},
    {"'poses': [{'follows': 'fisst', 'keys': [{'at': 0, 'points': {}}]}]",
     ":5: /skins/a/deformers/0/poses/0/follows: there is no parameter 'fisst'; did you mean "
     "'fist'?"},
    {"'poses': [{'follows': 'biceps.length', 'keys': [{'at': 0, 'points': {}}]}]",
     ":5: /skins/a/deformers/0/poses/0/follows: there is no"},
    {KEYS("{'at': 0, 'points': {}}, {'at': 90, 'points': {}},\n{'at': 90, 'points': {}}"),
     ":7: /skins/a/deformers/0/poses/0/keys/2/at: 90 does not come after 90; keys must rise"},
    {KEYS("{'at': 0}"),
     ":6: /skins/a/deformers/0/poses/0/keys/0: a key has either 'points' or 'mesh'"},
    {KEYS("{'at': 0, 'points': {}, 'mesh': 'body'}"),
     ":6: /skins/a/deformers/0/poses/0/keys/0: a key has either 'points' or 'mesh'"},
    {KEYS("{'points': {}}"), ":6: /skins/a/deformers/0/poses/0/keys/0: the key 'at' is missing"},
    {KEYS("{'at': 0, 'points': {'-1': [0, 0, 0]}}"),
     ":6: /skins/a/deformers/0/poses/0/keys/0/points/-1: expected the number of a vertex, found "
     "'-1'"},
    {KEYS("{'at': 0, 'points': {'01': [0, 0, 0]}}"), "expected the number of a vertex, found '01'"},
    {KEYS("{'at': 0, 'points': {'1.5': [0, 0, 0]}}"), "expected the number of a vertex"},
    {KEYS("{'at': 0, 'points': {'4294967295': [0, 0, 0]}}"), "expected the number of a vertex"},
    {KEYS("{'at': 0, 'points': {'1': [0, 0]}}"), "points/1: expected 3 values, found 2"},
    {KEYS("{'at': 0, 'points': {'3': [0,\n1e39, 0]}}"),
     ":7: /skins/a/deformers/0/poses/0/keys/0/points/3/1: 1e+39 is too large"},
    {KEYS("{'at': -1e300, 'points': {}}"),
     ":6: /skins/a/deformers/0/poses/0/keys/0/at: -1e+300 is too large"},
    {KEYS("{'at': 0, 'mesh': 'bdy'}"),
     ":6: /skins/a/deformers/0/poses/0/keys/0/mesh: there is no mesh 'bdy'; did you mean 'body'?"},
    {"'weights': []", ":5: /skins/a/deformers/0/weights: expected at least 1 value, found 0"},
    {"'weights': [{'weight': 1.5}]",
     ":5: /skins/a/deformers/0/weights/0/weight: expected a number from 0 to 1, found 1.5"},
    {"'weights': [{'points': [3, 1]}]",
     ":5: /skins/a/deformers/0/weights/0/points: the range begins behind its end"},
    {"'weights': [{'points': '3-1'}]",
     ":5: /skins/a/deformers/0/weights/0/points: '3-1' is not a number or range, such as 12"},
    {"'weights': [{'points': '1,x'}]", "points: 'x' is not a number or range"},
    {"'weights': [{'points': ''}]", "points: expected a string that is not empty"},
    {"'weights': [{'points': 3}]", "points: expected an array, found 3"},
    {"'weights': [{'points': '3', 'values': [2]}]", "values/0: expected a number"},
    {"'weights': [{'points': '3', 'values': []}]", "values: expected at least 1 value, found 0"},
    {"'weights': [{'values': [1]}]",
     ":5: /skins/a/deformers/0/weights/0/values: 'values' is only allowed with 'points'"},
    {"'paint': []", "/skins/a/deformers/0/paint: unknown key"},
    {"'weights': [{'points': [0.5, 1]}]", "points/0: expected a whole number, found 0.5"},
    {"'weights': [{'points': [0, 1], 'group': 'arm'}]",
     ":5: /skins/a/deformers/0/weights/0: an entry has one of 'points', 'group' and 'attribute'"},
};

// --- With it: four vertices, the group "arm", colours

static const wrong models[] = {
    {KEYS("{'at': 0, 'points': {'3': [0, 0, 0],\n'4': [0, 0, 0]}}"),
     ":7: /skins/a/deformers/0/poses/0/keys/0/points/4: the mesh 'body' has 4 vertices, there is "
     "no vertex 4"},
    {KEYS("{'at': 0, 'mesh': 'small'}"),
     ":6: /skins/a/deformers/0/poses/0/keys/0/mesh: the mesh 'small' has 3 vertices, but 'body' "
     "has 4"},
    {KEYS("{'at': 0, 'mesh': 'none'}"), "/meshes/none"},
    {KEYS("{'at': 0, 'points': {}}") ", 'weights': [{'points': [0, 4]}]",
     ":6: /skins/a/deformers/0/weights/0/points: the mesh 'body' has 4 vertices, there is no "
     "vertex 4"},
    {KEYS("{'at': 0, 'points': {}}") ", 'weights': [{'group': 'amr'}]",
     ":6: /skins/a/deformers/0/weights/0/group: the mesh 'body' has no group, object or material "
     "'amr'; did you mean 'arm'?"},
    {KEYS("{'at': 0, 'points': {}}") ", 'weights': [{'attribute': 'uv'}]",
     ":6: /skins/a/deformers/0/weights/0/attribute: the mesh 'body' has no attribute 'uv' with a "
     "value for each vertex"},
    {KEYS("{'at': 0, 'points': {}}") ", 'weights': [{'attribute': 'heat'}]",
     ":6: /skins/a/deformers/0/weights/0/attribute: vertex 2 has 'heat' 1.5; weights are from 0 to "
     "1"},
};

static sn_status parse(sn_context *context, const char *deformer, sn_character **character,
                       sn_error *error) {
    char text[2048];
    snprintf(text, sizeof text,
             "{'sinew': 1, 'name': 'arm',\n'skeleton': {'elbow': {}}, 'controls': {'fist': {}},\n"
             "'meshes': {'body': {}, 'small': {}, 'none': {}},\n"
             "'skins': {'a': {'mesh': 'body', 'deformers': [{'kind': 'morph',\n%s}]}}}",
             deformer);
    return parse_quoted(context, "arm.sinew.json", text, character, error);
}

static bool says(const wrong *w, sn_status status, const sn_error *error) {
    char expected[512], found[1024];
    snprintf(expected, sizeof expected, "%s%s", w->message[0] == ':' ? "arm.sinew.json" : "",
             w->message);
    for (char *c = expected; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    sn_error_format(error, found, sizeof found);
    if (status == SN_INVALID && strstr(found, expected) != NULL) {
        return true;
    }
    print_error("%s\nexpected %s\nfound    %s\n", w->deformer, expected,
                status != SN_OK ? found : "nothing wrong");
    return false;
}

static void are_refused_by_the_document(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int missed = 0;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; ++i) {
        sn_character *character = NULL;
        sn_error error = {0};
        sn_status status = parse(context, documents[i].deformer, &character, &error);
        missed += !says(&documents[i], status, &error);
        sn_character_destroy(character);
    }
    assert_int_equal(missed, 0);
    snt_context_end(context);
}

static sn_mesh *make_mesh(sn_context *context, const char *name, uint32_t vertices) {
    sn_mesh *mesh = NULL;
    sn_attribute *heat = NULL;
    snt_ok(sn_mesh_create(context, name, vertices, 1, 3, &mesh, error));
    memset(mesh->positions, 0, 12 * (size_t)vertices);
    memcpy(mesh->corners, (uint32_t[3]){0, 1, 2}, 12);
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_GROUP, 0, "arm", error));
    snt_ok(sn_mesh_add_attribute(mesh, "heat", 1, vertices, false, &heat, error));
    for (uint32_t v = 0; v < vertices; ++v) {
        heat->values[v] = v == 2 ? 1.5f : 1;
    }
    return mesh;
}

static void are_refused_by_the_model(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int missed = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        sn_character *character = NULL;
        sn_model *model = NULL;
        snt_ok(parse(context, models[i].deformer, &character, error));
        snt_ok(sn_character_give_mesh(character, "body", make_mesh(context, "body", 4), error));
        snt_ok(sn_character_give_mesh(character, "small", make_mesh(context, "small", 3), error));
        sn_error error = {0};
        sn_status status = sn_model_create(character, NULL, &model, &error);
        missed += !says(&models[i], status, &error);
        assert_null(model);
        sn_character_destroy(character);
    }
    assert_int_equal(missed, 0);
    snt_context_end(context);
}

// Bones have weights of their own.
static void blend_takes_no_weights_of_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    snt_fails(SN_INVALID, "/skins/a/deformers/0/weights: unknown key",
              parse_quoted(context, "arm.sinew.json",
                           "{'sinew': 1, 'name': 'arm', 'meshes': {'body': {}}, 'skins': {'a': {\n"
                           "'mesh': 'body', 'deformers': [{'kind': 'blend', 'weights': [{}]}]}}}",
                           &character, error));
    snt_context_end(context);
}

// Weights that are painted on segments.
static void wrong_paint_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *paint, *message;
    } cases[] = {
        {"{'points': '1'}", "paint/0: the key \"segment\" is missing"},
        {"{'segment': 'elbow'}", "paint/0: the key \"points\" is missing"},
        {"{'segment': 'elbo', 'points': '1'}",
         ":3: /skins/a/deformers/0/paint/0/segment: there is no segment \"elbo\"; did you mean "
         "\"elbow\"?"},
        {"{'segment': 'elbow', 'points': '1;2'}",
         "paint/0/points: \"1;2\" is not a number or range, such as 12 or 40-60"},
        {"{'segment': 'elbow', 'points': '1', 'weight': 2}", "paint/0/weight: expected a number"},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_character *character = NULL;
        char text[1024];
        snprintf(text, sizeof text,
                 "{'sinew': 1, 'name': 'arm', 'meshes': {'body': {}}, 'skeleton': {'elbow': {}},\n"
                 "'skins': {'a': {'mesh': 'body', 'deformers': [\n"
                 "{'kind': 'blend', 'paint': [%s]}]}}}",
                 cases[i].paint);
        snt_fails(SN_INVALID, cases[i].message,
                  parse_quoted(context, "arm.sinew.json", text, &character, error));
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_paint_is_refused),
        cmocka_unit_test(are_refused_by_the_document),
        cmocka_unit_test(are_refused_by_the_model),
        cmocka_unit_test(blend_takes_no_weights_of_points),
    };
    return cmocka_run_group_tests_name("character/blueprint/wrong_points", tests, NULL, NULL);
}
