// SPDX-License-Identifier: Apache-2.0
#include "geometry/winding.h"

#include "base/memory.h"
#include "geometry/triangle.h"

#include <stdlib.h>

// Triangles of a leaf, whose solid angles are computed one by one.
enum { LEAF = 8, DEEPEST = 64 };

// A cluster counts as a dipole from this many of its radii on; all together they then are off by
// some hundredths at most.
static const double far_away = 3;

typedef struct node {
    sn_vec3 center; // mean of its triangles' centres by area
    sn_vec3 area;   // sum of areas times normals
    double radius;  // of a ball around the centre that holds all vertices
    uint32_t begin, end;
    uint32_t second; // its second child; the first is the next node; 0: a leaf
} node;

typedef struct item {
    double key;
    uint32_t triangle;
} item;

struct sni_winding {
    sn_context *context;
    uint32_t node_count;
    node *nodes;
    sn_vec3 *corners; // of triangles in the order of the leaves, x 3
};

typedef struct builder {
    sni_winding *winding;
    const float *positions;
    const uint32_t *vertices;
    item *items;
} builder;

static int compare_items(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static void corners_of(const builder *b, uint32_t triangle, sn_vec3 corners[3]) {
    sni_triangle_corners(b->positions, b->vertices + 3 * (size_t)triangle, corners);
}

static sn_vec3 middle_of(const sn_vec3 corners[3]) {
    return sn_vec3_scale(sn_vec3_add(corners[0], sn_vec3_add(corners[1], corners[2])), 1.0 / 3);
}

// Sums over the triangles of a node; the largest extent of their middles is along `axis`.
static void measure(const builder *b, node *n, int *axis) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    sn_vec3 weighted = {0, 0, 0}, plain = {0, 0, 0}, corners[3];
    double area = 0;
    n->area = sn_vec3_make(0, 0, 0);
    for (uint32_t i = n->begin; i < n->end; ++i) {
        corners_of(b, b->items[i].triangle, corners);
        sn_vec3 middle = middle_of(corners);
        sn_vec3 vector =
            sn_vec3_scale(sni_triangle_vector(corners[0], corners[1], corners[2]), 0.5);
        double size = sn_vec3_length(vector);
        low = sn_vec3_min(low, middle);
        high = sn_vec3_max(high, middle);
        n->area = sn_vec3_add(n->area, vector);
        weighted = sn_vec3_add_scaled(weighted, size, middle);
        plain = sn_vec3_add(plain, middle);
        area += size;
    }
    n->center = area > 0 ? sn_vec3_scale(weighted, 1 / area)
                         : sn_vec3_scale(plain, 1.0 / (n->end - n->begin));
    n->radius = 0;
    for (uint32_t i = n->begin; i < n->end; ++i) {
        corners_of(b, b->items[i].triangle, corners);
        for (int k = 0; k < 3; ++k) {
            n->radius = fmax(n->radius, sn_vec3_distance(corners[k], n->center));
        }
    }
    sn_vec3 size = sn_vec3_sub(high, low);
    *axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

// Halves of equal number, by the middles along the longest side: the depth is that of the
// logarithm.
static uint32_t build(const builder *b, uint32_t begin, uint32_t end) {
    uint32_t number = b->winding->node_count++;
    node made = {.begin = begin, .end = end};
    int axis;
    measure(b, &made, &axis);
    if (end - begin > LEAF) {
        for (uint32_t i = begin; i < end; ++i) {
            sn_vec3 corners[3];
            corners_of(b, b->items[i].triangle, corners);
            sn_vec3 middle = middle_of(corners);
            b->items[i].key = axis == 0 ? middle.x : axis == 1 ? middle.y : middle.z;
        }
        qsort(b->items + begin, end - begin, sizeof *b->items, compare_items);
        uint32_t half = begin + (end - begin) / 2;
        build(b, begin, half);
        made.second = build(b, half, end);
    }
    b->winding->nodes[number] = made;
    return number;
}

sn_status sni_winding_create(sn_context *context, const float *positions, const uint32_t *vertices,
                             uint32_t triangle_count, sni_winding **winding, sn_error *error) {
    sni_winding *made = NULL;
    builder b = {.positions = positions, .vertices = vertices};
    sn_status status = SN_OK;
    *winding = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    // A leaf holds more than half of LEAF triangles, but for a single one.
    SNI_NEW(context, made->nodes, 2 * ((size_t)triangle_count / (LEAF / 2) + 1));
    SNI_NEW(context, made->corners, 3 * (size_t)triangle_count);
    SNI_NEW(context, b.items, triangle_count);
    b.winding = made;
    for (uint32_t i = 0; i < triangle_count; ++i) {
        b.items[i].triangle = i;
    }
    if (triangle_count > 0) {
        build(&b, 0, triangle_count);
    }
    for (uint32_t i = 0; i < triangle_count; ++i) {
        corners_of(&b, b.items[i].triangle, made->corners + 3 * (size_t)i);
    }
    *winding = made;
    made = NULL;
cleanup:
    sni_free(context, b.items);
    sni_winding_destroy(made);
    return status;
}

void sni_winding_destroy(sni_winding *winding) {
    if (winding != NULL) {
        sni_free(winding->context, winding->nodes);
        sni_free(winding->context, winding->corners);
        sni_free(winding->context, winding);
    }
}

// Half the solid angle of a triangle (van Oosterom and Strackee 1983):
//
//     tan(Omega / 2) = a . (b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)
static double half_angle(const sn_vec3 corners[3], sn_vec3 point) {
    sn_vec3 a = sn_vec3_sub(corners[0], point), b = sn_vec3_sub(corners[1], point),
            c = sn_vec3_sub(corners[2], point);
    double la = sn_vec3_length(a), lb = sn_vec3_length(b), lc = sn_vec3_length(c);
    double above = sn_vec3_dot(a, sn_vec3_cross(b, c));
    double below =
        la * lb * lc + sn_vec3_dot(a, b) * lc + sn_vec3_dot(b, c) * la + sn_vec3_dot(c, a) * lb;
    return atan2(above, below);
}

double sni_winding_at(const sni_winding *winding, sn_vec3 point) {
    uint32_t stack[DEEPEST], depth = 0;
    double sum = 0; // of solid angles
    if (winding->node_count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        uint32_t number = stack[--depth];
        const node *n = &winding->nodes[number];
        sn_vec3 way = sn_vec3_sub(n->center, point);
        double distance = sn_vec3_length(way);
        if (distance > far_away * n->radius) {
            sum += sn_vec3_dot(way, n->area) / (distance * distance * distance);
        } else if (n->second != 0) {
            stack[depth++] = n->second;
            stack[depth++] = number + 1;
        } else {
            for (size_t i = n->begin; i < n->end; ++i) {
                sum += 2 * half_angle(winding->corners + 3 * i, point);
            }
        }
    }
    return sum / (4 * SN_PI);
}
