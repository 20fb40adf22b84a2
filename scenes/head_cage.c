// SPDX-License-Identifier: Apache-2.0
//
// The control mesh of the head's skin: rings of vertices around the mouth, the eye, the nostril and
// the ear, and patches of quads between them. All quads, left half only. The numbers are points of
// the skin, in millimetres.
//
//        forehead  f ─────────────┐          rows run down, columns from the mid-plane in front
//        ┌ brow ─ e (ring of 12) ─┤ side     over the side to the mid-plane behind
//   nose │ D S W G   C cheek      │ L  ear (ring of 10)  L  B
//        └ m (mouth, ring of 18) ─ n ─────── jaw
//          u, v, w                           neck
#include "scenes/head_shape.h"

#include <stdlib.h>
#include <string.h>

enum { EYE_POINTS = 12, MOUTH_POINTS = 10, EAR_POINTS = 10, NOSTRIL_POINTS = 6 };
enum { EYE_RINGS = 8, MOUTH_RINGS = 10, EAR_RINGS = 7, NOSTRIL_RINGS = 2 };
enum { SIDE_ROWS = 7, SIDE_COLUMNS = 10, NECK_ROWS = 4, NECK_COLUMNS = 14 };
enum { CAP_ROWS = 5, CAP_COLUMNS = 4 };

// clang-format off

// Around the eye, from its inner corner over the upper lid to the outer corner and back. The first
// two rings lie behind the lids, around the eyeball.
enum { EYE_BACK, EYE_SIDE, LID_INNER, LID_OUTER, LID_PLATE, LID_CREASE, ORBIT, BROW };
static const double eye_points[EYE_RINGS][EYE_POINTS][3] = {
    [LID_INNER] = {
        {18.0, 32.2, 90.8}, {21.5, 35.6, 91.0}, {26.0, 38.4, 92.6}, {31.0, 39.3, 93.2},
        {36.4, 38.8, 92.4}, {41.8, 37.1, 89.6}, {45.9, 34.8, 85.8}, {42.6, 32.2, 88.4},
        {37.5, 30.2, 92.0}, {32.0, 29.4, 93.2}, {26.6, 29.7, 92.6}, {21.8, 30.7, 91.2}},
    [LID_CREASE] = {
        {15.6, 33.5, 93.2}, {18.8, 41.0, 94.0}, {24.5, 46.0, 94.6}, {31.2, 47.6, 94.4},
        {38.5, 46.4, 92.0}, {45.5, 42.6, 87.8}, {49.8, 35.3, 83.0}, {46.8, 27.6, 86.4},
        {39.8, 22.9, 91.6}, {31.8, 21.6, 94.6}, {24.2, 22.7, 95.0}, {18.4, 27.3, 93.8}},
    [ORBIT] = {
        {13.2, 36.5, 97.0}, {15.6, 46.0, 99.2}, {23.5, 52.5, 100.2}, {32.5, 54.6, 99.2},
        {42.2, 53.2, 94.2}, {50.5, 47.8, 86.8}, {54.8, 36.2, 80.2}, {51.8, 25.0, 83.8},
        {43.0, 18.0, 91.6}, {33.0, 15.8, 95.0}, {23.5, 17.4, 96.6}, {16.2, 25.8, 97.0}},
    [BROW] = {
        {10.6, 38.5, 100.6}, {13.2, 51.0, 105.2}, {23.0, 59.5, 105.2}, {34.5, 62.5, 101.0},
        {47.0, 60.5, 91.8}, {56.8, 52.8, 80.4}, {60.8, 36.8, 75.8}, {57.8, 21.0, 81.2},
        {47.0, 12.5, 90.8}, {35.0, 9.0, 96.0}, {24.0, 11.0, 98.4}, {13.6, 22.5, 102.0}},
};

// Around the mouth, from the middle of the upper lip over the corner to the middle of the lower.
enum { THROAT, PALATE, GUM_INNER, GUM_OUTER, FORNIX, LIP_INNER, LIP_LINE, LIP_RED, LIP_BORDER,
       LIP_SKIN, MOUTH_EDGE };
static const double mouth_points[MOUTH_RINGS + 1][MOUTH_POINTS][3] = {
    [THROAT] = {
        {0, -19, 58}, {2.5, -19, 57.5}, {5, -20, 56}, {7, -22, 53}, {8.5, -27, 48},
        {9, -34, 44}, {8.5, -42, 47}, {7, -46, 52}, {4, -48, 56}, {0, -48.5, 58}},
    [PALATE] = {
        {0, -18.5, 85}, {4, -18.2, 84}, {7, -18, 80}, {8.8, -18, 73}, {9.8, -18.5, 62},
        {12, -34, 46.5}, {11, -46.5, 60}, {9.4, -47, 73}, {5.5, -47.5, 80}, {0, -47.5, 82}},
    [GUM_INNER] = {
        {0, -27, 96}, {4.8, -26.9, 95.2}, {9.4, -26.7, 92.2}, {13, -26.2, 84}, {15.6, -26, 64.5},
        {18, -34.5, 48.5}, {17, -41.6, 66}, {12.4, -41.6, 84}, {6.5, -41.6, 91.6}, {0, -41.6, 92.8}},
    [GUM_OUTER] = {
        {0, -27, 107.2}, {7.5, -26.9, 106.4}, {15.6, -26.7, 102.4}, {24, -26.2, 91.5}, {30, -26, 67.5},
        {30, -34, 49.5}, {30.6, -41.2, 67.5}, {23, -41.6, 89}, {10.8, -41.6, 100.8}, {0, -41.6, 103.4}},
    [FORNIX] = {
        {0, -15, 107.0}, {7.5, -15, 106.2}, {17, -14, 104.6}, {28.5, -15.5, 93.5}, {35, -19.5, 71},
        {32.4, -33.5, 53}, {33.2, -44.2, 70}, {26.5, -51, 89}, {12, -53, 101.5}, {0, -53.5, 103.5}},
    [LIP_INNER] = {
        {0, -32.4, 110.8}, {6, -32.4, 110.2}, {11.6, -32.7, 108.0}, {16.6, -33.4, 104.4}, {20.6, -34.2, 100.6},
        {23.6, -34.9, 96.6}, {18.8, -35.6, 102.4}, {13, -35.4, 107.0}, {6.6, -35.2, 109.6}, {0, -35.2, 110.4}},
    [LIP_LINE] = {
        {0, -33.5, 115.6}, {6.4, -33.3, 114.8}, {12.2, -33.6, 112.4}, {17.4, -34.1, 108.6}, {21.6, -34.6, 104.2},
        {24.8, -34.9, 100.4}, {19.6, -34.5, 106.4}, {13.6, -33.9, 111.4}, {7.0, -33.5, 114.4}, {0, -33.7, 115.2}},
    [LIP_RED] = {
        {0, -29.0, 118.8}, {6.4, -28.6, 117.9}, {12.4, -29.6, 115.2}, {17.8, -31.4, 111.0}, {22.0, -33.4, 106.0},
        {25.0, -34.9, 101.4}, {20.4, -37.2, 107.2}, {13.8, -38.6, 112.4}, {7.0, -39.2, 115.6}, {0, -39.2, 116.2}},
    [LIP_BORDER] = {
        {0, -24.8, 118.2}, {6.6, -24.0, 117.4}, {12.6, -26.2, 114.4}, {18.2, -29.2, 110.2}, {22.6, -32.4, 105.6},
        {25.8, -35.0, 101.6}, {20.8, -39.6, 107.0}, {14.0, -42.4, 111.6}, {7.0, -43.6, 114.6}, {0, -43.9, 115.4}},
    [LIP_SKIN] = {
        {0, -20.6, 116.4}, {8.0, -20.0, 115.4}, {15.4, -21.8, 111.8}, {22.0, -25.2, 107.6}, {27.2, -29.6, 103.2},
        {30.4, -35.2, 99.4}, {26.0, -43.6, 102.4}, {17.0, -48.2, 106.8}, {8.6, -50.2, 109.6}, {0, -50.6, 110.2}},
    [MOUTH_EDGE] = {
        {0, -12.3, 115.4}, {7.6, -12.0, 112.6}, {13.2, -11.8, 107.0}, {19.2, -9.0, 101.4}, {30.5, -20.0, 102.0},
        {36.5, -36.5, 96.0}, {33.0, -52.0, 93.0}, {22.5, -61.5, 99.5}, {11.5, -65.5, 107.5}, {0, -66.8, 109.8}},
};

// Around the ear, from its front end above over the top and the back to the lobe and the tragus. In
// the ear's own plane: back from the tragus, up, and out of the plane.
enum { CONCHA, ANTIHELIX, SCAPHA, HELIX, EAR_RIM, EAR_BACK, EAR_ROOT };
static const double ear_points[EAR_RINGS][EAR_POINTS][3] = {
    [CONCHA] = {
        {12, 17.5, -5.5}, {15, 18, -6.5}, {17.5, 15.5, -7.5}, {18, 10, -8.5}, {16.5, 3.5, -9.5},
        {13.5, -1.5, -9.5}, {10.5, -3.5, -9.5}, {8, -2.5, -10}, {6.8, 2.5, -11}, {9, 9.5, -7}},
    [ANTIHELIX] = {
        {12, 22, -1.2}, {17, 23.5, 0.4}, {21.5, 19.5, 2.4}, {23, 11.5, 3}, {21.5, 3, 2.6},
        {16.8, -4.8, 1.8}, {12.2, -8.2, 2.4}, {7.8, -7.2, -4}, {4.8, 2.2, -5}, {9.5, 11, -2.5}},
    [SCAPHA] = {
        {10.5, 25.5, -2}, {17.5, 29.5, -1.5}, {24, 25, -1.2}, {27, 13.5, -1.2}, {24.5, 2, -1.4},
        {18, -8.5, -1.6}, {12.5, -13, -0.6}, {6.5, -9.5, -2.5}, {5, 2, -1.5}, {8, 12, -0.5}},
    [HELIX] = {
        {8, 28.5, 2.5}, {17.5, 33, 3.5}, {27, 28, 3.5}, {31, 14.5, 2.8}, {27.5, 1, 1.6},
        {19.5, -11.5, -0.2}, {11.5, -18, -0.8}, {4, -12.5, -1}, {5.5, 1.5, 2.8}, {4.5, 14.5, 2}},
    [EAR_RIM] = {
        {5, 31, 1}, {17, 37, 1.5}, {30, 31, 1.5}, {35, 15, 0.5}, {31, 0, -0.5},
        {22, -14, -1.5}, {11, -23.5, -2.5}, {1.5, -17.5, -2}, {2.5, 1.5, 2.5}, {1, 17, 0.5}},
    [EAR_BACK] = {
        {4.5, 31.5, -2}, {15.5, 36, -3}, {28, 30.5, -4}, {32, 15, -5}, {28, 0.5, -5.5},
        {19.5, -13, -5}, {10, -22.5, -4.8}, {0.8, -17, -3.5}, {0.2, 1.5, 0.8}, {-0.8, 17, -0.8}},
    // on the head: x, y, z as elsewhere
    [EAR_ROOT] = {
        {76.0, 31.0, 14.5}, {76.8, 33.0, 2.0}, {75.2, 27.5, -10.5}, {74.0, 15.0, -13.0}, {71.0, 3.5, -9.5},
        {68.8, -7.0, -2.6}, {70.0, -15.0, 6.4}, {72.2, -12.5, 16.0}, {74.2, 2.0, 20.0}, {75.2, 17.0, 18.4}},
};

// Single points of nose, cheek and glabella.
enum { N0, N1, N2, N3, N4, N5, N6, N7, D0, D1, D2, D3, D4, D5, D6, D7, S3, S4, W5, W6, W7, G5, G6,
       R6, R7, C0, C1, C2, C3, K3, K4, K5, K6, K7, K8, K9, A1, A2, F0, F3, F4, F5, F6, SINGLES };
static const double single_points[SINGLES][3] = {
    // bridge, tip and septum of the nose, in the mid-plane
    [N0] = {0, 57.3, 107.7}, [N1] = {0, 43, 106}, [N2] = {0, 32, 110.5}, [N3] = {0, 21, 119.3},
    [N4] = {0, 11, 127.3}, [N5] = {0, 3, 131}, [N6] = {0, -5, 128}, [N7] = {0, -9, 120.8},
    // edge of the bridge, dome of the tip, side of the septum
    [D0] = {6.6, 57.5, 107.6}, [D1] = {5.4, 43.5, 103.8}, [D2] = {5.2, 32, 107.6}, [D3] = {5.6, 21, 115.4},
    [D4] = {6.6, 11.5, 122.6}, [D5] = {8.2, 3.5, 125.2}, [D6] = {6.8, -5, 123.2}, [D7] = {4.6, -9.3, 118.6},
    // side wall, wing, groove behind the wing, rim of the nostril
    [S3] = {11, 18, 108}, [S4] = {12, 9.8, 113.2},
    [W5] = {12.8, 2.6, 116.2}, [W6] = {17.0, -2.6, 110.2}, [W7] = {18.0, -7.2, 105.0},
    [G5] = {15.6, 6.8, 105.4}, [G6] = {19.4, -0.6, 101.4},
    [R6] = {10.6, -5.2, 119.4}, [R7] = {14.6, -9.2, 112.4},
    // cheek
    [C0] = {19.5, 9, 98.8}, [C1] = {27.5, 0.5, 100.2}, [C2] = {39.5, -1, 97}, [C3] = {54.5, 3.5, 84},
    // around the mouth's edge: cheek, jaw, chin
    [K3] = {27, -8.5, 101}, [K4] = {39, -14, 96.6}, [K5] = {49.5, -27, 84.6}, [K6] = {45.5, -49.5, 78.5},
    [K7] = {33, -66.5, 84.5}, [K8] = {16, -75.5, 97.5}, [K9] = {0, -78, 99.5},
    // glabella and forehead
    [A1] = {6.5, 68.5, 105.8}, [A2] = {14.5, 69, 105.2},
    [F0] = {0, 82, 101.8}, [F3] = {24, 82, 98.8}, [F4] = {37, 82, 92.6}, [F5] = {49.5, 80, 83}, [F6] = {59, 76, 71},
};

// Rows around the side and the back: level with the forehead, outer end of the brow, eye, cheek
// bone, upper cheek, mouth, jaw. The ear stands in the gap.
static const double side_points[SIDE_ROWS][SIDE_COLUMNS][3] = {
    {{66, 81, 56}, {73.4, 82, 37}, {77, 83, 16}, {78.2, 83.5, -6}, {74.4, 83, -29}, {64, 81, -50.5},
     {51.5, 79.5, -66}, {37, 78.5, -77.5}, {18.5, 77.5, -84}, {0, 77, -85.8}},
    {{66.2, 55, 63}, {73, 57, 41}, {77.2, 58, 17}, {79, 59, -6}, {76.6, 58, -29}, {67.6, 56, -51},
     {54.5, 53.5, -67}, {38, 52, -79}, {19, 51, -86}, {0, 50.5, -87.6}},
    {{67.6, 36.5, 61}, {72.6, 36.5, 41}, {75.2, 38, 18}, {76.2, 41, -4}, {74.2, 36.5, -28}, {66.5, 35, -49.5},
     {54, 32.5, -65}, {38, 30.5, -76.5}, {19, 29, -83}, {0, 28.5, -84.6}},
    {{67.8, 20, 60.5}, {73, 19, 41}, {74.5, 20, 21}, {0, 0, 0}, {71, 20, -22}, {64.5, 16.5, -45},
     {53, 12.5, -59.5}, {37.5, 10, -70.5}, {19, 9, -76.5}, {0, 8.5, -78}},
    {{66.8, 2, 61}, {72, 1, 42}, {73.4, 3, 23}, {0, 0, 0}, {66.5, 4, -16}, {60.5, -2, -37.5},
     {49.5, -7, -51}, {35, -10, -61.5}, {17.5, -11, -67}, {0, -11.5, -68.3}},
    {{60.5, -22, 65.5}, {67, -19, 43}, {68.8, -15, 22}, {66.5, -23, 5}, {60.5, -14, -11}, {55, -21, -28},
     {45.5, -26, -41}, {32.5, -29.5, -51.5}, {16.5, -31, -57.5}, {0, -31.5, -59.2}},
    {{53.8, -45.5, 62}, {58.4, -43.5, 40.5}, {58.6, -40, 21}, {58, -41, 5}, {57, -40, -9}, {52.5, -42.5, -24},
     {44, -46, -37}, {32, -48, -48.5}, {16.5, -49.5, -55.5}, {0, -50, -57.5}},
};

static const double neck_points[NECK_ROWS][NECK_COLUMNS][3] = {
    {{0, -83, 80}, {13, -82.4, 79.5}, {27, -75, 72}, {39.5, -63.5, 65}, {48, -56, 51}, {53.5, -53.5, 34},
     {56, -54, 18}, {57, -57, 4}, {55.5, -58, -9.5}, {51.5, -60.5, -24}, {43.5, -63.5, -37.5},
     {31.5, -65.5, -49}, {16.5, -67, -56.5}, {0, -67.5, -58.5}},
    {{0, -88.5, 60}, {13.5, -89, 59}, {27, -87, 52}, {38.5, -81.5, 43}, {46.5, -78, 32}, {52, -76.5, 19.5},
     {55, -77, 7.5}, {56, -78, -5}, {55, -79.5, -17.5}, {51, -81.5, -30}, {43, -84, -42},
     {31.5, -86, -52.5}, {16.5, -87.5, -60}, {0, -88, -62}},
    {{0, -107, 51}, {13.5, -107.5, 49.5}, {27, -107, 43}, {38, -105.5, 33.5}, {46, -104.5, 22}, {51.5, -104, 10},
     {54.5, -104, -2}, {56, -104, -13.5}, {55.5, -104, -25}, {52, -104.5, -37}, {44, -105.5, -49.5},
     {32, -107, -61}, {17, -108, -68.5}, {0, -108.5, -71}},
    {{0, -132, 41}, {14, -132, 40}, {28, -131, 35}, {40, -129, 26}, {50, -127, 14}, {58, -125.5, 3},
     {64, -124, -8}, {67.5, -123, -19}, {67, -122.5, -31}, {61.5, -122.5, -44}, {50.5, -122.5, -57.5},
     {36, -122.5, -69.5}, {18.5, -122.5, -78}, {0, -122.5, -81}},
};

// The top of the head, from the forehead back.
static const double cap_points[CAP_ROWS][CAP_COLUMNS][3] = {
    {{0, 111, 86.5}, {24.5, 110, 82.5}, {40.5, 107, 74.5}, {54.5, 99, 63.5}},
    {{0, 134.5, 54.5}, {24.5, 132, 52}, {44, 124.5, 47.5}, {61.5, 110.5, 42}},
    {{0, 144.8, 11}, {24.5, 141.8, 10.5}, {45.5, 133, 10}, {64.5, 116, 9}},
    {{0, 138.5, -35}, {24, 136, -34}, {43.5, 128, -32.5}, {60.5, 112.5, -30}},
    {{0, 113, -69.5}, {22, 111.5, -67}, {40, 107, -60.5}, {55, 98, -52}},
};
// clang-format on

// ---------------------------------------------------------------------------------------------
// Growing the mesh

void scn_head_surface_deinit(scn_head_surface *surface) {
    free(surface->values);
    free(surface->quads);
    *surface = (scn_head_surface){0};
}

enum { VERTICES_MAX = 1024, QUADS_MAX = 1024 };

static uint32_t add_point(scn_head_surface *cage, const double point[3]) {
    double *values = cage->values[cage->vertex_count];
    memset(values, 0, sizeof *cage->values);
    memcpy(values, point, 3 * sizeof *point);
    return cage->vertex_count++;
}

static void add_points(scn_head_surface *cage, const double (*points)[3], uint32_t count,
                       uint32_t *ids) {
    for (uint32_t i = 0; i < count; ++i) {
        ids[i] = add_point(cage, points[i]);
    }
}

static void add_quad(scn_head_surface *cage, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                     uint8_t whole) {
    cage->quads[cage->quad_count++] = (scn_head_quad){{a, b, c, d}, whole};
}

// Quads between two rings that run clockwise seen from outside. `coarse`: the band is not split
// across in the last refinement.
static void join(scn_head_surface *cage, const uint32_t *inner, const uint32_t *outer,
                 uint32_t count, bool closed, bool coarse) {
    for (uint32_t i = 0; i + !closed < count; ++i) {
        uint32_t next = (i + 1) % count;
        add_quad(cage, inner[i], inner[next], outer[next], outer[i], coarse ? 2 : 0);
    }
}

// Closes a ring of an even number of vertices by a strip of quads.
static void close_ring(scn_head_surface *cage, const uint32_t *ring, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count / 2; ++i) {
        add_quad(cage, ring[i], ring[count - 1 - i], ring[count - 2 - i], ring[i + 1], 0);
    }
}

typedef struct cage_ids {
    uint32_t eye[EYE_RINGS][EYE_POINTS];
    uint32_t mouth[MOUTH_RINGS + 1][MOUTH_POINTS];
    uint32_t ear[EAR_RINGS][EAR_POINTS];
    uint32_t nostril[NOSTRIL_RINGS][NOSTRIL_POINTS];
    uint32_t single[SINGLES];
    uint32_t side[SIDE_ROWS][SIDE_COLUMNS];
    uint32_t neck[NECK_ROWS][NECK_COLUMNS];
    uint32_t cap[CAP_ROWS][CAP_COLUMNS];
} cage_ids;

// ---------------------------------------------------------------------------------------------
// Eye

// The point of a sphere about the eyeball, `away` from its surface, in the direction of a point but
// turned to `polar_deg` from the axis of sight.
static sn_vec3 around_eyeball(sn_vec3 toward, double away, double polar_deg) {
    scn_head_eye eye = scn_head_eyeball();
    sn_vec3 side = sn_vec3_sub(toward, eye.center);
    side.z = 0;
    side = sn_vec3_normalize_or(side, sn_vec3_make(1, 0, 0));
    scn_turn polar = scn_turn_from_deg(polar_deg);
    sn_vec3 direction = {side.x * polar.sine, side.y * polar.sine, polar.cosine};
    return sn_vec3_add_scaled(eye.center, eye.radius + away, direction);
}

static sn_vec3 table_point(const double point[3]) {
    return sn_vec3_make(point[0], point[1], point[2]);
}

// The inner edge of a lid's margin touches the eyeball, but for the corners.
static sn_vec3 lid_inner_point(int k) {
    static const double away[EYE_POINTS] = {-1, 0.6, 0.2, 0.2, 0.2, 0.4,
                                            -1, 0.4, 0.2, 0.2, 0.2, 0.6};
    scn_head_eye ball = scn_head_eyeball();
    sn_vec3 p = table_point(eye_points[LID_INNER][k]), out = sn_vec3_sub(p, ball.center);
    double r = (scn_head_eye_height(out) + away[k]) / sn_vec3_length(out);
    return away[k] < 0 ? p : sn_vec3_add_scaled(ball.center, r, out);
}

// The margin of a lid is about 2 mm wide and looks forward: its outer edge is the inner one moved
// away from the eyeball and a little away from the opening.
static sn_vec3 lid_outer_point(int k) {
    scn_head_eye eye = scn_head_eyeball();
    sn_vec3 inner = lid_inner_point(k);
    sn_vec3 out = sn_vec3_sub(inner, eye.center), aside = out;
    aside.z = 0;
    out = sn_vec3_normalize_or(out, sn_vec3_make(0, 0, 1));
    aside = sn_vec3_normalize_or(aside, sn_vec3_make(1, 0, 0));
    return sn_vec3_add_scaled(sn_vec3_add_scaled(inner, 1.5, out), 0.5, aside);
}

// The plate of a lid lies on the eyeball, half-way between margin and crease.
static sn_vec3 lid_plate_point(int k) {
    const double thickness = 2.6;
    scn_head_eye eye = scn_head_eyeball();
    sn_vec3 crease = table_point(eye_points[LID_CREASE][k]);
    sn_vec3 middle = sn_vec3_lerp(lid_outer_point(k), crease, 0.5);
    sn_vec3 out = sn_vec3_sub(middle, eye.center);
    double away = sn_vec3_length(out), least = eye.radius + thickness;
    return away < least ? sn_vec3_add_scaled(eye.center, least / away, out) : middle;
}

static void add_eye(scn_head_surface *cage, cage_ids *ids) {
    // Where the second ring touches the eyeball: far forward in the corners, whose flesh it is.
    static const double side_deg[EYE_POINTS] = {60, 76, 90, 90, 90, 82, 68, 82, 90, 90, 90, 76};
    static const double lashes[EYE_POINTS] = {0, 0.7, 1, 1, 1, 1, 0.7, 0.4, 0.4, 0.4, 0.3, 0.1};
    for (int k = 0; k < EYE_POINTS; ++k) {
        sn_vec3 inner = lid_inner_point(k);
        sn_vec3 made[] = {[EYE_BACK] = around_eyeball(inner, 0.8, 148),
                          [EYE_SIDE] = around_eyeball(inner, 0.6, side_deg[k]),
                          [LID_INNER] = inner,
                          [LID_OUTER] = lid_outer_point(k),
                          [LID_PLATE] = lid_plate_point(k)};
        for (int ring = 0; ring < EYE_RINGS; ++ring) {
            const double *point = ring <= LID_PLATE ? &made[ring].x : eye_points[ring][k];
            uint32_t id = add_point(cage, point);
            ids->eye[ring][k] = id;
            cage->values[id][SCN_HEAD_EYE] = ring <= EYE_SIDE;
            cage->values[id][SCN_HEAD_LASH] = ring == LID_OUTER ? lashes[k] : 0;
            cage->values[id][SCN_HEAD_LID] = ring == LID_INNER || ring == LID_OUTER;
        }
    }
    for (int ring = 0; ring + 1 < EYE_RINGS; ++ring) {
        join(cage, ids->eye[ring], ids->eye[ring + 1], EYE_POINTS, true,
             ring == EYE_BACK || ring == LID_INNER);
    }
    close_ring(cage, ids->eye[EYE_BACK], EYE_POINTS);
}

// ---------------------------------------------------------------------------------------------
// Mouth, nose, ear

static void add_mouth(scn_head_surface *cage, cage_ids *ids) {
    for (int ring = 0; ring <= MOUTH_RINGS; ++ring) {
        add_points(cage, mouth_points[ring], MOUTH_POINTS, ids->mouth[ring]);
        for (int k = 0; k < MOUTH_POINTS; ++k) {
            double *values = cage->values[ids->mouth[ring][k]];
            values[SCN_HEAD_LOWER] = k < 5 ? 0 : k > 5 ? 1 : 0.5;
            values[SCN_HEAD_MOUTH] = ring <= LIP_INNER;
            values[SCN_HEAD_LIP] = ring <= LIP_RED ? 1 : ring == LIP_BORDER ? 0.5 : 0;
        }
    }
    for (int ring = 0; ring < MOUTH_RINGS; ++ring) {
        join(cage, ids->mouth[ring], ids->mouth[ring + 1], MOUTH_POINTS, false, ring < LIP_INNER);
    }
    // The throat: the ring's other half is its mirror image.
    const uint32_t *t = ids->mouth[THROAT];
    for (int k = 0; k < 4; ++k) {
        add_quad(cage, t[k], t[9 - k], t[8 - k], t[k + 1], 0);
    }
}

static void add_nostril(scn_head_surface *cage, cage_ids *ids) {
    const uint32_t *s = ids->single, *m = ids->mouth[MOUTH_EDGE];
    const uint32_t rim[NOSTRIL_POINTS] = {s[D6], s[R6], s[R7], m[2], m[1], s[D7]};
    static const double inside[NOSTRIL_RINGS][NOSTRIL_POINTS][3] = {
        {{7.6, 4, 117},
         {9.6, 4, 115},
         {11.2, 2, 110.5},
         {10.6, 0, 107},
         {8, 0, 108.5},
         {6, 2, 113}},
        {{7.2, -5.2, 119.6},
         {9.8, -5.6, 117.6},
         {12.4, -8.2, 112.2},
         {11.4, -10, 108.8},
         {8.2, -10.2, 111.2},
         {6.2, -8.6, 116.2}},
    };
    for (int ring = 0; ring < NOSTRIL_RINGS; ++ring) {
        add_points(cage, inside[ring], NOSTRIL_POINTS, ids->nostril[ring]);
    }
    join(cage, ids->nostril[0], ids->nostril[1], NOSTRIL_POINTS, true, false);
    join(cage, ids->nostril[1], rim, NOSTRIL_POINTS, true, true);
    close_ring(cage, ids->nostril[0], NOSTRIL_POINTS);
}

static void add_face(scn_head_surface *cage, const cage_ids *ids) {
    const uint32_t *s = ids->single, *e = ids->eye[BROW], *m = ids->mouth[MOUTH_EDGE];
    const uint32_t quads[][4] = {
        // glabella: three columns become one
        {s[N0], s[D0], s[A1], s[F0]},
        {s[D0], e[1], s[A2], s[A1]},
        {e[1], e[2], s[F3], s[A2]},
        {s[A1], s[A2], s[F3], s[F0]},
        // brow
        {e[2], e[3], s[F4], s[F3]},
        {e[3], e[4], s[F5], s[F4]},
        {e[4], e[5], s[F6], s[F5]},
        // bridge and side wall of the nose
        {s[N1], s[D1], s[D0], s[N0]},
        {s[D1], e[0], e[1], s[D0]},
        {s[N2], s[D2], s[D1], s[N1]},
        {s[D2], e[11], e[0], s[D1]},
        {s[N3], s[D3], s[D2], s[N2]},
        {s[D3], s[S3], e[11], s[D2]},
        {s[S3], s[C0], e[10], e[11]},
        {s[N4], s[D4], s[D3], s[N3]},
        {s[D4], s[S4], s[S3], s[D3]},
        {s[S4], s[G5], s[C0], s[S3]},
        // tip, wing, septum
        {s[N5], s[D5], s[D4], s[N4]},
        {s[D5], s[W5], s[S4], s[D4]},
        {s[W5], s[W6], s[G5], s[S4]},
        {s[W6], s[W7], s[G6], s[G5]},
        {s[N6], s[D6], s[D5], s[N5]},
        {s[D6], s[R6], s[W5], s[D5]},
        {s[R6], s[R7], s[W6], s[W5]},
        {s[R7], m[2], s[W7], s[W6]},
        {m[2], m[3], s[G6], s[W7]},
        {s[N7], s[D7], s[D6], s[N6]},
        {m[0], m[1], s[D7], s[N7]},
        // cheek
        {s[C0], s[C1], e[9], e[10]},
        {s[G5], s[G6], s[C1], s[C0]},
        {s[G6], m[3], s[K3], s[C1]},
        {s[C1], s[C2], e[8], e[9]},
        {s[C2], s[C3], e[7], e[8]},
        {s[K3], s[K4], s[C2], s[C1]},
        {s[K4], s[K5], s[C3], s[C2]},
    };
    for (size_t i = 0; i < sizeof quads / sizeof *quads; ++i) {
        add_quad(cage, quads[i][0], quads[i][1], quads[i][2], quads[i][3], 0);
    }
    join(cage, m + 3, s + K3, 7, false, false);
}

// The plane of the ear stands off the head by 28 degrees and leans back a little.
static void ear_point(int ring, int k, double point[3]) {
    const double back[3] = {0.47, 0, -0.883}, out[3] = {0.883, 0, 0.47};
    const double tragus[3] = {75.5, 0, 17}, lean = 0.12;
    const double *p = ear_points[ring][k];
    if (ring == EAR_ROOT) {
        memcpy(point, p, 3 * sizeof *point);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        point[axis] = tragus[axis] + p[0] * back[axis] + p[2] * out[axis];
    }
    point[1] += p[1];
    point[2] -= lean * (p[1] - 5);
}

static void add_ear(scn_head_surface *cage, cage_ids *ids) {
    const uint32_t(*s)[SIDE_COLUMNS] = (const uint32_t(*)[SIDE_COLUMNS])ids->side;
    const uint32_t hole[EAR_POINTS] = {s[2][2], s[2][3], s[2][4], s[3][4], s[4][4],
                                       s[5][4], s[5][3], s[5][2], s[4][2], s[3][2]};
    for (int ring = 0; ring < EAR_RINGS; ++ring) {
        for (int k = 0; k < EAR_POINTS; ++k) {
            double point[3];
            ear_point(ring, k, point);
            ids->ear[ring][k] = add_point(cage, point);
        }
    }
    for (int ring = 0; ring + 1 < EAR_RINGS; ++ring) {
        join(cage, ids->ear[ring], ids->ear[ring + 1], EAR_POINTS, true, true);
    }
    join(cage, ids->ear[EAR_RINGS - 1], hole, EAR_POINTS, true, true);
    close_ring(cage, ids->ear[0], EAR_POINTS);
}

// ---------------------------------------------------------------------------------------------
// Side, back, top and neck

// Quads of a patch between two rows of which the second lies below the first.
static void join_rows(scn_head_surface *cage, const uint32_t *upper, const uint32_t *lower,
                      uint32_t count, bool coarse) {
    join(cage, lower, upper, count, false, coarse);
}

static void add_side(scn_head_surface *cage, const cage_ids *ids) {
    const uint32_t *s = ids->single, *e = ids->eye[BROW];
    const uint32_t front[SIDE_ROWS] = {s[F6], e[5], e[6], e[7], s[C3], s[K5], s[K6]};
    for (int row = 0; row + 1 < SIDE_ROWS; ++row) {
        const uint32_t upper[2] = {front[row], ids->side[row][0]};
        const uint32_t lower[2] = {front[row + 1], ids->side[row + 1][0]};
        bool ear = row >= 2 && row < 5;
        join_rows(cage, upper, lower, 2, false);
        join_rows(cage, ids->side[row], ids->side[row + 1], ear ? 3 : 5, false);
        join_rows(cage, ids->side[row] + 4, ids->side[row + 1] + 4, SIDE_COLUMNS - 4, false);
    }
}

static void add_neck(scn_head_surface *cage, const cage_ids *ids) {
    const uint32_t *s = ids->single;
    uint32_t jaw[NECK_COLUMNS] = {s[K9], s[K8], s[K7], s[K6]};
    memcpy(jaw + 4, ids->side[SIDE_ROWS - 1], sizeof ids->side[0]);
    join_rows(cage, jaw, ids->neck[0], NECK_COLUMNS, false);
    // Where the jaw moves the skin, quads stay small.
    for (int row = 0; row + 1 < NECK_ROWS; ++row) {
        join_rows(cage, ids->neck[row], ids->neck[row + 1], NECK_COLUMNS, row > 0);
    }
}

static void add_cap(scn_head_surface *cage, const cage_ids *ids) {
    const uint32_t *s = ids->single, *side = ids->side[0];
    uint32_t rows[CAP_ROWS + 2][CAP_COLUMNS + 1] = {{s[F0], s[F3], s[F4], s[F5], s[F6]}};
    for (int row = 1; row <= CAP_ROWS; ++row) {
        memcpy(rows[row], ids->cap[row - 1], sizeof ids->cap[0]);
        rows[row][CAP_COLUMNS] = side[row - 1];
    }
    for (int column = 0; column <= CAP_COLUMNS; ++column) {
        rows[CAP_ROWS + 1][column] = side[SIDE_COLUMNS - 1 - column];
    }
    for (int row = 0; row <= CAP_ROWS; ++row) {
        join(cage, rows[row], rows[row + 1], CAP_COLUMNS + 1, false, false);
    }
}

void scn_head_cage(scn_head_surface *cage) {
    cage_ids ids;
    *cage = (scn_head_surface){0};
    cage->values = malloc(VERTICES_MAX * sizeof *cage->values);
    cage->quads = malloc(QUADS_MAX * sizeof *cage->quads);
    cage->failed = cage->values == NULL || cage->quads == NULL;
    if (cage->failed) {
        return;
    }
    add_points(cage, single_points, SINGLES, ids.single);
    for (int row = 0; row < SIDE_ROWS; ++row) {
        add_points(cage, side_points[row], SIDE_COLUMNS, ids.side[row]);
    }
    for (int row = 0; row < NECK_ROWS; ++row) {
        add_points(cage, neck_points[row], NECK_COLUMNS, ids.neck[row]);
    }
    for (int row = 0; row < CAP_ROWS; ++row) {
        add_points(cage, cap_points[row], CAP_COLUMNS, ids.cap[row]);
    }
    add_eye(cage, &ids);
    add_mouth(cage, &ids);
    add_nostril(cage, &ids);
    add_face(cage, &ids);
    add_side(cage, &ids);
    add_ear(cage, &ids);
    add_neck(cage, &ids);
    add_cap(cage, &ids);
}
