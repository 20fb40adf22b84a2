// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/sphere.h"
#include "sinew/geometry.h"

#include <math.h>

static sn_mesh *ellipsoid(sn_context *context, sn_vec3 centre, sn_vec3 radii, sn_quat turn,
                          uint32_t detail) {
    sn_transform transform = {centre, turn, radii};
    sn_mat4 place = sn_mat4_from_transform(&transform);
    sn_mesh *mesh = NULL;
    snt_ok(sni_ellipsoid_mesh(context, "ball", &place, detail, &mesh, error));
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static sn_mesh *ball(sn_context *context, uint32_t detail) {
    return ellipsoid(context, sn_vec3_make(0, 0, 0), sn_vec3_make(1, 1, 1), sn_quat_identity(),
                     detail);
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

// Every edge has two faces that agree: a closed manifold of one piece, with Euler number 2.
static void is_a_closed_manifold(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint32_t detail = 1; detail <= 9; ++detail) {
        sn_mesh *mesh = ball(context, detail);
        sn_topology *topology = NULL;
        sn_topology_summary summary;
        assert_int_equal(mesh->vertex_count, 10 * detail * detail + 2);
        assert_int_equal(mesh->face_count, 20 * detail * detail);
        snt_ok(sn_topology_create(mesh, &topology, error));
        sn_topology_summarize(mesh, topology, &summary);
        assert_true(summary.closed);
        assert_int_equal(summary.components, 1);
        assert_int_equal(summary.loose_vertices, 0);
        assert_int_equal(mesh->vertex_count + mesh->face_count - topology->edge_count, 2);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            snt_near(sn_vec3_length(sn_vec3_load(mesh->positions + 3 * (size_t)v)), 1, 1e-7);
        }
        sn_topology_destroy(topology);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

// The volume of a regular icosahedron in the unit ball is 2.53615; an inscribed one falls short of
// 4 pi / 3 by about the square of its edges.
static void approaches_the_ball(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double exact = 4 * SN_PI / 3, before = 0;
    for (uint32_t detail = 1; detail <= 32; detail *= 2) {
        sn_mesh *mesh = ball(context, detail);
        sn_mass mass = mass_of(mesh);
        double missing = exact - mass.volume;
        if (detail == 1) {
            snt_near(mass.volume, 2.5361507, 1e-6);
        } else {
            assert_true(missing > 0);
            assert_true(missing < (detail == 2 ? 0.5 : 0.3) * before);
        }
        assert_true(detail < SNI_SPHERE_DETAIL || missing < 0.02 * exact);
        before = missing;
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

// Place, turn and radii by hand: a quarter turn about z puts the first radius along y.
static void has_its_radii_where_they_are_turned_to(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_quat quarter = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), SN_PI / 2);
    sn_mesh *mesh =
        ellipsoid(context, sn_vec3_make(1, 2, 3), sn_vec3_make(0.5, 0.25, 2), quarter, 4);
    sn_vec3 low, high;
    sn_mesh_bounds(mesh, &low, &high);
    snt_near(low.x, 0.75, 1e-6);
    snt_near(high.x, 1.25, 1e-6);
    snt_near(low.y, 1.5, 1e-6);
    snt_near(high.y, 2.5, 1e-6);
    snt_near(low.z, 1, 1e-6);
    snt_near(high.z, 5, 1e-6);
    sn_mass mass = mass_of(mesh);
    snt_near(mass.centroid.x, 1, 1e-6);
    snt_near(mass.centroid.y, 2, 1e-6);
    snt_near(mass.centroid.z, 3, 1e-6);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static bool has_vertex(const sn_mesh *mesh, sn_vec3 point) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)v), point) < 1e-6) {
            return true;
        }
    }
    return false;
}

static void is_its_own_mirror_image(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = ball(context, 5);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)v);
        assert_true(has_vertex(mesh, sn_vec3_make(-p.x, p.y, p.z)));
        assert_true(has_vertex(mesh, sn_vec3_make(p.x, -p.y, p.z)));
        assert_true(has_vertex(mesh, sn_vec3_make(p.x, p.y, -p.z)));
    }
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_mat4 place = sn_mat4_identity();
    sn_mesh *mesh = NULL;
    sn_status status = sni_ellipsoid_mesh(context, "ball", &place, 2, &mesh, error);
    sn_mesh_destroy(mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_a_closed_manifold),
        cmocka_unit_test(approaches_the_ball),
        cmocka_unit_test(has_its_radii_where_they_are_turned_to),
        cmocka_unit_test(is_its_own_mirror_image),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
