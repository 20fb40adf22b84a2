// SPDX-License-Identifier: Apache-2.0
//
// The shape of the rex: a skin that is as rough as Watkins' tyrannosaur (polygons of many sides,
// vertices of high degree, edges without a tangent plane), and yet closed and symmetric.
#include "test.h"

#include "surfaces.h"

#include "scenes/rex.h"
#include "scenes/rex_shape.h"
#include "sinew/character.h"

#include <math.h>
#include <stdlib.h>

// Built once for all tests.
static sn_context *context;
static scn_rex rex;
static sn_mesh *meshes[SCN_REX_PARTS];
static const sn_mesh *skin;
static uint32_t *mirror; // the other side's vertex of each vertex of the skin

typedef struct placed {
    float p[3];
    uint32_t vertex;
} placed;

static int compare_places(const void *a, const void *b) {
    const placed *x = a, *y = b;
    for (int k = 0; k < 3; ++k) {
        if (x->p[k] != y->p[k]) {
            return x->p[k] < y->p[k] ? -1 : 1;
        }
    }
    return 0;
}

// Finds each vertex's mirror image among all of them; SN_NONE where there is none.
static void find_mirror(void) {
    placed *list = malloc(skin->vertex_count * sizeof *list);
    mirror = malloc(skin->vertex_count * sizeof *mirror);
    assert_true(list != NULL && mirror != NULL);
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        memcpy(list[i].p, skin->positions + 3 * (size_t)i, sizeof list[i].p);
        list[i].vertex = i;
    }
    qsort(list, skin->vertex_count, sizeof *list, compare_places);
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        const float *p = skin->positions + 3 * (size_t)i;
        placed image = {{p[0] == 0 ? 0 : -p[0], p[1], p[2]}, 0};
        const placed *found =
            bsearch(&image, list, skin->vertex_count, sizeof *list, compare_places);
        mirror[i] = found != NULL ? found->vertex : SN_NONE;
    }
    free(list);
}

static int build(void **state) {
    (void)state;
    context = snt_context(1);
    assert_true(scn_rex_layout(&rex));
    snt_ok(scn_rex_meshes(context, &rex, meshes, error));
    skin = meshes[SCN_REX_SKIN];
    find_mirror();
    return 0;
}

static void destroy_meshes(sn_mesh **list) {
    for (uint32_t i = 0; i < SCN_REX_PARTS; ++i) {
        sn_mesh_destroy(list[i]);
    }
}

static int tear_down(void **state) {
    (void)state;
    destroy_meshes(meshes);
    scn_field_destroy(rex.field);
    free(mirror);
    snt_context_end(context);
    return 0;
}

static void everything_is_closed(void **state) {
    (void)state;
    check_ball(skin);
    check_balls(meshes[SCN_REX_UPPER_TEETH], 26);
    check_balls(meshes[SCN_REX_LOWER_TEETH], 22);
    check_ball(meshes[SCN_REX_LEFT_EYE]);
    check_ball(meshes[SCN_REX_RIGHT_EYE]);
}

static void the_skin_does_not_cross_itself(void **state) {
    (void)state;
    check_uncrossed(skin);
}

static uint32_t side_count(uint32_t face) {
    return skin->face_offsets[face + 1] - skin->face_offsets[face];
}

static void the_skin_is_rough(void **state) {
    (void)state;
    uint32_t many_sided = 0, most_sides = 0, high = 0, highest = 0, sharp = 0;
    sn_topology *topology = NULL;
    snt_ok(sn_topology_create(skin, &topology, error));
    assert_in_range(skin->vertex_count, 11000, 13000);
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        many_sided += side_count(f) >= 8;
        most_sides = side_count(f) > most_sides ? side_count(f) : most_sides;
    }
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        uint32_t degree = topology->vertex_edge_offsets[i + 1] - topology->vertex_edge_offsets[i];
        high += degree >= 10;
        highest = degree > highest ? degree : highest;
    }
    assert_true(many_sided >= 200);
    assert_in_range(most_sides, 20, 40); // the backs of the eye sockets
    assert_true(high >= 30);
    assert_in_range(highest, 16, 40); // the tips of the large spikes
    // Edges whose faces stand more than 40 degrees apart have no tangent plane to speak of.
    sn_vec3 *normals = calloc(skin->face_count, sizeof *normals);
    assert_non_null(normals);
    for (uint32_t f = 0; f < skin->face_count; ++f) { // Newell
        for (uint32_t c = skin->face_offsets[f]; c < skin->face_offsets[f + 1]; ++c) {
            uint32_t next = c + 1 < skin->face_offsets[f + 1] ? c + 1 : skin->face_offsets[f];
            normals[f] = sn_vec3_add(normals[f], sn_vec3_cross(point(skin, skin->corners[c]),
                                                               point(skin, skin->corners[next])));
        }
        normals[f] = sn_vec3_normalize_or(normals[f], sn_vec3_make(0, 0, 0));
    }
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        const uint32_t *faces = topology->edge_faces + topology->edge_face_offsets[e];
        sharp += sn_vec3_dot(normals[faces[0]], normals[faces[1]]) < cos(40 * SN_PI / 180);
    }
    assert_true(sharp >= 2500);
    free(normals);
    sn_topology_destroy(topology);
}

static double weight_on(uint32_t vertex, uint32_t segment) {
    const sn_weights *w = skin->weights;
    for (uint32_t k = w->offsets[vertex]; k < w->offsets[vertex + 1]; ++k) {
        if (w->bones[k] == segment) {
            return w->values[k];
        }
    }
    return 0;
}

static bool has_face_of(const sn_topology *topology, const uint32_t *corners, uint32_t count) {
    uint32_t first = topology->vertex_face_offsets[corners[0]];
    for (uint32_t k = first; k < topology->vertex_face_offsets[corners[0] + 1]; ++k) {
        uint32_t f = topology->vertex_faces[k], found = 0;
        for (uint32_t c = skin->face_offsets[f]; c < skin->face_offsets[f + 1]; ++c) {
            for (uint32_t i = 0; i < count; ++i) {
                found += skin->corners[c] == corners[i];
            }
        }
        if (found == count && side_count(f) == count) {
            return true;
        }
    }
    return false;
}

// Positions bit for bit, faces, and weights up to the order of sums.
static void the_skin_is_its_own_mirror_image(void **state) {
    (void)state;
    sn_topology *topology = NULL;
    snt_ok(sn_topology_create(skin, &topology, error));
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        assert_true(mirror[i] != SN_NONE);
        for (uint32_t s = 0; s < SCN_REX_SEGMENTS; ++s) {
            snt_near(weight_on(i, s), weight_on(mirror[i], s), 1e-6);
        }
    }
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        uint32_t corners[64], count = side_count(f);
        for (uint32_t c = 0; c < count; ++c) {
            corners[c] = mirror[skin->corners[skin->face_offsets[f] + c]];
        }
        assert_true(has_face_of(topology, corners, count));
    }
    sn_topology_destroy(topology);
}

static void weights_sum_to_one_and_part_the_lips(void **state) {
    (void)state;
    uint32_t upper = 0, lower = 0;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        double sum = 0;
        for (uint32_t s = 0; s < SCN_REX_SEGMENTS; ++s) {
            sum += weight_on(i, s);
        }
        snt_near(sum, 1, 1e-6);
        sn_vec3 p = sn_vec3_scale(point(skin, i), 1 / SCN_REX_ENLARGE / SCN_MM);
        if (p.z > 100) { // in front of the cheeks, the gape's middle parts the jaws
            bool above = p.y > -30 - 0.158 * (p.z - 8);
            snt_near(weight_on(i, SCN_REX_MANDIBLE), above ? 0 : 1, 0.05);
            upper += above;
            lower += !above;
        }
    }
    assert_true(upper > 500 && lower > 500);
}

// Every tooth has its root in the jaw and its point in the open.
static void teeth_stand_in_the_jaws(void **state) {
    (void)state;
    sn_triangles *triangles = NULL;
    sn_accel *accel = accel_of(skin, &triangles);
    for (int row = 0; row < 2; ++row) {
        const sn_mesh *teeth = meshes[SCN_REX_UPPER_TEETH + row];
        uint32_t each = teeth->vertex_count / (row == 0 ? 26 : 22);
        for (uint32_t v = 0; v < teeth->vertex_count; v += each) {
            sn_vec3 root = {0, 0, 0};
            for (uint32_t i = 0; i < 8; ++i) {
                root = sn_vec3_add_scaled(root, 1 / 8.0, point(teeth, v + i));
            }
            assert_true(is_inside(accel, root));
            assert_false(is_inside(accel, point(teeth, v + each - 1)));
        }
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
}

// Every build has the same bits, then: skin, weights, bones and document.
static void the_shipped_character_is_what_the_scene_writes(void **state) {
    (void)state;
    static const char *const files[] = {"rex.sinew.json", "rex.glb", "rex.obj"};
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", snt_scratch("rex.glb"));
    *strrchr(folder, '/') = 0;
    snt_ok(scn_rex_build(context, folder, error));
    for (size_t i = 0; i < 3; ++i) {
        char path[1100], shipped[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        snprintf(shipped, sizeof shipped, "examples/rex/%s", files[i]);
        assert_true(snt_same_bytes(path, snt_source(shipped)));
    }
}

// Polygons of the .obj and weights of the .glb, and the mesh as it was made.
static void the_document_joins_polygons_and_weights(void **state) {
    (void)state;
    sn_character *character = NULL;
    const sn_mesh *mesh = NULL;
    snt_ok(
        sn_character_load(context, snt_source("examples/rex/rex.sinew.json"), &character, error));
    snt_ok(sn_character_mesh(character, "skin", &mesh, error));
    assert_int_equal(mesh->face_count, skin->face_count);
    assert_memory_equal(mesh->positions, skin->positions, 12 * (size_t)skin->vertex_count);
    assert_memory_equal(mesh->corners, skin->corners, 4 * (size_t)skin->corner_count);
    assert_non_null(mesh->weights);
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        const sn_weights *w = mesh->weights;
        for (uint32_t k = w->offsets[i]; k < w->offsets[i + 1]; ++k) {
            uint32_t segment = 0;
            while (strcmp(rex.segments[segment].name, w->bone_names[w->bones[k]]) != 0) {
                segment += 1;
            }
            snt_near(w->values[k], weight_on(i, segment), 1e-6);
        }
    }
    sn_character_destroy(character);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_closed),
        cmocka_unit_test(the_skin_does_not_cross_itself),
        cmocka_unit_test(the_skin_is_rough),
        cmocka_unit_test(the_skin_is_its_own_mirror_image),
        cmocka_unit_test(weights_sum_to_one_and_part_the_lips),
        cmocka_unit_test(teeth_stand_in_the_jaws),
        cmocka_unit_test(the_shipped_character_is_what_the_scene_writes),
        cmocka_unit_test(the_document_joins_polygons_and_weights),
    };
    return cmocka_run_group_tests(tests, build, tear_down);
}
