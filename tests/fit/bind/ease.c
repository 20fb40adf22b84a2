// SPDX-License-Identifier: Apache-2.0
//
// Weights that are eased: a round limb with one joint, and a plate over a tube.
#include "test.h"

#include "fit/bind/ease.h"
#include "motion/skeleton.h"
#include "sinew/fit.h"

#include <stdlib.h>
#include <string.h>

enum { RINGS = 41, AROUND = 16, VERTICES = RINGS * AROUND, QUADS = (RINGS - 1) * AROUND };

static uint32_t vertex_at(uint32_t ring, uint32_t around) {
    return ring * AROUND + around % AROUND;
}

// A limb of radius 0.1 from y = -0.5 to 0.5, its joint at 0.
typedef struct limb {
    sn_vec3 arms[VERTICES];
    double areas[VERTICES], least[VERTICES], most[VERTICES], follow[VERTICES];
    uint8_t is_free[VERTICES];
    uint32_t edges[6 * QUADS + 2 * AROUND], triangles[6 * QUADS];
    sni_joint_skin skin;
} limb;

static void add_edge(limb *l, uint32_t a, uint32_t b) {
    l->edges[2 * l->skin.edge_count] = a;
    l->edges[2 * l->skin.edge_count++ + 1] = b;
}

static void add_triangle(limb *l, uint32_t a, uint32_t b, uint32_t c) {
    memcpy(l->triangles + 3 * (size_t)l->skin.triangle_count++, (uint32_t[]){a, b, c}, 12);
}

// Weights rise from 0 to 1 over `blend` about y = `middle`, now more and now less, as heat has them
// where a limb is uneven.
static void make_limb(limb *l, sn_context *context, double blend, double middle) {
    memset(l, 0, sizeof *l);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double y = (double)(v / AROUND) / (RINGS - 1) - 0.5;
        double turn = 2 * SN_PI * (v % AROUND) / AROUND;
        l->arms[v] = sn_vec3_make(0.1 * cos(turn), y, -0.1 * sin(turn));
        l->areas[v] = 0.1 * 2 * SN_PI / VERTICES;
        double wave = 0.08 * sin(90 * y + 3 * turn);
        l->follow[v] = fmin(fmax(0.5 + (y - middle) / blend + wave, 0), 1);
        l->is_free[v] = fabs(y) < 0.4;
        l->most[v] = 1;
    }
    for (uint32_t i = 0; i < QUADS; ++i) {
        uint32_t ring = i / AROUND, a = vertex_at(ring, i), b = vertex_at(ring, i + 1);
        add_edge(l, a, b);
        add_edge(l, a, a + AROUND);
        add_edge(l, a, b + AROUND);
        add_triangle(l, a, b, b + AROUND);
        add_triangle(l, a, b + AROUND, a + AROUND);
    }
    l->skin.context = context;
    l->skin.vertex_count = VERTICES;
    l->skin.arms = l->arms;
    l->skin.areas = l->areas;
    l->skin.edges = l->edges;
    l->skin.triangles = l->triangles;
    l->skin.is_free = l->is_free;
    l->skin.least = l->least;
    l->skin.most = l->most;
    l->skin.follow = l->follow;
    l->skin.body_edges = 3 * QUADS * 0.03;
    l->skin.body_volume = SN_PI * 0.01;
}

// Root of the mean square of the logarithms of edges, in a turn that easing does not look at.
static double stretch_of(const limb *l, const double *follow, sn_vec3 axis, double degrees) {
    sn_quat q = sn_quat_from_axis_angle(axis, degrees * SN_PI / 180);
    double sum = 0;
    for (uint32_t i = 0; i < l->skin.edge_count; ++i) {
        sn_vec3 ends[2];
        for (int end = 0; end < 2; ++end) {
            uint32_t v = l->edges[2 * i + (uint32_t)end];
            ends[end] = sn_vec3_lerp(l->arms[v], sn_quat_rotate(q, l->arms[v]), follow[v]);
        }
        double rest = sn_vec3_distance(l->arms[l->edges[2 * i]], l->arms[l->edges[2 * i + 1]]);
        double ratio = log(fmax(sn_vec3_distance(ends[0], ends[1]) / rest, 1e-3));
        sum += ratio * ratio / l->skin.edge_count;
    }
    return sqrt(sum);
}

// The change of the volume in a turn, in parts of the limb's.
static double swell_of(const limb *l, const double *follow, sn_vec3 axis, double degrees) {
    sn_quat q = sn_quat_from_axis_angle(axis, degrees * SN_PI / 180);
    double sum = 0;
    for (uint32_t i = 0; i < l->skin.triangle_count; ++i) {
        sn_vec3 at[3];
        const sn_vec3 *y = l->arms;
        const uint32_t *v = l->triangles + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            at[k] = sn_vec3_lerp(y[v[k]], sn_quat_rotate(q, y[v[k]]), follow[v[k]]);
        }
        sum += sn_vec3_dot(at[0], sn_vec3_cross(at[1], at[2])) -
               sn_vec3_dot(y[v[0]], sn_vec3_cross(y[v[1]], y[v[2]]));
    }
    return sum / 6 / l->skin.body_volume;
}

// A joint with uneven weights that lie beside it: eased, turns by other angles about other axes
// stretch it less, and change the volume less. Weights keep to their bounds, and those that may not
// change do not.
static void an_uneven_joint_is_eased(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    limb *l = malloc(sizeof *l), *old = malloc(sizeof *old);
    snt_random random = {5};
    double before = 0, after = 0;
    make_limb(l, context, 0.3, 0.05);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        l->least[v] = fmax(0, l->follow[v] - 0.3);
    }
    memcpy(old, l, sizeof *l);
    snt_ok(sni_ease_joint(&l->skin, error));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        assert_true(l->follow[v] >= l->least[v] && l->follow[v] <= l->most[v]);
        if (!l->is_free[v]) {
            snt_near(l->follow[v], old->follow[v], 0);
        }
    }
    for (int i = 0; i < 20; ++i) {
        double turn = snt_random_range(&random, 0, 2 * SN_PI);
        double degrees = snt_random_range(&random, 15, 65);
        sn_vec3 axis = sn_vec3_make(cos(turn), 0, sin(turn));
        assert_true(stretch_of(l, l->follow, axis, degrees) <
                    0.9 * stretch_of(old, old->follow, axis, degrees));
        before += fabs(swell_of(old, old->follow, axis, degrees));
        after += fabs(swell_of(l, l->follow, axis, degrees));
    }
    assert_true(after < 0.9 * before);
    free(l);
    free(old);
    snt_context_end(context);
}

// Any number of threads gives the same bits.
static void threads_do_not_matter(void **state) {
    (void)state;
    limb *limbs[3];
    for (uint32_t k = 0; k < 3; ++k) {
        sn_context *context = snt_context(k == 2 ? 8 : k + 1);
        limbs[k] = malloc(sizeof *limbs[k]);
        make_limb(limbs[k], context, 0.2, 0.02);
        snt_ok(sni_ease_joint(&limbs[k]->skin, error));
        assert_memory_equal(limbs[k]->follow, limbs[0]->follow, sizeof limbs[k]->follow);
        snt_context_end(context);
    }
    for (uint32_t k = 0; k < 3; ++k) {
        free(limbs[k]);
    }
}

// A row of rings around y, closed by nothing.
static sn_mesh *shell(sn_context *context, double radius, double low, double high) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "shell", VERTICES, QUADS, 4 * QUADS, &mesh, error));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double turn = 2 * SN_PI * (v % AROUND) / AROUND;
        double y = low + (high - low) * (v / AROUND) / (RINGS - 1);
        sn_vec3_store(sn_vec3_make(radius * cos(turn), y, -radius * sin(turn)),
                      mesh->positions + 3 * (size_t)v);
    }
    for (uint32_t i = 0; i < QUADS; ++i) {
        uint32_t ring = i / AROUND, a = vertex_at(ring, i), b = vertex_at(ring, i + 1);
        memcpy(mesh->corners + 4 * (size_t)i, (uint32_t[]){a, b, b + AROUND, a + AROUND}, 16);
        mesh->face_offsets[i + 1] = 4 * (i + 1);
    }
    return mesh;
}

static double weight_of_lower(const sn_mesh *mesh, uint32_t vertex) {
    double sum = 0;
    for (uint32_t i = mesh->weights->offsets[vertex]; i < mesh->weights->offsets[vertex + 1]; ++i) {
        bool lower = strcmp(mesh->weights->bone_names[mesh->weights->bones[i]], "lower") == 0;
        sum += lower ? mesh->weights->values[i] : 0;
    }
    return sum;
}

// A sleeve over a limb is a part of its own. Alone it would be stretched least where it is stiff;
// it follows what is below it.
static void a_sleeve_goes_with_what_it_is_on(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *meshes[2] = {shell(context, 0.1, -0.5, 0.5), shell(context, 0.11, -0.12, 0.1)};
    sn_skeleton skeleton;
    sn_bind_report report;
    static const char *const names[] = {"upper", "lower", "tip"};
    static const double places[] = {-0.5, 0.5, 0.3}; // above the parent
    snt_ok(sni_skeleton_init(context, 3, &skeleton, error));
    for (uint32_t i = 0; i < 3; ++i) {
        skeleton.segments[i].name = sni_string_copy(context, names[i]);
        skeleton.segments[i].parent = i > 0 ? i - 1 : SN_NONE;
        skeleton.segments[i].rest.translation = sn_vec3_make(0, places[i], 0);
    }
    snt_ok(sni_skeleton_sort(context, &skeleton, error));
    sn_bind_desc desc = sn_bind_desc_default();
    desc.skeleton = &skeleton;
    desc.resolution = 64;
    snt_ok(sn_bind_meshes(context, &desc, 2, meshes, NULL, &report, error));
    assert_int_equal(report.part_count, 2);
    double first = weight_of_lower(meshes[1], 0);
    double last = weight_of_lower(meshes[1], VERTICES - 1);
    assert_true(last - first > 0.5);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double y = meshes[1]->positions[3 * (size_t)v + 1];
        uint32_t ring = (uint32_t)floor((y + 0.5) * (RINGS - 1) + 0.5);
        snt_near(weight_of_lower(meshes[1], v), weight_of_lower(meshes[0], ring * AROUND), 0.15);
    }
    sn_mesh_destroy(meshes[0]);
    sn_mesh_destroy(meshes[1]);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_uneven_joint_is_eased),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_sleeve_goes_with_what_it_is_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
