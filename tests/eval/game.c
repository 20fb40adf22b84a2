// SPDX-License-Identifier: Apache-2.0
//
// Characters for games: the file is read back as a character of its own and played beside the one
// that it was made from. With SNT_GLTF_OUT set, the points of the full evaluation go beside the
// files, for tests/decoders/play and tests/blender/game.py, which play them in other programs.
#define _GNU_SOURCE
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>
#include <unistd.h>

enum { MOST_CLIPS = 8 };

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t clip_count;
    sn_motion *motions[MOST_CLIPS];
} subject;

static void open_motions(subject *s) {
    snt_ok(sn_model_create(s->character, NULL, &s->model, error));
    snt_ok(sn_frame_create(s->model, &s->frame, error));
    s->clip_count = sn_model_clip_count(s->model);
    assert_in_range(s->clip_count, 1, MOST_CLIPS);
    for (uint32_t i = 0; i < s->clip_count; ++i) {
        snt_ok(sn_motion_open(s->model, sn_model_clip_name(s->model, i), &s->motions[i], error));
    }
}

static subject open_document(const char *example, uint32_t threads) {
    subject s = {.context = snt_context(threads)};
    snt_ok(sn_character_load(s.context, snt_source(example), &s.character, error));
    open_motions(&s);
    return s;
}

static subject open_file(const char *path) {
    subject s = {.context = snt_context(2)};
    sn_import *import;
    snt_ok(sn_import_file(s.context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, "new.sinew.json", &s.character, error));
    sn_import_destroy(import);
    open_motions(&s);
    return s;
}

static void close_subject(subject *s) {
    for (uint32_t i = 0; i < s->clip_count; ++i) {
        sn_motion_destroy(s->motions[i]);
    }
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

typedef struct written {
    char path[4096];
    sn_game_distance distances[MOST_CLIPS];
    sn_game_report report;
} written;

static void write_game(subject *s, uint32_t targets, double metres, const char *name, written *w) {
    sn_game_desc desc = sn_game_desc_default();
    desc.motion_count = s->clip_count;
    desc.motions = (const sn_motion *const *)s->motions;
    desc.targets = targets;
    desc.error = metres;
    snprintf(w->path, sizeof w->path, "%s", snt_gltf_output(name));
    w->report.clips = w->distances;
    snt_ok(sn_bake_game(s->frame, &desc, w->path, NULL, &w->report, error));
}

// The surface of the file that holds a surface of the document: it is named after the mesh.
static uint32_t find_written(const subject *file, const sn_surface *surface) {
    for (uint32_t i = 0; i < sn_model_surface_count(file->model); ++i) {
        const sn_surface *other = sn_model_surface(file->model, i);
        if (other->mesh->vertex_count == surface->mesh->vertex_count &&
            strcmp(other->mesh->name, surface->mesh->name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static bool is_skin(const sn_surface *surface) {
    return surface->shown && (surface->layer == SN_LAYER_SKIN || surface->feature);
}

static bool deforms(const sn_surface *surface) {
    return surface->segment == SN_NONE || !surface->linear_skinning;
}

// Mean and largest distance of the deforming skins of both in all frames of a clip.
static sn_game_distance compare_clip(subject *full, subject *file, uint32_t clip) {
    sn_game_distance d = {0};
    uint64_t count = 0;
    uint32_t frames = sn_motion_frame_count(full->motions[clip]);
    assert_int_equal(sn_motion_frame_count(file->motions[clip]), frames);
    assert_string_equal(sn_motion_name(file->motions[clip]), sn_motion_name(full->motions[clip]));
    for (uint32_t f = 0; f < frames; ++f) {
        snt_ok(sn_frame_evaluate(full->frame, full->motions[clip], f, error));
        snt_ok(sn_frame_evaluate(file->frame, file->motions[clip], f, error));
        for (uint32_t i = 0; i < sn_model_surface_count(full->model); ++i) {
            const sn_surface *surface = sn_model_surface(full->model, i);
            uint32_t to = is_skin(surface) ? find_written(file, surface) : SN_NONE;
            if (!is_skin(surface)) {
                continue;
            }
            assert_int_not_equal(to, SN_NONE);
            const float *a = sn_frame_points(full->frame, i), *b = sn_frame_points(file->frame, to);
            for (size_t v = 0; v < surface->mesh->vertex_count; ++v) {
                double gap = sn_vec3_distance(sn_vec3_load(a + 3 * v), sn_vec3_load(b + 3 * v));
                if (deforms(surface)) {
                    d.largest = fmax(d.largest, gap);
                    d.mean += gap;
                    ++count;
                } else {
                    assert_true(gap < 1e-4); // hangs on a segment as a whole
                }
            }
        }
    }
    d.mean /= (double)count;
    return d;
}

// What the program says about the file is what its readers see.
static void expect_as_reported(subject *full, const written *w) {
    subject file = open_file(w->path);
    assert_int_equal(file.clip_count, full->clip_count);
    for (uint32_t c = 0; c < full->clip_count; ++c) {
        sn_game_distance d = compare_clip(full, &file, c);
        print_message("%s, clip %s: mean %.4f mm, reported %.4f; largest %.3f mm, reported %.3f\n",
                      strrchr(w->path, '/') + 1, sn_motion_name(full->motions[c]), 1e3 * d.mean,
                      1e3 * w->distances[c].mean, 1e3 * d.largest, 1e3 * w->distances[c].largest);
        assert_true(fabs(d.mean - w->distances[c].mean) < 0.01 * d.mean + 1e-6);
        assert_true(fabs(d.largest - w->distances[c].largest) < 0.01 * d.largest + 1e-5);
        assert_true(w->distances[c].mean <= w->distances[c].most);
        assert_true(w->distances[c].most <= w->distances[c].largest);
    }
    close_subject(&file);
}

// The deforming skins of all frames, with a description: what other programs should show.
static void write_points(subject *s, const written *w, const char *name) {
    if (getenv("SNT_GLTF_OUT") == NULL) {
        return;
    }
    char file[256];
    const char *comma = "";
    snprintf(file, sizeof file, "%s.points", name);
    FILE *points = fopen(snt_gltf_output(file), "wb");
    snprintf(file, sizeof file, "%s.json", name);
    FILE *text = fopen(snt_gltf_output(file), "w");
    assert_true(points != NULL && text != NULL);
    fprintf(text, "{\"skins\": [");
    for (uint32_t i = 0; i < sn_model_surface_count(s->model); ++i) {
        const sn_surface *surface = sn_model_surface(s->model, i);
        if (is_skin(surface) && deforms(surface)) {
            fprintf(text, "%s{\"name\": \"%s\", \"vertices\": %u}", comma, surface->mesh->name,
                    surface->mesh->vertex_count);
            comma = ", ";
        }
    }
    fprintf(text, "],\n\"clips\": [");
    for (uint32_t c = 0; c < s->clip_count; ++c) {
        uint32_t frames = sn_motion_frame_count(s->motions[c]);
        fprintf(text, "%s{\"name\": \"%s\", \"rate\": %.17g, \"frames\": %u, \"mean\": %.9g}",
                c > 0 ? ",\n" : "", sn_motion_name(s->motions[c]), sn_motion_rate(s->motions[c]),
                frames, w->distances[c].mean);
        for (uint32_t f = 0; f < frames; ++f) {
            snt_ok(sn_frame_evaluate(s->frame, s->motions[c], f, error));
            for (uint32_t i = 0; i < sn_model_surface_count(s->model); ++i) {
                const sn_surface *surface = sn_model_surface(s->model, i);
                if (is_skin(surface) && deforms(surface)) {
                    fwrite(sn_frame_points(s->frame, i), 12, surface->mesh->vertex_count, points);
                }
            }
        }
    }
    fprintf(text, "]}\n");
    assert_int_equal(fclose(points), 0);
    assert_int_equal(fclose(text), 0);
}

static void play(const char *example, const char *name) {
    char file[64];
    subject s = open_document(example, 2);
    written w;
    snprintf(file, sizeof file, "%s.glb", name);
    write_game(&s, SN_NONE, 0, file, &w);
    assert_true(w.report.error <= w.report.bound);
    assert_int_equal(w.report.skin_count > 0, 1);
    expect_as_reported(&s, &w);
    write_points(&s, &w, name);
    close_subject(&s);
}

// A muscle over a skin with weights, two clips.
static void the_arm_is_as_near_as_reported(void **state) {
    (void)state;
    play("examples/arm/arm.sinew.json", "arm");
}

// Teeth and eyes hang on segments as a whole.
static void the_rex_is_as_near_as_reported(void **state) {
    (void)state;
    play("examples/rex/rex.sinew.json", "rex");
}

// Skins that follow a driver mesh have no weights: theirs are fitted.
static void weights_are_fitted_where_a_skin_has_none(void **state) {
    (void)state;
    subject s = open_document("examples/thighs/thighs.sinew.json", 2);
    written w;
    write_game(&s, SN_NONE, 0, "thighs.glb", &w);
    assert_true(w.report.fitted_count > 0);
    assert_true(w.report.error <= w.report.bound);
    expect_as_reported(&s, &w);
    close_subject(&s);
}

static void more_targets_come_nearer(void **state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 4, 16};
    subject s = open_document("examples/arm/arm.sinew.json", 2);
    double before = INFINITY;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        written w;
        write_game(&s, counts[i], 0, "arm-targets.glb", &w);
        assert_int_equal(w.report.target_count, counts[i]);
        assert_true(isinf(w.report.bound));
        print_message("%u targets: %.4f mm\n", counts[i], 1e3 * w.report.error);
        assert_true(w.report.error < before);
        before = w.report.error;
    }
    close_subject(&s);
}

// The bound is met with as many targets as it takes; with fewer the report says so.
static void the_bound_is_met_or_the_report_says_so(void **state) {
    (void)state;
    subject s = open_document("examples/arm/arm.sinew.json", 2);
    written enough, few;
    write_game(&s, SN_NONE, 5e-5, "arm-bound.glb", &enough);
    assert_true(enough.report.error <= 5e-5 && enough.report.target_count > 1);
    expect_as_reported(&s, &enough);
    write_game(&s, 1, 5e-5, "arm-few.glb", &few);
    assert_int_equal(few.report.target_count, 1);
    assert_true(few.report.error > few.report.bound);
    close_subject(&s);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    char *bytes[2];
    size_t sizes[2];
    for (int i = 0; i < 2; ++i) {
        subject s = open_document("examples/arm/arm.sinew.json", i == 0 ? 1 : 3);
        written w;
        write_game(&s, 3, 0, "arm-threads.glb", &w);
        bytes[i] = read_bytes(w.path, &sizes[i]);
        close_subject(&s);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    subject s = open_document("examples/arm/arm.sinew.json", 1);
    sn_game_desc desc = sn_game_desc_default();
    sn_error error = {0};
    assert_int_equal(sn_bake_game(s.frame, &desc, snt_scratch("a.glb"), NULL, NULL, &error),
                     SN_INVALID); // no motion
    desc.motion_count = 1;
    desc.motions = (const sn_motion *const *)s.motions;
    error = (sn_error){0};
    assert_int_equal(sn_bake_game(s.frame, &desc, snt_scratch("a.usda"), NULL, NULL, &error),
                     SN_UNSUPPORTED);
    desc.error = NAN;
    error = (sn_error){0};
    assert_int_equal(sn_bake_game(s.frame, &desc, snt_scratch("a.glb"), NULL, NULL, &error),
                     SN_INVALID);
    assert_int_not_equal(access(snt_scratch("a.glb"), F_OK), 0);
    close_subject(&s);
}

// tests/blender/game.py plays the arm and compares it with the points.
static void blender_plays_the_arm(void **state) {
    (void)state;
    if (getenv("SNT_GLTF_OUT") != NULL) {
        snt_skip("the files are for another program");
    }
    if (system("command -v blender >/dev/null 2>&1") != 0) {
        snt_skip("Blender is not installed");
    }
    char command[16384], folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch("blender"));
    snprintf(command, sizeof command, "mkdir -p '%s'", folder);
    assert_int_equal(system(command), 0);
    setenv("SNT_GLTF_OUT", folder, 1);
    play("examples/arm/arm.sinew.json", "arm");
    unsetenv("SNT_GLTF_OUT");
    snprintf(command, sizeof command,
             "ASAN_OPTIONS= LD_PRELOAD= blender -b --python-exit-code 3 --python '%s' -- '%s/arm' "
             ">'%s.log' 2>&1 || { cat '%s.log'; exit 1; }",
             snt_source("tests/blender/game.py"), folder, folder, folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arm_is_as_near_as_reported),
        cmocka_unit_test(the_rex_is_as_near_as_reported),
        cmocka_unit_test(weights_are_fitted_where_a_skin_has_none),
        cmocka_unit_test(more_targets_come_nearer),
        cmocka_unit_test(the_bound_is_met_or_the_report_says_so),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(blender_plays_the_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
