// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include "solver/sheet.h"

#include <math.h>

static const sni_sheet_material cotton = {
    .density = 0.2, .stretch = 1e-3, .shear = 2e-2, .bend = 1e-4};

typedef sn_vec3 move_fn(sn_vec3 p, double amount);

// The energy C^2 / (2 compliance) of constraints [begin, end) after a motion of the mesh.
static double energy(const sni_sheet *sheet, const sn_mesh *mesh, uint32_t begin, uint32_t end,
                     move_fn *move, double amount) {
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_constraint *c = &sheet->constraints[i];
        sn_vec3 vector = {0, 0, 0};
        for (uint32_t k = 0; k < c->count; ++k) {
            sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)c->particles[k]);
            vector = sn_vec3_add_scaled(vector, c->factors[k], move(p, amount));
        }
        double value = sn_vec3_length(vector) - c->rest;
        sum += value * value / (2 * c->compliance);
    }
    return sum;
}

static sn_vec3 stay(sn_vec3 p, double amount) {
    (void)amount;
    return p;
}

static sn_vec3 stretch_x(sn_vec3 p, double amount) {
    p.x *= 1 + amount;
    return p;
}

static sn_vec3 shear_x(sn_vec3 p, double amount) {
    p.x += amount * p.z;
    return p;
}

// Rolled up about the z axis.
static sn_vec3 roll_x(sn_vec3 p, double curvature) {
    return sn_vec3_make(sin(p.x * curvature) / curvature, (1 - cos(p.x * curvature)) / curvature,
                        p.z);
}

static sn_vec3 roll_z(sn_vec3 p, double curvature) {
    return sn_vec3_make(p.x, (1 - cos(p.z * curvature)) / curvature,
                        sin(p.z * curvature) / curvature);
}

// A fold, after which lengths are as before, and a turn of all.
static sn_vec3 turn(sn_vec3 p, double angle) {
    return sn_vec3_make(cos(angle) * p.x - sin(angle) * p.y, sin(angle) * p.x + cos(angle) * p.y,
                        p.z + 3);
}

static void masses_are_density_times_area(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int triangles = 0; triangles < 2; ++triangles) {
        sn_mesh *mesh = snt_grid(context, "grid", 7, 5, 2, 1.5, triangles);
        sni_sheet *sheet = NULL;
        snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
        double total = 0;
        for (uint32_t i = 0; i < sheet->particle_count; ++i) {
            assert_true(sheet->masses[i] > 0);
            total += sheet->masses[i];
        }
        snt_near(total, 0.2 * 3, 1e-6);
        sni_sheet_destroy(sheet);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

// The energy per area of a strain e is e^2 / (2 stretch), that of a shear g is g^2 / (2 shear), for
// sheets of any fineness and proportion of their quads.
static void moduli_do_not_depend_on_the_mesh(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const uint32_t sizes[][2] = {{1, 1}, {4, 4}, {20, 15}, {3, 30}};
    for (int i = 0; i < 4; ++i) {
        sn_mesh *mesh = snt_grid(context, "grid", sizes[i][0], sizes[i][1], 0.8, 0.6, false);
        sni_sheet *sheet = NULL;
        snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
        uint32_t stretches = sheet->stretch_count, shears = stretches + sheet->shear_count;
        assert_int_equal(sheet->shear_count, 2 * mesh->face_count);
        double stretched = energy(sheet, mesh, 0, stretches, stretch_x, 0.01);
        snt_near(stretched / (0.48 * 0.01 * 0.01 / (2 * 1e-3)), 1, 1e-4);
        // The two diagonals of an oblong quad are not at right angles: 4 r^2 / (1 + r^2)^2.
        double ratio = 0.8 / sizes[i][0] / (0.6 / sizes[i][1]);
        double share = 4 * ratio * ratio / pow(1 + ratio * ratio, 2);
        double sheared = energy(sheet, mesh, stretches, shears, shear_x, 0.01);
        snt_near(sheared / (0.48 * 0.01 * 0.01 / (2 * 2e-2)) / share, 1, 0.01);
        sni_sheet_destroy(sheet);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

// A sheet rolled to the curvature k has the energy bend k^2 / 2 per area, whichever way it is
// rolled; its ends, half a row each, are not bent.
static void bending_has_the_energy_of_a_plate(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint32_t side = 10; side <= 40; side *= 2) {
        for (int triangles = 0; triangles < 2; ++triangles) {
            sn_mesh *mesh = snt_grid(context, "grid", side, side, 1, 1, triangles);
            sni_sheet *sheet = NULL;
            snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
            uint32_t begin = sheet->stretch_count + sheet->shear_count;
            double expected = 1e-4 / 2;
            double along_x = energy(sheet, mesh, begin, sheet->constraint_count, roll_x, 1);
            double along_z = energy(sheet, mesh, begin, sheet->constraint_count, roll_z, 1);
            snt_near(along_x / expected, 1, 3.0 / side);
            snt_near(along_z / expected, 1, 3.0 / side);
            sni_sheet_destroy(sheet);
            sn_mesh_destroy(mesh);
        }
    }
    snt_context_end(context);
}

static void equilateral_triangles_are_as_stiff(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { SIDE = 80 };
    sn_mesh *mesh = snt_grid(context, "grid", SIDE, SIDE, 1, sqrt(0.75), true);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) { // (0, 0), (1, 1) become neighbours
        mesh->positions[3 * (size_t)i] -= 0.5f / SIDE * (float)(i / (SIDE + 1));
    }
    sni_sheet *sheet = NULL;
    snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
    uint32_t begin = sheet->stretch_count + sheet->shear_count;
    double expected = 1e-4 / 2 * sqrt(0.75);
    snt_near(energy(sheet, mesh, begin, sheet->constraint_count, roll_x, 1) / expected, 1, 0.04);
    snt_near(energy(sheet, mesh, begin, sheet->constraint_count, roll_z, 1) / expected, 1, 0.04);
    sni_sheet_destroy(sheet);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void the_rest_state_has_no_energy(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_grid(context, "grid", 9, 9, 1, 1, false);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) { // a sleeve, not flat
        float *p = mesh->positions + 3 * (size_t)i;
        sn_vec3_store(roll_x(sn_vec3_load(p), 4), p);
    }
    sni_sheet *sheet = NULL;
    snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
    snt_near(energy(sheet, mesh, 0, sheet->constraint_count, stay, 0), 0, 1e-12);
    snt_near(energy(sheet, mesh, 0, sheet->constraint_count, turn, 0.7), 0, 1e-12);
    sni_sheet_destroy(sheet);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void samples_are_faces_edges_vertices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_grid(context, "grid", 2, 2, 1, 1, false);
    sni_sheet *sheet = NULL;
    snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
    assert_int_equal(sheet->sample_count, 4 + 12 + 9);
    assert_int_equal(sheet->samples[0].count, 4);
    assert_int_equal(sheet->samples[4].count, 2);
    assert_int_equal(sheet->samples[16].count, 1);
    for (uint32_t i = 0; i < sheet->sample_count; ++i) {
        double sum = 0;
        for (uint32_t k = 0; k < sheet->samples[i].count; ++k) {
            sum += sheet->samples[i].weights[k];
        }
        snt_near(sum, 1, 1e-15);
    }
    sni_sheet_destroy(sheet);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Doubled faces, three at an edge, no area, no length, corners used twice, lines and loose points:
// all of it makes a sheet that the solver takes.
static sn_mesh *make_odd(sn_context *context) {
    static const float points[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},  {0, -1, 0},
                                       {0, 0, 1}, {0, 0, 0}, {.5, 0, 0}, {9, 9, 9}};
    static const uint32_t corners[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 4, 0, 5, 2, 0,
                                       6, 1, 0, 0, 2, 1, 2, 1, 3, 4, 0, 1, 2, 4, 3};
    static const uint32_t offsets[] = {0, 3, 6, 9, 12, 15, 18, 22, 24, 25, 31};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "odd", 8, 10, 31, &mesh, error));
    memcpy(mesh->positions, points, sizeof points);
    memcpy(mesh->corners, corners, sizeof corners);
    memcpy(mesh->face_offsets, offsets, sizeof offsets);
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static sn_status create_odd(sn_context *context, void *user, sn_error *error) {
    sn_mesh *mesh = user;
    sni_sheet *sheet = NULL;
    mesh->context = context;
    sn_status status = sni_sheet_create(mesh, &cotton, &sheet, error);
    sni_sheet_destroy(sheet);
    return status;
}

static void any_mesh_makes_a_sheet(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_odd(context);
    sni_sheet *sheet = NULL;
    sni_xpbd *solver = NULL;
    snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
    double inverse[8];
    for (uint32_t i = 0; i < 8; ++i) {
        inverse[i] = 1 / sheet->masses[i];
        assert_true(sheet->masses[i] > 0 && isfinite(inverse[i]));
    }
    sni_xpbd_desc desc = {.particle_count = 8,
                          .inverse_masses = inverse,
                          .constraint_count = sheet->constraint_count,
                          .constraints = sheet->constraints,
                          .sample_count = sheet->sample_count,
                          .samples = sheet->samples,
                          .step = 0.01};
    snt_ok(sni_xpbd_create(context, &desc, &solver, error));
    sni_xpbd_destroy(solver);
    sni_sheet_destroy(sheet);
    snt_fail_allocations(create_odd, mesh);
    mesh->context = context;
    sn_mesh_destroy(mesh);
    snt_ok(sn_mesh_create(context, "empty", 0, 0, 0, &mesh, error));
    snt_ok(sni_sheet_create(mesh, &cotton, &sheet, error));
    sni_sheet_destroy(sheet);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_are_density_times_area),
        cmocka_unit_test(moduli_do_not_depend_on_the_mesh),
        cmocka_unit_test(bending_has_the_energy_of_a_plate),
        cmocka_unit_test(equilateral_triangles_are_as_stiff),
        cmocka_unit_test(the_rest_state_has_no_energy),
        cmocka_unit_test(samples_are_faces_edges_vertices),
        cmocka_unit_test(any_mesh_makes_a_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
