// SPDX-License-Identifier: Apache-2.0
#include "cmocka.h"

jmp_buf snt_plain_end;
