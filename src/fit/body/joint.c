// SPDX-License-Identifier: Apache-2.0
//
// Two segments meet in the near contact: the pieces of surface of either side that are hardly
// further from the other side than the least gap. It is thin cartilage that parts them, so the
// contact is the joint's own surface; its curvature tells where the joint turns.
//
// Sphere: minimises sum w (|p|^2 - 2 c.p - k)^2, linear in c and k = r^2 - |c|^2 (Pratt's algebraic
// fit), first over the contact, then over all of the bone that lies on the sphere with normals
// along its radii, until that no longer changes. It is believed where much of a sphere is there.
//
// Hinge: the normals of a surface of revolution meet its axis. The point nearest to all normals p +
// s n minimises sum w |(I - n n^T)(c - p)|^2; along an axis, and where the contact is flat, the
// middle of the contact decides through a small weight.
#include "fit/body/joint.h"

#include <stdio.h>
#include <string.h>

// The contact reaches so far beyond the least gap: half of that, or this part of the root of the
// smaller side's surface (5 mm for a human femur, 0.7 mm for a phalanx). A knee has menisci and
// one side that is wider than the other.
static const double contact_share = 0.02, knee_share = 0.04;

// A surface in contact faces the other one: the cosine between its normal and the way there.
static const double facing = 0.3;

// A head has at least this part of a full sphere, and lies on it to this part of the radius.
static const double least_sphere = 0.2, largest_error = 0.08;

// Where anatomy does not tell that there is a head, it is no larger than this many radii of the
// contact: a whole skull is no joint.
static const double largest_ball = 2.5;

// A piece of surface lies on the sphere when it is this near, as a part of the radius, and its
// normal is along the radius to this cosine.
static const double on_sphere = 0.12, along_radius = 0.9;

static const int sphere_rounds = 12;

// Weight of the contact's middle against the normals of a hinge.
static const double middle_weight = 0.03;

static const int axis_rounds = 8;

// How far around the axis the bone counts, in mean distances of the contact.
static const double axis_reach = 1.3;

// The axis of a hinge is no further from the contact's middle than this many radii of the contact,
// nor, where anatomy does not tell that there is one, than this many radii of a disc of its area:
// bones that touch in two places far apart have no axis there.
static const double hinge_reach = 2.5, hinge_depth = 2.5;

typedef struct contact {
    uint32_t count;
    sni_sample *samples;
    const sni_shape **shapes; // whose samples they are
    sn_vec3 middle;
    double area;
    double radius; // root mean square distance from the middle
} contact;

typedef struct finder {
    sn_context *context;
    sni_joint_side sides[2]; // parent, child
    sni_joint_convex convex;
    contact contacts[2];
    double gap;
    double share;    // see contact_share
    bool grow;       // a hinge's axis is found by more of the bone than its contact
    double reach[2]; // of the contact: left half, right half
    double plane;    // that parts the halves; without them all is left of it
    double front;    // no contact lies before this z
    uint32_t nearest[2];
} finder;

// ---------------------------------------------------------------------------------------------
// Contact

static int half_of(const finder *f, sn_vec3 point) {
    return point.x < f->plane;
}

static void find_gap(finder *f) {
    f->gap = INFINITY;
    for (uint32_t i = 0; i < f->sides[0].count; ++i) {
        for (uint32_t k = 0; k < f->sides[1].count; ++k) {
            double gap = sni_shape_gap(f->sides[0].shapes[i], f->sides[1].shapes[k], f->gap);
            if (gap < f->gap) {
                f->gap = gap;
                f->nearest[0] = i;
                f->nearest[1] = k;
            }
        }
    }
}

static double area_of(sni_joint_side side) {
    double area = 0;
    for (uint32_t i = 0; i < side.count; ++i) {
        area += side.shapes[i]->area;
    }
    return area;
}

static double reach_of(const finder *f, double gap) {
    double area = fmin(area_of(f->sides[0]), area_of(f->sides[1]));
    return gap + fmax(0.5 * gap, f->share * sqrt(area));
}

// Paired joints are never equally close on both sides: each half has its own least gap.
static void reach_halves(finder *f, int paired_side) {
    const sni_shape *shape = f->sides[paired_side].shapes[f->nearest[paired_side]];
    double least[2] = {INFINITY, INFINITY};
    f->plane = 0.5 * (shape->low.x + shape->high.x);
    for (uint32_t i = 0; i < shape->sample_count; ++i) {
        sn_vec3 p = shape->samples[i].point;
        int half = half_of(f, p);
        for (uint32_t k = 0; p.z < f->front && k < f->sides[1 - paired_side].count; ++k) {
            sn_closest closest;
            sn_accel_find_closest(f->sides[1 - paired_side].shapes[k]->accel, p, least[half],
                                  &closest);
            least[half] = closest.triangle != SN_NONE ? closest.distance : least[half];
        }
    }
    for (int half = 0; half < 2; ++half) {
        f->reach[half] = isfinite(least[half]) ? reach_of(f, least[half]) : 0;
    }
}

static bool is_near(const finder *f, int other, const sni_sample *sample) {
    sn_vec3 point = sample->point;
    double reach = f->reach[half_of(f, point)];
    for (uint32_t i = 0; i < f->sides[other].count && point.z < f->front; ++i) {
        const sni_shape *shape = f->sides[other].shapes[i];
        sn_vec3 out = sn_vec3_max(sn_vec3_sub(shape->low, point), sn_vec3_sub(point, shape->high));
        if (sn_vec3_length(sn_vec3_max(out, sn_vec3_make(0, 0, 0))) > reach) {
            continue;
        }
        sn_closest closest;
        sn_accel_find_closest(shape->accel, point, reach, &closest);
        sn_vec3 way = sn_vec3_sub(closest.point, point);
        if (closest.triangle != SN_NONE &&
            sn_vec3_dot(way, sample->normal) >= facing * sn_vec3_length(way)) {
            return true;
        }
    }
    return false;
}

static void measure_contact(contact *c) {
    for (uint32_t i = 0; i < c->count; ++i) {
        c->area += c->samples[i].area;
        c->middle = sn_vec3_add_scaled(c->middle, c->samples[i].area, c->samples[i].point);
    }
    c->middle = sn_vec3_scale(c->middle, c->area > 0 ? 1 / c->area : 0);
    double sum = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        sn_vec3 way = sn_vec3_sub(c->samples[i].point, c->middle);
        sum += c->samples[i].area * sn_vec3_dot(way, way);
    }
    c->radius = c->area > 0 ? sqrt(sum / c->area) : 0;
}

static sn_status collect_contact(finder *f, int side, sn_error *error) {
    sn_status status = SN_OK;
    contact *c = &f->contacts[side];
    size_t most = 0;
    for (uint32_t i = 0; i < f->sides[side].count; ++i) {
        most += f->sides[side].shapes[i]->sample_count;
    }
    SNI_NEW(f->context, c->samples, most);
    SNI_NEW(f->context, c->shapes, most);
    for (uint32_t i = 0; i < f->sides[side].count; ++i) {
        const sni_shape *shape = f->sides[side].shapes[i];
        for (uint32_t k = 0; k < shape->sample_count; ++k) {
            if (is_near(f, 1 - side, &shape->samples[k])) {
                c->shapes[c->count] = shape;
                c->samples[c->count++] = shape->samples[k];
            }
        }
    }
    measure_contact(c);
cleanup:
    return status;
}

// A side may have no sample within reach where the other's are: then its nearest point stands in.
static sn_vec3 contact_middle(const finder *f) {
    const contact *a = &f->contacts[0], *b = &f->contacts[1];
    if (a->count > 0 && b->count > 0) {
        return sn_vec3_lerp(a->middle, b->middle, 0.5);
    }
    const contact *known = a->count > 0 ? a : b;
    int other = a->count > 0 ? 1 : 0;
    sn_closest closest;
    sn_accel_find_closest(f->sides[other].shapes[f->nearest[other]]->accel, known->middle, INFINITY,
                          &closest);
    return sn_vec3_lerp(known->middle, closest.point, 0.5);
}

static bool may_be_convex(const finder *f, int side) {
    return f->convex == SNI_CONVEX_EITHER || (f->convex == SNI_CONVEX_CHILD) == (side == 1);
}

// ---------------------------------------------------------------------------------------------
// Small linear systems

// Solves a x = b by elimination with pivots; false where it is singular. Overwrites both.
static bool solve(int n, double a[4][4], double b[4]) {
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int r = i + 1; r < n; ++r) {
            pivot = fabs(a[r][i]) > fabs(a[pivot][i]) ? r : pivot;
        }
        if (!(fabs(a[pivot][i]) > 1e-14)) { // systems are scaled to entries about 1
            return false;
        }
        for (int k = 0; k < n; ++k) {
            double swapped = a[i][k];
            a[i][k] = a[pivot][k];
            a[pivot][k] = swapped;
        }
        double swapped = b[i];
        b[i] = b[pivot];
        b[pivot] = swapped;
        for (int r = 0; r < n; ++r) {
            double factor = r != i ? a[r][i] / a[i][i] : 0;
            for (int k = 0; k < n; ++k) {
                a[r][k] -= factor * a[i][k];
            }
            b[r] -= factor * b[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        b[i] /= a[i][i];
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Spheres

typedef struct ball {
    sn_vec3 center;
    double radius, error;
    double share; // of a full sphere
} ball;

// Sums of the fit about `origin`, in units of `scale`.
typedef struct ball_sums {
    sn_vec3 origin;
    double scale, a[4][4], b[4];
} ball_sums;

static void add_to_ball(ball_sums *sums, const sni_sample *sample) {
    sn_vec3 p = sn_vec3_scale(sn_vec3_sub(sample->point, sums->origin), 1 / sums->scale);
    double w = sample->area / (sums->scale * sums->scale);
    double row[4] = {2 * p.x, 2 * p.y, 2 * p.z, 1}, value = sn_vec3_dot(p, p);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            sums->a[i][k] += w * row[i] * row[k];
        }
        sums->b[i] += w * row[i] * value;
    }
}

static bool solve_ball(ball_sums *sums, ball *found) {
    if (!solve(4, sums->a, sums->b)) {
        return false;
    }
    sn_vec3 c = {sums->b[0], sums->b[1], sums->b[2]};
    double squared = sums->b[3] + sn_vec3_dot(c, c);
    found->center = sn_vec3_add_scaled(sums->origin, sums->scale, c);
    found->radius = squared > 0 ? sums->scale * sqrt(squared) : 0;
    return found->radius > 0;
}

static bool lies_on(const ball *b, const sni_sample *sample) {
    sn_vec3 out = sn_vec3_sub(sample->point, b->center);
    double distance = sn_vec3_length(out);
    return fabs(distance - b->radius) < on_sphere * b->radius &&
           sn_vec3_dot(out, sample->normal) > along_radius * distance;
}

static void measure_ball(const sni_shape *shape, ball *b) {
    double area = 0, sum = 0;
    for (uint32_t i = 0; i < shape->sample_count; ++i) {
        if (lies_on(b, &shape->samples[i])) {
            double off = sn_vec3_distance(shape->samples[i].point, b->center) - b->radius;
            area += shape->samples[i].area;
            sum += shape->samples[i].area * off * off;
        }
    }
    b->share = area / (4 * SN_PI * b->radius * b->radius);
    b->error = area > 0 ? sqrt(sum / area) : INFINITY;
}

// What part of the contact lies on the sphere: less than half, and it has wandered off to another
// knob of the bone.
static double contact_on_ball(const contact *c, const ball *b) {
    double area = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        area += lies_on(b, &c->samples[i]) ? c->samples[i].area : 0;
    }
    return area / c->area;
}

static bool grow_ball(const sni_shape *shape, ball *b) {
    for (int round = 0; round < sphere_rounds; ++round) {
        ball_sums grown = {.origin = b->center, .scale = b->radius};
        for (uint32_t i = 0; i < shape->sample_count; ++i) {
            if (lies_on(b, &shape->samples[i])) {
                add_to_ball(&grown, &shape->samples[i]);
            }
        }
        if (!solve_ball(&grown, b)) {
            return false;
        }
    }
    measure_ball(shape, b);
    return true;
}

static bool fit_ball(const finder *f, int side, ball *b) {
    const contact *c = &f->contacts[side];
    const sni_shape *shape = f->sides[side].shapes[f->nearest[side]];
    if (c->count < 8 || !(c->radius > 0)) {
        return false;
    }
    ball_sums sums = {.origin = c->middle, .scale = c->radius};
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->shapes[i] == shape) {
            add_to_ball(&sums, &c->samples[i]);
        }
    }
    return solve_ball(&sums, b) && grow_ball(shape, b) && b->share >= least_sphere &&
           (f->convex != SNI_CONVEX_EITHER || b->radius <= largest_ball * c->radius) &&
           b->error <= largest_error * b->radius && contact_on_ball(c, b) >= 0.5;
}

static bool find_ball(const finder *f, sni_joint *joint) {
    double best = 0;
    for (int side = 0; side < 2; ++side) {
        ball b;
        if (may_be_convex(f, side) && fit_ball(f, side, &b) && b.share > best) {
            best = b.share;
            joint->way = SNI_JOINT_BALL;
            joint->center = b.center;
            joint->radius = b.radius;
            joint->error = b.error;
        }
    }
    return best > 0;
}

// ---------------------------------------------------------------------------------------------
// Hinges

// Sums for the point nearest to normals.
typedef struct axis_sums {
    double a[4][4], b[4]; // about `origin`
    sn_vec3 origin, middle;
    double area, depth; // depth: mean distance of `origin` behind the surface
} axis_sums;

static void add_to_axis(axis_sums *sums, const sni_sample *sample) {
    double n[3] = {sample->normal.x, sample->normal.y, sample->normal.z};
    sn_vec3 way = sn_vec3_sub(sample->point, sums->origin);
    double p[3] = {way.x, way.y, way.z};
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            double across = (r == k) - n[r] * n[k];
            sums->a[r][k] += sample->area * across;
            sums->b[r] += sample->area * across * p[k];
        }
    }
    sums->area += sample->area;
    sums->middle = sn_vec3_add_scaled(sums->middle, sample->area, way);
    sums->depth += sample->area * sn_vec3_dot(way, sample->normal);
}

// Divides by the area, and lets the middle of what was added count a little.
static bool solve_axis(axis_sums *sums, sn_vec3 *center) {
    if (!(sums->area > 0)) {
        return false;
    }
    double m[3] = {sums->middle.x, sums->middle.y, sums->middle.z};
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            sums->a[r][k] /= sums->area;
        }
        sums->a[r][r] += middle_weight;
        sums->b[r] = (sums->b[r] + middle_weight * m[r]) / sums->area;
    }
    bool solved = solve(3, sums->a, sums->b);
    *center = sn_vec3_add(sums->origin, sn_vec3_make(sums->b[0], sums->b[1], sums->b[2]));
    return solved;
}

static bool faces_away(const sni_sample *sample, sn_vec3 center, double cosine) {
    sn_vec3 out = sn_vec3_sub(sample->point, center);
    return sn_vec3_dot(out, sample->normal) > cosine * sn_vec3_length(out);
}

// First all of the contact, then what faces away from the axis found so far, at last what does so
// on the whole bone around it: condyles go on behind the contact of a straight leg.
static bool find_axis(const finder *f, int side, sn_vec3 *center, double *depth) {
    const contact *c = &f->contacts[side];
    const sni_shape *shape = f->sides[side].shapes[f->nearest[side]];
    axis_sums sums = {.origin = c->middle};
    for (uint32_t i = 0; i < c->count; ++i) {
        add_to_axis(&sums, &c->samples[i]);
    }
    for (int round = 0; round < axis_rounds; ++round) {
        if (!solve_axis(&sums, center)) {
            return false;
        }
        sums = (axis_sums){.origin = *center};
        double reach = 0;
        for (uint32_t i = 0; i < c->count; ++i) {
            if (faces_away(&c->samples[i], *center, 0)) {
                add_to_axis(&sums, &c->samples[i]);
                reach += c->samples[i].area * sn_vec3_distance(c->samples[i].point, *center);
            }
        }
        reach = sums.area > 0 ? axis_reach * reach / sums.area : 0;
        for (uint32_t i = 0; f->grow && i < shape->sample_count; ++i) {
            const sni_sample *sample = &shape->samples[i];
            if (sn_vec3_distance(sample->point, *center) < reach &&
                faces_away(sample, *center, 0.5)) {
                add_to_axis(&sums, sample);
            }
        }
    }
    *depth = sums.area > 0 ? sums.depth / sums.area : 0;
    double away = sn_vec3_distance(*center, c->middle);
    bool known = f->convex != SNI_CONVEX_EITHER;
    return away < hinge_reach * c->radius && (known || away < hinge_depth * sqrt(c->area / SN_PI));
}

// The convex side's axis lies within its bone, the concave side's in front of it.
static bool find_hinge(const finder *f, sni_joint *joint) {
    double deepest = 0;
    for (int side = 0; side < 2; ++side) {
        sn_vec3 center;
        double depth;
        if (may_be_convex(f, side) && f->contacts[side].count >= 3 &&
            find_axis(f, side, &center, &depth) && depth > deepest) {
            deepest = depth;
            joint->way = SNI_JOINT_HINGE;
            joint->center = center;
            joint->radius = depth;
        }
    }
    return deepest > 0;
}

// ---------------------------------------------------------------------------------------------
// Vertebrae, jaws and heads

// The body is the thickest part of a vertebra; the disc lies where the line between two bodies
// leaves the one and enters the other.
static bool find_disc(const finder *f, sni_joint *joint) {
    const sni_shape *below = f->sides[0].shapes[f->nearest[0]];
    const sni_shape *above = f->sides[1].shapes[f->nearest[1]];
    double r, s;
    sn_vec3 a = sni_shape_thickest(below, &r), b = sni_shape_thickest(above, &s);
    sn_vec3 out = sni_shape_exit(below, a, b), in = sni_shape_exit(above, b, a);
    double length = sn_vec3_distance(a, b);
    if (!(r > 0 && s > 0) || sn_vec3_distance(out, in) > 0.6 * length) {
        return false;
    }
    joint->way = SNI_JOINT_DISC;
    joint->center = sn_vec3_lerp(out, in, 0.5);
    joint->radius = sn_vec3_distance(out, in);
    return true;
}

// The middle of the two halves' middles, however large the contacts are.
static bool find_pair(finder *f, int side, sni_joint *joint) {
    const contact *c = &f->contacts[side];
    sn_vec3 middles[2] = {{0, 0, 0}, {0, 0, 0}};
    double areas[2] = {0, 0};
    for (uint32_t i = 0; i < c->count; ++i) {
        int half = half_of(f, c->samples[i].point);
        areas[half] += c->samples[i].area;
        middles[half] = sn_vec3_add_scaled(middles[half], c->samples[i].area, c->samples[i].point);
    }
    if (!(areas[0] > 0 && areas[1] > 0)) {
        return false;
    }
    for (int half = 0; half < 2; ++half) {
        middles[half] = sn_vec3_scale(middles[half], 1 / areas[half]);
    }
    joint->way = SNI_JOINT_JAW;
    joint->center = sn_vec3_lerp(middles[0], middles[1], 0.5);
    joint->radius = 0.5 * sn_vec3_distance(middles[0], middles[1]);
    return true;
}

static void close_finder(finder *f) {
    for (int side = 0; side < 2; ++side) {
        sni_free(f->context, f->contacts[side].samples);
        sni_free(f->context, f->contacts[side].shapes);
    }
}

// The heads of a jaw lie in its hindmost third: teeth in contact are nearer to each other than the
// joint's bones are.
static void set_reach(finder *f, sni_joint_way way) {
    f->share = way == SNI_JOINT_KNEE ? knee_share : contact_share;
    f->grow = way == SNI_JOINT_KNEE;
    f->plane = -INFINITY;
    f->front = INFINITY;
    f->reach[0] = f->reach[1] = reach_of(f, f->gap);
    if (way == SNI_JOINT_JAW) {
        const sni_shape *jaw = f->sides[1].shapes[f->nearest[1]];
        f->front = jaw->low.z + (jaw->high.z - jaw->low.z) / 3;
        reach_halves(f, 1);
    } else if (way == SNI_JOINT_CONDYLES) {
        reach_halves(f, 0);
    }
}

static bool find_center(finder *f, sni_joint_way way, sni_joint *joint) {
    switch (way) {
    case SNI_JOINT_DISC: return find_disc(f, joint);
    case SNI_JOINT_JAW: return find_pair(f, 1, joint);
    case SNI_JOINT_BALL: return find_ball(f, joint) || find_hinge(f, joint);
    case SNI_JOINT_HINGE:
    case SNI_JOINT_KNEE:
    case SNI_JOINT_CONDYLES: return find_hinge(f, joint);
    case SNI_JOINT_CONTACT: break;
    }
    return false;
}

sn_status sni_joint_find(sn_context *context, sni_joint_way way, sni_joint_convex convex,
                         sni_joint_side parent, sni_joint_side child, sni_joint *joint,
                         sn_error *error) {
    SN_ASSERT(parent.count > 0 && child.count > 0);
    sn_status status = SN_OK;
    finder f = {.context = context, .sides = {parent, child}, .convex = convex};
    *joint = (sni_joint){.way = SNI_JOINT_CONTACT};
    find_gap(&f);
    set_reach(&f, way);
    SN_TRY(collect_contact(&f, 0, error));
    SN_TRY(collect_contact(&f, 1, error));
    joint->gap = f.gap;
    joint->contact = joint->center = contact_middle(&f);
    find_center(&f, way, joint);
cleanup:
    close_finder(&f);
    return status;
}

void sni_joint_describe(const sni_joint *joint, char *text, size_t size) {
    const double mm = 1000;
    switch (joint->way) {
    case SNI_JOINT_BALL:
        snprintf(text, size, "sphere of %.1f mm, fit %.1f mm", mm * joint->radius,
                 mm * joint->error);
        break;
    case SNI_JOINT_HINGE:
    case SNI_JOINT_KNEE:
    case SNI_JOINT_CONDYLES:
        snprintf(text, size, "axis %.1f mm behind the contact, gap %.1f mm", mm * joint->radius,
                 mm * joint->gap);
        break;
    case SNI_JOINT_DISC:
        snprintf(text, size, "middle of a disc of %.1f mm", mm * joint->radius);
        break;
    case SNI_JOINT_JAW:
        snprintf(text, size, "middle of two heads %.0f mm apart", 2 * mm * joint->radius);
        break;
    case SNI_JOINT_CONTACT:
        snprintf(text, size, "middle of the contact, gap %.1f mm", mm * joint->gap);
        break;
    }
}
