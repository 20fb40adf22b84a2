// SPDX-License-Identifier: Apache-2.0
//
// The schema of muscles.
#include "character/schema/tables.h"

#include "muscle/muscle.h"
#include "skin/skin.h"

#include <string.h>

static const sni_schema point_list = {.type = SNI_SCHEMA_ARRAY,
                                      .help =
                                          "Points on the skin at rest, from origin to insertion.",
                                      .item = &vector3,
                                      .least = 2};
static const sni_schema curves = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "The two curves between which the muscle lies.",
                                  .item = &point_list,
                                  .least = 2,
                                  .most = 2};
static const sni_schema place_value = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "A factor at a point (u, v) of the muscle: u, v, factor.",
    .item = &number,
    .least = 3,
    .most = 3};
static const sni_schema place_values = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Factors at points of the muscle.",
                                        .item = &place_value,
                                        .least = 1};
static const sni_schema_field vary_fields[] = {
    FIELD("bulge", place_values, .help = "Factors on the bulge at points of the muscle."),
    FIELD("thickness", place_values, .help = "Factors on the thickness at points of the muscle."),
    FIELD("contraction", place_values,
          .help = "Factors on the contraction at points of the muscle.")};
static const sni_schema vary =
    OBJECT("How bulge, thickness and contraction vary over the muscle.", vary_fields);

static const char *const place_frames[] = {"segment", "size", NULL};
static const sni_schema place_frame = {
    .type = SNI_SCHEMA_CHOICE,
    .help =
        "What the position is measured in: the segment's frame in metres, or in units of its size.",
    .choices = place_frames};
static const sni_schema attachment_at = {
    .type = SNI_SCHEMA_ARRAY,
    .help =
        "A position in the box around the bone's mesh, 0 to 1 within it and from -1 to 2; or in "
        "the segment's frame.",
    .item = &number,
    .least = 3,
    .most = 3};
static const sni_schema_field attachment_fields[] = {
    FIELD("bone", text, .name_of = "bones", .help = "The bone that it is on."),
    FIELD("at", attachment_at,
          .help =
              "The position in the box around the bone's mesh, 0 to 1 within it and from -1 to 2; "
              "with a segment, in the segment's frame."),
    FIELD("point", vector3, .unit = "m",
          .help = "The position in the world at rest, instead of `at`."),
    FIELD("segment", text, .name_of = "segments",
          .help = "The segment that carries the attachment, instead of a bone."),
    FIELD("frame", place_frame, .title = "Measured in", .standard = "\"segment\""),
    ABOUT};
static const sni_schema attachment = OBJECT(
    "An attachment on a bone: in its box (bone, at) or in the world at rest (bone, point); or in "
    "a segment's frame (segment, at).",
    attachment_fields);
static const sni_schema two_attachments = {.type = SNI_SCHEMA_ARRAY,
                                           .help = "Two attachments on bones.",
                                           .item = &attachment,
                                           .least = 2,
                                           .most = 2};

static const sni_schema slice_number = {.type = SNI_SCHEMA_WHOLE,
                                        .help = "The number of a section, from 0 at the origins.",
                                        .low = 0,
                                        .high = 1023};
static const sni_schema slice_scale = {.type = SNI_SCHEMA_ARRAY,
                                       .help = "Factors on a section's width and thickness.",
                                       .item = &number,
                                       .least = 2,
                                       .most = 2};
static const sni_schema_field slice_fields[] = {
    NEEDED("slice", slice_number, .title = "Section",
           .help = "The number of the section, from 0 at the origins."),
    FIELD("scale", slice_scale, .standard = "[1, 1]",
          .help = "Factors on the section's width and thickness."),
    FIELD("move", vector3, .standard = "[0, 0, 0]",
          .help =
              "How far the section moves in its own frame: metres, or fractions of the muscle's "
              "length where `sizes` says so."),
    FIELD("turn_deg", vector3, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How far the section turns about its own x, y and z."),
    ABOUT};
static const sni_schema slice =
    OBJECT("How a section differs from the standard shape, in its own frame.", slice_fields);
static const sni_schema slices = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "Sections that differ from the standard shape.",
                                  .item = &slice};

static const sni_schema_field section_fields[] = {
    NEEDED("center", vector3, .unit = "m", .help = "The ellipse's middle in the world at rest."),
    NEEDED("wide", vector3, .unit = "m", .help = "The half axis across the muscle."),
    NEEDED("thick", vector3, .unit = "m", .help = "The half axis outwards, perpendicular to it."),
    ABOUT};
static const sni_schema section = OBJECT(
    "The ellipse of a section in the world at rest: its centre and two half axes, perpendicular to "
    "each other, `thick` outwards.",
    section_fields);
static const sni_schema sections = {.type = SNI_SCHEMA_ARRAY,
                                    .help = "The ellipses of all sections, from the origins on.",
                                    .item = &section,
                                    .least = 3,
                                    .most = 1024};

const char *const sni_pivot_uses[] = {"always", "never", "bent", "range", NULL};
static const sni_schema pivot_use = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "When a pivot is in effect: always (the default), never, where the straight path would "
            "cut through the joint, or where a parameter is in its range.",
    .choices = sni_pivot_uses};
static const sni_schema_field move_fields[] = {
    NEEDED("parameter", text, .name_of = "parameters",
           .help = "The joint parameter or control that moves the coordinate."),
    NEEDED("curve", sni_pairs_schema,
           .help = "[input, coordinate] pairs by rising input, coordinates in the pivot's frame."),
    FIELD("interpolation", sni_curve_interpolation_schema, .standard = "\"linear\"")};
static const sni_schema pivot_move =
    OBJECT("A coordinate that a parameter moves, through a curve of [input, coordinate] pairs.",
           move_fields);
static const sni_schema_field moves_fields[] = {FIELD("x", pivot_move, .help = "What moves x."),
                                                FIELD("y", pivot_move, .help = "What moves y."),
                                                FIELD("z", pivot_move, .help = "What moves z.")};
static const sni_schema pivot_moves = OBJECT(
    "Coordinates of the pivot that parameters move, instead of those of `at`.", moves_fields);
static const sni_schema pivot_half = {
    .type = SNI_SCHEMA_STRING,
    .help = "Another segment: the pivot turns about its own segment's origin by half of the "
            "angle between the two segments, as a tendon over a joint does."};
static const sni_schema_field pivot_fields[] = {
    FIELD("parameter", text, .name_of = "parameters",
          .help = "The joint parameter or control whose range says when the pivot is in effect."),
    FIELD("range", sni_range_schema,
          .help = "Lowest and highest value of the parameter, in its unit."),
    FIELD("moves", pivot_moves, .help = NULL),
    NEEDED("slice", slice_number, .title = "Section",
           .help = "The number of the section that it holds, from 0 at the origins."),
    NEEDED("segment", text, .name_of = "segments", .help = "The segment that carries the pivot."),
    NEEDED("at", vector3,
           .help = "Its position in the segment's frame: metres, or sizes of the segment where "
                   "`frame` says so."),
    FIELD("turn_deg", vector3, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How its section is turned about x, y and z."),
    FIELD("use", pivot_use, .standard = "\"always\"", .title = "In effect"),
    FIELD("frame", place_frame, .title = "Measured in", .standard = "\"segment\""),
    FIELD("half", pivot_half, .name_of = "segments", .title = "Half way to"),
    ABOUT};
static const sni_schema pivot =
    OBJECT("A point in a segment's frame that the muscle bends around.", pivot_fields);
static const sni_schema pivots = {
    .type = SNI_SCHEMA_ARRAY, .help = "What the muscle bends around.", .item = &pivot};

static const sni_schema wrap_size = {
    .type = SNI_SCHEMA_NUMBER, .help = "A length above zero.", .low = 1e-9, .high = 1e9};
static const sni_schema wrap_radii = {.type = SNI_SCHEMA_ARRAY,
                                      .help = "Three radii, along its axes.",
                                      .item = &wrap_size,
                                      .least = 3,
                                      .most = 3};
static const sni_schema_field wrap_cylinder_fields[] = {
    FIELD("center", vector3, .standard = "[0, 0, 0]", .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How it is turned about x, y and z."),
    NEEDED("radius", wrap_size, .help = "Its radius."),
    FIELD("length", wrap_size, .help = "How long it is; without ends when not given.")};
static const sni_schema wrap_cylinder = OBJECT(
    "A cylinder about its z axis, as long as is said or without ends.", wrap_cylinder_fields);
static const sni_schema_field wrap_sphere_fields[] = {
    FIELD("center", vector3, .standard = "[0, 0, 0]", .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How it is turned about x, y and z."),
    NEEDED("radius", wrap_size, .help = "Its radius.")};
static const sni_schema wrap_sphere = OBJECT("A sphere.", wrap_sphere_fields);
static const sni_schema_field wrap_ellipsoid_fields[] = {
    FIELD("center", vector3, .standard = "[0, 0, 0]", .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How it is turned about x, y and z."),
    NEEDED("radii", wrap_radii, .help = "Its three radii, along its axes.")};
static const sni_schema wrap_ellipsoid = OBJECT("An ellipsoid.", wrap_ellipsoid_fields);
const char *const sni_wrap_sides[] = {"all", "+x", "-x", "+y", "-y", "+z", "-z", NULL};
static const sni_schema wrap_side = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "Along which of its axes the muscle passes the wrap object; all: on the nearer side.",
    .choices = sni_wrap_sides};
static const sni_schema slice_pair = {.type = SNI_SCHEMA_ARRAY,
                                      .help = "The numbers of the first and the last section.",
                                      .item = &slice_number,
                                      .least = 2,
                                      .most = 2};
static const sni_schema_field wrap_fields[] = {
    NEEDED("segment", text, .name_of = "segments",
           .help = "The segment that carries the wrap object."),
    NEEDED("slices", slice_pair, .title = "Sections",
           .help = "The numbers of the first and the last section that go around it."),
    FIELD("cylinder", wrap_cylinder, .help = NULL),
    FIELD("sphere", wrap_sphere, .help = NULL),
    FIELD("ellipsoid", wrap_ellipsoid, .help = NULL),
    FIELD("side", wrap_side, .standard = "\"all\""),
    FIELD("frame", place_frame, .title = "Measured in", .standard = "\"segment\""),
    ABOUT};
static const sni_schema wrap = OBJECT(
    "A wrap object in a segment's frame that the muscle goes around: a cylinder, a sphere or an "
    "ellipsoid.",
    wrap_fields);
static const sni_schema around = {
    .type = SNI_SCHEMA_ARRAY, .help = "Wrap objects that the muscle goes around.", .item = &wrap};

// What a cylinder is made from, as a muscle or below the surface of one.
#define BODY_FIELDS                                                                                \
    FIELD("origins", two_attachments, .help = "Where it begins: two attachments on bones."),       \
        FIELD("insertions", two_attachments, .help = "Where it ends: two attachments on bones."),  \
        FIELD("shape", slices, .help = "Sections that differ from the standard shape."),           \
        FIELD("sections", sections, .help = "The ellipses of all sections at rest."),              \
        FIELD("pivots", pivots, .help = NULL), FIELD("around", around, .help = NULL), ABOUT

static const sni_schema_field strip_fields[] = {BODY_FIELDS};
static const sni_kind_table strip_kinds;
static const sni_schema strip = {.type = SNI_SCHEMA_KINDS,
                                 .help = "A cylinder that carries a part of the muscle's surface.",
                                 .fields = strip_fields,
                                 .field_count = COUNT(strip_fields),
                                 .kinds = &strip_kinds};
static const sni_schema strips = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "The cylinders that carry the muscle's surface.",
                                  .item = &strip,
                                  .least = 1};

// What a muscle that is drawn on a skin is made from.
#define DRAWN_FIELDS                                                                               \
    FIELD("skin", text, .name_of = "skins", .help = "The skin on which the curves are drawn."),    \
        FIELD("curves", curves, .unit = "m", .help = NULL),                                        \
        FIELD(                                                                                     \
            "segment", text, .name_of = "segments",                                                \
            .help =                                                                                \
                "The segment that carries it; when not given, the weights of the skin under the "  \
                "curves do."),                                                                     \
        FIELD("center", vector3, .unit = "m",                                                      \
              .help = "The centre that a ring contracts to; computed when not given."),            \
        FIELD("contraction", text, .name_of = "controls",                                          \
              .help = "The control that contracts it: 0 at rest, 1 fully."),                       \
        FIELD("tension", text, .name_of = "controls",                                              \
              .help = "The control that makes it bulge without shortening, 0 to 1."),              \
        FIELD("vary", vary, .help = NULL),                                                         \
        FIELD("depth_from", text, .name_of = "bones tissues skins", .title = "Lies on",            \
              .help = "A bone, tissue or skin that it lies on, or \"skeleton\" for the limbs; "    \
                      "its depth "                                                                 \
                      "is a number when not given.")

static const sni_schema_field muscle_fields[] = {
    DRAWN_FIELDS,
    FIELD("driven", sni_driven_schema, .name_of = "controls", .help = NULL),
    FIELD("activation", text, .name_of = "controls",
          .help = "The control that gives its activation, 0 to 1, for reports and pictures; it "
                  "moves nothing."),
    FIELD("origin", attachment, .help = "Where it begins: an attachment on a bone."),
    FIELD("insertion", attachment, .help = "Where it ends: an attachment on a bone."),
    FIELD("mesh", text, .name_of = "meshes",
          .help = "The mesh that is its surface, in the world at rest."),
    FIELD("strips", strips, .help = NULL),
    FIELD("show", flag, .standard = "true", .help = "Whether pictures show it."),
    BODY_FIELDS,
};

static sni_kind kind_of(const sni_muscle_ops *ops) {
    return (sni_kind){ops->name, ops->help, {ops->parameters}, ops, ops->inputs};
}

static sni_kind muscle_kind(uint32_t index) {
    return kind_of(sni_muscle_ops_of(index));
}

// Whether `key` is one of the keys in a list that is ended by NULL.
static bool is_one_of(const char *key, const char *const *keys) {
    for (; *keys != NULL; ++keys) {
        if (strcmp(*keys, key) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const given[] = {"mesh", "strips", NULL};

static bool muscle_needs(const void *kind_ops, const char *key) {
    static const char *const drawn[] = {"skin", "curves", NULL};
    static const char *const one[] = {"origin", "insertion", NULL};
    static const char *const two[] = {"origins", "insertions", NULL};
    const sni_muscle_ops *ops = kind_ops;
    if (ops->has_strips) {
        return is_one_of(key, given);
    }
    return (ops->drawn && is_one_of(key, drawn)) ||
           (ops->attachments == 1 && is_one_of(key, one)) ||
           (ops->attachments == 2 && is_one_of(key, two));
}

static bool muscle_takes(const void *kind_ops, const char *key) {
    static const char *const drawn[] = {"skin",    "curves", "segment",    "center", "contraction",
                                        "tension", "vary",   "depth_from", NULL};
    static const char *const on_bones[] = {"origin", "insertion", "origins", "insertions", NULL};
    static const char *const of_slices[] = {"shape", "sections", "pivots", "around", NULL};
    const sni_muscle_ops *ops = kind_ops;
    if (is_one_of(key, drawn)) {
        return ops->drawn;
    }
    if (strcmp(key, "activation") == 0) {
        return !ops->drawn;
    }
    if (strcmp(key, "driven") == 0) {
        return sni_parameters_any_live(&ops->parameters);
    }
    if (is_one_of(key, on_bones) || is_one_of(key, given)) {
        return muscle_needs(ops, key);
    }
    return is_one_of(key, of_slices) ? ops->has_slices : true;
}

static uint32_t one_kind(void) {
    return 1;
}

static sni_kind strip_kind(uint32_t index) {
    (void)index;
    return kind_of(&sni_muscle_cylinder);
}

static const sni_kind_table strip_kinds = {.what = "strip",
                                           .count = one_kind,
                                           .at = strip_kind,
                                           .takes = muscle_takes,
                                           .needs = muscle_needs,
                                           .implied = true,
                                           .unnamed = true};

static const sni_kind_table muscle_kinds = {.what = "muscle",
                                            .count = sni_muscle_kind_count,
                                            .at = muscle_kind,
                                            .takes = muscle_takes,
                                            .needs = muscle_needs};
const sni_schema sni_muscle_schema = {
    .type = SNI_SCHEMA_KINDS,
    .help = "A muscle: drawn on a skin as two curves, contracted and tensed by controls; or "
            "between bones, thicker as it shortens; or a given surface on strips between bones.",
    .fields = muscle_fields,
    .field_count = COUNT(muscle_fields),
    .expand_keys = sni_expand_keys,
    .expand_key_count = SNI_ENTRY_EXPAND_KEYS,
    .kinds = &muscle_kinds};

// --- A muscle to draw

static const sni_schema_field drawn_driver_fields[] = {
    NEEDED("parameter", text, .name_of = "parameters",
           .help = "The joint parameter or control that contracts it."),
    FIELD("curve", sni_pairs_schema,
          .help = "[input, output] pairs by rising input; the value itself when not given.")};
static const sni_schema drawn_driver =
    OBJECT("What computes the muscle's control.", drawn_driver_fields);

static const sni_schema_field drawn_fields[] = {
    DRAWN_FIELDS,
    FIELD("show", flag, .help = "Whether pictures show it."),
    FIELD("group", text, .help = "The group of a control that is made."),
    FIELD("driver", drawn_driver, .help = NULL),
    ABOUT,
};

static const sn_parameter drawn_parameters[] = {
    {.name = "slide",
     .help = "How much of its contraction shortens an open muscle; its control also tenses one "
             "that slides by less than 1, so that it bulges fully",
     .unit = "",
     .low = 0,
     .standard = 1,
     .high = 1},
};

// A patch, and the distances of the falloff that follows it.
static sni_kind drawn_kind(uint32_t index) {
    (void)index;
    sni_kind kind = kind_of(&sni_muscle_patch);
    const sn_parameter *distances =
        &sni_deformer_falloff.parameters.items[SNI_FALLOFF_PARAMETER_FULL];
    _Static_assert(SNI_FALLOFF_PARAMETER_NONE == SNI_FALLOFF_PARAMETER_FULL + 1,
                   "the two distances stand side by side");
    kind.tables[SNI_DRAWN_FALLOFF] = (sn_parameters){distances, 2};
    kind.tables[SNI_DRAWN_SLIDE] = (sn_parameters)SNI_PARAMETERS(drawn_parameters);
    return kind;
}

static bool drawn_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    return strcmp(key, "curves") == 0;
}

static bool drawn_takes(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return true;
}

static const sni_kind_table drawn_kinds = {.what = "muscle that is drawn",
                                           .count = one_kind,
                                           .at = drawn_kind,
                                           .takes = drawn_takes,
                                           .needs = drawn_needs,
                                           .implied = true};
const sni_schema sni_drawn_muscle_schema = {.type = SNI_SCHEMA_KINDS,
                                            .help = "A muscle drawn on a skin.",
                                            .fields = drawn_fields,
                                            .field_count = COUNT(drawn_fields),
                                            .kinds = &drawn_kinds};
