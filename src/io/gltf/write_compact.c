// SPDX-License-Identifier: Apache-2.0
//
// Numbers in fewer bits. A normalised integer i of n bits stands for i / (2^n - 1), or, signed, for
// i / (2^(n-1) - 1) (glTF 2.0, section 3.11). Floats that are such fractions are written as the
// integers and read back with the same bits; whoever wants small files rounds numbers to them
// first.
#include "io/gltf/writer.h"

#include <math.h>
#include <string.h>

typedef struct narrow {
    sni_gltf_component component;
    float steps;
    bool is_signed;
} narrow;

static const narrow narrows[] = {{SNI_GLTF_UINT8, 255, false},
                                 {SNI_GLTF_INT8, 127, true},
                                 {SNI_GLTF_UINT16, 65535, false},
                                 {SNI_GLTF_INT16, 32767, true}};

// The narrowest integers that give the same floats; NULL where there are none.
static const narrow *find_narrow(const float *values, size_t count, bool is_signed) {
    for (size_t n = 0; n < sizeof narrows / sizeof *narrows; ++n) {
        const narrow *type = &narrows[n];
        bool fits = type->is_signed == is_signed;
        for (size_t i = 0; fits && i < count; ++i) {
            float steps = roundf(values[i] * type->steps);
            fits = values[i] <= 1 && values[i] >= (is_signed ? -1 : 0) &&
                   steps / type->steps == values[i];
        }
        if (fits) {
            return type;
        }
    }
    return NULL;
}

static void store(const narrow *type, const float *values, size_t count, void *integers) {
    for (size_t i = 0; i < count; ++i) {
        int steps = (int)roundf(values[i] * type->steps);
        if (type->component == SNI_GLTF_INT8 || type->component == SNI_GLTF_UINT8) {
            ((uint8_t *)integers)[i] = (uint8_t)steps;
        } else {
            ((uint16_t *)integers)[i] = (uint16_t)steps;
        }
    }
}

// The array as integers, which the caller frees; as it is where these would not be the same or the
// file is not compact.
static sn_status make_narrow(sni_gltf_writer *writer, const sni_gltf_array *array, bool is_signed,
                             sni_gltf_array *made, void **integers, sn_error *error) {
    size_t count = (size_t)array->count * array->width;
    const narrow *type = NULL;
    *made = *array;
    *integers = NULL;
    if (writer->compact && array->values != NULL) {
        type = find_narrow(array->values, count, is_signed);
    }
    if (type == NULL) {
        return SN_OK;
    }
    made->component = type->component;
    made->normalized = true;
    *integers = sni_alloc(writer->context, count, sni_gltf_component_bytes(type->component));
    if (*integers == NULL) {
        return sni_fail_memory(error);
    }
    store(type, array->values, count, *integers);
    made->values = *integers;
    writer->quantized = writer->quantized || is_signed;
    return SN_OK;
}

sn_status sni_gltf_put_floats(sni_gltf_writer *writer, const sni_gltf_array *array,
                              bool unsigned_only, uint32_t *accessor, sn_error *error) {
    sni_gltf_array made;
    void *integers = NULL;
    sn_status status = SN_OK;
    SN_TRY(make_narrow(writer, array, !unsigned_only, &made, &integers, error));
    SN_TRY(sni_gltf_put_accessor(writer, &made, accessor, error));
cleanup:
    sni_free(writer->context, integers);
    return status;
}

static bool is_zero(const char *bytes, size_t size) {
    bool zero = true;
    for (size_t i = 0; i < size; ++i) {
        zero = zero && bytes[i] == 0;
    }
    return zero;
}

// Elements that are not zero; they are packed to the front of `packed`.
static uint32_t pack(const sni_gltf_array *array, size_t size, uint32_t *moved, char *packed) {
    const char *bytes = array->values;
    uint32_t count = 0;
    for (uint32_t v = 0; v < array->count; ++v) {
        if (!is_zero(bytes + v * size, size)) {
            memcpy(packed + count * size, bytes + v * size, size);
            moved[count++] = v;
        }
    }
    return count;
}

sn_status sni_gltf_put_offsets(sni_gltf_writer *writer, const sni_gltf_array *array,
                               uint32_t *accessor, sn_error *error) {
    sni_gltf_array made;
    void *integers = NULL;
    uint32_t *moved = NULL;
    char *packed = NULL;
    sn_status status = SN_OK;
    SN_TRY(make_narrow(writer, array, true, &made, &integers, error));
    size_t size = sni_gltf_component_bytes(made.component) * made.width;
    size_t index_size = made.count > UINT16_MAX ? 4 : 2;
    SNI_NEW(writer->context, moved, made.count);
    SNI_NEW(writer->context, packed, made.count * size);
    uint32_t count = pack(&made, size, moved, packed);
    SN_TRY(count * (index_size + size) < made.count * ((size + 3) / 4 * 4)
               ? sni_gltf_put_sparse(writer, &made, moved, packed, count, accessor, error)
               : sni_gltf_put_accessor(writer, &made, accessor, error));
cleanup:
    sni_free(writer->context, integers);
    sni_free(writer->context, moved);
    sni_free(writer->context, packed);
    return status;
}

void sni_gltf_round_to_bytes(const sni_gltf_writer *writer, float *values, size_t count) {
    for (size_t i = 0; writer->compact && i < count; ++i) {
        values[i] = roundf(fmaxf(-1, fminf(1, values[i])) * 127) / 127;
    }
}
