// SPDX-License-Identifier: Apache-2.0
//
// Layered flesh: skin and fascia with fat between them, as columns (docs/layers.md).
//
// A column i is a point x_i of the skin and a point y_i of the fascia below it. Columns share
// triangles: one of the x is a piece of the skin's membrane, one of the y a piece of the fascia,
// and the prism between them is fat.
//
//         x1 ----- x2        skin: soft up to a stretch of 1.25, then stiff
//        /|  \    / |
//       / |   x0 /  |        fat: keeps its shape (prism) and its volume
//      /  |   |     |
//     y1 -+---|-- y2         fascia: held at anchors, firmly along the normal,
//        \    |   /          loosely along the surface, so that it slides
//             y0
//
//     sni_columns_create(context, &desc, &columns, error);              once: rest quantities
//     sni_columns_solve(columns, &arena, &hold, &effort, &state);       every frame
//
// Energies of one triangle of area A (volume V below it), stretches s1 and s2 of its membrane, F
// the deformation of its prism, J = det F; and of one column with a third A of the areas around:
//
//     membrane   k_m A (W(s1) + W(s2))      W' = r, see sni_skin_law (flesh_law.h)
//     fascia     k_f A, the law of a sheet that hardly resists compression (sni_fascia_law)
//     fat        k_p V |F - R|^2 / 2        R the rotation next to F in the middle of the prism
//     bending    k_b times what F's variation within the prism adds to that, so that columns of one
//                triangle cannot grow and shrink by turns
//     volume     k_v V, stress k_v clamp(J - 1, -1, 1) cof F / (|cof F|^2 + 0.05)
//     anchor     A (s |y - a|^2 + h (n.(y - a))^2) / 2     s, h: stiffnesses of this column
//     rod        k_r A, where |x - y| is below 0.6 or above 1.3 of its rest length
//     contact    k_c A, where x or y is behind a plane
//
// Lengths are in metres and stiffnesses in one unit, which matters to motion alone.
#ifndef SINEW_SOLVER_FLESH_H
#define SINEW_SOLVER_FLESH_H

#include "base/arena.h"

// A stiffness that scales all of one kind.
typedef struct sni_flesh_stiffness {
    double membrane;          // k_m
    double fascia;            // k_f
    double fat;               // k_p
    double bending;           // k_b: 1 is the prism's energy in full, 0 that of its middle alone
    double volume;            // k_v
    double rod;               // k_r
    double contact;           // k_c
    double shortest, longest; // rods: lengths over those at rest
} sni_flesh_stiffness;

// Membrane 0.2, fascia 0, fat 2, bending 1, volume 2, rods 200 at 0.6 to 1.3, contact 800.
sni_flesh_stiffness sni_flesh_stiffness_default(void);

typedef struct sni_columns_desc {
    uint32_t column_count;
    const float *skin, *fascia; // column_count x 3, at rest
    uint32_t triangle_count;
    const uint32_t *triangles; // x 3 columns, their fronts outwards; of any kind: flat, doubled
    const float *elasticity;   // column_count: factors on k_m, a triangle has the mean; NULL: 1
    const uint8_t *pinned;     // column_count: not 0 for those that are not moved; NULL: none
    const float *slide, *hold; // column_count: s and h as they will be, in about; NULL: 10 and 600
    uint32_t cluster;          // columns of one cluster of the coarse correction; 0: there is none
    sni_flesh_stiffness stiffness;
} sni_columns_desc;

sni_columns_desc sni_columns_desc_default(void);

typedef struct sni_columns sni_columns;

// Copies what is described. Triangles without area have no membrane, prisms without volume or
// inside out at rest no prism terms. Fails with SN_INVALID for a column that is not there, and for
// a number that is out of range or not finite.
sn_status sni_columns_create(sn_context *context, const sni_columns_desc *desc,
                             sni_columns **columns, sn_error *error);
void sni_columns_destroy(sni_columns *columns);
size_t sni_columns_bytes(const sni_columns *columns);

// Columns are computed eight at a time: arrays of a frame have this many, the last ones zeros.
uint32_t sni_columns_padded_count(const sni_columns *columns);

// How many triangles have prism terms, and the largest eigenvalue of a round, as found by power
// iteration at rest, without or with the coarse correction.
uint32_t sni_columns_prism_count(const sni_columns *columns);
double sni_columns_largest_eigenvalue(const sni_columns *columns, bool coarse);

// What holds the columns in a frame. Points and planes are x 4, padded: x, y, z and one number.
typedef struct sni_columns_hold {
    const float *anchors; // a, and s
    const float *normals; // n (unit), and h
    // Planes that points have to be in front of: unit normal m and offset o, m.x >= o; normal 0:
    // there is none. NULL: there are none at all.
    const float *skin_planes, *fascia_planes;
    bool planes_hold; // points stay on them, and are not only kept from going behind them
    // Motion: where inertia alone would take points, and mass over the square of the step, per
    // area, in units of stiffness; NULL: there is no inertia.
    const float *skin_inertia, *fascia_inertia; // x 4
    // Called before the first round and every SNI_COLUMNS_RENEWED rounds after it, with points as
    // they are (x 4): may write planes anew. NULL: they stay.
    bool (*renew)(void *user, const float *skin, const float *fascia); // false: out of memory
    void *user;
} sni_columns_hold;

enum { SNI_COLUMNS_RENEWED = 8 };

// How hard to try.
typedef struct sni_columns_effort {
    uint32_t rounds;
    double smallest;  // eigenvalue of a round that acceleration counts on; 0: rounds are not
                      // accelerated, and each goes half the way
    bool coarse;      // with the correction of slow modes
    double tolerance; // stops when no point moves by more in a round, metres; 0: does not stop
} sni_columns_effort;

// Where columns are. All arrays are the caller's; read and written.
typedef struct sni_columns_state {
    float *skin, *fascia; // x 4, padded; the fourth number does not count
    float *rotations;     // of prisms, sni_columns_rotation_count x 4
    float largest;        // written: farthest that a point went in the last round, metres
    uint32_t rounds;      // written: how many there were
} sni_columns_state;

// Quaternions are padded to whole groups.
size_t sni_columns_rotation_count(const sni_columns *columns);

// Writes the rotations with which prisms begin: the mean of those of their columns (x 4, NULL: none
// is turned).
void sni_columns_begin(const sni_columns *columns, const float *column_rotations,
                       sni_columns_state *state);

// Rounds of relaxation; the same bits for any number of threads. False when memory runs out.
bool sni_columns_solve(const sni_columns *columns, sni_arena *arena, const sni_columns_hold *hold,
                       const sni_columns_effort *effort, sni_columns_state *state);

// Brings every rod that is beyond its limits onto them: y goes along it, which nobody sees. (Moving
// x, as the thesis does by half, makes the skin uneven where it folds.) Pinned columns stay.
void sni_columns_clamp(const sni_columns *columns, sni_columns_state *state);

// Turns prisms that are inside out, or nearly so, the right way round, after sni_columns_clamp:
// rods of their columns are laid along the skin's normal, at their shortest, and where the skin
// itself is folded its points go to the middle of their neighbours. Pinned columns stay. Where no
// prism is inside out nothing is changed. `left` is how many still are. False when memory runs out.
bool sni_columns_mend(const sni_columns *columns, sni_arena *arena, sni_columns_state *state,
                      uint32_t *left);

// The rotation of each column, x 4: the mean of those of its prisms by volume; `column_rotations`
// as they began where a column has none.
void sni_columns_turn(const sni_columns *columns, const sni_columns_state *state,
                      float *column_rotations);

// What flesh looks like.
typedef struct sni_columns_measure {
    uint32_t flipped;         // prisms that are inside out
    double volume;            // of all prisms, cubic metres
    double rest_volume;       //
    double stretch;           // largest of the skin's membrane
    double squeeze;           // smallest
    double fascia_stretch;    // largest of the fascia
    double shortest, longest; // rods over their rest length
} sni_columns_measure;

void sni_columns_measure_run(const sni_columns *columns, const float *skin, const float *fascia,
                             sni_columns_measure *measure);

#endif
