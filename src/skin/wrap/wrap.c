// SPDX-License-Identifier: Apache-2.0
#include "skin/wrap/wrap.h"

#include "base/context.h"
#include "skin/combine.h"
#include "skin/skin.h"
#include "skin/wrap/file.h"

#include <string.h>

#define WRAP_DESC_CHECK 0x77726170u

// Defaults and ranges are those of the deformer.
sn_wrap_desc sn_wrap_desc_default(void) {
    double values[SNI_WRAP_PARAMETER_COUNT];
    sni_parameters_defaults(&sni_deformer_wrap.parameters, values);
    return (sn_wrap_desc){.check = WRAP_DESC_CHECK,
                          .local = values[SNI_WRAP_PARAMETER_LOCAL],
                          .unit = values[SNI_WRAP_PARAMETER_UNIT],
                          .extended = values[SNI_WRAP_PARAMETER_EXTENDED] != 0,
                          .reach = values[SNI_WRAP_PARAMETER_REACH],
                          .cut = values[SNI_WRAP_PARAMETER_CUT],
                          .elements = (uint32_t)values[SNI_WRAP_PARAMETER_ELEMENTS]};
}

sn_status sni_wrap_settings_validate(const sni_wrap_settings *settings, sn_error *error) {
    const double values[SNI_WRAP_PARAMETER_COUNT] = {
        [SNI_WRAP_PARAMETER_LOCAL] = settings->local,
        [SNI_WRAP_PARAMETER_UNIT] = settings->unit,
        [SNI_WRAP_PARAMETER_EXTENDED] = settings->extended,
        [SNI_WRAP_PARAMETER_REACH] = settings->reach,
        [SNI_WRAP_PARAMETER_CUT] = settings->cut,
        [SNI_WRAP_PARAMETER_ELEMENTS] = settings->elements,
        [SNI_WRAP_PARAMETER_ENVELOPE] = 1};
    return sni_parameters_validate(&sni_deformer_wrap.parameters, "wrap", values, error);
}

// Says what the limit on elements has cost.
static void warn_limited(const sn_wrap *wrap) {
    if (wrap->report.limited > 0) {
        sni_log(wrap->context, SN_LOG_WARNING, "skin",
                "wrap: %u of %u points of \"%s\" lose more than %g of their weight (at most %.2g), "
                "since more than %u elements of \"%s\" are near them",
                wrap->report.limited, wrap->mesh->vertex_count, wrap->mesh->name,
                wrap->settings.cut, wrap->report.largest_loss, wrap->settings.elements,
                wrap->driver->name);
    }
}

// Elements of a patch are its samples; their own frames scale space where that is asked for.
static sn_status make_patch(sn_wrap *wrap, const sn_wrap_patch *desc, uint32_t set_count,
                            sn_error *error) {
    if (set_count > 0) {
        return sni_fail(error, SN_INVALID,
                        "wrap: sets are of faces, but the driver \"%s\" is a patch",
                        wrap->driver->name);
    }
    sn_status status = sni_wrap_patch_init(wrap->context, desc, wrap->driver,
                                           wrap->settings.extended, &wrap->patch, error);
    wrap->settings.extended = false;
    wrap->frames.count = wrap->frames.triangle_count = wrap->patch.count;
    return status;
}

sn_status sni_wrap_create(sn_context *context, const sn_mesh *mesh, const sn_mesh *driver,
                          const sni_wrap_settings *settings, const sn_wrap_set *sets,
                          uint32_t set_count, const sn_wrap_patch *patch, const float *frame_points,
                          const sn_progress *progress, sn_wrap **wrap, sn_error *error) {
    SN_ASSERT(mesh != NULL && driver != NULL);
    SN_ASSERT(set_count == 0 || sets != NULL);
    sn_status status = SN_OK;
    sni_wrap_surface surface = {0};
    sni_wrap_rows rows = {0};
    sn_wrap *made = NULL;
    *wrap = NULL;
    SNI_NEW_ZERO(context, made, 1);
    *made = (sn_wrap){.context = context, .mesh = mesh, .driver = driver, .settings = *settings};
    if (frame_points != NULL && (!settings->extended || patch != NULL)) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "wrap: frame points are for extended wraps on a mesh alone"));
    }
    if (patch != NULL) {
        SN_TRY(make_patch(made, patch, set_count, error));
    }
    SN_TRY(sni_wrap_surface_init(context, sni_wrap_elements(made), &surface, error));
    if (made->settings.unit == 0) {
        made->settings.unit = (patch != NULL ? made->patch.span : surface.mean_edge) / 2;
    }
    if (patch == NULL) {
        SN_TRY(sni_wrap_frames_init(context, &surface, settings->extended, &made->frames, error));
    }
    if (frame_points != NULL) {
        SN_TRY(sni_wrap_frames_set_points(context, &made->frames, frame_points, error));
    }
    SN_TRY(sni_wrap_edits_init(context, sets, set_count, mesh->vertex_count, driver->face_count,
                               surface.triangles, &made->edits, error));
    SN_TRY(sni_wrap_register(&surface, &made->settings, &made->edits, mesh->vertex_count,
                             mesh->positions, progress, &rows, &made->report, error));
    SN_TRY(sni_sparse_blend_init_rows(context, mesh->vertex_count, made->frames.count, rows.rows,
                                      &made->weights, NULL, error));
    warn_limited(made);
    *wrap = made;
    made = NULL;
cleanup:
    sni_wrap_rows_deinit(context, &rows);
    sni_wrap_surface_deinit(&surface);
    sn_wrap_destroy(made);
    return status;
}

sn_status sn_wrap_bind(const sn_mesh *mesh, const sn_mesh *driver, const sn_wrap_desc *desc,
                       const sn_progress *progress, sn_wrap **wrap, sn_error *error) {
    sn_status status = SN_OK;
    *wrap = NULL;
    sni_wrap_settings settings = {.local = desc->local,
                                  .unit = desc->unit,
                                  .reach = desc->reach,
                                  .cut = desc->cut,
                                  .elements = desc->elements,
                                  .extended = desc->extended};
    if (desc->check != WRAP_DESC_CHECK) {
        return sni_fail(error, SN_INVALID, "wrap: the desc does not come from its default");
    }
    SN_TRY(sni_wrap_settings_validate(&settings, error));
    SN_TRY(sn_mesh_validate(mesh, error));
    SN_TRY(sn_mesh_validate(driver, error));
    SN_TRY(sni_wrap_create(mesh->context, mesh, driver, &settings, desc->sets, desc->set_count,
                           desc->patch, desc->frame_points, progress, wrap, error));
cleanup:
    return status;
}

void sn_wrap_destroy(sn_wrap *wrap) {
    if (wrap == NULL) {
        return;
    }
    sni_wrap_frames_deinit(wrap->context, &wrap->frames);
    sni_wrap_patch_deinit(wrap->context, &wrap->patch);
    sni_sparse_blend_deinit(wrap->context, &wrap->weights);
    sni_wrap_edits_deinit(wrap->context, &wrap->edits);
    sni_free(wrap->context, wrap);
}

// ---------------------------------------------------------------------------------------------
// Deforming

void sni_wrap_run(sn_context *context, const sn_wrap *wrap, const float *driver_points,
                  const float *frame_points, double factor, float *matrices, const float *points_in,
                  float *points_out) {
    SN_ASSERT(points_in != NULL && points_out != NULL);
    SN_ASSERT(matrices != NULL);
    if (wrap->patch.count > 0) {
        sni_wrap_patch_run(context, &wrap->patch, driver_points, factor, matrices);
    } else {
        sni_wrap_frames_run(context, &wrap->frames, driver_points, frame_points, factor, matrices);
    }
    sni_blend_job job = {.blend = &wrap->weights,
                         .matrices = matrices,
                         .points_in = points_in,
                         .points_out = points_out};
    sni_sparse_blend_run(context, &job);
}

sn_status sn_wrap_deform(const sn_wrap *wrap, const float *driver_points, const float *frame_points,
                         const float *points_in, float *points_out, sn_error *error) {
    sn_status status = SN_OK;
    float *matrices = NULL;
    if (frame_points != NULL && !wrap->settings.extended) {
        return sni_fail(error, SN_INVALID, "wrap: frame points, but it was not bound as extended");
    }
    for (size_t i = 0; i < 3 * (size_t)wrap->driver->vertex_count; ++i) {
        if (!isfinite(driver_points[i])) {
            return sni_fail(error, SN_INVALID, "wrap: vertex %zu of the driver is at %g", i / 3,
                            driver_points[i]);
        }
    }
    SNI_NEW(wrap->context, matrices, (size_t)wrap->frames.count * SNI_BLEND_MATRIX);
    sni_wrap_run(wrap->context, wrap, driver_points, frame_points, 1, matrices, points_in,
                 points_out);
cleanup:
    sni_free(wrap->context, matrices);
    return status;
}

sn_status sn_wrap_combine(sn_context *context, sn_wrap_combination combination,
                          uint32_t vertex_count, const float *points_in, uint32_t count,
                          const float *const *posed, const double *weights, float *points_out,
                          sn_error *error) {
    sn_status status = SN_OK;
    sni_combined *items = NULL;
    SNI_NEW(context, items, count);
    for (uint32_t i = 0; i < count; ++i) {
        items[i] = (sni_combined){.points = posed[i], .weight = weights != NULL ? weights[i] : 1};
        if (!(items[i].weight >= 0 && items[i].weight <= 1)) {
            SN_TRY(sni_fail(error, SN_INVALID, "wrap: weight %u is %g, but must be from 0 to 1", i,
                            items[i].weight));
        }
    }
    if (count > 0) {
        sni_combine_points(context, &(sni_combine_job){.mode = combination,
                                                       .vertex_count = vertex_count,
                                                       .count = count,
                                                       .items = items,
                                                       .points_in = points_in,
                                                       .points_out = points_out});
    }
cleanup:
    sni_free(context, items);
    return status;
}

void sn_wrap_frame_points(const sn_wrap *wrap, float *frame_points) {
    sni_wrap_frame_points(&wrap->frames, frame_points);
}

size_t sni_wrap_bytes(const sn_wrap *wrap) {
    return sizeof *wrap +
           (wrap->patch.count > 0 ? sni_wrap_patch_bytes(&wrap->patch)
                                  : sni_wrap_frames_bytes(&wrap->frames)) +
           sni_sparse_blend_bytes(&wrap->weights) +
           (wrap->edits.count > 0
                ? wrap->mesh->vertex_count + (size_t)wrap->edits.count * wrap->edits.element_count
                : 0);
}

void sn_wrap_summarize(const sn_wrap *wrap, sn_wrap_summary *summary) {
    uint32_t points = wrap->mesh->vertex_count;
    *summary = (sn_wrap_summary){
        .local = wrap->settings.local,
        .unit = wrap->settings.unit,
        .reach = wrap->settings.reach,
        .extended = wrap->settings.extended || wrap->patch.scales,
        .elements = wrap->settings.elements,
        .triangle_count = wrap->frames.triangle_count,
        .mean_elements = points > 0 ? (double)wrap->report.elements / points : 0,
        .most_elements = wrap->report.widest,
        .largest_loss = wrap->report.largest_loss,
        .limited_points = wrap->report.limited,
        .bytes = sni_wrap_bytes(wrap),
    };
    for (uint32_t i = 0; wrap->edits.count > 0 && i < points; ++i) {
        summary->edited_points += wrap->edits.points[i] > 0;
    }
}

sn_status sn_wrap_save(const sn_wrap *wrap, const char *path, sn_error *error) {
    if (wrap->patch.count > 0) {
        return sni_fail(error, SN_UNSUPPORTED,
                        "wrap: a binding to a patch cannot be kept in a file");
    }
    if (wrap->frames.arms != NULL) {
        return sni_fail(error, SN_UNSUPPORTED,
                        "wrap: a binding with frame points of its own cannot be kept in a file");
    }
    return sni_wrap_file_save(wrap, path, error);
}

static sn_status load(const sn_mesh *mesh, const sn_mesh *driver, const char *path, bool moved,
                      sn_wrap **wrap, sn_error *error) {
    sn_status status = SN_OK;
    *wrap = NULL;
    SN_TRY(sn_mesh_validate(mesh, error));
    SN_TRY(sn_mesh_validate(driver, error));
    SN_TRY(sni_wrap_file_load(mesh->context, mesh, driver, path, moved, wrap, error));
cleanup:
    return status;
}

sn_status sn_wrap_load(const sn_mesh *mesh, const sn_mesh *driver, const char *path, sn_wrap **wrap,
                       sn_error *error) {
    return load(mesh, driver, path, false, wrap, error);
}

sn_status sn_wrap_load_moved(const sn_mesh *mesh, const sn_mesh *driver, const char *path,
                             sn_wrap **wrap, sn_error *error) {
    return load(mesh, driver, path, true, wrap, error);
}
