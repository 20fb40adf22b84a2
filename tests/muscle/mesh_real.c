// SPDX-License-Identifier: Apache-2.0
//
// Scanned muscles on strips that were fitted to them: the hind leg of the dog.
#include "test.h"

#include "geometry/edge.h"
#include "muscle/muscle.h"
#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>

enum { SEGMENTS = 4, BONES = 8, PARAMETERS = 16, STRIPS = 8, POSES = 12 };

static const char *const muscles[] = {"m_biceps_femoris_L", "m_gastrocnemius_L",
                                      "m_gracilis_L",       "m_semitendinosus_L",
                                      "m_rectus_femoris_L", "m_gluteus_profundus_minor_L",
                                      "m_sartorius_L",      "vastus_lat_ander_fascia_lata_L"};
static const struct {
    const char *name;
    uint32_t segment;
} bones[BONES] = {{"Pelvis", 0},      {"Femoris_L", 1},    {"Patella_L", 1},
                  {"Tibia_L", 2},     {"Fibula_L", 2},     {"Calcaneal_tuber_L", 3},
                  {"Tarsus_L_IV", 3}, {"Metatarsi_L_3", 3}};
// Pelvis, hip, knee, ankle.
static const sn_vec3 joints[SEGMENTS] = {{0, 0.4762, -0.3082},
                                         {0.0472, 0.4636, -0.3263},
                                         {0.0783, 0.2965, -0.3493},
                                         {0.0727, 0.1583, -0.5285}};
static const uint32_t parents[SEGMENTS] = {SN_NONE, 0, 1, 2};

typedef struct leg {
    sn_context *context;
    sn_import *bones[BONES];
    sn_fit_bone fit_bones[BONES];
    sn_mat4 rest[SEGMENTS];
} leg;

static sn_import *read(sn_context *context, const char *folder, const char *name) {
    char path[256];
    sn_import *import = NULL;
    snprintf(path, sizeof path, "animal/dog/%s/%s.obj", folder, name);
    snt_ok(sn_import_file(context, snt_data(path), &import, error));
    return import;
}

static void set_up(leg *l) {
    snt_data("animal/dog/index.csv");
    *l = (leg){.context = snt_context(2)};
    for (uint32_t i = 0; i < BONES; ++i) {
        l->bones[i] = read(l->context, "bones", bones[i].name);
        l->fit_bones[i] = (sn_fit_bone){bones[i].name, l->bones[i]->meshes[0], bones[i].segment};
    }
    for (uint32_t i = 0; i < SEGMENTS; ++i) {
        l->rest[i] = sn_mat4_identity();
        l->rest[i].m[12] = joints[i].x;
        l->rest[i].m[13] = joints[i].y;
        l->rest[i].m[14] = joints[i].z;
    }
}

static void tear_down(leg *l) {
    for (uint32_t i = 0; i < BONES; ++i) {
        sn_import_destroy(l->bones[i]);
    }
    snt_context_end(l->context);
}

// What a fitted strip is for the muscle; all memory is in `part`.
typedef struct part {
    sni_muscle_attachment ends[2][2];
    sni_muscle_section sections[64];
    sni_muscle_pivot pivots[64];
    double parameters[PARAMETERS];
} part;

static sni_muscle_strip strip_of(const sn_fit_strip *fit, part *p) {
    const sni_muscle_ops *cylinder = &sni_muscle_cylinder;
    assert_true(fit->slice_count <= 64 && cylinder->parameters.count <= PARAMETERS);
    for (int k = 0; k < 4; ++k) {
        const sn_fit_place *place = k < 2 ? &fit->origins[k] : &fit->insertions[k - 2];
        p->ends[k / 2][k % 2] = (sni_muscle_attachment){
            .segment = bones[place->bone].segment, .point = place->point, .normal = {0, 0, 0}};
    }
    for (uint32_t i = 0; i < fit->slice_count; ++i) {
        const sn_fit_section *s = &fit->sections[i];
        p->sections[i] = (sni_muscle_section){s->center, s->wide, s->thick};
    }
    for (uint32_t i = 0; i < fit->pivot_count; ++i) {
        const sn_fit_pivot *pivot = &fit->pivots[i];
        p->pivots[i] = (sni_muscle_pivot){.slice = pivot->slice,
                                          .segment = pivot->segment,
                                          .at = sn_vec3_sub(pivot->point, joints[pivot->segment])};
    }
    sni_parameters_defaults(&cylinder->parameters, p->parameters);
    p->parameters[sni_parameters_find(&cylinder->parameters, "slices")] = fit->slice_count;
    return (sni_muscle_strip){.parameters = p->parameters,
                              .body = {.origin_count = 2,
                                       .insertion_count = 2,
                                       .origins = p->ends[0],
                                       .insertions = p->ends[1],
                                       .section_count = fit->slice_count,
                                       .sections = p->sections,
                                       .pivot_count = fit->pivot_count,
                                       .pivots = p->pivots}};
}

// Hip, knee and ankle turned as in a long step.
static void step(const leg *l, snt_random *random, sn_mat4 *worlds) {
    static const double low[SEGMENTS] = {0, -0.5, -0.4, -0.6}, high[SEGMENTS] = {0, 0.5, 0.7, 0.6};
    worlds[0] = l->rest[0];
    for (uint32_t i = 1; i < SEGMENTS; ++i) {
        sn_transform local = {
            sn_vec3_sub(joints[i], joints[i - 1]),
            sn_quat_from_euler(sn_vec3_make(snt_random_range(random, low[i], high[i]), 0, 0),
                               SN_ROTATION_XYZ),
            {1, 1, 1}};
        sn_mat4 matrix = sn_mat4_from_transform(&local);
        worlds[i] = sn_mat4_multiply(&worlds[i - 1], &matrix);
    }
}

// The part of edges, of those longer than a tenth of a millimetre, that are stretched beyond twice.
static double share_stretched(const sn_mesh *mesh, const sn_topology *topology,
                              const float *surface) {
    uint32_t stretched = 0;
    for (uint32_t i = 0; i < topology->edge_count; ++i) {
        const uint32_t *edge = topology->edges + 2 * (size_t)i;
        double rest = sni_edge_length(mesh->positions, edge);
        stretched += rest > 1e-4 && sni_edge_length(surface, edge) > 2 * rest;
    }
    return (double)stretched / topology->edge_count;
}

static void try_muscle(const leg *l, const char *name, snt_random *random) {
    const sni_muscle_ops *ops = &sni_muscle_mesh;
    sn_import *import = read(l->context, "muscles", name);
    const sn_mesh *mesh = import->meshes[0];
    sn_muscle_fit *fit = NULL;
    sn_triangles *triangles = NULL;
    sn_topology *topology = NULL;
    void *bound = NULL;
    sni_muscle_strip strips[STRIPS];
    part *parts = calloc(STRIPS, sizeof *parts);
    sn_muscle_fit_desc desc = sn_muscle_fit_desc_default();
    desc.name = name;
    desc.mesh = mesh;
    desc.bone_count = BONES;
    desc.bones = l->fit_bones;
    desc.segment_count = SEGMENTS;
    desc.segment_parents = parents;
    snt_ok(sn_fit_muscle(l->context, &desc, &fit, error));
    assert_true(fit->strip_count <= STRIPS);
    for (uint32_t i = 0; i < fit->strip_count; ++i) {
        strips[i] = strip_of(&fit->strips[i], &parts[i]);
    }
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sn_topology_create(mesh, &topology, error));
    sni_strips_input input = {.mesh = mesh, .strip_count = fit->strip_count, .strips = strips};
    sni_muscle_job job = {.context = l->context,
                          .name = name,
                          .segment_count = SEGMENTS,
                          .rest_worlds = l->rest,
                          .inputs = {&input}};
    snt_ok(ops->bind(&job, &bound, error));
    sni_muscle_surface made;
    ops->surface(bound, &made);
    double *points = calloc(6 * (size_t)made.point_count, sizeof *points), worst = 0, torn = 0;
    float *surface = calloc(3 * (size_t)mesh->vertex_count, sizeof *surface);
    for (int pose = 0; pose < POSES; ++pose) {
        sn_mat4 worlds[SEGMENTS];
        sni_arena arena;
        sni_muscle_measure now;
        sn_mass mass, rest;
        sni_arena_init(&arena, l->context);
        step(l, random, worlds);
        sni_muscle_pose_job pose_job = {.context = l->context,
                                        .arena = &arena,
                                        .segment_count = SEGMENTS,
                                        .worlds = pose == 0 ? l->rest : worlds,
                                        .relaxed = points,
                                        .contracted = points + 3 * (size_t)made.point_count,
                                        .surface = surface};
        snt_ok(ops->pose(bound, &pose_job, error));
        sni_arena_deinit(&arena);
        if (pose == 0) {
            assert_memory_equal(surface, mesh->positions,
                                3 * (size_t)mesh->vertex_count * sizeof *surface);
        }
        ops->measure(bound, points, &now);
        snt_ok(sn_mass_compute(l->context, surface, triangles->vertices, triangles->count, &mass,
                               error));
        snt_ok(sn_mass_compute(l->context, mesh->positions, triangles->vertices, triangles->count,
                               &rest, error));
        assert_true(now.rest_volume > 0);
        worst = fmax(worst, fabs(mass.volume / rest.volume - 1));
        torn = fmax(torn, share_stretched(mesh, topology, surface));
    }
    print_message("%s: %u strips, volume to %.1e, %.2f %% of edges beyond twice\n", name,
                  fit->strip_count, worst, 100 * torn);
    assert_true(worst < 1e-3);
    assert_true(torn < 0.01);
    free(points);
    free(surface);
    free(parts);
    ops->unbind(l->context, bound);
    sn_topology_destroy(topology);
    sn_triangles_destroy(triangles);
    sn_muscle_fit_destroy(fit);
    sn_import_destroy(import);
}

static void a_leg_steps_out(void **state) {
    (void)state;
    leg l;
    snt_random random = {5};
    set_up(&l);
    for (size_t i = 0; i < sizeof muscles / sizeof *muscles; ++i) {
        try_muscle(&l, muscles[i], &random);
    }
    tear_down(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_leg_steps_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
