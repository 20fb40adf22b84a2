// SPDX-License-Identifier: Apache-2.0
#include "moment_table.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 25, MOST_STEPS = 100000 };

// A coordinate that turns further than once around, or moves further than that, is free: its table
// goes this far to both sides of rest.
static const double widest_turn = 360, widest_shift = 10, free_turn = 90, free_shift = 0.1;

// Above this error, in metres, the length has a kink or a jump between the poses that it was
// measured in.
static const double kink = 1e-4;

// What is known of a muscle about a coordinate.
typedef struct row {
    uint32_t muscle;            // surface
    double rest;                // at rest, or in the first frame
    double low, high;           // over all poses
    double low_at, high_at;     // values of the coordinate there
    double kink_at, kink_error; // the largest error that is a kink; 0: none
} row;

typedef struct table {
    const cli_call *call;
    cli_session *session;
    FILE *csv;     // NULL: not written
    sn_json *json; // NULL: printed
    sn_value *list;
    uint32_t steps;
    sn_moment_arms *arms; // about one coordinate
    sn_moment_arm *values;
    row *rows;
    uint32_t row_count;
    const sn_coordinate *coordinate;
    double low, high; // range that is gone over
} table;

// --- Options

static bool parse_range(const char *text, double *low, double *high) {
    char first[64];
    const char *colon = strchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof first) {
        return false;
    }
    memcpy(first, text, (size_t)(colon - text));
    first[colon - text] = 0;
    return cli_text_to_double(first, low) && cli_text_to_double(colon + 1, high) && *low < *high;
}

bool cli_check_moment_options(const cli_call *call) {
    static const char *const needing[] = {"--coordinate", "--range", "--steps",
                                          "--motion",     "--set",   "--csv"};
    double low, high;
    uint32_t steps;
    const char *range = cli_value(call, "--range", NULL);
    for (size_t i = 0; i < sizeof needing / sizeof *needing; ++i) {
        if (cli_has(call, needing[i]) && !cli_has(call, "--moment-arms")) {
            cli_wrong_usage(call, "%s goes with --moment-arms", needing[i]);
            return false;
        }
    }
    if (range != NULL && !parse_range(range, &low, &high)) {
        cli_wrong_usage(call, "--range takes A:B with A < B, not \"%s\"", range);
        return false;
    }
    if (cli_has(call, "--motion") && (range != NULL || cli_has(call, "--steps"))) {
        cli_wrong_usage(call, "--motion says which poses there are: --range and --steps do not");
        return false;
    }
    return cli_check_sets(call) && cli_parse_uint(call, "--steps", STEPS, 2, MOST_STEPS, &steps);
}

// --- Poses

static const char *unit_of(const sn_coordinate *coordinate) {
    switch (coordinate->parameter.unit) {
    case SN_UNIT_DEGREES: return "deg";
    case SN_UNIT_RADIANS: return "rad";
    case SN_UNIT_METRES: return "m";
    default: return "";
    }
}

// Arms about angles and plain numbers are printed in millimetres; those about translations, metres
// per metre, as they are.
static double arm_scale(const table *t) {
    return t->coordinate->parameter.unit == SN_UNIT_METRES ? 1 : 1000;
}

static double value_in(const sn_frame *frame, const sn_coordinate *coordinate) {
    const sn_pose_parameter *p = &coordinate->parameter;
    double degrees = p->unit == SN_UNIT_DEGREES ? 180 / SN_PI : 1;
    return p->control != SN_NONE
               ? sn_frame_controls(frame)[p->control]
               : degrees * sn_frame_joint_parameters(
                               frame)[SN_JOINT_PARAMETER_COUNT * (size_t)p->segment +
                                      (size_t)p->joint_parameter];
}

// The range of a table: what --range says, else the usual one; of a free coordinate some way to
// both sides of rest.
static bool find_range(table *t) {
    const sn_pose_parameter *p = &t->coordinate->parameter;
    const char *given = cli_value(t->call, "--range", NULL);
    bool angle = p->unit == SN_UNIT_DEGREES || p->unit == SN_UNIT_RADIANS;
    double turn = p->unit == SN_UNIT_RADIANS ? SN_PI / 180 : 1;
    double widest = angle ? turn * widest_turn : p->unit == SN_UNIT_METRES ? widest_shift : DBL_MAX;
    double reach = angle ? turn * free_turn : p->unit == SN_UNIT_METRES ? free_shift : 1;
    t->low = p->usual_low;
    t->high = p->usual_high;
    bool is_free = !(t->high - t->low <= widest);
    if (given != NULL) {
        parse_range(given, &t->low, &t->high);
    } else if (is_free) {
        t->low = fmax(p->standard - reach, p->low);
        t->high = fmin(p->standard + reach, p->high);
    }
    return is_free && given == NULL;
}

static void note_row(row *r, const sn_moment_arm *found, double at, bool first) {
    if (first || found->arm < r->low) {
        r->low = found->arm;
        r->low_at = at;
    }
    if (first || found->arm > r->high) {
        r->high = found->arm;
        r->high_at = at;
    }
    if (found->error > kink && found->error > r->kink_error) {
        r->kink_error = found->error;
        r->kink_at = at;
    }
}

// Measures the pose that was evaluated last, the `pose`-th of the table.
static sn_status measure_pose(table *t, uint32_t pose, sn_error *error) {
    const sn_model *model = t->session->model;
    double at = value_in(t->session->frame, t->coordinate);
    sn_status status = sn_moment_arms_measure(t->arms, t->session->frame, t->values, error);
    for (uint32_t i = 0; i < t->row_count && status == SN_OK; ++i) {
        note_row(&t->rows[i], &t->values[i], at, pose == 0);
        if (t->csv != NULL) {
            fprintf(t->csv, "%s,%s,%u,%.9g,%s,%.9g,%.3g\n",
                    sn_model_surface(model, t->rows[i].muscle)->name, t->coordinate->name, pose, at,
                    unit_of(t->coordinate), t->values[i].arm, t->values[i].error);
        }
    }
    return status;
}

static sn_status measure_range(table *t, sn_error *error) {
    sn_frame *frame = t->session->frame;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < t->steps; ++i) {
        double share = (double)i / (t->steps - 1);
        double value = (1 - share) * t->low + share * t->high;
        SN_TRY(sn_frame_hold(frame, &t->coordinate->parameter, value, error));
        SN_TRY(sn_frame_evaluate(frame, NULL, 0, error));
        SN_TRY(measure_pose(t, i, error));
    }
cleanup:
    return status;
}

static sn_status measure_motion(table *t, sn_error *error) {
    uint32_t last = cli_last_frame(t->session);
    sn_status status = SN_OK;
    t->low = INFINITY;
    t->high = -INFINITY;
    for (uint32_t i = 0; i <= last && status == SN_OK; ++i) {
        status = sn_frame_evaluate(t->session->frame, t->session->motion, i, error);
        if (status == SN_OK) {
            double at = value_in(t->session->frame, t->coordinate);
            t->low = fmin(t->low, at);
            t->high = fmax(t->high, at);
            status = measure_pose(t, i, error);
        }
    }
    return status;
}

static sn_status measure_rest(table *t, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sn_frame_evaluate(t->session->frame, NULL, 0, error));
    SN_TRY(sn_moment_arms_measure(t->arms, t->session->frame, t->values, error));
    for (uint32_t i = 0; i < t->row_count; ++i) {
        t->rows[i].rest = t->values[i].arm;
    }
cleanup:
    return status;
}

// --- Results

static bool is_flat(const row *r) {
    return fabs(r->low) < 1e-7 && fabs(r->high) < 1e-7;
}

static void print_coordinate(const table *t, bool is_free) {
    const char *unit = unit_of(t->coordinate), *space = unit[0] != 0 ? " " : "";
    bool length = t->coordinate->parameter.unit == SN_UNIT_METRES;
    uint32_t flat = 0, kinks = 0;
    double scale = arm_scale(t);
    printf("%s, %.6g to %.6g%s%s%s, arms in %s\n", t->coordinate->name, t->low, t->high, space,
           unit, is_free ? " (it is free)" : "",
           length         ? "m for 1 m"
           : unit[0] != 0 ? "mm"
                          : "mm for 1");
    printf("  %-24s %9s %9s %10s %9s %10s\n", "muscle", "at rest", "least", "at", "most", "at");
    for (uint32_t i = 0; i < t->row_count; ++i) {
        const row *r = &t->rows[i];
        bool has_kink = r->kink_error > 0;
        flat += is_flat(r);
        kinks += has_kink && !is_flat(r);
        if (!is_flat(r)) {
            printf("  %-24s %9.2f %9.2f %10.4g %9.2f %10.4g%s\n",
                   sn_model_surface(t->session->model, r->muscle)->name, scale * r->rest,
                   scale * r->low, r->low_at, scale * r->high, r->high_at, has_kink ? " *" : "");
        }
    }
    if (flat > 0) {
        printf("  %u more muscle%s no moment arm there\n", flat, flat == 1 ? " has" : "s have");
    }
    if (kinks > 0) {
        printf("  * the length has a kink or a jump within the range\n");
    }
}

static bool add_coordinate(const table *t) {
    sn_json *json = t->json;
    sn_value *object = sn_json_add_object(json, t->list, NULL);
    const double range[2] = {t->low, t->high};
    bool done = sn_json_add_string(json, object, "coordinate", t->coordinate->name) != NULL &&
                sn_json_add_string(json, object, "unit", unit_of(t->coordinate)) != NULL &&
                sn_json_add_numbers(json, object, "range", range, 2) != NULL;
    sn_value *muscles = sn_json_add_object(json, object, "muscles");
    for (uint32_t i = 0; i < t->row_count && done; ++i) {
        const row *r = &t->rows[i];
        const double least[2] = {r->low_at, r->low}, most[2] = {r->high_at, r->high};
        sn_value *one =
            sn_json_add_object(json, muscles, sn_model_surface(t->session->model, r->muscle)->name);
        done = sn_json_add_number(json, one, "rest", r->rest) != NULL &&
               sn_json_add_numbers(json, one, "least", least, 2) != NULL &&
               sn_json_add_numbers(json, one, "most", most, 2) != NULL &&
               (r->kink_error == 0 || sn_json_add_number(json, one, "kink", r->kink_at) != NULL);
    }
    return done;
}

// --- All together

static sn_status begin_coordinate(table *t, const char *name, sn_error *error) {
    uint32_t count, pair_count;
    sn_status status = SN_OK;
    SN_TRY(sn_moment_arms_create(t->session->model, &name, 1, &t->arms, error));
    t->coordinate = sn_moment_arms_coordinates(t->arms, &count);
    const sn_moment_pair *pairs = sn_moment_arms_pairs(t->arms, &pair_count);
    t->rows = calloc((size_t)pair_count + 1, sizeof *t->rows);
    t->values = calloc((size_t)pair_count + 1, sizeof *t->values);
    SN_TRY(t->rows != NULL && t->values != NULL ? SN_OK : app_fail_memory(error));
    t->row_count = pair_count;
    for (uint32_t i = 0; i < pair_count; ++i) {
        t->rows[i].muscle = pairs[i].muscle;
    }
cleanup:
    return status;
}

static void end_coordinate(table *t) {
    sn_moment_arms_destroy(t->arms);
    free(t->rows);
    free(t->values);
    t->arms = NULL;
    t->rows = NULL;
    t->values = NULL;
}

// The values that were held before: those of --set.
static sn_status hold_sets(const table *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_frame_clear(t->session->frame);
    for (uint32_t i = 0; i < t->call->option_count && status == SN_OK; ++i) {
        char name[CLI_NAME_BYTES];
        double value;
        if (strcmp(t->call->option_names[i], "--set") == 0 &&
            cli_parse_set(t->call->option_values[i], name, sizeof name, &value)) {
            status = sn_frame_set(t->session->frame, name, value, error);
        }
    }
    return status;
}

static sn_status measure_coordinate(table *t, const char *name, sn_error *error) {
    bool moves = cli_has(t->call, "--motion"), is_free = false;
    sn_status status = SN_OK;
    SN_TRY(hold_sets(t, error));
    SN_TRY(begin_coordinate(t, name, error));
    if (t->row_count == 0 && !cli_has(t->call, "--coordinate")) {
        goto cleanup; // no muscle spans it
    }
    SN_TRY(measure_rest(t, error));
    is_free = !moves && find_range(t);
    SN_TRY(moves ? measure_motion(t, error) : measure_range(t, error));
    if (t->json != NULL) {
        SN_TRY(add_coordinate(t) ? SN_OK : app_fail_memory(error));
    } else {
        print_coordinate(t, is_free);
    }
cleanup:
    end_coordinate(t);
    return status;
}

static sn_status measure_all(table *t, sn_error *error) {
    sn_moment_arms *all = NULL;
    uint32_t count = 0, pair_count = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < t->call->option_count; ++i) {
        if (strcmp(t->call->option_names[i], "--coordinate") == 0) {
            SN_TRY(measure_coordinate(t, t->call->option_values[i], error));
        }
    }
    if (cli_has(t->call, "--coordinate")) {
        goto cleanup;
    }
    SN_TRY(sn_moment_arms_create(t->session->model, NULL, 0, &all, error));
    const sn_coordinate *coordinates = sn_moment_arms_coordinates(all, &count);
    sn_moment_arms_pairs(all, &pair_count);
    if (pair_count == 0 && t->json == NULL) {
        printf("%s has no muscle between bones that spans a coordinate\n",
               sn_model_name(t->session->model));
    }
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(measure_coordinate(t, coordinates[i].name, error));
    }
cleanup:
    sn_moment_arms_destroy(all);
    return status;
}

static sn_status open_csv(table *t, const char *path, sn_error *error) {
    t->csv = fopen(path, "w");
    if (t->csv == NULL) {
        return app_fail(error, SN_IO, path, "%s", strerror(errno));
    }
    fprintf(t->csv, "muscle,coordinate,pose,value,unit,arm_m,error_m\n");
    return SN_OK;
}

static sn_status close_csv(table *t, const char *path, sn_status status, sn_error *error) {
    if (t->csv == NULL) {
        return status;
    }
    bool wrong = ferror(t->csv) != 0;
    wrong = fclose(t->csv) != 0 || wrong;
    return wrong && status == SN_OK ? app_fail(error, SN_IO, path, "it cannot be written") : status;
}

sn_status cli_moment_table(const cli_call *call, cli_session *session, sn_error *error) {
    const char *csv = cli_value(call, "--csv", NULL);
    table t = {.call = call, .session = session};
    char *text = NULL;
    size_t size;
    sn_status status = SN_OK;
    cli_parse_uint(call, "--steps", STEPS, 2, MOST_STEPS, &t.steps);
    SN_TRY(sn_frame_select(session->frame, NULL, 0, error)); // the pose alone
    if (csv != NULL) {
        SN_TRY(open_csv(&t, csv, error));
    }
    if (cli_has(call, "--json")) {
        SN_TRY(sn_json_create(session->context, &t.json, error));
        sn_json_add_string(t.json, sn_json_root(t.json), "character",
                           sn_model_name(session->model));
        t.list = sn_json_add_array(t.json, sn_json_root(t.json), "moment_arms");
        SN_TRY(t.list != NULL ? SN_OK : app_fail_memory(error));
    }
    SN_TRY(measure_all(&t, error));
    if (t.json != NULL) {
        SN_TRY(sn_json_write(t.json, &text, &size, error));
        fwrite(text, 1, size, stdout);
    }
cleanup:
    sn_json_free_text(session->context, text);
    sn_json_destroy(t.json);
    return close_csv(&t, csv, status, error);
}
