// SPDX-License-Identifier: Apache-2.0
//
// One document, bodies of other builds (Figure 11 of the paper): long arms, long legs, plump. The
// skin has the same faces, is whole, and gets larger where the body does.
#include "body.h"

// Names that the segments of limbs contain.
static const char *const arms[] = {"upper arm", "forearm", NULL};
static const char *const legs[] = {"thigh", "shin", NULL};
static const char *const all[] = {"", NULL};

// Adds factors for all segments whose names contain one of `parts`.
static void add_proportions(sn_character *character, const char *const *parts, double factor) {
    sn_json *json = sn_character_document(character), *expanded = NULL;
    sn_value *proportions = sn_json_find(json, "/proportions");
    if (proportions == NULL) {
        proportions = sn_json_add_object(json, sn_json_root(json), "proportions");
    }
    snt_ok(sn_character_expand(character, &expanded, error));
    const sn_value *skeleton = sn_value_get(sn_json_root(expanded), "skeleton");
    for (; *parts != NULL; ++parts) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < sn_value_count(skeleton); ++i) {
            const char *name = sn_value_at(skeleton, i)->key;
            if (strstr(name, *parts) != NULL) {
                assert_non_null(sn_json_add_number(json, proportions, name, factor));
                found += 1;
            }
        }
        assert_true(found >= 2);
    }
    sn_json_destroy(expanded);
}

static body make_build(sn_context *context, const char *document, const char *const *parts,
                       double factor) {
    sn_character *character = load_body(context, document);
    coarsen(character, 60, 0.8);
    add_proportions(character, parts, factor);
    return make_body(character);
}

static body make_thick(sn_context *context, const char *document, double thickness) {
    sn_character *character = load_body(context, document);
    coarsen(character, 60, 0.8);
    sn_json *json = sn_character_document(character);
    sn_value *deformer = sn_json_find(json, "/skins/skin/deformers/0");
    assert_string_equal(sn_value_string(sn_value_get(deformer, "kind"), ""), "membrane");
    assert_non_null(sn_json_add_number(json, deformer, "thickness", thickness));
    return make_body(character);
}

static void expect_same_topology(const body *a, const body *b) {
    assert_int_equal(a->mesh->vertex_count, b->mesh->vertex_count);
    assert_int_equal(a->mesh->face_count, b->mesh->face_count);
    assert_int_equal(a->mesh->corner_count, b->mesh->corner_count);
    assert_memory_equal(a->mesh->face_offsets, b->mesh->face_offsets,
                        (a->mesh->face_count + 1) * sizeof *a->mesh->face_offsets);
    assert_memory_equal(a->mesh->corners, b->mesh->corners,
                        a->mesh->corner_count * sizeof *a->mesh->corners);
    assert_true(is_closed(b->mesh));
}

static void expect_finite(const body *b) {
    for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) {
        assert_true(sn_vec3_is_finite(skin_point(b, v)));
    }
}

// Of the skin in a pose; all its points must be numbers.
static double skin_volume(const body *b, const sn_motion *motion, uint32_t number) {
    sn_triangles *triangles = NULL;
    snt_ok(sn_frame_evaluate(b->frame, motion, number, error));
    expect_finite(b);
    snt_ok(sn_triangles_create(b->mesh, b->mesh->positions, &triangles, error));
    double volume = enclosed(sn_frame_points(b->frame, b->skin), triangles);
    sn_triangles_destroy(triangles);
    assert_true(volume > 0);
    return volume;
}

static double lowest(const body *b) {
    double low = INFINITY;
    for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) {
        low = fmin(low, skin_point(b, v).y);
    }
    return low;
}

// At rest and in the strongest pose of each clip: short limbs, the body's own, long ones.
static void check_limbs(const char *document, const char *const *parts) {
    sn_context *context = snt_context(2);
    body builds[3] = {make_build(context, document, parts, 0.7), make_coarse(context, document),
                      make_build(context, document, parts, 1.5)};
    double volumes[3], lows[3];
    for (int i = 0; i < 3; ++i) {
        expect_same_topology(&builds[1], &builds[i]);
        volumes[i] = skin_volume(&builds[i], NULL, 0);
        lows[i] = lowest(&builds[i]);
    }
    assert_true(volumes[0] < volumes[1] && volumes[1] < volumes[2]);
    // An animal with short legs still reaches the ground with its hands.
    assert_true(parts != legs || (lows[0] >= lows[1] && lows[1] > lows[2]));
    for (uint32_t c = 0; c < sn_model_clip_count(builds[1].model); ++c) {
        sn_motion *motion = open_clip(&builds[1], c);
        uint32_t number = strongest_frame(&builds[1], motion);
        sn_motion_destroy(motion);
        for (int i = 0; i < 3; ++i) {
            motion = open_clip(&builds[i], c);
            volumes[i] = skin_volume(&builds[i], motion, number);
            sn_motion_destroy(motion);
        }
        assert_true(volumes[0] < volumes[1] && volumes[1] < volumes[2]);
    }
    for (int i = 0; i < 3; ++i) {
        end_body(&builds[i]);
    }
    snt_context_end(context);
}

static void long_arms(void **state) {
    (void)state;
    check_limbs(MONKEY, arms);
}

static void long_legs(void **state) {
    (void)state;
    check_limbs(MONKEY, legs);
    if (!BODY_SLOW) {
        check_limbs(HUMAN, legs);
    }
}

// All segments of another size: the same body, larger or smaller about the root.
static void check_scale(const char *document, double factor) {
    sn_context *context = snt_context(2);
    body plain = make_plain(context, document);
    sn_character *character = load_body(context, document);
    coarsen(character, 60, 0.8);
    relax_plainly(character);
    add_proportions(character, all, factor);
    body other = make_body(character);
    expect_same_topology(&plain, &other);
    sn_vec3 root = sn_model_skeleton(plain.model)->segments[root_of(plain.model)].rest.translation;
    // The root's own joint moves the body in metres, whatever its size: hold it.
    const char *name = sn_model_skeleton(plain.model)->segments[root_of(plain.model)].name;
    for (int k = 0; k < 3; ++k) {
        char parameter[128];
        snprintf(parameter, sizeof parameter, "%s.t%c", name, 'x' + k);
        snt_ok(sn_frame_set(plain.frame, parameter, 0, error));
        snt_ok(sn_frame_set(other.frame, parameter, 0, error));
    }
    for (uint32_t c = 0; c <= sn_model_clip_count(plain.model); ++c) {
        sn_motion *motions[2] = {NULL, NULL};
        uint32_t number = 0;
        if (c > 0) {
            motions[0] = open_clip(&plain, c - 1);
            motions[1] = open_clip(&other, c - 1);
            number = strongest_frame(&plain, motions[0]);
        }
        snt_ok(sn_frame_evaluate(plain.frame, motions[0], number, error));
        snt_ok(sn_frame_evaluate(other.frame, motions[1], number, error));
        for (uint32_t v = 0; v < plain.mesh->vertex_count; ++v) {
            sn_vec3 at = sn_vec3_sub(skin_point(&plain, v), root);
            sn_vec3 expected = sn_vec3_add_scaled(root, factor, at);
            double off = sn_vec3_distance(skin_point(&other, v), expected);
            if (!(off <= 1e-5 * plain.height * factor)) {
                fail_msg("%s times %g, clip %u, frame %u: vertex %u is %g of the height off",
                         document, factor, c, number, v, off / (plain.height * factor));
            }
        }
        sn_motion_destroy(motions[0]);
        sn_motion_destroy(motions[1]);
    }
    end_body(&plain);
    end_body(&other);
    snt_context_end(context);
}

static void all_factors_alike_scale_the_skin(void **state) {
    (void)state;
    check_scale(MONKEY, 2);
    if (!BODY_SLOW) {
        check_scale(HUMAN, 0.6);
    }
    check_scale(CREATURE, 1.7);
}

// Thickness in parts of the height.
static void check_thickness(const char *document) {
    static const double parts[] = {0, 0.01, 0.03};
    enum { COUNT = sizeof parts / sizeof *parts, MOST_CLIPS = 8 };
    sn_context *context = snt_context(2);
    body plain = make_coarse(context, document);
    double before[MOST_CLIPS + 1] = {0};
    assert_true(sn_model_clip_count(plain.model) <= MOST_CLIPS);
    for (int i = 0; i < COUNT; ++i) {
        body thick = i > 0 ? make_thick(context, document, parts[i] * plain.height) : plain;
        expect_same_topology(&plain, &thick);
        for (uint32_t c = 0; c <= sn_model_clip_count(thick.model); ++c) {
            sn_motion *motion = c > 0 ? open_clip(&thick, c - 1) : NULL;
            uint32_t number = c > 0 ? sn_motion_frame_count(motion) / 2 : 0;
            double volume = skin_volume(&thick, motion, number);
            assert_true(volume > 1.02 * before[c]);
            before[c] = volume;
            sn_motion_destroy(motion);
        }
        if (i > 0) {
            end_body(&thick);
        }
    }
    end_body(&plain);
    snt_context_end(context);
}

static void a_thick_skin_is_plump(void **state) {
    (void)state;
    check_thickness(MONKEY);
    check_thickness(CREATURE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_arms),
        cmocka_unit_test(long_legs),
        cmocka_unit_test(all_factors_alike_scale_the_skin),
        cmocka_unit_test(a_thick_skin_is_plump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
