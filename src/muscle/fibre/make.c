// SPDX-License-Identifier: Apache-2.0
//
// Making fibre muscles: places on bones, fibres between them, their masses and springs.
#include "muscle/fibre/fibre.h"

#include "base/context.h"
#include "muscle/carried.h"

#include <math.h>
#include <string.h>

// Of flesh, kg/m3.
static const double density = 1060;
// Of the mean mass: particles at thin ends are not lighter, or the chain would be stiff there.
static const double least_mass = 0.05;
// Of its length at rest, a spring of flesh wants to be as long.
static const double slack_length = 0.02;
// Of the distance from the world's origin, two places this close are the same.
static const double no_length = 1e-9;
// The width of a belly by the length of the muscle, and by the distance between fibres.
static const double width_of_length = 0.25, width_of_spacing = 1.6;

void sni_fibre_destroy(sn_context *context, sni_fibre *f) {
    if (f != NULL) {
        sni_free(context, f->name);
        sni_free(context, f->places);
        sni_free(context, f->knot_particles);
        sni_free(context, f->knot_parts);
        sni_free(context, f->rest_lengths);
        sni_free(context, f->inverse_masses);
        sni_free(context, f->parts);
        sni_free(context, f->link_lengths);
        sni_free(context, f->tendons);
        sni_free(context, f->parameters);
        sni_free(context, f->points);
        sni_free(context, f->knots);
        sni_free(context, f->corners);
        sni_free(context, f->place_rests);
        sni_fibre_touch_free(context, f);
        sni_free(context, f);
    }
}

size_t sni_fibre_bytes(const sni_fibre *f) {
    size_t particles = (size_t)f->fibre_count * f->particle_count;
    return sizeof *f + f->place_count * sizeof *f->places +
           (f->run_count + 1) * (sizeof *f->knot_particles + sizeof *f->knot_parts) +
           f->fibre_count * sizeof *f->rest_lengths +
           (2 * particles + f->particle_count + f->run_count) * sizeof *f->parts +
           f->particle_count * sizeof *f->tendons + f->place_count * sizeof *f->place_rests +
           f->bone_count * (sizeof *f->touched + sizeof *f->bones) +
           f->bone_count * particles * sizeof *f->bone_overlaps +
           f->around_count * sizeof *f->around +
           (f->around_count > 0 ? 1 : 0) * particles * sizeof *f->skin_overlaps +
           SNI_FIBRE_PARAMETER_COUNT * sizeof *f->parameters +
           3 * (size_t)sni_fibre_point_count(f) * sizeof *f->points +
           sni_rings_knot_count(&f->rings) * sizeof *f->knots +
           f->rings.ring_count * sizeof *f->corners;
}

// What is only needed while the muscle is made, all in the world at rest.
typedef struct making {
    sn_vec3 ends[2][2]; // attachments at both ends, in the order of the fibres
    sn_vec3 outward;    // the mean of the bones' normals
    sn_vec3 *places, *knots, *curve, *particles;
    sni_fibre_cut *cuts;
    double *heights;
} making;

static sn_vec3 middle(const making *m, uint32_t end) {
    return sn_vec3_lerp(m->ends[end][0], m->ends[end][1], 0.5);
}

static void exchange(sni_muscle_attachment *two) {
    sni_muscle_attachment first = two[0];
    two[0] = two[1];
    two[1] = first;
}

// Fibres do not cross, and run from the first to the last so that what is thin faces outwards: the
// outer side of a ring is then its beginning, also on a mirrored body.
static void order_ends(sni_muscle_attachment ends[2][2], sn_vec3 outward) {
    sn_vec3 across[2], way = sn_vec3_sub(sn_vec3_lerp(ends[1][0].point, ends[1][1].point, 0.5),
                                         sn_vec3_lerp(ends[0][0].point, ends[0][1].point, 0.5));
    for (int k = 0; k < 2; ++k) {
        across[k] = sn_vec3_sub(ends[k][1].point, ends[k][0].point);
    }
    if (sn_vec3_dot(across[0], across[1]) < 0) {
        exchange(ends[1]);
        across[1] = sn_vec3_scale(across[1], -1);
    }
    sn_vec3 thin = sn_vec3_cross(sn_vec3_add(across[0], across[1]), way);
    if (sn_vec3_dot(thin, outward) < 0) {
        exchange(ends[0]);
        exchange(ends[1]);
    }
}

static sn_status take_places(const sni_muscle_job *job, sni_fibre *f, making *m, sn_error *error) {
    const sni_muscle_body *body = sni_job_body(job);
    sni_muscle_attachment ends[2][2];
    uint32_t count = f->attachment_count;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < 2; ++i) {
        ends[0][i] = body->origins[count == 2 ? i : 0];
        ends[1][i] = body->insertions[count == 2 ? i : 0];
        for (int k = 0; k < 2; ++k) {
            m->outward = sn_vec3_add(
                m->outward, sn_vec3_normalize_or(ends[k][i].normal, sn_vec3_make(0, 0, 0)));
        }
    }
    if (count == 2) {
        order_ends(ends, m->outward);
    }
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < 2; ++i) {
            m->ends[k][i] = ends[k][i].point;
        }
        for (uint32_t i = 0; i < count; ++i) {
            sni_fibre_place *place = &f->places[k * count + i];
            place->segment = ends[k][i].segment;
            SN_TRY(sni_carry_point(job, place->segment, ends[k][i].point, &place->point, error));
        }
    }
    for (uint32_t i = 0; i < body->pivot_count; ++i) {
        f->places[2 * count + i] =
            (sni_fibre_place){.segment = body->pivots[i].segment, .point = body->pivots[i].at};
    }
    for (uint32_t i = 0; i < f->place_count; ++i) {
        f->place_rests[i] = job->rest_worlds[f->places[i].segment];
        m->places[i] = sn_mat4_point(&f->place_rests[i], f->places[i].point);
    }
cleanup:
    return status;
}

// The middle of all fibres at rest, knot by knot.
static sn_vec3 middle_knot(const sni_fibre *f, const making *m, uint32_t i) {
    return i == 0              ? middle(m, 0)
           : i == f->run_count ? middle(m, 1)
                               : m->places[2 * f->attachment_count + i - 1];
}

// Links are shared out among runs by their lengths, at least one for each, so that the longest
// links are as short as they can be.
static sn_status place_knots(sni_fibre *f, const making *m, sn_error *error) {
    double length = 0;
    uint32_t links = f->particle_count - 1;
    if (links < f->run_count) {
        return sni_fail(error, SN_INVALID,
                        "%s: %u particles are too few to pass %u points: it needs %u", f->name,
                        f->particle_count, f->run_count - 1, f->run_count + 1);
    }
    f->knot_particles[0] = 0;
    for (uint32_t i = 0; i < f->run_count; ++i) {
        double run = sn_vec3_distance(middle_knot(f, m, i), middle_knot(f, m, i + 1));
        f->knot_parts[i] = length;
        length += run;
        f->knot_particles[i + 1] = 1; // links for now
    }
    f->knot_parts[f->run_count] = length;
    for (uint32_t left = links - f->run_count; left > 0; --left) {
        uint32_t best = 0;
        double longest = -1;
        for (uint32_t i = 0; i < f->run_count; ++i) {
            double link = (f->knot_parts[i + 1] - f->knot_parts[i]) / f->knot_particles[i + 1];
            if (link > longest) {
                longest = link;
                best = i;
            }
        }
        ++f->knot_particles[best + 1];
    }
    for (uint32_t i = 0; i <= f->run_count; ++i) {
        f->knot_particles[i] += i > 0 ? f->knot_particles[i - 1] : 0;
        f->knot_parts[i] = length > 0 ? f->knot_parts[i] / length : (double)i / f->run_count;
    }
    return SN_OK;
}

// Evenly between the knots of their run.
static void place_parts(sni_fibre *f) {
    for (uint32_t run = 0; run < f->run_count; ++run) {
        uint32_t first = f->knot_particles[run], count = f->knot_particles[run + 1] - first;
        for (uint32_t i = 0; i <= count; ++i) {
            f->parts[first + run + i] = (double)i / count;
        }
    }
}

// Links near the ends are tendons, but where a run would have nothing else: it could not follow its
// knots then.
static void place_tendons(sni_fibre *f) {
    for (uint32_t run = 0; run < f->run_count; ++run) {
        uint32_t first = f->knot_particles[run], last = f->knot_particles[run + 1], flesh = 0;
        double from = f->knot_parts[run], size = f->knot_parts[run + 1] - from;
        for (uint32_t i = first; i < last; ++i) {
            double part = from + size * (i - first + 0.5) / (last - first);
            f->tendons[i] = part < f->tendon || part > 1 - f->tendon;
            flesh += !f->tendons[i];
        }
        for (uint32_t i = first; i < last && flesh == 0; ++i) {
            f->tendons[i] = false;
        }
    }
}

// Lengths of links at rest, before springs get theirs.
static sn_status measure_fibres(sni_fibre *f, making *m, sn_error *error) {
    double shortest = INFINITY;
    sni_fibre_find_knots(f, m->places, m->knots);
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        const sn_vec3 *knots = m->knots + (size_t)i * (f->run_count + 1);
        double *lengths = f->link_lengths + (size_t)i * (f->particle_count - 1);
        for (uint32_t run = 0; run < f->run_count; ++run) {
            uint32_t first = f->knot_particles[run], last = f->knot_particles[run + 1];
            double length = sn_vec3_distance(knots[run], knots[run + 1]);
            for (uint32_t k = first; k < last; ++k) {
                lengths[k] = length / (last - first);
            }
        }
    }
    sni_fibre_equilibrium(f, m->knots, m->curve, m->particles);
    f->rest_length = sni_fibre_mean_axis(f, m->particles, m->curve);
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        const sn_vec3 *axis = m->particles + (size_t)i * f->particle_count;
        f->rest_lengths[i] = 0;
        for (uint32_t k = 1; k < f->particle_count; ++k) {
            f->rest_lengths[i] += sn_vec3_distance(axis[k - 1], axis[k]);
        }
        shortest = fmin(shortest, f->rest_lengths[i]);
    }
    double reach = 0; // rounding puts one place into two this close
    for (uint32_t i = 0; i < f->place_count; ++i) {
        reach = fmax(reach, sn_vec3_length(m->places[i]));
    }
    if (!(shortest > no_length * reach) || !isfinite(shortest) ||
        !(f->rest_length > no_length * reach)) {
        return sni_fail(error, SN_INVALID,
                        "%s: it has no length: its origin and insertion are at the same place",
                        f->name);
    }
    return SN_OK;
}

// The wide direction: across the fibres; of one fibre across the way and the bones' normals, so
// that a flat muscle lies flat on its bones.
static sn_status find_wide(const sni_muscle_job *job, sni_fibre *f, const making *m,
                           sn_error *error) {
    static const double least = 1e-6; // of the length
    sn_vec3 way = sn_vec3_sub(middle(m, 1), middle(m, 0)), across[2];
    sn_vec3 along = sn_vec3_normalize_or(
        way, sn_vec3_normalize_or(sn_vec3_sub(m->curve[1], m->curve[0]), sn_vec3_make(0, 1, 0)));
    sn_vec3 plain = sn_vec3_cross(along, m->outward);
    plain = sn_vec3_length(plain) > least ? plain : sn_vec3_perpendicular(along);
    sn_status status = SN_OK;
    for (int k = 0; k < 2; ++k) {
        across[k] = sn_vec3_sub(m->ends[k][1], m->ends[k][0]);
        f->spread[k] =
            f->attachment_count > 1 && sn_vec3_length(across[k]) > least * f->rest_length;
    }
    for (int k = 0; k < 2; ++k) {
        uint32_t segment = f->places[k * f->attachment_count].segment;
        sn_vec3 wide = f->spread[k] ? across[k] : f->spread[1 - k] ? across[1 - k] : plain;
        wide = sn_vec3_normalize_or(wide, sn_vec3_make(1, 0, 0));
        sn_mat4 inverse;
        if (!sn_mat4_invert(&job->rest_worlds[segment], &inverse)) {
            SN_TRY(sni_fail(error, SN_INVALID, "%s: segment %u has no size at rest", f->name,
                            segment));
        }
        f->wide[k] = sn_mat4_direction(&inverse, wide);
    }
cleanup:
    return status;
}

// The distance between neighbours half way along them.
static double spacing_of(const sni_fibre *f, const making *m) {
    const sn_vec3 *first = m->particles;
    const sn_vec3 *last = m->particles + (size_t)(f->fibre_count - 1) * f->particle_count;
    uint32_t half = f->particle_count / 2;
    return sn_vec3_distance(first[half], last[half]) / (f->fibre_count - 1);
}

static void weigh(sni_fibre *f, const sni_fibre_values *values) {
    uint32_t free_count = 0;
    double total = 0;
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        double *masses = f->inverse_masses + (size_t)i * f->particle_count; // masses at first
        double volume = SN_PI * values->width * values->width * f->rest_lengths[i], sum = 0;
        free_count = 0;
        for (uint32_t run = 0; run < f->run_count; ++run) {
            uint32_t first = f->knot_particles[run], last = f->knot_particles[run + 1];
            double from = f->knot_parts[run], size = f->knot_parts[run + 1] - from;
            for (uint32_t k = first + 1; k < last; ++k) {
                double s = from + size * f->parts[k + run];
                masses[k] = sni_fibre_profile_at(&f->profile, 0, s, NULL);
                sum += masses[k];
                ++free_count;
            }
        }
        double mean = free_count > 0 ? density * volume / free_count : 0;
        for (uint32_t k = 0; k < f->particle_count; ++k) {
            double mass = sum > 0 ? density * volume * masses[k] / sum : mean;
            masses[k] = 1 / fmax(mass, least_mass * mean);
        }
        for (uint32_t run = 0; run <= f->run_count; ++run) {
            masses[f->knot_particles[run]] = 0;
        }
        total += mean;
    }
    f->mean_mass = total / f->fibre_count;
}

static void loosen(sni_fibre *f) {
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        for (uint32_t k = 0; k + 1 < f->particle_count; ++k) {
            double *length = &f->link_lengths[(size_t)i * (f->particle_count - 1) + k];
            *length *= f->tendons[k] ? 1 : slack_length;
        }
    }
}

static sn_status read_parameters(const sni_muscle_job *job, sni_fibre *f, sn_error *error) {
    const double *p = job->parameters;
    const sni_muscle_body *body = sni_job_body(job);
    f->attachment_count = body->origin_count;
    f->fibre_count = (uint32_t)p[SNI_FIBRE_FIBRES];
    f->particle_count = (uint32_t)p[SNI_FIBRE_PARTICLES];
    f->run_count = body->pivot_count + 1;
    f->place_count = 2 * f->attachment_count + body->pivot_count;
    f->segment_count = job->segment_count;
    f->rings = (sni_rings){.slice_count = (uint32_t)p[SNI_FIBRE_SLICES],
                           .ring_count = (uint32_t)p[SNI_FIBRE_POINTS],
                           .node_count = f->particle_count};
    f->is_static = p[SNI_FIBRE_MOTION] == SNI_FIBRE_STATIC;
    f->tendon = p[SNI_FIBRE_TENDON];
    f->activated_by = (int)p[SNI_FIBRE_ACTIVATED_BY];
    // Widths by the length alone are exact beside smooth axes; a kink takes some of the volume, and
    // sections that are spread do not grow with the width alone.
    f->keeps_volume =
        p[SNI_FIBRE_VOLUME] == SNI_FIBRE_VOLUME_EXACT || f->fibre_count > 1 || f->run_count > 1;
    f->profile = sni_fibre_profile_make(
        (sni_beta){(uint32_t)p[SNI_FIBRE_REST_A], (uint32_t)p[SNI_FIBRE_REST_B]},
        (sni_beta){(uint32_t)p[SNI_FIBRE_ACTIVE_A], (uint32_t)p[SNI_FIBRE_ACTIVE_B]});
    if (f->fibre_count > 1 && f->attachment_count < 2) {
        return sni_fail(error, SN_INVALID,
                        "%s: %u fibres need two origins and two insertions, between which they run",
                        f->name, f->fibre_count);
    }
    return SN_OK;
}

static sn_status reserve(sn_context *context, sni_fibre *f, making *m, sn_error *error) {
    size_t particles = (size_t)f->fibre_count * f->particle_count;
    sn_status status = SN_OK;
    SNI_NEW(context, f->places, f->place_count);
    SNI_NEW(context, f->place_rests, f->place_count);
    SNI_NEW(context, f->knot_particles, f->run_count + 1);
    SNI_NEW(context, f->knot_parts, f->run_count + 1);
    SNI_NEW(context, f->rest_lengths, f->fibre_count);
    SNI_NEW_ZERO(context, f->inverse_masses, particles);
    SNI_NEW(context, f->parts, f->particle_count + f->run_count - 1);
    SNI_NEW(context, f->link_lengths, particles);
    SNI_NEW_ZERO(context, f->tendons, f->particle_count);
    SNI_NEW(context, f->parameters, SNI_FIBRE_PARAMETER_COUNT);
    SNI_NEW(context, f->points, 3 * (size_t)sni_fibre_point_count(f));
    SNI_NEW(context, m->places, f->place_count);
    SNI_NEW(context, m->knots, (size_t)f->fibre_count * (f->run_count + 1));
    SNI_NEW(context, m->curve,
            f->particle_count + (size_t)f->run_count * SNI_FIBRE_CURVE_STEPS + 1);
    SNI_NEW(context, m->particles, particles);
    SNI_NEW(context, f->corners, f->rings.ring_count);
    SNI_NEW(context, m->cuts, (size_t)f->rings.slice_count * f->fibre_count);
    SNI_NEW(context, m->heights, f->rings.slice_count);
cleanup:
    return status;
}

// At the angle t a point is (1 + sin t) / 2 of the way from the first fibre to the last.
static void place_corners(sni_fibre *f) {
    for (uint32_t j = 0; j < f->rings.ring_count; ++j) {
        double angle = 2 * SN_PI * j / f->rings.ring_count, side = sin(angle);
        double place = fmin(1, fmax(0, (1 + side) / 2)) * (f->fibre_count - 1);
        double last = f->fibre_count > 1 ? f->fibre_count - 2.0 : 0;
        uint32_t fibre = (uint32_t)fmin(floor(place), last);
        f->corners[j] = (sni_fibre_corner){fibre, place - fibre, cos(angle), side};
    }
}

static sn_status design(const sni_muscle_job *job, sni_fibre *f, making *m, sn_error *error) {
    sni_fibre_values values;
    sni_fibre_posed posed = {.particles = m->particles,
                             .scale = 1,
                             .relaxed = true,
                             .cuts = m->cuts,
                             .heights = m->heights};
    sn_status status = SN_OK;
    SN_TRY(take_places(job, f, m, error));
    SN_TRY(place_knots(f, m, error));
    place_parts(f);
    place_tendons(f);
    place_corners(f);
    SN_TRY(measure_fibres(f, m, error));
    SN_TRY(find_wide(job, f, m, error));
    double spacing = f->fibre_count > 1 ? spacing_of(f, m) : 0;
    f->standard_width = spacing > 0 ? width_of_spacing * spacing : width_of_length * f->rest_length;
    SN_TRY(sni_fibre_values_of(f, NULL, &values, error));
    weigh(f, &values);
    loosen(f);
    sni_fibre_wide(f, job->rest_worlds, m->places, posed.wide);
    sni_fibre_write(f, &values, &posed, f->points);
    f->rest_volume = sni_fibre_volume(f, f->points);
    f->thickness = values.thickness;
    f->section_volume = values.width * values.width * values.bulge * values.bulge;
    SN_TRY(sni_rings_knots_create(&f->rings, job->context, &f->knots, error));
    SN_TRY(sni_fibre_touch_all(job, f, error));
cleanup:
    return status;
}

sn_status sni_fibre_create(const sni_muscle_job *job, sni_fibre **made, sn_error *error) {
    sn_status status = SN_OK;
    sni_fibre *f = NULL;
    making m = {0};
    *made = NULL;
    SN_TRY(sni_muscle_job_validate(&sni_muscle_fibre, job, error));
    SNI_NEW_ZERO(job->context, f, 1);
    f->name = sni_string_copy(job->context, job->name != NULL ? job->name : "muscle");
    SN_TRY(f->name != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(read_parameters(job, f, error));
    SN_TRY(reserve(job->context, f, &m, error));
    memcpy(f->parameters, job->parameters, SNI_FIBRE_PARAMETER_COUNT * sizeof *f->parameters);
    SN_TRY(design(job, f, &m, error));
    *made = f;
    f = NULL;
cleanup:
    sni_free(job->context, m.places);
    sni_free(job->context, m.knots);
    sni_free(job->context, m.curve);
    sni_free(job->context, m.particles);
    sni_free(job->context, m.cuts);
    sni_free(job->context, m.heights);
    sni_fibre_destroy(job->context, f);
    return status;
}
