// SPDX-License-Identifier: Apache-2.0
//
// The steps of sn_character_from_anatomy, each in a file of its own:
//
//     parts ──► rig, or a proposed plan ──► bones on segments ──► tissues ──► muscles ──► document
//
// What each step finds out stands in the report.
#ifndef SINEW_CHARACTER_FROM_ANATOMY_H
#define SINEW_CHARACTER_FROM_ANATOMY_H

#include "base/context.h"
#include "base/memory.h"
#include "sinew/character.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"

typedef struct sni_anatomy_build {
    sn_context *context;
    const sn_anatomy *anatomy;
    const sn_progress *progress;
    sn_anatomy_report *report;
    sn_import **imports;    // part_count; NULL for what is not read
    const sn_mesh **meshes; // part_count: the one mesh of each
    sn_import *rig;         // NULL: none
    sn_body_plan *plan;     // NULL with a rig
    sn_skeleton skeleton;   // of the body
    sn_mat4 *worlds;        // segment_count: its rest pose
    uint32_t *parents;      // segment_count
    sn_vec3 *joints;        // segment_count: their origins
    uint32_t bone_count;
    uint32_t *bones;        // parts that are bones
    uint32_t *bone_numbers; // part_count: the other way round, SN_NONE for none
    sn_fit_bone *fit_bones; // bone_count
    uint32_t muscle_count;
    uint32_t *muscles;     // parts that are fitted
    sn_muscle_fit **fits;  // muscle_count; NULL for one that cannot be
    sn_fibre_fit **fibres; // muscle_count, which the fits belong to; NULL: they are not asked for
    sn_graph_fit **graphs; // muscle_count, the same; NULL for one whose surface is open
} sni_anatomy_build;

// --- parts: meshes from files, and what their surfaces are like

sn_status sni_anatomy_read_parts(sni_anatomy_build *build, sn_error *error);

// Replaces a result's note by a copy of a text.
sn_status sni_anatomy_note(sni_anatomy_build *build, uint32_t part, sn_error *error,
                           const char *format, ...) SN_PRINTF(4, 5);

// --- rig: the skeleton of a model, without what moves nothing; or of a plan

sn_status sni_anatomy_read_rig(sni_anatomy_build *build, sn_error *error);
sn_status sni_anatomy_take_plan(sni_anatomy_build *build, sn_error *error);

// --- bones: every bone on its segment, and the tissues

sn_status sni_anatomy_place_bones(sni_anatomy_build *build, sn_error *error);
sn_status sni_anatomy_place_tissues(sni_anatomy_build *build, sn_error *error);

// --- nearest: which bone is closest

typedef struct sni_nearest_bones {
    sn_context *context;
    sn_accel *accel; // over all of them
    uint32_t count;
    uint32_t *parts;  // count
    uint32_t *starts; // count + 1: their triangles
} sni_nearest_bones;

// Over the parts that are marked, which have meshes.
sn_status sni_nearest_bones_init(sni_nearest_bones *nearest, const sni_anatomy_build *build,
                                 const bool *marked, sn_error *error);
void sni_nearest_bones_deinit(sni_nearest_bones *nearest);

// What the vertices of a mesh are nearest to.
typedef struct sni_nearest_vote {
    uint32_t segment; // that most vertices are nearest to
    uint32_t part;    // of this segment, that most of them are
    double share;     // of the vertices that are nearest to this segment
    double distance;  // of these in the mean
} sni_nearest_vote;

// `nearest` is not empty, and segments of its parts are in the report.
sn_status sni_nearest_bones_vote(const sni_nearest_bones *nearest, const sni_anatomy_build *build,
                                 const sn_mesh *mesh, sni_nearest_vote *vote, sn_error *error);

// --- fit: muscles, in parallel

sn_status sni_anatomy_fit_muscles(sni_anatomy_build *build, sn_error *error);

// --- report

sn_status sni_anatomy_report_create(sn_context *context, uint32_t part_count,
                                    sn_anatomy_report **report, sn_error *error);
sn_status sni_anatomy_report_segments(sni_anatomy_build *build, sn_error *error);
sn_status sni_anatomy_report_muscles(sni_anatomy_build *build, sn_error *error);

// --- fibres: how fitted ones stand in the document

bool sni_anatomy_add_fibres(const sni_anatomy_build *build, sn_json *json, sn_value *muscles,
                            const char *name, const char *about, const sn_fibre_fit *fit);

// --- write: the document

sn_status sni_anatomy_write(sni_anatomy_build *build, const char *document_path,
                            sn_character *character, sn_error *error);

#endif
