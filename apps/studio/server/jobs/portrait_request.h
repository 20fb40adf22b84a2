// SPDX-License-Identifier: Apache-2.0
//
// What pictures and films show, as a request says it: from where, which layers, in which colours.
#ifndef SINEW_STUDIO_PORTRAIT_REQUEST_H
#define SINEW_STUDIO_PORTRAIT_REQUEST_H

#include "jobs/outfile.h"
#include "jobs/work.h"

#include "sinew/render.h"

typedef struct portrait_request {
    sn_portrait_desc desc;
    char *color; // what `desc` names stands here
    bool layers_given;
} portrait_request;

// {"view" or "azimuth" and "elevation", "target", "distance", "ground", "orthographic", "width",
// "height", "show", "opacity", "wireframe", "quality", "color"}. (Desk thread.)
sn_status portrait_request_take(portrait_request *portrait, const desk_request *request,
                                sn_error *error);

// Fits it, and the frame, to the model of the work. (The job's thread.)
void portrait_request_settle(portrait_request *portrait, work *w);

// What jobs that draw keep begins with this.
typedef struct portrait_work {
    work work;
    outfile file;
    portrait_request portrait;
} portrait_work;

// As work_kind has them: give the file its name, and free all of `user`.
sn_status portrait_work_done(desk *desk, sn_json *result, sn_value *object, void *user,
                             sn_error *error);
void portrait_work_drop(void *user);

#endif
