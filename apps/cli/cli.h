// SPDX-License-Identifier: Apache-2.0
//
// What the commands of `sinew` share: options, progress, errors.
//
// A command is one file with a `const cli_command`, and one line in the table of main.c.
#ifndef SINEW_CLI_H
#define SINEW_CLI_H

#include "common/character.h"

// Exit statuses, as docs/cli.md promises.
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, // bad input, or an output that cannot be written
    CLI_USAGE = 2,  // wrong usage
    CLI_INTERRUPTED = 130,
};

typedef struct cli_option {
    const char *name;  // "--frames" or "-o"
    const char *value; // what follows it, for the help: "A:B"; NULL: nothing follows
    const char *help;
    bool repeats; // may be given several times
} cli_option;

// Options that several commands have.
#define CLI_MOTION                                                                                 \
    { "--motion", "CLIP", "a clip of the document, or a motion file (default: first clip)", false }
#define CLI_IGNORE_UNKNOWN                                                                         \
    {                                                                                              \
        "--ignore-unknown", NULL, "no warning for .mot and .sto columns that the character lacks", \
            false                                                                                  \
    }
#define CLI_REST_FRAME                                                                             \
    {                                                                                              \
        "--rest-frame", "N",                                                                       \
            "the frame of the clip that counts as its rest pose (default: its zero pose, or the "  \
            "first frame that stands if that is no pose of a body)",                               \
            false                                                                                  \
    }
#define CLI_PLANT_FEET                                                                             \
    {                                                                                              \
        "--plant-feet", NULL,                                                                      \
            "holds planted feet in place in a clip of another skeleton (default)", false           \
    }
#define CLI_NO_PLANT_FEET                                                                          \
    {                                                                                              \
        "--no-plant-feet", NULL,                                                                   \
            "lets planted feet slide where legs differ from those of the clip", false              \
    }
#define CLI_RELAX                                                                                  \
    {                                                                                              \
        "--relax", NULL,                                                                           \
            "evens out edges that bones fold or stretch (default: for clips of other files)",      \
            false                                                                                  \
    }
#define CLI_NO_RELAX                                                                               \
    { "--no-relax", NULL, "leaves edges of the skin as its weights have them", false }
#define CLI_MAP                                                                                    \
    {                                                                                              \
        "--map", "FILE", "changes the pairing: JSON {\"segment\": \"joint of the clip\" or null}", \
            false                                                                                  \
    }
#define CLI_PAIRING                                                                                \
    {                                                                                              \
        "--pairing", "FILE",                                                                       \
            "writes which joint of the clip moves which segment, to edit and give to --map", false \
    }
#define CLI_FPS                                                                                    \
    { "--fps", "N", "frames per second (default: those of the clip)", false }
#define CLI_UNIT                                                                                   \
    {                                                                                              \
        "--unit", "UNIT",                                                                          \
            "the unit of a model: m, dm, cm, mm, in, ft, or metres as a number "                   \
            "(default: as its format says)",                                                       \
            false                                                                                  \
    }
#define CLI_UP                                                                                     \
    { "--up", "y|z", "the axis of a model that points up (default: as its format says)", false }
#define CLI_SET                                                                                    \
    { "--set", "NAME=VALUE", "holds a control or joint parameter (elbow.rx_deg) at a value", true }
#define CLI_PROPORTION                                                                             \
    { "--proportion", "SEGMENT=X", "scales a segment, as `proportions` in the document does", true }
#define CLI_CHANGE                                                                                 \
    { "--change", "PATH=X", "sets a number of the document by its path (/proportions/arm.L)", true }

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name;
    const char *arguments;                   // for the help: "DOC"
    const char *summary;                     // one line
    const char *details;                     // the rest of the help, with an example
    uint32_t least, most;                    // arguments besides options
    const cli_option *options;               // ended by one without a name
    const cli_option *(*more_options)(void); // the same, made when asked for; NULL: none
    int (*run)(const cli_call *call);
} cli_command;

// A command line, parsed.
struct cli_call {
    const cli_command *command;
    uint32_t argument_count;
    const char **arguments;
    uint32_t option_count; // as given, in order
    const char **option_names;
    const char **option_values; // NULL for flags
    bool quiet;
    uint32_t threads; // 0: all cores
    size_t memory;    // bytes that the library may use at once; 0: any
};

bool cli_has(const cli_call *call, const char *option);
// The last value given for an option, `otherwise` when there is none.
const char *cli_value(const cli_call *call, const char *option, const char *otherwise);

// Prints one line on stderr, "sinew COMMAND: ...", and returns CLI_USAGE.
int cli_wrong_usage(const cli_call *call, const char *format, ...) SN_PRINTF(2, 3);

// Reads option values; print the line and return false when they are wrong.
bool cli_parse_uint(const cli_call *call, const char *option, uint32_t otherwise, uint32_t low,
                    uint32_t high, uint32_t *value);
bool cli_parse_double(const cli_call *call, const char *option, double otherwise, double low,
                      double high, double *value);
// --frames A:B, or A alone; 0 to `last_frame` when it is not given.
bool cli_parse_frames(const cli_call *call, uint32_t last_frame, uint32_t *first, uint32_t *last);
bool cli_text_to_double(const char *text, double *value);

// Makes the context that a call asks for, NULL when it cannot.
sn_context *cli_context(const cli_call *call, sn_error *error);

// A progress bar on stderr where that is a terminal, and the end of the work on Ctrl-C.
typedef struct cli_progress {
    sn_progress progress; // hand this to the library
    bool draws;
    double drawn_at; // seconds
    bool on_line;    // a bar stands on the present line
} cli_progress;
void cli_progress_begin(const cli_call *call, cli_progress *progress);
// Takes the bar away.
void cli_progress_end(cli_progress *progress);

// Ends a command: prints the error, if any, as one line, and returns the exit status.
int cli_end(sn_status status, const sn_error *error);

// A character at work: what `run` and `render` start from.
typedef struct cli_session {
    sn_context *context;
    cli_progress progress;
    sn_character *character;
    sn_model *model;
    sn_pair_edits *edits; // of --map; NULL: none
    sn_motion *motion;    // NULL: the character has no clip
    sn_frame *frame;
} cli_session;

// Opens a document. A model file becomes the document that `sinew new` would write, without writing
// it.
// What --unit and --up say about a model. Prints what is wrong and returns false.
bool cli_parse_model(const cli_call *call, sn_import_desc *how);

// The same for commands whose first argument is not the model.
bool cli_parse_axes(const cli_call *call, sn_import_desc *how);

// Metres to a unit: "cm", "0.01"; 0 where it is none.
double cli_parse_unit(const char *text);

// Opens a document, or a model as the call says.
sn_status cli_open_character(const cli_call *call, sn_context *context, const char *path,
                             sn_character **character, sn_error *error);

// Makes a document of an OpenSim model, saves it and prints what is in it.
sn_status cli_new_osim(const cli_call *call, sn_context *context, const char *model,
                       const char *path, sn_error *error);

// Saves a document, unless Ctrl-C was pressed: then it fails with SN_CANCELLED.
sn_status cli_save_character(sn_character *character, const char *path, sn_error *error);

// Opens a document, or a model file as if it had just been given to `sinew new`; the motion that
// --motion names, else the first clip; and applies every --proportion, --change and --set. Close
// the session also after a failure.
sn_status cli_session_open(const cli_call *call, const char *path, cli_session *session,
                           sn_error *error);
void cli_session_close(cli_session *session);

// Checks --rest-frame, --plant-feet, --relax and their like; prints the line where they are wrong.
bool cli_check_motion(const cli_call *call);

// How motions are opened, as the call's options say; `edits` may be NULL.
sn_motion_desc cli_motion_desc(const cli_call *call, const sn_pair_edits *edits);

// Says on stderr how a name was understood that is not the one it means: "note: head is
// mixamorig:Head". Without a call nothing is said.
void cli_note_name(const cli_call *call, const char *typed, const char *meant, sn_name_match match);

// Holds a parameter by its name as the user typed it. Without a call no note is printed.
sn_status cli_set_parameter(const cli_call *call, sn_frame *frame, const char *name, double value,
                            sn_error *error);

// The number of the motion's last frame, 0 without one.
uint32_t cli_last_frame(const cli_session *session);

// NAME=VALUE; the name may hold an equals sign.
enum { CLI_NAME_BYTES = 512 };
bool cli_parse_set(const char *text, char *name, size_t name_size, double *value);

// The skin that --skin names, else the only one that is shown. Fails where there is none, or where
// there are several to choose from.
sn_status cli_find_skin(const cli_call *call, const sn_model *model, uint32_t *surface,
                        sn_error *error);

// Whether the option values that need no file are well-formed: --set NAME=VALUE, --proportion and
// --enlarge SEGMENT=FACTOR, --change PATH=NUMBER, --fps N. Prints what is wrong.
bool cli_check_sets(const cli_call *call);

// Prints a tree on standard output.
sn_status cli_print_json(sn_context *context, sn_json *json, sn_error *error);

// The plural's s: "1 skin", "2 skins".
const char *cli_s(uint64_t count);

// The document that a call starts from, NULL where its first argument is a model.
const char *cli_loaded_document(const cli_call *call);

// Where the program is: the folder itself (up = 1), the one above (2).
bool cli_program_folder(int up, char folder[APP_PATH_BYTES]);

// Where the shipped characters are: $SINEW_EXAMPLES, else where they were at build time, else where
// `cmake --install` puts them.
const char *cli_examples_folder(void);

extern const cli_command cli_bench, cli_bind, cli_check, cli_conform, cli_demo, cli_driver,
    cli_express, cli_extract, cli_face, cli_match, cli_muscle, cli_new, cli_pose, cli_propose,
    cli_render, cli_run, cli_studio, cli_transfer, cli_wrap;

#endif
