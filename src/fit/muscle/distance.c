// SPDX-License-Identifier: Apache-2.0
//
// How far fitted strips are from the given surface: both ways, over area. What of a strip lies
// within another one is no part of their common surface.
#include "fit/muscle/fit.h"

#include "geometry/accel.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

enum {
    ring_points = 16,
    samples_rough = 500, // on each surface, about
    samples_fine = 1500,
};

// A strip as a closed mesh: rings, and the middles of the caps.
typedef struct ring {
    double sines[ring_points], cosines[ring_points];
} ring;

static ring make_ring(void) {
    ring made;
    for (int i = 0; i < ring_points; ++i) {
        double angle = 2 * SN_PI * i / ring_points;
        made.sines[i] = sin(angle);
        made.cosines[i] = cos(angle);
    }
    return made;
}

static sn_vec3 ring_point(const ring *r, const sn_fit_section *section, uint32_t point) {
    return sn_vec3_add_scaled(sn_vec3_add_scaled(section->center, r->sines[point], section->wide),
                              r->cosines[point], section->thick);
}

static uint32_t strip_vertex_count(const sni_fit_sections *strip) {
    return strip->count * ring_points + 2;
}

static uint32_t strip_triangle_count(const sni_fit_sections *strip) {
    return 2 * ring_points * strip->count;
}

static sn_vec3 strip_vertex(const ring *r, const sni_fit_sections *strip, uint32_t vertex) {
    if (vertex >= strip->count * ring_points) {
        bool last = vertex > strip->count * ring_points;
        return strip->sections[last ? strip->count - 1 : 0].center;
    }
    return ring_point(r, &strip->sections[vertex / ring_points], vertex % ring_points);
}

// Two triangles for each side of the quads between slices, then the fans of the caps.
static void strip_triangle(const sni_fit_sections *strip, uint32_t triangle, uint32_t vertices[3]) {
    uint32_t sides = 2 * ring_points * (strip->count - 1);
    if (triangle < sides) {
        uint32_t slice = triangle / (2 * ring_points), point = triangle / 2 % ring_points;
        uint32_t next = (point + 1) % ring_points;
        uint32_t a = slice * ring_points + point, b = slice * ring_points + next;
        uint32_t c = b + ring_points, d = a + ring_points;
        const uint32_t quads[2][3] = {{a, b, c}, {a, c, d}};
        memcpy(vertices, quads[triangle % 2], sizeof quads[0]);
        return;
    }
    uint32_t point = (triangle - sides) % ring_points, next = (point + 1) % ring_points;
    uint32_t last = (strip->count - 1) * ring_points, middle = strip->count * ring_points;
    bool is_first = triangle - sides < ring_points;
    vertices[0] = is_first ? middle : middle + 1;
    vertices[1] = is_first ? next : last + point;
    vertices[2] = is_first ? point : last + next;
}

double sni_fit_sections_volume(const sni_fit_sections *strip) {
    SN_ASSERT(strip->count <= SNI_FIT_SLICES_MOST);
    double volume = 0;
    ring r = make_ring();
    sn_vec3 origin = strip->sections[0].center;
    for (uint32_t t = 0; t < strip_triangle_count(strip); ++t) {
        uint32_t v[3];
        strip_triangle(strip, t, v);
        sn_vec3 a = sn_vec3_sub(strip_vertex(&r, strip, v[0]), origin);
        sn_vec3 b = sn_vec3_sub(strip_vertex(&r, strip, v[1]), origin);
        sn_vec3 c = sn_vec3_sub(strip_vertex(&r, strip, v[2]), origin);
        volume += sn_vec3_dot(a, sn_vec3_cross(b, c)) / 6;
    }
    return volume;
}

typedef struct fitted {
    uint32_t strip_count;
    sn_accel *strips[SNI_FIT_STRIPS_MOST];
    sn_vec3 lows[SNI_FIT_STRIPS_MOST], highs[SNI_FIT_STRIPS_MOST];
    // Square of the longest half axis of two slices, and a little more.
    double reaches[SNI_FIT_STRIPS_MOST][SNI_FIT_SLICES_MOST];
    uint32_t vertex_count, triangle_count; // of the common surface
    float *positions;
    uint32_t *vertices;
    sn_accel *common;
    ring ring;
} fitted;

static void free_fitted(fitted *f) {
    for (uint32_t k = 0; k < f->strip_count; ++k) {
        sn_accel_destroy(f->strips[k]);
    }
    sn_accel_destroy(f->common);
}

static bool is_in_box(sn_vec3 p, sn_vec3 low, sn_vec3 high) {
    return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y &&
           p.z <= high.z;
}

// Whether a point is near enough to the middle of a strip to be within.
static bool is_near(const fitted *f, const sni_fit_sections *strip, uint32_t k, sn_vec3 p) {
    for (uint32_t i = 0; i + 1 < strip->count; ++i) {
        sn_vec3 from = strip->sections[i].center;
        sn_vec3 chord = sn_vec3_sub(strip->sections[i + 1].center, from);
        sn_vec3 way = sn_vec3_sub(p, from);
        double size = sn_vec3_dot(chord, chord), t = sn_vec3_dot(way, chord);
        t = t <= 0 ? 0 : t >= size ? 1 : t / size;
        sn_vec3 off = sn_vec3_add_scaled(way, -t, chord);
        if (sn_vec3_dot(off, off) <= f->reaches[k][i]) {
            return true;
        }
    }
    return false;
}

// Within a strip: the first triangle that a ray meets is seen from behind.
static bool is_inside(const fitted *f, const sni_fit_strips *strips, uint32_t k, sn_vec3 p) {
    if (!is_in_box(p, f->lows[k], f->highs[k]) || !is_near(f, &strips->strips[k], k, p)) {
        return false;
    }
    sn_vec3 direction = sn_vec3_make(0.3129, 0.8217, 0.4761);
    sn_hit hit;
    sn_accel_cast(f->strips[k], p, direction, 0, INFINITY, &hit);
    if (hit.triangle == SN_NONE) {
        return false;
    }
    uint32_t v[3];
    strip_triangle(&strips->strips[k], hit.triangle, v);
    sn_vec3 corners[3];
    for (int i = 0; i < 3; ++i) {
        corners[i] = strip_vertex(&f->ring, &strips->strips[k], v[i]);
    }
    sn_vec3 normal = sni_triangle_vector(corners[0], corners[1], corners[2]);
    return sn_vec3_dot(normal, direction) > 0;
}

static void set_reaches(const sni_fit_sections *strip, double *reaches) {
    double before = 0;
    for (uint32_t i = 0; i < strip->count; ++i) {
        const sn_fit_section *section = &strip->sections[i];
        double here = 1.01 * fmax(sn_vec3_dot(section->wide, section->wide),
                                  sn_vec3_dot(section->thick, section->thick));
        if (i > 0) {
            reaches[i - 1] = fmax(before, here);
        }
        before = here;
    }
}

static sn_status build_strips(fitted *f, const sni_fit_strips *strips, sn_context *context,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t first_vertex = 0, first_triangle = 0;
    for (uint32_t k = 0; k < strips->count; ++k) {
        const sni_fit_sections *strip = &strips->strips[k];
        uint32_t vertex_count = strip_vertex_count(strip);
        float *positions = f->positions + 3 * (size_t)first_vertex;
        uint32_t *vertices = f->vertices + 3 * (size_t)first_triangle;
        set_reaches(strip, f->reaches[k]);
        f->lows[k] = sn_vec3_make(INFINITY, INFINITY, INFINITY);
        f->highs[k] = sn_vec3_scale(f->lows[k], -1);
        for (uint32_t i = 0; i < vertex_count; ++i) {
            sn_vec3 p = strip_vertex(&f->ring, strip, i);
            sn_vec3_store(p, positions + 3 * (size_t)i);
            f->lows[k] = sn_vec3_min(f->lows[k], p);
            f->highs[k] = sn_vec3_max(f->highs[k], p);
        }
        for (uint32_t t = 0; t < strip_triangle_count(strip); ++t) {
            strip_triangle(strip, t, vertices + 3 * (size_t)t);
        }
        if (strips->count > 1) {
            SN_TRY(sn_accel_create(context, positions, vertex_count, vertices,
                                   strip_triangle_count(strip), &f->strips[k], error));
        }
        f->strip_count = k + 1;
        first_vertex += vertex_count;
        first_triangle += strip_triangle_count(strip);
    }
    f->vertex_count = first_vertex;
cleanup:
    return status;
}

// Keeps the triangles whose middle is in no other strip.
static void find_common(fitted *f, const sni_fit_strips *strips) {
    uint32_t first_vertex = 0, first_triangle = 0;
    for (uint32_t k = 0; k < strips->count; ++k) {
        const sni_fit_sections *strip = &strips->strips[k];
        for (uint32_t t = 0; t < strip_triangle_count(strip); ++t) {
            uint32_t v[3];
            memcpy(v, f->vertices + 3 * (size_t)(first_triangle + t), sizeof v);
            sn_vec3 middle = {0, 0, 0};
            for (int i = 0; i < 3; ++i) {
                v[i] += first_vertex;
                middle = sn_vec3_add_scaled(middle, 1.0 / 3,
                                            sn_vec3_load(f->positions + 3 * (size_t)v[i]));
            }
            bool hidden = false;
            for (uint32_t other = 0; other < strips->count && !hidden; ++other) {
                hidden = other != k && is_inside(f, strips, other, middle);
            }
            if (!hidden) {
                memcpy(f->vertices + 3 * (size_t)f->triangle_count++, v, sizeof v);
            }
        }
        first_vertex += strip_vertex_count(strip);
        first_triangle += strip_triangle_count(strip);
    }
}

// Adds the distances of samples of a triangle to another surface, weighted by its area. Triangles
// are halved along their longest side until each part is small enough for its middle to stand for
// it, which depends on their shape alone.
typedef struct sampler {
    const sn_accel *target;
    double part; // area that one sample may stand for
    double sum, area, largest;
    double most;   // sum that is of no interest any more
    uint32_t near; // place of the target's tree that the sample before was nearest to
} sampler;

static void add_sample(sampler *s, sn_vec3 point, double area) {
    if (s->sum > s->most) {
        return;
    }
    double distance = sni_accel_distance(s->target, point, &s->near);
    if (distance < INFINITY) {
        s->sum += area * distance;
        s->area += area;
        s->largest = fmax(s->largest, distance);
    }
}

static void add_samples(sampler *s, sn_vec3 a, sn_vec3 b, sn_vec3 c, int depth) {
    double area = sni_triangle_area(a, b, c);
    if (area > s->part && depth > 0) {
        double ab = sn_vec3_distance(a, b), bc = sn_vec3_distance(b, c),
               ca = sn_vec3_distance(c, a);
        if (ab >= bc && ab >= ca) {
            sn_vec3 m = sn_vec3_lerp(a, b, 0.5);
            add_samples(s, a, m, c, depth - 1);
            add_samples(s, m, b, c, depth - 1);
        } else if (bc >= ca) {
            add_samples(s, b, c, a, depth);
        } else {
            add_samples(s, c, a, b, depth);
        }
        return;
    }
    add_sample(s, sn_vec3_scale(sn_vec3_add(a, sn_vec3_add(b, c)), 1.0 / 3), area);
}

// Vertices are enough where there are many. A mean above `most` need not be exact.
static sampler measure_given(const sni_fit_surface *surface, const fitted *f, uint32_t samples,
                             double most) {
    sampler s = {.target = f->common,
                 .part = surface->area / samples,
                 .most = most * surface->area * (1 + 1e-9),
                 .near = SN_NONE};
    for (uint32_t i = 0; i < surface->vertex_count && surface->vertex_count >= samples; ++i) {
        add_sample(&s, surface->points[i], surface->masses[i]);
    }
    for (uint32_t t = 0; t < surface->triangle_count && surface->vertex_count < samples; ++t) {
        const uint32_t *v = surface->triangles + 3 * (size_t)t;
        add_samples(&s, surface->points[v[0]], surface->points[v[1]], surface->points[v[2]], 12);
    }
    return s;
}

static void load_corners(const fitted *f, uint32_t triangle, sn_vec3 p[3]) {
    for (size_t i = 0; i < 3; ++i) {
        p[i] = sn_vec3_load(f->positions + 3 * (size_t)f->vertices[3 * (size_t)triangle + i]);
    }
}

static sampler measure_fitted(const sni_fit_surface *surface, const fitted *f, uint32_t samples,
                              double most) {
    sampler s = {.target = surface->accel, .part = surface->area / samples, .near = SN_NONE};
    sn_vec3 p[3];
    double area = 0;
    for (uint32_t t = 0; t < f->triangle_count; ++t) {
        load_corners(f, t, p);
        area += sni_triangle_area(p[0], p[1], p[2]);
    }
    s.most = most * area * (1 + 1e-9);
    for (uint32_t t = 0; t < f->triangle_count; ++t) {
        load_corners(f, t, p);
        add_samples(&s, p[0], p[1], p[2], 12);
    }
    return s;
}

static double mean_of(const sampler *s) {
    return s->sum / fmax(s->area, 1e-300);
}

sn_status sni_fit_distance(const sni_fit_strips *strips, const sni_fit_surface *surface,
                           sn_context *context, sni_arena *arena, bool fine, double most,
                           double *mean, double *largest, sn_error *error) {
    SN_ASSERT(strips->count <= SNI_FIT_STRIPS_MOST);
    sn_status status = SN_OK;
    uint32_t samples = fine ? samples_fine : samples_rough;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    fitted f = {.ring = make_ring()};
    size_t vertex_count = 0, triangle_count = 0;
    for (uint32_t k = 0; k < strips->count; ++k) {
        vertex_count += strip_vertex_count(&strips->strips[k]);
        triangle_count += strip_triangle_count(&strips->strips[k]);
    }
    *mean = *largest = INFINITY;
    SNI_FIT_TAKE(arena, f.positions, 3 * vertex_count);
    SNI_FIT_TAKE(arena, f.vertices, 3 * triangle_count);
    SN_TRY(build_strips(&f, strips, context, error));
    find_common(&f, strips);
    SN_TRY(sn_accel_create(context, f.positions, f.vertex_count, f.vertices, f.triangle_count,
                           &f.common, error));
    sampler there = measure_given(surface, &f, samples, 2 * most);
    if (there.sum > there.most) {
        goto cleanup;
    }
    // The way back has more samples.
    sampler back = measure_fitted(surface, &f, samples, 2 * most - mean_of(&there));
    if (back.sum > back.most) {
        goto cleanup;
    }
    *mean = (mean_of(&there) + mean_of(&back)) / 2;
    *largest = fmax(there.largest, back.largest);
cleanup:
    free_fitted(&f);
    sni_arena_release(arena, mark);
    return status;
}
