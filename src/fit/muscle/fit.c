// SPDX-License-Identifier: Apache-2.0
//
// Fitting strips of elliptical sections to the mesh of a muscle (docs/fitting.md).
#include "fit/muscle/fit.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x4d464954; // "MFIT"

// What a strip must save: this part of the muscle's mean thickness.
static const double strip_price = 0.015;

// A fit so poor that places may not tell where the muscle goes: other ways are tried as well.
static const double poor_cost = 0.3;

// How far the muscle's directions are spread, in lengths of it: what bends, and what is straight.
static const double smoothings[] = {0.1, 0.4};

sn_muscle_fit_desc sn_muscle_fit_desc_default(void) {
    return (sn_muscle_fit_desc){.check = desc_check};
}

void sn_muscle_fit_destroy(sn_muscle_fit *fit) {
    if (fit == NULL) {
        return;
    }
    for (uint32_t k = 0; fit->strips != NULL && k < fit->strip_count; ++k) {
        sni_free(fit->context, fit->strips[k].sections);
        sni_free(fit->context, fit->strips[k].pivots);
    }
    for (uint32_t k = 0; k < fit->hem_count; ++k) {
        sni_free(fit->context, fit->hems[k].sections);
    }
    sni_free(fit->context, fit->strips);
    sni_free(fit->context, fit->hems);
    sni_free(fit->context, fit);
}

// ---------------------------------------------------------------------------------------------
// Input

static sn_status check_segments(const sn_muscle_fit_desc *desc, sn_error *error) {
    for (uint32_t i = 0; i < desc->segment_count; ++i) {
        uint32_t steps = 0;
        for (uint32_t s = i; s != SN_NONE; s = desc->segment_parents[s]) {
            if (s >= desc->segment_count) {
                return sni_fail(error, SN_INVALID,
                                "a parent of segment %u is segment %u, but there are %u", i, s,
                                desc->segment_count);
            }
            if (steps++ > desc->segment_count) {
                return sni_fail(error, SN_INVALID, "the parents of segment %u form a circle", i);
            }
        }
    }
    return SN_OK;
}

static sn_status check_bones(const sn_muscle_fit_desc *desc, sn_error *error) {
    if (desc->bone_count == 0) {
        return sni_fail(error, SN_INVALID, "there are no bones to attach the muscle to");
    }
    for (uint32_t i = 0; i < desc->bone_count; ++i) {
        const sn_fit_bone *bone = &desc->bones[i];
        if (bone->segment >= desc->segment_count) {
            return sni_fail(error, SN_INVALID, "bone '%s' is on segment %u, but there are %u",
                            bone->name, bone->segment, desc->segment_count);
        }
    }
    return SN_OK;
}

static sn_status check_desc(const sn_muscle_fit_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID,
                        "the description was not made by sn_muscle_fit_desc_default");
    }
    if (desc->mesh == NULL) {
        return sni_fail(error, SN_INVALID, "there is no mesh to fit a muscle to");
    }
    if (desc->strips > SNI_FIT_STRIPS_MOST) {
        return sni_fail(error, SN_INVALID, "%u strips are asked for, but at most %d are possible",
                        desc->strips, SNI_FIT_STRIPS_MOST);
    }
    if (desc->slices != 0 && (desc->slices < 4 || desc->slices > SNI_FIT_SLICES_MOST)) {
        return sni_fail(error, SN_INVALID,
                        "%u sections (slices) are asked for, but there must be 4 to %d",
                        desc->slices, SNI_FIT_SLICES_MOST);
    }
    SN_TRY(check_segments(desc, error));
    SN_TRY(check_bones(desc, error));
    for (uint32_t i = 0; i < desc->place_count; ++i) {
        const sn_fit_place *place = &desc->places[i];
        if (place->bone != SN_NONE && place->bone >= desc->bone_count) {
            return sni_fail(error, SN_INVALID, "attachment %u is on bone %u, but there are %u", i,
                            place->bone, desc->bone_count);
        }
        if (!sn_vec3_is_finite(place->point)) {
            return sni_fail(error, SN_INVALID, "attachment %u is not finite", i);
        }
    }
    status = sn_mesh_validate(desc->mesh, error);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Search

typedef struct fitter {
    sn_context *context;
    const sn_muscle_fit_desc *desc;
    sni_arena arena;
    sni_fit_surface surface;
    sni_fit_bones bones;
    sni_fit_points points;
    const sni_fit_points *try_points; // those that are tried now
    sni_fit_points best_points;
    double *along; // vertex_count, of the best
    sni_fit_strips best;
    double mean, largest, cost;
} fitter;

// Mean thickness: a sheet of area A on either side has the volume A t.
static double mean_thickness(const sni_fit_surface *surface) {
    double t = 2 * fabs(surface->volume) / surface->area;
    return fmin(fmax(t, 0.005 * surface->size), surface->size);
}

// 6 to 12 by how long the muscle is for its thickness.
static uint32_t choose_slices(const fitter *f, double length) {
    if (f->desc->slices != 0) {
        return f->desc->slices;
    }
    double slim = length / fmax(sqrt(fabs(f->surface.volume) / fmax(length, 1e-300)), 1e-300);
    return (uint32_t)fmin(fmax(6 + slim, 8), 12);
}

// Sections as large as the given volume asks for.
static void match_volume(const fitter *f, sni_fit_strips *strips) {
    double volume = 0;
    for (uint32_t k = 0; k < strips->count; ++k) {
        volume += sni_fit_sections_volume(&strips->strips[k]);
    }
    if (f->surface.border_edges > 0 || !(volume > 0)) {
        return;
    }
    double scale = fmin(fmax(sqrt(fabs(f->surface.volume) / volume), 0.8), 1.25);
    for (uint32_t k = 0; k < strips->count; ++k) {
        for (uint32_t i = 0; i < strips->strips[k].count; ++i) {
            sn_fit_section *section = &strips->strips[k].sections[i];
            section->wide = sn_vec3_scale(section->wide, scale);
            section->thick = sn_vec3_scale(section->thick, scale);
        }
    }
}

// Tries one number of strips on one coordinate; keeps it where it is better.
static sn_status try_strips(fitter *f, const double *along, const sni_fit_levels *levels,
                            uint32_t count, bool *improved, sn_error *error) {
    sn_status status = SN_OK;
    sni_fit_strips *strips = NULL;
    double mean, largest;
    *improved = false;
    SNI_FIT_TAKE(&f->arena, strips, 1);
    SN_TRY(sni_fit_strips_find(strips, &f->surface, &f->arena, along, levels, count,
                               choose_slices(f, levels->high - levels->low), error));
    if (strips->count == 0) {
        goto cleanup;
    }
    // From here on it cannot be better.
    double thickness = mean_thickness(&f->surface), price = strip_price * strips->count;
    if (price >= f->cost) {
        goto cleanup;
    }
    match_volume(f, strips);
    SN_TRY(sni_fit_distance(strips, &f->surface, f->context, &f->arena, false,
                            (f->cost - price) * thickness, &mean, &largest, error));
    double cost = mean / thickness + price;
    if (cost < f->cost) {
        *improved = true;
        f->cost = cost;
        f->best = *strips;
        f->best_points = *f->try_points;
        memcpy(f->along, along, sizeof *along * f->surface.vertex_count);
    }
cleanup:
    return status;
}

// More strips as long as one of the last `patience` steps was worth it.
static sn_status try_along(fitter *f, const double *along, uint32_t first, uint32_t patience,
                           sn_error *error) {
    sn_status status = SN_OK;
    sni_fit_levels *levels = NULL;
    SNI_FIT_TAKE(&f->arena, levels, 1);
    SN_TRY(sni_fit_levels_init(levels, &f->surface, &f->arena, along, error));
    first = f->desc->strips != 0 ? f->desc->strips : first;
    uint32_t last = f->desc->strips != 0 ? f->desc->strips : SNI_FIT_STRIPS_MOST;
    for (uint32_t count = first, failed = 0; count <= last && failed < patience; ++count) {
        bool improved;
        SN_TRY(try_strips(f, along, levels, count, &improved, error));
        failed = improved ? 0 : failed + 1;
    }
cleanup:
    return status;
}

// The longest direction of the mesh, for meshes on which nothing better is found.
static void straight_along(const sni_fit_surface *s, double *along) {
    sn_vec3 mean = {0, 0, 0}, axes[3];
    double m[6] = {0}, values[3];
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        mean = sn_vec3_add_scaled(mean, s->masses[i] / s->area, s->points[i]);
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_sub(s->points[i], mean);
        m[0] += s->masses[i] * p.x * p.x;
        m[1] += s->masses[i] * p.y * p.y;
        m[2] += s->masses[i] * p.z * p.z;
        m[3] += s->masses[i] * p.x * p.y;
        m[4] += s->masses[i] * p.x * p.z;
        m[5] += s->masses[i] * p.y * p.z;
    }
    sni_fit_eigen(m, values, axes);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        along[i] = sn_vec3_dot(sn_vec3_sub(s->points[i], mean), axes[0]);
    }
}

// Tries the directions of a muscle with its places divided in one way. The coordinate goes from
// `seeds` to seeds, which are these places or others.
static sn_status try_points(fitter *f, const sni_fit_points *points, const sni_fit_points *seeds,
                            double *along, sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark start = sni_arena_mark_now(&f->arena);
    sni_fit_ways ways;
    f->try_points = points;
    SN_TRY(sni_fit_ways_init(&ways, &f->surface, &f->arena, seeds, error));
    for (uint32_t i = 0; i < sizeof smoothings / sizeof *smoothings; ++i) {
        sni_arena_mark mark = sni_arena_mark_now(&f->arena);
        SN_TRY(sni_fit_axis(&ways, &f->surface, &f->arena, smoothings[i], along, error));
        // On later coordinates the count found before is a good guess.
        uint32_t first = f->best.count > 2 ? f->best.count - 1 : 1;
        SN_TRY(try_along(f, along, first, i == 0 ? 2 : 1 + (first < f->best.count), error));
        sni_arena_release(&f->arena, mark);
    }
cleanup:
    sni_arena_release(&f->arena, start);
    return status;
}

// All vertices near the two ends of the mesh's longest direction, as seeds: for meshes of which
// nothing else is known, with several heads.
static sn_status find_far_ends(fitter *f, double *along, sni_fit_points *ends, sn_error *error) {
    static const double part = 0.06;
    sn_status status = SN_OK;
    const sni_fit_surface *s = &f->surface;
    double low = INFINITY, high = -INFINITY;
    *ends = (sni_fit_points){0};
    SNI_FIT_TAKE(&f->arena, ends->places, s->vertex_count);
    SNI_FIT_TAKE(&f->arena, ends->sides, s->vertex_count);
    SNI_FIT_TAKE(&f->arena, ends->seeds, s->vertex_count);
    straight_along(s, along);
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        low = fmin(low, along[i]);
        high = fmax(high, along[i]);
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        double t = (along[i] - low) / (high - low);
        if (t < part || t > 1 - part) {
            ends->places[ends->count] = (sn_fit_place){SN_NONE, s->points[i]};
            ends->sides[ends->count] = t > 0.5;
            ends->seeds[ends->count++] = 1;
        }
    }
cleanup:
    return status;
}

static sn_status search(fitter *f, sn_error *error) {
    sn_status status = SN_OK;
    double *along = NULL;
    sni_fit_points both;
    bool found;
    f->cost = INFINITY;
    SNI_FIT_TAKE(&f->arena, f->along, f->surface.vertex_count);
    SNI_FIT_TAKE(&f->arena, along, f->surface.vertex_count);
    SN_TRY(try_points(f, &f->points, &f->points, along, error));
    SN_TRY(sni_progress(f->desc->progress, "fitting", 0.5, error));
    SN_TRY(sni_fit_points_both_sides(&f->points, &f->arena, &f->bones, &both, &found, error));
    if (found) {
        SN_TRY(try_points(f, &both, &both, along, error));
    }
    if (f->points.count > 0 && f->cost > poor_cost) {
        const sni_fit_points none = {0};
        SN_TRY(try_points(f, &f->points, &none, along, error));
    }
    if (f->points.count == 0 || f->cost > poor_cost) {
        sni_fit_points ends;
        SN_TRY(find_far_ends(f, along, &ends, error));
        SN_TRY(try_points(f, &f->points, &ends, along, error));
    }
    if (!(f->cost < INFINITY)) {
        straight_along(&f->surface, along);
        SN_TRY(try_along(f, along, 1, 2, error));
    }
    if (!(f->cost < INFINITY)) {
        status = sni_fail(error, SN_INVALID, "no sections were found across the mesh");
        goto cleanup;
    }
    SN_TRY(sni_fit_distance(&f->best, &f->surface, f->context, &f->arena, true, INFINITY, &f->mean,
                            &f->largest, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Result

static sn_status copy_strips(const fitter *f, sn_muscle_fit *fit, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(f->context, fit->strips, f->best.count);
    fit->strip_count = f->best.count;
    for (uint32_t k = 0; k < f->best.count; ++k) {
        const sni_fit_sections *from = &f->best.strips[k];
        fit->strips[k].slice_count = from->count;
        fit->strips[k].sections =
            sni_copy(f->context, from->sections, from->count, sizeof *from->sections);
        if (fit->strips[k].sections == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
        fit->fitted_volume += sni_fit_sections_volume(from);
    }
    fit->mean_distance = f->mean;
    fit->largest_distance = f->largest;
    fit->volume = f->surface.border_edges == 0 ? fabs(f->surface.volume) : 0;
    fit->pieces = f->surface.pieces;
    fit->handles = f->surface.handles;
    fit->border_edges = f->surface.border_edges;
cleanup:
    return status;
}

static sn_status attach(fitter *f, sn_muscle_fit *fit, sn_error *error) {
    sn_status status = SN_OK;
    double *alongs = NULL;
    SNI_FIT_TAKE(&f->arena, alongs, f->best_points.count);
    for (uint32_t i = 0; i < f->best_points.count; ++i) {
        alongs[i] = f->along[sni_fit_nearest_vertex(&f->surface, f->best_points.places[i].point)];
    }
    SN_TRY(sni_fit_places(&f->bones, &f->best_points, &f->surface, alongs, &f->best, fit, error));
    SN_TRY(sni_fit_pivots(&f->bones, &f->best_points, fit, error));
    if (f->points.count == 0) { // given places tell how fibres run
        SN_TRY(sni_fit_hems(&f->bones, &f->surface, fit, error));
    }
cleanup:
    return status;
}

// From the surface's frame to the world.
static void move_to_world(sn_fit_strip *strips, uint32_t count, sn_vec3 middle) {
    for (uint32_t k = 0; k < count; ++k) {
        sn_fit_strip *strip = &strips[k];
        for (uint32_t i = 0; i < strip->slice_count; ++i) {
            strip->sections[i].center = sn_vec3_add(strip->sections[i].center, middle);
        }
        for (uint32_t i = 0; i < strip->pivot_count; ++i) {
            strip->pivots[i].point = sn_vec3_add(strip->pivots[i].point, middle);
        }
        for (int i = 0; i < 2; ++i) {
            strip->origins[i].point = sn_vec3_add(strip->origins[i].point, middle);
            strip->insertions[i].point = sn_vec3_add(strip->insertions[i].point, middle);
        }
    }
}

sn_status sn_fit_muscle(sn_context *context, const sn_muscle_fit_desc *desc, sn_muscle_fit **fit,
                        sn_error *error) {
    return sni_fit_muscle(context, desc, NULL, fit, error);
}

sn_status sni_fit_muscle(sn_context *context, const sn_muscle_fit_desc *desc,
                         const sni_bone_trees *trees, sn_muscle_fit **fit, sn_error *error) {
    sn_status status = SN_OK;
    fitter *f = NULL;
    sn_muscle_fit *result = NULL;
    *fit = NULL;
    SN_TRY(check_desc(desc, error));
    SNI_NEW_ZERO(context, f, 1);
    f->context = context;
    f->desc = desc;
    sni_arena_init(&f->arena, context);
    SNI_NEW_ZERO(context, result, 1);
    result->context = context;
    SN_TRY(sni_progress(desc->progress, "fitting", 0, error));
    SN_TRY(sni_fit_surface_init(&f->surface, context, &f->arena, desc->mesh, error));
    SN_TRY(
        sni_fit_bones_init(&f->bones, context, &f->arena, desc, trees, f->surface.middle, error));
    SN_TRY(sni_fit_points_init(&f->points, &f->arena, &f->bones, &f->surface, desc, error));
    result->place_count = desc->place_count;
    result->far_places = desc->place_count - f->points.count;
    SN_TRY(search(f, error));
    SN_TRY(copy_strips(f, result, error));
    SN_TRY(attach(f, result, error));
    move_to_world(result->strips, result->strip_count, f->surface.middle);
    move_to_world(result->hems, result->hem_count, f->surface.middle);
    *fit = result;
    result = NULL;
cleanup:
    if (status != SN_OK && desc->check == desc_check && desc->mesh != NULL) {
        sni_error_place(error, 0, "muscle '%s'",
                        desc->name != NULL ? desc->name : desc->mesh->name);
    }
    sn_muscle_fit_destroy(result);
    if (f != NULL) {
        sni_fit_bones_deinit(&f->bones);
        sni_fit_surface_deinit(&f->surface);
        sni_arena_deinit(&f->arena);
        sni_free(context, f);
    }
    return status;
}
