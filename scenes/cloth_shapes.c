// SPDX-License-Identifier: Apache-2.0
//
// Table, sheet and tablecloth.
#include "scenes/cloth.h"

#include "scenes/shapes.h"

// ---------------------------------------------------------------------------------------------
// Table: blocks with rounded corners, built from loops one above the other

// Segments of a quarter of a loop: half a corner, a straight part, half of the next corner.
typedef struct loop_shape {
    uint32_t arc, straight;
} loop_shape;

enum { MOST_LOOP = 256 };

typedef struct block {
    loop_shape shape;
    double x, z;         // centre
    double half, radius; // of the largest loop: half its width, and that of its corners
} block;

static uint32_t side_count(const block *b) {
    return 2 * b->shape.arc + b->shape.straight;
}

// Point `k` of the loop that lies `inset` within the largest one, counter-clockwise seen from
// above, beginning in the middle of a corner.
static sn_vec3 loop_point(const block *b, double inset, double y, uint32_t k) {
    uint32_t quarter = k / side_count(b), i = k % side_count(b);
    uint32_t arc = b->shape.arc, straight = b->shape.straight;
    double center = b->half - b->radius, radius = b->radius - inset;
    bool is_first = i <= arc, is_last = i > arc + straight;
    double degrees = is_first  ? 135 - 45.0 * i / arc
                     : is_last ? 90 - 45.0 * (i - arc - straight) / arc
                               : 90;
    double along = is_first ? -1 : is_last ? 1 : 2.0 * (i - arc) / straight - 1;
    scn_turn turn = scn_turn_from_deg(degrees);
    double x = center * along + radius * turn.cosine, z = center + radius * turn.sine;
    for (; quarter > 0; --quarter) {
        double old = x;
        x = z;
        z = -old;
    }
    return sn_vec3_make(b->x + x, y, b->z + z);
}

static void add_loop(scn_builder *builder, const block *b, double inset, double y, uint32_t *loop) {
    for (uint32_t k = 0; k < 4 * side_count(b); ++k) {
        loop[k] = scn_builder_vertex(builder, loop_point(b, inset, y, k), 0, 0);
    }
}

typedef struct level {
    double inset, y;
} level;

// A closed block through loops at rising levels.
static void add_block(scn_builder *builder, const block *b, const level *levels, uint32_t count) {
    uint32_t side = side_count(b), total = 4 * side;
    uint32_t below[MOST_LOOP], above[MOST_LOOP];
    add_loop(builder, b, levels[0].inset, levels[0].y, below);
    for (uint32_t k = 0; k < total; ++k) {
        above[k] = below[(total - k) % total];
    }
    scn_builder_cap(builder, above, side, side, 0, 0, NULL);
    for (uint32_t i = 1; i < count; ++i) {
        add_loop(builder, b, levels[i].inset, levels[i].y, above);
        scn_builder_join(builder, below, above, total);
        for (uint32_t k = 0; k < total; ++k) {
            below[k] = above[k];
        }
    }
    scn_builder_cap(builder, below, side, side, 0, 0, NULL);
}

static void add_top(scn_builder *builder) {
    enum { STEPS = 8 };
    static const double rounding = 0.016;
    const block top = {{6, 12}, 0, 0, 0.5, 0.07};
    level levels[STEPS + 1];
    for (uint32_t i = 0; i <= STEPS; ++i) {
        scn_turn turn = scn_turn_from_deg(180.0 * i / STEPS - 90);
        levels[i] = (level){rounding * (1 - turn.cosine),
                            SCN_CLOTH_TABLE_HEIGHT - rounding * (1 - turn.sine)};
    }
    add_block(builder, &top, levels, STEPS + 1);
}

static void add_legs(scn_builder *builder) {
    static const level levels[] = {{0.010, 0}, {0.008, 0.25}, {0.004, 0.5}, {0, 0.72}};
    for (int i = 0; i < 4; ++i) {
        const block leg = {{2, 1}, i % 2 == 0 ? -0.41 : 0.41, i < 2 ? -0.41 : 0.41, 0.028, 0.012};
        add_block(builder, &leg, levels, sizeof levels / sizeof *levels);
    }
}

sn_status scn_cloth_table(sn_context *context, sn_mesh **mesh, sn_error *error) {
    scn_builder builder;
    scn_builder_init(&builder);
    add_top(&builder);
    add_legs(&builder);
    sn_status status = scn_builder_finish(&builder, context, "table", mesh, error);
    scn_builder_deinit(&builder);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Sheet and tablecloth

static const double sheet_side = 1.74;

// Where a place of the flat sheet, each from -1 to 1, hangs above the table, and `height` over it.
// It is turned and tilted a little, as a hand would let it fall.
static sn_vec3 sheet_point(double u, double v, double height) {
    scn_turn yaw = scn_turn_from_deg(5), tilt = scn_turn_from_deg(2.5);
    double x = 0.5 * sheet_side * u, z = 0.5 * sheet_side * v;
    sn_vec3 flat = {x * tilt.cosine - height * tilt.sine, x * tilt.sine + height * tilt.cosine, z};
    return sn_vec3_make(0.012 + yaw.cosine * flat.x + yaw.sine * flat.z,
                        SCN_CLOTH_TABLE_HEIGHT + 0.11 + flat.y,
                        -0.02 - yaw.sine * flat.x + yaw.cosine * flat.z);
}

static double place(uint32_t i, uint32_t count) {
    return 2.0 * i / count - 1;
}

sn_status scn_cloth_sheet(sn_context *context, sn_mesh **mesh, sn_error *error) {
    enum { SIDE = 32, ROW = SIDE + 1 };
    scn_builder builder;
    scn_builder_init(&builder);
    for (uint32_t i = 0; i < ROW * ROW; ++i) {
        scn_builder_vertex(&builder, sheet_point(place(i % ROW, SIDE), place(i / ROW, SIDE), 0), 0,
                           0);
    }
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        uint32_t a = i / SIDE * ROW + i % SIDE;
        scn_builder_quad(&builder, a, a + ROW, a + ROW + 1, a + 1);
    }
    sn_status status = scn_builder_finish(&builder, context, "sheet", mesh, error);
    scn_builder_deinit(&builder);
    return status;
}

enum { CHECK = 8, CHECKS = 14, FINE = CHECK * CHECKS, FINE_ROW = FINE + 1 };

static bool is_blue(uint32_t column, uint32_t row) {
    return (column / CHECK + row / CHECK) % 2 == 0;
}

// How far the middle of a square stands above its border: quilted, 0 on the border and steep there.
static double pillow(uint32_t i) {
    double t = (double)(i % CHECK) / CHECK;
    return scn_smooth_step(-0.2, 0.4, t) * scn_smooth_step(-0.2, 0.4, 1 - t) -
           scn_smooth_step(-0.2, 0.4, 0) * scn_smooth_step(-0.2, 0.4, 1);
}

static sn_vec3 fine_point(uint32_t i, uint32_t k, bool on_top) {
    static const double half_thickness = 0.002, quilting = 0.014;
    double height = on_top ? half_thickness + quilting * pillow(i) * pillow(k) : -half_thickness;
    return sheet_point(place(i, FINE), place(k, FINE), height);
}

// The number of a place on the top, or on the bottom behind it.
static uint32_t fine_vertex(uint32_t i, uint32_t k, bool on_top) {
    return (on_top ? 0 : FINE_ROW * FINE_ROW) + k * FINE_ROW + i;
}

static void add_fine_vertices(scn_builder *builder) {
    for (uint32_t i = 0; i < 2 * FINE_ROW * FINE_ROW; ++i) {
        uint32_t within = i % (FINE_ROW * FINE_ROW);
        scn_builder_vertex(builder, fine_point(within % FINE_ROW, within / FINE_ROW, i == within),
                           0, 0);
    }
}

static void add_squares(scn_builder *builder, bool blue) {
    for (uint32_t i = 0; i < FINE * FINE; ++i) {
        uint32_t a = fine_vertex(i % FINE, i / FINE, true);
        if (is_blue(i % FINE, i / FINE) == blue) {
            scn_builder_quad(builder, a, a + FINE_ROW, a + FINE_ROW + 1, a + 1);
        }
    }
}

static void add_lining_and_hem(scn_builder *builder) {
    for (uint32_t i = 0; i < FINE * FINE; ++i) {
        uint32_t a = fine_vertex(i % FINE, i / FINE, false);
        scn_builder_quad(builder, a, a + 1, a + FINE_ROW + 1, a + FINE_ROW);
    }
    for (uint32_t i = 0; i < 4 * FINE; ++i) {
        uint32_t a, b, c, d;
        scn_grid_border(FINE, FINE, i, &a, &b);
        scn_grid_border(FINE, FINE, (i + 1) % (4 * FINE), &c, &d);
        scn_builder_quad(builder, fine_vertex(a, b, true), fine_vertex(c, d, true),
                         fine_vertex(c, d, false), fine_vertex(a, b, false));
    }
}

static sn_status make_fine(sn_context *context, bool blue, const char *name, sn_mesh **mesh,
                           sn_error *error) {
    scn_builder builder;
    scn_builder_init(&builder);
    add_fine_vertices(&builder);
    add_squares(&builder, blue);
    if (blue) {
        add_lining_and_hem(&builder);
    }
    scn_builder_compact(&builder);
    sn_status status = scn_builder_finish(&builder, context, name, mesh, error);
    scn_builder_deinit(&builder);
    return status;
}

sn_status scn_cloth_blue(sn_context *context, sn_mesh **mesh, sn_error *error) {
    return make_fine(context, true, "blue", mesh, error);
}

sn_status scn_cloth_white(sn_context *context, sn_mesh **mesh, sn_error *error) {
    return make_fine(context, false, "white", mesh, error);
}
