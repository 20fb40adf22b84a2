// SPDX-License-Identifier: Apache-2.0
//
// A rig: the skeleton with its controls, synergies and drivers, ready to be posed.
//
//     clip tracks ──► joint parameters, controls ──► overrides ──► drivers, synergies ──► limits
//     ──► FK
//
// A parameter is named "SEGMENT.rx" (ry rz tx ty tz sx sy sz; the last dot counts, so that segment
// names may have dots), "SEGMENT.rx_deg" for the same angle in degrees, or a control's name.
//
// Synergies and drivers form a graph over controls and joints: a driver computes a control from a
// joint parameter, another control, or the distance of two points carried by segments; a synergy
// adds a control, times a factor each, to joint parameters. They are evaluated in an order in which
// sources come first; a cycle is an error that names its members.
#ifndef SINEW_MOTION_RIG_H
#define SINEW_MOTION_RIG_H

#include "base/memory.h"
#include "motion/skeleton.h"

typedef struct sni_control_desc {
    const char *name;
    double low, standard, high; // values are kept within [low, high]
} sni_control_desc;

typedef struct sni_synergy_desc {
    const char *control;
    uint32_t count;
    const char *const *parameters; // joint parameters
    const double *amounts;         // added per unit of the control, in the parameter's unit
} sni_synergy_desc;

// A point carried by a segment: `position` in the segment's own frame.
typedef struct sni_carried_point {
    uint32_t segment;
    sn_vec3 position;
} sni_carried_point;

typedef struct sni_driver_desc {
    const char *control;         // computed
    const char *parameter;       // source: a joint parameter or a control; NULL: a distance
    sni_carried_point points[2]; // of the distance, metres
    uint32_t key_count;   // remap curve through (inputs[i], outputs[i]), held outside; 0: none
    const double *inputs; // rising, in the unit of the source
    const double *outputs;
    sn_interpolation interpolation; // stepped, linear or smooth
} sni_driver_desc;

typedef struct sni_rig_desc {
    const sn_skeleton *skeleton; // copied
    uint32_t control_count;
    const sni_control_desc *controls;
    uint32_t synergy_count;
    const sni_synergy_desc *synergies;
    uint32_t driver_count;
    const sni_driver_desc *drivers;
} sni_rig_desc;

typedef struct sni_rig sni_rig;

// A named parameter, found.
typedef struct sni_parameter_ref {
    uint32_t segment; // SN_NONE for a control
    sn_joint_parameter joint_parameter;
    uint32_t control; // SN_NONE for a joint parameter
    double unit;      // what a value is multiplied with to get the inner unit: pi/180 for degrees
} sni_parameter_ref;

// All names are copied. Errors name the synergy or driver by number and the unknown or repeated
// name: "driver 2: there is no parameter \"elbw.rx\"", with close names as a suggestion.
sn_status sni_rig_create(sn_context *context, const sni_rig_desc *desc, sni_rig **rig,
                         sn_error *error);
void sni_rig_destroy(sni_rig *rig);
const sn_skeleton *sni_rig_skeleton(const sni_rig *rig);
uint32_t sni_rig_control_count(const sni_rig *rig);
const char *sni_rig_control_name(const sni_rig *rig, uint32_t control);
uint32_t sni_rig_find_control(const sni_rig *rig, const char *name);

// Finds a parameter by name. Fails with SN_INVALID, suggesting the closest name.
sn_status sni_rig_find(const sni_rig *rig, const char *name, sni_parameter_ref *ref,
                       sn_error *error);

// A clip whose tracks are resolved against a rig. Tracks for unknown segments or parameters are an
// error that names the track; the clip must outlive the player.
typedef struct sni_player sni_player;
sn_status sni_player_create(const sni_rig *rig, const sn_clip *clip, sni_player **player,
                            sn_error *error);
void sni_player_destroy(sni_player *player);

// A parameter held at a value (in the unit of its name) whatever the clip says.
typedef struct sni_override {
    sni_parameter_ref ref;
    double value;
} sni_override;

// The result: spans of the caller.
typedef struct sni_pose {
    sn_transform *locals; // segment_count
    sn_mat4 *worlds;      // segment_count
    double *controls;     // control_count
} sni_pose;

// Poses the rig at a time of the clip (`player` NULL: the rest pose). The result depends on nothing
// but the arguments. Segments without limits, parameter tracks, synergies or overrides keep their
// sampled quaternions untouched; the others go through their joint parameters.
sn_status sni_rig_pose(const sni_rig *rig, const sni_player *player, double time,
                       const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                       sn_error *error);

// The joint parameters of a segment in a pose.
void sni_rig_joint_parameters(const sni_rig *rig, const sni_pose *pose, uint32_t segment,
                              double parameters[SN_JOINT_PARAMETER_COUNT]);

#endif
