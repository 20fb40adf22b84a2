// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "skin/anchors.h"

#include <math.h>
#include <stdlib.h>

// A muscle of slices: rings of `ring` points around the y axis, joined by quads, and a fan at each
// end.
static sn_mesh *make_tube(sn_context *context, uint32_t slices, uint32_t ring, double radius,
                          double length) {
    uint32_t quads = (slices - 1) * ring, faces = quads + 2 * ring, corners = 4 * quads + 6 * ring;
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "tube", slices * ring + 2, faces, corners, &mesh, error));
    for (uint32_t i = 0; i < slices * ring; ++i) {
        double angle = 2 * SN_PI * (i % ring) / ring;
        double y = length * (i / ring) / (slices - 1);
        double r = radius * (0.5 + sin(SN_PI * (0.1 + 0.8 * y / length)));
        sn_vec3_store(sn_vec3_make(r * cos(angle), y, -0.6 * r * sin(angle)),
                      mesh->positions + 3 * (size_t)i);
    }
    uint32_t first = slices * ring, last = first + 1, corner = 0, face = 0;
    sn_vec3_store(sn_vec3_make(0, 0, 0), mesh->positions + 3 * (size_t)first);
    sn_vec3_store(sn_vec3_make(0, length, 0), mesh->positions + 3 * (size_t)last);
    mesh->face_offsets[0] = 0;
    for (uint32_t i = 0; i < quads; ++i) {
        uint32_t s = i / ring * ring, a = i % ring, b = (a + 1) % ring;
        const uint32_t quad[4] = {s + a, s + b, s + ring + b, s + ring + a};
        memcpy(mesh->corners + corner, quad, sizeof quad);
        mesh->face_offsets[++face] = corner += 4;
    }
    for (uint32_t i = 0; i < 2 * ring; ++i) {
        uint32_t a = i % ring, b = (a + 1) % ring, s = (slices - 1) * ring;
        const uint32_t low[3] = {b, a, first}, high[3] = {s + a, s + b, last};
        memcpy(mesh->corners + corner, i < ring ? low : high, sizeof low);
        mesh->face_offsets[++face] = corner += 3;
    }
    return mesh;
}

// The tube bent, twisted and swollen.
static sn_vec3 flex(sn_vec3 p, double amount) {
    double swell = 1 + 0.5 * amount, twist = 0.8 * amount * p.y;
    sn_vec3 q = {swell * (cos(twist) * p.x - sin(twist) * p.z), p.y,
                 swell * (sin(twist) * p.x + cos(twist) * p.z)};
    double angle = amount * q.y;
    return sn_vec3_make(q.x * cos(angle) - sin(angle) * 0.5 * q.y,
                        q.y * cos(angle) + sin(angle) * q.x, q.z);
}

static void flex_points(const sn_mesh *mesh, double amount, float *points) {
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3_store(flex(sn_vec3_load(mesh->positions + 3 * i), amount), points + 3 * i);
    }
}

// Points to be anchored; normals point away from the y axis.
typedef struct cloud {
    uint32_t count;
    float *points, *normals, *posed, *spheres;
} cloud;

static cloud make_cloud(uint32_t count) {
    return (cloud){
        count, calloc(3 * (size_t)count, sizeof(float)), calloc(3 * (size_t)count, sizeof(float)),
        calloc(3 * (size_t)count, sizeof(float)), calloc(4 * (size_t)count, sizeof(float))};
}

static void free_cloud(cloud *c) {
    free(c->points);
    free(c->normals);
    free(c->posed);
    free(c->spheres);
}

static void set_point(cloud *c, uint32_t i, sn_vec3 p) {
    sn_vec3_store(p, c->points + 3 * (size_t)i);
    sn_vec3_store(sn_vec3_normalize_or(sn_vec3_make(p.x, 0, p.z), sn_vec3_make(1, 0, 0)),
                  c->normals + 3 * (size_t)i);
}

static sni_anchors_desc describe(const cloud *c, const sni_component *components, uint32_t count) {
    return (sni_anchors_desc){.point_count = c->count,
                              .points = c->points,
                              .normals = c->normals,
                              .component_count = count,
                              .components = components};
}

static sni_anchors *make(sn_context *context, const sni_anchors_desc *desc) {
    sni_anchors *anchors = NULL;
    snt_ok(sni_anchors_create(context, desc, &anchors, error));
    return anchors;
}

static void pose(sn_context *context, const sni_anchors *anchors, sni_anchors_pose *pose) {
    sni_arena arena;
    sni_arena_init(&arena, context);
    assert_true(sni_anchors_pose_run(anchors, &arena, pose));
    sni_arena_deinit(&arena);
}

static sn_vec3 at(const float *points, uint32_t i) {
    return sn_vec3_load(points + 3 * (size_t)i);
}

static void rest_gives_the_points_back(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *tube = make_tube(context, 8, 8, 0.1, 1);
    const sni_component kinds[] = {
        {.name = "slices", .mesh = tube, .segment = SN_NONE, .slice_count = 8, .ring_count = 8},
        {.name = "affine", .mesh = tube, .segment = SN_NONE, .affine = true},
        {.name = "other", .mesh = tube, .segment = SN_NONE},
        {.name = "rigid", .mesh = tube, .segment = 0}};
    sn_mat4 world = sn_mat4_identity();
    world.m[12] = 3;
    snt_random random = {1};
    cloud c = make_cloud(3000);
    for (uint32_t i = 0; i < c.count; ++i) {
        double angle = snt_random_range(&random, 0, 7), r = snt_random_range(&random, 0.05, 0.25);
        set_point(
            &c, i,
            sn_vec3_make(r * cos(angle), snt_random_range(&random, -0.05, 1.05), r * sin(angle)));
    }
    for (int kind = 0; kind < 4; ++kind) {
        sni_anchors_desc desc = describe(&c, &kinds[kind], 1);
        desc.segment_count = 1;
        desc.rest_worlds = &world;
        sni_anchors *anchors = make(context, &desc);
        const float *points = tube->positions;
        sni_anchors_pose p = {.worlds = &world, .component_points = &points, .anchors = c.posed};
        pose(context, anchors, &p);
        for (uint32_t i = 0; i < c.count; ++i) {
            assert_true(sn_vec3_distance(at(c.posed, i), at(c.points, i)) < 2e-6);
        }
        sni_anchors_report report = sni_anchors_report_of(anchors);
        const uint32_t counts[] = {report.section, report.affine, report.surface, report.rigid};
        assert_int_equal(counts[kind], c.count);
        assert_true(report.closest < c.count / 20);
        // Points that a deformer before has moved take their anchors along.
        float *moved = sni_copy(context, c.points, 3 * (size_t)c.count, sizeof *moved);
        for (uint32_t i = 0; i < c.count; ++i) {
            moved[3 * (size_t)i + 1] += 0.125f;
        }
        p.points_in = moved;
        pose(context, anchors, &p);
        for (uint32_t i = 0; i < c.count; ++i) {
            assert_true(sn_vec3_distance(at(c.posed, i), at(moved, i)) < 2e-6);
        }
        sni_free(context, moved);
        sni_anchors_destroy(anchors);
    }
    free_cloud(&c);
    sn_mesh_destroy(tube);
    snt_context_end(context);
}

// Walks along the muscle over all slice boundaries: in a pose no step is much longer than at rest,
// and the longest shrinks with the step.
static void anchors_are_continuous_across_slices(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *tube = make_tube(context, 8, 8, 0.1, 1);
    const sni_component muscle = {
        .name = "muscle", .mesh = tube, .segment = SN_NONE, .slice_count = 8, .ring_count = 8};
    float *posed = sni_alloc(context, 3 * (size_t)tube->vertex_count, sizeof *posed);
    flex_points(tube, 0.7, posed);
    const float *component = posed;
    for (int line = 0; line < 40; ++line) {
        double angle = 0.157 * line, radius = 0.1 + 0.002 * line;
        double longest[2];
        for (int fine = 0; fine < 2; ++fine) {
            cloud c = make_cloud(fine ? 40001 : 4001);
            for (uint32_t i = 0; i < c.count; ++i) {
                set_point(&c, i,
                          sn_vec3_make(radius * cos(angle), (double)i / (c.count - 1),
                                       radius * sin(angle)));
            }
            sni_anchors_desc desc = describe(&c, &muscle, 1);
            sni_anchors *anchors = make(context, &desc);
            sni_anchors_pose p = {.component_points = &component, .anchors = c.posed};
            pose(context, anchors, &p);
            assert_int_equal(sni_anchors_report_of(anchors).closest, 0);
            longest[fine] = 0;
            for (uint32_t i = 1; i < c.count; ++i) {
                longest[fine] =
                    fmax(longest[fine], sn_vec3_distance(at(c.posed, i), at(c.posed, i - 1)));
            }
            sni_anchors_destroy(anchors);
            free_cloud(&c);
        }
        assert_true(longest[0] < 3.0 / 4000);
        assert_true(longest[1] < 3.0 / 40000 + 1e-6);
    }
    sni_free(context, posed);
    sn_mesh_destroy(tube);
    snt_context_end(context);
}

// On the surface of a section the anchors follow it; slices move and turn as they like.
static void sections_carry_points_of_their_slices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *tube = make_tube(context, 6, 8, 0.1, 1);
    const sni_component muscle = {
        .name = "muscle", .mesh = tube, .segment = SN_NONE, .slice_count = 6, .ring_count = 8};
    float *posed = sni_alloc(context, 3 * (size_t)tube->vertex_count, sizeof *posed);
    flex_points(tube, 0.5, posed);
    const float *component = posed;
    cloud c = make_cloud(6 * 8);
    for (uint32_t i = 0; i < c.count; ++i) {
        set_point(&c, i, at(tube->positions, i));
    }
    sni_anchors_desc desc = describe(&c, &muscle, 1);
    sni_anchors *anchors = make(context, &desc);
    sni_anchors_pose p = {.component_points = &component, .anchors = c.posed};
    pose(context, anchors, &p);
    for (uint32_t i = 0; i < c.count; ++i) {
        // An ellipse is mapped affinely by four of its points, so all eight arrive.
        assert_true(sn_vec3_distance(at(c.posed, i), at(posed, i)) < 2e-6);
    }
    sni_anchors_destroy(anchors);
    free_cloud(&c);
    sni_free(context, posed);
    sn_mesh_destroy(tube);
    snt_context_end(context);
}

static void affine_components_carry_points_affinely(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *tube = make_tube(context, 5, 7, 0.2, 1);
    const sni_component ball = {.name = "ball", .mesh = tube, .segment = SN_NONE, .affine = true};
    sn_mat4 map = {{1.2, 0.1, 0, 0, -0.3, 0.8, 0.2, 0, 0, 0.4, 1.5, 0, 2, -1, 0.5, 1}};
    float *posed = sni_alloc(context, 3 * (size_t)tube->vertex_count, sizeof *posed);
    for (uint32_t i = 0; i < tube->vertex_count; ++i) {
        sn_vec3_store(sn_mat4_point(&map, at(tube->positions, i)), posed + 3 * (size_t)i);
    }
    const float *component = posed;
    cloud c = make_cloud(500);
    snt_random random = {4};
    for (uint32_t i = 0; i < c.count; ++i) {
        set_point(&c, i,
                  sn_vec3_make(snt_random_range(&random, -0.5, 0.5),
                               snt_random_range(&random, -0.2, 1.2),
                               snt_random_range(&random, -0.5, 0.5)));
    }
    sni_anchors_desc desc = describe(&c, &ball, 1);
    sni_anchors *anchors = make(context, &desc);
    sni_anchors_pose p = {.component_points = &component, .anchors = c.posed};
    pose(context, anchors, &p);
    for (uint32_t i = 0; i < c.count; ++i) {
        sn_vec3 expected = sn_mat4_point(&map, at(c.points, i));
        assert_true(sn_vec3_distance(at(c.posed, i), expected) < 5e-6);
    }
    sni_anchors_destroy(anchors);
    free_cloud(&c);
    sni_free(context, posed);
    sn_mesh_destroy(tube);
    snt_context_end(context);
}

// Two tubes side by side, carried by two segments; the second stands in its segment's frame.
static void points_belong_to_the_nearest_component(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *tube = make_tube(context, 4, 6, 0.1, 1);
    sn_mat4 rest[2] = {sn_mat4_identity(), sn_mat4_identity()}, worlds[2];
    rest[1].m[12] = 1;
    worlds[0] = rest[0];
    worlds[1] = rest[1];
    worlds[1].m[13] = 5;
    const sni_component two[] = {
        {.name = "left", .mesh = tube, .segment = 0},
        {.name = "right", .mesh = tube, .rest_place = &rest[1], .segment = 1}};
    cloud c = make_cloud(21);
    for (uint32_t i = 0; i < c.count; ++i) {
        set_point(&c, i, sn_vec3_make(i / 20.0, 0.5, 0));
    }
    sni_anchors_desc desc = describe(&c, two, 2);
    desc.segment_count = 2;
    desc.rest_worlds = rest;
    desc.thickness = 0.25;
    desc.sphere = 1;
    sni_anchors *anchors = make(context, &desc);
    const float *points[2] = {tube->positions, tube->positions};
    sni_anchors_pose p = {
        .worlds = worlds, .component_points = points, .anchors = c.posed, .spheres = c.spheres};
    pose(context, anchors, &p);
    for (uint32_t i = 0; i < c.count; ++i) {
        bool right = i > 10;
        assert_true(i == 10 || sni_anchors_component(anchors, i) == right);
        sn_vec3 moved = sn_vec3_sub(at(c.posed, i), at(c.points, i));
        snt_near(moved.x, 0.25, 1e-6); // thickness, along the normal
        assert_true(i == 10 || fabs(moved.y - (right ? 5 : 0)) < 1e-6);
        // No virtual anchor is inside its sphere.
        const float *sphere = c.spheres + 4 * (size_t)i;
        assert_true(sn_vec3_distance(sn_vec3_load(sphere), at(c.posed, i)) >=
                    (double)sphere[3] - 1e-6);
    }
    sni_anchors_destroy(anchors);
    free_cloud(&c);
    sn_mesh_destroy(tube);
    snt_context_end(context);
}

static void nothing_to_hang_on_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *empty = NULL;
    snt_ok(sn_mesh_create(context, "empty", 3, 0, 0, &empty, error));
    memset(empty->positions, 0, 9 * sizeof(float));
    const sni_component nothing = {.name = "nothing", .mesh = empty, .segment = SN_NONE};
    cloud c = make_cloud(1);
    sni_anchors_desc desc = describe(&c, &nothing, 1);
    sni_anchors *anchors = NULL;
    snt_fails(SN_INVALID, "no component has a triangle",
              sni_anchors_create(context, &desc, &anchors, error));
    assert_null(anchors);
    free_cloud(&c);
    sn_mesh_destroy(empty);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_gives_the_points_back),
        cmocka_unit_test(anchors_are_continuous_across_slices),
        cmocka_unit_test(sections_carry_points_of_their_slices),
        cmocka_unit_test(affine_components_carry_points_affinely),
        cmocka_unit_test(points_belong_to_the_nearest_component),
        cmocka_unit_test(nothing_to_hang_on_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
