// SPDX-License-Identifier: Apache-2.0
//
// glTF files that are wrong: each must give its message, and never more than that.
#include "text.h"

#include <math.h>

// Four points in the plane, accessor 0.
static void add_square(snt_gltf *g) {
    snt_gltf_floats(g, "VEC3", 4, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
}

#define ONE_NODE "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],'scene':0"

static void refuses(sn_status status, const char *message, const snt_gltf *g, const char *rest) {
    sn_context *context = snt_context(1);
    char *text = snt_gltf_text(g, rest);
    sn_import *import = NULL;
    snt_fails(status, message,
              sn_import_memory(context, "bad.gltf", text, strlen(text), &import, error));
    assert_null(import);
    free(text);
    snt_context_end(context);
}

#define MESH(members) "'meshes':[{'primitives':[{" members "}]}]," ONE_NODE
#define POSITION(n) "'attributes':{'POSITION':" #n "}"

static void refuses_bad_accessors(void **state) {
    (void)state;
    static const struct {
        const char *accessor, *message;
        sn_status status;
    } cases[] = {
        {"{'bufferView':0,'byteOffset':96,'componentType':5126,'count':200,'type':'VEC3'}",
         "accessor 1: 200 elements of 12 bytes from byte 96 end behind buffer view 0 of 48 bytes",
         SN_INVALID},
        {"{'bufferView':7,'componentType':5126,'count':4,'type':'VEC3'}",
         "there is no buffer view 7: the file has 3", SN_INVALID},
        {"{'bufferView':0,'componentType':5127,'count':4,'type':'VEC3'}",
         "unknown componentType 5127", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':4,'type':'VEC9'}",
         "accessor 1: its type VEC9 does not fit its use", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':4,'type':'VEC2'}",
         "accessor 1: its type VEC2 does not fit its use", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':0,'type':'VEC3'}",
         "accessor 1: it has 0 elements", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':-4,'type':'VEC3'}",
         "/accessors/1/count: expected a whole number from 0 on, found -4", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':1.5,'type':'VEC3'}",
         "expected a whole number from 0 on, found 1.5", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':'4','type':'VEC3'}",
         "/accessors/1/count: expected a number, found a string", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3'}",
         "/accessors/1: \"count\" is missing", SN_INVALID},
        {"{'bufferView':0,'byteOffset':2,'componentType':5126,'count':2,'type':'VEC3'}",
         "accessor 1: it starts at byte 2 of its buffer, not a multiple of 4", SN_INVALID},
        {"{'componentType':5126,'count':4000000000,'type':'VEC3'}",
         "accessor 1: 4000000000 elements of 3 numbers are out of proportion", SN_LIMIT},
        {"{'bufferView':2,'componentType':5126,'count':1,'type':'VEC3'}",
         "accessor 1: element 0 is not a finite number", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':5,"
         "'indices':{'bufferView':1,'componentType':5121},'values':{'bufferView':0}}}",
         "a sparse part of 5 elements (of 4)", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,"
         "'indices':{'bufferView':1,'componentType':5126},'values':{'bufferView':0}}}",
         "sparse indices of componentType 5126", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,"
         "'indices':{'bufferView':1,'componentType':5121},'values':{'bufferView':0}}}",
         "accessor 1: sparse index 1 is 1: expected rising numbers below 4", SN_INVALID},
        {"{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':4,"
         "'indices':{'bufferView':1,'componentType':5121,'byteOffset':1},"
         "'values':{'bufferView':0}}}",
         "4 elements of 1 bytes from byte 1 end behind buffer view 1 of 4 bytes", SN_INVALID},
        {"{'bufferView':0,'byteOffset':9007199254740992,'componentType':5126,'count':4,"
         "'type':'VEC3'}",
         "from byte 9007199254740992 end behind", SN_INVALID},
        {"{'bufferView':0,'byteOffset':1e300,'componentType':5126,'count':4,'type':'VEC3'}",
         "expected a whole number from 0 on, found 1e+300", SN_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        snt_gltf g = {0};
        add_square(&g);
        snt_gltf_view(&g, (const uint8_t[]){1, 1, 2, 3}, 4, 0);
        snt_gltf_view(&g, (const float[]){1, INFINITY, 0}, 12, 0);
        snt_gltf_accessor(&g, "%s", cases[i].accessor);
        refuses(cases[i].status, cases[i].message, &g, MESH(POSITION(1) ",'mode':0"));
    }
}

static void refuses_bad_views(void **state) {
    (void)state;
    static const struct {
        const char *view, *message;
    } cases[] = {
        {"{'buffer':1,'byteLength':4}", "there is no buffer 1: the file has 1"},
        {"{'buffer':0,'byteOffset':40,'byteLength':12}",
         "buffer view 1: 12 bytes from byte 40 end behind buffer 0 of 48 bytes"},
        {"{'buffer':0,'byteOffset':49,'byteLength':1}",
         "buffer view 1: 1 bytes from byte 49 end behind buffer 0 of 48 bytes"},
        {"{'buffer':0,'byteLength':0}", "buffer view 1: it has no bytes"},
        {"{'buffer':0,'byteLength':48,'byteStride':2}",
         "buffer view 1: byteStride 2 is not a multiple of 4 up to 252"},
        {"{'buffer':0,'byteLength':48,'byteStride':8}",
         "elements of 12 bytes overlap with a byteStride of 8"},
        {"{'byteLength':48}", "/bufferViews/1: \"buffer\" is missing"},
        {"7", "/bufferViews/1: expected an object, found a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        snt_gltf g = {0};
        add_square(&g);
        size_t used = strlen(g.views);
        snprintf(g.views + used, sizeof g.views - used, ",%s", cases[i].view);
        snt_gltf_accessor(&g, "{'bufferView':1,'componentType':5126,'count':4,'type':'VEC3'}");
        refuses(SN_INVALID, cases[i].message, &g, MESH(POSITION(1) ",'mode':0"));
    }
}

static void refuses_bad_meshes_and_nodes(void **state) {
    (void)state;
    static const struct {
        const char *rest, *message;
        sn_status status;
    } cases[] = {
        {MESH("'attributes':{}"), "mesh 0, primitive 0: it has no POSITION", SN_INVALID},
        {MESH(POSITION(0) ",'indices':1"), "accessor 1: index 2 is vertex 4, but there are 4",
         SN_INVALID},
        {MESH(POSITION(0) ",'indices':0"), "its type VEC3 does not fit its use", SN_INVALID},
        {MESH(POSITION(0) ",'indices':2"), "componentType 5126 where unsigned integers",
         SN_INVALID},
        {MESH(POSITION(0) ",'mode':7"), "mesh 0, primitive 0: unknown mode 7", SN_INVALID},
        {MESH(POSITION(0)), "4 corners do not make whole faces in mode 4", SN_INVALID},
        {MESH(POSITION(0) ",'mode':0,'material':0"), "there is no material 0: the file has 0",
         SN_INVALID},
        {MESH("'attributes':{'POSITION':0,'NORMAL':3},'mode':0"),
         "NORMAL has 2 elements, but POSITION has 4", SN_INVALID},
        {MESH(POSITION(0) ",'mode':0,'targets':[{'POSITION':3}]"),
         "target 0 has 2 elements, but POSITION has 4", SN_INVALID},
        {"'meshes':[{'primitives':[]}]," ONE_NODE, "/meshes/0: the mesh has no primitives",
         SN_INVALID},
        {"'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0,'targets':"
         "[{'POSITION':0}]},{'attributes':{'POSITION':0},'mode':0}]}]," ONE_NODE,
         "mesh 0, primitive 1: it has 0 targets, but primitive 0 has 1", SN_INVALID},
        {"'nodes':[{'mesh':3}]", "/nodes/0/mesh: there is no mesh 3: the file has 0", SN_INVALID},
        {"'nodes':[{'children':[1]},{'children':[0]}]", "node 0: it is its own ancestor",
         SN_INVALID},
        {"'nodes':[{'children':[2]},{'children':[2]},{}]",
         "node 2: it is a child of node 0 and of node 1", SN_INVALID},
        {"'nodes':[{'children':[1]},{}],'scenes':[{'nodes':[1]}]",
         "node 1: scene 0 lists it, but it is a child of node 0", SN_INVALID},
        {"'nodes':[{'matrix':[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]}]", "node 0: its matrix has shear",
         SN_INVALID},
        {"'nodes':[{'matrix':[1,0,0]}]", "/nodes/0/matrix: expected 16 numbers, found 3 values",
         SN_INVALID},
        {"'nodes':[{'rotation':[0,0,0,0]}]", "node 0: its rotation has no direction", SN_INVALID},
        {"'extensionsRequired':['EXT_of_another_time']",
         "the file needs the extension \"EXT_of_another_time\"", SN_UNSUPPORTED},
        {MESH("'attributes':{'POSITION':0},'mode':0") ",'skins':[{'joints':[0]}],"
                                                      "'animations':[{'channels':[{}]}]",
         "/animations/0/channels/0: \"target\" is missing", SN_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        snt_gltf g = {0};
        add_square(&g);
        snt_gltf_u8(&g, "SCALAR", 3, 0, 1, 4);
        snt_gltf_floats(&g, "SCALAR", 3, 0, 1, 2);
        snt_gltf_floats(&g, "VEC3", 2, 0, 0, 1, 0, 0, 1);
        refuses(cases[i].status, cases[i].message, &g, cases[i].rest);
    }
}

static void refuses_bad_skins_and_animations(void **state) {
    (void)state;
#define SKINNED(joints, weights, skin)                                                             \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':" #joints                     \
    ",'WEIGHTS_0':" #weights "},'mode':0}]}],'nodes':[{'mesh':0,'skin':0},{}],'skins':[" skin "]"
#define ANIMATED(sampler, path)                                                                    \
    "'nodes':[{}],'animations':[{'samplers':[" sampler                                             \
    "],'channels':[{'sampler':0,'target':{'node':0,'path':'" path "'}}]}]"
    static const struct {
        const char *rest, *message;
    } cases[] = {
        {SKINNED(1, 2, "{'joints':[0]}"), "accessor 1: vertex 0 uses joint 1, but skin 0 has 1"},
        {SKINNED(1, 3, "{'joints':[0,1]}"), "accessor 3: vertex 0 has the weight -1"},
        {SKINNED(1, 1, "{'joints':[0,1]}"), "weights of componentType 5121 must be normalized"},
        {SKINNED(2, 2, "{'joints':[0,1]}"), "componentType 5126 where unsigned integers"},
        {SKINNED(1, 2, "{'joints':[]}"), "/skins/0: the skin has no joints"},
        {SKINNED(1, 2, "{'joints':[1,1]}"), "node 1 is listed twice among the joints"},
        {SKINNED(1, 2, "{'joints':[0,5]}"), "/skins/0/joints/1: there is no node 5"},
        {SKINNED(1, 2, "{'joints':[0,1],'inverseBindMatrices':4}"),
         "accessor 4: 1 inverse bind matrices for 2 joints of skin 0"},
        {SKINNED(1, 2, "{'joints':[1],'inverseBindMatrices':5}"),
         "accessor 1: vertex 0 uses joint 1, but skin 0 has 1"},
        {"'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1},'mode':0}]}],"
         "'nodes':[{'mesh':0,'skin':0}],'skins':[{'joints':[0]}]",
         "mesh 0, primitive 0: JOINTS_0 has no WEIGHTS_0"},
        {"'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],"
         "'nodes':[{'mesh':0,'skin':0}],'skins':[{'joints':[0]}]",
         "node 0 has a skin, but there is no JOINTS_0"},
        {ANIMATED("{'input':6,'output':0}", "translation"),
         "accessor 6: time 1 is 0.5: expected rising times from 0 on"},
        {ANIMATED("{'input':7,'output':0,'interpolation':'BEZIER'}", "translation"),
         "/animations/0/samplers/0: unknown interpolation \"BEZIER\""},
        {ANIMATED("{'input':7,'output':0}", "translation"),
         "accessor 0: 1 values for 2 keys of translation, expected 2"},
        {ANIMATED("{'input':7}", "translation"), "/animations/0/samplers/0: \"output\" is missing"},
        {ANIMATED("{'input':8,'output':2}", "rotation"), "rotation key 0 of node 0 is zero"},
        {ANIMATED("", "translation"), "there is no sampler 0: the animation has 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        snt_gltf g = {0};
        snt_gltf_floats(&g, "VEC3", 1, 0, 0, 0);
        snt_gltf_u8(&g, "VEC4", 1, 1, 0, 0, 0);
        snt_gltf_floats(&g, "VEC4", 1, 1, 0, 0, 0);
        snt_gltf_floats(&g, "VEC4", 1, -1, 0, 0, 0);
        snt_gltf_floats(&g, "MAT4", 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
        snt_gltf_floats(&g, "MAT4", 1, 1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
        snt_gltf_floats(&g, "SCALAR", 2, 0.5f, 0.5f);
        snt_gltf_floats(&g, "SCALAR", 2, 0.5f, 1);
        snt_gltf_floats(&g, "SCALAR", 1, 0.5f);
        if (strstr(cases[i].message, "rotation key") != NULL) {
            memset(g.bytes + 16, 0, 16); // the first weights as a rotation
        }
        refuses(SN_INVALID, cases[i].message, &g, cases[i].rest);
    }
}

static void refuses_bad_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        sn_status status;
    } cases[] = {
        {"", "", SN_SYNTAX},
        {"[]", "expected an object, found an array", SN_INVALID},
        {"hello", "this is not a glTF file: it begins with neither \"glTF\"", SN_INVALID},
        {"{}", "\"asset\" is missing: this is not a glTF file", SN_INVALID},
        {"{'asset':{}}", "/asset: \"version\" is missing", SN_INVALID},
        {"{'asset':{'version':'1.0'}}", "glTF version 1.0 is not read, only 2.0", SN_UNSUPPORTED},
        {"{'asset':{'version':'2.0','minVersion':'2.1'}}", "glTF version 2.1 is not read",
         SN_UNSUPPORTED},
        {"{'asset':{'version':'2.0'},'meshes':{}}", "/meshes: expected an array, found an object",
         SN_INVALID},
        {"glTF", "the file ends within its header", SN_SYNTAX},
        {"glTF\3\0\0\0\14\0\0\0", "glTF version", SN_UNSUPPORTED},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[256];
        size_t size = i + 1 < sizeof cases / sizeof cases[0] ? strlen(cases[i].text) : 12;
        memcpy(text, cases[i].text, size);
        for (size_t k = 0; k < size; ++k) {
            text[k] = text[k] == '\'' ? '"' : text[k];
        }
        sn_import *import;
        snt_fails(cases[i].status, cases[i].message,
                  sn_import_memory(context, "bad.gltf", text, size, &import, error));
    }
    snt_context_end(context);
}

static void refuses_bad_uris(void **state) {
    (void)state;
    static const struct {
        const char *uri, *message;
        sn_status status;
    } cases[] = {
        {"data:,abc", "is not base64", SN_SYNTAX},
        {"data:;base64,AAAA*AAA", "character 4 of the base64 data is '*'", SN_SYNTAX},
        {"data:;base64,AAAAA", "base64 data of 5 characters is cut off", SN_SYNTAX},
        {"data:;base64,AA=A", "character 2 of the base64 data is '='", SN_SYNTAX},
        {"data:;base64,AB==", "the base64 data ends within a byte", SN_SYNTAX},
        {"data:;base64,AAAA", "buffer 0: byteLength is 12, but its data has 3 bytes", SN_INVALID},
        {"http://x.org/a.bin", "is neither data nor a path beside the file", SN_UNSUPPORTED},
        {"/etc/hostname", "is neither data nor a path beside the file", SN_UNSUPPORTED},
        {"a%2", "has a broken % code", SN_SYNTAX},
        {"a%00b", "has a broken % code", SN_SYNTAX},
        {"no/such.bin", "cannot open", SN_IO},
        {"../../etc/passwd", "buffer 0: \"../../etc/passwd\" is not read: it is outside", SN_IO},
        {"%2e%2e/x.bin", "\"../x.bin\" is not read: it is outside of the file's folder", SN_IO},
        {"a/../../x.bin", "is outside of the file's folder", SN_IO},
        {"%2Fetc/passwd", "\"/etc/passwd\" is not read: it is outside", SN_IO},
        {"file:///etc/passwd", "is neither data nor a path beside the file", SN_UNSUPPORTED},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":12,\"uri\":\"%s\"}]"
                 ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":12}],\"accessors\":[{"
                 "\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],"
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":0}]}]}",
                 cases[i].uri);
        sn_import *import;
        snt_fails(
            cases[i].status, cases[i].message,
            sn_import_memory(context, snt_scratch("x.gltf"), text, strlen(text), &import, error));
    }
    snt_context_end(context);
}

// Everything at once: skin, targets, animation.
static const char *full_example(snt_gltf *g) {
    *g = (snt_gltf){0};
    snt_gltf_floats(g, "VEC3", 3, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    snt_gltf_u8(g, "VEC4", 3, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
    snt_gltf_floats(g, "VEC4", 3, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    snt_gltf_floats(g, "VEC2", 3, 0, 0, 1, 0, 0, 1);
    snt_gltf_floats(g, "SCALAR", 2, 0, 1);
    snt_gltf_floats(g, "VEC4", 2, 0, 0, 0, 1, 0, 0, 1, 0);
    return "'materials':[{'name':'m'}],"
           "'meshes':[{'name':'t','extras':{'targetNames':['up']},'primitives':[{'attributes':{"
           "'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2,'TEXCOORD_0':3},'targets':[{'POSITION':0}],"
           "'material':0}]}],'nodes':[{'name':'hip','children':[1]},{'name':'knee'},"
           "{'mesh':0,'skin':0}],'skins':[{'joints':[0,1]}],'animations':[{'name':'kick',"
           "'samplers':[{'input':4,'output':5},{'input':4,'output':4}],'channels':[{'sampler':0,"
           "'target':{'node':1,'path':'rotation'}},{'sampler':1,'target':{'node':2,"
           "'path':'weights'}}]}]";
}

static void refuses_every_truncation(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_gltf g;
    const char *rest = full_example(&g);
    char *text = snt_gltf_text(&g, rest);
    sn_import *import;
    snt_ok(sn_import_memory(context, "x.gltf", text, strlen(text), &import, error));
    sn_import_destroy(import);
    for (size_t size = 0; size < strlen(text); ++size) {
        assert_int_not_equal(sn_import_memory(context, "x.gltf", text, size, &import, NULL), SN_OK);
    }
    free(text);
    size_t whole;
    uint8_t *bytes = snt_gltf_binary(&g, rest, &whole);
    snt_ok(sn_import_memory(context, "x.glb", bytes, whole, &import, error));
    sn_import_destroy(import);
    for (size_t size = 0; size < whole; ++size) {
        uint32_t length = (uint32_t)size;
        uint8_t *cut = malloc(size + 12);
        memcpy(cut, bytes, size);
        assert_int_not_equal(sn_import_memory(context, "x.glb", cut, size, &import, NULL), SN_OK);
        memcpy(cut + 8, &length, 4); // a header that agrees
        if (size >= 12) {
            assert_int_not_equal(sn_import_memory(context, "x.glb", cut, size, &import, NULL),
                                 SN_OK);
        }
        free(cut);
    }
    free(bytes);
    snt_context_end(context);
}

static sn_status read_full_example(sn_context *context, void *user, sn_error *error) {
    sn_import *import;
    sn_status status = sn_import_memory(context, "x.gltf", user, strlen(user), &import, error);
    sn_import_destroy(import);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_gltf g;
    const char *rest = full_example(&g);
    char *text = snt_gltf_text(&g, rest);
    snt_fail_allocations(read_full_example, text);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_accessors),
        cmocka_unit_test(refuses_bad_views),
        cmocka_unit_test(refuses_bad_meshes_and_nodes),
        cmocka_unit_test(refuses_bad_skins_and_animations),
        cmocka_unit_test(refuses_bad_files),
        cmocka_unit_test(refuses_bad_uris),
        cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
