// SPDX-License-Identifier: Apache-2.0
//
// Bodies that others made get muscles of kind `fibre` and a skin that follows them by one command,
// `sinew new MODEL --muscles fibre`, and play clips of motion capture or their own: every muscle is
// there and at work, every point is finite, and no edge of the skin is torn or crushed.
#include "../cli/program.h"

#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"

#include <math.h>

// Frames per second of what is looked at. Muscles take the same steps at any rate.
static const char rate[] = "10";

enum { CLIPS = 3 };

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame; // at rest
    sn_triangles *triangles;
    uint32_t skin;
    uint32_t muscle_count;
} body;

static body open_body(const char *document) {
    body b = {.context = snt_context(2), .skin = SN_NONE};
    uint32_t most = 0;
    snt_ok(sn_character_load(b.context, document, &b.character, error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    for (uint32_t i = 0; i < sn_model_surface_count(b.model); ++i) {
        const sn_surface *surface = sn_model_surface(b.model, i);
        b.muscle_count += surface->layer == SN_LAYER_MUSCLE;
        if (surface->layer == SN_LAYER_SKIN && surface->mesh->vertex_count > most) {
            most = surface->mesh->vertex_count;
            b.skin = i;
        }
    }
    assert_int_not_equal(b.skin, SN_NONE);
    snt_ok(sn_triangles_create(sn_model_surface(b.model, b.skin)->mesh,
                               sn_frame_points(b.frame, b.skin), &b.triangles, error));
    return b;
}

static void close_body(body *b) {
    sn_triangles_destroy(b->triangles);
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static double edge(const float *points, uint32_t u, uint32_t v) {
    const float *a = points + 3 * (size_t)u, *b = points + 3 * (size_t)v;
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// The shortest and longest edge over its length at rest in `points`, taken together with what
// `range` holds.
static void measure_edges(const body *b, const float *points, double range[2]) {
    const float *rest = sn_frame_points(b->frame, b->skin);
    for (uint32_t i = 0; i < 3 * b->triangles->count; ++i) {
        const uint32_t *t = b->triangles->vertices + 3 * (size_t)(i / 3);
        uint32_t u = t[i % 3], v = t[(i + 1) % 3];
        double ratio = edge(points, u, v) / fmax(edge(rest, u, v), 1e-9);
        range[0] = fmin(range[0], ratio);
        range[1] = fmax(range[1], ratio);
    }
}

// Reads what `sinew run -o FILE.pc2` has written, frame by frame.
static uint32_t measure_frames(const body *b, const char *path, double range[2]) {
    struct {
        char magic[12];
        int32_t version, point_count;
        float start, step;
        int32_t frame_count;
    } head;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&head, sizeof head, 1, file), 1);
    assert_int_equal(head.point_count, sn_model_surface(b->model, b->skin)->mesh->vertex_count);
    size_t size = 3 * (size_t)head.point_count;
    float *points = malloc(size * sizeof *points);
    assert_non_null(points);
    for (int32_t f = 0; f < head.frame_count; ++f) {
        assert_int_equal(fread(points, sizeof *points, size, file), size);
        for (size_t i = 0; i < size; ++i) {
            assert_true(isfinite(points[i]));
        }
        measure_edges(b, points, range);
    }
    free(points);
    fclose(file);
    return (uint32_t)head.frame_count;
}

// The largest activation that a report has for any of its muscles.
static double read_most_activation(const char *path) {
    sn_context *context = snt_context(1);
    sn_json *json = NULL;
    char *text;
    size_t length;
    double most = 0;
    snt_ok(sni_file_read(context, path, &text, &length, error));
    snt_ok(sn_json_parse(context, text, length, &json, error));
    sni_free(context, text);
    const sn_value *frames = sn_value_get(sn_json_root(json), "frames");
    for (uint32_t f = 0; f < sn_value_count(frames); ++f) {
        const sn_value *muscles = sn_value_get(sn_value_at(frames, f), "muscles");
        for (uint32_t m = 0; m < sn_value_count(muscles); ++m) {
            const sn_value *muscle = sn_value_at(muscles, m);
            most = fmax(most, sn_value_number(sn_value_get(muscle, "activation"), 0));
        }
    }
    sn_json_destroy(json);
    snt_context_end(context);
    return most;
}

// Plays a clip through the program and looks at every frame that it writes.
static void play(const body *b, const char *document, const char *clip, const double limits[2]) {
    static result r;
    char points[4096], report[4096];
    double range[2] = {INFINITY, 0};
    snprintf(points, sizeof points, "%s", snt_scratch("clip.pc2"));
    snprintf(report, sizeof report, "%s", snt_scratch("clip.json"));
    runf(&r, "run %s --motion %s --fps %s -o %s --report %s --quiet", document, clip, rate, points,
         report);
    expect(&r, 0);
    uint32_t frames = measure_frames(b, points, range);
    double most = read_most_activation(report);
    print_message("%s: %u frames, edges %.2f to %.2f, most active muscle %.2f\n", clip, frames,
                  range[0], range[1], most);
    assert_true(frames > 10);
    assert_true(most > 0.5);
    assert_true(range[0] >= limits[0] && range[1] <= limits[1]);
}

// Only where SINEW_THOROUGH is set, to stay short.
static void human_plays_three_clips_of_motion_capture(void **state) {
    (void)state;
    if (!snt_thorough()) {
        return;
    }
    static const char *const clips[CLIPS] = {"cmu_02_03_run_jog", "cmu_02_01_walk",
                                             "cmu_16_03_high_jump"};
    static const double limits[2] = {0.3, 3.3};
    static result r;
    char document[4096], motions[CLIPS][4096], model[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("human.sinew.json"));
    snprintf(model, sizeof model, "%s", snt_data("human/human.glb"));
    for (int i = 0; i < CLIPS; ++i) {
        char name[64];
        snprintf(name, sizeof name, "mocap/%s.bvh", clips[i]);
        snprintf(motions[i], sizeof motions[i], "%s", snt_data(name));
    }
    runf(&r, "new %s --muscles fibre --motion %s --motion %s --motion %s -o %s --quiet", model,
         motions[0], motions[1], motions[2], document);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    body b = open_body(document);
    assert_int_equal(b.muscle_count, 70);
    for (int i = 0; i < CLIPS; ++i) {
        play(&b, document, clips[i], limits);
    }
    close_body(&b);
}

static void cesium_man_walks_as_its_maker_made_it(void **state) {
    (void)state;
    static const double limits[2] = {0.3, 3.3};
    static result r;
    char document[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("man.sinew.json"));
    runf(&r, "new %s --muscles fibre -o %s --quiet", snt_data("gltf/CesiumMan.glb"), document);
    expect(&r, 0);
    body b = open_body(document);
    assert_int_equal(b.muscle_count, 67);
    play(&b, document, "clip0", limits);
    close_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(human_plays_three_clips_of_motion_capture),
        cmocka_unit_test(cesium_man_walks_as_its_maker_made_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
