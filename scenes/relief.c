// SPDX-License-Identifier: Apache-2.0
#include "scenes/relief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BORDER_MAX = 64, QUADS_MAX = 160 };

struct scn_relief {
    scn_builder *builder;
    const uint32_t *mirror;
    const sn_vec3 *normals;
    uint32_t base_count;              // vertices before any relief
    uint32_t *offsets, *vertex_quads; // quads at each vertex
    uint32_t base_quads;
    uint8_t *covered; // quads
    uint8_t *marked;  // quads of the area that is being looked at
};

// The quads of an area and the vertices around them, counter-clockwise seen from outside.
typedef struct area {
    uint32_t quad_count, quads[QUADS_MAX];
    uint32_t border_count, border[BORDER_MAX];
    sn_vec3 center, normal;
    double radius; // least distance of the border from the middle
} area;

static bool list_quads(scn_relief *r) {
    const scn_builder *b = r->builder;
    r->offsets = calloc((size_t)b->vertex_count + 2, sizeof *r->offsets);
    r->vertex_quads = malloc(((size_t)b->quad_count * 4 + 1) * sizeof *r->vertex_quads);
    if (r->offsets == NULL || r->vertex_quads == NULL) {
        return false;
    }
    for (uint32_t q = 0; q < b->quad_count; ++q) {
        for (int c = 0; c < 4; ++c) {
            r->offsets[b->quads[q][c] + 2] += 1;
        }
    }
    for (uint32_t i = 2; i < b->vertex_count + 2; ++i) {
        r->offsets[i] += r->offsets[i - 1];
    }
    for (uint32_t q = 0; q < b->quad_count; ++q) {
        for (int c = 0; c < 4; ++c) {
            r->vertex_quads[r->offsets[b->quads[q][c] + 1]++] = q;
        }
    }
    return true;
}

scn_relief *scn_relief_begin(scn_builder *builder, const uint32_t *mirror, const sn_vec3 *normals) {
    scn_relief *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    *made = (scn_relief){.builder = builder,
                         .mirror = mirror,
                         .normals = normals,
                         .base_count = builder->vertex_count,
                         .base_quads = builder->quad_count,
                         .covered = calloc(builder->quad_count + 1, 1),
                         .marked = calloc(builder->quad_count + 1, 1)};
    if (made->covered == NULL || made->marked == NULL || !list_quads(made)) {
        scn_relief_destroy(made);
        return NULL;
    }
    return made;
}

void scn_relief_destroy(scn_relief *relief) {
    if (relief != NULL) {
        free(relief->offsets);
        free(relief->vertex_quads);
        free(relief->covered);
        free(relief->marked);
        free(relief);
    }
}

// ---------------------------------------------------------------------------------------------
// Areas

static bool add_quad(scn_relief *r, area *a, uint32_t quad) {
    if (r->marked[quad] != 0) {
        return true;
    }
    if (r->covered[quad] != 0 || a->quad_count == QUADS_MAX) {
        return false;
    }
    r->marked[quad] = 1;
    a->quads[a->quad_count++] = quad;
    return true;
}

static bool add_quads_of_vertex(scn_relief *r, area *a, uint32_t vertex) {
    bool ok = true;
    for (uint32_t k = r->offsets[vertex]; k < r->offsets[vertex + 1] && ok; ++k) {
        ok = add_quad(r, a, r->vertex_quads[k]);
    }
    return ok;
}

static bool grow_area(scn_relief *r, area *a) {
    bool ok = true;
    for (uint32_t i = 0, count = a->quad_count; i < count && ok; ++i) {
        for (int c = 0; c < 4 && ok; ++c) {
            ok = add_quads_of_vertex(r, a, r->builder->quads[a->quads[i]][c]);
        }
    }
    return ok;
}

// The vertex behind `from` on the area's border: along the side of a marked quad whose other quad
// is not marked. Sets `*count` to how many such sides leave `from`.
static uint32_t next_on_border(const scn_relief *r, uint32_t from, uint32_t *count) {
    uint32_t found = SN_NONE;
    *count = 0;
    for (uint32_t k = r->offsets[from]; k < r->offsets[from + 1]; ++k) {
        const uint32_t *quad = r->builder->quads[r->vertex_quads[k]];
        if (r->marked[r->vertex_quads[k]] == 0) {
            continue;
        }
        uint32_t corner = 0;
        while (quad[corner] != from) {
            corner += 1;
        }
        uint32_t to = quad[(corner + 1) % 4];
        bool inner = false;
        for (uint32_t m = r->offsets[to]; m < r->offsets[to + 1]; ++m) {
            const uint32_t *other = r->builder->quads[r->vertex_quads[m]];
            for (int c = 0; c < 4 && r->marked[r->vertex_quads[m]] != 0; ++c) {
                inner = inner || (other[c] == to && other[(c + 1) % 4] == from);
            }
        }
        if (!inner) {
            found = to;
            *count += 1;
        }
    }
    return found;
}

// Walks once around the area. False when it has several borders or touches itself. V - E + F of a
// disk of Q quads with B border vertices and I inner ones is B + I - (4 Q + B) / 2 + Q = 1.
static bool trace_border(const scn_relief *r, area *a) {
    uint32_t start = SN_NONE, count;
    for (uint32_t i = 0; i < a->quad_count && start == SN_NONE; ++i) {
        for (int c = 0; c < 4 && start == SN_NONE; ++c) {
            uint32_t vertex = r->builder->quads[a->quads[i]][c];
            next_on_border(r, vertex, &count);
            start = count > 0 ? vertex : SN_NONE;
        }
    }
    uint32_t at = start, inner = 0;
    do {
        if (at == SN_NONE || a->border_count == BORDER_MAX) {
            return false;
        }
        a->border[a->border_count++] = at;
        at = next_on_border(r, at, &count);
        if (count != 1) {
            return false;
        }
    } while (at != start);
    // Corners at inner vertices, each vertex counted by its share.
    double shares = 0;
    for (uint32_t i = 0; i < a->quad_count; ++i) {
        for (int c = 0; c < 4; ++c) {
            uint32_t vertex = r->builder->quads[a->quads[i]][c];
            next_on_border(r, vertex, &count);
            shares += count == 0 ? 1.0 / (r->offsets[vertex + 1] - r->offsets[vertex]) : 0;
        }
    }
    inner = (uint32_t)(shares + 0.5);
    return a->border_count + 2 * inner == 2 * a->quad_count + 2;
}

static void unmark(scn_relief *r, const area *a) {
    for (uint32_t i = 0; i < a->quad_count; ++i) {
        r->marked[a->quads[i]] = 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Forms

static sn_vec3 direction_of(const area *a, const scn_relief_form *form) {
    return sn_vec3_normalize_or(sn_vec3_add(a->normal, form->lean), a->normal);
}

// A point of a ring that follows the border, in its plane and out of it.
static sn_vec3 outline_point(const scn_relief *r, const area *a, const scn_relief_form *form,
                             const scn_ring *ring, uint32_t i) {
    sn_vec3 offset = sn_vec3_sub(r->builder->vertices[a->border[i]].position, a->center);
    double up = sn_vec3_dot(offset, a->normal);
    sn_vec3 aside = sn_vec3_add_scaled(offset, -up, a->normal);
    double length = sn_vec3_length(aside);
    double round = length > 0 ? 1 + form->round * (a->radius / length - 1) : 1;
    sn_vec3 point = sn_vec3_add_scaled(a->center, ring->scale * round, aside);
    return sn_vec3_add_scaled(point, ring->scale * up, a->normal);
}

// A point of an oval around the middle, at equal angles from the border's first vertex on.
static sn_vec3 oval_point(const scn_relief *r, const area *a, const scn_relief_form *form,
                          const scn_ring *ring, uint32_t i) {
    sn_vec3 first = sn_vec3_sub(r->builder->vertices[a->border[0]].position, a->center);
    sn_vec3 start = scn_reject(first, a->normal), across = sn_vec3_cross(a->normal, start);
    scn_turn turn = scn_turn_from_deg(360.0 * i / a->border_count);
    sn_vec3 aside = sn_vec3_scale(start, ring->radius * turn.cosine);
    aside = sn_vec3_add_scaled(aside, ring->radius * turn.sine, across);
    sn_vec3 along = scn_reject(form->squeeze, a->normal);
    double shorter = sn_vec3_length(form->squeeze) * sn_vec3_dot(aside, along);
    aside = sn_vec3_add_scaled(aside, -shorter, along);
    double rest = form->ball * form->ball - sn_vec3_dot(aside, aside);
    sn_vec3 point = sn_vec3_add(a->center, aside);
    return sn_vec3_add_scaled(point, rest > 0 ? sqrt(rest) : 0, a->normal);
}

static sn_vec3 ring_point(const scn_relief *r, const area *a, const scn_relief_form *form,
                          const scn_ring *ring, uint32_t i) {
    sn_vec3 point =
        ring->radius > 0 ? oval_point(r, a, form, ring, i) : outline_point(r, a, form, ring, i);
    return sn_vec3_add_scaled(point, ring->height, direction_of(a, form));
}

static sn_vec3 image_of(sn_vec3 p) {
    return sn_vec3_make(-p.x, p.y, p.z);
}

// Where the mirror image of border vertex i stands on a border that is its own image.
static uint32_t opposite(const scn_relief *r, const area *a, uint32_t i) {
    uint32_t k = 0;
    while (k < a->border_count && a->border[k] != r->mirror[a->border[i]]) {
        k += 1;
    }
    return k < a->border_count ? k : i;
}

// Points of a ring; those of an area on the plane are made symmetric bit for bit.
static void fill_ring(const scn_relief *r, const area *a, const scn_relief_form *form,
                      const scn_ring *ring, bool middle, sn_vec3 *points) {
    for (uint32_t i = 0; i < a->border_count; ++i) {
        points[i] = ring_point(r, a, form, ring, i);
    }
    for (uint32_t i = 0; i < a->border_count && middle; ++i) {
        uint32_t k = opposite(r, a, i);
        if (k == i) {
            points[i].x = 0;
        } else if (points[i].x > 0) {
            points[k] = image_of(points[i]);
        }
    }
}

// Builds the rings. With `image` their mirror image, on the other side's border, which runs the
// other way from the same first vertex: polygons are then triangulated alike on both sides.
static void build(scn_relief *r, const area *a, const scn_relief_form *form, bool middle,
                  bool image) {
    scn_builder *b = r->builder;
    uint32_t last[BORDER_MAX], next[BORDER_MAX], count = a->border_count;
    sn_vec3 points[BORDER_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        last[image ? (count - i) % count : i] = image ? r->mirror[a->border[i]] : a->border[i];
    }
    for (uint32_t k = 0; k < form->count; ++k) {
        fill_ring(r, a, form, &form->rings[k], middle, points);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t from = image ? (count - i) % count : i;
            sn_vec3 point = image ? image_of(points[from]) : points[from];
            next[i] = scn_builder_vertex(b, point, form->tag, k + 1);
        }
        scn_builder_join(b, last, next, count);
        memcpy(last, next, sizeof last);
    }
    if (!form->pointed) {
        scn_builder_polygon(b, last, count);
        return;
    }
    sn_vec3 tip = sn_vec3_add_scaled(a->center, form->height, direction_of(a, form));
    tip.x = middle ? 0 : tip.x;
    uint32_t point = scn_builder_vertex(b, image ? image_of(tip) : tip, form->tag, form->count + 1);
    for (uint32_t i = 0; i < count; ++i) {
        scn_builder_polygon(b, (const uint32_t[]){last[i], last[(i + 1) % count], point}, 3);
    }
}

// Covers the quads of the area, and those of its image on the other side.
static void cover(scn_relief *r, const area *a) {
    for (uint32_t i = 0; i < a->quad_count; ++i) {
        r->covered[a->quads[i]] = 1;
    }
}

static bool find_image(scn_relief *r, const area *a, area *image) {
    bool ok = true;
    *image = (area){0};
    for (uint32_t i = 0; i < a->quad_count && ok; ++i) {
        const uint32_t *quad = r->builder->quads[a->quads[i]];
        uint32_t from = r->mirror[quad[0]], across = r->mirror[quad[2]], found = SN_NONE;
        for (uint32_t k = r->offsets[from]; k < r->offsets[from + 1]; ++k) {
            const uint32_t *other = r->builder->quads[r->vertex_quads[k]];
            for (int c = 0; c < 4; ++c) {
                found =
                    other[c] == across && other[(c + 2) % 4] == from ? r->vertex_quads[k] : found;
            }
        }
        ok = found != SN_NONE && r->covered[found] == 0;
        image->quads[image->quad_count++] = found;
    }
    return ok;
}

// The area is marked. `middle`: it is its own mirror image.
static bool place(scn_relief *r, area *a, const scn_relief_form *form, bool middle) {
    area image;
    bool ok = a->quad_count > 0 && trace_border(r, a) && find_image(r, a, &image);
    for (uint32_t i = 0; ok && !middle && i < image.quad_count; ++i) {
        ok = r->marked[image.quads[i]] == 0; // the two sides must not overlap
    }
    if (ok) {
        a->radius = INFINITY;
        for (uint32_t i = 0; i < a->border_count; ++i) {
            sn_vec3 p = r->builder->vertices[a->border[i]].position;
            a->radius = fmin(a->radius, sn_vec3_distance(p, a->center));
        }
        cover(r, a);
        build(r, a, form, middle, false);
        if (!middle) {
            cover(r, &image);
            build(r, a, form, middle, true);
        }
    }
    unmark(r, a);
    return ok && !r->builder->failed;
}

bool scn_relief_around(scn_relief *r, uint32_t vertex, uint32_t reach,
                       const scn_relief_form *form) {
    area a = {.center = r->builder->vertices[vertex].position, .normal = r->normals[vertex]};
    bool ok = add_quads_of_vertex(r, &a, vertex);
    for (uint32_t i = 1; i < reach && ok; ++i) {
        ok = grow_area(r, &a);
    }
    if (!ok) {
        unmark(r, &a);
        return false;
    }
    return place(r, &a, form, r->mirror[vertex] == vertex);
}

bool scn_relief_within(scn_relief *r, sn_vec3 center, double radius, sn_vec3 normal,
                       const scn_relief_form *form) {
    area a = {.center = center, .normal = normal};
    bool ok = true;
    for (uint32_t q = 0; q < r->base_quads && ok; ++q) {
        const uint32_t *quad = r->builder->quads[q];
        sn_vec3 sum = {0, 0, 0}, facing = {0, 0, 0};
        for (int c = 0; c < 4; ++c) {
            sum = sn_vec3_add(sum, r->builder->vertices[quad[c]].position);
            facing = sn_vec3_add(facing, r->normals[quad[c]]);
        }
        sn_vec3 offset = sn_vec3_sub(sn_vec3_scale(sum, 0.25), center);
        double up = sn_vec3_dot(offset, normal);
        double aside = sn_vec3_length(sn_vec3_add_scaled(offset, -up, normal));
        if (aside < radius && fabs(up) < 2 * radius && sn_vec3_dot(facing, normal) > 0) {
            ok = add_quad(r, &a, q);
        }
    }
    if (!ok) {
        unmark(r, &a);
        return false;
    }
    return place(r, &a, form, false);
}

void scn_relief_end(scn_relief *r) {
    scn_builder *b = r->builder;
    uint32_t kept = 0;
    for (uint32_t q = 0; q < b->quad_count; ++q) {
        if (q >= r->base_quads || r->covered[q] == 0) {
            memmove(b->quads[kept++], b->quads[q], sizeof *b->quads);
        }
    }
    b->quad_count = kept;
    scn_builder_compact(b);
}
