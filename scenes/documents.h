// SPDX-License-Identifier: Apache-2.0
//
// Plain data of scenes as parts of a character's document and of its model file.
#ifndef SINEW_SCENES_DOCUMENTS_H
#define SINEW_SCENES_DOCUMENTS_H

#include "scenes/shapes.h"

#include "sinew/character.h"

// Numbers are rounded to a millionth before they are written, so that a document reads well and
// does not depend on the last bit of a computation.
double scn_round(double value);

// Adds "skeleton" with all segments.
void scn_add_skeleton(sn_json *json, const scn_segment *segments, uint32_t count);

// Adds "meshes" (one entry "NAME": {"file": file, "mesh": NAME}) when called first, then entries.
void scn_add_mesh(sn_json *json, const char *name, const char *file);

// Adds a bone of the mesh of the same name, in world coordinates.
void scn_add_bone(sn_json *json, const char *name, const char *segment);

// Adds a skin of the mesh of the same name, moved by its weights with the method of `blend`
// ("linear" or "dual_quaternion").
void scn_add_blended_skin(sn_json *json, const char *name, const char *method);

// Adds a skin of the mesh of the same name that follows another skin, which is not shown.
void scn_add_wrapped_skin(sn_json *json, const char *name, const char *driver, double reach);

// Adds a control with its range, and a synergy that spreads it over joint angles, degrees per unit.
typedef struct scn_spread {
    const char *parameter;
    double degrees;
} scn_spread;
void scn_add_synergy(sn_json *json, const char *control, double low, double high, const char *about,
                     const scn_spread *spread, uint32_t count);

// A muscle between two curves on a skin, contracted by a joint through a driver.
#define SCN_CURVE_POINTS 6
typedef struct scn_patch_muscle {
    const char *name; // also of the control that contracts it
    const char *about;
    const char *skin, *segment;
    double curves[2][SCN_CURVE_POINTS][3]; // from origin to insertion, at most 2 % off the skin
    double skin_thickness, muscle_thickness, bulge;
    double d_full, d_none; // of its falloff
    const char *parameter; // joint angle, degrees
    double angle;          // at which it is contracted by `contraction`
    double contraction;
} scn_patch_muscle;

// Adds the muscle, its control, its driver, and a `falloff` behind the skin's deformers.
void scn_add_patch_muscle(sn_json *json, const scn_patch_muscle *muscle);

// Adds a clip of tracks.
void scn_add_clip(sn_json *json, const scn_clip *clip, const char *about);

// A skeleton as the library takes it, in arrays of `count` entries.
sn_skeleton scn_skeleton(const scn_segment *segments, uint32_t count, sn_segment *made,
                         uint32_t *order);

// Writes skeleton and meshes into one .glb: those with weights skinned, the others standing where
// they are.
sn_status scn_write_model(sn_context *context, const char *path, const scn_segment *segments,
                          uint32_t segment_count, const sn_mesh *const *meshes, uint32_t mesh_count,
                          sn_error *error);

// Gives the mesh one material of this colour (linear) and roughness.
sn_status scn_paint(sn_mesh *mesh, const char *material, float red, float green, float blue,
                    float roughness, sn_error *error);

#endif
