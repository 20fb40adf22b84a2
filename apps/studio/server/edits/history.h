// SPDX-License-Identifier: Apache-2.0
//
// What can be undone and redone, without end, in the order in which it was done: each step as the
// text of its two patches of the document, and what it does to held values.
#ifndef SINEW_STUDIO_HISTORY_H
#define SINEW_STUDIO_HISTORY_H

#include "edits/held.h"

#include "sinew/json.h"

// A step. Its texts are objects: {"patch": [...]}; NULL: the document stays as it is.
typedef struct history_step {
    char *label;
    char *merge;   // NULL: never merged with the next one
    uint32_t page; // that made it
    char *forth, *back;
    size_t forth_size, back_size;
    held_changes held;
} history_step;

// Frees what a step holds.
void history_step_deinit(history_step *step);

typedef struct history {
    history_step *steps;
    uint32_t count;    // all steps
    uint32_t position; // steps that are done; the others can be redone
    uint32_t capacity;
    bool closed; // the last step takes in nothing more
} history;

void history_deinit(history *history);

// Makes room for one more step, so that history_push cannot fail.
sn_status history_reserve(history *history, sn_error *error);

// Adds a step as the last one done, which it takes over; what could be redone is gone. `merged`: in
// place of the last one, whose changes of held values it keeps.
void history_push(history *history, history_step *step, bool merged);

// Adds changes of held values to the last step, which goes where nothing of it is left. False
// without memory: the step is then as it was.
bool history_join_held(history *history, const char *label, const held_changes *changes);

// Whether a change takes part in the last step.
bool history_merges(const history *history, uint32_t page, const char *merge);

// The step that undo or redo would take, NULL for none.
const history_step *history_to_undo(const history *history);
const history_step *history_to_redo(const history *history);
void history_undone(history *history);
void history_redone(history *history);

// Parses the patch of a step; destroy the tree. `entries` is its array.
sn_status history_patch(sn_context *context, const char *text, size_t size, sn_json **patch,
                        const sn_value **entries, sn_error *error);

#endif
