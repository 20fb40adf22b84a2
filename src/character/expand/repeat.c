// SPDX-License-Identifier: Apache-2.0
//
// One entry that stands for several: "#" becomes the number, and numbers vary along the repeats.
#include "character/expand/expand.h"

#include "character/expand/keys.h"
#include "character/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// What an entry says

static bool is_patch(const sn_value *entry) {
    const char *kind = sn_value_string(sn_value_get(entry, "kind"), "");
    return strcmp(kind, sni_muscle_patch.name) == 0;
}

// The value of a key of expansion; NULL where the entry has none.
static const sn_value *key_of(const sn_value *entry, uint32_t part, const char *key) {
    bool own = (part == SNI_SECTION_MUSCLES && strcmp(key, "vary") == 0 && is_patch(entry)) ||
               (part != SNI_PART_TRACKS && strcmp(key, "delay") == 0);
    return own ? NULL : sn_value_get(entry, key);
}

bool sni_request_made(const sn_value *entry, uint32_t part) {
    for (uint32_t i = 0; i < SNI_EXPAND_KEY_COUNT; ++i) {
        if (key_of(entry, part, sni_expand_keys[i].name) != NULL) {
            return true;
        }
    }
    return false;
}

// Whether "#" is in the name of an entry, or anywhere within one that has none.
static bool has_mark(const sn_value *value) {
    if (value->key != NULL && strchr(value->key, '#') != NULL) {
        return true;
    }
    if (value->type == SN_JSON_STRING) {
        return strchr(value->as.string, '#') != NULL;
    }
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        if (has_mark(sn_value_at(value, i))) {
            return true;
        }
    }
    return false;
}

static sn_status check_mark(const sn_value *entry, const sn_value *count, sn_error *error) {
    bool marked = entry->key != NULL ? strchr(entry->key, '#') != NULL : has_mark(entry);
    if (marked) {
        return SN_OK;
    }
    return entry->key != NULL
               ? sni_fail_value(error, count, SN_INVALID,
                                "the name \"%s\" has no \"#\" for the numbers from 1 to %.0f",
                                entry->key, count->as.number)
               : sni_fail_value(error, count, SN_INVALID,
                                "the entry has no \"#\" for the numbers from 1 to %.0f",
                                count->as.number);
}

static sn_status check_keys(const sn_value *entry, uint32_t part, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < SNI_EXPAND_KEY_COUNT && status == SN_OK; ++i) {
        const sn_value *value = key_of(entry, part, sni_expand_keys[i].name);
        status = value != NULL ? sni_schema_check(sni_expand_keys[i].schema, value, error) : SN_OK;
    }
    return status;
}

sn_status sni_request_read(const sn_value *entry, uint32_t part, sni_request *request,
                           sn_error *error) {
    const sn_value *repeat = key_of(entry, part, "repeat"), *chain = key_of(entry, part, "chain");
    const sn_value *mirror = key_of(entry, part, "mirror"), *delay = key_of(entry, part, "delay");
    const sn_value *count = repeat != NULL ? repeat : chain;
    sn_status status = SN_OK;
    *request = (sni_request){.vary = key_of(entry, part, "vary"), .chain = chain != NULL};
    SN_TRY(check_keys(entry, part, error));
    if (repeat != NULL && chain != NULL) {
        SN_TRY(sni_fail_value(error, chain, SN_INVALID,
                              "an entry has either \"repeat\" or \"chain\""));
    }
    if (chain != NULL && part != SNI_SECTION_SKELETON) {
        SN_TRY(sni_fail_value(error, chain, SN_INVALID,
                              "only segments hang on each other: use \"repeat\""));
    }
    if (request->vary != NULL && count == NULL) {
        SN_TRY(sni_fail_value(error, request->vary, SN_INVALID,
                              "\"vary\" is only allowed with \"repeat\" or \"chain\""));
    }
    request->mirror = sn_value_bool(mirror, false);
    if (delay != NULL && !request->mirror) {
        SN_TRY(sni_fail_value(error, delay, SN_INVALID,
                              "\"delay\" is only allowed with \"mirror\": true"));
    }
    if (count != NULL) {
        SN_TRY(check_mark(entry, count, error));
        request->count = (uint32_t)count->as.number;
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Numbers in names

const char *sni_number_text(sni_expansion *e, const char *text, uint32_t number) {
    char digits[16];
    size_t marks = 0, width = (size_t)snprintf(digits, sizeof digits, "%u", number);
    for (const char *c = text; *c != 0; ++c) {
        marks += *c == '#';
    }
    if (marks == 0) {
        return text;
    }
    char *made = sni_arena_alloc_small(&e->json->arena, strlen(text) + marks * width + 1, 1);
    char *to = made;
    for (const char *c = text; made != NULL && *c != 0; ++c) {
        if (*c == '#') {
            memcpy(to, digits, width);
            to += width;
        } else {
            *to++ = *c;
        }
    }
    if (made != NULL) {
        *to = 0;
    }
    return made;
}

static bool number_value(sni_expansion *e, sn_value *value, uint32_t number) {
    bool done = true;
    if (value->key != NULL) {
        value->key = sni_number_text(e, value->key, number);
        done = value->key != NULL;
    }
    if (value->type == SN_JSON_STRING && done) {
        value->as.string = sni_number_text(e, value->as.string, number);
        done = value->as.string != NULL;
    }
    for (uint32_t i = 0; i < sn_value_count(value) && done; ++i) {
        done = number_value(e, value->as.children.items[i], number);
    }
    return done;
}

// ---------------------------------------------------------------------------------------------
// Numbers that vary

static bool is_numbers(const sn_value *value) {
    bool all = value->type == SN_JSON_NUMBER || value->type == SN_JSON_ARRAY;
    for (uint32_t i = 0; i < sn_value_count(value) && all; ++i) {
        all = is_numbers(sn_value_at(value, i));
    }
    return all;
}

static bool same_form(const sn_value *a, const sn_value *b) {
    bool same = a->type == b->type && sn_value_count(a) == sn_value_count(b);
    for (uint32_t i = 0; i < sn_value_count(a) && same; ++i) {
        same = same_form(sn_value_at(a, i), sn_value_at(b, i));
    }
    return same;
}

double sni_round_made(double x) {
    // 1e3 * 1e12 is a whole number that a double holds.
    return fabs(x) >= 1e-6 && fabs(x) <= 1e3 ? round(x * 1e12) / 1e12 : x;
}

// Moves all numbers of `value` by a part of the way to those of `to`.
static void blend(sn_value *value, const sn_value *to, double share) {
    if (value->type == SN_JSON_NUMBER) {
        value->as.number = sni_round_made((1 - share) * value->as.number + share * to->as.number);
    }
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        blend(value->as.children.items[i], sn_value_at(to, i), share);
    }
}

static sn_status check_knots(const sn_value *knots, uint32_t count, sn_error *error) {
    uint32_t knot_count = sn_value_count(knots), least = count > 1 ? 2 : 1;
    if (knot_count < least || knot_count > count) {
        return sni_fail_value(error, knots, SN_INVALID,
                              count > 1 ? "expected a list of 2 to %u values along the repeats, "
                                          "found %u"
                                        : "expected a list of %u value, found %u",
                              count, knot_count);
    }
    for (uint32_t i = 0; i < knot_count; ++i) {
        const sn_value *knot = sn_value_at(knots, i);
        if (!same_form(knot, sn_value_at(knots, 0))) {
            return sni_fail_value(error, knot, SN_INVALID,
                                  "the values along the repeats differ in how many numbers they "
                                  "have");
        }
    }
    return SN_OK;
}

static sn_status fail_other_form(const sn_value *knots, const sn_value *found, sn_error *error) {
    return is_numbers(found)
               ? sni_fail_value(error, knots, SN_INVALID,
                                "what the entry has there differs from these values in how many "
                                "numbers it has")
               : sni_fail_value(error, knots, SN_INVALID,
                                "only numbers and lists of numbers can vary; the entry has %s "
                                "there",
                                sn_json_type_name(found->type));
}

// A new member: the value itself at the end of a path, else an object on the way.
static sn_status add_member(sni_expansion *e, sn_value *object, const char *name, size_t length,
                            sn_value *member, sn_error *error) {
    const char *key = sni_json_new_string(e->json, name, length);
    if (member == NULL || key == NULL) {
        return sni_fail_memory(error);
    }
    member->key = key;
    return sni_json_append(e->json, object, member) ? SN_OK : sni_fail_memory(error);
}

// Puts a value at a dotted path within an entry, in place of what is there.
static sn_status put_at(sni_expansion *e, sn_value *entry, const sn_value *knots, sn_value *value,
                        sn_error *error) {
    const char *path = knots->key;
    sn_value *at = entry;
    for (;;) {
        size_t length = strcspn(path, ".");
        bool last = path[length] == 0;
        sn_value *child = sni_json_child(at, path, length);
        if (child != NULL && (last ? !same_form(child, value) : !sni_json_is_container(child))) {
            return fail_other_form(knots, child, error);
        }
        if (child == NULL && at->type != SN_JSON_OBJECT) {
            return sni_fail_value(error, knots, SN_INVALID, "the list has no member \"%.*s\"",
                                  (int)length, path);
        }
        if (child != NULL && last) {
            value->key = child->key;
            value->parent = at;
            at->as.children.items[sni_json_index(child)] = value;
        } else if (child == NULL) {
            child = last ? value : sni_json_new_value(e->json, SN_JSON_OBJECT, knots->line);
            sn_status status = add_member(e, at, path, length, child, error);
            if (status != SN_OK) {
                return status;
            }
        }
        if (last) {
            return SN_OK;
        }
        at = child;
        path += length + 1;
    }
}

// The value of repeat `number` of `count`: knots are evenly spaced from the first to the last.
static sn_status vary_key(sni_expansion *e, sn_value *entry, const sn_value *knots, uint32_t number,
                          uint32_t count, sn_error *error) {
    sn_status status = check_knots(knots, count, error);
    if (status != SN_OK) {
        return status;
    }
    uint64_t spans = sn_value_count(knots) - 1, steps = count > 1 ? count - 1 : 1;
    uint64_t way = (number - 1) * spans; // in steps
    uint32_t knot = (uint32_t)(way / steps);
    double share = (double)(way % steps) / (double)steps;
    sn_value *value = sni_json_copy_value(e->json, sn_value_at(knots, knot));
    if (value == NULL) {
        return sni_fail_memory(error);
    }
    if (share > 0) {
        blend(value, sn_value_at(knots, knot + 1), share);
    }
    return put_at(e, entry, knots, value, error);
}

// ---------------------------------------------------------------------------------------------
// The entry

static sn_status hang_on(sni_expansion *e, const sn_value *entry, sn_value *made, uint32_t number,
                         sn_error *error) {
    const char *before = sni_number_text(e, entry->key, number - 1);
    sn_value *parent = before != NULL ? sn_json_add_string(e->json, made, "parent", before) : NULL;
    if (parent == NULL) {
        return sni_fail_memory(error);
    }
    parent->line = sn_value_get(entry, "chain")->line;
    return SN_OK;
}

sn_status sni_repeat_entry(sni_expansion *e, const sn_value *entry, uint32_t part,
                           const sni_request *request, uint32_t number, sn_value **made,
                           sn_error *error) {
    sn_status status = SN_OK;
    *made = sni_json_copy_value(e->json, entry);
    if (*made == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < SNI_EXPAND_KEY_COUNT; ++i) {
        const sn_value *key = key_of(*made, part, sni_expand_keys[i].name);
        if (key != NULL) {
            sn_json_remove((sn_value *)key);
        }
    }
    for (uint32_t i = 0; i < sn_value_count(request->vary); ++i) {
        SN_TRY(vary_key(e, *made, sn_value_at(request->vary, i), number, request->count, error));
    }
    if (request->count > 0 && !number_value(e, *made, number)) {
        SN_TRY(sni_fail_memory(error));
    }
    if (request->chain && number > 1) {
        SN_TRY(hang_on(e, entry, *made, number, error));
    }
cleanup:
    return status;
}
