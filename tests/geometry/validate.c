// SPDX-License-Identifier: Apache-2.0
//
// What the checks of whole structures are for: each broken promise is found.
#include "test.h"

#include "geometry/validate.h"
#include "shapes.h"

typedef struct made {
    sn_context *context;
    sn_mesh *mesh;
    sn_triangles *triangles;
    sn_topology *topology;
    sni_tree tree;
} made;

static void make(made *m) {
    m->context = snt_context(1);
    m->mesh = snt_sphere(m->context, 12, 8);
    snt_ok(sn_triangles_create(m->mesh, m->mesh->positions, &m->triangles, error));
    snt_ok(sn_topology_create(m->mesh, &m->topology, error));
    snt_ok(sni_tree_init(&m->tree, m->context, m->mesh->positions, m->triangles->vertices,
                         m->triangles->count, error));
    assert_true(sni_triangles_are_valid(m->mesh, m->triangles));
    assert_true(sni_topology_is_valid(m->mesh, m->topology));
    assert_true(sni_tree_is_valid(&m->tree, m->mesh->positions));
}

static void end(made *m) {
    sni_tree_deinit(&m->tree);
    sn_topology_destroy(m->topology);
    sn_triangles_destroy(m->triangles);
    sn_mesh_destroy(m->mesh);
    snt_context_end(m->context);
}

// Checks fail while a number is another.
#define BREAKS(type, number, wrong, check)                                                         \
    do {                                                                                           \
        type was = (number);                                                                       \
        (number) = (wrong);                                                                        \
        assert_false(check);                                                                       \
        (number) = was;                                                                            \
        assert_true(check);                                                                        \
    } while (0)

static void broken_triangles_are_found(void **state) {
    (void)state;
    made m = {0};
    make(&m);
    sn_triangles *t = m.triangles;
    BREAKS(uint32_t, t->vertices[4], m.mesh->vertex_count, sni_triangles_are_valid(m.mesh, t));
    BREAKS(uint32_t, t->corners[4], t->corners[4] + 9, sni_triangles_are_valid(m.mesh, t));
    BREAKS(uint32_t, t->faces[3], t->faces[3] + 1, sni_triangles_are_valid(m.mesh, t));
    BREAKS(uint32_t, t->count, t->count - 1, sni_triangles_are_valid(m.mesh, t));
    end(&m);
}

static void broken_topology_is_found(void **state) {
    (void)state;
    made m = {0};
    make(&m);
    sn_topology *t = m.topology;
    BREAKS(uint32_t, t->edges[1], t->edges[0], sni_topology_is_valid(m.mesh, t));
    BREAKS(uint32_t, t->edge_faces[2], m.mesh->face_count, sni_topology_is_valid(m.mesh, t));
    BREAKS(uint32_t, t->edge_corners[2], m.mesh->corner_count - 1,
           sni_topology_is_valid(m.mesh, t));
    BREAKS(uint32_t, t->vertex_faces[1], t->vertex_faces[0], sni_topology_is_valid(m.mesh, t));
    BREAKS(uint32_t, t->vertex_edges[1], t->edge_count - 1, sni_topology_is_valid(m.mesh, t));
    BREAKS(uint32_t, t->vertex_edge_offsets[3], 0, sni_topology_is_valid(m.mesh, t));
    BREAKS(uint32_t, t->vertex_component[5], 1, sni_topology_is_valid(m.mesh, t));
    end(&m);
}

static void broken_trees_are_found(void **state) {
    (void)state;
    made m = {0};
    make(&m);
    const float *positions = m.mesh->positions;
    sni_tree_node *root = &m.tree.nodes[0];
    BREAKS(float, root->sides[SNI_LOW_X][0], root->sides[SNI_LOW_X][0] + 0.125f,
           sni_tree_is_valid(&m.tree, positions));
    BREAKS(float, root->sides[SNI_HIGH_Z][1], 100, sni_tree_is_valid(&m.tree, positions));
    BREAKS(uint32_t, root->children[1], 0, sni_tree_is_valid(&m.tree, positions));
    BREAKS(uint32_t, root->child_count, SNI_TREE_WIDTH + 1, sni_tree_is_valid(&m.tree, positions));
    BREAKS(uint32_t, m.tree.slot_count, m.tree.slot_count - 1,
           sni_tree_is_valid(&m.tree, positions));
    end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_triangles_are_found),
        cmocka_unit_test(broken_topology_is_found),
        cmocka_unit_test(broken_trees_are_found),
    };
    return cmocka_run_group_tests_name("geometry/validate", tests, NULL, NULL);
}
