// SPDX-License-Identifier: Apache-2.0
//
// Curves that people drew for `sinew muscle`: as JSON, or as lines of an OBJ file.
#ifndef SINEW_CLI_DRAWING_H
#define SINEW_CLI_DRAWING_H

#include "cli.h"
#include "common/muscle_keys.h"

typedef struct cli_drawn_muscle {
    char *name; // NULL: the file gives none
    uint32_t counts[2];
    sn_vec3 *points[2];
    bool closed;          // the lines of the file are rings
    const sn_value *keys; // the object of a JSON file with whatever else it says; NULL: nothing
} cli_drawn_muscle;

typedef struct cli_drawing {
    uint32_t count;
    cli_drawn_muscle *muscles;
    sn_json *json; // that `keys` point into
} cli_drawing;

// Reads a file of curves; `drawing` is zeroed before and closed after, also when this fails. JSON
// is {"curves": [A, B]}, a map of such objects or pairs of curves by name, or one under "muscles".
// In an OBJ file two `l` polylines, or two chains of `l` edges, of an object make a muscle; the
// second is turned around where it runs against the first.
sn_status cli_drawing_read(sn_context *context, const char *path, cli_drawing *drawing,
                           sn_error *error);
void cli_drawing_close(cli_drawing *drawing);

// Used within: adds an empty muscle, NULL for want of memory; reads an OBJ file's text; fails with
// a line of text at a file.
cli_drawn_muscle *cli_drawing_add(cli_drawing *drawing, const char *name);
sn_status cli_drawing_read_obj(const char *path, const char *text, cli_drawing *drawing,
                               sn_error *error);
sn_status cli_drawing_fail(sn_error *error, const char *path, uint32_t line, const char *format,
                           ...) SN_PRINTF(4, 5);

#endif
