// SPDX-License-Identifier: Apache-2.0
//
// Live steps. Where muscles of the model swing, a change of held values does not show the frame as
// it would be after the whole run at once: the frame goes on from what is shown, a sixtieth of a
// second after the other, and swings on until it is at rest. Then it is evaluated as every other
// frame is, and nothing is computed any more. What is shown meanwhile is not kept, and nobody can
// borrow it: exports, measurements and playback know nothing of live steps.
#include "player/player_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP_SECONDS (1.0 / 60)
// Sixtieths that one step takes at most: where steps take longer, time goes slower.
#define STEPS_AT_ONCE 4
// Particles within this part of the length of their muscle, and activations within as much, have
// not moved. A muscle is at rest when nothing has moved for so many seconds.
#define STILL 1e-4
#define STILL_SECONDS 0.25
// Steps after the last change, in seconds of motion, for what never comes to rest. Not of the
// clock: where steps are slow, what swings would end in the middle of it.
#define LONGEST_SECONDS 10.0

bool player_is_live(const desk_player *player, uint32_t slot) {
    return player->seats[slot].live.on;
}

bool player_can_live(const desk_player *player, uint32_t slot) {
    const seat *seat = &player->seats[slot];
    return seat->stage->swings && !player->playing && !seat->borrows && seat->showing != 0 &&
           !seat->dirty && !seat->fresh && seat->number == player_slot_number(player, slot);
}

bool player_goes_on(const desk_player *player, uint32_t slot) {
    const seat *seat = &player->seats[slot];
    return seat->live.on && !player->playing && !seat->borrows && !seat->dirty &&
           seat->number == player_slot_number(player, slot);
}

void player_end_live(seat *seat) {
    if (seat->live.on) {
        seat->live.on = false;
        seat->evaluated = SN_NONE;
        seat->dirty = true;
    }
}

void player_free_live(live_run *run) {
    free(run->seen);
    *run = (live_run){0};
}

// ---------------------------------------------------------------------------------------------
// Rest

// Where all particles of a model are, each with its muscle's activation: 4 numbers. NULL for `out`
// asks how many there are.
static size_t read_particles(const sn_frame *frame, double *out) {
    const sn_model *model = sn_frame_model(frame);
    size_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        sn_muscle_axis axis;
        sn_muscle_state state = {0};
        if (!sn_frame_muscle_axis(frame, i, 0, &axis) || !axis.swings) {
            continue;
        }
        sn_frame_muscle_state(frame, i, &state);
        double length = state.rest_length > 0 ? state.rest_length : 1;
        for (uint32_t k = 0; sn_frame_muscle_axis(frame, i, k, &axis); ++k) {
            for (uint32_t p = 0; p < axis.particle_count; ++p, ++count) {
                for (uint32_t d = 0; out && d < 3; ++d) {
                    out[4 * count + d] = axis.particles[3 * (size_t)p + d] / length;
                }
                if (out) {
                    out[4 * count + 3] = state.activation;
                }
            }
        }
    }
    return count;
}

static bool has_moved(const double *a, const double *b, size_t numbers) {
    for (size_t i = 0; i < numbers; ++i) {
        if (!(fabs(a[i] - b[i]) <= STILL)) {
            return true;
        }
    }
    return false;
}

// What is compared with stays where it is until something is away from it, so that slow motions and
// the turning points of swings are no rest. Without memory everything counts as moving.
static bool is_at_rest(live_run *run, const sn_frame *frame, double seconds) {
    size_t count = read_particles(frame, NULL), numbers = 4 * count;
    if (run->room < count) {
        free(run->seen);
        run->seen = calloc(2 * numbers + 1, sizeof *run->seen);
        run->room = run->seen ? count : 0;
        run->still = 0;
    }
    if (!run->seen) {
        return false;
    }
    double *now = run->seen + numbers;
    read_particles(frame, now);
    if (run->restarts || has_moved(run->seen, now, numbers)) {
        memcpy(run->seen, now, numbers * sizeof *now);
        run->still = 0;
        run->restarts = false;
    } else {
        run->still += seconds;
    }
    return run->still >= STILL_SECONDS;
}

// ---------------------------------------------------------------------------------------------
// Steps

sn_status player_begin_live(const stage *stage, uint32_t number, sn_error *error) {
    sn_frame *frame = stage->frame;
    size_t size = sn_frame_state_bytes(frame);
    void *state = malloc(size);
    if (!state) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    sn_frame_save(frame, state);
    SN_TRY(sn_frame_restore(frame, NULL, state, size, error));
    SN_TRY(sn_frame_set_motion_pose(frame, stage->motion, number, error));
    // Where there is no run to go on from, as in the rest pose, simulations begin with what is
    // shown; else nothing has happened yet.
    SN_TRY(sn_frame_step(frame, 0, error));
cleanup:
    free(state);
    return status;
}

sn_status player_step_live(desk_player *player, uint32_t slot, const stage *stage, bool changed,
                           bool *rests, sn_error *error) {
    live_run *run = &player->seats[slot].live;
    double now = app_clock();
    double late = fmin(floor((now - run->stepped) / STEP_SECONDS), STEPS_AT_ONCE);
    double seconds = fmax(late, 1) * STEP_SECONDS;
    sn_status status = sn_frame_step(stage->frame, seconds, error);
    run->stepped = now;
    run->due = now + STEP_SECONDS;
    run->restarts = run->restarts || changed;
    run->gone = changed ? 0 : run->gone + seconds;
    *rests =
        status == SN_OK && (is_at_rest(run, stage->frame, seconds) || run->gone > LONGEST_SECONDS);
    return status;
}
