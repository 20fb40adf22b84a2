// SPDX-License-Identifier: Apache-2.0
//
// Patches: lists of changes to a JSON tree, in order (docs/studio-protocol.md#patches). An entry is
// one of
//     {"path": P, "value": V}                  puts V at P, in the place of what was there
//     {"path": P, "value": V, "index": I}      a new member of an object, at position I
//     {"path": P, "value": V, "insert": true}  P ends with the index in an array: inserts there
//     {"path": P, "gone": true}                takes away
//     {"path": P, "key": K}                    gives a member of an object another name
#ifndef SINEW_STUDIO_PATCH_H
#define SINEW_STUDIO_PATCH_H

#include "sinew/json.h"

// Applies all entries of an array, or fails with SN_INVALID and the entry's path as the place; the
// tree is then half changed. Values are copied.
sn_status patch_apply(sn_json *json, const sn_value *entries, sn_error *error);

// Appends to an array the entries that make `to` of `from`, order of keys included.
sn_status patch_diff(const sn_value *from, const sn_value *to, sn_json *json, sn_value *entries,
                     sn_error *error);

// Whether two values are the same, order of keys included.
bool patch_equal(const sn_value *a, const sn_value *b);

// Whether entries of two patches speak of the same thing: a path of one is, or contains, a path of
// the other. Where members come and go in an array, the array itself is meant; a member that gets
// another name stands for both.
bool patch_meets(const sn_value *entries, const sn_value *others);

// The text of a tree on one line, with a line feed at its end; malloc'd.
sn_status patch_write_line(const sn_json *json, sn_context *context, char **line, size_t *size,
                           sn_error *error);

#endif
