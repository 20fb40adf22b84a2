// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, independent of the locale: every text that is read gives the nearest double, and
// what is written is the shortest text that reads back equal.
#ifndef SINEW_BASE_NUMBER_H
#define SINEW_BASE_NUMBER_H

#include "sinew/base.h"

#define SNI_NUMBER_BYTES 32

// Reads a decimal number ([+-]digits[.digits][e[+-]digits], also ".5" and "5.") at the start of
// [text, end). Returns the first character behind it, or NULL when there is no number. Too large a
// number gives an infinity; "nan" and "inf" are not numbers.
const char *sni_number_read(const char *text, const char *end, double *number);

// Reads an unsigned decimal integer at the start of [text, end); NULL when there is none or it does
// not fit.
const char *sni_number_read_uint(const char *text, const char *end, uint32_t *number);

// Writes the shortest decimal text that reads back as the same double, or as the same float.
// Returns its length without the terminating zero. The number must be finite.
int sni_number_write(double number, char text[SNI_NUMBER_BYTES]);
int sni_number_write_float(float number, char text[SNI_NUMBER_BYTES]);

#endif
