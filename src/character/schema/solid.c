// SPDX-License-Identifier: Apache-2.0
//
// Shapes of bones and tissues that are given by numbers.
#include "character/schema/tables.h"

#include "geometry/sphere.h"
#include "geometry/tube.h"

static const sni_schema radius = {
    .type = SNI_SCHEMA_NUMBER, .help = "A length above zero.", .low = 1e-9, .high = 1e9};
static const sni_schema radii = {.type = SNI_SCHEMA_ARRAY,
                                 .help = "Three radii, along its axes.",
                                 .item = &radius,
                                 .least = 3,
                                 .most = 3};
static const sni_schema detail = {.type = SNI_SCHEMA_WHOLE,
                                  .help = "How finely it is divided into triangles.",
                                  .low = 1,
                                  .high = SNI_SPHERE_DETAIL_MOST};
static const sni_schema_field ellipsoid_fields[] = {
    FIELD("center", vector3, .mirror = sni_mirror_point, .standard = "[0, 0, 0]",
          .help = "Its middle: metres, or sizes of the segment where `frame` says so."),
    NEEDED("radii", radii,
           .help = "Its three radii: metres, or sizes of the segment where `frame` says so."),
    FIELD("rotation_deg", vector3, .mirror = sni_mirror_turn, .standard = "[0, 0, 0]",
          .unit = "deg",
          .help = "How it is turned: angles about x, y and z, each about an axis that the ones "
                  "before have turned."),
    FIELD("detail", detail, .standard = "8",
          .help = "How finely it is divided: its mesh has 20 times the square of it triangles.")};
const sni_schema sni_ellipsoid_schema = {.type = SNI_SCHEMA_OBJECT,
                                         .help =
                                             "An ellipsoid, turned by three angles about x, y, z.",
                                         .fields = ellipsoid_fields,
                                         .field_count = COUNT(ellipsoid_fields)};

static const sni_schema tube_points = {.type = SNI_SCHEMA_ARRAY,
                                       .help = "Points that the curve goes through.",
                                       .item = &vector3,
                                       .least = 2,
                                       .most = 1024};
static const sni_schema tube_radius = {.type = SNI_SCHEMA_SEVERAL,
                                       .help =
                                           "A radius, or two: along the wide axis and across it.",
                                       .item = &radius,
                                       .least = 2,
                                       .most = 2};
static const sni_schema tube_radii = {.type = SNI_SCHEMA_ARRAY,
                                      .help = "Radii at the points.",
                                      .item = &tube_radius,
                                      .least = 2,
                                      .most = 1024};
static const sni_schema tube_cap = {
    .type = SNI_SCHEMA_NUMBER,
    .help = "Length of the caps in radii of the ends, the smaller ones: round (1), flat (0).",
    .low = 0,
    .high = 4};
static const sni_schema tube_detail = {.type = SNI_SCHEMA_WHOLE,
                                       .help = "How finely it is divided into triangles.",
                                       .low = SNI_TUBE_DETAIL_LEAST,
                                       .high = SNI_TUBE_DETAIL_MOST};
static const sni_schema_field tube_fields[] = {
    NEEDED("points", tube_points, .mirror = sni_mirror_points,
           .help = "Points that a smooth curve goes through: metres, or sizes of the segment where "
                   "`frame` says so."),
    NEEDED("radii", tube_radii,
           .help = "One for each point: a radius, or two, along the wide axis and across it."),
    FIELD("side", vector3, .mirror = sni_mirror_point,
          .help = "Direction of the wide axis at the first point; when not given, the coordinate "
                  "axis most perpendicular to the curve."),
    FIELD("cap", tube_cap, .standard = "1",
          .help = "Length of the caps in radii of the ends: 1 is round, 0 flat."),
    FIELD("detail", tube_detail, .standard = "8", .help = "How finely it is divided.")};
const sni_schema sni_tube_schema = {
    .type = SNI_SCHEMA_OBJECT,
    .help = "A tube around a smooth curve through points; `side` is where the wide axis of its "
            "sections points at the beginning.",
    .fields = tube_fields,
    .field_count = COUNT(tube_fields)};
