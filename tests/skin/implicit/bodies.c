// SPDX-License-Identifier: Apache-2.0
//
// The deformer on whole bodies. With files as arguments it prints what is measured on each:
//
//     test_skin_implicit_bodies [-p POSE] [-r COUNT] human.glb ...
//
// in all poses or one, or in so many random ones.
#include "judge.h"

typedef struct contest {
    judged_deformer linear, dual, implicit;
} contest;

static void begin(const judged_body *b, contest *c) {
    *c = (contest){.linear = {.parameters = {SNI_BLEND_LINEAR}},
                   .dual = {.parameters = {SNI_BLEND_DUAL_QUATERNION}}};
    sni_parameters_defaults(&sni_deformer_implicit.parameters, c->implicit.parameters);
    judge_bind(b, "linear", &sni_deformer_blend, &c->linear);
    judge_bind(b, "dual quaternion", &sni_deformer_blend, &c->dual);
    judge_bind(b, "implicit", &sni_deformer_implicit, &c->implicit);
}

static void end(const judged_body *b, contest *c) {
    judge_unbind(b, &c->linear);
    judge_unbind(b, &c->dual);
    judge_unbind(b, &c->implicit);
}

static void print_row(const judged_body *b, judged_deformer *d, const judged_pose *pose,
                      uint32_t frames) {
    judgement j = judge_pose(b, d, pose, frames);
    printf("  %-18s %-16s edges %5.2f %5.2f beyond %4u  overlap %7.1f union %+8.1f cm3  crossings "
           "%4u  step %5.2f  turned %6.2f\n",
           pose->name, d->name, j.least, j.most, j.beyond, 1e6 * j.overlap,
           1e6 * (j.fill - b->rest_union), j.crossings, j.step, 1e6 * j.turned);
    fflush(stdout);
}

static void print_rows(const judged_body *b, contest *c, const judged_pose *pose) {
    print_row(b, &c->linear, pose, 20);
    print_row(b, &c->dual, pose, 20);
    print_row(b, &c->implicit, pose, 20);
}

static void print_body(const char *path, int only, uint32_t random) {
    judged_body b;
    contest c;
    judge_open(path, 2, &b);
    printf("%s: %u vertices, %u triangles, height %.2f m\n", path, b.mesh->vertex_count,
           b.triangles->count, b.height);
    begin(&b, &c);
    judged_pose pose;
    for (int which = 0; which < JUDGE_COUNT && random == 0; ++which) {
        if ((only < 0 || only == which) && judge_pose_of(&b, which, &pose)) {
            print_rows(&b, &c, &pose);
        }
    }
    for (uint32_t seed = 1; seed <= random && judge_random(&b, seed, &pose); ++seed) {
        print_rows(&b, &c, &pose);
    }
    end(&b, &c);
    judge_close(&b);
}

// --- Tests

// Elbow, knee and fingers at the end of their range: next to nothing is filled twice, more is
// filled than by linear blending, and edges keep their length. Curled fingers go into each other
// sideways and into the palm, too; there a part of the overlap is left, and what linear blending
// fills twice may be lost.
static void expect_folds(const char *path) {
    judged_body b;
    contest c;
    judge_open(path, 2, &b);
    begin(&b, &c);
    for (int which = JUDGE_ELBOW; which <= JUDGE_FINGERS; ++which) {
        judged_pose pose;
        bool curls = which == JUDGE_FINGERS;
        assert_true(judge_pose_of(&b, which, &pose));
        judgement linear = judge_pose(&b, &c.linear, &pose, 10);
        judgement implicit = judge_pose(&b, &c.implicit, &pose, 10);
        print_message("%s: overlap %.1f of %.1f cm3, step %.2f\n", pose.name,
                      1e6 * implicit.overlap, 1e6 * linear.overlap, implicit.step);
        assert_true(implicit.overlap < (curls ? 0.2 : 0.02) * linear.overlap);
        assert_true(implicit.fill > linear.fill - (curls ? linear.overlap : 0));
        assert_true(implicit.least > 0.33 && implicit.most < 3);
        assert_int_equal(implicit.beyond, 0);
        assert_true(implicit.step < 2);
    }
    end(&b, &c);
    judge_close(&b);
}

// All poses: nothing that is measured is worse than with dual quaternions, but for the margins
// here.
static void expect_no_worse(const char *path) {
    judged_body b;
    contest c;
    judge_open(path, 2, &b);
    begin(&b, &c);
    for (int which = 0; which < JUDGE_COUNT; ++which) {
        judged_pose pose;
        if (!judge_pose_of(&b, which, &pose)) {
            continue;
        }
        judgement dual = judge_pose(&b, &c.dual, &pose, 10);
        judgement implicit = judge_pose(&b, &c.implicit, &pose, 10);
        print_message(
            "%s: edges %.2f %.2f, overlap %.1f of %.1f cm3, crossings %u of %u, step %.2f\n",
            pose.name, implicit.least, implicit.most, 1e6 * implicit.overlap, 1e6 * dual.overlap,
            implicit.crossings, dual.crossings, implicit.step);
        assert_true(implicit.least >= fmin(0.33, dual.least));
        assert_true(implicit.most <= fmax(3, dual.most));
        assert_true(implicit.beyond <= dual.beyond);
        assert_true(implicit.overlap <= dual.overlap + 1e-6);
        // Thighs that go right through each other are pushed apart over most of their length, along
        // which their skins cross.
        bool crosses = which == JUDGE_THIGH_IN;
        // Skin that is stretched one way and folded the other crosses itself: 11 times in front of
        // the person's armpit with its arm forward.
        assert_true(implicit.crossings <= (crosses ? 1.2 : 1) * dual.crossings + 12);
        assert_true(implicit.step < (crosses || which <= JUDGE_FINGERS ? 2 : 1.3));
    }
    end(&b, &c);
    judge_close(&b);
}

// Poses that nobody has chosen, in which limbs go through each other and the trunk.
static void random_poses_are_no_worse(void **state) {
    (void)state;
    judged_body b;
    contest c;
    judge_open(snt_thorough() ? snt_data("human/human_female.glb")
                              : snt_source("examples/person/person.glb"),
               2, &b);
    begin(&b, &c);
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        judged_pose pose;
        assert_true(judge_random(&b, seed, &pose));
        judgement dual = judge_pose(&b, &c.dual, &pose, 1);
        judgement implicit = judge_pose(&b, &c.implicit, &pose, 10);
        print_message("%s: edges %.2f %.2f, overlap %.1f of %.1f cm3, crossings %u of %u, "
                      "step %.2f\n",
                      pose.name, implicit.least, implicit.most, 1e6 * implicit.overlap,
                      1e6 * dual.overlap, implicit.crossings, dual.crossings, implicit.step);
        assert_true(implicit.least > 0.33 && implicit.most < 3);
        assert_true(implicit.overlap <= dual.overlap + 1e-6);
        assert_true(implicit.crossings <= dual.crossings);
        assert_true(implicit.step < 1.5);
    }
    end(&b, &c);
    judge_close(&b);
}

static void folds_of_the_person_touch(void **state) {
    (void)state;
    expect_folds(snt_source("examples/person/person.glb"));
}

static void folds_of_other_bodies_touch(void **state) {
    (void)state;
    expect_folds(snt_data("human/human.glb"));
    if (snt_thorough()) {
        expect_folds(snt_data("human/human_female.glb"));
    }
}

static void the_person_is_no_worse(void **state) {
    (void)state;
    expect_no_worse(snt_source("examples/person/person.glb"));
}

static void other_bodies_are_no_worse(void **state) {
    (void)state;
    if (snt_thorough()) {
        expect_no_worse(snt_data("human/human_male.glb"));
    }
}

// An armature in centimetres with a scale of 0.01, texture seams, rigid shells. What linear
// blending fills of these is all that there is to fill.
static void scaled_armatures_are_no_worse(void **state) {
    (void)state;
    judged_body b;
    contest c;
    judge_open(snt_data("rigs/Xbot.glb"), 2, &b);
    begin(&b, &c);
    for (int which = JUDGE_ELBOW; which <= JUDGE_KNEE; ++which) {
        judged_pose pose;
        assert_true(judge_pose_of(&b, which, &pose));
        judgement dual = judge_pose(&b, &c.dual, &pose, 10);
        judgement implicit = judge_pose(&b, &c.implicit, &pose, 10);
        print_message("%s: overlap %.1f of %.1f cm3, step %.2f\n", pose.name,
                      1e6 * implicit.overlap, 1e6 * dual.overlap, implicit.step);
        assert_true(implicit.overlap < 0.02 * dual.overlap);
        assert_true(implicit.crossings < dual.crossings);
        assert_true(implicit.least > 0.33 && implicit.most < 3);
        assert_true(implicit.step < 2);
    }
    end(&b, &c);
    judge_close(&b);
}

// The pose alone counts: a frame after others has the bits of the first.
static void frames_do_not_depend_on_each_other(void **state) {
    (void)state;
    judged_body b;
    contest c;
    judged_pose pose;
    judge_open(snt_source("examples/person/person.glb"), 2, &b);
    begin(&b, &c);
    size_t bytes = 3 * (size_t)b.mesh->vertex_count * sizeof(float);
    assert_true(judge_pose_of(&b, JUDGE_SQUAT, &pose));
    judge_pose(&b, &c.implicit, &pose, 5);
    float *played = malloc(bytes);
    memcpy(played, c.implicit.points, bytes);
    judge_pose(&b, &c.implicit, &pose, 1);
    assert_memory_equal(played, c.implicit.points, bytes);
    assert_int_equal(sni_deformer_implicit.state_bytes(c.implicit.bound), 0);
    // At rest it has the bits of dual quaternions.
    judge_worlds(&b, &pose, 0, c.implicit.worlds);
    judge_deform(&b, &c.implicit, true);
    judge_worlds(&b, &pose, 0, c.dual.worlds);
    judge_deform(&b, &c.dual, true);
    assert_memory_equal(c.dual.points, c.implicit.points, bytes);
    free(played);
    end(&b, &c);
    judge_close(&b);
}

// Where the body stands does not matter: moved and turned as a whole, it is the same skin.
static void the_whole_body_can_stand_anywhere(void **state) {
    (void)state;
    judged_body b;
    contest c;
    judged_pose pose;
    judge_open(snt_source("examples/person/person.glb"), 2, &b);
    begin(&b, &c);
    uint32_t count = b.mesh->vertex_count;
    assert_true(judge_pose_of(&b, JUDGE_ELBOW, &pose));
    judge_worlds(&b, &pose, 1, c.implicit.worlds);
    judge_deform(&b, &c.implicit, true);
    memcpy(c.implicit.before, c.implicit.points, 3 * (size_t)count * sizeof(float));
    sn_transform elsewhere = {.translation = {2, -1, 3},
                              .rotation = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 1.2),
                              .scale = {1, 1, 1}};
    sn_mat4 motion = sn_mat4_from_transform(&elsewhere);
    for (uint32_t i = 0; i < b.skeleton->segment_count; ++i) {
        c.implicit.worlds[i] = sn_mat4_multiply(&motion, &c.implicit.worlds[i]);
    }
    judge_deform(&b, &c.implicit, true);
    double farthest = 0;
    for (size_t v = 0; v < count; ++v) {
        sn_vec3 there = sn_mat4_point(&motion, sn_vec3_load(c.implicit.before + 3 * v));
        farthest = fmax(farthest, sn_vec3_distance(there, sn_vec3_load(c.implicit.points + 3 * v)));
    }
    print_message("%.3g mm from where it should be\n", 1e3 * farthest);
    assert_true(farthest < 1e-4);
    end(&b, &c);
    judge_close(&b);
}

int main(int count, char **arguments) {
    int only = -1;
    uint32_t random = 0;
    for (int i = 1; i < count; ++i) {
        if (strcmp(arguments[i], "-p") == 0 && i + 1 < count) {
            only = atoi(arguments[++i]);
        } else if (strcmp(arguments[i], "-r") == 0 && i + 1 < count) {
            random = (uint32_t)atoi(arguments[++i]);
        } else {
            print_body(arguments[i], only, random);
        }
    }
    if (count > 1) {
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_of_the_person_touch),
        cmocka_unit_test(the_person_is_no_worse),
        cmocka_unit_test(random_poses_are_no_worse),
        cmocka_unit_test(frames_do_not_depend_on_each_other),
        cmocka_unit_test(the_whole_body_can_stand_anywhere),
        cmocka_unit_test(folds_of_other_bodies_touch),
        cmocka_unit_test(other_bodies_are_no_worse),
        cmocka_unit_test(scaled_armatures_are_no_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
