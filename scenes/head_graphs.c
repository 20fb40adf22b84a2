// SPDX-License-Identifier: Apache-2.0
//
// The head's muscles as muscles of kind `graph`: a closed surface around the points of each, and
// what the document says about it.
#include "scenes/head_muscles.h"

#include "sinew/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Sections

typedef struct spot {
    sn_vec3 position, out;
    double width, thickness;
} spot;

static spot spot_at(const scn_head_muscle *m, double along) {
    uint32_t last = m->count - 1, i = along >= last ? last - 1 : (uint32_t)along;
    double t = along - i;
    const scn_head_muscle_point *b = &m->points[i], *c = b + 1;
    const scn_head_muscle_point *a = i > 0 ? b - 1 : b, *d = i + 1 < last ? c + 1 : c;
    spot s;
    s.position.x = scn_catmull_rom(a->position.x, b->position.x, c->position.x, d->position.x, t);
    s.position.y = scn_catmull_rom(a->position.y, b->position.y, c->position.y, d->position.y, t);
    s.position.z = scn_catmull_rom(a->position.z, b->position.z, c->position.z, d->position.z, t);
    s.out = sn_vec3_lerp(b->out, c->out, t);
    s.width = scn_catmull_rom(a->width, b->width, c->width, d->width, t);
    s.thickness = scn_catmull_rom(a->thickness, b->thickness, c->thickness, d->thickness, t);
    return s;
}

static scn_head_section section_at(const scn_head_muscle *m, double along) {
    const double step = 0.01;
    double last = m->count - 1;
    spot s = spot_at(m, along);
    sn_vec3 before = spot_at(m, fmax(along - step, 0)).position;
    sn_vec3 after = spot_at(m, fmin(along + step, last)).position;
    sn_vec3 tangent = sn_vec3_normalize_or(sn_vec3_sub(after, before), s.out);
    sn_vec3 thick = scn_reject(s.out, tangent);
    sn_vec3 wide = sn_vec3_cross(tangent, thick);
    return (scn_head_section){s.position, sn_vec3_scale(wide, 0.5 * s.width),
                              sn_vec3_scale(thick, 0.5 * s.thickness)};
}

// Every point has a section, and between two points they are about `apart` from each other.
uint32_t scn_head_muscle_sections(const scn_head_muscle *m,
                                  scn_head_section sections[SCN_HEAD_SECTIONS_MOST]) {
    const double apart = 0.0045;
    const uint32_t most = (SCN_HEAD_SECTIONS_MOST - 1) / (SCN_HEAD_MUSCLE_POINTS - 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < m->count; ++i) {
        double way = sn_vec3_distance(m->points[i].position, m->points[i + 1].position);
        uint32_t steps = (uint32_t)fmin(fmax(way / apart + 0.5, 2), most);
        for (uint32_t k = 0; k < steps; ++k) {
            sections[count++] = section_at(m, i + (double)k / steps);
        }
    }
    sections[count++] = section_at(m, m->count - 1);
    return count;
}

// ---------------------------------------------------------------------------------------------
// Surface

enum { SIDES = 10 };

// Counter-clockwise as seen from the last section.
static void add_ring(scn_builder *b, const scn_head_section *s, uint32_t ring[SIDES]) {
    for (int k = 0; k < SIDES; ++k) {
        scn_turn turn = scn_turn_from_deg(360.0 * k / SIDES);
        sn_vec3 p = sn_vec3_add_scaled(s->center, turn.cosine, s->wide);
        ring[k] = scn_builder_vertex(b, sn_vec3_add_scaled(p, -turn.sine, s->thick), 0, 0);
    }
}

// Closes an end by a point a little beyond it.
static void add_cap(scn_builder *b, const uint32_t ring[SIDES], sn_vec3 pole, bool first) {
    uint32_t p = scn_builder_vertex(b, pole, 0, 0);
    for (int k = 0; k < SIDES; ++k) {
        uint32_t next = ring[(k + 1) % SIDES];
        const uint32_t corners[3] = {first ? next : ring[k], first ? ring[k] : next, p};
        scn_builder_polygon(b, corners, 3);
    }
}

// Where the pole of an end lies: half its thickness away from the section next to it.
static sn_vec3 pole_of(const scn_head_section *end, const scn_head_section *next) {
    sn_vec3 out = sn_vec3_normalize_or(sn_vec3_sub(end->center, next->center), end->thick);
    return sn_vec3_add_scaled(end->center, 0.5 * sn_vec3_length(end->thick), out);
}

// Moves what stands out of the skin below it.
static void tuck(const scn_head_finder *skin, sn_mesh *mesh) {
    const double cover = 0.0007;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * i);
        sn_closest closest;
        sn_accel_find_closest(skin->accel, p, INFINITY, &closest);
        sn_vec3 out = scn_head_normal(skin, closest.triangle, closest.barycentric);
        if (sn_vec3_dot(sn_vec3_sub(p, closest.point), out) > -cover) {
            sn_vec3_store(sn_vec3_add_scaled(closest.point, -cover, out), mesh->positions + 3 * i);
        }
    }
}

static sn_status make_mesh(sn_context *context, const scn_head_finder *skin,
                           const scn_head_muscle *muscle, sn_mesh **mesh, sn_error *error) {
    scn_head_section sections[SCN_HEAD_SECTIONS_MOST];
    uint32_t count = scn_head_muscle_sections(muscle, sections), rings[2][SIDES];
    char name[64];
    scn_builder b;
    scn_builder_init(&b);
    add_ring(&b, &sections[0], rings[0]);
    add_cap(&b, rings[0], pole_of(&sections[0], &sections[1]), true);
    for (uint32_t i = 1; i < count; ++i) {
        add_ring(&b, &sections[i], rings[i % 2]);
        scn_builder_join(&b, rings[(i + 1) % 2], rings[i % 2], SIDES);
    }
    add_cap(&b, rings[(count - 1) % 2], pole_of(&sections[count - 1], &sections[count - 2]), false);
    snprintf(name, sizeof name, "%s.L", muscle->name);
    sn_status status = scn_builder_finish(&b, context, name, mesh, error);
    if (status == SN_OK) {
        tuck(skin, *mesh);
        status = scn_paint(*mesh, "muscle", 0.42f, 0.07f, 0.05f, 0.5f, error);
    }
    scn_builder_deinit(&b);
    return status;
}

sn_status scn_head_muscle_meshes(sn_context *context, const sn_mesh *skin,
                                 const scn_head_muscle *muscles, sn_mesh **meshes,
                                 sn_error *error) {
    scn_head_finder finder;
    sn_status status = scn_head_finder_init(context, skin, &finder, error);
    for (uint32_t i = 0; i < scn_head_muscle_count() && status == SN_OK; ++i) {
        status = make_mesh(context, &finder, &muscles[i], &meshes[i], error);
    }
    scn_head_finder_deinit(&finder);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Document

static const struct {
    const char *bone, *segment;
    uint32_t index; // of the segment
} carriers[] = {
    [SCN_HEAD_ON_CRANIUM] = {"cranium", "head", SCN_HEAD_HEAD_SEGMENT},
    [SCN_HEAD_ON_MANDIBLE] = {"mandible", "jaw", SCN_HEAD_JAW_SEGMENT},
    [SCN_HEAD_ON_HYOID] = {NULL, "hyoid", SCN_HEAD_HYOID_SEGMENT},
    [SCN_HEAD_ON_HEAD] = {NULL, "head", SCN_HEAD_HEAD_SEGMENT},
    [SCN_HEAD_ON_JAW] = {NULL, "jaw", SCN_HEAD_JAW_SEGMENT},
    [SCN_HEAD_IN_SPACE] = {NULL, NULL, SN_NONE},
};

uint32_t scn_head_segment_of(scn_head_carrier carrier) {
    return carriers[carrier].index;
}

static void add_vector(sn_json *json, sn_value *object, const char *key, sn_vec3 v) {
    const double numbers[3] = {scn_round(v.x), scn_round(v.y), scn_round(v.z)};
    sn_json_add_numbers(json, object, key, numbers, 3);
}

static sn_vec3 origin_of(scn_head_carrier carrier) {
    switch (carriers[carrier].index) {
    case SCN_HEAD_JAW_SEGMENT: return scn_head_jaw_joint();
    case SCN_HEAD_HYOID_SEGMENT: return scn_head_hyoid();
    default: return sn_vec3_make(0, 0, 0);
    }
}

// On a bone, in the frame of a segment, or in space.
static void add_place(sn_json *json, sn_value *object, scn_head_carrier carrier, sn_vec3 at) {
    const char *bone = carriers[carrier].bone, *segment = carriers[carrier].segment;
    if (bone != NULL) {
        sn_json_add_string(json, object, "bone", bone);
        add_vector(json, object, "point", at);
    } else if (segment != NULL) {
        sn_json_add_string(json, object, "segment", segment);
        add_vector(json, object, "at", sn_vec3_sub(at, origin_of(carrier)));
    } else {
        add_vector(json, object, "point", at);
    }
}

static void add_points(sn_json *json, sn_value *made, const scn_head_muscle *muscle) {
    sn_value *points = sn_json_add_array(json, made, "points");
    for (uint32_t i = 0; i < muscle->count; ++i) {
        const scn_head_muscle_point *p = &muscle->points[i];
        sn_value *point = sn_json_add_object(json, points, NULL);
        add_place(json, point, p->carrier, p->position);
        if (p->carrier == SCN_HEAD_ON_HEAD && p->jaw > 0) {
            sn_json_add_string(json, point, "shared_with", "jaw");
            sn_json_add_number(json, point, "share", scn_round(p->jaw));
        }
        if (p->parent != SN_NONE) {
            sn_json_add_number(json, point, "parent", p->parent);
        }
    }
}

// All points of a sphincter go towards its centre, which the segment of its last point carries:
// that of the lower lip moves with the jaw. What lies around the eye slides on the eyeball.
static void add_center(sn_json *json, sn_value *made, const scn_head_muscle *muscle) {
    uint32_t last = scn_head_segment_of(muscle->points[muscle->count - 1].carrier);
    sn_value *center = sn_json_add_object(json, made, "center");
    add_place(json, center, last == SCN_HEAD_JAW_SEGMENT ? SCN_HEAD_ON_JAW : SCN_HEAD_ON_HEAD,
              muscle->center);
    if (strcmp(muscle->group, "eye") == 0) {
        sn_value *slides = sn_json_add_array(json, made, "slides");
        sn_json_add_string(json, slides, NULL, "eyeball.L");
    }
}

bool scn_head_is_between_bones(const scn_head_muscle *muscle) {
    uint32_t first = scn_head_segment_of(muscle->points[0].carrier);
    uint32_t last = scn_head_segment_of(muscle->points[muscle->count - 1].carrier);
    return strcmp(muscle->group, "jaw") == 0 && first != last;
}

void scn_head_add_muscle(sn_json *json, sn_value *list, sn_value *controls,
                         const scn_head_muscle *muscle) {
    char name[64];
    snprintf(name, sizeof name, "%s.L", muscle->name);
    sn_value *made = sn_json_add_object(json, list, name);
    sn_json_add_string(json, made, "kind", "graph");
    sn_json_add_string(json, made, "mesh", name);
    add_points(json, made, muscle);
    if (muscle->ring) {
        add_center(json, made, muscle);
    }
    sn_json_add_string(json, made, scn_head_is_between_bones(muscle) ? "tension" : "contraction",
                       name);
    if (muscle->shortening > 0) {
        sn_json_add_number(json, made, "shortening", muscle->shortening);
    }
    sn_json_add_bool(json, made, "mirror", true);
    sn_value *control = sn_json_add_object(json, controls, name);
    sn_json_add_string(json, control, "group", muscle->group);
    sn_json_add_bool(json, control, "mirror", true);
}
