// SPDX-License-Identifier: Apache-2.0
//
// Evaluation: from a character and a motion to moving surfaces.
//
//     sn_character ──► sn_model (constant) ──► sn_frame (pose in, surfaces out)
//                       sn_motion (constant) ──► ▲
//
// Poses can also come from the program itself, step by step (live.h).
//
// A model and a motion are constant once made and can be shared by any number of frames on any
// number of threads; a frame belongs to one thread at a time. The result for a frame number depends
// on model, motion, frame number and the values held on the frame, and on nothing else: not on the
// number of threads, nor on which frames were evaluated before.
//
// Several threads may work in one context at the same time: make models (of different characters),
// open motions, evaluate frames (each its own). The first of them uses the context's threads for
// its loop; the others meanwhile run theirs on their own thread alone, with the same bits.
#ifndef SINEW_EVAL_H
#define SINEW_EVAL_H

#include "sinew/character.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"
#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_model sn_model;
typedef struct sn_motion sn_motion;
typedef struct sn_frame sn_frame;

// ---------------------------------------------------------------------------------------------
// Model

// What a surface of the model is.
typedef enum sn_layer {
    SN_LAYER_SKIN = 0,
    SN_LAYER_BONE = 1,
    SN_LAYER_MUSCLE = 2,
    SN_LAYER_TISSUE = 3,
} sn_layer;

// What a surface is made of; decides colour and gloss in pictures. The numbers are kept for ever.
typedef enum sn_look {
    SN_LOOK_SKIN = 0,
    SN_LOOK_MUSCLE = 1,
    SN_LOOK_BONE = 2,
    SN_LOOK_TISSUE = 3,
    SN_LOOK_CLOTH = 4,
    SN_LOOK_PLAIN = 5, // light grey
    SN_LOOK_EYE = 6,   // dark and wet
    SN_LOOK_HORN = 7,  // nails, hooves, horns
} sn_look;

// A mesh that moves, in the order of the document: bones first, then tissues, skins, muscles.
typedef struct sn_surface {
    const char *name;
    sn_layer layer;
    sn_look look;
    const sn_mesh *mesh;
    uint32_t segment;      // that carries it as a whole, or SN_NONE
    bool in_segment_frame; // the mesh's coordinates are that segment's, not the world's at rest
    bool shown;            // false for skins that only drive others and for negative tissues
    bool feature;          // a tissue such as an eye: shown with the skin, which does not cover it
    double density;        // of a tissue: below 0 it pushes an extracted skin away; else 1
    const sn_mat4 *ellipsoid; // maps the unit ball to it, in the mesh's coordinates; NULL: a mesh
    bool linear_skinning; // moved by linear `blend` (and `morph` before it) or by its segment alone
    const uint32_t *bone_segments; // mesh->weights->bone_count; NULL where nothing uses the weights
    const uint32_t *target_controls; // mesh->target_count: control of each morph target, or
                                     // SN_NONE; NULL where nothing uses the targets
} sn_surface;

// Compiles a character: checks it, reads its meshes, builds the rig, binds the deformers. The
// character must outlive the model. It may be edited and saved meanwhile: the model keeps what the
// document said when the model was made. `progress` may be NULL.
SN_API sn_status sn_model_create(sn_character *character, const sn_progress *progress,
                                 sn_model **model, sn_error *error);
SN_API void sn_model_destroy(sn_model *model);

// Compiles a character that was edited since the model `before` was made of it (NULL: the same as
// sn_model_create). The new model shares with `before` everything that the edits left as it was: an
// edit of a clip or a control costs next to nothing, an edit of a muscle costs that muscle and what
// follows it. The result has the same bits as sn_model_create would give. `before` does not change,
// other threads may evaluate frames of it meanwhile, and either model may be destroyed first. Both
// models must be of the same character, or of characters that were parsed beside each other
// (sn_character_parse_beside).
SN_EXPERIMENTAL sn_status sn_model_recompile(sn_character *character, const sn_model *before,
                                             const sn_progress *progress, sn_model **model,
                                             sn_error *error);

SN_API sn_context *sn_model_context(const sn_model *model);
SN_API const char *sn_model_name(const sn_model *model);
SN_API uint32_t sn_model_surface_count(const sn_model *model);
SN_API const sn_surface *sn_model_surface(const sn_model *model, uint32_t surface);
SN_API const sn_skeleton *sn_model_skeleton(const sn_model *model);

// By name: the first surface, the segment, the control of that name; SN_NONE where there is none.
SN_EXPERIMENTAL uint32_t sn_model_find_surface(const sn_model *model, const char *name);
SN_EXPERIMENTAL uint32_t sn_model_find_segment(const sn_model *model, const char *name);
SN_EXPERIMENTAL uint32_t sn_model_find_control(const sn_model *model, const char *name);

// What a name as a user types it means: a surface or a segment, the other is SN_NONE. Exact names
// come first, surfaces before segments; then segments as sn_skeleton_match finds them; then the
// first surface of that name without namespace and capitals. Fails with SN_INVALID where several
// segments are meant, or nothing is, suggesting the closest name.
SN_EXPERIMENTAL sn_status sn_model_match_part(const sn_model *model, const char *name,
                                              uint32_t *surface, uint32_t *segment,
                                              sn_name_match *match, sn_error *error);

SN_API uint32_t sn_model_control_count(const sn_model *model);
SN_API const char *sn_model_control_name(const sn_model *model, uint32_t control);
// The heading under which a user interface lists it; "" where the document gives none.
SN_EXPERIMENTAL const char *sn_model_control_group(const sn_model *model, uint32_t control);

// What a skin is extracted from. (SINEW_MAKE)
typedef struct sn_model_extract_desc {
    sn_extract_desc grid; // from sn_extract_desc_default; its parts are those of the model
    uint32_t surface_count;
    const uint32_t *surfaces; // bones, tissues but features, muscles; NULL: all that are closed
    uint32_t enlarge_count;
    const sn_segment_factor *enlarge; // segments that are larger while the skin is extracted; the
                                      // skin is then fitted back to the body in its own size
    sn_log_fn *tell; // gets messages about what was left out or lost; NULL: the context's log
    void *tell_user;
} sn_model_extract_desc;

SN_EXPERIMENTAL sn_model_extract_desc sn_model_extract_desc_default(void);

// Extracts a skin (sn_extract_skin) from the bones, tissues and muscles of a model. They stand at
// rest without the document's proportions, as for meshes with "extract" in documents. If `surfaces`
// is NULL, open meshes are left out, each with a message that says why, and so are muscles that
// need an extracted skin themselves. `report` and `progress` may be NULL; `thin_part` of the report
// is a number among the parts that were used. Fails as sn_extract_skin does, and with SN_INVALID
// where nothing is closed, and for a segment to be enlarged that does not exist, is named twice or
// has a factor out of range.
SN_EXPERIMENTAL sn_status sn_model_extract_skin(const sn_model *model,
                                                const sn_model_extract_desc *desc,
                                                const sn_progress *progress, sn_mesh **skin,
                                                sn_extract_report *report, sn_error *error);

// A parameter of the model, looked up once and used many times: a joint parameter or a control.
typedef struct sn_pose_parameter {
    uint32_t segment;                   // SN_NONE for a control
    sn_joint_parameter joint_parameter; // of the segment
    uint32_t control;                   // SN_NONE for a joint parameter
    sn_unit unit;                       // of values and of the range
    double low, high;                   // range of its values; -INFINITY, INFINITY where it is free
    double standard;                    // its value in the rest pose
    bool driven;                        // a driver computes it, unless its value is held
    double usual_low, usual_high;       // range that is usual, within the whole one
} sn_pose_parameter;

// Finds a parameter by its name: "forearm.rx" in radians, "forearm.rx_deg" in degrees, a control.
// Fails with SN_INVALID, suggesting the closest name.
SN_EXPERIMENTAL sn_status sn_model_find_parameter(const sn_model *model, const char *name,
                                                  sn_pose_parameter *parameter, sn_error *error);

// The same for a name as a user types it: where it is no parameter's, the segment in it is looked
// for as sn_skeleton_match does ("head.ry_deg" for "mixamorig:Head.ry_deg"), and `match` says how
// it was found.
SN_EXPERIMENTAL sn_status sn_model_match_parameter(const sn_model *model, const char *name,
                                                   sn_pose_parameter *parameter,
                                                   sn_name_match *match, sn_error *error);

// The same by number, which must exist; angles in radians.
SN_EXPERIMENTAL sn_pose_parameter sn_model_control_parameter(const sn_model *model,
                                                             uint32_t control);
SN_EXPERIMENTAL sn_pose_parameter sn_model_joint_parameter(const sn_model *model, uint32_t segment,
                                                           sn_joint_parameter joint_parameter);

// The outermost points of the shown skins that follow each segment, in SN_SKIN_POINTS directions
// at most: where soles, tips and elbows are. `points` has room for segment_count of
// sn_model_skeleton times as many; `count` gets how many there are. Retargeting keeps feet out of
// the ground by them (`skin` of sn_retarget_desc); motions of this header do so.
#define SN_SKIN_POINTS 98
SN_EXPERIMENTAL sn_status sn_model_skin_points(const sn_model *model, sn_skin_point *points,
                                               uint32_t *count, sn_error *error);

// Rigid bodies that muscles move, in the order of the document (docs/bodies.md).
typedef struct sn_body {
    const char *name;
    uint32_t segment; // that it moves
    double mass;      // kg
    bool simulated;   // it moves in time, else it is always where it comes to rest
} sn_body;
SN_EXPERIMENTAL uint32_t sn_model_body_count(const sn_model *model);
SN_EXPERIMENTAL sn_body sn_model_body(const sn_model *model, uint32_t body);

// World matrices of the rest pose.
SN_API const sn_mat4 *sn_model_rest_worlds(const sn_model *model);

// Bytes that the bindings of all deformers take.
SN_API size_t sn_model_bytes(const sn_model *model);

// ---------------------------------------------------------------------------------------------
// The body at rest

// A muscle.
typedef struct sn_muscle_check {
    uint32_t surface;
    double length; // metres
    double volume; // cubic metres; 0 for one that is open
    // Of kind `graph`: keys that keep its volume along its contraction, and the most steps that the
    // search for one took (docs/graph.md#volume); 0 for others.
    uint32_t volume_keys, search_steps;
} sn_muscle_check;

// Where a muscle is attached to a bone.
typedef struct sn_attachment_check {
    uint32_t muscle, bone; // surfaces
    bool insertion;        // or an origin
    uint32_t number;       // of them, from 0
    double distance;       // from the bone's surface, metres
    double share;          // the same as a part of the bone's size, the diagonal of its box
} sn_attachment_check;

// Two bones or muscles that overlap.
typedef struct sn_overlap_check {
    uint32_t surfaces[2];
    double share; // of the first one's vertices that lie in the second one
} sn_overlap_check;

// A skin and what lies under it.
typedef struct sn_skin_check {
    uint32_t surface;
    uint32_t inside;    // vertices that lie in a bone, tissue or muscle
    uint32_t vertex;    // the deepest of them, or SN_NONE
    uint32_t component; // that it lies in
    double depth;       // metres
} sn_skin_check;

typedef struct sn_body_check {
    sn_context *context;
    uint32_t muscle_count;
    sn_muscle_check *muscles;
    uint32_t attachment_count;
    sn_attachment_check *attachments; // by muscle, origins first
    uint32_t overlap_count;
    sn_overlap_check *overlaps; // by surface
    uint32_t skin_count;        // that are shown
    sn_skin_check *skins;
} sn_body_check;

// Measures a model at rest. Only closed bones, muscles and tissues have an inside; features and
// negative tissues do not count. An overlap is a pair of bones or muscles of which one has more
// than `share` of its vertices inside the other (a few hundred vertices are tested). `progress` may
// be NULL. The result belongs to the caller.
SN_EXPERIMENTAL sn_status sn_body_check_create(const sn_model *model, double share,
                                               const sn_progress *progress, sn_body_check **check,
                                               sn_error *error);
SN_EXPERIMENTAL void sn_body_check_destroy(sn_body_check *check);

// ---------------------------------------------------------------------------------------------
// Motion

// Clips of the document, in its order.
SN_API uint32_t sn_model_clip_count(const sn_model *model);
SN_API const char *sn_model_clip_name(const sn_model *model, uint32_t clip);

// Whether planted feet of a clip of another skeleton are held in place (docs/motion.md).
typedef enum sn_plant_feet {
    SN_PLANT_FEET_AS_DOCUMENT = 0, // as the document says; yes where it says nothing
    SN_PLANT_FEET_YES = 1,
    SN_PLANT_FEET_NO = 2,
} sn_plant_feet;

typedef struct sn_motion_desc {
    uint32_t check;
    bool ignore_unknown; // no warning for columns of tables (.mot, .sto) that are left out
    uint32_t rest_frame; // of a clip of another skeleton: the frame that counts as its rest pose;
                         // SN_NONE: what the document says, else what sn_clip_retarget chooses
    sn_plant_feet plant_feet;
    // Changes of what retargeting pairs. They override `pairing` of the document where both speak
    // of the same segment. May be NULL.
    const sn_pair_edit *edits;
    uint32_t edit_count;
    double rate; // frames per second: frame k is at the time k / rate; 0: the rate of the clip
} sn_motion_desc;

SN_EXPERIMENTAL sn_motion_desc sn_motion_desc_default(void);

// Opens a clip of the document by name, or a motion file (.bvh, .glb, .mot, ...; its first clip, or
// FILE#CLIP). A clip that was recorded on another skeleton is retargeted. The columns of tables
// (.mot, .sto) are named as parameters of the model; those that the model lacks or that a driver
// computes are left out with a warning that names them, and if none is left, that is an error. The
// model must outlive the motion. The character keeps files of the document once they are read.
SN_API sn_status sn_motion_open(const sn_model *model, const char *name_or_path, sn_motion **motion,
                                sn_error *error);
SN_EXPERIMENTAL sn_status sn_motion_open_with(const sn_model *model, const char *name_or_path,
                                              const sn_motion_desc *desc, sn_motion **motion,
                                              sn_error *error);

// A motion from a clip, which is copied or retargeted.
SN_API sn_status sn_motion_create(const sn_model *model, const sn_clip *clip, sn_motion **motion,
                                  sn_error *error);
SN_API void sn_motion_destroy(sn_motion *motion);

// What was paired where the motion was retargeted; NULL where the clip plays as it is. It belongs
// to the motion.
SN_EXPERIMENTAL const sn_pairing *sn_motion_pairing(const sn_motion *motion);

// What would be paired for a motion file, FILE or FILE#CLIP, also where nothing would be, and where
// the clip could be played as it is. The result belongs to the caller.
SN_EXPERIMENTAL sn_status sn_model_pair(const sn_model *model, const char *path,
                                        const sn_motion_desc *desc, sn_pairing **pairing,
                                        sn_error *error);

SN_API const char *sn_motion_name(const sn_motion *motion);
SN_API double sn_motion_rate(const sn_motion *motion);
SN_API uint32_t sn_motion_frame_count(const sn_motion *motion);

// How exactly keys follow a motion.
typedef struct sn_keys_desc {
    uint32_t check;
    double angle;  // radians
    double length; // metres
    double number; // of scale factors and controls
} sn_keys_desc;

// 0.05 degrees, 0.1 mm, 0.001.
SN_EXPERIMENTAL sn_keys_desc sn_keys_desc_default(void);

// Makes a clip of keys from a motion: a track for each joint parameter and control that it moves
// away from rest (angles in degrees, "forearm.rx_deg"), a key for each frame, of which those are
// left out that a straight line between others replaces within the tolerances of the desc. Played
// on the model, the clip departs from the motion by no more than these at every frame. What
// synergies add and what drivers compute is not in it: they act on the clip again. Angles are
// written without jumps from frame to frame where the joint has no limits. The clip belongs to the
// caller.
SN_EXPERIMENTAL sn_status sn_motion_keys(const sn_motion *motion, const sn_keys_desc *desc,
                                         const sn_progress *progress, sn_clip **clip,
                                         sn_error *error);

// ---------------------------------------------------------------------------------------------
// Frame

// The stages of an evaluation. The numbers are kept for ever; bodies come behind the pose.
typedef enum sn_stage {
    SN_STAGE_POSE = 0,
    SN_STAGE_BONES = 1,
    SN_STAGE_MUSCLES = 2,
    SN_STAGE_SKIN = 3,
    SN_STAGE_BODIES = 4,
    SN_STAGE_COUNT = 5,
} sn_stage;

SN_API const char *sn_stage_name(sn_stage stage);

// Makes a frame and evaluates the rest pose. The model must outlive it.
SN_API sn_status sn_frame_create(const sn_model *model, sn_frame **frame, sn_error *error);

// The same without that evaluation, for a caller who evaluates at once: until then every surface
// has the points of its mesh, and muscles have no state.
SN_EXPERIMENTAL sn_status sn_frame_create_unevaluated(const sn_model *model, sn_frame **frame,
                                                      sn_error *error);
SN_API void sn_frame_destroy(sn_frame *frame);

// Holds a parameter ("forearm.rx_deg", a control's name) at a value, whatever the motion says, from
// the next evaluation on. Fails with SN_INVALID for an unknown name or a value out of range.
SN_API sn_status sn_frame_set(sn_frame *frame, const char *parameter, double value,
                              sn_error *error);

// The same for a parameter that was found before, without looking for its name.
SN_EXPERIMENTAL sn_status sn_frame_hold(sn_frame *frame, const sn_pose_parameter *parameter,
                                        double value, sn_error *error);

// Releases all held parameters.
SN_API void sn_frame_clear(sn_frame *frame);

// Selects the surfaces that evaluations compute. What they need is computed too: surfaces that
// drive them, lie below them or are touched by them, and muscles that move any of these. The points
// of all others, and the results of sn_frame_muscle_state for muscles that are not needed, stay as
// they were. At first everything is selected. A simulation that was left out begins again when it
// is needed again. Where the selection changes, frames of motions are stepped from frame 0 again.
// Fails with SN_INVALID for a surface that does not exist; the selection is then as it was.
SN_EXPERIMENTAL sn_status sn_frame_select(sn_frame *frame, const uint32_t *surfaces, uint32_t count,
                                          sn_error *error);

// Selects all surfaces that are shown (true), or all surfaces again (false). Muscle states are
// computed in both cases.
SN_API void sn_frame_show_only(sn_frame *frame, bool shown_only);

// Evaluates a frame of a motion (NULL: the rest pose at time 0, any number). A simulation is
// stepped from frame 0, or from the nearest known state before, so that the result is that of the
// whole run.
SN_API sn_status sn_frame_evaluate(sn_frame *frame, const sn_motion *motion, uint32_t number,
                                   sn_error *error);

// The frame that sn_frame_evaluate would step to first to reach `number`: the one after the nearest
// known state. It is `number` itself where one step is enough, where the model has no simulation,
// and for the rest pose. A program that cannot wait for all steps evaluates this frame, handles its
// events and asks again; the results have the same bits.
SN_EXPERIMENTAL uint32_t sn_frame_next_step(const sn_frame *frame, const sn_motion *motion,
                                            uint32_t number);

SN_API const sn_model *sn_frame_model(const sn_frame *frame);

// Results of the last evaluation; they stay valid until the next one. After a failed evaluation the
// numbers are undefined, but the frame can be evaluated again.
SN_API const float *sn_frame_points(const sn_frame *frame, uint32_t surface); // #V x 3
SN_API const sn_mat4 *sn_frame_worlds(const sn_frame *frame);                 // per segment
SN_API const sn_transform *sn_frame_locals(const sn_frame *frame);            // per segment
SN_API const double *sn_frame_joint_parameters(const sn_frame *frame);        // 9 per segment
SN_API const double *sn_frame_controls(const sn_frame *frame);                // per control

// Solves a limb for a target in the pose of the last evaluation (sn_reach_solve, motion.h). The
// angles are those to hold (sn_frame_hold) for the limb to get there: they leave out what synergies
// add. The frame itself does not change.
SN_EXPERIMENTAL sn_status sn_frame_reach(const sn_frame *frame, const sn_reach_desc *desc,
                                         sn_reach *reach, sn_error *error);

// Copies the points of a surface, or its normals (sn_mesh_normals), into the caller's memory: three
// floats for each vertex, `stride` bytes from one to the next (0: 12). The first call for the
// normals of a surface allocates what they need. Both fail with SN_INVALID for a surface that does
// not exist and for a stride below 12.
SN_EXPERIMENTAL sn_status sn_frame_copy_points(const sn_frame *frame, uint32_t surface, void *out,
                                               size_t stride, sn_error *error);
SN_EXPERIMENTAL sn_status sn_frame_copy_normals(sn_frame *frame, uint32_t surface, void *out,
                                                size_t stride, sn_error *error);

SN_API double sn_frame_time(const sn_frame *frame);
SN_API double sn_frame_stage_ms(const sn_frame *frame, sn_stage stage);

// What a joint of a body does: how far its point has slid along its path and moved aside, metres,
// and the force that holds it, N.
typedef struct sn_body_joint {
    double travel, aside, force;
} sn_body_joint;

// What a pair of surfaces that touch does.
typedef struct sn_body_contact {
    double depth; // metres that the deepest point has entered, beyond what it has at rest
    double force; // N, summed over all points
    uint32_t point_count;
} sn_body_contact;

typedef struct sn_body_muscle {
    uint32_t surface;  // of the model
    double force;      // N
    double activation; // 0 to 1, as it follows its control
} sn_body_muscle;

// The state of a body in the last evaluation. Arrays belong to the frame.
typedef struct sn_body_state {
    double turn;    // radians from rest, about any axis
    sn_vec3 center; // of mass, in the frame of the segment that it hangs on, metres
    uint32_t joint_count;
    const sn_body_joint *joints; // as the document has them
    uint32_t ligament_count;
    const double *ligaments; // N
    uint32_t contact_count;
    const sn_body_contact *contacts; // one for each segment or body that a contact is against
    uint32_t muscle_count;
    const sn_body_muscle *muscles; // of all bodies that act on each other
} sn_body_state;
SN_EXPERIMENTAL sn_body_state sn_frame_body_state(const sn_frame *frame, uint32_t body);

// The state of a muscle in the last evaluation.
typedef struct sn_muscle_state {
    double length, rest_length; // metres
    double volume, rest_volume; // cubic metres; 0 for an open muscle
    uint32_t fibre_count;       // of a muscle around axes (`fibre`), else 0
    double swing;               // of such a muscle: the largest distance of a particle from where
                                // the pose alone would put it, metres; else 0
    double shortening;          // 0 at rest length and longer, 1 at 75 % of it and shorter, where a
                                // muscle is fully flexed; linear between them
    double activation;          // 0 to 1 (the range of its control): `activation`, else the larger
                                // of `contraction` and `tension`; 0 where it has none of them. A
                                // fibre's is its own, which may also come from its length
    bool has_activation;        // whether it has one of them, or is a fibre
} sn_muscle_state;

// Returns false for a surface that is not a muscle.
SN_EXPERIMENTAL bool sn_frame_muscle_state(const sn_frame *frame, uint32_t surface,
                                           sn_muscle_state *state);

// What a muscle could not keep in the last evaluation, in words that begin with its name: no room
// between what it touches, tendons that are stretched, a volume. NULL: nothing, or it is no muscle.
// The text stays valid until the next evaluation.
SN_EXPERIMENTAL const char *sn_frame_muscle_trouble(const sn_frame *frame, uint32_t surface);

// The axis of a fibre of a muscle in the last evaluation. The numbers stay valid until the next
// one.
typedef struct sn_muscle_axis {
    uint32_t particle_count; // with its ends
    const double *particles; // particle_count x 3, from the origin to the insertion
    const double *still;     // the same where the pose alone would put them
    bool swings;             // particles move by themselves: the muscle is simulated
} sn_muscle_axis;

// Returns false for a surface that is no muscle around axes, and for a fibre that it does not have.
SN_EXPERIMENTAL bool sn_frame_muscle_axis(const sn_frame *frame, uint32_t surface, uint32_t fibre,
                                          sn_muscle_axis *axis);

// Whether a model has such a muscle that swings.
SN_EXPERIMENTAL bool sn_model_swings(const sn_model *model);

// The moment arm of a muscle about a coordinate q of its joints is -dL/dq: what it shortens by as
// the coordinate grows, positive where its pull makes the coordinate grow. L is its length, and all
// that a coordinate moves counts: joints that synergies and drivers couple to it, and pivots.
// Metres for angles (the lever of its pull); metres per metre for translations, and metres for a
// change of one for controls that are plain numbers. Muscles between bones have moment arms, those
// drawn on skins have none.
typedef struct sn_moment_arms sn_moment_arms;

typedef struct sn_coordinate {
    const char *name;            // "knee_angle_r"; "forearm.rx_deg"
    sn_pose_parameter parameter; // its value and range are in the unit of the name
} sn_coordinate;

// A muscle that a coordinate may lengthen.
typedef struct sn_moment_pair {
    uint32_t muscle;     // surface
    uint32_t coordinate; // number
} sn_moment_pair;

typedef struct sn_moment_arm {
    double arm;
    double error; // about how far off it is; large where the length has a kink or a jump
} sn_moment_arm;

// Finds the coordinates of a model and the muscles that each of them may lengthen. With names, the
// coordinates are these parameters; else controls that move joints and that nothing computes, and
// joint parameters with limits that no synergy adds to; where there are none of either, all angles
// that are not fixed. The model must outlive the result. Fails with SN_INVALID for an unknown name
// and for a parameter that is fixed or computed by a driver.
SN_EXPERIMENTAL sn_status sn_moment_arms_create(const sn_model *model, const char *const *names,
                                                uint32_t name_count, sn_moment_arms **arms,
                                                sn_error *error);
SN_EXPERIMENTAL void sn_moment_arms_destroy(sn_moment_arms *arms);
SN_EXPERIMENTAL const sn_coordinate *sn_moment_arms_coordinates(const sn_moment_arms *arms,
                                                                uint32_t *count);
SN_EXPERIMENTAL const sn_moment_pair *sn_moment_arms_pairs(const sn_moment_arms *arms,
                                                           uint32_t *count);

// Measures all pairs in the pose of the last evaluation, by differences of the length for steps of
// 1e-4 radians (1e-5 metres): `values` has room for all pairs, in their order. One thread at a time
// may use the arms. The same bits for any number of threads.
SN_EXPERIMENTAL sn_status sn_moment_arms_measure(sn_moment_arms *arms, const sn_frame *frame,
                                                 sn_moment_arm *values, sn_error *error);

// A quantity of the skin or of the muscles, a number at each vertex. The numbers are kept for ever.
typedef enum sn_quantity {
    SN_QUANTITY_NONE = 0,
    SN_QUANTITY_STRETCH = 1,         // mean over a vertex's edges of length / rest length
    SN_QUANTITY_LARGEST_STRETCH = 2, // the most stretched triangle at a vertex: the largest
                                     // singular value of its map from rest
    SN_QUANTITY_COMPONENT = 3,  // the number of the surface of the component that a vertex hangs on
                                // (`membrane`). Each component has a colour, which the skin on it
                                // and the component itself are drawn in; there is no legend
    SN_QUANTITY_SHORTENING = 4, // of muscles: sn_muscle_state, 0 to 1
    SN_QUANTITY_ACTIVATION = 5, // likewise; muscles without an activation are grey
    SN_QUANTITY_VOLUME = 6,     // of muscles: volume / rest volume - 1; open ones are grey
    SN_QUANTITY_WEIGHTS = 7,    // of skins: the weight on a segment in `blend`, or how much points
                                // take of a deformer, 0 to 1
    SN_QUANTITY_DEPTH = 8, // of skins: distance to the nearest closed bone, muscle or tissue, in
                           // metres; below 0 inside one. Features and negative tissues do not count
    SN_QUANTITY_CONTACT = 9, // of skins with `implicit`: how far contact of the body's parts has
                             // moved a vertex, metres
    SN_QUANTITY_COUNT = 10,
} sn_quantity;

// Colour maps of pictures (render.h) that the colour-blind can read. The numbers are kept for ever.
typedef enum sn_color_map {
    SN_COLOR_MAP_VIRIDIS = 0,   // from low to high
    SN_COLOR_MAP_COOL_WARM = 1, // blue below the middle, red above it
    SN_COLOR_MAP_FLESH = 2,     // from pale to deep red
} sn_color_map;

// How a quantity is best shown.
typedef struct sn_color_range {
    sn_color_map map;
    double low, high;  // ends of the map; values beyond them take the end's colour
    bool categories;   // values are whole numbers with colours of their own (sn_component_color)
    const char *title; // with the unit, for a legend
} sn_color_range;

// The name that commands and documents use: "stretch", "largest-stretch", "component",
// "shortening", "activation", "volume", "weights", "depth", "contact"; "none".
SN_EXPERIMENTAL const char *sn_quantity_name(sn_quantity quantity);

// The quantity of that name; SN_QUANTITY_NONE where there is none.
SN_EXPERIMENTAL sn_quantity sn_quantity_find(const char *name);

// Whether muscles have it; otherwise skins have it.
SN_EXPERIMENTAL bool sn_quantity_of_muscles(sn_quantity quantity);

// The range, colour map and title with which it is shown; the range of lengths depends on the size
// of the model.
SN_EXPERIMENTAL sn_color_range sn_quantity_range(const sn_model *model, sn_quantity quantity);

typedef struct sn_values_desc {
    uint32_t check;
    sn_quantity quantity;
    const char *segment; // for weights: the segment in the skin's `blend`; NULL: how much points
    uint32_t deformer;   // take of this deformer, its number in the skin's list, from 0
} sn_values_desc;

// No quantity, segment or deformer.
SN_EXPERIMENTAL sn_values_desc sn_values_desc_default(void);

// Whether a surface of the model has the quantity. For depths the answer is true for every skin if
// the model has any bone, tissue or muscle that could be closed.
SN_EXPERIMENTAL bool sn_values_exist(const sn_model *model, uint32_t surface,
                                     const sn_values_desc *desc);

// Computes a quantity at the vertices of a surface (`values`, #V) in the pose of the last
// evaluation; NaN where a pose has left the range of float. The first call makes what is needed
// (neighbours, search trees) and keeps it in the frame, so this call too may be used by one thread
// at a time. The result has the same bits for any number of threads. Fails with SN_INVALID for a
// surface that does not have the quantity, and for a segment or deformer that does not exist.
SN_EXPERIMENTAL sn_status sn_frame_values(const sn_frame *frame, uint32_t surface,
                                          const sn_values_desc *desc, float *values,
                                          sn_error *error);

// A plane through a body, on which a field is looked at.
typedef struct sn_field_slice {
    uint32_t segment; // that carries it; SN_NONE: it stands in the world
    sn_vec3 point;    // on it, in the frame of that segment, or of the world
    sn_vec3 normal;   // of any length but 0, likewise
} sn_field_slice;

// Whether a skin has a field: a deformer `implicit` moves it.
SN_EXPERIMENTAL bool sn_model_has_field(const sn_model *model, uint32_t surface);

// Samples the field of such a skin at points of the world (`points`, count x 3) in the pose of the
// last evaluation: `values` (count) become 0 beyond all, a half on the surface of the field, and 1
// deep inside (docs/implicit.md#slices). Segments count without their scale. Points that are not
// finite are beyond all. The same bits for any number of threads. Fails with SN_INVALID for a
// surface without a field.
SN_EXPERIMENTAL sn_status sn_frame_field(const sn_frame *frame, uint32_t surface, uint32_t count,
                                         const float *points, float *values, sn_error *error);

// Writes the state after the last evaluation as bytes: the positions and velocities of simulations,
// and their time. It can be restored in any frame of the same model, also in another process on the
// same kind of machine. `state` has room for sn_frame_state_bytes bytes, a number that is the same
// for all frames of a model.
SN_API size_t sn_frame_state_bytes(const sn_frame *frame);
SN_API void sn_frame_save(const sn_frame *frame, void *state);

// Continues from a saved state. `motion` is the motion that it was saved from: the state then
// counts as the one after its frame of that motion, with the values held on this frame. With a NULL
// motion, live steps (live.h) continue from it, also if it was saved from a motion. Points and pose
// stay as they are until the next evaluation. Fails with SN_INVALID for bytes that are not a state,
// for a state that is cut or damaged, and for one of another model or motion; the frame is then as
// it was.
SN_API sn_status sn_frame_restore(sn_frame *frame, const sn_motion *motion, const void *state,
                                  size_t size, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Bake

// How a .glb holds the motion. The numbers are kept for ever.
typedef enum sn_glb_mode {
    SN_GLB_AUTO = 0,    // skinned where linear skinning is exact, else morph targets
    SN_GLB_SKINNED = 1, // skeleton, weights, animation; SN_INVALID where that is not exact
    SN_GLB_MORPH = 2,   // one morph target per frame
} sn_glb_mode;

typedef struct sn_bake_desc {
    uint32_t check;
    const sn_motion *motion; // NULL: the rest pose
    uint32_t first, last;    // frames, both included
    bool bones;              // writes bones and tissues besides skins and features
    bool muscles;            // writes muscles, too
    sn_glb_mode glb;
    const char *report_path;         // report.json; NULL: none
    double tolerance;                // of sn_export_desc; a hundredth of a millimetre by default
    uint32_t further_count;          // of `further`
    const sn_motion *const *further; // more motions for a skinned .glb, all their frames
} sn_bake_desc;

SN_API sn_bake_desc sn_bake_desc_default(void);

// Whether sn_bake would write a skinned .glb, which holds any number of clips: the path ends so,
// and linear skinning says all that is written.
SN_EXPERIMENTAL bool sn_bake_is_skinned(const sn_model *model, const sn_bake_desc *desc,
                                        const char *path);

// Evaluates frames and writes the moving surfaces that are shown to a file; its extension chooses
// the format (io.h). Values held on the frame stay held. The file appears under its name when it is
// complete; a failure or a cancellation leaves nothing behind. `path` may be NULL if there is a
// report_path: the frames are then evaluated for the report alone, whatever is shown. Fails with
// SN_INVALID for further motions in a file that is not skinned.
SN_API sn_status sn_bake(sn_frame *frame, const sn_bake_desc *desc, const char *path,
                         const sn_progress *progress, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Games

// A character for game engines (docs/game.md): one .glb with a skeleton, skins with at most four
// bones to a vertex, morph targets for what bones alone cannot do, and any number of clips that
// animate both.
typedef struct sn_game_desc {
    uint32_t check;
    uint32_t motion_count;           // of `motions`, at least 1
    const sn_motion *const *motions; // clips of the file, in this order
    uint32_t surface;                // a skin to write alone; SN_NONE: all that are shown
    uint32_t targets; // most morph targets of a skin; SN_NONE: as few as `error` asks for
    double error; // metres: the mean distance of a skin's vertices from the full evaluation that
                  // no clip may exceed; 0: 0.05 % of the skin's size where `targets` is
                  // SN_NONE, else as small as all targets make it
} sn_game_desc;

// How far a clip of the file is from the full evaluation, in metres, over all vertices of all skins
// in all frames.
typedef struct sn_game_distance {
    double mean;
    double most; // of 99 % of them, to 1 % of the value
    double largest;
} sn_game_distance;

typedef struct sn_game_report {
    sn_game_distance *clips; // the caller's, with room for all motions; NULL: not wanted
    uint32_t skin_count;     // that deform; others hang on one segment as a whole
    uint32_t fitted_count;   // of these, without weights of their own: theirs were fitted
    uint32_t target_count;   // of all skins together
    uint32_t frame_count;    // of all clips together
    double error;            // the largest mean of a skin in a clip, metres
    double bound;            // that was asked for, of the same skin; INFINITY: none
} sn_game_report;

// No motion, all skins, no limit.
SN_EXPERIMENTAL sn_game_desc sn_game_desc_default(void);

// Evaluates all frames of all motions, fits skins and targets to them, and writes the file. Values
// held on the frame stay held. Where `targets` are too few for `error`, the file has that many and
// the report says how near it comes. `report` and `progress` may be NULL. A failure or a
// cancellation leaves nothing behind. Fails with SN_INVALID without a motion, or without a skin.
SN_EXPERIMENTAL sn_status sn_bake_game(sn_frame *frame, const sn_game_desc *desc, const char *path,
                                       const sn_progress *progress, sn_game_report *report,
                                       sn_error *error);

// ---------------------------------------------------------------------------------------------
// Shapes

// A skin sculpted in one pose, to be stored as a key pose of its `morph` (docs/morph.md).
typedef struct sn_key_pose_desc {
    uint32_t check;
    const char *skin;          // its name
    const char *follows;       // "forearm.rx_deg", or a control: what the key belongs to
    const float *points;       // #V x 3: the skin as it should be in the pose of the frame
    uint32_t vertex_count;     // of `points`
    double least;              // points that moved by less than this, in metres, stay (1e-6)
    const char *interpolation; // of a new set; NULL: linear
} sn_key_pose_desc;

typedef struct sn_key_pose_report {
    double at;        // the value of `follows` that the key belongs to, in its unit
    uint32_t moved;   // points that the key moves
    uint32_t changed; // of these, points that the sculpt has moved
    double largest;   // offset, metres
    double error;     // largest distance of a point from where it should be, metres
} sn_key_pose_report;

SN_API sn_key_pose_desc sn_key_pose_desc_default(void);

// Adds the key to the character's document: to the set of the skin's `morph` that follows the
// parameter, or to a new set with a key for the rest pose, or to a new `morph` before all other
// deformers. `frame` is of a model of this document and was evaluated in the pose. Offsets are
// computed back through all deformers after the `morph`, so that the document, evaluated in this
// pose, gives the points asked for. Fails with SN_INVALID, before anything is changed, where
// deformers flatten the space around a point so that no offset reaches the sculpt (the error names
// the vertex), where one of them is a simulation, and where the parameter has its rest value. If
// memory runs out, the document may be half edited. `report` may be NULL.
SN_API sn_status sn_key_pose_add(sn_character *character, sn_frame *frame,
                                 const sn_key_pose_desc *desc, sn_key_pose_report *report,
                                 sn_error *error);

// Makes a new mesh of a skin with the points of the last evaluation. It has the faces, materials
// and attributes of the skin's mesh, normals computed anew where points have moved, and neither
// weights nor targets. Vertices keep their order.
SN_API sn_status sn_express_mesh(const sn_frame *frame, uint32_t surface, sn_mesh **mesh,
                                 sn_error *error);

// One control as a morph target.
typedef struct sn_expression {
    uint32_t control;
    double value;      // of the control where its target has weight 1; weight 0 is its rest value
    uint32_t moved;    // vertices
    double largest;    // move, metres
    double half_error; // largest distance between the skin at half the value and half the target,
                       // metres
} sn_expression;

typedef struct sn_express_desc {
    uint32_t check;
    uint32_t surface;         // a skin
    uint32_t control_count;   // of `controls`
    const uint32_t *controls; // NULL: all but those that move joints
} sn_express_desc;

typedef struct sn_express_report {
    uint32_t count;             // targets made
    sn_expression *expressions; // the caller's, with room for all controls; NULL: not wanted
    uint32_t still;             // controls that move nothing
    uint32_t joints;            // controls left out because they move joints
    double together_error;      // of all targets at weight 1 against all controls at once, metres
} sn_express_report;

SN_API sn_express_desc sn_express_desc_default(void);

// Makes a new mesh of a skin at rest with one morph target for each control that moves it, named
// after the control. A target is the motion of the skin from the control's rest value to the end of
// its range (`high`, or `low` where the rest value is `high`). A game engine that supports morph
// targets can so play muscles, key poses and correctives. Where a `blend` uses weights, the mesh
// has them, with bones named as the segments. `report` and `progress` may be NULL.
SN_API sn_status sn_express_targets(const sn_model *model, const sn_express_desc *desc,
                                    const sn_progress *progress, sn_mesh **mesh,
                                    sn_express_report *report, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Matching a shape

// A shape of a skin, such as a scanned or sculpted expression, and the parameters that may be moved
// to reach it.
typedef struct sn_match_desc {
    uint32_t check;
    uint32_t surface; // a skin
    uint32_t parameter_count;
    const sn_pose_parameter *parameters; // with finite ranges
    const float *points;  // of the shape: as many as the skin has vertices, x 3, in the world
    const float *weights; // how much each vertex counts, not negative; NULL: all alike
    double ridge;         // 0 to 1: how much of the match is given up for values near those at rest
    uint32_t rounds;      // 1 to 100, at most
} sn_match_desc;

// How well it went. All but the largest are weighted.
typedef struct sn_match_report {
    double before;   // mean distance of the skin at rest from the shape, metres (root mean square)
    double after;    // the same for the skin with the values found
    double largest;  // largest distance that is left, metres
    double residual; // |shape - skin| / |shape - skin at rest|: 0 is perfect, 1 nothing gained
    double cosine; // mean cosine between the way that a vertex should go and the way that it went,
                   // over vertices that should go by more than a tenth of the farthest
    uint32_t rounds, evaluations;
} sn_match_report;

SN_EXPERIMENTAL sn_match_desc sn_match_desc_default(void);

// Finds values of parameters with which the skin is as near to a shape as can be, each within its
// range: bounded least squares. Nothing is known of what moves the skin: each round tries every
// parameter a little, solves for all of them at once, and goes as far as the skin really gets
// nearer. All other parameters are those of the rest pose. `values` (parameter_count) holds the
// values to begin with, such as those of the shape before in a sequence, and those found
// afterwards. The same call gives the same bits for any number of threads. `report` may be NULL.
// Fails with SN_INVALID for a surface that is no skin, a parameter without a finite range, a shape
// or weights that are not finite, and where no vertex counts.
SN_EXPERIMENTAL sn_status sn_match_shape(const sn_model *model, const sn_match_desc *desc,
                                         const sn_progress *progress, double *values,
                                         sn_match_report *report, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Report

// Collects the measurements of each frame for report.json (docs/report.md).
typedef struct sn_report sn_report;

SN_API sn_status sn_report_create(const sn_model *model, sn_report **report, sn_error *error);
SN_API sn_status sn_report_add(sn_report *report, const sn_frame *frame, uint32_t number,
                               sn_error *error);
SN_API sn_status sn_report_save(sn_report *report, const char *path, sn_error *error);
SN_API void sn_report_destroy(sn_report *report);

#ifdef __cplusplus
}
#endif

#endif
