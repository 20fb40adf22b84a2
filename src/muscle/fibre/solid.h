// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_MUSCLE_FIBRE_SOLID_H
#define SINEW_MUSCLE_FIBRE_SOLID_H

#include "muscle/fibre/fibre.h"

// The fibres of a muscle, each a body, borrowed from it.
sni_muscle_solid sni_fibre_solid(const sni_fibre *fibre);

#endif
