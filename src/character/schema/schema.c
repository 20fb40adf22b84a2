// SPDX-License-Identifier: Apache-2.0
#include "character/schema/schema.h"

#include "character/schema/tables.h"

static const sni_schema quaternion = {.type = SNI_SCHEMA_ARRAY,
                                      .help = "A unit quaternion: x, y, z, w.",
                                      .item = &number,
                                      .least = 4,
                                      .most = 4};
const sni_schema sni_range_schema = {.type = SNI_SCHEMA_ARRAY,
                                     .help = "Lowest and highest value.",
                                     .item = &number,
                                     .least = 2,
                                     .most = 2};

const sni_schema sni_name_map_schema = {
    .type = SNI_SCHEMA_MAP, .help = "Names in the file and names in the document.", .item = &text};

const sni_schema sni_driven_schema = {
    .type = SNI_SCHEMA_MAP,
    .help = "Parameters that controls drive: each has the value of its control in every frame, cut "
            "to its range, in place of its own.",
    .item = &text};

static const char *const curve_interpolations[] = {"stepped", "linear", "smooth", "spline", NULL};
const sni_schema sni_curve_interpolation_schema = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "How a curve goes between its points: held, on a line, smooth without overshoot, or as "
            "the cubic spline of OpenSim, straight on beyond its ends.",
    .choices = curve_interpolations};

const sni_schema sni_pairs_schema = {.type = SNI_SCHEMA_ARRAY,
                                     .help = "Pairs of numbers, by rising first number.",
                                     .item = &sni_range_schema,
                                     .least = 1};

static const char *const up_axes[] = {"y", "z", NULL};
const sni_schema sni_up_schema = {
    .type = SNI_SCHEMA_CHOICE, .help = "The axis that points up in the file.", .choices = up_axes};

// --- Skeleton

static const char *const rotation_orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", NULL};
static const sni_schema rotation_order = {.type = SNI_SCHEMA_CHOICE,
                                          .help = "The order of the three intrinsic rotations.",
                                          .choices = rotation_orders};

#define ANGLE_LIMIT(key, axis, of_image)                                                           \
    FIELD(key, sni_range_schema, .mirror = of_image, .unit = "deg",                                \
          .help = "Lowest and highest rotation about " axis "; free when not given.")
#define MOVE_LIMIT(key, axis, of_image)                                                            \
    FIELD(key, sni_range_schema, .mirror = of_image, .unit = "m",                                  \
          .help = "Lowest and highest translation along " axis "; free when not given.")
#define SCALE_LIMIT(key, axis)                                                                     \
    FIELD(key, sni_range_schema,                                                                   \
          .help = "Lowest and highest scale factor along " axis "; free when not given.")
static const sni_schema_field angle_limit_fields[] = {ANGLE_LIMIT("rx", "x", NULL),
                                                      ANGLE_LIMIT("ry", "y", sni_mirror_range),
                                                      ANGLE_LIMIT("rz", "z", sni_mirror_range)};
static const sni_schema angle_limits =
    OBJECT("How far the joint can turn about each axis.", angle_limit_fields);
static const sni_schema_field limit_fields[] = {MOVE_LIMIT("tx", "x", sni_mirror_range),
                                                MOVE_LIMIT("ty", "y", NULL),
                                                MOVE_LIMIT("tz", "z", NULL),
                                                SCALE_LIMIT("sx", "x"),
                                                SCALE_LIMIT("sy", "y"),
                                                SCALE_LIMIT("sz", "z")};
static const sni_schema limits =
    OBJECT("How far the joint can move and scale along each axis.", limit_fields);

#define REST_ANGLE(key, axis, of_image)                                                            \
    FIELD(key, number, .mirror = of_image, .unit = "deg", .standard = "0",                         \
          .help = "Rotation of the joint about " axis " in the rest pose.")
#define REST_MOVE(key, axis, of_image)                                                             \
    FIELD(key, number, .mirror = of_image, .unit = "m", .standard = "0",                           \
          .help = "Translation of the joint along " axis " in the rest pose.")
#define REST_SCALE(key, axis)                                                                      \
    FIELD(key, number, .standard = "1",                                                            \
          .help = "Scale factor of the joint along " axis " in the rest pose.")
static const sni_schema_field angle_fields[] = {REST_ANGLE("rx", "x", NULL),
                                                REST_ANGLE("ry", "y", sni_mirror_number),
                                                REST_ANGLE("rz", "z", sni_mirror_number)};
static const sni_schema rest_angles = OBJECT("Rotations of the joint at rest.", angle_fields);
static const sni_schema_field rest_fields[] = {REST_MOVE("tx", "x", sni_mirror_number),
                                               REST_MOVE("ty", "y", NULL),
                                               REST_MOVE("tz", "z", NULL),
                                               REST_SCALE("sx", "x"),
                                               REST_SCALE("sy", "y"),
                                               REST_SCALE("sz", "z")};
static const sni_schema rest = OBJECT("Translations and scale factors at rest.", rest_fields);

static const sni_schema_field segment_fields[] = {
    FIELD("parent", text, .name_of = "segments",
          .help = "The segment that it is a child of; a root when not given."),
    FIELD("translation", vector3, .mirror = sni_mirror_point, .unit = "m", .standard = "[0, 0, 0]",
          .help = "The position of its joint in the parent's frame."),
    FIELD("rotation", quaternion, .mirror = sni_mirror_turn, .standard = "[0, 0, 0, 1]",
          .help = "How its frame is turned in the parent's: a unit quaternion x, y, z, w. In place "
                  "of it the angles."),
    FIELD("rotation_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg",
          .help = "How its frame is turned in the parent's: angles in its order. In place of it "
                  "the quaternion."),
    FIELD("scale", vector3, .standard = "[1, 1, 1]",
          .help = "Factors along its axes, not 0; negative ones mirror."),
    FIELD("order", rotation_order, .standard = "\"xyz\"", .title = "Order of rotations",
          .help = "The order of the joint's three rotations, each about an axis that the ones "
                  "before have turned."),
    FIELD("limits_deg", angle_limits, .title = "Limits of rotations",
          .help = "How far the joint can turn about each axis; free when not given."),
    FIELD("limits", limits, .title = "Limits of translations and scales",
          .help = "How far the joint can move and scale along each axis; free when not given."),
    FIELD("rest_deg", rest_angles, .title = "Rotations at rest",
          .help = "Rotations of the joint in the rest pose, which everything is bound to."),
    FIELD("rest", rest, .title = "Translations and scales at rest",
          .help = "Translations and scale factors of the joint in the rest pose."),
    FIELD("role", text, .mirror = sni_mirror_group, .title = "Part of the body",
          .help = "Which part of a human body it is, in the words of VRM, such as leftUpperArm; "
                  "told by names and shape when no segment says it."),
    ABOUT,
};
static const sni_schema segment = REPEATED(
    "A segment: its frame in its parent (translation in metres; rotation as a quaternion, or as "
    "angles in its order; scale) and the joint on top of it.",
    segment_fields, SNI_SEGMENT_EXPAND_KEYS);
static const sni_schema skeleton = {
    .type = SNI_SCHEMA_MAP, .help = "Segments by name.", .item = &segment};

// --- Meshes

static const sni_schema_field mesh_fields[] = {
    FIELD("file", text,
          .help = "The file, as a path from the document's folder: .glb .gltf .vrm .obj .stl .ply "
                  ".vtp, .fbx .dae where Assimp is built in."),
    FIELD("mesh", text, .help = "Which mesh of the file, where it has several."),
    UNIT_OF_FILE,
    UP_OF_FILE,
    FIELD("weights", text, .name_of = "meshes", .title = "Weights of",
          .help =
              "Another mesh whose weights it takes: with as many vertices, at the same positions."),
    FIELD("extract", sni_extract_schema, .mirror = sni_mirror_same,
          .help = "Makes the mesh around bones, tissues and muscles, in place of a file."),
    FIELD("mirrored", flag, .standard = "false",
          .help = "Takes the mirror image at x = 0, with left and right exchanged in the names of "
                  "its bones and targets."),
    ABOUT};
static const sni_schema mesh = REPEATED(
    "A mesh of a file beside the document; `mesh` names one where the file has several, "
    "`weights` one that lends its weights; a mirrored one is its mirror image at x = 0. Or "
    "one that is extracted from the body.",
    mesh_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema meshes = {.type = SNI_SCHEMA_MAP, .help = "Meshes by name.", .item = &mesh};

const char *const sni_looks[] = {"skin",  "muscle", "bone", "tissue", "cloth",
                                 "plain", "eye",    "horn", NULL};
const sni_schema sni_look_schema = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What it is made of in pictures: decides its colour and gloss.",
    .choices = sni_looks};

// --- Components: bones and tissues

static const char *const component_frames[] = {"world", "segment", "size", NULL};
static const sni_schema component_frame = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What coordinates are measured in: the world at rest (meshes, when not given), its "
            "segment (ellipsoids and tubes), or its segment in units of the segment's size.",
    .choices = component_frames};

#define COMPONENT_FIELDS                                                                           \
    FIELD("mesh", text, .name_of = "meshes",                                                       \
          .help = "The mesh that is its surface; or an ellipsoid or a tube in place of it."),      \
        FIELD("ellipsoid", sni_ellipsoid_schema,                                                   \
              .help = "An ellipsoid in place of a mesh, turned by three angles."),                 \
        FIELD("tube", sni_tube_schema,                                                             \
              .help = "A tube around a smooth curve in place of a mesh."),                         \
        NEEDED("segment", text, .name_of = "segments", .help = "The segment that carries it."),    \
        FIELD("frame", component_frame, .title = "Measured in")
static const sni_schema_field bone_fields[] = {COMPONENT_FIELDS, ABOUT};
static const sni_schema bone = REPEATED("A mesh, an ellipsoid or a tube carried by a segment.",
                                        bone_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema bones = {.type = SNI_SCHEMA_MAP, .help = "Bones by name.", .item = &bone};

static const sni_schema density = {
    .type = SNI_SCHEMA_NUMBER, .help = "A factor, not 0.", .low = -10, .high = 10};
static const sni_schema_field tissue_fields[] = {
    COMPONENT_FIELDS,
    FIELD("density", density, .standard = "1",
          .help = "How much it counts when a skin is extracted; below 0 it pushes the skin away, "
                  "is not drawn and carries no skin."),
    FIELD("feature", flag, .standard = "false",
          .help = "An eye, a nail, a horn: drawn with the skin, which neither covers nor follows "
                  "it."),
    FIELD("look", sni_look_schema, .standard = "\"tissue\""),
    ABOUT,
};
static const sni_schema tissue = REPEATED(
    "Generalized tissue: a closed mesh, an ellipsoid or a tube carried by a segment. A feature is "
    "drawn with the skin and no part of what a skin is made from.",
    tissue_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema tissues = {
    .type = SNI_SCHEMA_MAP, .help = "Tissues by name.", .item = &tissue};

static const sni_schema proportion = {
    .type = SNI_SCHEMA_NUMBER, .help = "A factor above zero.", .low = 1e-3, .high = 1e3};
static const sni_schema proportions = {
    .type = SNI_SCHEMA_MAP,
    .help = "Factors by segment, on the offsets of its children and thus on its size.",
    .item = &proportion};

static const sni_schema muscles = {
    .type = SNI_SCHEMA_MAP, .help = "Muscles by name.", .item = &sni_muscle_schema};

// --- The document

static const sni_schema version = {
    .type = SNI_SCHEMA_WHOLE, .help = "Version of the format.", .low = 1, .high = 1};

static const sni_schema_field document_fields[] = {
    NEEDED("sinew", version, .title = "Version", .help = "Version of the format."),
    NEEDED("name", text, .help = "What the character is called."),
    ABOUT,
    FIELD("skeleton", skeleton, .help = NULL),
    FIELD("proportions", proportions, .keys_of = "segments"),
    FIELD("meshes", meshes, .help = NULL),
    FIELD("bones", bones, .help = NULL),
    FIELD("tissues", tissues, .help = NULL),
    FIELD("skins", sni_skins_schema, .help = NULL),
    FIELD("muscles", muscles, .help = NULL),
    FIELD("bodies", sni_bodies_schema, .help = NULL),
    FIELD("controls", sni_controls_schema, .help = NULL),
    FIELD("synergies", sni_synergies_schema, .help = NULL),
    FIELD("drivers", sni_drivers_schema, .help = NULL),
    FIELD("landmarks", sni_landmarks_schema, .help = NULL),
    FIELD("clips", sni_clips_schema, .help = NULL),
};
const sni_schema sni_document_schema = OBJECT("A sinew character.", document_fields);
