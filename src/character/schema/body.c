// SPDX-License-Identifier: Apache-2.0
//
// The schema of rigid bodies that muscles move.
#include "character/schema/tables.h"

#include "character/blueprint/rigid_plan.h"

#include <string.h>

// --- Parameters

static const char *const motions[] = {"simulated", "static", NULL};
static const char *const laws[] = {"hill", "spring", NULL};

static const sn_parameter body_parameters[SNI_BODY_PARAMETER_COUNT] = {
    [SNI_BODY_MOTION] = {.name = "motion",
                         .help = "Whether it moves in time, with inertia, where a clip is played, "
                                 "or is always where it would come to rest",
                         .low = 0,
                         .standard = SNI_BODY_SIMULATED,
                         .high = 1,
                         .choices = motions},
    [SNI_BODY_MASS] = {.name = "mass",
                       .help = "Its mass; with 0 it is the volume of its bones times the density",
                       .unit = "kg",
                       .low = 0,
                       .standard = 0,
                       .high = 1e6,
                       .usual = 10},
    [SNI_BODY_DENSITY] = {.name = "density",
                          .help = "Mass per volume of its bones",
                          .unit = "kg/m^3",
                          .low = 1,
                          .standard = 1900,
                          .high = 1e5,
                          .usual = 5000},
    [SNI_BODY_GRAVITY] = {.name = "gravity",
                          .help = "Acceleration of free fall, down the world's y axis",
                          .unit = "m/s^2",
                          .low = 0,
                          .standard = 9.81,
                          .high = 1e4,
                          .usual = 20,
                          .live = true},
    [SNI_BODY_BALANCE] = {.name = "balance",
                          .help = "Part of what acts on it at rest, its weight and relaxed "
                                  "muscles, that a constant tone balances: with 1 it stays as it "
                                  "was modelled while no muscle is active",
                          .unit = "",
                          .low = 0,
                          .standard = 1,
                          .high = 1,
                          .live = true},
    [SNI_BODY_DAMPING] = {.name = "damping",
                          .help = "How fast its motion dies away by itself",
                          .unit = "1/s",
                          .low = 0,
                          .standard = 5,
                          .high = 1e4,
                          .usual = 100,
                          .live = true},
    [SNI_BODY_INERTIA] = {.name = "inertia",
                          .help = "Part of the motion of the segment that it hangs on that it lags "
                                  "behind",
                          .unit = "",
                          .low = 0,
                          .standard = 0.25,
                          .high = 1,
                          .live = true},
    [SNI_BODY_SMOOTHING] = {.name = "smoothing",
                            .help = "Time constant with which the activation of its muscles "
                                    "follows their controls",
                            .unit = "s",
                            .low = 0,
                            .standard = 0.03,
                            .high = 60,
                            .usual = 0.5,
                            .live = true},
    [SNI_BODY_SPECIFIC_TENSION] = {.name = "specific_tension",
                                   .help = "Tension per cross-section of muscles whose strength is "
                                           "not given",
                                   .unit = "Pa",
                                   .low = 0,
                                   .standard = 4e5,
                                   .high = 1e9,
                                   .usual = 1e6},
    [SNI_BODY_ENVELOPE] = {.name = "envelope",
                           .help = "How much forces move it: 0 leaves its segment where the pose "
                                   "has it",
                           .unit = "",
                           .low = 0,
                           .standard = 1,
                           .high = 1,
                           .live = true},
};
const sn_parameters sni_body_parameters = SNI_PARAMETERS(body_parameters);

static const sn_parameter pull_parameters[SNI_PULL_PARAMETER_COUNT] = {
    [SNI_PULL_STRENGTH] = {.name = "strength",
                           .help = "Its tension when it is fully active at its optimal length; "
                                   "with 0 its volume over its fibre length times the body's "
                                   "specific tension",
                           .unit = "N",
                           .low = 0,
                           .standard = 0,
                           .high = 1e9,
                           .usual = 1000},
    [SNI_PULL_LAW] = {.name = "law",
                      .help = "How tension follows from activation, length and speed: as in "
                              "muscles, or as a spring between the contracted muscle and the bone",
                      .low = 0,
                      .standard = 0,
                      .high = 1,
                      .choices = laws},
    [SNI_PULL_OPTIMUM] = {.name = "optimum",
                          .help = "Length at which it is strongest, as a part of that at rest",
                          .unit = "",
                          .low = 0.1,
                          .standard = 1,
                          .high = 10,
                          .usual = 2},
    [SNI_PULL_TENDON] = {.name = "tendon",
                         .help = "Part of its length at rest that is tendon, which neither "
                                 "shortens nor stretches",
                         .unit = "",
                         .low = 0,
                         .standard = 0,
                         .high = 0.95},
    [SNI_PULL_PASSIVE] = {.name = "passive",
                          .help = "Its tension when it is not active and its fibres are 1.6 times "
                                  "as long as the optimum, as a part of the strength",
                          .unit = "",
                          .low = 0,
                          .standard = 0.02,
                          .high = 100,
                          .usual = 1},
    [SNI_PULL_TONE] = {.name = "tone",
                       .help = "Tension by which it resists being longer than at rest, as a part "
                               "of the strength per part of the length: what brings the body back "
                               "when no muscle is active",
                       .unit = "",
                       .low = 0,
                       .standard = 0.05,
                       .high = 100,
                       .usual = 1},
    [SNI_PULL_SPEED] = {.name = "speed",
                        .help = "Fastest shortening, in optimal fibre lengths per second",
                        .unit = "1/s",
                        .low = 0.01,
                        .standard = 10,
                        .high = 1e4,
                        .usual = 20},
    [SNI_PULL_VISCOSITY] = {.name = "viscosity",
                            .help = "Tension by which it resists being lengthened at that speed, "
                                    "as a part of the strength",
                            .unit = "",
                            .low = 0,
                            .standard = 0.1,
                            .high = 100,
                            .usual = 1},
    [SNI_PULL_SHORTENING] = {.name = "shortening",
                             .help = "With the law of springs: part of its length that it would "
                                     "lose when it is fully active",
                             .unit = "",
                             .low = 0.01,
                             .standard = 0.3,
                             .high = 0.9},
};
const sn_parameters sni_pull_parameters = SNI_PARAMETERS(pull_parameters);

static const sn_parameter joint_settings[SNI_JOINT_SETTING_COUNT] = {
    [SNI_JOINT_TRAVEL] = {.name = "travel",
                          .help = "How far the point can slide forward along the path",
                          .unit = "m",
                          .low = 0,
                          .standard = 0,
                          .high = 1e3,
                          .usual = 0.03},
    [SNI_JOINT_BACK] = {.name = "back",
                        .help = "How far it can slide back from where it is at rest",
                        .unit = "m",
                        .low = 0,
                        .standard = 0,
                        .high = 1e3,
                        .usual = 0.01},
    [SNI_JOINT_SLOPE] = {.name = "slope_deg",
                         .title = "Slope",
                         .help = "How steep the path falls where the point is at rest",
                         .unit = "deg",
                         .low = -80,
                         .standard = 0,
                         .high = 80},
    [SNI_JOINT_END_SLOPE] = {.name = "end_slope_deg",
                             .title = "Slope at the end",
                             .help = "How steep it falls at the end of the travel; the slope "
                                     "changes evenly",
                             .unit = "deg",
                             .low = -80,
                             .standard = 0,
                             .high = 80},
    [SNI_JOINT_PLAY] = {.name = "play",
                        .help = "How far the point can move aside, either way",
                        .unit = "m",
                        .low = 0,
                        .standard = 0,
                        .high = 1e3,
                        .usual = 0.01},
    [SNI_JOINT_SLACK] = {.name = "slack",
                         .help = "How far it can be pulled off the path, downwards, before the "
                                 "capsule holds it",
                         .unit = "m",
                         .low = 0,
                         .standard = 0,
                         .high = 1e3,
                         .usual = 0.01},
    [SNI_JOINT_STIFFNESS] = {.name = "stiffness",
                             .help = "Stiffness of the path and of the ends of travel and play",
                             .unit = "N/m",
                             .low = 1,
                             .standard = 2e6,
                             .high = 1e12,
                             .usual = 1e8},
    [SNI_JOINT_CAPSULE] = {.name = "capsule",
                           .help = "Stiffness of the capsule, which holds the point on the path "
                                   "from below",
                           .unit = "N/m",
                           .low = 0,
                           .standard = 1e5,
                           .high = 1e12,
                           .usual = 1e8},
};
const sn_parameters sni_joint_settings = SNI_PARAMETERS(joint_settings);

static const sn_parameter ligament_parameters[SNI_LIGAMENT_PARAMETER_COUNT] = {
    [SNI_LIGAMENT_SLACK] = {.name = "slack",
                            .help = "Length from which on it is taut, as a part of that at rest",
                            .unit = "",
                            .low = 0,
                            .standard = 1,
                            .high = 1e3,
                            .usual = 2},
    [SNI_LIGAMENT_STIFFNESS] = {.name = "stiffness",
                                .help = "Its stiffness where it is taut",
                                .unit = "N/m",
                                .low = 0,
                                .standard = 2e4,
                                .high = 1e12,
                                .usual = 1e6},
};
const sn_parameters sni_ligament_parameters = SNI_PARAMETERS(ligament_parameters);

static const sn_parameter contact_parameters[SNI_CONTACT_PARAMETER_COUNT] = {
    [SNI_CONTACT_STIFFNESS] = {.name = "stiffness",
                               .help = "Stiffness of each point that touches: a force enters by no "
                                       "more than itself over this",
                               .unit = "N/m",
                               .low = 1,
                               .standard = 1e7,
                               .high = 1e12,
                               .usual = 1e9},
};
const sn_parameters sni_contact_parameters = SNI_PARAMETERS(contact_parameters);

// --- Kinds that need no name

static uint32_t one_kind(void) {
    return 1;
}

static bool takes(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return true;
}

#define UNNAMED(function, words, table)                                                            \
    static sni_kind function(uint32_t index) {                                                     \
        (void)index;                                                                               \
        return (sni_kind){.name = words, .tables = {table}};                                       \
    }

UNNAMED(body_kind, "body", sni_body_parameters)
UNNAMED(pull_kind, "muscle of a body", sni_pull_parameters)
UNNAMED(joint_kind, "joint", sni_joint_settings)
UNNAMED(ligament_kind, "ligament", sni_ligament_parameters)
UNNAMED(contact_kind, "contact", sni_contact_parameters)

static bool body_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    return strcmp(key, "segment") == 0 || strcmp(key, "bones") == 0;
}

static bool pull_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    return strcmp(key, "muscle") == 0;
}

static bool joint_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return false;
}

static bool ligament_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    return strcmp(key, "from") == 0 || strcmp(key, "to") == 0;
}

static bool contact_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    return strcmp(key, "bones") == 0 || strcmp(key, "against") == 0;
}

#define KINDS(words, kind_function, needs_function)                                                \
    {                                                                                              \
        .what = words, .count = one_kind, .at = kind_function, .takes = takes,                     \
        .needs = needs_function, .implied = true, .unnamed = true                                  \
    }

static const sni_kind_table body_kinds = KINDS("body", body_kind, body_needs);
static const sni_kind_table pull_kinds = KINDS("muscle of a body", pull_kind, pull_needs);
static const sni_kind_table joint_kinds = KINDS("joint", joint_kind, joint_needs);
static const sni_kind_table ligament_kinds = KINDS("ligament", ligament_kind, ligament_needs);
static const sni_kind_table contact_kinds = KINDS("contact", contact_kind, contact_needs);

#define LISTED(help_text, field_array, kind_table)                                                 \
    {                                                                                              \
        .type = SNI_SCHEMA_KINDS, .help = help_text, .fields = field_array,                        \
        .field_count = COUNT(field_array), .kinds = &(kind_table), .expand_keys = sni_expand_keys, \
        .expand_key_count = SNI_ENTRY_EXPAND_KEYS                                                  \
    }

// --- What acts on a body

static const sni_schema_field pull_fields[] = {
    FIELD("muscle", text, .name_of = "muscles",
          .help = "The muscle that pulls: between bones, on the body at one end at least. Its "
                  "activation is that of its controls."),
    ABOUT};
static const sni_schema pull =
    LISTED("A muscle that pulls at the body, and how hard.", pull_fields, pull_kinds);
static const sni_schema pulls = {
    .type = SNI_SCHEMA_ARRAY, .help = "Muscles that pull at the body.", .item = &pull};

static const sni_schema_field joint_fields[] = {
    FIELD("point", vector3, .mirror = sni_mirror_point, .unit = "m",
          .help = "Where the joint is, in the world at rest: a point of the body, and where the "
                  "path begins that it slides on."),
    FIELD("at", vector3, .mirror = sni_mirror_point, .unit = "m",
          .help = "The same in the frame of the body's segment, in place of `point`."),
    FIELD("on", text, .name_of = "segments", .title = "Slides on",
          .help = "The segment that has the path; that which the body's segment hangs on when not "
                  "given."),
    FIELD("forward", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 1]",
          .help = "Where the path leads, in the world at rest."),
    FIELD("up", vector3, .mirror = sni_mirror_point, .standard = "[0, 1, 0]",
          .help = "The side of the path that the point is pressed against, in the world at rest; "
                  "made square to `forward`."),
    ABOUT};
static const sni_schema joint =
    LISTED("A point of the body that is held, or slides along a path that falls in front of it.",
           joint_fields, joint_kinds);
static const sni_schema joints = {
    .type = SNI_SCHEMA_ARRAY, .help = "Joints that hold the body.", .item = &joint};

static const sni_schema_field ligament_fields[] = {
    FIELD("from", sni_attachment_schema, .help = "Where it begins."),
    FIELD("to", sni_attachment_schema, .help = "Where it ends."), ABOUT};
static const sni_schema ligament =
    LISTED("A band that is slack up to a length.", ligament_fields, ligament_kinds);
static const sni_schema ligaments = {
    .type = SNI_SCHEMA_ARRAY, .help = "Ligaments that hold the body.", .item = &ligament};

static const sni_schema part_names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Names of bones and tissues.", .item = &text, .least = 1};
static const sni_schema box = {.type = SNI_SCHEMA_ARRAY,
                               .help = "Two corners of a box.",
                               .item = &vector3,
                               .least = 2,
                               .most = 2};
static const sni_schema_field contact_fields[] = {
    FIELD("bones", part_names, .name_of = "bones tissues", .help = "Parts of the body that touch."),
    FIELD("against", part_names, .name_of = "bones tissues",
          .help = "What they touch: parts of other segments, also of other bodies."),
    FIELD("within", box, .unit = "m", .mirror = sni_mirror_points,
          .help = "Two corners of a box in the world at rest: nothing but what lies in it is "
                  "tested. All when not given."),
    ABOUT};
static const sni_schema contact = {.type = SNI_SCHEMA_KINDS,
                                   .help = "Surfaces that meet and do not enter each other.",
                                   .fields = contact_fields,
                                   .field_count = COUNT(contact_fields),
                                   .kinds = &contact_kinds};
static const sni_schema contacts = {
    .type = SNI_SCHEMA_ARRAY, .help = "Surfaces that the body touches.", .item = &contact};

// --- Bodies

static const sni_schema bone_names = {.type = SNI_SCHEMA_ARRAY,
                                      .help = "Names of closed bones and tissues.",
                                      .item = &text,
                                      .least = 1};
static const sni_schema_field body_fields[] = {
    FIELD("segment", text, .name_of = "segments", .help = "The segment that it moves."),
    FIELD("bones", bone_names, .name_of = "bones tissues",
          .help = "What it is made of: closed bones and tissues of the segment, or of segments "
                  "that hang on it."),
    FIELD("muscles", pulls, .help = NULL),
    FIELD("joints", joints, .help = NULL),
    FIELD("ligaments", ligaments, .help = NULL),
    FIELD("contacts", contacts, .help = NULL),
    FIELD("driven", sni_driven_schema, .name_of = "controls", .help = NULL),
    ABOUT};
static const sni_schema body = LISTED(
    "A rigid body that muscles pull, joints and ligaments hold and surfaces stop: it moves a "
    "segment.",
    body_fields, body_kinds);
const sni_schema sni_bodies_schema = {
    .type = SNI_SCHEMA_MAP, .help = "Rigid bodies by name.", .item = &body};
