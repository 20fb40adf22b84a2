// SPDX-License-Identifier: Apache-2.0
//
// The shipped head in motion: every muscle keeps its volume, and muscles move the jaw.
#include "test.h"

#include "geometry/interior.h"
#include "sinew/character.h"
#include "sinew/geometry.h"
#include "sinew/live.h"

#include <math.h>
#include <stdlib.h>

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t upper, lower; // surfaces: teeth
} subject;

static uint32_t surface_of(const subject *s, const char *name) {
    uint32_t found = 0;
    while (strcmp(sn_model_surface(s->model, found)->name, name) != 0) {
        found += 1;
    }
    return found;
}

static subject open_head(void) {
    subject s = {.context = snt_context(1)};
    const char *path = snt_source("examples/head/head.sinew.json");
    snt_ok(sn_character_load(s.context, path, &s.character, error));
    return s;
}

static void begin(subject *s) {
    snt_ok(sn_model_create(s->character, NULL, &s->model, error));
    snt_ok(sn_frame_create(s->model, &s->frame, error));
    s->upper = surface_of(s, "upper teeth");
    s->lower = surface_of(s, "lower teeth");
}

static void end(subject *s) {
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

// ---------------------------------------------------------------------------------------------
// Volumes

// Lets every muscle lose up to 60 % of its length with its own control, also those that bones
// move, and returns their number.
static uint32_t contract_all(sn_character *character) {
    sn_json *json = sn_character_document(character);
    const sn_value *muscles = sn_value_get(sn_json_root(json), "muscles");
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        sn_value *muscle = (sn_value *)sn_value_at(muscles, i);
        assert_string_equal(sn_value_string(sn_value_get(muscle, "kind"), ""), "graph");
        const sn_value *own = sn_value_get(muscle, "shortening");
        if (own != NULL) {
            sn_json_remove((sn_value *)own);
        }
        sn_json_add_number(json, muscle, "shortening", 0.6);
        if (sn_value_get(muscle, "contraction") == NULL) {
            sn_json_add_string(json, muscle, "contraction", muscle->key);
        }
    }
    return 2 * sn_value_count(muscles); // the document has those of the left side
}

// From the triangles of the posed surface.
static double volume_of(const subject *s, uint32_t surface, const float *points) {
    const sn_mesh *mesh = sn_model_surface(s->model, surface)->mesh;
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_triangles_create(mesh, points, &triangles, error));
    snt_ok(
        sn_mass_compute(s->context, points, triangles->vertices, triangles->count, &mass, error));
    sn_triangles_destroy(triangles);
    return mass.volume;
}

static void check_volumes(const subject *s, uint32_t muscles) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(s->model); ++i) {
        sn_muscle_state muscle;
        if (!sn_frame_muscle_state(s->frame, i, &muscle)) {
            continue;
        }
        double rest = volume_of(s, i, sn_model_surface(s->model, i)->mesh->positions);
        double now = volume_of(s, i, sn_frame_points(s->frame, i));
        snt_near(now / rest, 1, 0.01);
        found += 1;
    }
    assert_int_equal(found, muscles);
}

static void every_muscle_of_head_keeps_its_volume(void **state) {
    (void)state;
    subject s = open_head();
    uint32_t muscles = contract_all(s.character);
    // No body: the jaw is posed by hand, so that muscles are what is looked at.
    sn_json_remove(
        (sn_value *)sn_value_get(sn_json_root(sn_character_document(s.character)), "bodies"));
    begin(&s);
    for (int step = 0; step <= 6; ++step) {
        for (uint32_t i = 0; i < sn_model_surface_count(s.model); ++i) {
            const char *name = sn_model_surface(s.model, i)->name;
            sn_muscle_state muscle;
            if (sn_frame_muscle_state(s.frame, i, &muscle)) {
                snt_ok(sn_frame_set(s.frame, name, step / 6.0, error));
            }
        }
        snt_ok(sn_frame_evaluate(s.frame, NULL, 0, error));
        check_volumes(&s, muscles);
    }
    end(&s);
}

// The head as it is shipped, for the tests that follow.
static subject jaw;

static int begin_jaw(void **state) {
    (void)state;
    jaw = open_head();
    begin(&jaw);
    const uint32_t shown[] = {jaw.upper, jaw.lower};
    snt_ok(sn_frame_select(jaw.frame, shown, 2, error));
    return 0;
}

static int end_jaw(void **state) {
    (void)state;
    end(&jaw);
    return 0;
}

// As the thesis says: about five.
static void volumes_are_found_in_few_steps(void **state) {
    (void)state;
    sn_body_check *check = NULL;
    snt_ok(sn_body_check_create(jaw.model, 0.5, NULL, &check, error));
    assert_true(check->muscle_count > 100);
    for (uint32_t i = 0; i < check->muscle_count; ++i) {
        assert_in_range(check->muscles[i].volume_keys, 2, 40);
        assert_in_range(check->muscles[i].search_steps, 1, 5);
    }
    sn_body_check_destroy(check);
}

// ---------------------------------------------------------------------------------------------
// Jaw. Nothing but the teeth is looked at, so that muscles of the face are not computed.

static void pose(const subject *s, const char *control, double value) {
    sn_frame_clear(s->frame);
    snt_ok(sn_frame_set(s->frame, control, value, error));
    snt_ok(sn_frame_evaluate(s->frame, NULL, 0, error));
}

static double gape(const subject *s) {
    return sn_frame_controls(s->frame)[sn_model_find_control(s->model, "gape")];
}

static sn_vec3 chin(const subject *s) {
    return sn_mat4_point(&sn_frame_worlds(s->frame)[sn_model_find_segment(s->model, "jaw")],
                         sn_vec3_make(0, -0.076, 0.074));
}

// The mean of 27 women is 46.6 mm at the incisors and 11.9 mm at the condyles (Travers et al.,
// 2000).
static void openers_open_the_mouth(void **state) {
    (void)state;
    double before = 0;
    for (int i = 0; i <= 4; ++i) {
        pose(&jaw, "jaw open", 0.25 * i);
        assert_true(gape(&jaw) > before + (i > 0 ? 0.004 : 0)); // the control is of use everywhere
        before = gape(&jaw);
    }
    sn_body_state body = sn_frame_body_state(jaw.frame, 0);
    assert_true(gape(&jaw) > 0.035 && gape(&jaw) < 0.05);
    assert_true(body.joints[0].travel > 0.006 && body.joints[0].travel < 0.0142);
    snt_near(chin(&jaw).x, 0, 1e-5);
}

// How deep points of one row of teeth lie in the other row.
static double deepest(const subject *s, uint32_t points_of, uint32_t in) {
    const sn_mesh *mesh = sn_model_surface(s->model, in)->mesh;
    const sn_mesh *other = sn_model_surface(s->model, points_of)->mesh;
    const float *points = sn_frame_points(s->frame, points_of);
    sni_interior interior;
    double most = 0;
    snt_ok(sni_interior_init(&interior, mesh, sn_frame_points(s->frame, in), error));
    for (size_t i = 0; i < other->vertex_count; ++i) {
        sn_vec3 closest;
        most = fmax(most, sni_interior_depth(&interior, sn_vec3_load(points + 3 * i), &closest));
    }
    sni_interior_deinit(&interior);
    return most;
}

static void check_teeth(const subject *s) {
    assert_true(deepest(s, s->lower, s->upper) < 2e-4);
    assert_true(deepest(s, s->upper, s->lower) < 2e-4);
}

static void closing_stops_at_the_teeth(void **state) {
    (void)state;
    pose(&jaw, "jaw close", 1);
    assert_true(sn_frame_body_state(jaw.frame, 0).contacts[0].force > 300);
    check_teeth(&jaw);
}

static void jaws_go_aside_and_forward(void **state) {
    (void)state;
    pose(&jaw, "jaw open", 0);
    sn_vec3 rest = chin(&jaw);
    pose(&jaw, "pterygoid lateral lower.L", 1);
    double left = chin(&jaw).x;
    assert_true(left < -0.005);
    pose(&jaw, "pterygoid lateral lower.R", 1);
    snt_near(chin(&jaw).x, -left, 1e-4);
    pose(&jaw, "jaw left", 1);
    assert_true(chin(&jaw).x > 0.006);
    check_teeth(&jaw);
    pose(&jaw, "jaw forward", 1);
    assert_true(chin(&jaw).z > rest.z + 0.006);
    snt_near(chin(&jaw).x, 0, 1e-5);
    check_teeth(&jaw);
}

static bool is_between(double value, double low, double high) {
    return value > low && value < high;
}

// The clip again and again, 10,001 frames in all where SINEW_THOROUGH is set.
static void chewing_stays_bounded(void **state) {
    (void)state;
    sn_motion *motion = NULL;
    uint32_t rounds = getenv("SINEW_THOROUGH") != NULL ? 137 : 2;
    double widest[2] = {0, 0}, left = 0, right = 0;
    snt_ok(sn_motion_open(jaw.model, "chew", &motion, error));
    sn_frame_clear(jaw.frame);
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t i = 0; i < sn_motion_frame_count(motion); ++i) {
            snt_ok(sn_frame_set_motion_pose(jaw.frame, motion, i, error));
            snt_ok(sn_frame_step(jaw.frame, 1 / sn_motion_rate(motion), error));
            sn_body_state body = sn_frame_body_state(jaw.frame, 0);
            assert_true(body.contacts[0].depth < 2e-4);
            assert_true(is_between(body.joints[0].travel, -0.001, 0.0145));
            assert_true(is_between(body.joints[1].travel, -0.001, 0.0145));
            widest[round > 0] = fmax(widest[round > 0], gape(&jaw));
            left = fmax(left, chin(&jaw).x);
            right = fmin(right, chin(&jaw).x);
        }
        check_teeth(&jaw);
    }
    assert_true(is_between(widest[0], 0.012, 0.03) && left > 0.002 && right < -0.002);
    snt_near(widest[1], widest[0], 0.001);
    sn_motion_destroy(motion);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_muscle_of_head_keeps_its_volume),
        cmocka_unit_test(volumes_are_found_in_few_steps),
        cmocka_unit_test(openers_open_the_mouth),
        cmocka_unit_test(closing_stops_at_the_teeth),
        cmocka_unit_test(jaws_go_aside_and_forward),
        cmocka_unit_test(chewing_stays_bounded),
    };
    return cmocka_run_group_tests(tests, begin_jaw, end_jaw);
}
