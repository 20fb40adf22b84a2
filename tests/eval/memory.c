// SPDX-License-Identifier: Apache-2.0
//
// Deformers with memory: frame n is that of the whole run, however one gets there.
#include "toy.h"

#include "eval/frame.h"
#include "sinew/live.h"

// A deformer whose state is a point that chases the first control and never forgets: each frame
// adds what it sees, weighted by the frame's own number, so that a step that is missed, repeated or
// out of order shows.
typedef struct memory {
    double sum;
    double last_time;
    uint32_t steps;
} memory;

static uint32_t step_count; // steps taken by the process, to see what a frame costs

static sn_status memory_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    *bound = sni_alloc(job->context, 1, 1);
    return *bound != NULL ? SN_OK : sni_fail_memory(error);
}

static void memory_unbind(sn_context *context, void *bound) {
    sni_free(context, bound);
}

static size_t memory_bytes(const void *bound) {
    (void)bound;
    return 1;
}

static size_t memory_state_bytes(const void *bound) {
    (void)bound;
    return sizeof(memory);
}

static void memory_reset(const void *bound, const sni_deform_job *job) {
    (void)bound;
    memory *m = job->state;
    *m = (memory){.sum = job->points_in[0], .last_time = job->time};
}

static sn_status memory_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    (void)bound;
    (void)error;
    memory *m = job->state;
    if (job->time_step > 0) { // each step follows the one before
        assert_true(fabs(m->last_time + job->time_step - job->time) < 1e-9);
    }
    m->sum = 0.9 * m->sum + (job->controls[0] + 0.1) * sin(job->time + 1) + job->time_step;
    m->last_time = job->time;
    m->steps++;
    step_count++;
    for (size_t i = 0; i < 3 * (size_t)job->vertex_count; ++i) {
        job->points_out[i] = job->points_in[i] + (float)m->sum;
    }
    return SN_OK;
}

static const sni_deformer_ops memory_ops = {
    .name = "memory",
    .help = "Remembers",
    .bind = memory_bind,
    .unbind = memory_unbind,
    .deform = memory_deform,
    .bytes = memory_bytes,
    .state_bytes = memory_state_bytes,
    .state_reset = memory_reset,
};

// The kinds of this program.
const sni_deformer_ops *const sni_deformer_kinds[] = {
    &sni_deformer_blend, &sni_deformer_morph,    &sni_deformer_wrap, &sni_deformer_falloff,
    &sni_deformer_cloth, &sni_deformer_membrane, &memory_ops,        NULL,
};

// Adds one behind the deformers of a skin.
static void add_memory(sn_character *character, const char *skin) {
    sn_json *json = sn_character_document(character);
    char path[64];
    snprintf(path, sizeof path, "/skins/%s", skin);
    sn_value *object = sn_json_find(json, path);
    sn_value *list = (sn_value *)sn_value_get(object, "deformers");
    list = list != NULL ? list : sn_json_add_array(json, object, "deformers");
    sn_value *added = sn_json_add_object(json, list, NULL);
    assert_non_null(sn_json_add_string(json, added, "kind", "memory"));
}

static toy make(uint32_t threads) {
    toy t = {.context = snt_context(threads)};
    t.character = toy_with(t.context, TOY_ALL);
    // Two of them, on a surface that drives another and on that one.
    add_memory(t.character, "body");
    add_memory(t.character, "coat");
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    snt_ok(sn_motion_open(t.model, "move", &t.motion, error));
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

static uint64_t hash_at(sn_frame *frame, const sn_motion *motion, uint32_t number) {
    snt_ok(sn_frame_evaluate(frame, motion, number, error));
    return hash_frame(frame);
}

static void follows_its_own_formula(void **state) {
    (void)state;
    toy t = make(1);
    assert_true(sn_frame_state_bytes(t.frame) >= 2 * sizeof(memory));
    double sum = 0;
    for (uint32_t n = 0; n <= 20; ++n) {
        snt_ok(sn_frame_evaluate(t.frame, t.motion, n, error));
        double time = n / 24.0, smile = 2 * time / 3;
        if (n == 0) {
            sum = 0.2; // x of the first point at rest: reset before the first step
        }
        sum = 0.9 * sum + (smile + 0.1) * sin(time + 1) + (n > 0 ? 1 / 24.0 : 0);
    }
    toy plain = toy_make(1, TOY_ALL);
    snt_ok(sn_frame_evaluate(plain.frame, plain.motion, 20, error));
    const float *with = points_of(t.frame, "body"), *without = points_of(plain.frame, "body");
    for (size_t i = 0; i < 3 * TOY_VERTICES; ++i) {
        snt_near(with[i] - without[i], sum, 1e-6);
    }
    toy_end(&plain);
    toy_end(&t);
}

static void gives_frame_200_by_any_way(void **state) {
    (void)state;
    toy t = make(1);
    uint64_t expected[240];
    for (uint32_t n = 0; n < 240; ++n) { // the whole run
        expected[n] = hash_at(t.frame, t.motion, n);
    }
    assert_true(expected[200] != expected[199]);
    // Scrubbing backwards, forwards with gaps, and about.
    for (uint32_t n = 240; n-- > 150;) {
        assert_true(hash_at(t.frame, t.motion, n) == expected[n]);
    }
    snt_random random = {.state = 7};
    for (int i = 0; i < 60; ++i) {
        uint32_t n = snt_random_u32(&random) % 240;
        assert_true(hash_at(t.frame, t.motion, n) == expected[n]);
    }
    assert_true(hash_at(t.frame, t.motion, 200) == expected[200]);
    assert_true(hash_at(t.frame, t.motion, 200) == expected[200]); // the same frame again
    // The rest pose in between is a state of its own.
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 199, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    assert_true(hash_at(t.frame, t.motion, 200) == expected[200]);
    // Straight, in a new frame, and with other numbers of threads.
    sn_frame *fresh;
    snt_ok(sn_frame_create(t.model, &fresh, error));
    assert_true(hash_at(fresh, t.motion, 200) == expected[200]);
    sn_frame_destroy(fresh);
    for (uint32_t threads = 2; threads <= 8; threads *= 2) {
        toy other = make(threads);
        assert_true(hash_at(other.frame, other.motion, 200) == expected[200]);
        toy_end(&other);
    }
    toy_end(&t);
}

// One step at a time, with a look around in between, is the same way.
static void goes_step_by_step(void **state) {
    (void)state;
    toy t = make(1), other = make(1);
    static const uint32_t numbers[] = {200, 70, 71, 71, 5, 130, 239, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        step_count = 0;
        uint64_t expected = hash_at(t.frame, t.motion, numbers[i]), reached = 0;
        uint32_t steps = step_count, next = SN_NONE;
        step_count = 0;
        while (next != numbers[i]) {
            next = sn_frame_next_step(other.frame, other.motion, numbers[i]);
            assert_true(next <= numbers[i]);
            reached = hash_at(other.frame, other.motion, next);
        }
        assert_true(reached == expected);
        assert_int_equal(step_count, steps);
    }
    assert_int_equal(sn_frame_next_step(t.frame, NULL, 7), 7);
    snt_ok(sn_frame_set(t.frame, "smile", 1.5, error));
    assert_int_equal(sn_frame_next_step(t.frame, t.motion, 7), 0); // the run begins anew
    toy_end(&t);
    toy_end(&other);
}

static void takes_up_a_saved_state(void **state) {
    (void)state;
    toy t = make(1);
    uint64_t expected = hash_at(t.frame, t.motion, 200);
    snt_ok(sn_frame_evaluate(t.frame, t.motion, 150, error));
    void *saved = malloc(sn_frame_state_bytes(t.frame));
    sn_frame_save(t.frame, saved);
    sn_frame *other;
    snt_ok(sn_frame_create(t.model, &other, error));
    snt_ok(sn_frame_evaluate(other, t.motion, 3, error));
    snt_ok(sn_frame_restore(other, t.motion, saved, sn_frame_state_bytes(other), error));
    step_count = 0;
    assert_true(hash_at(other, t.motion, 200) == expected);
    assert_int_equal(step_count, 2 * 50); // two deformers, from 151 on
    // Before the restored frame it starts again, and comes to the same.
    assert_true(hash_at(other, t.motion, 200) == expected);
    uint64_t at_100 = hash_at(other, t.motion, 100);
    assert_true(hash_at(t.frame, t.motion, 100) == at_100);
    free(saved);
    sn_frame_destroy(other);
    toy_end(&t);
}

static void steps_no_further_than_it_must(void **state) {
    (void)state;
    toy t = make(1);
    step_count = 0;
    hash_at(t.frame, t.motion, 200);
    assert_int_equal(step_count, 2 * 201);
    step_count = 0;
    hash_at(t.frame, t.motion, 201);
    assert_int_equal(step_count, 2); // on from where it is
    step_count = 0;
    hash_at(t.frame, t.motion, 190);
    assert_true(step_count <= 2 * 32); // back: from the nearest checkpoint
    step_count = 0;
    hash_at(t.frame, t.motion, 5);
    assert_true(step_count <= 2 * 32);
    // Checkpoints below a restored state are kept as well, once they are reached.
    void *saved = malloc(sn_frame_state_bytes(t.frame));
    hash_at(t.frame, t.motion, 100);
    sn_frame_save(t.frame, saved);
    sn_frame *other;
    snt_ok(sn_frame_create(t.model, &other, error));
    snt_ok(sn_frame_restore(other, t.motion, saved, sn_frame_state_bytes(other), error));
    hash_at(other, t.motion, 140);
    hash_at(other, t.motion, 90);
    step_count = 0;
    uint64_t at_80 = hash_at(other, t.motion, 80);
    assert_true(step_count <= 2 * 32);
    assert_true(at_80 == hash_at(t.frame, t.motion, 80));
    free(saved);
    sn_frame_destroy(other);
    toy_end(&t);
}

static void forgets_when_a_value_is_set(void **state) {
    (void)state;
    toy t = make(1), other = make(1);
    hash_at(t.frame, t.motion, 120);
    snt_ok(sn_frame_set(t.frame, "smile", 1.5, error));
    snt_ok(sn_frame_set(other.frame, "smile", 1.5, error));
    step_count = 0;
    uint64_t held = hash_at(t.frame, t.motion, 121);
    assert_int_equal(step_count, 2 * 122); // from the start: the value held all along
    assert_true(held == hash_at(other.frame, other.motion, 121));
    sn_frame_clear(t.frame);
    sn_frame_clear(other.frame);
    uint64_t free_again = hash_at(t.frame, t.motion, 121);
    assert_true(free_again != held);
    assert_true(free_again == hash_at(other.frame, other.motion, 121));
    // A value that is refused changes nothing.
    step_count = 0;
    assert_int_equal(sn_frame_set(t.frame, "smile", 99, NULL), SN_INVALID);
    hash_at(t.frame, t.motion, 122);
    assert_int_equal(step_count, 2);
    toy_end(&t);
    toy_end(&other);
}

static void keeps_motions_apart(void **state) {
    (void)state;
    toy t = make(1);
    sn_motion *again;
    uint64_t expected = hash_at(t.frame, t.motion, 40);
    hash_at(t.frame, t.motion, 39);
    snt_ok(sn_motion_open(t.model, "move", &again, error));
    step_count = 0;
    assert_true(hash_at(t.frame, again, 40) == expected); // another motion: from its start
    assert_int_equal(step_count, 2 * 41);
    // A motion that takes the memory of one that is gone is another one still.
    sn_motion_destroy(again);
    snt_ok(sn_motion_open(t.model, "move", &again, error));
    step_count = 0;
    assert_true(hash_at(t.frame, again, 41) != expected);
    assert_int_equal(step_count, 2 * 42);
    sn_motion_destroy(again);
    toy_end(&t);
}

// A step with the pose of a frame of the motion.
static uint64_t step_live(sn_frame *frame, toy *t, uint32_t number, double dt) {
    sn_pose_desc pose = sn_pose_desc_default();
    snt_ok(sn_frame_evaluate(t->frame, t->motion, number, error));
    pose.segment_count = sn_model_skeleton(t->model)->segment_count;
    pose.transforms = sn_frame_locals(t->frame);
    pose.joint_parameters = sn_frame_joint_parameters(t->frame);
    pose.control_count = sn_model_control_count(t->model);
    pose.controls = sn_frame_controls(t->frame);
    pose.complete = true;
    snt_ok(sn_frame_set_pose(frame, &pose, error));
    snt_ok(sn_frame_step(frame, dt, error));
    return hash_frame(frame);
}

static void goes_on_live(void **state) {
    (void)state;
    toy t = make(1);
    sn_frame *live;
    snt_ok(sn_frame_create(t.model, &live, error));
    for (uint32_t n = 0; n < 100; ++n) {
        assert_true(step_live(live, &t, n, 1 / 24.0) == hash_frame(t.frame));
    }
    // The motion's own frames in between are a run of their own, and end this one.
    uint64_t expected = hash_at(t.frame, t.motion, 100);
    assert_true(hash_at(live, t.motion, 100) == expected);
    assert_true(step_live(live, &t, 0, 5) == hash_at(t.frame, t.motion, 0));
    // Any time may pass, and values may be held meanwhile: the run goes on.
    snt_random random = {.state = 3};
    for (uint32_t n = 1; n < 40; ++n) {
        snt_ok(sn_frame_set(live, "smile", 0.01 * n, error));
        step_live(live, &t, n, n % 5 == 0 ? 0 : snt_random_range(&random, 0.001, 1.5));
    }
    // A pose that is out of reach fails before any simulation moves.
    double time = sn_frame_time(live);
    snt_ok(sn_frame_set(live, "root.tx", 1e300, error));
    snt_fails(SN_INVALID, "too large", sn_frame_step(live, 0.1, error));
    sn_frame_clear(live);
    step_live(live, &t, 7, 0.1);
    assert_true(sn_frame_time(live) > time);
    sn_frame_destroy(live);
    toy_end(&t);
}

static const memory *memory_of(const sn_frame *frame, const char *surface) {
    const sni_bound_surface *bound = &frame->model->bound[surface_of(frame->model, surface)];
    const sni_bound_deformer *last = &bound->deformers[bound->deformer_count - 1];
    return (const memory *)(const void *)(frame->states + last->state_offset);
}

// What was left out begins anew; what was not goes on. So it is with a state from there.
static void begins_anew_what_was_left_out(void **state) {
    (void)state;
    toy t = make(1);
    sn_frame *live;
    uint32_t body = surface_of(t.model, "body");
    snt_ok(sn_frame_create(t.model, &live, error));
    uint8_t *saved = malloc(sn_frame_state_bytes(live));
    for (uint32_t n = 0; n < 20; ++n) {
        step_live(live, &t, n, 0.1);
    }
    snt_ok(sn_frame_select(live, &body, 1, error));
    for (uint32_t n = 20; n < 30; ++n) {
        step_live(live, &t, n, 0.1);
    }
    assert_int_equal(memory_of(live, "body")->steps, 30);
    assert_int_equal(memory_of(live, "coat")->steps, 20);
    sn_frame_save(live, saved);
    sn_frame_show_only(live, false);
    uint64_t expected = step_live(live, &t, 30, 0.1);
    assert_int_equal(memory_of(live, "body")->steps, 31);
    assert_int_equal(memory_of(live, "coat")->steps, 1);
    snt_ok(sn_frame_restore(live, NULL, saved, sn_frame_state_bytes(live), error));
    assert_true(step_live(live, &t, 30, 0.1) == expected);
    free(saved);
    sn_frame_destroy(live);
    toy_end(&t);
}

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, "a",
                        "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}}, 'meshes': {'m': {}},"
                        "'skins': {'m': {'mesh': 'm', 'segment': 's',"
                        "'deformers': [{'kind': 'memory'}]}}, 'controls': {'c': {}},"
                        "'clips': {'go': {'frames': 70, 'tracks': {'c': {'keys': [[0, 1]]}}}}}",
                        &character, error));
    SN_TRY(sn_mesh_create(context, "m", 3, 0, 0, &mesh, error));
    memset(mesh->positions, 0, 9 * sizeof(float));
    SN_TRY(sn_character_give_mesh(character, "m", mesh, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_motion_open(model, "go", &motion, error));
    SN_TRY(sn_frame_create(model, &frame, error));
    SN_TRY(sn_frame_set(frame, "s.tx", 1, error));
    SN_TRY(sn_frame_evaluate(frame, motion, 69, error));
cleanup:
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(run_out, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_its_own_formula),
        cmocka_unit_test(gives_frame_200_by_any_way),
        cmocka_unit_test(goes_step_by_step),
        cmocka_unit_test(takes_up_a_saved_state),
        cmocka_unit_test(steps_no_further_than_it_must),
        cmocka_unit_test(forgets_when_a_value_is_set),
        cmocka_unit_test(keeps_motions_apart),
        cmocka_unit_test(goes_on_live),
        cmocka_unit_test(begins_anew_what_was_left_out),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
