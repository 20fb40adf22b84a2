// SPDX-License-Identifier: Apache-2.0
//
// The parts of the `patch` muscle: its basis grid, how it is generated and how it contracts
// (docs/curves.md). Equation numbers are those of Watkins, Automatic Creation of Real-Time Muscle
// Systems; i counts across (u), j along (v).
#ifndef SINEW_MUSCLE_PATCH_H
#define SINEW_MUSCLE_PATCH_H

#include "muscle/muscle.h"

enum {
    SNI_PATCH_SKIN_THICKNESS,
    SNI_PATCH_MUSCLE_THICKNESS,
    SNI_PATCH_DEGREE,
    SNI_PATCH_PATCHES_U,
    SNI_PATCH_PATCHES_V,
    SNI_PATCH_BULGE,
    SNI_PATCH_CURVES,
    SNI_PATCH_NORMALS,
    SNI_PATCH_BONE_SHARE,
    SNI_PATCH_WAY,
    SNI_PATCH_PARAMETER_COUNT,
};

enum { SNI_PATCH_OPEN, SNI_PATCH_CLOSED };                // of SNI_PATCH_CURVES
enum { SNI_PATCH_SKIN_NORMALS, SNI_PATCH_CURVE_NORMALS }; // of SNI_PATCH_NORMALS

// Of SNI_PATCH_WAY: how the points of a ring come to its centre.
enum { SNI_PATCH_WAY_AUTO, SNI_PATCH_WAY_SKIN, SNI_PATCH_WAY_STRAIGHT };

// Where a column's point lies on its curve: between two of its places.
typedef struct sni_patch_sample {
    uint32_t from, to;
    double fraction;
} sni_patch_sample;

// The basis grid. Arrays have count_u x count_v entries, v fastest. Its points are places of the
// surface, not the control points.
typedef struct sni_patch_grid {
    uint32_t count_u, count_v;
    bool closed; // in v: a ring
    // Where the grid's points lie across, and along the curves: 0 to 1.
    double *places_u, *places_v;
    // A ring contracts to its centre: along spokes through its points where it lies around the
    // centre like a disc with a hole, straight where it is a belt.
    sn_vec3 center, center_normal;
    bool spokes;
    bool inner_last;           // the second curve is the inner one
    sn_vec3 *points;           // p_ij
    sn_vec3 *normals;          // n_ij, unit
    double *thickness;         // x_ij of the relaxed muscle (3.4)
    double *bulge;             // b at each point
    double *bulge_factors;     // of b at each point
    double *contraction;       // factor of c at each point
    double *lengths;           // t_j of each column (3.6)
    double *spoke_lengths;     // count_v x (1 + count_u), from the centre outwards; of rings only
    sni_patch_sample *samples; // 2 x count_v: of the first and the second curve
    uint32_t trace_count;
    sni_muscle_trace *traces; // the curves' points, then the skin above grid points
    double trace_spacing;
    uint32_t without_hit, too_deep, without_inner, folded;
} sni_patch_grid;

static inline size_t sni_patch_count(const sni_patch_grid *grid) {
    return (size_t)grid->count_u * grid->count_v;
}

// The key of a parameter, for errors that speak of it.
static inline const char *sni_patch_key(uint32_t parameter) {
    return sni_muscle_patch.parameters.items[parameter].name;
}

// A parameter that is a length, as a part of the muscle's width where it is not given (NAN); 0 for
// others.
double sni_patch_part_of_width(uint32_t parameter);

// The inputs of a job.
enum { SNI_PATCH_DRAWN, SNI_PATCH_VARY, SNI_PATCH_INNER };

static inline const sni_drawn_input *sni_patch_skin(const sni_muscle_job *job) {
    return job->inputs[SNI_PATCH_DRAWN];
}

// NULL: its depth is given by its parameters.
static inline const sni_muscle_inner *sni_patch_inner(const sni_muscle_job *job) {
    return job->inputs[SNI_PATCH_INNER];
}

static inline const char *sni_patch_name(const sni_muscle_job *job) {
    return job->name != NULL ? job->name : "muscle";
}

// Makes the grid. The job is validated. On failure nothing is left allocated.
sn_status sni_patch_generate(const sni_muscle_job *job, sni_patch_grid *grid, sn_error *error);
void sni_patch_grid_deinit(sn_context *context, sni_patch_grid *grid);

// Moves the points of the grid to their depths below the skin, counts those that cannot be, and
// notes the traces. `depths` are those to search at; where the job has an inner surface they become
// its depths.
sn_status sni_patch_refine(const sni_muscle_job *job, sni_patch_grid *grid, double *depths,
                           sn_error *error);

// The depth of the inner surface below a place of the skin. False where there is none.
bool sni_patch_inner_depth(const sni_muscle_job *job, sn_vec3 skin, sn_vec3 normal, double *depth);

// Moves one point to a depth below the skin above it, unless that is further than `furthest` away.
void sni_patch_lift(const sni_muscle_job *job, sn_vec3 normal, double depth, double furthest,
                    sn_vec3 *point);

// f (3.3) at a place of the surface; a ring does not thin out along its closed direction.
double sni_patch_profile(double u, double v, bool closed);

// Where the points of a direction lie: at the Greville abscissae, where the spline of a linear
// function has its control points; equally spaced around a closed direction.
void sni_patch_places(uint32_t degree, uint32_t count, bool closed, double *places);

// The way from points of a direction to the control points of the spline through them.
typedef struct sni_patch_spline {
    uint32_t count;
    double *matrix;                       // count x count
    uint32_t *row_firsts, *column_firsts; // first entries up to the diagonal that are not 0
} sni_patch_spline;

// Deinit it also after a failure.
sn_status sni_patch_spline_init(sn_context *context, const sni_nurbs *nurbs, int direction,
                                const double *places, sni_patch_spline *spline, sn_error *error);
void sni_patch_spline_deinit(sn_context *context, sni_patch_spline *spline);

// Takes the points of a grid (x 3) to the control points of the surface through them, by the
// splines of u and v.
void sni_patch_fit(const sni_patch_spline splines[2], double *points);

// g(c, b) = 1 + b max(c, tension) (3.14).
static inline double sni_patch_bulge(double contraction, double tension, double bulge) {
    return 1 + bulge * (contraction > tension ? contraction : tension);
}

// The arc between unit vectors, at constant speed.
sn_vec3 sni_patch_slerp(sn_vec3 a, sn_vec3 b, double t);

// t_j of (3.6): normalised lengths along a polyline; equal steps where it has no length.
void sni_patch_lengths(const sn_vec3 *points, uint32_t count, double *lengths);

// The contracted lengths of (3.11). `factors` scale the contraction at each point (NULL: 1); each
// step between two points then shrinks by the mean of theirs and keeps at least 1 % of its length,
// so that no point overtakes another.
void sni_patch_shorten(const double *lengths, uint32_t count, double contraction,
                       const double *factors, double *shortened);

// a_j of (3.12): the m with t_m < length <= t_m+1, 0 for length 0.
uint32_t sni_patch_start(const double *lengths, uint32_t count, double length);

// Where along step `start` the length lies, 0 to 1 (3.13).
double sni_patch_fraction(const double *lengths, uint32_t start, double length);

// Scratch of a frame: one line of the grid, posed.
typedef struct sni_patch_line {
    uint32_t count;
    sn_vec3 *points, *normals;
    sn_mat4 *matrices; // M - I
    double *factors;   // of the contraction
    double *shortened;
    const double *lengths; // at rest
} sni_patch_line;

// Room for the longest line of a grid. False for want of memory.
bool sni_patch_line_init(sni_patch_line *line, const sni_patch_grid *grid, sni_arena *arena);

// One frame of the muscle. `matrices` (2 x count_v) carry the points under the two curves, those
// between them by their mean; all are given as M - I. Writes the points of the surface above those
// of the grid (grid x 3).
void sni_patch_contract(const sni_patch_grid *grid, const sn_mat4 *matrices, double contraction,
                        double tension, sni_patch_line *line, double *points);

#endif
