// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/tube.h"
#include "sinew/geometry.h"

#include <math.h>

#define BENT_COUNT 5
// The ring of a tube that stands on a point of its curve.
static uint32_t ring_at(const sni_tube *tube, uint32_t point) {
    uint32_t half = (tube->detail + 1) / 2;
    return half - 1 + point * half;
}

static const sn_vec3 bent_points[BENT_COUNT] = {
    {0.3, 0, 0}, {0.5, 0.8, 0.4}, {1.4, 1.3, 0.2}, {2, 1, -0.6}, {2.2, 0.2, -0.7}};
static const double bent_radii[2 * BENT_COUNT] = {0.2, 0.1, 0.1,  0.05, 0.15,
                                                  0.1, 0.1, 0.05, 0.02, 0.02};

static sni_tube bent(uint32_t detail) {
    return (sni_tube){.point_count = BENT_COUNT,
                      .points = bent_points,
                      .radii = bent_radii,
                      .cap = 1,
                      .detail = detail};
}

static sn_mesh *make(sn_context *context, const sni_tube *tube) {
    sn_mesh *mesh = NULL;
    snt_ok(sni_tube_check(tube, error));
    snt_ok(sni_tube_mesh(context, "tube", tube, &mesh, error));
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static sn_vec3 vertex(const sn_mesh *mesh, uint32_t v) {
    return sn_vec3_load(mesh->positions + 3 * (size_t)v);
}

static double volume_of(const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sn_mass_compute(mesh->context, mesh->positions, triangles->vertices, triangles->count,
                           &mass, error));
    sn_triangles_destroy(triangles);
    return mass.volume;
}

static void is_a_closed_manifold(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint32_t detail = SNI_TUBE_DETAIL_LEAST; detail <= 9; ++detail) {
        sni_tube tube = bent(detail);
        tube.cap = detail % 3; // flat, round, pointed
        sn_mesh *mesh = make(context, &tube);
        sn_topology *topology = NULL;
        sn_topology_summary summary;
        uint32_t half = (detail + 1) / 2, rings = (BENT_COUNT + 1) * half - 1;
        assert_int_equal(mesh->vertex_count, 4 * half * rings + 2);
        assert_int_equal(mesh->face_count, 8 * half * rings);
        snt_ok(sn_topology_create(mesh, &topology, error));
        sn_topology_summarize(mesh, topology, &summary);
        assert_true(summary.closed);
        assert_int_equal(summary.components, 1);
        assert_int_equal(summary.loose_vertices, 0);
        assert_int_equal(mesh->vertex_count + mesh->face_count - topology->edge_count, 2);
        assert_true(volume_of(mesh) > 0);
        sn_topology_destroy(topology);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

// Every triangle of the sides looks away from the middles of its rings: nothing is folded.
static void does_not_fold(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_tube tube = bent(12);
    sn_mesh *mesh = make(context, &tube);
    uint32_t around = 24;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        const uint32_t *c = mesh->corners + 3 * (size_t)f;
        sn_vec3 a = vertex(mesh, c[0]), b = vertex(mesh, c[1]), d = vertex(mesh, c[2]);
        uint32_t low = c[0] < c[1] ? c[0] : c[1];
        low = low < c[2] ? low : c[2];
        if (low == 0 || c[0] + 1 == mesh->vertex_count) {
            continue;
        }
        uint32_t first = (low - 1) / around * around + 1;
        sn_vec3 middle = {0, 0, 0};
        for (uint32_t i = 0; i < 2 * around; ++i) {
            middle = sn_vec3_add_scaled(middle, 0.5 / around, vertex(mesh, first + i));
        }
        sn_vec3 normal = sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(d, a));
        sn_vec3 out =
            sn_vec3_sub(sn_vec3_scale(sn_vec3_add(a, sn_vec3_add(b, d)), 1.0 / 3), middle);
        assert_true(sn_vec3_dot(normal, out) > 0);
    }
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A straight one of length 3 and radii 0.5 and 0.25: a cylinder and two halves of an ellipsoid
// whose third radius is the smaller one. The polygon of n points in a circle has n / 2 sin(2 pi /
// n) of the square of its radius.
static void has_the_volume_of_a_capsule(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const sn_vec3 points[3] = {{1, 2, 3}, {2, 4, 5}, {3, 6, 7}}; // each 3 from the next
    static const double radii[6] = {0.5, 0.25, 0.5, 0.25, 0.5, 0.25};
    sni_tube tube = {.point_count = 2, .points = points, .radii = radii, .detail = 64};
    sn_mesh *mesh = make(context, &tube);
    double section = 64 * sin(2 * SN_PI / 128) * 0.5 * 0.25;
    snt_near(volume_of(mesh), 3 * section, 1e-6);
    snt_near(volume_of(mesh), 3 * SN_PI * 0.5 * 0.25, 5e-4 * volume_of(mesh));
    sn_mesh_destroy(mesh);
    tube.point_count = 3;
    tube.cap = 1;
    mesh = make(context, &tube);
    double exact = 6 * SN_PI * 0.5 * 0.25 + 4 * SN_PI / 3 * 0.5 * 0.25 * 0.25;
    snt_near(volume_of(mesh), exact, 1e-3 * exact);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Rings on the points have them in their middle, and the asked radii along two axes that stand on
// each other and, as nearly as sections tell, on the curve.
static void stands_around_its_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_tube tube = bent(16);
    tube.side = sn_vec3_make(0, 0, 2);
    sn_mesh *mesh = make(context, &tube);
    uint32_t around = 32;
    for (uint32_t p = 0; p < BENT_COUNT; ++p) {
        uint32_t first = 1 + ring_at(&tube, p) * around;
        for (uint32_t i = 0; i < around; ++i) {
            sn_vec3 arm = sn_vec3_sub(vertex(mesh, first + i), bent_points[p]);
            sn_vec3 half = sn_vec3_lerp(vertex(mesh, first + i),
                                        vertex(mesh, first + (i + around / 2) % around), 0.5);
            snt_near(sn_vec3_distance(half, bent_points[p]), 0, 1e-6);
            double angle = 2 * SN_PI * i / around;
            snt_near(sn_vec3_length(arm),
                     hypot(bent_radii[2 * p] * cos(angle), bent_radii[2 * p + 1] * sin(angle)),
                     1e-6);
        }
        sn_vec3 wide = sn_vec3_sub(vertex(mesh, first), bent_points[p]);
        sn_vec3 thin = sn_vec3_sub(vertex(mesh, first + around / 4), bent_points[p]);
        snt_near(sn_vec3_dot(wide, thin), 0, 1e-6);
    }
    // The first ring's wide axis is as near to the side as the curve lets it be.
    sn_vec3 wide = sn_vec3_sub(vertex(mesh, 1 + ring_at(&tube, 0) * around), bent_points[0]);
    assert_true(wide.z > 0.8 * 0.2);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Distance of a point from the segments between the middles of the rings.
static double distance_from_axis(const sn_mesh *mesh, uint32_t around, sn_vec3 point) {
    double least = INFINITY;
    uint32_t rings = (mesh->vertex_count - 2) / around;
    sn_vec3 before = {0, 0, 0};
    for (uint32_t r = 0; r < rings; ++r) {
        sn_vec3 center = {0, 0, 0};
        for (uint32_t i = 0; i < around; ++i) {
            center = sn_vec3_add_scaled(center, 1.0 / around, vertex(mesh, 1 + r * around + i));
        }
        if (r > 0) {
            sn_vec3 way = sn_vec3_sub(center, before);
            double t = sn_vec3_dot(sn_vec3_sub(point, before), way) / sn_vec3_dot(way, way);
            sn_vec3 foot = sn_vec3_add_scaled(before, fmin(fmax(t, 0), 1), way);
            least = fmin(least, sn_vec3_distance(point, foot));
        }
        before = center;
    }
    return least;
}

// Of one radius everywhere: all vertices are that far from the curve, those of round caps too.
static void keeps_its_distance_from_the_curve(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double radii[2 * BENT_COUNT];
    for (int i = 0; i < 2 * BENT_COUNT; ++i) {
        radii[i] = 0.1;
    }
    sni_tube tube = bent(32);
    tube.radii = radii;
    sn_mesh *mesh = make(context, &tube);
    uint32_t around = 64, first = ring_at(&tube, 0) * around + 1;
    uint32_t end = (ring_at(&tube, BENT_COUNT - 1) + 1) * around + 1;
    for (uint32_t v = first; v < end; ++v) {
        snt_near(distance_from_axis(mesh, around, vertex(mesh, v)), 0.1, 5e-4);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v = v + 1 == first ? end : v + 1) {
        sn_vec3 center = bent_points[v < first ? 0 : BENT_COUNT - 1];
        snt_near(sn_vec3_distance(vertex(mesh, v), center), 0.1, 1e-6);
    }
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Radii between points never leave those of their ends, however they jump.
static void stays_between_its_radii(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const sn_vec3 points[5] = {{0, 0, 0}, {0, 1, 0}, {0, 1.1, 0}, {0, 3, 0}, {0, 4, 0}};
    static const double radii[10] = {0.3, 0.3, 0.3, 0.3, 0.01, 0.01, 0.01, 0.01, 0.3, 0.3};
    sni_tube tube = {.point_count = 5, .points = points, .radii = radii, .detail = 32};
    sn_mesh *mesh = make(context, &tube);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = vertex(mesh, v);
        double radius = hypot(p.x, p.z);
        assert_true(radius < 0.3 + 1e-6);
        assert_true(radius > 0.01 - 1e-6 || p.y < 1e-6 || p.y > 4 - 1e-6);
        assert_true(p.y < 1.1 || p.y > 3 || fabs(radius - 0.01) < 1e-6);
    }
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// For each triangle of `mesh`, one of `mirrored` with the mirrored corners.
static void expect_mirrored(const sn_mesh *mesh, const sn_mesh *mirrored, int axis) {
    static const sn_vec3 signs[3] = {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}};
    uint32_t *image = test_malloc(mesh->vertex_count * sizeof *image);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_multiply(vertex(mesh, v), signs[axis]);
        image[v] = SN_NONE;
        for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
            image[v] = sn_vec3_distance(vertex(mirrored, k), p) < 1e-6 ? k : image[v];
        }
        assert_int_not_equal(image[v], SN_NONE);
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        const uint32_t *c = mesh->corners + 3 * (size_t)f;
        bool found = false;
        for (uint32_t k = 0; k < 3 * mesh->face_count && !found; ++k) {
            const uint32_t *other = mirrored->corners + k / 3 * 3;
            found = image[c[0]] == other[k % 3] && image[c[1]] == other[(k + 2) % 3] &&
                    image[c[2]] == other[(k + 1) % 3];
        }
        assert_true(found);
    }
    test_free(image);
}

static void mirrors_with_its_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int axis = 0; axis < 3; ++axis) {
        for (int with_side = 0; with_side < 2; ++with_side) {
            sn_vec3 points[BENT_COUNT];
            sni_tube tube = bent(8), other = tube;
            tube.side = other.side =
                with_side ? sn_vec3_make(0.5, 0.1, 0.7) : sn_vec3_make(0, 0, 0);
            memcpy(points, bent_points, sizeof points);
            for (int i = 0; i <= BENT_COUNT; ++i) {
                sn_vec3 *p = i < BENT_COUNT ? &points[i] : &other.side;
                double *turned = axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z;
                *turned = -*turned;
            }
            other.points = points;
            sn_mesh *mesh = make(context, &tube), *mirrored = make(context, &other);
            expect_mirrored(mesh, mirrored, axis);
            sn_mesh_destroy(mesh);
            sn_mesh_destroy(mirrored);
        }
    }
    snt_context_end(context);
}

// A tube that runs from one side to the other, as a lower jaw does, is its own mirror image.
static void mirrors_from_end_to_end(void **state) {
    (void)state;
    static const sn_vec3 points[5] = {
        {1, 0, 0}, {0.8, 0.4, 0.3}, {0, 0.5, 0.9}, {-0.8, 0.4, 0.3}, {-1, 0, 0}};
    static const double radii[10] = {0.1, 0.05, 0.2, 0.1, 0.15, 0.1, 0.2, 0.1, 0.1, 0.05};
    sn_context *context = snt_context(1);
    for (int with_side = 0; with_side < 2; ++with_side) {
        sni_tube tube = {.point_count = 5, .points = points, .radii = radii, .detail = 8, .cap = 1};
        tube.side = with_side ? sn_vec3_make(0.5, 0.1, 0.7) : sn_vec3_make(0, 0, 0);
        sn_mesh *mesh = make(context, &tube);
        expect_mirrored(mesh, mesh, 0);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

static void expect_refused(const sni_tube *tube, const char *message) {
    sn_error error = {0};
    assert_int_equal(sni_tube_check(tube, &error), SN_INVALID);
    assert_string_equal(error.message, message);
}

static void refuses_what_has_no_curve(void **state) {
    (void)state;
    sn_vec3 points[3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 0}};
    double radii[6] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    sni_tube tube = {.point_count = 3, .points = points, .radii = radii, .detail = 8};
    snt_ok(sni_tube_check(&tube, error));
    tube.side = sn_vec3_make(0.01, -1, 0);
    expect_refused(&tube, "the tube begins along its \"side\"");
    tube.side = sn_vec3_make(0, 0, 0);
    points[2] = points[0];
    expect_refused(&tube, "the tube turns back at its point 1");
    points[2] = points[1];
    expect_refused(&tube, "points 1 and 2 of the tube coincide");
    points[2] = sn_vec3_make(1, 1e39, 0);
    expect_refused(&tube, "the tube is too large");
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_mesh *mesh = NULL;
    sni_tube tube = bent(4);
    sn_status status = sni_tube_mesh(context, "tube", &tube, &mesh, error);
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
        cmocka_unit_test(does_not_fold),
        cmocka_unit_test(has_the_volume_of_a_capsule),
        cmocka_unit_test(stands_around_its_points),
        cmocka_unit_test(keeps_its_distance_from_the_curve),
        cmocka_unit_test(stays_between_its_radii),
        cmocka_unit_test(mirrors_with_its_points),
        cmocka_unit_test(mirrors_from_end_to_end),
        cmocka_unit_test(refuses_what_has_no_curve),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
