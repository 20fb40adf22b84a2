// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "layout_checks.h"
#include "motion/skeleton.h"
#include "sinew/io.h"

#include <stdlib.h>

// Two legs as tubes on a trunk: thighs of 0.4 m down from (+-0.1, 1, 0), shins of 0.4 m, bent
// backwards at the knee by 20 degrees, feet forward.
enum { SIDES = 24, ROWS = 40, LEG_VERTICES = SIDES * ROWS, SEGMENT_COUNT = 9 };
static const double radius = 0.06, bend = 20 * SN_PI / 180;

static sn_vec3 leg_point(double x, double along, sn_vec3 *direction) {
    sn_vec3 hip = {x, 1, 0}, knee = {x, 0.6, 0};
    *direction = sn_vec3_make(0, -1, 0);
    if (along <= 0.4) {
        return sn_vec3_add_scaled(hip, along, *direction);
    }
    *direction = sn_vec3_make(0, -cos(bend), -sin(bend));
    return sn_vec3_add_scaled(knee, along - 0.4, *direction);
}

static sn_mesh *make_legs(sn_context *context) {
    sn_mesh *mesh = NULL;
    uint32_t faces = 2 * (ROWS - 1) * SIDES;
    snt_ok(sn_mesh_create(context, "legs", 2 * LEG_VERTICES, faces, 4 * faces, &mesh, error));
    snt_ok(sn_mesh_set_weights(mesh, 6, 2 * LEG_VERTICES, false, error));
    static const char *const names[] = {"thigh.L", "shin.L", "thigh.R",
                                        "shin.R",  "foot.L", "foot.R"};
    for (uint32_t b = 0; b < 6; ++b) {
        snt_ok(sn_mesh_name_bone(mesh, b, names[b], error));
    }
    for (uint32_t v = 0; v < 2 * LEG_VERTICES; ++v) {
        uint32_t side = v / LEG_VERTICES, row = v % LEG_VERTICES / SIDES;
        double x = side == 0 ? 0.1 : -0.1, along = 0.85 * row / (ROWS - 1);
        double turn = 2 * SN_PI * (v % SIDES) / SIDES;
        sn_vec3 direction, at = leg_point(x, along, &direction);
        sn_vec3 across = {1, 0, 0}, back = sn_vec3_cross(direction, across);
        at = sn_vec3_add_scaled(at, radius * cos(turn), across);
        at = sn_vec3_add_scaled(at, radius * sin(turn), back);
        sn_vec3_store(at, mesh->positions + 3 * v);
        mesh->weights->offsets[v] = v;
        mesh->weights->bones[v] = 2 * side + (along > 0.4);
        mesh->weights->values[v] = 1;
    }
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t leg = f / ((ROWS - 1) * SIDES), k = f % ((ROWS - 1) * SIDES);
        uint32_t row = leg * LEG_VERTICES + k / SIDES * SIDES, a = k % SIDES, b = (a + 1) % SIDES;
        uint32_t corners[4] = {row + a, row + b, row + SIDES + b, row + SIDES + a};
        memcpy(mesh->corners + 4 * f, corners, sizeof corners);
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    mesh->weights->offsets[2 * LEG_VERTICES] = 2 * LEG_VERTICES;
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

enum { TRUNK, CHEST, NECK, THIGH_L, SHIN_L, FOOT_L, THIGH_R, SHIN_R, FOOT_R };

static void make_skeleton(sn_context *context, sn_skeleton *skeleton) {
    const sn_vec3 shin = {0, -0.4 * cos(bend), -0.4 * sin(bend)};
    const struct {
        const char *name;
        uint32_t parent;
        sn_vec3 place;
    } segments[SEGMENT_COUNT] = {
        {"trunk", SN_NONE, {0, 1, 0}},     {"chest", TRUNK, {0, 0.3, 0}},
        {"neck", CHEST, {0, 0.3, 0}},      {"thigh.L", TRUNK, {0.1, 0, 0}},
        {"shin.L", THIGH_L, {0, -0.4, 0}}, {"foot.L", SHIN_L, shin},
        {"thigh.R", TRUNK, {-0.1, 0, 0}},  {"shin.R", THIGH_R, {0, -0.4, 0}},
        {"foot.R", SHIN_R, shin},
    };
    snt_ok(sni_skeleton_init(context, SEGMENT_COUNT, skeleton, error));
    for (uint32_t i = 0; i < SEGMENT_COUNT; ++i) {
        skeleton->segments[i].name = sni_string_copy(context, segments[i].name);
        skeleton->segments[i].parent = segments[i].parent;
        skeleton->segments[i].rest.translation = segments[i].place;
    }
    snt_ok(sni_skeleton_sort(context, skeleton, error));
}

typedef struct legs {
    sn_mesh *mesh;
    sn_skeleton skeleton;
    sn_propose_desc desc;
} legs;

static void legs_init(sn_context *context, legs *l) {
    l->mesh = make_legs(context);
    make_skeleton(context, &l->skeleton);
    l->desc = sn_propose_desc_default();
    l->desc.mesh = l->mesh;
    l->desc.skeleton = &l->skeleton;
}

static void legs_deinit(sn_context *context, legs *l) {
    sn_mesh_destroy(l->mesh);
    sni_skeleton_deinit(context, &l->skeleton);
}

// ---------------------------------------------------------------------------------------------

static void check_muscle(const sn_layout_muscle *muscle, double x, double z_sign) {
    assert_non_null(muscle);
    for (uint32_t k = 0; k < 2; ++k) {
        sn_vec3 mean = {0, 0, 0};
        for (uint32_t i = 0; i < muscle->curve_counts[k]; ++i) {
            sn_vec3 p = muscle->curves[k][i];
            mean = sn_vec3_add_scaled(mean, 1.0 / muscle->curve_counts[k], p);
            assert_true(p.y < 0.96 && p.y > 0.44); // on the thigh, down to the knee and a little on
            assert_true(i == 0 || p.y < muscle->curves[k][i - 1].y);
        }
        assert_true(mean.z * z_sign > 0.5 * radius);
        assert_true(fabs(mean.x - x) < radius);
    }
    // A tube of 24 sides is a little thinner between its edges.
    snt_near(muscle->top_depth, 0.06 * radius, 0.02 * 0.06 * radius);
    snt_near(muscle->half_thickness, 0.20 * radius, 0.02 * 0.20 * radius);
}

static void tells_flexor_from_extensor(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    legs l;
    legs_init(context, &l);
    sn_muscle_layout *layout = NULL;
    snt_ok(sn_muscles_propose(context, &l.desc, NULL, &layout, error));
    check_muscle(snt_find_muscle(layout, "hamstrings_L"), 0.1, -1);
    check_muscle(snt_find_muscle(layout, "quadriceps_L"), 0.1, 1);
    check_muscle(snt_find_muscle(layout, "hamstrings_R"), -0.1, -1);
    check_muscle(snt_find_muscle(layout, "quadriceps_R"), -0.1, 1);
    // The knee bends by turning about +x, from 20 to 140 degrees; straight it is at -20.
    const sn_layout_muscle *flexor = snt_find_muscle(layout, "hamstrings_L");
    assert_int_equal(flexor->driver, SN_LAYOUT_ANGLE);
    assert_string_equal(flexor->driver_parameter, "shin.L.rx_deg");
    assert_true(flexor->driver_curve[0][0] == 0 && flexor->driver_curve[0][1] == 0);
    assert_true(flexor->driver_curve[1][0] == 120 && flexor->driver_curve[1][1] == 1);
    const sn_layout_muscle *extensor = snt_find_muscle(layout, "quadriceps_L");
    assert_true(extensor->driver_curve[0][0] == -20 && extensor->driver_curve[0][1] == 1);
    assert_true(extensor->driver_curve[1][0] == 0 && extensor->driver_curve[1][1] == 0);
    snt_depths depths = snt_measure_layout(context, l.mesh, layout);
    assert_int_equal(depths.wrong + depths.without_hit + depths.too_deep, 0);
    sn_muscle_layout_destroy(layout);
    legs_deinit(context, &l);
    snt_context_end(context);
}

// The mirror image of every muscle is there, with equal numbers.
static void check_symmetry(const sn_muscle_layout *layout, double tolerance) {
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        const sn_layout_muscle *a = &layout->muscles[i], *b = snt_other_side(layout, a);
        assert_non_null(b);
        assert_true(a->top_depth == b->top_depth && a->d_none == b->d_none);
        assert_true(a->half_thickness == b->half_thickness && a->d_full == b->d_full);
        assert_int_equal(a->curve_counts[0], b->curve_counts[0]);
        for (uint32_t p = 0; p < a->curve_counts[0]; ++p) {
            sn_vec3 image = a->curves[0][p];
            image.x = -image.x;
            assert_true(sn_vec3_distance(image, b->curves[0][p]) < tolerance);
        }
    }
}

static void mirrors_limbs(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    legs l;
    legs_init(context, &l);
    sn_muscle_layout *layout = NULL;
    snt_ok(sn_muscles_propose(context, &l.desc, NULL, &layout, error));
    check_symmetry(layout, 1e-6);
    sn_muscle_layout_destroy(layout);
    legs_deinit(context, &l);
    snt_context_end(context);
}

// Limits have the last word: this knee bends forward, by 60 degrees, and not at all backward.
static void limits_tell_how_a_joint_bends(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    legs l;
    legs_init(context, &l);
    for (uint32_t s = SHIN_L; s <= SHIN_R; s += SHIN_R - SHIN_L) {
        sn_limit *limits = l.skeleton.segments[s].limits;
        limits[SN_JOINT_RX] = (sn_limit){-SN_PI / 3, 0};
        limits[SN_JOINT_RY] = limits[SN_JOINT_RZ] = (sn_limit){0, 0};
    }
    sn_muscle_layout *layout = NULL;
    snt_ok(sn_muscles_propose(context, &l.desc, NULL, &layout, error));
    const sn_layout_muscle *flexor = snt_find_muscle(layout, "hamstrings_L");
    check_muscle(flexor, 0.1, 1);
    assert_true(flexor->driver_curve[0][0] == -60 && flexor->driver_curve[0][1] == 1);
    assert_int_equal(snt_find_muscle(layout, "quadriceps_L")->driver, SN_LAYOUT_FREE);
    sn_muscle_layout_destroy(layout);
    // A shin that only twists is one bone with the thigh: no joint, no muscle.
    for (uint32_t s = SHIN_L; s <= SHIN_R; s += SHIN_R - SHIN_L) {
        l.skeleton.segments[s].limits[SN_JOINT_RX] = (sn_limit){0, 0};
        l.skeleton.segments[s].limits[SN_JOINT_RY] = (sn_limit){-1, 1};
    }
    snt_ok(sn_muscles_propose(context, &l.desc, NULL, &layout, error));
    assert_null(snt_find_muscle(layout, "hamstrings_L"));
    sn_muscle_layout_destroy(layout);
    legs_deinit(context, &l);
    snt_context_end(context);
}

static void skips_what_is_short(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    legs l;
    legs_init(context, &l);
    l.desc.smallest = 0.9;
    sn_muscle_layout *layout = NULL;
    snt_ok(sn_muscles_propose(context, &l.desc, NULL, &layout, error));
    assert_int_equal(layout->muscle_count, 0);
    assert_true(layout->skip_count > 0);
    assert_string_equal(layout->skips[0].reason, "the bone is too short");
    sn_muscle_layout_destroy(layout);
    legs_deinit(context, &l);
    snt_context_end(context);
}

static void fails(sn_context *context, const sn_propose_desc *desc, const char *text) {
    sn_muscle_layout *layout = NULL;
    snt_fails(SN_INVALID, text, sn_muscles_propose(context, desc, NULL, &layout, error));
    assert_null(layout);
}

static void refuses_bad_input(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    legs l;
    legs_init(context, &l);
    sn_propose_desc desc = l.desc;
    desc.thickness = NAN;
    fails(context, &desc, "thickness is nan");
    desc.thickness = 0;
    fails(context, &desc, "thickness is 0");
    desc = l.desc;
    desc.smallest = -1;
    fails(context, &desc, "smallest is -1");
    desc.check = 0;
    fails(context, &desc, "the desc was not made by sn_propose_desc_default");
    snt_ok(sn_mesh_name_bone(l.mesh, 1, "shn.L", error));
    fails(context, &l.desc, "the skin's bone \"shn.L\" is not in the skeleton; did you mean");
    sn_mesh_clear_weights(l.mesh);
    fails(context, &l.desc, "the skin \"legs\" cannot carry muscles: it has no weights");
    legs_deinit(context, &l);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    legs *l = user;
    sn_muscle_layout *layout = NULL;
    sn_status status = sn_muscles_propose(context, &l->desc, NULL, &layout, error);
    sn_muscle_layout_destroy(layout);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    legs l;
    legs_init(context, &l);
    snt_fail_allocations(attempt, &l);
    legs_deinit(context, &l);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Real bodies

static snt_body open_body(sn_context *context, const char *path, sn_muscle_layout **layout) {
    snt_body body = {0};
    snt_ok(sn_import_file(context, path, &body.import, error));
    snt_ok(sn_character_from_import(body.import, path, path, &body.character, error));
    sn_propose_desc desc = sn_propose_desc_default();
    desc.mesh = body.import->meshes[0];
    desc.skeleton = &body.import->skeleton;
    snt_ok(sn_muscles_propose(context, &desc, NULL, layout, error));
    return body;
}

static void check_depths(sn_context *context, const char *file, const snt_body *body,
                         const sn_muscle_layout *layout) {
    snt_depths depths = snt_measure_layout(context, body->import->meshes[0], layout);
    print_message("%s: %u muscles, %u points: %u without skin, %u deep, %u wrong, error %.2g\n",
                  file, depths.muscles, depths.points, depths.without_hit, depths.too_deep,
                  depths.wrong, depths.worst);
    assert_int_equal(depths.without_hit, 0);
    assert_true(depths.wrong <= depths.points / 100);
    assert_true(depths.too_deep <= depths.points / 50);
}

static uint32_t count_moved(const float *points, const float *rest, uint32_t count) {
    uint32_t moved = 0;
    for (uint32_t v = 0; v < count; ++v) {
        moved += memcmp(points + 3 * v, rest + 3 * v, 3 * sizeof(float)) != 0;
    }
    return moved;
}

static double distance_of(const float *a, const float *b, uint32_t v, uint32_t w) {
    return sn_vec3_distance(sn_vec3_load(a + 3 * (size_t)v), sn_vec3_load(b + 3 * (size_t)w));
}

// A muscle shows on the skin: it swells by half of what its own thickness grows by or more, but no
// more than that and what it slides. No edge is torn.
static void check_swelling(const sn_mesh *mesh, const sn_layout_muscle *muscle, const float *points,
                           const float *rest) {
    double growth = muscle->bulge * muscle->half_thickness, length = 0, largest = 0;
    for (uint32_t i = 1; i < muscle->curve_counts[0]; ++i) {
        length += sn_vec3_distance(muscle->curves[0][i - 1], muscle->curves[0][i]);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        largest = fmax(largest, distance_of(points, rest, v, v));
    }
    assert_true(largest > 0.5 * growth &&
                largest < 1.02 * growth + 1.1 * muscle->strength * length);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        for (uint32_t c = mesh->face_offsets[f]; c + 1 < mesh->face_offsets[f + 1]; ++c) {
            uint32_t a = mesh->corners[c], b = mesh->corners[c + 1];
            assert_true(distance_of(points, points, a, b) <= 2 * distance_of(rest, rest, a, b));
        }
    }
}

// Every muscle moves some of the skin, on its own side but for the middle.
static void check_contractions(snt_body *body, const sn_muscle_layout *layout) {
    uint32_t count = body->import->meshes[0]->vertex_count;
    float *rest = malloc(3 * sizeof(float) * count);
    memcpy(rest, snt_body_points(body), 3 * sizeof(float) * count);
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        sn_frame_clear(body->frame);
        snt_ok(sn_frame_set(body->frame, layout->muscles[i].name, 1, error));
        const float *points = snt_body_points(body);
        uint32_t moved = count_moved(points, rest, count);
        assert_true(moved > 12 && moved < count / 4); // few on a foot
        check_swelling(body->import->meshes[0], &layout->muscles[i], points, rest);
        double side = layout->muscles[i].curves[0][0].x;
        for (uint32_t v = 0; v < count; ++v) {
            bool other = rest[3 * v] * side < 0 && fabsf(rest[3 * v]) > 0.05f;
            assert_true(!other || memcmp(points + 3 * v, rest + 3 * v, 12) == 0);
        }
    }
    free(rest);
}

static void check_body(const char *file, uint32_t muscle_count) {
    sn_context *context = snt_context(0);
    sn_muscle_layout *layout = NULL;
    snt_body body = open_body(context, snt_data(file), &layout);
    assert_int_equal(layout->muscle_count, muscle_count);
    check_symmetry(layout, 0.01);
    check_depths(context, file, &body, layout);
    // At rest the muscles add nothing: the same bits as without them.
    snt_body_make(&body);
    uint32_t count = body.import->meshes[0]->vertex_count;
    float *plain = malloc(3 * sizeof(float) * count);
    memcpy(plain, snt_body_points(&body), 3 * sizeof(float) * count);
    sn_frame_destroy(body.frame);
    sn_model_destroy(body.model);
    snt_ok(sn_character_add_layout(body.character, NULL, layout, NULL, error));
    snt_body_make(&body);
    assert_memory_equal(plain, snt_body_points(&body), 3 * sizeof(float) * count);
    free(plain);
    check_contractions(&body, layout);
    sn_muscle_layout_destroy(layout);
    snt_body_close(&body);
    snt_context_end(context);
}

static void proposes_muscles_of_a_human(void **state) {
    (void)state;
    check_body("human/human.glb", 44);
}

static void proposes_muscles_of_a_dog(void **state) {
    (void)state;
    check_body("animal/dog/dog.glb", 40);
}

// The elbow bends, the biceps swells.
static void a_bent_elbow_contracts_the_biceps(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    sn_muscle_layout *layout = NULL;
    snt_body body = open_body(context, snt_data("human/human.glb"), &layout);
    snt_ok(sn_character_add_layout(body.character, NULL, layout, NULL, error));
    snt_body_make(&body);
    const sn_layout_muscle *biceps = snt_find_muscle(layout, "biceps_L");
    assert_int_equal(biceps->driver, SN_LAYOUT_ANGLE);
    double bent =
        biceps->driver_curve[0][1] == 1 ? biceps->driver_curve[0][0] : biceps->driver_curve[1][0];
    snt_ok(sn_frame_set(body.frame, biceps->driver_parameter, bent, error));
    snt_body_points(&body);
    for (uint32_t c = 0; c < sn_model_control_count(body.model); ++c) {
        const char *name = sn_model_control_name(body.model, c);
        double value = sn_frame_controls(body.frame)[c];
        if (strcmp(name, "biceps_L") == 0) {
            snt_near(value, 1, 1e-9);
        } else if (strcmp(name, "biceps_R") == 0 || strcmp(name, "triceps_L") == 0) {
            snt_near(value, 0, 1e-9);
        }
    }
    sn_muscle_layout_destroy(layout);
    snt_body_close(&body);
    snt_context_end(context);
}

// Chest and back of an upright trunk: before and behind, from the mid-line outwards to the arm.
// Legs stand on the sides of a dog's narrow trunk, which has none.
static void lays_muscles_on_chest_and_back(void **state) {
    (void)state;
    static const char *const names[] = {"pectoral_L", "latissimus_L"};
    sn_context *context = snt_context(0);
    sn_muscle_layout *layout = NULL;
    snt_body body = open_body(context, snt_data("human/human_male_muscular.glb"), &layout);
    for (int m = 0; m < 2; ++m) {
        const sn_layout_muscle *muscle = snt_find_muscle(layout, names[m]);
        assert_non_null(muscle);
        assert_int_equal(muscle->driver, SN_LAYOUT_DISTANCE);
        for (int k = 0; k < 2; ++k) {
            uint32_t last = muscle->curve_counts[k] - 1;
            assert_true(muscle->curves[k][0].x > 0 && muscle->curves[k][0].x < 0.06);
            assert_true(muscle->curves[k][last].x > 0.12);
            assert_true(muscle->curves[k][0].y > 1 && muscle->curves[k][last].y > 1.2);
            assert_true(m == 0 ? muscle->curves[k][0].z > 0.03 : muscle->curves[k][0].z < -0.03);
        }
    }
    sn_muscle_layout_destroy(layout);
    sn_import_destroy(body.import);
    sn_character_destroy(body.character);
    body = open_body(context, snt_data("animal/dog/dog.glb"), &layout);
    assert_null(snt_find_muscle(layout, "pectoral_L"));
    sn_muscle_layout_destroy(layout);
    sn_import_destroy(body.import);
    sn_character_destroy(body.character);
    snt_context_end(context);
}

static void proposes_muscles_of_other_models(void **state) {
    (void)state;
    static const char *const files[] = {"gltf/CesiumMan.glb", "gltf/Fox.glb",
                                        "gltf/RiggedFigure.glb", "human/human_female.glb"};
    sn_context *context = snt_context(0);
    for (int i = 0; i < 4; ++i) {
        sn_muscle_layout *layout = NULL;
        snt_body body = open_body(context, snt_data(files[i]), &layout);
        assert_true(layout->muscle_count >= 8);
        snt_ok(sn_character_add_layout(body.character, NULL, layout, NULL, error));
        snt_body_make(&body);
        snt_body_points(&body);
        sn_muscle_layout_destroy(layout);
        snt_body_close(&body);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_flexor_from_extensor),
        cmocka_unit_test(mirrors_limbs),
        cmocka_unit_test(limits_tell_how_a_joint_bends),
        cmocka_unit_test(skips_what_is_short),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(proposes_muscles_of_a_human),
        cmocka_unit_test(proposes_muscles_of_a_dog),
        cmocka_unit_test(a_bent_elbow_contracts_the_biceps),
        cmocka_unit_test(lays_muscles_on_chest_and_back),
        cmocka_unit_test(proposes_muscles_of_other_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
