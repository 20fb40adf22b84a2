// SPDX-License-Identifier: Apache-2.0
//
// Curves that people drew for `sinew muscle`: as JSON, or as lines of an OBJ file.
#ifndef SINEW_CLI_DRAWING_H
#define SINEW_CLI_DRAWING_H

#include "cli.h"
#include "common/muscle.h"

typedef struct cli_drawn_muscle {
    char *name;     // NULL: the file gives none
    sn_json *json;  // the tree of the drawing that `keys` belong to
    sn_value *keys; // as sn_character_add_muscle takes them
} cli_drawn_muscle;

typedef struct cli_drawing {
    uint32_t count;
    cli_drawn_muscle *muscles;
    sn_json *json; // what the file says; NULL where it is no JSON
    sn_json *made; // keys of muscles that the file gives as curves alone
} cli_drawing;

// Reads a file of curves; `drawing` is zeroed before and closed after, also when this fails. JSON
// is {"curves": [A, B]}, a map of such objects or pairs of curves by name, or one under "muscles".
// In an OBJ file two `l` polylines, or two chains of `l` edges, of an object make a muscle; the
// second is turned around where it runs against the first.
sn_status cli_drawing_read(sn_context *context, const char *path, cli_drawing *drawing,
                           sn_error *error);
void cli_drawing_close(cli_drawing *drawing);

// Used within: adds a muscle whose keys, in drawing->made, are still to be written, and returns
// them, NULL for want of memory; reads an OBJ file's text; fails with a line of text at a file.
sn_value *cli_drawing_add(cli_drawing *drawing, const char *name);
sn_status cli_drawing_read_obj(const char *path, const char *text, cli_drawing *drawing,
                               sn_error *error);
sn_status cli_drawing_fail(sn_error *error, const char *path, uint32_t line, const char *format,
                           ...) SN_PRINTF(4, 5);

#endif
