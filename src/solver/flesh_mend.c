// SPDX-License-Identifier: Apache-2.0
//
// Flesh that is inside out after the rounds. A prism whose rods stand along the normals of a skin
// that is not folded there is the right way round as long as they are short beside its curvature:
// its middle is then nearly the skin's triangle. So first the rods of a bad prism are laid along
// the normals, and where that does not do, its skin is folded, and is drawn out.
#include "solver/flesh_internal.h"

#include "base/context.h"
#include "sinew/vector.h"

#include <math.h>

// A prism is bad below this part of its volume at rest.
static const double least_volume = 0.03;
// Passes over what is bad; from the second part on the skin moves, too, and rods become shorter
// than their limit from pass to pass.
enum { PASSES = 28, ROD_PASSES = 3, SKIN_PASSES = 8, RING_PASSES = 16 };
static const double shortened = 0.8, least_rod = 0.02;
// How far a point of folded skin goes to the middle of its neighbours in a pass.
static const double drawn = 0.5;

typedef struct mending {
    const sni_columns *columns;
    sni_columns_state *state;
    uint8_t *bad;   // group_count x SNI_WIDTH: triangles
    uint32_t *list; // those that are bad
    uint32_t count;
} mending;

static sn_vec3 point_at(const float *points, uint32_t column) {
    return sn_vec3_load(points + 4 * (size_t)column);
}

// The volume of a prism, as its one point of integration has it, below a part of that at rest.
static bool is_bad(const mending *m, uint32_t t) {
    const sni_columns *c = m->columns;
    double rest = (double)sni_flesh_constant(c, t, SNI_FLESH_VOLUME);
    if (!(rest > 0)) {
        return false;
    }
    sn_vec3 middles[3], rods = {0, 0, 0};
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t column = sni_flesh_corner(c, t, k);
        sn_vec3 x = point_at(m->state->skin, column), y = point_at(m->state->fascia, column);
        middles[k] = sn_vec3_add(x, y);
        rods = sn_vec3_add(rods, sn_vec3_sub(x, y));
    }
    sn_vec3 across =
        sn_vec3_cross(sn_vec3_sub(middles[1], middles[0]), sn_vec3_sub(middles[2], middles[0]));
    return sn_vec3_dot(rods, across) / 24 < least_volume * rest;
}

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    mending *m = user;
    for (uint32_t t = begin * SNI_WIDTH; t < end * SNI_WIDTH; ++t) {
        m->bad[t] = t < m->columns->triangle_count && is_bad(m, t);
    }
}

static uint32_t triangle_of(const sni_columns *c, uint32_t slot) {
    return c->slots[slot] / 4 % (c->group_count * SNI_WIDTH);
}

static sn_vec3 skin_vector(const mending *m, uint32_t t) {
    sn_vec3 p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = point_at(m->state->skin, sni_flesh_corner(m->columns, t, k));
    }
    return sn_vec3_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0]));
}

static sn_vec3 normal_at(const mending *m, uint32_t column) {
    const sni_columns *c = m->columns;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = c->starts[column]; k < c->starts[column + 1]; ++k) {
        sum = sn_vec3_add(
            sum, sn_vec3_normalize_or(skin_vector(m, triangle_of(c, k)), sn_vec3_make(0, 0, 0)));
    }
    return sn_vec3_normalize_or(sum, sn_vec3_make(0, 0, 0));
}

static void lay_rod(const mending *m, uint32_t column, double part) {
    const sni_columns *c = m->columns;
    sn_vec3 x = point_at(m->state->skin, column), normal = normal_at(m, column);
    double rest = (double)c->numbers[SNI_COLUMN_NUMBERS * (size_t)column + SNI_COLUMN_LENGTH];
    if (rest > 0 && sn_vec3_dot(normal, normal) > 0) {
        sn_vec3_store(sn_vec3_add_scaled(x, -part * c->stiffness.shortest * rest, normal),
                      m->state->fascia + 4 * (size_t)column);
    }
}

// The fascia goes along.
static void draw_out(const mending *m, uint32_t column) {
    const sni_columns *c = m->columns;
    sn_vec3 sum = {0, 0, 0}, x = point_at(m->state->skin, column);
    double count = 0;
    for (uint32_t k = c->starts[column]; k < c->starts[column + 1]; ++k) {
        for (uint32_t corner = 0; corner < 3; ++corner) {
            uint32_t other = sni_flesh_corner(c, triangle_of(c, k), corner);
            if (other != column) {
                sum = sn_vec3_add(sum, point_at(m->state->skin, other));
                count += 1;
            }
        }
    }
    if (count > 0) {
        float *points[] = {m->state->skin + 4 * (size_t)column,
                           m->state->fascia + 4 * (size_t)column};
        sn_vec3 way = sn_vec3_scale(sn_vec3_sub(sn_vec3_scale(sum, 1 / count), x), drawn);
        for (int p = 0; p < 2; ++p) {
            sn_vec3_store(sn_vec3_add(sn_vec3_load(points[p]), way), points[p]);
        }
    }
}

// The columns of all triangles that share one with this one.
static void draw_ring_out(const mending *m, uint32_t t) {
    const sni_columns *c = m->columns;
    for (uint32_t corner = 0; corner < 3; ++corner) {
        uint32_t column = sni_flesh_corner(c, t, corner);
        for (uint32_t k = c->starts[column]; k < c->starts[column + 1]; ++k) {
            for (uint32_t i = 0; i < 3; ++i) {
                uint32_t other = sni_flesh_corner(c, triangle_of(c, k), i);
                if (c->freedom[other] > 0) {
                    draw_out(m, other);
                }
            }
        }
    }
}

static void mend_prism(const mending *m, uint32_t t, int pass) {
    const sni_columns *c = m->columns;
    if (pass >= RING_PASSES) {
        draw_ring_out(m, t);
    }
    double part = pass < SKIN_PASSES ? 1 : fmax(pow(shortened, pass - SKIN_PASSES), least_rod);
    for (int step = pass < ROD_PASSES; step < 2; ++step) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t column = sni_flesh_corner(c, t, k);
            if (c->freedom[column] > 0 && step == 0) {
                draw_out(m, column);
            } else if (c->freedom[column] > 0) {
                lay_rod(m, column, part);
            }
        }
    }
}

// Of what was bad and what shares a column with it, in rising order, what is bad now.
static void look_again(mending *m) {
    const sni_columns *c = m->columns;
    for (uint32_t i = 0, before = m->count; i < before; ++i) {
        for (uint32_t corner = 0; corner < 3; ++corner) {
            uint32_t column = sni_flesh_corner(c, m->list[i], corner);
            for (uint32_t k = c->starts[column]; k < c->starts[column + 1]; ++k) {
                uint32_t t = triangle_of(c, k);
                m->bad[t] = is_bad(m, t);
            }
        }
    }
    m->count = 0;
    for (uint32_t t = 0; t < c->triangle_count; ++t) {
        if (m->bad[t]) {
            m->list[m->count++] = t;
        }
    }
}

bool sni_columns_mend(const sni_columns *c, sni_arena *arena, sni_columns_state *state,
                      uint32_t *left) {
    sni_arena_mark mark = sni_arena_mark_now(arena);
    size_t places = (size_t)c->group_count * SNI_WIDTH;
    mending m = {.columns = c, .state = state};
    m.bad = sni_arena_alloc(arena, places, sizeof *m.bad);
    m.list = sni_arena_alloc(arena, places, sizeof *m.list);
    bool made = m.bad != NULL && m.list != NULL;
    *left = 0;
    if (made) {
        sn_parallel_for(c->context, c->group_count, SNI_FLESH_GROUP_GRAIN, find_block, &m);
        look_again(&m);
        for (int pass = 0; pass < PASSES && m.count > 0; ++pass) {
            for (uint32_t i = 0; i < m.count; ++i) {
                mend_prism(&m, m.list[i], pass);
            }
            if (pass >= RING_PASSES) {
                sn_parallel_for(c->context, c->group_count, SNI_FLESH_GROUP_GRAIN, find_block, &m);
            }
            look_again(&m);
        }
        *left = m.count;
    }
    sni_arena_release(arena, mark);
    return made;
}
