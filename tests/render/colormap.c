// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "render/color.h"
#include "render/overlay.h"

// The inverse of the curve, of the same standard.
static double decode(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static void srgb_curve_round_trips(void **state) {
    (void)state;
    for (int i = 0; i < 256; ++i) {
        assert_int_equal(sni_srgb_byte(decode(i / 255.0)), i);
    }
    snt_near(sni_srgb_encode(0.5), 0.7353569830524495, 1e-12);
    assert_true(sni_srgb_encode(-1) == 0 && sni_srgb_encode(2) == 1 && sni_srgb_encode(NAN) == 0);
}

static void viridis_grows_lighter(void **state) {
    (void)state;
    double last = -1;
    for (int i = 0; i <= 1000; ++i) {
        double light = sni_luminance(sni_color_map(SN_COLOR_MAP_VIRIDIS, i / 1000.0));
        assert_true(light > last);
        last = light;
    }
}

static void cool_warm_is_lightest_in_the_middle(void **state) {
    (void)state;
    double last = -1;
    for (int i = 0; i <= 1000; ++i) {
        double light = sni_luminance(sni_color_map(SN_COLOR_MAP_COOL_WARM, i / 1000.0));
        assert_true(i <= 500 ? light > last : light < last);
        last = light;
    }
    sn_vec3 low = sni_color_map(SN_COLOR_MAP_COOL_WARM, 0);
    sn_vec3 high = sni_color_map(SN_COLOR_MAP_COOL_WARM, 1);
    assert_true(low.z > 3 * low.x && high.x > 3 * high.z);
}

static void flesh_grows_darker_and_redder(void **state) {
    (void)state;
    double last = 2, paler = 2;
    for (int i = 0; i <= 1000; ++i) {
        sn_vec3 color = sni_color_map(SN_COLOR_MAP_FLESH, i / 1000.0);
        assert_true(sni_luminance(color) < last && color.y / color.x < paler);
        last = sni_luminance(color);
        paler = color.y / color.x;
    }
}

static void maps_have_no_jumps_nor_cut_colors(void **state) {
    (void)state;
    for (int map = 0; map <= 2; ++map) {
        sn_vec3 last = sni_color_map((sn_color_map)map, 0);
        for (int i = 0; i <= 256; ++i) {
            sn_vec3 color = sni_color_map((sn_color_map)map, i / 256.0);
            sn_vec3 step = sn_vec3_sub(color, last);
            assert_true(fabs(step.x) < 0.025 && fabs(step.y) < 0.025 && fabs(step.z) < 0.025);
            // A channel at the border of what a screen shows would flatten the map there.
            assert_true(color.x < 1 && color.y < 1 && color.z < 1);
            assert_true(color.x > 0 && color.y > 0 && color.z > 0);
            last = color;
        }
    }
}

static void values_outside_take_the_ends(void **state) {
    (void)state;
    for (int map = 0; map <= 2; ++map) {
        sn_vec3 low = sni_color_map((sn_color_map)map, 0),
                under = sni_color_map((sn_color_map)map, -9);
        sn_vec3 high = sni_color_map((sn_color_map)map, 1);
        sn_vec3 over = sni_color_map((sn_color_map)map, INFINITY);
        assert_memory_equal(&low, &under, sizeof low);
        assert_memory_equal(&high, &over, sizeof high);
        sn_vec3 none = sni_color_map((sn_color_map)map, NAN);
        assert_true(none.x == none.y && none.y == none.z);
    }
}

static void legend_shows_the_map_at_its_ticks(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int map = 0; map <= 2; ++map) {
        sn_picture_desc desc = snt_quick(640, 480, 3);
        desc.map_title = "strain (%)";
        desc.color_map = (sn_color_map)map;
        sn_image *image = snt_draw(context, &desc, NULL, 0);
        sni_legend legend = sni_legend_place(&desc);
        assert_true(legend.x > 0 && legend.x + legend.width < desc.width);
        assert_true(legend.y > 0 && legend.y + legend.height < desc.height);
        double at[] = {0, 0.5, 1};
        for (unsigned i = 0; i < 3; ++i) {
            int64_t row = legend.y + (int64_t)((double)(legend.height - 1) * (1 - at[i]));
            double t = 1 - (double)(row - legend.y) / (double)(legend.height - 1);
            sn_vec3 color = sni_color_map(desc.color_map, t);
            const uint8_t *pixel =
                snt_pixel(image, (uint32_t)(legend.x + legend.width / 2), (uint32_t)row);
            assert_int_equal(pixel[0], sni_srgb_byte(color.x));
            assert_int_equal(pixel[1], sni_srgb_byte(color.y));
            assert_int_equal(pixel[2], sni_srgb_byte(color.z));
            snt_near(t, at[i], 0.01);
        }
        sn_image_destroy(image);
    }
    snt_context_end(context);
}

static void ticks_are_short_numbers(void **state) {
    (void)state;
    struct {
        double value, range;
        const char *text;
    } cases[] = {
        {0, 1, "0"},         {0.1 + 0.2, 1, "0.3"},      {1.0 / 3, 1, "0.333"},
        {0.85, 1.7, "0.85"}, {1234.5678, 10, "1234.57"}, {-0.5, 1, "-0.5"},
        {1e-9, 1, "0"},      {100.25, 0.5, "100.25"},    {2e6, 4e6, "2000000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[SNI_NUMBER_BYTES];
        sni_tick_text(cases[i].value, cases[i].range, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srgb_curve_round_trips),
        cmocka_unit_test(viridis_grows_lighter),
        cmocka_unit_test(cool_warm_is_lightest_in_the_middle),
        cmocka_unit_test(flesh_grows_darker_and_redder),
        cmocka_unit_test(maps_have_no_jumps_nor_cut_colors),
        cmocka_unit_test(values_outside_take_the_ends),
        cmocka_unit_test(legend_shows_the_map_at_its_ticks),
        cmocka_unit_test(ticks_are_short_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
