// SPDX-License-Identifier: Apache-2.0
//
// The table of deformers: one line for each kind. The places are kept for ever.
#include "skin/skin.h"

const sni_deformer_ops *const sni_deformer_kinds[] = {
    &sni_deformer_blend,
    &sni_deformer_morph,
    &sni_deformer_wrap,
    &sni_deformer_falloff,
    &sni_deformer_cloth,
    &sni_deformer_membrane,
    &sni_deformer_implicit,
    &sni_deformer_relax,
    &sni_deformer_layers,
    &sni_deformer_lids,
    NULL,
};
