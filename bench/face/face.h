// SPDX-License-Identifier: Apache-2.0
//
// The shipped head with all its facial muscles tied to skin in layers: how long a frame takes, and
// how near it comes to scanned expressions of heads that it was not made for.
//
// For the latter it is transferred to a head of ICT-FaceKit, whose expressions are shapes of the
// same vertices. Each is matched with the muscles of that action and those that help it alone
// (docs/face-fit.md says how it is measured).
#ifndef SINEW_BENCH_FACE_H
#define SINEW_BENCH_FACE_H

#include "bench/bench.h"
#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/io.h"

enum { SNB_MOST_MUSCLES = 12, SNB_MOST_CONTROLS = 2 * SNB_MOST_MUSCLES + 4 };

// ---------------------------------------------------------------------------------------------
// Expressions

typedef struct snb_expression {
    const char *name;
    const char *shapes[2];                 // files without ".delta", added; the second may be NULL
    const char *muscles[SNB_MOST_MUSCLES]; // without side; those of the action and its synergists
    bool lips[2];                          // all of orbicularis oris in the upper, the lower lip
    const char *jaw[3];                    // controls of the jaw
    double floor_cosine, floor_residual;   // that a linear model of this head reaches; 0: no floor
} snb_expression;

extern const snb_expression snb_expressions[];
extern const uint32_t snb_expression_count;

// Names of the controls of an expression, both sides. Returns how many.
uint32_t snb_expression_controls(const snb_expression *expression,
                                 char names[SNB_MOST_CONTROLS][SNB_TEXT]);

// ---------------------------------------------------------------------------------------------
// The head

// Whether a muscle of the document pulls at the skin: those that controls shorten do, while those
// of the jaw have tension and become as short as the jaw lets them.
bool snb_face_moves_skin(const sn_value *muscle);

// Gives the skin of a document of the shipped head one deformer `layers` that is tied to all
// those muscles. `columns` 0: as many as the deformer has by default. Returns
// false when memory runs out.
bool snb_face_tie(sn_json *json, uint32_t columns);

// Poses the jaw by three controls, "jaw open", "jaw forward" and "jaw left", in place of the rigid
// body that muscles pull.
bool snb_face_hold_jaw(sn_context *context, sn_json *json);

// ---------------------------------------------------------------------------------------------
// Measuring

typedef struct snb_face_row {
    const snb_expression *expression;
    uint32_t control_count;
    char names[SNB_MOST_CONTROLS][SNB_TEXT];
    double values[SNB_MOST_CONTROLS];
    sn_match_report match;
    double other_cosine, other_residual; // means over heads that nothing was fitted to
} snb_face_row;

typedef struct snb_face_fit {
    const char *data; // the folder with expressions/ and heads
    const char *only; // names of expressions with commas between them; NULL: all
    uint32_t skin_vertices, face_vertices, skin_faces;
    uint32_t row_count;
    snb_face_row *rows; // from malloc
} snb_face_fit;

// Matches expressions on the neutral head, and, where all are wanted, on three others.
sn_status snb_face_measure(sn_context *context, snb_face_fit *fit, FILE *progress, sn_error *error);

void snb_face_write(const snb_face_fit *fit, FILE *out);

#endif
