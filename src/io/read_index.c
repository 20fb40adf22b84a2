// SPDX-License-Identifier: Apache-2.0
//
// A folder of anatomy: index.csv lists the meshes and says what they are, attachments.csv where
// muscles are attached (docs/anatomy.md). Columns stand in any order; those that are not known are
// passed over.
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "io/find_rig.h"
#include "io/import.h"
#include "io/names.h"
#include "io/read_csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const kind_names[SN_PART_KIND_COUNT] = {
    "bone", "tooth", "cartilage", "bone_union", "muscle", "tendon", "ligament", "soft", "skin"};

const char *sn_part_kind_name(sn_part_kind kind) {
    return (unsigned)kind < SN_PART_KIND_COUNT ? kind_names[kind] : NULL;
}

// Records a failure in a line of a table.
#define fail_in_line(line, error, status, ...)                                                     \
    (sni_fail((error), (status), __VA_ARGS__), sni_error_place((error), (line), NULL),             \
     sni_same_status(status))

// ---------------------------------------------------------------------------------------------
// Parts

typedef struct index_columns {
    uint32_t file, kind, name, side, rig_joint;
} index_columns;

static sn_status find_column(const sni_csv *csv, const char *name, const char *also,
                             uint32_t *column, sn_error *error) {
    *column = sni_csv_column(csv, name);
    if (*column == SN_NONE && also != NULL) {
        *column = sni_csv_column(csv, also);
    }
    if (*column == SN_NONE) {
        return fail_in_line(csv->rows[0].line, error, SN_INVALID, "there is no column \"%s\"",
                            name);
    }
    return SN_OK;
}

static sn_status read_kind(const char *text, uint32_t line, sn_part_kind *kind, sn_error *error) {
    char known[128] = "";
    for (int i = 0; i < SN_PART_KIND_COUNT; ++i) {
        if (strcasecmp(text, kind_names[i]) == 0) {
            *kind = (sn_part_kind)i;
            return SN_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", kind_names[i]);
    }
    if (text[0] == 0) {
        return fail_in_line(line, error, SN_INVALID, "the row has no kind; known ones are %s",
                            known);
    }
    return fail_in_line(line, error, SN_INVALID, "the kind \"%s\" is unknown; known ones are %s",
                        text, known);
}

static sn_status read_side(const char *text, uint32_t line, const char **side, sn_error *error) {
    static const char *const sides[][2] = {{"left", "left"}, {"l", "left"},  {"right", "right"},
                                           {"r", "right"},   {"mid", "mid"}, {"middle", "mid"},
                                           {"m", "mid"},     {"", ""}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i) {
        if (strcasecmp(text, sides[i][0]) == 0) {
            *side = sides[i][1];
            return SN_OK;
        }
    }
    return fail_in_line(line, error, SN_INVALID,
                        "the side \"%s\" is unknown; known ones are left, right and mid", text);
}

static sn_status read_part(const sni_csv *csv, uint32_t row, const index_columns *columns,
                           const sn_anatomy *anatomy, sn_anatomy_part *part, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = anatomy->context;
    const char *file = sni_csv_cell(csv, row, columns->file);
    const char *name = sni_csv_cell(csv, row, columns->name);
    const char *side = "";
    part->line = sni_csv_line(csv, row);
    if (file[0] == 0) {
        return fail_in_line(part->line, error, SN_INVALID, "the row has no file");
    }
    SN_TRY(read_kind(sni_csv_cell(csv, row, columns->kind), part->line, &part->kind, error));
    SN_TRY(read_side(sni_csv_cell(csv, row, columns->side), part->line, &side, error));
    part->file = sni_string_copy(context, file);
    part->path = sni_path_beside(context, anatomy->index, file);
    part->name = name[0] != 0 ? sni_string_copy(context, name) : sni_name_of_file(context, file);
    part->side = sni_string_copy(context, side);
    part->rig_joint = sni_string_copy(context, sni_csv_cell(csv, row, columns->rig_joint));
    if (part->file == NULL || part->path == NULL || part->name == NULL || part->side == NULL ||
        part->rig_joint == NULL) {
        status = sni_fail_memory(error);
    }
cleanup:
    return status;
}

static const char *side_ending(const sn_anatomy_part *part) {
    return part->side[0] == 'l' ? ".L" : part->side[0] == 'r' ? ".R" : "";
}

static sn_status end_in_side(sn_context *context, sn_anatomy_part *part, sn_error *error) {
    size_t size = strlen(part->name) + 3;
    char *name = sni_alloc(context, size, 1);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    snprintf(name, size, "%s%s", part->name, side_ending(part));
    sni_free(context, part->name);
    part->name = name;
    return SN_OK;
}

// A humerus on the left and one on the right are told apart by their sides.
static sn_status tell_sides_apart(sn_anatomy *anatomy, sn_error *error) {
    sn_status status = SN_OK;
    bool *sided = NULL;
    sni_name_index names = {0};
    SNI_NEW_ZERO(anatomy->context, sided, anatomy->part_count);
    SN_TRY(sni_name_index_init(anatomy->context, &names, &anatomy->parts[0].name,
                               sizeof *anatomy->parts, anatomy->part_count, error));
    for (uint32_t first = 0, end; first < names.count; first = end) {
        bool differ = false;
        const sn_anatomy_part *a = &anatomy->parts[names.entries[first].number];
        for (end = first + 1; end < names.count; ++end) {
            const sn_anatomy_part *b = &anatomy->parts[names.entries[end].number];
            if (strcmp(a->name, b->name) != 0) {
                break;
            }
            differ = differ || strcmp(side_ending(a), side_ending(b)) != 0;
        }
        for (uint32_t i = first; i < end && differ; ++i) {
            sided[names.entries[i].number] = true;
        }
    }
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        if (sided[i]) {
            SN_TRY(end_in_side(anatomy->context, &anatomy->parts[i], error));
        }
    }
cleanup:
    sni_name_index_deinit(anatomy->context, &names);
    sni_free(anatomy->context, sided);
    return status;
}

static sn_status check_names(const sn_anatomy *anatomy, sn_error *error) {
    sn_status status = SN_OK;
    sni_names names;
    sni_names_init(&names, anatomy->context);
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        const sn_anatomy_part *part = &anatomy->parts[i];
        uint32_t other = sni_names_find(&names, part->name);
        if (part->name[0] == 0) {
            status = fail_in_line(part->line, error, SN_INVALID, "the row has no name");
        } else if (other != SN_NONE) {
            status = fail_in_line(
                part->line, error, SN_INVALID, "the name \"%s\" is that of the %s in line %u",
                part->name, kind_names[anatomy->parts[other].kind], anatomy->parts[other].line);
        } else {
            status = sni_names_add(&names, part->name, i, error);
        }
        SN_TRY(status);
    }
cleanup:
    sni_names_deinit(&names);
    return status;
}

static sn_status check_bones(const sn_anatomy *anatomy, sn_error *error) {
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        if (anatomy->parts[i].kind == SN_PART_BONE) {
            return SN_OK;
        }
    }
    return sni_fail(error, SN_INVALID,
                    anatomy->part_count == 0 ? "no parts below the names of the columns"
                                             : "no part is a bone");
}

static sn_status read_parts(sn_anatomy *anatomy, const char *text, size_t size, sn_error *error) {
    sn_status status = SN_OK;
    sni_csv csv = {0};
    index_columns columns;
    SN_TRY(sni_csv_read(anatomy->context, text, size, &csv, error));
    SN_TRY(find_column(&csv, "file", NULL, &columns.file, error));
    SN_TRY(find_column(&csv, "kind", NULL, &columns.kind, error));
    columns.name = sni_csv_column(&csv, "name");
    columns.side = sni_csv_column(&csv, "side");
    columns.rig_joint = sni_csv_column(&csv, "rig_joint");
    SNI_NEW_ZERO(anatomy->context, anatomy->parts, sni_csv_count(&csv));
    anatomy->part_count = sni_csv_count(&csv);
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        SN_TRY(read_part(&csv, i, &columns, anatomy, &anatomy->parts[i], error));
    }
    SN_TRY(check_bones(anatomy, error));
    SN_TRY(tell_sides_apart(anatomy, error));
    SN_TRY(check_names(anatomy, error));
cleanup:
    sni_csv_deinit(&csv);
    if (status != SN_OK) {
        sni_error_source(error, anatomy->index);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Attachments

typedef struct part_finder {
    const sn_anatomy *anatomy;
    sni_names names; // of parts
    sni_names stems; // of their files, the first of each
} part_finder;

static sn_status init_finder(part_finder *finder, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = finder->anatomy->context;
    sni_names_init(&finder->names, context);
    sni_names_init(&finder->stems, context);
    for (uint32_t i = 0; i < finder->anatomy->part_count && status == SN_OK; ++i) {
        const sn_anatomy_part *part = &finder->anatomy->parts[i];
        char *stem = sni_name_of_file(context, part->file);
        if (stem == NULL) {
            return sni_fail_memory(error);
        }
        status = sni_names_add(&finder->names, part->name, i, error);
        if (status == SN_OK && sni_names_find(&finder->stems, stem) == SN_NONE) {
            status = sni_names_add(&finder->stems, stem, i, error);
        }
        sni_free(context, stem);
    }
    return status;
}

static bool is_bone(const sn_anatomy_part *part) {
    return part->kind <= SN_PART_BONE_UNION;
}

// A part by its file's stem or its name, a bone or something else.
static sn_status find_part(const part_finder *finder, const char *text, bool bone, uint32_t line,
                           uint32_t *found, sn_error *error) {
    const sn_anatomy_part *parts = finder->anatomy->parts;
    uint32_t candidates[2] = {sni_names_find(&finder->stems, text),
                              sni_names_find(&finder->names, text)};
    for (int i = 0; i < 2; ++i) {
        if (candidates[i] != SN_NONE && is_bone(&parts[candidates[i]]) == bone) {
            *found = candidates[i];
            return SN_OK;
        }
    }
    sni_closest closest = sni_closest_to(text);
    for (uint32_t i = 0; i < finder->anatomy->part_count; ++i) {
        if (is_bone(&parts[i]) == bone) {
            sni_closest_try(&closest, parts[i].name);
        }
    }
    char hint[SNI_HINT_BYTES];
    return fail_in_line(line, error, SN_INVALID, "there is no %s \"%s\" in the index%s",
                        bone ? "bone" : "muscle", text, sni_closest_hint(&closest, hint));
}

static sn_status read_coordinate(const sni_csv *csv, uint32_t row, uint32_t column,
                                 const char *name, double *value, sn_error *error) {
    const char *text = sni_csv_cell(csv, row, column);
    const char *end = text + strlen(text);
    if (sni_number_read(text, end, value) != end || !isfinite(*value)) {
        return fail_in_line(sni_csv_line(csv, row), error, SN_INVALID,
                            "%s is \"%s\", but must be a number", name, text);
    }
    return SN_OK;
}

typedef struct attachment_columns {
    uint32_t muscle, bone, point[3];
} attachment_columns;

static const char *const axes[] = {"x", "y", "z"};

static sn_status read_attachment(const sni_csv *csv, uint32_t row,
                                 const attachment_columns *columns, const part_finder *finder,
                                 sn_anatomy_attachment *attachment, sn_error *error) {
    sn_status status = SN_OK;
    double point[3];
    const char *muscle = sni_csv_cell(csv, row, columns->muscle);
    const char *bone = sni_csv_cell(csv, row, columns->bone);
    *attachment = (sn_anatomy_attachment){.bone = SN_NONE, .line = sni_csv_line(csv, row)};
    if (muscle[0] == 0) {
        return fail_in_line(attachment->line, error, SN_INVALID, "the row has no muscle");
    }
    SN_TRY(find_part(finder, muscle, false, attachment->line, &attachment->muscle, error));
    if (bone[0] != 0) {
        SN_TRY(find_part(finder, bone, true, attachment->line, &attachment->bone, error));
    }
    for (int i = 0; i < 3; ++i) {
        SN_TRY(read_coordinate(csv, row, columns->point[i], axes[i], &point[i], error));
    }
    attachment->point = sn_vec3_make(point[0], point[1], point[2]);
cleanup:
    return status;
}

static sn_status read_attachments(sn_anatomy *anatomy, const char *text, size_t size,
                                  sn_error *error) {
    sn_status status = SN_OK;
    sni_csv csv = {0};
    part_finder finder = {.anatomy = anatomy};
    attachment_columns columns;
    SN_TRY(init_finder(&finder, error));
    SN_TRY(sni_csv_read(anatomy->context, text, size, &csv, error));
    SN_TRY(find_column(&csv, "muscle_file_stem", "muscle", &columns.muscle, error));
    SN_TRY(find_column(&csv, "bone_file_stem", "bone", &columns.bone, error));
    for (int i = 0; i < 3; ++i) {
        SN_TRY(find_column(&csv, axes[i], NULL, &columns.point[i], error));
    }
    SNI_NEW_ZERO(anatomy->context, anatomy->attachments, sni_csv_count(&csv));
    anatomy->attachment_count = sni_csv_count(&csv);
    for (uint32_t i = 0; i < anatomy->attachment_count; ++i) {
        SN_TRY(read_attachment(&csv, i, &columns, &finder, &anatomy->attachments[i], error));
    }
cleanup:
    sni_csv_deinit(&csv);
    sni_names_deinit(&finder.names);
    sni_names_deinit(&finder.stems);
    if (status != SN_OK) {
        sni_error_source(error, anatomy->attachment_table);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Folders

// The folder's own name, also of "." and "dog/".
static char *name_of_folder(sn_context *context, const char *folder) {
    char *whole = realpath(folder, NULL);
    const char *name = sni_path_name(whole != NULL ? whole : folder);
    char *copy = sni_string_copy(context, name[0] != 0 ? name : "body");
    free(whole);
    return copy;
}

static char *join(sn_context *context, const char *folder, const char *name) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    size_t size = length + strlen(name) + 2;
    char *path = sni_alloc(context, size, 1);
    if (path != NULL) {
        bool root = length == 1 && folder[0] == '/';
        snprintf(path, size, "%.*s%s%s", (int)length, folder, root ? "" : "/", name);
    }
    return path;
}

static sn_status create(sn_context *context, const char *folder, bool with_attachments,
                        sn_anatomy **anatomy, sn_error *error) {
    sn_anatomy *made = sni_alloc_zero(context, 1, sizeof *made);
    *anatomy = made;
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    made->context = context;
    made->name = name_of_folder(context, folder);
    made->index = join(context, folder, "index.csv");
    made->attachment_table = with_attachments ? join(context, folder, "attachments.csv") : NULL;
    bool done = made->name != NULL && made->index != NULL &&
                (!with_attachments || made->attachment_table != NULL);
    return done ? SN_OK : sni_fail_memory(error);
}

static sn_status parse(sn_anatomy *anatomy, const char *index, size_t index_size,
                       const char *attachments, size_t attachments_size, sn_error *error) {
    sn_status status = read_parts(anatomy, index, index_size, error);
    if (status == SN_OK && attachments != NULL) {
        status = read_attachments(anatomy, attachments, attachments_size, error);
    }
    return status;
}

static bool is_file(const char *path) {
    struct stat entry;
    return stat(path, &entry) == 0 && !S_ISDIR(entry.st_mode);
}

static sn_status check_files(const sn_anatomy *anatomy, sn_error *error) {
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        const sn_anatomy_part *part = &anatomy->parts[i];
        if (part->kind != SN_PART_BONE_UNION && !is_file(part->path)) {
            fail_in_line(part->line, error, SN_IO, "there is no file \"%s\"", part->file);
            sni_error_source(error, anatomy->index);
            return SN_IO;
        }
    }
    return SN_OK;
}

// Says that it is the folder that has no index, or that there is no folder.
static sn_status check_index(const char *folder, const char *index, sn_error *error) {
    struct stat entry;
    if (is_file(index)) {
        return SN_OK;
    }
    if (stat(folder, &entry) != 0) {
        sni_fail(error, SN_IO, "cannot open the folder: %s", strerror(errno));
    } else {
        sni_fail(error, SN_IO,
                 "no index.csv in this folder; it lists the meshes, with columns \"file\" and "
                 "\"kind\"");
    }
    sni_error_source(error, folder);
    return SN_IO;
}

sn_status sn_anatomy_parse(sn_context *context, const char *folder, const char *index,
                           size_t index_size, const char *attachments, size_t attachments_size,
                           sn_anatomy **anatomy, sn_error *error) {
    sn_status status = create(context, folder, attachments != NULL, anatomy, error);
    if (status == SN_OK) {
        status = parse(*anatomy, index, index_size, attachments, attachments_size, error);
    }
    if (status != SN_OK) {
        sn_anatomy_destroy(*anatomy);
        *anatomy = NULL;
    }
    return status;
}

sn_status sn_anatomy_read(sn_context *context, const char *folder, const char *rig,
                          sn_anatomy **anatomy, sn_error *error) {
    sn_status status = SN_OK;
    char *index = NULL, *attachments = NULL;
    size_t index_size = 0, attachments_size = 0;
    SN_TRY(create(context, folder, true, anatomy, error));
    SN_TRY(check_index(folder, (*anatomy)->index, error));
    SN_TRY(sni_file_read(context, (*anatomy)->index, &index, &index_size, error));
    if (is_file((*anatomy)->attachment_table)) {
        SN_TRY(sni_file_read(context, (*anatomy)->attachment_table, &attachments, &attachments_size,
                             error));
    }
    SN_TRY(parse(*anatomy, index, index_size, attachments, attachments_size, error));
    SN_TRY(check_files(*anatomy, error));
    SN_TRY(sni_find_rig(context, folder, rig, &(*anatomy)->rig, error));
    if (attachments == NULL) {
        sni_free(context, (*anatomy)->attachment_table);
        (*anatomy)->attachment_table = NULL;
    }
cleanup:
    sni_free(context, index);
    sni_free(context, attachments);
    if (status != SN_OK) {
        sn_anatomy_destroy(*anatomy);
        *anatomy = NULL;
    }
    return status;
}

void sn_anatomy_destroy(sn_anatomy *anatomy) {
    if (anatomy == NULL) {
        return;
    }
    sn_context *context = anatomy->context;
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        sn_anatomy_part *part = &anatomy->parts[i];
        sni_free(context, part->file);
        sni_free(context, part->path);
        sni_free(context, part->name);
        sni_free(context, part->side);
        sni_free(context, part->rig_joint);
    }
    sni_free(context, anatomy->parts);
    sni_free(context, anatomy->attachments);
    sni_free(context, anatomy->name);
    sni_free(context, anatomy->index);
    sni_free(context, anatomy->attachment_table);
    sni_free(context, anatomy->rig);
    sni_free(context, anatomy);
}
