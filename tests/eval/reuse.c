// SPDX-License-Identifier: Apache-2.0
//
// One skin on bodies of other proportions (section 5.3 of the paper).
#include "toy.h"

#include "eval/model.h"
#include "geometry/closed.h"
#include "sinew/geometry.h"

#include <math.h>

// Two segments of bone and fat with a muscle over the joint, all in units of sizes, and a skin that
// is extracted from them. The lower segment is a leaf: it follows the upper one, of size 1.
static const char body_text[] =
    "{'sinew': 1, 'name': 'limb', 'skeleton': {'upper': {},\n"
    "'lower': {'parent': 'upper', 'translation': [0, 1, 0]}}, %s\n"
    "'meshes': {'skin': {'extract': {'dimension': 80, 'filter': 2}}},\n"
    "'bones': {'upper': {'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.15, 0.5, 0.15]},\n"
    "'segment': 'upper', 'frame': 'size'}, 'lower': {'ellipsoid': {'center': [0, 0.45, 0],\n"
    "'radii': [0.15, 0.5, 0.15]}, 'segment': 'lower', 'frame': 'size'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [0, 0.9, 0], 'radii': [0.2, 0.2, 0.2]},\n"
    "'segment': 'upper', 'frame': 'size'}},\n"
    "'muscles': {'flexor': {'kind': 'cylinder', 'sizes': 'length', 'width': 0.25,\n"
    "'origins': [{'bone': 'upper', 'at': [0.4, 0.3, 1]}, {'bone': 'upper', 'at': [0.6, 0.3, 1]}],\n"
    "'insertions': [{'bone': 'lower', 'at': [0.4, 0.4, 1]}, {'bone': 'lower', 'at': [0.6, 0.4, "
    "1]}]},\n"
    "'short': {'kind': 'ellipsoid', 'sizes': 'length',\n"
    "'origin': {'bone': 'upper', 'at': [0.5, 0.6, 0]}, 'insertion': {'bone': 'lower', 'at': [0.5, "
    "0.3, 0]}}},\n"
    "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane'%s}]}}}";

typedef struct limb {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t skin;
    const sn_mesh *mesh;
} limb;

static limb make_limb(const char *proportions, const char *deformer) {
    char text[4096];
    limb l = {.context = snt_context(2)};
    snprintf(text, sizeof text, body_text, proportions, deformer);
    snt_ok(parse_quoted(l.context, "limb.sinew.json", text, &l.character, error));
    snt_ok(sn_model_create(l.character, NULL, &l.model, error));
    snt_ok(sn_frame_create(l.model, &l.frame, error));
    l.skin = surface_of(l.model, "skin");
    l.mesh = sn_model_surface(l.model, l.skin)->mesh;
    return l;
}

static void end_limb(limb *l) {
    sn_frame_destroy(l->frame);
    sn_model_destroy(l->model);
    sn_character_destroy(l->character);
    snt_context_end(l->context);
}

static void bend(limb *l) {
    snt_ok(sn_frame_set(l->frame, "lower.rx_deg", 50, error));
    snt_ok(sn_frame_evaluate(l->frame, NULL, 0, error));
}

static sn_vec3 point_of(const limb *l, uint32_t vertex) {
    return sn_vec3_load(sn_frame_points(l->frame, l->skin) + 3 * (size_t)vertex);
}

static size_t point_bytes(const limb *l) {
    return 3 * (size_t)l->mesh->vertex_count * sizeof(float);
}

static void expect_same_topology(const limb *a, const limb *b) {
    assert_int_equal(a->mesh->vertex_count, b->mesh->vertex_count);
    assert_int_equal(a->mesh->corner_count, b->mesh->corner_count);
    assert_memory_equal(a->mesh->corners, b->mesh->corners,
                        a->mesh->corner_count * sizeof *a->mesh->corners);
}

static void factors_of_one_change_no_bit(void **state) {
    (void)state;
    limb plain = make_limb("", ""),
         ones = make_limb("'proportions': {'upper': 1, 'lower': 1},", "");
    expect_same_topology(&plain, &ones);
    for (int i = 0; i < 2; ++i) {
        assert_memory_equal(sn_frame_points(plain.frame, plain.skin),
                            sn_frame_points(ones.frame, ones.skin), point_bytes(&plain));
        bend(&plain);
        bend(&ones);
    }
    end_limb(&plain);
    end_limb(&ones);
}

// All factors alike scale the skin, at rest and in a pose, with its thickness.
static void equal_factors_scale_the_skin(void **state) {
    (void)state;
    static const struct {
        const char *proportions, *deformer;
        double factor;
    } cases[] = {
        {"'proportions': {'upper': 2},", "", 2},
        {"'proportions': {'upper': 2, 'lower': 2},", ", 'unit': 0.01, 'blend': 0", 2},
        {"'proportions': {'upper': 0.7},", ", 'thickness': 0.03", 0.7},
        {"'proportions': {'upper': 1.3},", ", 'accelerate': 'yes', 'sphere': 3", 1.3},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        limb plain = make_limb("", cases[c].deformer);
        limb scaled = make_limb(cases[c].proportions, cases[c].deformer);
        expect_same_topology(&plain, &scaled);
        for (int i = 0; i < 2; ++i) {
            for (uint32_t v = 0; v < plain.mesh->vertex_count; ++v) {
                sn_vec3 expected = sn_vec3_scale(point_of(&plain, v), cases[c].factor);
                assert_true(sn_vec3_distance(point_of(&scaled, v), expected) < 1e-5);
            }
            bend(&plain);
            bend(&scaled);
        }
        end_limb(&plain);
        end_limb(&scaled);
    }
}

static void rigid_motion_of_another_body_moves_the_skin_rigidly(void **state) {
    (void)state;
    limb l = make_limb("'proportions': {'upper': 0.8, 'lower': 1.3},", "");
    bend(&l);
    float *before = sni_copy(l.context, sn_frame_points(l.frame, l.skin), 1, point_bytes(&l));
    snt_ok(sn_frame_set(l.frame, "upper.tx", 0.5, error));
    snt_ok(sn_frame_set(l.frame, "upper.ry_deg", 90, error));
    snt_ok(sn_frame_evaluate(l.frame, NULL, 0, error));
    for (uint32_t v = 0; v < l.mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(before + 3 * (size_t)v);
        sn_vec3 expected = sn_vec3_make(0.5 + p.z, p.y, -p.x);
        assert_true(sn_vec3_distance(point_of(&l, v), expected) < 1e-5);
    }
    sni_free(l.context, before);
    end_limb(&l);
}

// A lower half of 1.4 times the size: the skin of each half is that of the plain body, larger, and
// between them it grows evenly, without tension that the plain skin does not have.
static void a_longer_half_has_an_even_skin(void **state) {
    (void)state;
    limb plain = make_limb("", ""), longer = make_limb("'proportions': {'lower': 1.4},", "");
    expect_same_topology(&plain, &longer);
    double least = INFINITY, most = 0;
    for (uint32_t f = 0; f < plain.mesh->corner_count; ++f) {
        const uint32_t *corners = plain.mesh->corners;
        uint32_t a = corners[f], b = corners[f % 3 == 2 ? f - 2 : f + 1];
        double now = sn_vec3_distance(point_of(&longer, a), point_of(&longer, b));
        double ratio = now / sn_vec3_distance(point_of(&plain, a), point_of(&plain, b));
        double y = point_of(&plain, a).y;
        if (y < 0.03) {
            snt_near(ratio, 1, 5e-3);
        } else if (y > 1.8) {
            snt_near(ratio, 1.4, 5e-3);
        }
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    assert_true(least > 0.9 && most < 1.55);
    end_limb(&plain);
    end_limb(&longer);
}

// --- Enlarged segments

// A palm with two fingers of 5 mm radius, 20 mm apart. The palm's size is that of the fingers'
// origins, 0.09 m; theirs is 0.06 m.
static const char hand_text[] =
    "{'sinew': 1, 'name': 'hand', 'skeleton': {'arm': {}, 'palm': {'parent': 'arm',\n"
    "'translation': [0, 0.2, 0]}, 'a': {'parent': 'palm', 'translation': [-0.01, 0.09, 0]},\n"
    "'b': {'parent': 'palm', 'translation': [0.01, 0.09, 0]},\n"
    "'a end': {'parent': 'a', 'translation': [0, 0.06, 0]},\n"
    "'b end': {'parent': 'b', 'translation': [0, 0.06, 0]}}, %s\n"
    "'bones': {'arm': {'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.15, 0.55, 0.15]},\n"
    "'segment': 'arm', 'frame': 'size'}, 'palm': {'ellipsoid': {'center': [0, 0.5, 0],\n"
    "'radii': [0.25, 0.6, 0.2]}, 'segment': 'palm', 'frame': 'size'},\n"
    "'a': {'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.083, 0.6, 0.083]}, 'segment': 'a',\n"
    "'frame': 'size'}, 'b': {'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.083, 0.6, 0.083]},\n"
    "'segment': 'b', 'frame': 'size'}},\n"
    "'meshes': {'skin': {'extract': {%s}}},\n"
    "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane'}]}}}";

static sn_status open_hand(sn_context *context, const char *proportions, const char *extract,
                           sn_character **character, sn_model **model, sn_error *error) {
    char text[4096];
    snprintf(text, sizeof text, hand_text, proportions, extract);
    sn_status status = parse_quoted(context, "hand.sinew.json", text, character, error);
    return status == SN_OK ? sn_model_create(*character, NULL, model, error) : status;
}

typedef struct hand {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    const sn_mesh *skin;
} hand;

static hand make_hand(const char *proportions, const char *extract) {
    hand h = {.context = snt_context(2)};
    snt_ok(open_hand(h.context, proportions, extract, &h.character, &h.model, error));
    h.skin = sn_model_surface(h.model, surface_of(h.model, "skin"))->mesh;
    return h;
}

static void end_hand(hand *h) {
    sn_model_destroy(h->model);
    sn_character_destroy(h->character);
    snt_context_end(h->context);
}

// How often a ray along z from a point of the middle plane goes out of the skin.
static bool is_covered(const hand *h, double y) {
    sn_accel *accel = NULL;
    sn_hit hit;
    snt_ok(sn_accel_create(h->context, h->skin->positions, h->skin->vertex_count, h->skin->corners,
                           h->skin->face_count, &accel, error));
    sn_accel_cast(accel, sn_vec3_make(1e-5, y, 0), sn_vec3_make(0, 0, 1), 0, INFINITY, &hit);
    sn_accel_destroy(accel);
    return hit.triangle != SN_NONE;
}

static void expect_whole(const hand *h) {
    bool closed = false;
    sn_mass mass;
    snt_ok(sni_mesh_is_closed(h->skin, &closed, error));
    assert_true(closed);
    snt_ok(sn_mass_compute(h->context, h->skin->positions, h->skin->corners, h->skin->face_count,
                           &mass, error));
    assert_true(mass.volume > 0);
}

#define GRID "'dimension': 120, 'filter': 2"
#define ENLARGED GRID ", 'enlarge': {'palm': 3, 'a': 3, 'b': 3}"

// Fingers that melt together on the grid stay apart when they are large meanwhile.
static void enlarged_fingers_stay_apart(void **state) {
    (void)state;
    hand melted = make_hand("", GRID), apart = make_hand("", ENLARGED);
    const double fingers = 0.2 + 0.09 + 0.03; // half of their length
    assert_true(is_covered(&melted, fingers));
    assert_false(is_covered(&apart, fingers));
    assert_true(is_covered(&apart, 0.2));
    expect_whole(&melted);
    expect_whole(&apart);
    // The skin stands on the body as it is: closer to the fingers than the grid could say before.
    sn_vec3 low, high, low_melted, high_melted;
    sn_mesh_bounds(melted.skin, &low_melted, &high_melted);
    sn_mesh_bounds(apart.skin, &low, &high);
    snt_near(high.y, 0.356, 0.01);
    assert_true(high.y > high_melted.y + 0.01);
    snt_near(low.y, low_melted.y, 0.01);
    snt_near(high.x, high_melted.x, 0.01);
    end_hand(&melted);
    end_hand(&apart);
}

// No proportions of the document reach the extraction, and none of them is needed for it.
static void enlarging_is_not_a_proportion(void **state) {
    (void)state;
    hand plain = make_hand("", ENLARGED),
         other = make_hand("'proportions': {'arm': 1.5},", ENLARGED);
    assert_int_equal(plain.skin->vertex_count, other.skin->vertex_count);
    assert_memory_equal(plain.skin->positions, other.skin->positions,
                        3 * (size_t)plain.skin->vertex_count * sizeof(float));
    sn_model_extract_desc desc = sn_model_extract_desc_default();
    const sn_segment_factor factors[] = {{"palm", 3}, {"a", 3}, {"b", 3}};
    desc.grid.dimension = 120;
    desc.grid.filter = 2;
    desc.enlarge = factors;
    desc.enlarge_count = 3;
    for (int i = 0; i < 2; ++i) {
        sn_mesh *skin = NULL;
        sn_extract_report report;
        snt_ok(sn_model_extract_skin(i == 0 ? plain.model : other.model, &desc, NULL, &skin,
                                     &report, error));
        assert_int_equal(skin->vertex_count, plain.skin->vertex_count);
        assert_memory_equal(skin->positions, plain.skin->positions,
                            3 * (size_t)skin->vertex_count * sizeof(float));
        assert_int_equal(report.turned_count, 0);
        sn_mesh_destroy(skin);
    }
    end_hand(&plain);
    end_hand(&other);
}

static void wrong_enlargements_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *extract, *message;
    } cases[] = {
        {GRID ", 'enlarge': {'plam': 2}", "there is no segment \"plam\"; did you mean \"palm\"?"},
        {GRID ", 'enlarge': {'palm': 0}", "0.001"},
        {GRID ", 'enlarge': ['palm']", "expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        hand h = {.context = snt_context(1)};
        snt_fails(SN_INVALID, cases[i].message,
                  open_hand(h.context, "", cases[i].extract, &h.character, &h.model, error));
        end_hand(&h);
    }
    hand h = make_hand("", GRID);
    static const struct {
        sn_segment_factor factors[2];
        uint32_t count;
        const char *message;
    } calls[] = {
        {{{"plam", 2}}, 1, "there is no segment \"plam\" to enlarge"},
        {{{"palm", 2}, {"palm", 3}}, 2, "the segment \"palm\" is to be enlarged twice"},
        {{{"palm", 0}}, 1, "enlarged by 0, but that must be from 0.001 to 1000"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        sn_model_extract_desc desc = sn_model_extract_desc_default();
        sn_mesh *skin = NULL;
        desc.enlarge = calls[i].factors;
        desc.enlarge_count = calls[i].count;
        snt_fails(SN_INVALID, calls[i].message,
                  sn_model_extract_skin(h.model, &desc, NULL, &skin, NULL, error));
        assert_null(skin);
    }
    end_hand(&h);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_status status =
        open_hand(context, "'proportions': {'arm': 1.5},",
                  "'dimension': 50, 'filter': 1, 'enlarge': {'a': 1.2}", &character, &model, error);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_of_one_change_no_bit),
        cmocka_unit_test(equal_factors_scale_the_skin),
        cmocka_unit_test(rigid_motion_of_another_body_moves_the_skin_rigidly),
        cmocka_unit_test(a_longer_half_has_an_even_skin),
        cmocka_unit_test(enlarged_fingers_stay_apart),
        cmocka_unit_test(enlarging_is_not_a_proportion),
        cmocka_unit_test(wrong_enlargements_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
