// SPDX-License-Identifier: Apache-2.0
//
// What is told of a body that was made from a folder.
#include "character/import/anatomy.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>

sn_status sni_anatomy_report_create(sn_context *context, uint32_t part_count,
                                    sn_anatomy_report **report, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, *report, 1);
    (*report)->context = context;
    SNI_NEW_ZERO(context, (*report)->results, part_count);
    (*report)->part_count = part_count;
    for (uint32_t i = 0; i < part_count; ++i) {
        sn_anatomy_result *result = &(*report)->results[i];
        result->segment = SN_NONE;
        result->nearest = SN_NONE;
        result->note = sni_string_copy(context, "");
        if (result->note == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

void sn_anatomy_report_destroy(sn_anatomy_report *report) {
    if (report == NULL) {
        return;
    }
    sn_context *context = report->context;
    for (uint32_t i = 0; i < report->part_count; ++i) {
        sni_free(context, report->results[i].note);
    }
    for (uint32_t i = 0; i < report->segment_count; ++i) {
        sni_free(context, report->segments[i].name);
        sni_free(context, report->segments[i].reason);
    }
    sni_free(context, report->results);
    sni_free(context, report->segments);
    sni_free(context, report->muscles);
    sni_free(context, report);
}

sn_status sni_anatomy_report_segments(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = build->context;
    sn_anatomy_report *report = build->report;
    uint32_t count = build->skeleton.segment_count;
    SNI_NEW_ZERO(context, report->segments, count);
    report->segment_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        sn_anatomy_segment *segment = &report->segments[i];
        segment->parent = build->parents[i];
        segment->name = sni_string_copy(context, build->skeleton.segments[i].name);
        segment->reason =
            sni_string_copy(context, build->plan != NULL ? build->plan->segments[i].reason : "");
        if (segment->name == NULL || segment->reason == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Muscles

// The value that `share` of the sorted ones are not above, between two neighbours where it falls
// there; 0 for none.
static double quantile(const double *sorted, uint32_t count, double share) {
    if (count == 0) {
        return 0;
    }
    double place = share * (count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

static sn_anatomy_muscle describe_fit(const sni_anatomy_build *build, uint32_t part,
                                      const sn_muscle_fit *fit) {
    sn_anatomy_muscle muscle = {
        .part = part,
        .strip_count = fit->strip_count,
        .origin = build->bones[fit->strips[0].origins[0].bone],
        .insertion = build->bones[fit->strips[0].insertions[0].bone],
        .guessed_origin = fit->guessed_origin,
        .guessed_insertion = fit->guessed_insertion,
        .place_count = fit->place_count,
        .far_places = fit->far_places,
        .origin_gap = fit->origin_gap,
        .insertion_gap = fit->insertion_gap,
        .mean_distance = fit->mean_distance,
        .largest_distance = fit->largest_distance,
        .volume = fit->volume,
        .fitted_volume = fit->fitted_volume,
    };
    for (uint32_t i = 0; i < fit->strip_count; ++i) {
        muscle.slice_count += fit->strips[i].slice_count;
        muscle.pivot_count += fit->strips[i].pivot_count;
    }
    return muscle;
}

static void describe_fibres(const sn_fibre_fit *fit, sn_anatomy_muscle *muscle) {
    muscle->fibre_count = fit->fibre_count;
    muscle->volume_ratio = fit->volume_ratio;
    muscle->overlap = fit->overlap;
}

sn_status sni_anatomy_report_muscles(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    sn_anatomy_report *report = build->report;
    double *distances = NULL, *volumes = NULL, *overlaps = NULL;
    uint32_t closed = 0;
    SNI_NEW_ZERO(build->context, overlaps, build->muscle_count);
    SNI_NEW(build->context, report->muscles, build->muscle_count);
    SNI_NEW(build->context, distances, build->muscle_count);
    SNI_NEW(build->context, volumes, build->muscle_count);
    for (uint32_t i = 0; i < build->muscle_count; ++i) {
        const sn_muscle_fit *fit = build->fits[i];
        if (fit == NULL) {
            continue;
        }
        if (fit->volume > 0) {
            volumes[closed++] = fabs(fit->fitted_volume / fit->volume - 1);
        }
        distances[report->muscle_count] = fit->mean_distance;
        sn_anatomy_muscle *muscle = &report->muscles[report->muscle_count];
        *muscle = describe_fit(build, build->muscles[i], fit);
        if (build->fibres != NULL) {
            describe_fibres(build->fibres[i], muscle);
            overlaps[report->muscle_count] = muscle->overlap;
        }
        ++report->muscle_count;
    }
    qsort(distances, report->muscle_count, sizeof *distances, sni_compare_doubles);
    qsort(volumes, closed, sizeof *volumes, sni_compare_doubles);
    qsort(overlaps, report->muscle_count, sizeof *overlaps, sni_compare_doubles);
    report->median_overlap = quantile(overlaps, report->muscle_count, 0.5);
    report->ninth_overlap = quantile(overlaps, report->muscle_count, 0.1);
    report->median_distance = quantile(distances, report->muscle_count, 0.5);
    report->ninth_distance = quantile(distances, report->muscle_count, 0.9);
    report->median_volume = quantile(volumes, closed, 0.5);
    report->ninth_volume = quantile(volumes, closed, 0.9);
cleanup:
    sni_free(build->context, distances);
    sni_free(build->context, volumes);
    sni_free(build->context, overlaps);
    return status;
}
