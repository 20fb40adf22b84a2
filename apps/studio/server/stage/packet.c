// SPDX-License-Identifier: Apache-2.0
#include "stage/packet.h"

#include "wire/failure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 40
#define BLOCK_BYTES 16
#define MAGIC 0x47574e53u // "SNWG"

typedef struct writer {
    wire_packet *packet;
    size_t size;
    uint32_t blocks;
} writer;

static size_t padded(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

static size_t block_size(uint32_t count, size_t item) {
    return BLOCK_BYTES + padded((size_t)count * item);
}

static void put_u32(uint8_t *at, uint32_t value) {
    memcpy(at, &value, sizeof value);
}

static bool begin(writer *out, size_t room) {
    *out = (writer){.packet = wire_packet_create(HEAD_BYTES + room, true), .size = HEAD_BYTES};
    return out->packet != NULL;
}

// A block, whose bytes the caller fills.
static void *add_block(writer *out, uint32_t surface, packet_what what, uint32_t count,
                       size_t item) {
    uint8_t *at = out->packet->bytes + out->size;
    size_t bytes = (size_t)count * item;
    put_u32(at, surface);
    put_u32(at + 4, what);
    put_u32(at + 8, count);
    put_u32(at + 12, (uint32_t)bytes);
    memset(at + BLOCK_BYTES + bytes, 0, padded(bytes) - bytes);
    out->size += block_size(count, item);
    out->blocks += 1;
    return at + BLOCK_BYTES;
}

static void add_array(writer *out, uint32_t surface, packet_what what, uint32_t count, size_t item,
                      const void *items) {
    void *at = add_block(out, surface, what, count, item);
    if (count > 0) {
        memcpy(at, items, count * item);
    }
}

// Where in the header the numbers stand that differ from page to page.
#define SERIAL_AT 16
#define VIEW_AT 36

static wire_packet *finish(writer *out, const packet_head *head) {
    uint8_t *at = out->packet->bytes;
    put_u32(at, MAGIC);
    put_u32(at + 4, head->kind);
    put_u32(at + 8, head->slot);
    put_u32(at + 12, head->model);
    put_u32(at + SERIAL_AT, head->serial);
    put_u32(at + 20, head->frame);
    memcpy(at + 24, &head->time, sizeof head->time);
    put_u32(at + 32, out->blocks);
    put_u32(at + VIEW_AT, head->view);
    out->packet->size = out->size;
    return out->packet;
}

// ---------------------------------------------------------------------------------------------
// Views

void packet_view_deinit(packet_view *view) {
    free(view->surfaces);
    free(view->segment);
    free(view->slice.segment);
    *view = (packet_view){0};
}

// NULL of NULL; false without memory.
static bool copy_text(const char *text, char **copy) {
    *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (*copy) {
        strcpy(*copy, text);
    }
    return !text || *copy;
}

sn_status packet_view_copy(const packet_view *view, packet_view *copy, sn_error *error) {
    *copy = *view;
    bool done = copy_text(view->segment, &copy->segment);
    done = copy_text(view->slice.segment, &copy->slice.segment) && done;
    copy->surfaces = malloc(((size_t)view->count + 1) * sizeof *copy->surfaces);
    if (!copy->surfaces || !done) {
        packet_view_deinit(copy);
        return app_fail_memory(error);
    }
    if (view->count > 0) {
        memcpy(copy->surfaces, view->surfaces, view->count * sizeof *copy->surfaces);
    }
    return SN_OK;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_slice(const packet_slice *a, const packet_slice *b) {
    return a->columns == b->columns && a->rows == b->rows && same_text(a->segment, b->segment) &&
           memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
           memcmp(a->u, b->u, sizeof a->u) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0;
}

bool packet_view_same(const packet_view *a, const packet_view *b) {
    return a->count == b->count && a->quantity == b->quantity && a->deformer == b->deformer &&
           same_text(a->segment, b->segment) && same_slice(&a->slice, &b->slice) &&
           (a->count == 0 || memcmp(a->surfaces, b->surfaces, a->count * sizeof *a->surfaces) == 0);
}

// ---------------------------------------------------------------------------------------------
// Frames

static size_t axes_room(const sn_frame *frame) {
    size_t room = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(sn_frame_model(frame)); ++i) {
        sn_muscle_axis axis;
        for (uint32_t k = 0; sn_frame_muscle_axis(frame, i, k, &axis); ++k) {
            room += block_size(axis.particle_count, 4 * sizeof(float));
        }
    }
    return room;
}

static size_t frame_room(const sn_model *model, const packet_view *view) {
    uint32_t segments = sn_model_skeleton(model)->segment_count;
    size_t room =
        block_size(segments, 16 * sizeof(float)) +
        block_size(segments, SN_JOINT_PARAMETER_COUNT * sizeof(double)) +
        block_size(sn_model_control_count(model), sizeof(double)) +
        block_size(SN_STAGE_COUNT, sizeof(double)) + block_size(1, sizeof(double)) +
        sn_model_surface_count(model) * block_size(1, 3 * sizeof(float)) +
        block_size(PACKET_SLICE_HEAD + view->slice.columns * view->slice.rows, sizeof(float));
    for (uint32_t i = 0; i < view->count; ++i) {
        if (view->surfaces[i] < sn_model_surface_count(model)) {
            uint32_t count = sn_model_surface(model, view->surfaces[i])->mesh->vertex_count;
            room += block_size(count, 3 * sizeof(float)) + block_size(count, 4) +
                    block_size(count, sizeof(float));
        }
    }
    return room;
}

static void add_pose(writer *out, const sn_frame *frame) {
    const sn_model *model = sn_frame_model(frame);
    uint32_t segments = sn_model_skeleton(model)->segment_count;
    const sn_mat4 *worlds = sn_frame_worlds(frame);
    uint8_t *at = add_block(out, SN_NONE, PACKET_WORLDS, segments, 16 * sizeof(float));
    for (uint32_t i = 0; i < segments; ++i) {
        for (uint32_t k = 0; k < 16; ++k) {
            float number = (float)worlds[i].m[k];
            memcpy(at + (16 * (size_t)i + k) * sizeof number, &number, sizeof number);
        }
    }
    add_array(out, SN_NONE, PACKET_JOINTS, segments, SN_JOINT_PARAMETER_COUNT * sizeof(double),
              sn_frame_joint_parameters(frame));
    add_array(out, SN_NONE, PACKET_CONTROLS, sn_model_control_count(model), sizeof(double),
              sn_frame_controls(frame));
}

static void add_stages(writer *out, const sn_frame *frame) {
    double times[SN_STAGE_COUNT];
    for (int i = 0; i < SN_STAGE_COUNT; ++i) {
        times[i] = sn_frame_stage_ms(frame, (sn_stage)i);
    }
    add_array(out, SN_NONE, PACKET_STAGES, SN_STAGE_COUNT, sizeof(double), times);
}

static void add_muscles(writer *out, const sn_frame *frame) {
    const sn_model *model = sn_frame_model(frame);
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        sn_muscle_state state;
        if (!sn_frame_muscle_state(frame, i, &state)) {
            continue;
        }
        double change = state.rest_volume > 0 ? state.volume / state.rest_volume - 1 : 0;
        float numbers[3] = {(float)state.shortening, (float)state.activation, (float)change};
        add_array(out, i, PACKET_MUSCLE, 1, sizeof numbers, numbers);
    }
}

// Particles of a fibre, each with its distance from where the pose alone would put it.
static void write_axis(const sn_muscle_axis *axis, uint8_t *at) {
    for (uint32_t i = 0; i < axis->particle_count; ++i) {
        const double *p = axis->particles + 3 * (size_t)i, *q = axis->still + 3 * (size_t)i;
        float numbers[4];
        double square = 0;
        for (uint32_t k = 0; k < 3; ++k) {
            numbers[k] = (float)p[k];
            square += (p[k] - q[k]) * (p[k] - q[k]);
        }
        numbers[3] = (float)sqrt(square);
        memcpy(at + i * sizeof numbers, numbers, sizeof numbers);
    }
}

// A block for each fibre.
static void add_axes(writer *out, const sn_frame *frame) {
    for (uint32_t i = 0; i < sn_model_surface_count(sn_frame_model(frame)); ++i) {
        sn_muscle_axis axis;
        for (uint32_t k = 0; sn_frame_muscle_axis(frame, i, k, &axis); ++k) {
            write_axis(&axis,
                       add_block(out, i, PACKET_AXES, axis.particle_count, 4 * sizeof(float)));
        }
    }
}

static int8_t to_byte(float number) {
    return (int8_t)lrintf(fminf(fmaxf(number, -1), 1) * 127);
}

static sn_status add_normals(writer *out, const sn_frame *frame, uint32_t surface, float *scratch,
                             sn_error *error) {
    const sn_mesh *mesh = sn_model_surface(sn_frame_model(frame), surface)->mesh;
    sn_status status = sn_mesh_normals(mesh, sn_frame_points(frame, surface), scratch, error);
    if (status != SN_OK) {
        return status;
    }
    int8_t *at = add_block(out, surface, PACKET_NORMALS, mesh->vertex_count, 4);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            at[4 * (size_t)i + k] = to_byte(scratch[3 * (size_t)i + k]);
        }
        at[4 * (size_t)i + 3] = 0;
    }
    return SN_OK;
}

static sn_status add_values(writer *out, const sn_frame *frame, uint32_t surface,
                            const packet_view *view, float *scratch, sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    sn_values_desc desc = sn_values_desc_default();
    desc.quantity = view->quantity;
    desc.segment = view->segment;
    desc.deformer = view->deformer;
    if (view->quantity == SN_QUANTITY_NONE || !sn_values_exist(model, surface, &desc)) {
        return SN_OK;
    }
    sn_status status = SN_OK;
    SN_TRY(sn_frame_values(frame, surface, &desc, scratch, error));
    add_array(out, surface, PACKET_VALUES, sn_model_surface(model, surface)->mesh->vertex_count,
              sizeof(float), scratch);
cleanup:
    return status;
}

static sn_status add_surface(writer *out, const sn_frame *frame, uint32_t surface,
                             const packet_view *view, sn_error *error) {
    uint32_t count = sn_model_surface(sn_frame_model(frame), surface)->mesh->vertex_count;
    float *scratch = malloc(3 * sizeof(float) * (size_t)count + 1);
    if (!scratch) {
        return app_fail_memory(error);
    }
    add_array(out, surface, PACKET_POINTS, count, 3 * sizeof(float),
              sn_frame_points(frame, surface));
    sn_status status = SN_OK;
    SN_TRY(add_normals(out, frame, surface, scratch, error));
    SN_TRY(add_values(out, frame, surface, view, scratch, error));
cleanup:
    free(scratch);
    return status;
}

// Samples what the fields of all shown skins are at most. `scratch` has room for four numbers of
// each place.
static sn_status sample_slice(const sn_frame *frame, const packet_slice *slice,
                              const double corners[3][3], float *values, float *scratch,
                              sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    uint32_t count = slice->columns * slice->rows;
    float *points = scratch, *one = scratch + 3 * (size_t)count;
    for (uint32_t i = 0; i < count; ++i) {
        double s = (double)(i % slice->columns) / (slice->columns - 1);
        double t = (double)(i / slice->columns) / (slice->rows - 1);
        for (uint32_t k = 0; k < 3; ++k) {
            points[3 * (size_t)i + k] =
                (float)(corners[0][k] + s * corners[1][k] + t * corners[2][k]);
        }
        values[i] = 0;
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        if (!sn_model_has_field(model, i) || !sn_model_surface(model, i)->shown) {
            continue;
        }
        SN_TRY(sn_frame_field(frame, i, count, points, one, error));
        for (uint32_t k = 0; k < count; ++k) {
            values[k] = fmaxf(values[k], one[k]);
        }
    }
cleanup:
    return status;
}

// The slice where its segment has it; none where the model lacks that segment, which pages see.
static sn_status add_slice(writer *out, const sn_frame *frame, const packet_slice *slice,
                           sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(sn_frame_model(frame));
    uint32_t count = slice->columns * slice->rows, segment = SN_NONE;
    double corners[3][3];
    if (count == 0) {
        return SN_OK;
    }
    for (uint32_t i = 0; slice->segment && i < skeleton->segment_count && segment == SN_NONE; ++i) {
        segment = strcmp(skeleton->segments[i].name, slice->segment) == 0 ? i : SN_NONE;
    }
    if (slice->segment && segment == SN_NONE) {
        return SN_OK;
    }
    const double *given[3] = {slice->origin, slice->u, slice->v};
    for (uint32_t i = 0; i < 3; ++i) {
        sn_vec3 p = {given[i][0], given[i][1], given[i][2]};
        if (segment != SN_NONE) {
            const sn_mat4 *world = &sn_frame_worlds(frame)[segment];
            p = i == 0 ? sn_mat4_point(world, p) : sn_mat4_direction(world, p);
        }
        memcpy(corners[i], (double[3]){p.x, p.y, p.z}, sizeof corners[i]);
    }
    float *numbers = malloc((PACKET_SLICE_HEAD + 5 * (size_t)count) * sizeof *numbers);
    if (!numbers) {
        return app_fail_memory(error);
    }
    numbers[0] = (float)slice->columns;
    numbers[1] = (float)slice->rows;
    for (uint32_t i = 0; i < 9; ++i) {
        numbers[2 + i] = (float)corners[i / 3][i % 3];
    }
    float *values = numbers + PACKET_SLICE_HEAD;
    sn_status status = sample_slice(frame, slice, corners, values, values + count, error);
    if (status == SN_OK) {
        add_array(out, SN_NONE, PACKET_SLICE, PACKET_SLICE_HEAD + count, sizeof(float), numbers);
    }
    free(numbers);
    return status;
}

sn_status packet_write_frame(const packet_head *head, const stage *stage, const packet_view *view,
                             wire_packet **packet, sn_error *error) {
    const sn_frame *frame = stage->frame;
    const sn_model *model = stage->made->model;
    writer out;
    if (!begin(&out, frame_room(model, view) + axes_room(frame))) {
        return app_fail_memory(error);
    }
    add_pose(&out, frame);
    add_stages(&out, frame);
    if (head->live) {
        add_array(&out, SN_NONE, PACKET_LIVE, 1, sizeof(double), &head->live_seconds);
    }
    add_muscles(&out, frame);
    add_axes(&out, frame);
    sn_status status = SN_OK;
    SN_TRY(add_slice(&out, frame, &view->slice, error));
    for (uint32_t i = 0; i < view->count; ++i) {
        if (view->surfaces[i] < sn_model_surface_count(model)) {
            SN_TRY(add_surface(&out, frame, view->surfaces[i], view, error));
        }
    }
    packet_head whole = *head;
    whole.view = view->number;
    *packet = finish(&out, &whole);
    return SN_OK;
cleanup:
    free(out.packet);
    return status;
}

wire_packet *packet_copy_frame(const wire_packet *packet, uint32_t serial, uint32_t view) {
    wire_packet *copy = wire_packet_create(packet->size, true);
    if (copy) {
        memcpy(copy->bytes, packet->bytes, packet->size);
        put_u32(copy->bytes + SERIAL_AT, serial);
        put_u32(copy->bytes + VIEW_AT, view);
    }
    return copy;
}

// ---------------------------------------------------------------------------------------------
// Geometry

static size_t coat_room(const stage_shape *shape) {
    const stage_coat *coat = shape->coat;
    if (!coat) {
        return 0;
    }
    size_t room = block_size(shape->triangle_count, 3 * sizeof(uint32_t)) +
                  block_size(coat->copy_count, sizeof(uint32_t)) +
                  block_size(shape->vertex_count + coat->copy_count, 2 * sizeof(float)) +
                  block_size((uint32_t)coat->text_size, 1);
    for (uint32_t i = 0; i < coat->image_count; ++i) {
        room += block_size((uint32_t)coat->images[i].size, 1);
    }
    return room;
}

static void add_coat(writer *out, uint32_t surface, const stage_shape *shape) {
    const stage_coat *coat = shape->coat;
    add_array(out, surface, PACKET_DRAWN, shape->triangle_count, 3 * sizeof(uint32_t),
              coat->triangles);
    if (coat->uvs) {
        add_array(out, surface, PACKET_COPIES, coat->copy_count, sizeof(uint32_t), coat->copies);
        add_array(out, surface, PACKET_UVS, shape->vertex_count + coat->copy_count,
                  2 * sizeof(float), coat->uvs);
    }
    for (uint32_t i = 0; i < coat->image_count; ++i) {
        add_array(out, surface, PACKET_IMAGE, (uint32_t)coat->images[i].size, 1,
                  coat->images[i].bytes);
    }
    add_array(out, surface, PACKET_MATERIALS, (uint32_t)coat->text_size, 1, coat->text);
}

static size_t geometry_room(stage_shape *const *shapes, uint32_t count) {
    size_t room = 0;
    for (uint32_t i = 0; i < count; ++i) {
        room += block_size(shapes[i]->vertex_count, 3 * sizeof(float)) +
                block_size(shapes[i]->triangle_count, 3 * sizeof(uint32_t)) +
                block_size(shapes[i]->triangle_count, sizeof(uint32_t)) +
                block_size(shapes[i]->edge_count, 2 * sizeof(uint32_t)) +
                block_size(shapes[i]->vertex_count, 4) + coat_room(shapes[i]);
    }
    return room;
}

sn_status packet_write_geometry(const packet_head *head, stage_shape *const *shapes,
                                const uint32_t *surfaces, uint32_t count, wire_packet **packet,
                                sn_error *error) {
    writer out;
    if (!begin(&out, geometry_room(shapes, count))) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const stage_shape *shape = shapes[i];
        add_array(&out, surfaces[i], PACKET_REST, shape->vertex_count, 3 * sizeof(float),
                  shape->rest);
        add_array(&out, surfaces[i], PACKET_TRIANGLES, shape->triangle_count, 3 * sizeof(uint32_t),
                  shape->triangles);
        add_array(&out, surfaces[i], PACKET_FACES, shape->triangle_count, sizeof(uint32_t),
                  shape->faces);
        add_array(&out, surfaces[i], PACKET_EDGES, shape->edge_count, 2 * sizeof(uint32_t),
                  shape->edges);
        if (shape->colors) {
            add_array(&out, surfaces[i], PACKET_COLORS, shape->vertex_count, 4, shape->colors);
        }
        if (shape->coat) {
            add_coat(&out, surfaces[i], shape);
        }
    }
    *packet = finish(&out, head);
    return SN_OK;
}
