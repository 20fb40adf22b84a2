// SPDX-License-Identifier: Apache-2.0
//
// Every body with every clip: how well clips fit bodies that they were not recorded on.
//
// Folders are searched for files. A file whose skin hangs on the skeleton of a person is a body,
// and every animation recorded on such a skeleton is a clip; animals are left out. Each pair is
// retargeted, played, and measured against what the clip's own skeleton does (docs/rigs.md says
// how).
#ifndef SINEW_BENCH_RIGS_H
#define SINEW_BENCH_RIGS_H

#include "motion/body.h"
#include "motion/rig.h"
#include "sinew/eval.h"
#include "sinew/io.h"

#include <stdio.h>

enum { SNB_RIG_NAME = 96, SNB_RIG_REASON = 256 };

// ---------------------------------------------------------------------------------------------
// Joints that all bodies have

typedef enum snb_mark {
    SNB_MARK_HIPS,
    SNB_MARK_HEAD, // the neck where there is no head
    SNB_MARK_UPPER_ARM,
    SNB_MARK_FOREARM,
    SNB_MARK_HAND,
    SNB_MARK_THIGH,
    SNB_MARK_SHIN,
    SNB_MARK_FOOT,
    SNB_MARK_TOES,
    SNB_MARK_COUNT,
} snb_mark;

// Segments of the marks on either side (0 left, 1 right; the trunk's are the same on both), SN_NONE
// where a body lacks one.
typedef struct snb_marks {
    uint32_t segments[SNB_MARK_COUNT][2];
} snb_marks;

typedef struct snb_pose {
    sn_vec3 at[SNB_MARK_COUNT][2]; // joints in the world
} snb_pose;

// Whether a segment hangs below another one.
bool snb_is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t above);

// The distance of its joint from its parent's; 0 of a root.
double snb_bone_length(const sn_skeleton *skeleton, const sn_mat4 *worlds, uint32_t segment);

// Where the joints of a body are, by the roles of its segments.
sn_status snb_marks_find(sn_context *context, const sn_skeleton *skeleton, snb_marks *marks,
                         sn_error *error);

// Whether it has a trunk and two whole legs.
bool snb_marks_stand(const snb_marks *marks);
void snb_pose_take(const snb_marks *marks, const sn_mat4 *worlds, snb_pose *pose);

double snb_degrees_between(sn_vec3 a, sn_vec3 b);

// The angle between the trunk, hips to head, and up, in degrees.
double snb_pose_tilt(const snb_pose *pose);

// The angle between the trunk and the legs, hip to ankle, the larger of both sides, in degrees:
// near 0 of a person who stands, about 90 of an animal on four legs.
double snb_pose_leg_angle(const snb_pose *pose);
extern const double snb_four_legs; // from here on

// Thigh and shin, the mean of both sides.
double snb_pose_leg(const snb_pose *pose);

// ---------------------------------------------------------------------------------------------
// Bodies

typedef struct snb_edge {
    uint32_t surface, a, b;
    double rest; // metres
} snb_edge;

typedef struct snb_foot_point {
    uint32_t surface, vertex;
} snb_foot_point;

typedef struct snb_rig_body {
    sn_context *context;
    char name[SNB_RIG_NAME]; // of its file, below the folder
    char path[4096];
    sn_character *character;
    sn_model *model; // its edges evened out, as clips of others play on it
    sn_frame *frame;
    sn_character *plain_character; // as its maker's weights have it
    sn_model *plain_model;
    sn_frame *plain;
    snb_marks marks;
    double height; // of the skins at rest, metres
    double ground; // height of the lowest point of its feet at rest
    uint32_t vertex_count;
    uint32_t edge_count;
    snb_edge *edges; // of the skins that deform, those of no length left out
    uint8_t *beyond; // edge_count: scratch of a measurement
    uint8_t *folds;  // edge_count: beyond the limits in one of its own clips, or where one joint is
                     // bent
    uint32_t foot_counts[2];
    snb_foot_point *feet[2]; // vertices that hang on a foot more than on anything else
    uint32_t skin_count;
    uint32_t *skins;              // surfaces
    double bent_least, bent_most; // edge over rest where one joint is bent, by weights alone
} snb_rig_body;

// Makes a body of a model file. `is_body` is false, and nothing is made, where it has no skin or
// its skeleton is not that of a person who stands.
sn_status snb_rig_body_open(sn_context *context, const sn_import *import, const char *path,
                            const char *name, snb_rig_body *body, bool *is_body, sn_error *error);
void snb_rig_body_close(snb_rig_body *body);

// Bends hips, knees, ankles, shoulders, elbows and the spine as far as people bend them, each
// alone, and measures the edges.
sn_status snb_rig_body_bend(snb_rig_body *body, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Clips

// A clip on its own skeleton, posed every `step` frames.
typedef struct snb_rig_clip {
    sn_context *context;
    char name[SNB_RIG_NAME]; // of its file, and of itself where that has several
    char file[SNB_RIG_NAME];
    const sn_clip *clip;
    snb_marks marks;
    uint32_t step;
    uint32_t first; // pose that the clip begins with: 1 behind a T-pose somewhere else
    uint32_t count;
    snb_pose *poses;   // count; turned so that y is up
    uint8_t *planted;  // count x 2: whether the foot stands
    double leg;        // length, in the clip's unit
    double stretch;    // largest change of a bone's length, in legs
    double rest_angle; // between trunk and legs in its zero pose, degrees
    bool z_up;         // as recorded
} snb_rig_clip;

sn_status snb_rig_clip_open(sn_context *context, const sn_clip *clip, const char *file,
                            const char *name, snb_rig_clip *made, sn_error *error);
void snb_rig_clip_close(snb_rig_clip *clip);

// Whether it is the motion of a person: a whole skeleton, its legs below its trunk on the whole.
bool snb_rig_clip_is_persons(const snb_rig_clip *clip);

// The mark that stands: the toes where both skeletons have them, else the feet.
snb_mark snb_standing_mark(const snb_marks *a, const snb_marks *b);

// ---------------------------------------------------------------------------------------------
// Pairs

typedef struct snb_stretch {
    double least, most;          // edge over rest
    double longer;               // the most that an edge gets longer, metres
    char least_at[SNB_RIG_NAME]; // segment that carries the edge
    char most_at[SNB_RIG_NAME];
} snb_stretch;
extern const snb_stretch snb_no_stretch;

typedef struct snb_rig_row {
    const snb_rig_body *body;
    const snb_rig_clip *clip;
    bool failed;
    char reason[SNB_RIG_REASON]; // why, where it failed
    bool own;                    // the clip comes with the body
    uint32_t moved, segments;    // of the body
    uint32_t used, recorded;     // segments of the clip
    double tilt;                 // largest difference between the tilts of the trunks, degrees
    double apart;                // largest distance of a joint from that of the clip, metres
    double limb;                 // largest angle between limbs, each seen from its body, degrees
    double backwards;            // how far a knee bends back where the clip's does not, degrees
    double lowest;               // point of a foot over the ground in all frames, metres
    uint32_t standing;           // frames measured in which a foot stands
    double low, high;            // lowest points of standing feet over the ground, metres
    double slide;                // of a standing foot, largest, metres
    double own_slide;            // of the clip's, at the body's size
    double bone; // largest change of a bone's length, as a part of the body's height
    char bone_at[SNB_RIG_NAME];
    snb_stretch relaxed; // edges as clips of others play
    snb_stretch weights; // by the model's weights alone
    uint32_t beyond;     // edges outside the limits by weights alone, in any frame measured
    uint32_t models;     // of these, how many are so by the model's own doing (`folds`)
    uint32_t ends;       // of the others, how many are of hands and feet
    uint32_t tiny;       // of these, how many are shorter than snb_tiny_edge at rest
} snb_rig_row;

// Limits that a row is held to.
extern const double snb_most_tilt;   // degrees
extern const double snb_most_height; // of standing feet, as a part of the body's height
extern const double snb_most_bone;   // change of a bone's length, as a part of the body's height
extern const double snb_least_edge, snb_most_edge;
extern const double snb_tiny_edge; // as a part of the body's height

bool snb_row_upright(const snb_rig_row *row);
// By standing feet; where none stands, by the lowest point. A clip that comes with the body and
// moves it joint for joint as in its file (snb_row_as_made) has its feet where its maker put them.
bool snb_row_grounded(const snb_rig_row *row);
bool snb_row_as_made(const snb_rig_row *row);
bool snb_row_on_ground(const snb_rig_row *row); // as measured, whoever made it
bool snb_row_jointed(const snb_rig_row *row);   // bones keep their lengths
bool snb_row_whole(const snb_rig_row *row);     // edges, evened out, are within the limits

// Measures a pair in `frames` frames of the skin, evenly spaced, and all poses of the clip. Those
// of a body with its own clips come first, as they tell which edges fold in any case. A pair that
// cannot be played is a row with its reason; only running out of memory fails.
sn_status snb_rig_measure(snb_rig_body *body, const snb_rig_clip *clip, uint32_t frames,
                          snb_rig_row *row, sn_error *error);

// Takes the edges of one of the body's frames, as it is evaluated. `beyond` (NULL: not wanted) is
// set where they are outside the limits.
void snb_measure_edges(const snb_rig_body *body, const sn_frame *frame, snb_stretch *stretch,
                       uint8_t *beyond);

// Remembers the edges that were beyond the limits as folds of the body.
void snb_take_folds(const snb_rig_body *body);

// Plays a clip on one of a body's models.
sn_status snb_rig_play(const sn_model *model, const snb_rig_clip *clip, sn_motion **motion,
                       sn_retarget_report *report, sn_error *error);

// ---------------------------------------------------------------------------------------------
// All of them

typedef struct snb_rigs {
    sn_context *context;
    uint32_t import_count;
    sn_import **imports;
    uint32_t body_count;
    snb_rig_body *bodies;
    uint32_t clip_count;
    snb_rig_clip *clips;
    uint32_t row_count;
    snb_rig_row *rows; // by body, then by clip
    uint32_t left_out_count;
    char (*left_out)[SNB_RIG_REASON]; // files that are neither, each with its reason
} snb_rigs;

// What follows the folders of a path.
const char *snb_short_name(const char *name);

// Opens all files below `folders` of `data`.
sn_status snb_rigs_open(sn_context *context, const char *data, const char *const *folders,
                        uint32_t folder_count, snb_rigs *rigs, sn_error *error);
sn_status snb_rigs_measure(snb_rigs *rigs, uint32_t frames, FILE *progress, sn_error *error);
void snb_rigs_close(snb_rigs *rigs);

// The page of docs/. `picture` is its address there, or NULL.
void snb_rigs_write(const snb_rigs *rigs, uint32_t frames, const char *picture, FILE *out);

// A clip of the picture.
typedef struct snb_rig_shot {
    uint32_t clip;
    uint32_t pose;
} snb_rig_shot;

// The clips that the picture shows: `shots` has room for all. Returns their number.
uint32_t snb_rigs_choose(const snb_rigs *rigs, snb_rig_shot *shots);

// The picture: a row for each body, a column for each of these clips.
sn_status snb_rigs_draw(const snb_rigs *rigs, const char *path, sn_error *error);

#endif
