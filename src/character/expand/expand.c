// SPDX-License-Identifier: Apache-2.0
#include "character/expand/expand.h"

#include "character/schema/schema.h"
#include "motion/body_names.h"

#include <stdlib.h>
#include <string.h>

// Parts whose entries may be repeated. Sections come first: what follows refers to their names.
static const struct {
    const char *key;
    uint32_t part;
} parts[] = {
    {"skeleton", SNI_SECTION_SKELETON},   {"meshes", SNI_SECTION_MESHES},
    {"bones", SNI_SECTION_BONES},         {"tissues", SNI_SECTION_TISSUES},
    {"muscles", SNI_SECTION_MUSCLES},     {"controls", SNI_SECTION_CONTROLS},
    {"landmarks", SNI_SECTION_LANDMARKS}, {"bodies", SNI_SECTION_BODIES},
    {"synergies", SNI_PART_SYNERGIES},    {"drivers", SNI_PART_DRIVERS},
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

// Lists of a body whose entries may be repeated.
static const char *const body_lists[] = {"muscles", "joints", "ligaments"};
enum { BODY_LIST_COUNT = sizeof body_lists / sizeof *body_lists };

bool sni_part_is_of_body(uint32_t part) {
    return part >= SNI_PART_BODY_MUSCLES && part < SNI_PART_BODY_MUSCLES + BODY_LIST_COUNT;
}

const char *sni_part_key(uint32_t part) {
    for (uint32_t i = 0; i < PART_COUNT; ++i) {
        if (parts[i].part == part) {
            return parts[i].key;
        }
    }
    return sni_part_is_of_body(part) ? body_lists[part - SNI_PART_BODY_MUSCLES] : NULL;
}

static bool asks_in(const sn_value *container, uint32_t part) {
    for (uint32_t i = 0; i < sn_value_count(container); ++i) {
        if (sni_request_made(sn_value_at(container, i), part)) {
            return true;
        }
    }
    return false;
}

// Whether a key stands for several segments.
static bool fits_several(const sn_value *factors) {
    for (uint32_t i = 0; i < sn_value_count(factors); ++i) {
        const char *key = sn_value_at(factors, i)->key;
        if (key != NULL && strchr(key, '*') != NULL) {
            return true;
        }
    }
    return false;
}

// Whether anything has to be expanded.
static bool asks(const sn_value *root) {
    bool found = fits_several(sn_value_get(root, "proportions"));
    const sn_value *meshes = sn_value_get(root, "meshes");
    for (uint32_t i = 0; i < sn_value_count(meshes) && !found; ++i) {
        const sn_value *extract = sn_value_get(sn_value_at(meshes, i), "extract");
        found = fits_several(sn_value_get(extract, "enlarge"));
    }
    for (uint32_t i = 0; i < PART_COUNT && !found; ++i) {
        found = asks_in(sn_value_get(root, parts[i].key), parts[i].part);
    }
    const sn_value *clips = sn_value_get(root, "clips");
    for (uint32_t i = 0; i < sn_value_count(clips) && !found; ++i) {
        found = asks_in(sn_value_get(sn_value_at(clips, i), "tracks"), SNI_PART_TRACKS);
    }
    const sn_value *bodies = sn_value_get(root, "bodies");
    for (uint32_t i = 0; i < sn_value_count(bodies) && !found; ++i) {
        for (uint32_t k = 0; k < BODY_LIST_COUNT && !found; ++k) {
            const sn_value *list = sn_value_get(sn_value_at(bodies, i), body_lists[k]);
            found = asks_in(list, SNI_PART_BODY_MUSCLES + k);
        }
    }
    return found;
}

// ---------------------------------------------------------------------------------------------
// Entries

static sn_status note_pattern(sni_expansion *e, uint32_t section, const char *name, uint32_t count,
                              sn_error *error) {
    if (section >= SNI_SECTION_COUNT) {
        return SN_OK; // has no name
    }
    if (!sni_grow_by_one(e->context, &e->patterns, e->pattern_count, sizeof *e->patterns)) {
        return sni_fail_memory(error);
    }
    e->patterns[e->pattern_count++] = (sni_pattern){section, count, name};
    return SN_OK;
}

static sn_status note_image(sni_expansion *e, uint32_t part, sn_value *value, const sn_value *entry,
                            sn_error *error) {
    if (!sni_grow_by_one(e->context, &e->images, e->image_count, sizeof *e->images)) {
        return sni_fail_memory(error);
    }
    e->images[e->image_count++] = (sni_image){part, value, entry};
    return SN_OK;
}

// The name of a mirror image. Entries of lists have none.
static sn_status name_image(sni_expansion *e, const sn_value *entry, const char *name,
                            uint32_t part, const char **swapped, sn_error *error) {
    bool negates;
    *swapped = NULL;
    if (name == NULL) {
        return SN_OK;
    }
    sn_status status = part == SNI_PART_TRACKS
                           ? sni_swap_parameter(e, name, swapped, &negates, error)
                           : sni_swap_name(e, name, swapped, error);
    if (status == SN_OK && *swapped == NULL) {
        status = sni_fail_value(error, sn_value_get(entry, "mirror"), SN_INVALID,
                                "the name \"%s\" has no side to exchange: left and right, L and R",
                                name);
    }
    return status;
}

// Adds the mirror images of the entries from `first` on.
static sn_status add_images(sni_expansion *e, const sn_value *entry, sn_value *container,
                            uint32_t first, uint32_t part, sn_error *error) {
    uint32_t end = sn_value_count(container);
    sn_status status = SN_OK;
    for (uint32_t i = first; i < end; ++i) {
        const sn_value *made = sn_value_at(container, i);
        const char *name = NULL;
        SN_TRY(name_image(e, entry, made->key, part, &name, error));
        sn_value *image = sni_json_copy_value(e->json, made);
        SN_TRY(image != NULL ? SN_OK : sni_fail_memory(error));
        image->key = name;
        SN_TRY(sni_json_append(e->json, container, image) ? SN_OK : sni_fail_memory(error));
        SN_TRY(note_image(e, part, image, entry, error));
    }
cleanup:
    return status;
}

// Adds all that an entry stands for.
static sn_status expand_entry(sni_expansion *e, const sn_value *entry, sn_value *container,
                              uint32_t part, sn_error *error) {
    uint32_t first = sn_value_count(container);
    sni_request request;
    sn_status status = SN_OK;
    SN_TRY(sni_request_read(entry, part, &request, error));
    for (uint32_t i = 0; i < (request.count > 0 ? request.count : 1); ++i) {
        sn_value *made;
        SN_TRY(sni_repeat_entry(e, entry, part, &request, i + 1, &made, error));
        SN_TRY(sni_json_append(e->json, container, made) ? SN_OK : sni_fail_memory(error));
    }
    if (request.count > 0) {
        SN_TRY(note_pattern(e, part, entry->key, request.count, error));
    }
    if (request.mirror) {
        SN_TRY(add_images(e, entry, container, first, part, error));
    }
    if (request.mirror && request.count > 0 && entry->key != NULL) {
        const char *name = NULL;
        SN_TRY(sni_swap_name(e, entry->key, &name, error));
        SN_TRY(note_pattern(e, part, name, request.count, error));
    }
cleanup:
    return status;
}

// Fills a container of the tree anew, from the same one of the document as it is written.
static sn_status expand_container(sni_expansion *e, const sn_value *written, sn_value *container,
                                  uint32_t part, sn_error *error) {
    if (!asks_in(written, part)) {
        return SN_OK;
    }
    uint32_t count = container->as.children.count;
    sn_value **old = container->as.children.items;
    sn_status status = SN_OK;
    container->as.children.items = NULL;
    container->as.children.count = container->as.children.capacity = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *entry = sn_value_at(written, i);
        if (sni_request_made(entry, part)) {
            SN_TRY(expand_entry(e, entry, container, part, error));
        } else {
            SN_TRY(sni_json_append(e->json, container, old[i]) ? SN_OK : sni_fail_memory(error));
        }
    }
    SN_TRY(sni_check_names_differ(e, container, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The pass

static sn_status index_names(sni_expansion *e, sn_error *error) {
    sn_status status = SN_OK;
    for (int section = 0; section < SNI_SECTION_COUNT && status == SN_OK; ++section) {
        status = sni_index_section(e->context, e->json->root, section, &e->names[section], error);
    }
    return status;
}

static sn_status expand_parts(sni_expansion *e, const sn_value *written, bool sections,
                              sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < PART_COUNT && status == SN_OK; ++i) {
        if ((parts[i].part < SNI_SECTION_COUNT) == sections) {
            const sn_value *from = sn_value_get(written, parts[i].key);
            sn_value *to = (sn_value *)sn_value_get(e->json->root, parts[i].key);
            status = expand_container(e, from, to, parts[i].part, error);
        }
    }
    return status;
}

static sn_status expand_clips(sni_expansion *e, const sn_value *written, sn_error *error) {
    const sn_value *from = sn_value_get(written, "clips");
    const sn_value *to = sn_value_get(e->json->root, "clips");
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(from) && status == SN_OK; ++i) {
        status = expand_container(e, sn_value_get(sn_value_at(from, i), "tracks"),
                                  (sn_value *)sn_value_get(sn_value_at(to, i), "tracks"),
                                  SNI_PART_TRACKS, error);
    }
    return status;
}

// Expands a list where it stands. Meanwhile its entries belong to a copy of it, so that errors tell
// their numbers.
static sn_status expand_list(sni_expansion *e, sn_value *list, uint32_t part, sn_error *error) {
    sn_value written = *list;
    for (uint32_t i = 0; i < sn_value_count(&written); ++i) {
        written.as.children.items[i]->parent = &written;
    }
    sn_status status = expand_container(e, &written, list, part, error);
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        list->as.children.items[i]->parent = list;
    }
    return status;
}

// The lists of all bodies, also of those that are made.
static sn_status expand_bodies(sni_expansion *e, sn_error *error) {
    const sn_value *bodies = sn_value_get(e->json->root, "bodies");
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(bodies); ++i) {
        for (uint32_t k = 0; k < BODY_LIST_COUNT && status == SN_OK; ++k) {
            sn_value *list = (sn_value *)sn_value_get(sn_value_at(bodies, i), body_lists[k]);
            if (list != NULL) {
                status = expand_list(e, list, SNI_PART_BODY_MUSCLES + k, error);
            }
        }
    }
    return status;
}

static sn_status expand_all(sni_expansion *e, const sn_value *written, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(expand_parts(e, written, true, error));
    SN_TRY(index_names(e, error));
    SN_TRY(expand_parts(e, written, false, error));
    SN_TRY(expand_clips(e, written, error));
    SN_TRY(expand_bodies(e, error));
    for (uint32_t i = 0; i < e->image_count; ++i) {
        SN_TRY(sni_reflect(e, &e->images[i], error));
    }
    SN_TRY(sni_expand_names(e, error));
cleanup:
    return status;
}

sn_status sni_expanded_open(const sn_json *document, sni_expanded *expanded, sn_error *error) {
    *expanded = (sni_expanded){.json = document};
    if (!asks(document->root)) {
        return SN_OK;
    }
    sni_expansion e = {.context = document->context};
    sn_status status = sni_json_copy(document, &e.json, error);
    if (status == SN_OK) {
        status = expand_all(&e, document->root, error);
    }
    for (uint32_t section = 0; section < SNI_SECTION_COUNT; ++section) {
        sni_name_index_deinit(e.context, &e.names[section]);
    }
    sni_free(e.context, e.patterns);
    sni_free(e.context, e.images);
    if (status != SN_OK) {
        sn_json_destroy(e.json);
        return status;
    }
    expanded->json = expanded->owned = e.json;
    return SN_OK;
}

void sni_expanded_close(sni_expanded *expanded) {
    sn_json_destroy(expanded->owned);
    *expanded = (sni_expanded){0};
}

// ---------------------------------------------------------------------------------------------
// Shared by the parts

static int compare_names(const void *a, const void *b) {
    const sn_value *const *x = a, *const *y = b;
    int order = strcmp((*x)->key, (*y)->key);
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

sn_status sni_check_names_differ(sni_expansion *e, const sn_value *object, sn_error *error) {
    uint32_t count = object->type == SN_JSON_OBJECT ? sn_value_count(object) : 0;
    if (count < 2) {
        return SN_OK;
    }
    const sn_value **sorted =
        sni_copy(e->context, object->as.children.items, count, sizeof *object->as.children.items);
    if (sorted == NULL) {
        return sni_fail_memory(error);
    }
    qsort(sorted, count, sizeof *sorted, compare_names);
    sn_status status = SN_OK;
    for (uint32_t i = 1; i < count && status == SN_OK; ++i) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) {
            status = sni_fail_value(error, sorted[i], SN_INVALID,
                                    "the name \"%s\" is used twice: here and in line %u",
                                    sorted[i]->key, sorted[i - 1]->line);
        }
    }
    sni_free(e->context, sorted);
    return status;
}
