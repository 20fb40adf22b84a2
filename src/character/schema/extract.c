// SPDX-License-Identifier: Apache-2.0
#include "character/schema/tables.h"

#include "geometry/density.h"

static const sni_schema dimension = {.type = SNI_SCHEMA_WHOLE,
                                     .help = "Largest number of grid nodes along an axis.",
                                     .low = 8,
                                     .high = 4096};
static const sni_schema filter = {.type = SNI_SCHEMA_NUMBER,
                                  .help = "Standard deviation of the smoothing.",
                                  .low = 0,
                                  .high = 100};
static const sni_schema threshold = {
    .type = SNI_SCHEMA_NUMBER,
    .help = "Density of the skin, above 0 and below 200, the density within the parts.",
    .low = 0,
    .high = SNI_DENSITY_VALUE};
static const sni_schema relax = {
    .type = SNI_SCHEMA_WHOLE, .help = "Rounds that even out the triangles.", .low = 0, .high = 100};
static const sni_schema holes = {
    .type = SNI_SCHEMA_NUMBER, .help = "Width of holes that are closed.", .low = 0, .high = 1000};
static const sni_schema parts = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Names of bones, tissues and muscles; all that are closed when not given.",
    .item = &text,
    .least = 1};

static const sni_schema factor = {
    .type = SNI_SCHEMA_NUMBER, .help = "A factor above zero.", .low = 1e-3, .high = 1e3};
static const sni_schema enlarge = {
    .type = SNI_SCHEMA_MAP,
    .help = "Factors by segment, as proportions, on the body around which the skin is made; it "
            "is then fitted to the body in its own size.",
    .item = &factor};

static const sni_schema_field fields[] = {
    FIELD("dimension", dimension, .standard = "225", .title = "Resolution",
          .help = "Largest number of grid nodes along an axis: more nodes give more detail and "
                  "take longer."),
    FIELD("filter", filter, .standard = "3.2", .unit = "nodes", .title = "Smoothing",
          .help = "How far the body is smoothed: the standard deviation in grid nodes."),
    FIELD("threshold", threshold, .standard = "35",
          .help = "Density at which the skin lies, above 0 and below 200, the density within the "
                  "parts: a smaller value makes the body thicker."),
    FIELD("relax", relax, .standard = "3", .title = "Relaxation",
          .help = "How many times the triangles are evened out."),
    FIELD("detail", filter, .standard = "0", .unit = "nodes", .title = "Detail",
          .help = "How far the body is smoothed beside that, where it is thin: the skin lies "
                  "around both, so that fingers stay under it; 0 for not at all."),
    FIELD("holes", holes, .standard = "0", .unit = "m",
          .help = "Holes through the body up to this width are closed."),
    FIELD("parts", parts, .name_of = "bones tissues muscles"),
    FIELD("enlarge", enlarge, .keys_of = "segments"),
    ABOUT};
const sni_schema sni_extract_schema = {
    .type = SNI_SCHEMA_OBJECT,
    .help = "Makes the mesh around bones, tissues and muscles at rest, without the document's "
            "proportions, when a model is made.",
    .fields = fields,
    .field_count = COUNT(fields)};
