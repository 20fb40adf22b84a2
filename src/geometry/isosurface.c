// SPDX-License-Identifier: Apache-2.0
#include "geometry/isosurface.h"

#include "geometry/isosurface_internal.h"

#include <math.h>

static const uint32_t desc_check = 0x1505u;

static sn_status check_desc(const sni_field *field, const sni_isosurface_desc *desc,
                            sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the description was not made by its default call");
    }
    if (!isfinite(desc->level)) {
        return sni_fail(error, SN_INVALID, "the level of the surface is %g, but must be finite",
                        desc->level);
    }
    if (!(desc->snap >= 0 && desc->snap <= 0.49)) {
        return sni_fail(error, SN_INVALID, "snapping is %g of an edge, but must be from 0 to 0.49",
                        desc->snap);
    }
    if (!(field->grid.spacing > 0) || !isfinite(field->grid.spacing) ||
        !sn_vec3_is_finite(field->grid.origin)) {
        return sni_fail(
            error, SN_INVALID,
            "the field's grid has a spacing of %g, but must be finite, with a spacing above 0",
            field->grid.spacing);
    }
    return SN_OK;
}

sn_status sni_isosurface_create(sn_context *context, const sni_field *field,
                                const sni_isosurface_desc *desc, const sn_progress *progress,
                                sni_isosurface **surface, sn_error *error) {
    sn_status status = SN_OK;
    sni_isosurface *made = NULL;
    *surface = NULL;
    SN_TRY(check_desc(field, desc, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    SN_TRY(sni_isosurface_march(made, field, desc, progress, error));
    SN_TRY(sni_isosurface_sort_pieces(made, desc->keep_largest, error));
    SN_TRY(sni_isosurface_refine(made, field, desc, progress, error));
    *surface = made;
    return SN_OK;
cleanup:
    sni_isosurface_destroy(made);
    return status;
}

sni_isosurface_desc sni_isosurface_desc_default(void) {
    return (sni_isosurface_desc){.check = desc_check,
                                 .lattice = SNI_LATTICE_CENTRED,
                                 .relax = 3,
                                 .project = true,
                                 .normals = true,
                                 .keep_largest = true};
}

void sni_isosurface_destroy(sni_isosurface *surface) {
    if (surface == NULL) {
        return;
    }
    sn_context *context = surface->context;
    sni_free(context, surface->points);
    sni_free(context, surface->normals);
    sni_free(context, surface->vertices);
    sni_free(context, surface->piece_volumes);
    sni_free(context, surface);
}

// ---------------------------------------------------------------------------------------------
// Bricks as a field

static void read_bricks(const void *user, const int32_t begin[3], const int32_t size[3],
                        double *values) {
    sni_bricks_read(user, begin, size, values);
}

static bool find_brick_range(const void *user, const uint32_t brick[3], double *low, double *high) {
    const sni_bricks *bricks = user;
    uint32_t index = sni_bricks_index(bricks, brick[0], brick[1], brick[2]);
    return sni_bricks_range(bricks, index, low, high);
}

sni_field sni_field_from_bricks(const sni_bricks *bricks) {
    return (sni_field){
        .grid = bricks->grid, .read = read_bricks, .range = find_brick_range, .user = bricks};
}
