// SPDX-License-Identifier: Apache-2.0
//
// A document whose inside is fitted into another head. The source is expanded first, so that every
// part has an entry of its own: one head is never as symmetric as another.
#include "character/transfer/transfer_internal.h"

#include "motion/skeleton.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x63746678;

sn_character_transfer_desc sn_character_transfer_desc_default(void) {
    sn_transfer_desc fit = sn_transfer_desc_default();
    return (sn_character_transfer_desc){.check = desc_check,
                                        .propose = true,
                                        .method = fit.method,
                                        .settle = fit.settle,
                                        .tolerance = fit.tolerance,
                                        .clearance = fit.clearance};
}

sn_status sni_transfer_note(sni_document_transfer *t, sn_error *error, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_character_transfer_report *r = t->report;
    char *copy = sni_string_copy(t->context, text);
    if (copy == NULL || !sni_grow_by_one(t->context, &r->notes, r->note_count, sizeof *r->notes)) {
        sni_free(t->context, copy);
        return sni_fail_memory(error);
    }
    r->notes[r->note_count++] = copy;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Opening and making documents

// The expanded source as a character of its own, beside the source.
static sn_status open_work(sn_character *source, sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_json *expanded = NULL;
    char *text = NULL;
    size_t size;
    const char *base = sni_character_base(source);
    SN_TRY(sn_character_expand(source, &expanded, error));
    SN_TRY(sn_json_write(expanded, &text, &size, error));
    SN_TRY(sn_character_parse_beside(source, base, text, size, &t->work, error));
cleanup:
    sn_json_free_text(t->context, text);
    sn_json_destroy(expanded);
    return status;
}

// The tree of the document that is made: that of the source, with paths from its own folder.
static sn_status open_tree(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    char *text = NULL;
    size_t size;
    SN_TRY(sn_character_write(t->work, t->document_path, &text, &size, error));
    SN_TRY(sn_json_parse(t->context, text, size, &t->json, error));
    t->root = sn_json_root(t->json);
cleanup:
    sn_json_free_text(t->context, text);
    return status;
}

static sn_status make_character(sni_document_transfer *t, sn_character **made, sn_error *error) {
    sn_status status = SN_OK;
    char *text = NULL;
    size_t size;
    SN_TRY(sn_json_write(t->json, &text, &size, error));
    SN_TRY(sn_character_parse(t->context, t->document_path, text, size, made, error));
    for (uint32_t i = 0; i < t->new_mesh_count; ++i) {
        sn_mesh *mesh = t->new_meshes[i];
        t->new_meshes[i] = NULL; // it is the character's now
        SN_TRY(sn_character_give_mesh(*made, t->new_names[i], mesh, error));
    }
cleanup:
    sn_json_free_text(t->context, text);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The transfer itself

// Landmarks on bones, and vertices of the skin that landmarks are on, as further points.
static sn_status add_landmark_points(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t number;
    t->first_landmark_point = t->parts[SNI_PART_DOCUMENT].point_count;
    for (uint32_t i = 0; i < t->landmarks->count; ++i) {
        SN_TRY(sni_transfer_add_point(t, SNI_PART_DOCUMENT, t->landmarks->items[i].bone, &number,
                                      error));
    }
    for (uint32_t i = 0; i < t->blueprint->landmark_count; ++i) {
        const sni_landmark_plan *plan = &t->blueprint->landmarks[i];
        if (t->skin != NULL && plan->segment == SN_NONE && strcmp(plan->mesh, t->skin_mesh) == 0) {
            sn_vec3 at = plan->vertex < t->skin->vertex_count
                             ? sn_vec3_load(t->skin->positions + 3 * (size_t)plan->vertex)
                             : sn_vec3_make(0, 0, 0);
            SN_TRY(sni_transfer_add_point(t, SNI_PART_DOCUMENT, at, &number, error));
        }
    }
cleanup:
    return status;
}

static sn_status run(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_head_part *parts = NULL;
    SNI_NEW_ZERO(t->context, parts, t->part_count);
    if (t->desc->depths == NULL) {
        SN_TRY(sn_depth_table_default(t->context, &t->depths, error));
    }
    for (uint32_t p = 0; p < t->part_count; ++p) {
        const sni_document_part *part = &t->parts[p];
        parts[p] =
            (sn_head_part){part->name, part->role, part->world != NULL ? part->world : part->mesh,
                           part->point_count, part->points};
    }
    sn_transfer_desc desc = sn_transfer_desc_default();
    desc.part_count = t->part_count;
    desc.parts = parts;
    desc.skin = t->skin;
    desc.landmarks = t->landmarks;
    desc.head = t->head;
    desc.head_landmarks = t->head_landmarks;
    desc.depths = t->desc->depths != NULL ? t->desc->depths : t->depths;
    desc.column = t->desc->column;
    desc.method = t->desc->method;
    desc.settle = t->desc->settle;
    desc.tolerance = t->desc->tolerance;
    desc.clearance = t->desc->clearance;
    SN_TRY(sn_transfer_head(t->context, &desc, t->progress, &t->moved, error));
cleanup:
    sni_free(t->context, parts);
    return status;
}

static sn_status fill_report(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_character_transfer_report *r = t->report;
    r->fit = t->moved->report;
    r->scale = t->moved->scale;
    SNI_NEW_ZERO(t->context, r->muscles, t->part_count);
    for (uint32_t p = 0; p < t->part_count; ++p) {
        const sni_document_part *part = &t->parts[p];
        const sn_head_moved *moved = &t->moved->parts[p];
        r->bone_count += part->role == SN_HEAD_BONE || part->role == SN_HEAD_TEETH;
        r->eye_count += part->role == SN_HEAD_EYE;
        if (part->role == SN_HEAD_MUSCLE) {
            sn_transferred_muscle *m = &r->muscles[r->muscle_count++];
            *m = (sn_transferred_muscle){.name = sni_string_copy(t->context, part->name),
                                         .has_mesh = part->mesh != NULL,
                                         .vertex_count =
                                             part->mesh != NULL ? part->mesh->vertex_count : 0,
                                         .outside = moved->outside,
                                         .in_bone = moved->in_bone,
                                         .pushed = moved->pushed,
                                         .flipped = moved->flipped,
                                         .largest = moved->largest};
            if (m->name == NULL) {
                SN_TRY(sni_fail_memory(error));
            }
        }
    }
cleanup:
    return status;
}

static sn_status check_desc(const sn_character_transfer_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID,
                        "the desc was not made by sn_character_transfer_desc_default");
    }
    if (desc->head == NULL) {
        return sni_fail(error, SN_INVALID, "there is no head");
    }
    return SN_OK;
}

static void transfer_deinit(sni_document_transfer *t) {
    for (uint32_t p = 0; p < t->part_count; ++p) {
        sn_mesh_destroy(t->parts[p].world);
        sni_free(t->context, t->parts[p].points);
    }
    for (uint32_t i = 0; i < t->new_mesh_count; ++i) {
        sn_mesh_destroy(t->new_meshes[i]);
    }
    sni_free(t->context, t->parts);
    sni_free(t->context, t->places);
    sni_free(t->context, t->rest);
    sni_free(t->context, t->new_rest);
    sni_free(t->context, t->new_meshes);
    sni_free(t->context, t->new_names);
    sn_landmarks_destroy(t->landmarks);
    sn_landmarks_destroy(t->head_landmarks);
    sn_import_destroy(t->import);
    sn_transferred_destroy(t->moved);
    sn_depth_table_destroy(t->depths);
    sni_blueprint_destroy((sni_blueprint *)t->blueprint);
    sn_json_destroy(t->json);
    sn_character_destroy(t->work);
    sn_character_transfer_report_destroy(t->report);
}

static sn_status open_source(sni_document_transfer *t, sn_character *source, sn_error *error) {
    sn_status status = SN_OK;
    sni_blueprint *blueprint = NULL;
    SN_TRY(open_work(source, t, error));
    SN_TRY(sni_character_decode(t->work, sn_character_document(t->work), &blueprint, error));
    t->blueprint = blueprint;
    SN_TRY(sni_skeleton_rest_worlds(t->context, &blueprint->skeleton, &t->rest, error));
cleanup:
    return status;
}

static sn_status transfer(sni_document_transfer *t, sn_character *source, sn_character **made,
                          sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(open_source(t, source, error));
    SN_TRY(open_tree(t, error));
    SN_TRY(sni_transfer_read_source(t, error));
    SN_TRY(sni_transfer_read_head(t, error));
    SN_TRY(sni_transfer_collect(t, error));
    SN_TRY(add_landmark_points(t, error));
    SN_TRY(run(t, error));
    SN_TRY(sni_transfer_write_places(t, error));
    SN_TRY(sni_transfer_write_sizes(t, error));
    SN_TRY(sni_transfer_write_meshes(t, error));
    SN_TRY(sni_transfer_write_skin(t, error));
    SN_TRY(sni_transfer_write_landmarks(t, error));
    SN_TRY(sni_transfer_report_landmarks(t, error));
    SN_TRY(fill_report(t, error));
    SN_TRY(make_character(t, made, error));
cleanup:
    return status;
}

sn_status sn_character_transfer(sn_character *source, const sn_character_transfer_desc *desc,
                                const char *document_path, const sn_progress *progress,
                                sn_character **made, sn_character_transfer_report **report,
                                sn_error *error) {
    sn_status status = SN_OK;
    sni_document_transfer t = {.context = sni_character_context(source),
                               .desc = desc,
                               .document_path = document_path,
                               .progress = progress};
    *made = NULL;
    if (report != NULL) {
        *report = NULL;
    }
    SN_TRY(check_desc(desc, error));
    SNI_NEW_ZERO(t.context, t.report, 1);
    t.report->context = t.context;
    SN_TRY(transfer(&t, source, made, error));
    if (report != NULL) {
        *report = t.report;
        t.report = NULL;
    }
cleanup:
    transfer_deinit(&t);
    if (status != SN_OK) {
        sn_character_destroy(*made);
        *made = NULL;
    }
    return status;
}

sn_status sn_character_landmarks(sn_character *character, const char *skin, const sn_mesh **mesh,
                                 sn_landmarks **landmarks, sn_error *error) {
    sn_status status = SN_OK;
    sn_character_transfer_desc desc = sn_character_transfer_desc_default();
    sni_document_transfer t = {.context = sni_character_context(character), .desc = &desc};
    desc.skin = skin;
    *mesh = NULL;
    *landmarks = NULL;
    SN_TRY(open_source(&t, character, error));
    SN_TRY(sni_transfer_read_landmarks(&t, error));
    if (t.skin_mesh != NULL) {
        SN_TRY(sn_character_mesh(character, t.skin_mesh, mesh, error));
    }
    *landmarks = t.landmarks;
    t.landmarks = NULL;
cleanup:
    transfer_deinit(&t);
    return status;
}

void sn_character_transfer_report_destroy(sn_character_transfer_report *report) {
    if (report != NULL) {
        sn_context *context = report->context;
        for (uint32_t i = 0; i < report->muscle_count; ++i) {
            sni_free(context, report->muscles[i].name);
        }
        for (uint32_t i = 0; i < report->note_count; ++i) {
            sni_free(context, report->notes[i]);
        }
        sni_free(context, report->muscles);
        sni_free(context, report->notes);
        sn_landmark_proposal_destroy(report->proposal);
        sn_landmarks_destroy(report->landmarks);
        sni_free(context, report);
    }
}
