// SPDX-License-Identifier: Apache-2.0
//
// Skeletons, clips and poses.
//
// A skeleton is a tree of segments. Each has a rest frame relative to its parent (translation,
// rotation, scale) and a joint with nine parameters that act on top of it: rotations rx ry rz about
// the axes of the rest frame, in the segment's rotation order; translations tx ty tz; scale factors
// sx sy sz.
//
//     local = T(rest.translation + t) * R(rest.rotation) * R(rx, ry, rz) * S(rest.scale * s)
//
// A pose holds the local transforms of all segments and the values of all controls. A clip sets the
// pose; limits, synergies and drivers then act on it (docs/motion.md).
#ifndef SINEW_MOTION_H
#define SINEW_MOTION_H

#include "sinew/base.h"
#include "sinew/json.h"
#include "sinew/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

// The parameters of a joint. The numbers are kept for ever.
typedef enum sn_joint_parameter {
    SN_JOINT_RX = 0,
    SN_JOINT_RY = 1,
    SN_JOINT_RZ = 2,
    SN_JOINT_TX = 3,
    SN_JOINT_TY = 4,
    SN_JOINT_TZ = 5,
    SN_JOINT_SX = 6,
    SN_JOINT_SY = 7,
    SN_JOINT_SZ = 8,
    SN_JOINT_PARAMETER_COUNT = 9,
} sn_joint_parameter;

// What a control or a joint parameter measures. The numbers are kept for ever.
typedef enum sn_unit {
    SN_UNIT_NONE = 0, // a number: a control without unit, a scale factor
    SN_UNIT_DEGREES = 1,
    SN_UNIT_RADIANS = 2,
    SN_UNIT_METRES = 3,
} sn_unit;

// The range of a joint parameter (radians, metres, factors). -INFINITY and INFINITY when it is
// free.
typedef struct sn_limit {
    double low, high;
} sn_limit;

typedef struct sn_segment {
    char *name;
    uint32_t parent; // SN_NONE for a root
    sn_transform rest;
    sn_rotation_order order;
    double rest_parameters[SN_JOINT_PARAMETER_COUNT]; // of the rest pose: usually 0, scales 1
    sn_limit limits[SN_JOINT_PARAMETER_COUNT];
    bool limited; // whether any limit is not infinite
    char *role; // the part of a body that the file says it is, as VRM names it ("leftUpperArm"), or
                // NULL: told by name and shape. Where any segment has a role, names do not count
} sn_segment;

typedef struct sn_skeleton {
    uint32_t segment_count;
    sn_segment *segments;    // in the order of the document or file
    uint32_t *parents_first; // segment_count: an order in which parents come before children
} sn_skeleton;

// A factor on the size of a segment, as `proportions` of a document give it.
typedef struct sn_segment_factor {
    const char *segment; // its name
    double factor;       // 0.001 to 1000
} sn_segment_factor;

// Interpolation between keys. The numbers are kept for ever.
typedef enum sn_interpolation {
    SN_INTERPOLATION_STEPPED = 0,
    SN_INTERPOLATION_LINEAR = 1, // along the shorter arc for rotations
    SN_INTERPOLATION_SMOOTH = 2, // through the keys without overshoot (Fritsch-Carlson)
    SN_INTERPOLATION_CUBIC = 3,  // glTF's CUBICSPLINE: in-tangent, value, out-tangent per key
    SN_INTERPOLATION_SPLINE = 4, // OpenSim's SimmSpline, of curves only: tracks do not have it
} sn_interpolation;

// What a track writes. The numbers are kept for ever.
typedef enum sn_track_kind {
    SN_TRACK_PARAMETER = 0,   // one number: a control, or a joint parameter "SEGMENT.rx"
    SN_TRACK_TRANSLATION = 1, // of a segment in its parent, replacing the rest frame's: 3 numbers
    SN_TRACK_ROTATION = 2,    // likewise: a quaternion, 4 numbers
    SN_TRACK_SCALE = 3,       // likewise: 3 numbers
} sn_track_kind;

typedef struct sn_track {
    sn_track_kind kind;
    char *target; // parameter or segment name
    sn_interpolation interpolation;
    uint32_t key_count; // at least 1
    double *times;      // key_count, rising, seconds
    double *values;     // key_count x width (x 3 for CUBIC)
} sn_track;

// The unit of the keys on tracks of controls that are angles (docs/document.md, `unit`). Tracks of
// joint parameters are in the unit given by their names. The numbers are kept for ever.
typedef enum sn_angles {
    SN_ANGLES_AS_CONTROLS = 0, // each in its control's own unit
    SN_ANGLES_DEGREES = 1,
    SN_ANGLES_RADIANS = 2,
} sn_angles;

// A clip. Frame f is at the time f / rate. Before its first and after its last key a track keeps
// the value of that key.
typedef struct sn_clip {
    sn_context *context;
    char *name;
    double rate;          // frames per second
    uint32_t frame_count; // at least 1
    uint32_t track_count;
    sn_track *tracks;
    sn_skeleton skeleton; // the skeleton that it was recorded on; no segments when it has none
    sn_angles angles;
    bool is_table; // read from a table (.mot, .sto), whose columns are named as parameters of a
                   // rig: a column that the rig does not have is an error, not left out
} sn_clip;

// Numbers per value of a track: 1, 3 or 4.
SN_API uint32_t sn_track_width(const sn_track *track);

// The value of a track at a time: `value` has sn_track_width numbers.
SN_API void sn_track_sample(const sn_track *track, double time, double *value);

// Makes an empty clip. Tracks are added by sn_clip_add_track, whose times and values are
// uninitialised and to be filled by the caller.
SN_API sn_status sn_clip_create(sn_context *context, const char *name, double rate,
                                uint32_t frame_count, sn_clip **clip, sn_error *error);
SN_API sn_status sn_clip_add_track(sn_clip *clip, sn_track_kind kind, const char *target,
                                   sn_interpolation interpolation, uint32_t key_count,
                                   sn_track **track, sn_error *error);
SN_API void sn_clip_destroy(sn_clip *clip);

// Checks times, values and names, and that no two tracks write the same value; the error names
// track and key. Quaternions need not have length 1 (they are normalised when sampled), but must
// not be zero.
SN_API sn_status sn_clip_validate(const sn_clip *clip, sn_error *error);

// Which segment of one skeleton moves which of another.
typedef struct sn_name_pair {
    const char *source; // in the clip's skeleton
    const char *target; // in the skeleton that shall move
} sn_name_pair;

// An edit of a pairing: what moves one segment, in place of what would be found for it. An edit
// that says what is found anyway changes nothing; other segments keep what is found for them.
typedef struct sn_pair_edit {
    const char *target; // in the skeleton that shall move
    const char *source; // in the clip's skeleton; NULL: nothing, or a part of the second's turn
    const char *second; // the turn is between those of both; NULL: `source` alone
    double share;       // of the second, above 0 and at most 1; not used without it
    const sn_value *at; // where it stands in a JSON text, for errors; may be NULL
    const char *file;   // and in which file; may be NULL
} sn_pair_edit;

// A point of a skin in the rest pose, in the world, and the segment that it follows most.
typedef struct sn_skin_point {
    uint32_t segment;
    sn_vec3 at;
} sn_skin_point;

typedef struct sn_retarget_desc {
    uint32_t check;
    const sn_name_pair *map; // pairs that come before the built-in ones; may be NULL
    uint32_t map_count;
    double scale;        // metres per unit of the clip; 0: by the lengths of the legs
    uint32_t rest_frame; // frame of the clip that counts as its rest pose; SN_NONE: its zero pose,
                         // or what replaces that where it is no pose of a body
    bool plant_feet;     // planted feet are held in place (docs/motion.md); true by default
    bool spread_twist;   // limbs of several segments share their twist; true by default
    const sn_pair_edit *edits; // change what is paired by `map` and by rule; may be NULL
    uint32_t edit_count;
    const sn_skin_point *skin; // outermost points of the target's skin (sn_model_skin_points),
                               // which tell where soles and tips of toes are; NULL: not known
    uint32_t skin_count;
} sn_retarget_desc;

typedef struct sn_retarget_report {
    uint32_t matched;          // segments that move
    double scale;              // factor that translations were multiplied by
    uint32_t unmatched_source; // segments of the clip that move nothing
    uint32_t rest_frame;       // frame that counts as rest; SN_NONE: the zero pose, or a T-pose
    bool zero_is_no_pose;      // the clip's zero pose is no pose of a body, so that a frame is used
    uint32_t plant_count;      // how often a foot is held
    double slide;              // metres that a planted foot slid at most before it was held
} sn_retarget_report;

SN_API sn_retarget_desc sn_retarget_desc_default(void);

// Whether every segment that the clip moves exists in `skeleton` under the same name, so that it
// can be played as it is.
SN_API bool sn_clip_fits(const sn_clip *clip, const sn_skeleton *skeleton);

// Makes a clip for `skeleton` from one recorded on another skeleton: segments are paired by name
// (`map`, equal names, then the well-known names of CMU/Mixamo style and MakeHuman skeletons), rest
// poses are aligned by the directions of the paired bones, translations of the root are scaled
// (docs/motion.md). The result has one key per frame, and the same motion when the skeletons are
// the same; `rest_frame`, `plant_feet` and `spread_twist` are then not used. `report` may be NULL.
// Fails with SN_INVALID when nothing could be paired, the clip has no skeleton, has fewer frames
// than `rest_frame` asks for, or does not validate, or map or edits name unknown segments.
SN_API sn_status sn_clip_retarget(const sn_clip *clip, const sn_skeleton *skeleton,
                                  const sn_retarget_desc *desc, sn_clip **result,
                                  sn_retarget_report *report, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Pairing: which segments of a clip's skeleton move which of another

// How a pair was found. The numbers are kept for ever.
typedef enum sn_paired_by {
    SN_PAIRED_BY_NOTHING = 0, // it was not
    SN_PAIRED_BY_MAP = 1,     // the caller's map or edit says so
    SN_PAIRED_BY_NAME = 2,    // equal names
    SN_PAIRED_BY_PART = 3,    // both are the same part of a body, as names or roles tell
    SN_PAIRED_BY_SHAPE = 4,   // likewise, as the shape of one of the skeletons tells
    SN_PAIRED_BY_COUNT = 5,
} sn_paired_by;

// Why nothing moves a segment by itself. The numbers are kept for ever.
typedef enum sn_unpaired {
    SN_UNPAIRED_NOT = 0,     // something does
    SN_UNPAIRED_MAP = 1,     // the caller's edit says so
    SN_UNPAIRED_UNKNOWN = 2, // it is no known part of a body, and no name is equal to its own
    SN_UNPAIRED_LACKING = 3, // the other skeleton has no such part
    SN_UNPAIRED_FINGERS = 4, // the clip has fewer than three fingers of that hand
    SN_UNPAIRED_FOLLOWS = 5, // it follows another segment of its part, which is moved
    SN_UNPAIRED_BODY = 6,    // it goes where the body as a whole goes
    SN_UNPAIRED_COUNT = 7,
} sn_unpaired;

// The words that files and lists use: "map", "name", "part", "shape"; "" of SN_PAIRED_BY_NOTHING.
SN_EXPERIMENTAL const char *sn_paired_by_name(sn_paired_by by);

// A segment of the skeleton that shall move.
typedef struct sn_pair {
    const char *target;
    const char *part;   // "left upper arm"; "" where it is no known part of a body
    const char *source; // of the clip; NULL: nothing, or a part of the second's turn
    const char *second; // the turn is between those of both; NULL: `source` alone
    double share;       // of the second; 0 without it
    sn_paired_by by;
    sn_unpaired unpaired;
    const char *why; // the same in words: "the clip has no left hand"; "" where it is moved
} sn_pair;

// A segment of the clip's skeleton.
typedef struct sn_pair_joint {
    const char *name;
    const char *part;
    bool used;       // it moves something
    const char *why; // it does not, in words; "" where it does
} sn_pair_joint;

// What retargeting pairs.
typedef struct sn_pairing {
    sn_context *context;
    uint32_t pair_count; // in the order of the skeleton that shall move
    sn_pair *pairs;
    uint32_t joint_count; // in the order of the clip's skeleton
    sn_pair_joint *joints;
    uint32_t moved_count; // pairs that something moves
    uint32_t used_count;  // joints that move something
    uint32_t by_count[SN_PAIRED_BY_COUNT];
    uint32_t warning_count;
    const char **warnings; // limbs that nothing moves, and limbs of the clip that move nothing: a
                           // sentence each, without a full stop
    void *memory;          // of all above
} sn_pairing;

// What sn_clip_retarget would pair. Unlike that call it succeeds where there is no pair at all. The
// result belongs to the caller.
SN_EXPERIMENTAL sn_status sn_clip_pair(const sn_clip *clip, const sn_skeleton *skeleton,
                                       const sn_retarget_desc *desc, sn_pairing **pairing,
                                       sn_error *error);
SN_EXPERIMENTAL void sn_pairing_destroy(sn_pairing *pairing);

// Adds what a pairing says to an object (docs/motion.md#pairing): "pairing", a row for each
// segment, and "unused", why joints of the clip move nothing.
SN_EXPERIMENTAL sn_status sn_pairing_describe(const sn_pairing *pairing, sn_json *json,
                                              sn_value *object, sn_error *error);

// Writes a file of that; it begins with the names of clip and character, which may be NULL.
SN_EXPERIMENTAL sn_status sn_pairing_write(const sn_pairing *pairing, const char *clip,
                                           const char *character, const char *path,
                                           sn_error *error);

// Adds the pairs alone, as documents have them: a member for each segment that is moved, or that
// the caller's edits leave out.
SN_EXPERIMENTAL sn_status sn_pairing_add(const sn_pairing *pairing, sn_json *json, sn_value *object,
                                         sn_error *error);

// Edits that were read from a JSON text.
typedef struct sn_pair_edits {
    sn_context *context;
    uint32_t count;
    sn_pair_edit *edits; // names and places belong to `json`
    sn_json *json;
    char *file;
} sn_pair_edits;

// Reads edits from a file: an object of segments, each with the name of a joint of the clip, null,
// or shares of two joints; or what sn_pairing_describe wrote. Names are looked up later. Fails with
// SN_IO, and with SN_INVALID naming line and place. The result belongs to the caller.
SN_EXPERIMENTAL sn_status sn_pair_edits_read(sn_context *context, const char *path,
                                             sn_pair_edits **edits, sn_error *error);
SN_EXPERIMENTAL void sn_pair_edits_destroy(sn_pair_edits *edits);

// ---------------------------------------------------------------------------------------------
// Names as users type them

// How a name was understood. The numbers are kept for ever.
typedef enum sn_name_match {
    SN_NAME_EXACT = 0,
    SN_NAME_SHORT = 1, // without a namespace ("mixamorig:"), or in other capitals
    SN_NAME_PART = 2,  // as a part of the body: "head", "left upper arm", "forearm.L"
} sn_name_match;

// Finds the one segment that a name means. An exact name always wins; then the only one that is
// equal without namespaces and capitals; then the only segment that is this part of the body. Fails
// with SN_INVALID where several are meant, which it names, or none, suggesting the closest.
SN_EXPERIMENTAL sn_status sn_skeleton_match(sn_context *context, const sn_skeleton *skeleton,
                                            const char *name, uint32_t *segment,
                                            sn_name_match *match, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Reaching: two joints of a limb that bring its end to a target (inverse kinematics)

// A limb: the joints of `upper` and `lower` turn, as shoulder and elbow do, and the joint of `end`,
// such as the wrist, is brought to the target. There may be further segments between these three;
// their joints stay as they are.
typedef struct sn_limb {
    uint32_t upper, lower, end; // segments; `upper` is above `lower`, and that is above `end`
    bool is_named;              // `end` is a hand or a foot of a body, told by its name
} sn_limb;

// The limbs that end at the segments of a skeleton: `limbs` has segment_count. For a hand or a foot
// they are upper arm and forearm, or thigh and shin, also where there are segments for twist in
// them. For other segments they are the next two above whose joints can swing the end. Where there
// are none, `upper` is SN_NONE.
SN_EXPERIMENTAL sn_status sn_skeleton_limbs(sn_context *context, const sn_skeleton *skeleton,
                                            sn_limb *limbs, sn_error *error);

typedef struct sn_reach_desc {
    uint32_t check;
    sn_limb limb;
    sn_vec3 target; // in the world
    bool has_pole;  // else the limb turns as little as possible
    sn_vec3 pole;   // in the world: the elbow or knee points to it
} sn_reach_desc;

// No limb, no pole.
SN_EXPERIMENTAL sn_reach_desc sn_reach_desc_default(void);

typedef struct sn_reach {
    double upper[3], lower[3]; // rx ry rz of both joints, radians, within their limits
    double miss;               // metres that are left between the end and the target
} sn_reach;

// Solves a limb for a target. `worlds` and `joint_parameters` (9 per segment) are the present pose,
// as sn_frame_worlds and sn_frame_joint_parameters give it. The bend of the lower joint follows
// from the distance of the target, and the turn of the upper joint from its direction and the pole,
// both in closed form (docs/motion.md). Where limits do not allow that turn, the elbow departs from
// the pole as little as they need; what is still missing is reduced one angle at a time. A target
// that is too far or too near is approached as far as limits allow. Fails with SN_INVALID where
// `limb` is not a chain of the skeleton, or where target or pole are not finite.
SN_EXPERIMENTAL sn_status sn_reach_solve(const sn_skeleton *skeleton, const sn_mat4 *worlds,
                                         const double *joint_parameters, const sn_reach_desc *desc,
                                         sn_reach *reach, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
