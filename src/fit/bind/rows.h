// SPDX-License-Identifier: Apache-2.0
//
// The weights of single vertices after heat has spread.
#ifndef SINEW_FIT_BIND_ROWS_H
#define SINEW_FIT_BIND_ROWS_H

#include "fit/bind/parts.h"

// The widest row.
enum { SNI_ROW_LIMIT = 64 };

// Takes limbs out of all rows that are too far for how thick they are, eases weights, and takes out
// limbs of the other side.
sn_status sni_rows_settle(sni_parts *parts, const sn_progress *progress, sn_error *error);

// Takes the limbs of the other side of the body out of the row of a point.
void sni_row_part_sides(const sni_parts *parts, sn_vec3 point, sni_influence *row);

// Sorts a row again, leaves out what is weak or too much, and adds the rest up to 1.
void sni_row_tidy(const sni_parts *parts, sni_influence *row);

#endif
