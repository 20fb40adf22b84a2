// SPDX-License-Identifier: Apache-2.0
//
// Paths around several wrap objects, with legs, against a string: many points that are pulled to
// the middle of their neighbours and pushed out of the bodies until nothing moves. It shares
// nothing with the library.
#include "test.h"

#include "sinew/sinew.h"

#include <math.h>
#include <stdlib.h>

// A body turns about z at the ground's origin. Wrap objects are fixed to the ground: `upright` has
// the axis z, `askew` one that is turned, `ball` is a sphere.
#define MODEL_BEGIN                                                                                \
    "<OpenSimDocument Version=\"40000\"><Model name=\"wraps\"><Ground name=\"ground\">"            \
    "<WrapObjectSet><objects>"                                                                     \
    "<WrapCylinder name=\"upright\"><xyz_body_rotation>0 0 0</xyz_body_rotation>"                  \
    "<translation>0 0 0</translation><quadrant>all</quadrant><radius>0.03</radius>"                \
    "<length>1</length></WrapCylinder>"                                                            \
    "<WrapCylinder name=\"askew\"><xyz_body_rotation>0.3 0.2 0</xyz_body_rotation>"                \
    "<translation>-0.2 0.01 0</translation><quadrant>all</quadrant><radius>0.025</radius>"         \
    "<length>1</length></WrapCylinder>"                                                            \
    "<WrapSphere name=\"ball\"><xyz_body_rotation>0 0 0</xyz_body_rotation>"                       \
    "<translation>-0.1 -0.012 0.01</translation><quadrant>all</quadrant><radius>0.02</radius>"     \
    "</WrapSphere></objects></WrapObjectSet></Ground>"                                             \
    "<BodySet><objects><Body name=\"b\"></Body></objects></BodySet><JointSet><objects>"            \
    "<PinJoint name=\"hinge\"><socket_parent_frame>/ground</socket_parent_frame>"                  \
    "<socket_child_frame>/bodyset/b</socket_child_frame><coordinates><Coordinate name=\"q\">"      \
    "<default_value>0</default_value></Coordinate></coordinates></PinJoint></objects></JointSet>"  \
    "<ForceSet><objects><Thelen2003Muscle name=\"m\"><GeometryPath><PathPointSet><objects>"
#define GROUND_POINT(name, at)                                                                     \
    "<PathPoint name=\"" name "\"><socket_parent_frame>/ground</socket_parent_frame><location>" at \
    "</location></PathPoint>"
#define BODY_POINT(name, at)                                                                       \
    "<PathPoint name=\"" name                                                                      \
    "\"><socket_parent_frame>/bodyset/b</socket_parent_frame><location>" at                        \
    "</location></PathPoint>"
#define WRAPS "</objects></PathPointSet><PathWrapSet><objects>"
#define WRAP(name, range)                                                                          \
    "<PathWrap name=\"w-" name "\"><wrap_object>" name "</wrap_object><method>hybrid</method>"     \
    "<range>" range "</range></PathWrap>"
#define MODEL_END                                                                                  \
    "</objects></PathWrapSet></GeometryPath><max_isometric_force>100</max_isometric_force>"        \
    "<optimal_fiber_length>0.1</optimal_fiber_length></Thelen2003Muscle></objects></ForceSet>"     \
    "</Model></OpenSimDocument>"

typedef struct obstacle {
    sn_vec3 center, axis; // no axis: a ball
    double radius;
} obstacle;

static const obstacle upright = {{0, 0, 0}, {0, 0, 1}, 0.03};
static const obstacle ball = {{-0.1, -0.012, 0.01}, {0, 0, 0}, 0.02};

// The turned z axis: about x, then about the new y.
static obstacle askew(void) {
    double sx = sin(0.3), cx = cos(0.3), sy = sin(0.2), cy = cos(0.2);
    return (obstacle){{-0.2, 0.01, 0}, {sy, -sx * cy, cx * cy}, 0.025};
}

static sn_vec3 push_out(const obstacle *o, sn_vec3 p) {
    sn_vec3 from = sn_vec3_sub(p, o->center);
    sn_vec3 along = sn_vec3_scale(o->axis, sn_vec3_dot(from, o->axis));
    sn_vec3 out = sn_vec3_sub(from, along);
    double length = sn_vec3_length(out);
    if (length >= o->radius) {
        return p;
    }
    return sn_vec3_add(o->center, sn_vec3_add(along, sn_vec3_scale(out, o->radius / length)));
}

enum { BEADS = 97, PULLS = 12000 };

// The length of a taut string from a to b past bodies. Chords of arcs are a little short: by a
// part of (angle / beads)^2 / 24 each, some micrometres.
static double string_length(sn_vec3 a, sn_vec3 b, const obstacle *obstacles, int count) {
    static sn_vec3 beads[BEADS];
    double length = 0;
    for (int i = 0; i < BEADS; ++i) {
        beads[i] = sn_vec3_lerp(a, b, (double)i / (BEADS - 1));
    }
    for (int pull = 0; pull < PULLS; ++pull) {
        for (int i = 1; i + 1 < BEADS; ++i) {
            sn_vec3 middle = sn_vec3_lerp(beads[i - 1], beads[i + 1], 0.5);
            beads[i] = sn_vec3_add_scaled(middle, 0.6, sn_vec3_sub(middle, beads[i]));
            for (int k = 0; k < count; ++k) {
                beads[i] = push_out(&obstacles[k], beads[i]);
            }
        }
    }
    for (int i = 1; i < BEADS; ++i) {
        length += sn_vec3_distance(beads[i - 1], beads[i]);
    }
    return length;
}

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} body;

static body open_text(const char *text) {
    body b = {.context = snt_context(1)};
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512];
    snprintf(path, sizeof path, "%s", snt_scratch("wraps.osim"));
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    desc.skin = false;
    snt_ok(sn_character_from_osim(b.context, path, &desc, "new.sinew.json", &b.character, NULL,
                                  error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    return b;
}

static void close_body(body *b) {
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static double length_at(body *b, double degrees) {
    sn_muscle_state muscle;
    snt_ok(sn_frame_set(b->frame, "q", degrees, error));
    snt_ok(sn_frame_evaluate(b->frame, NULL, 0, error));
    assert_true(sn_frame_muscle_state(b->frame, sn_model_find_surface(b->model, "m"), &muscle));
    return muscle.length;
}

static sn_vec3 turned(sn_vec3 p, double degrees) {
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    return sn_vec3_make(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

static void expect_length(body *b, double degrees, double expected) {
    double length = length_at(b, degrees);
    if (!(fabs(length - expected) < 1e-5)) {
        fail_msg("at %g the muscle is %.7f m long, a string %.7f m", degrees, length, expected);
    }
}

// One piece around two cylinders, a ball between them, from any of which it may come free.
static void one_piece_goes_around_three_bodies(void **state) {
    (void)state;
    body b = open_text(MODEL_BEGIN GROUND_POINT("p1", "-0.3 -0.01 0.02")
                           BODY_POINT("p2", "0.12 0 -0.03") WRAPS WRAP("upright", "-1 -1")
                               WRAP("askew", "-1 -1") WRAP("ball", "-1 -1") MODEL_END);
    const obstacle all[] = {askew(), ball, upright};
    sn_vec3 first = {-0.3, -0.01, 0.02}, last = {0.12, 0, -0.03};
    for (double q = 8; q <= 75; q += 13.4) {
        expect_length(&b, -q, string_length(first, turned(last, -q), all, 3));
    }
    close_body(&b);
}

// Two legs over a point: each wrap object acts on the leg that its range allows, even where the
// other leg cuts it.
static void ranges_choose_the_leg(void **state) {
    (void)state;
    sn_vec3 first = {-0.3, -0.01, 0.02}, middle = {-0.15, 0.06, 0.01}, last = {0.12, 0.02, -0.03};
    const obstacle one = askew();
    body b = open_text(MODEL_BEGIN GROUND_POINT("p1", "-0.3 -0.01 0.02")
                           GROUND_POINT("p2", "-0.15 0.06 0.01") BODY_POINT("p3", "0.12 0.02 -0.03")
                               WRAPS WRAP("upright", "2 3") WRAP("askew", "1 2") MODEL_END);
    for (double q = 0; q <= 90; q += 15) {
        sn_vec3 end = turned(last, -q);
        expect_length(&b, -q,
                      string_length(first, middle, &one, 1) +
                          string_length(middle, end, &upright, 1));
    }
    close_body(&b);
    // The other way round neither has a leg that it could act on.
    b = open_text(MODEL_BEGIN GROUND_POINT("p1", "-0.3 -0.01 0.02")
                      GROUND_POINT("p2", "-0.15 0.06 0.01") BODY_POINT("p3", "0.12 0.02 -0.03")
                          WRAPS WRAP("upright", "1 2") WRAP("askew", "2 3") MODEL_END);
    for (double q = 0; q <= 90; q += 15) {
        expect_length(&b, -q,
                      sn_vec3_distance(first, middle) + sn_vec3_distance(middle, turned(last, -q)));
    }
    close_body(&b);
}

// Through the whole range in small steps: where the path comes to a body or leaves it, its length
// has no jump.
static void lengths_are_continuous(void **state) {
    (void)state;
    body b = open_text(MODEL_BEGIN GROUND_POINT("p1", "-0.3 -0.01 0.02")
                           BODY_POINT("p2", "0.12 0 -0.03") WRAPS WRAP("upright", "-1 -1")
                               WRAP("askew", "-1 -1") WRAP("ball", "-1 -1") MODEL_END);
    double before = length_at(&b, -5), largest = 0;
    for (double q = 5.1; q <= 100; q += 0.1) {
        double length = length_at(&b, -q);
        largest = fmax(largest, fabs(length - before));
        before = length;
    }
    // No lever is longer than 0.12 m.
    print_message("steps of 0.1 degrees change the length by %.3g mm at most\n", 1000 * largest);
    assert_true(largest < 0.12 * 0.1 * SN_PI / 180 * 1.01);
    close_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_piece_goes_around_three_bodies),
        cmocka_unit_test(ranges_choose_the_leg),
        cmocka_unit_test(lengths_are_continuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
