// SPDX-License-Identifier: Apache-2.0
//
// Which muscles may make which expression: those of its action units, and those that help them. The
// floors are what a linear model of the same head reached with muscles chosen likewise, rounded
// down.
#include "bench/face/face.h"

#include <string.h>

const snb_expression snb_expressions[] = {
    {.name = "browDown",
     .shapes = {"browDown_L", "browDown_R"},
     .muscles = {"corrugator", "corrugator lateral", "procerus", "depressor supercilii",
                 "oculi upper inner", "oculi upper outer", "oculi medial upper"},
     .floor_cosine = 0.92,
     .floor_residual = 0.47},
    {.name = "browInnerUp",
     .shapes = {"browInnerUp_L", "browInnerUp_R"},
     .muscles = {"frontalis 1", "frontalis 2", "levator palpebrae", "oculi upper lid",
                 "corrugator"},
     .floor_cosine = 0.92,
     .floor_residual = 0.47},
    {.name = "browOuterUp",
     .shapes = {"browOuterUp_L", "browOuterUp_R"},
     .muscles = {"frontalis 2", "frontalis 3", "frontalis 4", "levator palpebrae",
                 "oculi upper lid"},
     .floor_cosine = 0.92,
     .floor_residual = 0.47},
    {.name = "cheekRaiser",
     .shapes = {"cheekRaiser_L", "cheekRaiser_R"},
     .muscles = {"malaris inner", "malaris outer", "oculi lateral", "oculi lower outer",
                 "oculi lower inner", "oculi upper outer", "oculi lower lid"},
     .floor_cosine = 0.87,
     .floor_residual = 0.5},
    {.name = "eyeBlink",
     .shapes = {"eyeBlink_L", "eyeBlink_R"},
     .muscles = {"oculi upper lid", "oculi lower lid"},
     .floor_cosine = 0.94,
     .floor_residual = 0.35},
    {.name = "eyeSquint",
     .shapes = {"eyeSquint_L", "eyeSquint_R"},
     .muscles = {"oculi lower outer", "oculi lower inner", "oculi lateral", "oculi medial upper",
                 "oculi medial lower", "oculi upper lid", "oculi lower lid", "malaris inner",
                 "malaris outer"},
     .floor_cosine = 0.85,
     .floor_residual = 0.55},
    {.name = "jawForward",
     .shapes = {"jawForward"},
     .muscles = {"mentalis", "depressor labii"},
     .lips = {false, true},
     .jaw = {"jaw open", "jaw forward"},
     .floor_cosine = 0.94,
     .floor_residual = 0.32},
    {.name = "jawLeft",
     .shapes = {"jawLeft"},
     .jaw = {"jaw open", "jaw forward", "jaw left"},
     .floor_cosine = 0.94,
     .floor_residual = 0.32},
    {.name = "jawOpen",
     .shapes = {"jawOpen"},
     .muscles = {"depressor labii", "platysma front", "platysma back"},
     .jaw = {"jaw open", "jaw forward"},
     .floor_cosine = 0.94,
     .floor_residual = 0.32},
    {.name = "jawOpen+mouthClose",
     .shapes = {"jawOpen", "mouthClose"},
     .muscles = {"mentalis"},
     .lips = {true, true},
     .jaw = {"jaw open", "jaw forward"}},
    {.name = "noseSneer",
     .shapes = {"noseSneer_L", "noseSneer_R"},
     .muscles = {"levator alae nasi wing", "levator alae nasi lip", "levator alae nasi cheek",
                 "levator labii", "levator labii lateral", "zygomaticus minor",
                 "nasalis transverse", "nasalis alar", "procerus", "depressor supercilii",
                 "oculi medial lower"},
     .floor_cosine = 0.91,
     .floor_residual = 0.38},
    {.name = "mouthUpperUp",
     .shapes = {"mouthUpperUp_L", "mouthUpperUp_R"},
     .muscles = {"levator labii", "levator labii lateral", "zygomaticus minor",
                 "levator alae nasi wing", "levator alae nasi lip", "levator alae nasi cheek"},
     .floor_cosine = 0.91,
     .floor_residual = 0.38},
    {.name = "mouthSmile",
     .shapes = {"mouthSmile_L", "mouthSmile_R"},
     .muscles = {"zygomaticus major", "zygomaticus minor", "risorius", "levator anguli oris",
                 "buccinator", "malaris inner", "malaris outer"},
     .floor_cosine = 0.92,
     .floor_residual = 0.3},
    {.name = "mouthStretch",
     .shapes = {"mouthStretch_L", "mouthStretch_R"},
     .muscles = {"risorius", "platysma front", "platysma back", "buccinator",
                 "depressor anguli oris", "depressor labii"},
     .floor_cosine = 0.7,
     .floor_residual = 0.5},
    {.name = "mouthDimple",
     .shapes = {"mouthDimple_L", "mouthDimple_R"},
     .muscles = {"buccinator", "risorius", "zygomaticus major", "depressor anguli oris"},
     .floor_cosine = 0.7,
     .floor_residual = 0.5},
    {.name = "mouthFrown",
     .shapes = {"mouthFrown_L", "mouthFrown_R"},
     .muscles = {"depressor anguli oris", "platysma front", "platysma back", "mentalis"},
     .floor_cosine = 0.7,
     .floor_residual = 0.5},
    {.name = "mouthLowerDown",
     .shapes = {"mouthLowerDown_L", "mouthLowerDown_R"},
     .muscles = {"depressor labii", "platysma front", "depressor anguli oris"},
     .floor_cosine = 0.9,
     .floor_residual = 0.28},
    {.name = "mouthShrugLower",
     .shapes = {"mouthShrugLower"},
     .muscles = {"mentalis", "depressor anguli oris"},
     .lips = {false, true},
     .floor_cosine = 0.9,
     .floor_residual = 0.28},
    {.name = "mouthPress",
     .shapes = {"mouthPress_L", "mouthPress_R"},
     .muscles = {"mentalis", "buccinator", "depressor anguli oris"},
     .lips = {true, true},
     .floor_residual = 0.54},
    {.name = "mouthPucker",
     .shapes = {"mouthPucker"},
     .muscles = {"mentalis", "buccinator"},
     .lips = {true, true},
     .floor_cosine = 0.7,
     .floor_residual = 0.5},
    {.name = "mouthFunnel",
     .shapes = {"mouthFunnel"},
     .muscles = {"mentalis", "depressor labii", "levator labii"},
     .lips = {true, true},
     .jaw = {"jaw open"},
     .floor_cosine = 0.7,
     .floor_residual = 0.5},
    {.name = "cheekPuff",
     .shapes = {"cheekPuff_L", "cheekPuff_R"},
     .muscles = {"mentalis", "buccinator"},
     .lips = {true, true},
     .floor_cosine = 0.7,
     .floor_residual = 0.5},
};
const uint32_t snb_expression_count = sizeof snb_expressions / sizeof *snb_expressions;

static const char *const lips[2][4] = {
    {"oris upper outer lateral", "oris upper outer medial", "oris upper rim lateral",
     "oris upper rim medial"},
    {"oris lower outer lateral", "oris lower outer medial", "oris lower rim lateral",
     "oris lower rim medial"},
};

static uint32_t add_sides(const char *muscle, char (*names)[SNB_TEXT], uint32_t count) {
    snprintf(names[count], SNB_TEXT, "%s.L", muscle);
    snprintf(names[count + 1], SNB_TEXT, "%s.R", muscle);
    return count + 2;
}

uint32_t snb_expression_controls(const snb_expression *expression,
                                 char names[SNB_MOST_CONTROLS][SNB_TEXT]) {
    uint32_t count = 0;
    for (int i = 0; i < SNB_MOST_MUSCLES && expression->muscles[i] != NULL; ++i) {
        count = add_sides(expression->muscles[i], names, count);
    }
    for (int lip = 0; lip < 2; ++lip) {
        for (int i = 0; i < 4 && expression->lips[lip]; ++i) {
            count = add_sides(lips[lip][i], names, count);
        }
    }
    for (int i = 0; i < 3 && expression->jaw[i] != NULL; ++i) {
        snprintf(names[count++], SNB_TEXT, "%s", expression->jaw[i]);
    }
    return count;
}
