// SPDX-License-Identifier: Apache-2.0
//
// The muscles of the head's left side: control points between skull and skin, a closed surface
// around them, and both in a document. Each point has a parent, the size of the muscle there, and
// what carries it.
#ifndef SINEW_SCENES_HEAD_MUSCLES_H
#define SINEW_SCENES_HEAD_MUSCLES_H

#include "scenes/head_shape.h"

enum { SCN_HEAD_MUSCLE_POINTS = 6 };

// A bone that a point is attached to, a segment that carries it, or neither: it is then carried as
// its neighbours are.
typedef enum scn_head_carrier {
    SCN_HEAD_ON_CRANIUM,
    SCN_HEAD_ON_MANDIBLE,
    SCN_HEAD_ON_HYOID,
    SCN_HEAD_ON_HEAD,
    SCN_HEAD_ON_JAW,
    SCN_HEAD_IN_SPACE,
} scn_head_carrier;

typedef struct scn_head_muscle_point {
    sn_vec3 position;        // metres
    sn_vec3 out;             // unit, away from the bones: the muscle's thickness lies along it
    double width, thickness; // metres, whole
    uint32_t parent;         // of the same muscle; SN_NONE for the root, to which it contracts
    scn_head_carrier carrier;
    double jaw; // of a point below the skin: the jaw's share of it, as of the skin there
} scn_head_muscle_point;

typedef struct scn_head_muscle {
    const char *name; // without side
    const char *group;
    bool ring;         // a part of a sphincter
    sn_vec3 center;    // of that, metres
    double shortening; // part of its length that it can lose; 0: the standard
    uint32_t count;
    scn_head_muscle_point points[SCN_HEAD_MUSCLE_POINTS];
} scn_head_muscle;

// Whether a point lies on the skull, whose surface tells where.
static inline bool scn_head_is_on_bone(const scn_head_muscle_point *point) {
    return point->carrier == SCN_HEAD_ON_CRANIUM || point->carrier == SCN_HEAD_ON_MANDIBLE;
}

// SN_NONE for points in space.
uint32_t scn_head_segment_of(scn_head_carrier carrier);

uint32_t scn_head_muscle_count(void);

// Lays all muscles between the bones and the skin, which has its weights.
sn_status scn_head_lay_muscles(sn_context *context, const sn_mesh *skin, const sn_mesh *cranium,
                               const sn_mesh *mandible, scn_head_muscle *made, sn_error *error);

// An ellipse across a muscle, metres; `wide` and `thick` are half axes.
typedef struct scn_head_section {
    sn_vec3 center, wide, thick;
} scn_head_section;

enum { SCN_HEAD_SECTIONS_MOST = 24 };

// Sections of a muscle from its first to its last point, along a smooth curve: as many as are
// returned.
uint32_t scn_head_muscle_sections(const scn_head_muscle *muscle,
                                  scn_head_section sections[SCN_HEAD_SECTIONS_MOST]);

// Closed surfaces around the sections of all muscles, below the skin. Their names are those of the
// muscles on the left.
sn_status scn_head_muscle_meshes(sn_context *context, const sn_mesh *skin,
                                 const scn_head_muscle *muscles, sn_mesh **meshes, sn_error *error);

// Whether both ends are on bones: its bones move it, and tension makes it thicker.
bool scn_head_is_between_bones(const scn_head_muscle *muscle);

// Adds a muscle with the control of its name, and the mirror image of both, to a document that has
// its mesh.
void scn_head_add_muscle(sn_json *json, sn_value *muscles, sn_value *controls,
                         const scn_head_muscle *muscle);

#endif
