// SPDX-License-Identifier: Apache-2.0
//
// Lines that a clean mesh and a scan both have: the edges of lids, where lips meet. A place of the
// clean mesh's line goes to the same part of the way along that of the scan.
#ifndef SINEW_FIT_HEAD_CONFORM_LINES_H
#define SINEW_FIT_HEAD_CONFORM_LINES_H

#include "base/memory.h"
#include "sinew/fit.h"

// A line of the scan, in metres.
typedef struct sni_scan_line {
    uint32_t count;
    sn_vec3 *points; // count; a closed one ends where it begins
} sni_scan_line;

typedef struct sni_conform_lines {
    uint32_t line_count;
    sni_scan_line *lines;
    uint32_t count;     // places of all lines
    uint32_t *vertices; // count: of the clean mesh
    uint32_t *of_line;  // count
    sn_vec3 *known;     // count: on the clean mesh, metres
    sn_vec3 *scan;      // count: where they go, metres
} sni_conform_lines;

// Pairs the lines that are given on the scan with those of the clean mesh. Lines of the clean mesh
// must be vertices of it. Fails with SN_INVALID, naming the line.
sn_status sni_conform_lines_create(sn_context *context, const sn_conform_desc *desc, double unit,
                                   sni_conform_lines *lines, sn_error *error);
void sni_conform_lines_deinit(sn_context *context, sni_conform_lines *lines);

// Distances of the places from the scan's lines, `points` being where the vertices are, metres.
void sni_conform_lines_measure(const sni_conform_lines *lines, const sn_vec3 *points,
                               sn_conform_report *report);

#endif
