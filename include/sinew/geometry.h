// SPDX-License-Identifier: Apache-2.0
//
// Computations on surfaces: triangles of polygons, normals, neighbours, closest points, rays, mass,
// refinement and simplification. Calls take plain arrays of numbers; `positions` are #V x 3 floats.
#ifndef SINEW_GEOMETRY_H
#define SINEW_GEOMETRY_H

#include "sinew/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Triangles

// The triangles of a mesh's faces, for computing and drawing; the mesh itself is not changed. Every
// face of n >= 3 corners gives n - 2 triangles, in face order.
typedef struct sn_triangles {
    sn_context *context;
    uint32_t count;
    uint32_t *vertices; // count x 3
    uint32_t *corners;  // count x 3: the corners they came from
    uint32_t *faces;    // count: the face each came from
} sn_triangles;

// Triangulates by ear clipping in the face's mean plane, so that concave faces are covered once; a
// convex face gives a fan from its first corner, a quad is split along the diagonal that keeps it
// convex, the shorter one where both do. Flat or self-crossing faces still give n - 2 triangles.
// `positions` decide the shape (the rest pose), usually mesh->positions.
SN_API sn_status sn_triangles_create(const sn_mesh *mesh, const float *positions,
                                     sn_triangles **triangles, sn_error *error);
SN_API void sn_triangles_destroy(sn_triangles *triangles);

// ---------------------------------------------------------------------------------------------
// Normals

// Vertex normals as the area-weighted mean of the polygons' normals (Newell's method, so concave
// and warped polygons count right): #V x 3 unit vectors; (0, 1, 0) where a vertex has no surface.
// Runs in parallel and gives the same bits for any number of threads.
SN_API sn_status sn_mesh_normals(const sn_mesh *mesh, const float *positions, float *normals,
                                 sn_error *error);

// ---------------------------------------------------------------------------------------------
// Topology

// Edges and neighbours of a mesh of any kind. All lists are in rising order of their ids. Faces
// with fewer than three different corners have no surface: they make edges and are listed at their
// vertices, but not at edges.
typedef struct sn_topology {
    sn_context *context;
    uint32_t edge_count;
    uint32_t *edges;             // #E x 2, lower vertex first, sorted by (first, second)
    uint32_t *edge_face_offsets; // #E + 1
    uint32_t *edge_faces;   // faces at an edge: 1 at a border, 2 inside, more when not manifold; a
                            // face that runs along an edge twice (a seam) is listed twice
    uint32_t *edge_corners; // for each of these the corner from which the face runs along the edge
    uint32_t *vertex_face_offsets; // #V + 1
    uint32_t *vertex_faces;
    uint32_t *vertex_edge_offsets; // #V + 1
    uint32_t *vertex_edges;
    uint32_t component_count;   // parts connected through edges; loose vertices count too
    uint32_t *vertex_component; // #V, numbered by their lowest vertex
} sn_topology;

// Properties of a mesh as a surface.
typedef struct sn_topology_summary {
    uint32_t border_edges;       // one face
    uint32_t non_manifold_edges; // three or more faces
    uint32_t flipped_edges;      // two faces that run through the edge in the same direction
    uint32_t loose_vertices;     // no face
    uint32_t degenerate_faces;   // fewer than 3 different corners
    uint32_t components;
    bool closed; // there are edges, and every one has two faces of the same orientation
} sn_topology_summary;

SN_API sn_status sn_topology_create(const sn_mesh *mesh, sn_topology **topology, sn_error *error);
SN_API void sn_topology_destroy(sn_topology *topology);
SN_API void sn_topology_summarize(const sn_mesh *mesh, const sn_topology *topology,
                                  sn_topology_summary *summary);

// ---------------------------------------------------------------------------------------------
// Closest points and rays

typedef struct sn_accel sn_accel;

typedef struct sn_closest {
    uint32_t triangle; // SN_NONE when nothing lies within the radius
    double distance;
    sn_vec3 point;
    double barycentric[3]; // of the triangle's three vertices, sum 1
} sn_closest;

typedef struct sn_hit {
    uint32_t triangle; // SN_NONE when nothing is hit
    double distance;   // along the unit direction
    sn_vec3 point;
    double barycentric[3];
} sn_hit;

// Builds a search tree over triangles. `positions` (#V x 3) and `vertices` (count x 3) are copied.
// Fails with SN_INVALID for an index out of range or a number that is not finite.
SN_API sn_status sn_accel_create(sn_context *context, const float *positions, uint32_t vertex_count,
                                 const uint32_t *vertices, uint32_t triangle_count,
                                 sn_accel **accel, sn_error *error);
SN_API void sn_accel_destroy(sn_accel *accel);

// Moves the vertices. `rebuild` makes a new tree (after large changes), else the old one is
// refitted, which is about ten times faster. The answers are the same in both cases. When it fails
// the surface stays as it was.
SN_API sn_status sn_accel_update(sn_accel *accel, const float *positions, bool rebuild,
                                 sn_error *error);

// The point of the surface closest to `point`, at most `radius` away (INFINITY for any). Of several
// at the same distance the triangle with the lowest number is returned, on every machine; triangles
// without area count as lines or points. Nothing is found from a point that is not finite. Queries
// may run on several threads at once.
SN_API void sn_accel_find_closest(const sn_accel *accel, sn_vec3 point, double radius,
                                  sn_closest *closest);

// The first hit of a ray from `origin` along `direction` (any length but zero) with a distance in
// [nearest, farthest]. Watertight: a ray through a shared edge or vertex does not slip between
// triangles. Of several hits at the same distance the lowest triangle is returned. Both sides of a
// triangle can be hit, its edge-on view cannot.
SN_API void sn_accel_cast(const sn_accel *accel, sn_vec3 origin, sn_vec3 direction, double nearest,
                          double farthest, sn_hit *hit);

// ---------------------------------------------------------------------------------------------
// Mass

// Volume, centre and inertia of a closed, outward oriented surface of density 1.
typedef struct sn_mass {
    double volume; // negative when the surface is inside out, 0 when it is flat up to rounding
    double area;
    sn_vec3 centroid;  // the mean of the vertices in use when there is no volume
    double inertia[9]; // about the centroid, row-major, symmetric; of the volume's sign
} sn_mass;

// Computes these by sums over triangles in double precision, in an order that does not depend on
// the number of threads.
SN_API sn_status sn_mass_compute(sn_context *context, const float *positions,
                                 const uint32_t *vertices, uint32_t triangle_count, sn_mass *mass,
                                 sn_error *error);

// ---------------------------------------------------------------------------------------------
// Refinement (SINEW_MAKE)

// A mesh of quads that is finer than a mesh of polygons and smoother (Catmull and Clark 1978): each
// of its vertices is a weighted sum of the mesh's. The weights are kept, so that they can be
// applied to positions in double precision and to any other values at the vertices.
typedef struct sn_refinement {
    sn_context *context;
    uint32_t vertex_count; // the mesh's own, moved; then one for each edge, in the order of
                           // sn_topology; then one for each face
    uint32_t *offsets;     // vertex_count + 1: row i of the weights is [offsets[i], offsets[i + 1])
    uint32_t *sources;     // offsets[vertex_count]: vertices of the mesh
    double *weights;       // offsets[vertex_count]: their sum is 1 in every row
    uint32_t quad_count;   // one for each corner of the mesh, in their order
    uint32_t *quads;       // quad_count x 4: the corner's vertex, the point of the edge that leaves
                           // it, the point of the face, the point of the edge that arrives
} sn_refinement;

// Borders become B-splines of their own vertices alone, as do lines of edges with three or more
// faces; a vertex where one or more than two such edges end, or that has no face, stays where it
// is. Fails with SN_INVALID for a face of fewer than three corners and for one that has a vertex
// twice.
SN_EXPERIMENTAL sn_status sn_mesh_refine(const sn_mesh *mesh, sn_refinement **refinement,
                                         sn_error *error);
SN_EXPERIMENTAL void sn_refinement_destroy(sn_refinement *refinement);

// Values of the finer mesh (vertex_count x width) from those of the mesh (#V x width).
SN_EXPERIMENTAL void sn_refinement_apply(const sn_refinement *refinement, const double *values,
                                         uint32_t width, double *finer);

// ---------------------------------------------------------------------------------------------
// Simplification

// What to simplify, and how far. The arrays are only read.
typedef struct sn_decimate_desc {
    uint32_t check;
    const float *positions; // #V x 3
    uint32_t vertex_count;
    const uint32_t *vertices; // #T x 3
    uint32_t triangle_count;
    const uint8_t *locked; // #V: not 0 for a vertex that must survive where it is; NULL: none
    const float *detail;   // #V: factor on the error of collapses at a vertex, greater than 0:
                           // where it is larger more vertices stay; NULL: 1
    double regularity;     // 0: the shape alone decides, flat parts get few large triangles. More
                           // than 0 keeps triangles similar in size: k adds, to the squared
                           // distances from planes, k times those from the old vertices, and the
                           // number of vertices per area grows as the square root of `detail`
    double min_quality;    // no collapse makes a triangle worse than this (0: flat, 1: equilateral)
                           // unless it was worse before
    uint32_t target_triangles; // stops when no more than this are left; 0: does not stop
    uint32_t target_vertices;  // likewise
    double max_error; // stops before a collapse of a greater error (area times squared distance)
} sn_decimate_desc;

// A simplified surface, and where its parts come from. Vertices and triangles keep their order.
typedef struct sn_decimated {
    sn_context *context;
    uint32_t vertex_count;
    float *positions; // vertex_count x 3
    uint32_t triangle_count;
    uint32_t *vertices;         // triangle_count x 3
    uint32_t *vertex_map;       // #V: the new vertex that each old one was merged into, SN_NONE for
                                // one that belongs to no triangle
    uint32_t *vertex_origins;   // vertex_count: the old vertex that each new one comes from
    uint32_t *triangle_origins; // triangle_count
    double error;               // the greatest of a collapse
    double total_error;         // the sum over collapses
} sn_decimated;

SN_API sn_decimate_desc sn_decimate_desc_default(void);

// Collapses edges one by one, the cheapest first, by quadric errors (docs/driver.md). Handles,
// holes and components stay as they are, so that a closed surface stays closed; a collapse
// that would fold the surface over is not made, so that the target may not be reached. Locked
// vertices keep their position bit for bit, and so does every vertex that no collapse has moved.
// The ends of edges with three or more triangles stay too, triangles with fewer than three
// different vertices are dropped. `progress` may be NULL. Fails with SN_INVALID for an index out of
// range, a number that is not finite or a factor that is not greater than 0.
SN_API sn_status sn_decimate(sn_context *context, const sn_decimate_desc *desc,
                             const sn_progress *progress, sn_decimated **decimated,
                             sn_error *error);
SN_API void sn_decimated_destroy(sn_decimated *decimated);

#ifdef __cplusplus
}
#endif

#endif
