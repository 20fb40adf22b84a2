// SPDX-License-Identifier: Apache-2.0
//
// Given surfaces as muscles of documents: what is shown and written, what hangs on them, what is
// measured, mirrored and refused.
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

enum { RINGS = 20, SIDES = 16, VERTICES = RINGS * SIDES + 2 };

#define STRIP(x)                                                                                   \
    "{'slices': 9, 'width': 0.06, 'thickness': 0.04,\n"                                            \
    "'origins': [{'bone': 'femur.L', 'point': [" x ", 0.95, 0.03]},\n"                             \
    "{'bone': 'femur.L', 'point': [0.11, 0.95, 0.03]}],\n"                                         \
    "'insertions': [{'bone': 'tibia.L', 'point': [" x ", 0.6, 0.03]},\n"                           \
    "{'bone': 'tibia.L', 'point': [0.11, 0.6, 0.03]}]}"
#define HEAD                                                                                       \
    "{'sinew': 1, 'name': 'leg', 'skeleton': {'root': {'translation': [0, 1, 0]},\n"               \
    "'upper.L': {'parent': 'root', 'translation': [0.1, 0, 0], 'mirror': true},\n"                 \
    "'lower.L': {'parent': 'upper.L', 'translation': [0, -0.3, 0], 'mirror': true}},\n"            \
    "'bones': {'femur.L': {'ellipsoid': {'center': [0, -0.15, 0], 'radii': [0.02, 0.15, 0.02]},\n" \
    "'segment': 'upper.L', 'frame': 'segment', 'mirror': true}, 'tibia.L': {'ellipsoid': {\n"      \
    "'center': [0, -0.15, 0], 'radii': [0.02, 0.15, 0.02]}, 'segment': 'lower.L', 'frame':\n"      \
    "'segment', 'mirror': true}},\n"
#define MESHES                                                                                     \
    "'meshes': {'belly.L': {'file': 'belly.obj', 'mirror': true},\n"                               \
    "'skin': {'file': 'skin.obj'}},\n"
#define CLIP                                                                                       \
    "'clips': {'bend': {'rate': 10, 'tracks': {'lower.L.rx_deg': {'keys': [[0, 0], [1, -80]]},\n"  \
    "'lower.R.rx_deg': {'keys': [[0, 0], [1, -80]]}, 'root.ty': {'keys': [[0, 0], [1, 1]]}}}}}\n"
#define MUSCLE                                                                                     \
    "'muscles': {'rectus.L': {'kind': 'mesh', 'mesh': 'belly.L', 'mirror': true,\n"                \
    "'strips': [" STRIP("0.09") ", " STRIP("0.08") "]}},\n"
#define SKIN "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane'}]}},\n"

static const char bare[] = HEAD MESHES MUSCLE CLIP;
static const char dressed[] = HEAD MESHES MUSCLE SKIN CLIP;

// A spindle along y, as a file beside the document.
static void write_spindle(const char *name, double radius, double low, double high, sn_vec3 axis) {
    FILE *file = fopen(snt_scratch(name), "w");
    assert_non_null(file);
    for (uint32_t v = 0; v < RINGS * SIDES; ++v) {
        double t = (v / SIDES) / (RINGS - 1.0), angle = 2 * SN_PI * (v % SIDES) / SIDES;
        double r = radius * (0.2 + 0.8 * sin(SN_PI * t));
        fprintf(file, "v %.9g %.9g %.9g\n", (double)(float)(axis.x + r * sin(angle)),
                (double)(float)(low + t * (high - low)), (double)(float)(axis.z + r * cos(angle)));
    }
    fprintf(file, "v %.9g %.9g %.9g\nv %.9g %.9g %.9g\n", axis.x, low, axis.z, axis.x, high,
            axis.z);
    for (uint32_t i = 0; i < (RINGS - 1) * SIDES; ++i) {
        uint32_t a = i + 1, b = i / SIDES * SIDES + (i + 1) % SIDES + 1;
        fprintf(file, "f %u %u %u %u\n", a, b, b + SIDES, a + SIDES);
    }
    for (uint32_t a = 1; a <= SIDES; ++a) {
        uint32_t b = a % SIDES + 1, last = (RINGS - 1) * SIDES;
        fprintf(file, "f %u %u %u\nf %u %u %u\n", b, a, RINGS * SIDES + 1, last + a, last + b,
                RINGS * SIDES + 2);
    }
    fclose(file);
}

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_motion *motion;
} fixture;

static void write_files(void) {
    write_spindle("belly.obj", 0.03, 0.6, 0.95, sn_vec3_make(0.1, 0, 0.045));
    write_spindle("skin.obj", 0.12, 0.3, 1.1, sn_vec3_make(0.1, 0, 0.02));
}

static void parse(fixture *f, const char *text, uint32_t threads) {
    write_files();
    *f = (fixture){.context = snt_context(threads)};
    snt_ok(parse_quoted(f->context, snt_scratch("leg.sinew.json"), text, &f->character, error));
}

static void set_up(fixture *f, const char *text, uint32_t threads) {
    parse(f, text, threads);
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
    snt_ok(sn_motion_open(f->model, "bend", &f->motion, error));
}

static void tear_down(fixture *f) {
    sn_motion_destroy(f->motion);
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static uint32_t surface_of(const sn_model *model, const char *name) {
    uint32_t i = 0;
    while (strcmp(sn_model_surface(model, i)->name, name) != 0) {
        ++i;
        assert_true(i < sn_model_surface_count(model));
    }
    return i;
}

// --- What is shown and written

static void given_vertices_are_shown_and_written(void **state) {
    (void)state;
    fixture f;
    sn_import *given = NULL;
    set_up(&f, bare, 1);
    snt_ok(sn_import_file(f.context, snt_scratch("belly.obj"), &given, error));
    const sn_mesh *mesh = given->meshes[0];
    uint32_t left = surface_of(f.model, "rectus.L"), right = surface_of(f.model, "rectus.R");
    const sn_surface *surface = sn_model_surface(f.model, left);
    size_t bytes = 3 * VERTICES * sizeof(float);
    assert_int_equal(surface->layer, SN_LAYER_MUSCLE);
    assert_string_equal(surface->mesh->name, "rectus.L");
    assert_int_equal(surface->mesh->vertex_count, VERTICES);
    assert_memory_equal(surface->mesh->corners, mesh->corners, mesh->corner_count * 4);
    assert_memory_equal(surface->mesh->positions, mesh->positions, bytes);
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    assert_memory_equal(sn_frame_points(f.frame, left), mesh->positions, bytes);
    assert_memory_equal(sn_frame_points(f.frame, right),
                        sn_model_surface(f.model, right)->mesh->positions, bytes);
    // In a file of its own name.
    sn_bake_desc desc = sn_bake_desc_default();
    desc.muscles = true;
    snt_ok(sn_bake(f.frame, &desc, snt_scratch("a.obj"), NULL, error));
    sn_import *written = NULL;
    snt_ok(sn_import_file(f.context, snt_scratch("a.rectus.L.0000.obj"), &written, error));
    assert_int_equal(written->meshes[0]->vertex_count, VERTICES);
    assert_memory_equal(written->meshes[0]->positions, mesh->positions, bytes);
    sn_import_destroy(written);
    sn_import_destroy(given);
    tear_down(&f);
}

// --- Motion

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    static float first[11][3 * VERTICES], skin[11][3 * VERTICES];
    for (int k = 0; k < 4; ++k) {
        fixture f;
        set_up(&f, dressed, threads[k]);
        for (uint32_t n = 0; n < 11; ++n) {
            snt_ok(sn_frame_evaluate(f.frame, f.motion, 10 - n, error)); // backwards, for once
            const float *muscle = sn_frame_points(f.frame, surface_of(f.model, "rectus.L"));
            const float *over = sn_frame_points(f.frame, surface_of(f.model, "skin"));
            if (k == 0) {
                memcpy(first[n], muscle, sizeof first[n]);
                memcpy(skin[n], over, sizeof skin[n]);
            }
            assert_memory_equal(first[n], muscle, sizeof first[n]);
            assert_memory_equal(skin[n], over, sizeof skin[n]);
        }
        tear_down(&f);
    }
}

static double number(const sn_json *json, const char *format, uint32_t frame, const char *key) {
    char path[128];
    snprintf(path, sizeof path, format, frame, key);
    const sn_value *value = sn_json_find(json, path);
    assert_non_null(value);
    return value->as.number;
}

static void volume_and_length_are_reported(void **state) {
    (void)state;
    fixture f;
    sn_json *json = NULL;
    size_t size;
    set_up(&f, dressed, 2);
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = f.motion;
    desc.last = 10;
    desc.report_path = snt_scratch("report.json");
    snt_ok(sn_bake(f.frame, &desc, NULL, NULL, error));
    char *text = read_bytes(snt_scratch("report.json"), &size);
    snt_ok(sn_json_parse(f.context, text, size, &json, error));
    const char *path = "/frames/%u/muscles/rectus.L/%s";
    double rest = number(json, path, 0, "rest_volume");
    double rest_length = number(json, path, 0, "rest_length");
    assert_true(rest > 1e-4 && number(json, path, 0, "volume") == rest);
    snt_near(rest_length, 0.35, 1e-3);
    for (uint32_t n = 0; n < 11; ++n) {
        snt_near(number(json, path, n, "volume") / rest, 1, 1e-4);
        snt_near(number(json, path, n, "length"),
                 number(json, "/frames/%u/muscles/rectus.R/%s", n, "length"), 1e-9);
    }
    assert_true(number(json, path, 10, "length") < 0.9 * rest_length);
    // What hangs on the muscle is counted as hanging in cells, and measured against its surface.
    assert_true(number(json, "/summary/anchors/skin/between_slices", 0, "") > 30);
    assert_true(number(json, "/summary/contact/skin/depth", 0, "") < 0.02);
    free(text);
    sn_json_destroy(json);
    tear_down(&f);
}

static sn_vec3 at(const float *points, uint32_t vertex) {
    return sn_vec3_load(points + 3 * (size_t)vertex);
}

// The mirrored muscle does what the other does, mirrored.
static void mirrored_muscles_move_alike(void **state) {
    (void)state;
    fixture f;
    set_up(&f, bare, 1);
    snt_ok(sn_frame_evaluate(f.frame, f.motion, 8, error));
    const float *left = sn_frame_points(f.frame, surface_of(f.model, "rectus.L"));
    const float *right = sn_frame_points(f.frame, surface_of(f.model, "rectus.R"));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        sn_vec3 expected = at(left, v);
        expected.x = -expected.x;
        snt_near(sn_vec3_distance(at(right, v), expected), 0, 1e-6);
    }
    tear_down(&f);
}

// Skin over the muscle goes with it: it stays as far from its surface as it was.
static void skin_hangs_on_it(void **state) {
    (void)state;
    fixture f;
    set_up(&f, dressed, 1);
    uint32_t skin = surface_of(f.model, "skin"), muscle = surface_of(f.model, "rectus.L");
    for (int n = 0; n < 11; n += 5) {
        sn_accel *accel = NULL;
        sn_triangles *triangles = NULL;
        const sn_mesh *mesh = sn_model_surface(f.model, muscle)->mesh;
        snt_ok(sn_frame_evaluate(f.frame, f.motion, (uint32_t)n, error));
        snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
        snt_ok(sn_accel_create(f.context, sn_frame_points(f.frame, muscle), VERTICES,
                               triangles->vertices, triangles->count, &accel, error));
        double nearest = INFINITY;
        for (uint32_t v = 0; v < VERTICES; ++v) {
            sn_closest closest;
            sn_accel_find_closest(accel, at(sn_frame_points(f.frame, skin), v), INFINITY, &closest);
            nearest = fmin(nearest, closest.distance);
        }
        assert_true(nearest > 0.002 && nearest < 0.05);
        sn_accel_destroy(accel);
        sn_triangles_destroy(triangles);
    }
    tear_down(&f);
}

// Hidden and with nothing on it, its surface is left out where only what is shown is wanted.
static void hidden_surfaces_are_left_out(void **state) {
    (void)state;
    fixture f;
    set_up(&f,
           HEAD MESHES
           "'muscles': {'rectus.L': {'kind': 'mesh', 'mesh': 'belly.L', 'show': false,\n"
           "'strips': [" STRIP("0.09") "]}},\n" CLIP,
           1);
    uint32_t muscle = surface_of(f.model, "rectus.L");
    const float *rest = sn_model_surface(f.model, muscle)->mesh->positions;
    sn_frame_show_only(f.frame, true);
    snt_ok(sn_frame_evaluate(f.frame, f.motion, 10, error));
    assert_memory_equal(sn_frame_points(f.frame, muscle), rest, 3 * VERTICES * sizeof *rest);
    sn_frame_show_only(f.frame, false);
    snt_ok(sn_frame_evaluate(f.frame, f.motion, 10, error));
    assert_memory_not_equal(sn_frame_points(f.frame, muscle), rest, 3 * VERTICES * sizeof *rest);
    tear_down(&f);
}

// --- What is made of it

static void extraction_fills_it(void **state) {
    (void)state;
    fixture f;
    sn_mesh *skin = NULL;
    sn_mass mass;
    sn_triangles *triangles = NULL;
    set_up(&f, bare, 1);
    uint32_t muscle = surface_of(f.model, "rectus.L");
    sn_model_extract_desc desc = sn_model_extract_desc_default();
    desc.surfaces = &muscle;
    desc.surface_count = 1;
    desc.grid.dimension = 120;
    desc.grid.filter = 1.5;
    desc.grid.threshold = 100; // on the surface
    snt_ok(sn_model_extract_skin(f.model, &desc, NULL, &skin, NULL, error));
    snt_ok(sn_triangles_create(skin, skin->positions, &triangles, error));
    snt_ok(sn_mass_compute(f.context, skin->positions, triangles->vertices, triangles->count, &mass,
                           error));
    sn_body_check *check = NULL;
    snt_ok(sn_body_check_create(f.model, 0.1, NULL, &check, error));
    assert_int_equal(check->muscle_count, 2);
    snt_near(mass.volume / check->muscles[0].volume, 1, 0.15);
    snt_near(check->muscles[0].length, 0.35, 1e-3);
    // Two origins and two insertions of each strip, numbered through.
    uint32_t seen[2] = {0, 0};
    for (uint32_t i = 0; i < check->attachment_count; ++i) {
        const sn_attachment_check *a = &check->attachments[i];
        if (a->muscle == muscle) {
            assert_int_equal(a->number, seen[a->insertion]++);
        }
    }
    assert_int_equal(seen[0], 4);
    assert_int_equal(seen[1], 4);
    sn_body_check_destroy(check);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(skin);
    tear_down(&f);
}

// Takes over an edit of the document into model and frame.
static void recompile(fixture *f) {
    sn_model *model = NULL;
    snt_ok(sn_model_recompile(f->character, f->model, NULL, &model, error));
    sn_frame_destroy(f->frame);
    sn_motion_destroy(f->motion); // it is of the old model
    f->motion = NULL;
    sn_model_destroy(f->model);
    f->model = model;
    snt_ok(sn_frame_create(model, &f->frame, error));
}

static void can_be_changed_alone(void **state) {
    (void)state;
    fixture f;
    set_up(&f, bare, 1);
    sn_value *width =
        sn_json_find(sn_character_document(f.character), "/muscles/rectus.L/strips/0/width");
    assert_non_null(width);
    width->as.number = 0.08;
    recompile(&f);
    snt_ok(sn_frame_evaluate(f.frame, NULL, 0, error));
    uint32_t muscle = surface_of(f.model, "rectus.L");
    assert_memory_equal(sn_frame_points(f.frame, muscle),
                        sn_model_surface(f.model, muscle)->mesh->positions,
                        3 * VERTICES * sizeof(float));
    tear_down(&f);
}

// --- What is refused

static sn_status try_model(fixture *f, const char *text, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(f->context, snt_scratch("leg.sinew.json"), text, &f->character, error));
    SN_TRY(sn_model_create(f->character, NULL, &f->model, error));
cleanup:
    return status;
}

static void refuses(const char *text, const char *message) {
    fixture f = {.context = snt_context(1)};
    char *expected = quoted(message);
    snt_fails(SN_INVALID, expected, try_model(&f, text, error));
    free(expected);
    tear_down(&f);
}

#define WRONG(keys) HEAD MESHES "'muscles': {'rectus': {'kind': 'mesh', " keys "}},\n" CLIP

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    write_files();
    refuses(WRONG("'mesh': 'belly.L'"), "/muscles/rectus: the key 'strips' is missing");
    refuses(WRONG("'mesh': 'belly.L', 'strips': []"),
            "/muscles/rectus/strips: expected at least 1 value, found 0");
    refuses(WRONG("'strips': [" STRIP("0.09") "]"), "/muscles/rectus: the key 'mesh' is missing");
    refuses(WRONG("'mesh': 'bely.L', 'strips': [" STRIP("0.09") "]"),
            "/muscles/rectus/mesh: there is no mesh 'bely.L'; did you mean 'belly.L'?");
    refuses(WRONG("'mesh': 'belly.L', 'width': 1, 'strips': [" STRIP("0.09") "]"),
            "/muscles/rectus/width: unknown key");
    refuses(WRONG("'mesh': 'belly.L', 'strips': [{'slices': 9}]"),
            "/muscles/rectus/strips/0: the key 'origins' is missing");
    refuses(WRONG("'mesh': 'belly.L', 'strips': [" STRIP("0.09") ", {'kind': 'cylinder'}]"),
            "/muscles/rectus/strips/1/kind: unknown key");
    refuses(WRONG("'mesh': 'belly.L', 'strips': [{'slises': 9}]"),
            "/muscles/rectus/strips/0/slises: unknown key; did you mean 'slices'?");
    refuses(WRONG("'mesh': 'belly.L', 'strips': [" STRIP("0.11") "]"),
            "rectus, strip 1: its two origins are at the same place");
    refuses(HEAD "'meshes': {'made': {'extract': {}}},\n"
                 "'muscles': {'rectus': {'kind': 'mesh', 'mesh': 'made', 'strips': [" STRIP(
                     "0.09") "]}},\n" CLIP,
            "/muscles/rectus/mesh: the mesh 'made' is extracted from the body");
}

static void refuses_meshes_without_triangles(void **state) {
    (void)state;
    fixture f;
    parse(&f, bare, 1);
    write_text(snt_scratch("belly.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    snt_fails(SN_INVALID, "belly", sn_model_create(f.character, NULL, &f.model, error));
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_vertices_are_shown_and_written),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(volume_and_length_are_reported),
        cmocka_unit_test(mirrored_muscles_move_alike),
        cmocka_unit_test(skin_hangs_on_it),
        cmocka_unit_test(hidden_surfaces_are_left_out),
        cmocka_unit_test(extraction_fills_it),
        cmocka_unit_test(can_be_changed_alone),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(refuses_meshes_without_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
