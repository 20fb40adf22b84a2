// SPDX-License-Identifier: Apache-2.0
//
// The schema of controls and what acts on them, of landmarks and clips.
#include "character/schema/tables.h"

// --- Controls

static const char *const units[] = {"deg", "rad", "m", NULL};
static const sni_schema unit = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What it measures, where it is more than a number: an angle in degrees or radians, or "
            "metres.",
    .choices = units};
static const sni_schema_field control_fields[] = {
    FIELD("low", number, .title = "Lowest", .standard = "0",
          .help = "Lowest value; clips and drivers are kept above it."),
    FIELD("high", number, .title = "Highest", .standard = "1",
          .help = "Highest value; clips and drivers are kept below it."),
    FIELD("value", number, .title = "Value at rest", .standard = "0",
          .help = "Value in the rest pose: 0, or the nearest end of the range, when not given."),
    FIELD("usual", sni_range_schema, .title = "Usual range",
          .help = "Lowest and highest value that are usual, where the range leaves more room: what "
                  "tables go over. The range when not given."),
    FIELD("unit", unit, .help = NULL),
    FIELD("group", text, .mirror = sni_mirror_group,
          .help = "The heading under which an interface shows it."),
    ABOUT};
static const sni_schema control =
    REPEATED("A number that a person, a clip or a driver sets: its range and its value at rest.",
             control_fields, SNI_ENTRY_EXPAND_KEYS);
const sni_schema sni_controls_schema = {
    .type = SNI_SCHEMA_MAP, .help = "Controls by name.", .item = &control};

static const sni_schema spread = {
    .type = SNI_SCHEMA_MAP,
    .help = "How much one unit of the control adds to each parameter, in the parameter's unit.",
    .item = &number};
static const sni_schema_field synergy_fields[] = {
    NEEDED("control", text, .name_of = "controls", .help = "The control that moves the others."),
    NEEDED("spread", spread, .keys_of = "parameters", .mirror = sni_mirror_spread), ABOUT};
static const sni_schema synergy =
    REPEATED("A control that moves several joints or other controls: `spread` "
             "says how much one unit of the control adds to each "
             "parameter.",
             synergy_fields, SNI_ENTRY_EXPAND_KEYS);
const sni_schema sni_synergies_schema = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Controls that move several joints, or add to other controls.",
    .item = &synergy};

static const sni_schema two_names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Two landmarks.", .item = &text, .least = 2, .most = 2};
static const sni_schema_field driver_fields[] = {
    NEEDED("control", text, .name_of = "controls", .mirror = sni_mirror_sided,
           .help = "The control that is computed."),
    FIELD("parameter", text, .name_of = "parameters", .mirror = sni_mirror_source,
          .help = "What it is computed from: a joint parameter or another control."),
    FIELD("distance", two_names, .name_of = "landmarks",
          .help = "What it is computed from, instead of a parameter: the distance of two "
                  "landmarks on segments, in metres."),
    FIELD("curve", sni_pairs_schema,
          .help =
              "[input, output] pairs by rising input, constant outside; the value itself when not "
              "given."),
    FIELD("interpolation", sni_curve_interpolation_schema, .standard = "\"linear\""),
    ABOUT};
static const sni_schema driver =
    REPEATED("A control computed from a parameter, or from the distance "
             "of two landmarks (metres), through a "
             "curve of [input, output] pairs.",
             driver_fields, SNI_ENTRY_EXPAND_KEYS);
const sni_schema sni_drivers_schema = {
    .type = SNI_SCHEMA_ARRAY, .help = "Controls that are computed.", .item = &driver};

// --- Landmarks

static const sni_schema_field landmark_fields[] = {
    FIELD("segment", text, .name_of = "segments", .help = "The segment that carries the point."),
    FIELD("position", vector3, .mirror = sni_mirror_point, .unit = "m",
          .help = "The point in the segment's frame."),
    FIELD("mesh", text, .name_of = "meshes", .mirror = sni_mirror_vertex,
          .help = "The mesh that has the point as a vertex, instead of a segment."),
    FIELD("vertex", sni_vertex_schema, .help = "The vertex of the mesh, from 0."), ABOUT};
static const sni_schema landmark =
    REPEATED("A named point: a position in a segment's frame (metres), or a vertex of a mesh.",
             landmark_fields, SNI_ENTRY_EXPAND_KEYS);
const sni_schema sni_landmarks_schema = {
    .type = SNI_SCHEMA_MAP, .help = "Landmarks by name.", .item = &landmark};

// --- Clips

static const sni_schema_field track_fields[] = {
    FIELD("interpolation", sni_interpolation_schema, .standard = "\"linear\""),
    NEEDED("keys", sni_pairs_schema,
           .help = "[seconds, value] pairs by rising time, values in the parameter's unit."),
    ABOUT};
static const sni_schema track = {
    .type = SNI_SCHEMA_OBJECT,
    .help = "Keys [seconds, value] of one parameter; linear when not given.",
    .fields = track_fields,
    .field_count = COUNT(track_fields),
    .expand_keys = sni_track_expand_keys,
    .expand_key_count = SNI_TRACK_EXPAND_KEY_COUNT};
static const sni_schema tracks = {
    .type = SNI_SCHEMA_MAP, .help = "Tracks by parameter.", .item = &track};
static const sni_schema positive = {
    .type = SNI_SCHEMA_NUMBER, .help = "A number above zero.", .low = 1e-9, .high = 1e9};
static const sni_schema frame_count = {
    .type = SNI_SCHEMA_WHOLE, .help = "A number of frames.", .low = 1, .high = 1e9};
static const sni_schema frame_number = {
    .type = SNI_SCHEMA_WHOLE, .help = "A frame, counted from 0.", .low = 0, .high = 1e9};
static const sni_schema ignored_tracks = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Tracks of the file that are left out, by name; * stands for any text.",
    .item = &text};
static const sni_schema turn_share = {
    .type = SNI_SCHEMA_NUMBER, .help = "A share above 0 and at most 1.", .low = 1e-9, .high = 1};
static const sni_schema turn_shares = {
    .type = SNI_SCHEMA_MAP,
    .help = "Shares of the turns of one joint or of two, which then add up to 1; null: nothing.",
    .item = &turn_share,
    .or_null = true};
static const sni_schema paired_joint = {
    .type = SNI_SCHEMA_EITHER,
    .help = "The joint of the file that moves the segment, shares of two, or null for none.",
    .item = &text,
    .other = &turn_shares};
static const sni_schema pairing = {
    .type = SNI_SCHEMA_MAP, .help = "Joints of the file by segment.", .item = &paired_joint};
static const sni_schema_field clip_fields[] = {
    FIELD("file", text,
          .help =
              "The motion's file, as a path from the document's folder: .bvh, a .glb .gltf .fbx "
              ".dae with animations, a table .mot .sto, or another document."),
    FIELD("clip", text, .help = "Which clip of the file; the first when not given."),
    FIELD("map", sni_name_map_schema, .name_of = "segments",
          .help = "The segment here that each segment of the file moves; well-known names when not "
                  "given."),
    FIELD("pairing", pairing, .keys_of = "segments",
          .help =
              "The joint of the file that moves each segment, in place of the one that is found "
              "for it; null: none."),
    FIELD("scale", positive,
          .help = "Metres per unit of the file; by the lengths of the legs when not given."),
    UNIT_OF_FILE,
    UP_OF_FILE,
    FIELD("rate", positive, .unit = "1/s", .title = "Frames per second",
          .help = "Frames per second: 30, or those of the file, when not given."),
    FIELD("frames", frame_count,
          .help = "How many frames a clip of tracks has; up to the last key when not given."),
    FIELD("ignore", ignored_tracks, .help = NULL),
    FIELD("rest_frame", frame_number,
          .help = "The frame of the file that counts as its rest pose, where its zero pose is no "
                  "pose of a body; found when not given."),
    FIELD("plant_feet", flag, .standard = "true",
          .help = "Whether planted feet of a motion of another skeleton are held in place."),
    FIELD("tracks", tracks, .keys_of = "parameters"),
    ABOUT};
static const sni_schema clip = OBJECT(
    "A motion: from a file (`clip` names one of several; `pairing`, `map` and `scale` help to play "
    "it on this skeleton), or as tracks of keys.",
    clip_fields);
const sni_schema sni_clips_schema = {
    .type = SNI_SCHEMA_MAP, .help = "Clips by name.", .item = &clip};
