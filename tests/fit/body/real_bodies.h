// SPDX-License-Identifier: Apache-2.0
//
// Bodies of the shared test data, for tests of proposed skeletons.
#ifndef SNT_FIT_REAL_BODIES_H
#define SNT_FIT_REAL_BODIES_H

#include "test.h"

#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>

#define MOST_PARTS 400
#define MOST_FIELDS 32

typedef struct body {
    sn_context *context;
    uint32_t count;
    sn_bone_part parts[MOST_PARTS];
    char names[MOST_PARTS][80], sides[MOST_PARTS][8];
    sn_import *imports[MOST_PARTS];
    sn_body_plan *plan;
} body;

static inline void cut_fields(char *line, char *fields[MOST_FIELDS]) {
    for (int i = 0; i < MOST_FIELDS; ++i) {
        fields[i] = line;
        char *end = line + strcspn(line, ",\r\n");
        line = *end == ',' ? end + 1 : end;
        *end = 0;
    }
}

static inline int find_field(char *fields[MOST_FIELDS], const char *name) {
    for (int i = 0; i < MOST_FIELDS; ++i) {
        if (strcmp(fields[i], name) == 0) {
            return i;
        }
    }
    fail_msg("the index has no column \"%s\"", name);
    return 0;
}

// Bones, teeth and cartilages of an index, but for the dog's two unions of other bones.
static inline bool is_wanted(const char *kind, const char *name) {
    return (strcmp(kind, "bone") == 0 || strcmp(kind, "tooth") == 0 ||
            strcmp(kind, "cartilage") == 0) &&
           strcmp(name, "MergedSkull") != 0 && strcmp(name, "Jaw") != 0;
}

static inline void add_part(body *b, const char *folder, const char *file, const char *name,
                            const char *side) {
    char path[1024];
    uint32_t i = b->count++;
    assert_in_range(i, 0, MOST_PARTS - 1);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(b->names[i], sizeof b->names[i], "%s", name);
    snprintf(b->sides[i], sizeof b->sides[i], "%s", side);
    snt_ok(sn_import_file(b->context, path, &b->imports[i], error));
    b->parts[i] = (sn_bone_part){b->names[i], b->sides[i], b->imports[i]->meshes[0]};
}

static inline body *open_body(const char *relative) {
    char folder[512], path[600], line[4096], *fields[MOST_FIELDS];
    snprintf(path, sizeof path, "%s/index.csv", relative);
    snprintf(path, sizeof path, "%s", snt_data(path));
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen("/index.csv")), path);
    body *b = calloc(1, sizeof *b);
    b->context = snt_context(1);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    cut_fields(line, fields);
    int path_field = find_field(fields, "file"), name = find_field(fields, "name");
    int side = find_field(fields, "side"), kind = find_field(fields, "kind");
    while (fgets(line, sizeof line, file) != NULL) {
        cut_fields(line, fields);
        if (is_wanted(fields[kind], fields[name])) {
            add_part(b, folder, fields[path_field], fields[name], fields[side]);
        }
    }
    fclose(file);
    return b;
}

static inline void propose(body *b) {
    snt_ok(sn_propose_body(b->context, b->count, b->parts, NULL, &b->plan, error));
}

static inline void end(body *b) {
    sn_body_plan_destroy(b->plan);
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_import_destroy(b->imports[i]);
    }
    snt_context_end(b->context);
    free(b);
}

static inline const sn_plan_segment *find_segment(const body *b, const char *name) {
    for (uint32_t i = 0; i < b->plan->segment_count; ++i) {
        if (strcmp(b->plan->segments[i].name, name) == 0) {
            return &b->plan->segments[i];
        }
    }
    fail_msg("there is no segment \"%s\"", name);
    return NULL;
}

static inline uint32_t find_part(const body *b, const char *name) {
    for (uint32_t i = 0; i < b->count; ++i) {
        if (strcmp(b->names[i], name) == 0) {
            return i;
        }
    }
    fail_msg("there is no bone \"%s\"", name);
    return 0;
}

#endif
