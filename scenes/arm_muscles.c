// SPDX-License-Identifier: Apache-2.0
//
// What lies under the arm's skin, as the skin shows it: muscles, pads and bony points.
// Sizes are half widths, so the girth of a limb at a station can be read off the table.
#include "scenes/arm_shape.h"

#include <string.h>

enum { G = SCN_ARM_GIRDLE, U = SCN_ARM_UPPER, F = SCN_ARM_FORE, H = SCN_ARM_HAND };
#define AX SCN_ACROSS_X
#define AY SCN_ACROSS_Y

// clang-format off
static const scn_part parts[] = {
    // Upper arm: x lateral, y distal, z forward; a is the half size along x, b along z.
    {"upper core", SCN_ADD, U, 0, AX, 0, 10, 5, {
        {0, 20, 0, 38, 40}, {0, 90, 0, 39, 41}, {0, 180, -2, 38, 39}, {0, 260, -3, 38, 34},
        {0, 310, -3, 37, 31}}},
    {"triceps long", SCN_ADD, U, 0, AX, 0, 13, 6, {
        {-24, 40, -26, 14, 15}, {-27, 95, -30, 22, 22}, {-22, 150, -33, 23, 21},
        {-14, 205, -31, 20, 17},
        {-7, 250, -27, 17, 12}, {-4, 295, -24, 14, 10}}},
    {"triceps lateral", SCN_ADD, U, 0, AX, 0, 12, 5, {
        {20, 70, -28, 13, 14}, {24, 115, -32, 21, 20}, {22, 160, -33, 21, 19},
        {16, 210, -28, 17, 14}, {9, 255, -24, 13, 10}}},
    {"triceps medial", SCN_ADD, U, 0, AX, 0, 16, 3, {
        {-26, 190, -11, 13, 17}, {-27, 240, -10, 14, 17}, {-23, 285, -7, 11, 13}}},
    {"brachialis", SCN_ADD, U, 0, AX, 0, 14, 5, {
        {24, 130, 6, 10, 13}, {25, 170, 7, 15, 17}, {24, 215, 9, 18, 20}, {17, 265, 12, 19, 19},
        {5, 318, 12, 13, 13}}},
    {"biceps", SCN_ADD, U, 0, AX, 0, 12, 7, {
        {2, 50, 27, 15, 13}, {-3, 95, 32, 23, 19}, {-5, 140, 36, 29, 23}, {-5, 185, 37, 30, 24},
        {-3, 228, 33, 26, 20},
        {-1, 266, 27, 17, 14}, {0, 302, 20, 9, 10}}},
    {"deltoid middle", SCN_ADD, U, 0, AX, 0, 9, 6, {
        {14, -36, -3, 14, 22}, {31, -8, -3, 24, 32}, {39, 32, -2, 26, 31}, {36, 74, -1, 22, 26},
        {28, 116, 1, 17, 19}, {22, 160, 4, 11, 12}}},
    {"deltoid front", SCN_ADD, U, 0, AX, 0, 8, 5, {
        {-20, -42, 33, 16, 14}, {7, -2, 42, 24, 18}, {23, 44, 38, 21, 18}, {28, 95, 23, 15, 15},
        {23, 150, 10, 10, 10}}},
    {"deltoid back", SCN_ADD, U, 0, AX, 0, 8, 5, {
        {-18, -42, -38, 16, 14}, {7, -2, -44, 24, 18}, {23, 44, -40, 20, 18},
        {28, 95, -22, 15, 15}, {23, 150, -2, 10, 10}}},

    // Shoulder: x to the left, y up, z forward.
    {"shoulder block", SCN_ADD, G, 0, AY, 0, 20, 4, {
        {15, -10, -1, 46, 44}, {-20, -9, -2, 55, 50}, {-55, -8, -3, 62, 56},
        {-100, -8, -3, 64, 58}}},
    {"trapezius", SCN_ADD, G, 0, AY, 0, 26, 3, {
        {4, 24, -12, 16, 22}, {-22, 26, -14, 18, 24}, {-50, 18, -14, 12, 16}}},
    {"clavicle ridge", SCN_ADD, G, 0, AY, 0, 16, 3, {
        {14, 31, 0, 9, 14}, {-14, 36, 9, 8, 10}, {-44, 30, 18, 6, 7}}},
    {"pectoral", SCN_ADD, G, 0, AY, 0, 16, 4, {
        {-62, -14, 24, 20, 12}, {-38, -20, 41, 30, 16}, {-8, -30, 43, 27, 16},
        {42, -54, 29, 16, 11}}},
    {"latissimus and teres", SCN_ADD, G, 0, AY, 0, 26, 4, {
        {-62, -30, -24, 20, 12}, {-38, -42, -38, 26, 16}, {-8, -52, -34, 24, 16},
        {42, -70, -14, 15, 11}}},
    {"infraspinatus", SCN_ADD, G, 0, AY, 0, 24, 3, {
        {-60, 0, -28, 24, 12}, {-36, 2, -42, 28, 14}, {0, 2, -38, 22, 13}}},

    // Elbow.
    {"medial epicondyle", SCN_ADD, U, 0, AX, 0, 14, 2, {{-30, 286, -6, 9, 10},
        {-33, 302, -7, 8, 9}}},
    {"lateral epicondyle", SCN_ADD, U, 0, AX, 0, 16, 2, {{29, 292, -6, 9, 11},
        {31, 306, -6, 9, 10}}},
    {"olecranon", SCN_ADD, F, 0, AX, 0, 11, 3, {{-4, -14, -28, 10, 10}, {-4, 4, -28, 10, 10},
        {-5, 40, -24, 9, 9}}},

    // Forearm: as the upper arm, turned about the elbow.
    {"forearm core", SCN_ADD, F, 0, AX, 0, 12, 7, {
        {0, -30, -2, 36, 31}, {0, 20, 0, 38, 33}, {-1, 80, 0, 36, 33}, {0, 140, 0, 28, 30},
        {1, 195, 0, 22, 27}, {1, 240, 0, 20, 27}, {0, 270, 0, 19, 27}}},
    {"brachioradialis", SCN_ADD, F, 0, AX, 0, 14, 8, {
        {25, -78, 7, 9, 12}, {30, -35, 10, 16, 18}, {33, 5, 16, 19, 20}, {31, 45, 21, 19, 20},
        {24, 90, 25, 16, 16}, {16, 135, 27, 11, 12},
        {9, 180, 26, 8, 8}, {4, 250, 23, 5, 5}}},
    {"wrist extensors", SCN_ADD, F, 0, AX, 0, 12, 6, {
        {30, -18, -5, 11, 12}, {31, 30, -9, 18, 19}, {28, 80, -11, 18, 19},
        {20, 130, -10, 14, 16}, {14, 180, -7, 11, 13}, {11, 250, 0, 7, 13}}},
    {"flexors", SCN_ADD, F, 0, AX, 0, 14, 7, {
        {-29, -14, -2, 11, 13}, {-31, 25, 3, 18, 22}, {-29, 65, 4, 20, 24},
        {-23, 110, 5, 18, 22}, {-17, 155, 6, 13, 18}, {-13, 205, 6, 9, 16},
        {-11, 262, 5, 7, 13}}},
    {"flexor carpi ulnaris", SCN_ADD, F, 0, AX, 0, 14, 5, {
        {-21, 10, -16, 13, 14}, {-22, 60, -19, 16, 16}, {-17, 120, -20, 13, 12},
        {-12, 190, -18, 9, 9}, {-9, 268, -15, 7, 8}}},
    {"ulna edge", SCN_ADD, F, 0, AX, 0, 10, 4, {
        {-4, 30, -27, 9, 9}, {-2, 100, -27, 8, 8}, {2, 180, -22, 7, 8}, {6, 240, -19, 8, 9}}},
    {"head of the ulna", SCN_ADD, F, 0, AX, 0, 12, 2, {{11, 243, -17, 9, 10},
        {12, 252, -17, 9, 10}}},
    {"styloid of the radius", SCN_ADD, F, 0, AX, 0, 14, 3, {{3, 215, 20, 13, 8},
        {2, 246, 21, 13, 8}, {0, 268, 20, 12, 8}}},

    // Hand: x dorsal, y distal, z towards the thumb.
    {"carpus", SCN_ADD, H, 0, AX, 0, 14, 5, {{0, -30, 0, 18, 26}, {0, -10, 0, 18, 27},
        {-1, 12, 0, 17.5, 28}, {-2, 35, 0, 16, 31}, {-3, 60, 0, 12, 35}}},
    {"metacarpal 2", SCN_ADD, H, 0, AX, 0, 9, 4, {{2, 22, 13, 11, 10}, {2, 55, 21, 11, 11},
        {0, 85, 27, 12, 10.5}, {-3, 104, 28.5, 11, 10}}},
    {"metacarpal 3", SCN_ADD, H, 0, AX, 0, 9, 4, {{3, 22, 3, 11, 10}, {4, 55, 6, 11, 11},
        {3, 89, 7, 12.5, 10.5}, {-1, 108, 7, 11.5, 10}}},
    {"metacarpal 4", SCN_ADD, H, 0, AX, 0, 9, 4, {{2, 22, -8, 11, 10}, {2, 52, -10, 11, 11},
        {1, 84, -13.5, 12, 10}, {-3, 103, -15, 11, 9.5}}},
    {"metacarpal 5", SCN_ADD, H, 0, AX, 0, 9, 4, {{0, 20, -17, 11, 9}, {-2, 50, -25, 11, 10},
        {-5, 76, -32, 11.5, 9.5}, {-8, 94, -35, 10, 8.5}}},
    {"knuckle 2", SCN_ADD, H, 0, AX, 0, 7, 1, {{5.5, 89, 26, 8, 7}}},
    {"knuckle 3", SCN_ADD, H, 0, AX, 0, 7, 1, {{8.5, 92, 6.5, 8.5, 7}}},
    {"knuckle 4", SCN_ADD, H, 0, AX, 0, 7, 1, {{6, 87, -13, 8, 6.5}}},
    {"knuckle 5", SCN_ADD, H, 0, AX, 0, 7, 1, {{0, 78, -31, 7.5, 6}}},
    {"thenar", SCN_ADD, H, 0, AX, 0, 14, 4, {{-8, 4, 14, 12, 12}, {-16, 28, 21, 15, 15},
        {-20, 48, 29, 15, 14}, {-22, 62, 36, 12, 12}}},
    {"hypothenar", SCN_ADD, H, 0, AX, 0, 14, 4, {{-8, 2, -15, 11, 11}, {-13, 28, -22, 13, 13},
        {-13, 55, -27, 12, 12}, {-12, 80, -31, 9, 9}}},
    {"pads at the finger roots", SCN_ADD, H, 0, AX, 0, 14, 4, {{-9, 90, 25, 8, 12},
        {-7, 95, 8, 8, 12}, {-8, 90, -12, 8, 12}, {-11, 80, -29, 8, 11}}},
    {"hollow of the palm", SCN_CUT, H, 0, AX, 0, 16, 3, {{-30, 30, -4, 12, 7},
        {-30, 50, -1, 12, 11}, {-30, 68, 3, 12, 13}}},
    {"first web", SCN_ADD, H, 0, AX, 0, 16, 3, {{-4, 40, 26, 8, 9}, {-8, 58, 32, 7, 9},
        {-9, 72, 33, 6, 7}}},

    // The cut at the chest.
    {"cut", SCN_SLICE, G, 0, AY, 0, 70, 2, {{-72, 0, 0, 1, 1}, {-84, 0, 0, 1, 1}}},
};
// clang-format on

enum { PART_COUNT = sizeof parts / sizeof *parts };

// A finger's sections along its bones, in units of its thickness: bone, place on it from 0 to 1,
// half width, half height, and how far the centre lies towards the palm.
typedef struct finger_section {
    int bone;
    double place, width, height, palmar;
} finger_section;

static const finger_section finger_sections[] = {
    {0, 0.05, 0.98, 1.02, 0.10}, {0, 0.55, 0.93, 0.95, 0.14}, {0, 1.00, 1.00, 0.95, 0.03},
    {1, 0.50, 0.89, 0.86, 0.12}, {1, 1.00, 0.90, 0.79, 0.04}, {2, 0.45, 0.87, 0.76, 0.13},
    {2, 0.78, 0.76, 0.64, 0.12},
};
static const finger_section thumb_sections[] = {
    {0, 0.30, 1.25, 1.25, 0.20}, {0, 0.70, 1.15, 1.15, 0.20}, {0, 1.00, 1.06, 1.02, 0.10},
    {1, 0.50, 0.95, 0.93, 0.10}, {1, 1.00, 1.02, 0.90, 0.04}, {2, 0.40, 1.06, 0.84, 0.12},
    {2, 0.76, 0.92, 0.68, 0.12},
};
enum { SECTIONS = sizeof finger_sections / sizeof *finger_sections };

// In the frame of the finger's middle bone, turned only: x is the hinge, across which widths count.
static void make_finger_part(const scn_arm *arm, uint32_t f, scn_part *part, scn_frame *frame) {
    const scn_arm_finger *finger = &arm->fingers[f];
    const finger_section *sections = f == 0 ? thumb_sections : finger_sections;
    double mm = 1 / SCN_MM;
    *frame = arm->segments[SCN_ARM_THUMB + 3 * f + 1].rest;
    frame->origin = sn_vec3_make(0, 0, 0);
    *part = (scn_part){.name = "finger", .group = 1 + f, .blend_mm = 5, .count = SECTIONS};
    for (uint32_t i = 0; i < SECTIONS; ++i) {
        const finger_section *s = &sections[i];
        sn_vec3 at = sn_vec3_lerp(finger->joints[s->bone], finger->joints[s->bone + 1], s->place);
        at = sn_vec3_add_scaled(at, -s->palmar * finger->thickness, finger->dorsal[s->bone]);
        part->stations[i] = (scn_station){
            sn_vec3_dot(at, frame->x) * mm,     sn_vec3_dot(at, frame->y) * mm,
            sn_vec3_dot(at, frame->z) * mm,     s->width * finger->thickness * mm,
            s->height * finger->thickness * mm,
        };
    }
}

scn_field *scn_arm_skin_field(const scn_arm *arm) {
    scn_part all[PART_COUNT + SCN_ARM_FINGERS];
    scn_frame frames[SCN_ARM_FRAME_COUNT + SCN_ARM_FINGERS];
    memcpy(all, parts, sizeof parts);
    memcpy(frames, arm->frames, sizeof arm->frames);
    for (uint32_t f = 0; f < SCN_ARM_FINGERS; ++f) {
        make_finger_part(arm, f, &all[PART_COUNT + f], &frames[SCN_ARM_FRAME_COUNT + f]);
        all[PART_COUNT + f].frame = SCN_ARM_FRAME_COUNT + f;
    }
    return scn_field_create(all, PART_COUNT + SCN_ARM_FINGERS, frames, 9, 2.5);
}
