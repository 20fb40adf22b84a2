// SPDX-License-Identifier: Apache-2.0
#include "pairing.h"

#include <string.h>

// Of names in a line; the rest are counted.
enum { MOST_NAMED = 5 };

static const char *last_of_path(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// A list of names behind a heading, on one line; nothing where there are none.
typedef struct name_line {
    const char *heading;
    uint32_t count;
} name_line;

static void add_name(name_line *line, const char *name) {
    if (line->count == 0) {
        fprintf(stderr, "  %s: %s", line->heading, name);
    } else if (line->count < MOST_NAMED) {
        fprintf(stderr, ", %s", name);
    }
    line->count++;
}

static void end_names(const name_line *line) {
    if (line->count > MOST_NAMED) {
        fprintf(stderr, " and %u more", line->count - MOST_NAMED);
    }
    if (line->count > 0) {
        fprintf(stderr, "\n");
    }
}

static void list_unpaired(const sn_pairing *pairing, sn_unpaired reason, const char *heading) {
    name_line line = {heading, 0};
    for (uint32_t i = 0; i < pairing->pair_count; ++i) {
        if (pairing->pairs[i].unpaired == reason) {
            add_name(&line, pairing->pairs[i].target);
        }
    }
    end_names(&line);
}

// Whether a segment before this one has the same part and reason.
static bool is_told(const sn_pairing *pairing, uint32_t segment) {
    const sn_pair *pair = &pairing->pairs[segment];
    for (uint32_t i = 0; i < segment; ++i) {
        const sn_pair *other = &pairing->pairs[i];
        if (other->unpaired == pair->unpaired && strcmp(other->part, pair->part) == 0) {
            return true;
        }
    }
    return false;
}

// Parts of the body, each once, where their names say more than those of segments.
static void list_parts(const sn_pairing *pairing, sn_unpaired reason, const char *heading) {
    name_line line = {heading, 0};
    for (uint32_t i = 0; i < pairing->pair_count; ++i) {
        if (pairing->pairs[i].unpaired == reason && !is_told(pairing, i)) {
            add_name(&line, pairing->pairs[i].part);
        }
    }
    end_names(&line);
}

static void list_unused(const sn_pairing *pairing) {
    name_line line = {"joints of the clip that move nothing", 0};
    for (uint32_t i = 0; i < pairing->joint_count; ++i) {
        if (!pairing->joints[i].used) {
            add_name(&line, pairing->joints[i].name);
        }
    }
    end_names(&line);
}

static const char *by_what(int by) {
    static const char *const texts[SN_PAIRED_BY_COUNT] = {
        "", "by the map", "by equal names", "by part of the body", "by the shape of the body"};
    return texts[by];
}

static void tell_counts(const cli_call *call, const sn_pairing *pairing, const char *name) {
    const char *before = "";
    fprintf(stderr, "%s on %s: %u of %u joints of the clip move %u of %u segments (",
            last_of_path(name), last_of_path(call->arguments[0]), pairing->used_count,
            pairing->joint_count, pairing->moved_count, pairing->pair_count);
    for (int by = SN_PAIRED_BY_MAP; by < SN_PAIRED_BY_COUNT; ++by) {
        if (pairing->by_count[by] > 0) {
            fprintf(stderr, "%s%u %s", before, pairing->by_count[by], by_what(by));
            before = ", ";
        }
    }
    fprintf(stderr, ")\n");
}

static void tell(const cli_call *call, const sn_pairing *pairing, const char *name) {
    tell_counts(call, pairing, name);
    list_unpaired(pairing, SN_UNPAIRED_MAP, "segments that the map leaves out");
    list_parts(pairing, SN_UNPAIRED_LACKING, "parts that the clip lacks");
    list_parts(pairing, SN_UNPAIRED_FINGERS,
               "left alone, since the clip has fewer than three fingers of a hand");
    list_unpaired(pairing, SN_UNPAIRED_UNKNOWN, "segments of no known part of a body");
    list_unused(pairing);
}

static void warn(const sn_pairing *pairing, const char *name) {
    for (uint32_t i = 0; i < pairing->warning_count; ++i) {
        fprintf(stderr, "warning: %s: %s\n", last_of_path(name), pairing->warnings[i]);
    }
}

static sn_status write_pairing(const cli_call *call, const sn_pairing *pairing, const char *name,
                               sn_error *error) {
    const char *path = cli_value(call, "--pairing", NULL);
    return path != NULL ? sn_pairing_write(pairing, name, call->arguments[0], path, error) : SN_OK;
}

// The file is what the user needs to pair by hand what could not be paired, and to change what
// plays as it is.
static sn_status write_unused(const cli_call *call, const sn_model *model,
                              const sn_pair_edits *edits, const char *name, sn_error *error) {
    sn_motion_desc desc = cli_motion_desc(call, edits);
    sn_pairing *pairing = NULL;
    sn_status status = sn_model_pair(model, name, &desc, &pairing, error);
    if (status == SN_OK) {
        status = write_pairing(call, pairing, name, error);
    }
    sn_pairing_destroy(pairing);
    return status;
}

// A clip that plays as it is has no pairing; that of a file can be made.
static sn_status write_played(const cli_call *call, const sn_model *model,
                              const sn_pair_edits *edits, const char *name, sn_error *error) {
    for (uint32_t i = 0; i < sn_model_clip_count(model); ++i) {
        if (strcmp(sn_model_clip_name(model, i), name) == 0) {
            return app_fail(error, SN_INVALID, call->arguments[0],
                            "the clip \"%s\" plays as it is: nothing is paired", name);
        }
    }
    return write_unused(call, model, edits, name, error);
}

sn_status cli_tell_pairing(const cli_call *call, const sn_model *model, const sn_motion *motion,
                           const sn_pair_edits *edits, const char *name, sn_status status,
                           sn_error *error) {
    const sn_pairing *pairing = motion != NULL ? sn_motion_pairing(motion) : NULL;
    bool wanted = cli_has(call, "--pairing");
    if (status != SN_OK) {
        if (status == SN_INVALID && wanted &&
            write_unused(call, model, edits, name, NULL) == SN_OK) {
            fprintf(stderr, "%s lists all segments: fill in joints and give it to --map\n",
                    cli_value(call, "--pairing", ""));
        }
        return status;
    }
    if (pairing == NULL) {
        return wanted ? write_played(call, model, edits, name, error) : SN_OK;
    }
    if (!call->quiet && (cli_has(call, "--motion") || cli_has(call, "--map"))) {
        tell(call, pairing, name);
    }
    warn(pairing, name);
    return write_pairing(call, pairing, name, error);
}

sn_status cli_pairing_needs_motion(const cli_call *call, sn_error *error) {
    return cli_has(call, "--map") || cli_has(call, "--pairing")
               ? app_fail(error, SN_INVALID, call->arguments[0],
                          "the character has no clip to pair; name one with --motion")
               : SN_OK;
}
