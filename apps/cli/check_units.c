// SPDX-License-Identifier: Apache-2.0
//
// Hints of `sinew check` about units and axes, said as the guesses that they are.
#include "check_units.h"

#include "common/units.h"

static void tell_size(const cli_call *call, const app_units *u) {
    printf("%.4g m tall, %.4g m in its longest direction; probably %s: use --unit %s",
           u->high.y - u->low.y, u->size, u->name, u->option);
    if (cli_loaded_document(call) != NULL) {
        printf(" when the document is made, or \"unit\": %g in its meshes", u->metres);
    }
    printf("\n");
}

static void tell_axis(const cli_call *call, const app_units *u) {
    printf("its lowest point is at z = %.3g m and y goes from %.3g to %.3g m; probably Z points "
           "up: use --up z",
           u->low.z, u->low.y, u->high.y);
    if (cli_loaded_document(call) != NULL) {
        printf(" when the document is made, or \"up\": \"z\" in its meshes");
    }
    printf("\n");
}

void cli_tell_units(const cli_call *call, const cli_session *session) {
    app_units u = app_guess_units(session->model, session->frame);
    if (u.name != NULL) {
        tell_size(call, &u);
    } else if (u.size > app_largest_body || (u.size > 0 && u.size < app_smallest_body)) {
        printf("the character is %.3g m across: is its unit really the metre?\n", u.size);
    }
    if (u.z_up) {
        tell_axis(call, &u);
    }
}
