// SPDX-License-Identifier: Apache-2.0
//
// The muscles of the head's left side: control points between skull and skin. They are written so
// that any kind of muscle can be made from them: each point has a parent, the size of the muscle
// there, and the segment that carries it.
#ifndef SINEW_SCENES_HEAD_MUSCLES_H
#define SINEW_SCENES_HEAD_MUSCLES_H

#include "scenes/head_shape.h"

enum { SCN_HEAD_MUSCLE_POINTS = 6 };

typedef struct scn_head_muscle_point {
    sn_vec3 position;        // metres
    sn_vec3 out;             // unit, away from the bones: the muscle's thickness lies along it
    double width, thickness; // metres, whole
    uint32_t parent;         // of the same muscle; SN_NONE for the root, to which it contracts
    bool jaw;                // moves with the jaw, else with the head
    bool attached;           // to the bone of that segment
} scn_head_muscle_point;

typedef struct scn_head_muscle {
    const char *name; // without side
    const char *group;
    bool ring;      // a part of a sphincter
    sn_vec3 center; // of that, metres
    uint32_t count;
    scn_head_muscle_point points[SCN_HEAD_MUSCLE_POINTS];
} scn_head_muscle;

uint32_t scn_head_muscle_count(void);

// Lays all muscles between the bones and the skin.
sn_status scn_head_lay_muscles(sn_context *context, const sn_mesh *skin, const sn_mesh *cranium,
                               const sn_mesh *mandible, scn_head_muscle *made, sn_error *error);

// An ellipse across a muscle, metres; `wide` and `thick` are half axes.
typedef struct scn_head_section {
    sn_vec3 center, wide, thick;
} scn_head_section;

enum { SCN_HEAD_SECTIONS = 9 };

// Sections of a muscle from its first to its last point, evenly spaced along a smooth curve.
void scn_head_muscle_sections(const scn_head_muscle *muscle,
                              scn_head_section sections[SCN_HEAD_SECTIONS]);

// Adds a muscle and its mirror image to a document.
void scn_head_add_muscle(sn_json *json, sn_value *muscles, const scn_head_muscle *muscle);

#endif
