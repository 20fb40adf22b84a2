// SPDX-License-Identifier: Apache-2.0
//
// What can be wrong with the rigid bodies of a document, and what is said about it.
#include "documents.h"

#include "sinew/eval.h"

// A document whose body has other keys; and one with other drivers and synergies.
#define START                                                                                      \
    "{'sinew': 1, 'name': 'x', 'skeleton': {'root': {}, 'arm': {'parent': 'root'}, 'load': "       \
    "{'parent': 'root', 'translation': [0, 1, 0]}, 'tip': {'parent': 'load'}},\n"                  \
    "'bones': {'box': {'ellipsoid': {'radii': [1, 1, 1], 'detail': 1}, 'segment': 'load'},\n"      \
    "'wall': {'ellipsoid': {'radii': [1, 1, 1], 'detail': 1}, 'segment': 'root'}},\n"              \
    "'muscles': {'m': {'kind': 'ellipsoid', 'origin': {'segment': 'arm', 'at': [0, 0, 0]}, "       \
    "'insertion': {'segment': 'load', 'at': [0, 0, 0]}, 'activation': 'pull'},\n"                  \
    "'other': {'kind': 'ellipsoid', 'origin': {'segment': 'root', 'at': [0, 0, 0]}, "              \
    "'insertion': {'segment': 'arm', 'at': [0, 1, 0]}}},\n"                                        \
    "'controls': {'pull': {}, 'seen': {}},\n"
#define BODY "'bodies': {'b': {'segment': 'load', 'bones': ['box']"

typedef struct wrong {
    const char *text;
    const char *message;
} wrong;

static const wrong documents[] = {
    {START "'bodies': {'b': {'bones': ['box']}}}", ":7: /bodies/b: the key \"segment\" is missing"},
    {START "'bodies': {'b': {'segment': 'load'}}}", "/bodies/b: the key \"bones\" is missing"},
    {START "'bodies': {'b': {'segment': 'laod', 'bones': ['box']}}}",
     "/bodies/b/segment: there is no segment \"laod\"; did you mean \"load\"?"},
    {START "'bodies': {'b': {'segment': 'load', 'bones': []}}}", "expected at least 1 value"},
    {START BODY ", 'joints': [{}, {'repeat': 2}]}}}",
     "/bodies/b/joints/1/repeat: the entry has no \"#\" for the numbers from 1 to 2"},
    {START "'bodies': {'b': {'segment': 'load', 'bones': ['bux']}}}",
     "there is no bone or tissue \"bux\"; did you mean \"box\"?"},
    {START "'bodies': {'b': {'segment': 'load', 'bones': ['box', 'box']}}}",
     "/bodies/b/bones/1: \"box\" stands here twice"},
    {START "'bodies': {'b': {'segment': 'load', 'bones': ['wall']}}}",
     "\"wall\" is no part of the body: it is not carried by \"load\""},
    {START BODY "}, 'c': {'segment': 'load', 'bones': ['box']}}}",
     "/bodies/c/segment: the body \"b\" moves the segment \"load\" already"},
    {START BODY ", 'mass': -1}}}", "/bodies/b/mass: expected a number from 0 to 1000000"},
    {START BODY ", 'motion': 'dynamic'}}}", "expected \"simulated\" or \"static\""},
    {START BODY ", 'weight': 1}}}", "/bodies/b/weight: unknown key"},
    {START BODY ", 'driven': {'mass': 'pull'}}}}", "no control can drive \"mass\""},
    {START BODY ", 'muscles': [{'muscle': 'n'}]}}}", "there is no muscle \"n\""},
    {START BODY ", 'muscles': [{'strength': 1}]}}}", "the key \"muscle\" is missing"},
    {START BODY ", 'muscles': [{'muscle': 'm'}, {'muscle': 'm'}]}}}",
     "/bodies/b/muscles/1/muscle: \"m\" pulls already: line 7 names it"},
    {START BODY ", 'muscles': [{'muscle': 'm', 'law': 'glue'}]}}}",
     "expected \"hill\" or \"spring\""},
    {START BODY ", 'joints': [{}]}}}", "a joint has either \"point\", in the world at rest, or"},
    {START BODY ", 'joints': [{'at': [0, 0, 0], 'point': [0, 0, 0]}]}}}",
     "a joint has either \"point\""},
    {START BODY ", 'joints': [{'at': [0, 0, 0], 'on': 'tip'}]}}}",
     "\"tip\" moves with the body: it cannot hold it"},
    {START BODY ", 'joints': [{'at': [0, 0, 0], 'up': [0, 0, 2]}]}}}",
     "\"forward\" and \"up\" must have a length and point in different directions"},
    {START BODY ", 'joints': [{'at': [0, 0, 0], 'slope_deg': 90}]}}}",
     "expected a number from -80 to 80"},
    {START BODY ", 'ligaments': [{'from': {'segment': 'root', 'at': [0, 0, 0]}, 'to': {'segment': "
                "'arm', 'at': [0, 0, 0]}}]}}}",
     "neither end of the ligament is on the body"},
    {START BODY ", 'ligaments': [{'from': {'segment': 'root', 'at': [0, 0, 0]}}]}}}",
     "the key \"to\" is missing"},
    {START BODY ", 'contacts': [{'bones': ['wall'], 'against': ['box']}]}}}",
     "\"wall\" is no part of the body"},
    {START BODY ", 'contacts': [{'bones': ['box'], 'against': ['box']}]}}}",
     "\"box\" is a part of the body itself"},
    {START "'drivers': [{'control': 'pull', 'parameter': 'load.rx'}],\n" BODY
           ", 'muscles': [{'muscle': 'm'}]}}}",
     "depends on the control \"pull\", which is computed from where a body is: a circle"},
    {START "'drivers': [{'control': 'seen', 'parameter': 'load.rx'}],\n'synergies': [{'control': "
           "'seen', 'spread': {'root.rx': 1}}],\n" BODY "}}}",
     "a synergy moves \"root\" by a control that is computed from where a body is: a circle"},
    {START "'drivers': [{'control': 'seen', 'parameter': 'load.rx'}],\n" BODY
           ", 'driven': {'envelope': 'seen'}}}}",
     "depends on the control \"seen\", which is computed from where a body is: a circle"},
};

static void refuses_wrong_documents(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; ++i) {
        sn_context *context = snt_context(1);
        sn_character *character = NULL;
        snt_fails(SN_INVALID, documents[i].message,
                  parse_quoted(context, "x.sinew.json", documents[i].text, &character, error));
        snt_context_end(context);
    }
}

// What only a body at rest tells.
static const wrong models[] = {
    {START BODY ", 'muscles': [{'muscle': 'other'}]}}}",
     "\"other\" is not attached to the body: neither end is on \"load\""},
    {START "'drivers': [{'control': 'seen', 'parameter': 'load.rx'}],\n'synergies': [{'control': "
           "'seen', 'spread': {'arm.rx': 1}}],\n" BODY ", 'muscles': [{'muscle': 'm'}]}}}",
     "the muscle is on \"arm\", which a synergy moves by a control that is computed from"},
    {START BODY ", 'contacts': [{'bones': ['box'], 'against': ['wall'], 'within': [[9, 9, 9], [10, "
                "10, 10]]}]}}}",
     "/bodies/b/contacts/0/within: nothing of one of the two sides lies in this box"},
};

static void refuses_wrong_models(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        sn_context *context = snt_context(1);
        sn_character *character = NULL;
        sn_model *model = NULL;
        snt_ok(parse_quoted(context, "x.sinew.json", models[i].text, &character, error));
        snt_fails(SN_INVALID, models[i].message, sn_model_create(character, NULL, &model, error));
        sn_character_destroy(character);
        snt_context_end(context);
    }
}

// A surface that is open has no mass.
static void refuses_open_bones(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_mesh *mesh = NULL;
    snt_ok(parse_quoted(context, "x.sinew.json",
                        "{'sinew': 1, 'name': 'x', 'skeleton': {'a': {}},\n'meshes': {'flat': "
                        "{}},\n'bones': {'flat': {'mesh': 'flat', 'segment': 'a'}},\n'bodies': "
                        "{'b': {'segment': 'a', 'bones': ['flat']}}}",
                        &character, error));
    snt_ok(sn_mesh_create(context, "flat", 3, 1, 3, &mesh, error));
    memcpy(mesh->positions, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9 * sizeof(float));
    memcpy(mesh->corners, (uint32_t[3]){0, 1, 2}, 3 * sizeof(uint32_t));
    mesh->face_offsets[1] = 3;
    snt_ok(sn_character_give_mesh(character, "flat", mesh, error));
    snt_fails(SN_INVALID, ":3: /bones/flat: ", sn_model_create(character, NULL, &model, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_documents),
        cmocka_unit_test(refuses_wrong_models),
        cmocka_unit_test(refuses_open_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
