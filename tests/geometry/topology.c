// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "shapes.h"

static sn_topology_summary summarize(const sn_mesh *mesh) {
    sn_topology *topology;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summary summary;
    sn_topology_summarize(mesh, topology, &summary);
    sn_topology_destroy(topology);
    return summary;
}

static void describes_a_cube(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_cube(context);
    sn_topology *topology;
    snt_ok(sn_topology_create(mesh, &topology, error));
    assert_int_equal(topology->edge_count, 12);
    const uint32_t edges[24] = {0, 1, 0, 2, 0, 4, 1, 3, 1, 5, 2, 3,
                                2, 6, 3, 7, 4, 5, 4, 6, 5, 7, 6, 7};
    assert_memory_equal(topology->edges, edges, sizeof edges);
    // Edge (0, 1) lies between the faces z = 0 and y = 0.
    assert_int_equal(topology->edge_face_offsets[1], 2);
    assert_int_equal(topology->edge_faces[0], 0);
    assert_int_equal(topology->edge_faces[1], 2);
    assert_int_equal(topology->edge_corners[0], 3); // from 1 to 0
    assert_int_equal(topology->edge_corners[1], 8); // from 0 to 1
    for (uint32_t v = 0; v < 8; ++v) {
        assert_int_equal(topology->vertex_face_offsets[v], 3 * v);
        assert_int_equal(topology->vertex_edge_offsets[v], 3 * v);
        assert_int_equal(topology->vertex_component[v], 0);
    }
    sn_topology_destroy(topology);
    sn_topology_summary summary = summarize(mesh);
    assert_true(summary.closed);
    assert_int_equal(summary.components, 1);
    assert_int_equal(summary.border_edges + summary.flipped_edges + summary.loose_vertices, 0);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void finds_borders_and_flips(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_cube(context);
    // Turn the first face over: its four edges disagree.
    const uint32_t turned[4] = {1, 3, 2, 0};
    memcpy(mesh->corners, turned, sizeof turned);
    sn_topology_summary summary = summarize(mesh);
    assert_int_equal(summary.flipped_edges, 4);
    assert_int_equal(summary.border_edges, 0);
    assert_false(summary.closed);
    // Without its last face the box is open.
    mesh->face_count = 5;
    mesh->corner_count = 20;
    summary = summarize(mesh);
    assert_int_equal(summary.border_edges, 4);
    assert_false(summary.closed);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void describes_odd_meshes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[33] = {0};
    // A triangle fan of three on the edge (0, 1), a line (5, 6), a point 7, a collapsed triangle
    // (8, 8, 9), and the vertex 10 that nothing uses.
    const uint32_t sizes[] = {3, 3, 3, 2, 1, 3};
    const uint32_t corners[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 6, 5, 7, 8, 8, 9};
    sn_mesh *mesh = snt_mesh(context, 11, positions, 6, sizes, corners);
    sn_topology *topology;
    snt_ok(sn_topology_create(mesh, &topology, error));
    assert_int_equal(topology->edge_count, 9);
    assert_int_equal(topology->edge_face_offsets[1], 3);
    const uint32_t components[11] = {0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 4};
    assert_memory_equal(topology->vertex_component, components, sizeof components);
    // Lines and collapsed faces make edges, but are not their surface.
    assert_int_equal(topology->edges[14], 5);
    assert_int_equal(topology->edge_face_offsets[7], topology->edge_face_offsets[8]);
    assert_int_equal(topology->edge_face_offsets[8], topology->edge_face_offsets[9]);
    sn_topology_destroy(topology);
    sn_topology_summary summary = summarize(mesh);
    assert_int_equal(summary.border_edges, 6);
    assert_int_equal(summary.non_manifold_edges, 1);
    assert_int_equal(summary.loose_vertices, 1);
    assert_int_equal(summary.degenerate_faces, 3);
    assert_int_equal(summary.components, 5);
    assert_false(summary.closed);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void counts_seams_twice(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[24] = {0};
    // A ring as one face, along the seam (0, 4), and the faces that close it outside and inside.
    const uint32_t sizes[] = {10, 4, 4};
    const uint32_t corners[] = {0, 1, 2, 3, 0, 4, 7, 6, 5, 4, 3, 2, 1, 0, 4, 5, 6, 7};
    sn_mesh *mesh = snt_mesh(context, 8, positions, 3, sizes, corners);
    sn_topology_summary summary = summarize(mesh);
    assert_true(summary.closed);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void handles_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "none", 0, 0, 0, &mesh, error));
    sn_topology_summary summary = summarize(mesh);
    assert_false(summary.closed);
    assert_int_equal(summary.components, 0);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static bool has_three_vertices(const sn_mesh *mesh, uint32_t f) {
    uint32_t different = 0;
    for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
        bool is_new = true;
        for (uint32_t d = mesh->face_offsets[f]; d < c; ++d) {
            is_new = is_new && mesh->corners[d] != mesh->corners[c];
        }
        different += is_new;
    }
    return different >= 3;
}

static uint32_t next_corner(const sn_mesh *mesh, uint32_t f, uint32_t c) {
    return c + 1 < mesh->face_offsets[f + 1] ? c + 1 : mesh->face_offsets[f];
}

// Walks the faces in order and compares with the lists of the edge from `a` to `b`.
static void check_pair(const sn_mesh *mesh, const sn_topology *topology, uint32_t a, uint32_t b,
                       uint32_t *edge) {
    bool exists = false;
    uint32_t side = topology->edge_face_offsets[*edge];
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
            uint32_t p = mesh->corners[c], q = mesh->corners[next_corner(mesh, f, c)];
            if (!((p == a && q == b) || (p == b && q == a))) {
                continue;
            }
            exists = true;
            if (has_three_vertices(mesh, f)) {
                assert_int_equal(topology->edge_faces[side], f);
                assert_int_equal(topology->edge_corners[side++], c);
            }
        }
    }
    if (exists) {
        assert_int_equal(topology->edges[2 * *edge], a);
        assert_int_equal(topology->edges[2 * *edge + 1], b);
        assert_int_equal(topology->edge_face_offsets[++*edge], side);
    }
}

static void check_vertex(const sn_mesh *mesh, const sn_topology *topology, uint32_t v) {
    uint32_t place = topology->vertex_face_offsets[v];
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        bool uses = false;
        for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
            uses = uses || mesh->corners[c] == v;
        }
        if (uses) {
            assert_int_equal(topology->vertex_faces[place++], f);
        }
    }
    assert_int_equal(topology->vertex_face_offsets[v + 1], place);
    place = topology->vertex_edge_offsets[v];
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        if (topology->edges[2 * e] == v || topology->edges[2 * e + 1] == v) {
            assert_int_equal(topology->vertex_edges[place++], e);
        }
    }
    assert_int_equal(topology->vertex_edge_offsets[v + 1], place);
}

// Spreads the lowest vertex along edges until nothing changes.
static void check_components(const sn_mesh *mesh, const sn_topology *topology) {
    uint32_t lowest[256], numbers[256], count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        lowest[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < 2 * topology->edge_count; ++i) {
            uint32_t *a = &lowest[topology->edges[i]], *b = &lowest[topology->edges[i ^ 1]];
            changed = changed || *a > *b;
            *a = *a > *b ? *b : *a;
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        numbers[v] = lowest[v] == v ? count++ : numbers[lowest[v]];
        assert_int_equal(topology->vertex_component[v], numbers[v]);
    }
    assert_int_equal(topology->component_count, count);
}

static void equals_brute_force_on_soups(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {11};
    for (int round = 0; round < 200; ++round) {
        uint32_t vertex_count = 1 + snt_random_u32(&random) % 30;
        sn_mesh *mesh = snt_soup(context, &random, vertex_count, snt_random_u32(&random) % 25);
        snt_ok(sn_mesh_validate(mesh, error));
        sn_topology *topology;
        snt_ok(sn_topology_create(mesh, &topology, error));
        uint32_t edge = 0;
        for (uint32_t a = 0; a < vertex_count; ++a) {
            for (uint32_t b = a + 1; b < vertex_count; ++b) {
                check_pair(mesh, topology, a, b, &edge);
            }
            check_vertex(mesh, topology, a);
        }
        assert_int_equal(edge, topology->edge_count);
        check_components(mesh, topology);
        sn_topology_destroy(topology);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

// V - E + F = 2.
static void satisfies_euler_on_spheres(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint32_t rings = 1; rings < 40; rings += 7) {
        sn_mesh *mesh = snt_sphere(context, rings, 3 + 2 * rings);
        sn_topology *topology;
        snt_ok(sn_topology_create(mesh, &topology, error));
        assert_int_equal(mesh->vertex_count + mesh->face_count, topology->edge_count + 2);
        sn_topology_destroy(topology);
        assert_true(summarize(mesh).closed);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

static sn_status try_topology(sn_context *context, void *user, sn_error *error) {
    sn_mesh local = *(const sn_mesh *)user;
    local.context = context;
    sn_topology *topology;
    sn_status status = sn_topology_create(&local, &topology, error);
    sn_topology_destroy(topology);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_cube(context);
    snt_fail_allocations(try_topology, mesh);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_a_cube),
        cmocka_unit_test(finds_borders_and_flips),
        cmocka_unit_test(describes_odd_meshes),
        cmocka_unit_test(counts_seams_twice),
        cmocka_unit_test(handles_nothing),
        cmocka_unit_test(equals_brute_force_on_soups),
        cmocka_unit_test(satisfies_euler_on_spheres),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
