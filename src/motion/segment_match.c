// SPDX-License-Identifier: Apache-2.0
//
// Segments by names as people type them: "head" for "mixamorig:Head" and "Bip01 Head".
#include "motion/segment_match.h"

#include "motion/body_names.h"
#include "motion/skeleton.h"

#include <string.h>
#include <strings.h>

// What stands behind the last colon or bar.
static const char *skip_namespace(const char *name) {
    const char *found = name;
    for (const char *c = name; *c != 0; ++c) {
        found = (*c == ':' || *c == '|') && c[1] != 0 ? c + 1 : found;
    }
    return found;
}

bool sni_name_is_called(const char *name, const char *wanted) {
    bool asks_namespace = skip_namespace(wanted) != wanted;
    return strcasecmp(asks_namespace ? name : skip_namespace(name), wanted) == 0;
}

static void note(sni_segment_match *found, uint32_t segment) {
    found->segment = found->names.count == 0 ? segment : found->segment;
    sni_name_list_add(&found->names, found->skeleton->segments[segment].name);
}

// Segments that are the part of a body that the name says; none where it says none.
static sn_status find_part(sn_context *context, const char *name, sni_segment_match *found,
                           sn_error *error) {
    sni_named_role named = sni_body_role_of_name(name, NULL);
    sni_body body;
    if (named.role.part == SNI_BODY_NONE || named.hint != SNI_HINT_PLAIN || named.twists) {
        return SN_OK;
    }
    sn_status status = sni_body_init(context, found->skeleton, &body, error);
    if (status != SN_OK) {
        return status;
    }
    uint32_t first = body.first[named.role.part][named.role.side];
    for (uint32_t i = 0; i < body.count[named.role.part][named.role.side]; ++i) {
        note(found, body.members[first + i]);
    }
    sni_body_deinit(context, &body);
    return SN_OK;
}

sn_status sni_segment_match_find(sn_context *context, const sn_skeleton *skeleton, const char *name,
                                 sni_segment_match *found, sn_error *error) {
    uint32_t exact = sni_skeleton_find(skeleton, name);
    *found = (sni_segment_match){.skeleton = skeleton, .segment = SN_NONE, .how = SN_NAME_EXACT};
    if (exact != SN_NONE) {
        note(found, exact);
        return SN_OK;
    }
    found->how = SN_NAME_SHORT;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (sni_name_is_called(skeleton->segments[i].name, name)) {
            note(found, i);
        }
    }
    if (found->names.count > 0) {
        return SN_OK;
    }
    found->how = SN_NAME_PART;
    return find_part(context, name, found, error);
}

const char *sni_segment_match_near(const sn_skeleton *skeleton, const char *name) {
    sni_closest whole = sni_closest_to(name), last = sni_closest_to(name);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sni_closest_try(&whole, skeleton->segments[i].name);
        sni_closest_try(&last, skip_namespace(skeleton->segments[i].name));
    }
    return whole.name != NULL ? whole.name : last.name;
}

sn_status sni_segment_match_fail(const sni_segment_match *found, const char *name,
                                 sn_error *error) {
    char names[SNI_NAME_LIST_BYTES];
    return sni_fail(error, SN_INVALID, "\"%s\" may mean %u segments: %s", name, found->names.count,
                    sni_name_list_text(&found->names, names));
}

static sn_status fail_none(const sn_skeleton *skeleton, const char *name, sn_error *error) {
    const char *near = sni_segment_match_near(skeleton, name);
    return near != NULL ? sni_fail(error, SN_INVALID,
                                   "there is no segment \"%s\"; did you mean \"%s\"?", name, near)
                        : sni_fail(error, SN_INVALID, "there is no segment \"%s\"", name);
}

sn_status sn_skeleton_match(sn_context *context, const sn_skeleton *skeleton, const char *name,
                            uint32_t *segment, sn_name_match *match, sn_error *error) {
    sni_segment_match found;
    sn_status status = sni_segment_match_find(context, skeleton, name, &found, error);
    *segment = SN_NONE;
    *match = found.how;
    if (status != SN_OK) {
        return status;
    }
    if (found.names.count != 1) {
        return found.names.count == 0 ? fail_none(skeleton, name, error)
                                      : sni_segment_match_fail(&found, name, error);
    }
    *segment = found.segment;
    return SN_OK;
}
