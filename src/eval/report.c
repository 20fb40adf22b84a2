// SPDX-License-Identifier: Apache-2.0
//
// report.json: what was measured in each frame, and the means and maxima over all of them.
#include "eval/report.h"
#include "eval/measures.h"
#include "eval/report_bodies.h"
#include "eval/report_flesh.h"
#include "eval/report_moments.h"
#include "geometry/edge.h"

#include <math.h>
#include <stdio.h>

// The report's version of a surface: its edges with their rest lengths.
typedef struct measured_surface {
    uint32_t surface;
    uint32_t edge_count;
    uint32_t *edges;      // edge_count x 2
    double *rest_lengths; // edge_count, none zero
} measured_surface;

// How far the volume of a muscle, or of all, has gone from that at rest, as a part of it.
typedef struct volume_change {
    double largest;
    uint32_t frame; // where
} volume_change;

// The frames in which a muscle could not keep what it should, and what it said in the first.
typedef struct troubled {
    uint32_t count, frame;
    char text[256];
} troubled;

// The greatest of a muscle's shortenings.
typedef struct shortest {
    double shortening;
    uint32_t frame; // where
} shortest;

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
    sni_measures *measures;
    sni_frame_measures most; // over all frames
    double rest_volume;      // of all closed muscles
    volume_change *volumes;  // one for each muscle of the blueprint
    volume_change total;     // of the sum of all volumes
    shortest *shortenings;   // one for each muscle of the blueprint
    troubled *troubles;      // likewise
    sni_report_moments *moments;
    sni_report_bodies bodies;
    sni_report_flesh flesh;
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
    made->most = (sni_frame_measures){
        .deepest = sni_depth_none, .deepened = sni_depth_none, .stretched = sni_stretched_none};
    SN_TRY(sni_measures_create(model, &made->measures, error));
    SNI_NEW_ZERO(context, made->volumes, model->blueprint->muscle_count);
    SNI_NEW_ZERO(context, made->shortenings, model->blueprint->muscle_count);
    SNI_NEW_ZERO(context, made->troubles, model->blueprint->muscle_count);
    SN_TRY(sni_report_moments_create(model, &made->moments, error));
    SN_TRY(sni_report_bodies_init(model, &made->bodies, error));
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
    sni_free(report->context, report->volumes);
    sni_free(report->context, report->shortenings);
    sni_free(report->context, report->troubles);
    sni_measures_destroy(report->measures);
    sni_report_moments_destroy(report->moments);
    sni_report_bodies_deinit(&report->bodies);
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

static bool add_triangle(sn_report *report, sn_value *skin, const sni_stretched *stretched) {
    sn_json *json = report->json;
    if (stretched->surface == SN_NONE || !isfinite(stretched->stretch)) {
        return true;
    }
    const double vertices[3] = {stretched->vertices[0], stretched->vertices[1],
                                stretched->vertices[2]};
    sn_value *object = sn_json_add_object(json, skin, "triangle");
    return object != NULL &&
           sn_json_add_number(json, object, "stretch", stretched->stretch) != NULL &&
           sn_json_add_string(json, object, "skin",
                              report->model->surfaces[stretched->surface].name) != NULL &&
           sn_json_add_number(json, object, "face", stretched->face) != NULL &&
           sn_json_add_numbers(json, object, "vertices", vertices, 3) != NULL;
}

static bool add_skin(sn_report *report, sn_value *object, const stretch *s,
                     const sni_frame_measures *measures) {
    sn_value *skin = sn_json_add_object(report->json, object, "skin");
    double values[3] = {s->low, s->sum / (double)s->count, s->high};
    // Nothing to say without edges, or where points left the range of float.
    if (s->count == 0 || !isfinite(s->sum)) {
        return skin != NULL;
    }
    return skin != NULL && sn_json_add_numbers(report->json, skin, "stretch", values, 3) != NULL &&
           add_triangle(report, skin, &measures->stretched);
}

static bool add_depth(sn_report *report, sn_value *contact, const char *key,
                      const sni_depth *depth) {
    const sn_surface *surfaces = report->model->surfaces;
    sn_json *json = report->json;
    sn_value *object = sn_json_add_object(json, contact, key);
    return object != NULL && sn_json_add_number(json, object, "depth", depth->depth) != NULL &&
           sn_json_add_number(json, object, "rest_depth", depth->rest_depth) != NULL &&
           sn_json_add_string(json, object, "skin", surfaces[depth->surface].name) != NULL &&
           sn_json_add_number(json, object, "vertex", depth->vertex) != NULL &&
           sn_json_add_string(json, object, "component", surfaces[depth->component].name) != NULL;
}

static bool add_contact(sn_report *report, sn_value *object, const sni_frame_measures *measures) {
    sn_value *contact = sn_json_add_object(report->json, object, "contact");
    if (contact == NULL || measures->deepest.surface == SN_NONE) {
        return contact != NULL;
    }
    return add_depth(report, contact, "skin", &measures->deepest) &&
           add_depth(report, contact, "skin_beyond_rest", &measures->deepened);
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
static bool add_muscle(sn_report *report, sn_value *map, uint32_t index,
                       const sn_muscle_state *state, const char *trouble) {
    sn_json *json = report->json;
    sn_value *object = sn_json_add_object(json, map, report->model->blueprint->muscles[index].name);
    bool done = object != NULL &&
                (state->rest_volume == 0 ||
                 (sn_json_add_number(json, object, "volume", state->volume) != NULL &&
                  sn_json_add_number(json, object, "rest_volume", state->rest_volume) != NULL));
    return done && sn_json_add_number(json, object, "length", state->length) != NULL &&
           sn_json_add_number(json, object, "rest_length", state->rest_length) != NULL &&
           sn_json_add_number(json, object, "shortening", state->shortening) != NULL &&
           sn_json_add_number(json, object, "activation", state->activation) != NULL &&
           (state->fibre_count == 0 ||
            sn_json_add_number(json, object, "swing", state->swing) != NULL) &&
           (trouble == NULL || sn_json_add_string(json, object, "trouble", trouble) != NULL) &&
           sni_report_moments_add(report->moments, json, object, index);
}

static void note_volume(volume_change *change, double volume, double rest, uint32_t frame) {
    double part = rest > 0 ? fabs(volume / rest - 1) : 0;
    if (part > change->largest) {
        *change = (volume_change){.largest = part, .frame = frame};
    }
}

static void note_shortening(shortest *most, double shortening, uint32_t frame) {
    if (shortening > most->shortening) {
        *most = (shortest){.shortening = shortening, .frame = frame};
    }
}

static void note_trouble(troubled *all, const char *trouble, uint32_t frame) {
    if (trouble != NULL && all->count++ == 0) {
        all->frame = frame;
        snprintf(all->text, sizeof all->text, "%s", trouble);
    }
}

static bool add_muscles(sn_report *report, sn_value *object, const sn_frame *frame,
                        uint32_t number) {
    sn_value *map = sn_json_add_object(report->json, object, "muscles");
    uint32_t first = report->model->blueprint->surface_count;
    double volume = 0, rest_volume = 0;
    bool done = map != NULL;
    for (uint32_t i = 0; i < report->model->blueprint->muscle_count && done; ++i) {
        sn_muscle_state state = sni_frame_muscle_state(frame, i);
        note_volume(&report->volumes[i], state.volume, state.rest_volume, number);
        note_shortening(&report->shortenings[i], state.shortening, number);
        volume += state.volume;
        rest_volume += state.rest_volume;
        const char *trouble = sn_frame_muscle_trouble(frame, first + i);
        note_trouble(&report->troubles[i], trouble, number);
        done = add_muscle(report, map, i, &state, trouble);
    }
    report->rest_volume = rest_volume;
    note_volume(&report->total, volume, rest_volume, number);
    return done;
}

static bool has_volume(const sn_report *report, uint32_t index) {
    const sni_bound_muscle *muscle = report->model->muscles[index];
    sni_muscle_measure measure;
    muscle->ops->measure(muscle->bound, NULL, &measure);
    return measure.rest_volume > 0;
}

static bool add_trouble_summary(sn_json *json, sn_value *object, const troubled *trouble) {
    return trouble->count == 0 ||
           (sn_json_add_string(json, object, "trouble", trouble->text) != NULL &&
            sn_json_add_number(json, object, "trouble_frame", trouble->frame) != NULL &&
            sn_json_add_number(json, object, "trouble_frames", trouble->count) != NULL);
}

// A muscle's largest shortening and, where it has a volume, the largest change of that.
static bool add_muscle_summary(const sn_report *report, sn_value *map, uint32_t index) {
    sn_json *json = report->json;
    const volume_change *volume = &report->volumes[index];
    const shortest *shortening = &report->shortenings[index];
    sn_value *object = sn_json_add_object(json, map, report->model->blueprint->muscles[index].name);
    return object != NULL &&
           (!has_volume(report, index) ||
            (sn_json_add_number(json, object, "volume_change", volume->largest) != NULL &&
             sn_json_add_number(json, object, "frame", volume->frame) != NULL)) &&
           sn_json_add_number(json, object, "shortening", shortening->shortening) != NULL &&
           sn_json_add_number(json, object, "shortening_frame", shortening->frame) != NULL &&
           add_trouble_summary(json, object, &report->troubles[index]) &&
           sni_report_moments_sum_up(report->moments, json, object, index);
}

static bool add_worst_volume(const sn_report *report, sn_value *all, uint32_t worst) {
    sn_json *json = report->json;
    const volume_change *volume = &report->volumes[worst];
    const char *name = report->model->blueprint->muscles[worst].name;
    return sn_json_add_number(json, all, "largest_volume_change", volume->largest) != NULL &&
           sn_json_add_string(json, all, "muscle", name) != NULL &&
           sn_json_add_number(json, all, "frame", volume->frame) != NULL &&
           sn_json_add_number(json, all, "rest_volume", report->rest_volume) != NULL &&
           sn_json_add_number(json, all, "volume_change", report->total.largest) != NULL;
}

static bool add_most_shortened(const sn_report *report, sn_value *all, uint32_t most) {
    sn_json *json = report->json;
    const shortest *shortening = &report->shortenings[most];
    const char *name = report->model->blueprint->muscles[most].name;
    return sn_json_add_number(json, all, "largest_shortening", shortening->shortening) != NULL &&
           sn_json_add_string(json, all, "most_shortened", name) != NULL &&
           sn_json_add_number(json, all, "shortening_frame", shortening->frame) != NULL;
}

// What happened to each muscle over all frames, and the most that did to any.
static bool add_muscle_summaries(const sn_report *report, sn_value *summary) {
    uint32_t count = report->model->blueprint->muscle_count;
    uint32_t worst = SN_NONE, most = 0;
    sn_value *map = sn_json_add_object(report->json, summary, "muscles");
    bool done = map != NULL;
    for (uint32_t i = 0; i < count && done; ++i) {
        if (has_volume(report, i) &&
            (worst == SN_NONE || report->volumes[i].largest > report->volumes[worst].largest)) {
            worst = i;
        }
        if (report->shortenings[i].shortening > report->shortenings[most].shortening) {
            most = i;
        }
        done = add_muscle_summary(report, map, i);
    }
    if (!done || count == 0 || report->frame_count == 0) {
        return done;
    }
    sn_value *all = sn_json_add_object(report->json, summary, "all_muscles");
    return all != NULL && (worst == SN_NONE || add_worst_volume(report, all, worst)) &&
           add_most_shortened(report, all, most);
}

// How the points of each skin under `membrane` hang on their components.
static bool add_anchors(const sn_report *report, sn_value *summary) {
    sn_json *json = report->json;
    sn_value *map = NULL;
    bool done = true;
    for (uint32_t i = 0; i < report->surface_count && done; ++i) {
        uint32_t surface = report->surfaces[i].surface;
        const sni_bound_deformer *membrane;
        const sni_anchors *anchors = sni_model_anchors(report->model, surface, &membrane);
        if (anchors == NULL) {
            continue;
        }
        sni_anchors_report counts = sni_anchors_report_of(anchors);
        const struct {
            const char *key;
            uint32_t count;
        } entries[] = {{"rigid", counts.rigid},
                       {"affine", counts.affine},
                       {"between_slices", counts.section},
                       {"on_triangles", counts.surface},
                       {"other_start", counts.restarted},
                       {"fall_back", counts.closest},
                       {"several", counts.blended}};
        map = map != NULL ? map : sn_json_add_object(json, summary, "anchors");
        sn_value *object = sn_json_add_object(json, map, report->model->surfaces[surface].name);
        done = object != NULL;
        for (size_t k = 0; k < sizeof entries / sizeof *entries && done; ++k) {
            done = sn_json_add_number(json, object, entries[k].key, entries[k].count) != NULL;
        }
    }
    return done;
}

sn_status sn_report_add(sn_report *report, const sn_frame *frame, uint32_t number,
                        sn_error *error) {
    double stages[SN_STAGE_COUNT], total = 0;
    sni_frame_measures measures;
    sn_status status = sni_measures_run(report->measures, frame, &measures, error);
    if (status == SN_OK) {
        status = sni_report_moments_measure(report->moments, frame, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sni_depth_merge(&report->most.deepest, &measures.deepest, false);
    sni_depth_merge(&report->most.deepened, &measures.deepened, true);
    sni_stretched_merge(&report->most.stretched, &measures.stretched);
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
    bool done = object != NULL && sn_json_add_number(json, object, "frame", number) != NULL &&
                sn_json_add_number(json, object, "time", sn_frame_time(frame)) != NULL &&
                add_times(json, object, "ms", stages, 1, total) &&
                sni_report_bodies_add(&report->bodies, json, object, frame) &&
                sni_report_flesh_add(&report->flesh, json, object, frame, number) &&
                add_muscles(report, object, frame, number) &&
                add_contact(report, object, &measures) && add_skin(report, object, &s, &measures);
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
           sni_report_bodies_sum_up(&report->bodies, json, summary) &&
           sni_report_flesh_sum_up(&report->flesh, json, summary) &&
           add_muscle_summaries(report, summary) && add_contact(report, summary, &report->most) &&
           add_skin(report, summary, &report->all, &report->most) && add_anchors(report, summary);
}

// What the context has warned of, where it keeps that.
static bool add_warnings(sn_report *report) {
    sn_json *json = report->json;
    if (report->context->kept == NULL) {
        return true;
    }
    sn_value *list = sn_json_add_array(json, sn_json_root(json), "warnings");
    bool done = list != NULL;
    for (uint32_t i = 0; i < sn_context_warning_count(report->context) && done; ++i) {
        const char *topic, *text = sn_context_warning(report->context, i, &topic);
        sn_value *warning = sn_json_add_object(json, list, NULL);
        done = warning != NULL && sn_json_add_string(json, warning, "topic", topic) != NULL &&
               sn_json_add_string(json, warning, "text", text) != NULL;
    }
    return done;
}

sn_status sni_report_write(sn_report *report, const char *path, sni_output *output,
                           sn_error *error) {
    sn_status status = SN_OK;
    char *text = NULL;
    size_t size;
    if (!add_summary(report) || !add_warnings(report)) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_json_write(report->json, &text, &size, error));
    SN_TRY(sni_output_open(NULL, path, output, error));
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
