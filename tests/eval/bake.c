// SPDX-License-Identifier: Apache-2.0
//
// Baking: files hold the evaluated points, and nothing is left behind when it fails.
#include "toy.h"

#include <dirent.h>
#include <sys/stat.h>

enum { FIRST = 30, LAST = 33, FRAMES = LAST - FIRST + 1 };

// The points that frames of a skin have.
static float *expected_points(toy *t, const char *name) {
    float *points = malloc(sizeof(float) * FRAMES * 3 * TOY_VERTICES);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        snt_ok(sn_frame_evaluate(t->frame, t->motion, FIRST + f, error));
        memcpy(points + (size_t)f * 3 * TOY_VERTICES, points_of(t->frame, name),
               sizeof(float) * 3 * TOY_VERTICES);
    }
    return points;
}

static sn_bake_desc desc_of(const toy *t) {
    sn_bake_desc desc = sn_bake_desc_default();
    desc.tolerance = 0; // of text: the same bits
    desc.motion = t->motion;
    desc.first = FIRST;
    desc.last = LAST;
    return desc;
}

static void bake(toy *t, const char *name) {
    sn_bake_desc desc = desc_of(t);
    snt_ok(sn_bake(t->frame, &desc, snt_scratch(name), NULL, error));
}

static float float_at(const char *bytes, size_t offset, bool big_endian) {
    const unsigned char *b = (const unsigned char *)bytes + offset;
    uint32_t bits = big_endian
                        ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                        : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static void writes_point_caches(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_BODY);
    float *expected = expected_points(&t, "body");
    static const struct {
        const char *name;
        size_t header;
        bool big_endian;
    } caches[] = {{"a.pc2", 32, false}, {"a.mdd", 8 + 4 * FRAMES, true}};
    for (int c = 0; c < 2; ++c) {
        bake(&t, caches[c].name);
        size_t size;
        char *bytes = read_bytes(snt_scratch(caches[c].name), &size);
        assert_int_equal(size, caches[c].header + 4 * FRAMES * 3 * TOY_VERTICES);
        for (size_t i = 0; i < FRAMES * 3 * TOY_VERTICES; ++i) {
            float found = float_at(bytes, caches[c].header + 4 * i, caches[c].big_endian);
            assert_true(found == expected[i]);
        }
        if (c == 0) {
            assert_true(float_at(bytes, 20, false) == FIRST);
        } else {
            assert_true(float_at(bytes, 8, true) == FIRST / 24.0f);
        }
        free(bytes);
    }
    free(expected);
    toy_end(&t);
}

static void writes_numbered_meshes(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_BODY);
    float *expected = expected_points(&t, "body");
    bake(&t, "a.obj");
    for (uint32_t f = 0; f < FRAMES; ++f) {
        char name[32];
        snprintf(name, sizeof name, "a.%04u.obj", FIRST + f);
        sn_import *import;
        snt_ok(sn_import_file(t.context, snt_scratch(name), &import, error));
        assert_memory_equal(import->meshes[0]->positions, expected + (size_t)f * 3 * TOY_VERTICES,
                            sizeof(float) * 3 * TOY_VERTICES);
        sn_import_destroy(import);
    }
    free(expected);
    toy_end(&t);
}

static void writes_usd(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_BODY);
    float *expected = expected_points(&t, "body");
    bake(&t, "a.usda");
    size_t size;
    char *text = read_bytes(snt_scratch("a.usda"), &size);
    const char *at = strstr(text, "point3f[] points.timeSamples = {");
    assert_non_null(at);
    at = strchr(at, '{') + 1;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        char *end;
        assert_int_equal(strtol(at, &end, 10), FIRST + f);
        at = end;
        for (size_t i = 0; i < 3 * TOY_VERTICES; ++i) {
            at += strcspn(at, "-0123456789");
            assert_true(strtof(at, &end) == expected[(size_t)f * 3 * TOY_VERTICES + i]);
            at = end;
        }
        at += strcspn(at, "\n");
    }
    free(text);
    free(expected);
    toy_end(&t);
}

// A .glb read back and played must show the same points, skinned or as morph targets.
// The file's time begins at 0 with the first frame of the bake.
static void expect_glb_plays(toy *t, const char *file, uint32_t surface, const char *skin,
                             double tolerance) {
    char path[2048];
    snprintf(path, sizeof path, "%s", snt_scratch(file));
    float *expected = expected_points(t, skin);
    sn_context *context = snt_context(1);
    sn_import *import;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    snt_ok(sn_import_file(context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, "new.sinew.json", &character, error));
    sn_import_destroy(import);
    // glTF knows no rate: play it at that of the motion.
    sn_json *document = sn_character_document(character);
    sn_value *clips = sn_json_find(document, "/clips");
    sn_json_add_number(document, clips->as.children.items[0], "rate", sn_motion_rate(t->motion));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_motion_open(model, sn_model_clip_name(model, 0), &motion, error));
    assert_int_equal(sn_model_surface(model, surface)->mesh->vertex_count, TOY_VERTICES);
    assert_int_equal(sn_motion_frame_count(motion), FRAMES);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        snt_ok(sn_frame_evaluate(frame, motion, f, error));
        for (size_t i = 0; i < 3 * TOY_VERTICES; ++i) {
            snt_near(sn_frame_points(frame, surface)[i], expected[(size_t)f * 3 * TOY_VERTICES + i],
                     tolerance);
        }
    }
    free(expected);
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void writes_skinned_glb(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_BODY);
    sn_bake_desc desc = desc_of(&t);
    desc.glb = SN_GLB_SKINNED;
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("s.glb"), NULL, error));
    expect_glb_plays(&t, "s.glb", 0, "body", 2e-5);
    toy_end(&t);
}

static void writes_morphed_glb(void **state) {
    (void)state;
    toy t = toy_make(2, TOY_ALL);
    sn_bake_desc desc = desc_of(&t);
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("m.glb"), NULL, error)); // no other way
    expect_glb_plays(&t, "m.glb", 0, "coat", 2e-5);
    expect_glb_plays(&t, "m.glb", 2, "twist", 2e-5);
    desc.glb = SN_GLB_SKINNED;
    snt_fails(SN_INVALID, "the skin \"coat\" has more than linear skinning; write morph targets",
              sn_bake(t.frame, &desc, snt_scratch("m.glb"), NULL, error));
    toy_end(&t);
}

// A target whose control is gone keeps the weight of its file, in both kinds of file.
static void keeps_weights_without_control(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(parse_quoted(context, "a",
                        "{'sinew': 1, 'name': 'a', 'skeleton': {'root': {}, 'upper': {}, 'lower': "
                        "{}}, 'meshes': {'body': {}}, 'skins': {'body': {'mesh': 'body', "
                        "'deformers': [{'kind': 'morph'}, {'kind': 'blend'}]}}, 'clips': {'move': "
                        "{'frames': 50, 'tracks': {}}}}",
                        &character, error));
    sn_mesh *mesh = toy_tube(context, "body", 0.2);
    toy_weigh(mesh);
    toy_add_targets(mesh);
    mesh->targets[0].weight = 0.75f;
    snt_ok(sn_character_give_mesh(character, "body", mesh, error));
    toy t = {.context = context, .character = character};
    snt_ok(sn_model_create(character, NULL, &t.model, error));
    snt_ok(sn_motion_open(t.model, "move", &t.motion, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    sn_bake_desc desc = desc_of(&t);
    desc.glb = SN_GLB_SKINNED;
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("w.glb"), NULL, error));
    sn_import *import;
    snt_ok(sn_import_file(context, snt_scratch("w.glb"), &import, error));
    const sn_clip *clip = import->clip_count > 0 ? import->clips[0] : NULL;
    const char *target = import->meshes[0]->targets[0].name;
    double weight = import->meshes[0]->targets[0].weight; // where nothing animates it
    for (uint32_t i = 0; clip != NULL && i < clip->track_count; ++i) {
        if (clip->tracks[i].kind == SN_TRACK_PARAMETER &&
            strcmp(clip->tracks[i].target, target) == 0) {
            sn_track_sample(&clip->tracks[i], 0, &weight);
        }
    }
    snt_near(weight, 0.75, 1e-6);
    sn_import_destroy(import);
    toy_end(&t);
}

// --- What is written

static void writes_what_is_shown(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY ", 'cage': {'mesh': 'coat', 'show': false}");
    sn_bake_desc desc = desc_of(&t);
    mkdir(snt_scratch("shown"), 0777);
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("shown/a.pc2"), NULL, error));
    struct stat info;
    assert_int_equal(stat(snt_scratch("shown/a.pc2"), &info), 0);
    desc.bones = true;
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("shown/b.usda"), NULL, error));
    size_t size;
    char *text = read_bytes(snt_scratch("shown/b.usda"), &size);
    int meshes = 0;
    for (const char *at = text; (at = strstr(at, "def Mesh")) != NULL; ++at) {
        meshes++;
    }
    assert_int_equal(meshes, 3); // two bones and the skin
    free(text);
    toy_end(&t);
    t = toy_make(1, "'cage': {'mesh': 'coat', 'show': false}");
    desc = desc_of(&t);
    snt_fails(SN_INVALID, "\"toy\" has nothing to write: no skin is shown",
              sn_bake(t.frame, &desc, snt_scratch("shown/c.pc2"), NULL, error));
    desc.muscles = true;
    snt_fails(SN_INVALID, "no skin is shown, nor what else was asked for",
              sn_bake(t.frame, &desc, snt_scratch("shown/c.pc2"), NULL, error));
    snt_fails(SN_INVALID, "there is neither a file to write nor a report",
              sn_bake(t.frame, &desc, NULL, NULL, error));
    desc.report_path = snt_scratch("shown/c.json");
    snt_ok(sn_bake(t.frame, &desc, NULL, NULL, error));
    assert_int_equal(stat(desc.report_path, &info), 0);
    toy_end(&t);
}

static void holds_values_and_the_rest_pose(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_bake_desc desc = sn_bake_desc_default();
    snt_ok(sn_frame_set(t.frame, "curl", 1, error));
    snt_ok(sn_bake(t.frame, &desc, snt_scratch("held.obj"), NULL, error)); // one frame, no motion
    sn_import *import;
    snt_ok(sn_import_file(t.context, snt_scratch("held.0000.obj"), &import, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    assert_memory_equal(import->meshes[0]->positions, points_of(t.frame, "body"),
                        sizeof(float) * 3 * TOY_VERTICES);
    sn_import_destroy(import);
    toy_end(&t);
}

static void refuses_wrong_descriptions(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_bake_desc desc = {.motion = t.motion};
    snt_fails(SN_INVALID, "the desc was not made by sn_bake_desc_default",
              sn_bake(t.frame, &desc, snt_scratch("x.pc2"), NULL, error));
    desc = desc_of(&t);
    desc.last = 240;
    snt_fails(SN_INVALID, "frames 30 to 240 asked for, \"move\" has frames 0 to 239",
              sn_bake(t.frame, &desc, snt_scratch("x.pc2"), NULL, error));
    desc.last = 29;
    snt_fails(SN_INVALID, "frames 30 to 29 asked for",
              sn_bake(t.frame, &desc, snt_scratch("x.pc2"), NULL, error));
    desc.motion = NULL;
    snt_fails(SN_INVALID, "frames 30 to 29 asked for",
              sn_bake(t.frame, &desc, snt_scratch("x.pc2"), NULL, error));
    desc = desc_of(&t);
    snt_fails(SN_UNSUPPORTED, ".xyz", sn_bake(t.frame, &desc, snt_scratch("x.xyz"), NULL, error));
    toy_end(&t);
}

// --- Failure leaves nothing

typedef struct stopper {
    int calls, stop_at;
} stopper;

static bool stop(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    stopper *s = user;
    return ++s->calls != s->stop_at;
}

static void leaves_nothing_when_cancelled(void **state) {
    (void)state;
    static const char *const names[] = {"a.pc2",  "a.mdd", "a.obj",
                                        "a.usda", "a.glb", "skinned.glb"};
    toy t = toy_make(1, TOY_ALL), plain = toy_make(1, TOY_BODY);
    char folder[2048], path[2100], report[2100];
    mkdir(snt_scratch("cancel"), 0777);
    snprintf(folder, sizeof folder, "%s", snt_scratch("cancel"));
    snprintf(report, sizeof report, "%s/report.json", folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        toy *which = strcmp(names[i], "skinned.glb") == 0 ? &plain : &t;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        sn_status status = SN_CANCELLED;
        int stop_at = 1;
        for (; status == SN_CANCELLED; ++stop_at) {
            stopper s = {.stop_at = stop_at};
            sn_progress progress = {.report = stop, .user = &s};
            sn_bake_desc desc = desc_of(which);
            desc.report_path = report;
            sn_error error = {0};
            status = sn_bake(which->frame, &desc, path, &progress, &error);
            assert_true(status == SN_OK || status == SN_CANCELLED);
            assert_int_equal(snt_count_entries(folder) == 0, status == SN_CANCELLED);
        }
        assert_true(stop_at > FRAMES + 1); // every frame and the writing were tried
        DIR *directory = opendir(folder);
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            snprintf(path, sizeof path, "%.1000s/%.255s", folder, entry->d_name);
            remove(path);
        }
        closedir(directory);
    }
    toy_end(&t);
    toy_end(&plain);
}

static void leaves_nothing_where_it_cannot_write(void **state) {
    (void)state;
    static const char *const names[] = {"a.pc2", "a.mdd", "a.obj", "a.usda", "a.glb"};
    toy t = toy_make(1, TOY_ALL);
    char folder[2048], path[2100];
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        sn_bake_desc desc = desc_of(&t);
        snprintf(path, sizeof path, "%s/%s", snt_scratch("nowhere"), names[i]);
        snt_fails(SN_IO, "cannot write: No such file or directory",
                  sn_bake(t.frame, &desc, path, NULL, error));
        snprintf(path, sizeof path, "/proc/%s", names[i]);
        snt_fails(SN_IO, "/proc/a", sn_bake(t.frame, &desc, path, NULL, error));
    }
    // A report that cannot be written takes the rest with it.
    mkdir(snt_scratch("empty"), 0777);
    snprintf(folder, sizeof folder, "%s", snt_scratch("empty"));
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        sn_bake_desc desc = desc_of(&t);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        desc.report_path = "/nowhere/report.json";
        snt_fails(SN_IO, "/nowhere/report.json: cannot write",
                  sn_bake(t.frame, &desc, path, NULL, error));
        desc.report_path = folder;
        snt_fails(SN_IO, "cannot write: Is a directory",
                  sn_bake(t.frame, &desc, path, NULL, error));
        assert_int_equal(snt_count_entries(folder), 0);
    }
    toy_end(&t);
}

typedef struct attempt {
    const char *path;
    sn_glb_mode glb;
} attempt;

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    const attempt *a = user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, "a",
                        "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}}, 'meshes': {'m': {}},"
                        "'skins': {'m': {'mesh': 'm', 'segment': 's'}}}",
                        &character, error));
    SN_TRY(sn_mesh_create(context, "m", 3, 1, 3, &mesh, error));
    memset(mesh->positions, 0, 9 * sizeof(float));
    mesh->positions[3] = mesh->positions[7] = 1;
    memcpy(mesh->corners, (uint32_t[]){0, 1, 2}, 12);
    SN_TRY(sn_character_give_mesh(character, "m", mesh, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_frame_create(model, &frame, error));
    sn_bake_desc desc = sn_bake_desc_default();
    desc.glb = a->glb;
    desc.last = 2;
    desc.report_path = snt_scratch("oom/report.json");
    SN_TRY(sn_bake(frame, &desc, a->path, NULL, error));
cleanup:
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    assert_int_equal(snt_count_entries(snt_scratch("oom")) == 0, status != SN_OK);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    mkdir(snt_scratch("oom"), 0777);
    static const char *const names[] = {"a.pc2", "a.glb", "a.glb"};
    for (int i = 0; i < 3; ++i) {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", snt_scratch("oom"), names[i]);
        attempt a = {path, i == 2 ? SN_GLB_MORPH : SN_GLB_AUTO};
        snt_fail_allocations(run_out, &a);
        remove(path);
        remove(snt_scratch("oom/report.json"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_point_caches),
        cmocka_unit_test(writes_numbered_meshes),
        cmocka_unit_test(writes_usd),
        cmocka_unit_test(writes_skinned_glb),
        cmocka_unit_test(writes_morphed_glb),
        cmocka_unit_test(keeps_weights_without_control),
        cmocka_unit_test(writes_what_is_shown),
        cmocka_unit_test(holds_values_and_the_rest_pose),
        cmocka_unit_test(refuses_wrong_descriptions),
        cmocka_unit_test(leaves_nothing_when_cancelled),
        cmocka_unit_test(leaves_nothing_where_it_cannot_write),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
