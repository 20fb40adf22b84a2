// SPDX-License-Identifier: Apache-2.0
//
// Muscles of an OpenSim model as fibres. The points of the path that count at rest are the origin,
// what the axis passes, and the insertion, so that it is as long as the path. The volume is that of
// the fibres, V = F / sigma * l as for cylinders, and
//
//     w = sqrt(V / (pi L)),      L the length of the path at rest
//
// The exponents are those that come nearest to the cylinder's areas: a belly as long as its fibres,
// in front of a longer tendon. Half of the tendon slack length at each end keeps its length.
// Fibres go straight from point to point: wrap objects and points that a coordinate switches are
// told about and left out.
#include "character/add_fibre.h"
#include "character/import/osim.h"
#include "fit/muscle/fibre.h"

#include <math.h>
#include <stdio.h>

static const double specific_tension = 0.61e6; // N/m2, as for cylinders
static const double most_tendon = 0.45;        // of the length, at each end

enum { AREAS_MOST = 256, POINTS_MOST = 250, MOST_EXPONENT = 9 };

static const sni_osim_point *point_at(const sni_osim_path *path, uint32_t index) {
    uint32_t last = path->muscle->point_count - 1;
    return &path->muscle->points[path->reversed ? last - index : index];
}

static bool place(sni_osim_builder *b, const sni_osim_point *point, sn_layout_point *at) {
    at->segment =
        point->moves ? sni_osim_moving_segment(b, point) : b->model->bodies[point->body].name;
    at->position = point->moves ? sn_vec3_make(0, 0, 0) : point->at;
    return at->segment != NULL;
}

// The flesh alone: what is thicker than the tendon.
static sni_beta find_exponents(const sni_osim_path *path) {
    sni_fit_area areas[AREAS_MOST];
    uint32_t count = 0;
    double rest = SN_PI / 4 * path->tendon * path->tendon;
    for (uint32_t i = 0; i < path->slice_count && count < AREAS_MOST; ++i) {
        double area = SN_PI / 4 * path->diameters[i] * path->diameters[i];
        areas[count++] = (sni_fit_area){path->places[i], fmax(area - rest, 0)};
    }
    return sni_fit_profile_find(areas, count, path->length, true).beta;
}

static sn_status note_losses(sni_osim_builder *b, const sni_osim_path *path, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t switched = 0, count = path->muscle->point_count;
    for (uint32_t i = 1; i + 1 < count; ++i) {
        switched += point_at(path, i)->conditional != SN_NONE;
    }
    if (path->muscle->around_count > 0) {
        SN_TRY(sni_osim_note(b, error,
                             "%s: a fibre goes straight from point to point: %u wrap object%s left "
                             "out",
                             path->muscle->name, path->muscle->around_count,
                             path->muscle->around_count == 1 ? "" : "s"));
    }
    if (switched > 0) {
        SN_TRY(sni_osim_note(b, error, "%s: %u point%s that a coordinate switches %s as at rest",
                             path->muscle->name, switched, switched == 1 ? "" : "s",
                             switched == 1 ? "stays" : "stay"));
    }
cleanup:
    return status;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

sn_status sni_osim_add_fibre(sni_osim_builder *b, const sni_osim_path *path, sn_value *muscle,
                             sn_error *error) {
    const sni_osim_muscle *m = path->muscle;
    sn_layout_point through[POINTS_MOST];
    sn_layout_fibre fibre = {.end_count = 1, .through = through, .fibres = 1};
    sn_status status = SN_OK;
    bool done = place(b, point_at(path, 0), &fibre.origins[0]) &&
                place(b, point_at(path, m->point_count - 1), &fibre.insertions[0]);
    for (uint32_t i = 1; i + 1 < m->point_count && done; ++i) {
        if (!path->on[i]) {
            continue;
        }
        if (fibre.through_count == POINTS_MOST) {
            return sni_fail(error, SN_LIMIT,
                            "%s: its path has %u points, but a fibre passes at "
                            "most %d",
                            m->name, m->point_count, POINTS_MOST);
        }
        done = place(b, point_at(path, i), &through[fibre.through_count++]);
    }
    sni_beta beta = find_exponents(path);
    sni_fibre_profile profile = sni_fibre_profile_make(beta, beta);
    double volume = m->force / specific_tension * m->fibre_length;
    double width = sqrt(volume / (SN_PI * path->length));
    fibre.width = fibre.thickness = 2 * width * sni_fibre_profile_most(&profile, 0);
    fibre.rest[0] = beta.a;
    fibre.rest[1] = beta.b;
    fibre.active[0] = least(beta.a + 1, MOST_EXPONENT);
    fibre.active[1] = least(beta.b + 4, MOST_EXPONENT);
    double tendon = fmin(m->tendon_length / path->length / 2, most_tendon);
    done = done && sni_add_fibre(b->json, muscle, &fibre) &&
           sn_json_add_number(b->json, muscle, "tendon", round(tendon * 1e4) / 1e4) != NULL;
    SN_TRY(done ? SN_OK : sni_fail_memory(error));
    SN_TRY(note_losses(b, path, error));
cleanup:
    return status;
}
