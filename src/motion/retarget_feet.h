// SPDX-License-Identifier: Apache-2.0
//
// What a clip does over all its frames, as far as retargeting has to know it: where legs and
// shoulders are (retarget_survey.c), which frame can count as the rest pose (retarget_rest.c), when
// feet are planted on the ground (retarget_contact.c), how they are held there (retarget_plant.c),
// and how toes (retarget_toes.c) and soles (retarget_sole.c) stay out of the ground.
#ifndef SINEW_MOTION_RETARGET_FEET_H
#define SINEW_MOTION_RETARGET_FEET_H

#include "motion/retarget.h"

// The joints that are followed, of either side.
typedef enum sni_followed {
    SNI_FOLLOWED_ARM, // the shoulder's joint
    SNI_FOLLOWED_THIGH,
    SNI_FOLLOWED_SHIN,
    SNI_FOLLOWED_FOOT, // the ankle
    SNI_FOLLOWED_TOES, // the ball of the foot
    SNI_FOLLOWED_COUNT,
} sni_followed;

// Sides are 0 (left) and 1 (right).
typedef sn_vec3 sni_followed_places[SNI_FOLLOWED_COUNT][2];

typedef struct sni_survey {
    uint32_t frame_count;
    double rate;
    uint32_t segments[SNI_FOLLOWED_COUNT][2]; // SN_NONE: the skeleton has none
    sni_followed_places *places;              // per frame, in the source's world
    sn_quat (*feet)[2];                       // per frame: rotations of the feet there
    sn_quat *means;                           // per segment: the mean of its local rotations
} sni_survey;

// Poses all frames of the source; `pose` is scratch.
sn_status sni_survey_init(const sni_retarget *r, const sni_rig *rig, const sni_player *player,
                          sni_pose *pose, sni_survey *survey, sn_error *error);
void sni_survey_deinit(sn_context *context, sni_survey *survey);

// Whether both sides have such a joint.
bool sni_survey_has(const sni_survey *survey, sni_followed joint);

void sni_followed_segments(const sni_stance *stance, uint32_t segments[SNI_FOLLOWED_COUNT][2]);

// Feet without toes roll over the joint at their end, where they have one.
void sni_followed_balls(const sni_stance *stance, uint32_t segments[SNI_FOLLOWED_COUNT][2]);

// ---------------------------------------------------------------------------------------------
// The frame that counts as rest

// Whether the zero pose of the source could be the pose of a body; if it could not, `frame` is the
// first one where the body stands, or that where it stands best.
bool sni_rest_is_pose(const sni_retarget *r, const sni_survey *survey, uint32_t *frame);

// The turn from the source's world to the target's, told by where the body's up is over all frames.
// The heading stays as it was recorded.
sn_quat sni_rest_turn(const sni_retarget *r, const sni_survey *survey);

// Takes what a body happens to do with neck, head, hands, fingers and toes out of a pose that shall
// count as rest.
void sni_rest_relax(const sni_retarget *r, const sni_survey *survey, sn_transform *locals);

// ---------------------------------------------------------------------------------------------
// When feet rest on the ground

// What of a foot rests. A foot that rolls over its ball is held there.
enum { SNI_CONTACT_NONE, SNI_CONTACT_ANKLE, SNI_CONTACT_TOES };

typedef struct sni_contacts {
    uint8_t *kinds[2];  // per side and frame
    double *above[2];   // there: height of a resting foot over the ground, in legs: of its ball
                        // where that rests, else of the lower of ankle and ball
    uint32_t frames;    // with ankles at rest, of both sides
    double ankle_level; // height of resting ankles over the source's zero, turned to the target
    bool is_level;      // no ankle ever rests far below that: there are no stairs
} sni_contacts;

// `leg` is the length of thigh and shin of the source. `with_toes`: whether balls can be held.
sn_status sni_contacts_init(sn_context *context, const sni_survey *survey, sn_quat turn, double leg,
                            bool with_toes, sni_contacts *contacts, sn_error *error);
void sni_contacts_deinit(sn_context *context, sni_contacts *contacts);

// The direction away from the ground in the frame of a foot, as it is while it rests; false where
// it never does.
bool sni_contacts_sole(const sni_survey *survey, const sni_contacts *contacts, sn_quat turn,
                       int side, sn_vec3 *up);

// ---------------------------------------------------------------------------------------------
// Holding them

// How one leg of the target is bent in a frame.
typedef struct sni_leg_plan {
    sn_vec3 shift;   // of the ankle
    double strength; // 0: the leg is left as it is, 1: the ankle is brought there
} sni_leg_plan;

typedef struct sni_plant {
    sni_followed_places *places; // per frame: of the target, as it moves without being held
    sni_leg_plan (*legs)[2];     // per frame
    double *sink;                // per frame: how much the body is lowered to reach, metres
    sn_vec3 *body;               // per frame: how the body is moved with ground that is not level
    double rest_heights[2][2];   // of ankles and balls, per side, where they stand on the ground
    double leg;                  // length of thigh and shin
    uint32_t count;              // how often a foot is held
    double slid; // the farthest that a foot moved while it rested, before it was held; metres
    bool moves;  // whether anything is to be changed
} sni_plant;

sn_status sni_plant_init(sn_context *context, uint32_t frame_count, sni_plant *plant,
                         sn_error *error);
void sni_plant_deinit(sn_context *context, sni_plant *plant);

// Plans all frames, from `places` and what rests.
sn_status sni_plant_make(sn_context *context, const sni_contacts *contacts, uint32_t frame_count,
                         double rate, sni_plant *plant, sn_error *error);

// The turns in the world of thigh and shin that bring the ankle from where it is (`hip`, `knee`,
// `ankle`) to `goal`. `ahead` is where the knee points when the leg is straight. `most` is the
// length up to which the leg gets as straight as it has to; beyond that it gets ever slower.
void sni_leg_bend(sn_vec3 hip, sn_vec3 knee, sn_vec3 ankle, sn_vec3 goal, sn_vec3 ahead,
                  double most, sn_quat turns[2]);

// The length from hip to ankle that a leg may take: as straight as it is, or nearly straight.
double sni_leg_most(sn_vec3 hip, sn_vec3 knee, sn_vec3 ankle);

// ---------------------------------------------------------------------------------------------
// Keeping feet out of the ground

// A segment that toes begin with; of others, and where that is above the ankle, `length` is 0.
typedef struct sni_toe {
    double length; // from the ball to the tip, metres
    sn_vec3 ahead; // from the ankle to the ball in the stance, along the ground
    double height; // of the ball where it stands
    double leg;    // length of thigh and shin
} sni_toe;

// `toes` has segment_count of the target; free it with sni_free. `ground` is how much higher the
// ground is than under the target's rest pose.
sn_status sni_toes_init(const sni_retarget *r, double ground, sni_toe **toes, sn_error *error);

// The length of a foot without toes along the ground as its bones tell; 0: they do not.
double sni_foot_bones(const sni_stance *target, uint32_t foot);

// How much a foot that is lower than it stands is taken to be in the ground, 1, or to stand lower,
// as on a stair, 0. `below` is in legs.
double sni_near_ground(double below);

// How far a foot is raised of which a point is `below` the ground, both in legs; `is_skin`: the
// point is one of the skin, no joint.
double sni_sole_lift(double below, bool is_skin);

// The rotation of a toe in the world, turned up where its tip would be in the ground. `stance` is
// its rotation there, `ball` where its joint is.
sn_quat sni_toe_lift(const sni_toe *toe, sn_quat stance, sn_vec3 ball, sn_quat world);

typedef struct sni_sole_point {
    uint32_t segment; // that carries it
    sn_vec3 local;    // in the segment's frame
    sn_vec3 arm;      // from the ankle in the stance
} sni_sole_point;

// The outermost points of a foot.
typedef struct sni_sole {
    uint32_t foot; // segment
    bool stiff;    // one piece from heel to tip: there are no toes
    bool is_skin;  // its points are those of a skin, else joints and guesses
    double level;  // height of the ground
    uint32_t count;
    sni_sole_point *points;
} sni_sole;

// Of both feet, by the skin that the caller knows, else by bones; on the ground of the stance.
sn_status sni_soles_init(const sni_retarget *r, const uint32_t followed[SNI_FOLLOWED_COUNT][2],
                         const sni_toe *toes, sni_sole soles[2], sn_error *error);
void sni_soles_deinit(sn_context *context, sni_sole soles[2]);

// How far the lowest point of a foot is below the ground, less than 0 above it.
double sni_sole_depth(const sni_sole *sole, const sn_mat4 *worlds);

// The turn of a stiff foot away from its stance, tilted no farther than it is out of the ground.
// `ankle` is the height of its joint.
sn_quat sni_sole_untilt(const sni_sole *sole, double ankle, sn_quat turn);

#endif
