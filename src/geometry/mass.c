// SPDX-License-Identifier: Apache-2.0
//
// Mass properties of polyhedra (Lien and Kajiya 1984): the solid is the signed sum of tetrahedra
// from a reference point to each triangle (p, q, r). With D = p . (q x r) and s = p + q + r:
//
//     V    = sum D / 6                                                            (C.2)
//     S    = sum D / 24 s                          first moments                  (C.3)
//     M_ij = sum D / 120 (p_i p_j + q_i q_j + r_i r_j + s_i s_j)                  (C.4)
//     g    = S / V,  Mc = M - V g g^T,  I = tr(Mc) Id - Mc                         (C.5)
//
// D is signed: faces seen from behind subtract. The reference point is the mean of the corners, so
// that a small solid far from the origin loses no digits.
#include "sinew/geometry.h"

#include "base/memory.h"
#include "geometry/triangle.h"

#include <string.h>

// Triangles per block.
static const uint32_t grain = 4096;

// A volume below this, relative to that of a cube with the same area, is rounding: the surface is
// flat, or open and seen edge-on.
static const double no_volume = 1e-13;

// What one block adds up, and the whole.
typedef struct sums {
    double volume;    // 6 V
    double area;      // 2 A
    double first[3];  // 24 S
    double second[6]; // 120 M: xx yy zz xy xz yz
} sums;

typedef struct mass_job {
    const float *positions;
    const uint32_t *vertices;
    sn_vec3 reference;
    sums *partials;         // one per block
    sn_vec3 *corner_totals; // one per block
} mass_job;

static sn_vec3 load(const mass_job *job, size_t corner) {
    return sn_vec3_load(job->positions + 3 * (size_t)job->vertices[corner]);
}

static void add_corners(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const mass_job *job = user;
    sn_vec3 total = {0, 0, 0};
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
        total = sn_vec3_add(total, load(job, i));
    }
    job->corner_totals[begin / grain] = total;
}

static void add_triangle(sums *total, sn_vec3 p, sn_vec3 q, sn_vec3 r) {
    double d = sn_vec3_dot(p, sn_vec3_cross(q, r));
    sn_vec3 s = sn_vec3_add(p, sn_vec3_add(q, r));
    total->volume += d;
    total->area += sn_vec3_length(sni_triangle_vector(p, q, r));
    total->first[0] += d * s.x;
    total->first[1] += d * s.y;
    total->first[2] += d * s.z;
    total->second[0] += d * (p.x * p.x + q.x * q.x + r.x * r.x + s.x * s.x);
    total->second[1] += d * (p.y * p.y + q.y * q.y + r.y * r.y + s.y * s.y);
    total->second[2] += d * (p.z * p.z + q.z * q.z + r.z * r.z + s.z * s.z);
    total->second[3] += d * (p.x * p.y + q.x * q.y + r.x * r.y + s.x * s.y);
    total->second[4] += d * (p.x * p.z + q.x * q.z + r.x * r.z + s.x * s.z);
    total->second[5] += d * (p.y * p.z + q.y * q.z + r.y * r.z + s.y * s.z);
}

static void add_triangles(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const mass_job *job = user;
    sums total = {0};
    for (uint32_t t = begin; t < end; ++t) {
        size_t corner = 3 * (size_t)t;
        add_triangle(&total, sn_vec3_sub(load(job, corner), job->reference),
                     sn_vec3_sub(load(job, corner + 1), job->reference),
                     sn_vec3_sub(load(job, corner + 2), job->reference));
    }
    job->partials[begin / grain] = total;
}

static void add_sums(sums *total, const sums *part) {
    total->volume += part->volume;
    total->area += part->area;
    for (int i = 0; i < 3; ++i) {
        total->first[i] += part->first[i];
    }
    for (int i = 0; i < 6; ++i) {
        total->second[i] += part->second[i];
    }
}

// (C.5), all about the reference point.
static void shift_to_centroid(const sums *total, sn_vec3 reference, sn_mass *mass) {
    double v = mass->volume;
    sn_vec3 g = sn_vec3_scale(sn_vec3_make(total->first[0], total->first[1], total->first[2]),
                              1 / (24 * v));
    double xx = total->second[0] / 120 - v * g.x * g.x;
    double yy = total->second[1] / 120 - v * g.y * g.y;
    double zz = total->second[2] / 120 - v * g.z * g.z;
    double xy = total->second[3] / 120 - v * g.x * g.y;
    double xz = total->second[4] / 120 - v * g.x * g.z;
    double yz = total->second[5] / 120 - v * g.y * g.z;
    const double inertia[9] = {yy + zz, -xy, -xz, -xy, xx + zz, -yz, -xz, -yz, xx + yy};
    memcpy(mass->inertia, inertia, sizeof inertia);
    mass->centroid = sn_vec3_add(reference, g);
}

// The mean of the vertices that triangles use, each counted once.
static sn_status mean_vertex(sn_context *context, const mass_job *job, uint32_t triangle_count,
                             sn_vec3 *mean, sn_error *error) {
    sn_status status = SN_OK;
    size_t corner_count = 3 * (size_t)triangle_count;
    uint32_t highest = 0;
    for (size_t i = 0; i < corner_count; ++i) {
        highest = job->vertices[i] > highest ? job->vertices[i] : highest;
    }
    uint8_t *is_used = NULL;
    SNI_NEW_ZERO(context, is_used, (size_t)highest + 1);
    sn_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    for (size_t i = 0; i < corner_count; ++i) {
        if (!is_used[job->vertices[i]]) {
            is_used[job->vertices[i]] = 1;
            sum = sn_vec3_add(sum, sn_vec3_sub(load(job, i), job->reference));
            ++count;
        }
    }
    *mean = sn_vec3_add_scaled(job->reference, 1.0 / count, sum);
cleanup:
    sni_free(context, is_used);
    return status;
}

sn_status sn_mass_compute(sn_context *context, const float *positions, const uint32_t *vertices,
                          uint32_t triangle_count, sn_mass *mass, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t block_count = triangle_count / grain + (triangle_count % grain != 0);
    mass_job job = {.positions = positions, .vertices = vertices};
    *mass = (sn_mass){0};
    if (triangle_count == 0) {
        return SN_OK;
    }
    SNI_NEW(context, job.corner_totals, block_count);
    SNI_NEW(context, job.partials, block_count);
    sn_parallel_for(context, triangle_count, grain, add_corners, &job);
    for (uint32_t block = 0; block < block_count; ++block) {
        job.reference = sn_vec3_add(job.reference, job.corner_totals[block]);
    }
    job.reference = sn_vec3_scale(job.reference, 1 / (3.0 * triangle_count));
    sn_parallel_for(context, triangle_count, grain, add_triangles, &job);
    sums total = {0};
    for (uint32_t block = 0; block < block_count; ++block) {
        add_sums(&total, &job.partials[block]);
    }
    mass->area = total.area / 2;
    mass->volume = total.volume / 6;
    if (fabs(mass->volume) > no_volume * pow(mass->area / 6, 1.5)) {
        shift_to_centroid(&total, job.reference, mass);
    } else {
        mass->volume = 0;
        SN_TRY(mean_vertex(context, &job, triangle_count, &mass->centroid, error));
    }
cleanup:
    sni_free(context, job.corner_totals);
    sni_free(context, job.partials);
    return status;
}
