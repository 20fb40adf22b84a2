// SPDX-License-Identifier: Apache-2.0
#include "io/gltf/draco.h"

#include <draco/compression/decode.h>
#include <draco/compression/point_cloud/point_cloud_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>

#include <memory>
#include <new>

struct sni_draco {
    std::unique_ptr<draco::Mesh> mesh;
};

// The library throws nothing itself; the standard containers do when memory runs out.
static const char *const no_memory = "there is not enough memory for its Draco data";
static const char *const cut_off = "its Draco data ends within the header";

static void init_buffer(const uint8_t *bytes, size_t size, draco::DecoderBuffer *buffer) {
    buffer->Init(reinterpret_cast<const char *>(bytes), size);
}

// What precedes the connectivity (Draco bitstream specification 2.2, sections 2 and 3).
static const char *skip_header(draco::DecoderBuffer *buffer, draco::DracoHeader *header) {
    if (!draco::PointCloudDecoder::DecodeHeader(buffer, header).ok()) {
        return "this is no Draco data";
    }
    if (header->version_major != 2 || header->version_minor != 2) {
        return "its Draco data is not of version 2.2, the one that glTF has";
    }
    if (header->encoder_type != draco::TRIANGULAR_MESH) {
        return "its Draco data is not a mesh of triangles";
    }
    buffer->set_bitstream_version(DRACO_BITSTREAM_VERSION(2, 2));
    if ((header->flags & METADATA_FLAG_MASK) != 0) {
        draco::GeometryMetadata metadata;
        if (!draco::MetadataDecoder().DecodeGeometryMetadata(buffer, &metadata)) {
            return "the metadata of its Draco data is damaged";
        }
    }
    return nullptr;
}

// Sections 4.1 and 4.3: a sequential mesh begins with its faces and vertices, one of the
// edgebreaker with the kind of traversal, its vertices and faces. Seams of attributes split the
// vertices of the latter, at most until every corner has its own.
static const char *peek(const uint8_t *bytes, size_t size, sni_draco_size *found) {
    draco::DecoderBuffer buffer;
    draco::DracoHeader header;
    uint8_t traversal;
    uint32_t face_count, vertex_count;
    init_buffer(bytes, size, &buffer);
    const char *why = skip_header(&buffer, &header);
    if (why != nullptr) {
        return why;
    }
    if (header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING) {
        if (!draco::DecodeVarint(&face_count, &buffer) ||
            !draco::DecodeVarint(&vertex_count, &buffer)) {
            return cut_off;
        }
        *found = {face_count, vertex_count};
        return nullptr;
    }
    if (!buffer.Decode(&traversal) || !draco::DecodeVarint(&vertex_count, &buffer) ||
        !draco::DecodeVarint(&face_count, &buffer)) {
        return cut_off;
    }
    *found = {face_count, 3 * static_cast<uint64_t>(face_count)};
    return nullptr;
}

const char *sni_draco_peek(const uint8_t *bytes, size_t size, sni_draco_size *found) {
    try {
        return peek(bytes, size, found);
    } catch (const std::exception &) {
        return no_memory;
    }
}

const char *sni_draco_decode(const uint8_t *bytes, size_t size, sni_draco **made) {
    *made = nullptr;
    try {
        draco::DecoderBuffer buffer;
        draco::Decoder decoder;
        init_buffer(bytes, size, &buffer);
        auto result = decoder.DecodeMeshFromBuffer(&buffer);
        if (!result.ok()) {
            return "its Draco data is damaged";
        }
        *made = new sni_draco{std::move(result).value()};
        return nullptr;
    } catch (const std::exception &) {
        return no_memory;
    }
}

void sni_draco_destroy(sni_draco *made) {
    delete made;
}

uint32_t sni_draco_face_count(const sni_draco *made) {
    return made->mesh->num_faces();
}

uint32_t sni_draco_vertex_count(const sni_draco *made) {
    return made->mesh->num_points();
}

void sni_draco_read_faces(const sni_draco *made, uint32_t *vertices) {
    for (uint32_t i = 0; i < made->mesh->num_faces(); ++i) {
        const draco::Mesh::Face &face = made->mesh->face(draco::FaceIndex(i));
        for (uint32_t k = 0; k < 3; ++k) {
            vertices[3 * static_cast<size_t>(i) + k] = face[k].value();
        }
    }
}

template <typename T>
static const char *read_values(const draco::Mesh &mesh, const draco::PointAttribute &attribute,
                               uint32_t width, void *values) {
    T *out = static_cast<T *>(values);
    if (!attribute.is_mapping_identity() && attribute.indices_map_size() < mesh.num_points()) {
        return "its Draco data has vertices without a value";
    }
    for (uint32_t i = 0; i < mesh.num_points(); ++i, out += width) {
        draco::AttributeValueIndex index = attribute.mapped_index(draco::PointIndex(i));
        if (index.value() >= attribute.size() ||
            !attribute.ConvertValue<T>(index, static_cast<int8_t>(width), out)) {
            return "a value of its Draco data does not fit the type of the accessor";
        }
    }
    return nullptr;
}

const char *sni_draco_read_attribute(const sni_draco *made, uint32_t id, uint32_t component,
                                     uint32_t width, void *values) {
    const draco::PointAttribute *attribute = made->mesh->GetAttributeByUniqueId(id);
    if (attribute == nullptr) {
        return "its Draco data has no attribute of this number";
    }
    if (static_cast<uint32_t>(attribute->num_components()) != width) {
        return "its Draco data has another number of components";
    }
    switch (component) {
    case 5120: return read_values<int8_t>(*made->mesh, *attribute, width, values);
    case 5121: return read_values<uint8_t>(*made->mesh, *attribute, width, values);
    case 5122: return read_values<int16_t>(*made->mesh, *attribute, width, values);
    case 5123: return read_values<uint16_t>(*made->mesh, *attribute, width, values);
    case 5125: return read_values<uint32_t>(*made->mesh, *attribute, width, values);
    default: return read_values<float>(*made->mesh, *attribute, width, values);
    }
}
