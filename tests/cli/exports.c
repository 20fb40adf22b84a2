// SPDX-License-Identifier: Apache-2.0
//
// Real characters with real motions, exported as .glb: vertices and faces are the input's, one by one.
// Run by tests/validator/run, the files also go through the Khronos validator.
#include "test.h"

#include "sinew/sinew.h"

#include <stdlib.h>

static const char *out_path(const char *name) {
    static char path[4096];
    const char *folder = getenv("SNT_GLTF_OUT");
    if (folder == NULL) {
        return snt_scratch(name);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

typedef struct session {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} session;

static void open_session(session *s, const char *model) {
    sn_import *import = NULL;
    s->context = snt_context(0);
    snt_ok(sn_import_file(s->context, model, &import, error));
    snt_ok(sn_character_from_import(import, model, "new.sinew.json", &s->character, error));
    sn_import_destroy(import);
    snt_ok(sn_model_create(s->character, NULL, &s->model, error));
    snt_ok(sn_frame_create(s->model, &s->frame, error));
}

static void close_session(session *s) {
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static void expect_same_mesh(const sn_mesh *a, const sn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->positions, b->positions, 3 * sizeof(float) * (size_t)a->vertex_count);
    assert_memory_equal(a->corners, b->corners, sizeof(uint32_t) * (size_t)a->corner_count);
}

static void export_clip(session *s, const char *clip, const char *name, uint32_t last_frame) {
    sn_motion *motion = NULL;
    sn_import *back = NULL;
    sn_bake_desc desc = sn_bake_desc_default();
    snt_ok(sn_motion_open(s->model, clip, &motion, error));
    desc.motion = motion;
    desc.last = sn_motion_frame_count(motion) - 1;
    desc.last = desc.last < last_frame ? desc.last : last_frame;
    desc.glb = last_frame == UINT32_MAX ? SN_GLB_SKINNED : SN_GLB_MORPH;
    snt_ok(sn_bake(s->frame, &desc, out_path(name), NULL, error));
    snt_ok(sn_import_file(s->context, out_path(name), &back, error));
    assert_int_equal(back->mesh_count, sn_model_surface_count(s->model));
    expect_same_mesh(sn_model_surface(s->model, 0)->mesh, back->meshes[0]);
    sn_import_destroy(back);
    sn_motion_destroy(motion);
}

static void a_body_plays_every_recorded_clip(void **state) {
    (void)state;
    static const char *const clips[] = {
        "cmu_02_01_walk",          "cmu_02_03_run_jog",
        "cmu_02_04_jump_balance",  "cmu_02_05_punch_strike",
        "cmu_16_03_high_jump",     "cmu_02_06_bend_scoop_lift_arm",
        "cmu_17_10_boxing",        "cmu_42_01_stretch_head_shoulders_arms_legs",
        "cmu_13_29_jacks_twists_bend_squats",
    };
    session s;
    open_session(&s, snt_data("human/human.glb"));
    for (size_t i = 0; i < sizeof clips / sizeof *clips; ++i) {
        char clip[128], name[128];
        snprintf(clip, sizeof clip, "mocap/%s.bvh", clips[i]);
        snprintf(name, sizeof name, "%s.glb", clips[i]);
        export_clip(&s, snt_data(clip), name, UINT32_MAX);
    }
    close_session(&s);
}

static void samples_play_their_own_clips(void **state) {
    (void)state;
    static const char *const names[] = {"CesiumMan", "RiggedFigure", "RiggedSimple", "Fox"};
    for (size_t i = 0; i < 4; ++i) {
        char path[128], name[128];
        session s;
        snprintf(path, sizeof path, "gltf/%s.glb", names[i]);
        open_session(&s, snt_data(path));
        for (uint32_t c = 0; c < sn_model_clip_count(s.model); ++c) {
            const char *clip = sn_model_clip_name(s.model, c);
            snprintf(name, sizeof name, "%s-%s.glb", names[i], clip);
            export_clip(&s, clip, name, UINT32_MAX);
            snprintf(name, sizeof name, "%s-%s-points.glb", names[i], clip);
            export_clip(&s, clip, name, 5);
        }
        close_session(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_plays_every_recorded_clip),
        cmocka_unit_test(samples_play_their_own_clips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
