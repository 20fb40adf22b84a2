// SPDX-License-Identifier: Apache-2.0
//
// Triangles that go through each other: an edge of one meets the inside of the other one. Triangles
// are sorted by where they begin along the lids, and each is compared with those that begin before
// it ends.
#include "skin/lids/folds.h"

#include "base/context.h"

#include <string.h>

// An edge that passes a triangle by so little, in parts of its size, is held to meet it at rest.
static const double slack_at_rest = 0.05;
// What is nearer to the ends of an edge, in parts of its length, is not.
static const double ends = 0.005;
enum { BINS = 256 };

static bool has(const uint32_t *t, uint32_t v) {
    return t[0] == v || t[1] == v || t[2] == v;
}

// Solves a + s (b - a) = c0 + u (c1 - c0) + v (c2 - c0).
static bool edge_meets(const sn_vec3 *p, uint32_t a, uint32_t b, const uint32_t *t, double slack) {
    if (has(t, a) || has(t, b)) {
        return false;
    }
    sn_vec3 along = sn_vec3_sub(p[b], p[a]), from = sn_vec3_sub(p[a], p[t[0]]);
    sn_vec3 first = sn_vec3_sub(p[t[1]], p[t[0]]), second = sn_vec3_sub(p[t[2]], p[t[0]]);
    sn_vec3 across = sn_vec3_cross(along, second), other = sn_vec3_cross(from, first);
    double volume = sn_vec3_dot(first, across);
    if (!(fabs(volume) > 0)) {
        return false;
    }
    double u = sn_vec3_dot(from, across) / volume, v = sn_vec3_dot(along, other) / volume;
    double s = sn_vec3_dot(second, other) / volume;
    return u > -slack && v > -slack && u + v < 1 + slack && s > ends && s < 1 - ends;
}

static bool triangles_cross(const sn_vec3 *p, const uint32_t *t, const uint32_t *other,
                            double slack) {
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (edge_meets(p, t[k], t[next], other, slack) ||
            edge_meets(p, other[k], other[next], t, slack)) {
            return true;
        }
    }
    return false;
}

bool sni_lid_fold_search_make(const sni_lids *l, sni_arena *arena, const sn_vec3 *points,
                              sni_lid_fold_search *search) {
    search->points = points;
    search->slack = 0;
    search->order = sni_arena_alloc(arena, l->fold_count, sizeof *search->order);
    search->bounds = sni_arena_alloc(arena, l->fold_count, sizeof *search->bounds);
    return search->order != NULL && search->bounds != NULL;
}

static void bound(const sni_lids *l, sni_lid_fold_search *search) {
    for (uint32_t i = 0; i < l->fold_count; ++i) {
        const uint32_t *t = l->folds + 3 * (size_t)i;
        const sn_vec3 *p = search->points;
        sn_vec3 low = sn_vec3_min(p[t[0]], sn_vec3_min(p[t[1]], p[t[2]]));
        sn_vec3 high = sn_vec3_max(p[t[0]], sn_vec3_max(p[t[1]], p[t[2]]));
        double *b = search->bounds[i];
        b[0] = low.x;
        b[1] = low.y;
        b[2] = low.z;
        b[3] = high.x;
        b[4] = high.y;
        b[5] = high.z;
    }
}

static uint32_t bin_of(double x, double first, double last) {
    double at = last > first ? (x - first) / (last - first) * BINS : 0;
    return (uint32_t)fmin(fmax(at, 0), BINS - 1);
}

// Into bins along the lids, and in each by number.
static void sort(const sni_lids *l, sni_lid_fold_search *search, double first, double last,
                 uint32_t begins[BINS + 1]) {
    uint32_t next[BINS];
    memset(begins, 0, (BINS + 1) * sizeof *begins);
    for (uint32_t i = 0; i < l->fold_count; ++i) {
        begins[bin_of(search->bounds[i][0], first, last) + 1] += 1;
    }
    for (uint32_t bin = 0; bin < BINS; ++bin) {
        begins[bin + 1] += begins[bin];
    }
    memcpy(next, begins, sizeof next);
    for (uint32_t i = 0; i < l->fold_count; ++i) {
        search->order[next[bin_of(search->bounds[i][0], first, last)]++] = i;
    }
}

static bool apart(const double *a, const double *b) {
    return a[3] < b[0] || b[3] < a[0] || a[4] < b[1] || b[4] < a[1] || a[5] < b[2] || b[5] < a[2];
}

static void mark(const uint32_t *t, uint8_t *marks) {
    for (int k = 0; k < 3; ++k) {
        marks[t[k]] = 1;
    }
}

uint32_t sni_lid_folds_mark(const sni_lids *l, sni_lid_fold_search *search, uint8_t *marks) {
    double first = INFINITY, last = -INFINITY;
    uint32_t begins[BINS + 1];
    uint32_t found = 0;
    bound(l, search);
    for (uint32_t i = 0; i < l->fold_count; ++i) {
        first = fmin(first, search->bounds[i][0]);
        last = fmax(last, search->bounds[i][3]);
    }
    sort(l, search, first, last, begins);
    for (uint32_t i = 0; i < l->fold_count; ++i) {
        uint32_t one = search->order[i];
        const uint32_t *t = l->folds + 3 * (size_t)one;
        uint32_t end = begins[bin_of(search->bounds[one][3], first, last) + 1];
        for (uint32_t k = i + 1; k < end; ++k) {
            uint32_t two = search->order[k];
            const uint32_t *other = l->folds + 3 * (size_t)two;
            if (!apart(search->bounds[one], search->bounds[two]) &&
                triangles_cross(search->points, t, other, search->slack)) {
                mark(t, marks);
                mark(other, marks);
                found += 1;
            }
        }
    }
    return found;
}

// ---------------------------------------------------------------------------------------------
// At rest

// Triangles around the opening, by numbers of vertices of the lids; and for each vertex those that
// it shares an edge with, once for each triangle.
static sn_status find_triangles(const sni_lids_desc *d, sni_lids *l, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *numbers = NULL, *next = NULL;
    SNI_NEW(d->context, numbers, d->mesh->vertex_count);
    SNI_NEW_ZERO(d->context, l->ring_begins, l->vertex_count + 1);
    SNI_NEW(d->context, next, l->vertex_count + 1);
    SNI_NEW(d->context, l->folds, 3 * (size_t)d->triangles->count);
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        numbers[v] = SN_NONE;
    }
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        numbers[l->vertices[i].vertex] = i;
    }
    for (uint32_t i = 0; i < d->triangles->count; ++i) {
        const uint32_t *v = d->triangles->vertices + 3 * (size_t)i;
        uint32_t t[3] = {numbers[v[0]], numbers[v[1]], numbers[v[2]]};
        bool is_near = !has(t, SN_NONE);
        for (int k = 0; k < 3 && is_near; ++k) {
            is_near = l->vertices[t[k]].even > 0;
        }
        if (is_near) {
            memcpy(l->folds + 3 * (size_t)l->fold_count++, t, sizeof t);
            for (int k = 0; k < 3; ++k) {
                l->ring_begins[t[k] + 1] += 2;
            }
        }
    }
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        l->ring_begins[i + 1] += l->ring_begins[i];
    }
    l->ring_count = 6 * l->fold_count;
    SNI_NEW(d->context, l->rings, l->ring_count);
    memcpy(next, l->ring_begins, (l->vertex_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < 3 * l->fold_count; ++i) {
        uint32_t first = i - i % 3;
        l->rings[next[l->folds[i]]++] = l->folds[first + (i + 1) % 3];
        l->rings[next[l->folds[i]]++] = l->folds[first + (i + 2) % 3];
    }
cleanup:
    sni_free(d->context, numbers);
    sni_free(d->context, next);
    return status;
}

sn_status sni_lid_folds_lay(const sni_lids_desc *d, sni_lids *l, sn_error *error) {
    sn_status status = SN_OK;
    sni_lid_fold_search search = {0};
    sn_vec3 *points = NULL;
    uint8_t *marks = NULL;
    SN_TRY(find_triangles(d, l, error));
    SNI_NEW(d->context, points, l->vertex_count);
    SNI_NEW_ZERO(d->context, marks, l->vertex_count);
    SNI_NEW(d->context, search.order, l->fold_count);
    SNI_NEW(d->context, search.bounds, l->fold_count);
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        size_t vertex = 3 * (size_t)l->vertices[i].vertex;
        points[i] = sni_eye_local(&l->frame, sn_vec3_load(d->positions + vertex));
    }
    search.points = points;
    search.slack = slack_at_rest;
    sni_lid_folds_mark(l, &search, marks);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->fold_count; ++i) {
        const uint32_t *t = l->folds + 3 * (size_t)i;
        if (!marks[t[0]] || !marks[t[1]] || !marks[t[2]]) {
            memmove(l->folds + 3 * (size_t)kept++, t, 3 * sizeof *t);
        }
    }
    l->fold_count = kept;
cleanup:
    sni_free(d->context, points);
    sni_free(d->context, marks);
    sni_free(d->context, search.order);
    sni_free(d->context, search.bounds);
    return status;
}
