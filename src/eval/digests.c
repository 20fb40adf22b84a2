// SPDX-License-Identifier: Apache-2.0
//
// Digests of what the parts of a body are made from. Structs are added field by field, since the
// bytes between fields may be anything.
#include "eval/rest.h"

void sni_digest_add_vector(sni_digest *digest, sn_vec3 vector) {
    double numbers[3] = {vector.x, vector.y, vector.z};
    sni_digest_add(digest, numbers, sizeof numbers);
}

void sni_digest_add_matrix(sni_digest *digest, const sn_mat4 *matrix) {
    sni_digest_add(digest, matrix->m, sizeof matrix->m);
}

void sni_digest_add_ref(sni_digest *digest, const sni_parameter_ref *ref) {
    uint32_t numbers[3] = {ref->segment, ref->control,
                           ref->segment != SN_NONE ? (uint32_t)ref->joint_parameter : 0};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_number(digest, ref->unit);
}

void sni_digest_add_points(sni_digest *digest, const sni_point_values_plan *plan) {
    double numbers[4] = {plan->points.first, plan->points.last, plan->weight,
                         plan->points.value != NULL};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_text(digest, plan->points.text);
    sni_digest_add_index(digest, plan->list != NULL);
    sni_digest_add(digest, plan->values, plan->count * sizeof *plan->values);
}

void sni_digest_add_surface(sni_digest *digest, const sni_rest *rest, uint32_t surface) {
    uint32_t count = rest->blueprint->surface_count;
    if (surface >= count) {
        sni_digest_add_digest(digest, &rest->muscle_digests[surface - count]);
        return;
    }
    const sn_surface *s = &rest->surfaces[surface];
    uint32_t numbers[2] = {s->segment, s->in_segment_frame};
    sni_digest_add_digest(digest, &rest->details[surface].digest);
    sni_digest_add(digest, numbers, sizeof numbers);
}

// --- Muscles

// A place on a bone depends on the bone; one in a segment's frame has the normal of the closest of
// the segment's bones.
static void add_attachment(sni_digest *digest, const sni_rest *rest,
                           const sni_attachment_plan *plan) {
    uint32_t bones = rest->blueprint->names[SNI_SECTION_BONES].count;
    uint32_t numbers[3] = {(uint32_t)plan->frame, plan->segment, plan->in_sizes};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_vector(digest, plan->at);
    for (uint32_t i = 0; i < bones; ++i) {
        bool counts =
            plan->bone != SN_NONE ? i == plan->bone : rest->surfaces[i].segment == plan->segment;
        if (counts) {
            sni_digest_add_surface(digest, rest, i);
        }
    }
}

static void add_pivot(sni_digest *digest, const sni_rest *rest, const sni_pivot_plan *pivot) {
    double unit = pivot->in_sizes ? rest->segment_sizes[pivot->segment] : 1;
    sni_muscle_pivot_place at_rest = sni_pivot_find(pivot, unit, &rest->pose);
    uint32_t numbers[6] = {pivot->slice,  pivot->segment, (uint32_t)pivot->use,
                           pivot->turned, pivot->half_of, at_rest.off};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add_vector(digest, at_rest.at);
    double turn[4] = {pivot->turn.x, pivot->turn.y, pivot->turn.z, pivot->turn.w};
    sni_digest_add(digest, turn, sizeof turn);
}

static void add_wrap(sni_digest *digest, const sni_wrap_plan *plan) {
    const sni_muscle_wrap *wrap = &plan->wrap;
    uint32_t numbers[6] = {plan->in_sizes, wrap->first,           wrap->last,
                           wrap->segment,  (uint32_t)wrap->shape, (uint32_t)wrap->side};
    double turn[5] = {wrap->turn.x, wrap->turn.y, wrap->turn.z, wrap->turn.w, wrap->length};
    sni_digest_add(digest, numbers, sizeof numbers);
    sni_digest_add(digest, turn, sizeof turn);
    sni_digest_add_vector(digest, wrap->center);
    sni_digest_add_vector(digest, wrap->radii);
}

static void add_shape(sni_digest *digest, const sni_muscle_slice_shape *shape) {
    sni_digest_add_index(digest, shape->slice);
    sni_digest_add(digest, shape->scale, sizeof shape->scale);
    sni_digest_add_vector(digest, shape->move);
    sni_digest_add_vector(digest, shape->turn);
}

static void add_section(sni_digest *digest, const sni_muscle_section *section) {
    sni_digest_add_vector(digest, section->center);
    sni_digest_add_vector(digest, section->wide);
    sni_digest_add_vector(digest, section->thick);
}

static void add_body(sni_digest *digest, const sni_rest *rest, const sni_muscle_body_plan *body) {
    uint32_t counts[5] = {body->attachment_count, body->section_count, body->shape_count,
                          body->pivot_count, body->wrap_count};
    sni_digest_add(digest, counts, sizeof counts);
    for (uint32_t i = 0; i < body->attachment_count; ++i) {
        add_attachment(digest, rest, &body->origins[i]);
        add_attachment(digest, rest, &body->insertions[i]);
    }
    for (uint32_t i = 0; i < body->section_count; ++i) {
        add_section(digest, &body->sections[i]);
    }
    for (uint32_t i = 0; i < body->shape_count; ++i) {
        add_shape(digest, &body->shapes[i]);
    }
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        add_pivot(digest, rest, &body->pivots[i]);
    }
    for (uint32_t i = 0; i < body->wrap_count; ++i) {
        add_wrap(digest, &body->wraps[i]);
    }
}

static void add_factors(sni_digest *digest, const sni_muscle_values *values) {
    sni_digest_add_index(digest, values->count);
    for (uint32_t i = 0; i < values->count; ++i) {
        const sni_muscle_value *value = &values->values[i];
        sni_digest_add_vector(digest, sn_vec3_make(value->u, value->v, value->factor));
    }
}

// The segments of the skin's weights: those that a deformer knows, else those of the bones' names.
static void add_bone_segments(sni_digest *digest, const sni_rest *rest, uint32_t skin) {
    const sn_mesh *mesh = rest->surfaces[skin].mesh;
    const uint32_t *segments = rest->details[skin].bone_segments;
    const sn_weights *weights = mesh != NULL ? mesh->weights : NULL;
    for (uint32_t i = 0; weights != NULL && i < weights->bone_count; ++i) {
        const sni_name_index *names = &rest->blueprint->names[SNI_SECTION_SKELETON];
        sni_digest_add_index(digest, segments != NULL
                                         ? segments[i]
                                         : sni_name_index_find(names, weights->bone_names[i]));
    }
}

// The skin, the curves on it, and what the muscle lies on.
static void add_drawn(sni_digest *digest, const sni_rest *rest, const sni_muscle_plan *plan) {
    uint32_t numbers[5] = {plan->segment, plan->on_skeleton, plan->inner != SN_NONE,
                           plan->curve_count, plan->has_center};
    sni_digest_add_surface(digest, rest, plan->skin);
    sni_digest_add(digest, numbers, sizeof numbers);
    add_bone_segments(digest, rest, plan->skin);
    sni_digest_add_vector(digest, plan->center);
    for (uint32_t i = 0; i < plan->curve_count; ++i) {
        sni_digest_add_index(digest, plan->curves[i].count);
        for (uint32_t k = 0; k < plan->curves[i].count; ++k) {
            sni_digest_add_vector(digest, plan->curves[i].points[k]);
        }
    }
    add_factors(digest, &plan->bulge);
    add_factors(digest, &plan->thickness);
    add_factors(digest, &plan->shortening);
    if (plan->inner != SN_NONE) {
        sni_digest_add_surface(digest, rest, plan->inner);
    }
}

sn_status sni_rest_muscle_digest(sni_rest *rest, const sni_muscle_plan *plan, sni_digest *digest,
                                 sn_error *error) {
    sni_collecting collecting = {.rest = rest, .surface = SN_NONE};
    *digest = sni_digest_new();
    sni_digest_add_text(digest, plan->ops->name);
    sni_digest_add_digest(digest, &rest->digest);
    sni_digest_add(digest, plan->parameters,
                   plan->ops->parameters.count * sizeof *plan->parameters);
    sni_digest_add(digest, plan->driven,
                   plan->driven != NULL ? plan->ops->parameters.count * sizeof *plan->driven : 0);
    if (plan->skin != SN_NONE) {
        add_drawn(digest, rest, plan);
    }
    if (plan->body != NULL) {
        add_body(digest, rest, plan->body);
    }
    // The mesh under the strips is added by the one who knows it (rest.c).
    sni_digest_add_index(digest, plan->strip_count);
    for (uint32_t i = 0; i < plan->strip_count; ++i) {
        const double *parameters = plan->strips[i].parameters;
        sni_digest_add(digest, parameters,
                       sni_muscle_cylinder.parameters.count * sizeof *parameters);
        add_body(digest, rest, &plan->strips[i].body);
    }
    return sni_inputs_digest(&collecting, plan->ops->inputs, plan->inputs, digest, error);
}
