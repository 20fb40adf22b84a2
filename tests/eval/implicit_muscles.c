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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_follows_muscles_in_its_field),
        cmocka_unit_test(other_skins_follow_the_same_muscles),
        cmocka_unit_test(what_is_no_solid_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
