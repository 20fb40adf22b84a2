// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "muscle/fibre/profile.h"
#include "sinew/vector.h"

#include <math.h>

static sni_fibre_profile one(uint32_t a, uint32_t b) {
    return sni_fibre_profile_make((sni_beta){a, b}, (sni_beta){a, b});
}

static void profiles_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const struct {
        uint32_t a, b;
        double factor; // 1 / sqrt(I)
        double phi[5]; // at 1/10, 1/4, 1/3, 1/2, 3/4
    } rows[] = {
        {3,
         3,
         25.099800796022265,
         {0.20330838644778, 0.882414871735158, 1.23949633560604, 1.56873754975139,
          0.882414871735158}},
        {4,
         7,
         593.8989813091112,
         {0.315622268525895, 1.6515821738218, 1.93108442837896, 1.15995894786936,
          0.0611697101415482}},
        {4,
         8,
         902.1973176639353,
         {0.431518180226976, 1.88170007107833, 1.95568522178163, 0.881052068031187,
          0.0232308650750411}},
        {2,
         3,
         10.246950765959598,
         {0.830003012042727, 1.44097745146307, 1.51806678014216, 1.28086884574495,
          0.480325817154356}},
        {3,
         9,
         318.97492064424125,
         {1.37308244149698, 1.99584432062804, 1.38287828218811, 0.311498945941642,
          0.00273778370456521}},
    };
    static const double places[5] = {0.1, 0.25, 1.0 / 3, 0.5, 0.75};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sni_fibre_profile profile = one(rows[i].a, rows[i].b);
        snt_near(profile.rest_factor / rows[i].factor, 1, 1e-13);
        snt_near(profile.overlap, 1, 1e-13);
        for (int k = 0; k < 5; ++k) {
            double value = sni_fibre_profile_at(&profile, 0, places[k], NULL);
            snt_near(value / rows[i].phi[k], 1, 1e-12);
        }
    }
    snt_near(one(2, 2).rest_factor, 5.477225575051661, 1e-13);
    snt_near(one(5, 5).rest_factor, 467.74993319080227, 1e-10);
    snt_near(one(9, 9).rest_factor, 140839.10277334205, 1e-7);
    sni_fibre_profile profile = one(4, 7);
    snt_near(sni_fibre_profile_most(&profile, 0), 1.93108442837896, 1e-12);
    profile = one(4, 8);
    snt_near(sni_fibre_profile_most(&profile, 0), 2.00609537106846, 1e-12);
    profile = one(3, 9);
    snt_near(sni_fibre_profile_most(&profile, 0), 2.14060445689252, 1e-12);
}

static void activations_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const struct {
        sni_beta rest, active;
        double overlap;
    } rows[] = {
        {{3, 3}, {4, 7}, 0.827325237197205},
        {{3, 3}, {4, 8}, 0.754078353382298},
        {{2, 3}, {4, 7}, 0.945711518481433},
        {{3, 9}, {4, 7}, 0.814580669219855},
        {{2, 3}, {3, 2}, 0.75},
        {{2, 2}, {9, 9}, 0.835055463072894},
        {{2, 9}, {9, 2}, 0.00314685314685315},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sni_fibre_profile profile = sni_fibre_profile_make(rows[i].rest, rows[i].active);
        snt_near(profile.overlap / rows[i].overlap, 1, 1e-12);
    }
    sni_fibre_profile profile = sni_fibre_profile_make((sni_beta){3, 3}, (sni_beta){4, 7});
    snt_near(sni_fibre_profile_norm(&profile, 0.25), 0.935246963948952, 1e-13);
    snt_near(sni_fibre_profile_norm(&profile, 0.5), 0.913662618598603, 1e-13);
    snt_near(sni_fibre_profile_norm(&profile, 0.75), 0.935246963948952, 1e-13);
    static const double places[5] = {0.1, 0.25, 1.0 / 3, 0.5, 0.75};
    static const double phi[3][5] = {
        {0.239262994241, 1.11128845297, 1.46046957248, 1.51646229982, 0.700151393235},
        {0.271447847824, 1.32551052403, 1.65850160612, 1.42735601481, 0.4935804072},
        {0.2973314517, 1.50896288051, 1.81803404271, 1.30511582675, 0.275551701307},
    };
    for (int row = 0; row < 3; ++row) {
        for (int i = 0; i < 5; ++i) {
            double value = sni_fibre_profile_at(&profile, 0.25 * (row + 1), places[i], NULL);
            snt_near(value / phi[row][i], 1, 1e-10);
        }
    }
}

static double squares(const sni_fibre_profile *profile, double activation) {
    enum { PARTS = 2000 };
    double sum = 0;
    for (int i = 0; i <= PARTS; ++i) {
        double value = sni_fibre_profile_at(profile, activation, (double)i / PARTS, NULL);
        sum += value * value * (i == 0 || i == PARTS ? 1 : i % 2 == 1 ? 4 : 2);
    }
    return sum / (3 * PARTS);
}

// Open ends too: the volume is the same for every activation.
static void every_activation_has_the_same_volume(void **state) {
    (void)state;
    for (uint32_t a = 1; a <= 9; a += 2) {
        for (uint32_t b = 1; b <= 9; b += 4) {
            sni_fibre_profile profile = sni_fibre_profile_make((sni_beta){a, b}, (sni_beta){4, 7});
            double allowed = a == 1 || b == 1 ? 1e-6 : 1e-9;
            for (int i = 0; i <= 4; ++i) {
                snt_near(squares(&profile, i / 4.0), 1, allowed);
                double most = sni_fibre_profile_most(&profile, i / 4.0);
                for (double s = 0.001; s < 1; s += 0.01) {
                    double step = 1e-6, slope;
                    double value = sni_fibre_profile_at(&profile, i / 4.0, s, &slope);
                    assert_true(value <= most * (1 + 1e-9));
                    double measured = (sni_fibre_profile_at(&profile, i / 4.0, s + step, NULL) -
                                       sni_fibre_profile_at(&profile, i / 4.0, s - step, NULL)) /
                                      (2 * step);
                    snt_near(slope, measured, 1e-3 + 1e-5 * fabs(slope));
                }
            }
            assert_true(sni_fibre_profile_at(&profile, 0.5, 0, NULL) == 0);
            assert_true(sni_fibre_profile_at(&profile, 0.5, 1, NULL) == 0);
        }
    }
}

enum { PLACES = 40 };

static void many_values_have_the_bits_of_one(void **state) {
    (void)state;
    double places[PLACES + 1], values[PLACES + 1];
    for (int i = 0; i <= PLACES; ++i) {
        places[i] = (double)i / PLACES;
    }
    for (uint32_t a = 1; a <= 9; ++a) {
        sni_fibre_profile profile = sni_fibre_profile_make((sni_beta){a, 3}, (sni_beta){4, 10 - a});
        for (int i = 0; i <= 4; ++i) {
            sni_fibre_profile_values(&profile, i / 4.0, PLACES + 1, places, values);
            for (int k = 0; k <= PLACES; ++k) {
                double one = sni_fibre_profile_at(&profile, i / 4.0, places[k], NULL);
                assert_true(values[k] == one);
            }
        }
    }
}

static void sections_keep_their_area(void **state) {
    (void)state;
    static const double rows[3][3] = {
        {.6, 0.894427190999916, 0.98772959665},
        {.8, 0.774596669241483, 0.939336436628},
        {.95, 0.558793253287761, 0.754334354753},
    };
    for (int i = 0; i < 3; ++i) {
        double u = sni_fibre_half_axis(rows[i][0]), v = 1 / u;
        snt_near(u, rows[i][1], 1e-14);
        snt_near(1 / sqrt(u * u / 2 + v * v / 2), rows[i][2], 1e-12);
        double area = 0;
        for (int k = 0; k < 360; ++k) {
            double c = cos(k * SN_PI / 180), r2 = 1 / (u * u * c * c + v * v * (1 - c * c));
            area += r2 / 2 * SN_PI / 180;
        }
        snt_near(area, SN_PI, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_have_the_values_of_the_specification),
        cmocka_unit_test(activations_have_the_values_of_the_specification),
        cmocka_unit_test(every_activation_has_the_same_volume),
        cmocka_unit_test(many_values_have_the_bits_of_one),
        cmocka_unit_test(sections_keep_their_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
