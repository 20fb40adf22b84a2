// SPDX-License-Identifier: Apache-2.0
//
// Rigid bodies that joints, ligaments and surfaces hold.
#include "test.h"

#include "geometry/interior.h"
#include "solver/rigid.h"

#include <math.h>

static const double step = 1.0 / 240;

static sni_rigid_body box(double mass, double x, double y, double z) {
    return (sni_rigid_body){.mass = mass,
                            .inertia = {mass * (y * y + z * z) / 12, 0, 0, 0,
                                        mass * (x * x + z * z) / 12, 0, 0, 0,
                                        mass * (x * x + y * y) / 12}};
}

typedef struct setting {
    sn_context *context;
    sni_arena arena;
    sni_rigid *rigid;
    sni_rigid_job job;
    sni_rigid_watch *watch;
} setting;

static setting set_up(sn_context *context, const sni_rigid_desc *desc) {
    setting s = {.context = context};
    sni_arena_init(&s.arena, s.context);
    snt_ok(sni_rigid_create(s.context, desc, &s.rigid, error));
    snt_ok(sni_rigid_watch_create(s.rigid, &s.watch, error));
    s.job.watch = s.watch;
    return s;
}

static void tear_down(setting *s) {
    sni_rigid_watch_destroy(s->watch);
    sni_rigid_destroy(s->rigid);
    sni_arena_deinit(&s->arena);
    snt_context_end(s->context);
}

static void steps(setting *s, int count, sni_rigid_state *states, sni_rigid_results *results) {
    s->job.arena = &s->arena;
    for (int i = 0; i < count; ++i) {
        assert_int_equal(sni_rigid_step(s->rigid, &s->job, step, states, results), SNI_RIGID_DONE);
    }
}

// A joint that holds a point in all directions.
static sni_rigid_joint ball_joint(sn_vec3 point) {
    return (sni_rigid_joint){.on = SN_NONE,
                             .point = point,
                             .forward = {0, 0, 1},
                             .up = {0, 1, 0},
                             .stiffness = 1e8,
                             .capsule_stiffness = 1e8};
}

// A bar on a pin swings with the period of a compound pendulum, 2 pi sqrt(I / (m g l)).
static void a_pendulum_has_its_period(void **state) {
    (void)state;
    sni_rigid_body body = box(1, 0.02, 0.4, 0.02);
    sni_rigid_joint joint = ball_joint(sn_vec3_make(0, 0.2, 0));
    setting s = set_up(
        snt_context(1),
        &(sni_rigid_desc){.body_count = 1, .bodies = &body, .joint_count = 1, .joints = &joint});
    s.job.gravity = sn_vec3_make(0, -9.81, 0);
    sni_rigid_state now = sni_rigid_at_rest(s.rigid, 0);
    double start = 0.05, about = body.inertia[0] + 0.2 * 0.2;
    now.turn = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), start);
    now.center = sn_vec3_sub(joint.point, sn_quat_rotate(now.turn, joint.point));
    double period = 2 * SN_PI * sqrt(about / (9.81 * 0.2)), before = 0, crossed = 0;
    int crossings = 0;
    for (int i = 0; i < 2400; ++i) {
        double was = now.center.z;
        steps(&s, 1, &now, NULL);
        if (was < 0 && now.center.z >= 0) {
            double at = (i + was / (was - now.center.z)) * step;
            crossed = crossings > 0 ? at : crossed;
            before = crossings++ == 0 ? at : before;
        }
    }
    snt_near((crossed - before) / (crossings - 1), period, 0.01 * period);
    tear_down(&s);
}

// Pushed forward, a point slides down its path; at the end of it it is stopped.
static void a_joint_slides_along_its_path(void **state) {
    (void)state;
    sni_rigid_body body = box(0.2, 0.1, 0.1, 0.1);
    sni_rigid_joint joints[2];
    for (int i = 0; i < 2; ++i) {
        joints[i] = (sni_rigid_joint){.on = SN_NONE,
                                      .point = {i == 0 ? 0.05 : -0.05, 0, 0},
                                      .forward = {0, 0, 1},
                                      .up = {0, 1, 0},
                                      .slope = 0.8,
                                      .end_slope = 0.1,
                                      .travel = 0.012,
                                      .back = 0.001,
                                      .stiffness = 1e7,
                                      .capsule_stiffness = 1e7};
    }
    setting s = set_up(
        snt_context(1),
        &(sni_rigid_desc){.body_count = 1, .bodies = &body, .joint_count = 2, .joints = joints});
    sni_rigid_joint_result found[2];
    sni_rigid_results results = {.joints = found};
    sni_rigid_state now;
    s.job.arena = &s.arena;
    // A path falls by as much at any place as it should, whatever presses the body against it.
    sni_rigid_load load = {.force = {0, 10, 30}};
    s.job.loads = &load;
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, &results), SNI_RIGID_DONE);
    snt_near(found[0].travel, 0.012, 1e-5);
    snt_near(found[1].travel, 0.012, 1e-5);
    snt_near(now.center.y, -(0.8 + 0.1) / 2 * 0.012, 1e-5);
    // Pressed up alone, it comes to rest where the path is highest: at its back end.
    load.force = sn_vec3_make(0, 30, 0);
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, &results), SNI_RIGID_DONE);
    snt_near(found[0].travel, -0.001, 1e-5);
    tear_down(&s);
}

// Pulled on one side, that side goes forward and the body turns about the other one.
static void one_side_of_a_body_slides_alone(void **state) {
    (void)state;
    sni_rigid_body body = box(0.2, 0.1, 0.1, 0.1);
    sni_rigid_joint joints[2];
    for (int i = 0; i < 2; ++i) {
        joints[i] = ball_joint(sn_vec3_make(i == 0 ? 0.05 : -0.05, 0, 0));
        joints[i].slope = joints[i].end_slope = 0.7;
        joints[i].travel = 0.02;
        joints[i].play = 0.002;
    }
    sni_rigid_ligament bands[3] = {
        {.things = {SN_NONE, 0}, .points = {{0.05, 0, 0.1}, {0.05, 0, 0}}, .stiffness = 500},
        {.things = {SN_NONE, 0}, .points = {{-0.05, 0, -0.1}, {-0.05, 0, 0}}, .stiffness = 500},
        {.things = {SN_NONE, 0}, .points = {{0, 0, 0.2}, {0, 0, 0.05}}, .stiffness = 100}};
    setting s = set_up(snt_context(1), &(sni_rigid_desc){.body_count = 1,
                                                         .bodies = &body,
                                                         .joint_count = 2,
                                                         .joints = joints,
                                                         .ligament_count = 3,
                                                         .ligaments = bands});
    sni_rigid_joint_result found[2];
    sni_rigid_results results = {.joints = found};
    sni_rigid_state now;
    s.job.arena = &s.arena;
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, &results), SNI_RIGID_DONE);
    assert_true(found[0].travel > 0.01);
    snt_near(found[1].travel, 0, 1e-4);
    // What was in front on its middle line goes to the other side.
    sni_rigid_place place = sni_rigid_place_of(s.rigid, 0, &now);
    assert_true(sni_rigid_place_point(&place, sn_vec3_make(0, 0, 0.1)).x < -0.01);
    tear_down(&s);
}

static void a_ligament_stretches_as_a_spring(void **state) {
    (void)state;
    sni_rigid_body body = box(2, 0.1, 0.1, 0.1);
    sni_rigid_ligament band = {.things = {SN_NONE, 0},
                               .points = {{0, 0.5, 0}, {0, 0.05, 0}},
                               .length = 0.5,
                               .stiffness = 1e4};
    setting s =
        set_up(snt_context(1),
               &(sni_rigid_desc){
                   .body_count = 1, .bodies = &body, .ligament_count = 1, .ligaments = &band});
    sni_rigid_state now;
    double tension;
    sni_rigid_results results = {.ligaments = &tension};
    s.job.arena = &s.arena;
    s.job.gravity = sn_vec3_make(0, -9.81, 0);
    assert_int_equal(sni_rigid_settle(s.rigid, &s.job, &now, &results), SNI_RIGID_DONE);
    snt_near(tension, 2 * 9.81, 1e-6);
    snt_near(now.center.y, -0.05 - 2 * 9.81 / 1e4, 1e-8);
    tear_down(&s);
}

// Two bodies on one band: what one gains of momentum the other loses.
static void bodies_on_a_band_keep_their_momentum(void **state) {
    (void)state;
    sni_rigid_body bodies[2] = {box(1, 0.1, 0.2, 0.3), box(3, 0.2, 0.1, 0.2)};
    bodies[1].center = sn_vec3_make(0.5, 0, 0);
    sni_rigid_ligament band = {.things = {0, 1},
                               .points = {{0.05, 0.1, 0}, {0.4, 0, 0.1}},
                               .length = 0.3,
                               .stiffness = 1e3};
    setting s =
        set_up(snt_context(1),
               &(sni_rigid_desc){
                   .body_count = 2, .bodies = bodies, .ligament_count = 1, .ligaments = &band});
    sni_rigid_state now[2] = {sni_rigid_at_rest(s.rigid, 0), sni_rigid_at_rest(s.rigid, 1)};
    now[0].velocity = sn_vec3_make(-0.3, 0.1, 0);
    steps(&s, 480, now, NULL);
    sn_vec3 sum = sn_vec3_add_scaled(now[0].velocity, 3, now[1].velocity);
    snt_near(sn_vec3_distance(sum, sn_vec3_make(-0.3, 0.1, 0)), 0, 1e-6);
    assert_true(sn_vec3_length(now[1].velocity) > 0.01);
    tear_down(&s);
}

// --- Surfaces

static sn_mesh *box_mesh(sn_context *context, sn_vec3 low, sn_vec3 high) {
    static const uint32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                         2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "box", 8, 6, 24, &mesh, error));
    for (int i = 0; i < 8; ++i) {
        sn_vec3 p = {(i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y,
                     (i & 4) != 0 ? high.z : low.z};
        sn_vec3_store(p, mesh->positions + 3 * (size_t)i);
    }
    for (uint32_t i = 0; i < 6; ++i) {
        mesh->face_offsets[i + 1] = 4 * (i + 1);
    }
    memcpy(mesh->corners, corners, sizeof corners);
    return mesh;
}

typedef struct stage {
    setting setting;
    sn_mesh *meshes[2];
} stage;

// A box that falls from 50 mm onto another one, which is `width` wide.
static stage drop(double width, double stiffness) {
    stage made;
    sn_context *context = snt_context(1);
    made.meshes[0] =
        box_mesh(context, sn_vec3_make(-0.05, -0.05, -0.05), sn_vec3_make(0.05, 0.05, 0.05));
    made.meshes[1] =
        box_mesh(context, sn_vec3_make(-width, -0.2, -width), sn_vec3_make(width, -0.1, width));
    sni_rigid_body body = box(1, 0.1, 0.1, 0.1);
    sni_rigid_contact contact = {
        .things = {0, SN_NONE}, .meshes = {made.meshes[0], made.meshes[1]}, .stiffness = stiffness};
    made.setting = set_up(
        context, &(sni_rigid_desc){
                     .body_count = 1, .bodies = &body, .contact_count = 1, .contacts = &contact});
    made.setting.job.gravity = sn_vec3_make(0, -9.81, 0);
    return made;
}

static void end_drop(stage *s) {
    sn_mesh_destroy(s->meshes[0]);
    sn_mesh_destroy(s->meshes[1]);
    tear_down(&s->setting);
}

static void a_box_comes_to_lie_on_another(void **state) {
    (void)state;
    // Wider than the box, and narrower: then corners of the other are what touches.
    for (int i = 0; i < 2; ++i) {
        stage s = drop(i == 0 ? 0.2 : 0.02, 1e6);
        s.setting.job.arena = &s.setting.arena;
        sni_rigid_state now = sni_rigid_at_rest(s.setting.rigid, 0), resting;
        sni_rigid_contact_result touched;
        sni_rigid_results results = {.contacts = &touched};
        double deepest = 0;
        for (int k = 0; k < 60; ++k) {
            steps(&s.setting, 1, &now, &results);
            deepest = fmax(deepest, touched.depth);
        }
        // It falls with 1 m/s; the force that stops it in a step is 240 N.
        assert_true(deepest < 240.0 / 4 / 1e6 * 2);
        snt_near(now.center.y, -0.05, 1e-5);
        snt_near(touched.force, 9.81, 0.02);
        snt_near(sn_vec3_length(now.velocity), 0, 1e-6);
        assert_int_equal(sni_rigid_settle(s.setting.rigid, &s.setting.job, &resting, &results),
                         SNI_RIGID_DONE);
        snt_near(resting.center.y, now.center.y, 1e-7);
        snt_near(touched.force, 9.81, 0.02);
        end_drop(&s);
    }
}

// What overlaps at rest does not fly apart.
static void overlaps_at_rest_are_left_alone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *meshes[2] = {
        box_mesh(context, sn_vec3_make(-0.05, -0.05, -0.05), sn_vec3_make(0.05, 0.05, 0.05)),
        box_mesh(context, sn_vec3_make(-0.2, -0.2, -0.2), sn_vec3_make(0.2, -0.045, 0.2))};
    sni_rigid_body body = box(1, 0.1, 0.1, 0.1);
    sni_rigid_contact contact = {
        .things = {0, SN_NONE}, .meshes = {meshes[0], meshes[1]}, .stiffness = 1e6};
    setting s = set_up(
        context, &(sni_rigid_desc){
                     .body_count = 1, .bodies = &body, .contact_count = 1, .contacts = &contact});
    sni_rigid_state now = sni_rigid_at_rest(s.rigid, 0);
    steps(&s, 10, &now, NULL);
    snt_near(sn_vec3_length(now.center), 0, 1e-12);
    // Pressed, it goes no deeper than its points yield.
    s.job.gravity = sn_vec3_make(0, -100, 0);
    steps(&s, 40, &now, NULL);
    snt_near(now.center.y, 0, 1e-4);
    sn_mesh_destroy(meshes[0]);
    sn_mesh_destroy(meshes[1]);
    tear_down(&s);
}

// Far too large steps and forces stay finite and bounded.
static void hard_blows_stay_bounded(void **state) {
    (void)state;
    stage s = drop(0.2, 1e8);
    snt_random random = {11};
    sni_rigid_state now = sni_rigid_at_rest(s.setting.rigid, 0);
    s.setting.job.arena = &s.setting.arena;
    for (int i = 0; i < 80; ++i) {
        sn_vec3 force = {snt_random_range(&random, -50, 50), snt_random_range(&random, -500, 50),
                         snt_random_range(&random, -50, 50)};
        force.x -= 2000 * now.center.x;
        force.z -= 2000 * now.center.z;
        sni_rigid_load load = {.force = force};
        s.setting.job.loads = &load;
        assert_int_equal(
            sni_rigid_step(s.setting.rigid, &s.setting.job, i % 7 == 0 ? 0.02 : step, &now, NULL),
            SNI_RIGID_DONE);
        assert_true(now.center.y > -0.07 && now.center.y < 1);
    }
    end_drop(&s);
}

static sn_status make_contact(sn_context *context, void *user, sn_error *error) {
    sn_mesh *meshes[2] = {NULL, NULL};
    sni_rigid *rigid = NULL;
    sni_rigid_watch *watch = NULL;
    sni_rigid_body body = box(1, 1, 1, 1);
    sn_status status = SN_OK;
    (void)user;
    for (int i = 0; i < 2; ++i) {
        SN_TRY(sn_mesh_create(context, "triangle", 3, 1, 3, &meshes[i], error));
        const float positions[9] = {0, 0, (float)i, 1, 0, (float)i, 0, 1, (float)i};
        memcpy(meshes[i]->positions, positions, sizeof positions);
        memcpy(meshes[i]->corners, (uint32_t[3]){0, 1, 2}, 3 * sizeof(uint32_t));
        meshes[i]->face_offsets[1] = 3;
    }
    sni_rigid_contact contact = {
        .things = {0, SN_NONE}, .meshes = {meshes[0], meshes[1]}, .stiffness = 1};
    SN_TRY(sni_rigid_create(
        context,
        &(sni_rigid_desc){
            .body_count = 1, .bodies = &body, .contact_count = 1, .contacts = &contact},
        &rigid, error));
    SN_TRY(sni_rigid_watch_create(rigid, &watch, error));
cleanup:
    sni_rigid_watch_destroy(watch);
    sni_rigid_destroy(rigid);
    sn_mesh_destroy(meshes[0]);
    sn_mesh_destroy(meshes[1]);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(make_contact, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_its_period),
        cmocka_unit_test(a_joint_slides_along_its_path),
        cmocka_unit_test(one_side_of_a_body_slides_alone),
        cmocka_unit_test(a_ligament_stretches_as_a_spring),
        cmocka_unit_test(bodies_on_a_band_keep_their_momentum),
        cmocka_unit_test(a_box_comes_to_lie_on_another),
        cmocka_unit_test(overlaps_at_rest_are_left_alone),
        cmocka_unit_test(hard_blows_stay_bounded),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
