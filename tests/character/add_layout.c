// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "sinew/eval.h"
#include "sinew/fit.h"

#include <stdlib.h>

static const char document[] =
    "{\"sinew\": 1, \"name\": \"sheet\", \"skeleton\": {\"root\": {}, \"tip\": {\"parent\": "
    "\"root\"}},\n"
    "\"meshes\": {\"sheet\": {}}, \"skins\": {\"sheet\": {\"mesh\": \"sheet\"}},\n"
    "\"controls\": {\"wink\": {}}}\n";

static const sn_vec3 points[4][2] = {{{0.2, 0.2, 0}, {0.2, 0.8, 0}},
                                     {{0.4, 0.2, 0}, {0.4, 0.8, 0}},
                                     {{0.6, 0.2, 0}, {0.6, 0.8, 0}},
                                     {{0.8, 0.2, 0}, {0.8, 0.8, 0}}};
static const uint32_t both[2] = {0, 1};
static const double amounts[2] = {1, 0.5};

typedef struct sheet {
    sn_layout_muscle muscles[2];
    sn_layout_expression expression;
    sn_muscle_layout layout;
    sn_character *character;
} sheet;

static sn_status make_sheet(sn_context *context, sheet *s, sn_error *error) {
    sn_mesh *mesh = NULL;
    *s = (sheet){0};
    for (int i = 0; i < 2; ++i) {
        s->muscles[i] = (sn_layout_muscle){.name = i == 0 ? "left" : "right",
                                           .group = "sheet",
                                           .curves = {points[2 * i], points[2 * i + 1]},
                                           .curve_counts = {2, 2},
                                           .top_depth = 0.01,
                                           .half_thickness = 0.04,
                                           .bulge = 2,
                                           .strength = 0.25,
                                           .d_full = 0.06,
                                           .d_none = 0.2};
    }
    s->muscles[1].driver = SN_LAYOUT_DISTANCE;
    s->muscles[1].driver_segments[0] = "root";
    s->muscles[1].driver_segments[1] = "tip";
    s->muscles[1].driver_points[1] = sn_vec3_make(0, 1, 0);
    s->muscles[1].driver_curve[0][1] = s->muscles[1].driver_curve[1][0] = 1;
    s->expression = (sn_layout_expression){
        .name = "smile", .about = "Both.", .count = 1, .muscles = both, .amounts = amounts};
    s->layout = (sn_muscle_layout){.muscle_count = 2,
                                   .muscles = s->muscles,
                                   .falloff = "linear",
                                   .expression_count = 1,
                                   .expressions = &s->expression};
    sn_status status = sn_character_parse(context, "sheet.sinew.json", document, strlen(document),
                                          &s->character, error);
    if (status == SN_OK) {
        status = sn_mesh_create(context, "sheet", 4, 1, 4, &mesh, error);
    }
    if (status == SN_OK) {
        const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
        memcpy(mesh->positions, positions, sizeof positions);
        memcpy(mesh->corners, (uint32_t[]){0, 1, 2, 3}, 16);
        mesh->face_offsets[1] = 4;
        status = sn_character_give_mesh(s->character, "sheet", mesh, error);
    }
    return status;
}

static char *text_of(const sheet *s, sn_context *context) {
    char *text = NULL;
    size_t size;
    snt_ok(sn_json_write(sn_character_document(s->character), &text, &size, error));
    char *copy = malloc(size + 1);
    memcpy(copy, text, size + 1);
    sn_json_free_text(context, text);
    return copy;
}

static void expect_text(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        print_error("no %s in\n%s\n", part, text);
        fail();
    }
}

static void adds_muscles_and_expressions(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sheet s;
    snt_ok(make_sheet(context, &s, error));
    snt_ok(sn_character_add_layout(s.character, NULL, &s.layout, NULL, error));
    char *text = text_of(&s, context);
    expect_text(text, "\"vary\": {\"contraction\": [[0.5, 0.5, 0.25]]}");
    expect_text(text, "\"tension\": \"left\"");
    expect_text(text, "\"right insertion\": {\"segment\": \"tip\", \"position\": [0, 1, 0]}");
    expect_text(text, "\"distance\": [\"right origin\", \"right insertion\"]");
    expect_text(text, "{\"control\": \"smile\", \"spread\": {\"left\": 1}}");
    expect_text(text, "\"falloff\": \"linear\"");
    expect_text(text, "\"left\": {\"group\": \"sheet\"}");
    free(text);
    // One unit of the control shortens the muscle by its strength: v = 1 moves by 0.25 * 0.6.
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    snt_ok(sn_model_create(s.character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_set(frame, "smile", 1, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    float top = 0;
    const float *moved = sn_frame_points(frame, 1);
    for (uint32_t v = 0; v < sn_model_surface(model, 1)->mesh->vertex_count; ++v) {
        top = moved[3 * v + 1] > top ? moved[3 * v + 1] : top;
    }
    snt_near(top, 0.8 - 0.25 * 0.6, 1e-6);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(s.character);
    snt_context_end(context);
}

// What fails late leaves nothing behind.
static void takes_back_what_fails(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sheet s;
    snt_ok(make_sheet(context, &s, error));
    char *before = text_of(&s, context);
    s.expression.name = "wink";
    snt_fails(SN_INVALID, "there is a control \"wink\" already",
              sn_character_add_layout(s.character, NULL, &s.layout, NULL, error));
    s.expression.name = "smile";
    s.muscles[1].name = "left";
    snt_fails(SN_INVALID, "there is a muscle \"left\" already",
              sn_character_add_layout(s.character, NULL, &s.layout, NULL, error));
    s.muscles[1].name = "right";
    s.expression.count = 2; // the right one has a driver
    snt_fails(SN_INVALID, "synergies add to control \"right\"; a driver cannot compute it",
              sn_character_add_layout(s.character, NULL, &s.layout, NULL, error));
    snt_fails(SN_INVALID, "there is no skin \"shet\"; did you mean \"sheet\"?",
              sn_character_add_layout(s.character, "shet", &s.layout, NULL, error));
    s.muscles[0].top_depth = NAN;
    snt_fails(SN_INVALID, "/left/skin_thickness: expected a number from 0 to 1000, found nan",
              sn_character_add_layout(s.character, NULL, &s.layout, NULL, error));
    char *behind = text_of(&s, context);
    assert_string_equal(before, behind);
    free(before);
    free(behind);
    sn_character_destroy(s.character);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sheet s;
    sn_status status = make_sheet(context, &s, error);
    if (status == SN_OK) {
        status = sn_character_add_layout(s.character, NULL, &s.layout, NULL, error);
    }
    sn_character_destroy(s.character);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_muscles_and_expressions),
        cmocka_unit_test(takes_back_what_fails),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
