// SPDX-License-Identifier: Apache-2.0
//
// Muscles are fitted one by one, in parallel: none needs another.
#include "character/import/anatomy.h"

#include "fit/muscle/fibre.h"
#include "fit/muscle/graph.h"
#include "geometry/closed.h"

// Muscles between two looks at the progress: a few tenths of a second.
enum { FIT_ROUND = 32 };

typedef struct fitting {
    sni_anatomy_build *build;
    uint32_t *starts;     // muscle_count + 1: of the places of each
    sn_fit_place *places; // attachments, by muscle
    sni_bone_trees trees;
    sn_status *statuses; // muscle_count
    sn_error *errors;    // muscle_count
} fitting;

static sn_status list_muscles(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = build->anatomy->part_count;
    SNI_NEW(build->context, build->muscles, count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_anatomy_result *result = &build->report->results[i];
        if (build->anatomy->parts[i].kind == SN_PART_MUSCLE && build->meshes[i] != NULL) {
            result->use = SN_PART_AS_MUSCLE;
            result->segment = SN_NONE; // its ends have bones
        }
        if (result->use == SN_PART_AS_MUSCLE) {
            build->muscles[build->muscle_count++] = i;
        }
    }
    SNI_NEW_ZERO(build->context, build->fits, build->muscle_count);
    if (build->anatomy->fibres) {
        SNI_NEW_ZERO(build->context, build->fibres, build->muscle_count);
    }
    if (build->anatomy->graphs) {
        SNI_NEW_ZERO(build->context, build->graphs, build->muscle_count);
    }
cleanup:
    return status;
}

// Attachments sorted by muscle, in the order of the table.
static sn_status sort_places(fitting *f, sn_error *error) {
    sn_status status = SN_OK;
    sni_anatomy_build *build = f->build;
    const sn_anatomy *anatomy = build->anatomy;
    uint32_t *numbers = NULL; // part_count: of muscles
    SNI_NEW(build->context, numbers, anatomy->part_count);
    SNI_NEW_ZERO(build->context, f->starts, (size_t)build->muscle_count + 2);
    SNI_NEW(build->context, f->places, anatomy->attachment_count);
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        numbers[i] = SN_NONE;
    }
    for (uint32_t i = 0; i < build->muscle_count; ++i) {
        numbers[build->muscles[i]] = i;
    }
    // The starts stand one further on while they are filled.
    for (uint32_t i = 0; i < anatomy->attachment_count; ++i) {
        uint32_t number = numbers[anatomy->attachments[i].muscle];
        if (number != SN_NONE) {
            f->starts[number + 2]++;
        }
    }
    for (uint32_t i = 0; i < build->muscle_count; ++i) {
        f->starts[i + 2] += f->starts[i + 1];
    }
    for (uint32_t i = 0; i < anatomy->attachment_count; ++i) {
        const sn_anatomy_attachment *given = &anatomy->attachments[i];
        uint32_t number = numbers[given->muscle];
        if (number != SN_NONE) {
            f->places[f->starts[number + 1]++] = (sn_fit_place){
                given->bone != SN_NONE ? build->bone_numbers[given->bone] : SN_NONE, given->point};
        }
    }
cleanup:
    sni_free(build->context, numbers);
    return status;
}

static sn_muscle_fit_desc describe(const fitting *f, uint32_t index) {
    const sni_anatomy_build *build = f->build;
    sn_muscle_fit_desc desc = sn_muscle_fit_desc_default();
    desc.name = build->anatomy->parts[build->muscles[index]].name;
    desc.mesh = build->meshes[build->muscles[index]];
    desc.bone_count = build->bone_count;
    desc.bones = build->fit_bones;
    desc.segment_count = build->skeleton.segment_count;
    desc.segment_parents = build->parents;
    desc.segment_joints = build->joints;
    desc.place_count = f->starts[index + 1] - f->starts[index];
    desc.places = f->places + f->starts[index];
    return desc;
}

// Rings are sphincters, of which the report has strips as of all others.
static sn_status fit_graph(const fitting *f, uint32_t index, const sn_muscle_fit_desc *desc,
                           sn_error *error) {
    sni_anatomy_build *build = f->build;
    sn_graph_fit_desc graph = sn_graph_fit_desc_default();
    sn_graph_fit *fit = NULL;
    graph.muscle = *desc;
    graph.finds_rings = true;
    sn_status status = sni_fit_graph(build->context, &graph, &f->trees, &fit, error);
    if (status == SN_OK && fit->strips == NULL) {
        status = sni_fit_muscle(build->context, desc, &f->trees, &fit->strips, error);
    }
    build->graphs[index] = fit;
    build->fits[index] = fit != NULL ? fit->strips : NULL;
    return status;
}

static sn_status fit_muscle(const fitting *f, uint32_t index, sn_error *error) {
    sni_anatomy_build *build = f->build;
    sn_muscle_fit_desc desc = describe(f, index);
    bool closed = false;
    sn_status status = SN_OK;
    if (build->fibres != NULL) {
        status = sni_fit_fibres(build->context, &desc, &f->trees, &build->fibres[index], error);
        build->fits[index] = build->fibres[index] != NULL ? build->fibres[index]->strips : NULL;
        return status;
    }
    if (build->graphs != NULL) {
        status = sni_mesh_is_closed(desc.mesh, &closed, error);
    }
    return status != SN_OK ? status
           : closed        ? fit_graph(f, index, &desc, error)
                    : sni_fit_muscle(build->context, &desc, &f->trees, &build->fits[index], error);
}

static void fit_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const fitting *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        f->statuses[i] = fit_muscle(f, i, &f->errors[i]);
    }
}

// What no muscle can be made of is left out, and told.
static sn_status take_outcome(fitting *f, uint32_t index, sn_error *error) {
    sn_status found = f->statuses[index];
    uint32_t part = f->build->muscles[index];
    if (found == SN_INVALID) {
        f->build->report->results[part].use = SN_PART_LEFT_OUT;
        return sni_anatomy_note(f->build, part, error, "%s", f->errors[index].message);
    }
    if (found == SN_OK && f->build->graphs != NULL && f->build->graphs[index] == NULL) {
        return sni_anatomy_note(f->build, part, error,
                                "its surface is open: a muscle on strips, of kind mesh");
    }
    if (found != SN_OK && error != NULL) {
        *error = f->errors[index];
    }
    return found;
}

sn_status sni_anatomy_fit_muscles(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = build->context;
    fitting f = {.build = build};
    SN_TRY(list_muscles(build, error));
    SN_TRY(sort_places(&f, error));
    SN_TRY(sni_bone_trees_init(&f.trees, context, build->bone_count, build->fit_bones, error));
    SNI_NEW_ZERO(context, f.statuses, build->muscle_count);
    SNI_NEW_ZERO(context, f.errors, build->muscle_count);
    SN_TRY(sni_parallel_rounds(context, build->muscle_count, 1, FIT_ROUND, fit_block, &f,
                               build->progress, "fitting muscles", error));
    for (uint32_t i = 0; i < build->muscle_count; ++i) {
        SN_TRY(take_outcome(&f, i, error));
    }
cleanup:
    sni_bone_trees_deinit(&f.trees);
    sni_free(context, f.starts);
    sni_free(context, f.places);
    sni_free(context, f.statuses);
    sni_free(context, f.errors);
    return status;
}
