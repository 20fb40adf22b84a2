// SPDX-License-Identifier: Apache-2.0
//
// A document that passes the check can be compiled and played as far as it needs no files, and what
// is written reads back as the same text. What it stands for, said out, stands for itself.
#include "sinew/eval.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sn_context *make_context(void) {
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.allocator.byte_limit = (size_t)1 << 28;
    sn_context *context = NULL;
    sn_context_create(&desc, &context, NULL);
    return context;
}

static bool give_mesh(sn_context *context, sn_character *character, const char *name) {
    sn_mesh *mesh;
    if (sn_mesh_create(context, "triangle", 3, 1, 3, &mesh, NULL) != SN_OK) {
        return false;
    }
    for (uint32_t k = 0; k < 9; ++k) {
        mesh->positions[k] = k % 4 == 0;
    }
    memcpy(mesh->corners, (uint32_t[]){0, 1, 2}, 3 * sizeof(uint32_t));
    return sn_character_give_mesh(character, name, mesh, NULL) == SN_OK;
}

// A triangle for every mesh that the document stands for, so that no file is read.
static bool give_meshes(sn_context *context, sn_character *character) {
    sn_json *expanded;
    if (sn_character_expand(character, &expanded, NULL) != SN_OK) {
        return false;
    }
    const sn_value *meshes = sn_value_get(sn_json_root(expanded), "meshes");
    bool done = true;
    for (uint32_t i = 0; i < sn_value_count(meshes) && done; ++i) {
        done = give_mesh(context, character, sn_value_at(meshes, i)->key);
    }
    sn_json_destroy(expanded);
    return done;
}

// A skin may be extracted on a grid of any size: enough is enough.
static bool count_down(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    return --*(int *)user > 0;
}

static void play(const sn_model *model) {
    sn_frame *frame = NULL;
    if (sn_frame_create(model, &frame, NULL) != SN_OK) {
        return;
    }
    for (uint32_t i = 0; i < sn_model_clip_count(model); ++i) {
        const char *name = sn_model_clip_name(model, i);
        sn_motion *motion = NULL;
        if (sn_motion_open(model, name, &motion, NULL) == SN_OK) {
            sn_frame_evaluate(frame, motion, sn_motion_frame_count(motion) / 2, NULL);
        }
        sn_motion_destroy(motion);
    }
    sn_frame_destroy(frame);
}

static bool has_files(const sn_character *character) {
    const sn_value *clips =
        sn_value_get(sn_json_root(sn_character_document((sn_character *)character)), "clips");
    bool found = false;
    for (uint32_t i = 0; i < sn_value_count(clips); ++i) {
        found = found || sn_value_get(sn_value_at(clips, i), "file") != NULL;
    }
    return found;
}

static void expect_round_trip(sn_context *context, sn_character *character) {
    sn_character *again;
    char *text, *text_again;
    size_t size, size_again;
    if (sn_json_write(sn_character_document(character), &text, &size, NULL) != SN_OK) {
        return;
    }
    if (sn_character_parse(context, "again", text, size, &again, NULL) != SN_OK ||
        sn_json_write(sn_character_document(again), &text_again, &size_again, NULL) != SN_OK ||
        size != size_again || memcmp(text, text_again, size) != 0) {
        abort();
    }
    sn_json_free_text(context, text);
    sn_json_free_text(context, text_again);
    sn_character_destroy(again);
}

// What is said out passes the check, too, and has nothing left to say out.
static void expect_said_out(sn_context *context, sn_character *character) {
    sn_json *once = NULL, *twice = NULL;
    sn_character *again = NULL;
    char *text = NULL, *text_again = NULL;
    size_t size = 0, size_again = 0;
    sn_status status = sn_character_expand(character, &once, NULL);
    status = status == SN_OK ? sn_json_write(once, &text, &size, NULL) : status;
    status =
        status == SN_OK ? sn_character_parse(context, "again", text, size, &again, NULL) : status;
    status = status == SN_OK ? sn_character_expand(again, &twice, NULL) : status;
    status = status == SN_OK ? sn_json_write(twice, &text_again, &size_again, NULL) : status;
    // It can be a thousand times as long.
    if (status != SN_OUT_OF_MEMORY &&
        (status != SN_OK || size != size_again || memcmp(text, text_again, size) != 0)) {
        abort();
    }
    sn_json_free_text(context, text);
    sn_json_free_text(context, text_again);
    sn_json_destroy(once);
    sn_json_destroy(twice);
    sn_character_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_context *context = make_context();
    sn_character *character;
    sn_error error = {0};
    sn_status status =
        sn_character_parse(context, "fuzz", (const char *)data, size, &character, &error);
    if (status != error.status || (status != SN_OK && error.message[0] == 0)) {
        abort(); // every failure says what it is
    }
    if (status == SN_OK) {
        expect_round_trip(context, character);
        expect_said_out(context, character);
        sn_model *model = NULL;
        int patience = 2000;
        const sn_progress progress = {.report = count_down, .user = &patience};
        if (give_meshes(context, character) && !has_files(character) &&
            sn_model_create(character, &progress, &model, NULL) == SN_OK) {
            play(model);
        }
        sn_model_destroy(model);
        sn_character_destroy(character);
    }
    if (sn_context_bytes(context) != 0) {
        abort();
    }
    sn_context_destroy(context);
    return 0;
}
