// SPDX-License-Identifier: Apache-2.0
//
// FBX and Collada as Blender writes them, and what is done to meshes that Assimp splits. Parts skip
// where Blender is not installed, or sinew was built without Assimp.
#define _GNU_SOURCE
#include "io_test.h"

#include "base/file.h"
#include "io/join.h"
#include "motion/skeleton.h"

#include <math.h>
#include <unistd.h>

static bool is_built_in(void) {
    const char *const *extensions = sn_import_extensions();
    for (; *extensions != NULL; ++extensions) {
        if (strcmp(*extensions, ".fbx") == 0) {
            return true;
        }
    }
    return false;
}

static void without_assimp_it_says_so(void **state) {
    (void)state;
    if (is_built_in()) {
        snt_skip("built with Assimp");
    }
    snt_refuses("a.fbx", "Kaydara FBX Binary  ", SN_UNSUPPORTED,
                "without Assimp (SINEW_ASSIMP=ON)");
    snt_refuses("a.dae", "<?xml?>", SN_UNSUPPORTED, "without Assimp");
}

static void refuses_wrong_files(void **state) {
    (void)state;
    if (!is_built_in()) {
        snt_skip("built without Assimp");
    }
    snt_refuses("x.fbx", "", SN_SYNTAX, "x.fbx: a file of 0 bytes");
    snt_refuses("x.fbx", "hello", SN_SYNTAX, "x.fbx: Assimp: ");
    snt_refuses("x.dae", "<COLLADA>", SN_SYNTAX, "x.dae: Assimp: ");
    snt_refuses("x.dae", "<html></html>", SN_SYNTAX, "x.dae: Assimp: ");
}

// Two triangles of a square, split along the diagonal by normals; corner 5 differs by its weight.
static sn_mesh *make_split(sn_context *context) {
    static const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0,
                                      0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 2, 4};
    static const uint32_t offsets[] = {0, 1, 2, 4, 5, 7, 8, 9},
                          bones[] = {0, 0, 0, 1, 0, 0, 1, 1, 1};
    static const float weights[] = {1, 1, 0.5f, 0.5f, 1, 0.5f, 0.5f, 1, 1};
    sn_mesh *mesh = NULL;
    sn_attribute *normal;
    sn_target *target;
    snt_ok(sn_mesh_create(context, "split", 7, 3, 9, &mesh, error));
    memcpy(mesh->positions, positions, sizeof positions);
    memcpy(mesh->corners, corners, sizeof corners);
    memcpy(mesh->face_offsets, (uint32_t[]){0, 3, 6, 9}, 4 * sizeof(uint32_t));
    snt_ok(sn_mesh_add_attribute(mesh, "normal", 3, 7, false, &normal, error));
    for (int i = 0; i < 21; ++i) {
        normal->values[i] = (float)i;
    }
    snt_ok(sn_mesh_add_target(mesh, "up", 7, false, &target, error));
    for (int i = 0; i < 21; ++i) {
        target->offsets[i] = positions[i] * 2;
    }
    snt_ok(sn_mesh_set_weights(mesh, 2, 9, false, error));
    memcpy(mesh->weights->offsets, offsets, sizeof offsets);
    memcpy(mesh->weights->bones, bones, sizeof bones);
    memcpy(mesh->weights->values, weights, sizeof weights);
    snt_ok(sn_mesh_name_bone(mesh, 0, "a", error));
    snt_ok(sn_mesh_name_bone(mesh, 1, "b", error));
    return mesh;
}

static void joins_vertices_that_move_alike(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_split(context);
    snt_ok(sni_join_split_vertices(mesh, error));
    snt_ok(sn_mesh_validate(mesh, error));
    // 3 joins 0 and 4 joins 2; 6 stands at 1 but hangs on the other bone.
    const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    const uint32_t corners[] = {0, 1, 2, 0, 2, 3, 4, 2, 2}, values[] = {0, 1, 2, 3, 4, 5, 6, 2, 4};
    const uint32_t offsets[] = {0, 1, 2, 4, 5, 6}, bones[] = {0, 0, 0, 1, 1, 1};
    assert_int_equal(mesh->vertex_count, 5);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->corners, corners, sizeof corners);
    assert_int_equal(mesh->attributes[0].count, 7);
    assert_memory_equal(mesh->attributes[0].corner, values, sizeof values);
    assert_memory_equal(mesh->weights->offsets, offsets, sizeof offsets);
    assert_memory_equal(mesh->weights->bones, bones, sizeof bones);
    assert_int_equal(mesh->targets[0].count, 5);
    assert_true(mesh->targets[0].offsets[3 * 3 + 1] == 2);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void leaves_others_apart(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_split(context);
    for (int v = 0; v < 7; ++v) {
        mesh->targets[0].offsets[3 * v + 2] = (float)v; // each moves on its own
    }
    snt_ok(sni_join_split_vertices(mesh, error));
    assert_int_equal(mesh->vertex_count, 7);
    assert_null(mesh->attributes[0].corner);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Writes rig.fbx or rig.dae with Blender; skips without it.
static const char *make_rig(const char *name) {
    if (!is_built_in()) {
        snt_skip("built without Assimp");
    }
    if (system("command -v blender >/dev/null 2>&1") != 0) {
        snt_skip("Blender is not installed");
    }
    const char *path = snt_scratch(name);
    if (access(path, R_OK) == 0) {
        return path; // made by an earlier test
    }
    char command[8192];
    snprintf(command, sizeof command,
             "ASAN_OPTIONS= LD_PRELOAD= blender -b --python-exit-code 3 --python '%s' -- '%s' "
             ">/dev/null 2>&1",
             snt_source("tests/blender/rig.py"), path);
    if (system(command) != 0 || access(path, R_OK) != 0) {
        fail_msg("Blender did not write %s", path);
    }
    return path;
}

// Where the skinned vertices of a mesh stand for the rest pose: sum of w * world * inverse bind.
static sn_vec3 skinned_point(const sn_import *import, const sn_mesh *mesh, const sn_mat4 *worlds,
                             uint32_t vertex) {
    const sn_weights *weights = mesh->weights;
    sn_vec3 point = sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        uint32_t bone = weights->bones[i];
        uint32_t segment = sni_skeleton_find(&import->skeleton, weights->bone_names[bone]);
        assert_int_not_equal(segment, SN_NONE);
        sn_mat4 matrix = sn_mat4_multiply(&worlds[segment], &weights->inverse_bind[bone]);
        sum = sn_vec3_add_scaled(sum, weights->values[i], sn_mat4_point(&matrix, point));
    }
    return sum;
}

// Blender is Z up and looks along -Y: (x, y, z) becomes (x, z, -y).
static void check_box(const sn_import *import) {
    const sn_mesh *mesh = import->meshes[0];
    sn_transform locals[16];
    sn_mat4 worlds[16];
    assert_int_equal(import->mesh_count, 1);
    assert_int_equal(mesh->vertex_count, 12);
    assert_non_null(mesh->weights);
    assert_true(import->skeleton.segment_count <= 16);
    for (uint32_t i = 0; i < import->skeleton.segment_count; ++i) {
        locals[i] = import->skeleton.segments[i].rest;
    }
    sni_skeleton_world(&import->skeleton, locals, worlds);
    uint32_t found = 0;
    for (uint32_t v = 0; v < 12; ++v) {
        sn_vec3 p = skinned_point(import, mesh, worlds, v);
        snt_near(fabs(p.x), 0.5, 1e-5);
        snt_near(fabs(p.z), 0.5, 1e-5);
        snt_near(p.y, round(p.y), 1e-5);
        found |= 1u << ((int)round(p.y) * 4 + (p.x > 0) * 2 + (p.z > 0));
    }
    assert_int_equal(found, 0xfff); // all twelve, each once
}

static void reads_fbx_from_blender(void **state) {
    (void)state;
    const char *path = make_rig("rig.fbx"); // skips before anything is made
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    check_box(import);
    const sn_mesh *mesh = import->meshes[0];
    assert_string_equal(mesh->name, "box");
    assert_int_equal(mesh->face_count, 10);
    assert_int_equal(mesh->corner_count, 40); // quads stay quads
    assert_int_equal(import->clip_count, 1);
    const sn_clip *clip = import->clips[0];
    snt_near(clip->rate, 24, 1e-9);
    assert_int_equal(clip->frame_count, 11);
    bool has_upper = false;
    for (uint32_t t = 0; t < clip->track_count; ++t) {
        const sn_track *track = &clip->tracks[t];
        if (track->kind == SN_TRACK_ROTATION && strcmp(track->target, "upper") == 0) {
            const double *first = track->values;
            const double *last = track->values + 4 * (size_t)(track->key_count - 1);
            double dot = 0;
            for (int i = 0; i < 4; ++i) {
                dot += first[i] * last[i];
            }
            snt_near(2 * acos(fmin(fabs(dot), 1)), 1, 1e-4);
            snt_near(track->times[track->key_count - 1], 10.0 / 24, 1e-6);
            has_upper = true;
        }
    }
    assert_true(has_upper);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void reads_collada_from_blender(void **state) {
    (void)state;
    const char *path = make_rig("rig.dae"); // skips before anything is made
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    check_box(import);
    sn_import_destroy(import);
    snt_context_end(context);
}

// What the time mode of an FBX, the I behind the name, is set to: 6 is 30 frames per second, 0
// leaves the rate open, 14 has it in a number of its own, which is -1 where nobody uses it.
static void reads_clip_rates(void **state) {
    (void)state;
    if (!is_built_in()) {
        snt_skip("built without Assimp");
    }
    static const int32_t modes[] = {6, 0, 14};
    const char *path = snt_data("rigs/SambaDancing.fbx");
    sn_context *context = snt_context(1);
    char *bytes;
    size_t size, at = 0;
    snt_ok(sni_file_read(context, path, &bytes, &size, error));
    static const char known[] = "TimeModeS\4\0\0\0enumS\0\0\0\0S\0\0\0\0I";
    while (at + sizeof known < size && memcmp(bytes + at, known, sizeof known - 1) != 0) {
        ++at;
    }
    assert_true(at + sizeof known < size);
    for (int i = 0; i < 3; ++i) {
        sn_import *import = NULL;
        memcpy(bytes + at + sizeof known - 1, &modes[i], sizeof *modes);
        snt_ok(sn_import_memory(context, path, bytes, size, &import, error));
        const sn_clip *clip = import->clips[0];
        snt_near(clip->rate, 30, 1e-9);
        assert_int_equal(clip->frame_count, 547); // 18.2 seconds
        const sn_track *track = &clip->tracks[clip->track_count - 1];
        snt_near(track->times[track->key_count - 1], 18.2, 0.05);
        sn_import_destroy(import);
    }
    sni_free(context, bytes);
    snt_context_end(context);
}

static sn_status read_attempt(sn_context *context, void *user, sn_error *error) {
    sn_import *import = NULL;
    sn_status status = sn_import_file(context, user, &import, error);
    sn_import_destroy(import);
    return status;
}

static void survives_failed_allocations(void **state) {
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", make_rig("rig.dae"));
    snt_fail_allocations(read_attempt, path);
}

static void use_reader(sn_context *context, const char *program, size_t bytes) {
    sn_reader_desc desc = sn_reader_desc_default();
    desc.program = program;
    desc.argument = "--read-apart";
    desc.byte_limit = bytes > 0 ? bytes : desc.byte_limit;
    snt_ok(sn_context_set_reader(context, &desc, error));
}

static void skeletons_equal(const sn_skeleton *a, const sn_skeleton *b) {
    assert_int_equal(a->segment_count, b->segment_count);
    for (uint32_t i = 0; i < a->segment_count; ++i) {
        assert_string_equal(a->segments[i].name, b->segments[i].name);
        assert_int_equal(a->segments[i].parent, b->segments[i].parent);
        assert_int_equal(a->parents_first[i], b->parents_first[i]);
        assert_memory_equal(&a->segments[i].rest, &b->segments[i].rest, sizeof(sn_transform));
    }
}

static void clips_equal(const sn_clip *a, const sn_clip *b) {
    assert_string_equal(a->name, b->name);
    assert_true(a->rate == b->rate && a->frame_count == b->frame_count);
    assert_int_equal(a->track_count, b->track_count);
    skeletons_equal(&a->skeleton, &b->skeleton);
    for (uint32_t i = 0; i < a->track_count; ++i) {
        const sn_track *x = &a->tracks[i], *y = &b->tracks[i];
        assert_string_equal(x->target, y->target);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->key_count, y->key_count);
        assert_memory_equal(x->times, y->times, x->key_count * sizeof(double));
        assert_memory_equal(x->values, y->values,
                            (size_t)x->key_count * sn_track_width(x) * sizeof(double));
    }
}

static void a_reader_gives_the_same_bits(void **state) {
    (void)state;
    if (!is_built_in()) {
        snt_skip("built without Assimp");
    }
    const char *path = snt_data("rigs/SambaDancing.fbx");
    sn_context *context = snt_context(1);
    sn_import *here = NULL, *apart = NULL;
    snt_ok(sn_import_file(context, path, &here, error));
    use_reader(context, "/proc/self/exe", 0);
    snt_ok(sn_import_file(context, path, &apart, error));
    assert_int_equal(here->mesh_count, apart->mesh_count);
    for (uint32_t i = 0; i < here->mesh_count; ++i) {
        snt_meshes_equal(here->meshes[i], apart->meshes[i]);
        assert_int_equal(here->mesh_nodes[i], apart->mesh_nodes[i]);
        const sn_weights *a = here->meshes[i]->weights, *b = apart->meshes[i]->weights;
        assert_true((a == NULL) == (b == NULL));
        if (a != NULL) {
            uint32_t entries = a->offsets[here->meshes[i]->vertex_count];
            assert_memory_equal(a->values, b->values, entries * sizeof *a->values);
            assert_memory_equal(a->bones, b->bones, entries * sizeof *a->bones);
            assert_memory_equal(a->inverse_bind, b->inverse_bind,
                                a->bone_count * sizeof *a->inverse_bind);
        }
    }
    skeletons_equal(&here->skeleton, &apart->skeleton);
    assert_int_equal(here->clip_count, apart->clip_count);
    for (uint32_t i = 0; i < here->clip_count; ++i) {
        clips_equal(here->clips[i], apart->clips[i]);
    }
    sn_import_destroy(here);
    sn_import_destroy(apart);
    snt_context_end(context);
}

// A wrong file has the same line; a reader that dies, or is none, one that names the file.
static void a_dead_reader_is_one_line(void **state) {
    (void)state;
    if (!is_built_in()) {
        snt_skip("built without Assimp");
    }
    static const struct {
        const char *program, *message;
        sn_status status;
    } cases[] = {
        {"/proc/self/exe", "x.fbx: Assimp: ", SN_SYNTAX},
        {"/bin/false", "x.fbx: the process that read it gave no answer (exit status 1)", SN_SYNTAX},
        {"/bin/true", "x.fbx: the answer of its reader makes no sense", SN_SYNTAX},
        {"/no/such", "x.fbx: cannot start its reader /no/such", SN_IO},
    };
    sn_context *context = snt_context(1);
    sn_import *import;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        use_reader(context, cases[i].program, 0);
        snt_fails(cases[i].status, cases[i].message,
                  sn_import_memory(context, "x.fbx", "hello", 5, &import, error));
        assert_null(import);
    }
    use_reader(context, "/proc/self/exe", 0);
    snt_fails(SN_SYNTAX, "assimp_abort.dae: the file is damaged, or needs more than",
              sn_import_file(context, snt_data("hostile/assimp_abort.dae"), &import, error));
    snt_context_end(context);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--read-apart") == 0) {
        return sn_reader_run();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_assimp_it_says_so),
        cmocka_unit_test(refuses_wrong_files),
        cmocka_unit_test(joins_vertices_that_move_alike),
        cmocka_unit_test(leaves_others_apart),
        cmocka_unit_test(reads_fbx_from_blender),
        cmocka_unit_test(reads_clip_rates),
        cmocka_unit_test(reads_collada_from_blender),
        cmocka_unit_test(a_reader_gives_the_same_bits),
        cmocka_unit_test(a_dead_reader_is_one_line),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
