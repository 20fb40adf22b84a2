// SPDX-License-Identifier: Apache-2.0
//
// What portraits paint on skins.
#include "test.h"

#include "../character/documents.h"
#include "eval/measures.h"
#include "render/color.h"
#include "render/quantity.h"

#include <math.h>
#include <string.h>

// Two balls in a skin of their own; `feature` and 'plain' are no part of it.
static const char pair_text[] =
    "{'sinew': 1, 'name': 'pair', 'skeleton': {'a': {}, 'b': {'parent': 'a',\n"
    "'translation': [0, 1.2, 0]}}, 'bones': {\n"
    "'a': {'ellipsoid': {'radii': [0.6, 0.8, 0.5]}, 'segment': 'a'},\n"
    "'b': {'ellipsoid': {'radii': [0.5, 0.8, 0.6]}, 'segment': 'b'}},\n"
    "'tissues': {'eye': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'a',\n"
    "'feature': true}},\n"
    "'meshes': {'skin': {'extract': {'dimension': 40, 'filter': 1}}},\n"
    "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane'}]},\n"
    "'plain': {'mesh': 'skin', 'show': %s}}}";

typedef struct pair {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} pair;

enum { A, B, EYE, SKIN, PLAIN }; // surfaces

static void set_up(pair *p, const char *show_plain) {
    char text[2048];
    snprintf(text, sizeof text, pair_text, show_plain);
    p->context = snt_context(2);
    snt_ok(parse_quoted(p->context, "pair.sinew.json", text, &p->character, error));
    snt_ok(sn_model_create(p->character, NULL, &p->model, error));
    snt_ok(sn_frame_create(p->model, &p->frame, error));
}

static void tear_down(pair *p) {
    sn_frame_destroy(p->frame);
    sn_model_destroy(p->model);
    sn_character_destroy(p->character);
    snt_context_end(p->context);
}

// The paint of a surface where the frame stands.
static sni_paint paint(const pair *p, uint32_t surface, sn_quantity quantity, bool *paints) {
    sni_paint made = {0};
    sn_values_desc desc = sn_values_desc_default();
    desc.quantity = quantity;
    snt_ok(sni_paint_init(p->model, surface, &desc, &made, paints, error));
    snt_ok(sni_paint_update(p->frame, surface, &desc, &made, error));
    return made;
}

static void each_component_has_a_colour(void **state) {
    (void)state;
    pair p;
    bool paints;
    set_up(&p, "false");
    sni_paint a = paint(&p, A, SN_QUANTITY_COMPONENT, &paints);
    sni_paint b = paint(&p, B, SN_QUANTITY_COMPONENT, &paints);
    assert_true(a.has_base && b.has_base && !paints);
    assert_memory_not_equal(a.base, b.base, sizeof a.base);
    assert_false(paint(&p, EYE, SN_QUANTITY_COMPONENT, &paints).has_base);
    sni_paint plain = paint(&p, PLAIN, SN_QUANTITY_COMPONENT, &paints);
    assert_true(!paints && plain.colors.values == NULL);
    sni_paint skin = paint(&p, SKIN, SN_QUANTITY_COMPONENT, &paints);
    assert_true(paints && skin.colors.values != NULL);
    // The ends of the skin hang on the ball there.
    const sn_mesh *mesh = sn_model_surface(p.model, SKIN)->mesh;
    assert_int_equal(skin.colors.count, mesh->vertex_count);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float y = mesh->positions[3 * (size_t)i + 1];
        const float *color = skin.colors.values + 3 * (size_t)i;
        if (y < 0.3f || y > 0.9f) {
            assert_memory_equal(color, y < 0.3f ? a.base : b.base, sizeof a.base);
        }
        for (int k = 0; k < 3; ++k) {
            assert_true(color[k] >= 0 && color[k] <= 1);
        }
    }
    sni_paint_deinit(p.context, &skin);
    tear_down(&p);
}

// The page of the studio has the same: tests/studio/viewport-logic.test.mjs.
static void components_have_these_colours(void **state) {
    (void)state;
    const uint8_t expected[][3] = {{255, 157, 118}, {113, 107, 193}, {131, 254, 208}};
    for (uint32_t i = 0; i < 3; ++i) {
        float color[3], again[3];
        sn_component_color(i, color);
        sn_component_color(i + 16, again);
        assert_memory_equal(color, again, sizeof color);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(sni_srgb_byte(color[k]), expected[i][k]);
        }
    }
}

static void largest_stretch_is_that_of_the_triangles_around(void **state) {
    (void)state;
    pair p;
    bool paints;
    set_up(&p, "false");
    snt_ok(sn_frame_set(p.frame, "b.rx_deg", 50, error));
    snt_ok(sn_frame_evaluate(p.frame, NULL, 0, error));
    const sn_mesh *mesh = sn_model_surface(p.model, SKIN)->mesh;
    sni_paint skin = paint(&p, SKIN, SN_QUANTITY_LARGEST_STRETCH, &paints);
    assert_true(paints);
    float most = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        most = fmaxf(most, skin.values[i]);
    }
    // The report's largest.
    sni_measures *measures = NULL;
    sni_frame_measures m;
    snt_ok(sni_measures_create(p.model, &measures, error));
    snt_ok(sni_measures_run(measures, p.frame, &m, error));
    assert_true(most == (float)m.stretched.stretch && most > 1);
    for (int k = 0; k < 3; ++k) {
        assert_true(skin.values[m.stretched.vertices[k]] == most);
    }
    sni_measures_destroy(measures);
    sni_paint_deinit(p.context, &skin);
    tear_down(&p);
}

static void components_need_a_membrane(void **state) {
    (void)state;
    pair p;
    set_up(&p, "true");
    sn_portrait *portrait = NULL;
    sn_portrait_desc desc = sn_portrait_desc_default();
    desc.quantity = SN_QUANTITY_COMPONENT;
    snt_ok(sn_portrait_create(p.model, &desc, &portrait, error));
    sn_portrait_destroy(portrait);
    desc.skin = false;
    desc.bones = true;
    snt_ok(sn_portrait_create(p.model, &desc, &portrait, error));
    sn_portrait_destroy(portrait);
    sn_frame_destroy(p.frame);
    p.frame = NULL;
    sn_model_destroy(p.model);
    p.model = NULL;
    sn_json *json = sn_character_document(p.character);
    sn_json_remove((sn_value *)sn_json_find(json, "/skins/skin"));
    snt_ok(sn_model_create(p.character, NULL, &p.model, error));
    desc.skin = true;
    snt_fails(SN_INVALID, "no shown skin has components",
              sn_portrait_create(p.model, &desc, &portrait, error));
    assert_null(portrait);
    tear_down(&p);
}

// Two bones with muscles between them, one of which has a control; `nearer` is how much shorter
// they are.
static const char muscles_text[] =
    "{'sinew': 1, 'name': 'm', 'skeleton': {'a': {}, 'b': {'parent': 'a',\n"
    "'translation': [0, 1, 0]}}, 'bones': {\n"
    "'a': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'a'},\n"
    "'b': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'b'}},\n"
    "'controls': {'drive': {}}, 'muscles': {\n"
    "'told': {'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0.5, 0.5]},\n"
    "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 0.5]}, %s},\n"
    "'plain': {'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0.5, 1]},\n"
    "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 1]}}}}";

static void set_up_muscles(pair *p, const char *key) {
    char text[2048];
    snprintf(text, sizeof text, muscles_text, key);
    p->context = snt_context(1);
    snt_ok(parse_quoted(p->context, "m.sinew.json", text, &p->character, error));
    snt_ok(sn_model_create(p->character, NULL, &p->model, error));
    snt_ok(sn_frame_create(p->model, &p->frame, error));
    snt_ok(sn_frame_set(p->frame, "b.ty", -0.125, error));
    snt_ok(sn_frame_set(p->frame, "drive", 0.25, error));
    snt_ok(sn_frame_evaluate(p->frame, NULL, 0, error));
}

static void muscles_have_the_colour_of_what_they_do(void **state) {
    (void)state;
    enum { TOLD = 2, UNTOLD };
    const sn_quantity quantities[] = {SN_QUANTITY_SHORTENING, SN_QUANTITY_ACTIVATION};
    const float expected[] = {0.5f, 0.25f};
    pair p;
    set_up_muscles(&p, "'activation': 'drive'");
    for (int q = 0; q < 2; ++q) {
        bool paints;
        sni_paint bone = paint(&p, A, quantities[q], &paints);
        assert_true(!paints && bone.values == NULL);
        sni_paint told = paint(&p, TOLD, quantities[q], &paints);
        assert_true(paints);
        sni_paint untold = paint(&p, UNTOLD, quantities[q], &paints);
        assert_true(paints == (q == 0));
        for (uint32_t v = 0; v < sn_model_surface(p.model, TOLD)->mesh->vertex_count; ++v) {
            snt_near(told.values[v], expected[q], 1e-6);
            assert_true(q == 1 ? isnan(untold.values[v]) : untold.values[v] == told.values[v]);
        }
        sni_paint_deinit(p.context, &told);
        sni_paint_deinit(p.context, &untold);
    }
    tear_down(&p);
}

static void quantities_of_muscles_need_muscles(void **state) {
    (void)state;
    pair p;
    set_up_muscles(&p, "'about': 'none'");
    sn_portrait *portrait = NULL;
    sn_portrait_desc desc = sn_portrait_desc_default();
    desc.bones = true;
    desc.quantity = SN_QUANTITY_SHORTENING;
    snt_fails(SN_INVALID, "no muscle is shown",
              sn_portrait_create(p.model, &desc, &portrait, error));
    desc.muscles = true;
    snt_ok(sn_portrait_create(p.model, &desc, &portrait, error));
    sn_portrait_destroy(portrait);
    desc.quantity = SN_QUANTITY_ACTIVATION;
    snt_fails(SN_INVALID, "no shown muscle has an activation",
              sn_portrait_create(p.model, &desc, &portrait, error));
    tear_down(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_component_has_a_colour),
        cmocka_unit_test(components_have_these_colours),
        cmocka_unit_test(largest_stretch_is_that_of_the_triangles_around),
        cmocka_unit_test(components_need_a_membrane),
        cmocka_unit_test(muscles_have_the_colour_of_what_they_do),
        cmocka_unit_test(quantities_of_muscles_need_muscles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
