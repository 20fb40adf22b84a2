// SPDX-License-Identifier: Apache-2.0
#include "character/transfer/transfer_internal.h"

#include "geometry/sphere.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Landmarks on bones are called "nasion bone" and "gonion bone.L" beside "nasion" and "gonion.L" on
// the skin.
static const char bone_word[] = " bone";
enum { NAME_BYTES = 256 };

// A bone is part of the skull that depths are measured to where a landmark lies on it, metres.
static const double on_bone = 0.003;

static bool has_word(const char *name, const char *const *words) {
    for (; *words != NULL; ++words) {
        size_t length = strlen(*words);
        for (const char *at = name; *at != 0; ++at) {
            size_t k = 0;
            while (k < length && tolower((unsigned char)at[k]) == (*words)[k]) {
                ++k;
            }
            if (k == length) {
                return true;
            }
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Skin and landmarks

static bool is_skin_mesh(const sni_blueprint *b, const char *mesh) {
    for (uint32_t i = 0; i < b->surface_count; ++i) {
        if (b->surfaces[i].kind == SNI_SURFACE_SKIN && b->surfaces[i].mesh != NULL &&
            strcmp(b->surfaces[i].mesh, mesh) == 0) {
            return true;
        }
    }
    return false;
}

// The skin that landmarks are on, the one that is asked for, or one with a telling name.
static sn_status find_skin(sni_document_transfer *t, sn_error *error) {
    static const char *const words[] = {"face", "head", NULL};
    const sni_blueprint *b = t->blueprint;
    const char *wanted = t->desc->skin, *with_landmarks = NULL;
    for (uint32_t i = 0; i < b->landmark_count && with_landmarks == NULL; ++i) {
        const sni_landmark_plan *plan = &b->landmarks[i];
        bool found = plan->segment == SN_NONE && is_skin_mesh(b, plan->mesh);
        with_landmarks = found ? plan->mesh : NULL;
    }
    for (uint32_t i = 0; i < b->surface_count; ++i) {
        const sni_surface_plan *plan = &b->surfaces[i];
        if (plan->kind != SNI_SURFACE_SKIN || plan->mesh == NULL) {
            continue;
        }
        bool is_it = wanted != NULL           ? strcmp(plan->name, wanted) == 0
                     : with_landmarks != NULL ? strcmp(plan->mesh, with_landmarks) == 0
                                              : has_word(plan->name, words);
        if (is_it && t->skin_name == NULL && plan->extraction == SN_NONE) {
            t->skin_name = plan->name;
            t->skin_mesh = plan->mesh;
        }
    }
    if (wanted != NULL && t->skin_name == NULL) {
        return sni_fail(error, SN_INVALID, "the source has no skin \"%s\" with a mesh", wanted);
    }
    return t->skin_name != NULL ? sn_character_mesh(t->work, t->skin_mesh, &t->skin, error) : SN_OK;
}

static sn_status copy_landmarks(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *given = t->desc->landmarks;
    for (uint32_t i = 0; i < given->count; ++i) {
        sn_landmark *made;
        const sn_landmark *l = &given->items[i];
        SN_TRY(sn_landmarks_add(t->landmarks, l->name, &made, error));
        // Places on a skin that the source does not have are of no use.
        made->on_skin = l->on_skin && t->skin != NULL;
        made->vertex = l->vertex;
        made->skin = l->skin;
        made->on_bone = l->on_bone;
        made->bone = l->bone;
        made->depth = l->depth;
    }
cleanup:
    return status;
}

bool sni_transfer_bone_landmark(const char *name, char *plain, size_t size) {
    size_t length = strlen(name), word = sizeof bone_word - 1;
    bool sided = length > 2 && name[length - 2] == '.';
    const char *side = name + length - (sided ? 2 : 0);
    size_t stem = (size_t)(side - name);
    if (stem <= word || strncmp(side - word, bone_word, word) != 0 || length >= size) {
        return false;
    }
    snprintf(plain, size, "%.*s%s", (int)(stem - word), name, side);
    return true;
}

// A vertex of a mesh that bones have, in the world; false where none has it.
static sn_status place_on_bone(sni_document_transfer *t, const sni_landmark_plan *plan,
                               sn_vec3 *place, bool *found, sn_error *error) {
    const sni_blueprint *b = t->blueprint;
    const sn_mesh *mesh;
    *found = plan->segment != SN_NONE;
    if (*found) {
        *place = sn_mat4_point(&t->rest[plan->segment], plan->position);
        return SN_OK;
    }
    for (uint32_t i = 0; i < b->surface_count && !*found; ++i) {
        const sni_surface_plan *bone = &b->surfaces[i];
        if (bone->kind != SNI_SURFACE_BONE || bone->mesh == NULL || bone->in_sizes ||
            strcmp(bone->mesh, plan->mesh) != 0) {
            continue;
        }
        sn_status status = sn_character_mesh(t->work, bone->mesh, &mesh, error);
        if (status != SN_OK) {
            return status;
        }
        if (plan->vertex < mesh->vertex_count) {
            *found = true;
            *place = sn_vec3_load(mesh->positions + 3 * (size_t)plan->vertex);
            *place =
                bone->in_segment_frame ? sn_mat4_point(&t->rest[bone->segment], *place) : *place;
        }
    }
    return SN_OK;
}

static sn_status read_landmark(sni_document_transfer *t, const sni_landmark_plan *plan,
                               sn_error *error) {
    sn_status status = SN_OK;
    sn_landmark *made;
    char name[NAME_BYTES];
    if (sni_transfer_bone_landmark(plan->name, name, sizeof name)) {
        sn_vec3 place;
        bool found;
        SN_TRY(place_on_bone(t, plan, &place, &found, error));
        if (found) {
            SN_TRY(sn_landmarks_add(t->landmarks, name, &made, error));
            made->on_bone = true;
            made->bone = place;
        }
    } else if (plan->segment == SN_NONE && t->skin_mesh != NULL &&
               strcmp(plan->mesh, t->skin_mesh) == 0) {
        SN_TRY(sn_landmarks_add(t->landmarks, plan->name, &made, error));
        made->on_skin = true;
        made->vertex = plan->vertex;
    }
cleanup:
    return status;
}

// Landmarks of the document: on vertices of the skin, and on bones as points of segments or
// vertices.
static sn_status read_landmarks(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sni_blueprint *b = t->blueprint;
    SN_TRY(sn_landmarks_create(t->context, &t->landmarks, error));
    if (t->desc->landmarks != NULL) {
        SN_TRY(copy_landmarks(t, error));
    }
    for (uint32_t i = 0; t->desc->landmarks == NULL && i < b->landmark_count; ++i) {
        SN_TRY(read_landmark(t, &b->landmarks[i], error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Parts

static sn_status add_part(sni_document_transfer *t, const char *name, sn_head_role role,
                          sni_document_part **part, sn_error *error) {
    if (!sni_grow_by_one(t->context, &t->parts, t->part_count, sizeof *t->parts)) {
        return sni_fail_memory(error);
    }
    *part = &t->parts[t->part_count++];
    **part = (sni_document_part){.name = name, .role = role, .segment = SN_NONE};
    return SN_OK;
}

sn_status sni_transfer_add_point(sni_document_transfer *t, uint32_t part, sn_vec3 point,
                                 uint32_t *number, sn_error *error) {
    sni_document_part *p = &t->parts[part];
    if (!sni_grow_by_one(t->context, &p->points, p->point_count, sizeof *p->points)) {
        return sni_fail_memory(error);
    }
    *number = p->point_count;
    p->points[p->point_count++] = point;
    return SN_OK;
}

// A mesh in a segment's frame, brought to the world.
static sn_status to_world(sni_document_transfer *t, sni_document_part *part, sn_error *error) {
    sn_status status = sn_mesh_copy(part->mesh, &part->world, error);
    for (uint32_t v = 0; status == SN_OK && v < part->mesh->vertex_count; ++v) {
        float *at = part->world->positions + 3 * (size_t)v;
        sn_vec3_store(sn_mat4_point(&t->rest[part->segment], sn_vec3_load(at)), at);
    }
    return status;
}

static bool is_moved(const sni_document_transfer *t, const char *mesh) {
    for (uint32_t i = 0; i < t->part_count; ++i) {
        if (t->parts[i].mesh_name != NULL && strcmp(t->parts[i].mesh_name, mesh) == 0) {
            return true;
        }
    }
    return false;
}

static sn_status add_mesh_part(sni_document_transfer *t, const char *name, const char *mesh,
                               sn_head_role role, uint32_t segment, sn_error *error) {
    sni_document_part *part = NULL;
    sn_status status = SN_OK;
    if (is_moved(t, mesh)) {
        return SN_OK; // two parts share it
    }
    SN_TRY(add_part(t, name, role, &part, error));
    part->mesh_name = mesh;
    part->segment = segment;
    SN_TRY(sn_character_mesh(t->work, mesh, &part->mesh, error));
    if (segment != SN_NONE) {
        SN_TRY(to_world(t, part, error));
    }
cleanup:
    return status;
}

// Whether a landmark lies on a bone.
static sn_status has_landmark(sni_document_transfer *t, const sni_document_part *part, bool *has,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    const sn_mesh *mesh = part->world != NULL ? part->world : part->mesh;
    *has = false;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SN_TRY(sn_accel_create(t->context, mesh->positions, mesh->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    for (uint32_t i = 0; i < t->landmarks->count && !*has; ++i) {
        const sn_landmark *l = &t->landmarks->items[i];
        if (l->on_bone) {
            sn_closest closest;
            sn_accel_find_closest(accel, l->bone, on_bone, &closest);
            *has = closest.triangle != SN_NONE;
        }
    }
cleanup:
    sn_triangles_destroy(triangles);
    sn_accel_destroy(accel);
    return status;
}

// An eye that is an ellipsoid in the document is a ball of some hundred points.
static sn_status add_ball(sni_document_transfer *t, const sni_surface_plan *plan, sn_error *error) {
    sni_document_part *part = NULL;
    sn_mat4 place = sn_mat4_from_transform(&plan->ellipsoid);
    sn_status status = SN_OK;
    if (plan->in_sizes || sn_value_get(plan->value, "ellipsoid") == NULL) {
        return SN_OK;
    }
    SN_TRY(add_part(t, plan->name, SN_HEAD_EYE, &part, error));
    if (plan->in_segment_frame) {
        place = sn_mat4_multiply(&t->rest[plan->segment], &place);
    }
    SN_TRY(
        sni_ellipsoid_mesh(t->context, plan->name, &place, SNI_SPHERE_DETAIL, &part->world, error));
    part->mesh = part->world;
    // The document that is made has an entry of the same name.
    const sn_value *tissues = sn_value_get(t->root, "tissues");
    part->ball = (sn_value *)sn_value_get(sn_value_get(tissues, plan->name), "ellipsoid");
    part->segment = plan->in_segment_frame ? plan->segment : SN_NONE;
cleanup:
    return status;
}

static sn_status add_component(sni_document_transfer *t, const sni_surface_plan *plan,
                               sn_error *error) {
    static const char *const teeth[] = {"tooth", "teeth", "denture", NULL};
    static const char *const eyes[] = {"eye", NULL};
    sn_status status = SN_OK;
    bool eye = plan->kind == SNI_SURFACE_TISSUE && has_word(plan->name, eyes);
    if (plan->mesh == NULL || plan->in_sizes || plan->extraction != SN_NONE) {
        return eye ? add_ball(t, plan, error) : SN_OK;
    }
    sn_head_role role = plan->kind == SNI_SURFACE_BONE ? SN_HEAD_TEETH
                        : eye                          ? SN_HEAD_EYE
                                                       : SN_HEAD_OTHER;
    uint32_t before = t->part_count;
    SN_TRY(add_mesh_part(t, plan->name, plan->mesh, role,
                         plan->in_segment_frame ? plan->segment : SN_NONE, error));
    if (plan->kind == SNI_SURFACE_BONE && t->part_count > before && !has_word(plan->name, teeth)) {
        bool skull;
        sni_document_part *part = &t->parts[t->part_count - 1];
        SN_TRY(has_landmark(t, part, &skull, error));
        part->role = skull ? SN_HEAD_BONE : SN_HEAD_TEETH;
    }
cleanup:
    return status;
}

static sn_status add_muscles(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < t->blueprint->muscle_count; ++i) {
        const sni_muscle_plan *plan = &t->blueprint->muscles[i];
        const char *mesh = sn_value_string(sn_value_get(plan->value, "mesh"), NULL);
        sni_document_part *part;
        if (mesh != NULL && !is_moved(t, mesh)) {
            SN_TRY(add_mesh_part(t, plan->name, mesh, SN_HEAD_MUSCLE, SN_NONE, error));
        } else {
            SN_TRY(add_part(t, plan->name, SN_HEAD_MUSCLE, &part, error));
        }
    }
cleanup:
    return status;
}

sn_status sni_transfer_read_landmarks(sni_document_transfer *t, sn_error *error) {
    sn_status status = find_skin(t, error);
    return status == SN_OK ? read_landmarks(t, error) : status;
}

static sn_status check_landmarks(const sni_document_transfer *t, sn_error *error) {
    for (uint32_t i = 0; i < t->landmarks->count; ++i) {
        if (t->landmarks->items[i].on_bone) {
            return SN_OK;
        }
    }
    sn_status status = sni_fail(error, SN_INVALID,
                                "the source has no landmarks on bones: in a document they are "
                                "called \"nasion bone\", \"gonion bone.L\" and so on");
    sni_error_source(error, sni_character_base(t->work));
    return status;
}

sn_status sni_transfer_read_source(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sni_document_part *part;
    SN_TRY(sni_transfer_read_landmarks(t, error));
    SN_TRY(check_landmarks(t, error));
    SN_TRY(add_part(t, "the document", SN_HEAD_OTHER, &part, error));
    for (uint32_t i = 0; i < t->blueprint->surface_count; ++i) {
        const sni_surface_plan *plan = &t->blueprint->surfaces[i];
        // The head takes the place of its mesh.
        bool skin =
            t->skin_mesh != NULL && plan->mesh != NULL && strcmp(plan->mesh, t->skin_mesh) == 0;
        if (!skin) {
            SN_TRY(add_component(t, plan, error));
        }
    }
    SN_TRY(add_muscles(t, error));
cleanup:
    return status;
}
