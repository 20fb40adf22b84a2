// SPDX-License-Identifier: Apache-2.0
#include "sinew/fit.h"
sn_propose_desc sn_propose_desc_default(void) { return (sn_propose_desc){0}; }
sn_status sn_muscles_propose(sn_context *context, const sn_propose_desc *desc,
                                    const sn_progress *progress, sn_muscle_layout **layout,
                                    sn_error *error) { (void)context; (void)desc; (void)progress; (void)layout; (void)error; return SN_INVALID; }
