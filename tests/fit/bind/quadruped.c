// SPDX-License-Identifier: Apache-2.0
//
// Skeletons fitted to bodies on four legs: one of boxes, which faces anywhere, and animals with
// rigs of their own. The parts of legs were chosen by the fox of Mesh2Motion and the dog; nothing
// was chosen by the fox of glTF-Sample-Models, though its joints were known.
#include "test.h"

#include "motion/skeleton.h"
#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <string.h>

typedef struct box {
    double low[3], high[3];
} box;

// A body that faces +z: trunk, four legs with feet, neck, head, tail. A box overlaps the next.
static const box boxes[] = {
    {{-0.15, 0.5, -0.6}, {0.15, 0.9, 0.6}},   {{0.05, 0, 0.4}, {0.14, 0.55, 0.5}},
    {{-0.14, 0, 0.4}, {-0.05, 0.55, 0.5}},    {{0.05, 0, -0.5}, {0.14, 0.55, -0.4}},
    {{-0.14, 0, -0.5}, {-0.05, 0.55, -0.4}},  {{0.05, 0, 0.4}, {0.14, 0.05, 0.58}},
    {{-0.14, 0, 0.4}, {-0.05, 0.05, 0.58}},   {{0.05, 0, -0.5}, {0.14, 0.05, -0.32}},
    {{-0.14, 0, -0.5}, {-0.05, 0.05, -0.32}}, {{-0.08, 0.7, 0.5}, {0.08, 1.3, 0.7}},
    {{-0.1, 1.15, 0.5}, {0.1, 1.35, 0.95}},   {{-0.03, 0.78, -1.1}, {0.03, 0.84, -0.55}},
};
enum { BOXES = 11, WITH_TAIL = 12 };

// Turns a point about y so that what faced +z faces `front`.
static sn_vec3 turn(sn_vec3 p, sn_front front) {
    switch (front) {
    case SN_FRONT_MINUS_Z: return sn_vec3_make(-p.x, p.y, -p.z);
    case SN_FRONT_PLUS_X: return sn_vec3_make(p.z, p.y, -p.x);
    case SN_FRONT_MINUS_X: return sn_vec3_make(-p.z, p.y, p.x);
    default: return p;
    }
}

static void turn_mesh(sn_mesh *mesh, sn_front front) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float *p = mesh->positions + 3 * (size_t)v;
        sn_vec3_store(turn(sn_vec3_load(p), front), p);
    }
}

static sn_mesh *box_animal(sn_context *context, uint32_t count) {
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "animal", 8 * count, 6 * count, 24 * count, &mesh, error));
    for (uint32_t i = 0; i < 8 * count; ++i) {
        const box *b = &boxes[i / 8];
        sn_vec3_store(sn_vec3_make(i & 1 ? b->high[0] : b->low[0], i & 2 ? b->high[1] : b->low[1],
                                   i & 4 ? b->high[2] : b->low[2]),
                      mesh->positions + 3 * (size_t)i);
    }
    for (uint32_t f = 0; f < 6 * count; ++f) {
        for (uint32_t k = 0; k < 4; ++k) {
            mesh->corners[4 * (size_t)f + k] = 8 * (f / 6) + faces[f % 6][k];
        }
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    return mesh;
}

static sn_fitted_skeleton *fit(sn_context *context, sn_mesh *mesh, sn_front front) {
    sn_fit_skeleton_desc desc = sn_fit_skeleton_desc_default();
    sn_fitted_skeleton *fitted = NULL;
    desc.plan = SN_PLAN_QUADRUPED;
    desc.front = front;
    snt_ok(sn_fit_skeleton(context, &desc, 1, &mesh, NULL, &fitted, error));
    print_message("%s\n", fitted->notes);
    return fitted;
}

// The place of a joint at rest; frames are parallel to the world's.
static sn_vec3 joint(const sn_skeleton *skeleton, const char *name) {
    sn_vec3 sum = {0};
    uint32_t i = sni_skeleton_find(skeleton, name);
    assert_true(i != SN_NONE);
    for (; i != SN_NONE; i = skeleton->segments[i].parent) {
        sum = sn_vec3_add(sum, skeleton->segments[i].rest.translation);
    }
    return sum;
}

static void finds_the_joints_of_boxes(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = box_animal(context, WITH_TAIL);
    sn_fitted_skeleton *fitted = fit(context, mesh, SN_FRONT_GUESSED);
    const sn_skeleton *s = &fitted->skeleton;
    assert_true(fitted->front == SN_FRONT_PLUS_Z && fitted->front_guessed);
    snt_near(fitted->height, 1.35, 0.03);
    // Joints of straight legs lie in their middle, left is +x.
    snt_near(joint(s, "forearm.L").x, 0.095, 0.01);
    snt_near(joint(s, "forearm.L").z, 0.45, 0.01);
    snt_near(joint(s, "hand.R").x, -0.095, 0.01);
    snt_near(joint(s, "foot.R").z, -0.45, 0.01);
    assert_true(joint(s, "fingers 2.L").z > 0.5 && joint(s, "toes 2.R").z > -0.4);
    // The trunk lies in the middle, from hind to front; the head above, the tail behind.
    static const char *const row[] = {"tail 2",  "tail 1", "hips",   "spine 1",
                                      "spine 2", "chest",  "neck 1", "nose"};
    for (size_t i = 0; i + 1 < sizeof row / sizeof *row; ++i) {
        assert_true(joint(s, row[i]).z < joint(s, row[i + 1]).z);
        snt_near(joint(s, row[i]).x, 0, 0.02);
    }
    snt_near(joint(s, "tail 1").z, -0.6, 0.05);
    assert_true(joint(s, "head").y > 1.1 && joint(s, "hips").y < 0.9);
    sn_fitted_skeleton_destroy(fitted);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A body turned about y gets the same skeleton, turned.
static void faces_anywhere(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = box_animal(context, WITH_TAIL);
    sn_fitted_skeleton *first = fit(context, mesh, SN_FRONT_GUESSED);
    for (sn_front front = SN_FRONT_MINUS_Z; front <= SN_FRONT_MINUS_X; ++front) {
        sn_mesh *turned = box_animal(context, WITH_TAIL);
        turn_mesh(turned, front);
        sn_fitted_skeleton *fitted = fit(context, turned, SN_FRONT_GUESSED);
        assert_int_equal(fitted->front, front);
        assert_int_equal(fitted->skeleton.segment_count, first->skeleton.segment_count);
        for (uint32_t i = 0; i < first->skeleton.segment_count; ++i) {
            const char *name = first->skeleton.segments[i].name;
            sn_vec3 expected = turn(joint(&first->skeleton, name), front);
            double off = sn_vec3_distance(joint(&fitted->skeleton, name), expected);
            if (off > 0.005) {
                print_message("%s: %.1f mm\n", name, 1000 * off);
            }
            // Nodes of the grid are 16 mm apart, and those at the tips are several alike.
            assert_true(off < 0.04);
        }
        sn_fitted_skeleton_destroy(fitted);
        sn_mesh_destroy(turned);
    }
    // A front that was given is taken, though the feet say otherwise.
    sn_fitted_skeleton *back = fit(context, mesh, SN_FRONT_MINUS_Z);
    assert_true(back->front == SN_FRONT_MINUS_Z && !back->front_guessed);
    assert_true(joint(&back->skeleton, "head").z < joint(&back->skeleton, "hips").z);
    assert_true(joint(&back->skeleton, "thigh.L").x < 0);
    sn_fitted_skeleton_destroy(back);
    sn_fitted_skeleton_destroy(first);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void goes_without_a_tail(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = box_animal(context, BOXES);
    sn_fitted_skeleton *fitted = fit(context, mesh, SN_FRONT_GUESSED);
    assert_int_equal(sni_skeleton_find(&fitted->skeleton, "tail 1"), SN_NONE);
    assert_non_null(strstr(fitted->notes, "no tail was found"));
    sn_fitted_skeleton_destroy(fitted);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void refuses_other_bodies(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_fit_skeleton_desc desc = sn_fit_skeleton_desc_default();
    sn_fitted_skeleton *fitted = NULL;
    sn_mesh *trunk = box_animal(context, 1), *lame = box_animal(context, 4);
    desc.plan = SN_PLAN_QUADRUPED;
    snt_fails(SN_INVALID, "0 and 0 legs",
              sn_fit_skeleton(context, &desc, 1, &trunk, NULL, &fitted, error));
    snt_fails(SN_INVALID, "legs were found on the two sides",
              sn_fit_skeleton(context, &desc, 1, &lame, NULL, &fitted, error));
    desc.front = (sn_front)9;
    snt_fails(SN_INVALID, "front is 9",
              sn_fit_skeleton(context, &desc, 1, &lame, NULL, &fitted, error));
    desc = sn_fit_skeleton_desc_default();
    desc.plan = (sn_plan)7;
    snt_fails(SN_INVALID, "plan is 7",
              sn_fit_skeleton(context, &desc, 1, &lame, NULL, &fitted, error));
    desc.check = 0;
    snt_fails(SN_INVALID, "default",
              sn_fit_skeleton(context, &desc, 1, &lame, NULL, &fitted, error));
    assert_null(fitted);
    sn_mesh_destroy(trunk);
    sn_mesh_destroy(lame);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Animals with rigs

typedef struct pair {
    const char *made, *own;
    double most; // distance, as a part of the height of the own shoulder
} pair;

static sn_import *read(sn_context *context, const char *path) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    return import;
}

static sn_vec3 own_joint(const sn_import *rig, const char *name) {
    sn_mat4 *worlds = NULL;
    uint32_t i = sni_skeleton_find(&rig->skeleton, name);
    assert_true(i != SN_NONE);
    snt_ok(sni_skeleton_rest_worlds(rig->context, &rig->skeleton, &worlds, error));
    sn_vec3 place = sn_vec3_make(worlds[i].m[12], worlds[i].m[13], worlds[i].m[14]);
    sni_free(rig->context, worlds);
    return place;
}

static void compare(const char *mesh_path, const char *rig_path, const pair *pairs, size_t count) {
    sn_context *context = snt_context(0);
    sn_import *body = read(context, snt_data(mesh_path)), *rig = read(context, snt_data(rig_path));
    sn_fitted_skeleton *fitted = fit(context, body->meshes[0], SN_FRONT_GUESSED);
    assert_int_equal(fitted->front, SN_FRONT_PLUS_Z);
    double size = own_joint(rig, pairs[0].own).y;
    for (size_t i = 0; i < count; ++i) {
        double off = sn_vec3_distance(joint(&fitted->skeleton, pairs[i].made),
                                      own_joint(rig, pairs[i].own)) /
                     size;
        print_message("%s: %s %.1f %%\n", mesh_path, pairs[i].made, 100 * off);
        assert_true(off < pairs[i].most);
    }
    sn_fitted_skeleton_destroy(fitted);
    sn_import_destroy(rig);
    sn_import_destroy(body);
    snt_context_end(context);
}

static void fits_animals(void **state) {
    (void)state;
    static const pair fox[] = {
        {"upper arm.L", "Front_Leg_Upper_L", 0.12},
        {"forearm.R", "Front_Leg_Lower_R", 0.12},
        {"hand.L", "Front_Leg_Ankle_L", 0.06},
        {"thigh.R", "Back_Leg_Upper_R", 0.1},
        {"shin.L", "Back_Leg_Lower_L", 0.1},
        {"foot.R", "Back_Leg_Ankle_R", 0.05},
        {"head", "Head", 0.06},
        {"tail 1", "Tail_Base", 0.06},
    };
    static const pair dog[] = {
        {"upper arm.L", "upper_arm_L", 0.12},
        {"forearm.R", "lower_arm_R", 0.12},
        {"hand.L", "hand_L", 0.08},
        {"thigh.R", "upper_leg_R", 0.1},
        {"shin.L", "lower_leg_L", 0.1},
        {"foot.R", "foot_R", 0.05},
        {"head", "C_1", 0.16},
        {"neck 1", "C_7", 0.1},
    };
    static const pair other_fox[] = {
        {"upper arm.L", "b_LeftUpperArm_09", 0.18}, {"forearm.L", "b_LeftForeArm_010", 0.05},
        {"hand.L", "b_LeftHand_011", 0.05},         {"thigh.R", "b_RightLeg01_019", 0.08},
        {"shin.L", "b_LeftLeg02_016", 0.1},         {"foot.R", "b_RightFoot01_021", 0.06},
        {"toes 1.L", "b_LeftFoot02_018", 0.06},
    };
    compare("rigs/unrigged/model-fox.glb", "rigs/unrigged/rig-fox.glb", fox,
            sizeof fox / sizeof *fox);
    compare("animal/dog/dog_skin.obj", "animal/dog/dog.glb", dog, sizeof dog / sizeof *dog);
    compare("gltf/Fox.glb", "gltf/Fox.glb", other_fox, sizeof other_fox / sizeof *other_fox);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_joints_of_boxes),
        cmocka_unit_test(faces_anywhere),
        cmocka_unit_test(goes_without_a_tail),
        cmocka_unit_test(refuses_other_bodies),
        cmocka_unit_test(fits_animals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
