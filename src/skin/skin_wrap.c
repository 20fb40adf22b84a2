// SPDX-License-Identifier: Apache-2.0
//
// The wrap as a deformer of a character (docs/wrap.md): a driver mesh moves the points near it.
//
//     p' = p + e c sum_k u_k D_k p        equation 3, with D_k = Q_k^D (Q_k^R)^-1 - I
//
// u_k the weights of wrap/bind.c, D_k the maps of wrap/frames.c, e the envelope, c the driver's
// control or 1.
#include "skin/skin.h"
#include "skin/wrap/wrap.h"

static const char *const no_yes[] = {"no", "yes", NULL};

static const sn_parameter parameters[SNI_WRAP_PARAMETER_COUNT] = {
    [SNI_WRAP_PARAMETER_LOCAL] = {.name = "local",
                                  .help = "How fast the influence of a triangle falls with its "
                                          "distance d: it is 1 / (1 + (d/unit)^local)",
                                  .unit = "",
                                  .low = 0,
                                  .standard = 6,
                                  .high = 32},
    [SNI_WRAP_PARAMETER_UNIT] = {.name = "unit",
                                 .help = "Length in which distances are measured; with 0 it is "
                                         "half the mean length of the driver's edges",
                                 .unit = "m",
                                 .low = 0,
                                 .standard = 0,
                                 .high = 1e9,
                                 .usual = 0.2},
    [SNI_WRAP_PARAMETER_EXTENDED] = {.name = "extended",
                                     .help = "Whether the space around the driver also scales "
                                             "along its normals, so that uniform scales carry over",
                                     .unit = NULL,
                                     .low = 0,
                                     .standard = 0,
                                     .high = 1,
                                     .choices = no_yes},
    [SNI_WRAP_PARAMETER_REACH] =
        {.name = "reach",
         .help = "How many times as long as the straight distance to a triangle the path along the "
                 "driver may be; 0 allows any length",
         .unit = "",
         .low = 0,
         .standard = 3,
         .high = 1e6,
         .usual = 10},
    [SNI_WRAP_PARAMETER_CUT] = {.name = "cut",
                                .help = "Largest share of a point's weight that may be dropped, "
                                        "with the triangles that move it least",
                                .unit = "",
                                .low = 0,
                                .standard = 0.01,
                                .high = 0.5},
    [SNI_WRAP_PARAMETER_ELEMENTS] =
        {.name = "elements",
         .help = "Largest number of triangles that move a point; with 0 there is no limit",
         .unit = "",
         .low = 0,
         .standard = 0,
         .high = 65535,
         .whole = true,
         .usual = 64},
    [SNI_WRAP_PARAMETER_ENVELOPE] = SNI_ENVELOPE_PARAMETER,
};

enum { INPUT_DRIVER, INPUT_SETS, INPUT_FRAMES };

typedef struct bound_wrap {
    sn_wrap *wrap;
    uint32_t driver_control;
    double envelope;
} bound_wrap;

static void wrap_unbind(sn_context *context, void *bound) {
    bound_wrap *b = bound;
    if (b != NULL) {
        sn_wrap_destroy(b->wrap);
        sni_free(context, b);
    }
}

static sn_status wrap_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    static const sni_sets_input none = {0};
    const sni_driver_input *driver = job->inputs[INPUT_DRIVER];
    const sni_sets_input *sets = job->inputs[INPUT_SETS] != NULL ? job->inputs[INPUT_SETS] : &none;
    const sni_driver_input *frames = job->inputs[INPUT_FRAMES];
    sn_status status = SN_OK;
    bound_wrap *b = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_wrap, job, error));
    const double *p = job->parameters;
    sni_wrap_settings settings = {.local = p[SNI_WRAP_PARAMETER_LOCAL],
                                  .unit = p[SNI_WRAP_PARAMETER_UNIT],
                                  .reach = p[SNI_WRAP_PARAMETER_REACH],
                                  .cut = p[SNI_WRAP_PARAMETER_CUT],
                                  .elements = (uint32_t)p[SNI_WRAP_PARAMETER_ELEMENTS],
                                  .extended = p[SNI_WRAP_PARAMETER_EXTENDED] != 0};
    if (frames != NULL && frames->mesh->vertex_count != 3 * (uint64_t)driver->mesh->vertex_count) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "wrap: \"%s\" has %u vertices, but must have three for each of the %u of "
                        "\"%s\"",
                        frames->mesh->name, frames->mesh->vertex_count, driver->mesh->vertex_count,
                        driver->mesh->name));
    }
    SNI_NEW_ZERO(job->context, b, 1);
    b->driver_control = driver->control;
    b->envelope = p[SNI_WRAP_PARAMETER_ENVELOPE];
    SN_TRY(sni_wrap_create(
        job->context, job->mesh, driver->mesh, &settings, sets->sets, sets->count, sets->patch,
        frames != NULL ? frames->mesh->positions : NULL, job->progress, &b->wrap, error));
    *bound = b;
    return SN_OK;
cleanup:
    wrap_unbind(job->context, b);
    return status;
}

static sn_status wrap_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const bound_wrap *b = bound;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    float *matrices =
        sni_arena_alloc(job->arena, b->wrap->frames.count, SNI_BLEND_MATRIX * sizeof *matrices);
    if (matrices == NULL) {
        return sni_fail_memory(error);
    }
    double factor = sni_parameter_now(job->parameters, SNI_WRAP_PARAMETER_ENVELOPE, b->envelope) *
                    (b->driver_control != SN_NONE ? job->controls[b->driver_control] : 1);
    const sni_driver_pose *driver = job->inputs[INPUT_DRIVER];
    const sni_driver_pose *frames = job->inputs[INPUT_FRAMES];
    sni_wrap_run(job->context, b->wrap, driver->points, frames != NULL ? frames->points : NULL,
                 factor, matrices, job->points_in, job->points_out);
    sni_arena_release(job->arena, mark);
    return SN_OK;
}

static size_t wrap_bytes(const void *bound) {
    const bound_wrap *b = bound;
    return sizeof *b + sni_wrap_bytes(b->wrap);
}

const sni_deformer_ops sni_deformer_wrap = {
    .name = "wrap",
    .help = "Follows the triangles of a coarse driver mesh near each point",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_DRIVER] = {&sni_input_driver, true},
               [INPUT_SETS] = {.input = &sni_input_sets},
               [INPUT_FRAMES] = {.input = &sni_input_frames}},
    .combines = true,
    .bind = wrap_bind,
    .unbind = wrap_unbind,
    .deform = wrap_deform,
    .bytes = wrap_bytes,
};
