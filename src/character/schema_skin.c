// SPDX-License-Identifier: Apache-2.0
//
// The schema of skins and their deformers.
#include "character/schema_parts.h"

#include "skin/skin.h"

#include <string.h>

static const char *const interpolations[] = {"stepped", "linear", "smooth", NULL};
const sni_schema sni_interpolation_schema = {
    .type = SNI_SCHEMA_CHOICE,
    .help =
        "How values between keys are found: held, on a line, or on a smooth curve that does not "
        "overshoot.",
    .choices = interpolations};

static const char *const frames[] = {"world", "segment", NULL};
const sni_schema sni_mesh_frame_schema = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What the mesh's coordinates are measured in: the world at rest, or its segment.",
    .choices = frames};

static const sni_schema names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Names.", .item = &text, .least = 1};

const sni_schema sni_vertex_schema = {.type = SNI_SCHEMA_WHOLE,
                                      .help = "A vertex of the mesh, from 0.",
                                      .low = 0,
                                      .high = 4294967294.0};

// --- Key poses

static const sni_schema pose_points = {
    .type = SNI_SCHEMA_MAP,
    .help = "Offsets of vertices, [x, y, z] in metres at rest, by the vertex's number.",
    .item = &vector3};
static const sni_schema_field pose_key_fields[] = {
    NEEDED("at", number,
           .help = "The value of what is followed, in its unit, that the shape stands for."),
    FIELD("points", pose_points, .unit = "m", .help = NULL),
    FIELD("mesh", text, .name_of = "meshes",
          .help = "The whole shape at rest, a mesh with as many vertices, instead of points."),
    ABOUT};
static const sni_schema pose_key =
    OBJECT("The shape at one value of what is followed: offsets of some vertices, or a mesh of the "
           "whole shape at rest.",
           pose_key_fields);
static const sni_schema pose_keys = {.type = SNI_SCHEMA_ARRAY,
                                     .help = "Keys, by rising `at`; constant outside.",
                                     .item = &pose_key,
                                     .least = 1};
static const sni_schema_field pose_fields[] = {
    NEEDED("follows", text, .name_of = "parameters lengths",
           .help = "What the shapes follow: a joint parameter, a control, or MUSCLE.length in "
                   "metres."),
    FIELD("interpolation", sni_interpolation_schema, .standard = "\"linear\""),
    NEEDED("keys", pose_keys, .help = NULL), ABOUT};
static const sni_schema pose = OBJECT(
    "Key poses: offsets that follow a joint parameter, a control or MUSCLE.length.", pose_fields);
static const sni_schema poses = {
    .type = SNI_SCHEMA_ARRAY, .help = "Sets of key poses, which add up.", .item = &pose};

// --- Points

static const sni_schema ranges = {.type = SNI_SCHEMA_STRING,
                                  .help = "Numbers and ranges, such as 12,40-60, or all."};
static const sni_schema vertex_range = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "First and last vertex, both included.",
                                        .item = &sni_vertex_schema,
                                        .least = 2,
                                        .most = 2};
static const sni_schema share = {
    .type = SNI_SCHEMA_NUMBER, .help = "A number from 0 to 1.", .low = 0, .high = 1};
static const sni_schema shares = {.type = SNI_SCHEMA_ARRAY,
                                  .help = "Numbers from 0 to 1, one for each point.",
                                  .item = &share,
                                  .least = 1};
static const sni_schema points = {.type = SNI_SCHEMA_EITHER,
                                  .help = "Vertices of the mesh, from 0.",
                                  .item = &ranges,
                                  .other = &vertex_range};
static const sni_schema_field point_weight_fields[] = {
    FIELD("points", points,
          .help = "Vertices of the mesh, from 0: numbers and ranges such as 12,40-60, or all; or "
                  "[first, last], both included."),
    FIELD("values", shares,
          .help = "A weight for each of the points, by rising number: painted by hand."),
    FIELD("group", text,
          .help = "A group, object or material of the mesh's file: the vertices of its faces."),
    FIELD("attribute", text,
          .help = "An attribute of the mesh with one value for each vertex, such as color: its "
                  "first number, 0 to 1."),
    FIELD("weight", share, .standard = "1",
          .help = "How much these points take of the effect; multiplies values and attributes."),
    ABOUT};
static const sni_schema point_weight = OBJECT(
    "The weight of some points: a range of vertices, the vertices of a group, object or material "
    "of the mesh, or (times an attribute of the mesh) all that have one; all points where none is "
    "named.",
    point_weight_fields);
static const sni_schema point_weights = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "How much points take of the effect: 0 except for points in an entry; later entries "
            "override earlier ones.",
    .item = &point_weight,
    .least = 1};

static const sni_schema vertex_list = {.type = SNI_SCHEMA_ARRAY,
                                       .help = "Vertices of the mesh, from 0.",
                                       .item = &sni_vertex_schema,
                                       .least = 1};
static const sni_schema vertices = {.type = SNI_SCHEMA_EITHER,
                                    .help = "Vertices of the mesh, from 0.",
                                    .item = &ranges,
                                    .other = &vertex_list};

static const sni_schema_field paint_fields[] = {
    NEEDED("segment", text, .name_of = "segments", .help = "The segment that the weights are for."),
    NEEDED("points", points,
           .help = "Vertices of the mesh, from 0: numbers and ranges such as 12,40-60, or all; or "
                   "[first, last], both included."),
    FIELD("values", shares,
          .help = "Their weights on the segment, one for each of the points, by rising number."),
    FIELD("weight", share, .standard = "1",
          .help = "Their weight on the segment; multiplies values."),
    ABOUT};
static const sni_schema paint_entry =
    OBJECT("What some points hang on a segment; their other weights are scaled so that the sum "
           "stays 1.",
           paint_fields);
static const sni_schema paint = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Weights painted by hand over those of the mesh; later entries override earlier ones.",
    .item = &paint_entry,
    .least = 1};

static const char *const set_modes[] = {"only", "add", "remove", NULL};
static const sni_schema set_mode = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "Whether the points follow only these faces, these too, or all but these.",
    .choices = set_modes};
static const sni_schema_field set_fields[] = {
    NEEDED("points", ranges, .help = "Vertices of the skin, from 0, such as 12,40-60, or all."),
    NEEDED("faces", ranges, .help = "Faces of the driver, from 0, such as 12,40-60, or all."),
    NEEDED("mode", set_mode, .help = NULL), ABOUT};
static const sni_schema element_set =
    OBJECT("Faces of the driver that points of the skin may follow.", set_fields);
static const sni_schema element_sets = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Element sets edited by hand; later sets override earlier ones.",
    .item = &element_set};

// --- Surfaces that drive

static const sni_schema patch_degree = {
    .type = SNI_SCHEMA_WHOLE, .help = "Degree along u and v.", .low = 1, .high = 7};
static const sni_schema patch_count = {
    .type = SNI_SCHEMA_WHOLE, .help = "Control points.", .low = 2, .high = 65535};
static const sni_schema patch_counts = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Control points along u and v, v fastest.",
                                        .item = &patch_count,
                                        .least = 2,
                                        .most = 2};
static const sni_schema patch_closed = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Whether it is closed along u and v.",
                                        .item = &flag,
                                        .least = 2,
                                        .most = 2};
static const sni_schema patch_samples = {.type = SNI_SCHEMA_WHOLE,
                                         .help = "Elements along each span between knots.",
                                         .low = 1,
                                         .high = 64};
static const sni_schema_field patch_fields[] = {
    NEEDED("counts", patch_counts, .help = NULL), FIELD("degree", patch_degree, .standard = "3"),
    FIELD("closed", patch_closed, .standard = "[false, false]"),
    FIELD("samples", patch_samples, .standard = "2")};
static const sni_schema driver_patch =
    OBJECT("The driver mesh's vertices are control points of a B-spline surface.", patch_fields);

// --- Deformers

static const sni_schema_field deformer_fields[] = {
    FIELD("bones", sni_name_map_schema, .name_of = "segments",
          .help = "The segment of each bone of the mesh; equal names when not given. Every bone "
                  "needs one."),
    FIELD("paint", paint, .help = NULL),
    FIELD("targets", sni_name_map_schema, .name_of = "controls",
          .help = "The control of each morph target of the mesh; equal names when not given."),
    FIELD("driver_mesh", text, .name_of = "skins", .help = "The skin whose motion is followed."),
    FIELD("driver_control", text, .name_of = "controls",
          .help = "The control that scales the motion of the driver mesh; 1 when not given."),
    FIELD("muscles", names, .name_of = "muscles", .help = "The muscles that points follow."),
    FIELD("poses", poses, .title = "Key poses", .help = NULL),
    FIELD("colliders", names, .name_of = "bones tissues skins",
          .help = "Bones, tissues and skins that it touches."),
    FIELD("pins", vertices,
          .help = "Vertices, from 0, that stay where the deformers before put them: numbers and "
                  "ranges such as 12,40-60, or a list."),
    FIELD("sets", element_sets, .help = NULL),
    FIELD("driver_patch", driver_patch, .help = NULL),
    FIELD("weights", point_weights, .help = NULL),
    FIELD("components", names, .name_of = "bones tissues muscles",
          .help = "Bones, tissues and muscles that the skin lies on; all when not given."),
    ABOUT,
};

static sni_kind deformer_kind(uint32_t index) {
    const sni_deformer_ops *ops = sni_deformer_ops_of(index);
    return (sni_kind){ops->name, ops->help, {ops->parameters}, ops};
}

static bool deformer_takes(const void *kind_ops, const char *key) {
    const sni_deformer_ops *ops = kind_ops;
    if (strcmp(key, "bones") == 0 || strcmp(key, "paint") == 0) {
        return ops->uses_weights;
    }
    if (strcmp(key, "targets") == 0) {
        return ops->uses_targets;
    }
    if (strcmp(key, "muscles") == 0) {
        return ops->uses_muscles;
    }
    if (strcmp(key, "poses") == 0) {
        return ops->uses_poses;
    }
    if (strcmp(key, "weights") == 0) {
        return !ops->uses_weights; // which has weights of its own
    }
    if (strcmp(key, "colliders") == 0 || strcmp(key, "pins") == 0) {
        return ops->simulates;
    }
    if (strcmp(key, "components") == 0) {
        return ops->uses_components;
    }
    if (strcmp(key, "sets") == 0 || strcmp(key, "driver_patch") == 0) {
        return ops->uses_sets;
    }
    return strncmp(key, "driver_", 7) == 0 ? ops->uses_driver : true;
}

static bool deformer_needs(const void *kind_ops, const char *key) {
    const sni_deformer_ops *ops = kind_ops;
    return (ops->needs_driver && strcmp(key, "driver_mesh") == 0) ||
           (ops->uses_muscles && strcmp(key, "muscles") == 0);
}

static const sni_kind_table deformer_kinds = {.what = "deformer",
                                              .count = SNI_DEFORMER_KIND_COUNT,
                                              .at = deformer_kind,
                                              .takes = deformer_takes,
                                              .needs = deformer_needs};

static const sni_schema deformer = {.type = SNI_SCHEMA_KINDS,
                                    .help = "A deformer of some kind, with its parameters.",
                                    .fields = deformer_fields,
                                    .field_count = COUNT(deformer_fields),
                                    .kinds = &deformer_kinds};
static const sni_schema deformers = {.type = SNI_SCHEMA_ARRAY,
                                     .help = "Deformers, in the order in which they move the mesh.",
                                     .item = &deformer};

static const sni_schema_field skin_fields[] = {
    NEEDED("mesh", text, .name_of = "meshes",
           .help = "The mesh that deforms; several skins may share one."),
    FIELD("segment", text, .name_of = "segments",
          .help =
              "The segment that carries the mesh as a whole, after its deformers; none when not "
              "given."),
    FIELD("frame", sni_mesh_frame_schema, .title = "Measured in", .standard = "\"world\""),
    FIELD("deformers", deformers, .help = NULL),
    FIELD("look", sni_look_schema, .standard = "\"skin\""),
    FIELD("show", flag, .standard = "true",
          .help = "Whether it is drawn, written and measured; switch it off for a skin that only "
                  "drives others."),
    ABOUT};
static const sni_schema skin =
    OBJECT("A mesh that deforms. A skin that only drives others is not shown.", skin_fields);
const sni_schema sni_skins_schema = {
    .type = SNI_SCHEMA_MAP, .help = "Skins by name.", .item = &skin};
