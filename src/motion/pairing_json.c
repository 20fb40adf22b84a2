// SPDX-License-Identifier: Apache-2.0
//
// Pairings as JSON text. What moves a segment is written as
//
//     "Spine1"                        the turn of that joint
//     {"Spine": 0.25, "Spine1": 0.75} a turn between those of two joints
//     {"Spine": 0.5}                  a part of a turn
//     null                            nothing
//
// and stands under the segment's name, in documents and maps alone, in descriptions as "source" of
// a row that also says which part of the body it is and how it was found.
#include "motion/pairing.h"

#include "base/file.h"
#include "base/json_internal.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Writing

static sn_value *add_source(sn_json *json, sn_value *object, const char *key, const sn_pair *pair) {
    if (pair->second == NULL) {
        return pair->source != NULL ? sn_json_add_string(json, object, key, pair->source)
                                    : sn_json_add_null(json, object, key);
    }
    sn_value *shares = sn_json_add_object(json, object, key);
    bool done = shares != NULL;
    if (done && pair->source != NULL) {
        // Only the second share counts when it is read again: this one may be rounded.
        double first = round((1 - pair->share) * 1e9) / 1e9;
        done = sn_json_add_number(json, shares, pair->source, fmax(first, 1e-9)) != NULL;
    }
    done = done && sn_json_add_number(json, shares, pair->second, pair->share) != NULL;
    return done ? shares : NULL;
}

static bool add_row(sn_json *json, sn_value *rows, const sn_pair *pair) {
    sn_value *row = sni_json_add_new_object(json, rows, pair->target);
    bool moved = pair->by != SN_PAIRED_BY_NOTHING;
    return row != NULL && add_source(json, row, "source", pair) != NULL &&
           (pair->part[0] == 0 || sn_json_add_string(json, row, "part", pair->part) != NULL) &&
           sn_json_add_string(json, row, moved ? "by" : "why",
                              moved ? sn_paired_by_name(pair->by) : pair->why) != NULL;
}

sn_status sn_pairing_describe(const sn_pairing *pairing, sn_json *json, sn_value *object,
                              sn_error *error) {
    sn_value *rows = sn_json_add_object(json, object, "pairing");
    bool done = rows != NULL;
    for (uint32_t i = 0; i < pairing->pair_count && done; ++i) {
        done = add_row(json, rows, &pairing->pairs[i]);
    }
    sn_value *unused = done ? sn_json_add_object(json, object, "unused") : NULL;
    done = unused != NULL;
    for (uint32_t i = 0; i < pairing->joint_count && done; ++i) {
        const sn_pair_joint *joint = &pairing->joints[i];
        done = joint->used || sn_json_add_string(json, unused, joint->name, joint->why) != NULL;
    }
    return done ? SN_OK : sni_fail_memory(error);
}

sn_status sn_pairing_write(const sn_pairing *pairing, const char *clip, const char *character,
                           const char *path, sn_error *error) {
    sn_context *context = pairing->context;
    sn_json *json = NULL;
    char *text = NULL;
    size_t size;
    sni_output output = {0};
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(context, &json, error));
    sn_value *root = sn_json_root(json);
    if ((clip != NULL && sn_json_add_string(json, root, "clip", clip) == NULL) ||
        (character != NULL && sn_json_add_string(json, root, "character", character) == NULL)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_pairing_describe(pairing, json, root, error));
    SN_TRY(sn_json_write(json, &text, &size, error));
    SN_TRY(sni_output_open(NULL, path, &output, error));
    SN_TRY(sni_output_write(&output, text, size, error));
    SN_TRY(sni_output_commit(&output, error));
cleanup:
    sni_output_close(&output);
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    return status;
}

sn_status sn_pairing_add(const sn_pairing *pairing, sn_json *json, sn_value *object,
                         sn_error *error) {
    for (uint32_t i = 0; i < pairing->pair_count; ++i) {
        const sn_pair *pair = &pairing->pairs[i];
        bool told = pair->by != SN_PAIRED_BY_NOTHING || pair->unpaired == SN_UNPAIRED_MAP;
        if (told && add_source(json, object, pair->target, pair) == NULL) {
            return sni_fail_memory(error);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Reading

static sn_status read_shares(const sn_value *shares, sn_pair_edit *edit, sn_error *error) {
    const double rounding = 1e-6;
    uint32_t count = sn_value_count(shares);
    double sum = 0;
    if (count < 1 || count > 2) {
        return sni_fail_value(error, shares, SN_INVALID,
                              "shares are of one joint or of two, not of %u", count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *share = sn_value_at(shares, i);
        if (share->type != SN_JSON_NUMBER || !(share->as.number > 0 && share->as.number <= 1)) {
            return sni_fail_value(error, share, SN_INVALID,
                                  "a share is a number above 0 and at most 1");
        }
        sum += share->as.number;
    }
    if (count == 2 && !(fabs(sum - 1) <= rounding)) {
        return sni_fail_value(error, shares, SN_INVALID, "the shares add up to %.9g, not to 1",
                              sum);
    }
    const sn_value *last = sn_value_at(shares, count - 1);
    bool whole = count == 1 && last->as.number == 1;
    edit->source = whole ? last->key : count == 2 ? sn_value_at(shares, 0)->key : NULL;
    edit->second = whole ? NULL : last->key;
    edit->share = whole ? 0 : last->as.number;
    return SN_OK;
}

static sn_status read_source(const sn_value *value, sn_pair_edit *edit, sn_error *error) {
    switch (value->type) {
    case SN_JSON_NULL: return SN_OK;
    case SN_JSON_STRING: edit->source = value->as.string; return SN_OK;
    case SN_JSON_OBJECT: return read_shares(value, edit, error);
    default:
        return sni_fail_value(error, value, SN_INVALID,
                              "what moves a segment is the name of a joint, null or shares of two "
                              "joints, not %s",
                              sn_json_type_name(value->type));
    }
}

static sn_status check_keys(const sn_value *object, const char *const *known, uint32_t count,
                            sn_error *error) {
    for (uint32_t i = 0; i < sn_value_count(object); ++i) {
        const sn_value *member = sn_value_at(object, i);
        sni_closest closest = sni_closest_to(member->key);
        bool found = false;
        for (uint32_t k = 0; k < count; ++k) {
            found |= strcmp(member->key, known[k]) == 0;
            sni_closest_try(&closest, known[k]);
        }
        if (!found) {
            char hint[SNI_HINT_BYTES];
            return sni_fail_value(error, member, SN_INVALID, "unknown key \"%s\"%s", member->key,
                                  sni_closest_hint(&closest, hint));
        }
    }
    return SN_OK;
}

// A row of a description has a "source" that is no share.
static bool is_row(const sn_value *value) {
    const sn_value *source = sn_value_get(value, "source");
    return source != NULL && source->type != SN_JSON_NUMBER;
}

sn_status sni_pair_edits_decode(const sn_value *map, sn_pair_edit *edits, sn_error *error) {
    static const char *const row_keys[] = {"source", "part", "by", "why"};
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(map); ++i) {
        const sn_value *value = sn_value_at(map, i);
        edits[i] = (sn_pair_edit){.target = value->key, .at = value};
        if (is_row(value)) {
            SN_TRY(check_keys(value, row_keys, 4, error));
            value = sn_value_get(value, "source");
        }
        SN_TRY(read_source(value, &edits[i], error));
    }
cleanup:
    return status;
}

// The object that holds the pairs: the whole text, or "pairing" of a description.
static sn_status find_pairs(const sn_json *json, const sn_value **pairs, sn_error *error) {
    static const char *const keys[] = {"clip", "character", "pairing", "unused"};
    const sn_value *root = sn_json_root(json), *inner = sn_value_get(root, "pairing");
    *pairs = root;
    if (root->type != SN_JSON_OBJECT) {
        return sni_fail_value(
            error, root, SN_INVALID,
            "a map is an object of segments and the joints that move them, not %s",
            sn_json_type_name(root->type));
    }
    if (inner != NULL && inner->type == SN_JSON_OBJECT) {
        *pairs = inner;
        return check_keys(root, keys, 4, error);
    }
    return SN_OK;
}

static sn_status parse_edits(sn_pair_edits *edits, const char *text, size_t size, sn_error *error) {
    const sn_value *pairs;
    sn_status status = SN_OK;
    SN_TRY(sn_json_parse(edits->context, text, size, &edits->json, error));
    SN_TRY(find_pairs(edits->json, &pairs, error));
    edits->count = sn_value_count(pairs);
    SNI_NEW(edits->context, edits->edits, edits->count);
    SN_TRY(sni_pair_edits_decode(pairs, edits->edits, error));
    for (uint32_t i = 0; i < edits->count; ++i) {
        edits->edits[i].file = edits->file;
    }
cleanup:
    return status;
}

sn_status sn_pair_edits_read(sn_context *context, const char *path, sn_pair_edits **edits,
                             sn_error *error) {
    sn_status status = SN_OK;
    sn_pair_edits *made = NULL;
    char *text = NULL;
    size_t size = 0;
    *edits = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->file = sni_string_copy(context, path);
    if (made->file == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sni_file_read(context, path, &text, &size, error));
    SN_TRY(parse_edits(made, text, size, error));
    *edits = made;
    made = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, path);
    }
    sni_free(context, text);
    sn_pair_edits_destroy(made);
    return status;
}

void sn_pair_edits_destroy(sn_pair_edits *edits) {
    if (edits == NULL) {
        return;
    }
    sn_json_destroy(edits->json);
    sni_free(edits->context, edits->edits);
    sni_free(edits->context, edits->file);
    sni_free(edits->context, edits);
}
