// SPDX-License-Identifier: Apache-2.0
//
// The part of a character that a portrait frames.
#ifndef SINEW_RENDER_FOCUS_H
#define SINEW_RENDER_FOCUS_H

#include "base/memory.h"
#include "sinew/render.h"

// Points of surfaces.
typedef struct sni_focus {
    uint32_t count;
    uint32_t *surfaces, *vertices; // count
} sni_focus;

// The points of what is called `name`: all of a surface, or those of the surfaces `shown` that
// belong to a segment more than to any other one. They belong to the segment that carries the
// surface, or on which they have the largest weight, or whose bone is nearest at rest. Letters'
// case and what stands before a colon ("mixamorig:") need not be given. Fails with SN_INVALID where
// nothing has the name, suggesting a close one, and where nothing belongs to it.
sn_status sni_focus_init(const sn_model *model, const char *name, const uint32_t *shown,
                         uint32_t shown_count, sni_focus *focus, sn_error *error);
void sni_focus_deinit(sn_context *context, sni_focus *focus);

#endif
