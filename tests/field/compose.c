// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "field/compose.h"

static const sni_opening sinew = {SNI_OPENING_SINEW, 0.75};
static const sni_opening line = {SNI_OPENING_LINE, 0};
static const sni_opening diamond = {SNI_OPENING_DIAMOND, 0};

static void openings_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const double c[7] = {0.1, 0.25, 0.5, 0.6, 0.7, 0.75, 0.9};
    static const double k[3][7] = {
        {0, 0, 0, 0.24, 0.64, 0.75, 0.9},
        {0.018, 0.09375, 0.25, 0.417, 0.666, 0.75, 0.9},
        {0.036, 0.1875, 0.5, 0.594, 0.692, 0.75, 0.9},
    };
    for (int row = 0; row < 3; ++row) {
        for (int i = 0; i < 7; ++i) {
            snt_near(sni_opening_at(sinew, row * 0.5, c[i], NULL), k[row][i], 1e-12);
        }
    }
}

static void openings_never_fall(void **state) {
    (void)state;
    static const double closes[3] = {0.7, 0.75, 1};
    for (int i = 0; i < 3; ++i) {
        sni_opening opening = {SNI_OPENING_SINEW, closes[i]};
        for (double t = 0; t <= 1; t += 0.1) {
            for (double c = 0.001; c < 1; c += 0.001) {
                double slope, k = sni_opening_at(opening, t, c, &slope), step = 1e-7;
                assert_true(k <= c + 1e-15 && k >= -1e-15 && slope >= -1e-12);
                if (fabs(c - closes[i]) < 2 * step) {
                    continue; // where the union begins, its slope jumps
                }
                double measured = (sni_opening_at(opening, t, c + step, NULL) -
                                   sni_opening_at(opening, t, c - step, NULL)) /
                                  (2 * step);
                snt_near(slope, measured, 1e-5);
            }
        }
    }
}

static void check_blend(double t, double x, double y, double value, double by_x, double by_y) {
    sni_composed g = sni_blend(sinew, t, x, y);
    snt_near(g.value, value, 2e-12 + 1e-11 * value);
    snt_near(g.by_x, by_x, 6e-10);
    snt_near(g.by_y, by_y, 6e-10);
}

static void blends_have_the_values_of_the_specification(void **state) {
    (void)state;
    check_blend(0, .2, .1, 0.22360679775, .894427191, .447213595);
    check_blend(0.5, .2, .1, 0.204171144031, .864919107, .217768631);
    check_blend(1, .2, .1, 0.2, 1, 0);
    check_blend(0, .3, .3, 0.424264068712, .707106781, .707106781);
    check_blend(0.5, .3, .3, 0.356509490323, .554677323, .554677323);
    check_blend(1, .3, .3, 0.312838722545, .456139959, .456139959);
    check_blend(0, .4, .3, 0.5, .8, .6);
    check_blend(0.5, .4, .3, 0.42168467562, .744437957, .361359255);
    check_blend(1, .4, .3, 0.4, 1, 0);
    check_blend(0, .45, .45, 0.575336230087, .290640583, .290640583);
    check_blend(0.5, .45, .45, 0.524262940451, .474294609, .474294609);
    check_blend(1, .45, .45, 0.451256124066, .476755248, .476755248);
    check_blend(0, .5, .5, 0.602886389331, .264323634, .264323634);
    check_blend(0.5, .5, .5, 0.566239333601, .382121851, .382121851);
    check_blend(0, .6, .55, 0.6425768999, .301797238, .218595483);
    check_blend(0.5, .6, .55, 0.621812651131, .434252228, .264336391);
    check_blend(1, .6, .55, 0.6, 1, 0);
    check_blend(0, .65, .65, 0.68119347635, .278432295, .278432295);
    check_blend(0.5, .65, .65, 0.671117599163, .349759726, .349759726);
    check_blend(1, .65, .65, 0.652657714706, .503786707, .503786707);
    snt_near(sni_blend(sinew, 1, .5, .5).value, 0.5, 1e-15); // the crease of the union
    // Where the level of a half crosses the diagonal.
    static const double diagonal[5] = {0.353553390593, 0.390165042945, 0.426776695297,
                                       0.463388347648, 0.5};
    for (int i = 0; i < 5; ++i) {
        snt_near(sni_blend(sinew, i / 4.0, diagonal[i], diagonal[i]).value, 0.5, 2e-12);
    }
}

static void lines_and_diamonds_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const double rows[5][6] = {
        {0, 0.5, 0.6403124237, 0.5585938418, 0.8485281374, 0.6422710471},
        {0.3, 0.4474577919, 0.5716567597, 0.5389313298, 0.7547409555, 0.6338870571},
        {0.43, 0.429009656, 0.5470779224, 0.5288432171, 0.7202441352, 0.6294469335},
        {0.5, 0.4202041029, 0.5350889359, 0.5230058413, 0.7029437252, 0.626799802},
        {1, 0.4, 0.5, 0.5, 0.6, 0.6},
    };
    for (int i = 0; i < 5; ++i) {
        double t = rows[i][0];
        snt_near(sni_blend(line, t, .4, .3).value, rows[i][1], 1e-10);
        snt_near(sni_blend(line, t, .5, .4).value, rows[i][2], 1e-10);
        snt_near(sni_blend(diamond, t, .5, .4).value, rows[i][3], 1e-10);
        snt_near(sni_blend(line, t, .6, .6).value, rows[i][4], 1e-10);
        snt_near(sni_blend(diamond, t, .6, .6).value, rows[i][5], 1e-10);
    }
}

// An operator of two numbers, for the checks that all of them must pass.
typedef sni_composed (*operator_fn)(double t, double x, double y);

static sni_composed blend_sinew(double t, double x, double y) {
    return sni_blend(sinew, t, x, y);
}

static sni_composed blend_muscles(double t, double x, double y) {
    return sni_blend(SNI_OPENING_MUSCLES, t, x, y);
}

static sni_composed blend_line(double t, double x, double y) {
    return sni_blend(line, t, x, y);
}

static sni_composed bulge(double t, double x, double y) {
    return sni_bulge(sinew, t, 0.5, x, y);
}

// Slopes are those of the values at random places. Where a second difference shows a crease within
// the step, there is no slope to compare with.
static void check_slopes(operator_fn composed, double high) {
    snt_random random = {5};
    static const double widths[6] = {0, 0.1, 0.3, 0.5, 0.8, 1};
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        double t = widths[i % 6], step = 1e-6;
        double x = snt_random_range(&random, 0.01, high), y = snt_random_range(&random, 0.01, high);
        sni_composed g = composed(t, x, y);
        double values[4] = {composed(t, x - step, y).value, composed(t, x + step, y).value,
                            composed(t, x, y - step).value, composed(t, x, y + step).value};
        for (int axis = 0; axis < 2; ++axis) {
            double back = g.value - values[2 * axis], ahead = values[2 * axis + 1] - g.value;
            if (fabs(ahead - back) > 1e-3 * step) {
                continue;
            }
            double miss = fabs((ahead + back) / (2 * step) - (axis == 0 ? g.by_x : g.by_y));
            worst = fmax(worst, miss);
        }
    }
    assert_true(worst < 1e-3);
}

static void slopes_are_those_of_the_values(void **state) {
    (void)state;
    check_slopes(blend_sinew, 1);
    check_slopes(blend_muscles, 1);
    check_slopes(blend_line, 0.6); // beyond it a line leaves 0 to 1
    check_slopes(bulge, 1);
}

static void operators_are_symmetric_and_leave_one_field_alone(void **state) {
    (void)state;
    snt_random random = {6};
    static const operator_fn operators[3] = {blend_sinew, blend_muscles, bulge};
    for (int i = 0; i < 3000; ++i) {
        double t = snt_random_range(&random, 0, 1);
        double x = snt_random_range(&random, 0, 1), y = snt_random_range(&random, 0, 1);
        for (int k = 0; k < 3; ++k) {
            sni_composed g = operators[k](t, x, y), other = operators[k](t, y, x);
            assert_true(g.value == other.value && g.by_x == other.by_y && g.by_y == other.by_x);
            assert_true(g.value >= fmax(x, y) && g.value <= 1);
            assert_true(operators[k](t, x, 0).value == x);
        }
        assert_true(sni_contact(x, y).value == sni_contact(y, x).value);
        assert_true(sni_contact(x, 0).value == x);
    }
}

static void contact_has_the_values_of_the_specification(void **state) {
    (void)state;
    snt_near(sni_contact(.4, .9).value, 0.9, 1e-15);
    snt_near(sni_contact(.6, .9).value, 0.8, 1e-15);
    snt_near(sni_contact(.8, .8).value, 0.5, 1e-15);
    snt_near(sni_contact(1, .5).value, 1, 1e-15);
}

static void controllers_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const double s[5] = {.1, .25, .5, .75, .9};
    static const double ramp[5] = {0.00012341741939, 0.0510467049476, 0.441207295237,
                                   0.920159666761, 0.999798406518};
    for (int i = 0; i < 5; ++i) {
        snt_near(sni_controller_ramp(s[i]), ramp[i], 1e-12);
    }
    static const double degrees[7] = {20, 30, 45, 60, 75, 120, 150};
    static const struct {
        const sni_controller *controller;
        double t[7];
    } rows[3] = {
        {&sni_controller_camel,
         {0.951382766, 0.785938962, 0.441207295, 0.144883569, 0.00676069786, 0.144883569,
          0.785938962}},
        {&sni_controller_elbow, {0.754703302, 0.519355218, 0.43, 0.612237546, 0.999810168, 1, 1}},
        {&sni_controller_finger,
         {1, 1, 0.999897517, 0.606371991, 0.300042914, 0.485903255, 0.897314587}},
    };
    for (int row = 0; row < 3; ++row) {
        for (int i = 0; i < 7; ++i) {
            double angle = degrees[i] * SN_PI / 180;
            snt_near(sni_controller_at(rows[row].controller, angle), rows[row].t[i], 1e-8);
        }
    }
    snt_near(sni_controller_at(&sni_controller_hand, SN_PI), 0.3249197, 1e-15);
    sn_vec3 x = {1, 0, 0}, nothing = {0, 0, 0};
    snt_near(sni_controller_between(&sni_controller_camel, x, nothing), 1, 0);
    snt_near(sni_controller_between(&sni_controller_camel, x, (sn_vec3){0, 3, 0}), 0, 1e-15);
}

static void the_bulge_has_the_profile_of_the_specification(void **state) {
    (void)state;
    snt_near(sni_bulge_profile(.25), 0.03734030128, 1e-10);
    snt_near(sni_bulge_profile(.5), 0.1839397206, 1e-10);
    snt_near(sni_bulge_profile(.75), 0.1791328276, 1e-10);
    snt_near(sni_bulge_profile(.9), 0.08948393168, 1e-10);
    snt_near(sni_bulge_profile((sqrt(5) - 1) / 2), 0.2058808576, 1e-10);
    assert_true(sni_bulge_profile(0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openings_have_the_values_of_the_specification),
        cmocka_unit_test(openings_never_fall),
        cmocka_unit_test(blends_have_the_values_of_the_specification),
        cmocka_unit_test(lines_and_diamonds_have_the_values_of_the_specification),
        cmocka_unit_test(slopes_are_those_of_the_values),
        cmocka_unit_test(operators_are_symmetric_and_leave_one_field_alone),
        cmocka_unit_test(contact_has_the_values_of_the_specification),
        cmocka_unit_test(controllers_have_the_values_of_the_specification),
        cmocka_unit_test(the_bulge_has_the_profile_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
