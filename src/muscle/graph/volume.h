// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MUSCLE_GRAPH_VOLUME_H
#define SINEW_MUSCLE_GRAPH_VOLUME_H

#include "muscle/graph/surface.h"

// The factor with which the volume is within `tolerance` of `target`, as a part of that, from
// `start` on, and how many volumes were looked at for it.
double sni_graph_search_factor(const sni_graph_cubic *volume, double target, double start,
                               double tolerance, uint32_t *steps);

// The volume of a muscle at rest whose flesh is `ratio` times as long.
typedef void (*sni_graph_volume_fn)(const sni_graph *graph, double ratio, sni_graph_cubic *volume,
                                    void *user);

// Finds the keys of a muscle, and whether expansion points do anything for its volume.
sn_status sni_graph_make_keys(sni_graph *graph, sni_graph_volume_fn volume_at, void *user,
                              double tolerance, sn_error *error);

// The factor that the keys have for a length of the flesh.
double sni_graph_key_factor(const sni_graph *graph, double ratio);

// The factor that keeps the volume, near `start`. Where there is none, the nearest, and `kept` is
// false.
double sni_graph_keep_factor(const sni_graph *graph, const sni_graph_cubic *volume, double start,
                             bool *kept);

#endif
