// SPDX-License-Identifier: Apache-2.0
//
// Primitives of KHR_draco_mesh_compression. Faces and attributes of the compressed mesh stand for
// the bytes of the primitive's accessors, so that all that follows reads them as any others.
//
// A Draco mesh has an order of its own for its vertices, which is then the order of the file:
// vertex i is the i-th vertex of the decoded mesh. Where all accessors of a primitive have plain
// bytes as well, these are taken: they are exact, and lie in the order that the model had.
#include "io/gltf/gltf.h"

#if defined(SNI_WITH_DRACO)
#include "io/gltf/draco.h"

// What the library takes for each face while it decodes, roughly: its corners, a table of six
// numbers for them, and one more for each of a few attributes that have seams.
static const uint64_t bytes_per_face = 128;
#endif

static sn_status at_view(const sni_gltf *gltf, uint32_t view, sn_status status, sn_error *error) {
    const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_VIEWS, view);
    sni_error_place(error, gltf->is_binary ? 0 : value->line, "buffer view %u", view);
    return status;
}

static sn_status find_bare(sni_gltf *gltf, const sn_value *object, const char *key, bool *bare,
                           sn_error *error) {
    uint32_t accessor;
    sn_status status =
        sni_gltf_get_index(gltf, object, key, SNI_GLTF_ACCESSORS, true, &accessor, error);
    if (status == SN_OK) {
        const sn_value *value = sni_gltf_item(gltf, SNI_GLTF_ACCESSORS, accessor);
        *bare = *bare || sn_value_get(value, "bufferView") == NULL;
    }
    return status;
}

// Whether an accessor has no bytes but those of the compressed mesh.
static sn_status needs_unpacking(sni_gltf *gltf, const sn_value *primitive,
                                 const sn_value *packed_attributes, bool *needed, sn_error *error) {
    const sn_value *attributes;
    sn_status status = SN_OK;
    *needed = false;
    SN_TRY(sni_gltf_get_object(gltf, primitive, "attributes", &attributes, error));
    SN_TRY(find_bare(gltf, primitive, "indices", needed, error));
    for (uint32_t i = 0; i < sn_value_count(packed_attributes); ++i) {
        SN_TRY(find_bare(gltf, attributes, sn_value_at(packed_attributes, i)->key, needed, error));
    }
cleanup:
    return status;
}

#if defined(SNI_WITH_DRACO)

typedef struct unpacking {
    sni_gltf *gltf;
    uint32_t view;
    sni_draco *draco;
} unpacking;

static sn_status check_size(sni_gltf *gltf, const sni_gltf_view *view, sn_error *error) {
    sni_draco_size size;
    const char *why = sni_draco_peek(view->bytes, view->size, &size);
    if (why != NULL) {
        return sni_fail(error, SN_INVALID, "%s", why);
    }
    uint64_t bytes = bytes_per_face * size.face_count + sizeof(float) * size.vertex_limit;
    if (size.face_count >= SN_NONE / 3 || size.vertex_limit >= SN_NONE ||
        !sni_gltf_charge(gltf, bytes)) {
        return sni_fail(error, SN_LIMIT,
                        "its Draco data says that it has %u faces, which is out of proportion to a "
                        "file of %zu bytes",
                        size.face_count, gltf->source->size);
    }
    return sni_check_room(gltf->context, (double)bytes, "its Draco data", error);
}

// Takes memory for an accessor of `count` elements, unless it has that from this view already.
static sn_status begin_accessor(unpacking *u, uint32_t accessor, uint32_t count, uint32_t size,
                                sn_error *error) {
    sni_gltf_unpacked *unpacked = &u->gltf->unpacked_accessors[accessor];
    sn_status status = SN_OK;
    if (unpacked->bytes != NULL && unpacked->view == u->view) {
        return SN_OK;
    }
    if (unpacked->bytes != NULL) {
        return sni_fail(error, SN_INVALID,
                        "accessor %u stands for Draco data of buffer views %u and %u", accessor,
                        unpacked->view, u->view);
    }
    if (!sni_gltf_charge(u->gltf, (uint64_t)count * size)) {
        return sni_fail(error, SN_LIMIT,
                        "%u elements of %u bytes are out of proportion to a file of %zu bytes",
                        count, size, u->gltf->source->size);
    }
    SNI_NEW(u->gltf->context, unpacked->bytes, (size_t)count * size);
    unpacked->count = count;
    unpacked->view = u->view;
cleanup:
    return status;
}

static sn_status unpack_faces(unpacking *u, const sn_value *primitive, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t index;
    uint32_t *vertices = NULL;
    sni_gltf_accessor shape;
    uint32_t count = 3 * sni_draco_face_count(u->draco);
    SN_TRY(
        sni_gltf_get_index(u->gltf, primitive, "indices", SNI_GLTF_ACCESSORS, true, &index, error));
    SN_TRY(sni_gltf_get_shape(u->gltf, index, &shape, error));
    uint32_t size = sni_gltf_element_size(&shape);
    uint64_t room = size >= 4 ? SN_NONE : (uint64_t)1 << 8 * size;
    if (shape.width != 1 || shape.component == SNI_GLTF_FLOAT ||
        sni_draco_vertex_count(u->draco) > room) {
        status =
            sni_fail(error, SN_INVALID,
                     "indices of componentType %d cannot name the %u vertices of its Draco data",
                     (int)shape.component, sni_draco_vertex_count(u->draco));
        goto cleanup;
    }
    SN_TRY(begin_accessor(u, index, count, size, error));
    SNI_NEW(u->gltf->context, vertices, count);
    sni_draco_read_faces(u->draco, vertices);
    uint8_t *bytes = u->gltf->unpacked_accessors[index].bytes;
    for (size_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < size; ++k) {
            bytes[i * size + k] = (uint8_t)(vertices[i] >> 8 * k);
        }
    }
cleanup:
    sni_free(u->gltf->context, vertices);
    return status;
}

static sn_status unpack_attribute(unpacking *u, const sn_value *primitive, const sn_value *number,
                                  sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *attributes;
    const sn_value *packed = number->parent;
    uint32_t index;
    uint64_t id = 0;
    sni_gltf_accessor shape;
    SN_TRY(sni_gltf_get_object(u->gltf, primitive, "attributes", &attributes, error));
    SN_TRY(sni_gltf_get_index(u->gltf, attributes, number->key, SNI_GLTF_ACCESSORS, true, &index,
                              error));
    SN_TRY(sni_gltf_get_integer(u->gltf, packed, number->key, true, &id, error));
    SN_TRY(sni_gltf_get_shape(u->gltf, index, &shape, error));
    SN_TRY(begin_accessor(u, index, sni_draco_vertex_count(u->draco), sni_gltf_element_size(&shape),
                          error));
    const char *why = sni_draco_read_attribute(u->draco, (uint32_t)(id < SN_NONE ? id : SN_NONE),
                                               (uint32_t)shape.component, shape.width,
                                               u->gltf->unpacked_accessors[index].bytes);
    if (why != NULL) {
        status = sni_fail(error, SN_INVALID, "%s: %s", number->key, why);
    }
cleanup:
    return status;
}

static sn_status unpack(sni_gltf *gltf, const sn_value *primitive, const sn_value *packed,
                        uint32_t view_index, sn_error *error) {
    unpacking u = {.gltf = gltf, .view = view_index};
    sni_gltf_view view;
    const sn_value *attributes;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_find_view(gltf, view_index, &view, error));
    SN_TRY(check_size(gltf, &view, error));
    const char *why = sni_draco_decode(view.bytes, view.size, &u.draco);
    if (why != NULL) {
        status = sni_fail(error, SN_INVALID, "%s", why);
        goto cleanup;
    }
    if (sni_draco_face_count(u.draco) == 0 || sni_draco_vertex_count(u.draco) == 0) {
        status = sni_fail(error, SN_INVALID, "its Draco data has no faces");
        goto cleanup;
    }
    SN_TRY(unpack_faces(&u, primitive, error));
    SN_TRY(sni_gltf_get_object(gltf, packed, "attributes", &attributes, error));
    for (uint32_t i = 0; i < sn_value_count(attributes); ++i) {
        SN_TRY(unpack_attribute(&u, primitive, sn_value_at(attributes, i), error));
    }
cleanup:
    sni_draco_destroy(u.draco);
    return status;
}

#else

static sn_status unpack(sni_gltf *gltf, const sn_value *primitive, const sn_value *packed,
                        uint32_t view_index, sn_error *error) {
    (void)gltf, (void)primitive, (void)packed, (void)view_index;
    return sni_gltf_fail_lacking(SNI_GLTF_DRACO, error);
}

#endif

// Primitives with the same accessors and the same compressed mesh are decoded once.
static bool is_unpacked(const sni_gltf *gltf, const sn_value *primitive, uint32_t view) {
    uint32_t accessor = (uint32_t)sn_value_number(sn_value_get(primitive, "indices"), 0);
    const sni_gltf_unpacked *unpacked = &gltf->unpacked_accessors[accessor];
    return unpacked->bytes != NULL && unpacked->view == view;
}

sn_status sni_gltf_unpack_mesh(sni_gltf *gltf, const sn_value *primitive, sn_error *error) {
    const sn_value *packed = sni_gltf_extension(primitive, SNI_GLTF_DRACO);
    const sn_value *attributes;
    uint32_t view;
    bool needed;
    sn_status status = SN_OK;
    if (packed == NULL) {
        return SN_OK;
    }
    SN_TRY(sni_gltf_get_object(gltf, packed, "attributes", &attributes, error));
    SN_TRY(sni_gltf_get_index(gltf, packed, "bufferView", SNI_GLTF_VIEWS, true, &view, error));
    SN_TRY(needs_unpacking(gltf, primitive, attributes, &needed, error));
    if (needed && !is_unpacked(gltf, primitive, view)) {
        status = unpack(gltf, primitive, packed, view, error);
        return status == SN_OK ? status : at_view(gltf, view, status, error);
    }
cleanup:
    return status;
}
