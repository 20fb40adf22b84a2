// SPDX-License-Identifier: Apache-2.0
//
// Where the fibres of a muscle pull at bones. Each is a line of its own, straight from knot to
// knot: swings and smooth curves are the flesh's, the pull is that of the taut line. A knot on the
// way is carried by the segment of the place that the muscle passes there.
#include "muscle/fibre/fibre.h"

// An end between two attachments pulls at both, the nearer one more.
static void write_end(const sni_fibre *f, const sn_vec3 *places, uint32_t end, double part,
                      const sni_muscle_pull *knot, sni_muscle_pull *pulls) {
    for (uint32_t k = 0; k < f->attachment_count; ++k) {
        uint32_t place = end * f->attachment_count + k;
        double share = f->attachment_count == 1 ? 1 : k == 0 ? 1 - part : part;
        pulls[k] = (sni_muscle_pull){.segment = f->places[place].segment,
                                     .at = places[place],
                                     .force = sn_vec3_scale(knot->force, share),
                                     .bend = share * knot->bend};
    }
}

static void pull_fibre(const sni_fibre *f, uint32_t fibre, const sn_vec3 *places,
                       const sn_vec3 *knots, sni_muscle_pull *at_knots, sni_muscle_line *line) {
    double part = f->fibre_count > 1 ? (double)fibre / (f->fibre_count - 1) : 0.5;
    uint32_t ends = f->attachment_count, inner = 2 * ends;
    for (uint32_t i = 0; i <= f->run_count; ++i) {
        at_knots[i] = (sni_muscle_pull){.at = knots[i]};
    }
    for (uint32_t i = 0; i < f->run_count; ++i) {
        sni_muscle_line_add(line, &at_knots[i], &at_knots[i + 1]);
    }
    write_end(f, places, 0, part, &at_knots[0], line->pulls);
    write_end(f, places, 1, part, &at_knots[f->run_count], line->pulls + ends);
    for (uint32_t i = 1; i < f->run_count; ++i) {
        line->pulls[inner + i - 1] = at_knots[i];
        line->pulls[inner + i - 1].segment = f->places[inner + i - 1].segment;
    }
}

sn_status sni_fibre_pull_at(const sni_fibre *f, sni_arena *arena, const sn_mat4 *worlds,
                            sni_muscle_lines *lines, sn_error *error) {
    uint32_t knot_count = f->run_count + 1;
    bool room = sni_muscle_lines_init(arena, f->fibre_count,
                                      2 * f->attachment_count + f->run_count - 1, lines);
    sn_vec3 *places = sni_arena_alloc(arena, f->place_count, sizeof *places);
    sn_vec3 *knots = sni_arena_alloc(arena, (size_t)f->fibre_count * knot_count, sizeof *knots);
    sni_muscle_pull *at_knots = sni_arena_alloc(arena, knot_count, sizeof *at_knots);
    if (!room || places == NULL || knots == NULL || at_knots == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < f->place_count; ++i) {
        places[i] = sn_mat4_point(&worlds[f->places[i].segment], f->places[i].point);
    }
    sni_fibre_find_knots(f, places, knots);
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        pull_fibre(f, i, places, knots + (size_t)i * knot_count, at_knots, &lines->lines[i]);
    }
    return SN_OK;
}
