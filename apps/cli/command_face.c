// SPDX-License-Identifier: Apache-2.0
#include "common/face.h"
#include "layout.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--features", "F.json", "feature points: {\"features\": {\"nose_tip\": [x, y, z], ...}}",
     false},
    {"--skin", "SKIN", "the skin of the head (default: the only one)", false},
    {0},
};

static sn_status lay_out(const cli_call *call, cli_session *session, const char **skin,
                         sn_muscle_layout **layout, sn_error *error) {
    const char *path = cli_value(call, "--features", "");
    sn_face_layout_desc desc = sn_face_layout_desc_default();
    sn_json *file = NULL;
    sn_face_feature *features = NULL;
    const sn_surface *head = NULL;
    sn_status status = app_find_layout_skin(session->model, cli_value(call, "--skin", NULL),
                                            call->arguments[0], "--skin", &head, error);
    if (status != SN_OK) {
        return status;
    }
    *skin = head->name;
    desc.mesh = head->mesh;
    SN_TRY(app_read_json(session->context, path, &file, error));
    SN_TRY(app_read_face(path, sn_json_root(file), head->mesh, &desc, &features, error));
    SN_TRY(
        sn_face_layout_create(session->context, &desc, &session->progress.progress, layout, error));
cleanup:
    if (status == SN_INVALID && error->source[0] == 0) {
        snprintf(error->source, sizeof error->source, "%s", path);
    }
    free(features);
    sn_json_destroy(file);
    return status;
}

static int run(const cli_call *call) {
    return cli_value(call, "--features", NULL) != NULL
               ? cli_layout_run(call, lay_out)
               : cli_wrong_usage(call, "needs --features F.json");
}

const cli_command cli_face = {
    .name = "face",
    .arguments = "DOC|MODEL --features F.json",
    .summary = "lays out facial muscles and expressions from feature points",
    .details =
        "A feature is [x, y, z] or the number of a vertex. Required are eye_inner_L, eye_outer_L,\n"
        "brow_inner_L, brow_outer_L, nose_wing_L, mouth_corner_L, nose_tip, lip_upper, lip_lower "
        "and\n"
        "chin; cheekbone_L, jaw_angle_L and ear_L are optional. A feature that is given on one "
        "side\n"
        "only is mirrored. \"ibug68\": [68 points] gives all but the cheekbones.\n"
        "\n"
        "example: sinew face head.obj --features head.features.json -o head.sinew.json\n"
        "         sinew render head.sinew.json --set smile=0.8 -o smile.png\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
