// SPDX-License-Identifier: Apache-2.0
//
// What a muscle of slices between bones is made from: two attachments at each end, the slices, what
// it bends around and what it goes around.
#include "input/bodies_internal.h"

#include <string.h>

// Slices of a cylinder have x from the first attachment to the second. In the image x is turned
// round; where the order is given, the attachments change places for it.
static sn_status mirror_pair(sni_expansion *expansion, const sni_schema_field *field,
                             sn_value *value, sn_error *error) {
    const char *order = sn_value_string(sn_value_get(value->parent, "order"), "");
    if (strcmp(order, "given") == 0 && value->type == SN_JSON_ARRAY && sn_value_count(value) == 2) {
        sn_value *first = value->as.children.items[0];
        value->as.children.items[0] = value->as.children.items[1];
        value->as.children.items[1] = first;
    }
    return sni_mirror_below(expansion, field, value, error);
}

static const sni_schema two_attachments = {.type = SNI_SCHEMA_ARRAY,
                                           .help = "Two attachments on bones.",
                                           .item = &sni_attachment_schema,
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
    FIELD("move", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 0]",
          .help =
              "How far the section moves in its own frame: metres, or fractions of the muscle's "
              "length where `sizes` says so."),
    FIELD("turn_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How far the section turns about its own x, y and z."),
    ABOUT};
static const sni_schema slice =
    OBJECT("How a section differs from the standard shape, in its own frame.", slice_fields);
static const sni_schema slices = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "Sections that differ from the standard shape.",
                                  .item = &slice};

static const sni_schema_field section_fields[] = {
    NEEDED("center", vector3, .mirror = sni_mirror_point, .unit = "m",
           .help = "The ellipse's middle in the world at rest."),
    NEEDED("wide", vector3, .mirror = sni_mirror_point, .unit = "m",
           .help = "The half axis across the muscle."),
    NEEDED("thick", vector3, .mirror = sni_mirror_point, .unit = "m",
           .help = "The half axis outwards, perpendicular to it."),
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
    NEEDED("parameter", text, .name_of = "parameters", .mirror = sni_mirror_source,
           .help = "The joint parameter or control that moves the coordinate."),
    NEEDED("curve", sni_pairs_schema,
           .help = "[input, coordinate] pairs by rising input, coordinates in the pivot's frame."),
    FIELD("interpolation", sni_curve_interpolation_schema, .standard = "\"linear\"")};
static const sni_schema pivot_move =
    OBJECT("A coordinate that a parameter moves, through a curve of [input, coordinate] pairs.",
           move_fields);
static sn_status mirror_x(sni_expansion *expansion, const sni_schema_field *field, sn_value *value,
                          sn_error *error) {
    sn_value *curve = (sn_value *)sn_value_get(value, "curve");
    sn_status status = sni_mirror_outputs(expansion, field, curve, error);
    return status == SN_OK ? sni_mirror_below(expansion, field, value, error) : status;
}
static const sni_schema_field moves_fields[] = {
    FIELD("x", pivot_move, .mirror = mirror_x, .help = "What moves x."),
    FIELD("y", pivot_move, .help = "What moves y."),
    FIELD("z", pivot_move, .help = "What moves z.")};
static const sni_schema pivot_moves = OBJECT(
    "Coordinates of the pivot that parameters move, instead of those of `at`.", moves_fields);
static const sni_schema pivot_half = {
    .type = SNI_SCHEMA_STRING,
    .help = "Another segment: the pivot turns about its own segment's origin by half of the "
            "angle between the two segments, as a tendon over a joint does."};
static const sni_schema_field pivot_fields[] = {
    FIELD("parameter", text, .name_of = "parameters", .mirror = sni_mirror_ranged,
          .help = "The joint parameter or control whose range says when the pivot is in effect."),
    FIELD("range", sni_range_schema,
          .help = "Lowest and highest value of the parameter, in its unit."),
    FIELD("moves", pivot_moves, .help = NULL),
    NEEDED("slice", slice_number, .title = "Section",
           .help = "The number of the section that it holds, from 0 at the origins."),
    NEEDED("segment", text, .name_of = "segments", .help = "The segment that carries the pivot."),
    NEEDED("at", vector3, .mirror = sni_mirror_point,
           .help = "Its position in the segment's frame: metres, or sizes of the segment where "
                   "`frame` says so."),
    FIELD("turn_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg", .standard = "[0, 0, 0]",
          .help = "How its section is turned about x, y and z."),
    FIELD("use", pivot_use, .standard = "\"always\"", .title = "In effect"),
    FIELD("frame", sni_place_frame_schema, .title = "Measured in", .standard = "\"segment\""),
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
    FIELD("center", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 0]",
          .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg",
          .standard = "[0, 0, 0]", .help = "How it is turned about x, y and z."),
    NEEDED("radius", wrap_size, .help = "Its radius."),
    FIELD("length", wrap_size, .help = "How long it is; without ends when not given.")};
static const sni_schema wrap_cylinder = OBJECT(
    "A cylinder about its z axis, as long as is said or without ends.", wrap_cylinder_fields);
static const sni_schema_field wrap_sphere_fields[] = {
    FIELD("center", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 0]",
          .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg",
          .standard = "[0, 0, 0]", .help = "How it is turned about x, y and z."),
    NEEDED("radius", wrap_size, .help = "Its radius.")};
static const sni_schema wrap_sphere = OBJECT("A sphere.", wrap_sphere_fields);
static const sni_schema_field wrap_ellipsoid_fields[] = {
    FIELD("center", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 0]",
          .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg",
          .standard = "[0, 0, 0]", .help = "How it is turned about x, y and z."),
    NEEDED("radii", wrap_radii, .help = "Its three radii, along its axes.")};
static const sni_schema wrap_ellipsoid = OBJECT("An ellipsoid.", wrap_ellipsoid_fields);
static const sni_schema_field wrap_torus_fields[] = {
    FIELD("center", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 0]",
          .help = "Its middle in the segment's frame."),
    FIELD("rotation_deg", vector3, .mirror = sni_mirror_turn, .unit = "deg",
          .standard = "[0, 0, 0]", .help = "How it is turned about x, y and z."),
    NEEDED("radius", wrap_size, .help = "The radius of its tube."),
    NEEDED("ring", wrap_size, .help = "The radius of the circle that its tube is about.")};
static const sni_schema wrap_torus =
    OBJECT("A torus about its z axis; the muscle goes through its hole.", wrap_torus_fields);
// The frame W of a wrap object becomes M W M (expand/mirror.c), so that its x axis becomes -M x.
static sn_status mirror_side(sni_expansion *expansion, const sni_schema_field *field,
                             sn_value *value, sn_error *error) {
    (void)expansion, (void)field, (void)error;
    if (strcmp(sn_value_string(value, ""), "+x") == 0) {
        value->as.string = "-x";
    } else if (strcmp(sn_value_string(value, ""), "-x") == 0) {
        value->as.string = "+x";
    }
    return SN_OK;
}
const char *const sni_wrap_sides[] = {"all", "+x", "-x", "+y", "-y", "+z", "-z", NULL};
static const sni_schema wrap_side = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "Along which of its axes the muscle passes the wrap object; all: on the nearer side.",
    .choices = sni_wrap_sides};
const char *const sni_wrap_methods[] = {"smooth", "hybrid", "midpoint", "axial", NULL};
static const sni_schema wrap_method = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "How the path around it is found: smooth moves without jumps; hybrid, midpoint and "
            "axial are the methods of OpenSim.",
    .choices = sni_wrap_methods};
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
    FIELD("between", slice_pair, .title = "Acts between",
          .help = "The numbers of two sections on pivots or ends: it acts on any straight piece of "
                  "the path between them. Without this it acts on the piece that its sections are "
                  "on."),
    FIELD("cylinder", wrap_cylinder, .help = NULL),
    FIELD("sphere", wrap_sphere, .help = NULL),
    FIELD("ellipsoid", wrap_ellipsoid, .help = NULL),
    FIELD("torus", wrap_torus, .help = NULL),
    FIELD("side", wrap_side, .mirror = mirror_side, .standard = "\"all\""),
    FIELD("method", wrap_method, .standard = "\"smooth\""),
    FIELD("frame", sni_place_frame_schema, .title = "Measured in", .standard = "\"segment\""),
    ABOUT};
static const sni_schema wrap = OBJECT(
    "A wrap object in a segment's frame that the muscle goes around: a cylinder, a sphere, an "
    "ellipsoid or a torus.",
    wrap_fields);
static const sni_schema around = {
    .type = SNI_SCHEMA_ARRAY, .help = "Wrap objects that the muscle goes around.", .item = &wrap};

static const sni_schema_field fields[] = {
    NEEDED("origins", two_attachments, .mirror = mirror_pair,
           .help = "Where it begins: two attachments on bones."),
    NEEDED("insertions", two_attachments, .mirror = mirror_pair,
           .help = "Where it ends: two attachments on bones."),
    FIELD("shape", slices, .help = "Sections that differ from the standard shape."),
    FIELD("sections", sections, .help = "The ellipses of all sections at rest."),
    FIELD("pivots", pivots, .help = NULL),
    FIELD("around", around, .help = NULL)};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    return sni_bodies_decode_one(decoding, 2, made, error);
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    return sni_body_validate(checking, block, 2, error);
}

const sni_input sni_input_body = {.name = "attachments",
                                  .fields = fields,
                                  .field_count = COUNT(fields),
                                  .decode = decode,
                                  .release = sni_bodies_release,
                                  .digest = sni_bodies_digest,
                                  .collect = sni_bodies_collect_one,
                                  .validate = validate,
                                  .pose = sni_bodies_pose};
