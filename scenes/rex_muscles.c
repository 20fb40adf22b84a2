// SPDX-License-Identifier: Apache-2.0
//
// The muscles of the rex, in mirrored pairs. Curves are given on the maquette's left side by three
// points each, put onto its surface, and reflected in the middle plane; the skin is its own mirror
// image, so that this is mirroring by geometry.
#include "scenes/rex_shape.h"

#include <stdio.h>

enum { CURVE_POINTS = 6 };

typedef struct pair {
    const char *names[2];    // left, right
    const char *controls[2]; // that contract it
    const char *tension;     // another control; NULL: none
    double curves[2][3][3];  // first and second curve: origin, middle, insertion, millimetres
    double thickness, bulge;
    double d_full, d_none;
} pair;

static const double skin_thickness = 0.010; // metres, in life size

// clang-format off
static const pair pairs[] = {
    // Closes the jaw: from the temple's lower edge to the jaw.
    {{"cheek_left", "cheek_right"}, {"cheek", "cheek"}, "bite",
     {{{50, 14, -6}, {56, -24, 0}, {48, -64, 6}}, {{52, 12, 26}, {52, -20, 22}, {42, -62, 42}}},
     0.030, 1.7, 0.05, 0.20},
    // Its upper part, over the side of the skull.
    {{"temple_left", "temple_right"}, {"temple", "temple"}, "bite",
     {{{28, 62, -14}, {46, 46, -8}, {52, 16, 2}}, {{34, 64, 32}, {50, 44, 28}, {54, 14, 24}}},
     0.028, 1.4, 0.05, 0.16},
    // Lifts the lip: from before the eye down to its edge.
    {{"snarl_left", "snarl_right"}, {"lip", "lip"}, NULL,
     {{{34, 26, 110}, {34, 6, 106}, {36, -18, 104}}, {{30, 24, 160}, {32, 6, 164}, {32, -19, 166}}},
     0.022, 0.9, 0.04, 0.20},
    // Opens the nostril: pulls its rear edge backward.
    {{"nostril_left", "nostril_right"}, {"nostril", "nostril"}, NULL,
     {{{26, 34, 172}, {25, 34, 184}, {24, 33, 196}}, {{28, 16, 172}, {28, 16, 186}, {26, 15, 200}}},
     0.012, 1.6, 0.03, 0.07},
    // From the back of the skull down the side of the neck; turns the head.
    {{"neck_left", "neck_right"}, {"neck_left", "neck_right"}, "neck",
     {{{50, 16, -24}, {54, -22, -78}, {60, -84, -128}},
      {{50, -20, -18}, {50, -58, -54}, {50, -110, -92}}},
     0.040, 1.0, 0.07, 0.18},
    // Under the throat.
    {{"throat_left", "throat_right"}, {"throat", "throat"}, NULL,
     {{{12, -76, 10}, {12, -82, -16}, {12, -100, -40}}, {{30, -70, 6}, {32, -76, -22}, {34, -96, -50}}},
     0.025, 1.0, 0.06, 0.15},
};
// clang-format on
enum { PAIRS = sizeof pairs / sizeof *pairs };

// The parabola through three points, put onto the skin's masses.
static void place_curve(const scn_rex *rex, const double points[3][3], bool left,
                        sn_vec3 curve[CURVE_POINTS]) {
    for (int i = 0; i < CURVE_POINTS; ++i) {
        double t = i / (CURVE_POINTS - 1.0);
        double weights[3] = {(1 - t) * (1 - 2 * t), 4 * t * (1 - t), t * (2 * t - 1)};
        double sum[3] = {0};
        for (int k = 0; k < 9; ++k) {
            sum[k % 3] += weights[k / 3] * points[k / 3][k % 3];
        }
        sn_vec3 p = scn_field_project(rex->field,
                                      sn_vec3_scale(sn_vec3_make(sum[0], sum[1], sum[2]), SCN_MM),
                                      SCN_ALL_GROUPS, 8);
        p = sn_vec3_scale(p, SCN_REX_ENLARGE);
        curve[i] = sn_vec3_make(scn_round(left ? p.x : -p.x), scn_round(p.y), scn_round(p.z));
    }
}

static sn_status add_muscle(sn_context *context, sn_character *character, const scn_rex *rex,
                            const pair *given, int side, sn_error *error) {
    char keys[1024], tension[64] = "";
    sn_vec3 curves[2][CURVE_POINTS];
    for (int c = 0; c < 2; ++c) {
        place_curve(rex, given->curves[c], side == 0, curves[c]);
    }
    if (given->tension != NULL) {
        snprintf(tension, sizeof tension, "\"tension\": \"%s\", ", given->tension);
    }
    // Contracts less towards the curves than between them.
    snprintf(keys, sizeof keys,
             "{\"skin\": \"skin\", \"contraction\": \"%s\", %s\"vary\": {\"contraction\": "
             "[[0, 0.5, 0.35], [0.5, 0.5, 1], [1, 0.5, 0.35]]}, \"skin_thickness\": %g, "
             "\"muscle_thickness\": %g, \"bulge\": %g, \"normals\": \"curves\", \"d_full\": %g, "
             "\"d_none\": %g}",
             given->controls[side], tension, skin_thickness, given->thickness, given->bulge,
             given->d_full, given->d_none);
    const sn_vec3 *const both[2] = {curves[0], curves[1]};
    return scn_add_muscle(context, character, given->names[side], keys, both, CURVE_POINTS, error);
}

// Controls that a person sets, and those that joints drive.
static void add_controls(sn_json *json) {
    static const double cheek[][2] = {{-SCN_REX_GAPE_DEG, 0.28}, {0, 0}, {30, 0.25}};
    static const double temple[][2] = {{-SCN_REX_GAPE_DEG, 0.12}, {0, 0}};
    static const double lip[][2] = {{0, 0}, {1, 0.32}}, nostril[][2] = {{0, 0}, {1, 0.3}},
                        throat[][2] = {{0, 0}, {1, 0.2}};
    static const double to_left[][2] = {{0, 0}, {25, 0.3}}, to_right[][2] = {{-25, 0.3}, {0, 0}};
    scn_add_control(json, "bite", "Tenses the muscles that close the jaw.", "jaw");
    scn_add_control(json, "snarl", "Lifts the upper lip.", "face");
    scn_add_control(json, "flare", "Opens the nostrils.", "face");
    scn_add_control(json, "swallow", "Contracts the throat.", "neck");
    scn_add_control(json, "neck", "Tenses both sides of the neck.", "neck");
    scn_add_control(json, "lip", "Contracts what lifts the lip; snarl drives it.", "driven");
    scn_add_control(json, "nostril", "Contracts behind the nostrils; flare drives it.", "driven");
    scn_add_control(json, "throat", "Contracts under the throat; swallow drives it.", "driven");
    scn_add_control(json, "cheek", "Contracts the cheeks; the jaw drives it.", "driven");
    scn_add_control(json, "temple", "Contracts the temples; the jaw drives it.", "driven");
    scn_add_control(json, "neck_left", "Contracts the left side; the head's turn drives it.",
                    "driven");
    scn_add_control(json, "neck_right", "Contracts the right side; the head's turn drives it.",
                    "driven");
    scn_add_driver(json, "lip", "snarl", lip, 2);
    scn_add_driver(json, "nostril", "flare", nostril, 2);
    scn_add_driver(json, "throat", "swallow", throat, 2);
    scn_add_driver(json, "cheek", "jaw.rx_deg", cheek, 3);
    scn_add_driver(json, "temple", "jaw.rx_deg", temple, 2);
    scn_add_driver(json, "neck_left", "head.rz_deg", to_left, 2);
    scn_add_driver(json, "neck_right", "head.rz_deg", to_right, 2);
}

sn_status scn_rex_add_muscles(sn_context *context, sn_character *character, const scn_rex *rex,
                              sn_error *error) {
    sn_status status = SN_OK;
    add_controls(sn_character_document(character));
    for (int i = 0; i < 2 * PAIRS && status == SN_OK; ++i) {
        status = add_muscle(context, character, rex, &pairs[i / 2], i % 2, error);
    }
    return status;
}
