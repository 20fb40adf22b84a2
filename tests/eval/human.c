// SPDX-License-Identifier: Apache-2.0
//
// Everything together on a real body: a driver mesh with key poses, bound to the skeleton, moves
// the skin by wrap; muscles drawn on the upper arm and the thigh lift it by falloff; a recorded run
// plays.
#include "toy.h"

#include "sinew/fit.h"

typedef struct human {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} human;

// --- Muscles drawn along a limb

typedef struct body {
    sn_context *context;
    const sn_mesh *mesh;
    sn_accel *accel;
    const sn_skeleton *skeleton;
    sn_mat4 *worlds;
} body;

static sn_vec3 joint(const body *b, const char *name) {
    for (uint32_t i = 0; i < b->skeleton->segment_count; ++i) {
        if (strcmp(b->skeleton->segments[i].name, name) == 0) {
            return sn_mat4_point(&b->worlds[i], sn_vec3_make(0, 0, 0));
        }
    }
    fail_msg("there is no segment %s", name);
    return sn_vec3_make(0, 0, 0);
}

// The skin seen from a point of the limb's line, to the front and a little to one side.
static sn_vec3 skin_at(const body *b, sn_vec3 from, sn_vec3 to, double along, double sideways) {
    sn_vec3 front = sn_vec3_make(0, 0, 1);
    sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_sub(to, from), front);
    front = sn_vec3_normalize_or(sn_vec3_sub(front, sn_vec3_scale(axis, sn_vec3_dot(front, axis))),
                                 front);
    sn_vec3 side = sn_vec3_cross(axis, front);
    sn_vec3 direction = sn_vec3_add(front, sn_vec3_scale(side, sideways));
    sn_vec3 origin = sn_vec3_lerp(from, to, along);
    sn_hit hit;
    sn_accel_cast(b->accel, origin, direction, 0, 1, &hit);
    assert_true(hit.triangle != SN_NONE);
    return hit.point;
}

static void add_muscle(const body *b, sn_json *json, const char *name, const char *from,
                       const char *to) {
    sn_value *muscles = sn_json_find(json, "/muscles"), *root = sn_json_root(json);
    muscles = muscles != NULL ? muscles : sn_json_add_object(json, root, "muscles");
    sn_value *muscle = sn_json_add_object(json, muscles, name);
    sn_json_add_string(json, muscle, "kind", "patch");
    sn_json_add_string(json, muscle, "skin", "human");
    sn_json_add_string(json, muscle, "contraction", name);
    sn_json_add_string(json, muscle, "tension", "tension");
    sn_json_add_number(json, muscle, "skin_thickness", 0.003);
    sn_json_add_number(json, muscle, "muscle_thickness", 0.01);
    sn_value *curves = sn_json_add_array(json, muscle, "curves");
    for (int c = 0; c < 2; ++c) {
        sn_value *curve = sn_json_add_array(json, curves, NULL);
        for (int i = 0; i < 5; ++i) {
            sn_vec3 p =
                skin_at(b, joint(b, from), joint(b, to), 0.25 + 0.125 * i, c == 0 ? -0.5 : 0.5);
            sn_json_add_numbers(json, curve, NULL, (double[3]){p.x, p.y, p.z}, 3);
        }
    }
    sn_value *controls = sn_json_find(json, "/controls");
    controls = controls != NULL ? controls : sn_json_add_object(json, root, "controls");
    sn_json_add_object(json, controls, name);
    sn_json_add_object(json, controls, "tension");
}

static void add_landmark(sn_json *json, const char *name, const char *segment) {
    sn_value *landmarks = sn_json_find(json, "/landmarks");
    landmarks =
        landmarks != NULL ? landmarks : sn_json_add_object(json, sn_json_root(json), "landmarks");
    sn_value *landmark = sn_json_add_object(json, landmarks, name);
    sn_json_add_string(json, landmark, "segment", segment);
    sn_json_add_numbers(json, landmark, "position", (double[3]){0, 0, 0}, 3);
}

// A muscle contracts as the ends of its limb come together.
static void add_driver(sn_json *json, const char *control, const char *a, const char *b,
                       double bent, double straight) {
    sn_value *drivers = sn_json_find(json, "/drivers");
    drivers = drivers != NULL ? drivers : sn_json_add_array(json, sn_json_root(json), "drivers");
    sn_value *driver = sn_json_add_object(json, drivers, NULL);
    sn_json_add_string(json, driver, "control", control);
    sn_value *distance = sn_json_add_array(json, driver, "distance");
    sn_json_add_string(json, distance, NULL, a);
    sn_json_add_string(json, distance, NULL, b);
    sn_value *curve = sn_json_add_array(json, driver, "curve");
    sn_json_add_numbers(json, curve, NULL, (double[2]){bent, 0.3}, 2);
    sn_json_add_numbers(json, curve, NULL, (double[2]){straight, 0}, 2);
}

// --- The character

// "human" has the whole stack; "plain" follows the driver alone, "blended" the skeleton.
static void add_skins(sn_json *json) {
    static const char skins[] =
        "{'driver': {'mesh': 'driver', 'show': false, 'deformers': [{'kind': 'blend'}]},\n"
        "'human': {'mesh': 'human', 'deformers': [{'kind': 'wrap', 'driver_mesh': 'driver'},\n"
        "{'kind': 'falloff', 'muscles': ['biceps', 'thigh'], 'd_full': 0.014, 'd_none': 0.04}]},\n"
        "'plain': {'mesh': 'human', 'show': false, 'deformers': [{'kind': 'wrap', 'driver_mesh':\n"
        "'driver'}]},\n"
        "'blended': {'mesh': 'human', 'show': false, 'deformers': [{'kind': 'blend'}]}}";
    char *text = quoted(skins);
    sn_context *context = snt_context(1);
    sn_json *parsed = NULL;
    snt_ok(sn_json_parse(context, text, strlen(text), &parsed, error));
    assert_non_null(sn_json_add_copy(json, sn_json_root(json), "skins", sn_json_root(parsed)));
    sn_json_add_object(json, sn_json_find(json, "/meshes"), "driver");
    sn_json_destroy(parsed);
    snt_context_end(context);
    free(text);
}

static void draw_muscles(const human *h, const sn_import *import, sn_json *json) {
    body b = {.context = h->context, .mesh = import->meshes[0], .skeleton = &import->skeleton};
    sn_triangles *triangles = NULL;
    b.worlds = malloc(b.skeleton->segment_count * sizeof *b.worlds);
    sn_model *model = NULL; // of the bare body, for the rest pose
    snt_ok(sn_model_create(h->character, NULL, &model, error));
    memcpy(b.worlds, sn_model_rest_worlds(model), b.skeleton->segment_count * sizeof *b.worlds);
    sn_model_destroy(model);
    snt_ok(sn_triangles_create(b.mesh, b.mesh->positions, &triangles, error));
    snt_ok(sn_accel_create(h->context, b.mesh->positions, b.mesh->vertex_count, triangles->vertices,
                           triangles->count, &b.accel, error));
    add_muscle(&b, json, "biceps", "upperarm01.L", "lowerarm01.L");
    add_muscle(&b, json, "thigh", "upperleg01.L", "lowerleg01.L");
    sn_accel_destroy(b.accel);
    sn_triangles_destroy(triangles);
    free(b.worlds);
}

static void make_character(human *h) {
    const char *path = snt_data("human/human.glb");
    sn_import *import = NULL;
    sn_mesh *driver = NULL;
    snt_ok(sn_import_file(h->context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, "human.sinew.json", &h->character, error));
    sn_json *json = sn_character_document(h->character);
    draw_muscles(h, import, json);
    add_skins(json);
    add_landmark(json, "hip", "upperleg01.L");
    add_landmark(json, "ankle", "foot.L");
    add_landmark(json, "shoulder", "upperarm01.L");
    add_landmark(json, "wrist", "wrist.L");
    add_driver(json, "thigh", "hip", "ankle", 0.4, 0.8);
    add_driver(json, "biceps", "shoulder", "wrist", 0.25, 0.5);
    sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
    desc.meshes = (const sn_mesh *const *)import->meshes;
    desc.mesh_count = 1;
    desc.skeleton = &import->skeleton;
    desc.face_count = 2000;
    desc.binding = SN_DRIVER_SKIN;
    desc.influences = 8;
    snt_ok(sn_driver_mesh_create(h->context, &desc, NULL, &driver, NULL, error));
    snt_ok(sn_character_give_mesh(h->character, "driver", driver, error));
    sn_import_destroy(import);
}

// Sculpts the bent knee of the driver: a cap of 1 cm.
static void sculpt_knee(human *h, const char *parameter, double bend) {
    snt_ok(sn_frame_set(h->frame, parameter, bend, error));
    snt_ok(sn_frame_evaluate(h->frame, NULL, 0, error));
    uint32_t surface = surface_of(h->model, "driver");
    const sn_mesh *mesh = sn_model_surface(h->model, surface)->mesh;
    size_t count = 3 * (size_t)mesh->vertex_count;
    float *points = malloc(count * sizeof *points), *normals = malloc(count * sizeof *normals);
    memcpy(points, sn_frame_points(h->frame, surface), count * sizeof *points);
    snt_ok(sn_mesh_normals(mesh, points, normals, error));
    const sn_skeleton *skeleton = sn_model_skeleton(h->model);
    uint32_t knee = 0;
    while (strcmp(skeleton->segments[knee].name, "lowerleg01.L") != 0) {
        ++knee;
    }
    sn_vec3 centre = sn_mat4_point(&sn_frame_worlds(h->frame)[knee], sn_vec3_make(0, 0, 0));
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        double distance = sn_vec3_distance(sn_vec3_load(points + 3 * v), centre);
        double share = fmax(0, 1 - distance * distance / 0.01);
        for (size_t k = 0; k < 3; ++k) {
            points[3 * v + k] += (float)(0.01 * share * normals[3 * v + k]);
        }
    }
    sn_key_pose_desc desc = sn_key_pose_desc_default();
    sn_key_pose_report report;
    desc.skin = "driver";
    desc.follows = parameter;
    desc.points = points;
    desc.vertex_count = mesh->vertex_count;
    snt_ok(sn_key_pose_add(h->character, h->frame, &desc, &report, error));
    assert_true(report.moved > 10 && report.largest < 0.05 && report.error < 1e-6);
    free(points);
    free(normals);
}

static void remake(human *h) {
    sn_frame_destroy(h->frame);
    sn_motion_destroy(h->motion);
    sn_model_destroy(h->model);
    h->motion = NULL;
    h->frame = NULL;
    snt_ok(sn_character_check(h->character, error));
    snt_ok(sn_model_create(h->character, NULL, &h->model, error));
    snt_ok(sn_motion_open(h->model, snt_data("mocap/cmu_02_03_run_jog.bvh"), &h->motion, error));
    snt_ok(sn_frame_create(h->model, &h->frame, error));
}

static const char *const knee_bend = "lowerleg01.L.rx_deg";

static human make_human(uint32_t threads) {
    snt_data("mocap/cmu_02_03_run_jog.bvh"); // skips without it
    snt_data("human/human.glb");
    human h = {.context = snt_context(threads)};
    make_character(&h);
    remake(&h);
    sculpt_knee(&h, knee_bend, 90);
    remake(&h);
    return h;
}

static void end(human *h) {
    sn_frame_destroy(h->frame);
    sn_motion_destroy(h->motion);
    sn_model_destroy(h->model);
    sn_character_destroy(h->character);
    snt_context_end(h->context);
}

// --- What it does

// The share of edges that are more than `factor` times as long or short as at rest.
static double stretched(const sn_mesh *mesh, const sn_topology *topology, const float *points,
                        double factor) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        size_t a = 3 * (size_t)topology->edges[2 * e], b = 3 * (size_t)topology->edges[2 * e + 1];
        double rest =
            sn_vec3_distance(sn_vec3_load(mesh->positions + a), sn_vec3_load(mesh->positions + b));
        double now = sn_vec3_distance(sn_vec3_load(points + a), sn_vec3_load(points + b));
        count += now > factor * rest || rest > factor * now;
    }
    return (double)count / topology->edge_count;
}

static void runs_without_tearing(void **state) {
    (void)state;
    human h = make_human(0);
    uint32_t skin = surface_of(h.model, "human"), blended = surface_of(h.model, "blended");
    const sn_mesh *mesh = sn_model_surface(h.model, skin)->mesh;
    sn_topology *topology = NULL;
    snt_ok(sn_topology_create(mesh, &topology, error));
    double worst = 0, worst_blended = 0, apart = 0;
    for (uint32_t f = 0; f < sn_motion_frame_count(h.motion); f += 12) {
        snt_ok(sn_frame_evaluate(h.frame, h.motion, f, error));
        const float *points = sn_frame_points(h.frame, skin);
        const float *other = sn_frame_points(h.frame, blended);
        double sum = 0;
        for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
            assert_true(isfinite(points[i]));
            sum += (points[i] - other[i]) * (points[i] - other[i]);
        }
        apart = fmax(apart, sqrt(sum / mesh->vertex_count));
        worst = fmax(worst, stretched(mesh, topology, points, 2));
        worst_blended = fmax(worst_blended, stretched(mesh, topology, other, 2));
    }
    print_message("edges beyond twice or half their length: %.2f %%, blended %.2f %%; root mean "
                  "square distance of the two: %.1f mm\n",
                  100 * worst, 100 * worst_blended, 1000 * apart);
    // Hardly more than under the painted weights themselves, and near to what these give.
    assert_true(worst < worst_blended + 0.02);
    assert_true(apart < 0.01);
    sn_topology_destroy(topology);
    end(&h);
}

static void gives_the_same_bits_by_any_way(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 3, 8};
    static const uint32_t frames[] = {0, 37, 90};
    uint64_t first[3] = {0};
    for (int t = 0; t < 3; ++t) {
        human h = make_human(threads[t]);
        for (int i = 0; i < 3; ++i) {
            int which = t % 2 == 0 ? i : 2 - i;
            snt_ok(sn_frame_evaluate(h.frame, h.motion, frames[which], error));
            uint64_t hash = hash_frame(h.frame);
            first[which] = t == 0 ? hash : first[which];
            assert_true(hash == first[which]);
        }
        end(&h);
    }
}

static void relaxed_muscles_add_nothing(void **state) {
    (void)state;
    human h = make_human(0);
    uint32_t skin = surface_of(h.model, "human"), plain = surface_of(h.model, "plain");
    size_t bytes = 12 * (size_t)sn_model_surface(h.model, skin)->mesh->vertex_count;
    snt_ok(sn_frame_set(h.frame, "biceps", 0, error));
    snt_ok(sn_frame_set(h.frame, "thigh", 0, error));
    snt_ok(sn_frame_evaluate(h.frame, h.motion, 43, error));
    assert_memory_equal(sn_frame_points(h.frame, skin), sn_frame_points(h.frame, plain), bytes);
    end(&h);
}

// What the muscle of that control does to the skin in a pose of the run.
static void expect_lift(human *h, const char *control, double value, double low, double high) {
    uint32_t skin = surface_of(h->model, "human"), plain = surface_of(h->model, "plain");
    const sn_mesh *mesh = sn_model_surface(h->model, skin)->mesh;
    snt_ok(sn_frame_set(h->frame, "biceps", 0, error));
    snt_ok(sn_frame_set(h->frame, "thigh", 0, error));
    snt_ok(sn_frame_set(h->frame, "tension", 0, error));
    snt_ok(sn_frame_set(h->frame, control, value, error));
    snt_ok(sn_frame_evaluate(h->frame, h->motion, 43, error));
    const float *points = sn_frame_points(h->frame, skin);
    const float *before = sn_frame_points(h->frame, plain);
    float *normals = malloc(12 * (size_t)mesh->vertex_count);
    snt_ok(sn_mesh_normals(mesh, before, normals, error));
    double highest = 0, lowest = 0;
    uint32_t moved = 0;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 move = sn_vec3_sub(sn_vec3_load(points + 3 * v), sn_vec3_load(before + 3 * v));
        double lift = sn_vec3_dot(move, sn_vec3_load(normals + 3 * v));
        moved += sn_vec3_length(move) > 1e-4;
        lowest = fmin(lowest, lift);
        highest = fmax(highest, lift);
    }
    print_message("%s: %u points move, from %.1f to %.1f mm along their normals\n", control, moved,
                  1000 * lowest, 1000 * highest);
    assert_true(moved > 20 && moved < mesh->vertex_count / 10);
    assert_true(lowest > low && highest > high);
    free(normals);
}

static void contracted_muscles_lift_the_skin(void **state) {
    (void)state;
    human h = make_human(0);
    // Its belly rises; where its insertion is drawn along the limb, the skin goes with it.
    expect_lift(&h, "biceps", 0.3, -0.01, 0.004);
    expect_lift(&h, "thigh", 0.3, -0.01, 0.004);
    // Tension bulges without shortening: the skin rises everywhere above both.
    expect_lift(&h, "tension", 1, -5e-4, 0.005);
    end(&h);
}

// The key pose of the driver's knee reaches the skin that it wraps.
static void key_poses_reach_the_skin(void **state) {
    (void)state;
    human h = make_human(0);
    uint32_t skin = surface_of(h.model, "plain"), blended = surface_of(h.model, "blended");
    const sn_mesh *mesh = sn_model_surface(h.model, skin)->mesh;
    double with = 0, without = 0;
    for (int bent = 0; bent < 2; ++bent) {
        snt_ok(sn_frame_set(h.frame, knee_bend, bent ? 90 : 0, error));
        snt_ok(sn_frame_evaluate(h.frame, NULL, 0, error));
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            double d = sn_vec3_distance(sn_vec3_load(sn_frame_points(h.frame, skin) + 3 * v),
                                        sn_vec3_load(sn_frame_points(h.frame, blended) + 3 * v));
            *(bent ? &with : &without) = fmax(bent ? with : without, d);
        }
    }
    assert_true(without < 1e-6); // at rest nothing moves
    assert_true(with > 0.005);
    end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_without_tearing),
        cmocka_unit_test(gives_the_same_bits_by_any_way),
        cmocka_unit_test(relaxed_muscles_add_nothing),
        cmocka_unit_test(contracted_muscles_lift_the_skin),
        cmocka_unit_test(key_poses_reach_the_skin),
    };
    return cmocka_run_group_tests_name("eval/human", tests, NULL, NULL);
}
