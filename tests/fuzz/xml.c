// SPDX-License-Identifier: Apache-2.0
//
// The XML tree: every element has its name, text and line, parents and children agree.
#include "import.h"

#include "io/xml.h"

static void check_element(const sni_xml_element *element, uint32_t depth) {
    uint32_t children = 0;
    if (depth > SNI_XML_DEPTH_MAX || element->line == 0 || element->text_line < element->line ||
        strlen(element->text) != element->text_length || sni_xml_where(element).text[0] == 0) {
        abort();
    }
    for (const sni_xml_element *child = sni_xml_child(element, NULL); child != NULL;
         child = sni_xml_next(child, NULL)) {
        if (child->parent != element) {
            abort();
        }
        check_element(child, depth + 1);
        ++children;
    }
    if (children != element->child_count) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_context *context = fuzz_context();
    size_t before = sn_context_bytes(context);
    sn_error error = {0};
    sni_xml *xml = NULL;
    if (sni_xml_parse(context, (const char *)data, size, &xml, &error) != SN_OK) {
        if (error.status == SN_OK || error.message[0] == 0 || xml != NULL) {
            abort();
        }
    } else {
        check_element(sni_xml_root(xml), 1);
        sni_xml_destroy(xml);
    }
    if (sn_context_bytes(context) != before) {
        abort();
    }
    return 0;
}
