// SPDX-License-Identifier: Apache-2.0
//
// Morph targets that say what linear blend skinning leaves.
//
// In frame f the bones take vertex x to B x, where B mixes their matrices, but it should be at p.
// The offset d from x for which B (x + d) comes nearest to p is what morph targets have to give,
// since engines apply these before the bones. The offsets of all vertices in all frames are the
// rows of a matrix D. The k shapes whose mixtures are nearest to all rows at once are the first k
// right singular vectors of D (Eckart and Young 1936). With many more vertices than frames they
// come from the eigenvectors u of the small matrix D D' (Sirovich 1987, method of snapshots):
// shape = D' u. Nothing is subtracted from D first, so that the rest pose is among the mixtures.
#include "eval/game.h"

#include "base/eigen.h"

#include <math.h>
#include <string.h>

enum { VERTEX_GRAIN = 1024, LANES = 8, CHUNK = 4096 };

// What is added to B' B, as a part of the mean square of its columns: where mixed bones turn
// against each other and flatten a place, no offset would be large enough.
static const double damping = 1e-4;

// Shapes of less than this part of the first one's share are rounding.
static const double least_share = 1e-12;

static const float byte_steps = 127, short_steps = 32767;

// Ranges of weights are wider by this part on either side than those of the frames that shapes are
// found in.
static const float range_margin = 0.02f;

// ---------------------------------------------------------------------------------------------
// Offsets

typedef struct blending {
    const sni_game_skin *skin;
    const float *palette; // bone_count x 12
    const float *from;    // #V x 3: the points that the bones move
    const float *points;  // of the frame
    float *offsets;
} blending;

// The rows of B of a vertex.
static void blend_matrix(const blending *b, uint32_t vertex, float rows[12]) {
    const uint32_t *bones = b->skin->bones + SNI_GAME_BONES * (size_t)vertex;
    const float *weights = b->skin->weights + SNI_GAME_BONES * (size_t)vertex;
    memset(rows, 0, 12 * sizeof *rows);
    for (int i = 0; i < SNI_GAME_BONES; ++i) {
        const float *m = b->palette + 12 * (size_t)bones[i];
        for (int k = 0; weights[i] > 0 && k < 12; ++k) {
            rows[k] += weights[i] * m[k];
        }
    }
}

static sn_vec3 row_of(const float rows[12], int row) {
    return sn_vec3_make(rows[4 * row], rows[4 * row + 1], rows[4 * row + 2]);
}

// Where the rows take a point.
static sn_vec3 apply(const float rows[12], sn_vec3 x) {
    return sn_vec3_make(sn_vec3_dot(row_of(rows, 0), x) + rows[3],
                        sn_vec3_dot(row_of(rows, 1), x) + rows[7],
                        sn_vec3_dot(row_of(rows, 2), x) + rows[11]);
}

// (B' B + damping) d = B' r, by Cramer's rule.
static sn_vec3 pull_back(const float rows[12], sn_vec3 r) {
    sn_vec3 a = row_of(rows, 0), b = row_of(rows, 1), c = row_of(rows, 2);
    double xx = a.x * a.x + b.x * b.x + c.x * c.x, yy = a.y * a.y + b.y * b.y + c.y * c.y;
    double zz = a.z * a.z + b.z * b.z + c.z * c.z, more = damping * (xx + yy + zz) / 3;
    double xy = a.x * a.y + b.x * b.y + c.x * c.y, xz = a.x * a.z + b.x * b.z + c.x * c.z;
    double yz = a.y * a.z + b.y * b.z + c.y * c.z;
    sn_vec3 s = {xx + more, xy, xz}, t = {xy, yy + more, yz}, u = {xz, yz, zz + more};
    sn_vec3 q = {r.x * a.x + r.y * b.x + r.z * c.x, r.x * a.y + r.y * b.y + r.z * c.y,
                 r.x * a.z + r.y * b.z + r.z * c.z};
    double determinant = sn_vec3_dot(s, sn_vec3_cross(t, u));
    if (!(determinant > 0)) {
        return sn_vec3_make(0, 0, 0);
    }
    return sn_vec3_scale(sn_vec3_make(sn_vec3_dot(q, sn_vec3_cross(t, u)),
                                      sn_vec3_dot(s, sn_vec3_cross(q, u)),
                                      sn_vec3_dot(s, sn_vec3_cross(t, q))),
                         1 / determinant);
}

static void offset_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const blending *b = user;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v) {
        float rows[12];
        sn_vec3 x = sn_vec3_load(b->from + 3 * (size_t)v);
        blend_matrix(b, v, rows);
        sn_vec3 r = sn_vec3_sub(sn_vec3_load(b->points + 3 * (size_t)v), apply(rows, x));
        sn_vec3_store(pull_back(rows, r), b->offsets + 3 * (size_t)v);
    }
}

static void find_offsets(sn_context *context, sni_game_skin *skin, const sn_mat4 *worlds,
                         const float *from, const float *points, float *offsets) {
    for (uint32_t i = 0; i < skin->bone_count; ++i) {
        sni_game_matrix(skin, i, worlds, skin->palette + 12 * (size_t)i);
    }
    blending b = {
        .skin = skin, .palette = skin->palette, .from = from, .points = points, .offsets = offsets};
    sn_parallel_for(context, skin->vertex_count, VERTEX_GRAIN, offset_block, &b);
}

// ---------------------------------------------------------------------------------------------
// Products

// Sums of floats in lanes, gathered in double every CHUNK numbers.
static double dot(const float *a, const float *b, size_t count) {
    double sum = 0;
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t end = count - first < CHUNK ? count : first + CHUNK, i = first;
        float lanes[LANES] = {0};
        for (; i + LANES <= end; i += LANES) {
            for (int k = 0; k < LANES; ++k) {
                lanes[k] += a[i + k] * b[i + k];
            }
        }
        for (int k = 0; i < end; ++i, ++k) {
            lanes[k] += a[i] * b[i];
        }
        for (int k = 0; k < LANES; ++k) {
            sum += lanes[k];
        }
    }
    return sum;
}

// The products of `size` arrays with each other.
typedef struct products {
    uint32_t size;
    size_t count; // numbers of an array
    const float *const *arrays;
    double *matrix; // size x size
} products;

static void product_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const products *p = user;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        for (uint32_t k = 0; k <= i; ++k) {
            double product = dot(p->arrays[i], p->arrays[k], p->count);
            p->matrix[(size_t)i * p->size + k] = p->matrix[(size_t)k * p->size + i] = product;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Shapes

typedef struct search {
    sn_context *context;
    sni_game_skin *skin;
    const sni_game_poses *poses;
    size_t numbers;  // 3 x #V
    float **offsets; // poses->count
    double *values;  // eigenvalues
    double *vectors; // eigenvectors, one per row
    sni_game_shapes *shapes;
    float *shares;        // shapes->count x poses->count: weights of shapes in frames
    float *residuals;     // for each worker: numbers
    double *frame_errors; // poses->count x (shapes->count + 1)
} search;

static sn_status find_all_offsets(search *s, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(s->context, s->offsets, s->poses->count);
    for (uint32_t f = 0; f < s->poses->count; ++f) {
        SN_TRY(sni_progress(progress, "fitting targets", 0.3 * f / s->poses->count, error));
        SNI_NEW(s->context, s->offsets[f], s->numbers);
        find_offsets(s->context, s->skin, s->poses->worlds + (size_t)f * s->poses->segment_count,
                     s->skin->rest, s->poses->points[f], s->offsets[f]);
    }
cleanup:
    return status;
}

static sn_status find_vectors(search *s, sn_error *error) {
    uint32_t count = s->poses->count;
    double *matrix = NULL;
    sn_status status = SN_OK;
    SNI_NEW(s->context, matrix, (size_t)count * count);
    SNI_NEW(s->context, s->vectors, (size_t)count * count);
    SNI_NEW(s->context, s->values, count);
    products p = {count, s->numbers, (const float *const *)s->offsets, matrix};
    sn_parallel_for(s->context, count, 1, product_block, &p);
    SN_TRY(sni_eigen(s->context, matrix, count, s->values, s->vectors, error));
cleanup:
    sni_free(s->context, matrix);
    return status;
}

// shape = D' u m, where m is the largest |u_f|: frame f takes u_f / m of it, within -1 to 1.
static void shape_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const search *s = user;
    uint32_t frames = s->poses->count;
    (void)worker;
    for (uint32_t k = begin; k < end; ++k) {
        const double *u = s->vectors + (size_t)k * frames;
        float *shape = s->shapes->shapes + k * s->numbers;
        double largest = 0;
        for (uint32_t f = 0; f < frames; ++f) {
            largest = fmax(largest, fabs(u[f]));
        }
        memset(shape, 0, s->numbers * sizeof *shape);
        s->shapes->lows[k] = s->shapes->highs[k] = 0;
        for (uint32_t f = 0; f < frames; ++f) {
            float part = (float)(u[f] * largest), share = (float)(u[f] / largest);
            s->shares[(size_t)k * frames + f] = share;
            s->shapes->lows[k] = fminf(s->shapes->lows[k], share);
            s->shapes->highs[k] = fmaxf(s->shapes->highs[k], share);
            for (size_t i = 0; i < s->numbers; ++i) {
                shape[i] += part * s->offsets[f][i];
            }
        }
    }
}

static sn_status make_shapes(search *s, uint32_t most, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = 0;
    while (count < most && count < s->poses->count && s->values[count] > 0 &&
           s->values[count] > least_share * s->values[0]) {
        ++count;
    }
    s->shapes->count = count;
    SNI_NEW(s->context, s->shapes->shapes, count * s->numbers);
    SNI_NEW(s->context, s->shapes->lows, count);
    SNI_NEW(s->context, s->shapes->highs, count);
    SNI_NEW(s->context, s->shares, (size_t)count * s->poses->count);
    sn_parallel_for(s->context, count, 1, shape_block, s);
cleanup:
    return status;
}

static double mean_length(const float *vectors, uint32_t count) {
    double sum = 0;
    for (size_t v = 0; v < count; ++v) {
        const float *r = vectors + 3 * v;
        sum += sqrtf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    }
    return count > 0 ? sum / count : 0;
}

static void error_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const search *s = user;
    uint32_t count = s->shapes->count;
    float *r = s->residuals + worker * s->numbers;
    for (uint32_t f = begin; f < end; ++f) {
        double *errors = s->frame_errors + (size_t)f * (count + 1);
        memcpy(r, s->offsets[f], s->numbers * sizeof *r);
        errors[0] = mean_length(r, s->skin->vertex_count);
        for (uint32_t k = 0; k < count; ++k) {
            const float *shape = s->shapes->shapes + k * s->numbers;
            float share = s->shares[(size_t)k * s->poses->count + f];
            for (size_t i = 0; i < s->numbers; ++i) {
                r[i] -= share * shape[i];
            }
            errors[k + 1] = mean_length(r, s->skin->vertex_count);
        }
    }
}

// The mean error of each clip with 0, 1, 2 .. shapes.
static sn_status measure_shapes(search *s, sn_error *error) {
    sni_game_shapes *shapes = s->shapes;
    uint32_t steps = shapes->count + 1, frames = s->poses->count;
    sn_status status = SN_OK;
    shapes->clip_count = frames > 0 ? s->poses->clips[frames - 1] + 1 : 0;
    SNI_NEW(s->context, s->residuals, sn_context_thread_count(s->context) * s->numbers);
    SNI_NEW(s->context, s->frame_errors, (size_t)frames * steps);
    SNI_NEW_ZERO(s->context, shapes->errors, (size_t)steps * shapes->clip_count);
    sn_parallel_for(s->context, frames, 1, error_block, s);
    for (uint32_t first = 0, end; first < frames; first = end) {
        uint32_t clip = s->poses->clips[first];
        for (end = first; end < frames && s->poses->clips[end] == clip; ++end) {
            for (uint32_t k = 0; k < steps; ++k) {
                shapes->errors[(size_t)k * shapes->clip_count + clip] +=
                    s->frame_errors[(size_t)end * steps + k];
            }
        }
        for (uint32_t k = 0; k < steps; ++k) {
            shapes->errors[(size_t)k * shapes->clip_count + clip] /= end - first;
        }
    }
cleanup:
    return status;
}

sn_status sni_game_find_shapes(sn_context *context, sni_game_skin *skin,
                               const sni_game_poses *poses, uint32_t most, sni_game_shapes *shapes,
                               const sn_progress *progress, sn_error *error) {
    search s = {.context = context,
                .skin = skin,
                .poses = poses,
                .numbers = 3 * (size_t)skin->vertex_count,
                .shapes = shapes};
    sn_status status = SN_OK;
    *shapes = (sni_game_shapes){0};
    SN_TRY(find_all_offsets(&s, progress, error));
    SN_TRY(sni_progress(progress, "fitting targets", 0.3, error));
    SN_TRY(find_vectors(&s, error));
    SN_TRY(sni_progress(progress, "fitting targets", 0.6, error));
    SN_TRY(make_shapes(&s, most, error));
    SN_TRY(sni_progress(progress, "fitting targets", 0.8, error));
    SN_TRY(measure_shapes(&s, error));
cleanup:
    for (uint32_t f = 0; s.offsets != NULL && f < poses->count; ++f) {
        sni_free(context, s.offsets[f]);
    }
    sni_free(context, s.offsets);
    sni_free(context, s.values);
    sni_free(context, s.vectors);
    sni_free(context, s.shares);
    sni_free(context, s.residuals);
    sni_free(context, s.frame_errors);
    return status;
}

void sni_game_shapes_deinit(sn_context *context, sni_game_shapes *shapes) {
    sni_free(context, shapes->shapes);
    sni_free(context, shapes->lows);
    sni_free(context, shapes->highs);
    sni_free(context, shapes->errors);
    *shapes = (sni_game_shapes){0};
}

// ---------------------------------------------------------------------------------------------
// Targets

// Cholesky factor of the products of the targets, below the diagonal. A target that
// is a mixture of the others has a diagonal of almost zero, which `least` replaces.
static void factor_products(double *matrix, uint32_t size) {
    double trace = 0;
    for (uint32_t i = 0; i < size; ++i) {
        trace += matrix[(size_t)i * size + i];
    }
    double least = 1e-9 * trace / size;
    for (uint32_t i = 0; i < size; ++i) {
        double *row = matrix + (size_t)i * size;
        for (uint32_t k = 0; k <= i; ++k) {
            const double *other = matrix + (size_t)k * size;
            double sum = row[k];
            for (uint32_t j = 0; j < k; ++j) {
                sum -= row[j] * other[j];
            }
            row[k] = k < i ? sum / other[k] : sqrt(fmax(sum, least));
        }
    }
}

static sn_status multiply_targets(sn_context *context, sni_game_skin *skin, sn_error *error) {
    uint32_t count = skin->target_count;
    const float **arrays = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, arrays, count);
    SNI_NEW(context, skin->factor, (size_t)count * count);
    for (uint32_t k = 0; k < count; ++k) {
        arrays[k] = skin->targets + 3 * (size_t)k * skin->vertex_count;
    }
    products p = {count, 3 * (size_t)skin->vertex_count, arrays, skin->factor};
    sn_parallel_for(context, count, 1, product_block, &p);
    factor_products(skin->factor, count);
cleanup:
    sni_free(context, arrays);
    return status;
}

static float largest_of(const float *values, size_t count) {
    float largest = 0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmaxf(largest, fabsf(values[i]));
    }
    return largest;
}

// The range of a shape's weights, wider by a margin for frames between those that it was found in.
typedef struct weight_range {
    float low, width;
} weight_range;

static weight_range range_of(const sni_game_shapes *shapes, uint32_t k) {
    float width = shapes->highs[k] - shapes->lows[k];
    return (weight_range){shapes->lows[k] - range_margin * width, (1 + 2 * range_margin) * width};
}

// A target is its shape times the width of the range: a weight w of the shape is (w - low) / width
// of the target. It is in units, and rounded to steps of them.
static void round_target(const float *shape, size_t count, float factor, float steps,
                         float *target) {
    for (size_t i = 0; i < count; ++i) {
        target[i] = roundf(shape[i] * factor * steps) / steps;
    }
}

// Takes a target off the base, at the weight that it has at rest, so that
// base + sum of rest_weight * target = rest.
static void move_base(sni_game_skin *skin, const float *target, float rest_weight, float unit) {
    size_t numbers = 3 * (size_t)skin->vertex_count;
    for (size_t i = 0; i < numbers; ++i) {
        skin->base[i] -= rest_weight * target[i] * unit;
    }
}

static sn_status allocate_targets(sn_context *context, uint32_t count, sni_game_skin *skin,
                                  sn_error *error) {
    sn_status status = SN_OK;
    sni_free(context, skin->targets);
    sni_free(context, skin->factor);
    sni_free(context, skin->rest_weights);
    skin->targets = skin->rest_weights = NULL;
    skin->factor = NULL;
    skin->target_count = count;
    SNI_NEW(context, skin->targets, 3 * (size_t)skin->vertex_count * count);
    SNI_NEW(context, skin->rest_weights, count);
cleanup:
    return status;
}

sn_status sni_game_set_targets(sn_context *context, const sni_game_shapes *shapes, uint32_t count,
                               double tolerance, sni_game_skin *skin, sn_error *error) {
    size_t numbers = 3 * (size_t)skin->vertex_count;
    sn_status status = SN_OK;
    SN_ASSERT(count <= shapes->count);
    SN_TRY(allocate_targets(context, count, skin, error));
    memcpy(skin->base, skin->rest, numbers * sizeof *skin->base);
    skin->unit = 0;
    for (uint32_t k = 0; k < count; ++k) {
        float largest = largest_of(shapes->shapes + k * numbers, numbers);
        skin->unit = fmaxf(skin->unit, largest * range_of(shapes, k).width);
    }
    skin->unit = skin->unit > 0 ? skin->unit : 1;
    float steps = skin->unit / byte_steps / 2 <= tolerance ? byte_steps : short_steps;
    for (uint32_t k = 0; k < count; ++k) {
        weight_range range = range_of(shapes, k);
        float *target = skin->targets + k * numbers;
        round_target(shapes->shapes + k * numbers, numbers, range.width / skin->unit, steps,
                     target);
        skin->rest_weights[k] = range.width > 0 ? -range.low / range.width : 0;
        move_base(skin, target, skin->rest_weights[k], skin->unit);
    }
    SN_TRY(multiply_targets(context, skin, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Weights

typedef struct weighing {
    const sni_game_skin *skin;
    const float *points;
    double *sums;         // target_count
    const float *weights; // target_count
} weighing;

static void sum_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const weighing *w = user;
    size_t numbers = 3 * (size_t)w->skin->vertex_count;
    (void)worker;
    for (uint32_t k = begin; k < end; ++k) {
        w->sums[k] = dot(w->skin->targets + k * numbers, w->skin->offsets, numbers);
    }
}

static void solve(const double *factor, uint32_t size, double *x) {
    for (uint32_t i = 0; i < size; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            x[i] -= factor[(size_t)i * size + k] * x[k];
        }
        x[i] /= factor[(size_t)i * size + i];
    }
    for (uint32_t i = size; i-- > 0;) {
        for (uint32_t k = i + 1; k < size; ++k) {
            x[i] -= factor[(size_t)k * size + i] * x[k];
        }
        x[i] /= factor[(size_t)i * size + i];
    }
}

static void gap_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const weighing *w = user;
    const sni_game_skin *skin = w->skin;
    blending b = {.skin = skin, .palette = skin->palette};
    (void)worker;
    for (uint32_t v = begin; v < end; ++v) {
        float rows[12];
        sn_vec3 x = sn_vec3_load(skin->base + 3 * (size_t)v);
        for (size_t k = 0; k < skin->target_count; ++k) {
            const float *target = skin->targets + 3 * (k * skin->vertex_count + v);
            x = sn_vec3_add_scaled(x, w->weights[k] * skin->unit, sn_vec3_load(target));
        }
        blend_matrix(&b, v, rows);
        skin->gaps[v] =
            (float)sn_vec3_distance(apply(rows, x), sn_vec3_load(w->points + 3 * (size_t)v));
    }
}

sn_status sni_game_weigh(sn_context *context, sni_game_skin *skin, const sn_mat4 *worlds,
                         const float *points, float *weights, sn_error *error) {
    uint32_t count = skin->target_count;
    weighing w = {.skin = skin, .points = points, .weights = weights};
    sn_status status = SN_OK;
    SNI_NEW(context, w.sums, count);
    find_offsets(context, skin, worlds, skin->base, points, skin->offsets);
    sn_parallel_for(context, count, 1, sum_block, &w);
    solve(skin->factor, count, w.sums);
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = fmaxf(0, fminf(1, (float)(w.sums[k] / skin->unit)));
    }
    sn_parallel_for(context, skin->vertex_count, VERTEX_GRAIN, gap_block, &w);
cleanup:
    sni_free(context, w.sums);
    return status;
}
