// SPDX-License-Identifier: Apache-2.0
//
// Values at vertices: each against its definition, found another way.
#include "toy.h"

#include "geometry/interior.h"

static sn_values_desc of(sn_quantity quantity) {
    sn_values_desc desc = sn_values_desc_default();
    desc.quantity = quantity;
    return desc;
}

static float *values_of(const sn_frame *frame, uint32_t surface, const sn_values_desc *desc) {
    uint32_t count = sn_model_surface(sn_frame_model(frame), surface)->mesh->vertex_count;
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    assert_true(sn_values_exist(sn_frame_model(frame), surface, desc));
    snt_ok(sn_frame_values(frame, surface, desc, values, error));
    return values;
}

// A skin around two bones, a tissue and a muscle, parts of which stick out of it; an open bone, a
// feature and a negative tissue count for nothing.
static const char body_text[] =
    "{'sinew': 1, 'name': 'body', 'skeleton': {'a': {}, 'b': {'parent': 'a',\n"
    "'translation': [0, 1.2, 0]}}, 'meshes': {'open': {}, 'skin': {'extract': {'dimension': 60,\n"
    "'filter': 1.5, 'parts': ['a', 'b']}}}, 'bones': {\n"
    "'a': {'ellipsoid': {'radii': [0.3, 0.8, 0.25], 'detail': 6}, 'segment': 'a'},\n"
    "'b': {'ellipsoid': {'radii': [0.25, 0.8, 0.3], 'detail': 6}, 'segment': 'b'},\n"
    "'open': {'mesh': 'open', 'segment': 'a'}}, 'tissues': {\n"
    "'fat': {'ellipsoid': {'center': [0, 0.6, 0.2], 'radii': [0.3, 0.3, 0.3], 'detail': 5},\n"
    "'segment': 'a'}, 'eye': {'ellipsoid': {'radii': [2, 2, 2]}, 'segment': 'a', 'feature': "
    "true},\n"
    "'gap': {'ellipsoid': {'radii': [2, 2, 2]}, 'segment': 'a', 'density': -0.0001}},\n"
    "'muscles': {'m': {'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0, 1]},\n"
    "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 1]}}},\n"
    "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane',\n"
    "'components': ['a', 'b', 'm']}]}}}";

static toy body_make(uint32_t threads) {
    toy t = {.context = snt_context(threads)};
    snt_ok(parse_quoted(t.context, "body.sinew.json", body_text, &t.character, error));
    snt_ok(sn_character_give_mesh(t.character, "open", toy_tube(t.context, "open", 0.5), error));
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

// The least signed distance from the surfaces named, each looked at whole.
static void check_depths(const toy *t, const float *values) {
    static const char *const parts[] = {"a", "b", "fat", "m"};
    sni_interior interiors[4];
    uint32_t skin = surface_of(t->model, "skin"), below = 0;
    for (int k = 0; k < 4; ++k) {
        const sn_mesh *mesh = sn_model_surface(t->model, surface_of(t->model, parts[k]))->mesh;
        snt_ok(sni_interior_init(&interiors[k], mesh, points_of(t->frame, parts[k]), error));
    }
    for (uint32_t v = 0; v < sn_model_surface(t->model, skin)->mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(sn_frame_points(t->frame, skin) + 3 * (size_t)v);
        double least = INFINITY;
        for (int k = 0; k < 4; ++k) {
            sn_closest found;
            sn_accel_find_closest(interiors[k].accel, p, INFINITY, &found);
            bool inside = sni_interior_contains(&interiors[k], p);
            least = fmin(least, inside ? -found.distance : found.distance);
        }
        snt_near(values[v], least, 2e-6);
        below += least < 0;
    }
    assert_true(below > 10); // there is something of both
    assert_true(below < sn_model_surface(t->model, skin)->mesh->vertex_count / 2);
    for (int k = 0; k < 4; ++k) {
        sni_interior_deinit(&interiors[k]);
    }
}

static void depths_are_the_least_of_all(void **state) {
    (void)state;
    toy t = body_make(2);
    uint32_t skin = surface_of(t.model, "skin");
    sn_values_desc desc = of(SN_QUANTITY_DEPTH);
    const double angles[] = {0, 40, -70, 10};
    for (int i = 0; i < 4; ++i) { // trees are kept and refitted
        snt_ok(sn_frame_set(t.frame, "b.rx_deg", angles[i], error));
        if (i == 3) {
            snt_ok(sn_frame_set(t.frame, "a.tx", 0.3, error));
            snt_ok(sn_frame_set(t.frame, "a.ry_deg", 70, error));
        }
        snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
        float *values = values_of(t.frame, skin, &desc);
        check_depths(&t, values);
        free(values);
    }
    toy_end(&t);
}

static void depths_have_the_same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (uint32_t i = 0; i < 2; ++i) {
        toy t = body_make(1 + 2 * i);
        uint32_t skin = surface_of(t.model, "skin");
        snt_ok(sn_frame_set(t.frame, "b.rx_deg", 30, error));
        snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
        sn_values_desc desc = of(SN_QUANTITY_DEPTH);
        float *values = values_of(t.frame, skin, &desc);
        uint32_t count = sn_model_surface(t.model, skin)->mesh->vertex_count;
        hashes[i] = hash_bytes(1, values, count * sizeof *values);
        free(values);
        toy_end(&t);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void components_are_surfaces(void **state) {
    (void)state;
    toy t = body_make(1);
    uint32_t skin = surface_of(t.model, "skin"), m = surface_of(t.model, "m");
    sn_values_desc desc = of(SN_QUANTITY_COMPONENT);
    float *values = values_of(t.frame, skin, &desc), *own = values_of(t.frame, m, &desc);
    bool seen = false;
    for (uint32_t v = 0; v < sn_model_surface(t.model, skin)->mesh->vertex_count; ++v) {
        assert_true(values[v] == truncf(values[v]));
        assert_true(values[v] <= (float)m);
        seen = seen || values[v] == (float)m;
    }
    assert_true(seen && own[0] == (float)m);
    free(values);
    free(own);
    assert_true(sn_quantity_range(t.model, SN_QUANTITY_COMPONENT).categories);
    toy_end(&t);
}

static void volumes_are_those_of_the_muscle(void **state) {
    (void)state;
    toy t = body_make(1);
    uint32_t m = surface_of(t.model, "m");
    snt_ok(sn_frame_set(t.frame, "b.ty", -0.3, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    sn_values_desc desc = of(SN_QUANTITY_VOLUME);
    float *values = values_of(t.frame, m, &desc);
    sn_muscle_state s;
    assert_true(sn_frame_muscle_state(t.frame, m, &s));
    snt_near(values[0], s.volume / s.rest_volume - 1, 1e-6);
    snt_near(values[5], values[0], 0);
    free(values);
    toy_end(&t);
}

static void stretch_is_the_mean_of_edges(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_ALL);
    uint32_t body = surface_of(t.model, "body");
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 100, error));
    sn_values_desc desc = of(SN_QUANTITY_STRETCH);
    float *values = values_of(t.frame, body, &desc);
    const float *rest = sn_model_surface(t.model, body)->mesh->positions;
    const float *now = sn_frame_points(t.frame, body);
    uint32_t v = 70 * TOY_SIDES + 3, near[4] = {v - 1, v + 1, v - TOY_SIDES, v + TOY_SIDES};
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += sn_vec3_distance(sn_vec3_load(now + 3 * (size_t)v),
                                sn_vec3_load(now + 3 * (size_t)near[k])) /
               sn_vec3_distance(sn_vec3_load(rest + 3 * (size_t)v),
                                sn_vec3_load(rest + 3 * (size_t)near[k]));
    }
    snt_near(values[v], sum / 4, 1e-6);
    free(values);
    toy_end(&t);
}

static void weights_are_those_of_a_segment_or_a_deformer(void **state) {
    (void)state;
    toy t = toy_make(1, "'body': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'weights':\n"
                        "[{'weight': 0.5}, {'points': [10, 19]}]}, {'kind': 'blend'}, {'kind':\n"
                        "'morph'}]}, 'coat': {'mesh': 'coat'}");
    uint32_t body = surface_of(t.model, "body"), coat = surface_of(t.model, "coat");
    static const char *const segments[] = {"root", "upper", "lower"};
    float *values[3];
    sn_values_desc desc = of(SN_QUANTITY_WEIGHTS);
    for (int k = 0; k < 3; ++k) {
        desc.segment = segments[k];
        values[k] = values_of(t.frame, body, &desc);
    }
    assert_true(values[0][0] == 1 && values[2][TOY_VERTICES - 1] == 1);
    for (uint32_t v = 0; v < TOY_VERTICES; ++v) {
        snt_near(values[0][v] + values[1][v] + values[2][v], 1, 1e-6);
    }
    for (int k = 0; k < 3; ++k) {
        free(values[k]);
    }
    assert_false(sn_values_exist(t.model, coat, &desc));
    float one[TOY_VERTICES];
    snt_fails(SN_INVALID, "the skin \"coat\" has no `blend`",
              sn_frame_values(t.frame, coat, &desc, one, error));
    desc.segment = "nose";
    snt_fails(SN_INVALID, "there is no segment \"nose\"",
              sn_frame_values(t.frame, body, &desc, one, error));
    desc.segment = NULL;
    desc.deformer = 0;
    snt_ok(sn_frame_values(t.frame, body, &desc, one, error));
    assert_true(one[9] == 0.5f && one[10] == 1 && one[19] == 1 && one[20] == 0.5f);
    desc.deformer = 2;
    snt_ok(sn_frame_values(t.frame, body, &desc, one, error));
    assert_true(one[0] == 1);
    desc.deformer = 1;
    snt_fails(SN_INVALID, "deformer 1 of the skin \"body\" is a `blend`: name a segment",
              sn_frame_values(t.frame, body, &desc, one, error));
    desc.deformer = 3;
    snt_fails(SN_INVALID, "the skin \"body\" has 3 deformers",
              sn_frame_values(t.frame, body, &desc, one, error));
    toy_end(&t);
}

static void refuses_what_is_not_there(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    float one[TOY_VERTICES];
    uint32_t body = surface_of(t.model, "body"), stick = surface_of(t.model, "stick");
    sn_values_desc desc = of(SN_QUANTITY_SHORTENING);
    snt_fails(SN_INVALID, "\"body\" has no values of shortening: it is no muscle",
              sn_frame_values(t.frame, body, &desc, one, error));
    desc.quantity = SN_QUANTITY_STRETCH;
    snt_fails(SN_INVALID, "\"stick\" has no values of stretch: it is no skin",
              sn_frame_values(t.frame, stick, &desc, one, error));
    desc.quantity = SN_QUANTITY_DEPTH; // both bones are open
    snt_fails(SN_INVALID, "no bone, tissue or muscle is closed",
              sn_frame_values(t.frame, body, &desc, one, error));
    desc.quantity = SN_QUANTITY_NONE;
    snt_fails(SN_INVALID, "there is no quantity 0",
              sn_frame_values(t.frame, body, &desc, one, error));
    desc.check = 0;
    snt_fails(SN_INVALID, "sn_values_desc_default",
              sn_frame_values(t.frame, body, &desc, one, error));
    assert_false(sn_values_exist(t.model, 99, &desc));
    toy_end(&t);
}

static void quantities_have_names_and_ranges(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    for (int q = 1; q < SN_QUANTITY_COUNT; ++q) {
        assert_int_equal(sn_quantity_find(sn_quantity_name((sn_quantity)q)), q);
        sn_color_range range = sn_quantity_range(t.model, (sn_quantity)q);
        assert_true(range.low < range.high);
        assert_non_null(range.title);
    }
    assert_int_equal(sn_quantity_find("none"), SN_QUANTITY_NONE);
    assert_int_equal(sn_quantity_find("nose"), SN_QUANTITY_NONE);
    sn_color_range depth = sn_quantity_range(t.model, SN_QUANTITY_DEPTH);
    snt_near(depth.low, -depth.high, 0);
    snt_near(depth.high, 0.02, 1e-12); // of a body of 3 metres
    toy_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_are_the_least_of_all),
        cmocka_unit_test(depths_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(components_are_surfaces),
        cmocka_unit_test(volumes_are_those_of_the_muscle),
        cmocka_unit_test(stretch_is_the_mean_of_edges),
        cmocka_unit_test(weights_are_those_of_a_segment_or_a_deformer),
        cmocka_unit_test(refuses_what_is_not_there),
        cmocka_unit_test(quantities_have_names_and_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
