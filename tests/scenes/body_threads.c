// SPDX-License-Identifier: Apache-2.0
//
// One result for any number of threads and any order of frames, with everything that a body has:
// an extracted skin on a membrane, exact muscles, synergies.
#include "body.h"

enum { POSES = 6 };

// The skin as it was extracted, and frames of all clips in a given order.
typedef struct result {
    uint64_t mesh, poses[POSES];
} result;

static const uint32_t orders[][POSES] = {
    {0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}, {2, 5, 0, 4, 1, 3}};

static uint64_t hash_mesh(const sn_mesh *mesh) {
    uint64_t hash = hash_bytes(14695981039346656037u, mesh->positions,
                               3 * sizeof(float) * (size_t)mesh->vertex_count);
    return hash_bytes(hash, mesh->corners, sizeof(uint32_t) * (size_t)mesh->corner_count);
}

// Pose i is some frame of clip i, i - clips, ..., so that a frame goes from clip to clip.
static uint64_t evaluate(const body *b, sn_frame *frame, uint32_t pose) {
    sn_motion *motion = open_clip(b, pose % sn_model_clip_count(b->model));
    uint32_t number = (pose + 1) * 997 % sn_motion_frame_count(motion);
    snt_ok(sn_frame_evaluate(frame, motion, number, error));
    uint64_t hash = hash_frame(frame);
    sn_motion_destroy(motion);
    return hash;
}

static void play(const body *b, sn_frame *frame, const uint32_t *order, uint64_t *poses) {
    for (int i = 0; i < POSES; ++i) {
        poses[order[i]] = evaluate(b, frame, order[i]);
    }
}

static result compute(const char *document, uint32_t threads, const uint32_t *order) {
    sn_context *context = snt_context(threads);
    body b = make_coarse(context, document);
    result r = {.mesh = hash_mesh(b.mesh)};
    play(&b, b.frame, order, r.poses);
    end_body(&b);
    snt_context_end(context);
    return r;
}

static void check_threads(const char *document) {
    static const uint32_t threads[] = {2, 3, 8};
    result one = compute(document, 1, orders[0]);
    for (int i = 1; i < POSES; ++i) {
        assert_true(one.poses[i] != one.poses[0]);
    }
    for (int i = 0; i < 3; ++i) {
        result more = compute(document, threads[i], orders[i + 1]);
        assert_memory_equal(&one, &more, sizeof one);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    check_threads(MONKEY);
    check_threads(HUMAN);
}

// One frame played to and fro, another that starts at each pose.
static void scrubbing_gives_the_same_bits(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b = make_coarse(context, MONKEY);
    uint64_t first[POSES], again[POSES];
    play(&b, b.frame, orders[0], first);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        play(&b, b.frame, orders[i], again);
        assert_memory_equal(first, again, sizeof first);
    }
    for (uint32_t i = 0; i < POSES; ++i) {
        sn_frame *fresh = NULL;
        snt_ok(sn_frame_create(b.model, &fresh, error));
        assert_true(evaluate(&b, fresh, i) == first[i]);
        sn_frame_destroy(fresh);
    }
    end_body(&b);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(scrubbing_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
