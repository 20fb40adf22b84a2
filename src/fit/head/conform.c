// SPDX-License-Identifier: Apache-2.0
//
// A clean mesh laid onto a scan (docs/conform.md):
//
//     landmarks ──► coarse skin laid on (lay.h) ──► all vertices carried along ──► registration of
//     the whole mesh ──► loose pieces, such as eyes and teeth, carried by a spline ──► mended
//
// Vertices that cannot be seen from outside have no closest places: they follow their neighbours.
#include "fit/head/conform_lines.h"
#include "fit/head/lay.h"
#include "fit/head/push.h"
#include "fit/head/spline.h"

#include "base/context.h"

#include <string.h>

static const uint32_t desc_check = 0x636f6e66;

// From edges of some millimetres that keep their shape to a skin that lies on the scan.
static const sni_register_stage stages[] = {
    {.rounds = 6, .smoothing = 30, .stiffness = 10, .reach = 0.010, .least_dot = 0.5, .thin = 1},
    {.rounds = 8, .smoothing = 12, .stiffness = 4, .reach = 0.008, .least_dot = 0.5, .thin = 1},
    {.rounds = 8, .smoothing = 6, .stiffness = 1.5, .reach = 0.006, .least_dot = 0.5, .thin = 1},
    {.rounds = 10, .smoothing = 4, .stiffness = 0.6, .reach = 0.005, .least_dot = 0.5, .thin = 1},
};
enum { STAGES = sizeof stages / sizeof *stages };
static const double sideways = 0.1;

// Strengths of pins against 1 for a vertex's closest place.
static const double given_strength = 100, line_strength = 20;

// A vertex lies on the scan where it is nearer than this, metres.
static const double on_scan = 0.004;

// Pieces without a place on the outer skin move with so many places of it.
enum { MOST_LEADERS = 400 };

// Where triangles turn over, the skin around them, this many edges far and one more in every second
// round, no longer follows the scan but the skin around it; from a later round on pins there let
// go, too.
enum { UNTANGLE_ROUNDS = 8, FIRST_RINGS = 1 };
static const sni_register_stage untangling = {
    .rounds = 4, .smoothing = 6, .stiffness = 0.6, .reach = 0.005, .least_dot = 0.5, .thin = 1};

typedef struct conformer {
    sn_context *context;
    const sn_conform_desc *desc;
    const sn_progress *progress;
    sni_known_head *known;
    sni_head_surface *scan; // metres
    sni_similarity pose;
    sni_laid_head laid;
    sn_triangles *triangles; // of the clean mesh
    uint32_t *vertices;      // triangles->count x 3, welded
    sn_vec3 *rest;           // of the clean mesh's vertices, posed, metres
    sni_registration *registration;
    uint8_t *is_tied; // vertices of pieces that have a place on the outer skin
    sni_conform_lines lines;
    sn_conformed *result;
} conformer;

sn_conform_desc sn_conform_desc_default(void) {
    return (sn_conform_desc){.check = desc_check, .known = {.unit = 1}};
}

static sn_status check_desc(const sn_conform_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_conform_desc_default");
    }
    if (desc->scan == NULL || desc->known.mesh == NULL || desc->known.landmarks == NULL) {
        return sni_fail(error, SN_INVALID, "there is no scan, or no clean mesh with landmarks");
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The scan and the coarse skin

static sn_status find_landmarks(conformer *c, sn_error *error) {
    sn_landmark_desc desc = sn_landmark_desc_default();
    desc.head = c->desc->scan;
    desc.unit = c->desc->unit;
    desc.known = c->desc->known;
    desc.given = c->desc->given;
    sn_status status =
        sn_landmarks_propose(c->context, &desc, c->progress, &c->result->proposal, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_landmark_proposal *p = c->result->proposal;
    c->pose =
        (sni_similarity){.scale = p->scale, .rotation = p->rotation, .translation = p->translation};
    c->result->unit = p->unit;
    if (!p->is_face) {
        return sni_fail(
            error, SN_INVALID,
            "no face was found on \"%s\": its profile differs by %.0f degrees from that "
            "of a face, and its surface by %.1f mm; give landmarks",
            c->desc->scan->name, p->profile * 180 / SN_PI, p->distance * 1000);
    }
    return SN_OK;
}

static sn_vec3 given_place(const conformer *c, const sn_landmark *l) {
    sn_vec3 at = l->vertex != SN_NONE
                     ? sn_vec3_load(c->desc->scan->positions + 3 * (size_t)l->vertex)
                     : l->skin;
    return sn_vec3_scale(at, c->result->unit);
}

static sn_vec3 known_place(const conformer *c, const sn_landmark *l) {
    sn_vec3 at = l->vertex != SN_NONE
                     ? sn_vec3_load(c->desc->known.mesh->positions + 3 * (size_t)l->vertex)
                     : l->skin;
    return sn_vec3_scale(at, c->desc->known.unit);
}

// Lays the coarse skin on, with the given landmarks and places of lines held.
static sn_status lay_coarse(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *given = c->desc->given;
    uint32_t count = 0, most = (given != NULL ? given->count : 0) + c->lines.count;
    sni_known_pair *pairs = NULL;
    SNI_NEW(c->context, pairs, most);
    for (uint32_t i = 0; given != NULL && i < given->count; ++i) {
        const sn_landmark *l = &given->items[i];
        const sn_landmark *k = sn_landmarks_find(c->desc->known.landmarks, l->name);
        if (l->on_skin && k != NULL && k->on_skin) {
            pairs[count++] = (sni_known_pair){known_place(c, k), given_place(c, l)};
        }
    }
    for (uint32_t i = 0; i < c->lines.count; ++i) {
        pairs[count++] = (sni_known_pair){c->lines.known[i], c->lines.scan[i]};
    }
    sni_lay_desc desc = {.known = c->known,
                         .other = c->scan,
                         .pose = c->pose,
                         .pair_count = count,
                         .pairs = pairs,
                         .stiffness = 1,
                         .progress = c->progress};
    SN_TRY(sni_lay_head(&desc, &c->laid, error));
cleanup:
    sni_free(c->context, pairs);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The whole mesh

static sn_status read_mesh(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    const sn_mesh *mesh = c->desc->known.mesh;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &c->triangles, error));
    SNI_NEW(c->context, c->vertices, 3 * (size_t)c->triangles->count);
    SNI_NEW(c->context, c->rest, mesh->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)c->triangles->count; ++i) {
        c->vertices[i] = c->known->surface->welded[c->triangles->vertices[i]];
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 at =
            sn_vec3_scale(sn_vec3_load(mesh->positions + 3 * (size_t)v), c->desc->known.unit);
        c->rest[v] = sni_similarity_point(&c->pose, at);
    }
cleanup:
    return status;
}

// A vertex moves as the maps of the coarse triangle that it is nearest to say:
// x = sum b (X + F (p - P)).
static void carry_vertices(conformer *c) {
    const sni_registration *coarse = c->laid.registration;
    const sn_mesh *mesh = c->desc->known.mesh;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_closest closest;
        sn_vec3 at =
            sn_vec3_scale(sn_vec3_load(mesh->positions + 3 * (size_t)v), c->desc->known.unit);
        sn_vec3 place = {0, 0, 0};
        sn_accel_find_closest(c->known->coarse_accel, at, INFINITY, &closest);
        for (int k = 0; k < 3; ++k) {
            uint32_t corner = c->known->coarse->vertices[3 * (size_t)closest.triangle + k];
            sn_vec3 from = sn_vec3_sub(c->rest[v], coarse->rest[corner]);
            sn_vec3 moved =
                sn_vec3_add(coarse->points[corner], sni_map3_apply(&coarse->maps[corner], from));
            place = sn_vec3_add_scaled(place, closest.barycentric[k], moved);
        }
        c->registration->points[v] = place;
    }
}

static sn_status pin_given(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *given = c->desc->given;
    for (uint32_t i = 0; given != NULL && i < given->count; ++i) {
        const sn_landmark *k = sn_landmarks_find(c->desc->known.landmarks, given->items[i].name);
        if (given->items[i].on_skin && k != NULL && k->on_skin && k->vertex != SN_NONE) {
            uint32_t v = c->known->surface->welded[k->vertex];
            sni_pin pin = {
                {v, v, v}, {1, 0, 0}, given_place(c, &given->items[i]), given_strength, false};
            SN_TRY(sni_registration_pin(c->registration, &pin, error));
        }
    }
    for (uint32_t i = 0; i < c->lines.count; ++i) {
        uint32_t v = c->known->surface->welded[c->lines.vertices[i]];
        sni_pin pin = {{v, v, v}, {1, 0, 0}, c->lines.scan[i], line_strength, false};
        SN_TRY(sni_registration_pin(c->registration, &pin, error));
    }
cleanup:
    return status;
}

static sn_status register_mesh(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = c->desc->known.mesh->vertex_count;
    sni_register_stage run[STAGES];
    double *trust = NULL;
    SNI_NEW(c->context, trust, count);
    for (uint32_t v = 0; v < count; ++v) {
        trust[v] = c->known->surface->is_outer[v];
    }
    SN_TRY(sni_registration_create(c->context, c->rest, count, c->vertices, c->triangles->count,
                                   trust, &c->registration, error));
    carry_vertices(c);
    SN_TRY(pin_given(c, error));
    memcpy(run, stages, sizeof stages);
    for (int i = 0; i < STAGES; ++i) {
        run[i].sideways = sideways;
    }
    SN_TRY(sni_registration_run(c->registration, c->scan, run, STAGES, c->progress, error));
cleanup:
    sni_free(c->context, trust);
    return status;
}

// Marks the vertices of pieces with a place on the outer skin.
static sn_status find_tied(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    const sni_registration *r = c->registration;
    uint32_t *waiting = NULL, count = 0;
    SNI_NEW(c->context, waiting, r->vertex_count);
    SNI_NEW_ZERO(c->context, c->is_tied, r->vertex_count);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        if (r->trust[v] > 0 && r->offsets[v + 1] > r->offsets[v]) {
            c->is_tied[v] = 1;
            waiting[count++] = v;
        }
    }
    while (count > 0) {
        uint32_t v = waiting[--count];
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            if (!c->is_tied[r->neighbors[i]]) {
                c->is_tied[r->neighbors[i]] = 1;
                waiting[count++] = r->neighbors[i];
            }
        }
    }
cleanup:
    sni_free(c->context, waiting);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Triangles that are turned over

// Marks the corners of triangles that are turned over; how many there are is returned.
static uint32_t mark_flipped(const conformer *c, uint8_t *marks) {
    const sni_registration *r = c->registration;
    uint32_t count = 0;
    memset(marks, 0, r->vertex_count);
    for (uint32_t t = 0; t < r->triangle_count; ++t) {
        const uint32_t *v = r->vertices + 3 * (size_t)t;
        if (c->is_tied[v[0]] && sni_is_flipped(v, r->rest, r->points)) {
            marks[v[0]] = marks[v[1]] = marks[v[2]] = 1;
            ++count;
        }
    }
    return count;
}

static void spread_marks(const sni_registration *r, uint8_t *marks, uint8_t *before) {
    memcpy(before, marks, r->vertex_count);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        for (uint32_t i = r->offsets[v]; i < r->offsets[v + 1]; ++i) {
            marks[v] |= before[r->neighbors[i]];
        }
    }
}

// What is around triangles that turn over follows the skin.
static void let_go(conformer *c, int round, uint8_t *marks, uint8_t *before) {
    sni_registration *r = c->registration;
    for (int ring = 0; ring < FIRST_RINGS + round / 2; ++ring) {
        spread_marks(r, marks, before);
    }
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        r->trust[v] = marks[v] ? 0 : r->trust[v];
    }
}

// What the smoother maps of these rounds took from the rest of the skin comes back at last; what
// was untangled is held where it is.
static sn_status polish(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    sni_registration *r = c->registration;
    sni_register_stage stage = stages[STAGES - 1];
    stage.sideways = sideways;
    stage.rounds = 3;
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        if (c->is_tied[v] && c->known->surface->is_outer[v] && !(r->trust[v] > 0)) {
            sni_pin pin = {{v, v, v}, {1, 0, 0}, r->points[v], given_strength, false};
            SN_TRY(sni_registration_pin(r, &pin, error));
        }
    }
    SN_TRY(sni_registration_run(r, c->scan, &stage, 1, c->progress, error));
cleanup:
    return status;
}

static sn_status untangle(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    sni_registration *r = c->registration;
    uint8_t *marks = NULL, *before = NULL;
    int round = 0;
    SNI_NEW(c->context, marks, r->vertex_count);
    SNI_NEW(c->context, before, r->vertex_count);
    for (; round < UNTANGLE_ROUNDS && mark_flipped(c, marks) > 0; ++round) {
        sni_register_stage stage = untangling;
        stage.sideways = sideways;
        stage.smoothing += 2 * (uint32_t)round;
        let_go(c, round, marks, before);
        SN_TRY(sni_registration_run(r, c->scan, &stage, 1, c->progress, error));
    }
    if (round > 0) {
        SN_TRY(polish(c, error));
    }
cleanup:
    sni_free(c->context, marks);
    sni_free(c->context, before);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Loose pieces

// The motion of the space between places of the outer skin, evenly spread.
static sn_status make_spline(const conformer *c, sni_spline **spline, sn_error *error) {
    sn_status status = SN_OK;
    const sni_registration *r = c->registration;
    const uint8_t *is_outer = c->known->surface->is_outer;
    sn_vec3 *centers = NULL, *offsets = NULL;
    uint32_t outer = 0, taken = 0, seen = 0;
    SNI_NEW(c->context, centers, MOST_LEADERS);
    SNI_NEW(c->context, offsets, MOST_LEADERS);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        outer += is_outer[v] && c->is_tied[v];
    }
    for (uint32_t v = 0; v < r->vertex_count && taken < MOST_LEADERS; ++v) {
        if (is_outer[v] && c->is_tied[v] &&
            (uint64_t)seen++ * MOST_LEADERS >= (uint64_t)taken * outer) {
            centers[taken] = r->rest[v];
            offsets[taken++] = sn_vec3_sub(r->points[v], r->rest[v]);
        }
    }
    SN_TRY(sni_spline_create(c->context, SNI_SPLINE_BENDING, 0.005, taken, centers, offsets, NULL,
                             spline, error));
cleanup:
    sni_free(c->context, centers);
    sni_free(c->context, offsets);
    return status;
}

// Gathers a piece from one of its vertices on, whose marks are set.
static uint32_t gather_piece(const sni_registration *r, uint32_t first, uint8_t *marks,
                             uint32_t *piece) {
    uint32_t count = 0;
    marks[first] = 1;
    piece[count++] = first;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = r->offsets[piece[i]]; k < r->offsets[piece[i] + 1]; ++k) {
            if (!marks[r->neighbors[k]]) {
                marks[r->neighbors[k]] = 1;
                piece[count++] = r->neighbors[k];
            }
        }
    }
    return count;
}

// Loose pieces, such as eyes and teeth, keep their shape: each moves by the similarity that is
// closest to the motion of the space around it.
static sn_status carry_loose(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    sni_registration *r = c->registration;
    uint32_t *piece = NULL;
    sn_vec3 *from = NULL, *to = NULL;
    sni_spline *spline = NULL;
    SN_TRY(make_spline(c, &spline, error));
    SNI_NEW(c->context, piece, r->vertex_count);
    SNI_NEW(c->context, from, r->vertex_count);
    SNI_NEW(c->context, to, r->vertex_count);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        if (c->is_tied[v] || c->known->surface->welded[v] != v) {
            continue;
        }
        uint32_t count = gather_piece(r, v, c->is_tied, piece);
        sni_similarity fitted = sni_similarity_identity();
        for (uint32_t i = 0; i < count; ++i) {
            from[i] = r->rest[piece[i]];
            to[i] = sn_vec3_add(from[i], sni_spline_at(spline, from[i]));
        }
        if (!sni_similarity_fit(from, to, NULL, count, &fitted)) {
            fitted = sni_similarity_identity();
            fitted.translation = sn_vec3_sub(to[0], from[0]);
        }
        for (uint32_t i = 0; i < count; ++i) {
            r->points[piece[i]] = sni_similarity_point(&fitted, from[i]);
        }
    }
cleanup:
    sni_free(c->context, piece);
    sni_free(c->context, from);
    sni_free(c->context, to);
    sni_spline_destroy(spline);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Report

static void measure_skin(conformer *c) {
    const sni_registration *r = c->registration;
    sn_conform_report *report = &c->result->report;
    double sum = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        sni_skin_place place;
        if (!c->known->surface->is_outer[v] || c->known->surface->welded[v] != v) {
            continue;
        }
        sni_head_surface_closest(c->scan, r->points[v], INFINITY, &place);
        if (place.on_border || place.distance > on_scan) {
            ++report->free;
            continue;
        }
        ++report->covered;
        sum += place.distance;
        report->largest_distance = fmax(report->largest_distance, place.distance);
    }
    report->mean_distance = report->covered > 0 ? sum / report->covered : 0;
}

// The other way round: outer vertices of the scan that have the clean skin below them.
static sn_status measure_back(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    const sni_registration *r = c->registration;
    const sni_head_surface *known = c->known->surface;
    float *positions = NULL;
    sn_accel *accel = NULL;
    double sum = 0;
    uint32_t count = 0;
    SNI_NEW(c->context, positions, 3 * (size_t)r->vertex_count);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        sn_vec3_store(r->points[v], positions + 3 * (size_t)v);
    }
    SN_TRY(sn_accel_create(c->context, positions, r->vertex_count, known->vertices,
                           known->triangle_count, &accel, error));
    for (uint32_t v = 0; v < c->scan->vertex_count; ++v) {
        sn_closest closest;
        sn_vec3 at = sn_vec3_load(c->scan->positions + 3 * (size_t)v);
        sn_accel_find_closest(accel, at, on_scan, &closest);
        if (c->scan->is_outer[v] && c->scan->welded[v] == v && closest.triangle != SN_NONE) {
            sum += sn_vec3_distance(closest.point, at);
            ++count;
        }
    }
    c->result->report.mean_back = count > 0 ? sum / count : 0;
cleanup:
    sni_free(c->context, positions);
    sn_accel_destroy(accel);
    return status;
}

static void measure_landmarks(conformer *c) {
    const sn_landmarks *given = c->desc->given;
    sn_conform_report *report = &c->result->report;
    for (uint32_t i = 0; given != NULL && i < given->count; ++i) {
        const sn_landmark *k = sn_landmarks_find(c->desc->known.landmarks, given->items[i].name);
        if (given->items[i].on_skin && k != NULL && k->on_skin && k->vertex != SN_NONE) {
            double off = sn_vec3_distance(c->registration->points[k->vertex],
                                          given_place(c, &given->items[i]));
            if (report->landmark == NULL || off > report->landmark_error) {
                report->landmark_error = off;
                report->landmark = given->items[i].name;
            }
        }
    }
}

static sn_status store(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    sn_conformed *made = c->result;
    uint32_t count = c->registration->vertex_count;
    made->vertex_count = count;
    made->report.flipped =
        sni_mend_flips(c->triangles->count, c->vertices, c->rest, NULL, c->registration->points);
    for (uint32_t v = 0; v < count; ++v) {
        c->registration->points[v] = c->registration->points[c->known->surface->welded[v]];
    }
    measure_skin(c);
    SN_TRY(measure_back(c, error));
    measure_landmarks(c);
    sni_conform_lines_measure(&c->lines, c->registration->points, &made->report);
    SNI_NEW(c->context, made->positions, 3 * (size_t)count);
    for (uint32_t v = 0; v < count; ++v) {
        sn_vec3_store(sn_vec3_scale(c->registration->points[v], 1 / made->unit),
                      made->positions + 3 * (size_t)v);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------

static sn_status conform(conformer *c, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low, high, more = {0.05, 0.05, 0.05};
    sni_head_surface *whole = NULL;
    sni_similarity in_units;
    SN_TRY(find_landmarks(c, error));
    SN_TRY(sni_known_head_create(c->desc->known.mesh, c->desc->known.unit, &c->known, error));
    SN_TRY(sni_head_surface_create(c->desc->scan, 1, &whole, error));
    sni_head_surface_bounds(c->known->surface, &low, &high);
    in_units = c->pose;
    in_units.scale /= c->result->unit;
    in_units.translation = sn_vec3_scale(in_units.translation, 1 / c->result->unit);
    SN_TRY(sni_head_surface_crop(whole, c->result->unit, &in_units, sn_vec3_sub(low, more),
                                 sn_vec3_add(high, more), &c->scan, error));
    SN_TRY(sni_conform_lines_create(c->context, c->desc, c->result->unit, &c->lines, error));
    SN_TRY(lay_coarse(c, error));
    SN_TRY(read_mesh(c, error));
    SN_TRY(register_mesh(c, error));
    SN_TRY(find_tied(c, error));
    SN_TRY(untangle(c, error));
    SN_TRY(carry_loose(c, error));
    SN_TRY(store(c, error));
cleanup:
    sni_head_surface_destroy(whole);
    return status;
}

sn_status sn_conform_head(sn_context *context, const sn_conform_desc *desc,
                          const sn_progress *progress, sn_conformed **conformed, sn_error *error) {
    sn_status status = SN_OK;
    conformer c = {.context = context, .desc = desc, .progress = progress};
    *conformed = NULL;
    SN_TRY(check_desc(desc, error));
    SNI_NEW_ZERO(context, c.result, 1);
    c.result->context = context;
    SN_TRY(conform(&c, error));
    *conformed = c.result;
    c.result = NULL;
cleanup:
    sni_known_head_destroy(c.known);
    sni_head_surface_destroy(c.scan);
    sni_laid_head_deinit(&c.laid);
    sn_triangles_destroy(c.triangles);
    sni_free(context, c.vertices);
    sni_free(context, c.rest);
    sni_free(context, c.is_tied);
    sni_registration_destroy(c.registration);
    sni_conform_lines_deinit(context, &c.lines);
    sn_conformed_destroy(c.result);
    return status;
}

void sn_conformed_destroy(sn_conformed *conformed) {
    if (conformed != NULL) {
        sni_free(conformed->context, conformed->positions);
        sn_landmark_proposal_destroy(conformed->proposal);
        sni_free(conformed->context, conformed);
    }
}
