// SPDX-License-Identifier: Apache-2.0
//
// The parts of the `fibre` muscle (docs/fibre.md), after V. Roussellet et al., "Dynamic implicit
// muscles for character skinning" (2018).
//
//     make.c     made at rest: places on bones, fibres between them, masses, its surface
//     values.c   what its parameters are in a frame, and how active it is
//     path.c     knots and axes in a pose: static shapes, equilibria
//     pull.c     where it pulls at bones
//     motion.c   axes in motion
//     touch.c    what it touches, at rest
//     inside.c   the inside of the skin (inside.h)
//     contact.c  contact in one step of time (contact.h)
//     together.c all muscles that touch each other in a frame
//     surface.c  rings around the axes, and what the field needs
//
// Control points: the rings of the surface (muscle/rings.h) with the particles of the mean axis as
// nodes, then for each fibre what its field needs (sni_fibre_row).
#ifndef SINEW_MUSCLE_FIBRE_FIBRE_H
#define SINEW_MUSCLE_FIBRE_FIBRE_H

#include "muscle/fibre/inside.h"
#include "muscle/fibre/motion.h"
#include "muscle/rings.h"

enum {
    SNI_FIBRE_SLICES,
    SNI_FIBRE_POINTS,
    SNI_FIBRE_WIDTH,
    SNI_FIBRE_THICKNESS,
    SNI_FIBRE_SIZES,
    SNI_FIBRE_FLATTENING,
    SNI_FIBRE_BULGE,
    SNI_FIBRE_REST_A,
    SNI_FIBRE_REST_B,
    SNI_FIBRE_ACTIVE_A,
    SNI_FIBRE_ACTIVE_B,
    SNI_FIBRE_VOLUME,
    SNI_FIBRE_FIBRES,
    SNI_FIBRE_PARTICLES,
    SNI_FIBRE_ACTIVATED_BY,
    SNI_FIBRE_FLEXED_LENGTH,
    SNI_FIBRE_SMOOTHING,
    SNI_FIBRE_MOTION,
    SNI_FIBRE_STIFFNESS,
    SNI_FIBRE_INERTIA,
    SNI_FIBRE_DAMPING,
    SNI_FIBRE_TENDON,
    SNI_FIBRE_PARAMETER_COUNT,
};

enum { SNI_FIBRE_VOLUME_SECTIONS, SNI_FIBRE_VOLUME_EXACT };
enum { SNI_FIBRE_BY_CONTROLS, SNI_FIBRE_BY_LENGTH, SNI_FIBRE_BY_BOTH };
enum { SNI_FIBRE_SIMULATED, SNI_FIBRE_STATIC };

// Least ratio of thickness to width: an eccentricity of 0.995.
#define SNI_FIBRE_THINNEST 0.1

// A place that a segment carries.
typedef struct sni_fibre_place {
    uint32_t segment;
    sn_vec3 point; // in its frame
} sni_fibre_place;

// A bone that it touches.
typedef struct sni_fibre_touched {
    uint32_t segment;      // that carries it; SN_NONE: it stays where it is
    sn_mat4 to_segment;    // from the bone's coordinates to the segment's frame
    sn_mat4 rest;          // the segment at rest
    sni_shared_grid *held; // NULL: a capsule
} sni_fibre_touched;

// A part of the body whose skin it stays inside of.
typedef struct sni_fibre_around {
    uint32_t segment; // that carries it
    const sni_field_part *field;
    sn_mat4 rest; // the segment at rest
} sni_fibre_around;

// A point of a ring: between which fibres it is, and where around them.
typedef struct sni_fibre_corner {
    uint32_t fibre; // and the next one, if there are several
    double part;    // 0 to 1 between both
    double cosine, sine;
} sni_fibre_corner;

// A section of a fibre: centre, directions and half axes.
typedef struct sni_fibre_cut {
    sn_vec3 center, wide, thin;
    double a, b;
} sni_fibre_cut;

// The muscle at rest. Its places are attachment_count origins, as many insertions, and what it
// passes through, in this order.
typedef struct sni_fibre {
    sni_rings rings; // nodes: the particles of the mean axis
    char *name;
    uint32_t segment_count;
    uint32_t attachment_count; // 1 or 2 at each end
    uint32_t place_count;
    sni_fibre_place *places;
    // The wide direction at both ends in the frame of the end's first segment. With several fibres
    // it is the direction from the first fibre to the last, where that end is spread.
    sn_vec3 wide[2];
    bool spread[2];
    uint32_t fibre_count, particle_count, run_count;
    uint32_t *knot_particles; // run_count + 1
    double *knot_parts;       // run_count + 1: part of the length at rest of each knot
    double *rest_lengths;     // of fibres
    double rest_length;       // of the mean axis
    double mean_mass;         // of free particles, kg
    double *inverse_masses;   // fibres x particles
    double *parts;            // particles + runs - 1, as sni_fibre_motion has them
    double *link_lengths;     // fibres x links: rest lengths of springs
    bool *tendons;            // links
    bool is_static;
    double tendon;
    int activated_by;
    bool keeps_volume;     // exactly, by a scale of its sections
    double *parameters;    // as bound
    double standard_width; // where none is given
    sni_fibre_profile profile;
    double thickness;          // of the belly at rest
    double rest_volume;        // of its surface
    double section_volume;     // w^2 at bind, times bulge^2
    double *points;            // control points at rest
    double *knots;             // of the patch of its rings
    sni_fibre_corner *corners; // of a ring
    sn_mat4 *place_rests;      // place_count: segments of its places at rest
    uint32_t bone_count;       // that it touches
    sni_fibre_touched *touched;
    sni_fibre_bone *bones; // the same, as contact takes them
    double *bone_overlaps; // fibres x bones x particles: gaps at rest that are negative, else 0
    uint32_t around_count; // parts of the skin
    sni_fibre_around *around;
    sni_made *around_made; // that holds their fields; NULL: there is no skin
    double *skin_overlaps; // fibres x particles: gaps at rest that are negative, else 0
} sni_fibre;

sn_status sni_fibre_create(const sni_muscle_job *job, sni_fibre **made, sn_error *error);
void sni_fibre_destroy(sn_context *context, sni_fibre *fibre); // NULL is allowed
size_t sni_fibre_bytes(const sni_fibre *fibre);

// --- Touching (touch.c)

// Takes the bones and the skin of the job and measures how deep the muscle lies in them at rest,
// when its points are there. What is made is freed by sni_fibre_touch_free, also where this fails.
sn_status sni_fibre_touch_all(const sni_muscle_job *job, sni_fibre *fibre, sn_error *error);
void sni_fibre_touch_free(sn_context *context, sni_fibre *fibre);

// A fibre at rest as contact takes it. `radii` (particle_count) is written.
sni_fibre_body sni_fibre_rest_body(const sni_fibre *fibre, uint32_t number, double *radii);

// Where the segments of the bones, and then of the parts of the skin, are in a pose.
static inline uint32_t sni_fibre_carried_count(const sni_fibre *fibre) {
    return fibre->bone_count + fibre->around_count;
}
void sni_fibre_carried_transforms(const sni_fibre *fibre, const sn_mat4 *worlds,
                                  sn_transform *carried);

// --- Values

// What the parameters say in a frame.
typedef struct sni_fibre_values {
    double width;           // w at rest: of sections, times Phi
    double eccentricity[2]; // relaxed, activated
    double thickness;       // of the belly at rest, metres
    double bulge;
    double stiffness, inertia, damping;
    double flexed_length, smoothing;
} sni_fibre_values;

// `now` may be NULL: as bound. Fails with SN_INVALID for values that are none, or that do not go
// together.
sn_status sni_fibre_values_of(const sni_fibre *fibre, const double *now, sni_fibre_values *values,
                              sn_error *error);

// How active the muscle wants to be: by controls, by how far it has shortened, or the larger.
double sni_fibre_target(const sni_fibre *fibre, const sni_fibre_values *values,
                        const sni_muscle_pose_job *job, double length);

// An activation that follows its target, which goes straight from `from` to `to` in a step, with
// the time constant `smoothing`: exactly, so that steps of any length give the same.
double sni_fibre_smooth(double activation, double from, double to, double time_step,
                        double smoothing);

// --- Axes

// Places in a pose: place_count carriers.
void sni_fibre_carriers(const sni_fibre *fibre, const sn_mat4 *worlds, sni_fibre_carrier *carriers);

// Knots of all fibres (sni_fibre_knots_fn; `user` is the muscle).
void sni_fibre_find_knots(const void *fibre, const sn_vec3 *places, sn_vec3 *knots);

// The axes at rest in a pose: through the knots straight, tendons as long as at rest and flesh
// evenly between them; static muscles pass their knots in a smooth curve with even particles.
// `scratch` has SNI_FIBRE_CURVE_STEPS * run_count + 1 places.
#define SNI_FIBRE_CURVE_STEPS 24
void sni_fibre_equilibrium(const sni_fibre *fibre, const sn_vec3 *knots, sn_vec3 *scratch,
                           sn_vec3 *particles);

// The mean of all fibres, particle by particle; returns its length.
double sni_fibre_mean_axis(const sni_fibre *fibre, const sn_vec3 *particles, sn_vec3 *mean);

// Length of the mean axis at rest in a pose, from knots alone.
sn_status sni_fibre_length_at(const sni_fibre *fibre, sni_arena *arena, const sn_mat4 *worlds,
                              double *length, sn_error *error);

// The lines along which the fibres pull in a pose, one for each: straight from knot to knot.
sn_status sni_fibre_pull_at(const sni_fibre *fibre, sni_arena *arena, const sn_mat4 *worlds,
                            sni_muscle_lines *lines, sn_error *error);

// --- Control points

// What the field of a fibre needs, in a span of control points.
typedef struct sni_fibre_row {
    sn_vec3 *particles, *normals; // particle_count each
    double *section;              // width, activation, eccentricity; radius of the field, length, 0
    double *starts;               // particle_count: parts of the length
} sni_fibre_row;

uint32_t sni_fibre_point_count(const sni_fibre *fibre);
sni_fibre_row sni_fibre_row_of(const sni_fibre *fibre, double *points, uint32_t number);

// How the muscle is in a pose.
typedef struct sni_fibre_posed {
    const sn_vec3 *particles; // of all fibres
    sn_vec3 wide[2];          // at both ends, in the world
    double activation;
    double scale; // of widths: 1 where volume and length give them
    bool relaxed; // sections as large as at rest
    double most;  // the largest value of the profile; 0: it is to be found
    // Scratch.
    sni_fibre_cut *cuts; // slices x fibres
    double *heights;     // of the profile at slices
} sni_fibre_posed;

// Wide directions at both ends in a pose. `places` are those of the pose.
void sni_fibre_wide(const sni_fibre *fibre, const sn_mat4 *worlds, const sn_vec3 *places,
                    sn_vec3 wide[2]);

// Writes all control points.
void sni_fibre_write(const sni_fibre *fibre, const sni_fibre_values *values,
                     const sni_fibre_posed *posed, double *points);

// The volume of the surface of control points.
double sni_fibre_volume(const sni_fibre *fibre, const double *points);

// The volume that the surface has where it keeps it: that at rest, as its parameters are.
double sni_fibre_kept_volume(const sni_fibre *fibre, const sni_fibre_values *values);

// Writes control points with the scale of sections at which the surface has that volume. False
// where there is none; the closest one is written then.
bool sni_fibre_write_exact(const sni_fibre *fibre, const sni_fibre_values *values,
                           sni_fibre_posed *posed, double volume, double *points);

// The axis and the section of a fibre as its field takes them, from control points.
void sni_fibre_read(const sni_fibre *fibre, const double *points, uint32_t number,
                    sni_fibre_axis *axis, sni_fibre_section *section, double *radius);

// --- A frame

// A muscle between the beginning and the end of posing it in a frame. All spans are in the arena of
// the job.
typedef struct sni_fibre_frame {
    sni_fibre_values values;
    double length;            // at rest in this pose
    double activation;        // in this frame
    double activation_before; // in the frame before
    double scale;             // of widths, so that the volume is kept: at first that before
    bool kept;                // whether it could be
    sn_vec3 wide[2];
    const sn_transform *carried_from, *carried_to; // at the beginning and the end of the frame
    bool fresh;                                    // its memory begins with this frame
    double most;                                   // the largest value of the profile
    sni_fibre_cut *cuts;                           // scratch of surfaces, as sni_fibre_posed
    double *heights;
    sn_vec3 *scaled;         // particles that the scale was last found for
    double scaled_scale;     // which that was; 0: none yet
    sn_vec3 *still;          // particles at rest in this pose
    sn_vec3 *particles;      // those that are shown
    sni_fibre_motion motion; // without substeps where nothing moves
} sni_fibre_frame;

size_t sni_fibre_state_bytes(const sni_fibre *fibre);
sn_status sni_fibre_state_reset(const sni_fibre *fibre, const sni_muscle_pose_job *job,
                                sn_error *error);

// Reads the pose and the state; afterwards `motion` can be advanced.
sn_status sni_fibre_frame_begin(const sni_fibre *fibre, const sni_muscle_pose_job *job,
                                sni_fibre_frame *frame, sn_error *error);

// Keeps the state; `particles` are then those at the end of the frame.
void sni_fibre_frame_keep(const sni_fibre *fibre, const sni_muscle_pose_job *job,
                          sni_fibre_frame *frame);

// Finds the scale that keeps the volume around `particles`: exactly, where that is asked for, else
// to 2 %.
void sni_fibre_frame_scale(const sni_fibre *fibre, const sni_muscle_pose_job *job,
                           sni_fibre_frame *frame);

// Writes the control points around `particles`.
sn_status sni_fibre_frame_end(const sni_fibre *fibre, const sni_muscle_pose_job *job,
                              sni_fibre_frame *frame, sn_error *error);

// Poses muscles that touch each other (sni_muscle_ops).
sn_status sni_fibre_pose_together(uint32_t count, sni_muscle_member *members, sn_error *error);

#endif
