// SPDX-License-Identifier: Apache-2.0
//
// report.json against numbers computed here.
#include "toy.h"

enum { FRAMES = 5 };

static sn_json *read_report(sn_context *context, const char *path) {
    size_t size;
    char *text = read_bytes(path, &size);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, text, size, &json, error));
    free(text);
    return json;
}

static double number(const sn_json *json, const char *format, ...) {
    char path[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    const sn_value *value = sn_json_find(json, path);
    if (value == NULL || value->type != SN_JSON_NUMBER) {
        fail_msg("the report has no number %s", path);
        return 0;
    }
    return value->as.number;
}

static double distance(const float *points, uint32_t a, uint32_t b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        double d = (double)points[3 * (size_t)a + i] - points[3 * (size_t)b + i];
        sum += d * d;
    }
    return sqrt(sum);
}

// Edges of a tube, known from how it is made: along each ring and between rings.
static void add_stretch(const float *rest, const float *points, double *low, double *sum,
                        double *high, double *count) {
    for (uint32_t v = 0; v < TOY_VERTICES; ++v) {
        uint32_t ring = v / TOY_SIDES, side = v % TOY_SIDES;
        uint32_t others[2] = {ring * TOY_SIDES + (side + 1) % TOY_SIDES, v + TOY_SIDES};
        for (int k = 0; k < 2; ++k) {
            if (others[k] >= TOY_VERTICES) {
                continue;
            }
            double ratio = distance(points, v, others[k]) / distance(rest, v, others[k]);
            *low = fmin(*low, ratio);
            *high = fmax(*high, ratio);
            *sum += ratio;
            *count += 1;
        }
    }
}

static void says_what_was_measured(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_ALL ", 'cage': {'mesh': 'body', 'show': false}");
    sn_report *report;
    snt_ok(sn_report_create(t.model, &report, error));
    double low[FRAMES + 1], sum[FRAMES + 1], high[FRAMES + 1], count[FRAMES + 1];
    double ms[FRAMES][SN_STAGE_COUNT];
    low[FRAMES] = INFINITY;
    high[FRAMES] = -INFINITY;
    sum[FRAMES] = count[FRAMES] = 0;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        snt_ok(sn_frame_evaluate(t.frame, t.motion, 10 * f, error));
        snt_ok(sn_report_add(report, t.frame, 10 * f, error));
        low[f] = INFINITY;
        high[f] = -INFINITY;
        sum[f] = count[f] = 0;
        static const char *const shown[] = {"coat", "body", "twist"};
        for (int k = 0; k < 3; ++k) {
            uint32_t i = surface_of(t.model, shown[k]);
            add_stretch(sn_model_surface(t.model, i)->mesh->positions, sn_frame_points(t.frame, i),
                        &low[f], &sum[f], &high[f], &count[f]);
        }
        for (int k = 0; k < SN_STAGE_COUNT; ++k) {
            ms[f][k] = sn_frame_stage_ms(t.frame, (sn_stage)k);
        }
        low[FRAMES] = fmin(low[FRAMES], low[f]);
        high[FRAMES] = fmax(high[FRAMES], high[f]);
        sum[FRAMES] += sum[f];
        count[FRAMES] += count[f];
    }
    const char *path = snt_scratch("report.json");
    snt_ok(sn_report_save(report, path, error));
    sn_report_destroy(report);
    sn_json *json = read_report(t.context, path);
    assert_string_equal(sn_value_string(sn_json_find(json, "/sinew"), ""), SN_VERSION);
    assert_string_equal(sn_value_string(sn_json_find(json, "/character"), ""), "toy");
    assert_int_equal(sn_value_count(sn_json_find(json, "/frames")), FRAMES);
    double total_sum = 0, total_max = 0;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        assert_true(number(json, "/frames/%u/frame", f) == 10 * f);
        assert_true(number(json, "/frames/%u/time", f) == 10 * f / 24.0);
        double total = 0;
        for (int k = 0; k < SN_STAGE_COUNT; ++k) {
            const char *stage = sn_stage_name((sn_stage)k);
            assert_true(number(json, "/frames/%u/ms/%s", f, stage) == ms[f][k]);
            total += ms[f][k];
        }
        snt_near(number(json, "/frames/%u/ms/total", f), total, 1e-12);
        total_sum += total;
        total_max = fmax(total_max, total);
        snt_near(number(json, "/frames/%u/skin/stretch/0", f), low[f], 1e-12);
        snt_near(number(json, "/frames/%u/skin/stretch/1", f), sum[f] / count[f], 1e-12);
        snt_near(number(json, "/frames/%u/skin/stretch/2", f), high[f], 1e-12);
    }
    assert_true(number(json, "/summary/frames") == FRAMES);
    snt_near(number(json, "/summary/ms_mean/total"), total_sum / FRAMES, 1e-9);
    snt_near(number(json, "/summary/ms_max/total"), total_max, 1e-12);
    snt_near(number(json, "/summary/skin/stretch/0"), low[FRAMES], 1e-12);
    snt_near(number(json, "/summary/skin/stretch/1"), sum[FRAMES] / count[FRAMES], 1e-12);
    snt_near(number(json, "/summary/skin/stretch/2"), high[FRAMES], 1e-12);
    sn_json_destroy(json);
    toy_end(&t);
}

static void rests_unstretched(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_report *report;
    snt_ok(sn_report_create(t.model, &report, error));
    snt_ok(sn_report_add(report, t.frame, 0, error));
    snt_ok(sn_report_save(report, snt_scratch("rest.json"), error));
    snt_ok(sn_report_save(report, snt_scratch("rest.json"), error)); // again gives the same
    sn_report_destroy(report);
    sn_json *json = read_report(t.context, snt_scratch("rest.json"));
    for (int i = 0; i < 3; ++i) {
        assert_true(number(json, "/summary/skin/stretch/%d", i) == 1);
    }
    assert_int_equal(sn_value_count(sn_json_root(json)), 4);
    sn_json_destroy(json);
    toy_end(&t);
}

// Nothing shown, and edges without length: there is no stretch to speak of.
static void leaves_out_what_cannot_be_measured(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_report *report;
    snt_ok(parse_quoted(context, "a",
                        "{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'m': {'mesh': "
                        "'m'}}}",
                        &character, error));
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "m", 3, 1, 3, &mesh, error));
    memset(mesh->positions, 0, 9 * sizeof(float));
    memcpy(mesh->corners, (uint32_t[]){0, 1, 2}, 12);
    snt_ok(sn_character_give_mesh(character, "m", mesh, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_report_create(model, &report, error));
    snt_ok(sn_report_add(report, frame, 0, error));
    snt_ok(sn_report_save(report, snt_scratch("flat.json"), error));
    sn_json *json = read_report(context, snt_scratch("flat.json"));
    assert_int_equal(sn_value_count(sn_json_find(json, "/frames/0/skin")), 0);
    assert_non_null(sn_json_find(json, "/frames/0/skin"));
    assert_int_equal(sn_value_count(sn_json_find(json, "/summary/skin")), 0);
    sn_json_destroy(json);
    sn_report_destroy(report);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void comes_with_a_bake(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = t.motion;
    desc.first = 100;
    desc.last = 102;
    char report[2048];
    snprintf(report, sizeof report, "%s", snt_scratch("bake.json"));
    desc.report_path = report;
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("bake.pc2"), NULL, error));
    sn_json *json = read_report(t.context, report);
    assert_int_equal(sn_value_count(sn_json_find(json, "/frames")), 3);
    assert_true(number(json, "/frames/2/frame") == 102);
    assert_true(number(json, "/summary/frames") == 3);
    sn_json_destroy(json);
    toy_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_was_measured),
        cmocka_unit_test(rests_unstretched),
        cmocka_unit_test(leaves_out_what_cannot_be_measured),
        cmocka_unit_test(comes_with_a_bake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
