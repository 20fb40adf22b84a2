// SPDX-License-Identifier: Apache-2.0
//
// The largest eigenvalue of a round, which says how far rounds may go: power iteration on what a
// round does to small displacements, of flesh as it is at rest and of flesh that is a little
// larger. Fascia gives way to compression, and its stiffness counts where flesh is larger. Where
// columns stand wide beside the thickness of their flesh, the coarse correction takes the change of
// thickness too far, and that counts most at rest.
#include "solver/flesh_internal.h"

#include "base/context.h"
#include "sinew/vector.h"
#include "solver/flesh_coarse.h"

#include <math.h>
#include <string.h>

enum { POWER_ROUNDS = 60 };

// What is added to the eigenvalue: power iteration comes from below, and flesh that is deformed
// differs from flesh at rest.
static const double margin = 1.05;

// Displacements as a part of the mean edge: large enough for floats, small enough for the law to be
// soft.
static const double displacement = 0.01;

// What all lengths are multiplied by, in turn.
static const double sizes[] = {1, 1.03};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const float usual_slide = 10, usual_hold = 600;

typedef struct power {
    const sni_columns *columns;
    size_t numbers; // of an array of points
    sni_flesh_round round;
    sni_columns_hold hold;
    float *skin, *fascia;             // displaced
    float *rest_skin, *rest_fascia;   // x 4
    float *still_skin, *still_fascia; // steps at rest
    double length;                    // of displacements
} power;

static double mean_edge(const sni_columns_desc *desc) {
    double sum = 0;
    for (uint32_t t = 0; t < desc->triangle_count; ++t) {
        const uint32_t *v = desc->triangles + 3 * (size_t)t;
        sum += sn_vec3_distance(sn_vec3_load(desc->skin + 3 * (size_t)v[0]),
                                sn_vec3_load(desc->skin + 3 * (size_t)v[1]));
    }
    return desc->triangle_count > 0 ? sum / desc->triangle_count : 0;
}

static float *new_points(const power *p, sni_arena *arena) {
    float *points = sni_arena_alloc(arena, p->numbers, sizeof *points);
    if (points != NULL) {
        memset(points, 0, p->numbers * sizeof *points);
    }
    return points;
}

// Columns as large as that, and held there.
static bool place_columns(power *p, const sni_columns_desc *desc, double size, sni_arena *arena) {
    float *anchors = new_points(p, arena), *normals = new_points(p, arena);
    p->rest_skin = new_points(p, arena);
    p->rest_fascia = new_points(p, arena);
    if (anchors == NULL || normals == NULL || p->rest_skin == NULL || p->rest_fascia == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < desc->column_count; ++i) {
        size_t at = 4 * (size_t)i;
        sn_vec3 x = sn_vec3_scale(sn_vec3_load(desc->skin + 3 * (size_t)i), size);
        sn_vec3 y = sn_vec3_scale(sn_vec3_load(desc->fascia + 3 * (size_t)i), size);
        sn_vec3_store(x, p->rest_skin + at);
        sn_vec3_store(y, p->rest_fascia + at);
        sn_vec3_store(y, anchors + at);
        sn_vec3_store(sn_vec3_normalize_or(sn_vec3_sub(x, y), sn_vec3_make(0, 0, 1)), normals + at);
        anchors[at + 3] = desc->slide != NULL ? desc->slide[i] : usual_slide;
        normals[at + 3] = desc->hold != NULL ? desc->hold[i] : usual_hold;
    }
    p->hold = (sni_columns_hold){.anchors = anchors, .normals = normals};
    return true;
}

static bool make_round(power *p, sni_arena *arena) {
    const sni_columns *c = p->columns;
    sni_flesh_round *r = &p->round;
    size_t places = (size_t)c->group_count * SNI_WIDTH;
    *r = (sni_flesh_round){.columns = c, .hold = &p->hold};
    r->rotations = sni_arena_alloc(arena, 4 * places, sizeof(float));
    r->corner_forces = sni_arena_alloc(arena, 24 * places, sizeof(float));
    r->skin_step = new_points(p, arena);
    r->fascia_step = new_points(p, arena);
    r->skin_forces = new_points(p, arena);
    r->fascia_forces = new_points(p, arena);
    p->skin = new_points(p, arena);
    p->fascia = new_points(p, arena);
    p->still_skin = new_points(p, arena);
    p->still_fascia = new_points(p, arena);
    return r->rotations != NULL && r->corner_forces != NULL && r->skin_step != NULL &&
           r->fascia_step != NULL && r->skin_forces != NULL && r->fascia_forces != NULL &&
           p->skin != NULL && p->fascia != NULL && p->still_skin != NULL && p->still_fascia != NULL;
}

// The steps of a round from where columns are; rotations begin anew, so that they depend on it
// alone.
static void step_from(power *p, const float *skin, const float *fascia,
                      sni_flesh_correction *correction) {
    sni_flesh_round *r = &p->round;
    sni_columns_state state = {.rotations = r->rotations};
    sni_columns_begin(p->columns, NULL, &state);
    r->skin = skin;
    r->fascia = fascia;
    r->turns = 1;
    sni_flesh_forces_run(r);
    sni_flesh_gather_run(r);
    if (correction != NULL) {
        sni_flesh_correct(correction, r->skin_forces, r->fascia_forces, r->skin_step,
                          r->fascia_step);
    }
}

// Numbers between -1 and 1 that look random, the same everywhere.
static float noise(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 23) - 1;
}

static void displace(power *p, float *values, float *points, const float *rest, double factor) {
    for (size_t i = 0; i < p->numbers; ++i) {
        points[i] = rest[i] + (float)factor * (i % 4 == 3 ? 0 : values[i]);
    }
}

static double length_of(const float *skin, const float *fascia, size_t numbers) {
    double sum = 0;
    for (size_t i = 0; i < numbers; ++i) {
        double a = (double)skin[i], b = (double)fascia[i];
        sum += i % 4 == 3 ? 0 : a * a + b * b;
    }
    return sqrt(sum);
}

// What a round takes displacements to, in place of them; returns by how much it made them longer.
static double apply_once(power *p, float *skin_by, float *fascia_by,
                         sni_flesh_correction *correction) {
    double before = length_of(skin_by, fascia_by, p->numbers);
    if (!(before > 0)) {
        return 0;
    }
    double factor = p->length * sqrt((double)p->columns->column_count) / before;
    displace(p, skin_by, p->skin, p->rest_skin, factor);
    displace(p, fascia_by, p->fascia, p->rest_fascia, factor);
    step_from(p, p->skin, p->fascia, correction);
    for (size_t i = 0; i < p->numbers; ++i) {
        skin_by[i] = p->still_skin[i] - p->round.skin_step[i];
        fascia_by[i] = p->still_fascia[i] - p->round.fascia_step[i];
    }
    return length_of(skin_by, fascia_by, p->numbers) / (factor * before);
}

static double largest_of(power *p, float *skin_by, float *fascia_by,
                         sni_flesh_correction *correction) {
    uint32_t state = 1;
    for (size_t i = 0; i < p->numbers; ++i) {
        float freedom = p->columns->freedom[i / 4];
        skin_by[i] = freedom * noise(&state);
        fascia_by[i] = freedom * noise(&state);
    }
    step_from(p, p->rest_skin, p->rest_fascia, correction);
    memcpy(p->still_skin, p->round.skin_step, p->numbers * sizeof(float));
    memcpy(p->still_fascia, p->round.fascia_step, p->numbers * sizeof(float));
    double largest = 0;
    for (int i = 0; i < POWER_ROUNDS; ++i) {
        largest = apply_once(p, skin_by, fascia_by, correction);
    }
    return margin * largest;
}

static sn_status find_at_size(sni_columns *c, const sni_columns_desc *desc, double size,
                              sn_error *error) {
    power p = {.columns = c, .numbers = 4 * (size_t)c->padded_count};
    sn_status status = SN_OK;
    sni_arena arena;
    sni_arena_init(&arena, c->context);
    p.length = displacement * mean_edge(desc);
    bool made = place_columns(&p, desc, size, &arena) && make_round(&p, &arena);
    float *skin_by = made ? new_points(&p, &arena) : NULL;
    float *fascia_by = made ? new_points(&p, &arena) : NULL;
    SN_TRY(skin_by != NULL && fascia_by != NULL ? SN_OK : sni_fail_memory(error));
    double largest = largest_of(&p, skin_by, fascia_by, NULL), corrected = largest;
    if (c->coarse != NULL) {
        sni_flesh_correction *correction = sni_flesh_correction_create(c->coarse, &arena);
        SN_TRY(correction != NULL ? SN_OK : sni_fail_memory(error));
        step_from(&p, p.rest_skin, p.rest_fascia, NULL);
        sni_flesh_correction_begin(correction, &p.hold, p.round.skin_step);
        corrected = largest_of(&p, skin_by, fascia_by, correction);
    }
    c->largest = fmax(c->largest, largest);
    c->largest_corrected = fmax(c->largest_corrected, corrected);
cleanup:
    sni_arena_deinit(&arena);
    return status;
}

sn_status sni_flesh_find_eigenvalues(sni_columns *c, const sni_columns_desc *desc,
                                     sn_error *error) {
    sn_status status = SN_OK;
    c->largest = c->largest_corrected = 0;
    for (int i = 0; i < SIZES; ++i) {
        SN_TRY(find_at_size(c, desc, sizes[i], error));
    }
cleanup:
    return status;
}
