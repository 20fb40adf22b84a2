// SPDX-License-Identifier: Apache-2.0
#include "check_body.h"
#include "check_units.h"
#include "moment_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *layer_name(sn_layer layer) {
    static const char *const names[] = {[SN_LAYER_SKIN] = "skin",
                                        [SN_LAYER_BONE] = "bone",
                                        [SN_LAYER_MUSCLE] = "muscle",
                                        [SN_LAYER_TISSUE] = "tissue"};
    return names[layer];
}

static const cli_option options[] = {
    {"--json", NULL, "prints the measurements as JSON", false},
    {"--expanded", NULL, "prints the document instead, with repeated parts written out", false},
    CLI_MOMENT_OPTIONS,
    {"--schema", NULL, "prints the JSON Schema of documents instead (DOC may be left out)", false},
    CLI_UNIT,
    CLI_UP,
    {0},
};

// What is measured of a surface at rest.
typedef struct measure {
    const sn_surface *surface;
    sn_topology_summary topology;
    uint32_t border[2]; // vertices of the first open edge, where there is one
    sn_mass mass;
    sn_vec3 low, high;
    uint32_t unweighted;           // vertices without weights where weights are used
    const sn_muscle_check *muscle; // NULL for other surfaces
} measure;

static uint32_t count_unweighted(const sn_surface *surface) {
    const sn_weights *weights = surface->mesh->weights;
    uint32_t count = 0;
    for (uint32_t v = 0; surface->bone_segments != NULL && v < surface->mesh->vertex_count; ++v) {
        float sum = 0;
        for (uint32_t i = weights->offsets[v]; i < weights->offsets[v + 1]; ++i) {
            sum += weights->values[i];
        }
        count += sum == 0;
    }
    return count;
}

// The surface's points in the world at rest, from malloc; NULL when memory runs out.
static float *rest_points(const sn_model *model, const sn_surface *surface) {
    size_t count = surface->mesh->vertex_count;
    float *points = malloc((3 * count + 1) * sizeof *points);
    for (size_t v = 0; points != NULL && v < count; ++v) {
        sn_vec3 p = sn_vec3_load(surface->mesh->positions + 3 * v);
        if (surface->in_segment_frame) {
            p = sn_mat4_point(&sn_model_rest_worlds(model)[surface->segment], p);
        }
        sn_vec3_store(p, points + 3 * v);
    }
    return points;
}

static void find_box(const float *points, uint32_t count, sn_vec3 *low, sn_vec3 *high) {
    for (uint32_t v = 0; v < count; ++v) {
        sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
        *low = v > 0 ? sn_vec3_min(*low, p) : p;
        *high = v > 0 ? sn_vec3_max(*high, p) : p;
    }
}

// The first edge with one face; SN_NONE where there is none.
static uint32_t find_border(const sn_topology *topology) {
    for (uint32_t e = 0; e < topology->edge_count; ++e) {
        if (topology->edge_face_offsets[e + 1] - topology->edge_face_offsets[e] == 1) {
            return e;
        }
    }
    return SN_NONE;
}

static sn_status measure_surface(const sn_model *model, const sn_surface *surface, measure *m,
                                 sn_error *error) {
    const sn_mesh *mesh = surface->mesh;
    float *points = rest_points(model, surface);
    sn_triangles *triangles = NULL;
    sn_topology *topology = NULL;
    *m = (measure){.surface = surface, .unweighted = count_unweighted(surface)};
    if (points == NULL) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &m->topology);
    uint32_t border = find_border(topology);
    m->border[0] = border != SN_NONE ? topology->edges[2 * (size_t)border] : 0;
    m->border[1] = border != SN_NONE ? topology->edges[2 * (size_t)border + 1] : 0;
    SN_TRY(sn_triangles_create(mesh, points, &triangles, error));
    SN_TRY(sn_mass_compute(sn_model_context(model), points, triangles->vertices, triangles->count,
                           &m->mass, error));
    find_box(points, mesh->vertex_count, &m->low, &m->high);
cleanup:
    sn_triangles_destroy(triangles);
    sn_topology_destroy(topology);
    free(points);
    return status;
}

// What an artist may want to mend.
static void print_flaws(const measure *m) {
    const sn_topology_summary *t = &m->topology;
    const struct {
        uint32_t count;
        const char *one, *many;
    } flaws[] = {
        {t->border_edges, "border edge", "border edges"},
        {t->non_manifold_edges, "edge with three or more faces", "edges with three or more faces"},
        {t->flipped_edges, "flipped edge", "flipped edges"},
        {t->loose_vertices, "loose vertex", "loose vertices"},
        {t->degenerate_faces, "face without area", "faces without area"},
        {m->unweighted, "vertex without weights", "vertices without weights"},
    };
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; ++i) {
        if (flaws[i].count > 0) {
            printf("  %u %s", flaws[i].count, flaws[i].count == 1 ? flaws[i].one : flaws[i].many);
            if (i == 0) {
                printf(", the first between vertices %u and %u", m->border[0], m->border[1]);
            }
            printf("\n");
        }
    }
}

// A muscle's mesh is sinew's own: only its size and volume tell something.
static void print_text(const measure *m) {
    const sn_mesh *mesh = m->surface->mesh;
    const sn_topology_summary *t = &m->topology;
    bool made = m->surface->layer == SN_LAYER_MUSCLE;
    printf("%s %s: ", layer_name(m->surface->layer), m->surface->name);
    if (!made) {
        printf("%u vertices, %u face%s, %s, ", mesh->vertex_count, mesh->face_count,
               cli_s(mesh->face_count), t->closed ? "watertight" : "open");
    }
    printf("size %.4g x %.4g x %.4g m", m->high.x - m->low.x, m->high.y - m->low.y,
           m->high.z - m->low.z);
    if (made) {
        printf(", length %.4g m", m->muscle->length);
    }
    if (t->closed) {
        printf(", volume %.6g m3%s", m->mass.volume, m->mass.volume < 0 ? " (inside out)" : "");
    }
    if (made && m->muscle->volume_keys > 0) {
        printf(", kept by %u key%s found in at most %u step%s", m->muscle->volume_keys,
               cli_s(m->muscle->volume_keys), m->muscle->search_steps,
               cli_s(m->muscle->search_steps));
    }
    if (m->surface->feature) {
        printf(", a feature");
    } else if (m->surface->density != 1) {
        printf(", density %.6g", m->surface->density);
    }
    printf("\n");
    if (made) {
        return;
    }
    print_flaws(m);
    if (t->components > 1) {
        printf("  %u pieces\n", t->components);
    }
}

static bool add_json(sn_json *json, sn_value *list, const measure *m) {
    const sn_topology_summary *t = &m->topology;
    sn_value *o = sn_json_add_object(json, list, NULL);
    double size[3] = {m->high.x - m->low.x, m->high.y - m->low.y, m->high.z - m->low.z};
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"vertices", m->surface->mesh->vertex_count},
        {"faces", m->surface->mesh->face_count},
        {"pieces", t->components},
        {"border_edges", t->border_edges},
        {"non_manifold_edges", t->non_manifold_edges},
        {"flipped_edges", t->flipped_edges},
        {"loose_vertices", t->loose_vertices},
        {"degenerate_faces", t->degenerate_faces},
        {"unweighted_vertices", m->unweighted},
        {"area", m->mass.area},
    };
    bool done = sn_json_add_string(json, o, "name", m->surface->name) != NULL &&
                sn_json_add_string(json, o, "layer", layer_name(m->surface->layer)) != NULL &&
                sn_json_add_bool(json, o, "watertight", t->closed) != NULL;
    if (m->muscle != NULL) {
        done = done && sn_json_add_number(json, o, "length", m->muscle->length) != NULL;
    }
    if (m->muscle != NULL && m->muscle->volume_keys > 0) {
        done = done && sn_json_add_number(json, o, "volume_keys", m->muscle->volume_keys) != NULL &&
               sn_json_add_number(json, o, "search_steps", m->muscle->search_steps) != NULL;
    }
    if (m->surface->layer == SN_LAYER_TISSUE) {
        done = done && sn_json_add_bool(json, o, "feature", m->surface->feature) != NULL &&
               sn_json_add_number(json, o, "density", m->surface->density) != NULL;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && done; ++i) {
        done = sn_json_add_number(json, o, numbers[i].name, numbers[i].value) != NULL;
    }
    return done && (!t->closed || sn_json_add_number(json, o, "volume", m->mass.volume) != NULL) &&
           sn_json_add_numbers(json, o, "size", size, 3) != NULL;
}

static bool add_clip_json(sn_json *json, sn_value *list, const char *name,
                          const sn_motion *motion) {
    sn_value *o = sn_json_add_object(json, list, NULL);
    return sn_json_add_string(json, o, "name", name) != NULL &&
           sn_json_add_number(json, o, "frames", sn_motion_frame_count(motion)) != NULL &&
           sn_json_add_number(json, o, "rate", sn_motion_rate(motion)) != NULL;
}

// Opens every clip. Adds them to `list` where that is not NULL, else prints them.
static sn_status check_clip(const cli_session *session, const char *name, sn_json *json,
                            sn_value *list, sn_error *error) {
    sn_motion *motion = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_motion_open(session->model, name, &motion, error));
    if (list != NULL) {
        SN_TRY(add_clip_json(json, list, name, motion) ? SN_OK : app_fail_memory(error));
    } else {
        uint32_t frames = sn_motion_frame_count(motion);
        printf("clip %s: %u frame%s at %.6g per second\n", name, frames, cli_s(frames),
               sn_motion_rate(motion));
    }
cleanup:
    sn_motion_destroy(motion);
    return status;
}

static sn_status check_clips(const cli_session *session, sn_json *json, sn_value *list,
                             sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_model_clip_count(session->model); ++i) {
        SN_TRY(check_clip(session, sn_model_clip_name(session->model, i), json, list, error));
    }
cleanup:
    return status;
}

// Measures the surfaces, and adds them to `list` where that is not NULL, else prints them.
static sn_status measure_surfaces(const sn_model *model, const sn_body_check *body, sn_json *json,
                                  sn_value *list, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        measure m;
        SN_TRY(measure_surface(model, sn_model_surface(model, i), &m, error));
        m.muscle = cli_muscle_check(body, i);
        if (list != NULL) {
            SN_TRY(add_json(json, list, &m) ? SN_OK : app_fail_memory(error));
        } else {
            print_text(&m);
            cli_print_body_surface(model, body, i);
        }
    }
cleanup:
    return status;
}

static sn_status print_all(cli_session *session, const sn_body_check *body, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(measure_surfaces(session->model, body, NULL, NULL, error));
    cli_print_body(session->model, body);
    SN_TRY(check_clips(session, NULL, NULL, error));
cleanup:
    return status;
}

// What the program has warned of, which scripts get with the rest.
static bool add_warnings(const cli_session *session, sn_json *json) {
    sn_value *list = sn_json_add_array(json, sn_json_root(json), "warnings");
    bool done = list != NULL;
    for (uint32_t i = 0; i < sn_context_warning_count(session->context) && done; ++i) {
        const char *topic, *text = sn_context_warning(session->context, i, &topic);
        sn_value *warning = sn_json_add_object(json, list, NULL);
        done = warning != NULL && sn_json_add_string(json, warning, "topic", topic) != NULL &&
               sn_json_add_string(json, warning, "text", text) != NULL;
    }
    return done;
}

static sn_status print_all_json(cli_session *session, const sn_body_check *body, sn_error *error) {
    const sn_model *model = session->model;
    sn_json *json = NULL;
    sn_value *list = NULL, *clips = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(session->context, &json, error));
    sn_value *root = sn_json_root(json);
    sn_json_add_string(json, root, "character", sn_model_name(model));
    sn_json_add_number(json, root, "segments", sn_model_skeleton(model)->segment_count);
    sn_json_add_number(json, root, "controls", sn_model_control_count(model));
    list = sn_json_add_array(json, root, "surfaces");
    bool added = cli_add_body(json, root, model, body);
    clips = sn_json_add_array(json, root, "clips");
    SN_TRY(added && list != NULL && clips != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(measure_surfaces(model, body, json, list, error));
    SN_TRY(check_clips(session, json, clips, error));
    SN_TRY(add_warnings(session, json) ? SN_OK : app_fail_memory(error));
    SN_TRY(cli_print_json(session->context, json, error));
cleanup:
    sn_json_destroy(json);
    return status;
}

static sn_status measure_all(const cli_call *call, cli_session *session, sn_error *error) {
    sn_body_check *body = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_body_check_create(session->model, CLI_OVERLAP_SHARE, &session->progress.progress,
                                &body, error));
    cli_progress_end(&session->progress);
    SN_TRY(cli_has(call, "--json") ? print_all_json(session, body, error)
                                   : print_all(session, body, error));
cleanup:
    sn_body_check_destroy(body);
    return status;
}

static int print_schema(const cli_call *call) {
    sn_error error = {0};
    sn_context *context = cli_context(call, &error);
    char *text = NULL;
    size_t size;
    sn_status status = SN_OK;
    SN_TRY(error.status);
    SN_TRY(sn_document_schema(context, &text, &size, &error));
    fwrite(text, 1, size, stdout);
    sn_json_free_text(context, text);
cleanup:
    sn_context_destroy(context);
    return cli_end(status, &error);
}

static int print_expanded(const cli_call *call) {
    sn_error error = {0};
    sn_character *character = NULL;
    sn_json *expanded = NULL;
    sn_context *context = cli_context(call, &error);
    sn_status status = SN_OK;
    SN_TRY(error.status);
    SN_TRY(cli_open_character(call, context, call->arguments[0], &character, &error));
    SN_TRY(sn_character_expand(character, &expanded, &error));
    SN_TRY(cli_print_json(context, expanded, &error));
cleanup:
    sn_json_destroy(expanded);
    sn_character_destroy(character);
    sn_context_destroy(context);
    return cli_end(status, &error);
}

static int run(const cli_call *call) {
    if (cli_has(call, "--schema")) {
        return print_schema(call);
    }
    if (call->argument_count == 0) {
        return cli_wrong_usage(call, "needs DOC");
    }
    if (cli_has(call, "--expanded")) {
        return print_expanded(call);
    }
    if (!cli_check_moment_options(call)) {
        return CLI_USAGE;
    }
    sn_error error = {0};
    cli_session session;
    sn_status status = SN_OK;
    SN_TRY(cli_session_open(call, call->arguments[0], &session, &error));
    if (cli_has(call, "--moment-arms")) {
        SN_TRY(cli_moment_table(call, &session, &error));
        goto cleanup;
    }
    SN_TRY(measure_all(call, &session, &error));
    if (!cli_has(call, "--json")) {
        cli_tell_units(call, &session);
        uint32_t segments = sn_model_skeleton(session.model)->segment_count;
        uint32_t controls = sn_model_control_count(session.model);
        printf("%s: %u segment%s, %u control%s, %.3g MB of bindings: can be evaluated\n",
               sn_model_name(session.model), segments, cli_s(segments), controls, cli_s(controls),
               (double)sn_model_bytes(session.model) * 1e-6);
    }
cleanup:
    cli_session_close(&session);
    return cli_end(status, &error);
}

const cli_command cli_check = {
    .name = "check",
    .arguments = "DOC|MODEL",
    .summary = "checks that a character can be evaluated, and measures it",
    .details = "The exit status is 1 only if the document cannot be evaluated; measurements never "
               "change it.\n"
               "\n"
               "--moment-arms prints -dL/dq of every muscle between bones about every coordinate\n"
               "that it spans instead: positive where its pull makes the coordinate grow.\n"
               "\n"
               "example: sinew check examples/arm/arm.sinew.json\n"
               "         sinew check arm26.osim --moment-arms --coordinate r_elbow_flex\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
