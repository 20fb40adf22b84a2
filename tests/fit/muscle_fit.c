// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "muscle_shapes.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"

#include <math.h>

// A muscle among bones: small balls on the segments of a chain 0 - 1 - 2.
typedef struct scene {
    sn_context *context;
    sn_mesh *mesh;
    sn_fit_bone bones[4];
    uint32_t parents[3];
    sn_fit_place places[8];
    sn_muscle_fit_desc desc;
    sn_muscle_fit *fit;
} scene;

static const double ball_sizes[3] = {0.01, 0.01, 0.01};

static void move_mesh(sn_mesh *mesh, const sn_mat4 *place) {
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float *p = mesh->positions + 3 * (size_t)i;
        sn_vec3_store(sn_mat4_point(place, sn_vec3_load(p)), p);
    }
}

static sn_mat4 moved_to(sn_vec3 place) {
    sn_transform t = {place, {0, 0, 0, 1}, {1, 1, 1}};
    return sn_mat4_from_transform(&t);
}

static void add_bone(scene *s, uint32_t segment, sn_vec3 place) {
    sn_mesh *mesh = snt_tube(s->context, 12, 12, snt_spindle, ball_sizes);
    sn_mat4 matrix = moved_to(place);
    move_mesh(mesh, &matrix);
    s->bones[s->desc.bone_count++] = (sn_fit_bone){"ball", mesh, segment};
}

static void add_place(scene *s, uint32_t bone, sn_vec3 point) {
    s->places[s->desc.place_count++] = (sn_fit_place){bone, point};
}

static void begin(scene *s, uint32_t threads) {
    *s = (scene){.context = snt_context(threads), .parents = {SN_NONE, 0, 1}};
    s->desc = sn_muscle_fit_desc_default();
    s->desc.segment_count = 3;
}

static void fit(scene *s) {
    s->desc.mesh = s->mesh;
    s->desc.bones = s->bones;
    s->desc.segment_parents = s->parents;
    s->desc.places = s->places;
    sn_muscle_fit_destroy(s->fit);
    s->fit = NULL;
    snt_ok(sn_fit_muscle(s->context, &s->desc, &s->fit, error));
}

static void end(scene *s) {
    for (uint32_t i = 0; i < s->desc.bone_count; ++i) {
        sn_mesh_destroy((sn_mesh *)s->bones[i].mesh);
    }
    sn_mesh_destroy(s->mesh);
    sn_muscle_fit_destroy(s->fit);
    snt_context_end(s->context);
}

// A spindle of 20 cm along y between two balls, on segments 0 (below) and 1.
static void begin_spindle(scene *s) {
    static const double sizes[3] = {0.03, 0.1, 0.015};
    begin(s, 2);
    s->mesh = snt_tube(s->context, 24, 24, snt_spindle, sizes);
    add_bone(s, 0, sn_vec3_make(0, -0.115, 0));
    add_bone(s, 1, sn_vec3_make(0, 0.115, 0));
}

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
    snt_fails(SN_INVALID, "3 slices", sn_fit_muscle(s.context, &bad, &s.fit, error));
    bad = s.desc;
    bad.place_count = 1;
    s.places[0] = (sn_fit_place){7, {0, 0, 0}};
    snt_fails(SN_INVALID, "place 0 is on bone 7", sn_fit_muscle(s.context, &bad, &s.fit, error));
    s.places[0] = (sn_fit_place){0, {NAN, 0, 0}};
    snt_fails(SN_INVALID, "place 0 is not finite", sn_fit_muscle(s.context, &bad, &s.fit, error));
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

// Places of another muscle of the same name are not this one's.
static void places_far_away_are_left_out(void **state) {
    (void)state;
    scene s;
    begin_spindle(&s);
    add_place(&s, 0, sn_vec3_make(0, -0.1, 0));
    add_place(&s, 1, sn_vec3_make(0, 0.1, 0));
    fit(&s);
    sn_vec3 middle = s.fit->strips[0].sections[4].center;
    add_place(&s, 0, sn_vec3_make(0.4, 0.3, 0));
    fit(&s);
    assert_true(sn_vec3_distance(middle, s.fit->strips[0].sections[4].center) == 0);
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
    assert_moved(a.fit, b.fit, &still, 1e-5);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(a_fit_can_be_cancelled),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
        cmocka_unit_test(a_spindle_has_its_sections),
        cmocka_unit_test(a_bent_tube_has_its_axis),
        cmocka_unit_test(a_curved_sheet_becomes_several_strips),
        cmocka_unit_test(a_ring_becomes_two_halves),
        cmocka_unit_test(pieces_are_one_muscle),
        cmocka_unit_test(a_hole_is_told_and_fitted),
        cmocka_unit_test(broken_meshes_are_used_as_far_as_they_can_be),
        cmocka_unit_test(a_tetrahedron_is_a_muscle),
        cmocka_unit_test(given_places_are_the_ends),
        cmocka_unit_test(missing_places_are_guessed),
        cmocka_unit_test(places_on_the_way_become_pivots),
        cmocka_unit_test(places_far_away_are_left_out),
        cmocka_unit_test(moved_and_mirrored_muscles_have_moved_fits),
        cmocka_unit_test(the_order_of_vertices_does_not_matter),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
