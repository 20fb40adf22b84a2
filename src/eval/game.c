// SPDX-License-Identifier: Apache-2.0
//
// A character for game engines. All frames are evaluated once; those that skins are fitted to are
// kept. Once the targets are known, their weights and what is left of the error are found for every
// frame, so that the figures are those of the file.
#include "eval/game.h"

#include "base/file.h"
#include "eval/bake.h"
#include "motion/skeleton.h"
#include "sinew/io.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x736e676d;

// Skins are fitted to at most so many frames and bytes of them: every second, third .. frame of
// longer clips, whose frames are much alike.
static const uint32_t most_poses = 400;
static const size_t most_bytes = (size_t)512 << 20;

// More targets than this are not tried for a bound.
static const uint32_t most_targets = 256;

// The error that is aimed at where none is given, as a part of a skin's size.
static const double standard_error = 5e-4;

// Where there is no bound to be met, rounding of a target may take this part of the error that is
// aimed at.
static const double rounding_part = 0.25;

sn_game_desc sn_game_desc_default(void) {
    return (sn_game_desc){.check = desc_check, .surface = SN_NONE, .targets = SN_NONE};
}

// Distances of vertices are counted in classes of equal ratio, from 1e-9 to 1e3 metres.
enum { CLASSES = 4096 };
static const double least_distance = 1e-9, largest_distance = 1e3;

typedef struct tally {
    double sum, largest;
    uint64_t count;
    uint64_t classes[CLASSES];
} tally;

// A surface that is written.
typedef struct part {
    const sn_surface *surface;
    bool deforms; // false: a segment carries it
    sni_skinned_mesh rigid;
    sni_game_skin skin;
    float **points; // pose_count: the skin in the frames that are kept
    double bound;   // of the mean error in each clip
    double *means;  // clip_count
    float *weights; // frame_count x target_count
    sn_mesh *mesh;
} part;

typedef struct game {
    sn_context *context;
    const sn_model *model;
    const sn_skeleton *skeleton;
    sn_frame *frame, *rest;
    const sn_game_desc *desc;
    const sn_progress *progress;
    uint32_t part_count;
    part *parts;
    uint32_t frame_count; // of all clips
    uint32_t step;        // every so many frames of a clip one is kept
    sn_transform *locals; // frame_count x segment_count
    uint32_t pose_count;  // frames that are kept
    uint32_t *pose_clips;
    sn_mat4 *pose_worlds; // pose_count x segment_count
    sn_mat4 *worlds;      // segment_count
    tally *tallies;       // one for each clip
} game;

// ---------------------------------------------------------------------------------------------
// Frames

static uint32_t clip_frames(const game *g, uint32_t clip) {
    return sn_motion_frame_count(g->desc->motions[clip]);
}

static sn_status choose_parts(game *g, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(g->context, g->parts, g->model->surface_count);
    for (uint32_t i = 0; i < g->model->surface_count; ++i) {
        const sn_surface *surface = &g->model->surfaces[i];
        bool outside = surface->shown && (surface->layer == SN_LAYER_SKIN || surface->feature);
        if (g->desc->surface == SN_NONE ? outside : g->desc->surface == i) {
            part *p = &g->parts[g->part_count++];
            p->surface = surface;
            p->deforms = surface->segment == SN_NONE || !surface->linear_skinning;
            p->skin.surface = i;
            p->skin.vertex_count = surface->mesh->vertex_count;
            SNI_NEW(g->context, p->means, g->desc->motion_count);
        }
    }
    if (g->part_count == 0) {
        status = sni_fail(error, SN_INVALID, "\"%s\" has nothing to write: no skin is shown",
                          sn_model_name(g->model));
    }
cleanup:
    return status;
}

// How many frames are kept, and room for them.
static sn_status plan_frames(game *g, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t frames = 0, bytes = 0;
    size_t segments = g->skeleton->segment_count, local_count;
    for (uint32_t c = 0; c < g->desc->motion_count; ++c) {
        frames += clip_frames(g, c);
    }
    for (uint32_t i = 0; i < g->part_count; ++i) {
        bytes += g->parts[i].deforms ? 24 * (uint64_t)g->parts[i].skin.vertex_count : 0;
    }
    if (frames >= SN_NONE || !sni_size_multiply((size_t)frames, segments, &local_count)) {
        return sni_fail_memory(error);
    }
    uint64_t room = bytes > 0 ? most_bytes / bytes : most_poses;
    room = room < 1 ? 1 : room > most_poses ? most_poses : room;
    g->frame_count = (uint32_t)frames;
    g->step = (uint32_t)((frames + room - 1) / room);
    for (uint32_t c = 0; c < g->desc->motion_count; ++c) {
        g->pose_count += (clip_frames(g, c) + g->step - 1) / g->step;
    }
    SNI_NEW(g->context, g->locals, local_count);
    SNI_NEW(g->context, g->pose_clips, g->pose_count);
    SNI_NEW(g->context, g->pose_worlds, g->pose_count * segments);
    SNI_NEW(g->context, g->worlds, segments);
    SNI_NEW(g->context, g->tallies, g->desc->motion_count);
    for (uint32_t i = 0; i < g->part_count; ++i) {
        SNI_NEW_ZERO(g->context, g->parts[i].points, g->pose_count);
    }
cleanup:
    return status;
}

static const sn_transform *locals_of(const game *g, uint32_t frame) {
    return g->locals + (size_t)frame * g->skeleton->segment_count;
}

static sn_status keep_points(game *g, uint32_t pose, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < g->part_count; ++i) {
        part *p = &g->parts[i];
        if (p->deforms) {
            size_t numbers = 3 * (size_t)p->skin.vertex_count;
            SNI_NEW(g->context, p->points[pose], numbers);
            memcpy(p->points[pose], sn_frame_points(g->frame, p->skin.surface),
                   numbers * sizeof **p->points);
        }
    }
cleanup:
    return status;
}

static sn_status evaluate_all(game *g, sn_error *error) {
    size_t segments = g->skeleton->segment_count;
    uint32_t frame = 0, pose = 0;
    sn_status status = SN_OK;
    for (uint32_t c = 0; c < g->desc->motion_count; ++c) {
        for (uint32_t f = 0; f < clip_frames(g, c); ++f, ++frame) {
            SN_TRY(sni_progress(g->progress, "evaluating", (double)frame / g->frame_count, error));
            SN_TRY(sn_frame_evaluate(g->frame, g->desc->motions[c], f, error));
            memcpy(g->locals + frame * segments, sn_frame_locals(g->frame),
                   segments * sizeof *g->locals);
            if (f % g->step == 0) {
                g->pose_clips[pose] = c;
                sni_skeleton_world(g->skeleton, locals_of(g, frame),
                                   g->pose_worlds + pose * segments);
                SN_TRY(keep_points(g, pose, error));
                ++pose;
            }
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Fitting

static double size_of(const sn_mesh *mesh) {
    sn_vec3 low, high;
    sn_mesh_bounds(mesh, &low, &high);
    return sn_vec3_distance(low, high);
}

static double aim_of(const game *g, const part *p) {
    return g->desc->error > 0 ? g->desc->error : standard_error * size_of(p->surface->mesh);
}

static bool meets(const double *means, uint32_t count, double bound) {
    bool met = true;
    for (uint32_t c = 0; c < count; ++c) {
        met = met && means[c] <= bound;
    }
    return met;
}

// The fewest shapes that the bound needs.
static uint32_t choose_count(const part *p, const sni_game_shapes *shapes) {
    uint32_t count = isinf(p->bound) ? shapes->count : 0;
    while (count < shapes->count && !meets(shapes->errors + (size_t)count * shapes->clip_count,
                                           shapes->clip_count, p->bound)) {
        ++count;
    }
    return count;
}

static void count_distance(tally *t, double distance) {
    double at = log(fmax(distance, least_distance) / least_distance) /
                log(largest_distance / least_distance) * CLASSES;
    t->sum += distance;
    t->largest = fmax(t->largest, distance);
    t->count++;
    t->classes[at < CLASSES ? (size_t)at : CLASSES - 1]++;
}

// The points of a part in a frame: those that were kept, or evaluated again.
static sn_status find_points(game *g, const part *p, uint32_t clip, uint32_t number, uint32_t pose,
                             const float **points, sn_error *error) {
    if (number % g->step == 0) {
        *points = p->points[pose];
        return SN_OK;
    }
    sn_status status = sn_frame_evaluate(g->frame, g->desc->motions[clip], number, error);
    *points = sn_frame_points(g->frame, p->skin.surface);
    return status;
}

// Weights of the targets of a part in all frames, and what is left of the error.
static sn_status weigh_part(game *g, part *p, tally *tallies, sn_error *error) {
    sni_game_skin *skin = &p->skin;
    uint32_t frame = 0, pose = 0;
    sn_status status = SN_OK;
    sni_free(g->context, p->weights);
    p->weights = NULL;
    SNI_NEW(g->context, p->weights, (size_t)g->frame_count * skin->target_count);
    for (uint32_t c = 0; c < g->desc->motion_count; ++c) {
        tallies[c] = (tally){0};
        for (uint32_t f = 0; f < clip_frames(g, c); ++f, ++frame) {
            const float *points;
            SN_TRY(sni_progress(g->progress, "weighing targets", (double)frame / g->frame_count,
                                error));
            SN_TRY(find_points(g, p, c, f, pose, &points, error));
            pose += f % g->step == 0;
            sni_skeleton_world(g->skeleton, locals_of(g, frame), g->worlds);
            SN_TRY(sni_game_weigh(g->context, skin, g->worlds, points,
                                  p->weights + (size_t)frame * skin->target_count, error));
            for (uint32_t v = 0; v < skin->vertex_count; ++v) {
                count_distance(&tallies[c], skin->gaps[v]);
            }
        }
        p->means[c] = tallies[c].count > 0 ? tallies[c].sum / (double)tallies[c].count : 0;
    }
cleanup:
    return status;
}

static void add_tallies(game *g, const tally *tallies) {
    for (uint32_t c = 0; c < g->desc->motion_count; ++c) {
        tally *to = &g->tallies[c];
        to->sum += tallies[c].sum;
        to->count += tallies[c].count;
        to->largest = fmax(to->largest, tallies[c].largest);
        for (int i = 0; i < CLASSES; ++i) {
            to->classes[i] += tallies[c].classes[i];
        }
    }
}

// Gives a part so many targets. Bytes do where the bound is met with them.
static sn_status try_targets(game *g, part *p, const sni_game_shapes *shapes, uint32_t count,
                             tally *tallies, sn_error *error) {
    double tolerance = isinf(p->bound) ? rounding_part * aim_of(g, p) : INFINITY;
    sn_status status = SN_OK;
    SN_TRY(sni_game_set_targets(g->context, shapes, count, tolerance, &p->skin, error));
    SN_TRY(weigh_part(g, p, tallies, error));
    if (count > 0 && !meets(p->means, g->desc->motion_count, p->bound)) {
        SN_TRY(sni_game_set_targets(g->context, shapes, count, 0, &p->skin, error));
        SN_TRY(weigh_part(g, p, tallies, error));
    }
cleanup:
    return status;
}

// What rounding adds can exceed the bound: then it takes a few more targets.
static sn_status choose_targets(game *g, part *p, const sni_game_shapes *shapes, tally *tallies,
                                sn_error *error) {
    uint32_t count = choose_count(p, shapes), clips = g->desc->motion_count;
    sn_status status = SN_OK;
    for (;;) {
        SN_TRY(try_targets(g, p, shapes, count, tallies, error));
        if (count == shapes->count || meets(p->means, clips, p->bound)) {
            break;
        }
        count += 1 + count / 8;
        count = count < shapes->count ? count : shapes->count;
    }
    add_tallies(g, tallies);
cleanup:
    return status;
}

static bool has_own_weights(const part *p) {
    const sn_weights *weights = p->surface->mesh->weights;
    return p->surface->bone_segments != NULL && !p->surface->in_segment_frame && weights != NULL &&
           weights->bone_count > 0;
}

static sn_status fit_part(game *g, part *p, tally *tallies, sn_error *error) {
    sni_game_poses poses = {g->pose_count, g->skeleton->segment_count, g->pose_worlds,
                            (const float *const *)p->points, g->pose_clips};
    uint32_t most = g->desc->targets < most_targets ? g->desc->targets : most_targets;
    sni_game_shapes shapes = {0};
    sn_status status = SN_OK;
    p->bound = g->desc->error > 0 || g->desc->targets == SN_NONE ? aim_of(g, p) : INFINITY;
    if (has_own_weights(p)) {
        SN_TRY(sni_game_take_weights(g->model, &p->skin, error));
    } else {
        SN_TRY(sni_progress(g->progress, "fitting weights", 0, error));
        SN_TRY(sni_game_fit_weights(g->model, sn_frame_points(g->rest, p->skin.surface), &poses,
                                    &p->skin, error));
    }
    SN_TRY(sni_game_find_shapes(g->context, &p->skin, &poses, most, &shapes, g->progress, error));
    SN_TRY(choose_targets(g, p, &shapes, tallies, error));
cleanup:
    sni_game_shapes_deinit(g->context, &shapes);
    for (uint32_t i = 0; i < g->pose_count; ++i) {
        sni_free(g->context, p->points[i]);
        p->points[i] = NULL;
    }
    return status;
}

static sn_status fit_all(game *g, sn_error *error) {
    tally *tallies = NULL;
    sn_status status = SN_OK;
    SNI_NEW(g->context, tallies, g->desc->motion_count);
    for (uint32_t i = 0; i < g->part_count; ++i) {
        if (g->parts[i].deforms) {
            SN_TRY(fit_part(g, &g->parts[i], tallies, error));
        }
    }
cleanup:
    sni_free(g->context, tallies);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The file

static sn_status set_mesh_weights(const game *g, const sni_game_skin *skin, sn_mesh *mesh,
                                  sn_error *error) {
    uint32_t count = 0;
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_set_weights(mesh, skin->bone_count, SNI_GAME_BONES * skin->vertex_count, true,
                               error));
    for (uint32_t i = 0; i < skin->bone_count; ++i) {
        sn_transform scale = sn_transform_identity();
        scale.scale = sn_vec3_make(skin->unit, skin->unit, skin->unit);
        sn_mat4 scaling = sn_mat4_from_transform(&scale);
        mesh->weights->inverse_bind[i] = sn_mat4_multiply(&skin->inverse_binds[i], &scaling);
        SN_TRY(
            sn_mesh_name_bone(mesh, i, g->skeleton->segments[skin->bone_segments[i]].name, error));
    }
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        mesh->weights->offsets[v] = count;
        for (size_t i = SNI_GAME_BONES * (size_t)v; i < SNI_GAME_BONES * ((size_t)v + 1); ++i) {
            if (skin->weights[i] > 0) {
                mesh->weights->bones[count] = skin->bones[i];
                mesh->weights->values[count++] = skin->weights[i];
            }
        }
    }
    mesh->weights->offsets[skin->vertex_count] = count;
cleanup:
    return status;
}

// Normals of the base: those of the mesh at rest, turned by as much as computed ones turn.
static sn_status turn_normals(const game *g, const sni_game_skin *skin, sn_mesh *mesh,
                              sn_error *error) {
    size_t numbers = 3 * (size_t)skin->vertex_count;
    const sn_attribute *normals = sn_mesh_find_attribute(mesh, "normal");
    float *at_rest = NULL, *now = NULL;
    sn_status status = SN_OK;
    if (normals == NULL) {
        return sni_mesh_add_normals(mesh, error);
    }
    if (normals->corner != NULL || normals->width != 3) {
        return SN_OK; // the few that differ at a vertex stay as they are
    }
    SNI_NEW(g->context, at_rest, numbers);
    SNI_NEW(g->context, now, numbers);
    SN_TRY(sn_mesh_normals(mesh, skin->rest, at_rest, error));
    SN_TRY(sn_mesh_normals(mesh, skin->base, now, error));
    for (size_t v = 0; v < skin->vertex_count; ++v) {
        float *n = normals->values + 3 * v;
        sn_vec3 turned = sn_vec3_add(
            sn_vec3_load(n), sn_vec3_sub(sn_vec3_load(now + 3 * v), sn_vec3_load(at_rest + 3 * v)));
        sn_vec3_store(sn_vec3_normalize_or(turned, sn_vec3_load(n)), n);
    }
cleanup:
    sni_free(g->context, at_rest);
    sni_free(g->context, now);
    return status;
}

// Lengths are in units of the targets: their offsets then fill the range of small numbers, and the
// inverse binds turn them into metres.
static sn_status make_mesh(const game *g, part *p, sn_error *error) {
    const sni_game_skin *skin = &p->skin;
    size_t numbers = 3 * (size_t)skin->vertex_count;
    sn_status status = SN_OK;
    SN_TRY(sni_mesh_with_points(g->context, p->surface->mesh, skin->rest, &p->mesh, error));
    memcpy(p->mesh->positions, skin->base, numbers * sizeof *skin->base);
    SN_TRY(turn_normals(g, skin, p->mesh, error));
    for (size_t i = 0; i < numbers; ++i) {
        p->mesh->positions[i] /= skin->unit;
    }
    SN_TRY(set_mesh_weights(g, skin, p->mesh, error));
    for (uint32_t k = 0; k < skin->target_count; ++k) {
        char name[32];
        sn_target *target;
        snprintf(name, sizeof name, "shape_%03u", k + 1);
        SN_TRY(sn_mesh_add_target(p->mesh, name, skin->vertex_count, false, &target, error));
        target->weight = skin->rest_weights[k];
        memcpy(target->offsets, skin->targets + k * numbers, numbers * sizeof *target->offsets);
    }
cleanup:
    return status;
}

typedef struct contents {
    const sn_mesh **meshes; // part_count
    uint32_t *segments;     // part_count
    sn_export_clip *clips;  // motion_count
    const float **weights;  // motion_count x part_count
} contents;

static sn_status list_meshes(game *g, contents *c, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < g->part_count; ++i) {
        part *p = &g->parts[i];
        c->segments[i] = SN_NONE;
        if (p->deforms) {
            SN_TRY(make_mesh(g, p, error));
            c->meshes[i] = p->mesh;
        } else {
            SN_TRY(sni_skinned_mesh_make(g->model, p->surface, &p->rigid, error));
            c->meshes[i] = p->rigid.copy != NULL ? p->rigid.copy : p->surface->mesh;
            c->segments[i] = p->rigid.segment;
        }
    }
cleanup:
    return status;
}

static void list_clips(const game *g, contents *c) {
    uint32_t frame = 0;
    for (uint32_t i = 0; i < g->desc->motion_count; ++i) {
        const float **weights = c->weights + (size_t)i * g->part_count;
        for (uint32_t p = 0; p < g->part_count; ++p) {
            const part *from = &g->parts[p];
            weights[p] =
                from->deforms ? from->weights + (size_t)frame * from->skin.target_count : NULL;
        }
        c->clips[i] = (sn_export_clip){.name = sn_motion_name(g->desc->motions[i]),
                                       .rate = sn_motion_rate(g->desc->motions[i]),
                                       .frame_count = clip_frames(g, i),
                                       .locals = locals_of(g, frame),
                                       .weights = weights};
        frame += clip_frames(g, i);
    }
}

static sn_status write_file(game *g, const char *path, sn_error *error) {
    contents c = {0};
    sn_status status = SN_OK;
    SNI_NEW(g->context, c.meshes, g->part_count);
    SNI_NEW(g->context, c.segments, g->part_count);
    SNI_NEW(g->context, c.clips, g->desc->motion_count);
    SNI_NEW(g->context, c.weights, (size_t)g->desc->motion_count * g->part_count);
    SN_TRY(sni_progress(g->progress, "writing", 1, error));
    SN_TRY(list_meshes(g, &c, error));
    list_clips(g, &c);
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = g->part_count;
    desc.meshes = c.meshes;
    desc.mesh_segments = c.segments;
    desc.skeleton = g->skeleton;
    desc.further_count = g->desc->motion_count;
    desc.further = c.clips;
    desc.compact = true;
    SN_TRY(sn_export_skinned(g->context, path, &desc, error));
cleanup:
    sni_free(g->context, c.meshes);
    sni_free(g->context, c.segments);
    sni_free(g->context, c.clips);
    sni_free(g->context, c.weights);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Report

static sn_game_distance distance_of(const tally *t) {
    uint64_t counted = 0;
    int class = 0;
    while (class < CLASSES && (double)(counted += t->classes[class]) < 0.99 * (double)t->count) {
        ++class;
    }
    double upper =
        least_distance * pow(largest_distance / least_distance, (double)(class + 1) / CLASSES);
    return (sn_game_distance){.mean = t->count > 0 ? t->sum / (double)t->count : 0,
                              .most = t->count > 0 ? fmin(upper, t->largest) : 0,
                              .largest = t->largest};
}

static void fill_report(const game *g, sn_game_report *report) {
    *report =
        (sn_game_report){.clips = report->clips, .frame_count = g->frame_count, .bound = INFINITY};
    double worst = -1; // of an error as a part of its bound
    for (uint32_t i = 0; i < g->part_count; ++i) {
        const part *p = &g->parts[i];
        report->skin_count += p->deforms;
        report->fitted_count += p->deforms && !has_own_weights(p);
        report->target_count += p->skin.target_count;
        for (uint32_t c = 0; p->deforms && c < g->desc->motion_count; ++c) {
            double share = isinf(p->bound) ? p->means[c] : p->means[c] / p->bound;
            if (share > worst) {
                worst = share;
                report->error = p->means[c];
                report->bound = p->bound;
            }
        }
    }
    for (uint32_t c = 0; report->clips != NULL && c < g->desc->motion_count; ++c) {
        report->clips[c] = distance_of(&g->tallies[c]);
    }
}

static sn_status check_desc(const sn_model *model, const sn_game_desc *desc, const char *path,
                            sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_game_desc_default");
    }
    if (!sni_path_has_extension(path, ".glb")) {
        return sni_fail(error, SN_UNSUPPORTED, "%s: characters for games are written as .glb alone",
                        path);
    }
    if (desc->motion_count == 0) {
        return sni_fail(error, SN_INVALID, "\"%s\" has no clip to be fitted to",
                        sn_model_name(model));
    }
    if (desc->surface != SN_NONE && (desc->surface >= model->surface_count ||
                                     model->surfaces[desc->surface].layer != SN_LAYER_SKIN)) {
        return sni_fail(error, SN_INVALID, "surface %u is not a skin", desc->surface);
    }
    if (!(desc->error >= 0)) {
        return sni_fail(error, SN_INVALID, "the error is %g m, but must not be below 0",
                        desc->error);
    }
    return SN_OK;
}

static void release(game *g) {
    for (uint32_t i = 0; g->parts != NULL && i < g->part_count; ++i) {
        part *p = &g->parts[i];
        for (uint32_t k = 0; p->points != NULL && k < g->pose_count; ++k) {
            sni_free(g->context, p->points[k]);
        }
        sni_free(g->context, p->points);
        sni_free(g->context, p->means);
        sni_free(g->context, p->weights);
        sni_game_skin_deinit(g->context, &p->skin);
        sn_mesh_destroy(p->rigid.copy);
        sn_mesh_destroy(p->mesh);
    }
    sni_free(g->context, g->parts);
    sni_free(g->context, g->locals);
    sni_free(g->context, g->pose_clips);
    sni_free(g->context, g->pose_worlds);
    sni_free(g->context, g->worlds);
    sni_free(g->context, g->tallies);
    sn_frame_destroy(g->rest);
}

sn_status sn_bake_game(sn_frame *frame, const sn_game_desc *desc, const char *path,
                       const sn_progress *progress, sn_game_report *report, sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    game g = {.context = model->context,
              .model = model,
              .skeleton = sn_model_skeleton(model),
              .frame = frame,
              .desc = desc,
              .progress = progress};
    sn_status status = SN_OK;
    SN_TRY(check_desc(model, desc, path, error));
    SN_TRY(sn_frame_create(model, &g.rest, error));
    SN_TRY(choose_parts(&g, error));
    SN_TRY(plan_frames(&g, error));
    memset(g.tallies, 0, desc->motion_count * sizeof *g.tallies);
    SN_TRY(evaluate_all(&g, error));
    SN_TRY(fit_all(&g, error));
    SN_TRY(write_file(&g, path, error));
    if (report != NULL) {
        fill_report(&g, report);
    }
cleanup:
    release(&g);
    return status;
}
