// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "motion/skeleton.h"
#include "sinew/fit.h"
#include "sinew/geometry.h"
#include "sinew/io.h"

#include <stdlib.h>

// An arm along +y: a closed tube of radius 0.1 from y = -0.1 to 2.1, made of quads.
enum { RINGS = 111, SIDES = 24 };

static sn_mesh *tube(sn_context *context, double x) {
    sn_mesh *mesh = NULL;
    uint32_t quads = (RINGS - 1) * SIDES;
    snt_ok(sn_mesh_create(context, "arm", RINGS * SIDES + 2, quads + 2 * SIDES,
                          4 * quads + 6 * SIDES, &mesh, error));
    for (uint32_t i = 0; i < RINGS * SIDES; ++i) {
        double turn = 2 * SN_PI * (i % SIDES) / SIDES;
        double y = -0.1 + 2.2 * (i / SIDES) / (RINGS - 1);
        sn_vec3_store(sn_vec3_make(x + 0.1 * cos(turn), y, -0.1 * sin(turn)),
                      mesh->positions + 3 * i);
    }
    uint32_t bottom = RINGS * SIDES, top = bottom + 1, *corner = mesh->corners, face = 0;
    sn_vec3_store(sn_vec3_make(x, -0.15, 0), mesh->positions + 3 * bottom);
    sn_vec3_store(sn_vec3_make(x, 2.15, 0), mesh->positions + 3 * top);
    for (uint32_t i = 0; i < RINGS * SIDES; ++i) {
        uint32_t next = i / SIDES * SIDES + (i + 1) % SIDES;
        if (i / SIDES == 0) {
            memcpy(corner, (uint32_t[]){next, i, bottom}, 12);
            mesh->face_offsets[face + 1] = mesh->face_offsets[face] + 3;
            corner += 3, face += 1;
        }
        if (i / SIDES == RINGS - 1) {
            memcpy(corner, (uint32_t[]){i, next, top}, 12);
            corner += 3;
            mesh->face_offsets[face + 1] = mesh->face_offsets[face] + 3;
        } else {
            memcpy(corner, (uint32_t[]){i, next, next + SIDES, i + SIDES}, 16);
            corner += 4;
            mesh->face_offsets[face + 1] = mesh->face_offsets[face] + 4;
        }
        face += 1;
    }
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static void set_segment(sn_context *context, sn_skeleton *skeleton, uint32_t i, const char *name,
                        uint32_t parent, sn_vec3 place) {
    skeleton->segments[i].name = sni_string_copy(context, name);
    skeleton->segments[i].parent = parent;
    skeleton->segments[i].rest.translation = place;
}

// Upper arm from y = 0 to 1, forearm from there to 2, hand.
static void arm_skeleton(sn_context *context, sn_skeleton *skeleton) {
    snt_ok(sni_skeleton_init(context, 3, skeleton, error));
    set_segment(context, skeleton, 0, "upper", SN_NONE, sn_vec3_make(0, 0, 0));
    set_segment(context, skeleton, 1, "fore", 0, sn_vec3_make(0, 1, 0));
    set_segment(context, skeleton, 2, "hand", 1, sn_vec3_make(0, 1, 0));
    snt_ok(sni_skeleton_sort(context, skeleton, error));
}

typedef struct arm {
    sn_mesh *skin;
    sn_skeleton skeleton;
    sn_driver_mesh_desc desc;
} arm;

static void arm_init(sn_context *context, arm *a) {
    a->skin = tube(context, 0);
    arm_skeleton(context, &a->skeleton);
    a->desc = sn_driver_mesh_desc_default();
    a->desc.meshes = (const sn_mesh *const *)&a->skin;
    a->desc.mesh_count = 1;
    a->desc.skeleton = &a->skeleton;
    a->desc.face_count = 300;
}

static void arm_deinit(sn_context *context, arm *a) {
    sn_mesh_destroy(a->skin);
    sni_skeleton_deinit(context, &a->skeleton);
}

static sn_mesh *make(sn_context *context, const sn_driver_mesh_desc *desc,
                     sn_driver_mesh_report *report) {
    sn_mesh *driver = NULL;
    snt_ok(sn_driver_mesh_create(context, desc, NULL, &driver, report, error));
    snt_ok(sn_mesh_validate(driver, error));
    assert_non_null(driver->weights);
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        double sum = 0;
        for (uint32_t i = driver->weights->offsets[v]; i < driver->weights->offsets[v + 1]; ++i) {
            sum += driver->weights->values[i];
        }
        snt_near(sum, 1, 1e-6);
    }
    return driver;
}

static sn_topology_summary summarize(const sn_mesh *mesh, int *euler) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    *euler = (int)mesh->vertex_count - (int)topology->edge_count + (int)mesh->face_count;
    sn_topology_destroy(topology);
    return summary;
}

static double weight_on(const sn_mesh *mesh, uint32_t vertex, const char *bone) {
    double sum = 0;
    const sn_weights *w = mesh->weights;
    for (uint32_t i = w->offsets[vertex]; i < w->offsets[vertex + 1]; ++i) {
        sum += strcmp(w->bone_names[w->bones[i]], bone) == 0 ? w->values[i] : 0;
    }
    return sum;
}

static uint32_t count_between(const sn_mesh *mesh, double low, double high) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double y = mesh->positions[3 * v + 1];
        count += y >= low && y <= high;
    }
    return count;
}

static void makes_more_detail_at_joints(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    arm a;
    arm_init(context, &a);
    sn_driver_mesh_report report;
    sn_mesh *driver = make(context, &a.desc, &report);
    int euler;
    assert_true(summarize(driver, &euler).closed);
    assert_int_equal(euler, 2);
    assert_int_equal(driver->face_count, 300);
    assert_int_equal(report.face_count, 300);
    assert_int_equal(report.border_edges, 0);
    assert_int_equal(report.welded_vertices, 0);
    assert_int_equal(report.limb_count, 3);
    assert_string_equal(driver->name, "driver");
    assert_null(driver->weights->inverse_bind);
    // Elbow and wrist against the middles of both bones.
    uint32_t joints = count_between(driver, 0.85, 1.15) + count_between(driver, 1.85, 2.0);
    uint32_t middles = count_between(driver, 0.4, 0.6) + count_between(driver, 1.4, 1.65);
    assert_true(joints > 2 * middles);
    a.desc.joint_detail = 1;
    sn_mesh *even = make(context, &a.desc, NULL);
    joints = count_between(even, 0.85, 1.15) + count_between(even, 1.85, 2.0);
    middles = count_between(even, 0.4, 0.6) + count_between(even, 1.4, 1.65);
    assert_true(2 * joints < 3 * middles);
    sn_mesh_destroy(driver);
    sn_mesh_destroy(even);
    arm_deinit(context, &a);
    snt_context_end(context);
}

static void binds_to_the_closest_limb(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    arm a;
    arm_init(context, &a);
    a.desc.binding = SN_DRIVER_RIGID;
    sn_mesh *driver = make(context, &a.desc, NULL);
    assert_int_equal(driver->weights->offsets[driver->vertex_count], driver->vertex_count);
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        double y = driver->positions[3 * v + 1];
        const char *limb = y < 0.999 ? "upper" : y < 1.999 ? "fore" : "hand";
        if (fabs(y - round(y)) > 1e-3) {
            assert_true(weight_on(driver, v, limb) == 1);
        }
    }
    sn_mesh_destroy(driver);
    arm_deinit(context, &a);
    snt_context_end(context);
}

static void binds_smoothly(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    arm a;
    arm_init(context, &a);
    a.desc.face_count = 1500;
    sn_mesh *driver = make(context, &a.desc, NULL);
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        double y = driver->positions[3 * v + 1], upper = weight_on(driver, v, "upper");
        assert_true(y > 0.5 || upper > 0.9);
        assert_true(y < 1.5 || upper < 0.1);
        assert_true(fabs(y - 1) > 0.02 || (upper > 0.3 && upper < 0.7));
        assert_true(driver->weights->offsets[v + 1] - driver->weights->offsets[v] <= 3);
    }
    // Any number of threads gives the same bits.
    sn_context *alone = snt_context(1);
    sn_mesh *again = make(alone, &a.desc, NULL);
    assert_int_equal(again->vertex_count, driver->vertex_count);
    assert_memory_equal(again->positions, driver->positions, 12 * (size_t)driver->vertex_count);
    uint32_t values = driver->weights->offsets[driver->vertex_count];
    assert_int_equal(again->weights->offsets[driver->vertex_count], values);
    assert_memory_equal(again->weights->values, driver->weights->values, 4 * (size_t)values);
    sn_mesh_destroy(again);
    snt_context_end(alone);
    sn_mesh_destroy(driver);
    arm_deinit(context, &a);
    snt_context_end(context);
}

// Two tubes side by side, closer to each other than to their own bones, on two arms of one root:
// no vertex of an arm hangs on the other.
static void keeps_limbs_apart(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *tubes[2] = {tube(context, -0.11), tube(context, 0.11)};
    sn_skeleton skeleton;
    snt_ok(sni_skeleton_init(context, 5, &skeleton, error));
    set_segment(context, &skeleton, 0, "root", SN_NONE, sn_vec3_make(0, -0.3, 0));
    set_segment(context, &skeleton, 1, "left", 0, sn_vec3_make(0.11, 0.3, 0));
    set_segment(context, &skeleton, 2, "left end", 1, sn_vec3_make(0, 2, 0));
    set_segment(context, &skeleton, 3, "right", 0, sn_vec3_make(-0.11, 0.3, 0));
    set_segment(context, &skeleton, 4, "right end", 3, sn_vec3_make(0, 2, 0));
    snt_ok(sni_skeleton_sort(context, &skeleton, error));
    sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
    desc.meshes = (const sn_mesh *const *)tubes;
    desc.mesh_count = 2;
    desc.skeleton = &skeleton;
    desc.smoothing = 10;
    desc.influences = 5;
    sn_mesh *driver = make(context, &desc, NULL);
    int euler;
    assert_int_equal(summarize(driver, &euler).components, 2);
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        if (driver->positions[3 * v + 1] < 0.1f) {
            continue; // the root's own
        }
        bool left = driver->positions[3 * v] > 0;
        assert_true(weight_on(driver, v, left ? "right" : "left") == 0);
        assert_true(weight_on(driver, v, left ? "right end" : "left end") == 0);
    }
    sn_mesh_destroy(driver);
    sni_skeleton_deinit(context, &skeleton);
    sn_mesh_destroy(tubes[0]);
    sn_mesh_destroy(tubes[1]);
    snt_context_end(context);
}

// A mesh of every second face of another.
static sn_mesh *half_of(const sn_mesh *mesh, uint32_t parity) {
    sn_mesh *half = NULL;
    uint32_t faces = 0, corners = 0;
    for (uint32_t f = parity; f < mesh->face_count; f += 2) {
        faces += 1;
        corners += mesh->face_offsets[f + 1] - mesh->face_offsets[f];
    }
    snt_ok(sn_mesh_create(mesh->context, "half", mesh->vertex_count, faces, corners, &half, error));
    memcpy(half->positions, mesh->positions, 12 * (size_t)mesh->vertex_count);
    faces = 0;
    for (uint32_t f = parity; f < mesh->face_count; f += 2, ++faces) {
        uint32_t count = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
        half->face_offsets[faces + 1] = half->face_offsets[faces] + count;
        memcpy(half->corners + half->face_offsets[faces], mesh->corners + mesh->face_offsets[f],
               4 * (size_t)count);
    }
    return half;
}

static void stitches_patches(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    arm a;
    arm_init(context, &a);
    sn_mesh *halves[2] = {half_of(a.skin, 0), half_of(a.skin, 1)};
    sn_mesh *whole = make(context, &a.desc, NULL);
    a.desc.meshes = (const sn_mesh *const *)halves;
    a.desc.mesh_count = 2;
    sn_driver_mesh_report report;
    sn_mesh *stitched = make(context, &a.desc, &report);
    assert_int_equal(report.border_edges, 0);
    assert_int_equal(report.welded_vertices, a.skin->vertex_count);
    snt_near(stitched->face_count, whole->face_count, 2);
    sn_mesh_destroy(stitched);
    sn_mesh_destroy(whole);
    sn_mesh_destroy(halves[0]);
    sn_mesh_destroy(halves[1]);
    arm_deinit(context, &a);
    snt_context_end(context);
}

// A skin that lies elsewhere than the skeleton: its bind matrices say where, in the driver's too.
static void follows_the_bind_pose(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    arm a;
    arm_init(context, &a);
    sn_transform moved = {sn_vec3_make(5, -3, 2),
                          sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), SN_PI / 2),
                          sn_vec3_make(1, 1, 1)};
    sn_mat4 to_skin = sn_mat4_from_transform(&moved), to_skeleton;
    assert_true(sn_mat4_invert(&to_skin, &to_skeleton));
    a.desc.binding = SN_DRIVER_RIGID;
    sn_mesh *straight = make(context, &a.desc, NULL);
    for (uint32_t v = 0; v < a.skin->vertex_count; ++v) {
        float *p = a.skin->positions + 3 * v;
        sn_vec3_store(sn_mat4_point(&to_skin, sn_vec3_load(p)), p);
    }
    snt_ok(sn_mesh_set_weights(a.skin, 2, 0, true, error));
    snt_ok(sn_mesh_name_bone(a.skin, 0, "upper", error));
    snt_ok(sn_mesh_name_bone(a.skin, 1, "fore", error));
    a.skin->weights->inverse_bind[0] = to_skeleton;
    a.skin->weights->inverse_bind[1] = to_skeleton;
    a.skin->weights->inverse_bind[1].m[13] -= 1;
    sn_mesh *driver = make(context, &a.desc, NULL);
    assert_int_equal(driver->weights->bone_count, 2); // the hand is no bone of the skin
    assert_non_null(driver->weights->inverse_bind);
    for (int i = 0; i < 16; ++i) {
        snt_near(driver->weights->inverse_bind[1].m[i], a.skin->weights->inverse_bind[1].m[i],
                 1e-12);
    }
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        double y = sn_mat4_point(&to_skeleton, sn_vec3_load(driver->positions + 3 * v)).y;
        assert_true(fabs(y - 1) < 1e-3 || weight_on(driver, v, y < 1 ? "upper" : "fore") == 1);
    }
    sn_mesh_destroy(straight);
    sn_mesh_destroy(driver);
    arm_deinit(context, &a);
    snt_context_end(context);
}

static void subdivides_a_part(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    arm a;
    arm_init(context, &a);
    sn_mesh *driver = make(context, &a.desc, NULL);
    sn_target *target = NULL;
    snt_ok(sn_mesh_add_target(driver, "lift", 1, true, &target, error));
    target->vertices[0] = 5;
    target->offsets[0] = target->offsets[1] = 0;
    target->offsets[2] = 1;
    uint8_t *selected = test_calloc(driver->face_count, 1);
    selected[7] = selected[8] = 1;
    for (int smooth = 0; smooth < 2; ++smooth) {
        sn_mesh *finer = NULL;
        snt_ok(sn_driver_mesh_subdivide(driver, selected, smooth, &finer, error));
        snt_ok(sn_mesh_validate(finer, error));
        int euler;
        assert_true(summarize(finer, &euler).closed);
        assert_int_equal(euler, 2);
        assert_true(finer->face_count >= driver->face_count + 6);
        assert_memory_equal(finer->positions, driver->positions, 12 * (size_t)driver->vertex_count);
        for (uint32_t v = 0; v < finer->vertex_count; ++v) {
            double sum = 0;
            for (uint32_t b = 0; b < finer->weights->bone_count; ++b) {
                const char *name = finer->weights->bone_names[b];
                double weight = weight_on(finer, v, name);
                sum += weight;
                assert_true(v >= driver->vertex_count || weight == weight_on(driver, v, name));
            }
            snt_near(sum, 1, 1e-6);
        }
        assert_int_equal(finer->target_count, 1);
        assert_true(finer->targets[0].offsets[3 * 5 + 2] == 1);
        sn_mesh_destroy(finer);
    }
    sn_mesh *finer = NULL;
    snt_fails(SN_INVALID, "face 1 has 4 corners",
              sn_driver_mesh_subdivide(a.skin, NULL, false, &finer, error));
    test_free(selected);
    sn_mesh_destroy(driver);
    arm_deinit(context, &a);
    snt_context_end(context);
}

static void refuses_bad_input(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    arm a;
    arm_init(context, &a);
    sn_mesh *driver = NULL;
#define REFUSES(text, change)                                                                      \
    do {                                                                                           \
        sn_driver_mesh_desc desc = a.desc;                                                         \
        change;                                                                                    \
        snt_fails(SN_INVALID, text,                                                                \
                  sn_driver_mesh_create(context, &desc, NULL, &driver, NULL, error));              \
        assert_null(driver);                                                                       \
    } while (0)
    const char *names[2] = {"fore", "uper"};
    sn_skeleton empty = {0};
    REFUSES("sn_driver_mesh_desc_default", desc.check = 0);
    REFUSES("the skin has no triangles", desc.mesh_count = 0);
    REFUSES("limbs are named, but there is no skeleton",
            (desc.skeleton = &empty, desc.segments = names, desc.segment_count = 1));
    REFUSES("weld is -1", desc.weld = -1);
    REFUSES("welding leaves no triangles", desc.weld = 0.9);
    REFUSES("detail at joints is 0.5", desc.joint_detail = 0.5);
    REFUSES("reach of joints is nan", desc.joint_reach = NAN);
    REFUSES("65 influences", desc.influences = 65);
    REFUSES("no binding 7", desc.binding = (sn_driver_binding)7);
    REFUSES("\"uper\" is not in the skeleton; did you mean \"upper\"?",
            (desc.segments = names, desc.segment_count = 2));
    REFUSES("no limbs", (desc.segments = names, desc.segment_count = 0));
#undef REFUSES
    arm_deinit(context, &a);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const arm *a = user;
    sn_mesh *driver = NULL, *finer = NULL;
    sn_status status = sn_driver_mesh_create(context, &a->desc, NULL, &driver, NULL, error);
    if (status == SN_OK) {
        status = sn_driver_mesh_subdivide(driver, NULL, true, &finer, error);
    }
    sn_mesh_destroy(finer);
    sn_mesh_destroy(driver);
    return status;
}

// The skin belongs to another context, whose memory does not run out; its triangles come from there
// too.
static void survives_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    arm a;
    arm_init(context, &a);
    a.desc.face_count = 12;
    snt_fail_allocations(attempt, &a);
    arm_deinit(context, &a);
    snt_context_end(context);
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_leg(const char *bone) {
    return strstr(bone, "leg") != NULL || strstr(bone, "foot") != NULL ||
           strstr(bone, "toe") != NULL;
}

static bool is_arm(const char *bone) {
    return strstr(bone, "arm") != NULL || strstr(bone, "wrist") != NULL ||
           strstr(bone, "finger") != NULL || strstr(bone, "metacarpal") != NULL;
}

// Left is +x. The crotch is at y = 0.8, the chin at 1.4; arms are farther out than 0.2.
static void check_sides(const sn_mesh *driver) {
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        const float *p = driver->positions + 3 * v;
        for (uint32_t i = driver->weights->offsets[v]; i < driver->weights->offsets[v + 1]; ++i) {
            const char *bone = driver->weights->bone_names[driver->weights->bones[i]];
            bool left = ends_with(bone, ".L"), right = ends_with(bone, ".R");
            if ((is_leg(bone) || is_arm(bone)) && fabsf(p[0]) > 0.005f) {
                assert_true(p[0] > 0 ? !right : !left);
            }
            if (p[1] < 0.6f && fabsf(p[0]) < 0.3f) {
                assert_true(is_leg(bone));
            }
            if (fabsf(p[0]) > 0.4f) {
                assert_true(is_arm(bone));
            }
        }
    }
}

static void stands_in_for_a_human(void **state) {
    (void)state;
    const char *path = snt_data("human/human.glb");
    sn_context *context = snt_context(0);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
    desc.meshes = (const sn_mesh *const *)import->meshes;
    desc.mesh_count = 1;
    desc.skeleton = &import->skeleton;
    for (int rigid = 0; rigid < 2; ++rigid) {
        desc.binding = rigid ? SN_DRIVER_RIGID : SN_DRIVER_SMOOTH;
        sn_driver_mesh_report report;
        sn_mesh *driver = make(context, &desc, &report);
        int euler;
        assert_true(summarize(driver, &euler).closed);
        assert_int_equal(euler, 2);
        assert_int_equal(driver->face_count, 1000);
        check_sides(driver);
        sn_mass mass, skin_mass;
        sn_triangles *triangles = NULL;
        snt_ok(sn_mass_compute(context, driver->positions, driver->corners, 1000, &mass, error));
        snt_ok(sn_triangles_create(import->meshes[0], import->meshes[0]->positions, &triangles,
                                   error));
        snt_ok(sn_mass_compute(context, import->meshes[0]->positions, triangles->vertices,
                               triangles->count, &skin_mass, error));
        snt_near(mass.volume, skin_mass.volume, 0.04 * skin_mass.volume);
        sn_triangles_destroy(triangles);
        sn_mesh_destroy(driver);
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

static void makes_drivers_of_other_models(void **state) {
    (void)state;
    const char *paths[3] = {snt_data("gltf/CesiumMan.glb"), snt_data("gltf/Fox.glb"),
                            snt_data("animal/dog/dog.glb")};
    sn_context *context = snt_context(0);
    for (int i = 0; i < 3; ++i) {
        sn_import *import = NULL;
        snt_ok(sn_import_file(context, paths[i], &import, error));
        sn_driver_mesh_desc desc = sn_driver_mesh_desc_default();
        desc.meshes = (const sn_mesh *const *)import->meshes;
        desc.mesh_count = 1;
        desc.skeleton = &import->skeleton;
        desc.face_count = 500;
        sn_mesh *driver = make(context, &desc, NULL);
        assert_true(driver->face_count <= 520 && driver->face_count > 400);
        sn_mesh_destroy(driver);
        sn_import_destroy(import);
    }
    snt_context_end(context);
}

// A skin whose weights are not what distances would say: the hand follows the upper arm.
static void paint(sn_mesh *skin) {
    snt_ok(sn_mesh_set_weights(skin, 2, 2 * skin->vertex_count, false, error));
    snt_ok(sn_mesh_name_bone(skin, 0, "upper", error));
    snt_ok(sn_mesh_name_bone(skin, 1, "fore", error));
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        float share = fminf(fmaxf(skin->positions[3 * (size_t)v + 1] / 2, 0), 1);
        skin->weights->offsets[v] = 2 * v;
        memcpy(skin->weights->bones + 2 * (size_t)v, (uint32_t[2]){0, 1}, 8);
        // Twice the sum that it should be.
        memcpy(skin->weights->values + 2 * (size_t)v, (float[2]){2 * share, 2 - 2 * share}, 8);
    }
    skin->weights->offsets[skin->vertex_count] = 2 * skin->vertex_count;
}

static void takes_over_the_weights_of_the_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    arm a;
    arm_init(context, &a);
    paint(a.skin);
    a.desc.binding = SN_DRIVER_SKIN;
    sn_driver_mesh_report report;
    sn_mesh *driver = make(context, &a.desc, &report);
    assert_int_equal(report.limb_count, 2);
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        // The mean over what was merged: within the reach of an edge of 300 faces.
        double share = fmin(fmax(driver->positions[3 * (size_t)v + 1] / 2, 0), 1);
        snt_near(weight_on(driver, v, "upper"), share, 0.06);
    }
    sn_mesh_destroy(driver);
    a.desc.face_count = 12;
    snt_fail_allocations(attempt, &a);
    a.desc.face_count = 300;
    // One influence: the larger one alone.
    a.desc.influences = 1;
    driver = make(context, &a.desc, &report);
    for (uint32_t v = 0; v < driver->vertex_count; ++v) {
        assert_int_equal(driver->weights->offsets[v + 1], v + 1);
    }
    sn_mesh_destroy(driver);
    // Without weights to take over, by distance.
    sn_mesh_clear_weights(a.skin);
    driver = make(context, &a.desc, &report);
    assert_int_equal(report.limb_count, 3);
    sn_mesh_destroy(driver);
    arm_deinit(context, &a);
    snt_context_end(context);
}

// Without a skeleton the driver is a cage of the number of faces that was asked for; where that
// cannot be, the report says why.
static void makes_cages_and_counts_faces(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    arm a;
    arm_init(context, &a);
    sn_driver_mesh_report report;
    sn_mesh *driver = NULL;
    a.desc.skeleton = NULL;
    const uint32_t counts[] = {300, 37, 8, 100000};
    for (int i = 0; i < 4; ++i) {
        a.desc.face_count = counts[i];
        snt_ok(sn_driver_mesh_create(context, &a.desc, NULL, &driver, &report, error));
        assert_null(driver->weights);
        assert_int_equal(report.limb_count, 0);
        assert_int_equal(report.part_count, 1);
        assert_int_equal(report.count, i < 3 ? SN_DRIVER_COUNT_MET : SN_DRIVER_COUNT_SKIN);
        assert_true(i == 3 || counts[i] - driver->face_count <= 1);
        sn_mesh_destroy(driver);
    }
    // Eight tubes do not fit into 20 faces.
    sn_mesh *tubes[8];
    for (int i = 0; i < 8; ++i) {
        tubes[i] = tube(context, 3.0 * i);
    }
    a.desc.meshes = (const sn_mesh *const *)tubes;
    a.desc.mesh_count = 8;
    a.desc.face_count = 20;
    snt_ok(sn_driver_mesh_create(context, &a.desc, NULL, &driver, &report, error));
    assert_int_equal(report.count, SN_DRIVER_COUNT_PARTS);
    assert_int_equal(report.part_count, 8);
    assert_true(report.face_count >= 32);
    sn_mesh_destroy(driver);
    for (int i = 0; i < 8; ++i) {
        sn_mesh_destroy(tubes[i]);
    }
    arm_deinit(context, &a);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_more_detail_at_joints),
        cmocka_unit_test(binds_to_the_closest_limb),
        cmocka_unit_test(binds_smoothly),
        cmocka_unit_test(keeps_limbs_apart),
        cmocka_unit_test(stitches_patches),
        cmocka_unit_test(follows_the_bind_pose),
        cmocka_unit_test(subdivides_a_part),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(makes_cages_and_counts_faces),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(stands_in_for_a_human),
        cmocka_unit_test(takes_over_the_weights_of_the_skin),
        cmocka_unit_test(makes_drivers_of_other_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
