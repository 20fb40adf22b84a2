// SPDX-License-Identifier: Apache-2.0
//
// A body of which the left side is written and the right side is its mirror image, against the same
// body with both sides written by hand, and against its own reflection, in random poses.
#include "../character/documents.h"

#include "motion/skeleton.h"
#include "sinew/eval.h"

#include <math.h>

// The parts of the left side are macros, so that both documents have them; MIRROR ends each.
#define ARM                                                                                        \
    "'arm.L': {'parent': 'trunk', 'translation': [0.2, 0.5, 0.05], 'rotation_deg': [20, -35, "     \
    "50],\n'order': 'zxy', 'limits_deg': {'ry': [-80, 30], 'rz': [-20, 90]}, 'rest_deg': {'ry': "  \
    "-10},\n'limits': {'tx': [-0.1, 0.3]}, 'rest': {'tx': 0.02, 'sy': 1.1}"
#define HAND                                                                                       \
    "'hand.L': {'parent': 'arm.L', 'translation': [0.05, -0.3, 0.02], 'rotation': [0.1, 0.3, "     \
    "-0.1,\n0.9433981132056604], 'order': 'yzx'"
#define BONES                                                                                      \
    "'ulna.L': {'segment': 'arm.L', 'frame': 'size', 'ellipsoid': {'center': [0.1, -0.4, 0.1],\n"  \
    "'radii': [0.1, 0.45, 0.15], 'rotation_deg': [10, 25, -15]}"
#define CLAW                                                                                       \
    "'claw.L': {'segment': 'hand.L', 'frame': 'segment', 'ellipsoid': {'center': [0.02, -0.1, "    \
    "0],\n'radii': [0.03, 0.1, 0.04], 'rotation_deg': [0, 30, 20]}"
#define RIB                                                                                        \
    "'rib.L': {'segment': 'trunk', 'frame': 'size', 'tube': {'points': [[0.1, 0.3, -0.1], [0.5,\n" \
    "0.2, 0.1], [0.2, 0.1, 0.6]], 'radii': [[0.05, 0.03], 0.04, [0.06, 0.02]], 'side': [0.2, 1, "  \
    "0.3]}"
#define PLATE "'plate.L': {'segment': 'trunk', 'mesh': 'wedge.L'"
#define PAD "'pad.L': {'segment': 'hand.L', 'mesh': 'wedge.L', 'frame': 'size', 'look': 'skin'"
#define FLEXOR                                                                                     \
    "'flexor.L': {'kind': 'cylinder', 'slices': 9, 'points': 8, 'volume': 'exact',\n"              \
    "'origins': [{'bone': 'spine', 'at': [0.9, 0.8, 0.7]}, {'bone': 'spine', 'at': [0.8, 0.6, "    \
    "0.9]}],\n'insertions': [{'bone': 'claw.L', 'at': [0.4, 0.9, 1]}, {'bone': 'claw.L', 'at': "   \
    "[0.8, 0.7, 1]}],\n'shape': [{'slice': 3, 'scale': [1.2, 0.8], 'move': [0.02, 0.01, 0.005], "  \
    "'turn_deg': [5, 12, -20]}],\n'pivots': [{'slice': 5, 'segment': 'arm.L', 'at': [0.05, -0.2, " \
    "0.08], 'turn_deg': [80, 20, 10]}]"
#define EXTENSOR                                                                                   \
    "'extensor.L': {'kind': 'cylinder', 'order': 'given', 'sizes': 'length', 'points': 7,\n"       \
    "'origins': [{'bone': 'ulna.L', 'at': [0.1, 0.9, 0.2]}, {'bone': 'ulna.L', 'at': [0.2, 0.7, "  \
    "0.1]}],\n'insertions': [{'bone': 'claw.L', 'at': [0.1, 0.9, 0]}, {'bone': 'claw.L', 'at': "   \
    "[0.3, 0.7, 0]}]"
#define PRONATOR                                                                                   \
    "'pronator.L': {'kind': 'ellipsoid', 'points': 8, 'origin': {'bone': 'ulna.L', 'at': [0.2, "   \
    "0.5,\n1]}, 'insertion': {'bone': 'claw.L', 'at': [0.6, 0.5, 1]}"

#define BEFORE                                                                                     \
    "{'sinew': 1, 'name': 'body', 'skeleton': {'trunk': {'translation': [0, 1, 0.1], "             \
    "'rotation_deg':\n[15, 0, 0]},\n"
#define SPINE "'spine': {'segment': 'trunk', 'ellipsoid': {'radii': [0.1, 0.6, 0.1]}},\n"
#define MIRROR ", 'mirror': true}"
#define BY_HAND "}"

static const char one_side[] = BEFORE ARM MIRROR
    ",\n" HAND MIRROR "},\n"
    "'meshes': {'wedge.L': {'file': 'wedge.obj'" MIRROR "},\n"
    "'bones': {" SPINE BONES MIRROR ",\n" CLAW MIRROR ",\n" RIB MIRROR ",\n" PLATE MIRROR "},\n"
    "'tissues': {" PAD MIRROR "},\n"
    "'muscles': {" FLEXOR MIRROR ",\n" EXTENSOR MIRROR ",\n" PRONATOR MIRROR "}}\n";

static const char both_sides[] = BEFORE ARM BY_HAND
    ",\n" HAND BY_HAND ",\n"
    "'arm.R': {'parent': 'trunk', 'translation': [-0.2, 0.5, 0.05], 'rotation_deg': [20, 35, "
    "-50],\n"
    "'order': 'zxy', 'limits_deg': {'ry': [-30, 80], 'rz': [-90, 20]}, 'rest_deg': {'ry': 10},\n"
    "'limits': {'tx': [-0.3, 0.1]}, 'rest': {'tx': -0.02, 'sy': 1.1}},\n"
    "'hand.R': {'parent': 'arm.R', 'translation': [-0.05, -0.3, 0.02], 'rotation': [0.1, -0.3, "
    "0.1,\n"
    "0.9433981132056604], 'order': 'yzx'}},\n"
    "'meshes': {'wedge.L': {'file': 'wedge.obj'}, 'wedge.R': {'file': 'egdew.obj'}},\n"
    "'bones': {" SPINE BONES BY_HAND ",\n" CLAW BY_HAND ",\n" RIB BY_HAND ",\n" PLATE BY_HAND ",\n"
    "'rib.R': {'segment': 'trunk', 'frame': 'size', 'tube': {'points': [[-0.1, 0.3, -0.1], [-0.5,\n"
    "0.2, 0.1], [-0.2, 0.1, 0.6]], 'radii': [[0.05, 0.03], 0.04, [0.06, 0.02]], 'side': [-0.2, 1,\n"
    "0.3]}},\n"
    "'ulna.R': {'segment': 'arm.R', 'frame': 'size', 'ellipsoid': {'center': [-0.1, -0.4, 0.1],\n"
    "'radii': [0.1, 0.45, 0.15], 'rotation_deg': [10, -25, 15]}},\n"
    "'claw.R': {'segment': 'hand.R', 'frame': 'segment', 'ellipsoid': {'center': [-0.02, -0.1, "
    "0],\n"
    "'radii': [0.03, 0.1, 0.04], 'rotation_deg': [0, -30, -20]}},\n"
    "'plate.R': {'segment': 'trunk', 'mesh': 'wedge.R'}},\n"
    "'tissues': {" PAD BY_HAND ",\n"
    "'pad.R': {'segment': 'hand.R', 'mesh': 'wedge.R', 'frame': 'size', 'look': 'skin'}},\n"
    "'muscles': {" FLEXOR BY_HAND ",\n" EXTENSOR BY_HAND ",\n" PRONATOR BY_HAND ",\n"
    "'flexor.R': {'kind': 'cylinder', 'slices': 9, 'points': 8, 'volume': 'exact',\n"
    "'origins': [{'bone': 'spine', 'at': [0.1, 0.8, 0.7]}, {'bone': 'spine', 'at': [0.2, 0.6, "
    "0.9]}],\n"
    "'insertions': [{'bone': 'claw.R', 'at': [0.6, 0.9, 1]}, {'bone': 'claw.R', 'at': [0.2, 0.7, "
    "1]}],\n"
    "'shape': [{'slice': 3, 'scale': [1.2, 0.8], 'move': [-0.02, 0.01, 0.005], 'turn_deg': [5, "
    "-12,\n"
    "20]}], 'pivots': [{'slice': 5, 'segment': 'arm.R', 'at': [-0.05, -0.2, 0.08], 'turn_deg': "
    "[80, -20,\n"
    "-10]}]},\n"
    "'extensor.R': {'kind': 'cylinder', 'order': 'given', 'sizes': 'length', 'points': 7,\n"
    "'origins': [{'bone': 'ulna.R', 'at': [0.8, 0.7, 0.1]}, {'bone': 'ulna.R', 'at': [0.9, 0.9, "
    "0.2]}],\n"
    "'insertions': [{'bone': 'claw.R', 'at': [0.7, 0.7, 0]}, {'bone': 'claw.R', 'at': [0.9, 0.9, "
    "0]}]},\n"
    "'pronator.R': {'kind': 'ellipsoid', 'points': 8, 'origin': {'bone': 'ulna.R', 'at': [0.8, "
    "0.5,\n"
    "1]}, 'insertion': {'bone': 'claw.R', 'at': [0.4, 0.5, 1]}}}}\n";

// A closed wedge without any symmetry, and its mirror image with the faces turned over.
static void write_wedges(void) {
    write_text(snt_scratch("wedge.obj"),
               "v 0.1 0 0\nv 0.3 0.02 0\nv 0.1 0.3 0.05\nv 0.15 0.05 0.2\n"
               "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    write_text(snt_scratch("egdew.obj"),
               "v -0.1 0 0\nv -0.3 0.02 0\nv -0.1 0.3 0.05\nv -0.15 0.05 0.2\n"
               "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
}

typedef struct body {
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} body;

static body make_body(sn_context *context, const char *text) {
    body b;
    snt_ok(parse_quoted(context, snt_scratch("body.sinew.json"), text, &b.character, error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    return b;
}

static void end_body(body *b) {
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
}

static uint32_t surface_of(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        if (strcmp(sn_model_surface(model, i)->name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no surface %s", name);
    return SN_NONE;
}

// The other side's name, by the last letter.
static void other_side(const char *name, char other[64]) {
    snprintf(other, 64, "%s", name);
    other[strlen(other) - 1] = other[strlen(other) - 1] == 'L' ? 'R' : 'L';
}

// The greatest distance of a point of one surface, reflected, from the closest one of the other.
static double distance_of_images(const body *b, uint32_t left, uint32_t right) {
    uint32_t count = sn_model_surface(b->model, left)->mesh->vertex_count;
    const float *from = sn_frame_points(b->frame, left), *to = sn_frame_points(b->frame, right);
    double greatest = 0;
    assert_int_equal(sn_model_surface(b->model, right)->mesh->vertex_count, count);
    for (uint32_t v = 0; v < count; ++v) {
        sn_vec3 p = sn_vec3_load(from + 3 * (size_t)v);
        double least = INFINITY;
        for (uint32_t w = 0; w < count; ++w) {
            least = fmin(least, sn_vec3_distance(sn_vec3_make(-p.x, p.y, p.z),
                                                 sn_vec3_load(to + 3 * (size_t)w)));
        }
        greatest = fmax(greatest, least);
    }
    return greatest;
}

static void expect_image(const body *b) {
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(b->model); ++i) {
        const char *name = sn_model_surface(b->model, i)->name;
        if (strstr(name, ".L") == NULL) {
            continue;
        }
        char other[64];
        other_side(name, other);
        uint32_t right = surface_of(b->model, other);
        double distance = fmax(distance_of_images(b, i, right), distance_of_images(b, right, i));
        if (!(distance <= 1e-6)) {
            fail_msg("%s is %g m away from the image of %s", other, distance, name);
        }
        pairs++;
    }
    assert_int_equal(pairs, 8);
}

static void expect_equal(const body *a, const body *b) {
    for (uint32_t i = 0; i < sn_model_surface_count(a->model); ++i) {
        const sn_surface *surface = sn_model_surface(a->model, i);
        uint32_t k = surface_of(b->model, surface->name);
        const sn_mesh *other = sn_model_surface(b->model, k)->mesh;
        assert_int_equal(surface->mesh->vertex_count, other->vertex_count);
        for (size_t c = 0; c < 3 * (size_t)surface->mesh->vertex_count; ++c) {
            snt_near(sn_frame_points(a->frame, i)[c], sn_frame_points(b->frame, k)[c], 1e-6);
        }
    }
}

// Row and column x change their signs, but not where they meet.
static void expect_image_of_frame(const sn_mat4 *left, const sn_mat4 *right, double tolerance) {
    for (uint32_t i = 0; i < 16; ++i) {
        double sign = (i / 4 == 0) != (i % 4 == 0) ? -1 : 1;
        snt_near(right->m[i], sign * left->m[i], tolerance);
    }
}

static void expect_images_of_frames(const body *b, const sn_mat4 *worlds) {
    const sn_skeleton *skeleton = sn_model_skeleton(b->model);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (strstr(skeleton->segments[i].name, ".L") != NULL) {
            char other[64];
            other_side(skeleton->segments[i].name, other);
            expect_image_of_frame(&worlds[i], &worlds[sni_skeleton_find(skeleton, other)], 1e-12);
        }
    }
}

// Turns the left side at random and the right side so that it is its image; the trunk stays
// symmetric.
static void pose(body *bodies, uint32_t count, snt_random *random) {
    static const struct {
        const char *segment, *parameter;
        double low, high, sign;
    } moves[] = {
        {"arm", "rx_deg", -60, 60, 1},   {"arm", "ry_deg", -80, 30, -1},
        {"arm", "rz_deg", -20, 90, -1},  {"arm", "tx", -0.1, 0.3, -1},
        {"arm", "ty", -0.1, 0.1, 1},     {"hand", "rx_deg", -60, 60, 1},
        {"hand", "ry_deg", -60, 60, -1}, {"hand", "rz_deg", -60, 60, -1},
        {"hand", "sx", 0.8, 1.2, 1},
    };
    double bend = snt_random_range(random, -30, 30);
    for (uint32_t b = 0; b < count; ++b) {
        snt_ok(sn_frame_set(bodies[b].frame, "trunk.rx_deg", bend, error));
    }
    for (size_t i = 0; i < sizeof moves / sizeof *moves; ++i) {
        double value = snt_random_range(random, moves[i].low, moves[i].high);
        for (uint32_t b = 0; b < 2 * count; ++b) {
            char name[64];
            snprintf(name, sizeof name, "%s.%c.%s", moves[i].segment, b % 2 == 0 ? 'L' : 'R',
                     moves[i].parameter);
            snt_ok(sn_frame_set(bodies[b / 2].frame, name,
                                b % 2 == 0 ? value : moves[i].sign * value, error));
        }
    }
    for (uint32_t b = 0; b < count; ++b) {
        snt_ok(sn_frame_evaluate(bodies[b].frame, NULL, 0, error));
    }
}

static void is_the_image_of_one_side(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    write_wedges();
    body bodies[2] = {make_body(context, one_side), make_body(context, both_sides)};
    snt_random random = {20240611};
    expect_images_of_frames(&bodies[0], sn_model_rest_worlds(bodies[0].model));
    for (uint32_t b = 0; b < 2; ++b) {
        snt_ok(sn_frame_evaluate(bodies[b].frame, NULL, 0, error));
    }
    expect_image(&bodies[0]);
    expect_equal(&bodies[0], &bodies[1]);
    for (int i = 0; i < 40; ++i) {
        pose(bodies, 2, &random);
        expect_images_of_frames(&bodies[0], sn_frame_worlds(bodies[0].frame));
        expect_image(&bodies[0]);
        expect_equal(&bodies[0], &bodies[1]);
    }
    end_body(&bodies[0]);
    end_body(&bodies[1]);
    snt_context_end(context);
}

// A mesh that was mirrored has the faces of one that was written mirrored, outside out.
static void turns_faces_over(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    write_wedges();
    body bodies[2] = {make_body(context, one_side), make_body(context, both_sides)};
    const sn_mesh *meshes[2], *again;
    for (int i = 0; i < 2; ++i) {
        snt_ok(sn_character_mesh(bodies[i].character, "wedge.R", &meshes[i], error));
    }
    snt_ok(sn_character_mesh(bodies[0].character, "wedge.R", &again, error));
    assert_ptr_equal(meshes[0], again); // made once
    assert_memory_equal(meshes[0]->positions, meshes[1]->positions, 12 * sizeof(float));
    assert_memory_equal(meshes[0]->corners, meshes[1]->corners, 12 * sizeof(uint32_t));
    end_body(&bodies[0]);
    end_body(&bodies[1]);
    snt_context_end(context);
}

// M R(a, b, c) M = R(a, -b, -c), in every order, as angles and as a quaternion.
static void reflects_turns_in_every_order(void **state) {
    (void)state;
    snt_random random = {7};
    for (int i = 0; i < 600; ++i) {
        sn_rotation_order order = (sn_rotation_order)(i % 6);
        sn_vec3 a = {snt_random_range(&random, -4, 4), snt_random_range(&random, -4, 4),
                     snt_random_range(&random, -4, 4)};
        sn_quat left = sn_quat_from_euler(a, order);
        sn_quat angles = sn_quat_from_euler(sn_vec3_make(a.x, -a.y, -a.z), order);
        sn_quat quaternion = {left.x, -left.y, -left.z, left.w};
        sn_mat4 frames[3];
        const sn_quat turns[3] = {left, angles, quaternion};
        for (int k = 0; k < 3; ++k) {
            frames[k] =
                sn_mat4_from_transform(&(sn_transform){.rotation = turns[k], .scale = {1, 1, 1}});
        }
        expect_image_of_frame(&frames[0], &frames[1], 1e-14);
        expect_image_of_frame(&frames[0], &frames[2], 1e-14);
    }
}

// A muscle of a model is made anew also where it is the image of what was edited.
// Takes over an edit of the document into model and frame.
static void recompile(body *b) {
    sn_model *model = NULL;
    snt_ok(sn_model_recompile(b->character, b->model, NULL, &model, error));
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    b->model = model;
    snt_ok(sn_frame_create(model, &b->frame, error));
}

static void updates_an_image(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    write_wedges();
    body b = make_body(context, one_side);
    sn_json *json = sn_character_document(b.character);
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    sn_json_add_number(json, sn_json_find(json, "/muscles/pronator.L"), "width", 0.2);
    recompile(&b);
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    expect_image(&b);
    end_body(&b);
    snt_context_end(context);
}

static sn_status make_and_destroy(sn_context *context, void *text, sn_error *error) {
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_status status =
        parse_quoted(context, snt_scratch("body.sinew.json"), text, &character, error);
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, error);
    }
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    static char small[] =
        "{'sinew': 1, 'name': 'a', 'skeleton': {'s #.L': {'chain': 2, 'mirror': true}}, 'meshes':\n"
        "{'wedge.L': {'file': 'wedge.obj', 'mirror': true}}, 'proportions': {'s #.R': 2}, "
        "'tissues':\n"
        "{'t.L': {'mirror': true, 'mesh': 'wedge.L', 'segment': 's 2.L', 'frame': 'size'}},\n"
        "'clips': {'c': {'tracks': {'s #.L.ry': {'repeat': 2, 'mirror': true, 'delay': 0.3, "
        "'vary':\n"
        "{'keys.1.1': [1, 2]}, 'keys': [[0, 1], [0.5, 7], [1, 1]]}}}}}";
    write_wedges();
    snt_fail_allocations(make_and_destroy, small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_image_of_one_side),       cmocka_unit_test(turns_faces_over),
        cmocka_unit_test(reflects_turns_in_every_order),  cmocka_unit_test(updates_an_image),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
