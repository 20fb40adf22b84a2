// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "cli.h"

#include "pairing.h"
#include "relax.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool cli_has(const cli_call *call, const char *option) {
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], option) == 0) {
            return true;
        }
    }
    return false;
}

const char *cli_value(const cli_call *call, const char *option, const char *otherwise) {
    for (uint32_t i = call->option_count; i-- > 0;) {
        if (strcmp(call->option_names[i], option) == 0) {
            return call->option_values[i];
        }
    }
    return otherwise;
}

int cli_wrong_usage(const cli_call *call, const char *format, ...) {
    fprintf(stderr, "sinew %s: ", call->command->name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see `sinew %s --help`)\n", call->command->name);
    return CLI_USAGE;
}

bool cli_text_to_double(const char *text, double *value) {
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return *text != 0 && *end == 0 && errno == 0 && isfinite(*value);
}

bool cli_parse_double(const cli_call *call, const char *option, double otherwise, double low,
                      double high, double *value) {
    const char *text = cli_value(call, option, NULL);
    *value = otherwise;
    if (text == NULL) {
        return true;
    }
    if (!cli_text_to_double(text, value) || *value < low || *value > high) {
        cli_wrong_usage(call, "%s takes a number from %g to %g, not \"%s\"", option, low, high,
                        text);
        return false;
    }
    return true;
}

bool cli_parse_uint(const cli_call *call, const char *option, uint32_t otherwise, uint32_t low,
                    uint32_t high, uint32_t *value) {
    const char *text = cli_value(call, option, NULL);
    double number;
    *value = otherwise;
    if (text == NULL) {
        return true;
    }
    if (!cli_text_to_double(text, &number) || number < low || number > high ||
        number != floor(number)) {
        cli_wrong_usage(call, "%s takes a whole number from %u to %u, not \"%s\"", option, low,
                        high, text);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

bool cli_parse_frames(const cli_call *call, uint32_t last_frame, uint32_t *first, uint32_t *last) {
    const char *text = cli_value(call, "--frames", NULL);
    *first = 0;
    *last = last_frame;
    if (text == NULL) {
        return true;
    }
    char *end;
    unsigned long a = strtoul(text, &end, 10);
    unsigned long b = a;
    bool valid = text[0] >= '0' && text[0] <= '9';
    if (valid && *end == ':') {
        const char *second = end + 1;
        b = strtoul(second, &end, 10);
        valid = second[0] >= '0' && second[0] <= '9';
    }
    if (!valid || *end != 0 || a > b || b >= UINT32_MAX) {
        cli_wrong_usage(call, "--frames takes A:B with A <= B, not \"%s\"", text);
        return false;
    }
    *first = (uint32_t)a;
    *last = (uint32_t)b;
    return true;
}

// Warnings for reports; a body with more has other troubles.
enum { KEPT_WARNINGS = 1000 };

// What was left out of a file or guessed about a motion decides what comes out: scripts and logs
// get to read it, too, and --quiet keeps it. How well a body is built is for who sits before a
// terminal, or asks for it: scripts find it in reports.
static void log_line(sn_log_level level, const char *topic, const char *message, void *user) {
    const cli_call *call = user;
    bool watched = isatty(STDERR_FILENO);
    bool decides = strcmp(topic, "io") == 0 || strcmp(topic, "motion") == 0 ||
                   strcmp(call->command->name, "check") == 0;
    if (level >= SN_LOG_WARNING && (decides || (watched && !call->quiet))) {
        fprintf(stderr, "%swarning: %s\n", watched ? "\r\x1b[K" : "", message);
    }
}

// $SINEW_CPU: "baseline" or "avx2"; anything else leaves the choice to the library.
static sn_cpu wanted_cpu(void) {
    const char *text = getenv("SINEW_CPU");
    if (text == NULL) {
        return SN_CPU_AUTO;
    }
    return strcmp(text, "baseline") == 0 ? SN_CPU_BASELINE
           : strcmp(text, "avx2") == 0   ? SN_CPU_AVX2
                                         : SN_CPU_AUTO;
}

sn_context *cli_context(const cli_call *call, sn_error *error) {
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = call->threads;
    desc.allocator.byte_limit = call->memory;
    desc.cpu = wanted_cpu();
    desc.log = log_line;
    desc.log_user = (void *)call;
    desc.kept_warnings = KEPT_WARNINGS;
    sn_context *context = NULL;
    sn_status status = sn_context_create(&desc, &context, error);
    if (status == SN_OK && app_read_apart(context, call->memory, error) != SN_OK) {
        sn_context_destroy(context);
        context = NULL;
    }
    return context;
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

static bool report_progress(const char *step, double fraction, void *user) {
    cli_progress *progress = user;
    double now = app_clock();
    bool due = now - progress->drawn_at > 0.1 || fraction >= 1;
    if (progress->draws && due) {
        enum { WIDTH = 32 };
        int filled = (int)(fraction * WIDTH + 0.5);
        filled = filled < 0 ? 0 : filled > WIDTH ? WIDTH : filled;
        fprintf(stderr, "\r\x1b[K%-18s [%.*s%*s] %3.0f %%", step, filled,
                "################################", WIDTH - filled, "", fraction * 100);
        fflush(stderr);
        progress->drawn_at = now;
        progress->on_line = true;
    }
    return !interrupted;
}

void cli_progress_begin(const cli_call *call, cli_progress *progress) {
    *progress = (cli_progress){.draws = !call->quiet && isatty(STDERR_FILENO)};
    progress->progress = (sn_progress){.report = report_progress, .user = progress};
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_interrupt}, before;
    for (uint32_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        // What the caller ignores (nohup) stays ignored.
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void cli_progress_end(cli_progress *progress) {
    if (progress->on_line) {
        fprintf(stderr, "\r\x1b[K");
        progress->on_line = false;
    }
}

const char *cli_s(uint64_t count) {
    return count == 1 ? "" : "s";
}

int cli_end(sn_status status, const sn_error *error) {
    if (status == SN_OK) {
        return CLI_OK;
    }
    if (status == SN_CANCELLED && interrupted) {
        fprintf(stderr, "sinew: interrupted\n");
        return CLI_INTERRUPTED;
    }
    char text[sizeof *error];
    sn_error_format(error, text, sizeof text);
    fprintf(stderr, "sinew: %s\n", text);
    return CLI_FAILED;
}

sn_status cli_save_character(sn_character *character, const char *path, sn_error *error) {
    return interrupted ? SN_CANCELLED : sn_character_save(character, path, error);
}

static const uint32_t most_frames = 1000000000;

bool cli_check_motion(const cli_call *call) {
    uint32_t frame;
    if (cli_has(call, "--plant-feet") && cli_has(call, "--no-plant-feet")) {
        cli_wrong_usage(call, "takes --plant-feet or --no-plant-feet, not both");
        return false;
    }
    return cli_check_relax(call) &&
           cli_parse_uint(call, "--rest-frame", SN_NONE, 0, most_frames, &frame);
}

sn_motion_desc cli_motion_desc(const cli_call *call, const sn_pair_edits *edits) {
    sn_motion_desc desc = sn_motion_desc_default();
    desc.ignore_unknown = cli_has(call, "--ignore-unknown");
    cli_parse_uint(call, "--rest-frame", SN_NONE, 0, most_frames, &desc.rest_frame);
    desc.plant_feet = cli_has(call, "--plant-feet")      ? SN_PLANT_FEET_YES
                      : cli_has(call, "--no-plant-feet") ? SN_PLANT_FEET_NO
                                                         : SN_PLANT_FEET_AS_DOCUMENT;
    desc.edits = edits != NULL ? edits->edits : NULL;
    desc.edit_count = edits != NULL ? edits->count : 0;
    cli_text_to_double(cli_value(call, "--fps", "0"), &desc.rate);
    return desc;
}

void cli_note_name(const cli_call *call, const char *typed, const char *meant,
                   sn_name_match match) {
    if (match != SN_NAME_EXACT && call != NULL && !call->quiet) {
        fprintf(stderr, "note: %s is %s\n", typed, meant);
    }
}

static bool has_option(const cli_command *command, const char *name) {
    bool found = false;
    for (const cli_option *option = command->options; option->name != NULL; ++option) {
        found = found || strcmp(option->name, name) == 0;
    }
    return found;
}

// The first --motion: where several are allowed, it leads the file.
static const char *first_motion(const cli_call *call) {
    for (uint32_t i = 0; i < call->option_count; ++i) {
        if (strcmp(call->option_names[i], "--motion") == 0) {
            return call->option_values[i];
        }
    }
    return NULL;
}

static sn_status open_motion(const cli_call *call, cli_session *session, sn_error *error) {
    const char *name = first_motion(call);
    if (name == NULL && sn_model_clip_count(session->model) > 0) {
        name = sn_model_clip_name(session->model, 0);
    }
    if (cli_has(call, "--map")) {
        sn_status status = sn_pair_edits_read(session->context, cli_value(call, "--map", ""),
                                              &session->edits, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (name == NULL) {
        return cli_pairing_needs_motion(call, error);
    }
    sn_motion_desc desc = cli_motion_desc(call, session->edits);
    sn_status status = sn_motion_open_with(session->model, name, &desc, &session->motion, error);
    cli_progress_end(&session->progress);
    return cli_tell_pairing(call, session->model, session->motion, session->edits, name, status,
                            error);
}

bool cli_parse_set(const char *text, char *name, size_t name_size, double *value) {
    const char *equals = strrchr(text, '=');
    if (equals == NULL || equals == text || (size_t)(equals - text) >= name_size ||
        !cli_text_to_double(equals + 1, value)) {
        return false;
    }
    snprintf(name, name_size, "%.*s", (int)(equals - text), text);
    return true;
}

bool cli_check_sets(const cli_call *call) {
    static const char *const options[] = {"--set", "--proportion", "--enlarge", "--change"};
    static const char *const forms[] = {"NAME=VALUE", "SEGMENT=FACTOR", "SEGMENT=FACTOR",
                                        "PATH=NUMBER"};
    for (uint32_t i = 0; i < call->option_count; ++i) {
        for (uint32_t k = 0; k < 4; ++k) {
            char name[CLI_NAME_BYTES];
            double value;
            if (strcmp(call->option_names[i], options[k]) == 0 &&
                !cli_parse_set(call->option_values[i], name, sizeof name, &value)) {
                cli_wrong_usage(call, "%s takes %s, not \"%s\"", options[k], forms[k],
                                call->option_values[i]);
                return false;
            }
        }
    }
    double rate;
    return cli_parse_double(call, "--fps", 0, 0.001, 1e6, &rate);
}

// Sets a number of the document: --proportion SEGMENT=FACTOR, or --change /PATH/KEY=NUMBER where
// the object at the path must be there.
static sn_status change_number(sn_json *json, bool proportion, char *name, double number,
                               sn_error *error) {
    char *slash = strrchr(name, '/');
    sn_value *object = NULL;
    if (proportion) {
        object = sn_json_find(json, "/proportions");
        object =
            object != NULL ? object : sn_json_add_object(json, sn_json_root(json), "proportions");
    } else if (slash != NULL) {
        *slash = 0;
        object = sn_json_find(json, name);
        *slash = '/';
    }
    if (!proportion && (object == NULL || object->type != SN_JSON_OBJECT)) {
        error->status = SN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "cannot change \"%s\": the document has no object that holds it", name);
        return SN_INVALID;
    }
    const char *key = proportion ? name : slash + 1;
    return object != NULL && sn_json_add_number(json, object, key, number) != NULL
               ? SN_OK
               : app_fail_memory(error);
}

// Replaces the name of a segment as the user typed it by its own.
static sn_status match_segment(const cli_call *call, sn_character *character,
                               char name[CLI_NAME_BYTES], sn_error *error) {
    char found[CLI_NAME_BYTES];
    sn_name_match match;
    sn_status status =
        sn_character_match_segment(character, name, found, sizeof found, &match, error);
    if (status == SN_OK) {
        cli_note_name(call, name, found, match);
        memcpy(name, found, sizeof found);
    }
    return status;
}

// Changes the document, which is not saved. `path` is what the user named: a character that was
// made from a model has no path.
static sn_status apply_changes(const cli_call *call, const char *path, sn_character *character,
                               sn_error *error) {
    sn_json *json = sn_character_document(character);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        char name[CLI_NAME_BYTES];
        double number;
        bool proportion = strcmp(call->option_names[i], "--proportion") == 0;
        if ((proportion || strcmp(call->option_names[i], "--change") == 0) &&
            cli_parse_set(call->option_values[i], name, sizeof name, &number)) {
            SN_TRY(proportion ? match_segment(call, character, name, error) : SN_OK);
            SN_TRY(change_number(json, proportion, name, number, error));
        }
    }
cleanup:
    if (status == SN_INVALID) {
        snprintf(error->source, sizeof error->source, "%s", path);
    }
    return status;
}

sn_status cli_set_parameter(const cli_call *call, sn_frame *frame, const char *name, double value,
                            sn_error *error) {
    const sn_model *model = sn_frame_model(frame);
    sn_pose_parameter parameter;
    sn_name_match match;
    sn_status status = sn_model_match_parameter(model, name, &parameter, &match, error);
    if (status != SN_OK || match == SN_NAME_EXACT) {
        return status == SN_OK ? sn_frame_set(frame, name, value, error) : status;
    }
    const char *segment = sn_model_skeleton(model)->segments[parameter.segment].name;
    const char *dot = strrchr(name, '.');
    char typed[CLI_NAME_BYTES], meant[2 * CLI_NAME_BYTES];
    snprintf(typed, sizeof typed, "%.*s", (int)(dot - name), name);
    snprintf(meant, sizeof meant, "%s%s", segment, dot);
    cli_note_name(call, typed, segment, match);
    return sn_frame_set(frame, meant, value, error);
}

static sn_status apply_sets(const cli_call *call, sn_frame *frame, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < call->option_count; ++i) {
        char name[CLI_NAME_BYTES];
        double value;
        if (strcmp(call->option_names[i], "--set") == 0 &&
            cli_parse_set(call->option_values[i], name, sizeof name, &value)) {
            SN_TRY(cli_set_parameter(call, frame, name, value, error));
        }
    }
cleanup:
    return status;
}

sn_status cli_session_open(const cli_call *call, const char *path, cli_session *session,
                           sn_error *error) {
    *session = (cli_session){0};
    cli_progress_begin(call, &session->progress);
    session->context = cli_context(call, error);
    sn_status status = SN_OK;
    SN_TRY(session->context != NULL ? SN_OK : error->status);
    SN_TRY(cli_open_character(call, session->context, path, &session->character, error));
    SN_TRY(has_option(call->command, "--relax") ? cli_relax(call, path, session->character, error)
                                                : SN_OK);
    SN_TRY(apply_changes(call, path, session->character, error));
    SN_TRY(
        sn_model_create(session->character, &session->progress.progress, &session->model, error));
    SN_TRY(open_motion(call, session, error));
    SN_TRY(sn_frame_create(session->model, &session->frame, error));
    SN_TRY(apply_sets(call, session->frame, error));
cleanup:
    return status;
}

uint32_t cli_last_frame(const cli_session *session) {
    return session->motion != NULL ? sn_motion_frame_count(session->motion) - 1 : 0;
}

void cli_session_close(cli_session *session) {
    cli_progress_end(&session->progress);
    sn_frame_destroy(session->frame);
    sn_motion_destroy(session->motion);
    sn_pair_edits_destroy(session->edits);
    sn_model_destroy(session->model);
    sn_character_destroy(session->character);
    sn_context_destroy(session->context);
    *session = (cli_session){0};
}

sn_status cli_find_skin(const cli_call *call, const sn_model *model, uint32_t *surface,
                        sn_error *error) {
    return app_find_skin(model, cli_value(call, "--skin", NULL), call->arguments[0], "--skin",
                         surface, error);
}

// Metres to a unit by its name, or as a number; 0: neither.
double cli_parse_unit(const char *text) {
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"m", 1},      {"dm", 0.1},    {"cm", 0.01},
                 {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
    double number;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        if (strcmp(text, units[i].name) == 0) {
            return units[i].metres;
        }
    }
    return cli_text_to_double(text, &number) && number >= 1e-9 && number <= 1e9 ? number : 0;
}

bool cli_parse_axes(const cli_call *call, sn_import_desc *how) {
    const char *unit = cli_value(call, "--unit", NULL), *up = cli_value(call, "--up", "y");
    *how = sn_import_desc_default();
    if (!has_option(call->command, "--up")) {
        return true;
    }
    how->unit = unit != NULL ? cli_parse_unit(unit) : 0;
    how->z_up = strcmp(up, "z") == 0;
    if (unit != NULL && how->unit == 0) {
        cli_wrong_usage(call, "--unit takes m, dm, cm, mm, in, ft or metres, not \"%s\"", unit);
        return false;
    }
    if (!how->z_up && strcmp(up, "y") != 0) {
        cli_wrong_usage(call, "--up takes y or z, not \"%s\"", up);
        return false;
    }
    return true;
}

bool cli_parse_model(const cli_call *call, sn_import_desc *how) {
    if (!cli_parse_axes(call, how)) {
        return false;
    }
    if ((cli_has(call, "--unit") || cli_has(call, "--up")) && call->argument_count > 0 &&
        (cli_loaded_document(call) != NULL || app_has_extension(call->arguments[0], ".osim") ||
         app_is_folder(call->arguments[0]))) {
        cli_wrong_usage(call, "--unit and --up are for model files; meshes and clips of documents "
                              "have the keys \"unit\" and \"up\"");
        return false;
    }
    return true;
}

sn_status cli_open_character(const cli_call *call, sn_context *context, const char *path,
                             sn_character **character, sn_error *error) {
    sn_import_desc how = sn_import_desc_default();
    if (call->argument_count > 0 && path == call->arguments[0]) {
        cli_parse_model(call, &how);
    }
    // A document in the present folder: relative paths begin here.
    return app_open_character(context, path, &how, "new.sinew.json", character, error);
}

const char *cli_loaded_document(const cli_call *call) {
    return app_has_extension(call->arguments[0], ".json") ? call->arguments[0] : NULL;
}

bool cli_program_folder(int up, char folder[APP_PATH_BYTES]) {
    ssize_t length = readlink("/proc/self/exe", folder, APP_PATH_BYTES - 1);
    folder[length > 0 ? length : 0] = 0;
    for (; up > 0; --up) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL) {
            return false;
        }
        *slash = 0;
    }
    return true;
}

const char *cli_examples_folder(void) {
    static char installed[APP_PATH_BYTES + 32];
    char program[APP_PATH_BYTES];
    const char *folder = getenv("SINEW_EXAMPLES");
    if (folder != NULL || access(SINEW_EXAMPLES_DIR, R_OK) == 0) {
        return folder != NULL ? folder : SINEW_EXAMPLES_DIR;
    }
    cli_program_folder(2, program);
    snprintf(installed, sizeof installed, "%s/share/sinew/examples", program);
    return installed;
}

sn_status cli_print_json(sn_context *context, sn_json *json, sn_error *error) {
    char *text = NULL;
    size_t size;
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(json, &text, &size, error));
    fwrite(text, 1, size, stdout);
cleanup:
    sn_json_free_text(context, text);
    return status;
}
