// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "solver/membrane_internal.h"

SNI_FORMS(sni_membrane_rounds_run);

void sni_membrane_rounds_run(const sni_membrane_round *rounds, uint32_t count) {
    SNI_CHOSEN(rounds->membrane->context, sni_membrane_rounds_run)(rounds, count);
}
