// SPDX-License-Identifier: Apache-2.0
//
// A rig: the skeleton with its controls, synergies and drivers, ready to be posed.
//
//     clip ──► transforms, then parameters ──► overrides ──► drivers, synergies, limits ──► FK
//
// A parameter is named "SEGMENT.rx" (ry rz tx ty tz sx sy sz; the last dot counts, so that segment
// names may have dots), "SEGMENT.rx_deg" for the same angle in degrees, or a control's name.
//
// Synergies and drivers form a graph over controls and joint parameters: a driver computes a
// control from a joint parameter, another control, or the distance of two points carried by
// segments; a synergy adds a control, times a factor each, to joint parameters and to controls that
// have no driver (an expression to the muscles that make it). They are evaluated in an order in
// which sources come first; a cycle is an error that names its members. A joint parameter is cut to
// its limits as soon as it is complete, so that drivers see what is posed.
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
    const char *const *parameters; // joint parameters and controls
    const double *amounts;         // added per unit of the control, in the parameter's unit
} sni_synergy_desc;

// A point carried by a segment: `position` in the segment's own frame. A distance is measured in
// the frame of the nearest segment that carries both points (the world where there is none), so
// that what moves both alike does not change it.
typedef struct sni_carried_point {
    uint32_t segment;
    sn_vec3 position;
} sni_carried_point;

typedef struct sni_driver_desc {
    const char *control;         // computed
    const char *parameter;       // source: a joint parameter or a control; NULL: a distance
    sni_carried_point points[2]; // of the distance, metres
    // Remap curve through (inputs[i], outputs[i]), held outside, or straight on for a spline; 0:
    // none
    uint32_t key_count;
    const double *inputs; // rising, in the unit of the source
    const double *outputs;
    sn_interpolation interpolation; // stepped, linear, smooth or spline
} sni_driver_desc;

typedef struct sni_rig_desc {
    const sn_skeleton *skeleton; // copied
    uint32_t control_count;
    const sni_control_desc *controls;
    uint32_t synergy_count;
    const sni_synergy_desc *synergies;
    uint32_t driver_count;
    const sni_driver_desc *drivers;
    const sn_unit *control_units; // control_count; NULL: all are plain numbers
    uint32_t moved_count;
    const uint32_t *moved; // segments that something else moves behind the pose; see below
} sni_rig_desc;

typedef struct sni_rig sni_rig;

// A named parameter, found.
typedef struct sni_parameter_ref {
    uint32_t segment; // SN_NONE for a control
    sn_joint_parameter joint_parameter;
    uint32_t control; // SN_NONE for a joint parameter
    double unit;      // what a value is multiplied with to get the inner unit: pi/180 for degrees
} sni_parameter_ref;

// All names are copied. Fails with SN_INVALID, naming the control, synergy or driver by number and
// the unknown, repeated or ambiguous name: "driver 2: there is no parameter \"elbw.rx\"; did you
// mean
// \"elbow.rx\"?". Segments need different names, and no control may be named like a parameter of a
// segment.
sn_status sni_rig_create(sn_context *context, const sni_rig_desc *desc, sni_rig **rig,
                         sn_error *error);
void sni_rig_destroy(sni_rig *rig);
const sn_skeleton *sni_rig_skeleton(const sni_rig *rig);
uint32_t sni_rig_control_count(const sni_rig *rig);
const char *sni_rig_control_name(const sni_rig *rig, uint32_t control);
uint32_t sni_rig_find_control(const sni_rig *rig, const char *name);
// The range of a control; its name belongs to the rig.
sni_control_desc sni_rig_control(const sni_rig *rig, uint32_t control);
sn_unit sni_rig_control_unit(const sni_rig *rig, uint32_t control);

// Finds a parameter by name. Fails with SN_INVALID, suggesting the closest name.
sn_status sni_rig_find(const sni_rig *rig, const char *name, sni_parameter_ref *ref,
                       sn_error *error);

// What changes when a parameter does, through drivers and synergies: of each segment the joint
// parameters (bit p: parameter p), and controls. The parameter itself is among them.
void sni_rig_find_moved(const sni_rig *rig, const sni_parameter_ref *ref, uint16_t *segments,
                        bool *controls);

// Whether a synergy adds to a joint parameter.
bool sni_rig_is_summed(const sni_rig *rig, uint32_t segment, sn_joint_parameter parameter);

// A clip whose tracks are resolved against a rig; both must outlive the player. The clip is
// validated. A track for an unknown segment or parameter is an error that names it, unless
// `ignored` is given: it is then left out and counted there. Two tracks for one parameter, or a
// track for a control that a driver computes, are errors. Angles of the clip (sn_clip.angles) are
// converted to the unit of the control.
typedef struct sni_player sni_player;
sn_status sni_player_create(const sni_rig *rig, const sn_clip *clip, uint32_t *ignored,
                            sni_player **player, sn_error *error);
void sni_player_destroy(sni_player *player);

// A parameter held at a value (in the unit of its name) whatever the clip says. Synergies add to a
// parameter that is held; a control that is held is not computed by its driver.
typedef struct sni_override {
    sni_parameter_ref ref;
    double value;
} sni_override;

// Fails with SN_INVALID, naming the parameter, value and range, when an override lies outside the
// control's range or the joint's limits. (sni_rig_pose would cut it.)
sn_status sni_rig_check_override(const sni_rig *rig, const sni_override *override, sn_error *error);

// The result: spans of the caller.
typedef struct sni_pose {
    sn_transform *locals; // segment_count
    sn_mat4 *worlds;      // segment_count
    double *parameters;   // segment_count x SN_JOINT_PARAMETER_COUNT
    double *controls;     // control_count
} sni_pose;

// The value of a parameter in a pose, in the unit of its name.
double sni_pose_value(const sni_pose *pose, const sni_parameter_ref *ref);

// What synergies have added to a joint parameter or a control in a pose, in the inner unit.
double sni_rig_synergy_share(const sni_rig *rig, const sni_pose *pose,
                             const sni_parameter_ref *ref);

// Poses the rig at a time of the clip (`player` NULL: the rest pose). The result depends on nothing
// but the arguments; nothing is allocated. A segment whose joint parameters nothing changes keeps
// its sampled translation, rotation and scale bit for bit. Fails with SN_INVALID for an override
// that is not finite.
sn_status sni_rig_pose(const sni_rig *rig, const sni_player *player, double time,
                       const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                       sn_error *error);

// Poses in two parts, for rigs with segments that something else moves: sni_rig_pose_first leaves
// out drivers and synergies that depend on these segments (controls that such drivers compute are
// not numbers yet), sni_rig_place puts a segment where it was moved to, sni_rig_pose_last does what
// was left out and finds the worlds. Without a segment that is moved the first part is the whole.
sn_status sni_rig_pose_first(const sni_rig *rig, const sni_player *player, double time,
                             const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                             sn_error *error);
void sni_rig_place(const sni_rig *rig, sni_pose *pose, uint32_t segment, sn_quat rotation,
                   sn_vec3 translation);

// Whether a control, or where a segment is in its parent, follows from a segment that is moved; of
// a segment that is moved itself only where a synergy adds to it.
bool sni_rig_control_follows(const sni_rig *rig, uint32_t control);
bool sni_rig_segment_follows(const sni_rig *rig, uint32_t segment);

// A pose that comes from outside, in place of a clip. All numbers are finite but those of controls.
typedef struct sni_given_pose {
    const sn_transform *locals; // segment_count
    const double *parameters;   // segment_count x SN_JOINT_PARAMETER_COUNT, that stand for them
    const double *controls;     // control_count; not a number: its own value, or what computes it
    bool complete; // limits, synergies and drivers are in it already: only controls that it does
                   // not say are computed. Otherwise they act on it as on what a clip says, and
                   // what it says of a control that a driver computes is not looked at
    const sn_mat4 *root; // moves all segments in the world; NULL: does not
} sni_given_pose;

// The joint parameters that a local transform stands for; of the two ways to write its angles, the
// one that lies less outside the segment's limits.
void sni_rig_read_parameters(const sni_rig *rig, uint32_t segment, const sn_transform *local,
                             double parameters[SN_JOINT_PARAMETER_COUNT]);

// As sni_rig_pose, from a pose that is given. What sni_rig_pose made, given back as complete, is
// made again bit for bit.
sn_status sni_rig_pose_given(const sni_rig *rig, const sni_given_pose *given,
                             const sni_override *overrides, uint32_t override_count, sni_pose *pose,
                             sn_error *error);

// Its first part; the last is that of any pose, with `given` NULL for one from a clip. A complete
// pose has what else moves segments in it: they are not to be placed.
sn_status sni_rig_pose_given_first(const sni_rig *rig, const sni_given_pose *given,
                                   const sni_override *overrides, uint32_t override_count,
                                   sni_pose *pose, sn_error *error);
void sni_rig_pose_last(const sni_rig *rig, const sni_given_pose *given, sni_pose *pose);

#endif
