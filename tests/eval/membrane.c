// SPDX-License-Identifier: Apache-2.0
//
// A skin over bones, tissue and a muscle in a model.
#include "toy.h"

#include "../geometry/shapes.h"
#include "eval/model.h"
#include "sinew/fit.h"

static const char body_text[] =
    "{'sinew': 1, 'name': 'limb', 'skeleton': {'upper': {},\n"
    "'lower': {'parent': 'upper', 'translation': [0, 1, 0]}},\n"
    "'meshes': {'skin': {}, 'upper': {}, 'lower': {}},\n"
    "'bones': {'upper': {'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.12, 0.5, 0.12]},\n"
    "'segment': 'upper'}, 'lower': {'ellipsoid': {'center': [0, 0.5, 0],\n"
    "'radii': [0.12, 0.5, 0.12]}, 'segment': 'lower'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [0, 0.9, 0], 'radii': [0.2, 0.2, 0.2]},\n"
    "'segment': 'upper'},\n"
    "'eye': {'ellipsoid': {'center': [5, 0, 0], 'radii': [0.1, 0.1, 0.1]}, 'segment': 'upper',\n"
    "'feature': true}},\n"
    "'muscles': {'flexor': {'kind': 'cylinder', 'origins': [{'bone': 'upper', 'at': [0.4, 0.3, "
    "1]},\n"
    "{'bone': 'upper', 'at': [0.6, 0.3, 1]}], 'insertions': [{'bone': 'lower', 'at': [0.4, 0.4, "
    "1]},\n"
    "{'bone': 'lower', 'at': [0.6, 0.4, 1]}]}},\n"
    "'skins': {'skin': {'mesh': 'skin', %s'deformers': [{'kind': 'membrane'%s}]}}}";

typedef struct limb {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} limb;

// A skin of the limb's parts.
static sn_mesh *extract(sn_context *context) {
    static const double spheres[3][4] = {{0, 0.5, 0, 0.5}, {0, 1.5, 0, 0.5}, {0, 0.9, 0, 0.2}};
    sn_mat4 places[3];
    sn_extract_part parts[3];
    for (int i = 0; i < 3; ++i) {
        double wide = i < 2 ? 0.2 : 0.24;
        sn_transform place = {{spheres[i][0], spheres[i][1], spheres[i][2]},
                              {0, 0, 0, 1},
                              {wide, spheres[i][3], wide}};
        places[i] = sn_mat4_from_transform(&place);
        parts[i] = (sn_extract_part){.name = "part", .ellipsoid = &places[i], .density = 1};
    }
    sn_extract_desc desc = sn_extract_desc_default();
    desc.parts = parts;
    desc.part_count = 3;
    desc.dimension = 90;
    desc.filter = 2;
    sn_mesh *mesh = NULL;
    snt_ok(sn_extract_skin(context, &desc, NULL, &mesh, NULL, error));
    return mesh;
}

static sn_status try_limb(limb *l, const char *segment, const char *deformer, sn_error *error) {
    char text[4096];
    snprintf(text, sizeof text, body_text, segment, deformer);
    l->context = snt_context(2);
    sn_status status = parse_quoted(l->context, "limb.sinew.json", text, &l->character, error);
    if (status == SN_OK) {
        status = sn_character_give_mesh(l->character, "skin", extract(l->context), error);
    }
    if (status == SN_OK) {
        status = sn_model_create(l->character, NULL, &l->model, error);
    }
    if (status == SN_OK) {
        status = sn_frame_create(l->model, &l->frame, error);
    }
    return status;
}

static void end_limb(limb *l) {
    sn_frame_destroy(l->frame);
    sn_model_destroy(l->model);
    sn_character_destroy(l->character);
    snt_context_end(l->context);
}

static uint32_t find_skin(const limb *l) {
    for (uint32_t i = 0; i < sn_model_surface_count(l->model); ++i) {
        if (sn_model_surface(l->model, i)->layer == SN_LAYER_SKIN) {
            return i;
        }
    }
    return SN_NONE;
}

static void a_skin_hangs_on_all_that_lies_under_it(void **state) {
    (void)state;
    limb l = {0};
    snt_ok(try_limb(&l, "", "", error));
    uint32_t skin = find_skin(&l);
    const sni_bound_deformer *deformer = &l.model->bound[skin].deformers[0];
    assert_int_equal(sni_bound_component_count(deformer), 4); // not the eye
    // Rigid motion of the whole body moves the skin rigidly.
    const sn_mesh *mesh = sn_model_surface(l.model, skin)->mesh;
    size_t bytes = 3 * (size_t)mesh->vertex_count * sizeof(float);
    float *rest = sni_copy(l.context, sn_frame_points(l.frame, skin), 1, bytes);
    snt_ok(sn_frame_set(l.frame, "upper.tx", 0.5, error));
    snt_ok(sn_frame_set(l.frame, "upper.ry_deg", 90, error));
    snt_ok(sn_frame_evaluate(l.frame, NULL, 0, error));
    const float *moved = sn_frame_points(l.frame, skin);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        snt_near((double)moved[3 * i], 0.5 + (double)rest[3 * i + 2], 1e-5);
        snt_near((double)moved[3 * i + 1], (double)rest[3 * i + 1], 1e-5);
        snt_near((double)moved[3 * i + 2], -(double)rest[3 * i], 1e-5);
    }
    sni_free(l.context, rest);
    end_limb(&l);
}

static void a_bent_limb_has_a_whole_skin(void **state) {
    (void)state;
    static const char *const deformers[] = {", 'blend': 0, 'rounds': 0",
                                            ", 'blend': 0, 'accelerate': 'yes'", ""};
    double largest[3];
    for (int i = 0; i < 3; ++i) {
        limb l = {0};
        snt_ok(try_limb(&l, "", deformers[i], error));
        uint32_t skin = find_skin(&l);
        const sn_mesh *mesh = sn_model_surface(l.model, skin)->mesh;
        snt_ok(sn_frame_set(l.frame, "lower.rx_deg", 70, error));
        snt_ok(sn_frame_evaluate(l.frame, NULL, 0, error));
        const float *points = sn_frame_points(l.frame, skin);
        largest[i] = 0;
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            for (uint32_t k = 0; k < 3; ++k) {
                size_t a = 3 * (size_t)mesh->corners[3 * f + k];
                size_t b = 3 * (size_t)mesh->corners[3 * f + (k + 1) % 3];
                double rest = sn_vec3_distance(sn_vec3_load(mesh->positions + a),
                                               sn_vec3_load(mesh->positions + b));
                double now = sn_vec3_distance(sn_vec3_load(points + a), sn_vec3_load(points + b));
                largest[i] = fmax(largest[i], now / rest);
            }
        }
        end_limb(&l);
    }
    assert_true(largest[1] < 0.5 * largest[0]);
    assert_true(largest[2] < 0.85 * largest[1]);
}

static void components_can_be_chosen(void **state) {
    (void)state;
    limb l = {0};
    snt_ok(try_limb(&l, "", ", 'components': ['lower', 'fat', 'flexor']", error));
    const sni_bound_deformer *deformer = &l.model->bound[find_skin(&l)].deformers[0];
    assert_int_equal(sni_bound_component_count(deformer), 3);
    static const char *const names[] = {"lower", "fat", "flexor"};
    for (int i = 0; i < 3; ++i) {
        assert_string_equal(sn_model_surface(l.model, sni_bound_component(deformer, i))->name,
                            names[i]);
    }
    end_limb(&l);
}

static void wrong_documents_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *segment, *deformer, *message;
    } cases[] = {
        {"", ", 'components': ['lowr']",
         "there is no bone, tissue or muscle \"lowr\"; did you mean \"lower\"?"},
        {"", ", 'components': ['fat', 'fat']", "\"fat\" is named twice"},
        {"", ", 'components': ['eye']",
         "a skin cannot lie on \"eye\": it is a feature or negative"},
        {"", ", 'components': []", "expected at least 1 value"},
        {"", ", 'rounds': 1.5",
         "/skins/skin/deformers/0/rounds: expected a whole number, found 1.5"},
        {"", ", 'colliders': ['fat']", "colliders"},
        {"'segment': 'upper', ", "", "\"membrane\" moves in the world"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        limb l = {0};
        snt_fails(SN_INVALID, cases[i].message,
                  try_limb(&l, cases[i].segment, cases[i].deformer, error));
        end_limb(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skin_hangs_on_all_that_lies_under_it),
        cmocka_unit_test(a_bent_limb_has_a_whole_skin),
        cmocka_unit_test(components_can_be_chosen),
        cmocka_unit_test(wrong_documents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
