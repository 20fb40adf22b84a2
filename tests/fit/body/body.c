// SPDX-License-Identifier: Apache-2.0
//
// Skeletons proposed for bodies made of balls and boxes, whose joints are known.
#include "test.h"

#include "geometry/sphere.h"
#include "sinew/fit.h"

#include <math.h>

#define MOST_PARTS 16

typedef struct body {
    sn_context *context;
    uint32_t count;
    sn_bone_part parts[MOST_PARTS];
    sn_mesh *meshes[MOST_PARTS];
    sn_body_plan *plan;
} body;

static void add(body *b, const char *name, const char *side, sn_mesh *mesh) {
    b->meshes[b->count] = mesh;
    b->parts[b->count++] = (sn_bone_part){name, side, mesh};
}

static void propose(body *b) {
    snt_ok(sn_propose_body(b->context, b->count, b->parts, NULL, &b->plan, error));
}

static void end(body *b) {
    sn_body_plan_destroy(b->plan);
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_mesh_destroy(b->meshes[i]);
    }
    snt_context_end(b->context);
}

static const sn_plan_segment *segment_of(const body *b, uint32_t part) {
    return &b->plan->segments[b->plan->bone_segments[part]];
}

static const char *parent_name(const body *b, uint32_t part) {
    uint32_t parent = segment_of(b, part)->parent;
    return parent != SN_NONE ? b->plan->segments[parent].name : "";
}

// ---------------------------------------------------------------------------------------------
// Shapes

static sn_mesh *make_ball(sn_context *context, sn_vec3 center, double radius) {
    sn_mesh *mesh;
    sn_mat4 place = {
        {radius, 0, 0, 0, 0, radius, 0, 0, 0, 0, radius, 0, center.x, center.y, center.z, 1}};
    snt_ok(sni_ellipsoid_mesh(context, "ball", &place, 12, &mesh, error));
    return mesh;
}

static sn_mesh *make_box(sn_context *context, sn_vec3 low, sn_vec3 high) {
    static const uint32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                         2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "box", 8, 6, 24, &mesh, error));
    for (uint32_t i = 0; i < 8; ++i) {
        sn_vec3 p = {i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
        sn_vec3_store(p, mesh->positions + 3 * (size_t)i);
    }
    memcpy(mesh->corners, corners, sizeof corners);
    for (uint32_t i = 0; i <= 6; ++i) {
        mesh->face_offsets[i] = 4 * i;
    }
    return mesh;
}

// Faces of `a` that pass the test, then all of `b`; both are used up. `inward` turns them over.
static sn_mesh *join(sn_mesh *a, double least_y, bool inward, sn_mesh *b) {
    sn_mesh *mesh;
    uint32_t kept = 0, faces = a->face_count;
    snt_ok(sn_mesh_create(a->context, "joined", a->vertex_count + b->vertex_count,
                          faces + b->face_count, 3 * faces + b->corner_count, &mesh, error));
    memcpy(mesh->positions, a->positions, 12 * (size_t)a->vertex_count);
    memcpy(mesh->positions + 3 * (size_t)a->vertex_count, b->positions,
           12 * (size_t)b->vertex_count);
    for (uint32_t f = 0; f < faces; ++f) {
        const uint32_t *corners = a->corners + 3 * (size_t)f;
        bool keep = true;
        for (int i = 0; i < 3; ++i) {
            keep &= a->positions[3 * (size_t)corners[i] + 1] >= least_y;
        }
        for (int i = 0; keep && i < 3; ++i) {
            mesh->corners[3 * (size_t)kept + (size_t)i] = corners[inward ? 2 - i : i];
        }
        kept += keep;
    }
    for (uint32_t f = 0; f <= kept; ++f) {
        mesh->face_offsets[f] = 3 * f;
    }
    for (uint32_t f = 0; f < b->face_count; ++f) {
        uint32_t first = b->face_offsets[f], count = b->face_offsets[f + 1] - first;
        uint32_t at = mesh->face_offsets[kept + f];
        for (uint32_t i = 0; i < count; ++i) {
            mesh->corners[at + i] = b->corners[first + i] + a->vertex_count;
        }
        mesh->face_offsets[kept + f + 1] = at + count;
    }
    mesh->face_count = kept + b->face_count;
    mesh->corner_count = mesh->face_offsets[mesh->face_count];
    snt_ok(sn_mesh_validate(mesh, error));
    sn_mesh_destroy(a);
    sn_mesh_destroy(b);
    return mesh;
}

static const double head_radius = 0.025;

// A shaft with a ball on top, and a block with a cup over the ball, 2 mm away from it.
static sn_mesh *make_shaft(sn_context *context, sn_vec3 c) {
    sn_vec3 low = {c.x - 0.01, c.y - 0.4, c.z - 0.01}, high = {c.x + 0.01, c.y - 0.02, c.z + 0.01};
    return join(make_ball(context, c, head_radius), -INFINITY, false, make_box(context, low, high));
}

static sn_mesh *make_cup(sn_context *context, sn_vec3 c) {
    sn_vec3 low = {c.x - 0.05, c.y + 0.04, c.z - 0.05}, high = {c.x + 0.05, c.y + 0.2, c.z + 0.05};
    return join(make_ball(context, c, head_radius + 0.002), c.y, true,
                make_box(context, low, high));
}

static const sn_vec3 hip_left = {0.09, 0.8, 0.02}, hip_right = {-0.09, 0.8, 0.02};

// A pelvis with two legs of one bone each. The parts are: left cup, right cup, left and right leg.
static body make_legs(const char *const names[4], const char *left, const char *right) {
    body b = {.context = snt_context(1)};
    add(&b, names[0], left, make_cup(b.context, hip_left));
    add(&b, names[1], right, make_cup(b.context, hip_right));
    add(&b, names[2], left, make_shaft(b.context, hip_left));
    add(&b, names[3], right, make_shaft(b.context, hip_right));
    return b;
}

// ---------------------------------------------------------------------------------------------

static void test_bad_input(void **state) {
    (void)state;
    body b = {.context = snt_context(1)};
    sn_body_plan *plan;
    snt_fails(SN_INVALID, "no bones", sn_propose_body(b.context, 0, NULL, NULL, &plan, error));
    assert_null(plan);
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(b.context, "empty", 3, 0, 0, &mesh, error));
    memset(mesh->positions, 0, 9 * sizeof(float));
    add(&b, "left femur", "left", mesh);
    snt_fails(SN_INVALID, "left femur",
              sn_propose_body(b.context, b.count, b.parts, NULL, &plan, error));
    assert_null(plan);
    end(&b);
}

static void test_ball_in_socket(void **state) {
    (void)state;
    static const char *const names[] = {"left hip bone", "right hip bone", "left femur",
                                        "right femur"};
    body b = make_legs(names, "left", "right");
    propose(&b);
    assert_int_equal(b.plan->segment_count, 3);
    assert_string_equal(segment_of(&b, 0)->name, "hips");
    assert_string_equal(segment_of(&b, 1)->name, "hips");
    assert_string_equal(segment_of(&b, 2)->name, "thigh.L");
    assert_string_equal(segment_of(&b, 3)->name, "thigh.R");
    assert_string_equal(parent_name(&b, 2), "hips");
    assert_int_equal(segment_of(&b, 0)->parent, SN_NONE);
    snt_near(sn_vec3_distance(segment_of(&b, 2)->joint, hip_left), 0, 3e-4);
    snt_near(sn_vec3_distance(segment_of(&b, 3)->joint, hip_right), 0, 3e-4);
    snt_near(sn_vec3_distance(segment_of(&b, 0)->joint, sn_vec3_lerp(hip_left, hip_right, 0.5)), 0,
             3e-4);
    assert_non_null(strstr(segment_of(&b, 2)->reason, "left femur; joint: sphere of 2"));
    for (uint32_t i = 0; i < b.count; ++i) {
        assert_false(b.plan->bone_guessed[i]);
    }
    end(&b);
}

// Sides that nobody tells are seen from the place; the body's left is +x.
static void test_sides_by_place(void **state) {
    (void)state;
    static const char *const names[] = {"os coxae", "os coxae 2", "femur", "femur 2"};
    body b = make_legs(names, "", "");
    propose(&b);
    assert_string_equal(segment_of(&b, 2)->name, "thigh.L");
    assert_string_equal(segment_of(&b, 3)->name, "thigh.R");
    end(&b);
}

// Where geometry decides, names do not move joints.
static void test_names_do_not_move_joints(void **state) {
    (void)state;
    static const char *const names[] = {"thing", "thang", "stick", "stack"};
    body b = make_legs(names, "", NULL);
    propose(&b);
    for (uint32_t i = 0; i < b.count; ++i) {
        assert_true(b.plan->bone_guessed[i]);
        assert_string_equal(segment_of(&b, i)->name, names[i]);
    }
    uint32_t left = b.plan->bone_segments[0], stick = b.plan->bone_segments[2];
    bool down = b.plan->segments[stick].parent == left;
    const sn_plan_segment *lower = down ? segment_of(&b, 2) : segment_of(&b, 0);
    assert_string_equal(down ? parent_name(&b, 2) : parent_name(&b, 0), down ? "thing" : "stick");
    snt_near(sn_vec3_distance(lower->joint, hip_left), 0, 3e-4);
    end(&b);
}

static void mirror(sn_mesh *mesh) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * (size_t)v] *= -1;
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f], last = mesh->face_offsets[f + 1];
        for (uint32_t i = first, k = last - 1; i < k; ++i, --k) {
            uint32_t corner = mesh->corners[i];
            mesh->corners[i] = mesh->corners[k];
            mesh->corners[k] = corner;
        }
    }
}

static void test_mirror_image(void **state) {
    (void)state;
    static const char *const names[] = {"hip", "hip 2", "femur", "femur 2"};
    body a = make_legs(names, "left", "right"), b = make_legs(names, "right", "left");
    for (uint32_t i = 0; i < b.count; ++i) {
        mirror(b.meshes[i]);
    }
    propose(&a);
    propose(&b);
    for (uint32_t i = 2; i < 4; ++i) {
        sn_vec3 image = segment_of(&a, i)->joint;
        image.x *= -1;
        snt_near(sn_vec3_distance(segment_of(&b, i)->joint, image), 0, 1e-6);
    }
    assert_string_equal(segment_of(&a, 2)->name, "thigh.L");
    assert_string_equal(segment_of(&b, 2)->name, "thigh.R");
    end(&a);
    end(&b);
}

// Five boxes in a row, 4 mm apart: the middle one is the root, joints are in the gaps.
static void test_chain_of_boxes(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    body b = {.context = snt_context(1)};
    for (int i = 0; i < 5; ++i) {
        double x = 0.1 * i;
        add(&b, names[i], "",
            make_box(b.context, sn_vec3_make(x + 0.002, 0, 0),
                     sn_vec3_make(x + 0.098, 0.03, 0.04)));
    }
    propose(&b);
    assert_int_equal(b.plan->segment_count, 5);
    assert_int_equal(segment_of(&b, 2)->parent, SN_NONE);
    assert_string_equal(parent_name(&b, 0), "b");
    assert_string_equal(parent_name(&b, 1), "c");
    assert_string_equal(parent_name(&b, 3), "c");
    assert_string_equal(parent_name(&b, 4), "d");
    for (uint32_t i = 0; i < 5; ++i) {
        if (i != 2) {
            sn_vec3 gap = {i < 2 ? 0.1 * i + 0.1 : 0.1 * i, 0.015, 0.02};
            snt_near(sn_vec3_distance(segment_of(&b, i)->joint, gap), 0, 1e-3);
        }
    }
    end(&b);
}

// What is tiny, or lies on its neighbour with much of its surface, has no joint of its own.
static void test_parts_without_joint(void **state) {
    (void)state;
    body b = {.context = snt_context(1)};
    add(&b, "block", "", make_box(b.context, sn_vec3_make(0, 0, 0), sn_vec3_make(1, 0.2, 0.2)));
    add(&b, "crumb", "",
        make_box(b.context, sn_vec3_make(0.5, 0.22, 0.1), sn_vec3_make(0.503, 0.223, 0.103)));
    add(&b, "plate", "",
        make_box(b.context, sn_vec3_make(0.2, -0.012, 0), sn_vec3_make(0.6, -0.002, 0.2)));
    propose(&b);
    assert_int_equal(b.plan->segment_count, 1);
    assert_string_equal(segment_of(&b, 1)->name, "block");
    assert_string_equal(segment_of(&b, 2)->name, "block");
    end(&b);
}

// A bone of no known name among known ones hangs on the nearest; equal names stay apart.
static void test_stranger(void **state) {
    (void)state;
    static const char *const names[] = {"left hip bone", "right hip bone", "left femur",
                                        "right femur"};
    body b = make_legs(names, "left", "right");
    for (int i = 0; i < 2; ++i) {
        double y = 0.395 - 0.105 * i;
        add(&b, "peg leg", "",
            make_box(b.context, sn_vec3_make(0.08, y - 0.1, 0.01), sn_vec3_make(0.1, y, 0.03)));
    }
    propose(&b);
    assert_string_equal(segment_of(&b, 4)->name, "peg leg");
    assert_string_equal(parent_name(&b, 4), "thigh.L");
    assert_string_equal(segment_of(&b, 5)->name, "peg leg 2");
    assert_string_equal(parent_name(&b, 5), "peg leg");
    assert_true(b.plan->bone_guessed[4]);
    assert_false(b.plan->bone_guessed[2]);
    end(&b);
}

static bool stop(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    return --*(int *)user >= 0;
}

static void test_cancel(void **state) {
    (void)state;
    static const char *const names[] = {"hip", "hip 2", "femur", "femur 2"};
    body b = make_legs(names, "left", "right");
    for (int calls = 0; calls < 6; ++calls) {
        int left = calls;
        sn_progress progress = {stop, &left};
        snt_fails(SN_CANCELLED, "",
                  sn_propose_body(b.context, b.count, b.parts, &progress, &b.plan, error));
        assert_null(b.plan);
    }
    end(&b);
}

static sn_status propose_small(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_status status = SN_OK;
    static const char *const names[] = {"clavicle", "scapula", "humerus", "ulna"};
    sn_bone_part parts[4];
    sn_mesh *meshes[4] = {NULL};
    sn_body_plan *plan = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4 && status == SN_OK; ++i) {
        double y = 1 - 0.1 * i;
        sn_mat4 place = {{0.01, 0, 0, 0, 0, 0.049, 0, 0, 0, 0, 0.01, 0, 0.1, y, 0, 1}};
        status = sni_ellipsoid_mesh(context, names[i], &place, 2, &meshes[i], error);
        parts[i] = (sn_bone_part){names[i], "left", meshes[i]};
        count += status == SN_OK;
    }
    if (status == SN_OK) {
        status = sn_propose_body(context, count, parts, NULL, &plan, error);
    }
    if (status == SN_OK) {
        assert_int_equal(plan->coupling_count, 1); // the shoulder's
    }
    sn_body_plan_destroy(plan);
    for (uint32_t i = 0; i < count; ++i) {
        sn_mesh_destroy(meshes[i]);
    }
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(propose_small, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_ball_in_socket),
        cmocka_unit_test(test_sides_by_place),
        cmocka_unit_test(test_names_do_not_move_joints),
        cmocka_unit_test(test_mirror_image),
        cmocka_unit_test(test_chain_of_boxes),
        cmocka_unit_test(test_parts_without_joint),
        cmocka_unit_test(test_stranger),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
