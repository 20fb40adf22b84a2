// SPDX-License-Identifier: Apache-2.0
//
// The skin of the rex: the surface of its masses, roughened, with lids, nostrils, spikes and scales
// built into it. Every step treats both sides alike, so that the mesh is its own mirror image.
#include "scenes/relief.h"
#include "scenes/rex_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double cell = 7.0 * SCN_MM;

// ---------------------------------------------------------------------------------------------
// Chance, the same on both sides and every machine

// Wellons' hash (lowbias32), as a number from 0 to 1.
static double chance(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x / 4294967296.0;
}

static double lattice(int x, int y, int z) {
    return chance((uint32_t)x * 73856093U ^ (uint32_t)y * 19349663U ^ (uint32_t)z * 83492791U);
}

// Value noise from -1 to 1 with bumps of `size` metres.
static double noise(sn_vec3 p, double size) {
    double c[3] = {fabs(p.x) / size + 100, p.y / size + 100, p.z / size + 100}, sum = 0;
    int low[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = (int)floor(c[k]);
        c[k] = scn_smooth_step(0, 1, c[k] - low[k]);
    }
    for (int i = 0; i < 8; ++i) {
        int dx = i & 1, dy = i >> 1 & 1, dz = i >> 2;
        double weight = (dx ? c[0] : 1 - c[0]) * (dy ? c[1] : 1 - c[1]) * (dz ? c[2] : 1 - c[2]);
        sum += weight * lattice(low[0] + dx, low[1] + dy, low[2] + dz);
    }
    return 2 * sum - 1;
}

// ---------------------------------------------------------------------------------------------
// The surface

static sn_vec3 *find_normals(const scn_rex *rex, const scn_builder *b, const uint32_t *mirror) {
    sn_vec3 *normals = malloc((b->vertex_count + 1) * sizeof *normals);
    for (uint32_t i = 0; normals != NULL && i < b->vertex_count; ++i) {
        sn_vec3 g = scn_field_gradient(rex->field, b->vertices[i].position, SCN_ALL_GROUPS);
        if (mirror[i] < i) {
            normals[i] = normals[mirror[i]];
            normals[i].x = -normals[i].x;
        } else {
            g.x = mirror[i] == i ? 0 : g.x;
            normals[i] = sn_vec3_normalize_or(g, sn_vec3_make(0, 1, 0));
        }
    }
    return normals;
}

// Folds across the throat and the sides of the neck: a wave with sharp valleys.
static double fold(sn_vec3 p, sn_vec3 normal) {
    const double period = 21 * SCN_MM;
    double s = scn_rex_along_neck(p) / period + 0.25 * noise(p, 30 * SCN_MM);
    double wave = fabs(2 * (s - floor(s)) - 1);
    double where = scn_smooth_step(20 * SCN_MM, 50 * SCN_MM, scn_rex_along_neck(p)) *
                   scn_smooth_step(0.35, -0.25, normal.y);
    return 2.2 * SCN_MM * where * (wave * (2 - wave) - 0.6);
}

// Moves along the skin, so that no grid shows.
static sn_vec3 jitter(sn_vec3 p, sn_vec3 normal) {
    const double size = 9 * SCN_MM, amount = 2.6 * SCN_MM;
    double side = p.x < 0 ? -1 : p.x > 0 ? 1 : 0;
    sn_vec3 q = {fabs(p.x) + 1, p.y + 2, p.z}, r = {fabs(p.x) + 3, p.y, p.z + 4};
    sn_vec3 step = {side * noise(q, size), noise(r, size), noise(p, size)};
    step = sn_vec3_add_scaled(step, -sn_vec3_dot(step, normal), normal);
    return sn_vec3_scale(sn_vec3_make(side == 0 ? 0 : step.x, step.y, step.z), amount);
}

static void roughen(const scn_rex *rex, scn_builder *b, const sn_vec3 *normals) {
    for (uint32_t i = 0; i < b->vertex_count; ++i) {
        sn_vec3 p = b->vertices[i].position;
        double inside = scn_smooth_step(-4 * SCN_MM, 4 * SCN_MM, scn_rex_mouth_depth(rex, p));
        double rough = 1.0 * SCN_MM * noise(p, 15 * SCN_MM) + 0.9 * SCN_MM * noise(p, 7 * SCN_MM);
        rough = rough * (1 - 0.85 * inside) + fold(p, normals[i]);
        p = sn_vec3_add_scaled(p, rough, normals[i]);
        sn_vec3 aside = jitter(b->vertices[i].position, normals[i]);
        b->vertices[i].position = sn_vec3_add_scaled(p, 1 - inside, aside);
    }
}

// ---------------------------------------------------------------------------------------------
// Relief

// The vertex of the left half or the middle that is closest to a point and looks along `facing`.
static uint32_t find_vertex(const scn_builder *b, uint32_t count, const sn_vec3 *normals,
                            sn_vec3 point, sn_vec3 facing) {
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = b->vertices[i].position;
        double d = sn_vec3_distance(p, point);
        if (p.x >= 0 && d < least && sn_vec3_dot(normals[i], facing) > 0.2) {
            least = d;
            best = i;
        }
    }
    return best;
}

// A lid stands around the eye, its slit slanting down towards the snout; behind its edge the socket
// goes on inside the ball as a cup that one polygon closes.
static bool add_eyes(scn_relief *relief) {
    scn_rex_eye eye = scn_rex_eye_shape();
    double r = eye.radius;
    const scn_relief_form lid = {.count = 5,
                                 .rings = {{0, 0.60 * r, 1.20 * r},
                                           {0, 0.17 * r, 1.00 * r},
                                           {0, 0.05 * r, 0.84 * r},
                                           {0, -0.20 * r, 0.84 * r},
                                           {0, -0.70 * r, 0.60 * r}},
                                 .ball = r,
                                 .squeeze = {0, 0.35, 0.13},
                                 .tag = SCN_REX_LID};
    return scn_relief_within(relief, eye.center, 1.65 * r, eye.axis, &lid);
}

static bool add_nostrils(scn_relief *relief, const scn_builder *b, uint32_t count,
                         const sn_vec3 *normals) {
    const scn_relief_form nostril = {.count = 4,
                                     .rings = {{0.86, 2.6 * SCN_MM, 0},
                                               {0.62, 2.2 * SCN_MM, 0},
                                               {0.50, -3 * SCN_MM, 0},
                                               {0.36, -8 * SCN_MM, 0}},
                                     .round = 0.7,
                                     .tag = SCN_REX_NOSTRIL};
    sn_vec3 at = {24 * SCN_MM, 25 * SCN_MM, 206 * SCN_MM};
    uint32_t v = find_vertex(b, count, normals, at, sn_vec3_make(0.8, 0.2, 0.5));
    return scn_relief_around(relief, v, 1, &nostril);
}

// A row of spikes from one place to another, both on the skin or near it.
typedef struct spike_row {
    sn_vec3 from, to, facing; // millimetres
    uint32_t count, reach;    // quads wide
    double first, last;       // heights, millimetres
} spike_row;

static const spike_row spike_rows[] = {
    {{31, 71, 94}, {31, 71, 94}, {0.4, 1, 0}, 1, 1, 12, 12},          // horn before the eye
    {{44, 60, 58}, {44, 60, 58}, {0.7, 1, 0}, 1, 1, 13, 13},          // horn behind it
    {{38, 69, 76}, {38, 69, 76}, {0.4, 1, 0}, 1, 1, 8, 8},            // between them
    {{10, 62, 116}, {7, 44, 206}, {0.2, 1, 0}, 6, 1, 8, 5},           // nose
    {{0, 72, 40}, {0, 72, -8}, {0, 1, 0}, 3, 1, 7, 9},                // crown
    {{0, 66, -34}, {0, -116, -236}, {0, 0.6, -0.8}, 9, 2, 15, 26},    // nape
    {{24, 66, -22}, {36, -116, -228}, {0.3, 0.6, -0.8}, 9, 1, 9, 15}, // beside it
    {{46, 40, -16}, {62, -110, -190}, {1, 0.3, -0.3}, 8, 1, 6, 12},   // side of the neck
    {{44, 62, 34}, {40, 58, -10}, {0.6, 1, 0}, 3, 1, 8, 10},          // temple
    {{57, -2, 30}, {56, -10, 0}, {1, 0, 0}, 2, 1, 7, 9},              // cheekbone
    {{46, -70, -2}, {40, -84, 50}, {1, -0.5, 0}, 4, 1, 10, 6},        // angle of the jaw
    {{24, -102, 120}, {12, -118, 176}, {0.5, -1, 0}, 4, 1, 4, 6},     // chin
};

static scn_relief_form spike_form(double height, bool middle) {
    scn_relief_form form = {.count = 2,
                            .rings = {{0.66, 0.22 * height, 0}, {0.34, 0.60 * height, 0}},
                            .pointed = true,
                            .height = height,
                            .lean = {middle ? 0 : 0.1, 0, -0.45},
                            .tag = SCN_REX_SPIKE};
    return form;
}

static void add_spikes(scn_relief *relief, const scn_builder *b, uint32_t count,
                       const sn_vec3 *normals) {
    for (uint32_t r = 0; r < sizeof spike_rows / sizeof *spike_rows; ++r) {
        const spike_row *row = &spike_rows[r];
        for (uint32_t i = 0; i < row->count; ++i) {
            double t = row->count > 1 ? i / (row->count - 1.0) : 0;
            sn_vec3 at = sn_vec3_scale(sn_vec3_lerp(row->from, row->to, t), SCN_MM);
            uint32_t v = find_vertex(b, count, normals, at, row->facing);
            double height = (row->first + t * (row->last - row->first)) * SCN_MM;
            scn_relief_form form = spike_form(height, b->vertices[v].position.x == 0);
            scn_relief_around(relief, v, row->reach, &form);
        }
    }
}

// Whether other skin comes near above a place: distances from the masses grow slowly there.
static bool is_in_crease(const scn_rex *rex, sn_vec3 p, sn_vec3 normal) {
    const double above = 7 * SCN_MM;
    double here = scn_field_value(rex->field, p, SCN_ALL_GROUPS);
    sn_vec3 over = sn_vec3_add_scaled(p, above, normal);
    return scn_field_value(rex->field, over, SCN_ALL_GROUPS) - here < 0.85 * above;
}

// Where the skin stretches most when the mouth opens: along the rear of the lower lip.
static bool is_at_corner_of_mouth(sn_vec3 p) {
    const sn_vec3 rear = {43 * SCN_MM, -38 * SCN_MM, 36 * SCN_MM};
    const sn_vec3 front = {35 * SCN_MM, -47 * SCN_MM, 80 * SCN_MM};
    sn_vec3 along = sn_vec3_sub(front, rear);
    double t = sn_vec3_dot(sn_vec3_sub(p, rear), along) / sn_vec3_dot(along, along);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return sn_vec3_distance(p, sn_vec3_add_scaled(rear, t, along)) < 20 * SCN_MM;
}

// How high scales stand at a place of the skin, metres; 0 where there are none: in the mouth, on
// the lips, in creases, around eyes and on the soft throat.
static double scale_height(const scn_rex *rex, sn_vec3 p, sn_vec3 normal) {
    scn_rex_eye eye = scn_rex_eye_shape();
    p.x = fabs(p.x);
    if (scn_rex_mouth_depth(rex, p) > -7 * SCN_MM || is_at_corner_of_mouth(p) ||
        sn_vec3_distance(p, eye.center) < 2.4 * eye.radius || is_in_crease(rex, p, normal)) {
        return 0;
    }
    double top = scn_smooth_step(-0.3, 0.6, normal.y);
    double neck = scn_smooth_step(0, 60 * SCN_MM, scn_rex_along_neck(p));
    double throat = scn_smooth_step(-0.1, -0.6, normal.y) * (0.3 + 0.7 * neck);
    return (0.7 + 0.8 * top + 0.4 * neck * top) * (1 - throat) * SCN_MM;
}

static scn_relief_form scale_form(double height, double dice) {
    scn_relief_form form = {
        .count = 1, .rings = {{0.97, height, 0}}, .round = 0.8, .tag = SCN_REX_SCALE};
    if (dice < 0.35) { // a keeled scale: all edges meet in a point
        form.pointed = true;
        form.rings[0].height = 0.7 * height;
        form.height = 1.9 * height;
        form.lean = sn_vec3_make(0, 0, -0.2);
    }
    return form;
}

typedef struct ranked {
    double rank;
    uint32_t vertex;
} ranked;

static int compare_ranks(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
                              : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// Scales wherever there is room, in an order of chance; some places stay bare.
static bool add_scales(const scn_rex *rex, scn_relief *relief, const scn_builder *b, uint32_t count,
                       const sn_vec3 *normals) {
    ranked *order = malloc((count + 1) * sizeof *order);
    uint32_t found = 0;
    for (uint32_t i = 0; order != NULL && i < count; ++i) {
        sn_vec3 p = b->vertices[i].position;
        double height = scale_height(rex, p, normals[i]);
        if (p.x >= 0 && height > 0.4 * SCN_MM &&
            chance(i * 5 + 1) < 0.13 + 0.15 * height / SCN_MM) {
            order[found++] = (ranked){chance(i * 5 + 2), i};
        }
    }
    if (order == NULL) {
        return false;
    }
    qsort(order, found, sizeof *order, compare_ranks);
    for (uint32_t k = 0; k < found; ++k) {
        uint32_t i = order[k].vertex;
        double height = scale_height(rex, b->vertices[i].position, normals[i]);
        scn_relief_form form =
            scale_form(height * (0.75 + 0.5 * chance(i * 5 + 3)), chance(i * 5 + 4));
        scn_relief_around(relief, i, 1, &form);
    }
    free(order);
    return true;
}

static bool add_relief(const scn_rex *rex, scn_builder *b, const uint32_t *mirror,
                       const sn_vec3 *normals) {
    scn_relief *relief = scn_relief_begin(b, mirror, normals);
    uint32_t count = b->vertex_count;
    bool ok = relief != NULL && add_eyes(relief) && add_nostrils(relief, b, count, normals);
    if (ok) {
        add_spikes(relief, b, count, normals);
        ok = add_scales(rex, relief, b, count, normals);
        scn_relief_end(relief);
    }
    scn_relief_destroy(relief);
    return ok && !b->failed;
}

// ---------------------------------------------------------------------------------------------
// Colours, linear

static sn_vec3 hide_color(sn_vec3 p, sn_vec3 up) {
    const sn_vec3 dark = {0.060, 0.052, 0.030}, flank = {0.215, 0.160, 0.085},
                  pale = {0.400, 0.320, 0.200};
    double patches = noise(p, 26 * SCN_MM) + 0.5 * noise(p, 11 * SCN_MM);
    double top = scn_smooth_step(-0.25, 0.85, up.y + 0.45 * patches);
    sn_vec3 color = sn_vec3_lerp(pale, flank, scn_smooth_step(-0.9, -0.1, up.y + 0.2 * patches));
    color = sn_vec3_lerp(color, dark, 0.85 * top);
    return sn_vec3_scale(color, 1 + 0.22 * noise(p, 5 * SCN_MM));
}

static sn_vec3 vertex_color(const scn_rex *rex, const scn_vertex *v) {
    const sn_vec3 flesh = {0.36, 0.095, 0.075}, tongue = {0.40, 0.14, 0.12},
                  horn = {0.30, 0.24, 0.15}, tip = {0.07, 0.06, 0.045},
                  black = {0.03, 0.024, 0.018};
    sn_vec3 p = v->position;
    sn_vec3 up = sn_vec3_normalize_or(scn_field_gradient(rex->field, p, SCN_ALL_GROUPS),
                                      sn_vec3_make(0, 1, 0));
    sn_vec3 color = hide_color(p, up);
    if (v->tag == SCN_REX_SPIKE) {
        return sn_vec3_lerp(horn, tip, scn_smooth_step(1.5, 3.2, v->along));
    }
    if (v->tag == SCN_REX_LID) {
        return v->along < 2 ? sn_vec3_scale(color, 0.6) : black;
    }
    if (v->tag == SCN_REX_NOSTRIL) {
        return v->along < 3 ? sn_vec3_scale(color, 0.7) : black;
    }
    if (v->tag == SCN_REX_SCALE) {
        color = sn_vec3_scale(color, 1.18);
    }
    double depth = scn_rex_mouth_depth(rex, p);
    double lip = scn_smooth_step(-7 * SCN_MM, -1 * SCN_MM, depth);
    color = sn_vec3_lerp(color, sn_vec3_scale(black, 1.6), 0.55 * lip);
    sn_vec3 inside =
        scn_rex_to_jaw(rex, p).y < 4 * SCN_MM && fabs(p.x) < 16 * SCN_MM ? tongue : flesh;
    return sn_vec3_lerp(color, inside, scn_smooth_step(-1 * SCN_MM, 4 * SCN_MM, depth));
}

sn_status scn_rex_color(const scn_rex *rex, const scn_builder *skin, sn_mesh *mesh,
                        sn_error *error) {
    sn_attribute *color;
    sn_status status =
        sn_mesh_add_attribute(mesh, "color", 3, mesh->vertex_count, false, &color, error);
    for (uint32_t i = 0; i < mesh->vertex_count && status == SN_OK; ++i) {
        sn_vec3 c = vertex_color(rex, &skin->vertices[i]);
        double parts[3] = {c.x, c.y, c.z};
        for (int k = 0; k < 3; ++k) { // a thousandth is finer than a screen shows
            color->values[3 * (size_t)i + k] = (float)(floor(parts[k] * 1000 + 0.5) / 1000);
        }
    }
    return status;
}

sn_status scn_rex_skin(sn_context *context, const scn_rex *rex, sn_mesh **mesh, sn_error *error) {
    scn_builder builder;
    uint32_t *mirror = NULL;
    sn_vec3 *normals = NULL;
    sn_status status = SN_OUT_OF_MEMORY;
    *mesh = NULL;
    scn_builder_init(&builder);
    bool ok = scn_field_mesh_mirrored(rex->field, cell, &builder, &mirror) &&
              (normals = find_normals(rex, &builder, mirror)) != NULL;
    if (ok) {
        roughen(rex, &builder, normals);
        ok = add_relief(rex, &builder, mirror, normals);
    }
    if (ok) {
        status = scn_builder_finish(&builder, context, "skin", mesh, error);
    } else {
        scn_fail_memory(error);
    }
    if (status == SN_OK) {
        status = scn_rex_color(rex, &builder, *mesh, error);
    }
    if (status == SN_OK) {
        scn_rex_enlarge(*mesh);
        status = scn_rex_weights(rex, *mesh, error);
    }
    if (status != SN_OK) {
        sn_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    free(mirror);
    free(normals);
    scn_builder_deinit(&builder);
    return status;
}

sn_status scn_rex_meshes(sn_context *context, const scn_rex *rex, sn_mesh *meshes[SCN_REX_PARTS],
                         sn_error *error) {
    memset(meshes, 0, SCN_REX_PARTS * sizeof *meshes);
    sn_status status = scn_rex_skin(context, rex, &meshes[SCN_REX_SKIN], error);
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        status = scn_rex_teeth(context, rex, i == 0, &meshes[SCN_REX_UPPER_TEETH + i], error);
    }
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        status = scn_rex_eyeball(context, i == 0, &meshes[SCN_REX_LEFT_EYE + i], error);
    }
    return status;
}
