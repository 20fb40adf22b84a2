// SPDX-License-Identifier: Apache-2.0
//
// What `render` and `demo` share: sheets of frames.
#ifndef SINEW_CLI_PICTURE_H
#define SINEW_CLI_PICTURE_H

#include "cli.h"

// One picture to draw: a frame of a motion.
typedef struct cli_shot {
    const sn_motion *motion; // NULL: the rest pose
    uint32_t frame;
} cli_shot;

// Says what is shown in the pose that --set asks for: "arm: curl, elbow.rx_deg=20". A picture alone
// has the frame behind the clip; on a sheet (`frame` SN_NONE) every picture has its own.
enum { CLI_CAPTION_BYTES = 256 };
void cli_caption(const cli_call *call, const char *name, const sn_motion *motion, uint32_t frame,
                 char caption[CLI_CAPTION_BYTES]);

#define CLI_QUALITY_OPTION                                                                         \
    { "--quality", "Q", "draft, normal or high (default: normal)", false }

// Takes over what --quality says. False after printing what is wrong.
bool cli_parse_quality(const cli_call *call, sn_portrait_desc *desc);

// Sets `count` shots of a motion (NULL: the rest pose), evenly spaced from frame `first` to `last`,
// both among them.
void cli_space_shots(const sn_motion *motion, uint32_t first, uint32_t last, uint32_t count,
                     cli_shot *shots);

// Draws shots with one camera and puts them beside each other, `columns` in a row, each with its
// clip, unless `title` names it, and frame, and `title` above all. One shot alone is the picture
// itself, with the title as caption.
sn_status cli_draw_sheet(sn_frame *frame, const sn_portrait_desc *desc, const cli_shot *shots,
                         uint32_t shot_count, uint32_t columns, const char *title,
                         const sn_progress *progress, sn_image **image, sn_error *error);

#endif
