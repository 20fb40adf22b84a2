// SPDX-License-Identifier: Apache-2.0
//
// Rows anatomy/voxelize, anatomy/filter, anatomy/isosurface and their sum anatomy/extract: the skin
// of a body of some 150 solids at the settings of Wilhelms and Van Gelder 1997 (largest dimension
// 225, filter 3.2, threshold 35 of 200), beside the times of their Table 2. The last row's size is
// the number of vertices, the others' the dimension. Then the rows of relax.c for skins of 20,000
// to 500,000 vertices, with the slope of cost against vertices, and those of folders.c on scanned
// bodies.
#include "bench/bench.h"

#include "bench/body.h"
#include "bench/folders.h"
#include "bench/relax.h"
#include "geometry/isosurface.h"

#include <math.h>

// Table 2, in milliseconds.
static const char paper[] = "Wilhelms and Van Gelder 1997";
static const double paper_voxelize = 185e3, paper_filter = 160e3, paper_isosurface = 16e3;

// The paper's extraction and anchoring take 1,006 s; both are to take 2 s together. No step may
// take more than a hundredth of its time.
static const double target = 503, step_target = 100;

typedef struct scene {
    sn_context *context;
    snb_body body;
    sni_grid grid;
    sni_bricks *density, *filtered;
    sni_isosurface *surface;
    sn_status status;
    sn_error *error;
} scene;

static void voxelize(void *user) {
    scene *s = user;
    sni_bricks_destroy(s->density);
    s->status = sni_density_voxelize(s->context, s->body.solids, s->body.count, &s->grid, NULL,
                                     &s->density, s->error);
}

static void filter(void *user) {
    scene *s = user;
    sni_bricks_destroy(s->filtered);
    s->status = sni_density_filter(s->density, SNI_DENSITY_SIGMA, NULL, &s->filtered, s->error);
}

static void extract(void *user) {
    scene *s = user;
    sni_field field = sni_field_from_bricks(s->filtered);
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    desc.level = SNI_DENSITY_THRESHOLD;
    sni_isosurface_destroy(s->surface);
    s->status = sni_isosurface_create(s->context, &field, &desc, NULL, &s->surface, s->error);
}

static sn_status add_row(snb_report *report, const char *name, uint32_t size, double ms,
                         double paper_ms, double least, sn_error *error) {
    bool added = snb_add(report, name, size, ms, paper, paper_ms, least);
    return added ? SN_OK : sni_fail_memory(error);
}

static sn_status time_step(snb_report *report, const char *name, void (*work)(void *), scene *s,
                           double paper_ms, double *total, sn_error *error) {
    double ms = snb_time(work, s);
    *total += ms;
    if (s->status != SN_OK) {
        return s->status;
    }
    return add_row(report, name, SNI_DENSITY_DIMENSION, ms, paper_ms, step_target, error);
}

static void tell_surface(const snb_report *report, const scene *s) {
    if (report->progress != NULL) {
        fprintf(report->progress,
                "bench: skin of %u solids: %u x %u x %u nodes, %u vertices, %u triangles, density "
                "%.1f MB, filtered %.1f MB\n",
                s->body.count, s->grid.dimensions[0], s->grid.dimensions[1], s->grid.dimensions[2],
                s->surface->vertex_count, s->surface->triangle_count,
                (double)sni_bricks_bytes(s->density) * 1e-6,
                (double)sni_bricks_bytes(s->filtered) * 1e-6);
    }
}

// The skin at another dimension.
static sn_status extract_at(scene *s, uint32_t dimension, sn_error *error) {
    sn_status status =
        sni_density_layout(s->body.solids, s->body.count, dimension,
                           sni_density_radius(SNI_DENSITY_SIGMA) + 1, &s->grid, error);
    void (*const steps[])(void *) = {voxelize, filter, extract};
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        steps[i](s);
        status = s->status;
    }
    return status;
}

enum { SWEEP = 6 };

// Least squares of y over x: y = offset + slope x.
static double fit_line(const double *x, const double *y, double *offset) {
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (int i = 0; i < SWEEP; ++i) {
        mx += x[i] / SWEEP;
        my += y[i] / SWEEP;
    }
    for (int i = 0; i < SWEEP; ++i) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    *offset = my - xy / xx * mx;
    return xy / xx;
}

// How cost grows with vertices: the line of time over vertices, and the slope of log time over log
// vertices, which is 1 for linear cost.
static void note_growth(snb_report *report, const char *name, const double *vertices,
                        const double *ms) {
    double x[SWEEP], y[SWEEP], offset, at_one;
    for (int i = 0; i < SWEEP; ++i) {
        x[i] = log(vertices[i]);
        y[i] = log(ms[i]);
    }
    double power = fit_line(x, y, &at_one), slope = fit_line(vertices, ms, &offset);
    snb_note(report,
             "%s: from %.0f to %.0f vertices %.4f ms for a thousand and %.2f ms; time grows as "
             "vertices to the power of %.2f",
             name, vertices[0], vertices[SWEEP - 1], 1e3 * slope, offset, power);
}

static sn_status sweep(snb_report *report, scene *s, sn_error *error) {
    static const uint32_t dimensions[SWEEP] = {135, 170, 225, 320, 420, 560};
    double vertices[SWEEP], repose_ms[SWEEP], relax_ms[SWEEP];
    for (int i = 0; i < SWEEP; ++i) {
        sn_status status = extract_at(s, dimensions[i], error);
        if (status == SN_OK) {
            status = snb_relax(report, &s->body, s->surface, dimensions[i] == SNI_DENSITY_DIMENSION,
                               &repose_ms[i], &relax_ms[i], error);
        }
        if (status != SN_OK) {
            return status;
        }
        vertices[i] = s->surface->vertex_count;
    }
    note_growth(report, "anatomy/repose", vertices, repose_ms);
    note_growth(report, "anatomy/relax_30", vertices, relax_ms);
    return SN_OK;
}

sn_status snb_anatomy(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    scene *s = NULL;
    double total = 0;
    SNI_NEW_ZERO(report->context, s, 1);
    s->context = report->context;
    s->error = error;
    snb_body_init(&s->body);
    SN_TRY(sni_density_layout(s->body.solids, s->body.count, SNI_DENSITY_DIMENSION,
                              sni_density_radius(SNI_DENSITY_SIGMA) + 1, &s->grid, error));
    SN_TRY(time_step(report, "anatomy/voxelize", voxelize, s, paper_voxelize, &total, error));
    SN_TRY(time_step(report, "anatomy/filter", filter, s, paper_filter, &total, error));
    SN_TRY(time_step(report, "anatomy/isosurface", extract, s, paper_isosurface, &total, error));
    SN_TRY(add_row(report, "anatomy/extract", s->surface->vertex_count, total,
                   paper_voxelize + paper_filter + paper_isosurface, target, error));
    tell_surface(report, s);
    if (snb_wants(report, "anatomy/anchor") || snb_wants(report, "anatomy/repose") ||
        snb_wants(report, "anatomy/relax_30") || snb_wants(report, "anatomy/relax_12_fast")) {
        SN_TRY(sweep(report, s, error));
    }
    SN_TRY(snb_folders(report, error));
cleanup:
    if (s != NULL) {
        sni_bricks_destroy(s->density);
        sni_bricks_destroy(s->filtered);
        sni_isosurface_destroy(s->surface);
    }
    sni_free(report->context, s);
    return status;
}
