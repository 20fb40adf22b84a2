// SPDX-License-Identifier: Apache-2.0
//
// The dog's walk from its document alone: feet that stay where they stand, the order of the feet,
// and an end that meets the beginning.
#include "../eval/toy.h"

#define WALK "examples/motions/dog-walk.sinew.json"

// Frames of a cycle that are looked at: many between any two keys.
enum { FRAMES = 660, FEET = 4 };

static const double cycle = 1.1, stride = 0.6; // seconds, metres

// The ball of the foremost toe, in its segment's frame: the last of a foot that leaves the ground.
static const struct {
    const char *segment;
    sn_vec3 ball;
    double lands; // fraction of the cycle
} feet[FEET] = {{"toe_L", {0, -0.0344, 0.0515}, 0},
                {"finger_L", {0, -0.0272, 0.0486}, 0.25},
                {"toe_R", {0, -0.0344, 0.0515}, 0.5},
                {"finger_R", {0, -0.0272, 0.0486}, 0.75}};

typedef struct walk {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_motion *motion;
} walk;

// A dog of the walk's own skeleton that plays a clip of it at `rate`.
static walk open_walk(const char *clip, double rate) {
    walk w = {.context = snt_context(1)};
    snt_ok(sn_character_load(w.context, snt_source(WALK), &w.character, error));
    sn_json *json = sn_character_document(w.character);
    sn_value *clips = sn_json_find(json, "/clips");
    sn_value *played = sn_json_add_object(json, clips, "played");
    sn_json_add_string(json, played, "file", "dog-walk.sinew.json");
    sn_json_add_string(json, played, "clip", clip);
    sn_json_add_number(json, played, "rate", rate);
    snt_ok(sn_model_create(w.character, NULL, &w.model, error));
    snt_ok(sn_motion_open(w.model, "played", &w.motion, error));
    snt_ok(sn_frame_create(w.model, &w.frame, error));
    return w;
}

static void close_walk(walk *w) {
    sn_frame_destroy(w->frame);
    sn_motion_destroy(w->motion);
    sn_model_destroy(w->model);
    sn_character_destroy(w->character);
    snt_context_end(w->context);
}

static uint32_t find_segment(const walk *w, const char *name) {
    const sn_skeleton *skeleton = sn_model_skeleton(w->model);
    uint32_t found = SN_NONE;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        found = strcmp(skeleton->segments[i].name, name) == 0 ? i : found;
    }
    assert_int_not_equal(found, SN_NONE);
    return found;
}

static sn_vec3 ball_of(const walk *w, int foot) {
    const sn_mat4 *world = &sn_frame_worlds(w->frame)[find_segment(w, feet[foot].segment)];
    return sn_mat4_point(world, feet[foot].ball);
}

static void follow(walk *w, sn_vec3 path[FEET][FRAMES]) {
    for (uint32_t n = 0; n < FRAMES; ++n) {
        snt_ok(sn_frame_evaluate(w->frame, w->motion, n, error));
        for (int foot = 0; foot < FEET; ++foot) {
            path[foot][n] = ball_of(w, foot);
        }
    }
}

// A place of the path at any frame, cycles before and after included.
static sn_vec3 at(const sn_vec3 *path, int frame) {
    int round = frame < 0 ? -1 : frame / FRAMES;
    sn_vec3 p = path[frame - round * FRAMES];
    return sn_vec3_make(p.x, p.y, p.z + round * stride);
}

static void feet_stay_where_they_stand(void **state) {
    (void)state;
    static sn_vec3 path[FEET][FRAMES];
    walk w = open_walk("walk", FRAMES / cycle);
    assert_int_equal(sn_motion_frame_count(w.motion), FRAMES + 1);
    follow(&w, path);
    for (int foot = 0; foot < FEET; ++foot) {
        int first = (int)(feet[foot].lands * FRAMES), last = first + (int)(0.65 * FRAMES);
        sn_vec3 low = at(path[foot], first), high = low;
        for (int n = first; n <= last; ++n) {
            sn_vec3 p = at(path[foot], n);
            low = sn_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = sn_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
        // Less than 1 cm in any direction over the whole stance, and on the ground.
        assert_true(hypot(high.x - low.x, high.z - low.z) < 0.01);
        assert_true(low.y > -0.005 && high.y < 0.01);
        // The swing lifts the foot and carries it by one stride.
        double highest = 0, deepest = 1;
        for (int n = last; n < first + FRAMES; ++n) {
            highest = fmax(highest, at(path[foot], n).y);
            deepest = fmin(deepest, at(path[foot], n).y);
        }
        assert_true(highest > 0.02 && highest < 0.1);
        assert_true(deepest > -0.005);
    }
    close_walk(&w);
}

// When a foot comes to rest, from its way over the ground alone, and for how long it stays, in
// frames: it moves less than a third of what the body does in a 33rd of the cycle.
static void find_stance(const sn_vec3 *path, int *lands, int *stays) {
    const int window = FRAMES / 33;
    const double still = stride / 33 / 3;
    *stays = 0;
    for (int first = 0; first < FRAMES; ++first) {
        int n = 0;
        while (n < FRAMES &&
               sn_vec3_distance(at(path, first + n), at(path, first + n + window)) < still) {
            ++n;
        }
        if (n > *stays) {
            *stays = n;
            *lands = first;
        }
    }
}

static void walks_in_lateral_sequence(void **state) {
    (void)state;
    static sn_vec3 path[FEET][FRAMES];
    walk w = open_walk("walk", FRAMES / cycle);
    follow(&w, path);
    for (int foot = 0; foot < FEET; ++foot) {
        int lands = 0, stays = 0;
        find_stance(path[foot], &lands, &stays);
        double late = (double)lands / FRAMES - feet[foot].lands;
        late -= round(late);
        assert_true(fabs(late) < 0.06);
        assert_true(stays > 0.58 * FRAMES && stays < 0.72 * FRAMES);
    }
    close_walk(&w);
}

// The last frame is the first one, a stride further or on the spot.
static void closes(void **state) {
    (void)state;
    static const struct {
        const char *clip;
        double travel;
    } cases[] = {{"walk", 0.6}, {"walk in place", 0}};
    for (int i = 0; i < 2; ++i) {
        walk w = open_walk(cases[i].clip, 30);
        uint32_t count = sn_model_skeleton(w.model)->segment_count;
        assert_int_equal(count, 61);
        assert_int_equal(sn_motion_frame_count(w.motion), 34);
        sn_mat4 *first = calloc(count, sizeof *first);
        snt_ok(sn_frame_evaluate(w.frame, w.motion, 0, error));
        memcpy(first, sn_frame_worlds(w.frame), count * sizeof *first);
        snt_ok(sn_frame_evaluate(w.frame, w.motion, 33, error));
        for (uint32_t s = 0; s < count; ++s) {
            const sn_mat4 *last = &sn_frame_worlds(w.frame)[s];
            for (int k = 0; k < 16; ++k) {
                snt_near(last->m[k], first[s].m[k] + (k == 14 ? cases[i].travel : 0), 1e-12);
            }
        }
        free(first);
        close_walk(&w);
    }
}

// The right side does what the left one does half a cycle later.
static void is_symmetric(void **state) {
    (void)state;
    static sn_vec3 path[FEET][FRAMES];
    walk w = open_walk("walk", FRAMES / cycle);
    follow(&w, path);
    for (int foot = 0; foot < 2; ++foot) {
        for (int n = 0; n < FRAMES; ++n) {
            sn_vec3 left = at(path[foot], n), right = at(path[foot + 2], n + FRAMES / 2);
            right = sn_vec3_make(-right.x, right.y, right.z - stride / 2);
            // Smooth tracks have another slope at their ends than inside.
            assert_true(sn_vec3_distance(left, right) < 0.01);
        }
    }
    close_walk(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_stay_where_they_stand),
        cmocka_unit_test(walks_in_lateral_sequence),
        cmocka_unit_test(closes),
        cmocka_unit_test(is_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
