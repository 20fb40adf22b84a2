// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "surfaces.h"

#include "scenes/arm.h"
#include "scenes/arm_shape.h"
#include "sinew/character.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>

// Built once for all tests.
static sn_context *context;
static scn_arm arm;
static sn_mesh *skin;
static scn_arm_bone bones[SCN_ARM_BONES];

static int build(void **state) {
    (void)state;
    context = snt_context(1);
    scn_arm_layout(&arm);
    snt_ok(scn_arm_skin(context, &arm, &skin, error));
    snt_ok(scn_arm_bones(context, &arm, bones, error));
    return 0;
}

static void destroy_bones(scn_arm_bone *list) {
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        sn_mesh_destroy(list[i].mesh);
    }
}

static int tear_down(void **state) {
    (void)state;
    sn_mesh_destroy(skin);
    destroy_bones(bones);
    snt_context_end(context);
    return 0;
}

static void the_skin_is_one_closed_surface_of_quads(void **state) {
    (void)state;
    check_ball(skin);
    assert_in_range(skin->vertex_count, 5000, 8000);
    assert_int_equal(skin->corner_count, 4 * skin->face_count);
}

static void bones_are_closed(void **state) {
    (void)state;
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        check_ball(bones[i].mesh);
        for (uint32_t j = 0; j < i; ++j) {
            assert_string_not_equal(bones[i].mesh->name, bones[j].mesh->name);
        }
    }
}

// Longest side by shortest, and how far corners are from right angles.
static void quads_have_a_good_shape(void **state) {
    (void)state;
    double worst = 0, sum = 0;
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        double least = INFINITY, most = 0;
        for (uint32_t c = 0; c < 4; ++c) {
            sn_vec3 a = point(skin, skin->corners[4 * f + c]);
            sn_vec3 b = point(skin, skin->corners[4 * f + (c + 1) % 4]);
            least = fmin(least, sn_vec3_distance(a, b));
            most = fmax(most, sn_vec3_distance(a, b));
        }
        assert_true(least > 0.0002);
        assert_true(most < 0.020);
        worst = fmax(worst, most / least);
        sum += most / least;
    }
    assert_true(worst < 6); // the folds around the nails
    assert_true(sum / skin->face_count < 1.4);
}

static void the_skin_does_not_cross_itself(void **state) {
    (void)state;
    check_uncrossed(skin);
}

static void bones_lie_inside_the_skin(void **state) {
    (void)state;
    sn_triangles *triangles = NULL;
    sn_accel *accel = accel_of(skin, &triangles);
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        const sn_mesh *mesh = bones[i].mesh;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            sn_closest closest;
            sn_accel_find_closest(accel, point(mesh, v), INFINITY, &closest);
            if (closest.distance <= 0.001 || !is_inside(accel, point(mesh, v))) {
                print_error("%s: vertex %u is %.2f mm from the skin\n", mesh->name, v,
                            closest.distance * 1000);
                fail();
            }
        }
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
}

static void weights_are_few_and_sum_to_one(void **state) {
    (void)state;
    const sn_weights *w = skin->weights;
    assert_non_null(w);
    assert_int_equal(w->bone_count, SCN_ARM_SEGMENTS);
    for (uint32_t b = 0; b < SCN_ARM_SEGMENTS; ++b) {
        assert_string_equal(w->bone_names[b], arm.segments[b].name);
    }
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        double sum = 0;
        assert_in_range(w->offsets[i + 1] - w->offsets[i], 1, 6);
        for (uint32_t k = w->offsets[i]; k < w->offsets[i + 1]; ++k) {
            assert_true(w->values[k] > 0);
            sum += w->values[k];
        }
        snt_near(sum, 1, 1e-6);
    }
}

static double weight_on(uint32_t vertex, uint32_t segment) {
    const sn_weights *w = skin->weights;
    for (uint32_t k = w->offsets[vertex]; k < w->offsets[vertex + 1]; ++k) {
        if (w->bones[k] == segment) {
            return w->values[k];
        }
    }
    return 0;
}

// Neighbours move alike: no weight jumps along an edge.
static void weights_are_smooth(void **state) {
    (void)state;
    for (uint32_t c = 0; c < skin->corner_count; ++c) {
        uint32_t a = skin->corners[c], b = skin->corners[c % 4 == 3 ? c - 3 : c + 1];
        for (uint32_t s = 0; s < SCN_ARM_SEGMENTS; ++s) {
            assert_true(fabs(weight_on(a, s) - weight_on(b, s)) < 0.45);
        }
    }
}

// The tip of each finger belongs to its last segment, the wrist's middle to hand and forearm, and
// no finger moves with another's last segments.
static void weights_follow_anatomy(void **state) {
    (void)state;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        uint32_t own = SN_NONE;
        for (uint32_t f = 0; f < SCN_ARM_FINGERS; ++f) {
            if (sn_vec3_distance(point(skin, i), arm.fingers[f].joints[3]) < 0.008) {
                own = SCN_ARM_THUMB + 3 * f + 2;
            }
        }
        if (own != SN_NONE) {
            snt_near(weight_on(i, own), 1, 1e-6);
        }
        for (uint32_t f = 0, with = 0; f < SCN_ARM_FINGERS; ++f) {
            with += weight_on(i, SCN_ARM_THUMB + 3 * f + 2) > 0;
            assert_true(with <= 1);
        }
    }
}

static void check_equal(const sn_mesh *a, const sn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->corners, b->corners, 4 * (size_t)a->corner_count);
}

static void a_second_build_has_the_same_bits(void **state) {
    (void)state;
    sn_mesh *again = NULL;
    scn_arm_bone bones_again[SCN_ARM_BONES];
    snt_ok(scn_arm_skin(context, &arm, &again, error));
    check_equal(skin, again);
    uint32_t count = skin->weights->offsets[skin->vertex_count];
    assert_int_equal(count, again->weights->offsets[skin->vertex_count]);
    assert_memory_equal(skin->weights->values, again->weights->values, 4 * (size_t)count);
    assert_memory_equal(skin->weights->bones, again->weights->bones, 4 * (size_t)count);
    sn_mesh_destroy(again);
    snt_ok(scn_arm_bones(context, &arm, bones_again, error));
    for (uint32_t i = 0; i < SCN_ARM_BONES; ++i) {
        check_equal(bones[i].mesh, bones_again[i].mesh);
    }
    destroy_bones(bones_again);
}

static double length_of(uint32_t segment) {
    return arm.segments[segment].length;
}

static void proportions_are_human(void **state) {
    (void)state;
    snt_near(length_of(SCN_ARM_UPPER_ARM), 0.31, 0.01);
    snt_near(length_of(SCN_ARM_FOREARM), 0.265, 0.01);
    double middle = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        middle += length_of(SCN_ARM_THUMB + 6 + k);
    }
    snt_near(length_of(SCN_ARM_HAND_SEGMENT) + middle, 0.195, 0.01);
}

static void segments_are_right_handed_and_in_order(void **state) {
    (void)state;
    for (uint32_t i = 0; i < SCN_ARM_SEGMENTS; ++i) {
        const scn_segment *s = &arm.segments[i];
        assert_true(s->parent == SN_NONE ? i == 0 : s->parent < i);
        snt_near(sn_vec3_length(s->rest.x), 1, 1e-12);
        snt_near(sn_vec3_length(s->rest.y), 1, 1e-12);
        snt_near(sn_vec3_distance(sn_vec3_cross(s->rest.x, s->rest.y), s->rest.z), 0, 1e-12);
        for (int axis = 0; axis < 3; ++axis) {
            assert_true(s->limits_deg[axis][0] <= 0 && s->limits_deg[axis][1] >= 0);
        }
    }
}

// A turn of `segment` by a positive rx moves `target` towards `direction`.
static void check_flexion(uint32_t segment, sn_vec3 target, sn_vec3 direction) {
    const scn_frame *f = &arm.segments[segment].rest;
    sn_vec3 speed = sn_vec3_cross(f->x, sn_vec3_sub(target, f->origin));
    assert_true(sn_vec3_dot(speed, direction) > 0);
}

static void positive_rx_flexes(void **state) {
    (void)state;
    const scn_frame *hand = &arm.frames[SCN_ARM_HAND];
    sn_vec3 forward = {0, 0, 1}, palmward = sn_vec3_scale(hand->x, -1);
    check_flexion(SCN_ARM_UPPER_ARM, hand->origin, forward);
    check_flexion(SCN_ARM_FOREARM, hand->origin, forward);
    check_flexion(SCN_ARM_HAND_SEGMENT, arm.fingers[2].joints[3], palmward);
    for (uint32_t f = 1; f < SCN_ARM_FINGERS; ++f) {
        check_flexion(SCN_ARM_THUMB + 3 * f, arm.fingers[f].joints[3], palmward);
    }
}

// The chain of local frames gives the rest frames back.
static void local_frames_compose(void **state) {
    (void)state;
    sn_mat4 worlds[SCN_ARM_SEGMENTS];
    for (uint32_t i = 0; i < SCN_ARM_SEGMENTS; ++i) {
        sn_transform local = scn_segment_local(arm.segments, i);
        worlds[i] = sn_mat4_from_transform(&local);
        if (arm.segments[i].parent != SN_NONE) {
            worlds[i] = sn_mat4_multiply(&worlds[arm.segments[i].parent], &worlds[i]);
        }
        sn_vec3 origin = sn_mat4_point(&worlds[i], sn_vec3_make(0, 0, 0));
        snt_near(sn_vec3_distance(origin, arm.segments[i].rest.origin), 0, 1e-9);
        sn_vec3 y = sn_mat4_direction(&worlds[i], sn_vec3_make(0, 1, 0));
        snt_near(sn_vec3_distance(y, arm.segments[i].rest.y), 0, 1e-9);
    }
}

static const scn_segment *find_segment(const char *target, size_t length) {
    for (uint32_t i = 0; i < SCN_ARM_SEGMENTS; ++i) {
        if (strlen(arm.segments[i].name) == length &&
            memcmp(arm.segments[i].name, target, length) == 0) {
            return &arm.segments[i];
        }
    }
    return NULL;
}

static void clips_loop_within_the_limits(void **state) {
    (void)state;
    uint32_t count = 0;
    for (const scn_clip *clip = scn_arm_clips(); clip->name != NULL; ++clip, ++count) {
        double end = (clip->frame_count - 1) / clip->rate;
        for (uint32_t t = 0; t < clip->track_count; ++t) {
            const scn_track *track = &clip->tracks[t];
            const char *dot = strchr(track->target, '.');
            assert_non_null(dot);
            const scn_segment *segment = find_segment(track->target, (size_t)(dot - track->target));
            assert_non_null(segment);
            int axis = dot[2] - 'x';
            assert_in_range(axis, 0, 2);
            const scn_key *last = &track->keys[track->key_count - 1];
            snt_near(track->keys[0].time, 0, 0);
            snt_near(last->time, end, 1e-9);
            assert_true(last->value_deg == track->keys[0].value_deg);
            for (uint32_t k = 0; k < track->key_count; ++k) {
                assert_true(k == 0 || track->keys[k].time > track->keys[k - 1].time);
                assert_true(track->keys[k].value_deg >= segment->limits_deg[axis][0]);
                assert_true(track->keys[k].value_deg <= segment->limits_deg[axis][1]);
            }
        }
    }
    assert_int_equal(count, 2);
}

static void the_other_side_is_a_mirror_image(void **state) {
    (void)state;
    scn_arm right;
    sn_mesh *mesh = NULL;
    scn_arm_layout(&right);
    scn_segments_mirror(right.segments, SCN_ARM_SEGMENTS);
    for (uint32_t i = 0; i < SCN_ARM_SEGMENTS; ++i) {
        const scn_frame *l = &arm.segments[i].rest, *r = &right.segments[i].rest;
        snt_near(sn_vec3_distance(sn_vec3_cross(r->x, r->y), r->z), 0, 1e-12);
        assert_true(r->origin.x == -l->origin.x && r->y.x == -l->y.x && r->z.x == -l->z.x);
    }
    scn_segments_mirror(right.segments, SCN_ARM_SEGMENTS);
    assert_true(right.segments[5].rest.x.x == arm.segments[5].rest.x.x);
    snt_ok(sn_mesh_copy(skin, &mesh, error));
    scn_mesh_mirror(mesh);
    check_ball(mesh);
    sn_mesh_destroy(mesh);
}

// What examples/arm holds is what the scene writes, and it can be loaded.
// Every build has the same bits, then: skin, weights, bones and document.
static void the_shipped_character_is_what_the_scene_writes(void **state) {
    (void)state;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", snt_scratch("arm.glb"));
    *strrchr(folder, '/') = 0;
    snt_ok(scn_arm_build(context, folder, error));
    char path[1100];
    snprintf(path, sizeof path, "%s/arm.sinew.json", folder);
    assert_true(snt_same_bytes(path, snt_source("examples/arm/arm.sinew.json")));
    assert_true(snt_same_bytes(snt_scratch("arm.glb"), snt_source("examples/arm/arm.glb")));
    sn_character *character = NULL;
    const sn_mesh *mesh = NULL;
    snt_ok(sn_character_load(context, path, &character, error));
    snt_ok(sn_character_mesh(character, "skin", &mesh, error));
    assert_int_equal(mesh->vertex_count, skin->vertex_count);
    remove(path);
    sn_character_destroy(character);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_is_one_closed_surface_of_quads),
        cmocka_unit_test(bones_are_closed),
        cmocka_unit_test(quads_have_a_good_shape),
        cmocka_unit_test(the_skin_does_not_cross_itself),
        cmocka_unit_test(bones_lie_inside_the_skin),
        cmocka_unit_test(weights_are_few_and_sum_to_one),
        cmocka_unit_test(weights_are_smooth),
        cmocka_unit_test(weights_follow_anatomy),
        cmocka_unit_test(a_second_build_has_the_same_bits),
        cmocka_unit_test(proportions_are_human),
        cmocka_unit_test(segments_are_right_handed_and_in_order),
        cmocka_unit_test(positive_rx_flexes),
        cmocka_unit_test(local_frames_compose),
        cmocka_unit_test(clips_loop_within_the_limits),
        cmocka_unit_test(the_other_side_is_a_mirror_image),
        cmocka_unit_test(the_shipped_character_is_what_the_scene_writes),
    };
    return cmocka_run_group_tests(tests, build, tear_down);
}
