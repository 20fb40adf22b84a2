// SPDX-License-Identifier: Apache-2.0
//
// The character `person`: model file, document and motions.
#include "scenes/person.h"

#include "scenes/documents.h"

#include "sinew/eval.h"
#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model_file[] = "person.glb";

// Nodes of the grid in which weights are found: 5 mm apart, so that fingers are not one.
enum { BIND_NODES = 340, INFLUENCES = 4, EYE_VERTICES = 150 };

// ---------------------------------------------------------------------------------------------
// Eyes

typedef struct eye_part {
    const char *surface; // of the human
    const char *material;
    float color[3];
} eye_part;

static const eye_part eye_parts[] = {
    {"eye.L", "eye", {0.75F, 0.72F, 0.68F}},
    {"eye.R", "eye", {0.75F, 0.72F, 0.68F}},
    {"iris.L", "iris", {0.045F, 0.026F, 0.014F}},
    {"iris.R", "iris", {0.045F, 0.026F, 0.014F}},
};
enum { EYE_PARTS = sizeof eye_parts / sizeof *eye_parts };

static sn_status simplify_eye(sn_context *context, const sn_frame *human, const eye_part *part,
                              sn_decimated **made, sn_error *error) {
    const sn_model *model = sn_frame_model(human);
    uint32_t surface = sn_model_find_surface(model, part->surface);
    const sn_mesh *mesh = sn_model_surface(model, surface)->mesh;
    const float *points = sn_frame_points(human, surface);
    sn_triangles *triangles = NULL;
    sn_status status = sn_triangles_create(mesh, points, &triangles, error);
    if (status == SN_OK) {
        sn_decimate_desc desc = sn_decimate_desc_default();
        desc.positions = points;
        desc.vertex_count = mesh->vertex_count;
        desc.vertices = triangles->vertices;
        desc.triangle_count = triangles->count;
        desc.regularity = 0.1;
        desc.target_vertices = EYE_VERTICES;
        status = sn_decimate(context, &desc, NULL, made, error);
    }
    sn_triangles_destroy(triangles);
    return status;
}

static sn_status paint_eye(sn_mesh *eyes, const eye_part *part, uint32_t first_face,
                           sn_error *error) {
    sn_material *made = NULL;
    sn_status status = sn_mesh_add_material(eyes, part->material, &made, error);
    if (status == SN_OK) {
        made->has_color = true;
        memcpy(made->base_color, part->color, sizeof part->color);
        made->base_color[3] = 1;
        made->metallic = 0;
        made->roughness = 0.3F;
        status = sn_mesh_add_run(eyes, SN_RUN_MATERIAL, first_face, part->material, error);
    }
    return status;
}

static void append(sn_mesh *eyes, const sn_decimated *part, uint32_t *vertex, uint32_t *face) {
    memcpy(&eyes->positions[3 * (size_t)*vertex], part->positions,
           3 * (size_t)part->vertex_count * sizeof *part->positions);
    for (uint32_t i = 0; i < 3 * part->triangle_count; ++i) {
        eyes->corners[3 * (size_t)*face + i] = *vertex + part->vertices[i];
    }
    for (uint32_t i = 0; i < part->triangle_count; ++i) {
        eyes->face_offsets[*face + i + 1] = 3 * (*face + i + 1);
    }
    *vertex += part->vertex_count;
    *face += part->triangle_count;
}

// The eyes stand in the head and turn with it.
static sn_status hang_on_head(sn_mesh *eyes, sn_error *error) {
    sn_status status = sn_mesh_set_weights(eyes, 1, eyes->vertex_count, false, error);
    for (uint32_t i = 0; status == SN_OK && i < eyes->vertex_count; ++i) {
        eyes->weights->offsets[i] = i;
        eyes->weights->offsets[i + 1] = i + 1;
        eyes->weights->bones[i] = 0;
        eyes->weights->values[i] = 1;
    }
    return status == SN_OK ? sn_mesh_name_bone(eyes, 0, "head", error) : status;
}

static sn_status make_eyes(sn_context *context, const sn_frame *human, sn_mesh **eyes,
                           sn_error *error) {
    sn_decimated *parts[EYE_PARTS] = {0};
    uint32_t vertices = 0, faces = 0, vertex = 0, face = 0;
    sn_status status = SN_OK;
    for (int i = 0; i < EYE_PARTS; ++i) {
        SN_TRY(simplify_eye(context, human, &eye_parts[i], &parts[i], error));
        vertices += parts[i]->vertex_count;
        faces += parts[i]->triangle_count;
    }
    SN_TRY(sn_mesh_create(context, "eyes", vertices, faces, 3 * faces, eyes, error));
    for (int i = 0; i < EYE_PARTS; ++i) {
        if (i % 2 == 0) {
            SN_TRY(paint_eye(*eyes, &eye_parts[i], face, error));
        }
        append(*eyes, parts[i], &vertex, &face);
    }
    SN_TRY(scn_add_normals(*eyes, error));
    SN_TRY(hang_on_head(*eyes, error));
cleanup:
    for (int i = 0; i < EYE_PARTS; ++i) {
        sn_decimated_destroy(parts[i]);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Weights

// Rounds the weights of a vertex to steps of 1/255, which a file holds in a byte, with the sum 1:
// what rounding takes or gives goes to the greatest.
static void round_weights(float *values, uint32_t count) {
    int steps[INFLUENCES], sum = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        steps[i] = (int)lround(values[i] * 255.0);
        sum += steps[i];
        most = steps[i] > steps[most] ? i : most;
    }
    if (count > 0) {
        steps[most] += 255 - sum;
    }
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = (float)steps[i] / 255;
    }
}

static sn_status bind(sn_context *context, const sn_skeleton *skeleton, sn_mesh *body,
                      sn_error *error) {
    sn_bind_desc desc = sn_bind_desc_default();
    desc.skeleton = skeleton;
    desc.influences = INFLUENCES;
    desc.resolution = BIND_NODES;
    sn_status status = sn_bind_meshes(context, &desc, 1, &body, NULL, NULL, error);
    for (uint32_t v = 0; status == SN_OK && v < body->vertex_count; ++v) {
        const uint32_t *offsets = body->weights->offsets;
        round_weights(&body->weights->values[offsets[v]], offsets[v + 1] - offsets[v]);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Files

static sn_status write_model(sn_context *context, const scn_person *person, const char *folder,
                             sn_error *error) {
    char path[4096];
    sn_segment segments[SCN_PERSON_JOINTS];
    uint32_t order[SCN_PERSON_JOINTS];
    sn_skeleton skeleton = scn_skeleton(person->joints, SCN_PERSON_JOINTS, segments, order);
    const sn_mesh *meshes[] = {person->body, person->eyes};
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 2;
    desc.meshes = meshes;
    desc.skeleton = &skeleton;
    desc.compact = true;
    sn_status status = bind(context, &skeleton, person->body, error);
    return status == SN_OK ? sn_export_skinned(context, path, &desc, error) : status;
}

// The document is the one that `sinew new person.glb` writes, with motions.
static sn_status write_document(sn_context *context, const char *folder, sn_error *error) {
    char model[4096], path[4096];
    snprintf(model, sizeof model, "%s/%s", folder, model_file);
    snprintf(path, sizeof path, "%s/person.sinew.json", folder);
    sn_import *import = NULL;
    sn_character *character = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(context, model, &import, error));
    SN_TRY(sn_character_from_import(import, model, path, &character, error));
    sn_json *json = sn_character_document(character);
    sn_json_add_string(json, sn_json_root(json), "about",
                       "A rigged person: 52 joints, weights, skin and clothes in colour; walk, "
                       "squat, wave, run, jump.");
    scn_add_motion(json, "walk", "Six steps straight ahead.");
    scn_add_motion(json, "squat", "Down and up again, with the arms ahead.");
    scn_add_motion(json, "wave", "The right hand waves.");
    scn_add_motion(json, "run", "Three strides at 3 m/s.");
    scn_add_motion(json, "jump", "A jump from standing, arms up, a little ahead.");
    SN_TRY(scn_save(character, folder, error));
cleanup:
    sn_character_destroy(character);
    sn_import_destroy(import);
    return status;
}

static sn_status build(sn_context *context, const sn_frame *human, const char *folder,
                       scn_person *person, sn_error *error) {
    const sn_model *model = sn_frame_model(human);
    const sn_mesh *skin = sn_model_surface(model, sn_model_find_surface(model, "skin"))->mesh;
    char motions[4096];
    snprintf(motions, sizeof motions, "%s/../motions", folder);
    sn_status status = SN_OK;
    scn_person_lay_out(model, person);
    SN_TRY(scn_person_make_body(context, skin, person, error));
    SN_TRY(make_eyes(context, human, &person->eyes, error));
    SN_TRY(write_model(context, person, folder, error));
    SN_TRY(scn_person_write_motions(person, motions, error));
    SN_TRY(write_document(context, folder, error));
cleanup:
    return status;
}

sn_status scn_person_build(sn_context *context, const char *folder, sn_error *error) {
    scn_person *person = calloc(1, sizeof *person);
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *human = NULL;
    sn_status status = SN_OK;
    SN_TRY(person != NULL ? SN_OK : scn_fail_memory(error));
    SN_TRY(sn_character_load(context, SCN_EXAMPLES "/human/human.sinew.json", &character, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_frame_create(model, &human, error));
    SN_TRY(build(context, human, folder, person, error));
cleanup:
    if (person != NULL) {
        sn_mesh_destroy(person->body);
        sn_mesh_destroy(person->eyes);
    }
    free(person);
    sn_frame_destroy(human);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}
