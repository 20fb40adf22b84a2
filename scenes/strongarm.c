// SPDX-License-Identifier: Apache-2.0
//
// The character `strongarm`: the arm once more, with as many vertices and muscles as the arm of V.
// Roussellet et al., "Dynamic implicit muscles for character skinning" (2018), table 1: 2,172
// vertices, four fibre muscles of 30 particles, an implicit skin. It has the clips of the arm.
#include "scenes/strongarm.h"

#include "scenes/arm_shape.h"
#include "scenes/documents.h"

#include "sinew/geometry.h"

#include <stdio.h>
#include <string.h>

static const char model_file[] = "strongarm.glb";
static const char bones_file[] = "../arm/arm.glb";

enum { SKIN_VERTICES = 2172, PARTICLES = 30 };

// A place of a muscle, millimetres in the frame of a segment: of the arm's parts x is inward, y
// along the bone, z to the front; of the shoulder x is down, y outward.
typedef struct place {
    const char *segment;
    double x, y, z;
} place;

typedef struct fibre {
    const char *name;
    uint32_t fibre_count;
    place origins[2], insertions[2]; // the second ones only of several fibres
    place through;                   // without a segment: none
    double width, thickness;         // millimetres
    double stiffness;
} fibre;

static const fibre fibres[] = {
    {.name = "biceps",
     .fibre_count = 1,
     .origins = {{"shoulder", 8, 66, 26}},
     .insertions = {{"forearm", 2, 52, 10}},
     .width = 50,
     .thickness = 42,
     .stiffness = 0.4},
    {.name = "brachialis",
     .fibre_count = 1,
     .origins = {{"upper_arm", 4, 150, 10}},
     .insertions = {{"forearm", 4, 36, 6}},
     .width = 44,
     .thickness = 26,
     .stiffness = 0.5},
    {.name = "triceps",
     .fibre_count = 1,
     .origins = {{"shoulder", 26, 56, -16}},
     .insertions = {{"forearm", 0, -14, -22}},
     .width = 62,
     .thickness = 44,
     .stiffness = 0.4},
    {.name = "deltoid",
     .fibre_count = 3,
     .origins = {{"shoulder", -26, 50, 26}, {"shoulder", -26, 46, -26}},
     .insertions = {{"upper_arm", -14, 138, 6}, {"upper_arm", -14, 138, -6}},
     .width = 44,
     .thickness = 24,
     .stiffness = 0.5},
};

static void add_place(sn_json *json, sn_value *list, const place *p) {
    double at[3] = {scn_round(p->x * SCN_MM), scn_round(p->y * SCN_MM), scn_round(p->z * SCN_MM)};
    sn_value *object = sn_json_add_object(json, list, NULL);
    sn_json_add_string(json, object, "segment", p->segment);
    sn_json_add_numbers(json, object, "at", at, 3);
}

static void add_places(sn_json *json, sn_value *muscle, const char *key, const place *places,
                       uint32_t count) {
    sn_value *list = sn_json_add_array(json, muscle, key);
    for (uint32_t i = 0; i < count; ++i) {
        add_place(json, list, &places[i]);
    }
}

static void add_fibre(sn_json *json, sn_value *muscles, const fibre *f) {
    uint32_t ends = f->fibre_count > 1 ? 2 : 1;
    sn_value *muscle = sn_json_add_object(json, muscles, f->name);
    sn_json_add_string(json, muscle, "kind", "fibre");
    add_places(json, muscle, "origins", f->origins, ends);
    add_places(json, muscle, "insertions", f->insertions, ends);
    if (f->through.segment != NULL) {
        add_places(json, muscle, "through", &f->through, 1);
    }
    if (f->fibre_count > 1) {
        sn_json_add_number(json, muscle, "fibres", f->fibre_count);
    }
    sn_json_add_number(json, muscle, "width", scn_round(f->width * SCN_MM));
    sn_json_add_number(json, muscle, "thickness", scn_round(f->thickness * SCN_MM));
    sn_json_add_number(json, muscle, "particles", PARTICLES);
    sn_json_add_number(json, muscle, "stiffness", f->stiffness);
    sn_json_add_string(json, muscle, "inside", "skin");
}

// The weights of the vertices that are left.
static sn_status take_weights(const sn_mesh *fine, const sn_decimated *left, sn_mesh *skin,
                              sn_error *error) {
    const sn_weights *from = fine->weights;
    uint32_t total = 0;
    for (uint32_t v = 0; v < left->vertex_count; ++v) {
        uint32_t old = left->vertex_origins[v];
        total += from->offsets[old + 1] - from->offsets[old];
    }
    sn_status status = sn_mesh_set_weights(skin, from->bone_count, total, false, error);
    for (uint32_t b = 0; b < from->bone_count && status == SN_OK; ++b) {
        status = sn_mesh_name_bone(skin, b, from->bone_names[b], error);
    }
    uint32_t at = 0;
    for (uint32_t v = 0; v < left->vertex_count && status == SN_OK; ++v) {
        uint32_t old = left->vertex_origins[v];
        skin->weights->offsets[v] = at;
        for (uint32_t k = from->offsets[old]; k < from->offsets[old + 1]; ++k, ++at) {
            skin->weights->bones[at] = from->bones[k];
            skin->weights->values[at] = from->values[k];
        }
        skin->weights->offsets[v + 1] = at;
    }
    return status;
}

static sn_status copy_faces(sn_context *context, const sn_decimated *left, sn_mesh **skin,
                            sn_error *error) {
    uint32_t corner_count = 3 * left->triangle_count;
    sn_status status = sn_mesh_create(context, "skin", left->vertex_count, left->triangle_count,
                                      corner_count, skin, error);
    if (status == SN_OK) {
        sn_mesh *mesh = *skin;
        memcpy(mesh->positions, left->positions,
               3 * (size_t)left->vertex_count * sizeof *mesh->positions);
        memcpy(mesh->corners, left->vertices, corner_count * sizeof *mesh->corners);
        for (uint32_t f = 0; f <= left->triangle_count; ++f) {
            mesh->face_offsets[f] = 3 * f;
        }
    }
    return status;
}

static sn_status simplify(sn_context *context, const sn_mesh *fine, sn_mesh **skin,
                          sn_error *error) {
    sn_triangles *triangles = NULL;
    sn_decimated *left = NULL;
    sn_status status = sn_triangles_create(fine, fine->positions, &triangles, error);
    if (status == SN_OK) {
        sn_decimate_desc desc = sn_decimate_desc_default();
        desc.positions = fine->positions;
        desc.vertex_count = fine->vertex_count;
        desc.vertices = triangles->vertices;
        desc.triangle_count = triangles->count;
        desc.regularity = 0.1;
        desc.target_vertices = SKIN_VERTICES;
        status = sn_decimate(context, &desc, NULL, &left, error);
    }
    if (status == SN_OK) {
        status = copy_faces(context, left, skin, error);
    }
    if (status == SN_OK) {
        status = take_weights(fine, left, *skin, error);
    }
    sn_triangles_destroy(triangles);
    sn_decimated_destroy(left);
    return status;
}

static void add_skin(sn_json *json) {
    sn_value *skins = sn_json_add_object(json, sn_json_root(json), "skins");
    sn_value *skin = sn_json_add_object(json, skins, "skin");
    sn_json_add_string(json, skin, "mesh", "skin");
    sn_value *deformers = sn_json_add_array(json, skin, "deformers");
    sn_value *implicit = sn_json_add_object(json, deformers, NULL);
    sn_json_add_string(json, implicit, "kind", "implicit");
    sn_value *muscles = sn_json_add_array(json, implicit, "muscles");
    for (size_t i = 0; i < sizeof fibres / sizeof *fibres; ++i) {
        sn_json_add_string(json, muscles, NULL, fibres[i].name);
    }
}

static void describe(sn_character *character, const scn_arm *arm, const scn_arm_bone *bones) {
    sn_json *json = sn_character_document(character);
    sn_json_add_string(json, sn_json_root(json), "about",
                       "The arm with four muscles of fibres that swing, and an implicit skin.");
    scn_add_skeleton(json, arm->segments, SCN_ARM_SEGMENTS);
    scn_add_mesh(json, "skin", model_file);
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        scn_add_mesh(json, bones[i].mesh->name, bones_file);
    }
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        scn_add_bone(json, bones[i].mesh->name, arm->segments[bones[i].segment].name);
    }
    sn_value *muscles = sn_json_add_object(json, sn_json_root(json), "muscles");
    for (size_t i = 0; i < sizeof fibres / sizeof *fibres; ++i) {
        add_fibre(json, muscles, &fibres[i]);
    }
    add_skin(json);
    for (uint32_t i = 0; scn_arm_clips()[i].name != NULL; ++i) {
        scn_add_clip(json, &scn_arm_clips()[i], scn_arm_clips()[i].about);
    }
}

static sn_status write_document(sn_context *context, const char *folder, const scn_arm *arm,
                                const scn_arm_bone *bones, sn_error *error) {
    sn_character *character = NULL;
    sn_status status = sn_character_create(context, "strongarm", &character, error);
    if (status == SN_OK) {
        describe(character, arm, bones);
        status = scn_save(character, folder, error);
    }
    sn_character_destroy(character);
    return status;
}

static sn_status write_model(sn_context *context, const char *folder, const scn_arm *arm,
                             sn_mesh *skin, sn_error *error) {
    const sn_mesh *meshes[1] = {skin};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, model_file);
    sn_status status = scn_paint(skin, "skin", 0.62f, 0.36f, 0.26f, 0.55f, error);
    return status == SN_OK
               ? scn_write_model(context, path, arm->segments, SCN_ARM_SEGMENTS, meshes, 1, error)
               : status;
}

sn_status scn_strongarm_build(sn_context *context, const char *folder, sn_error *error) {
    scn_arm arm;
    sn_mesh *fine = NULL, *skin = NULL;
    scn_arm_bone bones[SCN_ARM_BONES] = {{0}};
    scn_arm_layout(&arm);
    sn_status status = scn_arm_skin(context, &arm, &fine, error);
    if (status == SN_OK) {
        status = scn_arm_bones(context, &arm, bones, error);
    }
    if (status == SN_OK) {
        status = simplify(context, fine, &skin, error);
    }
    if (status == SN_OK) {
        status = write_model(context, folder, &arm, skin, error);
    }
    if (status == SN_OK) {
        status = write_document(context, folder, &arm, bones, error);
    }
    sn_mesh_destroy(fine);
    sn_mesh_destroy(skin);
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        sn_mesh_destroy(bones[i].mesh);
    }
    return status;
}
