// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/muscles.h"

#include "base/hermite.h"

#include <string.h>

enum {
    GRID = 14,   // places that are tried along each side of a fibre's box
    PROBES = 64, // of a fibre, at most
};

// A part with less of a fibre than this is not shaped by it.
static const double least_share = 0.05;

void sni_implicit_muscles_free(sn_context *context, sni_implicit_muscles *muscles) {
    sni_free(context, muscles->starts);
    sni_free(context, muscles->lists);
    sni_free(context, muscles->radii);
    sni_free(context, muscles->shared);
    sni_free(context, muscles->carriers);
    sni_free(context, muscles->offsets);
    sni_free(context, muscles->rest);
    sni_free(context, muscles->fibres);
    sni_free(context, muscles->probes);
    *muscles = (sni_implicit_muscles){0};
}

static sni_distance_value solid_at(const sni_muscle_solid *solid, uint32_t body,
                                   const double *points, sn_vec3 at) {
    sni_distance_value value;
    value.distance = solid->distance(solid->bound, points, body, at, &value.gradient);
    return value;
}

static sni_distance_value rest_at(const void *user, sn_vec3 at) {
    const sni_implicit_fibre *fibre = user;
    return solid_at(&fibre->solid, fibre->body, NULL, at);
}

// ---------------------------------------------------------------------------------------------
// Which parts muscles belong to

static uint32_t nearest_part(const sni_implicit_muscles_desc *desc, sn_vec3 at) {
    double best = INFINITY;
    uint32_t part = SN_NONE;
    for (uint32_t v = 0; v < desc->parts->vertex_count; ++v) {
        if (desc->parts->vertex_parts[v] == SN_NONE) {
            continue;
        }
        sn_vec3 way = sn_vec3_sub(sn_vec3_load(desc->positions + 3 * (size_t)v), at);
        double squared = sn_vec3_dot(way, way);
        if (squared < best) {
            best = squared;
            part = desc->parts->vertex_parts[v];
        }
    }
    return part;
}

// The place of a muscle nearest to a place of the grid in its box: itself inside, else on the
// surface. False where the muscle is further away than a cell is large.
static bool probe_at(const sni_field_muscle *muscle, uint32_t cell, sn_vec3 *point) {
    double place[3] = {cell % GRID, cell / GRID % GRID, cell / (GRID * GRID) % GRID};
    sn_vec3 size = sn_vec3_scale(sn_vec3_sub(muscle->high, muscle->low), 1.0 / GRID);
    sn_vec3 at = {muscle->low.x + (place[0] + 0.5) * size.x,
                  muscle->low.y + (place[1] + 0.5) * size.y,
                  muscle->low.z + (place[2] + 0.5) * size.z};
    sni_distance_value here = muscle->distance(muscle->user, at);
    double steep = sn_vec3_dot(here.gradient, here.gradient);
    if (!(here.distance < sn_vec3_length(size) / 2) || !(steep > 0)) {
        return false;
    }
    *point = here.distance > 0 ? sn_vec3_add_scaled(at, -here.distance / steep, here.gradient) : at;
    return true;
}

// Spreads probes over a fibre: every so many places of the grid.
static void probe_fibre(const sni_implicit_muscles_desc *desc, uint32_t number,
                        sni_implicit_muscles *muscles) {
    const sni_field_muscle *fibre = &muscles->rest[number];
    uint32_t cells = GRID * GRID * GRID, found = 0, used = 0;
    sn_vec3 point;
    for (uint32_t cell = 0; cell < cells; ++cell) {
        found += probe_at(fibre, cell, &point);
    }
    uint32_t stride = (found + PROBES - 1) / PROBES, met = 0;
    for (uint32_t cell = 0; cell < cells && used < PROBES; ++cell) {
        if (!probe_at(fibre, cell, &point) || met++ % stride != 0) {
            continue;
        }
        muscles->probes[muscles->probe_count++] =
            (sni_muscle_probe){point, number, nearest_part(desc, point)};
        ++used;
    }
}

static bool has_field(const sni_skin_parts *parts, uint32_t part) {
    (void)parts;
    return part != SN_NONE;
}

// Marks the parts of a muscle among those with fields: `shares`, of parts, becomes 1 or 0. Returns
// the one that carries it.
static uint32_t mark_parts(const sni_implicit_muscles_desc *desc, uint32_t number,
                           const sni_implicit_muscles *muscles, double *shares) {
    const sni_skin_parts *parts = desc->parts;
    uint32_t origin = muscles->fibres[number].solid.origin, carrier = SN_NONE, total = 0;
    for (uint32_t i = 0; i < parts->count; ++i) {
        shares[i] = 0;
    }
    for (uint32_t k = 0; k < muscles->probe_count; ++k) {
        const sni_muscle_probe *probe = &muscles->probes[k];
        if (probe->fibre == number && probe->part != SN_NONE) {
            shares[probe->part] += 1;
            ++total;
        }
    }
    for (uint32_t i = 0; i < parts->count; ++i) {
        if (has_field(parts, i) && (carrier == SN_NONE || shares[i] > shares[carrier])) {
            carrier = i;
        }
    }
    carrier = carrier != SN_NONE && shares[carrier] > 0 ? carrier : SN_NONE;
    uint32_t first = origin != SN_NONE ? parts->segment_parts[origin] : SN_NONE;
    for (uint32_t i = 0; i < parts->count; ++i) {
        bool is_shaped = total > 0 && shares[i] >= least_share * total;
        shares[i] = has_field(parts, i) && (is_shaped || i == first) ? 1 : 0;
    }
    return has_field(parts, first) ? first : carrier;
}

static sn_status list_fibres(sn_context *context, const sni_implicit_muscles_desc *desc,
                             sni_implicit_muscles *muscles, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t part_count = desc->parts->count, total = 0;
    double *shares = NULL; // fibres x parts
    SNI_NEW(context, shares, (size_t)muscles->fibre_count * part_count);
    for (uint32_t m = 0; m < muscles->fibre_count; ++m) {
        double *row = shares + (size_t)m * part_count;
        muscles->carriers[m] = mark_parts(desc, m, muscles, row);
        uint32_t own = 0;
        for (uint32_t i = 0; i < part_count; ++i) {
            own += row[i] > 0;
        }
        muscles->shared[m] = own > 1;
        total += own;
    }
    SNI_NEW(context, muscles->lists, total);
    uint32_t count = 0;
    for (uint32_t i = 0; i < part_count; ++i) {
        muscles->starts[i] = count;
        for (uint32_t m = 0; m < muscles->fibre_count; ++m) {
            if (shares[(size_t)m * part_count + i] > 0) {
                muscles->lists[count++] = m;
            }
        }
    }
    muscles->starts[part_count] = count;
cleanup:
    sni_free(context, shares);
    return status;
}

static sn_status count_fibres(const sni_implicit_muscles_desc *desc, sni_implicit_muscles *muscles,
                              sn_error *error) {
    for (uint32_t m = 0; m < desc->count; ++m) {
        const sni_muscle_surface *muscle = &desc->muscles[m];
        if (muscle->solid.count == 0) {
            return sni_fail(error, SN_INVALID,
                            "implicit: muscle %u (\"%s\") is no solid with an inside", m,
                            muscle->name != NULL ? muscle->name : "");
        }
        muscles->offsets[m + 1] = muscles->offsets[m] + 3 * (size_t)muscle->point_count;
        muscles->fibre_count += muscle->solid.count;
    }
    return SN_OK;
}

sn_status sni_implicit_muscles_create(sn_context *context, const sni_implicit_muscles_desc *desc,
                                      sni_implicit_muscles *muscles, sn_error *error) {
    sn_status status = SN_OK;
    *muscles = (sni_implicit_muscles){.count = desc->count};
    SNI_NEW_ZERO(context, muscles->offsets, (size_t)desc->count + 1);
    SN_TRY(count_fibres(desc, muscles, error));
    SNI_NEW_ZERO(context, muscles->starts, (size_t)desc->parts->count + 1);
    SNI_NEW_ZERO(context, muscles->radii, desc->parts->count);
    SNI_NEW(context, muscles->fibres, muscles->fibre_count);
    SNI_NEW(context, muscles->shared, muscles->fibre_count);
    SNI_NEW(context, muscles->carriers, muscles->fibre_count);
    SNI_NEW(context, muscles->rest, muscles->fibre_count);
    SNI_NEW(context, muscles->probes, (size_t)PROBES * muscles->fibre_count);
    uint32_t count = 0;
    for (uint32_t m = 0; m < desc->count; ++m) {
        const sni_muscle_solid *solid = &desc->muscles[m].solid;
        for (uint32_t body = 0; body < solid->count; ++body, ++count) {
            sni_field_muscle *rest = &muscles->rest[count];
            muscles->fibres[count] = (sni_implicit_fibre){*solid, m, body};
            *rest = (sni_field_muscle){.distance = rest_at, .user = &muscles->fibres[count]};
            solid->box(solid->bound, NULL, body, &rest->low, &rest->high);
            probe_fibre(desc, count, muscles);
        }
    }
    SN_TRY(list_fibres(context, desc, muscles, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Fields at rest

double sni_muscle_depth_below(const sni_field_muscle *muscle, double thickness, sn_vec3 at) {
    enum { STEPS = 24 };
    sni_distance_value here = muscle->distance(muscle->user, at);
    sn_vec3 nothing = {0, 0, 0}, out = sn_vec3_normalize_or(here.gradient, nothing);
    double deepest = here.distance, way = fmax(here.distance, 0) + 2 * thickness;
    for (int k = 1; k <= STEPS; ++k) {
        sn_vec3 p = sn_vec3_add_scaled(at, -way * k / STEPS, out);
        deepest = fmin(deepest, muscle->distance(muscle->user, p).distance);
    }
    return fmax(0, -deepest);
}

static double distance_from_bone(const sni_skin_part *part, sn_vec3 p) {
    sn_vec3 along = sn_vec3_sub(part->to, part->from);
    double squared = sn_vec3_dot(along, along);
    double u = squared > 0 ? sn_vec3_dot(sn_vec3_sub(p, part->from), along) / squared : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return sn_vec3_distance(p, sn_vec3_add_scaled(part->from, u, along));
}

uint32_t sni_implicit_muscles_shrink(const sni_implicit_muscles *muscles, const sni_skin_part *bone,
                                     uint32_t part, uint32_t sample_count,
                                     sni_hrbf_sample *samples) {
    static const double of_muscle = 0.5, of_limb = 0.25;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < sample_count; ++i) {
        sn_vec3 at = samples[i].point;
        double nearest = 0, depth = 0;
        for (uint32_t k = muscles->starts[part]; k < muscles->starts[part + 1]; ++k) {
            const sni_field_muscle *muscle = &muscles->rest[muscles->lists[k]];
            double thickness = muscles->fibres[muscles->lists[k]].solid.thickness;
            double u = 1 - muscle->distance(muscle->user, at).distance / (0.5 * thickness);
            u = u > 1 ? 1 : u;
            if (u > nearest) {
                nearest = u;
                depth = sni_muscle_depth_below(muscle, thickness, at);
            }
        }
        double most = fmin(of_muscle * depth, of_limb * distance_from_bone(bone, at));
        double by = most * sni_smooth_step(nearest);
        if (by > 0) {
            samples[i].point = sn_vec3_add_scaled(at, -by, samples[i].normal);
            ++moved;
        }
    }
    return moved;
}

sni_muscle_radii sni_implicit_muscles_radii(const sni_implicit_muscles *muscles, uint32_t part,
                                            const sni_hrbf *hrbf, double radius) {
    // A muscle that shortens by a quarter and bunches up grows by about two fifths of its
    // thickness.
    static const double growth = 0.5;
    double thickest = 0, farthest = 0;
    for (uint32_t k = muscles->starts[part]; k < muscles->starts[part + 1]; ++k) {
        thickest = fmax(thickest, muscles->fibres[muscles->lists[k]].solid.thickness);
    }
    for (uint32_t k = 0; k < muscles->probe_count && thickest > 0; ++k) {
        const sni_muscle_probe *probe = &muscles->probes[k];
        if (probe->part == part) {
            double out = sni_hrbf_at(hrbf, probe->point).distance +
                         growth * muscles->fibres[probe->fibre].solid.thickness;
            farthest = fmax(farthest, out);
        }
    }
    radius = fmax(radius, 2 * farthest);
    return (sni_muscle_radii){radius, fmin(fmax(thickest, 0.25 * radius), radius)};
}

// ---------------------------------------------------------------------------------------------
// Frames

bool sni_implicit_muscles_begin(const sni_implicit_muscles *muscles, uint32_t part_count,
                                sni_arena *arena, sni_implicit_muscles_frame *frame) {
    frame->now = sni_arena_alloc(arena, muscles->fibre_count, sizeof *frame->now);
    frame->fields = sni_arena_alloc(arena, muscles->fibre_count, sizeof *frame->fields);
    sni_field_box *reaches = sni_arena_alloc(arena, part_count, sizeof *reaches);
    frame->all = (sni_field_muscles){muscles->starts, muscles->lists,  muscles->radii,
                                     frame->fields,   muscles->shared, reaches};
    return frame->now != NULL && frame->fields != NULL && reaches != NULL;
}

// The motion that takes a place beside a part in pose `from` to the same place in pose `to`.
static sni_part_pose motion_between(sni_part_pose from, sni_part_pose to) {
    sn_quat turn = sn_quat_multiply(to.turn, sn_quat_conjugate(from.turn));
    return (sni_part_pose){turn, sn_vec3_sub(to.shift, sn_quat_rotate(turn, from.shift))};
}

static sn_vec3 move_point(sni_part_pose motion, sn_vec3 p) {
    return sn_vec3_add(sn_quat_rotate(motion.turn, p), motion.shift);
}

static sni_distance_value carried_at(const sni_implicit_muscle_now *now, const double *points,
                                     sni_part_pose motion, sn_vec3 at) {
    sni_distance_value value = solid_at(&now->solid, now->body, points, move_point(motion, at));
    value.gradient = sn_quat_rotate(sn_quat_conjugate(motion.turn), value.gradient);
    return value;
}

static sni_distance_value now_at(const void *user, sn_vec3 at) {
    const sni_implicit_muscle_now *now = user;
    if (now->share >= 1) {
        return solid_at(&now->solid, now->body, now->to, at);
    }
    sni_distance_value from = carried_at(now, now->from, now->to_from, at);
    sni_distance_value to = carried_at(now, now->to, now->to_now, at);
    return (sni_distance_value){
        (1 - now->share) * from.distance + now->share * to.distance,
        sn_vec3_add_scaled(sn_vec3_scale(from.gradient, 1 - now->share), now->share, to.gradient)};
}

// Adds to a box that of a muscle with these points, moved back by a motion.
static void add_box(const sni_implicit_muscle_now *now, const double *points, sni_part_pose motion,
                    sni_field_muscle *field) {
    sn_vec3 low, high;
    now->solid.box(now->solid.bound, points, now->body, &low, &high);
    sn_quat back = sn_quat_conjugate(motion.turn);
    for (int k = 0; k < 8; ++k) {
        sn_vec3 corner = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        corner = sn_quat_rotate(back, sn_vec3_sub(corner, motion.shift));
        field->low = sn_vec3_min(field->low, corner);
        field->high = sn_vec3_max(field->high, corner);
    }
}

void sni_implicit_muscles_pose(const sni_implicit_muscles *muscles, uint32_t part_count,
                               const sni_implicit_muscles_step *step,
                               sni_implicit_muscles_frame *frame) {
    const sni_part_pose still = {sn_quat_identity(), {0, 0, 0}};
    for (uint32_t i = 0; i < muscles->fibre_count; ++i) {
        uint32_t part = muscles->carriers[i], muscle = muscles->fibres[i].muscle;
        const sni_muscle_points *posed = &step->posed[muscle];
        sni_implicit_muscle_now *now = &frame->now[i];
        sni_field_muscle *field = &frame->fields[i];
        *now = (sni_implicit_muscle_now){
            .solid = posed->solid,
            .body = muscles->fibres[i].body,
            .from = step->before != NULL ? step->before + muscles->offsets[muscle] : NULL,
            .to = posed->contracted,
            .to_from = part == SN_NONE ? still : motion_between(step->now[part], step->from[part]),
            .to_now = part == SN_NONE ? still : motion_between(step->now[part], step->to[part]),
            .share = step->share};
        *field = (sni_field_muscle){
            now_at, now, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (part == SN_NONE) {
            continue; // it is in no list
        }
        if (step->share < 1) {
            add_box(now, now->from, now->to_from, field);
            add_box(now, now->to, now->to_now, field);
        } else {
            now->solid.box(now->solid.bound, now->to, now->body, &field->low, &field->high);
        }
    }
    sni_field_muscles_reach(&frame->all, part_count);
}

size_t sni_implicit_muscles_number_count(const sni_implicit_muscles *muscles) {
    return muscles->count > 0 ? muscles->offsets[muscles->count] : 0;
}

void sni_implicit_muscles_keep(const sni_implicit_muscles *muscles, const sni_muscle_points *posed,
                               double *numbers) {
    for (uint32_t m = 0; m < muscles->count; ++m) {
        size_t count = muscles->offsets[m + 1] - muscles->offsets[m];
        memcpy(numbers + muscles->offsets[m], posed[m].contracted, count * sizeof *numbers);
    }
}
