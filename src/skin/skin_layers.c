// SPDX-License-Identifier: Apache-2.0
//
// Skin with flesh under it (docs/layers.md): fat between the skin and a fascia, which slides over
// bones and goes with the muscles that it is tied to. What a frame looks like depends on its pose
// alone: columns begin where segments and muscles would take them, and relax from there.
#include "skin/skin.h"

#include "base/context.h"
#include "geometry/carry.h"
#include "skin/layers/hold.h"
#include "skin/layers/touch.h"
#include "skin/rest_place.h"
#include "solver/flesh.h"

#include <math.h>
#include <string.h>

enum {
    PARAMETER_THICKNESS,
    PARAMETER_DEPTH,
    PARAMETER_MEMBRANE,
    PARAMETER_FASCIA,
    PARAMETER_FAT,
    PARAMETER_VOLUME,
    PARAMETER_SLIDE,
    PARAMETER_HOLD,
    PARAMETER_TIE,
    PARAMETER_SPREAD,
    PARAMETER_SHORTEST,
    PARAMETER_LONGEST,
    PARAMETER_CONE,
    PARAMETER_SMOOTHING,
    PARAMETER_COLUMNS,
    PARAMETER_ROUNDS,
    PARAMETER_COUNT,
};

static const sn_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_THICKNESS] = {.name = "thickness",
                             .help = "Greatest thickness of the flesh between skin and fascia",
                             .unit = "m",
                             .low = 1e-4,
                             .standard = 0.025,
                             .high = 10,
                             .usual = 0.05},
    [PARAMETER_DEPTH] = {.name = "depth",
                         .help = "Where the fascia lies, as a part of the way from the skin to "
                                 "what is below",
                         .unit = "",
                         .low = 0.05,
                         .standard = 0.6,
                         .high = 1},
    [PARAMETER_MEMBRANE] = {.name = "membrane",
                            .help = "Stiffness of the skin against stretching",
                            .unit = "",
                            .low = 0,
                            .standard = 0.2,
                            .high = 1000,
                            .usual = 1},
    [PARAMETER_FASCIA] = {.name = "fascia",
                          .help = "Stiffness of the fascia against stretching",
                          .unit = "",
                          .low = 0,
                          .standard = 0.025,
                          .high = 1000,
                          .usual = 1},
    [PARAMETER_FAT] = {.name = "fat",
                       .help = "Stiffness of the flesh against changes of its shape",
                       .unit = "",
                       .low = 0.01,
                       .standard = 2,
                       .high = 1000,
                       .usual = 10},
    [PARAMETER_VOLUME] = {.name = "volume",
                          .help = "Stiffness of the flesh against changes of its volume",
                          .unit = "",
                          .low = 0,
                          .standard = 20,
                          .high = 1000,
                          .usual = 100},
    [PARAMETER_SLIDE] = {.name = "slide",
                         .help = "How firmly the fascia is held along the surface where it is not "
                                 "tied; the smaller the farther it slides",
                         .unit = "",
                         .low = 0.01,
                         .standard = 30,
                         .high = 1e5,
                         .usual = 100},
    [PARAMETER_HOLD] = {.name = "hold",
                        .help = "How firmly the fascia is held at its height above what is below",
                        .unit = "",
                        .low = 0,
                        .standard = 600,
                        .high = 1e5,
                        .usual = 2000},
    [PARAMETER_TIE] = {.name = "tie",
                       .help = "How firmly the fascia goes with the muscles that it is tied to",
                       .unit = "",
                       .low = 0,
                       .standard = 4000,
                       .high = 1e6,
                       .usual = 10000},
    [PARAMETER_SPREAD] = {.name = "spread",
                          .help = "How far along the skin the pulls of muscles are evened out",
                          .unit = "m",
                          .low = 0,
                          .standard = 0.008,
                          .high = 1,
                          .usual = 0.03},
    [PARAMETER_SHORTEST] = {.name = "shortest",
                            .help = "Least thickness of the flesh in a pose, as a part of that at "
                                    "rest",
                            .unit = "",
                            .low = 0,
                            .standard = 0.6,
                            .high = 1},
    [PARAMETER_LONGEST] = {.name = "longest",
                           .help = "Greatest thickness of the flesh in a pose, as a part of that "
                                   "at rest",
                           .unit = "",
                           .low = 1,
                           .standard = 1.3,
                           .high = 100,
                           .usual = 2},
    [PARAMETER_CONE] = {.name = "cone_deg",
                        .help = "Opening of the cone of ten rays with which each point of the "
                                "skin finds what lies below it",
                        .unit = "deg",
                        .low = 0,
                        .standard = 20,
                        .high = 120},
    [PARAMETER_SMOOTHING] = {.name = "smoothing",
                             .help = "Rounds in which weights are averaged over neighbours",
                             .unit = "",
                             .low = 0,
                             .standard = 10,
                             .high = 1000,
                             .whole = true,
                             .usual = 50},
    [PARAMETER_COLUMNS] = {.name = "columns",
                           .help = "Largest number of skin points that are solved for; others "
                                   "follow those around them",
                           .unit = "",
                           .low = 16,
                           .standard = 4000,
                           .high = 1e6,
                           .whole = true,
                           .usual = 30000},
    [PARAMETER_ROUNDS] = {.name = "rounds",
                          .help = "Rounds of relaxation",
                          .unit = "",
                          .low = 0,
                          .standard = 16,
                          .high = 10000,
                          .whole = true,
                          .usual = 100},
};

enum { INPUT_COMPONENTS, INPUT_TIED, INPUT_WEIGHTS, INPUT_PINS };

// Flesh is no thinner than this, metres.
static const double thinnest = 0.0015;
// Components that are not tied lower and lift the fascia by no more than these parts of the
// greatest thickness.
static const double most_lowered = 0.4, most_lifted = 0.6;
// Columns of a cluster of the coarse correction, and the eigenvalue that acceleration counts on.
enum { CLUSTER = 64 };
static const double smallest_eigenvalue = 0.05;
// Planes that skin does not go through are so many times as stiff as the flesh of a column is
// against its neighbours, in the mean: stiffer, and a column that touches alone is torn from them.
static const double contact_share = 5;

// Where a component comes from: which input, and its number there.
typedef struct source {
    uint32_t input, number;
} source;

typedef struct layers {
    sn_context *context;
    const sn_mesh *skin; // borrowed, as all deformers do
    uint32_t *bone_segments;
    sn_mat4 *rest_worlds;
    sni_layers_mesh mesh;
    sni_layers_fascia fascia;
    sni_layers_under under;
    sni_layers_prediction prediction;
    sni_layers_confidence confidence;
    sni_layers_hold hold;
    sni_layers_touch touch;
    sni_columns *columns;
    source *sources; // of the components of `under`
    uint8_t *pinned; // columns
    uint32_t rounds;
} layers;

static void layers_unbind(sn_context *context, void *bound) {
    layers *l = bound;
    if (l == NULL) {
        return;
    }
    sni_columns_destroy(l->columns);
    sni_layers_touch_deinit(&l->touch);
    sni_layers_hold_deinit(&l->hold);
    sni_layers_confidence_deinit(&l->confidence);
    sni_layers_predict_deinit(&l->prediction);
    sni_layers_under_deinit(&l->under);
    sni_layers_fascia_deinit(context, &l->fascia);
    sni_layers_mesh_deinit(&l->mesh);
    sni_free(context, l->bone_segments);
    sni_free(context, l->rest_worlds);
    sni_free(context, l->sources);
    sni_free(context, l->pinned);
    sni_free(context, l);
}

// ---------------------------------------------------------------------------------------------
// Binding

static uint32_t segment_count_of(const sni_bind_job *job) {
    return job->skeleton != NULL ? job->skeleton->segment_count : 0;
}

// The skin where it stands at rest, and what is needed to place it there again.
static sn_status make_mesh(const sni_bind_job *job, layers *l, sn_error *error) {
    const sni_weights_input *input = job->inputs[INPUT_WEIGHTS];
    const sn_weights *weights = input != NULL ? job->mesh->weights : NULL;
    const sni_components_input *tied = job->inputs[INPUT_TIED];
    const sni_pins_input *pins = job->inputs[INPUT_PINS];
    sn_status status = SN_OK;
    float *rest = NULL;
    l->skin = job->mesh;
    if (weights != NULL) {
        uint32_t segments = segment_count_of(job);
        SNI_NEW(job->context, l->bone_segments, weights->bone_count);
        SNI_NEW(job->context, l->rest_worlds, segments);
        memcpy(l->bone_segments, input->bone_segments,
               weights->bone_count * sizeof *l->bone_segments);
        memcpy(l->rest_worlds, job->rest_worlds, segments * sizeof *l->rest_worlds);
    }
    SNI_NEW(job->context, rest, 3 * (size_t)job->mesh->vertex_count);
    sni_place_at_rest(job->mesh, l->bone_segments, job->rest_worlds, rest);
    sni_layers_mesh_desc desc = {.mesh = job->mesh,
                                 .rest = rest,
                                 .most_columns = (uint32_t)job->parameters[PARAMETER_COLUMNS],
                                 .tied_count = tied != NULL ? tied->count : 0,
                                 .tied = tied != NULL ? tied->components : NULL,
                                 .pin_count = pins != NULL ? pins->count : 0,
                                 .pins = pins != NULL ? pins->vertices : NULL,
                                 .spread = job->parameters[PARAMETER_SPREAD]};
    SN_TRY(sni_layers_mesh_init(job->context, &desc, job->progress, &l->mesh, error));
cleanup:
    sni_free(job->context, rest);
    return status;
}

static uint32_t find_component(const sni_component *components, uint32_t count,
                               const sn_mesh *mesh) {
    for (uint32_t i = 0; i < count; ++i) {
        if (components[i].mesh == mesh) {
            return i;
        }
    }
    return SN_NONE;
}

// All components, and behind them those tied muscles that are not among them.
static sn_status find_under(const sni_bind_job *job, layers *l, sn_error *error) {
    static const sni_components_input none = {0, NULL};
    const sni_components_input *all = job->inputs[INPUT_COMPONENTS],
                               *tied = job->inputs[INPUT_TIED];
    all = all != NULL ? all : &none;
    tied = tied != NULL ? tied : &none;
    uint32_t most = all->count + tied->count, count = all->count;
    sni_component *components = NULL;
    bool *is_tied = NULL;
    sn_status status = SN_OK;
    SNI_NEW(job->context, components, most);
    SNI_NEW_ZERO(job->context, is_tied, most);
    SNI_NEW(job->context, l->sources, most);
    for (uint32_t i = 0; i < all->count; ++i) {
        components[i] = all->components[i];
        l->sources[i] = (source){INPUT_COMPONENTS, i};
    }
    for (uint32_t i = 0; i < tied->count; ++i) {
        uint32_t at = find_component(components, count, tied->components[i].mesh);
        if (at == SN_NONE) {
            at = count++;
            components[at] = tied->components[i];
            l->sources[at] = (source){INPUT_TIED, i};
        }
        is_tied[at] = true;
    }
    sni_layers_under_desc desc = {.component_count = count,
                                  .components = components,
                                  .tied = is_tied,
                                  .rest_worlds = job->rest_worlds,
                                  .cone = job->parameters[PARAMETER_CONE] / 2 * SN_PI / 180};
    SN_TRY(sni_layers_under_init(&l->mesh, &l->fascia, &desc, job->progress, &l->under, error));
    for (uint32_t i = 0; i < count; ++i) {
        if (is_tied[i] && !l->under.components[i].is_met) {
            sni_log(job->context, SN_LOG_WARNING, "skin",
                    "layers: no ray from \"%s\" meets the muscle \"%s\": it will not move the skin",
                    job->mesh->name, components[i].name);
        }
    }
cleanup:
    sni_free(job->context, components);
    sni_free(job->context, is_tied);
    return status;
}

static sn_status lay_fascia(const sni_bind_job *job, layers *l, sn_error *error) {
    double thickest = job->parameters[PARAMETER_THICKNESS];
    sni_layers_fascia_desc desc = {.thickest = thickest,
                                   .thinnest = fmin(thinnest, thickest),
                                   .share = job->parameters[PARAMETER_DEPTH],
                                   .distances = l->under.distances};
    return sni_layers_fascia_lay(&l->mesh, &desc, &l->fascia, error);
}

// Weights of the mesh, as those of segments.
static void take_weights(const layers *l, uint32_t segment_count, float *rows) {
    const sn_weights *weights = l->skin->weights;
    for (uint32_t i = 0; i < l->mesh.column_count; ++i) {
        uint32_t v = l->mesh.columns[i];
        float *row = rows + (size_t)i * segment_count;
        for (uint32_t k = weights->offsets[v]; k < weights->offsets[v + 1]; ++k) {
            row[l->bone_segments[weights->bones[k]]] += weights->values[k];
        }
    }
}

static sn_status predict(const sni_bind_job *job, layers *l, sn_error *error) {
    uint32_t segments = segment_count_of(job);
    sn_status status = SN_OK;
    float *rows = NULL;
    bool any = true;
    SNI_NEW_ZERO(job->context, rows, (size_t)l->mesh.column_count * segments);
    if (l->bone_segments != NULL) {
        take_weights(l, segments, rows);
    } else {
        SN_TRY(
            sni_layers_under_weigh(&l->under, &l->mesh, &l->fascia, segments, rows, &any, error));
    }
    SN_TRY(any ? SN_OK
               : sni_fail(error, SN_INVALID,
                          "layers: the mesh \"%s\" has no weights, and none of the %u components "
                          "is a bone or tissue that a segment carries: nothing says where the "
                          "skin goes",
                          job->mesh->name, l->under.component_count));
    SN_TRY(sni_layers_predict_init(&l->mesh, job->skeleton, job->rest_worlds, rows,
                                   (uint32_t)job->parameters[PARAMETER_SMOOTHING], job->progress,
                                   &l->prediction, error));
cleanup:
    sni_free(job->context, rows);
    return status;
}

static sn_status make_hold(const sni_bind_job *job, layers *l, sn_error *error) {
    const double *p = job->parameters;
    const sni_pins_input *pins = job->inputs[INPUT_PINS];
    sni_layers_hold_desc desc = {.mesh = &l->mesh,
                                 .fascia = &l->fascia,
                                 .prediction = &l->prediction,
                                 .confidence = &l->confidence,
                                 .under = &l->under,
                                 .slide = p[PARAMETER_SLIDE],
                                 .hold = p[PARAMETER_HOLD],
                                 .tie = p[PARAMETER_TIE],
                                 .spread = p[PARAMETER_SPREAD],
                                 .lowest = -most_lowered * p[PARAMETER_THICKNESS],
                                 .highest = most_lifted * p[PARAMETER_THICKNESS]};
    sn_status status = SN_OK;
    SNI_NEW_ZERO(job->context, l->pinned, l->mesh.column_count);
    for (uint32_t i = 0; pins != NULL && i < pins->count; ++i) {
        l->pinned[l->mesh.owns[pins->vertices[i]]] = 1;
    }
    desc.pinned = l->pinned;
    SN_TRY(sni_layers_confidence_init(&l->mesh, l->fascia.points, &l->confidence, error));
    SN_TRY(sni_layers_hold_init(&desc, &l->hold, error));
cleanup:
    return status;
}

// The flesh of a column resists with k t / e^2 per area, t its thickness and e the length of edges.
static double contact_stiffness(const layers *l, double k) {
    double sum = 0;
    for (uint32_t i = 0; i < l->mesh.column_count; ++i) {
        double edge = sni_layers_edge(&l->mesh, i);
        sum += edge > 0 ? (double)l->fascia.depths[i] / (edge * edge) : 0;
    }
    return contact_share * k * sum / fmax(l->mesh.column_count, 1);
}

static void describe_columns(const sni_bind_job *job, const layers *l, sni_columns_desc *desc) {
    const double *p = job->parameters;
    desc->column_count = l->mesh.column_count;
    desc->skin = l->mesh.points;
    desc->fascia = l->fascia.points;
    desc->triangle_count = l->mesh.column_triangle_count;
    desc->triangles = l->mesh.column_triangles;
    desc->hold = l->hold.holds;
    desc->cluster = CLUSTER;
    desc->stiffness.membrane = p[PARAMETER_MEMBRANE];
    desc->stiffness.fascia = p[PARAMETER_FASCIA];
    desc->stiffness.fat = p[PARAMETER_FAT];
    desc->stiffness.volume = p[PARAMETER_VOLUME];
    desc->stiffness.contact = contact_stiffness(l, p[PARAMETER_FAT] + p[PARAMETER_VOLUME]);
    desc->stiffness.shortest = p[PARAMETER_SHORTEST];
    desc->stiffness.longest = p[PARAMETER_LONGEST];
}

// Pinned columns touch nothing.
static sn_status make_touch(layers *l, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_layers_touch_init(&l->mesh, &l->fascia, &l->touch, error));
    for (uint32_t i = 0; i < l->mesh.column_count; ++i) {
        l->touch.reaches[i] = l->pinned[i] ? 0 : l->touch.reaches[i];
    }
cleanup:
    return status;
}

static sn_status make_columns(const sni_bind_job *job, layers *l, sn_error *error) {
    sni_columns_desc desc = sni_columns_desc_default();
    float *slides = NULL;
    sn_status status = SN_OK;
    describe_columns(job, l, &desc);
    SNI_NEW(job->context, slides, desc.column_count);
    for (uint32_t i = 0; i < desc.column_count; ++i) {
        slides[i] = (float)l->hold.desc.slide; // the least: rounds are then stable for all others
    }
    desc.slide = slides;
    desc.pinned = l->pinned;
    SN_TRY(sni_columns_create(job->context, &desc, &l->columns, error));
cleanup:
    sni_free(job->context, slides);
    return status;
}

static uint32_t count_tied(const layers *l) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->mesh.column_count; ++i) {
        count += l->under.tied.starts[i + 1] > l->under.tied.starts[i];
    }
    return count;
}

static void tell(const sni_bind_job *job, const layers *l) {
    sni_log(
        job->context, SN_LOG_INFO, "skin",
        "layers: %u columns for the %u vertices of \"%s\", %u triangles of which %u have flesh; "
        "%u columns are tied to muscles; %u met nothing below, neighbours helped %u; %u are near "
        "skin that they look at",
        l->mesh.column_count, job->mesh->vertex_count, job->mesh->name,
        l->mesh.column_triangle_count, sni_columns_prism_count(l->columns), count_tied(l),
        l->under.missed, l->under.repaired, l->touch.met);
}

static sn_status layers_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    layers *l = NULL;
    *bound = NULL;
    SN_TRY(sni_bind_job_validate(&sni_deformer_layers, job, error));
    SNI_NEW_ZERO(job->context, l, 1);
    l->context = job->context;
    l->rounds = (uint32_t)job->parameters[PARAMETER_ROUNDS];
    SN_TRY(make_mesh(job, l, error));
    SN_TRY(sni_layers_fascia_init(&l->mesh, &l->fascia, error));
    SN_TRY(find_under(job, l, error));
    SN_TRY(lay_fascia(job, l, error));
    SN_TRY(predict(job, l, error));
    SN_TRY(make_hold(job, l, error));
    SN_TRY(make_touch(l, error));
    SN_TRY(sni_progress(job->progress, "preparing the flesh", 0, error));
    SN_TRY(make_columns(job, l, error));
    tell(job, l);
    *bound = l;
    l = NULL;
cleanup:
    layers_unbind(job->context, l);
    return status;
}

// ---------------------------------------------------------------------------------------------
// A frame

// Posed components in the order of `under`; false when memory runs out.
static bool pose_components(const layers *l, const sni_deform_job *job,
                            sni_layers_under_pose *pose) {
    uint32_t count = l->under.component_count;
    const float **surfaces = sni_arena_alloc(job->arena, count, sizeof *surfaces);
    const float **points = sni_arena_alloc(job->arena, count, sizeof *points);
    if (surfaces == NULL || points == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sni_components_pose *from = job->inputs[l->sources[i].input];
        uint32_t number = l->sources[i].number;
        surfaces[i] = from->surfaces != NULL ? from->surfaces[number] : NULL;
        points[i] = from->points != NULL ? from->points[number] : NULL;
    }
    pose->surfaces = surfaces;
    pose->points = points;
    return true;
}

// The skin at rest in this frame, where deformers before this one have moved it; NULL: it stands as
// it was bound, or memory has run out, which `made` tells.
static const float *rest_now(const layers *l, const sni_deform_job *job, bool *made) {
    size_t count = 3 * (size_t)job->vertex_count;
    *made = true;
    if (memcmp(job->points_in, l->skin->positions, count * sizeof(float)) == 0) {
        return NULL;
    }
    if (l->bone_segments == NULL) {
        return job->points_in;
    }
    float *rest = sni_arena_alloc(job->arena, count, sizeof *rest);
    float *moved = sni_arena_alloc(job->arena, count, sizeof *moved);
    *made = rest != NULL && moved != NULL;
    if (*made) {
        memcpy(moved, job->points_in, count * sizeof *moved);
        sn_mesh mesh = *l->skin;
        mesh.positions = moved;
        sni_place_at_rest(&mesh, l->bone_segments, l->rest_worlds, rest);
    }
    return rest;
}

// Arrays of a frame, zeros; false when memory runs out.
static bool make_state(const layers *l, sni_arena *arena, sni_layers_held *held,
                       sni_columns_state *state) {
    size_t padded = sni_columns_padded_count(l->columns);
    float **arrays[] = {&held->skin,    &held->fascia,    &held->anchors,
                        &held->normals, &held->rotations, &state->rotations};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        size_t rows =
            arrays[i] == &state->rotations ? sni_columns_rotation_count(l->columns) : padded;
        *arrays[i] = sni_arena_alloc(arena, 4 * rows, sizeof(float));
        if (*arrays[i] == NULL) {
            return false;
        }
        memset(*arrays[i], 0, 4 * rows * sizeof(float));
    }
    state->skin = held->skin;
    state->fascia = held->fascia;
    return true;
}

static bool solve(const layers *l, const sni_deform_job *job, const sn_mat4 *to_body,
                  sni_layers_held *held, sni_columns_state *state) {
    sni_layers_under_pose pose = {.to_frame = to_body};
    if (!make_state(l, job->arena, held, state) || !pose_components(l, job, &pose) ||
        !sni_layers_hold_run(&l->hold, job->arena, job->worlds, &pose, held)) {
        return false;
    }
    sni_columns_begin(l->columns, held->rotations, state);
    sni_layers_touching touching;
    uint32_t left, padded = sni_columns_padded_count(l->columns);
    if (!sni_layers_touching_make(&l->touch, job->arena, padded, &touching)) {
        return false;
    }
    sni_columns_hold hold = {.anchors = held->anchors,
                             .normals = held->normals,
                             .skin_planes = touching.skin_planes,
                             .fascia_planes = touching.fascia_planes,
                             .planes_hold = true,
                             .renew = sni_layers_touching_renew,
                             .user = &touching};
    sni_columns_effort effort = {
        .rounds = l->rounds, .smallest = smallest_eigenvalue, .coarse = true};
    if (!sni_columns_solve(l->columns, job->arena, &hold, &effort, state)) {
        return false;
    }
    sni_layers_touching_settle(&touching, state->skin, state->fascia);
    sni_columns_clamp(l->columns, state);
    if (!sni_columns_mend(l->columns, job->arena, state, &left)) {
        return false;
    }
    sni_columns_turn(l->columns, state, held->rotations);
    return true;
}

// Keeps the columns of the last frame, skin and then fascia, to be measured when asked for.
static void keep_columns(const layers *l, const sni_deform_job *job,
                         const sni_columns_state *state) {
    size_t size = 4 * (size_t)sni_columns_padded_count(l->columns);
    if (job->kept != NULL && *job->kept == NULL) {
        *job->kept = sni_alloc(l->context, 2 * size, sizeof(float));
    }
    float *kept = job->kept != NULL ? *job->kept : NULL;
    if (kept != NULL) {
        memcpy(kept, state->skin, size * sizeof *kept);
        memcpy(kept + size, state->fascia, size * sizeof *kept);
    }
}

static void layers_kept_free(sn_context *context, void *kept) {
    sni_free(context, kept);
}

static void layers_flesh(const void *bound, const void *kept, sni_flesh_measure *measure) {
    const layers *l = bound;
    const float *skin = kept;
    const float *fascia = skin + 4 * (size_t)sni_columns_padded_count(l->columns);
    sni_columns_measure m;
    sni_columns_measure_run(l->columns, skin, fascia, &m);
    *measure = (sni_flesh_measure){.flipped = m.flipped,
                                   .volume = m.volume,
                                   .rest_volume = m.rest_volume,
                                   .shortest = fmin(m.shortest, m.longest),
                                   .longest = m.longest};
}

// All is computed in the frame of the body: the result does not depend on where it stands and how
// it is turned, whatever floats make of the distance.
static sn_status layers_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const layers *l = bound;
    const sni_components_pose *under = job->inputs[INPUT_COMPONENTS];
    const sn_mat4 *body = under != NULL ? under->body : NULL;
    sn_mat4 to_body = sn_mat4_identity();
    if (body != NULL) {
        sn_mat4_invert(body, &to_body);
    }
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    sni_layers_held held;
    sni_columns_state state = {0};
    bool made;
    const float *rest = rest_now(l, job, &made);
    made = made && solve(l, job, &to_body, &held, &state);
    if (made) {
        keep_columns(l, job, &state);
        sni_layers_mesh_follow(&l->mesh, rest, state.skin, held.rotations, job->points_out);
    }
    if (made && body != NULL) {
        sni_carry_points(job->context, body, NULL, job->points_out, job->vertex_count,
                         job->points_out);
    }
    sni_arena_release(job->arena, mark);
    return made ? SN_OK : sni_fail_memory(error);
}

static size_t layers_bytes(const void *bound) {
    const layers *l = bound;
    return sizeof *l + sni_layers_mesh_bytes(&l->mesh) + sni_layers_under_bytes(&l->under) +
           sni_layers_predict_bytes(&l->prediction) + sni_layers_confidence_bytes(&l->confidence) +
           sni_layers_hold_bytes(&l->hold) + sni_layers_touch_bytes(&l->touch) +
           sni_columns_bytes(l->columns) + l->mesh.column_count * (8 * sizeof(float) + 1);
}

const sni_deformer_ops sni_deformer_layers = {
    .name = "layers",
    .help = "Skin, fat and fascia over bones, pulled by the muscles that the fascia is tied to",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_COMPONENTS] = {&sni_input_components, false},
               [INPUT_TIED] = {&sni_input_tied, false},
               [INPUT_WEIGHTS] = {&sni_input_weights, false},
               [INPUT_PINS] = {&sni_input_pins, false}},
    .moves_in_world = true,
    .bind = layers_bind,
    .unbind = layers_unbind,
    .deform = layers_deform,
    .bytes = layers_bytes,
    .kept_free = layers_kept_free,
    .flesh = layers_flesh,
};
