// SPDX-License-Identifier: Apache-2.0
//
// The blueprint: all that a document says, decoded and with its names resolved; no file is read. To
// check a document is to make its blueprint; a model starts from one.
//
// Strings point into the document, which must outlive the blueprint and not change meanwhile.
#ifndef SINEW_CHARACTER_BLUEPRINT_H
#define SINEW_CHARACTER_BLUEPRINT_H

#include "base/arena.h"
#include "base/text.h"
#include "character/blueprint/deformer_plan.h"
#include "character/blueprint/muscle_plan.h"
#include "geometry/tube.h"
#include "motion/rig.h"
#include "sinew/json.h"

// The parts of a document whose members others refer to by name.
typedef enum sni_section {
    SNI_SECTION_SKELETON,
    SNI_SECTION_MESHES,
    SNI_SECTION_BONES,
    SNI_SECTION_TISSUES,
    SNI_SECTION_SKINS,
    SNI_SECTION_MUSCLES,
    SNI_SECTION_CONTROLS,
    SNI_SECTION_LANDMARKS,
    SNI_SECTION_COUNT,
} sni_section;

typedef enum sni_surface_kind {
    SNI_SURFACE_SKIN,
    SNI_SURFACE_BONE,
    SNI_SURFACE_TISSUE,
} sni_surface_kind;

typedef struct sni_surface_plan {
    sni_surface_kind kind;
    const char *name;
    const sn_value *value;
    const char *mesh;       // its name in the document; NULL: an ellipsoid or a tube
    sni_tube tube;          // without points: an ellipsoid
    uint32_t extraction;    // that makes the mesh, or SN_NONE
    sn_transform ellipsoid; // of the unit ball
    uint32_t detail;        // of the ellipsoid's mesh
    uint32_t segment;       // that carries it, or SN_NONE
    bool in_segment_frame;  // the mesh's coordinates are the segment's
    bool in_sizes;          // coordinates are in sizes of the segment, else in metres
    bool closed;            // must be a closed surface
    double density;         // 1, or what a tissue says
    bool feature;           // a tissue that is drawn and nothing else
    uint32_t look;          // an sn_look
    bool show;
    uint32_t deformer_count;
    sni_deformer_plan *deformers;
} sni_surface_plan;

// A mesh that is extracted from the body.
typedef struct sni_extract_plan {
    const char *name;                           // of the mesh
    const sn_value *value;                      // what it says about the extraction
    double dimension, filter, threshold, relax; // NAN where the document says nothing
    double detail, holes;                       // the same
    const sn_value *part_names;
    uint32_t part_count;
    uint32_t *parts; // bones and tissues, and from surface_count on muscles; NULL: all
    uint32_t enlarge_count;
    sn_segment_factor *enlarge; // segments that are larger meanwhile
} sni_extract_plan;

typedef struct sni_landmark_plan {
    const char *name;
    const sn_value *value;
    uint32_t segment; // SN_NONE: on a mesh
    sn_vec3 position;
    const char *mesh;
    uint32_t vertex;
    const sn_value *vertex_value; // where errors about it stand
} sni_landmark_plan;

typedef struct sni_clip_plan {
    const char *name;
    const sn_value *value;
    const char *file; // NULL: tracks in the document
    // Of a clip from a file.
    const sn_value *file_name; // the same as it stands in the document
    const sn_value *clip;      // its name in the file; NULL: the first
    double scale;              // of lengths; 0: found by retargeting
    double rate;               // frames per second; 0: that of the file
    uint32_t map_count;
    sn_name_pair *map; // names of the file's segments and the character's
    uint32_t edit_count;
    sn_pair_edit *edits; // of what retargeting pairs
    uint32_t ignored_count;
    const sn_value **ignored; // names of tracks to leave out
    uint32_t rest_frame;      // that counts as its rest pose; SN_NONE: found by retargeting
    bool plant_feet;          // planted feet are held in place
} sni_clip_plan;

typedef struct sni_blueprint {
    sn_context *context;
    sni_arena arena; // all arrays below
    const char *name;
    sni_name_index names[SNI_SECTION_COUNT]; // numbers are places within the section
    sn_skeleton skeleton;                    // without the proportions
    const sn_value **segment_values;         // segment_count: where their errors stand
    sni_rig_desc rig_desc;                   // what else a rig is made from
    double *proportions;         // segment_count, 0 where none is given (motion/segment_size.h)
    double *segment_sizes;       // segment_count, metres, with the proportions
    sni_rig *rig;                // with the proportions
    const char **control_groups; // control_count: where an interface shows it, or ""
    sn_limit *control_usual;     // control_count: the range that is usual
    bool *driven;                // control_count: whether a driver computes it
    uint32_t surface_count;
    sni_surface_plan *surfaces; // bones, tissues, then skins, in the order of the document
    uint32_t *drivers_first;    // surface_count: an order in which drivers stand before the driven
    uint32_t muscle_count;
    sni_muscle_plan *muscles;
    uint32_t extraction_count;
    sni_extract_plan *extractions;
    uint32_t landmark_count;
    sni_landmark_plan *landmarks;
    uint32_t clip_count;
    sni_clip_plan *clips;
} sni_blueprint;

// Decodes a document that has passed sni_schema_check. Errors have line and path.
sn_status sni_blueprint_create(sn_context *context, const sn_json *document,
                               sni_blueprint **blueprint, sn_error *error);
void sni_blueprint_destroy(sni_blueprint *blueprint);

// The body with other proportions (segment_count factors, 0 where there is none): its rig, and the
// sizes of its segments (segment_count, written).
sn_status sni_blueprint_body(const sni_blueprint *blueprint, const double *proportions,
                             sni_rig **rig, double *segment_sizes, sn_error *error);

// Makes the clip of a plan that has tracks in the document.
sn_status sni_blueprint_clip(const sni_blueprint *blueprint, const sni_clip_plan *plan,
                             sn_clip **clip, sn_error *error);

// --- Parts, used within the room

// The names of a section of a document; and what one of its members is called: "segment".
sn_status sni_index_section(sn_context *context, const sn_value *root, sni_section section,
                            sni_name_index *index, sn_error *error);
const char *sni_section_member(sni_section section);

// The sections that `name_of` or `keys_of` of a field of the schema means, a bit (1 << section)
// each; SNI_NAMES_PARAMETERS where joint parameters and controls are meant.
enum { SNI_NAMES_PARAMETERS = 1 << SNI_SECTION_COUNT };
uint32_t sni_sections_named(const char *words);

// The place of the member of a section that the string `name` names. Fails with SN_INVALID,
// suggesting the closest name, when there is none.
sn_status sni_find_name(const sni_blueprint *blueprint, sni_section section, const sn_value *name,
                        uint32_t *number, sn_error *error);

// The same for a name that is written elsewhere; `at` is where.
sn_status sni_find_name_at(const sni_blueprint *blueprint, sni_section section, const char *name,
                           const sn_value *at, uint32_t *number, sn_error *error);

// The member of that name of one of several sections, numbered through. Fails where there is none,
// or several.
sn_status sni_find_name_among(const sni_blueprint *blueprint, const sni_section *among,
                              uint32_t count, const sn_value *name, uint32_t *number,
                              sn_error *error);

// Decodes the skeleton (blueprint/rig.c), and the rig with controls, synergies and drivers; both
// need nothing else of the blueprint but its names, proportions and landmarks.
sn_status sni_decode_skeleton(sni_blueprint *blueprint, const sn_value *map, sn_error *error);
sn_status sni_decode_rig(sni_blueprint *blueprint, const sn_value *root, sn_error *error);

// Three numbers; `otherwise` where there is no value.
sn_vec3 sni_decode_vector(const sn_value *value, sn_vec3 otherwise);

// Pairs [first, second] into two arrays. Fails where the first numbers do not rise.
sn_status sni_decode_pairs(const sn_value *pairs, double *firsts, double *seconds, sn_error *error);

// Decodes the proportions (blueprint/component.c).
sn_status sni_decode_proportions(sni_blueprint *blueprint, const sn_value *map, sn_error *error);

// Decodes what a bone or a tissue is, besides its mesh's name. Its segment must be known.
sn_status sni_decode_component(sni_blueprint *blueprint, sni_surface_plan *plan, sn_error *error);

// The bone, tissue or muscle (from surface_count on) of that name that a skin lies over.
sn_status sni_find_part(const sni_blueprint *blueprint, const sn_value *name, uint32_t *part,
                        sn_error *error);

// Decodes the meshes that are extracted (blueprint/extract.c), and marks what needs them. Surfaces
// and muscles must be decoded before.
sn_status sni_decode_extractions(sni_blueprint *blueprint, const sn_value *root, sn_error *error);

// The extraction that makes a mesh, SN_NONE where it comes from elsewhere.
uint32_t sni_find_extraction(const sni_blueprint *blueprint, const char *mesh);

// The bone, tissue or skin of that name, bones first; SN_NONE where there is none.
uint32_t sni_find_surface(const sni_blueprint *blueprint, const char *name);

// What `depth_from` means where it is no surface's name.
#define SNI_DEPTH_FROM_SKELETON "skeleton"

// The skin that `value` names, as a surface; and the control, SN_NONE where there is no value.
sn_status sni_find_skin(const sni_blueprint *blueprint, const sn_value *value, uint32_t *surface,
                        sn_error *error);
sn_status sni_find_control(const sni_blueprint *blueprint, const sn_value *value, uint32_t *control,
                           sn_error *error);

// Decodes the muscles (blueprint/muscle.c). Skins must be decoded before.
sn_status sni_decode_muscles(sni_blueprint *blueprint, const sn_value *root, sn_error *error);

// Decodes what a muscle between bones, or a part of one, is made from (blueprint/muscle_body.c): an
// object with `attachments` origins and insertions. The rig must be there.
sn_status sni_decode_muscle_body(sni_blueprint *blueprint, const sn_value *value,
                                 uint32_t attachments, sni_muscle_body_plan *plan, sn_error *error);
void sni_muscle_body_plan_deinit(sn_context *context, sni_muscle_body_plan *plan);

// An attachment on a bone or a segment (blueprint/muscle_body.c). The rig must be there.
sn_status sni_decode_attachment(const sni_blueprint *blueprint, const sn_value *value,
                                sni_attachment_plan *plan, sn_error *error);

// Decodes sets of key poses (blueprint/pose.c). The rig must be there.
sn_status sni_decode_poses(sni_blueprint *blueprint, const sn_value *list, sni_poses_plan *plan,
                           sn_error *error);

// The vertex that a key of "points" names: a whole number without sign or leading zeros. SN_NONE
// when it is none.
uint32_t sni_vertex_of_key(const char *key);

// "stepped", "linear", "smooth" or "spline" under "interpolation"; linear where it is not given.
sn_interpolation sni_decode_interpolation(const sn_value *object);

// What inputs decode with (blueprint/points.c): points of a mesh; numbers for them, under "points",
// "values" and "weight" of an object; names of a mesh that stand for members of a section; the plan
// (sni_names_plan) of a key with a list of names of members of some sections, numbered through,
// each once.
sn_status sni_decode_points(const sn_value *value, sni_points_plan *points, sn_error *error);
sn_status sni_decode_point_values(sni_blueprint *blueprint, const sn_value *object,
                                  sni_point_values_plan *plan, sn_error *error);
sn_status sni_decode_name_map(sni_blueprint *blueprint, const sn_value *map, sni_section section,
                              sni_name_map *made, sn_error *error);
sn_status sni_decode_names(const sni_decoding *decoding, const char *key, const sni_section *among,
                           uint32_t count, void **plan, sn_error *error);

// Fails where the item `index` of a list is one of those before it.
sn_status sni_check_named_once(const sni_names_plan *plan, uint32_t index, sn_error *error);

// The weights of a deformer's points.
sn_status sni_decode_weights(sni_blueprint *blueprint, sni_deformer_plan *plan, sn_error *error);

// The values of a kind's parameters, standard ones where the document says nothing.
sn_status sni_decode_parameters(sni_blueprint *blueprint, const sn_parameters *table,
                                const sn_value *object, double **values, sn_error *error);

// The controls that drive parameters of a kind, under "driven"; NULL where there is none. Driven
// parameters get the greatest value that their control has.
sn_status sni_decode_driven(sni_blueprint *blueprint, const sn_parameters *table,
                            const sn_value *object, double *values, uint32_t **controls,
                            sn_error *error);

// Puts the surfaces into an order in which drivers come first (blueprint/order.c). Fails with
// SN_INVALID, naming the chain, when they drive each other in a circle.
sn_status sni_order_surfaces(sni_blueprint *blueprint, sn_error *error);

// Decodes the inputs of a kind.
sn_status sni_decode_inputs(const sni_decoding *decoding, const sni_input_use *uses, void **plans,
                            sn_error *error);

// What the inputs of a kind need, and frees their plans.
void sni_inputs_needs(const sni_input_use *uses, void *const *plans, sni_need_fn need, void *user);
void sni_inputs_release(sn_context *context, const sni_input_use *uses, void *const *plans);

// Memory from the blueprint's arena, or the failure of it.
#define SNI_PLAN_NEW(blueprint, pointer, count)                                                    \
    do {                                                                                           \
        (pointer) = sni_arena_alloc(&(blueprint)->arena, (count), sizeof *(pointer));              \
        if ((pointer) == NULL) {                                                                   \
            return sni_fail_memory(error);                                                         \
        }                                                                                          \
    } while (0)

#endif
