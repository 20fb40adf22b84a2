// SPDX-License-Identifier: Apache-2.0
//
// What fitting a skeleton to a body starts from: its volume, sections of it at equal ways from a
// tip (a hand, a nose, a tail), and the joints that are found, which become a skeleton.
#ifndef SINEW_FIT_BIND_FIGURE_H
#define SINEW_FIT_BIND_FIGURE_H

#include "fit/bind/routes.h"
#include "sinew/fit.h"

typedef struct sni_figure {
    sn_context *context;
    sni_joined skin;
    sni_volume volume; // with links
    sn_vec3 low, high; // of the nodes inside
} sni_figure;

// Fails with SN_INVALID where there is no inside.
sn_status sni_figure_init(sn_context *context, uint32_t mesh_count, sn_mesh *const *meshes,
                          const sn_progress *progress, sni_figure *figure, sn_error *error);
void sni_figure_deinit(sni_figure *figure);

// Ways through the body from a point in it.
sn_status sni_figure_ways(const sni_figure *figure, sn_vec3 point, sni_routes *routes,
                          sn_error *error);

// Sections of the body at equal ways from a tip.
enum { SNI_SECTIONS = 256 };

typedef struct sni_sections {
    sn_vec3 tip;
    double spacing;              // of sections, metres
    double counts[SNI_SECTIONS]; // of nodes
    sn_vec3 sums[SNI_SECTIONS];  // of their places
} sni_sections;

// Nodes that `skip` (inner_count, may be NULL) is not 0 for do not count.
sn_status sni_sections_measure(const sni_figure *figure, sn_vec3 tip, const uint8_t *skip,
                               sni_sections *sections, sn_error *error);

// The middle of the body at some way from the tip, between those of two sections.
sn_vec3 sni_sections_centre(const sni_sections *sections, double way);

// A joint of a skeleton to be made. Parents come before their children.
enum { SNI_FITTED_NAME = 32 };

typedef struct sni_fitted_joint {
    char name[SNI_FITTED_NAME];
    uint32_t parent; // SN_NONE: a root
    sn_vec3 place;
} sni_fitted_joint;

sn_status sni_fitted_create(sn_context *context, uint32_t count, const sni_fitted_joint *joints,
                            sn_fitted_skeleton **fitted, sn_error *error);

// Those of the plans (upright.c, quadruped.c).
sn_status sni_fit_human(sn_context *context, const sn_fit_skeleton_desc *desc, uint32_t mesh_count,
                        sn_mesh *const *meshes, const sn_progress *progress,
                        sn_fitted_skeleton **fitted, sn_error *error);
sn_status sni_fit_quadruped(sn_context *context, const sn_fit_skeleton_desc *desc,
                            uint32_t mesh_count, sn_mesh *const *meshes,
                            const sn_progress *progress, sn_fitted_skeleton **fitted,
                            sn_error *error);

#endif
