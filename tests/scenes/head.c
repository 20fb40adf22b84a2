// SPDX-License-Identifier: Apache-2.0
//
// The shape of the head: what has to hold for a face that moves, and measures of adults.
#include "test.h"

#include "surfaces.h"

#include "scenes/head.h"
#include "sinew/character.h"

#include <math.h>
#include <stdlib.h>

// Built once for all tests.
static sn_context *context;
static scn_head head;
static const sn_mesh *skin;
static sn_triangles *skin_triangles, *bone_triangles[2];
static sn_accel *skin_accel, *bone_accels[2]; // cranium, mandible

static int build(void **state) {
    (void)state;
    context = snt_context(1);
    snt_ok(scn_head_make(context, &head, error));
    skin = head.skin.mesh;
    skin_accel = accel_of(skin, &skin_triangles);
    for (int b = 0; b < 2; ++b) {
        bone_accels[b] = accel_of(head.parts[SCN_HEAD_CRANIUM + b], &bone_triangles[b]);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    sn_accel_destroy(skin_accel);
    sn_triangles_destroy(skin_triangles);
    for (int b = 0; b < 2; ++b) {
        sn_accel_destroy(bone_accels[b]);
        sn_triangles_destroy(bone_triangles[b]);
    }
    scn_head_deinit(&head);
    snt_context_end(context);
    return 0;
}

// ---------------------------------------------------------------------------------------------
// Skin

static void the_skin_is_one_sheet_of_quads_open_at_the_collar(void **state) {
    (void)state;
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_mesh_validate(skin, error));
    snt_ok(sn_topology_create(skin, &topology, error));
    sn_topology_summarize(skin, topology, &summary);
    assert_in_range(skin->vertex_count, 9000, 12500);
    assert_int_equal(skin->corner_count, 4 * skin->face_count);
    assert_int_equal(summary.components, 1);
    assert_int_equal(summary.non_manifold_edges, 0);
    assert_int_equal(summary.flipped_edges, 0);
    assert_int_equal(summary.loose_vertices, 0);
    assert_int_equal(summary.degenerate_faces, 0);
    // A ball with one hole; all of its border is at the collar, so that there is no other hole.
    int euler = (int)skin->vertex_count - (int)topology->edge_count + (int)skin->face_count;
    assert_int_equal(euler, 1);
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        if (topology->edge_face_offsets[e + 1] - topology->edge_face_offsets[e] == 1) {
            assert_true(point(skin, topology->edges[2 * (size_t)e]).y < -0.115);
        }
    }
    sn_topology_destroy(topology);
}

static void the_skin_does_not_cross_itself(void **state) {
    (void)state;
    check_uncrossed(skin);
}

// Every corner turns to the same side of the quad's mean plane.
static void quads_are_convex(void **state) {
    (void)state;
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        sn_vec3 p[4], normal;
        for (int i = 0; i < 4; ++i) {
            p[i] = point(skin, skin->corners[4 * (size_t)f + (size_t)i]);
        }
        normal = sn_vec3_cross(sn_vec3_sub(p[2], p[0]), sn_vec3_sub(p[3], p[1]));
        for (int i = 0; i < 4; ++i) {
            sn_vec3 turn = sn_vec3_cross(sn_vec3_sub(p[(i + 1) % 4], p[i]),
                                         sn_vec3_sub(p[(i + 2) % 4], p[(i + 1) % 4]));
            assert_true(sn_vec3_dot(turn, normal) > 0);
        }
    }
}

static int compare_points(const void *a, const void *b) {
    const float *x = a, *y = b;
    for (int k = 0; k < 3; ++k) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

// Bit for bit: the sorted list of points is the sorted list of their mirror images.
static void check_symmetry(const sn_mesh *mesh) {
    size_t count = mesh->vertex_count, bytes = 3 * count * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes);
    assert_true(a != NULL && b != NULL);
    memcpy(a, mesh->positions, bytes);
    memcpy(b, mesh->positions, bytes);
    for (size_t i = 0; i < count; ++i) {
        b[3 * i] = b[3 * i] == 0 ? 0 : -b[3 * i];
    }
    qsort(a, count, 3 * sizeof *a, compare_points);
    qsort(b, count, 3 * sizeof *b, compare_points);
    for (size_t i = 0; i < 3 * count; ++i) {
        assert_true(a[i] == b[i]);
    }
    free(a);
    free(b);
}

static void skin_and_bones_are_their_own_mirror_images(void **state) {
    (void)state;
    check_symmetry(skin);
    check_symmetry(head.parts[SCN_HEAD_CRANIUM]);
    check_symmetry(head.parts[SCN_HEAD_MANDIBLE]);
}

// ---------------------------------------------------------------------------------------------
// Eyes and lips

// No vertex of the skin lies in an eyeball, no vertex of an eyeball in the skin, and the margins of
// the lids lie on it but for the corner at the nose.
static void lids_lie_on_the_eyeballs(void **state) {
    (void)state;
    sn_triangles *triangles = NULL;
    sn_accel *eye = accel_of(head.parts[SCN_HEAD_EYEBALL_L], &triangles);
    const sn_mesh *ball = head.parts[SCN_HEAD_EYEBALL_L];
    uint32_t touching = 0;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        sn_vec3 p = point(skin, i);
        if (p.x > 0 && p.z > 0.06 && fabs(p.y - 0.035) < 0.02) {
            sn_closest closest;
            sn_accel_find_closest(eye, p, INFINITY, &closest);
            assert_false(is_inside(eye, p));
            touching += head.skin.values[i][SCN_HEAD_LID] > 0.4 && closest.distance < 0.0004;
        }
    }
    assert_true(touching > 40); // of a ring of 48
    for (uint32_t i = 0; i < ball->vertex_count; ++i) {
        assert_false(is_inside(skin_accel, point(ball, i)));
    }
    sn_accel_destroy(eye);
    sn_triangles_destroy(triangles);
}

// The opening between the lids is about 28 mm wide and 10 mm high, and the upper lid covers the top
// of the iris, as in an adult who looks straight ahead.
static void eyes_are_open(void **state) {
    (void)state;
    scn_head_eye eye = scn_head_eyeball();
    double open_from = 0, open_to = 0;
    for (double y = -9; y < 9; y += 0.05) {
        sn_vec3 from = {eye.center.x * SCN_MM, (eye.center.y + y) * SCN_MM, 0.2};
        sn_hit hit;
        sn_accel_cast(skin_accel, from, sn_vec3_make(0, 0, -1), 0, 1, &hit);
        if (hit.point.z * 1000 < eye.center.z) { // behind the ball: nothing covers it
            open_from = open_from == 0 ? y : open_from;
            open_to = y;
        }
    }
    assert_true(open_to - open_from > 8.5 && open_to - open_from < 11);
    assert_true(open_to > 3 && open_to < 5.4); // the iris ends at 5.9
    assert_true(open_from < -4.5);
}

// The depth of the first thing that a ray from in front meets.
static double front_at(double x, double y) {
    sn_hit hit;
    sn_accel_cast(skin_accel, sn_vec3_make(x, y, 0.2), sn_vec3_make(0, 0, -1), 0, 1, &hit);
    return hit.triangle == SN_NONE ? -1 : hit.point.z;
}

// Nowhere between the corners of the mouth can be seen past the lips for 0.3 mm.
static void lips_meet(void **state) {
    (void)state;
    for (double x = -0.022; x <= 0.0221; x += 0.001) {
        double gap = 0, widest = 0;
        double inner = front_at(x, -0.0310) - 0.014;
        for (double y = -0.039; y < -0.030; y += 0.00002) {
            gap = front_at(x, y) < inner ? gap + 0.00002 : 0;
            widest = fmax(widest, gap);
        }
        assert_true(widest < 0.0003);
    }
}

// ---------------------------------------------------------------------------------------------
// Bones, teeth, muscles

static int handles_of(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_mesh_validate(mesh, error));
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    assert_true(summary.closed);
    assert_int_equal(summary.components, 1);
    int euler = (int)mesh->vertex_count - (int)topology->edge_count + (int)mesh->face_count;
    sn_topology_destroy(topology);
    return (2 - euler) / 2;
}

static void bones_are_closed_and_the_cranium_has_two_arches(void **state) {
    (void)state;
    assert_int_equal(handles_of(head.parts[SCN_HEAD_CRANIUM]), 2);
    assert_int_equal(handles_of(head.parts[SCN_HEAD_MANDIBLE]), 0);
    check_ball(head.parts[SCN_HEAD_TONGUE]);
    check_ball(head.parts[SCN_HEAD_EYEBALL_L]);
    check_ball(head.parts[SCN_HEAD_EYEBALL_R]);
    check_balls(head.parts[SCN_HEAD_UPPER_TEETH], 14);
    check_balls(head.parts[SCN_HEAD_LOWER_TEETH], 14);
}

static void bones_lie_inside_the_skin(void **state) {
    (void)state;
    for (int b = 0; b < 2; ++b) {
        const sn_mesh *bone = head.parts[SCN_HEAD_CRANIUM + b];
        for (uint32_t i = 0; i < bone->vertex_count; ++i) {
            sn_closest closest;
            assert_true(is_inside(skin_accel, point(bone, i)));
            sn_accel_find_closest(skin_accel, point(bone, i), INFINITY, &closest);
            assert_true(closest.distance > 0.0002);
        }
    }
}

// From the skin straight down to the bone: what the table says, to a fiftieth; and the landmarks of
// the document are vertices there.
static void tissue_is_as_deep_as_the_table_says(void **state) {
    (void)state;
    for (int i = 0; i < SCN_HEAD_LANDMARKS; ++i) {
        const scn_head_landmark *l = &head.landmarks[i];
        const sn_mesh *bone = head.parts[SCN_HEAD_CRANIUM + l->mandible];
        sn_hit hit;
        sn_accel_cast(bone_accels[l->mandible], l->skin, sn_vec3_scale(l->out, -1), 0, 1, &hit);
        assert_true(hit.triangle != SN_NONE);
        snt_near(hit.distance, l->depth, 0.02 * l->depth);
        snt_near(sn_vec3_distance(point(skin, l->skin_vertex), l->skin), 0, 1e-6);
        snt_near(sn_vec3_distance(point(bone, l->bone_vertex), l->bone), 0, 1e-5);
    }
}

// The scalp lies on the vault everywhere, not only at its landmarks: 3.9 to 7 mm.
static void the_vault_follows_the_scalp(void **state) {
    (void)state;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        sn_vec3 p = point(skin, i);
        if (p.y > 0.1) {
            sn_closest closest;
            sn_accel_find_closest(bone_accels[0], p, INFINITY, &closest);
            assert_true(closest.distance > 0.0034 && closest.distance < 0.008);
        }
    }
}

static double least_distance(const sn_mesh *a, const sn_mesh *b) {
    sn_triangles *triangles = NULL;
    sn_accel *accel = accel_of(b, &triangles);
    double least = INFINITY;
    for (uint32_t i = 0; i < a->vertex_count; ++i) {
        sn_closest closest;
        assert_false(is_inside(accel, point(a, i)));
        sn_accel_find_closest(accel, point(a, i), INFINITY, &closest);
        least = fmin(least, closest.distance);
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
    return least;
}

// Crowns stand in the open mouth, roots in the bone's flesh, and the two rows nearly touch.
static void teeth_stand_in_the_gums(void **state) {
    (void)state;
    const sn_mesh *upper = head.parts[SCN_HEAD_UPPER_TEETH];
    const sn_mesh *lower = head.parts[SCN_HEAD_LOWER_TEETH];
    double gap = fmin(least_distance(upper, lower), least_distance(lower, upper));
    assert_true(gap > 0.0001 && gap < 0.001);
    for (int row = 0; row < 2; ++row) {
        const sn_mesh *teeth = row == 0 ? upper : lower;
        uint32_t crowns = 0, roots = 0;
        for (uint32_t i = 0; i < teeth->vertex_count; ++i) {
            double away = fabs(point(teeth, i).y + 0.0334); // from where the rows meet
            bool inside = is_inside(skin_accel, point(teeth, i));
            crowns += away < 0.004 && !inside;
            roots += away > 0.012 && inside;
            assert_false(away < 0.004 && inside);
            assert_false(away > 0.012 && !inside);
        }
        assert_true(crowns > 14 * 12 && roots >= 14 * 12);
    }
}

static void check_point(const scn_head_muscle_point *p) {
    bool low = p->carrier == SCN_HEAD_ON_MANDIBLE;
    sn_closest closest;
    assert_true(is_inside(skin_accel, p->position));
    assert_false(is_inside(bone_accels[0], p->position));
    assert_false(is_inside(bone_accels[1], p->position));
    sn_accel_find_closest(bone_accels[low], p->position, INFINITY, &closest);
    assert_true(!scn_head_is_on_bone(p) || closest.distance < 0.5 * p->thickness + 1e-5);
}

static void muscles_lie_between_bone_and_skin(void **state) {
    (void)state;
    for (uint32_t i = 0; i < scn_head_muscle_count(); ++i) {
        const scn_head_muscle *m = &head.muscles[i];
        scn_head_section sections[SCN_HEAD_SECTIONS_MOST];
        assert_in_range(m->count, 3, SCN_HEAD_MUSCLE_POINTS);
        for (uint32_t k = 0; k < m->count; ++k) {
            check_point(&m->points[k]);
            assert_int_equal(m->points[k].parent, k > 0 ? k - 1 : SN_NONE);
        }
        uint32_t count = scn_head_muscle_sections(m, sections);
        for (uint32_t s = 0; s < count; ++s) {
            assert_true(is_inside(skin_accel, sections[s].center));
            snt_near(sn_vec3_dot(sections[s].wide, sections[s].thick), 0, 1e-12);
        }
        check_ball(head.muscle_meshes[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// Proportions

static sn_vec3 skin_point(const char *name) {
    for (int i = 0; i < SCN_HEAD_LANDMARKS; ++i) {
        if (strcmp(head.landmarks[i].name, name) == 0) {
            return head.landmarks[i].skin;
        }
    }
    fail_msg("no landmark %s", name);
    return (sn_vec3){0, 0, 0};
}

// Means of adults, in millimetres, and rules that draughtsmen use.
static void the_face_has_an_adults_proportions(void **state) {
    (void)state;
    double top = skin_point("vertex").y, chin = skin_point("menton").y, height = top - chin;
    double eyes = scn_head_eyeball().center.y * SCN_MM;
    double brow = skin_point("glabella").y, nose = skin_point("mid_philtrum").y + 0.005;
    assert_true(height > 0.21 && height < 0.24);
    snt_near((eyes - chin) / height, 0.5, 0.03);          // eyes half-way up
    snt_near((nose - chin) / (brow - chin), 0.5, 0.05);   // nose half-way from brow to chin
    snt_near(2 * scn_head_eyeball().center.x, 63, 2);     // between the pupils
    snt_near(2 * skin_point("euryon.L").x, 0.157, 0.008); // width of the head
    snt_near(2 * skin_point("zygomatic_arch.L").x, 0.143, 0.008);
    snt_near(2 * skin_point("gonion.L").x, 0.115, 0.008);
    snt_near(skin_point("glabella").z - skin_point("opisthocranion").z, 0.194, 0.008);
}

// ---------------------------------------------------------------------------------------------
// Weights and files

static double jaw_weight(uint32_t vertex) {
    const sn_weights *w = skin->weights;
    double sum = 0, jaw = 0;
    for (uint32_t k = w->offsets[vertex]; k < w->offsets[vertex + 1]; ++k) {
        sum += w->values[k];
        jaw += w->bones[k] == 1 ? w->values[k] : 0;
    }
    snt_near(sum, 1, 1e-6);
    return jaw;
}

static void weights_part_the_lips(void **state) {
    (void)state;
    uint32_t upper = 0, lower = 0;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        const double *v = head.skin.values[i];
        double jaw = jaw_weight(i);
        sn_vec3 p = point(skin, i);
        if (v[SCN_HEAD_LIP] > 0.9 && v[SCN_HEAD_MOUTH] < 0.5 && fabs(p.x) < 0.01) {
            snt_near(jaw, v[SCN_HEAD_LOWER] < 0.5 ? 0 : 1, 0.02);
            upper += v[SCN_HEAD_LOWER] < 0.5;
            lower += v[SCN_HEAD_LOWER] > 0.5;
        }
        if (p.y > 0.03 || p.y < -0.121) { // eyes and above, and the collar
            snt_near(jaw, 0, 0.01);
        }
    }
    assert_true(upper > 60 && lower > 60);
}

// Every build has the same bits, then.
static void the_shipped_character_is_what_the_scene_writes(void **state) {
    (void)state;
    static const char *const files[] = {"head.sinew.json", "head.glb", "head.obj", "head.mtl"};
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", snt_scratch("head.glb"));
    *strrchr(folder, '/') = 0;
    snt_ok(scn_head_build(context, folder, error));
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[1100], shipped[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        snprintf(shipped, sizeof shipped, "examples/head/%s", files[i]);
        assert_true(snt_same_bytes(path, snt_source(shipped)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_is_one_sheet_of_quads_open_at_the_collar),
        cmocka_unit_test(the_skin_does_not_cross_itself),
        cmocka_unit_test(quads_are_convex),
        cmocka_unit_test(skin_and_bones_are_their_own_mirror_images),
        cmocka_unit_test(lids_lie_on_the_eyeballs),
        cmocka_unit_test(eyes_are_open),
        cmocka_unit_test(lips_meet),
        cmocka_unit_test(bones_are_closed_and_the_cranium_has_two_arches),
        cmocka_unit_test(bones_lie_inside_the_skin),
        cmocka_unit_test(tissue_is_as_deep_as_the_table_says),
        cmocka_unit_test(the_vault_follows_the_scalp),
        cmocka_unit_test(teeth_stand_in_the_gums),
        cmocka_unit_test(muscles_lie_between_bone_and_skin),
        cmocka_unit_test(the_face_has_an_adults_proportions),
        cmocka_unit_test(weights_part_the_lips),
        cmocka_unit_test(the_shipped_character_is_what_the_scene_writes),
    };
    return cmocka_run_group_tests(tests, build, tear_down);
}
