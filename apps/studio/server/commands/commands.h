// SPDX-License-Identifier: Apache-2.0
//
// The topics, each with its commands.
#ifndef SINEW_STUDIO_COMMANDS_H
#define SINEW_STUDIO_COMMANDS_H

#include "document/document.h"

extern const desk_topic desk_hello_topic, desk_document_topic, desk_motion_topic,
    desk_geometry_topic, desk_files_topic, desk_jobs_topic, desk_tools_topic;

// Commands that are files of their own.
desk_run_fn command_import, command_export, command_extract, command_picture, command_film,
    command_measure, command_propose, command_face, command_driver_mesh, command_key_pose,
    command_bake_keys, command_pairing, command_pose_pictures, command_propose_landmarks;

// Opens a model in a slot as a document that is saved nowhere, by a job. The request is answered
// when that has ended. (command_import.c)
sn_status import_model(desk *desk, desk_request *request, uint32_t slot, const char *path,
                       sn_error *error);

#endif
