// SPDX-License-Identifier: Apache-2.0
//
// Materials of meshes while they are drawn.
#ifndef SINEW_RENDER_APPEARANCE_H
#define SINEW_RENDER_APPEARANCE_H

#include "render/texture.h"

// A place on a triangle of the drawn surface.
typedef struct sni_spot {
    const sn_triangles *triangles;
    uint32_t triangle;
    const double *barycentric; // 3
    const float *positions;    // of the surface
    double spacing;            // metres between samples there; 0: the image is not shrunk
} sni_spot;

typedef struct sni_coat {
    bool colored;     // the surface has a colour of its own there; else nothing below is set
    bool material;    // it comes from a material, not from the vertices alone
    sn_vec3 color;    // linear, 0 to 1
    double alpha;     // 1 unless the material blends
    bool cut;         // there is no surface: the material's mask
    double roughness; // of the material
    bool two_sided;
} sni_coat;

sni_coat sni_appearance_at(const sn_appearance *appearance, const sni_spot *spot);

const sn_mesh *sni_appearance_mesh(const sn_appearance *appearance);
// Whether some of it may be cut or see-through, so that rays have to ask.
bool sni_appearance_has_holes(const sn_appearance *appearance);
bool sni_appearance_blends(const sn_appearance *appearance);

#endif
