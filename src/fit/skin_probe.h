// SPDX-License-Identifier: Apache-2.0
//
// A skin that rays are sent through: from inside out, through the surfaces that face along the
// ray. What faces against it is the inner side of a hollow: a mouth, an eye socket, a nostril.
#ifndef SINEW_FIT_SKIN_PROBE_H
#define SINEW_FIT_SKIN_PROBE_H

#include "base/memory.h"
#include "sinew/geometry.h"

typedef struct sni_skin_probe {
    const sn_mesh *mesh;
    sn_triangles *triangles;
    sn_accel *accel;
    double size; // diagonal of its box
} sni_skin_probe;

// Fails with SN_INVALID for a skin without triangles.
sn_status sni_skin_probe_init(sn_context *context, const sn_mesh *mesh, sni_skin_probe *probe,
                              sn_error *error);
void sni_skin_probe_deinit(sni_skin_probe *probe);

// Whether a hit counts. `user` is that of the call.
typedef bool sni_skin_accept(const sni_skin_probe *probe, const sn_hit *hit, void *user);

// A ray, and which of the places where it leaves the body counts.
typedef struct sni_skin_ray {
    sn_vec3 origin, direction; // of length 1
    double nearest, farthest;
    bool outermost;          // the last one, not the first
    sni_skin_accept *accept; // NULL: all count
    void *user;
} sni_skin_ray;

// Sends a ray. It leaves the body through triangles that face along it. False when there is none.
bool sni_skin_probe_cast(const sni_skin_probe *probe, const sni_skin_ray *ray, sn_hit *hit);

#endif
