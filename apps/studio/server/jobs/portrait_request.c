// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "jobs/portrait_request.h"

#include "files/files.h"

#include "common/character.h"
#include "common/portrait.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sn_status take_number(const desk_request *request, const char *key, double low, double high,
                             double *number, sn_error *error) {
    return sn_value_get(request->args, key) == NULL
               ? SN_OK
               : desk_argument_number(request, key, low, high, number, error);
}

// Where the camera looks to: [x, y, z].
static sn_status take_target(const sn_value *value, sn_portrait_desc *desc, sn_error *error) {
    double p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = sn_value_number(sn_value_at(value, k), NAN);
    }
    desc->target = sn_vec3_make(p[0], p[1], p[2]);
    return sn_value_count(value) == 3 && sn_vec3_is_finite(desc->target)
               ? SN_OK
               : desk_fail(error, SN_INVALID, "target", "`target` is [x, y, z]");
}

// Without a target everything is framed.
static sn_status take_aim(sn_portrait_desc *desc, const desk_request *request, sn_error *error) {
    const sn_value *target = sn_value_get(request->args, "target");
    desc->orthographic = files_flag(request, "orthographic", false);
    desc->grounded = sn_value_get(request->args, "ground") != NULL;
    sn_status status = take_number(request, "ground", -1e9, 1e9, &desc->ground, error);
    if (status != SN_OK || target == NULL) {
        return status;
    }
    desc->aimed = true;
    status = take_target(target, desc, error);
    return status == SN_OK
               ? desk_argument_number(request, "distance", 1e-6, 1e9, &desc->distance, error)
               : status;
}

static sn_status take_camera(sn_portrait_desc *desc, const desk_request *request, sn_error *error) {
    const char *view = sn_value_string(sn_value_get(request->args, "view"), "three-quarter");
    if (!app_portrait_view(view, desc)) {
        return desk_fail(error, SN_INVALID, "view",
                         "`view` is front, back, left, right, top or three-quarter, not \"%s\"",
                         view);
    }
    double azimuth = desc->azimuth * 180 / SN_PI, elevation = desc->elevation * 180 / SN_PI;
    double width = desc->width, height = desc->height;
    sn_status status = SN_OK;
    SN_TRY(take_number(request, "azimuth", -360, 360, &azimuth, error));
    SN_TRY(take_number(request, "elevation", -90, 90, &elevation, error));
    SN_TRY(take_number(request, "width", 16, 16384, &width, error));
    SN_TRY(take_number(request, "height", 16, 16384, &height, error));
    desc->azimuth = azimuth * SN_PI / 180;
    desc->elevation = elevation * SN_PI / 180;
    desc->width = (uint32_t)width;
    desc->height = (uint32_t)height;
    SN_TRY(take_aim(desc, request, error));
cleanup:
    return status;
}

// A number for the skin, or one for each layer by its name.
static sn_status take_opacity(sn_portrait_desc *desc, const desk_request *request,
                              sn_error *error) {
    const struct {
        const char *name;
        double *opacity;
    } layers[] = {{"skin", &desc->skin_opacity},
                  {"muscles", &desc->muscle_opacity},
                  {"tissues", &desc->tissue_opacity},
                  {"bones", &desc->bone_opacity},
                  {"drivers", &desc->driver_opacity}};
    const sn_value *given = sn_value_get(request->args, "opacity");
    bool each = given != NULL && given->type == SN_JSON_OBJECT;
    for (size_t i = 0; i < (each ? sizeof layers / sizeof *layers : 1); ++i) {
        const sn_value *value = each ? sn_value_get(given, layers[i].name) : given;
        double number = value != NULL ? sn_value_number(value, NAN) : *layers[i].opacity;
        if (!(number >= 0 && number <= 1)) {
            return desk_fail(error, SN_INVALID, "opacity",
                             "`opacity` must be a number from 0 to 1, or such numbers for skin, "
                             "muscles, tissues, bones and drivers");
        }
        *layers[i].opacity = number;
    }
    return SN_OK;
}

static sn_status take_layers(portrait_request *p, const desk_request *request, sn_error *error) {
    const char **names = NULL;
    uint32_t count = 0;
    sn_status status = SN_OK;
    SN_TRY(work_names(request, "show", &names, &count, error));
    app_portrait_hide_all(&p->desc);
    p->layers_given = count > 0;
    p->desc.skin = count == 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!app_portrait_layer(names[i], strlen(names[i]), &p->desc)) {
            SN_TRY(desk_fail(error, SN_INVALID, "show",
                             "`show` takes skin, muscles, tissues, bones and drivers, not \"%s\"",
                             names[i]));
        }
    }
    p->desc.skin_opacity = app_portrait_opacity(&p->desc);
    SN_TRY(take_opacity(&p->desc, request, error));
cleanup:
    free(names);
    return status;
}

static sn_status take_color(portrait_request *p, const char *color, sn_error *error) {
    p->color = strdup(color);
    if (p->color == NULL) {
        return app_fail_memory(error);
    }
    return app_portrait_quantity(p->color, &p->desc)
               ? SN_OK
               : desk_fail(
                     error, SN_INVALID, "color",
                     "`color` is stretch, largest-stretch, component, depth, contact, "
                     "weights:SEGMENT, weights:N, shortening, activation or volume, not \"%s\"",
                     color);
}

static sn_status take_looks(portrait_request *p, const desk_request *request, sn_error *error) {
    const char *quality = sn_value_string(sn_value_get(request->args, "quality"), "normal");
    const char *color = sn_value_string(sn_value_get(request->args, "color"), NULL);
    const sn_value *wireframe = sn_value_get(request->args, "wireframe");
    p->desc.wireframe_all = strcmp(sn_value_string(wireframe, ""), "all") == 0;
    p->desc.materials = sn_value_bool(sn_value_get(request->args, "materials"), true);
    p->desc.wireframe = p->desc.wireframe_all || sn_value_bool(wireframe, false);
    if (!app_portrait_quality(quality, &p->desc)) {
        return desk_fail(error, SN_INVALID, "quality",
                         "`quality` is draft, normal or high, not \"%s\"", quality);
    }
    return color != NULL ? take_color(p, color, error) : SN_OK;
}

sn_status portrait_request_take(portrait_request *portrait, const desk_request *request,
                                sn_error *error) {
    *portrait = (portrait_request){.desc = sn_portrait_desc_default()};
    sn_status status = SN_OK;
    SN_TRY(take_camera(&portrait->desc, request, error));
    SN_TRY(take_layers(portrait, request, error));
    SN_TRY(take_looks(portrait, request, error));
cleanup:
    return status;
}

void portrait_request_settle(portrait_request *portrait, work *w) {
    sn_portrait_desc *desc = &portrait->desc;
    if (!portrait->layers_given && app_count_shown(w->model, SN_LAYER_SKIN) == 0) {
        desc->muscles = desc->tissues = desc->bones = true;
    }
    sn_frame_show_only(w->frame, !desc->drivers);
}

sn_status portrait_work_done(desk *desk, sn_json *result, sn_value *object, void *user,
                             sn_error *error) {
    (void)desk;
    (void)result;
    (void)object;
    return outfile_keep(&((portrait_work *)user)->file, error);
}

void portrait_work_drop(void *user) {
    portrait_work *w = user;
    work_free(&w->work);
    outfile_free(&w->file);
    free(w->portrait.color);
    free(w);
}
