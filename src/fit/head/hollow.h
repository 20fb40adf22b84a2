// SPDX-License-Identifier: Apache-2.0
//
// Hollows of bones: sockets of eyes, the opening of the nose, the pits of the temples. Skin bridges
// them, so that its distance from the bone says nothing there.
#ifndef SINEW_FIT_HEAD_HOLLOW_H
#define SINEW_FIT_HEAD_HOLLOW_H

#include "base/memory.h"
#include "sinew/geometry.h"

// How far each point lies below what a ball of `radius` metres can touch that rolls around the
// surface from outside: 0 where it can touch the point itself.
sn_status sni_find_hollows(sn_context *context, const sn_accel *surface, double radius,
                           uint32_t count, const sn_vec3 *points, double *hollows, sn_error *error);

#endif
