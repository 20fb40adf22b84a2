// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles that touch each other, in a frame: all go on by one substep, then contact moves
// them, then the next one (contact.h).
//
// Where memory begins, and for poses without any, muscles are led from rest to the pose: in some
// steps bones and ends go there, all muscles following without inertia and kept clear of what they
// touch. A muscle then lies on that side of a bone on which it would have come there.
#include "base/slerp.h"
#include "muscle/carried.h"
#include "muscle/fibre/fibre.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Steps from rest to a pose, and steps there, until muscles are at rest.
enum { LEAD_STEPS = 48, SETTLE_STEPS = 32 };

// A particle that is deeper than this part of its radius, or a tendon that is stretched by more, is
// worth a word.
static const double too_deep = 0.015, too_long = 0.05;

// A muscle in the frame.
typedef struct run {
    const sni_fibre *f;
    sni_muscle_member *member;
    sni_fibre_frame frame;
    uint32_t first_body; // of fibre_count
    uint32_t bone_count; // 0 where bones cannot be placed
    sni_fibre_bone_pose *bone_poses;
    sni_fibre_part *parts;                 // of the skin around it
    sn_transform *rests;                   // of the segments of these
    const sn_transform *way_from, *way_to; // of bones, then of parts of the skin
    sni_slerp *turns;                      // on that way
    sni_fibre_inside inside;
    sni_fibre_skin skin;
    bool touches; // a bone, the skin or another muscle
    bool is_led;  // from rest to the pose, in this frame
    bool unwound; // so that it is no longer wound around a bone
    double worst, tendon_miss;
} run;

typedef struct crowd {
    sni_arena *arena;
    uint32_t run_count;
    run *runs;
    sni_fibre_crowd bodies;
} crowd;

#define NEW(crowd, pointer, count)                                                                 \
    do {                                                                                           \
        (pointer) = sni_arena_alloc((crowd)->arena, (count), sizeof *(pointer));                   \
        if ((pointer) == NULL) {                                                                   \
            return sni_fail_memory(error);                                                         \
        }                                                                                          \
    } while (0)

// ---------------------------------------------------------------------------------------------
// Bones

// The way of bones and skin, which are placed many times on it.
static void set_way(run *r, const sn_transform *from, const sn_transform *to) {
    r->way_from = from;
    r->way_to = to;
    for (uint32_t i = 0; i < sni_fibre_carried_count(r->f); ++i) {
        r->turns[i] = sni_slerp_between(from[i].rotation, to[i].rotation);
    }
}

static sn_transform on_way(const run *r, uint32_t i, double t) {
    const sn_transform *from = &r->way_from[i], *to = &r->way_to[i];
    return (sn_transform){sn_vec3_lerp(from->translation, to->translation, t),
                          sni_slerp_at(&r->turns[i], t), sn_vec3_lerp(from->scale, to->scale, t)};
}

static void place_skin(run *r, double t, bool first) {
    for (uint32_t i = 0; i < r->inside.part_count; ++i) {
        sn_transform now = on_way(r, r->f->bone_count + i, t);
        sni_part_pose pose = sni_fibre_part_motion(&r->rests[i], &now);
        r->parts[i].before = first ? pose : r->parts[i].now;
        r->parts[i].now = pose;
    }
}

// Puts bones and skin to a part of their way; they come from where they are, or, at the `first` of
// several steps, have not moved. False where a bone has no size.
static bool place_carried(run *r, double t, bool first) {
    t = fmin(1, fmax(0, t));
    place_skin(r, t, first);
    for (uint32_t i = 0; i < r->bone_count; ++i) {
        sn_transform transform = on_way(r, i, t);
        sn_mat4 now = sn_mat4_from_transform(&transform);
        now = sn_mat4_multiply(&now, &r->f->touched[i].to_segment);
        sn_mat4 before = first ? now : r->bone_poses[i].now;
        if (!sni_fibre_bone_place(&before, &now, &r->bone_poses[i])) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Bodies

// The thickness of a fibre where it is, part `t` of the frame.
static void shape_body(const run *r, uint32_t fibre, double t, sni_fibre_body *body) {
    const sni_fibre *f = r->f;
    const sni_fibre_values *values = &r->frame.values;
    double active = r->frame.activation_before +
                    fmin(1, fmax(0, t)) * (r->frame.activation - r->frame.activation_before);
    double *starts = (double *)body->starts, *radii = (double *)body->radii;
    double length = sni_fibre_axis_measure(body->positions, f->particle_count, starts);
    double rest = f->rest_lengths[fibre];
    double volume = SN_PI * values->width * values->width * rest;
    body->section = (sni_fibre_section){
        .profile = &f->profile,
        .activation = active,
        .width = sni_fibre_width(volume, length, rest) * values->bulge * r->frame.scale,
        .eccentricity = (1 - active) * values->eccentricity[0] + active * values->eccentricity[1]};
    memcpy(body->winding->points, body->positions, f->particle_count * sizeof *body->positions);
    body->winding->wide[0] = r->frame.wide[0];
    body->winding->wide[1] = r->frame.wide[1];
    body->winding->pending = true;
    sni_fibre_profile_values(&f->profile, active, f->particle_count, starts, radii);
    for (uint32_t i = 0; i < f->particle_count; ++i) {
        radii[i] *= body->section.width;
    }
}

static void shape_run(const crowd *c, const run *r, double t) {
    for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
        shape_body(r, k, t, &c->bodies.bodies[r->first_body + k]);
    }
}

// Particles of all fibres of a muscle, at their place among the bodies.
static void use_positions(const crowd *c, const run *r, sn_vec3 *positions) {
    for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
        c->bodies.bodies[r->first_body + k].positions =
            positions + (size_t)k * r->f->particle_count;
    }
}

// Static muscles are moved by nothing: their particles have no inverse mass.
static sn_status make_body(const crowd *c, const run *r, uint32_t fibre, sni_fibre_body *body,
                           sn_error *error) {
    const sni_fibre *f = r->f;
    uint32_t count = f->particle_count, links = count - 1;
    const sni_fibre_motion *m = &r->frame.motion;
    bool inside = r->inside.part_count > 0 && !f->is_static;
    double *radii, *starts, *compliances, *fixed, *gives;
    sni_fibre_seen *seen;
    sni_fibre_far *fars;
    sn_vec3 *normals, *old, *predicted;
    sni_fibre_clear *clears;
    sni_fibre_winding *winding;
    sni_fibre_touch *touches;
    NEW(c, radii, count);
    NEW(c, starts, count);
    NEW(c, compliances, count);
    NEW(c, fixed, count);
    NEW(c, normals, count);
    NEW(c, winding, 1);
    NEW(c, winding->points, count);
    NEW(c, old, count);
    NEW(c, predicted, count);
    NEW(c, clears, count);
    NEW(c, touches, count);
    NEW(c, gives, inside ? count : 0);
    NEW(c, seen, inside ? count : 0);
    NEW(c, fars, (size_t)f->bone_count * count);
    for (uint32_t i = 0; i < f->bone_count * count; ++i) {
        fars[i].distance = -INFINITY;
    }
    memset(fixed, 0, count * sizeof *fixed);
    memset(seen, 0, (inside ? count : 0) * sizeof *seen);
    *body = (sni_fibre_body){
        .chain = {.particle_count = count,
                  .inverse_masses =
                      f->is_static ? fixed : f->inverse_masses + (size_t)fibre * count,
                  .rest_lengths = f->link_lengths + (size_t)fibre * links,
                  .compliances = m->compliances + (size_t)fibre * links,
                  .step = SNI_FIBRE_SUBSTEP},
        .radii = radii,
        .starts = starts,
        .normals = normals,
        .winding = winding,
        .bone_count = f->is_static ? 0 : r->bone_count,
        .bones = f->bones,
        .bone_poses = r->bone_poses,
        .bone_overlaps = f->bone_overlaps + (size_t)fibre * f->bone_count * count,
        .skin = inside ? &r->skin : NULL,
        .skin_overlaps = inside ? f->skin_overlaps + (size_t)fibre * count : NULL,
        .seen = inside ? seen : NULL,
        .fars = fars,
        .skin_gives = inside ? gives : NULL,
        .kept_overlap = 1,
        .friction = SNI_FIBRE_FRICTION,
        .old = old,
        .predicted = predicted,
        .clears = clears,
        .scratch = m->scratch,
        .compliances = compliances,
        .touches = touches};
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Pairs

static bool names(const run *r, uint32_t number) {
    const sni_muscle_pose_job *job = &r->member->job;
    const sni_touches_pose *pose =
        sni_input_find(sni_muscle_fibre.inputs, job->inputs, &sni_input_touches);
    for (uint32_t i = 0; pose != NULL && i < pose->muscle_count; ++i) {
        if (pose->muscles[i] == number) {
            return true;
        }
    }
    return false;
}

// It is enough that one of two names the other.
static bool are_touching(const run *a, const run *b) {
    bool one_moves = !a->f->is_static || !b->f->is_static;
    return one_moves && (names(a, b->member->number) || names(b, a->member->number));
}

static void rest_overlaps(const sni_fibre_body *body, const sni_fibre_body *other,
                          double *overlaps) {
    for (uint32_t i = 1; i + 1 < body->chain.particle_count; ++i) {
        overlaps[i] = fmin(0, sni_fibre_muscle_gap(body, i, other));
    }
}

// All fibres of one with all of the other, with what they overlap by at rest.
static sn_status add_pairs(crowd *c, run *a, run *b, sni_fibre_pair *pairs, sn_error *error) {
    for (uint32_t i = 0; i < a->f->fibre_count; ++i) {
        for (uint32_t k = 0; k < b->f->fibre_count; ++k) {
            double *radii[2], *overlaps[2];
            NEW(c, radii[0], a->f->particle_count);
            NEW(c, radii[1], b->f->particle_count);
            NEW(c, overlaps[0], a->f->particle_count);
            NEW(c, overlaps[1], b->f->particle_count);
            sni_fibre_body first = sni_fibre_rest_body(a->f, i, radii[0]);
            sni_fibre_body second = sni_fibre_rest_body(b->f, k, radii[1]);
            rest_overlaps(&first, &second, overlaps[0]);
            rest_overlaps(&second, &first, overlaps[1]);
            pairs[c->bodies.pair_count++] =
                (sni_fibre_pair){a->first_body + i, b->first_body + k, overlaps[0], overlaps[1]};
        }
    }
    a->touches = b->touches = true;
    return SN_OK;
}

static sn_status find_pairs(crowd *c, sn_error *error) {
    size_t most = 0;
    sni_fibre_pair *pairs;
    for (uint32_t a = 0; a < c->run_count; ++a) {
        for (uint32_t b = a + 1; b < c->run_count; ++b) {
            bool touching = are_touching(&c->runs[a], &c->runs[b]);
            most += touching ? (size_t)c->runs[a].f->fibre_count * c->runs[b].f->fibre_count : 0;
        }
    }
    NEW(c, pairs, most);
    c->bodies.pairs = pairs;
    sn_status status = SN_OK;
    for (uint32_t a = 0; a < c->run_count; ++a) {
        for (uint32_t b = a + 1; b < c->run_count && status == SN_OK; ++b) {
            if (are_touching(&c->runs[a], &c->runs[b])) {
                status = add_pairs(c, &c->runs[a], &c->runs[b], pairs, error);
            }
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// The frame

static sn_status begin_run(crowd *c, sni_muscle_member *member, run *r, sn_error *error) {
    const sni_fibre *f = member->bound;
    *r = (run){.f = f, .member = member, .bone_count = f->bone_count};
    sn_status status = sni_fibre_frame_begin(f, &member->job, &r->frame, error);
    if (status != SN_OK) {
        return status;
    }
    NEW(c, r->bone_poses, f->bone_count);
    NEW(c, r->parts, f->around_count);
    NEW(c, r->rests, f->around_count);
    NEW(c, r->turns, sni_fibre_carried_count(f));
    for (uint32_t i = 0; i < f->around_count; ++i) {
        r->parts[i].field = f->around[i].field;
        sn_mat4_decompose(&f->around[i].rest, &r->rests[i]);
    }
    r->inside = (sni_fibre_inside){f->around_count, r->parts};
    r->skin = sni_fibre_inside_skin(&r->inside);
    set_way(r, r->frame.carried_to, r->frame.carried_to);
    bool placed = place_carried(r, 0, true);
    set_way(r, r->frame.carried_from, r->frame.carried_to);
    if (!placed || !place_carried(r, 0, true)) {
        r->bone_count = 0; // a segment has lost its size: there is nothing to touch
    }
    r->touches = (r->bone_count > 0 || r->inside.part_count > 0) && !f->is_static;
    r->first_body = c->bodies.body_count;
    c->bodies.body_count += f->fibre_count;
    return SN_OK;
}

static sn_status make_bodies(crowd *c, sn_error *error) {
    NEW(c, c->bodies.bodies, c->bodies.body_count);
    for (uint32_t i = 0; i < c->run_count; ++i) {
        run *r = &c->runs[i];
        for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
            sn_status status = make_body(c, r, k, &c->bodies.bodies[r->first_body + k], error);
            if (status != SN_OK) {
                return status;
            }
        }
        bool moves = r->frame.motion.positions != NULL;
        use_positions(c, r, moves ? r->frame.motion.positions : r->frame.still);
        shape_run(c, r, 0);
    }
    return find_pairs(c, error);
}

// The part of the frame at the end of a number of substeps.
static double part_at(const sni_fibre_motion *m, uint32_t substeps) {
    double time = substeps * SNI_FIBRE_SUBSTEP - m->lag;
    return m->time_step > 0 ? time / m->time_step : 1;
}

static void settle_run(const crowd *c, run *r) {
    sni_fibre_motion *m = &r->frame.motion;
    sni_fibre_motion_settle(m);
    for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
        size_t offset = (size_t)k * r->f->particle_count;
        sni_fibre_contact_calm(&c->bodies.bodies[r->first_body + k], SNI_FIBRE_SUBSTEP,
                               m->before + offset, m->velocities + offset);
    }
}

static void substep(const crowd *c, uint32_t number) {
    sni_fibre_contact_begin(&c->bodies);
    for (uint32_t i = 0; i < c->run_count; ++i) {
        run *r = &c->runs[i];
        sni_fibre_motion *m = &r->frame.motion;
        if (number < m->substep_count) {
            if (number == 0) {
                place_carried(r, part_at(m, 0), true);
            }
            place_carried(r, part_at(m, number + 1), false);
            sni_fibre_motion_advance(m, number);
            shape_run(c, r, part_at(m, number + 1));
        }
    }
    sni_fibre_contact_resolve(&c->bodies);
    for (uint32_t i = 0; i < c->run_count; ++i) {
        if (number < c->runs[i].frame.motion.substep_count) {
            settle_run(c, &c->runs[i]);
        }
    }
}

static void run_substeps(const crowd *c) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->run_count; ++i) {
        uint32_t count = c->runs[i].frame.motion.substep_count;
        most = count > most ? count : most;
    }
    for (uint32_t k = 0; k < most; ++k) {
        substep(c, k);
    }
}

// ---------------------------------------------------------------------------------------------
// From rest to a pose

// The rigid motion that puts the first muscle's first segment from rest to where it is.
static sn_mat4 home_motion(const crowd *c) {
    const run *r = &c->runs[0];
    sni_rigid_frame rest = sni_rigid_frame_of(&r->f->place_rests[0]);
    sni_rigid_frame now = sni_rigid_frame_of(&r->member->job.worlds[r->f->places[0].segment]);
    sn_transform motion = sn_transform_identity();
    motion.rotation = sn_quat_multiply(now.rotation, sn_quat_conjugate(rest.rotation));
    motion.translation =
        sn_vec3_sub(now.translation, sn_quat_rotate(motion.rotation, rest.translation));
    return sn_mat4_from_transform(&motion);
}

// A muscle on its way from rest.
typedef struct led {
    run *r;
    sni_fibre_carrier *carriers;
    sn_transform *carried;
} led;

static bool begins_led(const run *r) {
    return r->touches && r->frame.fresh && !r->f->is_static;
}

static sn_status begin_lead(const crowd *c, const sn_mat4 *home, run *r, led *l, sn_error *error) {
    const sni_fibre *f = r->f;
    sni_fibre_motion *m = &r->frame.motion;
    size_t particles = (size_t)f->fibre_count * f->particle_count;
    l->r = r;
    NEW(c, l->carriers, f->place_count);
    NEW(c, l->carried, sni_fibre_carried_count(f));
    for (uint32_t i = 0; i < f->place_count; ++i) {
        sn_mat4 world = sn_mat4_multiply(home, &f->place_rests[i]);
        l->carriers[i] = sni_fibre_carrier_of(&world, f->places[i].point);
    }
    for (uint32_t i = 0; i < f->bone_count; ++i) {
        // What no segment carries stays.
        sn_mat4 world = f->touched[i].segment != SN_NONE
                            ? sn_mat4_multiply(home, &f->touched[i].rest)
                            : f->touched[i].rest;
        sn_mat4_decompose(&world, &l->carried[i]);
    }
    for (uint32_t i = 0; i < f->around_count; ++i) {
        sn_mat4 world = sn_mat4_multiply(home, &f->around[i].rest);
        sn_mat4_decompose(&world, &l->carried[f->bone_count + i]);
    }
    if (m->positions == NULL) { // nothing is remembered
        NEW(c, m->positions, particles);
        NEW(c, m->velocities, particles);
        use_positions(c, r, m->positions);
    }
    for (uint32_t k = 0; k < f->fibre_count; ++k) {
        sni_fibre_row row = sni_fibre_row_of(f, f->points, k);
        for (uint32_t i = 0; i < f->particle_count; ++i) {
            m->positions[(size_t)k * f->particle_count + i] = sn_mat4_point(home, row.particles[i]);
        }
    }
    m->from = l->carriers;
    sni_fibre_motion_turn(m);
    set_way(r, l->carried, r->frame.carried_to);
    place_carried(r, 0, true);
    return SN_OK;
}

static void lead_step(const crowd *c, led *leds, uint32_t count, double t) {
    sni_fibre_contact_begin(&c->bodies);
    for (uint32_t i = 0; i < count; ++i) {
        run *r = leds[i].r;
        place_carried(r, t, false);
        sni_fibre_motion_place(&r->frame.motion, t);
        shape_run(c, r, 1);
    }
    sni_fibre_contact_resolve(&c->bodies);
}

static void end_lead(const led *l) {
    const sni_fibre *f = l->r->f;
    sni_fibre_motion *m = &l->r->frame.motion;
    size_t particles = (size_t)f->fibre_count * f->particle_count;
    for (size_t i = 0; i < particles; ++i) {
        m->velocities[i] = sn_vec3_make(0, 0, 0);
    }
    m->from = m->to;
    sni_fibre_motion_turn(m);
    set_way(l->r, l->r->frame.carried_from, l->r->frame.carried_to);
    memcpy(l->r->frame.particles, m->positions, particles * sizeof *m->positions);
}

static void set_friction(const crowd *c, sni_fibre_friction friction) {
    for (uint32_t i = 0; i < c->bodies.body_count; ++i) {
        c->bodies.bodies[i].friction = friction;
    }
}

// Leads those that are marked.
static sn_status lead_from_rest(const crowd *c, sn_error *error) {
    uint32_t count = 0;
    led *leds;
    sn_status status = SN_OK;
    sn_mat4 home = home_motion(c);
    NEW(c, leds, c->run_count);
    for (uint32_t i = 0; i < c->run_count && status == SN_OK; ++i) {
        if (c->runs[i].is_led) {
            status = begin_lead(c, &home, &c->runs[i], &leds[count++], error);
        }
    }
    if (status != SN_OK || count == 0) {
        return status;
    }
    set_friction(c, (sni_fibre_friction){0, 0});
    for (int k = 1; k <= LEAD_STEPS + SETTLE_STEPS; ++k) {
        lead_step(c, leds, count, fmin(1, (double)k / LEAD_STEPS));
    }
    set_friction(c, SNI_FIBRE_FRICTION);
    for (uint32_t i = 0; i < count; ++i) {
        end_lead(&leds[i]);
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Winding
//
// Ends that are thrown around a bone leave a muscle wound around it, as a rope would be, and no
// motion of a body brings it back. Where its ends stand still, and a muscle goes around a bone by
// more than at rest and much more than half a turn, it is led from rest to the pose once more; if
// that way does not go around the bone so far, by half a turn, it stays there. While ends move
// nothing is done: frames of different rates would do it at different times.

static const double suspect = 1.25 * SN_PI, half_turn = SN_PI;

static double rest_sweep(const run *r, uint32_t fibre, uint32_t bone) {
    const sni_fibre *f = r->f;
    sni_fibre_row row = sni_fibre_row_of(f, f->points, fibre);
    sn_mat4 world = sn_mat4_multiply(&f->touched[bone].rest, &f->touched[bone].to_segment);
    sni_fibre_bone_pose pose;
    sni_fibre_body body = {
        .positions = row.particles, .bones = &f->bones[bone], .bone_poses = &pose, .bone_count = 1};
    body.chain.particle_count = f->particle_count;
    return sni_fibre_bone_place(&world, &world, &pose) ? sni_fibre_bone_sweep(&body, 0) : 0;
}

// Whether its ends stay where they are in this frame.
static bool stands(const run *r) {
    static const double still = 1e-6; // metres, and of quaternions
    const sni_fibre_motion *m = &r->frame.motion;
    bool stays = true;
    for (uint32_t i = 0; i < r->f->place_count; ++i) {
        const sni_fibre_carrier *a = &m->from[i], *b = &m->to[i];
        double turned = 1 - fabs(sn_quat_dot(a->rotation, b->rotation));
        stays = stays && sn_vec3_distance(a->translation, b->translation) < still && turned < still;
    }
    return stays && m->time_step > 0;
}

static bool is_suspect(const crowd *c, const run *r) {
    if (r->f->is_static || r->is_led || r->frame.motion.positions == NULL || !stands(r)) {
        return false;
    }
    for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
        const sni_fibre_body *body = &c->bodies.bodies[r->first_body + k];
        for (uint32_t bone = 0; bone < r->bone_count; ++bone) {
            double sweep = sni_fibre_bone_sweep(body, bone);
            if (fabs(sweep) > suspect && fabs(sweep - rest_sweep(r, k, bone)) > half_turn) {
                return true;
            }
        }
    }
    return false;
}

// Sweeps of all fibres about all bones.
static void list_sweeps(const crowd *c, const run *r, double *sweeps) {
    for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
        for (uint32_t bone = 0; bone < r->bone_count; ++bone) {
            *sweeps++ = sni_fibre_bone_sweep(&c->bodies.bodies[r->first_body + k], bone);
        }
    }
}

// A muscle before it is led once more.
typedef struct wound {
    sn_vec3 *positions, *velocities;
    const sni_fibre_carrier *from;
    double *sweeps, *led_sweeps;
} wound;

static size_t particles_of(const run *r) {
    return (size_t)r->f->fibre_count * r->f->particle_count;
}

static sn_status keep_wound(const crowd *c, const run *r, wound *w, sn_error *error) {
    const sni_fibre_motion *m = &r->frame.motion;
    size_t sweeps = (size_t)r->f->fibre_count * r->bone_count;
    *w = (wound){.from = m->from};
    if (m->positions == NULL) {
        return SN_OK; // it remembers nothing, and does not move
    }
    NEW(c, w->positions, particles_of(r));
    NEW(c, w->velocities, particles_of(r));
    NEW(c, w->sweeps, sweeps);
    NEW(c, w->led_sweeps, sweeps);
    memcpy(w->positions, m->positions, particles_of(r) * sizeof *w->positions);
    memcpy(w->velocities, m->velocities, particles_of(r) * sizeof *w->velocities);
    list_sweeps(c, r, w->sweeps);
    return SN_OK;
}

// Whether the way from rest goes around a bone by half a turn less.
static bool is_wound(const crowd *c, const run *r, const wound *w) {
    size_t count = (size_t)r->f->fibre_count * r->bone_count;
    bool is = false;
    list_sweeps(c, r, w->led_sweeps);
    for (size_t i = 0; i < count; ++i) {
        is = is || fabs(w->sweeps[i]) - fabs(w->led_sweeps[i]) > half_turn;
    }
    return is;
}

// What is not wound, or was only in the way, is put back to where it was.
static sn_status unwind(const crowd *c, sn_error *error) {
    bool any = false;
    wound *wounds;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < c->run_count; ++i) {
        run *r = &c->runs[i];
        r->is_led = is_suspect(c, r);
        any = any || r->is_led;
    }
    if (!any) {
        return SN_OK;
    }
    NEW(c, wounds, c->run_count);
    for (uint32_t i = 0; i < c->run_count && status == SN_OK; ++i) {
        status = keep_wound(c, &c->runs[i], &wounds[i], error);
    }
    status = status == SN_OK ? lead_from_rest(c, error) : status;
    for (uint32_t i = 0; i < c->run_count && status == SN_OK; ++i) {
        run *r = &c->runs[i];
        sni_fibre_motion *m = &r->frame.motion;
        r->unwound = r->is_led && is_wound(c, r, &wounds[i]);
        if (!r->unwound && wounds[i].positions != NULL) {
            memcpy(m->positions, wounds[i].positions, particles_of(r) * sizeof *m->positions);
            memcpy(m->velocities, wounds[i].velocities, particles_of(r) * sizeof *m->velocities);
            m->from = wounds[i].from;
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// What is shown

// Keeps what is shown clear of what it touches. True where that has moved it by much: it may then
// be of another length, and so of another thickness than it was kept clear with.
static bool clear_shown(const crowd *c) {
    static const double much = 0.005; // of a radius
    for (uint32_t i = 0; i < c->run_count; ++i) {
        shape_run(c, &c->runs[i], 1);
    }
    sni_fibre_contact_begin(&c->bodies);
    return sni_fibre_contact_resolve(&c->bodies) > much;
}

// Scales surfaces so that they keep their volume. True where a scale has changed by much; then,
// with `halve`, it goes half of the way, since what contact does with a scale can undo it.
static bool scale_shown(const crowd *c, bool halve) {
    static const double much = 0.001;
    bool changed = false;
    for (uint32_t i = 0; i < c->run_count; ++i) {
        run *r = &c->runs[i];
        double before = r->frame.scale;
        sni_fibre_frame_scale(r->f, &r->member->job, &r->frame);
        bool differs = fabs(r->frame.scale - before) > much * before;
        r->frame.scale = differs && halve ? (before + r->frame.scale) / 2 : r->frame.scale;
        changed = changed || differs;
    }
    return changed;
}

// Particles at the end of the frame, which can be a little later than the last substep, are kept
// clear as well. Surfaces that keep their volume are scaled for where they then are, and kept clear
// with that scale, until both hold.
static void show(const crowd *c) {
    enum { MOST_ROUNDS = 16 };
    for (uint32_t i = 0; i < c->run_count; ++i) {
        run *r = &c->runs[i];
        sni_fibre_frame_keep(r->f, &r->member->job, &r->frame);
        set_way(r, r->frame.carried_to, r->frame.carried_to);
        place_carried(r, 0, true);
        use_positions(c, r, r->frame.particles);
    }
    set_friction(c, (sni_fibre_friction){0, 0});
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        bool moved = clear_shown(c);
        if (!scale_shown(c, round > 1) && !moved) {
            break;
        }
    }
    for (uint32_t i = 0; i < c->run_count; ++i) {
        run *r = &c->runs[i];
        for (uint32_t k = 0; k < r->f->fibre_count; ++k) {
            const sni_fibre_body *body = &c->bodies.bodies[r->first_body + k];
            r->worst = fmax(r->worst, body->worst);
            r->tendon_miss = fmax(r->tendon_miss, r->touches ? body->tendon_miss : 0);
        }
    }
}

static void tell(const run *r) {
    const sni_fibre *f = r->f;
    char *text = r->member->trouble;
    size_t size = sizeof r->member->trouble;
    const double *points = r->member->job.contracted;
    if (r->worst > too_deep) {
        snprintf(text, size,
                 "%s: it has no room between what it touches: it is %.2g of its radius too deep",
                 f->name, r->worst);
    } else if (r->tendon_miss > too_long) {
        snprintf(text, size, "%s: what it touches stretches its tendons by %.2g of their length",
                 f->name, r->tendon_miss);
    } else if (r->unwound) {
        snprintf(text, size, "%s: it was wound around a bone, and has been laid anew from rest",
                 f->name);
    } else if (!r->frame.kept) {
        snprintf(text, size,
                 "%s: no scale of its sections keeps its volume: %.4g of %.4g m3, at %.3g of its "
                 "rest length",
                 f->name, sni_fibre_volume(f, points), f->rest_volume,
                 sni_rings_length(&f->rings, points) / f->rest_length);
    }
}

sn_status sni_fibre_pose_together(uint32_t count, sni_muscle_member *members, sn_error *error) {
    crowd c = {.arena = members[0].job.arena, .run_count = count};
    sn_status status = SN_OK;
    c.runs = sni_arena_alloc(c.arena, count, sizeof *c.runs);
    SN_TRY(c.runs != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < count; ++i) {
        members[i].trouble[0] = 0;
        SN_TRY(begin_run(&c, &members[i], &c.runs[i], error));
    }
    SN_TRY(make_bodies(&c, error));
    for (uint32_t i = 0; i < count; ++i) {
        c.runs[i].is_led = begins_led(&c.runs[i]);
    }
    SN_TRY(lead_from_rest(&c, error));
    run_substeps(&c);
    SN_TRY(unwind(&c, error));
    show(&c);
    for (uint32_t i = 0; i < count; ++i) {
        run *r = &c.runs[i];
        SN_TRY(sni_fibre_frame_end(r->f, &members[i].job, &r->frame, error));
        tell(r);
    }
cleanup:
    return status;
}
