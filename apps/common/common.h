// SPDX-License-Identifier: Apache-2.0
//
// What the program `sinew` and the studio's server share: files and errors.
#ifndef SINEW_APPS_COMMON_H
#define SINEW_APPS_COMMON_H

#include "sinew/sinew.h"

#include <stdarg.h>
#include <stdio.h>

// Every error of the programs is written here, over what was there. `error` may be NULL.
void app_set_error(sn_error *error, sn_status status, const char *source, const char *place,
                   const char *format, va_list arguments);

// Fails with a line at a file; "" for none.
sn_status app_fail(sn_error *error, sn_status status, const char *source, const char *format, ...)
    SN_PRINTF(4, 5);

// Notes that the program itself ran out of memory.
sn_status app_fail_memory(sn_error *error);

// Whether a path ends in an extension, upper or lower case.
bool app_has_extension(const char *path, const char *extension);

// Which of a list, ended by NULL; NULL: none.
const char *app_find_extension(const char *path, const char *const *extensions);

bool app_is_folder(const char *path);

// Whether a path is a folder or lies below it; both without links and dots.
bool app_is_below(const char *folder, const char *path);

// Makes a folder and those above it, where they are not there.
sn_status app_make_folder(const char *path, sn_error *error);
// The same for who runs the program alone.
sn_status app_make_private_folder(const char *path, sn_error *error);

// Reads a whole file, terminated; free() it.
sn_status app_read_text(const char *path, char **text, size_t *size, sn_error *error);
sn_status app_read_json(sn_context *context, const char *path, sn_json **json, sn_error *error);

// The folder of a file that may not be there yet, without links and dots. False, with errno, where
// there is none.
enum { APP_PATH_BYTES = 4096 };
bool app_folder_of(const char *path, char folder[APP_PATH_BYTES]);

// How the document `document`, made from the one at `from` (NULL: from none), names a file: by its
// bare name where all lie in one folder, else by its whole path. False, with errno, where there is
// none.
bool app_name_file(const char *from, const char *document, const char *file,
                   char name[APP_PATH_BYTES]);

// A file as seen from the folder of a document: "walk.bvh", "walk/walk.gltf", "../walk.bvh". False
// where a folder is not there or the path is too long.
bool app_relative_path(const char *document, const char *file, char name[APP_PATH_BYTES]);

// The document that is made of a model, or a folder, where nobody says another: MODEL.ext, or
// FOLDER/, gives MODEL.sinew.json.
void app_default_document(const char *model, char *path, size_t size);

// A part of the progress of a whole: fractions 0 to 1 become `from` to `to`. Hand `progress` to the
// library; it stays where it is meanwhile.
typedef struct app_part {
    sn_progress progress;
    const sn_progress *whole;
    double from, to;
    bool by_steps;
    char step[64];          // the present one
    double passed, reached; // where it began, and the furthest so far: 0 to 1
} app_part;
void app_part_begin(app_part *part, const sn_progress *whole, double from, double to);

// The same for work in steps, each of which goes from 0 to 1, and nobody knows how many there are:
// a step takes half of what is left. So the whole never goes back.
void app_part_begin_steps(app_part *part, const sn_progress *whole, double from, double to);

// The argument with which the program reads one file for another run of itself.
#define APP_READ_APART "--read-apart"

// Has FBX and Collada read by another run of this program, with a quarter of `memory`, at least a
// gigabyte.
sn_status app_read_apart(sn_context *context, size_t memory, sn_error *error);

// How many bytes the library may have in use at once where the user says nothing: three quarters of
// what the machine has available, or of what the container may have. 0 where nobody knows: no
// limit.
size_t app_default_memory(void);

// Bytes as people write them: "800M", "1.5G", or without a letter. False below a megabyte, and for
// what is none.
bool app_parse_memory(const char *text, size_t *bytes);

// Seconds on a clock that only goes on.
double app_clock(void);

#endif
