// SPDX-License-Identifier: Apache-2.0
//
// A skin on what lies under it (docs/membrane.md): every point goes to its virtual anchor on the
// bone, tissue or muscle next to it, then the skin relaxes as an elastic membrane.
#include "skin/skin.h"

#include "base/context.h"
#include "geometry/carry.h"
#include "sinew/geometry.h"
#include "skin/anchors.h"
#include "skin/guards.h"
#include "solver/membrane.h"

static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const step_kinds[] = {"safe", "paper", NULL};

static const sn_parameter parameters[SNI_MEMBRANE_PARAMETER_COUNT] = {
    [SNI_MEMBRANE_PARAMETER_ANCHOR] = {.name = "anchor",
                                       .help = "Stiffness of the springs that pull the skin to its "
                                               "anchors, relative to that of the skin itself",
                                       .unit = "",
                                       .low = 0,
                                       .standard = SNI_MEMBRANE_ANCHOR,
                                       .high = 1e6,
                                       .usual = 2},
    [SNI_MEMBRANE_PARAMETER_UNIT] =
        {.name = "unit",
         .help = "Length in which the areas around the anchors are measured; with 0 it is the mean "
                 "length of the skin's edges",
         .unit = "m",
         .low = 0,
         .standard = 0,
         .high = 1e3,
         .usual = 0.1},
    [SNI_MEMBRANE_PARAMETER_PUSH] =
        {.name = "push",
         .help = "Factor on the force of an edge that is shorter than at rest",
         .unit = "",
         .low = 0,
         .standard = SNI_MEMBRANE_PUSH,
         .high = 1},
    [SNI_MEMBRANE_PARAMETER_TRANSITION] = {.name = "transition",
                                           .help =
                                               "By what fraction of its rest length an edge must "
                                               "be shorter until that factor applies in full",
                                           .unit = "",
                                           .low = 1e-3,
                                           .standard = SNI_MEMBRANE_TRANSITION,
                                           .high = 1},
    [SNI_MEMBRANE_PARAMETER_REST] = {.name = "rest",
                                     .help = "Rest length of an edge as a fraction of its length "
                                             "in the mesh; below 1 the skin is under tension",
                                     .unit = "",
                                     .low = 0.1,
                                     .standard = SNI_MEMBRANE_REST,
                                     .high = 2},
    [SNI_MEMBRANE_PARAMETER_ROUNDS] = {.name = "rounds",
                                       .help = "Largest number of relaxation rounds",
                                       .unit = "",
                                       .low = 0,
                                       .standard = SNI_MEMBRANE_ROUNDS,
                                       .high = 10000,
                                       .whole = true,
                                       .usual = 100},
    [SNI_MEMBRANE_PARAMETER_TOLERANCE] =
        {.name = "tolerance",
         .help = "Relaxation stops when no point moves farther than this in a round",
         .unit = "m",
         .low = 0,
         .standard = 0,
         .high = 1,
         .usual = 0.001},
    [SNI_MEMBRANE_PARAMETER_ACCELERATE] =
        {.name = "accelerate",
         .help = "Whether rounds are accelerated, so that 12 of them do as much as 30",
         .unit = NULL,
         .low = 0,
         .standard = 0,
         .high = 1,
         .choices = no_yes},
    [SNI_MEMBRANE_PARAMETER_STEPS] =
        {.name = "steps",
         .help = "Whether a step divides the force by the whole stiffness, which never raises the "
                 "energy, or, as in the paper, by the stiffness that is left after push",
         .unit = NULL,
         .low = 0,
         .standard = 0,
         .high = 1,
         .choices = step_kinds},
    [SNI_MEMBRANE_PARAMETER_SPHERE] =
        {.name = "sphere",
         .help =
             "How deep the centres of the collision spheres lie below the anchors, as a multiple "
             "of the distance from the anchor to the skin; with 0 there are no spheres",
         .unit = "",
         .low = 0,
         .standard = 1,
         .high = 100,
         .usual = 4},
    [SNI_MEMBRANE_PARAMETER_THICKNESS] =
        {.name = "thickness",
         .help = "How far the skin is moved outwards along its normals",
         .unit = "m",
         .low = -10,
         .standard = 0,
         .high = 10,
         .usual = 0.05},
    [SNI_MEMBRANE_PARAMETER_BLEND] =
        {.name = "blend",
         .help = "How far the skin fades from one component to the next, as a multiple of the size "
                 "of a component; with 0 each point hangs on one component",
         .unit = "",
         .low = 0,
         .standard = SNI_ANCHORS_BLEND,
         .high = 10,
         .usual = 2},
    [SNI_MEMBRANE_PARAMETER_CLEAR] =
        {.name = "clear",
         .help = "The skin is kept out of all components that are closer to it at rest than this; "
                 "with 0 only out of the one that it hangs on",
         .unit = "m",
         .low = 0,
         .standard = 0,
         .high = 10,
         .usual = 0.1},
};

typedef struct bound_membrane {
    uint32_t vertex_count;
    sni_anchors *anchors;
    sni_membrane *membrane;
    sni_guards *guards; // NULL: none
    bool spheres;
    sni_relaxation relaxation;
} bound_membrane;

static void membrane_unbind(sn_context *context, void *bound) {
    bound_membrane *b = bound;
    if (b != NULL) {
        sni_anchors_destroy(b->anchors);
        sni_membrane_destroy(b->membrane);
        sni_guards_destroy(b->guards);
        sni_free(context, b);
    }
}

static void tell_anchors(const sni_bind_job *job, const sni_anchors *anchors) {
    sni_anchors_report r = sni_anchors_report_of(anchors);
    sni_log(job->context, SN_LOG_INFO, "skin",
            "membrane: of %u points of \"%s\" %u hang on rigid components, %u on affine ones, %u "
            "between slices, %u on other surfaces; %u parameters were found from another start, "
            "%u are outside the cells and kept as offsets",
            job->mesh->vertex_count, job->mesh->name, r.rigid, r.affine, r.section, r.surface,
            r.restarted, r.closest);
}

static sn_status make_anchors(const sni_bind_job *job, const sn_triangles *triangles,
                              bound_membrane *b, sn_error *error) {
    const sni_components_input *input = job->inputs[0];
    float *normals = NULL;
    sn_status status = SN_OK;
    SNI_NEW(job->context, normals, 3 * (size_t)job->mesh->vertex_count);
    SN_TRY(sn_mesh_normals(job->mesh, job->mesh->positions, normals, error));
    sni_anchors_desc desc = {.point_count = job->mesh->vertex_count,
                             .points = job->mesh->positions,
                             .normals = normals,
                             .triangle_count = triangles->count,
                             .vertices = triangles->vertices,
                             .blend = job->parameters[SNI_MEMBRANE_PARAMETER_BLEND],
                             .component_count = input->count,
                             .components = input->components,
                             .segment_count =
                                 job->skeleton != NULL ? job->skeleton->segment_count : 0,
                             .rest_worlds = job->rest_worlds,
                             .thickness = job->parameters[SNI_MEMBRANE_PARAMETER_THICKNESS],
                             .sphere = job->parameters[SNI_MEMBRANE_PARAMETER_SPHERE],
                             .progress = job->progress};
    SN_TRY(sni_anchors_create(job->context, &desc, &b->anchors, error));
    tell_anchors(job, b->anchors);
cleanup:
    sni_free(job->context, normals);
    return status;
}

// The skin as it would have been extracted with its thickness.
static sn_status make_membrane(const sni_bind_job *job, const sn_triangles *triangles,
                               bound_membrane *b, sn_error *error) {
    const double *p = job->parameters;
    sni_membrane_desc desc = {.vertex_count = job->mesh->vertex_count,
                              .positions = sni_anchors_rest(b->anchors),
                              .triangle_count = triangles->count,
                              .vertices = triangles->vertices,
                              .maps = sni_anchors_maps(b->anchors),
                              .elasticity = job->point_weights,
                              .anchor = p[SNI_MEMBRANE_PARAMETER_ANCHOR],
                              .unit = p[SNI_MEMBRANE_PARAMETER_UNIT],
                              .push = p[SNI_MEMBRANE_PARAMETER_PUSH],
                              .transition = p[SNI_MEMBRANE_PARAMETER_TRANSITION],
                              .rest = p[SNI_MEMBRANE_PARAMETER_REST]};
    return sni_membrane_create(job->context, &desc, &b->membrane, error);
}

static sn_status make_guards(const sni_bind_job *job, const sn_triangles *triangles,
                             bound_membrane *b, sn_error *error) {
    const sni_components_input *input = job->inputs[0];
    sni_guards_desc desc = {.point_count = job->mesh->vertex_count,
                            .points = job->mesh->positions,
                            .triangle_count = triangles->count,
                            .vertices = triangles->vertices,
                            .component_count = input->count,
                            .components = input->components,
                            .rest_worlds = job->rest_worlds,
                            .reach = job->parameters[SNI_MEMBRANE_PARAMETER_CLEAR]};
    return desc.reach > 0 ? sni_guards_create(job->context, &desc, &b->guards, error) : SN_OK;
}

static sn_status membrane_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    bound_membrane *b = NULL;
    sn_triangles *triangles = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_membrane, job, error));
    const double *p = job->parameters;
    SNI_NEW_ZERO(job->context, b, 1);
    b->vertex_count = job->mesh->vertex_count;
    b->spheres = p[SNI_MEMBRANE_PARAMETER_SPHERE] > 0;
    b->relaxation = (sni_relaxation){.rounds = (uint32_t)p[SNI_MEMBRANE_PARAMETER_ROUNDS],
                                     .tolerance = p[SNI_MEMBRANE_PARAMETER_TOLERANCE],
                                     .accelerate = p[SNI_MEMBRANE_PARAMETER_ACCELERATE] != 0,
                                     .paper_steps = p[SNI_MEMBRANE_PARAMETER_STEPS] != 0};
    SN_TRY(sn_triangles_create(job->mesh, job->mesh->positions, &triangles, error));
    SN_TRY(make_anchors(job, triangles, b, error));
    SN_TRY(make_membrane(job, triangles, b, error));
    SN_TRY(make_guards(job, triangles, b, error));
    *bound = b;
    b = NULL;
cleanup:
    sn_triangles_destroy(triangles);
    membrane_unbind(job->context, b);
    return status;
}

// Points relax in the frame of the body: the result does not depend on where it stands and how it
// is turned, whatever floats make of the distance.
static sn_status membrane_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const bound_membrane *b = bound;
    const sni_components_pose *under = job->inputs[0];
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    float *anchors = sni_arena_alloc(job->arena, 3 * (size_t)b->vertex_count, sizeof *anchors);
    float *spheres = NULL;
    if (anchors != NULL && b->spheres) {
        spheres = sni_arena_alloc(job->arena, 4 * (size_t)b->vertex_count, sizeof *spheres);
    }
    if (anchors == NULL || (b->spheres && spheres == NULL)) {
        return sni_fail_memory(error);
    }
    sn_mat4 to_body = sn_mat4_identity();
    if (under->body != NULL) {
        sn_mat4_invert(under->body, &to_body);
    }
    sni_anchors_pose pose = {.worlds = job->worlds,
                             .to_frame = &to_body,
                             .component_points = under->points,
                             .points_in = job->points_in,
                             .anchors = anchors,
                             .spheres = spheres};
    sni_relaxation relaxation = b->relaxation;
    relaxation.anchors = anchors;
    relaxation.spheres = spheres;
    bool made = sni_anchors_pose_run(b->anchors, job->arena, &pose) &&
                sni_membrane_relax(b->membrane, job->arena, &relaxation, job->points_out, NULL);
    if (made && under->body != NULL) {
        sni_carry_points(job->context, under->body, NULL, job->points_out, b->vertex_count,
                         job->points_out);
    }
    if (made && b->guards != NULL) {
        made =
            sni_guards_push(b->guards, job->arena, job->worlds, under->surfaces, job->points_out);
    }
    sni_arena_release(job->arena, mark);
    return made ? SN_OK : sni_fail_memory(error);
}

const sni_anchors *sni_membrane_anchors(const void *bound) {
    return ((const bound_membrane *)bound)->anchors;
}

static size_t membrane_bytes(const void *bound) {
    const bound_membrane *b = bound;
    return sizeof *b + sni_anchors_bytes(b->anchors) + sni_membrane_bytes(b->membrane) +
           (b->guards != NULL ? sni_guards_bytes(b->guards) : 0);
}

const sni_deformer_ops sni_deformer_membrane = {
    .name = "membrane",
    .help = "Hangs on bones, tissues and muscles, and relaxes as an elastic skin",
    .parameters = SNI_PARAMETERS(parameters),
    .uses_point_weights = true,
    .inputs = {{&sni_input_components, true}},
    .moves_in_world = true,
    .bind = membrane_bind,
    .unbind = membrane_unbind,
    .deform = membrane_deform,
    .bytes = membrane_bytes,
};
