// SPDX-License-Identifier: Apache-2.0
//
// Numbers and names in the elements of an OpenSim file.
#include "io/osim/osim_internal.h"

#include <math.h>
#include <string.h>

// Metres, radians or newtons beyond this are a mistake, and products of them leave the numbers.
static const double largest = 1e12;

const sni_xml_element *sni_osim_objects(const sni_xml_element *parent, const char *set) {
    return sni_xml_child(sni_xml_child(parent, set), "objects");
}

uint32_t sni_osim_count(const sni_xml_element *element) {
    return element != NULL ? element->child_count : 0;
}

sn_status sni_osim_copy(sni_osim_parser *p, const char *text, size_t length, const char **copy,
                        sn_error *error) {
    char *made = sni_arena_alloc_small(&p->model->arena, length + 1, 1);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    memcpy(made, text, length);
    made[length] = 0;
    *copy = made;
    return SN_OK;
}

sn_status sni_osim_name(sni_osim_parser *p, const sni_xml_element *element, const char **name,
                        sn_error *error) {
    const char *value = sni_xml_value(element, "name");
    value = value != NULL ? value : "";
    return sni_osim_copy(p, value, strlen(value), name, error);
}

sn_status sni_osim_child_text(sni_osim_parser *p, const sni_xml_element *element, const char *child,
                              const char **text, sn_error *error) {
    const sni_xml_element *found = sni_xml_child(element, child);
    sni_word word = sni_xml_word(found);
    if (word.length == 0) {
        return sni_xml_fail(found != NULL ? found : element, error, SN_INVALID,
                            found != NULL ? "<%s> is empty" : "there is no <%s>", child);
    }
    return sni_osim_copy(p, word.start, word.length, text, error);
}

static sn_status fail_numbers(const sni_xml_element *at, const char *child, uint32_t expected,
                              uint32_t found, sn_error *error) {
    return sni_xml_fail(at, error, SN_INVALID, "<%s> needs %u number%s, but has %u", child,
                        expected, expected == 1 ? "" : "s", found);
}

sn_status sni_osim_numbers(const sni_xml_element *element, const char *child, uint32_t count,
                           double *numbers, bool optional, sn_error *error) {
    SN_ASSERT(count > 0 && numbers != NULL);
    const sni_xml_element *found = sni_xml_child(element, child);
    if (found == NULL || sni_xml_word(found).length == 0) {
        return optional        ? SN_OK
               : found == NULL ? sni_xml_fail(element, error, SN_INVALID, "there is no <%s>", child)
                               : fail_numbers(found, child, count, 0, error);
    }
    sni_text text = sni_xml_text(found);
    uint32_t number = 0;
    double value;
    for (sni_text_skip_space(&text); text.at != text.end; sni_text_skip_space(&text)) {
        sn_status status = sni_text_double(&text, child, &value, error);
        if (status != SN_OK) {
            sni_error_place(error, text.line, "%s", sni_xml_where(found).text);
            return status;
        }
        if (fabs(value) > largest) {
            return sni_xml_fail(found, error, SN_INVALID,
                                "<%s> has %.9g, but numbers must be within %.9g", child, value,
                                largest);
        }
        if (number < count) {
            numbers[number] = value;
        }
        ++number;
    }
    return number == count ? SN_OK : fail_numbers(found, child, count, number, error);
}

sn_status sni_osim_vector(const sni_xml_element *element, const char *child, sn_vec3 *vector,
                          bool optional, sn_error *error) {
    double v[3] = {vector->x, vector->y, vector->z};
    sn_status status = sni_osim_numbers(element, child, 3, v, optional, error);
    *vector = sn_vec3_make(v[0], v[1], v[2]);
    return status;
}

sn_status sni_osim_list(sni_osim_parser *p, const sni_xml_element *element, const char *child,
                        uint32_t *count, double **numbers, sn_error *error) {
    const sni_xml_element *found = sni_xml_child(element, child);
    sn_status status = SN_OK;
    sni_text text = sni_xml_text(found);
    *count = 0;
    *numbers = NULL;
    if (found == NULL) {
        return sni_xml_fail(element, error, SN_INVALID, "there is no <%s>", child);
    }
    for (sni_text_skip_space(&text); text.at != text.end; sni_text_skip_space(&text)) {
        sni_text_word(&text);
        ++*count;
    }
    SNI_OSIM_NEW(p, *numbers, *count);
    status = sni_osim_numbers(element, child, *count, *numbers, true, error);
cleanup:
    return status;
}

bool sni_osim_flag(const sni_xml_element *element, const char *child, bool otherwise) {
    sni_word word = sni_xml_word(sni_xml_child(element, child));
    return word.length == 0 ? otherwise : sni_word_is(word, "true");
}

sni_word sni_osim_leaf(sni_word path) {
    const char *start = path.start + path.length;
    while (start > path.start && start[-1] != '/') {
        --start;
    }
    return (sni_word){start, (size_t)(path.start + path.length - start)};
}

bool sni_osim_same(sni_word word, const char *name) {
    return strlen(name) == word.length && memcmp(word.start, name, word.length) == 0;
}

uint32_t sni_osim_count_all(const sni_xml_element *element, const char *name) {
    uint32_t count = 0;
    for (const sni_xml_element *e = sni_xml_child(element, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        count += sni_xml_is(e, name) + sni_osim_count_all(e, name);
    }
    return count;
}

sn_status sni_osim_add_other(sni_osim_parser *p, const sni_xml_element *element, sn_error *error) {
    sni_osim *model = p->model;
    sni_osim_other other = {.line = element->line};
    sn_status status = SN_OK;
    SN_TRY(sni_osim_copy(p, element->name, strlen(element->name), &other.kind, error));
    SN_TRY(sni_osim_name(p, element, &other.name, error));
    if (!sni_grow_by_one(model->context, &model->others, model->other_count,
                         sizeof *model->others)) {
        return sni_fail_memory(error);
    }
    model->others[model->other_count++] = other;
cleanup:
    return status;
}
