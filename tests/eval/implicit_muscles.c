// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles and the skins that follow them in documents: the arm of docs/implicit.md, whose
// skin takes its muscles in one way or another.
#include "toy.h"

static const char page[] = "docs/implicit-muscles.sinew.json";

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
    fclose(file);
    return text;
}

// The document of the page with other deformers on its skin, and further muscles.
static char *document_with(const char *deformers, const char *muscles) {
    char *text = read_text(snt_source(page)), *made = calloc(1, 1 << 18);
    char *list = strstr(text, "\"deformers\": [");
    assert_true(list != NULL && made != NULL);
    list += strlen("\"deformers\": [");
    char *end = strchr(list, ']'); // of the deformer's muscles
    assert_non_null(end);
    end = strchr(end + 1, ']');
    assert_non_null(end);
    char *first = strstr(text, "\"muscles\": {");
    assert_true(first != NULL && first < list);
    first += strlen("\"muscles\": {");
    snprintf(made, 1 << 18, "%.*s%s%.*s%s%s", (int)(first - text), text, muscles,
             (int)(list - first), first, deformers, end);
    free(text);
    return made;
}

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} subject;

static sn_status try_subject(subject *s, const char *deformers, const char *muscles,
                             sn_error *error) {
    char *text = document_with(deformers, muscles);
    sn_status status = SN_OK;
    SN_TRY(
        sn_character_parse(s->context, snt_source(page), text, strlen(text), &s->character, error));
    SN_TRY(sn_model_create(s->character, NULL, &s->model, error));
    SN_TRY(sn_motion_open(s->model, "flex", &s->motion, error));
    SN_TRY(sn_frame_create(s->model, &s->frame, error));
cleanup:
    free(text);
    return status;
}

static subject make_subject(uint32_t threads, const char *deformers) {
    subject s = {.context = snt_context(threads)};
    snt_ok(try_subject(&s, deformers, "", error));
    return s;
}

static void end_subject(subject *s) {
    sn_frame_destroy(s->frame);
    sn_motion_destroy(s->motion);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

// The largest distance between vertices of two skins in a frame, and how many differ.
static double compare(subject *a, subject *b, uint32_t number, uint32_t *differ) {
    uint32_t skins[2] = {sn_model_find_surface(a->model, "skin"),
                         sn_model_find_surface(b->model, "skin")};
    snt_ok(sn_frame_evaluate(a->frame, a->motion, number, error));
    snt_ok(sn_frame_evaluate(b->frame, b->motion, number, error));
    const float *p = sn_frame_points(a->frame, skins[0]), *q = sn_frame_points(b->frame, skins[1]);
    double most = 0;
    *differ = 0;
    for (uint32_t v = 0; v < sn_model_surface(a->model, skins[0])->mesh->vertex_count; ++v) {
        double by =
            sn_vec3_distance(sn_vec3_load(p + 3 * (size_t)v), sn_vec3_load(q + 3 * (size_t)v));
        most = fmax(most, by);
        *differ += by > 0;
    }
    return most;
}

#define WITH "{\"kind\": \"implicit\", \"muscles\": [\"biceps\", \"triceps\"]}"
#define WITHOUT "{\"kind\": \"implicit\"}"

// Frames 0, 29 and 60: at rest, activated, flexed.
static void the_skin_follows_muscles_in_its_field(void **state) {
    (void)state;
    subject with = make_subject(2, WITH), without = make_subject(2, WITHOUT);
    uint32_t differ;
    assert_true(compare(&with, &without, 0, &differ) == 0 && differ == 0);
    double active = compare(&with, &without, 29, &differ);
    assert_true(active > 0.003 && active < 0.02 && differ > 100 && differ < 3000);
    double flexed = compare(&with, &without, 60, &differ);
    assert_true(flexed > active && flexed < 0.03);
    end_subject(&without);
    // The same on one thread, and beginning with another frame.
    subject one = make_subject(1, WITH);
    assert_true(compare(&one, &with, 60, &differ) == 0);
    assert_true(compare(&one, &with, 29, &differ) == 0);
    end_subject(&one);
    end_subject(&with);
}

// The same muscles under other skins (section 8.7 of the paper).
static void other_skins_follow_the_same_muscles(void **state) {
    (void)state;
    static const char blend[] = "{\"kind\": \"blend\", \"method\": \"dual_quaternion\"}";
    static const char falloff[] =
        "{\"kind\": \"blend\", \"method\": \"dual_quaternion\"}, {\"kind\": \"falloff\","
        "\"muscles\": [\"biceps\", \"triceps\"], \"d_full\": 0.02, \"d_none\": 0.05}";
    static const char membrane[] = "{\"kind\": \"membrane\"}";
    subject plain = make_subject(2, blend), moved = make_subject(2, falloff);
    uint32_t differ;
    assert_true(compare(&moved, &plain, 0, &differ) < 1e-6);
    double active = compare(&moved, &plain, 29, &differ);
    assert_true(active > 0.003 && active < 0.03 && differ > 100);
    end_subject(&plain);
    end_subject(&moved);
    moved = make_subject(2, membrane);
    snt_ok(sn_frame_evaluate(moved.frame, moved.motion, 60, error));
    uint32_t skin = sn_model_find_surface(moved.model, "skin");
    const float *p = sn_frame_points(moved.frame, skin);
    for (uint32_t i = 0; i < 3 * sn_model_surface(moved.model, skin)->mesh->vertex_count; ++i) {
        assert_true(isfinite(p[i]) && fabsf(p[i]) < 3);
    }
    end_subject(&moved);
}

static void what_is_no_solid_is_refused(void **state) {
    (void)state;
    subject s = {.context = snt_context(1)};
    snt_fails(SN_INVALID,
              "\"ball\" is a muscle of kind \"ellipsoid\", which \"implicit\" cannot follow",
              try_subject(&s, "{\"kind\": \"implicit\", \"muscles\": [\"ball\"]}",
                          "\"ball\": {\"kind\": \"ellipsoid\", "
                          "\"origin\": {\"segment\": \"upper_arm\", \"at\": [0, 0.05, 0]}, "
                          "\"insertion\": {\"segment\": \"upper_arm\", \"at\": [0, 0.2, 0]}},",
                          error));
    end_subject(&s);
}

static void sample(subject *s, const sn_vec3 *places, uint32_t count, float *values) {
    float *points = calloc(3 * (size_t)count, sizeof *points);
    assert_non_null(points);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3_store(places[i], points + 3 * (size_t)i);
    }
    uint32_t skin = sn_model_find_surface(s->model, "skin");
    snt_ok(sn_frame_field(s->frame, skin, count, points, values, error));
    free(points);
}

// The mean distance of a field's values at the points of the skin from a half.
static double field_miss(subject *s) {
    uint32_t skin = sn_model_find_surface(s->model, "skin");
    uint32_t count = sn_model_surface(s->model, skin)->mesh->vertex_count;
    float *values = calloc(count, sizeof *values);
    double sum = 0;
    assert_non_null(values);
    snt_ok(sn_frame_field(s->frame, skin, count, sn_frame_points(s->frame, skin), values, error));
    for (uint32_t v = 0; v < count; ++v) {
        sum += fabs(values[v] - 0.5) / count;
    }
    free(values);
    return sum;
}

// At rest the field is a half around the skin, more in the bones, and nothing far away; it goes
// with the bones, and where a muscle bulges the place that it has come to is in it.
static void the_field_can_be_sampled(void **state) {
    (void)state;
    subject with = make_subject(2, WITH), without = make_subject(2, WITHOUT);
    assert_true(sn_model_has_field(with.model, sn_model_find_surface(with.model, "skin")));
    snt_ok(sn_frame_evaluate(with.frame, with.motion, 0, error));
    snt_ok(sn_frame_evaluate(without.frame, without.motion, 0, error));
    assert_true(field_miss(&without) < 0.02);
    assert_true(field_miss(&with) < 0.05);
    uint32_t forearm = sn_model_find_segment(with.model, "forearm");
    const sn_vec3 inside = {0, 0.12, 0}; // in the frame of the forearm
    for (uint32_t frame = 0; frame <= 60; frame += 30) {
        snt_ok(sn_frame_evaluate(with.frame, with.motion, frame, error));
        const sn_mat4 *world = &sn_frame_worlds(with.frame)[forearm];
        sn_vec3 places[4] = {sn_mat4_point(world, inside), {5, 5, 5}, {NAN, 0, 0}};
        float values[4];
        sample(&with, places, 3, values);
        assert_true(values[0] > 0.7);
        assert_true(values[1] == 0 && values[2] == 0);
    }
    // The same bits on one thread.
    subject one = make_subject(1, WITH);
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 60, error));
    sn_vec3 places[64];
    float a[64], b[64];
    const sn_mat4 *world = &sn_frame_worlds(one.frame)[forearm];
    for (uint32_t i = 0; i < 64; ++i) {
        places[i] = sn_mat4_point(world, sn_vec3_make(0.01 * (i % 8), 0.02 * (i / 8), 0.01));
    }
    sample(&one, places, 64, a);
    sample(&with, places, 64, b);
    assert_memory_equal(a, b, sizeof a);
    end_subject(&one);
    end_subject(&without);
    end_subject(&with);
}

// Where the belly of the biceps raises the skin, its new place has about the value that the old one
// had at rest; without muscles it lies well outside.
static void the_sampled_field_has_the_muscles_of_the_frame(void **state) {
    (void)state;
    subject with = make_subject(2, WITH), without = make_subject(2, WITHOUT);
    uint32_t skin = sn_model_find_surface(with.model, "skin"), most = 0;
    uint32_t count = sn_model_surface(with.model, skin)->mesh->vertex_count;
    snt_ok(sn_frame_evaluate(with.frame, with.motion, 29, error));
    snt_ok(sn_frame_evaluate(without.frame, without.motion, 29, error));
    const float *p = sn_frame_points(with.frame, skin), *q = sn_frame_points(without.frame, skin);
    double farthest = 0;
    for (uint32_t v = 0; v < count; ++v) {
        double by =
            sn_vec3_distance(sn_vec3_load(p + 3 * (size_t)v), sn_vec3_load(q + 3 * (size_t)v));
        most = by > farthest ? v : most;
        farthest = fmax(by, farthest);
    }
    sn_vec3 raised = sn_vec3_load(p + 3 * (size_t)most);
    float values[2], rest;
    sample(&with, &raised, 1, &values[0]);
    sample(&without, &raised, 1, &values[1]);
    snt_ok(sn_frame_evaluate(with.frame, with.motion, 0, error));
    sn_vec3 before = sn_vec3_load(sn_frame_points(with.frame, skin) + 3 * (size_t)most);
    sample(&with, &before, 1, &rest);
    assert_true(fabsf(values[0] - rest) < 0.03F);
    assert_true(values[1] < rest - 0.1F);
    end_subject(&without);
    end_subject(&with);
}

static void what_has_no_field_is_refused(void **state) {
    (void)state;
    subject s = make_subject(1, WITHOUT);
    uint32_t biceps = sn_model_find_surface(s.model, "biceps");
    float point[3] = {0, 0, 0}, value;
    assert_false(sn_model_has_field(s.model, biceps));
    assert_false(sn_model_has_field(s.model, 1000));
    snt_fails(SN_INVALID, "\"biceps\" has no field: it has no `implicit`",
              sn_frame_field(s.frame, biceps, 1, point, &value, error));
    snt_fails(SN_INVALID, "there is no surface 1000",
              sn_frame_field(s.frame, 1000, 1, point, &value, error));
    end_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_follows_muscles_in_its_field),
        cmocka_unit_test(other_skins_follow_the_same_muscles),
        cmocka_unit_test(what_is_no_solid_is_refused),
        cmocka_unit_test(the_field_can_be_sampled),
        cmocka_unit_test(the_sampled_field_has_the_muscles_of_the_frame),
        cmocka_unit_test(what_has_no_field_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
