// SPDX-License-Identifier: Apache-2.0
//
// report.json: what was measured in each frame, and the means and maxima over all of them.
#include "eval/model.h"

#include "geometry/edge.h"

#include "eval/report.h"

#include <math.h>

// The report's version of a surface: its edges with their rest lengths.
typedef struct measured_surface {
    uint32_t surface;
    uint32_t edge_count;
    uint32_t *edges;      // edge_count x 2
    double *rest_lengths; // edge_count, none zero
} measured_surface;

typedef struct stretch {
    double low, sum, high;
    uint64_t count;
} stretch;

struct sn_report {
    const sn_model *model;
    sn_context *context;
    sn_json *json;
    sn_value *frames;
    uint32_t frame_count;
    double stage_sum[SN_STAGE_COUNT], stage_max[SN_STAGE_COUNT];
    double total_sum, total_max;
    stretch all; // over all frames
    uint32_t surface_count;
    measured_surface *surfaces;
};

static sn_status measure_rest(sn_report *report, uint32_t surface, measured_surface *measured,
                              sn_error *error) {
    const sn_mesh *mesh = report->model->surfaces[surface].mesh;
    sn_topology *topology = NULL;
    sn_status status = SN_OK;
    measured->surface = surface;
    SN_TRY(sn_topology_create(mesh, &topology, error));
    SNI_NEW(report->context, measured->edges, 2 * (size_t)topology->edge_count);
    SNI_NEW(report->context, measured->rest_lengths, topology->edge_count);
    for (uint32_t i = 0; i < topology->edge_count; ++i) {
        const uint32_t *edge = topology->edges + 2 * (size_t)i;
        double length = sni_edge_length(mesh->positions, edge);
        if (length > 0) {
            uint32_t k = measured->edge_count++;
            measured->edges[2 * (size_t)k] = edge[0];
            measured->edges[2 * (size_t)k + 1] = edge[1];
            measured->rest_lengths[k] = length;
        }
    }
cleanup:
    sn_topology_destroy(topology);
    return status;
}

sn_status sn_report_create(const sn_model *model, sn_report **report, sn_error *error) {
    sn_context *context = model->context;
    sn_status status = SN_OK;
    sn_report *made = NULL;
    *report = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->model = model;
    made->context = context;
    made->all = (stretch){.low = INFINITY, .high = -INFINITY};
    SNI_NEW_ZERO(context, made->surfaces, model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (model->surfaces[i].layer == SN_LAYER_SKIN && model->surfaces[i].shown) {
            SN_TRY(measure_rest(made, i, &made->surfaces[made->surface_count++], error));
        }
    }
    SN_TRY(sn_json_create(context, &made->json, error));
    sn_value *root = sn_json_root(made->json);
    if (sn_json_add_string(made->json, root, "sinew", SN_VERSION) == NULL ||
        sn_json_add_string(made->json, root, "character", model->blueprint->name) == NULL ||
        (made->frames = sn_json_add_array(made->json, root, "frames")) == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    *report = made;
    return SN_OK;
cleanup:
    sn_report_destroy(made);
    return status;
}

void sn_report_destroy(sn_report *report) {
    if (report == NULL) {
        return;
    }
    for (uint32_t i = 0; i < report->surface_count; ++i) {
        sni_free(report->context, report->surfaces[i].edges);
        sni_free(report->context, report->surfaces[i].rest_lengths);
    }
    sni_free(report->context, report->surfaces);
    sn_json_destroy(report->json);
    sni_free(report->context, report);
}

static void add_edge_stretch(const measured_surface *measured, const float *points,
                             stretch *result) {
    for (uint32_t i = 0; i < measured->edge_count; ++i) {
        double ratio =
            sni_edge_length(points, measured->edges + 2 * (size_t)i) / measured->rest_lengths[i];
        result->low = fmin(result->low, ratio);
        result->high = fmax(result->high, ratio);
        result->sum += ratio;
    }
    result->count += measured->edge_count;
}

static void merge_stretch(stretch *into, const stretch *from) {
    into->low = fmin(into->low, from->low);
    into->high = fmax(into->high, from->high);
    into->sum += from->sum;
    into->count += from->count;
}

static bool add_stretch(sn_report *report, sn_value *object, const stretch *s) {
    sn_value *skin = sn_json_add_object(report->json, object, "skin");
    double values[3] = {s->low, s->sum / (double)s->count, s->high};
    // Nothing to say without edges, or where points left the range of float.
    if (s->count == 0 || !isfinite(s->sum)) {
        return skin != NULL;
    }
    return skin != NULL && sn_json_add_numbers(report->json, skin, "stretch", values, 3) != NULL;
}

static bool add_times(sn_json *json, sn_value *object, const char *key, const double *stages,
                      double divisor, double total) {
    sn_value *ms = sn_json_add_object(json, object, key);
    bool done = ms != NULL;
    for (int i = 0; i < SN_STAGE_COUNT && done; ++i) {
        done =
            sn_json_add_number(json, ms, sn_stage_name((sn_stage)i), stages[i] / divisor) != NULL;
    }
    return done && sn_json_add_number(json, ms, "total", total / divisor) != NULL;
}

// A surface between two curves has a length but no volume: the key is left out.
static bool add_muscle(sn_json *json, sn_value *map, const sn_frame *frame, uint32_t index) {
    const sn_model *model = sn_frame_model(frame);
    const sni_bound_muscle *muscle = &model->muscles[index];
    const double *controls = sn_frame_controls(frame);
    double contraction = muscle->contraction != SN_NONE ? controls[muscle->contraction] : 0;
    double tension = muscle->tension != SN_NONE ? controls[muscle->tension] : 0;
    sni_muscle_measure measure;
    muscle->ops->measure(muscle->bound, sni_frame_muscle_points(frame, index), &measure);
    sn_value *object = sn_json_add_object(json, map, model->blueprint->muscles[index].name);
    bool done = object != NULL &&
                (measure.rest_volume == 0 ||
                 (sn_json_add_number(json, object, "volume", measure.volume) != NULL &&
                  sn_json_add_number(json, object, "rest_volume", measure.rest_volume) != NULL));
    return done && sn_json_add_number(json, object, "length", measure.length) != NULL &&
           sn_json_add_number(json, object, "rest_length", measure.rest_length) != NULL &&
           sn_json_add_number(json, object, "activation", fmax(contraction, tension)) != NULL;
}

static bool add_muscles(const sn_report *report, sn_value *object, const sn_frame *frame) {
    sn_value *map = sn_json_add_object(report->json, object, "muscles");
    bool done = map != NULL;
    for (uint32_t i = 0; i < report->model->blueprint->muscle_count && done; ++i) {
        done = add_muscle(report->json, map, frame, i);
    }
    return done;
}

sn_status sn_report_add(sn_report *report, const sn_frame *frame, uint32_t number,
                        sn_error *error) {
    double stages[SN_STAGE_COUNT], total = 0;
    for (int i = 0; i < SN_STAGE_COUNT; ++i) {
        stages[i] = sn_frame_stage_ms(frame, (sn_stage)i);
        total += stages[i];
        report->stage_sum[i] += stages[i];
        report->stage_max[i] = fmax(report->stage_max[i], stages[i]);
    }
    report->total_sum += total;
    report->total_max = fmax(report->total_max, total);
    report->frame_count++;
    stretch s = {.low = INFINITY, .high = -INFINITY};
    for (uint32_t i = 0; i < report->surface_count; ++i) {
        add_edge_stretch(&report->surfaces[i], sn_frame_points(frame, report->surfaces[i].surface),
                         &s);
    }
    merge_stretch(&report->all, &s);
    sn_json *json = report->json;
    sn_value *object = sn_json_add_object(json, report->frames, NULL);
    bool done =
        object != NULL && sn_json_add_number(json, object, "frame", number) != NULL &&
        sn_json_add_number(json, object, "time", sn_frame_time(frame)) != NULL &&
        add_times(json, object, "ms", stages, 1, total) && add_muscles(report, object, frame) &&
        sn_json_add_object(json, object, "contact") != NULL && add_stretch(report, object, &s);
    return done ? SN_OK : sni_fail_memory(error);
}

static bool add_summary(sn_report *report) {
    sn_json *json = report->json;
    sn_value *summary = sn_json_add_object(json, sn_json_root(json), "summary");
    double count = report->frame_count > 0 ? report->frame_count : 1;
    return summary != NULL &&
           sn_json_add_number(json, summary, "frames", report->frame_count) != NULL &&
           add_times(json, summary, "ms_mean", report->stage_sum, count, report->total_sum) &&
           add_times(json, summary, "ms_max", report->stage_max, 1, report->total_max) &&
           sn_json_add_object(json, summary, "muscles") != NULL &&
           sn_json_add_object(json, summary, "contact") != NULL &&
           add_stretch(report, summary, &report->all);
}

sn_status sni_report_write(sn_report *report, const char *path, sni_output *output,
                           sn_error *error) {
    sn_status status = SN_OK;
    char *text = NULL;
    size_t size;
    if (!add_summary(report)) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_json_write(report->json, &text, &size, error));
    SN_TRY(sni_output_open(report->context, path, output, error));
    SN_TRY(sni_output_write(output, text, size, error));
    SN_TRY(sni_output_finish(output, error));
cleanup:
    if (status != SN_OK) {
        sni_output_close(output);
    }
    sni_free(report->context, text);
    return status;
}

sn_status sn_report_save(sn_report *report, const char *path, sn_error *error) {
    sni_output output = {0};
    sn_status status = sni_report_write(report, path, &output, error);
    return status == SN_OK ? sni_output_commit(&output, error) : status;
}
