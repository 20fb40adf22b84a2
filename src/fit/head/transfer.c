// SPDX-License-Identifier: Apache-2.0
//
// The inside of one head, fitted into another (docs/transfer.md):
//
//     landmarks ──► pegs: skin - depth direction
//                     │
//     bones, muscles ─┴─► similarity ─► spline or chain ─► settled ─► muscles pushed, eyes placed
#include "fit/head/chain.h"
#include "fit/head/hollow.h"
#include "fit/head/lay.h"
#include "fit/head/transfer_internal.h"

#include "base/context.h"

#include <string.h>

static const uint32_t desc_check = 0x74726e73;

// The ball that rolls around the skull to find its hollows, metres.
static const double ball = 0.03;

// How much the kinks of the spline at landmarks are rounded off, metres.
static const double rounding = 0.005;

// Bones of the source may stand out of its own skin by this much, and so many of their vertices of
// a thousand, before it is taken for a mistake: teeth between lips.
static const double source_outside = 0.004;
static const uint32_t source_permille = 20;

// Places of the source's skin that lead the space between skin and bones: at most so many, this far
// apart, and twice as dense around mouth and eyes; metres.
enum { MOST_SKIN_PLACES = 500 };
static const double skin_apart = 0.011, dense_reach = 0.065;

// Where the laid skin is farther from the head than this it does not lead, metres.
static const double laid_off = 0.003;

sn_transfer_desc sn_transfer_desc_default(void) {
    return (sn_transfer_desc){
        .check = desc_check, .unit = 1, .settle = true, .tolerance = 0.25, .clearance = 0.001};
}

static sn_status check_desc(const sn_transfer_desc *d, sn_error *error) {
    if (d->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_transfer_desc_default");
    }
    if (d->head == NULL || d->landmarks == NULL || d->head_landmarks == NULL) {
        return sni_fail(error, SN_INVALID, "there is no head, or no landmarks");
    }
    if (!(d->unit > 0) || !isfinite(d->unit)) {
        return sni_fail(error, SN_INVALID, "a unit of %g m is no size", d->unit);
    }
    if (!(d->tolerance > 0 && d->tolerance <= 1) || !(d->clearance >= 0 && d->clearance <= 0.01)) {
        return sni_fail(error, SN_INVALID,
                        "a tolerance is a part of the depth, up to 1, and a clearance at most 10 "
                        "mm");
    }
    for (uint32_t i = 0; i < d->landmarks->count; ++i) {
        const sn_landmark *l = &d->landmarks->items[i];
        if (d->skin != NULL && l->on_skin && l->vertex != SN_NONE &&
            l->vertex >= d->skin->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "the landmark \"%s\" is vertex %u, but \"%s\" has only %u vertices",
                            l->name, l->vertex, d->skin->name, d->skin->vertex_count);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The source

// Bones that stand out of the source's own skin are a mistake in the source.
static sn_status check_source(const sni_transfer *t, const sni_head_surface *skin,
                              sn_error *error) {
    uint32_t outside = 0, worst = 0;
    double farthest = 0;
    for (uint32_t v = 0; v < t->bone_count; ++v) {
        sni_skin_place place;
        double depth = sni_head_surface_depth(skin, t->source[v], &place);
        outside += depth < 0;
        if (-depth > farthest) {
            farthest = -depth;
            worst = v;
        }
    }
    if (farthest <= source_outside &&
        (uint64_t)outside * 1000 <= (uint64_t)source_permille * t->bone_count) {
        return SN_OK;
    }
    uint32_t part = 0, near = 0;
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        const sni_part_range *r = &t->ranges[p];
        part = worst >= r->first_vertex && worst < r->first_vertex + r->vertex_count ? p : part;
    }
    for (uint32_t i = 0; i < t->count; ++i) {
        near = sn_vec3_distance(t->bones[i], t->source[worst]) <
                       sn_vec3_distance(t->bones[near], t->source[worst])
                   ? i
                   : near;
    }
    return sni_fail(error, SN_INVALID,
                    "the bone \"%s\" of the source stands %.1f mm out of its own skin near the "
                    "landmark \"%s\" (%u of %u vertices are outside)",
                    t->desc->parts[part].name, farthest * 1000, t->names[near], outside,
                    t->bone_count);
}

static sn_status find_hollows(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    float *positions = NULL;
    sn_accel *accel = NULL;
    sn_vec3 *points = NULL;
    double *hollows = NULL;
    uint32_t count = t->bone_count + t->count;
    SNI_NEW(t->context, positions, 3 * (size_t)t->bone_count);
    SNI_NEW(t->context, points, count);
    SNI_NEW(t->context, hollows, count);
    for (uint32_t v = 0; v < t->bone_count; ++v) {
        sn_vec3_store(t->source[v], positions + 3 * (size_t)v);
    }
    memcpy(points, t->source, t->bone_count * sizeof *points);
    memcpy(points + t->bone_count, t->bones, t->count * sizeof *points);
    SN_TRY(sn_accel_create(t->context, positions, t->bone_count, t->bone_triangles,
                           t->bone_triangle_count, &accel, error));
    SN_TRY(sni_find_hollows(t->context, accel, ball, count, points, hollows, error));
    memcpy(t->landmark_hollows, hollows + t->bone_count, t->count * sizeof *hollows);
    // Teeth are as in a hollow: their depth is not compared.
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        for (uint32_t v = 0;
             t->desc->parts[p].role == SN_HEAD_TEETH && v < t->ranges[p].vertex_count; ++v) {
            hollows[t->ranges[p].first_vertex + v] = 1;
        }
    }
    t->hollows = hollows;
    hollows = NULL;
cleanup:
    sni_free(t->context, positions);
    sni_free(t->context, points);
    sni_free(t->context, hollows);
    sn_accel_destroy(accel);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Space between skin and bones

typedef struct skin_places {
    uint32_t count;
    sn_vec3 from[MOST_SKIN_PLACES], to[MOST_SKIN_PLACES];
} skin_places;

// Takes laid vertices of the source's skin that lie well on the head, evenly spread.
static void choose_places(const sni_transfer *t, const sni_known_head *known,
                          const sni_laid_head *laid, skin_places *places) {
    const sni_registration *r = laid->registration;
    for (uint32_t v = 0; v < r->vertex_count && places->count < MOST_SKIN_PLACES; ++v) {
        sn_vec3 from = sn_vec3_load(known->coarse->positions + 3 * (size_t)v);
        double dense = sn_vec3_distance(from, known->nose) < dense_reach ? 0.5 : 1;
        sni_skin_place place;
        sni_head_surface_closest(t->skin, r->points[v], INFINITY, &place);
        bool leads = place.distance < laid_off && !place.on_border && !r->is_thin[v];
        for (uint32_t i = 0; i < places->count && leads; ++i) {
            leads = sn_vec3_distance(places->from[i], from) > dense * skin_apart;
        }
        if (leads) {
            places->from[places->count] = from;
            places->to[places->count++] = place.point;
        }
    }
}

// Where the vertices of the head are on the source's skin: at the same place of the triangle of the
// laid skin that each is nearest to.
static sn_status find_on_source(sni_transfer *t, const sni_known_head *known,
                                const sni_laid_head *laid, sn_error *error) {
    sn_status status = SN_OK;
    const sni_registration *r = laid->registration;
    const sn_decimated *coarse = known->coarse;
    float *positions = NULL;
    sn_accel *accel = NULL;
    SNI_NEW(t->context, positions, 3 * (size_t)r->vertex_count);
    for (uint32_t v = 0; v < r->vertex_count; ++v) {
        sn_vec3_store(r->points[v], positions + 3 * (size_t)v);
    }
    SN_TRY(sn_accel_create(t->context, positions, r->vertex_count, coarse->vertices,
                           coarse->triangle_count, &accel, error));
    t->result->head_count = t->skin->vertex_count;
    SNI_NEW(t->context, t->result->on_source, t->skin->vertex_count);
    for (uint32_t v = 0; v < t->skin->vertex_count; ++v) {
        sn_closest closest;
        sn_vec3 at = sn_vec3_load(t->skin->positions + 3 * (size_t)v), place = {0, 0, 0};
        sn_accel_find_closest(accel, at, INFINITY, &closest);
        for (int k = 0; k < 3; ++k) {
            uint32_t corner = coarse->vertices[3 * (size_t)closest.triangle + k];
            place = sn_vec3_add_scaled(place, closest.barycentric[k],
                                       sn_vec3_load(coarse->positions + 3 * (size_t)corner));
        }
        t->result->on_source[v] = place;
    }
cleanup:
    sni_free(t->context, positions);
    sn_accel_destroy(accel);
    return status;
}

// Lays the source's skin onto the head.
static sn_status lay_skin(sni_transfer *t, skin_places *places, sn_error *error) {
    sn_status status = SN_OK;
    sni_known_head *known = NULL;
    sni_laid_head laid = {0};
    sni_known_pair *pairs = NULL;
    uint32_t count = 0;
    SN_TRY(sni_known_head_create(t->desc->skin, 1, &known, error));
    SN_TRY(check_source(t, known->surface, error));
    SNI_NEW(t->context, pairs, t->count);
    for (uint32_t i = 0; i < t->count; ++i) {
        const sn_landmark *l = &t->desc->landmarks->items[t->numbers[i]];
        if (l->on_skin && !t->slides[i]) {
            sn_vec3 at = l->vertex != SN_NONE
                             ? sn_vec3_load(t->desc->skin->positions + 3 * (size_t)l->vertex)
                             : l->skin;
            pairs[count++] = (sni_known_pair){at, t->skins[i]};
        }
    }
    sni_lay_desc desc = {.known = known,
                         .other = t->skin,
                         .pose = t->similarity,
                         .pair_count = count,
                         .pairs = pairs,
                         .stiffness = 1,
                         .progress = t->progress};
    SN_TRY(sni_lay_head(&desc, &laid, error));
    choose_places(t, known, &laid, places);
    SN_TRY(find_on_source(t, known, &laid, error));
cleanup:
    sni_known_head_destroy(known);
    sni_laid_head_deinit(&laid);
    sni_free(t->context, pairs);
    return status;
}

// Moves everything by the spline through landmarks, and places of the skin where there are any.
static sn_status move_by_spline(sni_transfer *t, const skin_places *places, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = t->count + places->count;
    sn_vec3 *centers = NULL, *offsets = NULL;
    sni_spline *spline = NULL;
    SNI_NEW(t->context, centers, count);
    SNI_NEW(t->context, offsets, count);
    for (uint32_t i = 0; i < count; ++i) {
        bool bone = i < t->count;
        centers[i] =
            sni_similarity_point(&t->similarity, bone ? t->bones[i] : places->from[i - t->count]);
        offsets[i] = sn_vec3_sub(bone ? t->targets[i] : places->to[i - t->count], centers[i]);
    }
    SN_TRY(sni_spline_create(t->context, SNI_SPLINE_BENDING, rounding, count, centers, offsets,
                             NULL, &spline, error));
    for (uint32_t i = 0; i < t->point_count; ++i) {
        t->points[i] = sni_similarity_point(&t->similarity, t->source[i]);
    }
    sni_spline_move(spline, t->points, t->point_count);
cleanup:
    sni_free(t->context, centers);
    sni_free(t->context, offsets);
    sni_spline_destroy(spline);
    return status;
}

// Moves everything by the chain of wraps, from where the similarity puts it.
static sn_status move_by_chain(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *bones = NULL, *vertices = NULL;
    SNI_NEW(t->context, bones, t->count);
    SNI_NEW(t->context, vertices, t->bone_count);
    for (uint32_t i = 0; i < t->count; ++i) {
        bones[i] = sni_similarity_point(&t->similarity, t->bones[i]);
    }
    for (uint32_t i = 0; i < t->point_count; ++i) {
        t->points[i] = sni_similarity_point(&t->similarity, t->source[i]);
    }
    memcpy(vertices, t->points, t->bone_count * sizeof *vertices);
    sni_chain_desc desc = {.vertex_count = t->bone_count,
                           .vertices = vertices,
                           .triangle_count = t->bone_triangle_count,
                           .triangles = t->bone_triangles,
                           .landmark_count = t->count,
                           .landmarks = bones,
                           .targets = t->targets};
    SN_TRY(sni_chain_move(t->context, &desc, t->point_count, t->points, t->progress, error));
cleanup:
    sni_free(t->context, bones);
    sni_free(t->context, vertices);
    return status;
}

static sn_status move_first(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    skin_places *places = NULL;
    SNI_NEW_ZERO(t->context, places, 1);
    if (t->desc->skin != NULL) {
        SN_TRY(lay_skin(t, places, error));
    }
    if (t->desc->method == SN_TRANSFER_CHAIN) {
        SN_TRY(move_by_chain(t, error));
    } else {
        SN_TRY(move_by_spline(t, places, error));
    }
cleanup:
    sni_free(t->context, places);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Settling

static uint32_t landmark_of_row(const sni_transfer *t, uint32_t row) {
    const char *name = t->desc->depths->rows[row].landmark;
    for (uint32_t i = 0; i < t->count; ++i) {
        if (strcmp(t->names[i], name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static uint32_t find_gaps(const sni_transfer *t, sni_bone_gap *gaps) {
    uint32_t count = 0;
    for (uint32_t g = 0; t->desc->depths != NULL && g < t->desc->depths->gap_count; ++g) {
        sni_bone_gap gap = {{landmark_of_row(t, t->desc->depths->gaps[g][0]),
                             landmark_of_row(t, t->desc->depths->gaps[g][1])}};
        if (gap.landmarks[0] != SN_NONE && gap.landmarks[1] != SN_NONE) {
            gaps[count++] = gap;
        }
    }
    return count;
}

static sn_status settle(sni_transfer *t, sni_settled *settled, sn_error *error) {
    sn_status status = SN_OK;
    sni_bone_gap *gaps = NULL;
    SNI_NEW(t->context, gaps, t->desc->depths != NULL ? t->desc->depths->gap_count : 0);
    sni_settle_desc desc = {.skin = t->skin,
                            .down = sn_quat_rotate(t->similarity.rotation, sn_vec3_make(0, -1, 0)),
                            .count = t->bone_count,
                            .points = t->points,
                            .hollows = t->hollows,
                            .triangle_count = t->bone_triangle_count,
                            .vertices = t->bone_triangles,
                            .landmark_count = t->count,
                            .landmarks = t->targets,
                            .landmark_hollows = t->landmark_hollows,
                            .landmark_bones = t->bone_parts,
                            .gap_count = find_gaps(t, gaps),
                            .gaps = gaps,
                            .tolerance = t->desc->tolerance,
                            .clearance = t->desc->clearance,
                            .measure_only = !t->desc->settle};
    SN_TRY(sni_settle(t->context, &desc, t->progress, settled, error));
    sni_settled_move(settled, t->points + t->bone_count, t->point_count - t->bone_count);
cleanup:
    sni_free(t->context, gaps);
    return status;
}

// How far the landmarks' own points are from where they are to be.
static void check_landmarks(const sni_transfer *t) {
    sn_transfer_report *r = &t->result->report;
    const sn_vec3 *moved = t->points + t->first_landmark;
    for (uint32_t i = 0; i < t->count; ++i) {
        double distance = sn_vec3_distance(moved[i], t->targets[i]);
        if (i == 0 || distance > r->landmark_error) {
            r->landmark_error = distance;
            r->landmark = t->numbers[i];
        }
    }
}

static void transfer_deinit(sni_transfer *t) {
    sn_context *context = t->context;
    for (uint32_t p = 0; t->ranges != NULL && p < t->desc->part_count; ++p) {
        sni_free(context, t->ranges[p].triangles);
    }
    void *const arrays[] = {t->numbers,        t->names,      t->bones,           t->bone_parts,
                            t->skins,          t->directions, t->depths,          t->slides,
                            t->targets,        t->source,     t->points,          t->ranges,
                            t->bone_triangles, t->hollows,    t->landmark_hollows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(context, arrays[i]);
    }
    sni_head_surface_destroy(t->skin);
    sn_transferred_destroy(t->result);
}

sn_status sn_transfer_head(sn_context *context, const sn_transfer_desc *desc,
                           const sn_progress *progress, sn_transferred **transferred,
                           sn_error *error) {
    sn_status status = SN_OK;
    sni_transfer t = {.context = context, .desc = desc, .progress = progress};
    sni_settled settled = {0};
    *transferred = NULL;
    SN_TRY(check_desc(desc, error));
    SNI_NEW_ZERO(context, t.result, 1);
    *t.result = (sn_transferred){.context = context, .part_count = desc->part_count};
    SNI_NEW_ZERO(context, t.result->parts, desc->part_count);
    SN_TRY(sni_progress(progress, "pairing landmarks", 0, error));
    SN_TRY(sni_transfer_pair(&t, error));
    SN_TRY(sni_transfer_slide(&t, error));
    SN_TRY(sni_transfer_gather(&t, error));
    SN_TRY(find_hollows(&t, error));
    SN_TRY(move_first(&t, error));
    SN_TRY(settle(&t, &settled, error));
    SN_TRY(sni_transfer_finish(&t, &settled, error));
    t.result->rotation = t.similarity.rotation;
    t.result->scale = t.similarity.scale;
    check_landmarks(&t);
    *transferred = t.result;
    t.result = NULL;
cleanup:
    sni_settled_deinit(context, &settled);
    transfer_deinit(&t);
    return status;
}

void sn_transferred_destroy(sn_transferred *transferred) {
    if (transferred != NULL) {
        sn_context *context = transferred->context;
        for (uint32_t p = 0; transferred->parts != NULL && p < transferred->part_count; ++p) {
            sni_free(context, transferred->parts[p].positions);
            sni_free(context, transferred->parts[p].points);
        }
        sni_free(context, transferred->parts);
        sni_free(context, transferred->on_source);
        sni_free(context, transferred);
    }
}
