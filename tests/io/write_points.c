// SPDX-License-Identifier: Apache-2.0
//
// Files of moving points, read back by small parsers of their own that share nothing with the
// library.
#include "io_test.h"

#include <float.h>
#include <libgen.h>
#include <math.h>
#include <unistd.h>

enum { FRAMES = 3 };

// Two meshes: a pentagon with a line, a loose point and texture coordinates, and a triangle whose
// name is fit neither for files nor for prims.
typedef struct scene {
    sn_context *context;
    sn_import *imports[2];
    const sn_mesh *meshes[2];
    float points[FRAMES][2][18];
    const float *frames[FRAMES][2];
} scene;

static const char pentagon[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 0.25 0\nv 0 1 0\nv 9 9 9\n"
                               "vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3 4 5/2\nl 1 2\nf 1 2 6\n";
static const char triangle[] = "v 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\n";

static void scene_init(scene *s) {
    memset(s, 0, sizeof *s);
    s->context = snt_context(1);
    s->imports[0] = snt_load(s->context, snt_text("body.obj", pentagon));
    s->imports[1] = snt_load(s->context, snt_text("1 hat.obj", triangle));
    snt_random random = {.state = 11};
    for (int m = 0; m < 2; ++m) {
        s->meshes[m] = s->imports[m]->meshes[0];
        for (int f = 0; f < FRAMES; ++f) {
            s->frames[f][m] = s->points[f][m];
            for (uint32_t i = 0; i < 3 * s->meshes[m]->vertex_count; ++i) {
                s->points[f][m][i] = (float)snt_random_range(&random, -10, 10);
            }
        }
    }
    s->points[1][0][0] = FLT_MAX;
    s->points[1][0][1] = 1e-42f;
    s->points[1][0][2] = -0.0f;
}

static void scene_deinit(scene *s) {
    sn_import_destroy(s->imports[0]);
    sn_import_destroy(s->imports[1]);
    snt_context_end(s->context);
}

static sn_export_desc scene_desc(const scene *s, uint32_t mesh_count) {
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = mesh_count;
    desc.meshes = s->meshes;
    desc.rate = 24;
    desc.first_frame = 10;
    desc.frame_count = FRAMES;
    return desc;
}

static void write_scene(const scene *s, const char *path, uint32_t mesh_count) {
    sn_export_desc desc = scene_desc(s, mesh_count);
    sn_exporter *exporter = NULL;
    snt_ok(sn_exporter_begin(s->context, path, &desc, &exporter, error));
    for (int f = 0; f < FRAMES; ++f) {
        snt_ok(sn_exporter_add(exporter, s->frames[f], error));
        assert_int_not_equal(access(path, F_OK), 0); // nothing before the end
    }
    snt_ok(sn_exporter_end(exporter, error));
}

static uint32_t number_at(const char *bytes, size_t offset, bool big_endian) {
    const unsigned char *b = (const unsigned char *)bytes + offset;
    return big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static float float_at(const char *bytes, size_t offset, bool big_endian) {
    uint32_t bits = number_at(bytes, offset, big_endian);
    float number;
    memcpy(&number, &bits, 4);
    return number;
}

// Asserts that frames of points stand at `offset`.
static void check_frames(const scene *s, int mesh, const char *bytes, size_t size, size_t offset,
                         bool big_endian) {
    uint32_t count = 3 * s->meshes[mesh]->vertex_count;
    assert_int_equal(size, offset + FRAMES * count * 4);
    for (int f = 0; f < FRAMES; ++f) {
        for (uint32_t i = 0; i < count; ++i, offset += 4) {
            float number = float_at(bytes, offset, big_endian);
            assert_memory_equal(&number, &s->points[f][mesh][i], 4);
        }
    }
}

static void check_pc2(const scene *s, int mesh, const char *path) {
    size_t size;
    char *bytes = snt_read(path, &size);
    assert_memory_equal(bytes, "POINTCACHE2\0", 12);
    assert_int_equal(number_at(bytes, 12, false), 1);
    assert_int_equal(number_at(bytes, 16, false), s->meshes[mesh]->vertex_count);
    assert_true(float_at(bytes, 20, false) == 10);
    assert_true(float_at(bytes, 24, false) == 1);
    assert_int_equal(number_at(bytes, 28, false), FRAMES);
    check_frames(s, mesh, bytes, size, 32, false);
    free(bytes);
}

static void writes_pc2(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    write_scene(&s, snt_scratch("one.pc2"), 1);
    check_pc2(&s, 0, snt_scratch("one.pc2"));
    write_scene(&s, snt_scratch("two.PC2"), 2);
    check_pc2(&s, 0, snt_scratch("two.body.PC2"));
    check_pc2(&s, 1, snt_scratch("two.1 hat.PC2"));
    scene_deinit(&s);
}

static void writes_mdd(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    write_scene(&s, snt_scratch("one.mdd"), 1);
    size_t size;
    char *bytes = snt_read(snt_scratch("one.mdd"), &size);
    assert_int_equal(number_at(bytes, 0, true), FRAMES);
    assert_int_equal(number_at(bytes, 4, true), 6);
    for (size_t f = 0; f < FRAMES; ++f) {
        snt_near(float_at(bytes, 8 + 4 * f, true), (10.0 + (double)f) / 24, 1e-7);
    }
    check_frames(&s, 0, bytes, size, 8 + 4 * FRAMES, true);
    free(bytes);
    scene_deinit(&s);
}

// The numbers between `after` and the next `until`, read by strtod.
static size_t numbers_between(const char *text, const char *after, const char *until,
                              float *numbers, size_t capacity) {
    const char *c = strstr(text, after);
    assert_non_null(c);
    c += strlen(after);
    const char *end = strstr(c, until);
    assert_non_null(end);
    size_t count = 0;
    while (c < end) {
        char *behind;
        float number = strtof(c, &behind);
        if (behind == c) {
            ++c;
            continue;
        }
        assert_true(count < capacity);
        numbers[count++] = number;
        c = behind;
    }
    return count;
}

static void check_usda_samples(const scene *s, int mesh, const char *prim) {
    const char *samples = strstr(prim, "point3f[] points.timeSamples = {");
    assert_non_null(samples);
    for (int f = 0; f < FRAMES; ++f) {
        char key[16];
        float numbers[32];
        snprintf(key, sizeof key, " %d: [", 10 + f);
        uint32_t count = 3 * s->meshes[mesh]->vertex_count;
        assert_int_equal(numbers_between(samples, key, "]", numbers, 32), count);
        assert_memory_equal(numbers, s->points[f][mesh], count * sizeof(float));
    }
    const char *extents = strstr(samples, "float3[] extent.timeSamples = {");
    assert_non_null(extents);
    for (int f = 0; f < FRAMES; ++f) {
        char key[16];
        float extent[6];
        snprintf(key, sizeof key, " %d: [", 10 + f);
        assert_int_equal(numbers_between(extents, key, "]", extent, 6), 6);
        for (uint32_t i = 0; i < 3 * s->meshes[mesh]->vertex_count; ++i) {
            assert_true(s->points[f][mesh][i] >= extent[i % 3]);
            assert_true(s->points[f][mesh][i] <= extent[3 + i % 3]);
        }
    }
}

static int balance(const char *text, char open, char close) {
    int depth = 0;
    for (; *text != 0; ++text) {
        depth += (*text == open) - (*text == close);
        assert_true(depth >= 0);
    }
    return depth;
}

static void check_numbers(const char *text, const char *after, const char *until,
                          const float *expected, size_t count) {
    float numbers[64];
    assert_int_equal(numbers_between(text, after, until, numbers, 64), count);
    assert_memory_equal(numbers, expected, count * sizeof(float));
}

static void writes_usda(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    write_scene(&s, snt_scratch("two.usda"), 2);
    size_t size;
    char *text = snt_read(snt_scratch("two.usda"), &size);
    assert_int_equal(strncmp(text, "#usda 1.0\n(\n", 12), 0);
    static const char *const lines[] = {
        "    defaultPrim = \"Root\"\n",  "    upAxis = \"Y\"\n",     "    metersPerUnit = 1\n",
        "    timeCodesPerSecond = 24\n", "    startTimeCode = 10\n", "    endTimeCode = 12\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        assert_non_null(strstr(text, lines[i]));
    }
    assert_int_equal(balance(text, '{', '}'), 0);
    assert_int_equal(balance(text, '(', ')'), 0);
    assert_int_equal(balance(text, '[', ']'), 0);
    const char *body = strstr(text, "def Mesh \"body\"");
    const char *hat = strstr(text, "def Mesh \"_1_hat\"");
    assert_non_null(body);
    assert_non_null(hat);
    // The line is left out; the corner without a texture coordinate gets one at the origin.
    check_numbers(body, "faceVertexCounts = [", "]", (float[]){5, 3}, 2);
    check_numbers(body, "faceVertexIndices = [", "]", (float[]){0, 1, 2, 3, 4, 0, 1, 5}, 8);
    check_numbers(body, "primvars:st = [", "]", (float[]){0, 0, 1, 0, 1, 1, 0, 0}, 8);
    check_numbers(body, "primvars:st:indices = [", "]", (float[]){0, 1, 2, 3, 1, 3, 3, 3}, 8);
    assert_non_null(strstr(body, "interpolation = \"faceVarying\""));
    assert_non_null(strstr(hat, "uniform token subdivisionScheme = \"none\""));
    check_numbers(hat, "faceVertexIndices = [", "]", (float[]){0, 1, 2}, 3);
    assert_null(strstr(hat, "primvars:st"));
    check_usda_samples(&s, 1, hat);
    text[hat - text] = 0;
    check_usda_samples(&s, 0, body);
    free(text);
    scene_deinit(&s);
}

// Values that stay have no samples of their own, and decimals go as far as the tolerance.
static void usda_says_nothing_twice(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    static const float still[9] = {0, 0.5f, -0.0625f, 1, 2, 3, 12.34567f, -9.999999f, 1e-7f};
    float moved[9];
    memcpy(moved, still, sizeof still);
    moved[3] = 1.5f;
    const float *const frames[6] = {still, still, still, moved, moved, still};
    sn_export_desc desc = scene_desc(&s, 1);
    const sn_mesh *meshes[] = {s.meshes[1]};
    desc.meshes = meshes;
    desc.frame_count = 6;
    desc.tolerance = 1e-4;
    sn_exporter *exporter = NULL;
    snt_ok(sn_exporter_begin(s.context, snt_scratch("few.usda"), &desc, &exporter, error));
    for (int f = 0; f < 6; ++f) {
        snt_ok(sn_exporter_add(exporter, &frames[f], error));
    }
    snt_ok(sn_exporter_end(exporter, error));
    size_t size;
    char *text = snt_read(snt_scratch("few.usda"), &size);
    assert_non_null(strstr(text, "points.timeSamples = {\n"
                                 "            10: [(0,0.5,-0.0625),(1,2,3),(12.3457,-10,0)],\n"
                                 "            12: [(0,0.5,-0.0625),(1,2,3),(12.3457,-10,0)],\n"
                                 "            13: [(0,0.5,-0.0625),(1.5,2,3),(12.3457,-10,0)],\n"
                                 "            14: [(0,0.5,-0.0625),(1.5,2,3),(12.3457,-10,0)],\n"
                                 "            15: [(0,0.5,-0.0625),(1,2,3),(12.3457,-10,0)],\n"
                                 "        }\n"));
    // The box does not change.
    assert_non_null(strstr(text, "        float3[] extent = [(0,-10,-0.0625),(12.3457,2,3)]\n"));
    free(text);
    desc.tolerance = -1;
    sn_error refused = {0};
    assert_int_equal(
        sn_exporter_begin(s.context, snt_scratch("no.usda"), &desc, &exporter, &refused),
        SN_INVALID);
    scene_deinit(&s);
}

static void prims_of_one_name_differ(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const char *const names[] = {"a b.obj", "a_b.obj", "a.b.obj", "a_b_2.obj"};
    sn_import *imports[4];
    const sn_mesh *meshes[4];
    const float *frame[4];
    for (int i = 0; i < 4; ++i) {
        imports[i] = snt_load(context, snt_text(names[i], triangle));
        meshes[i] = imports[i]->meshes[0];
        frame[i] = meshes[i]->positions;
    }
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = 4;
    desc.meshes = meshes;
    desc.frame_count = 1;
    sn_exporter *exporter;
    snt_ok(sn_exporter_begin(context, snt_scratch("names.usda"), &desc, &exporter, error));
    snt_ok(sn_exporter_add(exporter, frame, error));
    snt_ok(sn_exporter_end(exporter, error));
    size_t size;
    char *text = snt_read(snt_scratch("names.usda"), &size);
    char found[4][32];
    int count = 0;
    for (const char *c = text; (c = strstr(c, "def Mesh \"")) != NULL;) {
        c += strlen("def Mesh \"");
        assert_true(count < 4);
        assert_int_equal(sscanf(c, "%31[A-Za-z0-9_]", found[count]), 1);
        assert_true(c[strlen(found[count])] == '"');
        for (int i = 0; i < count; ++i) {
            assert_string_not_equal(found[i], found[count]);
        }
        ++count;
    }
    assert_int_equal(count, 4);
    free(text);
    for (int i = 0; i < 4; ++i) {
        sn_import_destroy(imports[i]);
    }
    snt_context_end(context);
}

static void writes_numbered_obj(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    write_scene(&s, snt_scratch("seq.obj"), 1);
    for (int f = 0; f < FRAMES; ++f) {
        char name[32];
        snprintf(name, sizeof name, "seq.%04d.obj", 10 + f);
        size_t size;
        char *text = snt_read(snt_scratch(name), &size);
        uint32_t vertex = 0;
        for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            float p[3];
            if (line[0] == 'v' && line[1] == ' ') {
                char *c = line + 1;
                for (int i = 0; i < 3; ++i) {
                    p[i] = strtof(c, &c);
                }
                assert_memory_equal(p, &s.points[f][0][3 * vertex], sizeof p);
                ++vertex;
            }
        }
        assert_int_equal(vertex, 6);
        free(text);
    }
    assert_int_not_equal(access(snt_scratch("seq.obj"), F_OK), 0);
    scene_deinit(&s);
}

// Files in the scratch folder.
static int count_files(void) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch("x"));
    return snt_count_entries(dirname(folder));
}

static const char *const extensions[] = {".glb", ".usda", ".pc2", ".mdd", ".obj"};

static void cancelling_leaves_nothing(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    int before = count_files();
    for (size_t e = 0; e < sizeof extensions / sizeof *extensions; ++e) {
        for (int frames = 0; frames <= FRAMES; ++frames) {
            char name[32];
            snprintf(name, sizeof name, "cancel%s", extensions[e]);
            sn_export_desc desc = scene_desc(&s, 2);
            sn_exporter *exporter = NULL;
            snt_ok(sn_exporter_begin(s.context, snt_scratch(name), &desc, &exporter, error));
            for (int f = 0; f < frames; ++f) {
                snt_ok(sn_exporter_add(exporter, s.frames[f], error));
            }
            sn_exporter_cancel(exporter);
            assert_int_equal(count_files(), before);
        }
    }
    sn_exporter_cancel(NULL);
    scene_deinit(&s);
}

static void an_old_file_stays_until_the_new_one_is_complete(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("old.pc2"));
    snt_write(path, "old");
    sn_export_desc desc = scene_desc(&s, 1);
    sn_exporter *exporter = NULL;
    snt_ok(sn_exporter_begin(s.context, path, &desc, &exporter, error));
    snt_ok(sn_exporter_add(exporter, s.frames[0], error));
    snt_fails(SN_INVALID, "1 of the 3 frames", sn_exporter_end(exporter, error));
    size_t size;
    char *text = snt_read(path, &size);
    assert_string_equal(text, "old");
    free(text);
    unlink(path);
    scene_deinit(&s);
}

static void refuses_wrong_input(void **state) {
    (void)state;
    scene s;
    scene_init(&s);
    sn_exporter *exporter = NULL;
    sn_export_desc desc = scene_desc(&s, 1);
    desc.check = 0;
    snt_fails(SN_INVALID, "default",
              sn_exporter_begin(s.context, "a.pc2", &desc, &exporter, error));
    desc = scene_desc(&s, 0);
    snt_fails(SN_INVALID, "no mesh",
              sn_exporter_begin(s.context, "a.pc2", &desc, &exporter, error));
    desc = scene_desc(&s, 1);
    desc.rate = 0;
    snt_fails(SN_INVALID, "0 frames per second",
              sn_exporter_begin(s.context, "a.pc2", &desc, &exporter, error));
    desc.rate = NAN;
    snt_fails(SN_INVALID, "nan frames per second",
              sn_exporter_begin(s.context, "a.pc2", &desc, &exporter, error));
    desc = scene_desc(&s, 1);
    desc.frame_count = 0;
    snt_fails(SN_INVALID, "0 frames",
              sn_exporter_begin(s.context, "a.pc2", &desc, &exporter, error));
    desc = scene_desc(&s, 1);
    snt_fails(SN_UNSUPPORTED, "a.abc: moving points \".abc\" are not written; sinew writes",
              sn_exporter_begin(s.context, "a.abc", &desc, &exporter, error));
    snt_fails(SN_IO, "no/such/a.pc2: cannot write",
              sn_exporter_begin(s.context, "no/such/a.pc2", &desc, &exporter, error));
    assert_null(exporter);
    snt_ok(sn_exporter_begin(s.context, snt_scratch("nan.pc2"), &desc, &exporter, error));
    s.points[0][0][7] = NAN;
    snt_fails(SN_INVALID, "vertex 2 of mesh \"body\" is not finite",
              sn_exporter_add(exporter, s.frames[0], error));
    s.points[0][0][7] = 0;
    for (int f = 0; f < FRAMES; ++f) {
        snt_ok(sn_exporter_add(exporter, s.frames[f], error));
    }
    snt_fails(SN_INVALID, "more frames were added than the 3",
              sn_exporter_add(exporter, s.frames[0], error));
    sn_exporter_cancel(exporter);
    scene_deinit(&s);
}

static sn_status write_attempt(sn_context *context, void *user, sn_error *error) {
    sn_import *import = NULL;
    sn_exporter *exporter = NULL;
    sn_status status =
        sn_import_memory(context, "body.obj", pentagon, strlen(pentagon), &import, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_mesh *meshes[] = {import->meshes[0], import->meshes[0]};
    const float *frame[] = {import->meshes[0]->positions, import->meshes[0]->positions};
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = 2;
    desc.meshes = meshes;
    desc.frame_count = 2;
    status = sn_exporter_begin(context, user, &desc, &exporter, error);
    for (int f = 0; f < 2 && status == SN_OK; ++f) {
        status = sn_exporter_add(exporter, frame, error);
    }
    if (status == SN_OK) {
        status = sn_exporter_end(exporter, error);
    } else {
        sn_exporter_cancel(exporter);
    }
    sn_import_destroy(import);
    return status;
}

static void survives_failed_allocations(void **state) {
    (void)state;
    for (size_t e = 0; e < sizeof extensions / sizeof *extensions; ++e) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", snt_scratch("memory"), extensions[e]);
        snt_fail_allocations(write_attempt, path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_pc2),
        cmocka_unit_test(writes_mdd),
        cmocka_unit_test(writes_usda),
        cmocka_unit_test(usda_says_nothing_twice),
        cmocka_unit_test(prims_of_one_name_differ),
        cmocka_unit_test(writes_numbered_obj),
        cmocka_unit_test(cancelling_leaves_nothing),
        cmocka_unit_test(an_old_file_stays_until_the_new_one_is_complete),
        cmocka_unit_test(refuses_wrong_input),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
