// SPDX-License-Identifier: Apache-2.0
//
// Expat's memory is its own (its allocator knows no context); the tree's comes from the context.
#include "io/xml.h"

#include "base/arena.h"

#include <expat.h>
#include <stdio.h>
#include <string.h>

struct sni_xml {
    sn_context *context;
    sni_arena arena; // elements, names and texts
    sni_xml_element *root;
};

// An element whose end has not come yet.
typedef struct open_element {
    sni_xml_element *element;
    sni_xml_element *last_child;
    size_t text_start; // of its own text in the buffer
} open_element;

typedef struct xml_builder {
    sni_xml *xml;
    XML_Parser parser;
    sn_error *error;
    sn_status status;
    uint32_t depth;
    open_element open[SNI_XML_DEPTH_MAX];
    // Texts of the open elements, the innermost last: when an element ends, its text is taken off.
    char *text;
    size_t text_used, text_capacity;
} xml_builder;

static uint32_t current_line(const xml_builder *builder) {
    XML_Size line = XML_GetCurrentLineNumber(builder->parser);
    return line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
}

// Callbacks cannot return a failure: the first one stops the parser. Expat may still call some of
// them afterwards (the end of an empty element), which then do nothing.
#define stop(builder, failure, ...)                                                                \
    do {                                                                                           \
        (builder)->status = sni_fail((builder)->error, (failure), __VA_ARGS__);                    \
        sni_error_place((builder)->error, current_line(builder), NULL);                            \
        XML_StopParser((builder)->parser, XML_FALSE);                                              \
    } while (0)

static const char *keep_string(xml_builder *builder, const char *text, size_t length) {
    char *copy = sni_arena_alloc_small(&builder->xml->arena, length + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

static bool keep_attributes(xml_builder *builder, const char **given, sni_xml_element *element) {
    uint32_t count = 0;
    while (given[2 * (size_t)count] != NULL) {
        ++count;
    }
    sni_xml_attribute *kept =
        sni_arena_alloc_small(&builder->xml->arena, count, sizeof(sni_xml_attribute));
    if (kept == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const char *name = given[2 * (size_t)i], *value = given[2 * (size_t)i + 1];
        kept[i].name = keep_string(builder, name, strlen(name));
        kept[i].value = keep_string(builder, value, strlen(value));
        if (kept[i].name == NULL || kept[i].value == NULL) {
            return false;
        }
    }
    element->attributes = kept;
    element->attribute_count = count;
    return true;
}

static sni_xml_element *make_element(xml_builder *builder, const char *name,
                                     const char **attributes) {
    sni_xml_element *element = sni_arena_alloc_small(&builder->xml->arena, 1, sizeof *element);
    if (element == NULL) {
        return NULL;
    }
    *element = (sni_xml_element){.name = keep_string(builder, name, strlen(name)),
                                 .line = current_line(builder)};
    return element->name != NULL && keep_attributes(builder, attributes, element) ? element : NULL;
}

static void append_child(open_element *parent, sni_xml_element *child) {
    child->parent = parent->element;
    if (parent->last_child != NULL) {
        parent->last_child->sibling = child;
    } else {
        parent->element->first_child = child;
    }
    parent->last_child = child;
    parent->element->child_count++;
}

static void XMLCALL on_start(void *user, const char *name, const char **attributes) {
    xml_builder *builder = user;
    if (builder->status != SN_OK) {
        return;
    }
    if (builder->depth == SNI_XML_DEPTH_MAX) {
        stop(builder, SN_LIMIT, "elements are nested deeper than %d", SNI_XML_DEPTH_MAX);
        return;
    }
    sni_xml_element *element = make_element(builder, name, attributes);
    if (element == NULL) {
        stop(builder, SN_OUT_OF_MEMORY, "out of memory");
        return;
    }
    if (builder->depth == 0) {
        builder->xml->root = element;
    } else {
        append_child(&builder->open[builder->depth - 1], element);
    }
    builder->open[builder->depth++] =
        (open_element){.element = element, .text_start = builder->text_used};
}

static void XMLCALL on_end(void *user, const char *name) {
    xml_builder *builder = user;
    (void)name; // expat has compared it
    if (builder->status != SN_OK) {
        return;
    }
    open_element *open = &builder->open[--builder->depth];
    size_t length = builder->text_used - open->text_start;
    open->element->text =
        keep_string(builder, length > 0 ? builder->text + open->text_start : "", length);
    open->element->text_length = length;
    if (open->element->text_line == 0) {
        open->element->text_line = open->element->line;
    }
    builder->text_used = open->text_start;
    if (open->element->text == NULL) {
        stop(builder, SN_OUT_OF_MEMORY, "out of memory");
    }
}

static bool reserve_text(xml_builder *builder, size_t more) {
    size_t needed;
    if (__builtin_add_overflow(builder->text_used, more, &needed) || needed > SIZE_MAX / 2) {
        return false;
    }
    if (needed <= builder->text_capacity) {
        return true;
    }
    size_t capacity = builder->text_capacity > 0 ? builder->text_capacity : 4096;
    while (capacity < needed) {
        capacity *= 2;
    }
    sn_context *context = builder->xml->context;
    char *grown = sni_alloc(context, capacity, 1);
    if (grown == NULL) {
        return false;
    }
    if (builder->text_used > 0) {
        memcpy(grown, builder->text, builder->text_used);
    }
    sni_free(context, builder->text);
    builder->text = grown;
    builder->text_capacity = capacity;
    return true;
}

static void XMLCALL on_text(void *user, const char *text, int length) {
    xml_builder *builder = user;
    if (builder->status != SN_OK) {
        return;
    }
    if (!reserve_text(builder, (size_t)length)) {
        stop(builder, SN_OUT_OF_MEMORY, "out of memory");
        return;
    }
    sni_xml_element *element = builder->open[builder->depth - 1].element;
    if (element->text_line == 0) {
        element->text_line = current_line(builder);
    }
    memcpy(builder->text + builder->text_used, text, (size_t)length);
    builder->text_used += (size_t)length;
}

static void XMLCALL on_entity_declaration(void *user, const char *name, int is_parameter,
                                          const char *value, int value_length, const char *base,
                                          const char *system, const char *public_id,
                                          const char *notation) {
    (void)is_parameter, (void)value, (void)value_length, (void)base, (void)system, (void)public_id,
        (void)notation;
    xml_builder *builder = user;
    stop(builder, SN_UNSUPPORTED, "the entity \"%.100s\": entities of a document are not read",
         name);
}

static void XMLCALL on_skipped_entity(void *user, const char *name, int is_parameter) {
    (void)is_parameter;
    xml_builder *builder = user;
    stop(builder, SN_UNSUPPORTED, "the entity \"%.100s\" is not declared in the document", name);
}

static int XMLCALL on_external_entity(XML_Parser parser, const char *context, const char *base,
                                      const char *system, const char *public_id) {
    (void)parser, (void)context, (void)base, (void)system, (void)public_id;
    return XML_STATUS_ERROR; // never opened
}

static void set_handlers(xml_builder *builder) {
    XML_SetUserData(builder->parser, builder);
    XML_SetElementHandler(builder->parser, on_start, on_end);
    XML_SetCharacterDataHandler(builder->parser, on_text);
    XML_SetEntityDeclHandler(builder->parser, on_entity_declaration);
    XML_SetSkippedEntityHandler(builder->parser, on_skipped_entity);
    XML_SetExternalEntityRefHandler(builder->parser, on_external_entity);
    XML_SetParamEntityParsing(builder->parser, XML_PARAM_ENTITY_PARSING_NEVER);
}

static sn_status fail_parse(xml_builder *builder) {
    enum XML_Error code = XML_GetErrorCode(builder->parser);
    if (builder->status != SN_OK) {
        return builder->status; // a callback stopped it
    }
    sn_status status = SN_SYNTAX;
    if (code == XML_ERROR_NO_MEMORY) {
        return sni_fail_memory(builder->error);
    }
    if (code == XML_ERROR_UNKNOWN_ENCODING) {
        status = SN_UNSUPPORTED;
    }
    sni_fail(builder->error, status, "not well-formed XML: %s", XML_ErrorString(code));
    sni_error_place(builder->error, current_line(builder), NULL);
    return status;
}

// Expat counts bytes in int, so that large files go in piece by piece.
static sn_status feed(xml_builder *builder, const char *bytes, size_t size) {
    static const size_t piece_max = (size_t)1 << 24;
    size_t done = 0;
    do {
        size_t piece = size - done < piece_max ? size - done : piece_max;
        bool is_last = done + piece == size;
        if (XML_Parse(builder->parser, bytes + done, (int)piece, is_last) != XML_STATUS_OK) {
            return fail_parse(builder);
        }
        done += piece;
    } while (done < size);
    return SN_OK;
}

sn_status sni_xml_parse(sn_context *context, const char *bytes, size_t size, sni_xml **xml,
                        sn_error *error) {
    SN_ASSERT(size == 0 || bytes != NULL);
    sn_status status = SN_OK;
    xml_builder *builder = NULL;
    *xml = NULL;
    SNI_NEW_ZERO(context, builder, 1);
    builder->error = error;
    SNI_NEW_ZERO(context, builder->xml, 1);
    builder->xml->context = context;
    sni_arena_init(&builder->xml->arena, context);
    builder->parser = XML_ParserCreate(NULL);
    if (builder->parser == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    set_handlers(builder);
    SN_TRY(feed(builder, bytes, size));
    *xml = builder->xml;
    builder->xml = NULL;
cleanup:
    if (builder != NULL) {
        if (builder->parser != NULL) {
            XML_ParserFree(builder->parser);
        }
        sni_xml_destroy(builder->xml);
        sni_free(context, builder->text);
        sni_free(context, builder);
    }
    return status;
}

void sni_xml_destroy(sni_xml *xml) {
    if (xml != NULL) {
        sni_arena_deinit(&xml->arena);
        sni_free(xml->context, xml);
    }
}

const sni_xml_element *sni_xml_root(const sni_xml *xml) {
    return xml->root;
}

bool sni_xml_is(const sni_xml_element *element, const char *name) {
    return strcmp(element->name, name) == 0;
}

static const sni_xml_element *first_named(const sni_xml_element *element, const char *name) {
    while (element != NULL && name != NULL && !sni_xml_is(element, name)) {
        element = element->sibling;
    }
    return element;
}

const sni_xml_element *sni_xml_child(const sni_xml_element *element, const char *name) {
    return element != NULL ? first_named(element->first_child, name) : NULL;
}

const sni_xml_element *sni_xml_next(const sni_xml_element *element, const char *name) {
    return first_named(element->sibling, name);
}

const char *sni_xml_value(const sni_xml_element *element, const char *name) {
    SN_ASSERT(name != NULL);
    for (uint32_t i = 0; element != NULL && i < element->attribute_count; ++i) {
        if (strcmp(element->attributes[i].name, name) == 0) {
            return element->attributes[i].value;
        }
    }
    return NULL;
}

static bool is_space(char c) {
    return sni_text_is_blank(c) || sni_text_is_break(c);
}

sni_word sni_xml_word(const sni_xml_element *element) {
    if (element == NULL) {
        return (sni_word){"", 0};
    }
    const char *start = element->text;
    size_t length = element->text_length;
    while (length > 0 && is_space(start[length - 1])) {
        --length;
    }
    while (length > 0 && is_space(*start)) {
        ++start;
        --length;
    }
    return (sni_word){start, length};
}

sni_text sni_xml_text(const sni_xml_element *element) {
    if (element == NULL) {
        return (sni_text){.at = "", .end = "", .line = 0};
    }
    return (sni_text){.at = element->text,
                      .end = element->text + element->text_length,
                      .line = element->text_line};
}

// From the innermost outwards, each put before what is there already.
sni_xml_place sni_xml_where(const sni_xml_element *element) {
    sni_xml_place place = {""};
    for (; element != NULL; element = element->parent) {
        const char *name = sni_xml_value(element, "name");
        name = name != NULL ? name : sni_xml_value(element, "Name"); // VTK
        char step[96];
        if (name != NULL) {
            snprintf(step, sizeof step, "%.40s \"%.40s\"", element->name, name);
        } else {
            snprintf(step, sizeof step, "%.40s", element->name);
        }
        char longer[sizeof place.text + sizeof step];
        int length = snprintf(longer, sizeof longer, "%s%s%s", step, place.text[0] != 0 ? "/" : "",
                              place.text);
        if (length >= (int)sizeof place.text) {
            break;
        }
        memcpy(place.text, longer, (size_t)length + 1);
    }
    return place;
}
