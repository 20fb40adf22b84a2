// SPDX-License-Identifier: Apache-2.0
//
// The order in which vertices lie in memory: tile after tile, in each those together whose rounds
// the same tiles make (membrane_internal.h).
#include "solver/membrane_internal.h"

#include <stdlib.h>
#include <string.h>

// Vertices that are sorted by their number of neighbours among themselves: large enough that few
// slices mix numbers, small enough that they stay near each other.
enum { WINDOW = 256 };
// Vertices that are near enough to each other to stay in any order.
enum { NEAR = 32 };
// Vertices of a block: some hundred microseconds.
enum { WAY_GRAIN = 4096 };
// Tiles are given up when more places than this part of the vertices would stay empty.
static const double most_empty = 1.0 / 16;

// A vertex and where it lies.
typedef struct vertex_point {
    float at[3];
    uint32_t vertex;
} vertex_point;

// A vertex and the way it goes through tiles.
typedef struct vertex_way {
    uint64_t way;
    uint32_t index; // in the order of points
    uint32_t vertex;
} vertex_way;

// Vertices on their way into tiles.
typedef struct tiling {
    sn_context *context;
    const sni_membrane_springs *springs;
    uint32_t vertex_count, tile_count;
    vertex_point *points; // vertex_count: tile after tile
    vertex_way *ways;     // vertex_count: the same, by way in each tile
    uint32_t *tiles;      // vertex_count: the tile of each vertex
    uint32_t *colors;     // tile_count
    uint32_t *ranks;      // tile_count: the order in which tiles run
    uint32_t *labels;     // vertex_count: the rank of the tile that makes a round
    uint32_t *earlier;    // the same for the round before
} tiling;

static sn_status tiling_alloc(sn_context *context, tiling *t, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(context, t->points, t->vertex_count);
    SNI_NEW(context, t->ways, t->vertex_count);
    SNI_NEW(context, t->tiles, t->vertex_count);
    SNI_NEW(context, t->labels, t->vertex_count);
    SNI_NEW(context, t->earlier, t->vertex_count);
    SNI_NEW(context, t->colors, t->tile_count);
    SNI_NEW(context, t->ranks, t->tile_count);
cleanup:
    return status;
}

static void tiling_free(sn_context *context, tiling *t) {
    sni_free(context, t->points);
    sni_free(context, t->ways);
    sni_free(context, t->tiles);
    sni_free(context, t->labels);
    sni_free(context, t->earlier);
    sni_free(context, t->colors);
    sni_free(context, t->ranks);
}

// Where a tile begins among the points.
static uint32_t tile_begin(const tiling *t, uint32_t tile) {
    return (uint32_t)((uint64_t)t->vertex_count * tile / t->tile_count);
}

static bool is_before(const vertex_point *a, const vertex_point *b, int axis) {
    return a->at[axis] != b->at[axis] ? a->at[axis] < b->at[axis] : a->vertex < b->vertex;
}

static void swap_points(vertex_point *a, vertex_point *b) {
    vertex_point c = *a;
    *a = *b;
    *b = c;
}

// Hoare's selection: puts the `middle` first ones along an axis first.
static void split(vertex_point *points, uint32_t count, uint32_t middle, int axis) {
    int64_t low = 0, high = (int64_t)count - 1; // what may be on the wrong side
    while (low < high) {
        vertex_point pivot = points[low + (high - low) / 2];
        int64_t i = low, k = high;
        while (i <= k) {
            if (is_before(&points[i], &pivot, axis)) {
                ++i;
            } else if (is_before(&pivot, &points[k], axis)) {
                --k;
            } else {
                swap_points(&points[i++], &points[k--]);
            }
        }
        // Up to k nothing is behind the pivot, from i on nothing before it.
        if (middle <= k) {
            high = k;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_axis(const vertex_point *points, uint32_t count) {
    float low[3], high[3];
    memcpy(low, points->at, sizeof low);
    memcpy(high, points->at, sizeof high);
    for (uint32_t i = 1; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = points[i].at[k] < low[k] ? points[i].at[k] : low[k];
            high[k] = points[i].at[k] > high[k] ? points[i].at[k] : high[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    }
    return axis;
}

// Cuts points across their longest side.
static void cut(tiling *t, uint32_t begin, uint32_t middle, uint32_t end) {
    vertex_point *points = t->points + begin;
    split(points, end - begin, middle - begin, longest_axis(points, end - begin));
}

// Cuts the points of tiles between them, until each tile has its own.
static void part_tiles(tiling *t, uint32_t tile, uint32_t tile_count) {
    if (tile_count > 1) {
        uint32_t half = tile_count / 2;
        cut(t, tile_begin(t, tile), tile_begin(t, tile + half), tile_begin(t, tile + tile_count));
        part_tiles(t, tile, half);
        part_tiles(t, tile + half, tile_count - half);
    }
}

// Cuts the points of one tile in halves until they are near each other.
static void bisect(tiling *t, uint32_t begin, uint32_t end) {
    if (end - begin > NEAR) {
        uint32_t middle = begin + (end - begin) / 2;
        cut(t, begin, middle, end);
        bisect(t, begin, middle);
        bisect(t, middle, end);
    }
}

static void tile_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    tiling *t = user;
    for (uint32_t tile = begin; tile < end; ++tile) {
        bisect(t, tile_begin(t, tile), tile_begin(t, tile + 1));
        for (uint32_t i = tile_begin(t, tile); i < tile_begin(t, tile + 1); ++i) {
            t->tiles[t->points[i].vertex] = tile;
        }
    }
}

static void cut_tiles(tiling *t, const sni_membrane_desc *desc) {
    for (uint32_t v = 0; v < t->vertex_count; ++v) {
        memcpy(t->points[v].at, desc->positions + 3 * (size_t)v, sizeof t->points[v].at);
        t->points[v].vertex = v;
    }
    part_tiles(t, 0, t->tile_count);
    sn_parallel_for(t->context, t->tile_count, 1, tile_block, t);
}

// The lowest colour that no earlier tile beside this one has. `users`: the last tile that met each
// colour.
static uint32_t choose_color(const tiling *t, uint32_t *users, uint32_t tile) {
    for (uint32_t i = tile_begin(t, tile); i < tile_begin(t, tile + 1); ++i) {
        uint32_t v = t->points[i].vertex;
        for (uint32_t k = t->springs->offsets[v]; k < t->springs->offsets[v + 1]; ++k) {
            uint32_t other = t->tiles[t->springs->neighbours[k]];
            if (other < tile) {
                users[t->colors[other]] = tile;
            }
        }
    }
    uint32_t color = 0;
    while (users[color] == tile) {
        color++;
    }
    return color;
}

// Tiles run colour by colour, so that many can run at once.
static void rank_tiles(tiling *t) {
    uint32_t rank = 0;
    memset(t->ranks, 0xff, t->tile_count * sizeof *t->ranks);
    for (uint32_t tile = 0; tile < t->tile_count; ++tile) {
        t->colors[tile] = choose_color(t, t->ranks, tile);
    }
    for (uint32_t color = 0; rank < t->tile_count; ++color) {
        for (uint32_t tile = 0; tile < t->tile_count; ++tile) {
            if (t->colors[tile] == color) {
                t->ranks[tile] = rank++;
            }
        }
    }
}

// The way of a vertex: the tiles that make its rounds, as one number. Ways that share a number by
// chance would share slices, which the schedule sees.
static uint64_t lengthen(uint64_t way, uint32_t label) {
    return (way ^ label) * 0x9e3779b97f4a7c15u;
}

static uint32_t last_label_around(const tiling *t, uint32_t v) {
    uint32_t last = t->earlier[v];
    for (uint32_t k = t->springs->offsets[v]; k < t->springs->offsets[v + 1]; ++k) {
        uint32_t label = t->earlier[t->springs->neighbours[k]];
        last = label > last ? label : last;
    }
    return last;
}

static void way_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const tiling *t = user;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t v = t->ways[i].vertex;
        t->labels[v] = last_label_around(t, v);
        t->ways[i].way = lengthen(t->ways[i].way, t->labels[v]);
    }
}

static void find_ways(tiling *t) {
    for (uint32_t i = 0; i < t->vertex_count; ++i) {
        uint32_t v = t->points[i].vertex;
        t->labels[v] = t->ranks[t->tiles[v]];
        t->ways[i] = (vertex_way){.index = i, .vertex = v};
    }
    for (int round = 1; round < SNI_MEMBRANE_DEPTH && t->tile_count > 1; ++round) {
        memcpy(t->earlier, t->labels, t->vertex_count * sizeof *t->labels);
        sn_parallel_for(t->context, t->vertex_count, WAY_GRAIN, way_block, t);
    }
}

static int compare_ways(const void *a, const void *b) {
    const vertex_way *first = a, *second = b;
    if (first->way != second->way) {
        return first->way < second->way ? -1 : 1;
    }
    return first->index < second->index ? -1 : 1;
}

static void sort_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const tiling *t = user;
    for (uint32_t tile = begin; tile < end; ++tile) {
        uint32_t first = tile_begin(t, tile);
        qsort(t->ways + first, tile_begin(t, tile + 1) - first, sizeof *t->ways, compare_ways);
    }
}

// Whether a vertex begins a slice of its own: another tile or another way.
static bool begins_way(const tiling *t, uint32_t i) {
    return i == 0 || t->tiles[t->ways[i].vertex] != t->tiles[t->ways[i - 1].vertex] ||
           t->ways[i].way != t->ways[i - 1].way;
}

static uint32_t whole_slices(uint32_t places) {
    return (places + SNI_WIDTH - 1) / SNI_WIDTH * SNI_WIDTH;
}

static uint32_t count_places(const tiling *t) {
    uint32_t places = 0;
    for (uint32_t i = 0; i < t->vertex_count; ++i) {
        places = (begins_way(t, i) ? whole_slices(places) : places) + 1;
    }
    return whole_slices(places);
}

// Sorts a window by falling number of neighbours, keeping the order of equals.
static void sort_window(const sni_membrane_springs *springs, uint32_t *order, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t vertex = order[i], degree = sni_membrane_degree(springs, vertex), k = i;
        for (; k > 0 && sni_membrane_degree(springs, order[k - 1]) < degree; --k) {
            order[k] = order[k - 1];
        }
        order[k] = vertex;
    }
}

static void fill_order(const tiling *t, uint32_t place_count, uint32_t *order, uint32_t *ranks) {
    uint32_t place = 0, window = 0; // where it began
    memset(order, 0xff, place_count * sizeof *order);
    for (uint32_t i = 0; i < t->vertex_count; ++i) {
        bool apart = begins_way(t, i);
        if (apart || place - window == WINDOW) {
            sort_window(t->springs, order + window, place - window);
            window = place = apart ? whole_slices(place) : place;
        }
        uint32_t v = t->ways[i].vertex;
        ranks[place / SNI_WIDTH] = t->ranks[t->tiles[v]];
        order[place++] = v;
    }
    sort_window(t->springs, order + window, place - window);
}

// Returns the number of places.
static uint32_t arrange(tiling *t, const sni_membrane_desc *desc) {
    cut_tiles(t, desc);
    rank_tiles(t);
    find_ways(t);
    sn_parallel_for(t->context, t->tile_count, 1, sort_block, t);
    return count_places(t);
}

sn_status sni_membrane_order_make(sni_membrane *m, const sni_membrane_desc *desc,
                                  const sni_membrane_springs *springs, uint32_t **ranks,
                                  sn_error *error) {
    uint32_t count = desc->vertex_count, tiles = count / SNI_MEMBRANE_TILE;
    tiling t = {.context = m->context,
                .springs = springs,
                .vertex_count = count,
                .tile_count = tiles > 1 ? tiles : 1};
    sn_status status = SN_OK;
    SN_TRY(tiling_alloc(m->context, &t, error));
    uint32_t place_count = arrange(&t, desc);
    if (t.tile_count > 1 && place_count - count > most_empty * count) {
        t.tile_count = 1;
        place_count = arrange(&t, desc);
    }
    m->schedule.tile_count = t.tile_count;
    m->slice_count = place_count / SNI_WIDTH;
    SNI_NEW(m->context, m->order, place_count);
    SNI_NEW(m->context, *ranks, m->slice_count);
    fill_order(&t, place_count, m->order, *ranks);
cleanup:
    tiling_free(m->context, &t);
    return status;
}
