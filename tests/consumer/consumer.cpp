// SPDX-License-Identifier: Apache-2.0
//
// The public headers from C++: what a game engine does first.
#include <sinew/sinew.h>

#include <cstdio>

int main() {
    sn_error error = {};
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context = nullptr;
    sn_character *character = nullptr;
    sn_model *model = nullptr;
    bool done = sn_context_create(&desc, &context, &error) == SN_OK &&
                sn_character_create(context, "empty", &character, &error) == SN_OK &&
                sn_model_create(character, nullptr, &model, &error) == SN_OK;
    if (done) {
        sn_vec3 up = sn_quat_rotate(sn_quat_identity(), sn_vec3_make(0, 1, 0));
        std::printf("%s has %u surfaces, up is %g\n", sn_model_name(model),
                    sn_model_surface_count(model), up.y);
    }
    sn_model_destroy(model);
    sn_character_destroy(character);
    sn_context_destroy(context);
    return done ? 0 : 1;
}
