// SPDX-License-Identifier: Apache-2.0
//
// The vertices of a cylinder muscle on its path, and the scale of its sections (sections 4.2 to 4.4
// of the paper).
//
// Interior sections are scaled by sqrt(rest length / present length). Between parallel slices that
// keeps the volume exactly: areas grow as distances shrink, and moving a slice within its plane
// shears the space between. Sections at the ends and between slices that are not parallel change
// their volume; `exact` finds the one scale with which the whole mesh keeps its own. Vertices are
// linear in the scale, so the volume is a cubic polynomial of it.
#include "muscle/cylinder/cylinder.h"

#include <math.h>

// The scale is looked for within this factor of the one that the length asks for, by steps that
// double the difference.
static const double scale_range = 2;
static const double first_step = 1.05;

// The volume is kept this well, relative to that at rest; no pose at rest changes its scale.
static const double volume_tolerance = 1e-12;

static sn_vec3 in_frame(const sni_slice_frame *frame, sn_vec3 v) {
    sn_vec3 sum = sn_vec3_scale(frame->x, v.x);
    sum = sn_vec3_add_scaled(sum, v.y, frame->y);
    return sn_vec3_add_scaled(sum, v.z, frame->z);
}

// The thickness whose half is the distance of the axis from the bone's side of the muscle, at a
// node: there, slices stand on the axis. A pivot that is passed by has that of the way past it.
static double node_thickness(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                             uint32_t node, double scale, double before) {
    const sni_cylinder_node *nodes = cylinder->nodes;
    double own = cylinder->slices[nodes[node].slice].thickness;
    if (!nodes[node].is_pivot) {
        return own;
    }
    own *= scale;
    if (path->fixed[node]) {
        return own;
    }
    uint32_t next = node + 1;
    while (!path->fixed[next]) {
        ++next;
    }
    double after = node_thickness(cylinder, path, next, scale, 0);
    double share = (double)(nodes[node].slice - nodes[node - 1].slice) /
                   (nodes[next].slice - nodes[node - 1].slice);
    double passing = before + share * (after - before);
    return passing + path->effects[node] * (own - passing);
}

static void store(sn_vec3 p, double *numbers) {
    numbers[0] = p.x;
    numbers[1] = p.y;
    numbers[2] = p.z;
}

// How far slices stand outwards: by half of what they are thicker than the straight line between
// the nodes beside them, so that the muscle lies on its bone.
static void find_lifts(const sni_cylinder *cylinder, const sni_cylinder_path *path, double scale) {
    uint32_t last_slice = cylinder->rings.slice_count - 1;
    double before = node_thickness(cylinder, path, 0, scale, 0);
    for (uint32_t i = 0; i + 1 < cylinder->node_count; ++i) {
        uint32_t first = cylinder->nodes[i].slice, last = cylinder->nodes[i + 1].slice;
        double after = node_thickness(cylinder, path, i + 1, scale, before);
        for (uint32_t slice = first; slice <= last; ++slice) {
            bool interior = slice > 0 && slice < last_slice;
            double share = (double)(slice - first) / (last - first);
            double on_bone = before + share * (after - before);
            double thickness = cylinder->slices[slice].thickness * scale;
            path->lifts[slice] = interior ? (thickness - on_bone) / 2 : 0;
        }
        before = after;
    }
}

void sni_cylinder_keep_lifts(sni_cylinder *cylinder, const sni_cylinder_path *path) {
    find_lifts(cylinder, path, 1);
    for (uint32_t i = 0; i < cylinder->rings.slice_count; ++i) {
        cylinder->slices[i].rest_lift = path->lifts[i];
    }
}

// The vertices of one slice.
static void shape_slice(const sni_cylinder *cylinder, const sni_cylinder_path *path, uint32_t index,
                        double scale, double *points) {
    const sni_cylinder_slice *slice = &cylinder->slices[index];
    const sni_slice_frame *frame = &path->frames[index];
    bool interior = index > 0 && index + 1 < cylinder->rings.slice_count;
    double own_scale = interior ? scale : 1;
    double stretch =
        interior && cylinder->rest_length > 0 ? path->length / cylinder->rest_length : 1;
    double lift = cylinder->lift * (path->lifts[index] - slice->rest_lift);
    sn_vec3 offset = {slice->move.x, slice->move.y, slice->move.z * stretch};
    offset = sn_vec3_add_scaled(offset, lift, slice->outward);
    sn_vec3 center = sn_vec3_add(frame->origin, in_frame(frame, offset));
    sn_vec3 x = in_frame(frame, slice->x), y = in_frame(frame, slice->y);
    for (uint32_t j = 0; j < cylinder->rings.ring_count; ++j) {
        const double *at = cylinder->circle + 2 * (size_t)j;
        sn_vec3 p = sn_vec3_add_scaled(center, own_scale * slice->width / 2 * at[0], x);
        p = sn_vec3_add_scaled(p, -own_scale * slice->thickness / 2 * at[1], y);
        store(p, points + 3 * (size_t)j);
    }
}

void sni_cylinder_shape(const sni_cylinder *cylinder, const sni_cylinder_path *path, double scale,
                        double *points) {
    uint32_t n = cylinder->rings.ring_count, slice_count = cylinder->rings.slice_count;
    double *axis = points + 3 * (size_t)n * slice_count;
    find_lifts(cylinder, path, scale);
    for (uint32_t slice = 0; slice < slice_count; ++slice) {
        shape_slice(cylinder, path, slice, scale, points + 3 * (size_t)n * slice);
    }
    sni_cylinder_store_axis(cylinder, path, axis);
}

// By how much the volume at a scale differs from that at rest, relative to it.
static double excess(const sni_cylinder *cylinder, const sni_cylinder_path *path, double scale,
                     double *points) {
    double volume, area;
    sni_cylinder_shape(cylinder, path, scale, points);
    sni_rings_measure(&cylinder->rings, points, &volume, &area);
    return volume / cylinder->rest_volume - 1;
}

typedef struct bracket {
    double near, near_excess; // towards the scale that the length asks for
    double far, far_excess;   // of the other sign
} bracket;

// Goes away from the scale of the length until the excess changes its sign. Too large a volume
// asks for smaller sections.
static bool find_bracket(const sni_cylinder *cylinder, const sni_cylinder_path *path, double start,
                         double start_excess, double *points, bracket *b) {
    double factor = first_step;
    *b = (bracket){.near = start, .near_excess = start_excess};
    for (;;) {
        double reach = fmin(factor, scale_range);
        b->far = start_excess > 0 ? start / reach : start * reach;
        b->far_excess = excess(cylinder, path, b->far, points);
        if ((b->far_excess > 0) != (start_excess > 0)) {
            return true;
        }
        if (!(factor < scale_range)) {
            return false;
        }
        b->near = b->far;
        b->near_excess = b->far_excess;
        factor = factor * factor;
    }
}

// Illinois' method: false position, where an end that stays loses half its weight.
static double find_root(const sni_cylinder *cylinder, const sni_cylinder_path *path, bracket b,
                        double *points) {
    double a = b.near, fa = b.near_excess, c = b.far, fc = b.far_excess, x = c;
    for (int round = 0; round < 100; ++round) {
        x = (fa * c - fc * a) / (fa - fc);
        double fx = excess(cylinder, path, x, points);
        if (fabs(fx) <= volume_tolerance || x == a || x == c) {
            break;
        }
        if ((fx > 0) != (fc > 0)) {
            a = c;
            fa = fc;
        } else {
            fa /= 2;
        }
        c = x;
        fc = fx;
    }
    return x;
}

bool sni_cylinder_find_scale(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                             double *points, double *scale) {
    *scale = sni_section_scale(cylinder->rest_length, path->length);
    if (!cylinder->exact) {
        return true;
    }
    double start_excess = excess(cylinder, path, *scale, points);
    if (fabs(start_excess) <= volume_tolerance) {
        return true;
    }
    bracket b;
    if (!find_bracket(cylinder, path, *scale, start_excess, points, &b)) {
        *scale = fabs(b.far_excess) < fabs(start_excess) ? b.far : *scale;
        return false;
    }
    *scale = find_root(cylinder, path, b, points);
    return true;
}
