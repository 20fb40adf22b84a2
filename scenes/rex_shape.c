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
        {0, -196, -200, 58, 66}, {0, -134, -176, 53, 62}, {0, -74, -144, 47, 57},
        {0, -22, -102, 42, 52}, {0, 6, -58, 39, 47}, {0, 16, -14, 40, 44}}},
    {"nuchal muscle", SCN_ADD, H, TRUNK, AX, 0, 16, 6, {
        {20, 46, -16, 18, 16}, {21, 40, -66, 20, 17}, {23, 6, -124, 22, 19},
        {25, -50, -174, 24, 21}, {28, -120, -212, 27, 24}, {30, -190, -236, 28, 25}}},
    {"neck band", SCN_ADD, H, TRUNK, AX, 0, 14, 6, {
        {43, 0, -8, 10, 15}, {42, -16, -38, 12, 17}, {41, -46, -74, 13, 18},
        {42, -90, -106, 14, 20}, {44, -146, -132, 15, 22}, {46, -200, -150, 16, 24}}},
    {"side of the neck", SCN_ADD, H, TRUNK, AX, 0, 16, 5, {
        {35, 12, -44, 12, 16}, {39, -14, -92, 14, 19}, {43, -64, -140, 16, 21},
        {48, -126, -178, 17, 24}, {50, -194, -198, 18, 26}}},
    {"throat", SCN_ADD, H, TRUNK, AX, 0, 22, 6, {
        {0, -56, 44, 25, 10}, {0, -56, 8, 28, 16}, {0, -62, -22, 28, 20}, {0, -84, -56, 30, 24},
        {0, -130, -88, 33, 28}, {0, -196, -110, 36, 30}}},

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
    {"below the ear", SCN_ADD, H, TRUNK, AX, 0, 24, 5, {
        {35, -28, -24, 12, 20}, {33, -50, -38, 12, 20}, {32, -80, -64, 13, 20},
        {35, -122, -96, 14, 22}, {38, -190, -124, 15, 24}}},
    {"corner of the mouth", SCN_ADD, H, TRUNK, AX, 0, 10, 3, {
        {41, -20, 10, 9, 20}, {41, -23, 24, 8, 17}, {39, -24, 34, 6, 10}}},
    {"hollow behind the eye", SCN_CUT, H, TRUNK, AX, 0, 10, 2, {{60, 18, 40, 9, 10},
        {57, 15, 54, 7, 9}}},
    {"pharynx", SCN_CUT, H, TRUNK, AX, 0, 8, 3, {{0, -30, 64, 24, 8}, {0, -34, 28, 24, 10},
        {0, -38, -8, 14, 7}}},

    // Upper jaw.
    {"snout", SCN_ADD, H, UPPER, AX, 0, 10, 7, {
        {0, 26, 66, 37, 41}, {0, 23, 98, 31, 39}, {0, 20, 134, 28, 37}, {0, 17, 170, 27, 34},
        {0, 13, 200, 24, 31}, {0, 8, 217, 19, 25}, {0, 3, 227, 12, 16}}},
    {"upper lip", SCN_ADD, H, UPPER, AX, 0, 8, 7, {
        {39, -11, 30, 9, 14}, {34, -12, 76, 8, 13}, {30, -13, 112, 8, 13}, {27, -14, 150, 8, 13},
        {23, -13, 186, 8, 12}, {15, -12, 212, 8, 11}, {4, -11, 222, 7, 10}}},
    {"palate", SCN_CUT, H, UPPER, AX, 0, 7, 5, {
        {0, -28, 46, 26, 13}, {0, -29, 86, 22, 15}, {0, -30, 134, 18, 16}, {0, -28, 176, 14, 14},
        {0, -26, 202, 9, 10}}},
    {"nose ridge", SCN_ADD, H, UPPER, AX, 0, 7, 6, {
        {14, 58, 92, 7, 6}, {10, 56, 110, 7, 6}, {9, 54, 134, 7, 6}, {8, 50, 160, 7, 6},
        {7, 45, 184, 7, 6}, {6, 37, 206, 7, 6}}},
    {"swelling of the nose", SCN_ADD, H, UPPER, AX, 0, 9, 3, {
        {16, 24, 178, 8, 12}, {17, 20, 200, 9, 13}, {12, 14, 216, 8, 11}}},
    {"hollow before the eye", SCN_CUT, H, UPPER, AX, 0, 12, 3, {{45, 28, 110, 10, 13},
        {42, 24, 126, 10, 14}, {38, 19, 144, 7, 10}}},
    {"brow", SCN_ADD, H, UPPER, AX, 0, 8, 5, {
        {19, 60, 110, 7, 7}, {30, 60, 96, 9, 8}, {38, 57, 78, 10, 8}, {42, 53, 58, 9, 9},
        {44, 42, 44, 8, 10}}},
    {"lower rim of the eye", SCN_ADD, H, UPPER, AX, 0, 10, 3, {
        {37, 18, 84, 6, 8}, {40, 17, 72, 6, 8}, {43, 20, 58, 6, 10}}},

    // Lower jaw, as it lies when the mouth is shut.
    {"jaw", SCN_ADD, J, LOWER, AX, 0, 9, 7, {
        {40, -14, -10, 9, 28}, {37, -15, 30, 9, 29}, {29, -15, 70, 8, 25}, {22, -14, 108, 7.5, 20},
        {17.5, -12, 146, 7.5, 18}, {12, -11, 180, 7.5, 17}, {4.5, -11, 195, 8, 15}}},
    {"floor of the mouth", SCN_ADD, J, LOWER, AX, 0, 12, 5, {
        {0, -32, 10, 31, 11}, {0, -32, 56, 25, 11}, {0, -26, 100, 18, 11}, {0, -22, 148, 12, 11},
        {0, -18, 182, 8, 11}}},
    {"tongue", SCN_ADD, J, LOWER, AX, 0, 10, 5, {
        {0, -18, 20, 15, 7}, {0, -15, 56, 14, 7}, {0, -11, 94, 12, 6}, {0, -9, 126, 10, 5},
        {0, -8, 146, 6.5, 4}}},

    {"cut", SCN_SLICE, H, TRUNK, AY, 0, 14, 2, {{0, -152, -150, 1, 1}, {0, -162, -151, 1, 1}}},
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
    const sn_vec3 neck[4] = {{0, -152, -182}, {0, -84, -148}, {0, -18, -96}, {0, 18, -22}};
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
    return (scn_rex_eye){.center = sn_vec3_scale(sn_vec3_make(29, 35, 73), SCN_MM),
                         .axis = sn_vec3_normalize_or(axis, axis),
                         .radius = 11 * SCN_MM};
}

sn_vec3 scn_rex_to_jaw(const scn_rex *rex, sn_vec3 point) {
    const scn_frame *jaw = &rex->frames[SCN_REX_JAW];
    sn_vec3 d = sn_vec3_sub(point, jaw->origin);
    return sn_vec3_make(sn_vec3_dot(d, jaw->x), sn_vec3_dot(d, jaw->y), sn_vec3_dot(d, jaw->z));
}

double scn_rex_along_neck(sn_vec3 p) {
    return -(0.68 * p.z + 0.73 * p.y);
}

// The edge of a lip: half the mouth's width there, by z, millimetres.
typedef struct lip_edge {
    double z, half;
} lip_edge;

// Falls below nothing in front of the lips, so that depths fade out there.
static double half_width(const lip_edge *edges, uint32_t count, double z) {
    if (z <= edges[0].z) {
        return edges[0].half - (edges[0].z - z);
    }
    for (uint32_t i = 0; i + 1 < count; ++i) {
        if (z <= edges[i + 1].z) {
            double t = (z - edges[i].z) / (edges[i + 1].z - edges[i].z);
            return edges[i].half + t * (edges[i + 1].half - edges[i].half);
        }
    }
    return edges[count - 1].half - (z - edges[count - 1].z);
}

double scn_rex_mouth_depth(const scn_rex *rex, sn_vec3 p) {
    static const lip_edge upper[] = {{-40, 16}, {20, 32},  {46, 37},  {76, 33}, {112, 29},
                                     {150, 26}, {186, 21}, {206, 14}, {217, 5}, {220, -1}};
    static const lip_edge lower[] = {{-40, 16}, {10, 31},  {30, 35}, {70, 28}, {108, 21},
                                     {146, 17}, {178, 11}, {191, 4}, {195, -1}};
    sn_vec3 in_jaw = scn_rex_to_jaw(rex, p);
    bool is_upper = p.y / SCN_MM > -30 - 0.158 * (p.z / SCN_MM - 8); // the middle of the gape
    double half = is_upper ? half_width(upper, sizeof upper / sizeof *upper, p.z / SCN_MM)
                           : half_width(lower, sizeof lower / sizeof *lower, in_jaw.z / SCN_MM);
    double below = -10 * SCN_MM - p.y, above = in_jaw.y + 24 * SCN_MM;
    return fmin(half * SCN_MM - fabs(p.x), fmin(below, above));
}

void scn_rex_enlarge(sn_mesh *mesh) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        mesh->positions[i] = (float)(mesh->positions[i] * SCN_REX_ENLARGE);
    }
}
