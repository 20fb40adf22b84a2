// SPDX-License-Identifier: Apache-2.0
//
// Scanned bones on their proposed skeleton play motion capture without a map, and joints hold.
#include "real_bodies.h"

#include "fit/body/shape.h"
#include "motion/rig.h"
#include "motion/skeleton.h"

typedef struct stage {
    body *bones;
    sn_skeleton skeleton;
    sn_import *motion;
    sn_clip *clip;
    sni_rig *rig;
    sni_player *player;
    sni_pose pose;
    sn_mat4 *rests;
} stage;

static sn_skeleton make_skeleton(const body *b) {
    sn_skeleton skeleton = {0};
    snt_ok(sni_skeleton_init(b->context, b->plan->segment_count, &skeleton, error));
    for (uint32_t i = 0; i < skeleton.segment_count; ++i) {
        const sn_plan_segment *s = &b->plan->segments[i];
        sn_segment *segment = &skeleton.segments[i];
        sn_vec3 place = s->joint;
        sn_quat turn = s->rotation;
        if (s->parent != SN_NONE) {
            const sn_plan_segment *p = &b->plan->segments[s->parent];
            sn_quat back = sn_quat_conjugate(p->rotation);
            place = sn_quat_rotate(back, sn_vec3_sub(place, p->joint));
            turn = sn_quat_multiply(back, turn);
        }
        segment->name = sni_string_copy(b->context, s->name);
        segment->parent = s->parent;
        segment->rest.translation = place;
        segment->rest.rotation = turn;
        segment->order = s->order;
    }
    snt_ok(sni_skeleton_sort(b->context, &skeleton, error));
    return skeleton;
}

static void open_stage(stage *s, const char *motion) {
    *s = (stage){.bones = open_body("anatomy")};
    sn_context *context = s->bones->context;
    propose(s->bones);
    s->skeleton = make_skeleton(s->bones);
    snt_ok(sn_import_file(context, snt_data(motion), &s->motion, error));
    sn_retarget_desc desc = sn_retarget_desc_default();
    sn_retarget_report report;
    snt_ok(sn_clip_retarget(s->motion->clips[0], &s->skeleton, &desc, &s->clip, &report, error));
    // Hips, six of the spine, seven of the neck, head, and eight on each side with five toes.
    assert_int_equal(report.matched, 1 + 6 + 7 + 1 + 2 * (1 + 3 + 3 + 5));
    sni_rig_desc rig = {.skeleton = &s->skeleton};
    snt_ok(sni_rig_create(context, &rig, &s->rig, error));
    snt_ok(sni_player_create(s->rig, s->clip, NULL, &s->player, error));
    size_t count = s->skeleton.segment_count;
    s->pose = (sni_pose){
        .locals = sni_alloc(context, count, sizeof *s->pose.locals),
        .worlds = sni_alloc(context, count, sizeof *s->pose.worlds),
        .parameters = sni_alloc(context, count * SN_JOINT_PARAMETER_COUNT, sizeof(double)),
        .controls = sni_alloc(context, 0, sizeof(double)),
    };
    s->rests = sni_alloc(context, count, sizeof *s->rests);
    snt_ok(sni_rig_pose(s->rig, NULL, 0, NULL, 0, &s->pose, error));
    memcpy(s->rests, s->pose.worlds, count * sizeof *s->rests);
}

static void close_stage(stage *s) {
    sn_context *context = s->bones->context;
    void *arrays[] = {s->pose.locals, s->pose.worlds, s->pose.parameters, s->pose.controls,
                      s->rests};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(context, arrays[i]);
    }
    sni_player_destroy(s->player);
    sni_rig_destroy(s->rig);
    sn_clip_destroy(s->clip);
    sn_import_destroy(s->motion);
    sni_skeleton_deinit(context, &s->skeleton);
    end(s->bones);
}

// From where a bone of `child` stood at rest to where it is now, seen from the bone of `parent`.
static sn_mat4 relative_motion(const stage *s, uint32_t parent, uint32_t child) {
    sn_mat4 back, unrest;
    assert_true(sn_mat4_invert(&s->pose.worlds[parent], &back));
    assert_true(sn_mat4_invert(&s->rests[child], &unrest));
    sn_mat4 moved = sn_mat4_multiply(&s->pose.worlds[child], &unrest);
    sn_mat4 seen = sn_mat4_multiply(&back, &moved);
    return sn_mat4_multiply(&s->rests[parent], &seen);
}

// The least distance of two bones in the pose.
static double gap_of(const sni_shape *parent, const sni_shape *child, const sn_mat4 *motion) {
    double least = INFINITY;
    for (uint32_t i = 0; i < child->sample_count; ++i) {
        sn_closest closest;
        sn_accel_find_closest(parent->accel, sn_mat4_point(motion, child->samples[i].point), least,
                              &closest);
        least = closest.triangle != SN_NONE ? closest.distance : least;
    }
    return least;
}

// Jumping jacks, twists, bends and squats: no bone leaves its socket.
static void test_joints_hold(void **state) {
    (void)state;
    static const struct {
        const char *parent, *child;
        double most; // metres beyond the gap at rest
    } joints[] = {
        {"left hip bone", "left femur", 0.002},
        {"right hip bone", "right femur", 0.002},
        {"left scapula", "left humerus", 0.002},
        {"right scapula", "right humerus", 0.002},
        {"left femur", "left tibia", 0.008},
        {"right femur", "right tibia", 0.008},
        {"left humerus", "left ulna", 0.004},
        {"right humerus", "right ulna", 0.004},
        {"left tibia", "left talus", 0.004},
        {"right tibia", "right talus", 0.004},
        {"left first metatarsal bone", "proximal phalanx of left big toe", 0.003},
        {"sacrum", "fifth lumbar vertebra", 0.003},
        {"third lumbar vertebra", "second lumbar vertebra", 0.003},
        {"first lumbar vertebra", "twelfth thoracic vertebra", 0.003},
        {"fourth cervical vertebra", "third cervical vertebra", 0.003},
        {"atlas", "occipital bone", 0.003},
    };
    stage s;
    open_stage(&s, "mocap/cmu_13_29_jacks_twists_bend_squats.bvh");
    for (size_t j = 0; j < sizeof joints / sizeof *joints; ++j) {
        uint32_t bones[2] = {find_part(s.bones, joints[j].parent),
                             find_part(s.bones, joints[j].child)};
        uint32_t segments[2];
        sni_shape shapes[2];
        for (int i = 0; i < 2; ++i) {
            segments[i] = s.bones->plan->bone_segments[bones[i]];
            snt_ok(
                sni_shape_init(s.bones->context, s.bones->parts[bones[i]].mesh, &shapes[i], error));
        }
        sn_mat4 still = sn_mat4_identity();
        double rest = gap_of(&shapes[0], &shapes[1], &still), worst = 0;
        uint32_t worst_frame = 0;
        for (uint32_t frame = 0; frame < s.clip->frame_count; frame += 37) {
            snt_ok(sni_rig_pose(s.rig, s.player, frame / s.clip->rate, NULL, 0, &s.pose, error));
            sn_mat4 motion = relative_motion(&s, segments[0], segments[1]);
            double gap = gap_of(&shapes[0], &shapes[1], &motion);
            worst_frame = gap > worst ? frame : worst_frame;
            worst = fmax(worst, gap);
        }
        printf("%-28s %-34s %.1f mm, at rest %.1f (frame %u)\n", joints[j].parent, joints[j].child,
               1000 * worst, 1000 * rest, worst_frame);
        assert_true(worst < rest + joints[j].most);
        sni_shape_deinit(s.bones->context, &shapes[0]);
        sni_shape_deinit(s.bones->context, &shapes[1]);
    }
    close_stage(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joints_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
