// SPDX-License-Identifier: Apache-2.0
//
// Muscles of the face and of mastication: where they come from and where they go, after textbooks
// of anatomy (Gray; Standring); divided as they act.
#include "scenes/head_muscles.h"

#include "sinew/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Where a point lies: on the cranium or the mandible next to the place given, below the skin next
// to it, on the hyoid bone, or there.
typedef enum place { NOWHERE, CRANIUM, MANDIBLE, SKIN, THERE, HYOID } place;

typedef struct table_point {
    place at;
    double x, y, z, width, thickness; // millimetres
} table_point;

typedef struct table_muscle {
    const char *name, *group;
    double depth; // from the skin to the muscle where it lies below the skin, millimetres
    const double *center;
    table_point points[SCN_HEAD_MUSCLE_POINTS];
} table_muscle;

// The middle of the mouth lies in front of the lips: they go forward as they contract.
static const double eye[3] = {31.6, 35, 95}, mouth[3] = {0, -34, 128};

// clang-format off
static const table_muscle muscles[] = {
    // brow and forehead
    {"frontalis 1", "brow", 2, NULL, {{SKIN, 8, 118, 80, 12, 1.6}, {SKIN, 8, 96, 95, 13, 2}, {SKIN, 9, 76, 104, 13, 2}, {SKIN, 10, 61, 107, 11, 1.6}}},
    {"frontalis 2", "brow", 2, NULL, {{SKIN, 21, 117, 77, 12, 1.6}, {SKIN, 22, 96, 92, 13, 2}, {SKIN, 22, 77, 101, 13, 2}, {SKIN, 22, 62, 104.5, 11, 1.6}}},
    {"frontalis 3", "brow", 2, NULL, {{SKIN, 34, 113, 73, 12, 1.6}, {SKIN, 35, 94, 85, 13, 2}, {SKIN, 35, 78, 94.5, 13, 2}, {SKIN, 35, 64, 99.5, 11, 1.6}}},
    {"frontalis 4", "brow", 2, NULL, {{SKIN, 46, 105, 67, 12, 1.6}, {SKIN, 48, 90, 75, 13, 2}, {SKIN, 48, 76, 83, 13, 2}, {SKIN, 48, 62, 88, 11, 1.6}}},
    {"corrugator", "brow", 3, NULL, {{CRANIUM, 10, 55, 101, 5, 2.4}, {SKIN, 18, 59, 105, 7, 3}, {SKIN, 28, 64, 102, 8, 2}}},
    {"corrugator lateral", "brow", 3, NULL, {{CRANIUM, 13, 57, 101, 5, 2.4}, {SKIN, 26, 62, 103, 7, 3}, {SKIN, 40, 66, 97, 8, 2.4}, {SKIN, 52, 64, 86, 8, 1.6}}},
    {"procerus", "brow", 1.6, NULL, {{CRANIUM, 3, 31, 108, 4, 1}, {SKIN, 4, 42, 106, 6, 1.8}, {SKIN, 5, 56, 107.4, 7, 2}, {SKIN, 6, 66, 106, 7, 1.4}}},
    {"depressor supercilii", "brow", 2, NULL, {{CRANIUM, 10, 41, 97, 4, 1.6}, {SKIN, 12.4, 48, 103, 5, 2}, {SKIN, 14.5, 57, 106, 6, 1.6}}},
    // around the eye
    {"oculi upper inner", "eye", 2, eye, {{CRANIUM, 11, 38, 97, 4, 1.4}, {SKIN, 15, 50, 102, 8, 2}, {SKIN, 24, 57, 104, 9, 2}, {SKIN, 33, 59.5, 101, 9, 2}}},
    {"oculi upper outer", "eye", 2, eye, {{SKIN, 33, 59.5, 101, 9, 2}, {SKIN, 45, 58, 93, 9, 2}, {SKIN, 54, 50, 83, 9, 2}, {SKIN, 58.5, 38, 77, 8, 2}}},
    {"oculi lateral", "eye", 2, eye, {{SKIN, 55, 51, 82, 8, 2}, {SKIN, 59.5, 37, 76.6, 10, 2}, {SKIN, 56.5, 22, 82, 8, 2}}},
    {"oculi lower outer", "eye", 2, eye, {{SKIN, 58.5, 34, 77, 8, 2}, {SKIN, 55, 22, 82, 9, 2}, {SKIN, 46, 14.5, 90, 9, 2}, {SKIN, 35, 12, 95, 9, 2}}},
    {"oculi lower inner", "eye", 2, eye, {{CRANIUM, 13, 32, 96, 4, 1.4}, {SKIN, 17, 22, 99, 8, 2}, {SKIN, 25, 14, 97.5, 9, 2}, {SKIN, 35, 12, 95, 9, 2}}},
    {"oculi medial upper", "eye", 1.4, eye, {{CRANIUM, 12, 36, 96, 4, 1.2}, {SKIN, 17, 43, 97, 5, 1.4}, {SKIN, 22, 47.5, 97, 5, 1.2}}},
    {"oculi medial lower", "eye", 1.4, eye, {{CRANIUM, 13, 33, 96, 4, 1.2}, {SKIN, 18, 26, 95, 5, 1.4}, {SKIN, 24, 21, 95.5, 5, 1.2}}},
    {"oculi upper lid", "eye", 0.4, eye, {{CRANIUM, 12.5, 36, 95, 3, 1}, {SKIN, 16.6, 37.6, 94.5, 3, 0.7}, {SKIN, 21.5, 40, 94.5, 4, 0.7}, {SKIN, 31, 43, 96, 5, 0.7}, {SKIN, 41, 40.6, 92, 4, 0.7}, {SKIN, 49, 35.6, 84, 2.6, 0.7}}},
    {"oculi lower lid", "eye", 0.4, eye, {{CRANIUM, 13, 32, 95, 3, 1}, {SKIN, 17.4, 29.4, 94, 3, 0.7}, {SKIN, 22.5, 27.6, 94, 4, 0.7}, {SKIN, 32, 25.8, 96, 5, 0.7}, {SKIN, 41, 28, 91.5, 4, 0.7}, {SKIN, 49, 33.6, 84, 2.6, 0.7}}},
    {"levator palpebrae", "eye", 0.8, NULL, {{THERE, 20, 42, 54, 5, 1.6}, {THERE, 27, 50, 72, 7, 1.6}, {THERE, 31, 50.2, 86, 9, 1}, {SKIN, 31, 44.4, 96, 10, 0.7}}},
    // cheek
    {"malaris inner", "cheek", 3, NULL, {{SKIN, 44, 16, 89, 14, 1.6}, {SKIN, 40, 2, 96.5, 16, 2}, {SKIN, 36, -11, 97.5, 14, 1.6}}},
    {"malaris outer", "cheek", 3, NULL, {{SKIN, 58, 22, 81, 14, 1.6}, {SKIN, 54, 4, 85, 18, 2}, {SKIN, 48, -12, 90, 16, 1.6}}},
    {"levator alae nasi wing", "nose", 1.6, NULL, {{CRANIUM, 9, 38, 97, 3, 1.2}, {SKIN, 11.6, 24, 104.5, 4, 1.5}, {SKIN, 14.4, 8.4, 108.5, 5, 1.5}, {SKIN, 16.4, -1, 110, 5, 1}}},
    {"levator alae nasi lip", "nose", 2.4, NULL, {{CRANIUM, 10, 37, 96, 3, 1.2}, {SKIN, 14.6, 20, 102, 5, 1.6}, {SKIN, 19, 5, 102.5, 6, 2}, {SKIN, 18.5, -13, 106.5, 6, 2}, {SKIN, 14, -20.5, 113, 6, 1.4}}},
    {"levator alae nasi cheek", "nose", 3, NULL, {{CRANIUM, 12, 34, 95, 4, 1.2}, {SKIN, 20, 16, 98, 7, 1.6}, {SKIN, 27, 2, 100, 10, 1.8}, {SKIN, 29, -12, 101.5, 10, 1.4}}},
    {"levator labii", "lips", 4, NULL, {{CRANIUM, 25, 13, 88, 10, 2}, {SKIN, 23, 3, 100, 11, 2.4}, {SKIN, 19.5, -11, 104.5, 9, 2.4}, {SKIN, 14, -22, 113, 8, 1.4}}},
    {"levator labii lateral", "lips", 3.2, NULL, {{CRANIUM, 34, 12, 85, 10, 2}, {SKIN, 31, 2, 99.5, 11, 2.4}, {SKIN, 26, -12, 103.5, 9, 2.4}, {SKIN, 20, -25, 109.5, 8, 1.4}}},
    {"zygomaticus minor", "lips", 3.4, NULL, {{CRANIUM, 44, 12, 78, 7, 2.4}, {SKIN, 38, 1, 97, 7, 3}, {SKIN, 29, -13.5, 102, 7, 2.6}, {SKIN, 22, -26, 108.5, 7, 1.4}}},
    {"zygomaticus major", "lips", 5, NULL, {{CRANIUM, 52, 12, 71, 8, 2.6}, {SKIN, 49, -3, 88, 7, 4}, {SKIN, 41, -19, 94, 7, 4}, {SKIN, 31.5, -34, 97.5, 7, 2.6}}},
    {"levator anguli oris", "lips", 5.6, NULL, {{CRANIUM, 22, -4, 90, 10, 2}, {SKIN, 29, -13, 103, 9, 2.4}, {SKIN, 31.5, -24, 100, 8, 2.4}, {SKIN, 32, -33.4, 97.5, 7, 2.4}}},
    {"risorius", "lips", 4, NULL, {{SKIN, 58, -25, 68, 12, 1.6}, {SKIN, 48, -31, 86, 12, 2}, {SKIN, 33, -36, 97, 8, 2}}},
    {"buccinator", "lips", 7, NULL, {{THERE, 37.5, -30, 61, 16, 3}, {THERE, 39.2, -32, 74, 18, 3}, {THERE, 36.5, -34, 86, 14, 3}, {SKIN, 30.5, -35.4, 98, 9, 3}}},
    {"depressor anguli oris", "lips", 3, NULL, {{MANDIBLE, 37, -58, 74, 16, 2}, {SKIN, 38, -53, 86, 13, 2.6}, {SKIN, 35.4, -45, 94, 10, 3}, {SKIN, 31, -36.6, 97.5, 7, 2.4}}},
    {"depressor labii", "lips", 3, NULL, {{MANDIBLE, 25, -61, 83, 15, 2}, {SKIN, 21.5, -54.5, 99, 14, 2.6}, {SKIN, 16.5, -46.5, 107.5, 12, 2.4}, {SKIN, 12.5, -43, 112, 12, 1.4}}},
    {"mentalis", "lips", 2, NULL, {{MANDIBLE, 6.5, -50, 100, 6, 3}, {SKIN, 7, -57, 109.5, 8, 4}, {SKIN, 7.4, -66, 110, 9, 3}}},
    {"platysma front", "neck", 2.4, NULL, {{SKIN, 26, -126, 36, 26, 1.2}, {SKIN, 33, -100, 43, 28, 1.4}, {SKIN, 33.5, -83, 51, 28, 1.4}, {SKIN, 36, -68, 73, 26, 1.4}, {SKIN, 37, -50, 91, 20, 1.4}, {SKIN, 33, -39, 97, 12, 1.2}}},
    {"platysma back", "neck", 2.4, NULL, {{SKIN, 52, -121, 13, 28, 1.2}, {SKIN, 51, -92, 23, 28, 1.4}, {SKIN, 50, -70, 41, 20, 1.4}, {SKIN, 51.5, -52, 62, 24, 1.4}, {SKIN, 44, -38, 88, 16, 1.2}}},
    // nose
    {"nasalis transverse", "nose", 1.2, NULL, {{CRANIUM, 14, -4, 99, 6, 1.4}, {SKIN, 15.4, 7, 107.5, 8, 1.5}, {SKIN, 9, 16, 115, 8, 1.5}, {SKIN, 2, 20.5, 118.8, 8, 1}}},
    {"nasalis alar", "nose", 1.4, NULL, {{CRANIUM, 12, -11, 101, 5, 1.4}, {SKIN, 17, -7.6, 106, 6, 1.5}, {SKIN, 16.6, -3, 110.2, 6, 1}}},
    {"depressor septi", "nose", 1.4, NULL, {{CRANIUM, 4, -18, 103, 4, 1.6}, {SKIN, 3.4, -13.4, 115, 4, 1.6}, {SKIN, 2.6, -9.4, 119.8, 4, 1.2}}},
    // around the mouth
    {"oris upper outer lateral", "lips", 2.4, mouth, {{SKIN, 31.5, -34.4, 97.5, 7, 3}, {SKIN, 25, -28, 105, 8, 3}, {SKIN, 17, -23, 111.5, 8, 2.6}}},
    {"oris upper outer medial", "lips", 2.4, mouth, {{SKIN, 17, -23, 111.5, 8, 2.6}, {SKIN, 9, -20, 115, 8, 2.6}, {SKIN, 1.4, -19.4, 115.6, 7, 2.6}}},
    {"oris upper rim lateral", "lips", 1.6, mouth, {{SKIN, 27.4, -34.6, 100.5, 4, 2.6}, {SKIN, 22, -31, 106.8, 5, 3}, {SKIN, 15, -28.4, 113, 5, 3}}},
    {"oris upper rim medial", "lips", 1.6, mouth, {{SKIN, 15, -28.4, 113, 5, 3}, {SKIN, 8, -27.4, 117.2, 5, 3}, {SKIN, 1.4, -28, 118.6, 5, 3}}},
    {"oris lower outer lateral", "lips", 2.4, mouth, {{SKIN, 31.5, -36, 97.5, 7, 3}, {SKIN, 26.4, -43.4, 102.5, 8, 3}, {SKIN, 18, -47.6, 107, 8, 2.6}}},
    {"oris lower outer medial", "lips", 2.4, mouth, {{SKIN, 18, -47.6, 107, 8, 2.6}, {SKIN, 9, -49.4, 110, 8, 2.6}, {SKIN, 1.4, -49.8, 111, 7, 2.6}}},
    {"oris lower rim lateral", "lips", 1.6, mouth, {{SKIN, 27.4, -35.6, 100.5, 4, 2.6}, {SKIN, 21.6, -38.4, 107, 5, 3}, {SKIN, 14.6, -40.4, 112, 5, 3}}},
    {"oris lower rim medial", "lips", 1.6, mouth, {{SKIN, 14.6, -40.4, 112, 5, 3}, {SKIN, 8, -41.2, 115, 5, 3}, {SKIN, 1.4, -41.4, 116, 5, 3}}},
    // mastication
    {"temporalis front", "jaw", 4, NULL, {{CRANIUM, 59, 66, 51, 32, 3}, {THERE, 58, 40, 50, 24, 7}, {THERE, 51.6, 22, 50, 13, 7}, {MANDIBLE, 46, 11, 47.4, 6, 3}}},
    {"temporalis middle", "jaw", 4, NULL, {{CRANIUM, 71, 68, 22, 38, 3}, {THERE, 65.5, 41, 34, 25, 6}, {THERE, 55, 22, 45, 12, 7}, {MANDIBLE, 46, 11, 46.4, 6, 3}}},
    {"temporalis back", "jaw", 4, NULL, {{CRANIUM, 72, 52, -9, 32, 3}, {THERE, 67.2, 37.5, 14, 20, 5}, {THERE, 57, 24.5, 38, 9, 6}, {MANDIBLE, 46.4, 10.5, 45.4, 5, 3}}},
    {"masseter superficial", "jaw", 4, NULL, {{CRANIUM, 58, 10, 57, 20, 6}, {THERE, 60, -8, 53, 24, 9}, {THERE, 55.5, -25, 46, 24, 9}, {MANDIBLE, 48, -36, 42, 22, 4}}},
    {"masseter deep", "jaw", 4, NULL, {{CRANIUM, 62, 10, 39, 16, 5}, {THERE, 57.5, 0, 39.5, 16, 7}, {MANDIBLE, 48, -13, 38, 15, 4}}},
    {"pterygoid medial", "jaw", 4, NULL, {{CRANIUM, 19, -5, 56, 12, 5}, {THERE, 27.5, -18, 50, 15, 9}, {MANDIBLE, 36.5, -31, 45, 17, 4}}},
    {"pterygoid lateral lower", "jaw", 4, NULL, {{CRANIUM, 20, -3, 58, 12, 5}, {THERE, 33, 0, 43, 13, 8}, {MANDIBLE, 46, 2, 29, 7, 4}}},
    {"pterygoid lateral upper", "jaw", 4, NULL, {{CRANIUM, 27, 12, 54, 9, 4}, {THERE, 38, 3, 42, 9, 6}, {MANDIBLE, 46, 7, 28, 6, 3}}},
    {"digastric front", "jaw", 4, NULL, {{MANDIBLE, 6, -71, 87, 8, 3}, {THERE, 9.4, -76.6, 66, 10, 6}, {HYOID, 14, -80, 44, 5, 3}}},
    {"digastric back", "jaw", 4, NULL, {{CRANIUM, 47, -9, 2, 9, 5}, {THERE, 36, -42, 16, 9, 7}, {HYOID, 14, -80, 44, 5, 3}}},
    {"geniohyoid", "jaw", 4, NULL, {{MANDIBLE, 3, -64, 87, 5, 4}, {THERE, 3.4, -71, 66, 6, 6}, {HYOID, 4, -78, 46, 6, 5}}},
    {"mylohyoid", "jaw", 4, NULL, {{MANDIBLE, 24, -51, 74, 26, 2}, {THERE, 15, -63, 69, 28, 3}, {HYOID, 4.4, -74, 58, 24, 2.4}}},
};
// clang-format on
enum { MUSCLES = sizeof muscles / sizeof *muscles };

// The part of their length that muscles lose at most where the standard of kind `graph`, 0.3, is
// too little: found by looking at expressions.
static const struct {
    const char *name;
    double shortening;
} strengths[] = {
    {"corrugator lateral", 0.55},
    {"corrugator", 0.45},
    {"procerus", 0.45},
    {"depressor supercilii", 0.4},
    {"oculi lateral", 0.4},
    {"oculi upper lid", 0.1}, // more would draw the corners of the eye along
    {"oculi lower outer", 0.4},
    {"malaris inner", 0.45},
    {"malaris outer", 0.45},
    {"zygomaticus major", 0.45},
    {"zygomaticus minor", 0.35},
    {"risorius", 0.35},
    {"depressor anguli oris", 0.4},
    {"oris upper outer lateral", 0.33},
    {"oris upper rim lateral", 0.33},
    {"oris lower outer lateral", 0.33},
    {"oris lower rim lateral", 0.33},
};

static double shortening_of(const char *name) {
    for (size_t i = 0; i < sizeof strengths / sizeof *strengths; ++i) {
        if (strcmp(name, strengths[i].name) == 0) {
            return strengths[i].shortening;
        }
    }
    return 0;
}

uint32_t scn_head_muscle_count(void) {
    return MUSCLES;
}

// ---------------------------------------------------------------------------------------------
// Laying

typedef struct layers {
    scn_head_finder skin, bones[2]; // cranium, mandible
} layers;

static double bone_below(const layers *l, sn_vec3 skin, sn_vec3 out) {
    double nearest = INFINITY;
    for (int b = 0; b < 2; ++b) {
        sn_hit hit;
        sn_accel_cast(l->bones[b].accel, skin, sn_vec3_scale(out, -1), 0, 0.05, &hit);
        nearest = hit.triangle != SN_NONE ? fmin(nearest, hit.distance) : nearest;
    }
    return nearest;
}

// Below the skin by `depth`, or as close to the bone as the muscle's thickness allows where there
// is less room, or in the middle where there is none.
static void lay_under_skin(const layers *l, double depth, scn_head_muscle_point *p) {
    const double off_bone = 0.0003;
    sn_closest closest;
    sn_accel_find_closest(l->skin.accel, p->position, INFINITY, &closest);
    p->out = scn_head_normal(&l->skin, closest.triangle, closest.barycentric);
    double room = bone_below(l, closest.point, p->out);
    double below = fmin(depth + 0.5 * p->thickness, room - 0.5 * p->thickness - off_bone);
    below = fmax(below, fmin(0.5 * p->thickness + 0.0004, 0.5 * room));
    p->position = sn_vec3_add_scaled(closest.point, -below, p->out);
}

// Sheets face the skin, also where they begin at an edge of the bone.
static void face_the_skin(const layers *l, scn_head_muscle_point *p) {
    sn_closest closest;
    sn_accel_find_closest(l->skin.accel, p->position, INFINITY, &closest);
    p->out = scn_head_normal(&l->skin, closest.triangle, closest.barycentric);
}

static void lay_on_bone(const layers *l, const scn_head_finder *bone, scn_head_muscle_point *p) {
    sn_closest closest;
    sn_accel_find_closest(bone->accel, p->position, INFINITY, &closest);
    sn_vec3 normal = scn_head_normal(bone, closest.triangle, closest.barycentric);
    p->position = sn_vec3_add_scaled(closest.point, 0.5 * p->thickness, normal);
    face_the_skin(l, p);
}

// A point below the skin goes with the jaw as the skin there does.
static void follow_skin(const layers *l, scn_head_muscle_point *p) {
    const double all = 0.98;
    const sn_weights *w = l->skin.skin->weights;
    sn_closest closest;
    sn_accel_find_closest(l->skin.accel, p->position, INFINITY, &closest);
    p->jaw = 0;
    for (int c = 0; c < 3; ++c) {
        uint32_t vertex = l->skin.triangles->vertices[3 * (size_t)closest.triangle + (size_t)c];
        for (uint32_t k = w->offsets[vertex]; k < w->offsets[vertex + 1]; ++k) {
            p->jaw += w->bones[k] == SCN_HEAD_JAW_SEGMENT
                          ? closest.barycentric[c] * (double)w->values[k]
                          : 0;
        }
    }
    p->carrier = p->jaw > all ? SCN_HEAD_ON_JAW : SCN_HEAD_ON_HEAD;
    p->jaw = p->jaw < 1 - all || p->jaw > all ? 0 : p->jaw;
}

static const scn_head_carrier carriers[] = {
    [CRANIUM] = SCN_HEAD_ON_CRANIUM, [MANDIBLE] = SCN_HEAD_ON_MANDIBLE, [SKIN] = SCN_HEAD_ON_HEAD,
    [THERE] = SCN_HEAD_ON_HEAD,      [HYOID] = SCN_HEAD_ON_HYOID,
};

static void lay_point(const layers *l, const table_muscle *m, uint32_t index,
                      scn_head_muscle_point *made) {
    const table_point *from = &m->points[index];
    *made = (scn_head_muscle_point){
        .position = sn_vec3_scale(sn_vec3_make(from->x, from->y, from->z), SCN_MM),
        .width = from->width * SCN_MM,
        .thickness = from->thickness * SCN_MM,
        .parent = index > 0 ? index - 1 : SN_NONE,
        .carrier = carriers[from->at]};
    if (scn_head_is_on_bone(made)) {
        lay_on_bone(l, &l->bones[from->at == MANDIBLE], made);
    } else if (from->at == SKIN) {
        lay_under_skin(l, m->depth * SCN_MM, made);
        follow_skin(l, made);
    } else {
        face_the_skin(l, made);
    }
}

// How far a place lies outside of the skin, below 0 inside.
static double outside(const layers *l, sn_vec3 p) {
    sn_closest closest;
    sn_accel_find_closest(l->skin.accel, p, INFINITY, &closest);
    sn_vec3 normal = scn_head_normal(&l->skin, closest.triangle, closest.barycentric);
    return sn_vec3_dot(sn_vec3_sub(p, closest.point), normal) < 0 ? -closest.distance
                                                                  : closest.distance;
}

// Draws points of wide sheets in until their edges lie below the skin, too.
static void lay_edges(const layers *l, scn_head_muscle *m) {
    enum { ROUNDS = 12 };
    const double sheet = 0.0101, cover = 0.0004, step = 0.0004;
    for (uint32_t i = 0; i < m->count; ++i) {
        scn_head_muscle_point *p = &m->points[i];
        sn_vec3 along = sn_vec3_sub(m->points[i + 1 < m->count ? i + 1 : i].position,
                                    m->points[i > 0 ? i - 1 : i].position);
        along = sn_vec3_normalize_or(along, sn_vec3_make(0, 1, 0));
        sn_vec3 wide = sn_vec3_cross(along, scn_reject(p->out, along));
        for (int round = 0; !scn_head_is_on_bone(p) && p->width > sheet && round < ROUNDS;
             ++round) {
            sn_vec3 a = sn_vec3_add_scaled(p->position, 0.5 * p->width, wide);
            sn_vec3 b = sn_vec3_add_scaled(p->position, -0.5 * p->width, wide);
            if (fmax(outside(l, a), outside(l, b)) < -cover) {
                break;
            }
            p->position = sn_vec3_add_scaled(p->position, -step, p->out);
        }
    }
}

// What lies deep is carried as its neighbours are.
static void free_middle(const table_muscle *from, scn_head_muscle *m) {
    for (uint32_t i = 1; i + 1 < m->count; ++i) {
        m->points[i].carrier =
            from->points[i].at == THERE ? SCN_HEAD_IN_SPACE : m->points[i].carrier;
    }
}

sn_status scn_head_lay_muscles(sn_context *context, const sn_mesh *skin, const sn_mesh *cranium,
                               const sn_mesh *mandible, scn_head_muscle *made, sn_error *error) {
    layers l = {0};
    sn_status status = SN_OK;
    SN_TRY(scn_head_finder_init(context, skin, &l.skin, error));
    SN_TRY(scn_head_finder_init(context, cranium, &l.bones[0], error));
    SN_TRY(scn_head_finder_init(context, mandible, &l.bones[1], error));
    for (uint32_t i = 0; i < MUSCLES; ++i) {
        const table_muscle *m = &muscles[i];
        made[i] = (scn_head_muscle){.name = m->name,
                                    .group = m->group,
                                    .ring = m->center != NULL,
                                    .shortening = shortening_of(m->name)};
        if (m->center != NULL) {
            sn_vec3 center = {m->center[0], m->center[1], m->center[2]};
            made[i].center = sn_vec3_scale(center, SCN_MM);
        }
        while (made[i].count < SCN_HEAD_MUSCLE_POINTS && m->points[made[i].count].at != NOWHERE) {
            lay_point(&l, m, made[i].count, &made[i].points[made[i].count]);
            made[i].count += 1;
        }
        lay_edges(&l, &made[i]);
        free_middle(m, &made[i]);
    }
cleanup:
    scn_head_finder_deinit(&l.skin);
    scn_head_finder_deinit(&l.bones[0]);
    scn_head_finder_deinit(&l.bones[1]);
    return status;
}
