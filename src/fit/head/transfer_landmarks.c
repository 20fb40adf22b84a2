// SPDX-License-Identifier: Apache-2.0
#include "fit/head/check.h"
#include "fit/head/spline.h"
#include "fit/head/transfer_internal.h"

#include <string.h>

// A place given on the skin may be this far from it, and one on bones from these, metres.
static const double off_skin = 0.015, off_bone = 0.01;

// Fewer landmarks do not say where a skull is.
enum { LEAST_LANDMARKS = 8 };

// How far around landmarks the skin of a body is part of the head, metres.
static const double head_room = 0.13;

// ---------------------------------------------------------------------------------------------
// Places

static sn_vec3 place_on_head(const sni_transfer *t, const sn_landmark *landmark) {
    const sn_mesh *head = t->desc->head;
    sn_vec3 place = landmark->vertex != SN_NONE
                        ? sn_vec3_load(head->positions + 3 * (size_t)landmark->vertex)
                        : landmark->skin;
    return sn_vec3_scale(place, t->desc->unit);
}

static sn_status check_head_landmark(const sni_transfer *t, const char *name,
                                     const sn_landmark **landmark, sn_error *error) {
    const sn_mesh *head = t->desc->head;
    *landmark = sn_landmarks_find(t->desc->head_landmarks, name);
    if (*landmark == NULL || !(*landmark)->on_skin) {
        return sni_fail(error, SN_INVALID, "the landmark \"%s\" is missing on the head \"%s\"",
                        name, head->name);
    }
    if ((*landmark)->vertex != SN_NONE && (*landmark)->vertex >= head->vertex_count) {
        return sni_fail(error, SN_INVALID,
                        "the landmark \"%s\" is vertex %u, but \"%s\" has only %u vertices", name,
                        (*landmark)->vertex, head->name, head->vertex_count);
    }
    return SN_OK;
}

// The depth of a landmark: that of the table, else its own.
static sn_status find_depth(const sni_transfer *t, const sn_landmark *landmark, double *depth,
                            const sn_depth_row **row, sn_error *error) {
    *row = t->desc->depths != NULL ? sn_depth_table_find(t->desc->depths, landmark->name) : NULL;
    *depth = *row != NULL ? (*row)->depths[t->desc->column] : landmark->depth;
    return *depth > 0 ? SN_OK
                      : sni_fail(error, SN_INVALID,
                                 "the landmark \"%s\" has no tissue depth: it is not in the table",
                                 landmark->name);
}

// ---------------------------------------------------------------------------------------------
// Pairs

static sn_status allocate(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t most = t->desc->landmarks->count;
    SNI_NEW(t->context, t->numbers, most);
    SNI_NEW(t->context, t->names, most);
    SNI_NEW(t->context, t->bones, most);
    SNI_NEW_ZERO(t->context, t->bone_parts, most);
    SNI_NEW(t->context, t->skins, most);
    SNI_NEW(t->context, t->directions, most);
    SNI_NEW(t->context, t->depths, most);
    SNI_NEW(t->context, t->slides, most);
    SNI_NEW(t->context, t->targets, most);
    SNI_NEW(t->context, t->landmark_hollows, most);
cleanup:
    return status;
}

// The skin around the landmarks: of a body no more than its head.
static sn_status make_skin(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sni_head_surface *whole = NULL;
    sni_similarity as_is = sni_similarity_identity();
    sn_vec3 low = t->skins[0], high = t->skins[0], more = {head_room, head_room, head_room};
    for (uint32_t i = 0; i < t->count; ++i) {
        low = sn_vec3_min(low, t->skins[i]);
        high = sn_vec3_max(high, t->skins[i]);
    }
    double size = sn_vec3_distance(low, high);
    if (!(size > 0.1 && size < 1)) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "the landmarks of the head \"%s\" are %.3g m apart: its unit is not %g m",
                        t->desc->head->name, size, t->desc->unit));
    }
    SN_TRY(sni_head_surface_create(t->desc->head, t->desc->unit, &whole, error));
    SN_TRY(sni_head_surface_crop(whole, 1, &as_is, sn_vec3_sub(low, more), sn_vec3_add(high, more),
                                 &t->skin, error));
cleanup:
    sni_head_surface_destroy(whole);
    return status;
}

// Puts a landmark onto the skin; its direction is the normal there.
static sn_status put_on_skin(sni_transfer *t, uint32_t i, const sn_landmark *landmark,
                             sn_error *error) {
    sni_skin_place place;
    sni_head_surface_closest(t->skin, t->skins[i], INFINITY, &place);
    if (place.distance > off_skin) {
        return sni_fail(error, SN_INVALID,
                        "the landmark \"%s\" is %.0f mm away from the skin of \"%s\"", t->names[i],
                        place.distance * 1000, t->desc->head->name);
    }
    t->directions[i] = place.normal;
    if (landmark->vertex != SN_NONE && t->skin->is_outer[landmark->vertex]) {
        t->directions[i] = sn_vec3_load(t->skin->normals + 3 * (size_t)landmark->vertex);
    }
    t->skins[i] = place.point;
    return SN_OK;
}

static void find_target(sni_transfer *t, uint32_t i) {
    t->targets[i] = sn_vec3_add_scaled(t->skins[i], -t->depths[i], t->directions[i]);
}

// The bone that a landmark lies on: the nearest.
static sn_status find_bones(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_accel *accel = NULL;
    sn_triangles *triangles = NULL;
    double *distances = NULL;
    SNI_NEW(t->context, distances, t->count);
    for (uint32_t i = 0; i < t->count; ++i) {
        distances[i] = INFINITY;
    }
    for (uint32_t p = 0; p < t->desc->part_count; ++p) {
        const sn_head_part *part = &t->desc->parts[p];
        if (part->role != SN_HEAD_BONE || part->mesh == NULL) {
            continue;
        }
        SN_TRY(sn_triangles_create(part->mesh, part->mesh->positions, &triangles, error));
        SN_TRY(sn_accel_create(t->context, part->mesh->positions, part->mesh->vertex_count,
                               triangles->vertices, triangles->count, &accel, error));
        for (uint32_t i = 0; i < t->count; ++i) {
            sn_closest closest;
            sn_accel_find_closest(accel, t->bones[i], INFINITY, &closest);
            if (closest.triangle != SN_NONE && closest.distance < distances[i]) {
                distances[i] = closest.distance;
                t->bone_parts[i] = p;
            }
        }
        sn_accel_destroy(accel);
        sn_triangles_destroy(triangles);
        accel = NULL;
        triangles = NULL;
    }
    for (uint32_t i = 0; i < t->count; ++i) {
        if (distances[i] > off_bone) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "the landmark \"%s\" is %.0f mm away from the bones of the source",
                            t->names[i], fmin(distances[i], 1e6) * 1000));
        }
    }
cleanup:
    sni_free(t->context, distances);
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
    return status;
}

sn_status sni_transfer_pair(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *source = t->desc->landmarks;
    const sn_landmark *on_head = NULL;
    const sn_depth_row *row = NULL;
    SN_TRY(allocate(t, error));
    for (uint32_t n = 0; n < source->count; ++n) {
        const sn_landmark *landmark = &source->items[n];
        if (!landmark->on_bone) {
            continue;
        }
        uint32_t i = t->count++;
        t->numbers[i] = n;
        t->names[i] = landmark->name;
        t->bones[i] = landmark->bone;
        SN_TRY(check_head_landmark(t, landmark->name, &on_head, error));
        SN_TRY(find_depth(t, landmark, &t->depths[i], &row, error));
        t->skins[i] = place_on_head(t, on_head);
        t->slides[i] = row != NULL && row->slides && on_head->doubt > 0;
    }
    if (t->count < LEAST_LANDMARKS) {
        SN_TRY(sni_fail(error, SN_INVALID, "the source has %u landmarks on bones: %d are needed",
                        t->count, LEAST_LANDMARKS));
    }
    SN_TRY(make_skin(t, error));
    SN_TRY(find_bones(t, error));
    for (uint32_t i = 0; i < t->count; ++i) {
        on_head = sn_landmarks_find(t->desc->head_landmarks, t->names[i]);
        SN_TRY(put_on_skin(t, i, on_head, error));
        find_target(t, i);
    }
    // Which way is forward follows from the landmarks, and that some depths are measured forward
    // changes little of it.
    sni_similarity_fit(t->bones, t->targets, NULL, t->count, &t->similarity);
    for (uint32_t i = 0; i < t->count; ++i) {
        row = t->desc->depths != NULL ? sn_depth_table_find(t->desc->depths, t->names[i]) : NULL;
        if (row != NULL && row->forward) {
            t->directions[i] = sn_quat_rotate(t->similarity.rotation, sn_vec3_make(0, 0, 1));
            find_target(t, i);
        }
    }
    sni_landmark_pairs pairs = {t->count, t->names, t->bones, t->targets};
    SN_TRY(sni_check_landmarks(t->context, &pairs, error));
    sni_similarity_fit(t->bones, t->targets, NULL, t->count, &t->similarity);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Sliding

sn_status sni_transfer_slide(sni_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *from = NULL, *offsets = NULL;
    sni_spline *spline = NULL;
    uint32_t fixed = 0;
    SNI_NEW(t->context, from, t->count);
    SNI_NEW(t->context, offsets, t->count);
    for (uint32_t i = 0; i < t->count; ++i) {
        if (!t->slides[i]) {
            from[fixed] = sni_similarity_point(&t->similarity, t->bones[i]);
            offsets[fixed] = sn_vec3_sub(t->targets[i], from[fixed]);
            ++fixed;
        }
    }
    // Without any that stays, nothing says where to slide to.
    if (fixed < LEAST_LANDMARKS || fixed == t->count) {
        goto cleanup;
    }
    SN_TRY(sni_spline_create(t->context, SNI_SPLINE_BENDING, 0, fixed, from, offsets, NULL, &spline,
                             error));
    for (uint32_t i = 0; i < t->count; ++i) {
        if (t->slides[i]) {
            sn_vec3 bone = sni_similarity_point(&t->similarity, t->bones[i]);
            sni_skin_place place;
            bone = sn_vec3_add(bone, sni_spline_at(spline, bone));
            sni_head_surface_closest(t->skin, bone, INFINITY, &place);
            t->skins[i] = place.point;
            t->directions[i] = place.normal;
            find_target(t, i);
        }
    }
    sni_similarity_fit(t->bones, t->targets, NULL, t->count, &t->similarity);
cleanup:
    sni_free(t->context, from);
    sni_free(t->context, offsets);
    sni_spline_destroy(spline);
    return status;
}
