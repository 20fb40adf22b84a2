// SPDX-License-Identifier: Apache-2.0
//
// A given surface that lies on rows of slices (skin/slices.h): every vertex has ties to slices, and
// follows them in a pose. At rest it is the given surface, bit for bit:
//
//     p = given + (K(now) - K(rest))
//
// where K is the sum over the ties, computed from floats relative to a place of the muscle; the
// difference is 0 at rest whatever rounding made of K.
#ifndef SINEW_MUSCLE_COVER_H
#define SINEW_MUSCLE_COVER_H

#include "kind/slices.h"
#include "sinew/geometry.h"

// Floats of a slice in a table: C, W, T and M, four each.
enum { SNI_SLICE_FLOATS = 16 };

typedef struct sni_cover {
    sn_context *context;
    uint32_t vertex_count, triangle_count, slice_count;
    uint32_t *tie_starts; // vertex_count + 1
    uint32_t *slices;     // of ties: the first of two
    float *factors;       // of ties x 8: of C, W, T, M of both slices
    uint32_t *triangles;  // triangle_count x 3
    float *given;         // vertex_count x 3
    float *base;          // vertex_count x 3: K at rest
    double volume;        // that sni_cover_volume finds at rest, of either sign
    double mean_distance; // of vertices outside of the rows, metres
} sni_cover;

// Ties a mesh to a field. `table` is that of the slices at rest.
sn_status sni_cover_create(sn_context *context, const sn_mesh *mesh, const sn_triangles *triangles,
                           const sni_slice_field *field, uint32_t slice_count, const float *table,
                           sni_cover **cover, sn_error *error);
void sni_cover_destroy(sni_cover *cover);
size_t sni_cover_bytes(const sni_cover *cover);

// Writes a slice into a table, relative to `reference`.
void sni_cover_set_slice(const sni_slice *slice, sn_vec3 reference, float *row);

// K: vertex_count x 3, relative to the reference of the table.
void sni_cover_find(const sni_cover *cover, const float *table, float *points);

// The volume within points that sni_cover_find wrote.
double sni_cover_volume(const sni_cover *cover, const float *points);

// By how much that differs from the volume at rest, relative to it, and whether that is little.
double sni_cover_excess(const sni_cover *cover, const float *points);
bool sni_cover_is_kept(double excess);

// Finds the factor between half and twice for which `one` + (factor - 1) (`two` - `one`), what
// sni_cover_find gives for sections as they are and twice as wide, has the volume at rest
// (cover_volume.c). `excess` is that of `one` before, and that of `points` after, which are those
// for the factor; all are vertex_count x 3. `slope` is the relative slope of the volume by the
// factor at rest. False when no factor does it; the best that was met is given then.
bool sni_cover_keep_volume(const sni_cover *cover, double slope, const float *one, const float *two,
                           float *points, double *factor, double *excess);

// What no factor does: moves points along the surface's normals, all as far, until they have the
// volume at rest. `excess` is that of the points, before and after; `from` and `normals` are
// scratch; all are vertex_count x 3. False when that does not do it either.
bool sni_cover_push(const sni_cover *cover, float *from, float *normals, float *points,
                    double *excess);

// The surface for such points, in the world; `shift` is how far the reference went since rest.
void sni_cover_place(const sni_cover *cover, const float *points, sn_vec3 shift, float *surface);

#endif
