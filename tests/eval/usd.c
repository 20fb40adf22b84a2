// SPDX-License-Identifier: Apache-2.0
//
// Skinned characters as UsdSkel. With SNT_GLTF_OUT set, the points of the full evaluation go beside
// the files, for tests/decoders/play, which plays them with three.js.
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>
#include <sys/stat.h>

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_motion *motion;
} subject;

static subject open_subject(const char *relative, const char *motion) {
    subject s = {.context = snt_context(2)};
    sn_import *import;
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_data(relative));
    snt_ok(sn_import_file(s.context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, "new.sinew.json", &s.character, error));
    sn_import_destroy(import);
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    snt_ok(sn_motion_open(s.model, motion != NULL ? motion : sn_model_clip_name(s.model, 0),
                          &s.motion, error));
    return s;
}

static void close_subject(subject *s) {
    sn_motion_destroy(s->motion);
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static sn_bake_desc skinned_desc(const subject *s) {
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = s->motion;
    desc.last = sn_motion_frame_count(s->motion) - 1;
    desc.glb = SN_GLB_SKINNED;
    return desc;
}

static int balance(const char *text, char open, char close) {
    int depth = 0;
    for (; *text != 0; ++text) {
        depth += (*text == open) - (*text == close);
        assert_true(depth >= 0);
    }
    return depth;
}

// Joints are listed behind those above them: each path but for its last name was there before.
static void check_joints(const char *text) {
    const char *list = strstr(text, "uniform token[] joints = [");
    assert_non_null(list);
    const char *end = strchr(list, ']');
    for (const char *c = strchr(list, '"'); c != NULL && c < end;) {
        const char *stop = strchr(c + 1, '"'), *slash = NULL;
        for (const char *k = c; k < stop; ++k) {
            slash = *k == '/' ? k : slash;
        }
        if (slash != NULL) {
            char parent[4096];
            snprintf(parent, sizeof parent, "%.*s\"", (int)(slash - c), c);
            const char *found = strstr(list, parent);
            assert_true(found != NULL && found < c);
        }
        c = strchr(stop + 1, '"');
    }
}

// What three.js needs to compare: the points of all frames of the first skin.
static void write_points(subject *s, const char *name) {
    char file[256];
    if (getenv("SNT_GLTF_OUT") == NULL) {
        return;
    }
    snprintf(file, sizeof file, "%s.points", name);
    FILE *points = fopen(snt_gltf_output(file), "wb");
    snprintf(file, sizeof file, "%s.json", name);
    FILE *text = fopen(snt_gltf_output(file), "w");
    assert_true(points != NULL && text != NULL);
    const sn_mesh *mesh = sn_model_surface(s->model, 0)->mesh;
    fprintf(text,
            "{\"skins\": [{\"name\": \"%s\", \"vertices\": %u}], \"clips\": [{\"name\": \"Anim\", "
            "\"rate\": %.17g, \"frames\": %u, \"mean\": 0}], \"corners\": [",
            mesh->name, mesh->vertex_count, sn_motion_rate(s->motion),
            sn_motion_frame_count(s->motion));
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        fprintf(text, c > 0 ? ",%u" : "%u", mesh->corners[c]);
    }
    fprintf(text, "]}\n");
    for (uint32_t f = 0; f < sn_motion_frame_count(s->motion); ++f) {
        snt_ok(sn_frame_evaluate(s->frame, s->motion, f, error));
        fwrite(sn_frame_points(s->frame, 0), 12, mesh->vertex_count, points);
    }
    assert_int_equal(fclose(points), 0);
    assert_int_equal(fclose(text), 0);
}

static size_t write_and_check(const char *relative, const char *motion, const char *name) {
    char file[256];
    subject s = open_subject(relative, motion);
    sn_bake_desc desc = skinned_desc(&s);
    snprintf(file, sizeof file, "%s.usda", name);
    const char *path = snt_gltf_output(file);
    snt_ok(sn_bake(s.frame, &desc, path, NULL, error));
    size_t size;
    char *text = read_bytes(path, &size);
    assert_int_equal(strncmp(text, "#usda 1.0\n(\n", 12), 0);
    assert_int_equal(balance(text, '{', '}'), 0);
    assert_int_equal(balance(text, '(', ')'), 0);
    assert_int_equal(balance(text, '[', ']'), 0);
    check_joints(text);
    free(text);
    write_points(&s, name);
    close_subject(&s);
    return size;
}

static void writes_the_fox(void **state) {
    (void)state;
    write_and_check("gltf/Fox.glb", NULL, "usd-fox");
}

// Motion capture on a body of 163 joints: a tenth of what the points of one second would take.
static void writes_a_person(void **state) {
    (void)state;
    char motion[4096];
    snprintf(motion, sizeof motion, "%s", snt_data("mocap/cmu_02_01_walk.bvh"));
    size_t size = write_and_check("human/human.glb", motion, "usd-human");
    print_message("%zu bytes\n", size);
    assert_true(size < 12u << 20);
}

static void refuses_what_it_cannot_say(void **state) {
    (void)state;
    subject s = open_subject("rigs/RobotExpressive.glb", NULL);
    sn_bake_desc desc = skinned_desc(&s);
    sn_error refused = {0};
    assert_int_equal(sn_bake(s.frame, &desc, snt_scratch("robot.usda"), NULL, &refused),
                     SN_UNSUPPORTED); // scaled along one axis
    assert_non_null(strstr(refused.message, "write points"));
    struct stat info;
    assert_int_not_equal(stat(snt_scratch("robot.usda"), &info), 0);
    close_subject(&s);
    s = open_subject("gltf/Fox.glb", NULL);
    desc = skinned_desc(&s);
    const sn_motion *more[] = {s.motion};
    desc.further_count = 1;
    desc.further = more;
    refused = (sn_error){0};
    assert_int_equal(sn_bake(s.frame, &desc, snt_scratch("two.usda"), NULL, &refused),
                     SN_UNSUPPORTED);
    close_subject(&s);
}

// A triangle on two segments, one vertex without weights, with a morph target: all that is written.
static void writes_targets_and_weights(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh;
    sn_target *target;
    sn_segment segments[2] = {{.name = "low b", .parent = 1}, {.name = "low", .parent = SN_NONE}};
    uint32_t order[2] = {1, 0};
    for (int i = 0; i < 2; ++i) {
        segments[i].rest = sn_transform_identity();
        for (int k = SN_JOINT_SX; k <= SN_JOINT_SZ; ++k) {
            segments[i].rest_parameters[k] = 1;
        }
    }
    segments[0].rest.translation = sn_vec3_make(0, 1, 0);
    sn_skeleton skeleton = {.segment_count = 2, .segments = segments, .parents_first = order};
    snt_ok(sn_mesh_create(context, "tri", 3, 1, 3, &mesh, error));
    memcpy(mesh->positions, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9 * sizeof(float));
    memcpy(mesh->corners, (uint32_t[]){0, 1, 2}, 3 * sizeof(uint32_t));
    snt_ok(sn_mesh_set_weights(mesh, 2, 3, false, error));
    snt_ok(sn_mesh_name_bone(mesh, 0, "low b", error));
    snt_ok(sn_mesh_name_bone(mesh, 1, "low", error));
    memcpy(mesh->weights->offsets, (uint32_t[]){0, 2, 3, 3}, 4 * sizeof(uint32_t));
    memcpy(mesh->weights->bones, (uint32_t[]){0, 1, 1}, 3 * sizeof(uint32_t));
    memcpy(mesh->weights->values, (float[]){0.25f, 0.75f, 1}, 3 * sizeof(float));
    snt_ok(sn_mesh_add_target(mesh, "smile", 1, true, &target, error));
    target->vertices[0] = 2;
    memcpy(target->offsets, (float[]){0, 0, 0.5f}, 3 * sizeof(float));
    sn_transform locals[4] = {segments[0].rest, segments[1].rest, segments[0].rest,
                              segments[1].rest};
    locals[3].translation.x = 2;
    float weights[2] = {0, 0.5f};
    const float *all_weights[] = {weights};
    const sn_mesh *meshes[] = {mesh};
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = meshes;
    desc.skeleton = &skeleton;
    desc.frame_count = 2;
    desc.locals = locals;
    desc.weights = all_weights;
    snt_ok(sn_export_skinned(context, snt_scratch("tri.usda"), &desc, error));
    size_t size;
    char *text = read_bytes(snt_scratch("tri.usda"), &size);
    static const char *const parts[] = {
        "joints = [\"low_0\",\"low_0/low_b_1\",\"still_2\"]\n",
        "bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1)),"
        "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)),",
        "0: [(0,0,0),(0,1,0),(0,0,0)],\n",
        "1: [(2,0,0),(0,1,0),(0,0,0)],\n",
        "0: [(1,0,0,0),(1,0,0,0),(1,0,0,0)],\n",
        "blendShapeWeights.timeSamples = {\n                    0: [0],\n"
        "                    1: [0.5],\n",
        "primvars:skel:jointIndices = [1,0,0,0,2,0] (",
        "primvars:skel:jointWeights = [0.25,0.75,1,0,1,0] (",
        "uniform vector3f[] offsets = [(0,0,0.5)]\n            uniform int[] pointIndices = [2]\n",
        "rel skel:blendShapeTargets = [</Root/tri/Mesh/target_1>]\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (strstr(text, parts[i]) == NULL) {
            print_message("%s\nlacks %s\n", text, parts[i]);
        }
        assert_non_null(strstr(text, parts[i]));
    }
    free(text);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_targets_and_weights),
        cmocka_unit_test(writes_the_fox),
        cmocka_unit_test(writes_a_person),
        cmocka_unit_test(refuses_what_it_cannot_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
