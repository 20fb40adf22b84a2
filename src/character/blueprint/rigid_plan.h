// SPDX-License-Identifier: Apache-2.0
//
// What a document says about its rigid bodies, with names resolved.
#ifndef SINEW_CHARACTER_RIGID_PLAN_H
#define SINEW_CHARACTER_RIGID_PLAN_H

#include "base/parameter.h"
#include "character/blueprint/muscle_plan.h"

// Numbers of the parameter tables (schema/body.c).
enum {
    SNI_BODY_MOTION,
    SNI_BODY_MASS,
    SNI_BODY_DENSITY,
    SNI_BODY_GRAVITY,
    SNI_BODY_BALANCE,
    SNI_BODY_DAMPING,
    SNI_BODY_INERTIA,
    SNI_BODY_SMOOTHING,
    SNI_BODY_SPECIFIC_TENSION,
    SNI_BODY_ENVELOPE,
    SNI_BODY_PARAMETER_COUNT,
};
enum { SNI_BODY_SIMULATED, SNI_BODY_STATIC };

enum {
    SNI_PULL_STRENGTH,
    SNI_PULL_LAW,
    SNI_PULL_OPTIMUM,
    SNI_PULL_TENDON,
    SNI_PULL_PASSIVE,
    SNI_PULL_TONE,
    SNI_PULL_SPEED,
    SNI_PULL_VISCOSITY,
    SNI_PULL_SHORTENING,
    SNI_PULL_PARAMETER_COUNT,
};

enum {
    SNI_JOINT_TRAVEL,
    SNI_JOINT_BACK,
    SNI_JOINT_SLOPE,
    SNI_JOINT_END_SLOPE,
    SNI_JOINT_PLAY,
    SNI_JOINT_SLACK,
    SNI_JOINT_STIFFNESS,
    SNI_JOINT_CAPSULE,
    SNI_JOINT_SETTING_COUNT,
};

enum { SNI_LIGAMENT_SLACK, SNI_LIGAMENT_STIFFNESS, SNI_LIGAMENT_PARAMETER_COUNT };
enum { SNI_CONTACT_STIFFNESS, SNI_CONTACT_PARAMETER_COUNT };

extern const sn_parameters sni_body_parameters, sni_pull_parameters, sni_joint_settings;
extern const sn_parameters sni_ligament_parameters, sni_contact_parameters;

// A muscle that pulls at a body.
typedef struct sni_pull_plan {
    const sn_value *value;
    uint32_t muscle;
    double *parameters;
} sni_pull_plan;

typedef struct sni_joint_plan {
    const sn_value *value;
    uint32_t on;      // segment
    bool in_segment;  // `point` is in the frame of the body's segment, else in the world at rest
    sn_vec3 point;    // metres
    sn_vec3 forward;  // in the world at rest, of any length
    sn_vec3 up;       // the same
    double *settings; // of sni_joint_settings
} sni_joint_plan;

typedef struct sni_ligament_plan {
    const sn_value *value;
    sni_attachment_plan ends[2];
    double *parameters;
} sni_ligament_plan;

typedef struct sni_contact_plan {
    const sn_value *value;
    uint32_t bone_count, against_count;
    uint32_t *bones, *against; // surfaces
    const sn_value *within; // a box of the world at rest: only what lies in it is tested; NULL: all
    sn_vec3 low, high;      // of it
    double *parameters;
} sni_contact_plan;

// A rigid body: what it is made of, and all that acts on it.
typedef struct sni_rigid_plan {
    const char *name;
    const sn_value *value;
    uint32_t segment;
    double *parameters;
    uint32_t *driven;            // the control of each parameter, or SN_NONE; NULL: none is driven
    const sn_value *bones_value; // where errors about them stand
    uint32_t bone_count;
    uint32_t *bones; // surfaces
    uint32_t pull_count;
    sni_pull_plan *pulls;
    uint32_t joint_count;
    sni_joint_plan *joints;
    uint32_t ligament_count;
    sni_ligament_plan *ligaments;
    uint32_t contact_count;
    sni_contact_plan *contacts;
} sni_rigid_plan;

#endif
