// SPDX-License-Identifier: Apache-2.0
//
// Cranium and mandible: fields of chains (modeller.h), laid so that they pass through the bone
// points of all landmarks, and below the vault of the skin.
#include "scenes/head_shape.h"

#include "scenes/modeller.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 64 };

typedef struct bone_part {
    bool both; // the mirror image is there, too
    scn_part part;
} bone_part;

// clang-format off
#define SOLID(side, across, blend, count, ...) \
    {side, {NULL, SCN_ADD, 0, 0, across, 0, blend, count, {__VA_ARGS__}}}
#define HOLLOW(side, across, blend, count, ...) \
    {side, {NULL, SCN_CUT, 0, 0, across, 0, blend, count, {__VA_ARGS__}}}

static const bone_part cranium_parts[] = {
    // vault; base of the skull
    SOLID(false, SCN_ACROSS_X, 10, 2, {0, 66, -13, 72, 73}, {0, 68, 32, 66, 70}),
    SOLID(false, SCN_ACROSS_X, 14, 4, {0, 14, -46, 36, 16}, {0, 8, -20, 44, 14}, {0, 10, 10, 46, 14}, {0, 14, 40, 36, 14}),
    // mastoid process
    SOLID(true, SCN_ACROSS_X, 12, 3, {50, 12, -4, 12, 14}, {52, -4, 2, 8, 9}, {51, -12, 4, 5, 6}),
    // frontal bone down to the brow ridges
    SOLID(true, SCN_ACROSS_Y, 12, 4, {0, 60, 92, 12, 10}, {16, 60, 90, 10, 9}, {34, 59, 84, 8, 9}, {50, 53, 68, 7, 8}),
    // frontal process of the zygomatic bone
    SOLID(true, SCN_ACROSS_X, 6, 3, {53, 50, 66, 4, 6}, {53.5, 36, 64, 4, 6.5}, {49, 21, 69, 6, 7}),
    // body of the zygomatic bone, lower edge of the orbit, frontal process of the maxilla
    SOLID(true, SCN_ACROSS_Y, 6, 5, {48, 13, 67, 9, 7}, {40, 10, 77, 8, 6}, {30.5, 9, 83, 6.5, 6.5},
          {19.5, 15, 87, 6, 5}, {11.5, 30, 91, 5, 4.5}),
    SOLID(true, SCN_ACROSS_X, 6, 2, {11.5, 30, 91, 4, 5}, {9, 45, 93, 5, 6}),
    // maxilla
    SOLID(true, SCN_ACROSS_X, 8, 3, {24, 6, 76, 13, 12}, {22, -6, 77, 13, 12}, {19, -12, 80, 12, 12}),
    // alveolar arch with the roots of the teeth
    SOLID(true, SCN_ACROSS_Y, 5, 6, {0, -17.6, 101.4, 7.8, 4.4}, {7.5, -17.6, 100.6, 7.8, 4.4}, {14, -17.4, 97, 7.8, 4.8},
          {18.8, -17, 90, 7.8, 5}, {22, -16.8, 80, 7.6, 5.4}, {23.4, -16, 66, 7.6, 5.6}),
    // palate, nasal spine
    SOLID(false, SCN_ACROSS_X, 5, 3, {0, -11, 96, 12, 3.4}, {0, -10, 82, 18, 3.4}, {0, -9.5, 64, 18, 3.2}),
    SOLID(false, SCN_ACROSS_X, 3, 2, {0, -11, 99, 3, 3}, {0, -10, 106.5, 1.6, 1.6}),
    // ethmoid and sphenoid between and behind the orbits, nasal walls
    SOLID(false, SCN_ACROSS_X, 6, 3, {0, 26, 84, 9, 18}, {0, 24, 64, 16, 24}, {0, 18, 44, 26, 22}),
    SOLID(false, SCN_ACROSS_X, 6, 2, {0, 4, 80, 16, 10}, {0, 4, 62, 20, 12}),
    // pterygoid plates
    SOLID(true, SCN_ACROSS_X, 6, 2, {18, 4, 57, 6, 7}, {18.5, -14, 57, 4.5, 5}),
    // root of the zygomatic arch over the jaw joint
    SOLID(true, SCN_ACROSS_X, 8, 2, {48, 20, 14, 12, 6}, {60, 19, 19, 6, 5}),
    // orbit
    HOLLOW(true, SCN_ACROSS_X, 3, 4, {33.5, 35, 104, 21.5, 19}, {32, 35, 80, 19.5, 17.5}, {27, 36, 62, 12.5, 12}, {21, 37, 50, 5, 5}),
    // opening of the nose
    HOLLOW(false, SCN_ACROSS_X, 3, 3, {0, 0, 120, 12.5, 8.5}, {0, 0, 98, 11.5, 8.5}, {0, 2, 86, 9, 8}),
    HOLLOW(false, SCN_ACROSS_X, 4, 3, {0, 9, 122, 9.5, 11}, {0, 10, 100, 8, 10}, {0, 12, 86, 6, 8}),
    // hollow of the temple behind the orbit
    HOLLOW(true, SCN_ACROSS_X, 6, 3, {66, 34, 50, 14, 18}, {60, 22, 48, 14, 14}, {52.5, 4, 50, 15.5, 14}),
    // outer wall and floor of the orbit
    SOLID(true, SCN_ACROSS_Y, 4, 3, {53, 36, 65, 15, 3}, {45, 36, 55, 14, 3.6}, {36, 36, 46, 12, 5}),
    SOLID(true, SCN_ACROSS_X, 4, 3, {32, 13, 84, 13, 3}, {30, 14.5, 70, 13, 3.4}, {27, 19, 57, 11, 5}),
    SOLID(true, SCN_ACROSS_X, 4, 2, {46, 18, 68, 5, 6}, {38, 20, 55, 7, 7}),
    // canine fossa
    HOLLOW(true, SCN_ACROSS_X, 6, 1, {27, -4, 97, 7, 8}),
    // socket of the jaw joint
    HOLLOW(true, SCN_ACROSS_X, 3, 2, {42, 7.6, 24, 7, 7.4}, {57, 7.6, 23, 7, 7.4}),
    // nasal bones
    SOLID(false, SCN_ACROSS_X, 5, 3, {0, 48, 92, 8, 6}, {0, 35, 98, 6.5, 5.5}, {0, 24, 106.8, 5, 5}),
    // edge of the opening of the nose
    SOLID(true, SCN_ACROSS_X, 5, 4, {4.5, 37, 95.5, 4, 4.5}, {6.8, 24, 100, 3.4, 4.6}, {12, 8, 98.6, 3.8, 4.4}, {14.5, -6, 96, 5, 5}),
    SOLID(true, SCN_ACROSS_X, 4, 3, {7.5, 38, 92, 4.5, 5}, {9, 25, 94.5, 4.2, 5}, {14.5, 9, 92, 5, 6}),
    SOLID(true, SCN_ACROSS_X, 4, 3, {11, 30, 84, 6, 8}, {12, 12, 84, 6, 8}, {14, 0, 84, 6, 8}),
    // zygomatic arch
    SOLID(true, SCN_ACROSS_X, 5, 5, {50, 14, 68, 5, 6}, {57.4, 13.5, 58, 3.8, 5.4}, {62, 14.5, 42, 3.4, 4.8},
          {62.6, 17.5, 27, 3.4, 4.8}, {59, 19.5, 16, 5, 5}),
};

static const bone_part mandible_parts[] = {
    // body
    SOLID(true, SCN_ACROSS_Y, 8, 6, {0, -58, 93.5, 13.5, 6}, {12, -57.5, 91, 13, 6}, {24, -54, 80.5, 11.5, 6},
          {34.8, -50, 67, 8.4, 4.4}, {41, -39, 52, 12, 4.6}, {44, -32, 42, 11, 5}),
    // alveolar arch
    SOLID(true, SCN_ACROSS_Y, 5, 6, {0, -50, 98, 6.5, 3.8}, {6.5, -50, 97.2, 6.5, 3.8}, {12.5, -49.8, 93.8, 6.5, 4.2},
          {18, -49.4, 87, 6.5, 4.4}, {22.4, -49, 77, 6, 4.6}, {27.5, -47.6, 63, 4, 4.4}),
    // chin
    SOLID(false, SCN_ACROSS_X, 7, 1, {0, -66, 94, 11, 6}),
    SOLID(true, SCN_ACROSS_X, 9, 1, {9, -68.5, 91, 8, 5}),
    // ramus: its back edge with the neck of the condyle, its front edge with the coronoid process
    SOLID(true, SCN_ACROSS_X, 6, 4, {44.5, -30, 40, 4.5, 9}, {46, -16, 36, 3.6, 9}, {48, -3, 30, 3.2, 6}, {49, 5, 25.5, 4, 4}),
    SOLID(true, SCN_ACROSS_X, 6, 4, {41, -30, 54, 4.5, 8}, {43.5, -16, 51, 3.2, 7.5}, {45.4, -2, 48.5, 2.6, 6}, {46, 10, 47, 2, 3}),
    SOLID(true, SCN_ACROSS_X, 6, 2, {43, -30, 47, 4.4, 14}, {45, -13, 43, 3.6, 13}),
    // condyle
    SOLID(true, SCN_ACROSS_Y, 4, 3, {41.5, 7, 25.6, 3.2, 2.8}, {49, 8, 24.4, 4.2, 3.8}, {56, 7, 23.4, 3.2, 2.8}),
};
// clang-format on

static scn_field *make_field(const bone_part *list, size_t count) {
    static const scn_frame frames[2] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                        {{0, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    scn_part parts[PARTS_MAX];
    uint32_t made = 0;
    for (size_t i = 0; i < count; ++i) {
        parts[made++] = list[i].part;
        if (list[i].both) {
            parts[made] = list[i].part;
            parts[made++].frame = 1;
        }
    }
    return scn_field_create(parts, made, frames, 5, 5);
}

// ---------------------------------------------------------------------------------------------
// Warp

enum { TERMS = SCN_HEAD_LANDMARKS + 4 };

// The smoothest map that takes some points to others: a sum of distances to them and a linear part
// (Duchon 1977: in space, the kernel r has the least energy of second derivatives).
typedef struct warp {
    uint32_t count;
    sn_vec3 centers[SCN_HEAD_LANDMARKS];
    double weights[TERMS][3];
} warp;

static void fill_row(const warp *w, sn_vec3 p, double *row) {
    for (uint32_t k = 0; k < w->count; ++k) {
        row[k] = sn_vec3_distance(p, w->centers[k]);
    }
    row[w->count] = 1;
    row[w->count + 1] = p.x;
    row[w->count + 2] = p.y;
    row[w->count + 3] = p.z;
}

// Gauss's elimination with the largest pivot of each column; three right sides.
static void solve(uint32_t size, double (*a)[TERMS], double (*b)[3]) {
    for (uint32_t k = 0; k < size; ++k) {
        uint32_t most = k;
        for (uint32_t i = k + 1; i < size; ++i) {
            most = fabs(a[i][k]) > fabs(a[most][k]) ? i : most;
        }
        double row[TERMS], right[3];
        memcpy(row, a[k], sizeof row);
        memcpy(a[k], a[most], sizeof row);
        memcpy(a[most], row, sizeof row);
        memcpy(right, b[k], sizeof right);
        memcpy(b[k], b[most], sizeof right);
        memcpy(b[most], right, sizeof right);
        for (uint32_t i = 0; i < size; ++i) {
            double factor = i == k ? 0 : a[i][k] / a[k][k];
            for (uint32_t j = k; factor != 0 && j < size; ++j) {
                a[i][j] -= factor * a[k][j];
            }
            for (int c = 0; factor != 0 && c < 3; ++c) {
                b[i][c] -= factor * b[k][c];
            }
        }
    }
    for (uint32_t k = 0; k < size; ++k) {
        for (int c = 0; c < 3; ++c) {
            b[k][c] /= a[k][k];
        }
    }
}

// Those of the mid-plane are found on it.
static uint32_t nearest_vertex(const sn_mesh *bone, const scn_head_landmark *l) {
    uint32_t closest = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < bone->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(bone->positions + 3 * (size_t)i);
        double away = sn_vec3_distance(p, l->bone);
        if (away < least && (l->bone.x != 0 || p.x == 0)) {
            least = away;
            closest = i;
        }
    }
    return closest;
}

// From the vertices that are nearest to the landmarks' bone points to these.
static bool fit_warp(const sn_mesh *bone, scn_head_landmark *landmarks, bool mandible, warp *w) {
    double(*a)[TERMS] = calloc(TERMS, sizeof *a);
    *w = (warp){0};
    for (int i = 0; a != NULL && i < SCN_HEAD_LANDMARKS; ++i) {
        scn_head_landmark *l = &landmarks[i];
        if (l->mandible == mandible) {
            l->bone_vertex = nearest_vertex(bone, l);
            sn_vec3 at = sn_vec3_load(bone->positions + 3 * (size_t)l->bone_vertex);
            sn_vec3 by = sn_vec3_sub(l->bone, at);
            w->weights[w->count][0] = by.x;
            w->weights[w->count][1] = by.y;
            w->weights[w->count][2] = by.z;
            w->centers[w->count++] = at;
        }
    }
    for (uint32_t i = 0; a != NULL && i < w->count; ++i) {
        fill_row(w, w->centers[i], a[i]);
        for (uint32_t k = w->count; k < w->count + 4; ++k) {
            a[k][i] = a[i][k];
        }
    }
    if (a != NULL) {
        solve(w->count + 4, a, w->weights);
    }
    free(a);
    return a != NULL;
}

static sn_vec3 warped(const warp *w, sn_vec3 p) {
    double row[TERMS];
    sn_vec3 by = {0, 0, 0};
    fill_row(w, p, row);
    for (uint32_t k = 0; k < w->count + 4; ++k) {
        by.x += row[k] * w->weights[k][0];
        by.y += row[k] * w->weights[k][1];
        by.z += row[k] * w->weights[k][2];
    }
    return sn_vec3_add(p, by);
}

// ---------------------------------------------------------------------------------------------
// Vault

// How much of the vault lies right under the scalp there: above the brow and the temporal lines,
// and behind.
static double under_scalp(sn_vec3 p) {
    // Before the ears the temporal muscle lies on it, up to the temporal line.
    double line = 0.040 + 0.026 * scn_smooth_step(-0.01, 0.03, p.z);
    double above = scn_smooth_step(line, line + 0.022, p.y);
    double behind = scn_smooth_step(0.006, 0.026, p.y) * (1 - scn_smooth_step(-0.034, -0.010, p.z));
    return fmax(above, behind);
}

// Depths of the scalp, metres: at the sides, on top, in front and behind; in between by the normal.
static double scalp_depth(sn_vec3 n) {
    const double side = 0.007, top = 0.005, front = 0.0039, back = 0.0065;
    return side * n.x * n.x + top * n.y * n.y + (n.z > 0 ? front : back) * n.z * n.z;
}

// Lays the vault under the skin, along rays from its middle.
static void lay_vault(const scn_head_finder *finder, scn_builder *builder) {
    const sn_vec3 middle = {0, 0.055, 0.005};
    for (uint32_t i = 0; i < builder->vertex_count; ++i) {
        sn_vec3 *p = &builder->vertices[i].position;
        double share = under_scalp(*p);
        sn_hit hit = {.triangle = SN_NONE};
        if (share > 0) {
            sn_accel_cast(finder->accel, middle, sn_vec3_sub(*p, middle), 0, 1, &hit);
        }
        if (hit.triangle != SN_NONE) {
            sn_vec3 normal = scn_head_normal(finder, hit.triangle, hit.barycentric);
            sn_vec3 below = sn_vec3_add_scaled(hit.point, -scalp_depth(normal), normal);
            *p = sn_vec3_lerp(*p, below, share);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Meshes

// The right half becomes the mirror image of the left one, bit for bit.
static void warp_mesh(const warp *w, const uint32_t *mirror, sn_mesh *mesh) {
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float *p = mesh->positions + 3 * (size_t)i;
        if (p[0] < 0) {
            continue;
        }
        sn_vec3 to = warped(w, sn_vec3_load(p));
        to = sn_vec3_make(mirror[i] == i ? 0 : scn_round(to.x), scn_round(to.y), scn_round(to.z));
        sn_vec3_store(to, p);
        if (mirror[i] != i) {
            to.x = -to.x;
            sn_vec3_store(to, mesh->positions + 3 * (size_t)mirror[i]);
        }
    }
}

static uint32_t root_of(uint32_t *parents, uint32_t i) {
    while (parents[i] != i) {
        i = parents[i] = parents[parents[i]];
    }
    return i;
}

// Keeps the piece with the most vertices: bubbles inside the bone go.
static bool keep_largest_piece(scn_builder *builder) {
    uint32_t count = builder->vertex_count, kept = 0, largest = 0;
    uint32_t *parents = malloc(count * sizeof *parents), *sizes = calloc(count, sizeof *sizes);
    bool ok = parents != NULL && sizes != NULL;
    for (uint32_t i = 0; ok && i < count; ++i) {
        parents[i] = i;
    }
    for (uint32_t q = 0; ok && q < builder->quad_count; ++q) {
        const uint32_t *c = builder->quads[q];
        for (int k = 1; k < 4; ++k) {
            parents[root_of(parents, c[k])] = root_of(parents, c[0]);
        }
    }
    for (uint32_t i = 0; ok && i < count; ++i) {
        uint32_t root = root_of(parents, i);
        sizes[root] += 1;
        largest = sizes[root] > sizes[largest] ? root : largest;
    }
    for (uint32_t q = 0; ok && q < builder->quad_count; ++q) {
        if (root_of(parents, builder->quads[q][0]) == largest) {
            memcpy(builder->quads[kept++], builder->quads[q], sizeof *builder->quads);
        }
    }
    builder->quad_count = ok ? kept : builder->quad_count;
    free(parents);
    free(sizes);
    return ok;
}

static bool make_surface(bool mandible, scn_builder *builder, uint32_t **mirror) {
    const double cell = mandible ? 0.0024 : 0.0037;
    const bone_part *list = mandible ? mandible_parts : cranium_parts;
    size_t count = mandible ? sizeof mandible_parts / sizeof *mandible_parts
                            : sizeof cranium_parts / sizeof *cranium_parts;
    scn_field *field = make_field(list, count);
    bool ok = field != NULL && scn_field_mesh_mirrored(field, cell, builder, mirror);
    if (ok) {
        free(*mirror);
        *mirror = NULL;
        // A vertex on the mid-plane lies on it exactly, the next ones a good part of a cell away.
        ok = keep_largest_piece(builder) && scn_builder_mirror(builder, 1e-9, mirror);
    }
    scn_field_destroy(field);
    return ok;
}

sn_status scn_head_bone(sn_context *context, const sn_mesh *skin, scn_head_landmark *landmarks,
                        bool mandible, sn_mesh **mesh, sn_error *error) {
    scn_builder builder;
    uint32_t *mirror = NULL;
    scn_head_finder finder = {0};
    warp w;
    sn_status status = SN_OK;
    scn_builder_init(&builder);
    SN_TRY(make_surface(mandible, &builder, &mirror) ? SN_OK : scn_fail_memory(error));
    SN_TRY(scn_head_finder_init(context, skin, &finder, error));
    if (!mandible) {
        lay_vault(&finder, &builder);
    }
    SN_TRY(scn_builder_finish(&builder, context, mandible ? "mandible" : "cranium", mesh, error));
    SN_TRY(fit_warp(*mesh, landmarks, mandible, &w) ? SN_OK : scn_fail_memory(error));
    warp_mesh(&w, mirror, *mesh);
cleanup:
    scn_head_finder_deinit(&finder);
    free(mirror);
    scn_builder_deinit(&builder);
    return status;
}
