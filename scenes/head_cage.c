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
        {18.9, 32.4, 90.8}, {22.0, 36.4, 91.0}, {26.2, 39.4, 92.6}, {31.0, 40.3, 93.2},
        {36.2, 39.6, 92.4}, {41.2, 37.6, 89.8}, {44.9, 34.7, 86.4}, {42.0, 32.1, 88.8},
        {37.3, 30.2, 92.0}, {32.0, 29.5, 93.2}, {26.8, 29.8, 92.6}, {22.3, 30.9, 91.2}},
    [LID_CREASE] = {
        {15.6, 33.5, 93.2}, {18.8, 41.0, 94.0}, {24.5, 46.0, 94.6}, {31.2, 47.6, 94.4},
        {38.5, 46.4, 92.0}, {45.5, 42.6, 87.8}, {49.8, 35.3, 83.0}, {46.8, 27.6, 86.4},
        {39.8, 22.9, 91.6}, {31.8, 21.6, 94.2}, {24.0, 22.9, 95.0}, {17.6, 27.5, 94.2}},
    [ORBIT] = {
        {13.2, 36.5, 97.0}, {15.6, 46.0, 99.2}, {23.5, 52.5, 100.2}, {32.5, 54.6, 99.2},
        {42.2, 53.2, 94.2}, {50.5, 47.8, 86.8}, {54.8, 36.2, 80.2}, {51.8, 25.0, 83.8},
        {43.0, 18.6, 91.0}, {33.0, 16.6, 94.4}, {23.5, 18.2, 95.8}, {15.8, 25.5, 97.0}},
    [BROW] = {
        {10.6, 38.5, 100.6}, {13.0, 50.5, 104.0}, {22.5, 58.5, 104.6}, {34.5, 61.5, 100.4},
        {47.0, 59.5, 91.4}, {56.5, 51.8, 80.6}, {60.5, 36.8, 75.6}, {57.5, 21.5, 81.0},
        {47.0, 13.0, 89.8}, {35.0, 9.8, 94.8}, {24.0, 11.5, 97.4}, {14.0, 22.0, 101.0}},
};

// Around the mouth, from the middle of the upper lip over the corner to the middle of the lower.
enum { THROAT, PALATE, GUM_INNER, GUM_OUTER, FORNIX, LIP_INNER, LIP_LINE, LIP_RED, LIP_BORDER,
       LIP_SKIN, MOUTH_EDGE };
static const double mouth_points[MOUTH_RINGS + 1][MOUTH_POINTS][3] = {
    [THROAT] = {
        {0, -18, 66}, {3, -18, 65}, {6, -19, 63}, {8, -21, 60}, {9.5, -26, 55},
        {10, -34, 51}, {9.5, -43, 54}, {8, -49, 60}, {4.5, -51, 65}, {0, -51.5, 67}},
    [PALATE] = {
        {0, -18, 92}, {4.5, -17, 91}, {8.5, -16, 88}, {11, -15, 82}, {12, -15.5, 73},
        {13, -34, 58}, {12.5, -50, 70}, {10.5, -51, 80}, {6, -51.5, 88}, {0, -51.5, 90}},
    [GUM_INNER] = {
        {0, -25.5, 100.8}, {5.5, -25.3, 100}, {11, -25, 97}, {15.5, -24.6, 90.5}, {18.5, -24.8, 78},
        {20, -34.5, 62}, {18.5, -44, 78}, {14.5, -43.6, 88.5}, {7.5, -43, 96.5}, {0, -43, 98.4}},
    [GUM_OUTER] = {
        {0, -25.5, 107.6}, {7.5, -25.3, 106.6}, {15, -25, 103}, {22.5, -24.6, 95}, {28.5, -24.8, 80},
        {31, -34.5, 63}, {28.5, -44, 80}, {21.5, -43.6, 93}, {10.5, -43, 102.6}, {0, -43, 104.4}},
    [FORNIX] = {
        {0, -15.5, 105.5}, {7.5, -15.5, 105}, {15.5, -16, 101.5}, {25, -17, 92}, {33, -21, 76},
        {36, -35, 66}, {33, -47, 76}, {25.5, -51, 90}, {12, -53, 100.5}, {0, -53.5, 102.5}},
    [LIP_INNER] = {
        {0, -29.5, 109.5}, {6, -29.3, 109}, {11.6, -29.8, 107}, {16.6, -31, 103.8}, {20.6, -32.8, 100.2},
        {23.6, -34.8, 97}, {18.8, -38, 101.4}, {13, -39, 105.8}, {6.6, -39.2, 108.4}, {0, -39.3, 109}},
    [LIP_LINE] = {
        {0, -33.3, 113.6}, {6.4, -33.0, 113.0}, {12.2, -33.2, 110.8}, {17.4, -33.8, 107.2}, {21.4, -34.5, 103.4},
        {24.2, -34.9, 100.2}, {19.6, -34.9, 105.0}, {13.6, -34.3, 109.8}, {7.0, -34.0, 112.4}, {0, -34.1, 113.2}},
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

// Around the ear, from its front end above over the top and the back to the lobe and the tragus.
static const double ear_points[EAR_RINGS][EAR_POINTS][3] = {
    // floor of the concha
    {{74.6, 15.6, 4.6}, {77.0, 16.6, 1.2}, {78.6, 14.4, -1.2}, {78.8, 9.6, -2.4}, {77.2, 4.2, -1.2},
     {74.6, -0.6, 1.8}, {72.6, -2.6, 4.2}, {70.8, -1.4, 6.4}, {69.6, 2.2, 7.4}, {71.4, 8.4, 6.0}},
    // antihelix
    {{78.6, 20.6, 5.4}, {82.6, 22.6, 0.4}, {86.0, 19.0, -3.8}, {86.6, 11.4, -6.2}, {84.0, 3.0, -4.4},
     {79.6, -4.6, 0.4}, {77.4, -7.6, 4.2}, {74.4, -5.6, 8.2}, {72.8, 1.6, 10.2}, {74.6, 10.0, 7.6}},
    // scapha
    {{78.6, 25.4, 7.6}, {82.8, 28.6, 0.2}, {86.2, 24.6, -6.6}, {87.0, 13.6, -9.8}, {84.2, 3.2, -7.0},
     {79.6, -6.6, -1.0}, {76.0, -12.0, 4.6}, {75.0, -8.5, 9.6}, {75.4, 1.6, 11.8}, {76.4, 11.6, 9.4}},
    // inner edge of the helix
    {{81.0, 28.6, 9.8}, {86.8, 32.6, 0.0}, {91.2, 27.6, -8.6}, {92.2, 14.5, -12.2}, {88.4, 2.2, -9.0},
     {81.8, -9.6, -2.2}, {76.6, -18.6, 5.2}, {75.8, -12.5, 11.4}, {77.2, 1.4, 13.4}, {78.0, 14.0, 12.4}},
    // rim
    {{81.5, 32.0, 11.5}, {86.5, 36.8, 0.5}, {91.0, 31.0, -12.0}, {92.5, 15.5, -16.5}, {88.6, 1.2, -12.6},
     {81.5, -12.0, -4.4}, {75.6, -22.6, 5.6}, {75.2, -16.5, 12.6}, {77.2, 1.2, 15.6}, {77.8, 16.0, 14.8}},
    // back
    {{79.0, 32.5, 12.5}, {82.0, 35.8, 1.5}, {84.5, 30.5, -11.5}, {85.0, 15.5, -16.0}, {82.0, 2.0, -12.5},
     {76.5, -11.0, -4.5}, {72.8, -21.5, 5.5}, {73.6, -16.0, 14.0}, {75.6, 1.6, 18.0}, {76.6, 16.6, 16.6}},
    // root, on the head
    {{76.0, 31.0, 14.5}, {76.8, 33.0, 2.0}, {75.2, 27.5, -10.5}, {74.0, 15.0, -13.0}, {71.0, 3.5, -9.5},
     {68.5, -7.0, -3.0}, {69.5, -16.0, 7.0}, {72.2, -12.5, 16.5}, {74.2, 2.0, 20.0}, {75.2, 17.0, 18.2}},
};

// Single points of nose, cheek and glabella.
enum { N0, N1, N2, N3, N4, N5, N6, N7, D0, D1, D2, D3, D4, D5, D6, D7, S3, S4, W5, W6, W7, G5, G6,
       R6, R7, C0, C1, C2, C3, K3, K4, K5, K6, K7, K8, K9, A1, A2, F0, F3, F4, F5, F6, SINGLES };
static const double single_points[SINGLES][3] = {
    // bridge, tip and septum of the nose, in the mid-plane
    [N0] = {0, 57.3, 107.7}, [N1] = {0, 43, 106}, [N2] = {0, 32, 110.5}, [N3] = {0, 21, 119.3},
    [N4] = {0, 11, 127.3}, [N5] = {0, 3, 131}, [N6] = {0, -5, 128}, [N7] = {0, -9, 120.8},
    // edge of the bridge, dome of the tip, side of the septum
    [D0] = {6.5, 57.5, 107}, [D1] = {5.4, 43.5, 103.8}, [D2] = {5.2, 32, 107.6}, [D3] = {5.6, 21, 115.4},
    [D4] = {6.6, 11.5, 122.6}, [D5] = {8.2, 3.5, 125.2}, [D6] = {6.8, -5, 123.2}, [D7] = {4.6, -9.3, 118.6},
    // side wall, wing, groove behind the wing, rim of the nostril
    [S3] = {11, 18, 108}, [S4] = {12, 9.8, 113.2},
    [W5] = {13.2, 3.2, 116}, [W6] = {16.6, -2.5, 109.6}, [W7] = {17.4, -7.4, 104.8},
    [G5] = {15.4, 6.6, 105.6}, [G6] = {18.6, -1, 101.8},
    [R6] = {10.6, -5.2, 119.4}, [R7] = {14.6, -9.2, 112.4},
    // cheek
    [C0] = {19.5, 9, 98.8}, [C1] = {27.5, 0.5, 99.8}, [C2] = {39.5, 0, 96}, [C3] = {54.5, 3.5, 84},
    // around the mouth's edge: cheek, jaw, chin
    [K3] = {27, -8.5, 101}, [K4] = {39, -14, 96.6}, [K5] = {49.5, -27, 84.6}, [K6] = {46.5, -49.5, 78.5},
    [K7] = {33, -66.5, 84.5}, [K8] = {16, -75.5, 97.5}, [K9] = {0, -78, 99.5},
    // glabella and forehead
    [A1] = {6.5, 66.5, 106.4}, [A2] = {14, 67, 104.6},
    [F0] = {0, 76, 104}, [F3] = {24, 76.5, 101.2}, [F4] = {37, 77, 95}, [F5] = {49.5, 74, 85.6}, [F6] = {60, 67, 73.5},
};

// Rows around the side and the back: level with the forehead, outer end of the brow, eye, cheek
// bone, upper cheek, mouth, jaw. The ear stands in the gap.
static const double side_points[SIDE_ROWS][SIDE_COLUMNS][3] = {
    {{67, 69, 59}, {73.6, 70, 39}, {77, 71, 17}, {78.6, 71.5, -5}, {76, 71, -28}, {67, 70, -50},
     {54, 69, -66}, {38, 68, -78}, {19, 67, -85.5}, {0, 66.5, -87.5}},
    {{65.5, 52, 64}, {72.2, 53, 41}, {76, 54, 17}, {78, 55, -6}, {75.6, 54, -29}, {67, 53, -51},
     {54.5, 51.5, -66.5}, {38, 50, -78.5}, {19, 49, -85.5}, {0, 48.5, -87.4}},
    {{67.6, 36.5, 61}, {72.6, 36.5, 41}, {75.2, 38, 18}, {76.2, 41, -4}, {74.2, 36.5, -28}, {66.5, 35, -49.5},
     {54, 32.5, -65}, {38, 30.5, -76.5}, {19, 29, -83}, {0, 28.5, -84.6}},
    {{67.8, 20, 60.5}, {73, 19, 41}, {74.5, 20, 21}, {0, 0, 0}, {71, 20, -22}, {64.5, 16.5, -45},
     {53, 12.5, -59.5}, {37.5, 10, -70.5}, {19, 9, -76.5}, {0, 8.5, -78}},
    {{66.8, 2, 61}, {72, 1, 42}, {73.4, 3, 23}, {0, 0, 0}, {66.5, 4, -16}, {60.5, -2, -37.5},
     {49.5, -7, -51}, {35, -10, -61.5}, {17.5, -11, -67}, {0, -11.5, -68.3}},
    {{61.5, -22, 65}, {68.6, -19, 43}, {69.6, -15, 22}, {66.5, -23, 5}, {60.5, -14, -11}, {55, -21, -28},
     {45.5, -26, -41}, {32.5, -29.5, -51.5}, {16.5, -31, -57.5}, {0, -31.5, -59.2}},
    {{55.5, -45.5, 62}, {60.8, -43.5, 40.5}, {60.5, -40, 21}, {59.5, -41, 5}, {57, -40, -9}, {52.5, -42.5, -24},
     {44, -46, -37}, {32, -48, -48.5}, {16.5, -49.5, -55.5}, {0, -50, -57.5}},
};

static const double neck_points[NECK_ROWS][NECK_COLUMNS][3] = {
    {{0, -83, 80}, {13, -82.4, 79.5}, {27.5, -76.5, 71}, {40.5, -65, 64}, {48.5, -58.5, 50}, {54, -56.5, 33},
     {56.5, -56, 18}, {57, -57, 4}, {55.5, -58, -9.5}, {51.5, -60.5, -24}, {43.5, -63.5, -37.5},
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
    {{0, 108, 88.5}, {24.5, 107, 84.5}, {40.5, 103.5, 76}, {54, 95, 65.5}},
    {{0, 133.5, 55.5}, {24.5, 131, 53}, {44, 122.5, 48.5}, {61, 108.5, 43.5}},
    {{0, 144.8, 12}, {24.5, 141.5, 11}, {45.5, 132, 10}, {64, 115, 10}},
    {{0, 138.5, -35}, {24, 135.5, -34}, {43.5, 127, -32}, {61.5, 111.5, -29}},
    {{0, 109, -71.5}, {22, 107.5, -69}, {40, 103.5, -62}, {54.5, 95.5, -53.5}},
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

// The margin of a lid is about 2 mm wide and looks forward: its outer edge is the inner one moved
// away from the eyeball and a little away from the opening.
static sn_vec3 lid_outer_point(int k) {
    scn_head_eye eye = scn_head_eyeball();
    sn_vec3 inner = table_point(eye_points[LID_INNER][k]);
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
    for (int k = 0; k < EYE_POINTS; ++k) {
        sn_vec3 inner = table_point(eye_points[LID_INNER][k]);
        sn_vec3 made[] = {[EYE_BACK] = around_eyeball(inner, 0.8, 148),
                          [EYE_SIDE] = around_eyeball(inner, 0.8, 90),
                          [LID_INNER] = inner,
                          [LID_OUTER] = lid_outer_point(k),
                          [LID_PLATE] = lid_plate_point(k)};
        for (int ring = 0; ring < EYE_RINGS; ++ring) {
            const double *point = ring <= LID_PLATE ? &made[ring].x : eye_points[ring][k];
            uint32_t id = add_point(cage, point);
            ids->eye[ring][k] = id;
            cage->values[id][SCN_HEAD_EYE] = ring <= EYE_SIDE;
            cage->values[id][SCN_HEAD_LID] = ring == LID_INNER || ring == LID_OUTER;
        }
    }
    for (int ring = 0; ring + 1 < EYE_RINGS; ++ring) {
        join(cage, ids->eye[ring], ids->eye[ring + 1], EYE_POINTS, true, ring <= LID_INNER);
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
        {{7.6, 4, 117}, {9.6, 4, 115}, {11.2, 2, 110.5}, {10.6, 0, 107}, {8, 0, 108.5}, {6, 2, 113}},
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

static void add_ear(scn_head_surface *cage, cage_ids *ids) {
    const uint32_t(*s)[SIDE_COLUMNS] = (const uint32_t(*)[SIDE_COLUMNS])ids->side;
    const uint32_t hole[EAR_POINTS] = {s[2][2], s[2][3], s[2][4], s[3][4], s[4][4],
                                       s[5][4], s[5][3], s[5][2], s[4][2], s[3][2]};
    for (int ring = 0; ring < EAR_RINGS; ++ring) {
        add_points(cage, ear_points[ring], EAR_POINTS, ids->ear[ring]);
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
    for (int row = 0; row + 1 < NECK_ROWS; ++row) {
        join_rows(cage, ids->neck[row], ids->neck[row + 1], NECK_COLUMNS, false);
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
