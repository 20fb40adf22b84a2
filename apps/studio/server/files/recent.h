// SPDX-License-Identifier: Apache-2.0
//
// The files that were opened or saved last, in STATE/recent.json, newest first.
#ifndef SINEW_STUDIO_RECENT_H
#define SINEW_STUDIO_RECENT_H

#include "sinew/json.h"

enum { RECENT_LIMIT = 20 };

// Puts a document first, in place of an older entry of that path. The file is replaced as a whole:
// whoever reads it meanwhile, or a crash, finds the old one or the new one.
sn_status recent_note(sn_context *context, const char *state_folder, const char *path,
                      const char *name, double when, sn_error *error);

// Adds the list [{"path", "name", "when", "missing"}] under `key`; `missing` is true for a file
// that is not there any more. A list that cannot be read is empty.
sn_status recent_add(sn_context *context, const char *state_folder, sn_json *json, sn_value *object,
                     const char *key, sn_error *error);

#endif
