// SPDX-License-Identifier: Apache-2.0
//
// Shipped characters driven live: the same bits as their clips, by any way of saving and restoring,
// and nothing allocated once they run.
#include "body.h"

#include "sinew/live.h"

#include <stdlib.h>

#define ARM "examples/arm/arm.sinew.json"
#define CLOTH "examples/cloth/cloth.sinew.json"
#define REX "examples/rex/rex.sinew.json"
#define THIGHS "examples/thighs/thighs.sinew.json"

enum { STEPS = 1000, CLOTH_STEPS = 200, WARM = 10 };

// Which skin a body has that is extracted: one that a test of seconds can use, or its own.
typedef enum skin_size { COARSE_SKIN, WHOLE_SKIN } skin_size;

// The poses and results of a clip, frame by frame.
typedef struct recording {
    uint32_t count; // frames
    double step;    // seconds between them
    uint32_t segment_count, control_count;
    sn_transform *locals;
    sn_mat4 *worlds;
    double *parameters, *controls;
    uint64_t *hashes;
} recording;

typedef struct player {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame, *live, *other; // of the clip, and two that are stepped
    recording clip;
} player;

static void record(player *p, uint32_t most) {
    recording *r = &p->clip;
    uint32_t count = sn_motion_frame_count(p->motion);
    r->count = count < most ? count : most;
    r->step = 1 / sn_motion_rate(p->motion);
    r->segment_count = sn_model_skeleton(p->model)->segment_count;
    r->control_count = sn_model_control_count(p->model);
    size_t segments = r->segment_count, controls = r->control_count;
    r->locals = malloc(r->count * segments * sizeof *r->locals + 1);
    r->worlds = malloc(r->count * segments * sizeof *r->worlds + 1);
    r->parameters = malloc(r->count * segments * 9 * sizeof *r->parameters + 1);
    r->controls = malloc(r->count * controls * sizeof *r->controls + 1);
    r->hashes = malloc(r->count * sizeof *r->hashes + 1);
    for (uint32_t n = 0; n < r->count; ++n) {
        snt_ok(sn_frame_evaluate(p->frame, p->motion, n, error));
        memcpy(r->locals + n * segments, sn_frame_locals(p->frame), segments * sizeof *r->locals);
        memcpy(r->worlds + n * segments, sn_frame_worlds(p->frame), segments * sizeof *r->worlds);
        memcpy(r->parameters + n * segments * 9, sn_frame_joint_parameters(p->frame),
               segments * 9 * sizeof *r->parameters);
        memcpy(r->controls + n * controls, sn_frame_controls(p->frame),
               controls * sizeof *r->controls);
        r->hashes[n] = hash_frame(p->frame);
    }
}

static player open(const char *document, const char *clip, uint32_t most, skin_size size) {
    player p = {.context = snt_context(2)};
    p.character = load_body(p.context, document);
    if (size == COARSE_SKIN &&
        sn_json_find(sn_character_document(p.character), "/meshes/skin/extract") != NULL) {
        coarsen(p.character, 60, 1.5);
    }
    snt_ok(sn_model_create(p.character, NULL, &p.model, error));
    snt_ok(sn_motion_open(p.model, clip, &p.motion, error));
    snt_ok(sn_frame_create(p.model, &p.frame, error));
    snt_ok(sn_frame_create(p.model, &p.live, error));
    snt_ok(sn_frame_create(p.model, &p.other, error));
    record(&p, most);
    return p;
}

static void close(player *p) {
    free(p->clip.locals);
    free(p->clip.worlds);
    free(p->clip.parameters);
    free(p->clip.controls);
    free(p->clip.hashes);
    sn_frame_destroy(p->frame);
    sn_frame_destroy(p->live);
    sn_frame_destroy(p->other);
    sn_motion_destroy(p->motion);
    sn_model_destroy(p->model);
    sn_character_destroy(p->character);
    snt_context_end(p->context);
}

// The pose of a frame in the form that keeps all bits.
static sn_pose_desc exact_pose(const recording *r, uint32_t n) {
    size_t segments = r->segment_count;
    sn_pose_desc pose = sn_pose_desc_default();
    pose.segment_count = r->segment_count;
    pose.control_count = r->control_count;
    pose.transforms = r->locals + n * segments;
    pose.joint_parameters = r->parameters + n * segments * 9;
    pose.controls = r->controls + n * (size_t)r->control_count;
    pose.complete = true;
    return pose;
}

static void step_by(player *p, sn_frame *frame, uint32_t n, double dt) {
    sn_pose_desc pose = exact_pose(&p->clip, n);
    snt_ok(sn_frame_set_pose(frame, &pose, error));
    snt_ok(sn_frame_step(frame, dt, error));
}

static void step_to(player *p, sn_frame *frame, uint32_t n) {
    step_by(p, frame, n, p->clip.step);
}

static void gives_the_bits_of_the_clip(player *p) {
    for (uint32_t n = 0; n < p->clip.count; ++n) {
        step_to(p, p->live, n);
        assert_true(hash_frame(p->live) == p->clip.hashes[n]);
    }
    sn_frame_reset(p->live);
    step_to(p, p->live, 0);
    assert_true(hash_frame(p->live) == p->clip.hashes[0]);
}

// The state after each frame of the clip: two of three from live steps, the third from the clip.
static uint8_t *save_all(player *p, size_t size) {
    uint8_t *saved = malloc(p->clip.count * size);
    assert_non_null(saved);
    sn_frame_reset(p->live);
    for (uint32_t n = 0; n < p->clip.count; ++n) {
        bool by_clip = n % 3 == 1;
        step_to(p, p->live, n);
        if (by_clip) {
            snt_ok(sn_frame_evaluate(p->frame, p->motion, n, error));
        }
        sn_frame_save(by_clip ? p->frame : p->live, saved + n * size);
    }
    return saved;
}

// 0 to count - 1 in an order that follows from the seed (Fisher and Yates).
static uint32_t *shuffled(uint32_t count, snt_random *random) {
    uint32_t *order = malloc(count * sizeof *order + 1);
    assert_non_null(order);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = snt_random_u32(random) % (i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

// Every state is taken up once, in no order and by one of two frames, and stepped on; those of the
// clip are also played on by the clip.
static void saves_and_restores_in_any_order(player *p) {
    size_t size = sn_frame_state_bytes(p->live);
    uint8_t *saved = save_all(p, size);
    snt_random random = {.state = 5};
    uint32_t *order = shuffled(p->clip.count, &random);
    for (uint32_t i = 0; i < p->clip.count; ++i) {
        uint32_t from = order[i], end = from + 1 + snt_random_u32(&random) % 3;
        sn_frame *frame = snt_random_u32(&random) % 2 == 0 ? p->live : p->other;
        snt_ok(sn_frame_restore(frame, NULL, saved + from * size, size, error));
        for (uint32_t n = from + 1; n <= end && n < p->clip.count; ++n) {
            step_to(p, frame, n);
            assert_true(hash_frame(frame) == p->clip.hashes[n]);
        }
        if (from % 3 == 1 && from + 1 < p->clip.count) {
            snt_ok(sn_frame_restore(p->frame, p->motion, saved + from * size, size, error));
            snt_ok(sn_frame_evaluate(p->frame, p->motion, from + 1, error));
            assert_true(hash_frame(p->frame) == p->clip.hashes[from + 1]);
        }
    }
    free(order);
    free(saved);
}

static double largest_difference(const player *p) {
    double largest = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(p->model); ++i) {
        const float *a = sn_frame_points(p->frame, i), *b = sn_frame_points(p->live, i);
        for (size_t k = 0; k < 3 * (size_t)sn_model_surface(p->model, i)->mesh->vertex_count; ++k) {
            largest = fmax(largest, fabs((double)a[k] - b[k]));
        }
    }
    return largest;
}

// The convenient form: matrices in the world, without joint parameters.
static void follows_world_matrices(player *p, double tolerance) {
    const recording *r = &p->clip;
    sn_frame_reset(p->live);
    for (uint32_t n = 0; n < r->count; ++n) {
        sn_pose_desc pose = exact_pose(r, n);
        pose.transforms = r->worlds + n * (size_t)r->segment_count;
        pose.joint_parameters = NULL;
        pose.format = SN_POSE_MATRIX;
        pose.world = true;
        snt_ok(sn_frame_evaluate(p->frame, p->motion, n, error));
        snt_ok(sn_frame_set_pose(p->live, &pose, error));
        snt_ok(sn_frame_step(p->live, r->step, error));
        snt_near(largest_difference(p), 0, tolerance);
    }
}

// In small steps, which cost cloth less.
static void allocates_nothing(player *p, uint32_t steps) {
    uint32_t skin = SN_NONE, count = p->clip.count;
    for (uint32_t i = 0; i < sn_model_surface_count(p->model); ++i) {
        skin = sn_model_surface(p->model, i)->layer == SN_LAYER_SKIN ? i : skin;
    }
    float *out = malloc(8 * sizeof(float) * sn_model_surface(p->model, skin)->mesh->vertex_count);
    size_t allocations = 0;
    sn_frame_reset(p->live);
    for (uint32_t i = 0; i < steps; ++i) {
        uint32_t n = i % (2 * count - 1); // forth and back
        step_by(p, p->live, n < count ? n : 2 * count - 2 - n, p->clip.step / 10);
        snt_ok(sn_frame_copy_points(p->live, skin, out, 32, error));
        if (i % 50 == 0) {
            snt_ok(sn_frame_copy_normals(p->live, skin, out + 4, 32, error));
        }
        allocations = i < WARM ? sn_context_allocations(p->context) : allocations;
    }
    assert_int_equal(sn_context_allocations(p->context), allocations);
    free(out);
}

static void drive_player(player *p, double tolerance, uint32_t steps) {
    gives_the_bits_of_the_clip(p);
    saves_and_restores_in_any_order(p);
    follows_world_matrices(p, tolerance);
    allocates_nothing(p, steps);
    close(p);
}

static void drive(const char *document, const char *clip, uint32_t most, double tolerance) {
    player p = open(document, clip, most, COARSE_SKIN);
    drive_player(&p, tolerance, STEPS);
}

// With the skin that is shipped, all frames.
static void drive_whole(const char *document, const char *clip, double tolerance) {
    if (!snt_thorough()) {
        return;
    }
    player p = open(document, clip, UINT32_MAX, WHOLE_SKIN);
    drive_player(&p, tolerance, STEPS);
}

static void arm(void **state) {
    (void)state;
    drive(ARM, "curl", 61, 1e-6);
    drive(ARM, "shake", 46, 1e-6);
}

static void cloth(void **state) {
    (void)state;
    bool whole = snt_thorough(); // a step of cloth costs as much as a body's
    player p = open(CLOTH, "drape", whole ? 40 : 12, COARSE_SKIN);
    drive_player(&p, 0, whole ? STEPS : CLOTH_STEPS);
}

static void rex(void **state) {
    (void)state;
    drive(REX, "jaw", 40, 1e-6);
}

static void thighs(void **state) {
    (void)state;
    drive(THIGHS, "spread", 31, 1e-6);
}

// Where skin is compressed, an elastic one makes more of roundings (see relax_plainly).
static void human(void **state) {
    (void)state;
    drive(HUMAN, "run", 12, 1e-5);
    drive_whole(HUMAN, "run", 1e-5);
}

static void monkey(void **state) {
    (void)state;
    drive(MONKEY, "walk", 12, 1e-5);
    drive_whole(MONKEY, "walk", 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm),    cmocka_unit_test(cloth), cmocka_unit_test(rex),
        cmocka_unit_test(thighs), cmocka_unit_test(human), cmocka_unit_test(monkey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
