// SPDX-License-Identifier: Apache-2.0
//
// Teeth: 28 closed pieces along two arches, and the tongue.
//
// Upper front teeth stand 2 mm before and over the lower ones; behind them crowns face each other
// with a gap of 0.4 mm, the free-way space, so that the jaw can close on them.
#include "scenes/head_shape.h"

#include "scenes/modeller.h"

#include <math.h>
#include <stdlib.h>

enum { SIDES = 12, RINGS = 6, ROW = 7, ARCH_POINTS = 8 };

typedef enum tooth_kind { INCISOR, CANINE, PREMOLAR, MOLAR } tooth_kind;

// Millimetres: along the arch, across it, and how long the crown is.
typedef struct tooth {
    tooth_kind kind;
    double width, depth, crown;
} tooth;

// From the middle backwards; sizes after Wheeler's tables of mean crowns.
static const tooth upper_row[ROW] = {
    {INCISOR, 8.5, 7.0, 10.0}, {INCISOR, 6.5, 6.0, 9.2},  {CANINE, 7.5, 7.8, 10.0},
    {PREMOLAR, 7.0, 8.6, 8.2}, {PREMOLAR, 6.8, 8.6, 7.9}, {MOLAR, 10.0, 10.4, 7.6},
    {MOLAR, 9.2, 10.4, 7.2},
};
static const tooth lower_row[ROW] = {
    {INCISOR, 5.2, 6.0, 9.0},  {INCISOR, 5.7, 6.2, 9.2},  {CANINE, 6.9, 7.6, 10.2},
    {PREMOLAR, 7.0, 7.6, 8.6}, {PREMOLAR, 7.1, 8.0, 8.4}, {MOLAR, 11.0, 9.8, 8.2},
    {MOLAR, 10.4, 9.6, 7.8},
};

// The arch in which the necks of the teeth stand: x, z.
static const double upper_arch[ARCH_POINTS][2] = {{0, 102.6},   {7, 101.8},   {13.4, 98.2},
                                                  {18.4, 91.4}, {21.6, 82.4}, {23.4, 72.4},
                                                  {24.2, 62},   {24.4, 52}};
static const double lower_arch[ARCH_POINTS][2] = {
    {0, 98.8}, {6, 98}, {11.8, 94.8}, {16.8, 88.6}, {20.4, 80}, {22.8, 70}, {24.6, 60}, {25.4, 50}};

// The plane in which molars meet, and how far front teeth reach past it.
static const double meeting = -33.4, free_way = 0.4;

// Rings from the root to the edge: height in crowns, width and depth in halves of the tooth's.
static const double rings[4][RINGS][3] = {
    [INCISOR] = {{-0.8, 0.34, 0.40},
                 {-0.12, 0.72, 0.88},
                 {0.12, 0.84, 0.96},
                 {0.5, 0.97, 0.76},
                 {0.85, 1.0, 0.42},
                 {0.985, 0.95, 0.22}},
    [CANINE] = {{-0.8, 0.36, 0.42},
                {-0.12, 0.76, 0.9},
                {0.15, 0.88, 1.0},
                {0.5, 1.0, 0.84},
                {0.78, 0.84, 0.5},
                {0.94, 0.42, 0.24}},
    [PREMOLAR] = {{-0.8, 0.40, 0.5},
                  {-0.12, 0.76, 0.84},
                  {0.15, 0.9, 0.96},
                  {0.5, 1.0, 1.0},
                  {0.82, 0.92, 0.84},
                  {0.98, 0.66, 0.58}},
    [MOLAR] = {{-0.8, 0.55, 0.55},
               {-0.12, 0.84, 0.84},
               {0.15, 0.94, 0.96},
               {0.5, 1.0, 1.0},
               {0.82, 0.94, 0.88},
               {0.98, 0.7, 0.62}},
};

// A point of the arch at a length from its middle, and the direction along it.
static sn_vec3 arch_at(const double (*arch)[2], double length, sn_vec3 *along) {
    int i = 0;
    double span = 0;
    for (; i + 2 < ARCH_POINTS; ++i) {
        double dx = arch[i + 1][0] - arch[i][0], dz = arch[i + 1][1] - arch[i][1];
        span = sqrt(dx * dx + dz * dz);
        if (length < span) {
            break;
        }
        length -= span;
    }
    // Tangents of a Catmull-Rom curve at both ends, the first one being level.
    double t = span > 0 ? length / span : 0;
    const double *p = arch[i > 0 ? i - 1 : 1], *a = arch[i], *b = arch[i + 1];
    const double *q = arch[i + 2 < ARCH_POINTS ? i + 2 : i + 1];
    double px = i > 0 ? p[0] : -p[0];
    sn_vec3 from = {a[0] - px, 0, a[1] - p[1]}, to = {q[0] - a[0], 0, q[1] - a[1]};
    *along = sn_vec3_normalize_or(sn_vec3_lerp(from, to, t), sn_vec3_make(1, 0, 0));
    double t2 = t * t, t3 = t2 * t;
    double h0 = 2 * t3 - 3 * t2 + 1, h1 = t3 - 2 * t2 + t, h2 = 3 * t2 - 2 * t3, h3 = t3 - t2;
    return sn_vec3_make(h0 * a[0] + h1 * 0.5 * from.x + h2 * b[0] + h3 * 0.5 * to.x, 0,
                        h0 * a[1] + h1 * 0.5 * from.z + h2 * b[1] + h3 * 0.5 * to.z);
}

// Where a tooth stands: its neck, and unit vectors along the arch, outwards and towards the edge.
typedef struct stand {
    sn_vec3 neck, along, out, edge;
} stand;

static stand stand_of(bool upper, double length, const tooth *t) {
    stand s;
    sn_vec3 at = arch_at(upper ? upper_arch : lower_arch, length, &s.along);
    bool front = t->kind <= CANINE;
    double tilt = front ? (upper ? 0.24 : 0.26) : upper ? 0.06 : -0.10;
    double past = t->kind == INCISOR ? (upper ? 1.4 : 0.6) : t->kind == CANINE ? 1.2 : 0;
    double end = meeting + (upper ? 0.5 * free_way - past : past - 0.5 * free_way);
    s.out = sn_vec3_cross(sn_vec3_make(0, -1, 0), s.along);
    sn_vec3 edge = {tilt * s.out.x, upper ? -1 : 1, tilt * s.out.z};
    s.edge = sn_vec3_normalize_or(edge, sn_vec3_make(0, 1, 0));
    s.out = scn_reject(s.out, s.edge);
    s.neck = sn_vec3_make(at.x, end + (upper ? t->crown : -t->crown) * fabs(s.edge.y), at.z);
    return s;
}

static sn_vec3 tooth_point(const stand *s, const tooth *t, double height, double x, double z) {
    sn_vec3 p = sn_vec3_add_scaled(s->neck, height * t->crown, s->edge);
    p = sn_vec3_add_scaled(p, 0.5 * t->width * x, s->along);
    return sn_vec3_add_scaled(p, 0.5 * t->depth * z, s->out);
}

// A section of a tooth is a square with round sides, x^4 + z^4 = 1.
static void section_point(int side, double *x, double *z) {
    scn_turn turn = scn_turn_from_deg(360.0 * side / SIDES + 15);
    double c = turn.cosine * turn.cosine, s = turn.sine * turn.sine;
    double r = 1 / sqrt(sqrt(c * c + s * s));
    *x = r * turn.cosine;
    *z = r * turn.sine;
}

// Closes the crown: an incisor with a flat edge, a canine with a point, others with cusps around a
// pit.
static void close_crown(scn_builder *b, const stand *s, const tooth *t, const uint32_t *last) {
    if (t->kind == INCISOR) {
        scn_builder_polygon(b, last, SIDES);
        return;
    }
    double pit = t->kind == CANINE ? 1.0 : 0.84;
    sn_vec3 middle = sn_vec3_scale(tooth_point(s, t, pit, 0, 0), SCN_MM);
    uint32_t point = scn_builder_vertex(b, middle, 0, 0);
    for (int i = 0; i < SIDES; ++i) {
        const uint32_t corners[3] = {last[i], last[(i + 1) % SIDES], point};
        scn_builder_polygon(b, corners, 3);
    }
}

// `turned`: the frame is left-handed, and rings run the other way.
static void add_tooth(scn_builder *b, const stand *s, const tooth *t, bool turned) {
    uint32_t last[SIDES], next[SIDES];
    for (int k = 0; k < RINGS; ++k) {
        const double *ring = rings[t->kind][k];
        for (int i = 0; i < SIDES; ++i) {
            double x, z;
            section_point(turned ? SIDES - 1 - i : i, &x, &z);
            bool cusp = k + 1 == RINGS && t->kind >= PREMOLAR;
            double height = ring[0] + (cusp ? 0.02 * (x * x * z * z > 0.3) : 0);
            sn_vec3 p = tooth_point(s, t, height, x * ring[1], z * ring[2]);
            next[i] = scn_builder_vertex(b, sn_vec3_scale(p, SCN_MM), (uint32_t)(k < 1), 0);
        }
        if (k == 0) {
            uint32_t root[SIDES];
            for (int i = 0; i < SIDES; ++i) {
                root[i] = next[SIDES - 1 - i];
            }
            scn_builder_polygon(b, root, SIDES);
        } else {
            scn_builder_join(b, last, next, SIDES);
        }
        for (int i = 0; i < SIDES; ++i) {
            last[i] = next[i];
        }
    }
    close_crown(b, s, t, last);
}

static void mirror_stand(stand *s) {
    s->neck.x = -s->neck.x;
    s->along.x = -s->along.x;
    s->out.x = -s->out.x;
    s->edge.x = -s->edge.x;
}

sn_status scn_head_teeth(sn_context *context, bool upper, sn_mesh **mesh, sn_error *error) {
    const tooth *row = upper ? upper_row : lower_row;
    scn_builder b;
    scn_builder_init(&b);
    double length = 0;
    for (int i = 0; i < ROW; ++i) {
        stand s = stand_of(upper, length + 0.5 * row[i].width, &row[i]);
        add_tooth(&b, &s, &row[i], !upper);
        mirror_stand(&s);
        add_tooth(&b, &s, &row[i], upper);
        length += row[i].width + 0.1;
    }
    sn_status status =
        scn_builder_finish(&b, context, upper ? "upper teeth" : "lower teeth", mesh, error);
    if (status == SN_OK) {
        status = scn_paint(*mesh, "teeth", 0.72f, 0.66f, 0.54f, 0.2f, error);
    }
    if (status == SN_OK) {
        (*mesh)->materials[0].has_color = true;
    }
    scn_builder_deinit(&b);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Tongue

sn_status scn_head_tongue(sn_context *context, sn_mesh **mesh, sn_error *error) {
    static const scn_frame frame = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const scn_part parts[] = {
        {"body",
         SCN_ADD,
         0,
         0,
         SCN_ACROSS_X,
         0,
         4,
         5,
         {{0, -42, 60, 11, 7},
          {0, -37, 69, 15, 8},
          {0, -36, 79, 15, 7},
          {0, -37.5, 88, 12.5, 5},
          {0, -38.5, 93, 9, 3}}},
        {"furrow",
         SCN_CUT,
         0,
         0,
         SCN_ACROSS_X,
         0,
         5,
         2,
         {{0, -26.5, 66, 2, 3}, {0, -29.5, 88, 2, 3}}},
    };
    scn_field *field = scn_field_create(parts, 2, &frame, 4, 4);
    scn_builder b;
    uint32_t *mirror = NULL;
    scn_builder_init(&b);
    sn_status status = field != NULL && scn_field_mesh_mirrored(field, 0.0022, &b, &mirror)
                           ? SN_OK
                           : scn_fail_memory(error);
    if (status == SN_OK) {
        status = scn_builder_finish(&b, context, "tongue", mesh, error);
    }
    if (status == SN_OK) {
        status = scn_paint(*mesh, "tongue", 0.46f, 0.16f, 0.14f, 0.3f, error);
    }
    if (status == SN_OK) {
        (*mesh)->materials[0].has_color = true;
    }
    free(mirror);
    scn_builder_deinit(&b);
    scn_field_destroy(field);
    return status;
}
