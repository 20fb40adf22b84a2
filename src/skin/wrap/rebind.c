// SPDX-License-Identifier: Apache-2.0
//
// Binding some vertices anew: those that were named, or those near what has changed of the driver.
#include "base/context.h"
#include "skin/wrap/nearest.h"
#include "skin/wrap/wrap.h"

#include <string.h>

// Some vertices of a wrap, each once, with what their registration needs.
typedef struct selection {
    uint32_t count;
    uint32_t *numbers;
    float *points;
    sni_wrap_edits edits; // borrows the wrap's elements
} selection;

static void selection_deinit(sn_context *context, selection *selected) {
    sni_free(context, selected->numbers);
    sni_free(context, selected->points);
    sni_free(context, selected->edits.points);
}

// Selects the vertices that have a mark.
static sn_status selection_init(const sn_wrap *wrap, const uint8_t *marks, selection *selected,
                                sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = wrap->context;
    const sn_mesh *mesh = wrap->mesh;
    *selected = (selection){.edits = wrap->edits};
    selected->edits.points = NULL;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        selected->count += marks[i] != 0;
    }
    SNI_NEW(context, selected->numbers, selected->count);
    SNI_NEW(context, selected->points, 3 * (size_t)selected->count);
    SNI_NEW_ZERO(context, selected->edits.points, selected->count);
    for (uint32_t i = 0, k = 0; i < mesh->vertex_count; ++i) {
        if (marks[i] != 0) {
            selected->numbers[k] = i;
            memcpy(selected->points + 3 * (size_t)k, mesh->positions + 3 * (size_t)i,
                   3 * sizeof *mesh->positions);
            selected->edits.points[k] = wrap->edits.count > 0 ? wrap->edits.points[i] : 0;
            ++k;
        }
    }
cleanup:
    return status;
}

static sn_status register_selection(const sn_wrap *wrap, const sni_wrap_surface *surface,
                                    const selection *selected, sni_wrap_rows *rows,
                                    sni_wrap_report *report, sn_error *error) {
    return sni_wrap_register(surface, &wrap->settings, &selected->edits, selected->count,
                             selected->points, NULL, rows, report, error);
}

// What was lost and kept at most. Means stay those of the bind.
static void add_report(sn_wrap *wrap, const sni_wrap_report *report) {
    wrap->report.largest_loss = fmax(wrap->report.largest_loss, report->largest_loss);
    wrap->report.widest =
        report->widest > wrap->report.widest ? report->widest : wrap->report.widest;
    wrap->report.limited += report->limited;
}

sn_status sn_wrap_rebind(sn_wrap *wrap, const uint32_t *vertices, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = wrap->context;
    sni_wrap_surface surface = {0};
    sni_wrap_rows rows = {0};
    sni_wrap_report report;
    selection selected = {0};
    uint8_t *marks = NULL;
    SNI_NEW_ZERO(context, marks, wrap->mesh->vertex_count);
    for (uint32_t i = 0; i < count; ++i) {
        if (vertices[i] >= wrap->mesh->vertex_count) {
            status = sni_fail(error, SN_INVALID, "wrap: there is no vertex %u, \"%s\" has %u",
                              vertices[i], wrap->mesh->name, wrap->mesh->vertex_count);
            goto cleanup;
        }
        marks[vertices[i]] = 1;
    }
    SN_TRY(selection_init(wrap, marks, &selected, error));
    SN_TRY(sni_wrap_surface_init(context, sni_wrap_elements(wrap), &surface, error));
    SN_TRY(register_selection(wrap, &surface, &selected, &rows, &report, error));
    SN_TRY(sni_sparse_blend_replace(context, &wrap->weights, selected.count, selected.numbers,
                                    rows.rows, error));
    add_report(wrap, &report);
cleanup:
    sni_wrap_rows_deinit(context, &rows);
    sni_wrap_surface_deinit(&surface);
    selection_deinit(context, &selected);
    sni_free(context, marks);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Another driver

// Triangles of the old driver and the new one, by their corners.
typedef struct passage {
    sn_context *context;
    const sni_wrap_surface *before, *after;
    uint32_t *numbers; // of the old triangles among the new; SN_NONE: it is not there any more
    uint8_t *changed;  // vertex_count of the old driver: a corner of a triangle that has gone
} passage;

static uint64_t hash_corners(const uint32_t v[3]) {
    int low = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; ++i) {
        hash = (hash ^ v[(low + i) % 3]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same_corners(const uint32_t a[3], const uint32_t b[3]) {
    for (int i = 0; i < 3; ++i) {
        if (a[0] == b[i] && a[1] == b[(i + 1) % 3] && a[2] == b[(i + 2) % 3]) {
            return true;
        }
    }
    return false;
}

// Doubled triangles go to different ones: whoever is found is taken out of the table.
static uint32_t take_triangle(const passage *p, uint32_t *table, size_t mask,
                              const uint32_t corners[3]) {
    size_t slot = (size_t)hash_corners(corners) & mask;
    for (; table[slot] != 0; slot = (slot + 1) & mask) {
        uint32_t triangle = table[slot] - 1;
        if (triangle != SN_NONE - 1 &&
            same_corners(corners, p->after->triangles->vertices + 3 * (size_t)triangle)) {
            table[slot] = SN_NONE; // passed by from now on
            return triangle;
        }
    }
    return SN_NONE;
}

static sn_status match_triangles(passage *p, sn_error *error) {
    sn_status status = SN_OK;
    size_t size = 16;
    uint32_t *table = NULL;
    while (size < 2 * (size_t)p->after->count) {
        size *= 2;
    }
    SNI_NEW_ZERO(p->context, table, size);
    SNI_NEW(p->context, p->numbers, p->before->count);
    SNI_NEW_ZERO(p->context, p->changed, p->before->vertex_count);
    for (uint32_t t = 0; t < p->after->count; ++t) {
        const uint32_t *v = p->after->triangles->vertices + 3 * (size_t)t;
        size_t slot = (size_t)hash_corners(v) & (size - 1);
        while (table[slot] != 0) {
            slot = (slot + 1) & (size - 1);
        }
        table[slot] = t + 1;
    }
    for (uint32_t t = 0; t < p->before->count; ++t) {
        const uint32_t *v = p->before->triangles->vertices + 3 * (size_t)t;
        p->numbers[t] = take_triangle(p, table, size - 1, v);
        for (int i = 0; i < 3 && p->numbers[t] == SN_NONE; ++i) {
            p->changed[v[i]] = 1;
        }
    }
cleanup:
    sni_free(p->context, table);
    return status;
}

// Marks vertices of the mesh that follow something that has gone. Extended, elements are vertices,
// whose maps come from the triangles around them.
static void mark_followers(const sn_wrap *wrap, const passage *p, uint8_t *marks) {
    for (uint32_t i = 0; i < wrap->mesh->vertex_count; ++i) {
        uint32_t element;
        float weight;
        for (uint32_t k = 0; sni_sparse_blend_entry(&wrap->weights, i, k, &element, &weight); ++k) {
            bool is_gone =
                wrap->settings.extended ? p->changed[element] != 0 : p->numbers[element] == SN_NONE;
            marks[i] = is_gone ? 1 : marks[i];
        }
    }
}

// New triangles are edited as the old ones where they lie.
static sn_status pass_edits(const sn_wrap *wrap, const passage *p, sni_wrap_edits *edits,
                            sn_error *error) {
    sn_status status = SN_OK;
    const sni_wrap_edits *old = &wrap->edits;
    *edits = (sni_wrap_edits){.element_count = p->after->count};
    if (old->count == 0) {
        return SN_OK;
    }
    SNI_NEW(p->context, edits->points, wrap->mesh->vertex_count);
    SNI_NEW(p->context, edits->elements, (size_t)old->count * p->after->count);
    edits->count = old->count;
    memcpy(edits->points, old->points, wrap->mesh->vertex_count);
    uint32_t slot = 0;
    for (uint32_t t = 0; t < p->after->count; ++t) {
        float centre[3];
        sn_vec3_store(p->after->centres[t], centre);
        sni_wrap_nearest(p->before, centre, &slot);
        for (uint32_t edit = 0; edit < old->count; ++edit) {
            edits->elements[(size_t)edit * p->after->count + t] =
                sni_wrap_edits_of(old, edit)[p->before->tree.slots[slot].triangle];
        }
    }
cleanup:
    return status;
}

static sn_status check_driver(const sn_mesh *before, const sn_mesh *after, sn_error *error) {
    if (after->vertex_count < before->vertex_count) {
        return sni_fail(error, SN_INVALID, "wrap: the driver \"%s\" has %u vertices, \"%s\" had %u",
                        after->name, after->vertex_count, before->name, before->vertex_count);
    }
    for (size_t i = 0; i < 3 * (size_t)before->vertex_count; ++i) {
        if (after->positions[i] != before->positions[i]) {
            return sni_fail(error, SN_INVALID,
                            "wrap: vertex %zu of the driver \"%s\" is not where it was in \"%s\"",
                            i / 3, after->name, before->name);
        }
    }
    return SN_OK;
}

// All that a wrap has of its driver, made for another one.
typedef struct refined {
    sni_wrap_frames frames;
    sni_sparse_blend weights;
    sni_wrap_edits edits;
    sni_wrap_report report;
    uint32_t rebound;
} refined;

static sn_status make_refined(const sn_wrap *wrap, passage *p, refined *made, sn_error *error) {
    sn_status status = SN_OK;
    sni_wrap_rows rows = {0};
    selection selected = {0};
    uint8_t *marks = NULL;
    sn_wrap target = *wrap; // with the new edits
    SN_TRY(match_triangles(p, error));
    SNI_NEW_ZERO(p->context, marks, wrap->mesh->vertex_count);
    mark_followers(wrap, p, marks);
    SN_TRY(pass_edits(wrap, p, &made->edits, error));
    target.edits = made->edits;
    SN_TRY(selection_init(&target, marks, &selected, error));
    SN_TRY(register_selection(&target, p->after, &selected, &rows, &made->report, error));
    SN_TRY(
        sni_wrap_frames_init(p->context, p->after, wrap->settings.extended, &made->frames, error));
    SN_TRY(sni_sparse_blend_renumber(p->context, &wrap->weights, made->frames.count,
                                     wrap->settings.extended ? NULL : p->numbers, &made->weights,
                                     error));
    SN_TRY(sni_sparse_blend_replace(p->context, &made->weights, selected.count, selected.numbers,
                                    rows.rows, error));
    made->rebound = selected.count;
cleanup:
    sni_wrap_rows_deinit(p->context, &rows);
    selection_deinit(p->context, &selected);
    sni_free(p->context, marks);
    return status;
}

sn_status sn_wrap_refine(sn_wrap *wrap, const sn_mesh *driver, uint32_t *rebound, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = wrap->context;
    sni_wrap_surface before = {0}, after = {0};
    passage p = {.context = context, .before = &before, .after = &after};
    refined made = {0};
    if (wrap->patch.count > 0 || wrap->frames.arms != NULL) {
        return sni_fail(error, SN_INVALID, "wrap: the driver \"%s\" %s", wrap->driver->name,
                        wrap->patch.count > 0 ? "is a patch" : "has frame points of its own");
    }
    SN_TRY(sn_mesh_validate(driver, error));
    SN_TRY(check_driver(wrap->driver, driver, error));
    SN_TRY(sni_wrap_surface_init(context, wrap->driver, &before, error));
    SN_TRY(sni_wrap_surface_init(context, driver, &after, error));
    SN_TRY(make_refined(wrap, &p, &made, error));
    refined old = {.frames = wrap->frames, .weights = wrap->weights, .edits = wrap->edits};
    wrap->driver = driver;
    wrap->frames = made.frames;
    wrap->weights = made.weights;
    wrap->edits = made.edits;
    add_report(wrap, &made.report);
    if (rebound != NULL) {
        *rebound = made.rebound;
    }
    made = old;
cleanup:
    sni_wrap_frames_deinit(context, &made.frames);
    sni_sparse_blend_deinit(context, &made.weights);
    sni_wrap_edits_deinit(context, &made.edits);
    sni_free(context, p.numbers);
    sni_free(context, p.changed);
    sni_wrap_surface_deinit(&before);
    sni_wrap_surface_deinit(&after);
    return status;
}
