// SPDX-License-Identifier: Apache-2.0
#include "io_test.h"

#include "io/xml.h"

static const char *const sample = "<?xml version=\"1.0\"?>\n"
                                  "<!-- before -->\n"
                                  "<Model name=\"arm\" unit='m &amp; s'>\n"
                                  "  <Body\n"
                                  "     name=\"ulna\">  1 2\r\n"
                                  "     3 </Body>\n"
                                  "  text<Empty/> around\n"
                                  "  <Body name=\"radius\"><![CDATA[<raw>]]></Body>\n"
                                  "</Model>\n";

static sni_xml *parse(sn_context *context, const char *text) {
    sni_xml *xml = NULL;
    snt_ok(sni_xml_parse(context, text, strlen(text), &xml, error));
    return xml;
}

static void assert_word(sni_word word, const char *expected) {
    assert_int_equal(word.length, strlen(expected));
    assert_memory_equal(word.start, expected, word.length);
}

static void keeps_names_attributes_text_and_lines(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_xml *xml = parse(context, sample);
    const sni_xml_element *model = sni_xml_root(xml);
    assert_true(sni_xml_is(model, "Model"));
    assert_int_equal(model->line, 3);
    assert_int_equal(model->attribute_count, 2);
    assert_string_equal(sni_xml_value(model, "unit"), "m & s");
    assert_null(sni_xml_value(model, "color"));
    assert_int_equal(model->child_count, 3);
    const sni_xml_element *ulna = sni_xml_child(model, "Body");
    assert_string_equal(sni_xml_value(ulna, "name"), "ulna");
    assert_int_equal(ulna->line, 4);
    assert_int_equal(ulna->text_line, 5);
    assert_string_equal(ulna->text, "  1 2\n     3 ");
    assert_word(sni_xml_word(ulna), "1 2\n     3");
    assert_ptr_equal(ulna->parent, model);
    const sni_xml_element *radius = sni_xml_next(ulna, "Body");
    assert_string_equal(radius->text, "<raw>");
    assert_int_equal(radius->line, 8);
    assert_null(sni_xml_next(radius, "Body"));
    assert_true(sni_xml_is(sni_xml_next(ulna, NULL), "Empty"));
    assert_word(sni_xml_word(sni_xml_child(model, "Empty")), "");
    assert_null(sni_xml_child(model, "Joint"));
    // Text around children is one piece.
    assert_string_equal(model->text, "\n  \n  text around\n  \n");
    sni_xml_destroy(xml);
    snt_context_end(context);
}

static void numbers_of_a_text_have_the_lines_of_the_file(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_xml *xml = parse(context, sample);
    sni_text text = sni_xml_text(sni_xml_child(sni_xml_root(xml), "Body"));
    double number = 0;
    for (int i = 0; i < 3; ++i) {
        sni_text_skip_space(&text);
        snt_ok(sni_text_double(&text, "a number", &number, error));
        assert_int_equal(number, i + 1);
        assert_int_equal(text.line, i < 2 ? 5 : 6);
    }
    sni_xml_destroy(xml);
    snt_context_end(context);
}

static void nothing_is_asked_of_nothing(void **state) {
    (void)state;
    assert_null(sni_xml_child(NULL, "a"));
    assert_null(sni_xml_value(NULL, "a"));
    assert_word(sni_xml_word(NULL), "");
    sni_text text = sni_xml_text(NULL);
    assert_ptr_equal(text.at, text.end);
}

static sn_status fail_here(const sni_xml_element *element, sn_error *error) {
    return sni_xml_fail(element, error, SN_INVALID, "no good");
}

static void errors_name_line_and_place(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_xml *xml = parse(context, "<a>\n<b name='x'>\n<c/></b></a>");
    const sni_xml_element *c = sni_xml_child(sni_xml_child(sni_xml_root(xml), "b"), "c");
    assert_string_equal(sni_xml_where(c).text, "a/b \"x\"/c");
    snt_fails(SN_INVALID, "3: a/b \"x\"/c: no good", fail_here(c, error));
    sni_xml_destroy(xml);
    snt_context_end(context);
}

static void refuse(const char *text, size_t size, sn_status expected, const char *message) {
    sn_context *context = snt_context(1);
    sni_xml *xml = NULL;
    snt_fails(expected, message, sni_xml_parse(context, text, size, &xml, error));
    assert_null(xml);
    snt_context_end(context);
}

static void what_is_not_well_formed_is_refused_with_its_line(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } wrong[] = {
        {"", "no element found"},
        {"hello", "1: not well-formed"},
        {"<a>\n<b>\n</a>", "3: not well-formed XML: mismatched tag"},
        {"<a>\n", "2: not well-formed XML: no element found"},
        {"<a/>\n<b/>", "2: not well-formed XML: junk after document element"},
        {"<a x='1' x='2'/>", "duplicate attribute"},
        {"<a>&nbsp;</a>", "undefined entity"},
        {"<a>\x01</a>", "invalid token"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        refuse(wrong[i].text, strlen(wrong[i].text), SN_SYNTAX, wrong[i].message);
    }
}

static void entities_and_unknown_encodings_are_refused(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } wrong[] = {
        {"<!DOCTYPE a [<!ENTITY x \"xx\">]>\n<a>&x;</a>", "1: the entity \"x\""},
        {"<!DOCTYPE a [\n<!ENTITY x SYSTEM \"/etc/passwd\">]>\n<a>&x;</a>", "2: the entity \"x\""},
        {"<!DOCTYPE a [<!ENTITY % p SYSTEM \"p.dtd\"> %p;]><a/>", "the entity \"p\""},
        {"<!DOCTYPE a SYSTEM \"a.dtd\">\n<a>&x;</a>", "2: the entity \"x\" is not declared"},
        {"<?xml version='1.0' encoding='klingon'?><a/>", "unknown encoding"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        refuse(wrong[i].text, strlen(wrong[i].text), SN_UNSUPPORTED, wrong[i].message);
    }
}

// `depth` elements inside each other.
static char *nest(int depth, char *text) {
    char *at = text;
    for (int i = 0; i < depth; ++i) {
        at += sprintf(at, "<a>");
    }
    for (int i = 0; i < depth; ++i) {
        at += sprintf(at, "</a>");
    }
    return text;
}

static void depth_has_a_limit(void **state) {
    (void)state;
    static char text[8 * SNI_XML_DEPTH_MAX];
    sn_context *context = snt_context(1);
    sni_xml *xml = parse(context, nest(SNI_XML_DEPTH_MAX, text));
    sni_xml_destroy(xml);
    snt_context_end(context);
    nest(SNI_XML_DEPTH_MAX + 1, text);
    refuse(text, strlen(text), SN_LIMIT, "nested deeper than 256");
}

static void cut_anywhere_it_is_refused(void **state) {
    (void)state;
    size_t last_tag = (size_t)(strstr(sample, "</Model>") - sample) + strlen("</Model>");
    for (size_t size = 0; size < last_tag; ++size) {
        refuse(sample, size, SN_SYNTAX, "not well-formed XML");
    }
}

static sn_status parse_sample(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sni_xml *xml;
    sn_status status = sni_xml_parse(context, sample, strlen(sample), &xml, error);
    if (status == SN_OK) {
        sni_xml_destroy(xml);
    }
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(parse_sample, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_names_attributes_text_and_lines),
        cmocka_unit_test(numbers_of_a_text_have_the_lines_of_the_file),
        cmocka_unit_test(nothing_is_asked_of_nothing),
        cmocka_unit_test(errors_name_line_and_place),
        cmocka_unit_test(what_is_not_well_formed_is_refused_with_its_line),
        cmocka_unit_test(entities_and_unknown_encodings_are_refused),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(cut_anywhere_it_is_refused),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
