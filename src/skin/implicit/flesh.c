// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/flesh_lanes.h"

#include "base/context.h"

void sni_flesh_free(sn_context *context, sni_flesh *flesh) {
    sni_implicit_muscles_free(context, &flesh->muscles);
    sni_implicit_body_free(context, &flesh->body);
    sni_free(context, flesh->part_segments);
    sni_free(context, flesh->to_rest);
    sni_free(context, flesh->offsets);
    sni_free(context, flesh->rows);
    sni_free(context, flesh->rest);
    sni_free(context, flesh->origins);
    sni_free(context, flesh->lanes);
    sni_free(context, flesh->nears);
    sni_blend_table_free(context, &flesh->unite);
    sni_blend_table_free(context, &flesh->detail);
    sni_free(context, flesh->boxes);
    sni_free(context, flesh->numbers);
    *flesh = (sni_flesh){0};
}

size_t sni_flesh_bytes(const sni_flesh *flesh) {
    size_t bytes = flesh->vertex_count * (sizeof *flesh->offsets + sizeof *flesh->rest);
    bytes +=
        flesh->vertex_count > 0 ? flesh->offsets[flesh->vertex_count] * sizeof *flesh->rows : 0;
    bytes += flesh->lanes_count * sizeof *flesh->lanes + flesh->near_count * sizeof *flesh->nears;
    return bytes + sni_implicit_body_bytes(&flesh->body);
}

// ---------------------------------------------------------------------------------------------
// Fields of limbs at rest

// A fibre at rest.
typedef struct seen_fibre {
    sni_muscle_solid solid;
    uint32_t body;
    double wider; // by this part of what it is thick below a point
} seen_fibre;

static sni_distance_value rest_at(const void *user, sn_vec3 at) {
    const seen_fibre *f = user;
    sni_distance_value value;
    value.distance = f->solid.distance(f->solid.bound, NULL, f->body, at, &value.gradient);
    return value;
}

static sni_distance_value seen_at(const void *user, sn_vec3 at) {
    const seen_fibre *f = user;
    sni_distance_value value = rest_at(f, at);
    if (f->wider != 0) {
        sni_field_muscle muscle = {.distance = rest_at, .user = f};
        value.distance -= f->wider * sni_muscle_depth_below(&muscle, f->solid.thickness, at);
    }
    return value;
}

// The fibres of all parts.
typedef struct seen_muscles {
    seen_fibre *fibres;
    sni_field_muscle *fields;
    sni_field_muscles all;
} seen_muscles;

static bool take_seen(const sni_flesh *flesh, sni_arena *arena, seen_muscles *seen) {
    const sni_implicit_muscles *m = &flesh->muscles;
    uint32_t count = m->starts[flesh->part_count];
    seen->fibres = sni_arena_alloc(arena, count, sizeof *seen->fibres);
    seen->fields = sni_arena_alloc(arena, count, sizeof *seen->fields);
    uint8_t *shared = sni_arena_alloc(arena, count, sizeof *shared);
    sni_field_box *reaches = sni_arena_alloc(arena, flesh->part_count, sizeof *reaches);
    if (seen->fibres == NULL || seen->fields == NULL || shared == NULL || reaches == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        shared[k] = 0;
        seen->fields[k] = (sni_field_muscle){.distance = seen_at, .user = &seen->fibres[k]};
    }
    seen->all =
        (sni_field_muscles){m->starts, flesh->numbers, m->radii, seen->fields, shared, reaches};
    return true;
}

static void see_at_rest(const sni_flesh *flesh, const sni_muscle_solid *solids,
                        seen_muscles *seen) {
    const sni_implicit_muscles *m = &flesh->muscles;
    for (uint32_t k = 0; k < m->starts[flesh->part_count]; ++k) {
        const sni_implicit_fibre *fibre = &m->fibres[m->lists[k]];
        seen->fibres[k] = (seen_fibre){.solid = solids[fibre->muscle], .body = fibre->body};
        seen->fields[k].low = flesh->boxes[m->lists[k]].low;
        seen->fields[k].high = flesh->boxes[m->lists[k]].high;
    }
    sni_field_muscles_reach(&seen->all, flesh->part_count);
}

// ---------------------------------------------------------------------------------------------
// Making

static uint32_t part_of(const sni_skin_parts *parts, uint32_t segment) {
    return parts->segment_parts[segment];
}

static bool has_limb(const sni_flesh *flesh, uint32_t part) {
    return part != SN_NONE && flesh->body.parts[part].hrbf.center_count > 0;
}

// Rows of a vertex: the parts with muscles that it has weights on. Returns how many; `rows` may be
// NULL.
static uint32_t list_rows(const sni_flesh_desc *desc, const sni_flesh *flesh, uint32_t vertex,
                          sni_flesh_row *rows) {
    static const double least = 0.01;
    const sni_skin_parts *parts = desc->body.parts;
    uint32_t count = 0, first = desc->offsets[vertex], last = desc->offsets[vertex + 1];
    double total = 0;
    for (uint32_t k = first; k < last; ++k) {
        total += desc->weights[k];
    }
    for (uint32_t k = first; k < last; ++k) {
        uint32_t part = part_of(parts, desc->segments[k]);
        bool is_first = true;
        double sum = 0;
        for (uint32_t other = first; other < last; ++other) {
            bool same = part_of(parts, desc->segments[other]) == part;
            sum += same ? desc->weights[other] : 0;
            is_first = is_first && !(same && other < k);
        }
        if (!is_first || !has_limb(flesh, part) || !(sum > least * total)) {
            continue;
        }
        if (rows != NULL) {
            rows[count] = (sni_flesh_row){.part = part, .weight = (float)(sum / total)};
        }
        ++count;
    }
    return count;
}

static sn_status make_rows(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           const sni_tree_pose *rest, sn_error *error) {
    // Beyond these values skin is too far from its limb to be moved in its field.
    static const double farthest = 0.45;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, flesh->offsets, (size_t)flesh->vertex_count + 1);
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        flesh->offsets[v + 1] = flesh->offsets[v] + list_rows(desc, flesh, v, NULL);
    }
    SNI_NEW(context, flesh->rows, flesh->offsets[flesh->vertex_count]);
    SNI_NEW(context, flesh->rest, flesh->vertex_count);
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        sni_flesh_row *rows = flesh->rows + flesh->offsets[v];
        uint32_t count = list_rows(desc, flesh, v, rows);
        sn_vec3 at = sn_vec3_load(desc->body.positions + 3 * (size_t)v);
        flesh->rest[v] = at;
        for (uint32_t k = 0; k < count; ++k) {
            sni_field_value here = sni_field_limb_at(&flesh->body.tree, rest, rows[k].part, at);
            rows[k].value = here.value;
            rows[k].depth = sni_support_inverse(here.value);
            rows[k].limb = sni_field_part_at_rest(&flesh->body.parts[rows[k].part], at);
            rows[k].weight = fabs(here.value - 0.5) <= farthest ? rows[k].weight : 0;
            rows[k].inwards = sn_vec3_normalize_or(here.gradient, sn_vec3_make(0, 0, 0));
        }
    }
cleanup:
    return status;
}

// Whether a muscle is felt at a vertex of its own part, and how far the vertex then is from the
// surface of the part with its muscles.
static bool miss_at(const sni_flesh *flesh, const sni_tree_pose *rest, const sni_flesh_row *row,
                    sn_vec3 at, double *miss) {
    sni_field_value with = sni_field_limb_at(&flesh->body.tree, rest, row->part, at);
    sni_field_value without =
        sni_field_part_at(&flesh->body.parts[row->part], &rest->parts[row->part], at);
    double steep = sn_vec3_length(with.gradient);
    if (with.value == without.value || !(steep > 0)) {
        return false;
    }
    *miss = fabs(with.value - 0.5) / steep;
    return true;
}

// The mean and largest distance of the skin above muscles from the surface of its limbs, over at
// most so many vertices.
static uint32_t measure_fit(const sni_flesh_desc *desc, const sni_flesh *flesh,
                            const sni_tree_pose *rest, uint32_t most, double *mean, double *worst) {
    uint32_t count = 0, stride = flesh->vertex_count / most + 1;
    double sum = 0;
    *worst = 0;
    for (uint32_t v = 0; v < flesh->vertex_count; v += stride) {
        double miss;
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            if (flesh->rows[k].weight > 0.5F &&
                miss_at(flesh, rest, &flesh->rows[k],
                        sn_vec3_load(desc->body.positions + 3 * (size_t)v), &miss)) {
                sum += miss;
                *worst = fmax(*worst, miss);
                ++count;
            }
        }
    }
    *mean = count > 0 ? sum / count : 0;
    return count;
}

// Looks for the factor on the widths of all muscles with which the surface is nearest to the skin.
static void search_width(const sni_flesh_desc *desc, sni_flesh *flesh, const sni_tree_pose *rest,
                         seen_muscles *seen) {
    enum { FACTORS = 19, VERTICES = 1000 };
    uint32_t count = flesh->muscles.starts[flesh->part_count];
    sni_flesh_fit *fit = &flesh->fit;
    fit->vertex_count = measure_fit(desc, flesh, rest, UINT32_MAX, &fit->mean, &fit->worst);
    fit->width = 1;
    fit->best = INFINITY;
    for (int i = 0; i < FACTORS && fit->vertex_count > 0; ++i) {
        double factor = 0.6 + 0.05 * i, mean, worst;
        for (uint32_t k = 0; k < count; ++k) {
            seen->fibres[k].wider = factor - 1;
        }
        measure_fit(desc, flesh, rest, VERTICES, &mean, &worst);
        if (mean < fit->best) {
            fit->best = mean;
            fit->width = factor;
        }
    }
}

static sn_status keep_rest(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           sn_error *error) {
    sn_status status = SN_OK;
    const sni_implicit_muscles *m = &flesh->muscles;
    SNI_NEW(context, flesh->part_segments, flesh->part_count);
    SNI_NEW(context, flesh->to_rest, flesh->part_count);
    SNI_NEW(context, flesh->boxes, m->fibre_count);
    SNI_NEW(context, flesh->numbers, m->starts[flesh->part_count]);
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        uint32_t segment = desc->body.parts->parts[i].segment;
        flesh->part_segments[i] = segment;
        if (!sn_mat4_invert(&desc->rest_worlds[segment], &flesh->to_rest[i])) {
            flesh->to_rest[i] = (sn_mat4){{0}}; // of no size: nothing is moved in it
        }
    }
    for (uint32_t i = 0; i < m->fibre_count; ++i) {
        flesh->boxes[i] = (sni_field_box){m->rest[i].low, m->rest[i].high};
    }
    for (uint32_t k = 0; k < m->starts[flesh->part_count]; ++k) {
        flesh->numbers[k] = k;
    }
cleanup:
    return status;
}

static sn_status make_fields(sn_context *context, const sni_flesh_desc *desc, sni_arena *arena,
                             sni_flesh *flesh, sn_error *error) {
    sn_status status = SN_OK;
    sni_muscle_solid *solids = sni_arena_alloc(arena, desc->muscle_count, sizeof *solids);
    sni_part_pose *still = sni_arena_alloc(arena, flesh->part_count, sizeof *still);
    seen_muscles seen;
    SN_TRY(solids != NULL && still != NULL && take_seen(flesh, arena, &seen)
               ? SN_OK
               : sni_fail_memory(error));
    for (uint32_t i = 0; i < desc->muscle_count; ++i) {
        solids[i] = desc->muscles[i].solid;
    }
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        still[i] = (sni_part_pose){sn_quat_identity(), {0, 0, 0}};
    }
    see_at_rest(flesh, solids, &seen);
    sni_tree_pose rest = {still, &seen.all};
    SN_TRY(make_rows(context, desc, flesh, &rest, error));
    SN_TRY(sni_flesh_make_lanes(context, desc, arena, flesh, error));
    search_width(desc, flesh, &rest, &seen);
cleanup:
    return status;
}

sn_status sni_flesh_create(sn_context *context, const sni_flesh_desc *desc, sni_flesh *flesh,
                           sn_error *error) {
    sn_status status = SN_OK;
    sni_arena arena;
    sni_arena_init(&arena, context);
    *flesh =
        (sni_flesh){.part_count = desc->body.parts->count, .vertex_count = desc->body.vertex_count};
    sni_implicit_muscles_desc muscles = {desc->muscle_count, desc->muscles, desc->body.parts,
                                         desc->body.positions};
    SN_TRY(sni_implicit_muscles_create(context, &muscles, &flesh->muscles, error));
    sni_implicit_body_desc body = desc->body;
    body.muscles = &flesh->muscles;
    body.with_muscles_only = true;
    SN_TRY(sni_implicit_body_create(context, &body, &flesh->body, error));
    SN_TRY(keep_rest(context, desc, flesh, error));
    SN_TRY(make_fields(context, desc, &arena, flesh, error));
cleanup:
    sni_arena_deinit(&arena);
    return status;
}
