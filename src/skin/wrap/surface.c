// SPDX-License-Identifier: Apache-2.0
#include "skin/wrap/surface.h"

#include "base/rows.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Triangles

static double side_length(const sni_wrap_surface *s, uint32_t triangle, int side) {
    const uint32_t *v = s->triangles->vertices + 3 * (size_t)triangle;
    return sn_vec3_distance(sn_vec3_load(s->positions + 3 * (size_t)v[side]),
                            sn_vec3_load(s->positions + 3 * (size_t)v[(side + 1) % 3]));
}

static void measure_triangles(sni_wrap_surface *s) {
    double sum = 0;
    uint64_t sides = 0;
    for (uint32_t t = 0; t < s->count; ++t) {
        const uint32_t *v = s->triangles->vertices + 3 * (size_t)t;
        sn_vec3 centre = {0, 0, 0};
        for (int i = 0; i < 3; ++i) {
            double length = side_length(s, t, i);
            sum += length;
            sides += length > 0;
            centre =
                sn_vec3_add_scaled(centre, 1.0 / 3, sn_vec3_load(s->positions + 3 * (size_t)v[i]));
        }
        s->centres[t] = centre;
        s->radii[t] = 0;
        for (int i = 0; i < 3; ++i) {
            sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)v[i]);
            double distance = sn_vec3_distance(centre, corner);
            s->radii[t] = distance > s->radii[t] ? distance : s->radii[t];
            memcpy(s->corners + (size_t)SNI_WRAP_CORNERS * t + 3 * i,
                   s->positions + 3 * (size_t)v[i], 3 * sizeof *s->corners);
        }
    }
    s->mean_edge = sides > 0 && sum > 0 ? sum / (double)sides : 1;
}

// Children stand behind their parents.
static void count_below(sni_wrap_surface *s) {
    for (uint32_t i = s->tree.node_count; i-- > 0;) {
        const sni_tree_node *node = &s->tree.nodes[i];
        float *counts = s->lane_triangles + (size_t)i * SNI_TREE_WIDTH;
        for (uint32_t lane = 0; lane < SNI_TREE_WIDTH; ++lane) {
            counts[lane] = lane < node->child_count ? 1 : 0;
            if (lane < node->child_count && !node->is_leaf[lane]) {
                const float *below =
                    s->lane_triangles + (size_t)node->children[lane] * SNI_TREE_WIDTH;
                counts[lane] = 0;
                for (int k = 0; k < SNI_TREE_WIDTH; ++k) {
                    counts[lane] += below[k];
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Places

// Adding 0 makes -0 into 0: they are the same place.
static uint64_t hash_place(const float *position) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; ++i) {
        float value = position[i] + 0.0f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same_place(const float *a, const float *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The place of a vertex in the table, which keeps the places' numbers plus 1.
static uint32_t find_place(sni_wrap_surface *s, uint32_t *table, size_t mask, uint32_t vertex) {
    const float *position = s->positions + 3 * (size_t)vertex;
    size_t slot = (size_t)hash_place(position) & mask;
    while (table[slot] != 0) {
        uint32_t place = table[slot] - 1;
        if (same_place(s->positions + 3 * (size_t)s->place_vertices[place], position)) {
            return place;
        }
        slot = (slot + 1) & mask;
    }
    s->place_vertices[s->place_count] = vertex;
    table[slot] = ++s->place_count;
    return s->place_count - 1;
}

static sn_status find_places(sni_wrap_surface *s, sn_error *error) {
    sn_status status = SN_OK;
    size_t corners = 3 * (size_t)s->count, size = 16;
    uint32_t *table = NULL;
    while (size < 2 * corners) {
        size *= 2;
    }
    SNI_NEW(s->context, s->places, corners);
    SNI_NEW(s->context, s->place_vertices, corners);
    SNI_NEW_ZERO(s->context, table, size);
    for (size_t i = 0; i < corners; ++i) {
        s->places[i] = find_place(s, table, size - 1, s->triangles->vertices[i]);
    }
cleanup:
    sni_free(s->context, table);
    return status;
}

// Adds the neighbours of a place that are not marked with it yet.
static void add_neighbours(sni_wrap_surface *s, uint32_t place, const uint32_t *list,
                           uint32_t count, uint32_t *marks) {
    uint32_t end = s->neighbour_offsets[place];
    marks[place] = place;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        uint32_t other = s->places[3 * (size_t)list[i / 3] + i % 3];
        if (marks[other] != place) {
            marks[other] = place;
            s->neighbour_lengths[end] =
                (float)sn_vec3_distance(sni_wrap_place(s, place), sni_wrap_place(s, other));
            s->neighbours[end++] = other;
        }
    }
    s->neighbour_offsets[place + 1] = end;
}

static sn_status join_places(sni_wrap_surface *s, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *offsets = NULL, *list = NULL, *marks = NULL; // the triangles at each place
    size_t corners = 3 * (size_t)s->count;
    SNI_NEW(s->context, offsets, (size_t)s->place_count + 1);
    SNI_NEW(s->context, list, corners);
    SNI_NEW(s->context, marks, s->place_count);
    SNI_NEW(s->context, s->neighbour_offsets, (size_t)s->place_count + 1);
    SNI_NEW(s->context, s->neighbours, 2 * corners);
    SNI_NEW(s->context, s->neighbour_lengths, 2 * corners);
    sni_rows_from_keys(s->places, s->count, 3, s->place_count, offsets, list);
    memset(marks, 0xff, s->place_count * sizeof *marks);
    s->neighbour_offsets[0] = 0;
    for (uint32_t place = 0; place < s->place_count; ++place) {
        uint32_t first = offsets[place];
        add_neighbours(s, place, list + first, offsets[place + 1] - first, marks);
    }
cleanup:
    sni_free(s->context, offsets);
    sni_free(s->context, list);
    sni_free(s->context, marks);
    return status;
}

static sn_status find_components(sni_wrap_surface *s, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *queue = NULL;
    SNI_NEW(s->context, queue, s->place_count);
    SNI_NEW(s->context, s->components, s->place_count);
    memset(s->components, 0xff, s->place_count * sizeof *s->components);
    for (uint32_t seed = 0; seed < s->place_count; ++seed) {
        uint32_t end = 0;
        if (s->components[seed] == SN_NONE) {
            s->components[seed] = seed;
            queue[end++] = seed;
        }
        for (uint32_t next = 0; next < end; ++next) {
            uint32_t place = queue[next];
            for (uint32_t i = s->neighbour_offsets[place]; i < s->neighbour_offsets[place + 1];
                 ++i) {
                if (s->components[s->neighbours[i]] == SN_NONE) {
                    s->components[s->neighbours[i]] = seed;
                    queue[end++] = s->neighbours[i];
                }
            }
        }
    }
cleanup:
    sni_free(s->context, queue);
    return status;
}

// ---------------------------------------------------------------------------------------------

sn_status sni_wrap_surface_init(sn_context *context, const sn_mesh *driver,
                                sni_wrap_surface *surface, sn_error *error) {
    sn_status status = SN_OK;
    sni_wrap_surface *s = surface;
    *s = (sni_wrap_surface){
        .context = context, .vertex_count = driver->vertex_count, .positions = driver->positions};
    SN_TRY(sn_triangles_create(driver, driver->positions, &s->triangles, error));
    s->count = s->triangles->count;
    if (s->count == 0 || s->count > UINT32_MAX / 6) {
        status = sni_fail(error, SN_INVALID, "the driver mesh \"%s\" has %u triangles",
                          driver->name, s->count);
        goto cleanup;
    }
    SN_TRY(sni_tree_init(&s->tree, context, s->positions, s->triangles->vertices, s->count, error));
    SNI_NEW(context, s->lane_triangles, (size_t)s->tree.node_count * SNI_TREE_WIDTH);
    count_below(s);
    SNI_NEW(context, s->centres, s->count);
    SNI_NEW(context, s->radii, s->count);
    SNI_NEW_ZERO(context, s->corners, (size_t)SNI_WRAP_CORNERS * s->count);
    measure_triangles(s);
    SN_TRY(find_places(s, error));
    SN_TRY(join_places(s, error));
    SN_TRY(find_components(s, error));
    return SN_OK;
cleanup:
    sni_wrap_surface_deinit(s);
    return status;
}

void sni_wrap_surface_deinit(sni_wrap_surface *surface) {
    sni_wrap_surface *s = surface;
    if (s->context == NULL) {
        return;
    }
    sn_triangles_destroy(s->triangles);
    s->tree.context = s->context;
    sni_tree_deinit(&s->tree);
    sni_free(s->context, s->lane_triangles);
    sni_free(s->context, s->centres);
    sni_free(s->context, s->radii);
    sni_free(s->context, s->corners);
    sni_free(s->context, s->places);
    sni_free(s->context, s->place_vertices);
    sni_free(s->context, s->neighbour_offsets);
    sni_free(s->context, s->neighbours);
    sni_free(s->context, s->neighbour_lengths);
    sni_free(s->context, s->components);
    *s = (sni_wrap_surface){0};
}
