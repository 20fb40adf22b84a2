// SPDX-License-Identifier: Apache-2.0
//
// VRM: parts of the body, and expressions as sums of morph targets.
#include "text.h"

#include "sinew/character.h"
#include "sinew/eval.h"

// Three nodes of a body and one of a face with the targets "up" and "wide" and that of its own.
#define BODY                                                                                       \
    "'nodes':[{'name':'a','children':[1,2]},{'name':'b','translation':[0,1,0]},{'name':'face',"    \
    "'mesh':0},{'name':'c'}],'scenes':[{'nodes':[0,3]}],'meshes':[{'name':'face','extras':{"       \
    "'targetNames':['up','wide','smile']},'primitives':[{'attributes':{'POSITION':0},"             \
    "'targets':[{'POSITION':1},{'POSITION':2},{'POSITION':1}]}]}]"

#define OLD(bones, groups)                                                                         \
    BODY ",'extensionsUsed':['VRM'],'extensions':{'VRM':{'humanoid':{'humanBones':[" bones         \
         "]},'blendShapeMaster':{'blendShapeGroups':[" groups "]}}}"
#define NEW(bones, preset, custom)                                                                 \
    BODY ",'extensionsUsed':['VRMC_vrm'],'extensions':{'VRMC_vrm':{'specVersion':'1.0',"           \
         "'humanoid':{'humanBones':{" bones "}},'expressions':{'preset':{" preset                  \
         "},'custom':{" custom "}}}}"

static void add_face(snt_gltf *g) {
    snt_gltf_floats(g, "VEC3", 3, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    snt_gltf_floats(g, "VEC3", 3, 0, 1, 0, 0, 1, 0, 0, 1, 0);
    snt_gltf_floats(g, "VEC3", 3, 2, 0, 0, 2, 0, 0, 0, 0, 0);
}

static sn_status import_text(sn_context *context, const char *rest, sn_import **import,
                             sn_error *error) {
    snt_gltf g = {0};
    add_face(&g);
    char *text = snt_gltf_text(&g, rest);
    sn_status status = sn_import_memory(context, "a.vrm", text, strlen(text), import, error);
    free(text);
    return status;
}

static const sn_target *find_target(const sn_import *import, const char *name) {
    for (uint32_t i = 0; i < import->meshes[0]->target_count; ++i) {
        if (strcmp(import->meshes[0]->targets[i].name, name) == 0) {
            return &import->meshes[0]->targets[i];
        }
    }
    fail_msg("there is no target \"%s\"", name);
    return NULL;
}

static void assert_offsets(const sn_import *import, const char *name, const float *expected) {
    const sn_target *target = find_target(import, name);
    assert_int_equal(target->count, 3);
    assert_true(target->weight == 0);
    for (int i = 0; i < 9; ++i) {
        snt_near(target->offsets[i], expected[i], 1e-6);
    }
}

static void assert_body(const sn_import *import, const char *hips, const char *thumb) {
    const sn_segment *segments = import->skeleton.segments;
    assert_string_equal(segments[0].name, "a");
    assert_string_equal(segments[0].role, hips);
    assert_string_equal(segments[1].role, thumb);
    assert_null(segments[2].role);
    static const float both[] = {1, 0.5f, 0, 1, 0.5f, 0, 0, 0.5f, 0};
    assert_offsets(import, "happy", both);
    assert_int_equal(import->meshes[0]->target_count, 4); // "smile" is there already
}

static void reads_version_0(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(import_text(
        context,
        OLD("{'bone':'hips','node':0},{'bone':'leftThumbIntermediate','node':1}",
            "{'name':'happy','presetName':'joy','binds':[{'mesh':0,'index':0,'weight':50},"
            "{'mesh':0,'index':1,'weight':50}]},{'name':'neutral','binds':[]},"
            "{'name':'smile','binds':[{'mesh':0,'index':2,'weight':100}]}"),
        &import, error));
    assert_body(import, "hips", "leftThumbIntermediate");
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_version_1(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(import_text(context,
                       NEW("'hips':{'node':0},'leftThumbProximal':{'node':1}",
                           "'happy':{'morphTargetBinds':[{'node':2,'index':0,'weight':0.5},"
                           "{'node':2,'index':1,'weight':0.5}]},'lookUp':{'isBinary':true}",
                           "'smile':{'morphTargetBinds':[{'node':2,'index':2,'weight':1},"
                           "{'node':3,'index':2,'weight':1}]}"),
                       &import, error));
    // Of the two binds of "smile" one is of a node without a mesh: the expression gets a number.
    assert_int_equal(import->meshes[0]->target_count, 5);
    find_target(import, "smile.2");
    sn_import_destroy(import);
    snt_ok(import_text(context,
                       NEW("'hips':{'node':0},'leftThumbProximal':{'node':1}",
                           "'happy':{'morphTargetBinds':[{'node':2,'index':0,'weight':0.5},"
                           "{'node':2,'index':1,'weight':0.5}]}",
                           "'smile':{'morphTargetBinds':[{'node':2,'index':2,'weight':1}]}"),
                       &import, error));
    assert_body(import, "hips", "leftThumbIntermediate");
    sn_import_destroy(import);
    snt_context_end(context);
}

// Roles and expressions reach the document, and the document keeps them.
static void reaches_the_document(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    sn_character *character = NULL;
    snt_ok(import_text(context,
                       OLD("{'bone':'hips','node':0}",
                           "{'name':'happy','binds':[{'mesh':0,'index':0,'weight':50}]}"),
                       &import, error));
    snt_ok(sn_character_from_import(import, "a.vrm", "a.sinew.json", &character, error));
    const sn_value *root = sn_json_root(sn_character_document(character));
    const sn_value *hips = sn_value_get(sn_value_get(root, "skeleton"), "a");
    assert_string_equal(sn_value_string(sn_value_get(hips, "role"), ""), "hips");
    assert_non_null(sn_value_get(sn_value_get(root, "controls"), "happy"));
    sn_character_destroy(character);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void refuses(const char *rest, const char *message) {
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_fails(SN_INVALID, message, import_text(context, rest, &import, error));
    snt_context_end(context);
}

static void names_what_is_wrong(void **state) {
    (void)state;
    refuses(OLD("{'bone':'hips','node':9}", ""), "/extensions/VRM/humanoid/humanBones/0/node: "
                                                 "there is no node 9: the file has 4");
    refuses(OLD("{'node':1}", ""), "humanBones/0: \"bone\" is missing");
    refuses(OLD("{'bone':'hips','node':1},{'bone':'head','node':1}", ""),
            "node 1 is both hips and head");
    refuses(OLD("", "{'name':'x','binds':[{'mesh':0,'index':3,'weight':50}]}"),
            "/blendShapeGroups/0/binds/0: there is no morph target 3: the mesh has 3");
    refuses(NEW("", "'x':{'morphTargetBinds':[{'index':0}]}", ""), "\"node\" is missing");
    refuses(NEW("'hips':3", "", ""), "/humanBones/hips");
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    sn_import *import = NULL;
    sn_status status = import_text(context, user, &import, error);
    sn_import_destroy(import);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    char rest[] = NEW("'hips':{'node':0}",
                      "'happy':{'morphTargetBinds':[{'node':2,'index':0,'weight':0.5}]}", "");
    snt_fail_allocations(attempt, rest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_version_0),         cmocka_unit_test(reads_version_1),
        cmocka_unit_test(reaches_the_document),    cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
