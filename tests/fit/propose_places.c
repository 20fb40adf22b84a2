// SPDX-License-Identifier: Apache-2.0
//
// Proposed muscles lie where anatomy has them. Where a body's front, top and sides are is told by
// joints that a person has looked up for each of these bodies.
#include "test.h"

#include "motion/skeleton.h"
#include "propose_rig.h"

typedef struct known_body {
    const char *file;
    const char *hips, *neck;
    const char *thigh[2], *shin, *foot, *toe; // [0] left, [1] right; single ones are left
    const char *arm[2], *forearm, *hand;
    uint32_t least;   // muscles
    uint32_t lacking; // how many of the muscles of `rules` it may lack on its left
} known_body;

#define MIXAMO                                                                                     \
    "mixamorig:Hips", "mixamorig:Neck", {"mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"},           \
        "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:LeftToeBase",                        \
        {"mixamorig:LeftArm", "mixamorig:RightArm"}, "mixamorig:LeftForeArm", "mixamorig:LeftHand"
#define MAKEHUMAN                                                                                  \
    "root", "neck01", {"upperleg01.L", "upperleg01.R"}, "lowerleg01.L", "foot.L", "toe3-1.L",      \
        {"upperarm01.L", "upperarm01.R"}, "lowerarm01.L", "wrist.L"

static const known_body bodies[] = {
    {"human/human.glb", MAKEHUMAN, 44, 0},
    {"human/human_female.glb", MAKEHUMAN, 44, 0},
    {"human/human_male_muscular.glb", MAKEHUMAN, 44, 0},
    {"rigs/Xbot.glb", MIXAMO, 40, 0},
    {"rigs/Soldier.glb", MIXAMO, 40, 0},
    {"rigs/SambaDancing.fbx", MIXAMO, 40, 0},
    {"gltf/CesiumMan.glb",
     "Skeleton_torso_joint_1",
     "Skeleton_neck_joint_1",
     {"leg_joint_L_1", "leg_joint_R_1"},
     "leg_joint_L_2",
     "leg_joint_L_3",
     "leg_joint_L_5",
     {"Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R"},
     "Skeleton_arm_joint_L__3_",
     "Skeleton_arm_joint_L__2_",
     40,
     0},
    {"gltf/RiggedFigure.glb",
     "torso_joint_1",
     "neck_joint_1",
     {"leg_joint_L_1", "leg_joint_R_1"},
     "leg_joint_L_2",
     "leg_joint_L_3",
     "leg_joint_L_5",
     {"arm_joint_L_1", "arm_joint_R_1"},
     "arm_joint_L_2",
     "arm_joint_L_3",
     42,
     1},
    {"rigs/riggedMesh.glb",
     "hips",
     "neck",
     {"thighFBXASC046L", "thighFBXASC046R"},
     "shinFBXASC046L",
     "footFBXASC046L",
     "toeFBXASC046L",
     {"upper_armFBXASC046L", "upper_armFBXASC046R"},
     "forearmFBXASC046L",
     "handFBXASC046L",
     30,
     4},
};

// Joints and directions of a body at rest.
typedef struct frame_of_body {
    sn_vec3 hips, neck, thigh, shin, foot, toe, arm, forearm, hand, middle;
    sn_vec3 up, front, left;
} frame_of_body;

static sn_vec3 joint(const snt_rig *rig, const char *name) {
    uint32_t segment = sn_model_find_segment(rig->plain, name);
    assert_true(segment != SN_NONE);
    const double *m = sn_model_rest_worlds(rig->plain)[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static sn_vec3 unit(sn_vec3 v) {
    return sn_vec3_normalize_or(v, sn_vec3_make(0, 0, 0));
}

static sn_vec3 without(sn_vec3 v, sn_vec3 axis) {
    return unit(sn_vec3_add_scaled(v, -sn_vec3_dot(v, axis), axis));
}

static frame_of_body frame_of(const snt_rig *rig, const known_body *b) {
    frame_of_body f = {.hips = joint(rig, b->hips),
                       .neck = joint(rig, b->neck),
                       .thigh = joint(rig, b->thigh[0]),
                       .shin = joint(rig, b->shin),
                       .foot = joint(rig, b->foot),
                       .toe = joint(rig, b->toe),
                       .arm = joint(rig, b->arm[0]),
                       .forearm = joint(rig, b->forearm),
                       .hand = joint(rig, b->hand)};
    sn_vec3 right = joint(rig, b->thigh[1]);
    f.middle = sn_vec3_lerp(f.thigh, right, 0.5);
    f.left = unit(sn_vec3_sub(f.thigh, right));
    f.up = without(sn_vec3_sub(sn_vec3_lerp(f.arm, joint(rig, b->arm[1]), 0.5), f.middle), f.left);
    f.front = without(without(sn_vec3_sub(f.toe, f.foot), f.left), f.up);
    return f;
}

// How far a point lies in a direction from the line through two others.
static double beside(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_vec3 direction) {
    sn_vec3 along = unit(sn_vec3_sub(b, a)), way = sn_vec3_sub(p, a);
    way = sn_vec3_add_scaled(way, -sn_vec3_dot(way, along), along);
    return sn_vec3_dot(way, direction) / sn_vec3_length(way);
}

// Where along a line a point lies: 0 at its begin, 1 at its end.
static double place_on(sn_vec3 p, sn_vec3 a, sn_vec3 b) {
    sn_vec3 way = sn_vec3_sub(b, a);
    return sn_vec3_dot(sn_vec3_sub(p, a), way) / sn_vec3_dot(way, way);
}

// A muscle's middle: beside which line it lies in which direction, and where along it.
typedef enum rule_line { THIGH, SHIN, FOOT, ARM, FOREARM, TRUNK, NECK } rule_line;
typedef struct rule {
    const char *name;
    rule_line line;
    int front, up, left; // the direction
    double least;        // cosine between it and the direction
    double range[2];     // along the line
} rule;

static const rule rules[] = {
    {"quadriceps_L", THIGH, 1, 0, 0, 0.7, {0.2, 0.8}},
    {"hamstrings_L", THIGH, -1, 0, 0, 0.7, {0.2, 0.8}},
    {"gluteus_L", THIGH, -1, 0, 0, 0.5, {-0.3, 0.4}},
    {"abductors_L", THIGH, 0, 0, 1, 0.6, {-0.3, 0.5}},
    {"calf_L", SHIN, -1, 0, 0, 0.7, {0.2, 0.8}},
    {"tibialis_L", SHIN, 1, 0, 0, 0.7, {0.2, 0.8}},
    {"toe_extensors_L", FOOT, 0, 1, 0, 0.2, {-0.2, 1.2}},
    {"biceps_L", ARM, 1, 0, 0, 0.4, {0.2, 0.9}},
    {"triceps_L", ARM, -1, 0, 0, 0.4, {0.2, 0.9}},
    {"deltoid_L", ARM, 0, 1, 1, 0.5, {-0.5, 0.5}},
    {"pectoral_L", TRUNK, 1, 0, 0, 0.5, {0.7, 1.2}},
    {"latissimus_L", TRUNK, -1, 0, 0, 0.2, {0.3, 1.0}},
    {"trapezius_L", TRUNK, -1, 0, 0, 0.5, {0.7, 1.3}},
    {"rectus_L", TRUNK, 1, 0, 0, 0.7, {0.1, 0.8}},
    {"oblique_L", TRUNK, 0, 0, 1, 0.5, {0.1, 0.8}},
    {"erector_L", TRUNK, -1, 0, 0, 0.7, {0.1, 0.9}},
    {"sternomastoid_L", NECK, 0, 0, 1, 0.0, {-1, 2}},
};

static void line_of(const frame_of_body *f, rule_line line, sn_vec3 *a, sn_vec3 *b) {
    sn_vec3 chest =
        sn_vec3_add_scaled(f->middle, sn_vec3_dot(sn_vec3_sub(f->arm, f->middle), f->up), f->up);
    const sn_vec3 ends[][2] = {
        {f->thigh, f->shin},
        {f->shin, f->foot},
        {f->foot, f->toe},
        {f->arm, f->forearm},
        {f->forearm, f->hand},
        {f->middle, chest},
        {f->neck, sn_vec3_add_scaled(f->neck, 0.3 * sn_vec3_distance(f->arm, f->neck), f->up)}};
    *a = ends[line][0];
    *b = ends[line][1];
}

// Checks one rule for a muscle that the body has.
static bool follows(const snt_rig *rig, const frame_of_body *f, const rule *r, uint32_t muscle) {
    sn_vec3 a, b, m = snt_rig_middle(rig, muscle);
    sn_vec3 direction =
        sn_vec3_add(sn_vec3_scale(f->front, r->front),
                    sn_vec3_add(sn_vec3_scale(f->up, r->up), sn_vec3_scale(f->left, r->left)));
    line_of(f, r->line, &a, &b);
    direction = r->line == ARM ? without(direction, unit(sn_vec3_sub(b, a))) : unit(direction);
    double cosine = beside(m, a, b, direction), place = place_on(m, a, b);
    bool is_there = cosine >= r->least && place >= r->range[0] && place <= r->range[1];
    if (!is_there) {
        print_message("  %s: cosine %.2f, place %.2f\n", r->name, cosine, place);
    }
    return is_there;
}

static sn_vec3 mirror(const frame_of_body *f, sn_vec3 p) {
    double away = sn_vec3_dot(sn_vec3_sub(p, f->middle), f->left);
    return sn_vec3_add_scaled(p, -2 * away, f->left);
}

// How far the skin is from its own mirror image, at most and as a part of the height: the body's
// own asymmetry. Some of its points will do.
static double asymmetry_of_skin(const snt_rig *rig, const frame_of_body *f) {
    double worst = 0;
    for (uint32_t s = 0; s < rig->skin_count; ++s) {
        const sn_mesh *mesh = sn_model_surface(rig->plain, rig->skins[s])->mesh;
        const float *points = sn_frame_points(rig->plain_frame, rig->skins[s]);
        for (uint32_t v = 0; v < mesh->vertex_count; v += 1 + mesh->vertex_count / 300) {
            sn_vec3 image = mirror(f, sn_vec3_load(points + 3 * (size_t)v));
            double nearest = INFINITY;
            for (uint32_t w = 0; w < mesh->vertex_count; ++w) {
                sn_vec3 p = sn_vec3_load(points + 3 * (size_t)w);
                nearest = fmin(nearest, sn_vec3_distance(image, p));
            }
            worst = fmax(worst, nearest);
        }
    }
    return worst / sn_vec3_distance(f->neck, f->foot);
}

// Middle and ends of a muscle.
static void marks_of(const snt_rig *rig, uint32_t muscle, sn_vec3 marks[3]) {
    uint32_t last = rig->curves[muscle].counts[0] - 1;
    marks[0] = snt_rig_middle(rig, muscle);
    marks[1] =
        sn_vec3_lerp(snt_rig_point(rig, muscle, 0, 0), snt_rig_point(rig, muscle, 1, 0), 0.5);
    marks[2] =
        sn_vec3_lerp(snt_rig_point(rig, muscle, 0, last), snt_rig_point(rig, muscle, 1, last), 0.5);
}

// How far muscles of one side are from the mirror images of the other ones. All have one.
static double asymmetry_of_muscles(const snt_rig *rig, const frame_of_body *f) {
    double worst = 0;
    for (uint32_t i = 0; i < rig->layout->muscle_count; ++i) {
        const sn_layout_muscle *b = snt_other_side(rig->layout, &rig->layout->muscles[i]);
        sn_vec3 here[3], there[3];
        assert_non_null(b);
        marks_of(rig, i, here);
        marks_of(rig, (uint32_t)(b - rig->layout->muscles), there);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, sn_vec3_distance(mirror(f, here[k]), there[k]));
        }
    }
    return worst / sn_vec3_distance(f->neck, f->foot);
}

static void check_body(const known_body *body, uint32_t *wrong) {
    snt_rig rig = snt_rig_open(body->file);
    snt_ok(sn_frame_evaluate(rig.plain_frame, NULL, 0, error));
    frame_of_body f = frame_of(&rig, body);
    uint32_t lacking = 0;
    print_message("%s: %u muscles, %u left out\n", body->file, rig.layout->muscle_count,
                  rig.layout->skip_count);
    for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k) {
        uint32_t muscle = snt_rig_find(&rig, rules[k].name);
        lacking += muscle == SN_NONE;
        *wrong += muscle != SN_NONE && !follows(&rig, &f, &rules[k], muscle);
    }
    double skin = asymmetry_of_skin(&rig, &f), muscles = asymmetry_of_muscles(&rig, &f);
    print_message("  sides differ by %.4f of the height, the skin's by %.4f\n", muscles, skin);
    *wrong += muscles > 0.01 + 2 * skin;
    *wrong += rig.layout->muscle_count < body->least;
    *wrong += lacking > body->lacking;
    snt_rig_close(&rig);
}

static void muscles_lie_where_anatomy_has_them(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        check_body(&bodies[i], &wrong);
    }
    assert_int_equal(wrong, 0);
}

// ---------------------------------------------------------------------------------------------
// The same body in another dress

static sn_muscle_layout *propose(sn_context *context, const sn_import *import) {
    sn_muscle_layout *layout = NULL;
    sn_propose_desc desc = sn_propose_desc_default();
    desc.mesh = import->meshes[0];
    desc.skeleton = &import->skeleton;
    snt_ok(sn_muscles_propose(context, &desc, NULL, &layout, error));
    return layout;
}

static void rename_all(sn_context *context, sn_import *import) {
    sn_mesh *mesh = import->meshes[0];
    for (uint32_t i = 0; i < import->skeleton.segment_count; ++i) {
        sn_segment *segment = &import->skeleton.segments[i];
        char name[32];
        snprintf(name, sizeof name, "joint%u", i);
        for (uint32_t b = 0; b < mesh->weights->bone_count; ++b) {
            if (strcmp(mesh->weights->bone_names[b], segment->name) == 0) {
                snt_ok(sn_mesh_name_bone(mesh, b, name, error));
            }
        }
        sni_free(context, segment->name);
        segment->name = sni_string_copy(context, name);
    }
}

// Moves the skin into a space of centimetres with z up; the skeleton stays.
static void turn_skin(sn_import *import, const sn_mat4 *way) {
    sn_mesh *mesh = import->meshes[0];
    sn_mat4 back;
    assert_true(sn_mat4_invert(way, &back));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float *p = mesh->positions + 3 * (size_t)v;
        sn_vec3_store(sn_mat4_point(way, sn_vec3_load(p)), p);
    }
    for (uint32_t b = 0; b < mesh->weights->bone_count; ++b) {
        sn_mat4 *bind = &mesh->weights->inverse_bind[b];
        *bind = sn_mat4_multiply(bind, &back);
    }
}

// Equal muscles, those of `b` moved by `way`: the largest distance between their middles.
static double compare(const sn_muscle_layout *a, const sn_muscle_layout *b, const sn_mat4 *way) {
    double worst = 0;
    assert_int_equal(a->muscle_count, b->muscle_count);
    for (uint32_t i = 0; i < a->muscle_count; ++i) {
        const sn_layout_muscle *pair[2] = {&a->muscles[i], &b->muscles[i]};
        sn_vec3 middles[2] = {{0, 0, 0}, {0, 0, 0}};
        assert_string_equal(pair[0]->name, pair[1]->name);
        for (int k = 0; k < 2; ++k) {
            uint32_t count = pair[k]->curve_counts[0];
            for (uint32_t p = 0; p < count; ++p) {
                middles[k] = sn_vec3_add_scaled(middles[k], 1.0 / count, pair[k]->curves[0][p]);
            }
        }
        worst = fmax(worst, sn_vec3_distance(sn_mat4_point(way, middles[0]), middles[1]));
    }
    return worst;
}

static void names_scale_and_axes_do_not_matter(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const char *path = snt_data("human/human_male.glb");
    const sn_mat4 same = sn_mat4_identity();
    const sn_mat4 turned = {{100, 0, 0, 0, 0, 0, 100, 0, 0, -100, 0, 0, 5, 6, 7, 1}};
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    sn_muscle_layout *plain = propose(context, import);
    rename_all(context, import);
    sn_muscle_layout *renamed = propose(context, import);
    double by_names = compare(plain, renamed, &same);
    turn_skin(import, &turned);
    sn_muscle_layout *moved = propose(context, import);
    double by_space = compare(renamed, moved, &turned) / 100;
    print_message("%.1f mm without names, %.3f mm in another space\n", 1000 * by_names,
                  1000 * by_space);
    assert_true(by_names < 0.04); // joints of the spine and the shoulder may be others
    assert_true(by_space < 1e-4);
    sn_muscle_layout_destroy(plain);
    sn_muscle_layout_destroy(renamed);
    sn_muscle_layout_destroy(moved);
    sn_import_destroy(import);
    snt_context_end(context);
}

// Without the skin of its right arm a body keeps all other muscles.
static void a_missing_arm_takes_no_other_muscle_along(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, snt_data("human/human_male.glb"), &import, error));
    sn_mesh *mesh = import->meshes[0];
    uint32_t kept = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) { // triangles: those beyond the shoulder go
        const uint32_t *corners = mesh->corners + mesh->face_offsets[f];
        if (mesh->positions[3 * (size_t)corners[0]] > -0.2f) {
            memmove(mesh->corners + 3 * (size_t)kept++, corners, 3 * sizeof *corners);
        }
    }
    mesh->face_count = kept;
    mesh->corner_count = 3 * kept;
    sn_muscle_layout *layout = propose(context, import);
    assert_non_null(snt_find_muscle(layout, "biceps_L"));
    assert_null(snt_find_muscle(layout, "biceps_R"));
    assert_non_null(snt_find_muscle(layout, "quadriceps_R"));
    assert_non_null(snt_find_muscle(layout, "rectus_R"));
    bool said = false;
    for (uint32_t i = 0; i < layout->skip_count; ++i) {
        said = said || strcmp(layout->skips[i].name, "biceps_R") == 0;
    }
    assert_true(said);
    sn_muscle_layout_destroy(layout);
    sn_import_destroy(import);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_lie_where_anatomy_has_them),
        cmocka_unit_test(names_scale_and_axes_do_not_matter),
        cmocka_unit_test(a_missing_arm_takes_no_other_muscle_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
