// SPDX-License-Identifier: Apache-2.0
//
// A program of somebody else, as C and as C++: a call of each public header, so that each is found
// in the library under the name that the compiler gives it. WITH_MAKE and WITH_RENDER say what the
// library was built with.
#include <sinew/sinew.h>

#include <stdio.h>
#include <string.h>

// What needs no character: true where everything answered as it should.
static bool use_parts(sn_context *context) {
    sn_quat turn = sn_quat_between(sn_vec3_make(1, 0, 0), sn_vec3_make(0, 1, 0)); // vector.h
    sn_vec3 up = sn_quat_rotate(turn, sn_vec3_make(1, 0, 0));
    sn_json *json = NULL; // json.h
    sn_mesh *mesh = NULL; // mesh.h
    bool done = sn_json_create(context, &json, NULL) == SN_OK &&
                sn_mesh_create(context, "nothing", 0, 0, 0, &mesh, NULL) == SN_OK;
    sn_triangles *triangles = NULL; // geometry.h
    done = done && sn_triangles_create(mesh, mesh->positions, &triangles, NULL) == SN_OK;
    done = done && up.y > 0.999 && sn_wrap_desc_default().check != 0; // skin.h
    done = done && sn_retarget_desc_default().check != 0;             // motion.h
    done = done && sn_pose_desc_default().check != 0;                 // live.h
    done = done && sn_kind_count(SN_KIND_MUSCLE) > 0;                 // kinds.h
    done = done && strcmp(sn_import_extensions()[0], ".glb") == 0;    // io.h
#if defined(WITH_MAKE)
    done = done && sn_extract_desc_default().check != 0; // fit.h
#endif
#if defined(WITH_RENDER)
    done = done && sn_picture_desc_default().check != 0; // render.h
#endif
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    sn_json_destroy(json);
    return done;
}

int main(void) {
    sn_context_desc desc = sn_context_desc_default(); // base.h
    sn_context *context = NULL;
    sn_character *character = NULL; // character.h
    sn_model *model = NULL;         // eval.h
    bool done = sn_context_create(&desc, &context, NULL) == SN_OK && use_parts(context) &&
                sn_character_create(context, "empty", &character, NULL) == SN_OK &&
                sn_model_create(character, NULL, &model, NULL) == SN_OK;
    if (done) {
        printf("%s has %u surfaces\n", sn_model_name(model), sn_model_surface_count(model));
    }
    sn_model_destroy(model);
    sn_character_destroy(character);
    sn_context_destroy(context);
    return done ? 0 : 1;
}
