// SPDX-License-Identifier: Apache-2.0
//
// Films of a clip, drawn frame by frame.
#ifndef SINEW_APPS_FILM_H
#define SINEW_APPS_FILM_H

#include "common/common.h"

typedef struct app_film {
    sn_frame *frame;
    const sn_motion *motion;
    const sn_portrait_desc *desc;
    uint32_t first, last;
    const char *path; // its extension says what kind; .png: numbered pictures, NAME.0003.png
} app_film;

// What films are made by the program ffmpeg: ".mp4" and so on, ended by NULL.
const char *const *app_film_extensions(void);
bool app_is_film(const char *path);

// The picture of a frame where the film is NAME.png; false where that is too long.
bool app_film_number(const char *path, uint32_t number, char *name, size_t size);

// Whether ffmpeg is there.
bool app_can_film(void);

sn_status app_film_draw(const app_film *film, const sn_progress *progress, sn_error *error);

#endif
