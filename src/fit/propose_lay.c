// SPDX-License-Identifier: Apache-2.0
#include "fit/propose_lay.h"

#include "base/context.h"

// How many ends are tried, from those of the strip to the furthest ones.
enum { TRIES = 6 };

// Where the skin does not follow the joint it is a hard shell, which can swell less.
static const double stiff_bulge = 0.5;

// The best muscle so far.
typedef struct search {
    const sni_muscle_idea *idea;
    sn_layout_muscle best;
    sni_shortening shortening;
    bool met_skin;       // some strip has found its skin
    const char *against; // why curves did not make a muscle; NULL
} search;

// Keeps a muscle that shortens better than the best one, if it can be made.
static sn_status weigh(const sni_proposal *job, const sn_layout_muscle *muscle, search *s,
                       sn_error *error) {
    sni_shortening shortening = sni_propose_try(job, &s->idea->pull, muscle);
    const char *against = NULL;
    sn_status status = SN_OK;
    s->met_skin = true;
    if (shortening > s->shortening) {
        status = sni_propose_make(job, muscle, &against, error);
        if (status == SN_OK && against == NULL) {
            s->best = *muscle;
            s->shortening = shortening;
        } else {
            s->against = against;
        }
    }
    return status;
}

static sn_status try_mirror(const sni_proposal *job, search *s, sn_error *error) {
    sn_layout_muscle muscle = s->best;
    const sn_layout_muscle *other = &job->layout->muscles[s->idea->other];
    bool found = false;
    sn_status status = sni_strip_mirror(job, other, &muscle, &found, error);
    return status == SN_OK && found ? weigh(job, &muscle, s, error) : status;
}

static sn_status try_strips(const sni_proposal *job, search *s, sn_error *error) {
    sn_status status = SN_OK;
    for (int k = 0; k < TRIES && s->shortening != SNI_SHORTENS_CURVES && status == SN_OK; ++k) {
        sn_layout_muscle muscle = {.name = s->idea->name, .group = "muscle"};
        sni_strip strip = s->idea->strip;
        bool found = false;
        strip.range[0] -= s->idea->reach[0] * k / (TRIES - 1);
        strip.range[1] += s->idea->reach[1] * k / (TRIES - 1);
        status = sni_strip_cast(job, &strip, &s->idea->action, &muscle, &found, error);
        if (status == SN_OK && found) {
            status = weigh(job, &muscle, s, error);
        }
    }
    return status;
}

static const char *reason_of(const sni_proposal *job, const search *s) {
    const char *joint = job->skeleton->segments[s->idea->pull.joint].name;
    if (!s->met_skin) {
        return "too little skin of that part of the body lies where it would be";
    }
    return s->against != NULL ? s->against
                              : sni_layout_text(job->layout,
                                                "it would not get shorter when %s turns the way "
                                                "that it pulls",
                                                joint);
}

sn_status sni_propose_lay(sni_proposal *job, const sni_muscle_idea *idea, uint32_t *made,
                          sn_error *error) {
    search s = {.idea = idea, .best = {.name = idea->name, .group = "muscle"}};
    sn_status status = SN_OK;
    *made = SN_NONE;
    if (idea->other != SN_NONE) {
        SN_TRY(try_mirror(job, &s, error));
    }
    if (s.shortening == SNI_SHORTENS_NOT) {
        SN_TRY(try_strips(job, &s, error));
    }
    if (s.shortening == SNI_SHORTENS_NOT) {
        return sni_layout_skip(job->layout, idea->name, reason_of(job, &s), error);
    }
    if (s.shortening == SNI_SHORTENS_ENDS) {
        s.best.bulge *= stiff_bulge;
    }
    sni_propose_drive(job, &idea->pull, s.shortening, &s.best);
    *made = job->layout->muscle_count;
    SN_TRY(sni_layout_add(job->layout, &s.best, error));
cleanup:
    return status;
}
