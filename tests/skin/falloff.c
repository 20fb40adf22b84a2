// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "deformer.h"
#include "falloff_body.h"
#include "sinew/io.h"

#include <stdlib.h>

static void falloffs_have_known_values(void **state) {
    (void)state;
    sni_falloff_settings s = {.d_full = 1, .d_none = 3};
    static const double at_quarter[4] = {0.25, 0.0625, 0.15625, 0.14644660940672624};
    for (int kind = 0; kind < 4; ++kind) {
        s.kind = (sni_falloff_kind)kind;
        assert_true(sni_falloff_value(&s, 0) == 1);
        assert_true(sni_falloff_value(&s, 1) == 1);
        assert_true(sni_falloff_value(&s, 3) == 0);
        assert_true(sni_falloff_value(&s, 7) == 0);
        snt_near(sni_falloff_value(&s, 2.5), at_quarter[kind], 1e-15); // y = 1/4
        snt_near(sni_falloff_value(&s, 2), kind == SNI_FALLOFF_QUADRATIC ? 0.25 : 0.5, 1e-15);
        for (int k = 0; k < 100; ++k) {
            assert_true(sni_falloff_value(&s, 0.04 * k) >= sni_falloff_value(&s, 0.04 * (k + 1)));
        }
    }
    s.d_none = 1; // a step
    assert_true(sni_falloff_value(&s, 0.999) == 1 && sni_falloff_value(&s, 1) == 0);
}

// A plate of 1 x 1 below a plane, lifted as a whole: the falloff with the distance from it is all
// that remains.
static void a_lifted_plate_lifts_by_the_falloff(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_body(&b, context, toy_plane, 40, 40, false);
    static const double plate[12] = {-0.5, -0.05, -0.5, 0.5, -0.05, -0.5,
                                     -0.5, -0.05, 0.5,  0.5, -0.05, 0.5};
    static const double lifted[12] = {-0.5, 0.15, -0.5, 0.5, 0.15, -0.5,
                                      -0.5, 0.15, 0.5,  0.5, 0.15, 0.5};
    static const double knots[4] = {0, 0, 1, 1};
    b.muscles[0] = (sni_muscle_surface){
        .name = "plate",
        .nurbs = {.degrees = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = plate}};
    b.states[0] = (sni_muscle_points){.relaxed = plate, .contracted = lifted};
    b.parameters[SHAPE] = SNI_FALLOFF_LINEAR;
    for (uint32_t round = 0; round < 2; ++round) {
        b.under.count = 1;
        b.parameters[ENVELOPE] = round == 0 ? 1 : 0.5;
        bind(&b);
        deform(&b);
        for (uint32_t i = 0; i < b.skin.mesh->vertex_count; ++i) {
            const float *p = b.in + 3 * i;
            double x = fmax(fabs(p[0]) - 0.5, 0), z = fmax(fabs(p[2]) - 0.5, 0);
            double d = sqrt(x * x + z * z + 0.05 * 0.05);
            double psi = fmin(fmax((d - 0.4) / (0.1 - 0.4), 0), 1);
            snt_near(b.out[3 * i], p[0], 1e-7);
            snt_near(b.out[3 * i + 1], 0.2 * psi * b.parameters[ENVELOPE], 1e-6);
            snt_near(b.out[3 * i + 2], p[2], 1e-7);
        }
        b.under.count = 0;
    }
    free_body(&b);
    snt_context_end(context);
}

// The definition itself, by a second method: surfaces evaluated at the closest place.
static void points_follow_the_closest_place(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_body(&b, context, toy_tube, 60, 30, true);
    add_muscle(&b, toy_tube, 0.1, 0.3);
    contract(&b, 0, 0.3);
    bind(&b);
    deform(&b);
    sni_falloff_settings settings = {.d_full = 0.1, .d_none = 0.4, .kind = SNI_FALLOFF_CUBIC};
    sni_nurbs now = b.muscles[0].nurbs;
    now.points = b.contracted[0];
    sni_nurbs_finder *finder;
    snt_ok(sni_nurbs_finder_create(context, &b.muscles[0].nurbs, &finder, error));
    uint32_t following = 0;
    for (uint32_t i = 0; i < b.skin.mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(b.in + 3 * i), is = sn_vec3_load(b.out + 3 * i);
        sni_nurbs_closest c;
        sni_nurbs_find_closest(finder, p, INFINITY, &c);
        sn_vec3 move = sn_vec3_sub(sni_nurbs_point(&now, c.u, c.v), c.point);
        p = sn_vec3_add_scaled(p, sni_falloff_value(&settings, c.distance), move);
        snt_near(sn_vec3_distance(p, is), 0, 1e-6);
        following += moved(&b, i) > 0;
    }
    assert_true(following > 300 && following < b.skin.mesh->vertex_count / 2);
    sni_nurbs_finder_destroy(finder);
    free_body(&b);
    snt_context_end(context);
}

static void relaxed_muscles_add_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_tube(&b, context, 60, 30);
    bind(&b);
    contract(&b, 0, 0);
    contract(&b, 1, 0);
    deform(&b);
    assert_memory_equal(b.out, b.in, 12 * b.skin.mesh->vertex_count);
    free_body(&b);
    snt_context_end(context);
}

// The points of a skin with one of two muscles contracted.
typedef struct together {
    float *alone[MUSCLES];
    size_t count; // of numbers
} together;

static void contract_in_turn(body *b, double contraction, together *t) {
    t->count = 3 * (size_t)b->skin.mesh->vertex_count;
    for (uint32_t m = 0; m < MUSCLES; ++m) {
        contract(b, m, contraction);
        contract(b, 1 - m, 0);
        deform(b);
        t->alone[m] = copy_points(b);
    }
    contract(b, 0, contraction);
    contract(b, 1, contraction);
    deform(b);
}

static sn_vec3 move_of(const body *b, const float *points, size_t vertex) {
    return sn_vec3_sub(sn_vec3_load(points + 3 * vertex), sn_vec3_load(b->in + 3 * vertex));
}

static void muscles_add_up_when_asked_to(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_tube(&b, context, 60, 30);
    b.parameters[OVERLAP] = SNI_FALLOFF_SUM;
    bind(&b);
    together t;
    contract_in_turn(&b, 0.4, &t);
    for (size_t i = 0; i < t.count; ++i) {
        snt_near(b.out[i], (double)t.alone[0][i] + t.alone[1][i] - b.in[i], 1e-6);
    }
    free(t.alone[0]);
    free(t.alone[1]);
    free_body(&b);
    snt_context_end(context);
}

// Two heads of one muscle that lie side by side: the skin between them goes as far as the one that
// moves it further, in the direction of either, and follows a single one bit by bit.
static void neighbours_do_not_add_up_twice(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_tube(&b, context, 60, 30);
    bind(&b);
    together t;
    contract_in_turn(&b, 0.4, &t);
    uint32_t shared = 0, doubled = 0;
    for (size_t i = 0; i < t.count / 3; ++i) {
        sn_vec3 d0 = move_of(&b, t.alone[0], i), d1 = move_of(&b, t.alone[1], i);
        sn_vec3 d = move_of(&b, b.out, i);
        double longest = fmax(sn_vec3_length(d0), sn_vec3_length(d1));
        if (sn_vec3_length(d0) == 0 || sn_vec3_length(d1) == 0) {
            const float *alone = sn_vec3_length(d0) == 0 ? t.alone[1] : t.alone[0];
            assert_memory_equal(b.out + 3 * i, alone + 3 * i, 3 * sizeof(float));
            continue;
        }
        ++shared;
        doubled += sn_vec3_length(sn_vec3_add(d0, d1)) > 1.8 * longest;
        if (sn_vec3_dot(d0, d1) > 0) {
            assert_true(sn_vec3_dot(d, d0) <= sn_vec3_length(d0) * longest * 1.001 + 1e-9);
            assert_true(sn_vec3_dot(d, d1) <= sn_vec3_length(d1) * longest * 1.001 + 1e-9);
            assert_true(sn_vec3_length(d) <= sqrt(2) * longest + 1e-6);
        }
    }
    assert_true(shared > 200);
    assert_true(doubled > 10); // what the sum would have done
    free(t.alone[0]);
    free(t.alone[1]);
    free_body(&b);
    snt_context_end(context);
}

// Runs a falloff of two plates under the plane that move by given vectors; returns the move of the
// plane's middle.
static sn_vec3 blended(sn_context *context, const sn_vec3 moves[2], double overlap) {
    static const double knots[4] = {0, 0, 1, 1};
    double plate[12], moved_plates[2][12];
    body b;
    make_body(&b, context, toy_plane, 2, 2, false);
    b.parameters[OVERLAP] = overlap;
    for (uint32_t m = 0; m < 2; ++m) {
        for (int k = 0; k < 12; ++k) {
            plate[k] = k % 3 == 1 ? -0.05 : (k / 3 == 1 || k / 3 == 3) == (k % 3 == 0) ? 0.5 : -0.5;
            moved_plates[m][k] = plate[k] + (&moves[m].x)[k % 3];
        }
        b.muscles[m] = (sni_muscle_surface){
            .name = "plate",
            .nurbs = {
                .degrees = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = plate}};
        b.states[m] = (sni_muscle_points){.relaxed = plate, .contracted = moved_plates[m]};
    }
    b.under.count = 2;
    bind(&b);
    deform(&b);
    sn_vec3 d = move_of(&b, b.out, 4);
    b.under.count = 0;
    free_body(&b);
    return d;
}

static void blends_have_known_values(void **state) {
    (void)state;
    static const struct {
        sn_vec3 moves[2], blend;
    } cases[] = {
        {{{0, 0.017, 0}, {0, 0.017, 0}}, {0, 0.017, 0}},   // alike: not twice
        {{{0, 0.017, 0}, {0, 0.009, 0}}, {0, 0.017, 0}},   // parallel: the longer
        {{{0, 0.017, 0}, {0.01, 0, 0}}, {0.01, 0.017, 0}}, // across: both
        {{{0, 0.017, 0}, {0, -0.007, 0}}, {0, 0.01, 0}},   // against each other: what is left
        {{{0, 0.017, 0}, {0, 0, 0}}, {0, 0.017, 0}},       // one alone
        {{{0.01, 0.01, 0}, {0, 0.01, 0}}, {0.02 / 3, 0.01 / 6 * 7, 0}}, // at 45 degrees
    };
    sn_context *context = snt_context(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const sn_vec3 turned[2] = {cases[k].moves[1], cases[k].moves[0]};
        sn_vec3 d = blended(context, cases[k].moves, SNI_FALLOFF_BLEND);
        snt_near(sn_vec3_distance(d, cases[k].blend), 0, 1e-8);
        d = blended(context, turned, SNI_FALLOFF_BLEND);
        snt_near(sn_vec3_distance(d, cases[k].blend), 0, 1e-8);
        d = blended(context, turned, SNI_FALLOFF_SUM);
        snt_near(sn_vec3_distance(d, sn_vec3_add(turned[0], turned[1])), 0, 1e-8);
    }
    snt_context_end(context);
}

// Small changes of either displacement change the blend little, also where one passes through 0.
static void blends_are_continuous(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {19};
    for (int walk = 0; walk < 8; ++walk) {
        sn_vec3 from[2], to[2], before = {0, 0, 0};
        for (int m = 0; m < 2; ++m) {
            from[m] =
                sn_vec3_make(snt_random_range(&random, -1, 1), snt_random_range(&random, -1, 1),
                             snt_random_range(&random, -1, 1));
            to[m] = walk % 2 == 0 ? sn_vec3_scale(from[m], -1) : sn_vec3_make(0, 1 - m, 0.5);
        }
        double step = 0;
        for (int k = 0; k <= 100; ++k) {
            const sn_vec3 moves[2] = {sn_vec3_lerp(from[0], to[0], k / 100.0),
                                      sn_vec3_lerp(from[1], to[1], k / 100.0)};
            sn_vec3 d = blended(context, moves, SNI_FALLOFF_BLEND);
            step = k > 0 ? fmax(step, sn_vec3_distance(d, before)) : 0;
            before = d;
        }
        double length = sn_vec3_distance(from[0], to[0]) + sn_vec3_distance(from[1], to[1]);
        assert_true(step <= 3 * length / 100);
    }
    snt_context_end(context);
}

// Falloffs in a row, of different distances say, blend as muscles of one do.
static void falloffs_in_a_row_do_not_add_up_twice(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_tube(&b, context, 60, 30);
    contract(&b, 0, 0.4);
    contract(&b, 1, 0.4);
    bind(&b);
    deform(&b);
    float *at_once = copy_points(&b), *first = NULL;
    b.under.count = 1;
    bind(&b);
    deform(&b);
    first = copy_points(&b);
    b.under = (sni_muscles_input){.count = 1, .muscles = b.muscles + 1};
    b.posed.muscles = b.states + 1;
    bind(&b);
    sni_deform_job job = deform_job(&b);
    job.points_in = first;
    job.points_before = b.in;
    snt_ok(sni_deformer_falloff.deform(b.bound, &job, error));
    for (size_t i = 0; i < 3 * (size_t)b.skin.mesh->vertex_count; ++i) {
        snt_near(b.out[i], at_once[i], 1e-6);
    }
    free(at_once);
    free(first);
    b.under = (sni_muscles_input){.count = MUSCLES, .muscles = b.muscles};
    free_body(&b);
    snt_context_end(context);
}

// Larger distances never make a point follow less.
static void distances_act_monotonically(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_plane(&b, context, 40);
    uint32_t count = b.skin.mesh->vertex_count;
    double *before = calloc(count, sizeof *before);
    static const double distances[6][2] = {{0.05, 0.05}, {0.05, 0.2}, {0.1, 0.2},
                                           {0.1, 0.5},   {0.3, 0.5},  {0.5, 0.9}};
    for (int shape = 0; shape < 4; ++shape) {
        memset(before, 0, count * sizeof *before);
        for (int k = 0; k < 6; ++k) {
            b.parameters[FULL] = distances[k][0];
            b.parameters[NONE] = distances[k][1];
            b.parameters[SHAPE] = shape;
            bind(&b);
            deform(&b);
            for (uint32_t i = 0; i < count; ++i) {
                assert_true(moved(&b, i) >= before[i] - 1e-6);
                before[i] = moved(&b, i);
            }
        }
    }
    free(before);
    free_body(&b);
    snt_context_end(context);
}

static void point_weights_scale_and_exclude(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_plane(&b, context, 30);
    bind(&b);
    deform(&b);
    uint32_t count = b.skin.mesh->vertex_count;
    size_t bytes = sni_deformer_falloff.bytes(b.bound);
    float *full = copy_points(&b);
    b.weights = sni_alloc(context, count, sizeof *b.weights);
    for (uint32_t i = 0; i < count; ++i) {
        b.weights[i] = (float)(i % 3) / 2;
    }
    bind(&b);
    deform(&b);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        double w = b.weights[i / 3];
        snt_near(b.out[i], b.in[i] + w * ((double)full[i] - b.in[i]), 1e-6);
        assert_true(w > 0 || b.out[i] == b.in[i]);
    }
    assert_true(sni_deformer_falloff.bytes(b.bound) < bytes); // points out of the set cost nothing
    free(full);
    free_body(&b);
    snt_context_end(context);
}

// A sheet folded at x = 1: the lower half lies on the upper one, the same positions in the other
// direction. Muscle and traces belong to the upper half (s < 1/2).
static sn_vec3 folded(double s, double t) {
    return sn_vec3_make(s <= 0.5 ? 4 * s - 1 : 3 - 4 * s, 0, 1 - 2 * t);
}

static void touching_lips_stay_apart(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_body(&b, context, folded, 80, 40, false);
    // Closest points cannot tell the halves apart, so the curves are placed by triangle.
    toy_curves c;
    sni_parameters_defaults(&sni_muscle_patch.parameters, c.parameters);
    for (int which = 0; which < 2; ++which) {
        for (uint32_t i = 0; i < 2; ++i) {
            uint32_t face = (10 + 20 * i) * 80 + (which == 0 ? 8 : 24); // x = -0.6, 0.2
            c.places[which][i] = (sni_skin_place){2 * face, {1, 0, 0}};
            assert_int_equal(b.skin.triangles->faces[2 * face], face);
        }
        c.curves[which] = (sni_muscle_curve){2, c.places[which]};
    }
    c.parameters[0] = c.parameters[1] = 0.02;
    add_drawn(&b, &c);
    contract(&b, 0, 0.3);
    b.parameters[FULL] = 0.1;
    b.parameters[NONE] = 0.2;
    uint32_t moving[2][2] = {{0}};
    for (int round = 0; round < 2; ++round) {
        b.parameters[REACH] = round == 0 ? 0 : 2;
        bind(&b);
        deform(&b);
        for (uint32_t i = 0; i < b.skin.mesh->vertex_count; ++i) {
            uint32_t column = i % 81;
            if (column != 40) {
                moving[round][column > 40] += moved(&b, i) > 0;
            }
        }
    }
    assert_true(moving[0][0] > 200);
    assert_int_equal(moving[0][0], moving[0][1]); // without separation both halves move
    assert_int_equal(moving[1][0], moving[0][0]); // with it, still all of the upper one
    assert_int_equal(moving[1][1], 0);            // and nothing of the lower one
    free_body(&b);
    snt_context_end(context);
}

// The first of the face's meshes, in metres.
static void load_face(body *b, sn_context *context, sn_import **import) {
    toy skin = {.context = context};
    snt_ok(sn_import_file(context, snt_data("face/generic_neutral.obj"), import, error));
    snt_ok(sn_mesh_copy((*import)->meshes[0], &skin.mesh, error));
    for (size_t i = 0; i < 3 * (size_t)skin.mesh->vertex_count; ++i) {
        skin.mesh->positions[i] *= 0.01f;
    }
    toy_finish(&skin);
    body_of_skin(b, context, &skin);
}

// The distance along the normal from every grid point to the skin.
static void check_depth(const toy *skin, const sni_muscle_job *job, double depth) {
    sni_patch_grid grid;
    snt_ok(sni_patch_generate(job, &grid, error));
    for (size_t k = 0; k < sni_patch_count(&grid); ++k) {
        sn_hit hit;
        sn_accel_cast(skin->accel, grid.points[k], grid.normals[k], 0, INFINITY, &hit);
        snt_near(hit.distance, depth, 0.01 * depth);
    }
    sni_patch_grid_deinit(skin->context, &grid);
}

// A muscle from beside the nose down to the upper lip: it lifts the upper lip (the middle of its
// inner border is vertex 5533), and the lower one (5517) only if nothing keeps them apart.
static void lips_of_a_face_stay_apart(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_import *import;
    body b;
    load_face(&b, context, &import);
    sn_vec3 lip = sn_vec3_load(b.in + 3 * 0); // middle of the upper lip's outer border
    toy_curves c;
    sni_parameters_defaults(&sni_muscle_patch.parameters, c.parameters);
    for (int which = 0; which < 2; ++which) {
        sn_vec3 points[4];
        for (int k = 0; k < 4; ++k) {
            double side = which == 0 ? -0.012 : 0.012;
            points[k] = sn_vec3_add(lip, sn_vec3_make(side, 0.008 - 0.003 * k, 0.002));
        }
        toy_draw(&b.skin, &c, which, 4, points);
    }
    c.parameters[0] = 0.001;
    c.parameters[1] = 0.002;
    add_drawn(&b, &c);
    sni_muscle_job job = toy_job(&b.skin, &c);
    sni_muscle_measure measure;
    sni_muscle_patch.measure(b.bound_muscles[0], NULL, &measure);
    assert_int_equal(measure.without_hit, 0);
    check_depth(&b.skin, &job, 0.003);
    contract(&b, 0, 0.4);
    for (int round = 0; round < 2; ++round) {
        b.parameters[REACH] = round == 0 ? 0 : 2;
        bind(&b);
        deform(&b);
        assert_true(moved(&b, 0) > 0.001);
        assert_true(moved(&b, 5533) > 0.0005);
        assert_true(round == 0 ? moved(&b, 5517) > 0.0005 : moved(&b, 5517) == 0);
    }
    sn_import_destroy(import);
    free_body(&b);
    snt_context_end(context);
}

// A texture seam (equal positions, normals that agree) is no gap.
static void seams_do_not_separate(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body whole, split;
    make_body(&whole, context, toy_plane, 30, 30, false);
    make_body(&split, context, toy_plane, 30, 30, false);
    uint32_t count = whole.skin.mesh->vertex_count;
    sn_mesh *mesh = NULL; // every face with vertices of its own
    snt_ok(sn_mesh_create(context, "split", 3600, 900, 3600, &mesh, error));
    for (uint32_t c = 0; c < 3600; ++c) {
        memcpy(mesh->positions + 3 * c,
               whole.skin.mesh->positions + 3 * whole.skin.mesh->corners[c], 12);
        mesh->corners[c] = c;
        mesh->face_offsets[(c + 4) / 4] = 4 * (c / 4 + 1);
    }
    uint32_t *original = sni_copy(context, whole.skin.mesh->corners, 3600, 4);
    free_toy(&split.skin);
    split.skin = (toy){.context = context, .mesh = mesh};
    toy_finish(&split.skin);
    split.in = mesh->positions;
    sni_free(context, split.out);
    split.out = sni_alloc_zero(context, 3 * 3600, sizeof(float));
    body *bodies[2] = {&whole, &split};
    for (int k = 0; k < 2; ++k) {
        add_muscle(bodies[k], toy_plane, 0.3, 0.6);
        contract(bodies[k], 0, 0.3);
        bind(bodies[k]);
        deform(bodies[k]);
    }
    for (uint32_t c = 0; c < 3600; ++c) {
        assert_true(original[c] < count);
        for (int i = 0; i < 3; ++i) {
            snt_near(split.out[3 * c + i], whole.out[3 * original[c] + i], 1e-5);
        }
    }
    sni_free(context, original);
    free_body(&whole);
    free_body(&split);
    snt_context_end(context);
}

// Points without faces follow by distance alone.
static void loose_points_follow(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body b;
    make_plane(&b, context, 30);
    bind(&b);
    deform(&b);
    uint32_t count = b.skin.mesh->vertex_count;
    float *expected = copy_points(&b);
    b.skin.mesh->face_count = b.skin.mesh->corner_count = 0;
    bind(&b);
    deform(&b);
    assert_memory_equal(b.out, expected, 12 * (size_t)count);
    free(expected);
    free_body(&b);
    snt_context_end(context);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 32};
    float *first = NULL;
    for (int k = 0; k < 5; ++k) {
        sn_context *context = snt_context(threads[k]);
        body b;
        make_tube(&b, context, 120, 100);
        contract(&b, 0, 0.3);
        contract(&b, 1, 0.6);
        bind(&b);
        deform(&b);
        size_t bytes = 12 * (size_t)b.skin.mesh->vertex_count;
        if (first == NULL) {
            first = copy_points(&b);
        }
        assert_memory_equal(b.out, first, bytes);
        free_body(&b);
        snt_context_end(context);
    }
    free(first);
}

#define bind_fails(text)                                                                           \
    do {                                                                                           \
        sni_bind_job job = bind_job(&b);                                                           \
        void *failed = &b;                                                                         \
        snt_fails(SN_INVALID, text, sni_deformer_falloff.bind(&job, &failed, error));              \
        assert_null(failed);                                                                       \
    } while (0)

static void bad_jobs_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body b;
    make_plane(&b, context, 30);
    b.parameters[FULL] = 0.5;
    bind_fails("falloff: d_full is 0.5, but must not be greater than d_none, 0.4");
    b.parameters[FULL] = -1;
    bind_fails("falloff: d_full is -1, but must be from 0 to 1000");
    b.parameters[FULL] = 0.1;
    b.weights = sni_alloc_zero(context, b.skin.mesh->vertex_count, sizeof *b.weights);
    b.weights[7] = -0.5f;
    bind_fails("falloff: point 7 has weight -0.5");
    b.weights[7] = 1;
    sni_muscle_trace trace = {.vertices = {0, 1, 5000}};
    sni_muscle_surface good = b.muscles[0];
    b.muscles[0].traces = &trace;
    b.muscles[0].trace_count = 1;
    bind_fails("falloff: muscle 0 (\"biceps\") has a trace at vertex 5000, but there are 961");
    b.muscles[0] = good;
    b.muscles[0].nurbs.degrees[0] = 20;
    bind_fails("degree 20 in u");
    b.muscles[0] = good;
    sni_bind_job without = bind_job(&b);
    without.inputs[0] = NULL;
    snt_fails(SN_INVALID, "falloff: needs muscles",
              sni_deformer_falloff.bind(&without, &b.bound, error));
    free_body(&b);
    snt_context_end(context);
}

// Nothing near, nothing given, nothing there.
static void empty_jobs_copy_the_points(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body b;
    make_body(&b, context, toy_plane, 30, 30, false);
    bind(&b);
    deform(&b);
    assert_memory_equal(b.out, b.in, 12 * (size_t)b.skin.mesh->vertex_count);
    add_muscle(&b, toy_plane, 0.3, 0.6);
    contract(&b, 0, 0.3);
    b.parameters[FULL] = b.parameters[NONE] = 0;
    bind(&b);
    deform(&b);
    assert_memory_equal(b.out, b.in, 12 * (size_t)b.skin.mesh->vertex_count);
    free_body(&b);
    snt_context_end(context);
}

static bool refuse(const char *step, double fraction, void *user) {
    (void)step;
    (void)user;
    return fraction < 0.5;
}

static void binding_can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    body b;
    make_body(&b, context, toy_plane, 200, 200, false);
    add_muscle(&b, toy_plane, 0.3, 0.6);
    b.parameters[NONE] = 2;
    sni_bind_job job = bind_job(&b);
    sn_progress progress = {refuse, NULL};
    job.progress = &progress;
    void *bound;
    snt_fails(SN_CANCELLED, "", sni_deformer_falloff.bind(&job, &bound, error));
    assert_null(bound);
    free_body(&b);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    return snt_try_deformer(context, &sni_deformer_falloff, bind_job(user), deform_job(user),
                            error);
}

static void memory_may_run_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    body b;
    make_plane(&b, context, 20);
    snt_fail_allocations(attempt, &b);
    free_body(&b);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falloffs_have_known_values),
        cmocka_unit_test(a_lifted_plate_lifts_by_the_falloff),
        cmocka_unit_test(points_follow_the_closest_place),
        cmocka_unit_test(relaxed_muscles_add_nothing),
        cmocka_unit_test(muscles_add_up_when_asked_to),
        cmocka_unit_test(neighbours_do_not_add_up_twice),
        cmocka_unit_test(blends_have_known_values),
        cmocka_unit_test(blends_are_continuous),
        cmocka_unit_test(falloffs_in_a_row_do_not_add_up_twice),
        cmocka_unit_test(distances_act_monotonically),
        cmocka_unit_test(point_weights_scale_and_exclude),
        cmocka_unit_test(touching_lips_stay_apart),
        cmocka_unit_test(lips_of_a_face_stay_apart),
        cmocka_unit_test(seams_do_not_separate),
        cmocka_unit_test(loose_points_follow),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(empty_jobs_copy_the_points),
        cmocka_unit_test(binding_can_be_cancelled),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
