// SPDX-License-Identifier: Apache-2.0
//
// The kinds of muscles and deformers, and the parameters of each.
//
// Every kind has one table of parameters. Everything that shows, reads or checks a parameter uses
// this table: the keys of a document and their schema, the options of the command line, the fields
// of the studio, and the library itself.
#ifndef SINEW_KINDS_H
#define SINEW_KINDS_H

#include "sinew/parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_kind {
    const char *name; // as in the document
    const char *help;
    sn_parameters parameters;
} sn_kind;

// Muscles and deformers come in kinds. The numbers are kept for ever.
typedef enum sn_kind_family {
    SN_KIND_MUSCLE = 0,
    SN_KIND_DEFORMER = 1,
} sn_kind_family;

// How many kinds of muscles or deformers there are; 0 for another family.
SN_EXPERIMENTAL uint32_t sn_kind_count(sn_kind_family family);

// A kind by its number, which it keeps for ever. Everything that it points to is constant. The
// index must be below sn_kind_count.
SN_EXPERIMENTAL sn_kind sn_kind_at(sn_kind_family family, uint32_t index);

// The parameters that sn_character_add_muscle (character.h) takes as keys: those of the muscle,
// then those of the deformer and control that it adds. `standard` is NAN where that call computes
// the default. Returns false, and writes nothing, for an index beyond the last.
SN_EXPERIMENTAL bool sn_drawn_parameter(uint32_t index, sn_parameter *parameter);

#ifdef __cplusplus
}
#endif

#endif
