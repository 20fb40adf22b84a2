// SPDX-License-Identifier: Apache-2.0
//
// Bodies made of folders of real anatomy, measured from their points alone: what of the skin lies
// in bones and muscles, how far it is stretched, and whether muscles are the ones that were given.
#ifndef SNT_SCENES_ANATOMY_H
#define SNT_SCENES_ANATOMY_H

#include "../cli/program.h"

#include "sinew/eval.h"
#include "sinew/geometry.h"

#include <math.h>

// A bone or muscle.
typedef struct part {
    uint32_t surface;
    bool closed;
    sn_triangles *triangles;
    sn_accel *accel;
    sn_vec3 low, high;    // its box where it stands
    double rest_volume;   // 0: open
    double worst_volume;  // largest |volume / rest_volume - 1|
    uint32_t worst_frame; // where that was
} part;

typedef struct anatomy {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_motion *motion;
    part *parts;
    uint32_t part_count, bone_count, muscle_count;
    uint32_t skin;            // surface, SN_NONE: none
    sn_triangles *skin_faces; // as the skin stands at rest
    float *skin_rest;
} anatomy;

// --- Making

static inline double volume_of(const part *p, const float *points) {
    double sum = 0;
    for (uint32_t t = 0; t < p->triangles->count; ++t) {
        sn_vec3 r[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = sn_vec3_load(points + 3 * (size_t)p->triangles->vertices[3 * (size_t)t + k]);
        }
        // From a corner of the box, so that far away bodies lose no digits.
        sn_vec3 a = sn_vec3_sub(r[0], p->low), b = sn_vec3_sub(r[1], p->low);
        sum += sn_vec3_dot(a, sn_vec3_cross(b, sn_vec3_sub(r[2], p->low))) / 6;
    }
    return sum;
}

static inline void find_box(part *p, const float *points, uint32_t count) {
    p->low = p->high = sn_vec3_load(points);
    for (uint32_t v = 1; v < count; ++v) {
        sn_vec3 x = sn_vec3_load(points + 3 * (size_t)v);
        p->low = sn_vec3_make(fmin(p->low.x, x.x), fmin(p->low.y, x.y), fmin(p->low.z, x.z));
        p->high = sn_vec3_make(fmax(p->high.x, x.x), fmax(p->high.y, x.y), fmax(p->high.z, x.z));
    }
}

static inline bool is_closed_mesh(const sn_mesh *mesh) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    sn_topology_destroy(topology);
    return summary.closed;
}

static inline void add_part(anatomy *a, uint32_t surface) {
    const sn_mesh *mesh = sn_model_surface(a->model, surface)->mesh;
    const float *points = sn_frame_points(a->frame, surface);
    part *p = &a->parts[a->part_count++];
    *p = (part){.surface = surface, .closed = is_closed_mesh(mesh)};
    snt_ok(sn_triangles_create(mesh, points, &p->triangles, error));
    snt_ok(sn_accel_create(a->context, points, mesh->vertex_count, p->triangles->vertices,
                           p->triangles->count, &p->accel, error));
    find_box(p, points, mesh->vertex_count);
    p->rest_volume = p->closed ? volume_of(p, points) : 0;
}

static inline void keep_skin(anatomy *a, uint32_t surface) {
    const sn_mesh *mesh = sn_model_surface(a->model, surface)->mesh;
    const float *points = sn_frame_points(a->frame, surface);
    size_t size = 3 * sizeof(float) * (size_t)mesh->vertex_count;
    a->skin = surface;
    a->skin_rest = malloc(size);
    assert_non_null(a->skin_rest);
    memcpy(a->skin_rest, mesh->positions, size);
    snt_ok(sn_triangles_create(mesh, points, &a->skin_faces, error));
}

// How well `sinew new` says that it fitted the muscles of a body, in metres; half of the body's
// muscles are not further off.
static inline double read_median_distance(const char *report) {
    sn_context *context = snt_context(1);
    char *bytes;
    size_t size;
    sn_json *json;
    snt_ok(sni_file_read(context, report, &bytes, &size, error));
    snt_ok(sn_json_parse(context, bytes, size, &json, error));
    double distance = sn_value_number(sn_json_find(json, "/fit/median_distance"), INFINITY);
    sn_json_destroy(json);
    sni_free(context, bytes);
    snt_context_end(context);
    return distance;
}

// The body of a document at rest, with a motion to play. `dimension`: of an extracted skin, in
// place of the document's; 0: the document's.
static inline anatomy open_anatomy(const char *document, const char *motion, double dimension) {
    anatomy a = {.context = snt_context(0), .skin = SN_NONE};
    snt_ok(sn_character_load(a.context, document, &a.character, error));
    if (dimension > 0) {
        sn_json *json = sn_character_document(a.character);
        sn_value *extract = sn_json_find(json, "/meshes/skin/extract");
        assert_non_null(sn_json_add_number(json, extract, "dimension", dimension));
    }
    snt_ok(sn_model_create(a.character, NULL, &a.model, error));
    snt_ok(sn_motion_open(a.model, motion, &a.motion, error));
    snt_ok(sn_frame_create(a.model, &a.frame, error));
    snt_ok(sn_frame_evaluate(a.frame, NULL, 0, error));
    uint32_t count = sn_model_surface_count(a.model);
    a.parts = calloc(count, sizeof *a.parts);
    assert_non_null(a.parts);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = sn_model_surface(a.model, i);
        a.bone_count += surface->layer == SN_LAYER_BONE;
        a.muscle_count += surface->layer == SN_LAYER_MUSCLE;
        if (surface->layer == SN_LAYER_BONE || surface->layer == SN_LAYER_MUSCLE) {
            add_part(&a, i);
        } else if (surface->layer == SN_LAYER_SKIN && surface->shown && a.skin == SN_NONE) {
            keep_skin(&a, i);
        }
    }
    return a;
}

static inline void close_anatomy(anatomy *a) {
    for (uint32_t i = 0; i < a->part_count; ++i) {
        sn_accel_destroy(a->parts[i].accel);
        sn_triangles_destroy(a->parts[i].triangles);
    }
    free(a->parts);
    free(a->skin_rest);
    sn_triangles_destroy(a->skin_faces);
    sn_frame_destroy(a->frame);
    sn_motion_destroy(a->motion);
    sn_model_destroy(a->model);
    sn_character_destroy(a->character);
    snt_context_end(a->context);
}

static inline const char *name_of(const anatomy *a, const part *p) {
    return sn_model_surface(a->model, p->surface)->name;
}

static inline bool is_muscle(const anatomy *a, const part *p) {
    return sn_model_surface(a->model, p->surface)->layer == SN_LAYER_MUSCLE;
}

// --- Muscles

// The points of the file that the document has a muscle's mesh from.
static inline sn_import *read_given(const anatomy *a, const part *p) {
    sn_json *json = sn_character_document(a->character);
    const sn_value *root = sn_json_root(json);
    const sn_value *muscle = sn_value_get(sn_value_get(root, "muscles"), name_of(a, p));
    const char *mesh = sn_value_string(sn_value_get(muscle, "mesh"), "");
    const sn_value *entry = sn_value_get(sn_value_get(root, "meshes"), mesh);
    const char *file = sn_value_string(sn_value_get(entry, "file"), NULL);
    assert_non_null(file);
    char *path = sni_path_beside(a->context, sn_character_path(a->character), file);
    sn_import *import = NULL;
    snt_ok(sn_import_file(a->context, path, &import, error));
    sni_free(a->context, path);
    return import;
}

// At rest every muscle has the vertices of its file, exactly. Returns how many have not.
static inline uint32_t count_changed_at_rest(const anatomy *a) {
    uint32_t changed = 0;
    snt_ok(sn_frame_evaluate(a->frame, NULL, 0, error));
    for (uint32_t i = 0; i < a->part_count; ++i) {
        const part *p = &a->parts[i];
        if (!is_muscle(a, p)) {
            continue;
        }
        sn_import *given = read_given(a, p);
        const sn_mesh *mesh = sn_model_surface(a->model, p->surface)->mesh;
        assert_int_equal(given->mesh_count, 1);
        bool same = given->meshes[0]->vertex_count == mesh->vertex_count;
        const float *points = sn_frame_points(a->frame, p->surface);
        for (size_t k = 0; same && k < 3 * (size_t)mesh->vertex_count; ++k) {
            same = points[k] == given->meshes[0]->positions[k]; // -0 is 0
        }
        if (!same) {
            print_error("%s is not at rest what was given\n", name_of(a, p));
            ++changed;
        }
        sn_import_destroy(given);
    }
    return changed;
}

// Volumes where the frame stands.
static inline void measure_volumes(anatomy *a, uint32_t number) {
    for (uint32_t i = 0; i < a->part_count; ++i) {
        part *p = &a->parts[i];
        if (p->rest_volume == 0) {
            continue;
        }
        double volume = volume_of(p, sn_frame_points(a->frame, p->surface));
        double change = fabs(volume / p->rest_volume - 1);
        if (!(change <= p->worst_volume)) {
            p->worst_volume = change;
            p->worst_frame = number;
        }
    }
}

// Muscles whose volume changed by more than 5 %; says which.
static inline uint32_t count_beyond_volume(const anatomy *a) {
    uint32_t beyond = 0;
    double worst = 0;
    for (uint32_t i = 0; i < a->part_count; ++i) {
        const part *p = &a->parts[i];
        if (!(p->worst_volume <= 0.05)) {
            print_error("%s: volume off by %.1f %% in frame %u\n", name_of(a, p),
                        100 * p->worst_volume, p->worst_frame);
            ++beyond;
        }
        worst = fmax(worst, p->worst_volume);
    }
    print_message("largest change of a volume: %.2f %%\n", 100 * worst);
    return beyond;
}

// --- Skin

static inline void pose_parts(anatomy *a) {
    for (uint32_t i = 0; i < a->part_count; ++i) {
        part *p = &a->parts[i];
        const float *points = sn_frame_points(a->frame, p->surface);
        snt_ok(sn_accel_update(p->accel, points, false, error));
        find_box(p, points, sn_model_surface(a->model, p->surface)->mesh->vertex_count);
    }
}

// Whether the first thing that a ray meets is the inner side of the part.
static inline bool sees_inner_side(const part *p, const float *points, sn_vec3 x, sn_vec3 way) {
    sn_hit hit;
    sn_accel_cast(p->accel, x, way, 0, INFINITY, &hit);
    if (hit.triangle == SN_NONE) {
        return false;
    }
    sn_vec3 r[3];
    for (int k = 0; k < 3; ++k) {
        r[k] =
            sn_vec3_load(points + 3 * (size_t)p->triangles->vertices[3 * (size_t)hit.triangle + k]);
    }
    return sn_vec3_dot(way, sn_vec3_cross(sn_vec3_sub(r[1], r[0]), sn_vec3_sub(r[2], r[0]))) > 0;
}

// How deep a point lies in a part; 0 where it is outside. Of three rays two decide, so that a hole
// or a flat triangle does not.
static inline double depth_in(const anatomy *a, const part *p, sn_vec3 x, double least) {
    static const sn_vec3 ways[3] = {{0.31, 0.87, 0.38}, {-0.83, -0.29, 0.47}, {0.42, -0.51, -0.75}};
    bool in_box = x.x > p->low.x + least && x.x < p->high.x - least && x.y > p->low.y + least &&
                  x.y < p->high.y - least && x.z > p->low.z + least && x.z < p->high.z - least;
    if (!in_box) {
        return 0;
    }
    const float *points = sn_frame_points(a->frame, p->surface);
    int inside = 0;
    for (int k = 0; k < 3; ++k) {
        inside += sees_inner_side(p, points, x, ways[k]);
        if (inside + 2 - k < 2) {
            return 0; // the others cannot change it
        }
    }
    sn_closest closest;
    sn_accel_find_closest(p->accel, x, INFINITY, &closest);
    return closest.distance;
}

// What of the skin lies in bones and muscles where the frame stands.
typedef struct sunk {
    uint32_t count;   // vertices deeper than `limit` in any part
    uint32_t *counts; // the same by part
    double deepest;
    uint32_t vertex, part; // of the deepest
} sunk;

static inline sunk measure_depths(anatomy *a, double limit, uint32_t *counts) {
    uint32_t vertex_count = sn_model_surface(a->model, a->skin)->mesh->vertex_count;
    sunk s = {.counts = counts, .part = SN_NONE, .vertex = SN_NONE};
    memset(counts, 0, a->part_count * sizeof *counts);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        sn_vec3 x = sn_vec3_load(sn_frame_points(a->frame, a->skin) + 3 * (size_t)v);
        bool deep = false;
        for (uint32_t i = 0; i < a->part_count; ++i) {
            double depth = depth_in(a, &a->parts[i], x, limit);
            if (depth > limit) {
                deep = true;
                ++counts[i];
            }
            if (depth > s.deepest) {
                s.deepest = depth;
                s.part = i;
                s.vertex = v;
            }
        }
        s.count += deep;
    }
    return s;
}

// The parts with the most skin in them, worst first.
static inline void tell_worst_parts(const anatomy *a, const uint32_t *counts, int how_many) {
    uint32_t *left = malloc(a->part_count * sizeof *left);
    assert_non_null(left);
    memcpy(left, counts, a->part_count * sizeof *left);
    for (int k = 0; k < how_many; ++k) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < a->part_count; ++i) {
            most = left[i] > left[most] ? i : most;
        }
        if (left[most] == 0) {
            break;
        }
        print_message("    %5u in %s\n", left[most], name_of(a, &a->parts[most]));
        left[most] = 0;
    }
    free(left);
}

// The largest singular value of the map that takes a triangle from rest to where it is: with edges
// (a, 0) and (c, b) at rest it has the columns f = e1 / a and g = (e2 - c f) / b.
static inline double stretch_of(const sn_vec3 rest[3], const sn_vec3 now[3]) {
    sn_vec3 r1 = sn_vec3_sub(rest[1], rest[0]), r2 = sn_vec3_sub(rest[2], rest[0]);
    double a = sn_vec3_length(r1), twice = sn_vec3_length(sn_vec3_cross(r1, r2));
    double longest = fmax(a, fmax(sn_vec3_length(r2), sn_vec3_distance(r1, r2)));
    if (twice < 1e-5 * longest * longest) {
        return 0; // flat at rest
    }
    double b = twice / a, c = sn_vec3_dot(r1, r2) / a;
    sn_vec3 f = sn_vec3_scale(sn_vec3_sub(now[1], now[0]), 1 / a);
    sn_vec3 g = sn_vec3_scale(sn_vec3_add_scaled(sn_vec3_sub(now[2], now[0]), -c, f), 1 / b);
    double ff = sn_vec3_dot(f, f), fg = sn_vec3_dot(f, g), gg = sn_vec3_dot(g, g);
    return sqrt((ff + gg) / 2 + sqrt((ff - gg) * (ff - gg) / 4 + fg * fg));
}

// The most stretched triangle of the skin where the frame stands, and a vertex of it.
static inline double largest_stretch(const anatomy *a, uint32_t *vertex) {
    const float *points = sn_frame_points(a->frame, a->skin);
    double largest = 0;
    for (uint32_t t = 0; t < a->skin_faces->count; ++t) {
        sn_vec3 rest[3], now[3];
        for (int k = 0; k < 3; ++k) {
            size_t v = a->skin_faces->vertices[3 * (size_t)t + k];
            rest[k] = sn_vec3_load(a->skin_rest + 3 * v);
            now[k] = sn_vec3_load(points + 3 * v);
        }
        double stretch = stretch_of(rest, now);
        if (!(stretch <= largest)) {
            largest = stretch;
            *vertex = a->skin_faces->vertices[3 * (size_t)t];
        }
    }
    return largest;
}

#endif
