// SPDX-License-Identifier: Apache-2.0
//
// The skin about one joint, turned to all sides.
//
// A joint at the origin turns all that hangs on it by Q. A vertex at y that follows it with the
// weight f goes, by linear blending, to
//
//     x = y + f (Q - I) y.
//
// Only f counts, the sum of the weights of all bones that turn, so that each joint can be looked at
// alone. The joint is turned about eight axes across the limb, by 60 degrees and by 30 in turn, and
// by 40 to either side along it, and f is chosen to make
//
//     sum over turns:  sum over edges  l sinh^2(ln(|x_a - x_b| / l)) / L   +  c (dV - g dV0)^2
//
// small. The hyperbolic sine is the logarithm for small stretches, and grows for large ones, so
// that it does not pay to crush one ring of edges for the sake of all others. dV is the change of
// the volume, dV0 that by the weights as they came, and g keeps less than all of it: the skin is
// stretched less, and every turn changes the volume in the same sense as before, but less. With g =
// 0 each joint alone keeps more of its volume, but gains of one joint no longer make up for losses
// of others, which all linear blends have. A small pull to the weights as they came decides where
// nothing else does.
//
// Parts that no edge holds together, such as plates on a suit, would each move stiffly, and gaps
// open between them. Bridges between a vertex a and the nearest b of another part count as an edge
// whose ends go apart: (f_a - f_b) |(Q - I) y| / l in place of the logarithm.
//
// These are nonlinear least squares with bounds: Gauss and Newton's steps by conjugate gradients,
// with vertices left out that stand at a bound. As stretch is mostly a matter of neighbours, few
// rounds are enough, for fine meshes, too.
#include "fit/bind/ease.h"

#include <math.h>
#include <string.h>

enum { SWINGS = 8, TURNS = SWINGS + 2 };
enum { STEPS = 4, ROUNDS = 15, HALVINGS = 6 };

static const double swing_angles[2] = {60 * SN_PI / 180, 30 * SN_PI / 180};
static const double swing_weight = 1.0 / SWINGS;
static const double twist_angle = 40 * SN_PI / 180, twist_weight = 0.25;
// g above.
static const double kept = 0.85;
// What a change of the volume counts, in parts of the body's and of what the area of the skin about
// the joint could hold: the first lets thighs count more than fingers, the second lets fingers
// count at all.
static const double whole_weight = 400, local_weight = 100;
// What a change of the weights counts by itself.
static const double pull = 0.02;
// Edges get no shorter than this in the logarithm.
static const double least_ratio = 0.05;
// Of the mean diagonal, added to all of it: an edge that no turn stretches tells nothing.
static const double damping = 1e-4;
// Steps end where they gain less than this part.
static const double least_gain = 1e-4;

typedef struct turn {
    double m[9];        // Q - I, row by row
    double edge_weight; // of an edge, over its length
    double volume_weight;
    double volume; // that is aimed at: a change, m^3
} turn;

typedef struct easer {
    const sni_joint_skin *skin;
    turn turns[TURNS];
    double pull;      // per area
    size_t tie_count; // edges and bridges
    double *lengths;  // tie_count
    double *first;    // vertex_count: weights as they came
    double *tried;    // vertex_count: that energies are taken of
    sn_vec3 *points;  // workers x vertex_count
    float *slopes;    // TURNS x tie_count x 2: of a residual, by the weights of both ends
    float *residuals; // TURNS x tie_count
    double *products; // tie_count x 3: sums over turns of products of slopes: aa, ab, bb
    float *swells;    // TURNS x vertex_count: slopes of the volume
    double volumes[TURNS];
    double energies[TURNS];
    double *sums;                                                        // TURNS x vertex_count
    double shift;                                                        // added to the diagonal
    double *diagonal, *gradient, *step, *residual, *direction, *product; // vertex_count
    uint8_t *moves;                                                      // vertex_count
    bool derives;                                                        // slopes are wanted, too
} easer;

// ---------------------------------------------------------------------------------------------
// Energy

static sn_vec3 displace(const turn *t, sn_vec3 y) {
    const double *m = t->m;
    return sn_vec3_make(m[0] * y.x + m[1] * y.y + m[2] * y.z, m[3] * y.x + m[4] * y.y + m[5] * y.z,
                        m[6] * y.x + m[7] * y.y + m[8] * y.z);
}

static double stretch_edges(const easer *e, uint32_t number, const sn_vec3 *points) {
    const sni_joint_skin *skin = e->skin;
    const turn *t = &e->turns[number];
    double energy = 0;
    for (uint32_t i = 0; i < skin->edge_count; ++i) {
        uint32_t a = skin->edges[2 * (size_t)i], b = skin->edges[2 * (size_t)i + 1];
        sn_vec3 way = sn_vec3_sub(points[b], points[a]);
        double square = sn_vec3_dot(way, way), ratio = sqrt(square) / e->lengths[i];
        double scale = sqrt(t->edge_weight * e->lengths[i]);
        double r = fmax(ratio, least_ratio), residual = scale * 0.5 * (r - 1 / r);
        energy += residual * residual;
        if (e->derives) {
            size_t at = (size_t)number * e->tie_count + i;
            double slope = ratio > least_ratio ? scale * 0.5 * (r + 1 / r) / square : 0;
            e->residuals[at] = (float)residual;
            e->slopes[2 * at] = (float)(-slope * sn_vec3_dot(way, displace(t, skin->arms[a])));
            e->slopes[2 * at + 1] = (float)(slope * sn_vec3_dot(way, displace(t, skin->arms[b])));
        }
    }
    return energy;
}

static double part_bridges(const easer *e, uint32_t number) {
    const sni_joint_skin *skin = e->skin;
    const turn *t = &e->turns[number];
    double energy = 0;
    for (size_t i = skin->edge_count; i < e->tie_count; ++i) {
        uint32_t a = skin->edges[2 * i], b = skin->edges[2 * i + 1];
        sn_vec3 way = displace(t, sn_vec3_lerp(skin->arms[a], skin->arms[b], 0.5));
        double slope = sqrt(t->edge_weight / e->lengths[i]) * sn_vec3_length(way);
        double residual = slope * (e->tried[a] - e->tried[b]);
        energy += residual * residual;
        if (e->derives) {
            size_t at = (size_t)number * e->tie_count + i;
            e->residuals[at] = (float)residual;
            e->slopes[2 * at] = (float)slope;
            e->slopes[2 * at + 1] = (float)-slope;
        }
    }
    return energy;
}

// What a turn changes of the volume. Seen from the joint, what turns as a whole keeps its own.
static double change_volume(const easer *e, uint32_t number, const sn_vec3 *points) {
    const sni_joint_skin *skin = e->skin;
    double sum = 0, scale = sqrt(e->turns[number].volume_weight) / 6;
    float *swells = e->swells + (size_t)number * skin->vertex_count;
    if (e->derives) {
        memset(swells, 0, skin->vertex_count * sizeof *swells);
    }
    for (uint32_t i = 0; i < skin->triangle_count; ++i) {
        const uint32_t *v = skin->triangles + 3 * (size_t)i;
        const sn_vec3 *y = skin->arms;
        sum += sn_vec3_dot(points[v[0]], sn_vec3_cross(points[v[1]], points[v[2]])) -
               sn_vec3_dot(y[v[0]], sn_vec3_cross(y[v[1]], y[v[2]]));
        for (int k = 0; k < 3 && e->derives; ++k) {
            sn_vec3 normal = sn_vec3_cross(points[v[(k + 1) % 3]], points[v[(k + 2) % 3]]);
            sn_vec3 way = displace(&e->turns[number], y[v[k]]);
            swells[v[k]] += (float)(scale * sn_vec3_dot(way, normal));
        }
    }
    return sum / 6;
}

static void take_turns(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    easer *e = user;
    const sni_joint_skin *skin = e->skin;
    sn_vec3 *points = e->points + (size_t)worker * skin->vertex_count;
    for (uint32_t k = begin; k < end; ++k) {
        const turn *t = &e->turns[k];
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            points[v] = sn_vec3_add_scaled(skin->arms[v], e->tried[v], displace(t, skin->arms[v]));
        }
        e->energies[k] = stretch_edges(e, k, points) + part_bridges(e, k);
        e->volumes[k] = change_volume(e, k, points);
        double off = e->volumes[k] - t->volume;
        e->energies[k] += t->volume_weight * off * off;
    }
}

static double energy_of(easer *e, const double *follow, bool derive) {
    const sni_joint_skin *skin = e->skin;
    double sum = 0;
    memcpy(e->tried, follow, skin->vertex_count * sizeof *e->tried);
    e->derives = derive;
    sn_parallel_for(skin->context, TURNS, 1, take_turns, e);
    for (int k = 0; k < TURNS; ++k) {
        sum += e->energies[k];
    }
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        double off = follow[v] - e->first[v];
        sum += e->pull * skin->areas[v] * off * off;
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// Steps

static double volume_residual(const easer *e, uint32_t k) {
    return sqrt(e->turns[k].volume_weight) * (e->volumes[k] - e->turns[k].volume);
}

// Products of slopes, and what ties add to the gradient (half of it) and to the diagonal.
static void derive_ties(easer *e) {
    const sni_joint_skin *skin = e->skin;
    memset(e->products, 0, 3 * e->tie_count * sizeof *e->products);
    for (size_t at = 0, i = 0; at < TURNS * e->tie_count; ++at) {
        double slopes[2] = {e->slopes[2 * at], e->slopes[2 * at + 1]}, *sums = e->products + 3 * i;
        sums[0] += slopes[0] * slopes[0];
        sums[1] += slopes[0] * slopes[1];
        sums[2] += slopes[1] * slopes[1];
        e->gradient[skin->edges[2 * i]] += slopes[0] * e->residuals[at];
        e->gradient[skin->edges[2 * i + 1]] += slopes[1] * e->residuals[at];
        i = i + 1 < e->tie_count ? i + 1 : 0;
    }
    for (size_t i = 0; i < e->tie_count; ++i) {
        e->diagonal[skin->edges[2 * i]] += e->products[3 * i];
        e->diagonal[skin->edges[2 * i + 1]] += e->products[3 * i + 2];
    }
}

static void derive_volumes(easer *e) {
    const sni_joint_skin *skin = e->skin;
    for (uint32_t k = 0; k < TURNS; ++k) {
        double off = volume_residual(e, k);
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            double slope = e->swells[(size_t)k * skin->vertex_count + v];
            e->gradient[v] += slope * off;
            e->diagonal[v] += slope * slope;
        }
    }
}

// The gradient (half of it), the matrix and its diagonal.
static void derive(easer *e) {
    const sni_joint_skin *skin = e->skin;
    double mean = 0;
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        double weight = e->pull * skin->areas[v];
        e->gradient[v] = weight * (skin->follow[v] - e->first[v]);
        e->diagonal[v] = weight;
    }
    derive_ties(e);
    derive_volumes(e);
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        mean += e->diagonal[v] / skin->vertex_count;
    }
    e->shift = damping * mean;
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        bool low = !(skin->follow[v] > skin->least[v]) && e->gradient[v] > 0;
        bool high = !(skin->follow[v] < skin->most[v]) && e->gradient[v] < 0;
        e->diagonal[v] += e->shift;
        e->moves[v] = skin->is_free[v] && !low && !high && e->diagonal[v] > 0;
    }
}

// The part of the product that the volume of a turn has, and one of as many parts of the ties.
static void apply_parts(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    easer *e = user;
    const sni_joint_skin *skin = e->skin;
    const double *in = e->direction;
    for (uint32_t k = begin; k < end; ++k) {
        double *out = e->sums + (size_t)k * skin->vertex_count, swell = 0;
        const float *swells = e->swells + (size_t)k * skin->vertex_count;
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            swell += swells[v] * in[v];
        }
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            out[v] = swells[v] * swell;
        }
        for (size_t i = k * e->tie_count / TURNS; i < (k + 1) * e->tie_count / TURNS; ++i) {
            const double *products = e->products + 3 * i;
            uint32_t a = skin->edges[2 * i], b = skin->edges[2 * i + 1];
            out[a] += products[0] * in[a] + products[1] * in[b];
            out[b] += products[1] * in[a] + products[2] * in[b];
        }
    }
}

// product = A direction, A being the matrix of Gauss and Newton for what moves; returns
// direction . product.
static double apply(easer *e) {
    const sni_joint_skin *skin = e->skin;
    double total = 0;
    sn_parallel_for(skin->context, TURNS, 1, apply_parts, e);
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        double sum = (e->pull * skin->areas[v] + e->shift) * e->direction[v];
        for (uint32_t k = 0; k < TURNS; ++k) {
            sum += e->sums[(size_t)k * skin->vertex_count + v];
        }
        e->product[v] = e->moves[v] ? sum : 0;
        total += e->direction[v] * e->product[v];
    }
    return total;
}

// Conjugate gradients by the diagonal: step = -A^-1 gradient.
static void find_step(easer *e) {
    const uint32_t count = e->skin->vertex_count;
    double norm = 0;
    for (uint32_t v = 0; v < count; ++v) {
        e->step[v] = 0;
        e->residual[v] = e->moves[v] ? -e->gradient[v] : 0;
        e->direction[v] = e->moves[v] ? e->residual[v] / e->diagonal[v] : 0;
        norm += e->residual[v] * e->direction[v];
    }
    for (int round = 0; round < ROUNDS && norm > 0; ++round) {
        double curve = apply(e), next = 0;
        if (!(curve > 0)) {
            return;
        }
        for (uint32_t v = 0; v < count; ++v) {
            e->step[v] += norm / curve * e->direction[v];
            e->residual[v] -= norm / curve * e->product[v];
            next += e->moves[v] ? e->residual[v] * e->residual[v] / e->diagonal[v] : 0;
        }
        for (uint32_t v = 0; v < count; ++v) {
            double smoothed = e->moves[v] ? e->residual[v] / e->diagonal[v] : 0;
            e->direction[v] = smoothed + next / norm * e->direction[v];
        }
        norm = next;
    }
}

// Goes along the step as far as it helps; returns the energy there.
static double go(easer *e, double energy) {
    const sni_joint_skin *skin = e->skin;
    double part = 1;
    for (int i = 0; i < HALVINGS; ++i, part /= 2) {
        for (uint32_t v = 0; v < skin->vertex_count; ++v) {
            double to = skin->follow[v] + part * e->step[v];
            to = fmin(fmax(to, skin->least[v]), skin->most[v]);
            e->product[v] = e->moves[v] ? to : skin->follow[v];
        }
        double there = energy_of(e, e->product, false);
        if (there < energy) {
            memcpy(skin->follow, e->product, skin->vertex_count * sizeof *skin->follow);
            return there;
        }
    }
    return energy;
}

// ---------------------------------------------------------------------------------------------
// Turns

static void set_turn(turn *t, sn_vec3 axis, double angle, double weight) {
    sn_quat q = sn_quat_from_axis_angle(axis, angle);
    const sn_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 column = sn_vec3_sub(sn_quat_rotate(q, units[i]), units[i]);
        t->m[i] = column.x;
        t->m[3 + i] = column.y;
        t->m[6 + i] = column.z;
    }
    t->edge_weight = t->volume_weight = weight;
}

// The limb goes from what follows least to what follows most.
static sn_vec3 limb_axis(const sni_joint_skin *skin) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        double weight = skin->areas[v] * (skin->follow[v] - 0.5);
        sum = sn_vec3_add_scaled(sum, weight, skin->arms[v]);
    }
    return sn_vec3_normalize_or(sum, sn_vec3_make(0, 1, 0));
}

static void set_turns(easer *e) {
    const sni_joint_skin *skin = e->skin;
    sn_vec3 along = limb_axis(skin), side = sn_vec3_perpendicular(along);
    sn_vec3 front = sn_vec3_cross(along, side);
    double length = 0, area = 0;
    for (uint32_t i = 0; i < skin->edge_count; ++i) {
        length += e->lengths[i];
    }
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        area += skin->areas[v];
    }
    double whole = whole_weight * skin->body_edges / length;
    double volume = whole / (skin->body_volume * skin->body_volume);
    volume += local_weight / (area * area * area);
    for (int k = 0; k < TURNS; ++k) {
        double angle = 2 * SN_PI * k / SWINGS, to_side = k == SWINGS ? 1 : -1;
        sn_vec3 across =
            sn_vec3_add(sn_vec3_scale(side, cos(angle)), sn_vec3_scale(front, sin(angle)));
        if (k < SWINGS) {
            set_turn(&e->turns[k], across, swing_angles[k % 2], swing_weight);
        } else {
            set_turn(&e->turns[k], along, to_side * twist_angle, twist_weight);
        }
        e->turns[k].edge_weight /= length;
        e->turns[k].volume_weight *= volume;
    }
    e->pull = pull / area;
}

// ---------------------------------------------------------------------------------------------

// Bridges are as long as the mean edge at least: parts may touch.
static void measure_ties(easer *e) {
    const sni_joint_skin *skin = e->skin;
    double mean = 0;
    for (size_t i = 0; i < e->tie_count; ++i) {
        sn_vec3 a = skin->arms[skin->edges[2 * i]], b = skin->arms[skin->edges[2 * i + 1]];
        bool is_edge = i < skin->edge_count;
        mean += is_edge ? sn_vec3_distance(a, b) / skin->edge_count : 0;
        e->lengths[i] = fmax(sn_vec3_distance(a, b), is_edge ? 0 : mean);
    }
}

static sn_status easer_init(easer *e, sn_error *error) {
    sn_status status = SN_OK;
    const sni_joint_skin *skin = e->skin;
    sn_context *context = skin->context;
    size_t vertices = skin->vertex_count, ties = skin->edge_count + (size_t)skin->bridge_count;
    e->tie_count = ties;
    SNI_NEW(context, e->lengths, ties);
    SNI_NEW(context, e->first, vertices);
    SNI_NEW(context, e->tried, vertices);
    SNI_NEW(context, e->points, vertices * sn_context_thread_count(context));
    SNI_NEW(context, e->slopes, 2 * TURNS * ties);
    SNI_NEW(context, e->residuals, TURNS * ties);
    SNI_NEW(context, e->products, 3 * ties);
    SNI_NEW(context, e->swells, TURNS * vertices);
    SNI_NEW(context, e->sums, TURNS * vertices);
    SNI_NEW(context, e->diagonal, vertices);
    SNI_NEW(context, e->gradient, vertices);
    SNI_NEW(context, e->step, vertices);
    SNI_NEW(context, e->residual, vertices);
    SNI_NEW(context, e->direction, vertices);
    SNI_NEW(context, e->product, vertices);
    SNI_NEW(context, e->moves, vertices);
    measure_ties(e);
    memcpy(e->first, skin->follow, vertices * sizeof *e->first);
    set_turns(e);
cleanup:
    return status;
}

static void easer_deinit(easer *e) {
    void *arrays[] = {e->lengths,  e->first,     e->tried,   e->points,   e->slopes,   e->residuals,
                      e->products, e->swells,    e->sums,    e->diagonal, e->gradient, e->step,
                      e->residual, e->direction, e->product, e->moves};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sni_free(e->skin->context, arrays[i]);
    }
}

sn_status sni_ease_joint(sni_joint_skin *skin, sn_error *error) {
    SN_ASSERT(skin->edge_count > 0 && skin->body_edges > 0 && skin->body_volume > 0);
    sn_status status = SN_OK;
    easer e = {.skin = skin};
    SN_TRY(easer_init(&e, error));
    (void)energy_of(&e, skin->follow, false);
    for (int k = 0; k < TURNS; ++k) {
        e.turns[k].volume = kept * e.volumes[k];
    }
    double energy = energy_of(&e, skin->follow, true);
    for (int i = 0; i < STEPS; ++i) {
        derive(&e);
        find_step(&e);
        double next = go(&e, energy);
        bool done = !(energy - next > least_gain * energy);
        energy = i + 1 < STEPS && !done ? energy_of(&e, skin->follow, true) : next;
        if (done) {
            break;
        }
    }
cleanup:
    easer_deinit(&e);
    return status;
}
