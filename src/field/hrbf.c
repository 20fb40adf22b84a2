// SPDX-License-Identifier: Apache-2.0
#include "field/hrbf.h"

#include "base/dense.h"

enum { LEAST_SAMPLES = 4, BLOCK = 4 };

// Samples are fitted in units of half the diagonal of their box, from its middle, so that the
// equations are as well conditioned for a finger as for a house.
typedef struct frame {
    sn_vec3 origin;
    double unit; // metres
} frame;

static frame frame_of(const sni_hrbf_sample *samples, uint32_t count) {
    sn_vec3 low = samples[0].point, high = samples[0].point;
    for (uint32_t i = 1; i < count; ++i) {
        low = sn_vec3_min(low, samples[i].point);
        high = sn_vec3_max(high, samples[i].point);
    }
    return (frame){sn_vec3_lerp(low, high, 0.5), sn_vec3_distance(low, high) / 2};
}

static sn_vec3 into_frame(frame f, sn_vec3 point) {
    return sn_vec3_scale(sn_vec3_sub(point, f.origin), 1 / f.unit);
}

static sn_status check_samples(const sni_hrbf_sample *samples, uint32_t count, frame f,
                               sn_error *error) {
    static const double closest = 1e-6; // of the box's diagonal
    static const double unit_length = 1e-6;
    if (!(f.unit > 0) || !isfinite(f.unit)) {
        return sni_fail(error, SN_INVALID, "the samples of a field all lie in one point");
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!(fabs(sn_vec3_length(samples[i].normal) - 1) < unit_length)) {
            return sni_fail(error, SN_INVALID, "the normal of sample %u has length %g, not 1", i,
                            sn_vec3_length(samples[i].normal));
        }
        for (uint32_t k = 0; k < i; ++k) {
            double distance = sn_vec3_distance(samples[i].point, samples[k].point);
            if (!(distance > 2 * f.unit * closest)) {
                return sni_fail(error, SN_INVALID, "samples %u and %u of a field are %g m apart", k,
                                i, distance);
            }
        }
    }
    return SN_OK;
}

// What one centre adds: the four functions of x that A and B multiply, for the value and for the
// three parts of the gradient (rows). It is a zero block at the centre itself.
static void fill_block(sn_vec3 from_center, double block[BLOCK][BLOCK]) {
    const double d[3] = {from_center.x, from_center.y, from_center.z};
    double r = sn_vec3_length(from_center);
    block[0][0] = r * r * r;
    for (int i = 0; i < 3; ++i) {
        block[0][1 + i] = block[1 + i][0] = 3 * r * d[i];
        for (int k = 0; k < 3; ++k) {
            block[1 + i][1 + k] = 3 * ((r > 0 ? d[i] * d[k] / r : 0) + (i == k ? r : 0));
        }
    }
}

// Row by row: value and gradient at each sample; then the conditions of the affine part.
static void fill_system(const sni_hrbf_sample *samples, uint32_t count, frame f, bool affine,
                        uint32_t size, double *matrix, double *right) {
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 at = into_frame(f, samples[i].point);
        double *rows = matrix + (size_t)i * BLOCK * size;
        for (uint32_t k = 0; k < count; ++k) {
            double block[BLOCK][BLOCK];
            fill_block(sn_vec3_sub(at, into_frame(f, samples[k].point)), block);
            for (int row = 0; row < BLOCK; ++row) {
                for (int column = 0; column < BLOCK; ++column) {
                    rows[(size_t)row * size + (size_t)k * BLOCK + column] = block[row][column];
                }
            }
        }
        right[i * BLOCK] = 0;
        right[i * BLOCK + 1] = samples[i].normal.x;
        right[i * BLOCK + 2] = samples[i].normal.y;
        right[i * BLOCK + 3] = samples[i].normal.z;
        if (!affine) {
            continue;
        }
        const double p[BLOCK] = {1, at.x, at.y, at.z};
        double *last_rows = matrix + (size_t)count * BLOCK * size;
        for (int k = 0; k < BLOCK; ++k) {
            // g0 + g . x in the value, g in the gradient.
            rows[(size_t)count * BLOCK + k] = p[k];
            // sum A = 0, sum (A c - B) = 0.
            last_rows[(size_t)k * size + (size_t)i * BLOCK] = p[k];
            if (k > 0) {
                rows[(size_t)k * size + (size_t)count * BLOCK + k] = 1;
                last_rows[(size_t)k * size + (size_t)i * BLOCK + k] = -1;
            }
        }
    }
}

// Back from the frame of the fit: d(x) = unit * d_frame((x - origin) / unit).
static void keep_solution(const sni_hrbf_sample *samples, uint32_t count, frame f, bool affine,
                          const double *solution, sni_hrbf *hrbf) {
    for (uint32_t k = 0; k < count; ++k) {
        const double *s = solution + (size_t)k * BLOCK;
        hrbf->centers[k] =
            (sni_hrbf_center){samples[k].point, s[0] / (f.unit * f.unit),
                              sn_vec3_scale(sn_vec3_make(s[1], s[2], s[3]), 1 / f.unit)};
    }
    hrbf->center_count = count;
    hrbf->origin = f.origin;
    if (affine) {
        const double *s = solution + (size_t)count * BLOCK;
        hrbf->g0 = s[0] * f.unit;
        hrbf->g = sn_vec3_make(s[1], s[2], s[3]);
    }
}

// The largest miss of value (in units of the frame) and gradient at the samples.
static double largest_miss(const sni_hrbf *hrbf, const sni_hrbf_sample *samples, uint32_t count,
                           double unit) {
    double worst = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sni_distance_value at = sni_hrbf_at(hrbf, samples[i].point);
        double miss =
            fmax(fabs(at.distance) / unit, sn_vec3_distance(at.gradient, samples[i].normal));
        worst = miss <= worst ? worst : miss; // NaN is kept
    }
    return worst;
}

sn_status sni_hrbf_fit(sn_context *context, const sni_hrbf_sample *samples, uint32_t sample_count,
                       sni_hrbf_form form, sni_hrbf *hrbf, sn_error *error) {
    sn_status status = SN_OK;
    double *matrix = NULL, *right = NULL;
    bool affine = form == SNI_HRBF_AFFINE;
    *hrbf = (sni_hrbf){0};
    if (sample_count < LEAST_SAMPLES) {
        return sni_fail(error, SN_INVALID, "a field needs at least %d samples, not %u",
                        LEAST_SAMPLES, sample_count);
    }
    frame f = frame_of(samples, sample_count);
    SN_TRY(check_samples(samples, sample_count, f, error));
    uint32_t size = (sample_count + (affine ? 1 : 0)) * BLOCK;
    SNI_NEW(context, hrbf->centers, sample_count);
    SNI_NEW_ZERO(context, matrix, (size_t)size * size);
    SNI_NEW_ZERO(context, right, size);
    fill_system(samples, sample_count, f, affine, size, matrix, right);
    bool solved = sni_dense_solve(matrix, size, right);
    if (solved) {
        keep_solution(samples, sample_count, f, affine, right, hrbf);
    }
    static const double allowed = 1e-8;
    if (!solved || !(largest_miss(hrbf, samples, sample_count, f.unit) <= allowed)) {
        status = sni_fail(error, SN_INVALID, "no smooth surface passes through the %u samples",
                          sample_count);
    }
cleanup:
    sni_free(context, matrix);
    sni_free(context, right);
    if (status != SN_OK) {
        sni_hrbf_free(context, hrbf);
    }
    return status;
}

void sni_hrbf_free(sn_context *context, sni_hrbf *hrbf) {
    sni_free(context, hrbf->centers);
    *hrbf = (sni_hrbf){0};
}

sni_distance_value sni_hrbf_at(const sni_hrbf *hrbf, sn_vec3 at) {
    double distance = 0;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < hrbf->center_count; ++k) {
        const sni_hrbf_center *center = &hrbf->centers[k];
        sn_vec3 d = sn_vec3_sub(at, center->point);
        double r = sn_vec3_length(d), along = sn_vec3_dot(center->b, d);
        distance += r * (center->a * r * r + 3 * along);
        if (r > 0) {
            sum = sn_vec3_add_scaled(sum, center->a * r + along / r, d);
            sum = sn_vec3_add_scaled(sum, r, center->b);
        }
    }
    distance += hrbf->g0 + sn_vec3_dot(hrbf->g, sn_vec3_sub(at, hrbf->origin));
    return (sni_distance_value){distance, sn_vec3_add_scaled(hrbf->g, 3, sum)};
}
