// SPDX-License-Identifier: Apache-2.0
//
// Bodies of others in clips of others with edges evened out (docs/relax.md), frame by frame: no
// vertex jumps, and triangles are not turned over.
#include "test.h"

#include "bench/rigs/rigs.h"

#include <math.h>
#include <stdlib.h>

// What a skin does from frame to frame, by weights alone and evened out.
typedef struct judged {
    double jump;              // largest step that evening out adds to that of a vertex, metres
    double step;              // largest step of a vertex by weights alone
    double moved;             // the farthest that a vertex is moved
    uint64_t folded, relaxed; // pairs of neighbouring triangles that lie on each other, all frames
    double height;            // of the body, metres
} judged;

// Triangles on both sides of an edge.
typedef struct wing {
    uint32_t a, b, left, right;
} wing;

static sn_vec3 at(const float *points, uint32_t vertex) {
    return sn_vec3_load(points + 3 * (size_t)vertex);
}

static int by_ends(const void *x, const void *y) {
    const wing *p = x, *q = y;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : p->b != q->b ? (p->b < q->b ? -1 : 1) : 0;
}

// The edges between two triangles of a mesh of triangles.
static uint32_t find_wings(const sn_mesh *mesh, wing *wings) {
    uint32_t count = 0, kept = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        const uint32_t *v = mesh->corners + mesh->face_offsets[f];
        for (int k = 0; mesh->face_offsets[f + 1] - mesh->face_offsets[f] == 3 && k < 3; ++k) {
            uint32_t a = v[k], b = v[(k + 1) % 3];
            wings[count++] = (wing){a < b ? a : b, a < b ? b : a, v[(k + 2) % 3], SN_NONE};
        }
    }
    qsort(wings, count, sizeof *wings, by_ends);
    for (uint32_t i = 0; i + 1 < count; ++i) {
        if (by_ends(&wings[i], &wings[i + 1]) == 0) {
            wings[kept] = wings[i];
            wings[kept++].right = wings[++i].left;
        }
    }
    return kept;
}

static bool is_folded(const float *p, const wing *w) {
    sn_vec3 a = at(p, w->a), e = sn_vec3_sub(at(p, w->b), a), none = {0, 0, 0};
    sn_vec3 u = sn_vec3_cross(e, sn_vec3_sub(at(p, w->left), a));
    sn_vec3 v = sn_vec3_cross(sn_vec3_sub(at(p, w->right), a), e);
    return sn_vec3_dot(sn_vec3_normalize_or(u, none), sn_vec3_normalize_or(v, none)) < -0.8;
}

typedef struct skin_run {
    uint32_t vertex_count, wing_count;
    wing *wings;
    bool has_before;
    float *plain, *relaxed; // of the frame before
} skin_run;

static void judge_skin(const snb_rig_body *body, uint32_t surface, skin_run *run, judged *j) {
    const float *plain = sn_frame_points(body->plain, surface);
    const float *relaxed = sn_frame_points(body->frame, surface);
    for (uint32_t v = 0; v < run->vertex_count; ++v) {
        double moved = sn_vec3_distance(at(plain, v), at(relaxed, v));
        double step = sn_vec3_distance(at(plain, v), at(run->plain, v));
        double jump = sn_vec3_distance(at(relaxed, v), at(run->relaxed, v)) - step;
        j->moved = fmax(j->moved, moved);
        if (run->has_before) {
            j->step = fmax(j->step, step);
            j->jump = fmax(j->jump, jump);
        }
    }
    for (uint32_t i = 0; i < run->wing_count; ++i) {
        j->folded += is_folded(plain, &run->wings[i]);
        j->relaxed += is_folded(relaxed, &run->wings[i]);
    }
    run->has_before = true;
    memcpy(run->plain, plain, 3 * (size_t)run->vertex_count * sizeof *plain);
    memcpy(run->relaxed, relaxed, 3 * (size_t)run->vertex_count * sizeof *relaxed);
}

static void start_skin(const sn_mesh *mesh, skin_run *run) {
    run->vertex_count = mesh->vertex_count;
    run->wings = malloc((mesh->corner_count + 1) * sizeof *run->wings);
    run->wing_count = find_wings(mesh, run->wings);
    run->plain = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof(float));
    run->relaxed = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof(float));
}

static void play(snb_rig_body *body, const snb_rig_clip *clip, uint32_t first, uint32_t count,
                 judged *j) {
    sn_motion *motion, *plain;
    skin_run runs[16] = {0};
    assert_true(body->skin_count <= 16);
    snt_ok(snb_rig_play(body->model, clip, &motion, NULL, error));
    snt_ok(snb_rig_play(body->plain_model, clip, &plain, NULL, error));
    for (uint32_t s = 0; s < body->skin_count; ++s) {
        start_skin(sn_model_surface(body->model, body->skins[s])->mesh, &runs[s]);
    }
    for (uint32_t k = first; k < first + count && k < clip->count; ++k) {
        snt_ok(sn_frame_evaluate(body->frame, motion, k * clip->step, error));
        snt_ok(sn_frame_evaluate(body->plain, plain, k * clip->step, error));
        for (uint32_t s = 0; s < body->skin_count; ++s) {
            judge_skin(body, body->skins[s], &runs[s], j);
        }
    }
    for (uint32_t s = 0; s < body->skin_count; ++s) {
        free(runs[s].wings);
        free(runs[s].plain);
        free(runs[s].relaxed);
    }
    sn_motion_destroy(motion);
    sn_motion_destroy(plain);
}

static judged judge(const char *body_file, const char *clip_file, uint32_t first, uint32_t count) {
    sn_context *context = snt_context(2);
    sn_import *body_import, *clip_import;
    snb_rig_body body;
    snb_rig_clip clip;
    bool is_body;
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_data(body_file));
    snt_ok(sn_import_file(context, path, &body_import, error));
    snt_ok(snb_rig_body_open(context, body_import, path, body_file, &body, &is_body, error));
    assert_true(is_body);
    snt_ok(sn_import_file(context, snt_data(clip_file), &clip_import, error));
    snt_ok(snb_rig_clip_open(context, clip_import->clips[0], clip_file, clip_file, &clip, error));
    judged j = {.height = body.height};
    play(&body, &clip, first, count, &j);
    print_message("%s, %s: moved by %.1f mm at most; steps of %.1f mm by weights, jumps by %.1f mm "
                  "more; folded %llu by weights, %llu relaxed\n",
                  body_file, clip_file, 1e3 * j.moved, 1e3 * j.step, 1e3 * j.jump,
                  (unsigned long long)j.folded, (unsigned long long)j.relaxed);
    snb_rig_clip_close(&clip);
    snb_rig_body_close(&body);
    sn_import_destroy(clip_import);
    sn_import_destroy(body_import);
    snt_context_end(context);
    return j;
}

static void nothing_jumps_or_turns_over(void **state) {
    (void)state;
    static const struct {
        const char *body, *clip;
        uint32_t first;
    } cases[] = {
        {"human/human_male_muscular.glb", "mocap/cmu_13_29_jacks_twists_bend_squats.bvh", 900},
        {"human/human_female.glb", "mocap/cmu_02_06_bend_scoop_lift_arm.bvh", 200},
        {"rigs/Xbot.glb", "mocap/cmu_02_06_bend_scoop_lift_arm.bvh", 200},
        {"gltf/CesiumMan.glb", "mocap/cmu_17_10_boxing.bvh", 100},
        {"rigs/Soldier.glb", "rigs/rokoko_dance.bvh", 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        judged j = judge(cases[i].body, cases[i].clip, cases[i].first, 60);
        assert_true(j.moved > 0);
        assert_true(j.jump < 0.01 * j.height && j.jump < 0.25 * j.step);
        assert_true((double)j.relaxed < 1.3 * (double)j.folded);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_jumps_or_turns_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
