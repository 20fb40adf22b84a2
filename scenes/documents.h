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

// The same for a mesh that has another name in its file.
void scn_add_mesh_of(sn_json *json, const char *name, const char *file, const char *mesh_name);

// Adds the mesh of an .obj, with the weights of the mesh `weights` unless that is NULL.
void scn_add_polygon_mesh(sn_json *json, const char *name, const char *file, const char *weights);

// Adds a skin of the mesh of the same name, carried by a segment as a whole, in world coordinates.
void scn_add_carried_skin(sn_json *json, const char *name, const char *segment);

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

// The same over controls and other parameters that are no angles; `group` and `about` may be NULL.
typedef struct scn_share {
    const char *parameter;
    double value; // per unit
} scn_share;
void scn_add_shares(sn_json *json, const char *control, double low, double high, const char *group,
                    const char *about, const scn_share *shares, uint32_t count);

// Adds a control from 0 to 1; `group` may be NULL.
void scn_add_control(sn_json *json, const char *control, const char *about, const char *group);

// Adds a driver of the control: points (input, output) of its curve, joints in degrees where
// `parameter` says so.
void scn_add_driver(sn_json *json, const char *control, const char *parameter,
                    const double points[][2], uint32_t count);

// Adds a muscle between two curves of `point_count` points; `keys` is the text of an object with
// the other keys that sn_character_add_muscle takes.
sn_status scn_add_muscle(sn_context *context, sn_character *character, const char *name,
                         const char *keys, const sn_vec3 *const curves[2], uint32_t point_count,
                         sn_error *error);

// Adds a clip that is the file NAME.bvh of the folder `motions` beside the character's.
void scn_add_motion(sn_json *json, const char *name, const char *about);

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

// The same, with numbers in as few bytes as hold them.
sn_status scn_write_compact_model(sn_context *context, const char *path,
                                  const scn_segment *segments, uint32_t segment_count,
                                  const sn_mesh *const *meshes, uint32_t mesh_count,
                                  sn_error *error);

// Checks the document and saves it as FOLDER/NAME.sinew.json, NAME being that of the character.
sn_status scn_save(sn_character *character, const char *folder, sn_error *error);

// Gives the mesh one material of this colour (linear) and roughness.
sn_status scn_paint(sn_mesh *mesh, const char *material, float red, float green, float blue,
                    float roughness, sn_error *error);

#endif
