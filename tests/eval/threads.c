// SPDX-License-Identifier: Apache-2.0
//
// Several threads in one context: some make models, others open motions and evaluate, all at the
// same time, with the bits that each has alone.
#include "toy.h"

#include <pthread.h>

enum { ROUNDS = 6, FRAMES = 4 };

typedef struct side {
    sn_context *context;
    sn_character *character;
    const sn_model *model; // of that character; NULL: the thread makes its own
    const char *clip;
    const char *text; // of the document, where it makes models
    size_t size;
    uint64_t hashes[FRAMES]; // of the last round
    sn_status status;
    sn_error error;
} side;

static sn_status hash_frames(side *s, const sn_model *model) {
    sn_error *error = &s->error;
    sn_status status = SN_OK;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    SN_TRY(sn_motion_open(model, s->clip, &motion, error));
    SN_TRY(sn_frame_create(model, &frame, error));
    for (uint32_t i = 0; i < FRAMES; ++i) {
        SN_TRY(sn_frame_evaluate(frame, motion, i * (sn_motion_frame_count(motion) - 1) / FRAMES,
                                 error));
        s->hashes[i] = hash_frame(frame);
    }
cleanup:
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    return status;
}

static void *evaluate_rounds(void *user) {
    side *s = user;
    for (int i = 0; i < ROUNDS && s->status == SN_OK; ++i) {
        s->status = hash_frames(s, s->model);
    }
    return NULL;
}

static void *make_rounds(void *user) {
    side *s = user;
    for (int i = 0; i < ROUNDS && s->status == SN_OK; ++i) {
        sn_model *model = NULL;
        s->status = sn_character_replace(s->character, s->text, s->size, &s->error);
        if (s->status == SN_OK) {
            s->status = sn_model_create(s->character, NULL, &model, &s->error);
        }
        if (s->status == SN_OK) {
            s->status = hash_frames(s, model);
        }
        sn_model_destroy(model);
    }
    return NULL;
}

static void work_side_by_side(uint32_t thread_count) {
    sn_context *context = snt_context(thread_count);
    const char *path = snt_source("examples/arm/arm.sinew.json");
    size_t size;
    char *text = read_bytes(path, &size);
    sn_character *characters[2];
    sn_model *model;
    for (int i = 0; i < 2; ++i) {
        snt_ok(sn_character_load(context, path, &characters[i], error));
    }
    snt_ok(sn_model_create(characters[0], NULL, &model, error));
    const char *clip = sn_model_clip_name(model, 0);
    side alone = {.context = context, .model = model, .clip = clip};
    snt_ok(hash_frames(&alone, model));
    side sides[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) { // two evaluate a model whose character makes others meanwhile
        sides[i] = (side){.context = context, .clip = clip, .text = text, .size = size};
        sides[i].model = i < 2 ? model : NULL;
        sides[i].character = characters[i == 3];
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < 2 ? evaluate_rounds : make_rounds, &sides[i]), 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 4; ++i) {
        snt_ok_at(sides[i].status, &sides[i].error, __FILE__, __LINE__);
        assert_memory_equal(sides[i].hashes, alone.hashes, sizeof alone.hashes);
    }
    sn_model_destroy(model);
    sn_character_destroy(characters[0]);
    sn_character_destroy(characters[1]);
    free(text);
    snt_context_end(context);
}

static void threads_share_a_context(void **state) {
    (void)state;
    work_side_by_side(1);
    work_side_by_side(3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
