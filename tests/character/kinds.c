// SPDX-License-Identifier: Apache-2.0
//
// The tables of all kinds, as programs see them: what every reader of a table relies on.
#include "test.h"

#include "character/schema/schema.h"
#include "sinew/kinds.h"

#include <math.h>
#include <string.h>

static const sn_kind_family families[] = {SN_KIND_MUSCLE, SN_KIND_DEFORMER};
enum { FAMILIES = sizeof families / sizeof *families };

static void expect_parameter(const sn_parameter *p) {
    // A hole in the table is an entry of the enum beside it that has none.
    assert_non_null(p->name);
    assert_true(p->name[0] != 0 && p->help[0] != 0);
    assert_true(p->help[strlen(p->help) - 1] != '.');
    assert_true(isfinite(p->low) && isfinite(p->high) && p->low < p->high);
    bool computed = isnan(p->standard) && p->choices == NULL && !p->whole;
    assert_true(computed || (p->standard >= p->low && p->standard <= p->high));
    assert_true(p->usual >= 0 && p->usual <= p->high);
    assert_true((p->choices == NULL) == (p->unit != NULL));
    uint32_t choices = 0;
    while (p->choices != NULL && p->choices[choices] != NULL) {
        ++choices;
    }
    if (p->choices != NULL) {
        assert_true(p->low == 0 && p->high == choices - 1 && !p->whole && p->usual == 0);
    }
    if (p->whole || p->choices != NULL) {
        assert_true(p->standard == floor(p->standard));
        assert_true(p->low == floor(p->low) && p->high == floor(p->high));
    }
}

static void tables_have_no_holes(void **state) {
    (void)state;
    for (uint32_t f = 0; f < FAMILIES; ++f) {
        assert_true(sn_kind_count(families[f]) > 0);
        for (uint32_t i = 0; i < sn_kind_count(families[f]); ++i) {
            sn_kind kind = sn_kind_at(families[f], i);
            assert_true(kind.name[0] != 0 && kind.help[0] != 0);
            for (uint32_t k = 0; k < kind.parameters.count; ++k) {
                expect_parameter(&kind.parameters.items[k]);
                // The first of its name: no two share one.
                assert_int_equal(
                    sni_parameters_find(&kind.parameters, kind.parameters.items[k].name), k);
            }
        }
    }
    assert_int_equal(sn_kind_count((sn_kind_family)2), 0);
}

static bool has_parameter(sn_kind_family family, const sn_parameter *wanted, bool *same_standard) {
    for (uint32_t i = 0; i < sn_kind_count(family); ++i) {
        sn_kind kind = sn_kind_at(family, i);
        uint32_t index = sni_parameters_find(&kind.parameters, wanted->name);
        if (index != SN_NONE && kind.parameters.items[index].help == wanted->help) {
            *same_standard = kind.parameters.items[index].standard == wanted->standard;
            return true;
        }
    }
    return false;
}

// The muscle's own, of which two follow from its width and one has a standard of drawings, then the
// two distances that are computed, then what is asked for alone.
static void drawn_muscles_take_rows_of_the_tables(void **state) {
    (void)state;
    sn_kind patch = sn_kind_at(SN_KIND_MUSCLE, 0);
    sn_parameter p;
    uint32_t count = 0, of_width = 0, others = 0, computed = 0, own = 0;
    bool same = false;
    for (; sn_drawn_parameter(count, &p); ++count) {
        if (count < patch.parameters.count) {
            assert_string_equal(p.name, patch.parameters.items[count].name);
            of_width += isnan(p.standard);
            others += !isnan(p.standard) && p.standard != patch.parameters.items[count].standard;
        } else if (has_parameter(SN_KIND_DEFORMER, &p, &same)) {
            assert_true(isnan(p.standard) && !same);
            ++computed;
        } else {
            expect_parameter(&p);
            ++own;
        }
    }
    assert_int_equal(of_width, 2);
    assert_int_equal(others, 1);
    assert_int_equal(computed, 2);
    assert_int_equal(own, 1);
    assert_int_equal(count, patch.parameters.count + 3);
    assert_false(sn_drawn_parameter(SN_NONE, &p));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_no_holes),
        cmocka_unit_test(drawn_muscles_take_rows_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
