// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/tracker.h"

#include "base/context.h"

sni_tracker_settings sni_tracker_settings_of(double smallest_radius) {
    return (sni_tracker_settings){
        .tolerance = 1e-3,
        .stride = 0.7,
        .contact_angle = 55 * SN_PI / 180,
        .largest_step = 0.25 * smallest_radius,
        .iterations = 30,
        .sweeps = 2,
        .relaxation = 0.5,
        .contact_relaxation = 0.25,
        .diffusions = 6,
        .smoothings = 2,
        .projections = 3,
    };
}

// Vertices of a block; results do not depend on it.
enum { GRAIN = 256 };

// What tracking keeps of a vertex while it goes on.
typedef struct vertex {
    sn_vec3 gradient; // where it was evaluated last; of one in contact, before it turned over
    sn_vec3 last;     // where the last step began
    double target;    // the value as a place of the support, -1 to 1
    double moved;     // by relaxation since it came into contact
    double soft;      // 0 to 1: how much it is smoothed as one near contact
} vertex;

typedef struct run {
    const sni_tracking *t;
    vertex *vertices;
    sn_vec3 *next;   // positions that a sweep writes
    double *softs;   // that a pass of diffusion writes
    bool first;      // iteration
    bool last_steps; // at the end: vertices in contact go carefully
} run;

static bool has_gradient(sn_vec3 gradient) {
    static const double least = 1e-9; // 1/m
    return sn_vec3_length(gradient) > least;
}

static double cosine_between(sn_vec3 a, sn_vec3 b) {
    return sn_vec3_dot(a, b) / (sn_vec3_length(a) * sn_vec3_length(b));
}

// Newton's step in the place of the support, x = t^-1(f), where the field is nearly linear in the
// distance: immune to its slope that vanishes at the rim of the support.
static sn_vec3 newton_step(double target, double value, sn_vec3 gradient, double stride,
                           double longest) {
    double x = sni_support_inverse(value), slope = sni_support_slope(x);
    if (slope == 0) {
        return sn_vec3_make(0, 0, 0);
    }
    sn_vec3 by = sn_vec3_scale(gradient, 1 / slope); // gradient of x
    double squared = sn_vec3_dot(by, by);
    sn_vec3 step = sn_vec3_scale(by, stride * (target - x) / squared);
    double length = sn_vec3_length(step);
    return length > longest ? sn_vec3_scale(step, longest / length) : step;
}

// The last step went through the sheet where two parts meet: halves it until the place of the turn
// is known, and stays on the side of the vertex's own part.
static sn_vec3 find_turn(const run *r, uint32_t i, sn_vec3 from, sn_vec3 to) {
    enum { HALVINGS = 6 };
    const sni_tracking *t = r->t;
    double limit = cos(t->settings->contact_angle);
    sn_vec3 before = r->vertices[i].gradient;
    for (int k = 0; k < HALVINGS; ++k) {
        sn_vec3 middle = sn_vec3_lerp(from, to, 0.5);
        sn_vec3 gradient = t->field(t->user, i, middle).field.gradient;
        bool turned = !has_gradient(gradient) || cosine_between(gradient, before) < limit;
        *(turned ? &to : &from) = middle;
    }
    return t->field(t->user, i, to).own ? to : from;
}

static void project_one(const run *r, uint32_t i) {
    const sni_tracking *t = r->t;
    const sni_tracker_settings *s = t->settings;
    vertex *v = &r->vertices[i];
    uint8_t *status = &t->statuses[i];
    if (*status == SNI_TRACK_SKIP) {
        return;
    }
    // One in contact is looked at again only after it was moved.
    if (*status == SNI_TRACK_CONTACT && v->moved <= 0.01 * t->mesh->mean_edge) {
        return;
    }
    sni_field_value here = t->field(t->user, i, t->positions[i]).field;
    if (!has_gradient(here.gradient)) {
        *status = SNI_TRACK_OUT;
        return;
    }
    if (!r->first && has_gradient(v->gradient) &&
        cosine_between(here.gradient, v->gradient) < cos(s->contact_angle)) {
        *status = SNI_TRACK_CONTACT;
        v->moved = 0;
        t->positions[i] = find_turn(r, i, v->last, t->positions[i]);
        v->last = t->positions[i];
        return; // the gradient from before the turn is kept
    }
    v->gradient = here.gradient;
    v->last = t->positions[i];
    double miss = fabs(here.value - t->values[i]);
    if (miss < (*status == SNI_TRACK_DONE ? 4 : 1) * s->tolerance) {
        *status = SNI_TRACK_DONE;
        return;
    }
    *status = SNI_TRACK_ACTIVE;
    t->positions[i] = sn_vec3_add(t->positions[i], newton_step(v->target, here.value, here.gradient,
                                                               s->stride, s->largest_step));
}

static void project_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        project_one(user, i);
    }
}

sn_quat sni_fit_rotation(const sn_vec3 sums[3], sn_quat guess) {
    enum { MOST = 20 };
    static const double enough = 1e-9;
    sn_quat q = guess;
    for (int k = 0; k < MOST; ++k) {
        sn_vec3 columns[3] = {sn_quat_rotate(q, sn_vec3_make(1, 0, 0)),
                              sn_quat_rotate(q, sn_vec3_make(0, 1, 0)),
                              sn_quat_rotate(q, sn_vec3_make(0, 0, 1))};
        sn_vec3 turn = {0, 0, 0};
        double along = 0;
        for (int c = 0; c < 3; ++c) {
            turn = sn_vec3_add(turn, sn_vec3_cross(columns[c], sums[c]));
            along += sn_vec3_dot(columns[c], sums[c]);
        }
        // The published step divides by |along|, against a small number where there is nothing.
        turn = sn_vec3_scale(turn, 1 / (fabs(along) + 1e-9));
        double angle = sn_vec3_length(turn);
        if (!(angle > enough)) {
            break;
        }
        q = sn_quat_normalize(
            sn_quat_multiply(sn_quat_from_axis_angle(sn_vec3_scale(turn, 1 / angle), angle), q));
    }
    return q;
}

static void fit_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    const sni_tracking *t = r->t;
    const sni_tracker_mesh *m = t->mesh;
    for (uint32_t i = begin; i < end; ++i) {
        // Columns of sum_j w_ij e_ij ehat_ij^T.
        sn_vec3 sums[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        double scale = 0;
        for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; ++k) {
            uint32_t j = m->neighbors[k];
            sn_vec3 now = sn_vec3_sub(t->positions[i], t->positions[j]);
            sn_vec3 rest = sn_vec3_scale(sn_vec3_sub(m->rest[i], m->rest[j]), m->weights[k]);
            sums[0] = sn_vec3_add_scaled(sums[0], rest.x, now);
            sums[1] = sn_vec3_add_scaled(sums[1], rest.y, now);
            sums[2] = sn_vec3_add_scaled(sums[2], rest.z, now);
            scale += m->weights[k] * sn_vec3_dot(rest, rest);
        }
        if (scale > 0) {
            for (int c = 0; c < 3; ++c) { // of the order of 1, whatever the size of the mesh
                sums[c] = sn_vec3_scale(sums[c], 1 / scale);
            }
            t->rotations[i] = sni_fit_rotation(sums, t->rotations[i]);
        }
    }
}

// The place of a vertex for which its ring would be as at rest, as rigid as possible (O. Sorkine,
// M. Alexa 2007), of which only the part within the surface is gone.
static void relax_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    const sni_tracking *t = r->t;
    const sni_tracker_mesh *m = t->mesh;
    for (uint32_t i = begin; i < end; ++i) {
        r->next[i] = t->positions[i];
        uint8_t status = t->statuses[i];
        if (m->fixed[i] || status == SNI_TRACK_SKIP || m->starts[i] == m->starts[i + 1]) {
            continue;
        }
        sn_vec3 sum = {0, 0, 0};
        double weight = 0;
        for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; ++k) {
            uint32_t j = m->neighbors[k];
            sn_vec3 rest = sn_vec3_sub(m->rest[i], m->rest[j]);
            sn_vec3 edge = sn_vec3_add(sn_quat_rotate(t->rotations[i], rest),
                                       sn_quat_rotate(t->rotations[j], rest));
            sn_vec3 place = sn_vec3_add_scaled(t->positions[j], 0.5, edge);
            sum = sn_vec3_add_scaled(sum, m->weights[k], place);
            weight += m->weights[k];
        }
        sn_vec3 way = sn_vec3_sub(sn_vec3_scale(sum, 1 / weight), t->positions[i]);
        if (status != SNI_TRACK_OUT && has_gradient(r->vertices[i].gradient)) {
            sn_vec3 normal = sn_vec3_normalize_or(r->vertices[i].gradient, sn_vec3_make(0, 0, 0));
            way = sn_vec3_add_scaled(way, -sn_vec3_dot(way, normal), normal);
        }
        double part =
            status == SNI_TRACK_CONTACT ? t->settings->contact_relaxation : t->settings->relaxation;
        r->next[i] = sn_vec3_add_scaled(t->positions[i], part, way);
        r->vertices[i].moved += part * sn_vec3_length(way);
    }
}

static void copy_next(const run *r) {
    for (uint32_t i = 0; i < r->t->mesh->vertex_count; ++i) {
        r->t->positions[i] = r->next[i];
    }
}

static bool is_settled(const run *r) {
    for (uint32_t i = 0; i < r->t->mesh->vertex_count; ++i) {
        if (r->t->statuses[i] == SNI_TRACK_ACTIVE) {
            return false;
        }
    }
    return true;
}

static void iterate(run *r) {
    const sni_tracking *t = r->t;
    uint32_t count = t->mesh->vertex_count;
    for (uint32_t k = 0; k < t->settings->iterations; ++k) {
        r->first = k == 0;
        sn_parallel_for(t->context, count, GRAIN, project_block, r);
        if (k == 0 && is_settled(r)) {
            break; // nothing has moved against the field
        }
        sn_parallel_for(t->context, count, GRAIN, fit_block, r);
        for (uint32_t sweep = 0; sweep < t->settings->sweeps; ++sweep) {
            sn_parallel_for(t->context, count, GRAIN, relax_block, r);
            copy_next(r);
        }
    }
}

// Vertices that left all fields go to the mean of neighbours that did not.
static void bring_back(const run *r) {
    const sni_tracking *t = r->t;
    const sni_tracker_mesh *m = t->mesh;
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        r->next[i] = t->positions[i];
        if (t->statuses[i] != SNI_TRACK_OUT) {
            continue;
        }
        sn_vec3 sum = {0, 0, 0};
        uint32_t found = 0;
        for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; ++k) {
            uint32_t j = m->neighbors[k];
            if (t->statuses[j] != SNI_TRACK_OUT) {
                sum = sn_vec3_add(sum, t->positions[j]);
                ++found;
            }
        }
        if (found > 0) {
            r->next[i] = sn_vec3_scale(sum, 1.0 / found);
        }
    }
    copy_next(r);
}

// Contact spreads over the ring around it, fading, and what it reaches is smoothed.
static void soften(run *r) {
    const sni_tracking *t = r->t;
    const sni_tracker_mesh *m = t->mesh;
    bool any = false;
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        r->vertices[i].soft = t->statuses[i] == SNI_TRACK_CONTACT ? 1 : 0;
        any = any || t->statuses[i] == SNI_TRACK_CONTACT;
    }
    if (!any) {
        return;
    }
    for (uint32_t pass = 0; pass < t->settings->diffusions; ++pass) {
        for (uint32_t i = 0; i < m->vertex_count; ++i) {
            double sum = r->vertices[i].soft;
            for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; ++k) {
                sum += r->vertices[m->neighbors[k]].soft;
            }
            r->softs[i] = sum / (m->starts[i + 1] - m->starts[i] + 1);
        }
        for (uint32_t i = 0; i < m->vertex_count; ++i) {
            r->vertices[i].soft = r->softs[i];
        }
    }
    for (uint32_t pass = 0; pass < t->settings->smoothings; ++pass) {
        for (uint32_t i = 0; i < m->vertex_count; ++i) {
            uint32_t degree = m->starts[i + 1] - m->starts[i];
            double soft = r->vertices[i].soft;
            r->next[i] = t->positions[i];
            if (!(soft > 0) || degree == 0 || m->fixed[i] || t->statuses[i] == SNI_TRACK_SKIP) {
                continue;
            }
            sn_vec3 sum = {0, 0, 0};
            for (uint32_t k = m->starts[i]; k < m->starts[i + 1]; ++k) {
                sum = sn_vec3_add(sum, t->positions[m->neighbors[k]]);
            }
            r->next[i] = sn_vec3_lerp(t->positions[i], sn_vec3_scale(sum, 1.0 / degree), soft);
        }
        copy_next(r);
    }
}

// Back to the values after smoothing. Vertices in contact go by small steps, and only where that
// brings them nearer without turning the gradient over.
static void settle_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const run *r = user;
    const sni_tracking *t = r->t;
    const sni_tracker_settings *s = t->settings;
    for (uint32_t i = begin; i < end; ++i) {
        uint8_t status = t->statuses[i];
        if (status == SNI_TRACK_SKIP || status == SNI_TRACK_OUT) {
            continue;
        }
        sni_field_value here = t->field(t->user, i, t->positions[i]).field;
        double miss = fabs(here.value - t->values[i]);
        if (!has_gradient(here.gradient) || miss < s->tolerance) {
            continue;
        }
        bool careful = status == SNI_TRACK_CONTACT;
        double longest = careful ? 0.2 * s->largest_step : s->largest_step;
        sn_vec3 step =
            newton_step(r->vertices[i].target, here.value, here.gradient, s->stride, longest);
        sn_vec3 to = sn_vec3_add(t->positions[i], step);
        if (careful) {
            sni_field_value there = t->field(t->user, i, to).field;
            if (fabs(there.value - t->values[i]) > miss ||
                sn_vec3_dot(there.gradient, here.gradient) < 0) {
                continue;
            }
        }
        t->positions[i] = to;
    }
}

static bool any_out(const run *r) {
    for (uint32_t i = 0; i < r->t->mesh->vertex_count; ++i) {
        if (r->t->statuses[i] == SNI_TRACK_OUT) {
            return true;
        }
    }
    return false;
}

bool sni_track(const sni_tracking *tracking, sni_arena *arena) {
    uint32_t count = tracking->mesh->vertex_count;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    run r = {.t = tracking,
             .vertices = sni_arena_alloc(arena, count, sizeof *r.vertices),
             .next = sni_arena_alloc(arena, count, sizeof *r.next),
             .softs = sni_arena_alloc(arena, count, sizeof *r.softs)};
    bool has_memory = r.vertices != NULL && r.next != NULL && r.softs != NULL;
    if (has_memory) {
        for (uint32_t i = 0; i < count; ++i) {
            r.vertices[i] = (vertex){.target = sni_support_inverse(tracking->values[i]),
                                     .last = tracking->positions[i]};
            if (tracking->statuses[i] != SNI_TRACK_SKIP) {
                tracking->statuses[i] = SNI_TRACK_ACTIVE;
            }
        }
        iterate(&r);
        if (any_out(&r)) {
            bring_back(&r);
            iterate(&r);
        }
        soften(&r);
        for (uint32_t k = 0; k < tracking->settings->projections; ++k) {
            sn_parallel_for(tracking->context, count, GRAIN, settle_block, &r);
        }
    }
    sni_arena_release(arena, mark);
    return has_memory;
}
