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

sn_status sni_rest_muscle_digest(sni_rest *rest, const sni_muscle_plan *plan, sni_digest *digest,
                                 sn_error *error) {
    sni_collecting collecting = {.rest = rest, .surface = SN_NONE, .name = plan->name};
    *digest = sni_digest_new();
    sni_digest_add_text(digest, plan->ops->name);
    sni_digest_add_digest(digest, &rest->digest);
    sni_digest_add(digest, plan->parameters,
                   plan->ops->parameters.count * sizeof *plan->parameters);
    sni_digest_add(digest, plan->driven,
                   plan->driven != NULL ? plan->ops->parameters.count * sizeof *plan->driven : 0);
    return sni_inputs_digest(&collecting, plan->ops->inputs, plan->inputs, digest, error);
}
