// SPDX-License-Identifier: Apache-2.0
//
// Points moved by a sparse matrix of weights and one transform per element (a bone, a polygon of a
// driver mesh).
//
//     linear            p' = p + (sum_k w_k D_k) p,   D_k = M_k - I, weights that sum to 1
//     dual quaternion   p' = b p b* / |b|^2,          b = sum_k +-w_k q_k
//
// With the difference D in place of the matrix M itself, a point whose transforms are all the
// identity keeps its bits whatever its weights, and a point without weights stays where it is.
//
// Rows lie in slices of eight, each as wide as its longest row (sliced ELLPACK, Monakov et al.
// 2010), so that a kernel takes eight points at once and never branches on a row's length:
//
//     slice s:  first entries of rows 0 to 7 | second entries | ...     `width` times eight
//
// Short rows are padded by weight 0. An entry tells its element by eight times its number: a
// processor can multiply an index by eight while it reads, but not by the 64 bytes of a matrix. In
// each row the largest entry (the first of equals) has changed places with the first; the others
// stand as they came.
#ifndef SINEW_SKIN_SPARSE_BLEND_H
#define SINEW_SKIN_SPARSE_BLEND_H

#include "base/memory.h"
#include "sinew/vector.h"

// Floats per element: D as 3 x 4 column-major (three axes, then the translation) and four of
// padding, so that no matrix crosses a cache line.
#define SNI_BLEND_MATRIX 16

// Floats per element of a unit dual quaternion: real x y z w, dual x y z w.
#define SNI_BLEND_DUAL 8

// What an element's number is multiplied by in an entry.
#define SNI_BLEND_PLACE 8

// Up to this many elements have places of 16 bits.
#define SNI_BLEND_NARROW (65536 / SNI_BLEND_PLACE)

// Rows per block of the parallel loop, a multiple of 8: some ten microseconds of work.
#define SNI_BLEND_GRAIN 2048

typedef struct sni_sparse_blend {
    uint32_t row_count;
    uint32_t element_count;
    size_t entry_count;      // with padding
    uint32_t *slice_offsets; // slices + 1, in units of eight entries
    float *weights;          // entry_count
    uint16_t *places16;      // entry_count; NULL when there are more than SNI_BLEND_NARROW elements
    uint32_t *places32;      // entry_count; NULL otherwise
} sni_sparse_blend;

typedef struct sni_sparse_blend_report {
    uint32_t unweighted; // rows without an entry above 0: they stay as they are
    uint32_t rescaled;   // rows whose sum was further than 1e-4 from 1
    uint32_t widest;     // entries of the longest row
} sni_sparse_blend_report;

// Packs rows [offsets[i], offsets[i + 1]) of `elements` and `values`. Every row is divided by its
// sum; entries of weight 0 are dropped. Values must be finite and not negative, elements in range
// (sn_mesh_validate says so). `report` may be NULL. Fails only with SN_OUT_OF_MEMORY or SN_LIMIT.
sn_status sni_sparse_blend_init(sn_context *context, uint32_t row_count, uint32_t element_count,
                                const uint32_t *offsets, const uint32_t *elements,
                                const float *values, sni_sparse_blend *blend,
                                sni_sparse_blend_report *report, sn_error *error);

// One row, wherever it stands.
typedef struct sni_blend_row {
    uint32_t count;
    const uint32_t *elements;
    const float *values;
} sni_blend_row;

// The same from rows that need not stand behind each other, of values above 0.
sn_status sni_sparse_blend_init_rows(sn_context *context, uint32_t row_count,
                                     uint32_t element_count, const sni_blend_row *rows,
                                     sni_sparse_blend *blend, sni_sparse_blend_report *report,
                                     sn_error *error);

// Replaces rows by others; all other rows keep their bits. `numbers` are different rows. When it
// fails the matrix stays as it was.
sn_status sni_sparse_blend_replace(sn_context *context, sni_sparse_blend *blend, uint32_t count,
                                   const uint32_t *numbers, const sni_blend_row *rows,
                                   sn_error *error);

// A copy over other elements: element i becomes numbers[i], 0 where that is SN_NONE. NULL: all keep
// their numbers. Weights keep their bits.
sn_status sni_sparse_blend_renumber(sn_context *context, const sni_sparse_blend *blend,
                                    uint32_t element_count, const uint32_t *numbers,
                                    sni_sparse_blend *renumbered, sn_error *error);

// Entry k of a row; false behind the last.
bool sni_sparse_blend_entry(const sni_sparse_blend *blend, uint32_t row, uint32_t k,
                            uint32_t *element, float *weight);

// The element of an entry, by its place in the arrays.
static inline uint32_t sni_sparse_blend_element(const sni_sparse_blend *blend, size_t entry) {
    return (blend->places16 != NULL ? blend->places16[entry] : blend->places32[entry]) /
           SNI_BLEND_PLACE;
}

static inline void sni_sparse_blend_set_element(sni_sparse_blend *blend, size_t entry,
                                                uint32_t element) {
    if (blend->places16 != NULL) {
        blend->places16[entry] = (uint16_t)(element * SNI_BLEND_PLACE);
    } else {
        blend->places32[entry] = element * SNI_BLEND_PLACE;
    }
}

// Memory for the entries, whose number is set. Fails with SN_LIMIT where elements are too many to
// have a place.
sn_status sni_sparse_blend_allocate(sn_context *context, sni_sparse_blend *blend, sn_error *error);

// Whether the weights of every row sum to 1 or are none, the largest first and all above 0 but for
// padding behind them, and elements are below their count.
bool sni_sparse_blend_is_valid(const sni_sparse_blend *blend);

void sni_sparse_blend_deinit(sn_context *context, sni_sparse_blend *blend);
size_t sni_sparse_blend_bytes(const sni_sparse_blend *blend);

// Writes M - I as the kernels take it.
void sni_blend_matrix_store(const sn_mat4 *matrix, float values[SNI_BLEND_MATRIX]);
void sni_blend_dual_store(const sn_dual_quat *unit, float values[SNI_BLEND_DUAL]);

// What a kernel works on. One of `matrices` and `duals` may be NULL. `points_in` and
// `points_out` (row_count x 3) are the same memory or do not overlap.
typedef struct sni_blend_job {
    const sni_sparse_blend *blend;
    const float *matrices; // element_count x SNI_BLEND_MATRIX, aligned to 64 bytes
    const float *duals;    // element_count x SNI_BLEND_DUAL, aligned to 32 bytes
    const float *points_in;
    float *points_out;
} sni_blend_job;

// Moves all points: by `matrices` if given, then by `duals` if given (both: Kavan's two phases,
// scale before rotation). In parallel, the same bits for any number of threads.
void sni_sparse_blend_run(sn_context *context, const sni_blend_job *job);

// The same in plain C, one point after the other: the reference that the kernels match bit for bit.
void sni_sparse_blend_run_reference(const sni_blend_job *job);

#endif
