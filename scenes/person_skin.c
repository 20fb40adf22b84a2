// SPDX-License-Identifier: Apache-2.0
//
// The mesh of `person`. The human's skin shows every muscle: where clothes and hair lie it is
// evened out and lifted by their thickness. Then it is simplified, with more vertices left in the
// face and the hands, and cut along the borders of what it shows.
#include "scenes/person.h"

#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vertices before cutting adds some hundreds.
enum { VERTICES = 19200, ROUNDS = 60 };

// Metres: how thick clothes and hair are, and over what distance they become so.
static const double cloth_lift = 0.005, cloth_slope = 0.008, hair_lift = 0.009, hair_slope = 0.02;

typedef struct skin_points {
    uint32_t count;
    sn_vec3 *points, *sums; // sums: of neighbours, or normals
    uint32_t *neighbours;   // how many a sum has
    double *soft;           // 0 to 1: how much a vertex is evened out
} skin_points;

static double cloth_at(sn_vec3 p, double slope) {
    double inside =
        fmax(scn_person_inside(SCN_PERSON_SHIRT, p), scn_person_inside(SCN_PERSON_SHORTS, p));
    // Where shirt and shorts meet there is no border of the clothes.
    bool belt = fabs(p.x) < 0.27 && p.y > 0.9 && p.y < 1;
    return belt ? 1 : scn_smooth_step(0, slope, inside);
}

// Hands were enlarged while the skin was made, which left a step at the wrists.
static double wrist_at(const scn_person *person, sn_vec3 p) {
    sn_vec3 hand = person->joints[scn_person_joint(0, SCN_PERSON_HAND)].rest.origin;
    double away = sn_vec3_distance(sn_vec3_make(fabs(p.x), p.y, p.z), hand);
    return 1 - scn_smooth_step(0.03, 0.055, away);
}

static const uint32_t *triangle_of(const sn_mesh *skin, uint32_t face) {
    return &skin->corners[3 * (size_t)face];
}

static void even_out(const sn_mesh *skin, skin_points *s) {
    memset(s->sums, 0, s->count * sizeof *s->sums);
    memset(s->neighbours, 0, s->count * sizeof *s->neighbours);
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        const uint32_t *v = triangle_of(skin, f);
        for (int i = 0; i < 3; ++i) {
            sn_vec3 *sum = &s->sums[v[i]];
            *sum = sn_vec3_add(*sum,
                               sn_vec3_add(s->points[v[(i + 1) % 3]], s->points[v[(i + 2) % 3]]));
            s->neighbours[v[i]] += 2;
        }
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        if (s->neighbours[i] > 0) {
            sn_vec3 mean = sn_vec3_scale(s->sums[i], 1.0 / s->neighbours[i]);
            s->points[i] = sn_vec3_lerp(s->points[i], mean, 0.5 * s->soft[i]);
        }
    }
}

static void lift(const sn_mesh *skin, skin_points *s) {
    memset(s->sums, 0, s->count * sizeof *s->sums);
    for (uint32_t f = 0; f < skin->face_count; ++f) {
        const uint32_t *v = triangle_of(skin, f);
        sn_vec3 a = s->points[v[0]];
        sn_vec3 normal =
            sn_vec3_cross(sn_vec3_sub(s->points[v[1]], a), sn_vec3_sub(s->points[v[2]], a));
        for (int i = 0; i < 3; ++i) {
            s->sums[v[i]] = sn_vec3_add(s->sums[v[i]], normal);
        }
    }
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_vec3 p = s->points[i];
        sn_vec3 normal = sn_vec3_normalize_or(s->sums[i], sn_vec3_make(0, 0, 0));
        double hair = scn_smooth_step(0, hair_slope, scn_person_inside(SCN_PERSON_HAIR, p));
        double by = cloth_lift * cloth_at(p, cloth_slope) + hair_lift * hair;
        s->points[i] = sn_vec3_add_scaled(p, by, normal);
    }
}

// The extracted skin has no lips: two small swellings with a line between them.
static void model_lips(skin_points *s) {
    static const double swellings[][3] = {// y, width, height
                                          {1.5598, 0.0042, 0.0026},
                                          {1.5495, 0.0046, 0.0034},
                                          {1.5546, 0.0030, -0.0022}};
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_vec3 *p = &s->points[i];
        double side = 1 - (p->x / 0.027) * (p->x / 0.027), y = p->y;
        for (int k = 0; k < 3 && side > 0 && p->z > 0.09; ++k) {
            double away = (y - swellings[k][0]) / swellings[k][1];
            p->z += sqrt(side) * swellings[k][2] / (1 + away * away * away * away);
        }
    }
}

// Where more vertices are left: in the face, on the rest of the head, on hands and feet.
static float detail_at(sn_vec3 p) {
    if (p.y > 1.51) {
        return p.z > 0.06 && p.y < 1.67 ? 30 : 2;
    }
    return fabs(p.x) > 0.42 && p.y < 1.1 ? 9 : p.y < 0.09 ? 2 : 1;
}

static sn_status simplify(sn_context *context, const sn_mesh *skin, const skin_points *s,
                          scn_surface *surface, sn_error *error) {
    float *positions = malloc((3 * (size_t)s->count + 1) * sizeof *positions);
    float *detail = malloc(((size_t)s->count + 1) * sizeof *detail);
    sn_decimated *made = NULL;
    sn_status status = positions != NULL && detail != NULL ? SN_OK : scn_fail_memory(error);
    for (uint32_t i = 0; status == SN_OK && i < s->count; ++i) {
        sn_vec3_store(s->points[i], &positions[3 * (size_t)i]);
        detail[i] = detail_at(s->points[i]);
    }
    sn_decimate_desc desc = sn_decimate_desc_default();
    desc.positions = positions;
    desc.vertex_count = s->count;
    desc.vertices = skin->corners;
    desc.triangle_count = skin->face_count;
    desc.detail = detail;
    desc.regularity = 0.02;
    desc.target_vertices = VERTICES;
    if (status == SN_OK) {
        status = sn_decimate(context, &desc, NULL, &made, error);
    }
    if (status == SN_OK) {
        surface->vertex_count = made->vertex_count;
        surface->triangle_count = made->triangle_count;
        surface->points = malloc((made->vertex_count + 1) * sizeof *surface->points);
        surface->triangles = malloc((made->triangle_count + 1) * sizeof *surface->triangles);
        status =
            surface->points != NULL && surface->triangles != NULL ? SN_OK : scn_fail_memory(error);
    }
    if (status == SN_OK) {
        memcpy(surface->triangles, made->vertices,
               (size_t)made->triangle_count * sizeof *surface->triangles);
        for (uint32_t i = 0; i < made->vertex_count; ++i) {
            surface->points[i] = sn_vec3_load(&made->positions[3 * (size_t)i]);
        }
    }
    sn_decimated_destroy(made);
    free(positions);
    free(detail);
    return status;
}

// Faces of a region stand together.
static sn_status make_mesh(sn_context *context, const scn_surface *s, sn_mesh **mesh,
                           sn_error *error) {
    sn_status status = sn_mesh_create(context, "body", s->vertex_count, s->triangle_count,
                                      3 * s->triangle_count, mesh, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        sn_vec3_store(s->points[i], &(*mesh)->positions[3 * (size_t)i]);
    }
    uint32_t used = 0;
    for (scn_person_region region = SCN_PERSON_HAIR; region < SCN_PERSON_REGIONS; ++region) {
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t *v = s->triangles[t];
            sn_vec3 middle = {0, 0, 0};
            for (int i = 0; i < 3; ++i) {
                middle = sn_vec3_add_scaled(middle, 1 / 3.0, s->points[v[i]]);
            }
            if (scn_person_region_at(middle) == region) {
                memcpy(&(*mesh)->corners[3 * (size_t)used], v, sizeof s->triangles[t]);
                ++used;
                (*mesh)->face_offsets[used] = 3 * used;
            }
        }
    }
    return SN_OK;
}

static bool start(const sn_mesh *skin, const scn_person *person, skin_points *s) {
    s->count = skin->vertex_count;
    s->points = calloc((size_t)s->count + 1, sizeof *s->points);
    s->sums = calloc((size_t)s->count + 1, sizeof *s->sums);
    s->neighbours = calloc((size_t)s->count + 1, sizeof *s->neighbours);
    s->soft = calloc((size_t)s->count + 1, sizeof *s->soft);
    bool made = s->points != NULL && s->sums != NULL && s->neighbours != NULL && s->soft != NULL;
    for (uint32_t i = 0; made && i < s->count; ++i) {
        s->points[i] = sn_vec3_load(&skin->positions[3 * (size_t)i]);
        s->soft[i] = fmax(cloth_at(s->points[i], 0.03), 0.4 * wrist_at(person, s->points[i]));
    }
    return made;
}

sn_status scn_person_make_body(sn_context *context, const sn_mesh *skin, scn_person *person,
                               sn_error *error) {
    skin_points s = {0};
    scn_surface surface = {0};
    sn_status status = start(skin, person, &s) ? SN_OK : scn_fail_memory(error);
    for (int i = 0; status == SN_OK && i < ROUNDS; ++i) {
        even_out(skin, &s);
    }
    if (status == SN_OK) {
        lift(skin, &s);
        model_lips(&s);
        status = simplify(context, skin, &s, &surface, error);
    }
    for (scn_person_region r = SCN_PERSON_HAIR; status == SN_OK && r < SCN_PERSON_SKIN; ++r) {
        status = scn_person_cut(&surface, r) ? SN_OK : scn_fail_memory(error);
    }
    status = status == SN_OK ? make_mesh(context, &surface, &person->body, error) : status;
    status = status == SN_OK ? scn_person_paint(person->body, error) : status;
    status = status == SN_OK ? scn_add_normals(person->body, error) : status;
    free(surface.points);
    free(surface.triangles);
    free(s.points);
    free(s.sums);
    free(s.neighbours);
    free(s.soft);
    return status;
}
