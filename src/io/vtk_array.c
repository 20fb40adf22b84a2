// SPDX-License-Identifier: Apache-2.0
//
// Layout of the bytes (VTK's "XML File Formats", and vtkXMLDataParser):
//
//     plain:   [bytes] data
//     packed:  [blocks] [block size] [size of a last, partial block, or 0] [packed size of each]
//              block block ...
//
// where [x] is an unsigned integer of the file's header_type in its byte order. In base64 the
// header may end with padding of its own; the data then begins in a new group of four letters.
#include "io/vtk_array.h"

#include "base/number.h"
#include "io/base64.h"
#include "io/bytes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

// Deflate packs at most 1032 to 1 (zlib's technical details): more is not in the file.
static const uint64_t unpack_ratio_max = 1032;

// ---------------------------------------------------------------------------------------------
// Types

typedef struct number_type {
    const char *name;
    unsigned bytes;
    bool integer, is_signed;
} number_type;

static const number_type number_types[] = {
    {"Float32", 4, false, true}, {"Float64", 8, false, true}, {"Int8", 1, true, true},
    {"UInt8", 1, true, false},   {"Int16", 2, true, true},    {"UInt16", 2, true, false},
    {"Int32", 4, true, true},    {"UInt32", 4, true, false},  {"Int64", 8, true, true},
    {"UInt64", 8, true, false},
};

static sn_status find_type(const sni_xml_element *element, const number_type **type,
                           sn_error *error) {
    const char *name = sni_xml_value(element, "type");
    for (size_t i = 0; name != NULL && i < sizeof number_types / sizeof *number_types; ++i) {
        if (strcmp(number_types[i].name, name) == 0) {
            *type = &number_types[i];
            return SN_OK;
        }
    }
    if (name == NULL) {
        return sni_xml_fail(element, error, SN_SYNTAX, "an array without type");
    }
    return sni_xml_fail(element, error, SN_UNSUPPORTED,
                        "numbers of type \"%.40s\" are not read; Float32, Float64, Int8 to Int64 "
                        "and UInt8 to UInt64 are",
                        name);
}

static double number_of_bytes(const number_type *type, const void *bytes, bool big_endian) {
    uint64_t bits = sni_bytes_load(bytes, type->bytes, big_endian);
    if (!type->integer) {
        return type->bytes == 4 ? (double)sni_bytes_to_float((uint32_t)bits)
                                : sni_bytes_to_double(bits);
    }
    if (!type->is_signed) {
        return (double)bits;
    }
    unsigned shift = 64 - 8 * type->bytes; // spreads the sign
    return (double)((int64_t)(bits << shift) >> shift);
}

// ---------------------------------------------------------------------------------------------
// Bytes, raw or as base64

typedef struct byte_stream {
    const char *at, *end;
    bool base64;
    bool wrong;            // a letter that is none of base64
    unsigned char rest[3]; // decoded and not yet taken
    unsigned rest_used, rest_count;
} byte_stream;

// Four letters, three bytes; one or two '=' at the end stand for missing bytes.
static bool decode_group(byte_stream *stream) {
    uint32_t bits = 0;
    unsigned letters = 0, padding = 0;
    while (letters < 4) {
        if (stream->at == stream->end) {
            return false;
        }
        char c = *stream->at++;
        if (sni_text_is_blank(c) || sni_text_is_break(c)) {
            continue;
        }
        int digit = sni_base64_digit(c);
        bool is_padding = c == '=' && letters >= 2;
        if ((digit < 0 && !is_padding) || (padding > 0 && !is_padding)) {
            stream->wrong = true;
            return false;
        }
        padding += is_padding ? 1 : 0;
        bits = bits << 6 | (is_padding ? 0 : (uint32_t)digit);
        ++letters;
    }
    for (int i = 0; i < 3; ++i) {
        stream->rest[i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    stream->rest_used = 0;
    stream->rest_count = 3 - padding;
    return true;
}

static bool take_bytes(byte_stream *stream, unsigned char *bytes, size_t count) {
    if (!stream->base64) {
        if ((size_t)(stream->end - stream->at) < count) {
            return false;
        }
        memcpy(bytes, stream->at, count);
        stream->at += count;
        return true;
    }
    for (size_t i = 0; i < count; ++i) {
        if (stream->rest_used == stream->rest_count && !decode_group(stream)) {
            return false;
        }
        bytes[i] = stream->rest[stream->rest_used++];
    }
    return true;
}

// No more than this can still be taken.
static uint64_t bytes_left(const byte_stream *stream) {
    uint64_t left = (uint64_t)(stream->end - stream->at);
    return stream->base64 ? left / 4 * 3 + (stream->rest_count - stream->rest_used) : left;
}

static sn_status fail_short(const byte_stream *stream, const sni_xml_element *element,
                            sn_error *error) {
    if (stream->wrong) {
        char c = stream->at[-1];
        return sni_xml_fail(element, error, SN_SYNTAX,
                            "the data holds the byte 0x%02x, which is not base64",
                            (unsigned)(unsigned char)c);
    }
    return sni_xml_fail(element, error, SN_SYNTAX, "the data ends too early");
}

// ---------------------------------------------------------------------------------------------
// The bytes of an array

typedef struct byte_array {
    unsigned char *bytes;
    size_t size;
} byte_array;

typedef struct array_reader {
    const sni_vtk_encoding *encoding;
    const sni_xml_element *element;
    byte_stream stream;
    sn_error *error;
} array_reader;

static sn_status read_header_word(array_reader *reader, uint64_t *word) {
    unsigned char bytes[8];
    if (!take_bytes(&reader->stream, bytes, reader->encoding->header_bytes)) {
        return fail_short(&reader->stream, reader->element, reader->error);
    }
    *word = sni_bytes_load(bytes, reader->encoding->header_bytes, reader->encoding->big_endian);
    return SN_OK;
}

static sn_status make_bytes(array_reader *reader, uint64_t size, byte_array *array) {
    sn_error *error = reader->error;
    array->bytes = size < SIZE_MAX ? sni_alloc(reader->encoding->context, (size_t)size, 1) : NULL;
    array->size = (size_t)size;
    return array->bytes != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status read_plain(array_reader *reader, byte_array *array) {
    sn_status status = SN_OK;
    uint64_t size;
    SN_TRY(read_header_word(reader, &size));
    if (size > bytes_left(&reader->stream)) {
        return sni_xml_fail(reader->element, reader->error, SN_SYNTAX,
                            "the array has %llu bytes, but at most %llu follow",
                            (unsigned long long)size,
                            (unsigned long long)bytes_left(&reader->stream));
    }
    SN_TRY(make_bytes(reader, size, array));
    if (!take_bytes(&reader->stream, array->bytes, array->size)) {
        status = fail_short(&reader->stream, reader->element, reader->error);
    }
cleanup:
    return status;
}

static void *allocate_for_zlib(void *context, unsigned count, unsigned size) {
    return sni_alloc(context, count, size);
}

static void free_for_zlib(void *context, void *memory) {
    sni_free(context, memory);
}

// One block, which unpacks to exactly `size` bytes.
static sn_status unpack_block(array_reader *reader, uint64_t number, const byte_array *packed,
                              unsigned char *bytes, size_t size) {
    z_stream zlib = {.zalloc = allocate_for_zlib,
                     .zfree = free_for_zlib,
                     .opaque = reader->encoding->context,
                     .next_in = packed->bytes,
                     .avail_in = (unsigned)packed->size};
    sn_error *error = reader->error;
    if (inflateInit(&zlib) != Z_OK) {
        return sni_fail_memory(error);
    }
    zlib.next_out = bytes;
    zlib.avail_out = (unsigned)size;
    int result = inflate(&zlib, Z_FINISH);
    size_t made = size - zlib.avail_out;
    inflateEnd(&zlib);
    if (result == Z_MEM_ERROR) {
        return sni_fail_memory(error);
    }
    if (result != Z_STREAM_END || made != size) {
        return sni_xml_fail(reader->element, error, SN_SYNTAX,
                            "block %llu does not unpack to %zu bytes", (unsigned long long)number,
                            size);
    }
    return SN_OK;
}

typedef struct pack_header {
    uint64_t count;      // blocks
    uint64_t size;       // bytes of a whole block when unpacked
    uint64_t last;       // of the last one
    uint64_t *packed;    // count: bytes of each as packed
    uint64_t total;      // unpacked
    uint64_t packed_max; // of `packed`
} pack_header;

static sn_status read_packed_sizes(array_reader *reader, pack_header *header) {
    sn_status status = SN_OK;
    uint64_t packed_total = 0;
    sn_error *error = reader->error;
    if (header->count > bytes_left(&reader->stream) / reader->encoding->header_bytes) {
        return sni_xml_fail(reader->element, error, SN_SYNTAX,
                            "%llu packed blocks are more than the data holds",
                            (unsigned long long)header->count);
    }
    SNI_NEW(reader->encoding->context, header->packed, (size_t)header->count);
    for (uint64_t i = 0; i < header->count; ++i) {
        SN_TRY(read_header_word(reader, &header->packed[i]));
        if (header->packed[i] > bytes_left(&reader->stream) || header->packed[i] > UINT32_MAX) {
            status = sni_xml_fail(reader->element, error, SN_SYNTAX,
                                  "packed block %llu has %llu bytes, but at most %llu follow",
                                  (unsigned long long)i, (unsigned long long)header->packed[i],
                                  (unsigned long long)bytes_left(&reader->stream));
            goto cleanup;
        }
        packed_total += header->packed[i]; // count and each are below 2^61 and 2^32 in one file
        header->packed_max =
            header->packed[i] > header->packed_max ? header->packed[i] : header->packed_max;
    }
    if (header->total / unpack_ratio_max > packed_total) {
        status =
            sni_xml_fail(reader->element, error, SN_SYNTAX, "%llu packed bytes cannot hold %llu",
                         (unsigned long long)packed_total, (unsigned long long)header->total);
    }
cleanup:
    return status;
}

static sn_status read_pack_header(array_reader *reader, pack_header *header) {
    sn_status status = SN_OK;
    SN_TRY(read_header_word(reader, &header->count));
    if (header->count == 0) {
        return SN_OK; // an empty array; some programs write nothing more
    }
    SN_TRY(read_header_word(reader, &header->size));
    SN_TRY(read_header_word(reader, &header->last));
    if (header->size > UINT32_MAX || header->last > header->size ||
        __builtin_mul_overflow(header->count - (header->last > 0 ? 1 : 0), header->size,
                               &header->total) ||
        __builtin_add_overflow(header->total, header->last, &header->total)) {
        return sni_xml_fail(reader->element, reader->error, SN_SYNTAX,
                            "%llu blocks of %llu bytes, the last of %llu",
                            (unsigned long long)header->count, (unsigned long long)header->size,
                            (unsigned long long)header->last);
    }
    header->last = header->last > 0 ? header->last : header->size;
    SN_TRY(read_packed_sizes(reader, header));
cleanup:
    return status;
}

static sn_status read_packed(array_reader *reader, byte_array *array) {
    sn_status status = SN_OK;
    sn_error *error = reader->error;
    sn_context *context = reader->encoding->context;
    pack_header header = {0};
    byte_array packed = {0};
    SN_TRY(read_pack_header(reader, &header));
    SN_TRY(make_bytes(reader, header.total, array));
    SNI_NEW(context, packed.bytes, (size_t)header.packed_max);
    for (uint64_t i = 0; i < header.count; ++i) {
        packed.size = (size_t)header.packed[i];
        if (!take_bytes(&reader->stream, packed.bytes, packed.size)) {
            status = fail_short(&reader->stream, reader->element, error);
            goto cleanup;
        }
        size_t size = (size_t)(i + 1 < header.count ? header.size : header.last);
        SN_TRY(unpack_block(reader, i, &packed, array->bytes + i * header.size, size));
    }
cleanup:
    sni_free(context, header.packed);
    sni_free(context, packed.bytes);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Numbers

static sn_status read_binary(array_reader *reader, const number_type *type, sni_vtk_array *array) {
    sn_status status = SN_OK;
    sn_error *error = reader->error;
    sn_context *context = reader->encoding->context;
    byte_array data = {0};
    SN_TRY(reader->encoding->compressed ? read_packed(reader, &data) : read_plain(reader, &data));
    if (data.size % type->bytes != 0) {
        status = sni_xml_fail(reader->element, error, SN_SYNTAX,
                              "%zu bytes are no whole number of %s", data.size, type->name);
        goto cleanup;
    }
    array->count = data.size / type->bytes;
    SNI_NEW(context, array->values, array->count);
    for (size_t i = 0; i < array->count; ++i) {
        array->values[i] =
            number_of_bytes(type, data.bytes + i * type->bytes, reader->encoding->big_endian);
    }
cleanup:
    sni_free(context, data.bytes);
    return status;
}

// How many words a text has: no more numbers than that.
static size_t count_words(sni_text text) {
    size_t count = 0;
    for (sni_text_skip_space(&text); text.at < text.end; sni_text_skip_space(&text)) {
        sni_text_word(&text);
        ++count;
    }
    return count;
}

static sn_status read_ascii(const sni_vtk_encoding *encoding, sni_vtk_array *array,
                            sn_error *error) {
    sn_status status = SN_OK;
    sni_text text = sni_xml_text(array->element);
    size_t count = count_words(text);
    const char *name = sni_xml_value(array->element, "Name");
    char what[96];
    snprintf(what, sizeof what, "%s of %s \"%.40s\"", array->integer ? "an integer" : "a number",
             array->element->parent != NULL ? array->element->parent->name : "",
             name != NULL ? name : "");
    SNI_NEW(encoding->context, array->values, count);
    for (; array->count < count; ++array->count) {
        double *value = &array->values[array->count];
        sni_text_skip_space(&text);
        sni_text before = text;
        SN_TRY(sni_text_double(&text, what, value, error));
        if (array->integer && *value != floor(*value)) {
            status = sni_text_fail(&before, error, SN_SYNTAX, "expected %s, found %s", what,
                                   sni_text_found(&before).text);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Where they stand

static sn_status find_appended(array_reader *reader) {
    const sni_vtk_encoding *encoding = reader->encoding;
    const char *text = sni_xml_value(reader->element, "offset");
    if (encoding->appended == NULL) {
        return sni_xml_fail(reader->element, reader->error, SN_SYNTAX,
                            "the array is in the appended data, but the file has none");
    }
    uint32_t offset;
    const char *end = text != NULL ? text + strlen(text) : NULL;
    if (text == NULL || sni_number_read_uint(text, end, &offset) != end) {
        return sni_xml_fail(reader->element, reader->error, SN_SYNTAX,
                            "expected an offset into the appended data, found \"%.40s\"",
                            text != NULL ? text : "");
    }
    if (offset > encoding->appended_size) {
        return sni_xml_fail(reader->element, reader->error, SN_SYNTAX,
                            "the offset %u lies behind the %zu bytes of appended data", offset,
                            encoding->appended_size);
    }
    reader->stream = (byte_stream){.at = encoding->appended + offset,
                                   .end = encoding->appended + encoding->appended_size,
                                   .base64 = encoding->appended_base64};
    return SN_OK;
}

sn_status sni_vtk_array_read(const sni_vtk_encoding *encoding, const sni_xml_element *element,
                             sni_vtk_array *array, sn_error *error) {
    sn_status status = SN_OK;
    const number_type *type;
    const char *format = sni_xml_value(element, "format");
    array_reader reader = {.encoding = encoding, .element = element, .error = error};
    *array = (sni_vtk_array){.element = element};
    SN_TRY(find_type(element, &type, error));
    array->integer = type->integer;
    if (format == NULL || strcmp(format, "ascii") == 0) {
        SN_TRY(read_ascii(encoding, array, error));
    } else if (strcmp(format, "binary") == 0) {
        reader.stream = (byte_stream){
            .at = element->text, .end = element->text + element->text_length, .base64 = true};
        SN_TRY(read_binary(&reader, type, array));
    } else if (strcmp(format, "appended") == 0) {
        SN_TRY(find_appended(&reader));
        SN_TRY(read_binary(&reader, type, array));
    } else {
        status =
            sni_xml_fail(element, error, SN_SYNTAX,
                         "expected the format ascii, binary or appended, found \"%.40s\"", format);
    }
cleanup:
    if (status != SN_OK) {
        sni_vtk_array_deinit(encoding->context, array);
    }
    return status;
}

void sni_vtk_array_deinit(sn_context *context, sni_vtk_array *array) {
    sni_free(context, array->values);
    *array = (sni_vtk_array){0};
}

// ---------------------------------------------------------------------------------------------
// Attributes of the file

// One of two words, or the default where there is no such attribute. True for the second.
static sn_status choose(const sni_xml_element *file, const char *name, const char *const words[2],
                        bool *second, sn_error *error) {
    const char *value = sni_xml_value(file, name);
    *second = value != NULL && strcmp(value, words[1]) == 0;
    if (value == NULL || *second || strcmp(value, words[0]) == 0) {
        return SN_OK;
    }
    return sni_xml_fail(file, error, SN_SYNTAX, "expected the %s %s or %s, found \"%.40s\"", name,
                        words[0], words[1], value);
}

sn_status sni_vtk_encoding_read(sn_context *context, const sni_xml_element *file,
                                sni_vtk_encoding *encoding, sn_error *error) {
    static const char *const orders[] = {"LittleEndian", "BigEndian"};
    static const char *const headers[] = {"UInt32", "UInt64"};
    sn_status status = SN_OK;
    bool wide = false;
    *encoding = (sni_vtk_encoding){.context = context};
    SN_TRY(choose(file, "byte_order", orders, &encoding->big_endian, error));
    SN_TRY(choose(file, "header_type", headers, &wide, error));
    encoding->header_bytes = wide ? 8 : 4;
    const char *compressor = sni_xml_value(file, "compressor");
    encoding->compressed = compressor != NULL && compressor[0] != 0;
    if (encoding->compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0) {
        status = sni_xml_fail(file, error, SN_UNSUPPORTED,
                              "arrays packed by \"%.60s\" are not read; vtkZLibDataCompressor is",
                              compressor);
    }
cleanup:
    return status;
}
