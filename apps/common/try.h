// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_APPS_TRY_H
#define SINEW_APPS_TRY_H

// Leaves a function by its `cleanup` label when a call fails, so that the function reads as a list
// of its steps. The function has a local `sn_status status`.
#define APP_TRY(call)                                                                              \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != SN_OK) {                                                                     \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#endif
