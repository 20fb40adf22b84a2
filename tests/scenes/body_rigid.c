// SPDX-License-Identifier: Apache-2.0
//
// A whole body that is carried and turned takes its skin along as it is: anchors, springs and
// spheres know nothing of the world.
#include "body.h"

// Where the root goes: metres and degrees.
typedef struct place {
    double move[3], turn[3];
} place;

static const place places[] = {
    {{0.3, -0.2, 0.5}, {30, -70, 110}},
    {{-0.1, 0.4, 0}, {180, 0, 0}},
    {{8, 2, -9}, {-20, 135, 40}},
    {{-300, 40, 500}, {0, 90, 0}},
};

static void put(body *b, const place *p) {
    static const char *const names[6] = {"tx", "ty", "tz", "rx_deg", "ry_deg", "rz_deg"};
    const char *root = sn_model_skeleton(b->model)->segments[root_of(b->model)].name;
    for (int k = 0; k < 6; ++k) {
        char parameter[128];
        snprintf(parameter, sizeof parameter, "%s.%s", root, names[k]);
        double value = k < 3 ? p->move[k] : p->turn[k - 3];
        snt_ok(sn_frame_set(b->frame, parameter, value, error));
    }
}

// T(rest + move) R(rest) R(turn) R(rest)^-1 T(rest)^-1
static sn_vec3 carried(const body *b, const place *p, sn_vec3 point) {
    const sn_segment *root = &sn_model_skeleton(b->model)->segments[root_of(b->model)];
    double radians = SN_PI / 180;
    sn_vec3 angles = {p->turn[0] * radians, p->turn[1] * radians, p->turn[2] * radians};
    sn_quat rest = root->rest.rotation, turn = sn_quat_from_euler(angles, root->order);
    sn_vec3 at = sn_vec3_sub(point, root->rest.translation);
    at = sn_quat_rotate(rest, sn_quat_rotate(turn, sn_quat_rotate(sn_quat_conjugate(rest), at)));
    at = sn_vec3_add(at, root->rest.translation);
    return sn_vec3_add(at, sn_vec3_make(p->move[0], p->move[1], p->move[2]));
}

// Half of what a float is rounded by, in three coordinates.
static double rounding(sn_vec3 point) {
    double largest = fmax(fabs(point.x), fmax(fabs(point.y), fabs(point.z)));
    return sqrt(3) * ldexp(largest, -24);
}

static void check_pose(body *b, const sn_motion *motion, uint32_t number) {
    put(b, &(place){0});
    snt_ok(sn_frame_evaluate(b->frame, motion, number, error));
    float *before = copy_skin(b);
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        put(b, &places[i]);
        snt_ok(sn_frame_evaluate(b->frame, motion, number, error));
        double worst = 0;
        uint32_t vertex = 0;
        for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) {
            sn_vec3 expected = carried(b, &places[i], sn_vec3_load(before + 3 * (size_t)v));
            double off = sn_vec3_distance(skin_point(b, v), expected) - rounding(expected);
            if (!(off <= worst)) {
                worst = off;
                vertex = v;
            }
        }
        if (!(worst <= 1e-5 * b->height)) {
            fail_msg("%s, frame %u, place %zu: vertex %u is %g of the height off",
                     motion != NULL ? sn_motion_name(motion) : "rest", number, i, vertex,
                     worst / b->height);
        }
    }
    free(before);
    sn_frame_clear(b->frame);
}

static void check_body(const char *document, bool as_shipped) {
    sn_context *context = snt_context(2);
    body b = as_shipped ? make_coarse(context, document) : make_plain(context, document);
    check_pose(&b, NULL, 0);
    assert_true(sn_model_clip_count(b.model) > 0);
    for (uint32_t c = 0; c < sn_model_clip_count(b.model); ++c) {
        sn_motion *motion = open_clip(&b, c);
        check_pose(&b, motion, strongest_frame(&b, motion));
        sn_motion_destroy(motion);
    }
    end_body(&b);
    snt_context_end(context);
}

static void carries_the_monkey(void **state) {
    (void)state;
    check_body(MONKEY, false);
}

static void carries_the_human(void **state) {
    (void)state;
    check_body(HUMAN, false);
}

static void carries_the_human_as_shipped(void **state) {
    (void)state;
    check_body(HUMAN, true);
}

static void carries_the_creature(void **state) {
    (void)state;
    check_body(CREATURE, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_the_monkey),
        cmocka_unit_test(carries_the_human),
        cmocka_unit_test(carries_the_human_as_shipped),
        cmocka_unit_test(carries_the_creature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
