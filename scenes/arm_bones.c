// SPDX-License-Identifier: Apache-2.0
//
// The arm's bones: tables like those of the muscles, each bone meshed on its own.
#include "scenes/arm_shape.h"

#include <string.h>

enum { G = SCN_ARM_GIRDLE, U = SCN_ARM_UPPER, F = SCN_ARM_FORE, H = SCN_ARM_HAND };
#define AX SCN_ACROSS_X
#define AY SCN_ACROSS_Y

enum { PARTS_MAX = 12 };

typedef struct bone_row {
    const char *name;
    uint32_t segment;
    double cell_mm; // size of its quads
    uint32_t count;
    scn_part parts[PARTS_MAX];
} bone_row;

// clang-format off
static const bone_row rows[] = {
    // Only what lies beside the joint: glenoid, coracoid, spine and acromion.
    {"scapula", SCN_ARM_SHOULDER, 3.6, 5, {
        {"glenoid", SCN_ADD, G, 0, AY, 0, 6, 3, {{-36, -2, -3, 17, 11}, {-43, -2, -6, 13, 9},
            {-51, -4, -10, 14, 7}}},
        {"neck and blade", SCN_ADD, G, 0, AY, 0, 8, 2, {{-46, -14, -14, 16, 5},
            {-52, -20, -20, 18, 5}}},
        {"spine and acromion", SCN_ADD, G, 0, AY, 0, 6, 5, {{-52, 12, -24, 6, 6},
            {-34, 24, -28, 5, 6}, {-12, 31, -25, 4.5, 8}, {6, 33, -14, 4.5, 10},
            {10, 33, -2, 4.5, 8}}},
        {"root of the spine", SCN_ADD, G, 0, AY, 0, 8, 3, {{-50, -4, -12, 9, 6},
            {-52, 6, -18, 8, 6}, {-52, 14, -25, 6, 6}}},
        {"coracoid", SCN_ADD, G, 0, AY, 0, 6, 4, {{-44, 8, 0, 7, 6}, {-40, 18, 8, 6, 6},
            {-32, 18, 20, 5, 5}, {-24, 11, 27, 5, 5}}}}},
    {"clavicle", SCN_ARM_SHOULDER, 3.6, 1, {
        {"clavicle", SCN_ADD, G, 0, AY, 0, 4, 4, {{0, 35, 4, 5, 7}, {-14, 35, 8, 5, 7},
            {-32, 33, 17, 5, 6}, {-50, 29, 22, 6, 6}}}}},
    {"humerus", SCN_ARM_UPPER_ARM, 5.0, 10, {
        {"shaft", SCN_ADD, U, 0, AX, 0, 6, 8, {{4, 12, 0, 17, 17}, {4, 40, 0, 13, 13},
            {4, 80, 0, 11, 11.5}, {4, 130, 1, 11, 11.5}, {2, 190, 0, 10, 10},
            {0, 240, -1, 12, 8.5}, {-1, 275, -1, 20, 7.5}, {-1, 294, 0, 24, 7}}},
        {"head", SCN_ADD, U, 0, AX, 0, 6, 1, {{0, 0, 0, 23.5, 23.5}}},
        {"greater tubercle", SCN_ADD, U, 0, AX, 0, 8, 2, {{17, 0, 0, 10, 13}, {14, 16, 0, 9, 12}}},
        {"lesser tubercle", SCN_ADD, U, 0, AX, 0, 8, 1, {{6, 10, 17, 8, 7}}},
        {"deltoid tuberosity", SCN_ADD, U, 0, AX, 0, 12, 3, {{8, 105, 1, 4, 4},
            {11, 132, 2, 5, 5}, {8, 160, 2, 4, 4}}},
        {"medial epicondyle", SCN_ADD, U, 0, AX, 0, 8, 2, {{-22, 292, -3, 8, 7},
            {-29, 297, -5, 7, 6}}},
        {"lateral epicondyle", SCN_ADD, U, 0, AX, 0, 8, 2, {{19, 292, -2, 7, 7},
            {24, 298, -3, 6, 6}}},
        {"trochlea", SCN_ADD, U, 0, AY, 0, 5, 4, {{-19, 309, 1, 12, 12},
            {-12, 309, 2, 10.5, 10.5}, {-3, 308, 2, 8.5, 8.5}, {4, 308, 2, 9.5, 9.5}}},
        {"capitulum", SCN_ADD, U, 0, AY, 0, 5, 2, {{10, 306, 4, 9.5, 9.5}, {16, 306, 4, 9.5, 9.5}}},
        {"olecranon fossa", SCN_CUT, U, 0, AX, 0, 6, 1, {{-2, 288, -15, 11, 11}}}}},
    {"ulna", SCN_ARM_FOREARM, 3.8, 5, {
        {"shaft", SCN_ADD, F, 0, AX, 0, 6, 8, {{-4, -16, -17, 9, 9}, {-4, -4, -19, 10, 9},
            {-4, 14, -12, 10, 10}, {-4, 38, -13, 8, 9}, {-3, 100, -16, 6, 7.5},
            {1, 180, -14, 5.5, 6}, {4, 232, -13, 5.5, 6}, {5, 251, -13, 7.5, 7.5}}},
        {"coronoid", SCN_ADD, F, 0, AX, 0, 6, 2, {{-5, 14, -6, 9, 8}, {-5, 13, 4, 7, 5}}},
        {"styloid", SCN_ADD, F, 0, AX, 0, 4, 2, {{8, 252, -16, 4, 4}, {9, 261, -17, 3, 3}}},
        {"trochlear notch", SCN_CUT, F, 0, AY, 0, 3, 2, {{-24, -1.5, 1.5, 13, 13},
            {14, -1.5, 1.5, 12, 12}}},
        {"radial notch", SCN_CUT, F, 0, AX, 0, 3, 2, {{13, 2, 2, 12, 12}, {13, 18, 2, 12, 12}}}}},
    {"radius", SCN_ARM_FOREARM_END, 3.8, 5, {
        {"shaft", SCN_ADD, F, 0, AX, 0, 5, 8, {{13, 18, 2, 7, 7}, {12, 32, 2, 6.5, 6.5},
            {12, 60, 3, 7, 7}, {13, 110, 6, 6.5, 7.5}, {9, 165, 9, 6.5, 8},
            {5, 210, 10, 7.5, 10}, {3, 238, 10, 9, 13}, {2, 250, 10, 9.5, 14}}},
        {"head", SCN_ADD, F, 0, AX, 0, 4, 2, {{13, 11, 2, 10.5, 10.5}, {13, 13, 2, 10.5, 10.5}}},
        {"tuberosity", SCN_ADD, F, 0, AX, 0, 6, 2, {{8, 34, 5, 5, 5}, {8, 44, 5, 5, 5}}},
        {"styloid", SCN_ADD, F, 0, AX, 0, 6, 2, {{1, 252, 19, 6, 5}, {0, 262, 19, 4.5, 3.5}}},
        {"hollow of the head", SCN_CUT, F, 0, AX, 0, 3, 1, {{13, -13, 2, 16, 16}}}}},
    {"scaphoid", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 2, {{0, 4, 11, 8,
        6.5}, {-3, 9, 17, 7, 5.5}}}}},
    {"lunate", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 1, {{0, 4, -0.5, 9,
        7}}}}},
    {"triquetrum", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 1, {{0, 8, -12,
        7.5, 6.5}}}}},
    {"pisiform", SCN_ARM_HAND_SEGMENT, 2.4, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 1, {{-10, 9, -15, 5,
        5}}}}},
    {"trapezium", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 2, {{-7, 15, 21, 7,
        5.5}, {-7, 18, 22, 7, 5.5}}}}},
    {"trapezoid", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 1, {{0, 20, 13, 7,
        6}}}}},
    {"capitate", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 2, {{1, 15, 1, 7,
        5.5}, {1, 22, 3, 9, 6.5}}}}},
    {"hamate", SCN_ARM_HAND_SEGMENT, 2.8, 1, {{"", SCN_ADD, H, 0, AX, 0, 2, 2, {{0, 19, -9, 8,
        6.5}, {-6, 22, -10, 5, 4.5}}}}},
};

// Bases of the metacarpal bones of index to little finger; the thumb's is its first segment.
static const sn_vec3 metacarpal_bases_mm[4] = {{1, 30, 14}, {2, 33, 4}, {0, 31, -6.5},
    {-1, 28, -15}};
// clang-format on

enum { ROW_COUNT = sizeof rows / sizeof *rows };
_Static_assert(ROW_COUNT + 4 + 3 * SCN_ARM_FINGERS == SCN_ARM_BONES, "the count in the header");

static sn_status make_bone(sn_context *context, const char *name, const scn_part *parts,
                           uint32_t count, const scn_frame *frames, double cell_mm, sn_mesh **mesh,
                           sn_error *error) {
    scn_builder builder;
    scn_builder_init(&builder);
    scn_field *field = scn_field_create(parts, count, frames, 0, 0);
    sn_status status;
    if (field == NULL || !scn_field_mesh(field, cell_mm * SCN_MM, &builder)) {
        status = scn_fail_memory(error);
    } else {
        status = scn_builder_finish(&builder, context, name, mesh, error);
    }
    scn_field_destroy(field);
    scn_builder_deinit(&builder);
    return status;
}

// A long bone of the hand: its sections as shares of the length and of a thickness.
typedef struct section {
    double place, width, height;
} section;

static const section metacarpal[] = {{0.02, 0.72, 0.68},
                                     {0.18, 0.50, 0.52},
                                     {0.50, 0.40, 0.44},
                                     {0.84, 0.52, 0.54},
                                     {1.0, 0.62, 0.64}};
static const section phalanx[] = {{0.20, 0.62, 0.54},
                                  {0.32, 0.50, 0.44},
                                  {0.58, 0.42, 0.36},
                                  {0.84, 0.46, 0.40},
                                  {0.99, 0.52, 0.46}};
static const section last_phalanx[] = {{0.30, 0.50, 0.40},
                                       {0.44, 0.38, 0.30},
                                       {0.58, 0.32, 0.26},
                                       {0.70, 0.36, 0.26},
                                       {0.76, 0.36, 0.24}};
enum { SECTIONS = 5 };

typedef struct shaft {
    const char *name;
    sn_vec3 from, to;
    sn_vec3 hinge;
    double thickness;
    const section *sections;
    double cell_mm;
} shaft;

static sn_status make_shaft(sn_context *context, const shaft *s, sn_mesh **mesh, sn_error *error) {
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(s->to, s->from), sn_vec3_make(0, 1, 0));
    sn_vec3 side = scn_reject(s->hinge, along);
    scn_frame frame = {s->from, side, along, sn_vec3_cross(side, along)};
    double length = sn_vec3_distance(s->from, s->to) / SCN_MM, t = s->thickness / SCN_MM;
    scn_part part = {.name = s->name, .blend_mm = 2, .count = SECTIONS};
    for (uint32_t i = 0; i < SECTIONS; ++i) {
        const section *at = &s->sections[i];
        part.stations[i] = (scn_station){0, at->place * length, 0, at->width * t, at->height * t};
    }
    return make_bone(context, s->name, &part, 1, &frame, s->cell_mm, mesh, error);
}

static const char *const metacarpal_names[SCN_ARM_FINGERS] = {
    "metacarpal_1", "metacarpal_2", "metacarpal_3", "metacarpal_4", "metacarpal_5"};
static const char *const phalanx_names[SCN_ARM_FINGERS][3] = {
    {NULL, "phalanx_1_1", "phalanx_1_2"},          {"phalanx_2_1", "phalanx_2_2", "phalanx_2_3"},
    {"phalanx_3_1", "phalanx_3_2", "phalanx_3_3"}, {"phalanx_4_1", "phalanx_4_2", "phalanx_4_3"},
    {"phalanx_5_1", "phalanx_5_2", "phalanx_5_3"},
};

// The bone that moves with segment k of finger f: the thumb's first is its metacarpal.
static shaft finger_shaft(const scn_arm *arm, uint32_t f, uint32_t k) {
    const scn_arm_finger *finger = &arm->fingers[f];
    bool palm = f == 0 && k == 0;
    return (shaft){
        .name = palm ? metacarpal_names[0] : phalanx_names[f][k],
        .from = finger->joints[k],
        .to = finger->joints[k + 1],
        .hinge = arm->segments[SCN_ARM_THUMB + 3 * f + k].rest.x,
        .thickness = finger->thickness,
        .sections = palm     ? metacarpal
                    : k == 2 ? last_phalanx
                             : phalanx,
        .cell_mm = palm ? 3.2 : 2.5,
    };
}

static shaft metacarpal_shaft(const scn_arm *arm, uint32_t f) {
    shaft made = finger_shaft(arm, f, 0);
    sn_vec3 base = sn_vec3_scale(metacarpal_bases_mm[f - 1], SCN_MM);
    made.name = metacarpal_names[f];
    made.from = scn_frame_point(&arm->frames[SCN_ARM_HAND], base);
    made.to = arm->fingers[f].joints[0];
    made.sections = metacarpal;
    made.cell_mm = 3.2;
    return made;
}

static sn_status make_finger_bones(sn_context *context, const scn_arm *arm, uint32_t f,
                                   scn_arm_bone **next, sn_error *error) {
    sn_status status = SN_OK;
    if (f > 0) {
        shaft s = metacarpal_shaft(arm, f);
        (*next)->segment = SCN_ARM_HAND_SEGMENT;
        status = make_shaft(context, &s, &(*next)++->mesh, error);
    }
    for (uint32_t k = 0; k < 3 && status == SN_OK; ++k) {
        shaft s = finger_shaft(arm, f, k);
        (*next)->segment = SCN_ARM_THUMB + 3 * f + k;
        status = make_shaft(context, &s, &(*next)++->mesh, error);
    }
    return status;
}

sn_status scn_arm_bones(sn_context *context, const scn_arm *arm, scn_arm_bone *bones,
                        sn_error *error) {
    sn_status status = SN_OK;
    memset(bones, 0, SCN_ARM_BONES * sizeof *bones);
    scn_arm_bone *next = bones;
    for (uint32_t i = 0; i < ROW_COUNT && status == SN_OK; ++i, ++next) {
        next->segment = rows[i].segment;
        status = make_bone(context, rows[i].name, rows[i].parts, rows[i].count, arm->frames,
                           rows[i].cell_mm, &next->mesh, error);
    }
    for (uint32_t f = 0; f < SCN_ARM_FINGERS && status == SN_OK; ++f) {
        status = make_finger_bones(context, arm, f, &next, error);
    }
    for (uint32_t i = 0; i < SCN_ARM_BONES && status != SN_OK; ++i) {
        sn_mesh_destroy(bones[i].mesh);
        bones[i].mesh = NULL;
    }
    return status;
}
