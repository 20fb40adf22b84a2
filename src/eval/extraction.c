// SPDX-License-Identifier: Apache-2.0
//
// Skins that are extracted from the bones, tissues and muscles of a model at rest: on request, and
// for a mesh of a document that says so.
#include "eval/model.h"

#include "character/schema/schema.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sn_model_extract_desc sn_model_extract_desc_default(void) {
    return (sn_model_extract_desc){.grid = sn_extract_desc_default()};
}

// What a skin is extracted from, as it is found.
typedef struct collection {
    const sni_rest *rest;
    const sn_model_extract_desc *desc;
    sn_extract_part *parts;
    uint32_t *surfaces; // of the parts
    uint32_t count;
} collection;

static void tell(const collection *c, sn_log_level level, const char *format, ...) SN_PRINTF(3, 4);

static void tell(const collection *c, sn_log_level level, const char *format, ...) {
    char line[1400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (c->desc->tell != NULL) {
        c->desc->tell(level, "extract", line, c->desc->tell_user);
    } else {
        sni_log(c->rest->context, level, "extract", "%s", line);
    }
}

static sn_extract_part part_of(const sni_rest *rest, uint32_t index) {
    const sn_surface *surface = &rest->surfaces[index];
    return (sn_extract_part){.name = surface->name,
                             .mesh = surface->mesh,
                             .ellipsoid = surface->ellipsoid,
                             .place =
                                 surface->in_segment_frame ? &rest->worlds[surface->segment] : NULL,
                             .density = surface->layer == SN_LAYER_TISSUE ? surface->density : 1};
}

// Takes a surface as a part; one that is open and not asked for is left out.
static sn_status take(collection *c, uint32_t index, bool asked_for, sn_error *error) {
    sn_error reason = {0};
    sn_extract_part part = part_of(c->rest, index);
    sn_status status = sn_extract_check(c->rest->context, &part, &reason);
    if (status == SN_OK) {
        c->surfaces[c->count] = index;
        c->parts[c->count++] = part;
    } else if (status == SN_INVALID && !asked_for) {
        bool muscle = c->rest->surfaces[index].layer == SN_LAYER_MUSCLE; // patches are open
        tell(c, muscle ? SN_LOG_INFO : SN_LOG_WARNING, "left out \"%s\": %s", part.name,
             reason.message);
        status = SN_OK;
    } else if (error != NULL && error->status == SN_OK) {
        *error = reason;
    }
    return status;
}

// `failed` is the place in the list of what was asked for and cannot be taken.
static sn_status collect(collection *c, uint32_t *failed, sn_error *error) {
    const sn_model_extract_desc *desc = c->desc;
    sn_status status = SN_OK;
    for (uint32_t i = 0; desc->surfaces != NULL && i < desc->surface_count; ++i) {
        *failed = i;
        SN_ASSERT(desc->surfaces[i] < c->rest->surface_count);
        if (!sni_rest_is_part(c->rest, desc->surfaces[i])) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "no skin is extracted from skins, features, and muscles that need an "
                            "extracted skin themselves"));
        }
        SN_TRY(take(c, desc->surfaces[i], true, error));
    }
    *failed = SN_NONE;
    for (uint32_t i = 0; desc->surfaces == NULL && i < c->rest->surface_count; ++i) {
        if (sni_rest_is_part(c->rest, i)) {
            SN_TRY(take(c, i, false, error));
        }
    }
    if (c->count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is no closed bone, tissue or muscle"));
    }
cleanup:
    return status;
}

static void tell_losses(const collection *c, const sn_extract_report *report) {
    if (report->mended_count > 0) {
        tell(c, SN_LOG_INFO, "%u %s not closed, such as \"%s\": %s filled as if holes were covered",
             report->mended_count, report->mended_count > 1 ? "parts are" : "part is",
             c->parts[report->mended_part].name, report->mended_count > 1 ? "they are" : "it is");
    }
    if (report->piece_count > 1) {
        tell(c, SN_LOG_WARNING, "of %u pieces the largest is kept: %.1f %% of the volume",
             report->piece_count, 100 * report->kept_volume / report->volume);
    }
    if (report->hole_count > 0) {
        tell(c, SN_LOG_INFO, "%u hole%s through the body %s closed", report->hole_count,
             report->hole_count > 1 ? "s" : "", report->hole_count > 1 ? "are" : "is");
    }
    if (report->thin_count > 0) {
        tell(c, SN_LOG_WARNING,
             "%u %s too thin for the grid and melt%s away, such as \"%s\": raise the dimension or "
             "lower the threshold",
             report->thin_count, report->thin_count > 1 ? "parts are" : "part is",
             report->thin_count > 1 ? "" : "s", c->parts[report->thin_part].name);
    }
}

// Those of the parts that carry skin.
static uint32_t keep_carriers(collection *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->parts[i].density > 0) {
            c->surfaces[count++] = c->surfaces[i];
        }
    }
    return count;
}

static void tell_turned(const collection *c, uint32_t turned) {
    if (turned > 0) {
        tell(c, SN_LOG_WARNING,
             "%u %s turned over on the way back from the enlarged segments: enlarge less, or their "
             "neighbours too",
             turned, turned > 1 ? "triangles are" : "triangle is");
    }
}

// Extracts from `made_for`, and puts the skin onto `body` where that is another.
static sn_status extract_from(sni_rest *made_for, sni_rest *body, const sn_model_extract_desc *desc,
                              const sn_progress *progress, sn_mesh **skin,
                              sn_extract_report *report, uint32_t *failed, sn_error *error) {
    collection c = {.rest = made_for, .desc = desc};
    sn_extract_desc grid = desc->grid;
    size_t most = desc->surfaces != NULL ? desc->surface_count : made_for->surface_count;
    sn_status status = SN_OK;
    SN_TRY(sni_rest_make_parts(made_for, progress, error));
    SN_TRY(sni_rest_make_parts(body, progress, error));
    SNI_NEW(made_for->context, c.parts, most);
    SNI_NEW(made_for->context, c.surfaces, most);
    SN_TRY(collect(&c, failed, error));
    grid.parts = c.parts;
    grid.part_count = c.count;
    SN_TRY(sn_extract_skin(made_for->context, &grid, progress, skin, report, error));
    tell_losses(&c, report);
    if (body != made_for) {
        SN_TRY(sni_rest_shrink_skin(body, made_for, c.surfaces, keep_carriers(&c), *skin, progress,
                                    &report->turned_count, error));
        tell_turned(&c, report->turned_count);
    }
cleanup:
    sni_free(made_for->context, c.parts);
    sni_free(made_for->context, c.surfaces);
    if (status != SN_OK) {
        sn_mesh_destroy(*skin);
        *skin = NULL;
    }
    return status;
}

// From a body without proportions.
static sn_status extract(sni_rest *body, const sn_model_extract_desc *desc,
                         const sn_progress *progress, sn_mesh **skin, sn_extract_report *report,
                         uint32_t *failed, sn_error *error) {
    sni_rest *enlarged = NULL;
    sn_status status = SN_OK;
    *skin = NULL;
    *failed = SN_NONE;
    if (desc->enlarge_count > 0) {
        SN_TRY(sni_rest_plan_enlarged(body, desc->enlarge_count, desc->enlarge, &enlarged, error));
    }
    SN_TRY(extract_from(enlarged != NULL ? enlarged : body, body, desc, progress, skin, report,
                        failed, error));
cleanup:
    sni_rest_destroy(enlarged);
    return status;
}

static sn_status check_enlarged(const sn_model *model, const sn_model_extract_desc *desc,
                                sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    for (uint32_t i = 0; i < desc->enlarge_count; ++i) {
        const sn_segment_factor *one = &desc->enlarge[i];
        bool found = false, twice = false;
        for (uint32_t k = 0; k < skeleton->segment_count && !found; ++k) {
            found = strcmp(skeleton->segments[k].name, one->segment) == 0;
        }
        for (uint32_t k = 0; k < i; ++k) {
            twice = twice || strcmp(desc->enlarge[k].segment, one->segment) == 0;
        }
        if (!found || twice) {
            return sni_fail(error, SN_INVALID,
                            found ? "the segment \"%s\" is to be enlarged twice"
                                  : "there is no segment \"%s\" to enlarge",
                            one->segment);
        }
        if (!(one->factor >= 1e-3 && one->factor <= 1e3)) {
            return sni_fail(error, SN_INVALID,
                            "the segment \"%s\" is to be enlarged by %g, but that must be from "
                            "0.001 to 1000",
                            one->segment, one->factor);
        }
    }
    return SN_OK;
}

// The bodies that are needed for it are made beside those of the model, which stays as it is.
sn_status sn_model_extract_skin(const sn_model *model, const sn_model_extract_desc *desc,
                                const sn_progress *progress, sn_mesh **skin,
                                sn_extract_report *report, sn_error *error) {
    sn_extract_report own;
    uint32_t failed = SN_NONE;
    sni_rest *plain = NULL;
    sni_store store;
    sn_status status = SN_OK;
    *skin = NULL;
    sni_store_init(&store, model->context, &model->store);
    SN_TRY(check_enlarged(model, desc, error));
    SN_TRY(sni_model_plan_bare(model, &store, &plain, error));
    SN_TRY(extract(plain, desc, progress, skin, report != NULL ? report : &own, &failed, error));
cleanup:
    if (status == SN_INVALID && failed != SN_NONE) {
        sni_error_place(error, 0, "%s", model->surfaces[desc->surfaces[failed]].name);
    }
    sni_rest_destroy(plain);
    sni_store_deinit(&store);
    return status;
}

// --- Meshes of the document

static double number_or(double number, double otherwise) {
    return isnan(number) ? otherwise : number;
}

sn_status sni_rest_extract_mesh(sni_rest *plain, const sni_extract_plan *plan,
                                const sn_progress *progress, sn_mesh **mesh, sn_error *error) {
    sn_model_extract_desc desc = sn_model_extract_desc_default();
    const sn_value *place = plan->value;
    sn_extract_desc *grid = &desc.grid;
    sn_extract_report report;
    uint32_t failed;
    desc.surfaces = plan->parts;
    desc.surface_count = plan->part_count;
    desc.enlarge = plan->enlarge;
    desc.enlarge_count = plan->enlarge_count;
    grid->name = plan->name;
    grid->dimension = (uint32_t)number_or(plan->dimension, grid->dimension);
    grid->filter = number_or(plan->filter, grid->filter);
    grid->threshold = number_or(plan->threshold, grid->threshold);
    grid->relax = (uint32_t)number_or(plan->relax, grid->relax);
    grid->detail = number_or(plan->detail, grid->detail);
    grid->holes = number_or(plan->holes, grid->holes);
    sn_status status = extract(plain, &desc, progress, mesh, &report, &failed, error);
    if (failed != SN_NONE) {
        place = sn_value_at(plan->part_names, failed);
    }
    return sni_at_value(status, place, error);
}
