// SPDX-License-Identifier: Apache-2.0
//
// Bodies whose weights are thrown away and made anew: in motion they are hardly worse than with the
// weights of their makers, and no vertex follows a bone on the other side.
#include "posed.h"

#include "sinew/fit.h"

#include <stdlib.h>

// How much worse stretch and volume may be, in any clip; and the volume of bodies that nothing was
// chosen for, the worst of which is a fox whose volume changes by 2.5 % in place of 2.1 %.
static const double worse = 1.1, worse_unseen_volume = 1.25;

// Clips that stretch a skin less than this say nothing about its weights.
static const double least_stretch = 0.02;

static sn_import *read(sn_context *context, const char *path) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    return import;
}

static sn_mesh *bind_copy(const sn_mesh *mesh, const sn_skeleton *skeleton) {
    sn_mesh *copy = NULL;
    sn_bind_desc desc = sn_bind_desc_default();
    sn_bind_report report;
    snt_ok(sn_mesh_copy(mesh, &copy, error));
    desc.skeleton = skeleton;
    desc.segments = (const char *const *)mesh->weights->bone_names;
    desc.segment_count = mesh->weights->bone_count;
    snt_ok(sn_bind_meshes(mesh->context, &desc, 1, &copy, NULL, &report, error));
    for (uint32_t v = 0; v < copy->vertex_count; ++v) {
        assert_true(copy->weights->offsets[v + 1] - copy->weights->offsets[v] <= 4);
    }
    return copy;
}

// Vertices off the middle (x = 0) on bones whose joints are beyond it.
static uint32_t count_other_side(const sn_mesh *mesh, const sn_skeleton *skeleton) {
    const sn_weights *w = mesh->weights;
    sn_vec3 low, high;
    sn_mat4 *rest = NULL;
    uint32_t count = 0;
    sn_mesh_bounds(mesh, &low, &high);
    double size = high.x - low.x;
    snt_ok(sni_skeleton_rest_worlds(mesh->context, skeleton, &rest, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double x = mesh->positions[3 * (size_t)v];
        for (uint32_t i = w->offsets[v]; i < w->offsets[v + 1]; ++i) {
            double joint = rest[sni_skeleton_find(skeleton, w->bone_names[w->bones[i]])].m[12];
            count += fabs(joint) > 0.01 * size && fabs(x) > 0.005 * size && joint * x < 0;
        }
    }
    sni_free(mesh->context, rest);
    return count;
}

// Sums of the logarithms of ratios.
typedef struct verdict {
    double stretch, volume;
    uint32_t count;
    double worst_volume; // that is allowed; INFINITY for open surfaces, which have no volume: it
                         // depends on where they stand
} verdict;

static void compare(const char *name, const sn_mesh *artist, const sn_mesh *bound,
                    const sn_skeleton *skeleton, const sn_clip *clip, verdict *sum) {
    uint32_t step = clip->frame_count / 12 + 1;
    snt_wear a = snt_wear_of(artist, skeleton, clip, step);
    snt_wear b = snt_wear_of(bound, skeleton, clip, step);
    print_message("%-34.34s stretch %.4f %.4f (%.2f)  torn %.4f %.4f  volume %.4f %.4f\n", name,
                  a.stretch, b.stretch, b.stretch / a.stretch, a.torn, b.torn, a.volume, b.volume);
    if (a.stretch > least_stretch) {
        sum->stretch += log(b.stretch / a.stretch);
        sum->volume += log(b.volume / a.volume);
        sum->count += 1;
        assert_true(b.stretch < worse * a.stretch);
        assert_true(b.volume < sum->worst_volume * a.volume);
    }
}

static void judge(const char *body, const sn_mesh *bound, const sn_skeleton *skeleton,
                  const verdict *sum) {
    double stretch = exp(sum->stretch / sum->count), volume = exp(sum->volume / sum->count);
    print_message("%s: stretch %.3f, volume %.3f of the artist's\n", body, stretch, volume);
    assert_true(stretch < 1);
    assert_int_equal(count_other_side(bound, skeleton), 0);
}

// The mesh with the most vertices, as its weights have it in the rest pose.
static sn_mesh *take_skin(const sn_import *import) {
    sn_mesh *mesh = NULL;
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        sn_mesh *other = import->meshes[i];
        bool larger = mesh == NULL || other->vertex_count > mesh->vertex_count;
        mesh = other->weights != NULL && larger ? other : mesh;
    }
    assert_non_null(mesh);
    snt_settle_rest(mesh, &import->skeleton);
    return mesh;
}

static const char *const clips[] = {
    "mocap/cmu_02_01_walk.bvh",
    "mocap/cmu_02_03_run_jog.bvh",
    "mocap/cmu_02_06_bend_scoop_lift_arm.bvh",
    "mocap/cmu_13_29_jacks_twists_bend_squats.bvh",
    "mocap/cmu_17_10_boxing.bvh",
    "mocap/cmu_02_04_jump_balance.bvh",
    "mocap/cmu_02_05_punch_strike.bvh",
    "mocap/cmu_16_03_high_jump.bvh",
    "mocap/cmu_42_01_stretch_head_shoulders_arms_legs.bvh",
};

static verdict verdict_on(const sn_mesh *skin, double worst_volume) {
    return (verdict){.worst_volume = snt_is_closed(skin) ? worst_volume : INFINITY};
}

static void compare_clips(const char *body, uint32_t clip_count, double worst_volume) {
    sn_context *context = snt_context(0);
    sn_import *import = read(context, snt_data(body));
    sn_mesh *skin = take_skin(import), *bound = bind_copy(skin, &import->skeleton);
    verdict sum = verdict_on(skin, worst_volume);
    for (uint32_t i = 0; i < clip_count; ++i) {
        sn_import *motion = read(context, snt_data(clips[i]));
        sn_retarget_desc desc = sn_retarget_desc_default();
        sn_clip *clip = NULL;
        snt_ok(sn_clip_retarget(motion->clips[0], &import->skeleton, &desc, &clip, NULL, error));
        compare(clips[i], skin, bound, &import->skeleton, clip, &sum);
        sn_clip_destroy(clip);
        sn_import_destroy(motion);
    }
    judge(body, bound, &import->skeleton, &sum);
    sn_mesh_destroy(bound);
    sn_import_destroy(import);
    snt_context_end(context);
}

// Easing was chosen with human.glb and the first fox; of the others nothing was.
static void binds_humans(void **state) {
    (void)state;
    compare_clips("human/human_female.glb", snt_thorough() ? 9 : 5, worse);
    if (snt_thorough()) {
        compare_clips("human/human.glb", 9, worse);
        compare_clips("human/human_male.glb", 9, worse);
        compare_clips("human/human_male_muscular.glb", 9, worse);
    }
}

static void binds_others(void **state) {
    (void)state;
    compare_clips("gltf/RiggedFigure.glb", 9, worse_unseen_volume);
    if (snt_thorough()) {
        compare_clips("gltf/CesiumMan.glb", 9, worse_unseen_volume);
        compare_clips("rigs/Soldier.glb", 9, worse_unseen_volume);
    }
}

static void bind_fox(const char *path, double worst_volume) {
    sn_context *context = snt_context(0);
    sn_import *fox = read(context, snt_data(path));
    sn_mesh *skin = take_skin(fox), *bound = bind_copy(skin, &fox->skeleton);
    verdict sum = verdict_on(skin, worst_volume);
    for (uint32_t i = 0; i < fox->clip_count; ++i) {
        compare(fox->clips[i]->name, skin, bound, &fox->skeleton, fox->clips[i], &sum);
    }
    judge(path, bound, &fox->skeleton, &sum);
    sn_mesh_destroy(bound);
    sn_import_destroy(fox);
    snt_context_end(context);
}

static void binds_foxes(void **state) {
    (void)state;
    bind_fox("rigs/unrigged/fox-animations.glb", worse);
    bind_fox("gltf/Fox.glb", worse_unseen_volume);
}

// A skeleton fitted to a body without one: its joints lie near those of the body's own rig.
static void fits_a_skeleton(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"upper arm.L", "upperarm01.L"},
        {"forearm.R", "lowerarm01.R"},
        {"hand.L", "wrist.L"},
        {"thigh.L", "upperleg01.L"},
        {"shin.R", "lowerleg01.R"},
        {"foot.L", "foot.L"},
        {"neck", "neck01"},
        {"head", "head"},
    };
    sn_context *context = snt_context(0);
    sn_import *import = read(context, snt_data("human/human_male.glb"));
    sn_fit_skeleton_desc plan = sn_fit_skeleton_desc_default();
    sn_fitted_skeleton *fitted = NULL;
    sn_mat4 *own = NULL, *made = NULL;
    snt_ok(sn_fit_skeleton(context, &plan, 1, import->meshes, NULL, &fitted, error));
    snt_ok(sni_skeleton_rest_worlds(context, &import->skeleton, &own, error));
    snt_ok(sni_skeleton_rest_worlds(context, &fitted->skeleton, &made, error));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const double *a = made[sni_skeleton_find(&fitted->skeleton, pairs[i][0])].m;
        const double *b = own[sni_skeleton_find(&import->skeleton, pairs[i][1])].m;
        double off =
            sn_vec3_distance(sn_vec3_make(a[12], a[13], a[14]), sn_vec3_make(b[12], b[13], b[14]));
        print_message("%s: %.1f cm\n", pairs[i][0], 100 * off);
        assert_true(off < 0.07);
    }
    sni_free(context, own);
    sni_free(context, made);
    sn_fitted_skeleton_destroy(fitted);
    sn_import_destroy(import);
    sn_import *fox = read(context, snt_data("rigs/unrigged/model-fox.glb"));
    snt_fails(SN_INVALID, "upright",
              sn_fit_skeleton(context, &plan, 1, fox->meshes, NULL, &fitted, error));
    assert_null(fitted);
    sn_import_destroy(fox);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binds_foxes),
        cmocka_unit_test(binds_humans),
        cmocka_unit_test(binds_others),
        cmocka_unit_test(fits_a_skeleton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
