// SPDX-License-Identifier: Apache-2.0
//
// The arm's skin: rings of quads around a middle line from the chest to the roots of the fingers,
// wrapped on the field of arm_muscles.c.
//
//      cap 12 x 11        rings of 46                         end of the palm, 19 x 4 quads:
//     (all quads)   |  |  |  |  |  | ... |  |  |             4 for each finger, 1 for each web
//                   chest            thumb: a window         +----+-+----+-+----+-+----+
//                                    of 4 x 6 quads          |inde| |midd| |ring| |litt|
//                                    in the palm's side      +----+-+----+-+----+-+----+
//
// A finger is a tube that grows out of its 16 border edges and ends in 4 x 4 quads, the thumb one
// out of 20. The mesh has quads only; the vertices at the corners of the windows and caps are the
// only ones with other than four edges.
#include "scenes/arm_shape.h"

#include <stdlib.h>

enum {
    AROUND = 46,
    PALM_COLUMNS = 19,
    PALM_ROWS = 4, // 2 * (19 + 4) = 46
    CAP_COLUMNS = 12,
    CAP_ROWS = 11,
    FINGER_COLUMNS = 4,
    FINGER_LOOP = 2 * (FINGER_COLUMNS + PALM_ROWS),
    THUMB_COLUMNS = 4,
    THUMB_ROWS = 6,
    THUMB_LOOP = 2 * (THUMB_COLUMNS + THUMB_ROWS),
    PALM_CORNER = 2,  // ring index of the palm end's first corner: palm, thumb side
    THUMB_FIRST = 45, // ring index of the thumb window's first column
    RAYS = 2 * AROUND,
    LOOP_MAX = 24,
    NAIL_COLUMNS = 4,
    NAIL_ROWS = 3,
    NAIL_LOOP = 2 * (NAIL_COLUMNS + NAIL_ROWS),
    RINGS_MAX = 160,
};

static const int relax_rounds = 14;

// ---------------------------------------------------------------------------------------------
// The middle line

// A place on the middle line and how many rings lie from there to the next. `turn` tilts the ring:
// in the girdle's frame from vertical towards the arm's, in the hand's towards the line of the
// webs.
typedef struct path_key {
    double along_mm;
    scn_arm_frame frame;
    sn_vec3 center_mm;
    double turn_deg;
    double spread_mm; // rays start on a line this long to both sides, for flat sections
    uint32_t rings;
} path_key;

static const path_key path[] = {
    {-62, SCN_ARM_GIRDLE, {-47, -4, -2}, 0, 0, 4}, {-30, SCN_ARM_GIRDLE, {-22, -7, -1}, 9, 0, 5},
    {15, SCN_ARM_UPPER, {2, 14, 0}, -15, 0, 5},    {60, SCN_ARM_UPPER, {3, 60, 0}, -3, 0, 5},
    {95, SCN_ARM_UPPER, {1, 95, 0}, 0, 0, 25},     {275, SCN_ARM_UPPER, {0, 275, -2}, 0, 0, 10},
    {345, SCN_ARM_FORE, {0, 35, -1}, 0, 0, 20},    {470, SCN_ARM_FORE, {0, 160, 0}, 0, 4, 21},
    {575, SCN_ARM_HAND, {0, 0, 0}, 0, 9, 6},       {603, SCN_ARM_HAND, {-2, 28, 2}, 0, 14, 16},
    {677, SCN_ARM_HAND, {-4, 104, -3}, 8, 28, 0},
};
enum { PATH_COUNT = sizeof path / sizeof *path };

typedef struct ring {
    sn_vec3 center, front, back_of_hand; // unit axes of its plane
    double spread, along;
} ring;

// Turns two axes in their plane.
static void turn_axes(sn_vec3 *from, sn_vec3 *to, double degrees) {
    scn_turn t = scn_turn_from_deg(degrees);
    sn_vec3 a = *from, b = *to;
    *from = sn_vec3_add(sn_vec3_scale(a, t.cosine), sn_vec3_scale(b, t.sine));
    *to = sn_vec3_add(sn_vec3_scale(b, t.cosine), sn_vec3_scale(a, -t.sine));
}

static ring key_ring(const scn_arm *arm, const path_key *key) {
    const scn_frame *f = &arm->frames[key->frame];
    bool girdle = key->frame == SCN_ARM_GIRDLE;
    sn_vec3 front = f->z, side = girdle ? f->y : f->x, along = girdle ? f->x : f->y;
    if (key->frame == SCN_ARM_HAND) {
        turn_axes(&front, &along, key->turn_deg);
    } else {
        turn_axes(&side, &along, key->turn_deg);
    }
    sn_vec3 center = scn_frame_point(f, sn_vec3_scale(key->center_mm, SCN_MM));
    return (ring){center, front, side, key->spread_mm * SCN_MM, key->along_mm * SCN_MM};
}

static double hermite(double p, double q, double r, double s, double t) {
    double m = 0.5 * (r - p), n = 0.5 * (s - q), u = 1 - t;
    return u * u * (1 + 2 * t) * q + t * u * u * m + t * t * (3 - 2 * t) * r - t * t * u * n;
}

static ring ring_between(const ring *keys, uint32_t span, double t) {
    const ring *q = &keys[span], *r = q + 1;
    const ring *p = span > 0 ? q - 1 : q, *s = span + 2 < PATH_COUNT ? r + 1 : r;
    ring made;
    made.center.x = hermite(p->center.x, q->center.x, r->center.x, s->center.x, t);
    made.center.y = hermite(p->center.y, q->center.y, r->center.y, s->center.y, t);
    made.center.z = hermite(p->center.z, q->center.z, r->center.z, s->center.z, t);
    made.front = sn_vec3_normalize_or(sn_vec3_lerp(q->front, r->front, t), q->front);
    made.back_of_hand = scn_reject(sn_vec3_lerp(q->back_of_hand, r->back_of_hand, t), made.front);
    made.spread = q->spread + t * (r->spread - q->spread);
    made.along = q->along + t * (r->along - q->along);
    return made;
}

static uint32_t make_rings(const scn_arm *arm, ring *rings) {
    ring keys[PATH_COUNT];
    for (uint32_t i = 0; i < PATH_COUNT; ++i) {
        keys[i] = key_ring(arm, &path[i]);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < PATH_COUNT; ++i) {
        for (uint32_t k = 0; k < path[i].rings; ++k) {
            rings[count++] = ring_between(keys, i, (double)k / path[i].rings);
        }
    }
    rings[count++] = keys[PATH_COUNT - 1];
    return count;
}

// ---------------------------------------------------------------------------------------------
// Wrapping

// The part of a fingertip that becomes its nail: rows from the root of the nail to its edge.
typedef struct nail {
    uint32_t vertices[NAIL_ROWS + 1][NAIL_COLUMNS + 1];
    uint32_t quads[NAIL_ROWS][NAIL_COLUMNS];
} nail;

typedef struct skin {
    const scn_arm *arm;
    const scn_field *field;
    scn_builder builder;
    uint32_t ring_count;
    uint32_t loops[RINGS_MAX][AROUND]; // vertices of each ring, from the front over the palm's side
    nail nails[SCN_ARM_FINGERS];
} skin;

// Points at equal distances on the front and on the back half of a closed line of RAYS points: the
// columns of quads then stay on their side where one half is longer.
static void resample(const sn_vec3 *points, sn_vec3 *even) {
    for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t rays = RAYS / 2, first = half * rays;
        double lengths[RAYS / 2 + 1] = {0};
        for (uint32_t i = 0; i < rays; ++i) {
            lengths[i + 1] =
                lengths[i] + sn_vec3_distance(points[first + i], points[(first + i + 1) % RAYS]);
        }
        uint32_t at = 0;
        for (uint32_t k = 0; k < AROUND / 2; ++k) {
            double wanted = lengths[rays] * k / (AROUND / 2);
            while (at + 1 < rays && lengths[at + 1] < wanted) {
                at += 1;
            }
            double span = lengths[at + 1] - lengths[at];
            double t = span > 0 ? (wanted - lengths[at]) / span : 0;
            even[half * (AROUND / 2) + k] =
                sn_vec3_lerp(points[first + at], points[(first + at + 1) % RAYS], t);
        }
    }
}

static void wrap_ring(skin *s, const ring *r, uint32_t index) {
    const uint32_t without_thumb = SCN_ALL_GROUPS & ~2u;
    sn_vec3 points[RAYS], even[AROUND];
    for (uint32_t i = 0; i < RAYS; ++i) {
        scn_turn t = scn_turn_from_deg(360.0 * i / RAYS);
        sn_vec3 origin = sn_vec3_add_scaled(r->center, r->spread * t.cosine, r->front);
        sn_vec3 direction = sn_vec3_scale(r->front, t.cosine);
        direction = sn_vec3_add_scaled(direction, -t.sine, r->back_of_hand);
        points[i] = scn_field_cast(s->field, origin, direction, 0.15, without_thumb);
    }
    resample(points, even);
    for (uint32_t k = 0; k < AROUND; ++k) {
        s->loops[index][k] = scn_builder_vertex(&s->builder, even[k], 0, r->along);
    }
}

// Whether the quad between rings r and r + 1 from index k on lies in the thumb's window.
static bool in_thumb_window(uint32_t r, uint32_t k, uint32_t first_ring) {
    uint32_t column = (k + AROUND - THUMB_FIRST) % AROUND;
    return r >= first_ring && r < first_ring + THUMB_ROWS && column < THUMB_COLUMNS;
}

static void wrap_arm(skin *s, uint32_t thumb_ring) {
    ring rings[RINGS_MAX];
    s->ring_count = make_rings(s->arm, rings);
    for (uint32_t i = 0; i < s->ring_count; ++i) {
        wrap_ring(s, &rings[i], i);
    }
    for (uint32_t r = 0; r + 1 < s->ring_count; ++r) {
        const uint32_t *from = s->loops[r], *to = s->loops[r + 1];
        for (uint32_t k = 0; k < AROUND; ++k) {
            uint32_t next = (k + 1) % AROUND;
            if (!in_thumb_window(r, k, thumb_ring)) {
                scn_builder_quad(&s->builder, from[k], from[next], to[next], to[k]);
            }
        }
    }
    // Seen from the chest the first ring runs the other way round.
    uint32_t loop[AROUND];
    for (uint32_t k = 0; k < AROUND; ++k) {
        loop[k] = s->loops[0][(AROUND + 6 - k) % AROUND];
    }
    scn_builder_cap(&s->builder, loop, CAP_COLUMNS, CAP_ROWS, 0, rings[0].along, NULL);
}

// ---------------------------------------------------------------------------------------------
// Fingers

// A point on the finger's bones at `distance` from its first joint, and the directions there.
static void finger_place(const scn_arm_finger *finger, double distance, sn_vec3 *point,
                         sn_vec3 *along, sn_vec3 *dorsal) {
    const double bend = 0.008; // directions turn over this length on both sides of a joint
    sn_vec3 directions[3];
    double starts[4] = {0};
    for (int k = 0; k < 3; ++k) {
        sn_vec3 bone = sn_vec3_sub(finger->joints[k + 1], finger->joints[k]);
        starts[k + 1] = starts[k] + sn_vec3_length(bone);
        directions[k] = sn_vec3_normalize_or(bone, finger->dorsal[k]);
    }
    int k = distance < starts[1] ? 0 : distance < starts[2] ? 1 : 2;
    *point = sn_vec3_add_scaled(finger->joints[k], distance - starts[k], directions[k]);
    double first = scn_smooth_step(starts[1] - bend, starts[1] + bend, distance);
    double second = scn_smooth_step(starts[2] - bend, starts[2] + bend, distance);
    *along = sn_vec3_lerp(directions[0], directions[1], first);
    *along = sn_vec3_lerp(*along, directions[2], second);
    *along = sn_vec3_normalize_or(*along, directions[k]);
    *dorsal = sn_vec3_lerp(finger->dorsal[0], finger->dorsal[1], first);
    *dorsal = scn_reject(sn_vec3_lerp(*dorsal, finger->dorsal[2], second), *along);
}

static double finger_length(const scn_arm_finger *finger) {
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        length += sn_vec3_distance(finger->joints[k], finger->joints[k + 1]);
    }
    return length;
}

// One loop around the finger. Loops start in the middle of the first side's corner: the palm's side
// for fingers, the nail's for the thumb.
static void wrap_finger_loop(skin *s, uint32_t f, double distance, uint32_t columns, uint32_t rows,
                             uint32_t *loop) {
    sn_vec3 center, along, dorsal;
    const scn_arm_finger *finger = &s->arm->fingers[f];
    finger_place(finger, distance, &center, &along, &dorsal);
    center = sn_vec3_add_scaled(center, -0.08 * finger->thickness, dorsal);
    sn_vec3 second = f == 0 ? dorsal : sn_vec3_scale(dorsal, -1);
    sn_vec3 first = sn_vec3_cross(second, along);
    uint32_t count = 2 * (columns + rows);
    double step = 360.0 / count, start = 90 - step * columns / 2;
    for (uint32_t j = 0; j < count; ++j) {
        scn_turn t = scn_turn_from_deg(start + step * j);
        sn_vec3 direction = sn_vec3_scale(first, t.cosine);
        direction = sn_vec3_add_scaled(direction, t.sine, second);
        sn_vec3 point = scn_field_cast(s->field, center, direction, 0.03, 2u << f);
        loop[j] = scn_builder_vertex(&s->builder, point, 1 + f, distance);
    }
}

static void close_finger(skin *s, uint32_t f, const uint32_t *loop, uint32_t columns, uint32_t rows,
                         double length) {
    uint32_t inner[LOOP_MAX], inner_count = (columns - 1) * (rows - 1);
    const scn_arm_finger *finger = &s->arm->fingers[f];
    sn_vec3 center, along, dorsal;
    finger_place(finger, length, &center, &along, &dorsal);
    scn_builder_cap(&s->builder, loop, columns, rows, 1 + f, length, inner);
    for (uint32_t i = 0; i < inner_count && !s->builder.failed; ++i) {
        sn_vec3 *p = &s->builder.vertices[inner[i]].position;
        *p = scn_field_cast(s->field, *p, along, 0.02, 2u << f);
    }
}

// Remembers the row of a nail that lies on a loop, and the quads between it and the next.
static void note_nail(skin *s, uint32_t f, const uint32_t *loop, uint32_t row,
                      uint32_t first_quad) {
    // Loops of the thumb start on the nail's side, those of the fingers on the other.
    uint32_t first = f == 0 ? 0 : FINGER_COLUMNS + PALM_ROWS;
    for (uint32_t i = 0; i <= NAIL_COLUMNS; ++i) {
        s->nails[f].vertices[row][i] = loop[first + i];
        if (row < NAIL_ROWS && i < NAIL_COLUMNS) {
            s->nails[f].quads[row][i] = first_quad + first + i;
        }
    }
}

// Rings from the distance `first` on the finger's bones to its tip, beginning at a border loop.
static void wrap_finger(skin *s, uint32_t f, const uint32_t *border, uint32_t columns,
                        uint32_t rows, double first, double ring_size) {
    uint32_t loops[2][LOOP_MAX] = {{0}}, count = 2 * (columns + rows);
    const scn_arm_finger *finger = &s->arm->fingers[f];
    double length = finger_length(finger), last = length - 0.25 * finger->thickness;
    uint32_t rings = (uint32_t)((last - first) / ring_size + 0.5);
    const uint32_t *from = border;
    for (uint32_t i = 0; i <= rings; ++i) {
        uint32_t *to = loops[i % 2];
        wrap_finger_loop(s, f, first + (last - first) * i / rings, columns, rows, to);
        scn_builder_join(&s->builder, from, to, count);
        if (i + NAIL_ROWS + 1 >= rings && i < rings) {
            note_nail(s, f, to, i + NAIL_ROWS + 1 - rings, s->builder.quad_count);
        }
        from = to;
    }
    close_finger(s, f, from, columns, rows, length);
}

// Where a vertex of the nail's grid goes: under the skin at the root and the sides, a little above
// it in the middle and at the edge, which ends in a step.
static sn_vec3 nail_point(const skin *s, uint32_t f, uint32_t i, uint32_t j) {
    const scn_segment *bone = &s->arm->segments[SCN_ARM_THUMB + 3 * f + 2];
    const uint32_t *row = s->nails[f].vertices[j];
    double size = s->arm->fingers[f].thickness;
    bool side = i == 0 || i == NAIL_COLUMNS, root = j == 0, edge = j == NAIL_ROWS;
    double lift = edge ? 0.045 : root || side ? -0.04 : 0.015;
    double forward = root ? 0.09 : edge ? -0.07 : 0;
    sn_vec3 p = s->builder.vertices[row[i]].position;
    sn_vec3 normal = scn_field_gradient(s->field, p, SCN_ALL_GROUPS);
    normal = sn_vec3_normalize_or(normal, bone->rest.z);
    sn_vec3 middle = s->builder.vertices[row[NAIL_COLUMNS / 2]].position;
    p = sn_vec3_lerp(p, middle, side ? 0.13 : 0.04);
    p = sn_vec3_add_scaled(p, forward * size, bone->rest.y);
    return sn_vec3_add_scaled(p, lift * size, normal);
}

// Lets the nail's quads stand on vertices of their own, and joins plate and skin by a narrow fold.
static void make_nail(skin *s, uint32_t f) {
    nail *n = &s->nails[f];
    uint32_t plate[NAIL_ROWS + 1][NAIL_COLUMNS + 1];
    for (uint32_t j = 0; j <= NAIL_ROWS; ++j) {
        for (uint32_t i = 0; i <= NAIL_COLUMNS && !s->builder.failed; ++i) {
            scn_vertex old = s->builder.vertices[n->vertices[j][i]];
            plate[j][i] =
                scn_builder_vertex(&s->builder, nail_point(s, f, i, j), old.tag, old.along);
        }
    }
    if (s->builder.failed) {
        return;
    }
    for (uint32_t j = 0; j < NAIL_ROWS; ++j) {
        for (uint32_t i = 0; i < NAIL_COLUMNS; ++i) {
            uint32_t *quad = s->builder.quads[n->quads[j][i]];
            quad[0] = plate[j][i];
            quad[1] = plate[j][i + 1];
            quad[2] = plate[j + 1][i + 1];
            quad[3] = plate[j + 1][i];
        }
    }
    uint32_t outer[NAIL_LOOP], inner[NAIL_LOOP];
    for (uint32_t k = 0; k < NAIL_LOOP; ++k) {
        uint32_t i, j;
        scn_grid_border(NAIL_COLUMNS, NAIL_ROWS, k, &i, &j);
        outer[k] = n->vertices[j][i];
        inner[k] = plate[j][i];
    }
    scn_builder_join(&s->builder, outer, inner, NAIL_LOOP);
}

// ---------------------------------------------------------------------------------------------
// The end of the palm

typedef struct palm_end {
    uint32_t grid[PALM_ROWS + 1][PALM_COLUMNS + 1]; // SN_NONE inside the fingers' windows
} palm_end;

// A vertex of a web: from between the fingers' roots outward along the hand.
static uint32_t web_vertex(skin *s, uint32_t palm, uint32_t back, double t) {
    const scn_vertex *v = s->builder.vertices;
    const scn_frame *hand = &s->arm->frames[SCN_ARM_HAND];
    double along = v[palm].along;
    sn_vec3 start = sn_vec3_lerp(v[palm].position, v[back].position, t);
    start = sn_vec3_add_scaled(start, -0.010, hand->y);
    sn_vec3 point = scn_field_cast(s->field, start, hand->y, 0.04, SCN_ALL_GROUPS);
    return scn_builder_vertex(&s->builder, point, 0, along);
}

static void make_palm_end(skin *s, palm_end *end) {
    const uint32_t *last = s->loops[s->ring_count - 1];
    for (uint32_t i = 0; i <= PALM_COLUMNS; ++i) {
        uint32_t palm = last[(PALM_CORNER + i) % AROUND];
        uint32_t back = last[(PALM_CORNER + 2 * PALM_COLUMNS + PALM_ROWS - i) % AROUND];
        end->grid[0][i] = palm;
        end->grid[PALM_ROWS][i] = back;
        for (uint32_t j = 1; j < PALM_ROWS; ++j) {
            uint32_t column = i % (FINGER_COLUMNS + 1);
            if (i == 0) {
                end->grid[j][i] = last[(PALM_CORNER + AROUND - j) % AROUND];
            } else if (i == PALM_COLUMNS) {
                end->grid[j][i] = last[(PALM_CORNER + PALM_COLUMNS + j) % AROUND];
            } else if (column == 0 || column == FINGER_COLUMNS) {
                end->grid[j][i] = web_vertex(s, palm, back, (double)j / PALM_ROWS);
            } else {
                end->grid[j][i] = SN_NONE;
            }
        }
    }
}

static void make_webs(skin *s, const palm_end *end) {
    for (uint32_t i = FINGER_COLUMNS; i < PALM_COLUMNS; i += FINGER_COLUMNS + 1) {
        for (uint32_t j = 0; j < PALM_ROWS; ++j) {
            scn_builder_quad(&s->builder, end->grid[j][i], end->grid[j][i + 1],
                             end->grid[j + 1][i + 1], end->grid[j + 1][i]);
        }
    }
}

// Distances from the knuckles to the first free ring of index, middle, ring and little finger.
static const double finger_first[4] = {0.025, 0.026, 0.0255, 0.022};
static const double finger_ring_size = 0.0040;

static void wrap_fingers(skin *s, const palm_end *end) {
    for (uint32_t f = 0; f < 4; ++f) {
        uint32_t border[FINGER_LOOP];
        for (uint32_t k = 0; k < FINGER_LOOP; ++k) {
            uint32_t i, j;
            scn_grid_border(FINGER_COLUMNS, PALM_ROWS, k, &i, &j);
            border[k] = end->grid[j][f * (FINGER_COLUMNS + 1) + i];
        }
        wrap_finger(s, f + 1, border, FINGER_COLUMNS, PALM_ROWS, finger_first[f], finger_ring_size);
    }
}

static void wrap_thumb(skin *s, uint32_t ring_index, uint32_t *border) {
    for (uint32_t k = 0; k < THUMB_LOOP; ++k) {
        uint32_t i, j;
        scn_grid_border(THUMB_COLUMNS, THUMB_ROWS, k, &i, &j);
        border[k] = s->loops[ring_index + j][(THUMB_FIRST + i) % AROUND];
    }
    wrap_finger(s, 0, border, THUMB_COLUMNS, THUMB_ROWS, 0.050, 0.0042);
}

// ---------------------------------------------------------------------------------------------

// Draws the vertices up to `depth` edges away from the seeds into a smooth patch between those
// farther away, as a membrane would: takes out the folds where tubes meet.
static bool soften(skin *s, const uint32_t *seeds, uint32_t seed_count, uint32_t depth,
                   int rounds) {
    uint32_t *offsets = NULL, *neighbours = NULL, count = s->builder.vertex_count, used = 0;
    uint32_t *list = malloc((count + 1) * sizeof *list);
    uint8_t *marks = calloc(count + 1, 1);
    scn_vertex *v = s->builder.vertices;
    bool ok =
        list != NULL && marks != NULL && scn_builder_neighbours(&s->builder, &offsets, &neighbours);
    for (uint32_t i = 0; ok && i < seed_count; ++i) {
        marks[seeds[i]] = 1;
        list[used++] = seeds[i];
    }
    for (uint32_t level = 0, begin = 0; ok && level < depth; ++level) {
        uint32_t end = used;
        for (; begin < end; ++begin) {
            for (uint32_t n = offsets[list[begin]]; n < offsets[list[begin] + 1]; ++n) {
                if (marks[neighbours[n]] == 0) {
                    marks[neighbours[n]] = 1;
                    list[used++] = neighbours[n];
                }
            }
        }
    }
    for (int round = 0; ok && round < rounds; ++round) {
        for (uint32_t i = 0; i < used; ++i) {
            sn_vec3 sum = {0, 0, 0};
            for (uint32_t n = offsets[list[i]]; n < offsets[list[i] + 1]; ++n) {
                sum = sn_vec3_add(sum, v[neighbours[n]].position);
            }
            v[list[i]].position =
                sn_vec3_scale(sum, 1.0 / (offsets[list[i] + 1] - offsets[list[i]]));
        }
    }
    free(list);
    free(marks);
    free(offsets);
    free(neighbours);
    return ok;
}

static sn_status wrap_skin(skin *s, sn_context *context, sn_mesh **mesh, sn_error *error) {
    enum { THUMB_RING = 102 };
    palm_end end;
    wrap_arm(s, THUMB_RING);
    if (s->builder.failed) {
        return scn_fail_memory(error);
    }
    make_palm_end(s, &end);
    make_webs(s, &end);
    wrap_fingers(s, &end);
    uint32_t thumb_border[THUMB_LOOP];
    wrap_thumb(s, THUMB_RING, thumb_border);
    if (s->builder.failed || !soften(s, thumb_border, THUMB_LOOP, 3, 40) ||
        !scn_field_relax(s->field, &s->builder, relax_rounds)) {
        return scn_fail_memory(error);
    }
    for (uint32_t f = 0; f < SCN_ARM_FINGERS; ++f) {
        make_nail(s, f);
    }
    scn_builder_compact(&s->builder);
    sn_status status = scn_builder_finish(&s->builder, context, "skin", mesh, error);
    if (status == SN_OK) {
        status = scn_arm_weights(s->arm, &s->builder, *mesh, error);
    }
    return status;
}

sn_status scn_arm_skin(sn_context *context, const scn_arm *arm, sn_mesh **mesh, sn_error *error) {
    *mesh = NULL;
    skin *s = malloc(sizeof *s);
    scn_field *field = scn_arm_skin_field(arm);
    sn_status status;
    if (s == NULL || field == NULL) {
        status = scn_fail_memory(error);
    } else {
        s->arm = arm;
        s->field = field;
        scn_builder_init(&s->builder);
        status = wrap_skin(s, context, mesh, error);
        scn_builder_deinit(&s->builder);
    }
    if (status != SN_OK) {
        sn_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    scn_field_destroy(field);
    free(s);
    return status;
}
