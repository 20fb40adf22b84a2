// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "muscle/cover.h"
#include "muscle/fibre/lanes.h"
#include "muscle/graph/surface.h"

SNI_FORMS(sni_fibre_lanes_at_least);
SNI_FORMS(sni_fibre_lanes_field);
SNI_FORMS(sni_cover_find);
SNI_FORMS(sni_cover_excess);
SNI_FORMS(sni_cover_keep_volume);
SNI_FORMS(sni_cover_push);
SNI_FORMS(sni_cover_place);

float sni_fibre_lanes_at_least(sn_context *context, const sni_fibre_lanes *lanes,
                               const float box[6]) {
    return SNI_CHOSEN(context, sni_fibre_lanes_at_least)(context, lanes, box);
}

void sni_fibre_lanes_field(sn_context *context, const sni_fibre_lanes *lanes,
                           const sni_solid_places *places, sni_solid_distances *distances) {
    SNI_CHOSEN(context, sni_fibre_lanes_field)(context, lanes, places, distances);
}

void sni_cover_find(const sni_cover *cover, const float *table, float *points) {
    SNI_CHOSEN(cover->context, sni_cover_find)(cover, table, points);
}

double sni_cover_excess(const sni_cover *cover, const float *points) {
    return SNI_CHOSEN(cover->context, sni_cover_excess)(cover, points);
}

bool sni_cover_keep_volume(const sni_cover *cover, double slope, const float *one, const float *two,
                           float *points, double *factor, double *excess) {
    return SNI_CHOSEN(cover->context, sni_cover_keep_volume)(cover, slope, one, two, points, factor,
                                                             excess);
}

bool sni_cover_push(const sni_cover *cover, float *from, float *normals, float *points,
                    double *excess) {
    return SNI_CHOSEN(cover->context, sni_cover_push)(cover, from, normals, points, excess);
}

void sni_cover_place(const sni_cover *cover, const float *points, sn_vec3 shift, float *surface) {
    SNI_CHOSEN(cover->context, sni_cover_place)(cover, points, shift, surface);
}

SNI_FORMS(sni_graph_find_surface);
SNI_FORMS(sni_graph_find_volume);
SNI_FORMS(sni_graph_place_surface);

void sni_graph_find_surface(const sni_graph *graph, const float *table, float *a, float *b) {
    SNI_CHOSEN(graph->context, sni_graph_find_surface)(graph, table, a, b);
}

void sni_graph_find_volume(const sni_graph *graph, const float *a, const float *b,
                           sni_graph_cubic *volume) {
    SNI_CHOSEN(graph->context, sni_graph_find_volume)(graph, a, b, volume);
}

void sni_graph_place_surface(const sni_graph *graph, const float *a, const float *b, double factor,
                             sn_vec3 shift, float *surface) {
    SNI_CHOSEN(graph->context, sni_graph_place_surface)(graph, a, b, factor, shift, surface);
}
