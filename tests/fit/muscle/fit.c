// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "fit/muscle/fit.h"
#include "scene.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Input

static void wrong_input_is_refused(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    s.desc.mesh = s.mesh;
    s.desc.bones = s.bones;
    s.desc.segment_parents = s.parents;
    s.desc.places = s.places;
    sn_muscle_fit_desc bad = {0};
    snt_fails(SN_INVALID, "sn_muscle_fit_desc_default",
              sn_fit_muscle(s.context, &bad, &s.fit, error));
    bad = s.desc;
    bad.bone_count = 0;
    snt_fails(SN_INVALID, "muscle 'muscle': there are no bones",
              sn_fit_muscle(s.context, &bad, &s.fit, error));
    bad = s.desc;
    bad.strips = 9;
    snt_fails(SN_INVALID, "9 strips", sn_fit_muscle(s.context, &bad, &s.fit, error));
    bad = s.desc;
    bad.slices = 3;
    snt_fails(SN_INVALID, "3 sections", sn_fit_muscle(s.context, &bad, &s.fit, error));
    bad = s.desc;
    bad.place_count = 1;
    s.places[0] = (sn_fit_place){7, {0, 0, 0}};
    snt_fails(SN_INVALID, "attachment 0 is on bone 7",
              sn_fit_muscle(s.context, &bad, &s.fit, error));
    s.places[0] = (sn_fit_place){0, {NAN, 0, 0}};
    snt_fails(SN_INVALID, "attachment 0 is not finite",
              sn_fit_muscle(s.context, &bad, &s.fit, error));
    s.parents[0] = 2;
    snt_fails(SN_INVALID, "circle", sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    s.parents[0] = 5;
    snt_fails(SN_INVALID, "segment 5", sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    s.parents[0] = SN_NONE;
    s.bones[1].segment = 3;
    snt_fails(SN_INVALID, "'ball' is on segment 3",
              sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    s.bones[1].segment = 1;
    s.mesh->positions[5] = NAN;
    snt_fails(SN_INVALID, "", sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    for (uint32_t i = 0; i < 3 * s.mesh->vertex_count; ++i) {
        s.mesh->positions[i] = i % 3 == 0 ? (float)i : 0; // all on one line
    }
    snt_fails(SN_INVALID, "flat", sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    for (uint32_t i = 0; i < 3 * s.mesh->vertex_count; ++i) {
        s.mesh->positions[i] = 1;
    }
    snt_fails(SN_INVALID, "no triangles", sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    assert_null(s.fit);
    end(&s);
}

static bool stop(const char *step, double fraction, void *user) {
    (void)step;
    *(uint32_t *)user += 1;
    return fraction < 0.4;
}

static void a_fit_can_be_cancelled(void **state) {
    (void)state;
    scene s;
    uint32_t calls = 0;
    const sn_progress progress = {stop, &calls};
    begin_spindle(&s);
    s.desc.mesh = s.mesh;
    s.desc.bones = s.bones;
    s.desc.segment_parents = s.parents;
    s.desc.progress = &progress;
    snt_fails(SN_CANCELLED, "", sn_fit_muscle(s.context, &s.desc, &s.fit, error));
    assert_in_range(calls, 2, 100);
    end(&s);
}

static sn_status fit_small(sn_context *context, void *user, sn_error *error) {
    (void)user;
    static const double sizes[3] = {0.03, 0.1, 0.015};
    scene s = {.context = context, .parents = {SN_NONE, 0, 1}};
    sn_status status = SN_OUT_OF_MEMORY;
    s.desc = sn_muscle_fit_desc_default();
    s.desc.segment_count = 3;
    s.mesh = snt_tube(context, 6, 8, snt_spindle, sizes);
    if (s.mesh != NULL) {
        s.bones[0] = (sn_fit_bone){"itself", s.mesh, 0};
        s.desc.bone_count = 1;
        s.desc.bones = s.bones;
        s.desc.mesh = s.mesh;
        s.desc.segment_parents = s.parents;
        s.desc.strips = 2;
        status = sn_fit_muscle(context, &s.desc, &s.fit, error);
    } else {
        status = sni_fail_memory(error);
    }
    sn_muscle_fit_destroy(s.fit);
    sn_mesh_destroy(s.mesh);
    return status;
}

static void running_out_of_memory_leaves_nothing(void **state) {
    (void)state;
    snt_fail_allocations(fit_small, NULL);
}

// ---------------------------------------------------------------------------------------------
// Shapes

// An ellipsoid has ellipses of known half axes everywhere.
static void a_spindle_has_its_sections(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    fit(&s);
    assert_int_equal(s.fit->strip_count, 1);
    assert_int_equal(s.fit->pieces, 1);
    assert_int_equal(s.fit->handles, 0);
    assert_int_equal(s.fit->border_edges, 0);
    const sn_fit_strip *strip = &s.fit->strips[0];
    assert_in_range(strip->slice_count, 6, 12);
    assert_true(strip->sections[0].center.y < -0.09);
    assert_true(strip->sections[strip->slice_count - 1].center.y > 0.09);
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        const sn_fit_section *q = &strip->sections[i];
        double size = sqrt(1 - q->center.y * q->center.y / 0.01);
        snt_near(q->center.x, 0, 2e-4);
        snt_near(q->center.z, 0, 2e-4);
        snt_near(sn_vec3_length(q->wide), 0.03 * size, 0.0015);
        snt_near(sn_vec3_length(q->thick), 0.015 * size, 0.0008);
        snt_near(fabs(q->wide.x), sn_vec3_length(q->wide), 1e-4);
        // thick x wide goes along the strip.
        assert_true(sn_vec3_cross(q->thick, q->wide).y > 0);
    }
    snt_near(s.fit->volume, 4.0 / 3 * SN_PI * 0.03 * 0.1 * 0.015, 6e-6);
    snt_near(s.fit->fitted_volume, s.fit->volume, 0.01 * s.fit->volume);
    assert_true(s.fit->mean_distance < 4e-4);
    assert_true(s.fit->largest_distance < 5e-3);
    end(&s);
}

// Trees of bones that are made for many muscles serve one as its own do.
static void given_trees_change_nothing(void **state) {
    (void)state;
    scene s;
    sni_bone_trees trees;
    sn_muscle_fit *other;
    begin_spindle(&s);
    fit(&s);
    snt_ok(sni_bone_trees_init(&trees, s.context, s.desc.bone_count, s.bones, error));
    snt_ok(sni_fit_muscle(s.context, &s.desc, &trees, &other, error));
    assert_int_equal(other->strip_count, s.fit->strip_count);
    const sn_fit_strip *a = &s.fit->strips[0], *b = &other->strips[0];
    assert_int_equal(a->slice_count, b->slice_count);
    assert_memory_equal(a->sections, b->sections, a->slice_count * sizeof *a->sections);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(a->origins[i].bone, b->origins[i].bone);
        assert_int_equal(a->insertions[i].bone, b->insertions[i].bone);
    }
    assert_true(s.fit->mean_distance == other->mean_distance);
    assert_true(s.fit->origin_gap == other->origin_gap);
    sn_muscle_fit_destroy(other);
    sni_bone_trees_deinit(&trees);
    end(&s);
}

// A quarter and a half of a circle: all middles are on it.
static void a_bent_tube_has_its_axis(void **state) {
    (void)state;
    for (int turn = 1; turn <= 2; ++turn) {
        scene s;
        const double sizes[4] = {0.1, turn * SN_PI / 2, 0.012, 0.012};
        begin(&s, 1);
        s.mesh = snt_tube(s.context, 40, 16, snt_arc, sizes);
        add_bone(&s, 0, sn_vec3_make(0.1, -0.01, 0));
        double angle = turn * SN_PI / 2;
        add_bone(&s, 2, sn_vec3_make(0.1 * cos(angle), 0.1 * sin(angle) + 0.01, 0));
        add_bone(&s, 1, sn_vec3_make(0.05 * cos(angle / 2), 0.05 * sin(angle / 2), 0));
        fit(&s);
        assert_int_equal(s.fit->strip_count, 1);
        const sn_fit_strip *strip = &s.fit->strips[0];
        for (uint32_t i = 0; i < strip->slice_count; ++i) {
            sn_vec3 c = strip->sections[i].center;
            // The outermost cuts may pass through an edge of the blunt ends.
            bool is_end = i == 0 || i + 1 == strip->slice_count;
            snt_near(hypot(c.x, c.y), 0.1, is_end ? 0.012 : 0.002);
            snt_near(c.z, 0, is_end ? 0.012 : 0.0005);
        }
        assert_true(s.fit->mean_distance < 1e-3);
        // The bone within the bend, on the segment between those of the ends, carries the belly.
        assert_true(strip->pivot_count >= 1);
        bool found = false;
        for (uint32_t i = 0; i < strip->pivot_count; ++i) {
            found = found || strip->pivots[i].segment == 1;
            snt_near(sn_vec3_distance(strip->pivots[i].point,
                                      strip->sections[strip->pivots[i].slice].center),
                     0, 1e-12);
        }
        assert_true(found);
        end(&s);
    }
}

static void a_curved_sheet_becomes_several_strips(void **state) {
    (void)state;
    static const double sizes[4] = {0.05, 2.6, 0.12, 0.006};
    scene s;
    begin(&s, 1);
    s.mesh = snt_tube(s.context, 24, 64, snt_sheet, sizes);
    add_bone(&s, 0, sn_vec3_make(0, -0.02, 0.05));
    add_bone(&s, 1, sn_vec3_make(0, 0.14, 0.05));
    for (int i = -1; i <= 1; ++i) {
        add_place(&s, 0, sn_vec3_make(0.05 * sin(i), 0, 0.05 * cos(i)));
        add_place(&s, 1, sn_vec3_make(0.05 * sin(i), 0.12, 0.05 * cos(i)));
    }
    fit(&s);
    assert_in_range(s.fit->strip_count, 3, 8);
    assert_true(s.fit->mean_distance < 1e-3);
    assert_false(s.fit->guessed_origin || s.fit->guessed_insertion);
    for (uint32_t k = 0; k < s.fit->strip_count; ++k) {
        const sn_fit_strip *strip = &s.fit->strips[k];
        for (uint32_t i = 0; i < strip->slice_count; ++i) {
            sn_vec3 c = strip->sections[i].center;
            snt_near(hypot(c.x, c.z), 0.05, 0.006);
        }
        assert_int_equal(strip->origins[0].bone, 0);
        assert_int_equal(strip->insertions[1].bone, 1);
    }
    // One strip alone is worse.
    double distance = s.fit->mean_distance;
    s.desc.strips = 1;
    fit(&s);
    assert_int_equal(s.fit->strip_count, 1);
    assert_true(s.fit->mean_distance > 2 * distance);
    end(&s);
}

static void a_ring_becomes_two_halves(void **state) {
    (void)state;
    scene s;
    begin(&s, 1);
    s.mesh = snt_torus(s.context, 48, 12, 0.04, 0.006);
    add_bone(&s, 0, sn_vec3_make(-0.06, 0, 0));
    add_bone(&s, 1, sn_vec3_make(0.06, 0, 0));
    add_place(&s, 0, sn_vec3_make(-0.046, 0, 0));
    add_place(&s, 1, sn_vec3_make(0.046, 0, 0));
    fit(&s);
    assert_int_equal(s.fit->handles, 1);
    assert_int_equal(s.fit->strip_count, 2);
    assert_true(s.fit->mean_distance < 2e-3);
    double above = s.fit->strips[0].sections[s.fit->strips[0].slice_count / 2].center.y;
    double below = s.fit->strips[1].sections[s.fit->strips[1].slice_count / 2].center.y;
    assert_true(above * below < 0);
    end(&s);
}

static void pieces_are_one_muscle(void **state) {
    (void)state;
    static const double sizes[3] = {0.02, 0.05, 0.02};
    scene s;
    begin(&s, 1);
    sn_mesh *half = snt_tube(s.context, 16, 12, snt_spindle, sizes);
    uint32_t v = half->vertex_count, f = half->face_count;
    snt_ok(sn_mesh_create(s.context, "two", 2 * v, 2 * f, 6 * f, &s.mesh, error));
    for (uint32_t i = 0; i < 2 * v; ++i) {
        memcpy(s.mesh->positions + 3 * (size_t)i, half->positions + 3 * (size_t)(i % v),
               3 * sizeof(float));
        s.mesh->positions[3 * i + 1] += i < v ? 0 : 0.11f;
    }
    for (uint32_t i = 0; i < 6 * f; ++i) {
        s.mesh->corners[i] = half->corners[i % (3 * f)] + (i < 3 * f ? 0 : v);
    }
    for (uint32_t i = 0; i <= 2 * f; ++i) {
        s.mesh->face_offsets[i] = 3 * i;
    }
    sn_mesh_destroy(half);
    add_bone(&s, 0, sn_vec3_make(0, -0.06, 0));
    add_bone(&s, 1, sn_vec3_make(0, 0.17, 0));
    fit(&s);
    assert_int_equal(s.fit->pieces, 2);
    assert_int_equal(s.fit->strip_count, 1);
    const sn_fit_strip *strip = &s.fit->strips[0];
    assert_true(strip->sections[0].center.y < -0.03);
    assert_true(strip->sections[strip->slice_count - 1].center.y > 0.14);
    assert_true(s.fit->mean_distance < 4e-3);
    end(&s);
}

static void a_hole_is_told_and_fitted(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    s.mesh->face_count -= 20; // the last ring's triangles: one hole at the end
    s.mesh->corner_count -= 60;
    fit(&s);
    assert_true(s.fit->border_edges > 0);
    assert_int_equal(s.fit->handles, 0);
    assert_true(s.fit->volume == 0);
    assert_true(s.fit->mean_distance < 1e-3);
    s.mesh->face_count += 20;
    s.mesh->corner_count += 60;
    end(&s);
}

// Vertices of every triangle apart, triangles without surface, and one given twice.
static void broken_meshes_are_used_as_far_as_they_can_be(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    fit(&s);
    double distance = s.fit->mean_distance;
    sn_mesh *whole = s.mesh;
    uint32_t corners = whole->corner_count;
    snt_ok(sn_mesh_create(s.context, "soup", corners, whole->face_count + 3, corners + 9, &s.mesh,
                          error));
    for (uint32_t i = 0; i < corners; ++i) {
        memcpy(s.mesh->positions + 3 * (size_t)i, whole->positions + 3 * (size_t)whole->corners[i],
               3 * sizeof(float));
        s.mesh->corners[i] = i;
    }
    const uint32_t bad[9] = {0, 0, 1, 2, 2, 2, 0, 1, 2};
    memcpy(s.mesh->corners + corners, bad, sizeof bad);
    for (uint32_t i = 0; i <= s.mesh->face_count; ++i) {
        s.mesh->face_offsets[i] = 3 * i;
    }
    sn_mesh_destroy(whole);
    fit(&s);
    assert_int_equal(s.fit->pieces, 1);
    snt_near(s.fit->mean_distance, distance, 2e-4);
    end(&s);
}

static void a_tetrahedron_is_a_muscle(void **state) {
    (void)state;
    scene s;
    begin(&s, 1);
    snt_ok(sn_mesh_create(s.context, "tetrahedron", 4, 4, 12, &s.mesh, error));
    const float positions[12] = {0, 0, 0, 0.02f, 0, 0, 0, 0.1f, 0, 0, 0, 0.02f};
    const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    memcpy(s.mesh->positions, positions, sizeof positions);
    memcpy(s.mesh->corners, faces, sizeof faces);
    for (uint32_t i = 0; i <= 4; ++i) {
        s.mesh->face_offsets[i] = 3 * i;
    }
    add_bone(&s, 0, sn_vec3_make(0, -0.02, 0));
    fit(&s);
    assert_true(s.fit->strip_count >= 1);
    assert_true(s.fit->mean_distance < 0.005);
    snt_near(s.fit->volume, 0.02 * 0.02 * 0.1 / 6, 1e-9);
    end(&s);
}

// A thin tendon along two bones that meet in the origin, 9 mm away from them.
static void a_tendon_is_held_on_bones_and_over_the_joint(void **state) {
    (void)state;
    static const double thin[3] = {0.002, 0.1, 0.002}, shaft[3] = {0.008, 0.06, 0.008};
    const sn_vec3 joints[3] = {{0, -0.115, 0}, {0, 0, 0}, {0, 0.115, 0}};
    sn_mat4 beside = moved_to(sn_vec3_make(0, 0, 0.009));
    scene s;
    begin(&s, 1);
    s.mesh = snt_tube(s.context, 24, 12, snt_spindle, thin);
    move_mesh(s.mesh, &beside);
    for (uint32_t k = 0; k < 2; ++k) {
        sn_mesh *bone = snt_tube(s.context, 24, 12, snt_spindle, shaft);
        sn_mat4 place = moved_to(sn_vec3_make(0, k == 0 ? -0.055 : 0.055, 0));
        move_mesh(bone, &place);
        s.bones[s.desc.bone_count++] = (sn_fit_bone){"shaft", bone, k};
        add_place(&s, k, sn_vec3_make(0, k == 0 ? -0.1 : 0.1, 0.009));
    }
    s.desc.strips = 1;
    s.desc.segment_joints = joints;
    fit(&s);
    const sn_fit_strip *strip = &s.fit->strips[0];
    uint32_t halves = 0, beside_joint[2] = {0, 0};
    for (uint32_t i = 0; i < strip->pivot_count; ++i) {
        const sn_fit_pivot *pivot = &strip->pivots[i];
        double y = strip->sections[pivot->slice].center.y;
        assert_true(pivot->turned);
        assert_true(i == 0 || pivot->slice > pivot[-1].slice);
        snt_near(sn_vec3_distance(pivot->point, strip->sections[pivot->slice].center), 0, 1e-12);
        if (pivot->half != SN_NONE) {
            ++halves;
            assert_int_equal(pivot->segment, 1);
            assert_int_equal(pivot->half, 0);
            assert_true(fabs(y) < 0.004);
        } else {
            assert_int_equal(pivot->segment, y < 0 ? 0 : 1);
            assert_true(fabs(y) > 0.0085);
            beside_joint[y > 0] += fabs(y) < 0.019;
        }
    }
    assert_int_equal(halves, 1);
    assert_true(beside_joint[0] > 0 && beside_joint[1] > 0);
    for (uint32_t i = 0; i + 1 < strip->slice_count; ++i) {
        assert_true(strip->sections[i + 1].center.y > strip->sections[i].center.y + 0.001);
        snt_near(strip->sections[i].center.z, 0.009, 2e-4);
    }
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(a_fit_can_be_cancelled),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
        cmocka_unit_test(a_spindle_has_its_sections),
        cmocka_unit_test(given_trees_change_nothing),
        cmocka_unit_test(a_bent_tube_has_its_axis),
        cmocka_unit_test(a_curved_sheet_becomes_several_strips),
        cmocka_unit_test(a_ring_becomes_two_halves),
        cmocka_unit_test(pieces_are_one_muscle),
        cmocka_unit_test(a_hole_is_told_and_fitted),
        cmocka_unit_test(broken_meshes_are_used_as_far_as_they_can_be),
        cmocka_unit_test(a_tetrahedron_is_a_muscle),
        cmocka_unit_test(a_tendon_is_held_on_bones_and_over_the_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
