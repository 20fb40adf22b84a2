// SPDX-License-Identifier: Apache-2.0
//
// The inputs of deformers and muscles, one after the other.
#include "eval/rest.h"

sn_status sni_inputs_digest(const sni_collecting *collecting, const sni_input_use *uses,
                            void *const *plans, sni_digest *digest, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL && status == SN_OK; ++i) {
        sni_digest_add_index(digest, plans[i] != NULL);
        if (plans[i] != NULL) {
            status = uses[i].input->digest(collecting, plans[i], digest, error);
        }
    }
    return status;
}

sn_status sni_inputs_collect(const sni_collecting *collecting, const sni_input_use *uses,
                             void *const *plans, const void **blocks, void **kept,
                             sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL && status == SN_OK; ++i) {
        if (plans[i] != NULL) {
            status = uses[i].input->collect(collecting, plans[i], &blocks[i], &kept[i], error);
        }
    }
    return status;
}

void sni_inputs_free(sn_context *context, void **kept) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST; ++i) {
        sni_free(context, kept[i]);
    }
}

bool sni_inputs_pose(const sni_posing *posing, const sni_input_use *uses, void *const *plans,
                     void *const *kept, const void **blocks) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL; ++i) {
        if (plans[i] != NULL && uses[i].input->pose != NULL) {
            blocks[i] = uses[i].input->pose(posing, plans[i], kept[i]);
            if (blocks[i] == NULL) {
                return false;
            }
        }
    }
    return true;
}
