// SPDX-License-Identifier: Apache-2.0
//
// The character `person`: the extracted skin of the shipped `human` as a rigged model of the usual
// kind, about 20,000 vertices with a skeleton of 52 joints, four weights a vertex and materials;
// and three motions for it, written as BVH.
#ifndef SINEW_SCENES_PERSON_H
#define SINEW_SCENES_PERSON_H

#include "scenes/shapes.h"

// Joints in the middle of the body, and those of a side.
enum {
    SCN_PERSON_HIPS,
    SCN_PERSON_SPINE,
    SCN_PERSON_CHEST,
    SCN_PERSON_UPPER_CHEST,
    SCN_PERSON_NECK,
    SCN_PERSON_HEAD,
    SCN_PERSON_MIDDLE,
};
enum {
    SCN_PERSON_SHOULDER,
    SCN_PERSON_UPPER_ARM,
    SCN_PERSON_FOREARM,
    SCN_PERSON_HAND,
    SCN_PERSON_FINGERS, // thumb, index, middle, ring, little, three joints each
    SCN_PERSON_THIGH = SCN_PERSON_FINGERS + 15,
    SCN_PERSON_SHIN,
    SCN_PERSON_FOOT,
    SCN_PERSON_TOES,
    SCN_PERSON_SIDE,
};
enum { SCN_PERSON_JOINTS = SCN_PERSON_MIDDLE + 2 * SCN_PERSON_SIDE };

// The number of a joint of a side: 0 left, 1 right.
static inline uint32_t scn_person_joint(uint32_t side, uint32_t joint) {
    return SCN_PERSON_MIDDLE + side * SCN_PERSON_SIDE + joint;
}

typedef struct scn_person {
    char names[SCN_PERSON_JOINTS][16];
    scn_segment joints[SCN_PERSON_JOINTS]; // standing as the human does at rest
    sn_mesh *body, *eyes;
} scn_person;

// Writes person.glb and person.sinew.json into a folder, and walk.bvh, squat.bvh, wave.bvh,
// run.bvh and jump.bvh into the folder `motions` beside it. The human is the one in examples/.
sn_status scn_person_build(sn_context *context, const char *folder, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Parts of it

struct sn_model;

// Takes the places of joints from the human's segments at rest.
void scn_person_lay_out(const struct sn_model *human, scn_person *person);

// Makes the body's mesh: the human's skin, clothes and hair laid on, simplified, and cut along the
// borders of its materials.
sn_status scn_person_make_body(sn_context *context, const sn_mesh *skin, scn_person *person,
                               sn_error *error);

// What the body shows at a place, by the greatest of these that is above 0, metres from its border;
// skin where none is.
typedef enum scn_person_region {
    SCN_PERSON_HAIR,
    SCN_PERSON_BROWS,
    SCN_PERSON_LIPS,
    SCN_PERSON_SHIRT,
    SCN_PERSON_SHORTS,
    SCN_PERSON_SKIN,
    SCN_PERSON_REGIONS,
} scn_person_region;

double scn_person_inside(scn_person_region region, sn_vec3 point);
scn_person_region scn_person_region_at(sn_vec3 point);

// Cuts triangles along the border of a region, so that none lies on both sides: new vertices on the
// edges that cross it; those that lie close to it are moved onto it.
typedef struct scn_surface {
    uint32_t vertex_count, triangle_count;
    sn_vec3 *points; // from malloc, as the triangles are
    uint32_t (*triangles)[3];
} scn_surface;
bool scn_person_cut(scn_surface *surface, scn_person_region region);

// Gives the mesh its materials, a run for each region, and colours at the vertices.
sn_status scn_person_paint(sn_mesh *body, sn_error *error);

// Writes the motions into a folder.
sn_status scn_person_write_motions(const scn_person *person, const char *folder, sn_error *error);

#endif
