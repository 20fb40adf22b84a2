// SPDX-License-Identifier: Apache-2.0
//
// What the files that make a document of an OpenSim model share:
//
//     import/osim_rig.c     segments, controls, synergies and drivers
//     import/osim_parts.c   bones, skin and clips
//     import/osim_files.c   where meshes lie
//     import/osim_muscle.c  muscles and what they bend around
//     import/osim_fibre.c   muscles as fibres
//     import/osim.c         all together
//
// Segments have the names of bodies and stand in the frames of bodies: what the model says about a
// body is said about the segment as it is. The ground is a root that is turned from OpenSim's axes
// (x forward, z right) to ours (z forward, x left).
#ifndef SINEW_CHARACTER_FROM_OSIM_H
#define SINEW_CHARACTER_FROM_OSIM_H

#include "character/character.h"
#include "io/osim/osim.h"

typedef struct sni_osim_box {
    sn_vec3 low, high;
} sni_osim_box;

typedef struct sni_osim_builder {
    sn_context *context;
    const sni_osim *model;
    const char *model_path, *document_path;
    const sn_osim_desc *desc;
    sn_json *json;
    sn_value *root;
    sn_value *skeleton, *controls, *synergies, *drivers, *meshes, *bones, *tissues, *skins,
        *muscles;
    sn_transform *rest;     // of each body in the ground, at the default coordinates
    sni_osim_box box;       // of the bones in the ground at rest
    double thinnest;        // thickness of the thinnest bone, metres
    sni_osim_box *boxes;    // of each body: that of its bones, in its own frame
    const char *cage;       // a bone that is filled, NULL: none
    uint32_t cage_body;     // that it is on
    sni_osim_box cage_box;  // in the frame of that body's parent at rest
    uint32_t missing;       // meshes that were not found or could not be read
    sn_osim_report *report; // may be NULL
} sni_osim_builder;

// The document of a model that has been read; `report` may be NULL, else it has its context.
sn_status sni_character_from_osim(const sni_osim *model, const char *model_path,
                                  const sn_osim_desc *desc, const char *document_path,
                                  sn_character **character, sn_osim_report *report,
                                  sn_error *error);

#define SNI_OSIM_NAME_BYTES 256

// A name that a map does not have yet: `base`, or `base` with a number behind it.
const char *sni_osim_unique(const sn_value *map, const char *base, char name[SNI_OSIM_NAME_BYTES]);

// The same for a segment, which must not have the name of a body either.
const char *sni_osim_unique_segment(const sni_osim_builder *b, const char *base,
                                    char name[SNI_OSIM_NAME_BYTES]);

// A line for people about what was left out or guessed.
sn_status sni_osim_note(sni_osim_builder *b, sn_error *error, const char *format, ...)
    SN_PRINTF(3, 4);

bool sni_osim_add_vector(sni_osim_builder *b, sn_value *object, const char *key, sn_vec3 v);

// A value in the unit of its coordinate's control: degrees where it turns.
double sni_osim_control_unit(const sni_osim_coordinate *coordinate);
// Whether a function's value never changes.
bool sni_osim_is_constant(const sni_osim_function *function);
// Adds "curve" and "interpolation" to a driver or a moving coordinate of a pivot: the function of a
// coordinate, inputs in the unit of its control, outputs less `rest` and times `unit`.
bool sni_osim_add_curve(sni_osim_builder *b, sn_value *object, const sni_osim_function *function,
                        const sni_osim_coordinate *coordinate, double rest, double unit);
// Lets a function of one coordinate move parameters, from the rest pose on: adds amounts[i] times
// (value - value at rest) to "SEGMENT.parameters[i]".
bool sni_osim_follow(sni_osim_builder *b, const char *name, const char *group,
                     const sni_osim_function *function, uint32_t coordinate, bool is_rotation,
                     const char *segment, const double amounts[3]);

// A segment with a rest frame in its parent (NULL: a root).
sn_value *sni_osim_add_segment(sni_osim_builder *b, const char *name, const char *parent,
                               const sn_transform *rest);

bool sni_osim_add_rig(sni_osim_builder *b);
// The path of a mesh, NULL where it is not found.
sn_status sni_osim_find_mesh(const sni_osim_builder *b, const char *file, char **found,
                             sn_error *error);

sn_status sni_osim_add_bones(sni_osim_builder *b, sn_error *error);
bool sni_osim_add_skin(sni_osim_builder *b);
sn_status sni_osim_add_clips(sni_osim_builder *b, sn_error *error);
sn_status sni_osim_add_muscles(sni_osim_builder *b, sn_error *error);

// A muscle's path as it was laid out at rest.
typedef struct sni_osim_path {
    const sni_osim_muscle *muscle;
    bool reversed;         // its last point is the origin
    const sn_vec3 *points; // point_count from the origin on, in the ground at rest
    const bool *on;        // point_count: whether they count at rest
    uint32_t slice_count;
    const double *places;    // slice_count: along the path
    const double *diameters; // slice_count
    double length, tendon;   // of the path; thickness of the tendon
} sni_osim_path;

// Adds the keys of a fibre.
sn_status sni_osim_add_fibre(sni_osim_builder *b, const sni_osim_path *path, sn_value *muscle,
                             sn_error *error);

// A segment for a point that moves on its body, NULL for want of memory.
const char *sni_osim_moving_segment(sni_osim_builder *b, const sni_osim_point *point);

#endif
