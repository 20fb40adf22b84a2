// SPDX-License-Identifier: Apache-2.0
//
// Holes through a body on a grid, and what closes them.
//
// The body is the set S of nodes above a level: those of the centred lattice that isosurfaces are
// cut on, with the edges, triangles and tetrahedra between them, which has the holes that the
// surface has (H. Edelsbrunner and J. Harer, Computational Topology, 2010). Closing it by a box of
// r nodes to each side (S grown by the box and shrunk again) fills gaps up to 2 r nodes wide:
// holes, but also the gaps between fingers and thighs. The Euler characteristic tells them apart:
//
//     chi = pieces - holes + hollows
//
// What is filled falls into pieces, and only those are kept with which chi becomes larger: one that
// closes a hole adds 1, a web between two fingers nothing, a bridge to something that is near takes
// 1. One that seals a pit adds 1, too: no skin follows its inside. Small boxes come first, and what
// a plug does not need to close its hole is taken away again.
#include "geometry/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct body {
    sn_context *context;
    int32_t size[3]; // nodes, with some beyond each side that are never filled
    size_t count;    // of all nodes
    uint8_t *inside; // count: 1 in the body, plugs included
    uint8_t *closed; // count: scratch of a closing
    uint8_t *plug;   // count: 1 in a plug that is kept
    size_t *queue;   // count: nodes of one piece
    float *field;    // count: the density
} body;

typedef struct plug_node {
    float field;
    size_t node;
} plug_node;

static size_t index_of(const body *b, int32_t x, int32_t y, int32_t z) {
    return ((size_t)z * (size_t)b->size[1] + (size_t)y) * (size_t)b->size[0] + (size_t)x;
}

static size_t stride_of(const body *b, int axis) {
    return axis == 0 ? 1 : axis == 1 ? (size_t)b->size[0] : (size_t)b->size[0] * (size_t)b->size[1];
}

// Whether the numbers of a node are all even or all odd.
static bool is_on_lattice(const body *b, size_t node) {
    size_t x = node % (size_t)b->size[0], y = node / (size_t)b->size[0] % (size_t)b->size[1];
    size_t z = node / ((size_t)b->size[0] * (size_t)b->size[1]);
    return (x & 1) == (y & 1) && (x & 1) == (z & 1);
}

// --- Closing

// Along one row: a node becomes `value` where one within `reach` of it has it. `last` is the place
// of the latest one that had it before the row was changed.
static void spread_row(uint8_t *row, size_t stride, int32_t count, int32_t reach, uint8_t value,
                       uint8_t *scratch) {
    int32_t next = -1, last = -reach - 1; // next: the first at or behind a node
    for (int32_t i = 0; i < count; ++i) {
        scratch[i] = row[(size_t)i * stride];
    }
    for (int32_t i = 0; i < count; ++i) {
        next = next < i ? i : next;
        while (next < count && scratch[next] != value) {
            ++next;
        }
        last = scratch[i] == value ? i : last;
        if (i - last <= reach || (next < count && next - i <= reach)) {
            row[(size_t)i * stride] = value;
        }
    }
}

static void spread(const body *b, int32_t reach, uint8_t value, uint8_t *scratch) {
    for (int axis = 0; axis < 3; ++axis) {
        int one = (axis + 1) % 3, other = (axis + 2) % 3;
        for (int32_t i = 0; i < b->size[one]; ++i) {
            for (int32_t k = 0; k < b->size[other]; ++k) {
                size_t first = (size_t)i * stride_of(b, one) + (size_t)k * stride_of(b, other);
                spread_row(b->closed + first, stride_of(b, axis), b->size[axis], reach, value,
                           scratch);
            }
        }
    }
}

// --- Euler characteristic

// The neighbours of a node in the centred lattice: eight along the diagonals of a cube, numbered by
// the bits of their signs, then six along the axes.
static ptrdiff_t neighbour(const body *b, int number) {
    ptrdiff_t away = 0;
    if (number >= 8) {
        return (ptrdiff_t)stride_of(b, (number - 8) / 2) * (number % 2 != 0 ? 2 : -2);
    }
    for (int axis = 0; axis < 3; ++axis) {
        away += (ptrdiff_t)stride_of(b, axis) * ((number >> axis & 1) != 0 ? 1 : -1);
    }
    return away;
}

// How much chi grows when a node is added to the complex of all nodes inside, with the edges,
// triangles and tetrahedra between them: 1 - chi of those of its neighbours that are inside. Their
// edges join diagonals that differ in one sign, and an axis with the four diagonals of its sign;
// their triangles are an axis with two such diagonals.
static int gain_of(const body *b, size_t node) {
    bool in[14];
    int chi = 0;
    for (int i = 0; i < 14; ++i) {
        in[i] = b->inside[(size_t)((ptrdiff_t)node + neighbour(b, i))] != 0;
        chi += in[i];
    }
    for (int i = 0; i < 8; ++i) {
        for (int axis = 0; axis < 3 && in[i]; ++axis) {
            int own = 8 + 2 * axis + (i >> axis & 1), twin = i ^ 1 << axis;
            chi -= in[own];
            chi -= twin > i && in[twin];
            for (int other = 0; other < 3; ++other) {
                int next = i ^ 1 << other; // beside it on the same side of the axis
                chi += other != axis && next > i && in[next] && in[own];
            }
        }
    }
    return 1 - chi;
}

// --- Plugs

// A closing has filled pieces: collects the one that a node belongs to, and takes its nodes out of
// the closing.
static size_t collect_piece(body *b, size_t node) {
    size_t count = 0;
    b->queue[count++] = node;
    b->closed[node] = 0;
    for (size_t i = 0; i < count; ++i) {
        for (int side = 0; side < 14; ++side) {
            size_t next = (size_t)((ptrdiff_t)b->queue[i] + neighbour(b, side));
            if (b->closed[next] != 0 && b->inside[next] == 0) {
                b->closed[next] = 0;
                b->queue[count++] = next;
            }
        }
    }
    return count;
}

static int by_field(const void *one, const void *other) {
    const plug_node *a = one, *b = other;
    return a->field != b->field ? (a->field < b->field ? -1 : 1)
                                : (a->node > b->node) - (a->node < b->node);
}

// Thins a plug: takes away, those of least density first, all nodes without which chi is the same.
// What is left is a sheet across each hole, and nothing of a web that hangs on it.
static sn_status thin_plug(body *b, size_t count, sn_error *error) {
    plug_node *nodes = sni_alloc(b->context, count, sizeof *nodes);
    if (nodes == NULL) {
        return sni_fail_memory(error);
    }
    for (size_t i = 0; i < count; ++i) {
        nodes[i] = (plug_node){b->field[b->queue[i]], b->queue[i]};
    }
    qsort(nodes, count, sizeof *nodes, by_field);
    for (bool changed = true; changed;) {
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i) {
            size_t node = nodes[i].node;
            b->inside[node] = 0;
            if (gain_of(b, node) != 0) {
                b->inside[node] = 1;
                nodes[kept++] = nodes[i];
            } else {
                b->plug[node] = 0;
            }
        }
        changed = kept < count;
        count = kept;
    }
    sni_free(b->context, nodes);
    return SN_OK;
}

// Keeps a piece if it closes holes. Returns how many.
static int try_piece(body *b, size_t count) {
    int gain = 0;
    for (size_t i = 0; i < count; ++i) {
        gain += gain_of(b, b->queue[i]);
        b->inside[b->queue[i]] = 1;
    }
    for (size_t i = 0; i < count; ++i) {
        b->inside[b->queue[i]] = gain > 0;
        b->plug[b->queue[i]] = gain > 0;
    }
    return gain > 0 ? gain : 0;
}

static sn_status close_by(body *b, int32_t reach, uint8_t *scratch, uint32_t *holes,
                          sn_error *error) {
    sn_status status = SN_OK;
    memcpy(b->closed, b->inside, b->count);
    spread(b, reach, 1, scratch);
    spread(b, reach, 0, scratch);
    for (size_t i = 0; i < b->count && status == SN_OK; ++i) {
        if (b->closed[i] != 0 && b->inside[i] == 0 && is_on_lattice(b, i)) {
            size_t count = collect_piece(b, i);
            int closed = try_piece(b, count);
            *holes += (uint32_t)closed;
            status = closed > 0 ? thin_plug(b, count, error) : SN_OK;
        }
    }
    return status;
}

// --- From and to bricks

// An even number of nodes, so that even ones stay even.
static int32_t margin_of(int32_t reach) {
    return 2 * ((reach + 4) / 2);
}

static sn_status make_body(const sni_bricks *field, double level, int32_t reach, body *b,
                           sn_error *error) {
    double values[SNI_BRICK_NODES], count = 1;
    sn_status status = SN_OK;
    b->context = field->context;
    // As far beyond the grid as a box reaches, so that growing and shrinking meet no end.
    for (int axis = 0; axis < 3; ++axis) {
        b->size[axis] = (int32_t)(field->counts[axis] * SNI_BRICK) + 2 * margin_of(reach);
        count *= b->size[axis];
    }
    SN_TRY(sni_check_room(b->context, count * (3 + sizeof *b->queue + sizeof *b->field),
                          "closing holes", error));
    b->count = (size_t)count;
    SNI_NEW_ZERO(b->context, b->inside, b->count);
    SNI_NEW(b->context, b->closed, b->count);
    SNI_NEW_ZERO(b->context, b->plug, b->count);
    SNI_NEW(b->context, b->queue, b->count);
    SNI_NEW_ZERO(b->context, b->field, b->count);
    for (uint32_t i = 0; i < field->brick_count; ++i) {
        const int32_t begin[3] = {(int32_t)(i % field->counts[0]) * SNI_BRICK,
                                  (int32_t)(i / field->counts[0] % field->counts[1]) * SNI_BRICK,
                                  (int32_t)(i / field->counts[0] / field->counts[1]) * SNI_BRICK};
        const int32_t size[3] = {SNI_BRICK, SNI_BRICK, SNI_BRICK};
        sni_bricks_read(field, begin, size, values);
        for (int32_t k = 0; k < SNI_BRICK_NODES; ++k) {
            size_t node = index_of(b, begin[0] + k % 8 + margin_of(reach),
                                   begin[1] + k / 8 % 8 + margin_of(reach),
                                   begin[2] + k / 64 + margin_of(reach));
            b->inside[node] = values[k] > level;
            b->field[node] = (float)values[k];
        }
    }
cleanup:
    return status;
}

static void free_body(body *b) {
    sni_free(b->context, b->inside);
    sni_free(b->context, b->closed);
    sni_free(b->context, b->plug);
    sni_free(b->context, b->queue);
    sni_free(b->context, b->field);
}

// The plugs, in `closed`, as a grid of ones.
static sn_status make_plugs(const body *b, const sni_bricks *field, int32_t reach,
                            sni_bricks **plugs, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_bricks_create(field->context, &field->grid, 0, plugs, error));
    for (uint32_t i = 0; i < field->brick_count; ++i) {
        const int32_t begin[3] = {
            (int32_t)(i % field->counts[0]) * SNI_BRICK + margin_of(reach),
            (int32_t)(i / field->counts[0] % field->counts[1]) * SNI_BRICK + margin_of(reach),
            (int32_t)(i / field->counts[0] / field->counts[1]) * SNI_BRICK + margin_of(reach)};
        float ones[SNI_BRICK_NODES];
        bool any = false;
        for (int32_t k = 0; k < SNI_BRICK_NODES; ++k) {
            ones[k] =
                b->closed[index_of(b, begin[0] + k % 8, begin[1] + k / 8 % 8, begin[2] + k / 64)];
            any = any || ones[k] > 0;
        }
        if (any) {
            SNI_NEW((*plugs)->context, (*plugs)->chunks[i], SNI_BRICK_NODES);
            (*plugs)->dense[i] = (*plugs)->chunks[i];
            memcpy((*plugs)->dense[i], ones, sizeof ones);
        }
    }
cleanup:
    return status;
}

// The factor by which the smoothed plugs are multiplied, so that every node of a plug reaches a
// density.
static double strength_of(const sni_bricks *plugs, const sni_bricks *smoothed,
                          const sni_bricks *field, double filled) {
    double strength = 0;
    for (uint32_t i = 0; i < plugs->brick_count; ++i) {
        for (int k = 0; plugs->dense[i] != NULL && k < SNI_BRICK_NODES; ++k) {
            double f = field->dense[i] != NULL ? field->dense[i][k] : field->uniform[i];
            double g = smoothed->dense[i] != NULL ? smoothed->dense[i][k] : smoothed->uniform[i];
            if (plugs->dense[i][k] > 0 && g > 0) {
                strength = fmax(strength, (filled - f) / g);
            }
        }
    }
    return strength;
}

static void multiply(sni_bricks *bricks, double factor) {
    for (uint32_t i = 0; i < bricks->brick_count; ++i) {
        bricks->uniform[i] = (float)(factor * bricks->uniform[i]);
        for (int k = 0; bricks->dense[i] != NULL && k < SNI_BRICK_NODES; ++k) {
            bricks->dense[i][k] = (float)(factor * bricks->dense[i][k]);
        }
    }
}

sn_status sni_density_close(const sni_bricks *field, double level, double filled, uint32_t width,
                            double sigma, const sn_progress *progress, sni_bricks **closed,
                            uint32_t *holes, sn_error *error) {
    int32_t most = (int32_t)((width + 1) / 2);
    body b = {0};
    sni_bricks *plugs = NULL, *smoothed = NULL;
    uint8_t *scratch = NULL;
    sn_status status = SN_OK;
    *closed = NULL;
    *holes = 0;
    SN_TRY(make_body(field, level, most, &b, error));
    SNI_NEW(b.context, scratch, (size_t)fmax(b.size[0], fmax(b.size[1], b.size[2])));
    for (int32_t reach = 1; reach <= most; ++reach) {
        SN_TRY(close_by(&b, reach, scratch, holes, error));
    }
    if (*holes > 0) {
        // A sheet of the lattice and all nodes between its own.
        memcpy(b.closed, b.plug, b.count);
        spread(&b, 1, 1, scratch);
        SN_TRY(make_plugs(&b, field, most, &plugs, error));
        SN_TRY(sni_density_filter(plugs, sigma, progress, &smoothed, error));
        multiply(smoothed, strength_of(plugs, smoothed, field, filled));
        SN_TRY(sni_density_add(field, smoothed, closed, error));
    }
cleanup:
    sni_free(b.context, scratch);
    sni_bricks_destroy(plugs);
    sni_bricks_destroy(smoothed);
    free_body(&b);
    return status;
}
