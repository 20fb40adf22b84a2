// SPDX-License-Identifier: Apache-2.0
//
// Teeth and eyes: closed pieces that move with one segment each.
#include "scenes/rex_shape.h"

#include <string.h>

enum { TOOTH_SIDES = 8, TOOTH_RINGS = 5 };

// A tooth of the left side: where it leaves the gum, and how far its point is from there.
typedef struct tooth {
    double x, y, z, length, width;
} tooth;

// Upper teeth in the head's frame, lower ones in the jaw's; the longest in the middle of the row.
// clang-format off
static const tooth upper_teeth[] = {
    {4, -18, 220, 12, 3.0},   {11, -19, 215, 14, 3.3},  {17, -20, 206, 17, 3.8},
    {21.5, -21, 194, 21, 4.4}, {24.5, -22, 181, 25, 4.9}, {26.6, -23, 167, 27, 5.1},
    {28, -23, 152.5, 25, 4.9}, {29.3, -23, 139, 21, 4.5}, {30.6, -22.5, 126, 18, 4.1},
    {31.8, -22, 114, 15, 3.7}, {33, -21.5, 103, 12, 3.3}, {34.2, -21, 93, 10, 3.0},
    {35.4, -21, 84, 8, 2.6},
};
static const tooth lower_teeth[] = {
    {3.2, 1, 197, 9, 2.5},   {8, 2, 190, 11, 2.9},    {11.2, 3, 180, 13, 3.3}, {13.6, 3.5, 168.5, 13, 3.5},
    {15.8, 4, 156.5, 13, 3.5}, {17.6, 4, 144.5, 13, 3.4}, {19.4, 4, 132.5, 12, 3.3}, {21.2, 4, 121, 11, 3.1},
    {23, 4.5, 110, 10, 2.9}, {25, 5.5, 99.5, 9, 2.7},   {27, 7, 89.5, 8, 2.5},
};
// clang-format on

static const double root_length = 9; // above the gum, coloured as it

static void add_tooth(scn_builder *b, const scn_frame *frame, const tooth *t, bool upper,
                      bool left) {
    // Rings from the root to the point: height in lengths, width in widths, lean back in lengths.
    static const double rings[TOOTH_RINGS][3] = {
        {0, 0.85, 0}, {0, 1.0, 0}, {0.35, 0.86, 0.02}, {0.65, 0.60, 0.07}, {0.88, 0.30, 0.14}};
    uint32_t last[TOOTH_SIDES], next[TOOTH_SIDES];
    double down = upper ? -1 : 1, side = left ? 1 : -1;
    for (int k = 0; k < TOOTH_RINGS; ++k) {
        for (int i = 0; i < TOOTH_SIDES; ++i) {
            // Counter-clockwise seen from the point.
            scn_turn turn = scn_turn_from_deg(360.0 * i / TOOTH_SIDES * (upper ? -1 : 1));
            double w = t->width * rings[k][1];
            double height = k == 0 ? -root_length : t->length * rings[k][0];
            sn_vec3 p = {side * t->x + 0.8 * w * turn.sine, t->y + down * height,
                         t->z - t->length * rings[k][2] + w * turn.cosine};
            p = scn_frame_point(frame, sn_vec3_scale(p, SCN_MM));
            next[i] = scn_builder_vertex(b, p, k == 0, 0);
        }
        if (k == 0) {
            uint32_t root[TOOTH_SIDES];
            for (int i = 0; i < TOOTH_SIDES; ++i) {
                root[i] = next[TOOTH_SIDES - 1 - i];
            }
            scn_builder_polygon(b, root, TOOTH_SIDES);
        } else {
            scn_builder_join(b, last, next, TOOTH_SIDES);
        }
        for (int i = 0; i < TOOTH_SIDES; ++i) {
            last[i] = next[i];
        }
    }
    sn_vec3 tip = {side * t->x, t->y + down * t->length, t->z - 0.2 * t->length};
    uint32_t point =
        scn_builder_vertex(b, scn_frame_point(frame, sn_vec3_scale(tip, SCN_MM)), 0, 0);
    for (int i = 0; i < TOOTH_SIDES; ++i) {
        uint32_t corners[3] = {last[i], last[(i + 1) % TOOTH_SIDES], point};
        scn_builder_polygon(b, corners, 3);
    }
}

// Colours of the builder's vertices by their tags.
static sn_status add_colors(sn_mesh *mesh, const scn_builder *builder, const float (*colors)[3],
                            sn_error *error) {
    sn_attribute *attribute;
    sn_status status =
        sn_mesh_add_attribute(mesh, "color", 3, mesh->vertex_count, false, &attribute, error);
    for (uint32_t i = 0; i < mesh->vertex_count && status == SN_OK; ++i) {
        memcpy(attribute->values + 3 * (size_t)i, colors[builder->vertices[i].tag],
               3 * sizeof(float));
    }
    return status;
}

sn_status scn_rex_teeth(sn_context *context, const scn_rex *rex, bool upper, sn_mesh **mesh,
                        sn_error *error) {
    static const float colors[2][3] = {{0.66f, 0.57f, 0.40f}, {0.36f, 0.095f, 0.075f}};
    const tooth *teeth = upper ? upper_teeth : lower_teeth;
    uint32_t count =
        upper ? sizeof upper_teeth / sizeof *upper_teeth : sizeof lower_teeth / sizeof *lower_teeth;
    scn_builder builder;
    scn_builder_init(&builder);
    for (uint32_t i = 0; i < count; ++i) {
        const scn_frame *frame = &rex->frames[upper ? SCN_REX_HEAD : SCN_REX_JAW];
        add_tooth(&builder, frame, &teeth[i], upper, true);
        add_tooth(&builder, frame, &teeth[i], upper, false);
    }
    sn_status status =
        scn_builder_finish(&builder, context, upper ? "teeth_upper" : "teeth_lower", mesh, error);
    if (status == SN_OK) {
        scn_rex_enlarge(*mesh);
        status = add_colors(*mesh, &builder, colors, error);
    }
    scn_builder_deinit(&builder);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Eyes

enum { EYE_SIDES = 24, EYE_RINGS = 13 };

// Rings about the axis of sight, in degrees from it: the pupil's fan, its edge twice so that the
// colour changes at once, the iris, and the white behind it, which is dark in a reptile.
static const double eye_rings[EYE_RINGS] = {13, 14, 24, 33, 34, 45, 60, 75, 90, 110, 130, 150, 168};

static uint32_t eye_color(int ring) {
    return ring < 1 ? 0 : ring < 4 ? 1 : 2;
}

sn_status scn_rex_eyeball(sn_context *context, bool left, sn_mesh **mesh, sn_error *error) {
    static const float colors[3][3] = {
        {0.004f, 0.004f, 0.004f}, {0.75f, 0.33f, 0.03f}, {0.10f, 0.05f, 0.03f}};
    scn_rex_eye eye = scn_rex_eye_shape();
    sn_vec3 side = scn_reject(sn_vec3_make(0, 1, 0), eye.axis);
    sn_vec3 other = sn_vec3_cross(eye.axis, side);
    scn_builder b;
    uint32_t last[EYE_SIDES], next[EYE_SIDES];
    scn_builder_init(&b);
    uint32_t pole =
        scn_builder_vertex(&b, sn_vec3_add_scaled(eye.center, eye.radius, eye.axis), 0, 0);
    for (int k = 0; k < EYE_RINGS; ++k) {
        scn_turn down = scn_turn_from_deg(eye_rings[k]);
        for (int i = 0; i < EYE_SIDES; ++i) {
            scn_turn turn = scn_turn_from_deg(360.0 * i / EYE_SIDES);
            sn_vec3 p = sn_vec3_add_scaled(eye.center, eye.radius * down.cosine, eye.axis);
            p = sn_vec3_add_scaled(p, eye.radius * down.sine * turn.cosine, side);
            p = sn_vec3_add_scaled(p, eye.radius * down.sine * turn.sine, other);
            next[i] = scn_builder_vertex(&b, p, eye_color(k), 0);
        }
        for (int i = 0; i < EYE_SIDES; ++i) {
            int j = (i + 1) % EYE_SIDES;
            if (k == 0) {
                scn_builder_polygon(&b, (const uint32_t[]){pole, next[i], next[j]}, 3);
            } else {
                scn_builder_quad(&b, last[i], next[i], next[j], last[j]);
            }
        }
        for (int i = 0; i < EYE_SIDES; ++i) {
            last[i] = next[i];
        }
    }
    for (int i = 0; i < EYE_SIDES; ++i) {
        next[i] = last[EYE_SIDES - 1 - i];
    }
    scn_builder_polygon(&b, next, EYE_SIDES);
    sn_status status =
        scn_builder_finish(&b, context, left ? "eye_left" : "eye_right", mesh, error);
    if (status == SN_OK) {
        if (!left) {
            scn_mesh_mirror(*mesh);
        }
        scn_rex_enlarge(*mesh);
        status = add_colors(*mesh, &b, colors, error);
    }
    scn_builder_deinit(&b);
    return status;
}
