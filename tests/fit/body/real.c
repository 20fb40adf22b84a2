// SPDX-License-Identifier: Apache-2.0
//
// Skeletons proposed for scanned bones: a human without any rig, and a dog whose own rig tells
// where its joints should be.
#include "real_bodies.h"

#include "fit/body/shape.h"

#include "motion/body_names.h"

// Read and proposed by the first test that needs them, for all of them.
static body *human, *dog;

static const body *need(body **shared, const char *folder) {
    if (*shared == NULL) {
        body *b = open_body(folder);
        propose(b);
        *shared = b;
    }
    return *shared;
}

static const body *need_human(void) {
    return need(&human, "anatomy");
}

static const body *need_dog(void) {
    return need(&dog, "animal/dog");
}

static int end_bodies(void **state) {
    (void)state;
    body *bodies[] = {human, dog};
    for (int i = 0; i < 2; ++i) {
        if (bodies[i] != NULL) {
            end(bodies[i]);
        }
    }
    return 0;
}

static void check_parent(const body *b, const char *name, const char *parent) {
    const sn_plan_segment *segment = find_segment(b, name);
    assert_int_not_equal(segment->parent, SN_NONE);
    assert_string_equal(b->plan->segments[segment->parent].name, parent);
}

// Every part is on a segment, parents come first and only the first is a root, names are unique.
static void check_plan(const body *b) {
    const sn_body_plan *plan = b->plan;
    assert_int_equal(plan->part_count, b->count);
    for (uint32_t i = 0; i < b->count; ++i) {
        assert_in_range(plan->bone_segments[i], 0, plan->segment_count - 1);
    }
    assert_int_equal(plan->segments[0].parent, SN_NONE);
    for (uint32_t i = 1; i < plan->segment_count; ++i) {
        assert_in_range(plan->segments[i].parent, 0, i - 1);
        assert_true(sn_vec3_is_finite(plan->segments[i].joint));
        assert_true(strlen(plan->segments[i].reason) > 8);
        assert_null(strchr(plan->segments[i].reason, '\n'));
        for (uint32_t k = 0; k < i; ++k) {
            assert_string_not_equal(plan->segments[i].name, plan->segments[k].name);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Human

static void test_human_tree(void **state) {
    (void)state;
    static const char *const parents[][2] = {
        {"spine 1", "hips"},
        {"spine 5", "spine 4"},
        {"chest", "spine 5"},
        {"neck 1", "chest"},
        {"neck 7", "neck 6"},
        {"head", "neck 7"},
        {"jaw", "head"},
        {"clavicle.L", "chest"},
        {"scapula.L", "clavicle.L"},
        {"socket.R", "scapula.R"},
        {"upper arm.R", "socket.R"},
        {"forearm.R", "upper arm.R"},
        {"radius.L", "forearm.L"},
        {"hand.L", "wrist turn.L"},
        {"wrist turn.L", "radius.L"},
        {"thumb 1.L", "hand.L"},
        {"thumb 3.L", "thumb 2.L"},
        {"index 1.R", "hand.R"},
        {"little 3.R", "little 2.R"},
        {"thigh.L", "hips"},
        {"shin.L", "thigh.L"},
        {"patella.L", "thigh.L"},
        {"foot.R", "shin.R"},
        {"toe 1-1.R", "foot.R"},
        {"toe 5-3.R", "toe 5-2.R"},
    };
    static const char *const places[][2] = {
        {"fifth lumbar vertebra", "spine 1"},
        {"seventh cervical vertebra", "neck 1"},
        {"atlas", "neck 7"},
        {"twelfth thoracic vertebra", "chest"},
        {"left first rib", "chest"},
        {"left fifth costal cartilage", "chest"},
        {"sacrum", "hips"},
        {"left hip bone", "hips"},
        {"vomer", "head"},
        {"left upper secondary canine tooth", "head"},
        {"mandible", "jaw"},
        {"left lower secondary canine tooth", "jaw"},
        {"hyoid bone", "hyoid"},
        {"left fibula", "shin.L"},
        {"left ulna", "forearm.L"},
        {"right pisiform", "hand.R"},
        {"left talus", "foot.L"},
        {"sesamoid bone of left foot", "foot.L"},
        {"right first metacarpal bone", "thumb 1.R"},
        {"middle phalanx of left ring finger", "ring 2.L"},
        {"distal phalanx of right big toe", "toe 1-2.R"},
    };
    const body *b = need_human();
    check_plan(b);
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i) {
        check_parent(b, parents[i][0], parents[i][1]);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        uint32_t segment = b->plan->bone_segments[find_part(b, places[i][0])];
        assert_string_equal(b->plan->segments[segment].name, places[i][1]);
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        assert_false(b->plan->bone_guessed[i]);
    }
}

// The hip bone lies round the joint at the radius of the head and some cartilage, and no nearer.
static void check_acetabulum(const body *b, const char *hip, sn_vec3 joint) {
    const sn_mesh *mesh = b->parts[find_part(b, hip)].mesh;
    int near = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double distance = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)i), joint);
        assert_true(distance > 0.022);
        near += distance < 0.029;
    }
    assert_true(near > 100);
}

// Vertices of the femur's head: those that lie further in than its shaft, near the top.
static void check_hip(const body *b, const char *bone, const char *hip, const char *segment) {
    const sn_mesh *femur = b->parts[find_part(b, bone)].mesh;
    sn_vec3 joint = find_segment(b, segment)->joint;
    double sum = 0, squares = 0, count = 0;
    for (uint32_t i = 0; i < femur->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(femur->positions + 3 * (size_t)i);
        double inwards = joint.x > 0 ? joint.x - p.x : p.x - joint.x;
        if (inwards > 0 && fabs(p.y - joint.y) < 0.03) { // the medial half of the ball
            double distance = sn_vec3_distance(p, joint);
            sum += distance;
            squares += distance * distance;
            count++;
        }
    }
    double mean = sum / count, deviation = sqrt(squares / count - mean * mean);
    printf("%s: %g vertices of the head, radius %.2f mm, deviation %.2f mm\n", segment, count,
           1000 * mean, 1000 * deviation);
    assert_true(count > 20);
    assert_true(mean > 0.020 && mean < 0.026);
    assert_true(deviation < 0.0015); // the pit of the ligament is in it
    check_acetabulum(b, hip, joint);
}

// Lowest vertices of both condyles.
static void check_knee(const body *b) {
    const sn_mesh *femur = b->parts[find_part(b, "left femur")].mesh;
    sn_vec3 joint = find_segment(b, "shin.L")->joint;
    sn_vec3 lowest[2] = {{0, INFINITY, 0}, {0, INFINITY, 0}};
    for (uint32_t i = 0; i < femur->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(femur->positions + 3 * (size_t)i);
        int half = p.x > joint.x;
        lowest[half] = p.y < lowest[half].y ? p : lowest[half];
    }
    printf("knee at %.4f, condyles at %.4f and %.4f; %.1f and %.1f mm above their ends\n", joint.x,
           lowest[0].x, lowest[1].x, 1000 * (joint.y - lowest[0].y),
           1000 * (joint.y - lowest[1].y));
    snt_near(joint.x, 0.5 * (lowest[0].x + lowest[1].x), 0.006);
    for (int half = 0; half < 2; ++half) { // condyles have radii of 20 to 30 mm
        assert_true(joint.y - lowest[half].y > 0.01 && joint.y - lowest[half].y < 0.035);
    }
}

static void test_human_joints(void **state) {
    (void)state;
    const body *b = need_human();
    check_hip(b, "left femur", "left hip bone", "thigh.L");
    check_hip(b, "right femur", "right hip bone", "thigh.R");
    check_knee(b);
    // Left and right mirror each other about the body's plane.
    double plane = find_segment(b, "hips")->joint.x, worst = 0;
    const char *worst_name = "";
    for (uint32_t i = 0; i < b->plan->segment_count; ++i) {
        const sn_plan_segment *left = &b->plan->segments[i];
        char name[128];
        snprintf(name, sizeof name, "%s", left->name);
        size_t length = strlen(name);
        if (length < 2 || strcmp(name + length - 2, ".L") != 0) {
            continue;
        }
        name[length - 1] = 'R';
        sn_vec3 image = find_segment(b, name)->joint;
        image.x = 2 * plane - image.x;
        double off = sn_vec3_distance(image, left->joint);
        worst_name = off > worst ? left->name : worst_name;
        worst = fmax(worst, off);
    }
    printf("left and right differ by %.1f mm at most (%s)\n", 1000 * worst, worst_name);
    assert_true(worst < 0.005);
    // What lies in the middle does so within the width of a vertebra's hole.
    static const char *const middle[] = {"spine 1", "spine 3", "chest", "neck 1",
                                         "neck 4",  "head",    "jaw"};
    for (size_t i = 0; i < sizeof middle / sizeof *middle; ++i) {
        snt_near(find_segment(b, middle[i])->joint.x, plane, 0.003);
    }
}

// Retargeting knows what the segments are.
static void test_human_roles(void **state) {
    (void)state;
    static const struct {
        const char *name;
        sni_body_part part;
        sni_body_side side;
    } roles[] = {
        {"hips", SNI_BODY_HIPS, SNI_SIDE_NONE},
        {"spine 3", SNI_BODY_SPINE, SNI_SIDE_NONE},
        {"chest", SNI_BODY_SPINE, SNI_SIDE_NONE},
        {"neck 2", SNI_BODY_NECK, SNI_SIDE_NONE},
        {"head", SNI_BODY_HEAD, SNI_SIDE_NONE},
        {"clavicle.L", SNI_BODY_CLAVICLE, SNI_SIDE_LEFT},
        {"upper arm.R", SNI_BODY_UPPER_ARM, SNI_SIDE_RIGHT},
        {"forearm.L", SNI_BODY_FOREARM, SNI_SIDE_LEFT},
        {"hand.L", SNI_BODY_HAND, SNI_SIDE_LEFT},
        {"thigh.R", SNI_BODY_THIGH, SNI_SIDE_RIGHT},
        {"shin.R", SNI_BODY_SHIN, SNI_SIDE_RIGHT},
        {"foot.L", SNI_BODY_FOOT, SNI_SIDE_LEFT},
        {"toe 2-1.L", SNI_BODY_TOES, SNI_SIDE_LEFT},
        {"index 1.L", SNI_BODY_INDEX, SNI_SIDE_LEFT},
        // What a rig without clavicles calls its shoulders; beside a clavicle it follows that.
        {"scapula.L", SNI_BODY_CLAVICLE, SNI_SIDE_LEFT},
        {"socket.L", SNI_BODY_NONE, SNI_SIDE_LEFT},
        {"radius.L", SNI_BODY_NONE, SNI_SIDE_LEFT},
        {"wrist turn.L", SNI_BODY_NONE, SNI_SIDE_LEFT},
    };
    const body *b = need_human();
    for (size_t i = 0; i < sizeof roles / sizeof *roles; ++i) {
        find_segment(b, roles[i].name);
        sni_named_role found = sni_body_role_of_name(roles[i].name, NULL);
        assert_int_equal(found.role.part, roles[i].part);
        assert_int_equal(found.role.side, roles[i].side);
    }
}

// The shoulder's control is 0 at rest, at 180 degrees of raising 60, and what girdle and socket
// turn adds up to nothing.
static void test_human_couplings(void **state) {
    (void)state;
    const body *b = need_human();
    assert_int_equal(b->plan->coupling_count, 10);
    for (uint32_t i = 0; i < b->plan->coupling_count; ++i) {
        const sn_plan_coupling *c = &b->plan->couplings[i];
        if (strncmp(c->name, "shoulder rhythm", 15) != 0) {
            assert_non_null(c->parameter);
            continue;
        }
        double sum = 0, rest = sn_vec3_distance(c->points[0], c->points[1]);
        for (uint32_t k = 0; k < c->spread_count; ++k) {
            sum += c->spreads[k].amount;
        }
        snt_near(sum, 0, 1e-12);
        assert_true(rest <= c->curve[0][0]);
        snt_near(c->curve[0][1], 0, 0);
        snt_near(c->curve[c->key_count - 1][1], 60, 1e-9);
        sn_vec3 head = b->plan->segments[c->segments[1]].joint;
        snt_near(c->curve[c->key_count - 1][0], 2 * sn_vec3_distance(head, c->points[1]), 1e-9);
        for (uint32_t k = 1; k < c->key_count; ++k) {
            assert_true(c->curve[k][0] > c->curve[k - 1][0]);
        }
    }
}

static double key_of(const body *b, const char *name, uint32_t key) {
    for (uint32_t i = 0; i < b->plan->coupling_count; ++i) {
        const sn_plan_coupling *c = &b->plan->couplings[i];
        if (strcmp(c->name, name) == 0) {
            snt_near(c->curve[0][1], 0, 0);
            snt_near(c->curve[key][0], 60.0 * key / (c->key_count - 1), 1e-9);
            return c->curve[key][1] * SN_PI / 180;
        }
    }
    fail_msg("there is no coupling %s", name);
    return 0;
}

// How far the blade's farthest point is from the ribs, turned upwards by 7.5 degrees a key, with
// swing and tilt or without.
static double blade_off_ribs(const body *b, uint32_t key, double part) {
    const sn_plan_segment *collar = find_segment(b, "clavicle.L");
    const sn_plan_segment *blade = find_segment(b, "scapula.L");
    double rise = key * 7.5 * SN_PI / 180, far = 0;
    sn_vec3 angles = {part * key_of(b, "shoulder tilt.L", key),
                      part * key_of(b, "shoulder swing.L", key), rise};
    sn_quat frame = blade->rotation, back = sn_quat_conjugate(frame);
    sn_quat turn = sn_quat_from_euler(angles, SN_ROTATION_ZYX);
    sn_quat lift = sn_quat_from_euler(sn_vec3_make(0, 0, 0.3 * rise), SN_ROTATION_ZYX);
    turn = sn_quat_multiply(frame, sn_quat_multiply(turn, back));
    lift = sn_quat_multiply(frame, sn_quat_multiply(lift, back));
    sn_vec3 end =
        sn_vec3_add(collar->joint, sn_quat_rotate(lift, sn_vec3_sub(blade->joint, collar->joint)));
    sni_shape *shapes = calloc(b->count, sizeof *shapes);
    for (uint32_t i = 0; i < b->count; ++i) {
        snt_ok(sni_shape_init(b->context, b->parts[i].mesh, &shapes[i], error));
    }
    const sni_shape *shape = &shapes[find_part(b, "left scapula")];
    for (uint32_t i = 0; i < shape->sample_count; i += 4) {
        double near = INFINITY;
        sn_vec3 way = sn_vec3_sub(shape->samples[i].point, blade->joint);
        sn_vec3 point = sn_vec3_add(end, sn_quat_rotate(turn, way));
        for (uint32_t k = 0; k < b->count; ++k) {
            sn_closest closest;
            if (strstr(b->names[k], "rib") != NULL) {
                sn_accel_find_closest(shapes[k].accel, point, near, &closest);
                near = closest.triangle != SN_NONE ? closest.distance : near;
            }
        }
        // What stands off at rest, such as the acromion, is not the blade's lower angle.
        far = shape->samples[i].point.y < shape->low.y + 0.03 ? fmax(far, near) : far;
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        sni_shape_deinit(b->context, &shapes[i]);
    }
    free(shapes);
    return far;
}

// The lower angle of a raised shoulder blade stays where it was on the ribs, and does not wing.
static void test_blades_glide(void **state) {
    (void)state;
    body *b = open_body("anatomy");
    propose(b);
    double rest = blade_off_ribs(b, 0, 1);
    for (uint32_t key = 4; key <= 8; key += 4) {
        double glides = blade_off_ribs(b, key, 1), wings = blade_off_ribs(b, key, 0);
        printf("%g degrees: %.1f mm off the ribs, at rest %.1f, alone %.1f\n", 7.5 * key,
               1e3 * glides, 1e3 * rest, 1e3 * wings);
        assert_true(glides < rest + 0.02);
        assert_true(wings > glides + 0.01);
    }
    end(b);
}

// Without any name the hips, shoulders and knuckles that spheres tell are the same.
static void test_human_without_names(void **state) {
    (void)state;
    static const char *const balls[][2] = {
        {"left femur", "thigh.L"},
        {"right femur", "thigh.R"},
        {"left humerus", "upper arm.L"},
        {"proximal phalanx of left index finger", "index 1.L"},
    };
    const body *named = need_human();
    body *b = open_body("anatomy");
    uint32_t bones[4];
    for (int i = 0; i < 4; ++i) {
        bones[i] = find_part(b, balls[i][0]);
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        snprintf(b->names[i], sizeof b->names[i], "part %u", i);
        b->sides[i][0] = 0;
    }
    propose(b);
    check_plan(b);
    for (int i = 0; i < 4; ++i) {
        const sn_plan_segment *segment = &b->plan->segments[b->plan->bone_segments[bones[i]]];
        double off = sn_vec3_distance(segment->joint, find_segment(named, balls[i][1])->joint);
        printf("%s: %.2f mm\n", balls[i][1], 1000 * off);
        assert_true(off < 0.002);
        assert_true(b->plan->bone_guessed[bones[i]]);
    }
    end(b);
}

// ---------------------------------------------------------------------------------------------
// Dog

// Where a joint of the rig stands; its rest rotations are all the identity.
static sn_vec3 rig_joint(const sn_skeleton *skeleton, const char *name) {
    sn_vec3 place = {0, 0, 0};
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (strcmp(skeleton->segments[i].name, name) == 0) {
            for (uint32_t k = i; k != SN_NONE; k = skeleton->segments[k].parent) {
                place = sn_vec3_add(place, skeleton->segments[k].rest.translation);
            }
            return place;
        }
    }
    fail_msg("the rig has no joint \"%s\"", name);
    return place;
}

static void test_dog_joints(void **state) {
    (void)state;
    static const struct {
        const char *segment, *joint;
        double most; // metres
    } joints[] = {
        {"thigh.L", "upper_leg_L", 0.005},
        {"thigh.R", "upper_leg_R", 0.005},
        {"shin.L", "lower_leg_L", 0.015},
        {"shin.R", "lower_leg_R", 0.015},
        {"foot.L", "foot_L", 0.010},
        {"upper arm.L", "upper_arm_L", 0.005},
        {"upper arm.R", "upper_arm_R", 0.005},
        {"forearm.L", "lower_arm_L", 0.010},
        {"forearm.R", "lower_arm_R", 0.010},
        {"hand.L", "hand_L", 0.015},
        {"neck 1", "C_7", 0.015},
        {"neck 4", "C_4", 0.025},
        {"tail 1", "Ca_1", 0.015},
        {"tail 12", "Ca_12", 0.020},
    };
    const body *b = need_dog();
    sn_import *rig;
    snt_ok(sn_import_file(b->context, snt_data("animal/dog/dog.glb"), &rig, error));
    check_plan(b);
    for (size_t i = 0; i < sizeof joints / sizeof *joints; ++i) {
        sn_vec3 place = rig_joint(&rig->skeleton, joints[i].joint);
        double off = sn_vec3_distance(find_segment(b, joints[i].segment)->joint, place);
        printf("%-12s %5.1f mm from %s\n", joints[i].segment, 1000 * off, joints[i].joint);
        assert_true(off < joints[i].most);
    }
    sn_import_destroy(rig);
}

static void test_dog_tree(void **state) {
    (void)state;
    static const char *const parents[][2] = {
        {"spine 7", "spine 6"},  {"chest", "spine 7"},         {"tail 1", "hips"},
        {"tail 21", "tail 20"},  {"scapula.L", "chest"},       {"upper arm.L", "scapula.L"},
        {"hand.R", "forearm.R"}, {"middle 3.R", "middle 2.R"}, {"toe 4-3.L", "toe 4-2.L"},
    };
    // Names of its toes tell neither digit nor joint; those of its fingers are partly spoilt.
    static const char *const places[][2] = {
        {"Radius_L", "forearm.L"},
        {"Fibula_R", "shin.R"},
        {"Femoris_fabellae_L_1", "thigh.L"},
        {"Phalanges_B_L_3", "toe 3-1.L"},
        {"Phalanges_B_2_L_3", "toe 3-2.L"},
        {"Phalanges_B_3_R_4", "toe 4-3.R"},
        {"Phalanxpmxinutlis_digiti_III_R", "middle 1.R"},
        {"Phalanx_distalis_digiti_V_L", "little 3.L"},
        {"Molars_Top_1L", "head"},
        {"Premolars_Bottom_R_2", "jaw"},
        {"Rib_L_13", "chest"},
        {"Tibial_tarsal_L", "foot.L"},
    };
    const body *b = need_dog();
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i) {
        check_parent(b, parents[i][0], parents[i][1]);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        uint32_t segment = b->plan->bone_segments[find_part(b, places[i][0])];
        assert_string_equal(b->plan->segments[segment].name, places[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_human_tree),   cmocka_unit_test(test_human_joints),
        cmocka_unit_test(test_human_roles),  cmocka_unit_test(test_human_couplings),
        cmocka_unit_test(test_blades_glide), cmocka_unit_test(test_human_without_names),
        cmocka_unit_test(test_dog_joints),   cmocka_unit_test(test_dog_tree),
    };
    return cmocka_run_group_tests(tests, NULL, end_bodies);
}
