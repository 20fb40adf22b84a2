// SPDX-License-Identifier: Apache-2.0
//
// Skinning by weights on bones, linear or by dual quaternions (docs/blend.md).
//
// A bone's matrix is M = world * inverse_bind, computed in double and rounded to float once as
// M - I. The product's own rounding error is removed first, so that the rest pose gives exactly the
// identity.
//
// Dual quaternions hold rotation and translation only. A matrix with scale or shear is taken apart
// into a rigid part and a stretch about the bone's origin c (polar decomposition, Higham 1986),
//
//     M p = R (S (p - c) + c) + t,     S symmetric,  t = M c - R c,
//
// and the stretches are blended linearly before the rigid parts are blended as dual quaternions
// (the two phases of Kavan et al. 2008, section 4.2). A mirroring matrix has a mirroring S; one
// that flattens space gets a rotation by Gram-Schmidt in place of the polar one.
//
// Files whose armature is scaled have meshes in other units than the world: the matrices of all
// bones share that scale. A stretch by 0.01 about each bone's origin makes offsets t of the size of
// the body in the mesh's units, which do not blend, so a common scale is taken out first and
// applied to the points:  M p = (M / s) (s p).
#include "skin/skin.h"
#include "skin/sparse_blend.h"

#include "base/context.h"

#include <float.h>
#include <math.h>

static const char *const methods[] = {"linear", "dual_quaternion", NULL};

static const sn_parameter parameters[SNI_BLEND_PARAMETER_COUNT] = {
    [SNI_BLEND_PARAMETER_METHOD] =
        {.name = "method",
         .help =
             "How the motions of several bones are mixed: linear is fastest and what most other "
             "programs show; dual_quaternion keeps the volume at joints that twist and bend",
         .low = SNI_BLEND_LINEAR,
         .standard = SNI_BLEND_LINEAR,
         .high = SNI_BLEND_DUAL_QUATERNION,
         .choices = methods},
};

// What a sum of four products may be off by, relative to the sum of their sizes, when one factor is
// a computed inverse: some tens of roundings.
static const double product_rounding = 64 * DBL_EPSILON;

// A stretch this close to 1 is what rounding a rigid matrix to float leaves of it.
static const double rigid_tolerance = 4e-7;

// Entries further than this from the identity's are not rounding errors of it, whatever the size of
// the factors.
static const double far_from_identity = 1e-3;

// Bones whose matrices are computed by one block: some microseconds.
static const uint32_t bone_grain = 32;

// Points that are scaled by one block.
static const uint32_t point_grain = 4096;

typedef struct bone {
    uint32_t segment;
    sn_mat4 inverse_bind;
    sn_vec3 centre; // its origin at bind time
} bone;

typedef struct blend {
    sni_sparse_blend weights;
    bool dual_quaternion;
    uint32_t bone_count;
    bone *bones;
    double scale; // of all bones: points are scaled before bones move them; 1: not at all
} blend;

static sn_status bind_bone(const sni_bind_job *job, uint32_t index, bone *made, sn_error *error) {
    const sn_weights *weights = job->mesh->weights;
    const sni_weights_input *input = job->inputs[0];
    made->segment = input->bone_segments[index];
    sn_mat4 bind_matrix;
    if (weights->inverse_bind != NULL) {
        made->inverse_bind = weights->inverse_bind[index];
        sn_mat4_invert(&made->inverse_bind, &bind_matrix);
    } else {
        bind_matrix = job->rest_worlds[made->segment];
        if (!sn_mat4_invert(&bind_matrix, &made->inverse_bind)) {
            const char *name = job->skeleton->segments[made->segment].name;
            return sni_fail(error, SN_INVALID,
                            "bone %u (segment \"%s\"): its rest matrix is flat and has no inverse",
                            index, name != NULL ? name : "");
        }
    }
    made->centre = sn_mat4_point(&bind_matrix, sn_vec3_make(0, 0, 0));
    return SN_OK;
}

static void log_report(const sni_bind_job *job, const sni_sparse_blend_report *report) {
    if (report->unweighted > 0) {
        sni_log(job->context, SN_LOG_WARNING, "skin",
                "mesh \"%s\": %u of %u vertices have no weights and stay where they are",
                job->mesh->name, report->unweighted, job->mesh->vertex_count);
    }
    if (report->rescaled > 0) {
        sni_log(job->context, SN_LOG_INFO, "skin",
                "mesh \"%s\": the weights of %u vertices did not sum to 1 and were scaled",
                job->mesh->name, report->rescaled);
    }
}

static void blend_unbind(sn_context *context, void *bound) {
    blend *b = bound;
    if (b == NULL) {
        return;
    }
    sni_sparse_blend_deinit(context, &b->weights);
    sni_free(context, b->bones);
    sni_free(context, b);
}

// How much a matrix scales lengths, in the mean of all directions.
static double scale_of(const sn_mat4 *m) {
    return cbrt(fabs(sn_mat4_determinant(m)));
}

// Dual quaternions alone: the scale that the bones share at rest, taken out of their matrices.
static void take_scale(const sni_bind_job *job, blend *b) {
    static const double same = 1e-3;
    double scale = 0;
    for (uint32_t i = 0; i < b->bone_count && b->dual_quaternion; ++i) {
        const sn_mat4 *rest = &job->rest_worlds[b->bones[i].segment];
        sn_mat4 placed = sn_mat4_multiply(rest, &b->bones[i].inverse_bind);
        double bone_scale = scale_of(&placed);
        scale = i == 0 ? bone_scale : scale;
        if (!(fabs(bone_scale - scale) <= same * scale)) {
            return;
        }
    }
    if (!(scale > 0) || fabs(scale - 1) <= same) {
        return;
    }
    b->scale = scale;
    for (uint32_t i = 0; i < b->bone_count; ++i) {
        bone *made = &b->bones[i];
        made->centre = sn_vec3_scale(made->centre, scale);
        for (int k = 0; k < 12; ++k) { // the three columns that multiply the point
            made->inverse_bind.m[k] /= scale;
        }
    }
}

static sn_status blend_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    const sn_weights *weights = job->mesh->weights;
    sni_sparse_blend_report report;
    blend *b = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_blend, job, error));
    SNI_NEW_ZERO(job->context, b, 1);
    b->scale = 1;
    b->dual_quaternion = job->parameters[SNI_BLEND_PARAMETER_METHOD] == SNI_BLEND_DUAL_QUATERNION;
    b->bone_count = weights->bone_count;
    SNI_NEW(job->context, b->bones, b->bone_count);
    for (uint32_t i = 0; i < b->bone_count; ++i) {
        SN_TRY(bind_bone(job, i, &b->bones[i], error));
    }
    SN_TRY(sni_sparse_blend_init(job->context, job->mesh->vertex_count, b->bone_count,
                                 weights->offsets, weights->bones, weights->values, &b->weights,
                                 &report, error));
    log_report(job, &report);
    take_scale(job, b);
    *bound = b;
    return SN_OK;
cleanup:
    blend_unbind(job->context, b);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Matrices of a frame

// The sum of the sizes of the terms of an entry of a * b.
static double product_size(const sn_mat4 *a, const sn_mat4 *b, int row, int column) {
    double size = 0;
    for (int k = 0; k < 4; ++k) {
        size += fabs(a->m[4 * k + row] * b->m[4 * column + k]);
    }
    return size;
}

// a * b, with entries that differ from the identity's by less than their rounding error set to it.
static sn_mat4 multiply_clean(const sn_mat4 *a, const sn_mat4 *b) {
    sn_mat4 product = sn_mat4_multiply(a, b);
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            double identity = row == column ? 1 : 0;
            double *entry = &product.m[4 * column + row];
            if (fabs(*entry - identity) < far_from_identity &&
                fabs(*entry - identity) <= product_rounding * product_size(a, b, row, column)) {
                *entry = identity;
            }
        }
    }
    return product;
}

// Linear part of a matrix times s, without translation.
static sn_mat4 linear_part(const sn_mat4 *a, double s) {
    sn_mat4 linear = sn_mat4_identity();
    for (int column = 0; column < 3; ++column) {
        for (int row = 0; row < 3; ++row) {
            linear.m[4 * column + row] = s * a->m[4 * column + row];
        }
    }
    return linear;
}

static sn_mat4 transpose(const sn_mat4 *a) {
    sn_mat4 result;
    for (int i = 0; i < 16; ++i) {
        result.m[i] = a->m[4 * (i % 4) + i / 4];
    }
    return result;
}

// The rotation closest to a matrix of positive determinant: Q <- (Q + Q^-T) / 2, which converges
// quadratically; false when the matrix is too flat for it.
static bool polar_rotation(sn_mat4 q, sn_mat4 *rotation) {
    for (int step = 0; step < 64; ++step) {
        sn_mat4 inverse;
        if (!sn_mat4_invert(&q, &inverse)) {
            return false;
        }
        double change = 0;
        for (int column = 0; column < 3; ++column) {
            for (int row = 0; row < 3; ++row) {
                double *entry = &q.m[4 * column + row];
                double next = (*entry + inverse.m[4 * row + column]) / 2;
                change = fmax(change, fabs(next - *entry));
                *entry = next;
            }
        }
        if (!(change > 1e-14)) {
            *rotation = q;
            return isfinite(change);
        }
    }
    return false;
}

// Whether the axes of M are unit vectors at right angles and not mirrored.
static bool is_rigid(const sn_mat4 *m) {
    sn_vec3 x = {m->m[0], m->m[1], m->m[2]}, y = {m->m[4], m->m[5], m->m[6]};
    sn_vec3 z = {m->m[8], m->m[9], m->m[10]};
    double error = fmax(fabs(sn_vec3_dot(x, x) - 1), fabs(sn_vec3_dot(y, y) - 1));
    error = fmax(error, fmax(fabs(sn_vec3_dot(z, z) - 1), fabs(sn_vec3_dot(x, y))));
    error = fmax(error, fmax(fabs(sn_vec3_dot(y, z)), fabs(sn_vec3_dot(z, x))));
    return error <= rigid_tolerance && sn_mat4_determinant(m) > 0;
}

// Takes M apart as the top of the file says. Returns whether there is a stretch.
static bool split_stretch(const sn_mat4 *m, sn_vec3 centre, sn_dual_quat *rigid, sn_mat4 *stretch) {
    if (is_rigid(m)) {
        *rigid = sn_dual_quat_from_rigid(sn_mat4_rotation(m),
                                         sn_vec3_make(m->m[12], m->m[13], m->m[14]));
        *stretch = sn_mat4_identity();
        return false;
    }
    sn_mat4 linear = linear_part(m, 1);
    sn_mat4 upright = linear_part(m, sn_mat4_determinant(&linear) < 0 ? -1 : 1);
    sn_mat4 rotation;
    sn_transform parts = sn_transform_identity();
    bool found = polar_rotation(upright, &rotation);
    parts.rotation = sn_mat4_rotation(found ? &rotation : &upright);
    rotation = sn_mat4_from_transform(&parts);
    sn_mat4 back = transpose(&rotation);
    *stretch = sn_mat4_multiply(&back, &linear);
    sn_vec3 kept = sn_vec3_sub(centre, sn_mat4_direction(stretch, centre));
    stretch->m[12] = kept.x;
    stretch->m[13] = kept.y;
    stretch->m[14] = kept.z;
    sn_vec3 shift = sn_vec3_sub(sn_mat4_point(m, centre), sn_quat_rotate(parts.rotation, centre));
    *rigid = sn_dual_quat_from_rigid(parts.rotation, shift);
    return true;
}

typedef struct palette {
    const blend *bound;
    const sn_mat4 *worlds;
    float *matrices;  // linear: M - I; dual quaternion: S - I
    float *duals;     // dual quaternion only
    bool *stretching; // one for each block of bones: whether any S is not the identity
} palette;

static void fill_palette(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const palette *p = user;
    bool stretching = false;
    for (uint32_t i = begin; i < end; ++i) {
        const bone *b = &p->bound->bones[i];
        sn_mat4 m = multiply_clean(&p->worlds[b->segment], &b->inverse_bind);
        if (p->duals != NULL) {
            sn_dual_quat rigid;
            sn_mat4 stretch;
            stretching |= split_stretch(&m, b->centre, &rigid, &stretch);
            m = stretch;
            sni_blend_dual_store(&rigid, p->duals + (size_t)i * SNI_BLEND_DUAL);
        }
        sni_blend_matrix_store(&m, p->matrices + (size_t)i * SNI_BLEND_MATRIX);
    }
    p->stretching[begin / bone_grain] = stretching;
}

typedef struct scaling {
    float scale;
    const float *from;
    float *to;
} scaling;

static void scale_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const scaling *s = user;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
        s->to[i] = s->scale * s->from[i];
    }
}

static sn_status blend_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const blend *b = bound;
    size_t block_count = b->bone_count / bone_grain + 1;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    palette p = {.bound = b, .worlds = job->worlds};
    p.matrices = sni_arena_alloc(job->arena, b->bone_count, SNI_BLEND_MATRIX * sizeof(float));
    p.stretching = sni_arena_alloc(job->arena, block_count, sizeof *p.stretching);
    if (b->dual_quaternion) {
        p.duals = sni_arena_alloc(job->arena, b->bone_count, SNI_BLEND_DUAL * sizeof(float));
    }
    if (p.matrices == NULL || p.stretching == NULL || (b->dual_quaternion && p.duals == NULL)) {
        sni_arena_release(job->arena, mark);
        return sni_fail_memory(error);
    }
    sn_parallel_for(job->context, b->bone_count, bone_grain, fill_palette, &p);
    const float *points = job->points_in;
    if (b->scale != 1) {
        scaling scaled = {(float)b->scale, points, job->points_out};
        sn_parallel_for(job->context, job->vertex_count, point_grain, scale_block, &scaled);
        points = job->points_out;
    }
    bool stretching = !b->dual_quaternion;
    for (size_t block = 0; block * bone_grain < b->bone_count; ++block) {
        stretching |= p.stretching[block];
    }
    sni_blend_job kernel = {.blend = &b->weights,
                            .matrices = stretching ? p.matrices : NULL,
                            .duals = p.duals,
                            .points_in = points,
                            .points_out = job->points_out};
    sni_sparse_blend_run(job->context, &kernel);
    sni_arena_release(job->arena, mark);
    return SN_OK;
}

static size_t blend_bytes(const void *bound) {
    const blend *b = bound;
    return sizeof *b + b->bone_count * sizeof *b->bones + sni_sparse_blend_bytes(&b->weights);
}

const sni_deformer_ops sni_deformer_blend = {
    .name = "blend",
    .help = "Moves each vertex by the weighted mean of its bones",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {{&sni_input_weights, true}},
    .bind = blend_bind,
    .unbind = blend_unbind,
    .deform = blend_deform,
    .bytes = blend_bytes,
};
