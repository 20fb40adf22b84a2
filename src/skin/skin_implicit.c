// SPDX-License-Identifier: Apache-2.0
//
// Implicit skinning as a deformer (docs/implicit.md). Bones move the skin by dual quaternions, as
// `blend` does; what they leave wrong is put right by fields, one for each part of the body, that
// move rigidly with their segments:
//
//     contact   where parts go into each other, both sides meet in a sheet between them
//               (skin/implicit/contact.h)
//     tracking  around hinges the skin keeps the value of the field that it has at rest, so that
//               they keep their volume (R. Vaillant et al. 2013, 2014; skin/implicit/tracker.h)
//     muscles   above them the skin keeps its value in the field of its limb with the muscles in it
//               (V. Roussellet et al. 2018; skin/implicit/flesh.h)
//
// Tracking from rest begins with where bones have the skin in each frame. With history a vertex is
// carried by what its bones have moved by since the frame before, and then tracked; where joints
// turn by more than a few degrees in a frame, the way there is divided. The first frame comes from
// rest in the same way, so that any pose can be the first.
#include "skin/skin.h"

#include "base/context.h"
#include "base/hermite.h"
#include "sinew/geometry.h"
#include "skin/implicit/body.h"
#include "skin/implicit/contact.h"
#include "skin/implicit/implicit.h"
#include "skin/implicit/rings.h"
#include "skin/implicit/sample.h"
#include "skin/rest_place.h"

#include <string.h>

enum {
    PARAMETER_TRACKING,
    PARAMETER_SAMPLES,
    PARAMETER_ITERATIONS,
    PARAMETER_ENVELOPE,
    PARAMETER_COUNT,
};

enum { TRACKING_OFF, TRACKING_FROM_REST, TRACKING_HISTORY }; // of PARAMETER_TRACKING
static const char *const trackings[] = {"off", "from_rest", "history", NULL};

static const sn_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_TRACKING] =
        {.name = "tracking",
         .help = "How the skin around hinges follows the field besides contact: off, its bones "
                 "alone move it; from_rest, it is brought to the field from where bones have it in "
                 "each frame; history, from where it was in the frame before",
         .low = TRACKING_OFF,
         .standard = TRACKING_OFF,
         .high = TRACKING_HISTORY,
         .choices = trackings},
    [PARAMETER_SAMPLES] = {.name = "samples",
                           .help = "Number of points of the skin that the field of each part of "
                                   "the body passes through",
                           .unit = "",
                           .low = 20,
                           .standard = 100,
                           .high = 400,
                           .whole = true,
                           .usual = 200},
    [PARAMETER_ITERATIONS] = {.name = "iterations",
                              .help = "Number of steps in which tracking brings a vertex to the "
                                      "field in each frame, at most",
                              .unit = "",
                              .low = 1,
                              .standard = 12,
                              .high = 200,
                              .whole = true,
                              .usual = 60},
    [PARAMETER_ENVELOPE] = {.name = "envelope",
                            .help = "How much of what fields do is applied: at 0 the skin is where "
                                    "dual quaternions have it",
                            .unit = "",
                            .low = 0,
                            .standard = 1,
                            .high = 1,
                            .live = true},
};

// Joints that turn by more than this in a frame take several steps.
static const double largest_turn = 10 * SN_PI / 180;
static const uint32_t most_steps = 36;

// Cells of the parts' grids along the radius of their support.
static const double grid_steps = 1.0 / 7;

// Between skins in contact, as a part of the smaller part's mean radius; edges that contact leaves
// beyond these lengths, over those at rest, share that with their neighbours in so many sweeps.
static const double contact_gap = 0.02;
static const sni_edge_limits edge_limits = {.shortest = 0.4, .longest = 2.7};
static const uint32_t contact_sweeps = 40;

typedef struct implicit {
    sn_context *context;
    uint32_t vertex_count, segment_count;
    sni_skin_parts parts;
    sni_implicit_body body;
    sni_tracker_mesh rings; // welded: of vertices in one place the first has neighbours
    sni_skin_edges edges;   // with the map from vertices to the first in the same place
    sni_skin_contact contact;
    sni_flesh flesh; // without muscles: empty
    void *blend;     // a binding of the deformer of that name
    uint32_t tracking;
    sni_tracker_settings settings;
    double envelope;
    double *values;               // of the field at rest
    double *shares;               // how much a vertex follows the field, else its bones
    uint8_t *statuses;            // at the beginning of a frame
    sn_mat4 *from_world;          // of segments: from the world at rest
    uint32_t *parents, *order;    // of segments; an order with parents first
    sni_part_pose *rest;          // of segments, rigid, in the world
    uint32_t *offsets, *segments; // of the weights of vertices
    float *weights;
} implicit;

// What one frame hands to the next, in the frame's memory.
typedef struct state_view {
    sn_vec3 *positions;   // vertex_count
    sn_quat *rotations;   // vertex_count
    sni_part_pose *poses; // segment_count
} state_view;

static state_view view_state(const implicit *m, void *state) {
    state_view view = {.positions = state};
    view.rotations = (sn_quat *)(view.positions + m->vertex_count);
    view.poses = (sni_part_pose *)(view.rotations + m->vertex_count);
    return view;
}

static size_t implicit_state_bytes(const void *bound) {
    const implicit *m = bound;
    if (m->tracking != TRACKING_HISTORY) {
        return 0;
    }
    return m->vertex_count * (sizeof(sn_vec3) + sizeof(sn_quat)) +
           m->segment_count * sizeof(sni_part_pose);
}

static void implicit_unbind(sn_context *context, void *bound) {
    implicit *m = bound;
    if (m == NULL) {
        return;
    }
    sni_deformer_blend.unbind(context, m->blend);
    sni_skin_contact_free(context, &m->contact);
    sni_skin_parts_free(context, &m->parts);
    sni_implicit_body_free(context, &m->body);
    sni_flesh_free(context, &m->flesh);
    sni_skin_edges_free(context, &m->edges);
    sni_free(context, m->from_world);
    sni_tracker_mesh_free(context, &m->rings);
    sni_free(context, m->values);
    sni_free(context, m->shares);
    sni_free(context, m->statuses);
    sni_free(context, m->parents);
    sni_free(context, m->order);
    sni_free(context, m->rest);
    sni_free(context, m->offsets);
    sni_free(context, m->segments);
    sni_free(context, m->weights);
    sni_free(context, m);
}

// A segment as fields see it: without scale.
static sni_part_pose rigid_pose(const sn_mat4 *world) {
    return (sni_part_pose){sn_mat4_rotation(world), sn_mat4_point(world, sn_vec3_make(0, 0, 0))};
}

// The motion that takes `from` to `to`.
static sni_part_pose motion_between(sni_part_pose from, sni_part_pose to) {
    sn_quat turn = sn_quat_multiply(to.turn, sn_quat_conjugate(from.turn));
    return (sni_part_pose){turn, sn_vec3_sub(to.shift, sn_quat_rotate(turn, from.shift))};
}

static sn_vec3 move_point(sni_part_pose motion, sn_vec3 p) {
    return sn_vec3_add(sn_quat_rotate(motion.turn, p), motion.shift);
}

// ---------------------------------------------------------------------------------------------
// Bind

static sn_status copy_weights(const sni_bind_job *job, implicit *m, sn_error *error) {
    const sn_weights *weights = job->mesh->weights;
    const sni_weights_input *input = job->inputs[0];
    sn_status status = SN_OK;
    uint32_t count = weights->offsets[m->vertex_count];
    SNI_NEW(job->context, m->offsets, (size_t)m->vertex_count + 1);
    SNI_NEW(job->context, m->segments, count);
    SNI_NEW(job->context, m->weights, count);
    memcpy(m->offsets, weights->offsets, ((size_t)m->vertex_count + 1) * sizeof *m->offsets);
    for (uint32_t k = 0; k < count; ++k) {
        m->segments[k] = input->bone_segments[weights->bones[k]];
        m->weights[k] = weights->values[k];
    }
cleanup:
    return status;
}

static sn_status find_parts(const sni_bind_job *job, const float *positions, implicit *m,
                            sn_error *error) {
    const sni_weights_input *input = job->inputs[0];
    sn_status status = SN_OK;
    uint32_t *mains = NULL;
    SNI_NEW(job->context, mains, m->vertex_count);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        mains[v] = sni_skin_main_segment(job->mesh->weights, input->bone_segments, v);
    }
    sni_skin_parts_desc desc = {.vertex_count = m->vertex_count,
                                .positions = positions,
                                .vertex_segments = mains,
                                .skeleton = job->skeleton,
                                .rest_worlds = job->rest_worlds,
                                .least_vertices = SNI_SKIN_PART_VERTICES};
    SN_TRY(sni_skin_parts_find(job->context, &desc, &m->parts, error));
cleanup:
    sni_free(job->context, mains);
    return status;
}

typedef struct field_user {
    const implicit *m;
    const sni_part_pose *pose; // of parts
} field_user;

static sni_tracked_value field_at(const void *user, uint32_t vertex, sn_vec3 at) {
    const field_user *u = user;
    uint32_t part = u->m->parts.vertex_parts[vertex];
    sni_tree_value value =
        sni_field_tree_at(&u->m->body.tree, u->pose, u->m->parts.parts[part].group, at);
    return (sni_tracked_value){value.field, value.part == part};
}

// How near a vertex is to the hinges of its own part and of those that hang on it: fields move the
// skin around these alone. Elsewhere parts are rigid, and at other joints the skin follows its
// bones.
static double share_of(const implicit *m, uint32_t vertex) {
    static const double full = 3, none = 4.5; // radii of the limb around the joint
    uint32_t own = m->parts.vertex_parts[vertex];
    double share = 0;
    for (uint32_t i = 0; i < m->parts.count; ++i) {
        const sni_skin_part *part = &m->parts.parts[i];
        bool is_hinge = part->joint == SNI_PART_HINGE || part->joint == SNI_PART_FINGER;
        if (is_hinge && (i == own || part->parent == own)) {
            double radius = m->body.joint_radii[i];
            double distance = sn_vec3_distance(m->rings.rest[vertex], part->from);
            share =
                fmax(share, 1 - sni_smooth_step_between(full * radius, none * radius, distance));
        }
    }
    return share;
}

// Vertices without weights, those far from all hinges, and those that the fields hardly meet follow
// their bones.
static sn_status store_values(const sni_bind_job *job, implicit *m, sn_error *error) {
    static const double farthest = 0.4;
    sn_status status = SN_OK;
    sni_part_pose *still = NULL;
    SNI_NEW(job->context, still, m->parts.count);
    SNI_NEW_ZERO(job->context, m->values, m->vertex_count);
    SNI_NEW_ZERO(job->context, m->shares, m->vertex_count);
    SNI_NEW(job->context, m->statuses, m->vertex_count);
    for (uint32_t i = 0; i < m->parts.count; ++i) {
        still[i] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
    }
    field_user user = {m, still};
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        uint32_t part = m->parts.vertex_parts[v];
        m->statuses[v] = SNI_TRACK_SKIP;
        if (m->edges.map[v] != v || part == SN_NONE || m->parts.parts[part].group == SN_NONE ||
            m->body.parts[part].hrbf.center_count == 0) {
            continue;
        }
        m->values[v] = field_at(&user, v, m->rings.rest[v]).field.value;
        m->shares[v] = fabs(m->values[v] - 0.5) <= farthest ? share_of(m, v) : 0;
        m->statuses[v] = m->shares[v] > 0 ? SNI_TRACK_ACTIVE : SNI_TRACK_SKIP;
    }
cleanup:
    sni_free(job->context, still);
    return status;
}

// Which inputs it takes.
enum { INPUT_WEIGHTS, INPUT_MUSCLES };

// Says what the muscles of a skin are in, and how well they fit it.
static void report_muscles(const sni_bind_job *job, const sni_muscles_input *input,
                           const implicit *m) {
    const sni_implicit_muscles *muscles = &m->flesh.muscles;
    for (uint32_t i = 0; i < muscles->fibre_count; ++i) {
        if (muscles->carriers[i] == SN_NONE && muscles->fibres[i].body == 0) {
            const char *name = input->muscles[muscles->fibres[i].muscle].name;
            sni_log(job->context, SN_LOG_WARNING, "skin",
                    "implicit: \"%s\" is in no part of \"%s\", and does not move it",
                    name != NULL ? name : "", job->mesh->name);
        }
    }
    const sni_flesh_fit *fit = &m->flesh.fit;
    if (fit->vertex_count > 0) {
        sni_log(
            job->context, SN_LOG_INFO, "skin",
            "implicit: %u points of \"%s\" lie above muscles, %.2g mm from the surface of limbs "
            "with muscles on average, %.2g mm at most; widths times %.2f would make it %.2g mm",
            fit->vertex_count, job->mesh->name, 1e3 * fit->mean, 1e3 * fit->worst, fit->width,
            1e3 * fit->best);
    }
}

static sn_status make_flesh(const sni_bind_job *job, const sni_implicit_body_desc *body,
                            implicit *m, sn_error *error) {
    const sni_muscles_input *input = job->inputs[INPUT_MUSCLES];
    if (input == NULL || input->count == 0) {
        return SN_OK;
    }
    sni_flesh_desc desc = {.body = *body,
                           .muscle_count = input->count,
                           .muscles = input->muscles,
                           .rest_worlds = job->rest_worlds,
                           .offsets = m->offsets,
                           .segments = m->segments,
                           .weights = m->weights,
                           .map = m->edges.map};
    sn_status status = sni_flesh_create(job->context, &desc, &m->flesh, error);
    if (status == SN_OK) {
        report_muscles(job, input, m);
    }
    return status;
}

static sn_status make_contact(const sni_bind_job *job, uint32_t triangle_count,
                              const uint32_t *triangles, implicit *m, sn_error *error) {
    sni_skin_contact_desc contact = {.parts = &m->parts,
                                     .body = &m->body,
                                     .mesh = &m->rings,
                                     .edges = &m->edges,
                                     .triangle_count = triangle_count,
                                     .triangles = triangles,
                                     .offsets = m->offsets,
                                     .segments = m->segments,
                                     .weights = m->weights,
                                     .gap = contact_gap,
                                     .limits = edge_limits,
                                     .sweeps = contact_sweeps};
    return sni_skin_contact_create(job->context, &contact, &m->contact, error);
}

static sn_status make_fields(const sni_bind_job *job, implicit *m, sn_error *error) {
    const sni_weights_input *input = job->inputs[INPUT_WEIGHTS];
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    float *positions = NULL, *normals = NULL;
    uint32_t *welded = NULL;
    SNI_NEW(job->context, positions, 3 * (size_t)m->vertex_count);
    SNI_NEW(job->context, normals, 3 * (size_t)m->vertex_count);
    sni_place_at_rest(job->mesh, input->bone_segments, job->rest_worlds, positions);
    SN_TRY(sn_triangles_create(job->mesh, positions, &triangles, error));
    SN_TRY(sn_mesh_normals(job->mesh, positions, normals, error));
    SN_TRY(find_parts(job, positions, m, error));
    SN_TRY(sni_progress(job->progress, "fitting fields", 0, error));
    sni_implicit_body_desc desc = {
        .vertex_count = m->vertex_count,
        .positions = positions,
        .normals = normals,
        .triangle_count = triangles->count,
        .triangles = triangles->vertices,
        .parts = &m->parts,
        .sample_count = (uint32_t)job->parameters[PARAMETER_SAMPLES],
        .grid = grid_steps,
    };
    SN_TRY(sni_implicit_body_create(job->context, &desc, &m->body, error));
    SNI_NEW(job->context, welded, 3 * (size_t)triangles->count);
    SN_TRY(sni_skin_edges_create(job->context, m->vertex_count, positions, triangles->count,
                                 triangles->vertices, &m->edges, error));
    SN_TRY(make_flesh(job, &desc, m, error));
    uint32_t welded_count =
        sni_map_triangles(m->edges.map, triangles->count, triangles->vertices, welded);
    SN_TRY(sni_tracker_mesh_create(job->context, m->vertex_count, positions, welded_count, welded,
                                   &m->rings, error));
    SN_TRY(store_values(job, m, error));
    SN_TRY(make_contact(job, welded_count, welded, m, error));
cleanup:
    sni_free(job->context, welded);
    sn_triangles_destroy(triangles);
    sni_free(job->context, positions);
    sni_free(job->context, normals);
    return status;
}

// The prediction: the same as the deformer `blend` with dual quaternions.
static sn_status bind_blend(const sni_bind_job *job, implicit *m, sn_error *error) {
    const double method[SNI_BLEND_PARAMETER_COUNT] = {[SNI_BLEND_PARAMETER_METHOD] =
                                                          SNI_BLEND_DUAL_QUATERNION};
    sni_bind_job blend = *job;
    blend.parameters = method;
    blend.driven = NULL;
    return sni_deformer_blend.bind(&blend, &m->blend, error);
}

static sn_status implicit_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    implicit *m = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_implicit, job, error));
    SNI_NEW_ZERO(job->context, m, 1);
    m->context = job->context;
    m->vertex_count = job->mesh->vertex_count;
    m->segment_count = job->skeleton->segment_count;
    m->envelope = job->parameters[PARAMETER_ENVELOPE];
    m->tracking = (uint32_t)job->parameters[PARAMETER_TRACKING];
    SN_TRY(bind_blend(job, m, error));
    SNI_NEW(job->context, m->parents, m->segment_count);
    SNI_NEW(job->context, m->order, m->segment_count);
    SNI_NEW(job->context, m->rest, m->segment_count);
    SNI_NEW(job->context, m->from_world, m->segment_count);
    for (uint32_t i = 0; i < m->segment_count; ++i) {
        m->parents[i] = job->skeleton->segments[i].parent;
        m->order[i] = job->skeleton->parents_first[i];
        m->rest[i] = rigid_pose(&job->rest_worlds[i]);
        if (!sn_mat4_invert(&job->rest_worlds[i], &m->from_world[i])) {
            m->from_world[i] = (sn_mat4){{0}}; // a part of it is nowhere, and nothing meets it
        }
    }
    SN_TRY(copy_weights(job, m, error));
    SN_TRY(make_fields(job, m, error));
    m->settings = sni_tracker_settings_of(m->body.smallest_radius);
    m->settings.iterations = (uint32_t)job->parameters[PARAMETER_ITERATIONS];
    *bound = m;
    return SN_OK;
cleanup:
    implicit_unbind(job->context, m);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Frames

static void reset_view(const implicit *m, const state_view *view) {
    memcpy(view->positions, m->rings.rest, m->vertex_count * sizeof *view->positions);
    memcpy(view->poses, m->rest, m->segment_count * sizeof *view->poses);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        view->rotations[v] = sn_quat_identity();
    }
}

static void implicit_state_reset(const void *bound, const sni_deform_job *job) {
    const implicit *m = bound;
    if (m->tracking == TRACKING_HISTORY) {
        state_view view = view_state(m, job->state);
        reset_view(m, &view);
    }
}

// A segment relative to the one above it.
static sni_part_pose local_pose(const implicit *m, const sni_part_pose *poses, uint32_t i) {
    if (m->parents[i] == SN_NONE) {
        return poses[i];
    }
    sni_part_pose above = poses[m->parents[i]];
    sn_quat back = sn_quat_conjugate(above.turn);
    return (sni_part_pose){sn_quat_multiply(back, poses[i].turn),
                           sn_quat_rotate(back, sn_vec3_sub(poses[i].shift, above.shift))};
}

// How many steps a frame takes: by the joint that turns most.
static uint32_t count_steps(const implicit *m, const sni_part_pose *from, const sni_part_pose *to) {
    double most = 0;
    for (uint32_t i = 0; i < m->segment_count; ++i) {
        if (m->parents[i] == SN_NONE) {
            continue; // the body as a whole may turn as it likes
        }
        sn_quat a = local_pose(m, from, i).turn, b = local_pose(m, to, i).turn;
        most = fmax(most, 2 * acos(fmin(1, fabs(sn_quat_dot(a, b)))));
    }
    double steps = ceil(most / largest_turn);
    return steps < 1 ? 1 : steps > most_steps ? most_steps : (uint32_t)steps;
}

// A pose on the way, joint by joint.
static void pose_between(const implicit *m, const sni_part_pose *from, const sni_part_pose *to,
                         double share, sni_part_pose *poses) {
    for (uint32_t k = 0; k < m->segment_count; ++k) {
        uint32_t i = m->order[k];
        sni_part_pose a = local_pose(m, from, i), b = local_pose(m, to, i);
        sni_part_pose local = {sn_quat_slerp(a.turn, b.turn, share),
                               sn_vec3_lerp(a.shift, b.shift, share)};
        if (m->parents[i] == SN_NONE) {
            poses[i] = local;
        } else {
            sni_part_pose above = poses[m->parents[i]];
            poses[i] = (sni_part_pose){sn_quat_multiply(above.turn, local.turn),
                                       move_point(above, local.shift)};
        }
    }
}

typedef struct carry_run {
    const implicit *m;
    const sn_dual_quat *steps; // motions of segments since the step before
    const sn_dual_quat *whole; // since rest
    const state_view *view;
} carry_run;

// The motions of a vertex's bones, blended as dual quaternions (L. Kavan et al. 2008). False for a
// vertex without weights.
static bool blend_motions(const implicit *m, const sn_dual_quat *motions, uint32_t vertex,
                          sni_part_pose *motion) {
    uint32_t first = m->offsets[vertex], last = m->offsets[vertex + 1];
    sn_quat real = {0, 0, 0, 0}, dual = {0, 0, 0, 0};
    for (uint32_t k = first; k < last; ++k) {
        const sn_dual_quat *bone = &motions[m->segments[k]];
        double side = sn_quat_dot(motions[m->segments[first]].real, bone->real);
        double weight = side < 0 ? -m->weights[k] : m->weights[k];
        real = sn_quat_add(real, sn_quat_scale(bone->real, weight));
        dual = sn_quat_add(dual, sn_quat_scale(bone->dual, weight));
    }
    double length = sqrt(sn_quat_dot(real, real));
    if (!(length > 0)) {
        return false;
    }
    real = sn_quat_scale(real, 1 / length);
    dual = sn_quat_scale(dual, 1 / length);
    sn_quat shift = sn_quat_scale(sn_quat_multiply(dual, sn_quat_conjugate(real)), 2);
    *motion = (sni_part_pose){real, {shift.x, shift.y, shift.z}};
    return true;
}

// Tracked vertices go on from where they were; all others are where their bones have them.
static void carry_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const carry_run *run = user;
    const implicit *m = run->m;
    for (uint32_t v = begin; v < end; ++v) {
        bool is_tracked = m->shares[v] > 0;
        sni_part_pose motion;
        if (!blend_motions(m, is_tracked ? run->steps : run->whole, v, &motion)) {
            continue;
        }
        if (is_tracked) {
            run->view->positions[v] = move_point(motion, run->view->positions[v]);
            run->view->rotations[v] = sn_quat_multiply(motion.turn, run->view->rotations[v]);
        } else {
            run->view->positions[v] = move_point(motion, m->rings.rest[v]);
            run->view->rotations[v] = motion.turn;
        }
    }
}

// Mixes what was tracked with where bones have it, by its share.
static void mix_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const carry_run *run = user;
    const implicit *m = run->m;
    for (uint32_t v = begin; v < end; ++v) {
        sni_part_pose motion;
        double share = m->shares[v];
        if (share > 0 && share < 1 && blend_motions(m, run->whole, v, &motion)) {
            sn_vec3 carried = move_point(motion, m->rings.rest[v]);
            run->view->positions[v] = sn_vec3_lerp(carried, run->view->positions[v], share);
        }
    }
}

// Scratch of a frame.
typedef struct scratch {
    sni_part_pose *from, *to, *poses; // of segments
    sni_part_pose *part_poses;
    sn_dual_quat *steps, *whole; // motions of segments
    uint8_t *statuses;
} scratch;

static bool take_scratch(const implicit *m, sni_arena *arena, scratch *s) {
    s->from = sni_arena_alloc(arena, m->segment_count, sizeof *s->from);
    s->to = sni_arena_alloc(arena, m->segment_count, sizeof *s->to);
    s->poses = sni_arena_alloc(arena, m->segment_count, sizeof *s->poses);
    s->part_poses = sni_arena_alloc(arena, m->parts.count, sizeof *s->part_poses);
    s->steps = sni_arena_alloc(arena, m->segment_count, sizeof *s->steps);
    s->whole = sni_arena_alloc(arena, m->segment_count, sizeof *s->whole);
    s->statuses = sni_arena_alloc(arena, m->vertex_count, sizeof *s->statuses);
    return s->from != NULL && s->to != NULL && s->poses != NULL && s->part_poses != NULL &&
           s->steps != NULL && s->whole != NULL && s->statuses != NULL;
}

// One step on the way: carries, then tracks.
static bool step_to(const implicit *m, const sni_deform_job *job, const state_view *view,
                    scratch *s) {
    for (uint32_t i = 0; i < m->segment_count; ++i) {
        sni_part_pose motion = motion_between(view->poses[i], s->poses[i]);
        s->steps[i] = sn_dual_quat_from_rigid(motion.turn, motion.shift);
        motion = motion_between(m->rest[i], s->poses[i]);
        s->whole[i] = sn_dual_quat_from_rigid(motion.turn, motion.shift);
        view->poses[i] = s->poses[i];
    }
    for (uint32_t i = 0; i < m->parts.count; ++i) {
        uint32_t segment = m->parts.parts[i].segment;
        s->part_poses[i] = motion_between(m->rest[segment], s->poses[segment]);
    }
    carry_run carry = {m, s->steps, s->whole, view};
    sn_parallel_for(m->context, m->vertex_count, 512, carry_block, &carry);
    field_user user = {m, s->part_poses};
    memcpy(s->statuses, m->statuses, m->vertex_count * sizeof *s->statuses);
    sni_tracking tracking = {.context = m->context,
                             .mesh = &m->rings,
                             .settings = &m->settings,
                             .field = field_at,
                             .user = &user,
                             .values = m->values,
                             .statuses = s->statuses,
                             .positions = view->positions,
                             .rotations = view->rotations};
    if (!sni_track(&tracking, job->arena)) {
        return false;
    }
    sn_parallel_for(m->context, m->vertex_count, 512, mix_block, &carry);
    return true;
}

// Tracks the skin on from the frame before.
static bool track_history(const implicit *m, const sni_deform_job *job, scratch *s,
                          state_view *view) {
    memcpy(s->from, view->poses, m->segment_count * sizeof *s->from);
    uint32_t steps = count_steps(m, s->from, s->to);
    for (uint32_t k = 1; k <= steps; ++k) {
        pose_between(m, s->from, s->to, (double)k / steps, s->poses);
        if (k == steps) {
            memcpy(s->poses, s->to, m->segment_count * sizeof *s->poses);
        }
        if (!step_to(m, job, view, s)) {
            return false;
        }
    }
    return true;
}

// Tracks the skin from where bones have it, whatever was before.
static bool track_from_rest(const implicit *m, const sni_deform_job *job, scratch *s,
                            state_view *view) {
    view->positions = sni_arena_alloc(job->arena, m->vertex_count, sizeof *view->positions);
    view->rotations = sni_arena_alloc(job->arena, m->vertex_count, sizeof *view->rotations);
    view->poses = sni_arena_alloc(job->arena, m->segment_count, sizeof *view->poses);
    if (view->positions == NULL || view->rotations == NULL || view->poses == NULL) {
        return false;
    }
    reset_view(m, view);
    memcpy(s->poses, s->to, m->segment_count * sizeof *s->poses);
    return step_to(m, job, view, s);
}

// Adds to the points what tracking has moved them by against dual quaternions.
static bool track(const implicit *m, const sni_deform_job *job) {
    scratch s;
    if (!take_scratch(m, job->arena, &s)) {
        return false;
    }
    for (uint32_t i = 0; i < m->segment_count; ++i) {
        s.to[i] = rigid_pose(&job->worlds[i]);
    }
    bool has_history = m->tracking == TRACKING_HISTORY;
    state_view view = has_history ? view_state(m, job->state) : (state_view){0};
    if (!(has_history ? track_history(m, job, &s, &view) : track_from_rest(m, job, &s, &view))) {
        return false;
    }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        uint32_t i = m->edges.map[v];
        sni_part_pose motion;
        if (m->shares[i] > 0 && blend_motions(m, s.whole, i, &motion)) {
            sn_vec3 by = sn_vec3_sub(view.positions[i], move_point(motion, m->rings.rest[i]));
            sn_vec3 p = sn_vec3_load(job->points_out + 3 * (size_t)v);
            sn_vec3_store(sn_vec3_add(p, by), job->points_out + 3 * (size_t)v);
        }
    }
    return true;
}

static bool follow_muscles(const implicit *m, const sni_deform_job *job) {
    const sni_muscles_pose *posed = job->inputs[INPUT_MUSCLES];
    if (m->flesh.vertex_count == 0) {
        return true;
    }
    sni_flesh_job flesh = {.context = job->context,
                           .arena = job->arena,
                           .mesh = &m->rings,
                           .map = m->edges.map,
                           .worlds = job->worlds,
                           .posed = posed->muscles,
                           .points = job->points_out};
    return sni_flesh_run(&m->flesh, &flesh);
}

// Contact, with a note of how far it has moved vertices, for whoever asks; nothing depends on it.
static bool run_contact(const implicit *m, const sni_deform_job *job,
                        const sni_contact_pose *pose) {
    size_t count = 3 * (size_t)m->vertex_count;
    float *before = sni_arena_alloc(job->arena, count, sizeof *before);
    if (before == NULL) {
        return false;
    }
    memcpy(before, job->points_out, count * sizeof *before);
    if (!sni_skin_contact_run(&m->contact, job->arena, pose, job->points_out)) {
        return false;
    }
    if (job->kept != NULL && *job->kept == NULL) {
        *job->kept = sni_alloc(m->context, m->vertex_count, sizeof(float));
    }
    float *moved = job->kept != NULL ? *job->kept : NULL;
    for (uint32_t v = 0; v < m->vertex_count && moved != NULL; ++v) {
        moved[v] = (float)sn_vec3_distance(sn_vec3_load(before + 3 * (size_t)v),
                                           sn_vec3_load(job->points_out + 3 * (size_t)v));
    }
    return true;
}

static void implicit_kept_free(sn_context *context, void *kept) {
    sni_free(context, kept);
}

static const float *implicit_contact(const void *kept) {
    return kept;
}

// The motions of parts on the way from rest to where segments are `now`, rigid but for the last.
static bool find_way(const implicit *m, const sni_deform_job *job, const sni_part_pose *now,
                     sn_mat4 *way) {
    uint32_t parts = m->parts.count;
    sni_part_pose *between = sni_arena_alloc(job->arena, m->segment_count, sizeof *between);
    if (between == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < SNI_CONTACT_WAY; ++k) {
        bool is_last = k + 1 == SNI_CONTACT_WAY;
        pose_between(m, m->rest, now, (k + 1.0) / SNI_CONTACT_WAY, between);
        for (uint32_t i = 0; i < parts; ++i) {
            uint32_t segment = m->parts.parts[i].segment;
            sni_part_pose motion = motion_between(m->rest[segment], between[segment]);
            sn_transform rigid = {motion.shift, motion.turn, {1, 1, 1}};
            way[(size_t)k * parts + i] =
                is_last ? sn_mat4_multiply(&job->worlds[segment], &m->from_world[segment])
                        : sn_mat4_from_transform(&rigid);
        }
    }
    return true;
}

static bool touch(const implicit *m, const sni_deform_job *job) {
    sni_part_pose *now = sni_arena_alloc(job->arena, m->segment_count, sizeof *now);
    sn_quat *turns = sni_arena_alloc(job->arena, m->segment_count, sizeof *turns);
    double *scales = sni_arena_alloc(job->arena, m->segment_count, sizeof *scales);
    sn_mat4 *way =
        sni_arena_alloc(job->arena, (size_t)SNI_CONTACT_WAY * m->parts.count, sizeof *way);
    if (now == NULL || turns == NULL || scales == NULL || way == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < m->segment_count; ++i) {
        sn_mat4 motion = sn_mat4_multiply(&job->worlds[i], &m->from_world[i]);
        now[i] = rigid_pose(&job->worlds[i]);
        turns[i] = motion_between(m->rest[i], now[i]).turn;
        scales[i] = cbrt(fabs(sn_mat4_determinant(&motion)));
    }
    sni_contact_pose pose = {.way = way, .turns = turns, .scales = scales};
    return find_way(m, job, now, way) && run_contact(m, job, &pose);
}

static sn_status implicit_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const implicit *m = bound;
    sn_status status = SN_OK;
    double envelope = sni_parameter_now(job->parameters, PARAMETER_ENVELOPE, m->envelope);
    size_t count = 3 * (size_t)m->vertex_count;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    float *predicted = NULL;
    bool done = true;
    SN_TRY(sni_deformer_blend.deform(m->blend, job, error));
    if (envelope < 1) {
        predicted = sni_arena_alloc(job->arena, count, sizeof *predicted);
        done = predicted != NULL;
    }
    if (predicted != NULL) {
        memcpy(predicted, job->points_out, count * sizeof *predicted);
    }
    done = done && (m->tracking == TRACKING_OFF || track(m, job)) && follow_muscles(m, job) &&
           touch(m, job);
    for (size_t i = 0; i < count && done && predicted != NULL; ++i) {
        float by = job->points_out[i] - predicted[i];
        job->points_out[i] = predicted[i] + (float)envelope * by;
    }
    if (!done) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sni_arena_release(job->arena, mark);
    return status;
}

static sn_status implicit_field(const void *bound, const sni_deform_job *job, uint32_t count,
                                const float *points, float *values, sn_error *error) {
    const implicit *m = bound;
    const sni_muscles_pose *posed = job->inputs[INPUT_MUSCLES];
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_part_pose *motions = sni_arena_alloc(job->arena, m->parts.count, sizeof *motions);
    for (uint32_t i = 0; i < m->parts.count && motions != NULL; ++i) {
        uint32_t segment = m->parts.parts[i].segment;
        motions[i] = motion_between(m->rest[segment], rigid_pose(&job->worlds[segment]));
    }
    bool has_muscles = m->flesh.vertex_count > 0;
    sni_body_sampling sampling = {.context = m->context,
                                  .arena = job->arena,
                                  .parts = &m->parts,
                                  .body = &m->body,
                                  .limbs = has_muscles ? &m->flesh.body : NULL,
                                  .muscles = &m->flesh.muscles,
                                  .posed = has_muscles ? posed->muscles : NULL,
                                  .motions = motions,
                                  .count = count,
                                  .points = points,
                                  .values = values};
    bool done = motions != NULL && sni_body_sample(&sampling);
    sni_arena_release(job->arena, mark);
    return done ? SN_OK : sni_fail_memory(error);
}

sni_implicit_flesh sni_implicit_flesh_of(const void *bound) {
    const implicit *m = bound;
    return (sni_implicit_flesh){&m->flesh, &m->rings, m->edges.map};
}

static size_t implicit_bytes(const void *bound) {
    const implicit *m = bound;
    size_t bytes = sizeof *m + m->vertex_count * (sizeof(double) + sizeof(sn_vec3));
    bytes += sni_flesh_bytes(&m->flesh) + sni_skin_contact_bytes(&m->contact) +
             sni_skin_edges_bytes(&m->edges) + sni_deformer_blend.bytes(m->blend);
    for (uint32_t i = 0; i < m->parts.count; ++i) {
        const sni_field_part *part = &m->body.parts[i];
        bytes += part->hrbf.center_count * sizeof *part->hrbf.centers;
        bytes += (size_t)part->grid.counts[0] * part->grid.counts[1] * part->grid.counts[2] * 16;
    }
    return bytes;
}

const sni_deformer_ops sni_deformer_implicit = {
    .name = "implicit",
    .help =
        "Moves each vertex by its bones as dual quaternions; parts of the body that go into each "
        "other meet",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_WEIGHTS] = {&sni_input_weights, true},
               [INPUT_MUSCLES] = {&sni_input_muscles, false}},
    .takes_solids = true,
    .moves_in_world = true,
    .bind = implicit_bind,
    .unbind = implicit_unbind,
    .deform = implicit_deform,
    .bytes = implicit_bytes,
    .state_bytes = implicit_state_bytes,
    .state_reset = implicit_state_reset,
    .kept_free = implicit_kept_free,
    .contact = implicit_contact,
    .field = implicit_field,
};
