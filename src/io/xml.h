// SPDX-License-Identifier: Apache-2.0
//
// XML as a tree of elements, for formats that are written in it. Expat parses; this file keeps what
// it tells: names, attributes, text, children and the line of each, for errors.
//
//     sni_xml *xml;
//     SN_TRY(sni_xml_parse(context, bytes, size, &xml, error));
//     const sni_xml_element *model = sni_xml_child(sni_xml_root(xml), "Model");
//     for (const sni_xml_element *body = sni_xml_child(model, "Body"); body != NULL;
//          body = sni_xml_next(body, "Body")) { ... }
//     sni_xml_destroy(xml);
//
// Comments and processing instructions are left out. Names are as written: prefixes of namespaces
// stay a part of them. Entities that a document declares itself are refused, inner ones (which can
// grow without bound) and outer ones (which read other files) alike; nothing is ever opened.
#ifndef SINEW_IO_XML_H
#define SINEW_IO_XML_H

#include "io/text.h"

// Elements may be nested this deep.
#define SNI_XML_DEPTH_MAX 256

typedef struct sni_xml_attribute {
    const char *name;
    const char *value;
} sni_xml_attribute;

typedef struct sni_xml_element sni_xml_element;
struct sni_xml_element {
    const char *name;
    uint32_t line; // of the start tag
    uint32_t attribute_count;
    const sni_xml_attribute *attributes;
    const char *text; // all character data directly inside, terminated; line breaks are \n
    size_t text_length;
    uint32_t text_line; // where the text begins; the start tag's line when there is none
    uint32_t child_count;
    const sni_xml_element *parent;      // NULL for the root
    const sni_xml_element *first_child; // NULL when there is none
    const sni_xml_element *sibling;     // the next child of the same parent, NULL after the last
};

typedef struct sni_xml sni_xml;

// Parses a whole document. Fails with SN_SYNTAX where it is not well-formed, SN_UNSUPPORTED for
// entities and unknown encodings, SN_LIMIT beyond the depth; the error has the line.
sn_status sni_xml_parse(sn_context *context, const char *bytes, size_t size, sni_xml **xml,
                        sn_error *error);
void sni_xml_destroy(sni_xml *xml);

const sni_xml_element *sni_xml_root(const sni_xml *xml);

bool sni_xml_is(const sni_xml_element *element, const char *name);

// The first child of that name, any child when `name` is NULL; NULL when there is none, or no
// element.
const sni_xml_element *sni_xml_child(const sni_xml_element *element, const char *name);

// The next child of the same parent with that name (any when NULL), NULL after the last.
const sni_xml_element *sni_xml_next(const sni_xml_element *element, const char *name);

// The value of an attribute, NULL when there is none, or no element.
const char *sni_xml_value(const sni_xml_element *element, const char *name);

// The text without blanks and line breaks around it; empty without an element.
sni_word sni_xml_word(const sni_xml_element *element);

// Walks through the text, with the lines of the file (exact where no comment or child stands in
// it). Empty without an element.
sni_text sni_xml_text(const sni_xml_element *element);

// Where an element stands, for errors: "Model/BodySet/objects/Body \"femur_r\"" (names from the
// attributes `name` or `Name`). The outermost are left out where it would not fit.
typedef struct sni_xml_place {
    char text[192];
} sni_xml_place;
sni_xml_place sni_xml_where(const sni_xml_element *element);

// Records a failure at an element, with line and place.
#define sni_xml_fail(element, error, status, ...)                                                  \
    (sni_fail((error), (status), __VA_ARGS__),                                                     \
     sni_error_place((error), (element)->line, "%s", sni_xml_where(element).text), (status))

#endif
