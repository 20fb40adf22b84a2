// SPDX-License-Identifier: Apache-2.0
//
// Bones and weights of a skin in a game.
//
// A skin without weights of its own is given those with which linear blend skinning follows it best
// (Le and Deng, Smooth Skinning Decomposition with Rigid Bones, 2012, with the bones given). Vertex
// x stands at p_f in frame f, and segment j would carry it to M_jf x. With r_j the vector of all
// M_jf x - p_f, weights w that add up to one leave the error |sum_j w_j r_j|^2. Segments are added
// one by one, each time the one towards which the error falls fastest, and after each the weights
// of all that were taken are solved for anew. Those that come out negative are dropped.
#include "eval/game.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Weights are fitted to so many frames, spread evenly: enough to tell segments apart.
enum { MOST_SAMPLES = 64, VERTEX_GRAIN = 256 };

// Weights are multiples of 1 / weight_steps: what 16 bits hold.
static const int weight_steps = 65535;

// Segments whose matrices differ by less than this are the same to a skin.
static const float same_matrix = 1e-5f;

// An error of this part of the skin's size is given up for weights that are alike for segments that
// move alike.
static const double ridge_part = 1e-4;

// Rounds weights to multiples of 1 / weight_steps that add up to one: what is left over goes to the
// largest.
static void round_weights(float weights[SNI_GAME_BONES]) {
    int steps[SNI_GAME_BONES], left = weight_steps, largest = 0;
    double sum = 0;
    for (int i = 0; i < SNI_GAME_BONES; ++i) {
        sum += weights[i];
        largest = weights[i] > weights[largest] ? i : largest;
    }
    for (int i = 0; i < SNI_GAME_BONES; ++i) {
        steps[i] = sum > 0 ? (int)lround(weights[i] / sum * weight_steps) : 0;
        left -= steps[i];
    }
    steps[largest] += left;
    for (int i = 0; i < SNI_GAME_BONES; ++i) {
        weights[i] = (float)steps[i] / (float)weight_steps;
    }
}

static sn_status allocate(const sn_model *model, sni_game_skin *skin, uint32_t bone_count,
                          sn_error *error) {
    sn_context *context = model->context;
    sn_status status = SN_OK;
    size_t vertices = skin->vertex_count;
    skin->bone_count = bone_count;
    SNI_NEW(context, skin->rest, 3 * vertices);
    SNI_NEW(context, skin->base, 3 * vertices);
    SNI_NEW(context, skin->bone_segments, bone_count);
    SNI_NEW(context, skin->inverse_binds, bone_count);
    SNI_NEW_ZERO(context, skin->bones, SNI_GAME_BONES * vertices);
    SNI_NEW_ZERO(context, skin->weights, SNI_GAME_BONES * vertices);
    SNI_NEW(context, skin->palette, 12 * (size_t)bone_count);
    SNI_NEW(context, skin->offsets, 3 * vertices);
    SNI_NEW(context, skin->gaps, vertices);
cleanup:
    return status;
}

void sni_game_skin_deinit(sn_context *context, sni_game_skin *skin) {
    sni_free(context, skin->rest);
    sni_free(context, skin->base);
    sni_free(context, skin->rest_weights);
    sni_free(context, skin->bone_segments);
    sni_free(context, skin->inverse_binds);
    sni_free(context, skin->bones);
    sni_free(context, skin->weights);
    sni_free(context, skin->palette);
    sni_free(context, skin->offsets);
    sni_free(context, skin->gaps);
    sni_free(context, skin->targets);
    sni_free(context, skin->factor);
    *skin = (sni_game_skin){0};
}

static sn_status bind_to_rest(const sn_model *model, uint32_t segment, sn_mat4 *bind,
                              sn_error *error) {
    return sn_mat4_invert(&model->rest_worlds[segment], bind)
               ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "the rest frame of segment \"%s\" is flat: no skin can follow it",
                          sn_model_skeleton(model)->segments[segment].name);
}

// ---------------------------------------------------------------------------------------------
// Own weights

// The place of the smallest weight of a vertex.
static uint32_t find_smallest(const float weights[SNI_GAME_BONES]) {
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < SNI_GAME_BONES; ++i) {
        smallest = weights[i] < weights[smallest] ? i : smallest;
    }
    return smallest;
}

static void take_row(const sn_weights *from, uint32_t vertex, uint32_t *bones, float *weights) {
    for (uint32_t i = from->offsets[vertex]; i < from->offsets[vertex + 1]; ++i) {
        uint32_t place = 0;
        while (place < SNI_GAME_BONES && !(weights[place] > 0 && bones[place] == from->bones[i])) {
            ++place;
        }
        if (place < SNI_GAME_BONES) { // the bone stands twice
            weights[place] += from->values[i];
            continue;
        }
        place = find_smallest(weights);
        if (from->values[i] > weights[place]) {
            bones[place] = from->bones[i];
            weights[place] = from->values[i];
        }
    }
    round_weights(weights);
}

sn_status sni_game_take_weights(const sn_model *model, sni_game_skin *skin, sn_error *error) {
    const sn_surface *surface = &model->surfaces[skin->surface];
    const sn_weights *from = surface->mesh->weights;
    sn_status status = SN_OK;
    SN_TRY(allocate(model, skin, from->bone_count, error));
    memcpy(skin->rest, surface->mesh->positions, 3 * (size_t)skin->vertex_count * sizeof(float));
    for (uint32_t i = 0; i < from->bone_count; ++i) {
        skin->bone_segments[i] = surface->bone_segments[i];
        if (from->inverse_bind != NULL) {
            skin->inverse_binds[i] = from->inverse_bind[i];
        } else {
            SN_TRY(bind_to_rest(model, skin->bone_segments[i], &skin->inverse_binds[i], error));
        }
    }
    for (size_t v = 0; v < skin->vertex_count; ++v) {
        take_row(from, (uint32_t)v, skin->bones + SNI_GAME_BONES * v,
                 skin->weights + SNI_GAME_BONES * v);
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Fitted weights

typedef struct fit {
    sni_game_skin *skin;
    const sni_game_poses *poses;
    uint32_t sample_count;
    uint32_t samples[MOST_SAMPLES]; // frames
    float *matrices;                // bone_count x sample_count x 12
    float *residuals;               // for each worker: bone_count x sample_count x 3
    double *squares;                // for each worker: bone_count
    double ridge;
} fit;

static void choose_samples(fit *f) {
    f->sample_count = f->poses->count < MOST_SAMPLES ? f->poses->count : MOST_SAMPLES;
    for (uint32_t i = 0; i < f->sample_count; ++i) {
        f->samples[i] = (uint32_t)((uint64_t)i * f->poses->count / f->sample_count);
    }
}

void sni_game_matrix(const sni_game_skin *skin, uint32_t bone, const sn_mat4 *worlds,
                     float rows[12]) {
    sn_mat4 m = sn_mat4_multiply(&worlds[skin->bone_segments[bone]], &skin->inverse_binds[bone]);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 4; ++column) {
            rows[4 * row + column] = (float)m.m[4 * column + row];
        }
    }
}

static void fill_matrices(fit *f, uint32_t bone) {
    const sni_game_skin *skin = f->skin;
    for (size_t i = 0; i < f->sample_count; ++i) {
        const sn_mat4 *worlds = f->poses->worlds + (size_t)f->samples[i] * f->poses->segment_count;
        sni_game_matrix(skin, bone, worlds,
                        f->matrices + 12 * (bone * (size_t)f->sample_count + i));
    }
}

// Whether a bone moves a skin as another one does in all samples.
static bool moves_alike(const fit *f, uint32_t a, uint32_t b) {
    size_t numbers = 12 * (size_t)f->sample_count;
    for (size_t i = 0; i < numbers; ++i) {
        if (fabsf(f->matrices[a * numbers + i] - f->matrices[b * numbers + i]) > same_matrix) {
            return false;
        }
    }
    return true;
}

// All segments but those that move as an earlier one does.
static sn_status choose_bones(const sn_model *model, fit *f, sn_error *error) {
    sni_game_skin *skin = f->skin;
    uint32_t count = 0;
    for (uint32_t s = 0; s < f->poses->segment_count; ++s) {
        bool is_new = true;
        skin->bone_segments[count] = s;
        sn_status status = bind_to_rest(model, s, &skin->inverse_binds[count], error);
        if (status != SN_OK) {
            return status;
        }
        fill_matrices(f, count);
        for (uint32_t i = 0; i < count && is_new; ++i) {
            is_new = !moves_alike(f, i, count);
        }
        count += is_new;
    }
    skin->bone_count = count;
    return SN_OK;
}

// r_j of a vertex for all bones j, and their squares.
static void fill_residuals(const fit *f, uint32_t vertex, float *residuals, double *squares) {
    const float *x = f->skin->rest + 3 * (size_t)vertex;
    float points[3 * MOST_SAMPLES];
    for (size_t i = 0; i < f->sample_count; ++i) {
        memcpy(points + 3 * i, f->poses->points[f->samples[i]] + 3 * (size_t)vertex,
               3 * sizeof *points);
    }
    for (size_t bone = 0; bone < f->skin->bone_count; ++bone) {
        const float *m = f->matrices + 12 * bone * f->sample_count;
        float *r = residuals + 3 * bone * f->sample_count;
        float square = 0;
        for (size_t i = 0; i < f->sample_count; ++i, m += 12, r += 3) {
            for (int k = 0; k < 3; ++k) {
                r[k] = m[4 * k] * x[0] + m[4 * k + 1] * x[1] + m[4 * k + 2] * x[2] + m[4 * k + 3] -
                       points[3 * i + k];
                square += r[k] * r[k];
            }
        }
        squares[bone] = square;
    }
}

// Six sums beside each other, which the compiler may compute at once.
static double dot(const float *a, const float *b, size_t count) {
    float sums[6] = {0};
    size_t i = 0;
    for (; i + 6 <= count; i += 6) {
        for (int k = 0; k < 6; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (int k = 0; i < count; ++i, ++k) {
        sums[k] += a[i] * b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + (sums[4] + sums[5]);
}

// Solves the symmetric positive system G y = 1 of up to four unknowns by elimination.
static void solve_ones(double g[SNI_GAME_BONES][SNI_GAME_BONES], uint32_t size, double *y) {
    for (uint32_t i = 0; i < size; ++i) {
        y[i] = 1;
    }
    for (uint32_t i = 0; i < size; ++i) {
        for (uint32_t k = i + 1; k < size; ++k) {
            double part = g[k][i] / g[i][i];
            for (uint32_t c = i; c < size; ++c) {
                g[k][c] -= part * g[i][c];
            }
            y[k] -= part * y[i];
        }
    }
    for (uint32_t i = size; i-- > 0;) {
        for (uint32_t c = i + 1; c < size; ++c) {
            y[i] -= g[i][c] * y[c];
        }
        y[i] /= g[i][i];
    }
}

typedef struct row {
    uint32_t count;
    uint32_t bones[SNI_GAME_BONES];
    double weights[SNI_GAME_BONES];
} row;

// The weights of the bones of a row that leave the least error; bones with negative ones are taken
// out. With the sum of weights fixed, the least of w' G w is where G w has equal elements.
static void solve_row(const fit *f, const float *residuals, row *r) {
    size_t numbers = 3 * (size_t)f->sample_count;
    for (;;) {
        double g[SNI_GAME_BONES][SNI_GAME_BONES], sum = 0;
        uint32_t worst = 0;
        for (uint32_t i = 0; i < r->count; ++i) {
            for (uint32_t k = 0; k < r->count; ++k) {
                g[i][k] = dot(residuals + r->bones[i] * numbers, residuals + r->bones[k] * numbers,
                              numbers) +
                          (i == k ? f->ridge : 0);
            }
        }
        solve_ones(g, r->count, r->weights);
        for (uint32_t i = 0; i < r->count; ++i) {
            sum += r->weights[i];
            worst = r->weights[i] < r->weights[worst] ? i : worst;
        }
        if (r->weights[worst] >= 0 || r->count == 1) {
            for (uint32_t i = 0; i < r->count; ++i) {
                r->weights[i] = r->count == 1 ? 1 : r->weights[i] / sum;
            }
            return;
        }
        r->bones[worst] = r->bones[--r->count];
    }
}

// The residual that the weights of a row leave; returns its square.
static double mix_row(const fit *f, const float *residuals, const row *r, float *mixed) {
    size_t numbers = 3 * (size_t)f->sample_count;
    memset(mixed, 0, numbers * sizeof *mixed);
    for (uint32_t i = 0; i < r->count; ++i) {
        const float *from = residuals + r->bones[i] * numbers;
        float weight = (float)r->weights[i];
        for (size_t k = 0; k < numbers; ++k) {
            mixed[k] += weight * from[k];
        }
    }
    return dot(mixed, mixed, numbers);
}

static bool row_has(const row *r, uint32_t bone) {
    bool found = false;
    for (uint32_t i = 0; i < r->count; ++i) {
        found = found || r->bones[i] == bone;
    }
    return found;
}

// The bone towards which the error falls most: on the way from the residual m to r_j the least
// square is |m|^2 - (m.e)^2 / |e|^2 with e = r_j - m. SN_NONE where none gains more than the ridge.
static uint32_t find_next(const fit *f, const float *residuals, const double *squares, const row *r,
                          const float *mixed, double square) {
    size_t numbers = 3 * (size_t)f->sample_count;
    uint32_t best = SN_NONE;
    double most = f->ridge;
    for (uint32_t bone = 0; bone < f->skin->bone_count; ++bone) {
        double product = dot(mixed, residuals + bone * numbers, numbers);
        double along = product - square, length = squares[bone] - 2 * product + square;
        double gain = along < 0 && length > 0 ? along * along / length : 0;
        if (gain > most && !row_has(r, bone)) {
            most = gain;
            best = bone;
        }
    }
    return best;
}

static void fit_vertex(const fit *f, uint32_t vertex, float *residuals, double *squares) {
    float mixed[3 * MOST_SAMPLES];
    row r = {.count = 1, .weights = {1}};
    fill_residuals(f, vertex, residuals, squares);
    for (uint32_t bone = 1; bone < f->skin->bone_count; ++bone) {
        r.bones[0] = squares[bone] < squares[r.bones[0]] ? bone : r.bones[0];
    }
    for (int round = 0; round < 2 * SNI_GAME_BONES && r.count < SNI_GAME_BONES; ++round) {
        double square = mix_row(f, residuals, &r, mixed);
        uint32_t next = find_next(f, residuals, squares, &r, mixed, square);
        if (next == SN_NONE) {
            break;
        }
        r.bones[r.count++] = next;
        solve_row(f, residuals, &r);
    }
    for (uint32_t i = 0; i < r.count; ++i) {
        f->skin->bones[SNI_GAME_BONES * (size_t)vertex + i] = r.bones[i];
        f->skin->weights[SNI_GAME_BONES * (size_t)vertex + i] = (float)r.weights[i];
    }
    round_weights(f->skin->weights + SNI_GAME_BONES * (size_t)vertex);
}

static void fit_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const fit *f = user;
    float *residuals = f->residuals + (size_t)worker * f->skin->bone_count * f->sample_count * 3;
    double *squares = f->squares + (size_t)worker * f->skin->bone_count;
    for (uint32_t v = begin; v < end; ++v) {
        fit_vertex(f, v, residuals, squares);
    }
}

static double size_of(const float *points, uint32_t count) {
    sn_vec3 low = sn_vec3_make(INFINITY, INFINITY, INFINITY), high = sn_vec3_scale(low, -1);
    for (size_t v = 0; v < count; ++v) {
        low = sn_vec3_min(low, sn_vec3_load(points + 3 * v));
        high = sn_vec3_max(high, sn_vec3_load(points + 3 * v));
    }
    return count > 0 ? sn_vec3_distance(low, high) : 0;
}

sn_status sni_game_fit_weights(const sn_model *model, const float *rest,
                               const sni_game_poses *poses, sni_game_skin *skin, sn_error *error) {
    sn_context *context = model->context;
    size_t workers = sn_context_thread_count(context);
    fit f = {.skin = skin, .poses = poses};
    sn_status status = SN_OK;
    SN_TRY(allocate(model, skin, poses->segment_count, error));
    memcpy(skin->rest, rest, 3 * (size_t)skin->vertex_count * sizeof *rest);
    choose_samples(&f);
    double gap = ridge_part * size_of(rest, skin->vertex_count);
    f.ridge = fmax(f.sample_count * gap * gap, DBL_MIN);
    SNI_NEW(context, f.matrices, 12 * (size_t)poses->segment_count * f.sample_count);
    SN_TRY(choose_bones(model, &f, error));
    SNI_NEW(context, f.residuals, workers * skin->bone_count * f.sample_count * 3);
    SNI_NEW(context, f.squares, workers * skin->bone_count);
    sn_parallel_for(context, skin->vertex_count, VERTEX_GRAIN, fit_block, &f);
cleanup:
    sni_free(context, f.matrices);
    sni_free(context, f.residuals);
    sni_free(context, f.squares);
    return status;
}
