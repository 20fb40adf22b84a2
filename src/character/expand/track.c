// SPDX-License-Identifier: Apache-2.0
//
// The track of the other side: values that change their sign, and for gaits a delay that goes round
// the clip.
#include "character/expand/expand.h"

#include "character/schema/schema.h"
#include "sinew/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Keys closer than this stand at one time, seconds; times that are computed are rounded to it.
static const double same_time = 1e-9;

// Values of a track at the start and the end of a clip that closes, relative to its largest.
static const double same_value = 1e-9;

typedef struct key {
    double time, value;
} key;

// The keys of a track while it is delayed.
typedef struct delayed {
    sn_track track; // as it was
    double *times, *values;
    uint32_t count;
    key *keys; // as it becomes, room for all of the track and three more
} delayed;

static bool is_pair(const sn_value *value) {
    return value->type == SN_JSON_ARRAY && sn_value_count(value) == 2 &&
           sn_value_at(value, 0)->type == SN_JSON_NUMBER &&
           sn_value_at(value, 1)->type == SN_JSON_NUMBER;
}

// Whether keys are pairs by rising time; what is wrong with them is left to the check.
static bool are_keys(const sn_value *keys) {
    bool fine = sn_value_count(keys) > 0;
    for (uint32_t i = 0; i < sn_value_count(keys) && fine; ++i) {
        const sn_value *pair = sn_value_at(keys, i);
        fine = is_pair(pair) && sn_value_at(pair, 0)->as.number >= 0 &&
               (i == 0 || sn_value_at(pair, 0)->as.number >
                              sn_value_at(sn_value_at(keys, i - 1), 0)->as.number);
    }
    return fine;
}

// Up to the last key of all tracks: seconds that the clip takes to come round.
static double length_of(const sn_value *clip) {
    const sn_value *tracks = sn_value_get(clip, "tracks");
    double length = 0;
    for (uint32_t i = 0; i < sn_value_count(tracks); ++i) {
        const sn_value *keys = sn_value_get(sn_value_at(tracks, i), "keys");
        if (are_keys(keys)) {
            const sn_value *last = sn_value_at(keys, sn_value_count(keys) - 1);
            length = fmax(length, sn_value_at(last, 0)->as.number);
        }
    }
    return length;
}

static double sample(const delayed *d, double time) {
    double value = 0;
    sn_track_sample(&d->track, time, &value);
    return value;
}

static sn_status open_track(sni_expansion *e, const sn_value *value, delayed *d, sn_error *error) {
    const sn_value *keys = sn_value_get(value, "keys");
    uint32_t count = sn_value_count(keys);
    sn_status status = SN_OK;
    SNI_NEW(e->context, d->times, count);
    SNI_NEW(e->context, d->values, count);
    SNI_NEW(e->context, d->keys, (size_t)count + 3);
    for (uint32_t i = 0; i < count; ++i) {
        d->times[i] = sn_value_at(sn_value_at(keys, i), 0)->as.number;
        d->values[i] = sn_value_at(sn_value_at(keys, i), 1)->as.number;
    }
    d->track = (sn_track){.kind = SN_TRACK_PARAMETER,
                          .interpolation = sni_decode_interpolation(value),
                          .key_count = count,
                          .times = d->times,
                          .values = d->values};
cleanup:
    return status;
}

static sn_status check_closes(const delayed *d, const sn_value *value, double length,
                              sn_error *error) {
    double first = sample(d, 0), last = sample(d, length), largest = fmax(fabs(first), fabs(last));
    return fabs(first - last) <= same_value * largest
               ? SN_OK
               : sni_fail_value(error, value, SN_INVALID,
                                "the track does not end with its first value: it is %.9g at 0 s "
                                "and %.9g at %.9g s, "
                                "so it cannot be delayed cyclically",
                                first, last, length);
}

static int compare_keys(const void *a, const void *b) {
    const key *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static double round_time(double time) {
    return time < 1e6 ? round(time * 1e9) / 1e9 : time;
}

// Adds a key unless it stands at the start or the end of the clip.
static void add_key(delayed *d, double length, double time, double value) {
    if (time > same_time && time < length - same_time) {
        d->keys[d->count++] = (key){round_time(time), value};
    }
}

// The keys from 0 to the end, turned by `delay` round the clip; the clip begins and ends with one.
static void turn_keys(delayed *d, double length, double delay) {
    d->count = 0;
    d->keys[d->count++] = (key){0, sni_round_made(sample(d, round_time(length - delay)))};
    add_key(d, length, delay, d->values[0]); // where the end of the track meets its start
    for (uint32_t i = 0; i < d->track.key_count; ++i) {
        double time = d->times[i] + delay;
        add_key(d, length, time > length + same_time / 2 ? time - length : time, d->values[i]);
    }
    qsort(d->keys, d->count, sizeof *d->keys, compare_keys);
    uint32_t kept = 1;
    for (uint32_t i = 1; i < d->count; ++i) {
        if (d->keys[i].time > d->keys[kept - 1].time + same_time) {
            d->keys[kept++] = d->keys[i];
        }
    }
    d->keys[kept] = (key){length, d->keys[0].value};
    d->count = kept + 1;
}

static sn_status write_keys(sni_expansion *e, sn_value *value, const delayed *d, sn_error *error) {
    const sn_value *old = sn_value_get(value, "keys");
    uint32_t line = old->line;
    sn_value *keys = sn_json_add_array(e->json, value, "keys");
    for (uint32_t i = 0; i < d->count; ++i) {
        sn_value *pair = sn_json_add_numbers(e->json, keys, NULL,
                                             (double[2]){d->keys[i].time, d->keys[i].value}, 2);
        if (pair == NULL) {
            return sni_fail_memory(error);
        }
        pair->line = line;
        ((sn_value *)sn_value_at(pair, 0))->line = ((sn_value *)sn_value_at(pair, 1))->line = line;
    }
    keys->line = line;
    return SN_OK;
}

static sn_status delay_track(sni_expansion *e, sn_value *value, const sn_value *delay,
                             sn_error *error) {
    double length = length_of(value->parent->parent), seconds = delay->as.number;
    delayed d = {0};
    sn_status status = SN_OK;
    if (seconds > length) {
        return sni_fail_value(error, delay, SN_INVALID,
                              "the delay is %.9g s, but the clip ends at %.9g s", seconds, length);
    }
    SN_TRY(open_track(e, value, &d, error));
    SN_TRY(check_closes(&d, value, length, error));
    if (length > 0) {
        turn_keys(&d, length, seconds);
        SN_TRY(write_keys(e, value, &d, error));
    }
cleanup:
    sni_free(e->context, d.times);
    sni_free(e->context, d.values);
    sni_free(e->context, d.keys);
    return status;
}

sn_status sni_reflect_track(sni_expansion *e, const sni_image *image, sn_error *error) {
    const sn_value *keys = sn_value_get(image->value, "keys");
    const sn_value *delay = sn_value_get(image->entry, "delay");
    const char *swapped = NULL;
    bool negates = false;
    // Its name has been exchanged already; its sign is the same on both sides.
    sn_status status = sni_swap_parameter(e, image->value->key, &swapped, &negates, error);
    if (status != SN_OK || !are_keys(keys)) {
        return status;
    }
    for (uint32_t i = 0; i < sn_value_count(keys) && negates; ++i) {
        sn_value *value = (sn_value *)sn_value_at(sn_value_at(keys, i), 1);
        value->as.number = 0 - value->as.number;
    }
    return delay != NULL && delay->as.number > 0 ? delay_track(e, image->value, delay, error)
                                                 : SN_OK;
}
