// SPDX-License-Identifier: Apache-2.0
//
// Fibres proposed for real bodies: as many as a body has, the same on both sides, inside the skin
// at rest by a second method (winding numbers), and each of them gets shorter when some joint
// between its ends turns.
#include "test.h"

#include "sinew/eval.h"
#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>

typedef struct expected {
    const char *file;
    uint32_t least; // muscles
    bool symmetric; // the body itself is, in the plane x = 0
    double outside; // part of the surfaces' points that may be outside of the skin
} expected;

// The first ones always; the rest only where SINEW_THOROUGH is set, to stay short.
static const expected bodies[] = {
    {"human/human.glb", 66, true, 0.005},
    {"gltf/CesiumMan.glb", 60, false, 0.01},
    {"rigs/Xbot.glb", 60, true, 0.02},
    {"gltf/RiggedFigure.glb", 60, true, 0.01},
    {"human/human_male_muscular.glb", 66, true, 0.005},
    {"human/human_female.glb", 66, true, 0.005},
    {"rigs/Soldier.glb", 56, false, 0.02},
    {"rigs/SambaDancing.fbx", 60, false, 0.02},
    {"animal/dog/dog.glb", 56, false, 0.02},
    {"gltf/Fox.glb", 56, false, 0.02},
};
enum { BODY_COUNT = sizeof bodies / sizeof *bodies, SHORT_COUNT = 1, SKINS = 32 };

typedef struct rig {
    sn_context *context;
    sn_import *import;
    sn_character *character;
    sn_model *plain, *model;
    sn_frame *frame;
    sn_muscle_layout *layout;
} rig;

// The lengths that are looked at are those that bones give. In single poses the skin draws some
// muscles in, which makes them longer (docs/propose.md); tests/scenes/muscles measures that.
static void forget_skins(sn_character *character) {
    const sn_value *muscles =
        sn_value_get(sn_json_root(sn_character_document(character)), "muscles");
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        sn_value *inside = (sn_value *)sn_value_get(sn_value_at(muscles, i), "inside");
        if (inside != NULL) {
            sn_json_remove(inside);
        }
    }
}

static void open_rig(rig *r, const char *path, sn_propose_kind kind) {
    const sn_mesh *meshes[SKINS];
    const char *names[SKINS];
    uint32_t count = 0;
    *r = (rig){.context = snt_context(0)};
    snt_ok(sn_import_file(r->context, path, &r->import, error));
    snt_ok(sn_character_from_import(r->import, path, path, &r->character, error));
    snt_ok(sn_model_create(r->character, NULL, &r->plain, error));
    for (uint32_t i = 0; i < sn_model_surface_count(r->plain); ++i) {
        const sn_surface *s = sn_model_surface(r->plain, i);
        if (s->layer == SN_LAYER_SKIN && !s->in_segment_frame && s->shown && count < SKINS) {
            meshes[count] = s->mesh;
            names[count++] = s->name;
        }
    }
    sn_propose_desc desc = sn_propose_desc_default();
    desc.kind = kind;
    desc.skeleton = sn_model_skeleton(r->plain);
    desc.meshes = meshes;
    desc.names = names;
    desc.mesh_count = count;
    snt_ok(sn_muscles_propose(r->context, &desc, NULL, &r->layout, error));
    snt_ok(sn_character_add_layout(r->character, NULL, r->layout, NULL, error));
    forget_skins(r->character);
    snt_ok(sn_model_create(r->character, NULL, &r->model, error));
    snt_ok(sn_frame_create(r->model, &r->frame, error));
    snt_ok(sn_frame_evaluate(r->frame, NULL, 0, error));
}

static void close_rig(rig *r) {
    sn_muscle_layout_destroy(r->layout);
    sn_frame_destroy(r->frame);
    sn_model_destroy(r->plain);
    sn_model_destroy(r->model);
    sn_character_destroy(r->character);
    sn_import_destroy(r->import);
    snt_context_end(r->context);
}

static const sn_layout_muscle *find(const rig *r, const char *name) {
    for (uint32_t i = 0; i < r->layout->muscle_count; ++i) {
        if (strcmp(r->layout->muscles[i].name, name) == 0) {
            return &r->layout->muscles[i];
        }
    }
    return NULL;
}

static sn_vec3 world_of(const rig *r, const sn_layout_point *point) {
    uint32_t segment = sn_model_find_segment(r->model, point->segment);
    return sn_mat4_point(&sn_frame_worlds(r->frame)[segment], point->position);
}

// ---------------------------------------------------------------------------------------------
// Sides

// The middle of an end: attachments may be in either order.
static sn_vec3 end_of(const rig *r, const sn_layout_point ends[2]) {
    return sn_vec3_lerp(world_of(r, &ends[0]), world_of(r, &ends[1]), 0.5);
}

static double mirror_error(sn_vec3 left, sn_vec3 right) {
    right.x = -right.x;
    return sn_vec3_distance(left, right);
}

static void check_sides(const rig *r, bool symmetric) {
    uint32_t pairs = 0, singles = 0;
    double worst = 0;
    for (uint32_t i = 0; i < r->layout->muscle_count; ++i) {
        const sn_layout_muscle *left = &r->layout->muscles[i], *right;
        char name[128];
        size_t length = strlen(left->name);
        if (length < 2 || strcmp(left->name + length - 2, "_L") != 0) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s_R", (int)length - 2, left->name);
        right = find(r, name);
        singles += right == NULL;
        if (right == NULL) {
            continue;
        }
        ++pairs;
        const sn_layout_fibre *a = left->fibre, *b = right->fibre;
        assert_int_equal(a->fibres, b->fibres);
        assert_int_equal(a->through_count, b->through_count);
        if (symmetric) {
            snt_near(a->width / b->width, 1, 0.02);
            worst = fmax(worst, mirror_error(end_of(r, a->origins), end_of(r, b->origins)));
            worst = fmax(worst, mirror_error(end_of(r, a->insertions), end_of(r, b->insertions)));
        }
    }
    print_message("  %u pairs, %u without the other side, %.4f m from mirror images\n", pairs,
                  singles, worst);
    assert_true(worst < 0.01);
    assert_true(singles <= 3);
}

// ---------------------------------------------------------------------------------------------
// Inside

// The solid angle of a triangle (van Oosterom and Strackee 1983).
static double solid_angle(sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    double la = sn_vec3_length(a), lb = sn_vec3_length(b), lc = sn_vec3_length(c);
    double top = sn_vec3_dot(a, sn_vec3_cross(b, c));
    double bottom =
        la * lb * lc + sn_vec3_dot(a, b) * lc + sn_vec3_dot(b, c) * la + sn_vec3_dot(c, a) * lb;
    return 2 * atan2(top, bottom);
}

static double winding_of(const float *positions, const sn_triangles *triangles, sn_vec3 p) {
    double sum = 0;
    for (uint32_t i = 0; i < triangles->count; ++i) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)i;
        sum += solid_angle(sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)v[0]), p),
                           sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)v[1]), p),
                           sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)v[2]), p));
    }
    return sum / (4 * SN_PI);
}

// Every so many points of the muscles' surfaces.
static void check_inside(const rig *r, double most) {
    enum { EVERY = 13 };
    uint32_t points = 0, outside = 0;
    sn_triangles *triangles[SKINS];
    uint32_t skins[SKINS], count = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(r->model); ++i) {
        const sn_surface *s = sn_model_surface(r->model, i);
        if (s->layer == SN_LAYER_SKIN && s->shown && count < SKINS) {
            snt_ok(sn_triangles_create(s->mesh, s->mesh->positions, &triangles[count], error));
            skins[count++] = i;
        }
    }
    for (uint32_t i = 0; i < sn_model_surface_count(r->model); ++i) {
        const sn_surface *s = sn_model_surface(r->model, i);
        for (uint32_t v = 0; s->layer == SN_LAYER_MUSCLE && v < s->mesh->vertex_count; v += EVERY) {
            sn_vec3 p = sn_vec3_load(sn_frame_points(r->frame, i) + 3 * (size_t)v);
            bool inside = false;
            for (uint32_t k = 0; k < count && !inside; ++k) {
                inside = winding_of(sn_frame_points(r->frame, skins[k]), triangles[k], p) > 0.5;
            }
            ++points;
            outside += !inside;
            if (!inside) {
                print_message("  outside: point %u of %s\n", v, s->name);
            }
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        sn_triangles_destroy(triangles[k]);
    }
    print_message("  %u of %u points are outside the skin\n", outside, points);
    assert_true(points > 0 && outside <= most * points);
}

// ---------------------------------------------------------------------------------------------
// Movement

static double length_of(const rig *r, const char *muscle) {
    sn_muscle_state state;
    assert_true(sn_frame_muscle_state(r->frame, sn_model_find_surface(r->model, muscle), &state));
    return state.length;
}

static bool is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t other) {
    while (segment != SN_NONE && segment != other) {
        segment = skeleton->segments[segment].parent;
    }
    return segment == other;
}

// Whether a segment carries one end of a muscle and not the other.
static bool moves(const rig *r, const sn_layout_fibre *fibre, uint32_t segment) {
    const sn_skeleton *skeleton = sn_model_skeleton(r->model);
    uint32_t origin = sn_model_find_segment(r->model, fibre->origins[0].segment);
    uint32_t insertion = sn_model_find_segment(r->model, fibre->insertions[0].segment);
    return is_below(skeleton, origin, segment) != is_below(skeleton, insertion, segment);
}

static void check_shortening(rig *r) {
    const sn_skeleton *skeleton = sn_model_skeleton(r->model);
    uint32_t count = r->layout->muscle_count, still = 0;
    double *rest = calloc(count, sizeof *rest), *least = calloc(count, sizeof *least);
    for (uint32_t m = 0; m < count; ++m) {
        rest[m] = least[m] = length_of(r, r->layout->muscles[m].name);
        assert_true(rest[m] > 0);
    }
    for (uint32_t s = 0; s < skeleton->segment_count; ++s) {
        bool any = false;
        for (uint32_t m = 0; m < count; ++m) {
            any = any || moves(r, r->layout->muscles[m].fibre, s);
        }
        for (int k = 0; any && k < 6; ++k) {
            static const char *const turns[] = {"rx_deg", "ry_deg", "rz_deg"};
            char parameter[200];
            double at = skeleton->segments[s].rest_parameters[SN_JOINT_RX + k / 2] * 180 / SN_PI;
            snprintf(parameter, sizeof parameter, "%s.%s", skeleton->segments[s].name,
                     turns[k / 2]);
            sn_frame_clear(r->frame);
            snt_ok(sn_frame_set(r->frame, parameter, at + (k % 2 == 0 ? 20 : -20), error));
            snt_ok(sn_frame_evaluate(r->frame, NULL, 0, error));
            for (uint32_t m = 0; m < count; ++m) {
                least[m] = fmin(least[m], length_of(r, r->layout->muscles[m].name));
            }
        }
    }
    for (uint32_t m = 0; m < count; ++m) {
        if (!(least[m] < 0.997 * rest[m])) {
            print_message("  %s does not get shorter: %.4f of %.4f m\n", r->layout->muscles[m].name,
                          least[m], rest[m]);
            ++still;
        }
    }
    free(rest);
    free(least);
    assert_int_equal(still, 0);
}

static void fibres_are_proposed_for_bodies(void **state) {
    (void)state;
    size_t count = snt_thorough() ? BODY_COUNT : SHORT_COUNT;
    for (size_t i = 0; i < count; ++i) {
        rig r;
        open_rig(&r, snt_data(bodies[i].file), SN_PROPOSE_FIBRE);
        print_message("%s: %u muscles, %u left out\n", bodies[i].file, r.layout->muscle_count,
                      r.layout->skip_count);
        assert_true(r.layout->muscle_count >= bodies[i].least);
        check_sides(&r, bodies[i].symmetric);
        check_inside(&r, bodies[i].outside);
        check_shortening(&r);
        close_rig(&r);
    }
}

// ---------------------------------------------------------------------------------------------
// Pairs that work against each other

static void antagonists_work_against_each_other(void **state) {
    (void)state;
    static const struct {
        const char *parameter;
        double turn;
        const char *flexor, *extensor;
    } cases[] = {{"lowerarm01.L", 40, "biceps_L", "triceps_long_L"},
                 {"lowerleg01.L", 40, "biceps_femoris_L", "rectus_femoris_L"},
                 {"foot.L", 20, "tibialis_L", "soleus_L"}};
    rig r;
    snt_only_thorough(); // a body takes as long as one of those above
    open_rig(&r, snt_data("human/human.glb"), SN_PROPOSE_FIBRE);
    const sn_skeleton *skeleton = sn_model_skeleton(r.model);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        static const char *const turns[] = {"rx_deg", "ry_deg", "rz_deg"};
        uint32_t s = sn_model_find_segment(r.model, cases[i].parameter);
        sn_frame_clear(r.frame);
        snt_ok(sn_frame_evaluate(r.frame, NULL, 0, error));
        double flexor = length_of(&r, cases[i].flexor), extensor = length_of(&r, cases[i].extensor);
        double shortest = 1, then = 1;
        for (int k = 0; k < 6; ++k) {
            char parameter[200];
            double at = skeleton->segments[s].rest_parameters[SN_JOINT_RX + k / 2] * 180 / SN_PI;
            snprintf(parameter, sizeof parameter, "%s.%s", cases[i].parameter, turns[k / 2]);
            sn_frame_clear(r.frame);
            snt_ok(sn_frame_set(r.frame, parameter, at + cases[i].turn * (k % 2 == 0 ? 1 : -1),
                                error));
            snt_ok(sn_frame_evaluate(r.frame, NULL, 0, error));
            double part = length_of(&r, cases[i].flexor) / flexor;
            if (part < shortest) {
                shortest = part;
                then = length_of(&r, cases[i].extensor) / extensor;
            }
        }
        print_message("%s: %s %.3f, %s %.3f of their lengths\n", cases[i].parameter,
                      cases[i].flexor, shortest, cases[i].extensor, then);
        assert_true(shortest < 0.97 && then > 1.005);
    }
    close_rig(&r);
}

// Limbs of which nothing is known: a bar with one joint.
static void unknown_limbs_get_a_flexor_and_an_extensor(void **state) {
    (void)state;
    rig r;
    open_rig(&r, snt_data("gltf/RiggedSimple.glb"), SN_PROPOSE_FIBRE);
    assert_int_equal(r.layout->muscle_count, 2);
    check_inside(&r, 0.01);
    check_shortening(&r);
    close_rig(&r);
}

static void wrong_kinds_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_propose_desc desc = sn_propose_desc_default();
    sn_muscle_layout *layout = NULL;
    desc.kind = (sn_propose_kind)7;
    snt_fails(SN_INVALID, "kind is 7", sn_muscles_propose(context, &desc, NULL, &layout, error));
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_kinds_are_refused),
        cmocka_unit_test(unknown_limbs_get_a_flexor_and_an_extensor),
        cmocka_unit_test(antagonists_work_against_each_other),
        cmocka_unit_test(fibres_are_proposed_for_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
