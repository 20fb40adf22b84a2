// SPDX-License-Identifier: Apache-2.0
#include "skin/anchors_internal.h"

#include "base/context.h"
#include "geometry/accel.h"
#include "geometry/triangle.h"
#include "kind/component_shape.h"

#include <math.h>
#include <string.h>

// Points of a block: below a millisecond.
enum { FIND_GRAIN = 512 };

// What is only needed to make anchors.
typedef struct maker {
    sni_anchors *anchors;
    const sni_anchors_desc *desc;
    sni_component_shape **shapes; // component_count
    const sn_accel **accels;      // component_count: of those
    sni_accel_group *group;       // of those
    uint32_t *closest;            // point_count: triangle of its owner
    sn_vec3 *feet;                // point_count: the anchor
    sni_slice_field **fields;     // component_count: of those with strips; NULL: the others
    sni_slice_tie *cells;         // of ties to strips
} maker;

static const float *component_vertices(const maker *m, uint32_t component) {
    return m->shapes[component]->vertices;
}

static sni_anchor_kind kind_of(const sni_component *component) {
    return component->segment != SN_NONE ? SNI_ANCHOR_RIGID
           : component->slice_count >= 2 ? SNI_ANCHOR_SECTION
           : component->strip_count > 0  ? SNI_ANCHOR_SECTION
           : component->affine           ? SNI_ANCHOR_AFFINE
                                         : SNI_ANCHOR_SURFACE;
}

// The search in all components.
static sn_status join_components(maker *m, sn_error *error) {
    sn_context *context = m->anchors->context;
    uint32_t count = m->desc->component_count;
    bool empty = true;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, m->shapes, count);
    SN_TRY(sni_component_shapes_hold(context, count, m->desc->components, NULL, m->shapes, error));
    SNI_NEW(context, m->accels, count);
    for (uint32_t i = 0; i < count; ++i) {
        m->accels[i] = m->shapes[i]->accel;
        empty = empty && m->shapes[i]->triangles->count == 0;
    }
    if (empty) {
        status = sni_fail(error, SN_INVALID, "no component has a triangle to hang a skin on");
        goto cleanup;
    }
    SN_TRY(sni_accel_group_create(context, m->accels, count, &m->group, error));
cleanup:
    return status;
}

// Sums of squares of vertices about their mean, inverted: what an affine fit needs of the rest.
sn_status sni_prepare_affine(sn_context *context, const float *vertices, sni_bound_component *bound,
                             sn_error *error) {
    SN_ASSERT(vertices != NULL && bound->vertex_count > 0);
    sn_mat4 squares = sn_mat4_identity(), inverse;
    double trace = 0;
    sn_status status = SN_OK;
    SNI_NEW(context, bound->factors, 3 * (size_t)bound->vertex_count);
    bound->mean = sn_vec3_make(0, 0, 0);
    for (size_t i = 0; i < bound->vertex_count; ++i) {
        bound->mean = sn_vec3_add_scaled(bound->mean, 1.0 / bound->vertex_count,
                                         sn_vec3_load(vertices + 3 * i));
    }
    for (int k = 0; k < 3; ++k) {
        squares.m[5 * k] = 0;
    }
    for (size_t i = 0; i < bound->vertex_count; ++i) {
        sn_vec3 d = sn_vec3_sub(sn_vec3_load(vertices + 3 * i), bound->mean);
        const double v[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 9; ++a) {
            squares.m[4 * (a / 3) + a % 3] += v[a / 3] * v[a % 3];
        }
        trace += sn_vec3_dot(d, d);
    }
    for (int k = 0; k < 3; ++k) {
        squares.m[5 * k] += 1e-12 * trace; // a flat one keeps its thickness of nothing
    }
    sn_mat4_invert(&squares, &inverse);
    for (size_t i = 0; i < bound->vertex_count; ++i) {
        sn_vec3 d = sn_vec3_sub(sn_vec3_load(vertices + 3 * i), bound->mean);
        sn_vec3_store(sn_mat4_direction(&inverse, d), bound->factors + 3 * i);
    }
cleanup:
    return status;
}

static sn_status bind_components(maker *m, sn_error *error) {
    sni_anchors *anchors = m->anchors;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(anchors->context, m->fields, anchors->component_count);
    for (uint32_t i = 0; i < anchors->component_count; ++i) {
        const sni_component *component = &m->desc->components[i];
        sni_bound_component *bound = &anchors->components[i];
        *bound = (sni_bound_component){.kind = kind_of(component),
                                       .segment = component->segment,
                                       .vertex_count = component->strip_count > 0
                                                           ? component->strip_point_count
                                                           : component->mesh->vertex_count};
        if (bound->kind == SNI_ANCHOR_RIGID) {
            const sn_mat4 *given = component->to_segment;
            if (given != NULL) {
                bound->to_segment = *given;
            } else {
                sn_mat4_invert(&m->desc->rest_worlds[component->segment], &bound->to_segment);
            }
        } else if (bound->kind == SNI_ANCHOR_AFFINE) {
            SN_TRY(sni_prepare_affine(anchors->context, component_vertices(m, i), bound, error));
        } else if (component->strip_count > 0) {
            SN_TRY(sni_anchors_make_field(anchors->context, component, &m->fields[i], error));
        }
    }
cleanup:
    return status;
}

// The sphere of a point (section 5.2): its centre below the anchor, tangent to the skin's tangent
// plane at the virtual anchor. None where the plane lies below the centre.
static void set_sphere(const maker *m, uint32_t point, sn_vec3 normal, double distance) {
    sni_anchors *anchors = m->anchors;
    sn_vec3 at = sn_vec3_load(anchors->rest + 3 * (size_t)point);
    sn_vec3 centre = sn_vec3_add_scaled(m->feet[point], -m->desc->sphere * distance, normal);
    double radius = sn_vec3_dot(sn_vec3_sub(at, centre), normal);
    float *sphere = anchors->spheres + 5 * (size_t)point;
    sn_vec3_store(sn_vec3_sub(centre, at), sphere);
    sphere[3] = radius > 0 ? (float)radius : 0;
    sphere[4] = fminf((float)(m->desc->sphere * distance), sphere[3]);
}

static void find_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const maker *m = user;
    sni_anchors *anchors = m->anchors;
    sni_accel_place near = {SN_NONE, SN_NONE};
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 point = sn_vec3_load(anchors->points + 3 * (size_t)i);
        sn_vec3 normal = sn_vec3_load(m->desc->normals + 3 * (size_t)i);
        sn_closest closest;
        sni_accel_group_find_closest(m->group, point, &near, &closest);
        m->closest[i] = closest.triangle;
        m->feet[i] = closest.point;
        anchors->owners[i] = near.member;
        sn_vec3_store(sn_vec3_add_scaled(point, m->desc->thickness, normal),
                      anchors->rest + 3 * (size_t)i);
        if (anchors->spheres != NULL) {
            set_sphere(m, i, normal, closest.distance);
        }
    }
}

// The slice before the triangle closest to a point.
static uint32_t first_slice(const maker *m, uint32_t owner, uint32_t triangle) {
    const sni_component *component = &m->desc->components[owner];
    uint32_t slice = SN_NONE;
    for (int k = 0; k < 3; ++k) {
        uint32_t vertex = m->shapes[owner]->triangles->vertices[3 * (size_t)triangle + (size_t)k];
        uint32_t of_vertex = vertex / component->ring_count;
        slice = of_vertex < slice ? of_vertex : slice;
    }
    uint32_t last = component->slice_count - 2;
    return slice < last ? slice : last;
}

static void find_surface(const maker *m, uint32_t point, uint32_t owner, const sn_closest *closest,
                         sni_deep_anchor *deep) {
    const uint32_t *triangle =
        m->shapes[owner]->triangles->vertices + 3 * (size_t)closest->triangle;
    for (size_t k = 0; k < 8; ++k) {
        deep->corners[k] = k < 3 ? triangle[k] : SN_NONE;
    }
    memcpy(deep->q, closest->barycentric, sizeof deep->q);
    deep->residual =
        sn_vec3_sub(sn_vec3_load(m->anchors->rest + 3 * (size_t)point), closest->point);
    deep->found = SNI_INVERSE_NEWTON;
    sn_vec3 corners[3];
    sni_triangle_corners(component_vertices(m, owner), triangle, corners);
    sni_triangle_frame(corners, deep->axes);
}

// Places in the trees of components that points before were near to. Neighbours hang on the same
// few components.
typedef struct near_places {
    sni_accel_place places[2 * SNI_MOST_TIES];
    uint32_t next; // to be forgotten
} near_places;

static uint32_t *place_in(near_places *near, uint32_t component) {
    enum { COUNT = sizeof near->places / sizeof *near->places };
    for (uint32_t i = 0; i < COUNT; ++i) {
        if (near->places[i].member == component) {
            return &near->places[i].slot;
        }
    }
    sni_accel_place *place = &near->places[near->next++ % COUNT];
    *place = (sni_accel_place){component, SN_NONE};
    return &place->slot;
}

// The parameters of a tie to a component that deforms.
static void find_deep(const maker *m, uint32_t point, const sni_tie *tie, near_places *near,
                      sni_section_walks *walks) {
    sni_anchors *anchors = m->anchors;
    sni_deep_anchor *deep = &anchors->deep_anchors[tie->deep];
    if (m->fields[tie->component] != NULL) {
        sni_anchors_find_strip(anchors, &m->desc->components[tie->component],
                               &m->cells[tie - anchors->ties], point, deep);
        return;
    }
    bool section = anchors->components[tie->component].kind == SNI_ANCHOR_SECTION;
    sn_closest closest = {.triangle = m->closest[point]};
    if (tie->component != anchors->owners[point] || !section) {
        sni_accel_find_closest(m->shapes[tie->component]->accel,
                               sn_vec3_load(anchors->points + 3 * (size_t)point),
                               place_in(near, tie->component), &closest);
    }
    if (section) {
        sni_section_walks_add(
            walks, (sni_section_walk){.component = &m->desc->components[tie->component],
                                      .vertices = component_vertices(m, tie->component),
                                      .at = sn_vec3_load(anchors->rest + 3 * (size_t)point),
                                      .next = first_slice(m, tie->component, closest.triangle),
                                      .deep = deep});
    } else {
        find_surface(m, point, tie->component, &closest, deep);
    }
}

static void find_deep_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const maker *m = user;
    const sni_anchors *anchors = m->anchors;
    near_places near;
    sni_section_walks walks;
    walks.count = 0;
    memset(&near, 0xff, sizeof near); // SN_NONE
    for (uint32_t i = begin; i < end; ++i) {
        for (uint32_t k = anchors->tie_starts[i]; k < anchors->tie_starts[i + 1]; ++k) {
            if (anchors->ties[k].deep != SN_NONE) {
                find_deep(m, i, &anchors->ties[k], &near, &walks);
            }
        }
    }
    sni_section_walks_run(&walks);
}

// The radius of the sphere that has the area of a component.
static double size_of(const maker *m, uint32_t component) {
    const sn_triangles *triangles = m->shapes[component]->triangles;
    double area = 0;
    for (size_t t = 0; t < triangles->count; ++t) {
        sn_vec3 corners[3];
        sni_triangle_corners(component_vertices(m, component), triangles->vertices + 3 * t,
                             corners);
        area += sni_triangle_area(corners[0], corners[1], corners[2]);
    }
    return sqrt(area / (4 * SN_PI));
}

static sn_status spread(maker *m, sn_error *error) {
    sn_context *context = m->anchors->context;
    sn_status status = SN_OK;
    double *sizes = NULL;
    SNI_NEW(context, sizes, m->desc->component_count);
    for (uint32_t i = 0; i < m->desc->component_count; ++i) {
        sizes[i] = size_of(m, i);
    }
    SN_TRY(sni_anchors_spread(m->anchors, m->desc, sizes, error));
cleanup:
    sni_free(context, sizes);
    return status;
}

static sn_status find_anchors(maker *m, sn_error *error) {
    sni_anchors *anchors = m->anchors;
    sn_context *context = anchors->context;
    sn_status status = SN_OK;
    SNI_NEW(context, m->closest, anchors->point_count);
    SNI_NEW(context, m->feet, anchors->point_count);
    sn_parallel_for(context, anchors->point_count, FIND_GRAIN, find_block, m);
    SN_TRY(sni_progress(m->desc->progress, "anchoring", 0.5, error));
    SN_TRY(spread(m, error));
    SN_TRY(sni_anchors_split(anchors, m->fields, &m->cells, error));
    for (uint32_t i = 0; i < anchors->tie_starts[anchors->point_count]; ++i) {
        sni_anchor_kind kind = anchors->components[anchors->ties[i].component].kind;
        bool is_deep = kind == SNI_ANCHOR_SECTION || kind == SNI_ANCHOR_SURFACE;
        anchors->ties[i].deep = is_deep ? anchors->deep_count++ : SN_NONE;
    }
    SNI_NEW(context, anchors->deep_anchors, anchors->deep_count);
    sn_parallel_for(context, anchors->point_count, FIND_GRAIN, find_deep_block, m);
    SN_TRY(sni_progress(m->desc->progress, "anchoring", 1, error));
cleanup:
    return status;
}

static void free_maker(sn_context *context, maker *m) {
    sni_accel_group_destroy(m->group);
    sni_component_shapes_release(context, m->desc->component_count, m->shapes);
    for (uint32_t i = 0; m->fields != NULL && i < m->desc->component_count; ++i) {
        sni_slice_field_destroy(m->fields[i]);
    }
    sni_free(context, m->fields);
    sni_free(context, m->cells);
    sni_free(context, m->shapes);
    sni_free(context, m->accels);
    sni_free(context, m->closest);
    sni_free(context, m->feet);
}

static sn_status allocate(sni_anchors *anchors, const sni_anchors_desc *desc, sn_error *error) {
    sn_context *context = anchors->context;
    size_t count = desc->point_count;
    sn_status status = SN_OK;
    anchors->point_count = desc->point_count;
    anchors->segment_count = desc->segment_count;
    SNI_NEW_ZERO(context, anchors->components, desc->component_count);
    anchors->component_count = desc->component_count;
    SNI_NEW(context, anchors->owners, count);
    SNI_NEW(context, anchors->points, 3 * count);
    SNI_NEW(context, anchors->rest, 3 * count);
    memcpy(anchors->points, desc->points, 3 * count * sizeof *desc->points);
    if (desc->sphere > 0) {
        SNI_NEW(context, anchors->spheres, 5 * count);
    }
cleanup:
    return status;
}

sn_status sni_anchors_create(sn_context *context, const sni_anchors_desc *desc,
                             sni_anchors **anchors, sn_error *error) {
    SN_ASSERT(desc->point_count == 0 || (desc->points != NULL && desc->normals != NULL));
    SN_ASSERT(desc->component_count == 0 || desc->components != NULL);
    SN_ASSERT(desc->triangle_count == 0 || desc->vertices != NULL);
    sn_status status = SN_OK;
    sni_anchors *made = NULL;
    maker m = {.desc = desc};
    *anchors = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    m.anchors = made;
    SN_TRY(sni_progress(desc->progress, "anchoring", 0, error));
    SN_TRY(allocate(made, desc, error));
    SN_TRY(join_components(&m, error));
    SN_TRY(bind_components(&m, error));
    SN_TRY(find_anchors(&m, error));
    SN_TRY(sni_anchors_follow(made, desc, m.shapes, error));
    *anchors = made;
    made = NULL;
cleanup:
    free_maker(context, &m);
    sni_anchors_destroy(made);
    return status;
}

void sni_anchors_destroy(sni_anchors *anchors) {
    if (anchors == NULL) {
        return;
    }
    sn_context *context = anchors->context;
    for (uint32_t i = 0; i < anchors->component_count; ++i) {
        sni_free(context, anchors->components[i].factors);
    }
    sni_free(context, anchors->components);
    sni_free(context, anchors->owners);
    sni_free(context, anchors->tie_starts);
    sni_free(context, anchors->ties);
    sni_free(context, anchors->points);
    sni_free(context, anchors->rest);
    sni_free(context, anchors->spheres);
    sni_free(context, anchors->maps);
    sni_free(context, anchors->deep_anchors);
    sni_free(context, anchors);
}

size_t sni_anchors_bytes(const sni_anchors *anchors) {
    size_t point = 2 * sizeof(uint32_t) + 6 * sizeof(float) +
                   (anchors->spheres != NULL ? 5 * sizeof(float) : 0) +
                   (anchors->maps != NULL ? 9 * sizeof(float) : 0);
    size_t bytes = sizeof *anchors + anchors->point_count * point +
                   anchors->component_count * sizeof *anchors->components +
                   anchors->tie_starts[anchors->point_count] * sizeof *anchors->ties +
                   anchors->deep_count * sizeof *anchors->deep_anchors;
    for (uint32_t i = 0; i < anchors->component_count; ++i) {
        const sni_bound_component *bound = &anchors->components[i];
        bytes += bound->factors != NULL ? 3 * (size_t)bound->vertex_count * sizeof(float) : 0;
    }
    return bytes;
}

sni_anchors_report sni_anchors_report_of(const sni_anchors *anchors) {
    sni_anchors_report report = {0};
    for (uint32_t i = 0; i < anchors->point_count; ++i) {
        uint32_t *const counts[] = {&report.rigid, &report.affine, &report.section,
                                    &report.surface};
        ++*counts[anchors->components[anchors->owners[i]].kind];
        // Ties to the same component follow each other.
        uint32_t last = anchors->ties[anchors->tie_starts[i + 1] - 1].component;
        report.blended += last != anchors->owners[i];
        uint32_t deep = anchors->ties[anchors->tie_starts[i]].deep;
        if (deep != SN_NONE) {
            report.restarted += anchors->deep_anchors[deep].found == SNI_INVERSE_STARTS;
            report.closest += anchors->deep_anchors[deep].found == SNI_INVERSE_CLOSEST;
        }
    }
    return report;
}

uint32_t sni_anchors_component(const sni_anchors *anchors, uint32_t point) {
    SN_ASSERT(point < anchors->point_count);
    return anchors->owners[point];
}

const float *sni_anchors_rest(const sni_anchors *anchors) {
    return anchors->rest;
}

const float *sni_anchors_maps(const sni_anchors *anchors) {
    return anchors->maps;
}
