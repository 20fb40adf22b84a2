// SPDX-License-Identifier: Apache-2.0
//
// Bones and tissues in the model: where they stand, how large they are, what carries them.
#include "toy.h"

#include "../geometry/shapes.h"
#include "eval/model.h"
#include "motion/skeleton.h"

// A trunk along y, an arm of two segments along x, a head that is a leaf. Sizes: root 3, upper and
// its leaf lower 2, head as root.
static const char body_head[] =
    "{'sinew': 1, 'name': 'body', 'skeleton': {\n"
    "'root': {'translation': [0, 1, 0]},\n"
    "'upper': {'parent': 'root', 'translation': [1, 2, 2], 'rotation_deg': [0, 30, 0]},\n"
    "'lower': {'parent': 'upper', 'translation': [2, 0, 0], 'rest_deg': {'rz': 20}},\n"
    "'head': {'parent': 'root', 'translation': [0, 1, 0], 'rest': {'ty': 0.5}}},\n"
    "'meshes': {'box': {}},\n";
static const char body_parts[] =
    "'bones': {'humerus': {'mesh': 'box', 'segment': 'upper', 'frame': 'size'},\n"
    "'plate': {'mesh': 'box', 'segment': 'root'},\n"
    "'ulna': {'ellipsoid': {'center': [0.25, 0.5, 0], 'radii': [0.5, 0.125, 0.25],\n"
    "'rotation_deg': [0, 0, 90]}, 'segment': 'lower', 'frame': 'size'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [1, 0, 0], 'radii': [0.5, 0.5, 0.5], 'detail': "
    "2},\n"
    "'segment': 'upper'},\n"
    "'orbit': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'head', 'frame': 'size',\n"
    "'density': -0.5},\n"
    "'eye': {'ellipsoid': {'center': [0, 3, 0], 'radii': [0.1, 0.1, 0.1]}, 'segment': 'head',\n"
    "'frame': 'world', 'feature': true, 'look': 'plain'},\n"
    "'cheek': {'mesh': 'box', 'segment': 'head', 'frame': 'size'}},\n";
static const char body_tail[] =
    "'clips': {'wave': {'rate': 10, 'tracks': {'upper.rz_deg': {'keys': [[0, 0], [1, 90]]},\n"
    "'root.ty': {'keys': [[0, 0], [1, 0.5]]}, 'lower.ry_deg': {'keys': [[0, 0], [1, -60]]}}}}}";

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} body;

static body make_body(const char *proportions, const char *parts) {
    char text[4096];
    body b = {.context = snt_context(1)};
    snprintf(text, sizeof text, "%s%s%s%s", body_head, proportions, parts, body_tail);
    snt_ok(parse_quoted(b.context, "body.sinew.json", text, &b.character, error));
    snt_ok(sn_character_give_mesh(b.character, "box", snt_cube(b.context), error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    return b;
}

static void end_body(body *b) {
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static void expect_point(const body *b, const char *surface, uint32_t vertex, sn_vec3 expected) {
    sn_vec3 found = sn_vec3_load(points_of(b->frame, surface) + 3 * (size_t)vertex);
    snt_near(found.x, expected.x, 2e-6);
    snt_near(found.y, expected.y, 2e-6);
    snt_near(found.z, expected.z, 2e-6);
}

static void describes_bones_and_tissues(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    static const char *const names[] = {"humerus", "plate", "ulna", "fat", "orbit", "eye", "cheek"};
    assert_int_equal(sn_model_surface_count(b.model), 7);
    for (uint32_t i = 0; i < 7; ++i) {
        const sn_surface *surface = sn_model_surface(b.model, i);
        assert_string_equal(surface->name, names[i]);
        assert_int_equal(surface->layer, i < 3 ? SN_LAYER_BONE : SN_LAYER_TISSUE);
        assert_int_equal(surface->look, i < 3    ? SN_LOOK_BONE
                                        : i == 5 ? SN_LOOK_PLAIN
                                                 : SN_LOOK_TISSUE);
        assert_int_equal(surface->shown, i != 4);
        assert_int_equal(surface->feature, i == 5);
        assert_int_equal(surface->in_segment_frame, i != 1 && i != 5);
        assert_int_equal(surface->ellipsoid != NULL, i >= 2 && i <= 5);
        assert_true(surface->density == (i == 4 ? -0.5 : 1));
        assert_true(surface->linear_skinning);
    }
    assert_int_equal(sn_model_surface(b.model, 3)->mesh->vertex_count, 42);
    assert_int_equal(sn_model_surface(b.model, 2)->mesh->vertex_count, 642);
    end_body(&b);
}

// The paper's own example: at (0.25, 0.5, 0.75) of a size of 20 a frame stands at (5, 10, 15).
static void measures_in_units_of_the_size(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    snt_ok(parse_quoted(context, "a",
                        "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}, 't': {'parent': 's',\n"
                        "'translation': [0, 12, 16]}}, 'bones': {'b': {'segment': 's', 'frame':\n"
                        "'size', 'ellipsoid': {'center': [0.25, 0.5, 0.75], 'radii': [0.1, 0.2,\n"
                        "0.3]}}}}",
                        &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    const double *m = sn_model_surface(model, 0)->ellipsoid->m;
    snt_near(m[12], 5, 1e-14);
    snt_near(m[13], 10, 1e-14);
    snt_near(m[14], 15, 1e-14);
    snt_near(m[0], 2, 1e-14);
    snt_near(m[5], 4, 1e-14);
    snt_near(m[10], 6, 1e-14);
    sn_vec3 low, high;
    sn_mesh_bounds(sn_model_surface(model, 0)->mesh, &low, &high);
    snt_near(low.x, 3, 1e-6);
    snt_near(high.y, 14, 1e-5);
    snt_near(high.z, 21, 1e-5);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void near_points(sn_vec3 a, sn_vec3 b, double tolerance) {
    snt_near(a.x, b.x, tolerance);
    snt_near(a.y, b.y, tolerance);
    snt_near(a.z, b.z, tolerance);
}

// A tube along y in a segment of size 20: from end to end with round caps, and a wide axis.
static void measures_tubes_in_units_of_the_size(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    snt_ok(
        parse_quoted(context, "a",
                     "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}, 't': {'parent': 's',\n"
                     "'translation': [0, 12, 16]}}, 'bones': {'b': {'segment': 's', 'frame':\n"
                     "'size', 'tube': {'points': [[0, 0, 0], [0, 1, 0]], 'radii': [[0.1, 0.05],\n"
                     "0.05], 'side': [0, 0, 1]}}}}",
                     &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    const sn_surface *surface = sn_model_surface(model, 0);
    sn_vec3 low, high;
    sn_mesh_bounds(surface->mesh, &low, &high);
    assert_null(surface->ellipsoid);
    assert_true(surface->in_segment_frame);
    near_points(low, sn_vec3_make(-1, -1, -2), 1e-6);
    near_points(high, sn_vec3_make(1, 21, 2), 2e-6);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// Vertex 7 of the box is (1, 1, 1), in the frames by hand.
static void stands_in_its_frame(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    const sn_mat4 *rest = sn_model_rest_worlds(b.model);
    expect_point(&b, "plate", 7, sn_vec3_make(1, 1, 1));
    expect_point(&b, "humerus", 7, sn_mat4_point(&rest[1], sn_vec3_make(2, 2, 2)));
    expect_point(&b, "cheek", 7, sn_vec3_make(3, 5.5, 3)); // head at (0, 2.5, 0), size 3
    // The frame of upper: (1, 3, 2), a turn of 30 degrees about y.
    sn_vec3 corner =
        sn_vec3_make(1 + 2 * (cos(SN_PI / 6) + 0.5), 5, 2 + 2 * (cos(SN_PI / 6) - 0.5));
    expect_point(&b, "humerus", 7, corner);
    end_body(&b);
}

static sn_vec3 middle_of(const body *b, const char *name) {
    const float *points = points_of(b->frame, name);
    uint32_t count = sn_model_surface(b->model, surface_of(b->model, name))->mesh->vertex_count;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t v = 0; v < count; ++v) {
        sum = sn_vec3_add(sum, sn_vec3_load(points + 3 * (size_t)v));
    }
    return sn_vec3_scale(sum, 1.0 / count);
}

// In a pose each goes where its segment's matrix takes it.
static void is_carried_by_its_segment(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(b.model, "wave", &motion, error));
    snt_ok(sn_frame_evaluate(b.frame, motion, 10, error));
    const sn_mat4 *worlds = sn_frame_worlds(b.frame);
    near_points(middle_of(&b, "fat"), sn_mat4_point(&worlds[1], sn_vec3_make(1, 0, 0)), 2e-6);
    near_points(middle_of(&b, "ulna"), sn_mat4_point(&worlds[2], sn_vec3_make(0.5, 1, 0)), 2e-6);
    near_points(middle_of(&b, "orbit"), sn_mat4_point(&worlds[3], sn_vec3_make(0, 0, 0)), 2e-6);
    near_points(middle_of(&b, "eye"), sn_vec3_make(0, 3.5, 0), 2e-6); // root rises by 0.5
    sn_motion_destroy(motion);
    end_body(&b);
}

// --- Proportions

static const char all_scaled[] =
    "'proportions': {'root': 1.7, 'upper': 1.7, 'lower': 1.7, 'head': 1.7},\n";

// All factors alike: everything in units of sizes is scaled about the root; what stands in metres
// in the world or in a segment is as large as before.
static void scales_about_the_root(void **state) {
    (void)state;
    body plain = make_body("", body_parts), scaled = make_body(all_scaled, body_parts);
    sn_vec3 root = sn_vec3_make(0, 1, 0);
    static const char *const in_sizes[] = {"humerus", "ulna", "orbit", "cheek"};
    for (int i = 0; i < 4; ++i) {
        const float *from = points_of(plain.frame, in_sizes[i]);
        const float *to = points_of(scaled.frame, in_sizes[i]);
        const sn_mesh *mesh =
            sn_model_surface(plain.model, surface_of(plain.model, in_sizes[i]))->mesh;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            sn_vec3 offset = sn_vec3_sub(sn_vec3_load(from + 3 * v), root);
            near_points(sn_vec3_load(to + 3 * v), sn_vec3_add_scaled(root, 1.7, offset), 2e-6);
        }
    }
    uint32_t plate = surface_of(plain.model, "plate"), fat = surface_of(plain.model, "fat");
    assert_memory_equal(sn_frame_points(plain.frame, plate), sn_frame_points(scaled.frame, plate),
                        24 * sizeof(float));
    assert_memory_equal(sn_model_surface(plain.model, fat)->mesh->positions,
                        sn_model_surface(scaled.model, fat)->mesh->positions,
                        3 * 42 * sizeof(float));
    near_points(middle_of(&scaled, "fat"),
                sn_mat4_point(&sn_model_rest_worlds(scaled.model)[1], sn_vec3_make(1, 0, 0)), 2e-6);
    end_body(&plain);
    end_body(&scaled);
}

// One factor: the child is further away, the segment's own part and that of its leaf grow, all else
// only moves.
static void lengthens_one_segment(void **state) {
    (void)state;
    body b = make_body("'proportions': {'upper': 2},\n", body_parts);
    const sn_mat4 *rest = sn_model_rest_worlds(b.model);
    near_points(sn_mat4_point(&rest[2], sn_vec3_make(0, 0, 0)),
                sn_mat4_point(&rest[1], sn_vec3_make(4, 0, 0)), 1e-14);
    near_points(sn_mat4_point(&rest[1], sn_vec3_make(0, 0, 0)), sn_vec3_make(1, 3, 2), 1e-14);
    expect_point(&b, "humerus", 7, sn_mat4_point(&rest[1], sn_vec3_make(4, 4, 4)));
    expect_point(&b, "cheek", 7, sn_vec3_make(3, 5.5, 3));
    near_points(middle_of(&b, "ulna"), sn_mat4_point(&rest[2], sn_vec3_make(1, 2, 0)), 2e-6);
    end_body(&b);
    // A factor of the leaf's own is one on what it was in the document.
    b = make_body("'proportions': {'upper': 2, 'lower': 1},\n", body_parts);
    rest = sn_model_rest_worlds(b.model);
    near_points(middle_of(&b, "ulna"), sn_mat4_point(&rest[2], sn_vec3_make(0.5, 1, 0)), 2e-6);
    end_body(&b);
}

// The body that proportions were given to can be had back.
static void remembers_the_plain_body(void **state) {
    (void)state;
    body plain = make_body("", body_parts), scaled = make_body(all_scaled, body_parts);
    sni_rest *rest = scaled.model->rest, *again = rest->plain;
    assert_ptr_not_equal(again, rest);
    assert_ptr_equal(plain.model->rest->plain, plain.model->rest);
    snt_ok(sni_rest_make(again, NULL, error));
    assert_int_equal(again->surface_count, plain.model->surface_count);
    for (uint32_t i = 0; i < again->surface_count; ++i) {
        const sn_mesh *mesh = plain.model->surfaces[i].mesh;
        assert_memory_equal(again->surfaces[i].mesh->positions, mesh->positions,
                            12 * (size_t)mesh->vertex_count);
    }
    for (uint32_t i = 0; i < again->blueprint->surface_count; ++i) {
        double growth = rest->details[i].unit / again->details[i].unit;
        snt_near(growth, again->blueprint->surfaces[i].in_sizes ? 1.7 : 1, 1e-15);
    }
    end_body(&plain);
    end_body(&scaled);
}

// A clip of the document turns the same joints by the same angles.
static void plays_the_same_clips(void **state) {
    (void)state;
    body plain = make_body("", body_parts), scaled = make_body(all_scaled, body_parts);
    body *bodies[] = {&plain, &scaled};
    for (int i = 0; i < 2; ++i) {
        sn_motion *motion = NULL;
        snt_ok(sn_motion_open(bodies[i]->model, "wave", &motion, error));
        snt_ok(sn_frame_evaluate(bodies[i]->frame, motion, 7, error));
        sn_motion_destroy(motion);
    }
    const sn_mat4 *a = sn_frame_worlds(plain.frame), *b = sn_frame_worlds(scaled.frame);
    sn_vec3 root = sn_vec3_make(0, 1.35, 0);
    for (uint32_t s = 0; s < 4; ++s) {
        for (int k = 0; k < 12; ++k) {
            snt_near(a[s].m[k], b[s].m[k], 1e-14);
        }
        sn_vec3 offset = sn_vec3_sub(sn_mat4_point(&a[s], sn_vec3_make(0, 0, 0)), root);
        near_points(sn_mat4_point(&b[s], sn_vec3_make(0, 0, 0)),
                    sn_vec3_add_scaled(root, 1.7, offset), 1e-13);
    }
    end_body(&plain);
    end_body(&scaled);
}

// Translations of a recorded clip replace the places of the skeleton: those from the body without
// proportions are scaled, those from this body are not.
static void scales_recorded_translations(void **state) {
    (void)state;
    body b = make_body("'proportions': {'upper': 2},\n", body_parts);
    for (int recorded_here = 0; recorded_here < 2; ++recorded_here) {
        sn_clip *clip = NULL;
        sn_track *track = NULL;
        sn_motion *motion = NULL;
        double length = recorded_here ? 4 : 2;
        snt_ok(sn_clip_create(b.context, "recorded", 30, 2, &clip, error));
        snt_ok(sn_clip_add_track(clip, SN_TRACK_TRANSLATION, "lower", SN_INTERPOLATION_LINEAR, 1,
                                 &track, error));
        memcpy(track->values, (double[]){length, 0.25, 0}, 3 * sizeof(double));
        track->times[0] = 0;
        if (recorded_here) {
            snt_ok(
                sni_skeleton_copy(b.context, sn_model_skeleton(b.model), &clip->skeleton, error));
        }
        snt_ok(sn_motion_create(b.model, clip, &motion, error));
        snt_ok(sn_frame_evaluate(b.frame, motion, 1, error));
        near_points(sn_frame_locals(b.frame)[2].translation,
                    sn_vec3_make(4, recorded_here ? 0.25 : 0.5, 0), 0);
        sn_motion_destroy(motion);
        sn_clip_destroy(clip);
    }
    end_body(&b);
}

// A clip from a skeleton of other names and lengths is retargeted onto the longer arm: the upper
// arm turns by a right angle, and the lower one stays at its new distance.
static void retargets_onto_other_proportions(void **state) {
    (void)state;
    body b = make_body("'proportions': {'upper': 2},\n", body_parts);
    sn_clip *clip = NULL;
    sn_track *track = NULL;
    sn_motion *motion = NULL;
    snt_ok(sn_clip_create(b.context, "other", 30, 2, &clip, error));
    snt_ok(sn_clip_add_track(clip, SN_TRACK_ROTATION, "upper", SN_INTERPOLATION_LINEAR, 1, &track,
                             error));
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 1);
    memcpy(track->values, (double[]){turn.x, turn.y, turn.z, turn.w}, 4 * sizeof(double));
    track->times[0] = 0;
    snt_ok(sn_clip_add_track(clip, SN_TRACK_TRANSLATION, "other lower", SN_INTERPOLATION_LINEAR, 1,
                             &track, error));
    memcpy(track->values, (double[]){7, 0, 0}, 3 * sizeof(double));
    track->times[0] = 0;
    snt_ok(sni_skeleton_copy(b.context, sn_model_skeleton(b.model), &clip->skeleton, error));
    sni_free(b.context, clip->skeleton.segments[2].name);
    clip->skeleton.segments[2].name = sni_string_copy(b.context, "other lower");
    snt_ok(sn_motion_create(b.model, clip, &motion, error));
    snt_ok(sn_frame_evaluate(b.frame, motion, 0, error));
    const sn_mat4 *worlds = sn_frame_worlds(b.frame);
    snt_near(sn_vec3_distance(sn_mat4_point(&worlds[1], sn_vec3_make(0, 0, 0)),
                              sn_mat4_point(&worlds[2], sn_vec3_make(0, 0, 0))),
             4, 1e-12);
    sn_motion_destroy(motion);
    sn_clip_destroy(clip);
    end_body(&b);
}

// --- Properties

static const char mirrored_body[] =
    "{'sinew': 1, 'name': 'mirrored', 'skeleton': {\n"
    "'root': {'translation': [0, 1, 0]},\n"
    "'upper': {'parent': 'root', 'translation': [-1, 2, 2], 'rotation_deg': [0, -30, 0]},\n"
    "'lower': {'parent': 'upper', 'translation': [-2, 0, 0], 'rest_deg': {'rz': -20}},\n"
    "'head': {'parent': 'root', 'translation': [0, 1, 0], 'rest': {'ty': 0.5}}},\n"
    "'meshes': {'box': {}}, 'proportions': {'upper': 0.8},\n";
static const char mirrored_parts[] =
    "'bones': {'ulna': {'ellipsoid': {'center': [-0.25, 0.5, 0], 'radii': [0.5, 0.125, 0.25],\n"
    "'rotation_deg': [10, -20, -90]}, 'segment': 'lower', 'frame': 'size'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [-1, 0, 0], 'radii': [0.5, 0.4, 0.3],\n"
    "'rotation_deg': [5, -6, -7], 'detail': 3}, 'segment': 'upper'}, 'tail': {'tube':\n"
    "{'points': [[0, 0, 0], [-1, 0.3, 0], [-1, 1, 1]], 'radii': [0.3, [0.2, 0.1], 0.1]},\n"
    "'segment': 'upper', 'frame': 'size'}},\n";
static const char one_side[] =
    "'bones': {'ulna': {'ellipsoid': {'center': [0.25, 0.5, 0], 'radii': [0.5, 0.125, 0.25],\n"
    "'rotation_deg': [10, 20, 90]}, 'segment': 'lower', 'frame': 'size'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [1, 0, 0], 'radii': [0.5, 0.4, 0.3],\n"
    "'rotation_deg': [5, 6, 7], 'detail': 3}, 'segment': 'upper'}, 'tail': {'tube':\n"
    "{'points': [[0, 0, 0], [1, 0.3, 0], [1, 1, 1]], 'radii': [0.3, [0.2, 0.1], 0.1]},\n"
    "'segment': 'upper', 'frame': 'size'}},\n";

static double distance_to_vertices(const float *points, uint32_t count, sn_vec3 point) {
    double least = INFINITY;
    for (uint32_t v = 0; v < count; ++v) {
        least = fmin(least, sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)v), point));
    }
    return least;
}

static void mirrors_with_its_document(void **state) {
    (void)state;
    body left = make_body("'proportions': {'upper': 0.8},\n", one_side);
    char text[4096];
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    snprintf(text, sizeof text, "%s%s%s", mirrored_body, mirrored_parts, body_tail);
    snt_ok(parse_quoted(left.context, "mirrored", text, &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        uint32_t count = sn_model_surface(model, i)->mesh->vertex_count;
        const float *points = sn_frame_points(left.frame, i);
        for (uint32_t v = 0; v < count; ++v) {
            sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
            p.x = -p.x;
            snt_near(distance_to_vertices(sn_frame_points(frame, i), count, p), 0, 2e-6);
        }
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    end_body(&left);
}

// --- Files and memory

// What cloth touches is evaluated also where nobody sees it.
static void moves_hidden_colliders(void **state) {
    (void)state;
    body b =
        make_body("", "'tissues': {'orbit': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]},\n"
                      "'segment': 'head', 'density': -1}, 'hole': {'ellipsoid': {'radii': [0.1,\n"
                      "0.1, 0.1]}, 'segment': 'head', 'density': -1}},\n"
                      "'skins': {'coat': {'mesh': 'box', 'deformers': [{'kind': 'cloth',\n"
                      "'colliders': ['orbit']}]}},\n");
    sn_frame_show_only(b.frame, true);
    snt_ok(sn_frame_set(b.frame, "root.tx", 5, error));
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    near_points(middle_of(&b, "orbit"), sn_vec3_make(5, 2.5, 0), 2e-6);
    near_points(middle_of(&b, "hole"), sn_vec3_make(0, 2.5, 0), 2e-6); // left where it was
    end_body(&b);
}

static bool has_mirror_image(const sn_frame *frame, const char *left) {
    char right[64];
    snprintf(right, sizeof right, "%s", left);
    right[strlen(right) - 1] = 'R';
    const sn_model *model = sn_frame_model(frame);
    uint32_t a = surface_of(model, left), b = surface_of(model, right);
    uint32_t count = sn_model_surface(model, a)->mesh->vertex_count;
    bool same = sn_model_surface(model, b)->mesh->vertex_count == count;
    for (uint32_t v = 0; v < count && same; ++v) {
        sn_vec3 p = sn_vec3_load(sn_frame_points(frame, a) + 3 * (size_t)v);
        same = distance_to_vertices(sn_frame_points(frame, b), count,
                                    sn_vec3_make(-p.x, p.y, p.z)) < 1e-6;
    }
    return same;
}

// The creature of docs/components.md: laid out as sinew writes it, of two equal sides, and playing.
static void makes_the_creature_of_the_docs(void **state) {
    (void)state;
    body b = {.context = snt_context(1)};
    size_t size, written_size;
    char *example = read_bytes(snt_source("docs/creature.sinew.json"), &size), *written = NULL;
    snt_ok(
        sn_character_load(b.context, snt_source("docs/creature.sinew.json"), &b.character, error));
    snt_ok(sn_json_write(sn_character_document(b.character), &written, &written_size, error));
    assert_string_equal(written, example);
    sn_json_free_text(b.context, written);
    free(example);
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(b.model); ++i) {
        const sn_surface *surface = sn_model_surface(b.model, i);
        snt_ok(sni_rest_check_closed(b.model->rest, i, error));
        if (strstr(surface->name, ".L") != NULL) {
            assert_true(has_mirror_image(b.frame, surface->name));
            pairs++;
        }
    }
    assert_int_equal(pairs, 19);
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(b.model, "trot", &motion, error));
    snt_ok(sn_frame_evaluate(b.frame, motion, sn_motion_frame_count(motion) - 1, error));
    sn_motion_destroy(motion);
    end_body(&b);
}

static uint32_t count_written(body *b, bool bones) {
    sn_bake_desc desc = sn_bake_desc_default();
    sn_import *import = NULL;
    desc.bones = bones;
    const char *path = snt_scratch("body.glb");
    snt_ok(sn_bake(b->frame, &desc, path, NULL, error));
    snt_ok(sn_import_file(b->context, path, &import, error));
    uint32_t count = import->mesh_count;
    sn_import_destroy(import);
    return count;
}

// Features go out as skins do, other components with the bones, negative ones never.
static void is_written_with_its_layer(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    assert_int_equal(count_written(&b, false), 1);
    assert_int_equal(count_written(&b, true), 6);
    end_body(&b);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    char text[4096];
    sn_character *character = NULL;
    sn_model *model = NULL;
    snprintf(text, sizeof text, "%s%s%s%s", body_head, all_scaled, one_side, body_tail);
    sn_status status = parse_quoted(context, "body", text, &character, error);
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, error);
    }
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_bones_and_tissues),
        cmocka_unit_test(measures_in_units_of_the_size),
        cmocka_unit_test(measures_tubes_in_units_of_the_size),
        cmocka_unit_test(stands_in_its_frame),
        cmocka_unit_test(is_carried_by_its_segment),
        cmocka_unit_test(scales_about_the_root),
        cmocka_unit_test(lengthens_one_segment),
        cmocka_unit_test(remembers_the_plain_body),
        cmocka_unit_test(plays_the_same_clips),
        cmocka_unit_test(scales_recorded_translations),
        cmocka_unit_test(retargets_onto_other_proportions),
        cmocka_unit_test(mirrors_with_its_document),
        cmocka_unit_test(moves_hidden_colliders),
        cmocka_unit_test(makes_the_creature_of_the_docs),
        cmocka_unit_test(is_written_with_its_layer),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
