// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_REPORT_H
#define SINEW_EVAL_REPORT_H

#include "base/file.h"
#include "sinew/eval.h"

// Writes the report as it will stand at `path`, complete but for its name: sni_output_commit gives
// it that. On failure the output is closed.
sn_status sni_report_write(sn_report *report, const char *path, sni_output *output,
                           sn_error *error);

#endif
