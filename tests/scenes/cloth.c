// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "scenes/cloth.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>

// The shipped character, opened once for all tests.
static sn_context *context;
static sn_character *character;
static sn_model *model;
static sn_motion *drape;
static sn_frame *frame;

static int open_example(void **state) {
    (void)state;
    context = snt_context(2);
    snt_ok(sn_character_load(context, snt_source("examples/cloth/cloth.sinew.json"), &character,
                             error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_motion_open(model, "drape", &drape, error));
    snt_ok(sn_frame_create(model, &frame, error));
    return 0;
}

static int close_example(void **state) {
    (void)state;
    sn_frame_destroy(frame);
    sn_motion_destroy(drape);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
    return 0;
}

static uint32_t find(const char *name) {
    uint32_t surface = 0;
    while (strcmp(sn_model_surface(model, surface)->name, name) != 0) {
        ++surface;
    }
    return surface;
}

static const sn_mesh *mesh_of(const char *name) {
    return sn_model_surface(model, find(name))->mesh;
}

static sn_vec3 place(const char *name, uint32_t vertex) {
    return sn_vec3_load(sn_frame_points(frame, find(name)) + 3 * (size_t)vertex);
}

static void show(uint32_t number) {
    snt_ok(sn_frame_evaluate(frame, drape, number, error));
}

static sn_topology_summary summarize(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    sn_topology_destroy(topology);
    return summary;
}

static void meshes_are_sound(void **state) {
    (void)state;
    sn_topology_summary table = summarize(mesh_of("table"));
    assert_true(table.closed);
    assert_int_equal(table.components, 5); // the top and four legs
    assert_int_equal(mesh_of("sheet")->face_count, 32 * 32);
    assert_int_equal(summarize(mesh_of("sheet")).components, 1);
    assert_true(mesh_of("blue")->vertex_count + mesh_of("white")->vertex_count > 20000);
    assert_int_equal(summarize(mesh_of("blue")).degenerate_faces, 0);
    // Together the two halves of the tablecloth are closed: their faces' vectors sum to nothing.
    sn_vec3 sum = {0, 0, 0};
    static const char *const halves[] = {"blue", "white"};
    for (int i = 0; i < 2; ++i) {
        const sn_mesh *mesh = mesh_of(halves[i]);
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            const uint32_t *c = mesh->corners + mesh->face_offsets[f];
            sn_vec3 first = sn_vec3_load(mesh->positions + 3 * (size_t)c[0]);
            for (uint32_t k = 1; k + 1 < mesh->face_offsets[f + 1] - mesh->face_offsets[f]; ++k) {
                sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)c[k]);
                sn_vec3 q = sn_vec3_load(mesh->positions + 3 * (size_t)c[k + 1]);
                sum = sn_vec3_add(sum, sn_vec3_cross(sn_vec3_sub(p, first), sn_vec3_sub(q, first)));
            }
        }
    }
    snt_near(sn_vec3_length(sum), 0, 1e-5);
}

// The largest depth of points of a surface below that of the table, judged by the closest triangle.
static double deepest(const char *name) {
    const sn_mesh *table = mesh_of("table");
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    double worst = -INFINITY;
    snt_ok(sn_triangles_create(table, table->positions, &triangles, error));
    snt_ok(sn_accel_create(context, table->positions, table->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    for (uint32_t v = 0; v < mesh_of(name)->vertex_count; ++v) {
        sn_closest near;
        sn_vec3 p = place(name, v);
        sn_accel_find_closest(accel, p, 0.05, &near);
        if (near.triangle == SN_NONE) {
            continue;
        }
        const uint32_t *c = triangles->vertices + 3 * (size_t)near.triangle;
        sn_vec3 a = sn_vec3_load(table->positions + 3 * (size_t)c[0]);
        sn_vec3 b = sn_vec3_load(table->positions + 3 * (size_t)c[1]);
        sn_vec3 d = sn_vec3_load(table->positions + 3 * (size_t)c[2]);
        sn_vec3 normal = sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(d, a));
        bool inside = sn_vec3_dot(sn_vec3_sub(p, near.point), normal) <
                      -0.5 * near.distance * sn_vec3_length(normal);
        worst = fmax(worst, inside ? near.distance : -near.distance);
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
    return worst;
}

// How many edges of the sheet pass through its triangles.
static uint32_t count_crossings(void) {
    const sn_mesh *mesh = mesh_of("sheet");
    const float *points = sn_frame_points(frame, find("sheet"));
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    uint32_t crossings = 0;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sn_accel_create(context, points, mesh->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    for (uint32_t i = 0; i < 3 * triangles->count; ++i) {
        sn_vec3 a = place("sheet", triangles->vertices[i]);
        sn_vec3 b = place("sheet", triangles->vertices[i % 3 == 2 ? i - 2 : i + 1]);
        double length = sn_vec3_distance(a, b);
        sn_hit hit;
        sn_accel_cast(accel, a, sn_vec3_sub(b, a), 0.01 * length, 0.99 * length, &hit);
        const uint32_t *c =
            triangles->vertices + 3 * (size_t)(hit.triangle != SN_NONE ? hit.triangle : 0);
        bool own = c[0] == triangles->vertices[i] || c[1] == triangles->vertices[i] ||
                   c[2] == triangles->vertices[i];
        crossings += hit.triangle != SN_NONE && !own;
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
    return crossings;
}

// The sheet keeps its thickness of 12 mm from the table in every frame, its points exactly; of the
// fine surface, which hangs on it, nothing gets through, and its folds do not cross.
static void nothing_goes_through_the_table_or_itself(void **state) {
    (void)state;
    for (uint32_t n = 0; n < sn_motion_frame_count(drape); n += 10) {
        show(n);
        assert_true(deepest("sheet") < -0.012 + 1e-5);
        assert_true(deepest("blue") < 0 && deepest("white") < 0);
        assert_int_equal(count_crossings(), 0);
    }
}

static double sheet_stretch(double *mean) {
    const sn_mesh *mesh = mesh_of("sheet");
    double worst = 0, sum = 0;
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        uint32_t a = mesh->corners[c], b = mesh->corners[c % 4 == 3 ? c - 3 : c + 1];
        double rest = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)a),
                                       sn_vec3_load(mesh->positions + 3 * (size_t)b));
        double strain = sn_vec3_distance(place("sheet", a), place("sheet", b)) / rest - 1;
        worst = fmax(worst, fabs(strain));
        sum += fabs(strain);
    }
    *mean = sum / mesh->corner_count;
    return worst;
}

static void it_drapes(void **state) {
    (void)state;
    uint32_t last = sn_motion_frame_count(drape) - 1;
    show(0);
    snt_near(place("sheet", 0).y, 0.85, 0.05);
    show(last);
    // It lies on the table, its corners hang down, and it has not stretched.
    snt_near(place("sheet", 16 * 33 + 16).y, SCN_CLOTH_TABLE_HEIGHT + 0.012, 1e-3);
    static const uint32_t corners[] = {0, 32, 32 * 33, 33 * 33 - 1};
    for (int i = 0; i < 4; ++i) {
        double y = place("sheet", corners[i]).y;
        assert_true(y > 0.05 && y < SCN_CLOTH_TABLE_HEIGHT - 0.2);
    }
    double mean, worst = sheet_stretch(&mean);
    assert_true(worst < 0.1 && mean < 0.005);
    // It has almost come to rest.
    sn_vec3 before = place("sheet", 0);
    show(last - 1);
    assert_true(sn_vec3_distance(before, place("sheet", 0)) * 30 < 0.5);
}

// The blue vertices in the order of their places at rest.
static const float *sorted_positions;
static int compare_places(const void *a, const void *b) {
    return memcmp(sorted_positions + 3 * (size_t) * (const uint32_t *)a,
                  sorted_positions + 3 * (size_t) * (const uint32_t *)b, 12);
}

static int compare_with(const void *key, const void *member) {
    return memcmp(key, sorted_positions + 3 * (size_t) * (const uint32_t *)member, 12);
}

// Points of the two halves that stood at one place still do.
static void the_halves_stay_together(void **state) {
    (void)state;
    show(sn_motion_frame_count(drape) - 1);
    const sn_mesh *blue = mesh_of("blue"), *white = mesh_of("white");
    uint32_t *order = malloc(blue->vertex_count * sizeof *order), pairs = 0;
    for (uint32_t i = 0; i < blue->vertex_count; ++i) {
        order[i] = i;
    }
    sorted_positions = blue->positions;
    qsort(order, blue->vertex_count, sizeof *order, compare_places);
    for (uint32_t a = 0; a < white->vertex_count; ++a) {
        const uint32_t *b = bsearch(white->positions + 3 * (size_t)a, order, blue->vertex_count,
                                    sizeof *order, compare_with);
        if (b != NULL) {
            ++pairs;
            assert_true(sn_vec3_distance(place("white", a), place("blue", *b)) == 0);
        }
    }
    assert_true(pairs > 2000);
    free(order);
}

static void the_shipped_character_is_what_the_scene_writes(void **state) {
    (void)state;
    char folder[1024], path[1100];
    snprintf(folder, sizeof folder, "%s", snt_scratch("cloth.glb"));
    *strrchr(folder, '/') = 0;
    snt_ok(scn_cloth_build(context, folder, error));
    snprintf(path, sizeof path, "%s/cloth.sinew.json", folder);
    assert_true(snt_same_bytes(path, snt_source("examples/cloth/cloth.sinew.json")));
    assert_true(snt_same_bytes(snt_scratch("sheet.obj"), snt_source("examples/cloth/sheet.obj")));
    assert_true(snt_same_bytes(snt_scratch("cloth.glb"), snt_source("examples/cloth/cloth.glb")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_character_is_what_the_scene_writes),
        cmocka_unit_test(meshes_are_sound),
        cmocka_unit_test(nothing_goes_through_the_table_or_itself),
        cmocka_unit_test(it_drapes),
        cmocka_unit_test(the_halves_stay_together),
    };
    return cmocka_run_group_tests(tests, open_example, close_example);
}
