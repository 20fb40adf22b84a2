// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "render/font.h"

static const uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0};

static sn_image *blank(sn_context *context, uint32_t width, uint32_t height) {
    sn_image *image = NULL;
    snt_ok(sni_image_create(context, width, height, &image, error));
    sni_image_fill(image, 0, 0, width, height, white, 1);
    return image;
}

// Darkness summed over the image, in black pixels.
static double ink(const sn_image *image) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i) {
        sum += (255 - image->pixels[3 * i]) / 255.0;
    }
    return sum;
}

static sn_image *drawn(sn_context *context, const char *text, double size) {
    sn_image *image = blank(context, 400, 60);
    sni_text_draw(image, 10, 40, size, text, black, NULL);
    return image;
}

static void every_character_has_a_shape_of_its_own(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *images[95];
    for (int i = 0; i < 95; ++i) {
        char text[2] = {(char)(' ' + i), 0};
        images[i] = drawn(context, text, 24);
        assert_true(i == 0 ? ink(images[i]) == 0 : ink(images[i]) > 5);
        for (int j = 0; j < i; ++j) {
            if (snt_same_pixels(images[i], images[j])) {
                fail_msg("'%c' looks like '%c'", ' ' + i, ' ' + j);
            }
        }
    }
    for (int i = 0; i < 95; ++i) {
        sn_image_destroy(images[i]);
    }
    snt_context_end(context);
}

static void text_stays_where_it_was_asked_for(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int i = 1; i < 95; ++i) {
        char text[2] = {(char)(' ' + i), 0};
        sn_image *image = drawn(context, text, 18);
        double width = sni_text_width(text, 18);
        for (uint32_t y = 0; y < image->height; ++y) {
            for (uint32_t x = 0; x < image->width; ++x) {
                bool near = x >= 7 && x <= 13 + width && y >= 40 - 22 && y <= 40 + 8;
                assert_true(near || snt_pixel(image, x, y)[0] == 255);
            }
        }
        sn_image_destroy(image);
    }
    snt_context_end(context);
}

static void widths_grow_with_text_and_size(void **state) {
    (void)state;
    assert_true(sni_text_width("", 20) == 0);
    assert_true(sni_text_width("ab", 20) > sni_text_width("a", 20));
    snt_near(sni_text_width("Sinew", 40), 2 * sni_text_width("Sinew", 20), 1e-9);
    for (char c = '0'; c <= '9'; ++c) {
        char text[3] = {c, '0', 0};
        snt_near(sni_text_width(text, 18), sni_text_width("00", 18), 1e-12);
    }
    double fitting = sni_text_fit("a long title", 30, 50);
    snt_near(sni_text_width("a long title", fitting), 50, 1e-9);
    assert_true(sni_text_fit("i", 30, 500) == 30);
}

static void strokes_are_soft_and_scale(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *small = drawn(context, "Sinew 0.5", 12), *large = drawn(context, "Sinew 0.5", 36);
    // Three times the size: nine times the ink, less what thin strokes keep at small sizes.
    double ratio = ink(large) / ink(small);
    assert_true(ratio > 6 && ratio < 10);
    bool seen_grey = false;
    for (size_t i = 0; i < (size_t)small->width * small->height; ++i) {
        uint8_t value = small->pixels[3 * i];
        seen_grey = seen_grey || (value > 40 && value < 215);
    }
    assert_true(seen_grey);
    sn_image_destroy(small);
    sn_image_destroy(large);
    snt_context_end(context);
}

static void other_characters_show_as_one_box(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *umlaut = drawn(context, "\xc3\xa4", 20), *kanji = drawn(context, "\xe7\xad\x8b", 20);
    sn_image *stray = drawn(context, "\x80", 20), *tab = drawn(context, "\t", 20);
    assert_true(ink(umlaut) > 5);
    assert_true(snt_same_pixels(umlaut, kanji));
    assert_true(snt_same_pixels(umlaut, stray));
    assert_true(snt_same_pixels(umlaut, tab));
    sn_image_destroy(umlaut);
    sn_image_destroy(kanji);
    sn_image_destroy(stray);
    sn_image_destroy(tab);
    snt_context_end(context);
}

static void text_is_cut_at_the_border(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *image = blank(context, 5, 3);
    sni_text_draw(image, -40, 2, 30, "wide text over the border", black, white);
    sni_text_draw(image, 2, -100, 30, "above", black, white);
    sni_text_draw(image, 2, 2, 0, "no size", black, white);
    sn_image_destroy(image);
    snt_context_end(context);
}

static void halo_lies_under_the_ink(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_image *image = blank(context, 60, 40);
    const uint8_t red[3] = {255, 0, 0};
    sni_image_fill(image, 0, 0, 60, 40, red, 1);
    sni_text_draw(image, 20.5, 30, 20, "I", black, white);
    // The middle of the stem is ink, beside it white, farther off untouched.
    assert_int_equal(snt_pixel(image, 20, 20)[0], 0);
    assert_true(snt_pixel(image, 22, 20)[1] > 90);
    assert_int_equal(snt_pixel(image, 30, 20)[1], 0);
    sn_image_destroy(image);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_has_a_shape_of_its_own),
        cmocka_unit_test(text_stays_where_it_was_asked_for),
        cmocka_unit_test(widths_grow_with_text_and_size),
        cmocka_unit_test(strokes_are_soft_and_scale),
        cmocka_unit_test(other_characters_show_as_one_box),
        cmocka_unit_test(text_is_cut_at_the_border),
        cmocka_unit_test(halo_lies_under_the_ink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
