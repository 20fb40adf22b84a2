// SPDX-License-Identifier: Apache-2.0
//
// Work that was not saved and that nobody has open: what is in the journals of the state folder.
#ifndef SINEW_STUDIO_UNSAVED_H
#define SINEW_STUDIO_UNSAVED_H

#include "desk/service.h"

// Adds the list [{"journal", "name", "path" (null: no file yet), "from", "edits", "when"}] under
// `key`, newest first. Journals without anything that could be lost are not in it.
sn_status unsaved_add(sn_context *context, const char *state_folder, sn_json *json,
                      sn_value *object, const char *key, sn_error *error);
// Tells all pages the list (desk thread).
void unsaved_tell(desk *desk);
// Removes a journal that nobody has open, by its name.
sn_status unsaved_discard(const char *state_folder, const char *journal, sn_error *error);

#endif
