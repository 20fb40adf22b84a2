// SPDX-License-Identifier: Apache-2.0
//
// Joint centres from the shapes of the bones that meet.
#ifndef SINEW_FIT_BODY_JOINT_H
#define SINEW_FIT_BODY_JOINT_H

#include "fit/body/shape.h"

// How a joint is looked for. Each falls back on the next simpler way where the shapes do not fit.
typedef enum sni_joint_way {
    SNI_JOINT_CONTACT,  // the middle of the near contact
    SNI_JOINT_HINGE,    // where the normals of the convex side's contact come nearest to each other
    SNI_JOINT_KNEE,     // the same with a thicker gap and condyles that go on behind the contact
    SNI_JOINT_BALL,     // a sphere on the head, else a hinge
    SNI_JOINT_DISC,     // between the bodies of two vertebrae
    SNI_JOINT_JAW,      // middle of the contacts of the left and the right half, behind
    SNI_JOINT_CONDYLES, // a hinge whose left and right half have contacts of their own
} sni_joint_way;

// Which side has the head or the condyles that the joint turns about.
typedef enum sni_joint_convex {
    SNI_CONVEX_EITHER,
    SNI_CONVEX_PARENT,
    SNI_CONVEX_CHILD,
} sni_joint_convex;

typedef struct sni_joint {
    sni_joint_way way; // what it was found by
    sn_vec3 center;
    double gap;      // least distance of the bones
    double radius;   // of the sphere, or from the contact to the axis
    double error;    // root mean square distance of the head from the sphere
    sn_vec3 contact; // middle of the near contact
} sni_joint;

// The bones of a segment that may be part of the joint.
typedef struct sni_joint_side {
    uint32_t count;
    const sni_shape *const *shapes;
} sni_joint_side;

sn_status sni_joint_find(sn_context *context, sni_joint_way way, sni_joint_convex convex,
                         sni_joint_side parent, sni_joint_side child, sni_joint *joint,
                         sn_error *error);

// One line for people: "sphere of 24 mm, fit 0.6 mm".
void sni_joint_describe(const sni_joint *joint, char *text, size_t size);

#endif
