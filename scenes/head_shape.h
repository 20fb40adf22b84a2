// SPDX-License-Identifier: Apache-2.0
//
// The character `head`: a head and neck of an adult with skull, jaw, teeth, eyes and tongue.
//
// Tables are in millimetres: x to the head's left, y up, z forward; the origin lies inside the head
// at the height of the tip of the nose. Meshes are in metres.
#ifndef SINEW_SCENES_HEAD_SHAPE_H
#define SINEW_SCENES_HEAD_SHAPE_H

#include "scenes/documents.h"
#include "scenes/shapes.h"

enum {
    SCN_HEAD_HEAD_SEGMENT,
    SCN_HEAD_JAW_SEGMENT,
    SCN_HEAD_EYE_SEGMENT_L,
    SCN_HEAD_EYE_SEGMENT_R,
    SCN_HEAD_HYOID_SEGMENT,
    SCN_HEAD_SEGMENTS,
};

// ---------------------------------------------------------------------------------------------
// The skin while it is made

// What each vertex has; refinement spreads all of it as it does positions.
enum {
    SCN_HEAD_X,
    SCN_HEAD_Y,
    SCN_HEAD_Z,
    SCN_HEAD_LIP,   // 1 on the red of the lips, 0 on the skin around it
    SCN_HEAD_MOUTH, // 1 inside the mouth
    SCN_HEAD_LID,   // 1 on the margins of the eyelids
    SCN_HEAD_EYE,   // 1 behind the eyelids
    SCN_HEAD_LASH,  // 1 where lashes grow
    SCN_HEAD_LOWER, // 0 above the mouth's opening, 1 below it
    SCN_HEAD_VALUES,
};

// A quad, and which of its edges, if any, stay whole in the last refinement: 0, none; 1, those from
// its first and its third corner; 2, the others.
typedef struct scn_head_quad {
    uint32_t corners[4];
    uint8_t whole;
} scn_head_quad;

typedef struct scn_head_surface {
    uint32_t vertex_count, quad_count;
    double (*values)[SCN_HEAD_VALUES]; // both from malloc
    scn_head_quad *quads;
    bool failed; // out of memory
} scn_head_surface;

void scn_head_surface_deinit(scn_head_surface *surface);

static inline sn_vec3 scn_head_position(const scn_head_surface *surface, uint32_t vertex) {
    const double *v = surface->values[vertex];
    return sn_vec3_make(v[SCN_HEAD_X], v[SCN_HEAD_Y], v[SCN_HEAD_Z]);
}

// 1 in the middle of an ellipsoid, smoothly 0 on its surface and outside.
static inline double scn_head_falloff(double square) {
    return square < 1 ? (1 - square) * (1 - square) * (1 - square) : 0;
}

static inline double scn_head_spot(sn_vec3 p, sn_vec3 center, sn_vec3 radii) {
    double x = (p.x - center.x) / radii.x, y = (p.y - center.y) / radii.y;
    double z = (p.z - center.z) / radii.z;
    return scn_head_falloff(x * x + y * y + z * z);
}

// The left half of the control mesh; vertices of the mid-plane have x = 0. Positions are those
// that the refined surface shall pass through.
void scn_head_cage(scn_head_surface *cage);

// Evens out what is plain, `rounds` times, and sculpts features; both return false when memory runs
// out.
bool scn_head_even_out(scn_head_surface *surface, int rounds);
bool scn_head_sculpt(scn_head_surface *surface);

// What has to hold at rest: the first moves the skin off the eyeballs, the second lips off each
// other, the third makes narrow quads wider; false when memory runs out.
void scn_head_clear_eyes(scn_head_surface *surface);
void scn_head_part_lips(scn_head_surface *surface);
bool scn_head_open_quads(scn_head_surface *surface);

// The linear colour of a vertex from its values.
void scn_head_paint(const double *values, float *result);

// The whole skin: its mesh, and what its vertices have, which goes to free.
typedef struct scn_head_skin {
    sn_mesh *mesh;
    double (*values)[SCN_HEAD_VALUES]; // #V; those of a pair of mirror images are the left one's
} scn_head_skin;

sn_status scn_head_make_skin(sn_context *context, scn_head_skin *skin, sn_error *error);
void scn_head_skin_deinit(scn_head_skin *skin);

// Gives the skin weights on the segments head and jaw. Before that it needs its bones.
sn_status scn_head_weigh(sn_context *context, scn_head_skin *skin, const sn_mesh *cranium,
                         const sn_mesh *mandible, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Eyes

// The left eyeball, millimetres.
typedef struct scn_head_eye {
    sn_vec3 center;
    double radius;
} scn_head_eye;

scn_head_eye scn_head_eyeball(void);

// How far the surface of the eyeball is from its centre in a direction of any length, millimetres:
// the cornea stands out.
double scn_head_eye_height(sn_vec3 direction);
sn_status scn_head_eye_mesh(sn_context *context, bool left, sn_mesh **mesh, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Landmarks

enum {
    SCN_HEAD_MIDDLE_LANDMARKS = 14,
    SCN_HEAD_SIDE_LANDMARKS = 15,
    SCN_HEAD_LANDMARKS = SCN_HEAD_MIDDLE_LANDMARKS + 2 * SCN_HEAD_SIDE_LANDMARKS,
};

// Points of the skin and its normals there.
typedef struct scn_head_finder {
    const sn_mesh *skin;
    struct sn_triangles *triangles;
    struct sn_accel *accel;
    float *normals;
} scn_head_finder;

sn_status scn_head_finder_init(sn_context *context, const sn_mesh *skin, scn_head_finder *finder,
                               sn_error *error);
void scn_head_finder_deinit(scn_head_finder *finder);

// The closest vertex of a mesh, the lowest of several.
uint32_t scn_head_closest_vertex(const sn_mesh *mesh, sn_vec3 point);

// The smooth unit normal at a point of a triangle.
sn_vec3 scn_head_normal(const scn_head_finder *finder, uint32_t triangle,
                        const double barycentric[3]);

// In metres: `bone` lies `depth` below `skin`, against the direction `out`.
typedef struct scn_head_landmark {
    char name[32]; // of those at the sides ends in .L or .R
    uint32_t skin_vertex;
    uint32_t bone_vertex; // set when the bone is made
    bool mandible;        // the bone is the mandible, not the cranium
    double depth;
    sn_vec3 skin, bone, out;
} scn_head_landmark;

// Those of the mid-plane, then pairs of a left and a right one.
sn_status scn_head_find_landmarks(sn_context *context, const sn_mesh *skin,
                                  scn_head_landmark made[SCN_HEAD_LANDMARKS], sn_error *error);

// ---------------------------------------------------------------------------------------------
// Skull

// The cranium, or the mandible, through the bone points of its landmarks.
sn_status scn_head_bone(sn_context *context, const sn_mesh *skin, scn_head_landmark *landmarks,
                        bool mandible, sn_mesh **mesh, sn_error *error);

// The middle of the line through both condyles, metres.
static inline sn_vec3 scn_head_jaw_joint(void) {
    return sn_vec3_make(0, 0.008, 0.0244);
}

// The middle of the hyoid bone's body, metres.
static inline sn_vec3 scn_head_hyoid(void) {
    return sn_vec3_make(0, -0.0795, 0.0475);
}

// The upper or the lower teeth, and the tongue.
sn_status scn_head_teeth(sn_context *context, bool upper, sn_mesh **mesh, sn_error *error);
sn_status scn_head_tongue(sn_context *context, sn_mesh **mesh, sn_error *error);

#endif
