// SPDX-License-Identifier: Apache-2.0
#include "jobs/measure.h"

#include "common/common.h"

#include <stdlib.h>

enum { VOLUME = 0, LENGTH = 1, SHORTENING = 2, ACTIVATION = 3, SWING = 4, SERIES_COUNT = 5 };
static const char *const series_names[SERIES_COUNT] = {"volume", "length", "shortening",
                                                       "activation", "swing"};

typedef struct muscle {
    uint32_t surface;
    const char *name;
    double rest_volume, rest_length;
    bool has_activation, has_axes;
    double *series[SERIES_COUNT]; // room for all frames each
} muscle;

struct measure {
    double rate;
    uint32_t room, count; // frames
    uint32_t muscle_count;
    muscle *muscles;
    sn_moment_arms *arms;
    uint32_t pair_count;
    const sn_moment_pair *pairs;
    const sn_coordinate *coordinates;
    sn_moment_arm *found;               // pair_count: in the last frame
    double **pair_series;               // pair_count: room for all frames each
    double *frames, *times;             // room
    double *stages[SN_STAGE_COUNT + 1]; // room each; the last is the total
    size_t series_count;                //
    double *numbers;                    // that all of these point into, one series after another
};

static uint32_t count_muscles(const sn_model *model) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        count += sn_model_surface(model, i)->layer == SN_LAYER_MUSCLE;
    }
    return count;
}

// Deals the numbers out.
static void place(measure *m, const sn_model *model) {
    double *next = m->numbers;
    m->frames = next;
    m->times = next += m->room;
    for (int s = 0; s <= SN_STAGE_COUNT; ++s) {
        m->stages[s] = next += m->room;
    }
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (surface->layer == SN_LAYER_MUSCLE) {
            muscle *item = &m->muscles[m->muscle_count++];
            *item = (muscle){.surface = i, .name = surface->name};
            for (int s = 0; s < SERIES_COUNT; ++s) {
                item->series[s] = next += m->room;
            }
        }
    }
    for (uint32_t i = 0; i < m->pair_count; ++i) {
        m->pair_series[i] = next += m->room;
    }
}

static sn_status make_arms(measure *m, const sn_model *model, sn_error *error) {
    uint32_t count;
    sn_status status = sn_moment_arms_create(model, NULL, 0, &m->arms, error);
    if (status != SN_OK) {
        return status;
    }
    m->pairs = sn_moment_arms_pairs(m->arms, &m->pair_count);
    m->coordinates = sn_moment_arms_coordinates(m->arms, &count);
    m->found = calloc((size_t)m->pair_count + 1, sizeof *m->found);
    m->pair_series = calloc((size_t)m->pair_count + 1, sizeof *m->pair_series);
    return m->found != NULL && m->pair_series != NULL ? SN_OK : app_fail_memory(error);
}

sn_status measure_create(const sn_model *model, uint32_t frame_count, double rate, measure **result,
                         sn_error *error) {
    size_t muscles = count_muscles(model);
    sn_status status = SN_OK;
    measure *m = *result = calloc(1, sizeof *m);
    if (m == NULL) {
        return app_fail_memory(error);
    }
    m->rate = rate;
    m->room = frame_count;
    SN_TRY(make_arms(m, model, error));
    m->series_count = 3 + SN_STAGE_COUNT + SERIES_COUNT * muscles + m->pair_count;
    m->muscles = calloc(muscles + 1, sizeof *m->muscles);
    m->numbers = calloc(m->series_count * ((size_t)frame_count + 1), sizeof *m->numbers);
    SN_TRY(m->muscles != NULL && m->numbers != NULL ? SN_OK : app_fail_memory(error));
    place(m, model);
    return SN_OK;
cleanup:
    measure_destroy(m);
    *result = NULL;
    return status;
}

void measure_destroy(measure *m) {
    if (m != NULL) {
        sn_moment_arms_destroy(m->arms);
        free(m->found);
        free(m->pair_series);
        free(m->muscles);
        free(m->numbers);
        free(m);
    }
}

sn_status measure_take(measure *m, const sn_frame *frame, uint32_t number, sn_error *error) {
    sn_status status = sn_moment_arms_measure(m->arms, frame, m->found, error);
    if (status != SN_OK) {
        return status;
    }
    uint32_t at = m->count++;
    for (uint32_t i = 0; i < m->pair_count; ++i) {
        m->pair_series[i][at] = m->found[i].arm;
    }
    m->frames[at] = number;
    m->times[at] = sn_frame_time(frame);
    m->stages[SN_STAGE_COUNT][at] = 0;
    for (int s = 0; s < SN_STAGE_COUNT; ++s) {
        m->stages[s][at] = sn_frame_stage_ms(frame, (sn_stage)s);
        m->stages[SN_STAGE_COUNT][at] += m->stages[s][at];
    }
    for (uint32_t i = 0; i < m->muscle_count; ++i) {
        muscle *item = &m->muscles[i];
        sn_muscle_state state = {0};
        sn_frame_muscle_state(frame, item->surface, &state);
        item->rest_volume = state.rest_volume;
        item->rest_length = state.rest_length;
        item->has_activation = state.has_activation;
        item->series[VOLUME][at] = state.volume;
        item->series[LENGTH][at] = state.length;
        item->series[SHORTENING][at] = state.shortening;
        item->series[ACTIVATION][at] = state.activation;
        item->has_axes = state.fibre_count > 0;
        item->series[SWING][at] = state.swing;
    }
    return SN_OK;
}

uint32_t measure_step(const measure *m, size_t most) {
    size_t frames = most / m->series_count > 0 ? most / m->series_count : 1;
    size_t step = (m->count + frames - 1) / frames;
    return step > 1 ? (uint32_t)step : 1;
}

void measure_thin(measure *m, uint32_t step) {
    uint32_t kept = (m->count + step - 1) / step;
    for (size_t s = 0; s < m->series_count; ++s) {
        double *series = m->numbers + s * m->room;
        for (uint32_t i = 0; i < kept; ++i) {
            series[i] = series[(size_t)i * step];
        }
    }
    m->count = kept;
}

// Moment arms by coordinate; nothing where the muscle has none.
static bool add_arms(const measure *m, const muscle *item, sn_json *json, sn_value *object,
                     uint32_t from) {
    sn_value *map = NULL;
    bool done = true;
    for (uint32_t i = 0; i < m->pair_count && done; ++i) {
        if (m->pairs[i].muscle == item->surface) {
            map = map != NULL ? map : sn_json_add_object(json, object, "moment_arms");
            done = sn_json_add_numbers(json, map, m->coordinates[m->pairs[i].coordinate].name,
                                       m->pair_series[i] + from, m->count - from) != NULL;
        }
    }
    return done;
}

static bool add_muscle(const measure *m, const muscle *item, sn_json *json, sn_value *muscles,
                       uint32_t from) {
    sn_value *object = sn_json_add_object(json, muscles, item->name);
    bool closed = item->rest_volume > 0;
    bool done =
        sn_json_add_number(json, object, "rest_length", item->rest_length) != NULL &&
        (!closed || sn_json_add_number(json, object, "rest_volume", item->rest_volume) != NULL);
    for (int s = 0; s < SERIES_COUNT && done; ++s) {
        bool has = (s != VOLUME || closed) && (s != ACTIVATION || item->has_activation) &&
                   (s != SWING || item->has_axes);
        done = (has ? sn_json_add_numbers(json, object, series_names[s], item->series[s] + from,
                                          m->count - from)
                    : sn_json_add_null(json, object, series_names[s])) != NULL;
    }
    return done && add_arms(m, item, json, object, from);
}

bool measure_add(const measure *m, sn_json *json, sn_value *object, uint32_t from) {
    uint32_t count = m->count - from;
    bool done = sn_json_add_number(json, object, "rate", m->rate) != NULL &&
                sn_json_add_number(json, object, "from", from) != NULL &&
                sn_json_add_numbers(json, object, "frames", m->frames + from, count) != NULL &&
                sn_json_add_numbers(json, object, "times", m->times + from, count) != NULL;
    sn_value *muscles = sn_json_add_object(json, object, "muscles");
    sn_value *stages = sn_json_add_object(json, object, "stages");
    for (uint32_t i = 0; i < m->muscle_count && done; ++i) {
        done = add_muscle(m, &m->muscles[i], json, muscles, from);
    }
    for (int s = 0; s <= SN_STAGE_COUNT && done; ++s) {
        const char *name = s < SN_STAGE_COUNT ? sn_stage_name((sn_stage)s) : "total";
        done = sn_json_add_numbers(json, stages, name, m->stages[s] + from, count) != NULL;
    }
    return done && muscles != NULL && stages != NULL;
}
