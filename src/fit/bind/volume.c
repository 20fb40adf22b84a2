// SPDX-License-Identifier: Apache-2.0
//
// Inside and outside. The winding number of a surface about a point is the mean, over all
// directions, of how often a ray from the point leaves the surface minus how often it enters it
// (Jacobson, Kavan and Sorkine-Hornung, Robust Inside-Outside Segmentation using Generalized
// Winding Numbers, 2013). For a closed surface every ray gives the same; for one with holes the
// mean tells what most of the surface around says. Here the mean is taken over the six directions
// of the grid, which a sweep along all its rows gives at once.
#include "fit/bind/volume.h"

#include "geometry/triangle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Directions are six; more than half of them say that a node is inside.
enum { DIRECTIONS = 6, LEAST_VOTES = DIRECTIONS / 2 + 1, MOST_WINDING = 100 };

// Rows per block.
static const uint32_t grain = 32;

// ---------------------------------------------------------------------------------------------
// The surface

// Signed volume of each connected part as seen from its first vertex, which lies on it: then also
// a part with holes tells its inside from its outside.
static void add_volumes(const sni_volume *v, const uint32_t *firsts, double *volumes) {
    const float *positions = v->skin->positions;
    for (uint32_t t = 0; t < v->skin->triangle_count; ++t) {
        const uint32_t *vertices = v->vertices + 3 * (size_t)t;
        uint32_t part = v->topology->vertex_component[vertices[0]];
        sn_vec3 first = sn_vec3_load(positions + 3 * (size_t)firsts[part]), p[3];
        sni_triangle_corners(positions, vertices, p);
        sn_vec3 normal = sni_triangle_vector(p[0], p[1], p[2]);
        volumes[part] += sn_vec3_dot(sn_vec3_sub(p[0], first), normal) / 6;
    }
}

// Parts that are inside out, such as mirrored eyes, are turned.
static sn_status turn_parts(sni_volume *v, sn_error *error) {
    sn_status status = SN_OK;
    double *volumes = NULL;
    uint32_t *firsts = NULL;
    SNI_NEW_ZERO(v->context, volumes, v->topology->component_count);
    SNI_NEW(v->context, firsts, v->topology->component_count);
    for (uint32_t i = v->skin->vertex_count; i-- > 0;) {
        firsts[v->topology->vertex_component[i]] = i;
    }
    add_volumes(v, firsts, volumes);
    for (uint32_t t = 0; t < v->skin->triangle_count; ++t) {
        uint32_t *vertices = v->vertices + 3 * (size_t)t;
        if (volumes[v->topology->vertex_component[vertices[0]]] < 0) {
            uint32_t second = vertices[1];
            vertices[1] = vertices[2];
            vertices[2] = second;
        }
    }
cleanup:
    sni_free(v->context, volumes);
    sni_free(v->context, firsts);
    return status;
}

// The welded triangles as a mesh, for its edges and parts.
static sn_status make_topology(sni_volume *v, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    const sni_joined *skin = v->skin;
    SN_TRY(sn_mesh_create(v->context, "", skin->vertex_count, skin->triangle_count,
                          3 * skin->triangle_count, &mesh, error));
    memcpy(mesh->positions, skin->positions,
           3 * (size_t)skin->vertex_count * sizeof *skin->positions);
    memcpy(mesh->corners, skin->vertices,
           3 * (size_t)skin->triangle_count * sizeof *skin->vertices);
    for (uint32_t t = 0; t <= skin->triangle_count; ++t) {
        mesh->face_offsets[t] = 3 * t;
    }
    SN_TRY(sn_topology_create(mesh, &v->topology, error));
cleanup:
    sn_mesh_destroy(mesh);
    return status;
}

static sn_status make_surface(sni_volume *v, sn_error *error) {
    sn_status status = SN_OK;
    const sni_joined *skin = v->skin;
    SN_TRY(make_topology(v, error));
    v->vertices = sni_copy(v->context, skin->vertices, 3 * (size_t)skin->triangle_count,
                           sizeof *skin->vertices);
    SN_TRY(v->vertices != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(turn_parts(v, error));
    SN_TRY(sn_accel_create(v->context, skin->positions, skin->vertex_count, v->vertices,
                           skin->triangle_count, &v->accel, error));
cleanup:
    return status;
}

int sni_volume_cross(const sni_volume *v, sn_vec3 origin, sn_vec3 direction, double *from,
                     double to) {
    sn_hit hit;
    if (!(*from <= to)) {
        return 0;
    }
    sn_accel_cast(v->accel, origin, direction, *from, to, &hit);
    if (hit.triangle == SN_NONE) {
        return 0;
    }
    sn_vec3 p[3];
    sni_triangle_corners(v->skin->positions, v->vertices + 3 * (size_t)hit.triangle, p);
    // Triangles that share the edge that is hit are as far away to the last bit.
    *from = nextafter(hit.distance, INFINITY);
    return sn_vec3_dot(sni_triangle_vector(p[0], p[1], p[2]), direction) > 0 ? 1 : -1;
}

// ---------------------------------------------------------------------------------------------
// The grid

// Nodes lie symmetrically about the middle of the box, and none in its middle planes: a symmetric
// body gets a symmetric grid, and no row runs along the seam in its middle.
static sn_status lay_grid(sni_volume *v, uint32_t resolution, sn_error *error) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)v->skin->triangle_count; ++i) {
        sn_vec3 point = sn_vec3_load(v->skin->positions + 3 * (size_t)v->vertices[i]);
        low = sn_vec3_min(low, point);
        high = sn_vec3_max(high, point);
    }
    sn_vec3 size = sn_vec3_sub(high, low), middle = sn_vec3_scale(sn_vec3_add(low, high), 0.5);
    const double sizes[3] = {size.x, size.y, size.z};
    v->spacing = fmax(size.x, fmax(size.y, size.z)) / resolution;
    if (!(v->spacing > 0) || !isfinite(v->spacing)) {
        return sni_fail(error, SN_INVALID, "the mesh has no size");
    }
    double places = 1, begin[3];
    for (int axis = 0; axis < 3; ++axis) {
        v->counts[axis] = 2 * (uint32_t)(sizes[axis] / (2 * v->spacing)) + 4;
        begin[axis] = -0.5 * (v->counts[axis] - 1);
        places *= v->counts[axis];
    }
    v->origin = sn_vec3_add_scaled(middle, v->spacing, sn_vec3_make(begin[0], begin[1], begin[2]));
    char what[96];
    snprintf(what, sizeof what, "a grid of %u x %u x %u nodes", v->counts[0], v->counts[1],
             v->counts[2]);
    if (places >= INT32_MAX) {
        return sni_fail(error, SN_LIMIT, "%s is too large", what);
    }
    v->place_count = (uint32_t)places;
    return sni_check_room(v->context, places * (sizeof(int16_t) + sizeof *v->nodes), what, error);
}

uint32_t sni_volume_row_count(const sni_volume *v, int axis) {
    return v->place_count / v->counts[axis];
}

sni_volume_row sni_volume_row_at(const sni_volume *v, int axis, uint32_t number) {
    const uint32_t strides[3] = {1, v->counts[0], v->counts[0] * v->counts[1]};
    int second = axis == 0 ? 1 : 0, third = axis == 2 ? 1 : 2;
    uint32_t place[3] = {0};
    place[second] = number % v->counts[second];
    place[third] = number / v->counts[second];
    return (sni_volume_row){
        .origin =
            sn_vec3_add_scaled(v->origin, v->spacing, sn_vec3_make(place[0], place[1], place[2])),
        .direction = sn_vec3_make(axis == 0, axis == 1, axis == 2),
        .first = place[second] * strides[second] + place[third] * strides[third],
        .stride = strides[axis],
        .count = v->counts[axis],
    };
}

typedef struct voting {
    const sni_volume *volume;
    int axis;
    int16_t *votes; // place_count
} voting;

// A ray forth from a node counts what follows it in the row, one back the negative of what went
// before: both together are the whole row's sum minus twice what went before.
static void vote_row(const voting *job, const sni_volume_row *row) {
    int before = 0;
    uint32_t next = 0;
    double from = 0, end = row->count * job->volume->spacing;
    for (int sign = 1; sign != 0;) {
        sign = sni_volume_cross(job->volume, row->origin, row->direction, &from, end);
        for (; next < row->count && (sign == 0 || next * job->volume->spacing < from); ++next) {
            job->votes[row->first + next * row->stride] -= (int16_t)(2 * before);
        }
        before += before + sign < MOST_WINDING && before + sign > -MOST_WINDING ? sign : 0;
    }
    for (uint32_t i = 0; i < row->count; ++i) {
        job->votes[row->first + i * row->stride] += (int16_t)before;
    }
}

static void vote_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const voting *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        sni_volume_row row = sni_volume_row_at(job->volume, job->axis, i);
        vote_row(job, &row);
    }
}

// ---------------------------------------------------------------------------------------------
// Nodes

static void number_vertices(sni_volume *v) {
    const sni_joined *skin = v->skin;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        v->vertex_nodes[i] = SN_NONE;
    }
    for (size_t i = 0; i < 3 * (size_t)skin->triangle_count; ++i) {
        v->vertex_nodes[skin->vertices[i]] = 0;
    }
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        if (v->vertex_nodes[i] != SN_NONE) {
            v->vertex_nodes[i] = v->node_count++;
        }
    }
}

static void place_vertices(sni_volume *v) {
    const sni_joined *skin = v->skin;
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        if (v->vertex_nodes[i] != SN_NONE) {
            v->points[v->vertex_nodes[i]] = sn_vec3_load(skin->positions + 3 * (size_t)i);
            v->node_vertices[v->vertex_nodes[i] - v->inner_count] = i;
        }
    }
    double unit = 3 * v->spacing * v->spacing;
    for (uint32_t t = 0; t < skin->triangle_count; ++t) {
        sn_vec3 p[3];
        sni_triangle_corners(skin->positions, skin->vertices + 3 * (size_t)t, p);
        double share = sni_triangle_area(p[0], p[1], p[2]) / unit;
        for (int k = 0; k < 3; ++k) {
            v->areas[v->vertex_nodes[skin->vertices[3 * (size_t)t + (uint32_t)k]]] += (float)share;
        }
    }
}

// Numbers the parts of the surface, without the vertices that are welded to others.
static sn_status number_parts(sni_volume *v, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t vertex_count = v->node_count - v->inner_count, *numbers = NULL;
    SNI_NEW(v->context, v->parts, vertex_count);
    SNI_NEW_ZERO(v->context, numbers, v->topology->component_count);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        uint32_t *number = &numbers[v->topology->vertex_component[v->node_vertices[i]]];
        *number = *number == 0 ? ++v->part_count : *number;
        v->parts[i] = *number - 1;
    }
cleanup:
    sni_free(v->context, numbers);
    return status;
}

static sn_status make_nodes(sni_volume *v, const int16_t *votes, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(v->context, v->nodes, v->place_count);
    for (uint32_t i = 0; i < v->place_count; ++i) {
        v->nodes[i] = votes[i] >= LEAST_VOTES ? v->inner_count++ : SN_NONE;
    }
    v->node_count = v->inner_count;
    SNI_NEW(v->context, v->vertex_nodes, v->skin->vertex_count);
    number_vertices(v);
    SNI_NEW(v->context, v->points, v->node_count);
    SNI_NEW(v->context, v->windings, v->inner_count);
    SNI_NEW_ZERO(v->context, v->areas, v->node_count);
    SNI_NEW(v->context, v->node_vertices, v->node_count - v->inner_count);
    for (uint32_t i = 0; i < v->place_count; ++i) {
        if (v->nodes[i] != SN_NONE) {
            uint32_t plane = v->counts[0] * v->counts[1];
            sn_vec3 place = sn_vec3_make(i % v->counts[0], i % plane / v->counts[0], i / plane);
            int winding = (votes[i] + DIRECTIONS / 2) / DIRECTIONS;
            v->points[v->nodes[i]] = sn_vec3_add_scaled(v->origin, v->spacing, place);
            v->windings[v->nodes[i]] = (uint8_t)(winding > 1 ? winding : 1);
        }
    }
    place_vertices(v);
    SN_TRY(number_parts(v, error));
cleanup:
    return status;
}

sn_status sni_volume_init(sn_context *context, const sni_joined *skin, uint32_t resolution,
                          const sn_progress *progress, sni_volume *v, sn_error *error) {
    sn_status status = SN_OK;
    voting job = {.volume = v};
    *v = (sni_volume){.context = context, .skin = skin};
    SN_TRY(make_surface(v, error));
    SN_TRY(lay_grid(v, resolution, error));
    SNI_NEW_ZERO(context, job.votes, v->place_count);
    for (job.axis = 0; job.axis < 3; ++job.axis) {
        SN_TRY(sni_parallel_rounds(context, sni_volume_row_count(v, job.axis), grain, 64 * grain,
                                   vote_rows, &job, progress, "finding the inside", error));
    }
    SN_TRY(make_nodes(v, job.votes, error));
cleanup:
    sni_free(context, job.votes);
    if (status != SN_OK) {
        sni_volume_deinit(v);
    }
    return status;
}

void sni_volume_deinit(sni_volume *v) {
    sn_topology_destroy(v->topology);
    sn_accel_destroy(v->accel);
    void *arrays[] = {v->vertices, v->nodes,        v->points,        v->windings,
                      v->areas,    v->vertex_nodes, v->node_vertices, v->parts,
                      v->offsets,  v->others,       v->conductances};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(v->context, arrays[i]);
    }
    *v = (sni_volume){0};
}

// ---------------------------------------------------------------------------------------------
// Questions

bool sni_volume_sees(const sni_volume *v, uint32_t node, sn_vec3 point, double slack) {
    SN_ASSERT(node < v->inner_count);
    sn_vec3 way = sn_vec3_sub(point, v->points[node]);
    double length = sn_vec3_length(way), from = 0;
    int left = 0;
    if (!(length > slack)) {
        return true;
    }
    for (int sign = 1; sign != 0;) {
        sign = sni_volume_cross(v, v->points[node], way, &from, length - slack);
        left += sign;
        if (left >= v->windings[node]) {
            return false;
        }
    }
    return true;
}

static int32_t cell_of(double at, double origin, double spacing) {
    double cell = floor((at - origin) / spacing);
    return cell > -100 && cell < INT32_MAX / 2 ? (int32_t)cell : -100;
}

uint32_t sni_volume_near(const sni_volume *v, sn_vec3 point, uint32_t margin,
                         uint32_t nodes[SNI_VOLUME_NEAR]) {
    int32_t m = (int32_t)margin, count = 2 + 2 * m;
    int32_t first[3] = {cell_of(point.x, v->origin.x, v->spacing) - m,
                        cell_of(point.y, v->origin.y, v->spacing) - m,
                        cell_of(point.z, v->origin.z, v->spacing) - m};
    uint32_t found = 0;
    SN_ASSERT(count * count * count <= SNI_VOLUME_NEAR);
    for (int32_t i = 0; i < count * count * count; ++i) {
        int32_t x = first[0] + i % count, y = first[1] + i / count % count;
        int32_t z = first[2] + i / (count * count);
        if (x < 0 || y < 0 || z < 0 || x >= (int32_t)v->counts[0] || y >= (int32_t)v->counts[1] ||
            z >= (int32_t)v->counts[2]) {
            continue;
        }
        uint32_t place = ((uint32_t)z * v->counts[1] + (uint32_t)y) * v->counts[0] + (uint32_t)x;
        if (v->nodes[place] != SN_NONE) {
            nodes[found++] = v->nodes[place];
        }
    }
    return found;
}
