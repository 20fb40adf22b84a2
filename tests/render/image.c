// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "render/image.h"

#include <png.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_image *noise(sn_context *context, uint32_t width, uint32_t height, uint64_t seed) {
    sn_image *image = NULL;
    snt_ok(sni_image_create(context, width, height, &image, error));
    snt_random random = {.state = seed};
    for (size_t i = 0; i < 3 * (size_t)width * height; ++i) {
        image->pixels[i] = (uint8_t)snt_random_u32(&random);
    }
    return image;
}

static void png_reads_back_byte_for_byte(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    uint32_t sizes[][2] = {{1, 1}, {7, 5}, {640, 480}};
    for (unsigned i = 0; i < 3; ++i) {
        sn_image *image = noise(context, sizes[i][0], sizes[i][1], 3);
        const char *path = snt_scratch("image.png");
        snt_ok(sn_image_write_png(image, path, error));
        png_image read = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&read, path));
        read.format = PNG_FORMAT_RGB;
        assert_int_equal(read.width, sizes[i][0]);
        assert_int_equal(read.height, sizes[i][1]);
        uint8_t *pixels = malloc(PNG_IMAGE_SIZE(read));
        assert_true(png_image_finish_read(&read, NULL, pixels, 0, NULL));
        assert_memory_equal(pixels, image->pixels, 3 * (size_t)sizes[i][0] * sizes[i][1]);
        free(pixels);
        sn_image_destroy(image);
    }
    snt_context_end(context);
}

static void png_says_where_it_cannot_write(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *image = noise(context, 4, 4, 1);
    snt_fails(SN_IO, "/no/such/folder/a.png",
              sn_image_write_png(image, "/no/such/folder/a.png", error));
    snt_fails(SN_IO, "", sn_image_write_png(image, snt_scratch("missing/a.png"), error));
    sn_image_destroy(image);
    snt_context_end(context);
}

static sn_status write_attempt(sn_context *context, void *user, sn_error *error) {
    sn_image *image = NULL;
    sn_status status = sni_image_create(context, 64, 64, &image, error);
    if (status == SN_OK) {
        memset(image->pixels, 9, 3 * 64 * 64);
        status = sn_image_write_png(image, user, error);
    }
    sn_image_destroy(image);
    if (status != SN_OK) { // the older file is as it was
        char text[16] = "";
        FILE *old = fopen(user, "r");
        assert_non_null(old);
        assert_non_null(fgets(text, sizeof text, old));
        fclose(old);
        assert_string_equal(text, "old");
    }
    return status;
}

static void png_survives_failing_allocations(void **state) {
    (void)state;
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch("memory"));
    assert_int_equal(mkdir(folder, 0777), 0);
    char path[4200];
    snprintf(path, sizeof path, "%s/out.png", folder);
    FILE *old = fopen(path, "w");
    fputs("old", old);
    fclose(old);
    snt_fail_allocations(write_attempt, path);
    // Nothing but the last, whole file is left.
    assert_int_equal(snt_count_entries(folder), 1);
}

static void refuses_sizes_out_of_range(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *image = NULL;
    snt_fails(SN_INVALID, "0 x 5", sni_image_create(context, 0, 5, &image, error));
    snt_fails(SN_INVALID, "5 x 0", sni_image_create(context, 5, 0, &image, error));
    snt_fails(SN_INVALID, "70000", sni_image_create(context, 70000, 5, &image, error));
    assert_null(image);
    sn_image_destroy(NULL);
    snt_context_end(context);
}

// Finds `image` within `sheet` at (x, y).
static bool is_at(const sn_image *sheet, const sn_image *image, uint32_t x, uint32_t y) {
    if (x + image->width > sheet->width || y + image->height > sheet->height) {
        return false;
    }
    for (uint32_t row = 0; row < image->height; ++row) {
        if (memcmp(snt_pixel(sheet, x, y + row), snt_pixel(image, 0, row), 3 * image->width) != 0) {
            return false;
        }
    }
    return true;
}

static void find(const sn_image *sheet, const sn_image *image, uint32_t *x, uint32_t *y) {
    for (*y = 0; *y + image->height <= sheet->height; ++*y) {
        for (*x = 0; *x + image->width <= sheet->width; ++*x) {
            if (is_at(sheet, image, *x, *y)) {
                return;
            }
        }
    }
    fail_msg("an image is missing on the sheet");
}

static void sheet_holds_every_image_in_order(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sn_image *images[5];
    for (unsigned i = 0; i < 5; ++i) {
        images[i] = noise(context, 30, 20, i + 1);
    }
    for (int titled = 0; titled <= 1; ++titled) {
        sn_image *sheet = NULL;
        snt_ok(sn_image_sheet(context, images, 5, 3, titled ? "A title" : NULL, &sheet, error));
        uint32_t x[5], y[5];
        for (unsigned i = 0; i < 5; ++i) {
            find(sheet, images[i], &x[i], &y[i]);
        }
        assert_true(y[0] == y[1] && y[1] == y[2] && y[3] == y[4]);
        assert_true(x[0] == x[3] && x[1] == x[4]);
        // Gaps are even and thin; nothing overlaps.
        assert_true(x[1] - x[0] == x[2] - x[1] && x[1] - x[0] >= 31 && x[1] - x[0] <= 40);
        assert_true(y[3] - y[0] >= 21 && y[3] - y[0] <= 30);
        assert_true(titled ? y[0] >= 15 : y[0] <= 4);
        sn_image_destroy(sheet);
    }
    for (unsigned i = 0; i < 5; ++i) {
        sn_image_destroy((sn_image *)images[i]);
    }
    snt_context_end(context);
}

static void sheet_title_is_written_above(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sn_image *image = noise(context, 200, 100, 5);
    sn_image *sheet = NULL, *other = NULL;
    snt_ok(sn_image_sheet(context, &image, 1, 4, "run, frames 0 to 30", &sheet, error));
    snt_ok(sn_image_sheet(context, &image, 1, 4, "another", &other, error));
    // One image in four columns is a sheet of one column.
    assert_true(sheet->width < 220);
    assert_int_equal(sheet->width, other->width);
    assert_int_equal(sheet->height, other->height);
    uint32_t x, y;
    find(sheet, image, &x, &y);
    size_t head = 3 * (size_t)sheet->width * y;
    assert_memory_not_equal(sheet->pixels, other->pixels, head);
    assert_memory_equal(sheet->pixels + head, other->pixels + head,
                        3 * (size_t)sheet->width * sheet->height - head);
    sn_image_destroy(sheet);
    sn_image_destroy(other);
    sn_image_destroy((sn_image *)image);
    snt_context_end(context);
}

static void sheet_refuses_what_does_not_fit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sn_image *images[2] = {noise(context, 30, 20, 1), noise(context, 31, 20, 2)};
    sn_image *sheet = NULL;
    snt_fails(SN_INVALID, "image 1 has 31 x 20",
              sn_image_sheet(context, images, 2, 2, NULL, &sheet, error));
    snt_fails(SN_INVALID, "0 images", sn_image_sheet(context, images, 0, 2, NULL, &sheet, error));
    snt_fails(SN_INVALID, "0 columns", sn_image_sheet(context, images, 1, 0, NULL, &sheet, error));
    sn_image_destroy((sn_image *)images[0]);
    sn_image_destroy((sn_image *)images[1]);
    const sn_image *many[3000];
    sn_image *one = noise(context, 60, 20, 1);
    for (unsigned i = 0; i < 3000; ++i) {
        many[i] = one;
    }
    snt_fails(SN_LIMIT, "pixels", sn_image_sheet(context, many, 3000, 3000, NULL, &sheet, error));
    sn_image_destroy(one);
    snt_context_end(context);
}

static void blending_stays_inside(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *image = noise(context, 3, 3, 1);
    const uint8_t color[3] = {10, 20, 30};
    sni_image_fill(image, -5, -5, 100, 100, color, 1);
    for (unsigned i = 0; i < 9; ++i) {
        assert_memory_equal(&image->pixels[3 * i], color, 3);
    }
    const uint8_t other[3] = {20, 20, 20};
    sni_image_blend(image, 1, 1, other, 0.5);
    const uint8_t half[3] = {15, 20, 25};
    assert_memory_equal(snt_pixel(image, 1, 1), half, 3);
    sni_image_blend(image, 3, 0, other, 1);
    sni_image_blend(image, 0, -1, other, 1);
    sn_image_destroy(image);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_reads_back_byte_for_byte),
        cmocka_unit_test(png_says_where_it_cannot_write),
        cmocka_unit_test(png_survives_failing_allocations),
        cmocka_unit_test(refuses_sizes_out_of_range),
        cmocka_unit_test(sheet_holds_every_image_in_order),
        cmocka_unit_test(sheet_title_is_written_above),
        cmocka_unit_test(sheet_refuses_what_does_not_fit),
        cmocka_unit_test(blending_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
