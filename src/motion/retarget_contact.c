// SPDX-License-Identifier: Apache-2.0
//
// When the feet of a clip are planted on the ground.
//
// A joint of a foot is planted, or rests, from where it gets slower than `slow` until it gets
// faster than `fast`, while it is low. There are two thresholds, so that noise about one of them
// does not chop a step. Lengths are in legs (thigh and shin) and speeds in legs per second, so that
// a child and a giant are judged alike. The clip tells what is low: near the height of the lowest
// tenth of all slow joints.
#include "motion/retarget_feet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double slow = 0.2;         // 0.16 m/s of an adult; a foot in swing makes 4 m/s
static const double fast = 0.4;         // of a ball, and of an ankle without one
static const double rolls = 0.25;       // of an ankle: the foot rolls over its ball from there on
static const double rising = 0.2;       // up or down: a foot that leaves the ground is not dragged
static const double low = 0.06;         // 5 cm of an adult: ankles on soft ground and on tiptoe
static const double lost = 0.12;        // where a joint that rested is no longer low
static const double stair = 0.1;        // 8 cm: an ankle so far below the others is on a stair
static const double lowest_part = 0.1;  // the quantile of slow joints that is the ground
static const double speed_time = 0.017; // seconds: half the span that a speed is measured over
static const double least_time = 0.1;   // seconds that a foot rests at least

typedef struct contact_finder {
    const sni_survey *survey;
    sn_quat turn;
    double leg;
    uint32_t reach; // frames to either side that a speed is measured over
    double levels[SNI_FOLLOWED_COUNT];
    double *heights; // scratch: 2 x frame_count
} contact_finder;

static double height_of(const contact_finder *c, sni_followed joint, int side, uint32_t frame) {
    return sn_quat_rotate(c->turn, c->survey->places[frame][joint][side]).y;
}

// Legs per second.
static sn_vec3 velocity_of(const contact_finder *c, sni_followed joint, int side, uint32_t frame) {
    const sni_survey *s = c->survey;
    uint32_t from = frame > c->reach ? frame - c->reach : 0;
    uint32_t to = frame + c->reach < s->frame_count ? frame + c->reach : s->frame_count - 1;
    sn_vec3 way = sn_vec3_sub(s->places[to][joint][side], s->places[from][joint][side]);
    return sn_vec3_scale(sn_quat_rotate(c->turn, way), s->rate / (c->leg * fmax(to - from, 1)));
}

static double speed_of(const contact_finder *c, sni_followed joint, int side, uint32_t frame) {
    return sn_vec3_length(velocity_of(c, joint, side, frame));
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, uint32_t count, double part) {
    qsort(values, count, sizeof *values, compare_doubles);
    return values[(uint32_t)(part * (count - 1))];
}

// False where the joint is never slow.
static bool find_level(contact_finder *c, sni_followed joint) {
    uint32_t count = 0;
    for (int side = 0; side < 2; ++side) {
        for (uint32_t f = 0; f < c->survey->frame_count; ++f) {
            if (speed_of(c, joint, side, f) < slow) {
                c->heights[count++] = height_of(c, joint, side, f);
            }
        }
    }
    c->levels[joint] = count > 0 ? quantile(c->heights, count, lowest_part) : 0;
    return count > 0;
}

// How far the lowest joint of a foot is above the ground, in legs.
static double clearance(const contact_finder *c, int side, uint32_t frame, bool with_toes) {
    double ankle = height_of(c, SNI_FOLLOWED_FOOT, side, frame) - c->levels[SNI_FOLLOWED_FOOT];
    double toes = with_toes
                      ? height_of(c, SNI_FOLLOWED_TOES, side, frame) - c->levels[SNI_FOLLOWED_TOES]
                      : ankle;
    return fmin(ankle, toes) / c->leg;
}

static void mark(const contact_finder *c, sni_followed joint, int side, bool with_toes,
                 uint8_t kind, uint8_t *kinds) {
    uint32_t count = c->survey->frame_count;
    uint32_t least = (uint32_t)fmax(3, ceil(least_time * c->survey->rate));
    uint32_t first = SN_NONE;
    double quick = with_toes && joint == SNI_FOLLOWED_FOOT ? rolls : fast;
    for (uint32_t f = 0; f <= count; ++f) {
        bool rests = false;
        if (f < count) {
            bool before = first != SN_NONE;
            sn_vec3 velocity = velocity_of(c, joint, side, f);
            rests = sn_vec3_length(velocity) < (before ? quick : slow) &&
                    fabs(velocity.y) < rising &&
                    clearance(c, side, f, with_toes) < (before ? lost : low);
        }
        if (rests && first == SN_NONE) {
            first = f;
        } else if (!rests && first != SN_NONE) {
            // A clip may be shorter than that: a pose.
            bool lasts = f - first >= least || (first == 0 && f == count);
            for (uint32_t i = first; lasts && i < f; ++i) {
                kinds[i] = kind;
            }
            first = SN_NONE;
        }
    }
}

static void find_ankle_level(contact_finder *c, sni_contacts *contacts) {
    for (int side = 0; side < 2; ++side) {
        for (uint32_t f = 0; f < c->survey->frame_count; ++f) {
            if (contacts->kinds[side][f] == SNI_CONTACT_ANKLE) {
                c->heights[contacts->frames++] = height_of(c, SNI_FOLLOWED_FOOT, side, f);
            }
        }
    }
    contacts->is_level = true;
    if (contacts->frames > 0) {
        contacts->ankle_level = quantile(c->heights, contacts->frames, 0.5);
        contacts->is_level = c->heights[0] > contacts->ankle_level - stair * c->leg; // sorted
    }
}

// A foot may rest on its ball with the ankle high. A ball that rests may be that of a foot on its
// heel.
static void find_heights(contact_finder *c, bool with_toes, sni_contacts *contacts) {
    c->levels[SNI_FOLLOWED_FOOT] =
        contacts->frames > 0 ? contacts->ankle_level : c->levels[SNI_FOLLOWED_FOOT];
    for (int side = 0; side < 2; ++side) {
        for (uint32_t f = 0; f < c->survey->frame_count; ++f) {
            double ball = height_of(c, SNI_FOLLOWED_TOES, side, f) - c->levels[SNI_FOLLOWED_TOES];
            uint8_t kind = contacts->kinds[side][f];
            contacts->above[side][f] = kind == SNI_CONTACT_ANKLE  ? clearance(c, side, f, with_toes)
                                       : kind == SNI_CONTACT_TOES ? ball / c->leg
                                                                  : 0;
        }
    }
}

sn_status sni_contacts_init(sn_context *context, const sni_survey *survey, sn_quat turn, double leg,
                            bool with_toes, sni_contacts *contacts, sn_error *error) {
    sn_status status = SN_OK;
    contact_finder c = {.survey = survey, .turn = turn, .leg = leg};
    c.reach = (uint32_t)fmax(1, round(speed_time * survey->rate));
    *contacts = (sni_contacts){0};
    SNI_NEW_ZERO(context, contacts->kinds[0], survey->frame_count);
    SNI_NEW_ZERO(context, contacts->kinds[1], survey->frame_count);
    SNI_NEW_ZERO(context, contacts->above[0], survey->frame_count);
    SNI_NEW_ZERO(context, contacts->above[1], survey->frame_count);
    SNI_NEW(context, c.heights, 2 * (size_t)survey->frame_count);
    bool known = leg > 0 && sni_survey_has(survey, SNI_FOLLOWED_FOOT);
    with_toes = known && with_toes && sni_survey_has(survey, SNI_FOLLOWED_TOES) &&
                find_level(&c, SNI_FOLLOWED_TOES);
    bool rests = known && find_level(&c, SNI_FOLLOWED_FOOT);
    for (int side = 0; side < 2 && known; ++side) {
        if (with_toes) {
            mark(&c, SNI_FOLLOWED_TOES, side, true, SNI_CONTACT_TOES, contacts->kinds[side]);
        }
        if (rests) {
            mark(&c, SNI_FOLLOWED_FOOT, side, with_toes, SNI_CONTACT_ANKLE, contacts->kinds[side]);
        }
    }
    find_ankle_level(&c, contacts);
    find_heights(&c, with_toes, contacts);
cleanup:
    sni_free(context, c.heights);
    return status;
}

void sni_contacts_deinit(sn_context *context, sni_contacts *contacts) {
    sni_free(context, contacts->kinds[0]);
    sni_free(context, contacts->kinds[1]);
    sni_free(context, contacts->above[0]);
    sni_free(context, contacts->above[1]);
    *contacts = (sni_contacts){0};
}

bool sni_contacts_sole(const sni_survey *survey, const sni_contacts *contacts, sn_quat turn,
                       int side, sn_vec3 *up) {
    sn_vec3 world = sn_quat_rotate(sn_quat_conjugate(turn), sn_vec3_make(0, 1, 0));
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t f = 0; f < survey->frame_count; ++f) {
        if (contacts->kinds[side][f] == SNI_CONTACT_ANKLE) {
            sn_quat back = sn_quat_conjugate(survey->feet[f][side]);
            sum = sn_vec3_add(sum, sn_quat_rotate(back, world));
        }
    }
    *up = sn_vec3_normalize_or(sum, sum);
    return sn_vec3_length(sum) > 0;
}
