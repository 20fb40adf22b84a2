// SPDX-License-Identifier: Apache-2.0
//
// Which surfaces and muscles an evaluation needs: what is selected, whatever drives it, lies below
// it or is touched by it, and the muscles that move any of these.
#include "eval/frame.h"

#include <string.h>

static void mark_need(const sni_need *need, void *user) {
    sn_frame *frame = user;
    if (need->surface != SN_NONE) {
        frame->needed[need->surface] = true;
    } else {
        frame->muscle_needed[need->muscle] = true;
    }
}

static bool is_selected(const sn_frame *frame, uint32_t surface) {
    switch (frame->selection) {
    case SNI_SELECT_SHOWN: return frame->model->surfaces[surface].shown;
    case SNI_SELECT_GIVEN: return frame->selected[surface];
    default: return true;
    }
}

void sni_frame_mark_needed(sn_frame *frame) {
    const sn_model *model = frame->model;
    uint32_t surface_count = model->blueprint->surface_count;
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        frame->needed[i] = is_selected(frame, i);
    }
    // Whoever only leaves out what is hidden still asks what hidden muscles do.
    for (uint32_t i = 0; i < model->blueprint->muscle_count; ++i) {
        frame->muscle_needed[i] = frame->selection != SNI_SELECT_GIVEN;
    }
    for (uint32_t i = surface_count; i-- > 0;) { // from the driven to their drivers
        uint32_t surface = model->blueprint->drivers_first[i];
        for (uint32_t k = 0; k < model->bound[surface].deformer_count; ++k) {
            if (frame->needed[surface]) {
                const sni_deformer_plan *plan = model->bound[surface].deformers[k].plan;
                sni_inputs_needs(plan->ops->inputs, plan->inputs, mark_need, frame);
            }
        }
    }
    for (uint32_t i = 0; i < model->blueprint->muscle_count; ++i) {
        frame->muscle_needed[i] = frame->muscle_needed[i] || frame->needed[surface_count + i];
    }
    sni_frame_muscles_spread_need(&frame->muscles, frame->muscle_needed);
    // What is left out for a while begins anew.
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        bool evaluated =
            i < surface_count ? frame->needed[i] : frame->muscle_needed[i - surface_count];
        frame->begun[i] = frame->begun[i] && evaluated;
    }
}

static void select_by(sn_frame *frame, sni_selection selection) {
    frame->selection = selection;
    sni_frame_forget_motion(frame);
    sni_frame_mark_needed(frame);
}

void sn_frame_show_only(sn_frame *frame, bool shown_only) {
    sni_selection selection = shown_only ? SNI_SELECT_SHOWN : SNI_SELECT_ALL;
    if (frame->selection != selection) {
        select_by(frame, selection);
    }
}

sn_status sn_frame_select(sn_frame *frame, const uint32_t *surfaces, uint32_t count,
                          sn_error *error) {
    uint32_t surface_count = frame->model->surface_count;
    sni_arena_mark mark = sni_arena_mark_now(&frame->arena);
    bool *selected = sni_arena_alloc(&frame->arena, surface_count, sizeof *selected);
    sn_status status = selected != NULL ? SN_OK : sni_fail_memory(error);
    for (uint32_t i = 0; i < surface_count && status == SN_OK; ++i) {
        selected[i] = false;
    }
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        if (surfaces[i] >= surface_count) {
            status = sni_fail(error, SN_INVALID, "entry %u selects surface %u: \"%s\" has %u", i,
                              surfaces[i], sn_model_name(frame->model), surface_count);
        } else {
            selected[surfaces[i]] = true;
        }
    }
    size_t size = surface_count * sizeof *selected;
    if (status == SN_OK &&
        (frame->selection != SNI_SELECT_GIVEN || memcmp(frame->selected, selected, size) != 0)) {
        memcpy(frame->selected, selected, size);
        select_by(frame, SNI_SELECT_GIVEN);
    }
    sni_arena_release(&frame->arena, mark);
    return status;
}
