// SPDX-License-Identifier: Apache-2.0
//
// The shipped human: what it is made of, that its clips are motions of a body, and that its muscles
// do what anatomy says. The body is made without its skin where that is enough.
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"
#include "sinew/json.h"

#include <math.h>
#include <stdlib.h>

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_motion *motion;
    sn_json *report; // of `motion`
} body;

static void open_body(body *b, bool with_skin) {
    *b = (body){.context = snt_context(2)};
    const char *path = snt_source("examples/human/human.sinew.json");
    snt_ok(sn_character_load(b->context, path, &b->character, error));
    if (!with_skin) {
        sn_json *document = sn_character_document(b->character);
        sn_json_remove(sn_json_find(document, "/skins"));
        sn_json_remove(sn_json_find(document, "/meshes"));
    }
    snt_ok(sn_model_create(b->character, NULL, &b->model, error));
    snt_ok(sn_frame_create(b->model, &b->frame, error));
}

static void close_motion(body *b) {
    sn_json_destroy(b->report);
    sn_motion_destroy(b->motion);
    b->report = NULL;
    b->motion = NULL;
}

static void close_body(body *b) {
    close_motion(b);
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

// Plays every `step`th frame of a clip and keeps what was measured.
static void play(body *b, const char *clip, uint32_t step) {
    sn_report *report = NULL;
    close_motion(b);
    snt_ok(sn_motion_open(b->model, clip, &b->motion, error));
    snt_ok(sn_report_create(b->model, &report, error));
    for (uint32_t i = 0; i < sn_motion_frame_count(b->motion); i += step) {
        snt_ok(sn_frame_evaluate(b->frame, b->motion, i, error));
        snt_ok(sn_report_add(report, b->frame, i, error));
    }
    const char *path = snt_scratch("human.json");
    snt_ok(sn_report_save(report, path, error));
    char *text;
    size_t size;
    snt_ok(sni_file_read(b->context, path, &text, &size, error));
    snt_ok(sn_json_parse(b->context, text, size, &b->report, error));
    sni_free(b->context, text);
    sn_report_destroy(report);
}

static const sn_value *frames_of(const body *b) {
    return sn_value_get(sn_json_root(b->report), "frames");
}

// A figure of a muscle in a played frame.
static double muscle(const body *b, uint32_t frame, const char *name, const char *figure) {
    const sn_value *muscles = sn_value_get(sn_value_at(frames_of(b), frame), "muscles");
    const sn_value *one = sn_value_get(muscles, name);
    assert_non_null(one);
    return sn_value_number(sn_value_get(one, figure), NAN);
}

// Its length in a played frame, in lengths at rest.
static double stretch(const body *b, uint32_t frame, const char *name) {
    return muscle(b, frame, name, "length") / muscle(b, frame, name, "rest_length");
}

static sn_vec3 place_of(const body *b, const char *segment) {
    const sn_skeleton *skeleton = sn_model_skeleton(b->model);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (strcmp(skeleton->segments[i].name, segment) == 0) {
            return sn_mat4_point(&sn_frame_worlds(b->frame)[i], sn_vec3_make(0, 0, 0));
        }
    }
    fail_msg("no segment %s", segment);
    return sn_vec3_make(0, 0, 0);
}

static bool has_side(const char *name, char side) {
    size_t length = strlen(name);
    return length > 2 && name[length - 2] == '.' && name[length - 1] == side;
}

// The lowest point of the bones of a foot in the frame as it stands.
static double sole(const body *b, char side) {
    static const char *const bones[] = {"calcaneus", "metatarsal", "toe"};
    double low = INFINITY;
    for (uint32_t s = 0; s < sn_model_surface_count(b->model); ++s) {
        const sn_surface *surface = sn_model_surface(b->model, s);
        bool foot = false;
        for (int i = 0; i < 3; ++i) {
            foot = foot || strncmp(surface->name, bones[i], strlen(bones[i])) == 0;
        }
        for (uint32_t i = 0;
             foot && has_side(surface->name, side) && i < surface->mesh->vertex_count; ++i) {
            low = fmin(low, sn_frame_points(b->frame, s)[3 * (size_t)i + 1]);
        }
    }
    return low;
}

// ---------------------------------------------------------------------------------------------

static void has_all_its_parts_on_both_sides(void **state) {
    (void)state;
    body b;
    open_body(&b, false);
    uint32_t counts[4] = {0}, sides[4][2] = {{0}};
    for (uint32_t s = 0; s < sn_model_surface_count(b.model); ++s) {
        const sn_surface *surface = sn_model_surface(b.model, s);
        uint32_t layer = surface->layer == SN_LAYER_BONE     ? 0
                         : surface->layer == SN_LAYER_MUSCLE ? 1
                         : surface->feature                  ? 2
                                                             : 3;
        counts[layer]++;
        sides[layer][0] += has_side(surface->name, 'L');
        sides[layer][1] += has_side(surface->name, 'R');
    }
    assert_int_equal(sn_model_skeleton(b.model)->segment_count, 78);
    assert_int_equal(counts[0], 155); // bones
    assert_int_equal(counts[1], 132); // muscles
    assert_int_equal(counts[2], 4);   // eyes and irises
    assert_true(counts[3] > 100);     // other tissue
    for (uint32_t layer = 0; layer < 4; ++layer) {
        assert_int_equal(sides[layer][0], sides[layer][1]);
    }
    assert_int_equal(sides[1][0], 66);
    assert_int_equal(sn_model_clip_count(b.model), 3);
    close_body(&b);
}

// What every book says: the sartorius is the longest muscle, the gluteus maximus the largest; the
// quadriceps has more volume than the hamstrings, and they than the adductors.
static void muscles_are_of_the_sizes_that_anatomy_knows(void **state) {
    static const char *const groups[][4] = {
        {"gluteus maximus upper.L", "gluteus maximus lower.L"},
        {"rectus femoris.L", "vastus lateralis.L", "vastus medialis.L", "vastus intermedius.L"},
        {"biceps femoris.L", "semitendinosus.L", "semimembranosus.L"},
        {"adductor magnus.L", "adductor longus.L", "gracilis.L"},
        {"tibialis anterior.L"}};
    (void)state;
    body b;
    open_body(&b, false);
    play(&b, "curl", 100);
    const sn_value *muscles = sn_value_get(sn_value_at(frames_of(&b), 0), "muscles");
    double volumes[5] = {0}, longest = 0, largest = 0;
    for (int g = 0; g < 5; ++g) {
        for (int k = 0; k < 4 && groups[g][k] != NULL; ++k) {
            volumes[g] += muscle(&b, 0, groups[g][k], "rest_volume");
        }
    }
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        const sn_value *one = sn_value_at(muscles, i);
        longest = fmax(longest, sn_value_number(sn_value_get(one, "rest_length"), 0));
        largest = fmax(largest, sn_value_number(sn_value_get(one, "rest_volume"), 0));
    }
    assert_true(muscle(&b, 0, "sartorius.L", "rest_length") == longest);
    assert_true(longest > 0.55 && longest < 0.7);
    assert_true(volumes[0] > largest);
    assert_true(volumes[1] > volumes[2] && volumes[2] > volumes[3] && volumes[3] > volumes[4]);
    close_body(&b);
}

// The elbow's flexors shorten in the curl, its extensors lengthen, and the volumes stay.
static void biceps_shortens_in_the_curl(void **state) {
    static const char *const flexors[] = {"biceps long head.L", "biceps short head.L",
                                          "brachialis.L", "brachioradialis.L"};
    static const char *const extensors[] = {"triceps long head.L", "triceps lateral head.L",
                                            "triceps medial head.L"};
    (void)state;
    body b;
    open_body(&b, false);
    play(&b, "curl", 1);
    uint32_t top = 23; // 0.77 s: the left forearm is up
    for (int i = 0; i < 4; ++i) {
        assert_true(stretch(&b, top, flexors[i]) < 0.82);
        assert_true(stretch(&b, 0, flexors[i]) > 0.95);
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(stretch(&b, top, extensors[i]) > 1.08);
    }
    // The right arm rests meanwhile, and follows by half of the clip.
    assert_true(stretch(&b, top, "biceps long head.R") > 0.95);
    assert_true(fabs(stretch(&b, top, "biceps long head.L") -
                     stretch(&b, top + 48, "biceps long head.R")) < 0.01);
    close_body(&b);
}

static void volumes_stay_in_every_clip(void **state) {
    (void)state;
    body b;
    open_body(&b, false);
    for (uint32_t c = 0; c < 3; ++c) {
        play(&b, sn_model_clip_name(b.model, c), 2);
        const sn_value *all =
            sn_value_get(sn_value_get(sn_json_root(b.report), "summary"), "all_muscles");
        assert_true(sn_value_number(sn_value_get(all, "largest_volume_change"), 1) < 5e-3);
    }
    close_body(&b);
}

// The run ends as it begins, its right side follows the left by half a cycle, and arms and legs
// swing against each other.
static void run_is_a_cycle_of_two_like_steps(void **state) {
    (void)state;
    body b;
    open_body(&b, false);
    play(&b, "run", 100);
    uint32_t last = sn_motion_frame_count(b.motion) - 1, half = last / 2;
    const sn_skeleton *skeleton = sn_model_skeleton(b.model);
    sn_mat4 *first = calloc(skeleton->segment_count, sizeof *first);
    snt_ok(sn_frame_evaluate(b.frame, b.motion, 0, error));
    memcpy(first, sn_frame_worlds(b.frame), skeleton->segment_count * sizeof *first);
    sn_vec3 foot = place_of(&b, "foot.L"), hand = place_of(&b, "hand.L");
    sn_vec3 other_foot = place_of(&b, "foot.R"), other_hand = place_of(&b, "hand.R");
    assert_true(foot.z > other_foot.z + 0.3 && hand.z < other_hand.z - 0.2);
    snt_ok(sn_frame_evaluate(b.frame, b.motion, last, error));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_vec3 o = {0, 0, 0};
        assert_true(sn_vec3_distance(sn_mat4_point(&first[i], o),
                                     sn_mat4_point(&sn_frame_worlds(b.frame)[i], o)) < 1e-6);
    }
    snt_ok(sn_frame_evaluate(b.frame, b.motion, half, error));
    sn_vec3 pairs[2][2] = {{foot, place_of(&b, "foot.R")}, {hand, place_of(&b, "hand.R")}};
    for (int i = 0; i < 2; ++i) {
        pairs[i][1].x = -pairs[i][1].x;
        assert_true(sn_vec3_distance(pairs[i][0], pairs[i][1]) < 0.01);
    }
    free(first);
    close_body(&b);
}

// Feet stand on the ground by turns, both are above it in between, and none is far below it.
static void run_has_a_flight(void **state) {
    (void)state;
    body b;
    open_body(&b, false);
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    double ground = fmin(sole(&b, 'L'), sole(&b, 'R'));
    play(&b, "run", 100);
    uint32_t flying = 0, standing[2] = {0}, count = sn_motion_frame_count(b.motion);
    for (uint32_t i = 0; i + 1 < count; ++i) {
        snt_ok(sn_frame_evaluate(b.frame, b.motion, i, error));
        double left = sole(&b, 'L') - ground, right = sole(&b, 'R') - ground;
        assert_true(fmin(left, right) > -0.015);
        flying += fmin(left, right) > 0.015;
        standing[0] += left < 0.01;
        standing[1] += right < 0.01;
        assert_false(left < 0.01 && right < 0.01);
    }
    assert_true(flying >= 3 && standing[0] >= 6 && standing[1] >= 6);
    close_body(&b);
}

// Crouch, flight and landing.
static void jump_leaves_the_ground_and_lands(void **state) {
    (void)state;
    body b;
    open_body(&b, false);
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    double ground = fmin(sole(&b, 'L'), sole(&b, 'R')), pelvis = place_of(&b, "pelvis").y;
    play(&b, "jump", 1);
    double lowest = INFINITY, highest = 0, clearance = 0;
    uint32_t count = sn_motion_frame_count(b.motion), low_frame = 0, high_frame = 0;
    for (uint32_t i = 0; i < count; ++i) {
        snt_ok(sn_frame_evaluate(b.frame, b.motion, i, error));
        double y = place_of(&b, "pelvis").y - pelvis, above = sole(&b, 'L') - ground;
        assert_true(above > -0.02);
        clearance = fmax(clearance, above);
        if (y < lowest && i < count / 2) {
            lowest = y, low_frame = i;
        }
        if (y > highest) {
            highest = y, high_frame = i;
        }
        assert_true(i > 18 || above < 0.02); // on the ground until the crouch ends
    }
    assert_true(lowest < -0.18 && highest > 0.2 && clearance > 0.1 && low_frame < high_frame);
    assert_true(fabs(place_of(&b, "pelvis").y - pelvis) < 0.03);
    // The quadriceps is stretched in the crouch, the calf short at take-off.
    assert_true(stretch(&b, low_frame, "vastus lateralis.L") > 1.1);
    assert_true(stretch(&b, 26, "soleus.L") < stretch(&b, low_frame, "soleus.L") - 0.05);
    close_body(&b);
}

static void check_closed(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    assert_true(summary.closed && summary.components == 1);
    sn_topology_destroy(topology);
}

// One closed skin of a standing adult, which stays outside of what it hangs on.
static void skin_covers_the_body(void **state) {
    static const struct {
        const char *clip;
        uint32_t step;
    } plays[] = {{"run", 12}, {"jump", 24}, {"curl", 23}};
    (void)state;
    body b;
    open_body(&b, true);
    const sn_surface *skin = NULL;
    for (uint32_t s = 0; s < sn_model_surface_count(b.model); ++s) {
        const sn_surface *surface = sn_model_surface(b.model, s);
        skin = surface->layer == SN_LAYER_SKIN ? surface : skin;
    }
    assert_non_null(skin);
    sn_vec3 low, high;
    sn_mesh_bounds(skin->mesh, &low, &high);
    double height = high.y - low.y;
    assert_true(height > 1.7 && height < 1.8 && fabs(low.y) < 0.01);
    sn_triangles *triangles = NULL;
    sn_mass mass;
    snt_ok(sn_triangles_create(skin->mesh, skin->mesh->positions, &triangles, error));
    snt_ok(sn_mass_compute(b.context, skin->mesh->positions, triangles->vertices, triangles->count,
                           &mass, error));
    sn_triangles_destroy(triangles);
    assert_true(mass.volume > 0.06 && mass.volume < 0.08); // 60 to 80 kg
    assert_true(fabs(mass.centroid.x) < 1e-3);
    check_closed(skin->mesh);
    for (int i = 0; i < 3; ++i) {
        play(&b, plays[i].clip, plays[i].step);
        const sn_value *summary = sn_value_get(sn_json_root(b.report), "summary");
        const sn_value *depth = sn_value_get(sn_value_get(summary, "contact"), "skin");
        assert_true(sn_value_number(sn_value_get(depth, "depth"), 1) < 0.01 * height);
    }
    close_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_all_its_parts_on_both_sides),
        cmocka_unit_test(muscles_are_of_the_sizes_that_anatomy_knows),
        cmocka_unit_test(biceps_shortens_in_the_curl),
        cmocka_unit_test(volumes_stay_in_every_clip),
        cmocka_unit_test(run_is_a_cycle_of_two_like_steps),
        cmocka_unit_test(run_has_a_flight),
        cmocka_unit_test(jump_leaves_the_ground_and_lands),
        cmocka_unit_test(skin_covers_the_body),
    };
    return cmocka_run_group_tests_name("scenes/human", tests, NULL, NULL);
}
