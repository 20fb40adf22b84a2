// SPDX-License-Identifier: Apache-2.0
//
// Small pictures of poses, all from one side and at one scale: a job that draws the slot's model in
// each of them, beside what is shown. Where nobody says where to look to, the camera frames what
// the poses move.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "jobs/portrait_request.h"

#include "player/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POSES_LIMIT 1000
#define PIXELS 128       // of a side, where nobody says
#define PIXELS_LIMIT 512 // the job's result is a text

// Points that a pose moves by this part of the largest motion in it are framed.
static const double moved_part = 0.5;
// What is framed, times this, fills the picture.
static const double margin = 1;
// As sn_portrait_desc has it: 24 degrees from top to bottom.
static const double half_view = 12 * SN_PI / 180;

typedef struct poses_work {
    portrait_work base; // its work has no document: the model is the slot's
    desk_model held;
    sn_json *request; // a copy
    const sn_value *poses;
    sn_frame *frame;
    float **rest; // points of surfaces at rest; NULL: not framed
    sn_vec3 low, high;
} poses_work;

static sn_status set_pose(poses_work *w, const sn_value *pose, sn_error *error) {
    sn_frame_clear(w->frame);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(pose) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(pose, i);
        status = sn_frame_set(w->frame, value->key, sn_value_number(value, NAN), error);
    }
    return status == SN_OK ? sn_frame_evaluate(w->frame, NULL, 0, error) : status;
}

// ---------------------------------------------------------------------------------------------
// What the poses move

static bool is_framed(const sn_surface *surface) {
    return surface->layer == SN_LAYER_SKIN && surface->shown;
}

static sn_status keep_rest(poses_work *w, sn_error *error) {
    uint32_t count = sn_model_surface_count(w->held.model);
    w->rest = calloc((size_t)count + 1, sizeof *w->rest);
    sn_status status = w->rest != NULL ? set_pose(w, NULL, error) : app_fail_memory(error);
    for (uint32_t s = 0; s < count && status == SN_OK; ++s) {
        const sn_surface *surface = sn_model_surface(w->held.model, s);
        if (is_framed(surface)) {
            size_t bytes = (size_t)surface->mesh->vertex_count * 3 * sizeof(float);
            w->rest[s] = malloc(bytes + 1);
            if (w->rest[s] == NULL) {
                return app_fail_memory(error);
            }
            memcpy(w->rest[s], sn_frame_points(w->frame, s), bytes);
        }
    }
    return status;
}

static double moved(const float *a, const float *b) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void extend(poses_work *w, const float *p) {
    w->low = sn_vec3_min(w->low, sn_vec3_make(p[0], p[1], p[2]));
    w->high = sn_vec3_max(w->high, sn_vec3_make(p[0], p[1], p[2]));
}

static void frame_moved(poses_work *w) {
    double most = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t s = 0; s < sn_model_surface_count(w->held.model); ++s) {
            uint32_t count = sn_model_surface(w->held.model, s)->mesh->vertex_count;
            const float *points = sn_frame_points(w->frame, s), *rest = w->rest[s];
            for (uint32_t v = 0; rest != NULL && v < count; ++v) {
                double way = moved(points + 3 * v, rest + 3 * v);
                if (pass == 0) {
                    most = fmax(most, way);
                } else if (way > 0 && way >= moved_part * most) {
                    extend(w, rest + 3 * v);
                }
            }
        }
    }
}

// Of nothing that moves all is framed.
static void aim(poses_work *w) {
    sn_portrait_desc *desc = &w->base.portrait.desc;
    if (!(w->low.x <= w->high.x)) {
        return;
    }
    sn_vec3 size = sn_vec3_sub(w->high, w->low);
    double aspect = (double)desc->width / desc->height;
    // From any side of the body, which stands upright.
    double across = hypot(size.x * cos(desc->azimuth), size.z * sin(desc->azimuth));
    double depth = hypot(size.x * sin(desc->azimuth), size.z * cos(desc->azimuth));
    double half = margin * fmax(fmax(size.y, across / aspect) / 2, 1e-4);
    desc->aimed = true;
    desc->target = sn_vec3_scale(sn_vec3_add(w->low, w->high), 0.5);
    desc->distance = half / tan(half_view) + depth / 2;
}

static sn_status find_aim(poses_work *w, sn_error *error) {
    sn_status status = SN_OK;
    w->low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    w->high = sn_vec3_make(-INFINITY, -INFINITY, -INFINITY);
    SN_TRY(keep_rest(w, error));
    for (uint32_t i = 0; i < sn_value_count(w->poses); ++i) {
        SN_TRY(set_pose(w, sn_value_at(w->poses, i), error));
        frame_moved(w);
    }
    aim(w);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Pictures

// Bytes as text (RFC 4648, section 4), malloc'd.
static char *as_base64(const uint8_t *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *at = text;
    for (size_t i = 0; text != NULL && i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        *at++ = digits[three >> 18];
        *at++ = digits[three >> 12 & 63];
        *at++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[three & 63] : '=';
    }
    if (text != NULL) {
        *at = 0;
    }
    return text;
}

static sn_status draw(poses_work *w, sn_portrait *portrait, uint32_t number, sn_json *result,
                      sn_value *pictures, sn_error *error) {
    sn_image *image = NULL;
    char *text = NULL;
    sn_status status = SN_OK;
    SN_TRY(set_pose(w, sn_value_at(w->poses, number), error));
    SN_TRY(sn_portrait_draw(portrait, w->frame, NULL, NULL, &image, error));
    text = as_base64(image->pixels, (size_t)image->width * image->height * 3);
    if (text == NULL || sn_json_add_string(result, pictures, NULL, text) == NULL) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    free(text);
    sn_image_destroy(image);
    return status;
}

static sn_status draw_all(poses_work *w, desk_job *job, sn_json *result, sn_value *pictures,
                          sn_error *error) {
    const sn_progress *progress = desk_job_progress(job);
    sn_portrait *portrait = NULL;
    uint32_t count = sn_value_count(w->poses);
    sn_status status = SN_OK;
    SN_TRY(set_pose(w, NULL, error));
    SN_TRY(sn_portrait_create(w->held.model, &w->base.portrait.desc, &portrait, error));
    sn_portrait_include(portrait, w->frame);
    for (uint32_t i = 0; i < count; ++i) {
        if (!progress->report("drawing", (double)i / count, progress->user)) {
            SN_TRY(error->status = SN_CANCELLED);
        }
        SN_TRY(draw(w, portrait, i, result, pictures, error));
    }
cleanup:
    sn_portrait_destroy(portrait);
    return status;
}

static sn_status add_aim(const poses_work *w, sn_json *result, sn_value *object, sn_error *error) {
    const sn_portrait_desc *desc = &w->base.portrait.desc;
    bool added = sn_json_add_number(result, object, "width", desc->width) != NULL &&
                 sn_json_add_number(result, object, "height", desc->height) != NULL;
    if (added && desc->aimed) {
        sn_value *target = sn_json_add_array(result, object, "target");
        added = target != NULL &&
                sn_json_add_number(result, target, NULL, desc->target.x) != NULL &&
                sn_json_add_number(result, target, NULL, desc->target.y) != NULL &&
                sn_json_add_number(result, target, NULL, desc->target.z) != NULL &&
                sn_json_add_number(result, object, "distance", desc->distance) != NULL;
    }
    return added ? SN_OK : app_fail_memory(error);
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    poses_work *w = user;
    sn_status status = SN_OK;
    SN_TRY(sn_frame_create_unevaluated(w->held.model, &w->frame, error));
    sn_frame_show_only(w->frame, true);
    if (!w->base.portrait.desc.aimed) {
        SN_TRY(find_aim(w, error));
    }
    SN_TRY(add_aim(w, result, object, error));
    sn_value *pictures = sn_json_add_array(result, object, "pictures");
    SN_TRY(pictures != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(draw_all(w, job, result, pictures, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status check_poses(const sn_value *poses, sn_error *error) {
    uint32_t count = sn_value_count(poses);
    if (poses == NULL || poses->type != SN_JSON_ARRAY || count == 0 || count > POSES_LIMIT) {
        return desk_fail(error, SN_INVALID, "poses", "`poses` is a list of 1 to %d poses",
                         POSES_LIMIT);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *pose = sn_value_at(poses, i);
        bool good = pose->type == SN_JSON_OBJECT;
        for (uint32_t k = 0; good && k < sn_value_count(pose); ++k) {
            good = sn_value_at(pose, k)->type == SN_JSON_NUMBER;
        }
        if (!good) {
            return desk_fail(error, SN_INVALID, "poses", "pose %u is not {NAME: number, ...}", i);
        }
    }
    return SN_OK;
}

static sn_status take_size(const desk_request *request, sn_portrait_desc *desc, sn_error *error) {
    desc->width = sn_value_get(request->args, "width") != NULL ? desc->width : PIXELS;
    desc->height = sn_value_get(request->args, "height") != NULL ? desc->height : PIXELS;
    bool small = desc->width <= PIXELS_LIMIT && desc->height <= PIXELS_LIMIT;
    return small ? SN_OK
                 : desk_fail(error, SN_INVALID, "width",
                             "pictures of poses have at most %d x %d pixels, not %u x %u",
                             PIXELS_LIMIT, PIXELS_LIMIT, desc->width, desc->height);
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    poses_work *w = user;
    const sn_value *poses = sn_value_get(request->args, "poses");
    desk_slot *slot = NULL;
    w->base.work.desk = desk;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    SN_TRY(portrait_request_take(&w->base.portrait, request, error));
    SN_TRY(take_size(request, &w->base.portrait.desc, error));
    SN_TRY(check_poses(poses, error));
    SN_TRY(sn_json_create(desk_context(desk), &w->request, error));
    w->poses = sn_json_add_copy(w->request, sn_json_root(w->request), "poses", poses);
    SN_TRY(w->poses != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(desk_hold_model(desk, slot->index, &w->held, error));
cleanup:
    return status;
}

static void drop(void *user) {
    poses_work *w = user;
    uint32_t count = w->rest != NULL ? sn_model_surface_count(w->held.model) : 0;
    for (uint32_t s = 0; s < count; ++s) {
        free(w->rest[s]);
    }
    free(w->rest);
    sn_frame_destroy(w->frame);
    if (w->held.stage != NULL) {
        desk_let_model_go(&w->held);
    }
    sn_json_destroy(w->request);
    portrait_work_drop(w);
}

// {"slot", "poses": [{NAME: number}]} and those of portrait_request.h
sn_status command_pose_pictures(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                                sn_error *error) {
    static const work_kind kind = {.title = "Pictures of poses",
                                   .quiet = true,
                                   .bytes = sizeof(poses_work),
                                   .take = take,
                                   .run = run,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
