// SPDX-License-Identifier: Apache-2.0
//
// Fibres are found again in meshes that were made from fibres, whatever their size, bend and
// exponents.
#include "test.h"

#include "fit/muscle/fibre.h"
#include "scene.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Profiles

static void areas_of_a_profile_give_its_exponents(void **state) {
    (void)state;
    enum { COUNT = 48 };
    for (uint32_t a = 2; a <= 9; ++a) {
        for (uint32_t b = 2; b <= 9; ++b) {
            sni_beta beta = {a, b};
            sni_fibre_profile profile = sni_fibre_profile_make(beta, beta);
            const double length = 0.3, width = 0.02;
            sni_fit_area areas[COUNT];
            for (int i = 0; i < COUNT; ++i) {
                double s = 0.02 + 0.96 * i / (COUNT - 1);
                double phi = sni_fibre_profile_at(&profile, 0, s, NULL);
                areas[i] = (sni_fit_area){s * length, SN_PI * width * width * phi * phi};
            }
            sni_fit_profile found = sni_fit_profile_find(areas, COUNT, length, false);
            assert_int_equal(found.beta.a, a);
            assert_int_equal(found.beta.b, b);
            assert_true(found.before == 0 && found.after == 0);
            snt_near(found.volume / (SN_PI * width * width * length), 1, 0.02);
            assert_true(found.shared > 0.95);
        }
    }
}

// The axis goes on beyond blunt ends: a cylinder has no better spindle.
static void blunt_ends_lie_within_the_axis(void **state) {
    (void)state;
    const sni_fit_area areas[2] = {{0.01, 1e-4}, {0.19, 1e-4}};
    sni_fit_profile found = sni_fit_profile_find(areas, 2, 0.2, false);
    assert_int_equal(found.beta.a, 2);
    assert_int_equal(found.beta.b, 2);
    assert_true(found.before > 0 && found.after > 0);
    snt_near(found.volume, 2e-5, 2e-7);
}

// ---------------------------------------------------------------------------------------------
// Meshes

// A fibre's surface: length, w, half-axis u, angle of its bend, exponents.
static sn_vec3 spindle(double along, double around, const double *sizes) {
    double s = 0.004 + 0.992 * along, angle = sizes[3], length = sizes[0];
    sni_beta beta = {(uint32_t)sizes[4], (uint32_t)sizes[5]};
    sni_fibre_profile profile = sni_fibre_profile_make(beta, beta);
    double radius = sizes[1] * sni_fibre_profile_at(&profile, 0, s, NULL);
    double wide = radius / sizes[2] * cos(around), thick = radius * sizes[2] * sin(around);
    double bend = length / angle, at = angle * (s - 0.5); // radius of the arc, place on it
    double r = bend - thick;
    return sn_vec3_make(bend - r * cos(at), r * sin(at), wide);
}

typedef struct given {
    double length, width, eccentricity, bend;
    uint32_t a, b;
} given;

static given draw(snt_random *random) {
    given g = {.length = snt_random_range(random, 0.05, 0.5),
               .eccentricity = snt_random_range(random, 0, 0.95),
               .bend = snt_random_range(random, 0.01, 0.8),
               .a = 2 + snt_random_u32(random) % 6,
               .b = 2 + snt_random_u32(random) % 6};
    g.width = g.length * snt_random_range(random, 0.03, 0.07);
    return g;
}

static void begin_fibre(scene *s, const given *g) {
    const double sizes[6] = {g->length, g->width, sni_fibre_half_axis(g->eccentricity),
                             g->bend,   g->a,     g->b};
    begin(s, 2);
    s->mesh = snt_tube(s->context, 64, 32, spindle, sizes);
    for (uint32_t k = 0; k < 2; ++k) {
        sn_vec3 end = spindle(k, 0, sizes), way = {0, k == 0 ? -1 : 1, 0};
        add_bone(s, k, sn_vec3_add_scaled(end, 0.012, way));
        add_place(s, k, end);
    }
    s->desc.mesh = s->mesh;
    s->desc.bones = s->bones;
    s->desc.segment_parents = s->parents;
    s->desc.places = s->places;
    s->desc.strips = 1;
}

static double peak_of(double a, double b) {
    return (a - 1) / (a + b - 2);
}

static void fibres_are_found_again(void **state) {
    (void)state;
    snt_random random = {2018};
    double worst = 1;
    for (int i = 0; i < 40; ++i) {
        scene s;
        given g = draw(&random);
        begin_fibre(&s, &g);
        sn_fibre_fit *fit = NULL;
        snt_ok(sn_fit_fibres(s.context, &s.desc, &fit, error));
        const sn_fit_fibre *f = &fit->fibres[0];
        print_message("%2d: (%u,%u) -> (%u,%u)  w %.4f -> %.4f  e %.2f -> %.2f  l %.3f -> %.3f  "
                      "bend %.2f: %u  overlap %.3f volume %.3f\n",
                      i, g.a, g.b, f->exponents[0], f->exponents[1], g.width, f->width,
                      g.eccentricity, f->eccentricity, g.length, f->length, g.bend,
                      f->through_count, fit->overlap, fit->volume_ratio);
        assert_int_equal(fit->fibre_count, 1);
        assert_int_equal(f->origin.bone, 0);
        assert_int_equal(f->insertion.bone, 1);
        // Neighbours among exponents differ little: both may be one off.
        assert_in_range(f->exponents[0], g.a - 1, g.a + 1);
        assert_in_range(f->exponents[1], g.b - 1, g.b + 1);
        snt_near(peak_of(f->exponents[0], f->exponents[1]), peak_of(g.a, g.b), 0.05);
        snt_near(f->width / g.width, 1, 0.05);
        snt_near(f->length / g.length, 1, 0.05);
        snt_near(sni_fibre_half_axis(f->eccentricity), sni_fibre_half_axis(g.eccentricity), 0.04);
        snt_near(fit->volume_ratio, 1, 0.03);
        worst = fmin(worst, fit->overlap);
        sn_fibre_fit_destroy(fit);
        end(&s);
    }
    print_message("least overlap %.3f\n", worst);
    assert_true(worst > 0.8);
}

static void wrong_input_is_refused(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    sn_fibre_fit *fit = NULL;
    sn_muscle_fit_desc bad = {0};
    snt_fails(SN_INVALID, "sn_muscle_fit_desc_default",
              sn_fit_fibres(s.context, &bad, &fit, error));
    bad = s.desc;
    bad.mesh = s.mesh;
    bad.segment_parents = s.parents;
    bad.bone_count = 0;
    snt_fails(SN_INVALID, "muscle 'muscle': there are no bones",
              sn_fit_fibres(s.context, &bad, &fit, error));
    assert_null(fit);
    end(&s);
}

// A mesh with a hole, and one that is inside out, give what the whole one gives, nearly.
static void holes_and_orientation_do_not_matter(void **state) {
    (void)state;
    const given g = {0.25, 0.012, 0.7, 0.3, 3, 5};
    double widths[3];
    for (int k = 0; k < 3; ++k) {
        scene s;
        begin_fibre(&s, &g);
        if (k == 1) { // inside out
            for (uint32_t f = 0; f < s.mesh->face_count; ++f) {
                uint32_t *c = s.mesh->corners + 3 * (size_t)f, kept = c[1];
                c[1] = c[2];
                c[2] = kept;
            }
        }
        if (k == 2) { // without a few faces in the middle
            for (uint32_t f = 2000; f < 2006; ++f) {
                uint32_t *c = s.mesh->corners + 3 * (size_t)f;
                c[1] = c[2] = c[0];
            }
        }
        sn_fibre_fit *fit = NULL;
        snt_ok(sn_fit_fibres(s.context, &s.desc, &fit, error));
        widths[k] = fit->fibres[0].width;
        assert_in_range(fit->fibres[0].exponents[0], 2, 4);
        assert_in_range(fit->fibres[0].exponents[1], 4, 6);
        assert_true(fit->overlap > 0.85);
        sn_fibre_fit_destroy(fit);
        end(&s);
    }
    snt_near(widths[1] / widths[0], 1, 0.02);
    snt_near(widths[2] / widths[0], 1, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_of_a_profile_give_its_exponents),
        cmocka_unit_test(blunt_ends_lie_within_the_axis),
        cmocka_unit_test(fibres_are_found_again),
        cmocka_unit_test(holes_and_orientation_do_not_matter),
        cmocka_unit_test(wrong_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
