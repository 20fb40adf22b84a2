// SPDX-License-Identifier: Apache-2.0
//
// Origins, insertions and actions are those of anatomy (H. Gray, Anatomy of the human body, 1918,
// chapter on the muscles of the face; action units of Ekman and Friesen, Facial Action Coding
// System, 1978, in brackets), as far as they show on the skin. Numbers are in distances of the
// eyes, which are some 63 mm apart.
//
// Muscles that lie beside each other and contract together add up where both reach: they stand
// apart by about the distance at which the effect of each has fallen to a half.
#include "fit/face_muscles.h"

#define EYE_IN SNI_FACE_EYE_INNER
#define EYE_OUT SNI_FACE_EYE_OUTER
#define BROW_IN SNI_FACE_BROW_INNER
#define BROW_OUT SNI_FACE_BROW_OUTER
#define WING SNI_FACE_NOSE_WING
#define CORNER SNI_FACE_MOUTH_CORNER
#define TIP SNI_FACE_NOSE_TIP
#define UPPER SNI_FACE_LIP_UPPER
#define LOWER SNI_FACE_LIP_LOWER
#define CHIN SNI_FACE_CHIN
#define BONE SNI_FACE_CHEEKBONE
#define JAW SNI_FACE_JAW_ANGLE
#define EAR SNI_FACE_EAR

// clang-format off
const sni_face_muscle sni_face_muscles[] = {
    // [1] and [2]: raise the inner and the outer part of the brow.
    {"frontalis_inner", "brow", SNI_FACE_PAIR,
     {{{BROW_IN, BROW_OUT, -0.02, 0, 0.75}, {BROW_IN, BROW_OUT, -0.02, 0, -0.04}},
      {{BROW_IN, BROW_OUT, 0.26, 0, 0.74}, {BROW_IN, BROW_OUT, 0.26, 0, 0.00}}},
     .strength = 0.22, .bulge = 0.11, .thickness = 0.025, .reach = 0.45},
    {"frontalis_outer", "brow", SNI_FACE_PAIR,
     {{{BROW_IN, BROW_OUT, 0.62, 0, 0.72}, {BROW_IN, BROW_OUT, 0.62, 0, 0.04}},
      {{BROW_IN, BROW_OUT, 0.94, 0, 0.66}, {BROW_IN, BROW_OUT, 0.94, 0, 0.02}}},
     .strength = 0.22, .bulge = 0.11, .thickness = 0.025, .reach = 0.45},
    // [4]: draw the brows together and down.
    {"corrugator", "brow", SNI_FACE_PAIR,
     {{{BROW_IN, EYE_IN, 0.32, -0.09, 0}, {BROW_IN, BROW_OUT, 0.40, 0, 0.09}},
      {{BROW_IN, EYE_IN, 0.62, -0.09, 0}, {BROW_IN, BROW_OUT, 0.48, 0, -0.04}}},
     .strength = 0.22, .bulge = 0.07, .thickness = 0.025, .reach = 0.50},
    {"procerus", "brow", SNI_FACE_MID,
     {{{EYE_IN, BROW_IN, 0.00, -0.22, -0.02}, {BROW_IN, BROW_OUT, 0.00, -0.09, 0.10}}},
     .strength = 0.24, .bulge = 0.24, .thickness = 0.025, .reach = 0.40},

    // [6] and [7]: raise the cheek, close the eye.
    {"orbicularis_oculi", "eye", SNI_FACE_RING,
     {{{EYE_OUT, EYE_IN, -0.12, 0, 0}, {EYE_IN, EYE_OUT, 0.5, 0, 0.17},
       {EYE_IN, EYE_OUT, -0.10, 0, 0}, {EYE_IN, EYE_OUT, 0.5, 0, -0.16}},
      {{EYE_OUT, EYE_IN, -0.42, 0, 0}, {EYE_IN, EYE_OUT, 0.5, 0, 0.29},
       {EYE_IN, EYE_OUT, -0.30, 0, 0}, {EYE_IN, EYE_OUT, 0.5, 0, -0.36}}},
     .strength = 0.22, .bulge = 0.22, .thickness = 0.018, .reach = 0.20,
     .center = {EYE_IN, EYE_OUT, 0.25, 0, 0}},

    // [9] and [38]: wrinkle the nose, open the nostrils.
    {"nose_wrinkler", "nose", SNI_FACE_PAIR,
     {{{EYE_IN, WING, 0.08, -0.09, 0}, {WING, EYE_IN, 0.30, 0.02, 0}},
      {{EYE_IN, WING, 0.18, 0.02, 0}, {WING, EYE_IN, 0.20, 0.14, 0}}},
     .strength = 0.16, .bulge = 0.08, .thickness = 0.022, .reach = 0.30},
    {"nasalis", "nose", SNI_FACE_PAIR,
     {{{WING, EYE_IN, 0.16, 0.24, 0}, {WING, EYE_IN, 0.14, 0.04, 0}},
      {{WING, EYE_IN, 0.00, 0.24, 0}, {WING, EYE_IN, 0.02, 0.05, 0}}},
     .strength = 0.25, .bulge = 0.12, .thickness = 0.018, .reach = 0.20},

    // [10], [11]: raise the upper lip.
    {"levator_labii", "mouth", SNI_FACE_PAIR,
     {{{EYE_IN, EYE_OUT, 0.30, 0, -0.32}, {UPPER, CORNER, 0.28, 0, 0.13}},
      {{EYE_IN, EYE_OUT, 0.80, 0, -0.36}, {UPPER, CORNER, 0.56, 0, 0.14}}},
     .strength = 0.16, .bulge = 0.24, .thickness = 0.025, .reach = 0.30},
    {"zygomaticus_minor", "mouth", SNI_FACE_PAIR,
     {{{EYE_OUT, CORNER, 0.27, 0.10, 0}, {UPPER, CORNER, 0.64, 0, 0.13}},
      {{EYE_OUT, CORNER, 0.33, 0.20, 0}, {UPPER, CORNER, 0.80, 0, 0.11}}},
     .strength = 0.18, .bulge = 0.36, .thickness = 0.025, .reach = 0.40},
    // [12], [13], [20]: pull the corner of the mouth up and out, up, and out.
    {"zygomaticus_major", "mouth", SNI_FACE_PAIR,
     {{{EYE_OUT, CORNER, 0.36, 0.26, 0}, {CORNER, UPPER, 0.04, 0, 0.06}},
      {{EYE_OUT, CORNER, 0.52, 0.40, 0}, {CORNER, LOWER, -0.02, 0.03, -0.03}}},
     .strength = 0.20, .bulge = 0.50, .thickness = 0.035, .reach = 0.72},
    {"levator_anguli_oris", "mouth", SNI_FACE_PAIR,
     {{{WING, EYE_OUT, 0.25, 0.06, 0}, {CORNER, UPPER, 0.08, 0, 0.05}},
      {{WING, EYE_OUT, 0.25, 0.24, 0}, {CORNER, UPPER, -0.08, 0, 0.03}}},
     .strength = 0.24, .bulge = 0.36, .thickness = 0.025, .reach = 0.50},
    {"risorius", "mouth", SNI_FACE_PAIR,
     {{{CORNER, EYE_OUT, 0.05, 0.52, 0.06}, {CORNER, UPPER, -0.02, 0, 0.05}},
      {{CORNER, EYE_OUT, 0.05, 0.50, -0.10}, {CORNER, LOWER, -0.02, 0, -0.05}}},
     .strength = 0.24, .bulge = 0.24, .thickness = 0.025, .reach = 0.60},
    // [15], [16], [17]: pull the corner down, the lower lip down, the chin up.
    {"depressor_anguli_oris", "mouth", SNI_FACE_PAIR,
     {{{CORNER, CHIN, 0.80, 0.20, 0}, {CORNER, LOWER, 0.05, 0, -0.05}},
      {{CORNER, CHIN, 0.72, 0.44, 0}, {CORNER, LOWER, -0.06, 0.04, -0.03}}},
     .strength = 0.26, .bulge = 0.26, .thickness = 0.025, .reach = 0.60},
    {"depressor_labii", "mouth", SNI_FACE_PAIR,
     {{{CHIN, LOWER, 0.34, 0.10, 0}, {LOWER, CORNER, 0.22, 0, -0.05}},
      {{CHIN, LOWER, 0.36, 0.34, 0}, {LOWER, CORNER, 0.58, 0, -0.07}}},
     .strength = 0.24, .bulge = 0.12, .thickness = 0.022, .reach = 0.36},
    {"mentalis", "mouth", SNI_FACE_MID,
     {{{LOWER, CHIN, 0.22, 0.14, 0}, {LOWER, CHIN, 0.62, 0.16, 0}}},
     .strength = 0.36, .bulge = 0.72, .thickness = 0.030, .reach = 0.26},
    // [18], [23]: purse the lips and push them forward. The ring lies on the lips alone
    // and goes to its centre before them straight: on spokes over the lips it would thin them.
    {"orbicularis_oris", "mouth", SNI_FACE_RING_MID,
     {{{CORNER, CORNER, 0, -0.05, 0}, {UPPER, LOWER, 0.30, 0, 0},
       {CORNER, CORNER, 0, 0, 0}, {LOWER, UPPER, 0.30, 0, 0}},
      {{CORNER, CORNER, 0, 0.05, 0}, {UPPER, LOWER, -0.05, 0, 0},
       {CORNER, CORNER, 0, 0, 0}, {LOWER, UPPER, -0.05, 0, 0}}},
     .strength = 0.20, .bulge = 0.20, .thickness = 0.022, .reach = 0.36,
     .center = {UPPER, LOWER, 0.5, 0, 0}, .forward = 0.75},

    // Close the jaw; on the skin they swell.
    {"masseter", "jaw", SNI_FACE_PAIR,
     {{{BONE, EAR, 0.20, 0, -0.04}, {JAW, CHIN, 0.22, 0, 0.08}},
      {{BONE, EAR, 0.62, 0, -0.04}, {JAW, CHIN, -0.02, 0, 0.06}}},
     .strength = 0, .bulge = 1.00, .thickness = 0.04, .reach = 0.22},
    {"temporalis", "jaw", SNI_FACE_PAIR,
     {{{BROW_OUT, EAR, 0.24, 0, 0.46}, {EYE_OUT, EAR, 0.46, 0, 0.10}},
      {{BROW_OUT, EAR, 0.80, 0, 0.52}, {EYE_OUT, EAR, 0.68, 0, 0.10}}},
     .strength = 0, .bulge = 0.60, .thickness = 0.03, .reach = 0.22},
};
const uint32_t sni_face_muscle_count = sizeof sni_face_muscles / sizeof *sni_face_muscles;

const sni_face_expression sni_face_expressions[] = {
    {"smile", "Pulls the corners of the mouth up and out and raises the cheeks.",
     {{"zygomaticus_major", 1}, {"zygomaticus_minor", 0.25}, {"levator_anguli_oris", 0.15},
      {"risorius", 0.12}, {"orbicularis_oculi", 0.3}}},
    {"frown", "Draws the brows together and the corners of the mouth down.",
     {{"depressor_anguli_oris", 0.8}, {"corrugator", 1}, {"procerus", 0.5}, {"mentalis", 0.5}}},
    {"pout", "Narrows the mouth and pushes the lips forward.",
     {{"orbicularis_oris", 1}, {"mentalis", 0.6}, {"depressor_anguli_oris", 0.15}}},
    {"brow_raise", "Raises both brows.",
     {{"frontalis_inner", 1}, {"frontalis_outer", 1}}},
    {"surprise", "Raises the brows and lowers the lower lip.",
     {{"frontalis_inner", 1}, {"frontalis_outer", 1}, {"depressor_labii", 0.6},
      {"orbicularis_oris", 0.2}}},
    {"sadness", "Raises the inner brows, lowers the corners of the mouth.",
     {{"frontalis_inner", 0.8}, {"corrugator", 0.6}, {"depressor_anguli_oris", 0.6},
      {"mentalis", 0.4}}},
    {"anger", "Lowers the brows, narrows eyes and lips.",
     {{"corrugator", 1}, {"procerus", 0.7}, {"orbicularis_oculi", 0.5}, {"nose_wrinkler", 0.3},
      {"orbicularis_oris", 0.25}, {"masseter", 1}}},
    {"disgust", "Wrinkles the nose and raises the upper lip.",
     {{"nose_wrinkler", 1}, {"levator_labii", 0.6}, {"corrugator", 0.3},
      {"orbicularis_oculi", 0.3}}},
};
const uint32_t sni_face_expression_count =
    sizeof sni_face_expressions / sizeof *sni_face_expressions;
// clang-format on
