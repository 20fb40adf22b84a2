// SPDX-License-Identifier: Apache-2.0
//
// The kernels of density grids and isosurfaces, by the processor.
#include "base/kernel.h"
#include "geometry/density.h"
#include "geometry/isosurface.h"

SNI_FORMS(sni_density_voxelize);
SNI_FORMS(sni_density_filter);
SNI_FORMS(sni_field_from_bricks);
SNI_FORMS(sni_isosurface_create);

sn_status sni_density_voxelize(sn_context *context, const sni_solid *solids, uint32_t count,
                               const sni_grid *grid, const sn_progress *progress,
                               sni_bricks **bricks, sn_error *error) {
    return SNI_CHOSEN(context, sni_density_voxelize)(context, solids, count, grid, progress, bricks,
                                                     error);
}

sn_status sni_density_filter(const sni_bricks *bricks, double sigma, const sn_progress *progress,
                             sni_bricks **filtered, sn_error *error) {
    return SNI_CHOSEN(bricks->context, sni_density_filter)(bricks, sigma, progress, filtered,
                                                           error);
}

sni_field sni_field_from_bricks(const sni_bricks *bricks) {
    return SNI_CHOSEN(bricks->context, sni_field_from_bricks)(bricks);
}

sn_status sni_isosurface_create(sn_context *context, const sni_field *field,
                                const sni_isosurface_desc *desc, const sn_progress *progress,
                                sni_isosurface **surface, sn_error *error) {
    return SNI_CHOSEN(context, sni_isosurface_create)(context, field, desc, progress, surface,
                                                      error);
}
