// SPDX-License-Identifier: Apache-2.0
//
// Fields from chains of ellipses. The distance of one part is Quilez's first-order bound for
// ellipsoids, d = k0 (k0 - 1) / k1 with k0 = |(u/a, v/b, w/c)| and k1 = |(u/a^2, v/b^2, w/c^2)|,
// taken in the section of the chain nearest to the point (w is not zero beyond the ends only).
// Unions are the cubic smooth minimum min(d, e) - h^3 k / 6, h = max(k - |d - e|, 0) / k, which is
// twice differentiable; where |d - e| >= k it is exactly the minimum, so that parts farther away
// than that can be left out.
#include "scenes/modeller.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Samples of the Catmull-Rom curve between two stations: fine enough that a chain shows no corners.
#define SAMPLES_PER_SPAN 5
#define SAMPLES_MAX (SCN_STATIONS_MAX * SAMPLES_PER_SPAN)

// Values matter up to this distance from a part, in metres; beyond they only say "outside".
#define VALUE_REACH 0.02
// Distances are approximate, so that boxes around parts are trusted with a margin only.
#define BOUND_MARGIN 1.5

typedef struct sample {
    sn_vec3 center;
    sn_vec3 side;    // unit, the direction of `a`
    sn_vec3 tangent; // of the segment to the next sample
    double length;   // of that segment
    double a, b;
} sample;

typedef struct chain {
    scn_op op;
    uint32_t group;
    double blend;
    sn_vec3 low, high; // box around it
    uint32_t count;
    sample *samples;
} chain;

struct scn_field {
    uint32_t count;
    chain *chains;
    sample *samples;
    uint32_t group_count;
    double join, apart;
};

// ---------------------------------------------------------------------------------------------
// Making chains

// End stations are doubled, so that the curve starts and ends in them.
static scn_station station_at(const scn_part *part, uint32_t span, double t) {
    const scn_station *s = part->stations;
    const scn_station *q = &s[span], *r = &s[span + 1];
    const scn_station *p = span > 0 ? q - 1 : q, *z = span + 2 < part->count ? r + 1 : r;
    return (scn_station){
        scn_catmull_rom(p->x, q->x, r->x, z->x, t), scn_catmull_rom(p->y, q->y, r->y, z->y, t),
        scn_catmull_rom(p->z, q->z, r->z, z->z, t), scn_catmull_rom(p->a, q->a, r->a, z->a, t),
        scn_catmull_rom(p->b, q->b, r->b, z->b, t),
    };
}

static void set_sample(sample *made, scn_station station, const scn_frame *frame) {
    sn_vec3 point = {station.x * SCN_MM, station.y * SCN_MM, station.z * SCN_MM};
    made->center = scn_frame_point(frame, point);
    made->a = station.a * SCN_MM;
    made->b = station.b * SCN_MM;
}

static void orient_samples(chain *made, const scn_part *part, const scn_frame *frame) {
    sn_vec3 across = part->across == SCN_ACROSS_X   ? frame->x
                     : part->across == SCN_ACROSS_Y ? frame->y
                                                    : frame->z;
    scn_turn roll = scn_turn_from_deg(part->roll_deg);
    for (uint32_t i = 0; i < made->count; ++i) {
        sample *s = &made->samples[i];
        uint32_t last = made->count - 1;
        sn_vec3 step = made->count == 1 ? sn_vec3_perpendicular(across)
                       : i < last       ? sn_vec3_sub(s[1].center, s[0].center)
                                        : sn_vec3_sub(s[0].center, s[-1].center);
        s->length = i < last ? sn_vec3_length(step) : 0;
        s->tangent = sn_vec3_normalize_or(step, sn_vec3_perpendicular(across));
        sn_vec3 side = scn_reject(across, s->tangent);
        sn_vec3 other = sn_vec3_cross(s->tangent, side);
        s->side = sn_vec3_add(sn_vec3_scale(side, roll.cosine), sn_vec3_scale(other, roll.sine));
    }
}

static void bound_chain(chain *made) {
    for (uint32_t i = 0; i < made->count; ++i) {
        const sample *s = &made->samples[i];
        double r = fmax(s->a, s->b);
        sn_vec3 reach = {r, r, r};
        sn_vec3 low = sn_vec3_sub(s->center, reach), high = sn_vec3_add(s->center, reach);
        made->low = i == 0 ? low : sn_vec3_min(made->low, low);
        made->high = i == 0 ? high : sn_vec3_max(made->high, high);
    }
}

static void make_chain(chain *made, const scn_part *part, const scn_frame *frame) {
    made->op = part->op;
    made->group = part->group;
    made->blend = part->blend_mm * SCN_MM;
    made->count = 0;
    bool straight = part->op == SCN_SLICE;
    for (uint32_t span = 0; span + 1 < part->count; ++span) {
        for (uint32_t k = 0; k < (straight ? 1 : SAMPLES_PER_SPAN); ++k) {
            scn_station at = station_at(part, span, (double)k / SAMPLES_PER_SPAN);
            set_sample(&made->samples[made->count++], at, frame);
        }
    }
    set_sample(&made->samples[made->count++], part->stations[part->count - 1], frame);
    orient_samples(made, part, frame);
    bound_chain(made);
}

scn_field *scn_field_create(const scn_part *parts, uint32_t count, const scn_frame *frames,
                            double join_mm, double apart_mm) {
    scn_field *field = calloc(1, sizeof *field);
    chain *chains = calloc(count, sizeof *chains);
    sample *samples = calloc((size_t)count * SAMPLES_MAX, sizeof *samples);
    if (field == NULL || chains == NULL || samples == NULL) {
        free(field);
        free(chains);
        free(samples);
        return NULL;
    }
    *field = (scn_field){count, chains, samples, 1, join_mm * SCN_MM, apart_mm * SCN_MM};
    for (uint32_t i = 0; i < count; ++i) {
        chains[i].samples = samples + (size_t)i * SAMPLES_MAX;
        make_chain(&chains[i], &parts[i], &frames[parts[i].frame]);
        if (parts[i].group >= field->group_count) {
            field->group_count = parts[i].group + 1;
        }
    }
    return field;
}

void scn_field_destroy(scn_field *field) {
    if (field != NULL) {
        free(field->chains);
        free(field->samples);
        free(field);
    }
}

// ---------------------------------------------------------------------------------------------
// Values

// A value of a field and, where it is asked for, its gradient.
typedef struct jet {
    double value;
    sn_vec3 gradient;
} jet;

static jet negated(jet a) {
    return (jet){-a.value, sn_vec3_scale(a.gradient, -1)};
}

// With d the smaller one, the derivatives are 1 - h^2 / 2 by d and h^2 / 2 by e.
static jet smooth_min(jet d, jet e, double k) {
    jet least = d.value < e.value ? d : e, other = d.value < e.value ? e : d;
    double gap = other.value - least.value;
    if (gap >= k) {
        return least;
    }
    double h = (k - gap) / k;
    return (jet){least.value - h * h * h * k * (1 / 6.0),
                 sn_vec3_lerp(least.gradient, other.gradient, 0.5 * h * h)};
}

// The segment of the chain nearest to the point, and where on it.
static uint32_t nearest_segment(const chain *c, sn_vec3 p, double *where) {
    uint32_t best = 0;
    double best_square = INFINITY;
    *where = 0;
    for (uint32_t i = 0; i + 1 < c->count; ++i) {
        const sample *s = &c->samples[i];
        sn_vec3 w = sn_vec3_sub(p, s->center);
        double t = sn_vec3_dot(w, s->tangent);
        t = t < 0 ? 0 : t > s->length ? s->length : t;
        sn_vec3 off = sn_vec3_add_scaled(w, -t, s->tangent);
        double square = sn_vec3_dot(off, off);
        if (square < best_square) {
            best_square = square;
            best = i;
            *where = s->length > 0 ? t / s->length : 0;
        }
    }
    return best;
}

// Distance in a section, and its gradient: across the section that of the ellipse, along the chain
// less the growth of the radius.
static jet chain_distance(const chain *c, sn_vec3 p) {
    double t;
    uint32_t i = nearest_segment(c, p, &t);
    const sample *s = &c->samples[i], *next = c->count > 1 ? s + 1 : s;
    double a = s->a + t * (next->a - s->a), b = s->b + t * (next->b - s->b);
    double cap = c->count > 1 && a < b ? a : b;
    sn_vec3 side = sn_vec3_lerp(s->side, next->side, t);
    sn_vec3 other = sn_vec3_cross(s->tangent, side);
    sn_vec3 w = sn_vec3_sub(p, sn_vec3_lerp(s->center, next->center, t));
    double u = sn_vec3_dot(w, side) / a, v = sn_vec3_dot(w, other) / b;
    double l = sn_vec3_dot(w, s->tangent) / cap;
    double square = u * u + v * v + l * l, k0 = sqrt(square);
    double k1 = sqrt(u * u / (a * a) + v * v / (b * b) + l * l / (cap * cap));
    if (!(k1 > 0)) {
        return (jet){-(a < b ? a : b), {0, 0, 0}};
    }
    double growth = 0;
    if (t > 0 && t < 1) {
        growth = ((next->a - s->a) * u * u + (next->b - s->b) * v * v) / (square * s->length);
    }
    sn_vec3 g = sn_vec3_scale(side, u / (a * k1));
    g = sn_vec3_add_scaled(g, v / (b * k1), other);
    g = sn_vec3_add_scaled(g, l / (cap * k1) - growth, s->tangent);
    return (jet){k0 * (k0 - 1) / k1, g};
}

static jet slice_distance(const chain *c, sn_vec3 p) {
    sn_vec3 normal = c->samples[0].tangent;
    return (jet){sn_vec3_dot(sn_vec3_sub(p, c->samples[0].center), normal), normal};
}

static double box_distance(const chain *c, sn_vec3 p) {
    double x = fmax(fmax(c->low.x - p.x, p.x - c->high.x), 0);
    double y = fmax(fmax(c->low.y - p.y, p.y - c->high.y), 0);
    double z = fmax(fmax(c->low.z - p.z, p.z - c->high.z), 0);
    return sqrt(x * x + y * y + z * z);
}

static jet apply_chain(const chain *c, jet so_far, sn_vec3 p) {
    if (c->op == SCN_SLICE) {
        return negated(smooth_min(negated(so_far), negated(slice_distance(c, p)), c->blend));
    }
    bool bounded = c->op == SCN_ADD && so_far.value < VALUE_REACH;
    double limit = bounded ? so_far.value : VALUE_REACH;
    if (box_distance(c, p) > BOUND_MARGIN * (limit + c->blend)) {
        return so_far;
    }
    jet d = chain_distance(c, p);
    return c->op == SCN_ADD ? smooth_min(so_far, d, c->blend)
                            : negated(smooth_min(negated(so_far), d, c->blend));
}

static jet field_jet(const scn_field *field, sn_vec3 p, uint32_t groups) {
    const jet outside = {1, {0, 0, 0}};
    jet jets[SCN_GROUPS_MAX], branches = outside;
    for (uint32_t g = 0; g < field->group_count; ++g) {
        jets[g] = outside;
    }
    for (uint32_t i = 0; i < field->count; ++i) {
        const chain *c = &field->chains[i];
        if ((groups >> c->group & 1) != 0) {
            jets[c->group] = apply_chain(c, jets[c->group], p);
        }
    }
    for (uint32_t g = 1; g < field->group_count; ++g) {
        branches = smooth_min(branches, jets[g], field->apart);
    }
    return smooth_min(jets[0], branches, field->join);
}

double scn_field_value(const scn_field *field, sn_vec3 point, uint32_t groups) {
    return field_jet(field, point, groups).value;
}

sn_vec3 scn_field_gradient(const scn_field *field, sn_vec3 point, uint32_t groups) {
    return field_jet(field, point, groups).gradient;
}

// One Newton step along the gradient, not longer than 5 mm. `normal` is the direction it took.
static sn_vec3 newton_step(const scn_field *field, sn_vec3 p, uint32_t groups, sn_vec3 *normal) {
    const double longest = 0.005;
    jet at = field_jet(field, p, groups);
    double length = sn_vec3_length(at.gradient);
    *normal = sn_vec3_normalize_or(at.gradient, sn_vec3_make(0, 0, 0));
    if (!(length > 1e-3)) {
        return p; // on a ridge inside: nowhere to go
    }
    double step = at.value / length;
    step = step > longest ? longest : step < -longest ? -longest : step;
    return sn_vec3_add_scaled(p, -step, *normal);
}

sn_vec3 scn_field_project(const scn_field *field, sn_vec3 p, uint32_t groups, int steps) {
    sn_vec3 normal;
    for (int i = 0; i < steps; ++i) {
        p = newton_step(field, p, groups, &normal);
    }
    return p;
}

// Marches by the distance that the value promises, then halves the last stride.
sn_vec3 scn_field_cast(const scn_field *field, sn_vec3 origin, sn_vec3 direction, double reach,
                       uint32_t groups) {
    const double shortest = 0.0015;
    double inside = 0, outside = reach;
    for (double t = 0; t < reach;) {
        double value = scn_field_value(field, sn_vec3_add_scaled(origin, t, direction), groups);
        if (value > 0) {
            outside = t;
            break;
        }
        inside = t;
        t += fmax(-0.7 * value, shortest);
    }
    while (outside - inside > 1e-5) {
        double t = 0.5 * (inside + outside);
        bool out = scn_field_value(field, sn_vec3_add_scaled(origin, t, direction), groups) > 0;
        *(out ? &outside : &inside) = t;
    }
    return sn_vec3_add_scaled(origin, outside, direction);
}

// ---------------------------------------------------------------------------------------------
// Meshes

static sn_vec3 mean_of_neighbours(const scn_vertex *vertices, const uint32_t *neighbours,
                                  uint32_t count, sn_vec3 fallback) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t n = 0; n < count; ++n) {
        sum = sn_vec3_add(sum, vertices[neighbours[n]].position);
    }
    return count > 0 ? sn_vec3_scale(sum, 1.0 / count) : fallback;
}

bool scn_field_relax(const scn_field *field, scn_builder *builder, int rounds) {
    uint32_t *offsets = NULL, *neighbours = NULL, count = builder->vertex_count;
    sn_vec3 *moved = malloc((count + 1) * sizeof *moved);
    sn_vec3 *normals = calloc(count + 1, sizeof *normals);
    bool ok =
        moved != NULL && normals != NULL && scn_builder_neighbours(builder, &offsets, &neighbours);
    scn_vertex *vertices = builder->vertices;
    for (int round = 0; ok && round < rounds; ++round) {
        for (uint32_t i = 0; i < count; ++i) {
            sn_vec3 p = vertices[i].position, normal = normals[i];
            sn_vec3 mean = mean_of_neighbours(vertices, neighbours + offsets[i],
                                              offsets[i + 1] - offsets[i], p);
            sn_vec3 step = sn_vec3_sub(mean, p);
            step = sn_vec3_add_scaled(step, -sn_vec3_dot(step, normal), normal);
            moved[i] = sn_vec3_add_scaled(p, 0.5, step);
        }
        int steps = round + 1 == rounds ? 4 : 1;
        for (uint32_t i = 0; i < count; ++i) {
            for (int k = 0; k < steps; ++k) {
                moved[i] = newton_step(field, moved[i], SCN_ALL_GROUPS, &normals[i]);
            }
            vertices[i].position = moved[i];
        }
    }
    free(moved);
    free(normals);
    free(offsets);
    free(neighbours);
    return ok;
}

typedef struct grid {
    sn_vec3 low;
    double cell;
    uint32_t size[3]; // points along each axis
    double *values;
    uint32_t *cells; // the first vertex of each cell, SN_NONE for none; indexed as its lowest point
} grid;

static size_t grid_index(const grid *g, uint32_t x, uint32_t y, uint32_t z) {
    return ((size_t)z * g->size[1] + y) * g->size[0] + x;
}

// `centred` puts the middle of a column of cells onto x = 0.
static bool fill_grid(const scn_field *field, double cell, bool centred, grid *g) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < field->count; ++i) {
        const chain *c = &field->chains[i];
        for (uint32_t k = 0; c->op == SCN_ADD && k < c->count; ++k) {
            double r = fmax(c->samples[k].a, c->samples[k].b) + 2.5 * cell;
            sn_vec3 reach = {r, r, r};
            low = sn_vec3_min(low, sn_vec3_sub(c->samples[k].center, reach));
            high = sn_vec3_max(high, sn_vec3_add(c->samples[k].center, reach));
        }
    }
    if (centred) {
        low.x = (floor(low.x / cell) - 0.5) * cell;
    }
    g->low = low;
    g->cell = cell;
    g->size[0] = (uint32_t)((high.x - low.x) / cell) + 2;
    g->size[1] = (uint32_t)((high.y - low.y) / cell) + 2;
    g->size[2] = (uint32_t)((high.z - low.z) / cell) + 2;
    size_t count = (size_t)g->size[0] * g->size[1] * g->size[2];
    g->values = malloc(count * sizeof *g->values);
    g->cells = malloc(count * sizeof *g->cells);
    if (g->values == NULL || g->cells == NULL) {
        return false;
    }
    memset(g->cells, 0xff, count * sizeof *g->cells);
    for (uint32_t z = 0; z < g->size[2]; ++z) {
        for (uint32_t y = 0; y < g->size[1]; ++y) {
            for (uint32_t x = 0; x < g->size[0]; ++x) {
                sn_vec3 p = {low.x + x * cell, low.y + y * cell, low.z + z * cell};
                g->values[grid_index(g, x, y, z)] = scn_field_value(field, p, SCN_ALL_GROUPS);
            }
        }
    }
    return true;
}

// The surface may pass a cell in several sheets, which get a vertex each (Schaefer, Ju and Warren
// 2007, "Manifold dual contouring"): a sheet parts one group of inner corners, connected along
// edges, from one group of outer corners, connected across faces.
typedef struct cell_sheets {
    double values[8];  // of the corners; bit k of a corner's number is its place along axis k
    uint8_t labels[8]; // the lowest corner of its group
    uint32_t count;
    uint8_t keys[12]; // of each sheet: label of the inner group * 8 + label of the outer group
} cell_sheets;

static const uint8_t bits_of[8] = {0, 1, 1, 2, 1, 2, 2, 3};

static void label_corners(cell_sheets *c) {
    for (uint8_t i = 0; i < 8; ++i) {
        c->labels[i] = i;
    }
    for (int round = 0; round < 7; ++round) {
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 8; ++j) {
                bool same = (c->values[i] < 0) == (c->values[j] < 0);
                int reach = c->values[i] < 0 ? 1 : 2;
                if (same && bits_of[i ^ j] <= reach && c->labels[j] < c->labels[i]) {
                    c->labels[i] = c->labels[j];
                }
            }
        }
    }
}

// The sheet that crosses the edge between two corners, one inside, one outside.
static uint32_t find_sheet(cell_sheets *c, int corner, int far) {
    int in = c->values[corner] < 0 ? corner : far, out = in == corner ? far : corner;
    uint8_t key = (uint8_t)(c->labels[in] * 8 + c->labels[out]);
    uint32_t sheet = 0;
    while (sheet < c->count && c->keys[sheet] != key) {
        sheet += 1;
    }
    if (sheet == c->count) {
        c->keys[c->count++] = key;
    }
    return sheet;
}

// Finds the sheets of a cell in the order of its edges, and the mean of the crossings of each.
static void find_sheets(const grid *g, const uint32_t cell[3], cell_sheets *c, sn_vec3 *means) {
    double crossings[12] = {0};
    c->count = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        c->values[i] = g->values[grid_index(g, cell[0] + (i & 1), cell[1] + (i >> 1 & 1),
                                            cell[2] + (i >> 2 & 1))];
    }
    label_corners(c);
    for (int corner = 0; corner < 8; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            int far = corner | 1 << axis;
            double d = c->values[corner], e = c->values[far];
            if (far == corner || (d < 0) == (e < 0)) {
                continue;
            }
            uint32_t sheet = find_sheet(c, corner, far), first = crossings[sheet] == 0;
            double t = d / (d - e);
            sn_vec3 at = {(corner & 1) + (axis == 0 ? t : 0),
                          (corner >> 1 & 1) + (axis == 1 ? t : 0),
                          (corner >> 2 & 1) + (axis == 2 ? t : 0)};
            means[sheet] = first ? at : sn_vec3_add(means[sheet], at);
            crossings[sheet] += 1;
        }
    }
    for (uint32_t i = 0; i < c->count; ++i) {
        means[i] = sn_vec3_scale(means[i], 1 / crossings[i]);
    }
}

static void make_vertices(grid *g, scn_builder *builder) {
    for (uint32_t z = 0; z + 1 < g->size[2]; ++z) {
        for (uint32_t y = 0; y + 1 < g->size[1]; ++y) {
            for (uint32_t x = 0; x + 1 < g->size[0]; ++x) {
                uint32_t cell[3] = {x, y, z};
                cell_sheets sheets;
                sn_vec3 means[12];
                find_sheets(g, cell, &sheets, means);
                for (uint32_t i = 0; i < sheets.count; ++i) {
                    sn_vec3 at = {g->low.x + g->cell * (x + means[i].x),
                                  g->low.y + g->cell * (y + means[i].y),
                                  g->low.z + g->cell * (z + means[i].z)};
                    uint32_t made = scn_builder_vertex(builder, at, 0, 0);
                    if (i == 0) {
                        g->cells[grid_index(g, x, y, z)] = made;
                    }
                }
            }
        }
    }
}

// The quad around the grid edge from `at` along `axis`, facing the outside.
static void make_quad(const grid *g, const uint32_t at[3], int axis, scn_builder *builder) {
    uint32_t end[3] = {at[0], at[1], at[2]};
    end[axis] += 1;
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (end[axis] >= g->size[axis] || at[b] == 0 || at[c] == 0) {
        return;
    }
    bool inside = g->values[grid_index(g, at[0], at[1], at[2])] < 0;
    if (inside == (g->values[grid_index(g, end[0], end[1], end[2])] < 0)) {
        return;
    }
    static const int back_b[4] = {1, 0, 0, 1}, back_c[4] = {1, 1, 0, 0};
    uint32_t corners[4];
    for (int i = 0; i < 4; ++i) {
        uint32_t cell[3] = {at[0], at[1], at[2]};
        cell[b] -= (uint32_t)back_b[i];
        cell[c] -= (uint32_t)back_c[i];
        cell_sheets sheets;
        sn_vec3 means[12];
        find_sheets(g, cell, &sheets, means);
        int corner = back_b[i] << b | back_c[i] << c;
        corners[i] = g->cells[grid_index(g, cell[0], cell[1], cell[2])] +
                     find_sheet(&sheets, corner, corner | 1 << axis);
    }
    if (inside) {
        scn_builder_quad(builder, corners[0], corners[1], corners[2], corners[3]);
    } else {
        scn_builder_quad(builder, corners[3], corners[2], corners[1], corners[0]);
    }
}

static bool mesh_grid(const scn_field *field, double cell, bool centred, scn_builder *builder) {
    grid g = {0};
    bool ok = fill_grid(field, cell, centred, &g);
    if (ok) {
        make_vertices(&g, builder);
        for (uint32_t z = 0; z < g.size[2]; ++z) {
            for (uint32_t y = 0; y < g.size[1]; ++y) {
                for (uint32_t x = 0; x < g.size[0]; ++x) {
                    const uint32_t at[3] = {x, y, z};
                    for (int axis = 0; axis < 3; ++axis) {
                        make_quad(&g, at, axis, builder);
                    }
                }
            }
        }
        ok = !builder->failed && scn_field_relax(field, builder, 6);
    }
    free(g.values);
    free(g.cells);
    return ok;
}

bool scn_field_mesh(const scn_field *field, double cell, scn_builder *builder) {
    return mesh_grid(field, cell, false, builder);
}

bool scn_field_mesh_mirrored(const scn_field *field, double cell, scn_builder *builder,
                             uint32_t **mirror) {
    // Smooth unions depend a little on the order of parts, and with it on the side.
    const double margin = 0.3; // of a cell; the next column of vertices is a whole one away
    *mirror = NULL;
    return mesh_grid(field, cell, true, builder) &&
           scn_builder_mirror(builder, margin * cell, mirror);
}
