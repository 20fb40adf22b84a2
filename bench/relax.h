// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_BENCH_RELAX_H
#define SINEW_BENCH_RELAX_H

#include "bench/bench.h"
#include "bench/body.h"
#include "geometry/isosurface.h"

// Rows for a skin of the body: anatomy/anchor and anatomy/repose where `all`, and anatomy/relax_30
// and anatomy/relax_12_fast. Writes the time of 30 rounds.
sn_status snb_relax(snb_report *report, const snb_body *body, const sni_isosurface *surface,
                    bool all, double *relax_ms, sn_error *error);

#endif
