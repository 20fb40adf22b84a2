// SPDX-License-Identifier: Apache-2.0
//
// Masses of the head: what the skin lies on, before scales and spikes. Parts off the middle plane
// are given for the left side and mirrored.
#include "scenes/rex_shape.h"

#include <math.h>
#include <string.h>

enum { H = SCN_REX_HEAD, J = SCN_REX_JAW };
enum { TRUNK = 0, UPPER = 1, LOWER = 2 };
#define AX SCN_ACROSS_X
#define AY SCN_ACROSS_Y

// clang-format off
static const scn_part parts[] = {
    // Neck, from the cut upward.
    {"neck", SCN_ADD, H, TRUNK, AX, 0, 20, 6, {
        {0, -130, -200, 52, 66}, {0, -88, -168, 50, 64}, {0, -46, -130, 47, 61},
        {0, -10, -88, 44, 58}, {0, 10, -48, 43, 53}, {0, 18, -12, 42, 46}}},
    {"nuchal muscle", SCN_ADD, H, TRUNK, AX, 0, 16, 5, {
        {20, 46, -16, 18, 16}, {22, 48, -46, 22, 18}, {24, 32, -86, 24, 20},
        {26, 0, -132, 26, 22}, {28, -46, -182, 27, 24}}},
    {"neck band", SCN_ADD, H, TRUNK, AX, 0, 18, 5, {
        {42, 2, -8, 11, 16}, {44, -12, -36, 13, 18}, {43, -40, -70, 14, 20},
        {41, -78, -106, 14, 20}, {38, -122, -144, 14, 22}}},
    {"side of the neck", SCN_ADD, H, TRUNK, AX, 0, 18, 4, {
        {38, 16, -40, 13, 17}, {41, -4, -86, 15, 20}, {43, -40, -130, 16, 22},
        {44, -82, -170, 16, 24}}},
    {"throat", SCN_ADD, H, TRUNK, AX, 0, 22, 5, {
        {0, -56, 40, 26, 11}, {0, -60, 4, 33, 22}, {0, -72, -34, 37, 30}, {0, -98, -74, 38, 34},
        {0, -142, -112, 38, 36}}},

    // Back of the skull.
    {"skull", SCN_ADD, H, TRUNK, AX, 0, 14, 4, {
        {0, 20, -20, 42, 40}, {0, 24, 14, 47, 46}, {0, 27, 48, 45, 45}, {0, 26, 80, 37, 41}}},
    {"skull roof", SCN_ADD, H, TRUNK, AX, 0, 14, 4, {
        {0, 56, -6, 30, 12}, {0, 60, 30, 34, 11}, {0, 60, 66, 34, 10}, {0, 58, 96, 25, 9}}},
    {"temporal muscle", SCN_ADD, H, TRUNK, AX, 0, 11, 4, {
        {30, 44, -16, 13, 14}, {38, 44, 6, 13, 18}, {41, 40, 26, 12, 18}, {39, 42, 42, 9, 13}}},
    {"cheekbone", SCN_ADD, H, TRUNK, AX, 0, 10, 4, {
        {47, -6, 2, 8, 18}, {48, -3, 26, 8, 13}, {44, 3, 54, 7, 11}, {38, 5, 84, 6, 10}}},
    {"jaw muscle", SCN_ADD, H, TRUNK, AX, 0, 12, 5, {
        {46, -14, 8, 11, 20}, {46, -32, 2, 11, 24}, {43, -52, 6, 10, 22}, {38, -64, 22, 8, 14},
        {32, -70, 40, 6, 8}}},
    {"corner of the jaw", SCN_ADD, H, TRUNK, AX, 0, 20, 3, {
        {36, -24, -20, 12, 22}, {36, -48, -18, 12, 24}, {30, -66, -6, 10, 16}}},
    {"below the ear", SCN_ADD, H, TRUNK, AX, 0, 24, 3, {
        {35, -34, -30, 13, 22}, {34, -60, -44, 14, 22}, {32, -88, -64, 14, 20}}},
    {"hollow behind the eye", SCN_CUT, H, TRUNK, AX, 0, 10, 2, {{60, 18, 40, 9, 10},
        {57, 15, 54, 7, 9}}},
    {"pharynx", SCN_CUT, H, TRUNK, AX, 0, 8, 3, {{0, -30, 64, 24, 8}, {0, -34, 28, 24, 10},
        {0, -38, -8, 14, 7}}},

    // Upper jaw.
    {"snout", SCN_ADD, H, UPPER, AX, 0, 10, 7, {
        {0, 26, 66, 37, 41}, {0, 23, 98, 31, 39}, {0, 20, 134, 28, 37}, {0, 17, 170, 27, 34},
        {0, 13, 200, 24, 31}, {0, 8, 217, 19, 25}, {0, 3, 227, 12, 16}}},
    {"upper lip", SCN_ADD, H, UPPER, AX, 0, 8, 7, {
        {38, -8, 46, 8, 12}, {34, -11, 76, 8, 13}, {30, -13, 112, 8, 13}, {27, -14, 150, 8, 13},
        {23, -13, 186, 8, 12}, {15, -12, 212, 8, 11}, {4, -11, 222, 7, 10}}},
    {"palate", SCN_CUT, H, UPPER, AX, 0, 7, 5, {
        {0, -28, 46, 26, 11}, {0, -29, 86, 21, 12}, {0, -30, 134, 17, 12}, {0, -28, 176, 13, 11},
        {0, -26, 202, 8, 8}}},
    {"nose ridge", SCN_ADD, H, UPPER, AX, 0, 7, 6, {
        {14, 58, 92, 7, 6}, {10, 56, 110, 7, 6}, {9, 54, 134, 7, 6}, {8, 50, 160, 7, 6},
        {7, 45, 184, 7, 6}, {6, 37, 206, 7, 6}}},
    {"swelling of the nose", SCN_ADD, H, UPPER, AX, 0, 9, 3, {
        {16, 24, 178, 8, 12}, {17, 20, 200, 9, 13}, {12, 14, 216, 8, 11}}},
    {"hollow before the eye", SCN_CUT, H, UPPER, AX, 0, 12, 3, {{45, 28, 110, 10, 13},
        {42, 24, 126, 10, 14}, {38, 19, 144, 7, 10}}},
    {"brow", SCN_ADD, H, UPPER, AX, 0, 8, 5, {
        {19, 61, 108, 7, 7}, {29, 63, 94, 9, 8}, {36, 61, 76, 10, 8}, {41, 54, 58, 9, 9},
        {43, 42, 46, 8, 10}}},
    {"lower rim of the eye", SCN_ADD, H, UPPER, AX, 0, 10, 3, {
        {37, 18, 84, 6, 8}, {40, 17, 72, 6, 8}, {43, 20, 58, 6, 10}}},

    // Lower jaw, as it lies when the mouth is shut.
    {"jaw", SCN_ADD, J, LOWER, AX, 0, 9, 7, {
        {40, -12, -10, 9, 26}, {39, -16, 30, 9, 27}, {34, -16, 70, 9, 24}, {29, -14, 108, 9, 20},
        {24, -12, 146, 9, 18}, {17, -11, 180, 9, 17}, {6, -11, 198, 9, 15}}},
    {"floor of the mouth", SCN_ADD, J, LOWER, AX, 0, 12, 5, {
        {0, -32, 10, 32, 11}, {0, -32, 56, 29, 11}, {0, -26, 100, 23, 11}, {0, -22, 148, 17, 11},
        {0, -18, 186, 10, 11}}},
    {"tongue", SCN_ADD, J, LOWER, AX, 0, 5, 5, {
        {0, -18, 20, 16, 7}, {0, -15, 56, 16, 7}, {0, -11, 94, 15, 6}, {0, -8, 128, 13, 5},
        {0, -7, 150, 8, 4}}},

    {"cut", SCN_SLICE, H, TRUNK, AY, 0, 14, 2, {{0, -84, -152, 1, 1}, {0, -92, -157.5, 1, 1}}},
};
// clang-format on

enum { PART_COUNT = sizeof parts / sizeof *parts };

static bool is_off_middle(const scn_part *part) {
    bool off = false;
    for (uint32_t i = 0; i < part->count; ++i) {
        off = off || part->stations[i].x != 0;
    }
    return off;
}

static scn_part mirrored(scn_part part) {
    for (uint32_t i = 0; i < part.count; ++i) {
        part.stations[i].x = -part.stations[i].x;
    }
    part.roll_deg = -part.roll_deg;
    return part;
}

static scn_field *make_field(const scn_rex *rex) {
    scn_part all[2 * PART_COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < PART_COUNT; ++i) {
        all[count++] = parts[i];
        if (is_off_middle(&parts[i])) {
            all[count++] = mirrored(parts[i]);
        }
    }
    return scn_field_create(all, count, rex->frames, 9, 2);
}

// ---------------------------------------------------------------------------------------------
// Skeleton

// A segment whose bone runs from one point of the maquette to another in the middle plane; x is to
// the left, so that a positive rx bends downward.
static scn_segment make_segment(const char *name, uint32_t parent, sn_vec3 from, sn_vec3 to) {
    scn_segment s = {.name = name, .parent = parent, .order = SN_ROTATION_XYZ};
    sn_vec3 along = sn_vec3_sub(to, from);
    s.length = sn_vec3_length(along) * SCN_MM * SCN_REX_ENLARGE;
    s.rest.origin = sn_vec3_scale(from, SCN_MM * SCN_REX_ENLARGE);
    s.rest.x = sn_vec3_make(1, 0, 0);
    s.rest.y = sn_vec3_normalize_or(along, sn_vec3_make(0, 0, 1));
    s.rest.z = sn_vec3_cross(s.rest.x, s.rest.y);
    return s;
}

static void set_limits(scn_segment *s, double x_low, double x_high, double y, double z) {
    const double limits[3][2] = {{x_low, x_high}, {-y, y}, {-z, z}};
    memcpy(s->limits_deg, limits, sizeof limits);
}

static void lay_out_segments(scn_rex *rex) {
    const sn_vec3 neck[4] = {{0, -86, -154}, {0, -46, -118}, {0, -8, -70}, {0, 20, -16}};
    const scn_frame *jaw = &rex->frames[SCN_REX_JAW];
    sn_vec3 hinge = sn_vec3_scale(jaw->origin, 1 / SCN_MM);
    sn_vec3 chin = sn_vec3_add_scaled(hinge, 198, jaw->z);
    scn_rex_eye eye = scn_rex_eye_shape();
    scn_segment *s = rex->segments;
    s[0] = make_segment("neck_1", SN_NONE, neck[0], neck[1]);
    s[1] = make_segment("neck_2", 0, neck[1], neck[2]);
    s[2] = make_segment("neck_3", 1, neck[2], neck[3]);
    s[3] = make_segment("head", 2, neck[3], sn_vec3_make(0, 5, 228));
    s[4] = make_segment("jaw", 3, hinge, chin);
    for (int side = 0; side < 2; ++side) {
        sn_vec3 at = sn_vec3_scale(eye.center, 1 / SCN_MM);
        at.x = side == 0 ? at.x : -at.x;
        s[5 + side] = make_segment(side == 0 ? "eye_left" : "eye_right", 3, at,
                                   sn_vec3_add(at, sn_vec3_make(0, 0, eye.radius / SCN_MM)));
        set_limits(&s[5 + side], -25, 25, 0, 30);
    }
    for (int i = 0; i < 3; ++i) {
        set_limits(&s[i], -25, 25, 20, 20);
    }
    set_limits(&s[3], -30, 30, 25, 25);
    set_limits(&s[4], -SCN_REX_GAPE_DEG, 30, 4, 6);
}

bool scn_rex_layout(scn_rex *rex) {
    scn_turn gape = scn_turn_from_deg(SCN_REX_GAPE_DEG);
    *rex = (scn_rex){.frames = {{.x = {1, 0, 0}, .y = {0, 1, 0}, .z = {0, 0, 1}},
                                {.origin = {0, -30 * SCN_MM, 8 * SCN_MM},
                                 .x = {1, 0, 0},
                                 .y = {0, gape.cosine, gape.sine},
                                 .z = {0, -gape.sine, gape.cosine}}}};
    lay_out_segments(rex);
    rex->field = make_field(rex);
    return rex->field != NULL;
}

scn_rex_eye scn_rex_eye_shape(void) {
    const sn_vec3 axis = {0.86, 0.14, 0.49};
    return (scn_rex_eye){.center = sn_vec3_scale(sn_vec3_make(29.5, 36, 72), SCN_MM),
                         .axis = sn_vec3_normalize_or(axis, axis),
                         .radius = 10 * SCN_MM};
}

sn_vec3 scn_rex_to_jaw(const scn_rex *rex, sn_vec3 point) {
    const scn_frame *jaw = &rex->frames[SCN_REX_JAW];
    sn_vec3 d = sn_vec3_sub(point, jaw->origin);
    return sn_vec3_make(sn_vec3_dot(d, jaw->x), sn_vec3_dot(d, jaw->y), sn_vec3_dot(d, jaw->z));
}

// Half the width between the lips' edges, by z; falls to nothing at the tip and behind the corner.
double scn_rex_mouth_depth(const scn_rex *rex, sn_vec3 p) {
    static const double edges[][2] = {{-10, 16}, {20, 32}, {60, 34}, {118, 28}, {158, 25},
                                      {196, 22}, {224, 13}, {236, 2}};
    double z = p.z / SCN_MM, half = z < -10 ? -1 : -10;
    for (uint32_t i = 0; i + 1 < sizeof edges / sizeof *edges; ++i) {
        if (z >= edges[i][0] && z <= edges[i + 1][0]) {
            double t = (z - edges[i][0]) / (edges[i + 1][0] - edges[i][0]);
            half = edges[i][1] + t * (edges[i + 1][1] - edges[i][1]);
        }
    }
    double aside = half * SCN_MM - fabs(p.x);
    double below = -9 * SCN_MM - p.y, above = scn_rex_to_jaw(rex, p).y + 15 * SCN_MM;
    return fmin(aside, fmin(below, above));
}

void scn_rex_enlarge(sn_mesh *mesh) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        mesh->positions[i] = (float)(mesh->positions[i] * SCN_REX_ENLARGE);
    }
}
