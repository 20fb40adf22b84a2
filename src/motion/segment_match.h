// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MOTION_SEGMENT_MATCH_H
#define SINEW_MOTION_SEGMENT_MATCH_H

#include "base/text.h"
#include "sinew/motion.h"

// The segments that a name may mean (sn_skeleton_match); it means one where there is one.
typedef struct sni_segment_match {
    const sn_skeleton *skeleton;
    sn_name_match how;
    uint32_t segment; // the first
    sni_name_list names;
} sni_segment_match;

sn_status sni_segment_match_find(sn_context *context, const sn_skeleton *skeleton, const char *name,
                                 sni_segment_match *found, sn_error *error);

// The name of a segment, or what stands behind its namespace, that is closest to one that none has;
// NULL where none is close.
const char *sni_segment_match_near(const sn_skeleton *skeleton, const char *name);

// Fails where it means several.
sn_status sni_segment_match_fail(const sni_segment_match *found, const char *name, sn_error *error);

// Whether a name is the one that is wanted, up to capitals and, unless one is asked for, a
// namespace
// ("mixamorig:", "|rig|").
bool sni_name_is_called(const char *name, const char *wanted);

#endif
