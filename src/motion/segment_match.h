// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MOTION_SEGMENT_MATCH_H
#define SINEW_MOTION_SEGMENT_MATCH_H

#include "base/text.h"
#include "sinew/motion.h"

// The segments that a name may mean (sn_skeleton_match). It is clear where there is only one.
typedef struct sni_segment_match {
    const sn_skeleton *skeleton;
    sn_name_match how;
    uint32_t segment; // the first
    sni_name_list names;
} sni_segment_match;

sn_status sni_segment_match_find(sn_context *context, const sn_skeleton *skeleton, const char *name,
                                 sni_segment_match *found, sn_error *error);

// For a name that no segment has: the closest name of a segment, with or without its namespace;
// NULL where none is close.
const char *sni_segment_match_near(const sn_skeleton *skeleton, const char *name);

// Fails where it means several.
sn_status sni_segment_match_fail(const sni_segment_match *found, const char *name, sn_error *error);

// Whether a name is the wanted one, but for capitals and, unless the wanted one has one, for a
// namespace ("mixamorig:", "|rig|").
bool sni_name_is_called(const char *name, const char *wanted);

#endif
