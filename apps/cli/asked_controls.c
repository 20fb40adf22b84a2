// SPDX-License-Identifier: Apache-2.0
#include "asked_controls.h"

#include <string.h>

static bool is_asked(const cli_call *call, const char *option, const char *name) {
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], option) == 0 &&
            strcmp(call->option_values[i], name) == 0) {
            return true;
        }
    }
    return false;
}

uint32_t cli_asked_controls(const cli_call *call, const sn_model *model, uint32_t *controls) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_model_control_count(model); ++i) {
        if (is_asked(call, "--control", sn_model_control_name(model, i)) ||
            is_asked(call, "--group", sn_model_control_group(model, i))) {
            controls[count++] = i;
        }
    }
    return count;
}

static bool names_something(const sn_model *model, bool group, const char *name) {
    for (uint32_t i = 0; i < sn_model_control_count(model); ++i) {
        const char *found =
            group ? sn_model_control_group(model, i) : sn_model_control_name(model, i);
        if (strcmp(found, name) == 0) {
            return true;
        }
    }
    return false;
}

sn_status cli_check_asked(const cli_call *call, const sn_model *model, sn_error *error) {
    for (uint32_t i = 0; i < call->option_count; ++i) {
        bool group = strcmp(call->option_names[i], "--group") == 0;
        if ((group || strcmp(call->option_names[i], "--control") == 0) &&
            !names_something(model, group, call->option_values[i])) {
            return app_fail(error, SN_INVALID, call->arguments[0],
                            group ? "no control belongs to the group \"%s\""
                                  : "there is no control \"%s\"",
                            call->option_values[i]);
        }
    }
    return SN_OK;
}
