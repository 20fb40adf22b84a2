// SPDX-License-Identifier: Apache-2.0
//
// The schema of skins and their deformers.
#include "character/schema/tables.h"

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

const sni_schema sni_names_schema = {
    .type = SNI_SCHEMA_ARRAY, .help = "Names.", .item = &text, .least = 1};

const sni_schema sni_vertex_schema = {.type = SNI_SCHEMA_WHOLE,
                                      .help = "A vertex of the mesh, from 0.",
                                      .low = 0,
                                      .high = 4294967294.0};

// --- Points

const sni_schema sni_ranges_schema = {.type = SNI_SCHEMA_STRING,
                                      .help = "Numbers and ranges, such as 12,40-60, or all."};
static const sni_schema vertex_range = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "First and last vertex, both included.",
                                        .item = &sni_vertex_schema,
                                        .least = 2,
                                        .most = 2};
const sni_schema sni_share_schema = {
    .type = SNI_SCHEMA_NUMBER, .help = "A number from 0 to 1.", .low = 0, .high = 1};
const sni_schema sni_shares_schema = {.type = SNI_SCHEMA_ARRAY,
                                      .help = "Numbers from 0 to 1, one for each point.",
                                      .item = &sni_share_schema,
                                      .least = 1};
const sni_schema sni_points_schema = {.type = SNI_SCHEMA_EITHER,
                                      .help = "Vertices of the mesh, from 0.",
                                      .item = &sni_ranges_schema,
                                      .other = &vertex_range};
static const sni_schema_field point_weight_fields[] = {
    FIELD("points", sni_points_schema,
          .help = "Vertices of the mesh, from 0: numbers and ranges such as 12,40-60, or all; or "
                  "[first, last], both included."),
    FIELD("values", sni_shares_schema,
          .help = "A weight for each of the points, by rising number: painted by hand."),
    FIELD("group", text,
          .help = "A group, object or material of the mesh's file: the vertices of its faces."),
    FIELD("attribute", text,
          .help = "An attribute of the mesh with one value for each vertex, such as color: its "
                  "first number, 0 to 1."),
    FIELD("weight", sni_share_schema, .standard = "1",
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

// --- Deformers

// In the order of sn_wrap_combination.
static const char *const combinations[] = {"mean", "larger", NULL};
static const sni_schema combination = {
    .type = SNI_SCHEMA_CHOICE,
    .help =
        "Combines it with the deformer before, which moves the same points: by the mean of their "
        "motions, or by one in which larger motions count more. Otherwise it moves what the one "
        "before has left.",
    .choices = combinations};

// What all deformers have; each has keys of its inputs besides.
static const sni_schema_field deformer_fields[] = {
    FIELD("weights", point_weights, .help = NULL),
    FIELD("combine", combination, .help = NULL),
    FIELD("driven", sni_driven_schema, .name_of = "controls", .help = NULL),
    ABOUT,
};

static sni_kind deformer_kind(uint32_t index) {
    const sni_deformer_ops *ops = sni_deformer_ops_of(index);
    return (sni_kind){ops->name, ops->help, {ops->parameters}, ops, ops->inputs};
}

// A kind that works with the mesh's weights has no use for weights of points.
static bool deformer_takes(const void *kind_ops, const char *key) {
    const sni_deformer_ops *ops = kind_ops;
    if (strcmp(key, "combine") == 0) {
        return ops->combines;
    }
    if (strcmp(key, "driven") == 0) {
        return sni_parameters_any_live(&ops->parameters);
    }
    return strcmp(key, "weights") != 0 || !sni_input_is_taken(ops->inputs, &sni_input_weights);
}

static bool deformer_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return false;
}

static const sni_kind_table deformer_kinds = {.what = "deformer",
                                              .count = sni_deformer_kind_count,
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
