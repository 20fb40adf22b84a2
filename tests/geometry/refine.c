// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "grid.h"
#include "sinew/geometry.h"

#include <stdlib.h>

static sn_mesh *make_mesh(sn_context *context, const float (*points)[3], uint32_t point_count,
                          const uint32_t *sides, uint32_t face_count, const uint32_t *corners) {
    sn_mesh *mesh = NULL;
    uint32_t corner_count = 0;
    for (uint32_t f = 0; f < face_count; ++f) {
        corner_count += sides[f];
    }
    snt_ok(sn_mesh_create(context, "mesh", point_count, face_count, corner_count, &mesh, error));
    memcpy(mesh->positions, points, point_count * sizeof *points);
    memcpy(mesh->corners, corners, corner_count * sizeof *corners);
    for (uint32_t f = 0; f < face_count; ++f) {
        mesh->face_offsets[f + 1] = mesh->face_offsets[f] + sides[f];
    }
    return mesh;
}

static const float cube_points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const uint32_t cube_sides[6] = {4, 4, 4, 4, 4, 4};
static const uint32_t cube_corners[24] = {3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4,
                                          2, 3, 7, 6, 1, 2, 6, 5, 3, 0, 4, 7};

static sn_refinement *refine(const sn_mesh *mesh) {
    sn_refinement *made = NULL;
    snt_ok(sn_mesh_refine(mesh, &made, error));
    for (uint32_t i = 0; i < made->vertex_count; ++i) {
        double sum = 0;
        for (uint32_t e = made->offsets[i]; e < made->offsets[i + 1]; ++e) {
            assert_true(made->sources[e] < mesh->vertex_count);
            sum += made->weights[e];
        }
        snt_near(sum, 1, 1e-12);
    }
    return made;
}

static double *refined_points(const sn_mesh *mesh, const sn_refinement *made) {
    double *points = malloc(3 * (size_t)mesh->vertex_count * sizeof *points);
    double *finer = malloc(3 * (size_t)made->vertex_count * sizeof *finer);
    assert_true(points != NULL && finer != NULL);
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        points[i] = mesh->positions[i];
    }
    sn_refinement_apply(made, points, 3, finer);
    free(points);
    return finer;
}

// By hand, for the cube of side 2: face points lie at 1, edge points at (1 + 1 + 1/2 + 1/2) / 4 =
// 3/4, and a corner goes to (1/3 + 2 * 2/3) / 3 = 5/9.
static void refines_a_cube(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = make_mesh(context, cube_points, 8, cube_sides, 6, cube_corners);
    sn_refinement *made = refine(cube);
    double *p = refined_points(cube, made);
    assert_int_equal(made->vertex_count, 8 + 12 + 6);
    assert_int_equal(made->quad_count, 24);
    for (uint32_t i = 0; i < made->vertex_count; ++i) {
        double x = fabs(p[3 * i]), y = fabs(p[3 * i + 1]), z = fabs(p[3 * i + 2]);
        double most = fmax(x, fmax(y, z)), least = fmin(x, fmin(y, z));
        snt_near(most, i < 8 ? 5 / 9.0 : i < 20 ? 0.75 : 1, 1e-12);
        snt_near(least, i < 8 ? 5 / 9.0 : 0, 1e-12);
        snt_near(x + y + z, i < 8 ? 15 / 9.0 : i < 20 ? 1.5 : 1, 1e-12);
    }
    free(p);
    sn_refinement_destroy(made);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

static sn_mass mass_of(const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sn_mass_compute(mesh->context, mesh->positions, triangles->vertices, triangles->count,
                           &mass, error));
    sn_triangles_destroy(triangles);
    return mass;
}

// The quads make a closed mesh again, with the faces outside where they were.
static void quads_keep_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const uint32_t sides[5] = {4, 3, 3, 3, 3};
    static const float points[5][3] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 0}};
    static const uint32_t corners[16] = {0, 1, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4};
    sn_mesh *pyramid = make_mesh(context, points, 5, sides, 5, corners);
    sn_refinement *made = refine(pyramid);
    uint32_t quad_sides[16], *list = made->quads;
    float finer[5 + 8 + 5][3];
    double *p = refined_points(pyramid, made);
    assert_int_equal(made->vertex_count, 5 + 8 + 5);
    assert_int_equal(made->quad_count, 16);
    for (uint32_t i = 0; i < 16; ++i) {
        quad_sides[i] = 4;
        assert_int_equal(list[4 * i], corners[i]); // the quad of a corner begins with its vertex
    }
    for (uint32_t i = 0; i < 3 * made->vertex_count; ++i) {
        finer[i / 3][i % 3] = (float)p[i];
    }
    sn_mesh *quads = make_mesh(context, finer, made->vertex_count, quad_sides, 16, list);
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    sn_mass before = mass_of(pyramid), after = mass_of(quads);
    snt_ok(sn_topology_create(quads, &topology, error));
    sn_topology_summarize(quads, topology, &summary);
    assert_true(summary.closed);
    assert_int_equal(summary.components, 1);
    assert_true(before.volume * after.volume > 0);
    assert_true(fabs(after.volume) < fabs(before.volume));
    sn_topology_destroy(topology);
    sn_mesh_destroy(quads);
    free(p);
    sn_refinement_destroy(made);
    sn_mesh_destroy(pyramid);
    snt_context_end(context);
}

// On a regular grid the scheme is that of cubic B-splines: inside, linear functions stay as they
// are, and squares of coordinates grow by 1/4 at the vertices of a grid of step 1. A border is the
// B-spline of its own vertices, so that the same holds along it.
static void keeps_linear_functions(void **state) {
    (void)state;
    enum { COLUMNS = 6, ROWS = 5 };
    sn_context *context = snt_context(1);
    sn_mesh *grid = snt_grid(context, "grid", COLUMNS, ROWS, COLUMNS, ROWS, false);
    sn_refinement *made = refine(grid);
    double *p = refined_points(grid, made), *squares, *finer;
    squares = malloc(grid->vertex_count * sizeof *squares);
    finer = malloc(made->vertex_count * sizeof *finer);
    for (uint32_t i = 0; i < grid->vertex_count; ++i) {
        double x = grid->positions[3 * i];
        squares[i] = x * x;
    }
    sn_refinement_apply(made, squares, 1, finer);
    for (uint32_t i = 0; i < grid->vertex_count; ++i) {
        uint32_t column = i % (COLUMNS + 1), row = i / (COLUMNS + 1);
        bool border_x = column == 0 || column == COLUMNS, border_y = row == 0 || row == ROWS;
        if (!border_x && !border_y) {
            for (int k = 0; k < 3; ++k) {
                snt_near(p[3 * i + k], grid->positions[3 * i + k], 1e-6);
            }
        }
        if (!border_x) { // (1, 6, 1) / 8 across: x^2 + 2/8
            snt_near(finer[i], squares[i] + 0.25, 1e-5);
        }
    }
    free(squares);
    free(finer);
    free(p);
    sn_refinement_destroy(made);
    sn_mesh_destroy(grid);
    snt_context_end(context);
}

static uint32_t row_length(const sn_refinement *made, uint32_t row) {
    return made->offsets[row + 1] - made->offsets[row];
}

// Three faces at one edge, and a vertex without a face: the edge's point is its middle, the vertex
// stays.
static void says_what_it_does_where_there_is_no_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const float points[6][3] = {{0, 0, 0},  {0, 1, 0},   {1, 0, 0},
                                       {-1, 0, 1}, {-1, 0, -1}, {5, 5, 5}};
    static const uint32_t sides[3] = {3, 3, 3};
    static const uint32_t corners[9] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    sn_mesh *fan = make_mesh(context, points, 6, sides, 3, corners);
    sn_refinement *made = refine(fan);
    double *p = refined_points(fan, made);
    snt_near(p[3 * 5], 5, 0);
    assert_int_equal(row_length(made, 5), 1);
    assert_int_equal(row_length(made, 0), 1); // one inner line and three borders end there
    assert_int_equal(row_length(made, 6), 2); // the first edge, 0-1
    snt_near(p[3 * 6 + 1], 0.5, 1e-12);
    free(p);
    sn_refinement_destroy(made);
    sn_mesh_destroy(fan);
    snt_context_end(context);
}

static void refuses_faces_without_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const uint32_t two = 2, four = 4, line[2] = {0, 1}, twice[4] = {0, 1, 2, 1};
    sn_refinement *made = NULL;
    sn_mesh *mesh = make_mesh(context, cube_points, 8, &two, 1, line);
    snt_fails(SN_INVALID, "face 0 has 2 corners", sn_mesh_refine(mesh, &made, error));
    assert_null(made);
    sn_mesh_destroy(mesh);
    mesh = make_mesh(context, cube_points, 8, &four, 1, twice);
    snt_fails(SN_INVALID, "face 0 has vertex 1 twice", sn_mesh_refine(mesh, &made, error));
    sn_mesh_destroy(mesh);
    sn_refinement_destroy(NULL);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_mesh *mesh = NULL;
    sn_refinement *made = NULL;
    sn_status status = sn_mesh_create(context, "cube", 8, 6, 24, &mesh, error);
    if (status == SN_OK) {
        memcpy(mesh->positions, cube_points, sizeof cube_points);
        memcpy(mesh->corners, cube_corners, sizeof cube_corners);
        for (uint32_t f = 0; f < 6; ++f) {
            mesh->face_offsets[f + 1] = 4 * (f + 1);
        }
        status = sn_mesh_refine(mesh, &made, error);
    }
    sn_refinement_destroy(made);
    sn_mesh_destroy(mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

static void refines_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_mesh(context, cube_points, 0, NULL, 0, cube_corners);
    sn_refinement *made = refine(mesh);
    assert_int_equal(made->vertex_count, 0);
    assert_int_equal(made->quad_count, 0);
    sn_refinement_destroy(made);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refines_a_cube),
        cmocka_unit_test(quads_keep_the_surface),
        cmocka_unit_test(keeps_linear_functions),
        cmocka_unit_test(says_what_it_does_where_there_is_no_surface),
        cmocka_unit_test(refuses_faces_without_surface),
        cmocka_unit_test(refines_nothing),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
