// SPDX-License-Identifier: Apache-2.0
#include "fit/head/check.h"

#include "fit/head/similarity.h"
#include "fit/head/spline.h"

#include <string.h>

// A landmark may be this far from where the others put it, metres: on the heads of the test data
// those of the face are within 13 mm, those of the vault within 22.
static const double too_far = 0.035;

// Two are exchanged where exchanging them brings both to this part of their distance, and by at
// least this many metres together.
static const double exchanged_part = 0.5, exchanged_gain = 0.008;

// All sides are exchanged where the mirror images of names fit to this part, and others are off by
// this much, metres.
static const double mirrored_part = 0.5, mirrored_least = 0.012;

// Fewer do not foretell each other.
enum { LEAST = 8 };

// Where all landmarks but number `left_out` put it.
static sn_status foretell(sn_context *context, const sn_vec3 *from, const sn_vec3 *to,
                          uint32_t count, uint32_t left_out, sn_vec3 *place, sn_error *error) {
    sn_status status = SN_OK;
    sni_spline *spline = NULL;
    sn_vec3 *a = NULL, *b = NULL;
    sni_similarity fitted;
    uint32_t made = 0;
    SNI_NEW(context, a, count);
    SNI_NEW(context, b, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (i != left_out) {
            a[made] = from[i];
            b[made++] = to[i];
        }
    }
    sni_similarity_fit(a, b, NULL, made, &fitted);
    for (uint32_t i = 0; i < made; ++i) {
        a[i] = sni_similarity_point(&fitted, a[i]);
        b[i] = sn_vec3_sub(b[i], a[i]);
    }
    SN_TRY(sni_spline_create(context, SNI_SPLINE_BENDING, 0, made, a, b, NULL, &spline, error));
    *place = sni_similarity_point(&fitted, from[left_out]);
    *place = sn_vec3_add(*place, sni_spline_at(spline, *place));
cleanup:
    sni_spline_destroy(spline);
    sni_free(context, a);
    sni_free(context, b);
    return status;
}

static double misfit(const sn_vec3 *from, const sn_vec3 *to, uint32_t count) {
    sni_similarity fitted;
    double sum = 0;
    sni_similarity_fit(from, to, NULL, count, &fitted);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 d = sn_vec3_sub(sni_similarity_point(&fitted, from[i]), to[i]);
        sum += sn_vec3_dot(d, d);
    }
    return sqrt(sum / count);
}

// The number of the landmark on the other side: itself where it has no side, or no counterpart.
static uint32_t other_side(const sni_landmark_pairs *pairs, uint32_t i) {
    const char *name = pairs->names[i];
    size_t length = strlen(name);
    if (length < 3 || name[length - 2] != '.') {
        return i;
    }
    for (uint32_t k = 0; k < pairs->count; ++k) {
        if (k != i && strlen(pairs->names[k]) == length &&
            strncmp(pairs->names[k], name, length - 1) == 0) {
            return k;
        }
    }
    return i;
}

static sn_status check_sides(sn_context *context, const sni_landmark_pairs *pairs,
                             sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *mirrored = NULL;
    SNI_NEW(context, mirrored, pairs->count);
    for (uint32_t i = 0; i < pairs->count; ++i) {
        mirrored[i] = pairs->to[other_side(pairs, i)];
    }
    double now = misfit(pairs->from, pairs->to, pairs->count);
    double then = misfit(pairs->from, mirrored, pairs->count);
    if (now > mirrored_least && then < mirrored_part * now) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "left and right are exchanged: with .L and .R the other way round "
                        "landmarks fit to %.1f mm in place of %.1f",
                        then * 1000, now * 1000));
    }
cleanup:
    sni_free(context, mirrored);
    return status;
}

// Tries exchanging two landmarks, of which each is off by its distance.
static sn_status try_exchange(sn_context *context, const sni_landmark_pairs *pairs, sn_vec3 *to,
                              const double *off, uint32_t a, uint32_t b, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 places[2];
    to[a] = pairs->to[b];
    to[b] = pairs->to[a];
    SN_TRY(foretell(context, pairs->from, to, pairs->count, a, &places[0], error));
    SN_TRY(foretell(context, pairs->from, to, pairs->count, b, &places[1], error));
    double then = sn_vec3_distance(places[0], to[a]) + sn_vec3_distance(places[1], to[b]);
    double now = off[a] + off[b];
    to[a] = pairs->to[a];
    to[b] = pairs->to[b];
    if (then < exchanged_part * now && now - then > exchanged_gain) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "the landmarks \"%s\" and \"%s\" are exchanged: the others put them %.0f "
                        "and %.0f mm away, and %.0f mm together the other way round",
                        pairs->names[a], pairs->names[b], off[a] * 1000, off[b] * 1000,
                        then * 1000));
    }
cleanup:
    return status;
}

static sn_status check_exchanges(sn_context *context, const sni_landmark_pairs *pairs,
                                 const double *off, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *to = NULL;
    SNI_NEW(context, to, pairs->count);
    memcpy(to, pairs->to, pairs->count * sizeof *to);
    for (uint32_t a = 0; a < pairs->count; ++a) {
        for (uint32_t b = a + 1; b < pairs->count; ++b) {
            // Each would have to come near the place of the other.
            double apart = sn_vec3_distance(to[a], to[b]);
            if (off[a] > 0.4 * apart && off[b] > 0.4 * apart && off[a] + off[b] > exchanged_gain) {
                SN_TRY(try_exchange(context, pairs, to, off, a, b, error));
            }
        }
    }
cleanup:
    sni_free(context, to);
    return status;
}

sn_status sni_check_landmarks(sn_context *context, const sni_landmark_pairs *pairs,
                              sn_error *error) {
    sn_status status = SN_OK;
    double *off = NULL;
    if (pairs->count < LEAST) {
        return SN_OK;
    }
    SN_TRY(check_sides(context, pairs, error));
    SNI_NEW(context, off, pairs->count);
    uint32_t worst = 0;
    for (uint32_t i = 0; i < pairs->count; ++i) {
        sn_vec3 place;
        SN_TRY(foretell(context, pairs->from, pairs->to, pairs->count, i, &place, error));
        off[i] = sn_vec3_distance(place, pairs->to[i]);
        worst = off[i] > off[worst] ? i : worst;
    }
    SN_TRY(check_exchanges(context, pairs, off, error));
    if (off[worst] > too_far) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "the landmark \"%s\" is %.0f mm away from where the others put it",
                        pairs->names[worst], off[worst] * 1000));
    }
cleanup:
    sni_free(context, off);
    return status;
}
