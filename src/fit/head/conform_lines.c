// SPDX-License-Identifier: Apache-2.0
#include "fit/head/conform_lines.h"

#include <string.h>

static const sn_landmark_line *find_line(const sn_landmarks *landmarks, const char *name) {
    for (uint32_t i = 0; i < landmarks->line_count; ++i) {
        if (strcmp(landmarks->lines[i].name, name) == 0) {
            return &landmarks->lines[i];
        }
    }
    return NULL;
}

// The places of a line in metres; a closed one has its first place once more at the end.
static sn_status read_places(sn_context *context, const sn_landmark_line *line, const sn_mesh *mesh,
                             double unit, sni_scan_line *made, sn_error *error) {
    sn_status status = SN_OK;
    if (line->count < 2) {
        SN_TRY(sni_fail(error, SN_INVALID, "the line \"%s\" has less than two places", line->name));
    }
    made->count = line->count + line->closed;
    SNI_NEW(context, made->points, made->count);
    for (uint32_t i = 0; i < made->count; ++i) {
        uint32_t k = i % line->count;
        if (line->vertices != NULL && line->vertices[k] >= mesh->vertex_count) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "the line \"%s\" has vertex %u, but \"%s\" has only %u vertices",
                            line->name, line->vertices[k], mesh->name, mesh->vertex_count));
        }
        sn_vec3 at = line->vertices != NULL
                         ? sn_vec3_load(mesh->positions + 3 * (size_t)line->vertices[k])
                         : line->points[k];
        made->points[i] = sn_vec3_scale(at, unit);
    }
cleanup:
    return status;
}

static double length_of(const sni_scan_line *line, uint32_t count) {
    double length = 0;
    for (uint32_t i = 1; i < count; ++i) {
        length += sn_vec3_distance(line->points[i - 1], line->points[i]);
    }
    return length;
}

// The place at a part of the way along a line.
static sn_vec3 place_along(const sni_scan_line *line, double part) {
    double left = part * length_of(line, line->count);
    for (uint32_t i = 1; i < line->count; ++i) {
        double piece = sn_vec3_distance(line->points[i - 1], line->points[i]);
        if (left <= piece) {
            return sn_vec3_lerp(line->points[i - 1], line->points[i], piece > 0 ? left / piece : 0);
        }
        left -= piece;
    }
    return line->points[line->count - 1];
}

static sn_status add_line(sn_context *context, const sn_landmark_line *known,
                          const sni_scan_line *clean, sni_conform_lines *l, sn_error *error) {
    const sni_scan_line *scan = &l->lines[l->line_count - 1];
    double whole = length_of(clean, clean->count);
    for (uint32_t i = 0; i < known->count; ++i) {
        if (!sni_grow_by_one(context, &l->vertices, l->count, sizeof *l->vertices) ||
            !sni_grow_by_one(context, &l->of_line, l->count, sizeof *l->of_line) ||
            !sni_grow_by_one(context, &l->known, l->count, sizeof *l->known) ||
            !sni_grow_by_one(context, &l->scan, l->count, sizeof *l->scan)) {
            return sni_fail_memory(error);
        }
        l->vertices[l->count] = known->vertices[i];
        l->of_line[l->count] = l->line_count - 1;
        l->known[l->count] = clean->points[i];
        l->scan[l->count++] = place_along(scan, whole > 0 ? length_of(clean, i + 1) / whole : 0);
    }
    return SN_OK;
}

sn_status sni_conform_lines_create(sn_context *context, const sn_conform_desc *desc, double unit,
                                   sni_conform_lines *l, sn_error *error) {
    sn_status status = SN_OK;
    sni_scan_line clean = {0};
    *l = (sni_conform_lines){0};
    for (uint32_t i = 0; desc->given != NULL && i < desc->given->line_count; ++i) {
        const sn_landmark_line *line = &desc->given->lines[i];
        const sn_landmark_line *known = find_line(desc->known.landmarks, line->name);
        if (known == NULL || known->vertices == NULL) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "the line \"%s\" is not known on the clean mesh as a list of vertices",
                            line->name));
        }
        if (!sni_grow_by_one(context, &l->lines, l->line_count, sizeof *l->lines)) {
            SN_TRY(sni_fail_memory(error));
        }
        l->lines[l->line_count++] = (sni_scan_line){0};
        SN_TRY(read_places(context, line, desc->scan, unit, &l->lines[l->line_count - 1], error));
        SN_TRY(read_places(context, known, desc->known.mesh, desc->known.unit, &clean, error));
        SN_TRY(add_line(context, known, &clean, l, error));
        sni_free(context, clean.points);
        clean.points = NULL;
    }
cleanup:
    sni_free(context, clean.points);
    return status;
}

void sni_conform_lines_deinit(sn_context *context, sni_conform_lines *l) {
    for (uint32_t i = 0; i < l->line_count; ++i) {
        sni_free(context, l->lines[i].points);
    }
    sni_free(context, l->lines);
    sni_free(context, l->vertices);
    sni_free(context, l->of_line);
    sni_free(context, l->known);
    sni_free(context, l->scan);
    *l = (sni_conform_lines){0};
}

static double distance_to(const sni_scan_line *line, sn_vec3 point) {
    double least = INFINITY;
    for (uint32_t i = 1; i < line->count; ++i) {
        sn_vec3 from = line->points[i - 1], along = sn_vec3_sub(line->points[i], from);
        double square = sn_vec3_dot(along, along);
        double t = square > 0 ? sn_vec3_dot(sn_vec3_sub(point, from), along) / square : 0;
        sn_vec3 at = sn_vec3_add_scaled(from, fmin(fmax(t, 0), 1), along);
        least = fmin(least, sn_vec3_distance(at, point));
    }
    return least;
}

void sni_conform_lines_measure(const sni_conform_lines *l, const sn_vec3 *points,
                               sn_conform_report *report) {
    double sum = 0;
    report->line_count = l->line_count;
    for (uint32_t i = 0; i < l->count; ++i) {
        double off = distance_to(&l->lines[l->of_line[i]], points[l->vertices[i]]);
        sum += off;
        report->line_largest = fmax(report->line_largest, off);
    }
    report->line_mean = l->count > 0 ? sum / l->count : 0;
}
