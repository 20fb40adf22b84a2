// SPDX-License-Identifier: Apache-2.0
//
// The bytes of data/head/tissue-depths.json, made by CMake.
#ifndef SINEW_FIT_HEAD_SHIPPED_DEPTHS_H
#define SINEW_FIT_HEAD_SHIPPED_DEPTHS_H

#include <stddef.h>

extern const char sni_shipped_depths[];
extern const size_t sni_shipped_depths_size;

#endif
