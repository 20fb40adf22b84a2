// SPDX-License-Identifier: Apache-2.0
//
// Rows of the `anatomy` benchmark that are measured on scanned bodies (folders.c).
#ifndef SINEW_BENCH_FOLDERS_H
#define SINEW_BENCH_FOLDERS_H

#include "bench/bench.h"

sn_status snb_folders(snb_report *report, sn_error *error);

#endif
