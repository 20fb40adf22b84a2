// SPDX-License-Identifier: Apache-2.0
//
// Small meshes for the tests of pictures.
#ifndef SNT_RENDER_SHAPES_H
#define SNT_RENDER_SHAPES_H

#include "sinew/render.h"
#include "test.h"

#include <math.h>

static inline sn_mesh *snt_mesh(sn_context *context, const float *positions, uint32_t vertex_count,
                                const uint32_t *sizes, uint32_t face_count,
                                const uint32_t *corners) {
    uint32_t corner_count = 0;
    for (uint32_t f = 0; f < face_count; ++f) {
        corner_count += sizes[f];
    }
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "test", vertex_count, face_count, corner_count, &mesh, error));
    if (vertex_count > 0) {
        memcpy(mesh->positions, positions, 3 * vertex_count * sizeof *positions);
    }
    for (uint32_t f = 0; f < face_count; ++f) {
        mesh->face_offsets[f + 1] = mesh->face_offsets[f] + sizes[f];
    }
    if (corner_count > 0) {
        memcpy(mesh->corners, corners, corner_count * sizeof *corners);
    }
    return mesh;
}

// A sphere of quads (triangles collapsed at the poles), counter-clockwise seen from outside.
static inline sn_mesh *snt_sphere(sn_context *context, sn_vec3 center, double radius,
                                  uint32_t around, uint32_t along) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "sphere", around * (along + 1), around * along,
                          4 * around * along, &mesh, error));
    for (uint32_t j = 0; j <= along; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            double a = 2 * SN_PI * i / around, b = SN_PI * j / along;
            sn_vec3 normal = sn_vec3_make(sin(b) * cos(a), cos(b), sin(b) * sin(a));
            sn_vec3_store(sn_vec3_add_scaled(center, radius, normal),
                          &mesh->positions[3 * (j * around + i)]);
        }
    }
    for (uint32_t j = 0; j < along; ++j) {
        for (uint32_t i = 0; i < around; ++i) {
            uint32_t face = j * around + i, next = (i + 1) % around;
            uint32_t quad[4] = {j * around + i, j * around + next, (j + 1) * around + next,
                                (j + 1) * around + i};
            memcpy(&mesh->corners[4 * face], quad, sizeof quad);
            mesh->face_offsets[face + 1] = 4 * (face + 1);
        }
    }
    return mesh;
}

// An upright rectangle in the plane z that faces +Z.
static inline sn_mesh *snt_board(sn_context *context, double half_width, double half_height,
                                 double z) {
    float w = (float)half_width, h = (float)half_height, d = (float)z;
    float positions[12] = {-w, -h, d, w, -h, d, w, h, d, -w, h, d};
    uint32_t size = 4, corners[4] = {0, 1, 2, 3};
    return snt_mesh(context, positions, 4, &size, 1, corners);
}

// A level rectangle at height y that faces up.
static inline sn_mesh *snt_plate(sn_context *context, double half_side, double y) {
    float s = (float)half_side, h = (float)y;
    float positions[12] = {-s, h, s, s, h, s, s, h, -s, -s, h, -s};
    uint32_t size = 4, corners[4] = {0, 1, 2, 3};
    return snt_mesh(context, positions, 4, &size, 1, corners);
}

// A small, quick picture seen along -Z from (0, 0, distance), without ground.
static inline sn_picture_desc snt_quick(uint32_t width, uint32_t height, double distance) {
    sn_picture_desc desc = sn_picture_desc_default();
    desc.width = width;
    desc.height = height;
    desc.samples = 1;
    desc.occlusion_rays = 4;
    desc.ground = false;
    desc.camera = (sn_camera){
        .eye = {0, 0, distance}, .target = {0, 0, 0}, .up = {0, 1, 0}, .field_of_view = 0.5};
    return desc;
}

static inline const uint8_t *snt_pixel(const sn_image *image, uint32_t x, uint32_t y) {
    return &image->pixels[3 * ((size_t)y * image->width + x)];
}

static inline int snt_pixel_difference(const sn_image *a, const sn_image *b, uint32_t x,
                                       uint32_t y) {
    int largest = 0;
    for (int i = 0; i < 3; ++i) {
        int difference = snt_pixel(a, x, y)[i] - snt_pixel(b, x, y)[i];
        difference = difference < 0 ? -difference : difference;
        largest = difference > largest ? difference : largest;
    }
    return largest;
}

static inline bool snt_same_pixels(const sn_image *a, const sn_image *b) {
    return a->width == b->width && a->height == b->height &&
           memcmp(a->pixels, b->pixels, 3 * (size_t)a->width * a->height) == 0;
}

static inline sn_image *snt_draw(sn_context *context, const sn_picture_desc *desc,
                                 const sn_drawable *drawables, uint32_t count) {
    sn_image *image = NULL;
    snt_ok(sn_picture_draw(context, desc, drawables, count, NULL, &image, error));
    return image;
}

#endif
