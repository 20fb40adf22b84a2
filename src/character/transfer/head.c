// SPDX-License-Identifier: Apache-2.0
//
// The head that a document is fitted into. Its file is read as it says, the unit and the axis that
// points up are found where they are not given, and it is read again with them, as the document
// that is made will read it.
#include "character/transfer/transfer_internal.h"

#include "fit/head/similarity.h"
#include "fit/head/unit.h"

#include <string.h>

// A head is upright on z where the upright axis that was found leans so far to it.
static const double on_z = 0.85;

static sn_status choose_mesh(sni_document_transfer *t, sn_error *error) {
    const char *wanted = t->desc->head_mesh;
    t->head = NULL;
    for (uint32_t i = 0; i < t->import->mesh_count; ++i) {
        const sn_mesh *mesh = t->import->meshes[i];
        bool fits = wanted != NULL ? strcmp(mesh->name, wanted) == 0
                                   : t->head == NULL || mesh->face_count > t->head->face_count;
        t->head = fits ? mesh : t->head;
    }
    if (t->head != NULL) {
        return SN_OK;
    }
    sn_status status = wanted != NULL
                           ? sni_fail(error, SN_INVALID, "there is no mesh \"%s\" in it", wanted)
                           : sni_fail(error, SN_INVALID, "there is no mesh in it");
    sni_error_source(error, t->desc->head);
    return status;
}

static sn_status import_head(sni_document_transfer *t, double unit, bool z_up, sn_error *error) {
    sn_import_desc how = sn_import_desc_default();
    how.unit = unit;
    how.z_up = z_up;
    sn_import_destroy(t->import);
    t->import = NULL;
    sn_status status = sn_import_file_with(t->context, t->desc->head, &how, &t->import, error);
    return status == SN_OK ? choose_mesh(t, error) : status;
}

// Points of given landmarks are in the coordinates of the file.
static sn_vec3 from_file(const sni_document_transfer *t, sn_vec3 p) {
    double unit = t->desc->unit > 0 ? t->desc->unit : 1;
    sn_vec3 turned = t->desc->z_up ? sn_vec3_make(p.x, p.z, -p.y) : p;
    return sn_vec3_scale(turned, unit);
}

static sn_status copy_given(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *given = t->desc->head_landmarks;
    SN_TRY(sn_landmarks_create(t->context, &t->head_landmarks, error));
    for (uint32_t i = 0; given != NULL && i < given->count; ++i) {
        sn_landmark *made;
        // Others than those of the source are of no use: names in files may be many.
        const sn_landmark *source = sn_landmarks_find(t->landmarks, given->items[i].name);
        if (!given->items[i].on_skin || source == NULL || !source->on_bone) {
            continue;
        }
        SN_TRY(sn_landmarks_add(t->head_landmarks, given->items[i].name, &made, error));
        made->on_skin = true;
        made->vertex = given->items[i].vertex;
        made->skin = from_file(t, given->items[i].skin);
        if (made->vertex != SN_NONE && made->vertex >= t->head->vertex_count) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "the landmark \"%s\" is vertex %u, but \"%s\" has only %u vertices",
                            made->name, made->vertex, t->head->name, t->head->vertex_count));
        }
    }
cleanup:
    return status;
}

static const char *first_missing(const sni_document_transfer *t) {
    for (uint32_t i = 0; i < t->landmarks->count; ++i) {
        const sn_landmark *l = &t->landmarks->items[i];
        if (l->on_bone && sn_landmarks_find(t->head_landmarks, l->name) == NULL) {
            return l->name;
        }
    }
    return NULL;
}

// The landmarks that are given say how large the head is, and how it stands.
static sn_status measure_given(sni_document_transfer *t, double *unit, sn_quat *rotation,
                               sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *from = NULL, *to = NULL;
    sni_similarity fitted;
    const char *name;
    uint32_t count = 0;
    SNI_NEW(t->context, from, t->head_landmarks->count);
    SNI_NEW(t->context, to, t->head_landmarks->count);
    for (uint32_t i = 0; i < t->head_landmarks->count; ++i) {
        const sn_landmark *l = &t->head_landmarks->items[i];
        from[count] = sn_landmarks_find(t->landmarks, l->name)->bone;
        to[count++] = l->vertex != SN_NONE
                          ? sn_vec3_load(t->head->positions + 3 * (size_t)l->vertex)
                          : l->skin;
    }
    sni_similarity_fit(from, to, NULL, count, &fitted);
    // The skin is larger than the skull by some hundredths, which no unit depends on.
    *unit = sni_head_unit(fitted.scale, &name);
    *rotation = fitted.rotation;
cleanup:
    sni_free(t->context, from);
    sni_free(t->context, to);
    return status;
}

static sn_status propose(sni_document_transfer *t, sn_error *error) {
    sn_landmark_desc desc = sn_landmark_desc_default();
    desc.head = t->head;
    desc.unit = t->desc->unit > 0 ? 1 : 0;
    desc.given = t->head_landmarks;
    if (t->skin != NULL) {
        desc.known = (sn_known_head){t->skin, 1, t->landmarks};
    } else if (t->desc->known != NULL) {
        desc.known = *t->desc->known;
    } else {
        return sni_fail(error, SN_INVALID,
                        "the landmark \"%s\" is missing on the head, and the source has no skin "
                        "with landmarks to find it with",
                        first_missing(t));
    }
    return sn_landmarks_propose(t->context, &desc, t->progress, &t->report->proposal, error);
}

// Takes what was proposed over, except for what the source has not on bones.
static sn_status add_proposed(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmarks *proposed = t->report->proposal->landmarks;
    for (uint32_t i = 0; i < proposed->count; ++i) {
        const sn_landmark *l = &proposed->items[i];
        sn_landmark *made;
        if (sn_landmarks_find(t->head_landmarks, l->name) == NULL) {
            SN_TRY(sn_landmarks_add(t->head_landmarks, l->name, &made, error));
            made->on_skin = true;
            made->skin = l->skin;
            made->doubt = l->doubt;
        }
    }
    const char *missing = first_missing(t);
    if (missing != NULL) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "the landmark \"%s\" is missing on the head, and on the skin of the head "
                        "that it would be found with",
                        missing));
    }
    if (!t->report->proposal->is_face) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "no face was found on \"%s\": its profile differs by %.0f degrees from "
                        "that of a face, and its surface by %.1f mm; give landmarks",
                        t->head->name, t->report->proposal->profile * 180 / SN_PI,
                        t->report->proposal->distance * 1000));
    }
cleanup:
    return status;
}

// Points of landmarks as the file will be read: times the unit, and turned.
static void turn_landmarks(sni_document_transfer *t, double unit, bool turn) {
    for (uint32_t i = 0; i < t->head_landmarks->count; ++i) {
        sn_vec3 *p = &t->head_landmarks->items[i].skin;
        sn_vec3 turned = turn ? sn_vec3_make(p->x, p->z, -p->y) : *p;
        *p = sn_vec3_scale(turned, unit);
    }
}

sn_status sni_transfer_read_head(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    double unit = 1;
    sn_quat rotation = sn_quat_identity();
    SN_TRY(import_head(t, t->desc->unit, t->desc->z_up, error));
    SN_TRY(copy_given(t, error));
    const char *missing = first_missing(t);
    if (missing != NULL && !t->desc->propose) {
        SN_TRY(sni_fail(error, SN_INVALID, "the landmark \"%s\" is missing on the head \"%s\"",
                        missing, t->head->name));
    }
    if (missing != NULL) {
        SN_TRY(propose(t, error));
        SN_TRY(add_proposed(t, error));
        unit = t->report->proposal->unit;
        rotation = t->report->proposal->rotation;
    } else {
        SN_TRY(measure_given(t, &unit, &rotation, error));
    }
    unit = t->desc->unit > 0 ? 1 : unit;
    bool turn = !t->desc->z_up && sn_quat_rotate(rotation, sn_vec3_make(0, 1, 0)).z > on_z;
    t->report->unit = t->desc->unit > 0 ? t->desc->unit : unit;
    t->report->z_up = t->desc->z_up || turn;
    if (unit != 1 || turn) {
        turn_landmarks(t, unit, turn);
        SN_TRY(import_head(t, t->report->unit != 1 ? t->report->unit : 0, t->report->z_up, error));
    }
cleanup:
    return status;
}

sn_status sni_transfer_report_landmarks(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    const sn_landmark_proposal *proposal = t->report->proposal;
    SN_TRY(sn_landmarks_create(t->context, &t->report->landmarks, error));
    for (uint32_t i = 0; i < t->head_landmarks->count; ++i) {
        const sn_landmark *l = &t->head_landmarks->items[i];
        sn_landmark *made;
        SN_TRY(sn_landmarks_add(t->report->landmarks, l->name, &made, error));
        sn_vec3 p = sn_vec3_scale(l->skin, 1 / t->report->unit);
        made->on_skin = true;
        made->vertex = l->vertex;
        made->skin = t->report->z_up ? sn_vec3_make(p.x, -p.z, p.y) : p;
        made->doubt = l->doubt;
        const sn_landmark *proposed =
            proposal != NULL ? sn_landmarks_find(proposal->landmarks, l->name) : NULL;
        if (proposed != NULL && proposed->doubted != NULL) {
            made->doubted = sni_string_copy(t->context, proposed->doubted);
            SN_TRY(made->doubted != NULL ? SN_OK : sni_fail_memory(error));
        }
    }
cleanup:
    return status;
}
