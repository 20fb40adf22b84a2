// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include "common/film.h"
#include "common/portrait.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"-o", "PNG",
     "the picture to write, or a film of the clip: .mp4 .mov .mkv .webm .gif (needs ffmpeg)",
     false},
    CLI_MOTION,
    CLI_IGNORE_UNKNOWN,
    CLI_REST_FRAME,
    CLI_PLANT_FEET,
    CLI_NO_PLANT_FEET,
    CLI_RELAX,
    CLI_NO_RELAX,
    CLI_MAP,
    CLI_PAIRING,
    CLI_FPS,
    {"--frame", "N", "the frame to draw (default: the rest pose)", false},
    {"--sheet", "N", "draws N frames of the clip, evenly spaced, on one sheet", false},
    {"--frames", "A:B", "the part of the clip that a sheet or film shows (default: all)", false},
    CLI_SET,
    CLI_PROPORTION,
    CLI_CHANGE,
    {"--show", "LAYERS",
     "skin, muscles, tissues, bones, drivers, such as skin,muscles (default: skin; without one, "
     "the rest)",
     false},
    {"--opacity", "X", "opacity of the skin, 0 to 1 (default: 1, or 0.35 when bones are shown)",
     false},
    {"--no-materials", NULL,
     "draws skins in one colour, without the colours and images of the model", false},
    {"--wireframe", NULL, "draws the skin's edges on top", false},
    {"--color", "QUANTITY",
     "colours the skin by stretch, largest-stretch, component, depth, contact or "
     "weights:SEGMENT (weights:N: of deformer N), or muscles by shortening, activation or volume",
     false},
    {"--slice", "PLANE",
     "cuts the character open along a plane and draws the field of its `implicit` skin there: "
     "x=0.1, "
     "y=1.2, z=0 or X,Y,Z=OFFSET in metres; SEGMENT:x=0.1 goes with a segment, from its joint on",
     false},
    {"--view", "VIEW",
     "front, back, left, right, top, three-quarter, or AZIMUTH,ELEVATION in degrees", false},
    {"--focus", "NAME", "frames a part alone: a segment, muscle, bone, tissue or skin", false},
    {"--zoom", "FACTOR", "enlarges the middle of the picture (default: 1)", false},
    {"--orthographic", NULL, "draws without perspective", false},
    {"--size", "WxH", "size in pixels (default: 900x900; of one frame on a sheet: 400x500)", false},
    CLI_QUALITY_OPTION,
    CLI_UNIT,
    CLI_UP,
    {0},
};

static bool parse_view(const cli_call *call, sn_portrait_desc *desc) {
    const char *text = cli_value(call, "--view", "three-quarter");
    double azimuth, elevation;
    desc->orthographic = cli_has(call, "--orthographic");
    desc->focus = cli_value(call, "--focus", NULL);
    if (!cli_parse_double(call, "--zoom", 1, 0.01, 1000, &desc->zoom)) {
        return false;
    }
    if (app_portrait_view(text, desc)) {
        return true;
    }
    char first[64];
    const char *comma = strchr(text, ',');
    snprintf(first, sizeof first, "%.*s", comma != NULL ? (int)(comma - text) : 0, text);
    if (comma == NULL || !cli_text_to_double(first, &azimuth) ||
        !cli_text_to_double(comma + 1, &elevation) || fabs(elevation) > 89) {
        cli_wrong_usage(call,
                        "--view takes front, back, left, right, top, three-quarter or "
                        "AZIMUTH,ELEVATION, not \"%s\"",
                        text);
        return false;
    }
    desc->azimuth = azimuth * SN_PI / 180;
    desc->elevation = elevation * SN_PI / 180;
    return true;
}

static bool parse_size(const cli_call *call, sn_portrait_desc *desc) {
    const char *text = cli_value(call, "--size", NULL);
    if (cli_has(call, "--sheet")) {
        desc->width = 400;
        desc->height = 500;
    }
    if (text == NULL) {
        return true;
    }
    char *end;
    unsigned long width = strtoul(text, &end, 10);
    unsigned long height = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
    if (*end != 0 || width < 16 || height < 16 || width > 16384 || height > 16384) {
        cli_wrong_usage(call, "--size takes WxH from 16x16 to 16384x16384, not \"%s\"", text);
        return false;
    }
    desc->width = (uint32_t)width;
    desc->height = (uint32_t)height;
    return true;
}

static bool parse_layers(const cli_call *call, sn_portrait_desc *desc) {
    bool of_muscles = sn_quantity_of_muscles(desc->quantity);
    const char *text = cli_value(call, "--show", of_muscles ? "muscles,bones" : "skin");
    app_portrait_hide_all(desc);
    for (const char *c = text; *c != 0;) {
        size_t length = strcspn(c, ",");
        if (!app_portrait_layer(c, length, desc)) {
            cli_wrong_usage(call,
                            "--show takes skin, muscles, tissues, bones and drivers, not \"%.*s\"",
                            (int)length, c);
            return false;
        }
        c += length + (c[length] == ',');
    }
    if (!desc->skin && !desc->muscles && !desc->tissues && !desc->bones && !desc->drivers) {
        cli_wrong_usage(call, "--show needs skin, muscles, tissues, bones or drivers");
        return false;
    }
    if (of_muscles && !desc->muscles) {
        cli_wrong_usage(call, "--color %s is a quantity of muscles; show them with --show muscles",
                        cli_value(call, "--color", ""));
        return false;
    }
    return cli_parse_double(call, "--opacity", app_portrait_opacity(desc), 0, 1,
                            &desc->skin_opacity);
}

static bool parse_color(const cli_call *call, sn_portrait_desc *desc) {
    const char *text = cli_value(call, "--color", NULL);
    if (text != NULL && !app_portrait_quantity(text, desc)) {
        cli_wrong_usage(call,
                        "--color takes stretch, largest-stretch, component, depth, contact, "
                        "weights:SEGMENT, weights:N, shortening, activation or volume, not \"%s\"",
                        text);
        return false;
    }
    desc->wireframe = cli_has(call, "--wireframe");
    desc->materials = !cli_has(call, "--no-materials");
    return true;
}

// PLANE of --slice: AXIS=OFFSET, AXIS one of x, y, z or three numbers. The segment before it, which
// a colon ends, may have colons in its name.
static bool parse_slice(const cli_call *call, sn_portrait_desc *desc) {
    const char *text = cli_value(call, "--slice", NULL);
    if (text == NULL) {
        return true;
    }
    const char *colon = strrchr(text, ':'), *axis = colon != NULL ? colon + 1 : text;
    char number[64], rest = 0;
    const char *equals = strchr(axis, '=');
    double offset, n[3] = {0, 0, 0};
    bool known = equals != NULL && cli_text_to_double(equals + 1, &offset) &&
                 (size_t)(equals - axis) < sizeof number;
    if (known) {
        snprintf(number, sizeof number, "%.*s", (int)(equals - axis), axis);
        bool is_letter = strlen(number) == 1 && number[0] >= 'x' && number[0] <= 'z';
        if (is_letter) {
            n[number[0] - 'x'] = 1;
        } else {
            known = sscanf(number, "%lf,%lf,%lf%c", &n[0], &n[1], &n[2], &rest) == 3;
        }
    }
    sn_vec3 normal = {n[0], n[1], n[2]};
    double length = sn_vec3_length(normal);
    if (!known || !isfinite(length) || !(length > 0)) {
        cli_wrong_usage(call,
                        "--slice takes x=0.1, y=0.1, z=0.1 or X,Y,Z=0.1, with SEGMENT: before it "
                        "where a segment carries the plane; not \"%s\"",
                        text);
        return false;
    }
    desc->sliced = true;
    desc->slice.normal = normal;
    desc->slice.point = sn_vec3_scale(normal, offset / length);
    return true;
}

// The segment that --slice means.
static sn_status match_slice(const cli_call *call, const sn_model *model, sn_portrait_desc *desc,
                             sn_error *error) {
    const char *text = cli_value(call, "--slice", "");
    const char *colon = strrchr(text, ':');
    if (colon == NULL) {
        return SN_OK;
    }
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    char name[256];
    sn_name_match match;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    sn_status status = sn_skeleton_match(sn_model_context(model), skeleton, name,
                                         &desc->slice.segment, &match, error);
    if (status == SN_OK) {
        cli_note_name(call, name, skeleton->segments[desc->slice.segment].name, match);
    }
    return status;
}

static sn_status draw_sheet(const cli_call *call, cli_session *session,
                            const sn_portrait_desc *desc, uint32_t count, const char *path,
                            sn_error *error) {
    cli_shot *shots = calloc(count, sizeof *shots);
    sn_image *image = NULL;
    if (shots == NULL) {
        return app_fail_memory(error);
    }
    uint32_t first, last;
    cli_parse_frames(call, cli_last_frame(session), &first, &last);
    cli_space_shots(session->motion, first, last, count, shots);
    if (!cli_has(call, "--sheet")) {
        shots[0].motion = cli_has(call, "--frame") ? session->motion : NULL;
        cli_parse_uint(call, "--frame", 0, 0, UINT32_MAX - 1, &shots[0].frame);
    }
    uint32_t columns = count <= 6 ? count : (uint32_t)ceil(sqrt((double)count));
    sn_status status = SN_OK;
    char caption[CLI_CAPTION_BYTES];
    cli_caption(call, sn_model_name(session->model), shots[0].motion,
                count == 1 ? shots[0].frame : SN_NONE, caption);
    SN_TRY(cli_draw_sheet(session->frame, desc, shots, count, columns, caption,
                          &session->progress.progress, &image, error));
    SN_TRY(sn_image_write_png(image, path, error));
cleanup:
    sn_image_destroy(image);
    free(shots);
    return status;
}

static sn_status draw_film(const cli_call *call, cli_session *session, const sn_portrait_desc *desc,
                           const char *path, sn_error *error) {
    app_film film = {
        .frame = session->frame, .motion = session->motion, .desc = desc, .path = path};
    cli_parse_frames(call, cli_last_frame(session), &film.first, &film.last);
    return app_film_draw(&film, &session->progress.progress, error);
}

// Options that say nothing together are refused, not ignored.
static bool check_frames(const cli_call *call, bool film) {
    uint32_t frame, first, last;
    bool many = film || cli_has(call, "--sheet");
    if (many && cli_has(call, "--frame")) {
        cli_wrong_usage(call, "--frame draws one frame; a sheet or film takes --frames A:B");
        return false;
    }
    if (!many && cli_has(call, "--frames")) {
        cli_wrong_usage(call, "--frames is for --sheet or a film; --frame N draws one frame");
        return false;
    }
    return cli_parse_uint(call, "--frame", 0, 0, UINT32_MAX - 1, &frame) &&
           cli_parse_frames(call, 0, &first, &last);
}

// The segment that --color weights:SEGMENT means; the portrait refuses what is none.
static void match_weights(const cli_call *call, const sn_model *model, sn_portrait_desc *desc) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    uint32_t segment;
    sn_name_match match;
    if (desc->segment != NULL && sn_skeleton_match(sn_model_context(model), skeleton, desc->segment,
                                                   &segment, &match, NULL) == SN_OK) {
        cli_note_name(call, desc->segment, skeleton->segments[segment].name, match);
        desc->segment = skeleton->segments[segment].name;
    }
}

// The segment or surface that --focus means.
static sn_status match_focus(const cli_call *call, const sn_model *model, sn_portrait_desc *desc,
                             sn_error *error) {
    uint32_t surface, segment;
    sn_name_match match;
    if (desc->focus == NULL) {
        return SN_OK;
    }
    sn_status status = sn_model_match_part(model, desc->focus, &surface, &segment, &match, error);
    if (status == SN_OK) {
        const char *found = surface != SN_NONE ? sn_model_surface(model, surface)->name
                                               : sn_model_skeleton(model)->segments[segment].name;
        cli_note_name(call, desc->focus, found, match);
        desc->focus = found;
    }
    return status;
}

static int run(const cli_call *call) {
    const char *path = cli_value(call, "-o", NULL);
    sn_portrait_desc desc = sn_portrait_desc_default();
    uint32_t sheet;
    if (path == NULL) {
        return cli_wrong_usage(call, "needs -o PNG");
    }
    bool film = app_is_film(path);
    if (!film && !app_has_extension(path, ".png")) {
        return cli_wrong_usage(
            call, "writes .png, or a film: .mp4 .mov .mkv .webm .gif; not \"%s\"", path);
    }
    if (!cli_check_sets(call) || !cli_check_motion(call) || !parse_view(call, &desc) ||
        !parse_size(call, &desc) || !parse_color(call, &desc) || !parse_layers(call, &desc) ||
        !parse_slice(call, &desc) || !cli_parse_quality(call, &desc) ||
        !cli_parse_uint(call, "--sheet", 1, 1, 400, &sheet) || !check_frames(call, film)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session;
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    if (session.motion == NULL && (film || sheet > 1)) {
        cli_session_close(&session);
        return cli_wrong_usage(call, "needs --motion: the character has no clip");
    }
    sn_frame_show_only(session.frame, !desc.drivers);
    if (!cli_has(call, "--show") && app_count_shown(session.model, SN_LAYER_SKIN) == 0) {
        desc.muscles = desc.tissues = desc.bones = true;
    }
    SN_TRY(match_focus(call, session.model, &desc, &error));
    SN_TRY(match_slice(call, session.model, &desc, &error));
    match_weights(call, session.model, &desc);
    SN_TRY(film ? draw_film(call, &session, &desc, path, &error)
                : draw_sheet(call, &session, &desc, sheet, path, &error));
    cli_progress_end(&session.progress);
    printf("%s\n", path);
cleanup:
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_render = {
    .name = "render",
    .arguments = "DOC|MODEL -o PNG",
    .summary = "draws a picture, a sheet of frames or a film",
    .details = "example: sinew render examples/arm/arm.sinew.json --motion curl --sheet 5 \\\n"
               "             --show skin,bones -o curl.png\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
