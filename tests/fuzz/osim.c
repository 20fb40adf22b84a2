// SPDX-License-Identifier: Apache-2.0
//
// The OpenSim reader, and the document that is made of what it read; meshes are not there.
#include "import.h"

#include "character/import/osim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_context *context = fuzz_context();
    size_t before = sn_context_bytes(context);
    sn_osim_desc desc = sn_osim_desc_default();
    sn_osim_report report = {.context = context};
    sn_character *character = NULL;
    sni_osim *model = NULL;
    sn_error error = {0};
    sn_status status =
        sni_osim_parse(context, "fuzz.osim", (const char *)data, size, &model, &error);
    if (status == SN_OK) {
        status = sni_character_from_osim(model, "fuzz.osim", &desc, "fuzz.sinew.json", &character,
                                         &report, &error);
    }
    if (status != SN_OK && (error.status != status || error.message[0] == 0)) {
        abort();
    }
    sn_character_destroy(character);
    sn_osim_report_deinit(&report);
    sni_osim_destroy(model);
    if (sn_context_bytes(context) != before) {
        abort();
    }
    return 0;
}
