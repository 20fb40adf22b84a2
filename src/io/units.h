// SPDX-License-Identifier: Apache-2.0
//
// Other units and axes: the one place where what a file holds becomes metres with Y up.
#ifndef SINEW_IO_UNITS_H
#define SINEW_IO_UNITS_H

#include "sinew/io.h"

// Multiplies all lengths of a file by `factor` and turns its Z up.
void sni_import_convert(sn_import *import, double factor, bool z_up);

#endif
