// SPDX-License-Identifier: Apache-2.0
//
// The table of muscles: one line for each kind. The places are kept for ever.
#include "muscle/muscle.h"

const sni_muscle_ops *const sni_muscle_kinds[] = {
    &sni_muscle_patch,
    &sni_muscle_cylinder,
    &sni_muscle_ellipsoid,
    &sni_muscle_mesh,
    &sni_muscle_fibre,
    &sni_muscle_graph,
    NULL,
};
