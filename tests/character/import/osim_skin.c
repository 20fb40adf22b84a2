// SPDX-License-Identifier: Apache-2.0
//
// Skins of OpenSim models: one closed surface without holes, with all bones under it.
#include "test.h"

#include "geometry/interior.h"
#include "sinew/sinew.h"

#include <math.h>

static sn_vec3 point_of(const sn_model *model, const sn_surface *surface, size_t vertex) {
    sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * vertex);
    return surface->in_segment_frame
               ? sn_mat4_point(&sn_model_rest_worlds(model)[surface->segment], p)
               : p;
}

// The share of a bone's vertices outside of the skin, and how far out they are.
static double outside_of(const sn_model *model, const sn_surface *bone,
                         const sni_interior *interior, double *distance) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < bone->mesh->vertex_count; ++v) {
        sn_vec3 p = point_of(model, bone, v);
        if (!sni_interior_contains(interior, p)) {
            sn_closest closest;
            ++count;
            sn_accel_find_closest(interior->accel, p, INFINITY, &closest);
            *distance = fmax(*distance, closest.distance);
        }
    }
    return (double)count / bone->mesh->vertex_count;
}

static void check_skin(const sn_mesh *skin) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(skin, &topology, error));
    sn_topology_summarize(skin, topology, &summary);
    assert_true(summary.closed);
    assert_int_equal(summary.components, 1);
    // Vertices - edges + faces = 2 - 2 holes.
    int64_t chi = (int64_t)skin->vertex_count - topology->edge_count + skin->face_count;
    print_message("  %u vertices, 1 piece, %d holes\n", skin->vertex_count, (int)(2 - chi) / 2);
    assert_int_equal(chi, 2);
    sn_topology_destroy(topology);
}

static void check_model(const char *file) {
    sn_context *context = snt_context(2);
    sn_osim_desc desc = sn_osim_desc_default();
    sn_character *character = NULL;
    sn_model *model = NULL;
    sni_interior interior = {0};
    double distance = 0, worst = 0;
    const char *name = "";
    char path[512];
    snprintf(path, sizeof path, "%s", snt_data(file));
    snt_ok(sn_character_from_osim(context, path, &desc, "new.sinew.json", &character, NULL, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    const sn_mesh *skin = sn_model_surface(model, sn_model_find_surface(model, "skin"))->mesh;
    print_message("%s:\n", file);
    check_skin(skin);
    snt_ok(sni_interior_init(&interior, skin, skin->positions, error));
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        if (surface->layer == SN_LAYER_BONE) {
            double share = outside_of(model, surface, &interior, &distance);
            name = share > worst ? surface->name : name;
            worst = fmax(worst, share);
        }
    }
    print_message("  outside of the skin %.2f %% of the vertices of \"%s\", %.2g mm at most\n",
                  100 * worst, name, 1000 * distance);
    assert_true(worst < 0.02 && distance < 0.003);
    sni_interior_deinit(&interior);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void legs_have_no_holes_at_the_pelvis(void **state) {
    (void)state;
    check_model("osim/gait2392.osim");
}

static void an_arm_has_fingertips(void **state) {
    (void)state;
    check_model("osim/arm26.osim");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_have_no_holes_at_the_pelvis),
        cmocka_unit_test(an_arm_has_fingertips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
