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
#include <string.h>

// From this many bytes of points on (two million, with weights some 100 MB for each pass) nothing
// stays in the caches until the next frame, and writing past them saves fetching what is
// overwritten. Below it that costs more than it saves: 3.5 against 3.0 ms for a million points.
static const size_t stream_bytes = (size_t)24 << 20;

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

// The entries of a slice, eight for each k < width. `places16` or `places32` is NULL; which is
// decided outside the loops.
typedef struct slice {
    uint32_t width;
    const float *weights;
    const uint16_t *places16;
    const uint32_t *places32;
} slice;

SNI_INLINE slice slice_of(const sni_sparse_blend *blend, uint32_t number, bool narrow) {
    size_t first = (size_t)blend->slice_offsets[number] * SNI_WIDTH;
    return (slice){
        .width = blend->slice_offsets[number + 1] - blend->slice_offsets[number],
        .weights = blend->weights + first,
        .places16 = narrow ? blend->places16 + first : NULL,
        .places32 = narrow ? NULL : blend->places32 + first,
    };
}

// What stands at the place of an entry, in an array with `size` floats for each element.
SNI_INLINE const float *at_place(const slice *s, size_t entry, const float *values, size_t size,
                                 bool narrow) {
    size_t place = narrow ? s->places16[entry] : s->places32[entry];
    return (const float *)((const char *)values +
                           place * (size * sizeof *values / SNI_BLEND_PLACE));
}

// From so many entries a row on the weights of four rows are read at once and spread, which takes 6
// % less of a wrap with 20 elements a point; with four to eight bones reading each is faster, by 6
// %.
enum { LONG_ROW = 12 };

// Which kernels run, and how: constants where they are passed.
typedef struct way {
    bool narrow;  // places of 16 bits
    bool is_long; // most rows have LONG_ROW entries and more
    bool linear, dual;
    bool stream; // stores past the caches
} way;

typedef struct points8 {
    sni_f32xw x, y, z;
} points8;

// The sums of one row: the first eight and the other numbers of D.
typedef struct matrix_sum {
    sni_f32xw low, high;
} matrix_sum;

// Adds weight times the D of an entry's element.
SNI_INLINE void add_matrix(matrix_sum *sum, sni_f32xw weight, const slice *s, size_t entry,
                           const float *matrices, bool narrow) {
    const float *matrix = at_place(s, entry, matrices, SNI_BLEND_MATRIX, narrow);
    sum->low = sni_f32xw_add_product(sum->low, weight, sni_f32xw_load(matrix));
    sum->high = sni_f32xw_add_product(sum->high, weight, sni_f32xw_load(matrix + SNI_WIDTH));
}

SNI_INLINE void store_matrix(const matrix_sum *sum, float *blended) {
    sni_f32xw_store(blended, sum->low);
    sni_f32xw_store(blended + SNI_WIDTH, sum->high);
}

// Weight k of four that stand behind each other, in all places.
SNI_INLINE sni_f32xw weight_of(const float *weights, sni_f32xw four, int k, bool is_long) {
    return is_long ? sni_f32xw_spread(four, k) : sni_f32xw_set1(weights[k]);
}

// The blended D of rows row to row + 3: eight sums fill half of the registers and hide each
// other's latency. What takes the time is how many instructions there are: places need no
// arithmetic.
SNI_INLINE void blend_four(const slice *s, uint32_t row, const float *matrices, bool narrow,
                           bool is_long, float blended[][SNI_BLEND_MATRIX]) {
    const matrix_sum zero = {sni_f32xw_set1(0), sni_f32xw_set1(0)};
    matrix_sum a = zero, b = zero, c = zero, d = zero;
    size_t end = (size_t)s->width * SNI_WIDTH;
    for (size_t entry = row; entry < end; entry += SNI_WIDTH) {
        const float *w = s->weights + entry;
        sni_f32xw four = sni_f32xw_load_twice(w);
        add_matrix(&a, weight_of(w, four, 0, is_long), s, entry, matrices, narrow);
        add_matrix(&b, weight_of(w, four, 1, is_long), s, entry + 1, matrices, narrow);
        add_matrix(&c, weight_of(w, four, 2, is_long), s, entry + 2, matrices, narrow);
        add_matrix(&d, weight_of(w, four, 3, is_long), s, entry + 3, matrices, narrow);
    }
    store_matrix(&a, blended[row]);
    store_matrix(&b, blended[row + 1]);
    store_matrix(&c, blended[row + 2]);
    store_matrix(&d, blended[row + 3]);
}

// One coordinate: p + (a px + (b py + (c pz + t))).
SNI_INLINE sni_f32xw move(sni_f32xw own, const points8 *p, sni_f32xw a, sni_f32xw b, sni_f32xw c,
                          sni_f32xw t) {
    t = sni_f32xw_add_product(t, c, p->z);
    t = sni_f32xw_add_product(t, b, p->y);
    return sni_f32xw_add(own, sni_f32xw_add_product(t, a, p->x));
}

SNI_INLINE_PART points8 move_linear(const slice *s, const float *matrices, way w, points8 p) {
    _Alignas(64) float blended[SNI_WIDTH][SNI_BLEND_MATRIX];
    blend_four(s, 0, matrices, w.narrow, w.is_long, blended);
    blend_four(s, 4, matrices, w.narrow, w.is_long, blended);
    const sni_rows rows = {blended[0], blended[1], blended[2], blended[3],
                           blended[4], blended[5], blended[6], blended[7]};
    sni_f32xw4 a = sni_f32xw_transpose4(rows, 0); // m00 m10 m20 m01
    sni_f32xw4 b = sni_f32xw_transpose4(rows, 4); // m11 m21 m02 m12
    sni_f32xw4 c = sni_f32xw_transpose4(rows, 8); // m22 tx  ty  tz
    return (points8){move(p.x, &p, a.x, a.w, b.z, c.y), move(p.y, &p, a.y, b.x, b.w, c.z),
                     move(p.z, &p, a.z, b.y, c.x, c.w)};
}

// Eight dual quaternions by component.
typedef struct duals8 {
    sni_f32xw4 real, dual;
} duals8;

// Where the dual quaternions of eight entries stand.
SNI_INLINE sni_rows dual_rows(const slice *s, size_t entry, const float *duals, bool narrow) {
    return (sni_rows){
        at_place(s, entry, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 1, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 2, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 3, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 4, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 5, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 6, duals, SNI_BLEND_DUAL, narrow),
        at_place(s, entry + 7, duals, SNI_BLEND_DUAL, narrow),
    };
}

SNI_INLINE duals8 blend_duals(const slice *s, const float *duals, bool narrow) {
    sni_rows rows = dual_rows(s, 0, duals, narrow);
    sni_f32xw weights = sni_f32xw_load(s->weights);
    const sni_f32xw4 pivot = sni_f32xw_transpose4(rows, 0);
    duals8 b = {sni_f32xw4_scale(pivot, weights),
                sni_f32xw4_scale(sni_f32xw_transpose4(rows, 4), weights)};
    size_t end = (size_t)s->width * SNI_WIDTH;
    for (size_t entry = SNI_WIDTH; entry < end; entry += SNI_WIDTH) {
        rows = dual_rows(s, entry, duals, narrow);
        sni_f32xw4 real = sni_f32xw_transpose4(rows, 0);
        weights = sni_f32xw_load(s->weights + entry);
        weights = sni_f32xw_flip_sign(weights, sni_f32xw4_dot(pivot, real));
        b.real = sni_f32xw4_add_scaled(b.real, weights, real);
        b.dual = sni_f32xw4_add_scaled(b.dual, weights, sni_f32xw_transpose4(rows, 4));
    }
    return b;
}

// One coordinate of v x a + v x d - e v + w d, as at the top of the file; a = v x p + w p.
SNI_INLINE sni_f32xw dual_part(sni_f32xw va, sni_f32xw vd, sni_f32xw e, sni_f32xw v, sni_f32xw w,
                               sni_f32xw d) {
    sni_f32xw sum = sni_f32xw_sub_product(sni_f32xw_add(va, vd), e, v);
    return sni_f32xw_add_product(sum, w, d);
}

SNI_INLINE_PART points8 move_dual(const slice *s, const float *duals, bool narrow, points8 p) {
    if (s->width == 0) {
        return p;
    }
    const duals8 b = blend_duals(s, duals, narrow);
    const sni_f32xw x = b.real.x, y = b.real.y, z = b.real.z, w = b.real.w;
    const sni_f32xw dx = b.dual.x, dy = b.dual.y, dz = b.dual.z, e = b.dual.w;
    sni_f32xw factor = sni_f32xw_div_positive(sni_f32xw_set1(2), sni_f32xw4_dot(b.real, b.real));
    sni_f32xw ax = sni_f32xw_add_product(sni_f32xw_cross(y, p.z, z, p.y), w, p.x);
    sni_f32xw ay = sni_f32xw_add_product(sni_f32xw_cross(z, p.x, x, p.z), w, p.y);
    sni_f32xw az = sni_f32xw_add_product(sni_f32xw_cross(x, p.y, y, p.x), w, p.z);
    sni_f32xw mx =
        dual_part(sni_f32xw_cross(y, az, z, ay), sni_f32xw_cross(y, dz, z, dy), e, x, w, dx);
    sni_f32xw my =
        dual_part(sni_f32xw_cross(z, ax, x, az), sni_f32xw_cross(z, dx, x, dz), e, y, w, dy);
    sni_f32xw mz =
        dual_part(sni_f32xw_cross(x, ay, y, ax), sni_f32xw_cross(x, dy, y, dx), e, z, w, dz);
    return (points8){sni_f32xw_add_product(p.x, factor, mx), sni_f32xw_add_product(p.y, factor, my),
                     sni_f32xw_add_product(p.z, factor, mz)};
}

// ---------------------------------------------------------------------------------------------
// Ranges

SNI_INLINE void run_slice(const sni_blend_job *job, uint32_t number, way w, const float *in,
                          float *out) {
    slice s = slice_of(job->blend, number, w.narrow);
    points8 p;
    sni_f32xw_load_points(in, &p.x, &p.y, &p.z);
    if (w.linear) {
        p = move_linear(&s, job->matrices, w, p);
    }
    if (w.dual) {
        p = move_dual(&s, job->duals, w.narrow, p);
    }
    sni_f32xw_store_points(out, p.x, p.y, p.z, w.stream);
}

// The last slice, when it has fewer than eight points.
SNI_INLINE void run_edge(const sni_blend_job *job, uint32_t begin, uint32_t end, way w) {
    float edge[3 * SNI_WIDTH] = {0};
    size_t bytes = 3 * sizeof *edge * (end - begin);
    w.stream = false;
    memcpy(edge, job->points_in + 3 * (size_t)begin, bytes);
    run_slice(job, begin / SNI_WIDTH, w, edge, edge);
    memcpy(job->points_out + 3 * (size_t)begin, edge, bytes);
}

SNI_INLINE void run_slices(const sni_blend_job *job, uint32_t begin, uint32_t end, way w) {
    uint32_t whole_end = end - (end - begin) % SNI_WIDTH;
    for (uint32_t row = begin; row < whole_end; row += SNI_WIDTH) {
        run_slice(job, row / SNI_WIDTH, w, job->points_in + 3 * (size_t)row,
                  job->points_out + 3 * (size_t)row);
    }
    if (whole_end < end) {
        run_edge(job, whole_end, end, w);
    }
}

typedef struct blend_run {
    const sni_blend_job *job;
    bool stream;
} blend_run;

// By constants, so that each kernel is compiled for its case. More elements than have narrow places
// are triangles, of which a point follows many.
SNI_INLINE void run_linear_range(const blend_run *run, uint32_t begin, uint32_t end, bool is_long) {
    const way w = {.narrow = true, .linear = true, .is_long = is_long};
    if (run->job->blend->places16 == NULL) {
        run_slices(run->job, begin, end, (way){.linear = true, .is_long = true});
    } else if (run->stream) {
        way streaming = w;
        streaming.stream = true;
        run_slices(run->job, begin, end, streaming);
        sni_stream_fence();
    } else {
        run_slices(run->job, begin, end, w);
    }
}

static void run_linear(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    run_linear_range(user, begin, end, false);
}

static void run_linear_long(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    run_linear_range(user, begin, end, true);
}

static void run_dual(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const blend_run *run = user;
    if (run->job->blend->places16 == NULL) {
        run_slices(run->job, begin, end, (way){.dual = true});
    } else if (run->stream) {
        run_slices(run->job, begin, end, (way){.narrow = true, .dual = true, .stream = true});
        sni_stream_fence();
    } else {
        run_slices(run->job, begin, end, (way){.narrow = true, .dual = true});
    }
}

static void run_both(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const blend_run *run = user;
    if (run->job->blend->places16 == NULL) {
        run_slices(run->job, begin, end, (way){.linear = true, .dual = true});
    } else {
        run_slices(run->job, begin, end, (way){.narrow = true, .linear = true, .dual = true});
    }
}

void sni_sparse_blend_run(sn_context *context, const sni_blend_job *job) {
    size_t bytes = 3 * sizeof *job->points_out * (size_t)job->blend->row_count;
    blend_run run = {
        .job = job,
        .stream = bytes >= stream_bytes && job->points_in != job->points_out &&
                  (uintptr_t)job->points_out % 16 == 0,
    };
    sn_block_fn *fn = run_both;
    if (job->duals == NULL) {
        bool is_long = job->blend->entry_count >= (size_t)LONG_ROW * job->blend->row_count;
        fn = is_long ? run_linear_long : run_linear;
    } else if (job->matrices == NULL) {
        fn = run_dual;
    }
    SN_ASSERT(job->matrices != NULL || job->duals != NULL);
    sn_parallel_for(context, job->blend->row_count, SNI_BLEND_GRAIN, fn, &run);
}

// ---------------------------------------------------------------------------------------------
// Reference: the same operations on one point, in the same order

static void reference_linear(const slice *s, uint32_t row, const float *matrices, bool narrow,
                             float p[3]) {
    float m[12] = {0};
    for (uint32_t k = 0; k < s->width; ++k) {
        size_t entry = (size_t)k * SNI_WIDTH + row;
        const float *matrix = at_place(s, entry, matrices, SNI_BLEND_MATRIX, narrow);
        for (int i = 0; i < 12; ++i) {
            m[i] = fmaf(s->weights[entry], matrix[i], m[i]);
        }
    }
    const float x = p[0], y = p[1], z = p[2];
    for (int i = 0; i < 3; ++i) {
        p[i] += fmaf(m[i], x, fmaf(m[3 + i], y, fmaf(m[6 + i], z, m[9 + i])));
    }
}

static float dot4(const float a[4], const float b[4]) {
    return fmaf(a[1], b[1], a[0] * b[0]) + fmaf(a[3], b[3], a[2] * b[2]);
}

static void reference_blend_duals(const slice *s, uint32_t row, const float *duals, bool narrow,
                                  float b[SNI_BLEND_DUAL]) {
    const float *pivot = NULL;
    for (uint32_t k = 0; k < s->width; ++k) {
        size_t entry = (size_t)k * SNI_WIDTH + row;
        const float *q = at_place(s, entry, duals, SNI_BLEND_DUAL, narrow);
        float weight = s->weights[entry];
        if (k == 0) {
            pivot = q;
            for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
                b[i] = weight * q[i];
            }
            continue;
        }
        float dot = dot4(pivot, q);
        weight = signbit(dot) ? -weight : weight;
        for (int i = 0; i < SNI_BLEND_DUAL; ++i) {
            b[i] = fmaf(weight, q[i], b[i]);
        }
    }
}

static void cross3(const float a[3], const float b[3], float result[3]) {
    result[0] = fmaf(-a[2], b[1], a[1] * b[2]);
    result[1] = fmaf(-a[0], b[2], a[2] * b[0]);
    result[2] = fmaf(-a[1], b[0], a[0] * b[1]);
}

static void reference_dual(const slice *s, uint32_t row, const float *duals, bool narrow,
                           float p[3]) {
    if (s->width == 0) {
        return;
    }
    float b[SNI_BLEND_DUAL] = {0};
    reference_blend_duals(s, row, duals, narrow, b);
    float norm = dot4(b, b);
    float factor = norm > 0 ? 2 / norm : 0;
    float a[3], va[3], vd[3];
    cross3(b, p, a);
    for (int i = 0; i < 3; ++i) {
        a[i] = fmaf(b[3], p[i], a[i]);
    }
    cross3(b, a, va);
    cross3(b, b + 4, vd);
    for (int i = 0; i < 3; ++i) {
        float sum = fmaf(-b[7], b[i], va[i] + vd[i]);
        p[i] = fmaf(factor, fmaf(b[3], b[4 + i], sum), p[i]);
    }
}

void sni_sparse_blend_run_reference(const sni_blend_job *job) {
    bool narrow = job->blend->places16 != NULL;
    for (uint32_t row = 0; row < job->blend->row_count; ++row) {
        slice s = slice_of(job->blend, row / SNI_WIDTH, narrow);
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
