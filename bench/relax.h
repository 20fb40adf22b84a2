// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BENCH_RELAX_H
#define SINEW_BENCH_RELAX_H

#include "bench/bench.h"
#include "bench/body.h"
#include "geometry/isosurface.h"

// Rows for a skin of the body: anatomy/repose and anatomy/relax_30, and where `all` anatomy/anchor
// and anatomy/relax_12_fast, with lines on what the rounds achieve. Writes the times of reposing
// without and with 30 rounds.
sn_status snb_relax(snb_report *report, const snb_body *body, const sni_isosurface *surface,
                    bool all, double *repose_ms, double *relax_ms, sn_error *error);

#endif
