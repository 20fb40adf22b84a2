// SPDX-License-Identifier: Apache-2.0
//
// The legs that a body stands on: branches of its volume that go up from the ground until they
// meet.
#ifndef SINEW_FIT_BIND_LEGS_H
#define SINEW_FIT_BIND_LEGS_H

#include "fit/bind/figure.h"

enum { SNI_LEGS_MOST = 16 };

// A leg in one layer of the grid.
typedef struct sni_leg_layer {
    double count;
    sn_vec3 centre;
    sn_vec3 low, high;
} sni_leg_layer;

typedef struct sni_leg {
    uint32_t first, end; // layers from the sole to where it meets another leg or the trunk
    sn_vec3 centre;      // of all its nodes
} sni_leg;

typedef struct sni_legs {
    sn_context *context;
    const sni_figure *figure;
    uint32_t count; // of legs; those beyond SNI_LEGS_MOST are left out
    sni_leg legs[SNI_LEGS_MOST];
    uint8_t *owners;       // inner_count: 1 + number of the leg, 0: none
    uint32_t layer_count;  // of the grid, along y
    sni_leg_layer *layers; // SNI_LEGS_MOST x layer_count
} sni_legs;

sn_status sni_legs_init(const sni_figure *figure, sni_legs *legs, sn_error *error);
void sni_legs_deinit(sni_legs *legs);

// The layer of a height, and the height of a layer.
uint32_t sni_legs_layer(const sni_legs *legs, double y);
double sni_legs_height(const sni_legs *legs, uint32_t layer);

// A leg at some height; its highest layer above that, its lowest one below.
const sni_leg_layer *sni_legs_at(const sni_legs *legs, uint32_t leg, double y);

#endif
