// SPDX-License-Identifier: Apache-2.0
//
// Long work: one job each, that tells how far it is and can be cancelled.
#include "commands/commands.h"
#include "jobs/jobs.h"

// {"job"}
static sn_status run_cancel(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                            sn_error *error) {
    uint32_t number = 0;
    (void)answer;
    (void)ok;
    sn_status status = desk_argument_index(request, "job", &number, error);
    return status == SN_OK ? desk_job_cancel(desk, number, error) : status;
}

static const desk_command commands[] = {
    {"import", command_import},
    {"export", command_export},
    {"extract", command_extract},
    {"picture", command_picture},
    {"measure", command_measure},
    {"propose", command_propose},
    {"face", command_face},
    {"driver_mesh", command_driver_mesh},
    {"film", command_film},
    {"bake_keys", command_bake_keys},
    {"cancel", run_cancel},
    {"pose_pictures", command_pose_pictures},
    {"propose_landmarks", command_propose_landmarks},
};

const desk_topic desk_jobs_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .create = desk_jobs_create,
    .stop = desk_jobs_stop,
    .destroy = desk_jobs_destroy,
};
