// SPDX-License-Identifier: Apache-2.0
#include "wire/failure.h"

#include <stdlib.h>
#include <string.h>

sn_status desk_fail(sn_error *error, sn_status status, const char *place, const char *format, ...) {
    va_list arguments;
    if (error && error->status == SN_OK) { // the first failure counts
        va_start(arguments, format);
        app_set_error(error, status, "", place, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char desk_stale[] = "stale";
const char desk_changed[] = "changed";
const char desk_exists[] = "exists";

sn_status desk_fail_as(sn_error *error, const char *status, const char *place, const char *format,
                       ...) {
    va_list arguments;
    if (error && error->status == SN_OK) {
        va_start(arguments, format);
        app_set_error(error, SN_INVALID, "", place, format, arguments);
        va_end(arguments);
        error->function = status;
    }
    return SN_INVALID;
}

const char *desk_status_name(const sn_error *error) {
    bool own = error->function == desk_stale || error->function == desk_changed ||
               error->function == desk_exists;
    return own ? error->function : sn_status_name(error->status);
}

char *desk_copy_string(const char *string) {
    if (!string) {
        return NULL;
    }
    size_t size = strlen(string) + 1;
    char *copy = malloc(size);
    if (copy) {
        memcpy(copy, string, size);
    }
    return copy;
}
