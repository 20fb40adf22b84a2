// SPDX-License-Identifier: Apache-2.0
//
// Feet that are planted in the source are held in the target. A foot rests while it is planted,
// which has nothing to do with the rest pose.
//
// The ankle of a foot gets a shift s(t), and the leg is bent to bring it there; the foot turns as
// it did. While a point p(t) of the foot is planted - the ankle, or the ball where the foot rolls
// over it - the shift takes out what p moves:
//
//     s(t + dt) = s(t) - (p(t + dt) - p(t)),    horizontally, with mean 0 over that time,
//
// and puts p at the height that it has on the ground in the target's rest pose. From ankle to ball
// the points are blended. Before and after that time s goes to 0 by a cubic that continues its
// value and its speed, so that a foot leaves the ground without a jerk. A step that is too short
// for this is bridged by one cubic. Farther from all planted frames nothing changes.
//
// Where a held ankle is out of reach the body is lowered: by the most that the frames about each
// one need, smoothed over the same time, so that it is enough in each of them and never jumps.
#include "motion/retarget_feet.h"

#include "base/hermite.h"

#include <math.h>
#include <string.h>

static const double fade_time = 0.2;    // seconds in which a shift comes and goes
static const double roll_time = 0.1;    // seconds from the ankle to the ball
static const double sink_time = 0.1;    // seconds about a frame that its lowering is felt in
static const double lift_time = 0.25;   // seconds about a frame that the ground is the mean of
static const double tremor_time = 0.05; // seconds about a frame: what is quicker is tremor
static const double most_sink = 0.1;    // of a leg: farther, feet rather slide than the body kneels
static const double notable_sink = 0.01; // of a leg: lowered by that, the other leg is bent to stay
static const double near_ground =
    0.04;                              // of a leg: a foot that rests so near to the ground is on it
static const double off_ground = 0.08; // and one that rests so far from it is on something else
static const double nearly_straight = 0.985; // of a leg, hip to ankle: 20 degrees at the knee
static const double straight_knee = 0.02;    // of a leg: knees less off the line tell no direction

sn_status sni_plant_init(sn_context *context, uint32_t frame_count, sni_plant *plant,
                         sn_error *error) {
    sn_status status = SN_OK;
    *plant = (sni_plant){0};
    SNI_NEW_ZERO(context, plant->places, frame_count);
    SNI_NEW_ZERO(context, plant->legs, frame_count);
    SNI_NEW_ZERO(context, plant->sink, frame_count);
    SNI_NEW_ZERO(context, plant->body, frame_count);
cleanup:
    return status;
}

void sni_plant_deinit(sn_context *context, sni_plant *plant) {
    sni_free(context, plant->places);
    sni_free(context, plant->legs);
    sni_free(context, plant->sink);
    sni_free(context, plant->body);
    *plant = (sni_plant){0};
}

// ---------------------------------------------------------------------------------------------
// While a foot rests

typedef struct rest_span {
    sni_plant *plant;
    const uint8_t *kinds;
    const double *above; // of the clip
    int side;
    uint32_t first, last; // frames, both included
    double roll;          // frames from the ankle to the ball
} rest_span;

// How much the ankle counts, not the ball: 1 where it rests.
static double ankle_share(const rest_span *span, uint32_t frame) {
    double distance = INFINITY;
    for (uint32_t i = 0; i <= span->roll + 1; ++i) {
        bool before = frame >= span->first + i && span->kinds[frame - i] == SNI_CONTACT_ANKLE;
        bool after = frame + i <= span->last && span->kinds[frame + i] == SNI_CONTACT_ANKLE;
        if (before || after) {
            distance = i;
            break;
        }
    }
    return sni_smooth_step(1 - distance / (span->roll + 1));
}

static sn_vec3 place(const rest_span *span, uint32_t frame, sni_followed joint) {
    return span->plant->places[frame][joint][span->side];
}

static sn_vec3 *shift_at(const rest_span *span, uint32_t frame) {
    return &span->plant->legs[frame][span->side].shift;
}

static sn_vec3 moved(const rest_span *span, uint32_t frame, sni_followed joint) {
    return sn_vec3_sub(place(span, frame, joint), place(span, frame - 1, joint));
}

// Where a joint is to rest: on the ground, if it does so in the clip, else as high over it as
// there. The clip decides, since wide hips that roll lift a leg of the target that stands in the
// clip.
static double hold_height(const rest_span *span, sni_followed joint, uint8_t kind) {
    double ground = span->plant->rest_heights[joint == SNI_FOLLOWED_TOES][span->side];
    double sum = 0, count = 0;
    for (uint32_t f = span->first; f <= span->last; ++f) {
        if (span->kinds[f] == kind) {
            sum += span->above[f];
            count++;
        }
    }
    double above = count > 0 ? sum / count : 0;
    double on_ground = sni_smooth_step((off_ground - fabs(above)) / (off_ground - near_ground));
    return ground + span->plant->leg * above * (1 - on_ground);
}

static void hold_places(const rest_span *span) {
    sn_vec3 sum = {0, 0, 0}, still = {0, 0, 0};
    double share = ankle_share(span, span->first);
    *shift_at(span, span->first) = still;
    for (uint32_t f = span->first + 1; f <= span->last; ++f) {
        double next = ankle_share(span, f);
        sn_vec3 step = sn_vec3_lerp(moved(span, f, SNI_FOLLOWED_TOES),
                                    moved(span, f, SNI_FOLLOWED_FOOT), (share + next) / 2);
        still = sn_vec3_sub(still, step);
        *shift_at(span, f) = still;
        sum = sn_vec3_add(sum, still);
        share = next;
    }
    sn_vec3 mean = sn_vec3_scale(sum, 1.0 / (span->last - span->first + 1));
    for (uint32_t f = span->first; f <= span->last; ++f) {
        *shift_at(span, f) = sn_vec3_sub(*shift_at(span, f), mean);
    }
}

static void hold_heights(const rest_span *span) {
    double ankle = hold_height(span, SNI_FOLLOWED_FOOT, SNI_CONTACT_ANKLE);
    double ball = hold_height(span, SNI_FOLLOWED_TOES, SNI_CONTACT_TOES);
    for (uint32_t f = span->first; f <= span->last; ++f) {
        double share = ankle_share(span, f);
        shift_at(span, f)->y = share * (ankle - place(span, f, SNI_FOLLOWED_FOOT).y) +
                               (1 - share) * (ball - place(span, f, SNI_FOLLOWED_TOES).y);
    }
}

// The farthest that the resting point moves from where it was when that began.
static double slide_of(const rest_span *span) {
    double farthest = 0;
    uint32_t first = span->first;
    for (uint32_t f = span->first; f <= span->last; ++f) {
        sni_followed joint =
            span->kinds[f] == SNI_CONTACT_ANKLE ? SNI_FOLLOWED_FOOT : SNI_FOLLOWED_TOES;
        first = span->kinds[f] != span->kinds[first] ? f : first;
        sn_vec3 way = sn_vec3_sub(place(span, f, joint), place(span, first, joint));
        farthest = fmax(farthest, hypot(way.x, way.z));
    }
    return farthest;
}

static void hold(const rest_span *span) {
    sni_plant *plant = span->plant;
    hold_places(span);
    hold_heights(span);
    for (uint32_t f = span->first; f <= span->last; ++f) {
        plant->legs[f][span->side].strength = 1;
    }
    plant->count++;
    plant->slid = fmax(plant->slid, slide_of(span));
    plant->moves = true;
}

// ---------------------------------------------------------------------------------------------
// Between

// A cubic in Hermite's form, from a with speed u to b with speed v; t from 0 to 1.
static sn_vec3 hermite(sn_vec3 a, sn_vec3 u, sn_vec3 b, sn_vec3 v, double t) {
    double s = 1 - t;
    sn_vec3 sum = sn_vec3_scale(a, s * s * (1 + 2 * t));
    sum = sn_vec3_add_scaled(sum, t * s * s, u);
    sum = sn_vec3_add_scaled(sum, t * t * (1 + 2 * s), b);
    return sn_vec3_add_scaled(sum, -t * t * s, v);
}

typedef struct pause {
    uint32_t before, after; // frames at rest on either side; SN_NONE: none
    double fade;            // frames
} pause;

// The change of a shift per frame at an end of a time of rest; `into` is +1 or -1, towards the
// inside.
static sn_vec3 speed_at(const sni_plant *plant, int side, uint32_t frame, int into) {
    sn_vec3 here = plant->legs[frame][side].shift;
    sn_vec3 inside = plant->legs[frame + (uint32_t)into][side].shift;
    return sn_vec3_scale(sn_vec3_sub(inside, here), into);
}

static void bridge(sni_plant *plant, int side, const pause *p, uint32_t frame) {
    const sn_vec3 zero = {0, 0, 0};
    bool has_before = p->before != SN_NONE, has_after = p->after != SN_NONE;
    sn_vec3 a = has_before ? plant->legs[p->before][side].shift : zero;
    sn_vec3 b = has_after ? plant->legs[p->after][side].shift : zero;
    sn_vec3 u = has_before ? speed_at(plant, side, p->before, -1) : zero;
    sn_vec3 v = has_after ? speed_at(plant, side, p->after, 1) : zero;
    double since = has_before ? frame - p->before : INFINITY;
    double until = has_after ? p->after - frame : INFINITY;
    double length = since + until;
    sni_leg_plan *leg = &plant->legs[frame][side];
    leg->strength = sni_smooth_step(1 - fmin(since, until) / p->fade);
    if (length < 2 * p->fade) {
        leg->shift =
            hermite(a, sn_vec3_scale(u, length), b, sn_vec3_scale(v, length), since / length);
    } else if (since < p->fade) {
        leg->shift = hermite(a, sn_vec3_scale(u, p->fade), zero, zero, since / p->fade);
    } else if (until < p->fade) {
        leg->shift = hermite(zero, zero, b, sn_vec3_scale(v, p->fade), 1 - until / p->fade);
    }
}

static void plan_side(sni_plant *plant, const sni_contacts *contacts, int side, uint32_t count,
                      double rate) {
    const uint8_t *kinds = contacts->kinds[side];
    rest_span span = {.plant = plant,
                      .kinds = kinds,
                      .above = contacts->above[side],
                      .side = side,
                      .roll = round(roll_time * rate)};
    for (uint32_t f = 0; f < count; ++f) {
        bool begins = kinds[f] != SNI_CONTACT_NONE && (f == 0 || kinds[f - 1] == SNI_CONTACT_NONE);
        span.first = begins ? f : span.first;
        if (kinds[f] != SNI_CONTACT_NONE && (f + 1 == count || kinds[f + 1] == SNI_CONTACT_NONE)) {
            span.last = f;
            hold(&span);
        }
    }
    pause p = {.before = SN_NONE, .after = SN_NONE, .fade = fmax(2, round(fade_time * rate))};
    for (uint32_t f = 0; f < count; ++f) {
        if (kinds[f] != SNI_CONTACT_NONE) {
            p.before = f;
            p.after = SN_NONE;
            continue;
        }
        for (uint32_t i = f; p.after == SN_NONE && i < count; ++i) {
            p.after = kinds[i] != SNI_CONTACT_NONE ? i : SN_NONE;
        }
        if (p.before == SN_NONE && p.after == SN_NONE) {
            return;
        }
        bridge(plant, side, &p, f);
    }
}

// ---------------------------------------------------------------------------------------------
// Lowering the body

double sni_leg_most(sn_vec3 hip, sn_vec3 knee, sn_vec3 ankle) {
    double length = sn_vec3_distance(hip, knee) + sn_vec3_distance(knee, ankle);
    return fmax(sn_vec3_distance(hip, ankle), nearly_straight * length);
}

static double needed_sink(const sni_plant *plant, uint32_t frame, int side) {
    const sni_leg_plan *leg = &plant->legs[frame][side];
    sn_vec3 hip = plant->places[frame][SNI_FOLLOWED_THIGH][side];
    sn_vec3 knee = plant->places[frame][SNI_FOLLOWED_SHIN][side];
    sn_vec3 ankle = plant->places[frame][SNI_FOLLOWED_FOOT][side];
    sn_vec3 way = sn_vec3_sub(hip, sn_vec3_add(ankle, leg->shift));
    double most = sni_leg_most(hip, knee, ankle);
    double across = way.x * way.x + way.z * way.z;
    double sink = way.y - sqrt(fmax(most * most - across, 0));
    return leg->strength * fmin(fmax(sink, 0), most_sink * plant->leg);
}

static void most_about(const double *values, uint32_t count, uint32_t reach, double *result) {
    for (uint32_t f = 0; f < count; ++f) {
        uint32_t from = f > reach ? f - reach : 0, to = f + reach < count ? f + reach : count - 1;
        double most = 0;
        for (uint32_t i = from; i <= to; ++i) {
            most = fmax(most, values[i]);
        }
        result[f] = most;
    }
}

// The mean with weights 1 + cos; values before the first and behind the last are those.
static void mean_about(const double *values, uint32_t count, uint32_t reach, double *result) {
    for (uint32_t f = 0; f < count; ++f) {
        double sum = 0, weights = 0;
        for (int64_t i = (int64_t)f - reach; i <= (int64_t)f + reach; ++i) {
            int64_t at = i < 0 ? 0 : i >= count ? (int64_t)count - 1 : i;
            double weight = 1 + cos(SN_PI * (double)(i - (int64_t)f) / (reach + 1));
            sum += weight * values[at];
            weights += weight;
        }
        result[f] = sum / weights;
    }
}

static sn_status plan_sink(sn_context *context, sni_plant *plant, uint32_t count, double rate,
                           sn_error *error) {
    sn_status status = SN_OK;
    uint32_t reach = (uint32_t)fmax(1, round(sink_time * rate));
    double *needed = NULL, *most = NULL;
    SNI_NEW(context, needed, count);
    SNI_NEW(context, most, count);
    for (uint32_t f = 0; f < count; ++f) {
        needed[f] = fmax(needed_sink(plant, f, 0), needed_sink(plant, f, 1));
    }
    most_about(needed, count, reach, most);
    mean_about(most, count, reach, plant->sink);
cleanup:
    sni_free(context, needed);
    sni_free(context, most);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Ground that is not level

// What lifts the feet that rest in a frame, on average; NAN where none does.
static double needed_lift(const sni_plant *plant, const sni_contacts *contacts, uint32_t frame) {
    double sum = 0, count = 0;
    for (int side = 0; side < 2; ++side) {
        if (contacts->kinds[side][frame] == SNI_CONTACT_ANKLE) {
            sum += plant->legs[frame][side].shift.y;
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

// Straight lines from what is known to what is known next; constant before the first and behind the
// last.
static void fill_gaps(double *values, uint32_t count) {
    uint32_t before = SN_NONE;
    for (uint32_t f = 0; f < count; ++f) {
        if (isnan(values[f])) {
            continue;
        }
        uint32_t from = before == SN_NONE ? 0 : before + 1;
        for (uint32_t i = from; i < f; ++i) {
            double t = before == SN_NONE ? 1 : (double)(i - before) / (f - before);
            values[i] = t == 1 ? values[f] : values[before] + t * (values[f] - values[before]);
        }
        before = f;
    }
    for (uint32_t i = before == SN_NONE ? 0 : before + 1; i < count; ++i) {
        values[i] = before == SN_NONE ? 0 : values[before];
    }
}

// A floor of motion capture may be off level by centimetres over a room, and so is what is kept
// under a body over some steps. The body goes up and down with it, and only what differs between
// the feet is left to the legs.
static sn_status plan_lift(sn_context *context, const sni_contacts *contacts, uint32_t count,
                           double rate, sni_plant *plant, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t reach = (uint32_t)fmax(1, round(lift_time * rate));
    double *needed = NULL, *lift = NULL;
    SNI_NEW(context, needed, count);
    SNI_NEW(context, lift, count);
    for (uint32_t f = 0; f < count; ++f) {
        needed[f] = needed_lift(plant, contacts, f);
    }
    fill_gaps(needed, count);
    mean_about(needed, count, reach, lift);
    for (uint32_t f = 0; f < count; ++f) {
        plant->body[f] = sn_vec3_make(0, lift[f], 0);
    }
cleanup:
    sni_free(context, needed);
    sni_free(context, lift);
    return status;
}

// What a shift has more than its mean over the frames about it, less towards the ends of the time
// of rest.
static sn_vec3 tremor_of(const rest_span *span, uint32_t frame, uint32_t reach) {
    sn_vec3 sum = {0, 0, 0};
    uint32_t end =
        frame - span->first < span->last - frame ? frame - span->first : span->last - frame;
    uint32_t near = end < reach ? end : reach; // the same to both sides: a slope is no tremor
    double weights = 0;
    for (uint32_t i = frame - near; i <= frame + near; ++i) {
        double weight = 1 + cos(SN_PI * ((double)i - frame) / (near + 1));
        sum = sn_vec3_add_scaled(sum, weight, *shift_at(span, i));
        weights += weight;
    }
    sn_vec3 mean = sn_vec3_scale(sum, 1 / weights);
    return sn_vec3_scale(sn_vec3_sub(*shift_at(span, frame), mean),
                         sni_smooth_step((double)end / (reach + 1)));
}

// Recorded bodies tremble by millimetres from frame to frame. A foot that is held would give it to
// the knee, many times as large where the leg is nearly straight: the body gets it instead.
static void add_tremor(const sni_contacts *contacts, uint32_t frame, sn_vec3 tremors[2],
                       sni_plant *plant) {
    double count = 0;
    sn_vec3 sum = {0, 0, 0};
    for (int side = 0; side < 2; ++side) {
        if (contacts->kinds[side][frame] != SNI_CONTACT_NONE) {
            sum = sn_vec3_add(sum, tremors[side]);
            count++;
        }
    }
    if (count > 0) {
        plant->body[frame] = sn_vec3_add_scaled(plant->body[frame], 1 / count, sum);
    }
}

static void plan_tremor(const sni_contacts *contacts, uint32_t count, double rate,
                        sni_plant *plant) {
    uint32_t reach = (uint32_t)round(tremor_time * rate);
    rest_span spans[2] = {{.plant = plant, .kinds = contacts->kinds[0], .side = 0, .last = 0},
                          {.plant = plant, .kinds = contacts->kinds[1], .side = 1, .last = 0}};
    for (uint32_t f = 0; f < count; ++f) {
        sn_vec3 tremors[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int side = 0; side < 2; ++side) {
            rest_span *span = &spans[side];
            if (span->kinds[f] == SNI_CONTACT_NONE) {
                continue;
            }
            if (f == 0 || span->kinds[f - 1] == SNI_CONTACT_NONE) {
                span->first = span->last = f;
                while (span->last + 1 < count && span->kinds[span->last + 1] != SNI_CONTACT_NONE) {
                    span->last++;
                }
            }
            tremors[side] = tremor_of(span, f, reach);
        }
        add_tremor(contacts, f, tremors, plant);
    }
}

// Takes what the body does into where the legs are.
static void move_places(sni_plant *plant, uint32_t count) {
    for (uint32_t f = 0; f < count; ++f) {
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < SNI_FOLLOWED_COUNT; ++i) {
                sn_vec3 *place = &plant->places[f][i][side];
                *place = sn_vec3_add(*place, plant->body[f]);
            }
            plant->legs[f][side] = (sni_leg_plan){.strength = 0};
        }
    }
}

static void plan_sides(const sni_contacts *contacts, uint32_t count, double rate,
                       sni_plant *plant) {
    plant->count = 0;
    for (int side = 0; side < 2; ++side) {
        plan_side(plant, contacts, side, count, rate);
    }
}

sn_status sni_plant_make(sn_context *context, const sni_contacts *contacts, uint32_t frame_count,
                         double rate, sni_plant *plant, sn_error *error) {
    SN_ASSERT(plant->leg > 0);
    plan_sides(contacts, frame_count, rate, plant);
    if (!plant->moves) {
        return SN_OK;
    }
    sn_status status = plan_lift(context, contacts, frame_count, rate, plant, error);
    if (status != SN_OK) {
        return status;
    }
    plan_tremor(contacts, frame_count, rate, plant);
    move_places(plant, frame_count);
    plan_sides(contacts, frame_count, rate, plant);
    status = plan_sink(context, plant, frame_count, rate, error);
    // A lowered body takes the other leg along unless that is bent as well.
    for (uint32_t f = 0; f < frame_count && status == SN_OK; ++f) {
        double needed = sni_smooth_step(plant->sink[f] / (notable_sink * plant->leg));
        for (int side = 0; side < 2; ++side) {
            plant->legs[f][side].strength = fmax(plant->legs[f][side].strength, needed);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// One leg

// The distance that a leg takes for one that it is asked for: that itself up to `most`, then ever
// less, so that it never gets quite straight (and a knee never snaps).
static double soft_length(double asked, double most, double whole) {
    double room = whole - most;
    if (asked <= most || !(room > 0)) {
        return fmin(asked, whole);
    }
    return whole - room * exp(-(asked - most) / room);
}

void sni_leg_bend(sn_vec3 hip, sn_vec3 knee, sn_vec3 ankle, sn_vec3 goal, sn_vec3 ahead,
                  double most, sn_quat turns[2]) {
    double a = sn_vec3_distance(hip, knee), b = sn_vec3_distance(knee, ankle);
    sn_vec3 line = sn_vec3_sub(ankle, hip), aim = sn_vec3_sub(goal, hip);
    turns[0] = turns[1] = sn_quat_identity();
    if (!(a > 0 && b > 0 && sn_vec3_length(line) > 0 && sn_vec3_length(aim) > 0)) {
        return;
    }
    const sn_vec3 from = sn_vec3_normalize_or(line, line), to = sn_vec3_normalize_or(aim, aim);
    sn_quat swing = sn_quat_between(from, to);
    // Where the knee points, square to the line: as it does, and ahead where it is nearly straight.
    sn_vec3 thigh = sn_vec3_sub(knee, hip), shin = sn_vec3_sub(ankle, knee);
    sn_vec3 off = sn_vec3_add_scaled(thigh, -sn_vec3_dot(thigh, from), from);
    sn_vec3 straight = sn_vec3_add_scaled(ahead, -sn_vec3_dot(ahead, from), from);
    straight = sn_vec3_normalize_or(straight, sn_vec3_perpendicular(from));
    sn_vec3 pole = sn_vec3_add_scaled(off, straight_knee * (a + b), straight);
    pole = sn_quat_rotate(swing, sn_vec3_normalize_or(pole, straight));
    double length = soft_length(sn_vec3_length(aim), most, a + b);
    length = fmax(length, fabs(a - b) + 1e-6 * (a + b)); // a leg that is folded up
    // The law of cosines at the hip.
    double cosine = (a * a + length * length - b * b) / (2 * a * length);
    double sine = sqrt(fmax(0, 1 - cosine * cosine));
    sn_vec3 new_thigh = sn_vec3_add_scaled(sn_vec3_scale(to, a * cosine), a * sine, pole);
    sn_vec3 new_shin = sn_vec3_sub(sn_vec3_scale(to, length), new_thigh);
    turns[0] =
        sni_align_direction(swing, sn_vec3_scale(thigh, 1 / a), sn_vec3_scale(new_thigh, 1 / a));
    turns[1] =
        sni_align_direction(swing, sn_vec3_scale(shin, 1 / b), sn_vec3_scale(new_shin, 1 / b));
}
