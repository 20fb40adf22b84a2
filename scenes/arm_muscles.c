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
        {0, 20, 0, 34, 36}, {0, 90, 0, 34, 36}, {0, 180, -2, 33, 34}, {0, 260, -3, 33, 29}, {0, 310, -3, 33, 27}}},
    {"triceps long", SCN_ADD, U, 0, AX, 0, 12, 6, {
        {-20, 40, -22, 12, 14}, {-22, 95, -25, 20, 20}, {-18, 150, -27, 21, 19}, {-12, 205, -25, 18, 15},
        {-6, 250, -22, 15, 11}, {-4, 295, -20, 12, 9}}},
    {"triceps lateral", SCN_ADD, U, 0, AX, 0, 11, 5, {
        {17, 70, -24, 12, 13}, {20, 115, -27, 19, 18}, {18, 160, -27, 19, 17}, {14, 210, -23, 15, 13}, {8, 255, -20, 12, 9}}},
    {"triceps medial", SCN_ADD, U, 0, AX, 0, 14, 3, {
        {-22, 190, -10, 12, 16}, {-23, 240, -9, 13, 16}, {-20, 285, -6, 10, 12}}},
    {"brachialis", SCN_ADD, U, 0, AX, 0, 13, 4, {
        {19, 165, 6, 12, 16}, {20, 215, 8, 16, 19}, {14, 265, 11, 17, 18}, {4, 318, 10, 12, 12}}},
    {"biceps", SCN_ADD, U, 0, AX, 0, 11, 7, {
        {2, 50, 24, 14, 12}, {-2, 95, 27, 21, 17}, {-4, 140, 30, 26, 21}, {-4, 185, 31, 27, 22}, {-3, 225, 28, 23, 18},
        {-1, 262, 23, 15, 13}, {0, 300, 17, 8, 9}}},
    {"deltoid middle", SCN_ADD, U, 0, AX, 0, 12, 5, {
        {19, -28, -2, 13, 22}, {29, 5, -3, 23, 32}, {28, 50, -2, 24, 32}, {21, 100, 0, 18, 23}, {17, 148, 3, 10, 12}}},
    {"deltoid front", SCN_ADD, U, 0, AX, 0, 10, 5, {
        {-14, -34, 30, 16, 12}, {8, 4, 34, 22, 17}, {17, 48, 28, 20, 17}, {20, 95, 17, 15, 15}, {18, 140, 8, 9, 10}}},
    {"deltoid back", SCN_ADD, U, 0, AX, 0, 10, 5, {
        {-12, -34, -34, 16, 12}, {8, 4, -36, 22, 17}, {17, 48, -30, 19, 17}, {21, 95, -16, 15, 14}, {18, 140, -2, 9, 9}}},

    // Shoulder: x to the left, y up, z forward.
    {"shoulder block", SCN_ADD, G, 0, AY, 0, 20, 4, {
        {15, -8, -1, 44, 42}, {-20, -6, -2, 50, 46}, {-55, -6, -3, 55, 52}, {-90, -6, -3, 58, 56}}},
    {"trapezius", SCN_ADD, G, 0, AY, 0, 22, 3, {
        {0, 28, -14, 16, 22}, {-40, 36, -18, 22, 28}, {-90, 52, -22, 26, 32}}},
    {"clavicle ridge", SCN_ADD, G, 0, AY, 0, 12, 3, {
        {8, 36, 4, 10, 12}, {-30, 40, 16, 9, 10}, {-90, 42, 34, 9, 10}}},
    {"pectoral", SCN_ADD, G, 0, AY, 0, 18, 4, {
        {-95, -12, 48, 44, 20}, {-50, -20, 46, 36, 18}, {-10, -28, 38, 26, 15}, {40, -52, 24, 15, 10}}},
    {"latissimus and teres", SCN_ADD, G, 0, AY, 0, 20, 4, {
        {-95, -45, -46, 34, 18}, {-50, -44, -42, 32, 18}, {-10, -48, -30, 24, 15}, {40, -66, -10, 14, 10}}},
    {"infraspinatus", SCN_ADD, G, 0, AY, 0, 20, 3, {
        {-95, -5, -50, 40, 16}, {-50, 0, -48, 34, 16}, {-5, 2, -38, 24, 14}}},

    // Elbow.
    {"medial epicondyle", SCN_ADD, U, 0, AX, 0, 14, 2, {{-26, 288, -5, 9, 10}, {-29, 302, -6, 8, 9}}},
    {"lateral epicondyle", SCN_ADD, U, 0, AX, 0, 16, 2, {{25, 292, -6, 9, 11}, {27, 306, -6, 9, 10}}},
    {"olecranon", SCN_ADD, F, 0, AX, 0, 10, 3, {{-4, -12, -23, 10, 10}, {-4, 4, -23, 10, 10}, {-5, 40, -19, 9, 9}}},

    // Forearm: as the upper arm, turned about the elbow.
    {"forearm core", SCN_ADD, F, 0, AX, 0, 12, 7, {
        {0, -30, -2, 31, 27}, {0, 20, 0, 35, 29}, {-1, 80, 0, 32, 29}, {0, 140, 0, 26, 27}, {1, 195, 0, 21.5, 26}, {1, 240, 0, 19.5, 27}, {0, 270, 0, 19, 27}}},
    {"brachioradialis", SCN_ADD, F, 0, AX, 0, 12, 8, {
        {22, -75, 6, 8, 11}, {27, -35, 9, 14, 16}, {29, 5, 14, 17, 18}, {27, 45, 18, 17, 18}, {21, 90, 22, 14, 14}, {14, 135, 24, 10, 10},
        {8, 180, 24, 7, 7}, {4, 250, 24, 5, 5}}},
    {"wrist extensors", SCN_ADD, F, 0, AX, 0, 11, 6, {
        {26, -18, -4, 10, 11}, {27, 30, -8, 16, 17}, {24, 80, -10, 16, 17}, {18, 130, -9, 13, 14}, {13, 180, -6, 10, 12}, {12, 245, 0, 7, 13}}},
    {"flexors", SCN_ADD, F, 0, AX, 0, 13, 7, {
        {-25, -14, -2, 10, 12}, {-27, 25, 2, 16, 20}, {-25, 65, 3, 18, 22}, {-20, 110, 4, 16, 20}, {-15, 155, 5, 12, 17}, {-12, 205, 5, 9, 15},
        {-11, 260, 5, 7, 13}}},
    {"flexor carpi ulnaris", SCN_ADD, F, 0, AX, 0, 12, 5, {
        {-18, 10, -14, 12, 13}, {-19, 60, -16, 14, 14}, {-15, 120, -18, 12, 11}, {-11, 190, -17, 9, 9}, {-9, 262, -15, 7, 8}}},
    {"ulna edge", SCN_ADD, F, 0, AX, 0, 9, 4, {
        {-4, 30, -22, 8, 9}, {-2, 100, -23, 7, 8}, {2, 180, -21, 7, 8}, {6, 240, -19, 8, 9}}},
    {"head of the ulna", SCN_ADD, F, 0, AX, 0, 9, 1, {{12, 250, -17, 10, 11}}},
    {"styloid of the radius", SCN_ADD, F, 0, AX, 0, 10, 2, {{1, 246, 22, 13, 8}, {0, 262, 22, 12, 8}}},

    // Hand: x dorsal, y distal, z towards the thumb.
    {"carpus", SCN_ADD, H, 0, AX, 0, 12, 4, {{0, -15, 0, 18, 27}, {-1, 10, 0, 18, 28}, {-2, 35, 0, 16, 31}, {-3, 60, 0, 12, 35}}},
    {"metacarpal 2", SCN_ADD, H, 0, AX, 0, 9, 4, {{2, 22, 13, 11, 10}, {2, 55, 21, 11, 11}, {0, 85, 27, 12, 10.5}, {-3, 104, 28.5, 11, 10}}},
    {"metacarpal 3", SCN_ADD, H, 0, AX, 0, 9, 4, {{3, 22, 3, 11, 10}, {4, 55, 6, 11, 11}, {3, 89, 7, 12.5, 10.5}, {-1, 108, 7, 11.5, 10}}},
    {"metacarpal 4", SCN_ADD, H, 0, AX, 0, 9, 4, {{2, 22, -8, 11, 10}, {2, 52, -10, 11, 11}, {1, 84, -13.5, 12, 10}, {-3, 103, -15, 11, 9.5}}},
    {"metacarpal 5", SCN_ADD, H, 0, AX, 0, 9, 4, {{0, 20, -17, 11, 9}, {-2, 50, -25, 11, 10}, {-5, 76, -32, 11.5, 9.5}, {-8, 94, -35, 10, 8.5}}},
    {"knuckle 2", SCN_ADD, H, 0, AX, 0, 6, 1, {{6, 89, 26, 8, 7}}},
    {"knuckle 3", SCN_ADD, H, 0, AX, 0, 6, 1, {{9, 92, 6.5, 8.5, 7}}},
    {"knuckle 4", SCN_ADD, H, 0, AX, 0, 6, 1, {{6.5, 87, -13, 8, 6.5}}},
    {"knuckle 5", SCN_ADD, H, 0, AX, 0, 6, 1, {{0.5, 78, -31, 7.5, 6}}},
    {"thenar", SCN_ADD, H, 0, AX, 0, 12, 4, {{-9, 8, 16, 12, 12}, {-16, 30, 22, 15, 14}, {-20, 50, 30, 15, 13}, {-22, 62, 36, 12, 11}}},
    {"hypothenar", SCN_ADD, H, 0, AX, 0, 12, 4, {{-9, 6, -17, 11, 11}, {-13, 28, -23, 13, 13}, {-13, 55, -27, 12, 12}, {-12, 78, -31, 9, 9}}},
    {"pads at the finger roots", SCN_ADD, H, 0, AX, 0, 10, 4, {{-10, 86, 25, 9, 9}, {-9, 92, 8, 9, 9}, {-10, 88, -12, 9, 9}, {-12, 78, -29, 9, 8}}},
    {"hollow of the palm", SCN_CUT, H, 0, AX, 0, 14, 2, {{-30, 42, -3, 13, 9}, {-31, 62, 2, 13, 13}}},
    {"first web", SCN_ADD, H, 0, AX, 0, 14, 3, {{-4, 40, 26, 8, 9}, {-8, 58, 32, 7, 9}, {-9, 72, 33, 6, 7}}},

    // The cut at the chest.
    {"cut", SCN_SLICE, G, 0, AY, 0, 22, 2, {{-58, 0, 0, 1, 1}, {-70, 0, 0, 1, 1}}},
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
    {0, 0.05, 0.98, 1.02, 0.10}, {0, 0.55, 0.96, 0.98, 0.12}, {0, 1.00, 1.02, 0.98, 0.04},
    {1, 0.50, 0.93, 0.90, 0.10}, {1, 1.00, 0.92, 0.84, 0.04}, {2, 0.50, 0.90, 0.80, 0.10},
    {2, 0.80, 0.80, 0.68, 0.10},
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
