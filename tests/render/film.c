// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "shapes.h"

#include "render/image.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_program(const char *name) {
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0; // NOLINT: a fixed command
}

static void need_ffmpeg(void) {
    if (!has_program("ffmpeg") || !has_program("ffprobe")) {
        snt_skip("ffmpeg is not installed");
    }
}

static sn_image *frame(sn_context *context, uint32_t width, uint32_t height, uint32_t number) {
    sn_image *image = NULL;
    snt_ok(sni_image_create(context, width, height, &image, error));
    for (size_t i = 0; i < 3 * (size_t)width * height; ++i) {
        image->pixels[i] = (uint8_t)(i / 3 % width * 2 + 20 * number);
    }
    return image;
}

// What ffprobe says of the film's stream, as "width,height,frames".
static void probe(const char *path, char *text, size_t size) {
    char command[5000];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
             "stream=width,height,nb_read_frames -of csv=p=0 '%s'",
             path);
    FILE *pipe = popen(command, "r"); // NOLINT: a scratch path
    assert_non_null(pipe);
    assert_non_null(fgets(text, (int)size, pipe));
    pclose(pipe);
    text[strcspn(text, "\r\n")] = 0;
}

static void make_folder(const char *name, char *path, size_t size) {
    snprintf(path, size, "%s", snt_scratch(name));
    assert_int_equal(mkdir(path, 0777), 0);
}

static void film_has_every_frame(void **state) {
    (void)state;
    need_ffmpeg();
    sn_context *context = snt_context(1);
    // Odd sides are padded, since players want even ones; a GIF keeps them.
    struct {
        const char *name;
        uint32_t width, height;
        const char *expected;
    } cases[] = {
        {"a.mp4", 64, 48, "64,48,7"},
        {"- odd:name.mp4", 63, 47, "64,48,7"},
        {"a.GIF", 63, 47, "63,47,7"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const char *path = snt_scratch(cases[c].name);
        sn_film *film = NULL;
        snt_ok(sn_film_begin(context, path, cases[c].width, cases[c].height, 12.5, &film, error));
        for (uint32_t i = 0; i < 7; ++i) {
            sn_image *image = frame(context, cases[c].width, cases[c].height, i);
            snt_ok(sn_film_add(film, image, error));
            sn_image_destroy(image);
        }
        snt_ok(sn_film_end(film, error));
        char text[256];
        probe(path, text, sizeof text);
        assert_string_equal(text, cases[c].expected);
    }
    snt_context_end(context);
}

static void cancelled_films_leave_nothing(void **state) {
    (void)state;
    need_ffmpeg();
    sn_context *context = snt_context(1);
    char folder[4096], path[4200];
    make_folder("cancel", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    sn_film *film = NULL;
    snt_ok(sn_film_begin(context, path, 64, 48, 24, &film, error));
    sn_image *image = frame(context, 64, 48, 0);
    snt_ok(sn_film_add(film, image, error));
    sn_image *other = frame(context, 32, 48, 0);
    snt_fails(SN_INVALID, "frame 1 has 32 x 48", sn_film_add(film, other, error));
    sn_image_destroy(other);
    sn_film_cancel(film);
    assert_int_equal(snt_count_entries(folder), 0);
    snt_ok(sn_film_begin(context, path, 64, 48, 24, &film, error));
    snt_fails(SN_INVALID, "no frames", sn_film_end(film, error));
    assert_int_equal(snt_count_entries(folder), 0);
    sn_film_cancel(NULL);
    sn_image_destroy(image);
    snt_context_end(context);
}

static void refuses_films_of_no_size_rate_or_kind(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_film *film = NULL;
    const char *path = snt_scratch("b.mp4");
    snt_fails(SN_INVALID, "0 x 48", sn_film_begin(context, path, 0, 48, 24, &film, error));
    snt_fails(SN_INVALID, "frames per second",
              sn_film_begin(context, path, 64, 48, 0, &film, error));
    snt_fails(SN_INVALID, "frames per second",
              sn_film_begin(context, path, 64, 48, NAN, &film, error));
    snt_fails(SN_UNSUPPORTED, "\".txt\"",
              sn_film_begin(context, snt_scratch("b.txt"), 64, 48, 24, &film, error));
    snt_fails(SN_IO, "/no/such/folder/b.mp4",
              sn_film_begin(context, "/no/such/folder/b.mp4", 64, 48, 24, &film, error));
    assert_null(film);
    snt_context_end(context);
}

// Runs a test with a PATH that holds only `folder`.
static void with_path(const char *folder, void (*test)(sn_context *context, const char *film)) {
    char *old = strdup(getenv("PATH") != NULL ? getenv("PATH") : "");
    char target[4096];
    snprintf(target, sizeof target, "%s", snt_scratch("c.mp4"));
    setenv("PATH", folder, 1);
    sn_context *context = snt_context(1);
    test(context, target);
    snt_context_end(context);
    setenv("PATH", old, 1);
    free(old);
    assert_int_not_equal(access(target, F_OK), 0);
}

static void expect_unsupported(sn_context *context, const char *path) {
    sn_film *film = NULL;
    snt_fails(SN_UNSUPPORTED, "ffmpeg, which is not installed",
              sn_film_begin(context, path, 64, 48, 24, &film, error));
    assert_null(film);
}

static void says_that_ffmpeg_is_missing(void **state) {
    (void)state;
    char folder[4096];
    make_folder("empty", folder, sizeof folder);
    with_path(folder, expect_unsupported);
}

// Frames are sent until the dead program is noticed: the test itself must live on.
static void expect_complaint(sn_context *context, const char *path) {
    sn_film *film = NULL;
    sn_image *image = frame(context, 640, 480, 0);
    snt_ok(sn_film_begin(context, path, 640, 480, 24, &film, error));
    sn_error complaint = {0};
    sn_status status = SN_OK;
    for (int i = 0; i < 100 && status == SN_OK; ++i) {
        status = sn_film_add(film, image, &complaint);
    }
    assert_int_equal(status, SN_IO);
    assert_non_null(strstr(complaint.message, "ffmpeg failed"));
    snt_fails(SN_IO, "the lens cap is on", sn_film_end(film, error));
    sn_image_destroy(image);
}

static void survives_a_broken_ffmpeg(void **state) {
    (void)state;
    char folder[4096], program[4200];
    make_folder("broken", folder, sizeof folder);
    snprintf(program, sizeof program, "%s/ffmpeg", folder);
    FILE *script = fopen(program, "w");
    fputs("#!/bin/sh\necho the lens cap is on >&2\nexit 3\n", script);
    fclose(script);
    assert_int_equal(chmod(program, 0755), 0);
    with_path(folder, expect_complaint);
}

static sn_status film_attempt(sn_context *context, void *user, sn_error *error) {
    sn_film *film = NULL;
    sn_status status = sn_film_begin(context, user, 64, 48, 24, &film, error);
    sn_film_cancel(film);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    need_ffmpeg();
    char folder[4096], path[4200];
    make_folder("memory", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/film.mp4", folder);
    snt_fail_allocations(film_attempt, path);
    assert_int_equal(snt_count_entries(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(film_has_every_frame),
        cmocka_unit_test(cancelled_films_leave_nothing),
        cmocka_unit_test(refuses_films_of_no_size_rate_or_kind),
        cmocka_unit_test(says_that_ffmpeg_is_missing),
        cmocka_unit_test(survives_a_broken_ffmpeg),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
