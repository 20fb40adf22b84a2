// SPDX-License-Identifier: Apache-2.0
#include "character/schema.h"

#include "character/schema_parts.h"
#include "skin/skin.h"

#include <math.h>
#include <string.h>

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

static const char *const interpolations[] = {"stepped", "linear", "smooth", NULL};
static const sni_schema interpolation = {
    .type = SNI_SCHEMA_CHOICE,
    .help =
        "How values between keys are found: held, on a line, or on a smooth curve that does not "
        "overshoot.",
    .choices = interpolations};
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

// --- Skeleton

static const char *const rotation_orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", NULL};
static const sni_schema rotation_order = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "The order of the three intrinsic rotations; xyz when it is not given.",
    .choices = rotation_orders};

static const sni_schema_field angle_limit_fields[] = {{"rx", false, &sni_range_schema},
                                                      {"ry", false, &sni_range_schema},
                                                      {"rz", false, &sni_range_schema}};
static const sni_schema angle_limits =
    OBJECT("Ranges of the rotations, degrees.", angle_limit_fields);
static const sni_schema_field limit_fields[] = {
    {"tx", false, &sni_range_schema}, {"ty", false, &sni_range_schema},
    {"tz", false, &sni_range_schema}, {"sx", false, &sni_range_schema},
    {"sy", false, &sni_range_schema}, {"sz", false, &sni_range_schema}};
static const sni_schema limits =
    OBJECT("Ranges of the translations (metres) and scale factors.", limit_fields);

static const sni_schema_field angle_fields[] = {
    {"rx", false, &number}, {"ry", false, &number}, {"rz", false, &number}};
static const sni_schema rest_angles =
    OBJECT("Rotations of the rest pose, degrees; 0 when not given.", angle_fields);
static const sni_schema_field rest_fields[] = {{"tx", false, &number}, {"ty", false, &number},
                                               {"tz", false, &number}, {"sx", false, &number},
                                               {"sy", false, &number}, {"sz", false, &number}};
static const sni_schema rest =
    OBJECT("Translations (metres) and scale factors of the rest pose.", rest_fields);

static const sni_schema_field segment_fields[] = {
    {"parent", false, &text},
    {"translation", false, &vector3},
    {"rotation", false, &quaternion},
    {"rotation_deg", false, &vector3},
    {"scale", false, &vector3},
    {"order", false, &rotation_order},
    {"limits_deg", false, &angle_limits},
    {"limits", false, &limits},
    {"rest_deg", false, &rest_angles},
    {"rest", false, &rest},
    {"about", false, &text},
};
static const sni_schema segment = REPEATED(
    "A segment: its frame in its parent (translation in metres; rotation as a quaternion, or as "
    "angles in its order; scale) and the joint on top of it.",
    segment_fields, SNI_SEGMENT_EXPAND_KEYS);
static const sni_schema skeleton = {
    .type = SNI_SCHEMA_MAP, .help = "Segments by name.", .item = &segment};

// --- Meshes

static const sni_schema_field mesh_fields[] = {
    {"file", false, &text},     {"mesh", false, &text},
    {"weights", false, &text},  {"extract", false, &sni_extract_schema},
    {"mirrored", false, &flag}, {"about", false, &text}};
static const sni_schema mesh = REPEATED(
    "A mesh of a file beside the document; `mesh` names one where the file has several, "
    "`weights` one that lends its weights; a mirrored one is its mirror image at x = 0. Or "
    "one that is extracted from the body.",
    mesh_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema meshes = {.type = SNI_SCHEMA_MAP, .help = "Meshes by name.", .item = &mesh};

static const char *const frames[] = {"world", "segment", NULL};
static const sni_schema frame = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What the mesh's coordinates are measured in: the world at rest, or its segment.",
    .choices = frames};

const char *const sni_looks[] = {"skin",  "muscle", "bone", "tissue", "cloth",
                                 "plain", "eye",    "horn", NULL};
static const sni_schema look = {
    .type = SNI_SCHEMA_CHOICE, .help = "What it is made of, for pictures.", .choices = sni_looks};

// --- Components: bones and tissues

static const char *const component_frames[] = {"world", "segment", "size", NULL};
static const sni_schema component_frame = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What coordinates are measured in: the world at rest (meshes, when not given), its "
            "segment (ellipsoids and tubes), or its segment in units of the segment's size.",
    .choices = component_frames};
static const sni_schema_field bone_fields[] = {
    {"mesh", false, &text},
    {"ellipsoid", false, &sni_ellipsoid_schema},
    {"tube", false, &sni_tube_schema},
    {"segment", true, &text},
    {"frame", false, &component_frame},
    {"about", false, &text},
};
static const sni_schema bone = REPEATED("A mesh, an ellipsoid or a tube carried by a segment.",
                                        bone_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema bones = {.type = SNI_SCHEMA_MAP, .help = "Bones by name.", .item = &bone};

static const sni_schema density = {
    .type = SNI_SCHEMA_NUMBER,
    .help = "How much it counts when a skin is extracted (1); below 0 it pushes the skin away.",
    .low = -10,
    .high = 10};
static const sni_schema_field tissue_fields[] = {
    {"mesh", false, &text},
    {"ellipsoid", false, &sni_ellipsoid_schema},
    {"tube", false, &sni_tube_schema},
    {"segment", true, &text},
    {"frame", false, &component_frame},
    {"density", false, &density},
    {"feature", false, &flag},
    {"look", false, &look},
    {"about", false, &text},
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
    .help = "Factors by segment: on the offsets of its children, and so on its size.",
    .item = &proportion};

// --- Skins

static const sni_schema name_map = {
    .type = SNI_SCHEMA_MAP, .help = "Names in the file and names in the document.", .item = &text};

static const sni_schema names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Names.", .item = &text, .least = 1};

static const sni_schema vertex_index = {.type = SNI_SCHEMA_WHOLE,
                                        .help = "A vertex of the mesh, from 0.",
                                        .low = 0,
                                        .high = 4294967294.0};

static const sni_schema pose_points = {
    .type = SNI_SCHEMA_MAP,
    .help = "What vertices move by, [x, y, z] in metres at rest, by the vertex's number.",
    .item = &vector3};
static const sni_schema_field pose_key_fields[] = {{"at", true, &number},
                                                   {"points", false, &pose_points},
                                                   {"mesh", false, &text},
                                                   {"about", false, &text}};
static const sni_schema pose_key =
    OBJECT("The shape at one value of what is followed: offsets of some vertices, or a mesh of the "
           "whole shape at rest.",
           pose_key_fields);
static const sni_schema pose_keys = {.type = SNI_SCHEMA_ARRAY,
                                     .help = "Keys, by rising `at`; held outside.",
                                     .item = &pose_key,
                                     .least = 1};
static const sni_schema_field pose_fields[] = {{"follows", true, &text},
                                               {"interpolation", false, &interpolation},
                                               {"keys", true, &pose_keys},
                                               {"about", false, &text}};
static const sni_schema pose = OBJECT(
    "Key poses: offsets that follow a joint parameter, a control or MUSCLE.length.", pose_fields);
static const sni_schema poses = {
    .type = SNI_SCHEMA_ARRAY, .help = "Sets of key poses, which add up.", .item = &pose};

static const sni_schema vertex_range = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "First and last vertex, both included.",
                                        .item = &vertex_index,
                                        .least = 2,
                                        .most = 2};
static const sni_schema share = {
    .type = SNI_SCHEMA_NUMBER, .help = "A number from 0 to 1.", .low = 0, .high = 1};
static const sni_schema_field point_weight_fields[] = {{"points", false, &vertex_range},
                                                       {"group", false, &text},
                                                       {"attribute", false, &text},
                                                       {"weight", false, &share},
                                                       {"about", false, &text}};
static const sni_schema point_weight = OBJECT(
    "The weight of some points: a range of vertices, the vertices of a group, object or material "
    "of the mesh, or (times an attribute of the mesh) all that have one; all points where none is "
    "named.",
    point_weight_fields);
static const sni_schema point_weights = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "How much points take of the effect: 0 but for those named here; later entries win.",
    .item = &point_weight,
    .least = 1};

static const sni_schema vertices = {.type = SNI_SCHEMA_ARRAY,
                                    .help = "Vertices of the mesh, from 0.",
                                    .item = &vertex_index,
                                    .least = 1};

static const char *const set_modes[] = {"only", "add", "remove", NULL};
static const sni_schema set_mode = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "Whether the points follow only these faces, these too, or all but these.",
    .choices = set_modes};
static const sni_schema ranges = {.type = SNI_SCHEMA_STRING,
                                  .help = "Numbers and ranges, such as 12,40-60, or all."};
static const sni_schema_field set_fields[] = {{"points", true, &ranges},
                                              {"faces", true, &ranges},
                                              {"mode", true, &set_mode},
                                              {"about", false, &text}};
static const sni_schema element_set =
    OBJECT("Faces of the driver that points of the skin may follow.", set_fields);
static const sni_schema element_sets = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Sets edited by hand, later ones on top.",
                                        .item = &element_set};

static const sni_schema patch_degree = {
    .type = SNI_SCHEMA_WHOLE, .help = "Degree along u and v (3).", .low = 1, .high = 7};
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
                                         .help = "Elements along each span between knots (2).",
                                         .low = 1,
                                         .high = 64};
static const sni_schema_field patch_fields[] = {{"counts", true, &patch_counts},
                                                {"degree", false, &patch_degree},
                                                {"closed", false, &patch_closed},
                                                {"samples", false, &patch_samples}};
static const sni_schema driver_patch =
    OBJECT("The driver mesh's vertices are control points of a B-spline surface.", patch_fields);

static const sni_schema_field deformer_fields[] = {
    {"bones", false, &name_map},
    {"targets", false, &name_map},
    {"driver_mesh", false, &text},
    {"driver_control", false, &text},
    {"muscles", false, &names},
    {"poses", false, &poses},
    {"colliders", false, &names},
    {"pins", false, &vertices},
    {"sets", false, &element_sets},
    {"driver_patch", false, &driver_patch},
    {"weights", false, &point_weights},
    {"components", false, &names},
    {"about", false, &text},
};

static sni_kind deformer_kind(uint32_t index) {
    const sni_deformer_ops *ops = sni_deformer_ops_of(index);
    return (sni_kind){ops->name, ops->help, ops->parameters, ops->parameter_count, ops};
}

static bool deformer_takes(const void *kind_ops, const char *key) {
    const sni_deformer_ops *ops = kind_ops;
    if (strcmp(key, "bones") == 0) {
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
    {"mesh", true, &text},    {"segment", false, &text},
    {"frame", false, &frame}, {"deformers", false, &deformers},
    {"look", false, &look},   {"show", false, &flag},
    {"about", false, &text}};
static const sni_schema skin =
    OBJECT("A mesh that deforms. A skin that only drives others is not shown.", skin_fields);
static const sni_schema skins = {.type = SNI_SCHEMA_MAP, .help = "Skins by name.", .item = &skin};

// --- Muscles (schema_muscle.c)

static const sni_schema muscles = {
    .type = SNI_SCHEMA_MAP, .help = "Muscles by name.", .item = &sni_muscle_schema};

// --- Controls and what acts on them

static const char *const units[] = {"deg", "rad", "m", NULL};
static const sni_schema unit = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "What it measures, where it is more than a number: an angle in degrees or radians, or "
            "metres.",
    .choices = units};
static const sni_schema_field control_fields[] = {
    {"low", false, &number}, {"high", false, &number}, {"value", false, &number},
    {"unit", false, &unit},  {"group", false, &text},  {"about", false, &text}};
static const sni_schema control =
    REPEATED("A number that a person or a driver sets: range (0 to 1) and value at rest (0).",
             control_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema controls = {
    .type = SNI_SCHEMA_MAP, .help = "Controls by name.", .item = &control};

static const sni_schema number_map = {
    .type = SNI_SCHEMA_MAP, .help = "Numbers by parameter.", .item = &number};
static const sni_schema_field synergy_fields[] = {
    {"control", true, &text}, {"spread", true, &number_map}, {"about", false, &text}};
static const sni_schema synergy =
    REPEATED("A control spread over joints and other controls: `spread` "
             "says how much of each parameter one unit of the control "
             "adds.",
             synergy_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema synergies = {
    .type = SNI_SCHEMA_ARRAY, .help = "Synergies.", .item = &synergy};

static const sni_schema two_names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Two landmarks.", .item = &text, .least = 2, .most = 2};
static const sni_schema_field driver_fields[] = {
    {"control", true, &text},
    {"parameter", false, &text},
    {"distance", false, &two_names},
    {"curve", false, &sni_pairs_schema},
    {"interpolation", false, &sni_curve_interpolation_schema},
    {"about", false, &text}};
static const sni_schema driver =
    REPEATED("A control computed from a parameter, or from the distance "
             "of two landmarks (metres), through a "
             "curve of [input, output] pairs.",
             driver_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema drivers = {.type = SNI_SCHEMA_ARRAY, .help = "Drivers.", .item = &driver};

static const sni_schema_field landmark_fields[] = {{"segment", false, &text},
                                                   {"position", false, &vector3},
                                                   {"mesh", false, &text},
                                                   {"vertex", false, &vertex_index},
                                                   {"about", false, &text}};
static const sni_schema landmark =
    REPEATED("A named point: a position in a segment's frame (metres), or a vertex of a mesh.",
             landmark_fields, SNI_ENTRY_EXPAND_KEYS);
static const sni_schema landmarks = {
    .type = SNI_SCHEMA_MAP, .help = "Landmarks by name.", .item = &landmark};

// --- Clips

static const sni_schema_field track_fields[] = {{"interpolation", false, &interpolation},
                                                {"keys", true, &sni_pairs_schema},
                                                {"about", false, &text}};
static const sni_schema track = {
    .type = SNI_SCHEMA_OBJECT,
    .help = "Keys [seconds, value] of one parameter; linear when not said otherwise.",
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
static const sni_schema ignored_tracks = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Tracks of the file that are left out, by name; * stands for any text.",
    .item = &text};
static const sni_schema_field clip_fields[] = {{"file", false, &text},
                                               {"clip", false, &text},
                                               {"map", false, &name_map},
                                               {"scale", false, &positive},
                                               {"rate", false, &positive},
                                               {"frames", false, &frame_count},
                                               {"ignore", false, &ignored_tracks},
                                               {"tracks", false, &tracks},
                                               {"about", false, &text}};
static const sni_schema clip = OBJECT(
    "A motion: from a file (`clip` names one of several; `map` and `scale` help to play it on this "
    "skeleton), or as tracks of keys.",
    clip_fields);
static const sni_schema clips = {.type = SNI_SCHEMA_MAP, .help = "Clips by name.", .item = &clip};

static const sni_schema version = {
    .type = SNI_SCHEMA_WHOLE, .help = "Version of the format.", .low = 1, .high = 1};

static const sni_schema_field document_fields[] = {
    {"sinew", true, &version},
    {"name", true, &text},
    {"about", false, &text},
    {"skeleton", false, &skeleton},
    {"proportions", false, &proportions},
    {"meshes", false, &meshes},
    {"bones", false, &bones},
    {"tissues", false, &tissues},
    {"skins", false, &skins},
    {"muscles", false, &muscles},
    {"controls", false, &controls},
    {"synergies", false, &synergies},
    {"drivers", false, &drivers},
    {"landmarks", false, &landmarks},
    {"clips", false, &clips},
};
const sni_schema sni_document_schema = OBJECT("A sinew character.", document_fields);
