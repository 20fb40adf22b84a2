// SPDX-License-Identifier: Apache-2.0
#include "common/propose.h"
#include "layout.h"

#include <string.h>

static const cli_option options[] = {
    {"-o", "NEW", "the document to write (default: DOC itself)", false},
    {"--skin", "SKIN", "the skin (default: all that are shown)", false},
    {"--kind", "KIND",
     "patch: muscles on the skin, driven by joints (default); fibre: between segments, activated "
     "by their length",
     false},
    {"--smallest", "X", "skips limbs shorter than this fraction of the skin's size (default: 0.04)",
     false},
    {"--thickness", "X", "thickness of all muscles, relative to the standard one (default: 1)",
     false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

static bool parse_kind(const cli_call *call, sn_propose_kind *kind) {
    const char *text = cli_value(call, "--kind", "patch");
    *kind = strcmp(text, "fibre") == 0 ? SN_PROPOSE_FIBRE : SN_PROPOSE_PATCH;
    if (*kind == SN_PROPOSE_PATCH && strcmp(text, "patch") != 0) {
        cli_wrong_usage(call, "--kind is patch or fibre, not \"%s\"", text);
        return false;
    }
    return true;
}

static sn_status lay_out(const cli_call *call, cli_session *session, const char **skin,
                         sn_muscle_layout **layout, sn_error *error) {
    sn_propose_desc desc = sn_propose_desc_default();
    (void)skin; // every muscle names its own
    cli_parse_double(call, "--smallest", desc.smallest, 0, 1, &desc.smallest);
    cli_parse_double(call, "--thickness", desc.thickness, 0.01, 2, &desc.thickness);
    parse_kind(call, &desc.kind);
    return app_propose_muscles(session->model, cli_value(call, "--skin", NULL), call->arguments[0],
                               desc, &session->progress.progress, layout, error);
}

static int run(const cli_call *call) {
    double value;
    sn_propose_kind kind;
    return parse_kind(call, &kind) && cli_parse_double(call, "--smallest", 0, 0, 1, &value) &&
                   cli_parse_double(call, "--thickness", 1, 0.01, 2, &value)
               ? cli_layout_run(call, lay_out)
               : CLI_USAGE;
}

const cli_command cli_propose = {
    .name = "propose",
    .arguments = "DOC|MODEL",
    .summary = "proposes muscles for a body with a skeleton",
    .details =
        "Proposes muscles of arms, legs, trunk, neck and feet where these are known by names "
        "or shape,\n"
        "and a flexor and an extensor for every joint of other limbs. Each is driven by its "
        "joint.\n"
        "With --kind fibre they are about 60 fibres between the segments, of constant volume and "
        "inside\n"
        "the skin; what is smaller or deeper than planned for that is said.\n"
        "What cannot be made is listed with the reason.\n"
        "\n"
        "example: sinew propose human.glb -o human.sinew.json\n"
        "         sinew run human.sinew.json --motion run.bvh -o run.glb\n"
        "         sinew propose human.glb --kind fibre -o fibres.sinew.json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
