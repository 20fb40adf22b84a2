// SPDX-License-Identifier: Apache-2.0
//
// The steps of sn_fit_muscle (docs/fitting.md): surface, ends, axis, strips of sections, places,
// pivots, distance. All scratch memory is in one arena of the call.
#ifndef SINEW_FIT_MUSCLE_FIT_H
#define SINEW_FIT_MUSCLE_FIT_H

#include "base/arena.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"

enum {
    SNI_FIT_STRIPS_MOST = 8,
    SNI_FIT_SLICES_LEAST = 4,
    SNI_FIT_SLICES_MOST = 64,
    SNI_FIT_LEVELS = 25, // cuts across the muscle from which strips are found
};

// Takes scratch memory or leaves by `cleanup` (see SN_TRY).
#define SNI_FIT_TAKE(arena, pointer, count)                                                        \
    do {                                                                                           \
        (pointer) = sni_arena_alloc((arena), (count), sizeof *(pointer));                          \
        if ((pointer) == NULL) {                                                                   \
            status = sni_fail_memory(error);                                                       \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

// ---------------------------------------------------------------------------------------------
// Surface

// The given mesh as triangles with vertices of equal place joined, in metres about `middle`.
typedef struct sni_fit_surface {
    sn_vec3 middle; // of the box
    double size;    // diagonal of the box
    uint32_t vertex_count;
    sn_vec3 *points;         // vertex_count
    double *masses;          // vertex_count: a third of the area around
    uint32_t *vertex_pieces; // vertex_count
    uint32_t triangle_count;
    uint32_t *triangles;      // x 3
    uint32_t *triangle_edges; // x 3: the edge from each corner to the next
    uint32_t edge_count;      // of triangles; links between pieces follow
    uint32_t link_count;
    uint32_t *edges;     // (edge_count + link_count) x 2
    double *weights;     // of these: mean cotangent of the angles opposite, see edge_weight
    uint32_t *offsets;   // vertex_count + 1
    uint32_t *neighbors; // edges and links at each vertex
    uint32_t *ends;      // of these: the vertex at the other end
    double *end_weights; // of these
    uint32_t pieces, handles, border_edges;
    bool closed; // all edges have two triangles that agree
    double area;
    double volume; // signed
    sn_accel *accel;
} sni_fit_surface;

sn_status sni_fit_surface_init(sni_fit_surface *surface, sn_context *context, sni_arena *arena,
                               const sn_mesh *mesh, sn_error *error);
void sni_fit_surface_deinit(sni_fit_surface *surface);

// The vertex closest to a point.
uint32_t sni_fit_nearest_vertex(const sni_fit_surface *surface, sn_vec3 point);

// ---------------------------------------------------------------------------------------------
// Numbers on the surface's graph

// Lengths of the shortest ways along edges and links from the nearest of `seeds` to every vertex.
sn_status sni_fit_distances(const sni_fit_surface *surface, sni_arena *arena, const uint32_t *seeds,
                            uint32_t seed_count, double *distances, sn_error *error);

// Solves (shift M + scale L) x = b for vertex values, M the masses and L the Laplacian of the
// weights, by conjugate gradients from what x holds, until what is left is the tolerance's part of
// what x = 0 leaves. With shift 0 the mean of x stays.
sn_status sni_fit_solve(const sni_fit_surface *surface, sni_arena *arena, double shift,
                        double scale, double tolerance, const double *b, double *x,
                        sn_error *error);

// The same for three right sides at once.
sn_status sni_fit_solve_vectors(const sni_fit_surface *surface, sni_arena *arena, double shift,
                                double scale, double tolerance, double *const b[3],
                                double *const x[3], sn_error *error);

// Values and unit vectors of a symmetric matrix (xx yy zz xy xz yz), largest first; right-handed.
void sni_fit_eigen(const double matrix[6], double values[3], sn_vec3 vectors[3]);

// ---------------------------------------------------------------------------------------------
// Bones

// Trees over the bones' triangles and their boxes, in the world: for many muscles on the same
// bones.
typedef struct sni_bone_trees {
    sn_context *context;
    uint32_t count;
    sn_vec3 *lows, *highs;
    sn_accel **trees; // NULL: none could be made
} sni_bone_trees;

// To be deinitialised in any case.
sn_status sni_bone_trees_init(sni_bone_trees *trees, sn_context *context, uint32_t count,
                              const sn_fit_bone *bones, sn_error *error);
void sni_bone_trees_deinit(sni_bone_trees *trees);

// sn_fit_muscle with trees of the desc's bones.
sn_status sni_fit_muscle(sn_context *context, const sn_muscle_fit_desc *desc,
                         const sni_bone_trees *trees, sn_muscle_fit **fit, sn_error *error);

// The bones about one muscle. Trees that were not given are made when a bone is first asked for.
typedef struct sni_fit_bones {
    sn_context *context;
    uint32_t count;
    const sn_fit_bone *bones;
    sn_vec3 *lows, *highs;       // boxes, in the surface's frame
    sn_vec3 middle;              // of the surface
    double *gaps;                // scratch: distances from boxes
    const sni_bone_trees *trees; // may be NULL
    sn_accel **accels;           // NULL: not made
    uint32_t segment_count;
    const uint32_t *parents;
    const sn_vec3 *joints; // segment_count, in the world; NULL: not known
} sni_fit_bones;

sn_status sni_fit_bones_init(sni_fit_bones *bones, sn_context *context, sni_arena *arena,
                             const sn_muscle_fit_desc *desc, const sni_bone_trees *trees,
                             sn_vec3 middle, sn_error *error);
void sni_fit_bones_deinit(sni_fit_bones *bones);

// The bone nearest to a point, of all or of those on one segment; SN_NONE where none has a
// surface. `distance` and `closest` may be NULL.
sn_status sni_fit_bones_nearest(sni_fit_bones *bones, sn_vec3 point, uint32_t segment,
                                uint32_t *bone, double *distance, sn_vec3 *closest,
                                sn_error *error);

// Whether segment a is b or stands above it.
bool sni_fit_is_above(const sni_fit_bones *bones, uint32_t a, uint32_t b);
uint32_t sni_fit_depth(const sni_fit_bones *bones, uint32_t segment);

// ---------------------------------------------------------------------------------------------
// Ends

// Given places in the surface's frame, with their bones found.
typedef struct sni_fit_points {
    uint32_t count;
    sn_fit_place *places;
    uint8_t *sides; // 0: where the coordinate begins, 1: where it ends
    uint8_t *seeds; // not 0: one of those that the axis begins or ends at
} sni_fit_points;

// Tells which given places belong to one side of the muscle and which to the other.
sn_status sni_fit_points_init(sni_fit_points *points, sni_arena *arena, sni_fit_bones *bones,
                              const sni_fit_surface *surface, const sn_muscle_fit_desc *desc,
                              sn_error *error);

// Another division, for one mesh that goes from the middle of the body to limbs on both sides:
// these are one side of it, all else is the other. Not found for most muscles.
sn_status sni_fit_points_both_sides(const sni_fit_points *points, sni_arena *arena,
                                    const sni_fit_bones *bones, sni_fit_points *both, bool *found,
                                    sn_error *error);

// ---------------------------------------------------------------------------------------------
// Axis

// What a coordinate along the muscle is made from.
typedef struct sni_fit_ways {
    double *way;           // vertex_count: shortest ways from one side, less those from the other
    double length;         // from side to side, metres
    double *gradients[3];  // vertex_count, times the masses
    double *directions[3]; // vertex_count: unit vectors
} sni_fit_ways;

sn_status sni_fit_ways_init(sni_fit_ways *ways, const sni_fit_surface *surface, sni_arena *arena,
                            const sni_fit_points *points, sn_error *error);

// The coordinate, in metres, rising from side 0 to side 1. Its directions are spread over
// `smoothing` lengths.
sn_status sni_fit_axis(sni_fit_ways *ways, const sni_fit_surface *surface, sni_arena *arena,
                       double smoothing, double *along, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Contours

// Where the coordinate has one value: closed loops of points (open ones closed by a chord).
typedef struct sni_fit_contour {
    uint32_t loop_count;
    uint32_t *starts; // loop_count + 1
    sn_vec3 *ways;    // loop_count: where the coordinate rises
    sn_vec3 *points;
    bool open; // more of it is missing than a small hole
} sni_fit_contour;

// The lowest and the highest value of a coordinate in each triangle.
void sni_fit_spans(const sni_fit_surface *surface, const double *along, double *lows,
                   double *highs);

struct sni_fit_levels;
sn_status sni_fit_contour_cut(const sni_fit_surface *surface, sni_arena *arena,
                              const struct sni_fit_levels *levels, double level,
                              sni_fit_contour *contour, sn_error *error);

// A half space: the points whose product with `normal` is not above `offset`.
typedef struct sni_fit_half {
    sn_vec3 normal;
    double offset;
} sni_fit_half;

// The ellipse with the area moments of what lies of a contour in some half spaces, seen along
// `direction`, and its area.
typedef struct sni_fit_moments {
    double area;
    sn_vec3 center;
    sn_vec3 wide, thick; // half axes
} sni_fit_moments;

sn_status sni_fit_contour_measure(const sni_fit_surface *surface, sni_arena *arena,
                                  const sni_fit_contour *contour, const sni_fit_half *halves,
                                  uint32_t half_count, sn_vec3 direction, sni_fit_moments *moments,
                                  sn_error *error);

// The middle of such a part, every loop in its own plane, and its area; 0: there is none.
sn_status sni_fit_contour_middle(const sni_fit_surface *surface, sni_arena *arena,
                                 const sni_fit_contour *contour, const sni_fit_half *halves,
                                 uint32_t half_count, double *area, sn_vec3 *middle,
                                 sn_error *error);

// How far a contour extends in its longest direction, on either side of its middle.
sn_vec3 sni_fit_contour_extent(const sni_fit_contour *contour);

// ---------------------------------------------------------------------------------------------
// Strips

// What is found of one strip; all in the surface's frame.
typedef struct sni_fit_sections {
    uint32_t count;
    sn_fit_section sections[SNI_FIT_SLICES_MOST];
    double levels[SNI_FIT_SLICES_MOST]; // values of the coordinate
    double low, high;                   // where the strip begins and ends in it
} sni_fit_sections;

typedef struct sni_fit_strips {
    uint32_t count;
    sni_fit_sections strips[SNI_FIT_STRIPS_MOST];
} sni_fit_strips;

// The way of the coordinate through the muscle, cut at SNI_FIT_LEVELS places.
typedef struct sni_fit_levels {
    const double *along;  // vertex_count: the coordinate
    double *lows, *highs; // triangle_count: its spans
    double low, high;
    double values[SNI_FIT_LEVELS];
    sni_fit_contour contours[SNI_FIT_LEVELS];
    double areas[SNI_FIT_LEVELS];
    sn_vec3 middles[SNI_FIT_LEVELS];
    sn_vec3 extents[SNI_FIT_LEVELS]; // half, in the longest direction of the cut
} sni_fit_levels;

sn_status sni_fit_levels_init(sni_fit_levels *levels, const sni_fit_surface *surface,
                              sni_arena *arena, const double *along, sn_error *error);

// Splits the muscle into `count` strips side by side and finds their sections.
sn_status sni_fit_strips_find(sni_fit_strips *strips, const sni_fit_surface *surface,
                              sni_arena *arena, const double *along, const sni_fit_levels *levels,
                              uint32_t count, uint32_t slices, sn_error *error);

// Makes the sections of a strip from those that were measured: turned alike, continuous, smooth.
void sni_fit_sections_smooth(sni_fit_sections *strip, double thinnest);

// ---------------------------------------------------------------------------------------------
// What is made of them

// Volume of a strip with elliptical sections joined by triangles.
double sni_fit_sections_volume(const sni_fit_sections *strip);

// Mean and largest distance between the strips' common surface and the given one; roughly where
// fits are compared. Infinite where the mean is found to be above `most`.
sn_status sni_fit_distance(const sni_fit_strips *strips, const sni_fit_surface *surface,
                           sn_context *context, sni_arena *arena, bool fine, double most,
                           double *mean, double *largest, sn_error *error);

// The two places of each end, which end is the origin, and how far the mesh is from its bones
// there. `alongs` has the coordinate at every given place.
sn_status sni_fit_places(sni_fit_bones *bones, const sni_fit_points *points,
                         const sni_fit_surface *surface, const double *alongs,
                         const sni_fit_strips *strips, sn_muscle_fit *fit, sn_error *error);

// Turns `thick` of all sections away from the bones, and sets the pivots of all strips.
sn_status sni_fit_pivots(sni_fit_bones *bones, const sni_fit_points *points, sn_muscle_fit *fit,
                         sn_error *error);

// Finds the hems: strips along the rims of a sheet that lie on bone, carried by these alone.
sn_status sni_fit_hems(sni_fit_bones *bones, const sni_fit_surface *surface, sn_muscle_fit *fit,
                       sn_error *error);

#endif
