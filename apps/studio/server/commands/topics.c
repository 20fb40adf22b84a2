// SPDX-License-Identifier: Apache-2.0
//
// The topics of the desk, created in this order: documents come before the models that are made of
// them, and jobs, which use all else, at the end.
#include "commands/commands.h"

const desk_topic *const desk_topics[] = {
    &desk_hello_topic,    &desk_document_topic, &desk_files_topic, &desk_tools_topic,
    &desk_geometry_topic, &desk_motion_topic,   &desk_jobs_topic,
};
const uint32_t desk_topic_count = sizeof desk_topics / sizeof *desk_topics;
