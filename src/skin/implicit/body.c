// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/body.h"

#include "base/order.h"
#include "field/samples.h"

#include <stdlib.h>

enum { LEAST_TRIANGLES = 20 };

static sn_vec3 point_of(const sni_implicit_body_desc *desc, uint32_t vertex) {
    return sn_vec3_load(desc->positions + 3 * (size_t)vertex);
}

// Triangles of a part: those with all corners in it, or, where that leaves few, with one.
static uint32_t list_triangles(const sni_implicit_body_desc *desc, uint32_t part,
                               uint32_t *triangles) {
    for (uint32_t needed = 3; needed > 0; needed -= 2) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < desc->triangle_count; ++i) {
            const uint32_t *v = desc->triangles + 3 * (size_t)i;
            uint32_t inside = 0;
            for (int k = 0; k < 3; ++k) {
                inside += desc->parts->vertex_parts[v[k]] == part;
                triangles[3 * (size_t)count + k] = v[k];
            }
            count += inside >= needed;
        }
        if (count >= LEAST_TRIANGLES || needed == 1) {
            return count;
        }
    }
    return 0;
}

// How thick the body is around a joint: the mean of the nearest fiftieth, at least four, of the
// vertices of two parts (the second may be the same).
static double radius_at(const sni_implicit_body_desc *desc, sn_vec3 joint, uint32_t part,
                        uint32_t other, double *scratch) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        uint32_t owner = desc->parts->vertex_parts[v];
        if (owner == part || owner == other) {
            scratch[count++] = sn_vec3_distance(joint, point_of(desc, v));
        }
    }
    qsort(scratch, count, sizeof *scratch, sni_compare_doubles);
    uint32_t nearest = count / 50 > 4 ? count / 50 : count < 4 ? count : 4;
    double sum = 0;
    for (uint32_t i = 0; i < nearest; ++i) {
        sum += scratch[i];
    }
    return nearest > 0 ? sum / nearest : 0;
}

static sn_vec3 bone_direction(const sni_skin_part *part) {
    return sn_vec3_normalize_or(sn_vec3_sub(part->to, part->from), sn_vec3_make(0, 1, 0));
}

// A cap is left out where it would stand in a sample's way.
static void add_cap(sni_hrbf_sample *samples, uint32_t *count, sn_vec3 point, sn_vec3 normal,
                    double radius) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (sn_vec3_distance(samples[i].point, point) < 0.1 * radius) {
            return;
        }
    }
    samples[(*count)++] = (sni_hrbf_sample){point, normal};
}

// Closes a part at its joints: beyond its own ends, and where other parts leave it sideways.
static void add_caps(const sni_implicit_body_desc *desc, uint32_t index, double *scratch,
                     sni_hrbf_sample *samples, uint32_t *count) {
    const sni_skin_part *part = &desc->parts->parts[index];
    sn_vec3 way = bone_direction(part);
    if (part->parent != SN_NONE) {
        double radius = radius_at(desc, part->from, index, index, scratch);
        add_cap(samples, count, sn_vec3_add_scaled(part->from, -radius, way),
                sn_vec3_scale(way, -1), radius);
    }
    if (part->has_child) {
        double radius = radius_at(desc, part->to, index, index, scratch);
        add_cap(samples, count, sn_vec3_add_scaled(part->to, radius, way), way, radius);
        return;
    }
    for (uint32_t k = index + 1; k < desc->parts->count; ++k) {
        const sni_skin_part *child = &desc->parts->parts[k];
        if (child->parent != index || !child->caps_parent) {
            continue;
        }
        sn_vec3 out = bone_direction(child);
        double radius = radius_at(desc, child->from, index, k, scratch);
        add_cap(samples, count, sn_vec3_add_scaled(child->from, radius, out), out, radius);
    }
}

static uint32_t count_children(const sni_skin_parts *parts, uint32_t index) {
    uint32_t count = 0;
    for (uint32_t k = index + 1; k < parts->count; ++k) {
        count += parts->parts[k].parent == index;
    }
    return count;
}

// The support of a part: it is as wide as its skin is far from its bone.
static void measure_part(const sni_implicit_body_desc *desc, uint32_t index, sni_field_part *field,
                         double *mean_radius) {
    const sni_skin_part *part = &desc->parts->parts[index];
    double farthest = 0, sum = 0;
    sn_vec3 low = part->from, high = part->from;
    uint32_t count = 0;
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        if (desc->parts->vertex_parts[v] == index) {
            double distance = sni_skin_part_distance(part, point_of(desc, v));
            farthest = fmax(farthest, distance);
            sum += distance;
            ++count;
            low = sn_vec3_min(low, point_of(desc, v));
            high = sn_vec3_max(high, point_of(desc, v));
        }
    }
    field->radius = farthest;
    field->low = low;
    field->high = high;
    *mean_radius = count > 0 ? sum / count : 0;
}

static bool has_muscles(const sni_implicit_body_desc *desc, uint32_t part) {
    return desc->muscles != NULL && desc->muscles->starts[part + 1] > desc->muscles->starts[part];
}

// Widens the support of a part for its muscles, and its box, that of its skin so far, to all of it.
static void widen_part(const sni_implicit_body_desc *desc, uint32_t index, sni_field_part *field) {
    if (has_muscles(desc, index)) {
        sni_muscle_radii radii =
            sni_implicit_muscles_radii(desc->muscles, index, &field->hrbf, field->radius);
        field->radius = radii.part;
        desc->muscles->radii[index] = radii.muscles;
    }
    // Beyond caps too: a field grows a little slower than a distance.
    double border = 1.5 * field->radius;
    field->low = sn_vec3_sub(field->low, sn_vec3_make(border, border, border));
    field->high = sn_vec3_add(field->high, sn_vec3_make(border, border, border));
}

// A part whose samples no field passes through has none: its skin follows its bones, and meets
// nothing.
static sn_status fit_samples(sn_context *context, const sni_hrbf_sample *samples, uint32_t count,
                             sni_field_part *field, sn_error *error) {
    sn_error reason = {0};
    sn_status status =
        sni_hrbf_fit(context, samples, count, SNI_HRBF_AFFINE, &field->hrbf, &reason);
    if (status == SN_INVALID) {
        field->hrbf = (sni_hrbf){0};
        return SN_OK;
    }
    if (status != SN_OK && error != NULL) {
        *error = reason;
    }
    return status;
}

static sn_status fit_part(sn_context *context, const sni_implicit_body_desc *desc, uint32_t index,
                          uint32_t *triangles, double *scratch, sni_hrbf_sample *samples,
                          sni_implicit_body *body, sn_error *error) {
    sn_status status = SN_OK;
    sni_field_part *field = &body->parts[index];
    uint32_t count = list_triangles(desc, index, triangles);
    sni_sampled_surface surface = {count, triangles, desc->positions, desc->normals};
    count = sni_sample_surface(&surface, desc->sample_count, index, scratch, samples);
    if (has_muscles(desc, index)) {
        sni_implicit_muscles_shrink(desc->muscles, &desc->parts->parts[index], index, count,
                                    samples);
    }
    body->sample_counts[index] = count;
    add_caps(desc, index, scratch, samples, &count);
    measure_part(desc, index, field, &body->mean_radii[index]);
    SN_TRY(fit_samples(context, samples, count, field, error));
    widen_part(desc, index, field);
    if (desc->grid > 0 && field->hrbf.center_count > 0) {
        SN_TRY(sni_field_grid_bake(context, &field->hrbf, field->low, field->high,
                                   desc->grid * field->radius, field->radius, &field->grid, error));
    }
cleanup:
    return status;
}

// Which controller a joint blends with, and whether its sides touch in the fold.
static void join_parts(const sni_implicit_body_desc *desc, sni_implicit_body *body) {
    const sni_skin_parts *parts = desc->parts;
    uint32_t count = 0;
    for (uint32_t i = 0; i < parts->count; ++i) {
        const sni_skin_part *part = &parts->parts[i];
        if (part->parent == SN_NONE || part->group == SN_NONE ||
            part->group != parts->parts[part->parent].group) {
            continue;
        }
        bool folds = part->joint == SNI_PART_HINGE || part->joint == SNI_PART_FINGER;
        const sni_controller *controller = part->joint == SNI_PART_HINGE    ? &sni_controller_elbow
                                           : part->joint == SNI_PART_FINGER ? &sni_controller_finger
                                                                            : &sni_controller_camel;
        body->joints[count++] =
            (sni_field_joint){{part->parent, i}, controller, SNI_OPENING_STANDARD};
        if (folds) {
            body->contacts[(size_t)i * parts->count + part->parent] = SNI_CONTACT_HINGE;
            body->contacts[(size_t)part->parent * parts->count + i] = SNI_CONTACT_HINGE;
        }
    }
    body->tree = (sni_field_tree){.part_count = parts->count,
                                  .parts = body->parts,
                                  .joint_count = count,
                                  .joints = body->joints,
                                  .contacts = body->contacts,
                                  .group_count = parts->group_count,
                                  .group_starts = body->group_starts,
                                  .group_parts = body->group_parts};
}

static bool are_neighbors(const sni_skin_parts *parts, uint32_t a, uint32_t b) {
    return parts->parts[a].parent == b || parts->parts[b].parent == a;
}

// Parts that are no neighbours touch wherever they meet, but for those whose fields overlap at
// rest: there the skin between them would be torn.
static void find_contacts(const sni_implicit_body_desc *desc, sni_implicit_body *body) {
    const sni_skin_parts *parts = desc->parts;
    uint32_t count = parts->count;
    for (uint32_t a = 0; a < count; ++a) {
        for (uint32_t b = 0; b < count; ++b) {
            bool same_limb =
                parts->parts[a].group != SN_NONE && parts->parts[a].group == parts->parts[b].group;
            if (a != b && same_limb && !are_neighbors(parts, a, b)) {
                body->contacts[(size_t)a * count + b] = SNI_CONTACT_ALWAYS;
            }
        }
    }
    const sni_part_pose still = {sn_quat_identity(), {0, 0, 0}};
    for (uint32_t v = 0; v < desc->vertex_count; ++v) {
        uint32_t own = parts->vertex_parts[v];
        for (uint32_t b = 0; b < count && own != SN_NONE; ++b) {
            if (b != own && body->contacts[(size_t)own * count + b] == SNI_CONTACT_ALWAYS &&
                sni_field_part_at(&body->parts[b], &still, point_of(desc, v)).value > 0.4) {
                body->contacts[(size_t)own * count + b] = SNI_CONTACT_NEVER;
                body->contacts[(size_t)b * count + own] = SNI_CONTACT_NEVER;
            }
        }
    }
}

// Lists the parts of each group.
static void list_groups(const sni_skin_parts *parts, sni_implicit_body *body) {
    uint32_t count = 0;
    for (uint32_t group = 0; group < parts->group_count; ++group) {
        body->group_starts[group] = count;
        for (uint32_t i = 0; i < parts->count; ++i) {
            if (parts->parts[i].group == group) {
                body->group_parts[count++] = i;
            }
        }
    }
    body->group_starts[parts->group_count] = count;
}

sn_status sni_implicit_body_create(sn_context *context, const sni_implicit_body_desc *desc,
                                   sni_implicit_body *body, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = desc->parts->count, most_children = 0;
    uint32_t *triangles = NULL;
    double *scratch = NULL;
    sni_hrbf_sample *samples = NULL;
    *body = (sni_implicit_body){0};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t children = count_children(desc->parts, i);
        most_children = children > most_children ? children : most_children;
    }
    uint32_t scratch_count =
        desc->vertex_count > desc->triangle_count ? desc->vertex_count : desc->triangle_count;
    SNI_NEW(context, triangles, 3 * (size_t)desc->triangle_count + 3);
    SNI_NEW(context, scratch, scratch_count);
    SNI_NEW(context, samples, 2 * (size_t)desc->sample_count + 2 + most_children);
    SNI_NEW_ZERO(context, body->parts, count);
    SNI_NEW_ZERO(context, body->joints, count);
    SNI_NEW_ZERO(context, body->contacts, (size_t)count * count);
    SNI_NEW_ZERO(context, body->mean_radii, count);
    SNI_NEW_ZERO(context, body->joint_radii, count);
    SNI_NEW_ZERO(context, body->sample_counts, count);
    SNI_NEW_ZERO(context, body->group_starts, (size_t)desc->parts->group_count + 1);
    SNI_NEW_ZERO(context, body->group_parts, count);
    body->tree.part_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        const sni_skin_part *part = &desc->parts->parts[i];
        if (desc->with_muscles_only && !has_muscles(desc, i)) {
            continue;
        }
        SN_TRY(fit_part(context, desc, i, triangles, scratch, samples, body, error));
        body->joint_radii[i] = radius_at(desc, part->from, i, part->parent, scratch);
        body->smallest_radius = body->smallest_radius == 0
                                    ? body->parts[i].radius
                                    : fmin(body->smallest_radius, body->parts[i].radius);
    }
    list_groups(desc->parts, body);
    join_parts(desc, body);
    find_contacts(desc, body);
cleanup:
    sni_free(context, triangles);
    sni_free(context, scratch);
    sni_free(context, samples);
    if (status != SN_OK) {
        sni_implicit_body_free(context, body);
    }
    return status;
}

size_t sni_implicit_body_bytes(const sni_implicit_body *body) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < body->tree.part_count && body->parts != NULL; ++i) {
        const sni_field_grid *grid = &body->parts[i].grid;
        bytes += body->parts[i].hrbf.center_count * sizeof *body->parts[i].hrbf.centers;
        bytes += (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2] * 4 * sizeof(float);
    }
    return bytes;
}

void sni_implicit_body_free(sn_context *context, sni_implicit_body *body) {
    for (uint32_t i = 0; i < body->tree.part_count && body->parts != NULL; ++i) {
        sni_hrbf_free(context, &body->parts[i].hrbf);
        sni_field_grid_free(context, &body->parts[i].grid);
    }
    sni_free(context, body->parts);
    sni_free(context, body->joints);
    sni_free(context, body->contacts);
    sni_free(context, body->mean_radii);
    sni_free(context, body->joint_radii);
    sni_free(context, body->sample_counts);
    sni_free(context, body->group_starts);
    sni_free(context, body->group_parts);
    *body = (sni_implicit_body){0};
}
