// SPDX-License-Identifier: Apache-2.0
//
// `sinew muscle --face` and `--propose`: sets of muscles, laid out on a skin.
#include "cli.h"

#include "sinew/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sn_status fail(sn_error *error, const char *source, const char *message, const char *name) {
    error->status = SN_INVALID;
    snprintf(error->message, sizeof error->message, message, name);
    snprintf(error->source, sizeof error->source, "%s", source);
    return SN_INVALID;
}

// The skin that --skin names, or the only one.
static sn_status find_skin(const cli_call *call, const sn_model *model, const sn_surface **skin,
                           sn_error *error) {
    const char *name = cli_value(call, "--skin", NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        bool is_skin = surface->layer == SN_LAYER_SKIN && !surface->in_segment_frame;
        if (is_skin && (name == NULL || strcmp(surface->name, name) == 0)) {
            *skin = surface;
            ++count;
        }
    }
    if (count == 1) {
        return SN_OK;
    }
    return count == 0 ? fail(error, call->arguments[0], "there is no skin %s",
                             name != NULL ? name : "to lay muscles out on")
                      : fail(error, call->arguments[0],
                             "the document has several skins; name one with %s", "--skin");
}

// ---------------------------------------------------------------------------------------------
// Features

// A place is [x, y, z], or the number of a vertex.
static bool read_place(const sn_mesh *mesh, const sn_value *value, sn_vec3 *place) {
    double vertex = sn_value_number(value, -1);
    if (vertex >= 0 && vertex < mesh->vertex_count && vertex == floor(vertex)) {
        *place = sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
        return true;
    }
    double p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = sn_value_number(sn_value_at(value, k), NAN);
    }
    *place = sn_vec3_make(p[0], p[1], p[2]);
    return sn_value_count(value) == 3 && sn_vec3_is_finite(*place);
}

static sn_status read_feature(const char *path, const sn_mesh *mesh, const char *name,
                              const sn_value *value, sn_face_layout_desc *desc,
                              sn_face_feature *features, sn_error *error) {
    sn_face_feature *feature = &features[desc->feature_count];
    feature->name = name;
    if (!read_place(mesh, value, &feature->position)) {
        return fail(error, path, "%s: expected [x, y, z] or the number of a vertex", name);
    }
    ++desc->feature_count;
    return SN_OK;
}

// {"features": {NAME: place, ...}} and, or, {"ibug68": [68 places]}.
static sn_status read_features(const char *path, const sn_json *file, const sn_mesh *mesh,
                               sn_face_layout_desc *desc, sn_face_feature *features,
                               sn_error *error) {
    const sn_value *named = sn_value_get(sn_json_root(file), "features");
    const sn_value *points = sn_value_get(sn_json_root(file), "ibug68");
    sn_status status = SN_OK;
    if (named == NULL && points == NULL) {
        return fail(error, path, "the key \"%s\" is missing", "features");
    }
    if (points != NULL && sn_value_count(points) != 68) {
        return fail(error, path, "%s", "ibug68: expected 68 places");
    }
    for (uint32_t i = 0; i < sn_value_count(named) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(named, i);
        status = read_feature(path, mesh, value->key, value, desc, features, error);
    }
    for (uint32_t i = 0; i < sn_value_count(points) && status == SN_OK; ++i) {
        const char *name = sn_face_feature_of_ibug(i);
        if (name != NULL && sn_value_get(named, name) == NULL) {
            status = read_feature(path, mesh, name, sn_value_at(points, i), desc, features, error);
        }
    }
    desc->features = features;
    return status;
}

static sn_status lay_out_face(const cli_call *call, cli_session *session, const sn_mesh *mesh,
                              sn_muscle_layout **layout, sn_error *error) {
    const char *path = cli_value(call, "--face", "");
    sn_face_layout_desc desc = sn_face_layout_desc_default();
    sn_json *file = NULL;
    sn_face_feature *features = NULL;
    desc.mesh = mesh;
    sn_status status = cli_read_json(session->context, path, &file, error);
    if (status == SN_OK) {
        uint32_t count = sn_value_count(sn_value_get(sn_json_root(file), "features"));
        features = calloc((size_t)count + 68, sizeof *features);
        status = features == NULL ? cli_fail_memory(error)
                                  : read_features(path, file, mesh, &desc, features, error);
    }
    if (status == SN_OK) {
        status = sn_face_layout_create(session->context, &desc, &session->progress.progress, layout,
                                       error);
        if (status == SN_INVALID && error->source[0] == 0) {
            snprintf(error->source, sizeof error->source, "%s", path);
        }
    }
    free(features);
    sn_json_destroy(file);
    return status;
}

static sn_status propose(cli_session *session, const sn_mesh *mesh, sn_muscle_layout **layout,
                         sn_error *error) {
    sn_propose_desc desc = sn_propose_desc_default();
    desc.mesh = mesh;
    desc.skeleton = sn_model_skeleton(session->model);
    return sn_muscles_propose(session->context, &desc, &session->progress.progress, layout, error);
}

// ---------------------------------------------------------------------------------------------

static void print_layout(const char *path, const sn_muscle_layout *layout) {
    printf("%s: %u muscles", path, layout->muscle_count);
    if (layout->expression_count > 0) {
        printf(", %u expressions", layout->expression_count);
    }
    printf("\n");
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        const sn_layout_muscle *muscle = &layout->muscles[i];
        printf("  %-28s", muscle->name);
        switch (muscle->driver) {
        case SN_LAYOUT_ANGLE:
            printf(" by %s from %g to %g", muscle->driver_parameter, muscle->driver_curve[0][0],
                   muscle->driver_curve[1][0]);
            break;
        case SN_LAYOUT_DISTANCE:
            printf(" by the distance from %s to %s", muscle->driver_segments[0],
                   muscle->driver_segments[1]);
            break;
        case SN_LAYOUT_FREE: printf(" %s", muscle->group != NULL ? muscle->group : ""); break;
        }
        printf("\n");
    }
    for (uint32_t i = 0; i < layout->expression_count; ++i) {
        printf("  %-28s %s\n", layout->expressions[i].name, layout->expressions[i].about);
    }
    for (uint32_t i = 0; i < layout->skip_count; ++i) {
        printf("  skipped %s: %s\n", layout->skips[i].name, layout->skips[i].reason);
    }
}

static sn_status edit(const cli_call *call, cli_session *session, const char *path,
                      sn_error *error) {
    const sn_surface *skin = NULL;
    sn_muscle_layout *layout = NULL;
    sn_model *model = NULL;
    const sn_progress *progress = &session->progress.progress;
    sn_status status = find_skin(call, session->model, &skin, error);
    if (status == SN_OK) {
        status = cli_has(call, "--face") ? lay_out_face(call, session, skin->mesh, &layout, error)
                                         : propose(session, skin->mesh, &layout, error);
    }
    if (status == SN_OK) {
        status = sn_character_add_layout(session->character, skin->name, layout, progress, error);
    }
    // Making the muscles tells whether they can be made, before anything is written.
    if (status == SN_OK) {
        status = sn_model_create(session->character, progress, &model, error);
    }
    cli_progress_end(&session->progress);
    if (status == SN_OK) {
        status = sn_character_save(session->character, path, error);
    }
    if (status == SN_OK) {
        print_layout(path, layout);
    }
    sn_model_destroy(model);
    sn_muscle_layout_destroy(layout);
    return status;
}

int cli_run_layout(const cli_call *call) {
    const char *from = call->arguments[0];
    const char *path = cli_value(call, "-o", cli_has_extension(from, ".json") ? from : NULL);
    if (cli_has(call, "--face") + cli_has(call, "--propose") + cli_has(call, "--curves") > 1) {
        return cli_wrong_usage(call, "takes one of --curves, --face and --propose");
    }
    if (path == NULL) {
        return cli_wrong_usage(call, "needs -o NEW.sinew.json, as %s is a model", from);
    }
    sn_error error = {0};
    cli_session session = {0};
    sn_status status = cli_session_open(call, from, &session, &error);
    if (status == SN_OK) {
        status = edit(call, &session, path, &error);
    }
    cli_session_close(&session);
    return cli_end(status, &error);
}
