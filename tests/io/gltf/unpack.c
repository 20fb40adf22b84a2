// SPDX-License-Identifier: Apache-2.0
//
// Compressed glTF models: Draco meshes and buffers of meshoptimizer. tests/decoders compares what
// is read here with the decoders of three.js.
#include "text.h"

#include <math.h>
#include <sys/stat.h>

static void write_numbers(const char *folder, uint32_t mesh, const char *kind, const void *numbers,
                          size_t count) {
    char path[600];
    snprintf(path, sizeof path, "%s/%u.%s", folder, mesh, kind);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(numbers, 4, count, file), count);
    assert_int_equal(fclose(file), 0);
}

// Leaves positions and faces for tests/decoders/compare.mjs.
static void write_meshes(const sn_import *import, const char *name, const char *model) {
    const char *out = getenv("SNT_DECODED_OUT");
    char folder[500], path[600];
    if (out == NULL) {
        return;
    }
    snprintf(folder, sizeof folder, "%s/%s", out, name);
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/path", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s", model);
    assert_int_equal(fclose(file), 0);
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        const sn_mesh *mesh = import->meshes[i];
        write_numbers(folder, i, "positions", mesh->positions, 3 * (size_t)mesh->vertex_count);
        write_numbers(folder, i, "faces", mesh->corners, mesh->corner_count);
    }
}

static sn_import *read_model(sn_context *context, const char *path) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    return import;
}

// The nearest vertex of the plain model, by position.
static uint32_t find_vertex(const sn_mesh *mesh, const float *point, double *distance) {
    uint32_t best = 0;
    *distance = INFINITY;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            double d = (double)mesh->positions[3 * (size_t)i + k] - (double)point[k];
            sum += d * d;
        }
        if (sum < *distance) {
            *distance = sum;
            best = i;
        }
    }
    *distance = sqrt(*distance);
    return best;
}

static double weight_of(const sn_weights *weights, uint32_t vertex, const char *bone) {
    double sum = 0;
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        sum += strcmp(weights->bone_names[weights->bones[i]], bone) == 0 ? weights->values[i] : 0;
    }
    return sum;
}

// The same model compressed and plain: vertices stand in another order, at places that differ by
// the steps of the compression, with weights that differ as little.
static void reads_a_draco_model(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *path = snt_data("rigs/draco/CesiumMan.gltf");
    sn_import *packed = read_model(context, path);
    sn_import *plain = read_model(context, snt_data("gltf/CesiumMan.glb"));
    write_meshes(packed, "draco", path);
    const sn_mesh *a = packed->meshes[0], *b = plain->meshes[0];
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->weights->bone_count, b->weights->bone_count);
    assert_non_null(sn_mesh_find_attribute(a, "uv"));
    assert_non_null(sn_mesh_find_attribute(a, "normal"));
    for (uint32_t i = 0; i < a->vertex_count; i += 7) {
        double distance;
        uint32_t same = find_vertex(b, a->positions + 3 * (size_t)i, &distance);
        snt_near(distance, 0, 2e-3);
        double total = 0, difference = 0;
        for (uint32_t k = 0; k < b->weights->bone_count; ++k) {
            const char *bone = b->weights->bone_names[k];
            total += weight_of(a->weights, i, bone);
            difference += fabs(weight_of(a->weights, i, bone) - weight_of(b->weights, same, bone));
        }
        snt_near(total, 1, 0.02);
        if (distance < 1e-3) {
            snt_near(difference, 0, 0.1);
        }
    }
    sn_import_destroy(packed);
    sn_import_destroy(plain);
    snt_context_end(context);
}

// Its numbers come from the file: counts and bounds are those that its accessors state.
static void reads_a_meshopt_model(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *path = snt_data("rigs/meshopt/DragonAttenuation.gltf");
    sn_import *import = read_model(context, path);
    write_meshes(import, "meshopt", path);
    assert_int_equal(import->mesh_count, 2);
    const sn_mesh *dragon = import->meshes[1];
    assert_int_equal(dragon->vertex_count, 76809);
    assert_int_equal(dragon->face_count, 273648 / 3);
    float high[3] = {0}, low[3] = {1e9f, 1e9f, 1e9f};
    for (size_t i = 0; i < 3 * (size_t)dragon->vertex_count; ++i) {
        high[i % 3] = fmaxf(high[i % 3], dragon->positions[i]);
        low[i % 3] = fminf(low[i % 3], dragon->positions[i]);
    }
    static const float expected[3] = {15634, 6991, 11026};
    for (int k = 0; k < 3; ++k) {
        assert_true(low[k] == 0 && high[k] == expected[k]);
    }
    const sn_attribute *normal = sn_mesh_find_attribute(dragon, "normal");
    for (size_t i = 0; i < dragon->vertex_count; ++i) {
        const float *n = normal->values + 3 * i;
        snt_near(sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])), 1, 0.02);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Small files: two unit squares side by side, vertices (x, y) with x from 0 to 2, of which the left
// ones follow "root", the right ones "tip", and those between both.

static const char *corpus(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "tests/fuzz/corpus/gltf/%s", name);
    return snt_source(path);
}

static void assert_squares(const sn_mesh *mesh, double unit, double tolerance) {
    assert_int_equal(mesh->vertex_count, 6);
    for (uint32_t i = 0; i < 6; ++i) {
        const float *p = mesh->positions + 3 * (size_t)i;
        double x = round(p[0] / unit), y = round(p[1] / unit);
        assert_true(x >= 0 && x <= 2 && y >= 0 && y <= 1);
        snt_near(p[0] / unit, x, tolerance);
        snt_near(p[1] / unit, y, tolerance);
        snt_near(p[2], 0, tolerance);
        snt_near(weight_of(mesh->weights, i, "tip"), x / 2, 5e-3);
        snt_near(weight_of(mesh->weights, i, "root"), 1 - x / 2, 5e-3);
    }
    double area = 0;
    for (uint32_t f = 0; f < 4; ++f) {
        const float *p[3];
        for (uint32_t k = 0; k < 3; ++k) {
            p[k] = mesh->positions + 3 * (size_t)mesh->corners[3 * f + k];
        }
        double z = (double)(p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                   (double)(p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        assert_true(z > 0);
        area += z / 2;
    }
    snt_near(area / (unit * unit), 2, 10 * tolerance);
}

static void reads_both_draco_methods(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const char *const names[] = {"draco.glb", "draco-sequential.glb"};
    for (int i = 0; i < 2; ++i) {
        sn_import *import = read_model(context, corpus(names[i]));
        assert_int_equal(import->meshes[0]->face_count, 4);
        assert_squares(import->meshes[0], 1, 2e-4); // 14 bits
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

// Every mode and filter: vertices, triangles and lines, normals (octahedral), rotations
// (quaternion), translations (exponential).
static void reads_all_of_meshopt(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import = read_model(context, corpus("meshopt.glb"));
    const sn_mesh *mesh = import->meshes[0];
    assert_squares(mesh, 1000, 0);
    assert_int_equal(mesh->face_count, 7);
    static const uint32_t lines[] = {0, 1, 2, 5, 4, 3};
    assert_memory_equal(mesh->corners + 12, lines, sizeof lines);
    const sn_attribute *normal = sn_mesh_find_attribute(mesh, "normal");
    for (size_t i = 0; i < 6; ++i) {
        snt_near(normal->values[3 * i], 0, 1e-6);
        snt_near(normal->values[3 * i + 2], 1, 1e-6);
    }
    assert_int_equal(import->clip_count, 1);
    const sn_clip *clip = import->clips[0];
    assert_int_equal(clip->frame_count, 31);
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        const sn_track *track = &clip->tracks[i];
        if (track->kind == SN_TRACK_ROTATION) {
            snt_near(track->values[4 + 2], sqrt(0.5), 1e-4);
            snt_near(track->values[4 + 3], sqrt(0.5), 1e-4);
        } else {
            snt_near(track->values[3], 1, 1e-4);
            snt_near(track->values[3 + 1], 0.5, 1e-4);
        }
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Damage

typedef struct blob {
    char *bytes;
    size_t size, binary; // where the binary chunk begins
} blob;

static blob load(const char *path) {
    blob b = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    b.bytes = malloc(1 << 16);
    b.size = fread(b.bytes, 1, 1 << 16, file);
    fclose(file);
    uint32_t json;
    memcpy(&json, b.bytes + 12, 4);
    b.binary = 20 + json + 8;
    return b;
}

// Whatever the compressed bytes are, an import gives a valid result or one line.
static void survives_damage(void **state) {
    (void)state;
    static const char *const names[] = {"draco.glb", "draco-sequential.glb", "meshopt.glb"};
    sn_context *context = snt_context(1);
    uint32_t refused = 0;
    for (int n = 0; n < 3; ++n) {
        blob b = load(corpus(names[n]));
        for (size_t i = b.binary; i < b.size; ++i) {
            for (int bit = 0; bit < 8; ++bit) {
                sn_import *import = NULL;
                sn_error error = {0};
                b.bytes[i] ^= (char)(1 << bit);
                sn_status status =
                    sn_import_memory(context, names[n], b.bytes, b.size, &import, &error);
                assert_int_equal(status, error.status);
                assert_true((status == SN_OK) == (import != NULL));
                refused += status != SN_OK;
                sn_import_destroy(import);
                b.bytes[i] ^= (char)(1 << bit);
            }
        }
        free(b.bytes);
    }
    assert_true(refused > 100);
    snt_context_end(context);
}

// Puts `text` in the place of `known` in the JSON of a small file, of the same length.
static void refuses(const char *name, const char *known, const char *text, sn_status status,
                    const char *message) {
    sn_context *context = snt_context(1);
    blob b = load(corpus(name));
    assert_int_equal(strlen(known), strlen(text));
    size_t at = 20;
    while (at < b.binary && memcmp(b.bytes + at, known, strlen(known)) != 0) {
        ++at;
    }
    assert_true(at < b.binary);
    memcpy(b.bytes + at, text, strlen(text));
    sn_import *import = NULL;
    snt_fails(status, message, sn_import_memory(context, name, b.bytes, b.size, &import, error));
    free(b.bytes);
    snt_context_end(context);
}

static void names_what_is_wrong(void **state) {
    (void)state;
    refuses("meshopt.glb", "\"ATTRIBUTES\"", "\"ATTRIBUTEZ\"", SN_INVALID,
            "meshopt.glb: buffer view 0: unknown mode \"ATTRIBUTEZ\" of compression");
    refuses("meshopt.glb", "\"OCTAHEDRAL\"", "\"OKTAHEDRAL\"", SN_INVALID,
            "buffer view 1: unknown filter \"OKTAHEDRAL\" of compression");
    refuses("meshopt.glb", "\"byteStride\":8,\"mode\"", "\"byteStride\":6,\"mode\"", SN_INVALID,
            "buffer view 0: a byteStride of 6 does not go with ATTRIBUTES and filter NONE");
    refuses("meshopt.glb", "\"count\":6", "\"count\":9", SN_INVALID,
            "buffer view 0: 9 elements of 8 bytes are compressed, but byteLength is 48");
    refuses("draco.glb", "\"JOINTS_0\":1,\"WEIGHTS_0\":2}}", "\"JOINTS_0\":7,\"WEIGHTS_0\":2}}",
            SN_INVALID,
            "draco.glb: buffer view 0: JOINTS_0: its Draco data has no attribute of this "
            "number");
    refuses("draco.glb", "\"VEC3\"", "\"VEC4\"", SN_INVALID,
            "buffer view 0: POSITION: its Draco data has another number of components");
    refuses("draco.glb", "\"componentType\":5123", "\"componentType\":5126", SN_INVALID,
            "indices of componentType 5126 cannot name the 6 vertices of its Draco data");
}

// The number of faces stands at the begin of the data: a large one is refused before memory for
// it is asked for.
static void refuses_sizes_out_of_proportion(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    blob b = load(corpus("draco-sequential.glb"));
    assert_memory_equal(b.bytes + b.binary, "DRACO", 5);
    memcpy(b.bytes + b.binary + 11, "\x83\xff\xff\x7f", 4);
    sn_import *import = NULL;
    snt_fails(SN_LIMIT, "buffer view 0: its Draco data says that it has",
              sn_import_memory(context, "large.glb", b.bytes, b.size, &import, error));
    free(b.bytes);
    snt_context_end(context);
}

static sn_status read_blob(sn_context *context, void *user, sn_error *error) {
    const blob *b = user;
    sn_import *import = NULL;
    sn_status status = sn_import_memory(context, "a.glb", b->bytes, b->size, &import, error);
    sn_import_destroy(import);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    static const char *const names[] = {"draco.glb", "meshopt.glb"};
    for (int i = 0; i < 2; ++i) {
        blob b = load(corpus(names[i]));
        snt_fail_allocations(read_blob, &b);
        free(b.bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_draco_methods),
        cmocka_unit_test(reads_all_of_meshopt),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(refuses_sizes_out_of_proportion),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(reads_a_draco_model),
        cmocka_unit_test(reads_a_meshopt_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
