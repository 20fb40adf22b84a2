// SPDX-License-Identifier: Apache-2.0
//
// A body at rest: sizes of muscles, attachments beside their bones, what lies in what.
#include "eval/model.h"

#include "geometry/closed.h"
#include "geometry/interior.h"

// Vertices of a surface that are tried in another one.
static const uint32_t sample_count = 512;
// Skin vertices of a block: about a millisecond.
enum { SKIN_GRAIN = 256 };

// Two bones or muscles whose boxes meet.
typedef struct box_pair {
    uint32_t surfaces[2];
    double shares[2]; // of each one's vertices in the other
} box_pair;

typedef struct checker {
    const sn_model *model;
    sn_context *context;
    sn_body_check *check;
    sni_interior *interiors; // one for each surface; not made for those without an inside
    uint32_t pair_count;
    box_pair *pairs;
    const sn_surface *skin; // that is measured
    sn_skin_check *blocks;  // of its vertices
} checker;

// --- What has an inside

static bool may_contain(const sn_surface *surface) {
    return surface->layer != SN_LAYER_SKIN && !surface->feature && surface->density > 0;
}

static sn_status make_interior(checker *c, uint32_t index, sn_error *error) {
    const sn_surface *surface = &c->model->surfaces[index];
    size_t count = surface->mesh->vertex_count;
    float *points = NULL;
    bool closed = false;
    sn_status status = SN_OK;
    SN_TRY(sni_mesh_is_closed(surface->mesh, &closed, error));
    if (!closed) {
        return SN_OK;
    }
    SNI_NEW(c->context, points, 3 * count);
    for (size_t i = 0; i < count; ++i) {
        sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * i);
        sn_vec3_store(surface->in_segment_frame
                          ? sn_mat4_point(&c->model->rest_worlds[surface->segment], p)
                          : p,
                      points + 3 * i);
    }
    SN_TRY(sni_interior_init(&c->interiors[index], surface->mesh, points, error));
cleanup:
    sni_free(c->context, points);
    return status;
}

static sn_status make_interiors(checker *c, const sn_progress *progress, sn_error *error) {
    uint32_t count = c->model->surface_count;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(c->context, c->interiors, count);
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(sni_progress(progress, "checking the body", 0.3 * i / count, error));
        if (may_contain(&c->model->surfaces[i])) {
            SN_TRY(make_interior(c, i, error));
        }
    }
cleanup:
    return status;
}

// --- Muscles

// The attachments of one end of a muscle, or of a strip of it, from number `first` on.
static void check_end(sn_body_check *check, uint32_t surface, const sni_muscle_body_plan *plan,
                      bool insertion, uint32_t first, const sni_attachment_gap *gaps) {
    const sni_attachment_plan *attachments = insertion ? plan->insertions : plan->origins;
    for (uint32_t i = 0; i < plan->attachment_count; ++i) {
        if (attachments[i].bone != SN_NONE) {
            check->attachments[check->attachment_count++] = (sn_attachment_check){
                .muscle = surface,
                .bone = attachments[i].bone,
                .insertion = insertion,
                .number = first + i,
                .distance = gaps[i].distance,
                .share = gaps[i].size > 0 ? gaps[i].distance / gaps[i].size : 0};
        }
    }
}

static bool is_parent(const sni_graph_plan *plan, uint32_t point) {
    bool found = false;
    for (uint32_t i = 0; i < plan->point_count; ++i) {
        found = found || plan->points[i].parent == point;
    }
    return found;
}

// The ends of paths that are on bones: roots, then leaves.
static void check_points(sn_body_check *check, uint32_t surface, const sni_graph_plan *plan,
                         const sni_attachment_gap *gaps) {
    for (uint32_t leaves = 0; leaves < 2; ++leaves) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < plan->point_count; ++i) {
            const sni_graph_point_plan *point = &plan->points[i];
            bool ends = leaves != 0 ? !is_parent(plan, i) : point->parent == SN_NONE;
            if (!ends || point->in_space || point->place.bone == SN_NONE) {
                continue;
            }
            check->attachments[check->attachment_count++] = (sn_attachment_check){
                .muscle = surface,
                .bone = point->place.bone,
                .insertion = leaves != 0,
                .number = found++,
                .distance = gaps[i].distance,
                .share = gaps[i].size > 0 ? gaps[i].distance / gaps[i].size : 0};
        }
    }
}

static void check_muscle(checker *c, uint32_t number) {
    const sni_bound_muscle *muscle = c->model->muscles[number];
    const sni_muscle_plan *plan = &c->model->blueprint->muscles[number];
    uint32_t surface = c->model->blueprint->surface_count + number;
    const sni_bodies_plan *bodies = sni_muscle_bodies(plan);
    const sni_attachment_gap *gaps = sni_muscle_gaps(muscle);
    uint32_t first = 0;
    sni_muscle_measure measure;
    muscle->ops->measure(muscle->bound, NULL, &measure);
    c->check->muscles[c->check->muscle_count++] =
        (sn_muscle_check){.surface = surface,
                          .length = measure.rest_length,
                          .volume = measure.rest_volume,
                          .volume_keys = measure.volume_keys,
                          .search_steps = measure.search_steps};
    const sni_graph_plan *graph = sni_muscle_input(plan, &sni_input_graph);
    if (graph != NULL) {
        check_points(c->check, surface, graph,
                     sni_input_find(muscle->ops->inputs, (const void *const *)muscle->kept,
                                    &sni_input_graph));
    }
    for (uint32_t i = 0; bodies != NULL && i < bodies->count; ++i) {
        const sni_muscle_body_plan *body = &bodies->bodies[i].body;
        check_end(c->check, surface, body, false, first, gaps + 2 * first);
        check_end(c->check, surface, body, true, first, gaps + 2 * first + body->attachment_count);
        first += body->attachment_count;
    }
}

static sn_status check_muscles(checker *c, sn_error *error) {
    uint32_t count = c->model->blueprint->muscle_count;
    size_t gap_count = 0;
    sn_status status = SN_OK;
    SNI_NEW(c->context, c->check->muscles, count);
    for (uint32_t i = 0; i < count; ++i) {
        const sni_bodies_plan *bodies = sni_muscle_bodies(&c->model->blueprint->muscles[i]);
        for (uint32_t k = 0; bodies != NULL && k < bodies->count; ++k) {
            gap_count += 2 * (size_t)bodies->bodies[k].body.attachment_count;
        }
        const sni_graph_plan *graph =
            sni_muscle_input(&c->model->blueprint->muscles[i], &sni_input_graph);
        gap_count += graph != NULL ? 2 * (size_t)graph->point_count : 0;
    }
    SNI_NEW(c->context, c->check->attachments, gap_count);
    for (uint32_t i = 0; i < count; ++i) {
        check_muscle(c, i);
    }
cleanup:
    return status;
}

// --- Overlaps

static bool is_part(const checker *c, uint32_t index) {
    sn_layer layer = c->model->surfaces[index].layer;
    return c->interiors[index].triangles != NULL &&
           (layer == SN_LAYER_BONE || layer == SN_LAYER_MUSCLE);
}

static bool boxes_meet(const sni_interior *a, const sni_interior *b) {
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y &&
           b->low.y < a->high.y && a->low.z < b->high.z && b->low.z < a->high.z;
}

static sn_status list_pairs(checker *c, sn_error *error) {
    uint32_t count = c->model->surface_count;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i + 1; k < count && is_part(c, i); ++k) {
            if (!is_part(c, k) || !boxes_meet(&c->interiors[i], &c->interiors[k])) {
                continue;
            }
            if (!sni_grow_by_one(c->context, &c->pairs, c->pair_count, sizeof *c->pairs)) {
                return sni_fail_memory(error);
            }
            c->pairs[c->pair_count++] = (box_pair){.surfaces = {i, k}};
        }
    }
    return SN_OK;
}

// The part of the vertices of one that lie in the other.
static double share_within(const sni_interior *a, const sni_interior *b) {
    uint32_t step = a->vertex_count / sample_count + 1, tried = 0, inside = 0;
    for (uint32_t i = 0; i < a->vertex_count; i += step) {
        sn_vec3 closest;
        inside += sni_interior_depth(b, sn_vec3_load(a->positions + 3 * (size_t)i), &closest) > 0;
        tried++;
    }
    return tried > 0 ? (double)inside / tried : 0;
}

static void measure_pairs(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    checker *c = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_interior *a = &c->interiors[c->pairs[i].surfaces[0]];
        const sni_interior *b = &c->interiors[c->pairs[i].surfaces[1]];
        c->pairs[i].shares[0] = share_within(a, b);
        c->pairs[i].shares[1] = share_within(b, a);
    }
}

static sn_status check_overlaps(checker *c, double share, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(list_pairs(c, error));
    sn_parallel_for(c->context, c->pair_count, 1, measure_pairs, c);
    SNI_NEW(c->context, c->check->overlaps, c->pair_count);
    for (uint32_t i = 0; i < c->pair_count; ++i) {
        const box_pair *pair = &c->pairs[i];
        uint32_t first = pair->shares[1] > pair->shares[0] ? 1 : 0;
        if (pair->shares[first] > share) {
            c->check->overlaps[c->check->overlap_count++] =
                (sn_overlap_check){.surfaces = {pair->surfaces[first], pair->surfaces[1 - first]},
                                   .share = pair->shares[first]};
        }
    }
cleanup:
    return status;
}

// --- Skins

static void measure_skin(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    checker *c = user;
    sn_skin_check result = {.vertex = SN_NONE, .component = SN_NONE};
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 closest, point = sn_vec3_load(c->skin->mesh->positions + 3 * (size_t)i);
        if (c->skin->in_segment_frame) {
            point = sn_mat4_point(&c->model->rest_worlds[c->skin->segment], point);
        }
        bool inside = false;
        for (uint32_t k = 0; k < c->model->surface_count; ++k) {
            double depth = c->interiors[k].triangles != NULL
                               ? sni_interior_depth(&c->interiors[k], point, &closest)
                               : 0;
            inside = inside || depth > 0;
            if (depth > result.depth) {
                result.depth = depth;
                result.vertex = i;
                result.component = k;
            }
        }
        result.inside += inside;
    }
    c->blocks[begin / SKIN_GRAIN] = result;
}

static sn_status check_skin(checker *c, uint32_t index, sn_error *error) {
    const sn_surface *surface = &c->model->surfaces[index];
    uint32_t count = surface->mesh->vertex_count;
    sn_skin_check *check = &c->check->skins[c->check->skin_count++];
    sn_status status = SN_OK;
    *check = (sn_skin_check){.surface = index, .vertex = SN_NONE, .component = SN_NONE};
    SNI_NEW(c->context, c->blocks, (size_t)count / SKIN_GRAIN + 1);
    c->skin = surface;
    sn_parallel_for(c->context, count, SKIN_GRAIN, measure_skin, c);
    for (uint32_t i = 0; (uint64_t)i * SKIN_GRAIN < count; ++i) {
        check->inside += c->blocks[i].inside;
        if (c->blocks[i].depth > check->depth) {
            check->depth = c->blocks[i].depth;
            check->vertex = c->blocks[i].vertex;
            check->component = c->blocks[i].component;
        }
    }
cleanup:
    sni_free(c->context, c->blocks);
    c->blocks = NULL;
    return status;
}

static sn_status check_skins(checker *c, const sn_progress *progress, sn_error *error) {
    uint32_t count = c->model->surface_count;
    sn_status status = SN_OK;
    SNI_NEW(c->context, c->check->skins, count);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = &c->model->surfaces[i];
        SN_TRY(sni_progress(progress, "checking the body", 0.5 + 0.5 * i / count, error));
        if (surface->layer == SN_LAYER_SKIN && surface->shown) {
            SN_TRY(check_skin(c, i, error));
        }
    }
cleanup:
    return status;
}

sn_status sn_body_check_create(const sn_model *model, double share, const sn_progress *progress,
                               sn_body_check **check, sn_error *error) {
    checker c = {.model = model, .context = model->context};
    sn_status status = SN_OK;
    *check = NULL;
    SNI_NEW_ZERO(c.context, c.check, 1);
    c.check->context = c.context;
    SN_TRY(make_interiors(&c, progress, error));
    SN_TRY(check_muscles(&c, error));
    SN_TRY(check_overlaps(&c, share, error));
    SN_TRY(check_skins(&c, progress, error));
    *check = c.check;
    c.check = NULL;
cleanup:
    for (uint32_t i = 0; c.interiors != NULL && i < model->surface_count; ++i) {
        sni_interior_deinit(&c.interiors[i]);
    }
    sni_free(c.context, c.interiors);
    sni_free(c.context, c.pairs);
    sn_body_check_destroy(c.check);
    return status;
}

void sn_body_check_destroy(sn_body_check *check) {
    if (check == NULL) {
        return;
    }
    sn_context *context = check->context;
    sni_free(context, check->muscles);
    sni_free(context, check->attachments);
    sni_free(context, check->overlaps);
    sni_free(context, check->skins);
    sni_free(context, check);
}
