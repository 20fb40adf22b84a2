// SPDX-License-Identifier: Apache-2.0
//
// What pictures and films show, as a request says it: from where, which layers, in which colours.
#ifndef SINEW_STUDIO_PORTRAIT_REQUEST_H
#define SINEW_STUDIO_PORTRAIT_REQUEST_H

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

void portrait_request_free(portrait_request *portrait);

#endif
