// SPDX-License-Identifier: Apache-2.0
//
// The OpenSim table reader.
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_import_destroy(fuzz_read("fuzz.sto", data, size));
    return 0;
}
