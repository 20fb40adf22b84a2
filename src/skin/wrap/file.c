// SPDX-License-Identifier: Apache-2.0
#include "skin/wrap/file.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/simd.h"

#include <string.h>

static const char magic[8] = {'s', 'i', 'n', 'e', 'w', 'r', 'a', 'p'};
static const uint32_t byte_order = 0x01020304;

static uint64_t hash_points(const sn_mesh *mesh) {
    return sni_hash_bytes(sni_hash_start, mesh->positions, 12 * (size_t)mesh->vertex_count);
}

static uint64_t hash_driver(const sn_mesh *driver) {
    uint64_t hash = hash_points(driver);
    hash = sni_hash_bytes(hash, driver->face_offsets, 4 * ((size_t)driver->face_count + 1));
    return sni_hash_bytes(hash, driver->corners, 4 * (size_t)driver->corner_count);
}

// The arrays behind the header.
enum { ARRAY_OFFSETS, ARRAY_WEIGHTS, ARRAY_ELEMENTS, ARRAY_POINTS, ARRAY_EDITS, ARRAY_COUNT };
typedef struct arrays {
    const void *data[ARRAY_COUNT];
    size_t sizes[ARRAY_COUNT];
} arrays;

static size_t slice_count(uint32_t rows) {
    return rows / SNI_WIDTH + (rows % SNI_WIDTH != 0);
}

// Bytes of an element's number in a file.
static size_t number_bytes(const sni_sparse_blend *weights) {
    return weights->element_count <= UINT16_MAX + 1 ? sizeof(uint16_t) : sizeof(uint32_t);
}

// `elements` are numbers as files have them.
static arrays arrays_of(const sn_wrap *wrap, const void *elements) {
    const sni_sparse_blend *weights = &wrap->weights;
    const sni_wrap_edits *edits = &wrap->edits;
    return (arrays){
        {[ARRAY_OFFSETS] = weights->slice_offsets,
         [ARRAY_WEIGHTS] = weights->weights,
         [ARRAY_ELEMENTS] = elements,
         [ARRAY_POINTS] = edits->points,
         [ARRAY_EDITS] = edits->elements},
        {[ARRAY_OFFSETS] = (slice_count(weights->row_count) + 1) * sizeof(uint32_t),
         [ARRAY_WEIGHTS] = weights->entry_count * sizeof(float),
         [ARRAY_ELEMENTS] = weights->entry_count * number_bytes(weights),
         [ARRAY_POINTS] = edits->count > 0 ? weights->row_count : 0,
         [ARRAY_EDITS] = (size_t)edits->count * edits->element_count},
    };
}

static uint64_t hash_arrays(const arrays *a) {
    uint64_t hash = sni_hash_start;
    for (int i = 0; i < ARRAY_COUNT; ++i) {
        hash = sni_hash_bytes(hash, a->data[i], a->sizes[i]);
    }
    return hash;
}

static void store_elements(const sni_sparse_blend *weights, char *bytes) {
    const size_t size = number_bytes(weights);
    for (size_t i = 0; i < weights->entry_count; ++i) {
        uint32_t element = sni_sparse_blend_element(weights, i);
        uint16_t narrow = (uint16_t)element;
        memcpy(bytes + i * size, size == sizeof narrow ? (void *)&narrow : (void *)&element, size);
    }
}

// False where an element's number is too high.
static bool load_elements(const char *bytes, sni_sparse_blend *weights) {
    const size_t size = number_bytes(weights);
    for (size_t i = 0; i < weights->entry_count; ++i) {
        uint16_t narrow;
        uint32_t element;
        memcpy(size == sizeof narrow ? (void *)&narrow : (void *)&element, bytes + i * size, size);
        element = size == sizeof narrow ? narrow : element;
        if (element >= weights->element_count) {
            return false;
        }
        sni_sparse_blend_set_element(weights, i, element);
    }
    return true;
}

sn_status sni_wrap_file_save(const sn_wrap *wrap, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sni_output output = {0};
    char *elements = NULL;
    SNI_NEW(wrap->context, elements, wrap->weights.entry_count * number_bytes(&wrap->weights));
    store_elements(&wrap->weights, elements);
    arrays a = arrays_of(wrap, elements);
    sni_wrap_header header = {
        .version = SNI_WRAP_FILE_VERSION,
        .byte_order = byte_order,
        .vertex_count = wrap->mesh->vertex_count,
        .triangle_count = wrap->frames.triangle_count,
        .points_hash = hash_points(wrap->mesh),
        .driver_hash = hash_driver(wrap->driver),
        .entry_count = wrap->weights.entry_count,
        .entry_hash = hash_arrays(&a),
        .local = wrap->settings.local,
        .unit = wrap->settings.unit,
        .reach = wrap->settings.reach,
        .cut = wrap->settings.cut,
        .largest_loss = wrap->report.largest_loss,
        .element_sum = wrap->report.elements,
        .elements = wrap->settings.elements,
        .extended = wrap->settings.extended,
        .widest = wrap->report.widest,
        .limited = wrap->report.limited,
        .edit_count = wrap->edits.count,
    };
    memcpy(header.magic, magic, sizeof magic);
    SN_TRY(sni_output_open(NULL, path, &output, error));
    SN_TRY(sni_output_write(&output, &header, sizeof header, error));
    for (int i = 0; i < ARRAY_COUNT; ++i) {
        SN_TRY(sni_output_write(&output, a.data[i], a.sizes[i], error));
    }
    SN_TRY(sni_output_commit(&output, error));
cleanup:
    sni_output_close(&output);
    sni_free(wrap->context, elements);
    return status;
}

static bool settings_are_sound(const sni_wrap_header *h) {
    const sni_wrap_settings settings = {.local = h->local,
                                        .unit = h->unit,
                                        .reach = h->reach,
                                        .cut = h->cut,
                                        .elements = h->elements};
    return sni_wrap_settings_validate(&settings, NULL) == SN_OK && h->unit > 0 &&
           h->extended <= 1 && h->edit_count <= SNI_WRAP_EDITS && h->padding == 0;
}

static sn_status check_header(const char *bytes, size_t size, sni_wrap_header *header,
                              sn_error *error) {
    if (size < sizeof *header || memcmp(bytes, magic, sizeof magic) != 0) {
        return sni_fail(error, SN_SYNTAX, "is not a binding of a wrap");
    }
    memcpy(header, bytes, sizeof *header);
    if (header->version != SNI_WRAP_FILE_VERSION || header->byte_order != byte_order) {
        return sni_fail(error, SN_UNSUPPORTED, "has version %u, but only %u is read",
                        header->version, SNI_WRAP_FILE_VERSION);
    }
    if (!settings_are_sound(header)) {
        return sni_fail(error, SN_SYNTAX, "has a setting out of its range");
    }
    return SN_OK;
}

static sn_status check_meshes(const sni_wrap_header *header, const sn_mesh *mesh,
                              const sn_mesh *driver, uint32_t triangle_count, bool moved,
                              sn_error *error) {
    if (header->vertex_count != mesh->vertex_count) {
        return sni_fail(error, SN_INVALID, "binds %u vertices, but \"%s\" has %u",
                        header->vertex_count, mesh->name, mesh->vertex_count);
    }
    if (header->triangle_count != triangle_count) {
        return sni_fail(error, SN_INVALID, "binds to %u triangles, but the driver \"%s\" has %u",
                        header->triangle_count, driver->name, triangle_count);
    }
    if (!moved && header->points_hash != hash_points(mesh)) {
        return sni_fail(error, SN_INVALID, "binds other rest points than those of \"%s\"",
                        mesh->name);
    }
    if (header->driver_hash != hash_driver(driver)) {
        return sni_fail(error, SN_INVALID, "binds to another driver, or rest pose, than \"%s\"",
                        driver->name);
    }
    return SN_OK;
}

// Sizes and weights that the kernel relies on.
static bool weights_are_sound(const sni_sparse_blend *weights) {
    size_t slices = slice_count(weights->row_count);
    for (size_t i = 0; i < slices; ++i) {
        if (weights->slice_offsets[i] > weights->slice_offsets[i + 1]) {
            return false;
        }
    }
    if (weights->slice_offsets[0] != 0 ||
        (size_t)weights->slice_offsets[slices] * SNI_WIDTH != weights->entry_count) {
        return false;
    }
    for (size_t i = 0; i < weights->entry_count; ++i) {
        if (!(weights->weights[i] >= 0 && weights->weights[i] <= 1)) {
            return false;
        }
    }
    return true;
}

static bool edits_are_sound(const sn_wrap *wrap) {
    const sni_wrap_edits *edits = &wrap->edits;
    bool is_sound = true;
    for (uint32_t i = 0; edits->count > 0 && i < wrap->weights.row_count; ++i) {
        is_sound = is_sound && edits->points[i] < edits->count;
    }
    for (uint32_t edit = 0; edit < edits->count; ++edit) {
        const uint8_t *elements = sni_wrap_edits_of(edits, edit);
        uint32_t left = 0;
        for (uint32_t i = 0; i < edits->element_count; ++i) {
            is_sound = is_sound && elements[i] <= SNI_EDIT_ADDED;
            left += elements[i] != SNI_EDIT_REMOVED;
        }
        is_sound = is_sound && left > 0;
    }
    return is_sound;
}

// Reads what stands behind the header into a wrap whose counts are set.
static sn_status read_arrays(sn_context *context, const sni_wrap_header *header, const char *bytes,
                             size_t size, sn_wrap *wrap, sn_error *error) {
    sn_status status = SN_OK;
    sni_sparse_blend *weights = &wrap->weights;
    sni_wrap_edits *edits = &wrap->edits;
    *edits =
        (sni_wrap_edits){.count = header->edit_count, .element_count = wrap->frames.triangle_count};
    size_t offset_bytes = (slice_count(weights->row_count) + 1) * sizeof(uint32_t);
    size_t point_bytes = edits->count > 0 ? weights->row_count : 0;
    size_t edit_bytes = (size_t)edits->count * edits->element_count;
    size_t entry_bytes = sizeof(float) + number_bytes(weights);
    size_t fixed = offset_bytes + point_bytes + edit_bytes;
    if (size < fixed || header->entry_count != (size - fixed) / entry_bytes ||
        (size - fixed) % entry_bytes != 0) {
        return sni_fail(error, SN_SYNTAX, "has %zu bytes of weights, which is not its size", size);
    }
    weights->entry_count = (size_t)header->entry_count;
    SNI_NEW(context, weights->slice_offsets, offset_bytes / sizeof(uint32_t));
    SN_TRY(sni_sparse_blend_allocate(context, weights, error));
    SNI_NEW(context, edits->points, point_bytes);
    SNI_NEW(context, edits->elements, edit_bytes);
    const char *elements = bytes + offset_bytes + weights->entry_count * sizeof(float);
    arrays a = arrays_of(wrap, elements);
    for (int i = 0; i < ARRAY_COUNT; ++i) {
        if (a.sizes[i] > 0 && i != ARRAY_ELEMENTS) {
            memcpy((void *)a.data[i], bytes, a.sizes[i]);
        }
        bytes += a.sizes[i];
    }
    if (header->entry_hash != hash_arrays(&a) || !weights_are_sound(weights) ||
        !load_elements(elements, weights) || !edits_are_sound(wrap)) {
        status = sni_fail(error, SN_SYNTAX, "has damaged weights");
    }
cleanup:
    return status;
}

static void take_header(const sni_wrap_header *header, sn_wrap *wrap) {
    wrap->settings = (sni_wrap_settings){.local = header->local,
                                         .unit = header->unit,
                                         .reach = header->reach,
                                         .cut = header->cut,
                                         .elements = header->elements,
                                         .extended = header->extended != 0};
    wrap->report = (sni_wrap_report){.elements = header->element_sum,
                                     .widest = header->widest,
                                     .largest_loss = header->largest_loss,
                                     .limited = header->limited};
}

sn_status sni_wrap_file_load(sn_context *context, const sn_mesh *mesh, const sn_mesh *driver,
                             const char *path, bool moved, sn_wrap **wrap, sn_error *error) {
    sn_status status = SN_OK;
    sni_wrap_surface surface = {0};
    sni_wrap_header header;
    char *bytes = NULL;
    size_t size = 0;
    sn_wrap *made = NULL;
    *wrap = NULL;
    SN_TRY(sni_file_read(context, path, &bytes, &size, error));
    SN_TRY(check_header(bytes, size, &header, error));
    SN_TRY(sni_wrap_surface_init(context, driver, &surface, error));
    SN_TRY(check_meshes(&header, mesh, driver, surface.count, moved, error));
    SNI_NEW_ZERO(context, made, 1);
    *made = (sn_wrap){.context = context, .mesh = mesh, .driver = driver};
    take_header(&header, made);
    SN_TRY(sni_wrap_frames_init(context, &surface, made->settings.extended, &made->frames, error));
    made->weights =
        (sni_sparse_blend){.row_count = mesh->vertex_count, .element_count = made->frames.count};
    SN_TRY(read_arrays(context, &header, bytes + sizeof header, size - sizeof header, made, error));
    *wrap = made;
    made = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, path);
    }
    sn_wrap_destroy(made);
    sni_wrap_surface_deinit(&surface);
    sni_free(context, bytes);
    return status;
}
