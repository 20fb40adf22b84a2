// SPDX-License-Identifier: Apache-2.0
//
// The VTK PolyData reader.
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_import_destroy(fuzz_read("fuzz.vtp", data, size));
    return 0;
}
