// SPDX-License-Identifier: Apache-2.0
//
// Pictures as users ask for them: names of views, layers, quantities and qualities.
#ifndef SINEW_APPS_PORTRAIT_H
#define SINEW_APPS_PORTRAIT_H

#include "common/common.h"

// All return false for a name that they do not know.
bool app_portrait_quality(const char *name, sn_portrait_desc *desc);
bool app_portrait_view(const char *name, sn_portrait_desc *desc);
bool app_portrait_quantity(const char *name, sn_portrait_desc *desc);
// Shows a layer, given by `length` bytes: skin, muscles, tissues, bones, drivers.
bool app_portrait_layer(const char *name, size_t length, sn_portrait_desc *desc);
void app_portrait_hide_all(sn_portrait_desc *desc);

// How much of the skin is seen where nobody says: less of it where something shows inside.
double app_portrait_opacity(const sn_portrait_desc *desc);

#endif
