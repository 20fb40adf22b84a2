// SPDX-License-Identifier: Apache-2.0
#include "scenes/shapes.h"

#include "sinew/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Numbers and frames

// Taylor series on [-pi/4, pi/4]: the first term left out is below 1e-17.
static double sine_series(double a) {
    double square = a * a, term = a, sum = a;
    for (int n = 2; n <= 14; n += 2) {
        term *= -square / (n * (n + 1.0));
        sum += term;
    }
    return sum;
}

static double cosine_series(double a) {
    double square = a * a, term = 1, sum = 1;
    for (int n = 1; n <= 15; n += 2) {
        term *= -square / (n * (n + 1.0));
        sum += term;
    }
    return sum;
}

scn_turn scn_turn_from_deg(double degrees) {
    int quarter = 0;
    while (degrees > 45) {
        degrees -= 90;
        quarter += 1;
    }
    while (degrees < -45) {
        degrees += 90;
        quarter += 3;
    }
    double a = degrees * (SN_PI / 180), c = cosine_series(a), s = sine_series(a);
    switch (quarter % 4) {
    case 0: return (scn_turn){c, s};
    case 1: return (scn_turn){-s, c};
    case 2: return (scn_turn){-c, -s};
    default: return (scn_turn){s, -c};
    }
}

double scn_smooth_step(double low, double high, double value) {
    double t = (value - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

sn_vec3 scn_frame_direction(const scn_frame *frame, sn_vec3 d) {
    sn_vec3 sum = sn_vec3_scale(frame->x, d.x);
    sum = sn_vec3_add_scaled(sum, d.y, frame->y);
    return sn_vec3_add_scaled(sum, d.z, frame->z);
}

sn_vec3 scn_frame_point(const scn_frame *frame, sn_vec3 point) {
    return sn_vec3_add(frame->origin, scn_frame_direction(frame, point));
}

sn_vec3 scn_reject(sn_vec3 v, sn_vec3 axis) {
    sn_vec3 rest = sn_vec3_add_scaled(v, -sn_vec3_dot(v, axis), axis);
    return sn_vec3_normalize_or(rest, sn_vec3_perpendicular(axis));
}

// ---------------------------------------------------------------------------------------------
// Skeletons

static sn_mat4 matrix_from_frame(const scn_frame *f) {
    return (sn_mat4){{f->x.x, f->x.y, f->x.z, 0, f->y.x, f->y.y, f->y.z, 0, f->z.x, f->z.y, f->z.z,
                      0, f->origin.x, f->origin.y, f->origin.z, 1}};
}

sn_transform scn_segment_local(const scn_segment *segments, uint32_t segment) {
    sn_mat4 own = matrix_from_frame(&segments[segment].rest), local = own;
    if (segments[segment].parent != SN_NONE) {
        sn_mat4 parent = matrix_from_frame(&segments[segments[segment].parent].rest), inverse;
        sn_mat4_invert(&parent, &inverse);
        local = sn_mat4_multiply(&inverse, &own);
    }
    sn_transform transform = sn_transform_identity();
    transform.translation = sn_vec3_make(local.m[12], local.m[13], local.m[14]);
    transform.rotation = sn_mat4_rotation(&local);
    return transform;
}

// Mirroring turns a right-handed frame into a left-handed one. With y and z mirrored as points are,
// x must be the mirror image reversed; then +rx still takes y towards z, while ry and rz, which act
// through x, change their sense.
void scn_segments_mirror(scn_segment *segments, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        scn_frame *rest = &segments[i].rest;
        rest->origin = scn_mirrored(rest->origin);
        rest->x = sn_vec3_scale(scn_mirrored(rest->x), -1);
        rest->y = scn_mirrored(rest->y);
        rest->z = scn_mirrored(rest->z);
        for (int axis = 1; axis < 3; ++axis) {
            double low = segments[i].limits_deg[axis][0];
            segments[i].limits_deg[axis][0] = -segments[i].limits_deg[axis][1];
            segments[i].limits_deg[axis][1] = -low;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Building meshes

sn_status scn_fail_memory(sn_error *error) {
    if (error != NULL && error->status == SN_OK) {
        error->status = SN_OUT_OF_MEMORY;
        snprintf(error->message, sizeof error->message, "out of memory");
        error->function = __func__;
        error->code_line = __LINE__;
    }
    return SN_OUT_OF_MEMORY;
}

void scn_builder_init(scn_builder *builder) {
    *builder = (scn_builder){0};
}

void scn_builder_deinit(scn_builder *builder) {
    free(builder->vertices);
    free(builder->quads);
    free(builder->polygon_ends);
    free(builder->corners);
    *builder = (scn_builder){0};
}

// Makes room for one more item; doubles.
static bool make_room(void **items, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity) {
        return true;
    }
    uint32_t wanted = *capacity == 0 ? 256 : *capacity * 2;
    void *moved = realloc(*items, wanted * size);
    if (moved == NULL) {
        return false;
    }
    *items = moved;
    *capacity = wanted;
    return true;
}

uint32_t scn_builder_vertex(scn_builder *builder, sn_vec3 position, uint32_t tag, double along) {
    void *items = builder->vertices;
    if (builder->failed || !make_room(&items, builder->vertex_count, &builder->vertex_capacity,
                                      sizeof *builder->vertices)) {
        builder->failed = true;
        return 0;
    }
    builder->vertices = items;
    builder->vertices[builder->vertex_count] = (scn_vertex){position, tag, along};
    return builder->vertex_count++;
}

void scn_builder_quad(scn_builder *builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    void *items = builder->quads;
    if (builder->failed ||
        !make_room(&items, builder->quad_count, &builder->quad_capacity, sizeof *builder->quads)) {
        builder->failed = true;
        return;
    }
    builder->quads = items;
    uint32_t *quad = builder->quads[builder->quad_count++];
    quad[0] = a;
    quad[1] = b;
    quad[2] = c;
    quad[3] = d;
}

static bool add_index(uint32_t **list, uint32_t *count, uint32_t *capacity, uint32_t index) {
    void *items = *list;
    if (!make_room(&items, *count, capacity, sizeof **list)) {
        return false;
    }
    *list = items;
    (*list)[(*count)++] = index;
    return true;
}

void scn_builder_polygon(scn_builder *builder, const uint32_t *corners, uint32_t count) {
    for (uint32_t i = 0; i < count && !builder->failed; ++i) {
        builder->failed = !add_index(&builder->corners, &builder->corner_count,
                                     &builder->corner_capacity, corners[i]);
    }
    builder->failed =
        builder->failed || !add_index(&builder->polygon_ends, &builder->polygon_count,
                                      &builder->polygon_capacity, builder->corner_count);
}

void scn_builder_join(scn_builder *builder, const uint32_t *from, const uint32_t *to,
                      uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t next = (i + 1) % count;
        scn_builder_quad(builder, from[i], from[next], to[next], to[i]);
    }
}

void scn_grid_border(uint32_t columns, uint32_t rows, uint32_t k, uint32_t *column, uint32_t *row) {
    if (k < columns) {
        *column = k;
        *row = 0;
    } else if (k < columns + rows) {
        *column = columns;
        *row = k - columns;
    } else if (k < 2 * columns + rows) {
        *column = 2 * columns + rows - k;
        *row = rows;
    } else {
        *column = 0;
        *row = 2 * (columns + rows) - k;
    }
}

// The vertex of the loop at column i or row j of the grid's border.
static uint32_t border_vertex(const uint32_t *loop, uint32_t columns, uint32_t rows, uint32_t i,
                              uint32_t j) {
    uint32_t count = 2 * (columns + rows), at;
    if (j == 0) {
        at = i;
    } else if (i == columns) {
        at = columns + j;
    } else if (j == rows) {
        at = columns + rows + (columns - i);
    } else {
        at = count - j;
    }
    return loop[at % count];
}

// Coons patch: the sum of the two ruled surfaces less the bilinear one of the corners.
static sn_vec3 coons_point(const scn_builder *builder, const uint32_t *loop, uint32_t columns,
                           uint32_t rows, uint32_t i, uint32_t j) {
    const scn_vertex *v = builder->vertices;
    double s = (double)i / columns, t = (double)j / rows;
#define AT(a, b) v[border_vertex(loop, columns, rows, (a), (b))].position
    sn_vec3 along = sn_vec3_lerp(AT(i, 0), AT(i, rows), t);
    sn_vec3 across = sn_vec3_lerp(AT(0, j), AT(columns, j), s);
    sn_vec3 first = sn_vec3_lerp(AT(0, 0), AT(columns, 0), s);
    sn_vec3 last = sn_vec3_lerp(AT(0, rows), AT(columns, rows), s);
#undef AT
    return sn_vec3_sub(sn_vec3_add(along, across), sn_vec3_lerp(first, last, t));
}

void scn_builder_cap(scn_builder *builder, const uint32_t *loop, uint32_t columns, uint32_t rows,
                     uint32_t tag, double along, uint32_t *inner) {
    uint32_t base = builder->vertex_count;
    for (uint32_t j = 1; j < rows; ++j) {
        for (uint32_t i = 1; i < columns && !builder->failed; ++i) {
            sn_vec3 point = coons_point(builder, loop, columns, rows, i, j);
            uint32_t made = scn_builder_vertex(builder, point, tag, along);
            if (inner != NULL) {
                inner[(j - 1) * (columns - 1) + i - 1] = made;
            }
        }
    }
#define AT(a, b)                                                                                   \
    ((a) == 0 || (b) == 0 || (a) == columns || (b) == rows                                         \
         ? border_vertex(loop, columns, rows, (a), (b))                                            \
         : base + ((b)-1) * (columns - 1) + (a)-1)
    for (uint32_t j = 0; j < rows; ++j) {
        for (uint32_t i = 0; i < columns; ++i) {
            scn_builder_quad(builder, AT(i, j), AT(i + 1, j), AT(i + 1, j + 1), AT(i, j + 1));
        }
    }
#undef AT
}

void scn_builder_compact(scn_builder *builder) {
    uint32_t *numbers = calloc(builder->vertex_count + 1, sizeof *numbers), kept = 0;
    if (numbers == NULL) {
        builder->failed = true;
        return;
    }
    for (uint32_t q = 0; q < builder->quad_count; ++q) {
        for (int c = 0; c < 4; ++c) {
            numbers[builder->quads[q][c]] = 1;
        }
    }
    for (uint32_t c = 0; c < builder->corner_count; ++c) {
        numbers[builder->corners[c]] = 1;
    }
    for (uint32_t i = 0; i < builder->vertex_count; ++i) {
        if (numbers[i] != 0) {
            builder->vertices[kept] = builder->vertices[i];
            numbers[i] = kept++;
        }
    }
    for (uint32_t q = 0; q < builder->quad_count; ++q) {
        for (int c = 0; c < 4; ++c) {
            builder->quads[q][c] = numbers[builder->quads[q][c]];
        }
    }
    for (uint32_t c = 0; c < builder->corner_count; ++c) {
        builder->corners[c] = numbers[builder->corners[c]];
    }
    builder->vertex_count = kept;
    free(numbers);
}

// Keeps the quads of the half x >= 0 and the vertices that they use.
static void keep_half(scn_builder *builder, double margin) {
    uint32_t kept = 0;
    for (uint32_t q = 0; q < builder->quad_count; ++q) {
        bool left = true;
        for (int c = 0; c < 4; ++c) {
            left = left && builder->vertices[builder->quads[q][c]].position.x >= -margin;
        }
        if (left) {
            memcpy(builder->quads[kept++], builder->quads[q], sizeof *builder->quads);
        }
    }
    builder->quad_count = kept;
    scn_builder_compact(builder);
}

bool scn_builder_mirror(scn_builder *builder, double margin, uint32_t **mirror) {
    keep_half(builder, margin);
    uint32_t half = builder->vertex_count, quads = builder->quad_count;
    uint32_t *other = malloc((2 * (size_t)half + 1) * sizeof *other);
    *mirror = other;
    if (other == NULL || builder->failed) {
        return false;
    }
    for (uint32_t i = 0; i < half; ++i) {
        scn_vertex v = builder->vertices[i];
        if (fabs(v.position.x) <= margin) {
            builder->vertices[i].position.x = 0;
            other[i] = i;
        } else {
            sn_vec3 image = {-v.position.x, v.position.y, v.position.z};
            other[i] = scn_builder_vertex(builder, image, v.tag, v.along);
            other[other[i]] = i;
        }
    }
    for (uint32_t q = 0; q < quads; ++q) {
        const uint32_t *c = builder->quads[q];
        scn_builder_quad(builder, other[c[3]], other[c[2]], other[c[1]], other[c[0]]);
    }
    return !builder->failed;
}

static int compare_indices(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// On a closed surface every edge is met once in each direction, so the directed edges that leave a
// vertex are its neighbours, each once.
bool scn_builder_neighbours(const scn_builder *builder, uint32_t **offsets, uint32_t **neighbours) {
    uint32_t count = builder->vertex_count;
    uint32_t *starts = calloc((size_t)count + 2, sizeof *starts);
    uint32_t *ends = malloc(((size_t)builder->quad_count * 4 + 1) * sizeof *ends);
    if (starts == NULL || ends == NULL) {
        free(starts);
        free(ends);
        return false;
    }
    for (uint32_t q = 0; q < builder->quad_count; ++q) {
        for (int c = 0; c < 4; ++c) {
            starts[builder->quads[q][c] + 2] += 1;
        }
    }
    for (uint32_t i = 2; i < count + 2; ++i) {
        starts[i] += starts[i - 1];
    }
    for (uint32_t q = 0; q < builder->quad_count; ++q) {
        for (int c = 0; c < 4; ++c) {
            ends[starts[builder->quads[q][c] + 1]++] = builder->quads[q][(c + 1) % 4];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        qsort(ends + starts[i], starts[i + 1] - starts[i], sizeof *ends, compare_indices);
    }
    *offsets = starts;
    *neighbours = ends;
    return true;
}

sn_status scn_builder_finish(scn_builder *builder, sn_context *context, const char *name,
                             sn_mesh **mesh, sn_error *error) {
    *mesh = NULL;
    if (builder->failed) {
        return scn_fail_memory(error);
    }
    sn_mesh *made = NULL;
    uint32_t quad_corners = builder->quad_count * 4;
    sn_status status = sn_mesh_create(context, name, builder->vertex_count,
                                      builder->quad_count + builder->polygon_count,
                                      quad_corners + builder->corner_count, &made, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < builder->vertex_count; ++i) {
        sn_vec3_store(builder->vertices[i].position, made->positions + 3 * (size_t)i);
    }
    for (uint32_t q = 0; q < builder->quad_count; ++q) {
        made->face_offsets[q + 1] = 4 * (q + 1);
        memcpy(made->corners + 4 * (size_t)q, builder->quads[q], sizeof builder->quads[q]);
    }
    for (uint32_t p = 0; p < builder->polygon_count; ++p) {
        made->face_offsets[builder->quad_count + p + 1] = quad_corners + builder->polygon_ends[p];
    }
    for (uint32_t c = 0; c < builder->corner_count; ++c) {
        made->corners[quad_corners + c] = builder->corners[c];
    }
    *mesh = made;
    return SN_OK;
}

sn_status scn_add_normals(sn_mesh *mesh, sn_error *error) {
    sn_attribute *normals = NULL;
    sn_status status =
        sn_mesh_add_attribute(mesh, "normal", 3, mesh->vertex_count, false, &normals, error);
    return status == SN_OK ? sn_mesh_normals(mesh, mesh->positions, normals->values, error)
                           : status;
}

void scn_mesh_mirror(sn_mesh *mesh) {
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        mesh->positions[3 * (size_t)i] = -mesh->positions[3 * (size_t)i];
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t low = mesh->face_offsets[f], high = mesh->face_offsets[f + 1];
        while (low + 1 < high) {
            uint32_t corner = mesh->corners[low];
            mesh->corners[low++] = mesh->corners[--high];
            mesh->corners[high] = corner;
        }
    }
}
