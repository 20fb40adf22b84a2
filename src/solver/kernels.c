// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "solver/flesh_internal.h"
#include "solver/membrane_internal.h"

SNI_FORMS(sni_flesh_forces_run);
SNI_FORMS(sni_flesh_gather_run);
SNI_FORMS(sni_flesh_move_run);
SNI_FORMS(sni_membrane_rounds_run);

void sni_flesh_forces_run(const sni_flesh_round *round) {
    SNI_CHOSEN(round->columns->context, sni_flesh_forces_run)(round);
}

void sni_flesh_gather_run(const sni_flesh_round *round) {
    SNI_CHOSEN(round->columns->context, sni_flesh_gather_run)(round);
}

void sni_flesh_move_run(const sni_flesh_round *round) {
    SNI_CHOSEN(round->columns->context, sni_flesh_move_run)(round);
}

void sni_membrane_rounds_run(const sni_membrane_round *rounds, uint32_t count) {
    SNI_CHOSEN(rounds->membrane->context, sni_membrane_rounds_run)(rounds, count);
}
