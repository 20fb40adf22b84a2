// SPDX-License-Identifier: Apache-2.0
#include "cli.h"
#include "parameter_options.h"

#include "common/older.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"--driver", "REST", "a driver at rest, as it fits MESH", true},
    {"--to", "POSED", "the driver in its new pose, with the same faces; one for each", true},
    {"--weight", "X", "how much a driver counts, 0 to 1; one for each (default: 1)", true},
    {"--combine", "HOW", "mean: by the mean of what drivers do (default); larger: more counts more",
     false},
    {"-o", "OUT", "the mesh to write: .obj or .glb", false},
    {"--extended", NULL, "also scales along the normals of the driver", false},
    {"--frames", "REST", "with --extended: three points beside each vertex of the driver", false},
    {"--frames-to", "POSED", "the same points, moved as the driver was", false},
    {"--bind", "FILE", "reads the binding from FILE, or writes it if FILE does not exist", false},
    {"--rebind", "POINTS", "binds these points anew, such as 12,40-60, and updates FILE", false},
    {"--sets", "S.json", "which faces points may follow: [{points, faces, mode}, ...]", false},
    {"--no-separation", NULL, "lets points follow all faces that are near, also across a gap",
     false},
    {0},
};

// Parameters of the kind `wrap` that are options by their own names. Of the others --extended and
// --no-separation are switches.
enum { LOCAL, UNIT, ELEMENTS, OPTION_PARAMETER_COUNT };

static sn_parameters wrap_parameters(void) {
    uint32_t index = 0;
    while (strcmp(sn_kind_at(SN_KIND_DEFORMER, index).name, "wrap") != 0) {
        ++index;
    }
    return sn_kind_at(SN_KIND_DEFORMER, index).parameters;
}

static bool option_parameter(uint32_t index, sn_parameter *parameter) {
    static const char *const keys[OPTION_PARAMETER_COUNT] = {
        [LOCAL] = "local", [UNIT] = "unit", [ELEMENTS] = "elements"};
    sn_parameters table = wrap_parameters();
    for (uint32_t i = 0; index < OPTION_PARAMETER_COUNT && i < table.count; ++i) {
        if (strcmp(table.items[i].name, keys[index]) == 0) {
            *parameter = table.items[i];
            return true;
        }
    }
    return false;
}

static const cli_option *parameter_options(void) {
    static cli_parameter_options made;
    if (made.options[0].name == NULL) {
        cli_parameter_options_make(option_parameter, &made);
    }
    return made.options;
}

static bool parse_parameters(const cli_call *call, sn_wrap_desc *desc) {
    double values[OPTION_PARAMETER_COUNT] = {0};
    sn_parameter parameter;
    for (uint32_t i = 0; option_parameter(i, &parameter); ++i) {
        values[i] = parameter.standard;
        if (!cli_parameter_parse_number(call, &parameter, &values[i])) {
            return false;
        }
    }
    desc->local = values[LOCAL];
    desc->unit = values[UNIT];
    desc->elements = (uint32_t)values[ELEMENTS];
    return true;
}

// Most drivers of a mesh.
enum { DRIVERS_MOST = 16 };

typedef struct driver {
    const char *rest_path, *posed_path;
    sn_import *rest, *posed;
    sn_import *frames, *posed_frames; // NULL: none
    sn_wrap *wrap;
    float *points; // what it makes of the mesh
} driver;

typedef struct wrap_work {
    const cli_call *call;
    sn_context *context;
    cli_progress progress;
    sn_import *mesh;
    uint32_t driver_count;
    driver drivers[DRIVERS_MOST];
    double weights[DRIVERS_MOST];
    sn_wrap_combination combination;
    sn_json *sets;
    sn_wrap_desc desc;
    bool is_new; // the binding is to be written
} wrap_work;

// Reads a file that holds one mesh.
static sn_status read_mesh(wrap_work *w, const char *path, sn_import **import, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(w->context, path, import, error));
    if ((*import)->mesh_count != 1) {
        SN_TRY(app_fail(error, SN_INVALID, path, "has %u meshes, but a wrap takes one",
                        (*import)->mesh_count));
    }
cleanup:
    return status;
}

static sn_status read_set(const char *path, const sn_value *value, uint32_t number,
                          sn_wrap_set *set, sn_error *error) {
    static const char *const modes[] = {"only", "add", "remove"};
    const char *mode = sn_value_string(sn_value_get(value, "mode"), "");
    *set = (sn_wrap_set){.points = sn_value_string(sn_value_get(value, "points"), NULL),
                         .faces = sn_value_string(sn_value_get(value, "faces"), NULL)};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(mode, modes[i]) == 0) {
            set->mode = (sn_wrap_set_mode)i;
            return SN_OK;
        }
    }
    return app_fail(error, SN_INVALID, path,
                    "set %u: \"mode\" is \"%s\", but must be \"only\", \"add\" or \"remove\"",
                    number, mode);
}

// Sets as in a document: a list, or an object with one.
static sn_status read_sets(wrap_work *w, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(app_read_json(w->context, path, &w->sets, error));
    const sn_value *list = sn_json_root(w->sets);
    list = list->type == SN_JSON_OBJECT ? sn_value_get(list, "sets") : list;
    if (list == NULL || list->type != SN_JSON_ARRAY) {
        return app_fail(error, SN_INVALID, path, "has no list of sets");
    }
    uint32_t count = sn_value_count(list);
    sn_wrap_set *sets = calloc(count + 1, sizeof *sets);
    if (sets == NULL) {
        return app_fail_memory(error);
    }
    w->desc.sets = sets;
    w->desc.set_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(read_set(path, sn_value_at(list, i), i, &sets[i], error));
    }
cleanup:
    return status;
}

// The posed driver must have the faces of the one at rest.
static sn_status check_posed(const driver *d, sn_error *error) {
    const char *rest_path = d->rest_path, *posed_path = d->posed_path;
    const sn_mesh *rest = d->rest->meshes[0], *posed = d->posed->meshes[0];
    if (posed->vertex_count != rest->vertex_count) {
        return app_fail(error, SN_INVALID, posed_path, "has %u vertices, but %s has %u",
                        posed->vertex_count, rest_path, rest->vertex_count);
    }
    if (posed->face_count != rest->face_count) {
        return app_fail(error, SN_INVALID, posed_path, "has %u faces, but %s has %u",
                        posed->face_count, rest_path, rest->face_count);
    }
    for (uint32_t face = 0; face < rest->face_count; ++face) {
        uint32_t first = rest->face_offsets[face], end = rest->face_offsets[face + 1];
        if (posed->face_offsets[face + 1] != end ||
            memcmp(posed->corners + first, rest->corners + first,
                   (end - first) * sizeof *rest->corners) != 0) {
            return app_fail(error, SN_INVALID, posed_path,
                            "face %u has different corners than in %s", face, rest_path);
        }
    }
    return SN_OK;
}

// Whether a binding from a file is the one that the options ask for.
static sn_status check_binding(const wrap_work *w, const sn_wrap *wrap, const char *path,
                               sn_error *error) {
    sn_wrap_summary summary;
    sn_wrap_summarize(wrap, &summary);
    if (cli_has(w->call, "--local") && summary.local != w->desc.local) {
        return app_fail(error, SN_INVALID, path, "was bound with --local %g, not %g", summary.local,
                        w->desc.local);
    }
    if (cli_has(w->call, "--unit") && w->desc.unit > 0 && summary.unit != w->desc.unit) {
        return app_fail(error, SN_INVALID, path, "was bound with --unit %g, not %g", summary.unit,
                        w->desc.unit);
    }
    if (cli_has(w->call, "--extended") && !summary.extended) {
        return app_fail(error, SN_INVALID, path, "was bound without --extended");
    }
    if (cli_has(w->call, "--elements") && summary.elements != w->desc.elements) {
        return app_fail(error, SN_INVALID, path, "was bound with --elements %u, not %u",
                        summary.elements, w->desc.elements);
    }
    if (cli_has(w->call, "--sets")) {
        return app_fail(error, SN_INVALID, path, "already exists; --sets is for a new binding");
    }
    if (cli_has(w->call, "--no-separation") && summary.reach > 0) {
        return app_fail(error, SN_INVALID, path, "was bound without --no-separation");
    }
    return SN_OK;
}

// Lists the vertices that a text such as "12,40-60" names. Both arrays have room for one more.
static sn_status list_vertices(const char *text, uint32_t count, uint8_t *marks, uint32_t *vertices,
                               uint32_t *found, sn_error *error) {
    *found = 0;
    if (sn_ranges_mark(text, count, marks, error) != SN_OK) {
        snprintf(error->source, sizeof error->source, "--rebind");
        return SN_INVALID;
    }
    for (uint32_t i = 0; i < count; ++i) {
        vertices[*found] = i;
        *found += marks[i];
    }
    return SN_OK;
}

// Binds the points of --rebind anew.
static sn_status rebind(wrap_work *w, sn_wrap *wrap, const char *text, sn_error *error) {
    uint32_t count = w->mesh->meshes[0]->vertex_count, found = 0;
    uint8_t *marks = calloc((size_t)count + 1, 1);
    uint32_t *vertices = malloc(((size_t)count + 1) * sizeof *vertices);
    sn_status status = SN_OK;
    SN_TRY(marks != NULL && vertices != NULL
               ? list_vertices(text, count, marks, vertices, &found, error)
               : app_fail_memory(error));
    SN_TRY(sn_wrap_rebind(wrap, vertices, found, error));
cleanup:
    free(marks);
    free(vertices);
    return status;
}

// Frame points of the only driver.
static sn_status read_frames(wrap_work *w, driver *d, sn_error *error) {
    static const char *const names[] = {"--frames", "--frames-to"};
    sn_import **imports[] = {&d->frames, &d->posed_frames};
    uint32_t needed = 3 * d->rest->meshes[0]->vertex_count;
    sn_status status = SN_OK;
    for (int i = 0; i < 2 && cli_has(w->call, "--frames"); ++i) {
        const char *path = cli_value(w->call, names[i], "");
        SN_TRY(read_mesh(w, path, imports[i], error));
        uint32_t count = (*imports[i])->meshes[0]->vertex_count;
        if (count != needed) {
            SN_TRY(app_fail(error, SN_INVALID, path,
                            "has %u vertices, but must have three for each of %s: %u", count,
                            d->rest_path, needed));
        }
        w->desc.frame_points = d->frames->meshes[0]->positions;
    }
cleanup:
    return status;
}

// Loads the binding where there is one, else makes it.
static sn_status bind_mesh(wrap_work *w, driver *d, sn_error *error) {
    const sn_mesh *mesh = w->mesh->meshes[0], *rest = d->rest->meshes[0];
    const char *path = cli_value(w->call, "--bind", NULL);
    const char *anew = cli_value(w->call, "--rebind", NULL);
    bool is_there = path != NULL && access(path, F_OK) == 0;
    w->is_new = path != NULL && (!is_there || anew != NULL);
    sn_status status = SN_OK;
    if (is_there && anew != NULL) {
        SN_TRY(sn_wrap_load_moved(mesh, rest, path, &d->wrap, error));
    } else if (is_there) {
        SN_TRY(sn_wrap_load(mesh, rest, path, &d->wrap, error));
    } else {
        SN_TRY(sn_wrap_bind(mesh, rest, &w->desc, &w->progress.progress, &d->wrap, error));
    }
    if (is_there) {
        SN_TRY(check_binding(w, d->wrap, path, error));
    }
    if (anew != NULL) {
        SN_TRY(rebind(w, d->wrap, anew, error));
    }
cleanup:
    return status;
}

// What one driver makes of the mesh.
static sn_status deform_mesh(wrap_work *w, driver *d, sn_error *error) {
    const sn_mesh *mesh = w->mesh->meshes[0];
    d->points = malloc(3 * sizeof(float) * (size_t)mesh->vertex_count + 1);
    if (d->points == NULL) {
        return app_fail_memory(error);
    }
    const float *frames = d->posed_frames != NULL ? d->posed_frames->meshes[0]->positions : NULL;
    return sn_wrap_deform(d->wrap, d->posed->meshes[0]->positions, frames, mesh->positions,
                          d->points, error);
}

// One driver alone, or all combined; weights below 1 move less.
static sn_status write_result(wrap_work *w, const char *path, sn_error *error) {
    sn_mesh *mesh = w->mesh->meshes[0];
    size_t size = 3 * sizeof(float) * (size_t)mesh->vertex_count;
    const float *posed[DRIVERS_MOST];
    float *in = malloc(size + 1);
    if (in == NULL) {
        return app_fail_memory(error);
    }
    memcpy(in, mesh->positions, size);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < w->driver_count; ++i) {
        SN_TRY(deform_mesh(w, &w->drivers[i], error));
        posed[i] = w->drivers[i].points;
    }
    if (w->driver_count > 1) {
        SN_TRY(sn_wrap_combine(w->context, w->combination, mesh->vertex_count, in, w->driver_count,
                               posed, w->weights, mesh->positions, error));
    } else {
        memcpy(mesh->positions, posed[0], size);
    }
    SN_TRY(sn_export_mesh(mesh, path, error));
cleanup:
    memcpy(mesh->positions, in, size); // the binding is that of the rest points
    free(in);
    return status;
}

static void print_summary(const wrap_work *w, const sn_wrap *wrap, const char *path) {
    sn_wrap_summary s;
    sn_wrap_summarize(wrap, &s);
    printf(
        "%s: %u points follow %u triangles, %.1f each (at most %u), %.1f MB; no point loses more "
        "than %.2g %% of its weight\n",
        path, w->mesh->meshes[0]->vertex_count, s.triangle_count, s.mean_elements, s.most_elements,
        (double)s.bytes * 1e-6, 100 * s.largest_loss);
    if (s.limited_points > 0) {
        printf("%u points have more than %u triangles near them\n", s.limited_points,
               s.most_elements);
    }
    if (s.edited_points > 0) {
        printf("%u points follow sets\n", s.edited_points);
    }
}

static sn_status bind_driver(wrap_work *w, driver *d, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(read_mesh(w, d->rest_path, &d->rest, error));
    SN_TRY(read_mesh(w, d->posed_path, &d->posed, error));
    SN_TRY(check_posed(d, error));
    SN_TRY(read_frames(w, d, error));
    SN_TRY(bind_mesh(w, d, error));
cleanup:
    return status;
}

static sn_status work(wrap_work *w, const char *out, sn_error *error) {
    app_older older = {0};
    sn_status status = SN_OK;
    SN_TRY(read_mesh(w, w->call->arguments[0], &w->mesh, error));
    if (cli_has(w->call, "--sets")) {
        SN_TRY(read_sets(w, cli_value(w->call, "--sets", NULL), error));
    }
    for (uint32_t i = 0; i < w->driver_count; ++i) {
        SN_TRY(bind_driver(w, &w->drivers[i], error));
    }
    SN_TRY(app_older_take(&older, out, error));
    SN_TRY(write_result(w, out, error));
    if (w->is_new) {
        status = sn_wrap_save(w->drivers[0].wrap, cli_value(w->call, "--bind", NULL), error);
        if (status != SN_OK) {
            app_older_bring_back(&older);
        }
    }
cleanup:
    app_older_free(&older);
    return status;
}

// The values of an option that repeats, at most DRIVERS_MOST; returns how many were given.
static uint32_t list_values(const cli_call *call, const char *option, const char **values) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], option) == 0) {
            values[count < DRIVERS_MOST ? count : DRIVERS_MOST - 1] = call->option_values[i];
            ++count;
        }
    }
    return count;
}

static int read_drivers(const cli_call *call, wrap_work *w) {
    const char *rest[DRIVERS_MOST], *posed[DRIVERS_MOST], *weights[DRIVERS_MOST];
    w->driver_count = list_values(call, "--driver", rest);
    uint32_t weight_count = list_values(call, "--weight", weights);
    if (w->driver_count > DRIVERS_MOST) {
        return cli_wrong_usage(call, "takes at most %d drivers", DRIVERS_MOST);
    }
    if (list_values(call, "--to", posed) != w->driver_count) {
        return cli_wrong_usage(call, "needs one --to for each --driver");
    }
    if (weight_count > 0 && (weight_count != w->driver_count || weight_count < 2)) {
        return cli_wrong_usage(call, "needs one --weight for each of several drivers");
    }
    for (uint32_t i = 0; i < w->driver_count; ++i) {
        w->drivers[i] = (driver){.rest_path = rest[i], .posed_path = posed[i]};
        w->weights[i] = 1;
        if (weight_count > 0 && !(cli_text_to_double(weights[i], &w->weights[i]) &&
                                  w->weights[i] >= 0 && w->weights[i] <= 1)) {
            return cli_wrong_usage(call, "--weight is %s, but must be a number from 0 to 1",
                                   weights[i]);
        }
    }
    return CLI_OK;
}

static int read_combination(const cli_call *call, wrap_work *w) {
    static const char *const single[] = {"--bind", "--rebind", "--sets", "--frames"};
    const char *how = cli_value(call, "--combine", "mean");
    w->combination = strcmp(how, "larger") == 0 ? SN_WRAP_LARGER : SN_WRAP_MEAN;
    if (w->combination == SN_WRAP_MEAN && strcmp(how, "mean") != 0) {
        return cli_wrong_usage(call, "--combine is %s, but must be mean or larger", how);
    }
    for (int i = 0; i < 4 && w->driver_count > 1; ++i) {
        if (cli_has(call, single[i])) {
            return cli_wrong_usage(call, "%s is for one driver", single[i]);
        }
    }
    return CLI_OK;
}

static void free_work(wrap_work *w) {
    for (uint32_t i = 0; i < w->driver_count; ++i) {
        sn_wrap_destroy(w->drivers[i].wrap);
        sn_import_destroy(w->drivers[i].rest);
        sn_import_destroy(w->drivers[i].posed);
        sn_import_destroy(w->drivers[i].frames);
        sn_import_destroy(w->drivers[i].posed_frames);
        free(w->drivers[i].points);
    }
    sn_json_destroy(w->sets);
    free((void *)w->desc.sets);
    sn_import_destroy(w->mesh);
    sn_context_destroy(w->context);
}

static int run(const cli_call *call) {
    static const char *const needed[] = {"--driver", "--to", "-o"};
    wrap_work w = {.call = call, .desc = sn_wrap_desc_default()};
    for (int i = 0; i < 3; ++i) {
        if (!cli_has(call, needed[i])) {
            return cli_wrong_usage(call, "needs %s", needed[i]);
        }
    }
    if (!parse_parameters(call, &w.desc) || read_drivers(call, &w) != CLI_OK ||
        read_combination(call, &w) != CLI_OK) {
        return CLI_USAGE;
    }
    if (cli_has(call, "--rebind") && !cli_has(call, "--bind")) {
        return cli_wrong_usage(call, "--rebind needs --bind");
    }
    bool has_frames = cli_has(call, "--frames");
    if (has_frames != cli_has(call, "--frames-to") ||
        (has_frames && (!cli_has(call, "--extended") || cli_has(call, "--bind")))) {
        return cli_wrong_usage(call,
                               "--frames needs --frames-to and --extended, and takes no --bind");
    }
    w.desc.extended = cli_has(call, "--extended");
    w.desc.reach = cli_has(call, "--no-separation") ? 0 : w.desc.reach;
    sn_error error = {0};
    const char *out = cli_value(call, "-o", NULL);
    cli_progress_begin(call, &w.progress);
    w.context = cli_context(call, &error);
    sn_status status = w.context != NULL ? work(&w, out, &error) : error.status;
    cli_progress_end(&w.progress);
    for (uint32_t i = 0; i < w.driver_count && status == SN_OK; ++i) {
        print_summary(&w, w.drivers[i].wrap, out);
    }
    free_work(&w);
    return cli_end(status, &error);
}

const cli_command cli_wrap = {
    .name = "wrap",
    .arguments = "MESH --driver REST --to POSED -o OUT",
    .summary = "deforms a mesh with a coarse mesh around it",
    .details =
        "Every point of MESH follows the faces of the driver that are near it along its surface.\n"
        "Any mesh can be a driver: faces may be concave, doubled or flat, more than two may meet "
        "at\n"
        "an edge, and there may be several parts. Several drivers are combined, each moving MESH\n"
        "from rest.\n"
        "\n"
        "example: sinew wrap shirt.obj --driver cage.obj --to cage_posed.obj -o shirt_posed.obj\n"
        "         sinew wrap shirt.obj --driver cage.obj --to cage_posed.obj --weight 0.7 \\\n"
        "             --driver collar.obj --to collar_posed.obj --weight 0.3 -o shirt_posed.obj\n",
    .least = 1,
    .most = 1,
    .options = options,
    .more_options = parameter_options,
    .run = run,
};
