// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/density.h"
#include "geometry/isosurface.h"
#include "shapes.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// Solids

static const uint32_t box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

// A box of twelve triangles; `positions` has room for 24 numbers.
static sni_solid box_solid(sn_vec3 low, sn_vec3 high, float *positions) {
    for (int i = 0; i < 8; ++i) {
        sn_vec3_store(sn_vec3_make(i & 1 ? high.x : low.x, i >> 1 & 1 ? high.y : low.y,
                                   i >> 2 ? high.z : low.z),
                      positions + 3 * i);
    }
    return (sni_solid){.name = "box",
                       .value = SNI_DENSITY_VALUE,
                       .positions = positions,
                       .vertex_count = 8,
                       .vertices = box_triangles,
                       .triangle_count = 12};
}

static sni_solid ellipsoid_solid(sn_vec3 centre, sn_vec3 radii, sn_quat turn) {
    sn_transform transform = {centre, turn, radii};
    return (sni_solid){.name = "ball",
                       .value = SNI_DENSITY_VALUE,
                       .ellipsoid = sn_mat4_from_transform(&transform)};
}

static sni_solid ball_solid(sn_vec3 centre, double radius) {
    return ellipsoid_solid(centre, sn_vec3_make(radius, radius, radius), sn_quat_identity());
}

static sni_grid unit_grid(uint32_t x, uint32_t y, uint32_t z) {
    return (sni_grid){.spacing = 1, .dimensions = {x, y, z}};
}

static sni_bricks *voxelize(sn_context *context, const sni_solid *solids, uint32_t count,
                            sni_grid grid) {
    sni_bricks *bricks = NULL;
    snt_ok(sni_density_voxelize(context, solids, count, &grid, NULL, &bricks, error));
    return bricks;
}

// All nodes of the grid's dimensions as an array.
static double *read_all(const sni_bricks *b) {
    const uint32_t *n = b->grid.dimensions;
    double *values = test_malloc((size_t)n[0] * n[1] * n[2] * sizeof *values);
    sni_bricks_read(b, (const int32_t[3]){0, 0, 0},
                    (const int32_t[3]){(int32_t)n[0], (int32_t)n[1], (int32_t)n[2]}, values);
    return values;
}

static double sum_all(const sni_bricks *b) {
    const uint32_t *n = b->grid.dimensions;
    double *values = read_all(b), sum = 0;
    for (size_t i = 0; i < (size_t)n[0] * n[1] * n[2]; ++i) {
        sum += values[i];
    }
    test_free(values);
    return sum;
}

static double value_at(const sni_bricks *b, int32_t x, int32_t y, int32_t z) {
    double value;
    sni_bricks_read(b, (const int32_t[3]){x, y, z}, (const int32_t[3]){1, 1, 1}, &value);
    return value;
}

// ---------------------------------------------------------------------------------------------
// Meshes

// Boxes on the nodes: rows meet edges, vertices and the diagonals of faces. Low sides belong to the
// box, high ones do not.
static void a_box_takes_its_low_sides(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    float positions[24];
    sni_solid box = box_solid(sn_vec3_make(3, 4, 5), sn_vec3_make(13, 10, 22), positions);
    sni_bricks *b = voxelize(context, &box, 1, unit_grid(20, 20, 30));
    snt_near(sum_all(b), 200.0 * 10 * 6 * 17, 0);
    assert_true(value_at(b, 3, 4, 5) == 200 && value_at(b, 13, 4, 5) == 0);
    assert_true(value_at(b, 12, 9, 21) == 200 && value_at(b, 12, 10, 21) == 0);
    assert_true(value_at(b, 12, 9, 22) == 0 && value_at(b, 2, 4, 5) == 0);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// Blocks that fill a box take every node exactly once.
static void boxes_side_by_side_share_no_node(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    float positions[8][24];
    sni_solid boxes[8];
    double alone = 0;
    for (int i = 0; i < 8; ++i) {
        sn_vec3 low = {i & 1 ? 7 : 2, i & 2 ? 9.5 : 2, i & 4 ? 11 : 2};
        sn_vec3 high = {i & 1 ? 14 : 7, i & 2 ? 14 : 9.5, i & 4 ? 14 : 11};
        boxes[i] = box_solid(low, high, positions[i]);
        sni_bricks *b = voxelize(context, &boxes[i], 1, unit_grid(16, 16, 16));
        alone += sum_all(b);
        sni_bricks_destroy(b);
    }
    sni_bricks *b = voxelize(context, boxes, 8, unit_grid(16, 16, 16));
    snt_near(sum_all(b), 200.0 * 12 * 12 * 12, 0);
    snt_near(alone, 200.0 * 12 * 12 * 12, 0);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// A mesh on the nodes, coarse enough that most rows pass through its vertices and along its edges:
// an octahedron |x| + |y| + |z| <= 6, whose open part no rule may lose and outside which nothing
// may leak.
static void an_octahedron_does_not_leak(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const float positions[18] = {22, 16, 16, 10, 16, 16, 16, 22, 16,
                                 16, 10, 16, 16, 16, 22, 16, 16, 10};
    const uint32_t vertices[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                   2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    sni_solid solid = {.name = "octahedron",
                       .value = 1,
                       .positions = positions,
                       .vertex_count = 6,
                       .vertices = vertices,
                       .triangle_count = 8};
    sni_bricks *b = voxelize(context, &solid, 1, unit_grid(32, 32, 32));
    for (int32_t z = 0; z < 32; ++z) {
        for (int32_t y = 0; y < 32; ++y) {
            for (int32_t x = 0; x < 32; ++x) {
                int distance = abs(x - 16) + abs(y - 16) + abs(z - 16);
                double value = value_at(b, x, y, z);
                assert_true(distance == 6 || value == (distance < 6));
            }
        }
    }
    sni_bricks_destroy(b);
    snt_context_end(context);
}

typedef struct random_mesh {
    float *positions;
    uint32_t *vertices;
    sni_solid solid;
} random_mesh;

// A sphere with rounded vertices, so that rows hit many of them exactly.
static random_mesh make_random_mesh(sn_context *context, snt_random *random, sn_vec3 centre) {
    sn_mesh *mesh = snt_sphere(context, 5, 8);
    sn_triangles *triangles = NULL;
    random_mesh m;
    double radius = snt_random_range(random, 3, 9);
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        double c = i % 3 == 0 ? centre.x : i % 3 == 1 ? centre.y : centre.z;
        mesh->positions[i] = (float)(round(2 * (c + radius * mesh->positions[i] *
                                                        snt_random_range(random, 0.9, 1.1))) /
                                     2);
    }
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    size_t position_bytes = 3 * mesh->vertex_count * sizeof(float);
    size_t vertex_bytes = 3 * triangles->count * sizeof(uint32_t);
    m.positions = test_malloc(position_bytes);
    m.vertices = test_malloc(vertex_bytes);
    memcpy(m.positions, mesh->positions, position_bytes);
    memcpy(m.vertices, triangles->vertices, vertex_bytes);
    m.solid = (sni_solid){.name = "random",
                          .value = 200,
                          .positions = m.positions,
                          .vertex_count = mesh->vertex_count,
                          .vertices = m.vertices,
                          .triangle_count = triangles->count};
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    return m;
}

// The solid angle of the mesh over 4 pi: an independent winding number (Van Oosterom and Strackee
// 1983); NAN on a triangle, which fills half of the sky.
static double winding_at(const sni_solid *s, sn_vec3 q) {
    double sum = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        sn_vec3 p[3];
        double l[3];
        for (int i = 0; i < 3; ++i) {
            p[i] = sn_vec3_sub(sn_vec3_load(s->positions + 3 * (size_t)s->vertices[3 * t + i]), q);
            l[i] = sn_vec3_length(p[i]);
        }
        double up = sn_vec3_dot(p[0], sn_vec3_cross(p[1], p[2]));
        double down = l[0] * l[1] * l[2] + sn_vec3_dot(p[0], p[1]) * l[2] +
                      sn_vec3_dot(p[1], p[2]) * l[0] + sn_vec3_dot(p[2], p[0]) * l[1];
        double angle = 2 * atan2(up, down);
        sum += fabs(angle) < 2 * SN_PI - 1e-6 ? angle : NAN;
    }
    return sum / (4 * SN_PI);
}

static void meshes_agree_with_their_solid_angle(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    snt_random random = {5};
    for (int i = 0; i < 6; ++i) {
        random_mesh m = make_random_mesh(context, &random, sn_vec3_make(12, 12.5, 11));
        sni_bricks *b = voxelize(context, &m.solid, 1, unit_grid(24, 24, 24));
        uint32_t compared = 0;
        for (int32_t k = 0; k < 24 * 24 * 24; ++k) {
            int32_t x = k % 24, y = k / 24 % 24, z = k / 576;
            double winding = winding_at(&m.solid, sn_vec3_make(x, y, z));
            if (isnan(winding) || fabs(winding - round(winding)) > 1e-9) {
                continue; // on the surface
            }
            assert_true((value_at(b, x, y, z) == 200) == (fabs(winding) > 0.5));
            ++compared;
        }
        assert_true(compared > 13000);
        sni_bricks_destroy(b);
        test_free(m.positions);
        test_free(m.vertices);
    }
    snt_context_end(context);
}

// A real bone: the nodes within take its volume.
static void a_real_bone_keeps_its_volume(void **state) {
    (void)state;
    const char *path = snt_data("anatomy/bones/FMA24474_right_femur.obj");
    sn_context *context = snt_context(0);
    sn_import *import = NULL;
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_import_file(context, path, &import, error));
    const sn_mesh *mesh = import->meshes[0];
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sn_mass_compute(context, mesh->positions, triangles->vertices, triangles->count, &mass,
                           error));
    const sni_solid solid = {.name = "femur",
                             .value = 1,
                             .positions = mesh->positions,
                             .vertex_count = mesh->vertex_count,
                             .vertices = triangles->vertices,
                             .triangle_count = triangles->count};
    sni_grid grid;
    snt_ok(sni_density_layout(&solid, 1, 300, 1, &grid, error));
    sni_bricks *b = voxelize(context, &solid, 1, grid);
    snt_near(sum_all(b) * pow(grid.spacing, 3) / mass.volume, 1, 0.003);
    sni_bricks_destroy(b);
    sn_triangles_destroy(triangles);
    sn_import_destroy(import);
    snt_context_end(context);
}

// Two overlapping shells in one mesh are their union.
static void shells_may_overlap(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    float positions[48];
    uint32_t vertices[72];
    box_solid(sn_vec3_make(2, 2, 2), sn_vec3_make(10, 10, 10), positions);
    sni_solid solid = box_solid(sn_vec3_make(6, 6, 6), sn_vec3_make(14, 14, 14), positions + 24);
    for (int i = 0; i < 36; ++i) {
        vertices[i] = box_triangles[i];
        vertices[36 + i] = box_triangles[i] + 8;
    }
    solid.positions = positions;
    solid.vertex_count = 16;
    solid.vertices = vertices;
    solid.triangle_count = 24;
    sni_bricks *b = voxelize(context, &solid, 1, unit_grid(16, 16, 16));
    snt_near(sum_all(b), 200.0 * (2 * 512 - 64), 0);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// Solids that stick out of the grid are cut, on every side.
static void solids_are_cut_by_the_grid(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    float positions[24];
    const sni_solid solids[2] = {
        box_solid(sn_vec3_make(-5, -7, -3), sn_vec3_make(100, 30, 20), positions),
        ball_solid(sn_vec3_make(8, 8, 8), 100)};
    for (int i = 0; i < 2; ++i) {
        sni_bricks *b = voxelize(context, &solids[i], 1, unit_grid(16, 16, 16));
        snt_near(sum_all(b), 200.0 * 16 * 16 * 16, 0);
        sni_bricks_destroy(b);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Ellipsoids and values

static void ellipsoids_take_the_nodes_within(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sn_quat turn = sn_quat_normalize((sn_quat){0.3, -0.5, 0.2, 0.7});
    sn_vec3 centre = {13.2, 11.7, 12.4}, radii = {9.1, 5.2, 3.3};
    sni_solid solid = ellipsoid_solid(centre, radii, turn);
    sni_bricks *b = voxelize(context, &solid, 1, unit_grid(26, 26, 26));
    for (int32_t i = 0; i < 26 * 26 * 26; ++i) {
        int32_t x = i % 26, y = i / 26 % 26, z = i / 676;
        sn_vec3 p =
            sn_quat_rotate(sn_quat_conjugate(turn), sn_vec3_sub(sn_vec3_make(x, y, z), centre));
        double r = pow(p.x / radii.x, 2) + pow(p.y / radii.y, 2) + pow(p.z / radii.z, 2);
        assert_true(fabs(r - 1) < 1e-9 || (value_at(b, x, y, z) == 200) == (r < 1));
    }
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// Solids far smaller than a node: those that hold one take it, the others nothing.
static void tiny_solids_are_no_trouble(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    float positions[24];
    const sni_solid solids[4] = {
        ball_solid(sn_vec3_make(3, 3, 3), 1e-6), ball_solid(sn_vec3_make(3.5, 3, 3), 1e-6),
        ball_solid(sn_vec3_make(5, 5, 5), 1e-100),
        box_solid(sn_vec3_make(6.25, 6, 6), sn_vec3_make(6.5, 6.5, 6.5), positions)};
    sni_bricks *b = voxelize(context, solids, 4, unit_grid(8, 8, 8));
    assert_true(sum_all(b) == 200 && value_at(b, 3, 3, 3) == 200);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// Negative values win over positive ones, larger ones over smaller, in any order of the solids.
static void negative_solids_win(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    const double values[4] = {200, -100, 50, -30};
    for (int order = 0; order < 24; ++order) {
        int places[4] = {order % 4, order / 4 % 3, order / 12, 0};
        sni_solid solids[4];
        bool taken[4] = {false};
        for (int i = 0; i < 4; ++i) {
            int skip = places[i], which = 0;
            while (taken[which] || skip-- > 0) {
                ++which;
            }
            taken[which] = true;
            // Each around its own centre; all four hold (8, 8, 8).
            const sn_vec3 centres[4] = {{6, 8, 8}, {10, 8, 8}, {8, 6, 8}, {8, 10, 8}};
            solids[i] = ball_solid(centres[which], 3);
            solids[i].value = values[which];
        }
        sni_bricks *b = voxelize(context, solids, 4, unit_grid(16, 16, 16));
        assert_true(value_at(b, 8, 8, 8) == -100);
        assert_true(value_at(b, 4, 8, 8) == 200 && value_at(b, 12, 8, 8) == -100);
        assert_true(value_at(b, 7, 7, 8) == 200 && value_at(b, 8, 4, 8) == 50);
        assert_true(value_at(b, 8, 12, 8) == -30 && value_at(b, 1, 1, 1) == 0);
        sni_bricks_destroy(b);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Filter

// The three passes over a whole array, each node by itself.
static void filter_dense(float *values, const int32_t n[3], double sigma) {
    float weights[400];
    sni_density_weights(sigma, weights);
    int32_t radius = (int32_t)sni_density_radius(sigma);
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    float *before = test_malloc(count * sizeof *before);
    const ptrdiff_t strides[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(before, values, count * sizeof *before);
        for (size_t i = 0; i < count; ++i) {
            int32_t at = (int32_t)(i / (size_t)strides[axis] % (size_t)n[axis]);
            float sum = weights[0] * before[i];
            for (int32_t k = 1; k <= radius; ++k) {
                float low = at - k >= 0 ? before[(ptrdiff_t)i - k * strides[axis]] : 0;
                float high = at + k < n[axis] ? before[(ptrdiff_t)i + k * strides[axis]] : 0;
                sum = fmaf(weights[k], low + high, sum);
            }
            values[i] = sum;
        }
    }
    test_free(before);
}

static void check_filter(sn_context *context, const sni_bricks *b, double sigma) {
    const int32_t n[3] = {(int32_t)b->counts[0] * 8, (int32_t)b->counts[1] * 8,
                          (int32_t)b->counts[2] * 8};
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    double *found = test_malloc(count * sizeof *found);
    float *expected = test_malloc(count * sizeof *expected);
    sni_bricks *filtered = NULL;
    (void)context;
    sni_bricks_read(b, (const int32_t[3]){0, 0, 0}, n, found);
    for (size_t i = 0; i < count; ++i) {
        expected[i] = (float)found[i];
    }
    filter_dense(expected, n, sigma);
    snt_ok(sni_density_filter(b, sigma, NULL, &filtered, error));
    sni_bricks_read(filtered, (const int32_t[3]){0, 0, 0}, n, found);
    for (size_t i = 0; i < count; ++i) {
        assert_true((float)found[i] == expected[i]);
    }
    sni_bricks_destroy(filtered);
    test_free(found);
    test_free(expected);
}

// Bit for bit, for narrow and wide filters, bodies at the border and in large empty and full parts.
static void the_filter_equals_the_dense_one(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sni_solid solids[3] = {ball_solid(sn_vec3_make(45, 40, 50), 38),
                           ball_solid(sn_vec3_make(2, 3, 1), 9),
                           ball_solid(sn_vec3_make(60, 40, 50), 12)};
    solids[2].value = -100;
    sni_bricks *b = voxelize(context, solids, 3, unit_grid(90, 75, 110));
    check_filter(context, b, 0);
    check_filter(context, b, 0.3);
    check_filter(context, b, 1);
    check_filter(context, b, 3.2);
    check_filter(context, b, 9);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// Any number at each node within a ball, from the node's place in a grid of 48 nodes; mirrored by
// the bits of `mirror` along x, y and z.
static float noise_at(uint32_t x, uint32_t y, uint32_t z, uint32_t mirror) {
    sn_vec3 p = {mirror & 1 ? 47 - x : x, mirror & 2 ? 47 - y : y, mirror & 4 ? 47 - z : z};
    snt_random random = {(uint64_t)(p.x + 64 * p.y + 4096 * p.z) * 7919};
    snt_random_u32(&random);
    double value = snt_random_range(&random, -100, 200);
    return sn_vec3_distance(p, sn_vec3_make(17, 20, 30)) < 9 ? (float)value : 0;
}

static sni_bricks *make_noise(sn_context *context, const sni_grid *grid, uint32_t mirror) {
    sni_bricks *b = NULL;
    snt_ok(sni_bricks_create(context, grid, 0, &b, error));
    for (uint32_t brick = 0; brick < b->brick_count; ++brick) {
        float *values = sni_alloc(context, SNI_BRICK_NODES, sizeof *values);
        bool dense = false;
        for (uint32_t i = 0; i < SNI_BRICK_NODES; ++i) {
            uint32_t x = brick % b->counts[0] * SNI_BRICK + i % SNI_BRICK;
            uint32_t y =
                brick / b->counts[0] % b->counts[1] * SNI_BRICK + i / SNI_BRICK % SNI_BRICK;
            uint32_t z =
                brick / b->counts[0] / b->counts[1] * SNI_BRICK + i / SNI_BRICK / SNI_BRICK;
            values[i] = noise_at(x, y, z, mirror);
            dense = dense || values[i] != 0;
        }
        if (dense) {
            b->chunks[brick] = b->dense[brick] = values;
        } else {
            sni_free(context, values);
        }
    }
    return b;
}

static void mirrored_grids_give_mirrored_bits(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sni_grid grid = unit_grid(48, 48, 48);
    double *values[2];
    for (uint32_t i = 0; i < 2; ++i) {
        sni_bricks *b = make_noise(context, &grid, 7 * i), *filtered = NULL;
        snt_ok(sni_density_filter(b, 2.1, NULL, &filtered, error));
        values[i] = read_all(filtered);
        sni_bricks_destroy(b);
        sni_bricks_destroy(filtered);
    }
    for (size_t i = 0, last = 48 * 48 * 48 - 1; i <= last; ++i) {
        assert_true(values[0][i] == values[1][last - i]);
    }
    test_free(values[0]);
    test_free(values[1]);
    snt_context_end(context);
}

static void weights_sum_to_one(void **state) {
    (void)state;
    assert_int_equal(sni_density_radius(SNI_DENSITY_SIGMA), 10);
    assert_int_equal(sni_density_radius(0), 0);
    const double sigmas[4] = {0, 0.5, 3.2, 100};
    for (int i = 0; i < 4; ++i) {
        float weights[400];
        uint32_t radius = sni_density_radius(sigmas[i]);
        sni_density_weights(sigmas[i], weights);
        double sum = weights[0];
        for (uint32_t k = 1; k <= radius; ++k) {
            sum += 2.0 * weights[k];
            assert_true(weights[k] < weights[k - 1]);
        }
        snt_near(sum, 1, 1e-6);
    }
}

// The level 35 of a blurred half-space lies 0.9346 sigma outside its boundary. Nodes up to and with
// x = 39.0 are inside: the boundary of their cells stands at 39.5.
static void the_level_lies_outside_the_boundary(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    float positions[24];
    sni_solid box = box_solid(sn_vec3_make(10, 10, 10), sn_vec3_make(40, 90, 90), positions);
    sni_bricks *b = voxelize(context, &box, 1, unit_grid(64, 100, 100)), *filtered = NULL;
    snt_ok(sni_density_filter(b, 3.2, NULL, &filtered, error));
    double place = 40;
    while (value_at(filtered, (int32_t)place, 50, 50) > 35) {
        ++place;
    }
    double high = value_at(filtered, (int32_t)place - 1, 50, 50);
    double low = value_at(filtered, (int32_t)place, 50, 50);
    place -= (35 - low) / (high - low);
    snt_near(place, 39.5 + 0.9346 * 3.2, 0.03);
    sni_bricks_destroy(b);
    sni_bricks_destroy(filtered);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Storage

// Memory goes with the surface: twice the size, four times the dense bricks.
static void memory_goes_with_the_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    double dense[2];
    for (int i = 0; i < 2; ++i) {
        double r = i == 0 ? 100 : 200;
        sni_solid ball = ball_solid(sn_vec3_make(r + 20, r + 20, r + 20), r);
        uint32_t n = (uint32_t)(2 * r + 40);
        sni_bricks *b = voxelize(context, &ball, 1, unit_grid(n, n, n));
        dense[i] = 0;
        for (uint32_t k = 0; k < b->brick_count; ++k) {
            dense[i] += b->dense[k] != NULL;
        }
        sni_bricks_destroy(b);
    }
    snt_near(dense[1] / dense[0], 4, 0.2);
    snt_context_end(context);
}

// The nodes of the grid for mirrored solids are the mirrored ones, where the solids may have
// density.
static void lays_out_mirrored_grids(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 200; ++round) {
        double numbers[4];
        for (int k = 0; k < 4; ++k) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            numbers[k] = (double)(seed >> 40) / (1 << 24);
        }
        double x = round % 4 == 0 ? 0 : 2 * numbers[0] - 1;
        sni_solid solids[2] = {ball_solid(sn_vec3_make(x, numbers[1], 0), 0.1 + numbers[2]),
                               ball_solid(sn_vec3_make(0, numbers[3], 0.5), 0.5)};
        sni_grid grids[2];
        snt_ok(sni_density_layout(solids, 2, 60 + (uint32_t)round, 8, &grids[0], error));
        solids[0].ellipsoid.m[12] = -x;
        snt_ok(sni_density_layout(solids, 2, 60 + (uint32_t)round, 8, &grids[1], error));
        assert_true(grids[0].spacing == grids[1].spacing);
        double h = grids[0].spacing, reach = 0.1 + numbers[2];
        double low = fmin(x - reach, -0.5), high = fmax(x + reach, 0.5);
        for (int k = 0; k < 2; ++k) {
            double first = grids[k].origin.x / h, last = first + grids[k].dimensions[0] - 1;
            snt_near(remainder(first, 2), 0, 1e-9);
            // Seven nodes at least beside the nodes within the box, which is the mirrored one.
            assert_true(first <= ceil((k == 0 ? low : -high) / h) - 8 + 1e-9);
            assert_true(last >= floor((k == 0 ? high : -low) / h) + 7 - 1e-9);
        }
        uint32_t most = 0;
        for (int axis = 0; axis < 3; ++axis) {
            most = grids[0].dimensions[axis] > most ? grids[0].dimensions[axis] : most;
        }
        assert_int_equal(most, 60 + round);
    }
}

static void lays_out_a_grid(void **state) {
    (void)state;
    const sni_solid solids[2] = {ball_solid(sn_vec3_make(1, 2, 3), 0.5),
                                 ball_solid(sn_vec3_make(1, 4, 3), 0.5)};
    sni_grid grid;
    snt_ok(sni_density_layout(solids, 2, 225, 11, &grid, error));
    assert_int_equal(grid.dimensions[1], 225);
    snt_near(grid.spacing, 3.0 / 202, 1e-15);
    // The lowest nodes that lie in the balls are 101 (y: 1.5) and 34 (x: 0.5), the highest 303 and
    // 101; before the margin of 11 come even ones.
    snt_near(grid.origin.y, 90 * grid.spacing, 1e-12);
    snt_near(grid.origin.x, 22 * grid.spacing, 1e-12);
    assert_int_equal(grid.dimensions[0], 101 + 11 - 22 + 1);
    snt_near(grid.origin.z, 158 * grid.spacing, 1e-12); // 169 - 11 = 158 (z: 2.5)
    assert_int_equal(grid.dimensions[2], 235 + 11 - 158 + 1);
    snt_fails(SN_INVALID, "22", sni_density_layout(solids, 2, 22, 11, &grid, error));
    snt_fails(SN_INVALID, "no solid", sni_density_layout(solids, 0, 225, 11, &grid, error));
    sni_solid negative = solids[0];
    negative.value = -1;
    snt_fails(SN_INVALID, "no solid", sni_density_layout(&negative, 1, 225, 11, &grid, error));
}

// ---------------------------------------------------------------------------------------------
// Bad input

static void refuses_meshes_without_an_inside(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    float positions[24];
    uint32_t vertices[36];
    sni_solid box = box_solid(sn_vec3_make(3, 4, 5), sn_vec3_make(13, 10, 22), positions);
    sni_solid open = box, turned = box, flipped = box, flat = box, stray = box, none = box;
    open.name = "left femur";
    open.triangle_count = 11; // without 1 7 5
    snt_fails(SN_INVALID, "left femur: the mesh is open",
              sni_solids_check(context, &open, 1, error));
    snt_fails(SN_INVALID, "vertices 1 and 5", sni_solids_check(context, &open, 1, error));
    for (int i = 0; i < 36; i += 3) {
        vertices[i] = box_triangles[i];
        vertices[i + 1] = box_triangles[i + 2];
        vertices[i + 2] = box_triangles[i + 1];
    }
    turned.vertices = vertices;
    snt_fails(SN_INVALID, "box: the mesh is inside out",
              sni_solids_check(context, &turned, 1, error));
    uint32_t one[36];
    memcpy(one, box_triangles, sizeof one);
    one[1] = box_triangles[2];
    one[2] = box_triangles[1];
    flipped.vertices = one;
    snt_fails(SN_INVALID, "2 more triangles run", sni_solids_check(context, &flipped, 1, error));
    float no_height[24];
    memcpy(no_height, positions, sizeof no_height);
    for (int i = 0; i < 8; ++i) {
        no_height[3 * i + 1] = 4;
    }
    flat.positions = no_height;
    snt_fails(SN_INVALID, "no volume", sni_solids_check(context, &flat, 1, error));
    one[1] = 8;
    stray.vertices = one;
    snt_fails(SN_INVALID, "names vertex 8 of 8", sni_solids_check(context, &stray, 1, error));
    none.triangle_count = 0;
    none.name = NULL;
    snt_fails(SN_INVALID, "solid 0: the mesh has no triangles",
              sni_solids_check(context, &none, 1, error));
    positions[7] = NAN;
    snt_fails(SN_INVALID, "vertex 2 is not finite", sni_solids_check(context, &box, 1, error));
    snt_context_end(context);
}

static void refuses_bad_numbers(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sni_solid flat =
        ellipsoid_solid(sn_vec3_make(8, 8, 8), sn_vec3_make(3, 0, 3), sn_quat_identity());
    sni_solid broken = ball_solid(sn_vec3_make(8, NAN, 8), 3),
              value = ball_solid(sn_vec3_make(8, 8, 8), 3);
    sni_solid good = value;
    value.value = INFINITY;
    snt_fails(SN_INVALID, "ball: the ellipsoid has no volume",
              sni_solids_check(context, &flat, 1, error));
    snt_fails(SN_INVALID, "nan", sni_solids_check(context, &broken, 1, error));
    snt_fails(SN_INVALID, "inf", sni_solids_check(context, &value, 1, error));
    sni_bricks *b = NULL, *filtered = NULL;
    sni_grid empty = unit_grid(0, 8, 8), wrong = unit_grid(8, 8, 8);
    sni_grid huge = unit_grid(1u << 29, 1u << 29, 1u << 29);
    wrong.spacing = NAN;
    snt_fails(SN_INVALID, "0 x 8 x 8",
              sni_density_voxelize(context, &good, 1, &empty, NULL, &b, error));
    snt_fails(SN_INVALID, "spacing",
              sni_density_voxelize(context, &good, 1, &wrong, NULL, &b, error));
    snt_fails(SN_LIMIT, "too large",
              sni_density_voxelize(context, &good, 1, &huge, NULL, &b, error));
    b = voxelize(context, &good, 1, unit_grid(16, 16, 16));
    snt_fails(SN_INVALID, "-1", sni_density_filter(b, -1, NULL, &filtered, error));
    snt_fails(SN_INVALID, "nan", sni_density_filter(b, NAN, NULL, &filtered, error));
    snt_fails(SN_LIMIT, "101", sni_density_filter(b, 101, NULL, &filtered, error));
    assert_null(filtered);
    // A body that the filter spreads too thin for the threshold.
    snt_ok(sni_density_filter(b, 12, NULL, &filtered, error));
    sni_field field = sni_field_from_bricks(filtered);
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    sni_isosurface *s = NULL;
    desc.level = SNI_DENSITY_THRESHOLD;
    snt_fails(SN_INVALID, "no surface at the level 35",
              sni_isosurface_create(context, &field, &desc, NULL, &s, error));
    sni_bricks_destroy(b);
    sni_bricks_destroy(filtered);
    snt_context_end(context);
}

static bool stop(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    (void)user;
    return false;
}

static void can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sni_solid ball = ball_solid(sn_vec3_make(16, 16, 16), 5);
    sni_grid grid = unit_grid(32, 32, 32);
    sn_progress progress = {stop, NULL};
    sni_bricks *b = NULL, *filtered = NULL;
    snt_fails(SN_CANCELLED, "voxelizing",
              sni_density_voxelize(context, &ball, 1, &grid, &progress, &b, error));
    b = voxelize(context, &ball, 1, grid);
    snt_fails(SN_CANCELLED, "filtering", sni_density_filter(b, 2, &progress, &filtered, error));
    assert_null(filtered);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// The whole way

// A body of ellipsoids and a box, with a hollow for an eye.
static sn_status make_skin(sn_context *context, sni_isosurface **surface, sn_error *error) {
    sn_status status = SN_OK;
    float positions[24];
    sni_solid solids[4] = {
        ball_solid(sn_vec3_make(0, 0, 0), 0.5),
        ellipsoid_solid(sn_vec3_make(0.6, 0.1, 0), sn_vec3_make(0.5, 0.2, 0.3), sn_quat_identity()),
        box_solid(sn_vec3_make(-0.2, -1, -0.2), sn_vec3_make(0.2, -0.2, 0.2), positions),
        ball_solid(sn_vec3_make(-0.3, 0.2, 0.4), 0.2)};
    solids[3].value = -100;
    sni_grid grid;
    sni_bricks *b = NULL, *filtered = NULL;
    *surface = NULL;
    SN_TRY(sni_density_layout(solids, 4, 60, 8, &grid, error));
    SN_TRY(sni_density_voxelize(context, solids, 4, &grid, NULL, &b, error));
    SN_TRY(sni_density_filter(b, 2, NULL, &filtered, error));
    sni_field field = sni_field_from_bricks(filtered);
    sni_isosurface_desc desc = sni_isosurface_desc_default();
    desc.level = SNI_DENSITY_THRESHOLD;
    SN_TRY(sni_isosurface_create(context, &field, &desc, NULL, surface, error));
cleanup:
    sni_bricks_destroy(b);
    sni_bricks_destroy(filtered);
    return status;
}

static void threads_do_not_show(void **state) {
    (void)state;
    const uint32_t threads[4] = {1, 2, 3, 8};
    sn_context *contexts[4];
    sni_isosurface *s[4];
    for (int i = 0; i < 4; ++i) {
        contexts[i] = snt_context(threads[i]);
        snt_ok(make_skin(contexts[i], &s[i], error));
        assert_int_equal(s[i]->vertex_count, s[0]->vertex_count);
        assert_int_equal(s[i]->triangle_count, s[0]->triangle_count);
        assert_memory_equal(s[i]->points, s[0]->points, s[0]->vertex_count * sizeof(sn_vec3));
        assert_memory_equal(s[i]->vertices, s[0]->vertices,
                            s[0]->triangle_count * 3 * sizeof(uint32_t));
    }
    assert_int_equal(s[0]->piece_count, 1);
    assert_int_equal(s[0]->vertex_count, s[0]->triangle_count / 2 + 2);
    for (int i = 0; i < 4; ++i) {
        sni_isosurface_destroy(s[i]);
        snt_context_end(contexts[i]);
    }
}

// The skin of a mirrored body is the mirrored skin, as a surface, to a quarter of the spacing.
static void mirrored_bodies_have_mirrored_skins(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sni_isosurface *skins[2];
    for (int i = 0; i < 2; ++i) {
        double x = i == 0 ? 1 : -1;
        const sni_solid solids[2] = {
            ball_solid(sn_vec3_make(x, 0.3, 0.1), 0.5),
            ellipsoid_solid(sn_vec3_make(1.6 * x, 0.2, 0), sn_vec3_make(0.6, 0.2, 0.3),
                            sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 0.4 * x))};
        sni_grid grid;
        sni_bricks *b, *filtered;
        snt_ok(sni_density_layout(solids, 2, 70, 11, &grid, error));
        b = voxelize(context, solids, 2, grid);
        snt_ok(sni_density_filter(b, SNI_DENSITY_SIGMA, NULL, &filtered, error));
        sni_field field = sni_field_from_bricks(filtered);
        sni_isosurface_desc desc = sni_isosurface_desc_default();
        desc.level = SNI_DENSITY_THRESHOLD;
        snt_ok(sni_isosurface_create(context, &field, &desc, NULL, &skins[i], error));
        sni_bricks_destroy(b);
        sni_bricks_destroy(filtered);
    }
    float *positions = test_malloc(3 * skins[1]->vertex_count * sizeof *positions);
    for (uint32_t v = 0; v < skins[1]->vertex_count; ++v) {
        sn_vec3 p = skins[1]->points[v];
        sn_vec3_store(sn_vec3_make(-p.x, p.y, p.z), positions + 3 * (size_t)v);
    }
    sn_accel *accel = NULL;
    snt_ok(sn_accel_create(context, positions, skins[1]->vertex_count, skins[1]->vertices,
                           skins[1]->triangle_count, &accel, error));
    double spacing = 1.7 / 47; // about
    for (uint32_t v = 0; v < skins[0]->vertex_count; ++v) {
        sn_closest closest;
        sn_accel_find_closest(accel, skins[0]->points[v], INFINITY, &closest);
        assert_true(closest.distance < 0.25 * spacing);
    }
    sn_accel_destroy(accel);
    test_free(positions);
    sni_isosurface_destroy(skins[0]);
    sni_isosurface_destroy(skins[1]);
    snt_context_end(context);
}

static void knows_the_range_of_a_brick(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_solid ball = ball_solid(sn_vec3_make(4, 4, 4), 3);
    sni_bricks *b = voxelize(context, &ball, 1, unit_grid(16, 8, 8));
    double low, high;
    assert_true(sni_bricks_range(b, 0, &low, &high) && low == 0 && high == 200);
    assert_true(sni_bricks_range(b, 1, &low, &high) && low == 0 && high == 0);
    b->dense[0][5] = -7;
    b->dense[0][505] = 300;
    assert_true(sni_bricks_range(b, 0, &low, &high) && low == -7 && high == 300);
    b->dense[0][77] = NAN;
    assert_false(sni_bricks_range(b, 0, &low, &high));
    assert_int_equal(sni_bricks_bytes(b), 2 * (sizeof(float) + sizeof(float *)) + 2048);
    sni_bricks_destroy(b);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sni_isosurface *surface = NULL;
    sn_status status = make_skin(context, &surface, error);
    sni_isosurface_destroy(surface);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_takes_its_low_sides),
        cmocka_unit_test(boxes_side_by_side_share_no_node),
        cmocka_unit_test(an_octahedron_does_not_leak),
        cmocka_unit_test(meshes_agree_with_their_solid_angle),
        cmocka_unit_test(a_real_bone_keeps_its_volume),
        cmocka_unit_test(shells_may_overlap),
        cmocka_unit_test(solids_are_cut_by_the_grid),
        cmocka_unit_test(ellipsoids_take_the_nodes_within),
        cmocka_unit_test(tiny_solids_are_no_trouble),
        cmocka_unit_test(negative_solids_win),
        cmocka_unit_test(the_filter_equals_the_dense_one),
        cmocka_unit_test(mirrored_grids_give_mirrored_bits),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(the_level_lies_outside_the_boundary),
        cmocka_unit_test(memory_goes_with_the_surface),
        cmocka_unit_test(knows_the_range_of_a_brick),
        cmocka_unit_test(lays_out_a_grid),
        cmocka_unit_test(lays_out_mirrored_grids),
        cmocka_unit_test(refuses_meshes_without_an_inside),
        cmocka_unit_test(refuses_bad_numbers),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(mirrored_bodies_have_mirrored_skins),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
