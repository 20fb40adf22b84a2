// SPDX-License-Identifier: Apache-2.0
#include "fit/head/pegs.h"

#include <string.h>

// Directions are moved by about this much, each in another direction, so that no four of them lie
// in a plane.
static const double jitter = 1e-6;

typedef struct hull {
    sn_vec3 *points;
    uint32_t count, capacity;
    uint32_t *faces; // x 3
    uint32_t *edges; // of the hole, x 2
} hull;

static double height_above(const hull *h, const uint32_t *face, uint32_t point) {
    sn_vec3 a = h->points[face[0]];
    sn_vec3 normal =
        sn_vec3_cross(sn_vec3_sub(h->points[face[1]], a), sn_vec3_sub(h->points[face[2]], a));
    return sn_vec3_dot(normal, sn_vec3_sub(h->points[point], a));
}

static void add_face(hull *h, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *face = h->faces + 3 * (size_t)h->count++;
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

// Removes the faces that see the point, and closes the hole around it.
static void add_point(hull *h, uint32_t point) {
    uint32_t kept = 0, edge_count = 0;
    for (uint32_t f = 0; f < h->count; ++f) {
        uint32_t *face = h->faces + 3 * (size_t)f;
        if (height_above(h, face, point) <= 0) {
            memmove(h->faces + 3 * (size_t)kept++, face, 3 * sizeof *face);
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            uint32_t a = face[k], b = face[(k + 1) % 3];
            // An edge that is passed both ways lies inside of the hole.
            uint32_t other = 0;
            while (other < edge_count &&
                   !(h->edges[2 * (size_t)other] == b && h->edges[2 * (size_t)other + 1] == a)) {
                ++other;
            }
            if (other < edge_count) {
                --edge_count;
                memmove(h->edges + 2 * (size_t)other, h->edges + 2 * (size_t)edge_count,
                        2 * sizeof *h->edges);
            } else {
                h->edges[2 * (size_t)edge_count] = a;
                h->edges[2 * (size_t)edge_count++ + 1] = b;
            }
        }
    }
    h->count = kept;
    for (uint32_t e = 0; e < edge_count; ++e) {
        add_face(h, h->edges[2 * (size_t)e], h->edges[2 * (size_t)e + 1], point);
    }
}

// Four directions that enclose some volume, the first faces; false where there are none.
static bool begin_hull(hull *h, uint32_t count, uint32_t first[4]) {
    double best = 0;
    first[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double d = sn_vec3_distance(h->points[0], h->points[i]);
        first[1] = d > best ? i : first[1];
        best = fmax(best, d);
    }
    sn_vec3 along = sn_vec3_sub(h->points[first[1]], h->points[0]);
    double area = 0, volume = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double d = sn_vec3_length(sn_vec3_cross(along, sn_vec3_sub(h->points[i], h->points[0])));
        first[2] = d > area ? i : first[2];
        area = fmax(area, d);
    }
    for (uint32_t i = 0; i < count && area > 0; ++i) {
        double d = fabs(height_above(h, first, i));
        first[3] = d > volume ? i : first[3];
        volume = fmax(volume, d);
    }
    if (!(volume > 1e-4)) {
        return false;
    }
    if (height_above(h, first, first[3]) > 0) {
        uint32_t kept = first[1];
        first[1] = first[2];
        first[2] = kept;
    }
    add_face(h, first[0], first[1], first[2]);
    add_face(h, first[0], first[2], first[3]);
    add_face(h, first[2], first[1], first[3]);
    add_face(h, first[1], first[0], first[3]);
    return true;
}

static sn_status make_hull(sni_pegs *pegs, hull *h, sn_error *error) {
    uint32_t first[4] = {0, 0, 0, 0};
    if (!begin_hull(h, pegs->point_count, first)) {
        return sni_fail(error, SN_INVALID, "the landmarks on the skull lie in a plane");
    }
    for (uint32_t i = 0; i < pegs->point_count; ++i) {
        if (i != first[0] && i != first[1] && i != first[2] && i != first[3]) {
            add_point(h, i);
        }
    }
    // The middle lies inside where all faces turn away from it.
    for (uint32_t f = 0; f < h->count; ++f) {
        const uint32_t *face = h->faces + 3 * (size_t)f;
        sn_vec3 a = h->points[face[0]];
        sn_vec3 normal =
            sn_vec3_cross(sn_vec3_sub(h->points[face[1]], a), sn_vec3_sub(h->points[face[2]], a));
        if (!(sn_vec3_dot(normal, a) > 0)) {
            return sni_fail(error, SN_INVALID,
                            "the landmarks on the skull lie on one side of it: some on the vault "
                            "and behind are missing");
        }
    }
    return SN_OK;
}

sn_status sni_pegs_create(sn_context *context, uint32_t count, const sn_vec3 *points,
                          sni_pegs **pegs, sn_error *error) {
    sn_status status = SN_OK;
    sni_pegs *p = NULL;
    hull h = {0};
    *pegs = NULL;
    if (count < 4) {
        return sni_fail(error, SN_INVALID, "%u landmarks on the skull are too few", count);
    }
    SNI_NEW_ZERO(context, p, 1);
    *p = (sni_pegs){.context = context, .point_count = count};
    SNI_NEW(context, p->points, count);
    SNI_NEW(context, h.points, count);
    SNI_NEW(context, h.faces, 6 * (size_t)count + 64);
    SNI_NEW(context, h.edges, 12 * (size_t)count + 64);
    sn_vec3 low = points[0], high = points[0];
    for (uint32_t i = 0; i < count; ++i) {
        p->points[i] = points[i];
        low = sn_vec3_min(low, points[i]);
        high = sn_vec3_max(high, points[i]);
    }
    p->middle = sn_vec3_scale(sn_vec3_add(low, high), 0.5);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 away = {sin(12.9898 * i + 1), sin(78.233 * i + 2), sin(37.719 * i + 3)};
        sn_vec3 direction = sn_vec3_normalize_or(sn_vec3_sub(points[i], p->middle), away);
        h.points[i] = sn_vec3_normalize_or(sn_vec3_add_scaled(direction, jitter, away), direction);
    }
    SN_TRY(make_hull(p, &h, error));
    p->triangle_count = h.count;
    p->vertices = h.faces;
    h.faces = NULL;
    *pegs = p;
    p = NULL;
cleanup:
    sni_free(context, h.points);
    sni_free(context, h.faces);
    sni_free(context, h.edges);
    sni_pegs_destroy(p);
    return status;
}

void sni_pegs_destroy(sni_pegs *pegs) {
    if (pegs != NULL) {
        sni_free(pegs->context, pegs->points);
        sni_free(pegs->context, pegs->vertices);
        sni_free(pegs->context, pegs);
    }
}

uint32_t sni_pegs_find(const sni_pegs *pegs, sn_vec3 point, double weights[3]) {
    sn_vec3 d = sn_vec3_sub(point, pegs->middle);
    uint32_t found = SN_NONE;
    double best = -INFINITY;
    for (uint32_t t = 0; t < pegs->triangle_count; ++t) {
        const uint32_t *v = pegs->vertices + 3 * (size_t)t;
        sn_vec3 a = sn_vec3_sub(pegs->points[v[0]], pegs->middle);
        sn_vec3 b = sn_vec3_sub(pegs->points[v[1]], pegs->middle);
        sn_vec3 c = sn_vec3_sub(pegs->points[v[2]], pegs->middle);
        // d = u a + v b + w c, with all positive where the triangle is seen in the direction.
        double all = sn_vec3_dot(a, sn_vec3_cross(b, c));
        double w[3] = {sn_vec3_dot(d, sn_vec3_cross(b, c)) / all,
                       sn_vec3_dot(d, sn_vec3_cross(c, a)) / all,
                       sn_vec3_dot(d, sn_vec3_cross(a, b)) / all};
        double sum = w[0] + w[1] + w[2], least = fmin(w[0], fmin(w[1], w[2]));
        if (all > 0 && sum > 0 && least / sum > best) {
            best = least / sum;
            found = t;
            for (int k = 0; k < 3; ++k) {
                weights[k] = w[k] / sum;
            }
        }
    }
    return found;
}
