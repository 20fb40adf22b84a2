// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "scene.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Ends

static void given_places_are_the_ends(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    // The upper ball is the parent now: it becomes the origin.
    s.bones[0].segment = 1;
    s.bones[1].segment = 0;
    add_place(&s, 0, sn_vec3_make(-0.008, -0.098, 0));
    add_place(&s, SN_NONE, sn_vec3_make(0.008, -0.098, 0));
    add_place(&s, 1, sn_vec3_make(-0.008, 0.098, 0));
    add_place(&s, 1, sn_vec3_make(0.008, 0.098, 0));
    fit(&s);
    const sn_fit_strip *strip = &s.fit->strips[0];
    assert_false(s.fit->guessed_origin);
    assert_false(s.fit->guessed_insertion);
    assert_int_equal(s.fit->strip_count, 1);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(strip->origins[i].bone, 1);
        assert_int_equal(strip->insertions[i].bone, 0);
        snt_near(strip->origins[i].point.y, 0.098, 1e-7);
        snt_near(strip->insertions[i].point.y, -0.098, 1e-7);
    }
    snt_near(sn_vec3_distance(strip->origins[0].point, strip->origins[1].point), 0.016, 1e-6);
    assert_true(strip->sections[0].center.y > strip->sections[1].center.y);
    end(&s);
}

static void missing_places_are_guessed(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    fit(&s);
    const sn_fit_strip *strip = &s.fit->strips[0];
    assert_true(s.fit->guessed_origin && s.fit->guessed_insertion);
    snt_near(s.fit->origin_gap, 0.005, 5e-4);
    snt_near(s.fit->insertion_gap, 0.005, 5e-4);
    assert_int_equal(strip->origins[0].bone, 0);
    assert_int_equal(strip->insertions[0].bone, 1);
    assert_true(sn_vec3_distance(strip->origins[0].point, strip->origins[1].point) > 1e-3);
    // One end given: the other one alone is guessed.
    add_place(&s, 1, sn_vec3_make(0, 0.1, 0));
    fit(&s);
    assert_true(s.fit->guessed_origin);
    assert_false(s.fit->guessed_insertion);
    end(&s);
}

// Attached in its middle as well, as muscles along the spine are.
static void places_on_the_way_become_pivots(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    s.bones[1].segment = 2;
    add_bone(&s, 1, sn_vec3_make(0, 0, -0.03));
    add_place(&s, 0, sn_vec3_make(0, -0.1, 0));
    add_place(&s, 1, sn_vec3_make(0, 0.1, 0));
    add_place(&s, 2, sn_vec3_make(0, 0, -0.015));
    fit(&s);
    const sn_fit_strip *strip = &s.fit->strips[0];
    assert_int_equal(strip->pivot_count, 1);
    assert_int_equal(strip->pivots[0].segment, 1);
    snt_near(strip->pivots[0].point.y, 0, 0.012);
    // `thick` points away from that bone.
    assert_true(strip->sections[strip->pivots[0].slice].thick.z > 0);
    end(&s);
}

// Between two balls on its way, one on each side of the joint at y = 0, a tendon is held on both; a
// belly that is ten times as thick is not.
static void tendons_are_held_on_both_sides_of_a_joint(void **state) {
    (void)state;
    static const double radii[] = {0.003, 0.03};
    for (int thick = 0; thick < 2; ++thick) {
        scene s;
        double sizes[3] = {radii[thick], 0.1, radii[thick]};
        begin(&s, 1);
        s.mesh = snt_tube(s.context, 24, 24, snt_spindle, sizes);
        for (int side = 0; side < 2; ++side) {
            add_bone(&s, (uint32_t)side, sn_vec3_make(0, side == 0 ? -0.115 : 0.115, 0));
            add_bone(&s, (uint32_t)side,
                     sn_vec3_make(0, side == 0 ? -0.012 : 0.012, -radii[thick] - 0.009));
        }
        add_place(&s, 0, sn_vec3_make(0, -0.1, 0));
        add_place(&s, 2, sn_vec3_make(0, 0.1, 0));
        s.desc.slices = 24;
        s.desc.strips = 1;
        fit(&s);
        const sn_fit_strip *strip = &s.fit->strips[0];
        assert_int_equal(strip->pivot_count, thick ? 0 : 2);
        for (uint32_t i = 0; i < strip->pivot_count; ++i) {
            assert_int_equal(strip->pivots[i].segment, i);
            assert_true(i == 0 ? strip->pivots[i].point.y < 0 : strip->pivots[i].point.y > 0);
            assert_true(fabs(strip->pivots[i].point.y) < 0.025);
        }
        end(&s);
    }
}

// Places of another muscle of the same name are not this one's.
static void places_far_away_are_left_out(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    add_place(&s, 0, sn_vec3_make(0, -0.1, 0));
    add_place(&s, 1, sn_vec3_make(0, 0.1, 0));
    fit(&s);
    assert_int_equal(s.fit->far_places, 0);
    sn_vec3 middle = s.fit->strips[0].sections[4].center;
    add_place(&s, 0, sn_vec3_make(0.4, 0.3, 0));
    fit(&s);
    assert_true(sn_vec3_distance(middle, s.fit->strips[0].sections[4].center) == 0);
    assert_int_equal(s.fit->far_places, 1);
    end(&s);
}

// ---------------------------------------------------------------------------------------------
// Invariance

// A bent muscle without symmetry.
static sn_vec3 odd_shape(double along, double around, const double *sizes) {
    sn_vec3 p = snt_spindle(along, around, sizes);
    double bend = p.y + 0.1;
    return sn_vec3_make(p.x + 2 * bend * bend + 0.2 * p.z, p.y, p.z - 1.2 * bend * bend);
}

static void begin_odd(scene *s, uint32_t threads, const sn_mat4 *place) {
    static const double sizes[3] = {0.03, 0.1, 0.012};
    begin(s, threads);
    s->mesh = snt_tube(s->context, 24, 20, odd_shape, sizes);
    add_bone(s, 0, sn_vec3_make(0, -0.11, 0));
    add_bone(s, 1, sn_vec3_make(0.08, 0.11, -0.05));
    move_mesh(s->mesh, place);
    for (uint32_t i = 0; i < s->desc.bone_count; ++i) {
        move_mesh((sn_mesh *)s->bones[i].mesh, place);
    }
}

// The fit of a moved muscle is the moved fit; half axes up to their signs.
static void assert_moved(const sn_muscle_fit *a, const sn_muscle_fit *b, const sn_mat4 *place,
                         double tolerance) {
    assert_int_equal(a->strip_count, b->strip_count);
    snt_near(a->mean_distance, b->mean_distance, tolerance);
    for (uint32_t k = 0; k < a->strip_count; ++k) {
        const sn_fit_strip *x = &a->strips[k], *y = &b->strips[k];
        assert_int_equal(x->slice_count, y->slice_count);
        for (uint32_t i = 0; i < x->slice_count; ++i) {
            const sn_fit_section *p = &x->sections[i], *q = &y->sections[i];
            snt_near(sn_vec3_distance(sn_mat4_point(place, p->center), q->center), 0, tolerance);
            sn_vec3 wide = sn_mat4_direction(place, p->wide);
            sn_vec3 thick = sn_mat4_direction(place, p->thick);
            double sign = sn_vec3_dot(wide, q->wide) < 0 ? -1 : 1;
            snt_near(sn_vec3_distance(sn_vec3_scale(wide, sign), q->wide), 0, tolerance);
            sign = sn_vec3_dot(thick, q->thick) < 0 ? -1 : 1;
            snt_near(sn_vec3_distance(sn_vec3_scale(thick, sign), q->thick), 0, tolerance);
        }
        assert_int_equal(x->origins[0].bone, y->origins[0].bone);
        assert_int_equal(x->pivot_count, y->pivot_count);
    }
}

static void moved_and_mirrored_muscles_have_moved_fits(void **state) {
    (void)state;
    sn_mat4 still = sn_mat4_identity(), mirror = still;
    mirror.m[0] = -1;
    sn_transform t = {
        {0.3, 1.1, -0.4}, sn_quat_normalize((sn_quat){0.3, -0.5, 0.2, 0.7}), {1, 1, 1}};
    sn_mat4 moved = sn_mat4_from_transform(&t);
    const sn_mat4 *places[2] = {&moved, &mirror};
    scene a;
    begin_odd(&a, 1, &still);
    fit(&a);
    for (int i = 0; i < 2; ++i) {
        scene b;
        begin_odd(&b, 1, places[i]);
        for (uint32_t f = 0; f < b.mesh->face_count && i == 1; ++f) { // faces outwards again
            uint32_t swap = b.mesh->corners[3 * f + 1];
            b.mesh->corners[3 * f + 1] = b.mesh->corners[3 * f + 2];
            b.mesh->corners[3 * f + 2] = swap;
        }
        fit(&b);
        assert_moved(a.fit, b.fit, places[i], 1e-4);
        end(&b);
    }
    end(&a);
}

static void the_order_of_vertices_does_not_matter(void **state) {
    (void)state;
    sn_mat4 still = sn_mat4_identity();
    snt_random random = {42};
    scene a, b;
    begin_odd(&a, 1, &still);
    begin_odd(&b, 1, &still);
    uint32_t count = b.mesh->vertex_count, map[1024];
    for (uint32_t i = 0; i < count; ++i) {
        map[i] = i;
    }
    for (uint32_t i = count; i > 1; --i) {
        uint32_t j = snt_random_u32(&random) % i, swap = map[i - 1];
        map[i - 1] = map[j];
        map[j] = swap;
    }
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(b.mesh->positions + 3 * (size_t)map[i], a.mesh->positions + 3 * (size_t)i,
               3 * sizeof(float));
    }
    // Faces from the last to the first, each beginning with another corner.
    uint32_t faces = b.mesh->face_count;
    for (uint32_t i = 0; i < 3 * faces; ++i) {
        uint32_t from = 3 * (faces - 1 - i / 3) + (i + 1) % 3;
        b.mesh->corners[i] = map[a.mesh->corners[from]];
    }
    fit(&a);
    fit(&b);
    assert_moved(a.fit, b.fit, &still, 5e-5);
    end(&a);
    end(&b);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    sn_mat4 still = sn_mat4_identity();
    scene a, b;
    begin_odd(&a, 1, &still);
    begin_odd(&b, 4, &still);
    a.desc.strips = b.desc.strips = 3;
    fit(&a);
    fit(&b);
    assert_int_equal(a.fit->strip_count, b.fit->strip_count);
    assert_true(a.fit->mean_distance == b.fit->mean_distance);
    for (uint32_t k = 0; k < a.fit->strip_count; ++k) {
        assert_int_equal(a.fit->strips[k].slice_count, b.fit->strips[k].slice_count);
        assert_memory_equal(a.fit->strips[k].sections, b.fit->strips[k].sections,
                            a.fit->strips[k].slice_count * sizeof(sn_fit_section));
    }
    end(&a);
    end(&b);
}

// A sheet of 30 cm along y and 10 cm along x, a bar along its side at -x on segment 0, a ball at
// its upper end on segment 2. Nothing tells how its fibres run: the side on the bar is held by it.
static void rims_on_bone_are_held(void **state) {
    (void)state;
    static const double sizes[4] = {1, 0.1, 0.3, 0.006}, bar[3] = {0.006, 0.12, 0.006};
    scene s;
    begin(&s, 1);
    s.mesh = snt_tube(s.context, 24, 64, snt_sheet, sizes);
    sn_mesh *mesh = snt_tube(s.context, 24, 12, snt_spindle, bar);
    sn_mat4 place = moved_to(sn_vec3_make(-0.057, 0.1, 1));
    move_mesh(mesh, &place);
    s.bones[s.desc.bone_count++] = (sn_fit_bone){"bar", mesh, 0};
    add_bone(&s, 2, sn_vec3_make(-0.03, 0.31, 1));
    add_bone(&s, 2, sn_vec3_make(0.03, 0.31, 1));
    fit(&s);
    assert_true(s.fit->hem_count >= 1);
    double longest = 0;
    for (uint32_t k = 0; k < s.fit->hem_count; ++k) {
        const sn_fit_strip *hem = &s.fit->hems[k];
        const sn_fit_section *last = &hem->sections[hem->slice_count - 1];
        assert_true(hem->slice_count >= 4 && hem->pivot_count == 0);
        if (hem->origins[0].bone == 0) {
            for (uint32_t i = 0; i < hem->slice_count; ++i) {
                assert_true(hem->sections[i].center.x < -0.035);
                snt_near(sn_vec3_dot(hem->sections[i].wide, hem->sections[i].thick), 0, 1e-12);
            }
            longest = fmax(longest, sn_vec3_distance(hem->sections[0].center, last->center));
        }
        assert_int_equal(hem->origins[1].bone, hem->insertions[0].bone);
    }
    assert_true(longest > 0.1);
    // Places tell what it is attached to.
    add_place(&s, 0, sn_vec3_make(0, 0, 1));
    add_place(&s, 1, sn_vec3_make(0, 0.3, 1));
    fit(&s);
    assert_int_equal(s.fit->hem_count, 0);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_places_are_the_ends),
        cmocka_unit_test(missing_places_are_guessed),
        cmocka_unit_test(places_on_the_way_become_pivots),
        cmocka_unit_test(tendons_are_held_on_both_sides_of_a_joint),
        cmocka_unit_test(places_far_away_are_left_out),
        cmocka_unit_test(moved_and_mirrored_muscles_have_moved_fits),
        cmocka_unit_test(the_order_of_vertices_does_not_matter),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(rims_on_bone_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
