// SPDX-License-Identifier: Apache-2.0
//
// Failures as pages are told of them.
#ifndef SINEW_STUDIO_FAILURE_H
#define SINEW_STUDIO_FAILURE_H

#include "common/common.h"

// Sets an error, unless an earlier failure is there already, and returns its status.
sn_status desk_fail(sn_error *error, sn_status status, const char *place, const char *format, ...)
    SN_PRINTF(4, 5);

// Failures that pages tell from others: what they answer has this status in place of "invalid".
extern const char desk_stale[];   // another page changed what an edit touches
extern const char desk_changed[]; // a file is another one than was read here
extern const char desk_exists[];  // a file is there already
sn_status desk_fail_as(sn_error *error, const char *status, const char *place, const char *format,
                       ...) SN_PRINTF(4, 5);

// What pages are told as the status of an error.
const char *desk_status_name(const sn_error *error);

char *desk_copy_string(const char *string); // NULL for NULL and without memory

#endif
