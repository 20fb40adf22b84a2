// SPDX-License-Identifier: Apache-2.0
//
// Skinned glTF files, read and written, against the formula of the specification, computed here
// from the bytes of the file by other means: own accessors, own sampling, own hierarchy, all in
// double.
//
//     p(v) = sum_j w_j  world(j, t)  inverse_bind(j)  v
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

typedef struct matrix {
    double m[16]; // column-major
} matrix;

static const matrix identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

static matrix multiply(matrix a, matrix b) {
    matrix c;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            double sum = 0;
            for (int k = 0; k < 4; ++k) {
                sum += a.m[4 * k + row] * b.m[4 * column + k];
            }
            c.m[4 * column + row] = sum;
        }
    }
    return c;
}

// --- The file

typedef struct gltf {
    sn_json *json;
    const sn_value *root;
    char *bytes;
    const unsigned char *binary;
} gltf;

static uint32_t u32_at(const void *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

static gltf open_glb(sn_context *context, const char *path) {
    gltf g = {0};
    size_t size;
    g.bytes = read_bytes(path, &size);
    uint32_t length = u32_at(g.bytes + 12);
    snt_ok(sn_json_parse(context, g.bytes + 20, length, &g.json, error));
    g.root = sn_json_root(g.json);
    g.binary = (const unsigned char *)g.bytes + 20 + length + 8;
    return g;
}

static void close_glb(gltf *g) {
    sn_json_destroy(g->json);
    free(g->bytes);
}

static const sn_value *item(const gltf *g, const char *list, double index) {
    return sn_value_at(sn_value_get(g->root, list), (uint32_t)index);
}

static double number_of(const sn_value *object, const char *key, double otherwise) {
    return sn_value_number(sn_value_get(object, key), otherwise);
}

static uint32_t accessor_count(const gltf *g, double index) {
    return (uint32_t)number_of(item(g, "accessors", index), "count", 0);
}

// One number of an accessor.
static double element(const gltf *g, double index, uint32_t row, uint32_t column) {
    const sn_value *accessor = item(g, "accessors", index);
    const sn_value *view = item(g, "bufferViews", number_of(accessor, "bufferView", 0));
    const char *type = sn_value_string(sn_value_get(accessor, "type"), "");
    uint32_t width = strcmp(type, "SCALAR") == 0 ? 1
                     : strcmp(type, "VEC3") == 0 ? 3
                     : strcmp(type, "VEC4") == 0 ? 4
                                                 : 16;
    int component = (int)number_of(accessor, "componentType", 0);
    uint32_t bytes = component == 5126 || component == 5125 ? 4 : component == 5123 ? 2 : 1;
    double stride = number_of(view, "byteStride", width * bytes);
    const unsigned char *at = g->binary + (size_t)number_of(view, "byteOffset", 0) +
                              (size_t)number_of(accessor, "byteOffset", 0) +
                              (size_t)(row * stride) + (size_t)column * bytes;
    bool normalized = sn_value_bool(sn_value_get(accessor, "normalized"), false);
    float single;
    switch (component) {
    case 5126: memcpy(&single, at, 4); return single;
    case 5125: return u32_at(at);
    case 5123: return (at[0] | at[1] << 8) / (normalized ? 65535.0 : 1.0);
    default: return at[0] / (normalized ? 255.0 : 1.0);
    }
}

// --- Its nodes at a time

typedef struct node {
    double translation[3], rotation[4], scale[3];
    matrix own;
    bool has_matrix;
    int parent;
} node;

static void load(const sn_value *values, double *out, uint32_t count) {
    for (uint32_t i = 0; i < count && values != NULL; ++i) {
        out[i] = sn_value_number(sn_value_at(values, i), 0);
    }
}

static uint32_t read_nodes(const gltf *g, node *nodes) {
    const sn_value *list = sn_value_get(g->root, "nodes");
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        const sn_value *value = sn_value_at(list, i);
        nodes[i] = (node){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}, .parent = -1};
        load(sn_value_get(value, "translation"), nodes[i].translation, 3);
        load(sn_value_get(value, "rotation"), nodes[i].rotation, 4);
        load(sn_value_get(value, "scale"), nodes[i].scale, 3);
        nodes[i].has_matrix = sn_value_get(value, "matrix") != NULL;
        load(sn_value_get(value, "matrix"), nodes[i].own.m, 16);
    }
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        const sn_value *children = sn_value_get(sn_value_at(list, i), "children");
        for (uint32_t k = 0; k < sn_value_count(children); ++k) {
            nodes[(int)sn_value_at(children, k)->as.number].parent = (int)i;
        }
    }
    return sn_value_count(list);
}

// Spherical interpolation along the shorter arc, by angles.
static void interpolate(const double *a, const double *b, double t, bool rotation, uint32_t width,
                        double *out) {
    double dot = 0;
    for (uint32_t i = 0; i < width; ++i) {
        dot += a[i] * b[i];
    }
    double sign = rotation && dot < 0 ? -1 : 1;
    double angle = acos(fmin(fabs(dot), 1));
    bool straight = !rotation || angle < 1e-6;
    double from = straight ? 1 - t : sin((1 - t) * angle) / sin(angle);
    double to = straight ? t : sin(t * angle) / sin(angle);
    for (uint32_t i = 0; i < width; ++i) {
        out[i] = from * a[i] + sign * to * b[i];
    }
}

static void sample(const gltf *g, const sn_value *sampler, double time, bool rotation,
                   uint32_t width, double *out) {
    double input = number_of(sampler, "input", 0), output = number_of(sampler, "output", 0);
    uint32_t count = accessor_count(g, input), key = 0;
    while (key + 1 < count && element(g, input, key + 1, 0) <= time) {
        ++key;
    }
    uint32_t next = key + 1 < count ? key + 1 : key;
    double begin = element(g, input, key, 0), end = element(g, input, next, 0);
    double t = next > key ? fmax(0, (time - begin) / (end - begin)) : 0;
    double a[4], b[4];
    for (uint32_t i = 0; i < width; ++i) {
        a[i] = element(g, output, key, i);
        b[i] = element(g, output, next, i);
    }
    interpolate(a, b, t, rotation, width, out);
}

static void animate(const gltf *g, const sn_value *animation, double time, node *nodes) {
    const sn_value *channels = sn_value_get(animation, "channels");
    for (uint32_t i = 0; i < sn_value_count(channels); ++i) {
        const sn_value *channel = sn_value_at(channels, i),
                       *target = sn_value_get(channel, "target");
        const sn_value *sampler = sn_value_at(sn_value_get(animation, "samplers"),
                                              (uint32_t)number_of(channel, "sampler", 0));
        node *n = &nodes[(int)number_of(target, "node", 0)];
        const char *path = sn_value_string(sn_value_get(target, "path"), "");
        if (strcmp(path, "rotation") == 0) {
            sample(g, sampler, time, true, 4, n->rotation);
        } else if (strcmp(path, "translation") == 0) {
            sample(g, sampler, time, false, 3, n->translation);
        } else if (strcmp(path, "scale") == 0) {
            sample(g, sampler, time, false, 3, n->scale);
        }
    }
}

static matrix local_of(const node *n) {
    if (n->has_matrix) {
        return n->own;
    }
    const double *q = n->rotation;
    double l = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double x = q[0] / l, y = q[1] / l, z = q[2] / l, w = q[3] / l;
    const double *s = n->scale, *t = n->translation;
    return (matrix){{(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0],
                     2 * (x * z - y * w) * s[0], 0, 2 * (x * y - z * w) * s[1],
                     (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
                     2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2],
                     (1 - 2 * (x * x + y * y)) * s[2], 0, t[0], t[1], t[2], 1}};
}

static matrix world_of(const node *nodes, int index) {
    matrix world = identity;
    for (int i = index; i >= 0; i = nodes[i].parent) {
        world = multiply(local_of(&nodes[i]), world);
    }
    return world;
}

// --- The comparison

enum { MOST = 256 };

static void expect_points(const gltf *g, const node *nodes, const float *points, uint32_t count) {
    const sn_value *skin = item(g, "skins", 0), *joints = sn_value_get(skin, "joints");
    const sn_value *attributes = sn_value_get(
        sn_value_at(sn_value_get(item(g, "meshes", 0), "primitives"), 0), "attributes");
    double positions = number_of(attributes, "POSITION", 0);
    double bones = number_of(attributes, "JOINTS_0", 0);
    double weights = number_of(attributes, "WEIGHTS_0", 0);
    matrix palette[MOST];
    for (uint32_t j = 0; j < sn_value_count(joints); ++j) {
        matrix inverse_bind;
        for (uint32_t i = 0; i < 16; ++i) {
            inverse_bind.m[i] = element(g, number_of(skin, "inverseBindMatrices", 0), j, i);
        }
        palette[j] =
            multiply(world_of(nodes, (int)sn_value_at(joints, j)->as.number), inverse_bind);
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double worst = 0, diagonal = 0;
    assert_int_equal(accessor_count(g, positions), count);
    for (uint32_t v = 0; v < count; ++v) {
        double sum[3] = {0, 0, 0}, total = 0;
        for (uint32_t k = 0; k < 4; ++k) {
            total += element(g, weights, v, k);
        }
        for (uint32_t k = 0; k < 4; ++k) {
            const double *m = palette[(int)element(g, bones, v, k)].m;
            double w = element(g, weights, v, k) / total;
            double p[3] = {element(g, positions, v, 0), element(g, positions, v, 1),
                           element(g, positions, v, 2)};
            for (int i = 0; i < 3; ++i) {
                sum[i] += w * (m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);
            }
        }
        for (int i = 0; i < 3; ++i) {
            low[i] = fmin(low[i], sum[i]);
            high[i] = fmax(high[i], sum[i]);
            worst = fmax(worst, fabs(sum[i] - points[3 * (size_t)v + i]));
        }
    }
    for (int i = 0; i < 3; ++i) {
        diagonal += (high[i] - low[i]) * (high[i] - low[i]);
    }
    assert_true(diagonal > 0);
    snt_near(worst / sqrt(diagonal), 0, 1e-5);
}

// A model file as a character.
typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} subject;

static subject open_subject(const char *path) {
    subject s = {.context = snt_context(2)};
    sn_import *import;
    snt_ok(sn_import_file(s.context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, "new.sinew.json", &s.character, error));
    sn_import_destroy(import);
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    return s;
}

static void close_subject(subject *s) {
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

// At the beginning, in the middle and at the end of a motion sinew's points are those that the
// file's animation says.
static void compare_motion(subject *s, const sn_motion *motion, const gltf *g, double animation) {
    uint32_t vertices = sn_model_surface(s->model, 0)->mesh->vertex_count;
    uint32_t last = sn_motion_frame_count(motion) - 1;
    for (uint32_t i = 0; i < 3; ++i) {
        node nodes[MOST];
        snt_ok(sn_frame_evaluate(s->frame, motion, i * last / 2, error));
        assert_in_range(read_nodes(g, nodes), 1, MOST);
        animate(g, item(g, "animations", animation), sn_frame_time(s->frame), nodes);
        expect_points(g, nodes, sn_frame_points(s->frame, 0), vertices);
    }
}

// What sinew writes for a motion: the vertices of the input, in their order, moving as evaluated.
static void compare_export(subject *s, const sn_motion *motion, const char *name) {
    const char *path = snt_gltf_output(name);
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = motion;
    desc.last = sn_motion_frame_count(motion) - 1;
    desc.glb = SN_GLB_SKINNED;
    snt_ok(sn_bake(s->frame, &desc, path, NULL, error));
    gltf g = open_glb(s->context, path);
    const sn_mesh *mesh = sn_model_surface(s->model, 0)->mesh;
    const sn_value *attributes = sn_value_get(
        sn_value_at(sn_value_get(item(&g, "meshes", 0), "primitives"), 0), "attributes");
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        for (uint32_t i = 0; i < 3; ++i) {
            assert_true(element(&g, number_of(attributes, "POSITION", 0), v, i) ==
                        mesh->positions[3 * (size_t)v + i]);
        }
    }
    compare_motion(s, motion, &g, 0);
    close_glb(&g);
}

static void compare_file(const char *relative) {
    char path[4096], name[256];
    snprintf(path, sizeof path, "%s", snt_data(relative));
    subject s = open_subject(path);
    gltf g = open_glb(s.context, path);
    node nodes[MOST];
    read_nodes(&g, nodes);
    expect_points(&g, nodes, sn_frame_points(s.frame, 0),
                  sn_model_surface(s.model, 0)->mesh->vertex_count); // at rest
    assert_true(sn_model_clip_count(s.model) > 0);
    for (uint32_t clip = 0; clip < sn_model_clip_count(s.model); ++clip) {
        sn_motion *motion;
        snt_ok(sn_motion_open(s.model, sn_model_clip_name(s.model, clip), &motion, error));
        compare_motion(&s, motion, &g, clip);
        snprintf(name, sizeof name, "%s-%u.glb", strrchr(relative, '/') + 1, clip);
        compare_export(&s, motion, name);
        sn_motion_destroy(motion);
    }
    close_glb(&g);
    close_subject(&s);
}

// All clips of a model in one file, in their order, each moving as evaluated.
static void keeps_all_clips(void **state) {
    (void)state;
    enum { CLIPS = 3 };
    subject s = open_subject(snt_data("gltf/Fox.glb"));
    sn_motion *motions[CLIPS];
    const char *path = snt_gltf_output("fox-clips.glb");
    assert_int_equal(sn_model_clip_count(s.model), CLIPS);
    for (uint32_t i = 0; i < CLIPS; ++i) {
        snt_ok(sn_motion_open(s.model, sn_model_clip_name(s.model, i), &motions[i], error));
    }
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = motions[0];
    desc.last = sn_motion_frame_count(motions[0]) - 1;
    desc.further_count = CLIPS - 1;
    desc.further = (const sn_motion *const *)motions + 1;
    assert_true(sn_bake_is_skinned(s.model, &desc, path));
    snt_ok(sn_bake(s.frame, &desc, path, NULL, error));
    gltf g = open_glb(s.context, path);
    assert_int_equal(sn_value_count(sn_value_get(g.root, "animations")), CLIPS);
    for (uint32_t i = 0; i < CLIPS; ++i) {
        assert_string_equal(sn_value_string(sn_value_get(item(&g, "animations", i), "name"), ""),
                            sn_model_clip_name(s.model, i));
        compare_motion(&s, motions[i], &g, i);
    }
    close_glb(&g);
    // Files of points have no place for them.
    sn_error refused = {0};
    desc.glb = SN_GLB_MORPH;
    assert_false(sn_bake_is_skinned(s.model, &desc, path));
    assert_int_equal(sn_bake(s.frame, &desc, snt_scratch("fox.glb"), NULL, &refused), SN_INVALID);
    for (uint32_t i = 0; i < CLIPS; ++i) {
        sn_motion_destroy(motions[i]);
    }
    close_subject(&s);
}

// Its weights add up to one but for a millionth, which the validator does not accept.
static void weights_of_the_soldier_are_valid(void **state) {
    (void)state;
    subject s = open_subject(snt_data("rigs/Soldier.glb"));
    sn_bake_desc desc = sn_bake_desc_default();
    snt_ok(sn_bake(s.frame, &desc, snt_gltf_output("soldier.glb"), NULL, error));
    close_subject(&s);
}

static void moves_cesium_man(void **state) {
    (void)state;
    compare_file("gltf/CesiumMan.glb");
}

static void moves_the_rigged_figure(void **state) {
    (void)state;
    compare_file("gltf/RiggedFigure.glb");
}

static void moves_the_rigged_cylinder(void **state) {
    (void)state;
    compare_file("gltf/RiggedSimple.glb");
}

static void moves_the_fox(void **state) {
    (void)state;
    compare_file("gltf/Fox.glb");
}

// Motion capture of another skeleton on the human body, every clip from end to end.
static void exports_mocap_on_the_human(void **state) {
    (void)state;
    static const char *const clips[] = {
        "cmu_02_01_walk",
        "cmu_02_03_run_jog",
        "cmu_02_04_jump_balance",
        "cmu_02_05_punch_strike",
        "cmu_02_06_bend_scoop_lift_arm",
        "cmu_13_29_jacks_twists_bend_squats",
        "cmu_16_03_high_jump",
        "cmu_17_10_boxing",
        "cmu_42_01_stretch_head_shoulders_arms_legs",
    };
    subject s = open_subject(snt_data("human/human.glb"));
    for (size_t i = 0; i < sizeof clips / sizeof *clips; ++i) {
        char file[256], name[256];
        sn_motion *motion;
        snprintf(file, sizeof file, "mocap/%s.bvh", clips[i]);
        snprintf(name, sizeof name, "%s.glb", clips[i]);
        snt_ok(sn_motion_open(s.model, snt_data(file), &motion, error));
        compare_export(&s, motion, name);
        sn_motion_destroy(motion);
    }
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_cesium_man),
        cmocka_unit_test(moves_the_rigged_figure),
        cmocka_unit_test(moves_the_rigged_cylinder),
        cmocka_unit_test(moves_the_fox),
        cmocka_unit_test(exports_mocap_on_the_human),
        cmocka_unit_test(keeps_all_clips),
        cmocka_unit_test(weights_of_the_soldier_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
