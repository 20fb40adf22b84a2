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
// number of threads; a frame belongs to one thread at a time. The
// result for a frame number depends on model, motion, frame number and the values set on the frame,
// on nothing else: not on the number of threads, nor on which frames were evaluated before.
//
// Several threads may work in one context at the same time: make models (of different characters),
// open motions, evaluate frames (each its own). The one that comes first has the context's threads
// for its loop; the others run theirs on their own thread meanwhile, with the same bits.
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
    bool feature;          // a tissue such as an eye: goes with the skin, which does not cover it
    double density;        // of a tissue: below 0 it pushes an extracted skin away; else 1
    const sn_mat4 *ellipsoid; // takes the unit ball to it, in the mesh's coordinates; NULL: a mesh
    bool linear_skinning; // moved by linear `blend` (and `morph` before it) or by its segment alone
    const uint32_t *bone_segments; // mesh->weights->bone_count; NULL where nothing uses the weights
    const uint32_t *target_controls; // mesh->target_count: control of each morph target, or
                                     // SN_NONE; NULL where nothing uses the targets
} sn_surface;

// Compiles a character: checks it, reads its meshes, builds the rig, binds the deformers. The
// character must outlive the model, but may be edited and saved: the model keeps what the document
// said when it was made. `progress` may be NULL.
SN_API sn_status sn_model_create(sn_character *character, const sn_progress *progress,
                                 sn_model **model, sn_error *error);
SN_API void sn_model_destroy(sn_model *model);

// Compiles a character that was edited since `before` was made of it (NULL: as sn_model_create).
// Whatever the edits leave as it was is shared with that model: a clip, a control or a name costs
// next to nothing, a muscle what is made from it. The result has the same bits as a new model of
// the document. `before` stays as it is, also while it is evaluated by other threads, and either
// model may be destroyed first. Both characters must be the same, or parsed beside each other
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

SN_API uint32_t sn_model_control_count(const sn_model *model);
SN_API const char *sn_model_control_name(const sn_model *model, uint32_t control);
// Where an interface shows it; "" where the document does not say.
SN_EXPERIMENTAL const char *sn_model_control_group(const sn_model *model, uint32_t control);

// What a skin is extracted from. (SINEW_MAKE)
typedef struct sn_model_extract_desc {
    sn_extract_desc grid; // from sn_extract_desc_default; its parts are those of the model
    uint32_t surface_count;
    const uint32_t *surfaces; // bones, tissues but features, muscles; NULL: all that are closed
    uint32_t enlarge_count;
    const sn_segment_factor *enlarge; // segments that are large while the skin is extracted, which
                                      // then goes back onto the body as it is
    sn_log_fn *tell; // is told what was left out or lost; NULL: the context's log is
    void *tell_user;
} sn_model_extract_desc;

SN_EXPERIMENTAL sn_model_extract_desc sn_model_extract_desc_default(void);

// Extracts a skin (sn_extract_skin) from bones, tissues and muscles of a model as they stand at
// rest without the document's proportions, as documents do for meshes with "extract". Without
// `surfaces`, what is open is left out, with a line that says why; so are muscles that need an
// extracted skin themselves. `report` and `progress` may be NULL; `thin_part` of the report counts
// the parts that were taken. Fails as sn_extract_skin, and with SN_INVALID where nothing is closed,
// or for a segment to be enlarged that is not there, is named twice or has a factor out of range.
SN_EXPERIMENTAL sn_status sn_model_extract_skin(const sn_model *model,
                                                const sn_model_extract_desc *desc,
                                                const sn_progress *progress, sn_mesh **skin,
                                                sn_extract_report *report, sn_error *error);

// A parameter of the model, found once and used many times: a joint parameter or a control.
typedef struct sn_pose_parameter {
    uint32_t segment;                   // SN_NONE for a control
    sn_joint_parameter joint_parameter; // of the segment
    uint32_t control;                   // SN_NONE for a joint parameter
    sn_unit unit;                       // of values and of the range
    double low, high;                   // range of its values; -INFINITY, INFINITY where it is free
    double standard;                    // its value in the rest pose
    bool driven;                        // a driver computes it, unless it is held
} sn_pose_parameter;

// Finds a parameter by its name: "forearm.rx" in radians, "forearm.rx_deg" in degrees, a control.
// Fails with SN_INVALID, suggesting the closest name.
SN_EXPERIMENTAL sn_status sn_model_find_parameter(const sn_model *model, const char *name,
                                                  sn_pose_parameter *parameter, sn_error *error);

// Those of numbers that are known to exist; angles in radians.
SN_EXPERIMENTAL sn_pose_parameter sn_model_control_parameter(const sn_model *model,
                                                             uint32_t control);
SN_EXPERIMENTAL sn_pose_parameter sn_model_joint_parameter(const sn_model *model, uint32_t segment,
                                                           sn_joint_parameter joint_parameter);

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

// Measures a model at rest. Only closed bones, tissues (but features and negative ones) and muscles
// have an inside. Overlaps are pairs of bones and muscles of which one has more than `share` of
// its vertices in the other (some hundred of them are tried). `progress` may be NULL. The result
// belongs to the caller.
SN_EXPERIMENTAL sn_status sn_body_check_create(const sn_model *model, double share,
                                               const sn_progress *progress, sn_body_check **check,
                                               sn_error *error);
SN_EXPERIMENTAL void sn_body_check_destroy(sn_body_check *check);

// ---------------------------------------------------------------------------------------------
// Motion

// Clips of the document, in its order.
SN_API uint32_t sn_model_clip_count(const sn_model *model);
SN_API const char *sn_model_clip_name(const sn_model *model, uint32_t clip);

typedef struct sn_motion_desc {
    uint32_t check;
    bool ignore_unknown; // leave out columns of tables (.mot, .sto) that are no parameter of the
                         // model, or that a driver computes; by default they are an error
} sn_motion_desc;

SN_EXPERIMENTAL sn_motion_desc sn_motion_desc_default(void);

// Opens a clip of the document by name, or a motion file (.bvh, .glb, .mot, ...; its first clip, or
// FILE#CLIP). A clip that was recorded on another skeleton is retargeted; tables
// (.mot, .sto) have columns of the model's own parameters, and the first that is unknown is an
// error. The model must outlive it. Files of the document are kept by the character once read.
SN_API sn_status sn_motion_open(const sn_model *model, const char *name_or_path, sn_motion **motion,
                                sn_error *error);
SN_EXPERIMENTAL sn_status sn_motion_open_with(const sn_model *model, const char *name_or_path,
                                              const sn_motion_desc *desc, sn_motion **motion,
                                              sn_error *error);

// A motion from a clip, which is copied or retargeted.
SN_API sn_status sn_motion_create(const sn_model *model, const sn_clip *clip, sn_motion **motion,
                                  sn_error *error);
SN_API void sn_motion_destroy(sn_motion *motion);

SN_API const char *sn_motion_name(const sn_motion *motion);
SN_API double sn_motion_rate(const sn_motion *motion);
SN_API uint32_t sn_motion_frame_count(const sn_motion *motion);

// ---------------------------------------------------------------------------------------------
// Frame

// The stages of an evaluation, in order. The numbers are kept for ever.
typedef enum sn_stage {
    SN_STAGE_POSE = 0,
    SN_STAGE_BONES = 1,
    SN_STAGE_MUSCLES = 2,
    SN_STAGE_SKIN = 3,
    SN_STAGE_COUNT = 4,
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

// Lets go of all parameters that were held.
SN_API void sn_frame_clear(sn_frame *frame);

// Evaluations compute these surfaces and what they need (surfaces that drive them, lie below them
// or are touched by them, and muscles that move any of these); points of all others, and what
// sn_frame_muscle_state says of muscles that were not needed, stay as they were. At first all are
// computed. A simulation that was left out begins anew when it is needed again; where the selection
// changes, frames of motions are stepped from frame 0 again. Fails with SN_INVALID for a surface
// that is not there; the selection is then as it was.
SN_EXPERIMENTAL sn_status sn_frame_select(sn_frame *frame, const uint32_t *surfaces, uint32_t count,
                                          sn_error *error);

// Selects all surfaces that are shown, or all again. What muscles do is known either way.
SN_API void sn_frame_show_only(sn_frame *frame, bool shown_only);

// Evaluates a frame of a motion (NULL: the rest pose at time 0, any number). Where the model has
// memory (simulation), it is stepped from frame 0 or from the nearest state that is known, so that
// the result is that of the whole run.
SN_API sn_status sn_frame_evaluate(sn_frame *frame, const sn_motion *motion, uint32_t number,
                                   sn_error *error);

// The frame that sn_frame_evaluate would step to first on its way to `number`: behind the nearest
// state that is known; `number` itself where one step is enough, where the model has no memory and
// for the rest pose. Whoever must not wait for the whole way evaluates this one, looks around, and
// asks again: the results are the same bits.
SN_EXPERIMENTAL uint32_t sn_frame_next_step(const sn_frame *frame, const sn_motion *motion,
                                            uint32_t number);

SN_API const sn_model *sn_frame_model(const sn_frame *frame);

// Results of the last evaluation; they stay valid until the next one. After one that failed the
// numbers mean nothing, but the frame can be evaluated again.
SN_API const float *sn_frame_points(const sn_frame *frame, uint32_t surface); // #V x 3
SN_API const sn_mat4 *sn_frame_worlds(const sn_frame *frame);                 // per segment
SN_API const sn_transform *sn_frame_locals(const sn_frame *frame);            // per segment
SN_API const double *sn_frame_joint_parameters(const sn_frame *frame);        // 9 per segment
SN_API const double *sn_frame_controls(const sn_frame *frame);                // per control

// The points of a surface, or its normals (sn_mesh_normals), into the caller's memory: three floats
// for each vertex, `stride` bytes from one to the next (0: 12). What normals need is made at the
// first call for a surface. Fail with SN_INVALID for a surface that is not there, a stride below 12
// and a frame that was not evaluated since sn_model_update_muscle.
SN_EXPERIMENTAL sn_status sn_frame_copy_points(const sn_frame *frame, uint32_t surface, void *out,
                                               size_t stride, sn_error *error);
SN_EXPERIMENTAL sn_status sn_frame_copy_normals(sn_frame *frame, uint32_t surface, void *out,
                                                size_t stride, sn_error *error);

SN_API double sn_frame_time(const sn_frame *frame);
SN_API double sn_frame_stage_ms(const sn_frame *frame, sn_stage stage);

// What a muscle does in the last evaluation.
typedef struct sn_muscle_state {
    double length, rest_length; // metres
    double volume, rest_volume; // cubic metres; 0 for an open muscle
    double shortening;          // 0 at rest length and longer, 1 at 75 % of it and shorter, where a
                                // muscle is fully flexed; linear between them
    double activation;          // 0 to 1 (the range of its control): `activation`, else the larger
                                // of `contraction` and `tension`; 0 where it has no control
    bool has_activation;        // it has one
} sn_muscle_state;

// False for a surface that is no muscle.
SN_EXPERIMENTAL bool sn_frame_muscle_state(const sn_frame *frame, uint32_t surface,
                                           sn_muscle_state *state);

// A quantity of the skin or of the muscles, a number at each vertex. The numbers are kept for ever.
typedef enum sn_quantity {
    SN_QUANTITY_NONE = 0,
    SN_QUANTITY_STRETCH = 1,         // mean over a vertex's edges of length / rest length
    SN_QUANTITY_LARGEST_STRETCH = 2, // the most stretched triangle at a vertex: the largest
                                     // singular value of its map from rest
    SN_QUANTITY_COMPONENT = 3,  // the component that a vertex hangs on (`membrane`): each has a
                                // colour, on the skin and, where it is shown, itself; no legend.
                                // The number is that of its surface
    SN_QUANTITY_SHORTENING = 4, // of muscles: sn_muscle_state, 0 to 1
    SN_QUANTITY_ACTIVATION = 5, // likewise; muscles without a control that tells it are grey
    SN_QUANTITY_VOLUME = 6,     // of muscles: volume / rest volume - 1; open ones are grey
    SN_QUANTITY_WEIGHTS = 7,    // of skins: what a `blend` hangs on a segment, or how much points
                                // take of a deformer, 0 to 1
    SN_QUANTITY_DEPTH = 8, // of skins: metres to the nearest closed bone, tissue (but features and
                           // negative ones) or muscle, below 0 inside one: the least over all
    SN_QUANTITY_COUNT = 9,
} sn_quantity;

// Colour maps of pictures (render.h) that the colour-blind can read. The numbers are kept for ever.
typedef enum sn_color_map {
    SN_COLOR_MAP_VIRIDIS = 0,   // from low to high
    SN_COLOR_MAP_COOL_WARM = 1, // both ways from the middle
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
// "shortening", "activation", "volume", "weights", "depth"; "none".
SN_EXPERIMENTAL const char *sn_quantity_name(sn_quantity quantity);

// The quantity of that name; SN_QUANTITY_NONE where there is none.
SN_EXPERIMENTAL sn_quantity sn_quantity_find(const char *name);

// Whether it is of muscles; else it is of skins.
SN_EXPERIMENTAL bool sn_quantity_of_muscles(sn_quantity quantity);

// Range, map and title that suit it; those of depths go with the size of the model.
SN_EXPERIMENTAL sn_color_range sn_quantity_range(const sn_model *model, sn_quantity quantity);

typedef struct sn_values_desc {
    uint32_t check;
    sn_quantity quantity;
    const char *segment; // of weights: that the skin's `blend` hangs points on; NULL: how much
    uint32_t deformer;   // points take of this deformer, its number in the skin's list, from 0
} sn_values_desc;

// No quantity, segment or deformer.
SN_EXPERIMENTAL sn_values_desc sn_values_desc_default(void);

// Whether a surface of the model has the quantity. Depths are said to be had by every skin where
// there is anything below that could be closed.
SN_EXPERIMENTAL bool sn_values_exist(const sn_model *model, uint32_t surface,
                                     const sn_values_desc *desc);

// The numbers of a quantity at the vertices of a surface (`values`, #V), where the last evaluation
// stands; NaN where a pose has left the range of float. What finding them takes (neighbours, search
// trees) is made at the first call and kept with the frame, which one thread at a time may use for
// this, too. The same bits for any number of threads. Fails with SN_INVALID for a surface that does
// not have the quantity, a segment or deformer that is not there, and a frame that was not
// evaluated since sn_model_update_muscle.
SN_EXPERIMENTAL sn_status sn_frame_values(const sn_frame *frame, uint32_t surface,
                                          const sn_values_desc *desc, float *values,
                                          sn_error *error);

// The state after the last evaluation as bytes: where simulations are, and at what time. They can
// be restored in any frame of the same model, also in another process on the same kind of machine.
// `state` has sn_frame_state_bytes bytes, which stays the same for all frames of a model.
SN_API size_t sn_frame_state_bytes(const sn_frame *frame);
SN_API void sn_frame_save(const sn_frame *frame, void *state);

// Goes on from a state. With a motion, the same as it was saved from, it is taken for the state
// after its frame of that motion, with the values that are set on this frame; without one, live
// steps (live.h) go on from it, also where a motion led to it. Points and pose stay as they are
// until the next evaluation. Fails with SN_INVALID for bytes that are no state, cut, damaged, of
// another model or of another motion; the frame is then as it was.
SN_API sn_status sn_frame_restore(sn_frame *frame, const sn_motion *motion, const void *state,
                                  size_t size, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Bake

// How a .glb holds the motion. The numbers are kept for ever.
typedef enum sn_glb_mode {
    SN_GLB_AUTO = 0,    // skinned where linear skinning says it all, else morph targets
    SN_GLB_SKINNED = 1, // skeleton, weights, animation; SN_INVALID where that cannot say it
    SN_GLB_MORPH = 2,   // one morph target per frame
} sn_glb_mode;

typedef struct sn_bake_desc {
    uint32_t check;
    const sn_motion *motion; // NULL: the rest pose
    uint32_t first, last;    // frames, both included
    bool bones;              // writes bones and tissues besides skins and features
    bool muscles;            // writes muscles, too
    sn_glb_mode glb;
    const char *report_path; // report.json; NULL: none
} sn_bake_desc;

SN_API sn_bake_desc sn_bake_desc_default(void);

// Evaluates frames and writes the moving surfaces that are shown to a file whose extension tells
// the format (io.h). Values set on the frame hold. Nothing appears under the file's name before it
// is complete; a failure or a cancellation leaves nothing behind. `path` may be NULL where there is
// a report_path: then frames are evaluated for the report alone, whatever is shown.
SN_API sn_status sn_bake(sn_frame *frame, const sn_bake_desc *desc, const char *path,
                         const sn_progress *progress, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Shapes

// A skin as someone wants it in one pose, to be kept as a key pose of its `morph` (docs/morph.md).
typedef struct sn_key_pose_desc {
    uint32_t check;
    const char *skin;          // its name
    const char *follows;       // "forearm.rx_deg", or a control: what the key is set against
    const float *points;       // #V x 3: the skin as it should be where the frame stands
    uint32_t vertex_count;     // of `points`
    double least;              // points this near to where they are, in metres, stay (1e-6)
    const char *interpolation; // of a new set; NULL: linear
} sn_key_pose_desc;

typedef struct sn_key_pose_report {
    double at;        // where the key stands, in the unit of `follows`
    uint32_t moved;   // points that the key moves
    uint32_t changed; // of these, points that the sculpt differs in
    double largest;   // offset, metres
    double error;     // largest distance of a point from where it should be, metres
} sn_key_pose_report;

SN_API sn_key_pose_desc sn_key_pose_desc_default(void);

// Adds the key to the character's document: to the set of the skin's `morph` that follows the
// parameter, or to a new set with a key for the rest pose, or to a new `morph` before all other
// deformers. `frame` is of a model of this document and was evaluated in the pose. Offsets are
// carried back through all that follows the `morph`, so that the document, evaluated in this pose,
// gives the points asked for. Fails with SN_INVALID, before anything is changed, where deformers
// flatten the space around a point, which then has no way back, naming the vertex; where they have
// memory; and where the parameter stands as in the rest pose. Without memory left the document may
// be half edited. `report` may be NULL.
SN_API sn_status sn_key_pose_add(sn_character *character, sn_frame *frame,
                                 const sn_key_pose_desc *desc, sn_key_pose_report *report,
                                 sn_error *error);

// A skin as a new mesh, with its points where the frame stands: faces, materials and attributes of
// the skin's mesh, normals anew where points have moved, neither weights nor targets. Vertices keep
// their order.
SN_API sn_status sn_express_mesh(const sn_frame *frame, uint32_t surface, sn_mesh **mesh,
                                 sn_error *error);

// One control as a morph target.
typedef struct sn_expression {
    uint32_t control;
    double value;      // of the control where its target has weight 1; weight 0 is its rest value
    uint32_t moved;    // vertices
    double largest;    // move, metres
    double half_error; // largest distance of the skin at half the way from half the target, metres
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

// A skin at rest as a new mesh with one morph target for each control that moves it, named after
// the control: what the skin moves by between the control's rest value and the end of its range
// (`high`, or `low` where the rest value is `high`). So a game engine that knows morph targets can
// play muscles, key poses and correctives. The mesh has weights, its bones named as the segments,
// where a `blend` uses them. `report` and `progress` may be NULL.
SN_API sn_status sn_express_targets(const sn_model *model, const sn_express_desc *desc,
                                    const sn_progress *progress, sn_mesh **mesh,
                                    sn_express_report *report, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Report

// Collects what report.json says about each frame (docs/report.md).
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
