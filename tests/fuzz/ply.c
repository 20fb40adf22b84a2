// SPDX-License-Identifier: Apache-2.0
//
// The PLY reader.
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_import_destroy(fuzz_read("fuzz.ply", data, size));
    return 0;
}
