// SPDX-License-Identifier: Apache-2.0
//
// Linear blending: Magnenat-Thalmann et al. 1988. Dual quaternions: Kavan et al., "Geometric
// Skinning with Approximate Dual Quaternion Blending", 2008: b = sum w_k q_k (eq. 1 of section 4),
// each q_k on the side of the first, largest influence. With b = (v, w) + eps (d, e):
//
//     p' = p + 2/|b|^2 ( v x (v x p + w p) + w d - e v + v x d )
//
// which divides once and needs no square root.
#include "skin/sparse_blend.h"

#include "base/simd.h"

#include <math.h>

_Static_assert(SNI_BLEND_GRAIN % SNI_WIDTH == 0, "blocks are whole slices");

// Rows that sum to 1 up to this were meant to: files round weights to 8 or 16 bits.
static const double sum_tolerance = 1e-4;

// From this many bytes of points on they do not stay in the caches until they are read again, and
// writing past the caches saves fetching what is overwritten.
static const size_t stream_bytes = (size_t)4 << 20;

// ---------------------------------------------------------------------------------------------
// Packing

static uint32_t slice_count_of(uint32_t row_count) {
    return row_count / SNI_WIDTH + (row_count % SNI_WIDTH != 0);
}

typedef struct packing {
    const uint32_t *offsets;
    const uint32_t *elements;
    const float *values;
    sni_sparse_blend *blend;
} packing;

static uint32_t row_width(const packing *p, uint32_t row) {
    uint32_t width = 0;
    for (uint32_t i = p->offsets[row]; i < p->offsets[row + 1]; ++i) {
        width += p->values[i] > 0;
    }
    return width;
}

static double row_sum(const packing *p, uint32_t row) {
    double sum = 0;
    for (uint32_t i = p->offsets[row]; i < p->offsets[row + 1]; ++i) {
        sum += p->values[i];
    }
    return sum;
}

static uint32_t slice_end(uint32_t begin, uint32_t row_count) {
    return row_count - begin < SNI_WIDTH ? row_count : begin + SNI_WIDTH;
}

// Fills slice_offsets; false when there are too many entries to number.
static bool measure(const packing *p, sni_sparse_blend_report *report) {
    sni_sparse_blend *blend = p->blend;
    uint32_t slices = slice_count_of(blend->row_count);
    uint64_t offset = 0;
    blend->slice_offsets[0] = 0;
    for (uint32_t slice = 0; slice < slices; ++slice) {
        uint32_t widest = 0;
        uint32_t begin = slice * SNI_WIDTH;
        for (uint32_t row = begin; row < slice_end(begin, blend->row_count); ++row) {
            uint32_t width = row_width(p, row);
            widest = width > widest ? width : widest;
            report->unweighted += width == 0;
            report->rescaled += width > 0 && fabs(row_sum(p, row) - 1) > sum_tolerance;
        }
        report->widest = widest > report->widest ? widest : report->widest;
        offset += widest;
        if (offset > UINT32_MAX) {
            return false;
        }
        blend->slice_offsets[slice + 1] = (uint32_t)offset;
    }
    blend->entry_count = (size_t)offset * SNI_WIDTH;
    return true;
}

static void set_element(sni_sparse_blend *blend, size_t entry, uint32_t element) {
    if (blend->elements16 != NULL) {
        blend->elements16[entry] = (uint16_t)element;
    } else {
        blend->elements32[entry] = element;
    }
}

static uint32_t get_element(const sni_sparse_blend *blend, size_t entry) {
    return blend->elements16 != NULL ? blend->elements16[entry] : blend->elements32[entry];
}

// Insertion by falling weight: rows are short, and those that are not are rare.
static void pack_row(const packing *p, uint32_t row, size_t first) {
    sni_sparse_blend *blend = p->blend;
    double sum = row_sum(p, row);
    size_t end = first;
    for (uint32_t i = p->offsets[row]; i < p->offsets[row + 1]; ++i) {
        if (!(p->values[i] > 0)) {
            continue;
        }
        float weight = (float)(p->values[i] / sum);
        size_t at = end++;
        for (; at > first && blend->weights[at - 1] < weight; --at) {
            blend->weights[at] = blend->weights[at - 1];
            set_element(blend, at, get_element(blend, at - 1));
        }
        blend->weights[at] = weight;
        set_element(blend, at, p->elements[i]);
    }
}

static void pack_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const packing *p = user;
    for (uint32_t row = begin; row < end; ++row) {
        uint32_t slice = row / SNI_WIDTH;
        uint32_t width = p->blend->slice_offsets[slice + 1] - p->blend->slice_offsets[slice];
        size_t first = (size_t)p->blend->slice_offsets[slice] * SNI_WIDTH;
        pack_row(p, row, first + (size_t)(row % SNI_WIDTH) * width);
    }
}

sn_status sni_sparse_blend_init(sn_context *context, uint32_t row_count, uint32_t element_count,
                                const uint32_t *offsets, const uint32_t *elements,
                                const float *values, sni_sparse_blend *blend,
                                sni_sparse_blend_report *report, sn_error *error) {
    sn_status status = SN_OK;
    sni_sparse_blend_report found = {0};
    packing p = {.offsets = offsets, .elements = elements, .values = values, .blend = blend};
    *blend = (sni_sparse_blend){.row_count = row_count, .element_count = element_count};
    SNI_NEW(context, blend->slice_offsets, (size_t)slice_count_of(row_count) + 1);
    if (!measure(&p, &found)) {
        status = sni_fail(error, SN_LIMIT, "more than %zu weights", (size_t)UINT32_MAX * SNI_WIDTH);
        goto cleanup;
    }
    SNI_NEW_ZERO(context, blend->weights, blend->entry_count);
    if (element_count <= UINT16_MAX + 1) {
        SNI_NEW_ZERO(context, blend->elements16, blend->entry_count);
    } else {
        SNI_NEW_ZERO(context, blend->elements32, blend->entry_count);
    }
    sn_parallel_for(context, row_count, SNI_BLEND_GRAIN, pack_rows, &p);
    if (report != NULL) {
        *report = found;
    }
    return SN_OK;
cleanup:
    sni_sparse_blend_deinit(context, blend);
    return status;
}

void sni_sparse_blend_deinit(sn_context *context, sni_sparse_blend *blend) {
    sni_free(context, blend->slice_offsets);
    sni_free(context, blend->weights);
    sni_free(context, blend->elements16);
    sni_free(context, blend->elements32);
    *blend = (sni_sparse_blend){0};
}

size_t sni_sparse_blend_bytes(const sni_sparse_blend *blend) {
    size_t element_bytes = blend->elements16 != NULL ? sizeof(uint16_t) : sizeof(uint32_t);
    return ((size_t)slice_count_of(blend->row_count) + 1) * sizeof *blend->slice_offsets +
           blend->entry_count * (sizeof *blend->weights + element_bytes);
}

void sni_blend_matrix_store(const sn_mat4 *matrix, float values[SNI_BLEND_MATRIX]) {
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 3; ++row) {
            double identity = row == column ? 1 : 0;
            values[3 * column + row] = (float)(matrix->m[4 * column + row] - identity);
        }
    }
    for (int i = 12; i < SNI_BLEND_MATRIX; ++i) {
        values[i] = 0;
    }
}

void sni_blend_dual_store(const sn_dual_quat *unit, float values[SNI_BLEND_DUAL]) {
    const double parts[SNI_BLEND_DUAL] = {unit->real.x, unit->real.y, unit->real.z, unit->real.w,
                                          unit->dual.x, unit->dual.y, unit->dual.z, unit->dual.w};
    for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
        values[i] = (float)parts[i];
    }
}

// ---------------------------------------------------------------------------------------------
// Kernels: one slice of eight points each

// The entries of a slice. `elements16` or `elements32` is NULL; which is decided outside the loops.
typedef struct slice {
    uint32_t width;
    const float *weights;
    const uint16_t *elements16;
    const uint32_t *elements32;
} slice;

static inline slice slice_of(const sni_sparse_blend *blend, uint32_t number) {
    size_t first = (size_t)blend->slice_offsets[number] * SNI_WIDTH;
    return (slice){
        .width = blend->slice_offsets[number + 1] - blend->slice_offsets[number],
        .weights = blend->weights + first,
        .elements16 = blend->elements16 != NULL ? blend->elements16 + first : NULL,
        .elements32 = blend->elements32 != NULL ? blend->elements32 + first : NULL,
    };
}

static inline uint32_t element_at(const slice *s, size_t entry, bool narrow) {
    return narrow ? s->elements16[entry] : s->elements32[entry];
}

typedef struct points8 {
    sni_f32xw x, y, z;
} points8;

// The blended D of one row: twelve numbers.
static inline void blend_matrix(const slice *s, uint32_t row, const float *matrices, bool narrow,
                                float blended[SNI_BLEND_MATRIX]) {
    sni_f32xw low = sni_f32xw_set1(0), high = sni_f32xw_set1(0);
    size_t first = (size_t)row * s->width;
    for (size_t entry = first; entry < first + s->width; ++entry) {
        const float *matrix = matrices + (size_t)element_at(s, entry, narrow) * SNI_BLEND_MATRIX;
        sni_f32xw weight = sni_f32xw_set1(s->weights[entry]);
        low = sni_f32xw_add_product(low, weight, sni_f32xw_load(matrix));
        high = sni_f32xw_add_product(high, weight, sni_f32xw_load(matrix + SNI_WIDTH));
    }
    sni_f32xw_store(blended, low);
    sni_f32xw_store(blended + SNI_WIDTH, high);
}

// One coordinate: p + ((a px + b py) + (c pz + t)).
static inline sni_f32xw move(sni_f32xw own, const points8 *p, sni_f32xw a, sni_f32xw b, sni_f32xw c,
                             sni_f32xw t) {
    sni_f32xw ab = sni_f32xw_add_product(sni_f32xw_mul(a, p->x), b, p->y);
    sni_f32xw ct = sni_f32xw_add(sni_f32xw_mul(c, p->z), t);
    return sni_f32xw_add(own, sni_f32xw_add(ab, ct));
}

static inline points8 move_linear(const slice *s, const float *matrices, bool narrow, points8 p) {
    _Alignas(32) float blended[SNI_WIDTH][SNI_BLEND_MATRIX];
    for (uint32_t row = 0; row < SNI_WIDTH; ++row) {
        blend_matrix(s, row, matrices, narrow, blended[row]);
    }
    sni_f32xw m[12];
    for (int part = 0; part < 3; ++part) {
        const float *rows[SNI_WIDTH];
        for (int row = 0; row < SNI_WIDTH; ++row) {
            rows[row] = blended[row] + 4 * part;
        }
        sni_f32xw_transpose4(rows, m + 4 * part);
    }
    return (points8){move(p.x, &p, m[0], m[3], m[6], m[9]), move(p.y, &p, m[1], m[4], m[7], m[10]),
                     move(p.z, &p, m[2], m[5], m[8], m[11])};
}

// Eight dual quaternions by component.
typedef struct duals8 {
    sni_f32xw part[SNI_BLEND_DUAL];
} duals8;

static inline sni_f32xw dot4(const sni_f32xw *a, const sni_f32xw *b) {
    sni_f32xw xy = sni_f32xw_add_product(sni_f32xw_mul(a[0], b[0]), a[1], b[1]);
    sni_f32xw zw = sni_f32xw_add_product(sni_f32xw_mul(a[2], b[2]), a[3], b[3]);
    return sni_f32xw_add(xy, zw);
}

// Entry k of the eight rows: their dual quaternions and weights.
static inline duals8 load_duals(const slice *s, uint32_t k, const float *duals, bool narrow,
                                sni_f32xw *weights) {
    _Alignas(32) float gathered[SNI_WIDTH];
    const float *real[SNI_WIDTH], *dual[SNI_WIDTH];
    for (uint32_t row = 0; row < SNI_WIDTH; ++row) {
        size_t entry = (size_t)row * s->width + k;
        gathered[row] = s->weights[entry];
        real[row] = duals + (size_t)element_at(s, entry, narrow) * SNI_BLEND_DUAL;
        dual[row] = real[row] + 4;
    }
    *weights = sni_f32xw_load(gathered);
    duals8 q;
    sni_f32xw_transpose4(real, q.part);
    sni_f32xw_transpose4(dual, q.part + 4);
    return q;
}

static inline duals8 blend_duals(const slice *s, const float *duals, bool narrow) {
    sni_f32xw weights;
    duals8 pivot = load_duals(s, 0, duals, narrow, &weights);
    duals8 b;
    for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
        b.part[i] = sni_f32xw_mul(weights, pivot.part[i]);
    }
    for (uint32_t k = 1; k < s->width; ++k) {
        duals8 q = load_duals(s, k, duals, narrow, &weights);
        weights = sni_f32xw_flip_sign(weights, dot4(pivot.part, q.part));
        for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
            b.part[i] = sni_f32xw_add_product(b.part[i], weights, q.part[i]);
        }
    }
    return b;
}

// One coordinate of v x a + w c - e v + v x d, the equation at the top of the file; a = v x p + w
// p.
static inline sni_f32xw dual_part(sni_f32xw va, sni_f32xw w, sni_f32xw d, sni_f32xw e, sni_f32xw v,
                                  sni_f32xw vd) {
    sni_f32xw shift = sni_f32xw_add(sni_f32xw_cross(w, d, e, v), vd);
    return sni_f32xw_add(va, shift);
}

static inline points8 move_dual(const slice *s, const float *duals, bool narrow, points8 p) {
    if (s->width == 0) {
        return p;
    }
    duals8 q = blend_duals(s, duals, narrow);
    const sni_f32xw *b = q.part;
    sni_f32xw x = b[0], y = b[1], z = b[2], w = b[3], dx = b[4], dy = b[5], dz = b[6], e = b[7];
    sni_f32xw factor = sni_f32xw_div_positive(sni_f32xw_set1(2), dot4(b, b));
    sni_f32xw ax = sni_f32xw_add_product(sni_f32xw_cross(y, p.z, z, p.y), w, p.x);
    sni_f32xw ay = sni_f32xw_add_product(sni_f32xw_cross(z, p.x, x, p.z), w, p.y);
    sni_f32xw az = sni_f32xw_add_product(sni_f32xw_cross(x, p.y, y, p.x), w, p.z);
    sni_f32xw mx =
        dual_part(sni_f32xw_cross(y, az, z, ay), w, dx, e, x, sni_f32xw_cross(y, dz, z, dy));
    sni_f32xw my =
        dual_part(sni_f32xw_cross(z, ax, x, az), w, dy, e, y, sni_f32xw_cross(z, dx, x, dz));
    sni_f32xw mz =
        dual_part(sni_f32xw_cross(x, ay, y, ax), w, dz, e, z, sni_f32xw_cross(x, dy, y, dx));
    return (points8){sni_f32xw_add_product(p.x, factor, mx), sni_f32xw_add_product(p.y, factor, my),
                     sni_f32xw_add_product(p.z, factor, mz)};
}

// ---------------------------------------------------------------------------------------------
// Ranges

static inline void run_slices(const sni_blend_job *job, uint32_t begin, uint32_t end, bool narrow,
                              bool linear, bool dual, bool stream) {
    for (uint32_t row = begin; row < end; row += SNI_WIDTH) {
        slice s = slice_of(job->blend, row / SNI_WIDTH);
        const float *in = job->points_in + 3 * (size_t)row;
        float *out = job->points_out + 3 * (size_t)row;
        // The last slice may have fewer than eight points.
        bool whole = end - row >= SNI_WIDTH;
        float edge[3 * SNI_WIDTH] = {0};
        if (!whole) {
            memcpy(edge, in, 3 * sizeof *in * (end - row));
        }
        points8 p;
        sni_f32xw_load_points(whole ? in : edge, &p.x, &p.y, &p.z);
        if (linear) {
            p = move_linear(&s, job->matrices, narrow, p);
        }
        if (dual) {
            p = move_dual(&s, job->duals, narrow, p);
        }
        if (whole) {
            sni_f32xw_store_points(out, p.x, p.y, p.z, stream);
        } else {
            sni_f32xw_store_points(edge, p.x, p.y, p.z, false);
            memcpy(out, edge, 3 * sizeof *out * (end - row));
        }
    }
}

typedef struct blend_run {
    const sni_blend_job *job;
    bool stream;
} blend_run;

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const blend_run *run = user;
    const sni_blend_job *job = run->job;
    bool narrow = job->blend->elements16 != NULL;
    bool linear = job->matrices != NULL, dual = job->duals != NULL;
    if (!narrow) {
        run_slices(job, begin, end, false, linear, dual, false);
    } else if (!dual) {
        if (run->stream) {
            run_slices(job, begin, end, true, linear, false, true);
        } else {
            run_slices(job, begin, end, true, linear, false, false);
        }
    } else if (!linear) {
        if (run->stream) {
            run_slices(job, begin, end, true, false, true, true);
        } else {
            run_slices(job, begin, end, true, false, true, false);
        }
    } else {
        run_slices(job, begin, end, true, true, true, false);
    }
    if (run->stream) {
        sni_stream_fence();
    }
}

void sni_sparse_blend_run(sn_context *context, const sni_blend_job *job) {
    size_t bytes = 3 * sizeof *job->points_out * (size_t)job->blend->row_count;
    blend_run run = {
        .job = job,
        .stream = bytes >= stream_bytes && job->points_in != job->points_out &&
                  (uintptr_t)job->points_out % 16 == 0,
    };
    sn_parallel_for(context, job->blend->row_count, SNI_BLEND_GRAIN, run_block, &run);
}

// ---------------------------------------------------------------------------------------------
// Reference: the same operations on one point, in the same order

static void reference_linear(const slice *s, uint32_t row, const float *matrices, bool narrow,
                             float p[3]) {
    float m[12] = {0};
    for (uint32_t k = 0; k < s->width; ++k) {
        size_t entry = (size_t)row * s->width + k;
        const float *matrix = matrices + (size_t)element_at(s, entry, narrow) * SNI_BLEND_MATRIX;
        for (int i = 0; i < 12; ++i) {
            m[i] += s->weights[entry] * matrix[i];
        }
    }
    const float x = p[0], y = p[1], z = p[2];
    for (int i = 0; i < 3; ++i) {
        p[i] += (m[i] * x + m[3 + i] * y) + (m[6 + i] * z + m[9 + i]);
    }
}

static void reference_blend_duals(const slice *s, uint32_t row, const float *duals, bool narrow,
                                  float b[SNI_BLEND_DUAL]) {
    const float *pivot = NULL;
    for (uint32_t k = 0; k < s->width; ++k) {
        size_t entry = (size_t)row * s->width + k;
        const float *q = duals + (size_t)element_at(s, entry, narrow) * SNI_BLEND_DUAL;
        float weight = s->weights[entry];
        if (k == 0) {
            pivot = q;
            for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
                b[i] = weight * q[i];
            }
            continue;
        }
        float dot = (pivot[0] * q[0] + pivot[1] * q[1]) + (pivot[2] * q[2] + pivot[3] * q[3]);
        weight = signbit(dot) ? -weight : weight;
        for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
            b[i] += weight * q[i];
        }
    }
}

static void cross3(const float a[3], const float b[3], float result[3]) {
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static void reference_dual(const slice *s, uint32_t row, const float *duals, bool narrow,
                           float p[3]) {
    if (s->width == 0) {
        return;
    }
    float b[SNI_BLEND_DUAL] = {0};
    reference_blend_duals(s, row, duals, narrow, b);
    float norm = (b[0] * b[0] + b[1] * b[1]) + (b[2] * b[2] + b[3] * b[3]);
    float factor = norm > 0 ? 2 / norm : 0;
    float a[3], va[3], vd[3];
    cross3(b, p, a);
    for (int i = 0; i < 3; ++i) {
        a[i] += b[3] * p[i];
    }
    cross3(b, a, va);
    cross3(b, b + 4, vd);
    for (int i = 0; i < 3; ++i) {
        p[i] += factor * (va[i] + ((b[3] * b[4 + i] - b[7] * b[i]) + vd[i]));
    }
}

void sni_sparse_blend_run_reference(const sni_blend_job *job) {
    bool narrow = job->blend->elements16 != NULL;
    for (uint32_t row = 0; row < job->blend->row_count; ++row) {
        slice s = slice_of(job->blend, row / SNI_WIDTH);
        float p[3];
        memcpy(p, job->points_in + 3 * (size_t)row, sizeof p);
        if (job->matrices != NULL) {
            reference_linear(&s, row % SNI_WIDTH, job->matrices, narrow, p);
        }
        if (job->duals != NULL) {
            reference_dual(&s, row % SNI_WIDTH, job->duals, narrow, p);
        }
        memcpy(job->points_out + 3 * (size_t)row, p, sizeof p);
    }
}
